//! Prints random instruction words drawn over all forms, operands and modifiers of a generation: `random-words ISA COUNT SEED`, one
//! line of `word<TAB>form` each. For comparing the codec with other disassemblers.

use std::io::Write;
use warpsmith_target::Isa;
use warpsmith_tests::{Random, random_instruction};

fn main() {
    let mut args = std::env::args().skip(1);
    let mut next = || args.next().expect("usage: random-words ISA COUNT SEED");
    let isa: Isa = next().parse().expect("an encoding generation");
    let count: usize = next().parse().expect("a count");
    let mut random = Random::new(next().parse().expect("a seed"));
    let forms: Vec<_> = warpsmith_sass::forms(isa).collect();
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    for n in 0..count {
        let form = forms[n % forms.len()];
        let word = random_instruction(form, isa, &mut random);
        writeln!(out, "{word:032x}\t{} {}", form.opcode.mnemonic(), form.name).expect("standard output");
    }
}
