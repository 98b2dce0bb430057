//! The interpreter of PTX.

use warpsmith_emu::ptx::{Device, Launch, Options, load, run};

/// Name, body of the loop that `%r10` counts down from `%r11`.
const KERNELS: [(&str, &str); 11] = [
    (
        "integers",
        "add.u32 %r1, %r1, %r2; xor.b32 %r2, %r2, %r1; mul.lo.u32 %r3, %r1, %r2; shr.u32 %r4, %r3, 3; mad.lo.u32 %r1, %r4, %r2, %r1;",
    ),
    (
        "floats",
        "fma.rn.f32 %f1, %f1, %f2, %f3; add.f32 %f2, %f2, %f1; mul.f32 %f3, %f3, %f2; fma.rn.f32 %f4, %f1, %f2, %f4;",
    ),
    (
        "shared",
        "ld.shared.u32 %r1, [%r5]; add.u32 %r2, %r2, %r1; st.shared.u32 [%r5], %r2;",
    ),
    (
        "global",
        "ld.global.u32 %r1, [%d1]; add.u32 %r2, %r2, %r1; st.global.u32 [%d1], %r2;",
    ),
    (
        "flushing",
        "fma.rn.ftz.f32 %f1, %f1, %f2, %f3; add.ftz.f32 %f2, %f2, %f1;",
    ),
    (
        "converting",
        "cvt.rn.f32.s32 %f1, %r0; cvt.rzi.s32.f32 %r1, %f1; max.f32 %f2, %f2, %f1; setp.lt.f32 %p1, %f1, %f2;",
    ),
    (
        "doubles",
        "fma.rn.f64 %g1, %g1, %g2, %g3; add.f64 %g2, %g2, %g1; mul.f64 %g3, %g3, %g2;",
    ),
    (
        "halves",
        "fma.rn.f16x2 %r1, %r2, %r3, %r4; add.f16x2 %r8, %r1, %r2; mul.f16x2 %r9, %r8, %r2;",
    ),
    (
        "vectors",
        "ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%d2]; st.global.v2.f32 [%d3], {%f1, %f2};",
    ),
    (
        "scattered",
        "ld.global.u32 %r1, [%d2]; ld.shared.u32 %r2, [%r7]; st.shared.u32 [%r7], %r1; st.global.u32 [%d2], %r2;",
    ),
    (
        "atomics",
        "atom.global.add.u32 %r1, [%d0], 1; red.shared.add.u32 [%r5], %r0;",
    ),
];

/// Runs all kernels.
pub(crate) fn measure(options: &Options) {
    for (name, body) in KERNELS {
        let text = format!(
            ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 out) {{
               .reg .b32 %r<12>; .reg .b64 %d<4>; .reg .f64 %g<4>; .reg .f32 %f<8>; .reg .pred %p<2>; .shared .b32 s[1024];
               ld.param.u64 %d0, [out]; mov.u32 %r0, %tid.x; mul.wide.u32 %d1, %r0, 4; add.u64 %d1, %d0, %d1;
               mov.u32 %r5, s; shl.b32 %r6, %r0, 2; add.u32 %r5, %r5, %r6;
               mov.f32 %f1, 0f3f800001; mov.f32 %f2, 0f3f000000; mov.f32 %f3, 0f3e800000; mov.f32 %f4, 0f3f800000;
               mul.wide.u32 %d2, %r0, 16; add.u64 %d2, %d0, %d2; mul.wide.u32 %d3, %r0, 8; add.u64 %d3, %d0, %d3;
               shl.b32 %r6, %r0, 4; mov.u32 %r7, s; add.u32 %r7, %r7, %r6; mov.u32 %r3, 0x3c003c01; mov.u32 %r4, 0x2c002c01;
               mov.f64 %g1, 0d3ff0000000000001; mov.f64 %g2, 0d3fe0000000000000; mov.f64 %g3, 0d3fd0000000000000;
               mov.u32 %r1, %r0; mov.u32 %r2, 0x30003001; mov.u32 %r10, 20000;
             loop: {body}
               sub.u32 %r10, %r10, 1; setp.ne.u32 %p0, %r10, 0; @%p0 bra loop;
               st.global.u32 [%d1], %r1; ret; }}"
        );
        let mut device = Device::new();
        let loaded = match load(&mut device, &warpsmith_ptx::parse(text.as_bytes()).module) {
            Ok(loaded) => loaded,
            Err(fault) => return println!("{fault}"),
        };
        let out = device.allocate(4096, 4);
        let launch = Launch {
            grid: [4, 1, 1],
            block: [256, 1, 1],
            arguments: vec![out.to_le_bytes().to_vec()],
            ..Launch::of("k")
        };
        super::timed(name, || {
            run(&mut device, &loaded, &launch, options)
                .map(|report| report.instructions)
                .map_err(|failure| failure.to_string())
        });
    }
}
