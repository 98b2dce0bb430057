//! Modules as programs hand them over: an address, and no length.

use warpsmith_cubin::{
    Cubin,
    fatbin::{self, Image, ImageKind, TargetSuffix},
};
use warpsmith_target::Sm;

use crate::result::{Code, Failed};

/// Sizes in the headers of a 64-bit ELF file (System V ABI, chapters 4 and 5).
pub(crate) const FILE_HEADER: usize = 64;
const SECTION_HEADER: u64 = 64;
const PROGRAM_HEADER: u64 = 56;
/// The type of a section without bytes in the file.
const NO_BITS: u64 = 8;

/// What the first bytes of an image say that it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Cubin,
    Fatbin,
    Ptx,
}

impl Kind {
    /// Of the first four bytes.
    pub(crate) fn of(start: [u8; 4]) -> Kind {
        match start {
            [0x7f, b'E', b'L', b'F'] => Kind::Cubin,
            [0x50, 0xed, 0x55, 0xba] => Kind::Fatbin,
            _ => Kind::Ptx,
        }
    }
}

/// Where the tables of headers of an ELF file end, by its first bytes; `None`: it has none of this kind.
pub(crate) fn end_of_tables(header: &[u8; FILE_HEADER]) -> Option<u64> {
    let sections = number(header, 40, 8)?.checked_add(number(header, 60, 2)? * SECTION_HEADER)?;
    let segments = number(header, 32, 8)?.checked_add(number(header, 56, 2)? * PROGRAM_HEADER)?;
    let sizes_fit = number(header, 58, 2)? == SECTION_HEADER && header[4..6] == [2, 1];
    sizes_fit.then_some(sections.max(segments).max(FILE_HEADER as u64))
}

/// Where an ELF file ends, by its bytes up to the end of its tables.
pub(crate) fn end(bytes: &[u8]) -> Option<u64> {
    let mut end = bytes.len() as u64;
    for index in 0..number(bytes, 60, 2)? {
        let at = usize::try_from(number(bytes, 40, 8)?.checked_add(index * SECTION_HEADER)?).ok()?;
        if number(bytes, at + 4, 4)? != NO_BITS {
            end = end.max(number(bytes, at + 24, 8)?.checked_add(number(bytes, at + 32, 8)?)?);
        }
    }
    Some(end)
}

/// A little-endian number of so many bytes, at most 8.
fn number(bytes: &[u8], at: usize, size: usize) -> Option<u64> {
    let bytes = bytes.get(at..at.checked_add(size)?)?;
    Some(bytes.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte)))
}

/// Bytes of a fatbin, by its first ones: those of its header and those behind.
pub(crate) fn size_of_fatbin(header: &[u8; 16]) -> u64 {
    let header_size = number(header, 6, 2).unwrap_or(0);
    header_size.saturating_add(number(header, 8, 8).unwrap_or(0))
}

/// The cubin of an image of which all bytes are known.
pub(crate) fn of_bytes(bytes: &[u8], sm: Sm) -> Result<Cubin, Failed> {
    let Some(start) = bytes.first_chunk::<4>() else {
        return Err(Failed::new(Code::InvalidImage, "the image has no four bytes"));
    };
    match Kind::of(*start) {
        Kind::Cubin => cubin(bytes),
        Kind::Fatbin => chosen(bytes, sm),
        Kind::Ptx => compiled(bytes, sm),
    }
}

/// The pieces of memory that the process can read: start, end, and whether it can write them.
fn pieces() -> Option<Vec<(u64, u64, bool)>> {
    let text = std::fs::read_to_string("/proc/self/maps").ok()?;
    let piece = |line: &str| {
        let (range, rest) = line.split_once(' ')?;
        let (start, end) = range.split_once('-')?;
        if !rest.starts_with('r') {
            return None;
        }
        Some((
            u64::from_str_radix(start, 16).ok()?,
            u64::from_str_radix(end, 16).ok()?,
            rest[1..].starts_with('w'),
        ))
    };
    Some(text.lines().filter_map(piece).collect())
}

/// Bytes that can be read from an address on, up to a gap. Where the system does not say, as many as an image may have.
pub(crate) fn mapped_from(address: u64) -> u64 {
    const LARGEST: u64 = 1 << 32;
    let Some(pieces) = pieces() else { return LARGEST };
    let mut end = address;
    for (start, next, _) in pieces {
        if start <= end && end < next {
            end = next;
        }
    }
    end - address
}

/// Whether the process can read and write all from one address to another. Where the system does not say, it is believed.
pub(crate) fn is_mapped(from: u64, to: u64) -> bool {
    let Some(pieces) = pieces() else { return true };
    let mut end = from;
    for (start, next, writable) in pieces {
        if start <= end && end < next && writable {
            end = next;
        }
    }
    end >= to
}

/// What a fatbin has for the device: a cubin, or PTX, which is compiled. With `CUDA_FORCE_PTX_JIT=1` PTX alone counts, as for the real driver.
pub(crate) fn chosen(bytes: &[u8], sm: Sm) -> Result<Cubin, Failed> {
    let damaged = |error| Failed::new(Code::InvalidImage, error);
    // Only the one that is taken is decompressed.
    let (entries, _) = fatbin::entries(bytes).map_err(damaged)?;
    let forced = std::env::var("CUDA_FORCE_PTX_JIT").is_ok_and(|value| value == "1");
    let runs = |image: &&Image| image.target().parse::<Sm>().is_ok_and(|target| target.can_run_on(sm));
    // PTX without a suffix is for all later SMs, too.
    let is_older = |image: &&Image| image.suffix == TargetSuffix::Plain && image.sm <= u32::from(sm.info().number);
    let first = |wanted: &dyn Fn(&&Image) -> bool| entries.iter().find(|entry| wanted(&entry.head()));
    let ready = first(&|image| image.kind == ImageKind::Elf && !forced && runs(image));
    let text = first(&|image| image.kind == ImageKind::Ptx && (runs(image) || is_older(image)));
    match (ready, text) {
        (Some(entry), _) => cubin(&entry.image().map_err(damaged)?.bytes),
        (None, Some(entry)) => compiled(entry.image().map_err(damaged)?.text(), sm),
        (None, None) => Err(Failed::new(Code::NoBinary, format!("the fatbin has nothing for {sm}"))),
    }
}

/// The cubin in these bytes.
pub(crate) fn cubin(bytes: &[u8]) -> Result<Cubin, Failed> {
    Cubin::read(bytes).map_err(|error| Failed::new(Code::InvalidImage, error))
}

/// How LTO-IR begins.
const LTO_IR: &[u8] = b"Warpsmith LTO-IR ";

/// What PTX becomes on the device.
pub(crate) fn compiled(text: &[u8], sm: Sm) -> Result<Cubin, Failed> {
    if text.starts_with(LTO_IR) {
        let reason = "an image of LTO-IR is not loaded: link it first (nvJitLink)";
        return Err(Failed::new(Code::InvalidImage, reason));
    }
    // A file may hold the zero byte that ends a text.
    let end = text.iter().position(|byte| *byte == 0).unwrap_or(text.len());
    let text = &text[..end];
    let parsed = warpsmith_ptx::parse(text);
    let errors = parsed
        .problems
        .iter()
        .filter(|problem| problem.severity != warpsmith_ptx::Severity::Warning);
    if let Some(problem) = errors.into_iter().next() {
        return Err(Failed::new(Code::InvalidPtx, &problem.message));
    }
    warpsmith_ori::compile(&parsed.module, sm).map_err(|errors| {
        let reason = errors.first().map_or_else(String::new, ToString::to_string);
        Failed::new(Code::InvalidPtx, reason)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_bytes_tell_what_it_is() {
        assert_eq!(Kind::of(*b"\x7fELF"), Kind::Cubin);
        assert_eq!(Kind::of(0xba55_ed50_u32.to_le_bytes()), Kind::Fatbin);
        assert_eq!(Kind::of(*b".ver"), Kind::Ptx);
    }

    #[test]
    fn a_text_ends_with_its_zero_byte() {
        let text = b".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k() { ret; }\n\0rest";
        assert!(of_bytes(text, Sm::Sm90).is_ok());
        let failed = of_bytes(b"Warpsmith LTO-IR 1 sm_90\n", Sm::Sm90).expect_err("it is not linked");
        assert!(failed.reason.contains("nvJitLink"), "{}", failed.reason);
    }

    /// A file with the tables at byte 64 and one section of this type, place and size.
    #[test]
    fn a_file_ends_where_its_last_section_does() {
        let mut bytes = [0_u8; 128];
        bytes[..6].copy_from_slice(b"\x7fELF\x02\x01");
        (bytes[40], bytes[58], bytes[60]) = (64, 64, 1);
        (bytes[68], bytes[88], bytes[96]) = (1, 200, 8);
        let header = bytes[..FILE_HEADER].try_into().expect("64 bytes");
        assert_eq!(end_of_tables(&header), Some(128));
        assert_eq!(end(&bytes), Some(208));
        bytes[68] = NO_BITS as u8;
        assert_eq!(end(&bytes), Some(128), "a section without bytes");
        let mut narrow = header;
        narrow[4] = 1;
        assert_eq!(end_of_tables(&narrow), None, "32-bit");
    }
}
