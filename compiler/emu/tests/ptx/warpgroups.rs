//! `wgmma.mma_async` against sums computed here. Shared memory is laid out as the manual's canonical layouts and the swizzles say.

use warpsmith_emu::ptx::Options;

use crate::support::attempt;

/// Words of shared memory that are filled from the start of global memory.
const IMAGE: usize = 6144;
/// Words of each thread after that: A from 0, D from 8, metadata at 40.
const WORDS: usize = 48;

fn number(row: usize, column: usize, matrix: usize) -> i32 {
    (row * 7 + column * 3 + row * column + 5 * matrix) as i32 % 9 - 4
}

fn f16(value: i32) -> u32 {
    let bits = (value as f32).to_bits();
    if value == 0 {
        0
    } else {
        (bits >> 16 & 0x8000) | ((bits >> 13 & 0x3_ffff) - (112 << 10))
    }
}

/// Puts bits at a byte of the image.
fn put(words: &mut [u32], byte: usize, value: u32) {
    words[byte / 4] |= value << (byte % 4 * 8);
}

/// Runs 128 threads: `instruction` has `%w0` and `%w1`, the descriptors, `%a0`–`%a3`, `%c0`–`%c31` and `%e0`.
fn run(instruction: &str, descriptors: [u64; 2], sums: usize, words: &[u32]) -> Vec<u32> {
    let loads: String = (0..sums)
        .map(|i| format!("ld.global.b32 %c{i}, [%d1+{}];", 4 * (8 + i)))
        .collect();
    let stores: String = (0..sums)
        .map(|i| format!("st.global.b32 [%d1+{}], %c{i};", 4 * (8 + i)))
        .collect();
    let [a, b] = descriptors;
    let text = format!(
        ".version 8.4\n.target sm_90a\n.address_size 64
         .visible .entry k(.param .u64 out) {{
            .reg .b64 %d<8>, %w<4>; .reg .b32 %t, %i, %v, %s, %a<4>, %c<32>, %e<2>; .reg .pred %p;
            .shared .align 1024 .b8 memory[{}];
            ld.param.u64 %d0, [out]; mov.u32 %t, %tid.x; mov.u32 %i, %t;
            again: mul.wide.u32 %d2, %i, 4; add.u64 %d2, %d0, %d2; ld.global.b32 %v, [%d2];
            mov.u32 %s, memory; mad.lo.u32 %s, %i, 4, %s; st.shared.b32 [%s], %v;
            add.u32 %i, %i, 128; setp.lt.u32 %p, %i, {IMAGE}; @%p bra again;
            fence.proxy.async.shared::cta; bar.sync 0;
            mul.wide.u32 %d1, %t, {}; add.u64 %d1, %d0, %d1; add.u64 %d1, %d1, {};
            ld.global.v4.b32 {{%a0, %a1, %a2, %a3}}, [%d1]; ld.global.b32 %e0, [%d1+160]; {loads}
            mov.u32 %s, memory; shr.u32 %s, %s, 4; cvt.u64.u32 %d3, %s;
            add.u64 %w0, %d3, {a:#x}; add.u64 %w1, %d3, {b:#x};
            wgmma.fence.sync.aligned;
            {instruction};
            wgmma.commit_group.sync.aligned;
            wgmma.wait_group.sync.aligned 0;
            {stores}
            ret;
         }}",
        4 * IMAGE,
        4 * WORDS,
        4 * IMAGE
    );
    let options = Options {
        step_budget: 10_000_000,
        ..Options::default()
    };
    match attempt(&text, words, (1, 128), &options) {
        Ok((words, _)) => words,
        Err(fault) => panic!("{fault} in {instruction}"),
    }
}

fn descriptor(byte: usize, leading: usize, stride: usize, mode: u64) -> u64 {
    (byte as u64 >> 4) | (leading as u64 >> 4) << 16 | (stride as u64 >> 4) << 32 | mode << 62
}

fn vector(sums: usize) -> String {
    let names: Vec<String> = (0..sums).map(|index| format!("%c{index}")).collect();
    format!("{{{}}}", names.join(", "))
}

/// Row and column of element i of D of a thread: figure for wgmma D.
fn place(thread: usize, i: usize) -> (usize, usize) {
    let (warp, lane) = (thread / 32, thread % 32);
    (warp * 16 + lane / 4 + i / 2 % 2 * 8, i / 4 * 8 + lane % 4 * 2 + i % 2)
}

fn blank() -> Vec<u32> {
    vec![0; IMAGE + 128 * WORDS]
}

fn check(found: &[u32], columns: usize, expected: impl Fn(usize, usize) -> u32) {
    for thread in 0..128 {
        for i in 0..columns / 2 {
            let (row, column) = place(thread, i);
            let value = found[IMAGE + thread * WORDS + 8 + i];
            assert_eq!(value, expected(row, column), "row {row}, column {column}");
        }
    }
}

fn dot(row: usize, column: usize, depth: usize) -> i32 {
    (0..depth).map(|k| number(row, k, 1) * number(k, column, 2)).sum()
}

/// The byte of element (row, k) of two bytes in rows of `span` bytes that are swizzled: the 16-byte unit is combined with the row.
fn swizzled(row: usize, k: usize, span: usize) -> usize {
    let unit = k * 2 / 16;
    row * span + (unit ^ (row * span / 128 % (span / 16))) * 16 + k * 2 % 16
}

#[test]
fn descriptors_of_k_major_matrices() {
    for (span, mode) in [(16, 0), (32, 3), (64, 2), (128, 1)] {
        let mut words = blank();
        // A of 64×16 at 0, B of 16×32 at 8192. Without a swizzle, blocks of 8 rows by 16 bytes: the columns of a row's blocks first.
        let byte = |row: usize, k: usize, rows: usize| {
            if span == 16 {
                row * 16 + k / 8 * rows * 16 + k % 8 * 2
            } else {
                swizzled(row, k, span)
            }
        };
        for k in 0..16 {
            for row in 0..64 {
                put(&mut words, byte(row, k, 64), f16(number(row, k, 1)));
            }
            for column in 0..32 {
                put(&mut words, 8192 + byte(column, k, 32), f16(number(k, column, 2)));
            }
        }
        let a = descriptor(0, 64 * 16, 8 * span, mode);
        let b = descriptor(8192, 32 * 16, 8 * span, mode);
        let instruction = format!(
            "wgmma.mma_async.sync.aligned.m64n32k16.f32.f16.f16 {}, %w0, %w1, 0, 1, -1, 0, 0",
            vector(16)
        );
        let found = run(&instruction, [a, b], 16, &words);
        check(&found, 32, |row, column| (0.0 - dot(row, column, 16) as f32).to_bits());
    }
}

#[test]
fn a_later_part_of_swizzled_rows() {
    let mut words = blank();
    for k in 0..16 {
        for row in 0..64 {
            put(&mut words, swizzled(row, k + 32, 128), f16(number(row, k, 1)));
        }
        for column in 0..8 {
            put(
                &mut words,
                8192 + swizzled(column, k + 48, 128),
                f16(number(k, column, 2)),
            );
        }
    }
    for thread in 0..128 {
        for i in 0..4 {
            words[IMAGE + thread * WORDS + 8 + i] = 100.0_f32.to_bits();
        }
    }
    let (a, b) = (descriptor(64, 16, 1024, 1), descriptor(8192 + 96, 16, 1024, 1));
    let instruction = format!(
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {}, %w0, %w1, 1, 1, 1, 0, 0",
        vector(4)
    );
    let found = run(&instruction, [a, b], 4, &words);
    check(&found, 8, |row, column| (100.0 + dot(row, column, 16) as f32).to_bits());
}

#[test]
fn transposed_matrices() {
    // MN-major with a swizzle of 128 bytes: 64 rows (columns) of each k in 128 bytes, eight k in a pattern.
    let mut words = blank();
    for k in 0..16 {
        for row in 0..64 {
            put(&mut words, swizzled(k, row, 128), f16(number(row, k, 1)));
        }
        for column in 0..64 {
            put(&mut words, 8192 + swizzled(k, column, 128), f16(number(k, column, 2)));
        }
    }
    let (a, b) = (descriptor(0, 4096, 1024, 1), descriptor(8192, 4096, 1024, 1));
    let instruction = format!(
        "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {}, %w0, %w1, 0, 1, 1, 1, 1",
        vector(32)
    );
    let found = run(&instruction, [a, b], 32, &words);
    check(&found, 64, |row, column| (dot(row, column, 16) as f32).to_bits());
}

#[test]
fn transposed_matrices_in_narrow_swizzles() {
    // B of 16×32: 16 columns of each k in 32 bytes, patterns of eight k; the next 16 columns 1024 bytes on, the next eight k 256.
    let mut words = blank();
    for k in 0..16 {
        for column in 0..32 {
            let byte = swizzled(k % 8, column % 16, 32) + k / 8 * 256 + column / 16 * 1024;
            put(&mut words, 8192 + byte, f16(number(k, column, 2)));
        }
        // A without swizzle: units of eight rows; eight k of them in 128 bytes, the next rows 128 bytes on, the next k 1024.
        for row in 0..64 {
            put(
                &mut words,
                row % 8 * 2 + k % 8 * 16 + row / 8 * 128 + k / 8 * 1024,
                f16(number(row, k, 1)),
            );
        }
    }
    let (a, b) = (descriptor(0, 1024, 128, 0), descriptor(8192, 1024, 256, 3));
    let instruction = format!(
        "wgmma.mma_async.sync.aligned.m64n32k16.f32.f16.f16 {}, %w0, %w1, 0, -1, -1, 1, 1",
        vector(16)
    );
    let found = run(&instruction, [a, b], 16, &words);
    check(&found, 32, |row, column| (dot(row, column, 16) as f32).to_bits());
}

#[test]
fn factors_in_registers_of_bytes() {
    let mut words = blank();
    for thread in 0..128 {
        for i in 0..16 {
            let row = thread / 32 * 16 + thread % 32 / 4 + i / 4 % 2 * 8;
            let k = thread % 4 * 4 + i % 4 + i / 8 * 16;
            put(
                &mut words,
                4 * (IMAGE + thread * WORDS + i / 4) + i % 4,
                number(row, k, 1) as u32 & 0xff,
            );
        }
        for i in 0..8 {
            words[IMAGE + thread * WORDS + 8 + i] = 1000;
        }
    }
    for k in 0..32 {
        for column in 0..16 {
            put(
                &mut words,
                column * 16 + k / 16 * 256 + k % 16,
                number(k, column, 2) as u32 & 0xff,
            );
        }
    }
    let b = descriptor(0, 256, 128, 0);
    let instruction = format!(
        "wgmma.mma_async.sync.aligned.m64n16k32.satfinite.s32.s8.s8 {}, {{%a0, %a1, %a2, %a3}}, %w1, 1",
        vector(8)
    );
    let found = run(&instruction, [0, b], 8, &words);
    check(&found, 16, |row, column| (1000 + dot(row, column, 32)) as u32);
}

#[test]
fn sparse_factors() {
    // Elements 0 and 3 of each chunk of rows 0–7 of 16, elements 1 and 2 of the others; A is stored in rows of 32 bytes.
    let kept = |row: usize| if row % 16 < 8 { [0, 3] } else { [1, 2] };
    let mut words = blank();
    for row in 0..64 {
        for chunk in 0..8 {
            for (index, k) in kept(row).into_iter().enumerate() {
                put(
                    &mut words,
                    swizzled(row, chunk * 2 + index, 32),
                    f16(number(row, chunk * 4 + k, 1)),
                );
            }
        }
    }
    for k in 0..32 {
        for column in 0..8 {
            put(&mut words, 8192 + swizzled(column, k, 64), f16(number(k, column, 2)));
        }
    }
    for thread in 0..128 {
        // Rows 0–7 in the lower halves; selector 1 asks the upper two lanes of four.
        words[IMAGE + thread * WORDS + 40] = if thread % 4 >= 2 { 0x9999_cccc } else { 0x4444_4444 };
    }
    let (a, b) = (descriptor(0, 16, 256, 3), descriptor(8192, 16, 512, 2));
    let instruction = format!(
        "wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.f16.f16 {}, %w0, %w1, %e0, 1, 0, 1, 1, 0, 0",
        vector(4)
    );
    let found = run(&instruction, [a, b], 4, &words);
    check(&found, 8, |row, column| {
        let term = |k: usize| number(row, k, 1) * number(k, column, 2);
        let sum: i32 = (0..32).filter(|k| kept(row).contains(&(k % 4))).map(term).sum();
        (sum as f32).to_bits()
    });
}
