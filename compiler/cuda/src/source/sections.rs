//! Headers of the prelude that are read only where a unit needs them: those of functions, which are most of it.
//!
//! A unit that has none of the names that a header declares means the same without it. So a unit is preprocessed first, then the headers that declare one of
//! its names, with those that they need, and their tokens are put before its own. Where such a unit has an error it is compiled again with all of them
//! ([`compile`](crate::compile)), so that what is said about it does not depend on this.

use std::sync::OnceLock;

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use super::Context;
use super::token::{Token, TokenKind};

/// The headers in the order in which they are read.
pub(crate) const SECTIONS: [&str; 10] = [
    "warpsmith/integer.h",
    "warpsmith/convert.h",
    "warpsmith/math.h",
    "warpsmith/memory.h",
    "warpsmith/warp.h",
    "warpsmith/atomic.h",
    "warpsmith/gnu_atomic.h",
    "warpsmith/simd.h",
    "warpsmith/simd_extremes.h",
    "warpsmith/texture.h",
];

/// The names that each header declares: a line with the header, then lines of names that are indented.
const NAMES: &str = include_str!("../../headers/warpsmith/names.tbl");

/// A bit for each header.
type Set = u16;

/// Which headers declare a name.
fn declaring(name: &str) -> Set {
    static HEADERS: OnceLock<HashMap<&str, Set, FxBuildHasher>> = OnceLock::new();
    let headers = HEADERS.get_or_init(|| {
        let mut headers = HashMap::default();
        let mut section = 0;
        for line in NAMES.lines() {
            if let Some(index) = SECTIONS.iter().position(|section| *section == line) {
                section = index;
            } else {
                for name in line.split_ascii_whitespace() {
                    *headers.entry(name).or_default() |= 1 << section;
                }
            }
        }
        headers
    });
    headers.get(name).copied().unwrap_or(0)
}

/// The headers that tokens need.
#[derive(Debug, Default)]
pub(crate) struct Needs {
    sections: Set,
    /// Names that have been looked up, a bit for each symbol.
    seen: Vec<u64>,
}

impl Needs {
    /// Adds those that declare a name among the tokens.
    pub(crate) fn add(&mut self, tokens: &[Token], context: &Context) {
        for token in tokens {
            let TokenKind::Identifier(name) = token.kind else {
                continue;
            };
            let (word, bit) = (name.index() / 64, 1 << (name.index() % 64));
            if self.seen.len() <= word {
                self.seen.resize(word + 64, 0);
            }
            if self.seen[word] & bit == 0 {
                self.seen[word] |= bit;
                self.sections |= declaring(context.text(name));
            }
        }
    }

    /// Whether a header is needed.
    pub(crate) fn has(&self, section: usize) -> bool {
        self.sections >> section & 1 != 0
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::source::token::{Keyword, Punctuator};
    use crate::source::{Definition, Memory, Mode, Options, Prelude, Standard, preprocess};

    /// The names that a header's tokens declare: more than these only cost time.
    fn declared(tokens: &[Token], context: &Context) -> BTreeSet<String> {
        let mut names = BTreeSet::new();
        // Of each brace, whether names within are of the whole unit; whether it is an enumeration's.
        let mut braces: Vec<(bool, bool)> = Vec::new();
        let (mut parentheses, mut opens, mut enumerates, mut tag) = (0, false, false, false);
        let mut at = 0;
        while let Some(token) = tokens.get(at) {
            let next = tokens.get(at + 1).map(|token| token.kind);
            let outside = parentheses == 0 && braces.iter().all(|(visible, _)| *visible);
            match token.kind {
                // Names of parameters of templates are not declared outside.
                TokenKind::Keyword(Keyword::Template) if next == Some(TokenKind::Punctuator(Punctuator::Less)) => {
                    let mut depth = 0;
                    loop {
                        at += 1;
                        depth += i32::from(tokens[at].is(Punctuator::Less));
                        depth -= i32::from(tokens[at].is(Punctuator::Greater));
                        if depth == 0 {
                            break;
                        }
                    }
                }
                TokenKind::Keyword(Keyword::Extern | Keyword::Namespace) => opens = true,
                TokenKind::Keyword(Keyword::Enum) => (enumerates, tag) = (true, true),
                TokenKind::Keyword(Keyword::Struct | Keyword::Union | Keyword::Class) => tag = true,
                TokenKind::Punctuator(Punctuator::LeftBrace) => {
                    braces.push((opens || enumerates, enumerates));
                    (opens, enumerates) = (false, false);
                }
                TokenKind::Punctuator(Punctuator::RightBrace) => {
                    braces.pop();
                }
                TokenKind::Punctuator(Punctuator::LeftParenthesis) => {
                    parentheses += 1;
                    opens = false;
                }
                TokenKind::Punctuator(Punctuator::RightParenthesis) => parentheses -= 1,
                TokenKind::Punctuator(Punctuator::Semicolon) => (opens, enumerates) = (false, false),
                TokenKind::Identifier(name) if outside && !(at > 0 && tokens[at - 1].is(Punctuator::DoubleColon)) => {
                    let follows = matches!(
                        next,
                        Some(TokenKind::Punctuator(
                            Punctuator::LeftParenthesis
                                | Punctuator::Equal
                                | Punctuator::Semicolon
                                | Punctuator::LeftBracket
                        ))
                    );
                    let enumerator = braces.last().is_some_and(|(_, enumerates)| *enumerates);
                    if follows || tag || enumerator {
                        names.insert(context.text(name).to_string());
                    }
                    tag = false;
                }
                _ => {}
            }
            at += 1;
        }
        names
    }

    #[test]
    fn the_table_has_the_names_that_headers_declare() {
        let mut names = [const { BTreeSet::new() }; SECTIONS.len()];
        let variants = [
            (750, Standard::Cpp17, false, Mode::DeviceOnly),
            (900, Standard::Cpp20, true, Mode::DeviceOnly),
            (1200, Standard::Cpp17, false, Mode::DeviceOnly),
        ];
        for (arch, standard, fast, mode) in variants {
            let files = Memory::new().with("t.cu", "");
            let options = Options {
                arch,
                standard,
                mode,
                prelude: Prelude::Whole,
                definitions: fast
                    .then(|| Definition::Define("__USE_FAST_MATH__".to_string()))
                    .into_iter()
                    .collect(),
                ..Options::default()
            };
            let mut context = Context::new();
            let unit = preprocess(&mut context, &files, &options, "t.cu");
            let file = |token: &Token| context.map.place(token.origin).map(|place| place.file.to_string());
            for (names, section) in names.iter_mut().zip(SECTIONS) {
                let own = |token: &&Token| file(token).is_some_and(|file| file.ends_with(section));
                let tokens: Vec<Token> = unit.tokens.list.iter().filter(own).copied().collect();
                names.extend(declared(&tokens, &context));
            }
        }
        let mut table = String::new();
        for (names, section) in names.iter().zip(SECTIONS) {
            table.push_str(section);
            let mut length = 200;
            for name in names {
                if length + name.len() > 150 {
                    table.push_str("\n   ");
                    length = 3;
                }
                table.push(' ');
                table.push_str(name);
                length += 1 + name.len();
            }
            table.push('\n');
        }
        assert!(table == NAMES, "headers/warpsmith/names.tbl should be\n{table}");
    }

    /// The files whose tokens a unit gets, in order.
    fn files_of(text: &str) -> Vec<String> {
        let files = Memory::new().with("t.cu", text);
        let mut context = Context::new();
        let unit = preprocess(&mut context, &files, &Options::default(), "t.cu");
        let mut list: Vec<String> = Vec::new();
        for token in &unit.tokens.list {
            let file = context
                .map
                .place(token.origin)
                .map(|place| place.file.to_string())
                .unwrap_or_default();
            let name = file.rsplit('/').next().unwrap_or_default().to_string();
            if list.last() != Some(&name) && !list.contains(&name) {
                list.push(name);
            }
        }
        list
    }

    #[test]
    fn a_unit_gets_the_headers_of_its_names_and_what_they_need() {
        const CORE: [&str; 4] = ["types.h", "stdint.h", "vector.h", "runtime.h"];
        let with = |others: &[&'static str]| -> Vec<&str> { [&CORE, others].concat() };
        assert_eq!(files_of("int x;"), with(&["t.cu"]));
        assert_eq!(
            files_of("float f(float x) { return __fsqrt_rn(x); }"),
            with(&["convert.h", "t.cu"])
        );
        // Names that macros make; and a macro of the unit is not one of the headers.
        assert_eq!(
            files_of("#define value 3\n#define A(x) atomic##x\nint f(int *p) { return A(Add)(p, value); }"),
            with(&["memory.h", "atomic.h", "t.cu"])
        );
        assert_eq!(
            files_of("int f(int *p) { return __atomic_load_n(p, 0); }")
                .last()
                .map(String::as_str),
            Some("t.cu")
        );
    }

    #[test]
    fn headers_leave_no_macros() {
        let macros = |prelude| {
            let files = Memory::new().with("t.cu", "");
            let options = Options {
                prelude,
                ..Options::default()
            };
            let mut context = Context::new();
            let mut preprocessor = crate::source::preprocess::Preprocessor::new(&mut context, &files, &options, "t.cu");
            while preprocessor.next().kind != crate::source::lexer::RawKind::End {}
            preprocessor.macro_names()
        };
        let own = |name: &String| !name.starts_with("__WARPSMITH_");
        let whole: Vec<String> = macros(Prelude::Whole).into_iter().filter(own).collect();
        let part: Vec<String> = macros(Prelude::AsNeeded).into_iter().filter(own).collect();
        assert_eq!(whole, part);
    }
}
