//! Symbols.
//!
//! Names of types, bindings and `st_other` bits: observed with nvdisasm 13.5 (`.type`, `.global`, `.weak`, `.other`)
//! and cuobjdump 13.1 on files with each value.

/// A symbol table entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// The name; empty for a symbol without one.
    pub name: String,
    /// Where the name lies in the string table. On writing it is used if that string is still `name`;
    /// otherwise the name is looked up, or appended.
    pub name_offset: Option<u32>,
    /// Upper 4 bits of `st_info`.
    pub binding: SymbolBinding,
    /// Lower 4 bits of `st_info`.
    pub symbol_type: SymbolType,
    /// `st_other`: visibility and CUDA bits.
    pub other: SymbolOther,
    /// `st_shndx`.
    pub section: SymbolSection,
    /// `st_value`: byte offset in the section for a defined symbol.
    pub value: u64,
    /// `st_size` in bytes.
    pub size: u64,
}

/// `st_shndx`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SymbolSection {
    /// `SHN_UNDEF`: defined in another file, or by the driver.
    Undefined,
    /// Defined in the section of this index (extended indices resolved).
    Section(u32),
    /// A reserved index (0xff00 to 0xfffe), e.g. 0xfff1 `SHN_ABS`, 0xfff2 `SHN_COMMON`.
    Reserved(u16),
}

/// Symbol binding: upper 4 bits of `st_info`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SymbolBinding(pub u8);

impl SymbolBinding {
    /// `STB_LOCAL`.
    pub const LOCAL: SymbolBinding = SymbolBinding(0);
    /// `STB_GLOBAL`.
    pub const GLOBAL: SymbolBinding = SymbolBinding(1);
    /// `STB_WEAK`.
    pub const WEAK: SymbolBinding = SymbolBinding(2);

    /// The ELF name.
    pub fn name(self) -> Option<&'static str> {
        ["STB_LOCAL", "STB_GLOBAL", "STB_WEAK"]
            .get(usize::from(self.0))
            .copied()
    }
}

/// Symbol type: lower 4 bits of `st_info`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SymbolType(pub u8);

/// The symbol types, number and name.
#[rustfmt::skip]
pub const SYMBOL_TYPES: &[(u8, &str)] = &[
    (0,  "STT_NOTYPE"),
    (1,  "STT_OBJECT"),
    (2,  "STT_FUNC"),
    (3,  "STT_SECTION"),
    (4,  "STT_FILE"),
    (5,  "STT_COMMON"),
    (10, "STT_CUDA_TEXTURE"),
    (11, "STT_CUDA_SAMPLER"),
    (12, "STT_CUDA_SURFACE"),
    (13, "STT_CUDA_OBJECT"),
];

impl SymbolType {
    /// `STT_NOTYPE`.
    pub const NOTYPE: SymbolType = SymbolType(0);
    /// `STT_OBJECT`.
    pub const OBJECT: SymbolType = SymbolType(1);
    /// `STT_FUNC`.
    pub const FUNC: SymbolType = SymbolType(2);
    /// `STT_SECTION`.
    pub const SECTION: SymbolType = SymbolType(3);

    /// The name, e.g. `STT_CUDA_TEXTURE`.
    pub fn name(self) -> Option<&'static str> {
        SYMBOL_TYPES.iter().find(|row| row.0 == self.0).map(|row| row.1)
    }
}

/// `st_other`: visibility in bits 0 to 1, CUDA bits above (see [`SYMBOL_OTHER`]).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct SymbolOther(pub u8);

/// A value of a field of `st_other`.
#[derive(Clone, Copy, Debug)]
pub struct SymbolOtherRow {
    /// The bits of the field.
    pub mask: u8,
    /// Their value.
    pub value: u8,
    /// The name in nvdisasm's `.other`; for values that it does not print, built from cuobjdump's name.
    pub name: &'static str,
    /// What it means.
    pub meaning: &'static str,
}

const fn row(mask: u8, value: u8, name: &'static str, meaning: &'static str) -> SymbolOtherRow {
    SymbolOtherRow {
        mask,
        value,
        name,
        meaning,
    }
}

/// The values of `st_other`.
#[rustfmt::skip]
pub const SYMBOL_OTHER: &[SymbolOtherRow] = &[
    row(0x10, 0x10, "STO_CUDA_ENTRY",           "the function is a kernel"),
    row(0xe0, 0x20, "STO_CUDA_GLOBAL",          "in global memory"),
    row(0xe0, 0x40, "STO_CUDA_SHARED",          "in shared memory"),
    row(0xe0, 0x60, "STO_CUDA_LOCAL",           "in local memory"),
    row(0xe0, 0x80, "STO_CUDA_CONSTANT",        "in a constant bank"),
    row(0xe0, 0xa0, "STO_CUDA_RESERVED_SHARED", "in shared memory that the system reserves"),
    row(0x03, 0x00, "STV_DEFAULT",              "visible"),
    row(0x03, 0x01, "STV_INTERNAL",             "internal"),
    row(0x03, 0x02, "STV_HIDDEN",               "hidden"),
    row(0x03, 0x03, "STV_PROTECTED",            "protected"),
    row(0x04, 0x04, "STO_CUDA_UNIFIED_FUNC",    "in the unified function table (of an object: the unified data table)"),
    row(0x08, 0x08, "STO_CUDA_OBSCURE",         "hidden from tools"),
];

/// ELF symbol visibility: bits 0 to 1 of `st_other`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SymbolVisibility {
    /// `STV_DEFAULT` (0).
    Default,
    /// `STV_INTERNAL` (1).
    Internal,
    /// `STV_HIDDEN` (2).
    Hidden,
    /// `STV_PROTECTED` (3).
    Protected,
}

impl SymbolOther {
    /// Bits 0 to 1.
    pub fn visibility(self) -> SymbolVisibility {
        match self.0 & 3 {
            0 => SymbolVisibility::Default,
            1 => SymbolVisibility::Internal,
            2 => SymbolVisibility::Hidden,
            _ => SymbolVisibility::Protected,
        }
    }

    /// Bit 4, `STO_CUDA_ENTRY`: the function is a kernel.
    pub fn is_entry(self) -> bool {
        self.0 & 0x10 != 0
    }

    /// The names of the values, in the order in which nvdisasm prints them.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        SYMBOL_OTHER
            .iter()
            .filter(move |row| self.0 & row.mask == row.value)
            .map(|row| row.name)
    }
}

impl Symbol {
    /// The null symbol, which is the first of every table.
    pub fn null() -> Symbol {
        Symbol {
            name: String::new(),
            name_offset: Some(0),
            binding: SymbolBinding::LOCAL,
            symbol_type: SymbolType::NOTYPE,
            other: SymbolOther(0),
            section: SymbolSection::Undefined,
            value: 0,
            size: 0,
        }
    }

    /// Whether this is a kernel entry.
    pub fn is_entry(&self) -> bool {
        self.symbol_type == SymbolType::FUNC && self.other.is_entry()
    }
}
