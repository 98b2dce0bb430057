//! Expressions.

use super::check;

#[test]
fn precedence_of_binary_operators() {
    // [expr.mul] to [expr.log.or]
    check(
        "int a, b; int x = a + b * 3 - 4 << 5 & 6;",
        "\
(decl a: int, b: int)
(decl x: int = (& (<< (- (+ a (* b 3)) 4) 5) 6))",
    );
    check(
        "int a, b; bool x = a < 2 == b > 3 && !a || ~b & -a;",
        "\
(decl a: int, b: int)
(decl x: bool = (|| (&& (== (< a 2) (> b 3)) (! a)) (& (~ b) (- a))))",
    );
    check(
        "int a; int x = a >> 2 >= 1;",
        "\
(decl a: int)
(decl x: int = (>= (>> a 2) 1))",
    );
}

#[test]
fn assignment_is_right_associative() {
    // [expr.ass]
    check(
        "int a, b; int x = a = b += 3;",
        "\
(decl a: int, b: int)
(decl x: int = (= a (+= b 3)))",
    );
    check(
        "void f(int a) { a <<= 2; a >>= 3; a = {1}; }",
        "(function f: fn(a: int) void (block (<<= a 2) (>>= a 3) (= a {1})))",
    );
}

#[test]
fn conditional_operator() {
    // [expr.cond]
    check(
        "int a; int x = a ? 1 : a ? 2 : 3;",
        "\
(decl a: int)
(decl x: int = (? a 1 (? a 2 3)))",
    );
    check(
        "int a; int x = a ? 1, 2 : 3;",
        "\
(decl a: int)
(decl x: int = (? a (, 1 2) 3))",
    );
    check(
        "int a; int x = a ?: 3;",
        "\
(decl a: int)
(decl x: int = (?: a 3))",
    );
}

#[test]
fn comma_operator() {
    // [expr.comma]
    check(
        "int a, b; int x = (a, b);",
        "\
(decl a: int, b: int)
(decl x: int = (paren (, a b)))",
    );
}

#[test]
fn casts() {
    // [expr.cast]
    check(
        "int a; int x = (int)a + (a) - 3;",
        "\
(decl a: int)
(decl x: int = (- (+ (cast int a) (paren a)) 3))",
    );
    check(
        "int a; int x = (int)~a + (int)-a + (int)(unsigned)(a);",
        "\
(decl a: int)
(decl x: int = (+ (+ (cast int (~ a)) (cast int (- a))) (cast int (cast unsigned int (paren a)))))",
    );
    check(
        "int a; int x = (int*(*)[3])a;",
        "\
(decl a: int)
(decl x: int = (cast * [3] * int a))",
    );
    check(
        "struct T {}; T x = (T());",
        "\
(decl (struct T))
(decl x: T = (paren (make T ())))",
    );
}

#[test]
fn a_name_in_parentheses_is_no_cast() {
    // [expr.cast]
    check(
        "int a, b; int x = (a)-b + (a)*b + (a)&b;",
        "\
(decl a: int, b: int)
(decl x: int = (& (+ (+ (- (paren a) b) (* (paren a) b)) (paren a)) b))",
    );
}

#[test]
fn functional_casts() {
    // [expr.type.conv]
    check(
        "int x = int(3) + int{4} + unsigned();",
        "(decl x: int = (+ (+ (make int (3)) (make int {4})) (make unsigned int ())))",
    );
    check(
        "struct S { int m; }; S x = S{.m = 1};",
        "\
(decl (struct S (decl m: int)))
(decl x: S = (make S {.m = 1}))",
    );
    check(
        "template <typename T> int f() { return typename T::X(1) + T(2) + T{3}; }",
        "\
(template<typename T> (function f: fn() int (block (return (+ (+ (make typename T::X (1)) (make T (2))) (make T {3}))))))",
    );
}

#[test]
fn named_casts() {
    // [expr.static.cast]
    check(
        "int x = static_cast<int>(2.5f) + *reinterpret_cast<const int*>(0);",
        "(decl x: int = (+ (static_cast int 2.5f) (* (reinterpret_cast * const int 0))))",
    );
}

#[test]
fn sizeof_of_types_and_expressions() {
    // [expr.sizeof]
    check(
        "int a; int x = sizeof(int) + sizeof a + sizeof(a) + sizeof(int (*)(float)) + sizeof(int[3]);",
        "\
(decl a: int)
(decl x: int = (+ (+ (+ (+ (sizeof-type int) (sizeof a)) (sizeof (paren a))) (sizeof-type * fn(float) int)) (sizeof-type [3] int)))",
    );
    check(
        "template <typename... T> int x = sizeof...(T);",
        "(template<typename... T> (decl x: int = (sizeof... T)))",
    );
}

#[test]
fn alignof_and_noexcept() {
    // [expr.alignof], [expr.unary.noexcept]
    check(
        "int a; bool x = noexcept(a + 1) && alignof(double);",
        "\
(decl a: int)
(decl x: bool = (&& (noexcept (+ a 1)) (alignof-type double)))",
    );
}

#[test]
fn member_access() {
    // [expr.ref]
    check(
        "struct S { int m; int f(int); S* p; int q[3]; }; S s; S* t; int x = s.m + t->f(2) + t->p->q[1]++ + --s.p->m;",
        "\
(decl (struct S (decl m: int) (decl f: fn(int) int) (decl p: * S) (decl q: [3] int)))
(decl s: S)
(decl t: * S)
(decl x: int = (+ (+ (+ (. s m) (call (-> t f) 2)) (post++ (index (-> (-> t p) q) 1))) (-- (-> (. s p) m))))",
    );
    check(
        "struct B { int m; }; struct S : B {}; S* s; int x = s->B::m;",
        "\
(decl (struct B (decl m: int)))
(decl (struct S (base B)))
(decl s: * S)
(decl x: int = (-> s B::m))",
    );
    check(
        "template <typename T> int f(T t) { return t.template g<int>(1) + t.h < 3 + (*t).template operator()<int>(2); }",
        "\
(template<typename T> (function f: fn(t: T) int (block (return (< (+ (call (. t template g<int>) 1) (. t h)) (+ 3 (call (. (paren (* t)) template operator()<int>) 2)))))))",
    );
}

#[test]
fn pointers_to_members() {
    // [expr.mptr.oper]
    check(
        "struct S { int m; }; S s; S* t; int S::*p = &S::m; int x = s.*p + t->*p * 2;",
        "\
(decl (struct S (decl m: int)))
(decl s: S)
(decl t: * S)
(decl p: S::* int = (& S::m))
(decl x: int = (+ (.* s p) (* (->* t p) 2)))",
    );
}

#[test]
fn destructor_calls() {
    // [expr.prim.id.dtor]
    check(
        "struct S {}; void f(S* s, int* i) { s->~S(); s->S::~S(); using I = int; i->~I(); }",
        "\
(decl (struct S))
(function f: fn(s: * S, i: * int) void (block (call (-> s ~S)) (call (-> s S::~S)) (alias I int) (call (-> i ~I))))",
    );
}

#[test]
fn new_expressions() {
    // [expr.new]
    check(
        "void* p; int* x = new int[3]{1, 2}; int* y = ::new (p) int(4); auto z = new (int*); auto w = new (p) (int);",
        "\
(decl p: * void)
(decl x: * int = (new [3] int {1, 2}))
(decl y: * int = (::new at p of int (4)))
(decl z: auto = (new * int))
(decl w: auto = (new at p of int))",
    );
    check(
        "int n; auto x = new int*[n][2];",
        "\
(decl n: int)
(decl x: auto = (new [n] [2] * int))",
    );
    check(
        "void f(int* p) { delete p; delete[] p; ::delete p; }",
        "(function f: fn(p: * int) void (block (delete p) (delete[] p) (::delete p)))",
    );
}

#[test]
fn lambdas() {
    // [expr.prim.lambda]
    check(
        "int s; auto x = [=, &s](int x) mutable -> int { return x + s; };",
        "\
(decl s: int)
(decl x: auto = (lambda [=, &s] (x: int) -> int mutable (block (return (+ x s)))))",
    );
    check(
        "auto x = []{}; auto y = [] __device__ (int a) { return a; };",
        "\
(decl x: auto = (lambda [] () (block)))
(decl y: auto = (lambda [] __device__ (a: int) (block (return a))))",
    );
    check(
        "struct S { void f() { auto l = [this, *this, x = 1, &y = *this] {}; } };",
        "\
(decl (struct S (function f: fn() void (block (decl l: auto = (lambda [this, *this, x = 1, &y = (* this)] () (block)))))))",
    );
    check(
        "template <typename... T> auto f(T... t) { return [...a = t, &t...] { return (a + ...); }; }",
        "\
(template<typename... T> (function f: fn(...t: T) auto (block (return (lambda [...a = t, ...&t] () (block (return (fold + a ...))))))))",
    );
    check(
        "auto x = []<typename T>(T a) constexpr noexcept { return a; };",
        "(decl x: auto = (lambda []<typename T> (a: T) noexcept constexpr (block (return a))))",
    );
    check(
        "auto x = [] __device__ <int N> (int a) { return a; };",
        "(decl x: auto = (lambda []<N: int> __device__ (a: int) (block (return a))))",
    );
    check(
        "int a[3]; int x = a[[] { return 1; }()];",
        "\
(decl a: [3] int)
(decl x: int = (index a (call (lambda [] () (block (return 1))))))",
    );
}

#[test]
fn fold_expressions() {
    // [expr.prim.fold]
    check(
        "template <typename... T> int f(T... t) { return (t + ...) + (... - t) + (0 * ... * t) + (t && ... && true); }",
        "\
(template<typename... T> (function f: fn(...t: T) int (block (return (+ (+ (+ (fold + t ...) (fold - ... t)) (fold * 0 ... t)) (fold && t ... true))))))",
    );
    check(
        "template <typename... T> void f(T... t) { (g(t), ...); (... = t); (t <<= ...); }",
        "\
(template<typename... T> (function f: fn(...t: T) void (block (fold , (call g t) ...) (fold ,= ... t) (fold <<= t ...))))",
    );
    check(
        "template <typename... T> void f(T... t) { (t > ...); (... >> t); (0 >> ... >> t); (t >>= ...); (... >>= t); (1 > ... > t); }",
        "\
(template<typename... T> (function f: fn(...t: T) void (block (fold > t ...) (fold >> ... t) (fold >> 0 ... t) (fold >>= t ...) (fold >>= ... t) (fold > 1 ... t))))",
    );
}

#[test]
fn arguments_that_look_like_folds() {
    // [temp.variadic]
    check(
        "template <typename... T> struct A { static int v; }; template <typename... T> int x = (A<T&&...>::v) + (A<A<T>...>::v);",
        "\
(template<typename... T> (decl (struct A (decl static v: int))))
(template<typename... T> (decl x: int = (+ (paren A<&& T...>::v) (paren A<A<T>...>::v))))",
    );
}

#[test]
fn literals() {
    // [lex.literal]
    check(
        "double x = 1.5f * 2e3 + 'a' + L'b' + 0x10ull + 1'000u;",
        "(decl x: double = (+ (+ (+ (+ (* 1.5f 2000.0) 'a') L'b') 16ull) 1000u))",
    );
    check(
        "const char* x = \"ab\" \"c\\n\"; auto y = u8\"é\"; auto z = nullptr; auto w = true;",
        "\
(decl x: * const char = \"abc\\n\")
(decl y: auto = u8\"é\")
(decl z: auto = nullptr)
(decl w: auto = true)",
    );
    check(
        "unsigned long long operator\"\"_x(unsigned long long); auto x = 12_x;",
        "\
(decl operator\"\"_x: fn(unsigned long long) unsigned long long)
(decl x: auto = 12@_x)",
    );
}

#[test]
fn type_traits() {
    // [meta.unary]
    check(
        "struct S {}; bool x = __is_same(int, S) && __is_base_of(S, S) && __is_constructible(S, int, S*);",
        "\
(decl (struct S))
(decl x: bool = (&& (&& (__is_same int S) (__is_base_of S S)) (__is_constructible S int * S)))",
    );
    check(
        "template <typename T, typename... A> bool x = __is_constructible(T, A...);",
        "(template<typename T, typename... A> (decl x: bool = (__is_constructible T A...)))",
    );
}

#[test]
fn offsetof() {
    // [support.types.layout]
    check(
        "struct S { int a, q[3]; }; int x = __builtin_offsetof(S, q[1]);",
        "\
(decl (struct S (decl a: int, q: [3] int)))
(decl x: int = (offsetof S .q[1]))",
    );
}

#[test]
fn statement_expressions() {
    // GNU
    check(
        "int x = ({ int y = 1; y; });",
        "(decl x: int = (statement (block (decl y: int = 1) y)))",
    );
}

#[test]
fn compound_literals() {
    // GNU
    check(
        "struct S { int a; }; S x = (S){1}; int y = (S){2}.a;",
        "\
(decl (struct S (decl a: int)))
(decl x: S = (compound S {1}))
(decl y: int = (. (compound S {2}) a))",
    );
}

#[test]
fn typeid_and_throw() {
    // [expr.typeid], [expr.throw]
    check(
        "void f(int a) { typeid(int); typeid(a); a ? throw 1 : a; throw; }",
        "\
(function f: fn(a: int) void (block (typeid-type int) (typeid a) (? a (throw 1) a) (throw)))",
    );
}

#[test]
fn kernel_launches() {
    // CUDA
    check(
        "__global__ void k(int); template <int N> __global__ void t(int); void f(int s) { k<<<1, 2 + 3>>>(4); k<<<dim3(1, 2), 3, 4 >> 1, s>>>(s); t<3><<<1, 2>>>(5); }",
        "\
(decl __global__ k: fn(int) void)
(template<N: int> (decl __global__ t: fn(int) void))
(function f: fn(s: int) void (block (launch k <<<1, (+ 2 3)>>> 4) (launch k <<<(call dim3 1 2), 3, (>> 4 1), s>>> s) (launch t<3> <<<1, 2>>> 5)))",
    );
}

#[test]
fn bit_casts_and_va_arg() {
    // GNU
    check(
        "float a; int x = __builtin_bit_cast(int, a); int f(__builtin_va_list l) { return __builtin_va_arg(l, int*); }",
        "\
(decl a: float)
(decl x: int = (bit_cast int a))
(function f: fn(l: __builtin_va_list) int (block (return (va_arg l * int))))",
    );
}

#[test]
fn operators_by_name() {
    // [over.match.oper]
    check(
        "struct S { S operator+(S); template <typename T> T get(); }; S s; void f() { s.operator+(s); s.get<int>(); operator+(s, s); }",
        "\
(decl (struct S (decl operator+: fn(S) S) (template<typename T> (decl get: fn() T))))
(decl s: S)
(function f: fn() void (block (call (. s operator+) s) (call (. s get<int>)) (call operator+ s s)))",
    );
}

#[test]
fn decltype_in_expressions() {
    // [dcl.type.decltype]
    check(
        "int a; auto x = decltype(a)(3); struct S { static int v; }; S s; int y = decltype(s)::v;",
        "\
(decl a: int)
(decl x: auto = (make decltype(a) (3)))
(decl (struct S (decl static v: int)))
(decl s: S)
(decl y: int = decltype(s)::v)",
    );
}
