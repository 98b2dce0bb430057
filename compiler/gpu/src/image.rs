//! Modules as the driver takes them: it is given an address and no length, so what it reads must end where the bytes end.

use std::ffi::{CStr, CString};

use super::Error;

/// PTX or a cubin, whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image(Kind);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Kind {
    Ptx(CString),
    Cubin(Vec<u8>),
}

/// Sizes and places in the headers of a 64-bit ELF file (System V ABI, chapters 4 and 5).
const FILE_HEADER: usize = 64;
const SECTION_HEADER: u64 = 64;
const PROGRAM_HEADER: u64 = 56;
/// The type of a section without bytes in the file.
const NO_BITS: u64 = 8;

impl Image {
    /// Takes PTX (its end may have a zero byte) or a cubin.
    ///
    /// # Errors
    /// PTX with a zero byte inside, or a cubin whose sections or segments are not all in it.
    pub fn new(bytes: &[u8]) -> Result<Image, Error> {
        let wrong = |reason: &str| Error::Image {
            reason: reason.to_owned(),
        };
        if bytes.starts_with(b"\x7fELF") {
            return match is_whole(bytes) {
                Some(true) => Ok(Image(Kind::Cubin(bytes.to_vec()))),
                Some(false) | None => Err(wrong("the cubin is not whole")),
            };
        }
        let text = bytes.strip_suffix(b"\0").unwrap_or(bytes);
        let text = CString::new(text).map_err(|_| wrong("there is a zero byte in the PTX"))?;
        Ok(Image(Kind::Ptx(text)))
    }

    /// The bytes, of PTX with the zero byte that ends it.
    pub(crate) fn bytes(&self) -> &[u8] {
        match &self.0 {
            Kind::Ptx(text) => CStr::to_bytes_with_nul(text),
            Kind::Cubin(bytes) => bytes,
        }
    }
}

/// Whether all that the headers of an ELF file point to is in it; `None` where a header itself is not.
fn is_whole(bytes: &[u8]) -> Option<bool> {
    let header = bytes.get(..FILE_HEADER)?;
    let small = |at: usize| number(header, at, 2);
    // 64-bit, little-endian.
    let class = header.get(4..6)? == [2, 1];
    let (segments, sections) = (number(header, 32, 8)?, number(header, 40, 8)?);
    let sizes = (small(54)? == PROGRAM_HEADER || small(56)? == 0) && (small(58)? == SECTION_HEADER || small(60)? == 0);
    let inside = |start: u64, size: u64| start.checked_add(size).is_some_and(|end| end <= bytes.len() as u64);
    for index in 0..small(56)? {
        let own = record(bytes, segments, PROGRAM_HEADER, index)?;
        if !inside(number(own, 8, 8)?, number(own, 32, 8)?) {
            return Some(false);
        }
    }
    for index in 0..small(60)? {
        let own = record(bytes, sections, SECTION_HEADER, index)?;
        if number(own, 4, 4)? != NO_BITS && !inside(number(own, 24, 8)?, number(own, 32, 8)?) {
            return Some(false);
        }
    }
    Some(class && sizes)
}

/// A record of a table.
fn record(bytes: &[u8], start: u64, size: u64, index: u64) -> Option<&[u8]> {
    let at = start.checked_add(size.checked_mul(index)?)?;
    let end = at.checked_add(size)?;
    bytes.get(usize::try_from(at).ok()?..usize::try_from(end).ok()?)
}

/// A little-endian number of so many bytes, at most 8.
fn number(bytes: &[u8], at: usize, size: usize) -> Option<u64> {
    let bytes = bytes.get(at..at + size)?;
    Some(bytes.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file with one section of this type, place and size behind its header.
    fn elf(kind: u8, place: u8, size: u8) -> Vec<u8> {
        let mut bytes = vec![0; 128];
        bytes[..6].copy_from_slice(b"\x7fELF\x02\x01");
        (bytes[40], bytes[54], bytes[58], bytes[60]) = (64, 56, 64, 1);
        (bytes[68], bytes[88], bytes[96]) = (kind, place, size);
        bytes
    }

    #[test]
    fn text_ends_with_one_zero_byte() {
        let bytes = |text: &[u8]| Image::new(text).map(|image| image.bytes().to_vec());
        assert_eq!(bytes(b".version 9.0"), Ok(b".version 9.0\0".to_vec()));
        assert_eq!(bytes(b".version 9.0\0"), Ok(b".version 9.0\0".to_vec()));
        assert!(bytes(b".version\0 9.0").is_err());
    }

    #[test]
    fn cubins_are_whole() {
        assert!(Image::new(&elf(1, 120, 8)).is_ok());
        assert!(Image::new(&elf(1, 120, 9)).is_err(), "the section ends behind the file");
        assert!(Image::new(&elf(8, 120, 9)).is_ok(), "a section without bytes");
        assert!(Image::new(&elf(1, 0, 0)[..127]).is_err(), "the section's header is cut");
        assert!(Image::new(b"\x7fELF").is_err());
        let mut other = elf(1, 0, 0);
        other[4] = 1;
        assert!(Image::new(&other).is_err(), "32-bit");
    }
}
