//! What scheduling needs to know of an instruction with physical registers, worked out once.

use smallvec::SmallVec;
use warpsmith_sass::{
    Access, FieldName, Flow, Instruction as Word, Latency, Opcode, RegisterClass, Timing, Use,
    hazard::{Footprint, Touched},
    raw_distance_between, war_distance, waw_distance_between,
};

use super::margins;
use crate::{
    allocate::Allocation,
    emit::with_registers,
    ir::{Function, Instruction},
};

/// Places of physical registers: general, uniform, predicates, uniform predicates.
pub(super) const PLACES: usize = 256 + 256 + 8 + 8;

/// Places of uniform registers.
pub(super) const UNIFORM: std::ops::Range<usize> = 256..512;

/// Distance where the tables know none.
const UNKNOWN: u32 = 24;

/// The least time that a result of variable latency takes.
const VARIABLE: u32 = 8;

/// A physical register that an instruction uses.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    /// Its place among all.
    pub(super) index: u16,
    pub(super) class: RegisterClass,
    /// Which register of the operand.
    pub(super) word: u8,
    /// Where it is used.
    pub(super) used: Use,
}

/// The place of a register among all.
pub(super) fn place(class: RegisterClass, number: u8) -> Option<u16> {
    let number = u16::from(number);
    match class {
        RegisterClass::Gpr => Some(number),
        RegisterClass::UniformGpr => Some(256 + number),
        RegisterClass::Predicate => Some(512 + number % 8),
        RegisterClass::UniformPredicate => Some(520 + number % 8),
        // The branch unit keeps convergence barriers in order.
        RegisterClass::Barrier | RegisterClass::Scoreboard => None,
    }
}

/// An instruction with its word.
pub(super) struct Facts {
    pub(super) word: Word,
    pub(super) timing: &'static Timing,
    pub(super) reads: SmallVec<[Place; 6]>,
    pub(super) writes: SmallVec<[Place; 4]>,
    /// Its result takes a time that only a scoreboard tells.
    pub(super) is_variable: bool,
    /// It reads registers late, and may set a scoreboard when it has.
    pub(super) reads_late: bool,
    /// It reads its uniform registers late, too.
    pub(super) reads_uniform_late: bool,
    /// What the program waits for with an instruction of its own: loads from tensor memory, and the fence that ends stores to it.
    pub(super) is_waited_for: bool,
    /// It is that instruction.
    pub(super) waits_for_tensor_memory: bool,
    /// Everything in flight ends before it.
    pub(super) settles: bool,
    /// A scoreboard that it sets because another instruction names it.
    pub(super) fixed_scoreboard: Option<u8>,
    /// The same for a group of bulk copies: set when they have read their sources. (Observed, ptxas 13.0.88.)
    pub(super) fixed_read_scoreboard: Option<u8>,
    /// It has a guard, which the word may not show yet.
    pub(super) is_guarded: bool,
    /// Other threads of the warp may go on elsewhere behind it, before those that execute it do.
    pub(super) hands_over: bool,
}

/// Whether an instruction ends when all stores to tensor memory have.
fn is_tensor_fence(word: &Word) -> bool {
    word.opcode() == Opcode::Fence && word.form().name == "VIEW.ASYNC.T.none"
}

impl Facts {
    /// Of an instruction of a function with allocated registers.
    ///
    /// # Errors
    /// An instruction for which no word exists.
    pub(super) fn of(function: &Function, instruction: &Instruction) -> Result<Facts, String> {
        let allocation = function.allocation.as_ref().ok_or("registers are not allocated")?;
        let word = with_registers(instruction, allocation).ok_or_else(|| {
            format!(
                "no machine word for {}",
                crate::text::instruction(function, instruction)
            )
        })?;
        let mut facts = Facts::new(word, instruction);
        if matches!(word.opcode(), Opcode::Warpgroup | Opcode::Bmov) {
            // What a warpgroup's products use is there when it arrives, and what lanes fetch that help when they no longer do.
            facts.reads.extend(handed_over(instruction, allocation));
        }
        Ok(facts)
    }

    fn new(word: Word, instruction: &Instruction) -> Facts {
        let footprint = Footprint::of(&word);
        let one = |touched: &Touched| {
            Some(Place {
                index: place(touched.class(), touched.number())?,
                class: touched.class(),
                word: touched.word(),
                used: touched.place(),
            })
        };
        let mut facts = Facts::without_registers(instruction);
        facts.word = word;
        facts.reads = footprint.reads().filter_map(one).collect();
        facts.writes = footprint.writes().filter_map(one).collect();
        for (class, access) in word.opcode().info().implicit {
            // The whole predicate file, whichever of it a mask names.
            let all = (0..7).filter_map(|number| place(*class, number)).map(|index| Place {
                index,
                class: *class,
                word: 0,
                used: Use::Guard,
            });
            match access {
                Access::Read => facts.reads.extend(all),
                Access::Write | Access::ReadWrite => facts.writes.extend(all),
            }
        }
        facts.classify();
        facts
    }

    /// Of an instruction with registers unknown; [`Facts::classify`] completes it.
    pub(super) fn without_registers(instruction: &Instruction) -> Facts {
        let word = instruction.base;
        let own = instruction.control.write_scoreboard;
        Facts {
            word,
            timing: word.timing(),
            reads: SmallVec::new(),
            writes: SmallVec::new(),
            is_variable: false,
            reads_late: false,
            reads_uniform_late: false,
            is_waited_for: word.opcode() == Opcode::Ldtm || is_tensor_fence(&word),
            waits_for_tensor_memory: word.opcode() == Opcode::Nop,
            settles: matches!(word.flow(), Flow::Indirect | Flow::Return | Flow::Call)
                || word.opcode() == Opcode::Usetmaxreg,
            fixed_scoreboard: own.or((word.opcode() == Opcode::Ldgdepbar).then_some(0)),
            fixed_read_scoreboard: (word.opcode() == Opcode::Utmacmdflush).then_some(0),
            is_guarded: instruction.guard.is_some(),
            hands_over: match word.flow() {
                Flow::Converge => true,
                Flow::Branch | Flow::Leave => !instruction.marks.together,
                Flow::None | Flow::Indirect | Flow::Call | Flow::Return | Flow::Exit | Flow::Trap => false,
                Flow::Diverge | Flow::Barrier | Flow::Wait => false,
            },
        }
    }

    /// Works out what hangs on the registers.
    pub(super) fn classify(&mut self) {
        let control = self.word.form().control;
        let may_write = control.may_set_write_scoreboard(self.word.isa());
        let may_read = control.may_set_read_scoreboard(self.word.isa());
        let late = self.timing.sets_read_scoreboard;
        let gprs = self.reads.iter().any(|read| read.class == RegisterClass::Gpr);
        self.is_variable = self.timing.latency == Latency::Scoreboard && may_write && !self.writes.is_empty();
        self.reads_uniform_late = late && may_read && self.timing.reads_uniform_late;
        self.reads_late = late && may_read && gprs || self.reads_uniform_late;
    }

    /// What it reads late.
    pub(super) fn late_reads(&self) -> impl Iterator<Item = &Place> {
        let (late, uniform) = (self.reads_late, self.reads_uniform_late);
        self.reads.iter().filter(move |read| match read.class {
            RegisterClass::Gpr => late,
            RegisterClass::UniformGpr => uniform,
            RegisterClass::Predicate | RegisterClass::UniformPredicate => false,
            RegisterClass::Barrier | RegisterClass::Scoreboard => false,
        })
    }

    /// Whether the guards of two instructions are opposite.
    pub(super) fn excludes(&self, other: &Facts) -> bool {
        matches!((self.word.guard(), other.word.guard()), (Some(a), Some(b))
            if a.kind == b.kind && a.number == b.number && a.negated != b.negated)
    }

    /// Cycles from this instruction to a reader of a result of fixed latency.
    pub(super) fn distance_to(&self, result: &Place, reader: &Facts, read: &Place) -> u32 {
        let least = margins::least(self, result.class, reader, read.used);
        self.seen_distance_to(result, reader, read).max(least)
    }

    /// The distance by the tables.
    fn seen_distance_to(&self, result: &Place, reader: &Facts, read: &Place) -> u32 {
        let found = raw_distance_between(
            (&self.word, self.timing),
            result.class,
            result.word,
            (&reader.word, reader.timing),
            read.used,
        );
        let range = self.timing.results.iter().find(|range| range.class == result.class);
        match found.filter(|distance| !distance.weak) {
            Some(distance) => {
                // A pair that was seen too rarely is no reason to go below what every other reader needs.
                let smallest = range.filter(|_| read.used != Use::Guard);
                u32::from(distance.cycles).max(smallest.map_or(0, |range| u32::from(range.smallest)))
            }
            None => {
                // A predicate is wanted as early by some operands as by guards: on an H100, `HSETP2` and `BAR.RED` five cycles apart counted old ones.
                let largest = range.map(|range| range.guard.unwrap_or(range.largest).max(range.largest));
                largest.map_or(UNKNOWN, u32::from)
            }
        }
    }

    /// Cycles from this instruction to another that writes the same register: the second result must come after the first.
    pub(super) fn distance_to_writer(&self, result: &Place, second: &Facts) -> u32 {
        let range = |facts: &Facts| facts.timing.results.iter().find(|range| range.class == result.class);
        let Some(first) = range(self) else { return UNKNOWN };
        let soonest = match range(second) {
            Some(range) if second.timing.latency == Latency::Fixed => u32::from(range.smallest),
            // No scoreboard is done sooner.
            Some(_) | None => VARIABLE,
        };
        let apart = (u32::from(first.largest) + 1).saturating_sub(soonest).max(1);
        let seen = waw_distance_between((&self.word, self.timing), result.class, second.timing)
            .filter(|distance| !distance.weak);
        let distance = seen.map_or(apart, |distance| u32::from(distance.cycles).min(apart.max(4)));
        distance.max(margins::least_to_writer(self, result.class))
    }

    /// Cycles after which every result of fixed latency can be read by anything.
    pub(super) fn settled_after(&self) -> u32 {
        if self.timing.latency != Latency::Fixed || self.writes.is_empty() {
            return 0;
        }
        let each = self.writes.iter().map(|write| {
            let range = self.timing.results.iter().find(|range| range.class == write.class);
            range.map_or(UNKNOWN, |range| u32::from(range.largest.max(range.guard.unwrap_or(0))))
        });
        each.max().unwrap_or(0)
    }

    /// Cycles after which another may overwrite a register that it reads without a scoreboard; `None`: only a scoreboard tells.
    pub(super) fn read_before(&self, read: &Place, writer: &Facts) -> Option<u32> {
        war_distance(&self.word, read.class, writer.timing).map(u32::from)
    }

    /// Cycles from this instruction, which reads its registers early, to another that overwrites one of them.
    pub(super) fn distance_to_overwriter(&self, second: &Facts) -> u32 {
        let reads = |class| { self.reads.iter() }.any(|read| read.class == class && self.reads_behind(read));
        let each = second.writes.iter().filter(|write| reads(write.class));
        let distances = each.filter_map(|write| war_distance(&self.word, write.class, second.timing));
        distances.max().map_or(1, u32::from)
    }

    /// Whether what has fixed latency may have to keep away from a register that it reads.
    pub(super) fn reads_behind(&self, read: &Place) -> bool {
        self.timing.reads_behind(read.class, read.used, self.word.isa())
    }

    /// Whether only a scoreboard tells that a register has been read, whatever overwrites it.
    pub(super) fn tells_of_reading(&self, read: &Place) -> bool {
        self.read_before(read, self).is_none()
    }

    /// A guess at the cycles that a result of variable latency takes, for deciding what goes first.
    pub(super) fn expected_latency(&self) -> u32 {
        use warpsmith_sass::{MemoryEffect, MemorySpace, Pipe};
        if !self.is_variable {
            return 0;
        }
        let memory = self
            .word
            .memory()
            .iter()
            .find(|access| access.effect != MemoryEffect::Write);
        match (memory.map(|access| access.space), self.timing.pipe) {
            (Some(MemorySpace::Shared | MemorySpace::Cluster), _) => 28,
            (Some(MemorySpace::Constant), _) => 30,
            (Some(MemorySpace::Tensor), _) => 32,
            (Some(MemorySpace::Local), _) => 60,
            (Some(MemorySpace::Texture | MemorySpace::Surface), _) => 300,
            (Some(_), _) => 250,
            (None, Pipe::Xu) => 18,
            (None, Pipe::Fp64) => 40,
            (None, Pipe::Tex) => 300,
            (None, Pipe::Tensor) => 32,
            (None, _) => 24,
        }
    }
}

/// The registers that an arrival of a warpgroup hands over to products, and a wait gives back; or that lanes hand over which help others.
fn handed_over(instruction: &Instruction, allocation: &Allocation) -> Vec<Place> {
    let effects = instruction.effects.iter();
    let words = effects
        .flat_map(|effects| &effects.reads)
        .flat_map(|(register, words)| {
            let first = allocation.numbers.get(register.0 as usize).copied().flatten();
            (0..*words).filter_map(move |word| first?.checked_add(word))
        });
    let one = |number| {
        Some(Place {
            index: place(RegisterClass::Gpr, number)?,
            class: RegisterClass::Gpr,
            word: 0,
            used: Use::Operand {
                name: FieldName::Ra,
                word: 0,
            },
        })
    };
    words.filter_map(one).collect()
}
