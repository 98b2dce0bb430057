//! Section flags (`sh_flags`).
//!
//! Observed: nvdisasm 13.5 (`.section` letters and `.sectionflags`) on files with each bit set, and the sections in
//! which ptxas 13.0 sets them.

use std::fmt;
use std::ops::BitOr;

/// `sh_flags` of a section.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct SectionFlags(pub u64);

/// One flag or field of `sh_flags`.
#[derive(Clone, Copy, Debug)]
pub struct SectionFlagRow {
    /// The bits.
    pub mask: u64,
    /// The name.
    pub name: &'static str,
    /// The letter in nvdisasm's `.section` line; `None` where it has none.
    pub letter: Option<char>,
    /// What it means.
    pub meaning: &'static str,
}

const fn row(mask: u64, name: &'static str, letter: Option<char>, meaning: &'static str) -> SectionFlagRow {
    SectionFlagRow {
        mask,
        name,
        letter,
        meaning,
    }
}

/// The flags that occur in cubins.
#[rustfmt::skip]
pub const SECTION_FLAGS: &[SectionFlagRow] = &[
    row(0x0000_0002, "SHF_ALLOC",          Some('a'), "takes memory at run time"),
    row(0x0000_0001, "SHF_WRITE",          Some('w'), "can be written"),
    row(0x0000_0004, "SHF_EXECINSTR",      Some('x'), "holds code"),
    row(0x0000_0400, "SHF_TLS",            Some('T'), "thread-local"),
    row(0x0000_0040, "SHF_INFO_LINK",      None,      "sh_info is a section index"),
    row(0x07f0_0000, "SHF_BARRIERS",       None,      "hardware barriers that the function uses; not in notes"),
    row(0x0100_0000, "SHF_NOTE_NV_CUINFO", None,      "the note is .note.nv.cuinfo; notes only"),
    row(0x0200_0000, "SHF_NOTE_NV_TKINFO", None,      "the note is .note.nv.tkinfo; notes only"),
    row(0x1000_0000, "SHF_MERCURY",        None,      "belongs to the Mercury twin of the module"),
];

impl SectionFlags {
    /// `SHF_WRITE`.
    pub const WRITE: SectionFlags = SectionFlags(1);
    /// `SHF_ALLOC`.
    pub const ALLOC: SectionFlags = SectionFlags(2);
    /// `SHF_EXECINSTR`.
    pub const EXECINSTR: SectionFlags = SectionFlags(4);
    /// `SHF_INFO_LINK`: `sh_info` holds a section index.
    pub const INFO_LINK: SectionFlags = SectionFlags(0x40);
    /// `SHF_NOTE_NV_CUINFO`, in notes.
    pub const NOTE_CUINFO: SectionFlags = SectionFlags(0x0100_0000);
    /// `SHF_NOTE_NV_TKINFO`, in notes.
    pub const NOTE_TKINFO: SectionFlags = SectionFlags(0x0200_0000);
    /// Bit 28: the section belongs to the Mercury twin of the module (`.nv.merc.*`, `.nv.capmerc.*`).
    pub const MERCURY: SectionFlags = SectionFlags(0x1000_0000);

    /// Whether all bits of `other` are set.
    pub fn contains(self, other: SectionFlags) -> bool {
        self.0 & other.0 == other.0
    }

    /// Bits 20 to 26 of a code section: number of hardware barriers that the function uses.
    pub fn barriers(self) -> u32 {
        (self.0 >> 20 & 0x7f) as u32
    }

    /// The letters of nvdisasm's `.section` line, e.g. `awx`.
    pub fn letters(self) -> String {
        let set = SECTION_FLAGS.iter().filter(|row| self.0 & row.mask != 0);
        set.filter_map(|row| row.letter).collect()
    }
}

impl BitOr for SectionFlags {
    type Output = SectionFlags;

    fn bitor(self, other: SectionFlags) -> SectionFlags {
        SectionFlags(self.0 | other.0)
    }
}

impl fmt::Debug for SectionFlags {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SectionFlags({:#x})", self.0)
    }
}
