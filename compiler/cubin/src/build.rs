//! Making a cubin from parts.
//!
//! An assembler starts with [`Cubin::new`], adds sections, symbols and relocations in file order, and ends with
//! [`Cubin::finish`], which derives what depends on the whole: program headers and the section count in `e_flags`.
//!
//! ```
//! use warpsmith_cubin::{Content, Cubin, FileType, Section, SectionFlags, SectionType};
//!
//! let sm = "sm_90".parse().unwrap();
//! let mut cubin = Cubin::new(sm, FileType::Relocatable);
//! let mut text = Section::new(".text.f", SectionType::PROGBITS, SectionFlags::ALLOC | SectionFlags::EXECINSTR);
//! text.alignment = 128;
//! text.content = Content::Bytes(vec![0; 16]);
//! cubin.add_section(text);
//! cubin.finish();
//! let again = Cubin::read(&cubin.write()).unwrap();
//! assert_eq!(again.section_by_name(".text.f").unwrap().1.bytes(), Some(&[0; 16][..]));
//! ```

use std::collections::{HashMap, HashSet};

use warpsmith_target::Sm;

use crate::header::{FileType, Flags, Header};
use crate::model::{Content, Cubin, Extent, Placement, Section, SectionIndex, SectionKind, Segment, SymbolIndex};
use crate::section_flag::SectionFlags;
use crate::section_type::{SectionShape, SectionType};
use crate::strings::StringTable;
use crate::symbol::Symbol;

/// Index of `.shstrtab` in a cubin of [`Cubin::new`].
pub const SECTION_NAMES: SectionIndex = 1;
/// Index of `.strtab` in a cubin of [`Cubin::new`].
pub const STRINGS: SectionIndex = 2;
/// Index of `.symtab` in a cubin of [`Cubin::new`].
pub const SYMBOLS: SectionIndex = 3;

const PT_LOAD: u32 = 1;
const PT_PHDR: u32 = 6;
const EXECUTE: u32 = 1;
const WRITE: u32 = 2;
const READ: u32 = 4;

impl Cubin {
    /// A cubin with the sections that each has first: the null section, `.shstrtab`, `.strtab` and `.symtab` (with the
    /// null symbol).
    pub fn new(sm: Sm, file_type: FileType) -> Cubin {
        let mut symbols = Section::new(".symtab", SectionType::SYMTAB, SectionFlags(0));
        symbols.alignment = 8;
        symbols.link = STRINGS;
        Cubin {
            header: Header::for_target(sm, file_type),
            sections: vec![
                Section::new("", SectionType::NULL, SectionFlags(0)),
                Section::new(".shstrtab", SectionType::STRTAB, SectionFlags(0)),
                Section::new(".strtab", SectionType::STRTAB, SectionFlags(0)),
                symbols,
            ],
            segments: Vec::new(),
            section_table_placement: Placement::Policy,
            segment_table_placement: Placement::Policy,
            trailing: Vec::new(),
        }
    }

    /// Appends a section and returns its index.
    pub fn add_section(&mut self, section: Section) -> SectionIndex {
        self.sections.push(section);
        self.sections.len() as SectionIndex - 1
    }

    /// Appends a symbol to the main symbol table and returns its index; `None` where there is no such table.
    pub fn add_symbol(&mut self, symbol: Symbol) -> Option<SymbolIndex> {
        let symbols = self.symbols_mut()?;
        symbols.push(symbol);
        Some(symbols.len() as SymbolIndex - 1)
    }

    /// The section of this index, to change it.
    pub fn section_mut(&mut self, index: SectionIndex) -> Option<&mut Section> {
        self.sections.get_mut(index as usize)
    }

    /// The entries of the main symbol table, to change them.
    pub fn symbols_mut(&mut self) -> Option<&mut Vec<Symbol>> {
        let index = self.symbol_table()?;
        match &mut self.sections[index as usize].content {
            Content::Symbols(symbols) => Some(symbols),
            _ => None,
        }
    }

    /// A string table, to add strings in an order of one's own.
    pub fn strings_mut(&mut self, index: SectionIndex) -> Option<&mut StringTable> {
        match &mut self.section_mut(index)?.content {
            Content::Strings(strings) => Some(strings),
            _ => None,
        }
    }

    /// Derives what depends on all sections: program headers ([`Cubin::policy_segments`]), the number of leading
    /// sections in `e_flags`, and the gaps after the string tables ([`Cubin::policy_gaps`]).
    pub fn finish(&mut self) {
        let (names, strings) = self.policy_gaps();
        for (index, gap) in [(STRINGS, names), (SYMBOLS, strings)] {
            if let Some(section) = self.section_mut(index) {
                section.placement = match gap {
                    0 => Placement::Policy,
                    size => Placement::After(vec![0; size]),
                };
            }
        }
        self.segments = self.policy_segments();
        self.header.flags = self.header.flags.with_leading_sections(self.leading_sections());
    }

    /// How many sections (the null section not counted) stand before the first one that has a CUDA type or holds
    /// relocations; see [`Flags::leading_sections`].
    pub fn leading_sections(&self) -> u8 {
        let is_leading = |section: &&Section| {
            section.section_type.0 < 0x7000_0000
                && !matches!(
                    section.section_type.shape(section.flags),
                    SectionShape::Relocations { .. }
                )
        };
        self.sections.iter().skip(1).take_while(is_leading).count().min(255) as u8
    }

    /// The program headers that ptxas 13.0 gives these sections; none in a relocatable file.
    ///
    /// Up to sm_89: the table itself (`PT_PHDR`), then what is not written (code and constants in one segment), then
    /// what is written, then the table once more to be loaded; read-only segments are executable. From sm_90 on:
    /// the table twice, then a segment for each run of sections with the same rights.
    pub fn policy_segments(&self) -> Vec<Segment> {
        if self.header.file_type == FileType::Relocatable {
            return Vec::new();
        }
        let has = |name| self.section_by_name(name).is_some();
        // Output of nvlink for sm_90 has `.nv.compat` but the older segments, and `.nv.rel.action` like them.
        let separate = self.header.flags.0 & Flags::CAPSULE != 0 || has(".nv.compat") && !has(".nv.rel.action");
        let table_rights = if separate { READ } else { READ | EXECUTE };
        let table = |segment_type| segment(segment_type, table_rights, Extent::SegmentTable);
        let mut segments = vec![table(PT_PHDR)];
        if separate {
            segments.push(table(PT_LOAD));
        }
        let mut open: Option<(u32, SectionIndex, SectionIndex)> = None;
        for (index, section) in self.sections.iter().enumerate() {
            if !section.flags.contains(SectionFlags::ALLOC) || section.is_mercury() {
                continue;
            }
            let (index, rights) = (index as SectionIndex, rights(section, separate));
            match &mut open {
                Some((same, _, last)) if *same == rights => *last = index,
                _ => {
                    segments.extend(open.map(load));
                    open = Some((rights, index, index));
                }
            }
        }
        segments.extend(open.map(load));
        if !separate {
            segments.push(table(PT_LOAD));
        }
        segments
    }

    /// The bytes that ptxas 13.0 leaves unused after `.shstrtab` and after `.strtab`.
    ///
    /// It counts names before it drops or renames sections, so the gaps are the lengths of names that are not there
    /// (each with a NUL): from sm_90 on `.nv.uft.entry`; for sm_90 a `.nv.capmerc.text.NAME` for each function; with
    /// capsules `.nv.merc.symtab_shndx`. In `.strtab`, each constant bank that has its Mercury name beside its own
    /// leaves the difference of the two less one, and if it has relocations, the length of their section's name.
    pub fn policy_gaps(&self) -> (usize, usize) {
        if self.section_by_name(".nv.compat").is_none() {
            return (0, 0);
        }
        let entries = ".nv.uft.entry".len() + 1;
        if self.header.flags.0 & Flags::CAPSULE == 0 {
            let capsules = self
                .functions()
                .map(|(_, name)| ".nv.capmerc.text.".len() + name.len() + 1);
            return (entries + capsules.sum::<usize>(), 0);
        }
        (entries + ".nv.merc.symtab_shndx".len() + 1, self.renamed_constants())
    }

    /// The gap after `.strtab` in a file with capsules.
    fn renamed_constants(&self) -> usize {
        let is_relocations = |section: &&Section| {
            let shape = section.section_type.shape(section.flags);
            matches!(shape, SectionShape::Relocations { .. })
        };
        let relocated: HashSet<SectionIndex> = self
            .sections
            .iter()
            .filter(is_relocations)
            .map(|section| section.info)
            .collect();
        let mut banks: HashMap<&str, SectionIndex> = HashMap::new();
        for (index, section) in self.sections.iter().enumerate() {
            if let SectionKind::Constant {
                bank: 2,
                function: Some(name),
            } = section.kind()
            {
                banks.insert(name, index as SectionIndex);
            }
        }
        let mut gap = 0;
        for (index, section) in self.sections.iter().enumerate() {
            let Some(mercury) = section.name.strip_prefix(".nv.merc") else {
                continue;
            };
            let Some(purpose) = mercury.strip_prefix(".nv.constant.") else {
                continue;
            };
            // A bank of the module is mirrored. That of a function, bank 2, has bytes of its own, and its Mercury
            // section stays where the bank itself was dropped.
            let (own, own_length) = match (&section.content, purpose.split_once('.')) {
                (Content::SharedWith(owner), _) => {
                    (*owner, self.section(*owner).map_or(0, |section| section.name.len()))
                }
                (_, Some((_, function))) => {
                    let own = banks.get(function).copied().unwrap_or(index as SectionIndex);
                    (own, ".nv.constant2.".len() + function.len())
                }
                _ => continue,
            };
            gap += mercury.len().saturating_sub(own_length + 1);
            if relocated.contains(&own) {
                gap += ".rela".len() + mercury.len();
            }
        }
        gap
    }
}

fn rights(section: &Section, separate: bool) -> u32 {
    match (
        section.flags.contains(SectionFlags::WRITE),
        section.flags.contains(SectionFlags::EXECINSTR),
    ) {
        (true, _) => READ | WRITE,
        (false, false) if separate => READ,
        (false, _) => READ | EXECUTE,
    }
}

fn load((rights, first, last): (u32, SectionIndex, SectionIndex)) -> Segment {
    segment(PT_LOAD, rights, Extent::Sections { first, last })
}

fn segment(segment_type: u32, flags: u32, extent: Extent) -> Segment {
    Segment {
        segment_type,
        flags,
        virtual_address: 0,
        physical_address: 0,
        alignment: 8,
        extent,
    }
}
