template<bool B,class T=void> struct ei{}; template<class T> struct ei<true,T>{ using type=T; };
template<bool B,class T=void> using ei_t = typename ei<B,T>::type;
template<class...> using vt = void;
template<class...> struct mv { using type = void; }; template<class... T> using vt2 = typename mv<T...>::type;
namespace st { template<class T> struct is_i { static constexpr bool value = true; using type = T; }; template<class T> T&& declval() noexcept; template<class T, class U> constexpr bool is_same_v = true; }
namespace N { template<class T> struct is_i { static constexpr bool value = true; using type = T; template<class U> struct R { static constexpr bool value = true; using type=U; }; template<class U> static constexpr bool tf(U) { return true; } }; struct B { using T = int; static constexpr bool value = true; static constexpr bool f(){return true;} }; enum class Ec { A = 4 }; enum En { E1 = 4 }; }
struct A { __host__ __device__ A(int*){} __device__ int get(int=0) const { return 1; } template<class T> __device__ int gt() { return 1; } int m; __device__ int operator()(int) const { return 1; } __device__ int operator[](int) const { return 1; } __device__ A& operator*() { return *this; } __device__ A* operator->() { return this; } A operator+(A) const; __device__ A& operator++(); A operator++(int); };
struct I { template<class T> struct tt { using type = T; }; using type = int; static constexpr int value = 4; static constexpr bool f() { return true; } enum { e = 4 }; };
__device__ int free1(A); 
template<class T> __global__ auto k01(T o) -> decltype(o.get(), void()) {}
template<class T> __global__ auto k02(T o, int i) -> decltype(o.get(i), void()) {}
template<class T> __global__ auto k03(T* o) -> decltype(o->get(), void()) {}
template<class T> __global__ auto k04(T o) -> decltype(o.template gt<T>(), void()) {}
template<class T> __global__ auto k05(T o) -> decltype(o.m+1, void()) {}
template<class T> __global__ auto k06(T o) -> decltype(o(1)+o[2], void()) {}
template<class T> __global__ auto k07(T o) -> decltype(*o, void()) {}
template<class T> __global__ auto k08(T o, T p) -> decltype(o+p, void()) {}
template<class T> __global__ auto k09(T o) -> decltype(++o, void()) {}
template<class T> __global__ auto k10(T o) -> decltype(o++, void()) {}
template<class T> __global__ auto k11(T o) -> decltype(free1(o), void()) {}
template<class T> __global__ auto k12(T o) -> decltype(&o, void()) {}
template<class T> __global__ auto k13(T o) -> decltype(void(o.get())) {}
template<class T> __global__ auto k14(T o) -> decltype((void)o.get()) {}
template<class T> __global__ auto k15(T o) -> vt<decltype(o.get())> {}
template<class T> __global__ auto k16(T o) -> vt2<decltype(o.get())> {}
template<class T> __global__ ei_t<N::is_i<T>::value> k17(T) {}
template<class T> __global__ ei_t<st::is_i<T>::value> k18(T) {}
template<class T> __global__ ei_t<N::is_i<T>::template R<T>::value> k19(T) {}
template<class T> __global__ ei_t<T::value == 4> k21(T) {}
template<class T> __global__ ei_t<T::f()> k22(T) {}
template<class T> __global__ ei_t<sizeof(typename T::type)==4> k23(T) {}
template<class T> __global__ ei_t<sizeof(typename T::template tt<T>::type)==1> k24(T) {}
template<class T> __global__ ei_t<sizeof(typename T::template tt<T>)==1> k24b(T) {}
template<class T> __global__ ei_t<st::is_same_v<T,I>> k25(T) {}
template<class T> __global__ ei_t<N::B::value && sizeof(T)> k26(T) {}
template<class T> __global__ ei_t<N::B::f() && sizeof(T)> k27(T) {}
template<class T> __global__ ei_t<N::is_i<T>::tf(1)> k28(T) {}
template<class T> __global__ ei_t<N::is_i<T>::tf(T::e)> k29(T) {}
template<class T> __global__ auto k30(T o) -> decltype(st::declval<T&>() = o, void()) {}
template<class T> __global__ auto k31(T o) -> decltype(o += 1, void()) {}
template<class T> __global__ auto k32(T o) -> decltype(new T(o), void()) {}
template<class T> __global__ auto k33(T o) -> decltype(T(o), void()) {}
template<class T> __global__ auto k34(T o) -> decltype(T{o}, void()) {}
template<class T> __global__ auto k36(T o) -> decltype(static_cast<T&&>(o), void()) {}
template<class T> __global__ auto k38(T o) -> decltype(o ? 1 : 2, void()) {}
template<class T> __global__ auto k39(T o) -> decltype(sizeof(o), sizeof o.get(), noexcept(o), void()) {}
template<class T> __global__ auto k40(T o) -> decltype(-o, !o, ~o, +o, void()) {}
template<class... T> __global__ auto k41(T... o) -> decltype(free1(o...), void()) {}
template<class T> __global__ auto k42(T o) -> decltype(o.~T(), void()) {}
template<class T> __global__ auto k43(T o) -> decltype(o.T::get(), void()) {}
template<class T> __global__ auto k45(T o) -> decltype((o.get()), void()) {}
template<class T> __global__ ei_t<N::Ec::A == N::Ec(sizeof(T))> k46(T) {}
template<class T> __global__ ei_t<N::E1 == sizeof(T)> k47(T) {}
template<class T, class U> __global__ ei_t<st::is_i<U>::value || st::is_i<T>::value> k49(T, U) {}
template<class T> __global__ void k51(T, int (*)[sizeof(T)] = 0) {}
template<class T> __global__ ei_t<noexcept(st::declval<T>().get())> k52(T) {}
template<class T> __global__ void k53(decltype(T()) a, T b) {}
template<class T> __global__ void k54(T b, decltype(b.get()) a) {}
template<class T, int I, bool B> __global__ ei_t<(I > 3) && B> k56(T) {}
template<class T> __global__ ei_t<sizeof(T[3]) == 3> k57(T) {}
template<class T> __global__ ei_t<sizeof(T(*)(int)) == 8> k58(T) {}
template<class T> __global__ auto k59(T b) -> decltype(b << 1, b >> 1, b & 1, b | 1, b ^ 1, b % 1, b / 1, b < 1, b > 1, b <= 1, b >= 1, b != 1, b || 1, void()) {}
template<class T> __global__ auto k60(T b) -> decltype(b <<= 1, b >>= 1, b &= 1, b |= 1, b ^= 1, b %= 1, b /= 1, b -= 1, b *= 1, --b, b--, void()) {}
template<class...> struct list {}; template<template<class...> class...> struct templates {};
template<template<class...> class A, template<class...> class... T> __global__ void k61(templates<A, T...>, templates<T...>) {}
int main(){ A a(0); I i; int*p=0; int n=1;
k01<<<1,1>>>(a);k02<<<1,1>>>(a,1);k03<<<1,1>>>(&a);k04<<<1,1>>>(a);k05<<<1,1>>>(a);k06<<<1,1>>>(a);k07<<<1,1>>>(p);k08<<<1,1>>>(1,2);k09<<<1,1>>>(1);k10<<<1,1>>>(1);
k11<<<1,1>>>(a);k12<<<1,1>>>(1);k13<<<1,1>>>(a);k14<<<1,1>>>(a);k15<<<1,1>>>(a);k16<<<1,1>>>(a);k17<<<1,1>>>(i);k18<<<1,1>>>(i);k19<<<1,1>>>(i);
k21<<<1,1>>>(i);k22<<<1,1>>>(i);k23<<<1,1>>>(i);k24<<<1,1>>>(i);k24b<<<1,1>>>(i);k25<<<1,1>>>(i);k26<<<1,1>>>(i);k27<<<1,1>>>(i);k28<<<1,1>>>(i);k29<<<1,1>>>(i);k30<<<1,1>>>(1);
k31<<<1,1>>>(1);k32<<<1,1>>>(1);k33<<<1,1>>>(1);k34<<<1,1>>>(1);k36<<<1,1>>>(1);k38<<<1,1>>>(1);k39<<<1,1>>>(a);k40<<<1,1>>>(1);
k41<<<1,1>>>(a);k42<<<1,1>>>(a);k43<<<1,1>>>(a);k45<<<1,1>>>(a);k46<<<1,1>>>(1);k47<<<1,1>>>(1);k49<<<1,1>>>(1,i);
k51<<<1,1>>>(1);k53<int><<<1,1>>>(1,1);k54<<<1,1>>>(a,1);k56<int,4,true><<<1,1>>>(1);k57<<<1,1>>>('a');k58<<<1,1>>>(1);k59<<<1,1>>>(1);k60<<<1,1>>>(1);
k61<<<1,1>>>(templates<list,list>(),templates<list>());
}
