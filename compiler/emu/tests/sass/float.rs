//! Floating point and conversions. Expected values are worked out by hand from IEEE 754 and the PTX manual.

use crate::support::{with, words};

/// The registers that instructions leave, of `R1`, `R2` … set to these words.
fn left<const N: usize>(sm: &str, inputs: &[u32], lines: &[&str], registers: [u8; N]) -> [u32; N] {
    let inputs: Vec<(u8, u32)> = (1..).zip(inputs.iter().copied()).collect();
    let code = with(&inputs, lines);
    let code: Vec<&str> = code.iter().map(String::as_str).collect();
    words(&format!("sm_{sm}"), &code, registers)
}

/// What an instruction leaves in R0, of `R1`, `R2` … set to these words.
fn one(sm: &str, inputs: &[u32], line: &str) -> u32 {
    left(sm, inputs, &[line], [0])[0]
}

/// What an instruction leaves in the pair R0, of the pairs `R2`, `R4` ….
fn pair(sm: &str, inputs: &[u64], line: &str) -> u64 {
    let inputs = inputs.iter().flat_map(|word| [*word as u32, (*word >> 32) as u32]);
    let inputs: Vec<u32> = std::iter::once(0).chain(inputs).collect();
    let [low, high] = left(sm, &inputs, &[line], [0, 1]);
    u64::from(low) | u64::from(high) << 32
}

/// The predicates P0 and P1 that an instruction leaves, as bits 0 and 1.
fn predicates(sm: &str, inputs: &[u32], line: &str) -> u32 {
    let lines = [
        "ISETP.NE.AND P0, P1, RZ, RZ, !PT",
        line,
        "MOV R0, RZ",
        "@P0 MOV R0, 0x1",
        "MOV R1, RZ",
        "@P1 MOV R1, 0x2",
    ];
    let [p, q] = left(sm, inputs, &lines, [0, 1]);
    p | q
}

const ONE: u32 = 0x3f80_0000;
const TWO: u32 = 0x4000_0000;
const THREE: u32 = 0x4040_0000;
const NAN: u32 = 0x7fc0_0000;
const SMALLEST: u32 = 0x0080_0000;

#[test]
fn single_precision_sums_and_products() {
    assert_eq!(one("75", &[ONE, TWO], "FADD R0, R1, R2"), THREE);
    assert_eq!(one("75", &[ONE, TWO], "FADD R0, -R1, |R2|"), ONE);
    assert_eq!(one("90", &[ONE], "FADD R0, R1, 2"), THREE);
    assert_eq!(
        one("75", &[ONE, 0x3300_0000], "FADD.RP R0, R1, R2"),
        0x3f80_0001,
        "1 + 2^-25"
    );
    assert_eq!(one("75", &[ONE, 0x3300_0000], "FADD R0, R1, R2"), ONE);
    assert_eq!(one("75", &[THREE, TWO], "FADD.SAT R0, R1, R2"), ONE);
    assert_eq!(one("75", &[SMALLEST, 0x8080_0001], "FADD.FTZ R0, R1, R2"), 0x8000_0000);
    assert_eq!(one("75", &[SMALLEST, 0x8080_0001], "FADD R0, R1, R2"), 0x8000_0001);
    assert_eq!(one("75", &[NAN, ONE], "FADD R0, R1, R2"), 0x7fff_ffff);
    assert_eq!(one("75", &[THREE, TWO], "FMUL R0, R1, R2"), 0x40c0_0000);
    assert_eq!(one("75", &[ONE], "FMUL.RZ R0, R1, 0.15915493667125701904"), 0x3e22_f983);
    assert_eq!(one("75", &[THREE, TWO, ONE], "FFMA R0, R1, -R2, R3"), 0xc0a0_0000);
    assert_eq!(
        one("75", &[0x3f80_0001, 0x3f80_0001, 0xbf80_0002], "FFMA R0, R1, R2, R3"),
        0x2880_0000,
        "2^-46"
    );
}

#[test]
fn minimum_maximum_and_selection() {
    assert_eq!(one("75", &[ONE, TWO], "FMNMX R0, R1, R2, PT"), ONE);
    assert_eq!(one("75", &[ONE, TWO], "FMNMX R0, R1, R2, !PT"), TWO);
    assert_eq!(one("75", &[0, 0x8000_0000], "FMNMX R0, R1, R2, PT"), 0x8000_0000);
    assert_eq!(one("75", &[NAN, TWO], "FMNMX R0, R1, R2, PT"), TWO);
    assert_eq!(one("80", &[NAN, TWO], "FMNMX.NAN R0, R1, R2, PT"), 0x7fff_ffff);
    assert_eq!(
        one("86", &[0xbf80_0000, TWO], "FMNMX.XORSIGN R0, |R1|, |R2|, !PT"),
        0xc000_0000
    );
    assert_eq!(
        one("100a", &[ONE, TWO, 0xc040_0000], "FMNMX3 R0, R1, R2, |R3|, !PT"),
        THREE
    );
    assert_eq!(one("75", &[ONE, TWO], "FSEL R0, -R1, R2, PT"), 0xbf80_0000);
    assert_eq!(one("75", &[ONE, TWO], "FSEL R0, R1, R2, !PT"), TWO);
}

#[test]
fn comparisons() {
    assert_eq!(predicates("75", &[ONE, TWO], "FSETP.LT.AND P0, P1, R1, R2, PT"), 1);
    assert_eq!(predicates("75", &[ONE, TWO], "FSETP.GE.AND P0, P1, R1, R2, PT"), 2);
    assert_eq!(predicates("75", &[ONE, NAN], "FSETP.LT.AND P0, P1, R1, R2, PT"), 2);
    assert_eq!(predicates("75", &[ONE, NAN], "FSETP.GEU.AND P0, P1, R1, R2, PT"), 1);
    assert_eq!(predicates("75", &[NAN, NAN], "FSETP.NE.AND P0, P1, R1, R2, PT"), 2);
    assert_eq!(predicates("75", &[NAN, NAN], "FSETP.NEU.AND P0, P1, R1, R2, PT"), 1);
    assert_eq!(
        predicates("75", &[1, 0x8000_0001], "FSETP.EQ.FTZ.AND P0, P1, R1, R2, PT"),
        1
    );
    assert_eq!(
        predicates("75", &[1, 0x8000_0001], "FSETP.EQ.AND P0, P1, R1, R2, PT"),
        2
    );
    assert_eq!(one("75", &[ONE, TWO], "FSET.BF.LT.AND R0, R1, R2, PT"), ONE);
    assert_eq!(one("75", &[TWO, TWO], "FSET.BF.LT.AND R0, R1, R2, PT"), 0);
    assert_eq!(one("75", &[ONE, TWO], "FSET.BF.LT.AND R0, R1, R2, !PT"), 0);
    assert_eq!(one("75", &[TWO, TWO], "FSET.BF.LT.OR R0, R1, R2, PT"), ONE);
    // 1 and -1 against 2 in f16.
    assert_eq!(
        predicates("75", &[0x4200_bc00, 0x4000_4000], "HSETP2.LT.AND P0, P1, R1, R2, PT"),
        1
    );
    assert_eq!(
        predicates("75", &[TWO, 0x4000_3c00], "HSETP2.LT.AND P0, P1, R1.F32, R2, PT"),
        0
    );
    assert_eq!(
        one("75", &[0x4200_bc00, 0x4000_4000], "HSET2.BF.LT.AND R0, R1, R2, PT"),
        0x3c00
    );
    assert_eq!(
        one("75", &[0x4200_bc00, 0x4000_4000], "HSET2.NE.AND R0, R1.H0_H0, R2, PT"),
        0xffff_ffff
    );
}

#[test]
fn the_division_check_asks_for_the_long_way_at_the_ends_of_the_range() {
    let check = |a, b| predicates("75", &[a, b], "FCHK P0, R1, R2");
    assert_eq!(check(THREE, TWO), 0);
    for (a, b) in [
        (THREE, 0),
        (0, TWO),
        (NAN, TWO),
        (THREE, 0x7f80_0000),
        (1, TWO),
        (0x7f00_0000, 0x0080_0000),
    ] {
        assert_eq!(check(a, b), 1, "{a:#x} {b:#x}");
    }
}

#[test]
fn special_functions() {
    assert_eq!(one("75", &[TWO], "MUFU.RCP R0, R1"), 0x3f00_0000);
    assert_eq!(one("75", &[TWO], "MUFU.RCP R0, -R1"), 0xbf00_0000);
    assert_eq!(
        one("75", &[1], "MUFU.RCP R0, R1"),
        0x7f80_0000,
        "subnormal operands are zeros"
    );
    assert_eq!(one("75", &[0x4080_0000], "MUFU.RSQ R0, R1"), 0x3f00_0000);
    assert_eq!(one("75", &[THREE], "MUFU.EX2 R0, R1"), 0x4100_0000);
    assert_eq!(one("75", &[0x4100_0000], "MUFU.LG2 R0, R1"), THREE);
    assert_eq!(one("75", &[0x4000_0000], "MUFU.RCP64H R0, R1"), 0x3fe0_0000);
    assert_eq!(
        one("75", &[0x4000_0000], "MUFU.EX2.F16 R0, R1.H1"),
        0x4400,
        "2^2, the upper half is zero"
    );
    assert_eq!(one("103a", &[0x3c00_4000], "MUFU.EX2.F16x2 R0, R1"), 0x4000_4400);
    assert_eq!(one("75", &[], "MUFU.RSQ R0, -QNAN"), 0x7fff_ffff);
}

#[test]
fn double_precision() {
    let f = f64::to_bits;
    assert_eq!(pair("75", &[f(1.0), f(2.0)], "DADD R0, R2, -R4"), f(-1.0));
    assert_eq!(pair("75", &[f(3.0), f(2.0)], "DMUL R0, R2, R4"), f(6.0));
    assert_eq!(pair("75", &[f(3.0), f(2.0), f(1.0)], "DFMA R0, R2, R4, |R6|"), f(7.0));
    assert_eq!(pair("75", &[f(3.0)], "DADD R0, R2, 0.5"), f(3.5));
    assert_eq!(pair("75", &[f(1.0), 1], "DADD.RP R0, R2, R4"), f(1.0) + 1);
    let compare =
        |a: u64, b: u64, text| predicates("75", &[0, a as u32, (a >> 32) as u32, b as u32, (b >> 32) as u32], text);
    assert_eq!(compare(f(1.0), f(2.0), "DSETP.LT.AND P0, P1, R2, R4, PT"), 1);
    assert_eq!(compare(f(2.0), f(f64::NAN), "DSETP.LTU.AND P0, P1, R2, R4, PT"), 1);
    // The first predicate: the first operand is the result; the second: both are NaN.
    assert_eq!(compare(f(1.0), f(2.0), "DSETP.MIN.AND P0, P1, R2, R4, PT"), 1);
    assert_eq!(compare(f(1.0), f(2.0), "DSETP.MAX.AND P0, P1, R2, R4, PT"), 0);
    assert_eq!(compare(f(f64::NAN), f(2.0), "DSETP.MIN.AND P0, P1, R2, R4, PT"), 0);
    assert_eq!(compare(f(2.0), f(f64::NAN), "DSETP.MIN.AND P0, P1, R2, R4, PT"), 1);
    assert_eq!(compare(f(f64::NAN), f(f64::NAN), "DSETP.MIN.AND P0, P1, R2, R4, PT"), 2);
}

#[test]
fn pairs_of_halves() {
    // f16: 1.0 is 3c00, 2.0 is 4000, 3.0 is 4200.
    assert_eq!(one("75", &[0x4000_3c00, 0x3c00_3c00], "HADD2 R0, R1, R2"), 0x4200_4000);
    assert_eq!(
        one("75", &[0x4000_3c00, 0x3c00_3c00], "HADD2 R0, R1.H1_H1, -R2.H0_H0"),
        0x3c00_3c00
    );
    assert_eq!(one("75", &[0x4000_3c00], "HMUL2 R0, R1, |R1|"), 0x4400_3c00);
    assert_eq!(
        one("75", &[0x4000_3c00, 0x4000_4000], "HFMA2 R0, R1, R2, -R1.H0_H0"),
        0x4200_3c00
    );
    assert_eq!(
        one("75", &[0x4000_3c00], "HADD2 R0, R1, 1, 2"),
        0x4200_4200,
        "the first immediate is the upper half"
    );
    assert_eq!(one("75", &[0x4000_3c00], "HADD2.F32 R0, -RZ, R1.H1_H1"), TWO);
    assert_eq!(
        one("75", &[0x3f80_1000], "HADD2 R0, R1.F32, -RZ.H0_H0"),
        0x3c00_3c00,
        "1 + 2^-11 to even"
    );
    assert_eq!(one("75", &[0x3f80_1001], "HADD2 R0, R1.F32, -RZ.H0_H0"), 0x3c01_3c01);
    assert_eq!(
        one("90", &[], "HFMA2.MMA R0, -RZ, RZ, 1.875, 5.9604644775390625e-08"),
        0x3f80_0001
    );
    assert_eq!(
        one("80", &[0xc000_3c00, 0x3c00_3c00, 0], "HFMA2.RELU R0, R1, R2, R3"),
        0x0000_3c00
    );
    assert_eq!(
        one("80", &[0x4000_3f80, 0x3f80_3f80, 0], "HFMA2.BF16_V2 R0, R1, R2, R3"),
        0x4000_3f80
    );
    assert_eq!(
        one("80", &[0x4000_bc00, 0x3c00_3c00], "HMNMX2 R0, R1, R2, PT"),
        0x3c00_bc00
    );
    assert_eq!(
        one("80", &[0x4000_bc00, 0x3c00_3c00], "HMNMX2 R0, R1, R2, !PT"),
        0x4000_3c00
    );
    assert_eq!(one("100a", &[0x3c00_4000, ONE], "FHADD R0, R1, -R2"), ONE);
    assert_eq!(
        one("100a", &[0x3f80_4000, ONE, TWO], "FHFMA.BF16 R0, R1.H1, R1, R3"),
        0x4080_0000
    );
}

#[test]
fn packed_single_precision() {
    let words = [
        u64::from(ONE) << 32 | u64::from(TWO),
        u64::from(THREE) << 32 | u64::from(ONE),
    ];
    let sum = u64::from(0x4080_0000_u32) << 32 | u64::from(THREE);
    assert_eq!(pair("100a", &words, "FADD2 R0, R2.F32x2.HI_LO, R4.F32x2.HI_LO"), sum);
    let difference = u64::from(TWO) << 32 | u64::from(0xbf80_0000_u32);
    assert_eq!(
        pair("100a", &words, "FADD2 R0, -R2.F32x2.HI_LO, R4.F32x2.HI_LO"),
        difference
    );
    let fused = u64::from(0x4080_0000_u32) << 32 | u64::from(0x4080_0000_u32);
    assert_eq!(
        pair(
            "100a",
            &[words[0], words[1], words[0]],
            "FFMA2 R0, R2.F32x2.HI_LO, R4.F32x2.HI_LO, R6.F32x2.HI_LO"
        ),
        fused
    );
    // One word for both lanes, the words of a pair swapped, and an immediate for both.
    let product = u64::from(TWO) << 32 | u64::from(0x4080_0000_u32);
    assert_eq!(pair("100a", &words, "FMUL2 R0, R2.F32x2.HI_LO, R2.F32"), product);
    assert_eq!(pair("100a", &words, "FMUL2 R0, R2.F32x2.HI_LO, 2"), product);
    let swapped = u64::from(0x40a0_0000_u32) << 32 | u64::from(TWO);
    assert_eq!(
        pair("100a", &words, "FADD2 R0, R2.F32x2.LO_HI, R4.F32x2.HI_LO"),
        swapped
    );
}

#[test]
fn conversions_to_integers() {
    assert_eq!(one("75", &[0x4020_0000], "F2I.NTZ R0, R1"), 2, "2.5 to even");
    assert_eq!(one("75", &[0xc020_0000], "F2I.FLOOR.NTZ R0, R1"), -3_i32 as u32);
    assert_eq!(one("75", &[0x4020_0000], "F2I.U32.CEIL.NTZ R0, R1"), 3);
    assert_eq!(
        one("75", &[0xc316_0000], "F2I.S8.TRUNC.NTZ R0, R1"),
        0xffff_ff80,
        "-150 saturates and is extended"
    );
    assert_eq!(one("75", &[NAN], "F2I.NTZ R0, R1"), 0);
    assert_eq!(one("75", &[0x4200_3c00], "F2I.F16.TRUNC.NTZ R0, R1.H1"), 3);
    assert_eq!(
        pair("75", &[u64::from(0xc020_0000_u32)], "F2I.S64.TRUNC R0, R2"),
        -2_i64 as u64
    );
    assert_eq!(pair("75", &[u64::from(NAN)], "F2I.S64.TRUNC R0, R2"), 1 << 63);
    let words = [(2.5_f64).to_bits()];
    assert_eq!(pair("75", &words, "F2I.F64.CEIL R0, R2") as u32, 3);
    assert_eq!(
        pair("75", &[f64::NAN.to_bits()], "F2I.F64.TRUNC R0, R2") as u32,
        0x8000_0000
    );
    assert_eq!(
        one(
            "90",
            &[0x437f_0000, ONE, 0x1234_5678],
            "F2IP.U8.F32.TRUNC.NTZ R0, R1, R2, R3"
        ),
        0x5678_ff01
    );
}

#[test]
fn conversions_from_integers() {
    assert_eq!(one("75", &[-2_i32 as u32], "I2F R0, R1"), 0xc000_0000);
    assert_eq!(one("75", &[0xffff_ffff], "I2F.U32.RZ R0, R1"), 0x4f7f_ffff);
    assert_eq!(one("75", &[0x0003_0000], "I2F.U8 R0, R1.B2"), THREE);
    assert_eq!(one("75", &[0xfffe_0000], "I2F.S16 R0, R1.H1"), 0xc000_0000);
    assert_eq!(one("75", &[3], "I2F.F16 R0, R1"), 0x4200);
    assert_eq!(pair("75", &[3], "I2F.F64.S64 R0, R2"), 3.0_f64.to_bits());
    assert_eq!(
        pair("75", &[(-3_i32 as u32).into()], "I2F.F64 R0, R2"),
        (-3.0_f64).to_bits()
    );
    assert_eq!(one("90", &[3], "I2FP.F32.S32 R0, R1"), THREE);
    assert_eq!(one("75", &[-200_i32 as u32], "I2I.S8.S32.SAT R0, R1"), 0xffff_ff80);
    assert_eq!(
        one("75", &[1, 300, 0x1234_5678], "I2IP.U8.S32.SAT R0, R1, R2, R3"),
        0x5678_01ff
    );
}

#[test]
fn conversions_between_formats() {
    assert_eq!(
        pair("75", &[3.5_f64.to_bits()], "F2F.F32.F64 R0, R2") as u32,
        0x4060_0000
    );
    assert_eq!(
        pair("75", &[u64::from(THREE)], "F2F.F64.F32 R0, -R2"),
        (-3.0_f64).to_bits()
    );
    assert_eq!(pair("90", &[0x4200_0000], "F2F.F64.F16 R0, R2.H1"), 3.0_f64.to_bits());
    assert_eq!(pair("90", &[3.0_f64.to_bits()], "F2F.F16.F64 R0, R2") as u32, 0x4200);
    assert_eq!(one("75", &[THREE], "F2F.F16.F32 R0, R1"), 0x4200);
    assert_eq!(one("80", &[THREE], "F2F.BF16.F32 R0, R1"), 0x4040);
    assert_eq!(one("90", &[0x4040_0000], "F2F.FTZ.F32.BF16 R0, R1.H1"), THREE);
    assert_eq!(one("75", &[0x4020_0000], "FRND R0, R1"), TWO);
    assert_eq!(one("75", &[0x4020_0000], "FRND.CEIL R0, R1"), THREE);
    assert_eq!(
        pair("80", &[2.5_f64.to_bits()], "FRND.F64.TRUNC R0, R2"),
        2.0_f64.to_bits()
    );
    assert_eq!(one("80", &[ONE, TWO], "F2FP.PACK_AB R0, R1, R2"), 0x3c00_4000);
    assert_eq!(one("90", &[ONE, TWO], "F2FP.BF16.F32.PACK_AB R0, R1, R2"), 0x3f80_4000);
    assert_eq!(
        one("90", &[0xbf80_0000, 0x4200], "F2FP.RELU.F16.F32.MERGE_C R0, R1, R2"),
        0x4200_0000
    );
    // e4m3: 1.0 is 38, 2.0 is 40.
    assert_eq!(
        one(
            "90",
            &[ONE, TWO, 0x1234_5678],
            "F2FP.SATFINITE.E4M3.F32.PACK_AB_MERGE_C R0, R1, R2, R3"
        ),
        0x5678_3840
    );
    assert_eq!(
        one("100a", &[0x4038_0000], "F2FP.F16.E4M3.UNPACK_B R0, R1.H1"),
        0x4000_3c00
    );
    assert_eq!(
        one(
            "90",
            &[0x4000_3c00],
            "F2FP.SATFINITE.E4M3.F16.UNPACK_B_MERGE_C R0, R1, RZ"
        ),
        0x4038
    );
    assert_eq!(one("90", &[0x3f80_1001], "F2FP.TF32.F32.PACK_B R0, R1"), 0x3f80_2000);
}

#[test]
fn stochastic_conversions_take_the_upper_random_bits() {
    // Half an ulp of e4m3 above 1: the value goes up where the random bits carry. The lower half of the third operand moves up.
    let half_up = ONE + (1 << 19);
    let text = "F2FP.SATFINITE.E4M3.F32.PACK_AB_MERGE_C.RS R0, R1, R2, R3";
    assert_eq!(one("100a", &[half_up, half_up, 0x8000_7fff], text), 0x7fff_3939);
    assert_eq!(one("100a", &[half_up, half_up, 0x7fff_3939], text), 0x3939_3838);
}

#[test]
fn uniform_registers() {
    let code = ["UMOV UR6, 0x40000000", "UFADD UR7, UR6, 1", "MOV R0, UR7"];
    assert_eq!(words("sm_120", &code, [0]), [THREE]);
}
