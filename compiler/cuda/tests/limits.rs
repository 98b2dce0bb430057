//! Programs that nest deeply: what nvcc takes is taken, and a limit that is met is named.

use std::fmt::Write as _;

use warpsmith_cuda::source::Memory;
use warpsmith_cuda::{Options, compile};

/// What is said of a unit, one line each.
fn messages(text: &str) -> String {
    let compilation = compile(&Memory::new().with("k.cu", text), "k.cu", &Options::default());
    let mut out = String::new();
    for report in compilation.context.diagnostics.reports() {
        let _ = writeln!(out, "{}", report.message);
    }
    out
}

fn kernel(body: &str) -> String {
    format!("__global__ void k(int *a, int n) {{ {body} }}\n")
}

#[track_caller]
fn taken(text: &str) {
    assert_eq!(messages(text), "");
}

/// A text once for each number.
fn repeated(count: usize, text: impl Fn(usize) -> String) -> String {
    (0..count).map(text).collect()
}

#[test]
fn chains_of_else_if() {
    let chain = repeated(3000, |i| format!("else if (n == {i}) a[0] = {i}; "));
    taken(&kernel(&format!("if (n < 0) a[0] = 1; {chain}")));
    let inner = repeated(1000, |i| format!("else if constexpr (N == {i}) return {i}; "));
    taken(&format!(
        "template <int N> __device__ int f() {{ if constexpr (N < 0) return 1; {inner} return 0; }}\n{}",
        kernel("a[0] = f<700>();")
    ));
    let chain = repeated(1000, |i| format!("else if (n == {i}) return {i}; "));
    taken(&format!(
        "constexpr int f(int n) {{ if (n < 0) return 1; {chain} return 0; }}\n{}",
        kernel("constexpr int x = f(999); a[0] = x;")
    ));
}

#[test]
fn instantiations_inside_of_instantiations() {
    for use_of in [
        "static constexpr int v = F<N - 1>::v + 1;",
        "enum { v = F<N - 1>::v + 1 };",
    ] {
        taken(&format!(
            "template <int N> struct F {{ {use_of} }}; template <> struct F<0> {{ enum {{ v = 0 }}; }};\n{}",
            kernel("a[0] = F<199>::v;")
        ));
    }
    taken(&format!(
        "template <int N> struct F : F<N - 1> {{ int v; }}; template <> struct F<0> {{ int w; }};\n{}",
        kernel("F<199> x; x.w = n; a[0] = x.w;")
    ));
    taken(&format!(
        "template <int N> __device__ auto f(int x) {{ if constexpr (N == 0) return x; else return f<N - 1>(x) + 1; }}\n{}",
        kernel("a[0] = f<199>(n);")
    ));
    let message = messages(&format!(
        "template <int N> struct F {{ using t = typename F<N + 1>::t; }};\n{}",
        kernel("F<0>::t x;")
    ));
    assert!(
        message.starts_with("instantiations are nested more than 512 deep\n"),
        "{message}"
    );
}

#[test]
fn bases_of_bases() {
    let bases = |count: usize| {
        let classes = repeated(count - 1, |i| format!("struct S{} : S{i} {{}};\n", i + 1));
        let last = count - 1;
        format!(
            "struct S0 {{ int x; }};\n{classes}__device__ int g(S{last} &s) {{ return s.x; }}\n\
             __global__ void k(int *a) {{ S{last} s; s.x = 1; a[0] = g(s); S0 &b = s; a[1] = b.x; }}\n"
        )
    };
    taken(&bases(1000));
    let message = messages(&bases(4200));
    assert!(
        message.starts_with("classes with more than 4096 bases above each other are not supported\n"),
        "{message}"
    );
    taken(&format!(
        "struct S0 {{ virtual __device__ int f() {{ return 0; }} }};\n{}{}",
        repeated(300, |i| format!(
            "struct S{} : S{i} {{ __device__ int f() override {{ return {i}; }} }};\n",
            i + 1
        )),
        kernel("S300 s; S0 &b = s; a[0] = b.f();")
    ));
}

#[test]
fn expressions_statements_and_declarations_inside_of_each_other() {
    let (open, close) = ("(".repeat(1000), ")".repeat(1000));
    taken(&kernel(&format!("a[0] = {open}n{close};")));
    let calls = "f(".repeat(1000);
    taken(&format!(
        "__device__ int f(int x) {{ return x + 1; }}\n{}",
        kernel(&format!("a[0] = {calls}n{close};"))
    ));
    let conditions = repeated(1000, |i| format!("n == {i} ? {i} : "));
    taken(&kernel(&format!("a[0] = {conditions}7;")));
    taken(&kernel(&format!("{}a[0] = n;{}", "{".repeat(1000), "}".repeat(1000))));
    taken(&kernel(&format!("{}a[0] = n;", "if (n) ".repeat(500))));
    taken(&kernel(&format!("{}7;", "a[0] = ".repeat(500))));
    let assignments: Vec<String> = (0..2000).map(|i| format!("a[{i}] = {i}")).collect();
    taken(&kernel(&format!("{};", assignments.join(", "))));
    taken(&format!(
        "struct O {{ int v; __device__ O &f(int x) {{ v += x; return *this; }} }};\n{}",
        kernel(&format!("O o{{0}}; o{}; a[0] = o.v;", ".f(n)".repeat(1000)))
    ));
    taken(&format!(
        "{}{}{}",
        repeated(500, |i| format!("namespace n{i} {{ ")),
        "}".repeat(500),
        kernel("a[0] = n;")
    ));
    let message = messages(&kernel(&format!("a[0] = {}n{};", "(".repeat(9000), ")".repeat(9000))));
    assert_eq!(message, "nesting is deeper than 8192 levels\n");
}

#[test]
fn literals_of_megabytes() {
    let text = "a".repeat(4 << 20);
    taken(&format!(
        "__device__ const char s[] = \"{text}\";\n{}",
        kernel("a[0] = s[n];")
    ));
    taken(&kernel(&format!("const char *s = \"{text}\"; a[0] = s[n];")));
}

#[test]
fn constant_evaluation_of_deep_expressions() {
    let sum = format!("{}n{}", "(1 + ".repeat(2000), ")".repeat(2000));
    taken(&format!(
        "constexpr int f(int n) {{ return n < 0 ? 0 : {sum}; }}\n{}",
        kernel("constexpr int x = f(3); static_assert(x == 2003); a[0] = x;")
    ));
    let message = messages(&format!(
        "constexpr int f(int n) {{ return n <= 0 ? 0 : {}f(n - 1){}; }}\n{}",
        "(1 + ".repeat(2000),
        ")".repeat(2000),
        kernel("constexpr int x = f(400); a[0] = x;")
    ));
    assert_eq!(message, "this expression is not constant\n");
}
