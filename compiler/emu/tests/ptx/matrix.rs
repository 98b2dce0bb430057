//! Matrix products against sums computed here, on small integers that every format holds. Where fragments are specified, the formulas of the manual
//! say here which lane has what; metadata and swizzles are written as their definitions have them.

use warpsmith_emu::ptx::Options;

use crate::support::attempt;

/// Words of memory for each thread: A from 0, B from 16, C and D from 32, others from 160.
const WORDS: usize = 256;

/// What the threads leave after a body that has `%t` (thread), `%d1` (its words), `%d0` (all words), `%a`, `%b`, `%c` and `%e`.
fn run(target: &str, body: &str, words: &[u32], threads: u32) -> Vec<u32> {
    let text = format!(
        ".version 9.0\n.target {target}\n.address_size 64
         .visible .entry k(.param .u64 out) {{
            .reg .b64 %d<40>; .reg .b32 %t, %a<16>, %b<16>, %c<128>, %e<20>; .reg .b64 %w<8>; .reg .pred %p<4>;
            .shared .align 1024 .b8 memory[32768];
            ld.param.u64 %d0, [out]; mov.u32 %t, %tid.x; mul.wide.u32 %d1, %t, {}; add.u64 %d1, %d0, %d1;
            {body}
            ret;
         }}",
        4 * WORDS
    );
    let options = Options {
        step_budget: 50_000_000,
        ..Options::default()
    };
    match attempt(&text, words, (1, threads), &options) {
        Ok((words, _)) => words,
        Err(fault) => panic!("{fault} in {body}"),
    }
}

fn vector(letter: char, count: usize) -> String {
    let names: Vec<String> = (0..count).map(|index| format!("%{letter}{index}")).collect();
    format!("{{{}}}", names.join(", "))
}

/// Loads or stores of the words of a thread.
fn moves(letter: char, first: usize, count: usize, store: bool) -> String {
    let one = |index: usize| {
        let address = 4 * (first + index);
        if store {
            format!("st.global.b32 [%d1+{address}], %{letter}{index};")
        } else {
            format!("ld.global.b32 %{letter}{index}, [%d1+{address}];")
        }
    };
    (0..count).map(one).collect()
}

/// An `mma` on 32-bit registers: how many of D, A, B and C, and operands that follow.
fn mma(target: &str, mnemonic: &str, [d, a, b, c]: [usize; 4], rest: &str, words: &[u32]) -> Vec<u32> {
    let body = format!(
        "{}{}{}{} {mnemonic} {}, {}, {}, {}{rest}; {}",
        moves('a', 0, a, false),
        moves('b', 16, b, false),
        moves('c', 32, c, false),
        moves('e', 160, 4, false),
        vector('c', d),
        vector('a', a),
        vector('b', b),
        vector('c', c),
        moves('c', 32, d, true),
    );
    run(target, &body, words, 32)
}

/// Gives the encoding of an integer.
type Encode = fn(i32) -> u32;
/// Target, types, kind, bits, depth, selector, encodings of factors and sums.
type SparseCase = (
    &'static str,
    &'static str,
    &'static str,
    usize,
    usize,
    usize,
    Encode,
    Encode,
);
/// Kind, type of the scales, their number, depth, bits, byte and thread of A and B, encodings of factors and scales.
type ScaledCase = (
    &'static str,
    &'static str,
    usize,
    usize,
    usize,
    [u32; 4],
    Encode,
    Encode,
);

/// A sequence of small numbers.
struct Numbers(u32);

impl Numbers {
    fn next(&mut self, bound: i32) -> i32 {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (self.0 >> 16) as i32 % (2 * bound + 1) - bound
    }

    fn matrix(&mut self, rows: usize, columns: usize, bound: i32) -> Vec<Vec<i32>> {
        (0..rows)
            .map(|_| (0..columns).map(|_| self.next(bound)).collect())
            .collect()
    }
}

/// The encoding of an integer in a format with this many bits of exponent and mantissa.
fn encoded(value: i32, exponent_bits: u32, mantissa_bits: u32) -> u32 {
    let magnitude = value.unsigned_abs();
    let sign = u32::from(value < 0) << (exponent_bits + mantissa_bits);
    if magnitude == 0 {
        return 0;
    }
    let exponent = magnitude.ilog2();
    let mantissa = (magnitude << mantissa_bits >> exponent) & ((1 << mantissa_bits) - 1);
    let bias = (1 << (exponent_bits - 1)) - 1;
    sign | (exponent + bias) << mantissa_bits | mantissa
}

fn f16(value: i32) -> u32 {
    encoded(value, 5, 10)
}

fn f32(value: i32) -> u32 {
    (value as f32).to_bits()
}

fn product(a: &[Vec<i32>], b: &[Vec<i32>], c: &[Vec<i32>]) -> Vec<Vec<i32>> {
    let one = |row: usize, column: usize| c[row][column] + (0..b.len()).map(|k| a[row][k] * b[k][column]).sum::<i32>();
    (0..c.len())
        .map(|row| (0..c[0].len()).map(|column| one(row, column)).collect())
        .collect()
}

/// Adds bits to a word of a thread.
fn put(words: &mut [u32], thread: usize, index: usize, bit: usize, value: u32) {
    words[thread * WORDS + index] |= value << bit;
}

/// Puts A of 16 rows, B of 8 columns and C of `mma.m16n8k*`; `bits` wide elements. Row and column of element i are those of the manual.
fn put_m16n8(words: &mut [u32], a: &[Vec<u32>], b: &[Vec<u32>], bits: usize) {
    let held = 32 / bits;
    for lane in 0..32 {
        let (group, place) = (lane / 4, lane % 4);
        for i in 0..a[0].len() * 16 / 32 {
            // Registers alternate between the rows; every two of them go 4 · held columns on.
            let row = if (i / held).is_multiple_of(2) { group } else { group + 8 };
            let column = place * held + i % held + i / (2 * held) * 4 * held;
            put(words, lane, i / held, i % held * bits, a[row][column]);
        }
        for i in 0..b.len() * 8 / 32 {
            let row = place * held + i % held + i / held * 4 * held;
            put(words, lane, 16 + i / held, i % held * bits, b[row][group]);
        }
    }
}

/// C or D of 16×8 in f32 or s32: element i.
fn sum_place(lane: usize, i: usize) -> (usize, usize) {
    (lane / 4 + if i < 2 { 0 } else { 8 }, lane % 4 * 2 + (i & 1))
}

fn put_sums(words: &mut [u32], c: &[Vec<i32>], encode: impl Fn(i32) -> u32) {
    for lane in 0..32 {
        for i in 0..4 {
            let (row, column) = sum_place(lane, i);
            put(words, lane, 32 + i, 0, encode(c[row][column]));
        }
    }
}

fn check_sums(words: &[u32], d: &[Vec<i32>], encode: impl Fn(i32) -> u32, what: &str) {
    for lane in 0..32 {
        for i in 0..4 {
            let (row, column) = sum_place(lane, i);
            assert_eq!(
                words[lane * WORDS + 32 + i],
                encode(d[row][column]),
                "{what}: row {row}, column {column}"
            );
        }
    }
}

fn mapped(matrix: &[Vec<i32>], encode: impl Fn(i32) -> u32) -> Vec<Vec<u32>> {
    matrix
        .iter()
        .map(|row| row.iter().map(|value| encode(*value)).collect())
        .collect()
}

#[test]
fn four_products_of_eight_lanes() {
    for (target, layouts, wide) in [
        ("sm_75", ["row", "col"], true),
        ("sm_75", ["col", "row"], false),
        ("sm_80", ["row", "row"], true),
        ("sm_90", ["col", "col"], false),
    ] {
        let mut numbers = Numbers(5);
        let all: Vec<_> = (0..4)
            .map(|_| {
                (
                    numbers.matrix(8, 4, 6),
                    numbers.matrix(4, 8, 6),
                    numbers.matrix(8, 8, 9),
                )
            })
            .collect();
        let mut words = vec![0; 32 * WORDS];
        let at = |lane: usize, i: usize| {
            let high = if lane < 16 { 0 } else { 4 };
            if wide {
                ((lane & 1) + (i & 2) + high, (i & 4) + (lane & 2) + (i & 1))
            } else {
                (lane % 4 + high, i)
            }
        };
        for lane in 0..32 {
            let (a, b, c) = &all[lane % 16 / 4];
            let high = if lane < 16 { 0 } else { 4 };
            for i in 0..4 {
                let (row, k) = if layouts[0] == "row" {
                    (lane % 4 + high, i)
                } else {
                    (i + high, lane % 4)
                };
                put(&mut words, lane, i / 2, i % 2 * 16, f16(a[row][k]));
                let (k, column) = if layouts[1] == "row" {
                    (lane % 4, i + high)
                } else {
                    (i, lane % 4 + high)
                };
                put(&mut words, lane, 16 + i / 2, i % 2 * 16, f16(b[k][column]));
            }
            for i in 0..8 {
                let (row, column) = at(lane, i);
                if wide {
                    put(&mut words, lane, 32 + i, 0, f32(c[row][column]));
                } else {
                    put(&mut words, lane, 32 + i / 2, i % 2 * 16, f16(c[row][column]));
                }
            }
        }
        let (sum, count) = if wide { ("f32", 8) } else { ("f16", 4) };
        let mnemonic = format!(
            "mma.sync.aligned.m8n8k4.{}.{}.{sum}.f16.f16.{sum}",
            layouts[0], layouts[1]
        );
        let found = mma(target, &mnemonic, [count, 2, 2, count], "", &words);
        for lane in 0..32 {
            let (a, b, c) = &all[lane % 16 / 4];
            let d = product(a, b, c);
            for i in 0..8 {
                let (row, column) = at(lane, i);
                let value = if wide {
                    found[lane * WORDS + 32 + i]
                } else {
                    found[lane * WORDS + 32 + i / 2] >> (i % 2 * 16) & 0xffff
                };
                let expected = if wide { f32(d[row][column]) } else { f16(d[row][column]) };
                assert_eq!(value, expected, "{mnemonic}: lane {lane}, element {i}");
            }
        }
    }
}

#[test]
fn products_of_half_precision_after_ampere_are_chains() {
    // 1 + 2^-24 + 2^-25: a tensor core cuts the sum to 1; single precision adds 1 to the exact 1.5 · 2^-24 and rounds up.
    let one_lane = |target: &str| {
        let mut words = vec![0; 32 * WORDS];
        for lane in 0..32 {
            words[lane * WORDS] = 0x0c00_0c00; // 2^-12 twice
            words[lane * WORDS + 16] = 0x0800_0c00; // 2^-12, 2^-13
            words[lane * WORDS + 32] = 0x3f80_0000;
        }
        mma(
            target,
            "mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32",
            [8, 2, 2, 8],
            "",
            &words,
        )[32]
    };
    assert_eq!((one_lane("sm_75"), one_lane("sm_80")), (0x3f80_0000, 0x3f80_0001));
}

/// A sparse row: for each chunk of `width`, which of its elements are kept (as pairs, where `together` is 2), and the four bits of its metadata.
fn sparse_row(numbers: &mut Numbers, depth: usize, kind: &str, bound: i32) -> (Vec<i32>, Vec<i32>, Vec<u32>) {
    let (mut dense, mut stored, mut metadata) = (vec![0; depth], Vec::new(), Vec::new());
    let width = match kind {
        "tf32" => 2,
        "s4" | "u4" | "fp4" => 8,
        _ => 4,
    };
    for chunk in 0..depth / width {
        let first = (numbers.next(1) + 1) as usize;
        let second = first + 1 + (numbers.next(1) + 1) as usize % (3 - first);
        let mut keep = |index: usize| {
            let value = numbers.next(bound);
            dense[chunk * width + index] = value;
            stored.push(value);
        };
        match width {
            2 => {
                keep(first % 2);
                metadata.push(if first.is_multiple_of(2) { 0b0100 } else { 0b1110 });
                continue;
            }
            8 => {
                for index in [2 * first, 2 * first + 1, 2 * second, 2 * second + 1] {
                    keep(index);
                }
            }
            _ => {
                keep(first);
                keep(second);
            }
        }
        metadata.push((first | second << 2) as u32);
    }
    (dense, stored, metadata)
}

#[test]
fn sparse_products() {
    let float: Encode = f32;
    let whole: Encode = |value| value as u32;
    let cases: [SparseCase; 9] = [
        (
            "sm_80",
            "m16n8k16.row.col.f32.f16.f16.f32",
            "f16",
            16,
            16,
            3,
            f16,
            float,
        ),
        (
            "sm_80",
            "m16n8k32.row.col.f32.bf16.bf16.f32",
            "bf16",
            16,
            32,
            1,
            |v| f32(v) >> 16,
            float,
        ),
        (
            "sm_80",
            "m16n8k8.row.col.f32.tf32.tf32.f32",
            "tf32",
            32,
            8,
            2,
            f32,
            float,
        ),
        (
            "sm_90",
            "m16n8k16.row.col.f32.tf32.tf32.f32",
            "tf32",
            32,
            16,
            1,
            f32,
            float,
        ),
        (
            "sm_80",
            "m16n8k32.row.col.s32.s8.s8.s32",
            "s8",
            8,
            32,
            1,
            |v| v as u32 & 0xff,
            whole,
        ),
        (
            "sm_80",
            "m16n8k64.row.col.satfinite.s32.s8.s8.s32",
            "s8",
            8,
            64,
            0,
            |v| v as u32 & 0xff,
            whole,
        ),
        (
            "sm_80",
            "m16n8k64.row.col.s32.s4.s4.s32",
            "s4",
            4,
            64,
            1,
            |v| v as u32 & 0xf,
            whole,
        ),
        (
            "sm_80",
            "m16n8k128.row.col.s32.s4.s4.s32",
            "s4",
            4,
            128,
            0,
            |v| v as u32 & 0xf,
            whole,
        ),
        (
            "sm_89",
            "m16n8k64.row.col.f32.e4m3.e4m3.f32",
            "e4m3",
            8,
            64,
            0,
            |v| encoded(v, 4, 3),
            float,
        ),
    ];
    for (target, types, kind, bits, depth, selector, encode, encode_sum) in cases {
        let mut numbers = Numbers(depth as u32);
        let rows: Vec<_> = (0..16).map(|_| sparse_row(&mut numbers, depth, kind, 7)).collect();
        let (b, c) = (numbers.matrix(depth, 8, 7), numbers.matrix(16, 8, 100));
        let dense: Vec<Vec<i32>> = rows.iter().map(|row| row.0.clone()).collect();
        let stored: Vec<Vec<u32>> = rows
            .iter()
            .map(|row| row.1.iter().map(|v| encode(*v)).collect())
            .collect();
        let mut words = vec![0; 32 * WORDS];
        put_m16n8(&mut words, &stored, &mapped(&b, encode), bits);
        put_sums(&mut words, &c, encode_sum);
        for (row, (_, _, metadata)) in rows.iter().enumerate() {
            for (chunk, four) in metadata.iter().enumerate() {
                // Lane and bit of the metadata, as the figures of the manual have them.
                let (group, upper) = (row % 8, row / 8);
                let (lane, bit) = if bits >= 16 {
                    let lanes = metadata.len() / 4;
                    (group * 4 + selector * lanes + chunk / 4, 16 * upper + chunk % 4 * 4)
                } else {
                    let lanes = metadata.len() / 8 * 2;
                    (group * 4 + selector * lanes + chunk / 8 * 2 + upper, chunk % 8 * 4)
                };
                put(&mut words, lane, 160, bit, *four);
            }
        }
        let counts = [4, stored[0].len() * bits / 64, depth * bits / 128, 4];
        for variant in ["sp", "sp::ordered_metadata"] {
            let mnemonic = format!("mma.{variant}.sync.aligned.{types}");
            let found = mma(target, &mnemonic, counts, &format!(", %e0, {selector}"), &words);
            check_sums(&found, &product(&dense, &b, &c), encode_sum, &mnemonic);
        }
    }
}

#[test]
fn bit_operations_of_integers_do_nothing() {
    let mut numbers = Numbers(9);
    let (a, b, c) = (
        numbers.matrix(16, 64, 7),
        numbers.matrix(64, 8, 7),
        numbers.matrix(16, 8, 50),
    );
    let nibble = |value| value as u32 & 0xf;
    let mut words = vec![0; 32 * WORDS];
    put_m16n8(&mut words, &mapped(&a, nibble), &mapped(&b, nibble), 4);
    put_sums(&mut words, &c, |value| value as u32);
    let mnemonic = "mma.sync.aligned.m16n8k64.row.col.s32.s4.s4.s32.xor.popc";
    let found = mma("sm_80", mnemonic, [4, 4, 2, 4], "", &words);
    check_sums(&found, &product(&a, &b, &c), |value| value as u32, mnemonic);
}

#[test]
fn small_floats_lie_in_bytes() {
    let e3m2 = |value| encoded(value, 3, 2);
    // Four bits in the middle of a byte; the bits beside them do not count.
    let e2m1 = |value: i32| encoded(value, 2, 1) << 2 | 0xc3;
    let mut numbers = Numbers(3);
    let (a, b, c) = (
        numbers.matrix(16, 32, 4),
        numbers.matrix(32, 8, 4),
        numbers.matrix(16, 8, 50),
    );
    let mut words = vec![0; 32 * WORDS];
    put_m16n8(&mut words, &mapped(&a, e3m2), &mapped(&b, e2m1), 8);
    put_sums(&mut words, &c, f32);
    let mnemonic = "mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f32.e3m2.e2m1.f32";
    let found = mma("sm_120a", mnemonic, [4, 4, 2, 4], "", &words);
    check_sums(&found, &product(&a, &b, &c), f32, mnemonic);
}

/// Which scale a k takes of `count` in `depth`, and D with A and B scaled by powers of two.
fn scaled(a: &[Vec<i32>], b: &[Vec<i32>], c: &[Vec<i32>], left: &[Vec<i32>], right: &[Vec<i32>]) -> Vec<Vec<i32>> {
    let chunk = a[0].len() / left[0].len();
    let by_rows = |row: usize, k: usize| a[row][k] << left[row][k / chunk];
    let by_columns = |k: usize, column: usize| b[k][column] << right[column][k / chunk];
    let one = |row: usize, column: usize| {
        c[row][column]
            + (0..b.len())
                .map(|k| by_rows(row, k) * by_columns(k, column))
                .sum::<i32>()
    };
    (0..16)
        .map(|row| (0..8).map(|column| one(row, column)).collect())
        .collect()
}

#[test]
fn scaled_blocks() {
    let power: Encode = |scale| 127 + scale as u32;
    let e2m1: Encode = |value| encoded(value, 2, 1);
    let cases: [ScaledCase; 4] = [
        (
            "mxf8f6f4.block_scale.scale_vec::1X.f32.e5m2.e5m2",
            "ue8m0",
            1,
            32,
            8,
            [3, 1, 2, 3],
            |v| encoded(v, 5, 2),
            power,
        ),
        (
            "mxf4.block_scale.scale_vec::2X.f32.e2m1.e2m1",
            "ue8m0",
            2,
            64,
            4,
            [2, 0, 0, 1],
            e2m1,
            power,
        ),
        (
            "mxf4nvf4.block_scale.scale_vec::2X.f32.e2m1.e2m1",
            "ue8m0",
            2,
            64,
            4,
            [0, 1, 2, 0],
            e2m1,
            power,
        ),
        (
            "mxf4nvf4.block_scale.scale_vec::4X.f32.e2m1.e2m1",
            "ue4m3",
            4,
            64,
            4,
            [0, 1, 0, 2],
            e2m1,
            |v| encoded(1 << v, 4, 3),
        ),
    ];
    for (kind, scale, count, depth, bits, selectors, encode, encode_scale) in cases {
        let mut numbers = Numbers(count as u32);
        let (a, b, c) = (
            numbers.matrix(16, depth, 4),
            numbers.matrix(depth, 8, 4),
            numbers.matrix(16, 8, 50),
        );
        let positive = |matrix: Vec<Vec<i32>>| -> Vec<Vec<i32>> {
            matrix
                .into_iter()
                .map(|row| row.into_iter().map(|v| v + 2).collect())
                .collect()
        };
        let (left, right) = (
            positive(numbers.matrix(16, count, 2)),
            positive(numbers.matrix(8, count, 2)),
        );
        let mut words = vec![0; 32 * WORDS];
        put_m16n8(&mut words, &mapped(&a, encode), &mapped(&b, encode), bits);
        put_sums(&mut words, &c, f32);
        let [byte_a, thread_a, byte_b, thread_b] = selectors;
        for index in 0..count {
            for (row, scales) in left.iter().enumerate() {
                let lane = row % 8 * 4 + 2 * thread_a as usize + row / 8;
                put(
                    &mut words,
                    lane,
                    160,
                    8 * (byte_a as usize + index),
                    encode_scale(scales[index]),
                );
            }
            for (column, scales) in right.iter().enumerate() {
                let lane = column * 4 + thread_b as usize;
                put(
                    &mut words,
                    lane,
                    161,
                    8 * (byte_b as usize + index),
                    encode_scale(scales[index]),
                );
            }
        }
        let mnemonic = format!("mma.sync.aligned.m16n8k{depth}.row.col.kind::{kind}.f32.{scale}");
        let rest = format!(", %e0, {{{byte_a}, {thread_a}}}, %e1, {{{byte_b}, {thread_b}}}");
        let found = mma("sm_120a", &mnemonic, [4, 4, 2, 4], &rest, &words);
        check_sums(&found, &scaled(&a, &b, &c, &left, &right), f32, &mnemonic);
    }
}

#[test]
fn sparse_scaled_blocks() {
    let mut numbers = Numbers(77);
    let rows: Vec<_> = (0..16).map(|_| sparse_row(&mut numbers, 128, "fp4", 4)).collect();
    let (b, c) = (numbers.matrix(128, 8, 4), numbers.matrix(16, 8, 50));
    let dense: Vec<Vec<i32>> = rows.iter().map(|row| row.0.clone()).collect();
    let encode = |value: &i32| encoded(*value, 2, 1);
    let stored: Vec<Vec<u32>> = rows.iter().map(|row| row.1.iter().map(encode).collect()).collect();
    let mut words = vec![0; 32 * WORDS];
    put_m16n8(&mut words, &stored, &mapped(&b, |value| encoded(value, 2, 1)), 4);
    put_sums(&mut words, &c, f32);
    let (left, right) = (vec![vec![0, 1, 2, 3]; 16], vec![vec![3, 0, 1, 0]; 8]);
    for lane in 0..32 {
        words[lane * WORDS + 161] = 0x5048_4038; // 1, 2, 4, 8
        words[lane * WORDS + 162] = 0x3840_3850;
    }
    for (row, (_, _, metadata)) in rows.iter().enumerate() {
        for (chunk, four) in metadata.iter().enumerate() {
            put(
                &mut words,
                row % 8 * 4 + chunk / 8 * 2 + row / 8,
                160,
                chunk % 8 * 4,
                *four,
            );
        }
    }
    let mnemonic = "mma.sp::ordered_metadata.sync.aligned.m16n8k128.row.col.kind::mxf4nvf4.block_scale.scale_vec::4X.f32.e2m1.e2m1.f32.ue4m3";
    let found = mma(
        "sm_120a",
        mnemonic,
        [4, 4, 4, 4],
        ", %e0, 0, %e1, {0, 0}, %e2, {0, 0}",
        &words,
    );
    check_sums(&found, &scaled(&dense, &b, &c, &left, &right), f32, mnemonic);
}
