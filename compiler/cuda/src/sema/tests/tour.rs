//! A tour of expressions: one assertion per rule, evaluated at compile time.

use super::{accepted, refused};

#[test]
fn a_tour_of_expressions() {
    accepted(
        r#"
        #define A(...) static_assert(__VA_ARGS__, "")
        struct R { int v; constexpr int f() & { return 1; } constexpr int f() const & { return 2; } constexpr int f() && { return 3; } };
        constexpr int rq() { R r{1}; const R c{2}; return r.f() * 100 + c.f() * 10 + R{3}.f(); }
        A(rq() == 123);
        struct Del { void g(int) = delete; constexpr int g(double) const { return 4; } };
        constexpr int over(int (*f)(int)) { return f(3); }
        constexpr int over(int (*f)(double, int)) { return f(3, 4); }
        constexpr int fn(int x) { return x * 2; }
        constexpr double fn(double x) { return x; }
        A(over(fn) == 6 && over(&fn) == 6);
        constexpr int tri(int (&a)[3]) { return a[0] + a[1] + a[2]; }
        constexpr int ar() { int x[3] = {1, 2, 3}; return tri(x); }
        A(ar() == 6);
        struct Conv { int a; constexpr operator int() const { return a; } constexpr explicit operator const char *() const { return "x"; } };
        constexpr int sw(Conv c) { switch (c) { case 5: return 1; default: return 0; } }
        A(sw(Conv{5}) == 1 && sw(Conv{6}) == 0);
        A(Conv{3} + 4 == 7 && -Conv{3} == -3 && Conv{3} < Conv{4} && (true ? Conv{1} : 2) == 1);
        constexpr int idx() { int a[4] = {5, 6, 7, 8}; return a[Conv{2}] + *(a + Conv{1}); }
        A(idx() == 13);
        struct P { int x; constexpr P *operator->() { return this; } constexpr int &operator*() { return x; } };
        struct PP { P p; constexpr P &operator->() { return p; } };
        constexpr int arrow() { PP q{{9}}; q->x = 4; return q->x + *q.p; }
        A(arrow() == 8);
        struct Bits { unsigned a : 3; int b : 5; unsigned c : 32; };
        A(__is_same(decltype(+Bits{}.a), int) && __is_same(decltype(Bits{}.a + 0), int) && __is_same(decltype(Bits{}.c + 0), unsigned));
        constexpr int bits() { Bits b{7, -3, 1}; b.a += 2; b.b--; return b.a * 100 + b.b; }
        A(bits() == 96);
        struct Base { int x; virtual int v() const { return 1; } }; struct Derived : Base { int y; constexpr int v() const override { return 2; } };
        constexpr int dv() { Derived d{}; d.x = 3; const Base &b = d; return b.v() * 10 + b.Base::v() + static_cast<const Derived &>(b).y; }
        union U { int i; char c[4]; };
        constexpr int un() { U u{}; u.i = 4; return u.i; }
        A(un() == 4);
        enum E : unsigned char { e1 = 200, e2 }; enum class S { a = 1, b };
        A(e1 + e2 == 401 && S::a < S::b && (int)S::b == 2 && __is_same(decltype(+e1), int));
        constexpr E operator|(E a, E b) { return E(int(a) | int(b)); }
        A(__is_same(decltype(e1 | e2), E));
        constexpr int comma() { int i = 0; return (i++, i += 5, i); }
        A(comma() == 6);
        constexpr const char *str = "hello";
        A(str[1] == 'e' && sizeof("abc") == 4 && *"x" == 'x');
        constexpr int df(int a, int b = 2, int c = 3);
        constexpr int df(int a, int b, int c) { return a * 100 + b * 10 + c; }
        A(df(1) == 123 && df(1, 5) == 153);
        constexpr int refx() { int a = 1; int &r = a; int &&rr = 5; const int &cr = a + 1; r = 7; rr++; return a * 100 + rr * 10 + cr; }
        A(refx() == 762);
        struct Agg { int a; struct { int b, c; }; union { int d; float e; }; int f[2]; };
        constexpr Agg agg{1, {2, 3}, {4}, {5, 6}}; A(agg.a + agg.b + agg.c + agg.d + agg.f[1] == 16);
        constexpr Agg agg2{.a = 1, .c = 3, .f = {1}}; A(agg2.c == 3 && agg2.f[0] == 1 && agg2.f[1] == 0);
        struct NoDef { int x; constexpr NoDef(int x) : x(x) {} }; struct Has { NoDef n{4}; int k = 5; };
        A(Has{}.k == 5 && Has{{7}}.k == 5 && Has{7, 2}.n.x == 7);
        constexpr long ptrdiff() { int a[10] = {}; return &a[7] - &a[2]; } A(ptrdiff() == 5);
        A(__is_same(decltype(1 ? 'a' : 1u), unsigned) && __is_same(decltype(nullptr ? (void *)0 : (int *)0), void *) && !nullptr);
        constexpr int logic(int a) { return a && !(a == 3) || a == 9 ? 1 : 2; } A(logic(3) == 2 && logic(9) == 1);
        struct Fun { constexpr int operator()(int a) const { return a + 1; } constexpr int operator()(double) const { return 7; } typedef int (*F)(int, int); };
        A(Fun{}(1) == 2 && Fun()(1.0) == 7);
        constexpr int two(int a, int b) { return a - b; }
        struct Sur { using F = int (*)(int, int); constexpr operator F() const { return two; } };
        A(Sur{}(5, 3) == 2);
        constexpr int mp() { Base b{}; int Base::*p = &Base::x; int Derived::*q = p; Derived d{}; d.*q = 6; b.*p = 2; return d.x + b.x; }
        A(mp() == 8);
        A(sizeof(Bits) == 8 && alignof(double) == 8 && sizeof(char) == 1 && noexcept(1 + 1) && !noexcept(fn(1)));
        A(__builtin_offsetof(Agg, f[1]) == 20 && __builtin_offsetof(Agg, c) == 8);
        constexpr int stmt() { return ({ int z = 3; z * 2; }); } A(stmt() == 6);
        constexpr bool lam() { int a = 1, b = 2; auto f = [a, &b](int c) mutable -> int { a += c; b += a; return a; }; f(1); return f(2) == 4 && b == 8; } A(lam());
        struct Copy { int *n; constexpr Copy(int *n) : n(n) {} constexpr Copy(const Copy &o) : n(o.n) { ++*n; } };
        constexpr Copy make(int *n) { return Copy(n); }
        constexpr int elide() { int n = 0; Copy c = make(&n); Copy d = c; Copy e{d}; return n; } A(elide() == 2);
        constexpr int cnd(bool q) { int a = 1, b = 2; (q ? a : b) = 9; return a * 10 + b; } A(cnd(true) == 92 && cnd(false) == 19);
        constexpr unsigned char wrap = (unsigned char)(200 + 100); A(wrap == 44);
        A((signed char)200 == -56 && (long long)1e10 == 10000000000 && 1.5f + 1 == 2.5 && 7u / 2 == 3 && -7 / 2 == -3 && -7 >> 1 == -4 && 1.0 / 4 == 0.25f);
        constexpr int arr2[2][3] = {1, 2, 3, 4, 5, 6}; A(arr2[1][0] == 4 && sizeof arr2[0] == 12 && *arr2[1] == 4);
        constexpr int arr3[] = {[2] = 5, [0] = 1}; A(sizeof(arr3) == 12 && arr3[2] == 5 && arr3[1] == 0);
        "#,
    );
}

#[test]
fn mistakes_are_explained() {
    refused(
        "struct S { void f(); }; void g(const S &s) { s.f(); }",
        "1: `f` cannot be called like this: the object is `const`, but the function is not\n  1: `void S::f()` is declared here",
    );
    refused(
        "struct S { int value; }; int g(S s) { return s.valeu; }",
        "1: `S` has no member `valeu`\n  did you mean `value`?",
    );
    refused(
        "struct S { int x; }; int g(S *s) { return s.x; }",
        "1: `S *` is a pointer: its members are named with `->`",
    );
    refused(
        "void f(int &); void g() { f(5); }",
        "1: `f` cannot be called like this: the 1st argument is an rvalue, to which `int &` cannot be bound\n  1: `void f(int &)` is declared here",
    );
    refused(
        "int f(int a) { return a(); }",
        "1: `int` cannot be called: it is no function",
    );
    refused(
        "struct A {}; struct B {}; void f(bool c, A a, B b) { c ? a : b; }",
        "1: the results of `?:` have no common type: `A` and `B`",
    );
    refused(
        "int *p(long n) { return n; }",
        "1: cannot initialize return value: the value is `long`, which does not convert to `int *`",
    );
    refused(
        "void f(int *); void f(char *); void g() { f(0); }",
        "1: the call of `f` is ambiguous\n  1: candidate `void f(int *)`\n  1: candidate `void f(char *)`",
    );
    refused(
        "struct S { int b : 3; }; int *f(S &s) { return &s.b; }",
        "1: the address of a bit field cannot be taken",
    );
    refused(
        "int f(void *p) { return *p; }",
        "1: a pointer to `void` cannot be dereferenced",
    );
    refused(
        "void f(bool b) { b++; }",
        "1: `++` cannot be applied to `bool` since C++17",
    );
}

#[test]
fn device_code_stays_on_the_device() {
    refused(
        "void host(); __device__ void f() { host(); }",
        "1: `host()` is a `__host__` function and cannot be called from the `__device__` function `f()`\n  1: declared here, without `__device__`",
    );
    refused(
        "int counter; __device__ int f() { return counter; }",
        "1: variable `counter` lives on the host: device code cannot use it\n  1: declared here; `__device__` makes it a variable of the device",
    );
    refused(
        "__global__ void k(); __device__ void f() { k(); }",
        "1: the kernel `void k()` is called like a function: it must be launched\n  1: declared `__global__` here",
    );
    accepted(
        "const int size = 4; constexpr int twice(int x) { return 2 * x; } __device__ int f() { return twice(size); }",
    );
}
