//! Loads, stores and atomic operations.

use super::{COUNTERS, Generator, LOCAL, OWN, SHARED, body::Kind};

/// Where a thread has memory of its own.
struct Place {
    space: &'static str,
    /// The register of its address, and bits of it.
    base: &'static str,
    kind: Kind,
    /// Bytes.
    size: u32,
}

impl Generator {
    /// A statement that accesses memory.
    pub(super) fn memory(&mut self) {
        match self.below(100) {
            0..22 => self.constant(),
            22..34 => self.input(),
            34..56 => self.load_own(),
            56..78 => self.store_own(),
            78..88 => self.count(),
            88..96 => self.atomic_own(),
            _ => self.generic(),
        }
    }

    fn place_own(&mut self) -> Place {
        let global = Place {
            space: "global",
            base: "%own",
            kind: Kind::I64,
            size: OWN,
        };
        match self.below(5) {
            0 | 1 => global,
            2 if !self.body.device => Place {
                space: "shared",
                base: "%mine",
                kind: Kind::I32,
                size: SHARED,
            },
            3 => Place {
                space: "local",
                base: "%stack",
                kind: Kind::I64,
                size: LOCAL,
            },
            4 => Place { space: "", ..global },
            _ => global,
        }
    }

    /// An address of `bytes` that are aligned in a place: the base and a number, or an index that is cut to the size.
    fn address(&mut self, place: &Place, bytes: u32) -> String {
        let slots = place.size / bytes;
        match self.chance(60) {
            true => format!("{}+{}", place.base, self.below(slots) * bytes),
            false => {
                let index = self.register(Kind::I32);
                let mask = (slots - 1) * bytes;
                let offset = match self.chance(50) {
                    // As compilers write it: an index times the size of an element.
                    true => {
                        let low = self.put_new(Kind::I32, |d| format!("and.b32 {d}, {index}, {};", slots - 1));
                        self.put_new(Kind::I32, |d| {
                            format!("shl.b32 {d}, {low}, {};", bytes.trailing_zeros())
                        })
                    }
                    false => self.put_new(Kind::I32, |d| format!("and.b32 {d}, {index}, {mask};")),
                };
                match place.kind {
                    Kind::I32 => self.put_new(Kind::I32, |d| format!("add.s32 {d}, {offset}, {};", place.base)),
                    _ => {
                        let wide = self.put_new(Kind::I64, |d| format!("cvt.u64.u32 {d}, {offset};"));
                        self.put_new(Kind::I64, |d| format!("add.s64 {d}, {}, {wide};", place.base))
                    }
                }
            }
        }
    }

    /// Type of an access, its bytes, and the kind of its register.
    fn element(&mut self) -> (&'static str, u32, Kind) {
        const TYPES: [(&str, u32, Kind); 15] = [
            ("u8", 1, Kind::I16),
            ("s8", 1, Kind::I32),
            ("u8", 1, Kind::I32),
            ("b8", 1, Kind::I64),
            ("u16", 2, Kind::I16),
            ("s16", 2, Kind::I32),
            ("b16", 2, Kind::I16),
            ("u32", 4, Kind::I32),
            ("b32", 4, Kind::I32),
            ("s32", 4, Kind::I64),
            ("u32", 4, Kind::I32),
            ("u64", 8, Kind::I64),
            ("b64", 8, Kind::I64),
            ("f32", 4, Kind::Single),
            ("f64", 8, Kind::Double),
        ];
        TYPES[self.below(15) as usize]
    }

    fn constant(&mut self) {
        let (ty, bytes, kind) = self.element();
        let (space, name) = match self.chance(70) {
            true => ("const", "table"),
            false => ("global", "given"),
        };
        if self.chance(50) {
            let offset = self.below(256 / bytes) * bytes;
            self.put(kind, |d| format!("ld.{space}.{ty} {d}, [{name}+{offset}];"));
            return;
        }
        let index = self.register(Kind::I32);
        let low = self.put_new(Kind::I32, |d| format!("and.b32 {d}, {index}, {};", 256 - bytes));
        let wide = self.put_new(Kind::I64, |d| format!("cvt.u64.u32 {d}, {low};"));
        let base = self.put_new(Kind::I64, |d| format!("mov.u64 {d}, {name};"));
        let address = self.put_new(Kind::I64, |d| format!("add.s64 {d}, {base}, {wide};"));
        self.put(kind, |d| format!("ld.{space}.{ty} {d}, [{address}];"));
    }

    fn input(&mut self) {
        let (ty, bytes, kind) = self.element();
        let form = self.pick(&[
            "ld.global",
            "ld.global",
            "ld.global.nc",
            "ld",
            "ld.global.ca",
            "ld.global.cg",
        ]);
        match (bytes, self.below(4)) {
            (4, 0) if kind == Kind::I32 => self.vector_load(form, "%data", 4, kind),
            (8, 0) if kind == Kind::I64 => self.vector_load(form, "%data", 2, kind),
            _ => {
                let offset = self.below(2048 / bytes) * bytes;
                self.put(kind, |d| format!("{form}.{ty} {d}, [%data+{offset}];"));
            }
        }
    }

    /// A vector of `count` elements at a place that is aligned to 8 bytes only.
    fn vector_load(&mut self, form: &str, base: &str, count: usize, kind: Kind) {
        let bytes = kind.width() / 8;
        let all = bytes * count as u32;
        // Threads are 72 bytes apart: only pairs of words are aligned everywhere.
        let count = if all > 8 { (8 / bytes).max(1) as usize } else { count };
        if count < 2 {
            let offset = self.below(64) * bytes;
            self.put(kind, |d| format!("{form}.u{} {d}, [{base}+{offset}];", kind.width()));
            return;
        }
        let offset = self.below(128) * bytes * count as u32;
        let names: Vec<String> = (0..count).map(|_| self.body.fresh(kind)).collect();
        self.line(&format!(
            "{form}.v{count}.u{} {{{}}}, [{base}+{offset}];",
            kind.width(),
            names.join(", ")
        ));
        for name in names {
            self.body.push(kind, &name);
        }
    }

    fn load_own(&mut self) {
        let place = self.place_own();
        let space = dotted(place.space);
        if self.chance(20) {
            let (ty, kind, count) = [
                ("u32", Kind::I32, 4),
                ("u32", Kind::I32, 2),
                ("b64", Kind::I64, 2),
                ("u16", Kind::I16, 4),
                ("b8", Kind::I16, 2),
            ][self.below(5) as usize];
            let bytes = ty[1..].parse::<u32>().unwrap_or(32) / 8 * count as u32;
            let address = self.address(&place, bytes);
            let names: Vec<String> = (0..count).map(|_| self.body.fresh(kind)).collect();
            self.line(&format!(
                "ld{space}.v{count}.{ty} {{{}}}, [{address}];",
                names.join(", ")
            ));
            for name in names {
                self.body.push(kind, &name);
            }
            return;
        }
        let (ty, bytes, kind) = self.element();
        let address = self.address(&place, bytes);
        let order = if place.space == "local" {
            ""
        } else {
            self.pick(&["", "", "", ".volatile", ".relaxed.cta"])
        };
        self.put(kind, |d| format!("ld{order}{space}.{ty} {d}, [{address}];"));
    }

    /// What a store of a kind takes: a register whose bits are defined, or a number.
    fn stored(&mut self, kind: Kind) -> String {
        match kind {
            Kind::Single | Kind::Double => {
                let name = self.register(kind);
                let bits = self.bits(kind, &name);
                self.put_new(kind, |d| format!("mov.b{} {d}, {bits};", kind.width()))
            }
            _ => self.register(kind),
        }
    }

    fn store_own(&mut self) {
        let place = self.place_own();
        let space = dotted(place.space);
        let guard = match self.chance(20) {
            true => self.guard(),
            false => String::new(),
        };
        if self.chance(20) {
            let (ty, kind, count) = [
                ("u32", Kind::I32, 4),
                ("u32", Kind::I32, 2),
                ("b64", Kind::I64, 2),
                ("u16", Kind::I16, 4),
                ("b8", Kind::I16, 4),
            ][self.below(5) as usize];
            let bytes = ty[1..].parse::<u32>().unwrap_or(32) / 8 * count as u32;
            let address = self.address(&place, bytes);
            let names: Vec<String> = (0..count).map(|_| self.register(kind)).collect();
            self.line(&format!(
                "{guard}st{space}.v{count}.{ty} [{address}], {{{}}};",
                names.join(", ")
            ));
            return;
        }
        let (ty, bytes, kind) = self.element();
        let value = self.stored(kind);
        let address = self.address(&place, bytes);
        let order = if place.space == "local" {
            ""
        } else {
            self.pick(&["", "", "", ".volatile", ".relaxed.cta"])
        };
        let ty = ty.replace('s', "u");
        self.line(&format!("{guard}st{order}{space}.{ty} [{address}], {value};"));
    }

    /// Adds to a counter of all threads; the result is not used.
    fn count(&mut self) {
        const COUNTS: [(&str, u32); 9] = [
            ("add.u32", 0),
            ("max.u32", 4),
            ("min.s32", 8),
            ("or.b32", 12),
            ("xor.b32", 16),
            ("add.s32", 20),
            ("max.s32", 24),
            ("add.u64", 32),
            ("max.u64", 40),
        ];
        let (operation, at) = COUNTS[self.below(9) as usize];
        let guard = match self.chance(30) {
            true => self.guard(),
            false => String::new(),
        };
        if operation.ends_with("64") {
            let value = self.register(Kind::I64);
            self.line(&format!("{guard}red.global.{operation} [%out+{at}], {value};"));
            return;
        }
        let value = self.source(Kind::I32);
        if self.collectives && !self.body.device && at < 28 && self.chance(40) {
            let counters = self.block * SHARED;
            self.line(&format!(
                "{guard}red.shared.{operation} [area+{}], {value};",
                counters + at
            ));
        } else if self.chance(50) {
            self.line(&format!("{guard}red.global.{operation} [%out+{at}], {value};"));
        } else {
            let unused = self.body.fresh(Kind::I32);
            self.line(&format!(
                "{guard}atom.global.{operation} {unused}, [%out+{at}], {value};"
            ));
        }
        debug_assert!(at + 8 <= COUNTERS);
    }

    /// An atomic operation on memory of the thread.
    fn atomic_own(&mut self) {
        let place = match self.chance(60) || self.body.device {
            true => Place {
                space: "global",
                base: "%own",
                kind: Kind::I64,
                size: OWN,
            },
            false => Place {
                space: "shared",
                base: "%mine",
                kind: Kind::I32,
                size: SHARED,
            },
        };
        let space = dotted(place.space);
        let wide = self.chance(30);
        let (kind, bits) = if wide { (Kind::I64, 64) } else { (Kind::I32, 32) };
        let address = self.address(&place, bits / 8);
        let (a, b) = (self.register(kind), self.register(kind));
        match self.below(6) {
            0 => self.put(kind, |d| format!("atom{space}.cas.b{bits} {d}, [{address}], {a}, {b};")),
            1 => self.put(kind, |d| format!("atom{space}.exch.b{bits} {d}, [{address}], {a};")),
            2 if !wide => {
                let operation = self.pick(&["inc", "dec"]);
                self.put(kind, |d| format!("atom{space}.{operation}.u32 {d}, [{address}], {a};"));
            }
            3 => {
                let operation = self.pick(&["and", "or", "xor"]);
                self.put(kind, |d| {
                    format!("atom{space}.{operation}.b{bits} {d}, [{address}], {a};")
                });
            }
            4 => {
                let operation = self.pick(&["min", "max"]);
                let sign = self.pick(&["u", "s"]);
                self.put(kind, |d| {
                    format!("atom{space}.{operation}.{sign}{bits} {d}, [{address}], {a};")
                });
            }
            _ => self.put(kind, |d| format!("atom{space}.add.u{bits} {d}, [{address}], {a};")),
        }
    }

    /// An access through a generic address of shared or local memory.
    fn generic(&mut self) {
        let (space, kind, base, size) = match self.chance(50) && !self.body.device {
            true => ("shared", Kind::I32, "%mine", SHARED),
            false => ("local", Kind::I64, "%stack", LOCAL),
        };
        let address = match kind {
            Kind::I32 => self.put_new(Kind::I64, |d| format!("cvt.u64.u32 {d}, {base};")),
            _ => base.to_owned(),
        };
        let generic = self.put_new(Kind::I64, |d| format!("cvta.{space}.u64 {d}, {address};"));
        let (ty, bytes, kind) = self.element();
        let offset = self.below(size / bytes) * bytes;
        match self.chance(50) {
            true => self.put(kind, |d| format!("ld.{ty} {d}, [{generic}+{offset}];")),
            false => {
                let value = self.stored(kind);
                let ty = ty.replace('s', "u");
                self.line(&format!("st.{ty} [{generic}+{offset}], {value};"));
            }
        }
    }
}

fn dotted(space: &str) -> String {
    match space {
        "" => String::new(),
        _ => format!(".{space}"),
    }
}
