//! Classes ([class]) and CUDA's rules for memory and execution spaces.

use super::{accepted, refused};

#[test]
fn members_of_several_bases_are_ambiguous() {
    // [class.member.lookup]
    refused(
        "struct A { int x; }; struct B { int x; }; struct C : A, B {}; __device__ int f(C c) { return c.x; }",
        "1: `x` is ambiguous: more than one base class has a member of that name\n  1: member of `A`\n  1: member of `B`",
    );
}

#[test]
fn implicit_members() {
    // [special]: trivial, deleted, not declared
    accepted(
        "struct T { int a; }; static_assert(__is_trivially_copyable(T) && __is_trivially_constructible(T), \"\");
         struct N { N(const N &) {} }; static_assert(!__is_trivially_copyable(N) && !__is_constructible(N), \"\");
         struct H { N n; }; static_assert(!__is_trivially_copyable(H) && __is_constructible(H, const H &), \"\");
         struct R { int &r; }; static_assert(!__is_assignable(R &, const R &) && !__is_constructible(R), \"\");
         struct M { M(M &&); }; static_assert(!__is_constructible(M, const M &) && __is_constructible(M, M &&), \"\");
         struct D { ~D() = delete; }; static_assert(!__is_destructible(D), \"\");",
    );
}

#[test]
fn memberwise_copies() {
    accepted(
        "struct A { int v; constexpr A(int v) : v(v) {} constexpr A(const A &o) : v(o.v + 1) {} constexpr A &operator=(const A &o) { v = o.v + 10; return *this; } };
         struct B { A a; A b[2]; int c; constexpr B() : a(1), b{A(2), A(3)}, c(4) {} };
         constexpr int copied() { B x; B y = x; return y.a.v * 100 + y.b[1].v * 10 + y.c; } static_assert(copied() == 244, \"\");
         constexpr int assigned() { B x, y; y = x; return y.a.v + y.b[0].v; } static_assert(assigned() == 23, \"\");",
    );
}

#[test]
fn virtual_functions() {
    // [class.virtual], [class.abstract]
    refused(
        "struct A { virtual void f(int); }; struct B : A { void f(float) override; };",
        "1: `B::f(float)` is marked `override` but overrides nothing\n  1: `A::f(int)` is virtual, but has another type",
    );
    refused(
        "struct A { virtual void f() = 0; }; __device__ void g() { A a; }",
        "1: variable `a` cannot be of the abstract class `A`\n  1: `A::f()` is pure virtual",
    );
}

#[test]
fn deleted_functions_say_why() {
    refused(
        "struct A { A(const A &) = delete; A(); }; struct B { A a; }; __device__ void f(B &b) { B c = b; }",
        "1: `B::B(const B &)` is deleted\n  1: declared here\n  its member `a` of type `A` has none that could be called",
    );
}

#[test]
fn inherited_constructors_and_delegation() {
    accepted(
        "struct A { int v; constexpr A(int v) : v(v) {} }; struct B : A { using A::A; int w = 7; }; static_assert(B(3).v == 3 && B(4).w == 7, \"\");
         struct C { int v; constexpr C() : C(5) {} constexpr C(int v) : v(v) {} }; static_assert(C().v == 5, \"\");",
    );
}

#[test]
fn bases_are_looked_up_where_the_class_is_a_member() {
    // [basic.lookup.unqual]/7: a specialisation, a class, a member class and a member template of one namespace, all defined outside of it.
    accepted(
        "namespace n { struct text {}; template <class T> struct format { int a = 1; }; template <> struct format<text> { int a = 2; };
         struct base { typedef int number; }; struct derived; struct outer { struct inner_base { int a = 4; }; struct inner; template <class T> struct pattern; }; }
         struct mine {}; template <> struct n::format<mine> : format<text> {}; static_assert(n::format<mine>{}.a == 2, \"\");
         struct n::derived : base { number a = 3; }; static_assert(n::derived{}.a == 3, \"\");
         struct n::outer::inner : inner_base {}; static_assert(n::outer::inner{}.a == 4, \"\");
         template <class T> struct n::outer::pattern : inner_base {}; static_assert(n::outer::pattern<int>{}.a == 4, \"\");",
    );
    refused(
        "namespace n { struct derived; } struct n::derived : base {};",
        "1: unknown type name `base`\n  did you mean `case`?",
    );
}

#[test]
fn structured_bindings() {
    // [dcl.struct.bind]
    accepted(
        "struct P { int a; float b; }; constexpr int f() { auto [x, y] = P{1, 2.0f}; int z[2] = {3, 4}; auto &[p, q] = z; q = 5; return x + int(y) + z[1]; } static_assert(f() == 8, \"\");",
    );
    refused(
        "struct P { int a; float b; }; __device__ void f(P p) { auto [x] = p; }",
        "1: `P` has 2 parts, but there are 1 names",
    );
}

#[test]
fn memory_spaces() {
    refused(
        "__global__ void k() { __shared__ int a = 1; }",
        "1: a `__shared__` variable cannot have an initialiser",
    );
    refused(
        "__global__ void k() { __constant__ int a; }",
        "1: a `__constant__` variable cannot be local to a function",
    );
    refused(
        "__global__ void k() { __shared__ int a[]; }",
        "1: a `__shared__` array without a size has to be `extern`\n  its size is then given when the kernel is launched",
    );
    accepted(
        "__constant__ int c[4] = {1, 2}; extern __shared__ float s[]; __device__ int g = 3; __global__ void __launch_bounds__(128, 2) k() { extern __shared__ int t[]; static __device__ int n; t[0] = c[1] + n; }",
    );
}

#[test]
fn kernels_have_rules() {
    refused(
        "struct S { __global__ void k() {} };",
        "1: a `__global__` function cannot be a member function",
    );
    refused(
        "__device__ void __launch_bounds__(32) f() {}",
        "1: `__launch_bounds__` is for `__global__` functions",
    );
}

#[test]
fn inherited_constructors_with_default_arguments_take_arguments() {
    accepted(
        "template <class P, class D> struct Base { P p; __device__ constexpr Base(P p = {}) : p(p) {} };
         template <class P> struct Pointer : Base<P, Pointer<P>> { using Base<P, Pointer<P>>::Base; };
         __global__ void k(float *q) { Pointer<float *> a{q}, b; Pointer<float *> c(q); *a.p = *c.p; b.p = q; }",
    );
}

#[test]
fn what_is_defaulted_in_its_class_is_constexpr() {
    accepted(
        "class View { public: View() = default; ~View() = default; View(const View &) = default; View(int) = delete; private: int *p{}; };
         constexpr View none{}; constexpr View copy = none;",
    );
}

#[test]
fn types_of_arrays_of_incomplete_classes() {
    accepted(
        "template <class T> struct owner {}; struct Later; using Rows = Later[3]; extern Later later[2];
         class Device { friend owner<Device[]> all(); owner<Device[4]> some(); };",
    );
    refused(
        "struct Later; Later here[2];",
        "1: variable `here`: the type `Later [2]` is incomplete\n  1: declared here, without a definition",
    );
}

#[test]
fn constant_members_are_not_assigned() {
    // [class.copy.assign]/7: of a class type, unless that has an operator for constant objects.
    accepted(
        "struct M { int a; M(const M &) = default; M &operator=(const M &) = default; M &operator=(M &&) = default; };
         struct P { const M m; }; struct Q { const M m[2]; }; template <class T> struct X { T t; };
         struct A { const A &operator=(const A &) const { return *this; } }; struct B { const A a; };
         static_assert(!__is_assignable(P &, const P &) && !__is_assignable(P &, P) && !__is_assignable(Q &, Q) && !__is_assignable(X<P> &, X<P>), \"\");
         static_assert(__is_assignable(B &, B) && __is_assignable(M &, M), \"\");",
    );
}

#[test]
fn destructors_of_pointers_to_classes_do_nothing() {
    accepted(
        "struct V { ~V(); }; template <class T> constexpr auto destroyed(T *t) -> decltype(t->~T(), true) { return true; }
         template <class T> constexpr bool quiet = noexcept(static_cast<T *>(nullptr)->~T());
         static_assert(quiet<V *> && quiet<int> && destroyed<V *>(nullptr) && destroyed<const V *>(nullptr), \"\");",
    );
    refused(
        "struct V { int a; }; int f(V *v) { return v.a; }",
        "1: `V *` is a pointer: its members are named with `->`",
    );
}
