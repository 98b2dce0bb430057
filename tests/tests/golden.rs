//! The golden pairs: every word decodes to nvdisasm's text, every text assembles to its word, every refused word is refused.
//! What is not so is listed in `golden/known.txt`, exactly.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use warpsmith_sass::{Instruction, PlainText, parse};
use warpsmith_target::Isa;
use warpsmith_tests::{golden, is_golden};

/// What the codec makes of one golden pair, where that is not what the pair says.
fn disagreement(isa: Isa, word: u128, text: &str) -> Option<(&'static str, String)> {
    let decoded = Instruction::decode(isa, word);
    if text == "!illegal" {
        return decoded
            .ok()
            .map(|i| ("accepted", format!("{} {}", i.mnemonic(), i.form().name)));
    }
    let Ok(instruction) = decoded else {
        return Some(("refused", text.split(['.', ' ']).next().unwrap_or("").to_string()));
    };
    let form = format!("{} {}", instruction.mnemonic(), instruction.form().name);
    if instruction.to_string() != text {
        return Some(("text", form));
    }
    match parse(isa, text, &PlainText::default()) {
        Err(_) => Some(("parse", form)),
        Ok(parsed) if !is_golden(&parsed, word) => Some(("word", form)),
        Ok(_) => None,
    }
}

fn summary(isa: Isa) -> String {
    let mut found: BTreeMap<(&str, String), u32> = BTreeMap::new();
    let pairs = golden(isa);
    let total = pairs.len();
    for (word, text) in pairs {
        if let Some(key) = disagreement(isa, word, &text) {
            *found.entry(key).or_default() += 1;
        }
    }
    let mut out = format!("sm_{}: {total} pairs\n", isa.name());
    for ((kind, form), count) in found {
        let _ = writeln!(out, "  {kind:<8} {count:4} {form}");
    }
    out
}

#[test]
fn golden_pairs_hold_but_for_the_known_ones() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden/known.txt");
    let threads: Vec<_> = Isa::ALL
        .iter()
        .map(|&isa| std::thread::spawn(move || summary(isa)))
        .collect();
    let found: String = threads
        .into_iter()
        .map(|t| t.join().expect("no panic on a golden pair"))
        .collect();
    if std::env::var_os("WARPSMITH_BLESS").is_some() {
        std::fs::write(&path, &found).expect("the list is writable");
    }
    let known = std::fs::read_to_string(&path).expect("the list is there");
    assert!(
        found == known,
        "the golden pairs and golden/known.txt disagree; found:\n{found}"
    );
}
