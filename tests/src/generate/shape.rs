//! Groups of statements that optimisers look for: what was computed before, chains of constants and of values that all threads share, neighbouring
//! accesses, choices of the smaller or larger, arms that are alike, pointers that walk.

use super::{Generator, OWN, body::Kind};

impl Generator {
    /// One of these groups.
    pub(super) fn shape(&mut self) {
        match self.below(100) {
            0..22 => self.again(),
            22..38 => self.shared_chain(),
            38..50 => self.constants(),
            50..66 => self.neighbours(),
            66..78 => self.choice(),
            78..88 => self.twin_arms(),
            _ => self.walk(),
        }
    }

    /// A statement of before, into another register.
    fn again(&mut self) {
        let count = self.body.history.len() as u32;
        if count == 0 {
            self.constants();
            return;
        }
        let index = (count - 1 - self.below(count.min(12))) as usize;
        let (kind, text) = self.body.history[index].clone();
        self.put(kind, |d| text.replace('\u{1}', d));
    }

    /// Arithmetic on what is the same in all threads of the CTA.
    fn shared_chain(&mut self) {
        let mut last = self.pick(&["%n", "%cta"]).to_owned();
        if self.body.device {
            last = "%n".to_owned();
        }
        for _ in 0..2 + self.below(4) {
            let number = self.number(Kind::I32).unwrap_or_default();
            let a = last.clone();
            let operation = self.below(8);
            let other = if self.body.device { "%n" } else { "%cta" };
            let offset = self.below(63) * 4;
            last = self.put_new(Kind::I32, |d| match operation {
                0 | 1 => format!("add.u32 {d}, {a}, {number};"),
                2 => format!("mad.lo.u32 {d}, {a}, {number}, {other};"),
                3 => format!("shl.b32 {d}, {a}, 3;"),
                4 => format!("xor.b32 {d}, {a}, {number};"),
                5 => format!("and.b32 {d}, {a}, {number};"),
                6 => format!("ld.const.u32 {d}, [table+{offset}];"),
                _ => format!("sub.u32 {d}, {number}, {a};"),
            });
        }
        if self.chance(40) {
            let a = last.clone();
            let low = self.put_new(Kind::I32, |d| format!("and.b32 {d}, {a}, 248;"));
            let wide = self.put_new(Kind::I64, |d| format!("cvt.u64.u32 {d}, {low};"));
            let base = self.put_new(Kind::I64, |d| format!("mov.u64 {d}, table;"));
            let address = self.put_new(Kind::I64, |d| format!("add.s64 {d}, {base}, {wide};"));
            self.put(Kind::I64, |d| format!("ld.const.u64 {d}, [{address}];"));
        }
        self.body.push(Kind::I32, &last);
    }

    /// Arithmetic on numbers alone.
    fn constants(&mut self) {
        let (kind, bits) = match self.below(4) {
            0 => (Kind::I64, 64),
            1 => (Kind::I16, 16),
            _ => (Kind::I32, 32),
        };
        let mut last = self.number(kind).unwrap_or_default();
        for _ in 0..1 + self.below(3) {
            let number = self.number(kind).unwrap_or_default();
            let a = last;
            let operation = self.pick(&["add.s", "sub.s", "mul.lo.s", "and.b", "or.b", "xor.b", "min.s", "max.u"]);
            last = self.put_new(kind, |d| format!("{operation}{bits} {d}, {a}, {number};"));
        }
        self.body.push(kind, &last);
    }

    /// Accesses next to each other.
    fn neighbours(&mut self) {
        let count = 2 + self.below(3);
        let (ty, bytes, kind) = match self.below(4) {
            0 => ("b64", 8, Kind::I64),
            1 => ("b16", 2, Kind::I16),
            _ => ("b32", 4, Kind::I32),
        };
        let start = self.below(OWN / bytes - count) * bytes;
        if self.chance(50) {
            for index in 0..count {
                let value = self.register(kind);
                self.line(&format!("st.global.{ty} [%own+{}], {value};", start + index * bytes));
            }
            return;
        }
        let base = self.pick(&["%own", "%data"]);
        for index in 0..count {
            let at = start + index * bytes;
            self.put(kind, |d| format!("ld.global.{ty} {d}, [{base}+{at}];"));
        }
    }

    /// The smaller, the larger, the absolute, or a bounded value, as compilers write them.
    fn choice(&mut self) {
        let (kind, bits) = match self.chance(70) {
            true => (Kind::I32, 32),
            false => (Kind::I64, 64),
        };
        let sign = self.pick(&["u", "s"]);
        let (a, b) = (self.register(kind), self.source(kind));
        let relation = self.pick(&["lt", "le", "gt", "ge"]);
        let p = self.put_new(Kind::Predicate, |d| {
            format!("setp.{relation}.{sign}{bits} {d}, {a}, {b};")
        });
        match self.below(3) {
            0 => self.put(kind, |d| format!("selp.b{bits} {d}, {a}, {b}, {p};")),
            1 => self.put(kind, |d| format!("selp.b{bits} {d}, {b}, {a}, {p};")),
            _ => {
                let minus = self.put_new(kind, |d| format!("neg.s{bits} {d}, {a};"));
                self.put(kind, |d| format!("selp.b{bits} {d}, {minus}, {a}, {p};"));
            }
        }
        self.body.push(Kind::Predicate, &p);
    }

    /// Two arms with the same statements, but for some at their start.
    fn twin_arms(&mut self) {
        let (guard, other, end) = (self.guard(), self.label(), self.label());
        self.line(&format!("{guard}bra {other};"));
        let scope = self.body.open();
        let uniform = std::mem::replace(&mut self.body.uniform, false);
        self.integer();
        self.body.close(&scope);
        let start = self.body.text.len();
        for _ in 0..1 + self.below(3) {
            self.integer();
        }
        self.body.close(&scope);
        let same = self.body.text[start..].to_owned();
        self.line(&format!("bra {end};"));
        self.place(&other);
        if self.chance(50) {
            self.integer();
            self.body.close(&scope);
        }
        self.body.text.push_str(&same);
        self.body.uniform = uniform;
        self.place(&end);
    }

    /// More tests than there are predicates, most of which combine one of them, and loads under them that are used in another order later.
    pub(super) fn many_tests(&mut self) {
        const RELATIONS: [&str; 4] = ["lt", "gt", "ne", "le"];
        let mut all: Vec<String> = Vec::new();
        for _ in 0..2 + self.below(8) {
            let (a, b, relation) = (self.register(Kind::I32), self.source(Kind::I32), self.pick(&RELATIONS));
            all.push(self.put_new(Kind::Predicate, |d| format!("setp.{relation}.u32 {d}, {a}, {b};")));
        }
        let mut loaded: Vec<(String, String)> = Vec::new();
        for _ in 0..6 + self.below(8) {
            let index = if self.chance(70) {
                0
            } else {
                self.below(all.len() as u32) as usize
            };
            let (with, number) = (all[index].clone(), self.below(64));
            let (relation, operation) = (self.pick(&RELATIONS), self.pick(&["and", "or"]));
            let test = self.put_new(Kind::Predicate, |d| {
                format!("setp.{relation}.{operation}.u32 {d}, %me, {number}, {with};")
            });
            all.push(test.clone());
            loaded.push((test, String::new()));
        }
        for (test, value) in &mut loaded {
            let at = self.below(OWN / 4) * 4;
            *value = self.put_new(Kind::I32, |d| {
                format!("mov.u32 {d}, 0; @{test} ld.global.u32 {d}, [%data+{at}];")
            });
        }
        for not in ["", "!"] {
            let first = self.below(loaded.len() as u32) as usize;
            loaded.rotate_left(first);
            for (test, value) in &loaded {
                let at = self.below(OWN / 4) * 4;
                self.line(&format!("@{not}{test} st.global.u32 [%own+{at}], {value};"));
            }
        }
        loaded.iter().for_each(|(_, value)| self.body.push(Kind::I32, value));
        all.iter().for_each(|test| self.body.push(Kind::Predicate, test));
    }

    /// A pointer that walks through the input, with a sum.
    fn walk(&mut self) {
        if self.body.trips > 12 {
            self.neighbours();
            return;
        }
        self.body.counters += 1;
        let counter = format!("%c{}", self.body.counters);
        let head = self.label();
        let trips = 1 + self.below(6);
        let stride = 4 << self.below(3);
        let pointer = self.put_new(Kind::I64, |d| format!("add.s64 {d}, %data, 512;"));
        let sum = self.put_new(Kind::I32, |d| format!("mov.u32 {d}, 1;"));
        self.line(&format!("mov.u32 {counter}, 0;"));
        self.place(&head);
        let value = self.put_new(Kind::I32, |d| format!("ld.global.u32 {d}, [{pointer}+4];"));
        self.line(&format!("mad.lo.s32 {sum}, {sum}, 31, {value};"));
        if self.chance(50) {
            let index = self.put_new(Kind::I32, |d| format!("shl.b32 {d}, {counter}, 3;"));
            let wide = self.put_new(Kind::I64, |d| format!("mul.wide.s32 {d}, {counter}, 8;"));
            let address = self.put_new(Kind::I64, |d| format!("add.s64 {d}, %data, {wide};"));
            let other = self.put_new(Kind::I32, |d| format!("ld.global.u32 {d}, [{address}+64];"));
            self.line(&format!(
                "xor.b32 {sum}, {sum}, {other}; add.u32 {sum}, {sum}, {index};"
            ));
        }
        self.line(&format!(
            "add.s64 {pointer}, {pointer}, {stride}; add.u32 {counter}, {counter}, 1;"
        ));
        self.line(&format!("setp.ne.s32 %nan, {counter}, {trips}; @%nan bra {head};"));
        self.body.push(Kind::I32, &sum);
    }
}
