//! Names of symbols, as nvcc spells them.

use warpsmith_cuda::source::Memory;
use warpsmith_cuda::{Options, compile};

#[test]
fn template_arguments_that_are_null_pointers_and_members() {
    let source = "\
        template <class T, T V> struct K {};\n\
        struct M { int i; double d; };\n\
        template <class T> __global__ void f(T) {}\n\
        template __global__ void f<>(K<decltype(nullptr), nullptr>);\n\
        template __global__ void f<>(K<double M::*, &M::d>);\n\
        template __global__ void f<>(K<double M::*, nullptr>);\n";
    let files = Memory::new().with("names.cu", source);
    let compilation = compile(&files, "names.cu", &Options::default());
    let module = compilation.module.expect("a module");
    let text = module.to_text(warpsmith_ir::Dialect::Modern);
    for name in [
        "_Z1fI1KIDnLDnEEEvT_",
        "_Z1fI1KIM1MdXadL_ZNS1_1dEEEEEvT_",
        "_Z1fI1KIM1MdLS2_0EEEvT_",
    ] {
        assert!(text.contains(&format!("@{name}(")), "{name} in {text}");
    }
}
