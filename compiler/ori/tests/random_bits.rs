//! Four narrow values rounded by random bits.

mod support;

use support::{START, agree_on, two_by_64};

#[test]
fn fours_rounded_by_random_bits() {
    for of in ["e4m3x4", "e5m2x4", "e2m3x4", "e3m2x4", "e2m1x4"] {
        for relu in ["", ".relu"] {
            let to = if of == "e2m1x4" { "%h1" } else { "%r20" };
            let widen = if of == "e2m1x4" { "cvt.u32.u16 %r20, %h1;" } else { "" };
            let body = format!(
                "{START} ld.global.v4.u32 {{%r10, %r11, %r12, %r13}}, [%d6]; cvt.rn.f32.s32 %f1, %r10; cvt.rn.f32.s32 %f2, %r11;
                cvt.rn.f32.s32 %f3, %r12; mul.f32 %f1, %f1, 0f2F800000; mul.f32 %f2, %f2, 0f31000000; mul.f32 %f3, %f3, 0f30000000;
                mul.f32 %f4, %f1, %f2; cvt.rs{relu}.satfinite.{of}.f32 {to}, {{%f1, %f2, %f3, %f4}}, %r13; {widen}
                st.global.u32 [%d5], %r20; ret;"
            );
            agree_on(&["sm_100a", "sm_103a"], "", &body, &two_by_64());
        }
    }
}
