//! Where variables of shared memory lie: programs read arrays of `float` or `char` in words of sixteen bytes.

use warpsmith_cuda::source::Memory;
use warpsmith_cuda::{Options, compile};

/// The alignment of a variable in bytes.
fn alignment(text: &str, name: &str) -> u32 {
    let files = Memory::new().with("test.cu", text);
    let compilation = compile(&files, "test.cu", &Options::default());
    let Some(module) = compilation.module else {
        panic!("{}", compilation.context.render());
    };
    let global = module.globals().find(|(_, global)| global.name == name);
    global.expect("the variable is there").1.align
}

#[test]
fn the_array_that_a_launch_sizes_is_aligned_for_the_widest_access() {
    for (declaration, bytes) in [
        ("extern __shared__ char s[];", 16),
        ("extern __shared__ float s[];", 16),
        ("extern __shared__ double s[];", 16),
        ("extern __shared__ int2 s[];", 16),
        ("struct alignas(32) Wide { int x[8]; }; extern __shared__ Wide s[];", 32),
        ("extern __shared__ float s;", 4),
    ] {
        let text = format!("{declaration}\n__global__ void k(void **p) {{ *p = &s; }}\n");
        assert_eq!(alignment(&text, "s"), bytes, "{declaration}");
    }
}

#[test]
fn arrays_that_hold_such_a_word_are_aligned_for_it() {
    for (declaration, bytes) in [
        ("char s[15]", 1),
        ("char s[16]", 16),
        ("short s[8]", 16),
        ("float s", 4),
    ] {
        let text = format!("__shared__ {declaration};\n__global__ void k(void **p) {{ *p = &s; }}\n");
        assert_eq!(alignment(&text, "s"), bytes, "{declaration}");
    }
}
