//! Tokens of PTX.
//!
//! A mnemonic or component name with all its dotted parts (`ld.global.L2::cache_hint.b32`, `%tid.x`) is one token, because most of a PTX text
//! is instructions and nobody needs the parts apart on the way in.

use logos::{Lexer, Logos, Skip};

use crate::Span;

/// Kinds of tokens; their text is the slice of the source.
#[derive(Logos, Clone, Copy, Debug, PartialEq, Eq)]
#[logos(utf8 = false)]
#[logos(extras = Extras)]
#[logos(error = Fault)]
#[logos(skip r"[ \t\r\n\x0c]+")]
#[logos(subpattern name = r"([a-zA-Z][a-zA-Z0-9_$]*|[_$%][a-zA-Z0-9_$]+)")]
#[logos(subpattern part = r"(\.[a-zA-Z0-9_$]+(::[a-zA-Z0-9_$]+)*)")]
#[logos(subpattern exponent = r"([eE][+-]?[0-9]+)")]
pub(crate) enum Token {
    /// A name without a dot.
    #[regex(r"(?&name)", priority = 10)]
    Identifier,
    /// A name followed at once by dotted parts.
    #[regex(r"(?&name)(?&part)+", priority = 9)]
    Dotted,
    /// A dot and a word: directives, types, modifiers.
    #[regex(r"(?&part)", priority = 5)]
    Directive,
    /// An integer in any base.
    #[regex(r"(0[0-7]*|[1-9][0-9]*|0[xX][0-9a-fA-F]+|0[bB][01]+)U?", priority = 8)]
    Integer,
    /// A decimal floating constant.
    #[regex(
        r"[0-9]+\.[0-9]*(?&exponent)?|\.[0-9]+(?&exponent)?|[0-9]+(?&exponent)",
        priority = 7
    )]
    Float,
    /// `0f` and eight digits.
    #[regex(r"0[fF][0-9a-fA-F]{8}", priority = 20)]
    Single,
    /// `0d` and sixteen digits.
    #[regex(r"0[dD][0-9a-fA-F]{16}", priority = 20)]
    Double,
    /// `"…"`; there are no escapes, and lines may end inside.
    #[token("\"", string)]
    String,
    #[token(";")]
    Semicolon,
    #[token(",")]
    Comma,
    #[token(":")]
    Colon,
    #[token("(")]
    ParenthesisOpen,
    #[token(")")]
    ParenthesisClose,
    #[token("{")]
    BraceOpen,
    #[token("}")]
    BraceClose,
    #[token("[")]
    BracketOpen,
    #[token("]")]
    BracketClose,
    #[token("<")]
    Less,
    #[token(">")]
    Greater,
    #[token("<=")]
    LessEqual,
    #[token(">=")]
    GreaterEqual,
    #[token("==")]
    EqualEqual,
    #[token("!=")]
    NotEqual,
    #[token("<<")]
    ShiftLeft,
    #[token(">>")]
    ShiftRight,
    #[token("&&")]
    AndAnd,
    #[token("||")]
    OrOr,
    #[token("@")]
    At,
    #[token("!")]
    Exclamation,
    #[token("|")]
    Bar,
    #[token("+")]
    Plus,
    #[token("-")]
    Minus,
    #[token("*")]
    Star,
    #[token("/")]
    Slash,
    #[token("%")]
    Percent,
    #[token("~")]
    Tilde,
    #[token("&")]
    Ampersand,
    #[token("^")]
    Caret,
    #[token("?")]
    Question,
    #[token("=")]
    Equal,
    /// `_` alone.
    #[token("_")]
    Underscore,
    /// Comments and line markers never leave the lexer.
    #[token("//", line_comment)]
    #[token("/*", block_comment)]
    #[token("#", line_marker)]
    Skipped,
    /// The end of the text.
    End,
    /// A character that begins nothing, or an unfinished string.
    Invalid,
    /// A comment without an end, up to the end of the text.
    UnfinishedComment,
}

/// Why a place is no token.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Fault {
    /// No token begins with this character.
    #[default]
    Character,
    /// The text ends inside a comment.
    Comment,
}

/// What the lexer notes on the way.
#[derive(Debug, Default)]
pub(crate) struct Extras {
    /// Line markers met so far.
    pub(crate) markers: Vec<LineMarker>,
}

/// `# LINE "FILE"`, as preprocessors write it: where the text after this line came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineMarker {
    /// Offset of the first byte of the line that has this number.
    pub offset: u32,
    /// The number of that line.
    pub line: u32,
    /// The file, between the quotes.
    pub file: Span,
}

fn string(lexer: &mut Lexer<'_, Token>) -> bool {
    let Some(length) = lexer.remainder().iter().position(|&byte| byte == b'"') else {
        return false;
    };
    lexer.bump(length + 1);
    true
}

/// Bytes up to the end of the line, without it.
fn rest_of_line(text: &[u8]) -> usize {
    text.iter().position(|&byte| byte == b'\n').unwrap_or(text.len())
}

fn line_comment(lexer: &mut Lexer<'_, Token>) -> Skip {
    let length = rest_of_line(lexer.remainder());
    lexer.bump(length);
    Skip
}

fn block_comment(lexer: &mut Lexer<'_, Token>) -> Result<Skip, Fault> {
    let rest = lexer.remainder();
    let mut start = 0;
    while let Some(star) = rest[start..].iter().position(|&byte| byte == b'*') {
        start += star + 1;
        if rest.get(start) == Some(&b'/') {
            lexer.bump(start + 1);
            return Ok(Skip);
        }
    }
    lexer.bump(rest.len());
    Err(Fault::Comment)
}

fn line_marker(lexer: &mut Lexer<'_, Token>) -> Result<Skip, Fault> {
    let rest = lexer.remainder();
    let line = &rest[..rest_of_line(rest)];
    let at = lexer.span().end;
    let (number, file) = read_marker(line).ok_or(Fault::Character)?;
    let offset = |index: usize| (at + index) as u32;
    lexer.bump(line.len());
    let marker = LineMarker {
        offset: offset(line.len() + 1),
        line: number,
        file: Span::new(offset(file.start), offset(file.end)),
    };
    lexer.extras.markers.push(marker);
    Ok(Skip)
}

/// Reads `{line} NUMBER "FILE"`; also where the file is in `text`.
fn read_marker(text: &[u8]) -> Option<(u32, std::ops::Range<usize>)> {
    let blanks = |from: usize| {
        text[from..]
            .iter()
            .take_while(|byte| matches!(byte, b' ' | b'\t'))
            .count()
    };
    let mut at = if text.starts_with(b"line") { 4 } else { 0 };
    at += blanks(at);
    let digits = text[at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let number = std::str::from_utf8(&text[at..at + digits]).ok()?.parse().ok()?;
    at += digits;
    at += blanks(at);
    let name = text[at..].strip_prefix(b"\"")?;
    let length = name.iter().position(|&byte| byte == b'"')?;
    Some((number, at + 1..at + 1 + length))
}

/// The tokens of a text, one at a time, with the current one at hand.
#[derive(Debug)]
pub(crate) struct Tokens<'t> {
    lexer: Lexer<'t, Token>,
    /// The text, which is ASCII.
    text: &'t str,
    /// The current token.
    pub(crate) kind: Token,
    /// Where it is.
    pub(crate) span: Span,
    /// End of the token before.
    pub(crate) previous_end: u32,
}

impl<'t> Tokens<'t> {
    /// Starts at the first token. The text must be ASCII and shorter than 4 GiB.
    pub(crate) fn new(text: &'t str) -> Tokens<'t> {
        let lexer = Token::lexer(text.as_bytes());
        let mut tokens = Tokens {
            lexer,
            text,
            kind: Token::End,
            span: Span::default(),
            previous_end: 0,
        };
        tokens.advance();
        tokens.previous_end = 0;
        tokens
    }

    /// Goes to the next token.
    #[inline]
    pub(crate) fn advance(&mut self) {
        self.previous_end = self.span.end;
        self.kind = match self.lexer.next() {
            Some(Ok(token)) => token,
            Some(Err(Fault::Character)) => Token::Invalid,
            Some(Err(Fault::Comment)) => Token::UnfinishedComment,
            None => Token::End,
        };
        let span = self.lexer.span();
        self.span = Span::new(span.start as u32, span.end as u32);
    }

    /// Goes to the end at once.
    pub(crate) fn stop(&mut self) {
        let rest = self.lexer.remainder().len();
        self.lexer.bump(rest);
        self.advance();
    }

    /// The text of the current token.
    #[inline]
    pub(crate) fn slice(&self) -> &'t str {
        self.slice_of(self.span)
    }

    /// The text at a span.
    #[inline]
    pub(crate) fn slice_of(&self, span: Span) -> &'t str {
        &self.text[span.range()]
    }

    /// The whole text.
    pub(crate) fn text(&self) -> &'t str {
        self.text
    }

    /// Line markers met so far.
    pub(crate) fn take_markers(&mut self) -> Vec<LineMarker> {
        std::mem::take(&mut self.lexer.extras.markers)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Kinds and texts of all tokens.
    fn tokens(text: &str) -> Vec<(Token, &str)> {
        let mut tokens = Tokens::new(text);
        let mut all = Vec::new();
        while tokens.kind != Token::End {
            all.push((tokens.kind, tokens.slice()));
            tokens.advance();
        }
        all
    }

    #[test]
    fn a_mnemonic_is_one_token() {
        assert_eq!(
            tokens("ld.global.L2::cache_hint.b32 %r1, [%rd2+-4];"),
            [
                (Token::Dotted, "ld.global.L2::cache_hint.b32"),
                (Token::Identifier, "%r1"),
                (Token::Comma, ","),
                (Token::BracketOpen, "["),
                (Token::Identifier, "%rd2"),
                (Token::Plus, "+"),
                (Token::Minus, "-"),
                (Token::Integer, "4"),
                (Token::BracketClose, "]"),
                (Token::Semicolon, ";"),
            ]
        );
    }

    #[test]
    fn numbers_end_where_their_digits_end() {
        assert_eq!(tokens("0b2"), [(Token::Integer, "0"), (Token::Identifier, "b2")]);
        assert_eq!(tokens("09"), [(Token::Integer, "0"), (Token::Integer, "9")]);
        assert_eq!(tokens("0x1FU"), [(Token::Integer, "0x1FU")]);
        assert_eq!(
            tokens("1.e5 .5 1e5"),
            [(Token::Float, "1.e5"), (Token::Float, ".5"), (Token::Float, "1e5")]
        );
        assert_eq!(tokens("4.b32"), [(Token::Float, "4."), (Token::Identifier, "b32")]);
        assert_eq!(
            tokens("0f3f800000 0f3f8"),
            [
                (Token::Single, "0f3f800000"),
                (Token::Integer, "0"),
                (Token::Identifier, "f3f8")
            ]
        );
        assert_eq!(tokens("0D3FF0000000000000"), [(Token::Double, "0D3FF0000000000000")]);
        assert_eq!(tokens("5%3"), [(Token::Integer, "5"), (Token::Identifier, "%3")]);
        assert_eq!(tokens(".2d"), [(Token::Directive, ".2d")]);
    }

    #[test]
    fn lone_signs_are_no_names() {
        assert_eq!(
            tokens("_ % $"),
            [(Token::Underscore, "_"), (Token::Percent, "%"), (Token::Invalid, "$")]
        );
    }

    #[test]
    fn comments_and_strings() {
        assert_eq!(
            tokens("a /* b */ c // d\n/**/e"),
            [
                (Token::Identifier, "a"),
                (Token::Identifier, "c"),
                (Token::Identifier, "e")
            ]
        );
        assert_eq!(
            tokens("a /* b *"),
            [(Token::Identifier, "a"), (Token::UnfinishedComment, "/* b *")]
        );
        assert_eq!(
            tokens("\"a\nb\" \"c"),
            [
                (Token::String, "\"a\nb\""),
                (Token::Invalid, "\""),
                (Token::Identifier, "c")
            ]
        );
    }

    #[test]
    fn line_markers_are_noted() {
        let text = "a # 77 \"x.c\" 3\nb";
        let mut all = Tokens::new(text);
        all.advance();
        assert_eq!(all.slice(), "b");
        let markers = all.take_markers();
        assert_eq!(
            markers,
            [LineMarker {
                offset: 15,
                line: 77,
                file: Span::new(8, 11)
            }]
        );
        assert_eq!(tokens("# 77\n"), [(Token::Invalid, "#"), (Token::Integer, "77")]);
    }
}
