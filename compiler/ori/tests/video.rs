//! Video instructions, on parts of registers.

mod support;

use support::agree_body;

#[test]
fn scalar_ones() {
    for line in [
        "vadd.s32.u32.s32.sat %r20, %r10.b1, %r11.h1, %r12",
        "vsub.u32.u32.u32.sat %r20.b2, %r10, %r11.h0, %r12",
        "vabsdiff.u32.s32.u32.add %r20, %r10, %r11, %r12",
        "vmin.s32.s32.u32 %r20.h1, %r10, %r11, %r12",
        "vmax.u32.u32.s32.max %r20, %r10, %r11, %r12",
        "vshl.u32.u32.u32.sat.clamp %r20, %r10, %r11.b0, %r12",
        "vshr.s32.s32.u32.wrap %r20, %r10, %r11.b3, %r12",
        "vset.s32.u32.lt %r20.b3, %r10, %r11, %r12",
        "vmad.s32.s32.u32.sat.shr7 %r20, %r10.h0, %r11.b1, %r12",
        "vmad.u32.u32.u32.po.shr15 %r20, %r10.h1, %r11.h0, %r12",
        "vmad.u32.u32.u32.sat %r20, %r10, %r11, %r12",
        "vmad.u32.u32.u32.sat.shr15.po %r20, %r10, %r11, %r12",
        "vmad.s32.u32.u32.sat.shr7 %r20, %r10, -%r11, %r12",
        "vmad.s32.u32.s32.sat %r20, %r10, %r11, %r12",
    ] {
        agree_body(&format!(
            "ld.global.v4.u32 {{%r10, %r11, %r12, %r13}}, [%d6]; {line}; st.global.u32 [%d5], %r20;"
        ));
    }
}

#[test]
fn packed_ones() {
    for line in [
        "vadd2.u32.u32.u32.sat %r20, %r10, %r11, %r12",
        "vsub4.s32.u32.s32.sat %r20.b20, %r10.b3210, %r11.b7531, %r12",
        "vavrg2.s32.s32.s32 %r20, %r10, %r11, %r12",
        "vabsdiff4.u32.u32.u32.add %r20, %r10, %r11, %r12",
        "vabsdiff4.u32.u32.u32 %r20, %r10, %r11, %r12",
        "vmin4.s32.s32.u32 %r20, %r10, %r11, %r12",
        "vset2.u32.s32.ge.add %r20, %r10, %r11, %r12",
    ] {
        agree_body(&format!(
            "ld.global.v4.u32 {{%r10, %r11, %r12, %r13}}, [%d6]; {line}; st.global.u32 [%d5], %r20;"
        ));
    }
}
