//! How names, strings and the words for ELF constants are spelled.

use std::fmt::Write;

use warpsmith_cubin::section_type::SECTION_TYPES;
use warpsmith_cubin::symbol::SYMBOL_OTHER;
use warpsmith_cubin::{SectionType, SymbolBinding, SymbolOther, SymbolType};

/// Whether a byte can stand in a plain name.
pub(super) fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'$' | b'%')
}

/// Whether a name needs no quotation marks.
pub(super) fn is_plain(name: &str) -> bool {
    let first = name.as_bytes().first();
    first.is_some_and(|&byte| is_name_byte(byte) && !byte.is_ascii_digit()) && name.bytes().all(is_name_byte)
}

/// Appends a name, quoted where it has to be.
pub(super) fn push_name(out: &mut String, name: &str) {
    if is_plain(name) {
        out.push_str(name)
    } else {
        push_string(out, name.as_bytes())
    }
}

/// A name as text, quoted where it has to be.
pub(crate) fn name_text(name: &str) -> String {
    let mut text = String::with_capacity(name.len());
    push_name(&mut text, name);
    text
}

/// Appends a string in quotation marks.
pub(super) fn push_string(out: &mut String, bytes: &[u8]) {
    out.push('"');
    for &byte in bytes {
        match byte {
            b'"' => out.push_str("\\\""),
            b'\\' => out.push_str("\\\\"),
            b'\n' => out.push_str("\\n"),
            b'\t' => out.push_str("\\t"),
            b' '..=b'~' => out.push(char::from(byte)),
            _ => {
                let _ = write!(out, "\\x{byte:02x}");
            }
        }
    }
    out.push('"');
}

/// Appends bytes as `x"0a0b"`.
pub(super) fn push_hexadecimal(out: &mut String, bytes: &[u8]) {
    out.push_str("x\"");
    for byte in bytes {
        let _ = write!(out, "{byte:02x}");
    }
    out.push('"');
}

const SECTION_TYPE_PREFIX: &str = "SHT_";

/// The word for a section type: the ELF name without `SHT_`.
pub(super) fn section_type_word(section_type: SectionType) -> Option<&'static str> {
    section_type.name()?.strip_prefix(SECTION_TYPE_PREFIX)
}

/// The section type of a word.
pub(super) fn section_type_of(word: &str) -> Option<SectionType> {
    let row = SECTION_TYPES
        .iter()
        .find(|row| row.name.strip_prefix(SECTION_TYPE_PREFIX) == Some(word))?;
    Some(SectionType(row.number))
}

/// The word for a symbol type or binding: the ELF name without `STT_` or `STB_`.
pub(super) fn symbol_word(name: &'static str) -> &'static str {
    name.get(4..).unwrap_or(name)
}

/// The symbol type of a word.
pub(super) fn symbol_type_of(word: &str) -> Option<SymbolType> {
    (0..16)
        .map(SymbolType)
        .find(|kind| kind.name().map(symbol_word) == Some(word))
}

/// The symbol binding of a word.
pub(super) fn symbol_binding_of(word: &str) -> Option<SymbolBinding> {
    (0..16)
        .map(SymbolBinding)
        .find(|binding| binding.name().map(symbol_word) == Some(word))
}

/// The name of the default visibility, which is not written.
const DEFAULT_VISIBILITY: &str = "STV_DEFAULT";

/// The names of the values in `st_other`, if they say all of it.
pub(super) fn symbol_other_words(other: SymbolOther) -> Option<impl Iterator<Item = &'static str>> {
    let rows = || SYMBOL_OTHER.iter().filter(move |row| other.0 & row.mask == row.value);
    let said = rows().fold(0, |bits, row| bits | row.value);
    (said == other.0).then(|| rows().map(|row| row.name).filter(|&name| name != DEFAULT_VISIBILITY))
}

/// Mask and value of a name in `st_other`.
pub(super) fn symbol_other_of(word: &str) -> Option<(u8, u8)> {
    let row = SYMBOL_OTHER.iter().find(|row| row.name == word)?;
    Some((row.mask, row.value))
}

/// The flags of a section that have a word.
#[rustfmt::skip]
pub(super) const FLAG_WORDS: &[(&str, u64)] = &[
    ("alloc",     0x2),
    ("write",     0x1),
    ("exec",      0x4),
    ("tls",       0x400),
    ("info_link", 0x40),
    ("mercury",   0x1000_0000),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_go_both_ways() {
        for row in SECTION_TYPES {
            let word = section_type_word(SectionType(row.number)).unwrap();
            assert_eq!(section_type_of(word), Some(SectionType(row.number)));
        }
        for number in 0..16 {
            if let Some(name) = SymbolType(number).name() {
                assert_eq!(symbol_type_of(symbol_word(name)), Some(SymbolType(number)));
            }
        }
        for bits in 0..=255 {
            if let Some(words) = symbol_other_words(SymbolOther(bits)) {
                let value = words.fold(0, |bits, word| bits | symbol_other_of(word).unwrap().1);
                assert_eq!(value, bits);
            }
        }
    }

    #[test]
    fn names_and_strings() {
        let text = |name| {
            let mut out = String::new();
            push_name(&mut out, name);
            out
        };
        assert_eq!(text("_Z1kPf"), "_Z1kPf");
        assert_eq!(text("$x.y%1"), "$x.y%1");
        assert_eq!(text("1k"), "\"1k\"");
        assert_eq!(text(""), "\"\"");
        assert_eq!(text("a b\"\\\n\u{e9}"), "\"a b\\\"\\\\\\n\\xc3\\xa9\"");
    }
}
