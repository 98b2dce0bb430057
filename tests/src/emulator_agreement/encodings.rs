//! Bits of instructions that their text does not tell: what ptxas sets there, against what the assembler sets for the same text. Hardware may look at them
//! where the disassembler does not.

use std::{
    collections::BTreeMap,
    fmt, fs,
    path::{Path, PathBuf},
};

use warpsmith_cubin::Cubin;
use warpsmith_sass::{Control, Instruction, PlainText, parse};

/// Words of a form whose bits differ alike: how many, of how many of the form, and the first.
#[derive(Clone, Debug, Default)]
struct Form {
    words: usize,
    differing: BTreeMap<u128, (usize, String)>,
}

/// What was found, by generation and form.
#[derive(Debug, Default)]
pub struct Report {
    generations: BTreeMap<String, BTreeMap<String, Form>>,
}

/// Reads every cubin in folders and those below them.
///
/// # Errors
/// A folder that cannot be read.
pub fn count(paths: &[PathBuf]) -> Result<Report, String> {
    let mut report = Report::default();
    for path in &super::corpus::cubins(paths)? {
        let Ok(bytes) = fs::read(path) else { continue };
        let Ok(cubin) = Cubin::read(&bytes) else { continue };
        report.add(path, &cubin);
    }
    Ok(report)
}

impl Report {
    fn add(&mut self, path: &Path, cubin: &Cubin) {
        let Some(isa) = cubin.target().map(|sm| sm.isa()) else {
            return;
        };
        let forms = self.generations.entry(isa.name().to_string()).or_default();
        for (section, function) in cubin.functions() {
            let words = cubin.section_bytes(section).unwrap_or_default().chunks_exact(16);
            for (index, word) in words.enumerate() {
                let Some(word) = word.try_into().ok().map(u128::from_le_bytes) else {
                    continue;
                };
                let Ok(instruction) = Instruction::decode(isa, word) else {
                    continue;
                };
                let text = instruction.to_string();
                let Ok(again) = parse(isa, &text, &PlainText::default()) else {
                    continue;
                };
                if again.form().name != instruction.form().name {
                    continue;
                }
                let plain = |instruction: &Instruction| instruction.with_control(Control::NONE).word();
                let difference = plain(&instruction) ^ plain(&again);
                let name = format!("{} {}", instruction.mnemonic(), instruction.form().name);
                let form = forms.entry(name).or_default();
                form.words += 1;
                if difference != 0 {
                    let file = path.file_name().unwrap_or_default().to_string_lossy();
                    let first = || format!("{file} {function} {:#x}: {text} {word:#034x}", 16 * index);
                    form.differing.entry(difference).or_insert_with(|| (0, first())).0 += 1;
                }
            }
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (generation, forms) in &self.generations {
            let words: usize = forms.values().map(|form| form.words).sum();
            writeln!(f, "sm_{generation}: {words} words of {} forms", forms.len())?;
            for (name, form) in forms {
                for (difference, (count, first)) in &form.differing {
                    let bits: Vec<String> = (0..128)
                        .filter(|bit| difference >> bit & 1 != 0)
                        .map(|bit| bit.to_string())
                        .collect();
                    writeln!(
                        f,
                        "  {name}: {count} of {}: bits {}: {first}",
                        form.words,
                        bits.join(",")
                    )?;
                }
            }
        }
        Ok(())
    }
}
