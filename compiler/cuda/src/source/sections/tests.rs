//! The table of parts is what the headers say; units get what they need.

use std::collections::{BTreeMap, BTreeSet};

use super::*;
use crate::source::token::{Keyword, Punctuator};
use crate::source::{Definition, Memory, Mode, Options, Prelude, Standard, preprocess};
use crate::syntax::ast::TypeTransform;

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
                let of_language = TypeTransform::ALL
                    .iter()
                    .any(|known| known.spelling() == context.text(name));
                let enumerator = braces.last().is_some_and(|(_, enumerates)| *enumerates);
                if !of_language && (follows || tag || enumerator) {
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

/// The lines of the parts that a header can be taken apart into: declarations, or several that macros make.
fn split(text: &str) -> Vec<(u16, u16)> {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let (mut parts, mut start, mut depth, mut continues) = (Vec::new(), None, 0, false);
    for (index, line) in lines.iter().enumerate() {
        if continues || line.starts_with('#') {
            continues = line.ends_with('\\');
            continue;
        }
        let code = code(line);
        if start.is_none() {
            let opens = ["namespace ", "inline namespace ", "extern "]
                .iter()
                .any(|word| code.starts_with(word));
            if code.is_empty() || opens && code.ends_with('{') || code.starts_with('}') {
                continue;
            }
            start = Some(index);
        }
        let brackets = code.chars().filter(|character| "([{".contains(*character)).count();
        depth += brackets;
        depth -= code.chars().filter(|character| ")]}".contains(*character)).count();
        let next = lines.get(index + 1).copied().unwrap_or_default();
        let called = code.ends_with(')') && !next.starts_with(['{', ':', '-']);
        if depth == 0 && (code.ends_with([';', '}']) || called) {
            parts.extend(start.take().map(|start: usize| (start as u16 + 1, index as u16 + 1)));
        }
    }
    assert!(start.is_none(), "a declaration does not end");
    parts
}

/// A line without comment and strings.
fn code(line: &str) -> String {
    let mut code = String::new();
    let (mut string, mut escaped, mut slash) = (false, false, false);
    for character in line.chars() {
        if string {
            string = escaped || character != '"';
            escaped = !escaped && character == '\\';
        } else if character == '"' {
            string = true;
        } else if character == '/' && slash {
            code.pop();
            break;
        } else {
            code.push(character);
        }
        slash = character == '/' && !string;
    }
    code.trim().to_string()
}

/// What is known of some lines of a header.
#[derive(Clone, Default)]
struct Lines {
    first: u16,
    last: u16,
    declares: BTreeSet<String>,
    uses: BTreeSet<String>,
}

/// The lines of a header that each line of the table is about; the first has what is always there.
fn parts(header: &str, units: &[(Vec<Token>, Context)]) -> Vec<Lines> {
    let text = headers::find(header).expect("a built-in header");
    let lines = split(text).into_iter().map(|(first, last)| Lines {
        first,
        last,
        ..Lines::default()
    });
    let mut all: Vec<Lines> = std::iter::once(Lines::default()).chain(lines).collect();
    for (tokens, context) in units {
        let mut of: BTreeMap<usize, Vec<Token>> = BTreeMap::new();
        for token in tokens {
            let Some(place) = context.map.place(token.origin) else {
                continue;
            };
            if place.file.strip_prefix("<built-in>/") == Some(header) {
                let line = place.line as u16;
                let part = all.iter().rposition(|part| part.first <= line && line <= part.last);
                of.entry(part.unwrap_or(0)).or_default().push(*token);
            }
        }
        for (part, tokens) in of {
            let names = match part {
                0 => namespaces(&tokens, context),
                _ => declared(&tokens, context),
            };
            all[part].declares.extend(names);
            let used = tokens.iter().filter_map(|token| match token.kind {
                TokenKind::Identifier(name) => Some(context.text(name).to_string()),
                _ => None,
            });
            all[part].uses.extend(used);
        }
    }
    join(text, all)
}

/// Takes parts that declare nothing to what is always there, and those that declare the same, one right after the other, together.
fn join(text: &str, all: Vec<Lines>) -> Vec<Lines> {
    let lines: Vec<String> = text.lines().map(code).collect();
    let mut joined: Vec<Lines> = Vec::new();
    for part in all {
        let index = joined.len();
        match joined.last_mut() {
            Some(_) if part.declares.is_empty() => joined[0].uses.extend(part.uses),
            Some(before)
                if index > 1
                    && before.declares == part.declares
                    && lines[usize::from(before.last)..usize::from(part.first) - 1]
                        .iter()
                        .all(String::is_empty) =>
            {
                before.last = part.last;
                before.uses.extend(part.uses);
            }
            Some(_) | None => joined.push(part),
        }
    }
    joined
}

/// The names of namespaces that tokens open.
fn namespaces(tokens: &[Token], context: &Context) -> BTreeSet<String> {
    let pairs = tokens.windows(2).filter_map(|pair| match (pair[0].kind, pair[1].kind) {
        (TokenKind::Keyword(Keyword::Namespace), TokenKind::Identifier(name)) => Some(name),
        _ => None,
    });
    pairs.map(|name| context.text(name).to_string()).collect()
}

/// Tokens of all headers, for some targets and options.
fn units() -> Vec<(Vec<Token>, Context)> {
    let variants = [
        (750, Standard::Cpp17, false, Mode::DeviceOnly),
        (900, Standard::Cpp20, true, Mode::DeviceOnly),
        (1200, Standard::Cpp17, false, Mode::DeviceOnly),
    ];
    let text: String = HEADERS
        .iter()
        .map(|(name, ..)| format!("#include <{name}>\n"))
        .collect();
    let unit = |(arch, standard, fast, mode): (u32, Standard, bool, Mode)| {
        let files = Memory::new().with("t.cu", text.as_str());
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
        (unit.tokens.list, context)
    };
    variants.map(unit).into()
}

#[test]
fn the_table_is_what_the_headers_say() {
    let units = units();
    let all: Vec<(&str, Vec<Lines>)> = HEADERS.iter().map(|(name, ..)| (*name, parts(name, &units))).collect();
    let declared: BTreeSet<String> = all
        .iter()
        .flat_map(|(_, parts)| parts.iter().flat_map(|part| part.declares.clone()))
        .collect();
    let mut table = String::from(
        "# What built-in headers declare, for units to get only what they need: a line with the header, then for each part of it its lines, the names that they\n\
         # declare and, behind the colon, those that they use; the first part, of line 0, is what is there with any other. The test of `source/sections` makes it:\n\
         # cargo xtask bless headers\n",
    );
    for (name, parts) in &all {
        table.push_str(name);
        table.push('\n');
        for part in parts {
            let lines = match part.first == part.last {
                true => part.first.to_string(),
                false => format!("{}-{}", part.first, part.last),
            };
            let declares: String = part.declares.iter().map(|name| format!(" {name}")).collect();
            let uses = part
                .uses
                .iter()
                .filter(|name| declared.contains(*name) && !part.declares.contains(*name));
            let uses: String = uses.map(|name| format!(" {name}")).collect();
            table.push_str(&format!("  {lines}{declares} :{uses}\n"));
        }
    }
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/headers/warpsmith/names.tbl");
    if std::env::var_os("WARPSMITH_BLESS").is_some() {
        std::fs::write(path, &table).expect("the table can be written");
    }
    assert!(
        std::fs::read_to_string(path).expect("the table is there") == table,
        "make it anew with cargo xtask bless headers"
    );
}

#[test]
fn parts_are_declarations_or_calls_of_macros() {
    let text = "#pragma once\n// A comment.\nint f(int x)\n{\n    asm(\"{\" : : \"r\"(x));\n}\n\nnamespace n {\nstruct S {\n    int x;\n};\nMAKE(int)\n\
                MAKE(\n    float)\n}\n#define MAKE \\\n    int y;\nint z; // }\n";
    assert_eq!(split(text), [(3, 6), (9, 11), (12, 12), (13, 14), (18, 18)]);
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
    assert_eq!(files_of("int x;"), ["t.cu"]);
    assert_eq!(
        files_of("float f(float x) { return __fsqrt_rn(x); }"),
        ["convert.h", "t.cu"]
    );
    assert_eq!(files_of("uint4 f(int32_t x);"), ["stdint.h", "vector.h", "t.cu"]);
    // Names that macros make; and a macro of the unit is not one of the headers.
    assert_eq!(
        files_of("#define value 3\n#define A(x) atomic##x\nint f(int *p) { return A(Add)(p, value); }"),
        ["types.h", "vector.h", "memory.h", "atomic.h", "t.cu"]
    );
    // Lists are objects without being named so.
    for list in ["auto list = {1, 2};", "void f() { for (const auto &x : {1, 2}) g(x); }"] {
        assert_eq!(files_of(list), ["initializer_list.h", "t.cu"], "{list}");
    }
    for none in ["auto f = [] { return 1; };", "void f() { for (;;) { a: { g(); } } }"] {
        assert_eq!(files_of(none), ["t.cu"], "{none}");
    }
    // A header that is included stands where it is included, and only what is needed of it.
    assert_eq!(files_of("int x;\n#include <cuda_fp16.h>\nint y;"), ["t.cu"]);
    let text = "int x;\n#include <cuda_fp16.h>\n#include <type_traits>\nbool y = std::is_same_v<int, int>;";
    assert_eq!(
        files_of(text),
        [
            "types.h",
            "initializer_list.h",
            "move_forward.h",
            "t.cu",
            "stddef.h",
            "type_traits"
        ]
    );
}

/// The lines of a built-in header that a unit gets tokens of.
fn lines_of(text: &str, header: &str) -> BTreeSet<u32> {
    let files = Memory::new().with("t.cu", text);
    let mut context = Context::new();
    let unit = preprocess(&mut context, &files, &Options::default(), "t.cu");
    let places = unit
        .tokens
        .list
        .iter()
        .filter_map(|token| context.map.place(token.origin));
    let of_header = places.filter(|place| place.file.strip_prefix("<built-in>/") == Some(header));
    of_header.map(|place| place.line).collect()
}

#[test]
fn a_part_comes_with_what_it_needs_at_its_own_lines() {
    let line = |header: &str, text: &str| {
        let lines = headers::find(header).expect("a header").lines().zip(1..);
        lines
            .filter(|(line, _)| line.contains(text))
            .map(|(_, number)| number)
            .collect::<Vec<u32>>()
    };
    assert_eq!(
        Vec::from_iter(lines_of("uint64_t x;", "stdint.h")),
        line("stdint.h", " uint64_t;")
    );
    let atomics = Vec::from_iter(lines_of(
        "int f(int *p) { return atomicExch_block(p, 1); }",
        "warpsmith/atomic.h",
    ));
    assert_eq!(atomics, line("warpsmith/atomic.h", " atomicExch_block("));
}

#[test]
fn overloads_for_types_that_a_unit_cannot_have_are_left_out() {
    let unit = |ty: &str| {
        format!(
            "#include <mma.h>\nusing namespace nvcuda;\n__global__ void k({ty} *p) {{\n\
             wmma::fragment<wmma::matrix_a, 16, 16, 16, {ty}, wmma::row_major> a;\nwmma::load_matrix_sync(a, p, 16);\n}}\n"
        )
    };
    let text = headers::find("mma.h").expect("a header");
    let lines_with = |ty: &str| {
        let lines = text.lines().zip(1..);
        lines
            .filter(|(line, _)| line.starts_with("__WARPSMITH_LOAD") && line.contains(&format!(", {ty},")))
            .map(|(_, number)| number)
            .collect::<BTreeSet<u32>>()
    };
    let (half, bfloat) = (lines_with("__half"), lines_with("__nv_bfloat16"));
    for (ty, there, not) in [
        ("half", &half, &bfloat),
        ("__nv_bfloat16", &bfloat, &half),
        ("nv_bfloat16", &bfloat, &half),
    ] {
        let found = lines_of(&unit(ty), "mma.h");
        assert!(!there.is_empty() && there.is_subset(&found), "{ty}");
        assert!(found.is_disjoint(not), "{ty}");
    }
    let both = lines_of(&format!("__nv_bfloat16 *x;\n{}", unit("half")), "mma.h");
    assert!(half.is_subset(&both) && bfloat.is_subset(&both));
}

/// A unit that were missing an overload would be compiled again with everything, which takes several times as long.
#[test]
fn overloads_that_a_unit_calls_are_there() {
    for (ty, shape, pointer, result) in [
        ("half", "16, 16, 16", "half", "half"),
        ("half", "32, 8, 16", "half", "float"),
        ("__nv_bfloat16", "8, 32, 16", "nv_bfloat16", "float"),
        ("wmma::precision::tf32", "16, 16, 8", "float", "float"),
        ("signed char", "16, 16, 16", "signed char", "int"),
        ("double", "8, 8, 4", "double", "double"),
        ("wmma::experimental::precision::s4", "8, 8, 32", "void", "int"),
    ] {
        let text = format!(
            "#include <mma.h>\nusing namespace nvcuda;\n__global__ void k({pointer} *p, {result} *q) {{\n\
             wmma::fragment<wmma::matrix_a, {shape}, {ty}, wmma::row_major> a;\nwmma::fragment<wmma::matrix_b, {shape}, {ty}, wmma::col_major> b;\n\
             wmma::fragment<wmma::accumulator, {shape}, {result}> c;\nwmma::load_matrix_sync(a, p, 16);\nwmma::load_matrix_sync(b, p, 16);\n\
             wmma::load_matrix_sync(c, q, 16, wmma::mem_row_major);\nwmma::mma_sync(c, a, b, c);\nwmma::store_matrix_sync(q, c, 16, wmma::mem_row_major);\n}}\n"
        );
        let files = Memory::new().with("t.cu", text);
        let mut options = crate::Options::default();
        options.source.arch = 900;
        let mut compilation = crate::Compilation::default();
        crate::analyse(&mut compilation, &files, "t.cu", &options);
        assert!(compilation.left_out);
        assert!(!compilation.has_errors(), "{ty}: {}", compilation.context.render());
    }
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
