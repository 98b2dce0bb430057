// Parameters of class type (C++20): their values in names have all parts, those that are zero as well.
struct P { int a; int b; };
struct Q { P p; bool c; float f; const int *q; P rows[2]; };
struct Empty {};
struct Base { int z; };
struct Derived : Base { int y; constexpr Derived(int q) : Base{q}, y(q + 1) {} };
enum class E { A, B };
struct W { E e; unsigned long u; char c; };
struct Text { char s[6]; constexpr Text(const char (&t)[6]) : s{} { for (int i = 0; i < 6; ++i) s[i] = t[i]; } };
template <P v> __global__ void k1(int *o) { *o = v.a + v.b; }
template <auto v> __global__ void k2(int *o) { *o = sizeof(v); }
template <Text t> __global__ void k4(int *o) { *o = t.s[1]; }
template <class T, T v> struct constant { static constexpr T value = v; };
template <class T> __global__ void k3(int *o, T) { *o = T::value.a; }
template <int N> struct Policy { static constexpr P value{N, N + 1}; };
template __global__ void k1<P{1, 2}>(int *);
template __global__ void k1<P{1, 0}>(int *);
template __global__ void k1<P{0, 0}>(int *);
template __global__ void k1<P{-7, 2}>(int *);
template __global__ void k2<P{3, 4}>(int *);
template __global__ void k2<Empty{}>(int *);
template __global__ void k2<Derived{5}>(int *);
template __global__ void k2<W{E::B, 7, 'x'}>(int *);
template __global__ void k2<Q{{1, 2}, true, 1.5f, nullptr, {{1, 2}, {3, 4}}}>(int *);
template __global__ void k2<Q{{1, 2}, false, 0.f, nullptr, {{1, 2}}}>(int *);
template __global__ void k2<Q{{}, false, 1.f}>(int *);
template __global__ void k3(int *, constant<P, P{8, 9}>);
template __global__ void k3(int *, constant<P, Policy<4>::value>);
template __global__ void k4<"hello">(int *);
// An alias with just the parameters of its template is that template.
template <class T, int N> struct SA { T v; };
template <class T, int N> struct SB { T v; };
template <class T, int N> using AB = SB<T, N>;
template <template <class, int> class C, class T> __global__ void kern(T *p) { C<T, 3> w; *p = sizeof(w); }
template <class T> struct H { template <class U, int N> using WS = SA<U, N>; };
template <class T, template <class, int> class C> void call(T *p) { kern<C><<<1, 1>>>(p); }
void h(float *p) { call<float, SA>(p); call<float, AB>(p); call<double, SB>(nullptr); call<char, H<int>::WS>(nullptr); }
