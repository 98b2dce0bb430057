//! `warpsmith run`.

use warpsmith_cubin::{Content, Cubin};

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
fn the_machine_code_that_runs_is_printed() {
    let folder = folder("run-listing");
    let text = folder
        .run("run k.ptx --kernel nothing --arch sm_75 --listing")
        .success();
    let (_, code) = text.split_once("nothing:\n").expect("the name of the function");
    assert!(code.contains("EXIT"), "{text}");
    let refused = folder.run("run k.ptx --kernel nothing --listing").refusal();
    assert!(
        refused.contains("--listing is of machine code, and this is PTX"),
        "{refused}"
    );
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
    assert_eq!(
        folder.run(&format!("{command}3,6")).success(),
        "x: f32[2] as expected\n"
    );
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
    assert_eq!(folder.run("run l.toml").success(), "x: f32[2] as expected\n");
    let near = launch.replace("[3, 60]", "{ values = [3, 60.5], tolerance = 0.01 }");
    folder.write("l.toml", near);
    assert_eq!(
        folder.run("run l.toml").success(),
        "x: f32[2] as expected, within 1e-2\n"
    );
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

#[test]
fn a_gpu_or_the_reason_why_not() {
    let folder = folder("run-gpu");
    let run = folder.run("run k.ptx --on gpu --kernel scale --block 2 --arg x=list:f32:1,2 --arg 3");
    match run.status {
        // A machine with a driver and a GPU.
        0 => assert_eq!(run.out, "x: f32[2] 3.0 6.0\n"),
        status => {
            assert_eq!((status, run.out.as_str()), (1, ""));
            assert!(run.errors.starts_with("error: k.ptx: "), "{}", run.errors);
            let reasons = [
                "there is no CUDA driver: cannot load ",
                "CUDA_ERROR_",
                "the CUDA driver has no ",
            ];
            assert!(
                reasons.iter().any(|reason| run.errors.contains(reason)),
                "{}",
                run.errors
            );
        }
    }
}

#[test]
fn what_a_gpu_does_not_do_is_refused() {
    let folder = folder("run-gpu-refused");
    for option in ["seed 1", "budget 1", "check races", "faults 2", "threads 2", "stats"] {
        let name = option.split(' ').next().unwrap_or(option);
        assert_eq!(
            folder.run(&format!("run k.ptx --on gpu --{option}")).refusal(),
            format!("error: --{name} is for the interpreter and the emulator, not for --on gpu\n")
        );
    }
    let refused = |more: &str| {
        folder.write("l.toml", format!("module = 'k.ptx'\nkernel = 'nothing'\n{more}"));
        folder.run("run l.toml --on gpu").refusal()
    };
    assert_eq!(
        refused("prints = 'x'"),
        "error: k.ptx: what kernels print (`prints`) cannot be compared on a GPU\n"
    );
    assert_eq!(
        refused("fault = 'x'"),
        "error: k.ptx: an expected fault (`fault`) cannot be compared on a GPU\n"
    );
    assert_eq!(
        refused("[textures]\nt = { data = 'zeros:u8:4', size = [2, 2] }"),
        "error: k.ptx: textures, samplers and surfaces are not supported on a GPU\n"
    );
    assert_eq!(
        refused(
            "buffers = { x = 'zeros:f16:512' }\n[tensor_maps]\n\
             m = { buffer = 'x', type = 'f16', sizes = [16, 32], box = [8, 4], swizzle = '96B' }"
        ),
        "error: k.ptx: tensor maps with a swizzle of 96 bytes are not supported on a GPU\n"
    );
}

#[test]
fn code_runs_where_it_can() {
    let folder = Folder::with("run-on", "scale.sm_75.cubin");
    folder.write("k.ptx", MODULE);
    assert_eq!(
        folder.run("run k.cubin --on interpreter").refusal(),
        "error: k.cubin: the interpreter runs PTX, and this is machine code\n"
    );
    assert_eq!(
        folder.run("run k.ptx --on emulator").refusal(),
        "error: k.ptx: the emulator runs machine code: --arch compiles PTX to it, --code gives it beside PTX\n"
    );
    assert_eq!(
        folder.run("run k.ptx --check hazards").refusal(),
        "error: k.ptx: the check `hazards` is for machine code, and this is PTX\n"
    );
    assert_eq!(
        folder.run("run k.cubin --check registers").refusal(),
        "error: k.cubin: the check `registers` is for PTX, and this is machine code\n"
    );
    let command = "--kernel scale --block 2 --arg x=list:f32:1,2 --arg 3";
    assert_eq!(
        folder.run(&format!("run k.ptx --on interpreter {command}")).success(),
        "x: f32[2] 3.0 6.0\n"
    );
    // The same text as machine code.
    assert_eq!(
        folder
            .run(&format!("run k.ptx --arch sm_90 --check hazards {command}"))
            .success(),
        "x: f32[2] 3.0 6.0\n"
    );
}

/// Sums 0 to 31 in every element, one CTA for each; reads a register that nobody wrote where the first parameter is 0.
const SUMS: &str = "\
.version 9.0
.target sm_75
.address_size 64

.visible .entry sums(.param .u64 data, .param .u32 start)
{
\t.reg .pred \t%p<2>;
\t.reg .b32 \t%r<6>;
\t.reg .b64 \t%rd<4>;

\tld.param.u64 \t%rd1, [data];
\tld.param.u32 \t%r1, [start];
\tsetp.eq.u32 \t%p1, %r1, 0;
\t@!%p1 mov.u32 \t%r2, 0;
\tmov.u32 \t%r3, 0;
$next:
\tadd.u32 \t%r2, %r2, %r3;
\tadd.u32 \t%r3, %r3, %r1;
\tsetp.lt.u32 \t%p1, %r3, 32;
\t@%p1 bra \t$next;
\tmov.u32 \t%r4, %ctaid.x;
\tmul.wide.u32 \t%rd2, %r4, 4;
\tadd.s64 \t%rd3, %rd1, %rd2;
\tst.global.u32 \t[%rd3], %r2;
\tret;
}
";

#[test]
fn registers_that_nobody_wrote() {
    let folder = Folder::new("run-registers");
    folder.write("k.ptx", SUMS);
    let command = "run k.ptx --arg x=zeros:u32:1 --check registers --budget 1000 --arg";
    assert_eq!(folder.run(&format!("{command} 1")).success(), "x: u32[1] 496\n");
    let message = folder.run(&format!("{command} 0")).refusal();
    assert!(message.starts_with("error: uninitialised read: "), "{message}");
    assert!(message.contains("%r2"), "{message}");
    assert!(message.contains(" --> k.ptx:17:"), "{message}");
}

#[test]
fn an_endless_loop_ends_with_the_budget() {
    let folder = Folder::new("run-budget");
    folder.write("k.ptx", SUMS);
    let run = folder.run("run k.ptx --arg x=zeros:u32:1 --arg 0 --budget 1000 --stats");
    assert_eq!(run.status, 1);
    // Where the warps are, one note for each.
    let lines: Vec<&str> = run.errors.lines().collect();
    assert_eq!(
        lines[0],
        "error: instruction budget spent: more than 1000 warp instructions"
    );
    assert!(lines[1].trim_start().starts_with("--> k.ptx:"), "{}", run.errors);
    let note = "= note: CTA (0, 0, 0) warp 0 lanes 0x00000001: runs, at ";
    let is_note = |line: &&str| line.trim_start().starts_with(note) && line.contains(", in line ");
    assert!(lines.iter().any(is_note), "{}", run.errors);
    assert_eq!(lines.last(), Some(&"error: k.ptx: the run ended with a fault"));
    // What it did until then is shown.
    let lines: Vec<&str> = run.out.lines().collect();
    assert_eq!(lines[0], "launches                  1");
    assert!(lines[1].starts_with("instructions of warps     1"), "{}", run.out);
}

#[test]
fn threads_of_the_host_share_the_grid() {
    let folder = Folder::new("run-threads");
    folder.write("k.ptx", SUMS);
    let wanted = format!("x: u32[16]{}\n", " 496".repeat(16));
    for threads in ["0", "1", "3"] {
        let command = format!("run k.ptx --grid 16 --arg x=zeros:u32:16 --arg 1 --threads {threads}");
        assert_eq!(folder.run(&command).success(), wanted);
    }
}

#[test]
fn several_faults() {
    let folder = Folder::new("run-faults");
    // The CTAs 2 and 3 are beyond the buffer; both fail at one instruction, which is told once.
    let stores = "\tst.global.u32 \t[%rd3], %r2;\n\tst.global.u16 \t[%rd3+2], %r2;\n";
    folder.write("k.ptx", SUMS.replace("\tst.global.u32 \t[%rd3], %r2;\n", stores));
    let command = "run k.ptx --grid 4 --arg x=zeros:u32:2 --arg 1";
    let places = |message: &str| message.matches("error: out-of-bounds access: ").count();
    let first = folder.run(command).refusal();
    assert_eq!(places(&first), 1, "{first}");
    assert!(first.ends_with("error: k.ptx: the run ended with a fault\n"), "{first}");
    let all = folder.run(&format!("{command} --faults 9")).refusal();
    assert_eq!(places(&all), 2, "{all}");
    assert!(all.contains("st.global.u32") && all.contains("st.global.u16"), "{all}");
    assert!(all.ends_with("error: k.ptx: the run ended with 2 faults\n"), "{all}");
}

#[test]
fn machine_code_with_a_word_that_is_none() {
    let folder = Folder::with("run-illegal", "scale.sm_75.cubin");
    let command = "run k.cubin --arg x=zeros:f32:4 --arg 1";
    assert_eq!(folder.run(command).success(), "x: f32[4] 0.0 3.0 0.0 0.0\n");
    let mut cubin = Cubin::read(&folder.read("k.cubin")).expect("is a cubin");
    let code = cubin.sections.iter_mut().find(|section| section.name == ".text.scale");
    let Some(Content::Bytes(code)) = code.map(|section| &mut section.content) else {
        panic!("the kernel has code");
    };
    code[16..32].fill(0xff);
    folder.write("k.cubin", cubin.write());
    let message = folder.run(command).refusal();
    assert!(
        message.starts_with("error: scale.cu:7:1: unsupported instruction: "),
        "{message}"
    );
    assert!(message.contains("this word is no instruction"), "{message}");
    assert!(message.contains("in kernel scale"), "{message}");
    assert!(
        message.ends_with("error: k.cubin: the run ended with a fault\n"),
        "{message}"
    );
}

#[test]
fn kernels_that_a_cubin_does_not_have() {
    let folder = Folder::with("run-no-kernel", "scale.sm_75.cubin");
    assert_eq!(
        folder.run("run k.cubin --kernel nobody").refusal(),
        "error: k.cubin: there is no kernel `nobody`; there are scale\n"
    );
}
