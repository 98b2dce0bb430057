//! Bytes as text and back without loss.
//!
//! Trees hold text, and PTX files may hold any byte, mostly in comments. A byte that is not part of valid UTF-8 becomes the character
//! U+10FF00 plus the byte. These characters stand at the end of the last private plane; where a text holds one of them itself, each byte of it
//! is treated as invalid, so that the way back is never in doubt.

use std::borrow::Cow;

/// The character of byte 0.
const FIRST: u32 = 0x10_FF00;

/// Text that [`encode`] turns back into exactly these bytes. Valid UTF-8 stays as it is (but for the 256 characters from U+10FF00 on).
pub fn decode(bytes: &[u8]) -> Cow<'_, str> {
    if let Ok(text) = str::from_utf8(bytes)
        && !text.contains(is_escape)
    {
        return Cow::Borrowed(text);
    }
    let mut text = String::with_capacity(bytes.len() + bytes.len() / 8);
    for chunk in bytes.utf8_chunks() {
        for character in chunk.valid().chars() {
            if is_escape(character) {
                text.extend(character.encode_utf8(&mut [0; 4]).bytes().map(escape));
            } else {
                text.push(character);
            }
        }
        text.extend(chunk.invalid().iter().copied().map(escape));
    }
    Cow::Owned(text)
}

/// The bytes that [`decode`] made `text` from.
pub fn encode(text: &str) -> Cow<'_, [u8]> {
    if !text.contains(is_escape) {
        return Cow::Borrowed(text.as_bytes());
    }
    let mut bytes = Vec::with_capacity(text.len());
    for character in text.chars() {
        if is_escape(character) {
            bytes.push((character as u32 - FIRST) as u8);
        } else {
            bytes.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
        }
    }
    Cow::Owned(bytes)
}

fn is_escape(character: char) -> bool {
    character as u32 >= FIRST
}

fn escape(byte: u8) -> char {
    char::from_u32(FIRST + u32::from(byte)).unwrap_or(char::REPLACEMENT_CHARACTER)
}

#[cfg(test)]
mod tests {
    use super::{decode, encode};

    #[test]
    fn utf8_stays_as_it_is() {
        assert_eq!(decode("// é €".as_bytes()), "// é €");
    }

    #[test]
    fn other_bytes_come_back() {
        assert_eq!(decode(b"a\xe9b"), "a\u{10ffe9}b");
        for bytes in [
            &b"a\xe9b"[..],
            b"\xff\xfe",
            "\u{10ffe9}\u{10ffff}".as_bytes(),
            b"\xf4\x8f\xbf",
            b"",
        ] {
            assert_eq!(*encode(&decode(bytes)), *bytes);
        }
    }
}
