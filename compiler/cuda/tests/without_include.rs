//! Names that a unit has without an include: those of nvcc, which reads CUDA's runtime header first; and preprocessed units, which have read it.

use warpsmith_cuda::source::{Context, Memory, print};
use warpsmith_cuda::{Compilation, Options, compile};

fn compiled(text: &str) -> Compilation {
    compile(&Memory::new().with("k.cu", text), "k.cu", &Options::default())
}

/// A unit is accepted without a message: the text of its module.
#[track_caller]
fn module(text: &str) -> String {
    let compilation = compiled(text);
    assert_eq!(compilation.context.render(), "", "{text}");
    compilation
        .module
        .expect("a module")
        .to_text(warpsmith_ir::Dialect::Modern)
}

#[test]
fn names_without_an_include() {
    for text in [
        "extern \"C\" __global__ void k(int *o) { assert(o[0] == 1); o[1] = 2; }",
        "__global__ void k(int *o) { o[0] = INT_MAX; o[1] = CHAR_BIT; o[2] = UINT_MAX > 7u; }",
        "__global__ void k(long long *o) { o[0] = LLONG_MIN; o[1] = LONG_MAX; o[2] = SHRT_MIN; }",
        "__global__ void k(int *o) { printf(\"%d\", o[0]); int *p = (int *)malloc(4); free(p); }",
        "static_assert(std::is_same<std::size_t, size_t>::value && std::is_same_v<int, std::decay_t<const int &>>, \"\"); __global__ void k() {}",
        "__global__ void k(float *o) { o[0] = std::abs(o[1]); o[1] = std::sqrt(o[2]); o[2] = std::max(o[3], o[4]); }",
        "__global__ void k(int *o) { int a = o[0]; o[1] = std::move(a); std::swap(o[2], o[3]); }",
        "template <class F> __device__ void call(F &&f) { std::forward<F>(f)(); } __global__ void k(int *o) { call([=] { o[0] = 1; }); }",
        "__global__ void k(int *o) { for (int i : std::initializer_list<int>{1, 2}) o[i] = i; }",
        "__global__ void k(int *o) { std::pair<int, int> p{1, 2}; o[0] = p.first; o[1] = std::numeric_limits<int>::max(); }",
        "__global__ void k(int *o) { o[0] = std::distance(o, o + 3); int *p = o; std::advance(p, 2); *p = 1; }",
        "struct S { char a; int b; }; __global__ void k(unsigned long *o) { o[0] = offsetof(S, b); }",
        "void f() { if (getenv(\"A\") == NULL) exit(EXIT_FAILURE); fprintf(stderr, \"%d\", rand() % RAND_MAX); }",
        "void f() { time_t t = time(NULL); srand(t); FILE *f = fopen(\"a\", \"r\"); if (f != nullptr) abort(); div_t d = div(7, 2); }",
        "void f() { try { int *p = new int; delete p; } catch (const std::exception &e) { puts(e.what()); } }",
    ] {
        module(text);
    }
}

#[test]
fn names_that_need_an_include() {
    for (text, message) in [
        ("__global__ void k() { std::mutex m; }", "mutex"),
        ("__global__ void k() { std::optional<int> o; }", "optional"),
        ("__global__ void k() { std::atomic<int> o; }", "atomic"),
        ("__global__ void k(float *o) { o[0] = FLT_MAX; }", "FLT_MAX"),
        ("__global__ void k() { __half h; }", "__half"),
    ] {
        let errors = compiled(text).context.render();
        assert!(
            errors.starts_with("error: ") && errors.contains(message),
            "{text}: {errors}"
        );
    }
}

#[test]
fn a_macro_of_the_library_may_be_defined_away() {
    module("#undef assert\n#define assert(x) ((void)(x))\n__global__ void k(int *o) { assert(o[0]); }");
    module("#define NDEBUG\n#include <assert.h>\n__global__ void k(int *o) { assert(this_is_nothing); }");
    let own = module("#include <assert.h>\n__global__ void k(int *o) { assert(o[0]); }");
    assert!(own.contains("__assertfail"), "{own}");
}

#[test]
fn preprocessed_units_are_read_back() {
    for text in [
        "extern \"C\" __global__ void k(int *o) { *o = __vadd2(1, 2); }\n",
        "#include <cuda_fp16.h>\n__global__ void k(__half *o) { o[0] = __hadd(o[1], o[2]); }\n",
        "#include <type_traits>\n#include <cstdint>\ntemplate <class T> __global__ void k(T *o) { *o = sizeof(T); }\ntemplate __global__ void k<uint16_t>(uint16_t *);\n",
        "__global__ void k(int *o) { assert(o[0]); printf(\"%d\\n\", o[1]); o[2] = atomicAdd(o, 1) + __shfl_sync(~0u, o[3], 1); }\n",
        "#define TWICE(x) x x\n__shared__ float s[32];\n__device__ float2 f(float4 v) { return make_float2(v.x, sinf(v.w)); }\n#pragma unroll 2\n__global__ void k(float4 *o) { TWICE(s[0] += f(o[0]).y;) o[1].x = s[0]; }\n",
        "#include <cooperative_groups.h>\n__global__ void k(int *o) { cooperative_groups::this_thread_block().sync(); o[0] = 1; }\nvoid f(int *p) { k<<<1, 2>>>(p); cudaDeviceSynchronize(); }\n",
    ] {
        let files = Memory::new().with("k.cu", text);
        let options = Options::default();
        let printed = print(&mut Context::new(), &files, &options.source, "k.cu");
        let wanted = module(text);
        for name in ["k.ii", "k.cu"] {
            let files = Memory::new().with(name, printed.as_str());
            let compilation = compile(&files, name, &options);
            assert_eq!(compilation.context.render(), "", "{text}");
            let made = compilation
                .module
                .expect("a module")
                .to_text(warpsmith_ir::Dialect::Modern);
            let body = |text: &str| text.split_once("\n\n").map(|(_, rest)| rest.to_owned());
            assert_eq!(body(&made), body(&wanted), "{text}");
        }
    }
}
