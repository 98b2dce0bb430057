//! Statements.

use super::check;

#[test]
fn declaration_or_expression() {
    // [stmt.ambig]
    check(
        "struct T { int x; T(int); T operator*(T); }; int a, b; void f() { T(c); T(d) = 1; T(*e); T(a)->x; T(a).x; T{1}; a * b; T * g; T & h = *g; T(*i)(int); T(a) * b; T(j), k; T(a), b; }",
        "\
(decl (struct T (decl x: int) (decl T: fn(int) -) (decl operator*: fn(T) T)))
(decl a: int, b: int)
(function f: fn() void (block (decl c: T) (decl d: T = 1) (decl e: * T) (-> (make T (a)) x) (. (make T (a)) x) (make T {1}) (* a b) (decl g: * T) (decl h: & T = (* g)) (decl i: * fn(int) T) (* (make T (a)) b) (decl j: T, k: T) (decl a: T, b: T)))",
    );
    check(
        "struct A { static int b; struct C {}; }; void f() { A::b * 2; A::C* c; A::C d; A::b = 1; }",
        "\
(decl (struct A (decl static b: int) (decl (struct C))))
(function f: fn() void (block (* A::b 2) (decl c: * A::C) (decl d: A::C) (= A::b 1)))",
    );
    check(
        "struct S { int g(int); }; void f() { int (* (*p)(int a, int b))(int c, int d) = 0; int (S::*pf)(int) = &S::g; int S::*pm; int (*h(int))(float); }",
        "\
(decl (struct S (decl g: fn(int) int)))
(function f: fn() void (block (decl p: * fn(a: int, b: int) * fn(c: int, d: int) int = 0) (decl pf: S::* fn(int) int = (& S::g)) (decl pm: S::* int) (decl h: fn(int) * fn(float) int)))",
    );
    check(
        "void f() { int(x); int(y) = 3; int(*z)[3]; int(3); unsigned(x) + 1; }",
        "\
(function f: fn() void (block (decl x: int) (decl y: int = 3) (decl z: * [3] int) (make int (3)) (+ (make unsigned int (x)) 1)))",
    );
}

#[test]
fn a_name_hides_a_type() {
    // [basic.scope.hiding]
    check(
        "struct T {}; void f(int T) { T * 3; struct T t; { struct T {}; T u; } T * 4; }",
        "\
(decl (struct T))
(function f: fn(T: int) void (block (* T 3) (decl t: struct T) (block (decl (struct T)) (decl u: T)) (* T 4)))",
    );
}

#[test]
fn if_statements() {
    // [stmt.if]
    check(
        "void f(int a) { if (a) ; else if (a > 1) { } else a = 2; if (int b = a) b; if (int c = a; c > 1) c; if constexpr (true) a; }",
        "\
(function f: fn(a: int) void (block (if a (null) (if (> a 1) (block) (= a 2))) (if (decl b: int = a) b) (if (decl c: int = a); (> c 1) c) (if-constexpr true a)))",
    );
    check(
        "void f(int a) { if (a) if (a) 1; else 2; }",
        "(function f: fn(a: int) void (block (if a (if a 1 2))))",
    );
}

#[test]
fn switch_statements() {
    // [stmt.switch]
    check(
        "void f(int a) { switch (a) { case 1: case 2: a; break; case 3 ... 5: { } default: a; } switch (int b = a; b) case 1: a; }",
        "\
(function f: fn(a: int) void (block (switch a (block (case 1) (case 2) a (break) (case 3 ... 5) (block) (default) a)) (switch (decl b: int = a); b (case 1 a))))",
    );
}

#[test]
fn loops() {
    // [stmt.iter]
    check(
        "void f(int n) { for (int i = 0, j; i < n; ++i, --n) n; for (;;) break; while (n--) continue; do { } while (n); while (int x = n) x; }",
        "\
(function f: fn(n: int) void (block (for (decl i: int = 0, j: int) (< i n) (, (++ i) (-- n)) n) (for (null) - - (break)) (while (post-- n) (continue)) (do (block) n) (while (decl x: int = n) x)))",
    );
}

#[test]
fn range_for() {
    // [stmt.ranged]
    check(
        "void f(int (&a)[3]) { for (int x : a) x; for (const auto& [p, q] : a) p; for (auto x : {1, 2}) x; for (int n = 1; auto& x : a) x; for (int i = a ? 1 : 2; i; ) ; }",
        "\
(function f: fn(a: & [3] int) void (block (for-range (decl x: int) a x) (for-range (bind & const auto [p, q]) a p) (for-range (decl x: auto) {1, 2} x) (for-range (decl n: int = 1); (decl x: & auto) a x) (for (decl i: int = (? a 1 2)) i - (null))))",
    );
}

#[test]
fn labels_and_goto() {
    // [stmt.label]
    check(
        "void f() { a: b: goto a; c: ; goto c; d: int x; }",
        "\
(function f: fn() void (block (label a) (label b) (goto a) (label c) (null) (goto c) (label d) (decl x: int)))",
    );
}

#[test]
fn return_statements() {
    // [stmt.return]
    check(
        "int f() { return 1, 2; return {1}; return; }",
        "(function f: fn() int (block (return (, 1 2)) (return {1}) (return)))",
    );
}

#[test]
fn try_blocks() {
    // [except]
    check(
        "void f() { try { } catch (int x) { x; } catch (...) { } } struct S { S() try : a(1) { } catch (...) { } int a; };",
        "\
(function f: fn() void (block (try (block) (catch x: int (block x)) (catch ... (block)))))
(decl (struct S (function S: fn() - (init a (1)) (try (block) (catch ... (block)))) (decl a: int)))",
    );
}

#[test]
fn unroll_pragmas() {
    // CUDA
    check(
        "\
void f(int n) {
#pragma unroll
for (;;) ;
#pragma unroll 4
while (n) ;
#pragma unroll (n + 1)
do ; while (n);
#pragma nounroll
for (int x : {1}) ;
}
",
        "\
(function f: fn(n: int) void (block (for unroll (null) - - (null)) (while unroll:4 n (null)) (do unroll:(paren (+ n 1)) (null) n) (for-range nounroll (decl x: int) {1} (null))))",
    );
}

#[test]
fn asm_statements() {
    // GNU
    check(
        "void f(int x) { asm volatile(\"mov %0, %1;\" : \"=r\"(x), [y] \"+l\"(x) : \"r\"(x + 1) : \"memory\", \"cc\"); asm(\"nop;\"); asm(\"x\" :: \"n\"(3)); asm(\"y\" ::: \"memory\"); }",
        "\
(function f: fn(x: int) void (block (asm-volatile \"mov %0, %1;\" out \"=r\" x out [y] \"+l\" x in \"r\" (+ x 1) clobber \"memory\" clobber \"cc\") (asm \"nop;\") (asm \"x\" in \"n\" 3) (asm \"y\" clobber \"memory\")))",
    );
}

#[test]
fn attributes_of_statements() {
    // [dcl.attr]
    check(
        "void f(int a) { if (a) [[likely]] a; else [[unlikely]] { } switch (a) { case 1: [[fallthrough]]; [[likely]] case 2: ; } [[maybe_unused]] int b; }",
        "\
(function f: fn(a: int) void (block (if a @likely a @unlikely (block)) (switch a (block (case 1) @fallthrough (null) @likely (case 2))) (decl @maybe_unused b: int)))",
    );
}

#[test]
fn local_classes_and_types() {
    // [class.local]
    check(
        "void f() { struct L { int x; void g() { h = 1; } int h; } l; typedef L M; M m; enum { A } e; using N = M; N n = {A}; static __shared__ int s[3]; extern int z; }",
        "\
(function f: fn() void (block (decl l: (struct L (decl x: int) (function g: fn() void (block (= h 1))) (decl h: int))) (decl typedef M: L) (decl m: M) (decl e: (enum - A)) (alias N M) (decl n: N = {A}) (decl __shared__ static s: [3] int) (decl extern z: int)))",
    );
}

#[test]
fn block_declarations() {
    // [dcl.dcl]
    check(
        "void f() { static_assert(true); using namespace std; namespace x = y; using std::z; ; }",
        "\
(function f: fn() void (block (static_assert true) (using-namespace std) (namespace-alias x y) (using std::z) (null)))",
    );
}

#[test]
fn names_unknown_to_the_parser() {
    // lenient
    check(
        "template <class T> void f() { T::type x; typename T::A<int> y; T::B* z = 0; const T::C w; }",
        "\
(template<typename T> (function f: fn() void (block (decl x: T::type) (decl y: typename T::A<int>) (decl z: * T::B = 0) (decl w: const T::C))))",
    );
}
