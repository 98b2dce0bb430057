//! Names of symbols, as nvcc spells them.

use warpsmith_cuda::source::{Memory, Standard};
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

/// Compiles a program and compares the names of its kernels with those that nvcc 13.0 gives them.
fn kernels_are_named(source: &str, names: &str) {
    let files = Memory::new().with("names.cu", source);
    let mut options = Options::default();
    options.source.standard = Standard::Cpp20;
    options.sema.cpp20 = true;
    let compilation = compile(&files, "names.cu", &options);
    let module = compilation
        .module
        .unwrap_or_else(|| panic!("{}", compilation.context.render()));
    let text = module.to_text(warpsmith_ir::Dialect::Modern);
    let missing: Vec<&str> = names
        .lines()
        .filter(|name| !text.contains(&format!("@{name}(")))
        .collect();
    assert!(missing.is_empty(), "{missing:#?}");
    assert!(names.lines().count() > 30, "the table is there");
}

#[test]
fn conditions_on_template_parameters() {
    kernels_are_named(
        include_str!("names/conditions.cu"),
        include_str!("names/conditions.names"),
    );
}

#[test]
fn results_and_parameters_that_name_parameters() {
    kernels_are_named(
        include_str!("names/signatures.cu"),
        include_str!("names/signatures.names"),
    );
}

#[test]
fn conditions_of_the_library() {
    kernels_are_named(include_str!("names/library.cu"), include_str!("names/library.names"));
}
