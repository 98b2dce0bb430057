#include <type_traits>
#include <utility>
template<bool B,class T=void> struct ei{}; template<class T> struct ei<true,T>{ using type=T; };
template<bool B,class T=void> using ei_t = typename ei<B,T>::type;
struct S { int a; static constexpr int sk = 4; static constexpr bool sb = true; static constexpr unsigned long sl = 4; enum { an = 4 }; };
enum E1 { EA = 4 };
template<class T> using al = std::is_same<T,int>;
template<class T> struct W { using type = T; static constexpr int value = 4; template<class U> static constexpr int v2 = 3; template<class U> static constexpr int tf() { return 4; } static constexpr int tg(int) { return 4; } };
template<class T> using wt = typename W<T>::type;
namespace N { template<class T> struct X { static constexpr int value = 4; }; template<class T> constexpr bool vt = true; template<class T> constexpr bool cf(T) { return true; } constexpr bool cfi() { return true; }
template<class T> __global__ ei_t<X<T>::value == 4> k01(T) {}
template<class T> __global__ ei_t<cf(T()) && cfi()> k02(T) {}
namespace M { template<class T> __global__ ei_t<X<T>::value == 4> k03(T) {} template<class T> struct Z { static constexpr int value = 4; }; }
template<class T> __global__ ei_t<M::Z<T>::value == 4> k04(T) {}
}
using namespace N;
template<class T> __global__ ei_t<X<T>::value == 4> k05(T) {}
template<class T> __global__ ei_t<::N::X<T>::value == 4> k06(T) {}
template<class T> __global__ ei_t<::N::cf(T())> k07(T) {}
template<class T> __global__ ei_t<std::is_same<T,int>::value> k08(T) {}
template<class T> __global__ ei_t<std::is_same_v<T,int>> k09(T) {}
template<class T> __global__ ei_t<!std::is_same_v<T,float>> k10(T) {}
template<class T> __global__ std::enable_if_t<!std::is_same_v<T,float> && sizeof(T) == 4> k11(T) {}
template<class T> __global__ std::enable_if_t<al<T>::value> k12(T) {}
template<class T> __global__ ei_t<W<wt<T>>::value==4> k13(T) {}
template<class T> __global__ ei_t<std::is_same<wt<T>, T>::value> k14(T) {}
template<class T> __global__ ei_t<W<T>::template v2<T> == 3> k15(T) {}
template<class T> __global__ ei_t<W<T>::template tf<T>() == 4> k16(T) {}
template<class T> __global__ ei_t<wt<W<T>>::value == 4> k17(T) {}
template<class T> __global__ ei_t<W<W<T>>::type::value == 4> k18(T) {}
template<class T, int I> __global__ ei_t<I == S::sk> k19(T) {}
template<class T, int I> __global__ ei_t<(I == S::an)> k20(T) {}
template<class T, int I> __global__ ei_t<(I == EA)> k21(T) {}
template<class T, int I> __global__ ei_t<S::sb && I> k22(T) {}
template<class T> __global__ ei_t<W<T>::value == S::sk> k23(T) {}
template<class T> __global__ ei_t<sizeof(T) == S::sl> k24(T) {}
template<class T> __global__ ei_t<(sizeof(T) > (S::sk, 3))> k25(T) {}
template<class T, int I> __global__ ei_t<(W<T>::tg(I) == 4)> k26(T) {}
template<class T, int I> __global__ ei_t<(I > 2 + 1)> k28(T) {}
template<class T> __global__ auto k29(T t) -> decltype(std::declval<T>() + t, void()) {}
template<class T> __global__ auto k30(T t) -> decltype(void(std::declval<T&>() = t)) {}
template<class T> __global__ ei_t<std::is_same<decltype(std::declval<T>()+1), int>{}> k31(T) {}
template<class T> __global__ ei_t<std::is_same<T,int>{} || std::is_same<T,int>()> k32(T) {}
template<class T> __global__ ei_t<std::conjunction_v<std::is_same<T,int>, std::is_integral<T>>> k33(T) {}
template<class T> __global__ typename std::enable_if<std::is_integral<T>::value, void>::type k34(T) {}
template<class T> __global__ std::conditional_t<std::is_integral<T>::value, void, void> k35(T) {}
template<class T, std::size_t I> __global__ void k36(T, std::integral_constant<int, I + 1>) {}
template<class T, std::size_t I> __global__ void k37(T, std::integral_constant<bool, (I > 1)>) {}
template<class T, std::size_t... I> __global__ void k38(T, std::index_sequence<I...>) {}
template<class T, std::size_t... I> __global__ void k39(T, std::index_sequence<(I+1)...>) {}
template<class T, std::size_t... I> __global__ ei_t<(I + ... + 0) == 1> k40(T, std::index_sequence<I...>) {}
template<class T, std::size_t... I> __global__ ei_t<((I < 5) && ...)> k41(T, std::index_sequence<I...>) {}
template<class T, T V> __global__ void k42(std::integral_constant<T, V>) {}
template<class T, T V> __global__ void k43(std::integral_constant<T, V + 1>) {}
template<class T> __global__ ei_t<(W<T>{}.value == 4)> k44(T) {}
template<class T> __global__ ei_t<(W<T>().value == 4)> k45(T) {}
template<class T> requires (sizeof(T) == 4) __global__ void k47(T) {}
template<class T> concept C4 = sizeof(T) == 4;
template<C4 T> __global__ void k48(T) {}
template<class T> __global__ void k49(T) requires C4<T> {}
template<class T> __global__ ei_t<C4<T>> k50(T) {}
__global__ void k51(C4 auto x) {}
template<class T> requires C4<T> && true __global__ void k52(T) {}
template<class T> __global__ ei_t<(T(1) < T(2))> k53(T) {}
template<class T> __global__ void k54(T, std::enable_if_t<sizeof(T)==4, int> = 0) {}
template<class T> __global__ void k55(T, decltype(sizeof(T)) x) {}
template<class T> __global__ void k56(T, std::underlying_type_t<T>* x) {}
template<class T> __global__ auto k58(T t, int i) -> decltype(void(i)) {}
template<class T> __global__ auto k59(T t, int i) -> decltype(void(i), void(t)) {}
template<class T> __global__ ei_t<-1 < (int)sizeof(T)> k60(T) {}
int main(){ int*p=0;
k01<<<1,1>>>(1);k02<<<1,1>>>(1);M::k03<<<1,1>>>(1);k04<<<1,1>>>(1);k05<<<1,1>>>(1);k06<<<1,1>>>(1);k07<<<1,1>>>(1);k08<<<1,1>>>(1);k09<<<1,1>>>(1);k10<<<1,1>>>(1);
k11<<<1,1>>>(1);k12<<<1,1>>>(1);k13<<<1,1>>>(1);k14<<<1,1>>>(1);k15<<<1,1>>>(1);k16<<<1,1>>>(1);k17<<<1,1>>>(1);k18<<<1,1>>>(1);k19<int,4><<<1,1>>>(1);k20<int,4><<<1,1>>>(1);
k21<int,4><<<1,1>>>(1);k22<int,4><<<1,1>>>(1);k23<<<1,1>>>(1);k24<<<1,1>>>(1);k25<<<1,1>>>(1);k26<int,4><<<1,1>>>(1);k28<int,4><<<1,1>>>(1);k29<<<1,1>>>(1);k30<<<1,1>>>(1);
k31<<<1,1>>>(1);k32<<<1,1>>>(1);k33<<<1,1>>>(1);k34<<<1,1>>>(1);k35<<<1,1>>>(1);k36<int,1><<<1,1>>>(1,std::integral_constant<int,2>());k37<int,2><<<1,1>>>(1,std::true_type());k38<<<1,1>>>(1,std::index_sequence<1>());k39<int,1><<<1,1>>>(1,std::index_sequence<2>());k40<<<1,1>>>(1,std::index_sequence<1>());
k41<<<1,1>>>(1,std::index_sequence<1>());k42<<<1,1>>>(std::integral_constant<int,2>());k43<int,1><<<1,1>>>(std::integral_constant<int,2>());k44<<<1,1>>>(1);k45<<<1,1>>>(1);k47<<<1,1>>>(1);k48<<<1,1>>>(1);k49<<<1,1>>>(1);k50<<<1,1>>>(1);k51<<<1,1>>>(1);k52<<<1,1>>>(1);k53<<<1,1>>>(1);k54<<<1,1>>>(1);k55<<<1,1>>>(1,1);k56<<<1,1>>>(EA,0);k58<<<1,1>>>(1,1);k59<<<1,1>>>(1,1);
}
