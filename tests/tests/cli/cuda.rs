//! CUDA C++ on the command line: kernels compiled, mistakes explained.

use crate::support::Folder;

/// A kernel with a device function, a structure and a launch-dependent index.
const KERNEL: &str = "\
struct Scale { float factor, offset; };
__device__ float scaled(float x, const Scale &s) { return x * s.factor + s.offset; }
extern \"C\" __global__ void scale(float *data, int count, Scale s) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) data[i] = scaled(data[i], s);
}
";

#[test]
fn a_kernel_becomes_ptx_and_machine_code() {
    let folder = Folder::new("cuda-kernel");
    folder.write("k.cu", KERNEL);
    folder.run("k.cu -arch=sm_80 -ptx").success();
    let ptx = String::from_utf8(folder.read("k.ptx")).unwrap();
    assert!(ptx.contains(".visible .entry scale("), "{ptx}");
    folder.run("k.cu -arch=sm_80,sm_90").success();
    assert_eq!(folder.names(), ["k.cu", "k.ptx", "k.sm_80.cubin", "k.sm_90.cubin"]);
}

#[test]
fn a_kernel_is_compiled_and_run_at_once() {
    let folder = Folder::new("cuda-run");
    folder.write("k.cu", KERNEL);
    let launch = "--block 4 --arg data=iota:f32:4 --arg 4 --arg bytes:list:f32:2,1 --print data";
    let expected = "data: f32[4] 1.0 3.0 5.0 7.0\n";
    assert_eq!(folder.run(&format!("run k.cu {launch}")).success(), expected);
    let checked = folder.run(&format!("run k.cu --arch sm_90 --check hazards {launch}"));
    assert_eq!(checked.success(), expected);
}

#[test]
fn all_mistakes_are_explained_and_nothing_is_written() {
    let folder = Folder::new("cuda-mistakes");
    let text = KERNEL
        .replace("x * s.factor", "x * s.facter")
        .replace("data[i], s)", "dat[i], s)");
    folder.write("k.cu", text);
    assert_eq!(
        folder.run("k.cu -arch=sm_90").refusal(),
        "\
error: `Scale` has no member `facter`
 --> k.cu:2:65
  |
2 | __device__ float scaled(float x, const Scale &s) { return x * s.facter + s.offset; }
  |                                                                 ^^^^^^
  |
  = note: did you mean `factor`?
error: `dat` is not declared
 --> k.cu:5:37
  |
5 |     if (i < count) data[i] = scaled(dat[i], s);
  |                                     ^^^
  |
  = note: did you mean `data`?
error: k.cu: not compiled
"
    );
    assert_eq!(folder.names(), ["k.cu"]);
}

#[test]
fn a_file_without_a_language_is_refused() {
    let folder = Folder::new("cuda-language");
    folder.write("k.txt", KERNEL);
    assert_eq!(
        folder.run("--face nvcc k.txt -ptx").refusal(),
        "error: k.txt: the end of its name says no language: .cu, .ii, .ll or .bc is wanted\n"
    );
}

#[test]
fn what_is_not_done_is_refused_by_name() {
    let folder = Folder::new("cuda-host");
    folder.write("k.cu", KERNEL);
    for (options, reason) in [
        (
            "-ewp",
            "-ewp is not supported yet: a program is whole, or its units are linked (-rdc=true)",
        ),
        (
            "-ltoir",
            "-ltoir is not supported yet: code in that form is not made; -cubin, -ptx, -fatbin and -S are there",
        ),
        ("-e scale", "-e is not supported yet: all kernels are compiled"),
        (
            "-keep-device-functions",
            "-keep-device-functions is not supported yet: functions that nothing calls are left out",
        ),
        (
            "-G -dopt on",
            "-dopt=on with -G is not supported yet: code for a debugger is not optimised",
        ),
        (
            "-linefo",
            "Unknown option 'linefo'\n  note: a near option is '-lineinfo'",
        ),
        (
            "-Ofc max",
            "-Ofc max is not supported yet: -O0 to -O3 say how much is optimised",
        ),
    ] {
        assert_eq!(
            folder.run(&format!("k.cu -arch=sm_90 {options}")).refusal(),
            format!("error: {reason}\n")
        );
    }
    assert_eq!(folder.names(), ["k.cu"]);
}

#[test]
fn options_of_build_systems_for_host_code_change_nothing() {
    let folder = Folder::new("cuda-build-systems");
    folder.write("k.cu", KERNEL);
    folder.run("k.cu -arch=sm_80 -ptx -o plain.ptx").success();
    let options = "-Xcompiler -fPIC,-Wall -Xlinker -rpath -ccbin g++ -Lfolder -lcudart -cudart shared -g -m64 -t 4 -t4 --threads=4 -rdc=false \
                   -forward-unknown-to-host-compiler -Wno-deprecated-gpu-targets -allow-unsupported-compiler -restrict -default-stream legacy";
    folder
        .run(&format!("k.cu -arch=sm_80 -ptx {options} -o host.ptx"))
        .success();
    assert_eq!(folder.read("host.ptx"), folder.read("plain.ptx"));
}

#[test]
fn options_of_nvcc_for_device_code_have_their_effect() {
    let folder = Folder::new("cuda-device-options");
    folder.write("sources/k.txt", KERNEL);
    // The language is named; the output is made in the current folder, or in the one that is named.
    folder.run("--face nvcc -x cu sources/k.txt -arch=sm_80 -ptx").success();
    folder
        .run("--face nvcc -x cu sources/k.txt -arch=sm_80 -cubin -odir sources -keep -keep-dir .")
        .success();
    assert_eq!(folder.read("sources/k.cubin").get(..4), Some(&b"\x7fELF"[..]));
    assert_eq!(folder.names(), ["k.ptx", "sources"]);
    folder.write("options", "-x cu -arch=sm_80 -ptx");
    folder.write(
        "k.cu",
        "#ifdef CUDA_API_PER_THREAD_DEFAULT_STREAM\n#error per thread\n#endif\n",
    );
    folder.run("--face nvcc -optf options k.cu").success();
    let said = folder
        .run("--face nvcc -optf options k.cu -default-stream per-thread")
        .refusal();
    assert!(said.starts_with("error: #error: per thread\n --> k.cu:2:2\n"), "{said}");
    let targets = folder.run("--face nvcc --list-gpu-arch").success();
    assert!(targets.starts_with("compute_75\ncompute_80\n"), "{targets}");
}

#[test]
fn options_of_ptxas_are_passed_on() {
    let folder = Folder::new("cuda-ptxas-options");
    folder.write("k.cu", KERNEL);
    let run = folder.run("k.cu -arch=sm_80 -Xptxas -v,-warn-spills --ptxas-options=-O1");
    assert_eq!(run.status, 0);
    let first: Vec<&str> = run.errors.lines().take(2).collect();
    assert_eq!(
        first,
        [
            "ptxas info    : 0 bytes gmem",
            "ptxas info    : Compiling entry function 'scale' for 'sm_80'"
        ]
    );
    folder.run("k.cu -arch=sm_80 -Xptxas -O1 -S -o passed.sass").success();
    assert!(String::from_utf8(folder.read("passed.sass")).unwrap().contains("EXIT"));
    let refused = folder
        .run("k.cu -arch=sm_80 -Xptxas -no-such-option -o none.cubin")
        .refusal();
    assert!(
        refused.contains("ptxas fatal   : Unknown option 'no-such-option'"),
        "{refused}"
    );
    assert!(!folder.names().contains(&"none.cubin".to_string()));
}

#[test]
fn the_headers_of_a_toolkit_are_used_where_it_is_named() {
    let folder = Folder::new("cuda-toolkit");
    // A toolkit as small as can be: what it declares without a body is the library's.
    std::fs::create_dir_all(folder.path("kit/include")).unwrap();
    let header = "\
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
extern \"C\" __device__ float sqrtf(float);
extern \"C\" __device__ int __popc(unsigned);
struct uint3 { unsigned x, y, z; };
";
    folder.write("kit/include/cuda_runtime.h", header);
    folder.write(
        "k.cu",
        "__global__ void k(float *p) { p[0] = sqrtf(p[1]) + __popc(p[2]); }\n",
    );
    folder.run("k.cu -arch=sm_80 -ptx --cuda-path kit").success();
    let ptx = String::from_utf8(folder.read("k.ptx")).unwrap();
    assert!(ptx.contains("sqrt.rn.f32") && !ptx.contains(".extern"), "{ptx}");
    assert_eq!(
        folder.run("k.cu -arch=sm_80 --cuda-path .").refusal(),
        "error: there is no CUDA toolkit in `.`: it has no include/cuda_runtime.h\n"
    );
}

/// A bound of 0 in `__launch_bounds__` is none, as for nvcc.
#[test]
fn launch_bounds_of_zero_are_none() {
    let folder = Folder::new("cuda-launch-bounds");
    for (bounds, directives) in [
        ("128, 0", ".maxntid 128, 1, 1"),
        ("0", ""),
        ("0, 1", ".minnctapersm 1"),
        ("128, 0, 0", ".maxntid 128, 1, 1"),
        ("128, 2, 0", ".maxntid 128, 1, 1 .minnctapersm 2"),
        ("128, 2", ".maxntid 128, 1, 1 .minnctapersm 2"),
    ] {
        folder.write(
            "k.cu",
            format!("__global__ void __launch_bounds__({bounds}) k(int *p) {{ *p = 1; }}\n"),
        );
        let run = folder.run("k.cu -arch=sm_90 -ptx -o k.ptx");
        assert_eq!(run.status, 0, "{bounds}: {}", run.errors);
        let text = String::from_utf8(folder.read("k.ptx")).expect("text");
        let own = [".maxntid", ".minnctapersm", ".maxclusterrank", ".reqntid"];
        let found: Vec<&str> = text
            .lines()
            .filter(|line| own.iter().any(|name| line.starts_with(name)))
            .collect();
        assert_eq!(found.join(" "), directives, "{bounds}");
    }
}

#[cfg(unix)]
#[test]
fn an_array_takes_memory_for_its_values_and_not_for_its_length() {
    let folder = Folder::new("cuda-sparse-arrays");
    for (declaration, expected) in [
        ("int g[1 << 28];", ".align 4 .b8 g[1073741824];"),
        ("int g[1 << 28] = {};", ".align 4 .b8 g[1073741824];"),
        ("int g[1 << 24] = {1};", ".align 4 .b8 g[67108864] = {1};"),
        (
            "int g[1 << 28] = {1, 2, 0, 0};",
            ".align 4 .b8 g[1073741824] = {1, 0, 0, 0, 2};",
        ),
        ("int g[1 << 14][1 << 12] = {{3}};", ".align 4 .b8 g[268435456] = {3};"),
        ("char g[1 << 26] = \"abc\";", ".align 1 .b8 g[67108864] = {97, 98, 99};"),
        (
            "float x; __device__ float *g[1 << 24] = {&x};",
            ".align 8 .u64 g[16777216] = {generic(x)};",
        ),
        (
            "struct { union { int i; float f; }; int a; } g[1 << 24] = {{{3}, 4}};",
            ".align 4 .b8 g[134217728] = {3, 0, 0, 0, 4};",
        ),
        (
            "struct { int a; float b[1 << 24]; } g = {1, {2.f}};",
            ".align 4 .b8 g[67108868] = {1, 0, 0, 0, 0, 0, 0, 64};",
        ),
    ] {
        let text = format!(
            "__device__ {declaration}\n__global__ void k(char *a, long n) {{ a[0] = ((volatile char *)&g)[n]; }}\n"
        );
        folder.write("k.cu", text);
        folder.run_within(1_700_000, "k.cu -arch=sm_90 -ptx").success();
        let ptx = String::from_utf8(folder.read("k.ptx")).unwrap();
        assert!(ptx.contains(expected), "{ptx}");
    }
}

#[cfg(unix)]
#[test]
fn an_initial_value_that_is_too_long_is_named_with_its_place() {
    let folder = Folder::new("cuda-long-values");
    folder.write(
        "k.cu",
        "struct T { int a; float b[1 << 28]; int z; };\n\
         __device__ T t = {1, {}, 5};\n\
         __global__ void k(float *a, int n) { a[0] = t.b[n]; }\n",
    );
    assert_eq!(
        folder.run_within(1_700_000, "k.cu -arch=sm_90 -ptx").refusal(),
        "\
error: an initial value with a gibibyte or more before its last byte that is not zero, that of `t`, is not supported
 --> k.cu:2:14
  |
2 | __device__ T t = {1, {}, 5};
  |              ^
error: k.cu: not compiled
"
    );
    assert_eq!(folder.names(), ["k.cu"]);
}

#[test]
fn a_build_is_told_what_an_output_was_made_of() {
    let folder = Folder::new("cuda-dependencies");
    folder.write("factor.h", "#define FACTOR 3\n");
    folder.write(
        "k.cu",
        "#include \"factor.h\"\n__global__ void k(int *x) { *x *= FACTOR; }\n",
    );
    let rule = |output: &str| format!("{output} : \\\n    k.cu \\\n    factor.h\n");
    let written = |name: &str| String::from_utf8(folder.read(name)).unwrap();
    folder.run("k.cu -arch=sm_80 -cubin -MD").success();
    assert_eq!(written("k.d"), rule("k.cubin"));
    folder.run("k.cu -arch=sm_80 -ptx -MD -MF named.d -o out.ptx").success();
    assert_eq!(written("named.d"), rule("out.ptx"));
    folder.write("system/factor.h", "#define FACTOR 4\n");
    folder.run("k.cu -arch=sm_80 -ptx -MMD -MP -MT target").success();
    assert_eq!(written("k.d"), rule("target") + "\nfactor.h :\n");
    folder.write(
        "s.cu",
        "#include <factor.h>\n__global__ void k(int *x) { *x *= FACTOR; }\n",
    );
    folder.run("s.cu -arch=sm_80 -ptx -MMD -isystem system").success();
    assert_eq!(written("s.d"), "s.ptx : \\\n    s.cu\n");
    folder
        .run("k.cu -fatbin -gencode arch=compute_80,code=[sm_80,sm_90] -MD")
        .success();
    assert_eq!(written("k.d"), rule("k.fatbin"));
    for (options, reason) in [
        (
            "-MF k.d",
            "-MF says something of what -M and -MD write, and neither is given",
        ),
        (
            "-MT k",
            "-MT says something of what -M and -MD write, and neither is given",
        ),
        ("-E -MD", "-MD says what an output was made of, and none is made"),
        (
            "-arch=sm_80,sm_90 -MD -MF k.d",
            "one file is named for -MD, and several are to be made: leave -MF away",
        ),
    ] {
        assert_eq!(
            folder.run(&format!("k.cu {options}")).refusal(),
            format!("error: {reason}\n")
        );
    }
}
