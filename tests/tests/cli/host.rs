//! Programs of the host: both sides of a source compiled, linked with our runtime, and run with no GPU. Each test is skipped, and says so, where there is no g++.

use std::process::{Command, Stdio};

use crate::support::Folder;

/// A program with most kinds of kernels and variables.
const KINDS: &str = include_str!("../../host/kinds.cu");

/// Kernels whose arguments have types without a name.
const LAMBDAS: &str = include_str!("../../host/lambdas.cu");

/// Arrays, textures and surfaces.
const TEXTURES: &str = include_str!("../../host/textures.cu");

/// Graphs and captured streams.
const GRAPHS: &str = include_str!("../../host/graphs.cu");
const GRAPH_STRUCTURE: &str = include_str!("../../host/graph_structure.cu");

/// Barriers and pipelines of libcu++.
const BARRIERS: &str = include_str!("../../host/barriers.cu");

/// Random numbers on the device.
const RANDOM: &str = include_str!("../../host/random.cu");

/// A program that compiles when it runs.
const NVRTC: &str = include_str!("../../host/nvrtc.cpp");

/// Nodes of graphs in the driver API.
const NODES: &str = include_str!("../../host/nodes.cpp");

/// Libraries of kernels and functions of the driver by name.
const LIBRARIES: &str = include_str!("../../host/libraries.cu");

/// A program that loads a kernel from a file.
const MODULES: &str = include_str!("../../host/modules.cpp");

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
pub(crate) fn has(compiler: &str) -> bool {
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

/// Configures, builds and tests a project of CMake whose files are in a folder.
pub(crate) fn with_cmake(folder: &Folder) {
    std::os::unix::fs::symlink(crate::support::binary(), folder.path("nvcc")).expect("a link");
    let configure = format!(
        "-S . -B build -DCMAKE_CUDA_COMPILER={} -DCMAKE_CUDA_ARCHITECTURES=80 -DCMAKE_BUILD_TYPE=Release",
        folder.path("nvcc").display()
    );
    for (program, words) in [
        ("cmake", configure.as_str()),
        ("cmake", "--build build"),
        ("ctest", "--test-dir build --output-on-failure"),
    ] {
        let run = folder.run_program(std::path::Path::new(program), words);
        assert_eq!(run.status, 0, "{}\n{}", run.out, run.errors);
    }
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
fn a_program_whose_runtime_was_never_built_is_told_what_builds_it() {
    if !has("g++") {
        return;
    }
    let folder = Folder::new("host-no-runtime");
    folder.write("saxpy.cu", "int main() { return cudaDeviceSynchronize(); }\n");
    folder.write("bin/.keep", "");
    std::fs::hard_link(crate::support::binary(), folder.path("bin/nvcc")).expect("a link");
    let mut command = Command::new(folder.path("bin/nvcc"));
    let command = command
        .args(["saxpy.cu", "-o", "saxpy"])
        .current_dir(folder.path(""))
        .env("XDG_CACHE_HOME", folder.path("cache"));
    let run = command.output().expect("a run");
    let said = String::from_utf8_lossy(&run.stderr);
    assert_eq!(run.status.code(), Some(1), "{said}");
    assert!(
        said.contains(
            "error: the runtime `libwarpsmith_cudart.a` is neither beside `warpsmith` nor in the `lib` beside its folder\n  \
             note: `cargo build --release -p warpsmith-cudart -p warpsmith-libcuda` builds it into `target/release`\n"
        ),
        "{said}"
    );
    assert!(!folder.names().contains(&"saxpy".to_owned()));
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
fn lambdas_and_local_types_are_arguments_of_kernels() {
    for (compiler, options) in [("g++", "-O0"), ("g++", "-O3")] {
        if !has(compiler) {
            continue;
        }
        let folder = Folder::new(&format!("host-lambdas-{compiler}{options}"));
        folder.write("lambdas.cu", LAMBDAS);
        folder
            .run(&format!(
                "lambdas.cu -arch=sm_80 -extended-lambda -ccbin {compiler} {options} -o lambdas"
            ))
            .success();
        assert_eq!(
            folder.run_program(&folder.path("lambdas"), "").success(),
            "21 29 31 39 no error\n"
        );
    }
}

/// A program that calls the driver itself, with our `cuda.h` and an archive in the driver's place: it starts with a GPU and without one.
const DRIVER: &str = "#include <cuda.h>
#include <cuda_runtime.h>
#include <cstdio>
__global__ void add(int *x, int by) { x[threadIdx.x] += by; }
int main() {
    CUdevice device;
    CUcontext context;
    CUdeviceptr memory;
    int x[32];
    const char *name;
    CUresult first = cuInit(0);
    if (first != CUDA_SUCCESS) return first;
    cuDeviceGet(&device, 0);
    cuCtxCreate(&context, nullptr, 0, device);
    cuMemAlloc(&memory, sizeof x);
    cuMemsetD32(memory, 5, 32);
    add<<<1, 32>>>((int *)memory, 7);
    cuGetErrorName(cuMemcpyDtoH(x, memory, sizeof x), &name);
    std::printf(\"%d %s %d\\n\", x[31], name, cuMemFree(memory) + cuCtxDestroy(context));
}
";

#[test]
fn the_driver_api_is_there_without_a_driver() {
    if !has("g++") {
        return;
    }
    let folder = Folder::new("host-driver");
    folder.write("k.cu", DRIVER);
    folder
        .run("--face nvcc k.cu -arch=sm_90 -Xlinker -z,now -lcuda -o k")
        .success();
    assert_eq!(
        folder.run_program(&folder.path("k"), "").success(),
        "12 CUDA_SUCCESS 0\n"
    );
    // CUDA_ERROR_STUB_LIBRARY: there is no driver, and no stand-in where it is looked for.
    let run = Command::new(folder.path("k"))
        .env("WARPSMITH_DRIVER", "/nowhere/libcuda.so.1")
        .env("WARPSMITH_GPU", "sm_90")
        .status();
    let code = run.expect("it runs").code();
    assert!(
        code == Some(34) || std::path::Path::new("/dev/nvidiactl").exists(),
        "{code:?}"
    );
}

/// Kernels whose parameters are more than 16 KB, on targets whose parameters begin at different places: those behind 32 KB of the bank are read, too.
#[test]
fn parameters_of_many_bytes_arrive_whole() {
    if !has("g++") {
        return;
    }
    let folder = Folder::new("host-parameters");
    folder.write(
        "k.cu",
        "#include <cstdio>
struct Many { int value[8000]; };
__global__ void sum(__grid_constant__ const Many many, int *result) {
    int total = 0;
    for (int i = threadIdx.x; i < 8000; i += 32) total += many.value[i];
    atomicAdd(result, total);
}
int main() {
    static Many many;
    int expected = 0, *result;
    for (int i = 0; i < 8000; ++i) expected += many.value[i] = i * 7 % 1000;
    cudaMallocManaged(&result, 4);
    sum<<<1, 32>>>(many, result);
    std::printf(\"%d %d\\n\", cudaDeviceSynchronize(), *result - expected);
}
",
    );
    for target in ["sm_90", "sm_120"] {
        folder.run(&format!("--face nvcc k.cu -arch={target} -o k")).success();
        let run = Command::new(folder.path("k")).env("WARPSMITH_GPU", target).output();
        assert_eq!(
            String::from_utf8_lossy(&run.expect("it runs").stdout),
            "0 0\n",
            "{target}"
        );
    }
}

/// What a program prints, for a target.
fn printed(test: &str, source: &str, target: &str) -> String {
    printed_with(test, source, target, "-std=c++17")
}

/// The same, built with these options.
fn printed_with(test: &str, source: &str, target: &str, options: &str) -> String {
    let folder = Folder::new(test);
    folder.write("k.cu", source);
    folder
        .run(&format!("--face nvcc {options} k.cu -arch={target} -o k"))
        .success();
    let run = Command::new(folder.path("k")).env("WARPSMITH_GPU", target).output();
    let run = run.expect("it runs");
    let (out, said) = (
        String::from_utf8_lossy(&run.stdout),
        String::from_utf8_lossy(&run.stderr),
    );
    assert!(run.status.success(), "{target}\n{out}\n{said}");
    out.into_owned()
}

#[test]
fn arrays_textures_and_surfaces_hold_what_they_are_given() {
    if !has("g++") {
        return;
    }
    let expected = "array 4 3 0 of 32 2
plane 0 3 4 11
blend 2.5
address 0: 0 1 2 3 0 1 2 3 0 1 2 3
address 1: 0 0 0 0 0 1 2 3 3 3 3 3
address 2: 3 2 1 0 0 1 2 3 3 2 1 0
address 3: 0 0 0 0 0 1 2 3 0 0 0 0
part 4 100 101 7
run 2 3 4 100 101 7
outside cudaErrorInvalidValue
bytes 204 255, fractions 0.2 0.6 1
three channels cudaErrorInvalidChannelDescriptor
linear 3 5 9, behind 0
pitched 2.5
volume 3 -3 7 -7
layers 1 6 11
cube 0 1 2 3 4 5
surface -3 -4 3 4
levels 10 11 12 12
one level 11 11
";
    for target in ["sm_75", "sm_90"] {
        assert_eq!(printed("host-textures", TEXTURES, target), expected, "{target}");
    }
}

#[test]
fn the_shared_runtime_does_what_the_archive_does() {
    if !has("g++") {
        return;
    }
    for (name, source) in [("textures", TEXTURES), ("graphs", GRAPHS)] {
        let shared = printed_with(
            &format!("host-shared-{name}"),
            source,
            "sm_80",
            "-std=c++17 -cudart shared",
        );
        assert_eq!(
            shared,
            printed(&format!("host-static-{name}"), source, "sm_80"),
            "{name}"
        );
    }
}

#[test]
fn every_edition_of_cpp_is_a_hosts() {
    if !has("g++") {
        return;
    }
    let source = "#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cstdio>
#if __cplusplus >= 202002L
#include <compare>
#endif
__global__ void k(__half *x) { *x = __float2half(2.5f); }
int main() {
    __half *x, y;
    cudaMalloc(&x, 2);
    k<<<1, 1>>>(x);
    cudaMemcpy(&y, x, 2, cudaMemcpyDeviceToHost);
    printf(\"%g %g\\n\", __half2float(y), __bfloat162float(__float2bfloat16(0.5f)));
}
";
    for edition in ["c++14", "c++17", "c++20"] {
        let printed = printed_with("host-edition", source, "sm_80", &format!("-std={edition}"));
        assert_eq!(printed, "2.5 0.5\n", "{edition}");
    }
}

#[test]
fn graphs_are_made_captured_changed_and_launched() {
    if !has("g++") {
        return;
    }
    assert_eq!(
        printed("host-graphs", GRAPHS, "sm_80"),
        "4 nodes, 1 root, type 0
launched 100 400, called 14
changed -100
copied -1000
destroyed cudaErrorInvalidResourceHandle
capturing 1
nothing was done: 0
5 nodes: 5050505
updated 0: 6060606
unjoined cudaErrorStreamCaptureUnjoined
waited for cudaErrorStreamCaptureUnsupported, then cudaErrorStreamCaptureInvalidated
default stream cudaErrorStreamCaptureUnsupported
memory 2020202 1010101
"
    );
}

#[test]
fn barriers_and_pipelines_keep_threads_in_step() {
    if !has("g++") {
        return;
    }
    let expected = "exchange 1893 3
leave 140
together 127 0
arriving 126 2
staged 889 672
shared stages 0 889 672
";
    for target in ["sm_75", "sm_80", "sm_90"] {
        assert_eq!(printed("host-barriers", BARRIERS, target), expected, "{target}");
    }
}

#[test]
fn random_numbers_are_those_of_the_vendors_header() {
    if !has("g++") {
        return;
    }
    // Printed by this program when NVIDIA's nvcc 13.0.88 had compiled it with the header of its toolkit.
    let expected = "48 64
843366ae same 01eaac9b 0.643244684 0.8890390715657932 0.85902 -1.99247 0.84747 -0.73607 -1.10062 -1.14759 0.65480 -0.83797 1.21086 1.52601 1.6421 1.2464
cbca470e same 5c5cf6f4 0.249035731 0.19713171338662505 1.02962 -2.60494 0.73795 0.10310 1.56206 0.07913 1.35249 0.53471 -0.47232 -0.72306 4.0855 2.2183
76e26ac4 same 83b22bc2 0.311407387 0.25646868993940414 0.10069 -0.89363 0.95282 0.33678 -0.22458 1.39324 -1.79866 0.44152 -0.19344 -0.94330 2.9332 0.8781
0f1539db same 2be9cef6 0.413696796 0.79498305241577327 2.40237 -0.38426 1.10262 -0.38858 -0.03208 -0.30539 1.38814 -1.21846 -0.76776 1.00156 1.8078 0.0554
09c4183d same 2ab857f1 0.217051059 0.57293822238901582 1.33320 0.14980 -0.69293 -0.73150 -0.41077 -3.26977 -0.18655 -0.85122 -0.62203 0.83456 3.7968 1.1142
06376792 same 4a51c69c 0.273040026 0.36251998087391257 -1.29029 -0.73422 -0.18105 -0.80437 2.41307 -1.04526 0.54231 0.65896 0.68320 0.08366 6.4943 1.7249
6135d384 same 1532e965 0.923732877 0.015968178818736856 0.03088 -0.34528 -0.15144 1.35794 0.25840 -0.27711 -1.65354 -1.61179 0.69010 0.17405 1.9746 9.7715
6f143751 same ae60a705 0.922058046 0.87925878586247563 -0.40259 0.67715 -0.66522 -0.46879 -0.54419 0.69823 0.96623 -0.92534 -0.92467 0.53504 6.2752 0.0778
e55410cc 6c7eca35 557398d3 e5dde940 600f6196
8fcdf8f1 2c8ed839 24ecfc6e f000aacd 571a4cf0
d301a3d5 945bcada 7e42d578 8747d589 fcd7d3ce
0.831530809 0.826310337 -1.21972 -1.18311 0.44664261876718009 0.02189735684295474 1.05243 0.95308
0.058048344186141076 0.56031517093326255 1.44702 1.70570
";
    for target in ["sm_75", "sm_90", "sm_120"] {
        assert_eq!(printed("host-random", RANDOM, target), expected, "{target}");
    }
}

#[test]
fn a_program_compiles_a_kernel_when_it_runs() {
    if !has("g++") {
        return;
    }
    let folder = Folder::new("host-nvrtc");
    folder.write("k.cpp", NVRTC);
    folder.run("--face nvcc k.cpp -lnvrtc -lcuda -o k").success();
    let run = |library: &str| {
        let mut command = Command::new(folder.path("k"));
        command.env("WARPSMITH_GPU", "sm_90");
        if !library.is_empty() {
            command.env("WARPSMITH_NVRTC", library);
        }
        let output = command.output().expect("it runs");
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    // The library is a package of its own, which may not have been built.
    let out = run("");
    assert!(
        out == "NVRTC_SUCCESS _Z5twiceIfEvPT_ 0 9\n" || out == "NVRTC_ERROR_INTERNAL_ERROR\n",
        "{out}"
    );
}

#[test]
fn kernels_of_a_file_are_loaded_and_take_what_the_driver_makes() {
    if !has("g++") {
        return;
    }
    let folder = Folder::new("host-modules");
    folder.write("main.cpp", MODULES);
    folder.write(
        "kernel.cu",
        "#include <cuda.h>
extern \"C\" __global__ void texels(CUtexObject from, CUdeviceptr to) {
    ((float *)to)[threadIdx.x] = tex2D<float>(from, threadIdx.x, 0);
}
",
    );
    folder
        .run("--face nvcc -fatbin -arch=sm_80 kernel.cu -o kernel.fatbin")
        .success();
    folder.run("--face nvcc main.cpp -lcuda -o main").success();
    assert_eq!(
        folder.run_program(&folder.path("main"), "").success(),
        "before 0 0\n1 2 3 4 5 5 0 0 0 0 0 0 5 5 0 0 \n"
    );
}

#[test]
fn half_precision_has_its_functions_on_both_sides() {
    if !has("g++") {
        return;
    }
    let source = "#include <cstdio>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
__global__ void roots(__half *h) { *h = hsqrt(*h); }
int main() {
    __half *h;
    cudaMallocManaged(&h, 2);
    *h = __float2half(9.0f);
    roots<<<1, 1>>>(h);
    cudaDeviceSynchronize();
    std::printf(\"%g %g %g %g\\n\", __half2float(*h), __half2float(hsqrt(__float2half(16.0f))), __half2float(hrsqrt(__float2half(4.0f))),
                __half2float(hexp10(__float2half(2.0f))));
}
";
    assert_eq!(printed("host-half", source, "sm_80"), "3 4 0.5 100\n");
}

/// Kernels that launch kernels.
const LAUNCHES: &str = include_str!("../../host/launches.cu");
/// Memory and events of several processes.
const PROCESSES: &str = include_str!("../../host/processes.cu");
/// Virtual memory.
const RANGES: &str = include_str!("../../host/ranges.cu");
/// Graphs with conditional nodes.
const CONDITIONS: &str = include_str!("../../host/conditions.cu");

#[test]
fn kernels_launch_kernels() {
    if !has("g++") {
        return;
    }
    for target in ["sm_75", "sm_90"] {
        let said = "top 0
tail 26 26 1010101
cudaSuccess
26 26 1010101 52
3968 3968 3968 0
cudaErrorLaunchFailure
";
        assert_eq!(printed("host-launches", LAUNCHES, target), said, "{target}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn processes_share_memory_and_events() {
    if !has("g++") {
        return;
    }
    assert_eq!(
        printed("host-processes", PROCESSES, "sm_80"),
        "cudaSuccess cudaSuccess cudaErrorInvalidValue
own 1
child cudaSuccess 1 cudaSuccess cudaSuccess 101 cudaErrorInvalidValue cudaSuccess cudaSuccess cudaErrorInvalidValue
1101 1101, freed cudaSuccess
"
    );
}

#[test]
fn memory_is_mapped_where_a_program_wants_it() {
    if !has("g++") {
        return;
    }
    assert_eq!(
        printed_with("host-ranges", RANGES, "sm_80", "-std=c++17 -lcuda"),
        "1 2, outside CUDA_ERROR_INVALID_VALUE
(CUDA_ERROR_INVALID_VALUE) taken CUDA_ERROR_INVALID_VALUE, not open -1
CUDA_SUCCESS
cudaSuccess 1
both 3 1
CUDA_SUCCESS, there 3
still mapped CUDA_ERROR_INVALID_VALUE
CUDA_SUCCESS
CUDA_SUCCESS
gone CUDA_ERROR_INVALID_VALUE
graphs 1024
"
    );
}

#[test]
fn graphs_are_asked_for_their_edges_nodes_and_objects() {
    if !has("g++") {
        return;
    }
    let expected =
        "3 edges, of type 0\n2 after the first\n2 edges\nfill of 100\nresult 0, flags 1\n101\n111\ndestroyed 7\n";
    assert_eq!(printed("host-graph-structure", GRAPH_STRUCTURE, "sm_80"), expected);
}

#[test]
fn nodes_are_asked_for_what_they_do() {
    if !has("g++") {
        return;
    }
    let folder = Folder::new("host-nodes");
    folder.write("main.cpp", NODES);
    folder.write(
        "kernel.cu",
        "extern \"C\" __global__ void add(int *word, int value) { *word += value; }\n",
    );
    folder
        .run("--face nvcc -fatbin -arch=sm_80 kernel.cu -o kernel.fatbin")
        .success();
    folder.run("--face nvcc main.cpp -lcuda -o main").success();
    assert_eq!(
        folder.run_program(&folder.path("main"), "").success(),
        "kernel of a library: 1, its value 5\na copy: 1, of 1 node\nafter the launch 5\nwritten 7\n\
         preferred -1, read mostly 1\ntwo functions: 1, prefetched to -1\nbefore CUDA 8: 500, result 2\n"
    );
}

#[test]
fn kernels_of_libraries_are_launched_and_functions_found_by_name() {
    if !has("g++") {
        return;
    }
    let folder = Folder::new("host-libraries");
    folder.write("main.cu", LIBRARIES);
    folder.write(
        "kernel.cu",
        "extern \"C\" __global__ void add(int *word, int value) { *word += value; }\n",
    );
    folder
        .run("--face nvcc -fatbin -arch=sm_80 kernel.cu -o kernel.fatbin")
        .success();
    folder.run("--face nvcc -arch=sm_80 main.cu -o main").success();
    assert_eq!(
        folder.run_program(&folder.path("main"), "").success(),
        "tensor maps: 1, status 0\nmissing: 1, status 1\n1 kernel, 21\nthe stub: 1, its argument: 1\n\
         a copy of 4 bytes, kind 2, to the host's 1\n2 nodes, 42\n"
    );
}

#[test]
fn kernels_decide_which_part_of_a_graph_comes_next() {
    if !has("g++") {
        return;
    }
    assert_eq!(
        printed("host-conditions", CONDITIONS, "sm_80"),
        "1: 7
cudaSuccess
2: 0
cudaSuccess
copied cudaErrorInvalidValue
3: 3
3: 2
3: 1
cudaSuccess
3: 1
cudaSuccess
4: 20
cudaSuccess
loop of two 0
"
    );
}

/// Half precision of both sides.
const HALVES: &str = include_str!("../../host/halves.cu");
/// bfloat16 of both sides.
const BFLOATS: &str = include_str!("../../host/bfloats.cu");

#[test]
fn half_precision_of_the_host_is_that_of_the_device() {
    if !has("g++") {
        return;
    }
    for target in ["sm_75", "sm_90"] {
        assert_eq!(printed("host-halves", HALVES, target), "0 0\n", "{target}");
    }
}

#[test]
fn bfloat16_of_the_host_is_that_of_the_device() {
    if !has("g++") {
        return;
    }
    for target in ["sm_75", "sm_90"] {
        assert_eq!(printed("host-bfloats", BFLOATS, target), "0 0\n", "{target}");
    }
}

/// Kernels of one name whose parameters have types that depend on their arguments, with and without `__restrict__`.
#[test]
fn kernels_that_are_overloaded_are_told_apart_by_dependent_types() {
    if !has("g++") {
        return;
    }
    let source = "#include <cstdio>
template <class T> struct Four { typedef T type; };
template <> struct Four<float> { typedef float4 type; };
template <class T> __global__ void sum(typename Four<T>::type *__restrict__ to, const typename Four<T>::type *__restrict__ from, const T by) {
    to[threadIdx.x] = from[threadIdx.x];
    ((T *)(to + threadIdx.x))[0] += by;
}
template <class T> __global__ void sum(T *to, int n) { to[n] = n; }
int main() {
    float4 *f;
    int *i;
    cudaMallocManaged(&f, 64);
    cudaMallocManaged(&i, 64);
    f[2] = float4{1, 2, 3, 4};
    i[2] = 5;
    sum<float><<<1, 1>>>(f, f + 2, 0.5f);
    sum<int><<<1, 1>>>(i, i + 2, 7);
    sum<int><<<1, 1>>>(i, 3);
    int error = cudaDeviceSynchronize();
    std::printf(\"%d %g %g %d %d\\n\", error, f[0].x, f[0].w, i[0], i[3]);
}
";
    assert_eq!(printed("host-overloads", source, "sm_80"), "0 1.5 4 12 3\n");
}

#[test]
fn what_goes_well_is_done_without_a_word() {
    if !has("g++") {
        return;
    }
    let folder = Folder::new("host-quiet");
    let source = "#include <cstdio>
int main() {
    int device = -1, error = cudaGetDevice(&device);
    std::printf(\"%d %d\\n\", error, device);
}
";
    folder.write("k.cu", source);
    folder.run("--face nvcc k.cu -arch=sm_80 -o k").success();
    let run = folder.run_program(&folder.path("k"), "");
    assert_eq!((run.out.as_str(), run.errors.as_str()), ("0 0\n", ""));
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
    assert_eq!(
        folder.run("gone.cu -c").refusal(),
        "error: gone.cu: cannot read: there is no such file\n"
    );
    assert_eq!(folder.names(), ["host.cu"]);
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

/// A project as CMake's users write it: CUDA among the languages, an archive, a shared library, and sources of the host that include the runtime's header.
const PROJECT: &str = "cmake_minimum_required(VERSION 3.20)
project(saxpy LANGUAGES CXX CUDA)
find_package(CUDAToolkit REQUIRED)
add_library(five STATIC five.cu)
add_library(shared_five SHARED five.cu)
set_target_properties(shared_five PROPERTIES POSITION_INDEPENDENT_CODE ON)
foreach(library five shared_five)
    add_executable(with_${library} main.cpp other.cu)
    target_link_libraries(with_${library} PRIVATE ${library} CUDA::cudart_static)
    add_test(NAME ${library} COMMAND with_${library})
    set_tests_properties(${library} PROPERTIES PASS_REGULAR_EXPRESSION \"five 5 six 6\")
endforeach()
enable_testing()
";

#[test]
fn cmake_configures_builds_and_tests_a_project() {
    if !has("g++") || !has("cmake") || !has("ctest") || !has("make") {
        return;
    }
    let folder = Folder::new("host-cmake");
    let kernel = |name: &str, number: u32| {
        format!(
            "__global__ void {name}_kernel(int *p) {{ *p = {number}; }}\nint {name}() {{\n    int *p, number = 0;\n    cudaMalloc(&p, 4);\n    \
             {name}_kernel<<<1, 1>>>(p);\n    cudaMemcpy(&number, p, 4, cudaMemcpyDeviceToHost);\n    return number;\n}}\n"
        )
    };
    folder.write("five.cu", kernel("five", 5));
    folder.write("other.cu", kernel("six", 6));
    folder.write(
        "main.cpp",
        "#include <cuda_runtime.h>\n#include <cstdio>\nint five();\nint six();\nint main() {\n    std::printf(\"five %d six %d\\n\", five(), six());\n    \
         return cudaDeviceSynchronize() != cudaSuccess;\n}\n",
    );
    // A test is known where testing is enabled before it.
    folder.write(
        "CMakeLists.txt",
        PROJECT
            .replace("enable_testing()\n", "")
            .replacen("find_package", "enable_testing()\nfind_package", 1),
    );
    with_cmake(&folder);
}

#[test]
fn bytes_that_would_not_come_through_are_refused() {
    if !has("g++") {
        return;
    }
    let folder = Folder::new("host-bytes");
    folder.write(
        "k.cu",
        b"__global__ void k() {}\nint main() { k<<<1, 1>>>(); return \"\xe9\"[0]; }\n",
    );
    assert_eq!(
        folder.run("k.cu -o k").refusal(),
        "\
error: a byte in what `k.cu` becomes is not of UTF-8: host code is split as UTF-8
  note: it is byte 37 of the preprocessed line; an escape such as \\xe9 stands for it
"
    );
    assert_eq!(folder.names(), ["k.cu"]);
}
