//! Section types (`sh_type`).
//!
//! Observed: `nvdisasm` 13.5 (the name after the flags of `.section`) and `cuobjdump -elf` 13.1 on files with
//! this section type, for every number from 0x70000000 to 0x700000ff. The names of the Mercury types, which
//! both tools leave unnamed, describe the sections in which ptxas 13.0 puts them.

use std::fmt;

use crate::section_flag::SectionFlags;

/// `sh_type` of a section.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct SectionType(pub u32);

/// How a section's content is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SectionShape {
    /// The null section.
    Null,
    /// Bytes.
    Bytes,
    /// No bytes in the file.
    NoBits,
    /// A string table.
    Strings,
    /// A symbol table.
    Symbols,
    /// Relocation entries.
    Relocations {
        /// Whether each entry has an addend.
        with_addend: bool,
    },
}

/// One section type.
#[derive(Clone, Copy, Debug)]
pub struct SectionTypeRow {
    /// `sh_type`.
    pub number: u32,
    /// The name.
    pub name: &'static str,
    /// How nvdisasm writes it after the flags of `.section`; `None` where nvdisasm has no name for it
    /// (it then writes `@"unrecognized:` and the number, or leaves the section out).
    pub listing: Option<&'static str>,
    /// How the content is stored.
    pub shape: SectionShape,
    /// What such a section holds.
    pub purpose: &'static str,
}

const fn row(
    number: u32,
    name: &'static str,
    listing: Option<&'static str>,
    shape: SectionShape,
    purpose: &'static str,
) -> SectionTypeRow {
    SectionTypeRow {
        number,
        name,
        listing,
        shape,
        purpose,
    }
}

use SectionShape::{Bytes, NoBits, Null, Relocations, Strings, Symbols};

const REL: SectionShape = Relocations { with_addend: false };
const RELA: SectionShape = Relocations { with_addend: true };

/// All section types that occur in cubins, by number.
#[rustfmt::skip]
pub const SECTION_TYPES: &[SectionTypeRow] = &[
    row(0,           "SHT_NULL",                     None,                                 Null,    "the null section"),
    row(1,           "SHT_PROGBITS",                 Some("@progbits"),                    Bytes,   "code, data, debug information"),
    row(2,           "SHT_SYMTAB",                   None,                                 Symbols, "the symbol table"),
    row(3,           "SHT_STRTAB",                   None,                                 Strings, "a string table"),
    row(4,           "SHT_RELA",                     None,                                 RELA,    "relocations with addends"),
    row(7,           "SHT_NOTE",                     Some("@\"SHT_NOTE\""),                Bytes,   "notes"),
    row(8,           "SHT_NOBITS",                   Some("@nobits"),                      NoBits,  "memory without initial content"),
    row(9,           "SHT_REL",                      None,                                 REL,     "relocations without addends"),
    row(18,          "SHT_SYMTAB_SHNDX",             None,                                 Bytes,   "section indices beyond 0xfeff, one word per symbol"),
    row(0x7000_0000, "SHT_CUDA_INFO",                Some("@\"SHT_CUDA_INFO\""),           Bytes,   ".nv.info: attributes of the module or of a function"),
    row(0x7000_0001, "SHT_CUDA_CALLGRAPH",           Some("@\"SHT_CUDA_CALLGRAPH\""),      Bytes,   ".nv.callgraph: pairs of symbol indices"),
    row(0x7000_0002, "SHT_CUDA_PROTOTYPE",           Some("@\"SHT_CUDA_PROTOTYPE\""),      Bytes,   ".nv.prototype: pairs of symbol index and string offset"),
    row(0x7000_0003, "SHT_CUDA_RESOLVED_RELA",       None,                                 RELA,    "relocations that the linker applied"),
    row(0x7000_0004, "SHT_CUDA_METADATA",            Some("@\"SHT_CUDA_METADATA\""),       Bytes,   "metadata"),
    row(0x7000_0006, "SHT_CUDA_CONSTANT",            Some("@\"SHT_CUDA_CONSTANT\""),       Bytes,   "a constant bank"),
    row(0x7000_0007, "SHT_CUDA_GLOBAL",              Some("@\"SHT_CUDA_GLOBAL\""),         NoBits,  "global memory without initial content (relocatable files)"),
    row(0x7000_0008, "SHT_CUDA_GLOBAL_INIT",         Some("@\"SHT_CUDA_GLOBAL_INIT\""),    Bytes,   "global memory with initial content (relocatable files)"),
    row(0x7000_0009, "SHT_CUDA_LOCAL",               Some("@\"SHT_CUDA_LOCAL\""),          NoBits,  "local memory"),
    row(0x7000_000a, "SHT_CUDA_SHARED",              Some("@\"SHT_CUDA_SHARED\""),         NoBits,  "shared memory (relocatable files)"),
    row(0x7000_000b, "SHT_CUDA_RELOCINFO",           Some("@\"SHT_CUDA_RELOCINFO\""),      Bytes,   ".nv.rel.action: what to do for each relocation type"),
    row(0x7000_000e, "SHT_CUDA_UFT",                 Some("@\"SHT_CUDA_UFT\""),            Bytes,   "unified function table"),
    row(0x7000_0010, "SHT_CUDA_UFT_INDEX",           Some("@\"SHT_CUDA_UFT_INDEX\""),      Bytes,   "index of the unified function table"),
    row(0x7000_0011, "SHT_CUDA_UFT_ENTRY",           Some("@\"SHT_CUDA_UFT_ENTRY\""),      Bytes,   "entries of the unified function table"),
    row(0x7000_0012, "SHT_CUDA_UDT",                 Some("@\"SHT_CUDA_UDT\""),            Bytes,   "unified data table"),
    row(0x7000_0014, "SHT_CUDA_UDT_ENTRY",           Some("@\"SHT_CUDA_UDT_ENTRY\""),      Bytes,   "entries of the unified data table"),
    row(0x7000_0015, "SHT_CUDA_RESERVED_SHARED",     Some("@\"SHT_CUDA_RESERVED_SHARED\""), NoBits, "shared memory that the system reserves"),
    row(0x7000_0016, "SHT_CUDA_CAPMERC",             None,                                 Bytes,   ".nv.capmerc.text.*: the Mercury capsule of a function"),
    row(0x7000_0064, "SHT_CUDA_CONSTANT_B0",         Some("@\"SHT_CUDA_CONSTANT_B0\""),    Bytes,   "constant bank 0 (relocatable files)"),
    row(0x7000_0065, "SHT_CUDA_CONSTANT_B1",         Some("@\"SHT_CUDA_CONSTANT_B1\""),    Bytes,   "constant bank 1 (relocatable files)"),
    row(0x7000_0066, "SHT_CUDA_CONSTANT_B2",         Some("@\"SHT_CUDA_CONSTANT_B2\""),    Bytes,   "constant bank 2 (relocatable files)"),
    row(0x7000_0067, "SHT_CUDA_CONSTANT_B3",         Some("@\"SHT_CUDA_CONSTANT_B3\""),    Bytes,   "constant bank 3 (relocatable files)"),
    row(0x7000_0068, "SHT_CUDA_CONSTANT_B4",         Some("@\"SHT_CUDA_CONSTANT_B4\""),    Bytes,   "constant bank 4 (relocatable files)"),
    row(0x7000_0069, "SHT_CUDA_CONSTANT_B5",         Some("@\"SHT_CUDA_CONSTANT_B5\""),    Bytes,   "constant bank 5 (relocatable files)"),
    row(0x7000_006a, "SHT_CUDA_CONSTANT_B6",         Some("@\"SHT_CUDA_CONSTANT_B6\""),    Bytes,   "constant bank 6 (relocatable files)"),
    row(0x7000_006b, "SHT_CUDA_CONSTANT_B7",         Some("@\"SHT_CUDA_CONSTANT_B7\""),    Bytes,   "constant bank 7 (relocatable files)"),
    row(0x7000_0079, "SHT_CUDA_MERC_CONSTANT_IMAGE_HEADERS", None,                         Bytes,   ".nv.merc.nv.constant.entry_image_header_indices"),
    row(0x7000_007c, "SHT_CUDA_MERC_CONSTANT_USER",  None,                                 Bytes,   ".nv.merc.nv.constant.user"),
    row(0x7000_007d, "SHT_CUDA_MERC_CONSTANT_PIC",   None,                                 Bytes,   ".nv.merc.nv.constant.pic"),
    row(0x7000_0082, "SHT_CUDA_MERC_RELA",           None,                                 RELA,    "relocations of the Mercury twin"),
    row(0x7000_0083, "SHT_CUDA_MERC_INFO",           None,                                 Bytes,   ".nv.merc.nv.info: attributes for the Mercury twin"),
    row(0x7000_0084, "SHT_CUDA_MERC_CONSTANT_OPTIMIZER", None,                             Bytes,   ".nv.merc.nv.constant.optimizer.*"),
    row(0x7000_0085, "SHT_CUDA_MERC_SYMTAB",         None,                                 Symbols, "the symbol table of the Mercury twin"),
    row(0x7000_0086, "SHT_CUDA_COMPAT_INFO",         Some("@\"SHT_CUDA_COMPAT_INFO\""),    Bytes,   ".nv.compat: what the code needs of its target"),
    row(0x7000_0087, "SHT_CUDA_EMBEDDED_HOST",       Some("@\"SHT_CUDA_EMBEDDED_HOST\""),  Bytes,   "host code embedded in the file"),
    row(0x7000_0089, "SHT_CUDA_METADATA_TRACE_MARK", Some("@\"SHT_CUDA_METADATA_TRACE_MARK\""), Bytes, "marks for tracing"),
];

impl SectionType {
    /// `SHT_NULL`.
    pub const NULL: SectionType = SectionType(0);
    /// `SHT_PROGBITS`.
    pub const PROGBITS: SectionType = SectionType(1);
    /// `SHT_SYMTAB`.
    pub const SYMTAB: SectionType = SectionType(2);
    /// `SHT_STRTAB`.
    pub const STRTAB: SectionType = SectionType(3);
    /// `SHT_RELA`.
    pub const RELA: SectionType = SectionType(4);
    /// `SHT_NOTE`.
    pub const NOTE: SectionType = SectionType(7);
    /// `SHT_NOBITS`.
    pub const NOBITS: SectionType = SectionType(8);
    /// `SHT_REL`.
    pub const REL: SectionType = SectionType(9);
    /// `SHT_SYMTAB_SHNDX`.
    pub const SYMTAB_SHNDX: SectionType = SectionType(18);
    /// `SHT_CUDA_INFO`.
    pub const CUDA_INFO: SectionType = SectionType(0x7000_0000);

    /// The type's row in [`SECTION_TYPES`].
    pub fn row(self) -> Option<&'static SectionTypeRow> {
        let at = SECTION_TYPES.binary_search_by_key(&self.0, |row| row.number).ok()?;
        Some(&SECTION_TYPES[at])
    }

    /// The name, e.g. `SHT_CUDA_INFO`; `None` where the type has none.
    pub fn name(self) -> Option<&'static str> {
        self.row().map(|row| row.name)
    }

    /// The type of this name.
    pub fn from_name(name: &str) -> Option<SectionType> {
        SECTION_TYPES
            .iter()
            .find(|row| row.name == name)
            .map(|row| SectionType(row.number))
    }

    /// How the content of a section of this type and these flags is stored; an unknown type is bytes.
    pub fn shape(self, flags: SectionFlags) -> SectionShape {
        match self.row().map_or(Bytes, |row| row.shape) {
            // Observed: `.nv.merc.nv.shared.reserved.0` takes its size in the file, unlike its original.
            NoBits if flags.contains(SectionFlags::MERCURY) => Bytes,
            shape => shape,
        }
    }
}

impl fmt::Debug for SectionType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "SectionType({:#x})", self.0),
        }
    }
}
