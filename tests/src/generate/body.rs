//! The function that is being written: registers, what can be read, text.

use std::fmt::Write as _;

use super::Generator;
use crate::differential::EDGES;

/// What a register holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    I16,
    I32,
    I64,
    Single,
    Double,
    Half,
    Bfloat,
    /// Two `f16`
    Halves,
    Predicate,
}

impl Kind {
    pub(super) const ALL: [Kind; 9] = [
        Kind::I16,
        Kind::I32,
        Kind::I64,
        Kind::Single,
        Kind::Double,
        Kind::Half,
        Kind::Bfloat,
        Kind::Halves,
        Kind::Predicate,
    ];

    /// The start of the names of its registers, and their type.
    fn register(self) -> (&'static str, &'static str) {
        match self {
            Kind::I16 => ("%h", "b16"),
            Kind::I32 => ("%r", "b32"),
            Kind::I64 => ("%l", "b64"),
            Kind::Single => ("%f", "f32"),
            Kind::Double => ("%d", "f64"),
            Kind::Half => ("%e", "b16"),
            Kind::Bfloat => ("%b", "b16"),
            Kind::Halves => ("%x", "b32"),
            Kind::Predicate => ("%p", "pred"),
        }
    }

    /// Bits of its registers.
    pub(super) fn width(self) -> u32 {
        match self {
            Kind::I16 | Kind::Half | Kind::Bfloat => 16,
            Kind::I32 | Kind::Single | Kind::Halves => 32,
            Kind::I64 | Kind::Double => 64,
            Kind::Predicate => 1,
        }
    }
}

/// A function in the making.
#[derive(Debug, Default)]
pub(super) struct Body {
    /// Its statements.
    pub(super) text: String,
    /// Statements that may still be made.
    pub(super) budget: u32,
    /// How often a statement here runs at most.
    pub(super) trips: u32,
    /// All threads of the CTA come here equally often.
    pub(super) uniform: bool,
    /// Nested statements around.
    pub(super) depth: u32,
    /// Labels behind the statements around, the innermost last.
    pub(super) ends: Vec<String>,
    /// Labels used.
    pub(super) labels: u32,
    /// It is a device function.
    pub(super) device: bool,
    /// Registers of each kind.
    counts: [u32; 9],
    /// Loop counters.
    pub(super) counters: u32,
    /// Statements of the open scopes, with a mark for the register that they write.
    pub(super) history: Vec<(Kind, String)>,
    /// Registers that can be read, by kind, those of the innermost scope last.
    readable: [Vec<String>; 9],
    /// Those of them that any statement may write.
    variables: [Vec<String>; 9],
}

/// What could be read when a scope was opened.
pub(super) struct Scope([usize; 9], usize);

impl Body {
    /// A new register.
    pub(super) fn fresh(&mut self, kind: Kind) -> String {
        let count = &mut self.counts[kind as usize];
        *count += 1;
        format!("{}{count}", kind.register().0)
    }

    /// A new variable; it has to be written.
    pub(super) fn variable(&mut self, kind: Kind) -> String {
        let name = self.fresh(kind);
        self.variables[kind as usize].push(name.clone());
        self.push(kind, &name);
        name
    }

    /// Lets a register be read.
    pub(super) fn push(&mut self, kind: Kind, name: &str) {
        self.readable[kind as usize].push(name.to_owned());
    }

    pub(super) fn open(&self) -> Scope {
        Scope(
            std::array::from_fn(|kind| self.readable[kind].len()),
            self.history.len(),
        )
    }

    pub(super) fn close(&mut self, scope: &Scope) {
        for (list, length) in self.readable.iter_mut().zip(scope.0) {
            list.truncate(length);
        }
        self.history.truncate(scope.1);
    }

    /// The last registers of a kind that can be read.
    pub(super) fn last(&self, kind: Kind, count: usize) -> Vec<String> {
        self.readable[kind as usize].iter().rev().take(count).cloned().collect()
    }

    /// The declarations of the registers.
    pub(super) fn declarations(&self) -> String {
        let mut text = String::new();
        for kind in Kind::ALL {
            let (name, ty) = kind.register();
            let _ = writeln!(text, "    .reg .{ty} {name}<{}>;", self.counts[kind as usize] + 1);
        }
        let _ = writeln!(text, "    .reg .b32 %c<{}>;", self.counters + 1);
        text.push_str("    .reg .b64 %out, %in, %own, %data, %stack, %t, %u;\n");
        text.push_str("    .reg .b32 %n, %me, %cta, %size, %thread, %low, %mine, %shared;\n");
        text.push_str("    .reg .pred %first, %nan;\n");
        text
    }
}

impl Generator {
    /// Writes a line.
    pub(super) fn line(&mut self, text: &str) {
        for _ in 0..=self.body.depth {
            self.body.text.push_str("    ");
        }
        self.body.text.push_str(text);
        self.body.text.push('\n');
    }

    /// A new label.
    pub(super) fn label(&mut self) -> String {
        self.body.labels += 1;
        format!("L{}", self.body.labels)
    }

    /// Places a label.
    pub(super) fn place(&mut self, label: &str) {
        let _ = writeln!(self.body.text, "{label}:");
    }

    /// A register that can be read; mostly one of the last.
    pub(super) fn register(&mut self, kind: Kind) -> String {
        let count = self.body.readable[kind as usize].len() as u32;
        let back = match self.chance(50) {
            true => self.below(count.min(4)),
            false => self.below(count),
        };
        let list = &self.body.readable[kind as usize];
        list.get((count - 1 - back.min(count.saturating_sub(1))) as usize)
            .cloned()
            .unwrap_or_default()
    }

    /// A register, or a number for the kinds that have them.
    pub(super) fn source(&mut self, kind: Kind) -> String {
        match self.chance(22) {
            true => self.number(kind).unwrap_or_else(|| self.register(kind)),
            false => self.register(kind),
        }
    }

    /// A number.
    pub(super) fn number(&mut self, kind: Kind) -> Option<String> {
        let edge = EDGES[self.random.below(EDGES.len() as u64) as usize] >> (32 * self.below(2));
        let value = match self.below(4) {
            0 => u64::from(self.below(66)),
            1 => self.random.next_u64(),
            2 => 1 << self.below(64),
            _ => edge,
        };
        match kind {
            Kind::I16 => Some((value as i16).to_string()),
            Kind::I32 => Some(match self.chance(50) {
                true => (value as i32).to_string(),
                false => format!("{:#x}", value as u32),
            }),
            Kind::I64 => Some(match self.chance(70) {
                true => (value as i32).to_string(),
                false => format!("{value:#x}"),
            }),
            Kind::Single => Some(format!("0f{:08X}", self.single_number())),
            Kind::Double => Some(format!(
                "0d{:016X}",
                f64::from(f32::from_bits(self.single_number())).to_bits()
            )),
            Kind::Half | Kind::Bfloat | Kind::Halves | Kind::Predicate => None,
        }
    }

    /// A floating-point number that is no NaN.
    fn single_number(&mut self) -> u32 {
        const SINGLES: [u32; 16] = [
            0,
            0x8000_0000,
            0x3f80_0000,
            0xbf80_0000,
            0x4000_0000,
            0x3f00_0000,
            0x7f80_0000,
            0xff80_0000,
            1,
            0x0080_0000,
            0x7f7f_ffff,
            0x4b80_0000,
            0x4049_0fdb,
            0xc2c8_0000,
            0x3dcc_cccd,
            0x5f00_0000,
        ];
        SINGLES[self.below(16) as usize]
    }

    /// A predicate, or its negation, as a guard.
    pub(super) fn guard(&mut self) -> String {
        let predicate = self.register(Kind::Predicate);
        match self.chance(50) {
            true => format!("@{predicate} "),
            false => format!("@!{predicate} "),
        }
    }

    /// A statement that writes one register: a variable, perhaps under a guard, or a new one.
    pub(super) fn put(&mut self, kind: Kind, text: impl Fn(&str) -> String) {
        self.body.history.push((kind, text("\u{1}")));
        let variables = self.body.variables[kind as usize].len() as u32;
        let chosen = self.below(100);
        if chosen < 45 && variables > 0 {
            let index = self.below(variables) as usize;
            let name = self.body.variables[kind as usize][index].clone();
            let guard = match chosen < 15 {
                true => self.guard(),
                false => String::new(),
            };
            self.line(&format!("{guard}{}", text(&name)));
        } else {
            let name = self.body.fresh(kind);
            self.line(&text(&name));
            self.body.push(kind, &name);
        }
    }

    /// A new register that this statement writes.
    pub(super) fn put_new(&mut self, kind: Kind, text: impl Fn(&str) -> String) -> String {
        let name = self.body.fresh(kind);
        self.line(&text(&name));
        name
    }

    /// A value as 64 bits in a register, any NaN as one NaN.
    pub(super) fn bits64(&mut self, kind: Kind, name: &str) -> String {
        match kind {
            Kind::I64 => name.to_owned(),
            Kind::I16 => self.put_new(Kind::I64, |d| format!("cvt.u64.u16 {d}, {name};")),
            Kind::I32 => self.put_new(Kind::I64, |d| format!("cvt.u64.u32 {d}, {name};")),
            Kind::Predicate => self.put_new(Kind::I64, |d| format!("selp.b64 {d}, 1, 0, {name};")),
            Kind::Double => self.bits(kind, name),
            Kind::Single | Kind::Halves => {
                let bits = self.bits(kind, name);
                self.bits64(Kind::I32, &bits)
            }
            Kind::Half | Kind::Bfloat => {
                let bits = self.bits(kind, name);
                self.bits64(Kind::I16, &bits)
            }
        }
    }

    /// The bits of a floating-point value in an integer register of its width, any NaN as one NaN.
    pub(super) fn bits(&mut self, kind: Kind, name: &str) -> String {
        match kind {
            Kind::Single => {
                self.line(&format!("setp.nan.f32 %nan, {name}, {name};"));
                let bits = self.put_new(Kind::I32, |d| format!("mov.b32 {d}, {name};"));
                self.line(&format!("@%nan mov.b32 {bits}, 0x7fffffff;"));
                bits
            }
            Kind::Double => {
                self.line(&format!("setp.nan.f64 %nan, {name}, {name};"));
                let bits = self.put_new(Kind::I64, |d| format!("mov.b64 {d}, {name};"));
                self.line(&format!("@%nan mov.b64 {bits}, 0x7ff8000000000000;"));
                bits
            }
            Kind::Half => {
                self.line(&format!("setp.nan.f16 %nan, {name}, {name};"));
                self.put_new(Kind::I16, |d| format!("selp.b16 {d}, 0x7fff, {name}, %nan;"))
            }
            Kind::Bfloat => {
                // By its bits: there is no comparison on the first targets.
                let magnitude = self.put_new(Kind::I16, |d| format!("and.b16 {d}, {name}, 0x7fff;"));
                self.line(&format!("setp.gt.u16 %nan, {magnitude}, 0x7f80;"));
                self.put_new(Kind::I16, |d| format!("selp.b16 {d}, 0x7fff, {name}, %nan;"))
            }
            Kind::Halves => {
                let [low, high] = [(); 2].map(|()| self.body.fresh(Kind::Half));
                self.line(&format!("mov.b32 {{{low}, {high}}}, {name};"));
                let low = self.bits(Kind::Half, &low);
                let high = self.bits(Kind::Half, &high);
                self.put_new(Kind::I32, |d| format!("mov.b32 {d}, {{{low}, {high}}};"))
            }
            Kind::I16 | Kind::I32 | Kind::I64 | Kind::Predicate => name.to_owned(),
        }
    }
}
