//! What a file is that is no cubin.

use crate::header::EM_CUDA;

/// What a file of bytes is, as its first ones say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Container {
    /// An ELF file of CUDA's machine.
    Cubin,
    /// A fatbin, by itself or wrapped.
    Fatbin,
    /// An object, library or program of a host.
    Host,
    /// LLVM's or NVVM's IR as bytes.
    Bitcode,
    /// Data that has to be decompressed first.
    Compressed,
}

/// What a file of bytes is; `None` for text, and for what is not known.
pub fn container(bytes: &[u8]) -> Option<Container> {
    /// Where an ELF header has its machine, of two bytes.
    const MACHINE: core::ops::Range<usize> = 18..20;
    if bytes.starts_with(b"\x7fELF") {
        return Some(match bytes.get(MACHINE) == Some(&EM_CUDA.to_le_bytes()[..]) {
            true => Container::Cubin,
            false => Container::Host,
        });
    }
    let row = MAGICS.iter().find(|row| bytes.starts_with(row.magic));
    row.map(|row| row.container)
}

/// Names a file that is certainly no ELF file at all; `None` for anything that begins like ELF.
pub fn not_a_cubin(bytes: &[u8]) -> Option<String> {
    if bytes.starts_with(b"\x7fELF") {
        return None;
    }
    let found = MAGICS
        .iter()
        .find(|row| bytes.starts_with(row.magic))
        .map(|row| row.meaning);
    Some(match found {
        Some(meaning) => format!("is {meaning}, not a cubin"),
        None if bytes.is_empty() => "is empty".into(),
        None if looks_like_ptx(bytes) => "is PTX text, not a cubin: compile it first".into(),
        None => "does not begin with the ELF magic 7f 45 4c 46".into(),
    })
}

/// The first bytes of a kind of file.
struct Magic {
    magic: &'static [u8],
    container: Container,
    meaning: &'static str,
}

#[rustfmt::skip]
const MAGICS: &[Magic] = &[
    Magic { magic: &[0x50, 0xed, 0x55, 0xba],       container: Container::Fatbin,      meaning: "a fatbin (extract a cubin from it first)" },
    Magic { magic: &[0xb1, 0x43, 0x62, 0x46],       container: Container::Fatbin,      meaning: "a fatbin wrapper (extract a cubin from it first)" },
    Magic { magic: &[0xed, 0x43, 0x4e, 0x7f],       container: Container::Bitcode,     meaning: "NVVM IR for link-time optimisation" },
    Magic { magic: b"!<arch>\n",                    container: Container::Host,        meaning: "an archive (extract a member first)" },
    Magic { magic: b"BC\xc0\xde",                   container: Container::Bitcode,     meaning: "LLVM bitcode" },
    Magic { magic: b"\xde\xc0\x17\x0b",             container: Container::Bitcode,     meaning: "wrapped LLVM bitcode" },
    Magic { magic: b"MZ",                           container: Container::Host,        meaning: "a Windows executable" },
    Magic { magic: &[0xcf, 0xfa, 0xed, 0xfe],       container: Container::Host,        meaning: "a Mach-O file" },
    Magic { magic: &[0x64, 0x86],                   container: Container::Host,        meaning: "a Windows object file" },
    Magic { magic: &[0x1f, 0x8b],                   container: Container::Compressed,  meaning: "gzip-compressed data" },
    Magic { magic: &[0x28, 0xb5, 0x2f, 0xfd],       container: Container::Compressed,  meaning: "Zstandard-compressed data" },
];

fn looks_like_ptx(bytes: &[u8]) -> bool {
    let head = &bytes[..bytes.len().min(4096)];
    head.iter()
        .all(|&byte| byte == b'\n' || byte == b'\r' || byte == b'\t' || (32..127).contains(&byte))
        && head.windows(8).any(|window| window == b".version")
}

/// What an ELF file of another machine probably is.
pub fn machine_hint(machine: u16) -> &'static str {
    match machine {
        3 | 20 | 21 | 22 | 40 | 62 | 183 | 243 => {
            "a host object, which may carry cubins in its .nv_fatbin section (extract one first)"
        }
        224 => "an AMD GPU object",
        _ => "not a CUDA file",
    }
}
