//! Integers, bits, comparisons, predicates.

use super::{Generator, body::Kind};

/// Kind and width of an integer operation.
const WIDTHS: [(Kind, u32); 6] = [
    (Kind::I32, 32),
    (Kind::I32, 32),
    (Kind::I32, 32),
    (Kind::I64, 64),
    (Kind::I64, 64),
    (Kind::I16, 16),
];

impl Generator {
    fn width(&mut self) -> (Kind, u32) {
        WIDTHS[self.below(6) as usize]
    }

    /// A statement on integers.
    pub(super) fn integer(&mut self) {
        match self.below(100) {
            0..30 => self.two_operands(),
            30..42 => self.bitwise(),
            42..50 => self.shift(),
            50..58 => self.multiply_add(),
            58..64 => self.divide(),
            64..70 => self.wide_product(),
            70..84 => self.bit_field(),
            84..90 => self.carry(),
            90..94 => self.dot(),
            _ => self.select(),
        }
    }

    fn two_operands(&mut self) {
        let (kind, bits) = self.width();
        let sign = self.pick(&["u", "s"]);
        let (a, b) = (self.register(kind), self.source(kind));
        let operation = self.pick(&[
            "add", "sub", "mul.lo", "min", "max", "add", "sub", "mul.hi", "sad", "abs", "neg",
        ]);
        match operation {
            "abs" | "neg" => self.put(kind, |d| format!("{operation}.s{bits} {d}, {a};")),
            "sad" => {
                let c = self.register(kind);
                self.put(kind, |d| format!("sad.{sign}{bits} {d}, {a}, {b}, {c};"));
            }
            "add" | "sub" if bits == 32 && sign == "s" && self.chance(20) => {
                self.put(kind, |d| format!("{operation}.sat.s32 {d}, {a}, {b};"));
            }
            "sub" if self.chance(30) => self.put(kind, |d| format!("sub.{sign}{bits} {d}, {b}, {a};")),
            _ => self.put(kind, |d| format!("{operation}.{sign}{bits} {d}, {a}, {b};")),
        }
    }

    fn bitwise(&mut self) {
        let (kind, bits) = self.width();
        let (a, b) = (self.register(kind), self.source(kind));
        match self.below(8) {
            0 => self.put(kind, |d| format!("not.b{bits} {d}, {a};")),
            1 => self.put(kind, |d| format!("cnot.b{bits} {d}, {a};")),
            2 if kind == Kind::I32 => {
                let (c, table) = (self.source(kind), self.below(256));
                self.put(kind, |d| format!("lop3.b32 {d}, {a}, {b}, {c}, {table:#x};"));
            }
            3 => {
                let (p, q) = (self.register(Kind::Predicate), self.register(Kind::Predicate));
                let operation = self.pick(&["and", "or", "xor"]);
                self.put(Kind::Predicate, |d| format!("{operation}.pred {d}, {p}, {q};"));
            }
            4 => {
                let p = self.register(Kind::Predicate);
                self.put(Kind::Predicate, |d| format!("not.pred {d}, {p};"));
            }
            _ => {
                let operation = self.pick(&["and", "or", "xor"]);
                self.put(kind, |d| format!("{operation}.b{bits} {d}, {a}, {b};"));
            }
        }
    }

    fn shift(&mut self) {
        let (kind, bits) = self.width();
        let a = self.register(kind);
        let by = match self.chance(60) {
            true => self.below(bits + 2).to_string(),
            false => self.register(Kind::I32),
        };
        match self.below(6) {
            0 | 1 => self.put(kind, |d| format!("shl.b{bits} {d}, {a}, {by};")),
            2 | 3 => {
                let sign = self.pick(&["u", "s"]);
                self.put(kind, |d| format!("shr.{sign}{bits} {d}, {a}, {by};"));
            }
            _ => {
                let (low, high) = (self.register(Kind::I32), self.source(Kind::I32));
                let form = self.pick(&["l.wrap", "l.clamp", "r.wrap", "r.clamp"]);
                self.put(Kind::I32, |d| format!("shf.{form}.b32 {d}, {low}, {high}, {by};"));
            }
        }
    }

    fn multiply_add(&mut self) {
        let (kind, bits) = self.width();
        let sign = self.pick(&["u", "s"]);
        let part = self.pick(&["lo", "lo", "lo", "hi"]);
        let (a, b, c) = (self.register(kind), self.source(kind), self.source(kind));
        match self.below(6) {
            0 if kind == Kind::I32 && part == "lo" => {
                self.put(kind, |d| format!("mul24.lo.{sign}32 {d}, {a}, {b};"));
            }
            1 if kind == Kind::I32 && part == "lo" => {
                self.put(kind, |d| format!("mad24.lo.{sign}32 {d}, {a}, {b}, {c};"));
            }
            2 if kind == Kind::I32 && part == "hi" => {
                self.put(kind, |d| format!("mad.hi.sat.s32 {d}, {a}, {b}, {c};"));
            }
            _ => self.put(kind, |d| format!("mad.{part}.{sign}{bits} {d}, {a}, {b}, {c};")),
        }
    }

    /// A divisor that is not zero: a number, or a register with a bit set.
    fn divide(&mut self) {
        let (kind, bits) = self.width();
        let sign = self.pick(&["u", "s"]);
        let operation = self.pick(&["div", "rem"]);
        let a = self.register(kind);
        let divisor = match self.chance(55) {
            true => {
                let small = [
                    3_i64,
                    5,
                    7,
                    10,
                    16,
                    1,
                    2,
                    100,
                    641,
                    12,
                    25,
                    1 << 20,
                    0x7fff,
                    0x4001,
                    -3,
                    -7,
                    -16,
                ];
                let value = small[self.below(17) as usize];
                let value = if sign == "u" { value.abs() } else { value };
                (value % (1 << (bits.min(40) - 1))).to_string().replace("-0", "1")
            }
            false => {
                let b = self.register(kind);
                let bit = 1 << self.below(bits.min(15));
                self.put_new(kind, |d| format!("or.b{bits} {d}, {b}, {bit};"))
            }
        };
        let divisor = if divisor == "0" { "9".to_owned() } else { divisor };
        self.put(kind, |d| format!("{operation}.{sign}{bits} {d}, {a}, {divisor};"));
    }

    fn wide_product(&mut self) {
        let sign = self.pick(&["u", "s"]);
        let (narrow, wide, bits) = match self.chance(75) {
            true => (Kind::I32, Kind::I64, 32),
            false => (Kind::I16, Kind::I32, 16),
        };
        let (a, b, c) = (self.register(narrow), self.source(narrow), self.register(wide));
        match self.chance(50) {
            true => self.put(wide, |d| format!("mul.wide.{sign}{bits} {d}, {a}, {b};")),
            false => self.put(wide, |d| format!("mad.wide.{sign}{bits} {d}, {a}, {b}, {c};")),
        }
    }

    fn bit_field(&mut self) {
        let (kind, bits) = match self.chance(70) {
            true => (Kind::I32, 32),
            false => (Kind::I64, 64),
        };
        let sign = self.pick(&["u", "s"]);
        let (a, b) = (self.register(kind), self.source(kind));
        let mut small = || match self.chance(60) {
            true => self.below(bits + 1).to_string(),
            // Positions and lengths count in their low 8 bits; ptxas' code for 64 bits does not cut them.
            false => {
                let register = self.register(Kind::I32);
                self.put_new(Kind::I32, |d| format!("and.b32 {d}, {register}, 127;"))
            }
        };
        let (position, length) = (small(), small());
        match self.below(10) {
            0 => self.put(kind, |d| format!("bfe.{sign}{bits} {d}, {a}, {position}, {length};")),
            1 => self.put(kind, |d| format!("bfi.b{bits} {d}, {a}, {b}, {position}, {length};")),
            2 => self.put(Kind::I32, |d| format!("clz.b{bits} {d}, {a};")),
            3 => self.put(Kind::I32, |d| format!("popc.b{bits} {d}, {a};")),
            4 => self.put(kind, |d| format!("brev.b{bits} {d}, {a};")),
            5 => self.put(Kind::I32, |d| format!("bfind.{sign}{bits} {d}, {a};")),
            6 => self.put(Kind::I32, |d| format!("bfind.shiftamt.{sign}{bits} {d}, {a};")),
            7 => {
                let (x, y, z) = (self.register(Kind::I32), self.source(Kind::I32), self.source(Kind::I32));
                let mode = self.pick(&["", "", "", ".f4e", ".b4e", ".rc8", ".ecl", ".ecr", ".rc16"]);
                self.put(Kind::I32, |d| format!("prmt.b32{mode} {d}, {x}, {y}, {z};"));
            }
            8 => {
                let mode = self.pick(&["clamp", "wrap"]);
                self.put(Kind::I32, |d| format!("bmsk.{mode}.b32 {d}, {position}, {length};"));
            }
            _ => {
                let mode = self.pick(&["clamp", "wrap"]);
                let x = self.register(Kind::I32);
                self.put(Kind::I32, |d| format!("szext.{mode}.{sign}32 {d}, {x}, {length};"));
            }
        }
    }

    /// A chain through the carry flag, in whole.
    fn carry(&mut self) {
        let (kind, bits) = match self.chance(80) {
            true => (Kind::I32, 32),
            false => (Kind::I64, 64),
        };
        let names: Vec<String> = (0..3).map(|_| self.body.fresh(kind)).collect();
        let s: Vec<String> = (0..6).map(|_| self.register(kind)).collect();
        let (start, middle, end) = match self.below(3) {
            0 => ("add.cc", "addc.cc", "addc"),
            1 => ("sub.cc", "subc.cc", "subc"),
            _ => ("mad.lo.cc", "madc.hi.cc", "addc"),
        };
        let lines = match start {
            "mad.lo.cc" => [
                format!("{start}.u{bits} {}, {}, {}, {};", names[0], s[0], s[1], s[2]),
                format!("{middle}.u{bits} {}, {}, {}, {};", names[1], s[0], s[1], s[3]),
                format!("{end}.u{bits} {}, {}, 0;", names[2], s[4]),
            ],
            _ => [
                format!("{start}.u{bits} {}, {}, {};", names[0], s[0], s[1]),
                format!("{middle}.u{bits} {}, {}, {};", names[1], s[2], s[3]),
                format!("{end}.u{bits} {}, {}, {};", names[2], s[4], s[5]),
            ],
        };
        for (line, name) in lines.iter().zip(&names) {
            self.line(line);
            self.body.push(kind, name);
        }
    }

    fn dot(&mut self) {
        let (a, b, c) = (
            self.register(Kind::I32),
            self.source(Kind::I32),
            self.register(Kind::I32),
        );
        let (x, y) = (self.pick(&["u32", "s32"]), self.pick(&["u32", "s32"]));
        let form = self.pick(&["dp4a", "dp2a.lo", "dp2a.hi"]);
        self.put(Kind::I32, |d| format!("{form}.{x}.{y} {d}, {a}, {b}, {c};"));
    }

    fn select(&mut self) {
        let (kind, bits) = self.width();
        let (a, b) = (self.source(kind), self.source(kind));
        match self.below(4) {
            0 => {
                let c = self.register(Kind::I32);
                self.put(kind, |d| format!("slct.b{bits}.s32 {d}, {a}, {b}, {c};"));
            }
            1 => self.put(kind, |d| format!("mov.b{bits} {d}, {a};")),
            _ => {
                let p = self.register(Kind::Predicate);
                self.put(kind, |d| format!("selp.b{bits} {d}, {a}, {b}, {p};"));
            }
        }
    }

    /// A comparison of any type.
    pub(super) fn compare(&mut self) {
        let float = self.features.floats && self.chance(35);
        let (kind, ty, relation) = match float {
            true => {
                let (kind, ty) = match self.below(4) {
                    0 => (Kind::Double, "f64"),
                    1 => (Kind::Half, "f16"),
                    _ => (Kind::Single, "f32"),
                };
                let list = [
                    "eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan",
                ];
                (kind, ty.to_owned(), self.pick(&list))
            }
            false => {
                let (kind, bits) = self.width();
                let sign = self.pick(&["u", "s"]);
                (
                    kind,
                    format!("{sign}{bits}"),
                    self.pick(&["eq", "ne", "lt", "le", "gt", "ge"]),
                )
            }
        };
        let (a, b) = (self.register(kind), self.source(kind));
        match self.below(6) {
            0 => {
                let p = self.register(Kind::Predicate);
                let not = self.pick(&["", "!"]);
                let operation = self.pick(&["and", "or", "xor"]);
                self.put(Kind::Predicate, |d| {
                    format!("setp.{relation}.{operation}.{ty} {d}, {a}, {b}, {not}{p};")
                });
            }
            1 if ty != "f16" => {
                let other = self.body.fresh(Kind::Predicate);
                let own = self.body.fresh(Kind::Predicate);
                self.line(&format!("setp.{relation}.{ty} {own}|{other}, {a}, {b};"));
                self.body.push(Kind::Predicate, &own);
                self.body.push(Kind::Predicate, &other);
            }
            2 if ty != "f16" && kind != Kind::I16 => {
                self.put(Kind::I32, |d| format!("set.{relation}.u32.{ty} {d}, {a}, {b};"));
            }
            _ => self.put(Kind::Predicate, |d| format!("setp.{relation}.{ty} {d}, {a}, {b};")),
        }
    }
}
