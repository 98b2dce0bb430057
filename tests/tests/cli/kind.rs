//! Files that were given to the wrong command, or to none, and options before the file.

use crate::support::Folder;

const PTX: &str = ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k() { ret; }\n";

/// A folder with a file of each kind.
fn files(name: &str) -> Folder {
    let folder = Folder::new(name);
    folder.write("k.ptx", PTX);
    folder.write("k.cu", "__global__ void k() {}\n");
    folder.write("notes", "remember the milk\n");
    folder.write("empty", "");
    folder.write("bytes", [0xff, 0xfe, 0, 1]);
    assert_eq!(folder.run("compile k.ptx -o k.cubin").status, 0);
    assert_eq!(folder.run("disasm k.cubin -o k.sass").status, 0);
    folder
}

#[test]
fn a_file_without_a_command() {
    let folder = files("kind-without-command");
    for (file, message) in [
        (
            "k.cubin",
            "k.cubin is a cubin: `warpsmith disasm k.cubin` lists it, `warpsmith run k.cubin …` runs it",
        ),
        (
            "k.sass",
            "k.sass is a listing: `warpsmith asm k.sass -o FILE.cubin` assembles it, `warpsmith run k.sass …` runs it",
        ),
        (
            "notes",
            "notes is text of no kind that is known: names end in .cu, .ll, .bc, .ptx, .sass or .toml",
        ),
        ("empty", "empty is empty: there is nothing to do with it"),
        ("bytes", "bytes is no file that Warpsmith reads: it is not text"),
        (".", ". is a folder: commands take files"),
    ] {
        let run = folder.run(file);
        assert_eq!((run.status, run.out.as_str()), (2, ""), "{file}");
        assert_eq!(run.errors, format!("error: {message}\n"));
    }
}

/// Behind what the command says of the file stands which command takes it.
#[test]
fn a_file_for_another_command() {
    let folder = files("kind-of-another");
    for (line, message) in [
        (
            "disasm k.cu",
            "k.cu is CUDA C++: `warpsmith k.cu -arch=sm_90` compiles it, with nvcc's options",
        ),
        (
            "disasm k.ptx",
            "k.ptx is PTX: `warpsmith compile k.ptx` compiles it, `warpsmith ptx check k.ptx` explains what is wrong with it",
        ),
        (
            "asm k.ptx -o out",
            "k.ptx is PTX: `warpsmith compile k.ptx` compiles it, `warpsmith ptx check k.ptx` explains what is wrong with it",
        ),
        (
            "compile k.cubin",
            "k.cubin is a cubin: `warpsmith disasm k.cubin` lists it, `warpsmith run k.cubin …` runs it",
        ),
        (
            "ptx check k.sass",
            "k.sass is a listing: `warpsmith asm k.sass -o FILE.cubin` assembles it, `warpsmith run k.sass …` runs it",
        ),
    ] {
        let run = folder.run(line);
        assert_eq!((run.status, run.out.as_str()), (1, ""), "{line}");
        assert!(
            run.errors.ends_with(&format!("note: {message}\n")),
            "{line}: {}",
            run.errors
        );
    }
    // Of what no command takes, the one that was asked has said all.
    assert!(!folder.run("run bytes").errors.contains("note: bytes is"));
    // What is wrong inside a file of the right kind needs no advice.
    folder.write("bad.ptx", PTX.replace("ret", "rte"));
    assert!(!folder.run("compile bad.ptx").errors.contains("note: bad.ptx is"));
}

#[test]
fn options_before_the_file() {
    let folder = files("kind-options-first");
    for (before, behind) in [
        ("-arch=sm_90 -ptx k.cu -o a", "k.cu -arch=sm_90 -ptx -o b"),
        ("-arch sm_90 -o a k.ptx", "k.ptx -arch sm_90 -o b"),
    ] {
        assert_eq!((folder.run(before).status, folder.run(behind).status), (0, 0));
        assert_eq!(folder.read("a"), folder.read("b"), "{before}");
    }
    // The first file here is the argument of an option.
    folder.write("pre.cu", "struct Pre {};\n");
    folder.write("main.cu", "__global__ void k(Pre *p) {}\n");
    assert_eq!(folder.run("-include pre.cu main.cu -arch=sm_90 -ptx -o c").status, 0);
    let ptx = String::from_utf8(folder.read("c")).unwrap();
    assert!(ptx.contains(".entry _Z1kP3Pre("), "{ptx}");
}
