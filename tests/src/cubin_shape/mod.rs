//! The shape of a cubin: all but what follows from the code (its bytes, places and sizes, numbers of registers), and compares two.

use std::fmt;

use warpsmith_cubin::{Content, Cubin, InfoValue, Section, SectionKind, Symbol, SymbolSection, SymbolType, info};

/// A difference: where, and what each file has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The part of the file, such as `sections` or `.nv.info.NAME`.
    pub place: String,
    /// What is compared there.
    pub what: String,
    /// The first file's.
    pub ours: String,
    /// The second file's.
    pub theirs: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}: {} / {}", self.place, self.what, self.ours, self.theirs)
    }
}

impl Difference {
    /// The difference without the names of functions.
    pub fn kind(&self) -> String {
        let place = self.place.split('.').take(3).collect::<Vec<_>>().join(".");
        format!("{place}: {}", self.what)
    }
}

/// Attributes whose values follow from the code: only their presence is compared.
const FROM_CODE: [&str; 14] = [
    "EIATTR_REGCOUNT",
    "EIATTR_FRAME_SIZE",
    "EIATTR_MIN_STACK_SIZE",
    "EIATTR_MAX_STACK_SIZE",
    "EIATTR_EXIT_INSTR_OFFSETS",
    "EIATTR_COOP_GROUP_INSTR_OFFSETS",
    "EIATTR_COOP_GROUP_MASK_REGIDS",
    "EIATTR_INT_WARP_WIDE_INSTR_OFFSETS",
    "EIATTR_ATOM16_EMUL_INSTR_REG_MAP",
    "EIATTR_INDIRECT_BRANCH_TARGETS",
    "EIATTR_MBARRIER_INSTR_OFFSETS",
    "EIATTR_SYSCALL_OFFSETS",
    "EIATTR_UNUSED_LOAD_BYTE_OFFSET",
    "EIATTR_INSTR_REG_MAP",
];

struct Comparison<'c> {
    ours: &'c Cubin,
    theirs: &'c Cubin,
    found: Vec<Difference>,
}

/// Compares two cubins.
pub fn compare(ours: &Cubin, theirs: &Cubin) -> Vec<Difference> {
    let mut comparison = Comparison {
        ours,
        theirs,
        found: Vec::new(),
    };
    comparison.header();
    comparison.sections();
    comparison.names();
    comparison.symbols();
    comparison.segments();
    comparison.found
}

impl Comparison<'_> {
    fn check(&mut self, place: &str, what: &str, ours: impl fmt::Debug, theirs: impl fmt::Debug) {
        let (ours, theirs) = (format!("{ours:?}"), format!("{theirs:?}"));
        if ours != theirs {
            self.found.push(Difference {
                place: place.to_string(),
                what: what.to_string(),
                ours,
                theirs,
            });
        }
    }

    fn header(&mut self) {
        let (ours, theirs) = (&self.ours.header, &self.theirs.header);
        let fields = [
            (
                "type",
                format!("{:?}", ours.file_type),
                format!("{:?}", theirs.file_type),
            ),
            ("flags", format!("{:x}", ours.flags.0), format!("{:x}", theirs.flags.0)),
            ("ABI", ours.abi_version.to_string(), theirs.abi_version.to_string()),
            (
                "program header size",
                ours.segment_header_size.to_string(),
                theirs.segment_header_size.to_string(),
            ),
        ];
        for (what, ours, theirs) in fields {
            self.check("header", what, ours, theirs);
        }
    }

    fn sections(&mut self) {
        let names = |cubin: &Cubin| -> Vec<String> { cubin.sections.iter().map(|s| s.name.clone()).collect() };
        let (our_names, their_names) = (names(self.ours), names(self.theirs));
        for name in &their_names {
            if !our_names.contains(name) {
                self.check(name, "section", "missing", "present");
            }
        }
        for name in &our_names {
            if !their_names.contains(name) {
                self.check(name, "section", "present", "missing");
            }
        }
        let common = |all: &[String], other: &[String]| -> Vec<String> {
            all.iter().filter(|name| other.contains(name)).cloned().collect()
        };
        let orders = (common(&our_names, &their_names), common(&their_names, &our_names));
        self.check("sections", "order", &orders.0, &orders.1);
        for name in orders.0 {
            let (Some((_, ours)), Some((_, theirs))) =
                (self.ours.section_by_name(&name), self.theirs.section_by_name(&name))
            else {
                continue;
            };
            self.section(&name, &ours.clone(), &theirs.clone());
        }
    }

    fn section(&mut self, name: &str, ours: &Section, theirs: &Section) {
        self.check(name, "section type", ours.section_type, theirs.section_type);
        self.check(name, "section flags", ours.flags, theirs.flags);
        self.check(name, "section alignment", ours.alignment, theirs.alignment);
        self.check(name, "section entry size", ours.entry_size, theirs.entry_size);
        let link = |cubin: &Cubin, section: &Section| cubin.section(section.link).map(|s| s.name.clone());
        self.check(name, "section link", link(self.ours, ours), link(self.theirs, theirs));
        self.check(name, "section info", about(self.ours, ours), about(self.theirs, theirs));
        match ours.kind() {
            SectionKind::Info(_) | SectionKind::Compat => self.records(name, ours, theirs),
            SectionKind::Relocations => {
                self.check(
                    name,
                    "relocations",
                    relocations(self.ours, ours),
                    relocations(self.theirs, theirs),
                );
            }
            SectionKind::Constant { bank: 0 | 3 | 4, .. }
            | SectionKind::Global
            | SectionKind::GlobalInit
            | SectionKind::CallGraph
            | SectionKind::RelocationAction
            | SectionKind::Prototype
            | SectionKind::ReservedShared
            | SectionKind::Shared(_) => {
                self.check(name, "size", ours.size(), theirs.size());
                self.check(name, "bytes", ours.bytes(), theirs.bytes());
            }
            SectionKind::Debug if name == ".debug_frame" => self.check(name, "size", ours.size(), theirs.size()),
            SectionKind::Text(_) => {
                self.check(name, "padding", ours.size() % 128, theirs.size() % 128);
            }
            _ => {}
        }
    }

    fn records(&mut self, name: &str, ours: &Section, theirs: &Section) {
        let records = |cubin: &Cubin, section: &Section| -> Vec<(String, String)> {
            let parsed = info::parse(section.bytes().unwrap_or(&[]), 0).unwrap_or_default();
            let each = parsed.iter().map(|record| {
                let attribute = record
                    .attribute
                    .name()
                    .map_or(format!("{:?}", record.attribute), str::to_string);
                let value = if FROM_CODE.contains(&attribute.as_str()) {
                    subject(cubin, &attribute, &record.value)
                } else if attribute == "EIATTR_PARAM_CBANK" {
                    with_symbol(cubin, &record.value)
                } else {
                    format!("{:?}", record.value)
                };
                (attribute, value)
            });
            each.collect()
        };
        let (ours, theirs) = (records(self.ours, ours), records(self.theirs, theirs));
        let names = |all: &[(String, String)]| -> Vec<String> { all.iter().map(|(name, _)| name.clone()).collect() };
        let (our_names, their_names) = (names(&ours), names(&theirs));
        for attribute in &their_names {
            if !our_names.contains(attribute) {
                self.check(name, attribute, "missing", "present");
            }
        }
        for attribute in &our_names {
            if !their_names.contains(attribute) {
                self.check(name, attribute, "present", "missing");
            }
        }
        let common = |all: &[(String, String)], other: &[String]| -> Vec<(String, String)> {
            all.iter().filter(|(name, _)| other.contains(name)).cloned().collect()
        };
        let (ours, theirs) = (common(&ours, &their_names), common(&theirs, &our_names));
        if names(&ours) != names(&theirs) {
            self.check(name, "order of attributes", names(&ours), names(&theirs));
            return;
        }
        for ((attribute, ours), (_, theirs)) in ours.iter().zip(&theirs) {
            self.check(name, attribute, ours, theirs);
        }
    }

    fn names(&mut self) {
        for table in [".shstrtab", ".strtab"] {
            let strings = |cubin: &Cubin| match cubin.section_by_name(table).map(|(_, s)| &s.content) {
                Some(Content::Strings(strings)) => strings
                    .iter()
                    .map(|(_, string)| String::from_utf8_lossy(string).into_owned())
                    .collect::<Vec<_>>(),
                _ => Vec::new(),
            };
            self.check(table, "strings", strings(self.ours), strings(self.theirs));
        }
    }

    fn symbols(&mut self) {
        let describe = |cubin: &Cubin, symbol: &Symbol| {
            let section = match symbol.section {
                SymbolSection::Section(index) => cubin.section(index).map_or("?".into(), |s| s.name.clone()),
                other => format!("{other:?}"),
            };
            let is_code = symbol.symbol_type == SymbolType::FUNC;
            let size = if is_code { 0 } else { symbol.size };
            format!(
                "{:?} {} {} {:x} in {section} at {} size {size}",
                symbol.name,
                symbol.binding.name().unwrap_or("?"),
                symbol.symbol_type.name().unwrap_or("?"),
                symbol.other.0,
                symbol.value
            )
        };
        let all = |cubin: &Cubin| -> Vec<String> { cubin.symbols().iter().map(|s| describe(cubin, s)).collect() };
        let (ours, theirs) = (all(self.ours), all(self.theirs));
        for symbol in theirs.iter().filter(|symbol| !ours.contains(symbol)) {
            self.check(".symtab", "symbol", "missing", symbol);
        }
        for symbol in ours.iter().filter(|symbol| !theirs.contains(symbol)) {
            self.check(".symtab", "symbol", symbol, "missing");
        }
        if ours.len() == theirs.len() && ours.iter().all(|symbol| theirs.contains(symbol)) {
            self.check(".symtab", "order", ours, theirs);
        }
    }

    fn segments(&mut self) {
        let all = |cubin: &Cubin| -> Vec<(u32, u32, u64)> {
            let segments = cubin.segments.iter();
            segments.map(|s| (s.segment_type, s.flags, s.alignment)).collect()
        };
        self.check("segments", "list", all(self.ours), all(self.theirs));
    }
}

/// What `sh_info` says: a section or a symbol by name.
fn about(cubin: &Cubin, section: &Section) -> Option<String> {
    match section.kind() {
        SectionKind::Text(_) => cubin.symbol_name(section.function_symbol()).map(str::to_string),
        SectionKind::SymbolTable => cubin.symbol_name(section.info.saturating_sub(1)).map(str::to_string),
        _ => cubin.section(section.info).map(|s| s.name.clone()),
    }
}

/// The relocations of a section, with names; those of the debug frame follow from the code.
fn relocations(cubin: &Cubin, section: &Section) -> Vec<String> {
    let Content::Relocations { entries, .. } = &section.content else {
        return Vec::new();
    };
    let from_code = section.name.contains("debug") || section.name.contains(".text.");
    let each = entries.iter().map(|entry| {
        let name = cubin.symbol_name(entry.symbol).unwrap_or("?");
        let kind = entry.relocation_type;
        match from_code {
            true => format!("{kind:?} {name}"),
            false => format!("{} {kind:?} {name} {}", entry.offset, entry.addend),
        }
    });
    each.collect()
}

/// The name of the symbol that a record is about, for attributes that have one.
fn subject(cubin: &Cubin, attribute: &str, value: &InfoValue) -> String {
    let about_symbol = [
        "EIATTR_REGCOUNT",
        "EIATTR_FRAME_SIZE",
        "EIATTR_MIN_STACK_SIZE",
        "EIATTR_MAX_STACK_SIZE",
    ];
    match value {
        InfoValue::Sized(bytes) if about_symbol.contains(&attribute) => first_word(bytes)
            .and_then(|s| cubin.symbol_name(s))
            .unwrap_or("?")
            .to_string(),
        _ => String::new(),
    }
}

/// A value whose first word is a symbol.
fn with_symbol(cubin: &Cubin, value: &InfoValue) -> String {
    match value {
        InfoValue::Sized(bytes) => {
            let name = first_word(bytes).and_then(|s| cubin.symbol_name(s)).unwrap_or("?");
            format!("{name} {:?}", bytes.get(4..).unwrap_or(&[]))
        }
        other => format!("{other:?}"),
    }
}

fn first_word(bytes: &[u8]) -> Option<u32> {
    let bytes = bytes.get(..4)?;
    Some(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
}
