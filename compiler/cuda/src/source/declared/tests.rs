//! The table is what the headers declare.

use std::collections::BTreeSet;

use super::*;
use crate::source::token::{Keyword, Punctuator, Token, TokenKind};
use crate::source::{Definition, Memory, Options, Prelude, preprocess, preprocess::Preprocessor};

/// What a brace opens.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Brace {
    /// A namespace of a name, or one whose names are seen outside.
    Namespace(Option<String>),
    /// An enumeration whose enumerators are seen outside.
    Enumeration,
    /// Anything else.
    Other,
}

/// The names that tokens declare outside of classes and functions.
fn declared(tokens: &[Token], context: &Context) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let mut braces: Vec<Brace> = Vec::new();
    let mut next = Brace::Other;
    let (mut parentheses, mut tag) = (0, false);
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        let follows = tokens.get(at + 1).map(|token| token.kind);
        match token.kind {
            TokenKind::Keyword(Keyword::Template) if follows == Some(TokenKind::Punctuator(Punctuator::Less)) => {
                let mut depth = 0;
                loop {
                    at += 1;
                    depth += i32::from(tokens[at].is(Punctuator::Less)) - i32::from(tokens[at].is(Punctuator::Greater));
                    if depth == 0 {
                        break;
                    }
                }
            }
            TokenKind::Keyword(Keyword::Extern) => next = Brace::Namespace(None),
            TokenKind::Keyword(Keyword::Namespace) => {
                let name = tokens.get(at + 1).and_then(|token| token.identifier());
                let is_inline = at > 0 && tokens[at - 1].is_keyword(Keyword::Inline);
                next = Brace::Namespace(name.filter(|_| !is_inline).map(|name| context.text(name).to_string()));
            }
            TokenKind::Keyword(Keyword::Enum) => (next, tag) = (Brace::Enumeration, true),
            TokenKind::Keyword(Keyword::Struct | Keyword::Union | Keyword::Class) => {
                // The enumerators of `enum class` are not seen.
                (next, tag) = (Brace::Other, true);
            }
            TokenKind::Punctuator(Punctuator::LeftBrace) => braces.push(std::mem::replace(&mut next, Brace::Other)),
            TokenKind::Punctuator(Punctuator::RightBrace) => drop(braces.pop()),
            TokenKind::Punctuator(Punctuator::LeftParenthesis) => (parentheses, next) = (parentheses + 1, Brace::Other),
            TokenKind::Punctuator(Punctuator::RightParenthesis) => parentheses -= 1,
            TokenKind::Punctuator(Punctuator::Semicolon) => next = Brace::Other,
            TokenKind::Identifier(name) if parentheses == 0 && !braces.contains(&Brace::Other) => {
                let is_qualified = at > 0 && tokens[at - 1].is(Punctuator::DoubleColon);
                let ends = matches!(
                    follows,
                    Some(TokenKind::Punctuator(
                        Punctuator::LeftParenthesis
                            | Punctuator::Equal
                            | Punctuator::Semicolon
                            | Punctuator::LeftBracket
                    ))
                );
                let enumerator = braces.last() == Some(&Brace::Enumeration);
                let is_namespace = at > 0 && tokens[at - 1].is_keyword(Keyword::Namespace);
                if (ends || tag || enumerator) && !is_qualified && !is_namespace {
                    let around = braces.iter().filter_map(|brace| match brace {
                        Brace::Namespace(name) => name.as_deref(),
                        Brace::Enumeration | Brace::Other => None,
                    });
                    let path: Vec<&str> = around.chain([context.text(name)]).collect();
                    names.insert(path.join("::"));
                }
                tag = false;
            }
            _ => {}
        }
        at += 1;
    }
    names
}

/// Whether a name is for programs: what the standard's headers keep for themselves is not.
fn is_public(name: &str) -> bool {
    let mut parts = name.split("::");
    let is_own = name.starts_with("std::") && parts.any(|part| part.starts_with('_'));
    let is_detail = name.contains("detail") || name.contains("__warpsmith") || name.contains("__WARPSMITH");
    let is_parameter = name.rsplit("::").next().is_some_and(|last| last.len() == 1);
    !is_own && !is_detail && !is_parameter
}

/// The macros after a text.
fn macros(text: &str) -> BTreeSet<String> {
    let files = Memory::new().with("t.cu", text);
    let options = Options {
        prelude: Prelude::Whole,
        ..Options::default()
    };
    let mut context = Context::new();
    let mut preprocessor = Preprocessor::new(&mut context, &files, &options, "t.cu");
    while preprocessor.next().kind != crate::source::lexer::RawKind::End {}
    preprocessor.macro_names().into_iter().collect()
}

/// The names that a header itself declares.
fn names_of(header: &str, before: &BTreeSet<String>) -> BTreeSet<String> {
    let text = format!("#include <{header}>\n");
    let files = Memory::new().with("t.cu", text.as_str());
    let options = Options {
        prelude: Prelude::Whole,
        // What a header leaves to the prelude is its own without it.
        definitions: vec![Definition::Undefine("__NV_BUILTIN_MOVE_FORWARD".to_string())],
        ..Options::default()
    };
    let mut context = Context::new();
    let unit = preprocess(&mut context, &files, &options, "t.cu");
    let own: Vec<Token> = (unit.tokens.list.iter())
        .filter(|token| {
            let place = context.map.place(token.origin);
            place.is_some_and(|place| place.file.strip_prefix("<built-in>/") == Some(header))
        })
        .copied()
        .collect();
    let own_text = headers::find(header).expect("a built-in header");
    let defined = macros(&text).into_iter().filter(|name| {
        let is_own = own_text.lines().any(|line| {
            let words: Vec<&str> = line.trim_start_matches(['#', ' ']).split([' ', '(']).collect();
            words.first() == Some(&"define") && words.get(1) == Some(&name.as_str())
        });
        is_own && !before.contains(name) && !name.starts_with('_')
    });
    let names = declared(&own, &context);
    names
        .into_iter()
        .filter(|name| is_public(name))
        .chain(defined)
        .collect()
}

#[test]
fn the_table_is_what_the_headers_declare() {
    let before = macros("");
    let mut table = String::from(
        "# The names that each built-in header declares, and its macros; what the prelude has is not here. The test of `source/declared` makes it:\n\
         # cargo xtask bless headers\n",
    );
    for header in headers::names().filter(|name| !name.starts_with("warpsmith/") && !name.starts_with("cuda/")) {
        let names = names_of(header, &before);
        if !names.is_empty() {
            let names: Vec<String> = names.into_iter().collect();
            table.push_str(&format!("{header} {}\n", names.join(" ")));
        }
    }
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/headers/warpsmith/declared.tbl");
    if std::env::var_os("WARPSMITH_BLESS").is_some() {
        std::fs::write(path, &table).expect("the table can be written");
    }
    assert!(
        std::fs::read_to_string(path).expect("the table is there") == table,
        "make it anew with cargo xtask bless headers"
    );
}
