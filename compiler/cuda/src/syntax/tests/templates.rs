//! Templates.

use super::check;

#[test]
fn template_parameters() {
    // [temp.param]
    check(
        "template <class T, typename U = int, int N = 3, typename... P> struct A {}; template <class, int, template <class> class V = A, auto X = 1> struct B;",
        "\
(template<typename T, typename U = int, N: int = 3, typename... P> (decl (struct A)))
(template<typename, int, template<typename> typename V = A, X: auto = 1> (decl struct B))",
    );
    check(
        "template <typename T, typename T::type N = T::value, T* P, class U = typename T::X> void f(); template <int... N, template <class...> class... T> void g();",
        "\
(template<typename T, N: typename T::type = T::value, P: * T, typename U = typename T::X> (decl f: fn() void))
(template<...N: int, template<typename...> typename... T> (decl g: fn() void))",
    );
    check(
        "struct S; template <class T, T V> struct I {}; template <int (*F)(int), int S::*M> struct J;",
        "\
(decl struct S)
(template<typename T, V: T> (decl (struct I)))
(template<F: * fn(int) int, M: S::* int> (decl struct J))",
    );
}

#[test]
fn template_arguments() {
    // [temp.arg]
    check(
        "template <class, int = 0> struct A { static int v; typedef int t; }; template <int> struct N {}; A<A<int>> a; A<A<A<int>>> b; N<(3 > 2)> c; A<int, (1 >> 1)> d; N<A<int>::v> e; N<sizeof(int) + 1> f;",
        "\
(template<typename, int = 0> (decl (struct A (decl static v: int) (decl typedef t: int))))
(template<int> (decl (struct N)))
(decl a: A<A<int>>)
(decl b: A<A<A<int>>>)
(decl c: N<(paren (> 3 2))>)
(decl d: A<int, (paren (>> 1 1))>)
(decl e: N<A<int>::v>)
(decl f: N<(+ (sizeof-type int) 1)>)",
    );
    check(
        "template <class> struct A {}; A<int(float)> a; A<int()> b; A<int (*)(int)> c; A<const int&> d; A<int[3]> e; A<int A<int>::*> f; A<void (int, ...)> g;",
        "\
(template<typename> (decl (struct A)))
(decl a: A<fn(float) int>)
(decl b: A<fn() int>)
(decl c: A<* fn(int) int>)
(decl d: A<& const int>)
(decl e: A<[3] int>)
(decl f: A<A<int>::* int>)
(decl g: A<fn(int, ...) void>)",
    );
    check(
        "template <class> struct A {}; struct T {}; template <int> struct N {}; A<T()> a; N<int(3)> b; N<int{3}> c; N<(int)3> d; ",
        "\
(template<typename> (decl (struct A)))
(decl (struct T))
(template<int> (decl (struct N)))
(decl a: A<fn() T>)
(decl b: N<(make int (3))>)
(decl c: N<(make int {3})>)
(decl d: N<(cast int 3)>)",
    );
    check(
        "template <class T, class U> struct P {}; template <class T> using X = P<typename T::a, T::b>; ",
        "\
(template<typename T, typename U> (decl (struct P)))
(template<typename T> (alias X P<typename T::a, ?T::b>))",
    );
}

#[test]
fn less_than_or_template() {
    // [temp.names]
    check(
        "template <int> int f(int); int g; int x = f<3>(1) + (g < 3 > 1);",
        "\
(template<int> (decl f: fn(int) int))
(decl g: int)
(decl x: int = (+ (call f<3> 1) (paren (> (< g 3) 1))))",
    );
    check(
        "template <class T> bool f(T t) { return t.a < 1 && T::b < 2 && T::b > 3; }",
        "\
(template<typename T> (function f: fn(t: T) bool (block (return (&& (&& (< (. t a) 1) (< T::b 2)) (> T::b 3))))))",
    );
    check(
        "template <class T> auto f() { return T::template g<int>(1) + T::template A<int>::v; }",
        "\
(template<typename T> (function f: fn() auto (block (return (+ (call T::template g<int> 1) T::template A<int>::v)))))",
    );
}

#[test]
fn dependent_names() {
    // [temp.res]
    check(
        "template <class T> void f() { typename T::type a; typename T::type* b; T::v * 3; typename T::template X<int>::y c; T::g(); }",
        "\
(template<typename T> (function f: fn() void (block (decl a: typename T::type) (decl b: * typename T::type) (* T::v 3) (decl c: typename T::template X<int>::y) (call T::g))))",
    );
    check(
        "template <class T> struct A { typedef typename T::type type; using V = typename A<typename T::x>::type; type f(V); };",
        "\
(template<typename T> (decl (struct A (decl typedef type: typename T::type) (alias V typename A<typename T::x>::type) (decl f: fn(V) type))))",
    );
}

#[test]
fn class_templates_and_their_names() {
    // [temp.local]
    check(
        "template <class T> struct A { A* p; A<int>* q; A(const A&); template <class U> A(const A<U>&); ::A<T> r; };",
        "\
(template<typename T> (decl (struct A (decl p: * A) (decl q: * A<int>) (decl A: fn(& const A) -) (template<typename U> (decl A: fn(& const A<U>) -)) (decl r: ::A<T>))))",
    );
}

#[test]
fn partial_specialisations() {
    // [temp.class.spec]
    check(
        "template <class T, class U> struct A {}; template <class T> struct A<T*, int> { typedef T t; }; template <class R, class... P> struct A<R(P...), int> {}; template <class T, int N> struct A<T[N], T&> {};",
        "\
(template<typename T, typename U> (decl (struct A)))
(template<typename T> (decl (struct A<* T, int> (decl typedef t: T))))
(template<typename R, typename... P> (decl (struct A<fn(...P) R, int>)))
(template<typename T, N: int> (decl (struct A<[N] T, & T>)))",
    );
}

#[test]
fn explicit_specialisations() {
    // [temp.expl.spec]
    check(
        "template <class T> struct A { void f(); }; template <> struct A<int> { int x; }; template <> void A<float>::f() {} template <class T> T g(T); template <> int g<int>(int); template <class T> inline constexpr bool v = false; template <> inline constexpr bool v<int> = true;",
        "\
(template<typename T> (decl (struct A (decl f: fn() void))))
(specialize (decl (struct A<int> (decl x: int))))
(specialize (function A<float>::f: fn() void (block)))
(template<typename T> (decl g: fn(T) T))
(specialize (decl g<int>: fn(int) int))
(template<typename T> (decl inline constexpr v: bool = false))
(specialize (decl inline constexpr v<int>: bool = true))",
    );
}

#[test]
fn explicit_instantiations() {
    // [temp.explicit]
    check(
        "template <class T> struct A {}; template struct A<int>; extern template struct A<float>; template <class T> void f(T); template void f<int>(int); template void f(float);",
        "\
(template<typename T> (decl (struct A)))
(instantiate (decl struct A<int>))
(extern-instantiate (decl struct A<float>))
(template<typename T> (decl f: fn(T) void))
(instantiate (decl f<int>: fn(int) void))
(instantiate (decl f: fn(float) void))",
    );
}

#[test]
fn variable_templates() {
    // [temp]
    check(
        "template <class T> constexpr bool v = sizeof(T) > 4; template <class T> constexpr bool v<T*> = true; bool x = v<int> && !v<int*>;",
        "\
(template<typename T> (decl constexpr v: bool = (> (sizeof-type T) 4)))
(template<typename T> (decl constexpr v<* T>: bool = true))
(decl x: bool = (&& v<int> (! v<* int>)))",
    );
}

#[test]
fn member_templates() {
    // [temp.mem]
    check(
        "template <class T> struct A { template <class U> void f(U); template <class U> struct B { U u; }; }; template <class T> template <class U> void A<T>::f(U) { typename A<T>::template B<U> b; }",
        "\
(template<typename T> (decl (struct A (template<typename U> (decl f: fn(U) void)) (template<typename U> (decl (struct B (decl u: U)))))))
(template<typename T> (template<typename U> (function A<T>::f: fn(U) void (block (decl b: typename A<T>::template B<U>)))))",
    );
}

#[test]
fn comparisons_of_data_members_whose_name_a_member_template_has() {
    // `first` is a member template of one class and a data member of another one.
    let classes = "struct A { template <int N> int first(); }; struct B { int first, second; };";
    let check = |text: &str, expected: &str| {
        let expected = format!(
            "(decl (struct A (template<N: int> (decl first: fn() int))))\n(decl (struct B (decl first: int, second: int)))\n{expected}"
        );
        check(&format!("{classes} {text}"), &expected);
    };
    check(
        "bool x = b.first < 1 || b.second > (2);",
        "(decl x: bool = (|| (< (. b first) 1) (> (. b second) (paren 2))))",
    );
    check(
        "bool y = b->first < 1 && b->second > (int)2;",
        "(decl y: bool = (&& (< (-> b first) 1) (> (-> b second) (cast int 2))))",
    );
    check(
        "int z = a.first<(1 || 2)>();",
        "(decl z: int = (call (. a first<(paren (|| 1 2))>)))",
    );
    check(
        "int v = a.first<int &&>();",
        "(decl v: int = (call (. a first<&& int>)))",
    );
    check("int w = a.first<3>();", "(decl w: int = (call (. a first<3>)))");
}

#[test]
fn packs() {
    // [temp.variadic]
    check(
        "template <class... T> struct A {}; template <class... T> void f(T&&... t) { g(h(t)...); A<T*..., int> a; int x[] = {t..., 1}; A<A<T, T>...> b; }",
        "\
(template<typename... T> (decl (struct A)))
(template<typename... T> (function f: fn(...t: && T) void (block (call g (... (call h t))) (decl a: A<* T..., int>) (decl x: [] int = {(... t), 1}) (decl b: A<A<T, T>...>))))",
    );
    check(
        "template <class... T> struct D : T... { D(T... t) : T(t)... {} }; template <class R, class... P> void f(R (*)(P...)); template <class... T> void g(T (&...t)[3]);",
        "\
(template<typename... T> (decl (struct D (base T...) (function D: fn(...t: T) - (init T (t)...) (block)))))
(template<typename R, typename... P> (decl f: fn(* fn(...P) R) void))
(template<typename... T> (decl g: fn(...t: & [3] T) void))",
    );
}

#[test]
fn default_template_arguments_with_angles() {
    // [temp.param]
    check(
        "template <class T, class U = A<T>, bool B = (1 > 2)> struct X; template <int N = 3 < 4> struct Y;",
        "\
(template<typename T, typename U = A<T>, B: bool = (paren (> 1 2))> (decl struct X))
(template<N: int = (< 3 4)> (decl struct Y))",
    );
}

#[test]
fn template_template_arguments() {
    // [temp.arg.template]
    check(
        "template <class> struct V {}; template <template <class> class C> struct A { C<int> c; }; A<V> a;",
        "\
(template<typename> (decl (struct V)))
(template<template<typename> typename C> (decl (struct A (decl c: C<int>))))
(decl a: A<V>)",
    );
}

#[test]
fn unknown_template_names() {
    // [temp.names]
    check(
        "template <class T> void f(T t) { unknown<T>(t); int unknown; bool b = unknown < 3; }",
        "\
(template<typename T> (function f: fn(t: T) void (block (call unknown<T> t) (decl unknown: int) (decl b: bool = (< unknown 3)))))",
    );
}

#[test]
fn sfinae_forms() {
    // [temp.deduct]
    check(
        "template <bool, class = void> struct E; template <class T, typename E<(sizeof(T) > 4), int>::type = 0> void f(); template <class T> auto g(T t) -> decltype(t + 1, void()); template <class T, class = typename E<true>::type> typename E<true, T>::type h(T);",
        "\
(template<bool, typename = void> (decl struct E))
(template<typename T, typename E<(paren (> (sizeof-type T) 4)), int>::type = 0> (decl f: fn() void))
(template<typename T> (decl g: fn(t: T) -> decltype((, (+ t 1) (make void ()))) auto))
(template<typename T, typename = typename E<true>::type> (decl h: fn(T) typename E<true, T>::type))",
    );
}

#[test]
fn calls_of_dependent_members() {
    // [temp.names]
    check(
        "struct S { template <int N> int get(); }; template <class T> int f(T t, S s) { return s.get<1>() + t.x < 3; }",
        "\
(decl (struct S (template<N: int> (decl get: fn() int))))
(template<typename T> (function f: fn(t: T, s: S) int (block (return (< (+ (call (. s get<1>)) (. t x)) 3)))))",
    );
}
