//! Fatbins: files that hold the images of one program for several targets.
//!
//! **What enters**: images (cubins, PTX texts) with their targets; or the bytes of a fatbin, or of a host object whose
//! sections carry fatbins.
//!
//! **What leaves**: the bytes of a fatbin; or the images, decompressed.
//!
//! The format, as fatbinary 13.0 writes it: a header of 16 bytes (magic `50 ed 55 ba`, version, size of the header, size of
//! all that follows), then entries. An entry is a header of 64 bytes, then the identifier, then for PTX the options that ptxas
//! is to have, each padded to 8 bytes, then the payload, padded to 8 bytes. The fields of the header are in [`mod@write`], one row each.

mod host;
mod read;
mod write;

use warpsmith_target::Sm;

pub use host::{HostFatbin, Members, linked_modules, members_of_archive, of_host_object};
pub use read::{Entry, entries, read};
pub use write::write;

/// The first bytes of a fatbin.
pub const MAGIC: [u8; 4] = [0x50, 0xed, 0x55, 0xba];

/// Bytes of the file's header.
const FILE_HEADER: usize = 16;

/// Bytes of an entry's header without identifier and options.
const ENTRY_HEADER: usize = 64;

/// What every part begins on and is padded to, in bytes.
const ALIGNMENT: usize = 8;

/// What an image is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImageKind {
    /// PTX text.
    Ptx,
    /// A cubin.
    Elf,
    /// NVVM IR for link-time optimisation.
    Nvvm,
    /// A kind that is known by its number alone.
    Other(u16),
}

/// The numbers of the kinds. Observed: 1 and 2 in nvcc's files, 8 in those of `nvcc -dlto`.
#[rustfmt::skip]
const KINDS: &[(u16, ImageKind)] = &[
    (1, ImageKind::Ptx),
    (2, ImageKind::Elf),
    (8, ImageKind::Nvvm),
];

impl ImageKind {
    fn from_number(number: u16) -> ImageKind {
        let row = KINDS.iter().find(|row| row.0 == number);
        row.map_or(ImageKind::Other(number), |row| row.1)
    }

    fn number(self) -> u16 {
        match self {
            ImageKind::Other(number) => number,
            ImageKind::Ptx | ImageKind::Elf | ImageKind::Nvvm => {
                KINDS.iter().find(|row| row.1 == self).map_or(0, |row| row.0)
            }
        }
    }
}

/// How a payload is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compression {
    /// As it is.
    None,
    /// An LZ4 block, the default of CUDA 12.
    Lz4,
    /// A Zstandard frame, the default of CUDA 13.
    Zstandard,
}

/// The suffix of an image's target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TargetSuffix {
    /// None.
    Plain,
    /// `a`: the features of this one target.
    Accelerated,
    /// `f`: the features of the target's family.
    Family,
}

impl TargetSuffix {
    /// The letter behind the number.
    pub const fn letter(self) -> &'static str {
        match self {
            TargetSuffix::Plain => "",
            TargetSuffix::Accelerated => "a",
            TargetSuffix::Family => "f",
        }
    }
}

/// One image of a fatbin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// What it is.
    pub kind: ImageKind,
    /// Major and minor version of its format: PTX's version; of a cubin the ELF version and the ABI version.
    pub version: (u16, u16),
    /// The number of the target, `90` for sm_90.
    pub sm: u32,
    /// The suffix of the target.
    pub suffix: TargetSuffix,
    /// The name that it was given (`fatbinary --ident`), often of the source; empty without one.
    pub identifier: String,
    /// The options that ptxas is to have for PTX (`fatbinary --cmdline`).
    pub options: String,
    /// Whether it was compiled for a debugger.
    pub debug: bool,
    /// How it is stored.
    pub compression: Compression,
    /// The image itself, decompressed; PTX may end with zero bytes.
    pub bytes: Vec<u8>,
}

impl Image {
    /// A cubin; stored as it is, as fatbinary does.
    pub fn elf(sm: Sm, bytes: Vec<u8>) -> Image {
        let version = match *bytes {
            [_, _, _, _, _, _, version, _, abi_version, ..] => (u16::from(version), u16::from(abi_version)),
            _ => (1, 0),
        };
        Image::new(ImageKind::Elf, version, sm, Compression::None, bytes)
    }

    /// A PTX text of this version; compressed and ended with a zero byte, as fatbinary does.
    pub fn ptx(sm: Sm, version: (u16, u16), mut text: Vec<u8>) -> Image {
        if text.last() != Some(&0) {
            text.push(0);
        }
        Image::new(ImageKind::Ptx, version, sm, Compression::Zstandard, text)
    }

    fn new(kind: ImageKind, version: (u16, u16), sm: Sm, compression: Compression, bytes: Vec<u8>) -> Image {
        let name = sm.to_string();
        let digits = name.trim_start_matches(|c: char| !c.is_ascii_digit());
        let suffix = match digits.as_bytes().last() {
            Some(b'a') => TargetSuffix::Accelerated,
            Some(b'f') => TargetSuffix::Family,
            _ => TargetSuffix::Plain,
        };
        Image {
            kind,
            version,
            sm: digits.trim_end_matches(['a', 'f']).parse().unwrap_or(0),
            suffix,
            identifier: String::new(),
            options: String::new(),
            debug: false,
            compression,
            bytes,
        }
    }

    /// The target's name, `sm_90a`.
    pub fn target(&self) -> String {
        format!("sm_{}{}", self.sm, self.suffix.letter())
    }

    /// A PTX image's text without the zero bytes that end it.
    pub fn text(&self) -> &[u8] {
        let end = self
            .bytes
            .iter()
            .rposition(|&byte| byte != 0)
            .map_or(0, |last| last + 1);
        &self.bytes[..end]
    }
}

/// The bits of an entry's flags. Observed by giving fatbinary one option at a time.
#[rustfmt::skip]
mod flag {
    /// Addresses of 64 bits.
    pub(super) const WIDE: u64        = 1 << 0;
    /// Compiled for a debugger.
    pub(super) const DEBUG: u64       = 1 << 1;
    /// Made on Linux.
    pub(super) const LINUX: u64       = 1 << 4;
    /// The payload is an LZ4 block.
    pub(super) const LZ4: u64         = 1 << 13;
    /// The payload is a Zstandard frame.
    pub(super) const ZSTANDARD: u64   = 1 << 15;
    /// The target's suffix is `a`.
    pub(super) const ACCELERATED: u64 = 1 << 20;
    /// The target's suffix is `f`.
    pub(super) const FAMILY: u64      = 1 << 21;
}
