//! Programs of the host: both sides of a source compiled, linked with our runtime, and run with no GPU. Each test is skipped, and says so, where there is no g++.

use std::process::{Command, Stdio};

use crate::support::Folder;

/// A program with most kinds of kernels and variables.
const KINDS: &str = include_str!("../../host/kinds.cu");

/// A kernel, a launch, and a result.
const PROGRAM: &str = "#include <cstdio>
#include <vector>
#include \"scale.h\"
__global__ void saxpy(int n, float a, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}
int main(int argc, char **) {
    std::vector<float> x(1000, 1.0f), y(1000, 2.0f);
    float *dx, *dy;
    cudaMalloc(&dx, 4000);
    cudaMalloc(&dy, 4000);
    cudaMemcpy(dx, x.data(), 4000, cudaMemcpyHostToDevice);
    cudaMemcpy(dy, y.data(), 4000, cudaMemcpyHostToDevice);
    saxpy<<<4, 256>>>(1000, scale(), dx, dy);
    cudaMemcpy(y.data(), dy, 4000, cudaMemcpyDeviceToHost);
    std::printf(\"%g %g %d\\n\", y[0], y[999], argc);
}
";

/// Whether there is a compiler of this name.
fn has(compiler: &str) -> bool {
    let mut command = Command::new(compiler);
    let found = command
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok();
    if !found {
        eprintln!("skipped: there is no {compiler}");
    }
    found
}

/// A folder with the program and the source of the host that it calls.
fn program(test: &str) -> Folder {
    let folder = Folder::new(test);
    folder.write("saxpy.cu", PROGRAM);
    folder.write("include/scale.h", "float scale();\n");
    folder.write("scale.cpp", "#include \"scale.h\"\nfloat scale() { return FACTOR; }\n");
    folder
}

#[test]
fn a_program_of_two_sources_is_linked_and_run() {
    if !has("g++") {
        return;
    }
    let folder = program("host-program");
    folder
        .run("saxpy.cu scale.cpp -arch=sm_80 -Iinclude -DFACTOR=2 -O2 -Xcompiler -Wall,-Wextra -o saxpy")
        .success();
    assert_eq!(folder.run_program(&folder.path("saxpy"), "").success(), "4 4 1\n");
    // What is only linked is not left behind.
    assert_eq!(folder.names(), ["include", "saxpy", "saxpy.cu", "scale.cpp"]);
    let run = folder.run("--face nvcc saxpy.cu scale.cpp -arch=sm_80 -Iinclude -DFACTOR=3 -run -run-args one,two");
    assert_eq!(run.status, 0);
    assert!(folder.names().contains(&"a.out".to_owned()));
}

#[test]
fn objects_archives_and_shared_libraries() {
    if !has("g++") {
        return;
    }
    let folder = program("host-objects");
    folder.run("-c saxpy.cu -arch=sm_80 -Iinclude -MD").success();
    let rule = String::from_utf8(folder.read("saxpy.d")).expect("text");
    assert!(rule.starts_with("saxpy.o : \\\n    saxpy.cu \\\n"), "{rule}");
    assert!(rule.contains("\\\n    include/scale.h"), "{rule}");
    folder
        .run("--face nvcc -lib scale.cpp -Iinclude -DFACTOR=2 -o libscale.a")
        .success();
    folder.run("saxpy.o libscale.a -o static").success();
    assert_eq!(folder.run_program(&folder.path("static"), "").success(), "4 4 1\n");
    folder
        .run("--face nvcc -shared scale.cpp -Iinclude -DFACTOR=5 -Xcompiler -fPIC -o libshared.so")
        .success();
    folder
        .run("saxpy.o -L. -lshared -Xlinker -rpath,$ORIGIN -o shared")
        .success();
    assert_eq!(folder.run_program(&folder.path("shared"), "").success(), "7 7 1\n");
}

#[test]
fn kernels_and_variables_of_all_kinds() {
    for compiler in ["g++", "clang++"] {
        if !has(compiler) {
            continue;
        }
        let folder = Folder::new(&format!("host-kinds-{compiler}"));
        folder.write("kinds.cu", KINDS);
        folder
            .run(&format!("kinds.cu -arch=sm_80 -ccbin {compiler} -o kinds"))
            .success();
        let run = folder.run_program(&folder.path("kinds"), "");
        assert_eq!(
            (run.status, run.out.as_str()),
            (
                0,
                "hidden 42\napplied 100\nspecialised 6\nsum 106\nproducts 16\ndeclared 11 at line 63\nmanaged 16\nsymbol 9, table 12\nthreads 128\n\
                 invalid configuration argument\n"
            ),
            "{}",
            run.errors
        );
    }
}

#[test]
fn the_same_source_gives_the_same_object() {
    if !has("g++") {
        return;
    }
    let folder = program("host-deterministic");
    folder.run("-c saxpy.cu -arch=sm_80 -Iinclude -o a.o").success();
    folder.run("-c saxpy.cu -arch=sm_80 -Iinclude -o b.o").success();
    assert!(folder.read("a.o") == folder.read("b.o"));
}

#[test]
fn what_is_wrong_is_told_at_its_line_and_nothing_is_written() {
    if !has("g++") {
        return;
    }
    let folder = Folder::new("host-wrong");
    folder.write(
        "host.cu",
        "__global__ void k() {\n}\nint main() {\n    k<<<1, 1>>>();\n    return undefined_here;\n}\n",
    );
    let run = folder.run("host.cu -arch=sm_80 -o host");
    assert_eq!(run.status, 1);
    assert!(run.errors.contains("host.cu:5:12"), "{}", run.errors);
    folder.write(
        "lambda.cu",
        "template <class F> __global__ void k(F f) { f(); }\nint main() {\n    k<<<1, 1>>>([] __device__ { });\n}\n",
    );
    let run = folder.run("lambda.cu -arch=sm_80 -o lambda");
    assert_eq!(run.status, 1);
    assert!(
        run.errors
            .contains("a `__device__` lambda in host code is not supported yet"),
        "{}",
        run.errors
    );
    assert_eq!(
        folder.run("gone.cu -c").refusal(),
        "error: gone.cu: cannot read: there is no such file\n"
    );
    assert_eq!(folder.names(), ["host.cu", "lambda.cu"]);
}

#[test]
fn a_compiler_that_is_not_there_is_named() {
    let folder = program("host-no-compiler");
    assert_eq!(
        folder.run("-c scale.cpp -ccbin no-such-compiler").refusal(),
        "error: cannot call the host's compiler `no-such-compiler`: No such file or directory (os error 2)\n  \
         note: Debian and Ubuntu have g++ in the package `g++`, Fedora in `gcc-c++`; -ccbin names another compiler\n"
    );
}

#[test]
fn commands_are_shown_and_not_run() {
    let folder = program("host-dryrun");
    let run = folder.run("--face nvcc saxpy.cu -arch=sm_80 -dryrun -Iinclude -o saxpy");
    assert_eq!((run.status, run.out.as_str()), (0, ""));
    let lines: Vec<&str> = run.errors.lines().collect();
    assert!(lines.iter().any(|line| line.starts_with("#$ TOP=")), "{}", run.errors);
    let commands: Vec<&&str> = lines.iter().filter(|line| line.starts_with("#$ g++ ")).collect();
    assert_eq!(commands.len(), 3, "{}", run.errors);
    assert!(commands[0].starts_with("#$ g++ -E -x c++ "), "{}", commands[0]);
    assert!(commands[2].ends_with("-o saxpy"), "{}", commands[2]);
    assert_eq!(folder.names(), ["include", "saxpy.cu", "scale.cpp"]);
}
