//! Stall counts and scoreboards: the instructions stay in their order, and each waits for what it needs.
//!
//! Within a block every dependence is kept by the distance of `isa-tables/timing.tbl`, or by a scoreboard where the producer's latency is not fixed. At the
//! end of a block everything in flight is waited for, so that blocks know nothing of each other.

use warpsmith_sass::{
    Builder, Control, Flow, Instruction as Word, Latency, RegisterClass, Use, form,
    hazard::{Footprint, Touched},
    raw_distance, waw_distance,
};
use warpsmith_target::Isa;

use crate::{
    emit::with_registers,
    ir::{Function, Instruction},
};

/// Distance where the tables know none.
const UNKNOWN: u64 = 24;
/// The longest stall of one instruction.
const LONGEST: u64 = 15;
/// The least stall of instructions that change the flow of control.
const BRANCH_STALL: u64 = 5;

/// A word with its physical registers, and the instruction it is of.
type Scheduled = (Word, Instruction);

/// Sets stall counts and scoreboards, and adds the `NOP`s that are necessary.
///
/// # Errors
/// An instruction for which no word exists.
pub(crate) fn schedule(function: &mut Function) -> Result<(), String> {
    for index in 0..function.blocks.len() {
        let code = std::mem::take(&mut function.blocks[index].code);
        let mut state = State::new(function.isa());
        for instruction in code {
            let allocation = function.allocation.as_ref().ok_or("registers are not allocated")?;
            let word = with_registers(&instruction, allocation).ok_or_else(|| {
                format!(
                    "no machine word for {}",
                    crate::text::instruction(function, &instruction)
                )
            })?;
            state.add(word, instruction);
        }
        function.blocks[index].code = state.finish();
    }
    Ok(())
}

/// A register's last writer in the block.
#[derive(Clone, Copy, Debug)]
struct Writer {
    word: Word,
    part: u8,
    issued: u64,
    scoreboard: Option<u8>,
}

/// The instructions of a block as they are placed.
struct State {
    isa: Isa,
    out: Vec<Scheduled>,
    /// The cycle at which the last instruction issues.
    now: u64,
    writers: Vec<(RegisterClass, u8, Writer)>,
    /// Registers that are read late, and the scoreboard that tells when they have been read.
    readers: Vec<(u8, u8)>,
    /// Scoreboards in flight, in order of their last use.
    busy: Vec<u8>,
    /// The cycle at which each scoreboard was set last.
    set: [u64; 6],
}

impl State {
    fn new(isa: Isa) -> State {
        State {
            isa,
            out: Vec::new(),
            now: 0,
            writers: Vec::new(),
            readers: Vec::new(),
            busy: Vec::new(),
            set: [0; 6],
        }
    }

    fn add(&mut self, word: Word, origin: Instruction) {
        let footprint = Footprint::of(&word);
        let leaves = matches!(
            word.flow(),
            Flow::Branch | Flow::Indirect | Flow::Return | Flow::Exit | Flow::Call
        );
        let (mut wait, mut earliest) = self.needs(&word, &footprint);
        if leaves {
            wait |= self.busy.iter().fold(0, |mask, s| mask | 1 << s);
            earliest = earliest.max(self.settled());
        }
        let timing = word.timing();
        let mut control = Control {
            stall: 1,
            ..Control::NONE
        };
        let may_write = word.form().control.may_set_write_scoreboard(self.isa);
        let may_read = word.form().control.may_set_read_scoreboard(self.isa);
        let variable = timing.latency == Latency::Scoreboard && may_write && footprint.writes().next().is_some();
        let late =
            timing.sets_read_scoreboard && may_read && footprint.reads().any(|t| t.class() == RegisterClass::Gpr);
        if variable {
            control.write_scoreboard = Some(self.free_scoreboard(&mut wait, None));
        } else if late {
            control.read_scoreboard = Some(self.free_scoreboard(&mut wait, None));
        }
        for scoreboard in (0..6_u8).filter(|s| wait >> s & 1 != 0) {
            earliest = earliest.max(self.set[usize::from(scoreboard)] + 2);
            self.done(scoreboard);
        }
        control.wait_mask = wait;
        self.place(word.with_control(control), origin, earliest);
        self.note(&footprint, control, variable, late);
        if leaves {
            self.stall_last(BRANCH_STALL);
        }
    }

    /// The scoreboards that an instruction waits for, and the first cycle at which it may issue.
    fn needs(&self, word: &Word, footprint: &Footprint) -> (u8, u64) {
        let (mut wait, mut earliest) = (0, 0);
        for touched in footprint.reads() {
            if let Some(writer) = self.writer(touched) {
                match writer.scoreboard {
                    Some(scoreboard) => wait |= 1 << scoreboard,
                    None => earliest = earliest.max(writer.issued + distance(&writer, touched, word)),
                }
            }
        }
        for touched in footprint.writes() {
            if let Some(writer) = self.writer(touched) {
                match writer.scoreboard {
                    Some(scoreboard) => wait |= 1 << scoreboard,
                    None => {
                        let cycles = waw_distance(&writer.word, touched.class(), word);
                        earliest = earliest.max(writer.issued + cycles.map_or(UNKNOWN, |d| u64::from(d.cycles)));
                    }
                }
            }
            if touched.class() == RegisterClass::Gpr {
                let late = self.readers.iter().filter(|(number, _)| *number == touched.number());
                wait |= late.fold(0, |mask, (_, scoreboard)| mask | 1 << scoreboard);
            }
        }
        (wait, earliest)
    }

    fn writer(&self, touched: &Touched) -> Option<Writer> {
        self.writers
            .iter()
            .find(|(class, number, _)| *class == touched.class() && *number == touched.number())
            .map(|(_, _, writer)| *writer)
    }

    /// The cycle at which every result of fixed latency is there.
    fn settled(&self) -> u64 {
        let each = self.writers.iter().filter(|(_, _, writer)| writer.scoreboard.is_none());
        each.map(|(class, _, writer)| writer.issued + latency(&writer.word, *class))
            .max()
            .unwrap_or(0)
    }

    /// A scoreboard for an instruction; if all are in flight, the oldest, which is waited for first.
    fn free_scoreboard(&mut self, wait: &mut u8, taken: Option<u8>) -> u8 {
        let free = (0..6).find(|s| !self.busy.contains(s) && Some(*s) != taken);
        let chosen = free.or_else(|| self.busy.first().copied()).unwrap_or(0);
        if self.busy.contains(&chosen) {
            *wait |= 1 << chosen;
        }
        chosen
    }

    /// A scoreboard has been waited for.
    fn done(&mut self, scoreboard: u8) {
        self.busy.retain(|s| *s != scoreboard);
        self.readers.retain(|(_, s)| *s != scoreboard);
        self.writers
            .retain(|(_, _, writer)| writer.scoreboard != Some(scoreboard));
    }

    /// Issues a word at this cycle or, at the earliest, one after the last.
    fn place(&mut self, word: Word, origin: Instruction, earliest: u64) {
        if !self.out.is_empty() {
            let mut gap = earliest.saturating_sub(self.now).max(self.last_stall());
            while gap > LONGEST {
                self.stall_last(LONGEST);
                self.now += self.last_stall();
                gap = gap.saturating_sub(self.last_stall()).max(1);
                let filler = nop(self.isa, &word);
                self.out.push((filler, plain(filler)));
            }
            self.stall_last(gap);
            self.now += self.last_stall();
        }
        self.out.push((word, origin));
    }

    fn last_stall(&self) -> u64 {
        self.out.last().map_or(1, |(word, _)| u64::from(word.control().stall))
    }

    /// The last instruction stalls for at least so long.
    fn stall_last(&mut self, cycles: u64) {
        if let Some((word, _)) = self.out.last_mut() {
            let control = word.control();
            let stall = u64::from(control.stall).max(cycles).min(LONGEST) as u8;
            *word = word.with_control(Control {
                stall,
                keep_issuing: stall < 12,
                ..control
            });
        }
    }

    /// Notes what an instruction leaves in flight.
    fn note(&mut self, footprint: &Footprint, control: Control, variable: bool, late: bool) {
        let Some((word, _)) = self.out.last().map(|(word, _)| (*word, ())) else {
            return;
        };
        for touched in footprint.writes() {
            self.writers
                .retain(|(class, number, _)| *class != touched.class() || *number != touched.number());
            self.writers.push((
                touched.class(),
                touched.number(),
                Writer {
                    word,
                    part: touched.word(),
                    issued: self.now,
                    scoreboard: control.write_scoreboard.filter(|_| variable),
                },
            ));
        }
        let scoreboard = control.read_scoreboard.or(control.write_scoreboard);
        if let Some(scoreboard) = scoreboard {
            if late || variable {
                for touched in footprint.reads().filter(|t| t.class() == RegisterClass::Gpr) {
                    self.readers.push((touched.number(), scoreboard));
                }
            }
            self.busy.retain(|s| *s != scoreboard);
            self.busy.push(scoreboard);
            self.set[usize::from(scoreboard)] = self.now;
        }
    }

    /// The block's end: what is in flight is waited for.
    fn finish(mut self) -> Vec<Instruction> {
        let settled = self.settled();
        if !self.busy.is_empty() || settled > self.now + self.last_stall() {
            let wait = self.busy.iter().fold(0, |mask, s| mask | 1 << s);
            let earliest = self
                .busy
                .iter()
                .map(|s| self.set[usize::from(*s)] + 2)
                .max()
                .unwrap_or(0);
            if let Some(last) = self.out.last().map(|(word, _)| *word) {
                let filler = nop(self.isa, &last);
                let control = Control {
                    stall: 1,
                    wait_mask: wait,
                    ..Control::NONE
                };
                self.place(filler.with_control(control), plain(filler), earliest.max(settled));
            }
        }
        let scheduled = self.out.into_iter().map(|(word, instruction)| Instruction {
            control: word.control(),
            ..instruction
        });
        scheduled.collect()
    }
}

/// How far a reader must be from a writer of fixed latency.
fn distance(writer: &Writer, touched: &Touched, reader: &Word) -> u64 {
    let found = raw_distance(&writer.word, touched.class(), writer.part, reader, touched.place());
    let result = writer.word.timing().results.iter().find(|r| r.class == touched.class());
    match found.filter(|d| !d.weak) {
        Some(distance) => {
            // A pair that was seen too rarely is no reason to go below what every other reader needs.
            let smallest = result.filter(|_| touched.place() != Use::Guard);
            u64::from(distance.cycles).max(smallest.map_or(0, |r| u64::from(r.smallest)))
        }
        None => {
            let largest = result.map(|r| match touched.place() {
                Use::Guard => r.guard.unwrap_or(r.largest).max(r.largest),
                Use::Operand { .. } => r.largest,
            });
            largest.map_or(UNKNOWN, u64::from)
        }
    }
}

/// After how many cycles a result of fixed latency can be read by anything.
fn latency(word: &Word, class: RegisterClass) -> u64 {
    let result = word.timing().results.iter().find(|r| r.class == class);
    result.map_or(UNKNOWN, |r| u64::from(r.largest.max(r.guard.unwrap_or(0))))
}

/// A `NOP`; every generation has one.
fn nop(isa: Isa, other: &Word) -> Word {
    Builder::new(isa, form::NOP_NONE).finish().unwrap_or(*other)
}

/// An instruction without registers.
fn plain(word: Word) -> Instruction {
    Instruction {
        base: word,
        operands: smallvec::SmallVec::new(),
        effects: None,
        guard: None,
        target: None,
        reference: None,
        marks: crate::ir::Marks::default(),
        place: 0,
        control: Control::NONE,
    }
}
