//! Characters → preprocessing tokens (translation phases 1 to 3).
//!
//! Nothing is copied on the way: a token is read where it stands, and only one that is broken by a line splice is put together anew.

use std::sync::Arc;

use warpsmith_base::SourceText;

use super::Context;
use super::diagnostic::Report;
use super::intern::{Symbol, names};
use super::map::{FileId, Origin, Span};
use super::token::Punctuator;

/// A preprocessing token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RawToken {
    pub(crate) kind: RawKind,
    pub(crate) origin: Origin,
    pub(crate) flags: Flags,
}

/// What a preprocessing token is. Texts are symbols, so that tokens stay small and comparing them is comparing numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RawKind {
    /// A name; keywords are names here.
    Identifier(Symbol),
    /// A preprocessing number.
    Number(Symbol),
    /// A character literal with prefix, quotes and suffix.
    Character(Symbol),
    /// A string literal with prefix, quotes and suffix.
    String(Symbol),
    Punctuator(Punctuator),
    /// A character that starts nothing else.
    Other(char),
    /// A pragma, by its number in the preprocessor's list.
    Pragma(u32),
    /// Nothing: what is left of an empty operand of `##`.
    Placemarker,
    /// The end of a directive's line.
    EndOfLine,
    /// The end of the text, or of an argument that is expanded by itself.
    End,
}

/// Properties of a preprocessing token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(crate) struct Flags(u8);

impl Flags {
    /// White space or a comment stands before it.
    pub(crate) const SPACE: Flags = Flags(1);
    /// First of its line.
    pub(crate) const LINE_START: Flags = Flags(2);
    /// A name that is no longer to be expanded.
    pub(crate) const PAINTED: Flags = Flags(4);
    /// Spelled as digraph.
    pub(crate) const DIGRAPH: Flags = Flags(8);

    pub(crate) const fn has(self, other: Flags) -> bool {
        self.0 & other.0 != 0
    }

    pub(crate) const fn with(self, other: Flags) -> Flags {
        Flags(self.0 | other.0)
    }

    pub(crate) const fn only(self, other: Flags) -> Flags {
        Flags(self.0 & other.0)
    }

    pub(crate) const fn without(self, other: Flags) -> Flags {
        Flags(self.0 & !other.0)
    }
}

impl RawToken {
    pub(crate) fn is(&self, punctuator: Punctuator) -> bool {
        self.kind == RawKind::Punctuator(punctuator)
    }

    pub(crate) fn span(&self) -> Span {
        Span::of(self.origin)
    }

    /// Whether it ends what is being read: a line, an argument, the text.
    pub(crate) fn ends(&self) -> bool {
        matches!(self.kind, RawKind::EndOfLine | RawKind::End)
    }
}

/// Reads one file.
#[derive(Clone, Debug)]
pub(crate) struct Lexer {
    pub(crate) file: FileId,
    text: Arc<SourceText>,
    at: usize,
    /// Origin of the first byte.
    base: Origin,
    /// The next token is the first of its line.
    line_start: bool,
    /// A line break is a token: [`RawKind::EndOfLine`].
    pub(crate) in_directive: bool,
    /// `<=>` is one token.
    spaceship: bool,
}

/// Classes of bytes.
const WORD: u8 = 1;
const DIGIT: u8 = 2;
const BLANK: u8 = 4;

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

const fn class(byte: u8) -> u8 {
    CLASS[byte as usize]
}

/// A position in a text; reading passes over line splices.
struct Cursor<'t> {
    text: &'t [u8],
    at: usize,
    /// A splice was passed over, or a name has a character by number (`\u00e9`).
    unclean: bool,
}

impl Cursor<'_> {
    /// The byte here, splices passed over; 0 at the end.
    #[inline]
    fn peek(&mut self) -> u8 {
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
    fn peek_second(&mut self) -> u8 {
        self.peek();
        let mut at = self.at + 1;
        while let Some(length) = splice(self.text, at) {
            at += length;
        }
        self.text.get(at).copied().unwrap_or(0)
    }

    #[inline]
    fn bump(&mut self) {
        self.at += 1;
    }

    /// Passes over the byte if it is this one.
    fn take(&mut self, byte: u8) -> bool {
        let here = self.peek() == byte;
        if here {
            self.bump();
        }
        here
    }

    /// Passes over the characters of a name.
    #[inline]
    fn word(&mut self) {
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
fn splice(text: &[u8], at: usize) -> Option<usize> {
    if text.get(at) != Some(&b'\\') {
        return None;
    }
    let rest = &text[at + 1..];
    let blanks = rest.iter().take_while(|&&byte| class(byte) & BLANK != 0).count();
    (rest.get(blanks) == Some(&b'\n')).then_some(blanks + 2)
}

/// The character named by `\u` and four or `\U` and eight digits that stand here, and the length of that.
fn universal(text: &[u8], at: usize) -> Option<(char, usize)> {
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
fn character_at(text: &[u8], at: usize) -> Option<char> {
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

/// Literal prefixes that may stand before `"` (and before `'` without `R`).
fn is_prefix(word: &[u8]) -> bool {
    matches!(word, b"u8" | b"u" | b"U" | b"L" | b"R" | b"u8R" | b"uR" | b"UR" | b"LR")
}

/// Suffixes of user-defined literals without an underscore: those of the standard library. Other words after a literal are a token of their own.
pub(crate) fn is_library_suffix(text: &str) -> bool {
    const SUFFIXES: [&str; 12] = ["s", "sv", "h", "min", "ms", "us", "ns", "i", "il", "if", "d", "y"];
    SUFFIXES.contains(&text)
}

impl Lexer {
    /// From the start of a file.
    pub(crate) fn new(context: &Context, file: FileId, spaceship: bool) -> Lexer {
        let text = context.map.text(file).clone();
        // A byte order mark is no token.
        let at = if text.text().starts_with('\u{feff}') { 3 } else { 0 };
        Lexer {
            file,
            text,
            at,
            base: context.map.origin(file, 0),
            line_start: true,
            in_directive: false,
            spaceship,
        }
    }

    /// Where reading is.
    pub(crate) fn origin(&self) -> Origin {
        self.base.plus(self.at)
    }

    /// The line (of the text, from 1) where reading is.
    pub(crate) fn line(&self) -> usize {
        self.text.line_column(self.at).line
    }

    /// The next token.
    pub(crate) fn next(&mut self, context: &mut Context) -> RawToken {
        let mut flags = Flags::default();
        if let Some(end) = self.blanks(&mut flags, context) {
            return end;
        }
        let text = self.text.text().as_bytes();
        let start = self.at;
        let origin = self.base.plus(start);
        let mut cursor = Cursor {
            text,
            at: start,
            unclean: false,
        };
        let first = cursor.peek();
        let kind = if class(first) & DIGIT != 0 || first == b'.' && class(cursor.peek_second()) & DIGIT != 0 {
            number(&mut cursor);
            RawKind::Number(symbol(context, text, start, &cursor))
        } else if class(first) & WORD != 0 {
            cursor.word();
            let word = &text[start..cursor.at];
            if cursor.at - start <= 3 && matches!(cursor.peek(), b'"' | b'\'') && is_prefix(word) {
                literal(&mut cursor, context, start, origin, word)
            } else {
                RawKind::Identifier(symbol(context, text, start, &cursor))
            }
        } else if matches!(first, b'"' | b'\'') {
            literal(&mut cursor, context, start, origin, b"")
        } else if let Some((punctuator, digraph)) = punctuator(&mut cursor, first, self.spaceship) {
            if digraph {
                flags = flags.with(Flags::DIGRAPH);
            }
            RawKind::Punctuator(punctuator)
        } else {
            other(&mut cursor, context, start)
        };
        self.at = cursor.at;
        RawToken { kind, origin, flags }
    }

    /// Passes over white space and comments. Gives a token if a line to be noticed or the text ends.
    #[inline]
    fn blanks(&mut self, flags: &mut Flags, context: &mut Context) -> Option<RawToken> {
        if self.line_start {
            *flags = flags.with(Flags::LINE_START);
        }
        let text = self.text.text().as_bytes();
        loop {
            match text.get(self.at).copied() {
                Some(b'\n') => {
                    if self.in_directive {
                        return Some(self.end(RawKind::EndOfLine, *flags));
                    }
                    *flags = flags.with(Flags::LINE_START).with(Flags::SPACE);
                    self.at += 1;
                }
                Some(byte) if class(byte) & BLANK != 0 => {
                    *flags = flags.with(Flags::SPACE);
                    self.at += 1;
                }
                Some(b'/') => {
                    let mut cursor = Cursor {
                        text,
                        at: self.at + 1,
                        unclean: false,
                    };
                    match cursor.peek() {
                        b'/' => self.at = line_comment_end(text, cursor.at + 1),
                        b'*' => match block_comment_end(text, cursor.at + 1) {
                            Some(end) => self.at = end,
                            None => {
                                let origin = self.base.plus(self.at);
                                let message = "a comment that starts here does not end";
                                context.diagnostics.error(Span::of(origin), message);
                                self.at = text.len();
                            }
                        },
                        _ => break,
                    }
                    *flags = flags.with(Flags::SPACE);
                }
                Some(b'\\') => match splice(text, self.at) {
                    Some(length) => self.at += length,
                    None => break,
                },
                Some(_) => break,
                None if self.in_directive => return Some(self.end(RawKind::EndOfLine, *flags)),
                None => return Some(self.end(RawKind::End, *flags)),
            }
        }
        self.line_start = false;
        None
    }

    fn end(&mut self, kind: RawKind, flags: Flags) -> RawToken {
        self.line_start = true;
        RawToken {
            kind,
            origin: self.origin(),
            flags,
        }
    }

    /// A header name `<…>` or `"…"` if one stands here: its text without the delimiters, and whether it is in angle brackets.
    pub(crate) fn header_name(&mut self, context: &mut Context) -> Option<(String, bool, Origin)> {
        let mut flags = Flags::default();
        if self.blanks(&mut flags, context).is_some() {
            return None;
        }
        let rest = &self.text.text()[self.at..];
        let close = match rest.as_bytes().first()? {
            b'<' => '>',
            b'"' => '"',
            _ => return None,
        };
        let line = &rest[1..rest.find('\n').unwrap_or(rest.len())];
        let end = line.find(close)?;
        let origin = self.origin();
        let name = line[..end].to_string();
        self.at += end + 2;
        Some((name, close == '>', origin))
    }

    /// The rest of the line as it stands, for messages; the line's end is left.
    pub(crate) fn rest_of_line(&mut self) -> String {
        let text = self.text.text().as_bytes();
        let start = self.at;
        let mut at = start;
        while at < text.len() && text[at] != b'\n' {
            at += splice(text, at).unwrap_or(1);
        }
        self.at = at.min(text.len());
        clean(&self.text.text()[start..self.at], false).trim().to_string()
    }

    /// Passes over the rest of a group that is not to be read, up to the `#` of the next directive, which the next token is. False at the end.
    ///
    /// The text in between has to be taken apart only so far that comments and literals are known.
    pub(crate) fn skip_to_directive(&mut self) -> bool {
        let text = self.text.text().as_bytes();
        let mut at = self.at;
        let mut line_start = self.line_start;
        while let Some(&byte) = text.get(at) {
            match byte {
                b'\n' => {
                    line_start = true;
                    at += 1;
                    continue;
                }
                b'#' if line_start => break,
                b'%' if line_start && text.get(at + 1) == Some(&b':') => break,
                b'/' if text.get(at + 1) == Some(&b'/') => {
                    at = line_comment_end(text, at + 2);
                    continue;
                }
                b'/' if text.get(at + 1) == Some(&b'*') => {
                    at = block_comment_end(text, at + 2).unwrap_or(text.len());
                    continue;
                }
                b'"' if at > 0 && text[at - 1] == b'R' && !(at > 1 && class(text[at - 2]) & WORD != 0) => {
                    at = raw_string_end(text, at).unwrap_or(at + 1);
                }
                b'"' | b'\'' => at = quoted_end(text, at).0,
                b'\\' => at += splice(text, at).unwrap_or(1),
                _ if class(byte) & BLANK != 0 => {
                    at += 1;
                    continue;
                }
                _ if class(byte) & WORD != 0 => {
                    // A digit separator is not the start of a character literal.
                    let is_number = class(byte) & DIGIT != 0;
                    while text
                        .get(at)
                        .is_some_and(|&byte| class(byte) & WORD != 0 || is_number && byte == b'\'')
                    {
                        at += 1;
                    }
                }
                _ => at += 1,
            }
            line_start = false;
        }
        self.at = at;
        self.line_start = true;
        at < text.len()
    }
}

/// Where a `//` comment ends: at its line break.
fn line_comment_end(text: &[u8], from: usize) -> usize {
    let mut at = from;
    while let Some(&byte) = text.get(at) {
        match byte {
            b'\n' => break,
            b'\\' => at += splice(text, at).unwrap_or(1),
            _ => at += 1,
        }
    }
    at.min(text.len())
}

/// Where a block comment ends: after its `*/`.
fn block_comment_end(text: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    loop {
        at += text.get(at..)?.iter().position(|&byte| byte == b'*')? + 1;
        let mut after = at;
        while let Some(length) = splice(text, after) {
            after += length;
        }
        if text.get(after) == Some(&b'/') {
            return Some(after + 1);
        }
    }
}

/// Where a literal whose quote is at `start` ends, and whether it is closed there.
fn quoted_end(text: &[u8], start: usize) -> (usize, bool) {
    let quote = text[start];
    let mut at = start + 1;
    while let Some(&byte) = text.get(at) {
        match byte {
            b'\n' => return (at, false),
            b'\\' => match splice(text, at) {
                Some(length) => at += length,
                None => {
                    at += 1;
                    // What follows is escaped, unless it is the line's end.
                    while let Some(length) = splice(text, at) {
                        at += length;
                    }
                    if text.get(at).is_some_and(|&byte| byte != b'\n') {
                        at += 1;
                    }
                }
            },
            _ if byte == quote => return (at + 1, true),
            _ => at += 1,
        }
    }
    (text.len(), false)
}

/// Where a raw string whose quote is at `start` ends. `None` if it does not, or its delimiter is none.
fn raw_string_end(text: &[u8], start: usize) -> Option<usize> {
    let rest = text.get(start + 1..)?;
    let open = rest.iter().take(17).position(|&byte| byte == b'(')?;
    let delimiter = &rest[..open];
    if delimiter
        .iter()
        .any(|&byte| class(byte) & BLANK != 0 || matches!(byte, b')' | b'\\' | b'\n' | b'"'))
    {
        return None;
    }
    let mut at = start + 1 + open + 1;
    loop {
        at += text.get(at..)?.iter().position(|&byte| byte == b')')? + 1;
        let end = at + delimiter.len();
        if text.get(at..end) == Some(delimiter) && text.get(end) == Some(&b'"') {
            return Some(end + 1);
        }
    }
}

/// Passes over a preprocessing number [lex.ppnumber].
fn number(cursor: &mut Cursor<'_>) {
    let mut before = 0;
    loop {
        let byte = cursor.peek();
        let sign = matches!(byte, b'+' | b'-') && matches!(before, b'e' | b'E' | b'p' | b'P');
        let separator = byte == b'\'' && class(cursor.peek_second()) & WORD != 0;
        if class(byte) & WORD == 0 && byte != b'.' && !sign && !separator {
            if byte >= 0x80 || byte == b'\\' {
                let at = cursor.at;
                cursor.word();
                if cursor.at > at {
                    continue;
                }
            }
            return;
        }
        before = byte;
        cursor.bump();
    }
}

/// A character or string literal whose quote is at the cursor, after its prefix.
fn literal(cursor: &mut Cursor<'_>, context: &mut Context, start: usize, origin: Origin, prefix: &[u8]) -> RawKind {
    let quote = cursor.peek();
    let raw = prefix.ends_with(b"R");
    if raw && quote == b'\'' {
        return RawKind::Identifier(symbol(context, cursor.text, start, cursor));
    }
    let (end, what) = match raw {
        true => (raw_string_end(cursor.text, cursor.at), "raw string"),
        false => {
            let (end, closed) = quoted_end(cursor.text, cursor.at);
            if !closed {
                unclosed(context, origin, quote);
                cursor.at = end;
                // What is there is taken for an empty literal, so that the mistake makes no others.
                let (text, kind): (_, fn(Symbol) -> RawKind) = match quote {
                    b'"' => ("\"\"", RawKind::String),
                    _ => ("' '", RawKind::Character),
                };
                return kind(context.interner.intern(text));
            }
            (Some(end), "literal")
        }
    };
    let Some(end) = end else {
        let report = Report::error(Span::of(origin), format!("this {what} does not end"))
            .note("a raw string is `R\"delimiter(text)delimiter\"` with a delimiter of at most 16 characters");
        context.diagnostics.emit(report);
        cursor.at = cursor.text.len();
        return RawKind::String(context.interner.intern("\"\""));
    };
    let spliced = !raw
        && cursor.text[cursor.at..end]
            .windows(2)
            .any(|pair| pair[0] == b'\\' && class(pair[1]) & BLANK != 0 || pair == b"\\\n");
    cursor.at = end;
    cursor.unclean |= spliced;
    suffix(cursor);
    let symbol = match (raw, cursor.unclean) {
        (false, true) => literal_symbol(context, cursor.text, start, cursor.at),
        (true, _) | (false, false) => context.interner.intern(as_text(cursor.text, start, cursor.at)),
    };
    match quote {
        b'"' => RawKind::String(symbol),
        _ => RawKind::Character(symbol),
    }
}

/// The text of a literal without its splices.
fn literal_symbol(context: &mut Context, text: &[u8], start: usize, end: usize) -> Symbol {
    let cleaned = clean(as_text(text, start, end), false);
    context.interner.intern(&cleaned)
}

/// Passes over the suffix of a user-defined literal.
fn suffix(cursor: &mut Cursor<'_>) {
    let start = cursor.at;
    if class(cursor.peek()) & WORD == 0 || class(cursor.peek()) & DIGIT != 0 {
        return;
    }
    cursor.word();
    let text = as_text(cursor.text, start, cursor.at);
    if !text.starts_with('_') && !is_library_suffix(text) {
        cursor.at = start;
    }
}

fn unclosed(context: &mut Context, origin: Origin, quote: u8) {
    let character = quote as char;
    context.diagnostics.error(
        Span::of(origin),
        format!("the closing `{character}` of this literal is missing from its line"),
    );
}

/// A byte that starts nothing known: a name with characters past ASCII, or one character.
fn other(cursor: &mut Cursor<'_>, context: &mut Context, start: usize) -> RawKind {
    cursor.word();
    if cursor.at > start {
        return RawKind::Identifier(symbol(context, cursor.text, start, cursor));
    }
    match character_at(cursor.text, cursor.at) {
        Some(character) => {
            cursor.at += character.len_utf8();
            RawKind::Other(character)
        }
        None => {
            cursor.at = (cursor.at + 1).min(cursor.text.len());
            RawKind::Other(char::REPLACEMENT_CHARACTER)
        }
    }
}

/// The symbol of the text from `start` to the cursor.
fn symbol(context: &mut Context, text: &[u8], start: usize, cursor: &Cursor<'_>) -> Symbol {
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
fn as_text(text: &[u8], start: usize, end: usize) -> &str {
    std::str::from_utf8(&text[start..end]).unwrap_or_default()
}

/// A text without its line splices, and, if it is a name, with characters in place of their numbers.
fn clean(text: &str, name: bool) -> String {
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

/// The punctuator that starts with `first`, which the cursor is at, and whether it is spelled as digraph.
fn punctuator(cursor: &mut Cursor<'_>, first: u8, spaceship: bool) -> Option<(Punctuator, bool)> {
    use Punctuator as P;
    let simple = |cursor: &mut Cursor<'_>, punctuator| {
        cursor.bump();
        Some((punctuator, false))
    };
    match first {
        b'(' => return simple(cursor, P::LeftParenthesis),
        b')' => return simple(cursor, P::RightParenthesis),
        b'[' => return simple(cursor, P::LeftBracket),
        b']' => return simple(cursor, P::RightBracket),
        b'{' => return simple(cursor, P::LeftBrace),
        b'}' => return simple(cursor, P::RightBrace),
        b';' => return simple(cursor, P::Semicolon),
        b',' => return simple(cursor, P::Comma),
        b'?' => return simple(cursor, P::Question),
        b'~' => return simple(cursor, P::Tilde),
        b':' | b'.' | b'-' | b'+' | b'*' | b'/' | b'%' | b'^' | b'&' | b'|' | b'!' | b'=' | b'<' | b'>' | b'#' => {}
        _ => return None,
    }
    cursor.bump();
    // `with(a, x, b)`: `x` after this makes `a`, else it is `b`.
    let pair = |cursor: &mut Cursor<'_>, byte, two, one| if cursor.take(byte) { two } else { one };
    let mut digraph = false;
    let punctuator = match first {
        b':' if cursor.peek() == b'>' => {
            cursor.bump();
            digraph = true;
            P::RightBracket
        }
        b':' => pair(cursor, b':', P::DoubleColon, P::Colon),
        b'.' if cursor.peek() == b'.' && cursor.peek_second() == b'.' => {
            cursor.bump();
            cursor.peek();
            cursor.bump();
            P::Ellipsis
        }
        b'.' => pair(cursor, b'*', P::DotStar, P::Dot),
        b'-' if cursor.take(b'>') => pair(cursor, b'*', P::ArrowStar, P::Arrow),
        b'-' if cursor.take(b'-') => P::MinusMinus,
        b'-' => pair(cursor, b'=', P::MinusEqual, P::Minus),
        b'+' if cursor.take(b'+') => P::PlusPlus,
        b'+' => pair(cursor, b'=', P::PlusEqual, P::Plus),
        b'*' => pair(cursor, b'=', P::StarEqual, P::Star),
        b'/' => pair(cursor, b'=', P::SlashEqual, P::Slash),
        b'%' if cursor.take(b'=') => P::PercentEqual,
        b'%' if cursor.take(b'>') => {
            digraph = true;
            P::RightBrace
        }
        b'%' if cursor.take(b':') => {
            digraph = true;
            if cursor.peek() == b'%' && cursor.peek_second() == b':' {
                cursor.bump();
                cursor.peek();
                cursor.bump();
                P::DoubleHash
            } else {
                P::Hash
            }
        }
        b'%' => P::Percent,
        b'^' => pair(cursor, b'=', P::CaretEqual, P::Caret),
        b'&' if cursor.take(b'&') => P::DoubleAmpersand,
        b'&' => pair(cursor, b'=', P::AmpersandEqual, P::Ampersand),
        b'|' if cursor.take(b'|') => P::DoublePipe,
        b'|' => pair(cursor, b'=', P::PipeEqual, P::Pipe),
        b'!' => pair(cursor, b'=', P::ExclamationEqual, P::Exclamation),
        b'=' => pair(cursor, b'=', P::DoubleEqual, P::Equal),
        b'#' => pair(cursor, b'#', P::DoubleHash, P::Hash),
        b'<' => less(cursor, spaceship, &mut digraph),
        _ => greater(cursor),
    };
    Some((punctuator, digraph))
}

/// What starts with `<`, which has been passed over.
fn less(cursor: &mut Cursor<'_>, spaceship: bool, digraph: &mut bool) -> Punctuator {
    use Punctuator as P;
    match cursor.peek() {
        b'<' => {
            cursor.bump();
            match cursor.peek() {
                b'<' => {
                    cursor.bump();
                    P::TripleLess
                }
                b'=' => {
                    cursor.bump();
                    P::DoubleLessEqual
                }
                _ => P::DoubleLess,
            }
        }
        b'=' => {
            cursor.bump();
            if spaceship && cursor.take(b'>') {
                P::Spaceship
            } else {
                P::LessEqual
            }
        }
        b':' => {
            // `<::` is `<` and `::`, unless `:` or `>` follows [lex.pptoken].
            let at = cursor.at;
            cursor.bump();
            if cursor.peek() == b':' && !matches!(cursor.peek_second(), b':' | b'>') {
                cursor.at = at;
                return P::Less;
            }
            *digraph = true;
            P::LeftBracket
        }
        b'%' => {
            cursor.bump();
            *digraph = true;
            P::LeftBrace
        }
        _ => P::Less,
    }
}

/// What starts with `>`, which has been passed over.
fn greater(cursor: &mut Cursor<'_>) -> Punctuator {
    use Punctuator as P;
    match cursor.peek() {
        b'>' => {
            cursor.bump();
            match cursor.peek() {
                b'>' => {
                    cursor.bump();
                    P::TripleGreater
                }
                b'=' => {
                    cursor.bump();
                    P::DoubleGreaterEqual
                }
                _ => P::DoubleGreater,
            }
        }
        b'=' => {
            cursor.bump();
            P::GreaterEqual
        }
        _ => P::Greater,
    }
}

/// How a punctuator is spelled as digraph.
pub(crate) fn digraph_text(punctuator: Punctuator) -> &'static str {
    match punctuator {
        Punctuator::LeftBracket => "<:",
        Punctuator::RightBracket => ":>",
        Punctuator::LeftBrace => "<%",
        Punctuator::RightBrace => "%>",
        Punctuator::Hash => "%:",
        Punctuator::DoubleHash => "%:%:",
        other => other.text(),
    }
}

/// What the words that stand for operators mean [lex.digraph].
pub(crate) fn operator_word(text: &str) -> Option<Punctuator> {
    Some(match text {
        "and" => Punctuator::DoubleAmpersand,
        "and_eq" => Punctuator::AmpersandEqual,
        "bitand" => Punctuator::Ampersand,
        "bitor" => Punctuator::Pipe,
        "compl" => Punctuator::Tilde,
        "not" => Punctuator::Exclamation,
        "not_eq" => Punctuator::ExclamationEqual,
        "or" => Punctuator::DoublePipe,
        "or_eq" => Punctuator::PipeEqual,
        "xor" => Punctuator::Caret,
        "xor_eq" => Punctuator::CaretEqual,
        _ => return None,
    })
}

/// The text of a preprocessing token as written.
pub(crate) fn spelling(context: &Context, token: &RawToken, out: &mut String) {
    match token.kind {
        RawKind::Identifier(symbol)
        | RawKind::Number(symbol)
        | RawKind::Character(symbol)
        | RawKind::String(symbol) => {
            out.push_str(context.interner.text(symbol));
        }
        RawKind::Punctuator(punctuator) if token.flags.has(Flags::DIGRAPH) => out.push_str(digraph_text(punctuator)),
        RawKind::Punctuator(punctuator) => out.push_str(punctuator.text()),
        RawKind::Other(character) => out.push(character),
        RawKind::Pragma(_) | RawKind::Placemarker | RawKind::EndOfLine | RawKind::End => {}
    }
}

/// Reads a whole text that is no file of its own, such as two tokens pasted together: its tokens, or `None` if there is more than one.
pub(crate) fn single_token(context: &mut Context, text: &str, origin: Origin, spaceship: bool) -> Option<RawToken> {
    let mut lexer = Lexer {
        file: FileId(0),
        text: Arc::new(SourceText::new("", text)),
        at: 0,
        base: Origin::NONE,
        line_start: false,
        in_directive: false,
        spaceship,
    };
    let trap = context.diagnostics.trap();
    let first = lexer.next(context);
    let faults = context.diagnostics.release(trap);
    let whole =
        lexer.at == text.len() && faults.is_empty() && !text.starts_with(['/', ' ']) || text == "/" || text == "/=";
    let token = RawToken {
        origin,
        flags: first.flags.without(Flags::LINE_START),
        ..first
    };
    (whole && !first.ends()).then_some(token)
}

/// How many bytes the token at an offset has; for carets only, so that it may be simple. 0 at the end of the text.
pub(crate) fn token_length(text: &str, offset: usize) -> usize {
    let rest = text.as_bytes().get(offset..).unwrap_or_default();
    let Some(&first) = rest.first() else { return 0 };
    let word = |byte: &u8| class(*byte) & WORD != 0 || *byte >= 0x80;
    match first {
        b'"' | b'\'' => quoted_end(rest, 0).0,
        _ if word(&first) => {
            let length = rest.iter().take_while(|byte| word(byte)).count();
            match rest.get(length) {
                Some(b'"' | b'\'') if is_prefix(&rest[..length]) => quoted_end(rest, length).0,
                Some(b'.') if first.is_ascii_digit() => {
                    let fraction = rest[length + 1..].iter().take_while(|byte| word(byte)).count();
                    length + 1 + fraction
                }
                Some(_) | None => length,
            }
        }
        _ => {
            let mut cursor = Cursor {
                text: rest,
                at: 0,
                unclean: false,
            };
            match punctuator(&mut cursor, first, false) {
                // The parser has them one by one.
                Some((Punctuator::DoubleGreater | Punctuator::TripleGreater | Punctuator::DoubleGreaterEqual, _)) => 1,
                Some(_) => cursor.at,
                None => 1,
            }
        }
    }
}

/// Whether the name is one of those that a condition works off itself, such as `__has_include`.
pub(crate) fn is_condition_operator(name: Symbol) -> bool {
    [
        names::HAS_INCLUDE,
        names::HAS_INCLUDE_NEXT,
        names::HAS_BUILTIN,
        names::HAS_ATTRIBUTE,
        names::HAS_CPP_ATTRIBUTE,
        names::HAS_DECLSPEC_ATTRIBUTE,
        names::HAS_FEATURE,
        names::HAS_EXTENSION,
        names::HAS_WARNING,
        names::IS_IDENTIFIER,
    ]
    .contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The spellings of the tokens of a text, one space between.
    fn tokens(text: &str) -> String {
        let mut context = Context::new();
        let source = Arc::new(SourceText::new("t", text));
        let file = context.map.add_file(source, Origin::NONE, false).expect("fits");
        let mut lexer = Lexer::new(&context, file, false);
        let mut out = String::new();
        loop {
            let token = lexer.next(&mut context);
            if token.ends() {
                break;
            }
            if !out.is_empty() {
                out.push(' ');
            }
            spelling(&context, &token, &mut out);
        }
        for report in context.diagnostics.reports() {
            out += &format!(" !{}", report.message);
        }
        out
    }

    #[test]
    fn longest_match() {
        assert_eq!(tokens("x+++++y"), "x ++ ++ + y");
        assert_eq!(tokens("a<<<b>>>c"), "a <<< b >>> c");
        assert_eq!(tokens("a<<=b>>=c<=>d"), "a <<= b >>= c <= > d");
        assert_eq!(tokens("a->*b.*c...d..e"), "a ->* b .* c ... d . . e");
        assert_eq!(tokens("0xe+foo 1.e+3f .5'0 1'000"), "0xe+foo 1.e+3f .5'0 1'000");
    }

    #[test]
    fn digraphs() {
        assert_eq!(
            tokens("<::x:> <:::y <::> <%%> %: %:%:"),
            "< :: x :> <: :: y <: :> <% %> %: %:%:"
        );
    }

    #[test]
    fn splices_join() {
        assert_eq!(
            tokens("ab\\\ncd +\\\n+ 1\\ \n2 \"a\\\nb\" /\\\n* c *\\\n/ e"),
            "abcd ++ 12 \"ab\" e"
        );
    }

    #[test]
    fn comments() {
        assert_eq!(tokens("a/* / * */b//c\\\nd\ne"), "a b e");
        assert_eq!(tokens("a /* b"), "a !a comment that starts here does not end");
    }

    #[test]
    fn literals() {
        assert_eq!(
            tokens(r#"u8"a\"" L'\'' R"x()" )x" "a"_k "a"PRId 'a's"#),
            r#"u8"a\"" L'\'' R"x()" )x" "a"_k "a" PRId 'a's"#
        );
        assert_eq!(
            tokens("\"ab\nc 'd"),
            "\"\" c ' ' !the closing `\"` of this literal is missing from its line !the closing `'` of this literal is missing from its line"
        );
    }

    #[test]
    fn names_past_ascii() {
        assert_eq!(tokens("größe \\u00e9t\\u00E9 a·b €"), "größe été a·b €");
    }
}
