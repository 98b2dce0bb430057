//! `warpsmith ptx`.

use std::path::Path;

use crate::support::Folder;

const KERNEL: &str = "\
.version 9.0
.target sm_90
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
";

fn folder(name: &str, text: &str) -> Folder {
    let folder = Folder::new(name);
    folder.write("k.ptx", text.as_bytes());
    folder
}

#[test]
fn a_correct_file_is_passed_in_silence() {
    let folder = folder("ptx-check", KERNEL);
    assert_eq!(folder.run("ptx check k.ptx").success(), "");
}

#[test]
fn a_wrong_file_is_explained() {
    let folder = folder("ptx-wrong", &KERNEL.replace("mul.f32 \t%f3", "mul.f64 \t%f3"));
    assert_eq!(
        folder.run("ptx check k.ptx").refusal(),
        "\
error: `mul`, operand 1: a .f32 register does not agree with .f64
  --> k.ptx:17:11
   |
17 |     mul.f64     %f3, %f1, %f2;
   |                 ^^^
   |
   = note: `mul{.rnd}.f64 d, a, b`: PTX ISA 9.0, section 9.7.3.5
error: k.ptx: refused
"
    );
}

#[test]
fn formatting_changes_white_space_alone_and_once() {
    let folder = folder("ptx-fmt", &KERNEL.replace('\n', " ").replace('\t', "  "));
    assert_eq!(
        folder.run("ptx fmt --check k.ptx").refusal(),
        "error: k.ptx: is not formatted\n"
    );
    folder.run("ptx fmt k.ptx").success();
    assert_eq!(folder.run("ptx fmt --check k.ptx").success(), "");
    assert_eq!(
        folder.read("k.ptx"),
        KERNEL
            .replace(";\n\n\tld", ";\n\tld")
            .replace("64\n\n.vis", "64\n.vis")
            .into_bytes()
    );
}

#[test]
fn a_printed_module_checks() {
    let folder = folder("ptx-print", KERNEL);
    let printed = folder.run("ptx print k.ptx").success();
    folder.write("again.ptx", printed.as_bytes());
    assert_eq!(folder.run("ptx print again.ptx").success(), printed);
}

#[test]
fn figures_and_reference() {
    let folder = folder("ptx-stats", KERNEL);
    assert!(
        folder
            .run("ptx stats k.ptx")
            .success()
            .starts_with("PTX 9.0, sm_90; kernels: 1; functions: 0\n")
    );
    assert!(folder.run("ptx stats --json k.ptx").success().starts_with('{'));
    assert!(
        folder
            .run("ptx reference shfl")
            .success()
            .contains("shfl.sync.mode.b32 d{|p}, a, b, c, membermask;")
    );
    assert_eq!(
        folder.run("ptx reference mbarier.init").refusal(),
        "error: there is no instruction `mbarier.init`\n  note: a near name is `mbarrier.init`\n"
    );
}

#[test]
fn the_page_of_instructions_lists_every_one() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/status/ptx-instructions.md");
    let page = std::fs::read_to_string(path).unwrap();
    let table = Folder::new("ptx-page").run("ptx reference").success();
    assert!(
        page.contains(&table),
        "docs/status/ptx-instructions.md does not have the table of `warpsmith ptx reference`"
    );
}
