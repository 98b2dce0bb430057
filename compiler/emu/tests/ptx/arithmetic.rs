//! Arithmetic, conversions and moves.

use crate::support::{attempt, kernel, one};

/// The 32-bit result of instructions that leave it in `%r1`.
fn result(instructions: &str) -> u32 {
    one(&format!("{instructions} st.global.u32 [%d0], %r1;"), 1)[0]
}

/// The 64-bit result of instructions that leave it in `%d1`.
fn result64(instructions: &str) -> u64 {
    let words = one(&format!("{instructions} st.global.u64 [%d0], %d1;"), 2);
    u64::from(words[0]) | u64::from(words[1]) << 32
}

#[test]
fn integers_wrap_and_saturate() {
    assert_eq!(result("mov.u32 %r2, 0xffffffff; add.u32 %r1, %r2, 2;"), 1);
    assert_eq!(result("mov.u32 %r2, 0x7fffffff; add.sat.s32 %r1, %r2, 2;"), 0x7fff_ffff);
    assert_eq!(result("mov.u32 %r2, -7; div.s32 %r1, %r2, 2;"), -3_i32 as u32);
    assert_eq!(result("mov.u32 %r2, -7; rem.s32 %r1, %r2, 4;"), -3_i32 as u32);
    assert_eq!(
        result("mov.u32 %r2, 7; mov.u32 %r3, 0; div.u32 %r1, %r2, %r3;"),
        u32::MAX
    );
    assert_eq!(result("mov.u32 %r2, -5; shr.s32 %r1, %r2, 40;"), u32::MAX);
    assert_eq!(result("mov.u32 %r2, 5; shl.b32 %r1, %r2, 32;"), 0);
}

/// [`result`] of instructions that a family of targets has.
fn result_of_120f(instructions: &str) -> u32 {
    let kernel = kernel(&format!("{instructions} st.global.u32 [%d0], %r1;"));
    let text = format!(".version 9.5\n.target sm_120f\n.address_size 64\n{kernel}");
    let run = attempt(&text, &[0], (1, 1), &Default::default());
    run.unwrap_or_else(|fault| panic!("{fault}")).0[0]
}

#[test]
fn bytes_and_sums_that_saturate() {
    let words = "mov.u32 %r2, 0x7f80ff01; mov.u32 %r3, 0x01ff0203;";
    for (line, expected) in [
        ("add.u8x4 %r1, %r2, %r3;", 0x807f_0104),
        ("add.sat.u8x4 %r1, %r2, %r3;", 0x80ff_ff04),
        ("add.sat.s8x4 %r1, %r2, %r3;", 0x7f80_0104),
        ("sub.s8x4 %r1, %r2, %r3;", 0x7e81_fdfe),
        ("sub.sat.u8x4 %r1, %r2, %r3;", 0x7e00_fd00),
        ("min.u8x4 %r1, %r2, %r3;", 0x0180_0201),
        ("max.s8x4 %r1, %r2, %r3;", 0x7fff_0203),
        ("min.relu.s8x4 %r1, %r2, %r3;", 0x0100_0001),
        ("neg.s8x4 %r1, %r2;", 0x8180_01ff),
        ("add.sat.u32 %r1, %r2, 0x90000000;", 0xffff_ffff),
        ("add.sat.u16x2 %r1, %r2, %r3;", 0x817f_ffff),
        ("add.sat.s16x2 %r1, %r2, %r3;", 0x7fff_0104),
    ] {
        assert_eq!(result_of_120f(&format!("{words} {line}")), expected, "{line}");
    }
}

#[test]
fn products_without_carries() {
    let low =
        "mov.u64 %d2, 7; mov.u64 %d3, 7; mov.u64 %d4, 0x100; clmad.lo.u64 %d1, %d2, %d3, %d4; cvt.u32.u64 %r1, %d1;";
    assert_eq!(result_of_120f(low), 0x115);
    let high = "mov.u64 %d2, 0xc000000000000000; mov.u64 %d3, 5; clmad.hi.u64 %d1, %d2, %d3, 8; cvt.u32.u64 %r1, %d1;";
    assert_eq!(result_of_120f(high), 0xb);
}

#[test]
fn products() {
    assert_eq!(
        result("mov.u32 %r2, 0x80000001; mul.hi.u32 %r1, %r2, %r2;"),
        0x4000_0001
    );
    assert_eq!(result64("mov.u32 %r2, -3; mul.wide.s32 %d1, %r2, 5;"), -15_i64 as u64);
    assert_eq!(
        result64("mov.u32 %r2, 3; mov.u64 %d2, 10; mad.wide.u32 %d1, %r2, 5, %d2;"),
        25
    );
    assert_eq!(
        result64("mov.u64 %d2, 0xffffffffffffffff; mul.hi.u64 %d1, %d2, %d2;"),
        0xffff_ffff_ffff_fffe
    );
}

#[test]
fn carries_chain() {
    let sum = "mov.u32 %r2, 0xffffffff; mov.u32 %r3, 1; mov.u32 %r4, 5; mov.u32 %r5, 6;
        add.cc.u32 %r6, %r2, %r3; addc.u32 %r1, %r4, %r5;";
    assert_eq!(result(sum), 12);
    let difference = "mov.u32 %r2, 0; mov.u32 %r3, 1; mov.u32 %r4, 5;
        sub.cc.u32 %r6, %r2, %r3; subc.u32 %r1, %r4, 0;";
    assert_eq!(result(difference), 4);
}

#[test]
fn bits() {
    assert_eq!(result("mov.u32 %r2, 0xf0; popc.b32 %r1, %r2;"), 4);
    assert_eq!(result("mov.u32 %r2, 0xf0; clz.b32 %r1, %r2;"), 24);
    assert_eq!(result("mov.u32 %r2, 1; brev.b32 %r1, %r2;"), 0x8000_0000);
    assert_eq!(result("mov.u32 %r2, 0xabcd; bfe.u32 %r1, %r2, 4, 8;"), 0xbc);
    assert_eq!(
        result("mov.u32 %r2, 0xff; mov.u32 %r3, 0; bfi.b32 %r1, %r2, %r3, 8, 4;"),
        0xf00
    );
    assert_eq!(
        result("mov.u32 %r2, 0x12345678; prmt.b32 %r1, %r2, 0, 0x0123;"),
        0x7856_3412
    );
    assert_eq!(
        result("mov.u32 %r2, 12; mov.u32 %r3, 10; lop3.b32 %r1, %r2, %r3, 0, 0x3c;"),
        6
    );
    assert_eq!(
        result("mov.u32 %r2, 0x80000000; mov.u32 %r3, 1; shf.l.wrap.b32 %r1, %r2, %r3, 1;"),
        3
    );
}

#[test]
fn floats() {
    assert_eq!(
        result("mov.f32 %f1, 0f3f800000; add.f32 %f2, %f1, %f1; mov.b32 %r1, %f2;"),
        0x4000_0000
    );
    let fused = "mov.f32 %f1, 0f3f800001; mov.f32 %f2, 0fbf800002; fma.rn.f32 %f3, %f1, %f1, %f2; mov.b32 %r1, %f3;";
    assert_eq!(result(fused), 0x2880_0000);
    assert_eq!(
        result("mov.f32 %f1, 0f7f800000; sub.f32 %f2, %f1, %f1; mov.b32 %r1, %f2;"),
        0x7fff_ffff
    );
    assert_eq!(
        result("mov.f32 %f1, 0f3f800000; div.rz.f32 %f2, %f1, 0f40400000; mov.b32 %r1, %f2;"),
        0x3eaa_aaaa
    );
    assert_eq!(
        result("mov.f32 %f1, 0f00000001; add.ftz.f32 %f2, %f1, %f1; mov.b32 %r1, %f2;"),
        0
    );
    assert_eq!(
        result64("mov.f64 %g1, 2.0; sqrt.rn.f64 %g2, %g1; mov.b64 %d1, %g2;"),
        2.0_f64.sqrt().to_bits()
    );
    assert_eq!(result("mov.b32 %r2, 0x3c004000; add.f16x2 %r1, %r2, %r2;"), 0x4000_4400);
}

#[test]
fn conversions() {
    assert_eq!(
        result("mov.f32 %f1, 0fc0200000; cvt.rni.s32.f32 %r1, %f1;"),
        -2_i32 as u32
    );
    assert_eq!(result("mov.u32 %r2, 0x1ff; cvt.s32.s8 %r1, %r2;"), u32::MAX);
    assert_eq!(result("mov.u32 %r2, 300; cvt.sat.u8.u32 %r1, %r2;"), 255);
    assert_eq!(
        result("mov.u32 %r2, 3; cvt.rn.f32.u32 %f1, %r2; mov.b32 %r1, %f1;"),
        0x4040_0000
    );
    assert_eq!(
        result("mov.f32 %f1, 0f3f800000; mov.f32 %f2, 0f40000000; cvt.rn.f16x2.f32 %r1, %f1, %f2;"),
        0x3c00_4000
    );
}

/// PTX ISA, `cvt`: of the random bits the upper 16 go to the first two values, the lower 16 to the others; the first value goes to the top.
/// 1.0625 lies in the middle between 1 (0x38) and 1.125 (0x39) of e4m3: random bits of 0x8000 and more carry, others do not.
#[test]
fn stochastic_conversions_of_four_values() {
    let four = |random: u32| {
        result(&format!(
            "mov.f32 %f1, 0f3f880000; mov.f32 %f2, 0f40000000; mov.f32 %f3, 0f3f880000; mov.f32 %f4, 0fbf800000;
             mov.u32 %r2, {random:#x}; cvt.rs.satfinite.e4m3x4.f32 %r1, {{%f1, %f2, %f3, %f4}}, %r2;"
        ))
    };
    assert_eq!(four(0x8000_7fff), 0x3940_38b8);
    assert_eq!(four(0x7fff_8000), 0x3840_39b8);
}

/// PTX ISA, `rsqrt.approx.ftz.f64`: the lower 32 bits are zero there, and only there. 1/√2 is 0x3fe6a09e667f3bcd.
#[test]
fn reciprocal_square_roots_of_doubles() {
    let root = |name: &str| result64(&format!("mov.f64 %g1, 2.0; {name} %g2, %g1; mov.b64 %d1, %g2;"));
    assert_eq!(root("rsqrt.approx.f64"), 0x3fe6_a09e_667f_3bcd);
    assert_eq!(root("rsqrt.approx.ftz.f64") as u32, 0);
}

#[test]
fn comparisons_and_selection() {
    assert_eq!(
        result("mov.u32 %r2, -1; setp.lt.s32 %p1, %r2, 0; selp.u32 %r1, 7, 9, %p1;"),
        7
    );
    assert_eq!(
        result("mov.u32 %r2, -1; setp.lt.u32 %p1, %r2, 0; selp.u32 %r1, 7, 9, %p1;"),
        9
    );
    let both = "mov.u32 %r2, 5; setp.gt.u32 %p1|%p2, %r2, 4; selp.u32 %r3, 1, 0, %p1; selp.u32 %r4, 2, 0, %p2; or.b32 %r1, %r3, %r4;";
    assert_eq!(result(both), 1);
    let combined = "setp.eq.u32 %p1, 0, 0; mov.u32 %r2, 5; setp.eq.and.u32 %p2, %r2, 5, !%p1; selp.u32 %r1, 1, 0, %p2;";
    assert_eq!(result(combined), 0);
    assert_eq!(
        result("mov.f32 %f1, 0f7fc00000; set.neu.u32.f32 %r1, %f1, %f1;"),
        u32::MAX
    );
    assert_eq!(result("mov.u32 %r2, -1; slct.u32.s32 %r1, 1, 2, %r2;"), 2);
}

#[test]
fn packing() {
    assert_eq!(
        result("mov.u32 %r2, 0x12345678; mov.b32 {%h1, %h2}, %r2; mov.b32 %r1, {%h2, %h1};"),
        0x5678_1234
    );
    assert_eq!(
        result64("mov.u32 %r1, 1; mov.u32 %r2, 2; mov.b64 %d1, {%r1, %r2};"),
        0x2_0000_0001
    );
    assert_eq!(
        result64(
            "mov.u64 %d4, 5; mov.u64 %d5, 6; mov.b128 %q1, {%d4, %d5}; mov.b128 {%d2, %d3}, %q1; add.u64 %d1, %d2, %d3;"
        ),
        11
    );
}

#[test]
fn approximations_are_the_ones_of_numerics() {
    assert_eq!(
        result("mov.f32 %f1, 0f40800000; rsqrt.approx.f32 %f2, %f1; mov.b32 %r1, %f2;"),
        0x3f00_0000
    );
    assert_eq!(
        result("mov.f32 %f1, 0f40400000; ex2.approx.f32 %f2, %f1; mov.b32 %r1, %f2;"),
        0x4100_0000
    );
}

#[test]
fn video() {
    assert_eq!(result("mov.u32 %r2, 0x00ff0000; vadd.s32.u32.u32 %r1, %r2.b2, 1;"), 256);
    assert_eq!(
        result(
            "mov.u32 %r2, 0x00010002; mov.u32 %r3, 0x00030004; mov.u32 %r4, 0; vadd2.u32.u32.u32 %r1, %r2, %r3, %r4;"
        ),
        0x0004_0006
    );
    assert_eq!(
        result("mov.u32 %r2, 3; mov.u32 %r3, 4; mov.u32 %r4, 5; vmad.u32.u32.u32 %r1, %r2, %r3, %r4;"),
        17
    );
}
