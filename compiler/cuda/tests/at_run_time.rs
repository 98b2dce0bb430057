//! What a library that compiles at run time asks of the front end: expressions that name kernels, and headers that are found by their names.

use std::io;

use warpsmith_cuda::source::{FileSystem, Memory};
use warpsmith_cuda::{Compilation, Options, compile};

fn compiled(text: &str, names: &[&str]) -> Compilation {
    let files = Memory::new().with("k.cu", text);
    let options = Options {
        names: names.iter().map(|name| (*name).to_owned()).collect(),
        ..Options::for_target("sm_90")
    };
    compile(&files, "k.cu", &options)
}

#[test]
fn expressions_name_instances_that_nothing_else_uses() {
    let text = "template<class T, int N> __global__ void k(T *p) { *p += N; }\ntemplate<class T> __device__ T table;\n";
    let compilation = compiled(text, &["k<float, 2>", "&table<short>"]);
    assert_eq!(compilation.context.render(), "");
    assert_eq!(compilation.names, ["_Z1kIfLi2EEvPT_", "_Z5tableIsE"]);
    let module = compilation.module.unwrap();
    let names: Vec<&str> = module.functions().map(|(_, function)| function.name.as_str()).collect();
    assert_eq!(names, ["_Z1kIfLi2EEvPT_"]);
}

#[test]
fn an_expression_that_names_no_kernel_is_an_error_in_a_file_of_its_own() {
    let compilation = compiled("__device__ int f() { return 1; }\n", &["f", "g"]);
    assert!(compilation.module.is_none());
    let said = compilation.context.render();
    assert!(
        said.contains("a name expression names a kernel, or the address of a variable of the device; `f` does not")
    );
    assert!(said.contains("__nv_name_map:3:1"), "{said}");
}

/// Headers by name, and files in folders.
struct Named(Memory);

impl FileSystem for Named {
    fn read(&self, path: &str) -> io::Result<Vec<u8>> {
        self.0.read(path)
    }

    fn is_header(&self, name: &str) -> bool {
        matches!(name, "deep/a.h" | "b.h")
    }
}

/// The name is what the `#include` says, wherever that stands.
#[test]
fn a_header_is_found_by_its_name_before_any_folder() {
    let files = Memory::new()
        .with("k.cu", "#include <deep/a.h>\n__device__ int n = B;\n")
        .with("deep/a.h", "#include \"b.h\"\n")
        .with("deep/b.h", "#define B 1\n")
        .with("b.h", "#define B 2\n");
    let compilation = compile(&Named(files), "k.cu", &Options::for_target("sm_90"));
    assert_eq!(compilation.context.render(), "");
    assert_eq!(compilation.dependencies, ["k.cu", "deep/a.h", "b.h"]);
}

#[test]
fn functions_of_the_program_for_its_own_classes_are_not_the_librarys() {
    // What two operands are promoted to is asked of classes, too, and is no error.
    let text = "\
struct half { unsigned short bits; };
__device__ half nextafter(half from, half) { return from; }
__device__ half copysign(half x, int) { return x; }
__global__ void k(half *p) { p[0] = nextafter(copysign(p[0], 1), p[1]); }
";
    let compilation = compiled(text, &[]);
    assert_eq!(compilation.context.render(), "");
    assert!(compilation.module.is_some());
}

#[test]
fn errors_are_those_without_declarations_that_the_unit_does_not_name() {
    // Headers for run time declare themselves what `<utility>` would declare otherwise.
    let text = "\
namespace std { template <class... T> struct tuple_size; }
struct S;
__global__ void k(S *s) { s->x = 1; }
";
    let said = compiled(text, &[]).context.render();
    assert!(said.contains("the type `S` is incomplete"), "{said}");
    assert!(!said.contains("tuple_size"), "{said}");
}
