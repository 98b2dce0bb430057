//! Copies of boxes of tensors.

use crate::support::{loaded, module};
use warpsmith_emu::ptx::{
    Device, Fault, FaultKind, Launch, Options, Swizzle, TensorBox, TensorElement, TensorMap, run,
};

const WAIT: &str = "wait: mbarrier.try_wait.parity.shared::cta.b64 %p1, [barrier], 0; @!%p1 bra wait;";

/// A kernel with a tensor map as an argument: `%d1` is its address, `%d0` the output's; `tile` is shared memory of 4096 bytes of ones.
fn kernel(body: &str) -> String {
    module(&format!(
        ".visible .entry k(.param .u64 out, .param .align 64 .b8 map[128]) {{
            .reg .b32 %r<20>; .reg .b64 %d<20>; .reg .pred %p<8>; .reg .b16 %h<8>;
            .shared .align 1024 .b8 tile[4096]; .shared .align 8 .b64 barrier; .shared .align 128 .b8 copy[128];
            ld.param.u64 %d0, [out]; mov.b64 %d2, map; cvta.param.u64 %d1, %d2;
            mbarrier.init.shared.b64 [barrier], 1;
            {body} ret;
        }}"
    ))
}

/// A load of `bytes` by `copy` into the tile, all of which goes to the output.
fn load(bytes: u32, copy: &str) -> String {
    kernel(&format!(
        "mbarrier.arrive.expect_tx.shared::cta.b64 _, [barrier], {bytes};
         {copy} {WAIT}
         cp.async.bulk.global.shared::cta.bulk_group [%d0], [tile], {bytes};
         cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;"
    ))
}

struct Bench {
    device: Device,
    tensor: u64,
    out: u64,
}

impl Bench {
    /// A tensor of 16-bit numbers 0, 1, 2….
    fn new(count: u16) -> Bench {
        let mut device = Device::new();
        let tensor = device.allocate(2 * u64::from(count), 256);
        let bytes: Vec<u8> = (0..count).flat_map(u16::to_le_bytes).collect();
        device.write(tensor, &bytes).unwrap();
        let out = device.allocate(4096, 256);
        Bench { device, tensor, out }
    }

    fn run(&mut self, text: &str, map: &TensorMap) -> Result<(), Box<Fault>> {
        let loaded = loaded(&mut self.device, text);
        let launch = Launch {
            arguments: vec![self.out.to_le_bytes().to_vec(), map.encode()?.to_vec()],
            ..Launch::of("k")
        };
        let options = Options {
            delay_copies: true,
            ..Options::default()
        };
        run(&mut self.device, &loaded, &launch, &options).map_err(|failure| Box::new(failure.fault))?;
        Ok(())
    }

    fn numbers(&self, address: u64, count: u64) -> Vec<u16> {
        let bytes = self.device.read(address, 2 * count).unwrap();
        bytes
            .chunks_exact(2)
            .map(|half| u16::from_le_bytes([half[0], half[1]]))
            .collect()
    }

    fn loads(&mut self, copy: &str, map: &TensorMap, count: u64) -> Vec<u16> {
        let text = load(2 * count as u32, copy);
        self.run(&text, map).unwrap_or_else(|fault| panic!("{fault}"));
        self.numbers(self.out, count)
    }
}

const TILE_2D: &str = "cp.async.bulk.tensor.2d.shared::cta.global.tile.mbarrier::complete_tx::bytes";

#[test]
fn a_box_and_what_is_outside() {
    // 4 rows of 24 numbers; boxes of 8 × 3.
    let mut bench = Bench::new(96);
    let mut map = TensorMap::tiled(bench.tensor, TensorElement::F16, &[24, 4], &[8, 3]);
    let found = bench.loads(&format!("{TILE_2D} [tile], [%d1, {{8, 1}}], [barrier];"), &map, 24);
    let expected: Vec<u16> = (1..4)
        .flat_map(|row| (0..8).map(move |column| 24 * row + 8 + column))
        .collect();
    assert_eq!(found, expected);
    // Two columns to the left of the tensor, one row below it.
    let copy = format!("mov.u32 %r1, -2; {TILE_2D} [tile], [%d1, {{%r1, 2}}], [barrier];");
    let row = |start: u16, fill: u16| [fill, fill, start, start + 1, start + 2, start + 3, start + 4, start + 5];
    assert_eq!(bench.loads(&copy, &map, 24), [row(48, 0), row(72, 0), [0; 8]].concat());
    map.fill_nan = true;
    assert_eq!(
        bench.loads(&copy, &map, 24),
        [row(48, 0x7ff7), row(72, 0x7ff7), [0x7ff7; 8]].concat()
    );
    // To the right.
    map.fill_nan = false;
    let copy = format!("{TILE_2D} [tile], [%d1, {{20, 0}}], [barrier];");
    assert_eq!(bench.loads(&copy, &map, 24)[..8], [20, 21, 22, 23, 0, 0, 0, 0]);
}

#[test]
fn strides_between_elements() {
    // Every second row of 3 dimensions: ⌈3 / 2⌉ rows.
    let mut bench = Bench::new(8 * 6 * 2);
    let mut map = TensorMap::tiled(bench.tensor, TensorElement::U16, &[8, 6, 2], &[8, 3, 2]);
    map.element_strides[1] = 2;
    let copy =
        "cp.async.bulk.tensor.3d.shared::cta.global.mbarrier::complete_tx::bytes [tile], [%d1, {0, 1, 0}], [barrier];";
    let found = bench.loads(copy, &map, 32);
    let row = |row: u16| (8 * row..8 * row + 8).collect::<Vec<u16>>();
    assert_eq!(found, [row(1), row(3), row(7), row(9)].concat());
}

#[test]
fn swizzles_follow_the_tables_of_the_manual() {
    // Chunks of 16 bytes of eight lines of 128 bytes: which chunk stands where.
    let tables: [(Swizzle, &[[u16; 8]]); 6] = [
        (Swizzle::B32, &[[0, 1, 2, 3, 4, 5, 6, 7], [1, 0, 3, 2, 5, 4, 7, 6]]),
        (
            Swizzle::B64,
            &[
                [0, 1, 2, 3, 4, 5, 6, 7],
                [1, 0, 3, 2, 5, 4, 7, 6],
                [2, 3, 0, 1, 6, 7, 4, 5],
                [3, 2, 1, 0, 7, 6, 5, 4],
            ],
        ),
        (Swizzle::B96, &[[0, 1, 2, 3, 4, 5, 6, 7], [1, 0, 3, 2, 5, 4, 7, 6]]),
        (
            Swizzle::B128,
            &[
                [0, 1, 2, 3, 4, 5, 6, 7],
                [1, 0, 3, 2, 5, 4, 7, 6],
                [2, 3, 0, 1, 6, 7, 4, 5],
                [3, 2, 1, 0, 7, 6, 5, 4],
                [4, 5, 6, 7, 0, 1, 2, 3],
                [5, 4, 7, 6, 1, 0, 3, 2],
                [6, 7, 4, 5, 2, 3, 0, 1],
                [7, 6, 5, 4, 3, 2, 1, 0],
            ],
        ),
        (
            Swizzle::B128Atom32,
            &[
                [0, 1, 2, 3, 4, 5, 6, 7],
                [2, 3, 0, 1, 6, 7, 4, 5],
                [4, 5, 6, 7, 0, 1, 2, 3],
                [6, 7, 4, 5, 2, 3, 0, 1],
            ],
        ),
        (
            Swizzle::B128Atom64,
            &[[0, 1, 2, 3, 4, 5, 6, 7], [4, 5, 6, 7, 0, 1, 2, 3]],
        ),
    ];
    for (swizzle, table) in tables {
        // Rows of as many bytes as the swizzle has, eight lines in all. Rows of 96 bytes would not fill lines: their span is cut to 64.
        let bytes = swizzle.span().filter(|span| *span != 96).unwrap_or(64) as u16;
        let mut bench = Bench::new(512);
        let (columns, rows) = (bytes / 2, 1024 / bytes);
        let sizes = [u64::from(columns), u64::from(rows)];
        let mut map = TensorMap::tiled(bench.tensor, TensorElement::U16, &sizes, &[columns.into(), rows.into()]);
        map.swizzle = swizzle;
        let found = bench.loads(&format!("{TILE_2D} [tile], [%d1, {{0, 0}}], [barrier];"), &map, 512);
        for (place, number) in found.iter().enumerate() {
            let (line, chunk, half) = (place / 64, place / 8 % 8, place % 8);
            let expected = line as u16 * 64 + table[line % table.len()][chunk] * 8 + half as u16;
            assert_eq!(*number, expected, "{swizzle:?} at {place}");
        }
    }
    // Halves of 16 bytes change places in every other line.
    let flip = Swizzle::B128Atom32Flip8;
    assert_eq!(
        [0, 8, 128, 136, 256].map(|at| flip.permute(at)),
        [0, 8, 128 + 40, 128 + 32, 256 + 64]
    );
}

#[test]
fn stores_leave_what_is_outside_alone() {
    let mut bench = Bench::new(64);
    let mut map = TensorMap::tiled(bench.tensor, TensorElement::U16, &[8, 8], &[8, 4]);
    map.swizzle = Swizzle::B128;
    let text = kernel(
        "mbarrier.arrive.expect_tx.shared::cta.b64 _, [barrier], 64;
         cp.async.bulk.tensor.2d.shared::cta.global.tile.mbarrier::complete_tx::bytes [tile], [%d1, {0, 0}], [barrier];
         wait: mbarrier.try_wait.parity.shared::cta.b64 %p1, [barrier], 0; @!%p1 bra wait;
         mov.u32 %r1, 3; mov.u32 %r2, 6;
         cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%d1, {%r1, %r2}], [tile];
         cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;",
    );
    bench.run(&text, &map).unwrap();
    let found = bench.numbers(bench.tensor, 64);
    assert_eq!(found[..48], (0..48).collect::<Vec<u16>>());
    assert_eq!(found[48..56], [48, 49, 50, 0, 1, 2, 3, 4]);
    assert_eq!(found[56..], [56, 57, 58, 8, 9, 10, 11, 12]);
}

#[test]
fn four_rows() {
    let mut bench = Bench::new(16 * 12);
    let map = TensorMap::tiled(bench.tensor, TensorElement::U16, &[16, 12], &[8, 1]);
    // Column 4 of rows 2, 5, 0 and 20, which is outside.
    let copy = "cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4.mbarrier::complete_tx::bytes
        [tile], [%d1, {4, 2, 5, 0, 20}], [barrier];";
    let found = bench.loads(copy, &map, 32);
    let row = |row: u16| (16 * row + 4..16 * row + 12).collect::<Vec<u16>>();
    assert_eq!(found, [row(2), row(5), row(0), vec![0; 8]].concat());
    // And back to rows 1, 0, 7 and 6, added.
    let text = kernel(&format!(
        "mbarrier.arrive.expect_tx.shared::cta.b64 _, [barrier], 64; {copy} {WAIT}
         cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group [%d1, {{0, 1, 0, 7, 6}}], [tile];
         cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;"
    ));
    bench.run(&text, &map).unwrap();
    let found = bench.numbers(bench.tensor, 16 * 12);
    assert_eq!(found[16..24], (36..44).collect::<Vec<u16>>());
    assert_eq!(found[..8], (84..92).collect::<Vec<u16>>());
    assert_eq!(found[112..120], (4..12).collect::<Vec<u16>>());
    assert_eq!(found[96..104], [0; 8]);
}

#[test]
fn reductions_into_tensors() {
    let mut bench = Bench::new(32);
    let text = |operation: &str| {
        kernel(&format!(
            "mov.u32 %r1, 5; st.shared.v4.u32 [tile], {{%r1, %r1, %r1, %r1}}; mov.u32 %r2, 2;
             cp.reduce.async.bulk.tensor.1d.global.shared::cta.{operation}.tile.bulk_group [%d1, {{%r2}}], [tile];
             cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;"
        ))
    };
    let map = TensorMap::tiled(bench.tensor, TensorElement::U32, &[5], &[4]);
    // Words 2, 3 and 4 of numbers 2i + (2i+1)·2¹⁶; word 5 is outside.
    bench.run(&text("add"), &map).unwrap();
    assert_eq!(
        bench.numbers(bench.tensor, 12),
        [0, 1, 2, 3, 9, 5, 11, 7, 13, 9, 10, 11]
    );
    bench.run(&text("min"), &map).unwrap();
    assert_eq!(bench.numbers(bench.tensor, 12), [0, 1, 2, 3, 5, 0, 5, 0, 5, 0, 10, 11]);
    let halves = TensorMap::tiled(bench.tensor, TensorElement::U16, &[16], &[8]);
    let fault = bench.run(&text("add"), &halves).unwrap_err();
    assert_eq!(
        (fault.kind, fault.message.as_str()),
        (FaultKind::Operand, "the reduction does not take tensors of U16")
    );
}

#[test]
fn pixels_under_a_filter() {
    // Two images of 3 × 3 pixels of 8 channels, padded by one; the filter of 3 × 3 stands at its element (offset) 0 or 2 in each dimension.
    let mut bench = Bench::new(2 * 9 * 8);
    let mut map = TensorMap::tiled(bench.tensor, TensorElement::U16, &[8, 3, 3, 2], &[]);
    map.shape = TensorBox::Im2col {
        lower: [-1, -1, 0],
        upper: [-1, -1, 0],
        channels: 8,
        pixels: 12,
    };
    let pixel = |n: i32, y: i32, x: i32| -> Vec<u16> {
        if (0..3).contains(&y) && (0..3).contains(&x) && (0..2).contains(&n) {
            let start = ((n * 9 + y * 3 + x) * 8) as u16;
            (start..start + 8).collect()
        } else {
            vec![0; 8]
        }
    };
    for (x, y) in [(0, 0), (2, 1)] {
        let copy = format!(
            "mov.u32 %r1, -1; mov.u16 %h1, {x}; mov.u16 %h2, {y};
             cp.async.bulk.tensor.4d.shared::cta.global.im2col.mbarrier::complete_tx::bytes
             [tile], [%d1, {{0, %r1, %r1, 0}}], [barrier], {{%h1, %h2}};"
        );
        let found = bench.loads(&copy, &map, 96);
        // The output pixels in order: nine of image 0 and three of image 1, each at its place plus the filter's.
        let expected: Vec<u16> = (0..12)
            .flat_map(|i| pixel(i / 9, i / 3 % 3 - 1 + y, i % 3 - 1 + x))
            .collect();
        assert_eq!(found, expected, "{x} {y}");
    }
}

/// Where the number at a place of the tile was before the swizzle of 64 bytes.
fn unswizzled(found: &[u16], place: usize) -> u16 {
    found[Swizzle::B64.permute(2 * place as u64) as usize / 2]
}

#[test]
fn pixels_along_a_row() {
    // Images of 2 rows of 5 pixels of 32 channels: number 32 p + c, p counting all pixels. The box in W reaches from -1 to 4.
    let mut bench = Bench::new(32 * 5 * 2 * 6);
    let mut map = TensorMap::tiled(bench.tensor, TensorElement::U16, &[32, 5, 2, 6], &[]);
    map.swizzle = Swizzle::B64;
    map.shape = TensorBox::Im2colWide {
        lower: -1,
        upper: 0,
        channels: 32,
        pixels: 10,
    };
    let pixel = |n: i64, x: i64, channel: u16| -> u16 {
        if (0..5).contains(&x) {
            32 * ((n * 2 + 1) * 5 + x) as u16 + channel
        } else {
            0
        }
    };
    // Row 1, from W = 2 of image 1 on: 3 pixels, 6 of the next image, 1 of the one after; and as many more as wHalo says.
    for (halo, offset, stride) in [(0, 0, 1), (3, 0, 1), (2, 1, 1), (1, 0, 2)] {
        map.element_strides[1] = stride;
        let copy = format!(
            "mov.u16 %h1, {halo}; mov.u16 %h2, {offset};
             cp.async.bulk.tensor.4d.shared::cta.global.im2col::w.mbarrier::complete_tx::bytes [tile], [%d1, {{0, 2, 1, 1}}], [barrier], {{%h1, %h2}};"
        );
        let count = 10 + halo as usize;
        let found = bench.loads(&copy, &map, 32 * count as u64);
        let (mut n, mut x) = (1, 2);
        for row in 0..count {
            for channel in [0, 9, 31] {
                let number = unswizzled(&found, 32 * row + channel);
                assert_eq!(
                    number,
                    pixel(n, x + offset, channel as u16),
                    "pixel {row} of {count}, {offset}"
                );
            }
            x += i64::from(stride);
            if x > 4 {
                (n, x) = (n + 1, -1);
            }
        }
    }
    let copy = "mov.u16 %h1, 0; cp.async.bulk.tensor.4d.shared::cta.global.im2col::w.mbarrier::complete_tx::bytes [tile], [%d1, {0, 5, 1, 1}], [barrier], {%h1, %h1};";
    let fault = bench.run(&load(640, copy), &map).unwrap_err();
    assert_eq!(
        fault.message,
        "the first pixel, 5 in W, is to the right of the box, which ends at 4"
    );
}

#[test]
fn a_hundred_and_twenty_eight_pixels() {
    // Images of 7 pixels of 16 channels of 16 bits, in rows of 32 bytes.
    let mut bench = Bench::new(16 * 7 * 30);
    let mut map = TensorMap::tiled(bench.tensor, TensorElement::U16, &[16, 7, 30], &[]);
    map.swizzle = Swizzle::B32;
    map.shape = TensorBox::Im2colWide {
        lower: 0,
        upper: 0,
        channels: 8,
        pixels: 1,
    };
    let copy = "mov.u16 %h1, 2; mov.u16 %h2, 0;
        cp.async.bulk.tensor.3d.shared::cta.global.im2col::w::128.mbarrier::complete_tx::bytes [tile], [%d1, {8, 3, 2}], [barrier], {%h1, %h2};";
    let found = bench.loads(copy, &map, 8 * 136);
    let start = 2 * 7 + 3;
    // The pixels follow each other; then the first after each 32 of them, then the second.
    let more = (0..2).flat_map(|halo| (1..5).map(move |group| 32 * group + halo));
    for (row, pixel) in (0..128).chain(more).enumerate() {
        let at = Swizzle::B32.permute(16 * row as u64) as usize / 2;
        assert_eq!(found[at], (start + pixel) * 16 + 8, "row {row}");
    }
}

#[test]
fn slices_of_channels() {
    // 2 images of 3 slices of 4 rows of 6 pixels, 8 channels of 16 bits to a slice: pixel p of a slice starts with 8 p.
    let mut bench = Bench::new(8 * 6 * 4 * 3 * 2);
    let mut map = TensorMap::tiled(bench.tensor, TensorElement::U16, &[6, 4, 3, 2], &[4, 2, 1, 2]);
    map.interleave = 1;
    map.pack();
    assert_eq!(map.strides, [96, 384, 1152, 0]);
    let copy = "mov.u32 %r1, -1; cp.async.bulk.tensor.4d.shared::cta.global.tile.mbarrier::complete_tx::bytes [tile], [%d1, {%r1, 1, 2, 0}], [barrier];";
    let found = bench.loads(copy, &map, 8 * 16);
    let slice = |x: i64, y: i64, c: i64, n: i64| -> [u16; 8] {
        match (0..6).contains(&x) && (0..4).contains(&y) && (0..2).contains(&n) {
            true => std::array::from_fn(|i| (((n * 3 + c) * 4 + y) * 6 + x) as u16 * 8 + i as u16),
            false => [0; 8],
        }
    };
    let expected: Vec<u16> = (0..16)
        .flat_map(|i| slice(i % 4 - 1, 1 + i / 4 % 2, 2, i / 8))
        .collect();
    assert_eq!(found, expected);
    // Every second pixel of a row.
    map.element_strides[0] = 2;
    map.shape = TensorBox::Tile([4, 2, 1, 1, 1]);
    let found = bench.loads(copy, &map, 8 * 4);
    let expected: Vec<u16> = [(-1, 1), (1, 1), (-1, 2), (1, 2)]
        .into_iter()
        .flat_map(|(x, y)| slice(x, y, 2, 0))
        .collect();
    assert_eq!(found, expected);
    // Under a filter: 5 pixels from (4, 2) on, at the filter's element (1, 0).
    map.element_strides[0] = 1;
    map.shape = TensorBox::Im2col {
        lower: [0, 0, 0],
        upper: [0, 0, 0],
        channels: 8,
        pixels: 5,
    };
    let copy =
        "mov.u16 %h1, 1; mov.u16 %h2, 0; cp.async.bulk.tensor.4d.shared::cta.global.im2col.mbarrier::complete_tx::bytes
        [tile], [%d1, {4, 2, 1, 0}], [barrier], {%h1, %h2};";
    let found = bench.loads(copy, &map, 8 * 5);
    let expected: Vec<u16> = [(5, 2), (6, 2), (1, 3), (2, 3), (3, 3)]
        .into_iter()
        .flat_map(|(x, y)| slice(x, y, 1, 0))
        .collect();
    assert_eq!(found, expected);
}

#[test]
fn slices_of_32_bytes_are_swizzled() {
    // 2 images of 4 slices of 8 pixels, 16 channels of 16 bits to a slice.
    let mut bench = Bench::new(16 * 8 * 4 * 2);
    let mut map = TensorMap::tiled(bench.tensor, TensorElement::U16, &[8, 4, 2], &[8, 1, 2]);
    map.interleave = 2;
    map.swizzle = Swizzle::B32;
    map.pack();
    let copy = "cp.async.bulk.tensor.3d.shared::cta.global.tile.mbarrier::complete_tx::bytes [tile], [%d1, {0, 2, 0}], [barrier];";
    let found = bench.loads(copy, &map, 16 * 16);
    // Four slices to a line of 128 bytes; in every other line the halves of a slice change places.
    for (place, number) in found.into_iter().enumerate() {
        let (image, within) = (place / 128, place % 128);
        let flips = place / 64 % 2 * 8;
        assert_eq!(usize::from(number), (image * 4 + 2) * 128 + (within ^ flips), "{place}");
    }
    map.swizzle = Swizzle::None;
    assert_eq!(
        map.encode().unwrap_err().message,
        "slices of 32 bytes go with the swizzle of 32 bytes alone"
    );
}

#[test]
fn maps_change_on_the_device() {
    // A map in shared memory gets another address, size and box, goes to global memory and is used there.
    let mut bench = Bench::new(64);
    let map = TensorMap::tiled(bench.tensor, TensorElement::U16, &[8, 8], &[8, 2]);
    let place = bench.device.create_tensor_map(&map).unwrap();
    let text = kernel(&format!(
        "mov.u64 %d3, {place}; mov.u32 %r9, 0;
         more: cvt.u64.u32 %d4, %r9; add.u64 %d5, %d1, %d4; ld.b32 %r8, [%d5];
         mov.u32 %r7, copy; add.u32 %r7, %r7, %r9; st.shared.b32 [%r7], %r8; add.u32 %r9, %r9, 4;
         setp.lt.u32 %p3, %r9, 128; @%p3 bra more;
         mov.u64 %d6, {address}; tensormap.replace.tile.global_address.shared::cta.b1024.b64 [copy], %d6;
         mov.u32 %r1, 3; tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [copy], 1, %r1;
         mov.u32 %r1, 4; tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [copy], 1, %r1;
         tensormap.replace.tile.fill_mode.shared::cta.b1024.b32 [copy], 1; tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [copy], 6;
         tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%d3], [copy], 128;
         fence.proxy.tensormap::generic.acquire.gpu [%d3], 128;
         mbarrier.arrive.expect_tx.shared::cta.b64 _, [barrier], 64;
         cp.async.bulk.tensor.2d.shared::cta.global.tile.mbarrier::complete_tx::bytes [tile], [%d3, {{0, 0}}], [barrier]; {WAIT}
         cp.async.bulk.global.shared::cta.bulk_group [%d0], [tile], 64; cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;",
        address = bench.tensor + 32,
    ));
    bench.run(&text, &map).unwrap_or_else(|fault| panic!("{fault}"));
    let expected: Vec<u16> = (16..40).chain([0x7ff7; 8]).collect();
    assert_eq!(bench.numbers(bench.out, 32), expected);
}

#[test]
fn the_bytes_of_a_map() {
    let mut map = TensorMap::tiled(0x7f_1234_5670, TensorElement::Bf16, &[64, 100, 7], &[64, 32, 1]);
    map.swizzle = Swizzle::B128;
    let bytes = map.encode().unwrap();
    let word = |index: usize| u32::from_le_bytes(bytes[4 * index..4 * index + 4].try_into().unwrap());
    assert_eq!([word(0), word(1)], [0x1234_5670, 0x7f]);
    // Version 1, rank 3, bf16, 128-byte swizzle.
    assert_eq!(word(2), 1 << 1 | 2 << 4 | 10 << 7 | 3 << 13);
    assert_eq!([word(3), word(4), word(7)], [128 / 16, 12_800 / 16, 0]);
    assert_eq!([word(8), word(9), word(10)], [63, 99, 6]);
    assert_eq!([word(13), word(14)], [63 << 24, 31]);
    assert_eq!(
        TensorMap::decode(&bytes).unwrap(),
        TensorMap {
            strides: [128, 12_800, 0, 0],
            ..map
        }
    );
    let refused = |change: fn(&mut TensorMap)| {
        let mut map = map;
        change(&mut map);
        map.encode().unwrap_err().message
    };
    assert_eq!(
        refused(|map| map.address += 8),
        "the tensor starts at 0x7f12345678, not at a multiple of 16"
    );
    assert_eq!(
        refused(|map| map.strides[0] = 24),
        "a stride of a tensor map is 24, not a multiple of 16"
    );
    assert_eq!(
        refused(|map| map.swizzle = Swizzle::B64),
        "a box of rows of 128 bytes with a swizzle of 64"
    );
    assert_eq!(
        refused(|map| map.element_strides[1] = 9),
        "an element stride of a tensor map is 9, not from 1 to 8"
    );
    assert_eq!(
        refused(|map| map.rank = 6),
        "the rank of a tensor map is 6, not from 1 to 5"
    );
    assert!(TensorMap::decode(&[0; 128]).is_err());
}
