//! Prints the codec's coverage per encoding generation, as the table of `docs/status/instruction-set.md` shows it.

use warpsmith_sass::{Instruction, PlainText, parse};
use warpsmith_target::{Isa, Sm};
use warpsmith_tests::{golden, is_golden};

use crate::common::{self, Outcome};

/// Print the codec's coverage per encoding generation
///
/// It is the table of docs/status/instruction-set.md.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {}

pub(crate) fn run(_: &Arguments) -> common::Result {
    println!("| generation | SMs | forms | seen from ptxas | golden text | golden words assembled | refused words |");
    println!("|---|---|---|---|---|---|---|");
    for &isa in Isa::ALL {
        let sms: Vec<&str> = Sm::ALL
            .iter()
            .filter(|s| s.isa() == isa)
            .map(|s| s.name().trim_start_matches("sm_"))
            .collect();
        let forms = warpsmith_sass::forms(isa).count();
        let seen = warpsmith_sass::forms(isa).filter(|f| f.seen.contains(isa)).count();
        let (mut text, mut word, mut refused) = ((0, 0), (0, 0), (0, 0));
        for (bits, expected) in golden(isa) {
            let decoded = Instruction::decode(isa, bits);
            if expected == "!illegal" {
                refused = (refused.0 + u32::from(decoded.is_err()), refused.1 + 1);
                continue;
            }
            let same_text = decoded.is_ok_and(|i| i.to_string() == expected);
            let parsed = parse(isa, &expected, &PlainText::default());
            let same_word = parsed.is_ok_and(|i| is_golden(&i, bits));
            text = (text.0 + u32::from(same_text), text.1 + 1);
            word = (word.0 + u32::from(same_word), word.1 + 1);
        }
        println!(
            "| sm_{} | {} | {forms} | {seen} | {} / {} | {} / {} | {} / {} |",
            isa.name(),
            sms.join(" "),
            text.0,
            text.1,
            word.0,
            word.1,
            refused.0,
            refused.1
        );
    }
    Ok(Outcome::Good)
}
