//! Preprocessing tokens → tokens of the parser (translation phases 5 to 7): keywords, values of literals, adjacent strings joined.

use super::decode;
use super::intern::Symbol;
use super::lexer::{Flags, RawKind, RawToken, operator_word};
use super::literal::{Encoding, IntegerLiteral, IntegerSize, Literal, StringLiteral};
use super::map::Span;
use super::options::Standard;
use super::preprocess::{Preprocessor, RawPragmaKind};
use super::sections::{self, Needs};
use super::token::{Keyword, LiteralId, Pragma, PragmaId, PragmaKind, Punctuator, Token, TokenKind, Tokens};

/// Makes tokens, a list at a time.
pub(crate) struct Finisher {
    tokens: Tokens,
    standard: Standard,
    /// What each operator word stands for, by its symbol.
    words: Vec<(Symbol, Punctuator)>,
    /// Strings that stand together so far.
    strings: Vec<RawToken>,
    /// Headers whose parts are chosen at the end, with the number of tokens before them.
    included: Vec<(usize, u8)>,
}

const OPERATOR_WORDS: [&str; 11] = [
    "and", "and_eq", "bitand", "bitor", "compl", "not", "not_eq", "or", "or_eq", "xor", "xor_eq",
];

impl Finisher {
    pub(crate) fn new(preprocessor: &mut Preprocessor<'_>) -> Finisher {
        let interner = &mut preprocessor.context.interner;
        let words = OPERATOR_WORDS
            .iter()
            .filter_map(|word| Some((interner.intern(word), operator_word(word)?)))
            .collect();
        Finisher {
            tokens: Tokens::default(),
            standard: preprocessor.options.standard,
            words,
            strings: Vec::new(),
            included: Vec::new(),
        }
    }

    /// All tokens of the unit, and whether headers of the prelude were left out.
    pub(crate) fn unit(mut self, preprocessor: &mut Preprocessor<'_>) -> (Tokens, bool) {
        let mut prelude = None;
        let end = loop {
            let token = preprocessor.next();
            if prelude.is_none() && preprocessor.is_after_prelude() {
                self.flush(preprocessor);
                let functions = sections::PRELUDE.iter().filter_map(|name| sections::section(name));
                let at = self.tokens.list.len();
                self.included.extend(functions.map(|section| (at, section)));
                prelude = Some(at);
            }
            if token.kind == RawKind::End {
                break token;
            }
            self.add(&token, preprocessor);
        };
        self.flush(preprocessor);
        let left_out = self.sections(preprocessor);
        self.push(TokenKind::End, &end);
        (self.tokens, left_out)
    }

    /// Reads what the unit needs of the headers that are read in parts, and puts their tokens where the headers are. Says whether something is left out.
    fn sections(&mut self, preprocessor: &mut Preprocessor<'_>) -> bool {
        let end = self.tokens.list.len();
        let included = std::mem::take(&mut self.included);
        let mut needs = Needs::of(included.iter().map(|(_, section)| *section));
        for pragma in &self.tokens.pragmas {
            needs.add(&pragma.tokens, preprocessor.context);
        }
        needs.add(&self.tokens.list, preprocessor.context);
        needs.close();
        let mut left_out = false;
        let mut pieces = Vec::new();
        for (at, section) in included {
            left_out |= needs.leaves_out(section);
            let first = self.tokens.list.len();
            if let Some(text) = needs.text(section)
                && preprocessor.enter_section(section, text)
            {
                self.file(preprocessor);
                pieces.push((at, first..self.tokens.list.len()));
            }
        }
        if !pieces.is_empty() {
            let read = std::mem::take(&mut self.tokens.list);
            self.tokens.list.reserve(read.len());
            let mut done = 0;
            for (at, tokens) in pieces {
                self.tokens.list.extend(&read[done..at]);
                self.tokens.list.extend(&read[tokens]);
                done = at;
            }
            self.tokens.list.extend(&read[done..end]);
        }
        left_out
    }

    /// The tokens up to the end of what is being read.
    fn file(&mut self, preprocessor: &mut Preprocessor<'_>) {
        loop {
            let token = preprocessor.next();
            if token.kind == RawKind::End {
                return self.flush(preprocessor);
            }
            self.add(&token, preprocessor);
        }
    }

    #[inline]
    fn add(&mut self, token: &RawToken, preprocessor: &mut Preprocessor<'_>) {
        if let RawKind::String(_) = token.kind {
            self.strings.push(*token);
            return;
        }
        self.flush(preprocessor);
        let kind = match token.kind {
            RawKind::Identifier(name) => self.name(name),
            RawKind::Punctuator(punctuator) => return self.punctuator(punctuator, token),
            RawKind::Number(symbol) => {
                if let Some(value) = short_decimal(preprocessor.context.text(symbol)) {
                    let kind = self.literal(value);
                    return self.push(kind, token);
                }
                let text = preprocessor.context.text(symbol).to_string();
                let value = decode::number(&text, token.span(), preprocessor.context);
                self.literal(value.unwrap_or(ZERO))
            }
            RawKind::Character(symbol) => {
                let text = preprocessor.context.text(symbol).to_string();
                let value = decode::character(&text, token.span(), preprocessor.context);
                self.literal(value.map_or(ZERO, Literal::Character))
            }
            RawKind::Other(character) => TokenKind::Unknown(character),
            RawKind::Pragma(number) => return self.pragma(number, token, preprocessor),
            RawKind::String(_) | RawKind::Placemarker | RawKind::EndOfLine | RawKind::End => return,
        };
        self.push(kind, token);
    }

    fn name(&self, name: Symbol) -> TokenKind {
        if let Some(keyword) = name.keyword() {
            return match is_later(keyword) && self.standard < Standard::Cpp20 {
                true => TokenKind::Identifier(name),
                false => TokenKind::Keyword(keyword),
            };
        }
        let word = self.words.iter().find(|&&(word, _)| word == name);
        word.map_or(TokenKind::Identifier(name), |&(_, punctuator)| {
            TokenKind::Punctuator(punctuator)
        })
    }

    fn literal(&mut self, value: Literal) -> TokenKind {
        self.tokens.literals.push(value);
        TokenKind::Literal(LiteralId(self.tokens.literals.len() as u32 - 1))
    }

    fn push(&mut self, kind: TokenKind, token: &RawToken) {
        self.tokens.list.push(Token {
            kind,
            origin: token.origin,
            space_before: token.flags.has(Flags::SPACE) || token.flags.has(Flags::LINE_START),
            line_start: token.flags.has(Flags::LINE_START),
            joined: false,
        });
    }

    /// A punctuator; those that begin with `>` one character at a time.
    fn punctuator(&mut self, punctuator: Punctuator, token: &RawToken) {
        let last = match punctuator {
            Punctuator::DoubleGreater => Punctuator::Greater,
            Punctuator::TripleGreater => Punctuator::Greater,
            Punctuator::DoubleGreaterEqual => Punctuator::GreaterEqual,
            _ => return self.push(TokenKind::Punctuator(punctuator), token),
        };
        let before = if punctuator == Punctuator::TripleGreater { 2 } else { 1 };
        for index in 0..=before {
            let kind = if index < before { Punctuator::Greater } else { last };
            self.push(TokenKind::Punctuator(kind), token);
            if let Some(pushed) = self.tokens.list.last_mut() {
                pushed.origin = token.origin.plus(index);
                pushed.joined = index < before;
                if index > 0 {
                    pushed.space_before = false;
                    pushed.line_start = false;
                }
            }
        }
    }

    /// Joins the strings that stand together.
    #[inline]
    fn flush(&mut self, preprocessor: &mut Preprocessor<'_>) {
        if !self.strings.is_empty() {
            self.join(preprocessor);
        }
    }

    fn join(&mut self, preprocessor: &mut Preprocessor<'_>) {
        let mut strings = std::mem::take(&mut self.strings);
        let texts: Vec<(String, Span)> = strings
            .iter()
            .filter_map(|token| match token.kind {
                RawKind::String(symbol) => Some((preprocessor.context.text(symbol).to_string(), token.span())),
                _ => None,
            })
            .collect();
        let pieces: Vec<(&str, Span)> = texts.iter().map(|(text, span)| (text.as_str(), *span)).collect();
        let empty = StringLiteral {
            encoding: Encoding::Ordinary,
            units: Vec::new(),
            user_suffix: None,
        };
        let value = decode::string_pieces(&pieces, preprocessor.context).unwrap_or(empty);
        let kind = self.literal(Literal::String(value));
        self.push(kind, &strings[0]);
        strings.clear();
        self.strings = strings;
    }

    fn pragma(&mut self, number: u32, token: &RawToken, preprocessor: &mut Preprocessor<'_>) {
        let pragma = preprocessor.pragmas[number as usize].clone();
        let kind = match pragma.kind {
            RawPragmaKind::Unroll => PragmaKind::Unroll,
            RawPragmaKind::NoUnroll => PragmaKind::NoUnroll,
            RawPragmaKind::Pack => PragmaKind::Pack,
            RawPragmaKind::Section(section) => {
                self.flush(preprocessor);
                return self.included.push((self.tokens.list.len(), section));
            }
            RawPragmaKind::Other => return,
        };
        let unit = std::mem::take(&mut self.tokens.list);
        for token in &pragma.tokens {
            self.add(token, preprocessor);
        }
        self.flush(preprocessor);
        let end = pragma.tokens.last().map_or(token.origin, |token| token.origin);
        self.push(
            TokenKind::End,
            &RawToken {
                kind: RawKind::End,
                origin: end,
                flags: Flags::default(),
            },
        );
        let tokens = std::mem::replace(&mut self.tokens.list, unit);
        self.tokens.pragmas.push(Pragma { kind, tokens });
        let id = PragmaId(self.tokens.pragmas.len() as u32 - 1);
        self.push(TokenKind::Pragma(id), token);
    }
}

/// The value of a number of few decimal digits alone, as most are.
fn short_decimal(text: &str) -> Option<Literal> {
    let bytes = text.as_bytes();
    let simple = bytes.len() <= 9 && bytes.iter().all(u8::is_ascii_digit) && (bytes[0] != b'0' || bytes.len() == 1);
    let Literal::Integer(zero) = ZERO else { return None };
    simple.then(|| {
        let value = bytes
            .iter()
            .fold(0, |value, &digit| value * 10 + u128::from(digit - b'0'));
        Literal::Integer(IntegerLiteral { value, ..zero })
    })
}

/// What stands for a literal that was wrong.
const ZERO: Literal = Literal::Integer(IntegerLiteral {
    value: 0,
    base: 10,
    unsigned: false,
    size: IntegerSize::Int,
    user_suffix: None,
    spelling: String::new(),
});

/// Keywords of C++20.
fn is_later(keyword: Keyword) -> bool {
    matches!(
        keyword,
        Keyword::Char8
            | Keyword::Concept
            | Keyword::Consteval
            | Keyword::Constinit
            | Keyword::CoAwait
            | Keyword::CoReturn
            | Keyword::CoYield
            | Keyword::Requires
    )
}
