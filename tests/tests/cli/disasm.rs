//! `warpsmith disasm`.

use std::process::{Command, Stdio};

use crate::support::{Folder, binary, sample};

#[test]
fn code_with_words() {
    let folder = Folder::with("disasm-code", "scale.sm_75.cubin");
    let code = folder.run("disasm k.cubin -c --hex").success();
    let exit: Vec<_> = code.lines().filter(|line| line.contains("EXIT")).collect();
    let [exit] = exit.as_slice() else {
        panic!("one EXIT in:\n{code}");
    };
    assert!(exit.contains("000fea0003800000000000000000794d"), "{exit}");
    assert!(!code.contains(".symtab"), "{code}");
}

#[test]
fn the_same_to_a_file_from_standard_input() {
    let folder = Folder::with("disasm-file", "scale.sm_100a.cubin");
    let listing = folder.run("disasm k.cubin").success();
    assert_eq!(folder.run("disasm k.cubin -o k.sass").success(), "");
    assert!(folder.read("k.sass") == listing.as_bytes());
    let piped = folder.run_with_input("disasm -", &folder.read("k.cubin"));
    assert!(piped.success() == listing);
}

#[test]
fn other_styles_equal_the_face() {
    let folder = Folder::with("disasm-style", "scale.sm_90.lineinfo.cubin");
    for (own, face) in [
        ("--style nvdisasm", ""),
        ("--style nvdisasm -c --hex", "-c -hex"),
        ("--style nvdisasm --line-info", "-g"),
        ("--style nvdisasm --line-info=inlined", "-gi"),
        ("--style nvdisasm --line-info=ptx", "-gp"),
        ("--json", "-json"),
        ("--function scale", ""),
    ] {
        let own = folder.run(&format!("disasm k.cubin {own}")).success();
        let face = folder.run(&format!("--face nvdisasm k.cubin {face}"));
        assert!(own == face.success(), "{own}");
    }
}

#[test]
fn functions_by_name() {
    let folder = Folder::with("disasm-function", "scale.sm_75.cubin");
    let refusal = |line: &str| folder.run(line).refusal();
    assert_eq!(
        refusal("disasm k.cubin --function scale --function nobody"),
        "error: k.cubin: there is no function 'nobody'\n  note: there are scale\n"
    );
    // A variable is no function.
    assert_eq!(
        refusal("disasm k.cubin --function table"),
        "error: k.cubin: there is no function 'table'\n  note: there are scale\n"
    );
}

#[test]
fn the_control_flow_graph() {
    let folder = Folder::with("disasm-graph", "scale.sm_75.cubin");
    let graph = folder.run("disasm k.cubin --cfg").success();
    assert!(graph.starts_with("digraph {\n") && graph.ends_with("}\n"), "{graph}");
    assert!(graph.contains("EXIT"), "{graph}");
    assert!(folder.run("disasm k.cubin --cfg --function scale").success() == graph);
    assert!(folder.run("--face nvdisasm -bbcfg k.cubin").success() == graph);
}

#[test]
fn what_is_no_cubin() {
    let folder = Folder::new("disasm-none");
    let cubin = sample("scale.sm_75.cubin");
    folder.write("text", "hello\n");
    folder.write("empty", "");
    folder.write("short", &cubin[..700]);
    folder.write("k.ptx", ".version 9.0\n.target sm_90\n");
    let mut corrupted = cubin.clone();
    corrupted[0x28..0x30].fill(0xff);
    folder.write("corrupted", &corrupted);
    for (file, message) in [
        (
            "text",
            "error: text: offset 0x0: file: does not begin with the ELF magic 7f 45 4c 46\n",
        ),
        ("empty", "error: empty: offset 0x0: file: is empty\n"),
        ("short", "error: short: offset 0xe10: section header table: "),
        (
            "corrupted",
            "error: corrupted: offset 0xffffffffffffffff: section header table: ",
        ),
        (
            "k.ptx",
            "error: k.ptx: offset 0x0: file: is PTX text, not a cubin: compile it first\n",
        ),
        ("missing", "error: missing: cannot read: "),
        (".", "error: .: cannot read: "),
    ] {
        let refusal = folder.run(&format!("disasm {file} -o out")).refusal();
        assert!(refusal.starts_with(message), "{refusal}");
        // Of PTX a note says which commands take it.
        let lines = if file == "k.ptx" { 2 } else { 1 };
        assert_eq!(refusal.lines().count(), lines, "{refusal}");
    }
    assert!(!folder.path("out").exists());
}

/// Every byte of the header, every eighth byte of the rest: listed or refused, never anything else.
#[test]
fn any_corrupted_byte() {
    let cubin = sample("call.sm_80.relocatable.cubin");
    let places = (0..64).chain((64..cubin.len()).step_by(8));
    for place in places {
        let mut bytes = cubin.clone();
        bytes[place] ^= 0xff;
        let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("corrupted-byte.cubin");
        std::fs::write(&path, &bytes).unwrap();
        for style in ["warpsmith", "nvdisasm"] {
            let line = ["warpsmith", "disasm", "--style", style, path.to_str().unwrap()];
            let (mut out, mut errors) = (Vec::new(), Vec::new());
            let status = warpsmith_driver::run(&line.map(Into::into), &mut out, &mut errors);
            let refused = status == 1 && out.is_empty() && !errors.is_empty();
            let listed = status == 0 && !out.is_empty() && errors.is_empty();
            assert!(refused || listed, "byte {place:#x}, style {style}");
        }
    }
}

#[test]
fn unwritable_output_leaves_nothing() {
    let folder = Folder::with("disasm-unwritable", "scale.sm_75.cubin");
    std::fs::create_dir(folder.path("folder")).unwrap();
    for output in ["folder", "none/out"] {
        let refusal = folder.run(&format!("disasm k.cubin -o {output}")).refusal();
        let start = format!("error: {output}: cannot write: ");
        assert!(refusal.starts_with(&start), "{refusal}");
    }
    assert_eq!(folder.names(), ["folder", "k.cubin"]);
}

#[test]
fn a_reader_that_leaves_is_no_error() {
    let folder = Folder::with("disasm-pipe", "scale.sm_120.debug.cubin");
    for arguments in [&["disasm"][..], &["--face", "nvdisasm"]] {
        let mut child = Command::new(binary())
            .args(arguments)
            .arg(folder.path("k.cubin"))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stderr), "");
        assert_eq!(output.status.code(), Some(0));
    }
}

#[test]
fn command_lines_that_make_no_sense() {
    let folder = Folder::with("disasm-usage", "scale.sm_75.cubin");
    for (line, part) in [
        ("disasm", "<FILE>"),
        ("disasm k.cubin --foo", "unexpected argument '--foo'"),
        ("disasm k.cubin other", "unexpected argument 'other'"),
        ("disasm k.cubin --base 0x10", "--binary <SM>"),
        ("disasm k.cubin --json --cfg", "cannot be used with"),
        ("disasm k.cubin --binary sm_75 --base 1x", "invalid value '1x'"),
        ("disassemble k.cubin", "unrecognized subcommand"),
    ] {
        let run = folder.run(line);
        assert_eq!((run.status, run.out.as_str()), (2, ""), "{line}");
        assert!(run.errors.contains(part), "{}", run.errors);
    }
}

#[test]
fn raw_words_of_what_size_and_target() {
    let folder = Folder::new("disasm-raw");
    folder.write("words", [0; 40]);
    assert_eq!(
        folder.run("disasm words --binary sm_75").refusal(),
        "error: words: 40 bytes are no whole number of instruction words of 16 bytes\n"
    );
    assert_eq!(
        folder.run("disasm words --binary sm_74").refusal(),
        "error: unknown target 'sm_74'; did you mean sm_75?\n"
    );
}

/// Two words of sm_75: `NOP` and `EXIT`.
const WORDS: [u128; 2] = [
    0x000f_c000_0000_0000_0000_0000_0000_7918,
    0x000f_ea00_0380_0000_0000_0000_0000_794d,
];

#[test]
fn raw_words() {
    let folder = Folder::new("disasm-words");
    folder.write("words", WORDS.map(u128::to_le_bytes).concat());
    let own = folder.run("disasm words --binary sm_75 --base 0x100").success();
    let lines: Vec<_> = own.lines().collect();
    let [nop, exit] = lines.as_slice() else {
        panic!("two lines: {own}");
    };
    assert!(nop.contains("0100") && nop.contains("NOP"), "{nop}");
    assert!(exit.contains("0110") && exit.contains("EXIT"), "{exit}");
    let vendor = folder
        .run("disasm words --binary sm_75 --style nvdisasm --base 256")
        .success();
    let face = folder.run("--face nvdisasm -b SM75 -base 0x100 words").success();
    assert_eq!(vendor, face);
    assert_eq!(
        face,
        "\t.headerflags\t@\"EF_CUDA_64BIT_ADDRESS EF_CUDA_SM75 EF_CUDA_VIRTUAL_SM(EF_CUDA_SM75)\"
\t.headerflags\t@\"EF_CUDA_64BIT_ADDRESS EF_CUDA_SM75 EF_CUDA_VIRTUAL_SM(EF_CUDA_SM75)\"
        /*0100*/                   NOP;
        /*0110*/                   EXIT ;
"
    );
}

#[test]
fn every_illegal_word_is_named() {
    let folder = Folder::new("disasm-illegal");
    folder.write("words", [0xff; 32]);
    let own = folder.run("disasm words --binary sm_75").refusal();
    let starts: Vec<_> = own.lines().filter_map(|line| line.get(..31)).collect();
    assert_eq!(
        starts,
        ["error: words: address 0x0: ille", "error: words: address 0x10: ill"],
        "{own}"
    );
    let face = folder.run("--face nvdisasm -b SM75 words").refusal();
    assert_eq!(face.lines().count(), 2);
    assert!(face.starts_with("nvdisasm error   : words: address 0x0: "), "{face}");
}
