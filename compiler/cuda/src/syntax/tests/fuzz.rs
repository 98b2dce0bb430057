//! No sequence of tokens makes the parser panic, hang or recurse without bound.

use warpsmith_base::Random;

use super::parsed;

fn pick<'a>(random: &mut Random, words: &[&'a str]) -> &'a str {
    words[random.below(words.len())]
}

#[rustfmt::skip]
const WORDS: &[&str] = &[
    "{", "}", "(", ")", "[", "]", "<", ">", ";", ",", ":", "::", "?", "...", ".", "->", ".*", "->*", "+", "-", "*", "/", "&", "&&", "|", "||", "~", "!", "=",
    "==", "+=", "<<", ">>", "<<<", ">>>", "++", "--", "<=", ">=", "1", "2.5f", "'c'", "\"s\"", "a", "b", "T", "S", "f", "A", "int", "unsigned", "const", "auto",
    "class", "struct", "union", "enum", "template", "typename", "operator", "using", "namespace", "static", "extern", "friend", "virtual", "typedef", "decltype",
    "sizeof", "new", "delete", "this", "if", "else", "for", "while", "do", "switch", "case", "default", "return", "break", "goto", "try", "catch", "throw",
    "static_cast", "noexcept", "constexpr", "static_assert", "asm", "__attribute__", "__global__", "__device__", "__launch_bounds__", "alignas", "explicit",
    "public", "inline", "mutable", "[[", "]]", "override", "final", "__is_same", "requires", "concept", "@", "nullptr", "true", "\n",
    "template <class T>", "struct S {", "};", "void f() {", "int a;", "a < b >", "A<int>", "[=] {", "(T)", "x...",
];

const SEED_SOURCES: &[&str] = &[
    "template <class T, int N = 3> struct A : B<T> { A() : x(1), y{2} {} T x[N]; int y; template <class U> operator U*() const; friend A operator+(A, A); };",
    "__global__ void __launch_bounds__(256) k(float* __restrict__ a, int n) { for (int i = 0; i < n; ++i) a[i] = (a[i] + 1) * float(i) - (int)a[i]; }",
    "namespace a { enum class E : int { X = 1, Y }; using F = void (*)(int, E); } void g() { k<<<1, 2>>>(3); auto l = [=, &x](auto... t) { return (t + ...); }; }",
    "int f(int x) { switch (x) { case 1: { return 2; } default: asm volatile(\"\" : \"=r\"(x) : : \"memory\"); } if (int y = x; y > 1) do { --x; } while (x); return 0; }",
];

#[test]
fn token_soups() {
    let mut random = Random::new(0x9E37_79B9_7F4A_7C15);
    for _ in 0..250 {
        let count = 1 + random.below(80);
        let words: Vec<&str> = (0..count).map(|_| pick(&mut random, WORDS)).collect();
        parsed(&words.join(" "));
    }
}

#[test]
fn mutated_sources() {
    let mut random = Random::new(0x0123_4567_89AB_CDEF);
    for _ in 0..250 {
        let source = pick(&mut random, SEED_SOURCES);
        let mut words: Vec<&str> = source
            .split_inclusive(|character: char| !character.is_alphanumeric())
            .collect();
        for _ in 0..1 + random.below(4) {
            let at = random.below(words.len());
            match random.below(4) {
                0 => {
                    words.remove(at);
                }
                1 => words.insert(at, pick(&mut random, WORDS)),
                2 => words[at] = pick(&mut random, WORDS),
                _ => {
                    let other = random.below(words.len());
                    words.swap(at, other);
                }
            }
            if words.is_empty() {
                words.push(";");
            }
        }
        parsed(&words.concat());
    }
}

/// Many openers of one kind: one error that names the limit.
#[track_caller]
fn too_deep(before: &str, opener: &str, after: &str) {
    let text = format!("{before}{}{after}", opener.repeat(20_000));
    let (_, errors) = parsed(&text);
    assert!(
        errors.contains("nesting is deeper than 8192 levels"),
        "{opener}: {errors}"
    );
}

#[test]
fn nesting_has_a_limit() {
    let close = |text: &str| text.repeat(20_000);
    too_deep("int x = ", "(", &format!("1{};", close(")")));
    too_deep("int x = ", "-", "1;");
    too_deep("void f() ", "{", &close("}"));
    too_deep("void f() { ", "if (1) ", ";}");
    too_deep("void f() { ", "[]{", &format!("{}}}", close("}")));
    too_deep("int ", "(", &format!("x{};", close(")")));
    too_deep("", "namespace a {", &close("}"));
    too_deep("", "struct A {", &close("};"));
    too_deep("", "template <", "class A;");
    too_deep("template <class> struct A; ", "A<", "int;");
    too_deep("int x = ", "{", &format!("{};", close("}")));
    too_deep("int x = ", "1 ? ", "2;");
    too_deep("int a[9]; int x = ", "a[", &format!("1{};", close("]")));
    too_deep("void f(", "int (*)(", &format!("{});", close(")")));
    too_deep("using A = ", "decltype(", &format!("1{};", close(")")));
}

/// Long inputs that do not nest are no problem.
#[test]
fn length_has_no_limit() {
    let sum = "1 + ".repeat(5000);
    assert_eq!(parsed(&format!("int x = {sum} 1;")).1, "");
    let chain = "if (1) ; else ".repeat(2000);
    assert_eq!(parsed(&format!("void f() {{ {chain} ; }}")).1, "");
    let cases = "case 1: ".repeat(2000);
    assert_eq!(parsed(&format!("void f() {{ switch (1) {{ {cases} ; }} }}")).1, "");
}
