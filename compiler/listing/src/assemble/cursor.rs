//! Reading within one line.

use super::expression::{Expression, Term};

/// A problem at a column of the line in hand.
pub(super) struct Fault {
    /// Byte offset in the line.
    pub at: usize,
    pub message: String,
}

impl Fault {
    pub(super) fn new(at: usize, message: impl Into<String>) -> Fault {
        Fault { at, message: message.into() }
    }
}

/// A place in a line.
#[derive(Clone, Copy)]
pub(super) struct Cursor<'a> {
    pub text: &'a str,
    pub at: usize,
}

impl<'a> Cursor<'a> {
    /// The start of a line without its comment.
    pub(super) fn new(line: &'a str) -> Self {
        Cursor { text: &line[..comment_start(line)], at: 0 }
    }

    pub(super) fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    pub(super) fn skip_blanks(&mut self) {
        self.at = self.text.len() - self.rest().trim_start().len();
    }

    pub(super) fn is_done(&mut self) -> bool {
        self.skip_blanks();
        self.rest().is_empty()
    }

    /// Takes a character, if it is the next one.
    pub(super) fn take(&mut self, wanted: char) -> bool {
        let found = self.rest().starts_with(wanted);
        if found {
            self.at += wanted.len_utf8();
        }
        found
    }

    /// A run of the characters that names and numbers have; may be empty.
    pub(super) fn word(&mut self) -> &'a str {
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '$' | '%');
        let length = self.rest().find(|c| !plain(c)).unwrap_or(self.rest().len());
        let word = &self.rest()[..length];
        self.at += length;
        word
    }

    /// A name: plain or quoted. `None` where there is neither.
    pub(super) fn name(&mut self) -> Result<Option<String>, Fault> {
        if self.rest().starts_with('"') {
            let at = self.at;
            let bytes = self.string()?;
            return String::from_utf8(bytes).map(Some).map_err(|_| Fault::new(at, "this name is no UTF-8"));
        }
        let starts_name = self.rest().chars().next().is_some_and(|c| !c.is_ascii_digit());
        let word = if starts_name { self.word() } else { "" };
        Ok((!word.is_empty()).then(|| word.to_owned()))
    }

    /// A quoted string's bytes.
    pub(super) fn string(&mut self) -> Result<Vec<u8>, Fault> {
        let start = self.at;
        if !self.take('"') {
            return Err(Fault::new(start, "a string in quotation marks is expected"));
        }
        let unfinished = || Fault::new(start, "this string does not end");
        let bytes = self.text.as_bytes();
        let mut out = Vec::new();
        loop {
            let byte = *bytes.get(self.at).ok_or_else(unfinished)?;
            self.at += 1;
            match byte {
                b'"' => return Ok(out),
                b'\\' => {
                    let escape = *bytes.get(self.at).ok_or_else(unfinished)?;
                    self.at += 1;
                    out.push(self.escape(escape)?);
                }
                _ => out.push(byte),
            }
        }
    }

    fn escape(&mut self, escape: u8) -> Result<u8, Fault> {
        match escape {
            b'n' => Ok(b'\n'),
            b't' => Ok(b'\t'),
            b'"' | b'\\' => Ok(escape),
            b'x' => {
                let digits = self.text.get(self.at..self.at + 2);
                let value = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
                let value = value.ok_or_else(|| Fault::new(self.at, "two hexadecimal digits are expected after \\x"))?;
                self.at += 2;
                Ok(value)
            }
            _ => Err(Fault::new(self.at - 1, "the escapes are \\n, \\t, \\\", \\\\ and \\xNN")),
        }
    }

    /// A number.
    pub(super) fn number(&mut self) -> Result<u128, Fault> {
        let start = self.at;
        let word = self.word();
        parse_number(word).ok_or_else(|| Fault::new(start, format!("a number is expected, not `{word}`")))
    }

    /// A sum of numbers and names.
    pub(super) fn expression(&mut self) -> Result<Expression, Fault> {
        let start = self.at;
        let mut terms = Vec::new();
        let mut negative = self.take('-');
        loop {
            terms.push((negative, self.term(start)?));
            if self.take('+') {
                negative = false;
            } else if self.take('-') {
                negative = true;
            } else {
                return Ok(Expression { terms, at: start });
            }
        }
    }

    fn term(&mut self, start: usize) -> Result<Term, Fault> {
        if self.rest().starts_with(|c: char| c.is_ascii_digit()) {
            return Ok(Term::Number(self.number()? as i128));
        }
        if self.rest().starts_with("index(") {
            self.at += "index(".len();
            let symbol = self.symbol()?;
            if !self.take(')') {
                return Err(Fault::new(self.at, "`)` is expected"));
            }
            return Ok(Term::Index(symbol));
        }
        match self.name()? {
            Some(name) => Ok(Term::Place(name)),
            None => Err(Fault::new(start, "a number, a label or a symbol is expected")),
        }
    }

    /// A symbol: its name, or `#` and its number.
    pub(super) fn symbol(&mut self) -> Result<SymbolReference, Fault> {
        let at = self.at;
        if self.take('#') {
            let number = self.number()?;
            let number = u32::try_from(number).map_err(|_| Fault::new(at, "this is no symbol number"))?;
            return Ok(SymbolReference::Number(number));
        }
        match self.name()? {
            Some(name) => Ok(SymbolReference::Name(name)),
            None => Err(Fault::new(at, "a symbol is expected: its name, or # and its number")),
        }
    }
}

/// A symbol as the text names it.
#[derive(Clone, Debug)]
pub(super) enum SymbolReference {
    Name(String),
    Number(u32),
}

/// A number in decimal or, after `0x`, hexadecimal.
pub(super) fn parse_number(text: &str) -> Option<u128> {
    match text.strip_prefix("0x") {
        Some(digits) => u128::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

/// Where the comment of a line starts, or its end.
fn comment_start(line: &str) -> usize {
    let mut quoted = false;
    let mut escaped = false;
    let bytes = line.as_bytes();
    for (position, &byte) in bytes.iter().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            b'/' if !quoted && bytes.get(position + 1) == Some(&b'/') => return position,
            _ => {}
        }
    }
    line.len()
}
