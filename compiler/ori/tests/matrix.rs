//! Matrices: products of every kind that has its own code, fragments, and moves.

mod support;

use support::{START, agree_on, two_by_64};

fn on(targets: &[&str], body: &str) {
    agree_on(targets, "", &format!("{START}\n{body}\nret;"), &two_by_64());
}

const FROM_80: [&str; 8] = [
    "sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_103", "sm_110", "sm_120",
];

/// Registers with small numbers as halves, whatever the thread.
const HALVES: &str = "and.b32 %r10, %r5, 7; add.u32 %r11, %r10, 1; cvt.rn.f16.u32 %h1, %r10; cvt.rn.f16.u32 %h2, %r11;
    mov.b32 %r12, {%h1, %h2}; mov.b32 %r13, {%h2, %h1};";

#[test]
fn products_of_halves() {
    on(
        &FROM_80,
        &format!(
            "{HALVES} mov.f32 %f1, 0f3f800000;
            mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {{%f2, %f3, %f4, %f5}}, {{%r12, %r13, %r12, %r13}}, {{%r13, %r12}}, {{%f1, %f1, %f1, %f1}};
            st.global.v4.f32 [%d5], {{%f2, %f3, %f4, %f5}};"
        ),
    );
}

/// Sums in registers of mere bits, as cicc declares them for sm_100, with constants between them, and results that nobody wants: sums of rows in FlashInfer.
/// (The constants were refused. ptxas 13.0.88 takes them, but adds the lower half of the double that each of them is.)
#[test]
fn sums_beside_constants() {
    on(
        &FROM_80,
        &format!(
            "{HALVES} mov.b32 %r14, 0f3f800000;
            mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {{%r15, _, %r16, %r17}}, {{%r12, %r13, %r12, %r13}}, {{%r13, %r12}}, {{%r14, 0., %r14, 1.5}};
            st.global.v4.f32 [%d5], {{%r15, 2.5, %r16, %r17}};"
        ),
    );
}

#[test]
fn products_of_small_integers() {
    for product in [
        "mma.sync.aligned.m8n8k16.row.col.satfinite.s32.s8.u8.s32",
        "mma.sync.aligned.m8n8k32.row.col.s32.s4.u4.s32",
        "mma.sync.aligned.m8n8k32.row.col.satfinite.s32.s4.s4.s32",
        "mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.xor.popc",
    ] {
        on(
            &support::TARGETS,
            &format!(
                "ld.global.v4.u32 {{%r10, %r11, %r12, %r13}}, [%d6];
                {product} {{%r20, %r21}}, {{%r10}}, {{%r11}}, {{%r12, %r13}}; st.global.v2.u32 [%d5], {{%r20, %r21}};"
            ),
        );
    }
}

#[test]
fn matrices_at_offsets_of_an_address() {
    let body = ".shared .align 16 .b8 tile[4096]; mov.u32 %r10, tile; shl.b32 %r11, %r4, 2; add.u32 %r11, %r10, %r11; st.shared.u32 [%r11], %r5; st.shared.u32 [%r11+2048], %r4;
        bar.sync 0; and.b32 %r12, %r4, 31; shl.b32 %r12, %r12, 4; add.u32 %r13, %r10, %r12; add.u32 %r14, %r13, 2048;
        ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r15}, [%r13]; ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r16}, [%r14]; st.global.v2.u32 [%d5], {%r15, %r16};";
    on(&support::TARGETS, body);
}

#[test]
fn doubles_in_tiles() {
    on(
        &["sm_90", "sm_100", "sm_120"],
        "cvt.rn.f64.u32 %g1, %r4; add.f64 %g2, %g1, %g1; mov.f64 %g3, 0d3ff0000000000000;
        mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%g4, %g5, %g6, %g7}, {%g1, %g2}, {%g3}, {%g3, %g3, %g3, %g3};
        add.f64 %g4, %g4, %g6; add.f64 %g5, %g5, %g7; st.global.v2.f64 [%d5], {%g4, %g5};",
    );
}

#[test]
fn fragments_in_every_layout() {
    for (shape, a, b) in [
        ("m16n16k16", "row", "col"),
        ("m8n32k16", "col", "row"),
        ("m32n8k16", "row", "row"),
    ] {
        for sums in ["row", "col"] {
            on(
                &support::TARGETS,
                &format!(
                    ".shared .align 32 .b8 m[2048]; {HALVES} mov.u32 %r14, m; shl.b32 %r15, %r4, 4; add.u32 %r14, %r14, %r15;
                    st.shared.v4.u32 [%r14], {{%r12, %r13, %r13, %r12}}; st.shared.v4.u32 [%r14+1024], {{%r12, %r12, %r13, %r12}}; bar.sync 0;
                    wmma.load.a.sync.aligned.{a}.{shape}.shared.f16 {{%r20, %r21, %r22, %r23, %r24, %r25, %r26, %r27}}, [m], 32;
                    wmma.load.b.sync.aligned.{b}.{shape}.shared.f16 {{%r30, %r31, %r32, %r33, %r34, %r35, %r36, %r37}}, [m+16], 32;
                    mov.f32 %f1, 0f00000000;
                    wmma.mma.sync.aligned.{a}.{b}.{shape}.f32.f32 {{%f2, %f3, %f4, %f5, %f6, %f7, %f8, %f9}},
                        {{%r20, %r21, %r22, %r23, %r24, %r25, %r26, %r27}}, {{%r30, %r31, %r32, %r33, %r34, %r35, %r36, %r37}},
                        {{%f1, %f1, %f1, %f1, %f1, %f1, %f1, %f1}};
                    shr.u32 %r16, %r5, 5; mul.wide.u32 %d10, %r16, 1024; add.u64 %d11, %d1, %d10;
                    setp.lt.u32 %p1, %r5, 32; @!%p1 bra done;
                    wmma.store.d.sync.aligned.{sums}.{shape}.global.f32 [%d1], {{%f2, %f3, %f4, %f5, %f6, %f7, %f8, %f9}}; done:"
                ),
            );
        }
    }
}

#[test]
fn fragments_at_generic_addresses() {
    on(
        &support::TARGETS,
        "mov.f32 %f1, 0f3f800000; cvt.rn.f32.u32 %f2, %r4; setp.lt.u32 %p1, %r5, 32; @!%p1 bra done;
        wmma.store.d.sync.aligned.row.m16n16k16.f32 [%d1], {%f1, %f2, %f2, %f1, %f2, %f1, %f1, %f2}; bar.warp.sync 0xffffffff;
        wmma.load.c.sync.aligned.col.m16n16k16.f32 {%f2, %f3, %f4, %f5, %f6, %f7, %f8, %f9}, [%d1]; bar.warp.sync 0xffffffff;
        wmma.store.d.sync.aligned.row.m16n16k16.f32 [%d1], {%f2, %f3, %f4, %f5, %f6, %f7, %f8, %f9}; done:",
    );
}

#[test]
fn moves_of_matrices() {
    on(
        &support::TARGETS,
        ".shared .align 16 .b8 m[1024]; mov.u32 %r14, m; shl.b32 %r15, %r4, 4; add.u32 %r14, %r14, %r15;
        st.shared.v4.u32 [%r14], {%r4, %r5, %r15, %r4}; bar.sync 0;
        ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%r20, %r21}, [%r14]; ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r22}, [%r14];
        movmatrix.sync.aligned.m8n8.trans.b16 %r23, %r20; st.global.v4.u32 [%d5], {%r20, %r21, %r22, %r23};",
    );
    on(
        &["sm_90", "sm_100", "sm_103", "sm_110", "sm_120"],
        ".shared .align 16 .b8 m[1024]; mov.u32 %r14, m; shl.b32 %r15, %r4, 4; add.u32 %r14, %r14, %r15;
        stmatrix.sync.aligned.m8n8.x4.shared.b16 [%r14], {%r4, %r5, %r15, %r4}; bar.sync 0;
        ld.shared.v4.u32 {%r20, %r21, %r22, %r23}, [%r14]; st.global.v4.u32 [%d5], {%r20, %r21, %r22, %r23};",
    );
}

#[test]
fn products_with_scales() {
    let elements = "ld.global.v4.u32 {%r10, %r11, %r12, %r13}, [%d6]; and.b32 %r10, %r10, 0x3b3b3b3b; and.b32 %r11, %r11, 0x3b3b3b3b;
        and.b32 %r12, %r12, 0x3b3b3b3b; and.b32 %r13, %r13, 0x3b3b3b3b; and.b32 %r14, %r12, 0x03020301; or.b32 %r14, %r14, 0x7c7d7e7c;
        and.b32 %r15, %r13, 0x01030203; or.b32 %r15, %r15, 0x7e7c7c7d; mov.u32 %r16, 0x44444444; mov.f32 %f1, 0f3f800000;
        ld.global.u32 %r17, [%d2]; and.b32 %r17, %r17, 2; cvt.u16.u32 %h1, %r17; add.u16 %h2, %h1, 1; shr.u16 %h3, %h1, 1;";
    let (a, b, wide) = ("{%r10, %r11, %r12, %r13}", "{%r11, %r12}", "{%r11, %r12, %r13, %r10}");
    for (product, b, more) in [
        (
            "mma.sync.aligned.m16n8k32.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X.f32.e4m3.e5m2.f32.ue8m0",
            b,
            "",
        ),
        (
            "mma.sync.aligned.m16n8k64.row.col.kind::mxf4.block_scale.scale_vec::2X.f32.e2m1.e2m1.f32.ue8m0",
            b,
            "",
        ),
        (
            "mma.sync.aligned.m16n8k64.row.col.kind::mxf4nvf4.block_scale.scale_vec::4X.f32.e2m1.e2m1.f32.ue4m3",
            b,
            "",
        ),
        (
            "mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.kind::mxf8f6f4.block_scale.f32.e4m3.e2m1.f32.ue8m0",
            wide,
            "%r16, 0, ",
        ),
        (
            "mma.sp::ordered_metadata.sync.aligned.m16n8k128.row.col.kind::mxf4.block_scale.f32.e2m1.e2m1.f32.ue8m0",
            wide,
            "%r16, 0, ",
        ),
    ] {
        let byte = if product.contains("4X") { "0" } else { "%h1" };
        for [of_a, of_b] in [
            [format!("{{{byte}, %h3}}"), format!("{{{byte}, 3}}")],
            ["{0, 1}".to_string(), "{0, 2}".to_string()],
            ["{0, %h3}".to_string(), format!("{{{byte}, %h2}}")],
        ] {
            let product = format!(
                "{product} {{%f2, %f3, %f4, %f5}}, {a}, {b}, {{%f1, %f1, %f1, %f1}}, {more}%r14, {of_a}, %r15, {of_b};"
            );
            on(
                &["sm_120a"],
                &format!("{elements} {product} st.global.v4.f32 [%d5], {{%f2, %f3, %f4, %f5}};"),
            );
        }
    }
}
