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
    assert!(names.lines().count() > 15, "the table is there");
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

#[test]
fn values_for_parameters_whose_types_depend_on_others() {
    kernels_are_named(include_str!("names/values.cu"), include_str!("names/values.names"));
}

/// The kernel `k` of an unnamed namespace, in a unit with these declarations behind it.
fn unnamed(file: &str, behind: &str) -> String {
    let source = format!("namespace {{ __global__ void k() {{}} }}\n{behind}\n");
    let files = Memory::new().with(file, source);
    let compilation = compile(&files, file, &Options::default());
    let module = compilation.module.expect("a module");
    let text = module.to_text(warpsmith_ir::Dialect::Modern);
    let start = text.find("@_ZN").expect("the kernel");
    text[start + 1..].chars().take_while(|&letter| letter != '(').collect()
}

/// What the first function with external linkage is called stands in the name, whole or by its check.
#[test]
fn unnamed_namespaces_are_of_their_unit() {
    for (behind, last) in [
        ("void f() {}", "33_GLOBAL__N__97a92a7a_4_t_cu__Z1fv1kEv"),
        (
            "static void f() {} void z() {}",
            "33_GLOBAL__N__97a92a7a_4_t_cu__Z1zv1kEv",
        ),
        (
            "inline void f() {} void z() {}",
            "33_GLOBAL__N__97a92a7a_4_t_cu__Z1zv1kEv",
        ),
        ("int main() {}", "32_GLOBAL__N__97a92a7a_4_t_cu_main1kEv"),
        ("extern \"C\" { void q() {} }", "29_GLOBAL__N__97a92a7a_4_t_cu_q1kEv"),
        ("void f123() {}", "36_GLOBAL__N__97a92a7a_4_t_cu__Z4f123v1kEv"),
        ("void f1234() {}", "36_GLOBAL__N__97a92a7a_4_t_cu_49f0ce9e1kEv"),
        (
            "struct A { A(); }; A::A() {}",
            "36_GLOBAL__N__97a92a7a_4_t_cu_a9e5c9ef1kEv",
        ),
        (
            "namespace a { void z() {} }",
            "36_GLOBAL__N__97a92a7a_4_t_cu_d5ddecdd1kEv",
        ),
    ] {
        assert_eq!(unnamed("/src/t.cu", behind), format!("_ZN{last}"), "{behind}");
    }
    let other = unnamed("/src/a/t.cu", "void f() {}");
    assert_eq!(other, "_ZN33_GLOBAL__N__e25174c4_4_t_cu__Z1fv1kEv");
    let without = unnamed("/src/t.cu", "");
    assert_eq!(without, unnamed("/src/t.cu", ""), "equal input, equal name");
}

#[test]
fn closures_and_arguments_of_aliases() {
    kernels_are_named(include_str!("names/closures.cu"), include_str!("names/closures.names"));
}

#[test]
fn parameters_of_class_type_and_templates_by_other_names() {
    kernels_are_named(include_str!("names/objects.cu"), include_str!("names/objects.names"));
}
