//! Warp-wide matrix functions, `__hmma_*`, `__imma_*`, `__bmma_*`, `__dmma_*` and `__mma_*`: loads, stores and products of fragments in memory.
//!
//! Layouts are constants: 0 for rows, 1 for columns; of a product 0 for rows and rows, then rows and columns, columns and rows, columns and columns.

use super::{Builtin, fragments};

/// Rows of one shape and type. `ld a, n` loads fragment `a` of `n` words; `st, n` stores the accumulator; `mma …` multiplies.
macro_rules! load {
    ($name:literal, $word:literal, $form:literal, $type:literal, $words:literal) => {
        fragments(
            $name,
            concat!("void(", $word, " *, const ", $word, " *, unsigned, int)"),
            concat!("llvm.nvvm.wmma.", $form, ".{3:row|col}.stride.", $type, ".p0"),
            $words,
            &[0, 0],
        )
    };
}

macro_rules! store {
    ($name:literal, $word:literal, $shape:literal, $type:literal, $words:literal) => {
        fragments(
            $name,
            concat!("void(", $word, " *, const ", $word, " *, unsigned, int)"),
            concat!("llvm.nvvm.wmma.", $shape, ".store.d.{3:row|col}.stride.", $type, ".p0"),
            0,
            &[0, $words, 0],
        )
    };
}

/// `d c` are the types of a word of the result and of the accumulator, then come the numbers of words of d, a, b and c.
macro_rules! multiply {
    ($name:literal, $d:literal $c:literal, $shape:literal, $types:literal, $saturates:literal, $results:literal, $a:literal, $b:literal, $accumulators:literal) => {
        multiply!($name, $d "int" $c, "int", $shape, $types, $saturates, $results, $a, $b, $accumulators)
    };
    ($name:literal, $d:literal $ab:literal $c:literal, $layout:literal, $shape:literal, $types:literal, $saturates:literal, $results:literal, $a:literal, $b:literal, $accumulators:literal) => {
        fragments(
            $name,
            concat!("void(", $d, " *, const ", $ab, " *, const ", $ab, " *, const ", $c, " *, ", $layout, ", int)"),
            concat!("llvm.nvvm.wmma.", $shape, ".mma.{4:row.row|row.col|col.row|col.col}.", $types, $saturates),
            $results,
            &[$a, $b, $accumulators],
        )
    };
}

/// Single-bit products have one layout, which is not given.
macro_rules! multiply_bits {
    ($name:literal, $operation:literal) => {
        fragments(
            $name,
            "void(int *, const int *, const int *, const int *, unsigned)",
            concat!("llvm.nvvm.wmma.m8n8k128.mma.", $operation, ".popc.row.col.b1"),
            2,
            &[1, 1, 2],
        )
    };
}

/// All of them.
#[rustfmt::skip]
pub(super) const MATRIX: &[Builtin] = &[
    // Half precision.
    load!("__hmma_m16n16k16_ld_a", "int", "m16n16k16.load.a", "f16", 8),
    load!("__hmma_m16n16k16_ld_b", "int", "m16n16k16.load.b", "f16", 8),
    load!("__hmma_m16n16k16_ld_c_f16", "int", "m16n16k16.load.c", "f16", 4),
    load!("__hmma_m16n16k16_ld_c_f32", "float", "m16n16k16.load.c", "f32", 8),
    store!("__hmma_m16n16k16_st_c_f16", "int", "m16n16k16", "f16", 4),
    store!("__hmma_m16n16k16_st_c_f32", "float", "m16n16k16", "f32", 8),
    multiply!("__hmma_m16n16k16_mma_f16f16", "int" "int", "m16n16k16", "f16.f16", "{5:|.satfinite}", 4, 8, 8, 4),
    multiply!("__hmma_m16n16k16_mma_f16f32", "int" "float", "m16n16k16", "f16.f32", "{5:|.satfinite}", 4, 8, 8, 8),
    multiply!("__hmma_m16n16k16_mma_f32f16", "float" "int", "m16n16k16", "f32.f16", "{5:|.satfinite}", 8, 8, 8, 4),
    multiply!("__hmma_m16n16k16_mma_f32f32", "float" "float", "m16n16k16", "f32.f32", "{5:|.satfinite}", 8, 8, 8, 8),
    load!("__hmma_m32n8k16_ld_a", "int", "m32n8k16.load.a", "f16", 8),
    load!("__hmma_m32n8k16_ld_b", "int", "m32n8k16.load.b", "f16", 8),
    load!("__hmma_m32n8k16_ld_c_f16", "int", "m32n8k16.load.c", "f16", 4),
    load!("__hmma_m32n8k16_ld_c_f32", "float", "m32n8k16.load.c", "f32", 8),
    store!("__hmma_m32n8k16_st_c_f16", "int", "m32n8k16", "f16", 4),
    store!("__hmma_m32n8k16_st_c_f32", "float", "m32n8k16", "f32", 8),
    multiply!("__hmma_m32n8k16_mma_f16f16", "int" "int", "m32n8k16", "f16.f16", "{5:|.satfinite}", 4, 8, 8, 4),
    multiply!("__hmma_m32n8k16_mma_f16f32", "int" "float", "m32n8k16", "f16.f32", "{5:|.satfinite}", 4, 8, 8, 8),
    multiply!("__hmma_m32n8k16_mma_f32f16", "float" "int", "m32n8k16", "f32.f16", "{5:|.satfinite}", 8, 8, 8, 4),
    multiply!("__hmma_m32n8k16_mma_f32f32", "float" "float", "m32n8k16", "f32.f32", "{5:|.satfinite}", 8, 8, 8, 8),
    load!("__hmma_m8n32k16_ld_a", "int", "m8n32k16.load.a", "f16", 8),
    load!("__hmma_m8n32k16_ld_b", "int", "m8n32k16.load.b", "f16", 8),
    load!("__hmma_m8n32k16_ld_c_f16", "int", "m8n32k16.load.c", "f16", 4),
    load!("__hmma_m8n32k16_ld_c_f32", "float", "m8n32k16.load.c", "f32", 8),
    store!("__hmma_m8n32k16_st_c_f16", "int", "m8n32k16", "f16", 4),
    store!("__hmma_m8n32k16_st_c_f32", "float", "m8n32k16", "f32", 8),
    multiply!("__hmma_m8n32k16_mma_f16f16", "int" "int", "m8n32k16", "f16.f16", "{5:|.satfinite}", 4, 8, 8, 4),
    multiply!("__hmma_m8n32k16_mma_f16f32", "int" "float", "m8n32k16", "f16.f32", "{5:|.satfinite}", 4, 8, 8, 8),
    multiply!("__hmma_m8n32k16_mma_f32f16", "float" "int", "m8n32k16", "f32.f16", "{5:|.satfinite}", 8, 8, 8, 4),
    multiply!("__hmma_m8n32k16_mma_f32f32", "float" "float", "m8n32k16", "f32.f32", "{5:|.satfinite}", 8, 8, 8, 8),
    // Integers of 8, 4 and 1 bits.
    load!("__imma_m16n16k16_ld_a_s8", "int", "m16n16k16.load.a", "s8", 2),
    load!("__imma_m16n16k16_ld_a_u8", "int", "m16n16k16.load.a", "u8", 2),
    load!("__imma_m16n16k16_ld_b_s8", "int", "m16n16k16.load.b", "s8", 2),
    load!("__imma_m16n16k16_ld_b_u8", "int", "m16n16k16.load.b", "u8", 2),
    load!("__imma_m16n16k16_ld_c", "int", "m16n16k16.load.c", "s32", 8),
    store!("__imma_m16n16k16_st_c_i32", "int", "m16n16k16", "s32", 8),
    multiply!("__imma_m16n16k16_mma_s8", "int" "int" "int", "unsigned", "m16n16k16", "s8", "{5:|.satfinite}", 8, 2, 2, 8),
    multiply!("__imma_m16n16k16_mma_u8", "int" "int" "int", "unsigned", "m16n16k16", "u8", "{5:|.satfinite}", 8, 2, 2, 8),
    load!("__imma_m32n8k16_ld_a_s8", "int", "m32n8k16.load.a", "s8", 4),
    load!("__imma_m32n8k16_ld_a_u8", "int", "m32n8k16.load.a", "u8", 4),
    load!("__imma_m32n8k16_ld_b_s8", "int", "m32n8k16.load.b", "s8", 1),
    load!("__imma_m32n8k16_ld_b_u8", "int", "m32n8k16.load.b", "u8", 1),
    load!("__imma_m32n8k16_ld_c", "int", "m32n8k16.load.c", "s32", 8),
    store!("__imma_m32n8k16_st_c_i32", "int", "m32n8k16", "s32", 8),
    multiply!("__imma_m32n8k16_mma_s8", "int" "int" "int", "unsigned", "m32n8k16", "s8", "{5:|.satfinite}", 8, 4, 1, 8),
    multiply!("__imma_m32n8k16_mma_u8", "int" "int" "int", "unsigned", "m32n8k16", "u8", "{5:|.satfinite}", 8, 4, 1, 8),
    load!("__imma_m8n32k16_ld_a_s8", "int", "m8n32k16.load.a", "s8", 1),
    load!("__imma_m8n32k16_ld_a_u8", "int", "m8n32k16.load.a", "u8", 1),
    load!("__imma_m8n32k16_ld_b_s8", "int", "m8n32k16.load.b", "s8", 4),
    load!("__imma_m8n32k16_ld_b_u8", "int", "m8n32k16.load.b", "u8", 4),
    load!("__imma_m8n32k16_ld_c", "int", "m8n32k16.load.c", "s32", 8),
    store!("__imma_m8n32k16_st_c_i32", "int", "m8n32k16", "s32", 8),
    multiply!("__imma_m8n32k16_mma_s8", "int" "int" "int", "unsigned", "m8n32k16", "s8", "{5:|.satfinite}", 8, 1, 4, 8),
    multiply!("__imma_m8n32k16_mma_u8", "int" "int" "int", "unsigned", "m8n32k16", "u8", "{5:|.satfinite}", 8, 1, 4, 8),
    load!("__imma_m8n8k32_ld_a_s4", "int", "m8n8k32.load.a", "s4", 1),
    load!("__imma_m8n8k32_ld_a_u4", "int", "m8n8k32.load.a", "u4", 1),
    load!("__imma_m8n8k32_ld_b_s4", "int", "m8n8k32.load.b", "s4", 1),
    load!("__imma_m8n8k32_ld_b_u4", "int", "m8n8k32.load.b", "u4", 1),
    load!("__imma_m8n8k32_ld_c", "int", "m8n8k32.load.c", "s32", 2),
    store!("__imma_m8n8k32_st_c_i32", "int", "m8n8k32", "s32", 2),
    multiply!("__imma_m8n8k32_mma_s4", "int" "int" "int", "unsigned", "m8n8k32", "s4", "{5:|.satfinite}", 2, 1, 1, 2),
    multiply!("__imma_m8n8k32_mma_u4", "int" "int" "int", "unsigned", "m8n8k32", "u4", "{5:|.satfinite}", 2, 1, 1, 2),
    load!("__bmma_m8n8k128_ld_a_b1", "int", "m8n8k128.load.a", "b1", 1),
    load!("__bmma_m8n8k128_ld_b_b1", "int", "m8n8k128.load.b", "b1", 1),
    load!("__bmma_m8n8k128_ld_c", "int", "m8n8k128.load.c", "s32", 2),
    store!("__bmma_m8n8k128_st_c_i32", "int", "m8n8k128", "s32", 2),
    multiply_bits!("__bmma_m8n8k128_mma_xor_popc_b1", "xor"),
    multiply_bits!("__bmma_m8n8k128_mma_and_popc_b1", "and"),
    // Double precision, bfloat16 and TF32.
    load!("__dmma_m8n8k4_ld_a", "double", "m8n8k4.load.a", "f64", 1),
    load!("__dmma_m8n8k4_ld_b", "double", "m8n8k4.load.b", "f64", 1),
    load!("__dmma_m8n8k4_ld_c", "double", "m8n8k4.load.c", "f64", 2),
    store!("__dmma_m8n8k4_st_c_f64", "double", "m8n8k4", "f64", 2),
    multiply!("__dmma_m8n8k4_mma_f64", "double" "double" "double", "unsigned", "m8n8k4", "f64", "{5:}", 2, 1, 1, 2),
    load!("__mma_bf16_m16n16k16_ld_a", "int", "m16n16k16.load.a", "bf16", 4),
    load!("__mma_bf16_m16n16k16_ld_b", "int", "m16n16k16.load.b", "bf16", 4),
    multiply!("__mma_bf16_m16n16k16_mma_f32", "float" "float", "m16n16k16", "bf16", "{5:}", 8, 4, 4, 8),
    load!("__mma_bf16_m32n8k16_ld_a", "int", "m32n8k16.load.a", "bf16", 8),
    load!("__mma_bf16_m32n8k16_ld_b", "int", "m32n8k16.load.b", "bf16", 2),
    multiply!("__mma_bf16_m32n8k16_mma_f32", "float" "float", "m32n8k16", "bf16", "{5:}", 8, 8, 2, 8),
    load!("__mma_bf16_m8n32k16_ld_a", "int", "m8n32k16.load.a", "bf16", 2),
    load!("__mma_bf16_m8n32k16_ld_b", "int", "m8n32k16.load.b", "bf16", 8),
    multiply!("__mma_bf16_m8n32k16_mma_f32", "float" "float", "m8n32k16", "bf16", "{5:}", 8, 2, 8, 8),
    load!("__mma_tf32_m16n16k8_ld_a", "int", "m16n16k8.load.a", "tf32", 4),
    load!("__mma_tf32_m16n16k8_ld_b", "int", "m16n16k8.load.b", "tf32", 4),
    load!("__mma_tf32_m16n16k8_ld_c", "float", "m16n16k8.load.c", "f32", 8),
    store!("__mma_m16n16k8_st_c_f32", "float", "m16n16k8", "f32", 8),
    multiply!("__mma_tf32_m16n16k8_mma_f32", "float" "float", "m16n16k8", "tf32", "{5:}", 8, 4, 4, 8),
];
