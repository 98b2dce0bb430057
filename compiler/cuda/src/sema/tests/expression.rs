//! Expressions, by section of the standard.

use super::{accepted, refused};

#[test]
fn integer_literals() {
    // [lex.icon]
    accepted(
        "
        static_assert(__is_same(decltype(1), int), \"\");
        static_assert(__is_same(decltype(2147483648), long), \"\");
        static_assert(__is_same(decltype(0xffffffff), unsigned), \"\");
        static_assert(__is_same(decltype(1ull), unsigned long long), \"\");
        static_assert(__is_same(decltype('a'), char), \"\");
        static_assert(__is_same(decltype(1.0f), float), \"\");",
    );
}

#[test]
fn usual_arithmetic_conversions() {
    // [expr.arith.conv]
    accepted(
        "
        static_assert(__is_same(decltype('a' + 'b'), int), \"\");
        static_assert(__is_same(decltype(1u + 1), unsigned), \"\");
        static_assert(__is_same(decltype(1l + 1u), long), \"\");
        static_assert(__is_same(decltype(1.0f * 2), float), \"\");
        static_assert(-1 > 0u, \"\");
        static_assert(7 / 2 == 3 && -7 % 3 == -1 && (1 << 4) == 16 && (5 & 3) == 1 && (5 ^ 3) == 6 && ~0 == -1, \"\");",
    );
}

#[test]
fn pointers_and_arrays() {
    // [expr.add], [expr.sub], [conv.array]
    accepted(
        "
        constexpr int a[] = {1, 2, 3, 4};
        static_assert(*(a + 2) == 3 && 1[a] == 2 && &a[3] - a == 3 && a < a + 1, \"\");
        static_assert(sizeof(a) == 16 && __is_same(decltype(a + 1), const int *), \"\");
        static_assert(__is_same(decltype(a[0]), const int &), \"\");",
    );
}

#[test]
fn overload_by_conversion_rank() {
    // [over.ics.rank]
    accepted(
        "
        constexpr int f(int) { return 1; }
        constexpr int f(double) { return 2; }
        constexpr int f(const char *) { return 3; }
        constexpr int f(void *) { return 4; }
        static_assert(f('a') == 1 && f(1.5f) == 2 && f(\"x\") == 3 && f(nullptr ? 0 : 1) == 1, \"\");
        constexpr int g(const int &) { return 1; }
        constexpr int g(int &&) { return 2; }
        constexpr int n = 5;
        static_assert(g(n) == 1 && g(5) == 2, \"\");
        constexpr int h(bool) { return 1; }
        constexpr int h(const void *) { return 2; }
        static_assert(h(&n) == 2, \"\");",
    );
}

#[test]
fn ambiguous_calls_name_the_candidates() {
    refused(
        "
        void f(int, long);
        void f(long, int);
        void g() { f(1, 1); }",
        "4: the call of `f` is ambiguous
  2: candidate `void f(int, long)`
  3: candidate `void f(long, int)`",
    );
}

#[test]
fn calls_say_why_a_candidate_does_not_fit() {
    refused(
        "
        void f(int, int *);
        void g(const int *p) { f(1, p); }",
        "3: `f` cannot be called like this: the 2nd argument is `const int *`, which does not convert to `int *`
  2: `void f(int, int *)` is declared here",
    );
    refused(
        "
        void f(int);
        void f(int, int, int);
        void g() { f(1, 2); }",
        "4: no overload of `f` can be called with (`int`, `int`)
  2: candidate `void f(int)`: it takes 1 argument, but 2 are given
  3: candidate `void f(int, int, int)`: it takes 3 arguments, but 2 are given",
    );
}

#[test]
fn one_mistake_is_one_message() {
    refused(
        "int f() { return (undeclared + 1) * 2 > 3 ? undeclared2 : 4; }",
        "1: `undeclared` is not declared\n1: `undeclared2` is not declared",
    );
    refused(
        "void g() { auto x = nothing; x += 1; int y = x; }",
        "1: `nothing` is not declared",
    );
}

#[test]
fn operands_of_the_wrong_type() {
    refused(
        "struct S {}; void f(S s, int i) { s + i; }",
        "1: no `operator+` takes `S` and `int`",
    );
    refused(
        "void f(int *p, float x) { p * x; }",
        "1: the operator `*` cannot be applied to `int *` and `float`",
    );
    refused(
        "void f() { 5 = 6; }",
        "1: `=` needs an lvalue on its left, but this is a value",
    );
    refused(
        "void f(const int c) { c++; }",
        "1: `++` cannot change a value of type `const int`\n  1: variable `c` is declared `const` here",
    );
    refused(
        "int f(float x) { return x % 2; }",
        "1: the operator `%` cannot be applied to `float` and `int`",
    );
}

#[test]
fn conditional_operator() {
    // [expr.cond]
    accepted(
        "
        constexpr int a = 1, b = 2;
        static_assert(__is_same(decltype(true ? a : b), const int &), \"\");
        static_assert(__is_same(decltype(true ? 1 : 2.0), double), \"\");
        static_assert(__is_same(decltype(true ? &a : nullptr), const int *), \"\");
        struct B { int x; }; struct D : B { constexpr D(int x) : B{x} {} };
        constexpr int pick(bool c) { B base{7}; D derived(9); return (c ? base : static_cast<const B &>(derived)).x; }
        static_assert(pick(true) == 7 && pick(false) == 9 && (0 ?: 4) == 4, \"\");",
    );
}

#[test]
fn casts() {
    // [expr.static.cast], [expr.cast]
    accepted(
        "
        enum E { e = 3 }; enum class F : unsigned char { f = 5 };
        static_assert(int(2.9) == 2 && (unsigned char)300 == 44 && static_cast<int>(F::f) == 5 && static_cast<F>(5) == F::f && E(3) == e, \"\");
        struct B { int x = 1; }; struct D : B { int y = 2; };
        constexpr D d{};
        static_assert(static_cast<const B &>(d).x == 1 && static_cast<const D *>(static_cast<const B *>(&d))->y == 2, \"\");
        __device__ int bits(float f) { return reinterpret_cast<int &>(f); }
        __device__ void *hide(const int *p) { return const_cast<int *>(p); }
        __device__ long number(int *p) { return (long)p + (p != (int *)16); }",
    );
    refused(
        "int *f(float x) { return static_cast<int *>(x); }",
        "1: `static_cast` cannot convert `float` to `int *`",
    );
    refused(
        "int *f(const int *p) { return static_cast<int *>(p); }",
        "1: `static_cast` cannot convert `const int *` to `int *`",
    );
}

#[test]
fn initialisation() {
    // [dcl.init.list], [dcl.init.aggr]
    accepted(
        "
        struct P { int x, y = 7; }; struct L { P a[2]; int n; };
        constexpr L l = {1, 2, {3}, 4};
        static_assert(l.a[0].x == 1 && l.a[0].y == 2 && l.a[1].x == 3 && l.a[1].y == 7 && l.n == 4, \"\");
        constexpr L m = {.n = 9};
        static_assert(m.n == 9 && m.a[1].y == 7, \"\");
        constexpr char s[] = \"abc\"; static_assert(sizeof s == 4 && s[2] == 'c', \"\");
        constexpr int z[4] = {1}; static_assert(z[0] == 1 && z[3] == 0, \"\");
        union U { int i; float f; }; constexpr U u = {5}; static_assert(u.i == 5, \"\");",
    );
    refused(
        "void f(unsigned char); void g() { f({300}); }",
        "1: the value 300 does not fit `unsigned char`: a list does not narrow `int` to `unsigned char`",
    );
    refused(
        "constexpr int a[2] = {1, 2, 3};",
        "1: too many values for `const int [2]`: the list has 3",
    );
}

#[test]
fn constructors_conversions_and_operators() {
    // [class.conv], [over.match.oper]
    accepted(
        "
        struct V {
            int x;
            constexpr V(int x) : x(x) {}
            constexpr V operator+(const V &o) const { return V(x + o.x); }
            constexpr explicit operator bool() const { return x != 0; }
            constexpr int operator()(int k) const { return x * k; }
            constexpr int operator[](int k) const { return x - k; }
            constexpr V &operator++() { ++x; return *this; }
        };
        constexpr V operator*(V a, V b) { return a.x * b.x; }
        constexpr bool operator==(const V &a, const V &b) { return a.x == b.x; }
        static_assert((V(2) + 3).x == 5 && (V(2) * 4).x == 8 && V(3)(4) == 12 && V(9)[2] == 7 && V(1) == V(1), \"\");
        static_assert(V(2) && !V(0), \"\");
        constexpr int next(V v) { return (++v).x; } static_assert(next(4) == 5, \"\");",
    );
    refused(
        "struct X { explicit X(int); }; void f(X); void g() { f(1); }",
        "1: `f` cannot be called like this: the 1st argument is `int`, which does not convert to `X`\n  1: `void f(X)` is declared here",
    );
}

#[test]
fn explicit_conversions_in_direct_initialisation() {
    // [over.match.copy]/1.2
    accepted(
        "
        struct T { int x; constexpr T(int x) : x(x) {} };
        struct F { constexpr explicit operator T() const { return T(4); } };
        static_assert(T(F{}).x == 4 && static_cast<T>(F{}).x == 4 && !__is_convertible(F, T) && __is_constructible(T, F), \"\");",
    );
}

#[test]
fn member_pointers() {
    // [expr.mptr.oper]
    accepted(
        "
        struct S { int a, b; constexpr int sum(int k) const { return a + b + k; } };
        constexpr int S::*p = &S::b; constexpr S s{3, 4};
        static_assert(s.*p == 4 && (&s)->*p == 4 && (s.*&S::sum)(10) == 17, \"\");",
    );
}

#[test]
fn default_arguments_and_variadic_calls() {
    accepted(
        "constexpr int f(int a, int b = 10, int c = 20) { return a + b + c; } static_assert(f(1) == 31 && f(1, 2) == 23, \"\");",
    );
}

#[test]
fn lambdas() {
    // [expr.prim.lambda]
    accepted(
        "
        constexpr int f(int n) { auto add = [n](int k) { return n + k; }; return add(5); }
        static_assert(f(3) == 8, \"\");
        constexpr int g() { int sum = 0; auto each = [&](int k) { sum += k; }; each(1); each(2); return sum; }
        static_assert(g() == 3, \"\");
        constexpr int h() { int x = 1; auto count = [x]() mutable { return ++x; }; count(); return count() + x; }
        static_assert(h() == 4, \"\");
        constexpr int i() { auto twice = [](auto f, auto x) { return f(f(x)); }; return twice([](int k) { return k * 3; }, 2); }
        static_assert(i() == 18, \"\");
        constexpr int j() { auto next = [v = 7] { return v + 1; }; return next(); }
        static_assert(j() == 8, \"\");
        constexpr int k() { int (*p)(int) = [](int v) { return v + 1; }; return p(4); }
        static_assert(k() == 5, \"\");
        struct S { int m = 6; constexpr int get() const { return [this] { return m; }() + [=] { return m; }(); } };
        static_assert(S{}.get() == 12, \"\");
        constexpr int l() { int a = 1; auto outer = [&] { return [=] { return a + 1; }(); }; return outer(); }
        static_assert(l() == 2, \"\");",
    );
    refused(
        "__device__ int f(int n) { return [] { return n; }(); }",
        "1: variable `n` is not captured by the lambda
  1: declared here
  1: the lambda begins here; name the variable in its `[…]`, or write `[=]` or `[&]`",
    );
}

#[test]
fn built_in_functions() {
    accepted(
        "
        static_assert(__builtin_popcount(255) == 8 && __builtin_clz(1) == 31 && __builtin_expect(1, 1) == 1, \"\");
        __device__ int f(int *p, float x) {
            return __nvvm_atom_add_gen_i(p, 1) + __nvvm_clz_i(4) + int(__nvvm_fma_rn_f(x, x, x)) + __builtin_isnan(x);
        }",
    );
    refused(
        "__device__ int f() { return __nvvm_no_such(1); }",
        "1: the built-in function `__nvvm_no_such` is not supported",
    );
}

#[test]
fn new_and_delete() {
    // [expr.new], [expr.delete]
    accepted(
        "
        struct S { int x; __device__ S(int x) : x(x) {} __device__ ~S() {} };
        __device__ void f(int n, void *place) {
            int *p = new int(3); delete p; float *q = new float[n]; delete[] q;
            S *s = new S(4); delete s; S *t = new (place) S(5); t->~S();
        }",
    );
}

#[test]
fn type_traits() {
    // [meta.unary], [meta.rel]
    accepted(
        "
        struct A {}; struct B : A { B(int); ~B(); }; struct C { C(const C &) = delete; };
        static_assert(__is_base_of(A, B) && !__is_base_of(B, A) && __is_class(A) && __is_empty(A), \"\");
        static_assert(__is_constructible(B, int) && !__is_constructible(B) && __is_convertible(int, B) && !__is_convertible(A, B), \"\");
        static_assert(__is_trivially_copyable(A) && !__is_trivially_copyable(B) && !__is_constructible(C, const C &), \"\");
        static_assert(__is_assignable(int &, double) && !__is_assignable(int, double) && __is_trivially_constructible(A, const A &), \"\");
        static_assert(__is_same(int, int) && !__is_same(int, const int) && __is_pointer(int *) && __is_function(void(int)), \"\");",
    );
}

#[test]
fn the_pretty_name_of_a_function_is_that_of_nvcc() {
    accepted(
        "constexpr bool equal(const char *a, const char *b) { return *a == *b && (*a == 0 || equal(a + 1, b + 1)); }
         enum class En { A, B = 4 }; namespace n { enum Old { O1 }; template <class T, int N> struct Box { struct In { static constexpr const char *f() { return __PRETTY_FUNCTION__; } }; }; }
         template <class T> struct W { static constexpr const char *own(const W &, T *) { return __PRETTY_FUNCTION__; }
             template <class U> constexpr const char *both(U &&, T) const noexcept { return __PRETTY_FUNCTION__; } };
         template <class T> struct W<T *> { static constexpr const char *f() { return __PRETTY_FUNCTION__; } };
         template <class T> constexpr const char *type() { return __PRETTY_FUNCTION__; }
         template <En e, n::Old o, unsigned u, unsigned long l, char c, bool b, short s> constexpr const char *values() { return __PRETTY_FUNCTION__; }
         template <class... T> constexpr const char *pack(T...) { return __PRETTY_FUNCTION__; }
         template <template <class> class Q, class V> constexpr const char *of(Q<V> *) { return __PRETTY_FUNCTION__; }
         template <class T, int N> constexpr const char *array(T (&)[N], int (*)(T)) { return __PRETTY_FUNCTION__; }
         constexpr const char *plain(const char *, double = 1) { return __PRETTY_FUNCTION__; }
         static_assert(equal(type<int>(), \"constexpr const char *type() [with T = int]\"), \"\");
         static_assert(equal(type<const volatile bool *>(), \"constexpr const char *type() [with T = const volatile __nv_bool *]\"), \"\");
         static_assert(equal(type<n::Box<long, 3>>(), \"constexpr const char *type() [with T = n::Box<long, 3>]\"), \"\");
         static_assert(equal(n::Box<int, 2>::In::f(), \"static constexpr const char *n::Box<T, N>::In::f() [with T = int; int N = 2]\"), \"\");
         static_assert(equal(W<int>::own({}, nullptr), \"static constexpr const char *W<T>::own(const W<T> &, T *) [with T = int]\"), \"\");
         static_assert(equal(W<int>().both('c', 1), \"constexpr const char *W<T>::both(U &&, T) const noexcept [with U = char; T = int]\"), \"\");
         static_assert(equal(W<char *>::f(), \"static constexpr const char *W<T *>::f() [with T = char]\"), \"\");
         static_assert(equal(values<En::B, n::O1, 3u, 4ul, 'c', true, -7>(),
             \"constexpr const char *values() [with En e = En::B; n::Old o = n::O1; unsigned int u = 3U; unsigned long l = 4UL; char c = 'c'; __nv_bool b = true; short s = (short)(-7)]\"), \"\");
         static_assert(equal(pack(1, 'c'), \"constexpr const char *pack(T...) [with T = int; T = char]\") && equal(pack(), \"constexpr const char *pack(T...)\"), \"\");
         static_assert(equal(of((W<float> *)nullptr), \"constexpr const char *of(Q<V> *) [with Q = W; V = float]\"), \"\");
         int three[3]; static_assert(equal(array(three, (int (*)(int))nullptr), \"constexpr const char *array(T (&)[N], int (*)(T)) [with T = int; int N = 3]\"), \"\");
         static_assert(equal(plain(\"\"), \"constexpr const char *plain(const char *, double)\"), \"\");",
    );
}

#[test]
fn extended_lambdas_say_where_they_run() {
    // Compared with nvcc 13.0; in device code there are none.
    accepted(
        "template <int N, class F> void is(F) {
             static_assert(N == __nv_is_extended_device_lambda_closure_type(F) + 10 * __nv_is_extended_host_device_lambda_closure_type(F) + 100 * __nv_is_extended_device_lambda_with_preserved_return_type(F), \"\"); }
         void h() { is<1>([] __device__(int x) { return x; }); is<101>([] __device__(int x) -> int { return x; });
             is<10>([] __host__ __device__(int x) { return x; }); is<0>([](int x) { return x; }); is<0>(1); }
         __device__ void d() { auto l = [] __device__(int x) { return x; }; static_assert(!__nv_is_extended_device_lambda_closure_type(decltype(l)), \"\"); l(1); }",
    );
}
