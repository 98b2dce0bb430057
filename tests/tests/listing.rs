//! Listings in Warpsmith's style: back to the same file, edited by hand, and refused.

use std::path::PathBuf;

use warpsmith_cubin::{Cubin, SymbolSection};
use warpsmith_listing::{LineInfo, ListingOptions, native};
use warpsmith_sass::{Instruction, PlainText};
use warpsmith_target::Isa;
use warpsmith_tests::Random;

fn cubins() -> Vec<(PathBuf, Vec<u8>)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("cubins");
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    paths.retain(|path| path.extension().is_some_and(|end| end == "cubin"));
    paths.sort();
    paths
        .into_iter()
        .map(|path| (path.clone(), std::fs::read(path).unwrap()))
        .collect()
}

fn listing(bytes: &[u8]) -> String {
    let mut text = Vec::new();
    native::disassemble(&Cubin::read(bytes).unwrap(), &ListingOptions::default(), &mut text).unwrap();
    String::from_utf8(text).unwrap()
}

/// The instructions of a section of code as text.
fn code(bytes: &[u8], section: &str, isa: Isa) -> Vec<String> {
    let cubin = Cubin::read(bytes).unwrap();
    let (_, section) = cubin.section_by_name(section).unwrap();
    let words = section
        .bytes()
        .unwrap()
        .chunks_exact(16)
        .enumerate()
        .map(|(number, word)| {
            let word = u128::from_le_bytes(word.try_into().unwrap());
            let instruction = Instruction::decode(isa, word).unwrap();
            let mut text = format!("s{} ", instruction.control().stall);
            instruction.write_text(
                &mut text,
                &PlainText {
                    address: number as u64 * 16,
                },
            );
            text
        });
    words.collect()
}

fn errors(source: &str) -> Vec<String> {
    let diagnostics = native::assemble(source, "k.sass").unwrap_err();
    diagnostics.iter().map(|diagnostic| diagnostic.to_string()).collect()
}

#[test]
fn every_cubin_comes_back() {
    let cubins = cubins();
    assert_eq!(cubins.len(), 6);
    for (path, bytes) in cubins {
        let again =
            native::assemble(&listing(&bytes), "k.sass").unwrap_or_else(|errors| panic!("{path:?}: {}", errors[0]));
        assert!(again == bytes, "{path:?}");
    }
}

/// Source lines and words are comments, which change nothing.
#[test]
fn comments_change_nothing() {
    let cubins = cubins();
    let (_, bytes) = cubins
        .iter()
        .find(|(path, _)| path.ends_with("scale.sm_90.lineinfo.cubin"))
        .unwrap();
    let options = ListingOptions {
        line_info: LineInfo::Lines,
        encodings: true,
        ..ListingOptions::default()
    };
    let mut text = Vec::new();
    native::disassemble(&Cubin::read(bytes).unwrap(), &options, &mut text).unwrap();
    let text = String::from_utf8(text).unwrap();
    assert!(text.contains("    // scale.cu:8\n"), "{text}");
    assert!(text != listing(bytes));
    assert!(native::assemble(&text, "k.sass").unwrap() == *bytes);
}

/// What the code of one function looks like.
const SMALL: &str = "\
.target sm_90
.type executable

.section .shstrtab, STRTAB

.section .strtab, STRTAB

.section .symtab, SYMTAB
    .symbol k, FUNC, GLOBAL, STO_CUDA_ENTRY, in=.text.k, size=.Lend-k

.section .nv.info.k, CUDA_INFO, info_link
    .info EXIT_INSTR_OFFSETS .Lexit

.section .text.k, PROGBITS, alloc, exec
k:
    [s05 y w- r- wait=------] MOV R0, RZ
.Lloop:
    [s12 y w- r- wait=------] ISETP.NE.AND P0, PT, R0, 0x10, PT
    [s05 y w- r- wait=0-----] @P0 IADD3 R0, R0, 0x1, RZ
    [s05 - w- r- wait=------] @P0 BRA .Lloop
.Lexit:
    EXIT
.Lend:
.end
";

#[test]
fn written_by_hand() {
    let bytes = native::assemble(SMALL, "k.sass").unwrap();
    let expected = [
        "s5 MOV R0, RZ",
        "s12 ISETP.NE.AND P0, PT, R0, 0x10, PT",
        "s5 @P0 IADD3 R0, R0, 0x1, RZ",
        "s5 @P0 BRA 0x10",
        "s1 EXIT",
    ];
    assert_eq!(code(&bytes, ".text.k", Isa::Sm90), expected);
    let cubin = Cubin::read(&bytes).unwrap();
    let (number, symbol) = cubin.symbol_by_name("k").unwrap();
    let (text, section) = cubin.section_by_name(".text.k").unwrap();
    assert_eq!(
        (symbol.section, symbol.value, symbol.size),
        (SymbolSection::Section(text), 0, 5 * 16)
    );
    assert_eq!((section.info, section.alignment), (number, 128));
    let (info, _) = cubin.section_by_name(".nv.info.k").unwrap();
    assert_eq!(cubin.info_records(info).unwrap()[0].value.words(), Some(vec![4 * 16]));
    assert_eq!(native::assemble(&listing(&bytes), "k.sass").unwrap(), bytes);
}

#[test]
fn an_edit_moves_what_follows() {
    let edited = SMALL
        .replace("k:\n", "k:\n    NOP\n")
        .replace("[s12 y", "[s13 y")
        .replace("@P0 IADD3", "@!P0 IADD3.X");
    let edited = edited
        .replace("R0, 0x1, RZ", "R0, 0x1, RZ, P1, !PT")
        .replace("BRA .Lloop", "BRA .Lexit");
    let bytes = native::assemble(&edited, "k.sass").unwrap();
    let expected = [
        "s1 NOP",
        "s5 MOV R0, RZ",
        "s13 ISETP.NE.AND P0, PT, R0, 0x10, PT",
        "s5 @!P0 IADD3.X R0, R0, 0x1, RZ, P1, !PT",
        "s5 @P0 BRA 0x50",
        "s1 EXIT",
    ];
    assert_eq!(code(&bytes, ".text.k", Isa::Sm90), expected);
    let cubin = Cubin::read(&bytes).unwrap();
    assert_eq!(cubin.symbol_by_name("k").unwrap().1.size, 6 * 16);
    let (info, _) = cubin.section_by_name(".nv.info.k").unwrap();
    assert_eq!(cubin.info_records(info).unwrap()[0].value.words(), Some(vec![5 * 16]));
}

#[test]
fn words_that_are_no_instruction() {
    let source = SMALL.replace(
        "    EXIT\n",
        "    .word128 0xffffffffffffffffffffffffffffffff\n    EXIT ^0x100000000\n",
    );
    let bytes = native::assemble(&source, "k.sass").unwrap();
    let text = listing(&bytes);
    assert!(
        text.contains("    /*0040*/ .word128 0xffffffffffffffffffffffffffffffff\n"),
        "{text}"
    );
    assert!(
        text.contains("    /*0050*/ [s01 - w- r- wait=------]       EXIT ^0x100000000\n"),
        "{text}"
    );
    assert_eq!(native::assemble(&text, "k.sass").unwrap(), bytes);
}

#[test]
fn relocations_stand_where_they_apply() {
    let bytes = &cubins()
        .into_iter()
        .find(|(path, _)| path.ends_with("call.sm_80.relocatable.cubin"))
        .unwrap()
        .1;
    let text = listing(bytes);
    let call = text.find("    .rel R_CUDA_ABS47_34, outside\n").unwrap();
    assert!(text[call..].lines().nth(1).unwrap().ends_with(" CALL.ABS.NOINC 0x0"));
    let edited = text.replace("call:\n", "call:\n    NOP\n");
    let edited = Cubin::read(&native::assemble(&edited, "k.sass").unwrap()).unwrap();
    let before = Cubin::read(bytes).unwrap();
    let (code, _) = before.section_by_name(".text.call").unwrap();
    for (entry, moved) in before.relocations_for(code).iter().zip(edited.relocations_for(code)) {
        let addend = if entry.addend == 0 { 0 } else { entry.addend + 16 };
        assert_eq!((moved.offset, moved.addend), (entry.offset + 16, addend));
    }
}

#[test]
fn faults_of_instructions() {
    let bad = |from: &str, to: &str| errors(&SMALL.replace(from, to));
    assert_eq!(
        bad("MOV R0", "MOVE R0"),
        ["error: k.sass:16:31: instruction: unknown instruction `MOVE`; is MOV meant?"]
    );
    assert_eq!(
        bad("MOV R0, RZ", "MOV R300, RZ"),
        ["error: k.sass:16:35: instruction: MOV: no form of sm_90 goes on with `R300, RZ`"]
    );
    assert_eq!(
        bad("BRA .Lloop", "BRA .Lopp"),
        ["error: k.sass:20:39: instruction: there is no label `.Lopp`"]
    );
    assert_eq!(
        bad("BRA .Lloop", "BRA table").last().map(String::as_str),
        Some("error: k.sass:20:39: instruction: there is no label `table`")
    );
    assert_eq!(
        bad(".Lexit:\n", ".Lexit:\nk:\n"),
        ["error: k.sass:22:1: label: there is a label `k` already"]
    );
    assert_eq!(
        bad("[s12 y", "[s16 y"),
        [
            "error: k.sass:18:6: instruction: `s16` is no control information: s00 to s15, y or -, wN, rN, wait=N…, reuse=N"
        ]
    );
    assert_eq!(
        bad("[s12 y", "[s12 -"),
        ["error: k.sass:18:31: instruction: illegal stall number 28 (legal: 0 to 15, 17 to 27)"]
    );
    assert_eq!(
        bad("wait=0-----] @P0", "wait=0-----"),
        [
            "error: k.sass:19:30: instruction: `IADD3` is no control information: s00 to s15, y or -, wN, rN, wait=N…, reuse=N"
        ]
    );
    assert_eq!(
        bad("    EXIT\n", "    EXIT ^\n    EXIT extra\n"),
        [
            "error: k.sass:22:11: instruction: the line ends where a number is expected",
            "error: k.sass:23:10: instruction: EXIT: no form of sm_90 goes on with `extra`",
        ]
    );
}

#[test]
fn faults_of_directives() {
    let bad = |from: &str, to: &str| errors(&SMALL.replace(from, to));
    assert_eq!(
        bad(".type exec", ".typo exec"),
        ["error: k.sass:2:1: .typo: there is no such directive"]
    );
    assert_eq!(
        bad("k:\n", "k:\n    .word 1,\n    .quad 0x10000000000000000\n"),
        [
            "error: k.sass:16:13: .word: the line ends where a number is expected",
            "error: k.sass:17:11: .quad: 0x10000000000000000 does not fit in 64 bits",
        ]
    );
    assert_eq!(
        bad(".section .text.k, PROGBITS", ".section .text.k, PROGBIT"),
        ["error: k.sass:14:19: .section: there is no section type `PROGBIT`"]
    );
    assert_eq!(
        bad("in=.text.k", "in=.text.j"),
        ["error: k.sass:9:49: .symbol: there is no section `.text.j`"]
    );
    assert_eq!(
        bad("    .info", "    .symbol"),
        ["error: k.sass:12:5: .symbol: this does not stand in a section of CUDA_INFO"]
    );
    assert_eq!(
        bad("EXIT_INSTR", "ENTRY"),
        ["error: k.sass:12:11: .info: there is no attribute `ENTRY_OFFSETS`"]
    );
    assert_eq!(
        bad("size=.Lend-k", "size=.Lends-k"),
        ["error: k.sass:9:63: .symbol: there is no label `.Lends`"]
    );
    assert_eq!(
        bad("k:\n", "k:\n    .rela R_CUDA_32, k\n"),
        ["error: k.sass:16:5: .rela: there is no RELA section for .text.k that it could stand in"]
    );
    assert_eq!(
        errors(""),
        [
            "error: k.sass:1:1: the listing ends without `.end`: a part of it is missing",
            "error: k.sass:1:1: there is no `.target` line",
        ]
    );
    assert_eq!(
        errors(&SMALL.replace("sm_90", "sm_7")),
        ["error: k.sass:1:9: .target: unknown target 'sm_7'; did you mean sm_75 or sm_87?"]
    );
    assert_eq!(
        errors(".target sm_90\n.end\nNOP\n"),
        ["error: k.sass:3:1: instruction: nothing stands after `.end`"]
    );
    assert_eq!(
        errors(".target sm_90\n    NOP\n    .word 1\n.end\n"),
        [
            "error: k.sass:2:5: instruction: an instruction stands in a section of code",
            "error: k.sass:3:5: .word: this stands in a section, and no `.section` comes before it",
        ]
    );
}

/// A listing that ends early is refused wherever it ends.
#[test]
fn truncated_listings() {
    for (path, bytes) in cubins() {
        let text = listing(&bytes);
        let whole = text.trim_end().len();
        for (end, _) in text[..whole].match_indices('\n') {
            assert!(native::assemble(&text[..end], "k.sass").is_err(), "{path:?} to {end}");
        }
    }
}

/// Damaged listings give a file or errors, and never a panic.
#[test]
fn damaged_listings() {
    let mut random = Random::new(1);
    let texts: Vec<String> = cubins().iter().map(|(_, bytes)| listing(bytes)).collect();
    let fragments = [
        "",
        "\"",
        ",",
        "=",
        "-",
        ":",
        "[",
        "]",
        "0xffffffffffffffff",
        ".L1",
        "\u{e9}",
        "/*",
        "x\"0",
        "@P0 ",
        " ^1 ",
        "\n",
        "k",
    ];
    for round in 0..600 {
        let mut text = texts[round % texts.len()].clone();
        for _ in 0..1 + random.below(4) {
            let mut at = random.below(text.len() as u64) as usize;
            while !text.is_char_boundary(at) {
                at -= 1;
            }
            let length = random.below(12) as usize;
            let end = text[at..]
                .char_indices()
                .nth(length)
                .map_or(text.len(), |(offset, _)| at + offset);
            text.replace_range(at..end, fragments[random.below(fragments.len() as u64) as usize]);
        }
        if let Err(errors) = native::assemble(&text, "k.sass") {
            assert!(!errors.is_empty());
        }
    }
}
