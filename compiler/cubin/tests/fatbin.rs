//! Fatbins: the bytes of a small one, and reading back what was written.

use warpsmith_cubin::fatbin::{self, Compression, Image, ImageKind, TargetSuffix};
use warpsmith_target::Sm;

fn target(name: &str) -> Sm {
    name.parse().unwrap()
}

/// The smallest file: one payload of eight bytes for sm_90a, named `dot`. As fatbinary 13.0 writes it.
#[test]
fn a_cubin_for_one_target() {
    let mut image = Image::elf(target("sm_90a"), b"\x7fELF\x02\x01\x01\x41\x08".to_vec());
    image.identifier = "dot".into();
    #[rustfmt::skip]
    let expected: [u8; 16 + 72 + 16] = [
        0x50, 0xed, 0x55, 0xba, 1, 0, 16, 0,   88, 0, 0, 0, 0, 0, 0, 0,           // magic, version, size of this header, size of the rest
        2, 0, 1, 1, 72, 0, 0, 0,               16, 0, 0, 0, 0, 0, 0, 0,           // ELF, version, size of the entry's header, size of the payload
        0, 0, 0, 0, 0, 0, 0, 0,                8, 0, 1, 0, 90, 0, 0, 0,           // not compressed, no options; version 1.8, SM
        64, 0, 0, 0, 3, 0, 0, 0,               0x11, 0, 0x10, 0, 0, 0, 0, 0,      // identifier: offset and length; 64 bits, Linux, suffix `a`
        0, 0, 0, 0, 0, 0, 0, 0,                0, 0, 0, 0, 0, 0, 0, 0,            // size when decompressed
        b'd', b'o', b't', 0, 0, 0, 0, 0,
        0x7f, b'E', b'L', b'F', 2, 1, 1, 0x41, 8, 0, 0, 0, 0, 0, 0, 0,
    ];
    assert_eq!(fatbin::write(&[image]), expected);
}

#[test]
fn images_come_back_whatever_their_compression() {
    let text: Vec<u8> = b".version 9.0\n".iter().cycle().take(5000).copied().collect();
    let mut images = Vec::new();
    for compression in [Compression::None, Compression::Lz4, Compression::Zstandard] {
        let mut image = Image::ptx(target("sm_100f"), (9, 0), text.clone());
        image.compression = compression;
        image.options = "-O1".into();
        images.push(image);
    }
    let bytes = fatbin::write(&images);
    assert!(bytes.len() < 2 * text.len(), "two of three are compressed");
    let (read, length) = fatbin::read(&bytes).unwrap();
    assert_eq!(length, bytes.len());
    for (written, read) in images.iter().zip(&read) {
        assert_eq!((read.kind, read.version, read.sm), (ImageKind::Ptx, (9, 0), 100));
        assert_eq!(
            (read.suffix, read.compression),
            (TargetSuffix::Family, written.compression)
        );
        assert_eq!((read.text(), read.options.as_str()), (text.as_slice(), "-O1"));
    }
}

/// Every file that is cut short, and every byte that is damaged, gives an error or other images: never a panic, never more memory than the file may ask for.
#[test]
fn damaged_files_are_refused() {
    let mut image = Image::ptx(target("sm_90"), (8, 0), vec![b' '; 200]);
    image.identifier = "k".into();
    let bytes = fatbin::write(&[image]);
    for length in 0..bytes.len() {
        assert!(fatbin::read(&bytes[..length]).is_err(), "cut to {length} bytes");
    }
    for at in 0..bytes.len() {
        for bit in 0..8 {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1 << bit;
            let _ = fatbin::read(&damaged);
        }
    }
    let error = fatbin::read(b"\x7fELF").unwrap_err();
    assert_eq!(
        error.to_string(),
        "offset 0x0: file: does not begin with the magic of a fatbin"
    );
}
