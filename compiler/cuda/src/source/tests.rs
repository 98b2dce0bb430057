//! Tests of preprocessing as a whole. Those named after a section have that section's own example.

use super::{Context, Definition, Memory, Options, TokenKind, Tokens, preprocess, print, tokenize};

fn options() -> Options {
    Options {
        prelude: false,
        ..Options::default()
    }
}

/// The preprocessed text without line markers, empty lines and indentation, and what was said, one line each.
fn expand_files(files: &Memory, options: &Options) -> String {
    let mut context = Context::new();
    let printed = print(&mut context, files, options, "t.cu");
    let mut lines: Vec<String> = printed
        .lines()
        .map(|line| line.trim().to_string())
        .filter(|line| !line.is_empty() && !line.starts_with("# "))
        .collect();
    for report in context.diagnostics.reports() {
        let place = context.map.place(report.span.first);
        let place = place.map_or(String::new(), |place| format!(" {place}"));
        lines.push(format!("{}{place}: {}", report.severity.word(), report.message));
    }
    lines.join("\n")
}

fn expand(text: &str) -> String {
    expand_files(&Memory::new().with("t.cu", text), &options())
}

#[test]
fn cpp_subst() {
    // [cpp.subst]/4: __VA_ARGS__ and __VA_OPT__.
    let text = "\
#define LPAREN() (
#define G(Q) 42
#define F(R, X, ...) __VA_OPT__(G R X) )
int x = F(LPAREN(), 0, <:-);
#define showlist(...) puts(#__VA_ARGS__)
#define report(test, ...) ((test) ? puts(#test) : printf(__VA_ARGS__))
showlist(The first, second, and third items.);
report(x>y, \"x is %d but y is %d\", x, y);
";
    assert_eq!(
        expand(text),
        "\
int x = 42;
puts(\"The first, second, and third items.\");
((x>y) ? puts(\"x>y\") : printf(\"x is %d but y is %d\", x, y));"
    );
}

#[test]
fn va_opt() {
    let text = "\
#define F(...) f(0 __VA_OPT__(,) __VA_ARGS__)
#define G(X, ...) f(0, X __VA_OPT__(,) __VA_ARGS__)
#define SDEF(sname, ...) S sname __VA_OPT__(= { __VA_ARGS__ })
#define EMP
F(a, b, c)
F()
F(EMP)
G(a, b, c)
G(a, )
G(a)
SDEF(foo);
SDEF(bar, 1, 2);
#define H2(X, Y, ...) __VA_OPT__(X ## Y, __VA_ARGS__)
H2(a, b, c, d)
#define H3(X, ...) #__VA_OPT__(X##X X##X)
H3(, 0)
#define H4(X, ...) __VA_OPT__(a X ## X) ## b
H4(, 1)
#define H5A(...) __VA_OPT__()/**/__VA_OPT__()
#define H5B(X) a ## X ## b
#define H5C(X) H5B(X)
H5C(H5A())
";
    assert_eq!(
        expand(text),
        "\
f(0 , a, b, c)
f(0)
f(0)
f(0, a , b, c)
f(0, a)
f(0, a)
S foo;
S bar = { 1, 2 };
ab, c, d
\"\"
a b
ab"
    );
}

#[test]
fn cpp_rescan() {
    // [cpp.scope]/7, EXAMPLE 3 of C.
    let text = "\
#define x 3
#define f(a) f(x * (a))
#undef x
#define x 2
#define g f
#define z z[0]
#define h g(~
#define m(a) a(w)
#define w 0,1
#define t(a) a
#define p() int
#define q(x) x
#define r(x,y) x ## y
#define str(x) # x
f(y+1) + f(f(z)) % t(t(g)(0) + t)(1);
g(x+(3,4)-w) | h 5) & m
(f)^m(m);
p() i[q()] = { q(1), r(2,3), r(4,), r(,5), r(,) };
char c[2][6] = { str(hello), str() };
";
    assert_eq!(
        expand(text),
        "\
f(2 * (y+1)) + f(2 * (f(2 * (z[0])))) % f(2 * (0)) + t(1);
f(2 * (2+(3,4)-0,1)) | f(2 * (~ 5)) & f(2 * (0,1))^m(0,1);
int i[] = { 1, 23, 4, 5, };
char c[2][6] = { \"hello\", \"\" };"
    );
}

#[test]
fn cpp_stringize_and_concat() {
    // [cpp.scope]/8, EXAMPLE 4 of C.
    let text = r##"
#define str(s) # s
#define xstr(s) str(s)
#define debug(s, t) printf("x" # s "= %d, x" # t "= %s", \
x ## s, x ## t)
#define INCFILE(n) vers ## n
#define glue(a, b) a ## b
#define xglue(a, b) glue(a, b)
#define HIGHLOW "hello"
#define LOW LOW ", world"
debug(1, 2);
fputs(str(strncmp("abc\0d", "abc", '\4') // this goes away
== 0) str(: @\n), s);
xstr(INCFILE(2).h)
glue(HIGH, LOW);
xglue(HIGH, LOW)
"##;
    assert_eq!(
        expand(text),
        r#"printf("x" "1" "= %d, x" "2" "= %s", x1, x2);
fputs("strncmp(\"abc\\0d\", \"abc\", '\\4') == 0" ": @\n", s);
"vers2.h"
"hello";
"hello" ", world""#
    );
}

#[test]
fn cpp_concat_placemarkers() {
    // [cpp.concat]/4 and [cpp.scope]/9.
    let text = "\
#define hash_hash # ## #
#define mkstr(a) # a
#define in_between(a) mkstr(a)
#define join(c, d) in_between(c hash_hash d)
char p[] = join(x, y);
#define t(x,y,z) x ## y ## z
int j[] = { t(1,2,3), t(,4,5), t(6,,7), t(8,9,),
t(10,,), t(,11,), t(,,12), t(,,) };
";
    assert_eq!(
        expand(text),
        "\
char p[] = \"x ## y\";
int j[] = { 123, 45, 67, 89,
10, 11, 12, };"
    );
}

#[test]
fn redefinitions() {
    // [cpp.replace]/1 and [cpp.scope]/10.
    let text = "\
#define OBJ_LIKE (1-1)
#define OBJ_LIKE /* white space */ (1-1) /* other */
#define FUNC_LIKE(a) ( a )
#define FUNC_LIKE( a )( /* note the white space */ \\
a /* other stuff on this line
*/ )
#define OBJ_LIKE (0)
#define OBJ_LIKE (1 - 1)
#define FUNC_LIKE(b) ( a )
#define FUNC_LIKE(b) ( b )
";
    assert_eq!(
        expand(text),
        "\
warning t.cu:7:9: macro `OBJ_LIKE` is defined anew and differently
warning t.cu:8:9: macro `OBJ_LIKE` is defined anew and differently
warning t.cu:9:9: macro `FUNC_LIKE` is defined anew and differently
warning t.cu:10:9: macro `FUNC_LIKE` is defined anew and differently"
    );
}

#[test]
fn gnu_comma() {
    let text = "\
#define e(f, ...) p(f, ## __VA_ARGS__)
#define n(f, a...) p(f, ##a)
#define s(x) #x
#define xs(x) s(x)
#define X 7
e(\"a\") e(\"a\",) e(\"a\", X, 2) n(1) n(1, X)
xs(e(1, X))
";
    assert_eq!(
        expand(text),
        "\
p(\"a\") p(\"a\") p(\"a\", 7, 2) p(1) p(1,7)
\"p(1, 7)\""
    );
}

#[test]
fn names_painted_for_good() {
    let text = "\
#define foo foo a bar b bar a foo
#define bar foo 12
foo
#define NIL(xxx) xxx
#define G_0(arg) NIL(G_1)(arg)
#define G_1(arg) NIL(arg)
G_0(42)
#define f(a) a*g
#define g(a) f(a)
f(2)(9)
#define AA BB
#define BB AA
AA BB
";
    assert_eq!(
        expand(text),
        "\
foo a foo 12 b foo 12 a foo
42
2*9*g
AA BB"
    );
}

#[test]
fn calls_over_lines_and_without_parentheses() {
    let text = "\
#define f(x, y) <x|y>
f
(
a ,
b
) f f; f
(1,(2,3)) #x
";
    assert_eq!(expand(text), "<a|b> f f; <1|(2,3)> #x");
}

#[test]
fn wrong_calls() {
    let text = "\
#define f(x, y) x y
#define v(x, y, ...) x
#define z() 0
f(1) a
f(1,2,3) b
v(1) c
z(1) d z( ) e
f(1,
";
    assert_eq!(
        expand(text),
        "\
a
b
c
d 0 e
error t.cu:4:1: the macro `f` takes 2 arguments, and this call has 1
error t.cu:5:1: the macro `f` takes 2 arguments, and this call has 3
error t.cu:6:1: the macro `v` takes at least 2 arguments, and this call has 1
error t.cu:7:1: the macro `z` takes 0 arguments, and this call has 1
error t.cu:8:1: this call of the macro `f` has no `)`"
    );
}

#[test]
fn wrong_pasting_and_stringizing() {
    let text = "\
#define p(a, b) a ## b
p(+, x) p(/, /) p(., .)
#define h(a) #b
#define i ## a
#define s(a) #a
s(\\)
";
    assert_eq!(
        expand(text),
        "\
+ x / / . .
\"\"
error t.cu:2:3: `+` and `x` pasted together are no token
error t.cu:2:11: `/` and `/` pasted together are no token
error t.cu:2:19: `.` and `.` pasted together are no token
error t.cu:3:14: `#` must stand before a parameter
error t.cu:4:11: `##` cannot be at an end of what a macro stands for
warning t.cu:6:1: the last backslash of the string that `#` makes is left out"
    );
}

#[test]
fn wrong_definitions() {
    let text = "\
#define
#define 1
#define defined
#define f(a,a)
#define f(a b)
#define f(..., a)
#define f(a,
#define __VA_ARGS__
#define g(__VA_ARGS__) 1
#define x+1
x
";
    assert_eq!(
        expand(text),
        "\
+1
error t.cu:1:8: `#define` without the name of a macro
error t.cu:2:9: the name of a macro must be an identifier
error t.cu:3:9: `defined` cannot be the name of a macro
error t.cu:4:13: there are two parameters `a`
error t.cu:5:13: `,` or `)` is expected here
error t.cu:6:14: `)` is expected here: `...` is the last parameter
error t.cu:7:13: a parameter is expected here: a name or `...`
error t.cu:8:9: `__VA_ARGS__` cannot be the name of a macro
error t.cu:9:11: `__VA_ARGS__` cannot be a parameter: write `...`
warning t.cu:10:10: white space is missing between the macro's name and what it stands for"
    );
}

/// Whether an expression of `#if` is true.
fn holds(expression: &str) -> bool {
    match expand(&format!("#if {expression}\nyes\n#else\nno\n#endif\n")).as_str() {
        "yes" => true,
        "no" => false,
        other => panic!("{expression}: {other}"),
    }
}

#[test]
fn conditions() {
    for expression in [
        "1",
        "2 + 3 * 4 == 14 && !0",
        "-1 < 0",
        "-1 > 0u",
        "(2 || 1/0) && (0 ? 1/0 : 1)",
        "0xffffffffffffffff == -1",
        "-7 / 2 == -3 && -7 % 2 == -1",
        "1 << 63 < 0 && (1u << 63) > 0 && -8 >> 1 == -4",
        "'a' == 97 && '\\377' < 0 && 'ab' == 0x6162",
        "true and not false or false",
        "undefined_name == 0",
        "defined __CUDACC__ && defined(__CUDA_ARCH__) && !defined nothing",
        "__CUDA_ARCH__ == 900 && __cplusplus == 201703L",
        "~0 == -1 && +1 == 1 && (1 ^ 3) == 2 && (6 & 3) == 2 && (4 | 1) == 5",
        "1 ? 2 ? 0 : 1 : 1 ? 0 : 0 || 1",
        "__has_builtin(__nvvm_bar0) && !__has_builtin(__builtin_nothing)",
        "__has_cpp_attribute(nodiscard) >= 201603L && __has_attribute(__aligned__)",
        "1'000 == 1000 && 0b11 == 3 && 010 == 8",
        "(9223372036854775807 + 1) < 0",
    ] {
        assert_eq!(holds(expression), !expression.starts_with("1 ? 2 ?"), "{expression}");
    }
}

#[test]
fn wrong_conditions() {
    let cases = [
        ("", "t.cu:1:2: an expression is expected after this"),
        ("1 +", "t.cu:1:8: a value is expected before the end of the line"),
        ("(1", "t.cu:1:7: `)` is expected here"),
        ("1)", "t.cu:1:6: there is no `(` for this"),
        ("1 2", "t.cu:1:7: an operator or the end of the line is expected here"),
        ("1/0", "t.cu:1:6: division by zero"),
        ("1.0", "t.cu:1:5: only integers are values in a condition"),
        ("\"a\"", "t.cu:1:5: a string is no value in a condition"),
        ("defined(", "t.cu:1:13: the name of a macro is expected here"),
        ("defined(a", "t.cu:1:14: `)` is expected here"),
        ("1 ? 2", "t.cu:1:10: `:` is expected here"),
        ("99999999999999999999", "t.cu:1:5: this number has more than 64 bits"),
        (
            "__has_include(a)",
            "t.cu:1:5: `<name>` or `\"name\"` is expected in the parentheses after this",
        ),
    ];
    for (expression, message) in cases {
        let text = expand(&format!("#if {expression}\nno\n#else\nyes\n#endif"));
        assert_eq!(text, format!("yes\nerror {message}"), "{expression}");
    }
}

#[test]
fn groups() {
    let text = "\
#if 0
a ' \"
#if 1
b
#else
c
#endif
/*
#endif
*/
#elif 1
d
#elif 1/0
e
#else
f
#endif
#ifdef nothing
g
#elifndef nothing
h
#endif
#ifndef nothing
i
#endif
";
    assert_eq!(expand(text), "d\nh\ni");
}

#[test]
fn wrong_groups() {
    let text = "\
#else
#endif
#elif 1
#if 1
#else
#else
#elif 1
#endif
#ifdef
#endif x
#if 0
#bogus
#endif
#bogus
#elseif
#if 1
";
    assert_eq!(
        expand(text),
        "\
error t.cu:1:2: `#else` without `#if`
error t.cu:2:2: `#endif` without `#if`
error t.cu:3:2: `#elif` without `#if`
error t.cu:6:2: `#else` after `#else`
error t.cu:7:2: `#elif` after `#else`
error t.cu:9:7: `#ifdef` without the name of a macro
warning t.cu:10:8: what follows `#endif` here is passed over
error t.cu:14:2: there is no directive `#bogus`
error t.cu:15:2: there is no directive `#elseif`
error t.cu:16:2: this conditional has no `#endif`"
    );
}

#[test]
fn headers() {
    let files = Memory::new()
        .with(
            "t.cu",
            "#include \"a.h\"\n#include <b.h>\n#define C <c.h>\n#include C\n#include \"none.h\"\nend\n",
        )
        .with("a.h", "a1\n#include \"sub/a.h\"\na2\n")
        .with("sub/a.h", "sub_a\n#include \"next.h\"\n")
        .with("sub/next.h", "next\n")
        .with("i/b.h", "b1\n#include_next <b.h>\nb2\n")
        .with("s/b.h", "b_system\n#define X 1\n#define X 2\n")
        .with("s/c.h", "__FILE__ __LINE__ __INCLUDE_LEVEL__\n");
    let options = Options {
        folders: vec!["i".into()],
        system_folders: vec!["s".into()],
        ..options()
    };
    assert_eq!(
        expand_files(&files, &options),
        "\
a1
sub_a
next
a2
b1
b_system
b2
\"s/c.h\" 1 1
end
error t.cu:5:10: there is no file `none.h` in the folders searched"
    );
}

#[test]
fn include_guards_and_once() {
    let files = Memory::new()
        .with("t.cu", "#include \"g.h\"\n#include \"g.h\"\n#include \"o.h\"\n#include \"o.h\"\n#include \"d.h\"\n#include \"d.h\"\n#undef G\n#include \"g.h\"\n")
        .with("g.h", "// guarded\n#ifndef G\n#define G\ng\n#endif // G\n")
        .with("d.h", "#if !defined(D)\n#define D\nd\n#endif\n")
        .with("o.h", "#pragma once\no\n");
    assert_eq!(expand_files(&files, &options()), "g\no\nd\ng");
}

#[test]
fn has_include() {
    let files = Memory::new()
        .with(
            "t.cu",
            "#define H <h.h>\n#if __has_include(\"h.h\") && __has_include(<h.h>) && __has_include(H) && !__has_include(<n.h>)\nyes\n#endif\n#ifdef __has_include\nyes\n#endif\n",
        )
        .with("h.h", "");
    let options = Options {
        folders: vec![".".into()],
        ..options()
    };
    assert_eq!(expand_files(&files, &options), "yes\nyes");
}

#[test]
fn inclusion_without_end() {
    let files = Memory::new().with("t.cu", "#include \"t.cu\"\n");
    assert_eq!(
        expand_files(&files, &options()),
        "error t.cu:1:10: files are included in one another deeper than 200"
    );
}

#[test]
fn options_define_and_include() {
    let files = Memory::new()
        .with("t.cu", "A B F(2) C i\n")
        .with("i.h", "#define i included\n");
    let options = Options {
        definitions: vec![
            Definition::Define("A".into()),
            Definition::Define("B=b b".into()),
            Definition::Define("F(x)=x+x".into()),
            Definition::Define("C=1".into()),
            Definition::Undefine("C".into()),
        ],
        includes: vec!["i.h".into()],
        ..options()
    };
    assert_eq!(expand_files(&files, &options), "1 b b 2+2 C included");
}

#[test]
fn lines_and_markers() {
    let text = "\
__LINE__ __COUNTER__ __COUNTER__
#line 100
__LINE__ __FILE__
#define L 200 \"a\\\\b.h\"
#line L
__LINE__ __FILE__ __BASE_FILE__
# 7 \"c.h\" 2
__LINE__ __FILE__
#line x
#line 0x10
";
    assert_eq!(
        expand(text),
        "\
1 0 1
100 \"t.cu\"
200 \"a\\\\b.h\" \"t.cu\"
7 \"c.h\"
error c.h:8:7: `#line` must be followed by a number from 0 to 2147483647 and may have a file name after it
error c.h:9:7: `#line` must be followed by a number from 0 to 2147483647 and may have a file name after it"
    );
}

#[test]
fn messages() {
    assert_eq!(
        expand("#error  no \"good\n#warning careful\n#error\n"),
        "error t.cu:1:2: #error: no \"good\nwarning t.cu:2:2: #warning: careful\nerror t.cu:3:2: #error"
    );
}

#[test]
fn pragmas() {
    let text = "\
#define N 4
#pragma unroll N
for
#pragma unroll
for
_Pragma(\"unroll (N + 1)\") for
#define U(n) _Pragma(#n)
U(nounroll) for
#pragma nv_diag_suppress 177
#pragma push_macro(\"N\")
#undef N
#define N 5
N
#pragma pop_macro(\"N\")
N
#pragma GCC poison bad
bad
_Pragma(1)
";
    assert_eq!(
        expand(text),
        "\
#pragma unroll 4
for
#pragma unroll
for
#pragma unroll (4 + 1)
for
#pragma nounroll
for
#pragma nv_diag_suppress 177
5
4
bad
error t.cu:17:1: `bad` has been poisoned
error t.cu:18:1: `_Pragma` must be followed by a string in parentheses"
    );
}

#[test]
fn printed_text_keeps_tokens_apart() {
    let text = "\
#define p +
#define e
#define d .
+p -e- p+ 1e e2 d 5 d.. <e:: x
";
    assert_eq!(expand(text), "+ + - - + + 1e e2 . 5 . . . < :: x");
}

/// The tokens of a text as the parser has them, one line.
fn parsed(text: &str) -> String {
    let mut context = Context::new();
    let tokens = tokenize(&mut context, "t.cu", text);
    let mut out: Vec<String> = Vec::new();
    for token in &tokens.list {
        let joined = if token.joined { "~" } else { "" };
        out.push(show(&context, &tokens, token.kind) + joined);
    }
    for report in context.diagnostics.reports() {
        out.push(format!("!{}", report.message));
    }
    out.join(" ")
}

fn show(context: &Context, tokens: &Tokens, kind: TokenKind) -> String {
    match kind {
        TokenKind::Identifier(name) => context.text(name).to_string(),
        TokenKind::Keyword(keyword) => format!("{keyword:?}"),
        TokenKind::Punctuator(punctuator) => punctuator.text().to_string(),
        TokenKind::Literal(id) => match tokens.literal(id) {
            super::Literal::Integer(literal) => literal.value.to_string(),
            super::Literal::Float(literal) => f64::from_bits(literal.double).to_string(),
            super::Literal::Character(literal) => format!("'{}'", literal.value),
            super::Literal::String(literal) => format!("{:?}\"{}\"", literal.encoding, literal.to_text()),
        },
        TokenKind::Pragma(id) => {
            let pragma = tokens.pragma(id);
            let content: Vec<_> = pragma
                .tokens
                .iter()
                .map(|token| show(context, tokens, token.kind))
                .collect();
            format!("{:?}[{}]", pragma.kind, content.join(" "))
        }
        TokenKind::Unknown(character) => format!("?{character}"),
        TokenKind::End => "End".to_string(),
    }
}

#[test]
fn tokens_of_the_parser() {
    assert_eq!(parsed("a<b<c>>d"), "a < b < c >~ > d End");
    assert_eq!(parsed("k<<<1,2>>>() x>>=1"), "k <<< 1 , 2 >~ >~ > ( ) x >~ >= 1 End");
    assert_eq!(parsed("int and not concept <% %>"), "Int && ! concept { } End");
    assert_eq!(parsed("\"a\" L\"b\"\n\"c\" 'x' 1.5f"), "Wide\"abc\" '120' 1.5 End");
    assert_eq!(parsed("__global__ __inline__ @"), "CudaGlobal Inline ?@ End");
    assert_eq!(
        parsed("#define N 2\n#pragma unroll N*2\nfor"),
        "Unroll[2 * 2 End] For End"
    );
    assert_eq!(
        parsed("08 u8\"a\" u\"b\""),
        "0 Ordinary\"\" End !`8` is no digit of a number to the base 8 !strings with different prefixes stand together"
    );
}

#[test]
fn an_error_in_a_macro_shows_its_body() {
    let mut context = Context::new();
    tokenize(&mut context, "t.cu", "#define BAD(x) x + 09\nint y =\n  BAD(1);\n");
    assert_eq!(
        context.render(),
        "\
error: `9` is no digit of a number to the base 8
 --> t.cu:3:3
  |
3 |   BAD(1);
  |   ^^^^^^
  |
note: expanded from this macro
 --> t.cu:1:20
  |
1 | #define BAD(x) x + 09
  |                    ^^
"
    );
}

#[test]
fn line_markers_of_the_printer() {
    let files = Memory::new()
        .with("t.cu", "a\n#include \"h.h\"\nb\n\n\n\n\n\n\n\n\n\n\n\nc d\ne\n")
        .with("h.h", "\nh\n");
    let mut context = Context::new();
    let printed = print(&mut context, &files, &options(), "t.cu");
    assert_eq!(
        printed,
        "\
# 1 \"t.cu\"
a
# 2 \"h.h\" 1
h
# 3 \"t.cu\" 2
b
# 15 \"t.cu\"
c d
e
"
    );
}

#[test]
fn expansion_has_limits() {
    let mut text = String::from("#define a0 x x x x x x x x\n");
    for level in 1..12 {
        let before = level - 1;
        text += &format!(
            "#define a{level} a{before} a{before} a{before} a{before} a{before} a{before} a{before} a{before}\n"
        );
    }
    text += "#define f(x) x\n#define g(x) f(f(f(f(f(f(f(f(f(f(x))))))))))\n";
    let deep = format!("{}1{}\n", "f(".repeat(2000), ")".repeat(2000));
    let mut context = Context::new();
    tokenize(&mut context, "t.cu", &format!("{text}{deep}"));
    assert_eq!(
        context.diagnostics.reports()[0].message,
        "calls of macros are nested deeper than 300"
    );
}

/// A generator of numbers that look random, the same each time.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound as u64) as usize
    }
}

#[test]
fn any_bytes_are_read() {
    const PIECES: &[&str] = &[
        "#",
        "##",
        "define ",
        "f(x,...)",
        "f(",
        ")",
        "(",
        ",",
        "__VA_ARGS__",
        "__VA_OPT__",
        "if ",
        "#if ",
        "#endif\n",
        "#else\n",
        "#elif ",
        "\n#define f(x) #x x##x\n",
        "\n#define g f(g)\n",
        "\n",
        " ",
        "\\\n",
        "\\",
        "\"",
        "'",
        "R\"(",
        ")\"",
        "/*",
        "*/",
        "//",
        "0x1p",
        "1e+",
        "08",
        "defined ",
        "__has_include(",
        "<a>",
        "include ",
        "_Pragma(\"unroll 3\")",
        "_Pragma(",
        "line 3 ",
        "é",
        "\u{0}",
        "x",
        "g",
        "u8",
        "<<<",
        ">>>=",
        "?",
        ":",
        "!",
        "-",
        "__LINE__",
        "__COUNTER__",
        "pragma once\n",
        "%:",
        "\u{feff}",
        "1",
        "\n#include \"t.cu\"\n",
    ];
    let start = std::time::Instant::now();
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut rounds = 0;
    while start.elapsed().as_millis() < 700 && rounds < 20_000 {
        rounds += 1;
        let mut text = String::new();
        for _ in 0..random.below(40) {
            match random.below(20) {
                0 => text.push(random.below(256) as u8 as char),
                _ => text.push_str(PIECES[random.below(PIECES.len())]),
            }
        }
        let mut context = Context::new();
        context.diagnostics.set_limit(5);
        let files = Memory::new().with("t.cu", text.as_str());
        let unit = preprocess(&mut context, &files, &options(), "t.cu");
        assert_eq!(
            unit.tokens.list.last().map(|token| token.kind),
            Some(TokenKind::End),
            "{text:?}"
        );
        context.render();
        let mut context = Context::new();
        print(&mut context, &files, &options(), "t.cu");
    }
}

#[test]
fn the_prelude_is_read_without_fault() {
    for arch in [750, 900] {
        let files = Memory::new().with("t.cu", "");
        let options = Options {
            arch,
            ..Options::default()
        };
        let mut context = Context::new();
        let unit = preprocess(&mut context, &files, &options, "t.cu");
        assert_eq!(context.render(), "");
        assert!(
            unit.tokens
                .list
                .iter()
                .all(|token| !matches!(token.kind, TokenKind::Unknown(_)))
        );
    }
}

#[test]
fn every_built_in_header_is_read_without_fault() {
    for header in super::headers::names() {
        let files = Memory::new().with("t.cu", format!("#include <{header}>\n"));
        let mut context = Context::new();
        preprocess(&mut context, &files, &Options::default(), "t.cu");
        assert_eq!(context.render(), "", "{header}");
    }
}
