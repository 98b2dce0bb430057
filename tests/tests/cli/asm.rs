//! `warpsmith asm`, and the way there and back.

use crate::support::{Folder, sample, sample_names};

#[test]
fn every_sample_comes_back_from_its_listing() {
    let folder = Folder::new("asm-back");
    for name in sample_names() {
        let bytes = sample(&name);
        folder.write("k.cubin", &bytes);
        folder.run("disasm k.cubin -o k.sass").success();
        folder.run("asm k.sass -o back.cubin").success();
        assert!(folder.read("back.cubin") == bytes, "{name}");
    }
}

#[test]
fn an_edit_changes_its_word() {
    let folder = Folder::with("asm-edit", "scale.sm_75.cubin");
    let listing = folder.run("disasm k.cubin").success();
    folder.write("k.sass", listing.replace("UMOV UR7, 0x4", "UMOV UR7, 0x8"));
    folder.run("asm k.sass -o edited.cubin").success();
    let code = folder.run("disasm edited.cubin --code").success();
    assert_eq!(code.matches("UMOV UR7, 0x8").count(), 1);
    let (old, new) = (folder.read("k.cubin"), folder.read("edited.cubin"));
    let changed = old.iter().zip(&new).filter(|(old, new)| old != new).count();
    assert_eq!((old.len() == new.len(), changed), (true, 1));
}

#[test]
fn standard_input_and_output() {
    let folder = Folder::with("asm-pipe", "call.sm_80.relocatable.cubin");
    let listing = folder.run("disasm k.cubin").success();
    let run = folder.run_with_input("asm - -o k2.cubin", listing.as_bytes());
    assert_eq!(run.success(), "");
    assert!(folder.read("k2.cubin") == folder.read("k.cubin"));
}

#[test]
fn a_mistake_has_file_line_and_column_and_leaves_the_old_file() {
    let folder = Folder::with("asm-mistake", "scale.sm_75.cubin");
    let listing = folder.run("disasm k.cubin").success();
    let edited = listing.replace("  EXIT", "  EXITT");
    let line = edited.lines().position(|line| line.contains("EXITT")).unwrap() + 1;
    folder.write("k.sass", edited);
    folder.write("out.cubin", "old");
    let refusal = folder.run("asm k.sass -o out.cubin").refusal();
    assert!(
        refusal.starts_with(&format!("error: k.sass:{line}:")) && refusal.contains("EXITT"),
        "{refusal}"
    );
    assert_eq!(folder.read("out.cubin"), b"old");
    assert_eq!(folder.names(), ["k.cubin", "k.sass", "out.cubin"]);
}

#[test]
fn what_is_no_listing_leaves_no_file() {
    let folder = Folder::with("asm-none", "scale.sm_75.cubin");
    folder.write("text.sass", "hello\n");
    folder.write("empty.sass", "");
    for (file, start) in [
        ("text.sass", "error: text.sass:1:1: "),
        ("empty.sass", "error: empty.sass:1:1: "),
        (
            "k.cubin",
            "error: k.cubin: offset 0x12: is no text: a byte here is not UTF-8\n",
        ),
        ("missing.sass", "error: missing.sass: cannot read: "),
        (".", "error: .: cannot read: "),
    ] {
        let refusal = folder.run(&format!("asm {file} -o out.cubin")).refusal();
        assert!(refusal.starts_with(start), "{refusal}");
        assert!(!folder.path("out.cubin").exists(), "{file}");
    }
}

#[test]
fn many_mistakes_are_counted() {
    let folder = Folder::new("asm-many");
    folder.write("k.sass", "hello\n".repeat(1000));
    let refusal = folder.run("asm k.sass -o out.cubin").refusal();
    assert_eq!(refusal.lines().count(), 51, "{refusal}");
    assert!(refusal.ends_with("more messages are not shown\n"), "{refusal}");
}

#[test]
fn the_output_is_required() {
    let folder = Folder::new("asm-usage");
    let run = folder.run("asm k.sass");
    assert_eq!((run.status, run.out.as_str()), (2, ""));
    assert!(run.errors.contains("--output <CUBIN>"), "{}", run.errors);
}
