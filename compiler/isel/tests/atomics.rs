//! Atomic updates of every operation and width, by one thread against plain arithmetic, and by many for their sum.

#[allow(dead_code)]
mod support;

use support::{run_text, run_words};

fn update(op: &str, bits: u32, old: u64, value: u64) -> u64 {
    let mask = u64::MAX >> (64 - bits);
    let signed = |x: u64| ((x << (64 - bits)) as i64) >> (64 - bits);
    mask & match op {
        "xchg" => value,
        "add" => old.wrapping_add(value),
        "sub" => old.wrapping_sub(value),
        "and" => old & value,
        "nand" => !(old & value),
        "or" => old | value,
        "xor" => old ^ value,
        "max" => signed(old).max(signed(value)) as u64,
        "min" => signed(old).min(signed(value)) as u64,
        "umax" => old.max(value),
        "umin" => old.min(value),
        "uinc_wrap" => {
            if old >= value {
                0
            } else {
                old + 1
            }
        }
        "udec_wrap" => {
            if old == 0 || old > value {
                value
            } else {
                old - 1
            }
        }
        other => panic!("{other}"),
    }
}

#[test]
fn integers_of_every_width_and_operation() {
    let operations = [
        "xchg",
        "add",
        "sub",
        "and",
        "nand",
        "or",
        "xor",
        "max",
        "min",
        "umax",
        "umin",
        "uinc_wrap",
        "udec_wrap",
    ];
    for bits in [8u32, 16, 32, 64] {
        for op in operations {
            let source = format!(
                "
define ptx_kernel void @test(ptr addrspace(1) %in, ptr addrspace(1) %out) {{
  %old = load i{bits}, ptr addrspace(1) %in
  %p = getelementptr i64, ptr addrspace(1) %in, i32 1
  %value = load i{bits}, ptr addrspace(1) %p
  %at = getelementptr i8, ptr addrspace(1) %out, i32 {}
  store i{bits} %old, ptr addrspace(1) %at
  %r = atomicrmw {op} ptr addrspace(1) %at, i{bits} %value syncscope(\"device\") monotonic
  %o = getelementptr i64, ptr addrspace(1) %out, i32 2
  store i{bits} %r, ptr addrspace(1) %o
  ret void
}}",
                bits / 8
            );
            for (old, value) in [
                (5u64, 3u64),
                (3, 5),
                (0, 7),
                (0x80, 0x7F),
                (0x8000_0000_8000_8080, 1),
                (u64::MAX, 2),
            ] {
                let mask = u64::MAX >> (64 - bits);
                let input: Vec<u8> = [old.to_le_bytes(), value.to_le_bytes()].concat();
                let output = run_text(&source, 1, &input, 24);
                let start = bits as usize / 8;
                let read = |at: usize| {
                    let mut word = [0; 8];
                    word[..start].copy_from_slice(&output[at..at + start]);
                    u64::from_le_bytes(word)
                };
                let expected = update(op, bits, old & mask, value & mask);
                assert_eq!(read(start), expected, "{op} i{bits} {old:#x}, {value:#x}");
                assert_eq!(read(16), old & mask, "the old value of {op} i{bits}");
                // Neighbours within the word are not touched.
                assert!(
                    output[..start]
                        .iter()
                        .chain(&output[2 * start..16])
                        .all(|&byte| byte == 0),
                    "{op} i{bits}"
                );
            }
        }
    }
}

#[test]
fn many_threads_add_floats_and_bytes() {
    let source = "
define ptx_kernel void @test(ptr addrspace(1) %in, ptr addrspace(1) %out) {
  %r = atomicrmw fadd ptr addrspace(1) %out, float 1.0 syncscope(\"device\") monotonic
  %o1 = getelementptr i32, ptr addrspace(1) %out, i32 1
  %s = atomicrmw fmax ptr addrspace(1) %o1, float %r seq_cst
  %o2 = getelementptr i8, ptr addrspace(1) %out, i32 9
  %b = atomicrmw add ptr addrspace(1) %o2, i8 2 monotonic
  %o3 = getelementptr i32, ptr addrspace(1) %out, i32 3
  %d = atomicrmw fsub ptr addrspace(1) %o3, float 0.5 syncscope(\"block\") acq_rel
  ret void
}";
    let expected = [64f32.to_bits(), 63f32.to_bits(), 128 << 8, (-32f32).to_bits()];
    assert_eq!(run_words(source, 64, &[], 4), expected);
}

#[test]
fn compare_and_exchange() {
    for (bits, start) in [
        (8, 0x11u64),
        (16, 0x1122),
        (32, 0x1122_3344),
        (64, 0x1122_3344_5566_7788),
    ] {
        let source = format!(
            "
define ptx_kernel void @test(ptr addrspace(1) %in, ptr addrspace(1) %out) {{
  %start = load i{bits}, ptr addrspace(1) %in
  store i{bits} %start, ptr addrspace(1) %out
  %a = cmpxchg ptr addrspace(1) %out, i{bits} 1, i{bits} 2 acq_rel monotonic
  %a1 = extractvalue {{ i{bits}, i1 }} %a, 1
  %b = cmpxchg ptr addrspace(1) %out, i{bits} %start, i{bits} 9 seq_cst seq_cst
  %b0 = extractvalue {{ i{bits}, i1 }} %b, 0
  %b1 = extractvalue {{ i{bits}, i1 }} %b, 1
  %o1 = getelementptr i64, ptr addrspace(1) %out, i32 1
  store i{bits} %b0, ptr addrspace(1) %o1
  %x = zext i1 %a1 to i32
  %y = zext i1 %b1 to i32
  %o2 = getelementptr i64, ptr addrspace(1) %out, i32 2
  store i32 %x, ptr addrspace(1) %o2
  %o3 = getelementptr i64, ptr addrspace(1) %out, i32 3
  store i32 %y, ptr addrspace(1) %o3
  ret void
}}"
        );
        let output = run_text(&source, 1, &start.to_le_bytes(), 32);
        let words: Vec<u64> = output
            .chunks(8)
            .map(|word| u64::from_le_bytes(word.try_into().unwrap()))
            .collect();
        assert_eq!(words, [9, start, 0, 1], "i{bits}");
    }
}
