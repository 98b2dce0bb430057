//! What a section's header says in files of ptxas, from the section's name and type: the listing leaves it out.
//!
//! Observed: output of ptxas 13.0 for all SMs. What departs from this is written in the listing, so that nothing here has
//! to be right for every file.

use std::collections::HashMap;

use warpsmith_cubin::build::{SECTION_NAMES, STRINGS, SYMBOLS};
use warpsmith_cubin::header::{ELFABIVERSION_CUDA_V8, ELFOSABI_CUDA};
use warpsmith_cubin::{
    Content, Cubin, FileType, Flags, Header, Placement, Relocation, Section, SectionFlags, SectionType, SymbolBinding,
};
use warpsmith_target::Sm;

use crate::view::is_code;

/// Bits of a code section's `sh_info` that name the function's symbol.
pub(super) const REFERENCE: u32 = 0x00ff_ffff;
/// Bits of a code section's `sh_flags` that count hardware barriers.
pub(super) const BARRIERS: u64 = 0x07f0_0000;
/// The lowest bit of [`BARRIERS`].
pub(super) const BARRIERS_BIT: u32 = 20;
/// The lowest bit of a code section's `sh_info` that counts registers.
pub(super) const REGISTERS_BIT: u32 = 24;

/// The ELF header of a file for this target, with these sections.
pub(super) fn header(cubin: &Cubin, target: Option<Sm>, file_type: FileType) -> Header {
    let header = match target {
        Some(sm) => Header::for_target(sm, file_type),
        None => unknown_header(file_type),
    };
    Header {
        flags: header.flags.with_leading_sections(cubin.leading_sections()),
        ..header
    }
}

/// The ELF header of a file for an unknown target.
pub(super) fn unknown_header(file_type: FileType) -> Header {
    Header {
        os_abi: ELFOSABI_CUDA,
        abi_version: ELFABIVERSION_CUDA_V8,
        file_type,
        version: 1,
        entry: 0,
        flags: Flags(0),
        segment_header_size: 56,
        section_names: SECTION_NAMES,
    }
}

/// The indices over a cubin that the rules need.
pub(super) struct Usual<'a> {
    sections: HashMap<&'a str, u32>,
    /// For each symbol table: its symbols by name, first come first.
    symbols: HashMap<u32, HashMap<&'a str, u32>>,
}

impl<'a> Usual<'a> {
    pub(super) fn new(cubin: &'a Cubin) -> Usual<'a> {
        let mut sections = HashMap::with_capacity(cubin.sections.len());
        let mut symbols = HashMap::new();
        for (index, section) in cubin.sections.iter().enumerate() {
            sections.entry(section.name.as_str()).or_insert(index as u32);
            if let Content::Symbols(table) = &section.content {
                let mut names = HashMap::with_capacity(table.len());
                for (number, symbol) in table.iter().enumerate() {
                    names.entry(symbol.name.as_str()).or_insert(number as u32);
                }
                symbols.insert(index as u32, names);
            }
        }
        Usual { sections, symbols }
    }

    /// The first section of this name.
    pub(super) fn section(&self, name: &str) -> Option<u32> {
        self.sections.get(name).copied()
    }

    /// The first symbol of this name in the table that section `table` holds.
    pub(super) fn symbol(&self, table: u32, name: &str) -> Option<u32> {
        self.symbols.get(&table)?.get(name).copied()
    }

    /// `sh_link`: the strings of a symbol table, the symbols of what refers to them.
    pub(super) fn link(&self, section: &Section) -> u32 {
        let table = match &section.content {
            Content::Symbols(_) => ".strtab",
            _ if !refers_to_symbols(section) => return 0,
            _ if section.is_mercury() => ".nv.merc.symtab",
            _ => ".symtab",
        };
        self.section(table).unwrap_or(0)
    }

    /// `sh_info` of a section with this `sh_link`, but for the registers of code.
    pub(super) fn info(&self, section: &Section, link: u32) -> u32 {
        match &section.content {
            Content::Symbols(symbols) => {
                let last_local = symbols
                    .iter()
                    .rposition(|symbol| symbol.binding == SymbolBinding::LOCAL);
                last_local.map_or(0, |last| last as u32 + 1)
            }
            Content::Relocations { .. } => self.relocated(section).unwrap_or(0),
            _ => match function(section) {
                Some(Owner::Symbol(function)) => self.symbol(link, function).unwrap_or(0),
                Some(Owner::Code(prefix, function)) => self.section(&format!("{prefix}{function}")).unwrap_or(0),
                None => 0,
            },
        }
    }

    /// The section that a relocation section is for, from its name.
    fn relocated(&self, section: &Section) -> Option<u32> {
        let (mercury, name) = match section.name.strip_prefix(".nv.merc") {
            Some(name) => (true, name),
            None => (false, section.name.as_str()),
        };
        let name = name.strip_prefix(".rela").or_else(|| name.strip_prefix(".rel"))?;
        if !mercury {
            return self.section(name);
        }
        self.section(&format!(".nv.merc{name}"))
            .or_else(|| self.section(&format!(".nv.capmerc{name}")))
    }
}

/// The space that producers leave before `.strtab` and `.symtab`.
pub(super) struct Gaps {
    before_strings: usize,
    before_symbols: usize,
}

impl Gaps {
    pub(super) fn new(cubin: &Cubin) -> Gaps {
        let (before_strings, before_symbols) = cubin.policy_gaps();
        Gaps {
            before_strings,
            before_symbols,
        }
    }

    /// Where a section lies.
    pub(super) fn placement(&self, index: u32) -> Placement {
        let gap = match index {
            STRINGS => self.before_strings,
            SYMBOLS => self.before_symbols,
            _ => 0,
        };
        if gap == 0 {
            Placement::Policy
        } else {
            Placement::After(vec![0; gap])
        }
    }
}

/// The relocation sections whose entries stand as `.rel` and `.rela` lines in the section that they are for: the first of
/// each kind, by that section and whether entries have addends.
pub(super) fn relocation_sections(cubin: &Cubin) -> HashMap<(u32, bool), u32> {
    let mut found = HashMap::new();
    for (index, section) in cubin.sections.iter().enumerate() {
        let with_addend = match section.section_type {
            SectionType::REL => false,
            SectionType::RELA => true,
            _ => continue,
        };
        let main = cubin.symbol_table() == Some(section.link);
        let target = cubin.section(section.info);
        if main && target.is_some_and(|target| is_code(target) || is_data(target)) {
            found.entry((section.info, with_addend)).or_insert(index as u32);
        }
    }
    found
}

/// The order of relocation entries by offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    Ascending,
    /// From the last to the first.
    Descending,
    None,
}

impl Order {
    /// The order of these entries; ascending where it can be.
    pub(super) fn of(entries: &[Relocation]) -> Order {
        if entries.is_sorted_by_key(|entry| entry.offset) {
            Order::Ascending
        } else if entries.iter().rev().is_sorted_by_key(|entry| entry.offset) {
            Order::Descending
        } else {
            Order::None
        }
    }
}

/// Whether a section's content is listed as rows of data, with labels.
pub(super) fn is_data(section: &Section) -> bool {
    let plain = matches!(section.content, Content::Bytes(_)) && section.section_type != SectionType::SYMTAB_SHNDX;
    plain && !is_code(section) && !is_info(section) && !is_compat(section) && !is_pairs(section)
}

/// `sh_addralign` in bytes.
pub(super) fn alignment(section: &Section) -> u64 {
    match &section.content {
        Content::Null(_) => 0,
        Content::Symbols(_) | Content::Relocations { .. } => 8,
        _ if is_code(section) => 128,
        _ if refers_to_symbols(section) || section.section_type == SectionType::NOTE => 4,
        _ => 1,
    }
}

/// `sh_entsize` in bytes.
pub(super) fn entry_size(section: &Section) -> u64 {
    match &section.content {
        Content::Symbols(_) => 24,
        Content::Relocations { with_addend: true, .. } => 24,
        Content::Relocations { with_addend: false, .. } => 16,
        _ if is_pairs(section) => 8,
        _ => 0,
    }
}

/// Whether a section holds pairs of words: the call graph, the prototypes.
pub(super) fn is_pairs(section: &Section) -> bool {
    matches!(
        section.section_type.name(),
        Some("SHT_CUDA_CALLGRAPH" | "SHT_CUDA_PROTOTYPE")
    )
}

/// Whether a section holds `.nv.info` records.
pub(super) fn is_info(section: &Section) -> bool {
    matches!(
        section.section_type.name(),
        Some("SHT_CUDA_INFO" | "SHT_CUDA_MERC_INFO")
    )
}

/// Whether a section holds `.nv.compat` records.
pub(super) fn is_compat(section: &Section) -> bool {
    section.section_type.name() == Some("SHT_CUDA_COMPAT_INFO")
}

fn is_capsule(section: &Section) -> bool {
    section.section_type.name() == Some("SHT_CUDA_CAPMERC")
}

fn refers_to_symbols(section: &Section) -> bool {
    let relocations = matches!(section.content, Content::Relocations { .. });
    relocations || is_info(section) || is_pairs(section) || is_code(section) || is_capsule(section)
}

/// What `sh_info` of a function's section names.
enum Owner<'a> {
    /// The function's symbol.
    Symbol(&'a str),
    /// The function's code section: the start of its name, and the function.
    Code(&'static str, &'a str),
}

/// The function that a section belongs to.
fn function(section: &Section) -> Option<Owner<'_>> {
    let name = section.name.as_str();
    if is_code(section) {
        return name.strip_prefix(".text.").map(Owner::Symbol);
    }
    if is_capsule(section) {
        return name.strip_prefix(".nv.capmerc.text.").map(Owner::Symbol);
    }
    if let Some(function) = name.strip_prefix(".nv.merc.nv.info.") {
        return Some(Owner::Code(".nv.capmerc.text.", function));
    }
    if !section.flags.contains(SectionFlags::INFO_LINK) && !name.starts_with(".nv.constant") {
        return None;
    }
    let rest = name.strip_prefix(".nv.")?;
    let (kind, function) = rest.split_once('.')?;
    let kind = kind.trim_end_matches(|c: char| c.is_ascii_digit());
    matches!(kind, "info" | "constant" | "shared" | "local").then_some(Owner::Code(".text.", function))
}
