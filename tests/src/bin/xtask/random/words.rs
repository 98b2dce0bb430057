//! Random instruction words.

use std::io::Write;

use warpsmith_target::Isa;
use warpsmith_tests::{Random, random_instruction};

use crate::common::{self, Outcome};

/// Print random instruction words drawn over all forms, operands and modifiers of a generation
///
/// There is one line of `word<TAB>form` each, to compare the codec with other disassemblers.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The generation, such as 90
    isa: Isa,
    /// How many
    count: usize,
    /// The seed
    seed: u64,
}

pub(crate) fn run(arguments: &Arguments) -> common::Result {
    let mut random = Random::new(arguments.seed);
    let forms: Vec<_> = warpsmith_sass::forms(arguments.isa).collect();
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    for n in 0..arguments.count {
        let form = forms[n % forms.len()];
        let word = random_instruction(form, arguments.isa, &mut random);
        writeln!(out, "{word:032x}\t{} {}", form.opcode.mnemonic(), form.name)?;
    }
    out.flush()?;
    Ok(Outcome::Good)
}
