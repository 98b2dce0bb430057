//! The form that other passes want loops in: one block before the header that goes nowhere else, one block that goes back to it, and exits that only the
//! loop leads to.

use rustc_hash::FxHashSet;
use smallvec::SmallVec;
use warpsmith_ir::{BlockId, Flags, Function, Instruction, InstructionId, Type, Value};

use super::Nest;
use crate::pipeline::Unit;

/// The pass.
pub(crate) fn run(function: &mut Function, unit: &Unit<'_>) -> bool {
    let nest = Nest::new(function);
    let mut changed = false;
    for index in 0..nest.loops.len() {
        let Some(header) = nest.header(index) else { continue };
        let (latches, outside): (Vec<BlockId>, Vec<BlockId>) = nest
            .flow
            .predecessors(header)
            .filter(|&block| nest.flow.is_reached(block))
            .partition(|&block| nest.contains(index, block));
        if nest.preheader(index).is_none() && !outside.is_empty() && unit.fuel.take() {
            split_predecessors(function, header, &outside);
            changed = true;
        }
        if latches.len() > 1 && unit.fuel.take() {
            let hints = latches.iter().find_map(|&latch| super::hints(function, latch));
            let merged = split_predecessors(function, header, &latches);
            for latch in latches {
                if let Some(terminator) = function.terminator(latch) {
                    function.update_attachments(terminator, |all| all.loop_hints = None);
                }
            }
            if let (Some(hints), Some(branch)) = (hints, merged.and_then(|block| function.terminator(block))) {
                function.update_attachments(branch, |all| all.loop_hints = Some(hints));
            }
            changed = true;
        }
    }
    let nest = if changed { Nest::new(function) } else { nest };
    changed | dedicate_exits(function, unit, &nest)
}

/// Exits get blocks that only the loop leads to.
fn dedicate_exits(function: &mut Function, unit: &Unit<'_>, nest: &Nest) -> bool {
    let mut wanted: Vec<(BlockId, Vec<BlockId>)> = Vec::new();
    let mut known: FxHashSet<BlockId> = FxHashSet::default();
    for index in 0..nest.loops.len() {
        let mut exits: Vec<BlockId> = nest.exits(index).into_iter().map(|(_, to)| to).collect();
        exits.sort_unstable();
        exits.dedup();
        for exit in exits {
            let (inside, outside): (Vec<BlockId>, Vec<BlockId>) = nest
                .flow
                .predecessors(exit)
                .filter(|&block| nest.flow.is_reached(block))
                .partition(|&block| nest.contains(index, block));
            // One exit at a time: the blocks that an inner loop needs serve the outer one too, in the next run.
            if !outside.is_empty() && known.insert(exit) {
                wanted.push((exit, inside));
            }
        }
    }
    let mut changed = false;
    for (exit, inside) in wanted {
        if unit.fuel.take() {
            split_predecessors(function, exit, &inside);
            changed = true;
        }
    }
    changed
}

/// Lets some predecessors of a block come through a new block.
pub(crate) fn split_predecessors(function: &mut Function, block: BlockId, before: &[BlockId]) -> Option<BlockId> {
    let new = function.create_block();
    // Behind the last of them, or before the block.
    function.place_block(new, before.iter().max().copied().or(function.previous_block(block)));
    let phis: Vec<InstructionId> = function.phis(block).collect();
    let branch = function.append(new, Instruction::Branch { target: block }, Type::Void);
    for &from in before {
        function.replace_successor(from, block, new);
    }
    if let Some(location) = before
        .first()
        .and_then(|&from| function.terminator(from))
        .map(|end| function.location(end))
    {
        function.set_location(branch, location);
    }
    for phi in phis {
        let Instruction::Phi { incoming, .. } = function.instruction(phi) else {
            continue;
        };
        let moved: SmallVec<[(BlockId, Value); 2]> = incoming
            .iter()
            .copied()
            .filter(|(from, _)| before.contains(from))
            .collect();
        let Some(&(_, first)) = moved.first() else { continue };
        let value = if moved.iter().all(|(_, value)| *value == first) {
            first
        } else {
            let ty = function.result_type(phi);
            let flags = Flags::NONE;
            Value::Instruction(function.prepend(new, Instruction::Phi { flags, incoming: moved }, ty))
        };
        function.update(phi, |instruction| {
            if let Instruction::Phi { incoming, .. } = instruction {
                incoming.retain(|(from, _)| !before.contains(from));
                incoming.push((new, value));
            }
        });
    }
    Some(new)
}
