//! Declarations.

use super::check;

#[test]
fn declarators_read_inside_out() {
    // [dcl.meaning]
    check(
        "int *a[3], (*b)[3], *(*c)(float), **d, *const *volatile e;",
        "\
(decl a: [3] * int, b: * [3] int, c: * fn(float) * int, d: * * int, e: *volatile *const int)",
    );
    check(
        "int (*f(int))(float); int (*(*g[2])(void))[3];",
        "\
(decl f: fn(int) * fn(float) int)
(decl g: [2] * fn() * [3] int)",
    );
    check(
        "int &a = b, &&c = 1; int (&d)[3] = e;",
        "\
(decl a: & int = b, c: && int = 1)
(decl d: & [3] int = e)",
    );
    check(
        "struct S {}; int S::*a; int (S::*b)(int) const; int S::*const *c;",
        "\
(decl (struct S))
(decl a: S::* int)
(decl b: S::* fn(int) const int)
(decl c: * S::*const int)",
    );
}

#[test]
fn fundamental_types() {
    // [dcl.type.simple]
    check(
        "unsigned a; long unsigned int b; short c; long long int d; signed char e; unsigned __int128 f; long double g; _Float16 h; char16_t i; wchar_t j; bool k;",
        "\
(decl a: unsigned int)
(decl b: unsigned long)
(decl c: short)
(decl d: long long)
(decl e: signed char)
(decl f: unsigned __int128)
(decl g: long double)
(decl h: _Float16)
(decl i: char16_t)
(decl j: wchar_t)
(decl k: bool)",
    );
}

#[test]
fn specifiers_in_any_order() {
    // [dcl.spec]
    check(
        "const int static a = 1; int constexpr b = 2; extern volatile unsigned c; inline static const double d = 1;",
        "\
(decl static a: const int = 1)
(decl constexpr b: int = 2)
(decl extern c: volatile unsigned int)
(decl static inline d: const double = 1)",
    );
    check(
        "thread_local int a; typedef int const *P, Q[3]; P p; Q q;",
        "\
(decl thread_local a: int)
(decl typedef P: * const int, Q: [3] const int)
(decl p: P)
(decl q: Q)",
    );
}

#[test]
fn initialisers() {
    // [dcl.init]
    check(
        "int a = 1, b(2), c{3}, d = {4}, e[] = {1, 2, }; struct S { int x, y; } s = {.x = 1, .y = {2}};",
        "\
(decl a: int = 1, b: int (2), c: int {3}, d: int = {4}, e: [] int = {1, 2})
(decl s: (struct S (decl x: int, y: int)) = {.x = 1, .y = {2}})",
    );
    check(
        "int a[9] = {[1] = 2, [3 ... 5] = 4}; ",
        "(decl a: [9] int = {[1] = 2, [3 ... 5] = 4})",
    );
}

#[test]
fn functions() {
    // [dcl.fct]
    check(
        "void f(int, float x = 1.5f, const char*, ...); void g(void); int h(int a[3], int (*b)(int)); auto i() -> int*; void j() noexcept(true);",
        "\
(decl f: fn(int, x: float = 1.5f, * const char, ...) void)
(decl g: fn() void)
(decl h: fn(a: [3] int, b: * fn(int) int) int)
(decl i: fn() -> * int auto)
(decl j: fn() noexcept(true) void)",
    );
    check(
        "void f() throw(); int g(int (x)); int h(int (*)(int), int (int)); ",
        "\
(decl f: fn() noexcept void)
(decl g: fn(x: int) int)
(decl h: fn(* fn(int) int, fn(int) int) int)",
    );
}

#[test]
fn vexing_parse() {
    // [dcl.ambig.res]
    check(
        "struct T { T(); T(int); }; void f(int a) { T b(int()); T c(T()); T d(int(a)); T e((T())); T g(a); T h(); T i(int{}); T j(a + 1); T k(int(3)); }",
        "\
(decl (struct T (decl T: fn() -) (decl T: fn(int) -)))
(function f: fn(a: int) void (block (decl b: fn(fn() int) T) (decl c: fn(fn() T) T) (decl d: fn(a: int) T) (decl e: T ((paren (make T ())))) (decl g: T (a)) (decl h: fn() T) (decl i: T ((make int {}))) (decl j: T ((+ a 1))) (decl k: T ((make int (3))))))",
    );
    check(
        "struct T {}; struct V { V(T, int); }; struct W { int n; void f() { V v(T(), n); } };",
        "\
(decl (struct T))
(decl (struct V (decl V: fn(T, int) -)))
(decl (struct W (decl n: int) (function f: fn() void (block (decl v: V ((make T ()), n))))))",
    );
}

#[test]
fn bit_fields() {
    // [class.bit]
    check(
        "struct S { int a : 3, : 2, b : 1 + 2 = 1; unsigned : 0; };",
        "(decl (struct S (decl a: int : 3, int : 2, b: int : (+ 1 2) = 1) (decl unsigned int : 0)))",
    );
}

#[test]
fn classes() {
    // [class]
    check(
        "class A; class A { int a; public: int b = 1; A(); ~A(); protected: static int c; };",
        "\
(decl class A)
(decl (class A (decl a: int) public: (decl b: int = 1) (decl A: fn() -) (decl ~A: fn() -) protected: (decl static c: int)))",
    );
    check(
        "struct A {}; struct C { struct D {}; }; struct B final : public virtual A, private C::D {}; union U { int a; float b; };",
        "\
(decl (struct A))
(decl (struct C (decl (struct D))))
(decl (struct B final (base virtual public: A) (base private: C::D)))
(decl (union U (decl a: int) (decl b: float)))",
    );
    check(
        "struct S { struct T { int x; } t; T* p; enum { E, F = 3 } e; }; S::T a; int x = S::F;",
        "\
(decl (struct S (decl t: (struct T (decl x: int))) (decl p: * T) (decl e: (enum - E F=3))))
(decl a: S::T)
(decl x: int = S::F)",
    );
    check(
        "struct { int a; } x; union { int b; float c; };",
        "\
(decl x: (struct - (decl a: int)))
(decl (union - (decl b: int) (decl c: float)))",
    );
    check(
        "typedef struct N { N* next; } N; N* n;",
        "\
(decl typedef N: (struct N (decl next: * N)))
(decl n: * N)",
    );
}

#[test]
fn constructors() {
    // [class.ctor], [class.base.init]
    check(
        "struct B { B(int); }; template <class... T> struct S : B, T... { int x, y; S() : B(1), x{2}, y(3) {} S(int a); explicit S(float); S(const S&) = default; S(S&&) = delete; S(T... t) : B(1), T(t)... {} }; ",
        "\
(decl (struct B (decl B: fn(int) -)))
(template<typename... T> (decl (struct S (base B) (base T...) (decl x: int, y: int) (function S: fn() - (init B (1)) (init x {2}) (init y (3)) (block)) (decl S: fn(a: int) -) (decl explicit S: fn(float) -) (function S: fn(& const S) - default) (function S: fn(&& S) - delete) (function S: fn(...t: T) - (init B (1)) (init T (t)...) (block)))))",
    );
    check(
        "template <class T> struct A { A(); A(T); ~A(); int f(); }; template <class T> A<T>::A() {} template <class T> A<T>::~A() {} template <class T> int A<T>::f() { return 1; }",
        "\
(template<typename T> (decl (struct A (decl A: fn() -) (decl A: fn(T) -) (decl ~A: fn() -) (decl f: fn() int))))
(template<typename T> (function A<T>::A: fn() - (block)))
(template<typename T> (function A<T>::~A: fn() - (block)))
(template<typename T> (function A<T>::f: fn() int (block (return 1))))",
    );
    check(
        "struct A { A(A (*)()); A (*y); };",
        "(decl (struct A (decl A: fn(* fn() A) -) (decl y: * A)))",
    );
}

#[test]
fn conversion_functions() {
    // [class.conv.fct]
    check(
        "struct S { operator int() const; explicit operator bool(); template <class T> operator T*() { return 0; } }; S::operator int() const { return 1; }",
        "\
(decl (struct S (decl operator int: fn() const -) (decl explicit operator bool: fn() -) (template<typename T> (function operator * T: fn() - (block (return 0))))))
(function S::operator int: fn() const - (block (return 1)))",
    );
}

#[test]
fn operator_functions() {
    // [over.oper]
    check(
        "struct S { S& operator=(const S&); S operator+(S) const; S operator>>(int); S operator>(int); bool operator<(S); int operator()(int); int operator[](int); S* operator->(); S operator++(int); void* operator new(unsigned long); void operator delete[](void*); S operator,(S); };",
        "\
(decl (struct S (decl operator=: fn(& const S) & S) (decl operator+: fn(S) const S) (decl operator>>: fn(int) S) (decl operator>: fn(int) S) (decl operator<: fn(S) bool) (decl operator(): fn(int) int) (decl operator[]: fn(int) int) (decl operator->: fn() * S) (decl operator++: fn(int) S) (decl operator new: fn(unsigned long) * void) (decl operator delete[]: fn(* void) void) (decl operator,: fn(S) S)))",
    );
    check(
        "struct S {}; template <class T> S operator<<(S, T); S s; S t = operator<< <int>(s, 1); S u = operator<<<int>(s, 1);",
        "\
(decl (struct S))
(template<typename T> (decl operator<<: fn(S, T) S))
(decl s: S)
(decl t: S = (call operator<<<int> s 1))
(decl u: S = (call operator<<<int> s 1))",
    );
}

#[test]
fn virtual_functions() {
    // [class.virtual]
    check(
        "struct A { virtual void f() = 0; virtual ~A() = default; }; struct B : A { void f() override; void g() const & final; };",
        "\
(decl (struct A (decl virtual f: fn() void pure) (function virtual ~A: fn() - default)))
(decl (struct B (base A) (decl f: fn() override void) (decl g: fn() const & final void)))",
    );
}

#[test]
fn member_bodies_see_the_whole_class() {
    // [class.mem]
    check(
        "struct S { int f() { return g<int>(1) + T(2).x; } template <class U> int g(int); struct T { int x; T(int); }; };",
        "\
(decl (struct S (function f: fn() int (block (return (+ (call g<int> 1) (. (make T (2)) x))))) (template<typename U> (decl g: fn(int) int)) (decl (struct T (decl x: int) (decl T: fn(int) -)))))",
    );
    check(
        "struct S { S() : a(T(1)) {} int a; typedef int T; };",
        "\
(decl (struct S (function S: fn() - (init a ((make T (1)))) (block)) (decl a: int) (decl typedef T: int)))",
    );
}

#[test]
fn friends() {
    // [class.friend]
    check(
        "struct S { friend class F; friend void g(S) {} friend int h(S), i(S); template <class T> friend struct X; friend S; }; F* f; ",
        "\
(decl (struct S (decl friend class F) (function friend g: fn(S) void (block)) (decl friend h: fn(S) int, i: fn(S) int) (template<typename T> (decl friend struct X)) (decl friend S)))
(decl f: * F)",
    );
}

#[test]
fn access_of_members() {
    // [class.access]
    check(
        "class C { int a; public: int b; private: int c; };",
        "(decl (class C (decl a: int) public: (decl b: int) private: (decl c: int)))",
    );
}

#[test]
fn enumerations() {
    // [dcl.enum]
    check(
        "enum E { A, B = 2, C = A + 1 }; enum class F : unsigned char { G [[deprecated]] = 1 }; enum struct H; enum I : int; F f = F::G; enum E e;",
        "\
(decl (enum E A B=2 C=(+ A 1)))
(decl (enum-class F : unsigned char G=1))
(decl (enum-class H opaque))
(decl (enum I : int opaque))
(decl f: F = F::G)
(decl e: enum E)",
    );
}

#[test]
fn namespaces() {
    // [namespace.def]
    check(
        "namespace a { int x; namespace b { struct S {}; } } namespace a::inline c::d { struct T {}; } inline namespace e { struct U {}; } namespace { int y; } a::b::S s; a::d::T t; U u; namespace f = a::b; f::S v;",
        "\
(namespace a (decl x: int) (namespace b (decl (struct S))))
(namespace a (inline-namespace c (namespace d (decl (struct T)))))
(inline-namespace e (decl (struct U)))
(namespace - (decl y: int))
(decl s: a::b::S)
(decl t: a::d::T)
(decl u: U)
(namespace-alias f a::b)
(decl v: f::S)",
    );
}

#[test]
fn using() {
    // [namespace.udir], [namespace.udecl]
    check(
        "namespace a { struct S {}; template <class T> struct V {}; } void f() { using namespace a; S s; V<int> v; } using a::S, a::V; S* s; V<int>* v;",
        "\
(namespace a (decl (struct S)) (template<typename T> (decl (struct V))))
(function f: fn() void (block (using-namespace a) (decl s: S) (decl v: V<int>)))
(using a::S a::V)
(decl s: * S)
(decl v: * V<int>)",
    );
    check(
        "namespace a { namespace d { int x; } } namespace b { namespace d { template <class T> struct S {}; } void f() { using namespace a; d::S<int> s; } }",
        "\
(namespace a (namespace d (decl x: int)))
(namespace b (namespace d (template<typename T> (decl (struct S)))) (function f: fn() void (block (using-namespace a) (decl s: d::S<int>))))",
    );
    check(
        "struct B { B(int); template <class T> T get(); struct I {}; }; struct D : B { using B::B; using B::get; using B::I; I i; };",
        "\
(decl (struct B (decl B: fn(int) -) (template<typename T> (decl get: fn() T)) (decl (struct I))))
(decl (struct D (base B) (using B::B) (using B::get) (using B::I) (decl i: I)))",
    );
    check(
        "template <class... T> struct O : T... { using T::operator()...; using typename T::X...; };",
        "\
(template<typename... T> (decl (struct O (base T...) (using T::operator()...) (using typename T::X...))))",
    );
}

#[test]
fn aliases() {
    // [dcl.typedef], [temp.alias]
    check(
        "using I = int; using F = void (*)(I); template <class T> using P = T*; P<I> p; using A [[maybe_unused]] = I[3];",
        "\
(alias I int)
(alias F * fn(I) void)
(template<typename T> (alias P * T))
(decl p: P<I>)
(alias A @maybe_unused [3] I)",
    );
}

#[test]
fn linkage() {
    // [dcl.link]
    check(
        "extern \"C\" { int f(int); struct S {}; } extern \"C\" int g(); extern \"C++\" S s;",
        "\
(extern-c (decl f: fn(int) int) (decl (struct S)))
(extern-c (decl g: fn() int))
(extern-c++ (decl s: S))",
    );
}

#[test]
fn static_assert() {
    // [dcl.dcl]
    check(
        "static_assert(sizeof(int) == 4, \"int\"); static_assert(true);",
        "\
(static_assert (== (sizeof-type int) 4) \"int\")
(static_assert true)",
    );
}

#[test]
fn structured_bindings() {
    // [dcl.struct.bind]
    check(
        "void f() { int x[2]; auto [a, b] = x; const auto& [c, d]{x}; auto&& [e, g](x); }",
        "\
(function f: fn() void (block (decl x: [2] int) (bind auto [a, b] = x) (bind & const auto [c, d] {x}) (bind && auto [e, g] (x))))",
    );
}

#[test]
fn auto_and_decltype() {
    // [dcl.spec.auto]
    check(
        "auto a = 1; decltype(auto) b = (a); decltype(a) c; const auto* d = &a; auto f(auto x) { return x; }",
        "\
(decl a: auto = 1)
(decl b: decltype(auto) = (paren a))
(decl c: decltype(a))
(decl d: * const auto = (& a))
(function f: fn(x: auto) auto (block (return x)))",
    );
}

#[test]
fn typeof_and_attributes() {
    // GNU
    check(
        "int a __attribute__((aligned(16))); __typeof__(a) b; __typeof__(int*) c; struct __attribute__((packed)) S { char d; int e; } __attribute__((aligned(2)));",
        "\
(decl a: int alignas(16))
(decl b: typeof(a))
(decl c: typeof(* int))
(decl (struct S @packed alignas(2) (decl d: char) (decl e: int)))",
    );
    check(
        "int f(int) __asm__(\"g\"); __extension__ typedef long long L; static __inline__ int h(const char* __restrict__ p);",
        "\
(decl f: fn(int) int asm \"g\")
(decl typedef L: long long)
(decl static inline h: fn(p: *restrict const char) int)",
    );
}

#[test]
fn attributes() {
    // [dcl.attr]
    check(
        "[[nodiscard]] int f([[maybe_unused]] int a); struct [[gnu::packed, deprecated(\"x\")]] S { [[no_unique_address]] int b; }; alignas(16) int c; alignas(double) char d; void g() { [[likely]] ; [[fallthrough]]; }",
        "\
(decl @nodiscard f: fn(a: @maybe_unused int) int)
(decl (struct S @packed @deprecated (decl @no_unique_address b: int)))
(decl alignas(16) c: int)
(decl alignas(double) d: char)
(function g: fn() void (block @likely (null) @fallthrough (null)))",
    );
}

#[test]
fn pack_pragma() {
    // GNU
    check(
        "\
#pragma pack(push, 1)
struct A { char a; int b; };
#pragma pack(pop)
struct B { char a; int b; };
",
        "\
(decl (struct A pack(1) (decl a: char) (decl b: int)))
(decl (struct B (decl a: char) (decl b: int)))",
    );
}

#[test]
fn asm_declarations() {
    // [dcl.asm]
    check("asm(\"// nothing\");", "(asm \"// nothing\")");
}

#[test]
fn cuda_specifiers() {
    // CUDA
    check(
        "__global__ void __launch_bounds__(256, 2) f(int* __restrict__ a, const __grid_constant__ int b); __device__ __forceinline__ int g(); __host__ __device__ constexpr int h() { return 1; }",
        "\
(decl __global__ __launch_bounds__(256, 2) f: fn(a: *restrict int, b: __grid_constant__ const int) void)
(decl __device__ __forceinline__ g: fn() int)
(function __host__ __device__ constexpr h: fn() int (block (return 1)))",
    );
    check(
        "__constant__ float c[3] = {1, 2}; __device__ int d; __managed__ int e; extern __shared__ float s[]; struct __attribute__((aligned(8))) P { int x, y; };",
        "\
(decl __constant__ c: [3] float = {1, 2})
(decl __device__ d: int)
(decl __managed__ e: int)
(decl __shared__ extern s: [] float)
(decl (struct P alignas(8) (decl x: int, y: int)))",
    );
    check(
        "template <int N> __global__ void __launch_bounds__(N) __cluster_dims__(2, 1, 1) k(); __global__ void __maxnreg__(32) m() {}",
        "\
(template<N: int> (decl __global__ __launch_bounds__(N) __cluster_dims__(2, 1, 1) k: fn() void))
(function __global__ __maxnreg__(32) m: fn() void (block))",
    );
    check(
        "__attribute__((global)) __attribute__((launch_bounds(128))) void f(); __attribute__((device)) int d;",
        "\
(decl __global__ __launch_bounds__(128) f: fn() void)
(decl __device__ d: int)",
    );
}

#[test]
fn explicit_of_cpp20() {
    // [dcl.fct.spec]
    check(
        "template <class T> struct S { explicit(sizeof(T) > 4) S(T); };",
        "(template<typename T> (decl (struct S (decl explicit((> (sizeof-type T) 4)) S: fn(T) -))))",
    );
}

#[test]
fn deduction_guides() {
    // [temp.deduct.guide]
    check(
        "template <class T> struct A { A(T*); }; template <class T> A(T*) -> A<T>; A(int) -> A<float>; int x; A a(&x); A b{&x};",
        "\
(template<typename T> (decl (struct A (decl A: fn(* T) -))))
(template<typename T> (guide A(* T) -> A<T>))
(guide A(int) -> A<float>)
(decl x: int)
(decl a: A ((& x)))
(decl b: A {(& x)})",
    );
}
