//! What two compilers' code has in common, seen from one side: distances that one leaves and the other never does, results that one waits for and the other
//! never does, orders that one keeps and the other does not. Where hardware's rules are not written down, what a compiler that is known to be right never
//! does is the best sign of one.
//!
//! Code is read in the order in which it stands, and not across ways out. Instructions of a kind are told apart by opcode, and by their first modifier where
//! that says what they do.

use std::{collections::BTreeMap, fmt, fs, path::PathBuf};

use warpsmith_cubin::Cubin;
use warpsmith_sass::{
    Flow, Instruction, Latency, Opcode, RegisterClass, Use,
    hazard::{Footprint, Touched},
};

use super::distances::file_name;

/// Beyond so many cycles nothing is looked at.
const FAR: u64 = 120;

/// Registers of a warp, over all files.
const REGISTERS: usize = 528;

/// How two instructions have to do with each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Relation {
    /// The second reads what the first writes.
    Reads,
    /// The guard of the second is what the first writes.
    Guards,
    /// The second writes what the first reads.
    Overwrites,
    /// The second writes what the first writes.
    Rewrites,
    /// The second comes next, and waits for nothing.
    Precedes,
    /// The second comes while what the first has told a scoreboard may not have happened.
    Follows,
}

impl Relation {
    fn name(self) -> &'static str {
        match self {
            Relation::Reads => "read by",
            Relation::Guards => "guard of",
            Relation::Overwrites => "its operand written by",
            Relation::Rewrites => "its result written by",
            Relation::Precedes => "before",
            Relation::Follows => "in flight at",
        }
    }
}

/// Relation, first and second instruction, and what of the first: the file of the register, the operand, or the scoreboard.
type Kind = (Relation, String, String, String);

/// What was seen of a kind.
#[derive(Clone, Debug, Default)]
struct Seen {
    /// How often a scoreboard had been waited for.
    covered: usize,
    /// How often none had, by distance.
    open: BTreeMap<u64, usize>,
    /// Where the least distance is.
    example: String,
}

impl Seen {
    fn add(&mut self, distance: Option<u64>, example: impl FnOnce() -> String) {
        let Some(distance) = distance else {
            self.covered += 1;
            return;
        };
        if self.least().is_none_or(|(least, _)| distance < least) {
            self.example = example();
        }
        *self.open.entry(distance).or_default() += 1;
    }

    fn least(&self) -> Option<(u64, usize)> {
        self.open.first_key_value().map(|(distance, count)| (*distance, *count))
    }

    fn count(&self) -> usize {
        self.covered + self.open.values().sum::<usize>()
    }

    /// How often the other side would have done what it never does, if it were like this one.
    fn expected(&self, other: &Seen) -> f64 {
        let below = match other.least() {
            Some((least, _)) => self.open.range(..least).map(|(_, count)| count).sum::<usize>(),
            None => self.open.values().sum(),
        };
        below as f64 / self.count().max(1) as f64 * other.count() as f64
    }

    fn text(&self) -> String {
        let distances = self.open.iter().take(3);
        let mut parts: Vec<String> = distances
            .map(|(distance, count)| format!("{distance}: {count}"))
            .collect();
        parts.push(format!("waits: {}", self.covered));
        format!("{} of {}", parts.join(", "), self.count())
    }
}

/// What instructions of an opcode tell scoreboards.
#[derive(Clone, Debug, Default)]
struct Tells {
    count: usize,
    write: usize,
    read: usize,
    stall: BTreeMap<u8, usize>,
}

/// The habits of one compiler, by generation.
#[derive(Clone, Debug, Default)]
struct Habits {
    files: usize,
    kinds: BTreeMap<Kind, Seen>,
    tells: BTreeMap<String, Tells>,
}

/// The habits of two compilers.
#[derive(Debug, Default)]
pub struct Report {
    generations: BTreeMap<String, [Habits; 2]>,
    /// How often a kind must be seen on the other side to count.
    pub often: usize,
}

/// Reads the cubins of two folders, ours and theirs; of one folder, all that is seen is told.
///
/// # Errors
/// A folder that cannot be read; no folder, or more than two.
pub fn compare(folders: &[PathBuf], fine: bool, often: usize) -> Result<Report, String> {
    if !(1..=2).contains(&folders.len()) {
        return Err("a folder or two are wanted: ours, and theirs".to_string());
    }
    let mut report = Report {
        often: often.max(1),
        ..Report::default()
    };
    for (side, folder) in folders.iter().enumerate() {
        for path in super::corpus::cubins(std::slice::from_ref(folder))? {
            let Ok(bytes) = fs::read(&path) else { continue };
            let Ok(cubin) = Cubin::read(&bytes) else { continue };
            let Some(isa) = cubin.target().map(|sm| sm.isa()) else {
                continue;
            };
            let habits = &mut report.generations.entry(isa.name().to_string()).or_default()[side];
            habits.files += 1;
            let file = path.file_name().unwrap_or_default().to_string_lossy();
            for (section, function) in cubin.functions() {
                let words = cubin.section_bytes(section).unwrap_or_default().chunks_exact(16);
                let code: Vec<Instruction> = words
                    .filter_map(|word| Instruction::decode(isa, u128::from_le_bytes(word.try_into().ok()?)).ok())
                    .collect();
                habits.follow(&code, fine, &|at| format!("{file} {function} {:#x}", 16 * at));
            }
        }
    }
    Ok(report)
}

/// An instruction in flight.
#[derive(Clone, Copy, Debug)]
struct Issued {
    index: usize,
    now: u64,
    write: Option<u8>,
    read: Option<u8>,
    /// Whether the scoreboards have been waited for.
    written: bool,
    done_reading: bool,
}

/// What is in flight at a place.
struct Flight {
    now: u64,
    issued: Vec<Issued>,
    /// By register, the place in `issued` of its last writer, and those of its readers since, with the operand.
    writer: Vec<Option<usize>>,
    readers: Vec<Vec<(usize, Touched)>>,
}

impl Flight {
    fn new() -> Flight {
        Flight {
            now: 0,
            issued: Vec::new(),
            writer: vec![None; REGISTERS],
            readers: vec![Vec::new(); REGISTERS],
        }
    }

    fn clear(&mut self) {
        self.issued.clear();
        self.writer.fill(None);
        self.readers.iter_mut().for_each(Vec::clear);
    }

    /// Notes an instruction, and lets its cycles pass.
    fn issue(&mut self, index: usize, instruction: &Instruction, footprint: &Footprint) {
        let control = instruction.control();
        let at = self.issued.len();
        self.issued.push(Issued {
            index,
            now: self.now,
            write: control.write_scoreboard,
            read: control.read_scoreboard,
            written: false,
            done_reading: false,
        });
        for read in footprint.reads() {
            let Some(register) = slot(read.class(), read.number()) else {
                continue;
            };
            if self.readers[register].iter().all(|(known, _)| *known != at) {
                self.readers[register].push((at, *read));
            }
        }
        let written = footprint
            .writes()
            .filter_map(|write| slot(write.class(), write.number()));
        for register in written {
            self.writer[register] = Some(at);
            self.readers[register].clear();
        }
        self.now += match (control.stall, control.keep_issuing) {
            (0, false) => 2,
            (stall, _) => u64::from(stall.max(1)),
        };
        if leaves(instruction) {
            self.clear();
        }
    }

    fn wait(&mut self, scoreboard: u8) {
        for issued in self.issued.iter_mut().rev() {
            if self.now - issued.now > 8 * FAR {
                break;
            }
            issued.written |= issued.write == Some(scoreboard);
            issued.done_reading |= issued.read == Some(scoreboard);
        }
    }
}

/// An instruction of a function.
struct Step<'s> {
    /// The code, its names, and where it stands.
    code: &'s [Instruction],
    names: &'s [String],
    place: &'s dyn Fn(usize) -> String,
    /// Operands are told apart.
    fine: bool,
    index: usize,
}

impl Step<'_> {
    fn instruction(&self) -> &Instruction {
        &self.code[self.index]
    }

    fn kind(&self, relation: Relation, first: usize, what: &str) -> Kind {
        (
            relation,
            self.names[first].clone(),
            self.names[self.index].clone(),
            what.to_owned(),
        )
    }

    /// What is said of a register that the first of two instructions uses.
    fn operand(&self, touched: &Touched) -> String {
        let file = file_name(touched.class());
        match touched.place() {
            Use::Operand { name, word } if self.fine => format!("{file} {name:?}.{word}"),
            Use::Operand { .. } | Use::Guard => file.to_owned(),
        }
    }
}

impl Habits {
    fn follow(&mut self, code: &[Instruction], fine: bool, place: &dyn Fn(usize) -> String) {
        let names: Vec<String> = code.iter().map(|one| name(one, fine)).collect();
        let mut flight = Flight::new();
        for (index, instruction) in code.iter().enumerate() {
            let control = instruction.control();
            // A wait of `DEPBAR` for some of what is in flight: of the rest nothing is known.
            let waits =
                |scoreboard: &u8| control.wait_mask >> scoreboard & 1 != 0 || instruction.opcode() == Opcode::Depbar;
            (0..6).filter(waits).for_each(|scoreboard| flight.wait(scoreboard));
            let step = Step {
                code,
                names: &names,
                place,
                fine,
                index,
            };
            let footprint = Footprint::of(instruction);
            self.reads(&step, &footprint, &flight);
            self.writes(&step, &footprint, &flight);
            if let Some(before) = flight.issued.last().filter(|_| control.wait_mask == 0) {
                let kind = step.kind(Relation::Precedes, before.index, "");
                self.add(&step, kind, Some(flight.now - before.now));
            }
            if orders(instruction) {
                self.order(&step, &flight);
            }
            self.tell(&names[index], instruction);
            flight.issue(index, instruction, &footprint);
        }
    }

    fn add(&mut self, step: &Step<'_>, kind: Kind, distance: Option<u64>) {
        let example = || format!("{}: {}", (step.place)(step.index), step.instruction());
        self.kinds.entry(kind).or_default().add(distance, example);
    }

    fn reads(&mut self, step: &Step<'_>, footprint: &Footprint, flight: &Flight) {
        for read in footprint.reads() {
            let register = slot(read.class(), read.number());
            let Some(writer) = register.and_then(|register| flight.writer[register]) else {
                continue;
            };
            let writer = flight.issued[writer];
            let relation = match read.place() {
                Use::Guard => Relation::Guards,
                Use::Operand { .. } => Relation::Reads,
            };
            let open = !(writer.write.is_some() && writer.written);
            let distance = flight.now - writer.now;
            if !open || distance <= FAR {
                let kind = step.kind(relation, writer.index, file_name(read.class()));
                self.add(step, kind, open.then_some(distance));
            }
        }
    }

    fn writes(&mut self, step: &Step<'_>, footprint: &Footprint, flight: &Flight) {
        for write in footprint.writes() {
            let Some(register) = slot(write.class(), write.number()) else {
                continue;
            };
            for (reader, touched) in &flight.readers[register] {
                let reader = flight.issued[*reader];
                let told = reader.read.is_some() && reader.done_reading || reader.write.is_some() && reader.written;
                let distance = flight.now - reader.now;
                if told || distance <= FAR {
                    let kind = step.kind(Relation::Overwrites, reader.index, &step.operand(touched));
                    self.add(step, kind, (!told).then_some(distance));
                }
            }
            let Some(writer) = flight.writer[register].map(|at| flight.issued[at]) else {
                continue;
            };
            let told = writer.write.is_some() && writer.written;
            let distance = flight.now - writer.now;
            if told || distance <= FAR {
                let kind = step.kind(Relation::Rewrites, writer.index, file_name(write.class()));
                self.add(step, kind, (!told).then_some(distance));
            }
        }
    }

    fn order(&mut self, step: &Step<'_>, flight: &Flight) {
        for issued in flight.issued.iter().rev().take_while(|one| flight.now - one.now <= FAR) {
            for (scoreboard, over, which) in [
                (issued.write, issued.written, "result"),
                (issued.read, issued.done_reading, "operands"),
            ] {
                if scoreboard.is_some() {
                    let kind = step.kind(Relation::Follows, issued.index, which);
                    self.add(step, kind, (!over).then_some(flight.now - issued.now));
                }
            }
        }
    }

    fn tell(&mut self, name: &str, instruction: &Instruction) {
        let control = instruction.control();
        let tells = self.tells.entry(name.to_owned()).or_default();
        tells.count += 1;
        tells.write += usize::from(control.write_scoreboard.is_some());
        tells.read += usize::from(control.read_scoreboard.is_some());
        *tells.stall.entry(control.stall).or_default() += 1;
    }
}

/// Whether what is in flight may matter to an instruction though no register tells: it goes to memory, to other threads, or away.
fn orders(instruction: &Instruction) -> bool {
    !matches!(instruction.timing().latency, Latency::Fixed) || instruction.flow() != Flow::None
}

/// Whether nothing behind an instruction follows it.
fn leaves(instruction: &Instruction) -> bool {
    instruction.guard().is_none()
        && matches!(
            instruction.flow(),
            Flow::Branch | Flow::Indirect | Flow::Return | Flow::Exit | Flow::Trap | Flow::Call
        )
}

/// The place of a register in the tables.
fn slot(class: RegisterClass, number: u8) -> Option<usize> {
    let number = usize::from(number);
    match class {
        RegisterClass::Gpr => Some(number),
        RegisterClass::UniformGpr => Some(256 + number),
        RegisterClass::Predicate => Some(512 + number % 8),
        RegisterClass::UniformPredicate => Some(520 + number % 8),
        RegisterClass::Barrier | RegisterClass::Scoreboard => None,
    }
}

/// Mnemonic with its first modifier, where opcodes do several things; with `fine`, with all; the opcode alone for others.
fn name(instruction: &Instruction, fine: bool) -> String {
    const SEVERAL: [Opcode; 7] = [
        Opcode::Syncs,
        Opcode::Membar,
        Opcode::Fence,
        Opcode::Bar,
        Opcode::Cctl,
        Opcode::Utmacctl,
        Opcode::Warpgroup,
    ];
    let full = super::distances::name(instruction);
    let parts = match (fine, SEVERAL.contains(&instruction.opcode())) {
        (true, _) => return full,
        (false, several) => 1 + usize::from(several),
    };
    full.split('.').take(parts).collect::<Vec<_>>().join(".")
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (generation, [ours, theirs]) in &self.generations {
            writeln!(
                f,
                "sm_{generation}: {} files of ours, {} of theirs",
                ours.files, theirs.files
            )?;
            if theirs.files == 0 {
                for ((relation, first, second, what), seen) in &ours.kinds {
                    if seen.count() >= self.often {
                        writeln!(
                            f,
                            "  {first} ({what}) {} {second}: {} | {}",
                            relation.name(),
                            seen.text(),
                            seen.example
                        )?;
                    }
                }
                continue;
            }
            let compared = ours.kinds.iter().filter_map(|(kind, own)| {
                let other = theirs.kinds.get(kind)?;
                Some((own.expected(other), kind, own, other))
            });
            let mut rows: Vec<_> = compared.filter(|row| row.0 >= self.often as f64).collect();
            rows.sort_by(|a, b| a.1.0.cmp(&b.1.0).then(b.0.total_cmp(&a.0)));
            for (expected, (relation, first, second, what), own, other) in rows {
                writeln!(
                    f,
                    "  {first} ({what}) {} {second}: {} | theirs {}, {expected:.0} expected | {}",
                    relation.name(),
                    own.text(),
                    other.text(),
                    own.example
                )?;
            }
            for (name, own) in &ours.tells {
                let Some(other) = theirs.tells.get(name).filter(|other| other.count >= self.often) else {
                    if !theirs.tells.contains_key(name) {
                        writeln!(f, "  {name}: {} times, theirs never", own.count)?;
                    }
                    continue;
                };
                let share = |part: usize, tells: &Tells| part as f64 / tells.count as f64;
                for (what, part) in [
                    ("its end", [own.write, other.write]),
                    ("its reading", [own.read, other.read]),
                ] {
                    if share(part[1], other) - share(part[0], own) > 0.5 {
                        writeln!(
                            f,
                            "  {name} tells {what}: {} of {} | theirs {} of {}",
                            part[0], own.count, part[1], other.count
                        )?;
                    }
                }
                let least = |tells: &Tells| tells.stall.iter().next().map(|(stall, count)| (*stall, *count));
                if let (Some(own_least), Some(other_least)) = (least(own), least(other))
                    && own_least.0 < other_least.0
                {
                    writeln!(
                        f,
                        "  {name} stalls at least {} ({} of {}) | theirs {} ({} of {})",
                        own_least.0, own_least.1, own.count, other_least.0, other_least.1, other.count
                    )?;
                }
            }
        }
        Ok(())
    }
}
