//! Names, scopes, types, statements.

use super::{accepted, refused};

#[test]
fn a_kernel_with_loops_structs_and_calls() {
    let program = accepted(
        "
        struct Point { float x, y; };
        __device__ float length2(Point p) { return p.x * p.x + p.y * p.y; }
        __global__ void kernel(const Point *in, float *out, int n) {
            for (int i = 0; i < n; ++i) {
                if (in[i].x > 0) out[i] = length2(in[i]);
                else continue;
            }
            int k = n;
            while (k > 0) { k -= 1; if (k == 3) break; }
            do { k++; } while (k < 5);
            switch (k) { case 1: k = 2; break; case 2 ... 4: default: k = 0; }
        }",
    );
    assert_eq!(program.roots.len(), 2);
}

#[test]
fn block_scopes_hide() {
    // [basic.scope.hiding]
    accepted(
        "constexpr int x = 1; constexpr int f() { int x = 2; { int x = 3; (void)x; } return x; } static_assert(f() == 2 && x == 1, \"\");",
    );
}

#[test]
fn names_that_are_not_declared() {
    refused(
        "__device__ int value; __device__ int f() { return valeu; }",
        "1: `valeu` is not declared\n  did you mean `value`?",
    );
}

#[test]
fn redeclarations() {
    refused(
        "__device__ int a; __device__ float a;",
        "1: `a` is declared as `float` here and as `int` before\n  1: declared here",
    );
    refused(
        "__device__ void f(int x) { int x = 0; }",
        "1: `x` is a parameter already\n  1: declared here",
    );
    accepted("int f(int); int f(int); int f(const int x); extern int a; extern int a;");
    refused(
        "int f(int); float f(int);",
        "1: `f` differs from an earlier declaration only in what it returns\n  1: declared here",
    );
}

#[test]
fn kernels_return_void() {
    refused(
        "__global__ int k() { return 0; }",
        "1: a `__global__` function returns `void`, not `int`",
    );
}

#[test]
fn host_functions_are_not_called_from_the_device() {
    refused(
        "int f(); __device__ int g() { return f(); }",
        "1: `f()` is a `__host__` function and cannot be called from the `__device__` function `g()`\n  1: declared here, without `__device__`",
    );
}

#[test]
fn declarators_of_any_depth() {
    // [dcl.meaning]
    accepted(
        "int *(*f(int))[3]; using T = int *(*(*)(int))[3]; static_assert(__is_same(decltype(&f), T), \"\");
         typedef int A[2][3]; static_assert(sizeof(A) == 24, \"\"); static_assert(__is_same(const A, const int[2][3]), \"\");
         using F = int(float) const &; struct S { int m(float) const &; }; static_assert(__is_same(decltype(&S::m), F S::*), \"\");",
    );
}

#[test]
fn enumerations() {
    // [dcl.enum]
    accepted(
        "enum A { a, b = 5, c }; static_assert(c == 6, \"\"); enum class B : unsigned char { x = 255 }; static_assert(sizeof(B) == 1, \"\");
         static_assert(__is_same(__underlying_type(B), unsigned char), \"\"); enum { big = 1LL << 40 }; static_assert(sizeof(big) == 8, \"\");",
    );
    refused(
        "enum class E : unsigned char { x = 256 };",
        "1: the value 256 does not fit `unsigned char`: a list does not narrow `int` to `unsigned char`",
    );
}

#[test]
fn namespaces() {
    // [namespace.udir], [namespace.udecl], inline namespaces
    accepted(
        "namespace N { inline namespace v1 { constexpr int a = 1; } namespace M { constexpr int b = 2; } }
         static_assert(N::a == 1 && N::v1::a == 1, \"\"); using namespace N::M; static_assert(b == 2, \"\");
         namespace K = N::M; static_assert(K::b == 2, \"\"); using N::a; static_assert(::a == 1, \"\");
         namespace { constexpr int hidden = 4; } static_assert(hidden == 4, \"\");",
    );
}

#[test]
fn statements_and_jumps() {
    refused(
        "__device__ void f(int n) { goto end; int x = 1; end: n = x; }",
        "1: this jump passes the initialisation of `x`\n  1: initialised here",
    );
    refused(
        "__device__ void f(int n) { switch (n) { case 1: int x = 1; break; case 2: break; } }",
        "1: the jump to this label passes the initialisation of `x`\n  1: initialised here",
    );
    refused(
        "__device__ void f() { break; }",
        "1: `break` has to be in a loop or `switch`",
    );
    refused(
        "__device__ void f(int n) { switch (n) { case 1: case 1: ; } }",
        "1: the value 1 has a `case` already\n  1: it is here",
    );
    refused(
        "__device__ void f() { goto nowhere; }",
        "1: there is no label `nowhere` in this function",
    );
}

#[test]
fn results_are_deduced() {
    // [dcl.spec.auto]
    accepted(
        "constexpr auto f(int a) { if (a) return 1L; return 2L; } static_assert(sizeof(f(0)) == 8 && f(1) == 1, \"\");",
    );
    refused(
        "__device__ auto f(int a) { if (a) return 1; return 2.0; }",
        "1: this returns `double`, but an earlier `return` says `int`\n  1: it is here",
    );
}

#[test]
fn classes() {
    accepted(
        "struct A { int a = 1; constexpr int get() const { return a + b(); } constexpr int b() const { return c; } static constexpr int c = 3; };
         static_assert(A{}.get() == 4, \"\"); struct B : A { int d = 5; using A::get; }; static_assert(B{}.get() == 4 && sizeof(B) == 8, \"\");
         struct C { constexpr C(int x) : x(x), y(x * 2) {} int x, y; union { int u; float v; }; }; ",
    );
    refused(
        "class A { int x; }; __device__ int f(A a) { return a.x; }",
        "1: this member of `A` is private\n  1: declared here",
    );
}

#[test]
fn range_based_for() {
    accepted(
        "constexpr int sum() { int a[] = {1, 2, 3}; int s = 0; for (int x : a) s += x; for (auto &x : a) x = 1; for (auto x : a) s += x; return s; }
         static_assert(sum() == 9, \"\");
         struct R { int d[2]; constexpr const int *begin() const { return d; } constexpr const int *end() const { return d + 2; } };
         constexpr int total(R r) { int s = 0; for (auto x : r) s += x; return s; } static_assert(total(R{{4, 5}}) == 9, \"\");",
    );
}
