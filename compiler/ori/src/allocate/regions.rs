//! How many general registers a warp has where: `USETMAXREG` changes it.
//!
//! A warp starts with what the function's header says: as many as the kernel may have, and no more than it ever asks for. (Observed, ptxas 13.0.88.) From an
//! instruction on that gives registers back it has fewer, and after the block in which more are asked for until there are more, it has those. Where ways meet, it
//! has the fewest of all.

use warpsmith_sass::{FieldName, Opcode};

use super::budget;
use crate::ir::{BlockId, Function, Instruction};

/// What an instruction does to the number of registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Change {
    Lowers(u32),
    Raises(u32),
}

fn change(instruction: &Instruction) -> Option<Change> {
    if instruction.base.opcode() != Opcode::Usetmaxreg {
        return None;
    }
    let count = instruction.base.field(FieldName::Imm)? as u32;
    Some(match instruction.base.form().name {
        "DEALLOC.I" => Change::Lowers(count),
        _ => Change::Raises(count),
    })
}

/// Whether a function changes the number.
pub(crate) fn any(function: &Function) -> bool {
    let mut code = function.blocks.iter().flat_map(|block| &block.code);
    code.any(|instruction| change(instruction).is_some())
}

/// How many a warp starts with.
pub(super) fn start(function: &Function) -> u32 {
    let code = function.blocks.iter().flat_map(|block| &block.code);
    let asked = code.filter_map(change).filter_map(|change| match change {
        Change::Raises(count) => Some(count),
        Change::Lowers(_) => None,
    });
    let general = budget::general(function);
    asked.max().map_or(general, |most| most.min(general))
}

/// The most registers that a warp has anywhere, if the function changes the number.
pub(super) fn most(function: &Function) -> Option<u32> {
    let code = function.blocks.iter().flat_map(|block| &block.code);
    let counts = code.filter_map(change).map(|change| match change {
        Change::Lowers(count) | Change::Raises(count) => count,
    });
    counts.max().map(|count| count.max(start(function)))
}

/// For each instruction, how many registers the warp has at least; empty if the function does not change that.
pub(crate) fn limits(function: &Function) -> Vec<u32> {
    if !any(function) {
        return Vec::new();
    }
    let blocks = function.blocks.len();
    let mut entry: Vec<Option<u32>> = vec![None; blocks];
    let mut work = vec![0];
    if let Some(first) = entry.first_mut() {
        *first = Some(start(function));
    }
    while let Some(block) = work.pop() {
        let Some(mut now) = entry[block] else { continue };
        for instruction in &function.blocks[block].code {
            match change(instruction) {
                Some(Change::Lowers(count) | Change::Raises(count)) => now = count,
                None => {}
            }
        }
        for successor in function.successors(BlockId(block as u32)) {
            let own = &mut entry[successor.0 as usize];
            let next = own.map_or(now, |own| own.min(now));
            if *own != Some(next) {
                *own = Some(next);
                work.push(successor.0 as usize);
            }
        }
    }
    let mut found = Vec::new();
    for (block, entry) in function.blocks.iter().zip(entry) {
        let mut now = entry.unwrap_or(u32::MAX);
        for instruction in &block.code {
            if let Some(Change::Lowers(count)) = change(instruction) {
                now = count;
            }
            found.push(now);
        }
    }
    found
}

/// How many general registers the warp has in each block: where the program changes that, the fewest of all places in it.
pub(crate) fn rooms(function: &Function) -> Vec<u32> {
    let limits = limits(function);
    if limits.is_empty() {
        return vec![budget::general(function); function.blocks.len()];
    }
    let mut limits = limits.into_iter();
    let blocks = function.blocks.iter();
    let each = blocks.map(|block| limits.by_ref().take(block.code.len()).min());
    each.map(|least| least.unwrap_or(u32::MAX)).collect()
}

/// Registers that tuples leave unused between them, at most.
const GAPS: u32 = 16;

/// How many general registers may be live in each block before its code is arranged so that fewer are.
pub(crate) fn comfortable(function: &Function) -> Vec<u32> {
    let rooms = rooms(function).into_iter();
    rooms.map(|room| room - (room / 8).min(GAPS)).collect()
}
