//! Conversions, and values put together and taken apart.

use super::{Generator, body::Kind};

impl Generator {
    /// A conversion.
    pub(super) fn convert(&mut self) {
        match self.below(100) {
            0..35 => self.integers(),
            35..50 => self.pieces(),
            _ if !self.features.floats => self.integers(),
            50..68 => self.float_to_integer(),
            68..84 => self.integer_to_float(),
            84..95 => self.between_floats(),
            _ => self.bits_and_numbers(),
        }
    }

    fn integers(&mut self) {
        let kinds = [(Kind::I16, 16), (Kind::I32, 32), (Kind::I64, 64)];
        let (from, from_bits) = kinds[self.below(3) as usize];
        let (to, to_bits) = kinds[self.below(3) as usize];
        let (x, y) = (self.pick(&["u", "s"]), self.pick(&["u", "s"]));
        let a = self.register(from);
        // 8 bits in wider registers.
        let narrow = self.below(8);
        let to_bits = if narrow == 0 { 8 } else { to_bits };
        let from_bits = if narrow == 1 { 8 } else { from_bits };
        // Where every number fits there is no `.sat`.
        let fits = to_bits > from_bits && (x == "u" || y == "s") || to_bits == from_bits && x == y;
        let saturate = if fits { "" } else { self.pick(&["", ".sat"]) };
        self.put(to, |d| format!("cvt{saturate}.{y}{to_bits}.{x}{from_bits} {d}, {a};"));
    }

    fn pieces(&mut self) {
        match self.below(5) {
            0 => {
                let (a, b) = (self.source(Kind::I32), self.register(Kind::I32));
                self.put(Kind::I64, |d| format!("mov.b64 {d}, {{{a}, {b}}};"));
            }
            1 => {
                let (a, b) = (self.register(Kind::I16), self.register(Kind::I16));
                self.put(Kind::I32, |d| format!("mov.b32 {d}, {{{a}, {b}}};"));
            }
            2 => {
                let a = self.register(Kind::I64);
                let [low, high] = [(); 2].map(|()| self.body.fresh(Kind::I32));
                self.line(&format!("mov.b64 {{{low}, {high}}}, {a};"));
                self.body.push(Kind::I32, &low);
                self.body.push(Kind::I32, &high);
            }
            3 => {
                let a = self.register(Kind::I64);
                let names = [(); 4].map(|()| self.body.fresh(Kind::I16));
                self.line(&format!("mov.b64 {{{}}}, {a};", names.join(", ")));
                for name in names {
                    self.body.push(Kind::I16, &name);
                }
            }
            _ => {
                let a = self.register(Kind::I32);
                let [low, high] = [(); 2].map(|()| self.body.fresh(Kind::I16));
                self.line(&format!("mov.b32 {{{low}, {high}}}, {a};"));
                self.body.push(Kind::I16, &low);
                self.body.push(Kind::I16, &high);
            }
        }
    }

    fn float_kind(&mut self) -> (Kind, &'static str) {
        match self.below(8) {
            0..4 => (Kind::Single, "f32"),
            4..6 => (Kind::Double, "f64"),
            _ => (Kind::Half, "f16"),
        }
    }

    fn float_to_integer(&mut self) {
        let (from, ty) = self.float_kind();
        let (to, bits) = [
            (Kind::I16, 16),
            (Kind::I32, 32),
            (Kind::I32, 32),
            (Kind::I64, 64),
            (Kind::I32, 8),
        ][self.below(5) as usize];
        let rounding = self.pick(&["rni", "rzi", "rmi", "rpi"]);
        let sign = self.pick(&["u", "s"]);
        let flush = if ty == "f32" { self.pick(&["", "", ".ftz"]) } else { "" };
        let saturate = self.pick(&["", "", ".sat"]);
        let a = self.register(from);
        self.put(to, |d| {
            format!("cvt.{rounding}{flush}{saturate}.{sign}{bits}.{ty} {d}, {a};")
        });
    }

    fn integer_to_float(&mut self) {
        let (to, ty) = self.float_kind();
        let (from, bits) = [
            (Kind::I16, 16),
            (Kind::I32, 32),
            (Kind::I32, 32),
            (Kind::I64, 64),
            (Kind::I32, 8),
        ][self.below(5) as usize];
        let rounding = self.pick(&["rn", "rn", "rz", "rm", "rp"]);
        let sign = self.pick(&["u", "s"]);
        let a = self.register(from);
        self.put(to, |d| format!("cvt.{rounding}.{ty}.{sign}{bits} {d}, {a};"));
    }

    fn between_floats(&mut self) {
        let (single, double, half) = (
            self.register(Kind::Single),
            self.register(Kind::Double),
            self.register(Kind::Half),
        );
        let rounding = self.pick(&["rn", "rn", "rz", "rm", "rp"]);
        let whole = self.pick(&["rni", "rzi", "rmi", "rpi"]);
        let flush = self.pick(&["", "", ".ftz"]);
        let saturate = self.pick(&["", "", ".sat"]);
        match self.below(11) {
            0 => self.put(Kind::Double, |d| format!("cvt{flush}.f64.f32 {d}, {single};")),
            1 => self.put(Kind::Single, |d| {
                format!("cvt.{rounding}{flush}{saturate}.f32.f64 {d}, {double};")
            }),
            2 => self.put(Kind::Half, |d| format!("cvt.rn{flush}.f16.f32 {d}, {single};")),
            3 => self.put(Kind::Single, |d| format!("cvt{flush}.f32.f16 {d}, {half};")),
            4 => self.put(Kind::Double, |d| format!("cvt.f64.f16 {d}, {half};")),
            5 => self.put(Kind::Half, |d| format!("cvt.rn.f16.f64 {d}, {double};")),
            6 => self.put(Kind::Single, |d| {
                format!("cvt.{whole}{flush}{saturate}.f32.f32 {d}, {single};")
            }),
            7 => self.put(Kind::Double, |d| format!("cvt.{whole}.f64.f64 {d}, {double};")),
            8 if self.target >= 80 => self.put(Kind::Bfloat, |d| format!("cvt.rn.bf16.f32 {d}, {single};")),
            9 if self.target >= 80 => {
                let other = self.register(Kind::Single);
                self.put(Kind::Halves, |d| format!("cvt.rn.f16x2.f32 {d}, {single}, {other};"));
            }
            10 if self.target >= 90 => {
                let a = self.register(Kind::Bfloat);
                self.put(Kind::Single, |d| format!("cvt.f32.bf16 {d}, {a};"));
            }
            _ => self.put(Kind::Single, |d| format!("mov.f32 {d}, {single};")),
        }
    }

    /// Between numbers and their bits.
    fn bits_and_numbers(&mut self) {
        let pairs = [
            (Kind::Single, Kind::I32),
            (Kind::Double, Kind::I64),
            (Kind::Half, Kind::I16),
            (Kind::Bfloat, Kind::I16),
            (Kind::Halves, Kind::I32),
        ];
        let (float, integer) = pairs[self.below(5) as usize];
        let bits = integer.width();
        match self.chance(50) {
            true => {
                let a = self.register(integer);
                self.put(float, |d| format!("mov.b{bits} {d}, {a};"));
            }
            false => {
                let a = self.register(float);
                let name = self.bits(float, &a);
                self.body.push(integer, &name);
            }
        }
    }
}
