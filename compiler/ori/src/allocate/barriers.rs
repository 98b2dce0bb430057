//! Barriers that some threads leave while others go on with them.
//!
//! A convergence barrier is the warp's. Threads that left one (`BREAK`) do not touch it on their way to the place where they meet the others, but these may still
//! wait at it: no barrier that is armed on that way may have its register, as ptxas has it too (observed, ptxas 13.0.88). The threads meet at a barrier that was
//! armed before and is still held where they left, or not before they end.

use rustc_hash::FxHashSet;
use warpsmith_sass::{Access, Opcode, RegisterClass};

use super::ranges::{Ranges, Segment, merged};
use crate::ir::{Effects, Function, Instruction};

/// The barrier register of an instruction.
fn barrier(function: &Function, instruction: &Instruction) -> Option<u32> {
    let registers = instruction.touches().map(|touch| touch.register);
    let mut barriers = registers.filter(|register| function.info(*register).class == RegisterClass::Barrier);
    barriers.next().map(|register| register.0)
}

/// The barriers that threads leave: saved copies would still have those who left.
pub(super) fn left(function: &Function) -> Vec<u32> {
    let code = function.blocks.iter().flat_map(|block| &block.code);
    let breaks = code.filter(|instruction| instruction.base.opcode() == Opcode::Break);
    let mut found: Vec<u32> = breaks
        .filter_map(|instruction| barrier(function, instruction))
        .collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// Whether an instruction gives a register to a barrier, or destroys some.
fn takes_barrier(function: &Function, instruction: &Instruction) -> bool {
    let is_armed = instruction.base.opcode() != Opcode::Break
        && instruction
            .touches()
            .any(|touch| touch.access != Access::Read && function.info(touch.register).class == RegisterClass::Barrier);
    let destroys = |effects: &Effects| effects.clobbers.members(RegisterClass::Barrier).next().is_some();
    is_armed || instruction.effects.as_deref().is_some_and(destroys)
}

/// Makes each barrier that threads leave live on their ways to the others, where another gets a register there: what is armed before the ways is live where
/// they begin. `starts` has the number of each block's first instruction, and then the number of all.
pub(super) fn keep_on_ways_out(function: &Function, successors: &[Vec<u32>], starts: &[u32], ranges: &mut Ranges) {
    for (block, start) in starts.iter().enumerate().take(function.blocks.len()) {
        for (number, instruction) in (*start..).zip(&function.blocks[block].code) {
            if instruction.base.opcode() != Opcode::Break {
                continue;
            }
            let Some(left) = barrier(function, instruction) else {
                continue;
            };
            let way = way_out(function, successors, starts, ranges, (block, 2 * number, left));
            let list = &mut ranges.words[ranges.first[left as usize] as usize];
            list.extend(way);
            *list = merged(std::mem::take(list));
        }
    }
}

/// What runs between an instruction by which threads leave a barrier, given by its block and its place, and where they meet the others.
fn way_out(
    function: &Function,
    successors: &[Vec<u32>],
    starts: &[u32],
    ranges: &Ranges,
    (block, place, left): (usize, u32, u32),
) -> Vec<Segment> {
    let is_held = |other: u32| {
        let segments = &ranges.words[ranges.first[other as usize] as usize];
        other != left
            && segments
                .iter()
                .any(|segment| segment.start <= place && place < segment.end)
    };
    // Where in a block threads meet others, from the instruction `first` on.
    let meeting = |block: usize, first: usize| {
        let mut code = function.blocks[block].code.iter().enumerate().skip(first);
        let found = code.find(|(_, instruction)| {
            instruction.base.opcode() == Opcode::Bsync && barrier(function, instruction).is_some_and(is_held)
        });
        found.map(|(index, _)| starts[block] + index as u32)
    };
    let own = place / 2 + 1;
    let mut found = Vec::new();
    let mut work = Vec::new();
    let mut seen: FxHashSet<usize> = FxHashSet::default();
    let mut walk = |block: usize, start: u32, work: &mut Vec<usize>| {
        let end = meeting(block, (start - starts[block]) as usize);
        if end.is_none() {
            let next = successors[block].iter().map(|to| *to as usize);
            work.extend(next.filter(|to| seen.insert(*to)));
        }
        let (first, end) = (start - starts[block], end.unwrap_or(starts[block + 1]));
        let code = (start..end).zip(&function.blocks[block].code[first as usize..]);
        for (number, _) in code.filter(|(_, instruction)| takes_barrier(function, instruction)) {
            found.push(Segment {
                start: 2 * number,
                end: 2 * number + 2,
            });
        }
    };
    walk(block, own, &mut work);
    while let Some(block) = work.pop() {
        walk(block, starts[block], &mut work);
    }
    found
}
