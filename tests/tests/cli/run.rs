//! `warpsmith run`.

use crate::support::Folder;

/// Two kernels: one multiplies an array by a factor, the other does nothing.
const MODULE: &str = "\
.version 9.0
.target sm_75
.address_size 64

.visible .entry scale(.param .u64 data, .param .f32 factor)
{
\t.reg .b32 \t%r<2>;
\t.reg .f32 \t%f<4>;
\t.reg .b64 \t%rd<4>;

\tld.param.u64 \t%rd1, [data];
\tld.param.f32 \t%f1, [factor];
\tmov.u32 \t%r1, %tid.x;
\tmul.wide.u32 \t%rd2, %r1, 4;
\tadd.s64 \t%rd3, %rd1, %rd2;
\tld.global.f32 \t%f2, [%rd3];
\tmul.f32 \t%f3, %f1, %f2;
\tst.global.f32 \t[%rd3], %f3;
\tret;
}

.visible .entry nothing()
{
\tret;
}
";

fn folder(name: &str) -> Folder {
    let folder = Folder::new(name);
    folder.write("k.ptx", MODULE);
    folder
}

#[test]
fn buffers_are_printed_where_nothing_else_is_asked_for() {
    let run = folder("run-print").run("run k.ptx --kernel scale --block 3 --arg x=iota:f32:4:1 --arg 1.5");
    assert_eq!(run.success(), "x: f32[4] 1.5 3.0 4.5 4.0\n");
}

#[test]
fn results_are_saved() {
    let folder = folder("run-save");
    let run =
        folder.run("run k.ptx --kernel scale --block 2 --arg x=list:f32:1,2 --arg -1 --save x=x.npy --save x=x.bin");
    assert_eq!(run.success(), "");
    assert_eq!(folder.read("x.bin"), [0, 0, 0x80, 0xbf, 0, 0, 0, 0xc0]);
    assert!(folder.read("x.npy").starts_with(b"\x93NUMPY\x01\0"));
    let again = folder.run("run k.ptx --kernel scale --block 2 --arg x=npy:x.npy --arg 2");
    assert_eq!(again.success(), "x: f32[2] -2.0 -4.0\n");
}

#[test]
fn results_are_compared() {
    let folder = folder("run-expect");
    let command = "run k.ptx --kernel scale --block 2 --arg x=list:f32:1,2 --arg 3 --expect x=list:f32:";
    assert_eq!(folder.run(&format!("{command}3,6")).success(), "");
    assert_eq!(
        folder.run(&format!("{command}3,7")).refusal(),
        "\
error: k.ptx: x: 1 of 2 elements differ
error: k.ptx: x: element 1 is 6.0, expected 7.0 (bits 0x40c00000, expected 0x40e00000)
"
    );
}

#[test]
fn a_launch_file() {
    let folder = folder("run-launch-file");
    let launch = "\
module = 'k.ptx'
kernel = 'scale'
block = 2
[buffers]
x = 'list:f32:1,2'
[[launch]]
arguments = ['x', 3]
[[launch]]
arguments = ['x+4', 10]
block = 1
[expect]
x = [3, 60]
";
    folder.write("l.toml", launch);
    assert_eq!(folder.run("run l.toml").success(), "");
    folder.write("l.toml", launch.replace("kernel", "kernal"));
    assert_eq!(
        folder.run("run l.toml").refusal(),
        "\
error: there is no key `kernal`
 --> l.toml:2:1
  |
2 | kernal = 'scale'
  | ^^^^^^
error: l.toml: refused
"
    );
}

#[test]
fn a_fault_shows_its_instruction() {
    let run = folder("run-fault").run("run k.ptx --kernel scale --block 3 --arg x=zeros:f32:2 --arg 1");
    let message = run.refusal();
    assert!(message.starts_with("error: out-of-bounds access: "), "{message}");
    assert!(message.contains(" --> k.ptx:16:"), "{message}");
    assert!(message.contains("CTA (0, 0, 0), thread (2, 0, 0)"), "{message}");
    assert!(
        message.ends_with("error: k.ptx: the run ended with a fault\n"),
        "{message}"
    );
}

#[test]
fn launches_that_do_not_fit_the_kernel() {
    let folder = folder("run-refused");
    let refused = |arguments: &str| folder.run(&format!("run k.ptx {arguments}")).refusal();
    assert_eq!(
        refused(""),
        "error: k.ptx: which kernel is meant must be said; there are scale, nothing\n"
    );
    assert_eq!(
        refused("--kernel scala"),
        "error: k.ptx: there is no kernel `scala`; there are scale, nothing\n"
    );
    assert_eq!(
        refused("--kernel scale --arg x=zeros:f32:1"),
        "error: k.ptx: kernel `scale` has 2 parameters, but 1 arguments are given\n"
    );
    assert_eq!(
        refused("--kernel scale --arg x=zeros:f32:1 --arg f64:1"),
        "error: k.ptx: argument 2 of kernel `scale`: it has 8 bytes, but the parameter 4\n"
    );
    assert_eq!(
        refused("--kernel scale --arg 1.5 --arg 1"),
        "error: k.ptx: argument 1 of kernel `scale`: `1.5` is no integer\n"
    );
    assert_eq!(
        refused("--kernel scale --arg x --arg 1"),
        "error: --arg x: there is no buffer `x`; x=SOURCE makes one\n"
    );
    assert_eq!(
        refused("--kernel nothing --print y"),
        "error: k.ptx: there is no buffer or module variable `y`\n"
    );
}

#[test]
fn a_module_with_errors_is_refused() {
    let folder = folder("run-wrong");
    folder.write("k.ptx", MODULE.replace("mul.f32 \t%f3", "mul.f64 \t%f3"));
    let message = folder.run("run k.ptx --kernel nothing").refusal();
    assert!(
        message.contains("a .f32 register does not agree with .f64"),
        "{message}"
    );
    assert!(message.ends_with("error: k.ptx: refused\n"), "{message}");
}

#[test]
fn machine_code_stands_for_ptx_alone() {
    let folder = Folder::with("run-code", "scale.sm_75.cubin");
    assert_eq!(
        folder.run("run k.cubin --code k.cubin").refusal(),
        "error: k.cubin: --code needs a module of PTX, and this is machine code\n"
    );
    folder.write("k.ptx", MODULE);
    assert_eq!(
        folder.run("run k.ptx --kernel nothing --code k.ptx").refusal(),
        "error: k.ptx: a cubin or a listing (.sass) is wanted\n"
    );
}
