//! Templates ([temp]): by static assertions.

use super::{accepted, refused};

#[test]
fn function_templates_are_deduced() {
    // [temp.deduct.call]
    accepted(
        "template <class T> constexpr T twice(T x) { return x + x; } static_assert(twice(3) == 6 && twice(1.5) == 3.0, \"\");
         template <class T, int N> constexpr int count(const T (&)[N]) { return N; } constexpr int a[5] = {}; static_assert(count(a) == 5, \"\");
         template <class T> struct is_lref { static constexpr bool value = false; }; template <class T> struct is_lref<T &> { static constexpr bool value = true; };
         template <class T> constexpr bool forwards(T &&) { return is_lref<T>::value; } constexpr int v = 1; static_assert(forwards(v) && !forwards(1), \"\");
         template <class R, class... A> constexpr int arity(R (*)(A...)) { return sizeof...(A); } void f(int, float, char); static_assert(arity(f) == 3, \"\");
         template <class T> constexpr int depth(T) { return 0; } template <class T> constexpr int depth(T *p) { return 1 + depth(T{}); } static_assert(depth((int **)nullptr) == 2, \"\");",
    );
}

#[test]
fn class_templates_and_their_members() {
    accepted(
        "template <class T, int N = 4> struct Array { T data[N]; constexpr T sum() const; static constexpr int size = N; using type = T; template <class U> constexpr U as(int i) const; };
         template <class T, int N> constexpr T Array<T, N>::sum() const { T s = 0; for (int i = 0; i < N; ++i) s += data[i]; return s; }
         template <class E, int M> template <class U> constexpr U Array<E, M>::as(int i) const { return U(data[i]); }
         constexpr Array<int> a{{1, 2, 3, 4}}; static_assert(a.sum() == 10 && Array<int>::size == 4, \"\"); static_assert(__is_same(Array<float>::type, float), \"\");
         static_assert(a.as<long>(2) == 3L, \"\"); static_assert(sizeof(Array<char, 7>) == 7, \"\");",
    );
}

#[test]
fn partial_and_explicit_specialisations() {
    // [temp.class.spec], [temp.expl.spec]
    accepted(
        "template <class T> struct K { static constexpr int v = 0; }; template <class T> struct K<T *> { static constexpr int v = 1; };
         template <class T> struct K<const T *> { static constexpr int v = 2; }; template <> struct K<int *> { static constexpr int v = 3; };
         template <class R, class... A> struct K<R(A...)> { static constexpr int v = 10 + sizeof...(A); }; template <class T, int N> struct K<T[N]> { static constexpr int v = N; };
         static_assert(K<int>::v == 0 && K<float *>::v == 1 && K<const float *>::v == 2 && K<int *>::v == 3 && K<void(int, int)>::v == 12 && K<int[7]>::v == 7, \"\");
         template <class A, class B> struct same { static constexpr bool value = false; }; template <class A> struct same<A, A> { static constexpr bool value = true; };
         static_assert(same<int, int>::value && !same<int, const int>::value, \"\");
         template <class T> constexpr int g(T) { return 1; } template <> constexpr int g(char) { return 2; } template <> constexpr int g<long>(long) { return 3; }
         static_assert(g(1) == 1 && g('a') == 2 && g(1L) == 3, \"\");
         template <template <class...> class C, class... T> struct of {}; template <class T> struct inner; template <template <class...> class C, class T> struct inner<C<T>> { using type = T; };
         template <class T> struct vec {}; static_assert(__is_same(inner<vec<int>>::type, int), \"\");",
    );
}

#[test]
fn packs_and_folds() {
    // [temp.variadic], [expr.prim.fold]
    accepted(
        "template <class... T> constexpr int total(T... x) { return (x + ... + 0); } static_assert(total() == 0 && total(1, 2, 3) == 6, \"\");
         template <int... I> struct seq { static constexpr int n = sizeof...(I); }; template <int N, int... I> struct make : make<N - 1, N - 1, I...> {}; template <int... I> struct make<0, I...> { using type = seq<I...>; };
         static_assert(__is_same(make<3>::type, seq<0, 1, 2>), \"\");
         template <class... T> struct tuple {}; template <class H, class... T> struct tuple<H, T...> : tuple<T...> { H head; constexpr tuple(H h, T... t) : tuple<T...>(t...), head(h) {} };
         constexpr tuple<int, float, char> t(1, 2.0f, 'c'); static_assert(t.head == 1, \"\"); static_assert(sizeof(t) >= 9, \"\");
         template <class... F> struct overload : F... { using F::operator()...; }; struct A { constexpr int operator()(int) const { return 1; } }; struct B { constexpr int operator()(char) const { return 2; } };
         static_assert(overload<A, B>{}(1) == 1 && overload<A, B>{}('c') == 2, \"\");
         template <class... T> constexpr bool all_small = ((sizeof(T) < 8) && ...); static_assert(all_small<int, char> && !all_small<int, double>, \"\");",
    );
}

#[test]
fn substitution_failures_are_no_errors() {
    // [temp.deduct]/8
    accepted(
        "template <bool B, class T = void> struct enable_if {}; template <class T> struct enable_if<true, T> { using type = T; }; template <bool B, class T = void> using enable_if_t = typename enable_if<B, T>::type;
         template <class T> enable_if_t<sizeof(T) == 4, int> f(T) { return 1; } template <class T> enable_if_t<sizeof(T) != 4, long> f(T) { return 2; }
         static_assert(__is_same(decltype(f(1)), int) && __is_same(decltype(f('c')), long), \"\");
         template <class...> using void_t = void; template <class T, class = void> struct has_type { static constexpr bool value = false; }; template <class T> struct has_type<T, void_t<typename T::type>> { static constexpr bool value = true; };
         struct X { using type = int; }; static_assert(has_type<X>::value && !has_type<int>::value, \"\");
         template <class T> auto g(T t) -> decltype(t.size()) { return 0; } constexpr int g(...) { return 7; } static_assert(__is_same(decltype(g(1)), int) && g(1) == 7, \"\");",
    );
}

#[test]
fn recursion_of_templates() {
    accepted(
        "template <int N> struct fib { static constexpr int value = fib<N - 1>::value + fib<N - 2>::value; }; template <> struct fib<0> { static constexpr int value = 0; }; template <> struct fib<1> { static constexpr int value = 1; };
         static_assert(fib<20>::value == 6765, \"\");",
    );
}

#[test]
fn class_template_argument_deduction() {
    // [over.match.class.deduct]
    accepted(
        "template <class A, class B> struct pair { A a; B b; constexpr pair(A a, B b) : a(a), b(b) {} }; constexpr pair p(1, 2.5); static_assert(__is_same(decltype(p), const pair<int, double>), \"\");
         template <class T> struct box { T t; template <class U> constexpr box(U u) : t(u) {} }; template <class U> box(U) -> box<U>; constexpr box b(3L); static_assert(sizeof(b) == 8, \"\");",
    );
}

#[test]
fn friends_and_argument_dependent_look_up() {
    // [basic.lookup.argdep]
    accepted(
        "namespace N { template <class T> struct V { T x; friend constexpr V operator+(V a, V b) { return V{a.x + b.x}; } }; struct E {}; constexpr int f(E) { return 5; } }
         static_assert((N::V<int>{1} + N::V<int>{2}).x == 3 && f(N::E{}) == 5, \"\");",
    );
}

#[test]
fn kernels_of_templates() {
    let program = accepted(
        "template <class T> __global__ void k(T *p) { p[0] = T(1); } template __global__ void k<float>(float *); template <> __global__ void k<int>(int *p) { p[0] = 2; }",
    );
    assert_eq!(program.roots.len(), 2);
}

#[test]
fn errors_in_instances_have_their_chain() {
    refused(
        "template <class T> struct A { typename T::type x; }; A<int> a;",
        "1: `int` is no class, namespace or enumeration: it has no members\n  1: in the instantiation of `A<int>`",
    );
    refused(
        "template <class T> constexpr T f(T x) { return x.y; } constexpr int a = f(1);",
        "1: `int` is no class: it has no member `y`\n  1: in the instantiation of `f(int)`",
    );
}

#[test]
fn launched_kernels_are_instantiated() {
    let program = accepted(
        "template <class T, int N> __global__ void k(T *p) { p[0] = N; } template <class T> void launch(T *p) { k<T, 3><<<1, 32>>>(p); }
         template <class T> __global__ void q(T *p) {} void host(float *p) { launch(p); q<<<1, 32>>>(p); }",
    );
    assert_eq!(program.roots.len(), 2);
}

#[test]
fn packs_of_a_class_are_known_in_its_member_templates() {
    // [temp.func.order]: the constructor with types that are known is more specialised than one that takes anything.
    accepted(
        "template <class... T> struct tup { int from; template <class C = int> constexpr tup(const T &...) : from(1) {} template <class... U> constexpr tup(U &&...) : from(2) {} };
         template <class... T> constexpr int tie(T &...t) { return tup<T &...>(t...).from; } constexpr int one() { int a = 0, b = 0; return tie(a, b); } static_assert(one() == 1, \"\");
         struct B {}; template <class T, int N> struct bar {}; using b1 = bar<int, 1>; template <class G> constexpr int pick(const G &, b1 &) { return 1; }
         template <class G, class T, int N> constexpr int pick(const G &, bar<T, N> &) { return 2; } constexpr int two() { b1 b; return pick(0, b); } static_assert(two() == 1, \"\");",
    );
}

#[test]
fn the_length_of_a_pack_that_is_being_expanded() {
    accepted(
        "template <unsigned... N> struct seq {}; template <class S> struct twice; template <unsigned... N> struct twice<seq<N...>> { using type = seq<N..., (sizeof...(N) + N)...>; };
         static_assert(__is_same(twice<seq<0, 1>>::type, seq<0, 1, 2, 3>), \"\");",
    );
}

#[test]
fn arrays_fit_references_to_arrays_of_constants() {
    accepted(
        "template <unsigned N> constexpr unsigned length(const unsigned long (&)[N]) { return N; } constexpr unsigned f() { unsigned long x[3] = {}; return length(x); } static_assert(f() == 3, \"\");
         constexpr float at(const float (&c)[2][3]) { return c[1][2]; } constexpr float g() { float c[2][3] = {{0, 0, 0}, {0, 0, 5}}; return at(c); } static_assert(g() == 5.0f, \"\");",
    );
}

#[test]
fn operators_that_are_no_members_are_ordered_by_both_operands() {
    accepted(
        "template <class I, class C> struct It { I p; }; struct V {};
         template <class L, class R, class C> constexpr int operator==(const It<L, C> &, const It<R, C> &) { return 1; }
         template <class I, class C> constexpr int operator==(const It<I, C> &, const It<I, C> &) { return 2; }
         constexpr It<int *, V> a{nullptr}; constexpr It<const int *, V> b{nullptr}; static_assert((a == a) == 2 && (a == b) == 1, \"\");",
    );
}

#[test]
fn enumerations_promote_to_int_where_that_has_room() {
    // [conv.prom]/3
    accepted(
        "enum { A = 1, B = 5 }; enum { C = 0x80000000u }; enum D : unsigned char { E }; enum F : unsigned { G };
         static_assert(__is_same(decltype(+A), int) && __is_same(decltype(B + 1), int) && __is_same(decltype(+C), unsigned), \"\");
         static_assert(__is_same(decltype(+E), int) && __is_same(decltype(+G), unsigned), \"\");",
    );
}

#[test]
fn friends_of_specialisations_are_functions_of_the_namespace() {
    accepted(
        "namespace n { template <int S> class P {}; template <> class P<1> { constexpr P() : x(3) {} friend constexpr int make(); int x; };
         constexpr int make() { return P<1>().x; } } static_assert(n::make() == 3, \"\");",
    );
}

#[test]
fn partial_specialisations_of_template_template_parameters_are_ordered() {
    // [temp.class.order]: what names more arguments is more special, also where one of them is not deduced (`add<void>::type` is `void`).
    accepted(
        "template <class T> struct add { typedef T& type; }; template <> struct add<void> { typedef void type; };
         template <class E, class Tag, class R, class D> struct pointer {}; template <class P, class T> struct rebind; struct tag;
         template <template <class, class...> class P, class O, class... R, class T> struct rebind<P<O, R...>, T> { static const int v = 1; };
         template <template <class, class, class, class...> class P, class O, class Tag, class... R, class T>
         struct rebind<P<O, Tag, typename add<O>::type, R...>, T> { static const int v = 2; };
         static_assert(rebind<pointer<void, tag, void, int>, int>::v == 2, \"\");
         static_assert(rebind<pointer<float, tag, float &, int>, int>::v == 2, \"\");
         static_assert(rebind<pointer<float, tag, float, int>, int>::v == 1, \"\");
         template <class T> struct same { static const int v = 0; }; template <class A, class B> struct pair {};
         template <template <class, class> class P, class A, class B> struct same<P<A, B>> { static const int v = 1; };
         template <template <class, class> class P, class A> struct same<P<A, A>> { static const int v = 2; };
         static_assert(same<pair<int, int>>::v == 2 && same<pair<int, char>>::v == 1, \"\");",
    );
}

#[test]
fn generic_lambdas_capture_this_only_if_they_name_it() {
    // [expr.prim.lambda.capture]/7; the lambda around the second one has no `this` to give.
    accepted(
        "template <class F> __device__ int call(F f) { static_assert(sizeof(F) == sizeof(void *), \"\"); return f(1); }
         struct S { int member; int get() const;
             __device__ int local(int x) { return call([&](auto y) { return x + y; }); }
             __device__ int nested() { return [b = member] { int c = b; return call([&](auto y) { return c + y; }); }(); }
             __device__ int field() { return call([&](auto y) { return member + y; }); }
             __device__ int written() { return call([&](auto y) { return this->member + y; }); } };
         __global__ void k(int *o, S s) { *o = s.local(1) + s.nested() + s.field() + s.written(); }",
    );
}

#[test]
fn class_templates_without_arguments_in_templates() {
    // What depends on a variable so declared depends on the template's parameters; of a template that is only specialised an object can be copied.
    accepted(
        "template <class S, class D> struct Layout { S s; D d; };
         template <class S, class D> __device__ auto inverse(Layout<S, D> const &) { return Layout<D, S>{}; }
         template <class E> __device__ int size(Layout<E, int> const &b) { Layout l = inverse(b); Layout m{inverse(l)}; return sizeof(inverse(m)); }
         template <class... A> struct Atom; template <class T, class I> struct Atom<T, I> { T t; using R = I; };
         template <class T> __device__ auto make(T) { return Atom<T, int>{}; }
         template <class T> __device__ int copied(T t) { Atom a = make(t); return sizeof(typename decltype(a)::R); }
         __global__ void k(int *o) { *o = size(Layout<char, int>{}) + copied(1.0f); }",
    );
}

#[test]
fn packs_before_other_parameters_are_as_long_as_given() {
    // [temp.deduct.call]/1: they are not deduced, what stands behind them is.
    accepted(
        "template <class T, T... I> struct sequence {};
         template <int R, class O, class... In, int... Is> __device__ int loop(O *, const In *..., sequence<int, Is...>) { return sizeof...(In) * 10 + sizeof...(Is); }
         template <class... In, class T> constexpr int last(In..., T) { return sizeof...(In); }
         static_assert(last<int, char>(1, 'c', 2.0) == 2 && last(1.0) == 0, \"\");
         __global__ void k(int *o, const float *a, const char *b) { *o = loop<1, int, float, char>(o, a, b, sequence<int, 7, 8, 9>{}); }",
    );
}

#[test]
fn template_template_parameters_take_templates_with_like_parameters() {
    accepted(
        "template <class...> struct list {}; template <class T, T... V> struct sequence {};
         template <class T> struct kind { static constexpr int v = 0; };
         template <template <class...> class C, class... T> struct kind<C<T...>> { static constexpr int v = 1; };
         template <template <class T, T...> class C, class T, T... V> struct kind<C<T, V...>> { static constexpr int v = 2; };
         static_assert(kind<list<int>>::v == 1 && kind<list<>>::v == 1 && kind<sequence<int, 1>>::v == 2 && kind<int>::v == 0, \"\");",
    );
}

#[test]
fn an_alias_with_just_the_parameters_of_its_template_is_that_template() {
    accepted(
        "template <class T, class U> struct same { static constexpr bool v = false; }; template <class T> struct same<T, T> { static constexpr bool v = true; };
         template <class T, int N> struct array {}; template <class T, int N> using row = array<T, N>; template <int N, class T> using turned = array<T, N>;
         template <class T, int N = 3> struct other {}; template <class T> using three = other<T>;
         template <template <class, int> class C> struct holds {}; template <template <int, class> class C> struct turns {}; template <template <class> class C> struct one {};
         static_assert(same<holds<row>, holds<array>>::v && !same<turns<turned>, holds<array>>::v, \"\");
         template <class T> struct inner { template <class U, int N> using type = row<U, N>; };
         static_assert(same<holds<inner<int>::template type>, holds<array>>::v, \"\");",
    );
}

#[test]
fn a_partial_specialisation_is_read_where_it_is_defined() {
    accepted(
        "template <class T> struct any; template <class T> struct any<T &>; template <class T> struct ref {};
         template <class T> struct any<T &> : ref<T> {}; any<int &> a;",
    );
}

#[test]
fn pointers_to_members_know_results_that_are_deduced() {
    accepted(
        "template <class T> struct of; template <class C, class R, class... A> struct of<R (C::*)(A...)> { using type = R(A...); };
         template <class T> struct plus { decltype(auto) operator()(T a) { return a + 1; } auto twice(T a) const { return 2 * a; } };
         struct plain { decltype(auto) f(int a) { return a + 1; } };
         template <class F> struct called : of<decltype(&F::operator())> {};
         static_assert(__is_same(called<plus<int>>::type, int(int)) && __is_same(of<decltype(&plain::f)>::type, int(int)), \"\");
         auto (plus<char>::*p)(char) const = &plus<char>::twice; static_assert(__is_same(decltype(p), int (plus<char>::*)(char) const), \"\");",
    );
}
