//! Floating-point arithmetic, comparison and selection.

mod lines;

use lines::{TARGETS, agree};

#[test]
fn arithmetic_of_singles() {
    let mut texts = Vec::new();
    for rounding in ["rn", "rz", "rm", "rp"] {
        for modifiers in ["", ".ftz", ".sat", ".ftz.sat"] {
            for (name, operands) in [
                ("add", "f:ff"),
                ("sub", "f:ff"),
                ("mul", "f:ff"),
                ("fma", "f:fff"),
                ("mad", "f:fff"),
            ] {
                texts.push(format!("{name}.{rounding}{modifiers}.f32 {operands}"));
            }
        }
    }
    texts.extend(["add.f32 f:ff", "sub.f32 f:ff", "mul.f32 f:ff"].map(String::from));
    check(&texts);
}

#[test]
fn arithmetic_of_pairs_of_singles() {
    let mut texts = Vec::new();
    for rounding in ["rn", "rz", "rm", "rp"] {
        for modifiers in ["", ".ftz"] {
            for (name, operands) in [("add", "q:qq"), ("mul", "q:qq"), ("fma", "q:qqq")] {
                texts.push(format!("{name}.{rounding}{modifiers}.f32x2 {operands}"));
            }
        }
    }
    texts.push("sub.f32x2 q:qq".to_string());
    for rounding in ["rn", "rz", "rm", "rp"] {
        for sat in ["", ".sat"] {
            for (of, letter) in [("f16", 'h'), ("bf16", 'b')] {
                texts.push(format!("add.{rounding}{sat}.f32.{of} f:{letter}f"));
                texts.push(format!("sub.{rounding}{sat}.f32.{of} f:{letter}f"));
                texts.push(format!("fma.{rounding}{sat}.f32.{of} f:{letter}{letter}f"));
            }
        }
    }
    check(&texts);
}

#[test]
fn arithmetic_of_doubles() {
    let mut texts = Vec::new();
    for rounding in ["rn", "rz", "rm", "rp"] {
        for (name, operands) in [
            ("add", "d:dd"),
            ("sub", "d~:dd"),
            ("mul", "d:dd"),
            ("fma", "d:ddd"),
            ("mad", "d:ddd"),
        ] {
            texts.push(format!("{name}.{rounding}.f64 {operands}"));
        }
    }
    texts.extend(
        [
            "min.f64 d:dd",
            "max.f64 d:dd",
            "abs.f64 d:d",
            "neg.f64 d:d",
            "copysign.f64 d:dd",
        ]
        .map(String::from),
    );
    check(&texts);
}

#[test]
fn extremes_and_signs_of_singles() {
    let mut texts = Vec::new();
    for name in ["min", "max"] {
        for ftz in ["", ".ftz"] {
            for nan in ["", ".NaN"] {
                texts.push(format!("{name}{ftz}{nan}.f32 f:ff"));
                texts.push(format!("{name}{ftz}{nan}.xorsign.abs.f32 f:ff"));
                texts.push(format!("{name}{ftz}{nan}.f32 f:fff"));
                texts.push(format!("{name}{ftz}{nan}.abs.f32 f:fff"));
            }
        }
    }
    texts.extend(
        [
            "abs.f32 f:f",
            "neg.f32 f:f",
            "abs.ftz.f32 f~:f",
            "neg.ftz.f32 f~:f",
            "copysign.f32 f:ff",
        ]
        .map(String::from),
    );
    check(&texts);
}

#[test]
fn halves() {
    let mut texts = Vec::new();
    for (of, c) in [("f16", 'h'), ("f16x2", 'x')] {
        for name in ["add", "sub", "mul"] {
            for modifiers in ["", ".rn", ".ftz", ".sat", ".ftz.sat"] {
                texts.push(format!("{name}{modifiers}.{of} {c}:{c}{c}"));
            }
        }
        for modifiers in ["", ".ftz", ".sat", ".ftz.sat", ".relu", ".ftz.relu"] {
            texts.push(format!("fma.rn{modifiers}.{of} {c}:{c}{c}{c}"));
        }
        for name in ["abs", "neg"] {
            texts.push(format!("{name}.{of} {c}:{c}"));
            texts.push(format!("{name}.ftz.{of} {c}:{c}"));
        }
        texts.push(format!("ex2.approx.{of} {c}:{c}"));
    }
    for (of, c) in [("bf16", 'b'), ("bf16x2", 'y')] {
        for name in ["add", "sub", "mul"] {
            texts.push(format!("{name}.{of} {c}:{c}{c}"));
        }
        texts.push(format!("fma.rn.{of} {c}:{c}{c}{c}"));
        texts.push(format!("fma.rn.relu.{of} {c}:{c}{c}{c}"));
        texts.push(format!("abs.{of} {c}:{c}"));
        texts.push(format!("neg.{of} {c}:{c}"));
        texts.push(format!("ex2.approx.ftz.{of} {c}:{c}"));
    }
    for (of, c) in [("f16", 'h'), ("f16x2", 'x'), ("bf16", 'b'), ("bf16x2", 'y')] {
        texts.push(format!("tanh.approx.{of} {c}:{c}"));
        for name in ["min", "max"] {
            for modifiers in ["", ".NaN", ".xorsign.abs", ".NaN.xorsign.abs"] {
                texts.push(format!("{name}{modifiers}.{of} {c}:{c}{c}"));
            }
        }
    }
    texts.extend(["min.ftz.f16 h:hh", "max.ftz.NaN.f16x2 x:xx"].map(String::from));
    check(&texts);
}

#[test]
fn comparisons() {
    let mut texts = Vec::new();
    for cmp in [
        "eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan",
    ] {
        for (of, c) in [("f32", 'f'), ("f64", 'd'), ("f16", 'h'), ("bf16", 'b')] {
            texts.push(format!("setp.{cmp}.{of} p:{c}{c}"));
            texts.push(format!("setp.{cmp}.xor.{of} p:{c}{c}p"));
        }
        texts.push(format!("setp.{cmp}.ftz.f32 p:ff"));
        texts.push(format!("setp.{cmp}.ftz.f16 p:hh"));
        texts.push(format!("set.{cmp}.f16x2.f16x2 x:xx"));
        texts.push(format!("set.{cmp}.bf16x2.bf16x2 y:yy"));
    }
    for (of, c) in [("f32", 'f'), ("f64", 'd')] {
        texts.push(format!("setp.lt.and.{of} p:{c}{c}p"));
        texts.push(format!("setp.geu.or.{of} p:{c}{c}p"));
        texts.push(format!("set.lt.f32.{of} f:{c}{c}"));
        texts.push(format!("set.geu.u32.{of} i:{c}{c}"));
        texts.push(format!("set.ne.or.s32.{of} i:{c}{c}p"));
        texts.push(format!("selp.{of} {c}:{c}{c}p"));
        for property in ["finite", "infinite", "number", "notanumber", "normal", "subnormal"] {
            texts.push(format!("testp.{property}.{of} p:{c}"));
        }
    }
    texts.extend(
        [
            "set.lt.f32.s32 f:ii",
            "set.hi.f32.u32 f:ii",
            "set.lt.ftz.u32.f32 i:ff",
            "set.gt.f16.f16 h:hh",
            "set.gt.u32.f16 i:hh",
            "set.gt.bf16.bf16 b:bb",
            "set.lt.u32.f16x2 i:xx",
            "slct.f32.f32 f:fff",
            "slct.ftz.f32.f32 f:fff",
            "slct.f64.f32 d:ddf",
            "slct.f32.s32 f:ffi",
            "slct.u32.f32 i:iif",
            "slct.b64.f32 l:llf",
        ]
        .map(String::from),
    );
    check(&texts);
}

#[test]
fn approximations() {
    let mut texts: Vec<String> = Vec::new();
    for name in ["rcp", "sqrt", "rsqrt", "ex2", "lg2", "sin", "cos"] {
        texts.push(format!("{name}.approx.f32 f:f"));
        texts.push(format!("{name}.approx.ftz.f32 f:f"));
    }
    texts.extend(
        [
            "sin.approx.ftz.2pi.f32 f:f",
            "cos.approx.ftz.2pi.f32 f:f",
            "tanh.approx.f32 f:f",
            "div.approx.f32 f:ff",
            "div.approx.ftz.f32 f:ff",
            "div.full.f32 f:ff",
            "div.full.ftz.f32 f:ff",
            "rcp.approx.ftz.f64 d:d",
            "rsqrt.approx.f64 d:d",
            "rsqrt.approx.ftz.f64 d:d",
        ]
        .map(String::from),
    );
    check(&texts);
}

#[test]
fn divisions() {
    let mut texts = Vec::new();
    for rounding in ["rn", "rz", "rm", "rp"] {
        for ftz in ["", ".ftz"] {
            texts.push(format!("div.{rounding}{ftz}.f32 f:ff"));
            texts.push(format!("rcp.{rounding}{ftz}.f32 f:f"));
            texts.push(format!("sqrt.{rounding}{ftz}.f32 f:f"));
        }
        texts.push(format!("div.{rounding}.f64 d:dd"));
        texts.push(format!("rcp.{rounding}.f64 d:d"));
        texts.push(format!("sqrt.{rounding}.f64 d:d"));
    }
    check(&texts);
}

fn check(texts: &[String]) {
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    agree(&TARGETS, &texts);
}

#[test]
fn products_that_are_zero_out_of_bounds() {
    let texts = [
        "fma.rn.oob.f16 h:hhh",
        "fma.rn.oob.relu.f16 h:hhh",
        "fma.rn.oob.bf16 b:bbb",
        "fma.rn.oob.relu.bf16 b:bbb",
        "fma.rn.oob.f16x2 x:xxx",
        "fma.rn.oob.relu.bf16x2 y:yyy",
    ];
    agree(&["sm_90", "sm_100", "sm_103", "sm_110", "sm_120"], &texts);
}
