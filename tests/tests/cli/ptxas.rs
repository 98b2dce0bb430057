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
            .replace("sm_90", "sm_80")
            .replace("ret", ".reg .b32 %q; .reg .b64 %d; txq.memory_layout.b32 %q, [%d]; ret"),
    );
    let run = run(&folder, "-w -arch=sm_80 k.ptx -o k.cubin");
    let text = "ptxas k.ptx, line 5; error   : in function 'k': txq.memory_layout.b32: this query is not supported yet\n\
                ptxas fatal   : Ptx assembly aborted due to errors\n";
    assert_eq!((run.status, run.errors.as_str()), (255, text));
    assert!(!folder.names().contains(&"k.cubin".to_string()));
}

#[test]
fn an_option_that_would_change_the_code_is_refused() {
    let folder = folder("ptxas-option");
    let run = run(&folder, "-w -arch=sm_90a -ewp k.ptx -o k.cubin");
    let text = "ptxas fatal   : Warpsmith does not support the option '-ewp' yet\n";
    assert_eq!((run.status, run.errors.as_str()), (255, text));
}

/// A module with variables of each kind.
const MODULE: &str = ".version 8.0
.target sm_75
.address_size 64
.global .align 4 .u32 unused;
.visible .global .align 4 .u32 gi = 5;
.const .align 4 .u32 c1[5];
.visible .entry ka(.param .u64 p)
{
    .shared .align 4 .b8 sh[64];
    .reg .u64 a; .reg .u32 r;
    ld.param.u64 a,[p]; st.shared.u32 [sh],r; bar.sync 0; ld.shared.u32 r,[sh+8]; st.global.u32 [a+8],r; ret;
}
.visible .entry kb(.param .u64 p, .param .align 4 .b8 q[12])
{
    ret;
}
";

/// Numbers that depend on the code and on the machine as `#`.
fn without_numbers(text: &str) -> String {
    let line = |line: &str| {
        let line = match line.split_once("Used ") {
            Some((before, after)) => {
                format!(
                    "{before}Used #{}",
                    after.trim_start_matches(|c: char| c.is_ascii_digit())
                )
            }
            None => line.to_string(),
        };
        match line.split_once("time = ") {
            Some((before, _)) => format!("{before}time = #\n"),
            None => format!("{line}\n"),
        }
    };
    text.lines().map(line).collect()
}

#[test]
fn statistics() {
    let folder = folder("ptxas-verbose");
    folder.write("m.ptx", MODULE.as_bytes());
    let functions = |sm: &str, a: &str, b: &str| {
        format!(
            "ptxas info    : Compiling entry function 'kb' for '{sm}'
ptxas info    : Function properties for kb
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used # registers, used 0 barriers{b}
ptxas info    : Compile time = #
ptxas info    : Compiling entry function 'ka' for '{sm}'
ptxas info    : Function properties for ka
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used # registers, used 1 barriers, 64 bytes smem{a}
ptxas info    : Compile time = #
"
        )
    };
    let older = run(&folder, "-v -arch=sm_75 m.ptx -o m.cubin");
    let wanted = format!(
        "ptxas info    : 8 bytes gmem, 20 bytes cmem[3], 16 bytes cmem[4]\n{}",
        functions("sm_75", ", 360 bytes cmem[0]", ", 372 bytes cmem[0]")
    );
    assert_eq!((older.status, without_numbers(&older.errors)), (0, wanted));
    let newer = run(&folder, "m.ptx --verbose --gpu-name sm_90a --output-file=m.cubin");
    let wanted = format!("ptxas info    : 8 bytes gmem\n{}", functions("sm_90a", "", ""));
    assert_eq!((newer.status, without_numbers(&newer.errors)), (0, wanted));
}

#[test]
fn a_ptx_file_first_takes_the_options_too() {
    let folder = folder("ptxas-own-name");
    folder.write("m.ptx", MODULE.as_bytes());
    let told = folder.run("m.ptx -arch=sm_90 -v");
    assert_eq!(told.status, 0);
    assert!(
        told.errors.starts_with("ptxas info    : 8 bytes gmem\n"),
        "{}",
        told.errors
    );
    assert!(folder.names().contains(&"m.cubin".to_string()));
    folder.run("m.ptx -arch=sm_75 --output-file=n.cubin").success();
    assert!(folder.names().contains(&"n.cubin".to_string()));
}

#[test]
fn kernels_can_be_chosen() {
    let folder = folder("ptxas-entry");
    folder.write("m.ptx", MODULE.as_bytes());
    run(&folder, "-arch=sm_75 -e kb m.ptx -o m.cubin").success();
    let text = folder.run("disasm m.cubin").success();
    assert!(text.contains("kb") && !text.contains("ka"), "{text}");
    let wrong = run(&folder, "-arch=sm_75 -e kb,nope m.ptx -o m.cubin");
    assert_eq!(
        (wrong.status, wrong.errors.as_str()),
        (255, "ptxas fatal   : Unknown function nope\n")
    );
}

#[test]
fn several_inputs_are_one_module() {
    let folder = folder("ptxas-inputs");
    folder.write("a.ptx", MODULE.as_bytes());
    let other = MODULE.replace("gi", "gj").replace("unused", "used").replace("c1", "c2");
    folder.write("b.ptx", other.replace("ka", "kc").replace("kb", "kd").as_bytes());
    run(&folder, "-arch=sm_90 a.ptx b.ptx -o m.cubin").success();
    let text = folder.run("disasm m.cubin").success();
    assert!(
        ["ka", "kb", "kc", "kd"].iter().all(|name| text.contains(name)),
        "{text}"
    );
    let twice = run(&folder, "-arch=sm_90 a.ptx a.ptx -o n.cubin");
    let message = "ptxas a.ptx, line 7; error   : Duplicate definition of function 'ka'\n";
    assert!(twice.errors.contains(message), "{}", twice.errors);
    assert!(
        twice
            .errors
            .ends_with("ptxas fatal   : Ptx assembly aborted due to errors\n")
    );
    assert_eq!(twice.status, 255);
    assert!(!folder.names().contains(&"n.cubin".to_string()));
}

#[test]
fn register_limits() {
    let folder = folder("ptxas-registers");
    folder.write("p.ptx", KERNEL.replace(" .minnctapersm 2", "").as_bytes());
    let low = "For profile sm_90 adjusting per thread register count of 8 to lower bound of 24";
    for (value, warning, told) in [
        ("40", "", "40"),
        ("8", low, "24"),
        (
            "300",
            "Too big maxrregcount value specified 300, will be ignored",
            "255",
        ),
        ("-5", "Too big maxrregcount value specified -5, will be ignored", "255"),
        ("archmin", "", "32"),
        ("archmax", "", "255"),
    ] {
        let run = run(
            &folder,
            &format!("-arch=sm_90 -v -maxrregcount={value} p.ptx -o k.cubin"),
        );
        let warning = match warning {
            "" => String::new(),
            text => format!("ptxas warning : {text}\n"),
        };
        let info = format!("Overriding maximum register limit 256 for 'k' with  {told} of maxrregcount option");
        let wanted = format!("{warning}ptxas info    : {info}\n");
        assert!(run.errors.starts_with(&wanted), "{value}: {}", run.errors);
    }
    let wrong = run(&folder, "-arch=sm_90 -maxrregcount=abc p.ptx");
    let text = "ptxas fatal   : Invalid value 'abc' for option 'maxrregcount'\n";
    assert_eq!((wrong.status, wrong.errors.as_str()), (255, text));
}

#[test]
fn what_exceeds_the_hardware_has_a_line() {
    let folder = folder("ptxas-limits");
    folder.write("k.ptx", MODULE.replace("sh[64]", "sh[50000]").as_bytes());
    let run = run(&folder, "-arch=sm_90 k.ptx -o k.cubin");
    let text = "ptxas k.ptx, line 7; error   : Entry function 'ka' uses too much shared data (0xc350 bytes, 0xc000 max)\n\
                ptxas fatal   : Ptx assembly aborted due to errors\n";
    assert_eq!((run.status, run.errors.as_str()), (255, text));
    assert!(!folder.names().contains(&"k.cubin".to_string()));
}

#[test]
fn debugging() {
    let folder = folder("ptxas-debug");
    folder.write("m.ptx", MODULE.as_bytes());
    let missing = "ptxas warning :  .debug_abbrev section not found\nptxas warning :  .debug_info section not found\n";
    let plain = run(&folder, "-g -arch=sm_90 m.ptx -o m.cubin");
    assert_eq!((plain.status, plain.errors.as_str()), (0, missing));
    let optimised = run(&folder, "-g -O1 -arch=sm_90 m.ptx -o m.cubin");
    let text = "ptxas fatal   : Optimized debugging not supported\n";
    assert_eq!((optimised.status, optimised.errors.as_str()), (255, text));
}

#[test]
fn cache_operations() {
    let folder = folder("ptxas-cache");
    folder.write("m.ptx", MODULE.as_bytes());
    run(&folder, "-arch=sm_90 -dlcm=cg -dscm=wt m.ptx -o m.cubin").success();
    let wrong = run(&folder, "-arch=sm_90 -dlcm=xx m.ptx -o m.cubin");
    let text = "ptxas error   : Invalid default cache modifier on load specified: xx\n\
                ptxas fatal   : Ptx assembly aborted due to errors\n";
    assert_eq!((wrong.status, wrong.errors.as_str()), (255, text));
}

/// The lines of the listing of `m.cubin` that name an opcode.
fn listed(folder: &Folder, opcode: &str) -> String {
    let text = folder.run("disasm m.cubin").success();
    text.lines()
        .filter(|line| line.contains(opcode))
        .collect::<Vec<_>>()
        .join("\n")
}

#[test]
fn forced_cache_operations_win() {
    let folder = folder("ptxas-force-cache");
    let accesses =
        "ld.global.cv.u32 r,[a]; st.global.u32 [a+4],r; ld.volatile.global.u32 r,[a]; st.volatile.global.u32 [a+4],r;";
    folder.write(
        "m.ptx",
        MODULE
            .replace("ret;\n}\n.visible", &format!("{accesses} ret;\n}}\n.visible"))
            .as_bytes(),
    );
    run(&folder, "-arch=sm_80 -flcm=cg -fscm=wt m.ptx -o m.cubin").success();
    let (loads, stores) = (listed(&folder, "LDG"), listed(&folder, "STG"));
    assert_eq!(
        (
            loads.matches(".STRONG.GPU").count(),
            loads.matches(".STRONG.SYS").count()
        ),
        (1, 1),
        "{loads}"
    );
    assert_eq!(stores.matches(".STRONG.SYS").count(), 3, "{stores}");
    let both = run(&folder, "-arch=sm_80 -flcm=ca -dlcm=cg m.ptx -o m.cubin");
    let text = "ptxas warning : Conflicting options force-load-cache and def-load-cache specified, ignoring def-load-cache option\n";
    assert_eq!((both.status, both.errors.as_str()), (0, text));
    for target in ["compute_75", "sm_75"] {
        let wrong = run(&folder, &format!("-arch={target} -fscm=ca m.ptx -o m.cubin"));
        let text = "ptxas error   : Invalid default cache modifier on store specified: ca\n\
                    ptxas fatal   : Ptx assembly aborted due to errors\n";
        assert_eq!((wrong.status, wrong.errors.as_str()), (255, text), "{target}");
    }
}

/// A kernel with a frame.
const LOCAL: &str = ".version 8.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 p)
{
    .local .align 4 .b8 l[64];
    .reg .u64 a, b, c; .reg .u32 r; .reg .pred q;
    ld.param.u64 a,[p]; ld.global.u32 r,[a]; cvt.u64.u32 b,r; mov.u64 c,l; add.u64 b,b,c; st.local.u32 [b],r; ld.local.u32 r,[l+8];
    setp.eq.u32 q,r,0; @q exit; st.global.u32 [a+4],r; ret;
}
";

#[test]
fn the_stack_is_checked() {
    let folder = folder("ptxas-stack");
    folder.write("m.ptx", LOCAL.as_bytes());
    for sm in ["75", "80", "90", "100", "120"] {
        for (option, checks) in [("", 0), ("-sp-bounds-check", 1), ("-O0", 1)] {
            run(&folder, &format!("-arch=sm_{sm} {option} m.ptx -o m.cubin")).success();
            let found = (listed(&folder, "SR_LMEMHIOFF"), listed(&folder, "BPT.TRAP"));
            let counts = [found.0.lines().count(), found.1.lines().count()];
            assert_eq!(counts, [checks; 2], "sm_{sm} {option}");
        }
    }
}

#[test]
fn errors_show_before_a_thread_ends() {
    let folder = folder("ptxas-errors-at-exit");
    folder.write("m.ptx", LOCAL.as_bytes());
    for (sm, clusters) in [("75", 0), ("89", 0), ("90", 2), ("120", 2)] {
        run(
            &folder,
            &format!("-arch=sm_{sm} -make-errors-visible-at-exit m.ptx -o m.cubin"),
        )
        .success();
        let barriers = listed(&folder, "ERRBAR").replace(".info GEN_ERRBAR_AT_EXIT\n", "");
        let cluster = barriers.matches("CGAERRBAR").count();
        let plain = barriers.lines().filter(|line| line.contains(" ERRBAR")).count();
        assert_eq!((plain, cluster), (2, clusters), "{barriers}");
        assert!(listed(&folder, "GEN_ERRBAR_AT_EXIT").lines().count() == 1);
    }
}

#[test]
fn annotations() {
    let folder = folder("ptxas-annotate");
    folder.write("m.ptx", LOCAL.as_bytes());
    run(&folder, "-arch=sm_80 m.ptx -o m.cubin").success();
    assert_eq!(listed(&folder, ".info ANNOTATIONS"), "");
    run(&folder, "-arch=sm_80 -annotate m.ptx -o m.cubin").success();
    assert_eq!(listed(&folder, ".info ANNOTATIONS").lines().count(), 1);
}

#[test]
fn options_that_contradict_each_other() {
    let folder = folder("ptxas-conflicts");
    folder.write("m.ptx", MODULE.as_bytes());
    let fatal = [
        (
            "-Ofc=foo",
            "Invalid value for --Ofast-compile/-Ofc (foo), is not 'max', 'mid', 'min', or '0'",
        ),
        (
            "-Ofc mid -O3",
            "Conflicting options -opt-level=<0,2,3> and --Ofast-compile=mid specified",
        ),
        (
            "-Ofc max -O1",
            "Conflicting options -opt-level=<1,2,3> and --Ofast-compile=max specified",
        ),
        ("-split-compile=-1", "Invalid value '-1' for option '--split-compile'"),
        ("-fmad=1", "'1': expected true or false"),
        ("-regUsageLevel=x", "'x': expected a number"),
        ("-Ox", "'x': expected a number"),
        (
            "-c -func-maxrregcount=foo",
            "Invalid value 'foo' for option 'device-function-maxrregcount'",
        ),
        ("-g -O1", "Optimized debugging not supported"),
        (
            "-preserve-relocs",
            "Warpsmith does not support the option '-preserve-relocs' for sm_75 yet",
        ),
        (
            "-sanitize=memcheck",
            "Warpsmith does not support the option '-sanitize' yet",
        ),
    ];
    for (options, message) in fatal {
        let run = run(&folder, &format!("{options} m.ptx -o m.cubin"));
        assert_eq!(
            (run.status, run.errors),
            (255, format!("ptxas fatal   : {message}\n")),
            "{options}"
        );
    }
    let warned = [
        (
            "-maxrregcount=0x100",
            "Too big maxrregcount value specified 256, will be ignored",
        ),
        (
            "-regUsageLevel=11",
            "Value of RegUsageLevel (11) is out of valid range {0..10}, option will be ignored",
        ),
        (
            "-maxntid=1,2,3,4",
            "Too many values specified for option '-maxntid', option will be ignored",
        ),
        (
            "-maxntid=64 -maxrregcount=32",
            "Conflicting options -maxrregcount and -maxntid specified, ignoring -maxntid option",
        ),
        (
            "-suppress-debug-info",
            "Option suppress-debug-info requires option device-debug or lineinfo; ignoring since latter is not specified",
        ),
        (
            "-func-maxrregcount=32",
            "Command line option 'device-function-maxrregcount' not supported for 'whole program compilation', will be ignored",
        ),
        (
            "-preserve-relocs -arch=sm_90",
            "'--preserve-relocs' option is not fully implemented for 'sm_90' and may not work as expected",
        ),
    ];
    for (options, message) in warned {
        let plain = run(&folder, &format!("{options} m.ptx -o m.cubin"));
        assert_eq!(
            (plain.status, plain.errors),
            (0, format!("ptxas warning : {message}\n")),
            "{options}"
        );
        let quiet = run(&folder, &format!("-w {options} m.ptx -o m.cubin"));
        assert_eq!((quiet.status, quiet.errors.as_str()), (0, ""), "{options}");
        let strict = run(&folder, &format!("-Werror {options} m.ptx -o no.cubin"));
        let text = format!("ptxas error   : {message}\nptxas fatal   : Ptx assembly aborted due to errors\n");
        assert_eq!((strict.status, strict.errors), (255, text), "{options}");
    }
    assert!(!folder.names().contains(&"no.cubin".to_string()));
}

#[test]
fn launch_bounds_that_the_machine_does_not_have() {
    let folder = folder("ptxas-bounds");
    let threads = "Value of threads per SM for entry kb is out of range.";
    for (directives, sm, message) in [
        (
            ".maxntid 2048",
            "sm_75",
            format!("{threads} .minnctapersm and .maxntid will be ignored"),
        ),
        (
            ".maxntid 1024 .minnctapersm 3",
            "sm_80",
            format!("{threads} .minnctapersm will be ignored"),
        ),
        (
            ".maxntid 32 .minnctapersm 17",
            "sm_86",
            "Value of minnctapersm for entry kb is out of range. minnctapersm will be ignored".to_string(),
        ),
        (
            ".maxnreg 300",
            "sm_90",
            "Too many maxnreg specified for entry kb, will be ignored".to_string(),
        ),
        (
            ".maxnreg 8",
            "sm_90",
            "For entry kb adjusting per thread register count of 8 to lower bound of 24".to_string(),
        ),
    ] {
        folder.write(
            "m.ptx",
            MODULE.replace("q[12])", &format!("q[12]) {directives}")).as_bytes(),
        );
        let run = run(&folder, &format!("-arch={sm} m.ptx -o m.cubin"));
        assert_eq!(
            (run.status, run.errors),
            (0, format!("ptxas warning : {message}\n")),
            "{directives}"
        );
    }
}

/// Which accesses pass over caches that are not coherent.
#[test]
fn cache_operations_of_the_text() {
    let folder = folder("ptxas-cache-text");
    let accesses = "ld.global.cg.u32 r,[a]; st.global.cg.u32 [a+4],r; ld.cv.u32 r,[a]; st.wt.u32 [a+4],r; ld.shared.cv.u32 r,[sh]; st.global.u32 [a],r;";
    folder.write(
        "m.ptx",
        MODULE
            .replace("ret;\n}\n.visible", &format!("{accesses} ret;\n}}\n.visible"))
            .as_bytes(),
    );
    for sm in ["75", "80", "90", "120"] {
        run(&folder, &format!("-arch=sm_{sm} m.ptx -o m.cubin")).success();
        let count = |opcode: &str| {
            let lines = listed(&folder, opcode);
            [lines.matches("STRONG.GPU").count(), lines.matches("STRONG.SYS").count()]
        };
        assert_eq!(
            [count("LDG.E"), count("LD.E"), count("STG.E"), count("ST.E")],
            [[1, 0], [0, 1], [1, 0], [0, 1]],
            "sm_{sm}"
        );
    }
}

#[test]
fn output_that_cannot_be_written() {
    let folder = folder("ptxas-output");
    folder.write("m.ptx", MODULE.as_bytes());
    let before = folder.names();
    for output in ["/dev/full", "/nonexistent/m.cubin", "."] {
        let run = run(&folder, &format!("-arch=sm_80 m.ptx -o {output}"));
        let start = format!("ptxas fatal   : Output file '{output}' could not be written: ");
        assert!(
            run.status == 255 && run.errors.starts_with(&start),
            "{output}: {}",
            run.errors
        );
    }
    assert_eq!(folder.names(), before);
}

#[test]
fn texts_in_place_of_files() {
    let folder = folder("ptxas-strings");
    let run = run(&folder, "-ias foo -arch=sm_90 -o m.cubin");
    let text = "ptxas application ptx input, line 1; fatal   : Missing .version directive at start of file 'application ptx input'\n";
    assert_eq!((run.status, run.errors.lines().next()), (255, text.lines().next()));
}

#[test]
fn warnings_of_the_code() {
    let folder = folder("ptxas-warnings");
    let text = MODULE.replace(".reg .u32 r;", ".reg .u32 r; .reg .f64 d; ld.global.f64 d,[a];");
    folder.write("m.ptx", text.as_bytes());
    let run = run(&folder, "-arch=sm_90 -warn-double-usage m.ptx -o m.cubin");
    let text = "ptxas m.ptx, line 10; warning : Program is doing double precision computations.\n";
    assert_eq!((run.status, run.errors.as_str()), (0, text));
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
        (Some("1.0"), Some("9.5"), 49)
    );
    let list = run(&folder, "--list-arch").success();
    assert!(list.starts_with("75\n80\n86\n87\n88\n89\n90\n100\n"), "{list}");
}

#[test]
fn options_of_later_releases() {
    let folder = folder("ptxas-later-options");
    folder.write("m.ptx", MODULE.as_bytes());
    let said = |options: &str| run(&folder, &format!("-arch=sm_90 m.ptx -o m.cubin {options}")).errors;
    assert!(
        said("-v2").starts_with("ptxas info    : Processing "),
        "{}",
        said("-v2")
    );
    assert_eq!(
        said("--enable-func-clone-sc true"),
        "ptxas warning : Option '--enable-func-clone-sc' requires option '--compile-only'; ignoring since latter is not specified\n"
    );
    assert_eq!(
        said("-gno-fabric-access-check -suppress-position-independent-code-warning"),
        "ptxas info    : Command line option '--gno-fabric-access-check' not supported for '.target sm_75', will be ignored\n"
    );
    assert!(said("-apply-controls file").contains("does not support the option '-apply-controls' yet"));
}

/// What the text says of how long caches keep a line goes into the words.
#[test]
fn cache_hints_of_the_text() {
    let folder = folder("ptxas-cache-hints");
    let accesses = "ld.global.cs.u32 r,[a]; st.global.cs.u32 [a+4],r; ld.global.L1::evict_last.u32 r,[a+12]; st.global.L1::no_allocate.u32 [a+4],r; \
                    ld.global.nc.L1::no_allocate.L2::128B.u32 r,[a+16]; st.global.u32 [a],r;";
    folder.write(
        "m.ptx",
        MODULE
            .replace("ret;\n}\n.visible", &format!("{accesses} ret;\n}}\n.visible"))
            .as_bytes(),
    );
    for sm in ["75", "80", "90", "120"] {
        run(&folder, &format!("-arch=sm_{sm} m.ptx -o m.cubin")).success();
        let (loads, stores) = (listed(&folder, "LDG.E"), listed(&folder, "STG.E"));
        for (text, hint) in [
            (&loads, ".EF"),
            (&loads, ".EL"),
            (&loads, ".NA.LTC128B"),
            (&stores, ".EF"),
            (&stores, ".NA"),
        ] {
            assert_eq!(text.matches(hint).count(), 1, "sm_{sm} {hint}: {text}");
        }
    }
}

/// Loads of adjacent variables, and an address that is made of what nothing writes.
#[test]
fn loads_are_merged_whatever_comes_behind() {
    let folder = Folder::new("ptxas-merged-loads");
    let variables =
        ".shared .align 4 .u32 s0;\n.shared .align 4 .u32 s1;\n.shared .align 4 .u32 s2;\n.shared .align 4 .u32 s3;\n";
    let start = "ld.shared.u32 a, [s0];\nld.shared.u32 b, [s1];\nadd.s32 c, a, b;\n";
    let end = "setp.lt.s32 q, 0, c;\n@q bra L;\n";
    for (name, middle) in [
        (
            "unwritten",
            format!(
                "mul.lo.s32 d, e, 1;\nL:\nadd.s32 f, 0, d;\nst.shared.f32 [f], 0f3F800000;\n{end}ld.shared.u32 e, [s2];"
            ),
        ),
        (
            "loaded",
            format!("L:\nld.shared.u32 d, [a];\nld.shared.u32 e, [a+4];\nst.shared.u32 [d], e;\n{end}"),
        ),
        (
            "loaded behind",
            format!("L:\n{end}ld.shared.u32 d, [b+8];\nld.shared.u32 e, [b+12];\nst.shared.u32 [d], e;\n"),
        ),
        (
            "four",
            format!(
                "L:\nld.shared.u32 d, [s2];\nld.shared.u32 e, [s3];\nadd.s32 f, d, e;\nst.shared.u32 [f], d;\n{end}"
            ),
        ),
        (
            "shifted",
            format!(
                "shl.b32 d, b, 4;\nL:\nld.shared.u32 e, [d];\nld.shared.u32 f, [d+4];\nst.shared.u32 [e], f;\n{end}"
            ),
        ),
        (
            "twice",
            format!(
                "L:\nshl.b32 d, a, 3;\nld.shared.u32 e, [d];\nld.shared.u32 f, [d+4];\nshl.b32 d, e, 3;\nld.shared.u32 e, [d];\nld.shared.u32 a, [d+4];\nst.shared.u32 [e], f;\n{end}"
            ),
        ),
    ] {
        folder.write(
            "k.ptx",
            format!(
                ".version 8.7\n.target sm_80\n.address_size 64\n.visible .entry k()\n{{\n.reg .pred q;\n.reg .b32 a, b, c, d, e, f;\n{variables}{start}{middle}\nret;\n}}\n"
            ),
        );
        for level in 0..4 {
            for target in ["sm_80", "sm_90", "sm_120"] {
                let line = format!("--face ptxas -arch={target} -O{level} k.ptx -o k.cubin");
                assert_eq!(folder.run(&line).success(), "", "{name} {line}");
            }
        }
    }
}

/// Fetches by gradients take registers that a limit may not leave: it is raised, and that is said.
#[test]
fn a_limit_below_what_gradients_take_is_raised() {
    let folder = Folder::new("ptxas-gradients");
    let fetch = |fetch: &str, directive: &str| {
        folder.write(
            "k.ptx",
            format!(
                ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 t, .param .u64 o) {directive} {{\n.reg .b64 %d<4>;\n.reg .f32 %f<16>;\n\
                 ld.param.u64 %d1, [t];\nld.param.u64 %d2, [o];\nmov.f32 %f1, 0f3e800000;\n{fetch}\nst.global.f32 [%d2], %f4;\nret;\n}}\n"
            ),
        );
    };
    let volume =
        "tex.grad.3d.v4.f32.f32 {%f4,%f5,%f6,%f7}, [%d1, {%f1,%f1,%f1,%f1}], {%f1,%f1,%f1,%f1}, {%f1,%f1,%f1,%f1};";
    let cube =
        "tex.grad.cube.v4.f32.f32 {%f4,%f5,%f6,%f7}, [%d1, {%f1,%f1,%f1,%f1}], {%f1,%f1,%f1,%f1}, {%f1,%f1,%f1,%f1};";
    let said = |from: u32| {
        format!(
            "ptxas info    : For entry k adjusting per thread register count of {from} to lower bound of 42: gradients in three dimensions, of a cube or with a comparison take as many on this target\n"
        )
    };
    for target in ["sm_75", "sm_80", "sm_89"] {
        for (text, directive, options, from) in [
            (volume, "", "-maxrregcount=32", Some(32)),
            (volume, "", "-maxrregcount=24", Some(24)),
            (volume, ".maxnreg 32", "", Some(32)),
            (cube, "", "-maxrregcount=40", Some(40)),
            (volume, "", "-maxrregcount=64", None),
            (volume, "", "", None),
        ] {
            fetch(text, directive);
            let run = folder.run(&format!("--face ptxas -arch={target} {options} k.ptx -o k.cubin"));
            assert_eq!(run.status, 0, "{target} {directive} {options}: {}", run.errors);
            assert_eq!(
                run.errors,
                from.map_or(String::new(), said),
                "{target} {directive} {options}"
            );
        }
    }
}

/// ptxas takes a list of one for floating-point values of multimem loads and stores, and for nothing else.
#[test]
fn lists_of_one_element() {
    let folder = Folder::new("ptxas-multimem");
    let compile = |line: &str| {
        folder.write(
            "k.ptx",
            format!(
                ".version 8.8\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p) {{ .reg .u64 a; .reg .b32 x; .reg .b64 d; ld.param.u64 a, [p];\n{line}\nret; }}\n"
            ),
        );
        let run = folder.run("--face ptxas -arch=sm_90 k.ptx -o k.cubin");
        let words = (run.status == 0).then(|| folder.run("--face cuobjdump -sass k.cubin").success());
        (run.status, words)
    };
    for (list, plain) in [
        (
            "multimem.ld_reduce.relaxed.sys.global.add.f32 {x}, [a];",
            "multimem.ld_reduce.relaxed.sys.global.add.f32 x, [a];",
        ),
        (
            "multimem.ld_reduce.relaxed.sys.global.add.f64 {d}, [a];",
            "multimem.ld_reduce.relaxed.sys.global.add.f64 d, [a];",
        ),
        (
            "multimem.ld_reduce.weak.global.add.f32 {x}, [a];",
            "multimem.ld_reduce.weak.global.add.f32 x, [a];",
        ),
        (
            "multimem.ld_reduce.relaxed.sys.global.add.f16x2 {x}, [a];",
            "multimem.ld_reduce.relaxed.sys.global.add.f16x2 x, [a];",
        ),
        (
            "multimem.st.relaxed.sys.global.f32 [a], {x};",
            "multimem.st.relaxed.sys.global.f32 [a], x;",
        ),
        (
            "multimem.st.relaxed.sys.global.f64 [a], {d};",
            "multimem.st.relaxed.sys.global.f64 [a], d;",
        ),
        (
            "multimem.st.relaxed.sys.global.f32 [a], {1.0};",
            "multimem.st.relaxed.sys.global.f32 [a], 1.0;",
        ),
    ] {
        let (status, words) = compile(list);
        assert_eq!(status, 0, "{list}");
        assert_eq!(words, compile(plain).1, "{list}");
    }
    for refused in [
        "multimem.ld_reduce.relaxed.sys.global.add.u32 {x}, [a];",
        "multimem.ld_reduce.relaxed.sys.global.and.b32 {x}, [a];",
        "multimem.ld_reduce.relaxed.sys.global.add.f32 {x, x}, [a];",
        "multimem.ld_reduce.relaxed.sys.global.add.f32 {_}, [a];",
        "multimem.st.relaxed.sys.global.b32 [a], {x};",
        "multimem.red.relaxed.sys.global.add.f32 [a], {x};",
        "multimem.red.relaxed.sys.global.add.f16x2 [a], {x};",
    ] {
        assert_eq!(compile(refused).0, 255, "{refused}");
    }
    for accepted in [
        "multimem.red.relaxed.sys.global.add.f16x2 [a], x;",
        "multimem.red.relaxed.sys.global.add.v2.f16x2 [a], {x, x};",
    ] {
        assert_eq!(compile(accepted).0, 0, "{accepted}");
    }
}

const PAIR: &str = ".version 8.8\n.target sm_80\n.address_size 64\n\
                    .func (.reg .b32 r, .reg .b32 s) pair(.reg .b32 a)\n{\n\tmov.b32 r, a;\n\tmov.b32 s, a;\n\tret;\n}\n";
const WITHOUT_ABI: &str = "ptxas warning : Function 'pair' with multiple return values found, disabling ABI\n";

#[test]
fn functions_of_several_results() {
    let folder = folder("ptxas-results");
    let kernel =
        |body: &str| format!("{PAIR}.entry k()\n{{\n\t.reg .b32 %r<3>;\n\tmov.b32 %r0, 1;\n{body}\tret;\n}}\n");
    let call = "\tcall (%r1, %r2), pair, (%r0);\n";
    folder.write("k.ptx", kernel(call));
    let made = run(&folder, "-arch=sm_80 k.ptx -o k.cubin");
    assert_eq!((made.status, made.errors.as_str()), (0, WITHOUT_ABI));
    let quiet = run(&folder, "-w -arch=sm_80 k.ptx -o k.cubin");
    assert_eq!((quiet.status, quiet.errors.as_str()), (0, ""));
    let relocatable = run(&folder, "-c -arch=sm_80 k.ptx -o object.cubin");
    let wanted = format!("{WITHOUT_ABI}ptxas fatal   : 'Compile only(-c)' requires ABI\n");
    assert_eq!((relocatable.status, relocatable.errors), (255, wanted));
    let as_error = run(&folder, "-Werror -arch=sm_80 k.ptx -o object.cubin");
    let wanted = "ptxas error   : Function 'pair' with multiple return values found, disabling ABI\n\
                  ptxas fatal   : Ptx assembly aborted due to errors\n";
    assert_eq!((as_error.status, as_error.errors.as_str()), (255, wanted));
    // What ptxas ends with at once has no line, and no other line follows.
    folder.write(
        "k.ptx",
        kernel("").replace("mov.b32 r, a;", "call (r, s), pair, (a);").replace(
            "\tmov.b32 %r0, 1;\n",
            "\tmov.b32 %r0, 1;\n\tcall (%r1, %r2), pair, (%r0);\n",
        ),
    );
    let recursive = run(&folder, "-arch=sm_80 k.ptx -o object.cubin");
    let wanted = format!("{WITHOUT_ABI}ptxas fatal   : Function 'pair' is recursive\n");
    assert_eq!((recursive.status, recursive.errors), (255, wanted));
    // Errors with lines come first, and alone.
    folder.write("k.ptx", kernel("\tcall (%r1), pair, (%r0);\n"));
    let wrong = run(&folder, "-arch=sm_80 k.ptx -o object.cubin");
    let wanted = "ptxas k.ptx, line 14; error   : Call has wrong number of parameters\n\
                  ptxas fatal   : Ptx assembly aborted due to errors\n";
    assert_eq!((wrong.status, wrong.errors.as_str()), (255, wanted));
    assert!(!folder.names().contains(&"object.cubin".to_string()));
}

/// What `-v` says of whose limit of registers holds, for a kernel with these directives. As ptxas 13.0.88, line for line.
#[test]
fn whose_limit_of_registers_holds() {
    let folder = folder("ptxas-whose-limit");
    let global = |option, own| {
        format!("Overriding global maxrregcount {option} with entry-specific value {own} computed using thread count")
    };
    let own =
        |option, own| format!("Overriding global maxrregcount {option} with entry-specific value {own} of .maxnreg");
    let limit =
        |own, option| format!("Overriding maximum register limit {own} for 'k' with  {option} of maxrregcount option");
    let none: [String; 0] = [];
    for (directives, options, wanted) in [
        (".reqntid 1024", "-maxrregcount 128", &none[..]),
        (".maxntid 1024", "-maxrregcount 24", &none),
        (".maxntid 1024 .minnctapersm 3", "-maxrregcount 128", &none),
        (".maxntid 1024 .minnctapersm 2", "-maxrregcount 128", &[global(128, 32)]),
        (".maxntid 768 .minnctapersm 2", "-maxrregcount 24", &[global(24, 40)]),
        (".reqntid 64 .minnctapersm 1", "-maxrregcount 128", &[global(128, 255)]),
        (".reqntid 64 .minnctapersm 8", "-maxrregcount 128", &none),
        (".minnctapersm 2", "-maxrregcount 64", &[limit(256, 64)]),
        (".maxnreg 32", "-maxrregcount 128", &[own(128, 32)]),
        (".maxnreg 32", "-maxrregcount 32", &none),
        (
            ".reqntid 256 .minnctapersm 4 .maxnreg 40",
            "-maxrregcount 128",
            &[own(128, 40)],
        ),
        (
            ".maxntid 1024 .minnctapersm 2",
            "-maxrregcount 64 -override-directive-values",
            &[global(64, 32), limit(256, 64)],
        ),
        (
            ".maxntid 1024",
            "-maxrregcount 64 -override-directive-values",
            &[limit(256, 64)],
        ),
        (
            ".maxnreg 32",
            "-maxrregcount 64 -override-directive-values",
            &[limit(32, 64)],
        ),
    ] {
        folder.write(
            "k.ptx",
            KERNEL.replace(".minnctapersm 2", directives).replace("sm_90", "sm_80"),
        );
        let run = run(&folder, &format!("-w -v -arch=sm_80 {options} k.ptx -o k.cubin"));
        let lines = run
            .errors
            .lines()
            .filter_map(|line| line.strip_prefix("ptxas info    : "));
        let told: Vec<&str> = lines.filter(|line| line.starts_with("Overriding")).collect();
        assert_eq!(told, wanted, "{directives} {options}: {}", run.errors);
    }
}

#[test]
fn external_variables_without_a_size() {
    let folder = folder("ptxas-unsized");
    let module = |space: &str, used: bool| {
        let access = if used {
            ".reg .b32 x; ld.SPACE.b32 x, [table];"
        } else {
            ""
        };
        let text = format!(
            ".version 9.0\n.target sm_90\n.extern .SPACE .align 4 .b8 table[];\n.entry k()\n{{\n{access}\nret;\n}}\n"
        );
        text.replace("SPACE", space)
    };
    let refused = "ptxas fatal   : Unresolved extern variable 'table'\n";
    for (space, used, status, text) in [
        ("global", true, 255, refused),
        ("global", false, 255, refused),
        ("const", true, 255, refused),
        // What a launch gives has no size in any text.
        ("shared", true, 0, ""),
    ] {
        folder.write("k.ptx", module(space, used));
        let whole = run(&folder, "-arch=sm_90 k.ptx -o k.cubin");
        assert_eq!((whole.status, whole.errors.as_str()), (status, text), "{space} {used}");
        let relocatable = run(&folder, "-c -arch=sm_90 k.ptx -o object.cubin");
        assert_eq!(
            (relocatable.status, relocatable.errors.as_str()),
            (0, ""),
            "{space} {used}"
        );
    }
    // With a size it is taken for the file's own, with a warning.
    folder.write("k.ptx", module("global", true).replace("[]", "[4]"));
    let sized = run(&folder, "-arch=sm_90 k.ptx -o k.cubin");
    let wanted =
        "ptxas warning : Unresolved extern variable 'table' in whole program compilation, ignoring extern qualifier\n";
    assert_eq!((sized.status, sized.errors.as_str()), (0, wanted));
}
