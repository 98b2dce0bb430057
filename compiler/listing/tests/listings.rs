//! Listings of small cubins, whole.
//!
//! The files in `expected` were made by this crate and checked to equal nvdisasm 13.5's output for the
//! same cubin and options. `cargo xtask bless listings` writes them anew.

use std::path::PathBuf;

use warpsmith_cubin::{Content, Cubin};
use warpsmith_listing::{LineInfo, ListingOptions, control_flow_graph, disassemble, disassemble_raw};
use warpsmith_target::Sm;

const CUBINS: &[&str] = &[
    "scale.sm_75.cubin",
    "scale.sm_90.lineinfo.cubin",
    "scale.sm_100a.cubin",
    "scale.sm_120.debug.cubin",
    "call.sm_80.relocatable.cubin",
    "call.sm_100.relocatable.cubin",
];

fn bytes(name: &str) -> Vec<u8> {
    let path: PathBuf = [env!("CARGO_MANIFEST_DIR"), "..", "..", "tests", "cubins", name]
        .iter()
        .collect();
    std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn listing(bytes: &[u8], options: &ListingOptions) -> String {
    let cubin = Cubin::read(bytes).unwrap();
    let mut out = Vec::new();
    disassemble(&cubin, options, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn check(name: &str, kind: &str, text: &str) {
    let path: PathBuf = [
        env!("CARGO_MANIFEST_DIR"),
        "tests",
        "expected",
        &format!("{name}.{kind}"),
    ]
    .iter()
    .collect();
    if std::env::var_os("WARPSMITH_BLESS").is_some() {
        std::fs::write(&path, text).unwrap();
        return;
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    for (number, (expected, found)) in expected.lines().zip(text.lines()).enumerate() {
        assert_eq!(expected, found, "{name} {kind}, line {}", number + 1);
    }
    assert_eq!(expected.len(), text.len(), "{name} {kind}: one text goes on");
}

fn check_all(kind: &str, options: &ListingOptions) {
    for name in CUBINS {
        check(name, kind, &listing(&bytes(name), options));
    }
}

#[test]
fn everything() {
    check_all("all", &ListingOptions::nvdisasm());
}

#[test]
fn code_with_encodings() {
    check_all(
        "hex",
        &ListingOptions {
            code_only: true,
            encodings: true,
            ..ListingOptions::nvdisasm()
        },
    );
}

#[test]
fn code_with_source_lines() {
    for (kind, line_info) in [
        ("lines", LineInfo::Lines),
        ("inlined", LineInfo::Inlined),
        ("ptx", LineInfo::Ptx),
    ] {
        let options = ListingOptions {
            code_only: true,
            line_info,
            ..ListingOptions::nvdisasm()
        };
        for name in ["scale.sm_90.lineinfo.cubin", "scale.sm_120.debug.cubin"] {
            check(name, kind, &listing(&bytes(name), &options));
        }
    }
}

#[test]
fn json() {
    check_all(
        "json",
        &ListingOptions {
            json: true,
            ..ListingOptions::nvdisasm()
        },
    );
}

#[test]
fn graph() {
    let cubin = Cubin::read(&bytes("scale.sm_90.lineinfo.cubin")).unwrap();
    let mut out = Vec::new();
    control_flow_graph(&cubin, &ListingOptions::default(), &mut out).unwrap();
    check("scale.sm_90.lineinfo.cubin", "dot", &String::from_utf8(out).unwrap());
}

#[test]
fn one_function() {
    let cubin = bytes("call.sm_80.relocatable.cubin");
    let symbols = Cubin::read(&cubin).unwrap();
    let kernel = symbols.symbols().iter().position(|symbol| symbol.is_entry()).unwrap() as u32;
    let headings = |functions| {
        let options = ListingOptions {
            code_only: true,
            functions,
            ..ListingOptions::nvdisasm()
        };
        let text = listing(&cubin, &options);
        text.lines()
            .filter(|line| line.contains("- .text."))
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let heading = "//--------------------- .text.call                --------------------------";
    assert_eq!(headings(vec![]), [heading]);
    assert_eq!(headings(vec![kernel]), [heading]);
    assert_eq!(
        headings(vec![1]),
        [] as [&str; 0],
        "a symbol that is no code selects no code"
    );
}

#[test]
fn a_word_that_is_no_instruction() {
    let mut cubin = Cubin::read(&bytes("scale.sm_75.cubin")).unwrap();
    let code = cubin
        .sections
        .iter_mut()
        .find(|section| section.name.starts_with(".text."))
        .unwrap();
    let Content::Bytes(words) = &mut code.content else {
        panic!("code has bytes")
    };
    words[0x20..0x30].fill(0xff);
    let error = disassemble(&cubin, &ListingOptions::nvdisasm(), &mut Vec::new()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "section .text.scale, offset 0x20: illegal stall number 31 (legal: 0 to 15, 17 to 27)"
    );
}

#[test]
fn a_truncated_info_record() {
    let mut cubin = Cubin::read(&bytes("scale.sm_75.cubin")).unwrap();
    let info = cubin
        .sections
        .iter_mut()
        .find(|section| section.name == ".nv.info")
        .unwrap();
    let Content::Bytes(records) = &mut info.content else {
        panic!(".nv.info has bytes")
    };
    records.truncate(6);
    let error = disassemble(&cubin, &ListingOptions::nvdisasm(), &mut Vec::new()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "section .nv.info, offset 0x4: a payload of 8 bytes runs past the section"
    );
}

/// A relocation that names a symbol that there is not has no name and no value, in every form of the listing.
#[test]
fn relocations_to_no_symbol() {
    for sample in [
        "call.sm_80.relocatable.cubin",
        "call.sm_100.relocatable.cubin",
        "scale.sm_75.cubin",
    ] {
        let mut cubin = Cubin::read(&bytes(sample)).unwrap();
        let mut changed = 0;
        for section in &mut cubin.sections {
            if let Content::Relocations { entries, .. } = &mut section.content {
                for entry in entries {
                    entry.symbol = 0x00cd_0005;
                    changed += 1;
                }
            }
        }
        assert!(changed > 0, "{sample}");
        for (json, encodings, raw) in [
            (true, false, false),
            (false, false, false),
            (false, true, false),
            (false, false, true),
        ] {
            let options = ListingOptions {
                json,
                encodings,
                raw,
                ..ListingOptions::nvdisasm()
            };
            let mut out = Vec::new();
            disassemble(&cubin, &options, &mut out).unwrap();
            assert!(!out.is_empty(), "{sample}");
        }
    }
}

#[test]
fn bare_words() {
    let nop = 0x000f_c200_0000_0000_0000_0000_0000_7918_u128.to_le_bytes();
    let unscheduled = 0x000f_c000_0000_0000_0000_0000_0000_7918_u128.to_le_bytes();
    let mut out = Vec::new();
    let options = ListingOptions {
        encodings: true,
        ..ListingOptions::nvdisasm()
    };
    disassemble_raw(Sm::Sm90, &[nop, unscheduled].concat(), 0x100, &options, &mut out).unwrap();
    let flags = "\t.headerflags\t@\"EF_CUDA_64BIT_ADDRESS EF_CUDA_SM90 EF_CUDA_VIRTUAL_SM(EF_CUDA_SM90)\"\n";
    assert_eq!(
        String::from_utf8(out).unwrap(),
        format!(
            "{flags}{flags}\
             \u{20}       /*0100*/                   NOP ;  /* 0x0000000000007918 */\n\
             \u{20}                                         /* 0x000fc20000000000 */\n\
             \u{20}       /*0110*/                   NOP;   /* 0x0000000000007918 */\n\
             \u{20}                                         /* 0x000fc00000000000 */\n"
        )
    );
    let error = disassemble_raw(Sm::Sm90, &nop[..15], 0, &options, &mut Vec::new()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "15 bytes are no whole number of 16-byte instructions"
    );
}
