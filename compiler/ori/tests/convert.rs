//! Conversions.

mod lines;

use lines::{OWN_TARGETS, TARGETS, agree};

const INTEGERS: [(&str, char); 8] = [
    ("u8", 'c'),
    ("s8", 'c'),
    ("u16", 's'),
    ("s16", 's'),
    ("u32", 'i'),
    ("s32", 'i'),
    ("u64", 'l'),
    ("s64", 'l'),
];
const REALS: [(&str, char); 4] = [("f16", 'h'), ("bf16", 'b'), ("f32", 'f'), ("f64", 'd')];

fn check(texts: &[String]) {
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    agree(&TARGETS, &texts);
}

/// The integers that a target converts to and from a type: bf16 only to and from the wider ones.
fn integers_of(of: &str) -> &'static [(&'static str, char)] {
    if of == "bf16" { &INTEGERS[4..] } else { &INTEGERS }
}

/// Whether a value of the source may be out of range of the result, so that `.sat` is allowed.
fn may_saturate((to, _): (&str, char), (from, _): (&str, char)) -> bool {
    let range = |of: &str| {
        let bits: u32 = of[1..].parse().expect("a width");
        if of.starts_with('s') {
            (1_i128 << (bits - 1), 1_i128 << (bits - 1))
        } else {
            (0, 1_i128 << bits)
        }
    };
    let ((to_low, to_high), (from_low, from_high)) = (range(to), range(from));
    from_low > to_low || from_high > to_high
}

#[test]
fn between_integers() {
    let mut texts = Vec::new();
    for (to, d) in INTEGERS {
        for (from, a) in INTEGERS {
            texts.push(format!("cvt.{to}.{from} {d}:{a}"));
            if may_saturate((to, d), (from, a)) {
                texts.push(format!("cvt.sat.{to}.{from} {d}:{a}"));
            }
        }
    }
    texts.extend(["cvt.s8.s32 l:i", "cvt.u8.s32 i:i", "cvt.s16.s64 l:l", "cvt.u16.u32 l:i"].map(String::from));
    check(&texts);
}

#[test]
fn to_integers() {
    let mut texts = Vec::new();
    for (from, a) in REALS {
        for (to, d) in integers_of(from) {
            for rounding in ["rni", "rzi", "rmi", "rpi"] {
                texts.push(format!("cvt.{rounding}.{to}.{from} {d}:{a}"));
            }
            if from != "bf16" {
                texts.push(format!("cvt.rzi.sat.{to}.{from} {d}:{a}"));
            }
        }
    }
    for (to, d) in INTEGERS {
        texts.push(format!("cvt.rpi.ftz.{to}.f32 {d}:f"));
    }
    check(&texts);
}

#[test]
fn from_integers() {
    let mut texts = Vec::new();
    for (to, d) in REALS {
        for (from, a) in integers_of(to) {
            for rounding in ["rn", "rz", "rm", "rp"] {
                texts.push(format!("cvt.{rounding}.{to}.{from} {d}:{a}"));
            }
            if to != "bf16" {
                texts.push(format!("cvt.rn.sat.{to}.{from} {d}:{a}"));
            }
        }
    }
    check(&texts);
}

#[test]
fn between_reals() {
    let mut texts: Vec<String> = Vec::new();
    for rounding in ["rn", "rz", "rm", "rp"] {
        for (pair, signature) in [
            ("f16.f32", "h:f"),
            ("bf16.f32", "b:f"),
            ("f16.f64", "h:d"),
            ("bf16.f64", "b:d"),
            ("f32.f64", "f:d"),
            ("bf16.f16", "b:h"),
            ("f16.bf16", "h:b"),
        ] {
            texts.push(format!("cvt.{rounding}.{pair} {signature}"));
        }
    }
    for rounding in ["rni", "rzi", "rmi", "rpi"] {
        for (of, a) in REALS {
            texts.push(format!("cvt.{rounding}.{of}.{of} {a}:{a}"));
        }
        texts.push(format!("cvt.{rounding}.sat.f32.f32 f:f"));
        texts.push(format!("cvt.{rounding}.ftz.f32.f32 f:f"));
        texts.push(format!("cvt.{rounding}.sat.f64.f64 d:d"));
    }
    texts.extend(
        [
            "cvt.f32.f16 f:h",
            "cvt.f64.f16 d:h",
            "cvt.f32.bf16 f:b",
            "cvt.f64.bf16 d:b",
            "cvt.f64.f32 d:f",
            "cvt.ftz.f64.f32 d:f",
            "cvt.sat.f32.f16 f:h",
            "cvt.sat.f64.f32 d:f",
            "cvt.sat.f32.f32 f:f",
            "cvt.ftz.f32.f32 f~:f",
            "cvt.ftz.sat.f32.f32 f:f",
            "cvt.sat.f16.f16 h:h",
            "cvt.sat.f64.f64 d:d",
            "cvt.rn.sat.f32.f64 f:d",
            "cvt.rn.ftz.f32.f64 f:d",
            "cvt.rz.ftz.f32.f64 f:d",
            "cvt.rm.ftz.f32.f64 f:d",
            "cvt.rp.ftz.f32.f64 f:d",
            "cvt.rn.sat.f16.f32 h:f",
            "cvt.rn.ftz.f16.f32 h:f",
            "cvt.rn.relu.f16.f32 h:f",
            "cvt.rn.relu.bf16.f32 b:f",
            "cvt.rz.satfinite.bf16.f32 b:f",
            "cvt.rn.satfinite.f16.f32 h:f",
            "cvt.rz.satfinite.f16.f32 h:f",
            "cvt.ftz.f32.bf16 f:b",
        ]
        .map(String::from),
    );
    check(&texts);
}

#[test]
fn to_pairs() {
    let mut texts: Vec<String> = Vec::new();
    for of in ["f16x2", "bf16x2"] {
        for modifiers in [
            "rn",
            "rz",
            "rn.relu",
            "rz.relu",
            "rn.satfinite",
            "rn.relu.satfinite",
            "rz.relu.satfinite",
        ] {
            texts.push(format!("cvt.{modifiers}.{of}.f32 i:ff"));
        }
    }
    for of in ["e4m3x2", "e5m2x2"] {
        for relu in ["", ".relu"] {
            texts.push(format!("cvt.rn.satfinite{relu}.{of}.f32 e:ff"));
            texts.push(format!("cvt.rn.satfinite{relu}.{of}.f16x2 e:x"));
            texts.push(format!("cvt.rn{relu}.f16x2.{of} x:e"));
        }
    }
    texts.extend(
        [
            "cvt.rna.tf32.f32 i:f",
            "cvt.rna.satfinite.tf32.f32 i:f",
            "cvt.rn.tf32.f32 i:f",
            "cvt.rz.tf32.f32 i:f",
            "cvt.rn.relu.tf32.f32 i:f",
            "cvt.rn.satfinite.tf32.f32 i:f",
            "cvt.rz.relu.satfinite.tf32.f32 i:f",
            "cvt.pack.sat.u16.s32 i:ii",
            "cvt.pack.sat.s16.s32 i:ii",
            "cvt.pack.sat.u8.s32.b32 i:iii",
            "cvt.pack.sat.s8.s32.b32 i:iii",
            "cvt.pack.sat.u4.s32.b32 i:iii",
            "cvt.pack.sat.s4.s32.b32 i:iii",
            "cvt.pack.sat.u2.s32.b32 i:iii",
            "cvt.pack.sat.s2.s32.b32 i:iii",
        ]
        .map(String::from),
    );
    check(&texts);
}

#[test]
fn to_pairs_of_fewer_bits() {
    let mut texts: Vec<String> = Vec::new();
    for of in ["e2m3x2", "e3m2x2"] {
        for relu in ["", ".relu"] {
            texts.push(format!("cvt.rn.satfinite{relu}.{of}.f32 e:ff"));
            texts.push(format!("cvt.rn{relu}.f16x2.{of} x:e"));
        }
    }
    texts.extend(
        [
            "cvt.rz.ue8m0x2.f32 e:ff",
            "cvt.rp.ue8m0x2.f32 e:ff",
            "cvt.rz.satfinite.ue8m0x2.f32 e:ff",
            "cvt.rp.satfinite.ue8m0x2.bf16x2 e:y",
            "cvt.rn.bf16x2.ue8m0x2 y:e",
            "cvt.rn.satfinite.e2m1x2.f32 n:ff",
            "cvt.rn.satfinite.relu.e2m1x2.f32 n:ff",
            "cvt.rn.satfinite.e2m1x2.f16x2 n:x",
            "cvt.rn.satfinite.relu.e2m1x2.f16x2 n:x",
            "cvt.rn.f16x2.e2m1x2 x:n",
        ]
        .map(String::from),
    );
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    agree(&OWN_TARGETS, &texts);
}

#[test]
fn pairs_rounded_by_random_bits() {
    let texts = [
        "cvt.rs.f16x2.f32 x:ffi",
        "cvt.rs.relu.f16x2.f32 x:ffi",
        "cvt.rs.satfinite.f16x2.f32 x:ffi",
        "cvt.rs.bf16x2.f32 y:ffi",
        "cvt.rs.relu.satfinite.bf16x2.f32 y:ffi",
    ];
    agree(&["sm_100a", "sm_103a"], &texts);
}
