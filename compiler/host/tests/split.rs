//! What becomes of each kind of source on the host's side.

use warpsmith_host::{Sharing, Standard, split};

/// The host's side of a text, without the line before it.
fn host_side(text: &str) -> String {
    let side = split("k.cu", text, Standard::Cpp17, Sharing::None).unwrap_or_else(|messages| panic!("{messages}"));
    let (head, rest) = side.split_once('\n').expect("a line before the unit");
    assert!(head.starts_with("static void __warpsmith_launch("), "{head}");
    rest.to_owned()
}

#[test]
fn what_is_the_hosts_stays_byte_for_byte() {
    let text = "# 1 \"k.cu\"\n#pragma omp parallel\nint  main ( ) { return sizeof(int) > 4 ? 1 : 0xFFu ; }  // end\n";
    assert_eq!(host_side(text), text);
}

#[test]
fn a_kernel_becomes_a_stub_in_as_many_lines() {
    assert_eq!(
        host_side("__attribute__((global)) void k(int *p, const int) {\n    *p = threadIdx.x;\n}\nint after;\n"),
        "__attribute__((visibility(\"hidden\"))) void k(int *p, const int __warpsmith_parameter_1) \
         { const volatile void *__warpsmith_arguments[] = { __builtin_addressof(p), __builtin_addressof(__warpsmith_parameter_1), 0 }; \
         __warpsmith_launch(reinterpret_cast<const void *>(static_cast<void (*)(typename __warpsmith_type<decltype(p)>::type, \
         typename __warpsmith_type<decltype(__warpsmith_parameter_1)>::type)>(k)), \
         __warpsmith_arguments); }\n\n\nint after;\n"
    );
}

#[test]
fn a_kernel_template_names_its_instance() {
    let side = host_side("template <class T, int = 3, class... A> __global__ void k(T, A... a) { }\n");
    assert!(
        side.starts_with("template <class T, int __warpsmith_argument_1 = 3, class... A> __attribute__((visibility(\"hidden\"))) void k(T __warpsmith_parameter_0, A... a)"),
        "{side}"
    );
    assert!(side.contains("(k<T, __warpsmith_argument_1, A...>)"), "{side}");
    assert!(
        side.contains("typename __warpsmith_type<decltype(a)>::type...)>(k"),
        "{side}"
    );
}

#[test]
fn a_launch_pushes_its_configuration_and_calls_the_stub() {
    assert_eq!(
        host_side(
            "void k(int); void f(int n) { if (n) k<<<n > 1 ? 2 : (n >> 1),\n    32>>>(n); else k << <1, 2, 3, 0>> >(0); }\n"
        ),
        "void k(int); void f(int n) { if (n) (__cudaPushCallConfiguration(n > 1 ? 2 : (n >> 1),     32) ? (void)0 : k\n(n)); \
         else (__cudaPushCallConfiguration(1, 2, 3, 0) ? (void)0 : k (0)); }\n"
    );
}

#[test]
fn functions_of_the_device_lose_their_bodies() {
    assert_eq!(
        host_side(
            "__attribute__((device)) int a(int x, int) { asm(\"bar;\"); }\n__device__ constexpr int b() { return 5; }\n\
             __host__ __device__ int c() { return 6; }\n__device__ auto d() { return 7; }\n"
        ),
        "__attribute__((unused)) int a(int x, int) { (void)x; __builtin_trap(); }\n__attribute__((unused)) constexpr int b() { return 5; }\n\
        \x20 int c() { return 6; }\n__attribute__((unused)) auto d() { return 7; }\n"
    );
}

#[test]
fn variables_of_the_device_have_shadows() {
    assert_eq!(
        host_side(
            "__attribute__((device)) int a = 1, b;\nextern __device__ int c;\n__device__ int c;\nextern \"C\" __constant__ float d[2];\n\
             namespace n { __managed__ int m[2] = {1, 2}; }\n"
        ),
        "static __attribute__((unused)) int a = 1, b;\nextern __attribute__((unused)) int c;\n__attribute__((unused)) int c;\n\
         extern \"C\" __attribute__((unused)) float d[2];\n\
         namespace n { static __attribute__((unused)) int __warpsmith_shadow_m[2] = {1, 2}; static void *__warpsmith_place_m; \
         static decltype(__warpsmith_shadow_m) &m = *static_cast<decltype(__warpsmith_shadow_m) *>(__warpsmith_managed(&__warpsmith_place_m)); }\n"
    );
}

#[test]
fn attributes_of_cuda_go_and_others_stay() {
    assert_eq!(
        host_side(
            "__attribute__((host, deprecated)) int f();\nstruct __attribute__((aligned(8), device_builtin)) S { int x; };\n\
             __attribute__((__noinline__)) int g();\n#pragma unroll 4\nint h;\n__global__ void k(__grid_constant__ const int x);\n"
        ),
        "__attribute__((deprecated)) int f();\nstruct __attribute__((aligned(8))) S { int x; };\n__attribute__((__noinline__)) int g();\n\nint h;\n__attribute__((visibility(\"hidden\"))) void k( const int x);\n"
    );
}

#[test]
fn a_lambda_of_the_device_keeps_its_body_for_what_it_captures() {
    assert_eq!(
        host_side("void f() { int a = 1; auto g = [=] __device__ (int b) { return a + b; }; }\n"),
        "void f() { int a = 1; auto g = [=]  (int b) { return a + b; }; }\n"
    );
}
