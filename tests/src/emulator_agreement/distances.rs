//! The distances that ptxas leaves between dependent instructions, against those that the table of timings lets the scheduler go down to. The table knows
//! groups of instructions; here every mnemonic with its modifiers stands for itself, so that a member of a group that needs more than the others is seen.

use std::{
    collections::BTreeMap,
    fmt, fs,
    path::{Path, PathBuf},
};

use warpsmith_cubin::Cubin;
use warpsmith_sass::{Flow, Instruction, Latency, RegisterClass, Use, hazard::Footprint, raw_distance};

/// Beyond this distance nothing is in flight.
const FAR: u64 = 40;

/// A kind of dependence: producer, consumer, register file and how the consumer uses it.
type Kind = (String, String, &'static str, &'static str);

/// How often a dependence was seen, and where it was least.
#[derive(Clone, Debug, Default)]
struct Seen {
    least: u64,
    at_least: usize,
    count: usize,
    /// What the table asks for.
    table: u64,
    example: String,
}

impl Seen {
    fn add(&mut self, distance: u64, table: u64, example: impl FnOnce() -> String) {
        if self.count == 0 || distance < self.least {
            (self.least, self.at_least) = (distance, 0);
            self.example = example();
        }
        self.count += 1;
        self.at_least += usize::from(distance == self.least);
        self.table = self.table.max(table);
    }
}

/// Dependences by generation.
#[derive(Debug, Default)]
pub struct Report {
    generations: BTreeMap<String, BTreeMap<Kind, Seen>>,
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

/// The instruction that wrote a register last, when, and the register's place in the result.
type Writer = (usize, u64, u8);

impl Report {
    fn add(&mut self, path: &Path, cubin: &Cubin) {
        let Some(isa) = cubin.target().map(|sm| sm.isa()) else {
            return;
        };
        let kinds = self.generations.entry(isa.name().to_string()).or_default();
        let file = path.file_name().unwrap_or_default().to_string_lossy();
        for (section, function) in cubin.functions() {
            let words = cubin.section_bytes(section).unwrap_or_default().chunks_exact(16);
            let code: Vec<Instruction> = words
                .filter_map(|word| Instruction::decode(isa, u128::from_le_bytes(word.try_into().ok()?)).ok())
                .collect();
            let mut writers: BTreeMap<(&str, u8), Writer> = BTreeMap::new();
            let mut now = 0_u64;
            for (index, instruction) in code.iter().enumerate() {
                let footprint = Footprint::of(instruction);
                for read in footprint.reads() {
                    let Some(&(by, issued, word)) = writers.get(&(file_name(read.class()), read.number())) else {
                        continue;
                    };
                    if now - issued > FAR {
                        continue;
                    }
                    let producer = &code[by];
                    let place = if read.place() == Use::Guard { "guard" } else { "operand" };
                    let kind = (name(producer), name(instruction), file_name(read.class()), place);
                    let least = table(producer, read.class(), word, instruction, read.place());
                    kinds.entry(kind).or_default().add(now - issued, least, || {
                        format!("{file} {function} {:#x}: {instruction}", 16 * index)
                    });
                }
                for write in footprint.writes() {
                    let key = (file_name(write.class()), write.number());
                    match instruction.timing().latency {
                        Latency::Fixed if instruction.control().write_scoreboard.is_none() => {
                            writers.insert(key, (index, now, write.word()));
                        }
                        Latency::Fixed | Latency::Scoreboard | Latency::Async | Latency::None => {
                            writers.remove(&key);
                        }
                    }
                }
                let control = instruction.control();
                now += match (control.stall, control.keep_issuing) {
                    (0, false) => 2 * FAR,
                    (stall, _) => u64::from(stall.max(1)),
                };
                let leaves = instruction.guard().is_none()
                    && matches!(
                        instruction.flow(),
                        Flow::Branch | Flow::Indirect | Flow::Return | Flow::Exit | Flow::Trap | Flow::Call
                    );
                if leaves {
                    writers.clear();
                }
            }
        }
    }
}

/// Cycles that the scheduler leaves at least.
fn table(producer: &Instruction, class: RegisterClass, word: u8, consumer: &Instruction, place: Use) -> u64 {
    let range = producer.timing().results.iter().find(|range| range.class == class);
    let found = raw_distance(producer, class, word, consumer, place).filter(|distance| !distance.weak);
    let cycles = match found {
        Some(distance) if place == Use::Guard => distance.cycles,
        Some(distance) => distance.cycles.max(range.map_or(0, |range| range.smallest)),
        None => range.map_or(0, |range| match place {
            Use::Guard => range.guard.unwrap_or(range.largest).max(range.largest),
            Use::Operand { .. } => range.largest,
        }),
    };
    u64::from(cycles)
}

/// Mnemonic and modifiers.
pub(super) fn name(instruction: &Instruction) -> String {
    let text = instruction.to_string();
    let word = text.split_whitespace().find(|word| !word.starts_with('@'));
    word.unwrap_or_default().to_owned()
}

/// The short name of a register file.
pub(super) fn file_name(class: RegisterClass) -> &'static str {
    match class {
        RegisterClass::Gpr => "R",
        RegisterClass::UniformGpr => "UR",
        RegisterClass::Predicate => "P",
        RegisterClass::UniformPredicate => "UP",
        RegisterClass::Barrier => "B",
        RegisterClass::Scoreboard => "SB",
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (generation, kinds) in &self.generations {
            writeln!(
                f,
                "sm_{generation}: {} kinds of dependences; where the table has less:",
                kinds.len()
            )?;
            for ((producer, consumer, file, place), seen) in kinds {
                if seen.table < seen.least && seen.count >= 2 {
                    writeln!(
                        f,
                        "  {producer:<24} -> {consumer:<24} {file:<2} {place:<7} table {:>2}, least {:>2} ({} of {}) {}",
                        seen.table, seen.least, seen.at_least, seen.count, seen.example
                    )?;
                }
            }
        }
        Ok(())
    }
}
