//! Cubins by the rules of `warpsmith_sass::hazard`, which ptxas' code must keep: what is found is either a fault of the rules or of ptxas.

use std::{
    collections::BTreeMap,
    fmt, fs,
    path::{Path, PathBuf},
};

use warpsmith_cubin::Cubin;
use warpsmith_sass::{Instruction, hazard::check_straight};

/// Counts for a generation.
#[derive(Debug, Default)]
struct Counts {
    files: usize,
    instructions: usize,
    findings: usize,
    /// By class: how many, and the first.
    classes: BTreeMap<String, (usize, String)>,
}

/// Findings by generation.
#[derive(Debug, Default)]
pub struct Report {
    generations: BTreeMap<String, Counts>,
}

/// Checks every function of every `step`th cubin in folders and those below them, as if nothing branched.
///
/// # Errors
/// A folder that cannot be read.
pub fn count(paths: &[PathBuf], step: usize) -> Result<Report, String> {
    let mut report = Report::default();
    for path in super::corpus::cubins(paths)?.iter().step_by(step.max(1)) {
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
        let counts = self.generations.entry(isa.name().to_string()).or_default();
        counts.files += 1;
        for (section, function) in cubin.functions() {
            let words = cubin.section_bytes(section).unwrap_or_default().chunks_exact(16);
            let code: Vec<Instruction> = words
                .filter_map(|word| Instruction::decode(isa, u128::from_le_bytes(word.try_into().ok()?)).ok())
                .collect();
            counts.instructions += code.len();
            for (index, hazard) in check_straight(&code) {
                counts.findings += 1;
                let Some(instruction) = code.get(index) else { continue };
                let class = format!("{} {}", mnemonic(&hazard.message), instruction.mnemonic());
                let first = || {
                    let file = path.file_name().unwrap_or_default().to_string_lossy();
                    format!("{file} {function} {:#x}: {instruction}: {hazard}", 16 * index)
                };
                counts.classes.entry(class).or_insert_with(|| (0, first())).0 += 1;
            }
        }
    }
}

/// The mnemonic of the earlier instruction, which a message quotes.
fn mnemonic(message: &str) -> &str {
    let text = message.split('`').nth(1).unwrap_or_default();
    let words = text.split_whitespace().find(|word| !word.starts_with('@'));
    words.and_then(|word| word.split('.').next()).unwrap_or_default()
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (generation, counts) in &self.generations {
            writeln!(
                f,
                "sm_{generation}: {} files, {} instructions, {} findings",
                counts.files, counts.instructions, counts.findings
            )?;
            let mut classes: Vec<_> = counts.classes.iter().collect();
            classes.sort_by_key(|(_, (count, _))| std::cmp::Reverse(*count));
            for (class, (count, first)) in classes {
                writeln!(f, "  {count:>6} {class}: {first}")?;
            }
        }
        Ok(())
    }
}
