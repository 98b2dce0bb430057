//! The ELF header's CUDA facts: ABI version and `e_flags`.

use std::fmt;

/// `e_machine` of CUDA ELF files.
pub const EM_CUDA: u16 = 190;
/// `EI_OSABI` that nvcc 13 writes.
pub const ELFOSABI_CUDA: u8 = 0x41;
/// `EI_ABIVERSION` that nvcc 13 writes.
pub const ELFABIVERSION_CUDA_V8: u8 = 8;

/// `e_type`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FileType {
    /// `ET_REL` (1): output of `ptxas -c`.
    Relocatable,
    /// `ET_EXEC` (2): a loadable image.
    Executable,
    /// Any other value.
    Other(u16),
}

impl FileType {
    /// From the value of `e_type`.
    pub fn from_number(number: u16) -> Self {
        match number {
            1 => FileType::Relocatable,
            2 => FileType::Executable,
            other => FileType::Other(other),
        }
    }

    /// The value of `e_type`.
    pub fn number(self) -> u16 {
        match self {
            FileType::Relocatable => 1,
            FileType::Executable => 2,
            FileType::Other(other) => other,
        }
    }

    /// The ELF name, as nvdisasm prints it after `.elftype`.
    pub fn name(self) -> Option<&'static str> {
        match self {
            FileType::Relocatable => Some("ET_REL"),
            FileType::Executable => Some("ET_EXEC"),
            FileType::Other(_) => None,
        }
    }
}

/// What a cubin's ELF header holds beyond the sizes and offsets that are derived.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// `EI_OSABI`.
    pub os_abi: u8,
    /// `EI_ABIVERSION`.
    pub abi_version: u8,
    /// `e_type`.
    pub file_type: FileType,
    /// `e_version`: 1 for CUDA 13; older toolkits put their release there.
    pub version: u32,
    /// `e_entry`.
    pub entry: u64,
    /// `e_flags`.
    pub flags: Flags,
    /// `e_phentsize`: 56, or 0 in relocatable files for sm_90 and up, which have no program headers.
    pub segment_header_size: u16,
    /// `e_shstrndx`: index of the section that holds the section names.
    pub section_names: u32,
}

/// `e_flags`.
///
/// | bits | ABI version 8 | before (ABI version 7) |
/// |---|---|---|
/// | 0 | the code is Mercury only ([`Flags::MERCURY`]) | bits 0 to 7: SM number |
/// | 1 | SASS with a Mercury capsule ([`Flags::CAPSULE`]): sm_100 and up | |
/// | 2 | SASS alone ([`Flags::SASS`]): up to sm_90; from sm_100 on what nvlink makes of objects without capsules | |
/// | 8 to 23 | SM number, without the suffix | bits 8, 10: 64-bit addresses; bits 16 to 23: virtual SM |
/// | 24 to 31 | number of leading sections ([`Flags::leading_sections`]) | |
///
/// The last column is public knowledge of older toolkits, not observed here. ABI version 8: ptxas 13.0 (11,208 files, all SMs), cuobjdump 13.1 (which prints the SM number, and refuses a file in
/// which the count is wrong) and nvdisasm 13.5 (which refuses bit 0) on files with each bit flipped. The `a`
/// suffix is not here but in `.nv.compat`; the `f` suffix is nowhere in the file.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Flags(pub u32);

impl Flags {
    /// Bit 0: the code is Mercury, not SASS.
    pub const MERCURY: u32 = 1;
    /// Bit 1: SASS, with a Mercury capsule beside it.
    pub const CAPSULE: u32 = 2;
    /// Bit 2: SASS alone.
    pub const SASS: u32 = 4;

    /// The SM number (e.g. 90): bits 8 to 23 with ABI version 8, bits 0 to 7 before.
    pub fn sm_number(self, abi_version: u8) -> u32 {
        if abi_version >= ELFABIVERSION_CUDA_V8 {
            self.0 >> 8 & 0xffff
        } else {
            self.0 & 0xff
        }
    }

    /// These flags for a file without capsules: [`Flags::SASS`] in place of [`Flags::CAPSULE`]. nvlink 13.0 writes the same for sm_100 and up where an
    /// input is without.
    #[must_use]
    pub fn without_capsule(self) -> Flags {
        Flags(self.0 & !Flags::CAPSULE | Flags::SASS)
    }

    /// Bits 24 to 31: how many sections (the null section not counted) stand before the first one that has a CUDA
    /// type or holds relocations: the string tables, the symbol table, debug sections and notes.
    pub fn leading_sections(self) -> u8 {
        (self.0 >> 24) as u8
    }

    /// These flags with another number of leading sections.
    #[must_use]
    pub fn with_leading_sections(self, count: u8) -> Flags {
        Flags(self.0 & 0x00ff_ffff | u32::from(count) << 24)
    }
}

impl fmt::Debug for Flags {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Flags({:#x})", self.0)
    }
}
