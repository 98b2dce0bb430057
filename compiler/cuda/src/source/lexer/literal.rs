//! Where comments and literals end, and tokens that are literals.

use super::super::Context;
use super::super::diagnostic::Report;
use super::super::intern::Symbol;
use super::super::map::{Origin, Span};
use super::RawKind;
use super::cursor::{BLANK, Cursor, DIGIT, WORD, as_text, character_at, class, clean, splice, symbol};

/// Where a `//` comment ends: at its line break.
pub(super) fn line_comment_end(text: &[u8], from: usize) -> usize {
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
pub(super) fn block_comment_end(text: &[u8], from: usize) -> Option<usize> {
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
pub(super) fn quoted_end(text: &[u8], start: usize) -> (usize, bool) {
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
pub(super) fn raw_string_end(text: &[u8], start: usize) -> Option<usize> {
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

/// Literal prefixes that may stand before `"` (and before `'` without `R`).
pub(super) fn is_prefix(word: &[u8]) -> bool {
    matches!(word, b"u8" | b"u" | b"U" | b"L" | b"R" | b"u8R" | b"uR" | b"UR" | b"LR")
}

/// Suffixes of user-defined literals without an underscore: those of the standard library. Other words after a literal are a token of their own.
pub(crate) fn is_library_suffix(text: &str) -> bool {
    const SUFFIXES: [&str; 12] = ["s", "sv", "h", "min", "ms", "us", "ns", "i", "il", "if", "d", "y"];
    SUFFIXES.contains(&text)
}

/// Passes over a preprocessing number [lex.ppnumber].
pub(super) fn number(cursor: &mut Cursor<'_>) {
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
pub(super) fn literal(
    cursor: &mut Cursor<'_>,
    context: &mut Context,
    start: usize,
    origin: Origin,
    prefix: &[u8],
) -> RawKind {
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
pub(super) fn other(cursor: &mut Cursor<'_>, context: &mut Context, start: usize) -> RawKind {
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
