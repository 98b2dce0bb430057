// Closures are numbered among those of their function with the same parameters; the arguments of alias templates are values once nothing in them depends.
template <class F> __global__ void run(F f, int n) { f(n); }
struct V { float *p; };
void host(V x) {
    auto a = [&](V in, V out) { run<<<1, 1>>>([in] __device__(int i) { in.p[i] = 1; }, 1); };
    auto b = [&](V in, float *o) {
        run<<<1, 1>>>([in, o] __device__(int i) { in.p[i] = o[i]; }, 1);
        run<<<1, 1>>>([in, o] __device__(int i) { in.p[i] = o[i]; }, 1);
    };
    auto c = [&]() { run<<<1, 1>>>([x] __device__(int i) { x.p[i] = 4; }, 1); };
    auto d = [&](V in, V out) { run<<<1, 1>>>([in] __device__(int i) { in.p[i] = 1; }, 1); };
    a(x, x);
    b(x, 0);
    c();
    d(x, x);
    run<<<1, 1>>>([x] __device__(int i) { x.p[i] = 4; }, 1);
    run<<<1, 1>>>([x] __device__(long i) { x.p[i] = 4; }, 1);
    run<<<1, 1>>>([x] __device__(int i) { x.p[i] = 4; }, 1);
}
template <class T> void generic(T x) {
    auto b = [&](V in, float *o) {
        run<<<1, 1>>>([in, o] __device__(int i) { in.p[i] = o[i]; }, 1);
        run<<<1, 1>>>([in, o] __device__(int i) { in.p[i] = o[i]; }, 1);
    };
    auto c = [&]() { run<<<1, 1>>>([x] __device__(int i) { x.p[i] = 4; }, 1); };
    b(x, 0);
    c();
    run<<<1, 1>>>([x] __device__(long i) { x.p[i] = 4; }, 1);
}
void use(V v) { generic(v); }

template <class T, unsigned long N> struct Sized {};
template <class T, int N> struct Signed {};
template <class T, bool B> struct Flag {};
template <class T, unsigned long N> using Less = Sized<T, N - 1>;
template <class T, unsigned long N> using Nested = Sized<Less<T, N>, 2 * N + 1>;
template <class T, int A, int B> using Quotient = Signed<T, A / B>;
template <class T, int A, int B> using Mixed = Signed<T, (A << B) | ~A>;
template <class T, int A> using Negative = Signed<T, -A>;
template <class T, int A> using Equal = Flag<T, A == 3>;
template <class T, int A> using Not = Flag<T, !A>;
template <class T, int A> using Both = Flag<T, (A > 1 && A <= 3)>;
template <class T, int... A> using Packed = Sized<T, sizeof...(A) + 1>;
template <class T, unsigned A> using Wrapped = Sized<T, A - 2u>;
template <class T, int A> using Converted = Sized<T, (unsigned char)A>;
template <class T, unsigned long N> struct Inner {};
template <class T, class A, class B, unsigned long N> struct Two {};
template <class T, unsigned long N> using Known = Two<T, Inner<int, N>, Inner<T, N>, N>;
template <class T> __global__ void wrapped(Wrapped<T, 1>) {}
template <class T> __global__ void converted(Converted<T, 300>) {}
template <class T> __global__ void known(Known<T, 5>, Known<float, 5>, Inner<int, 5>, Known<T, 6>) {}
template __global__ void wrapped<float>(Wrapped<float, 1>);
template __global__ void converted<float>(Converted<float, 300>);
template __global__ void known<float>(Known<float, 5>, Known<float, 5>, Inner<int, 5>, Known<float, 6>);
template <class T> __global__ void less(Less<T, 4>) {}
template <class T> __global__ void nested(Nested<T, 4> *) {}
template <class T> __global__ void quotient(Quotient<T, 9, 2>) {}
template <class T> __global__ void remainder_(Signed<Quotient<T, 9, 2>, 1> *) {}
template <class T> __global__ void mixed(Mixed<T, 3, 2>) {}
template <class T> __global__ void negative(Negative<T, 5>) {}
template <class T> __global__ void equal(Equal<T, 3>) {}
template <class T> __global__ void unequal(Equal<T, 4>) {}
template <class T> __global__ void not_(Not<T, 4>) {}
template <class T> __global__ void both(Both<T, 2>) {}
template <class T> __global__ void packed(Packed<T, 1, 2, 3>) {}
template <class T, int N> __global__ void kept(Quotient<T, N, 2>, Signed<T, N>) {}
template <class T> __global__ void pointers(Less<T, 4> *, Less<T, 4> const &) {}
template __global__ void less<float>(Less<float, 4>);
template __global__ void nested<float>(Nested<float, 4> *);
template __global__ void quotient<float>(Quotient<float, 9, 2>);
template __global__ void remainder_<float>(Signed<Quotient<float, 9, 2>, 1> *);
template __global__ void mixed<float>(Mixed<float, 3, 2>);
template __global__ void negative<float>(Negative<float, 5>);
template __global__ void equal<float>(Equal<float, 3>);
template __global__ void unequal<float>(Equal<float, 4>);
template __global__ void not_<float>(Not<float, 4>);
template __global__ void both<float>(Both<float, 2>);
template __global__ void packed<float>(Packed<float, 1, 2, 3>);
template __global__ void kept<float, 6>(Quotient<float, 6, 2>, Signed<float, 6>);
template __global__ void pointers<float>(Less<float, 4> *, Less<float, 4> const &);

// Template parameters of a member template and of a template that is no member are different components.
template <class F, class... A> __global__ void at_level(F f, A... a) { f(a...); }
template <class T> struct Engine {
    template <class G, class... A> void up(G g, A... a) { at_level<<<1, 1>>>([=] __device__(A... i) { g(*i...); }, a...); }
};
template <class I, class J> void levels(I i, J j, Engine<I> &e) { e.up([=] __device__(int n) { *i = n; }, j); }
void use_levels(Engine<int *> &e, int *p) { levels(p, p, e); }
