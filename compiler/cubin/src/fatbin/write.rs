//! From images to the bytes of a fatbin.

use ruzstd::encoding::{CompressionLevel, compress_to_vec};

use super::{ALIGNMENT, Compression, ENTRY_HEADER, FILE_HEADER, Image, ImageKind, MAGIC, TargetSuffix, flag};

/// The version in the file's header.
const FILE_VERSION: u16 = 1;

/// The version in an entry's header.
const ENTRY_VERSION: u16 = 0x101;

/// The bytes of a fatbin with these images, in this order. A payload that compression does not make smaller is stored as it is.
pub fn write(images: &[Image]) -> Vec<u8> {
    let mut bytes = Vec::new();
    bytes.extend_from_slice(&MAGIC);
    bytes.extend_from_slice(&FILE_VERSION.to_le_bytes());
    bytes.extend_from_slice(&(FILE_HEADER as u16).to_le_bytes());
    bytes.extend_from_slice(&[0; 8]);
    for image in images {
        entry(image, &mut bytes);
    }
    let size = (bytes.len() - FILE_HEADER) as u64;
    bytes[8..16].copy_from_slice(&size.to_le_bytes());
    bytes
}

fn entry(image: &Image, out: &mut Vec<u8>) {
    let (packed, compression) = pack(image);
    let payload: &[u8] = packed.as_deref().unwrap_or(&image.bytes);
    let identifier = image.identifier.as_bytes();
    let options_at = ENTRY_HEADER + padded(identifier.len());
    let options = options(image, options_at);
    let header_size = options_at + options.len();
    let compressed_size = if packed.is_some() { payload.len() } else { 0 };
    let decompressed_size = if packed.is_some() { image.bytes.len() } else { 0 };

    out.extend_from_slice(&image.kind.number().to_le_bytes());
    out.extend_from_slice(&ENTRY_VERSION.to_le_bytes());
    out.extend_from_slice(&(header_size as u32).to_le_bytes());
    out.extend_from_slice(&(padded(payload.len()) as u64).to_le_bytes());
    out.extend_from_slice(&(compressed_size as u32).to_le_bytes());
    out.extend_from_slice(&(if options.is_empty() { 0 } else { options_at as u32 }).to_le_bytes());
    out.extend_from_slice(&image.version.1.to_le_bytes());
    out.extend_from_slice(&image.version.0.to_le_bytes());
    out.extend_from_slice(&image.sm.to_le_bytes());
    out.extend_from_slice(&(if identifier.is_empty() { 0 } else { ENTRY_HEADER as u32 }).to_le_bytes());
    out.extend_from_slice(&(identifier.len() as u32).to_le_bytes());
    out.extend_from_slice(&flags(image, compression).to_le_bytes());
    out.extend_from_slice(&0u64.to_le_bytes());
    out.extend_from_slice(&(decompressed_size as u64).to_le_bytes());
    pad_with(identifier, out);
    out.extend_from_slice(&options);
    pad_with(payload, out);
}

/// The record of ptxas' options, which PTX has: where their text is, its length, the text and a zero.
fn options(image: &Image, at: usize) -> Vec<u8> {
    if image.kind != ImageKind::Ptx {
        return Vec::new();
    }
    let text = image.options.as_bytes();
    let mut record = ((at + 8) as u32).to_le_bytes().to_vec();
    record.extend_from_slice(&(text.len() as u32).to_le_bytes());
    record.extend_from_slice(text);
    record.push(0);
    record.resize(padded(record.len()), 0);
    record
}

/// The compressed payload, where the image is to have one and it is smaller.
fn pack(image: &Image) -> (Option<Vec<u8>>, Compression) {
    let packed = match image.compression {
        Compression::None => return (None, Compression::None),
        Compression::Lz4 => lz4_flex::block::compress(&image.bytes),
        Compression::Zstandard => compress_to_vec(image.bytes.as_slice(), CompressionLevel::Fastest),
    };
    if packed.len() < image.bytes.len() {
        (Some(packed), image.compression)
    } else {
        (None, Compression::None)
    }
}

fn flags(image: &Image, compression: Compression) -> u64 {
    let debug = if image.debug { flag::DEBUG } else { 0 };
    let suffix = match image.suffix {
        TargetSuffix::Plain => 0,
        TargetSuffix::Accelerated => flag::ACCELERATED,
        TargetSuffix::Family => flag::FAMILY,
    };
    let compression = match compression {
        Compression::None => 0,
        Compression::Lz4 => flag::LZ4,
        Compression::Zstandard => flag::ZSTANDARD,
    };
    flag::WIDE | flag::LINUX | debug | suffix | compression
}

fn padded(length: usize) -> usize {
    length.next_multiple_of(ALIGNMENT)
}

fn pad_with(bytes: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(bytes);
    out.resize(out.len() + padded(bytes.len()) - bytes.len(), 0);
}
