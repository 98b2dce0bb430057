//! Textures and surfaces.

use warpsmith_emu::{
    Device, FaultKind, Launch, Options,
    sass::{load, run},
    texture::{AddressMode, ChannelKind, Comparison, Format, Geometry, Image, Sampler, Shape, Storage},
};

use crate::support::{attempt_on, cubin, lanes, with};

const F32: Format = Format {
    kind: ChannelKind::Float,
    bits: 32,
    channels: 1,
};
const F32X4: Format = Format { channels: 4, ..F32 };
const S32: Format = Format {
    kind: ChannelKind::Signed,
    ..F32
};

/// Texels 0, 1, 2 … of one channel, or 0.0, 0.25, 0.5, 0.75, 1.0 … of four.
fn image(device: &mut Device, shape: Shape, format: Format) -> warpsmith_emu::texture::ImageId {
    let count = shape.all_texels() as u32 * format.channels;
    let scale = if format.channels == 4 { 0.25 } else { 1.0 };
    let bytes = match format.kind {
        ChannelKind::Float => (0..count)
            .flat_map(|value| (scale * value as f32).to_le_bytes())
            .collect(),
        _ => (0..count).flat_map(u32::to_le_bytes).collect(),
    };
    let image = Image::new(shape, format, Storage::Array(bytes)).expect("the image is right");
    device.create_image(image).expect("the host has memory")
}

fn texture(device: &mut Device, shape: Shape, format: Format, sampler: Sampler) -> u32 {
    let id = image(device, shape, format);
    let handle = device.create_texture(id, format, sampler);
    handle.expect("the texture is right") as u32
}

/// The registers that one line leaves in the first lane, of registers and, by MOVs before it, uniform ones set to words.
fn after<const N: usize>(
    device: &mut Device,
    sm: &str,
    set: &[(u8, u32)],
    lines: &[&str],
    registers: [u8; N],
) -> Result<[u32; N], String> {
    let code = with(set, lines);
    let code: Vec<&str> = code.iter().map(String::as_str).collect();
    let rows = attempt_on(device, sm, &code, &registers, Launch::of("k"))?;
    Ok(std::array::from_fn(|index| rows[index][0]))
}

fn floats<const N: usize>(words: Result<[u32; N], String>) -> [f32; N] {
    words.unwrap_or_else(|text| panic!("{text}")).map(f32::from_bits)
}

fn bits(value: f32) -> u32 {
    value.to_bits()
}

/// Values of texels (x, y) of four channels in rows of `width`.
fn texel(x: u32, y: u32, width: u32) -> [f32; 4] {
    std::array::from_fn(|channel| (y * width + x) as f32 + 0.25 * channel as f32)
}

#[test]
fn scattered_operands() {
    let mut device = Device::new();
    let plane = Shape::new(Geometry::Plane, [4, 3, 1]);
    let handle = texture(&mut device, plane, F32X4, Sampler::default());
    // x and y; handle and level.
    let set = [(6, bits(1.5)), (7, bits(2.5)), (4, handle), (5, bits(0.0))];
    let all = after(
        &mut device,
        "sm_75",
        &set,
        &["TEX.SCR.B.LL R6, R4, R6, R4, 2D"],
        [4, 5, 6, 7],
    );
    assert_eq!(floats(all), texel(1, 2, 4));
    // Only blue and alpha: the first two registers.
    let some = after(
        &mut device,
        "sm_80",
        &set,
        &["TEX.SCR.B.LL RZ, R8, R6, R4, 2D, 0xc"],
        [8, 9],
    );
    assert_eq!(floats(some), [9.5, 9.75]);
    let three = after(
        &mut device,
        "sm_80",
        &set,
        &["TEX.SCR.B.LL R8, R10, R6, R4, 2D, 0xb"],
        [10, 11, 8],
    );
    assert_eq!(floats(three), [9.0, 9.25, 9.75]);
    let halves = after(
        &mut device,
        "sm_75",
        &set,
        &["TEX.SCR.B.F16.RN.LL R8, R9, R6, R4, 2D"],
        [9, 8],
    );
    assert_eq!(halves, Ok([0x48a0_4880, 0x48e0_48c0]));
}

#[test]
fn layers_levels_offsets_and_depths() {
    let mut device = Device::new();
    let planes = Shape {
        layers: 2,
        levels: 2,
        ..Shape::new(Geometry::Planes, [4, 4, 1])
    };
    let handle = texture(&mut device, planes, F32, Sampler::default());
    // Layer 1 of level 1 of 2 by 2 texels, which starts at 32: texel (1, 1) of it, by an offset of -1 and 1 from (2, 0). The position is
    // that of the first level.
    let set = [
        (8, 1),
        (9, bits(4.5)),
        (10, bits(0.5)),
        (4, handle),
        (5, bits(1.0)),
        (6, 0x1f),
        (7, bits(38.0)),
    ];
    let line = ["TEX.B.LL.AOFFI R6, R4, R8, R4, ARRAY_2D, 0x1"];
    assert_eq!(floats(after(&mut device, "sm_75", &set, &line, [4])), [39.0]);
    let sampler = Sampler {
        comparison: Comparison::Greater,
        ..Sampler::default()
    };
    let handle = texture(&mut device, planes, F32, sampler);
    for (reference, expected) in [(38.5, 0.0), (39.5, 1.0)] {
        let mut set = set;
        set[3].1 = handle;
        set[6].1 = bits(reference);
        let line = [
            "TEX.B.LL.AOFFI.DC P0, R6, R4, R8, R4, ARRAY_2D, 0x1",
            "P2R R5, PR, RZ, 0x1",
        ];
        let found = after(&mut device, "sm_75", &set, &line, [4, 5]);
        assert_eq!(found, Ok([bits(expected), 0]));
    }
}

#[test]
fn texels_by_number() {
    let mut device = Device::new();
    let volume = Shape::new(Geometry::Volume, [2, 3, 2]);
    let handle = texture(&mut device, volume, S32, Sampler::default());
    let set = [(4, 1), (5, 2), (6, 1), (7, handle)];
    let found = after(&mut device, "sm_75", &set, &["TLD.SCR.B.LZ R6, R4, R4, R6, 3D"], [4]);
    assert_eq!(found, Ok([11]));
    // The handle in uniform registers.
    let lines = ["R2UR UR4, R7", "UMOV UR5, URZ", "TLD.LZ RZ, R8, R4, UR4, 0x0, 3D, 0x1"];
    assert_eq!(after(&mut device, "sm_90", &set, &lines, [8]), Ok([11]));
    let lines = ["R2UR UR4, R7", "UMOV UR5, URZ", "TLD.LZ RZ, R8, R4, UR4, 3D, 0x1"];
    assert_eq!(after(&mut device, "sm_120", &set, &lines, [8]), Ok([11]));
    let samples = Shape {
        samples: 4,
        ..Shape::new(Geometry::Samples, [3, 2, 1])
    };
    let handle = texture(&mut device, samples, S32, Sampler::default());
    // x and y; handle and sample.
    let set = [(6, 2), (7, 1), (4, handle), (5, 3)];
    let found = after(&mut device, "sm_75", &set, &["TLD.SCR.B.LZ.MS R6, R4, R6, R4, 2D"], [4]);
    assert_eq!(found, Ok([23]));
}

#[test]
fn gathers() {
    let mut device = Device::new();
    let plane = Shape::new(Geometry::Plane, [32, 2, 1]);
    let sampler = Sampler {
        address: [AddressMode::ClampToEdge; 3],
        ..Sampler::default()
    };
    let handle = texture(&mut device, plane, F32X4, sampler);
    // From (1, 1), 20 to the right, which four bits would not hold.
    let set = [(8, bits(1.0)), (9, bits(1.0)), (4, handle), (5, 20)];
    let line = ["TLD4.G.B.AOFFI R6, R4, R8, R4, 2D"];
    let found = floats(after(&mut device, "sm_75", &set, &line, [4, 5, 6, 7]));
    let green = |x, y| texel(x, y, 32)[1];
    assert_eq!(found, [green(20, 1), green(21, 1), green(21, 0), green(20, 0)]);
}

#[test]
fn slopes() {
    let mut device = Device::new();
    let planes = Shape {
        layers: 2,
        levels: 3,
        ..Shape::new(Geometry::Planes, [4, 4, 1])
    };
    let handle = texture(&mut device, planes, F32, Sampler::default());
    // Texels 2 apart in y as x grows: level 1, of which layer 1 starts at 36. Layer 1, offset (1, 0).
    let set = [
        (4, handle),
        (5, bits(0.0)),
        (6, bits(0.0)),
        (7, 0x0001_0001),
        (8, bits(0.0)),
        (9, bits(0.0)),
        (10, bits(2.0)),
        (11, bits(0.5)),
    ];
    let line = ["TXD.B.AOFFI R6, R4, R4, R8, ARRAY_2D"];
    assert_eq!(floats(after(&mut device, "sm_75", &set, &line, [4])), [37.0]);
}

#[test]
fn lines_are_read_as_planes() {
    let mut device = Device::new();
    let line = Shape::new(Geometry::Line, [5, 1, 1]);
    let handle = texture(&mut device, line, F32, Sampler::default());
    let set = [(4, bits(3.5)), (5, 0), (7, handle)];
    let lines = ["R2UR UR4, R7", "UMOV UR5, URZ", "TEX RZ, R8, R4, UR4, 2D, 0x1"];
    assert_eq!(floats(after(&mut device, "sm_120", &set, &lines, [8])), [3.0]);
}

#[test]
fn a_sampler_of_its_own() {
    let mut device = Device::new();
    let line = Shape::new(Geometry::Line, [4, 1, 1]);
    let handle = texture(&mut device, line, F32, Sampler::default());
    let sampler = Sampler {
        address: [AddressMode::ClampToBorder; 3],
        border: [bits(7.0); 4],
        ..Sampler::default()
    };
    let other = device.create_sampler(sampler).expect("a sampler") as u32;
    let set = [(4, bits(9.5)), (5, 0), (6, bits(0.0)), (7, handle), (8, other)];
    for (sampler, expected) in [("URZ", 3.0), ("UR6", 7.0)] {
        let copy = format!("UMOV UR5, {sampler}");
        let lines = [
            "R2UR UR4, R7",
            "R2UR UR6, R8",
            &copy,
            "TEX.LL RZ, R9, R4, R6, UR4, 0x0, 2D, 0x1",
        ];
        assert_eq!(floats(after(&mut device, "sm_90", &set, &lines, [9])), [expected]);
    }
}

#[test]
fn sizes() {
    let mut device = Device::new();
    let volume = Shape {
        levels: 2,
        ..Shape::new(Geometry::Volume, [10, 6, 4])
    };
    let handle = texture(&mut device, volume, F32, Sampler::default());
    let set = [(4, handle), (5, 1)];
    let line = ["TXQ.B R6, R4, R4, TEX_HEADER_DIMENSION, 0x7"];
    assert_eq!(after(&mut device, "sm_75", &set, &line, [4, 5, 6]), Ok([5, 3, 2]));
}

#[test]
fn surfaces() {
    let mut device = Device::new();
    let planes = Shape {
        layers: 2,
        ..Shape::new(Geometry::Planes, [4, 2, 1])
    };
    let id = image(&mut device, planes, S32);
    let handle = device.create_surface(id, 0).expect("a surface") as u32;
    // Byte 8 of row 1 of layer 1: texel 8 + 4 + 2.
    let set = [(4, 8), (5, 1), (6, 1), (7, handle), (8, -3_i32 as u32), (9, 99)];
    let lines = [
        "SULD.D.BA.2D_ARRAY.64.STRONG.CTA.TRAP R10, [R4], R7",
        "SURED.D.BA.2D_ARRAY.MIN.S32.STRONG.SYS.TRAP [R4], R8, R7",
        "SULD.D.BA.2D_ARRAY.S8.STRONG.CTA.TRAP R12, [R4], R7",
        "SUST.D.BA.2D_ARRAY.64.STRONG.CTA.TRAP [R4], R8, R7",
    ];
    let found = after(&mut device, "sm_75", &set, &lines, [10, 11, 12]);
    assert_eq!(found, Ok([14, 15, -3_i32 as u32]));
    let left = device.read_image(id).expect("an array");
    assert_eq!(
        left[56..],
        [&(-3_i32).to_le_bytes()[..], &99_u32.to_le_bytes()].concat()
    );
    // Beyond the row: zero, the last of the row, a fault.
    for (mode, expected) in [(".IGN", Ok([0])), ("", Ok([3]))] {
        let line = format!("SULD.D.BA.2D_ARRAY.STRONG.CTA{mode} R10, [R4], R7");
        let found = after(
            &mut device,
            "sm_75",
            &[(4, 16), (5, 0), (6, 0), (7, handle)],
            &[&line],
            [10],
        );
        assert_eq!(found, expected);
    }
    let set = [(4, 16), (5, 0), (6, 0), (7, handle)];
    let line = ["SULD.D.BA.2D_ARRAY.STRONG.CTA.TRAP R10, [R4], R7"];
    assert!(after(&mut device, "sm_75", &set, &line, [10]).is_err());
    // By texel: the second of row 0 of layer 0.
    let set = [(4, 1), (5, 0), (6, 0), (7, handle), (8, -9_i32 as u32)];
    let lines = [
        "R2UR UR4, R7",
        "SURED.D.2D_ARRAY.MIN.SD32.STRONG.SYS.TRAP [R4], R8, UR4",
    ];
    assert_eq!(after(&mut device, "sm_120", &set, &lines, [5]), Ok([0]));
    let lines = ["R2UR UR4, R7", "SUST.P.2D_ARRAY.STRONG.SM.R.TRAP [R4], R8, UR4"];
    let set = [(4, 2), (5, 0), (6, 0), (7, handle), (8, 55)];
    assert_eq!(after(&mut device, "sm_120", &set, &lines, [5]), Ok([0]));
    let left = device.read_image(id).expect("an array");
    assert_eq!(
        left[4..12],
        [&(-9_i32).to_le_bytes()[..], &55_u32.to_le_bytes()].concat()
    );
}

#[test]
fn what_is_not_known_is_a_fault() {
    let mut device = Device::new();
    let lines = ["TEX.SCR.B.LB R6, R4, R6, R4, 2D"];
    let found = after(&mut device, "sm_75", &[], &lines, [4]);
    assert!(found.is_err_and(|text| text.contains("does not implement TEX.SCR.B.LB")));
}

#[test]
fn lanes_of_a_quad_add_with_signs_of_their_own() {
    let lines = [
        "MOV R2, 0x40a00000",
        "MOV R4, 0x3fc00000",
        "FSWZADD.NDV R3, R2, R4, ZPPPZPPP",
        "FSWZADD.NDV R5, R2, R4, PPPNNPZP",
    ];
    let [slopes, signs] = lanes("sm_75", &lines, [3, 5]);
    // 5 and 1.5: the first letter of each pair is that of 5.
    let quad = |row: [u32; 32]| [0, 1, 2, 31].map(|lane: usize| f32::from_bits(row[lane]));
    assert_eq!(quad(slopes), [1.5, 6.5, 1.5, 6.5]);
    assert_eq!(quad(signs), [6.5, 3.5, -3.5, 1.5]);
}

#[test]
fn races_are_not_looked_for() {
    let mut device = Device::new();
    let loaded = load(&mut device, &cubin("sm_75", &["EXIT".to_string()])).expect("it is right");
    let options = Options {
        check_races: true,
        ..Options::default()
    };
    let failure = run(&mut device, &loaded, &Launch::of("k"), &options).expect_err("not supported");
    assert_eq!(failure.fault.kind, FaultKind::Unsupported);
}
