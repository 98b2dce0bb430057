//! `.nv.compat`: what tools that carry code over to other SMs have to know of it, from sm_90 on.
//!
//! Observed, ptxas 13.0.88, over 6,473 files, and over some 3,000 files with one instruction each for sm_90a, 100a and 120a; what the numbers mean is
//! inferred. Known to differ: ptxas has 2 for bulk copies whose size is in a register, and on sm_120a for largest 64-bit words in global memory.

use warpsmith_cubin::{Eiattr, InfoRecord, InfoValue};
use warpsmith_ptx::{instruction::Variant, module::Module};
use warpsmith_target::{Isa, Sm, Suffix};

/// How the names of floating-point formats of eight bits and fewer begin.
const NARROW: [&str; 6] = ["e4m3", "e5m2", "e2m3", "e3m2", "e2m1", "ue8m0"];
/// Operations on tensors in global memory, by descriptors that the host has made.
const TENSORS: [&str; 3] = [
    "cp.async.bulk.tensor",
    "cp.reduce.async.bulk.tensor",
    "cp.async.bulk.prefetch.tensor",
];

/// The records.
pub(super) fn compatibility(sm: Sm, module: &Module) -> Vec<InfoRecord> {
    let accelerated = u8::from(sm.info().suffix == Suffix::Architecture);
    let record = |code, value| InfoRecord::new(Eiattr(code), value);
    let most = |of: &dyn Fn(&Variant) -> u8, least| module.variants.iter().map(of).fold(least, u8::max);
    let mut records = vec![
        record(9, InfoValue::Byte(accelerated, 0)),
        record(2, InfoValue::Byte(most(&|variant| class(sm.isa(), variant), 1), 0)),
        record(5, InfoValue::Byte(most(&products, 5), 0)),
        record(7, InfoValue::Half(0x0101)),
        record(3, InfoValue::Byte(most(&descriptors, 0), 0)),
        record(6, InfoValue::Byte(1, 0)),
    ];
    // From sm_100 on nothing is said of quick ways to code for other SMs: there is no capsule. (Observed: nvlink leaves the record out, too, where an
    // input has none.)
    if sm.isa() < Isa::Sm100 {
        records.push(record(11, InfoValue::Sized(vec![0; 8])));
    }
    records
}

fn says(variant: &Variant, name: &str) -> bool {
    variant
        .modifiers
        .iter()
        .flatten()
        .any(|modifier| modifier.name() == name)
}

/// How particular to its SM an instruction is: 1 is what all later ones have, 4 what no other has.
fn class(isa: Isa, variant: &Variant) -> u8 {
    let has = |name: &str| says(variant, name);
    let mut modifiers = variant.modifiers.iter().flatten();
    let is_narrow = modifiers.any(|modifier| NARROW.iter().any(|start| modifier.name().starts_with(start)));
    let name = variant.opcode.name();
    let of_integers = has("m8n8k16") && (has("s8") || has("u8")) || has("m8n8k32");
    let of_doubles = has("f64") && !has("m8n8k4");
    match name.split('.').next().unwrap_or(name) {
        "wgmma" => 4,
        "mma" if isa == Isa::Sm90 && (of_integers || of_doubles || has("b1")) => 4,
        "mma" if isa == Isa::Sm120 && has("m16n8k64") && has("satfinite") && (has("s4") || has("u4")) => 2,
        "mma" | "cvt" if has("rs") => 3,
        "mma" | "cvt" if is_narrow || has("b1") => 2,
        "tcgen05" if name == "tcgen05.shift" || products(variant) > 5 => 3,
        "tcgen05" => 2,
        "txq" | "suq" if !["width", "height", "depth"].into_iter().any(has) => 1,
        "tex" if name == "tex.grad" && has("3d") => 1,
        "tex" | "tld4" | "txq" | "suld" | "sust" | "sured" | "suq" => 2,
        "redux" if has("f32") => 2,
        "ldmatrix" | "stmatrix" if has("b8") || has("b8x16") => 2,
        "prefetch" if has("tensormap") => 2,
        "fence" if has("tensormap::generic") => 2,
        _ if TENSORS.contains(&name) => 2,
        _ => 1 + u8::from(["tensormap.cp_fenceproxy", "clusterlaunchcontrol.try_cancel.async"].contains(&name)),
    }
}

/// Whether products in tensor memory are of integers, which few SMs have.
fn products(variant: &Variant) -> u8 {
    5 + u8::from(variant.opcode.name().starts_with("tcgen05.mma") && says(variant, "kind::i8"))
}

/// 1 where descriptors of tensors are used, 2 where they are changed.
fn descriptors(variant: &Variant) -> u8 {
    match variant.opcode.name() {
        "tensormap.replace" => 2,
        name => u8::from(TENSORS.contains(&name)),
    }
}
