//! Checks the codec against pairs of word and text.

use std::collections::BTreeMap;
use std::path::PathBuf;

use warpsmith_sass::{Control, Instruction, PlainText, parse};
use warpsmith_target::Isa;

use crate::common::{self, Outcome};

/// Check the codec against pairs of an instruction's word and its text
///
/// The lines are `word<TAB>text`, with the text `!illegal` for words that must be refused. Printed are counts, and the
/// disagreements by form.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The generation, such as 90
    isa: Isa,
    /// Files of such lines
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
}

#[derive(Default)]
struct Counts {
    text: (u64, u64),
    word: (u64, u64),
    refused: (u64, u64),
}

pub(crate) fn run(arguments: &Arguments) -> common::Result {
    let isa = arguments.isa;
    let mut counts = Counts::default();
    let mut wrong: BTreeMap<String, (u64, String)> = BTreeMap::new();
    let mut note = |key: String, detail: String| {
        let entry = wrong.entry(key).or_insert((0, detail));
        entry.0 += 1;
    };
    for file in &arguments.files {
        let text = common::read_text(file)?;
        // Words of a `random` list were disassembled one after the other; all others at address 0.
        for (n, line) in text.lines().filter(|l| !l.starts_with('#')).enumerate() {
            let address = if line.contains("\trandom\t") { n as u64 * 16 } else { 0 };
            let place = PlainText { address };
            let mut columns = line.split('\t');
            let (Some(word), Some(expected)) = (columns.next(), columns.next()) else {
                continue;
            };
            let Ok(word) = u128::from_str_radix(word, 16) else {
                continue;
            };
            let decoded = Instruction::decode(isa, word);
            if expected == "!illegal" {
                counts.refused.1 += 1;
                match decoded {
                    Err(_) => counts.refused.0 += 1,
                    Ok(i) => note(
                        format!("ACCEPTED {} {}", i.mnemonic(), i.form().name),
                        format!("{word:032x} {i}"),
                    ),
                }
                continue;
            }
            counts.text.1 += 1;
            counts.word.1 += 1;
            let i = match decoded {
                Ok(i) => i,
                Err(e) => {
                    note(
                        format!(
                            "REFUSED {}",
                            expected.split(['.', ' ']).find(|w| !w.starts_with('@')).unwrap_or("")
                        ),
                        format!("{word:032x} {expected}: {e}"),
                    );
                    continue;
                }
            };
            let mut printed = String::new();
            i.write_text(&mut printed, &place);
            let printed = printed.trim_end().replace("  ", " ");
            let hidden = expected == "!hidden" && i.form().hidden;
            if hidden {
                counts.text.0 += 1;
                counts.word.0 += 1;
                continue;
            }
            if printed == expected {
                counts.text.0 += 1;
            } else {
                note(
                    format!("TEXT {} {}", i.mnemonic(), i.form().name),
                    format!("{word:032x}\n      want {expected}\n      have {printed}"),
                );
            }
            match parse(isa, expected, &place) {
                Ok(p) => {
                    let control = Control::MASK;
                    if (p.word() ^ word) & !control == 0 {
                        counts.word.0 += 1;
                    } else {
                        note(
                            format!("WORD {} {} as {}", i.mnemonic(), i.form().name, p.form().name),
                            format!(
                                "{word:032x}\n      have {:032x} diff {:032x} {expected}",
                                p.word(),
                                (p.word() ^ word) & !control
                            ),
                        );
                    }
                }
                Err(e) => note(
                    format!("PARSE {} {}", i.mnemonic(), i.form().name),
                    format!("{expected}: {e}"),
                ),
            }
        }
    }
    for (key, (count, detail)) in &wrong {
        println!("{count:6} {key}\n      {detail}");
    }
    println!(
        "sm_{}: text {}/{} word {}/{} refused {}/{}",
        isa.name(),
        counts.text.0,
        counts.text.1,
        counts.word.0,
        counts.word.1,
        counts.refused.0,
        counts.refused.1
    );
    Ok(Outcome::good_if(wrong.is_empty()))
}
