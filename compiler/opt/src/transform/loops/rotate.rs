//! Rotation: `while (c) body` becomes `if (c) do body while (c)`. The test of the first round is copied before the loop; the loop then tests at its
//! end, and what is in it runs whenever it is entered.

use rustc_hash::FxHashMap;
use warpsmith_ir::{BlockId, Function, Instruction, InstructionId, Type, Value};

use super::{Nest, demote::Demoted};
use crate::{analysis::effects, clone, pipeline::Unit};

/// A header of more instructions is not copied.
const MOST_COPIED: usize = 24;

/// The pass. Loops have the form of [`super::shape`].
pub(crate) fn run(function: &mut Function, unit: &Unit<'_>) -> bool {
    let nest = Nest::new(function);
    let mut changed = false;
    let mut demoted = Demoted::default();
    // Rotating changes blocks of the loop itself only; those around keep their headers. A loop that uses what another one computes comes first, so that no header
    // reads memory when it is copied.
    for index in (0..nest.loops.len()).rev() {
        changed |= rotate(function, unit, &nest, index, &mut demoted);
    }
    demoted.promote(function);
    changed
}

fn rotate(function: &mut Function, unit: &Unit<'_>, nest: &Nest, index: usize, demoted: &mut Demoted) -> bool {
    let (Some(header), Some(preheader), Some(latch)) = (nest.header(index), nest.preheader(index), nest.latch(index))
    else {
        return false;
    };
    let Some(terminator) = function.terminator(header) else {
        return false;
    };
    let Instruction::ConditionalBranch { on_true, on_false, .. } = *function.instruction(terminator) else {
        return false;
    };
    let stays = |block: BlockId| nest.contains(index, block);
    let leaves = stays(on_true) != stays(on_false);
    // A loop that tests at its end is rotated already.
    let latch_exits = function.successors(latch).iter().any(|&to| !stays(to));
    // An earlier rotation of a loop inside may have changed who goes here.
    let is_intact = function.successors(preheader)[..] == [header];
    if !leaves || latch == header || latch_exits || !is_intact || !can_copy(function, unit, header) || !unit.fuel.take()
    {
        return false;
    }
    copy_header(function, header, preheader, demoted);
    true
}

fn can_copy(function: &Function, unit: &Unit<'_>, header: BlockId) -> bool {
    let mut count = 0;
    for id in function.instructions(header) {
        let instruction = function.instruction(id);
        if instruction.is_phi() || instruction.is_terminator() {
            continue;
        }
        count += 1;
        if effects::is_convergent(unit.symbols, function, id) || matches!(instruction, Instruction::Alloca { .. }) {
            return false;
        }
        if matches!(instruction, Instruction::Call(call) if call.intrinsic().is_none()) {
            return false;
        }
    }
    count <= MOST_COPIED
}

/// Copies the header before the loop, where the first round comes in.
fn copy_header(function: &mut Function, header: BlockId, preheader: BlockId, demoted: &mut Demoted) {
    let ids: Vec<InstructionId> = function.instructions(header).collect();
    // Whoever uses what the header computes finds it in memory, wherever it was computed; so do the phis that the other blocks have for it.
    let in_header = |block: BlockId| block == header;
    for &id in &ids {
        if function.result_type(id) != Type::Void {
            demoted.demote(function, id, &in_header);
        }
    }
    let ids: Vec<InstructionId> = function.instructions(header).collect();
    let copy = function.insert_block_after(preheader);
    let mut values: FxHashMap<InstructionId, Value> = FxHashMap::default();
    for id in ids {
        let of = |value: Value, values: &FxHashMap<InstructionId, Value>| match value {
            Value::Instruction(id) => values.get(&id).copied().unwrap_or(value),
            _ => value,
        };
        if let Instruction::Phi { incoming, .. } = function.instruction(id) {
            let first = incoming
                .iter()
                .find(|(from, _)| *from == preheader)
                .map(|(_, value)| *value);
            if let Some(first) = first {
                values.insert(id, first);
            }
            continue;
        }
        let mut instruction = function.instruction(id).clone();
        clone::map(&mut instruction, |value| of(value, &values), |block| block);
        let ty = function.result_type(id);
        let made = function.append(copy, instruction, ty);
        clone::copy_description(function, id, made);
        function.update_attachments(made, |all| all.loop_hints = None);
        values.insert(id, Value::Instruction(made));
    }
    // Successors of the header have one more predecessor now.
    let mut successors = function.successors(header);
    successors.sort_unstable();
    successors.dedup();
    for successor in successors {
        for phi in function.phis(successor).collect::<Vec<_>>() {
            let Instruction::Phi { incoming, .. } = function.instruction(phi) else {
                continue;
            };
            let from_header = incoming
                .iter()
                .find(|(from, _)| *from == header)
                .map(|(_, value)| *value);
            let Some(value) = from_header else { continue };
            let value = match value {
                Value::Instruction(id) => values.get(&id).copied().unwrap_or(value),
                _ => value,
            };
            function.update(phi, |instruction| {
                if let Instruction::Phi { incoming, .. } = instruction {
                    incoming.push((copy, value));
                }
            });
        }
    }
    function.remove_phi_entries(header, preheader);
    function.replace_successor(preheader, header, copy);
}
