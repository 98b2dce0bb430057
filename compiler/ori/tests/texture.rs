//! Textures, samplers and surfaces, by handle and by name: the PTX in the interpreter, the cubin in the emulator in checked mode.

mod support;

use support::TARGETS;
use warpsmith_emu::{
    Device, Launch, Options, ptx, sass,
    texture::{AddressMode, ChannelKind, Filter, Format, Geometry, Image, Sampler, Shape, Storage},
};
use warpsmith_target::Sm;

const OUT: u64 = 64 * 16;

const F32: Format = Format {
    kind: ChannelKind::Float,
    bits: 32,
    channels: 4,
};

fn smooth() -> Sampler {
    Sampler {
        normalised: true,
        filter: Filter::Linear,
        mip_filter: Filter::Linear,
        address: [AddressMode::Mirror; 3],
        ..Sampler::default()
    }
}

/// Images, and the handles of a texture, a sampler and a surface.
fn prepare(device: &mut Device, geometry: Geometry) -> [u64; 3] {
    let size = match geometry {
        Geometry::Line | Geometry::Lines => [8, 1, 1],
        Geometry::Volume => [8, 8, 8],
        _ => [8, 8, 1],
    };
    let mut shape = Shape::new(geometry, size);
    shape.layers = match geometry {
        Geometry::Lines | Geometry::Planes => 4,
        Geometry::Cube => 6,
        Geometry::Cubes => 12,
        _ => 1,
    };
    shape.levels = 4;
    let bytes = (0..4 * shape.all_texels() as u32).flat_map(|i| ((i.wrapping_mul(37) % 101) as f32).to_le_bytes());
    let image = Image::new(shape, F32, Storage::Array(bytes.collect())).expect("the image is right");
    let image = device.create_image(image).expect("the host has memory");
    let texture = device.create_texture(image, F32, smooth()).expect("a texture");
    let sampler = Sampler {
        filter: Filter::Point,
        address: [AddressMode::Wrap; 3],
        ..smooth()
    };
    let sampler = device.create_sampler(sampler).expect("a sampler");
    let plane = Shape::new(Geometry::Plane, [64, 8, 1]);
    let surface = Image::new(plane, F32, Storage::Array(vec![0; 64 * 8 * 16])).expect("the image is right");
    let surface = device.create_image(surface).expect("the host has memory");
    let surface = device.create_surface(surface, 0).expect("a surface");
    [texture, sampler, surface]
}

/// Kernel `k(.u64 out, .u64 texture, .u64 sampler, .u64 surface)` with a body in both; the names `image`, `how` and `result` are bound.
fn agree_on(targets: &[&str], geometry: Geometry, independent: bool, body: &str) {
    for target in targets {
        let (mode, sampler) = match independent {
            true => (", texmode_independent", ".global .samplerref how;"),
            false => ("", ""),
        };
        let text = format!(
            ".version 9.0\n.target {target}{mode}\n.address_size 64\n.global .texref image; .global .surfref result; {sampler}
            .visible .entry k(.param .u64 out, .param .u64 texture, .param .u64 sampler, .param .u64 surface) {{
            .reg .b64 %d<20>; .reg .b32 %r<40>; .reg .f32 %f<40>; .reg .b16 %h<9>; .reg .pred %p<4>;
            ld.param.u64 %d1, [out]; ld.param.u64 %d2, [texture]; ld.param.u64 %d3, [sampler]; ld.param.u64 %d4, [surface];
            mov.u32 %r1, %tid.x; mul.wide.u32 %d5, %r1, 16; add.u64 %d1, %d1, %d5;
            and.b32 %r2, %r1, 7; shr.u32 %r3, %r1, 3; and.b32 %r4, %r1, 3; cvt.rn.f32.u32 %f1, %r1; cvt.rn.f32.u32 %f2, %r3;
            mul.f32 %f3, %f1, 0f3D0A3D71; mul.f32 %f4, %f2, 0f3E19999A; sub.f32 %f5, %f3, %f4; sub.f32 %f6, 0f3F000000, %f3;
            {body}
            ret; }}\n"
        );
        let parsed = warpsmith_ptx::parse(text.as_bytes());
        assert!(parsed.problems.is_empty(), "{target}: {:?}", parsed.problems);
        let launch = |out: u64, handles: [u64; 3]| Launch {
            block: [64, 1, 1],
            arguments: [&[out][..], &handles]
                .concat()
                .iter()
                .map(|v| v.to_le_bytes().to_vec())
                .collect(),
            ..Launch::of("k")
        };
        let bind = |device: &mut Device, handles: [u64; 3], variable: &dyn Fn(&str) -> Option<(u64, u64)>| {
            for (name, handle) in ["image", "how", "result"].iter().zip(handles) {
                if let Some((address, _)) = variable(name) {
                    assert_eq!(device.write(address, &handle.to_le_bytes()), Ok(()));
                }
            }
        };
        let mut device = Device::new();
        let loaded = ptx::load(&mut device, &parsed.module).expect("the module loads");
        let handles = prepare(&mut device, geometry);
        bind(&mut device, handles, &|name| loaded.variable(name));
        let out = device.allocate(OUT, 256);
        if let Err(fault) = ptx::run(&mut device, &loaded, &launch(out, handles), &Options::default()) {
            panic!("{target}: interpreter: {fault}\n{body}");
        }
        let expected = device.read(out, OUT).expect("the buffer is there");

        let sm: Sm = target.parse().expect("a known target");
        let cubin = warpsmith_ori::compile(&parsed.module, sm).unwrap_or_else(|e| panic!("{target}: {}\n{body}", e[0]));
        let cubin = warpsmith_cubin::Cubin::read(&cubin.write()).expect("the cubin reads back");
        let mut device = Device::new();
        let loaded = sass::load(&mut device, &cubin).unwrap_or_else(|e| panic!("{target}: {e}"));
        let handles = prepare(&mut device, geometry);
        bind(&mut device, handles, &|name| loaded.variable(name));
        let out = device.allocate(OUT, 256);
        let options = Options {
            check_hazards: true,
            ..Options::default()
        };
        if let Err(fault) = sass::run(&mut device, &loaded, &launch(out, handles), &options) {
            panic!("{target}: {fault}\n{body}");
        }
        let found = device.read(out, OUT).expect("the buffer is there");
        assert_eq!(expected, found, "{target}\n{body}");
        assert!(
            expected.iter().any(|byte| *byte != 0),
            "{target}: nothing was read\n{body}"
        );
    }
}

const STORE: &str = "st.global.v4.f32 [%d1], {%f10, %f11, %f12, %f13};";
const TEXELS: &str = "{%f10, %f11, %f12, %f13}";

#[test]
fn samplers_of_their_own() {
    for fetch in [
        format!("tex.2d.v4.f32.f32 {TEXELS}, [image, how, {{%f3, %f4}}];"),
        format!("tex.2d.v4.f32.f32 {TEXELS}, [%d2, %d3, {{%f3, %f4}}];"),
        format!("mov.u64 %d6, image; mov.u64 %d7, how; tex.2d.v4.f32.f32 {TEXELS}, [%d6, %d7, {{%f3, %f4}}];"),
        format!("tex.2d.v4.f32.f32 {TEXELS}, [image, %d3, {{%f3, %f4}}];"),
        format!("tex.2d.v4.f32.f32 {TEXELS}, [%d2, how, {{%f3, %f4}}];"),
        format!("tld4.g.2d.v4.f32.f32 {TEXELS}, [image, how, {{%f3, %f4}}];"),
        format!("tex.level.2d.v4.f32.f32 {TEXELS}, [%d2, how, {{%f3, %f4}}], %f1, {{%r2, %r3}}, %f5;"),
        format!(
            "mov.f32 %f7, 0f3E000000; tex.grad.2d.v4.f32.f32 {TEXELS}, [image, %d3, {{%f3, %f4}}], {{%f7, %f6}}, {{%f6, %f7}};"
        ),
    ] {
        agree_on(&TARGETS, Geometry::Plane, true, &format!("{fetch} {STORE}"));
    }
}

#[test]
fn handles_that_lanes_have_apart() {
    let choice =
        "and.b32 %r5, %r1, 1; setp.eq.u32 %p1, %r5, 0; setp.lt.u32 %p2, %r1, 9; mov.u64 %d6, image; mov.u64 %d7, how;
        selp.b64 %d7, %d3, %d7, %p1; selp.b64 %d6, %d2, %d6, %p2;";
    let fetch = format!("{choice} tex.2d.v4.f32.f32 {TEXELS}, [%d6, %d7, {{%f3, %f4}}]; {STORE}");
    agree_on(&TARGETS, Geometry::Plane, true, &fetch);
}

#[test]
fn offsets_and_comparisons() {
    for fetch in [
        format!("tex.2d.v4.f32.f32 {TEXELS}, [image, {{%f3, %f4}}], {{%r2, %r3}};"),
        format!("tex.2d.v4.f32.f32 {TEXELS}, [%d2, {{%f3, %f4}}], {{%r2, 3}}, %f1;"),
        format!("tex.2d.v4.f32.f32 {TEXELS}, [image, {{%f3, %f4}}], %f1;"),
        format!("tld4.r.2d.v4.f32.f32 {TEXELS}, [%d2, {{%f3, %f4}}], {{%r2, %r3}};"),
        format!("tld4.b.2d.v4.f32.f32 {TEXELS}, [%d2, {{%f3, %f4}}], {{%r2, %r3}}, %f1;"),
        format!("tex.grad.2d.v4.f32.f32 {TEXELS}, [image, {{%f3, %f4}}], {{%f5, %f6}}, {{%f6, %f5}}, {{%r2, %r3}};"),
        format!("tex.level.2d.v4.f32.f32 {TEXELS}, [image, {{%f3, %f4}}], %f5, {{%r2, %r3}}, %f1;"),
        format!("tex.2d.v4.f32.s32 {TEXELS}, [image, {{%r2, %r3}}], {{%r3, 2}};"),
        format!("tex.level.2d.v4.f32.s32 {TEXELS}, [image, {{%r2, %r3}}], %r4, {{1, %r3}};"),
        format!("tex.base.2d.v4.f32.f32 {TEXELS}, [image, {{%f3, %f4}}];"),
    ] {
        agree_on(&TARGETS, Geometry::Plane, false, &format!("{fetch} {STORE}"));
    }
    for fetch in [
        format!("tex.3d.v4.f32.f32 {TEXELS}, [image, {{%f3, %f4, %f5, %f5}}], {{%r2, %r3, 1, 0}};"),
        format!("tex.3d.v4.f32.s32 {TEXELS}, [image, {{%r2, %r3, %r4, %r4}}], {{1, %r4, 2, 0}};"),
        format!("tex.level.3d.v4.f32.s32 {TEXELS}, [%d2, {{%r2, %r3, %r4, %r4}}], %r4, {{1, %r4, 2, 0}};"),
    ] {
        agree_on(&TARGETS, Geometry::Volume, false, &format!("{fetch} {STORE}"));
    }
}

/// What `TXD` has no form for is a call of the system from sm_90 on.
#[test]
fn gradients_by_the_system() {
    let targets = ["sm_90", "sm_100", "sm_103", "sm_110", "sm_120"];
    for (geometry, independent, fetch) in [
        (
            Geometry::Volume,
            false,
            "tex.grad.3d.v4.f32.f32 {%f10, %f11, %f12, %f13}, [image, {%f3, %f4, %f5, %f5}], {%f5, %f6, %f3, %f3}, {%f6, %f3, %f5, %f5};",
        ),
        (
            Geometry::Volume,
            true,
            "tex.grad.3d.v4.f32.f32 {%f10, %f11, %f12, %f13}, [image, how, {%f3, %f4, %f5, %f5}], {%f5, %f6, %f3, %f3}, {%f6, %f3, %f5, %f5}, {%r4, 1, 2, 0};",
        ),
        (
            Geometry::Volume,
            false,
            "mov.f32 %f13, %f3; setp.lt.u32 %p1, %r1, 20; mov.f32 %f10, %f4; mov.f32 %f11, %f4; mov.f32 %f12, %f4;
            @%p1 tex.grad.3d.v4.f32.f32 {%f10, %f11, %f12, %f13}|%p2, [%d2, {%f3, %f4, %f5, %f5}], {%f5, %f6, %f3, %f3}, {%f6, %f3, %f5, %f5}; @%p1 selp.f32 %f13, %f1, %f6, %p2;",
        ),
        (
            Geometry::Cube,
            false,
            "tex.grad.cube.v4.f32.f32 {%f10, %f11, %f12, %f13}, [image, {%f5, %f6, %f4, %f4}], {%f5, %f6, %f3, %f3}, {%f6, %f3, %f5, %f5};",
        ),
        (
            Geometry::Cubes,
            false,
            "tex.grad.acube.v4.f32.f32 {%f10, %f11, %f12, %f13}, [%d2, {%r4, %f5, %f6, %f4}], {%f5, %f6, %f3, %f3}, {%f6, %f3, %f5, %f5}, %f1;",
        ),
        (
            Geometry::Plane,
            false,
            "tex.grad.2d.v4.f32.f32 {%f10, %f11, %f12, %f13}, [image, {%f3, %f4}], {%f5, %f6}, {%f6, %f3}, %f1;",
        ),
        (
            Geometry::Planes,
            true,
            "tex.grad.a2d.v4.f32.f32 {%f10, %f11, %f12, %f13}, [image, how, {%r4, %f3, %f4, %f4}], {%f5, %f6}, {%f6, %f3}, {%r4, 1}, %f1;",
        ),
        (
            Geometry::Line,
            false,
            "tex.grad.1d.v4.f32.f32 {%f10, %f11, %f12, %f13}, [image, {%f3}], {%f5}, {%f6}, %f1;",
        ),
    ] {
        agree_on(&targets, geometry, independent, &format!("{fetch} {STORE}"));
    }
    agree_on(
        &targets,
        Geometry::Volume,
        false,
        "tex.grad.3d.v2.f16x2.f32 {%r2, %r3}, [image, {%f3, %f4, %f5, %f5}], {%f5, %f6, %f3, %f3}, {%f6, %f3, %f5, %f5}; st.global.v2.u32 [%d1], {%r2, %r3};",
    );
}

/// Places and gradients that are sums of few powers of two, so that nothing is rounded where a place is moved along them: up to sm_89 lanes fetch for each other
/// what `TXD` has no form for.
const EXACT: &str = "
    and.b32 %r5, %r1, 7; cvt.rn.f32.u32 %f20, %r5; mul.f32 %f20, %f20, 0f3D800000; add.f32 %f20, %f20, 0f3C800000;
    cvt.rn.f32.u32 %f21, %r3; mul.f32 %f21, %f21, 0f3D000000; sub.f32 %f22, 0f3F400000, %f20;
    shl.b32 %r5, %r4, 23; add.u32 %r5, %r5, 0x3d000000; mov.b32 %f23, %r5; and.b32 %r6, %r3, 3; shl.b32 %r6, %r6, 23; add.u32 %r6, %r6, 0x3c800000;
    mov.b32 %f24, %r6; neg.f32 %f25, %f23; mov.f32 %f26, 0f00000000;
    mov.f32 %f10, %f20; mov.f32 %f11, %f21; mov.f32 %f12, %f22; mov.f32 %f13, %f23;
    mov.b16 %h1, 1; mov.b16 %h2, 2; mov.b16 %h3, 3; mov.b16 %h4, 4;";

/// The fetches, by geometry.
const BEYOND_SLOPES: [(Geometry, &str); 9] = [
    (
        Geometry::Volume,
        "tex.grad.3d.v4.f32.f32 {%f10, %f11, %f12, %f13}, [%d2, {%f20, %f21, %f22, %f22}], {%f23, %f26, %f24, %f26}, {%f26, %f24, %f25, %f26};",
    ),
    (
        Geometry::Volume,
        "tex.grad.3d.v4.f32.f32 {%f10, %f11, %f12, %f13}, [image, {%f22, %f21, %f20, %f22}], {%f26, %f26, %f24, %f26}, {%f23, %f26, %f26, %f26}, {%r4, 1, %r3, 0};",
    ),
    (
        Geometry::Volume,
        "tex.grad.3d.v4.f16.f32 {%h1, %h2, %h3, %h4}, [image, {%f20, %f21, %f22, %f22}], {%f23, %f26, %f24, %f26}, {%f26, %f24, %f25, %f26};
         cvt.f32.f16 %f10, %h1; cvt.f32.f16 %f11, %h2; cvt.f32.f16 %f12, %h3; cvt.f32.f16 %f13, %h4;",
    ),
    (
        Geometry::Cube,
        "mov.f32 %f27, 0f3F800000; tex.grad.cube.v4.f32.f32 {%f10, %f11, %f12, %f13}, [image, {%f20, %f22, %f27, %f27}], {%f26, %f24, %f26, %f26}, {%f25, %f26, %f26, %f26};",
    ),
    (
        Geometry::Cubes,
        "mov.f32 %f27, 0fBF800000; tex.grad.acube.v4.f32.f32 {%f10, %f11, %f12, %f13}, [%d2, {%r4, %f27, %f20, %f22}], {%f26, %f24, %f26, %f26}, {%f26, %f26, %f25, %f26}, %f1;",
    ),
    (
        Geometry::Plane,
        "tex.grad.2d.v4.f32.f32 {%f10, %f11, %f12, %f13}, [image, {%f20, %f21}], {%f23, %f26}, {%f26, %f24}, %f1;",
    ),
    (
        Geometry::Planes,
        "tex.grad.a2d.v4.f32.f32 {%f10, %f11, %f12, %f13}, [image, {%r4, %f20, %f21, %f21}], {%f23, %f26}, {%f25, %f24}, {%r4, 1}, %f1;",
    ),
    (
        Geometry::Line,
        "tex.grad.1d.v4.f32.f32 {%f10, %f11, %f12, %f13}, [%d2, {%f20}], {%f23}, {%f24}, %f1;",
    ),
    (
        Geometry::Lines,
        "tex.grad.a1d.v4.f32.f32 {%f10, %f11, %f12, %f13}, [image, {%r4, %f20}], {%f23}, {%f24}, {%r3}, %f1;",
    ),
];

#[test]
fn gradients_beyond_slopes() {
    for (geometry, fetch) in BEYOND_SLOPES {
        agree_on(&TARGETS, geometry, false, &format!("{EXACT} {fetch} {STORE}"));
    }
    let fetch = "mov.u64 %d6, image; mov.u64 %d7, how; setp.lt.u32 %p1, %r4, 2; selp.b64 %d7, %d3, %d7, %p1;
        tex.grad.3d.v4.f32.f32 {%f10, %f11, %f12, %f13}, [%d6, %d7, {%f20, %f21, %f22, %f22}], {%f23, %f26, %f24, %f26}, {%f26, %f24, %f25, %f26};";
    agree_on(&TARGETS, Geometry::Volume, true, &format!("{EXACT} {fetch} {STORE}"));
}

/// What one fetch has as a coordinate, a word of its operands, another one has as a gradient.
#[test]
fn gradients_that_are_words_of_other_operands() {
    let fetches = "tex.grad.a1d.v4.f32.f32 {%f10, %f11, %f12, %f13}, [image, {%r4, %f20}], {%f23}, {%f24}, %f1;
        tex.grad.a1d.v4.f32.f32 {%f14, %f15, %f16, %f17}, [image, {%r3, %f23}], {%f20}, {%f24}, %f2;
        add.f32 %f10, %f10, %f14; add.f32 %f11, %f11, %f15;";
    agree_on(&TARGETS, Geometry::Lines, false, &format!("{EXACT} {fetches} {STORE}"));
}

/// Lanes that do not fetch, in each quad others, lose nothing: not those that are elsewhere with values of their own, nor do they need a handle.
#[test]
fn lanes_that_help_lose_nothing() {
    let asks = "mul.lo.u32 %r7, %r1, 0x9E3779B1; shr.u32 %r7, %r7, 29; setp.lt.u32 %p1, %r7, 5;";
    let values: String = (10..60)
        .map(|index| format!("mad.lo.u32 %q{index}, %r1, {index}, 0x{index}3;"))
        .collect();
    let sum: String = (10..60).map(|index| format!("add.u32 %q0, %q0, %q{index};")).collect();
    for (geometry, fetch) in BEYOND_SLOPES {
        let guarded = fetch.replace("tex.grad", "@%p1 tex.grad");
        let handle = "selp.b64 %d2, %d2, 0xdeadbeefdeadbeef, %p1;";
        agree_on(
            &TARGETS,
            geometry,
            false,
            &format!("{EXACT} {asks} {handle} {guarded} {STORE}"),
        );
        let elsewhere = format!(
            "{EXACT} {asks} .reg .b32 %q<60>; mov.u32 %q0, 1; {values} @!%p1 bra apart; bar.sync 0; {fetch} bar.sync 1; {STORE} bra end;
            apart: xor.b32 %q20, %q20, %q11; bar.sync 0; bar.sync 1; {sum} st.global.u32 [%d1], %q0; end:"
        );
        agree_on(&TARGETS, geometry, false, &elsewhere);
        let ended = format!("{EXACT} {asks} @!%p1 exit; {fetch} {STORE}");
        agree_on(&TARGETS, geometry, false, &ended);
    }
}

/// Registers that helping lanes write are kept free in functions that are called, too; where others' functions run that cannot be.
#[test]
fn helping_lanes_and_calls() {
    let kernel = |callee: &str, call: &str| {
        format!(
            ".version 9.0\n.target sm_80\n.address_size 64\n{callee}
            .visible .entry k(.param .u64 out, .param .u64 texture) {{
            .reg .b64 %d<9>; .reg .b32 %r<9>; .reg .f32 %f<9>; .reg .pred %p<2>; .param .b32 a; .param .b32 b;
            ld.param.u64 %d1, [out]; ld.param.u64 %d2, [texture]; mov.f32 %f1, 0f3E800000; mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 3;
            st.param.b32 [a], %r1; @%p1 bra calls;
            tex.grad.3d.v4.f32.f32 {{%f2, %f3, %f4, %f5}}, [%d2, {{%f1, %f1, %f1, %f1}}], {{%f1, %f1, %f1, %f1}}, {{%f1, %f1, %f1, %f1}};
            st.global.f32 [%d1], %f2; ret;
            calls: {call} ld.param.b32 %r2, [b]; st.global.u32 [%d1], %r2; ret; }}"
        )
    };
    let compiled = |text: &str| {
        let parsed = warpsmith_ptx::parse(text.as_bytes());
        assert!(parsed.problems.is_empty(), "{:?}", parsed.problems);
        warpsmith_ori::compile(&parsed.module, "sm_80".parse().expect("a known target"))
    };
    let recursive = ".func (.param .b32 r) f(.param .b32 a) { .reg .b32 %r<40>; .reg .pred %p<2>; .param .b32 x; .param .b32 y;
        ld.param.u32 %r1, [a]; setp.eq.u32 %p1, %r1, 0; @%p1 bra end; sub.u32 %r2, %r1, 1; st.param.b32 [x], %r2; call (y), f, (x);
        ld.param.b32 %r3, [y]; mad.lo.u32 %r1, %r3, %r1, %r2; end: st.param.b32 [r], %r1; ret; }";
    let call = "call (b), f, (a);";
    assert!(compiled(&kernel(recursive, call)).is_ok());
    let system = ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 v);";
    let call =
        "{ .param .b64 f; .param .b64 v; st.param.b64 [f], %d1; st.param.b64 [v], %d1; call (b), vprintf, (f, v); }";
    let refused = compiled(&kernel(system, call)).expect_err("printf runs, too");
    let text = kernel(system, call);
    assert!(text[refused[0].span.start as usize..].starts_with("tex.grad.3d"));
    assert!(
        refused[0].message.contains("functions that are not in the file"),
        "{}",
        refused[0].message
    );
    let narrow =
        kernel("", "st.param.b32 [b], 1;").replace(".param .u64 texture) {", ".param .u64 texture) .maxnreg 32 {");
    // A limit that leaves no room is raised.
    let parsed = warpsmith_ptx::parse(narrow.as_bytes());
    let sm = "sm_80".parse().expect("a known target");
    let output = warpsmith_ori::compile_with_options(&parsed.module, sm, &warpsmith_ori::Options::default());
    let function = &output.expect("there is room").functions[0];
    assert_eq!(function.registers, 42);
    assert!(
        function.advice[0].1.contains("of 32 to lower bound of 42"),
        "{:?}",
        function.advice
    );
}

#[test]
fn lines_layers_and_cubes() {
    for (geometry, fetch) in [
        (
            Geometry::Line,
            format!("tex.1d.v4.f32.f32 {TEXELS}, [image, {{%f3}}], {{%r2}}, %f1;"),
        ),
        (
            Geometry::Line,
            format!("tex.1d.v4.f32.s32 {TEXELS}, [image, {{%r2}}], {{%r4}};"),
        ),
        (
            Geometry::Line,
            format!("tex.grad.1d.v4.f32.f32 {TEXELS}, [image, {{%f3}}], {{%f5}}, {{%f6}}, {{%r4}};"),
        ),
        (
            Geometry::Lines,
            format!("tex.a1d.v4.f32.f32 {TEXELS}, [image, {{%r4, %f3}}], {{%r2}};"),
        ),
        (
            Geometry::Lines,
            format!("tex.level.a1d.v4.f32.s32 {TEXELS}, [image, {{%r4, %r2}}], %r4, {{%r4}};"),
        ),
        (
            Geometry::Lines,
            format!("tex.grad.a1d.v4.f32.f32 {TEXELS}, [image, {{%r4, %f3}}], {{%f5}}, {{%f6}}, {{%r4}};"),
        ),
        (
            Geometry::Planes,
            format!("tex.a2d.v4.f32.f32 {TEXELS}, [image, {{%r4, %f3, %f4, %f4}}], {{%r2, %r3}}, %f1;"),
        ),
        (
            Geometry::Planes,
            format!("tex.level.a2d.v4.f32.s32 {TEXELS}, [%d2, {{%r4, %r2, %r3, %r3}}], %r4, {{%r4, 1}};"),
        ),
        (
            Geometry::Planes,
            format!("tld4.a.a2d.v4.f32.f32 {TEXELS}, [%d2, {{%r4, %f3, %f4, %f4}}], {{%r4, 1}};"),
        ),
        (
            Geometry::Planes,
            format!(
                "tex.grad.a2d.v4.f32.f32 {TEXELS}, [%d2, {{%r4, %f3, %f4, %f4}}], {{%f5, %f6}}, {{%f6, %f5}}, {{%r4, 1}};"
            ),
        ),
        (
            Geometry::Cube,
            format!("tex.cube.v4.f32.f32 {TEXELS}, [image, {{%f5, %f6, %f4, %f4}}], %f1;"),
        ),
        (
            Geometry::Cubes,
            format!("tex.level.acube.v4.f32.f32 {TEXELS}, [image, {{%r4, %f5, %f6, %f4}}], %f5, %f1;"),
        ),
        (
            Geometry::Cubes,
            format!("tld4.g.acube.v4.f32.f32 {TEXELS}, [image, {{%r4, %f5, %f6, %f4}}], %f1;"),
        ),
    ] {
        agree_on(&TARGETS, geometry, false, &format!("{fetch} {STORE}"));
    }
}

#[test]
fn halves_and_residency() {
    for fetch in [
        "tex.2d.v4.f16.f32 {%h1, %h2, %h3, %h4}, [image, {%f3, %f4}]; st.global.v4.b16 [%d1], {%h1, %h2, %h3, %h4};",
        "tex.2d.v2.f16x2.f32 {%r10, %r11}, [%d2, {%f3, %f4}], {%r2, %r3}; st.global.v2.b32 [%d1], {%r10, %r11};",
        "tex.2d.v2.f16x2.s32 {%r10, %r11}, [%d2, {%r2, %r3}]; st.global.v2.b32 [%d1], {%r10, %r11};",
        "tex.grad.2d.v4.f16.f32 {%h1, %h2, %h3, %h4}, [image, {%f3, %f4}], {%f5, %f6}, {%f6, %f5}; st.global.v4.b16 [%d1], {%h1, %h2, %h3, %h4};",
        "tex.2d.v4.f32.f32 {%f10, %f11, %f12, %f13}|%p1, [image, {%f3, %f4}]; selp.f32 %f10, %f10, %f1, %p1; st.global.v4.f32 [%d1], {%f10, %f11, %f12, %f13};",
        "setp.lt.u32 %p2, %r1, 40; @%p2 tex.2d.v4.s32.s32 {%r10, %r11, %r12, %r13}|%p1, [%d2, {%r2, %r3}];
            @%p2 selp.b32 %r10, 7, %r10, %p1; @%p2 st.global.v4.b32 [%d1], {%r10, %r11, %r12, %r13};",
    ] {
        agree_on(&TARGETS, Geometry::Plane, false, fetch);
    }
}

#[test]
fn queries() {
    let queries = [
        ("txq.channel_order", "image"),
        ("txq.channel_data_type", "%d2"),
        ("txq.array_size", "image"),
        ("txq.num_mipmap_levels", "%d2"),
        ("txq.num_samples", "image"),
        ("txq.width", "image"),
        ("txq.normalized_coords", "image"),
        ("suq.channel_order", "result"),
        ("suq.channel_data_type", "%d4"),
        ("suq.memory_layout", "result"),
        ("suq.array_size", "%d4"),
        ("suq.height", "result"),
    ];
    let all = |queries: &[(&str, &str)]| -> String {
        let lines = queries.iter().zip(0_u32..).map(|((query, of), index)| {
            format!("{query}.b32 %r10, [{of}]; setp.eq.u32 %p1, %r1, {index}; @%p1 st.global.u32 [%d1], %r10;\n")
        });
        lines.collect()
    };
    agree_on(&TARGETS, Geometry::Planes, false, &all(&queries));
    let more = [
        ("txq.addr_mode_0", "image"),
        ("txq.addr_mode_2", "%d2"),
        ("txq.filter_mode", "image"),
    ];
    agree_on(&TARGETS, Geometry::Plane, false, &all(&more));
    agree_on(&TARGETS, Geometry::Plane, true, &all(&queries));
    let samplers = [
        ("txq.addr_mode_0", "how"),
        ("txq.addr_mode_1", "%d3"),
        ("txq.filter_mode", "how"),
        ("txq.force_unnormalized_coords", "%d3"),
        ("txq.channel_order", "image"),
    ];
    agree_on(&TARGETS, Geometry::Plane, true, &all(&samplers));
}

#[test]
fn kinds_of_handles() {
    let asked = |from: [&str; 3]| -> String {
        let kinds = ["texref", "samplerref", "surfref"];
        let mut body = from[2].to_string();
        for (index, kind) in kinds.iter().enumerate() {
            body += &format!(
                "istypep.{kind} %p1, {}; selp.u32 %r{}, 1, 0, %p1;",
                from[0],
                10 + 2 * index
            );
            body += &format!(
                "istypep.{kind} %p1, {}; selp.u32 %r{}, 1, 0, %p1;",
                from[1],
                11 + 2 * index
            );
        }
        body + "st.global.v4.u32 [%d1], {%r10, %r11, %r12, %r13}; setp.eq.u32 %p1, %r1, 0; @%p1 st.global.v2.u32 [%d1], {%r14, %r15};"
    };
    agree_on(&TARGETS, Geometry::Plane, true, &asked(["%d2", "%d3", ""]));
    agree_on(
        &TARGETS,
        Geometry::Plane,
        true,
        &asked(["%d4", "%d6", "mov.u64 %d6, how;"]),
    );
    agree_on(
        &TARGETS,
        Geometry::Plane,
        true,
        &asked(["%d6", "%d7", "mov.u64 %d6, image; mov.u64 %d7, result;"]),
    );
}

#[test]
fn surfaces_by_name() {
    agree_on(
        &TARGETS,
        Geometry::Plane,
        false,
        "shl.b32 %r5, %r1, 2; sust.b.2d.b32.trap [result, {%r5, 1}], %r1; bar.sync 0; xor.b32 %r6, %r5, 12;
        suld.b.2d.b32.trap %r10, [result, {%r6, 1}]; sured.b.add.2d.u32.trap [%d4, {%r5, 1}], %r10; bar.sync 0;
        suld.b.2d.b32.zero %r11, [%d4, {%r5, 1}]; st.global.v2.u32 [%d1], {%r10, %r11};",
    );
}

#[test]
fn names_in_device_functions() {
    for target in ["sm_75", "sm_90", "sm_100"] {
        let text = format!(
            ".version 9.0\n.target {target}\n.address_size 64\n.global .texref image; .global .texref other;
            .func (.reg .f32 %r) f(.reg .f32 %a) {{ .reg .f32 %f<9>; tex.2d.v4.f32.f32 {{%f1, %f2, %f3, %f4}}, [image, {{%a, %a}}]; mov.f32 %r, %f2; ret; }}
            .visible .entry k(.param .u64 out) {{ .reg .f32 %f<9>; .reg .b64 %d<4>; ld.param.u64 %d1, [out];
            mov.f32 %f1, 0f3E800000; call (%f2), f, (%f1); st.global.f32 [%d1], %f2; ret; }}
            .visible .entry longer(.param .u64 out, .param .u64 more) {{ .reg .f32 %f<9>; .reg .b64 %d<4>; ld.param.u64 %d1, [more];
            mov.f32 %f1, 0f3E800000; call (%f2), f, (%f1); tex.2d.v4.f32.f32 {{%f3, %f4, %f5, %f6}}, [other, {{%f1, %f1}}]; add.f32 %f2, %f2, %f4;
            st.global.f32 [%d1], %f2; ret; }}\n"
        );
        let parsed = warpsmith_ptx::parse(text.as_bytes());
        assert!(parsed.problems.is_empty(), "{target}: {:?}", parsed.problems);
        let sm: Sm = target.parse().expect("a known target");
        let cubin = warpsmith_ori::compile(&parsed.module, sm).unwrap_or_else(|e| panic!("{target}: {}", e[0]));
        let cubin = warpsmith_cubin::Cubin::read(&cubin.write()).expect("the cubin reads back");
        let mut device = Device::new();
        let loaded = sass::load(&mut device, &cubin).unwrap_or_else(|e| panic!("{target}: {e}"));
        let [texture, ..] = prepare(&mut device, Geometry::Plane);
        for name in ["image", "other"] {
            let (address, _) = loaded.variable(name).expect("it is named");
            assert_eq!(device.write(address, &texture.to_le_bytes()), Ok(()));
        }
        let out = device.allocate(8, 8);
        let mut run = |kernel: &str, arguments: &[u64]| {
            let launch = Launch {
                arguments: arguments.iter().map(|v| v.to_le_bytes().to_vec()).collect(),
                ..Launch::of(kernel)
            };
            sass::run(&mut device, &loaded, &launch, &Options::default()).unwrap_or_else(|e| panic!("{target}: {e}"));
            let bytes = device.read(out, 4).expect("it is allocated");
            f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
        };
        let once = run("k", &[out]);
        assert!(once != 0.0);
        assert_eq!(run("longer", &[0, out]), 2.0 * once);
    }
}
