//! `wmma` in memory, of all shapes, types and layouts, and the moves of matrices of bytes.

use warpsmith_emu::ptx::Options;

use crate::support::attempt;

fn run(target: &str, body: &str, words: &[u32]) -> Vec<u32> {
    let text = format!(
        ".version {}\n.target {target}\n.address_size 64
         .visible .entry k(.param .u64 out) {{
            .reg .b64 %d<8>; .reg .b32 %t, %s, %r<4>, %a<8>, %b<8>, %c<8>; .reg .f64 %f<8>;
            .shared .align 128 .b8 memory[4096];
            ld.param.u64 %d0, [out]; mov.u32 %t, %tid.x;
            {body}
            ret;
         }}",
        if target == "sm_70" { "6.4" } else { "9.0" }
    );
    match attempt(&text, words, (1, 32), &Options::default()) {
        Ok((words, _)) => words,
        Err(fault) => panic!("{fault} in {body}"),
    }
}

fn vector(letter: char, count: usize) -> String {
    let names: Vec<String> = (0..count).map(|index| format!("%{letter}{index}")).collect();
    format!("{{{}}}", names.join(", "))
}

/// An element of a test matrix: small, and different by place.
fn number(row: usize, column: usize, matrix: usize) -> i64 {
    (row * 5 + column * 3 + row * column + matrix) as i64 % 7 - 3
}

/// Bits of an element and its encoding.
fn encoded(kind: &str, value: i64) -> (usize, u64) {
    let short = value as f32;
    match kind {
        "f16" => {
            let bits = short.to_bits();
            let half = if value == 0 {
                0
            } else {
                (bits >> 16 & 0x8000) | ((bits >> 13 & 0x3_ffff) - (112 << 10))
            };
            (16, u64::from(half))
        }
        "bf16" => (16, u64::from(short.to_bits() >> 16)),
        "tf32" | "f32" => (32, u64::from(short.to_bits())),
        "f64" => (64, (value as f64).to_bits()),
        "s8" => (8, value as u64 & 0xff),
        "u8" => (8, (value + 3) as u64),
        "s4" => (4, value as u64 & 0xf),
        "u4" => (4, (value + 3) as u64),
        "b1" => (1, value as u64 & 1),
        _ => (32, value as u64 & 0xffff_ffff),
    }
}

/// The integer that a factor's element counts as.
fn worth(kind: &str, value: i64) -> i64 {
    match kind {
        "u8" | "u4" => value + 3,
        "b1" => value & 1,
        _ => value,
    }
}

/// Writes a matrix; `by_rows` with this stride in elements.
fn store(
    words: &mut [u32],
    byte: usize,
    kind: &str,
    by_rows: bool,
    stride: usize,
    size: (usize, usize),
    matrix: usize,
) {
    for row in 0..size.0 {
        for column in 0..size.1 {
            let (bits, value) = encoded(kind, number(row, column, matrix));
            let place = if by_rows {
                row * stride + column
            } else {
                column * stride + row
            };
            let bit = byte * 8 + place * bits;
            words[bit / 32] |= (value << (bit % 32)) as u32;
            if bits == 64 {
                words[bit / 32 + 1] |= (value >> 32) as u32;
            }
        }
    }
}

struct Case {
    target: &'static str,
    shape: (usize, usize, usize),
    factor: &'static str,
    sums: [&'static str; 2],
    /// Registers of A, B, C and D.
    counts: [usize; 4],
}

fn check(case: &Case, layouts: [bool; 4], stride_extra: usize) {
    let (rows, columns, depth) = case.shape;
    let (a_rows, b_rows, c_rows, d_rows) = (layouts[0], layouts[1], layouts[2], layouts[3]);
    let letters = if case.factor == "f64" {
        ['f', 'f', 'f']
    } else {
        ['a', 'b', 'c']
    };
    let name = |by_rows: bool| if by_rows { "row" } else { "col" };
    let shape = format!("m{rows}n{columns}k{depth}");
    let stride = |by_rows: bool, size: (usize, usize)| if by_rows { size.1 } else { size.0 } + stride_extra;
    let (a_size, b_size, c_size) = ((rows, depth), (depth, columns), (rows, columns));
    let mut words = vec![0; 8192];
    store(&mut words, 0, case.factor, a_rows, stride(a_rows, a_size), a_size, 1);
    store(&mut words, 8192, case.factor, b_rows, stride(b_rows, b_size), b_size, 2);
    store(
        &mut words,
        16384,
        case.sums[0],
        c_rows,
        stride(c_rows, c_size),
        c_size,
        3,
    );
    let f64s = case.factor == "f64";
    // Doubles share one family of registers.
    let operand = |which: usize, count: usize| {
        if f64s {
            let names: Vec<String> = (0..count).map(|index| format!("%f{}", 2 * which + index)).collect();
            format!("{{{}}}", names.join(", "))
        } else {
            vector(letters[which], count)
        }
    };
    let stride_text = |by_rows, size| {
        if stride_extra == 0 {
            String::new()
        } else {
            format!(", {}", stride(by_rows, size))
        }
    };
    let types = match case.factor {
        "f16" => format!("{}.{}", case.sums[1], case.sums[0]),
        kind => format!("{}.{kind}.{kind}.{}", case.sums[1], case.sums[0]),
    };
    let (operation, suffix) = if case.factor == "b1" {
        (".xor.popc", "")
    } else {
        ("", "")
    };
    let body = format!(
        "wmma.load.a.sync.aligned.{}.{shape}.global.{} {}, [%d0]{};
         add.u64 %d1, %d0, 8192;
         wmma.load.b.sync.aligned.{}.{shape}.{} {}, [%d1]{};
         add.u64 %d1, %d0, 16384;
         wmma.load.c.sync.aligned.{}.{shape}.global.{} {}, [%d1]{};
         wmma.mma{operation}.sync.aligned.{}.{}.{shape}.{types}{suffix} {}, {}, {}, {};
         add.u64 %d1, %d0, 24576;
         wmma.store.d.sync.aligned.{}.{shape}.global.{} [%d1], {}{};",
        name(a_rows),
        case.factor,
        operand(0, case.counts[0]),
        stride_text(a_rows, a_size),
        name(b_rows),
        case.factor,
        operand(1, case.counts[1]),
        stride_text(b_rows, b_size),
        name(c_rows),
        case.sums[0],
        operand(2, case.counts[2]),
        stride_text(c_rows, c_size),
        name(a_rows),
        name(b_rows),
        operand(2, case.counts[3]),
        operand(0, case.counts[0]),
        operand(1, case.counts[1]),
        operand(2, case.counts[2]),
        name(d_rows),
        case.sums[1],
        operand(2, case.counts[3]),
        stride_text(d_rows, c_size),
    );
    let found = run(case.target, &body, &words);
    for row in 0..rows {
        for column in 0..columns {
            let term = |k: usize| {
                let (a, b) = (number(row, k, 1), number(k, column, 2));
                if case.factor == "b1" {
                    (a ^ b) & 1
                } else {
                    worth(case.factor, a) * worth(case.factor, b)
                }
            };
            let sum = number(row, column, 3) + (0..depth).map(term).sum::<i64>();
            let (bits, expected) = encoded(case.sums[1], sum);
            let place = if d_rows {
                row * stride(true, c_size) + column
            } else {
                column * stride(false, c_size) + row
            };
            let bit = 24576 * 8 + place * bits;
            let mut value = u64::from(found[bit / 32]) >> (bit % 32);
            if bits == 64 {
                value |= u64::from(found[bit / 32 + 1]) << 32;
            }
            let mask = u64::MAX >> (64 - bits);
            assert_eq!(
                value & mask,
                expected,
                "{} {shape} {} row {row} column {column}",
                case.target,
                case.factor
            );
        }
    }
}

const BOTH: [[bool; 4]; 4] = [
    [true, false, true, true],
    [false, true, false, true],
    [true, true, true, false],
    [false, false, false, false],
];

#[test]
fn fragments_of_half_precision() {
    for target in ["sm_70", "sm_75", "sm_90"] {
        for shape in [(16, 16, 16), (8, 32, 16), (32, 8, 16)] {
            for sums in [["f32", "f32"], ["f16", "f16"], ["f16", "f32"], ["f32", "f16"]] {
                let count = |kind: &str| if kind == "f16" { 4 } else { 8 };
                let counts = [8, 8, count(sums[0]), count(sums[1])];
                let factor = "f16";
                let case = Case {
                    target,
                    shape,
                    factor,
                    sums,
                    counts,
                };
                for (layouts, extra) in BOTH.into_iter().zip([0, 8, 16, 0]) {
                    check(&case, layouts, extra);
                }
            }
        }
    }
}

#[test]
fn fragments_of_other_types() {
    let cases = [
        ("sm_75", (16, 16, 16), "s8", "s32", [2, 2]),
        ("sm_75", (8, 32, 16), "u8", "s32", [1, 4]),
        ("sm_80", (8, 32, 16), "s8", "s32", [1, 4]),
        ("sm_80", (32, 8, 16), "u8", "s32", [4, 1]),
        ("sm_80", (16, 16, 16), "bf16", "f32", [4, 4]),
        ("sm_80", (8, 32, 16), "bf16", "f32", [2, 8]),
        ("sm_90", (32, 8, 16), "bf16", "f32", [8, 2]),
        ("sm_80", (16, 16, 8), "tf32", "f32", [4, 4]),
        ("sm_80", (8, 8, 4), "f64", "f64", [1, 1]),
    ];
    for (target, shape, factor, sum, [a, b]) in cases {
        let sums = if factor == "f64" { 2 } else { 8 };
        let case = Case {
            target,
            shape,
            factor,
            sums: [sum, sum],
            counts: [a, b, sums, sums],
        };
        for (layouts, extra) in BOTH.into_iter().zip([0, 16, 32, 16]) {
            check(&case, layouts, extra);
        }
    }
}

#[test]
fn fragments_of_few_bits() {
    for (shape, factor) in [((8, 8, 32), "s4"), ((8, 8, 32), "u4"), ((8, 8, 128), "b1")] {
        let case = Case {
            target: "sm_75",
            shape,
            factor,
            sums: ["s32", "s32"],
            counts: [1, 1, 2, 2],
        };
        check(&case, [true, false, true, true], 0);
        check(&case, [true, false, false, false], 128);
    }
}

#[test]
fn finite_saturation() {
    // 16 · 240 · 240 overflows f16; infinity times zero is no number.
    let body = "
        mov.b32 %a0, 0x5b805b80; mov.b32 %b0, 0x7c007c00; mov.b32 %c0, 0;
        wmma.mma.sync.aligned.row.col.m16n16k16.f16.f16.satfinite {%c4, %c5, %c6, %c7}, {%a0, %a0, %a0, %a0, %a0, %a0, %a0, %a0}, {%a0, %a0, %a0, %a0, %a0, %a0, %a0, %a0}, {%c0, %c0, %c0, %c0};
        wmma.mma.sync.aligned.row.col.m16n16k16.f16.f16.satfinite {%a4, %a5, %a6, %a7}, {%b0, %b0, %b0, %b0, %b0, %b0, %b0, %b0}, {%c0, %c0, %c0, %c0, %c0, %c0, %c0, %c0}, {%c0, %c0, %c0, %c0};
        st.global.b32 [%d0], %c5; st.global.b32 [%d0+4], %a6;";
    assert_eq!(run("sm_70", body, &[1, 1]), [0x7bff_7bff, 0]);
}

#[test]
fn bytes_are_loaded_transposed() {
    // The byte at row r, column c of memory is 16 r + c; lane 4 g + t gets columns 4 t to 4 t + 3 of rows g and g + 8 of the transpose.
    let body = "
        shl.b32 %r0, %t, 3; mov.u32 %r1, memory; add.u32 %r1, %r1, %r0;
        mad.lo.u32 %r0, %t, 0x08080808, 0x03020100; st.shared.b32 [%r1], %r0; add.u32 %r0, %r0, 0x04040404; st.shared.b32 [%r1+4], %r0;
        bar.warp.sync 0xffffffff;
        mov.u32 %r1, memory; and.b32 %r0, %t, 15; shl.b32 %r0, %r0, 4; add.u32 %r1, %r1, %r0;
        ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8 {%a0, %a1}, [%r1];
        mul.wide.u32 %d1, %t, 8; add.u64 %d1, %d0, %d1; st.global.v2.b32 [%d1], {%a0, %a1};";
    let found = run("sm_100a", body, &[0; 64]);
    for lane in 0..32 {
        for part in 0..2 {
            let column = lane / 4 + 8 * part;
            let bytes = [0, 1, 2, 3].map(|byte| (16 * (lane % 4 * 4 + byte) + column) as u8);
            assert_eq!(found[2 * lane + part].to_le_bytes(), bytes, "lane {lane}");
        }
    }
}

#[test]
fn packed_elements_are_spread_over_bytes() {
    // Rows of 16 elements 0 to 15, of four and of six bits, in the 16 bytes that all lanes name.
    let body = "
        mov.u32 %r0, memory;
        st.shared.v4.b32 [%r0], {0x76543210, 0xfedcba98, 0xffffffff, 0xffffffff};
        st.shared.v4.b32 [%r0+16], {0x440c2040, 0x8d24921c, 0x3cd30a24, 0xffffffff};
        bar.warp.sync 0xffffffff;
        ldmatrix.sync.aligned.m8n16.x1.shared.b8x16.b4x16_p64 {%a0}, [%r0];
        add.u32 %r0, %r0, 16;
        ldmatrix.sync.aligned.m8n16.x2.shared.b8x16.b6x16_p32 {%a1, %a2}, [%r0];
        ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8x16.b6x16_p32 {%a3, %a4}, [%r0];
        mul.wide.u32 %d1, %t, 16; add.u64 %d1, %d0, %d1; st.global.v4.b32 [%d1], {%a0, %a2, %a3, %a4};";
    let mut six = 0_u128;
    for index in 0..16_u128 {
        six |= index << (6 * index);
    }
    let words = [0, 32, 64].map(|shift| format!("{:#010x}", (six >> shift) as u32));
    let body = body.replace("0x440c2040, 0x8d24921c, 0x3cd30a24", &words.join(", "));
    let found = run("sm_120a", &body, &[0; 128]);
    for lane in 0..32_u32 {
        let (group, place) = (lane / 4, lane % 4);
        let expected = 0x0302_0100 + 0x0404_0404 * place;
        let at = 4 * lane as usize;
        assert_eq!(found[at..at + 2], [expected, expected], "lane {lane}");
        assert_eq!(
            found[at + 2..at + 4],
            [0x0101_0101 * group, 0x0101_0101 * (group + 8)],
            "lane {lane}"
        );
    }
}

#[test]
fn bytes_are_stored_by_columns() {
    // Lane 4 g + t has columns 2 t and 2 t + 1 of rows g and g + 8; each column is a row of memory.
    let body = "
        mov.u32 %r0, memory; and.b32 %r1, %t, 7; shl.b32 %r1, %r1, 4; add.u32 %r0, %r0, %r1;
        mad.lo.u32 %r1, %t, 0x04040404, 0x03020100;
        stmatrix.sync.aligned.m16n8.x1.trans.shared.b8 [%r0], {%r1};
        bar.warp.sync 0xffffffff;
        mov.u32 %r0, memory; shl.b32 %r1, %t, 2; add.u32 %r0, %r0, %r1; ld.shared.b32 %r2, [%r0];
        mul.wide.u32 %d1, %t, 4; add.u64 %d1, %d0, %d1; st.global.b32 [%d1], %r2;";
    let found = run("sm_100a", body, &[0; 32]);
    for column in 0..8 {
        for row in 0..16 {
            let byte = found[column * 4 + row / 4].to_le_bytes()[row % 4];
            let lane = row % 8 * 4 + column / 2;
            assert_eq!(
                usize::from(byte),
                4 * lane + column % 2 + row / 8 * 2,
                "row {row}, column {column}"
            );
        }
    }
}
