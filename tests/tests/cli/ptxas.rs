//! The face of ptxas. Messages and statuses are as observed with ptxas 13.0, but for help, version, and lines with `Warpsmith` in them.

use crate::support::{Folder, Run};

const KERNEL: &str = ".version 9.0\n.target sm_90\n.entry k() .minnctapersm 2\n{\n\tret;\n}\n";

fn folder(name: &str) -> Folder {
    let folder = Folder::new(name);
    folder.write("k.ptx", KERNEL.as_bytes());
    folder.write("wrong.ptx", KERNEL.replace("ret", "add.u32 %r1, 1").as_bytes());
    folder
}

fn run(folder: &Folder, arguments: &str) -> Run {
    folder.run(&format!("--face ptxas {arguments}"))
}

const WARNING: &str = ".minnctapersm is ignored when neither .maxntid nor .reqntid is specified.\n";

#[test]
fn a_virtual_architecture_checks() {
    let folder = folder("ptxas-check");
    for line in [
        "-arch=compute_90 k.ptx",
        "--gpu-name compute_100a k.ptx -o out -v -O3 -m64",
        "-arch=compute_90 -lineinfo --opt-level 1 k.ptx",
    ] {
        let run = run(&folder, line);
        assert_eq!(
            (run.status, run.errors.as_str()),
            (0, format!("ptxas k.ptx, line 6; warning : {WARNING}").as_str()),
            "{line}"
        );
    }
    let quiet = run(&folder, "-w -arch=compute_90 k.ptx");
    assert_eq!((quiet.status, quiet.errors.as_str()), (0, ""));
}

#[test]
fn warnings_can_be_errors() {
    let folder = folder("ptxas-werror");
    let run = run(&folder, "-Werror -arch=compute_90 k.ptx");
    let text = format!("ptxas k.ptx, line 6; error   : {WARNING}ptxas fatal   : Ptx assembly aborted due to errors\n");
    assert_eq!((run.status, run.errors), (255, text));
}

#[test]
fn errors_have_one_line_each() {
    let folder = folder("ptxas-errors");
    let run = run(&folder, "-w -arch=compute_90 wrong.ptx");
    let text =
        "ptxas wrong.ptx, line 5; error   : Unknown symbol '%r1'\nptxas fatal   : Ptx assembly aborted due to errors\n";
    assert_eq!((run.status, run.errors.as_str()), (255, text));
}

#[test]
fn a_real_architecture_gives_a_cubin() {
    let folder = folder("ptxas-code");
    assert_eq!(run(&folder, "-w -arch=sm_90a k.ptx -o k.cubin").success(), "");
    let text = folder.run("disasm k.cubin").success();
    assert!(text.starts_with(".target sm_90"), "{text}");
}

#[test]
fn an_instruction_without_code_is_refused_by_name() {
    let folder = folder("ptxas-refused");
    folder.write(
        "k.ptx",
        KERNEL
            .replace("sm_90", "sm_90a")
            .replace("ret", "wgmma.fence.sync.aligned; ret"),
    );
    let run = run(&folder, "-w -arch=sm_90a k.ptx -o k.cubin");
    let text = "ptxas k.ptx, line 5; error   : in function 'k': wgmma.fence.sync.aligned is not supported yet\n\
                ptxas fatal   : Ptx assembly aborted due to errors\n";
    assert_eq!((run.status, run.errors.as_str()), (255, text));
    assert!(!folder.names().contains(&"k.cubin".to_string()));
}

#[test]
fn an_option_that_would_change_the_code_is_refused() {
    let folder = folder("ptxas-option");
    let run = run(&folder, "-w -arch=sm_90a -c k.ptx -o k.cubin");
    let text = "ptxas fatal   : Warpsmith does not support the option '-c' yet\n";
    assert_eq!((run.status, run.errors.as_str()), (255, text));
}

#[test]
fn mistakes_in_the_command_line() {
    let folder = folder("ptxas-mistakes");
    for (line, message) in [
        ("--foo k.ptx", "Unknown option '-foo'"),
        (
            "-arch=sm_12 k.ptx",
            "Value 'sm_12' is not defined for option 'gpu-name'",
        ),
        ("-m32 k.ptx", "Value '32' is not defined for option 'machine'"),
        ("-w=3 k.ptx", "no argument expected after '-w'"),
        ("k.ptx -o", "argument expected after '-o'"),
        (
            "-w -arch=compute_80 k.ptx",
            "SM version specified by .target is higher than default SM version assumed",
        ),
    ] {
        let run = run(&folder, line);
        assert_eq!(run.status, 255, "{line}");
        assert_eq!(
            run.errors.lines().next(),
            Some(format!("ptxas fatal   : {message}").as_str()),
            "{line}"
        );
    }
}

#[test]
fn versions() {
    let folder = folder("ptxas-version");
    assert!(run(&folder, "--version").success().contains("release 13.0, V13.0.88"));
    let list = run(&folder, "--list-version").success();
    assert_eq!(
        (list.lines().next(), list.lines().last(), list.lines().count()),
        (Some("1.0"), Some("9.0"), 44)
    );
}
