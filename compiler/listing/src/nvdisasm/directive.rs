//! Directives: the file's and the sections' headers, symbols.

use std::fmt::Write;

use warpsmith_cubin::{Section, SectionType, Symbol, SymbolSection, SymbolType, SymbolVisibility};

use super::Listing;
use crate::view::{View, is_code};

/// Section index of symbols that the linker places.
const SHN_COMMON: u16 = 0xfff2;

/// Where a symbol is declared, which decides the columns of its directives.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Columns {
    /// In code: eight blanks, names in column 24.
    Code,
    /// Elsewhere: tabs.
    Data,
}

impl Listing<'_> {
    /// `.target` and `.elftype`.
    pub(super) fn write_header(&mut self) {
        let header = &self.view.cubin.header;
        let number = header.flags.sm_number(header.abi_version);
        let variant = if self.is_specific() { "a" } else { "" };
        let file_type = header.file_type.name().unwrap_or("ET_NONE");
        let _ = write!(
            self.out,
            "\t.target\tsm_{number}{variant}\n\n\t.elftype\t@\"{file_type}\"\n"
        );
    }

    /// Whether the code runs on this very SM only: attribute 9 of `.nv.compat`. Observed: ptxas 13.0
    /// writes it for `a` targets; nvdisasm 13.5 takes the letter from there.
    fn is_specific(&self) -> bool {
        const COMPAT: u32 = 0x7000_0086;
        const SPECIFIC: [u8; 3] = [0x02, 0x09, 0x01];
        let mut sections = self
            .view
            .cubin
            .sections
            .iter()
            .filter(|section| section.section_type.0 == COMPAT);
        sections.any(|section| {
            section
                .bytes()
                .is_some_and(|bytes| bytes.chunks(4).any(|entry| entry.starts_with(&SPECIFIC)))
        })
    }

    pub(super) fn write_section_header(&mut self, index: u32) {
        let section = self.section(index);
        let name = &section.name;
        let _ = write!(
            self.out,
            "\n\n//--------------------- {name:<25} --------------------------\n"
        );
        let _ = write!(self.out, "\t.section\t{name},\"");
        let flags = section.flags.0;
        for (bit, letter) in [(2, 'a'), (1, 'w'), (4, 'x'), (0x400, 'T')] {
            if flags & bit != 0 {
                self.out.push(letter);
            }
        }
        self.out.push_str("\",");
        write_section_type(section, &mut self.out);
        self.out.push('\n');
        self.write_section_flags(section);
        if is_code(section) && section.info >> 24 != 0 {
            let _ = writeln!(self.out, "\t.sectioninfo\t@\"SHI_REGISTERS={}\"", section.info >> 24);
        }
        if section.alignment > 1 && section.section_type != SectionType::NOTE {
            let _ = writeln!(self.out, "\t.align\t{}", section.alignment);
        }
        if section.entry_size != 0 {
            let _ = writeln!(self.out, "\t.sectionentsize\t{}", section.entry_size);
        }
    }

    /// `.sectionflags`, for flags that have no letter.
    fn write_section_flags(&mut self, section: &Section) {
        const BARRIERS: u64 = 0x7f << 20;
        const LETTERS: u64 = 0x407;
        const INFO_LINK: u64 = 0x40;
        let flags = section.flags.0 & 0xffff_ffff & !LETTERS;
        if flags == 0 {
            return;
        }
        let mut names = Vec::new();
        let mut rest = flags & !INFO_LINK;
        if section.section_type == SectionType::NOTE && rest & 0x0300_0000 != 0 {
            let kind = if section.name.ends_with(".cuinfo") {
                "SHF_NOTE_NV_CUINFO"
            } else {
                "SHF_NOTE_NV_TKINFO"
            };
            names.push(kind.to_owned());
            rest = 0;
        }
        if rest & BARRIERS != 0 {
            names.push(format!("SHF_BARRIERS={}", (rest & BARRIERS) >> 20));
            rest &= !BARRIERS;
        }
        if rest != 0 {
            names.push(format!("unrecognized:{rest:x}"));
        }
        let _ = writeln!(self.out, "\t.sectionflags\t@\"{}\"", names.join(" "));
    }

    /// The symbols that another file, or the driver, defines; those that the linker places come first.
    pub(super) fn write_undefined_symbols(&mut self) {
        let symbols = self.view.symbols;
        let indices = 1..symbols.len() as u32;
        let named = indices.filter(|&index| !symbols[index as usize].name.is_empty());
        let of = |section: SymbolSection| {
            named
                .clone()
                .filter(move |&index| symbols[index as usize].section == section)
        };
        let common: Vec<u32> = of(SymbolSection::Reserved(SHN_COMMON)).collect();
        let undefined: Vec<u32> = of(SymbolSection::Undefined).collect();
        if common.is_empty() && undefined.is_empty() {
            return;
        }
        self.out
            .push_str("\n\n//--------------------- SYMBOLS --------------------------\n\n");
        for index in common {
            let symbol = &symbols[index as usize];
            let name = self.view.symbol_name(index);
            let _ = writeln!(self.out, "\t.comm\t\t{name}, {}, {}", symbol.size, symbol.value);
            write_type(symbol, name, Columns::Data, &mut self.out);
            write_other(symbol, name, Columns::Data, &mut self.out);
        }
        for index in undefined {
            let symbol = &symbols[index as usize];
            let name = self.view.symbol_name(index);
            write_type(symbol, name, Columns::Data, &mut self.out);
            write_other(symbol, name, Columns::Data, &mut self.out);
            if symbol.size != 0 {
                let _ = writeln!(self.out, "\t.size\t\t{name},{:#x}", symbol.size);
            }
        }
    }
}

/// Writes the directives that declare a symbol. `end` is the name of the place where it ends.
pub(super) fn write_symbol(view: &View, index: u32, columns: Columns, end: Option<&str>, out: &mut String) {
    let symbol = &view.symbols[index as usize];
    let name = view.symbol_name(index);
    match symbol.binding.0 {
        0 => {}
        1 => write_directive(".global", name, "", columns, out),
        2 | 3 => write_directive(".weak", name, "", columns, out),
        binding => write_directive(".bind", name, &format!(",{binding:#010x}"), columns, out),
    }
    write_type(symbol, name, columns, out);
    if is_reserved(symbol) {
        write_directive(
            ".size",
            name,
            &format!(", {}, {}", symbol.size, symbol.value),
            columns,
            out,
        );
    } else if symbol.size != 0 {
        let size = end.map_or_else(|| format!(",{:#x}", symbol.size), |end| format!(",({end} - {name})"));
        write_directive(".size", name, &size, columns, out);
    }
    write_other(symbol, name, columns, out);
    if view.is_renamed(index) {
        let _ = writeln!(out, "\t.map_symbolname {name} {}", symbol.name);
    }
}

fn write_type(symbol: &Symbol, name: &str, columns: Columns, out: &mut String) {
    if let Some(kind) = symbol_type_name(symbol.symbol_type) {
        write_directive(".type", name, &format!(",@{kind}"), columns, out);
    }
}

fn write_other(symbol: &Symbol, name: &str, columns: Columns, out: &mut String) {
    let other = symbol_other_names(symbol);
    if !other.is_empty() {
        write_directive(".other", name, &format!(",@\"{other}\""), columns, out);
    }
}

fn write_directive(directive: &str, name: &str, rest: &str, columns: Columns, out: &mut String) {
    let _ = match columns {
        Columns::Code => writeln!(out, "        {directive:<15} {name}{rest}"),
        Columns::Data => writeln!(out, "\t{directive}\t\t{name}{rest}"),
    };
}

/// Whether the symbol is in shared memory that is laid out later, by the linker or the driver: then its
/// value is an alignment, no offset.
pub(super) fn is_reserved(symbol: &Symbol) -> bool {
    matches!(symbol.other.0 & 0xe0, 0x40 | 0xa0)
}

fn write_section_type(section: &Section, out: &mut String) {
    let _ = match section.section_type {
        SectionType::PROGBITS => write!(out, "@progbits"),
        SectionType::NOBITS => write!(out, "@nobits"),
        SectionType::NOTE => write!(out, "@\"SHT_NOTE\""),
        other => match type_name(other.0) {
            Some(name) => write!(out, "@\"{name}\""),
            None => write!(out, "@\"unrecognized:{:x}\"", other.0),
        },
    };
}

/// Names of CUDA section types. Observed: nvdisasm 13.5 on a section of each type.
fn type_name(kind: u32) -> Option<String> {
    #[rustfmt::skip]
    let name = match kind {
        0x7000_0000 => "INFO",
        0x7000_0001 => "CALLGRAPH",
        0x7000_0002 => "PROTOTYPE",
        0x7000_0004 => "METADATA",
        0x7000_0006 => "CONSTANT",
        0x7000_0007 => "GLOBAL",
        0x7000_0008 => "GLOBAL_INIT",
        0x7000_0009 => "LOCAL",
        0x7000_000a => "SHARED",
        0x7000_000b => "RELOCINFO",
        0x7000_000e => "UFT",
        0x7000_0010 => "UFT_INDEX",
        0x7000_0011 => "UFT_ENTRY",
        0x7000_0012 => "UDT",
        0x7000_0014 => "UDT_ENTRY",
        0x7000_0015 => "RESERVED_SHARED",
        0x7000_0064..=0x7000_0075 => return Some(format!("SHT_CUDA_CONSTANT_B{}", kind - 0x7000_0064)),
        0x7000_0085 => return Some(String::new()),
        0x7000_0086 => "COMPAT_INFO",
        0x7000_0087 => "EMBEDDED_HOST",
        0x7000_0089 => "METADATA_TRACE_MARK",
        _ => return None,
    };
    Some(format!("SHT_CUDA_{name}"))
}

/// What follows `@` in `.type`.
fn symbol_type_name(kind: SymbolType) -> Option<String> {
    Some(match kind.0 {
        0 | 3 => return None,
        1 => "object".to_owned(),
        2 => "function".to_owned(),
        10 => "\"STT_CUDA_TEXTURE\"".to_owned(),
        11 => "\"STT_CUDA_SAMPLER\"".to_owned(),
        12 => "\"STT_CUDA_SURFACE\"".to_owned(),
        13 => "\"STT_CUDA_OBJECT\"".to_owned(),
        other => format!("\"unrecognized:{other:x}\""),
    })
}

/// What `.other` says; empty where nvdisasm has no such directive.
fn symbol_other_names(symbol: &Symbol) -> String {
    let other = symbol.other.0;
    if other & !8 == 0 || other & !0x18 == 0 && other & 8 != 0 {
        return String::new();
    }
    let function = symbol.symbol_type == SymbolType::FUNC;
    let mut names = Vec::new();
    if other & 0x10 != 0 {
        names.push(if function {
            "STO_CUDA_ENTRY"
        } else {
            "STO_CUDA_UNIFIED_OBJECT"
        });
    }
    match other >> 5 {
        1 => names.push("STO_CUDA_GLOBAL"),
        2 => names.push("STO_CUDA_SHARED"),
        3 => names.push("STO_CUDA_LOCAL"),
        4 => names.push("STO_CUDA_CONSTANT"),
        5 => names.push("STO_CUDA_RESERVED_SHARED"),
        _ => {}
    }
    names.push(match symbol.other.visibility() {
        SymbolVisibility::Default => "STV_DEFAULT",
        SymbolVisibility::Internal => "STV_INTERNAL",
        SymbolVisibility::Hidden => "STV_HIDDEN",
        SymbolVisibility::Protected => "STV_PROTECTED",
    });
    if other & 4 != 0 {
        names.push(if function {
            "STO_CUDA_UNIFIED_FUNC"
        } else {
            "STO_CUDA_MANAGED"
        });
    }
    names.join(" ")
}
