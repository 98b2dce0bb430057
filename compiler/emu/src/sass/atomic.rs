//! Atomic operations and reductions.

use warpsmith_numerics::{
    float::{self, Modifiers},
    format::{self, Format},
};

use super::{
    code::{LANES, LOCAL_WINDOW, Lanes, Predicate, Row, SHARED_WINDOW},
    machine::{Context, Flow, Trouble},
    memory::{Address, Place, Space, access, count, destinations, locate, read, write},
};
use crate::{FaultKind, lanes::lanes_of};

/// What is done to the value in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operation {
    Add,
    Minimum,
    Maximum,
    /// To the next number, or to 0 if that is above the operand.
    Increment,
    /// To the number before, or to the operand if there is none or it is above the operand.
    Decrement,
    And,
    Or,
    Xor,
    Exchange,
    CompareAndSwap,
    /// `CAST`: the same, but the result is whether it was equal.
    CompareAndSwapTest,
    /// `POPC.INC`: plus one for each thread.
    Count,
    /// `ARRIVE`: an arrival at an mbarrier of sm_80 to sm_89.
    Arrive,
}

/// The type of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Element {
    Unsigned,
    Signed,
    /// Lanes of a floating-point format.
    Float {
        format: Format,
        flush: bool,
    },
}

/// An atomic operation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Atomic {
    pub(crate) operation: Operation,
    pub(crate) element: Element,
    /// Bytes that are handled as one number: 4 for packed halves.
    pub(crate) bytes: u8,
    /// How many follow each other.
    pub(crate) count: u8,
    pub(crate) space: Space,
    pub(crate) address: Address,
    /// The value before.
    pub(crate) d: Row,
    /// Whether the memory can do it.
    pub(crate) p: Predicate,
    pub(crate) b: Row,
    pub(crate) c: Row,
}

/// An operation on each number of a word: two of sixteen bits, or four of eight.
fn packed(format: Format, operands: [u64; 2], operation: impl Fn([u64; 2]) -> u64) -> u64 {
    if format.width() != 8 {
        return float::map_lanes(format, operands, operation);
    }
    [0, 16].into_iter().fold(0, |all, shift| {
        all | float::map_lanes(format, operands.map(|word| word >> shift), &operation) << shift
    })
}

impl Atomic {
    /// What an operation makes of two numbers, wherever they are: no memory and no registers are named.
    pub(super) fn of_numbers(operation: Operation, element: Element, bytes: u8) -> Atomic {
        Atomic {
            operation,
            element,
            bytes,
            count: 1,
            space: Space::Global,
            address: Address::register(Row::ZERO, false),
            d: Row::ZERO,
            p: Predicate::TRUE,
            b: Row::ZERO,
            c: Row::ZERO,
        }
    }

    pub(super) fn execute(self, context: &mut Context<'_, '_>) -> Result<Flow, Trouble> {
        let addresses = self.address.lanes(context);
        let whole = self.bytes * self.count;
        count(context, self.space, &addresses, u64::from(whole));
        if !context.machine.retry {
            context.machine.counts.memory.atomics += 1;
            context.machine.counts.polls += 1;
        }
        // A number of 16 bytes is more than a single move handles.
        let wide = whole > 8 && matches!(self.operation, Operation::CompareAndSwap | Operation::Exchange);
        let held = if wide { context.machine.memory.whole() } else { None };
        let operands = self.operands(context, self.b);
        let swaps = self.operands(context, self.c);
        let mut old = [[0; LANES]; 4];
        let (mut done, mut equal) = (0, 0);
        for lane in lanes_of(context.active) {
            if !self.is_possible(addresses[lane]) {
                if self.p == Predicate::TRUE {
                    let message = format!(
                        "an atomic operation at {:#x}, whose memory cannot do it",
                        addresses[lane]
                    );
                    return Err(Trouble::new(FaultKind::Unsupported, message).at(lane));
                }
                continue;
            }
            done |= 1 << lane;
            let words = |rows: &[Lanes; 4]| std::array::from_fn(|word| rows[word][lane]);
            let mut before = Ok([0; 4]);
            match locate(context, self.space, addresses[lane], whole) {
                Ok(place) => before = self.one(context, place, lane, words(&operands), words(&swaps)),
                Err(_) => match destinations(context, self.space, addresses[lane], whole) {
                    Ok(places) => {
                        for place in places {
                            before = before.and(self.one(context, place, lane, words(&operands), words(&swaps)));
                        }
                    }
                    Err(trouble) => before = Err(trouble),
                },
            }
            let before = match before {
                Ok(before) => before,
                Err(trouble) => {
                    // Those before have what they ask for, whether the run goes on or not.
                    let done = done & !(1 << lane);
                    self.give(context, &old, done, equal);
                    return Err(Trouble {
                        done,
                        ..trouble.at(lane)
                    });
                }
            };
            let size = usize::from(whole.div_ceil(4)).min(4);
            equal |= u32::from((0..size).all(|word| before[word] == operands[word][lane])) << lane;
            for (row, value) in old.iter_mut().zip(before) {
                row[lane] = value;
            }
        }
        drop(held);
        self.give(context, &old, done, equal);
        Ok(Flow::Next)
    }

    /// The registers from `row` on.
    fn operands(&self, context: &Context<'_, '_>, row: Row) -> [Lanes; 4] {
        let words = u32::from(self.bytes * self.count).div_ceil(4);
        std::array::from_fn(|word| match (word as u32) < words {
            true => *context.warp.row(&context.machine.constants, row.after(word as u32)),
            false => [0; LANES],
        })
    }

    /// Whether memory at a generic address can do it. The code after the instruction does otherwise what it cannot: the sum of floating-point
    /// numbers outside global memory, and 64-bit operations in local memory (observed, ptxas 13.0.88).
    fn is_possible(&self, address: u64) -> bool {
        if self.space != Space::Generic {
            return true;
        }
        let (shared, local) = (
            address >> 32 == SHARED_WINDOW >> 32,
            address >> 32 == LOCAL_WINDOW >> 32,
        );
        match self.element {
            Element::Float { .. } => !shared && !local,
            Element::Unsigned | Element::Signed => !local || self.bytes == 4,
        }
    }

    /// Writes the results.
    fn give(&self, context: &mut Context<'_, '_>, old: &[Lanes; 4], done: u32, equal: u32) {
        let words = u32::from(self.bytes * self.count).div_ceil(4);
        if self.operation == Operation::CompareAndSwapTest {
            // On generations where it is a number, it has the width of the operand.
            let holds: Lanes = std::array::from_fn(|lane| equal >> lane & 1);
            for word in 0..words {
                let value = if word == 0 { holds } else { [0; LANES] };
                context.warp.write(self.d.after(word), done, &value);
            }
            context.warp.set_predicate(self.p, context.active, equal);
            return;
        }
        for word in 0..words {
            context.warp.write(self.d.after(word), done, &old[word as usize % 4]);
        }
        context.warp.set_predicate(self.p, context.active, done);
    }

    /// Performs it for one thread; gives what was there before.
    fn one(
        &self,
        context: &mut Context<'_, '_>,
        place: Place,
        lane: usize,
        operand: [u32; 4],
        swap: [u32; 4],
    ) -> Result<[u32; 4], Trouble> {
        let size = usize::from(self.bytes * self.count).div_ceil(4).min(4);
        let check = context.machine.checks_uninitialised();
        if self.operation == Operation::CompareAndSwap && size == 4 {
            return self.swap_wide(context, place, lane, operand, swap);
        }
        let mut before = [0; 4];
        // Elements have at most 8 bytes: each step is one operation, even beside other host threads.
        for start in (0..size).step_by(2) {
            let words = (size - start).min(2);
            let new = |old: u64| {
                let mut memory = [0; 4];
                (memory[start], memory[(start + 1) % 4]) = (old as u32, (old >> 32) as u32);
                let after = self.after(memory, operand, swap, start..start + words);
                u64::from(after[start]) | u64::from(after[(start + 1) % 4]) << 32
            };
            let old = access(context, place, lane, 4 * start as u64, 4 * words, |block, at| {
                block.update(at, 4 * words, check, new)
            })?;
            before[start] = old as u32;
            if words == 2 {
                before[(start + 1) % 4] = (old >> 32) as u32;
            }
        }
        Ok(before)
    }

    /// `CAS` of 16 bytes. No other thread is at it.
    fn swap_wide(
        &self,
        context: &mut Context<'_, '_>,
        place: Place,
        lane: usize,
        operand: [u32; 4],
        swap: [u32; 4],
    ) -> Result<[u32; 4], Trouble> {
        let mut before = [0; 4];
        for (word, value) in before.iter_mut().enumerate() {
            *value = read(context, place, lane, 4 * word as u64, 4)? as u32;
        }
        let after = if before == operand { swap } else { before };
        for (word, value) in after.iter().enumerate() {
            write(context, place, lane, 4 * word as u64, 4, u64::from(*value))?;
        }
        Ok(before)
    }

    /// What some words become, of which only those are known.
    fn after(&self, before: [u32; 4], operand: [u32; 4], swap: [u32; 4], words: std::ops::Range<usize>) -> [u32; 4] {
        match self.operation {
            Operation::CompareAndSwap | Operation::CompareAndSwapTest
                if before[words.clone()] == operand[words.clone()] =>
            {
                swap
            }
            Operation::CompareAndSwap | Operation::CompareAndSwapTest => before,
            Operation::Exchange => operand,
            _ => self.updated(before, operand, words),
        }
    }

    /// The new words, element by element.
    fn updated(&self, before: [u32; 4], operand: [u32; 4], words: std::ops::Range<usize>) -> [u32; 4] {
        let mut after = before;
        if self.bytes == 8 {
            for pair in words.start / 2..words.end / 2 {
                let wide = |words: [u32; 4]| u64::from(words[2 * pair]) | u64::from(words[2 * pair + 1]) << 32;
                let value = self.number(wide(before), wide(operand));
                after[2 * pair] = value as u32;
                after[2 * pair + 1] = (value >> 32) as u32;
            }
        } else {
            for word in words {
                after[word] = self.number(u64::from(before[word]), u64::from(operand[word])) as u32;
            }
        }
        after
    }

    /// One number of 4 or 8 bytes.
    pub(super) fn number(&self, before: u64, operand: u64) -> u64 {
        let mask = if self.bytes == 8 { u64::MAX } else { 0xffff_ffff };
        let signed = |value: u64| {
            if self.bytes == 8 {
                value as i64
            } else {
                i64::from(value as i32)
            }
        };
        let value = match (self.operation, self.element) {
            (Operation::Add, Element::Float { format, flush }) => {
                let modifiers = Modifiers {
                    ftz: flush,
                    ..Modifiers::default()
                };
                match format.width() {
                    8 | 16 => packed(format, [before, operand], |[a, b]| float::add(format, modifiers, a, b)),
                    _ => float::add(format, modifiers, before, operand),
                }
            }
            (Operation::Minimum | Operation::Maximum, Element::Float { format, .. }) => {
                let extreme = match self.operation {
                    Operation::Minimum => float::min,
                    _ => float::max,
                };
                packed(format, [before, operand], |[a, b]| {
                    extreme(format, float::MinMax::default(), a, b)
                })
            }
            (Operation::Add, _) => before.wrapping_add(operand),
            (Operation::Minimum, Element::Signed) if signed(before) <= signed(operand) => before,
            (Operation::Maximum, Element::Signed) if signed(before) >= signed(operand) => before,
            (Operation::Minimum | Operation::Maximum, Element::Signed) => operand,
            (Operation::Minimum, Element::Unsigned) => before.min(operand),
            (Operation::Maximum, Element::Unsigned) => before.max(operand),
            (Operation::Increment, _) if before >= operand => 0,
            (Operation::Increment, _) => before + 1,
            (Operation::Decrement, _) if before == 0 || before > operand => operand,
            (Operation::Decrement, _) => before - 1,
            (Operation::And, _) => before & operand,
            (Operation::Or, _) => before | operand,
            (Operation::Xor, _) => before ^ operand,
            (Operation::Exchange, _) => operand,
            (Operation::Count, _) => before.wrapping_add(1),
            (Operation::Arrive, _) => arrived(before),
            (Operation::CompareAndSwap | Operation::CompareAndSwapTest, _) => before,
        };
        value & mask
    }
}

/// An mbarrier of sm_80 to sm_89 after an arrival. Bits 0 to 29 hold 2^30 less the number of arrivals of a phase, bits 32 to 62 2^31 less those
/// that are missing in this one, bit 63 the phase. (Observed: what ptxas 13.0.88 writes for `mbarrier.init` and `mbarrier.pending_count`.)
pub(crate) fn arrived(state: u64) -> u64 {
    let count = (state >> 32) as u32 & 0x7fff_ffff;
    let phase = (state >> 63) as u32;
    let expected = (1_u32 << 30).wrapping_sub(state as u32 & 0x3fff_ffff);
    let high = match count + 1 {
        0x8000_0000 => (phase ^ 1) << 31 | 0x8000_0000_u32.wrapping_sub(expected) & 0x7fff_ffff,
        count => phase << 31 | count,
    };
    state & 0xffff_ffff | u64::from(high) << 32
}

/// The formats of floating-point sums.
pub(crate) fn float_element(name: &str) -> Option<(Element, u8, u8)> {
    let (name, flush) = match name.strip_suffix(".RN")?.strip_suffix(".FTZ") {
        Some(name) => (name, true),
        None => (name.strip_suffix(".RN")?, false),
    };
    let (format, bytes, count) = match name {
        "F32" => (format::F32, 4, 1),
        "F32x2" => (format::F32, 4, 2),
        "F32x4" => (format::F32, 4, 4),
        "F64" => (format::F64, 8, 1),
        "F16x2" => (format::F16, 4, 1),
        "F16x4" => (format::F16, 4, 2),
        "F16x8" => (format::F16, 4, 4),
        "BF16x2" => (format::BF16, 4, 1),
        "BF16x4" => (format::BF16, 4, 2),
        "BF16x8" => (format::BF16, 4, 4),
        "E4M3x4" => (format::E4M3, 4, 1),
        "E4M3x8" => (format::E4M3, 4, 2),
        "E4M3x16" => (format::E4M3, 4, 4),
        "E5M2x4" => (format::E5M2, 4, 1),
        "E5M2x8" => (format::E5M2, 4, 2),
        "E5M2x16" => (format::E5M2, 4, 4),
        _ => return None,
    };
    Some((Element::Float { format, flush }, bytes, count))
}
