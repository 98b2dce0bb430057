//! The cubin as a value.

use crate::error::CubinError;
use crate::header::Header;
use crate::info::{self, InfoRecord};
use crate::layout;
use crate::read;
use crate::relocation::Relocation;
use crate::section_flag::SectionFlags;
use crate::section_type::{SectionShape, SectionType};
use crate::strings::StringTable;
use crate::symbol::{Symbol, SymbolSection};

/// Index into [`Cubin::sections`], as ELF counts them (0 is the null section).
pub type SectionIndex = u32;
/// Index into a symbol table (0 is the null symbol).
pub type SymbolIndex = u32;

/// A cubin: a CUDA ELF file as an editable value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cubin {
    /// What the ELF header says.
    pub header: Header,
    /// The sections in the order of the section header table; index 0 is the null section.
    pub sections: Vec<Section>,
    /// The program headers in order.
    pub segments: Vec<Segment>,
    /// Where the section header table lies, if not where the layout policy puts it.
    pub section_table_placement: Placement,
    /// Where the program header table lies, if not where the layout policy puts it.
    pub segment_table_placement: Placement,
    /// Bytes after the last structure; empty in files of the vendor's tools.
    pub trailing: Vec<u8>,
}

/// A section.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// The name.
    pub name: String,
    /// Where the name lies in the section name table. On writing it is used if that string is still
    /// `name`; otherwise the name is looked up, or appended.
    pub name_offset: Option<u32>,
    /// `sh_type`.
    pub section_type: SectionType,
    /// `sh_flags`.
    pub flags: SectionFlags,
    /// `sh_addr`.
    pub address: u64,
    /// `sh_link`.
    pub link: u32,
    /// `sh_info`.
    pub info: u32,
    /// `sh_addralign` in bytes.
    pub alignment: u64,
    /// `sh_entsize` in bytes; 0 where the section is no table.
    pub entry_size: u64,
    /// What the section holds.
    pub content: Content,
    /// Where it lies in the file.
    pub placement: Placement,
}

/// What a section holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// The null section. The value is `sh_size`, 0 unless there are more than 65279 sections.
    Null(u64),
    /// Bytes without further structure here (code, data, `.nv.info`, notes, …).
    Bytes(Vec<u8>),
    /// No bytes in the file, this many bytes in memory.
    NoBits(u64),
    /// The bytes are those of another section: a `.nv.merc.*` section and the section that it mirrors
    /// have one copy in the file.
    SharedWith(SectionIndex),
    /// A string table.
    Strings(StringTable),
    /// A symbol table.
    Symbols(Vec<Symbol>),
    /// Relocations; RELA (24 bytes each, with addend) if the flag is set, REL (16 bytes) otherwise.
    Relocations {
        /// The entries in file order.
        entries: Vec<Relocation>,
        /// Whether the entries carry addends.
        with_addend: bool,
    },
}

/// Where a structure lies in the file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Placement {
    /// Where the layout policy puts it: after the structure before it, aligned, zero padding.
    #[default]
    Policy,
    /// After these bytes (and then aligned with zero padding): space that the producer reserved and did
    /// not use.
    After(Vec<u8>),
    /// At this file offset. Only where the offset follows no rule.
    At(u64),
}

/// What a section is for, from its type and name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SectionKind<'name> {
    /// The null section.
    Null,
    /// `.shstrtab` or `.strtab`.
    StringTable,
    /// `.symtab`, or a table of the Mercury twin.
    SymbolTable,
    /// `.symtab_shndx`.
    ExtendedIndices,
    /// `.rel*` or `.rela*`.
    Relocations,
    /// `.note.nv.*`.
    Note,
    /// `.text.NAME`: the code of the function.
    Text(&'name str),
    /// `.nv.info` (no name) or `.nv.info.NAME`: attributes of the module or of the function.
    Info(Option<&'name str>),
    /// `.nv.constantN` or `.nv.constantN.NAME`: constant bank N of the module or of the function.
    Constant {
        /// The bank.
        bank: u8,
        /// The function.
        function: Option<&'name str>,
    },
    /// `.nv.shared.reserved.N`: shared memory that the system reserves.
    ReservedShared,
    /// `.nv.shared` or `.nv.shared.NAME`.
    Shared(Option<&'name str>),
    /// `.nv.local.NAME`.
    Local(Option<&'name str>),
    /// `.nv.global`: global memory without initial content.
    Global,
    /// `.nv.global.init`: global memory with initial content.
    GlobalInit,
    /// `.nv.callgraph`.
    CallGraph,
    /// `.nv.prototype`.
    Prototype,
    /// `.nv.rel.action`.
    RelocationAction,
    /// `.nv.compat`.
    Compat,
    /// `.nv.uft`, `.nv.udt` and their entries.
    UnifiedTable,
    /// `.debug_*` and `.nv_debug*`.
    Debug,
    /// `.nv.capmerc.*` and `.nv.merc.*`.
    Mercury,
    /// Anything else.
    Other,
}

/// A program header. Offsets and sizes are derived from the sections that it covers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segment {
    /// `p_type`: 1 `PT_LOAD`, 6 `PT_PHDR`, ….
    pub segment_type: u32,
    /// `p_flags`: 1 execute, 2 write, 4 read.
    pub flags: u32,
    /// `p_vaddr`.
    pub virtual_address: u64,
    /// `p_paddr`.
    pub physical_address: u64,
    /// `p_align` in bytes.
    pub alignment: u64,
    /// What it covers.
    pub extent: Extent,
}

/// What a segment covers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Extent {
    /// The program header table itself.
    SegmentTable,
    /// The sections `first` to `last`, both included.
    Sections {
        /// First section.
        first: SectionIndex,
        /// Last section.
        last: SectionIndex,
    },
    /// Explicit `p_offset`, `p_filesz`, `p_memsz`, where they follow no section boundary.
    Raw {
        /// `p_offset`.
        offset: u64,
        /// `p_filesz` in bytes.
        file_size: u64,
        /// `p_memsz` in bytes.
        memory_size: u64,
    },
}

impl Section {
    /// Size in bytes: in the file, or in memory for a section without file bytes. A section that shares
    /// its bytes answers 0 here; see [`Cubin::section_bytes`].
    pub fn size(&self) -> u64 {
        match &self.content {
            Content::Null(size) | Content::NoBits(size) => *size,
            Content::Bytes(bytes) => bytes.len() as u64,
            Content::SharedWith(_) => 0,
            Content::Strings(strings) => strings.bytes().len() as u64,
            Content::Symbols(symbols) => symbols.len() as u64 * 24,
            Content::Relocations { entries, with_addend } => entries.len() as u64 * if *with_addend { 24 } else { 16 },
        }
    }

    /// The plain bytes of the section; `None` unless the content is [`Content::Bytes`].
    pub fn bytes(&self) -> Option<&[u8]> {
        match &self.content {
            Content::Bytes(bytes) => Some(bytes),
            _ => None,
        }
    }

    /// A section of this name and type: no flags, links or address, alignment 1, content empty in the type's shape.
    pub fn new(name: &str, section_type: SectionType, flags: SectionFlags) -> Section {
        let shape = section_type.shape(flags);
        let (content, entry_size) = match shape {
            SectionShape::Null => (Content::Null(0), 0),
            SectionShape::Bytes => (Content::Bytes(Vec::new()), 0),
            SectionShape::NoBits => (Content::NoBits(0), 0),
            SectionShape::Strings => (Content::Strings(StringTable::new()), 0),
            SectionShape::Symbols => (Content::Symbols(vec![Symbol::null()]), 24),
            SectionShape::Relocations { with_addend } => (
                Content::Relocations {
                    entries: Vec::new(),
                    with_addend,
                },
                if with_addend { 24 } else { 16 },
            ),
        };
        Section {
            name: name.to_string(),
            name_offset: None,
            section_type,
            flags,
            address: 0,
            link: 0,
            info: 0,
            alignment: if shape == SectionShape::Null { 0 } else { 1 },
            entry_size,
            content,
            placement: Placement::Policy,
        }
    }

    /// What the section is for.
    pub fn kind(&self) -> SectionKind<'_> {
        if self.is_mercury() {
            return SectionKind::Mercury;
        }
        match self.section_type.shape(self.flags) {
            SectionShape::Null => return SectionKind::Null,
            SectionShape::Strings => return SectionKind::StringTable,
            SectionShape::Symbols => return SectionKind::SymbolTable,
            SectionShape::Relocations { .. } => return SectionKind::Relocations,
            SectionShape::Bytes | SectionShape::NoBits => {}
        }
        let name = self.name.as_str();
        let of = |prefix: &str| {
            let rest = name.strip_prefix(prefix)?;
            if rest.is_empty() {
                Some(None)
            } else {
                rest.strip_prefix('.').map(Some)
            }
        };
        match name {
            _ if self.section_type == SectionType::SYMTAB_SHNDX => SectionKind::ExtendedIndices,
            _ if self.section_type == SectionType::NOTE => SectionKind::Note,
            ".nv.global.init" => SectionKind::GlobalInit,
            ".nv.callgraph" => SectionKind::CallGraph,
            ".nv.prototype" => SectionKind::Prototype,
            ".nv.rel.action" => SectionKind::RelocationAction,
            ".nv.compat" => SectionKind::Compat,
            _ if name.starts_with(".nv.shared.reserved.") => SectionKind::ReservedShared,
            _ if name.starts_with(".nv.uft") || name.starts_with(".nv.udt") => SectionKind::UnifiedTable,
            _ if name.starts_with(".debug_") || name.starts_with(".nv_debug") => SectionKind::Debug,
            _ => {
                if let Some(Some(function)) = of(".text") {
                    SectionKind::Text(function)
                } else if let Some(function) = of(".nv.info") {
                    SectionKind::Info(function)
                } else if let Some(function) = of(".nv.shared") {
                    SectionKind::Shared(function)
                } else if let Some(function) = of(".nv.local") {
                    SectionKind::Local(function)
                } else if let Some(None) = of(".nv.global") {
                    SectionKind::Global
                } else {
                    constant_bank(name).unwrap_or(SectionKind::Other)
                }
            }
        }
    }

    /// The symbol of a function's code section: bits 0 to 23 of `sh_info`.
    pub fn function_symbol(&self) -> SymbolIndex {
        self.info & 0x00ff_ffff
    }

    /// Registers per thread as a code section states them: bits 24 to 31 of `sh_info`. 0 from sm_90 on, where only
    /// `EIATTR_REGCOUNT` has them.
    pub fn register_count(&self) -> u32 {
        self.info >> 24
    }

    /// Whether this is a section of the Mercury twin (`.nv.merc.*`, `.nv.capmerc.*`), which nvdisasm
    /// does not list.
    pub fn is_mercury(&self) -> bool {
        self.name.starts_with(".nv.merc.") || self.name.starts_with(".nv.capmerc")
    }
}

/// `.nv.constantN` or `.nv.constantN.NAME`.
fn constant_bank(name: &str) -> Option<SectionKind<'_>> {
    let rest = name.strip_prefix(".nv.constant")?;
    let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let bank = rest[..digits].parse().ok()?;
    let function = match &rest[digits..] {
        "" => None,
        tail => Some(tail.strip_prefix('.')?),
    };
    Some(SectionKind::Constant { bank, function })
}

impl Cubin {
    /// Reads a cubin.
    ///
    /// # Errors
    /// Where the bytes are no 64-bit little-endian CUDA ELF file, are truncated, or contradict
    /// themselves. A fatbin, host object, archive or PTX text is named as such.
    pub fn read(bytes: &[u8]) -> Result<Cubin, CubinError> {
        read::read(bytes)
    }

    /// The file's bytes.
    pub fn write(&self) -> Vec<u8> {
        layout::write(self)
    }

    /// The section of this index.
    pub fn section(&self, index: SectionIndex) -> Option<&Section> {
        self.sections.get(index as usize)
    }

    /// The first section of this name.
    pub fn section_by_name(&self, name: &str) -> Option<(SectionIndex, &Section)> {
        self.sections
            .iter()
            .position(|s| s.name == name)
            .map(|i| (i as SectionIndex, &self.sections[i]))
    }

    /// The bytes of a section, following [`Content::SharedWith`]; `None` for sections without plain bytes.
    pub fn section_bytes(&self, index: SectionIndex) -> Option<&[u8]> {
        match &self.section(index)?.content {
            Content::Bytes(bytes) => Some(bytes),
            Content::SharedWith(other) => self.section(*other)?.bytes(),
            _ => None,
        }
    }

    /// Index of the main symbol table (`SHT_SYMTAB`).
    pub fn symbol_table(&self) -> Option<SectionIndex> {
        self.sections
            .iter()
            .position(|s| s.section_type == SectionType::SYMTAB)
            .map(|i| i as SectionIndex)
    }

    /// The main symbol table's entries; empty where there is none.
    pub fn symbols(&self) -> &[Symbol] {
        match self.symbol_table().map(|i| &self.sections[i as usize].content) {
            Some(Content::Symbols(symbols)) => symbols,
            _ => &[],
        }
    }

    /// The symbol of this index in the main symbol table.
    pub fn symbol(&self, index: SymbolIndex) -> Option<&Symbol> {
        self.symbols().get(index as usize)
    }

    /// The first symbol of this name.
    pub fn symbol_by_name(&self, name: &str) -> Option<(SymbolIndex, &Symbol)> {
        self.symbols()
            .iter()
            .enumerate()
            .find(|(_, s)| s.name == name)
            .map(|(i, s)| (i as SymbolIndex, s))
    }

    /// The name that listings use for a symbol: its own, or its section's name for a nameless section symbol.
    pub fn symbol_name(&self, index: SymbolIndex) -> Option<&str> {
        let symbol = self.symbol(index)?;
        match symbol.section {
            SymbolSection::Section(section) if symbol.name.is_empty() => Some(&self.section(section)?.name),
            _ => Some(&symbol.name),
        }
    }

    /// The relocations (of `SHT_REL` and `SHT_RELA` sections) that apply to a section, by offset; entries
    /// at one offset keep their file order.
    pub fn relocations_for(&self, section: SectionIndex) -> Vec<&Relocation> {
        let mut found: Vec<&Relocation> = self
            .sections
            .iter()
            .filter(|s| matches!(s.section_type, SectionType::REL | SectionType::RELA) && s.info == section)
            .filter_map(|s| match &s.content {
                Content::Relocations { entries, .. } => Some(entries),
                _ => None,
            })
            .flatten()
            .collect();
        found.sort_by_key(|relocation| relocation.offset);
        found
    }

    /// The code sections, in order, with the functions' names.
    pub fn functions(&self) -> impl Iterator<Item = (SectionIndex, &str)> {
        self.sections
            .iter()
            .enumerate()
            .filter_map(|(index, section)| match section.kind() {
                SectionKind::Text(name) => Some((index as SectionIndex, name)),
                _ => None,
            })
    }

    /// The constant banks of a function: bank number and section.
    pub fn constant_banks(&self, function: &str) -> Vec<(u8, SectionIndex)> {
        let banks = self
            .sections
            .iter()
            .enumerate()
            .filter_map(|(index, section)| match section.kind() {
                SectionKind::Constant {
                    bank,
                    function: Some(name),
                } if name == function => Some((bank, index as SectionIndex)),
                _ => None,
            });
        banks.collect()
    }

    /// The records of a `.nv.info` section.
    ///
    /// # Errors
    /// Where the section holds no bytes, or a record is truncated or of an unknown format. The error's
    /// offset is relative to the section.
    pub fn info_records(&self, section: SectionIndex) -> Result<Vec<InfoRecord>, CubinError> {
        let bytes = self
            .section_bytes(section)
            .ok_or_else(|| CubinError::new(0, format!("section {section}"), "has no bytes"))?;
        info::parse(bytes, 0)
    }
}
