//! Tokens of the lossless tree. Every byte of the text belongs to exactly one.
//!
//! Token boundaries are those of the vendor's assembler, as found by trying: words take `%` only at their start, `::` belongs to the dotted
//! word, `%` is an operator only where no word follows, a `//` comment ends at a line feed and nowhere else.

use super::SyntaxKind;

/// A token: its kind and where it starts; it ends where the next one starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Token {
    /// What it is.
    pub(crate) kind: SyntaxKind,
    /// Its first byte.
    pub(crate) start: u32,
}

/// Splits `text`, which is shorter than 4 GiB, into tokens.
pub(crate) fn lex(text: &str) -> Vec<Token> {
    let mut cursor = Cursor {
        text: text.as_bytes(),
        at: 0,
        line_start: true,
    };
    let mut tokens = Vec::with_capacity(text.len() / 3);
    while cursor.at < text.len() {
        let start = cursor.at;
        let kind = cursor.token();
        debug_assert!(cursor.at > start);
        tokens.push(Token {
            kind,
            start: start as u32,
        });
        cursor.line_start = match kind {
            SyntaxKind::Whitespace => cursor.line_start || text.as_bytes()[start..cursor.at].contains(&b'\n'),
            _ => false,
        };
    }
    tokens
}

struct Cursor<'t> {
    text: &'t [u8],
    at: usize,
    /// Whether only blanks stand before `at` on its line.
    line_start: bool,
}

/// Whether a byte may stand inside a word.
pub(super) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$')
}

impl Cursor<'_> {
    fn peek(&self, ahead: usize) -> u8 {
        self.text.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn skip_while(&mut self, accept: impl Fn(u8) -> bool) {
        while self.text.get(self.at).is_some_and(|&byte| accept(byte)) {
            self.at += 1;
        }
    }

    fn take(&mut self, length: usize, kind: SyntaxKind) -> SyntaxKind {
        self.at += length;
        kind
    }

    fn token(&mut self) -> SyntaxKind {
        use SyntaxKind::*;
        match (self.peek(0), self.peek(1)) {
            (b' ' | b'\t' | b'\n' | b'\r' | b'\x0c', _) => {
                self.skip_while(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | b'\x0c'));
                Whitespace
            }
            (b'/', b'/') => {
                self.skip_while(|byte| byte != b'\n');
                LineComment
            }
            (b'/', b'*') => self.delimited(2, b"*/", BlockComment),
            (b'"', _) => self.delimited(1, b"\"", String),
            (b'#', _) if self.is_line_marker() => {
                self.skip_while(|byte| byte != b'\n');
                LineMarker
            }
            (b'0'..=b'9', _) => self.number(),
            (b'.', b'0'..=b'9') if self.is_fraction() => self.number(),
            (b'.', next) if is_word(next) => self.dot_word(),
            (b'%', next) if is_word(next) => self.word(),
            (first, _) if is_word(first) => self.word(),
            (b'<', b'<' | b'=') | (b'>', b'>' | b'=') | (b'&', b'&') | (b'|', b'|') | (b'=', b'=') | (b'!', b'=') => {
                self.take(2, Infix)
            }
            (b'*' | b'/' | b'%' | b'&' | b'|' | b'^', _) => self.take(1, Infix),
            (b'(', _) => self.take(1, LeftParenthesis),
            (b')', _) => self.take(1, RightParenthesis),
            (b'[', _) => self.take(1, LeftBracket),
            (b']', _) => self.take(1, RightBracket),
            (b'{', _) => self.take(1, LeftBrace),
            (b'}', _) => self.take(1, RightBrace),
            (b',', _) => self.take(1, Comma),
            (b';', _) => self.take(1, Semicolon),
            (b':', _) => self.take(1, Colon),
            (b'@', _) => self.take(1, At),
            (b'=', _) => self.take(1, Equals),
            (b'?', _) => self.take(1, Question),
            (b'!' | b'~', _) => self.take(1, Prefix),
            (b'+' | b'-', _) => self.take(1, Sign),
            (b'<', _) => self.take(1, Less),
            (b'>', _) => self.take(1, Greater),
            _ => {
                // A run of what begins no token: control and non-ASCII characters stay whole, since a token is valid UTF-8.
                self.at += 1;
                self.skip_while(|byte| byte >= 0x80);
                Unknown
            }
        }
    }

    /// A token from an opening of `skip` bytes to `end`; without it, all that is left is unknown.
    fn delimited(&mut self, skip: usize, end: &[u8], kind: SyntaxKind) -> SyntaxKind {
        let rest = &self.text[self.at + skip..];
        match rest.windows(end.len()).position(|window| window == end) {
            Some(length) => self.take(skip + length + end.len(), kind),
            None => {
                self.at = self.text.len();
                SyntaxKind::Unknown
            }
        }
    }

    /// `# 3 …` or `#line 3 …` with nothing before it on its line.
    fn is_line_marker(&self) -> bool {
        let blank = |byte: &u8| matches!(byte, b' ' | b'\t');
        let after = |rest: &[u8]| rest.iter().find(|byte| !blank(byte)).is_some_and(u8::is_ascii_digit);
        let rest = &self.text[self.at + 1..];
        self.line_start
            && (after(rest)
                || rest
                    .strip_prefix(b"line")
                    .is_some_and(|rest| rest.first().is_some_and(blank) && after(rest)))
    }

    /// `.5` or `.5e3`, unlike `.2d`.
    fn is_fraction(&self) -> bool {
        let mut rest = &self.text[self.at + 1..];
        let digits = |rest: &[u8]| rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        rest = &rest[digits(rest)..];
        if let [b'e' | b'E', exponent @ ..] = rest {
            let exponent = exponent
                .strip_prefix(b"+")
                .or(exponent.strip_prefix(b"-"))
                .unwrap_or(exponent);
            if digits(exponent) > 0 {
                rest = &exponent[digits(exponent)..];
            }
        }
        !rest.first().is_some_and(|&byte| is_word(byte))
    }

    /// A number with whatever word follows it directly, so that wrong suffixes stay with their number.
    fn number(&mut self) -> SyntaxKind {
        let radix =
            self.peek(0) == b'0' && self.peek(1).is_ascii_alphabetic() && !matches!(self.peek(1), b'e' | b'E' | b'U');
        if !radix {
            self.skip_while(|byte| byte.is_ascii_digit());
            if self.peek(0) == b'.' {
                self.at += 1;
                self.skip_while(|byte| byte.is_ascii_digit());
            }
            let signed = matches!(self.peek(1), b'+' | b'-') && self.peek(2).is_ascii_digit();
            if matches!(self.peek(0), b'e' | b'E') && signed {
                self.at += 2;
            }
        }
        self.skip_while(is_word);
        SyntaxKind::Number
    }

    fn word(&mut self) -> SyntaxKind {
        self.at += 1;
        self.skip_while(is_word);
        SyntaxKind::Word
    }

    fn dot_word(&mut self) -> SyntaxKind {
        loop {
            self.at += 1;
            self.skip_while(is_word);
            if !(self.peek(0) == b':' && self.peek(1) == b':' && is_word(self.peek(2))) {
                return SyntaxKind::DotWord;
            }
            self.at += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{super::SyntaxKind, lex};

    /// Kinds and texts, without white space.
    fn tokens(text: &str) -> Vec<(SyntaxKind, &str)> {
        let tokens = lex(text);
        let ends = tokens
            .iter()
            .skip(1)
            .map(|token| token.start as usize)
            .chain([text.len()]);
        let all = tokens
            .iter()
            .zip(ends)
            .map(|(token, end)| (token.kind, &text[token.start as usize..end]));
        all.filter(|(kind, _)| *kind != SyntaxKind::Whitespace).collect()
    }

    fn texts(text: &str) -> Vec<&str> {
        tokens(text).into_iter().map(|(_, text)| text).collect()
    }

    #[test]
    fn mnemonics_are_words_and_dotted_words() {
        assert_eq!(texts("ld.shared::cta.v2.f32"), ["ld", ".shared::cta", ".v2", ".f32"]);
        assert_eq!(texts("tex.2d.v4"), ["tex", ".2d", ".v4"]);
        assert_eq!(texts("x::y"), ["x", ":", ":", "y"]);
    }

    #[test]
    fn numbers_end_where_the_vendor_ends_them() {
        assert_eq!(
            texts("1.5e+3 .5 .5e3 1. 1e5 8U"),
            ["1.5e+3", ".5", ".5e3", "1.", "1e5", "8U"]
        );
        assert_eq!(texts("0x1e+5"), ["0x1e", "+", "5"]);
        assert_eq!(texts("0f3F800000"), ["0f3F800000"]);
        assert_eq!(texts("4.b32"), ["4.b32"]);
    }

    #[test]
    fn percent_begins_a_word_or_is_an_operator() {
        assert_eq!(texts("5%3"), ["5", "%3"]);
        assert_eq!(texts("5 % 3"), ["5", "%", "3"]);
        assert_eq!(texts("%r1.x"), ["%r1", ".x"]);
    }

    #[test]
    fn comments_and_strings() {
        use SyntaxKind::{BlockComment, LineComment, String, Unknown, Word};
        assert_eq!(tokens("a//b\nc"), [(Word, "a"), (LineComment, "//b"), (Word, "c")]);
        assert_eq!(tokens("/* /* */a"), [(BlockComment, "/* /* */"), (Word, "a")]);
        assert_eq!(tokens("\"a\nb\""), [(String, "\"a\nb\"")]);
        assert_eq!(tokens("a /*/"), [(Word, "a"), (Unknown, "/*/")]);
        assert_eq!(tokens("\"é"), [(Unknown, "\"é")]);
    }

    #[test]
    fn line_markers_stand_alone() {
        use SyntaxKind::{LineMarker, Number, Unknown, Word};
        assert_eq!(tokens("  # 3 \"x\"\na"), [(LineMarker, "# 3 \"x\""), (Word, "a")]);
        assert_eq!(tokens("#line 3"), [(LineMarker, "#line 3")]);
        assert_eq!(tokens("a # 3"), [(Word, "a"), (Unknown, "#"), (Number, "3")]);
        assert_eq!(tokens("#a"), [(Unknown, "#"), (Word, "a")]);
    }

    #[test]
    fn unknown_characters_stay_whole() {
        assert_eq!(texts("\0é€a"), ["\0é€", "a"]);
    }
}
