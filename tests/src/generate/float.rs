//! Floating-point arithmetic.

use super::{Generator, body::Kind};

impl Generator {
    /// A statement on floating-point numbers.
    pub(super) fn float(&mut self) {
        match self.below(100) {
            0..45 => self.single(),
            45..70 => self.double(),
            70..80 => self.half(),
            80..88 => self.halves(),
            88..94 => self.bfloat(),
            _ => self.sign_or_class(),
        }
    }

    fn rounding(&mut self) -> &'static str {
        self.pick(&["rn", "rn", "rn", "rz", "rm", "rp"])
    }

    /// A register whose NaNs are all one NaN.
    fn clean(&mut self, kind: Kind) -> String {
        let name = self.register(kind);
        let bits = self.bits(kind, &name);
        self.put_new(kind, |d| format!("mov.b{} {d}, {bits};", kind.width()))
    }

    fn single(&mut self) {
        let (a, b, c) = (
            self.register(Kind::Single),
            self.source(Kind::Single),
            self.source(Kind::Single),
        );
        let rounding = self.rounding();
        let flush = self.pick(&["", "", ".ftz"]);
        let saturate = self.pick(&["", "", "", ".sat"]);
        match self.below(20) {
            0..3 => self.put(Kind::Single, |d| {
                format!("add.{rounding}{flush}{saturate}.f32 {d}, {a}, {b};")
            }),
            3..5 => self.put(Kind::Single, |d| {
                format!("sub.{rounding}{flush}{saturate}.f32 {d}, {b}, {a};")
            }),
            5..8 => self.put(Kind::Single, |d| {
                format!("mul.{rounding}{flush}{saturate}.f32 {d}, {a}, {b};")
            }),
            8..12 => self.put(Kind::Single, |d| {
                format!("fma.{rounding}{flush}{saturate}.f32 {d}, {a}, {b}, {c};")
            }),
            12 => self.put(Kind::Single, |d| format!("div.{rounding}{flush}.f32 {d}, {a}, {b};")),
            13 => {
                let operation = self.pick(&["rcp", "sqrt"]);
                self.put(Kind::Single, |d| format!("{operation}.{rounding}{flush}.f32 {d}, {a};"));
            }
            14 | 15 => {
                let operation = self.pick(&["min", "max"]);
                let nan = if self.target >= 80 {
                    self.pick(&["", ".NaN"])
                } else {
                    ""
                };
                self.put(Kind::Single, |d| format!("{operation}{flush}{nan}.f32 {d}, {a}, {b};"));
            }
            16 => {
                let operation = self.pick(&["neg", "abs"]);
                self.put(Kind::Single, |d| format!("{operation}{flush}.f32 {d}, {a};"));
            }
            17 => {
                let operation = self.pick(&["rcp", "ex2", "lg2", "rsqrt", "sqrt", "sin", "cos"]);
                self.put(Kind::Single, |d| format!("{operation}.approx.ftz.f32 {d}, {a};"));
            }
            18 => {
                let p = self.register(Kind::Predicate);
                self.put(Kind::Single, |d| format!("selp.f32 {d}, {a}, {b}, {p};"));
            }
            _ => self.put(Kind::Single, |d| format!("mov.f32 {d}, {b};")),
        }
    }

    fn double(&mut self) {
        let (a, b, c) = (
            self.register(Kind::Double),
            self.source(Kind::Double),
            self.source(Kind::Double),
        );
        let rounding = self.rounding();
        match self.below(16) {
            0..3 => self.put(Kind::Double, |d| format!("add.{rounding}.f64 {d}, {a}, {b};")),
            3..5 => self.put(Kind::Double, |d| format!("sub.{rounding}.f64 {d}, {b}, {a};")),
            5..8 => self.put(Kind::Double, |d| format!("mul.{rounding}.f64 {d}, {a}, {b};")),
            8..11 => self.put(Kind::Double, |d| format!("fma.{rounding}.f64 {d}, {a}, {b}, {c};")),
            11 => self.put(Kind::Double, |d| format!("div.{rounding}.f64 {d}, {a}, {b};")),
            12 => {
                let operation = self.pick(&["rcp", "sqrt"]);
                self.put(Kind::Double, |d| format!("{operation}.{rounding}.f64 {d}, {a};"));
            }
            13 => {
                let operation = self.pick(&["min", "max"]);
                self.put(Kind::Double, |d| format!("{operation}.f64 {d}, {a}, {b};"));
            }
            14 => {
                let operation = self.pick(&["neg", "abs"]);
                self.put(Kind::Double, |d| format!("{operation}.f64 {d}, {a};"));
            }
            _ => {
                let p = self.register(Kind::Predicate);
                self.put(Kind::Double, |d| format!("selp.f64 {d}, {a}, {b}, {p};"));
            }
        }
    }

    fn half(&mut self) {
        let [a, b, c] = [(); 3].map(|()| self.register(Kind::Half));
        let flush = self.pick(&["", "", ".ftz"]);
        let saturate = self.pick(&["", "", ".sat"]);
        match self.below(8) {
            0 | 1 => self.put(Kind::Half, |d| format!("add.rn{flush}{saturate}.f16 {d}, {a}, {b};")),
            2 => self.put(Kind::Half, |d| format!("sub.rn{flush}{saturate}.f16 {d}, {a}, {b};")),
            3 => self.put(Kind::Half, |d| format!("mul.rn{flush}{saturate}.f16 {d}, {a}, {b};")),
            4 | 5 => self.put(Kind::Half, |d| {
                format!("fma.rn{flush}{saturate}.f16 {d}, {a}, {b}, {c};")
            }),
            6 => {
                let operation = self.pick(&["neg", "abs"]);
                self.put(Kind::Half, |d| format!("{operation}.f16 {d}, {a};"));
            }
            _ if self.target >= 80 => {
                let operation = self.pick(&["min", "max", "min.NaN", "max.NaN"]);
                self.put(Kind::Half, |d| format!("{operation}.f16 {d}, {a}, {b};"));
            }
            _ => self.put(Kind::Half, |d| format!("mov.b16 {d}, {a};")),
        }
    }

    fn halves(&mut self) {
        let [a, b, c] = [(); 3].map(|()| self.register(Kind::Halves));
        let flush = self.pick(&["", "", ".ftz"]);
        match self.below(7) {
            0 => self.put(Kind::Halves, |d| format!("add.rn{flush}.f16x2 {d}, {a}, {b};")),
            1 => self.put(Kind::Halves, |d| format!("sub.rn{flush}.f16x2 {d}, {a}, {b};")),
            2 => self.put(Kind::Halves, |d| format!("mul.rn{flush}.f16x2 {d}, {a}, {b};")),
            3 | 4 => self.put(Kind::Halves, |d| format!("fma.rn{flush}.f16x2 {d}, {a}, {b}, {c};")),
            5 => {
                let [low, high] = [(); 2].map(|()| self.register(Kind::Half));
                self.put(Kind::Halves, |d| format!("mov.b32 {d}, {{{low}, {high}}};"));
            }
            _ => {
                let [low, high] = [(); 2].map(|()| self.body.fresh(Kind::Half));
                self.line(&format!("mov.b32 {{{low}, {high}}}, {a};"));
                self.body.push(Kind::Half, &low);
                self.body.push(Kind::Half, &high);
            }
        }
    }

    fn bfloat(&mut self) {
        let [a, b, c] = [(); 3].map(|()| self.register(Kind::Bfloat));
        match (self.target, self.below(4)) {
            (90.., 0) => {
                let operation = self.pick(&["add", "sub", "mul"]);
                self.put(Kind::Bfloat, |d| format!("{operation}.rn.bf16 {d}, {a}, {b};"));
            }
            (80.., 1) => {
                let operation = self.pick(&["min", "max", "min.NaN", "max.NaN"]);
                self.put(Kind::Bfloat, |d| format!("{operation}.bf16 {d}, {a}, {b};"));
            }
            (80.., 2) => {
                let operation = self.pick(&["neg", "abs"]);
                self.put(Kind::Bfloat, |d| format!("{operation}.bf16 {d}, {a};"));
            }
            (80.., _) => self.put(Kind::Bfloat, |d| format!("fma.rn.bf16 {d}, {a}, {b}, {c};")),
            _ => self.put(Kind::Bfloat, |d| format!("mov.b16 {d}, {a};")),
        }
    }

    fn sign_or_class(&mut self) {
        let (kind, ty) = match self.chance(65) {
            true => (Kind::Single, "f32"),
            false => (Kind::Double, "f64"),
        };
        match self.below(4) {
            0 => {
                let (a, b) = (self.clean(kind), self.register(kind));
                self.put(kind, |d| format!("copysign.{ty} {d}, {a}, {b};"));
            }
            1 if self.target >= 86 && kind == Kind::Single => {
                let (a, b) = (self.clean(kind), self.clean(kind));
                let operation = self.pick(&["min", "max"]);
                self.put(kind, |d| format!("{operation}.xorsign.abs.f32 {d}, {a}, {b};"));
            }
            2 => {
                let (a, b, c) = (self.register(kind), self.register(kind), self.register(Kind::Single));
                self.put(kind, |d| format!("slct.{ty}.f32 {d}, {a}, {b}, {c};"));
            }
            _ => {
                let a = self.register(kind);
                let class = self.pick(&["finite", "infinite", "number", "notanumber", "normal", "subnormal"]);
                self.put(Kind::Predicate, |d| format!("testp.{class}.{ty} {d}, {a};"));
            }
        }
    }
}
