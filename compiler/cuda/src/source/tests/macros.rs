//! Macros. Tests named after a section have that section's own example.

use super::expand;

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

#[test]
fn a_pragma_that_a_macro_stands_for() {
    // Observed with nvcc 13.0, which reads what gcc has expanded once more.
    let text = "#define UNROLL #pragma unroll 4\n#define NOTE #pragma message(\"a\\\\b\")\nUNROLL\nfor (;;) NOTE ;\n";
    let expanded = expand(text);
    assert!(
        expanded.contains("#pragma unroll 4") && expanded.contains("for (;;)"),
        "{expanded}"
    );
}
