//! Textures, samplers and surfaces.

use warpsmith_emu::{
    ptx::{Device, Fault, FaultKind, Launch, Options, run},
    texture::{
        AddressMode, ChannelKind, Comparison, Filter, Format, Geometry, Image, ImageId, Kind, Sampler, Shape, Storage,
    },
};

use super::support::loaded;

const F32: Format = Format {
    kind: ChannelKind::Float,
    bits: 32,
    channels: 1,
};
const U32: Format = Format {
    kind: ChannelKind::Unsigned,
    ..F32
};
const UNORM8: Format = Format {
    kind: ChannelKind::UnsignedNormalised,
    bits: 8,
    channels: 1,
};

/// The bytes of single-precision numbers.
fn floats(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

fn words(values: &[u32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

fn image(device: &mut Device, shape: Shape, format: Format, bytes: Vec<u8>) -> ImageId {
    let image = Image::new(shape, format, Storage::Array(bytes)).expect("the image is right");
    device.create_image(image).expect("the host has memory")
}

fn line(device: &mut Device, values: &[f32]) -> ImageId {
    let shape = Shape::new(Geometry::Line, [values.len() as u32, 1, 1]);
    image(device, shape, F32, floats(values))
}

/// A texture of a line of numbers.
fn line_texture(device: &mut Device, values: &[f32], sampler: Sampler) -> u64 {
    let id = line(device, values);
    device.create_texture(id, F32, sampler).expect("the texture is right")
}

/// Registers, `%d0` the output and `%d1` the handle, around a body.
fn kernel(body: &str) -> String {
    format!(
        ".visible .entry k(.param .u64 out, .param .u64 handle) {{
            .reg .b32 %r<40>; .reg .b64 %d<9>; .reg .b16 %h<9>; .reg .f32 %f<20>; .reg .pred %p<4>;
            ld.param.u64 %d0, [out]; ld.param.u64 %d1, [handle];
            {body}
            ret;
        }}"
    )
}

/// The words that a body leaves at `%d0`.
fn attempt(device: &mut Device, target: &str, text: &str, handle: u64, count: usize) -> Result<Vec<u32>, Box<Fault>> {
    let text = format!(".version 8.8\n.target {target}\n.address_size 64\n{text}\n");
    let module = loaded(device, &text);
    let out = device.allocate(4 * count as u64, 256);
    let launch = Launch {
        arguments: [out, handle].map(|value| value.to_le_bytes().to_vec()).to_vec(),
        ..Launch::of("k")
    };
    run(device, &module, &launch, &Options::default()).map_err(|failure| Box::new(failure.fault))?;
    let bytes = device.read(out, 4 * count as u64).expect("it is allocated");
    let words = bytes.as_chunks::<4>().0.iter();
    Ok(words.map(|word| u32::from_le_bytes(*word)).collect())
}

fn ran(device: &mut Device, body: &str, handle: u64, count: usize) -> Vec<u32> {
    attempt(device, "sm_100a", &kernel(body), handle, count).unwrap_or_else(|fault| panic!("{fault}"))
}

fn fault(device: &mut Device, body: &str, handle: u64) -> (FaultKind, String) {
    let fault = attempt(device, "sm_100a", &kernel(body), handle, 4).expect_err("a fault");
    (fault.kind, fault.message)
}

/// The first channel of a fetch from a line at each place.
fn along(device: &mut Device, handle: u64, places: &[f32]) -> Vec<f32> {
    let body: String = (0..)
        .zip(places)
        .map(|(index, place)| {
            format!(
                "mov.f32 %f0, 0f{:08X}; tex.1d.v4.f32.f32 {{%f1,%f2,%f3,%f4}}, [%d1, {{%f0}}]; st.global.f32 [%d0+{}], %f1;\n",
                place.to_bits(),
                4 * index
            )
        })
        .collect();
    let words = ran(device, &body, handle, places.len());
    words.into_iter().map(f32::from_bits).collect()
}

#[test]
fn points_of_a_line() {
    let mut device = Device::new();
    let handle = line_texture(&mut device, &[10.0, 20.0, 30.0, 40.0], Sampler::default());
    let found = along(
        &mut device,
        handle,
        &[-5.0, 0.0, 0.999, 1.0, 3.5, 4.0, f32::NAN, f32::INFINITY],
    );
    assert_eq!(found, [10.0, 10.0, 10.0, 20.0, 40.0, 40.0, 10.0, 40.0]);
}

#[test]
fn weights_have_eight_bits() {
    let mut device = Device::new();
    let linear = Sampler {
        filter: Filter::Linear,
        ..Sampler::default()
    };
    let handle = line_texture(&mut device, &[0.0, 256.0, 512.0], linear);
    // x - 1/2 = 0.25, 0.3 = 76.8 / 256, 0.3 + 1 / 512, below the first and beyond the last centre.
    let found = along(&mut device, handle, &[0.75, 0.8, 1.0, 0.25, 2.9, 0.5 + 1.0 / 512.0]);
    assert_eq!(found, [64.0, 77.0, 128.0, 0.0, 512.0, 1.0]);
}

#[test]
fn address_modes_of_filters() {
    let mut device = Device::new();
    let mut at = |mode, border: f32, places: &[f32]| {
        let sampler = Sampler {
            normalised: true,
            filter: Filter::Linear,
            address: [mode; 3],
            border: [border.to_bits(); 4],
            ..Sampler::default()
        };
        let handle = line_texture(&mut device, &[16.0, 32.0], sampler);
        along(&mut device, handle, places)
    };
    // Position 0 of 2 texels is half way between texels -1 and 0.
    assert_eq!(
        at(AddressMode::Wrap, 0.0, &[0.0, 1.0, -3.0, 0.25]),
        [24.0, 24.0, 24.0, 16.0]
    );
    assert_eq!(
        at(AddressMode::Mirror, 0.0, &[0.0, 1.0, 1.25, 1.5]),
        [16.0, 32.0, 32.0, 24.0]
    );
    assert_eq!(at(AddressMode::ClampToEdge, 0.0, &[0.0, 1.0]), [16.0, 32.0]);
    assert_eq!(at(AddressMode::ClampToBorder, 4.0, &[0.0, 1.0, 2.0]), [10.0, 18.0, 4.0]);
}

#[test]
fn normalised_integers_and_absent_channels() {
    let mut device = Device::new();
    let id = image(
        &mut device,
        Shape::new(Geometry::Line, [2, 1, 1]),
        UNORM8,
        vec![51, 255],
    );
    let handle = device
        .create_texture(id, UNORM8, Sampler::default())
        .expect("a texture");
    let fetch =
        "mov.u32 %r0, 0; tex.1d.v4.f32.s32 {%f1,%f2,%f3,%f4}, [%d1, {%r0}]; st.global.v4.f32 [%d0], {%f1,%f2,%f3,%f4};";
    assert_eq!(
        ran(&mut device, fetch, handle, 4),
        [0.2f32, 0.0, 0.0, 1.0].map(f32::to_bits)
    );
    // The same image as integers.
    let integers = Format {
        kind: ChannelKind::Unsigned,
        ..UNORM8
    };
    let handle = device
        .create_texture(id, integers, Sampler::default())
        .expect("a texture");
    let fetch = fetch.replace("v4.f32.s32 {%f1,%f2,%f3,%f4}", "v4.u32.s32 {%r1,%r2,%r3,%r4}");
    let fetch = fetch.replace("v4.f32 [%d0], {%f1,%f2,%f3,%f4}", "v4.u32 [%d0], {%r1,%r2,%r3,%r4}");
    assert_eq!(ran(&mut device, &fetch, handle, 4), [51, 0, 0, 1]);
    let linear = Sampler {
        filter: Filter::Linear,
        ..Sampler::default()
    };
    assert!(device.create_texture(id, integers, linear).is_err());
}

#[test]
fn halves() {
    let mut device = Device::new();
    let format = Format { channels: 4, ..F32 };
    let shape = Shape::new(Geometry::Line, [1, 1, 1]);
    let id = image(&mut device, shape, format, floats(&[1.0, -2.0, 0.5, 65_536.0]));
    let handle = device
        .create_texture(id, format, Sampler::default())
        .expect("a texture");
    let packed =
        "mov.f32 %f0, 0f00000000; tex.1d.v2.f16x2.f32 {%r1,%r2}, [%d1, {%f0}]; st.global.v2.u32 [%d0], {%r1,%r2};";
    assert_eq!(ran(&mut device, packed, handle, 2), [0xc000_3c00, 0x7c00_3800]);
    let four = "mov.f32 %f0, 0f00000000; tex.1d.v4.f16.f32 {%h1,%h2,%h3,%h4}, [%d1, {%f0}]; st.global.v4.b16 [%d0], {%h1,%h2,%h3,%h4};";
    assert_eq!(ran(&mut device, four, handle, 2), [0xc000_3c00, 0x7c00_3800]);
}

/// A plane whose texel (x, y) is 10 y + x.
fn plane(device: &mut Device, size: u32, sampler: Sampler) -> u64 {
    let values: Vec<f32> = (0..size * size)
        .map(|index| (10 * (index / size) + index % size) as f32)
        .collect();
    let id = image(
        device,
        Shape::new(Geometry::Plane, [size, size, 1]),
        F32,
        floats(&values),
    );
    device.create_texture(id, F32, sampler).expect("a texture")
}

#[test]
fn planes_gathers_and_offsets() {
    let mut device = Device::new();
    let handle = plane(&mut device, 4, Sampler::default());
    let gather = "mov.f32 %f0, 0f40000000; mov.f32 %f5, 0f3FC00000;
        tld4.r.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%d1, {%f0,%f5}]; st.global.v4.f32 [%d0], {%f1,%f2,%f3,%f4};";
    // At (2, 1.5): texels 1 and 2 of rows 1 and 2, from the lower left against the clock.
    assert_eq!(
        ran(&mut device, gather, handle, 4),
        [21.0f32, 22.0, 12.0, 11.0].map(f32::to_bits)
    );
    let offset = "mov.f32 %f0, 0f40000000; mov.f32 %f5, 0f3FC00000; mov.s32 %r0, -2; mov.s32 %r1, 17;
        tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}|%p0, [%d1, {%f0,%f5}], {%r0,%r1};
        selp.u32 %r2, 1, 0, %p0; st.global.f32 [%d0], %f1; st.global.u32 [%d0+4], %r2;";
    // 17 is 1 in four bits.
    assert_eq!(ran(&mut device, offset, handle, 2), [20.0f32.to_bits(), 1]);
}

#[test]
fn bilinear_and_depth() {
    let mut device = Device::new();
    let linear = Sampler {
        filter: Filter::Linear,
        comparison: Comparison::Less,
        ..Sampler::default()
    };
    let handle = plane(&mut device, 4, linear);
    let at = "mov.f32 %f0, 0f3FE00000; mov.f32 %f5, 0f40000000; mov.f32 %f6, 0f41300000;"; // 1.75, 2.0, 11
    let fetch = "tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%d1, {%f0,%f5}]; st.global.f32 [%d0], %f1;";
    // A quarter between 1 and 2, half between rows 1 and 2.
    assert_eq!(
        ran(&mut device, &format!("{at}{fetch}"), handle, 1),
        [16.25f32.to_bits()]
    );
    let compare = "tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%d1, {%f0,%f5}], %f6; st.global.f32 [%d0], %f1;";
    // 11 < 11, 12, 21, 22 with weights 3/8, 1/8, 3/8, 1/8.
    assert_eq!(
        ran(&mut device, &format!("{at}{compare}"), handle, 1),
        [0.625f32.to_bits()]
    );
    let gather =
        "tld4.r.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%d1, {%f0,%f5}], %f6; st.global.v4.f32 [%d0], {%f1,%f2,%f3,%f4};";
    let found = ran(&mut device, &format!("{at}{gather}"), handle, 4);
    assert_eq!(found, [1.0f32, 1.0, 1.0, 0.0].map(f32::to_bits));
}

#[test]
fn levels_and_gradients() {
    let mut device = Device::new();
    let shape = Shape {
        levels: 3,
        ..Shape::new(Geometry::Plane, [4, 4, 1])
    };
    let values: Vec<f32> = [[1.0; 16].as_slice(), &[2.0; 4], &[4.0]].concat();
    let id = image(&mut device, shape, F32, floats(&values));
    let mut fetched = |sampler: Sampler, instruction: &str| {
        let handle = device.create_texture(id, F32, sampler).expect("a texture");
        let body = format!("mov.f32 %f0, 0f3F000000; mov.f32 %f7, 0f00000000; {instruction} st.global.f32 [%d0], %f1;");
        f32::from_bits(ran(&mut device, &body, handle, 1)[0])
    };
    let nearest = Sampler {
        normalised: true,
        ..Sampler::default()
    };
    let smooth = Sampler {
        mip_filter: Filter::Linear,
        ..nearest
    };
    let level = |bits: &str| {
        format!("mov.f32 %f8, {bits}; tex.level.2d.v4.f32.f32 {{%f1,%f2,%f3,%f4}}, [%d1, {{%f0,%f0}}], %f8;")
    };
    assert_eq!(fetched(nearest, &level("0f3EC00000")), 1.0); // 0.375
    assert_eq!(fetched(nearest, &level("0f3F000000")), 2.0); // 0.5
    assert_eq!(fetched(smooth, &level("0f3EC00000")), 1.375);
    assert_eq!(fetched(smooth, &level("0f41200000")), 4.0); // 10
    let capped = Sampler {
        levels: [0, 0x3fc0_0000],
        ..smooth
    };
    assert_eq!(fetched(capped, &level("0f41200000")), 3.0); // 1.5
    assert_eq!(
        fetched(smooth, "tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%d1, {%f0,%f0}];"),
        1.0
    );
    assert_eq!(
        fetched(smooth, "tex.base.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%d1, {%f0,%f0}];"),
        1.0
    );
    // Half the image in a step: two texels, level 1; a quarter: level 0.
    let gradient = "tex.grad.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%d1, {%f0,%f0}], {%f0,%f7}, {%f7,%f7};";
    assert_eq!(fetched(smooth, gradient), 2.0);
    let whole = "mov.u32 %r0, 0; mov.u32 %r1, 2; tex.level.2d.v4.f32.s32 {%f1,%f2,%f3,%f4}, [%d1, {%r0,%r0}], %r1;";
    assert_eq!(fetched(nearest, whole), 4.0);
}

#[test]
fn layers_cubes_and_samples() {
    let mut device = Device::new();
    let layered = |geometry, size, layers, samples| Shape {
        layers,
        samples,
        ..Shape::new(geometry, size)
    };
    let counted: Vec<f32> = (0..24u8).map(f32::from).collect();
    let mut fetched = |shape: Shape, count: usize, instruction: &str| {
        let id = image(&mut device, shape, F32, floats(&counted[..count]));
        let handle = device.create_texture(id, F32, Sampler::default()).expect("a texture");
        let body = format!(
            "mov.u32 %r0, 0; mov.u32 %r1, 1; mov.u32 %r2, 2; mov.f32 %f0, 0f3F800000; mov.f32 %f9, 0fC0000000;
             {instruction} st.global.f32 [%d0], %f1;"
        );
        f32::from_bits(ran(&mut device, &body, handle, 1)[0])
    };
    let lines = layered(Geometry::Lines, [3, 1, 1], 2, 1);
    assert_eq!(
        fetched(lines, 6, "tex.a1d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%d1, {%r1,%f0}];"),
        4.0
    );
    // There is no layer 2: the last.
    assert_eq!(
        fetched(lines, 6, "tex.a1d.v4.f32.s32 {%f1,%f2,%f3,%f4}, [%d1, {%r2,%r1}];"),
        4.0
    );
    let planes = layered(Geometry::Planes, [2, 2, 1], 3, 1);
    let fetch = "tex.a2d.v4.f32.s32 {%f1,%f2,%f3,%f4}, [%d1, {%r2,%r1,%r0,%r0}];";
    assert_eq!(fetched(planes, 12, fetch), 9.0);
    let volume = Shape::new(Geometry::Volume, [2, 2, 2]);
    let fetch = "tex.3d.v4.f32.s32 {%f1,%f2,%f3,%f4}, [%d1, {%r1,%r0,%r1,%r0}];";
    assert_eq!(fetched(volume, 8, fetch), 5.0);
    let cube = Shape::new(Geometry::Cube, [1, 1, 1]);
    let fetch = "tex.cube.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%d1, {%f0,%f9,%f0,%f0}];";
    assert_eq!(fetched(cube, 6, fetch), 3.0);
    let cubes = layered(Geometry::Cubes, [1, 1, 1], 12, 1);
    let fetch = "tex.acube.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%d1, {%r1,%f0,%f0,%f9}];";
    assert_eq!(fetched(cubes, 12, fetch), 11.0);
    let samples = layered(Geometry::Samples, [2, 1, 1], 1, 2);
    let fetch = "tex.2dms.v4.f32.s32 {%f1,%f2,%f3,%f4}, [%d1, {%r1,%r1,%r0,%r0}];";
    assert_eq!(fetched(samples, 4, fetch), 3.0);
    let layers = layered(Geometry::SampleLayers, [2, 1, 1], 3, 2);
    // Sample 1 of layer 2, texel 0.
    let fetch = "tex.a2dms.v4.f32.s32 {%f1,%f2,%f3,%f4}, [%d1, {%r1,%r2,%r0,%r0}];";
    assert_eq!(fetched(layers, 12, fetch), 9.0);
}

#[test]
fn whole_coordinates_outside_read_zeros() {
    let mut device = Device::new();
    let handle = line_texture(&mut device, &[5.0], Sampler::default());
    let body = "mov.s32 %r0, -1; tex.1d.v4.f32.s32 {%f1,%f2,%f3,%f4}, [%d1, {%r0}]; st.global.f32 [%d0], %f1;";
    assert_eq!(ran(&mut device, body, handle, 1), [0]);
}

#[test]
fn linear_memory() {
    let mut device = Device::new();
    let address = device.allocate(64, 256);
    device.write(address, &words(&[1, 2, 3, 4, 5, 6])).expect("it fits");
    let shape = Shape::new(Geometry::Plane, [2, 2, 1]);
    let storage = Storage::Memory { address, pitch: 12 };
    let id = device
        .create_image(Image::new(shape, U32, storage).expect("an image"))
        .expect("fits");
    let handle = device.create_texture(id, U32, Sampler::default()).expect("a texture");
    let body = "mov.u32 %r0, 1; tex.2d.v4.u32.s32 {%r1,%r2,%r3,%r4}, [%d1, {%r0,%r0}]; txq.width.b32 %r5, [%d1];
        st.global.v2.u32 [%d0], {%r1,%r5};";
    assert_eq!(ran(&mut device, body, handle, 2), [5, 2]);
    assert!(device.create_surface(id, 0).is_err());
}

#[test]
fn variables_hold_handles() {
    let mut device = Device::new();
    let handle = line_texture(&mut device, &[7.0, 8.0], Sampler::default());
    let text = ".global .texref t; .global .surfref s;\n".to_string()
        + &kernel(
            "st.global.u64 [%d0], %d1; ld.global.u64 %d2, [%d0];
             mov.u64 %d3, t; st.global.u64 [%d3], %d1;
             mov.u32 %r0, 1; tex.1d.v4.f32.s32 {%f1,%f2,%f3,%f4}, [t, {%r0}]; st.global.f32 [%d0], %f1;
             tex.1d.v4.f32.s32 {%f1,%f2,%f3,%f4}, [%d3, {%r0}]; st.global.f32 [%d0+4], %f1;
             istypep.texref %p0, %d3; istypep.surfref %p1, %d3; istypep.texref %p2, %d1;
             selp.u32 %r1, 1, 0, %p0; selp.u32 %r2, 1, 0, %p1; selp.u32 %r3, 1, 0, %p2;
             st.global.u32 [%d0+8], %r1; st.global.u32 [%d0+12], %r2; st.global.u32 [%d0+16], %r3;",
        );
    let found = attempt(&mut device, "sm_90", &text, handle, 5).unwrap_or_else(|fault| panic!("{fault}"));
    assert_eq!(found, [8.0f32.to_bits(), 8.0f32.to_bits(), 1, 0, 1]);
    let unbound = text.replace("st.global.u64 [%d3], %d1;", "");
    let fault = attempt(&mut device, "sm_90", &unbound, handle, 5).expect_err("a fault");
    assert_eq!(fault.message, "no texture is bound here: the handle is 0");
}

#[test]
fn samplers_of_their_own() {
    let mut device = Device::new();
    let normalised = Sampler {
        normalised: true,
        ..Sampler::default()
    };
    let handle = line_texture(&mut device, &[16.0, 32.0], normalised);
    let text = ".global .samplerref s = { filter_mode = linear, addr_mode_0 = wrap };
        .visible .entry k(.param .u64 out, .param .texref t) {
            .reg .b64 %d<2>; .reg .b32 %r<3>; .reg .f32 %f<9>;
            ld.param.u64 %d0, [out];
            mov.f32 %f0, 0f00000000;
            tex.1d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [t, s, {%f0}];
            st.global.f32 [%d0], %f1;
            txq.filter_mode.b32 %r0, [s]; txq.addr_mode_0.b32 %r1, [s]; txq.normalized_coords.b32 %r2, [t];
            st.global.u32 [%d0+4], %r0; st.global.u32 [%d0+8], %r1; st.global.u32 [%d0+12], %r2;
            ret;
        }";
    let found = attempt(&mut device, "sm_90, texmode_independent", text, handle, 4);
    assert_eq!(
        found.unwrap_or_else(|fault| panic!("{fault}")),
        [24.0f32.to_bits(), 1, 0, 1]
    );
}

#[test]
fn queries() {
    let mut device = Device::new();
    let shape = Shape {
        layers: 5,
        levels: 2,
        ..Shape::new(Geometry::Planes, [8, 3, 1])
    };
    let id = image(&mut device, shape, UNORM8, vec![0; (24 + 4) * 5]);
    let mirrored = Sampler {
        normalised: true,
        address: [
            AddressMode::Mirror,
            AddressMode::ClampToBorder,
            AddressMode::ClampToEdge,
        ],
        ..Sampler::default()
    };
    let handle = device.create_texture(id, UNORM8, mirrored).expect("a texture");
    let asked = [
        "width",
        "height",
        "depth",
        "channel_data_type",
        "channel_order",
        "array_size",
        "num_mipmap_levels",
        "num_samples",
        "normalized_coords",
        "filter_mode",
        "addr_mode_0",
        "addr_mode_1",
        "addr_mode_2",
    ];
    let body: String = (0..)
        .zip(asked)
        .map(|(index, name)| format!("txq.{name}.b32 %r0, [%d1]; st.global.u32 [%d0+{}], %r0;\n", 4 * index))
        .collect();
    let found = ran(&mut device, &body, handle, asked.len());
    assert_eq!(found, [8, 3, 1, 0x10d2, 0x10b0, 5, 2, 1, 1, 0, 1, 4, 3]);
    let level = "mov.u32 %r1, 1; txq.level.width.b32 %r0, [%d1], %r1; st.global.u32 [%d0], %r0;";
    assert_eq!(ran(&mut device, level, handle, 1), [4]);
    let surface = device.create_surface(id, 1).expect("a surface");
    let body = "suq.width.b32 %r0, [%d1]; suq.array_size.b32 %r1, [%d1]; suq.memory_layout.b32 %r2, [%d1];
        st.global.u32 [%d0], %r0; st.global.u32 [%d0+4], %r1; st.global.u32 [%d0+8], %r2;";
    assert_eq!(ran(&mut device, body, surface, 3), [4, 5, 0]);
    assert_eq!(
        [handle, surface, 0].map(|handle| device.handle_kind(handle)),
        [Some(Kind::Texture), Some(Kind::Surface), None]
    );
}

#[test]
fn surfaces_and_their_bounds() {
    let mut device = Device::new();
    let id = image(
        &mut device,
        Shape::new(Geometry::Plane, [4, 2, 1]),
        U32,
        words(&[1, 2, 3, 4, 5, 6, 7, 8]),
    );
    let handle = device.create_surface(id, 0).expect("a surface");
    let body = "mov.u32 %r0, 8; mov.u32 %r1, 1; mov.s32 %r2, -4; mov.u32 %r3, 400; mov.u32 %r9, 255;
        suld.b.2d.v2.b32.trap {%r4,%r5}, [%d1, {%r0,%r1}];
        suld.b.2d.b32.clamp %r6, [%d1, {%r3,%r2}];
        suld.b.2d.b32.zero %r7, [%d1, {%r2,%r1}];
        suld.b.2d.b8.trap %r8, [%d1, {%r0,%r1}];
        st.global.v4.u32 [%d0], {%r4,%r5,%r6,%r7}; st.global.u32 [%d0+16], %r8;
        sust.b.2d.b8.trap [%d1, {%r1,%r1}], %r9;
        sust.b.2d.b32.zero [%d1, {%r3,%r1}], %r9;
        sust.b.2d.b32.clamp [%d1, {%r3,%r3}], %r9;
        sust.p.2d.v2.b32.trap [%d1, {%r1,%r1}], {%r3,%r9};
        sured.b.add.2d.u32.trap [%d1, {%r0,%r1}], %r0;
        sured.p.min.2d.b32.trap [%d1, {%r1,%r2}], %r9;";
    let body = body.replace(
        "sured.p.min.2d.b32.trap [%d1, {%r1,%r2}], %r9;",
        "sured.p.max.2d.b32.clamp [%d1, {%r1,%r2}], %r9;",
    );
    assert_eq!(ran(&mut device, &body, handle, 5), [7, 8, 4, 0, 7]);
    let left = device.read_image(id).expect("it is ours");
    assert_eq!(left, words(&[1, 255, 3, 4, 0xff05, 400, 15, 255]));
    let refused = |device: &mut Device, x: i32| {
        let body = format!("mov.s32 %r0, {x}; mov.u32 %r1, 0; suld.b.2d.b32.trap %r2, [%d1, {{%r0,%r1}}];");
        fault(device, &body, handle)
    };
    assert_eq!(refused(&mut device, 2).0, FaultKind::Misaligned);
    let (kind, message) = refused(&mut device, 16);
    assert_eq!(kind, FaultKind::OutOfBounds);
    assert!(message.starts_with("access of 4 bytes at byte 16, row 0, plane 0, layer 0 of a surface of 16 bytes"));
}

#[test]
fn reductions() {
    let mut device = Device::new();
    let signed = Format {
        kind: ChannelKind::Signed,
        ..U32
    };
    let id = image(
        &mut device,
        Shape::new(Geometry::Line, [4, 1, 1]),
        signed,
        words(&[5, 5, 0xffff_fffe, 0xf0]),
    );
    let handle = device.create_surface(id, 0).expect("a surface");
    let body = "mov.s32 %r0, -3; mov.u32 %r1, 0; mov.u32 %r2, 4; mov.u32 %r3, 2; mov.u32 %r4, 12; mov.u32 %r5, 8;
        sured.b.min.1d.s32.trap [%d1, {%r1}], %r0;
        sured.b.min.1d.u32.trap [%d1, {%r2}], %r0;
        sured.p.min.1d.b32.trap [%d1, {%r3}], %r0;
        sured.b.or.1d.b32.trap [%d1, {%r4}], %r4;
        sured.b.and.1d.b32.trap [%d1, {%r4}], %r5;
        mov.u64 %d2, 0x100000001; sured.b.add.1d.u64.trap [%d1, {%r1}], %d2;";
    ran(&mut device, body, handle, 1);
    assert_eq!(
        device.read_image(id).expect("ours"),
        words(&[0xffff_fffe, 6, 0xffff_fffd, 8])
    );
}

#[test]
fn formatted_stores_convert() {
    let mut device = Device::new();
    let format = Format { channels: 4, ..UNORM8 };
    let id = image(&mut device, Shape::new(Geometry::Line, [2, 1, 1]), format, vec![9; 8]);
    let handle = device.create_surface(id, 0).expect("a surface");
    // 0.2, 2, -1, not-a-number.
    let body = "mov.u32 %r0, 1; mov.b32 %r1, 0f3E4CCCCD; mov.b32 %r2, 0f40000000; mov.b32 %r3, 0fBF800000; mov.b32 %r4, 0f7FC00000;
        sust.p.1d.v4.b32.trap [%d1, {%r0}], {%r1,%r2,%r3,%r4};";
    ran(&mut device, body, handle, 1);
    assert_eq!(device.read_image(id).expect("ours"), [9, 9, 9, 9, 51, 255, 0, 0]);
}

#[test]
fn what_is_wrong_is_said() {
    let mut device = Device::new();
    let texture = line_texture(&mut device, &[1.0], Sampler::default());
    let id = line(&mut device, &[1.0]);
    let surface = device.create_surface(id, 0).expect("a surface");
    let fetch = "mov.f32 %f0, 0f00000000; tex.1d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%d1, {%f0}];";
    let (kind, message) = fault(&mut device, fetch, surface);
    let wrong = format!("{surface:#x} is the handle of a surface, not of a texture");
    assert_eq!((kind, message), (FaultKind::Operand, wrong));
    assert_eq!(fault(&mut device, fetch, 0xfff).1, "0xfff is no handle of a texture");
    let plane = "mov.f32 %f0, 0f00000000; tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%d1, {%f0,%f0}];";
    assert_eq!(fault(&mut device, plane, texture).1, "a texture .1d is read as .2d");
    let single = "mov.f32 %f0, 0f00000000; tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%d1, %f0];";
    assert!(
        fault(&mut device, single, texture)
            .1
            .starts_with("one register stands for several coordinates")
    );
}

#[test]
fn shapes_and_formats_that_do_not_exist() {
    let refused = |shape: Shape, format: Format, bytes: usize| {
        Image::new(shape, format, Storage::Array(vec![0; bytes]))
            .expect_err("is refused")
            .message
    };
    let line = Shape::new(Geometry::Line, [4, 1, 1]);
    assert_eq!(
        refused(line, F32, 15),
        "an image .1d: its texels take 16 bytes, but 15 are given"
    );
    assert_eq!(
        refused(Shape { levels: 4, ..line }, F32, 28),
        "an image .1d: it has levels down to one texel and at least one level; multi-sample images have one"
    );
    assert!(refused(Shape::new(Geometry::Plane, [0, 1, 1]), F32, 0).contains("1 to 2^28"));
    assert!(refused(Shape::new(Geometry::Cube, [2, 1, 1]), F32, 48).contains("square"));
    let odd = Format { channels: 3, ..F32 };
    assert!(refused(line, odd, 48).starts_with("there is no texel format"));
}
