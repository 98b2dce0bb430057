template<bool B,class T=void> struct ei{}; template<class T> struct ei<true,T>{ using type=T; };
template<bool B,class T=void> using ei_t = typename ei<B,T>::type;
template<class T> struct is_i { static constexpr bool value = true; using type = T; };
template<class T> constexpr bool is_v = true;
template<class T> constexpr bool cf() { return true; }
template<class T> constexpr bool cg(T) { return true; }
template<class T> T&& dv() noexcept;
namespace N { template<class T> T&& dv2() noexcept; template<class T> constexpr bool nv = true; template<class T> constexpr bool cf2() { return true; } constexpr int NK = 4; constexpr bool nf(int) { return true; } }
constexpr int K = 4; enum En { E1 = 4 }; enum class Ec { A = 4 };
constexpr bool plain() { return true; }
struct S { int a; static constexpr int sk = 4; template<class T> static constexpr bool tf() { return true; } };
template<int N> struct V {};
template<class T> __global__ typename ei<sizeof(T)==4>::type k01(T*) {}
template<class T> __global__ ei_t<sizeof(T)==4> k02(T*) {}
template<class T> __global__ ei_t<!(sizeof(T)!=4)> k03(T*) {}
template<class T> __global__ ei_t<is_i<T>::value> k04(T*) {}
template<class T> __global__ ei_t<!!is_i<T>::value && is_v<T>> k05(T*) {}
template<class T> __global__ ei_t<cf<T>()> k06(T*) {}
template<class T> __global__ ei_t<N::cf2<T>() && N::nv<T>> k07(T*) {}
template<class T> __global__ ei_t<sizeof(T)==E1> k09(T*) {}
template<class T> __global__ ei_t<sizeof(T)==(int)Ec::A> k10(T*) {}
template<class T> __global__ ei_t<sizeof(T)==S::sk> k12(T*) {}
template<class T> __global__ ei_t<sizeof(T)==sizeof(int)> k13(T*) {}
template<class T> __global__ ei_t<plain() && sizeof(T)==4> k14(T*) {}
template<class T> __global__ ei_t<N::nf(sizeof(T))> k15(T*) {}
template<class T> __global__ ei_t<cg(T())> k16(T*) {}
template<class T> __global__ ei_t<cg(T{})> k17(T*) {}
template<class T> __global__ ei_t<sizeof(dv<T>()+1)==4> k18(T*) {}
template<class T> __global__ ei_t<sizeof(N::dv2<T>()+dv<const T&>())==4> k19(T*) {}
template<class T> __global__ ei_t<noexcept(dv<T>())> k20(T*) {}
template<class T> __global__ ei_t<alignof(T)==4> k21(T*) {}
template<class T> __global__ ei_t<S::tf<T>()> k22(T*) {}
template<class T> __global__ ei_t<is_i<T>{}.value> k23(T*) {}
template<class T> __global__ ei_t<static_cast<bool>(sizeof(T))> k24(T*) {}
template<class T> __global__ ei_t<bool(sizeof(T))> k25(T*) {}
template<class T> __global__ ei_t<(bool)sizeof(T)> k26(T*) {}
template<class T> __global__ ei_t<(sizeof(T)>3?true:false)> k27(T*) {}
template<class T, int N> __global__ void k28(T*, V<N+1>) {}
template<class T, int N> __global__ void k29(T*, V<N*2-1>) {}
template<class T, int N> __global__ void k30(T (*)[N+1]) {}
template<class... T> __global__ ei_t<(sizeof(T)+...)==4> k31(T*...) {}
template<class... T> __global__ ei_t<(... && is_v<T>)> k32(T*...) {}
template<class... T> __global__ ei_t<sizeof...(T)==1> k33(T*...) {}
template<class T, ei_t<sizeof(T)==4, int> = 0> __global__ void k35(T*) {}
template<class T, class = ei_t<sizeof(T)==4, int>> __global__ void k36(T*) {}
template<class T> __global__ ei_t<is_i<typename is_i<T>::type>::value> k37(T*) {}
template<class T, ei_t<is_v<T>>* = nullptr> __global__ void k38(T*) {}
template<class T> __global__ ei_t<sizeof(T)==4 && 'a' && 3u && 5ll && 2.5f> k39(T*) {}
template<class T> __global__ ei_t<(bool(sizeof(T)), true)> k40(T*) {}
template<class T> __global__ ei_t<is_i<decltype(dv<T>())>::value> k41(T*) {}
template<class T> __global__ ei_t<is_i<decltype(dv<T>()+dv<T>())>::value> k42(T*) {}
int main(){ int*p=0;
k01<<<1,1>>>(p);k02<<<1,1>>>(p);k03<<<1,1>>>(p);k04<<<1,1>>>(p);k05<<<1,1>>>(p);k06<<<1,1>>>(p);k07<<<1,1>>>(p);k09<<<1,1>>>(p);k10<<<1,1>>>(p);
k12<<<1,1>>>(p);k13<<<1,1>>>(p);k14<<<1,1>>>(p);k15<<<1,1>>>(p);k16<<<1,1>>>(p);k17<<<1,1>>>(p);k18<<<1,1>>>(p);k19<<<1,1>>>(p);k20<<<1,1>>>(p);
k21<<<1,1>>>(p);k22<<<1,1>>>(p);k23<<<1,1>>>(p);k24<<<1,1>>>(p);k25<<<1,1>>>(p);k26<<<1,1>>>(p);k27<<<1,1>>>(p);k28<int,3><<<1,1>>>(p,V<4>());k29<int,3><<<1,1>>>(p,V<5>());k30<int,3><<<1,1>>>((int(*)[4])0);
k31<<<1,1>>>(p);k32<<<1,1>>>(p);k33<<<1,1>>>(p);k35<<<1,1>>>(p);k36<<<1,1>>>(p);k37<<<1,1>>>(p);k38<<<1,1>>>(p);k39<<<1,1>>>(p);k40<<<1,1>>>(p);k41<<<1,1>>>(p);k42<<<1,1>>>(p);
}
