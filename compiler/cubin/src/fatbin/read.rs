//! From the bytes of a fatbin to its images.

use std::io::Read as _;

use super::{Compression, ENTRY_HEADER, FILE_HEADER, Image, ImageKind, MAGIC, TargetSuffix, flag};
use crate::CubinError;

/// The most that payloads may become beyond [`FACTOR`] times what they are stored in: a few bytes can be made to become any amount of memory.
const FREE: u64 = 64 << 20;

/// How many times larger than what they are stored in payloads may become. PTX becomes ten times smaller and more, and is not this large.
const FACTOR: u64 = 8;

/// An image as it lies in a fatbin.
#[derive(Clone, Debug)]
pub struct Entry<'data> {
    /// All that its header says; without the bytes.
    head: Image,
    stored: &'data [u8],
    /// What it becomes; as large as it is stored, if it is not compressed.
    size: u64,
    offset: u64,
    index: usize,
}

impl Entry<'_> {
    /// All that its header says: an image without bytes.
    pub fn head(&self) -> &Image {
        &self.head
    }

    /// Bytes of the image, as its header says.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// The image with its bytes.
    ///
    /// # Errors
    /// Where the payload does not decompress to the size that its entry says, or to far more than it is stored in.
    pub fn image(&self) -> Result<Image, CubinError> {
        let wrong = |reason| CubinError::new(self.offset, format!("payload of fatbin entry {}", self.index), reason);
        let bytes = unpack(self.stored, self.head.compression, self.size).map_err(wrong)?;
        Ok(Image {
            bytes,
            ..self.head.clone()
        })
    }
}

/// The images of the fatbin that `bytes` begin with, and its length in bytes.
///
/// # Errors
/// Where the bytes are no fatbin, end too early, or have a payload that does not decompress to the size that its entry says; where all of them together
/// would become far more than the file ([`entries`] gives them one by one).
pub fn read(bytes: &[u8]) -> Result<(Vec<Image>, usize), CubinError> {
    let (entries, end) = entries(bytes)?;
    let mut left = FREE.saturating_add(FACTOR.saturating_mul(end as u64));
    let mut images = Vec::with_capacity(entries.len());
    for entry in &entries {
        left = left.checked_sub(entry.size).ok_or_else(|| {
            let reason = format!("the images up to it have far more bytes than the file, which has {end}");
            CubinError::new(entry.offset, format!("payload of fatbin entry {}", entry.index), reason)
        })?;
        images.push(entry.image()?);
    }
    Ok((images, end))
}

/// The entries of the fatbin that `bytes` begin with, still compressed, and its length in bytes.
///
/// # Errors
/// Where the bytes are no fatbin, or end too early.
pub fn entries(bytes: &[u8]) -> Result<(Vec<Entry<'_>>, usize), CubinError> {
    if !bytes.starts_with(&MAGIC) {
        return Err(CubinError::new(0, "file", "does not begin with the magic of a fatbin"));
    }
    let fields = Fields { bytes, base: 0 };
    let (header, size) = (fields.u16(6)? as usize, fields.u64(8)?);
    let end = (header as u64)
        .checked_add(size)
        .filter(|end| *end <= bytes.len() as u64);
    let Some(end) = end.filter(|_| header >= FILE_HEADER) else {
        return Err(CubinError::new(
            8,
            "fatbin header",
            format!("says {size} bytes; {} are there", bytes.len()),
        ));
    };
    let end = end as usize;
    let mut entries = Vec::new();
    let mut at = header;
    while at < end {
        let (found, next) = entry(&bytes[..end], at, entries.len())?;
        entries.push(found);
        at = next;
    }
    Ok((entries, end))
}

/// The fields of one header, little-endian, by their offset.
struct Fields<'a> {
    bytes: &'a [u8],
    base: usize,
}

impl<'a> Fields<'a> {
    fn slice(&self, offset: usize, length: usize) -> Result<&'a [u8], CubinError> {
        let start = self.base.checked_add(offset);
        let range = start.and_then(|start| Some(start..start.checked_add(length)?));
        range
            .and_then(|range| self.bytes.get(range))
            .ok_or_else(|| CubinError::new(self.base as u64, "fatbin entry", "ends after the file"))
    }

    fn number<const N: usize>(&self, offset: usize) -> Result<[u8; N], CubinError> {
        let mut number = [0; N];
        number.copy_from_slice(self.slice(offset, N)?);
        Ok(number)
    }

    fn u16(&self, offset: usize) -> Result<u16, CubinError> {
        self.number(offset).map(u16::from_le_bytes)
    }

    fn u32(&self, offset: usize) -> Result<u32, CubinError> {
        self.number(offset).map(u32::from_le_bytes)
    }

    fn u64(&self, offset: usize) -> Result<u64, CubinError> {
        self.number(offset).map(u64::from_le_bytes)
    }

    /// A text of the header, which has so many bytes.
    fn text(&self, header: usize, offset: usize, length: usize) -> Result<String, CubinError> {
        if offset.checked_add(length).is_none_or(|end| end > header) {
            let reason = format!("{length} bytes of text at {offset:#x} are outside of its header of {header} bytes");
            return Err(CubinError::new(self.base as u64, "fatbin entry", reason));
        }
        Ok(String::from_utf8_lossy(self.slice(offset, length)?).into_owned())
    }
}

/// The entry at `at`, and where the next one is.
fn entry(bytes: &[u8], at: usize, index: usize) -> Result<(Entry<'_>, usize), CubinError> {
    let fields = Fields { bytes, base: at };
    let header = fields.u32(4)? as usize;
    let size = usize::try_from(fields.u64(8)?).unwrap_or(usize::MAX);
    if header < ENTRY_HEADER {
        let reason = format!("its header has {header} bytes, {ENTRY_HEADER} at least are wanted");
        return Err(CubinError::new(at as u64 + 4, format!("fatbin entry {index}"), reason));
    }
    let kind = ImageKind::from_number(fields.u16(0)?);
    let stored = fields.slice(header, size)?;
    let bits = fields.u64(0x28)?;
    let compression = match bits {
        bits if bits & flag::ZSTANDARD != 0 => Compression::Zstandard,
        bits if bits & flag::LZ4 != 0 => Compression::Lz4,
        _ => Compression::None,
    };
    let packed = stored.get(..fields.u32(0x10)? as usize).unwrap_or(stored);
    let (stored, unpacked_size) = match compression {
        Compression::None => (stored, stored.len() as u64),
        Compression::Lz4 | Compression::Zstandard => (packed, fields.u64(0x38)?),
    };
    let options_at = fields.u32(0x14)? as usize;
    let options = match (kind, options_at) {
        (_, 0) => String::new(),
        (ImageKind::Ptx, at) => fields.text(header, fields.u32(at)? as usize, fields.u32(at + 4)? as usize)?,
        (ImageKind::Elf | ImageKind::Nvvm | ImageKind::Other(_), _) => String::new(),
    };
    let head = Image {
        kind,
        version: (fields.u16(0x1a)?, fields.u16(0x18)?),
        sm: fields.u32(0x1c)?,
        suffix: match bits {
            bits if bits & flag::ACCELERATED != 0 => TargetSuffix::Accelerated,
            bits if bits & flag::FAMILY != 0 => TargetSuffix::Family,
            _ => TargetSuffix::Plain,
        },
        identifier: fields.text(header, fields.u32(0x20)? as usize, fields.u32(0x24)? as usize)?,
        options,
        debug: bits & flag::DEBUG != 0,
        compression,
        bytes: Vec::new(),
    };
    let found = Entry {
        head,
        stored,
        size: unpacked_size,
        offset: at as u64,
        index,
    };
    Ok((found, at + header + size))
}

/// The payload that `packed` holds, which must have `size` bytes.
fn unpack(packed: &[u8], compression: Compression, size: u64) -> Result<Vec<u8>, String> {
    let most = FREE.saturating_add(FACTOR.saturating_mul(packed.len() as u64));
    if size > most {
        return Err(format!(
            "says that it has {size} bytes, far more than the {} that it is stored in",
            packed.len()
        ));
    }
    let mut bytes = Vec::new();
    match compression {
        Compression::None => bytes.extend_from_slice(packed),
        Compression::Lz4 => {
            bytes = lz4_flex::block::decompress(packed, size as usize)
                .map_err(|error| format!("is no LZ4 block: {error}"))?;
        }
        Compression::Zstandard => {
            // The decoder takes as much at once as the frame says that it looks back.
            let window = window(packed).ok_or("is no Zstandard frame: its header is cut short")?;
            if window > most {
                return Err(format!(
                    "looks back {window} bytes, far more than the {} that it is stored in",
                    packed.len()
                ));
            }
            let decoder = ruzstd::decoding::StreamingDecoder::new(packed);
            let decoder = decoder.map_err(|error| format!("is no Zstandard frame: {error}"))?;
            let read = decoder.take(size + 1).read_to_end(&mut bytes);
            read.map_err(|error| format!("is no Zstandard frame: {error}"))?;
        }
    }
    if bytes.len() as u64 != size {
        return Err(format!("has {} bytes, its entry says {size}", bytes.len()));
    }
    Ok(bytes)
}

/// How far back a Zstandard frame looks, as its header says (RFC 8878, 3.1.1.1); none where the header is not whole.
fn window(frame: &[u8]) -> Option<u64> {
    let descriptor = *frame.get(4)?;
    let number = |at: usize, size: usize| {
        let bytes = frame.get(at..at + size)?;
        Some(bytes.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte)))
    };
    if descriptor & 0x20 == 0 {
        let (exponent, eighths) = (number(5, 1)? >> 3, number(5, 1)? & 7);
        let base = 1_u64 << (10 + exponent);
        return Some(base + base / 8 * eighths);
    }
    // All of it is one piece, whose size follows the number of the dictionary.
    let at = 5 + [0, 1, 2, 4][usize::from(descriptor & 3)];
    match descriptor >> 6 {
        0 => number(at, 1),
        1 => Some(number(at, 2)? + 256),
        2 => number(at, 4),
        _ => number(at, 8),
    }
}
