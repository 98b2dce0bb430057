//! A tour of generic code: packs, folds, deduction, lists, closures, evaluated at compile time.

use super::accepted;

#[test]
fn a_tour_of_generic_code() {
    accepted(
        r#"
        #define A(...) static_assert(__VA_ARGS__, "")
        namespace std { template <class T> class initializer_list { const T *b; unsigned long n; public: constexpr initializer_list() : b(0), n(0) {} constexpr const T *begin() const { return b; } constexpr const T *end() const { return b + n; } constexpr unsigned long size() const { return n; } };
        template <class T> struct remove_reference { using type = T; }; template <class T> struct remove_reference<T &> { using type = T; }; template <class T> struct remove_reference<T &&> { using type = T; };
        template <class T> constexpr T &&forward(typename remove_reference<T>::type &t) { return static_cast<T &&>(t); }
        template <class T> constexpr typename remove_reference<T>::type &&move(T &&t) { return static_cast<typename remove_reference<T>::type &&>(t); }
        template <bool B, class T = void> struct enable_if {}; template <class T> struct enable_if<true, T> { using type = T; };
        template <class T> T &&declval();
        }
        template <class... T> constexpr auto sum(T... t) { return (t + ... + 0); } A(sum(1, 2, 3) == 6 && sum() == 0);
        template <class... T> constexpr bool all(T... t) { return (... && t); } A(all(true, true) && !all(true, false) && all());
        template <class... T> constexpr int cnt(T &&...) { return sizeof...(T); } A(cnt(1, 'a', 2.0) == 3);
        template <class F, class... T> constexpr decltype(auto) call(F &&f, T &&...t) { return std::forward<F>(f)(std::forward<T>(t)...); }
        constexpr int add(int a, int b) { return a + b; }
        A(call(add, 3, 4) == 7 && call([](auto a, auto b) { return a * b; }, 3, 4) == 12);
        struct Vec { int n; int s; constexpr Vec(std::initializer_list<int> l) : n(l.size()), s(0) { for (int x : l) s += x; } constexpr Vec(int n, int v) : n(n), s(v) {} };
        A(Vec{1, 2, 3}.n == 3 && Vec{1, 2, 3}.s == 6 && Vec(4, 5).s == 5 && Vec{4, 5}.s == 9);
        constexpr int il() { int r = 0; for (auto x : {1, 2, 3}) r += x; return r; } A(il() == 6);
        template <class T> struct Box { T v; constexpr Box(T v) : v(v) {} template <class U> constexpr Box(const Box<U> &o) : v(o.v) {} constexpr bool operator==(const Box &o) const { return v == o.v; } };
        A(Box(3).v == 3 && Box{2.5}.v == 2.5 && Box<double>(Box<int>(4)).v == 4.0);
        constexpr Box dd = 7; A(dd.v == 7 && __is_same(decltype(dd), const Box<int>));
        template <class T> constexpr auto has(int) -> decltype(std::declval<T>().size(), true) { return true; } template <class T> constexpr bool has(...) { return false; }
        A(has<std::initializer_list<int>>(0) && !has<int>(0));
        template <class T> constexpr T pi = T(3.25); A(pi<int> == 3 && pi<double> == 3.25);
        template <class T> constexpr int pick(T *) { return 1; } template <class T> constexpr int pick(const T *) { return 2; } template <class T> constexpr int pick(T) { return 3; }
        constexpr int pk() { int a = 0; const int b = 0; return pick(&a) * 100 + pick(&b) * 10 + pick(5); } A(pk() == 123);
        template <int... I> struct seq {}; template <int... I> constexpr int dot(seq<I...>) { int a[] = {I...}; int r = 0; for (int x : a) r += x; return r + (0 + ... + (I * I)); } A(dot(seq<1, 2, 3>{}) == 20);
        struct Mv { int *p; constexpr Mv(int *p) : p(p) {} constexpr Mv(Mv &&o) : p(o.p) { o.p = nullptr; } Mv(const Mv &) = delete; };
        constexpr bool mv() { int x = 1; Mv a(&x); Mv b = std::move(a); return a.p == nullptr && *b.p == 1; } A(mv());
        template <class F> struct Guard { F f; constexpr ~Guard() { f(); } }; 
        template <class T> struct It { T *p; constexpr T &operator*() const { return *p; } constexpr It &operator++() { ++p; return *this; } constexpr It operator++(int) { It o = *this; ++p; return o; } template <class U> constexpr bool operator!=(const It<U> &o) const { return p != o.p; } };
        constexpr int itx() { int a[3] = {4, 5, 6}; int r = 0; for (It<int> i{a}, e{a + 3}; i != e; i++) r = r * 10 + *i; return r; } A(itx() == 456);
        template <class A_, class B_> struct Pair { A_ a; B_ b; }; template <class A_, class B_> Pair(A_, B_) -> Pair<A_, B_>;
        constexpr int sb() { auto [x, y] = Pair{3, 4.5}; return x + int(y); } A(sb() == 7);
        constexpr int sbl() { int arr[2] = {5, 6}; auto &[p, q] = arr; auto f = [&] { return p * q; }; p = 2; return f(); } A(sbl() == 12);
        template <auto N> constexpr auto val = N; A(val<5> == 5 && val<'a'> == 'a');
        template <class T> struct Ops { friend constexpr T operator+(const T &a, const T &b) { return T{a.v + b.v}; } }; struct Num : Ops<Num> { int v; constexpr Num(int v) : v(v) {} }; A((Num(1) + Num(2)).v == 3);
        constexpr long double operator""_k(unsigned long long v) { return v * 1000; } A(3_k == 3000);
        template <class T> constexpr bool isint = false; template <> constexpr bool isint<int> = true; A(isint<int> && !isint<char>);
        template <class... F> struct Over : F... { using F::operator()...; }; template <class... F> Over(F...) -> Over<F...>;
        A(Over{[](int) { return 1; }, [](double) { return 2; }}(2.0) == 2);
        template <class T> constexpr int cif(T) { if constexpr (__is_same(T, int)) return 1; else return 2; } A(cif(1) == 1 && cif('c') == 2);
        constexpr auto fact = [](auto self, int n) -> int { return n <= 1 ? 1 : n * self(self, n - 1); }; A(fact(fact, 5) == 120);
        template <class R, class... P> constexpr int arity(R (*)(P...)) { return sizeof...(P); } A(arity(add) == 2);
        template <class T, unsigned long N> constexpr unsigned long len(T (&)[N]) { return N; } constexpr int five[5] = {}; A(len(five) == 5);
        struct Link { int a; int b = a + 1; constexpr int both() const { return a * 10 + b; } int c = both(); }; A(Link{3}.b == 4 && Link{3}.c == 34 && Link{3, 5}.c == 35);
        "#,
    );
}
