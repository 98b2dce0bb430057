//! Timing: on which pipe an instruction runs, how its result becomes ready, and how far dependent instructions must be apart.
//!
//! What enters: decoded instructions. What leaves: [`Timing`] of one instruction, a [`Distance`] between two, and the
//! [`rule`]s that hold for all. Distances are issue cycles: the sum of the stall counts from the first instruction up to the
//! second. Every number is a row of `isa-tables/timing.tbl`, which says how it is known: observed in the output of ptxas
//! 13.0.88, not measured on a GPU.
//!
//! Invariants: every instruction that decodes has a [`Timing`]; a distance that was never seen is `None`, not a guess; no query
//! allocates.

use crate::instruction::Instruction;
use crate::model::{Place, RegisterClass};
use crate::tables::FieldName;
use warpsmith_target::Isa;

use data::{CLASS_START, CLASSES, CONDITION_START, CONDITIONS, GROUPS, INTERVALS, RAW, TIMINGS, WAW};
pub use data::{LatencyGroup, Pipe, Queue, rule};

/// Types and tables generated from `isa-tables/timing.tbl`.
#[allow(clippy::all, unreachable_pub)]
#[rustfmt::skip]
mod data {
    use super::{Awaiting, Cell, Class, Condition, Evidence, GroupInfo, Latency, Matrix, Orders, Printed, Tells};
    use super::{RegisterClass, ResultRange, Rule, RuleValue, Timing, isas};
    include!(concat!(env!("OUT_DIR"), "/timing.rs"));
}

/// How the result of an instruction becomes ready.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Latency {
    /// A fixed distance after issue; needs no scoreboard.
    Fixed,
    /// When the write scoreboard says so.
    Scoreboard,
    /// After a wait that is an instruction of its own (warpgroup and tensor memory operations).
    Async,
    /// It writes no register.
    None,
}

/// How a fact is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Evidence {
    /// Stated by the vendor's profiler documentation or its engineers.
    Documented,
    /// Seen in the output of ptxas 13.0.88.
    Observed,
    /// Seen only in an earlier, smaller survey.
    FirstPass,
    /// Concluded: a latency from a neighbouring generation, a pipe from issue intervals.
    Inferred,
    /// Never seen; taken from its family.
    Hypothesis,
}

/// The scoreboard by which an instruction without a result tells that what it does is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Tells {
    /// The scoreboard of results.
    Write,
    /// The scoreboard of sources.
    Read,
}

/// Who waits for an instruction that tells when it is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Awaiting {
    /// The next instruction.
    Next,
    /// Barriers, fences, the end of the thread, and other accesses to shared memory.
    Ordering,
}

/// What an instruction that puts others in order waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Orders {
    /// What others tell to [`Awaiting::Ordering`].
    Effects,
    /// Every scoreboard in flight.
    All,
}

/// The range of distances at which results of an instruction were used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ResultRange {
    /// Register file of the result.
    pub class: RegisterClass,
    /// Smallest distance over all kinds of consumers.
    pub smallest: u8,
    /// Largest of the smallest distances to each kind of consumer: enough for every kind that was seen.
    pub largest: u8,
    /// Smallest distance to a guard, for a predicate that was used as one.
    pub guard: Option<u8>,
    /// Dependences seen.
    pub observations: u32,
}

/// The timing properties of an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timing {
    /// The pipe that executes it.
    pub pipe: Pipe,
    /// How the pipe is known.
    pub pipe_evidence: Evidence,
    /// How its result becomes ready.
    pub latency: Latency,
    /// How the latency kind is known.
    pub evidence: Evidence,
    /// Instructions seen; 0 where none was.
    pub observations: u32,
    /// Its row and column in the matrices.
    pub group: LatencyGroup,
    /// Distances at which its results were used, per register file.
    pub results: &'static [ResultRange],
    /// ptxas was seen to set a scoreboard for the result.
    pub sets_write_scoreboard: bool,
    /// ptxas was seen to set a scoreboard for the sources: they are read late, so a later writer of a source must wait.
    pub sets_read_scoreboard: bool,
    /// Smallest stall count seen on it.
    pub smallest_stall: u8,
    /// Smallest stall count seen between two neighbours of the same kind.
    pub interval: u8,
    /// Reuse flags seen, bit 0 for word bit 122.
    pub reuse: u8,
    /// Its uniform registers are read late, as general ones are: who overwrites them waits, and the end of the thread does.
    pub reads_uniform_late: bool,
    /// The queue that it goes through.
    pub queue: Option<Queue>,
    /// How it tells that what it does is done, and to whom.
    pub tells: Option<(Tells, Awaiting)>,
    /// It puts others in order.
    pub orders: Option<Orders>,
    war: &'static [(RegisterClass, u8, u32)],
}

impl Timing {
    /// Whether an instruction that sets a scoreboard for its sources reads those of a register file late.
    pub fn reads_late(&self, class: RegisterClass) -> bool {
        self.sets_read_scoreboard
            && match class {
                RegisterClass::Gpr => true,
                RegisterClass::UniformGpr => self.reads_uniform_late,
                RegisterClass::Predicate | RegisterClass::UniformPredicate => false,
                RegisterClass::Barrier | RegisterClass::Scoreboard => false,
            }
    }

    /// Whether a source of a register file is read so long after issue that something of fixed latency may overwrite it before ([`war_distance`] is
    /// above 1): uniform registers by the uniform datapath, uniform predicates that are no guards, general registers by matrix operations.
    pub fn reads_behind(&self, class: RegisterClass, place: Use, isa: Isa) -> bool {
        match class {
            RegisterClass::UniformGpr => self.group == LatencyGroup::Uniform,
            RegisterClass::UniformPredicate => place != Use::Guard && self.latency == Latency::Fixed,
            RegisterClass::Gpr => self.matrix_reading(isa).is_some(),
            RegisterClass::Predicate => false,
            RegisterClass::Barrier | RegisterClass::Scoreboard => false,
        }
    }

    /// Whether its result in a uniform register is there before those of the uniform datapath that are issued with it.
    fn is_early(&self) -> bool {
        matches!(
            self.group,
            LatencyGroup::Umov | LatencyGroup::Uldc | LatencyGroup::Voteu
        )
    }

    fn is_matrix(&self) -> bool {
        use LatencyGroup as Group;
        matches!(
            self.group,
            Group::MmaShort | Group::MmaMid | Group::MmaLong | Group::Hmma | Group::Imma | Group::Qmma | Group::Omma
        )
    }

    /// Cycles after which a matrix operation has read its sources, where that is told.
    fn matrix_reading(&self, isa: Isa) -> Option<u8> {
        let told = match self.group {
            LatencyGroup::MmaLong => rule::WAR_MATRIX_LONG,
            _ if self.is_matrix() => rule::WAR_MATRIX,
            _ => return None,
        };
        told.number().filter(|_| told.holds_on(isa))
    }
}

/// The smallest distance seen between two instructions, in issue cycles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Distance {
    /// Issue cycles.
    pub cycles: u8,
    /// Too rarely seen to be the least that is necessary: an upper bound.
    pub weak: bool,
    /// Dependences seen.
    pub observations: u32,
}

/// Where a consumer uses a register.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Use {
    /// As its guard.
    Guard,
    /// In an operand.
    Operand {
        /// The operand's field, as in [`crate::RegisterOperand::name`].
        name: FieldName,
        /// Which of its consecutive registers, from 0.
        word: u8,
    },
}

/// A fact about all instructions. [`rule`] has a constant for each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rule {
    /// Name as in the table.
    pub name: &'static str,
    /// Its value.
    pub value: RuleValue,
    isas: crate::model::IsaSet,
}

impl Rule {
    /// Whether the rule holds on `isa`.
    pub fn holds_on(&self, isa: Isa) -> bool {
        self.isas.contains(isa)
    }

    /// The value as a number of cycles or things; `None` for a rule of another kind.
    pub const fn number(&self) -> Option<u8> {
        match self.value {
            RuleValue::Number(number) => Some(number),
            RuleValue::Ranges(_) | RuleValue::Words(_) => None,
        }
    }
}

/// The value of a [`Rule`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RuleValue {
    /// A number.
    Number(u8),
    /// Ranges of numbers, both ends included.
    Ranges(&'static [(u8, u8)]),
    /// Words; [`rule`] says what they mean.
    Words(&'static [&'static str]),
}

const fn isas(bits: u16) -> crate::model::IsaSet {
    crate::model::IsaSet(bits)
}

/// How a group stands in the matrices as a consumer.
struct GroupInfo {
    column: LatencyGroup,
    /// Where upper words of an operand are those of a 64-bit addend: the group in whose column they stand.
    wide_addend: Option<LatencyGroup>,
}

/// A class of a mnemonic: those with a condition first, the plain one last.
struct Class {
    /// It holds only where a [`Condition`] says so.
    conditional: bool,
    /// Index into `TIMINGS` per generation, `u16::MAX` where the class does not hold.
    timing: [u16; 9],
}

/// When an instruction of a form is of a class.
struct Condition {
    /// Which of the mnemonic's classes.
    class: u8,
    /// Alternatives; each a conjunction of modifiers that must (`true`) or must not be printed. What the form's literal text settles is left out.
    when: &'static [&'static [(bool, &'static [Printed])]],
}

/// A field that prints a modifier: the generations that have it, and its values that do, each with its generations.
struct Printed {
    field: u8,
    isas: u16,
    values: &'static [(u32, u16)],
}

/// Distances: cells in order of their keys, and where the cells of each register file and producer start.
struct Matrix {
    cells: &'static [Cell],
    start: &'static [u16],
}

impl Matrix {
    /// The cells of the key's register file and producer.
    fn of(&self, key: u32) -> &'static [Cell] {
        let at = (key >> PRODUCER) as usize;
        match (self.start.get(at), self.start.get(at + 1)) {
            (Some(start), Some(end)) => &self.cells[usize::from(*start)..usize::from(*end)],
            _ => &[],
        }
    }
}

/// Key, generations, cycles, weak, observations. The key, from the highest bits: file, producer, word, consumer, place.
struct Cell(u32, u16, u8, bool, u32);

impl Instruction {
    /// The pipe, the kind of latency and the other timing properties.
    pub fn timing(&self) -> &'static Timing {
        let opcode = self.opcode() as usize;
        let classes = &CLASSES[usize::from(CLASS_START[opcode])..usize::from(CLASS_START[opcode + 1])];
        let isa = self.isa().index();
        let of = |class: &Class| TIMINGS.get(usize::from(class.timing[isa]));
        let form = self.form_index();
        let conditions = &CONDITIONS[usize::from(CONDITION_START[form])..usize::from(CONDITION_START[form + 1])];
        let special = conditions.iter().find_map(|condition| {
            let timing = of(classes.get(usize::from(condition.class))?)?;
            self.is_of(condition).then_some(timing)
        });
        let plain = || classes.iter().filter(|class| !class.conditional).find_map(of);
        // The generator refuses an instruction without a plain class on a generation that has it.
        special.or_else(plain).unwrap_or(&TIMINGS[0])
    }

    fn is_of(&self, condition: &Condition) -> bool {
        let holds = |(present, fields): &(bool, &[Printed])| fields.iter().any(|f| self.has_printed(f)) == *present;
        condition.when.iter().any(|tests| tests.iter().all(holds))
    }

    /// Whether a field prints the modifier.
    fn has_printed(&self, printed: &Printed) -> bool {
        let isa = self.isa();
        isas(printed.isas).contains(isa) && {
            let raw = self.form().fields[usize::from(printed.field)].bits.read(self.word());
            printed
                .values
                .iter()
                .any(|(value, on)| u64::from(*value) == raw && isas(*on).contains(isa))
        }
    }

    /// Where register `word` of the register field `name` stands in the text.
    fn place(&self, name: FieldName, word: u8) -> Place {
        let Some(field) = self.form().registers.iter().find(|field| field.name == name) else {
            return Place::Operand;
        };
        let exact = field.places.iter().find(|(plus, _)| *plus == word);
        exact
            .or(field.places.first())
            .map_or(Place::Operand, |(_, place)| *place)
    }
}

/// The smallest distance from `producer`, which writes the `word`-th register of a result in the file `class`, to `consumer`,
/// which reads that register at `at`. `None` where no such dependence was seen, or where the producer's result needs a
/// scoreboard.
pub fn raw_distance(
    producer: &Instruction,
    class: RegisterClass,
    word: u8,
    consumer: &Instruction,
    at: Use,
) -> Option<Distance> {
    raw_distance_between(
        (producer, producer.timing()),
        class,
        word,
        (consumer, consumer.timing()),
        at,
    )
}

/// [`raw_distance`] of instructions with their timings, for who asks often.
pub fn raw_distance_between(
    (producer, from): (&Instruction, &Timing),
    class: RegisterClass,
    word: u8,
    (consumer, to): (&Instruction, &Timing),
    at: Use,
) -> Option<Distance> {
    if from.latency != Latency::Fixed {
        return None;
    }
    let isa = producer.isa();
    let info = &GROUPS[to.group as usize];
    let row = |column: u32, place: Place| {
        // Where a group has no row for a word, the last row before it holds.
        let rows = (0..=word.min(7)).rev().map(|w| key(class, from.group, w));
        let row = rows.into_iter().find_map(|r| r.filter(|&r| has_row(&RAW, r)))?;
        find(&RAW, row | column << 3 | place as u32, isa)
    };
    let column = info.column as u32;
    let (name, used) = match at {
        Use::Guard => {
            let any = GROUPS.len() as u32;
            return row(column, Place::Guard).or_else(|| row(any, Place::Guard));
        }
        Use::Operand { name, word } => (name, word),
    };
    let predicate = matches!(class, RegisterClass::Predicate | RegisterClass::UniformPredicate);
    match (consumer.place(name, used), info.wide_addend) {
        (Place::Operand, Some(addend)) if used > 0 => row(addend as u32, Place::AddendHigh),
        (Place::Operand, _) if predicate => row(column, Place::BranchPredicate).or_else(|| row(column, Place::Operand)),
        (place, _) => row(column, place),
    }
}

/// The smallest distance from `first` to `second`, which both write the same register of the file `class`. `None` where no such
/// pair was seen, or where the first result needs a scoreboard.
pub fn waw_distance(first: &Instruction, class: RegisterClass, second: &Instruction) -> Option<Distance> {
    waw_distance_between((first, first.timing()), class, second.timing())
}

/// [`waw_distance`] of instructions with their timings, for who asks often.
pub fn waw_distance_between(
    (first, from): (&Instruction, &Timing),
    class: RegisterClass,
    to: &Timing,
) -> Option<Distance> {
    if from.latency != Latency::Fixed {
        return None;
    }
    find(&WAW, key(class, from.group, 0)? | (to.group as u32) << 3, first.isa())
}

/// The smallest distance from `reader` to an instruction, of the timing `writer`, that overwrites a source of the file `class` (not its guard), where
/// no read scoreboard is set. `None` where the source is read late and the write has to wait for a scoreboard.
pub fn war_distance(reader: &Instruction, class: RegisterClass, writer: &Timing) -> Option<u8> {
    let timing = reader.timing();
    let uniform = matches!(class, RegisterClass::UniformGpr | RegisterClass::UniformPredicate);
    if timing.latency == Latency::Fixed {
        let least = match class {
            RegisterClass::UniformGpr if timing.group == LatencyGroup::Uniform && writer.is_early() => {
                rule::WAR_EARLY.number()
            }
            RegisterClass::UniformPredicate if writer.group == LatencyGroup::Voteu => rule::WAR_VOTE.number(),
            RegisterClass::Gpr if writer.latency == Latency::Fixed && !writer.is_matrix() => {
                timing.matrix_reading(reader.isa())
            }
            RegisterClass::UniformGpr | RegisterClass::UniformPredicate | RegisterClass::Gpr => None,
            RegisterClass::Predicate | RegisterClass::Barrier | RegisterClass::Scoreboard => None,
        };
        return least.or(rule::WAR_FIXED.number());
    }
    if uniform && timing.reads_uniform_late {
        return None;
    }
    if uniform {
        return rule::WAR_UNIFORM.number();
    }
    timing.war.iter().find(|w| w.0 == class).map(|w| w.1)
}

/// The least distance in cycles from a product of a warpgroup to the next: it starts its columns one by one (`product.*` of the table's rules). `None` for anything
/// that is no such product.
pub fn product_interval(first: &Instruction) -> Option<u8> {
    if first.timing().group != LatencyGroup::Gmma {
        return None;
    }
    let further = first
        .columns(FieldName::Shape)?
        .saturating_sub(rule::PRODUCT_FIRST_COLUMNS.number()?.into());
    let waits = further / u32::from(rule::PRODUCT_COLUMNS_IN_CYCLE.number()?);
    u8::try_from(waits.max(rule::PRODUCT_INTERVAL.number()?.into())).ok()
}

/// The smallest stall count that ptxas leaves on `first` when `second` follows it, where that is above 1: how long a shared pipe
/// is busy. A matter of speed; not known to be one of correctness.
pub fn issue_interval(first: &Instruction, second: &Instruction) -> Option<Distance> {
    issue_interval_between(first.timing(), second.timing(), first.isa())
}

/// [`issue_interval`] of instructions with these timings, for who asks often.
pub fn issue_interval_between(first: &Timing, second: &Timing, isa: Isa) -> Option<Distance> {
    find(
        &INTERVALS,
        (first.group as u32) << PRODUCER | (second.group as u32) << 3,
        isa,
    )
}

/// The key of a row, consumer and place left open.
fn key(class: RegisterClass, producer: LatencyGroup, word: u8) -> Option<u32> {
    let file = match class {
        RegisterClass::Gpr => 0,
        RegisterClass::UniformGpr => 1,
        RegisterClass::Predicate => 2,
        RegisterClass::UniformPredicate => 3,
        RegisterClass::Barrier | RegisterClass::Scoreboard => return None,
    };
    Some(file << 20 | (producer as u32) << PRODUCER | u32::from(word) << ROW)
}

/// Lowest bit of the part of a key that names the row.
const ROW: u32 = 10;
/// Lowest bit of the part of a key that names register file and producer.
const PRODUCER: u32 = 13;

fn has_row(matrix: &Matrix, row: u32) -> bool {
    let cells = matrix.of(row);
    let start = cells.partition_point(|c| c.0 < row);
    cells.get(start).is_some_and(|c| c.0 >> ROW == row >> ROW)
}

fn find(matrix: &Matrix, key: u32, isa: Isa) -> Option<Distance> {
    let cells = matrix.of(key);
    let start = cells.partition_point(|c| c.0 < key);
    let cells = cells[start..].iter().take_while(|c| c.0 == key);
    let cell = cells.into_iter().find(|c| isas(c.1).contains(isa))?;
    Some(Distance {
        cycles: cell.2,
        weak: cell.3,
        observations: cell.4,
    })
}

#[cfg(test)]
mod tests;
