//! Reading within one line.

use std::borrow::Cow;
use std::ops::Range;

use super::super::names::is_name_byte;

/// Something wrong with a part of the source.
#[derive(Debug)]
pub(in crate::native) struct Fault {
    /// The bytes of the source that are at fault.
    pub(super) bytes: Range<usize>,
    /// What is wrong.
    pub(super) message: String,
}

impl Fault {
    /// A fault of these bytes.
    pub(in crate::native) fn new(bytes: Range<usize>, message: impl Into<String>) -> Fault {
        Fault {
            bytes,
            message: message.into(),
        }
    }
}

pub(super) type Result<T> = std::result::Result<T, Fault>;

/// A place in a line of the source. All positions are byte offsets in the whole source.
#[derive(Clone, Debug)]
pub(in crate::native) struct Lexer<'a> {
    source: &'a str,
    at: usize,
    end: usize,
}

impl<'a> Lexer<'a> {
    /// The part `bytes` of the source; both ends are at characters' boundaries.
    pub(in crate::native) fn new(source: &'a str, bytes: Range<usize>) -> Lexer<'a> {
        Lexer {
            source,
            at: bytes.start,
            end: bytes.end,
        }
    }

    /// Where the reader stands.
    pub(in crate::native) fn position(&self) -> usize {
        self.at
    }

    /// The rest of the line.
    pub(super) fn rest(&self) -> &'a str {
        &self.source[self.at..self.end]
    }

    pub(super) fn peek(&self) -> Option<u8> {
        self.rest().as_bytes().first().copied()
    }

    /// Skips blanks and `/* … */`.
    pub(in crate::native) fn skip_blanks(&mut self) {
        loop {
            self.at = self.end - self.rest().trim_start_matches([' ', '\t', '\r']).len();
            let comment = self.rest().strip_prefix("/*").and_then(|comment| comment.find("*/"));
            let Some(length) = comment else { return };
            self.at += length + 4;
        }
    }

    /// Skips blanks; whether nothing follows, or a comment.
    pub(super) fn is_done(&mut self) -> bool {
        self.skip_blanks();
        self.rest().is_empty() || self.rest().starts_with("//")
    }

    /// Takes an ASCII character, if it is the next one.
    pub(in crate::native) fn take(&mut self, wanted: char) -> bool {
        let found = self.rest().starts_with(wanted);
        self.at += usize::from(found);
        found
    }

    /// Takes bytes while they are of a kind; the kind takes all parts of a character or none.
    pub(in crate::native) fn take_while(&mut self, kind: impl Fn(u8) -> bool) -> &'a str {
        let length = self.rest().bytes().take_while(|&byte| kind(byte)).count();
        let taken = &self.rest()[..length];
        self.at += length;
        taken
    }

    /// A run of the characters that names and numbers have; may be empty.
    pub(super) fn word(&mut self) -> &'a str {
        self.take_while(is_name_byte)
    }

    /// The fault that something else stands here than what is expected.
    pub(super) fn expected(&self, what: &str) -> Fault {
        let found = self.rest();
        let length = found.find([' ', '\t', '\r', ',']).unwrap_or(found.len());
        let length = if length == 0 {
            found.chars().next().map_or(0, char::len_utf8)
        } else {
            length
        };
        let message = match &found[..length] {
            "" => format!("the line ends where {what} is expected"),
            found => format!("{what} is expected, not `{found}`"),
        };
        Fault::new(self.at..self.at + length, message)
    }

    /// Takes a comma, with the blanks around it.
    pub(super) fn comma(&mut self) -> Result<()> {
        self.skip_blanks();
        if !self.take(',') {
            return Err(self.expected("`,`"));
        }
        self.skip_blanks();
        Ok(())
    }

    /// Whether a comma follows, which is taken with the blanks around it; otherwise the line must end.
    pub(super) fn more(&mut self) -> Result<bool> {
        if self.is_done() {
            return Ok(false);
        }
        self.comma()?;
        Ok(true)
    }

    /// Complains about anything that still follows.
    pub(super) fn finish(&mut self) -> Result<()> {
        if self.is_done() {
            Ok(())
        } else {
            Err(self.expected("the end of the line"))
        }
    }

    /// A name, plain or quoted; `None` where there is neither.
    pub(super) fn optional_name(&mut self) -> Result<Option<Cow<'a, str>>> {
        match self.peek() {
            Some(b'"') => {
                let start = self.at;
                let bytes = self.string()?;
                let name = String::from_utf8(bytes.into_owned());
                match name {
                    Ok(name) => Ok(Some(Cow::Owned(name))),
                    Err(_) => Err(Fault::new(start..self.at, "this name is no UTF-8")),
                }
            }
            Some(byte) if is_name_byte(byte) && !byte.is_ascii_digit() => Ok(Some(Cow::Borrowed(self.word()))),
            Some(_) | None => Ok(None),
        }
    }

    /// A name, plain or quoted.
    pub(super) fn name(&mut self) -> Result<Cow<'a, str>> {
        self.optional_name()?.ok_or_else(|| self.expected("a name"))
    }

    /// A string in quotation marks.
    pub(super) fn string(&mut self) -> Result<Cow<'a, [u8]>> {
        let start = self.at;
        if !self.take('"') {
            return Err(self.expected("a string in quotation marks"));
        }
        let plain = self.take_while(|byte| byte != b'"' && byte != b'\\');
        if self.take('"') {
            return Ok(Cow::Borrowed(plain.as_bytes()));
        }
        let mut bytes = plain.as_bytes().to_vec();
        loop {
            if self.take('"') {
                return Ok(Cow::Owned(bytes));
            }
            if !self.take('\\') {
                return Err(Fault::new(start..self.end, "this string does not end"));
            }
            bytes.push(self.escape()?);
            bytes.extend_from_slice(self.take_while(|byte| byte != b'"' && byte != b'\\').as_bytes());
        }
    }

    fn escape(&mut self) -> Result<u8> {
        let start = self.at - 1;
        let digits = self
            .rest()
            .get(1..3)
            .filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()));
        let (byte, length) = match (self.peek(), digits) {
            (Some(b'n'), _) => (b'\n', 1),
            (Some(b't'), _) => (b'\t', 1),
            (Some(byte @ (b'"' | b'\\')), _) => (byte, 1),
            (Some(b'x'), Some(digits)) => (u8::from_str_radix(digits, 16).unwrap_or_default(), 3),
            _ => {
                return Err(Fault::new(
                    start..start + 1,
                    "the escapes are \\n, \\t, \\\", \\\\ and \\xNN",
                ));
            }
        };
        self.at += length;
        Ok(byte)
    }

    /// Bytes in hexadecimal: `x"0a0b"`; `None` where there are none.
    pub(super) fn hexadecimal(&mut self) -> Result<Option<Vec<u8>>> {
        if !self.rest().starts_with("x\"") {
            return Ok(None);
        }
        let start = self.at;
        self.at += 2;
        let digits = self.take_while(|byte| byte.is_ascii_hexdigit());
        if !self.take('"') || !digits.len().is_multiple_of(2) {
            return Err(Fault::new(
                start..self.at,
                "bytes are x\"…\" with two hexadecimal digits for each",
            ));
        }
        let value = |digit: u8| char::from(digit).to_digit(16).unwrap_or_default() as u8;
        Ok(Some(
            digits
                .as_bytes()
                .chunks_exact(2)
                .map(|pair| value(pair[0]) << 4 | value(pair[1]))
                .collect(),
        ))
    }

    /// Bytes in hexadecimal.
    pub(super) fn bytes(&mut self) -> Result<Vec<u8>> {
        self.hexadecimal()?.ok_or_else(|| self.expected("bytes as x\"…\""))
    }

    /// A number of at most so many bits: decimal, or hexadecimal after `0x`.
    pub(super) fn number(&mut self, bits: u32) -> Result<u128> {
        let start = self.at;
        let word = self.word();
        let value = match word.strip_prefix("0x") {
            Some(digits) => u128::from_str_radix(digits, 16),
            None => word.parse(),
        };
        let Some(value) = value
            .ok()
            .filter(|_| word.bytes().all(|byte| byte.is_ascii_alphanumeric()))
        else {
            self.at = start;
            return Err(self.expected("a number"));
        };
        if bits < 128 && value >> bits != 0 {
            return Err(Fault::new(
                start..self.at,
                format!("{word} does not fit in {bits} bits"),
            ));
        }
        Ok(value)
    }

    /// A number of at most 64 bits.
    pub(super) fn number64(&mut self, bits: u32) -> Result<u64> {
        self.number(bits.min(64)).map(|value| value as u64)
    }
}
