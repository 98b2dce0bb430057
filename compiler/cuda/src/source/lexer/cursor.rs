//! A position in a text, and what bytes and characters are.

use super::super::Context;
use super::super::intern::Symbol;

/// Classes of bytes.
pub(super) const WORD: u8 = 1;
pub(super) const DIGIT: u8 = 2;
pub(super) const BLANK: u8 = 4;

/// The class of each byte. Bytes of longer UTF-8 sequences are of no class.
static CLASS: [u8; 256] = {
    let mut table = [0u8; 256];
    let mut byte = 0usize;
    while byte < 256 {
        let character = byte as u8;
        if character.is_ascii_alphabetic() || character == b'_' || character == b'$' {
            table[byte] = WORD;
        } else if character.is_ascii_digit() {
            table[byte] = WORD | DIGIT;
        } else if matches!(character, b' ' | b'\t' | b'\r' | 0x0b | 0x0c) {
            table[byte] = BLANK;
        }
        byte += 1;
    }
    table
};

pub(super) const fn class(byte: u8) -> u8 {
    CLASS[byte as usize]
}

/// A position in a text; reading passes over line splices.
pub(super) struct Cursor<'t> {
    pub(super) text: &'t [u8],
    pub(super) at: usize,
    /// A splice was passed over, or a name has a character by number (`\u00e9`).
    pub(super) unclean: bool,
}

impl Cursor<'_> {
    /// The byte here, splices passed over; 0 at the end.
    #[inline]
    pub(super) fn peek(&mut self) -> u8 {
        match self.text.get(self.at) {
            Some(b'\\') => self.peek_past_splices(),
            Some(&byte) => byte,
            None => 0,
        }
    }

    #[cold]
    fn peek_past_splices(&mut self) -> u8 {
        while let Some(length) = splice(self.text, self.at) {
            self.at += length;
            self.unclean = true;
        }
        self.text.get(self.at).copied().unwrap_or(0)
    }

    /// The byte after the one here.
    pub(super) fn peek_second(&mut self) -> u8 {
        self.peek();
        let mut at = self.at + 1;
        while let Some(length) = splice(self.text, at) {
            at += length;
        }
        self.text.get(at).copied().unwrap_or(0)
    }

    #[inline]
    pub(super) fn bump(&mut self) {
        self.at += 1;
    }

    /// Passes over the byte if it is this one.
    pub(super) fn take(&mut self, byte: u8) -> bool {
        let here = self.peek() == byte;
        if here {
            self.bump();
        }
        here
    }

    /// Passes over the characters of a name.
    #[inline]
    pub(super) fn word(&mut self) {
        loop {
            while let Some(&byte) = self.text.get(self.at)
                && class(byte) & WORD != 0
            {
                self.at += 1;
            }
            match self.text.get(self.at) {
                Some(b'\\') if splice(self.text, self.at).is_some() => {
                    self.peek_past_splices();
                }
                Some(b'\\') => match universal(self.text, self.at) {
                    Some((character, length)) if continues_name(character) => {
                        self.at += length;
                        self.unclean = true;
                    }
                    Some(_) | None => return,
                },
                Some(0x80..) => match character_at(self.text, self.at) {
                    Some(character) if continues_name(character) => self.at += character.len_utf8(),
                    Some(_) | None => return,
                },
                Some(_) | None => return,
            }
        }
    }
}

/// The length of a line splice that starts here: a backslash, blanks that do not count, and a line break.
pub(super) fn splice(text: &[u8], at: usize) -> Option<usize> {
    if text.get(at) != Some(&b'\\') {
        return None;
    }
    let rest = &text[at + 1..];
    let blanks = rest.iter().take_while(|&&byte| class(byte) & BLANK != 0).count();
    (rest.get(blanks) == Some(&b'\n')).then_some(blanks + 2)
}

/// The character named by `\u` and four or `\U` and eight digits that stand here, and the length of that.
pub(super) fn universal(text: &[u8], at: usize) -> Option<(char, usize)> {
    let digits = match text.get(at..at + 2)? {
        b"\\u" => 4,
        b"\\U" => 8,
        _ => return None,
    };
    let digits_text = std::str::from_utf8(text.get(at + 2..at + 2 + digits)?).ok()?;
    if !digits_text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    let character = char::from_u32(u32::from_str_radix(digits_text, 16).ok()?)?;
    Some((character, digits + 2))
}

/// The character at a boundary of a text known to be UTF-8.
pub(super) fn character_at(text: &[u8], at: usize) -> Option<char> {
    let end = text.len().min(at + 4);
    let piece = &text[at..end];
    let valid = match std::str::from_utf8(piece) {
        Ok(valid) => valid,
        Err(error) => std::str::from_utf8(&piece[..error.valid_up_to()]).ok()?,
    };
    valid.chars().next()
}

/// Whether a character that is not ASCII may be in a name [lex.name]. The standard's ranges hold all letters and marks.
fn continues_name(character: char) -> bool {
    !character.is_ascii()
        && !character.is_whitespace()
        && !character.is_control()
        && {
            // Punctuation and symbols of the general blocks are not for names.
            !matches!(character, '\u{80}'..='\u{a7}' | '\u{ab}' | '\u{ac}' | '\u{b0}' | '\u{b1}' | '\u{b6}' | '\u{bb}' | '\u{bf}' | '\u{d7}' | '\u{f7}'
            | '\u{2000}'..='\u{200a}' | '\u{2010}'..='\u{2029}' | '\u{2030}'..='\u{203e}' | '\u{2190}'..='\u{23ff}' | '\u{3000}'..='\u{3003}'
            | '\u{fffd}' | '\u{feff}')
        }
}

/// The symbol of the text from `start` to the cursor.
pub(super) fn symbol(context: &mut Context, text: &[u8], start: usize, cursor: &Cursor<'_>) -> Symbol {
    let text = as_text(text, start, cursor.at);
    match cursor.unclean {
        true => {
            let cleaned = clean(text, true);
            context.interner.intern(&cleaned)
        }
        false => context.interner.intern(text),
    }
}

/// Bytes between two boundaries of a text that was UTF-8.
pub(super) fn as_text(text: &[u8], start: usize, end: usize) -> &str {
    std::str::from_utf8(&text[start..end]).unwrap_or_default()
}

/// A text without its line splices, and, if it is a name, with characters in place of their numbers.
pub(super) fn clean(text: &str, name: bool) -> String {
    let bytes = text.as_bytes();
    let mut out = String::new();
    let mut at = 0;
    while at < bytes.len() {
        if let Some(length) = splice(bytes, at) {
            at += length;
        } else if let Some((character, length)) = universal(bytes, at)
            && name
        {
            out.push(character);
            at += length;
        } else if let Some(character) = text[at..].chars().next() {
            out.push(character);
            at += character.len_utf8();
        }
    }
    out
}
