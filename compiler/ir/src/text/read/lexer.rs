//! Tokens of LLVM's assembly.

use std::ops::Range;

/// What a token is. Its text is the source at its range.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// `@name`, `@"name"` or `@0`.
    Global,
    /// `%name`, `%"name"` or `%0`.
    Local,
    /// `$name`.
    Comdat,
    /// `!name`, `!0`, or `!` alone.
    Metadata,
    /// `#0`.
    Group,
    /// `#dbg_value` and its like.
    Record,
    /// A keyword or type name.
    Word,
    /// A name and a colon.
    Label,
    /// Decimal digits, perhaps after a minus.
    Integer,
    /// A decimal number with a point.
    Decimal,
    /// `0x…` in any of its forms.
    Hexadecimal,
    /// `"…"`.
    Text,
    /// Any of those with quotation marks, of which the last is missing.
    Open,
    /// `c"…"`.
    Bytes,
    /// `...`.
    Ellipsis,
    /// One character.
    Mark(u8),
    /// The end of the source.
    End,
}

impl Kind {
    /// Whether it is a name behind a sigil, which may stand in quotation marks.
    pub(super) fn is_name(self) -> bool {
        matches!(self, Kind::Global | Kind::Local | Kind::Comdat)
    }
}

/// A token.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    pub(super) kind: Kind,
    start: u32,
    end: u32,
}

impl Token {
    pub(super) fn range(&self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    pub(super) fn text<'s>(&self, source: &'s str) -> &'s str {
        source.get(self.range()).unwrap_or("")
    }

    /// Whether nothing but the beginning of a line is before it.
    pub(super) fn starts_line(&self, source: &str) -> bool {
        self.start == 0 || source.as_bytes().get(self.start as usize - 1) == Some(&b'\n')
    }
}

/// All tokens of a text, the last one `End`. A character that starts none is a `Mark`.
pub(super) fn tokens(text: &str) -> Vec<Token> {
    let mut lexer = Lexer {
        bytes: text.as_bytes(),
        place: 0,
    };
    let mut tokens = Vec::with_capacity(text.len() / 5);
    loop {
        lexer.skip_space();
        let start = lexer.place;
        let kind = lexer.next();
        tokens.push(Token {
            kind,
            start: start as u32,
            end: lexer.place as u32,
        });
        if kind == Kind::End {
            return tokens;
        }
    }
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-$._".contains(&byte)
}

struct Lexer<'s> {
    bytes: &'s [u8],
    place: usize,
}

impl Lexer<'_> {
    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.place + ahead).copied().unwrap_or(0)
    }

    fn skip_while(&mut self, test: impl Fn(u8) -> bool) {
        while self.bytes.get(self.place).is_some_and(|&byte| test(byte)) {
            self.place += 1;
        }
    }

    fn skip_space(&mut self) {
        loop {
            self.skip_while(|byte| byte.is_ascii_whitespace());
            if self.peek(0) != b';' {
                return;
            }
            self.skip_while(|byte| byte != b'\n');
        }
    }

    /// Past the closing quotation mark, if there is one; `place` is at the opening one.
    fn skip_quoted(&mut self) -> bool {
        self.place += 1;
        self.skip_while(|byte| byte != b'"');
        let closed = self.place < self.bytes.len();
        self.place = (self.place + 1).min(self.bytes.len());
        closed
    }

    /// A name after a sigil.
    fn named(&mut self, kind: Kind) -> Kind {
        self.place += 1;
        if self.peek(0) == b'"' {
            return if self.skip_quoted() { kind } else { Kind::Open };
        }
        self.skip_while(is_name);
        kind
    }

    fn next(&mut self) -> Kind {
        let Some(&byte) = self.bytes.get(self.place) else {
            return Kind::End;
        };
        match byte {
            b'@' => self.named(Kind::Global),
            b'%' => self.named(Kind::Local),
            b'$' => self.named(Kind::Comdat),
            b'!' if self.peek(1) == b'"' => {
                self.place += 1;
                Kind::Metadata
            }
            b'!' => {
                self.place += 1;
                self.skip_while(|byte| is_name(byte) || byte == b'\\');
                Kind::Metadata
            }
            b'#' => {
                self.place += 1;
                if self.peek(0).is_ascii_digit() {
                    self.skip_while(|byte| byte.is_ascii_digit());
                    return Kind::Group;
                }
                self.skip_while(is_name);
                Kind::Record
            }
            b'"' => {
                if !self.skip_quoted() {
                    return Kind::Open;
                }
                self.label_or(Kind::Text)
            }
            b'c' if self.peek(1) == b'"' => {
                self.place += 1;
                if self.skip_quoted() { Kind::Bytes } else { Kind::Open }
            }
            b'.' if self.peek(1) == b'.' && self.peek(2) == b'.' => {
                self.place += 3;
                Kind::Ellipsis
            }
            b'0'..=b'9' | b'-' | b'+' => self.number(),
            _ if is_name(byte) => {
                self.skip_while(is_name);
                self.label_or(Kind::Word)
            }
            _ => {
                // Whole characters, so that ranges can be shown.
                self.place += 1;
                while self.peek(0) & 0xc0 == 0x80 && self.place < self.bytes.len() {
                    self.place += 1;
                }
                Kind::Mark(byte)
            }
        }
    }

    fn label_or(&mut self, kind: Kind) -> Kind {
        if self.peek(0) == b':' {
            self.place += 1;
            return Kind::Label;
        }
        kind
    }

    fn number(&mut self) -> Kind {
        let start = self.place;
        if self.peek(0) == b'0' && self.peek(1) == b'x' {
            self.place += 2;
            self.skip_while(|byte| byte.is_ascii_alphanumeric());
            return Kind::Hexadecimal;
        }
        self.place += 1;
        self.skip_while(|byte| byte.is_ascii_digit());
        if self.peek(0) == b'.' && self.bytes[start..self.place].iter().any(u8::is_ascii_digit) {
            self.place += 1;
            self.skip_while(|byte| byte.is_ascii_digit());
            if matches!(self.peek(0), b'e' | b'E') {
                self.place += 1;
                if matches!(self.peek(0), b'+' | b'-') {
                    self.place += 1;
                }
                self.skip_while(|byte| byte.is_ascii_digit());
            }
            return Kind::Decimal;
        }
        if is_name(self.peek(0)) && !self.peek(0).is_ascii_digit() {
            // A label such as `-x:` or `1a:`.
            self.skip_while(is_name);
            return self.label_or(Kind::Word);
        }
        self.label_or(Kind::Integer)
    }
}

/// The name that a token with a sigil or a label stands for, its quotation marks and escapes resolved.
pub(super) fn name(text: &str) -> String {
    let text = text.strip_prefix(['@', '%', '$', '!']).unwrap_or(text);
    let text = text.strip_suffix(':').unwrap_or(text);
    String::from_utf8_lossy(&bytes(text)).into_owned()
}

/// The bytes of a text, its quotation marks and escapes (`\XX`, `\\`) resolved.
pub(super) fn bytes(text: &str) -> Vec<u8> {
    let text = text
        .strip_prefix('c')
        .filter(|rest| rest.starts_with('"'))
        .unwrap_or(text);
    let inner = text
        .strip_prefix('"')
        .map_or(text, |rest| rest.strip_suffix('"').unwrap_or(rest));
    let mut out = Vec::with_capacity(inner.len());
    let mut rest = inner.as_bytes();
    while let Some((&byte, tail)) = rest.split_first() {
        rest = tail;
        if byte != b'\\' {
            out.push(byte);
            continue;
        }
        let digit = |index: usize| tail.get(index).and_then(|&digit| char::from(digit).to_digit(16));
        match (digit(0), digit(1)) {
            (Some(high), Some(low)) => {
                out.push((high * 16 + low) as u8);
                rest = &tail[2..];
            }
            _ if tail.first() == Some(&b'\\') => {
                out.push(b'\\');
                rest = &tail[1..];
            }
            _ => out.push(b'\\'),
        }
    }
    out
}
