//! Hazards: a register that is read or written before the instructions in flight allow it.
//!
//! The machine does not wait for results by itself: stall counts keep instructions of fixed latency apart, scoreboards tell when the others are
//! done. [`InFlight`] keeps the time in issue cycles and what is in flight along one path of execution, and compares with the distances of
//! `isa-tables/timing.tbl`, the smallest that ptxas was seen to leave. [`check_straight`] walks code
//! that is not executed as if nothing branched, [`check_paths`] all ways through a function. [`check_meetings`] looks at convergence barriers,
//! [`check_progress`] at functions whose callers may wait by them.
//!
//! What is checked when an instruction issues:
//! * its sources and guard: a producer of fixed latency issued at least the distance of the table before; for any other producer its
//!   scoreboard, or that of a later instruction of an in-order pipe, has been waited for;
//! * its destinations: the same against earlier writers, and against earlier readers that read their sources late;
//! * a wait for a scoreboard comes at least two cycles after the instruction that sets it;
//! * registers of warpgroup products in flight: [`products`];
//! * barriers: what tells them that it is done has been waited for;
//! * products of warpgroups: the one before has had the time to start.
//!
//! Distances that were never seen, or too rarely (`weak`), are not checked beyond the smallest seen for the producer. Threads of a warp that run apart
//! share the clock and the scoreboards, as on the machine; only overlapping lanes are compared.
//!
//! The checker shares no code with what schedules instructions.

mod meetings;
mod paths;
mod products;
mod progress;

use std::fmt;

use smallvec::SmallVec;
use warpsmith_target::Isa;

use crate::{
    Access, Awaiting, Control, Distance, Flow, GuardFile, Instruction, Latency, Opcode, Pipe, RegisterClass,
    RegisterField, Tells, Timing, Use, product_interval, raw_distance_between, rule, tables::FieldName, war_distance,
};

use products::Products;

pub use meetings::check_meetings;
pub use paths::check_paths;
pub use progress::check_progress;

/// What is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hazard {
    /// In words, with the instructions and registers.
    pub message: String,
}

impl fmt::Display for Hazard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Hazard {}

/// An instruction with its timing.
type Timed<'i> = (&'i Instruction, &'i Timing);

/// A register of any file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Register {
    class: RegisterClass,
    number: u8,
}

impl Register {
    /// Its place in the tables of a warp.
    fn index(self) -> Option<usize> {
        let number = usize::from(self.number);
        match self.class {
            RegisterClass::Gpr => Some(number),
            RegisterClass::UniformGpr => Some(256 + number),
            RegisterClass::Predicate => Some(512 + number % 8),
            RegisterClass::UniformPredicate => Some(520 + number % 8),
            // Convergence barriers and scoreboards as operands are kept in order by the branch unit.
            RegisterClass::Barrier | RegisterClass::Scoreboard => None,
        }
    }

    fn name(self) -> String {
        let file = match self.class {
            RegisterClass::Gpr => "R",
            RegisterClass::UniformGpr => "UR",
            RegisterClass::Predicate => "P",
            RegisterClass::UniformPredicate => "UP",
            RegisterClass::Barrier => "B",
            RegisterClass::Scoreboard => "SB",
        };
        format!("{file}{}", self.number)
    }
}

/// Registers of a warp, over all files.
const REGISTERS: usize = 528;

/// A register that an instruction uses.
#[derive(Clone, Copy, Debug)]
pub struct Touched {
    register: Register,
    place: Use,
    /// Which of the operand's registers.
    word: u8,
}

impl Touched {
    /// Its file.
    pub fn class(&self) -> RegisterClass {
        self.register.class
    }

    /// Its number.
    pub fn number(&self) -> u8 {
        self.register.number
    }

    /// Where the instruction uses it.
    pub fn place(&self) -> Use {
        self.place
    }

    /// Which of the operand's registers it is.
    pub fn word(&self) -> u8 {
        self.word
    }
}

/// The registers that an instruction reads and writes, word by word.
#[derive(Debug, Default)]
pub struct Footprint {
    reads: SmallVec<[Touched; 6]>,
    writes: SmallVec<[Touched; 4]>,
}

impl Footprint {
    /// What is read, word by word, the guard first.
    pub fn reads(&self) -> impl Iterator<Item = &Touched> {
        self.reads.iter()
    }

    /// What is written, word by word.
    pub fn writes(&self) -> impl Iterator<Item = &Touched> {
        self.writes.iter()
    }

    /// Of this instruction.
    pub fn of(instruction: &Instruction) -> Footprint {
        let mut footprint = Footprint::default();
        if let Some(guard) = instruction.guard() {
            let class = match guard.kind {
                GuardFile::Predicate => RegisterClass::Predicate,
                GuardFile::UniformPredicate => RegisterClass::UniformPredicate,
            };
            let number = guard.number;
            if number != 7 {
                footprint.reads.push(Touched {
                    register: Register { class, number },
                    place: Use::Guard,
                    word: 0,
                });
            }
        }
        for described in instruction.register_fields() {
            if let Some(number) = instruction.register_number(described) {
                footprint.add(described, number, instruction.register_width(described));
            }
        }
        for &(class, access) in instruction.opcode().info().implicit {
            // The whole predicate file; a write changes only some of it, and how many is not said: only reads are checked.
            if access != Access::Write {
                // `P2R` takes the predicates that its mask names.
                let mask = instruction.field(FieldName::Imm).unwrap_or(0x7f);
                let named = (0..7).filter(|number| mask >> number & 1 != 0);
                footprint.reads.extend(named.map(|number| Touched {
                    register: Register { class, number },
                    place: Use::Operand {
                        name: FieldName::Rd,
                        word: 0,
                    },
                    word: 0,
                }));
            }
        }
        footprint
    }

    /// So many registers of a field, from the first one on.
    fn add(&mut self, described: &RegisterField, first: u8, width: u8) {
        for word in 0..width {
            let touched = Touched {
                register: Register {
                    class: described.class,
                    number: first.saturating_add(word),
                },
                place: Use::Operand {
                    name: described.name,
                    word,
                },
                word,
            };
            if word >= described.unread && matches!(described.access, Some(Access::Read | Access::ReadWrite)) {
                self.reads.push(touched);
            }
            if matches!(described.access, Some(Access::Write | Access::ReadWrite)) {
                self.writes.push(touched);
            }
        }
    }
}

/// What ends an instruction's hold on a register.
#[derive(Clone, Copy, Debug)]
struct Pending {
    instruction: Instruction,
    lanes: u32,
    /// Cycle of its issue.
    issued: u64,
    /// Its number among the instructions of the warp.
    sequence: u64,
    /// Scoreboards whose wait ends it.
    scoreboards: [Option<u8>; 2],
    /// The register's position in the result.
    word: u8,
}

/// What is in flight in a warp.
#[derive(Clone, Debug)]
pub struct InFlight {
    now: u64,
    sequence: u64,
    /// Stall of the instruction issued last.
    stall: u64,
    writers: Vec<Option<Pending>>,
    readers: Vec<Vec<Pending>>,
    /// For each scoreboard: up to which instruction it has been waited for, when it was set last and by which lanes, and by which instructions since.
    waited: [u64; 6],
    set: [(u64, u32); 6],
    setters: [Vec<(u64, Pipe)>; 6],
    /// For each in-order pipe: up to which of its instructions all are done.
    done: Vec<(Pipe, u64)>,
    /// Products of warpgroups.
    products: Products,
    /// The last product of a warpgroup, and the first cycle at which another may issue.
    next_product: Option<(Instruction, u64)>,
    /// What tells barriers that it is done: the scoreboard, and its number among the instructions.
    effects: Vec<(Instruction, u8, u64)>,
}

impl Default for InFlight {
    fn default() -> InFlight {
        InFlight {
            now: 0,
            sequence: 0,
            stall: 1,
            writers: vec![None; REGISTERS],
            readers: vec![Vec::new(); REGISTERS],
            waited: [0; 6],
            set: [(0, 0); 6],
            setters: Default::default(),
            done: Vec::new(),
            products: Products::default(),
            next_product: None,
            effects: Vec::new(),
        }
    }
}

/// Whether a later scoreboard of the pipe covers earlier instructions of it.
fn is_in_order(pipe: Pipe) -> bool {
    // `rule::SCOREBOARD_IN_ORDER`
    matches!(
        pipe,
        Pipe::Xu | Pipe::Lsu | Pipe::Fp64 | Pipe::Tex | Pipe::Tensor | Pipe::Tmem
    )
}

/// Whether an instruction of an in-order pipe writes its results only when those before it have read their sources. What goes through the pipe of loads
/// and stores without an access does not. (Observed on an H100: `S2R` overwrote what a store before it had still to read.)
fn keeps_order(writer: &Instruction) -> bool {
    writer.timing().pipe != Pipe::Lsu || !writer.memory().is_empty()
}

/// Whether an instruction of the same in-order pipe has read its sources when a later one writes its result: of loads and stores, those of one queue.
fn reads_in_order(reader: &Instruction, writer: &Instruction) -> bool {
    let (first, second) = (reader.timing(), writer.timing());
    second.pipe != Pipe::Lsu || first.queue.is_some() && first.queue == second.queue
}

impl InFlight {
    /// Waits until at most `left` of the instructions that set a scoreboard are in flight.
    fn wait(&mut self, scoreboard: usize, left: usize) {
        let setters = &mut self.setters[scoreboard];
        let ended = setters.len().saturating_sub(left);
        let mut ended_pipes = Vec::new();
        let mut last = if left == 0 { self.sequence } else { 0 };
        for (sequence, pipe) in setters.drain(..ended) {
            last = last.max(sequence + 1);
            if is_in_order(pipe) {
                ended_pipes.push((pipe, sequence + 1));
            }
        }
        self.waited[scoreboard] = self.waited[scoreboard].max(last);
        for (pipe, sequence) in ended_pipes {
            self.finish(pipe, sequence);
        }
    }

    /// All instructions of a pipe before this one are done.
    fn finish(&mut self, pipe: Pipe, before: u64) {
        match self.done.iter_mut().find(|(known, _)| *known == pipe) {
            Some((_, done)) => *done = (*done).max(before),
            None => self.done.push((pipe, before)),
        }
    }

    /// Whether an instruction in flight has been waited for.
    fn is_done(&self, pending: &Pending, pipe: Pipe) -> bool {
        let waited = |scoreboard: &u8| {
            self.waited
                .get(usize::from(*scoreboard))
                .is_some_and(|&w| w > pending.sequence)
        };
        if pending.scoreboards.iter().flatten().any(waited) {
            return true;
        }
        self.done
            .iter()
            .any(|&(known, done)| known == pipe && done > pending.sequence)
    }
}

impl InFlight {
    /// Checks the instruction that the lanes of `group` issue next, and notes what it leaves in flight. Its guard holds for `lanes`; with none only its waits
    /// and scoreboards count.
    ///
    /// # Errors
    /// The first hazard.
    pub fn issue(
        &mut self,
        instruction: &Instruction,
        footprint: &Footprint,
        group: u32,
        lanes: u32,
    ) -> Result<(), Hazard> {
        let control = instruction.control();
        self.now += self.stall;
        self.sequence += 1;
        self.stall = match (control.stall, control.keep_issuing) {
            // Waits for completion of everything of fixed latency.
            (0, false) => 64,
            (stall, _) => u64::from(stall.max(1)),
        };
        let outcome = self.checked(instruction, footprint, group, lanes);
        if lanes != 0 {
            self.note(instruction, footprint, lanes);
        }
        for scoreboard in [control.write_scoreboard, control.read_scoreboard]
            .into_iter()
            .flatten()
        {
            if let Some(setters) = self.setters.get_mut(usize::from(scoreboard)) {
                setters.push((self.sequence, instruction.timing().pipe));
                self.set[usize::from(scoreboard)] = (self.now, group);
            }
        }
        outcome
    }

    fn checked(
        &mut self,
        instruction: &Instruction,
        footprint: &Footprint,
        group: u32,
        lanes: u32,
    ) -> Result<(), Hazard> {
        let waited = self.waits(instruction, instruction.control(), group);
        if lanes != 0 {
            self.check_order(instruction)?;
            if let Some(hazard) = self.products.issue(instruction, footprint) {
                return Err(hazard);
            }
            for touched in &footprint.reads {
                self.check_read(instruction, touched, lanes)?;
            }
            for touched in &footprint.writes {
                self.check_write(instruction, touched, lanes)?;
            }
        }
        waited
    }
}

/// Checks code that stands in one piece, in the order in which it stands, as if no branch were taken: one of the ways that it may be executed, except
/// that what cannot be reached that way starts with nothing in flight. Gives the index of each instruction with a hazard.
pub fn check_straight(code: &[Instruction]) -> Vec<(usize, Hazard)> {
    let mut found = Vec::new();
    let mut state = InFlight::default();
    for (index, instruction) in code.iter().enumerate() {
        if let Err(hazard) = state.issue(instruction, &Footprint::of(instruction), u32::MAX, u32::MAX) {
            found.push((index, hazard));
        }
        let leaves = match instruction.flow() {
            Flow::Branch | Flow::Indirect | Flow::Return | Flow::Exit | Flow::Trap => instruction.guard().is_none(),
            // What the callee leaves in flight is not known.
            Flow::Call => true,
            Flow::None | Flow::Converge | Flow::Diverge | Flow::Leave | Flow::Barrier | Flow::Wait => false,
        };
        if leaves {
            state = InFlight::default();
        }
    }
    found
}

fn hazard(message: String) -> Hazard {
    Hazard { message }
}

/// The form that waits for products of warpgroups: it waits for nothing else. (Observed, nvdisasm 13.5: with a wait mask such a word is no instruction.)
const WAIT_FOR_PRODUCTS: &str = "DEPBAR.S_I";

impl InFlight {
    /// The waits of an instruction: its mask, and `DEPBAR`.
    fn waits(&mut self, instruction: &Instruction, control: Control, group: u32) -> Result<(), Hazard> {
        if control.wait_mask != 0 && instruction.form().name == WAIT_FOR_PRODUCTS {
            return Err(hazard("waits for scoreboards beside products".to_string()));
        }
        let least = u64::from(rule::SCOREBOARD_SET_TO_WAIT.number().unwrap_or(0));
        for scoreboard in 0..6 {
            if control.wait_mask >> scoreboard & 1 == 0 {
                continue;
            }
            // Between threads that run apart the warp takes turns, which takes longer.
            let (set, by) = self.set[scoreboard];
            let elapsed = self.now - set;
            if elapsed < least && by & group != 0 && !self.setters[scoreboard].is_empty() {
                return Err(hazard(format!(
                    "waits for scoreboard {scoreboard} {elapsed} cycle after it is set; {least} are necessary"
                )));
            }
            self.wait(scoreboard, 0);
        }
        if instruction.isa() == Isa::Sm75 && matches!(instruction.opcode(), Opcode::Bar | Opcode::Membar) {
            // Stores before a barrier set no scoreboard there, and their sources are overwritten after it.
            self.finish(Pipe::Lsu, self.sequence);
        }
        if instruction.opcode() == Opcode::Depbar {
            let left = instruction
                .field(FieldName::Count)
                .or(instruction.field(FieldName::Imm))
                .unwrap_or(0);
            if let Some(scoreboard) = instruction.field(FieldName::Scoreboard).filter(|s| *s < 6) {
                self.wait(scoreboard as usize, left as usize);
            }
            let others = instruction.field(FieldName::ScoreboardSet).unwrap_or(0);
            for scoreboard in (0..6).filter(|s| others >> s & 1 != 0) {
                self.wait(scoreboard, 0);
            }
        }
        Ok(())
    }

    /// Barriers come after what tells them that it is done, and a product when the one before has started.
    fn check_order(&mut self, instruction: &Instruction) -> Result<(), Hazard> {
        let timing = instruction.timing();
        if let Some(interval) = product_interval(instruction) {
            let early = self.next_product.filter(|(_, next)| self.now < *next);
            // Of narrow ones with a matrix in registers some were seen three cycles after another.
            self.next_product = (interval > 4).then_some((*instruction, self.now + u64::from(interval)));
            if let Some((first, next)) = early {
                let missing = next - self.now;
                return Err(hazard(format!(
                    "`{instruction}` issues {missing} cycles too soon after `{first}`"
                )));
            }
        }
        if timing.tells == Some((Tells::Write, Awaiting::Ordering)) {
            let Some(scoreboard) = instruction.control().write_scoreboard else {
                return Err(hazard(format!("`{instruction}` does not tell when it is done")));
            };
            self.effects.push((*instruction, scoreboard, self.sequence));
        }
        if instruction.flow() == Flow::Barrier {
            let waited = &self.waited;
            let is_done = |(_, scoreboard, sequence): &(_, u8, u64)| {
                waited.get(usize::from(*scoreboard)).is_some_and(|done| done > sequence)
            };
            let open = self
                .effects
                .iter()
                .find(|effect| !is_done(effect))
                .map(|effect| effect.0);
            self.effects.clear();
            if let Some(first) = open {
                return Err(hazard(format!("nothing has waited until `{first}` is done")));
            }
        }
        Ok(())
    }

    fn check_read(&self, consumer: &Instruction, touched: &Touched, active: u32) -> Result<(), Hazard> {
        let Some(pending) = self
            .writer(touched.register)
            .filter(|p| p.lanes & active != 0 && !exclude_each_other(&p.instruction, consumer))
        else {
            return Ok(());
        };
        let producer = &pending.instruction;
        let timing = producer.timing();
        let class = touched.register.class;
        match timing.latency {
            Latency::Fixed if pending.scoreboards == [None; 2] => {
                let least = read_distance(
                    (producer, timing),
                    class,
                    pending.word,
                    (consumer, consumer.timing()),
                    touched.place,
                );
                let elapsed = self.now - pending.issued;
                if elapsed < least {
                    return Err(hazard(format!(
                        "{} is read {elapsed} cycles after `{producer}`, which writes it; {least} are necessary",
                        touched.register.name()
                    )));
                }
            }
            Latency::Fixed | Latency::Scoreboard => {
                if !self.is_done(&pending, timing.pipe) {
                    return Err(self.unwaited("read", touched, producer, &pending));
                }
            }
            // Their own instructions wait for them.
            Latency::Async | Latency::None => {}
        }
        Ok(())
    }

    fn check_write(&self, second: &Instruction, touched: &Touched, active: u32) -> Result<(), Hazard> {
        let class = touched.register.class;
        if let Some(pending) = self
            .writer(touched.register)
            .filter(|p| p.lanes & active != 0 && !exclude_each_other(&p.instruction, second))
        {
            let first = &pending.instruction;
            let timing = first.timing();
            let elapsed = self.now - pending.issued;
            let fixed = timing.latency == Latency::Fixed && pending.scoreboards == [None; 2];
            let least = if fixed { write_distance(first, second, class) } else { 0 };
            if elapsed < least {
                return Err(hazard(format!(
                    "{} is written {elapsed} cycles after `{first}`, which writes it; {least} are necessary",
                    touched.register.name()
                )));
            }
            let same_pipe = is_in_order(timing.pipe) && timing.pipe == second.timing().pipe && keeps_order(second);
            let is_harmless = same_pipe || is_same_constant(first, second);
            if timing.latency == Latency::Scoreboard && !is_harmless && !self.is_done(&pending, timing.pipe) {
                return Err(self.unwaited("written", touched, first, &pending));
            }
        }
        let index = touched.register.index();
        for pending in index.and_then(|index| self.readers.get(index)).into_iter().flatten() {
            if pending.lanes & active == 0 || exclude_each_other(&pending.instruction, second) {
                continue;
            }
            let reader = &pending.instruction;
            let elapsed = self.now - pending.issued;
            let far = war_distance(reader, class, second.timing()).is_some_and(|least| elapsed >= u64::from(least));
            let pipe = reader.timing().pipe;
            let same_queue = is_in_order(pipe) && pipe == second.timing().pipe && reads_in_order(reader, second);
            if !far && !same_queue && !self.is_done(pending, reader.timing().pipe) {
                let name = touched.register.name();
                return Err(hazard(match reader.timing().latency == Latency::Fixed {
                    true => format!("{name} is written {elapsed} cycles after `{reader}`, which has yet to read it"),
                    false => format!(
                        "{name} is written while `{reader}` may still have to read it: it sets {}, and nothing has waited for it",
                        scoreboards(pending)
                    ),
                }));
            }
        }
        Ok(())
    }

    fn unwaited(&self, what: &str, touched: &Touched, producer: &Instruction, pending: &Pending) -> Hazard {
        hazard(format!(
            "{} is {what} while `{producer}` may still have to write it: it sets {}, and nothing has waited for it",
            touched.register.name(),
            scoreboards(pending)
        ))
    }

    fn writer(&self, register: Register) -> Option<Pending> {
        *self.writers.get(register.index()?)?
    }

    /// Notes what the instruction writes, and what it reads late.
    fn note(&mut self, instruction: &Instruction, footprint: &Footprint, active: u32) {
        let control = instruction.control();
        let timing = instruction.timing();
        let pending = |word, scoreboards| Pending {
            instruction: *instruction,
            lanes: active,
            issued: self.now,
            sequence: self.sequence,
            scoreboards,
            word,
        };
        let mut noted: Vec<(usize, Pending, bool)> = Vec::new();
        for touched in &footprint.writes {
            if let Some(index) = touched.register.index() {
                noted.push((index, pending(touched.word, [control.write_scoreboard, None]), true));
            }
        }
        let late = timing.sets_read_scoreboard;
        let isa = instruction.isa();
        if late || timing.latency == Latency::Fixed {
            let reads_late = |touched: &&Touched| {
                late && timing.reads_late(touched.class()) || timing.reads_behind(touched.class(), touched.place, isa)
            };
            for touched in footprint.reads.iter().filter(reads_late) {
                if let Some(index) = touched.register.index() {
                    let ends = [control.read_scoreboard, control.write_scoreboard];
                    noted.push((index, pending(touched.word, ends), false));
                }
            }
        }
        for (index, pending, writes) in noted {
            if writes {
                if let Some(writer) = self.writers.get_mut(index) {
                    *writer = Some(pending);
                }
            } else if let Some(mut readers) = self.readers.get_mut(index).map(std::mem::take) {
                let is_over =
                    |old: &Pending| old.instruction.timing().latency == Latency::Fixed && old.issued != self.now;
                readers.retain(|old| {
                    !self.is_done(old, timing.pipe) && old.instruction.word() != instruction.word() && !is_over(old)
                });
                readers.push(pending);
                self.readers[index] = readers;
            }
        }
    }
}

/// Whether a distance was seen so often that it is the least that is necessary.
fn is_firm(distance: &Distance) -> bool {
    const OFTEN: u32 = 8;
    !distance.weak && distance.observations >= OFTEN
}

/// How far a producer of fixed latency and a reader must be apart. Guards, and predicates that a branch combines with its guard, are read at one
/// place, whatever the instruction: where the table has more for some kind of reader, too few of it were seen.
fn read_distance(producer: Timed<'_>, class: RegisterClass, word: u8, consumer: Timed<'_>, place: Use) -> u64 {
    let result = producer.1.results.iter().find(|r| r.class == class);
    let seen = raw_distance_between(producer, class, word, consumer, place).filter(is_firm);
    let least = seen.map_or(result.map_or(0, |r| r.smallest), |d| d.cycles);
    let at_branch = place == Use::Guard || consumer.0.flow() != Flow::None;
    let guard = result.and_then(|r| r.guard).filter(|_| at_branch);
    u64::from(guard.map_or(least, |guard| least.min(guard)))
}

/// How far two writers of a register must be apart, so that the first result does not come after the second: what their latencies differ by. The
/// distances that were seen are larger at times, and ptxas goes below them.
fn write_distance(first: &Instruction, second: &Instruction, class: RegisterClass) -> u64 {
    let smallest = |instruction: &Instruction| {
        let timing = instruction.timing();
        let result = timing.results.iter().find(|r| r.class == class)?;
        (timing.latency == Latency::Fixed).then_some(u64::from(result.smallest))
    };
    match (smallest(first), smallest(second)) {
        (Some(first), Some(second)) => first.saturating_sub(second).max(1),
        (None, _) | (_, None) => 1,
    }
}

/// Whether one of two instructions is executed by a thread: their guards are opposite.
fn exclude_each_other(a: &Instruction, b: &Instruction) -> bool {
    matches!((a.guard(), b.guard()), (Some(a), Some(b)) if a.kind == b.kind && a.number == b.number && a.negated != b.negated)
}

/// Whether both load the same constant into the same uniform register: groups of threads that have parted do so one after the other, and what is still to come is
/// what is written.
fn is_same_constant(first: &Instruction, second: &Instruction) -> bool {
    let plain = |instruction: &Instruction| instruction.with_control(Control::NONE).word();
    second.opcode() == Opcode::Ldcu && plain(first) == plain(second) && Footprint::of(second).reads.is_empty()
}

fn scoreboards(pending: &Pending) -> String {
    let named: Vec<String> = pending
        .scoreboards
        .iter()
        .flatten()
        .map(|s| format!("scoreboard {s}"))
        .collect();
    if named.is_empty() {
        "no scoreboard".to_string()
    } else {
        named.join(" and ")
    }
}

#[cfg(test)]
mod tests {
    use warpsmith_target::Isa;

    use super::{Footprint, InFlight, check_straight};
    use crate::{Control, Instruction, PlainText, RegisterClass, parse};

    /// Instructions with their control words.
    fn code(isa: Isa, lines: &[(&str, Control)]) -> Vec<Instruction> {
        let one = |(text, control): &(&str, Control)| match parse(isa, text, &PlainText::default()) {
            Ok(instruction) => instruction.with_control(*control),
            Err(error) => panic!("{text}: {error}"),
        };
        lines.iter().map(one).collect()
    }

    fn messages(isa: Isa, lines: &[(&str, Control)]) -> Vec<String> {
        let found = check_straight(&code(isa, lines)).into_iter();
        found.map(|(index, hazard)| format!("{index}: {hazard}")).collect()
    }

    fn stall(stall: u8) -> Control {
        Control { stall, ..Control::NONE }
    }

    /// Sets a scoreboard for what it writes.
    fn load(scoreboard: u8) -> Control {
        Control {
            write_scoreboard: Some(scoreboard),
            ..stall(2)
        }
    }

    fn wait(wait_mask: u8) -> Control {
        Control {
            wait_mask,
            ..Control::NONE
        }
    }

    #[test]
    fn a_fixed_latency_result_needs_its_distance() {
        let lines = |cycles| [("FADD R0, R1, R2", stall(cycles)), ("FADD R3, R0, R0", Control::NONE)];
        assert!(messages(Isa::Sm80, &lines(4)).is_empty());
        assert_eq!(
            messages(Isa::Sm80, &lines(3)),
            ["1: R0 is read 3 cycles after `FADD R0, R1, R2`, which writes it; 4 are necessary"]
        );
    }

    #[test]
    fn of_the_descriptors_of_a_product_only_those_in_memory_are_read() {
        let uniform = |line: &str| -> Vec<u8> {
            let footprint = Footprint::of(&code(Isa::Sm90, &[(line, Control::NONE)])[0]);
            let read = footprint
                .reads()
                .filter(|read| read.class() == RegisterClass::UniformGpr);
            read.map(super::Touched::number).collect()
        };
        assert_eq!(uniform("HGMMA.64x64x16.F32 R24, gdesc[UR4], R24, gsb0"), [4, 5, 6, 7]);
        assert_eq!(uniform("HGMMA.64x64x16.F32 R24, R16, gdesc[UR4], R24, gsb0"), [6, 7]);
    }

    /// On an H100 the address was not read yet, seventeen cycles after the load.
    #[test]
    fn addresses_of_loads_are_read_late() {
        let lines = |mask| {
            let late = Control {
                read_scoreboard: Some(1),
                ..load(0)
            };
            [
                ("LDG.E R0, desc[UR4][R2.64]", late),
                ("FADD R5, R6, R7", stall(15)),
                ("MOV R2, RZ", wait(mask)),
            ]
        };
        assert!(messages(Isa::Sm90, &lines(2)).is_empty());
        assert_eq!(messages(Isa::Sm90, &lines(0)).len(), 1);
        let copy = [
            ("LDGSTS.E.BYPASS.128 [R8], desc[UR4][R2.64]", stall(15)),
            ("MOV R2, RZ", stall(1)),
        ];
        assert_eq!(messages(Isa::Sm90, &copy).len(), 1);
    }

    #[test]
    fn the_number_of_a_barrier_is_read_late_from_sm_90_on() {
        let lines = |mask| {
            let barrier = Control {
                read_scoreboard: Some(0),
                ..stall(6)
            };
            [
                ("BAR.SYNC.DEFER_BLOCKING R4, 0x80", barrier),
                ("MOV R4, RZ", wait(mask)),
            ]
        };
        for (isa, found) in [(Isa::Sm89, 0), (Isa::Sm90, 1), (Isa::Sm100, 1), (Isa::Sm120, 1)] {
            assert_eq!(messages(isa, &lines(0)).len(), found, "{isa:?}");
            assert!(messages(isa, &lines(1)).is_empty(), "{isa:?}");
        }
    }

    /// Loads overwrite what loads and stores before them in the same queue have read. `S2R`, and loads behind other queues, do not wait for them.
    #[test]
    fn only_loads_of_the_same_queue_overwrite_in_order() {
        let found = |first, second| messages(Isa::Sm90, &[(first, stall(2)), (second, load(0))]).len();
        assert_eq!(found("STS [R2], R8", "LDS R8, [R9]"), 0);
        assert_eq!(found("STL [R1], R8", "LDS R8, [R9]"), 0);
        assert_eq!(found("STL [R1], R8", "LDL R8, [R1+0x4]"), 1);
        assert_eq!(found("STS [R2], R8", "S2R R8, SR_TID.X"), 1);
        assert_eq!(found("STG.E desc[UR4][R2.64], R8", "LDS R8, [R9]"), 0);
        assert_eq!(found("LDSM.16.M88.4 R12, [R8]", "LDSM.16.M88.4 R8, [R9]"), 0);
        assert_eq!(found("STG.E desc[UR4][R2.64], R8", "LDG.E R8, desc[UR4][R4.64]"), 1);
        assert_eq!(found("LDG.E R8, desc[UR4][R2.64]", "LDS R2, [R9]"), 1);
        assert_eq!(found("LDGSTS.E.BYPASS.128 [R8], desc[UR4][R2.64]", "LDL R2, [R1]"), 1);
    }

    #[test]
    fn uniform_moves_come_after_operations_have_read() {
        let lines = |cycles| {
            [
                ("UIADD3 UR4, UR5, 0x1, URZ", stall(cycles)),
                ("UMOV UR5, 0x7", Control::NONE),
            ]
        };
        assert!(messages(Isa::Sm90, &lines(3)).is_empty());
        assert_eq!(
            messages(Isa::Sm90, &lines(2)),
            ["1: UR5 is written 2 cycles after `UIADD3 UR4, UR5, 0x1, URZ`, which has yet to read it"]
        );
    }

    #[test]
    fn a_load_needs_a_wait_for_its_scoreboard() {
        let load = load(2);
        let lines = |mask| [("LDG.E R0, [R2.64]", load), ("FADD R1, R0, R0", wait(mask))];
        assert!(messages(Isa::Sm80, &lines(4)).is_empty());
        assert_eq!(
            messages(Isa::Sm80, &lines(0)),
            [
                "1: R0 is read while `LDG.E R0, [R2.64]` may still have to write it: it sets scoreboard 2, and nothing has waited for it"
            ]
        );
    }

    #[test]
    fn what_waits_for_products_waits_for_nothing_else() {
        let line = |wait_mask| [("WARPGROUP.DEPBAR.LE gsb0, 0x0", wait(wait_mask))];
        assert!(messages(Isa::Sm90, &line(0)).is_empty());
        assert_eq!(
            messages(Isa::Sm90, &line(1)),
            ["0: waits for scoreboards beside products"]
        );
    }

    #[test]
    fn a_constant_may_be_loaded_again_while_it_comes() {
        let load = load(2);
        let lines = |second| [("LDCU.64 UR4, c[0x0][0x358]", load), (second, load)];
        assert!(messages(Isa::Sm100, &lines("LDCU.64 UR4, c[0x0][0x358]")).is_empty());
        assert_eq!(messages(Isa::Sm100, &lines("LDCU.64 UR4, c[0x0][0x360]")).len(), 1);
    }

    #[test]
    fn a_source_that_is_read_late_may_not_be_overwritten() {
        let lines = |control| [("STG.E [R2.64], R0", control), ("MOV R0, R1", stall(1))];
        assert_eq!(
            messages(Isa::Sm80, &lines(stall(1))),
            [
                "1: R0 is written while `STG.E [R2.64], R0` may still have to read it: it sets no scoreboard, and nothing has waited for it"
            ]
        );
    }

    #[test]
    fn threads_with_opposite_guards_do_not_meet() {
        let lines = [("@P0 MOV R0, R1", stall(1)), ("@!P0 FADD R2, R0, R0", stall(1))];
        assert!(messages(Isa::Sm80, &lines).is_empty());
    }

    #[test]
    fn a_wait_right_behind_its_scoreboard_is_too_early() {
        let set = Control { stall: 1, ..load(0) };
        assert_eq!(
            messages(Isa::Sm80, &[("LDG.E R0, [R2.64]", set), ("NOP", wait(1))]),
            ["1: waits for scoreboard 0 1 cycle after it is set; 2 are necessary"]
        );
    }

    #[test]
    fn a_wait_for_the_scoreboard_of_others_is_not_too_early() {
        let set = Control { stall: 1, ..load(0) };
        let code = code(Isa::Sm80, &[("LDG.E R0, [R2.64]", set), ("NOP", wait(1))]);
        let issued = |second: u32| {
            let mut state = InFlight::default();
            let mut issue = |index: usize, group| {
                let instruction: &Instruction = &code[index];
                state
                    .issue(instruction, &Footprint::of(instruction), group, group)
                    .is_ok()
            };
            (issue(0, 0xff), issue(1, second))
        };
        assert_eq!(issued(0xff), (true, false));
        assert_eq!(issued(0xff00), (true, true));
    }
}
