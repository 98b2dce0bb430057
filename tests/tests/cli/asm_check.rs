//! What `warpsmith asm` refuses because the machine cannot run it.

use crate::support::Folder;

/// The listing of a sample with one text replaced, and the number of the line that has the new text.
fn edited(folder: &Folder, old: &str, new: &str) -> usize {
    let listing = folder.run("disasm k.cubin").success();
    assert!(listing.contains(old), "no {old} in {listing}");
    let text = listing.replacen(old, new, 1);
    let line = text.lines().position(|line| line.contains(new)).unwrap() + 1;
    folder.write("k.sass", text);
    line
}

#[track_caller]
fn refused(name: &str, old: &str, new: &str, options: &str, message: &str) {
    let folder = Folder::with(&format!("asm-check-{name}"), "scale.sm_75.cubin");
    let line = edited(&folder, old, new);
    let refusal = folder.run(&format!("asm k.sass -o out.cubin {options}")).refusal();
    assert!(refusal.starts_with(&format!("error: k.sass:{line}:")), "{refusal}");
    assert!(refusal.contains(message), "{refusal}");
    assert!(!folder.path("out.cubin").exists());
}

#[test]
fn registers_that_the_function_has_not() {
    let message = "R8 is used, and REGCOUNT says that the function has 8 registers";
    refused("beyond", "STG.E.SYS [UR4], R2", "STG.E.SYS [UR4], R8", "", message);
    let message = "R40 is used, and REGCOUNT says that the function has 8 registers";
    refused("beyond-2", "FFMA R2, R2,", "FFMA R40, R2,", "", message);
    let message = "R9 is used, and REGCOUNT says that the function has 8 registers";
    refused(
        "beyond-3",
        "LDG.E.SYS R3, [UR6+0x8]",
        "LDG.E.128.SYS R6, [UR6+0x8]",
        "",
        message,
    );
}

#[test]
fn tuples_that_are_not_aligned() {
    let message = "R3 cannot be the first of 2 registers: it must be a multiple of 2";
    refused("odd", "LDG.E.SYS R3,", "LDG.E.64.SYS R3,", "", message);
    let message = "R2 cannot be the first of 4 registers: it must be a multiple of 4";
    refused("quad", "LDG.E.SYS R3,", "LDG.E.128.SYS R2,", "", message);
    let message = "UR5 cannot be the first of 2 registers: it must be a multiple of 2";
    refused("uniform", "ULDC.64 UR4, c", "ULDC.64 UR5, c", "", message);
}

#[test]
fn constants_that_are_not_aligned() {
    let message = "offset 0x164 of a constant of 8 bytes must be a multiple of 8";
    refused(
        "wide",
        "ULDC.64 UR4, c[0x0][0x160]",
        "ULDC.64 UR4, c[0x0][0x164]",
        "",
        message,
    );
    let message = "offset 0x16a of a constant of 4 bytes must be a multiple of 4";
    refused(
        "word",
        "ULDC UR6, c[0x0][0x168]",
        "ULDC UR6, c[0x0][0x16a]",
        "",
        message,
    );
    refused(
        "operand",
        "MOV R1, c[0x0][0x28]",
        "MOV R1, c[0x0][0x29]",
        "",
        "0x29 is not a multiple of 4",
    );
}

#[test]
fn branches_to_nowhere() {
    refused(
        "far",
        "BRA .L1",
        "BRA 0x1000",
        "",
        "0x1000 lies outside of the function, which has 0x180 bytes",
    );
    refused(
        "between",
        "BRA .L1",
        "BRA 0x104",
        "",
        "0x104 is no place of an instruction",
    );
}

#[test]
fn numbers_and_names_that_are_none() {
    let message = "LDG: 0x1000000 does not fit in 24 bits";
    refused("bits", "[UR6+0x8]", "[UR6+0x1000000]", "", message);
    let message = "unknown instruction `FFMMA`; is FFMA meant?";
    refused("name", "FFMA R2", "FFMMA R2", "", message);
}

#[test]
fn what_the_clock_does_not_stand_is_asked_for() {
    let folder = Folder::with("asm-check-clock", "scale.sm_75.cubin");
    let line = edited(
        &folder,
        "[s08 y w- r- wait=0-----]       FFMA",
        "[s08 y w- r- wait=------]       FFMA",
    );
    folder.run("asm k.sass -o out.cubin").success();
    let refusal = folder.run("asm k.sass -o out2.cubin --check").refusal();
    assert!(refusal.starts_with(&format!("error: k.sass:{line}:")), "{refusal}");
    assert!(refusal.contains("R3"), "{refusal}");
}

#[test]
fn a_line_without_control_word_is_named() {
    let folder = Folder::with("asm-check-control", "scale.sm_75.cubin");
    let line = edited(&folder, "[s00 y w- r- wait=------]       NOP", "NOP");
    let run = folder.run("asm k.sass -o out.cubin --check");
    assert_eq!(run.status, 0);
    assert!(
        run.errors.starts_with(&format!("warning: k.sass:{line}:")),
        "{}",
        run.errors
    );
    assert!(run.errors.contains("has no control word"), "{}", run.errors);
}

#[test]
fn every_sample_passes() {
    let folder = Folder::new("asm-check-samples");
    for name in crate::support::sample_names() {
        folder.write("k.cubin", crate::support::sample(&name));
        folder.run("disasm k.cubin -o k.sass").success();
        folder.run("asm k.sass -o back.cubin --check").success();
    }
}
