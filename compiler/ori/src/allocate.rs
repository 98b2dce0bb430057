//! Register allocation: linear scan over live intervals.
//!
//! Each virtual register has one interval, from its first definition to its last use in the order of the blocks, stretched over every block in which it is
//! live from end to end. Intervals get physical registers in order of their start: the lowest aligned run of free ones. R1 is the stack pointer.

use std::fmt;

use rustc_hash::FxHashSet;
use warpsmith_sass::RegisterClass;

use crate::{
    ir::{Function, Register},
    liveness::Liveness,
};

/// The physical register of each virtual register.
#[derive(Clone, Debug, Default)]
pub(crate) struct Allocation {
    /// Number of the first word; `None` for registers that nothing touches.
    pub(crate) numbers: Vec<Option<u8>>,
    /// General registers used: the highest number plus one.
    pub(crate) used: u32,
}

/// There are not enough registers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OutOfRegisters {
    pub(crate) class: RegisterClass,
    pub(crate) limit: u32,
    /// The register among those in the way that is needed again latest, if it may be spilled.
    pub(crate) victim: Option<Register>,
}

impl fmt::Display for OutOfRegisters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let file = match self.class {
            RegisterClass::Gpr => "general registers",
            RegisterClass::UniformGpr => "uniform registers",
            RegisterClass::Predicate => "predicates",
            RegisterClass::UniformPredicate => "uniform predicates",
            RegisterClass::Barrier => "convergence barriers",
            RegisterClass::Scoreboard => "scoreboards",
        };
        write!(
            f,
            "more than {} {file} are live at once, and spilling is not supported yet",
            self.limit
        )
    }
}

/// The stack pointer.
const STACK_POINTER: usize = 1;

/// When a register is live.
#[derive(Clone, Copy, Debug)]
struct Interval {
    register: Register,
    start: u32,
    end: u32,
    alignment: u8,
}

/// Registers of a file that code may use.
fn limit(function: &Function, class: RegisterClass) -> u32 {
    let registers = &function.sm.info().registers;
    match class {
        RegisterClass::Gpr => {
            let stated = function.register_limit.unwrap_or(registers.max_per_thread);
            stated.clamp(registers.min_per_thread, registers.max_per_thread) - registers.reserved_per_thread
        }
        RegisterClass::UniformGpr => registers.uniform,
        RegisterClass::Predicate => registers.predicates,
        RegisterClass::UniformPredicate => registers.uniform_predicates,
        RegisterClass::Barrier => registers.convergence_barriers,
        RegisterClass::Scoreboard => registers.scoreboards,
    }
}

/// Gives every virtual register a physical one.
///
/// `kept` are registers that must not be spilled.
pub(crate) fn allocate(function: &Function, kept: &FxHashSet<Register>) -> Result<Allocation, OutOfRegisters> {
    let mut intervals = intervals(function);
    intervals.sort_by_key(|interval| (interval.start, interval.register));
    let mut numbers = vec![None; function.registers.len()];
    let mut used = 0;
    if let Some(stack) = function.stack {
        numbers[stack.0 as usize] = Some(STACK_POINTER as u8);
        used = STACK_POINTER as u32 + 1;
    }
    for class in [
        RegisterClass::Gpr,
        RegisterClass::UniformGpr,
        RegisterClass::Predicate,
        RegisterClass::UniformPredicate,
        RegisterClass::Barrier,
    ] {
        let limit = limit(function, class);
        // For each physical register, the position from which it is free.
        let mut free_from = vec![0_u32; limit as usize];
        let busy = busy(function, &intervals, class);
        if class == RegisterClass::Gpr {
            free_from[STACK_POINTER] = u32::MAX;
        }
        let mut active: Vec<Interval> = Vec::new();
        for interval in intervals
            .iter()
            .filter(|i| function.info(i.register).class == class && function.stack != Some(i.register))
        {
            active.retain(|other| other.end > interval.start);
            active.push(*interval);
            let words = usize::from(function.info(interval.register).words);
            if let Some(number) = function.info(interval.register).fixed {
                numbers[interval.register.0 as usize] = Some(number);
                if class == RegisterClass::Gpr {
                    used = used.max(u32::from(number) + words as u32);
                }
                continue;
            }
            let step = usize::from(interval.alignment.max(1));
            let fits = |first: &usize| {
                let run = free_from.get(*first..*first + words);
                run.is_some_and(|run| run.iter().all(|free| *free <= interval.start))
                    && !(*first..*first + words).any(|number| meets(&busy, number, interval))
            };
            let Some(first) = (0..limit as usize).step_by(step).find(fits) else {
                let candidates = active.iter().filter(|other| !kept.contains(&other.register));
                return Err(OutOfRegisters {
                    class,
                    limit,
                    victim: candidates.max_by_key(|other| other.end).map(|other| other.register),
                });
            };
            free_from[first..first + words].fill(interval.end);
            numbers[interval.register.0 as usize] = Some(first as u8);
            if class == RegisterClass::Gpr {
                used = used.max((first + words) as u32);
            }
        }
    }
    Ok(Allocation { numbers, used })
}

/// When physical registers are taken by the calling convention: number, first position, and the position from which they are free again. In order of
/// number and position.
type Busy = Vec<(usize, u32, u32)>;

fn busy(function: &Function, intervals: &[Interval], class: RegisterClass) -> Busy {
    let mut found = Busy::new();
    for interval in intervals {
        let info = function.info(interval.register);
        if let Some(number) = info.fixed.filter(|_| info.class == class) {
            let numbers = usize::from(number)..usize::from(number) + usize::from(info.words);
            found.extend(numbers.map(|number| (number, interval.start, interval.end.max(interval.start + 1))));
        }
    }
    let mut position = 0;
    for instruction in function.blocks.iter().flat_map(|block| &block.code) {
        if let Some(effects) = &instruction.effects {
            let members = effects.clobbers.members(class).map(usize::from);
            found.extend(members.map(|number| (number, 2 * position + 1, 2 * position + 2)));
        }
        position += 1;
    }
    found.sort_unstable();
    found
}

/// Whether a register is taken at some time of an interval.
fn meets(busy: &Busy, number: usize, interval: &Interval) -> bool {
    let first = busy.partition_point(|(other, ..)| *other < number);
    busy[first..]
        .iter()
        .take_while(|(other, ..)| *other == number)
        .any(|(_, start, end)| *start < interval.end && interval.start < *end)
}

/// The interval of each register that something touches. Positions: instruction `n` reads at `2n` and writes at `2n + 1`.
fn intervals(function: &Function) -> Vec<Interval> {
    let liveness = Liveness::of(function);
    let mut found: Vec<Option<Interval>> = vec![None; function.registers.len()];
    let mut position = 0;
    for (index, block) in function.blocks.iter().enumerate() {
        let start = 2 * position;
        let end = 2 * (position + block.code.len() as u32);
        let mut live = liveness.out[index].clone();
        stretch(function, &liveness, &live, &mut found, end);
        for (offset, instruction) in block.code.iter().enumerate().rev() {
            let at = 2 * (position + offset as u32);
            for touch in instruction.touches() {
                let writes = touch.access != warpsmith_sass::Access::Read;
                let reads = touch.access != warpsmith_sass::Access::Write;
                if reads {
                    extend(&mut found, touch.register, at, touch.alignment);
                }
                if writes {
                    // A result that nobody reads still needs its register for itself.
                    extend(&mut found, touch.register, at + 1, touch.alignment);
                    extend(&mut found, touch.register, at + 2, touch.alignment);
                }
            }
            liveness.step(&mut live, instruction);
        }
        stretch(function, &liveness, &live, &mut found, start);
        position += block.code.len() as u32;
    }
    found.into_iter().flatten().collect()
}

/// What is live at a block's border is live there.
fn stretch(
    function: &Function,
    liveness: &Liveness,
    live: &crate::liveness::BitSet,
    found: &mut [Option<Interval>],
    at: u32,
) {
    for word in live.iter() {
        let register = liveness.first.partition_point(|first| *first <= word as u32) - 1;
        if register < function.registers.len() {
            extend(found, Register(register as u32), at, 1);
        }
    }
}

fn extend(found: &mut [Option<Interval>], register: Register, at: u32, alignment: u8) {
    let interval = found[register.0 as usize].get_or_insert(Interval {
        register,
        start: at,
        end: at,
        alignment,
    });
    interval.start = interval.start.min(at);
    interval.end = interval.end.max(at);
    interval.alignment = interval.alignment.max(alignment);
}
