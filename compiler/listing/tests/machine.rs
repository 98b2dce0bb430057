//! Code that ptxas wrote passes what the assembler checks: registers, alignments, branches, stall counts, scoreboards and convergence barriers.

use std::{fs, path::Path};

use warpsmith_cubin::Cubin;
use warpsmith_listing::{assemble_to_run, native};

#[test]
fn every_sample_passes() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/cubins");
    let mut count = 0;
    for entry in fs::read_dir(folder).expect("the folder exists") {
        let path = entry.expect("the folder is readable").path();
        if path.extension().is_none_or(|extension| extension != "cubin") {
            continue;
        }
        let bytes = fs::read(&path).expect("the file is readable");
        let cubin = Cubin::read(&bytes).expect("a cubin");
        let mut listing = Vec::new();
        native::disassemble(&cubin, &warpsmith_listing::ListingOptions::default(), &mut listing).expect("a listing");
        let listing = String::from_utf8(listing).expect("text");
        let made = assemble_to_run(&listing, "k.sass", true)
            .unwrap_or_else(|errors| panic!("{}: {}", path.display(), errors[0]));
        assert!(made.cubin == bytes && made.warnings.is_empty(), "{}", path.display());
        count += 1;
    }
    assert_eq!(count, 6);
}

/// The listing of a sample with one text replaced, and the number of the line that has the new text.
fn edited(old: &str, new: &str) -> (String, usize) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/cubins/scale.sm_75.cubin");
    let cubin = Cubin::read(&fs::read(path).expect("the file is readable")).expect("a cubin");
    let mut listing = Vec::new();
    native::disassemble(&cubin, &warpsmith_listing::ListingOptions::default(), &mut listing).expect("a listing");
    let listing = String::from_utf8(listing).expect("text");
    assert!(listing.contains(old), "no {old} in {listing}");
    let text = listing.replacen(old, new, 1);
    let line = text.lines().position(|line| line.contains(new)).expect("it is there") + 1;
    (text, line)
}

#[track_caller]
fn refused(old: &str, new: &str, thorough: bool, message: &str) {
    let (text, line) = edited(old, new);
    let errors = assemble_to_run(&text, "k.sass", thorough).expect_err(new);
    let first = errors[0].to_string();
    assert!(first.starts_with(&format!("error: k.sass:{line}:")), "{first}");
    assert!(first.contains(message), "{first}");
}

#[test]
fn registers_that_the_function_has_not() {
    let message = "R8 is used, and REGCOUNT says that the function has 8 registers";
    refused("STG.E.SYS [UR4], R2", "STG.E.SYS [UR4], R8", false, message);
    let message = "R40 is used, and REGCOUNT says that the function has 8 registers";
    refused("FFMA R2, R2,", "FFMA R40, R2,", false, message);
    let message = "R9 is used, and REGCOUNT says that the function has 8 registers";
    refused("LDG.E.SYS R3, [UR6+0x8]", "LDG.E.128.SYS R6, [UR6+0x8]", false, message);
}

#[test]
fn tuples_that_are_not_aligned() {
    let message = "R3 cannot be the first of 2 registers: it must be a multiple of 2";
    refused("LDG.E.SYS R3,", "LDG.E.64.SYS R3,", false, message);
    let message = "R2 cannot be the first of 4 registers: it must be a multiple of 4";
    refused("LDG.E.SYS R3,", "LDG.E.128.SYS R2,", false, message);
    let message = "UR5 cannot be the first of 2 registers: it must be a multiple of 2";
    refused("ULDC.64 UR4, c", "ULDC.64 UR5, c", false, message);
}

#[test]
fn constants_that_are_not_aligned() {
    let message = "offset 0x164 of a constant of 8 bytes must be a multiple of 8";
    refused(
        "ULDC.64 UR4, c[0x0][0x160]",
        "ULDC.64 UR4, c[0x0][0x164]",
        false,
        message,
    );
    let message = "offset 0x16a of a constant of 4 bytes must be a multiple of 4";
    refused("ULDC UR6, c[0x0][0x168]", "ULDC UR6, c[0x0][0x16a]", false, message);
    refused(
        "MOV R1, c[0x0][0x28]",
        "MOV R1, c[0x0][0x29]",
        false,
        "0x29 is not a multiple of 4",
    );
}

#[test]
fn branches_to_nowhere() {
    refused(
        "BRA .L1",
        "BRA 0x1000",
        false,
        "0x1000 lies outside of the function, which has 0x180 bytes",
    );
    refused("BRA .L1", "BRA 0x104", false, "0x104 is no place of an instruction");
}

#[test]
fn numbers_and_names_that_are_none() {
    let message = "LDG: 0x1000000 does not fit in 24 bits";
    refused("[UR6+0x8]", "[UR6+0x1000000]", false, message);
    let message = "unknown instruction `FFMMA`; is FFMA meant?";
    refused("FFMA R2", "FFMMA R2", false, message);
}

#[test]
fn what_the_clock_does_not_stand_is_asked_for() {
    let (old, new) = (
        "[s08 y w- r- wait=0-----]       FFMA",
        "[s08 y w- r- wait=------]       FFMA",
    );
    refused(
        old,
        new,
        true,
        "R2 is read while `LDS.U R2, [0x4]` may still have to write it",
    );
    assert!(assemble_to_run(&edited(old, new).0, "k.sass", false).is_ok());
}

#[test]
fn a_line_without_control_word_is_named() {
    let (text, line) = edited("[s00 y w- r- wait=------]       NOP", "NOP");
    let made = assemble_to_run(&text, "k.sass", true).expect("it can run");
    let warnings: Vec<String> = made.warnings.iter().map(ToString::to_string).collect();
    assert_eq!(warnings.len(), 1);
    assert!(
        warnings[0].starts_with(&format!("warning: k.sass:{line}:")),
        "{}",
        warnings[0]
    );
    assert!(warnings[0].contains("has no control word"), "{}", warnings[0]);
}
