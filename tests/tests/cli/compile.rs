//! `warpsmith compile`: PTX to cubins that the emulator runs.

use crate::support::Folder;

const KERNEL: &str = "\
.version 9.0
.target sm_75
.address_size 64

.visible .entry add(.param .u64 data, .param .u32 count)
{
\t.reg .pred \t%p<2>;
\t.reg .b32 \t%r<9>;
\t.reg .b64 \t%rd<4>;

\tld.param.u64 \t%rd1, [data];
\tld.param.u32 \t%r1, [count];
\tmov.u32 \t%r2, %tid.x;
\tsetp.ge.u32 \t%p1, %r2, %r1;
\t@%p1 bra \tDONE;
\tmul.wide.u32 \t%rd2, %r2, 4;
\tadd.s64 \t%rd3, %rd1, %rd2;
\tld.global.u32 \t%r3, [%rd3];
\tadd.u32 \t%r4, %r3, 100;
\tst.global.u32 \t[%rd3], %r4;
DONE:
\tret;
}
";

#[test]
fn a_kernel_compiles_and_runs_on_every_generation() {
    let folder = Folder::new("compile-run");
    folder.write("k.ptx", KERNEL);
    for target in [
        "sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_103", "sm_110", "sm_120",
    ] {
        folder.run(&format!("compile k.ptx --arch {target}")).success();
        let line = "run k.ptx --code k.cubin --check hazards --block 4 --arg data=iota:u32:4 --arg 3 --expect data=list:u32:100,101,102,3";
        assert_eq!(folder.run(line).status, 0, "{target}");
    }
}

#[test]
fn what_is_not_supported_is_named_and_nothing_is_written() {
    let folder = Folder::new("compile-refused");
    let text = KERNEL.replace(
        "DONE:\n",
        "DONE:\n\t.reg .b32 %q;\n\t.reg .b64 %d;\n\ttxq.memory_layout.b32 %q, [%d];\n",
    );
    folder.write("k.ptx", text);
    let run = folder.run("compile k.ptx");
    assert_eq!(
        run.refusal(),
        "\
error: in function 'add': txq.memory_layout.b32: this query is not supported yet
  --> k.ptx:24:2
   |
24 |     txq.memory_layout.b32 %q, [%d];
   |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
error: k.ptx: not compiled
"
    );
    assert_eq!(folder.names(), ["k.ptx"]);
}

#[test]
fn a_target_that_the_text_does_not_fit() {
    let folder = Folder::new("compile-misfit");
    folder.write("k.ptx", KERNEL.replace("sm_75", "sm_90"));
    let run = folder.run("compile k.ptx --arch sm_80");
    assert_eq!(run.refusal(), "error: k.ptx: PTX for sm_90 does not run on sm_80\n");
}

#[test]
fn the_machine_ir_is_shown() {
    let folder = Folder::new("compile-dump");
    folder.write("k.ptx", KERNEL);
    let text = folder.run("compile k.ptx --dump-ir lower").success();
    assert!(text.starts_with("function add sm_75\nb0:"), "{text}");
    assert!(text.contains("ISETP.GE.U32.AND"), "{text}");
}

#[test]
fn steps_of_the_module_are_switched_off_as_phases_are() {
    let folder = Folder::new("compile-steps");
    folder.write(
        "k.ptx",
        ".version 7.0\n.target sm_75\n.address_size 64\n.func f() { ret; }\n.visible .entry k() { call f, (); ret; }\n",
    );
    let calls = |options: &str| {
        folder.run(&format!("compile k.ptx -o k.cubin {options}")).success();
        folder.run("disasm k.cubin").success().contains("CALL.")
    };
    assert!(!calls(""));
    assert!(calls("--phase InlineFunctions:off --phase narrowclobbers:off"));
}

#[test]
fn options_without_effect_are_refused() {
    let folder = Folder::new("compile-effect");
    folder.write("k.cu", "__global__ void k() {}\n");
    for (line, error) in [
        (
            "--emit ptx -v",
            "--verbose is about machine code: it wants --emit cubin or listing",
        ),
        (
            "--emit ir --dump-ir all",
            "--dump-ir is about machine code: it wants --emit cubin or listing",
        ),
        (
            "--emit check -o k.x",
            "--emit check makes nothing that --output could name",
        ),
    ] {
        assert_eq!(
            folder.run(&format!("compile k.cu {line}")).refusal(),
            format!("error: {error}\n")
        );
    }
    assert_eq!(folder.names(), ["k.cu"]);
}

#[test]
fn the_name_of_the_output_says_what_it_is() {
    let folder = Folder::new("compile-names");
    folder.write("k.cu", "__global__ void k() {}\n");
    for (name, start) in [
        ("a.ptx", &b".version"[..]),
        ("a.ll", b"source_filename"),
        ("a.bc", b"BC\xc0\xde"),
        ("a.cubin", b"\x7fELF"),
        ("a.out", b"\x7fELF"),
    ] {
        folder.run(&format!("compile k.cu -o {name}")).success();
        let bytes = folder.read(name);
        assert!(bytes.starts_with(start), "{name}: {:?}", &bytes[..8]);
    }
    folder.run("compile k.cu --emit cubin -o b.ptx").success();
    let bytes = folder.read("b.ptx");
    assert!(bytes.starts_with(b"\x7fELF"));
}
