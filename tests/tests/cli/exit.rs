//! The exit statuses of every face, as `compiler/driver/src/exit.rs` has them. Those of NVIDIA's tools are observed (13.0.88); where the tools are on the
//! search path, they are asked again.

use std::path::Path;
use std::process::Command;

use crate::support::Folder;

/// A face, how it is asked for what, and what it ends with.
struct Row {
    face: &'static str,
    success: (&'static str, i32),
    usage: (&'static str, i32),
    input: (&'static str, i32),
    missing: (&'static str, i32),
    output: (&'static str, i32),
    /// What a fault of Warpsmith itself ends with; the phase of each is the face's name.
    internal: i32,
}

#[rustfmt::skip]
const FACES: [Row; 5] = [
    Row { face: "ptxas", success: ("-arch=sm_90 k.ptx -o out", 0), usage: ("--nope", 255), input: ("-arch=sm_90 bad -o out", 255), missing: ("-arch=sm_90 absent -o out", 255), output: ("-arch=sm_90 k.ptx -o folder", 255), internal: 255 },
    Row { face: "nvcc", success: ("-arch=sm_90 -ptx k.cu -o out", 0), usage: ("--nope", 1), input: ("-arch=sm_90 -ptx bad.cu -o out", 1), missing: ("-arch=sm_90 -ptx absent.cu -o out", 1), output: ("", 1), internal: 1 },
    Row { face: "nvdisasm", success: ("-c k.cubin", 0), usage: ("--nope", 1), input: ("-c bad", 1), missing: ("-c absent", 1), output: ("", 0), internal: 1 },
    Row { face: "cuobjdump", success: ("-sass k.cubin", 0), usage: ("--nope", 1), input: ("-sass bad", 255), missing: ("-sass absent", 1), output: ("", 0), internal: 1 },
    Row { face: "fatbinary", success: ("--create=out --image3=kind=elf,sm=90,file=k.cubin", 0), usage: ("--nope", 1), input: ("--create=out --image3=kind=elf,sm=90,file=bad", 1), missing: ("--create=out --image3=kind=elf,sm=90,file=absent", 1), output: ("--create=folder --image3=kind=elf,sm=90,file=k.cubin", 1), internal: 1 },
];

/// Warpsmith's own commands: success, a wrong command line, wrong input, input that is not there.
#[rustfmt::skip]
const COMMANDS: [(&str, &str, &str, &str, &str); 8] = [
    ("disasm", "k.cubin -o out", "k.cubin --nope", "bad -o out", "absent -o out"),
    ("asm", "k.sass -o out", "k.sass", "bad -o out", "absent -o out"),
    ("compile", "k.ptx -o out", "k.ptx --nope", "bad -o out", "absent -o out"),
    ("ptx", "check k.ptx", "check --nope", "check bad", "check absent"),
    ("run", "k.ptx", "k.ptx --nope", "bad", "absent"),
    ("targets", "sm_90", "--nope", "sm_1", "sm_1"),
    ("explain", "177", "--nope", "0", "nosuch"),
    ("reduce", "k.ptx -o out -- true", "k.ptx --nope -- true", "k.ptx -- false", "absent -- true"),
];

fn folder(test: &str) -> Folder {
    let folder = Folder::with(test, "scale.sm_90.lineinfo.cubin");
    folder.write(
        "k.ptx",
        ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() { ret; }\n",
    );
    folder.write("k.cu", "__global__ void k() {}\n");
    folder.write(
        "bad",
        "this is no input of any tool, and it is long enough to be no end of one\n",
    );
    folder.write("bad.cu", "garbage\n");
    std::fs::create_dir(folder.path("folder")).unwrap();
    folder.run("disasm k.cubin -o k.sass").success();
    folder
}

#[test]
fn faces_end_as_their_tools_do() {
    let folder = folder("exit-faces");
    for row in &FACES {
        let face = row.face;
        let tool = std::env::var_os("PATH").and_then(|path| {
            std::env::split_paths(&path)
                .map(|part| part.join(face))
                .find(|file| file.is_file())
        });
        let ask = |what: &str, (line, status): (&str, i32)| {
            let run = folder.run(&format!("--face {face} {line}"));
            assert_eq!(run.status, status, "{face} {what}: {}{}", run.out, run.errors);
            assert_eq!(run.errors.is_empty(), status == 0, "{face} {what}: {}", run.errors);
            let written = std::fs::remove_file(folder.path("out")).is_ok();
            assert_eq!(written, status == 0 && line.contains("out"), "{face} {what} {line}");
            if let Some(tool) = tool.as_deref().filter(|_| !line.is_empty()) {
                assert_eq!(observed(tool, line, &folder), status, "{face} {what}, the tool itself");
            }
        };
        ask("success", row.success);
        ask("help", ("--help", 0));
        ask("version", ("--version", 0));
        ask("usage", row.usage);
        ask("input", row.input);
        ask("missing", row.missing);
        ask("nothing", ("", if face == "nvcc" { 1 } else { 0 }));
        if !row.output.0.is_empty() {
            ask("output", row.output);
        }
        let temporary = folder.path("folder");
        let variables = [("WARPSMITH_PANIC_AT", face), ("TMPDIR", temporary.to_str().unwrap())];
        let run = folder.run_with(&variables, &format!("--face {face} {}", row.success.0));
        assert_eq!(run.status, row.internal, "{face} internal: {}", run.errors);
        assert!(!folder.names().contains(&"out".to_owned()), "{face}");
    }
}

/// What a tool of NVIDIA's ends with.
fn observed(tool: &Path, line: &str, folder: &Folder) -> i32 {
    let run = Command::new(tool)
        .args(line.split_whitespace())
        .current_dir(folder.path(""))
        .output();
    let _ = std::fs::remove_file(folder.path("out"));
    run.unwrap().status.code().unwrap_or(-1)
}

#[test]
fn commands_end_with_their_statuses() {
    let folder = folder("exit-commands");
    for (command, success, usage, input, missing) in COMMANDS {
        for (line, status) in [(success, 0), (usage, 2), (input, 1), (missing, 1)] {
            let run = folder.run(&format!("{command} {line}"));
            assert_eq!(run.status, status, "{command} {line}: {}{}", run.out, run.errors);
            assert_eq!(run.errors.is_empty(), status == 0, "{command} {line}: {}", run.errors);
            let written = std::fs::remove_file(folder.path("out")).is_ok();
            assert_eq!(written, status == 0 && line.contains("out"), "{command} {line}");
        }
        let temporary = folder.path("folder");
        let variables = [("WARPSMITH_PANIC_AT", command), ("TMPDIR", temporary.to_str().unwrap())];
        assert_eq!(
            folder.run_with(&variables, &format!("{command} {success}")).status,
            3,
            "{command}"
        );
        assert!(!folder.names().contains(&"out".to_owned()), "{command}");
    }
    assert_eq!(folder.run("nope").status, 2);
    assert_eq!(folder.run("--help").status, 0);
    assert_eq!(folder.run("--face nvlink").status, 1);
    // A file name alone stands for a face.
    assert_eq!(folder.run("absent.ptx").status, 255);
    assert_eq!(folder.run("absent.cu").status, 1);
}
