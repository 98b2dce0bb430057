//! Characters → preprocessing tokens (translation phases 1 to 3).
//!
//! Nothing is copied on the way: a token is read where it stands, and only one that is broken by a line splice is put together anew.

mod cursor;
mod literal;
mod punctuator;

use std::sync::Arc;

use warpsmith_base::SourceText;

use super::Context;
use super::intern::{Symbol, names};
use super::map::{FileId, Origin, Span};
use super::token::Punctuator;
use cursor::{BLANK, Cursor, DIGIT, WORD, class, clean, splice, symbol};
pub(crate) use literal::is_library_suffix;
use literal::{block_comment_end, is_prefix, line_comment_end, literal, number, other, quoted_end, raw_string_end};
use punctuator::punctuator;
pub(crate) use punctuator::{digraph_text, operator_word};

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

    /// Goes on at an offset of the text, within a line.
    pub(crate) fn go_to(&mut self, at: usize) {
        self.at = at;
        self.line_start = false;
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
