//! Threads of a warp that wait for each other come to an end: every kernel of `tests/progress/locks.cu`, at all levels, in the emulator.

use std::{fs, path::Path, process::Command};

fn folder() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn program(arguments: &[&str]) -> (i32, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_warpsmith-under-test"))
        .args(arguments)
        .output()
        .expect("the program starts");
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8_lossy(&text).into_owned();
    (output.status.code().unwrap_or(-1), text)
}

/// Compiles the kernels and runs each with eight threads; all threads but those of `mailboxes` add one to the word.
fn all_end(name: &str, options: &[&str]) {
    let source = folder().join("progress/locks.cu");
    let text = fs::read_to_string(&source).expect("the file is there");
    let lines = text.lines().filter_map(|line| line.strip_prefix("KERNEL("));
    let kernels: Vec<&str> = lines.filter_map(|line| Some(line.split_once(')')?.0)).collect();
    assert_eq!(kernels.len(), 27);
    let cubin = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("progress-{name}.cubin"));
    let (source, cubin) = (source.to_string_lossy(), cubin.to_string_lossy());
    let made = program(&[&[&*source, "-cubin", "-o", &cubin][..], options].concat());
    assert_eq!(made, (0, String::new()));
    let mut wrong = Vec::new();
    for kernel in kernels {
        let sum = if kernel == "mailboxes" { 12 } else { 8 };
        let launch = ["run", &cubin, "--kernel", kernel, "--block", "8", "--budget", "4000000"];
        let expected = format!("out=list:u32:{sum}");
        let arguments = ["--arg", "out=zeros:u32:1", "--arg", "1", "--expect", &expected];
        let (status, said) = program(&[&launch[..], &arguments].concat());
        if status != 0 {
            wrong.push(format!("{kernel}: {said}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn threads_that_wait_end_without_optimisation() {
    all_end("O0", &["-O0", "-arch=sm_90"]);
}

#[test]
fn threads_that_wait_end_in_a_debugger() {
    all_end("G", &["-G", "-arch=sm_75"]);
}

#[test]
fn threads_that_wait_end_with_little_optimisation() {
    all_end("O1", &["-O1", "-arch=sm_75"]);
}

#[test]
fn threads_that_wait_end_with_optimisation() {
    all_end("O3", &["-O3", "-arch=sm_90"]);
}

/// How often functions of objects give way whose callers are elsewhere: once each, as ptxas' do.
#[test]
fn functions_of_objects_give_way() {
    let text = "\
.version 8.0
.target sm_90
.address_size 64
.visible .func (.param .b32 r) try_lock(.param .b64 a)
{ .reg .b32 %t; .reg .b64 %a; ld.param.u64 %a,[a]; atom.cas.b32 %t,[%a],0,1; st.param.b32 [r],%t; ret; }
.visible .func (.param .b32 r) peek(.param .b64 a)
{ .reg .b32 %t; .reg .b64 %a; ld.param.u64 %a,[a]; ld.volatile.u32 %t,[%a]; st.param.b32 [r],%t; ret; }
.visible .func (.param .b32 r) shared(.param .b32 a)
{ .reg .b32 %t,%a; ld.param.u32 %a,[a]; ld.volatile.shared.u32 %t,[%a]; st.param.b32 [r],%t; ret; }
.visible .func (.param .b32 r) relaxed(.param .b64 a)
{ .reg .b32 %t; .reg .b64 %a; ld.param.u64 %a,[a]; ld.relaxed.cta.u32 %t,[%a]; st.param.b32 [r],%t; ret; }
.visible .func (.param .b32 r) phase(.param .b32 a, .param .b64 s)
{ .reg .b32 %t,%a; .reg .b64 %s; .reg .pred %p; ld.param.u32 %a,[a]; ld.param.u64 %s,[s];
  mbarrier.test_wait.shared.b64 %p,[%a],%s; selp.u32 %t,1,0,%p; st.param.b32 [r],%t; ret; }
.visible .func loop(.param .b64 a)
{ .reg .b32 %t; .reg .b64 %a; .reg .pred %p; ld.param.u64 %a,[a];
L: ld.volatile.global.u32 %t,[%a]; setp.eq.u32 %p,%t,0; @%p bra L; ret; }
.visible .func (.param .b32 r) weak(.param .b64 a)
{ .reg .b32 %t; .reg .b64 %a; ld.param.u64 %a,[a]; ld.u32 %t,[%a]; st.param.b32 [r],%t; ret; }
.visible .func put(.param .b64 a)
{ .reg .b64 %a; ld.param.u64 %a,[a]; st.volatile.u32 [%a],1; ret; }
";
    let place = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let (source, object) = (place.join("progress.ptx"), place.join("progress.o.cubin"));
    fs::write(&source, text).expect("the folder can be written");
    let (source, object) = (source.to_string_lossy(), object.to_string_lossy());
    for level in ["-O0", "-O1", "-O3"] {
        let made = program(&["--face", "ptxas", "-c", level, "-arch=sm_90", &source, "-o", &object]);
        assert_eq!(made, (0, String::new()));
        let (status, listing) = program(&["disasm", &object]);
        assert_eq!(status, 0);
        for (name, count) in [
            ("try_lock", 1),
            ("peek", 1),
            ("shared", 1),
            ("relaxed", 1),
            ("phase", 1),
            ("loop", 1),
            ("weak", 0),
            ("put", 0),
        ] {
            let start = format!("\n{name}:\n");
            let (_, code) = listing
                .split_once(&start)
                .unwrap_or_else(|| panic!("no {name} in {listing}"));
            let code = code.split("\n.section").next().unwrap_or_default();
            assert_eq!(code.matches("YIELD").count(), count, "{level} {name}:{code}");
        }
    }
}
