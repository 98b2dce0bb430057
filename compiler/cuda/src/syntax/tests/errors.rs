//! Mistakes: what is said about them, and that one gives one error.

use crate::source::{Context, tokenize};
use crate::syntax::parse;

/// The diagnostics of a text, one line each: `line:column: message`, `; note` for each note.
#[track_caller]
fn check(text: &str, expected: &str) {
    let mut context = Context::new();
    let tokens = tokenize(&mut context, "t.cu", text);
    parse(&mut context, &tokens);
    let lines: Vec<String> = context
        .diagnostics
        .reports()
        .iter()
        .map(|report| {
            let place = context.map.place(report.span.first);
            let place = place.map_or(String::new(), |place| format!("{}:{}: ", place.line, place.column));
            let label = if report.text.is_empty() {
                String::new()
            } else {
                format!(" [{}]", report.text)
            };
            let notes: String = report.notes.iter().map(|note| format!("; {}", note.message)).collect();
            format!("{place}{}{label}{notes}", report.message)
        })
        .collect();
    assert_eq!(lines.join("\n"), expected);
}

#[test]
fn a_missing_semicolon() {
    // [dcl.dcl]
    check(
        "int a = 1\nint b;",
        "1:9: expected `;` after the declaration [add `;` after this]",
    );
    check(
        "void f() {\n    int x = 3\n    x = 1;\n}",
        "2:13: expected `;` after the declaration [add `;` after this]",
    );
    check(
        "struct S { int a }; S s;",
        "1:16: expected `;` after the declaration [add `;` after this]",
    );
    check(
        "struct S { int a; }\nint b;",
        "1:19: expected `;` after the definition of a type [add `;` after this]",
    );
    check(
        "void f(int a) { return a }",
        "1:24: expected `;` after the `return` statement [add `;` after this]",
    );
}

#[test]
fn a_missing_operand() {
    // [expr]
    check(
        "void f(int x) { x = x +; x = 1; }",
        "1:24: expected an expression, found `;`",
    );
    check(
        "void f(int x) { x = ; f(1,); }",
        "1:21: expected an expression, found `;`\n\
         1:27: expected an expression after `,`, found `)`",
    );
}

#[test]
fn unknown_types() {
    // [basic.lookup]
    check("flaot x;", "1:1: unknown type name `flaot`; did you mean `float`?");
    check(
        "struct Vector {}; void f(Vectr v, int n);",
        "1:26: unknown type name `Vectr`; did you mean `Vector`?",
    );
    check("vod g();", "1:1: unknown type name `vod`; did you mean `void`?");
    check(
        "void f() { uint b = 1; itn c; }",
        "1:12: unknown type name `uint`; did you mean `int`?\n\
         1:24: unknown type name `itn`; did you mean `int`?",
    );
}

#[test]
fn misspelt_keywords() {
    // [lex.key]
    check(
        "int f(int x) { retrun x; }",
        "1:16: unknown type name `retrun`; did you mean `return`?",
    );
    check("clas A { };", "1:1: unknown type name `clas`; did you mean `class`?");
    check(
        "tempate <class T> void f(T);",
        "1:1: the declaration of `tempate` has no type; did you mean `template`?",
    );
}

#[test]
fn unclosed_brackets() {
    // [lex.operators]
    check(
        "void f(int a) {\n    f(a;\n    f(a);\n}\nint b = ;",
        "2:6: this `(` is never closed; `}` found before its partner\n\
         5:9: expected an expression, found `;`",
    );
    check(
        "int a[3 = 1;\nint b;",
        "1:6: this `[` is never closed; the file ends before its partner",
    );
    check(
        "void f() {\n    if (1) {\n}\nint a;",
        "2:12: this `{` is never closed; the file ends before its partner",
    );
}

#[test]
fn closers_without_openers() {
    // [lex.operators]
    check(
        "void f() { int a; } }\nint b = ;",
        "1:21: `}` closes nothing\n\
         2:9: expected an expression, found `;`",
    );
    check(
        "void f(int a) { a = a); a = ; }",
        "1:22: `)` closes nothing\n\
         1:29: expected an expression, found `;`",
    );
}

#[test]
fn declarations_without_types() {
    // [dcl.spec]
    check("f(int x) { }", "1:1: the function `f` has no return type");
    check("__global__ k(float* a);", "1:12: the function `k` has no return type");
    check("static x = 1;", "1:8: the declaration of `x` has no type");
    check(
        "template <class T> g(T t);",
        "1:20: the function `g` has no return type",
    );
}

#[test]
fn words_that_make_no_type() {
    // [dcl.type.simple]
    check(
        "unsigned float a; long char b; short double c; int float d; long long long e;",
        "1:1: these words do not make a type\n\
         1:19: these words do not make a type\n\
         1:32: these words do not make a type\n\
         1:52: `float` does not go with the words before it\n\
         1:71: `long` does not go with the words before it",
    );
}

#[test]
fn statements_that_stand_alone() {
    // [stmt]
    check(
        "void f() { else ; case 1: ; }",
        "1:12: `else` without an `if` before it",
    );
    check(
        "void f() { try { } int a; }",
        "1:20: expected `catch` after a `try` block, found `int`",
    );
    check(
        "void f() { do ; int a; }",
        "1:17: expected `while` after the body of `do`, found `int`",
    );
    check(
        "void f() { for (int i = 0; i < 3) ; }",
        "1:33: expected `;` after the condition of `for`, found `)`",
    );
    check(
        "void f() { void g() { } int a; }",
        "1:21: a function cannot be defined in a block",
    );
}

#[test]
fn unsupported_by_name() {
    // C++20
    check(
        "template <class T> concept C = true; int a;",
        "1:20: `concept` is a keyword of C++20: `-std=c++20` turns it on",
    );
    check(
        "template <class T> requires true void f(T); int b;",
        "1:20: `requires` is a keyword of C++20: `-std=c++20` turns it on",
    );
    check(
        "void f() { co_return 1; }",
        "1:12: `co_return` is a keyword of C++20: `-std=c++20` turns it on",
    );
}

#[test]
fn one_mistake_one_error() {
    // recovery
    check(
        "int a = = 1; void f() { int b = * ; b = 1 2; c d e; } flaot g;",
        "1:9: expected an expression, found `=`\n\
         1:35: expected an expression, found `;`\n\
         1:43: expected `;` after the expression, found a literal\n\
         1:46: unknown type name `c`\n\
         1:50: expected `;` after the declaration, found `e`\n\
         1:55: unknown type name `flaot`; did you mean `float`?",
    );
    check(
        "struct S { int a = ; vod f(); int b; } s; int c = s.b +;",
        "1:20: expected an expression, found `;`\n\
         1:22: unknown type name `vod`; did you mean `void`?\n\
         1:56: expected an expression, found `;`",
    );
}

#[test]
fn launches() {
    // CUDA
    check(
        "__global__ void k(); void f() { k<<<1, 2>>>; k<<<>>>(); k<<<1, 2>>(); }",
        "1:44: expected the arguments of the kernel after `>>>`, found `;`\n\
         1:52: a launch configuration has two to four arguments: grid, block, shared memory, stream\n\
         1:68: expected an expression, found `)`",
    );
}

#[test]
fn stray_characters() {
    // [lex]
    check(
        "int a = `; int b = 1 @ 2;",
        "1:9: the character ``` begins nothing\n\
         1:22: expected `;` after the declaration, found the character `@`",
    );
}

#[test]
fn operators_and_names() {
    // [over.oper]
    check(
        "struct S { S operator?(int); operator\"\"(int); }; int ::; int a::;",
        "1:22: expected a type, found `?`\n\
         1:40: expected the suffix of a literal operator, found `(`\n\
         1:56: expected a name, found `;`\n\
         1:62: `a` is not declared",
    );
}

#[test]
fn names_before_colons() {
    // [basic.lookup.qual]
    check(
        "namespace vec { struct S {}; } vce::S s; int v; v::T t;",
        "1:32: `vce` is not declared; did you mean `vec`?\n\
         1:49: `v` is neither a class nor a namespace",
    );
}

#[test]
fn parameters() {
    // [dcl.fct]: each parameter is read by itself
    check(
        "void f(int a, Foo::Bar b, flaot c, int d); void g() { f(1, ; }",
        "1:56: this `(` is never closed; `}` found before its partner\n\
         1:15: `Foo` is not declared\n\
         1:27: unknown type name `flaot`; did you mean `float`?",
    );
}

#[test]
fn templates() {
    // [temp]
    check(
        "template <class T, > struct A; template <class T struct B; A<int b; template class; ",
        "1:50: expected `>` after the template parameters, found `struct`\n\
         1:66: expected `>` or `,` after a template argument, found `b`\n\
         1:83: expected the name or the body of a class, found `;`",
    );
}

#[test]
fn asm_operands() {
    // GNU
    check(
        "void f(int x) { asm(\"a\" : \"r\" x); asm(x); asm(\"a\" : \"=r\"(x) : : : \"b\"); }",
        "1:31: expected `(` after a constraint, found `x`\n\
         1:39: expected a string, found `x`\n\
         1:67: expected `)` after the clobbers, found a literal",
    );
}

#[test]
fn enumerators() {
    // [dcl.enum]
    check(
        "enum E { A, B C }; enum { 1 }; enum; int a;",
        "1:15: expected `}` or `,` after an enumerator, found `C`\n\
         1:27: expected the name of an enumerator, found a literal\n\
         1:36: expected the name or the body of an enumeration, found `;`",
    );
}

#[test]
fn initialisers() {
    // [dcl.init]
    check(
        "int a = {1, 2; int b = {.x 1};",
        "1:9: this `{` is never closed; the file ends before its partner",
    );
}
