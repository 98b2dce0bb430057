use proptest::{collection::vec, prelude::*, sample::select};

use super::format;
use crate::tree::{lex, parse};

/// Formats, and checks what holds for every text: tokens and comments stay, and formatting again changes nothing.
fn formatted(text: &str) -> String {
    let output = format(text).unwrap_or_else(|problems| panic!("{problems:?}"));
    assert_eq!(tokens(&output), tokens(text));
    assert_eq!(format(&output).as_ref(), Ok(&output));
    output
}

/// Texts of tokens and comments.
fn tokens(text: &str) -> Vec<&str> {
    let tokens = lex(text);
    let ends = tokens
        .iter()
        .skip(1)
        .map(|token| token.start as usize)
        .chain([text.len()]);
    let all = tokens
        .iter()
        .zip(ends)
        .map(|(token, end)| text[token.start as usize..end].trim_end());
    all.filter(|text| !text.is_empty()).collect()
}

#[test]
fn statements_have_lines_of_their_own() {
    let text = ".func f(){.reg .b32 %r<4>,a;{ret;}@!p bra L;mov .b32 a,%tid .x;}";
    let expected =
        ".func f()\n{\n\t.reg .b32 \t%r<4>, a;\n\t{\n\t\tret;\n\t}\n\t@!p bra \tL;\n\tmov.b32 \ta, %tid.x;\n}\n";
    assert_eq!(formatted(text), expected);
}

#[test]
fn labels_stand_out_and_tables_stay_with_theirs() {
    let text = ".func f() { L: M: ret; T: .branchtargets L, M; P: .callprototype (.param .b32 _) _ (.param .b64 _) .noreturn; }";
    let expected = ".func f()\n{\nL:\nM:\n\tret;\nT: .branchtargets L, M;\nP: .callprototype (.param .b32 _) _(.param .b64 _) .noreturn;\n}\n";
    assert_eq!(formatted(text), expected);
}

#[test]
fn function_directives_have_lines_of_their_own() {
    let text = ".extern .func (.param .b32 r) f (.param .b32 a) .noreturn; .entry k .maxntid 1,2,3 .minnctapersm 2 .pragma \"x\"; { }";
    let expected = ".extern .func (.param .b32 r) f(.param .b32 a)\n.noreturn;\n.entry k\n.maxntid 1, 2, 3\n.minnctapersm 2\n.pragma \"x\";\n{\n}\n";
    assert_eq!(formatted(text), expected);
}

#[test]
fn long_parameter_lists_have_one_parameter_on_a_line() {
    let name = "n".repeat(80);
    let text = format!(".entry k(.param .u64 .ptr .global .align 16 a, .param .b32 {name}) {{ }}");
    let expected = format!(".entry k(\n\t.param .u64 .ptr .global .align 16 a,\n\t.param .b32 {name}\n)\n{{\n}}\n");
    assert_eq!(formatted(&text), expected);
}

#[test]
fn long_initialisers_are_filled() {
    let values = |count: usize| vec!["1000"; count].join(", ");
    assert_eq!(formatted(".global .b32 a[2] = {1,2};"), ".global .b32 a[2] = {1, 2};\n");
    let text = format!(".global .b32 a[20] = {{{}}};", values(20));
    let expected = format!(".global .b32 a[20] = {{\n\t{},\n\t{}\n}};\n", values(15), values(5));
    assert_eq!(formatted(&text), expected);
}

#[test]
fn long_register_lists_are_filled() {
    let values = |count: usize| vec!["%f100"; count].join(", ");
    let text = format!(".func f() {{ x.y {{{}}}, a; }}", values(18));
    let expected = format!(
        ".func f()\n{{\n\tx.y \t{{{},\n\t\t{}}}, a;\n}}\n",
        values(12),
        values(6)
    );
    assert_eq!(formatted(&text), expected);
}

#[test]
fn comments_stay_where_they_are() {
    let text = "// a\n\n\n/* b */.func f() // c\n{ // d\n\n // e\n ret; // f\n\n\n\n // g\nL: // h\n ret /* i */ ;\n // j\n}\n// k";
    let expected = "// a\n\n/* b */ .func f() // c\n{ // d\n\n\t// e\n\tret; // f\n\n// g\nL: // h\n\tret /* i */ ;\n\t// j\n}\n// k\n";
    assert_eq!(formatted(text), expected);
}

#[test]
fn comments_between_operands_and_parameters() {
    let text = ".func f(.param .b32 a, // first\n .param .b32 b) { add.s32 a, // one\n b, /* two */ c; }";
    let expected =
        ".func f(\n\t.param .b32 a, // first\n\t.param .b32 b\n)\n{\n\tadd.s32 \ta, // one\n\t\tb, /* two */ c;\n}\n";
    assert_eq!(formatted(text), expected);
}

#[test]
fn operators_never_run_into_each_other() {
    assert_eq!(formatted(".global .f32 a = 2.5e -1;"), ".global .f32 a = 2.5e -1;\n");
    let text = ".func f() { mov.b32 a, 5 % 3 + -2 - - 1 < < 2; }";
    assert!(format(text).is_err());
    let text = ".func f() { mov.b32 a, 5 % 3 + -2 - - 1 << 2 ? (.s64) 1 : ~!x; ld.b32 a | %p, [b + -4] . unified; }"
        .replace(" . u", " .u");
    let expected =
        ".func f()\n{\n\tmov.b32 \ta, 5 % 3+-2--1<<2 ? (.s64)1 : ~!x;\n\tld.b32 \ta|%p, [b+-4].unified;\n}\n";
    assert_eq!(formatted(&text), expected);
}

#[test]
fn sections_and_places() {
    let text = ".file 1 \"a\"\n.section .debug_str { a: .b8 1,2 .b8 3 .b64 .debug_abbrev+4 }\n.func f() { .loc 1 2 3, function_name a + 4, inlined_at 1 2 3 ret; }";
    let expected = ".file 1 \"a\"\n.section .debug_str\n{\na:\n\t.b8 1, 2\n\t.b8 3\n\t.b64 .debug_abbrev+4\n}\n.func f()\n{\n\t.loc 1 2 3, function_name a+4, inlined_at 1 2 3\n\tret;\n}\n";
    assert_eq!(formatted(text), expected);
}

#[test]
fn line_markers_keep_their_lines() {
    assert_eq!(
        formatted(".func f() {\n  # 3 \"x\"\n ret;}"),
        ".func f()\n{\n# 3 \"x\"\n\tret;\n}\n"
    );
}

#[test]
fn line_ends_become_line_feeds() {
    assert_eq!(
        formatted(".version 9.0 \r\n// a \r\n\r\n\r\n.target sm_90\r\n"),
        ".version 9.0\n// a\n\n.target sm_90\n"
    );
}

#[test]
fn empty_text_stays_empty() {
    assert_eq!(formatted(" \n"), "");
}

#[test]
fn text_with_errors_is_refused_with_the_place() {
    let problems = format(".version 9.0\n.func f() { ret }").expect_err("a semicolon is missing");
    assert_eq!(problems.len(), 1);
    assert_eq!(problems[0].span.range(), 29..30);
}

/// Pieces of PTX: statements that are right by themselves, then fragments.
const PIECES: [&str; 40] = [
    "ret;",
    "add.s32 %r1, %r2, 4;",
    "@!%p bra L;",
    "L:",
    "{",
    "}",
    ".reg .b32 %r<4>, x;",
    ".loc 1 2 3",
    ".pragma \"a b\";",
    "T: .branchtargets L, M;",
    "mov.b64 {%r1, %r2}, (1 << 2) ? -3 : ~x;",
    "ld.f32 a, [b+-4].unified;",
    ".func f(.param .b32 a)",
    ".entry k",
    ".maxntid 1, 2",
    ".global .b32 a[] = {1, {2, c}};",
    ".version 9.0",
    ".target sm_90, debug",
    ".section .x { a: .b8 1, a-b }",
    "call (r), f, (a, b), P;",
    "P: .callprototype _ ();",
    ".file 1 \"x\"",
    "%",
    ".x",
    "1.5",
    "(",
    ")",
    "[",
    "]",
    ",",
    ";",
    ":",
    "<",
    "/",
    "=",
    "\"",
    "#",
    "/*",
    "\u{e9}",
    "\0",
];

/// White space and comments.
const TRIVIA: [&str; 10] = [
    " ",
    "",
    "\n",
    "\n\n\n",
    "\t",
    "// a\n",
    "/* b */",
    "\n/* c\n d */",
    "\r\n // e \r\n",
    "\n# 3 \"x\"\n",
];

proptest! {
    #[test]
    fn statements_with_any_white_space(statements in vec((select(&PIECES[..10]), vec(select(&TRIVIA[..]), 0..4)), 0..20)) {
        let mut text = String::from(".func f() {");
        let mut depth = 1;
        for (statement, trivia) in &statements {
            match *statement {
                "{" => depth += 1,
                "}" if depth == 1 => continue,
                "}" => depth -= 1,
                _ => (),
            }
            text.push_str(statement);
            text.push(' ');
            text.push_str(&trivia.concat());
        }
        text.push_str(&"}".repeat(depth));
        formatted(&text);
    }

    #[test]
    fn any_text_keeps_its_bytes(pieces in vec((select(&PIECES[..]), select(&TRIVIA[..])), 0..40)) {
        let text: String = pieces.iter().flat_map(|(piece, trivia)| [*piece, *trivia]).collect();
        prop_assert_eq!(parse(&text).root().text().to_string(), text.as_str());
        if format(&text).is_ok() {
            formatted(&text);
        }
    }
}
