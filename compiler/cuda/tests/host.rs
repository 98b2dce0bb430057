//! Host code: which kernels it reaches, by the names that nvcc gives them, and what is wrong with it.

use warpsmith_cuda::source::Memory;
use warpsmith_cuda::{Compilation, Options, compile};

fn compiled(files: &[(&str, &str)]) -> Compilation {
    let mut memory = Memory::new();
    for (name, text) in files {
        memory = memory.with(*name, *text);
    }
    compile(&memory, files[0].0, &Options::default())
}

/// The names of the kernels of a module, in order of the alphabet.
fn kernels(compilation: &Compilation) -> Vec<String> {
    let module = compilation.module.as_ref().expect("a module");
    let text = module.to_text(warpsmith_ir::Dialect::Modern);
    let mut names: Vec<String> = text
        .lines()
        .filter(|line| line.starts_with("define") && line.contains("ptx_kernel"))
        .filter_map(|line| Some(line.split_once('@')?.1.split_once('(')?.0.to_string()))
        .collect();
    names.sort();
    names
}

/// What is said of a unit: severity, line and message, one line each.
fn messages(compilation: &Compilation) -> String {
    let context = &compilation.context;
    let mut out = String::new();
    for report in context.diagnostics.reports() {
        let line = context.map.place(report.span.first).map_or(0, |place| place.line);
        out += &format!("{:?} {line}: {}\n", report.severity, report.message);
    }
    out
}

/// A unit has these kernels and nothing is said of it.
fn has(text: &str, wanted: &[&str]) {
    let compilation = compiled(&[("host.cu", text)]);
    assert_eq!(messages(&compilation), "", "{text}");
    assert_eq!(kernels(&compilation), wanted, "{text}");
}

/// A unit is refused with these messages.
fn refused(text: &str, wanted: &str) {
    let compilation = compiled(&[("host.cu", text)]);
    assert_eq!(messages(&compilation), wanted, "{text}");
    assert!(compilation.module.is_none(), "{text}");
}

const KERNEL: &str = "template<class T> __global__ void kern(T *p) { p[threadIdx.x] = 1; }\n";

fn has_with_kernel(text: &str, wanted: &[&str]) {
    has(&format!("{KERNEL}{text}"), wanted);
}

/// A body is elaborated once, and it may be host code that uses it first: what the device runs of it is whole all the same.
#[test]
fn assembly_of_what_host_code_uses_first_is_kept() {
    const ASSEMBLY: &str = r#"{ unsigned short r; asm("cvt.rn.f16.f32 %0, %1;" : "=h"(r) : "f"(a)); return r; }"#;
    let units = [
        format!(
            "__host__ __device__ inline unsigned short narrow(float a) {ASSEMBLY}
template<class T> __global__ void kern(T *p, float a) {{ *p = narrow(a); }}
template<class T> void launch(T *p) {{ narrow(1.0f); kern<<<1, 1>>>(p, 1.0f); }}
void f(unsigned short *p) {{ launch(p); }}"
        ),
        format!(
            "struct Half {{ unsigned short bits; __host__ __device__ Half(float a) : bits(narrow(a)) {{}}
    __host__ __device__ static unsigned short narrow(float a) {ASSEMBLY} }};
template<class T> __global__ void kern(T *p, float a) {{ *p = T(a); }}
template<class T> void launch(T *p) {{ T one(1.0f); kern<<<1, 1>>>(p, 1.0f); }}
void f(Half *p) {{ launch(p); }}"
        ),
        format!(
            "template<class T> __host__ __device__ unsigned short narrow(T a) {ASSEMBLY}
template<class T> __global__ void kern(T *p, float a) {{ *p = narrow(a); }}
unsigned short one = narrow(1.0f);
void f(unsigned short *p) {{ kern<<<1, 1>>>(p, 1.0f); }}"
        ),
        format!(
            "constexpr unsigned short narrow(float a) {{ if (a == 0) return 0; {ASSEMBLY} }}
template<class T> __global__ void kern(T *p, float a) {{ *p = narrow(a); }}
template<class T> void launch(T *p) {{ narrow(1.0f); kern<<<1, 1>>>(p, 1.0f); }}
void f(unsigned short *p) {{ launch(p); }}"
        ),
        format!(
            "template<class F, class T> __global__ void kern(F work, T *p, float a) {{ *p = work(a); }}
template<class T> void launch(T *p) {{
    auto narrow = [] __host__ __device__(float a) {ASSEMBLY};
    narrow(1.0f);
    kern<<<1, 1>>>(narrow, p, 1.0f);
}}
void f(unsigned short *p) {{ launch(p); }}"
        ),
    ];
    for unit in units {
        let compilation = compiled(&[("host.cu", &unit)]);
        let module = compilation.module.as_ref();
        let text = module.map(|module| module.to_text(warpsmith_ir::Dialect::Modern));
        assert!(
            text.is_some_and(|text| text.contains("cvt.rn.f16.f32")),
            "{unit}\n{}",
            messages(&compilation)
        );
    }
}

#[test]
fn explicit_instantiations_of_host_functions_launch() {
    has_with_kernel(
        "template<class T> void launch(T *p) { kern<T><<<1, 32>>>(p); }
         template void launch<float>(float *);",
        &["_Z4kernIfEvPT_"],
    );
    has_with_kernel(
        "template<class T> void launch(T *p) { kern<T><<<1, 32>>>(p); }
         template<> void launch<float>(float *p) { kern<float><<<1, 32>>>(p); }
         void f(double *p) { launch<double>(p); }",
        &["_Z4kernIdEvPT_", "_Z4kernIfEvPT_"],
    );
    has_with_kernel(
        "template<class T> struct L { void go(T *p) { kern<T><<<1, 32>>>(p); } static void all(T *p); };
         template<class T> void L<T>::all(T *p) { kern<unsigned><<<1, 1>>>((unsigned *)p); }
         template struct L<int>;",
        &["_Z4kernIiEvPT_", "_Z4kernIjEvPT_"],
    );
    has_with_kernel(
        "template<class T> struct L { void go(T *p) { kern<T><<<1, 32>>>(p); } void other() { nothing(T()); } };
         template void L<short>::go(short *);",
        &["_Z4kernIsEvPT_"],
    );
    has_with_kernel(
        "template<class T> void launch(T *p) { kern<T><<<1, 32>>>(p); }
         extern template void launch<float>(float *);",
        &[],
    );
}

#[test]
fn lambdas_of_the_host_launch() {
    has(
        "template<int N, class T> struct Traits { static constexpr int n = N; using type = T; };
         template<class Tr> __global__ void kern(typename Tr::type *p) { p[threadIdx.x] = Tr::n; }
         #define BOOL_SWITCH(C, N, ...) [&] { if (C) { constexpr static bool N = true; return __VA_ARGS__(); } \\
             else { constexpr static bool N = false; return __VA_ARGS__(); } }()
         template<class T> void launch(T *p, bool b) {
             BOOL_SWITCH(b, kB, [&] { auto kernel = &kern<Traits<kB ? 4 : 8, T>>; kernel<<<1, 32>>>(p); });
         }
         template void launch<float>(float *, bool);",
        &[
            "_Z4kernI6TraitsILi4EfEEvPNT_4typeE",
            "_Z4kernI6TraitsILi8EfEEvPNT_4typeE",
        ],
    );
    has_with_kernel(
        "template<class F> void each(F f) { f((float *)0); f((int *)0); }
         void f() { each([](auto *p) { kern<<<1, 32>>>(p); }); }",
        &["_Z4kernIfEvPT_", "_Z4kernIiEvPT_"],
    );
    has_with_kernel(
        "auto launcher = [](double *p) { kern<<<1, 1>>>(p); };",
        &["_Z4kernIdEvPT_"],
    );
}

#[test]
fn kernels_in_tables_and_initialisers_are_used() {
    has(
        "extern \"C\" int attributes(void *, const void *);
         template<class T> __global__ void K1() {}
         template<class T> __global__ void K2() {}
         template<class T> __global__ void K3() {}
         template<class T> __global__ void K4(T *) {}
         template<class T> __global__ void K5(T *) {}
         int a() { return attributes(nullptr, (const void *)K1<void>); }
         int b() { return attributes(nullptr, reinterpret_cast<const void *>(&K2<void>)); }
         int c() { auto k = K3<void>; return attributes(nullptr, (void *)k); }
         void d(int *p, bool q) { void (*k)(int *) = q ? K4<int> : nullptr; k<<<1, 1>>>(p); }
         struct T { void (*k)(int *); }; T table[1] = {{K5<int>}};",
        &["_Z2K1IvEvv", "_Z2K2IvEvv", "_Z2K3IvEvv", "_Z2K4IiEvPT_", "_Z2K5IiEvPT_"],
    );
    has_with_kernel(
        "static void (*const table[])(int *) = {kern<int>, nullptr};",
        &["_Z4kernIiEvPT_"],
    );
    has_with_kernel(
        "void f() { static void (*k)(char *) = &kern<char>; }",
        &["_Z4kernIcEvPT_"],
    );
    has_with_kernel(
        "void g(void (*)(int *)); void f(void (*k)(int *) = kern<int>) { } void h() { f(); }",
        &["_Z4kernIiEvPT_"],
    );
    has_with_kernel(
        "struct S { void (*k)(long *) = kern<long>; }; S s;",
        &["_Z4kernIlEvPT_"],
    );
    has_with_kernel(
        "template<auto K> void go(int *p) { K<<<1, 1>>>(p); } void f() { go<kern<int>>(nullptr); }",
        &["_Z4kernIiEvPT_"],
    );
}

#[test]
fn launches_may_be_spaced_as_formatters_leave_them() {
    for launch in ["k << <1, 32>> >(p)", "k <<< 1, 32 >> >(p)", "(k) <<<1, 32>>> (p)"] {
        has(
            &format!("__global__ void k(int *p) {{ p[0] = 1; }} void f(int *p) {{ {launch}; }}"),
            &["_Z1kPi"],
        );
    }
    refused(
        "__global__ void k(int *p) { p[0] = 1; }\nvoid f(int *p) { k<<<1, 32> >>(p); }",
        "Error 2: expected an expression, found `>`\n",
    );
}

#[test]
fn a_mistake_in_host_code_hides_no_launch_behind_it() {
    let text = format!("{KERNEL}void f(int *p) {{ nothing(p); kern<<<1, 1>>>(p); }}\nvoid g(int *p) {{ other(p); }}\n");
    refused(
        &text,
        "Error 2: `nothing` is not declared\nError 3: `other` is not declared\n",
    );
}

#[test]
fn a_body_of_a_header_that_is_wrong_is_named() {
    let files = [
        ("host.cu", "#include \"a.h\"\n__global__ void k(int *p) { p[0] = 1; }\n"),
        (
            "a.h",
            "inline int f() { return nothing(1); }\ninline int g() { return 1; }\n",
        ),
    ];
    let compilation = compiled(&files);
    assert_eq!(
        messages(&compilation),
        "Warning 1: the body of `f()` could not be elaborated: kernels that only it reaches would be missing\n"
    );
    assert_eq!(kernels(&compilation), ["_Z1kPi"]);
    // One that launches, or that the main file reaches, is wrong in earnest.
    let launching = [
        ("host.cu", "#include \"a.h\"\n__global__ void k(int *p) { p[0] = 1; }\n"),
        (
            "a.h",
            "__global__ void q();\ninline int f() { q<<<1, 1>>>(); return nothing(1); }\n",
        ),
    ];
    assert_eq!(messages(&compiled(&launching)), "Error 2: `nothing` is not declared\n");
    let reached = [
        ("host.cu", "#include \"a.h\"\nint main() { return f(); }\n"),
        ("a.h", "inline int f() { return nothing(1); }\n"),
    ];
    assert_eq!(messages(&compiled(&reached)), "Error 1: `nothing` is not declared\n");
    // So is one of a system header that says where it runs: what the user's code reaches of CUDA's libraries may launch.
    for (annotation, severity) in [
        ("__host__", "Error 2: `nothing` is not declared\n"),
        (
            "",
            "Warning 2: the body of `f()` could not be elaborated: kernels that only it reaches would be missing\n",
        ),
    ] {
        let header = format!("#pragma GCC system_header\n{annotation} inline int f() {{ return nothing(1); }}\n");
        let system = [
            ("host.cu", "#include \"a.h\"\nint main() { return f(); }\n"),
            ("a.h", &header),
        ];
        assert_eq!(messages(&compiled(&system)), severity);
    }
}

#[test]
fn launches_are_configured_by_what_nvcc_takes() {
    for configuration in [
        "1",
        "1, 2",
        "dim3(1, 2), {1, 1, 1}",
        "1.5, 1",
        "1, 1, 4 * sizeof(int)",
        "1, 1, 0, nullptr",
        "1, 1, 0, 0",
    ] {
        let text = format!("__global__ void k(int *p) {{ p[0] = 1; }} void f(int *p) {{ k<<<{configuration}>>>(p); }}");
        has(&text, &["_Z1kPi"]);
    }
    for (configuration, message) in [
        (
            "\"a\", 1",
            "cannot initialize the grid of a launch: the value is `const char [2]`, which does not convert to `dim3`",
        ),
        (
            "p, 1",
            "cannot initialize the grid of a launch: the value is `int *`, which does not convert to `dim3`",
        ),
        (
            "1, p",
            "cannot initialize the block of a launch: the value is `int *`, which does not convert to `dim3`",
        ),
        (
            "1, 1, p",
            "cannot initialize the dynamic shared memory of a launch: the value is `int *`, which does not convert to `unsigned long`",
        ),
        (
            "1, 1, 0, 5",
            "cannot initialize the stream of a launch: the value is `int`, which does not convert to `CUstream_st *`",
        ),
        (
            "1, 1, 0, 0, 0",
            "a launch configuration has two to four arguments: grid, block, shared memory, stream",
        ),
    ] {
        let text = format!(
            "__global__ void k(int *p) {{ p[0] = 1; }}\nvoid f(int *p, cudaStream_t) {{ k<<<{configuration}>>>(p); }}"
        );
        refused(&text, &format!("Error 2: {message}\n"));
    }
}

#[test]
fn kernels_are_launched_and_other_functions_called() {
    let declared = "__device__ void d(int *p) {}\nvoid h(int *p) {}\n__global__ void k(int *p) { p[0] = 1; }\n";
    for (statement, message) in [
        (
            "k(nullptr)",
            "the kernel `void k(int *)` is called like a function: it must be launched",
        ),
        ("h<<<1, 1>>>(p)", "`void h(int *)` is no kernel and cannot be launched"),
        (
            "d(p)",
            "`d(int *)` is a `__device__` function and cannot be called from the `__host__` function `f(int *)`",
        ),
        (
            "k<<<1, 1>>>()",
            "`k` cannot be called like this: it takes 1 argument, but 0 are given",
        ),
    ] {
        refused(
            &format!("{declared}void f(int *p) {{ {statement}; }}"),
            &format!("Error 4: {message}\n"),
        );
    }
}

#[test]
fn functions_whose_space_is_a_matter_of_the_pass_are_called_by_the_host() {
    let text = "
        #ifdef __CUDA_ARCH__
        #define BOTH __device__
        #else
        #define BOTH
        #endif
        struct Size { int x; BOTH Size() : x(1) {} BOTH int area() { return x * x; } };
        template <class T> struct Image { T size; int area() { T one; return one.area() + size.area(); } };
        int of(Image<Size> &image) { return image.area(); }
        __global__ void k(int *p) { *p = Size().area(); }
        void f(int *p) { k<<<1, 1>>>(p); }";
    has(text, &["_Z1kPi"]);
}

#[test]
fn default_template_template_arguments_are_deduced_and_spelled() {
    has(
        "namespace tr { template<class U> struct Def { using P = U *; }; }
         template<class T, int D, template<class U> class PT = tr::Def> struct Tensor { typename PT<T>::P p; };
         template<class T> __global__ void k(Tensor<T, 2> t) { *t.p = 1; }
         template<class T, template<class U> class PT> __global__ void k2(Tensor<T, 2, PT> t) { *t.p = 1; }
         template<class T, int D> using TA = Tensor<T, D>;
         __global__ void k3(Tensor<float, 2> t) { *t.p = 1; }
         void f(Tensor<int, 2> t) { k<<<1, 1>>>(t); k2<<<1, 1>>>(t); }",
        &[
            "_Z1kIiEv6TensorIT_Li2EN2tr3DefEE",
            "_Z2k2IiN2tr3DefEEv6TensorIT_Li2ET0_E",
            "_Z2k36TensorIfLi2EN2tr3DefEE",
        ],
    );
    has(
        "namespace a { template<class> struct D {}; template<class T, template<class> class P = D, class U = P<T>> struct W { T x; }; }
         template<class T> using V = a::W<T>;
         template<class T> __global__ void k(V<T> w, a::W<T, a::D> v) {}
         template<class T> __global__ void q(T, a::W<a::W<T>>) {}
         void f() { k<<<1, 1>>>(a::W<int>(), V<int>()); q<<<1, 1>>>(1, a::W<a::W<int>>()); }",
        &["_Z1kIiEvN1a1WIT_NS0_1DENS3_IS2_EEEES5_", "_Z1qIiEvT_N1a1WINS2_IS0_NS1_1DENS3_IS0_EEEES3_NS3_IS5_EEEE"],
    );
}

#[test]
fn the_built_in_functions_of_the_host_have_types() {
    has(
        "void *where() { return __builtin_return_address(0); }
         int add(volatile int *p) { int seen = __atomic_load_n(p, 0); __atomic_store_n(p, 1, 0); return seen + __atomic_fetch_add(p, 2, 0); }
         bool swap(long *p) { return __sync_bool_compare_and_swap(p, 1, 2) && __atomic_always_lock_free(4, 0); }
         __global__ void k() {}",
        &["_Z1kv"],
    );
}

#[test]
fn what_the_built_in_headers_leave_out_of_the_runtime_is_named() {
    // The built-in headers declare few functions of the runtime. What is left out is said once, and the launches behind it are found.
    let text = format!(
        "{KERNEL}int main() {{
            int *p;
            cudaStream_t stream;
            cudaMallocAsync(&p, 4, stream);
            cudaMallocAsync(&p, 8, stream);
            cudaDeviceProp properties;
            if (properties.asyncEngineCount) kern<<<1, 1, 0, stream>>>(p);
            return cudaStreamQuery(stream) == cudaErrorStreamCaptureInvalidated;
        }}"
    );
    let compilation = compiled(&[("host.cu", &text)]);
    let wanted =
        "Warning 5: the built-in headers leave out `cudaMallocAsync`: host code is not checked where it is used
Warning 8: the built-in headers leave out `cudaDeviceProp::asyncEngineCount`: host code is not checked where it is used
Warning 9: the built-in headers leave out `cudaStreamQuery`: host code is not checked where it is used
Warning 9: the built-in headers leave out `cudaErrorStreamCaptureInvalidated`: host code is not checked where it is used
";
    assert_eq!(messages(&compilation), wanted);
    assert_eq!(kernels(&compilation), ["_Z4kernIiEvPT_"]);
}

#[test]
fn names_that_are_spelled_wrong_are_no_functions_of_the_runtime() {
    refused(
        "int main() { int *p; cudaFre(p); return 0; }",
        "Error 1: `cudaFre` is not declared\n",
    );
    refused(
        "__device__ void f(int *p) { cudaMallocAsync(&p, 4, 0); }",
        "Error 1: `cudaMallocAsync` is not declared\n",
    );
}

#[test]
fn host_code_has_the_functions_of_c() {
    let text = "
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
template<class T> __global__ void kern(T *p) { p[threadIdx.x] = 1; }
int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
int main(int count, char **words) {
    std::FILE *file = fopen(count > 1 ? words[1] : \"data.txt\", \"r\");
    if (!file) { perror(\"data.txt\"); abort(); }
    char line[80];
    int *values = (int *)calloc(100, sizeof(int)), n = 0;
    while (n < 100 && fgets(line, sizeof line, file)) values[n++] = std::strtol(line, nullptr, 10);
    qsort(values, n, sizeof(int), compare);
    fclose(file);
    std::time_t now = std::time(nullptr);
    std::printf(\"%s %f\\n\", std::strstr(line, \"x\") ? getenv(\"HOME\") : \"\", difftime(now, 0));
    kern<<<1, n>>>(values);
    return 0;
}";
    has(text, &["_Z4kernIiEvPT_"]);
}

#[test]
fn friends_of_class_templates_are_elaborated_when_they_are_used() {
    let iterator = "template<class T> struct It { T p; friend int operator-(const It &a, const It &b) { kern<T><<<1, 1>>>(nullptr); return a.p - b.p; } };\n";
    has_with_kernel(
        &format!("{iterator}struct None {{}}; int count(It<None> *) {{ return sizeof(It<None>); }}"),
        &[],
    );
    has_with_kernel(
        &format!("{iterator}int count(It<int> a) {{ return a - a; }}"),
        &["_Z4kernIiEvPT_"],
    );
}

#[test]
fn mistakes_in_templates_of_system_headers_are_not_looked_for() {
    let header = "template <class T> int f(T t) { return t + missing_one; }\n";
    let user = "#include \"a.h\"\n__global__ void k() {}\n";
    let compilation = compiled(&[("host.cu", user), ("a.h", header)]);
    assert_eq!(messages(&compilation), "Error 1: `missing_one` is not declared\n");
    let system = format!("#pragma GCC system_header\n{header}");
    let compilation = compiled(&[("host.cu", user), ("a.h", &system)]);
    assert_eq!(messages(&compilation), "");
    // What templates reach there are no kernels of the unit.
    has_with_kernel(
        "template<class T> void unused(T *p) { int *q = nullptr; kern<int><<<1, 1>>>(q); kern<T><<<1, 1>>>(p); }",
        &[],
    );
}

/// What static objects register is reached through virtual functions, as the tests of a unit are.
#[test]
fn initialisers_reach_virtual_functions() {
    has_with_kernel(
        "struct Base { virtual ~Base() {} virtual void run() = 0; };
         template<class T> struct Launcher : Base { void run() override { kern<<<1, 1>>>((T *)0); } };
         template<class T> Base *make() { return new Launcher<T>(); }
         struct Factory { virtual Base *create() = 0; };
         template<class T> struct FactoryOf : Factory { Base *create() override { return make<T>(); } };
         static Factory *from_new = new FactoryOf<char>();
         static Base *from_call = make<short>();
         Base *(*table[])() = {make<int>, make<long>};
         struct Registrar { Registrar(Base *b) {} };
         static Registrar registrar(make<float>());
         inline Base *once() { static Base *made = make<double>(); return made; }
         static Base *from_once = once();
         struct Test { virtual void body(); };
         template<class T> struct TestFactory : Factory { Base *create() override { Test *t = new T(); t->body(); return 0; } };
         struct Mine : Test { void body() override; };
         static Factory *test = new TestFactory<Mine>();
         void Mine::body() { Base *b = new Launcher<unsigned>(); b->run(); }",
        &[
            "_Z4kernIcEvPT_",
            "_Z4kernIdEvPT_",
            "_Z4kernIfEvPT_",
            "_Z4kernIiEvPT_",
            "_Z4kernIjEvPT_",
            "_Z4kernIlEvPT_",
            "_Z4kernIsEvPT_",
        ],
    );
}

#[test]
fn the_types_of_main_are_in_no_name() {
    has(
        "template<class T> __global__ void used(T *p) {}
         int main(int argc, char **argv) { auto l = [] __device__(int x) { return x; }; used<<<1, 1>>>(&l); return 0; }",
        &["_Z4usedIZ4mainEUliE_EvPT_"],
    );
}

#[test]
fn complex_numbers_of_c_in_system_headers_are_two_numbers() {
    let header = "#pragma GCC system_header\n\
        struct Complex { typedef __complex__ double Part; Part value; \
          __device__ Complex(double r, double i) : value{r, i} {} Complex(Part v) : value(v) {} \
          __host__ __device__ double imag() const { return __imag__ value; } \
          Complex &operator*=(const Complex &o) { Part t; __real__ t = o.imag(); __imag__ t = 1; value *= t; value = t; return *this; } };\n\
        inline Complex power(Complex a) { return __builtin_cpow(a.value, a.value) + 2.0 * -a.value; }\n\
        __device__ inline double product(Complex a) { return __real__ (a.value * a.value); }\n";
    let unit = "#include \"complex.h\"\n\
        static_assert(sizeof(Complex) == 16 && alignof(Complex) == 8, \"\");\n\
        __global__ void k(Complex c, double *p) { Complex d(1, 2); p[0] = c.imag() + d.imag(); }\n\
        void f(Complex a, Complex b) { Complex c = a; c *= b; c = power(b); }\n";
    let compilation = compiled(&[("host.cu", unit), ("complex.h", header)]);
    assert_eq!(messages(&compilation), "");
    assert_eq!(kernels(&compilation), ["_Z1k7ComplexPd"]);
    let calculates = "#include \"complex.h\"\n__global__ void k(Complex c, double *p) { p[0] = product(c); }\n";
    let compilation = compiled(&[("host.cu", calculates), ("complex.h", header)]);
    assert_eq!(
        messages(&compilation),
        "Error 4: arithmetic with complex numbers of C is not supported\n"
    );
}

/// The host computes with 128 bits where its compiler can; device code cannot.
#[test]
fn quadruple_precision_is_for_the_host() {
    has_with_kernel(
        "using quad = __float128;
         quad twice(quad x) { return 2 * x + 1.5Q; }
         struct Holder { char c; quad value; };
         static_assert(sizeof(quad) == 16 && alignof(Holder) == 16 && sizeof(Holder) == 32, \"as the host lays it out\");
         template<class T> void launch(T) { kern<<<1, 1>>>((T *)0); }
         void f() { quad x = 3; x = twice(x) > 4 ? x : -x; double d = x; kern<<<1, 1>>>(&d); }",
        &["_Z4kernIdEvPT_"],
    );
    refused(
        "__device__ __float128 q; __global__ void k(double *p) { p[1] = (double)q; }",
        "Error 1: values of `__float128` in device code are not supported\n",
    );
}

/// Arrays of variable length are a GNU extension that the host's compiler takes.
#[test]
fn arrays_of_variable_length_are_for_the_host() {
    has_with_kernel(
        "void fill(void *, unsigned long);
         template<class T> void launch(int n) { T table[2 * n]; fill(table, sizeof(table)); kern<<<1, 1>>>(&table[n]); }
         void f(int n) { launch<double>(n); }",
        &["_Z4kernIdEvPT_"],
    );
    refused(
        "__global__ void k(int n) { int table[n]; }",
        "Error 1: this expression is not constant\n",
    );
}

/// What cannot be elaborated in an included file is an error where a program always has it; of an inline function, which may not be used, it is a warning that
/// stays although warnings are off: a kernel may be missing.
#[test]
fn mistakes_in_included_host_code_are_not_silent() {
    let unit = "#include \"part.h\"\n__global__ void k() {}\n";
    let mut options = Options::default();
    options.source.warnings.off = true;
    let said = |header: &str| {
        let memory = Memory::new().with("unit.cu", unit).with("part.h", header);
        messages(&compile(&memory, "unit.cu", &options))
    };
    assert_eq!(
        said("void main_part() { nothing(); }\n"),
        "Error 1: `nothing` is not declared\n"
    );
    assert_eq!(
        said("inline void part() { nothing(); }\n"),
        "Warning 1: the body of `part()` could not be elaborated: kernels that only it reaches would be missing\n"
    );
}
