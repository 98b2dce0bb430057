//! Sinking: what only one way out of a block needs is computed on that way.
//!
//! Only what has no effect and reads no memory is moved, into a block that nothing else leads to and that is in no more loops. Results of loops so are
//! computed when the loop is left, and not in every round.

use warpsmith_ir::{BlockId, Function, Instruction, InstructionId, Value};

use crate::{
    analysis::{
        dominators::Dominators,
        effects,
        flow::{Flow, dominates, node},
        loops::Loops,
    },
    pipeline::Unit,
};

/// The pass.
pub(crate) fn run(function: &mut Function, unit: &Unit<'_>) -> bool {
    let flow = Flow::new(function);
    let dominators = flow.dominators();
    let loops = flow.loops(&dominators);
    let shape = Shape {
        flow: &flow,
        dominators: &dominators,
        loops: &loops,
    };
    let mut changed = false;
    // Blocks before those that they lead to, so that what was sunk is looked at again where it is now; each block from its end, users first.
    for block in flow.order() {
        if function.successors(block).len() < 2 {
            continue;
        }
        let ids: Vec<InstructionId> = function.instructions_backwards(block).collect();
        for id in ids {
            if let Some(to) = shape.target(function, unit, block, id)
                && let Some(first) = function.first_after_phis(to)
                && unit.fuel.take()
            {
                function.move_before(id, first);
                changed = true;
            }
        }
    }
    changed
}

struct Shape<'a> {
    flow: &'a Flow,
    dominators: &'a Dominators,
    loops: &'a Loops,
}

impl Shape<'_> {
    /// The block after `block` that alone needs an instruction.
    fn target(&self, function: &Function, unit: &Unit<'_>, block: BlockId, id: InstructionId) -> Option<BlockId> {
        let instruction = function.instruction(id);
        let stays = instruction.is_phi()
            || instruction.is_terminator()
            || matches!(
                instruction,
                Instruction::Alloca { .. } | Instruction::Load { .. } | Instruction::Freeze { .. }
            )
            || function.is_unused(Value::Instruction(id))
            || effects::is_convergent(unit.symbols, function, id)
            || !effects::memory(unit.symbols, function, id).is_none()
            || !effects::is_speculatable(unit.symbols, function, id);
        if stays {
            return None;
        }
        let uses = places_of_uses(function, Value::Instruction(id));
        if uses.contains(&block) {
            return None;
        }
        function.successors(block).into_iter().find(|&to| {
            let mut before = self.flow.predecessors(to);
            before.next() == Some(block)
                && before.next().is_none()
                && self.loops.depth(node(to)) <= self.loops.depth(node(block))
                && uses.iter().all(|&at| dominates(self.dominators, to, at))
        })
    }
}

/// The blocks in which a value is used; phis use it at the ends of the blocks that they name.
fn places_of_uses(function: &Function, value: Value) -> Vec<BlockId> {
    let mut places = Vec::new();
    for user in function.users(value) {
        match function.instruction(user) {
            Instruction::Phi { incoming, .. } => places.extend(
                (incoming.iter())
                    .filter(|(_, used)| *used == value)
                    .map(|(from, _)| *from),
            ),
            _ => places.extend(function.block_of(user)),
        }
    }
    places
}
