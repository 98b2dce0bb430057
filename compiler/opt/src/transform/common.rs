//! Hoisting of what several blocks compute: to the nearest block that leads to all of them, if its operands are there already.
//!
//! Only cheap operations that can be run at any time move, and only where at least two computations become one.

use rustc_hash::FxHashMap;
use warpsmith_ir::{BlockId, Function, Instruction, InstructionId, Value};

use crate::{
    analysis::{
        dominators::Dominators,
        effects,
        flow::{Flow, node},
    },
    pipeline::Unit,
    transform::gvn::key::{self, Key},
};

/// The pass.
pub(crate) fn run(function: &mut Function, unit: &Unit<'_>) -> bool {
    let flow = Flow::new(function);
    let dominators = flow.dominators();
    let loops = flow.loops(&dominators);
    let mut changed = false;
    // What becomes one makes its users equal.
    for _ in 0..4 {
        let mut known: FxHashMap<Key, Vec<InstructionId>> = FxHashMap::default();
        let mut order: Vec<Key> = Vec::new();
        for block in flow.order() {
            for id in function.instructions(block) {
                if !can_move(function, unit, id) {
                    continue;
                }
                let Some(key) = key::of(function, id, None) else {
                    continue;
                };
                let list = known.entry(key.clone()).or_default();
                if list.is_empty() {
                    order.push(key);
                }
                list.push(id);
            }
        }
        let mut again = false;
        for key in order {
            let Some(list) = known.get(&key).filter(|list| list.len() > 1) else {
                continue;
            };
            let depth = |block: BlockId| loops.depth(node(block));
            again |= hoist(function, unit, &flow, &dominators, list, &depth);
        }
        changed |= again;
        if !again {
            break;
        }
    }
    changed
}

fn can_move(function: &Function, unit: &Unit<'_>, id: InstructionId) -> bool {
    matches!(
        function.instruction(id),
        Instruction::Binary { .. } | Instruction::Cast { .. } | Instruction::Gep { .. } | Instruction::ICmp { .. }
    ) && effects::is_speculatable(unit.symbols, function, id)
}

fn hoist(
    function: &mut Function,
    unit: &Unit<'_>,
    flow: &Flow,
    dominators: &Dominators,
    list: &[InstructionId],
    depth: &dyn Fn(BlockId) -> u32,
) -> bool {
    let blocks: Vec<BlockId> = list.iter().filter_map(|&id| function.block_of(id)).collect();
    if blocks.len() != list.len() {
        return false;
    }
    let common = blocks
        .iter()
        .map(|&block| node(block))
        .reduce(|one, other| dominators.common(one, other));
    let Some(target) = common.and_then(|at| flow.block(at)) else {
        return false;
    };
    // Not into a loop that the computations are outside of.
    let least = blocks.iter().map(|&block| depth(block)).min().unwrap_or(0);
    let Some(end) = function.terminator(target) else {
        return false;
    };
    let is_there = |operand: Value| match operand {
        Value::Instruction(id) => function
            .block_of(id)
            .is_some_and(|block| dominators.dominates(node(block), node(target))),
        Value::Argument(_) | Value::Constant(_) => true,
    };
    let operands = function.instruction(list[0]).operands();
    if depth(target) > least || !operands.into_iter().all(is_there) || !unit.fuel.take() {
        return false;
    }
    let first = list[0];
    let leader = match blocks.iter().position(|&block| block == target) {
        Some(index) => list[index],
        None => {
            function.move_before(first, end);
            function.update_attachments(first, |all| *all = Default::default());
            first
        }
    };
    for &id in list {
        if id == leader {
            continue;
        }
        // Of two in the target block the first stays, as it is first in the list.
        let flags = function.instruction(id).flags();
        let gep = match function.instruction(id) {
            Instruction::Gep { flags, .. } => Some(*flags),
            _ => None,
        };
        function.update(leader, |instruction| {
            if let Some(own) = instruction.flags_mut() {
                *own = own.intersection(flags);
            }
            if let (Instruction::Gep { flags, .. }, Some(other)) = (instruction, gep) {
                *flags = flags.intersection(other);
            }
        });
        function.replace_and_remove(id, Value::Instruction(leader));
    }
    true
}
