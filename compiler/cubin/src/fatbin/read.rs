//! From the bytes of a fatbin to its images.

use std::io::Read as _;

use super::{Compression, ENTRY_HEADER, FILE_HEADER, Image, ImageKind, MAGIC, TargetSuffix, flag};
use crate::CubinError;

/// The most that a payload may become: damaged sizes would ask for any amount of memory.
const LARGEST: u64 = 1 << 30;

/// The images of the fatbin that `bytes` begin with, and its length in bytes.
///
/// # Errors
/// Where the bytes are no fatbin, end too early, or have a payload that does not decompress to the size that its entry says.
pub fn read(bytes: &[u8]) -> Result<(Vec<Image>, usize), CubinError> {
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
    let mut images = Vec::new();
    let mut at = header;
    while at < end {
        let (image, next) = entry(&bytes[..end], at, images.len())?;
        images.push(image);
        at = next;
    }
    Ok((images, end))
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

    fn text(&self, offset: usize, length: usize) -> Result<String, CubinError> {
        Ok(String::from_utf8_lossy(self.slice(offset, length)?).into_owned())
    }
}

/// The image of the entry at `at`, and where the next one is.
fn entry(bytes: &[u8], at: usize, index: usize) -> Result<(Image, usize), CubinError> {
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
    let wrong = |reason| CubinError::new(at as u64, format!("payload of fatbin entry {index}"), reason);
    let payload = match compression {
        Compression::None => stored.to_vec(),
        Compression::Lz4 | Compression::Zstandard => unpack(packed, compression, fields.u64(0x38)?).map_err(wrong)?,
    };
    let options_at = fields.u32(0x14)? as usize;
    let options = match (kind, options_at) {
        (_, 0) => String::new(),
        (ImageKind::Ptx, at) => fields.text(fields.u32(at)? as usize, fields.u32(at + 4)? as usize)?,
        (ImageKind::Elf | ImageKind::Nvvm | ImageKind::Other(_), _) => String::new(),
    };
    let image = Image {
        kind,
        version: (fields.u16(0x1a)?, fields.u16(0x18)?),
        sm: fields.u32(0x1c)?,
        suffix: match bits {
            bits if bits & flag::ACCELERATED != 0 => TargetSuffix::Accelerated,
            bits if bits & flag::FAMILY != 0 => TargetSuffix::Family,
            _ => TargetSuffix::Plain,
        },
        identifier: fields.text(fields.u32(0x20)? as usize, fields.u32(0x24)? as usize)?,
        options,
        debug: bits & flag::DEBUG != 0,
        compression,
        bytes: payload,
    };
    Ok((image, at + header + size))
}

/// The payload that `packed` holds, which must have `size` bytes.
fn unpack(packed: &[u8], compression: Compression, size: u64) -> Result<Vec<u8>, String> {
    if size > LARGEST {
        return Err(format!("says that it has {size} bytes, more than {LARGEST}"));
    }
    let mut bytes = Vec::new();
    match compression {
        Compression::None => bytes.extend_from_slice(packed),
        Compression::Lz4 => {
            bytes = lz4_flex::block::decompress(packed, size as usize)
                .map_err(|error| format!("is no LZ4 block: {error}"))?;
        }
        Compression::Zstandard => {
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
