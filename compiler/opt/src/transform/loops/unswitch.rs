//! Unswitching: a branch in a loop whose condition is the same in all rounds is decided before the loop, which is there once for each side.
//!
//! Only where all threads of a block decide alike: threads of a warp that decided differently would go through one loop after the other. And not where threads run
//! something together.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use warpsmith_ir::{BlockId, Function, Instruction, InstructionId, Type, Value};

use super::{Nest, demote::Demoted};
use crate::{
    analysis::{divergence, effects},
    clone, intrinsics,
    pipeline::Unit,
};

/// Instructions of a loop that is copied.
const MOST_INSTRUCTIONS: usize = 64;
/// Loops that are copied in a function.
const MOST_LOOPS: u32 = 8;

/// The pass. Loops have the form of [`super::shape`].
pub(crate) fn run(function: &mut Function, unit: &Unit<'_>) -> bool {
    let mut changed = false;
    for _ in 0..MOST_LOOPS {
        let nest = Nest::new(function);
        let divergence = divergence::Asked::new(unit.symbols, function);
        let found = (0..nest.loops.len())
            .rev()
            .find_map(|index| Some((index, decided_before(function, unit, &nest, index, &divergence)?)));
        let Some((index, branch)) = found else { break };
        if !unit.fuel.take() || !unswitch(function, &nest, index, branch) {
            break;
        }
        changed = true;
    }
    changed
}

/// A branch between two ways through a loop that can be decided before it.
fn decided_before(
    function: &Function,
    unit: &Unit<'_>,
    nest: &Nest,
    index: usize,
    divergence: &divergence::Asked<'_>,
) -> Option<InstructionId> {
    nest.header(index)?;
    let preheader = nest.preheader(index)?;
    nest.latch(index)?;
    let blocks = nest.blocks(index);
    let mut size = 0;
    for id in blocks.iter().flat_map(|&block| function.instructions(block)) {
        let instruction = function.instruction(id);
        size += usize::from(!instruction.is_phi() && !intrinsics::is_marker(instruction));
        let stays = matches!(
            instruction,
            Instruction::Alloca { .. } | Instruction::IndirectBranch { .. }
        );
        if stays || size > MOST_INSTRUCTIONS || effects::is_convergent(unit.symbols, function, id) {
            return None;
        }
    }
    blocks.iter().find_map(|&block| {
        let end = function.terminator(block)?;
        let Instruction::ConditionalBranch {
            condition,
            on_true,
            on_false,
        } = *function.instruction(end)
        else {
            return None;
        };
        let id = condition.as_instruction()?;
        let is_outside = !nest.contains(index, function.block_of(id)?);
        let stays = on_true != on_false && nest.contains(index, on_true) && nest.contains(index, on_false);
        (is_outside && stays && divergence.is_uniform(condition, preheader)).then_some(end)
    })
}

fn unswitch(function: &mut Function, nest: &Nest, index: usize, branch: InstructionId) -> bool {
    let (Some(header), Some(preheader)) = (nest.header(index), nest.preheader(index)) else {
        return false;
    };
    let Instruction::ConditionalBranch { condition, .. } = *function.instruction(branch) else {
        return false;
    };
    let Some(entrance) = function.terminator(preheader) else {
        return false;
    };
    let blocks = nest.blocks(index);
    let in_loop = |block: BlockId| nest.contains(index, block);
    let mut demoted = Demoted::default();
    for &block in &blocks {
        for id in function.instructions(block).collect::<Vec<_>>() {
            if function.result_type(id) != Type::Void {
                demoted.demote(function, id, &in_loop);
            }
        }
    }
    let mut copy = Copy {
        blocks: FxHashMap::default(),
        values: FxHashMap::default(),
    };
    // Each loop gets a block of its own before it.
    let (one, other) = (function.insert_block_after(preheader), function.create_block());
    copy.blocks.insert(preheader, other);
    copy.make(function, &blocks);
    copy.fill_phis(function, &blocks);
    copy.add_exits(function, &nest.exits(index));
    function.place_block(other, Some(one));
    let second = copy.block(header);
    function.append(one, Instruction::Branch { target: header }, Type::Void);
    function.append(other, Instruction::Branch { target: second }, Type::Void);
    function.replace_phi_block(header, preheader, one);
    // Where the loop does not come to the branch its condition may be anything.
    let freeze = Instruction::Freeze { operand: condition };
    let condition = Value::Instruction(function.insert_before(entrance, freeze, Type::BOOL));
    let choose = Instruction::ConditionalBranch {
        condition,
        on_true: one,
        on_false: other,
    };
    function.replace_instruction(entrance, choose, Type::Void);
    let copied = function
        .block_of(branch)
        .and_then(|block| function.terminator(copy.block(block)));
    for (end, holds) in [(Some(branch), true), (copied, false)] {
        let truth = Value::Constant(function.context().bool(holds));
        if let Some(end) = end {
            function.update(end, |instruction| {
                if let Instruction::ConditionalBranch { condition, .. } = instruction {
                    *condition = truth;
                }
            });
        }
    }
    demoted.promote(function);
    true
}

/// The second loop.
struct Copy {
    blocks: FxHashMap<BlockId, BlockId>,
    values: FxHashMap<InstructionId, Value>,
}

impl Copy {
    fn block(&self, block: BlockId) -> BlockId {
        self.blocks.get(&block).copied().unwrap_or(block)
    }

    fn value(&self, value: Value) -> Value {
        match value {
            Value::Instruction(id) => self.values.get(&id).copied().unwrap_or(value),
            Value::Argument(_) | Value::Constant(_) => value,
        }
    }

    /// Makes the blocks, which come in an order in which values are defined before they are used, but for phis.
    fn make(&mut self, function: &mut Function, blocks: &[BlockId]) {
        let mut last = blocks.iter().copied().max();
        for &block in blocks {
            let made = match last {
                Some(last) => function.insert_block_after(last),
                None => function.append_block(),
            };
            if let Some(name) = function.block_name(block).map(str::to_owned) {
                function.set_block_name(made, &name);
            }
            self.blocks.insert(block, made);
            last = Some(made);
        }
        for &block in blocks {
            for id in function.instructions(block).collect::<Vec<_>>() {
                let mut instruction = function.instruction(id).clone();
                if let Instruction::Phi { incoming, .. } = &mut instruction {
                    incoming.clear();
                }
                clone::map(&mut instruction, |value| self.value(value), |block| self.block(block));
                let ty = function.result_type(id);
                let made = function.append(self.block(block), instruction, ty);
                clone::copy_description(function, id, made);
                self.values.insert(id, Value::Instruction(made));
            }
        }
    }

    fn fill_phis(&self, function: &mut Function, blocks: &[BlockId]) {
        for &block in blocks {
            for phi in function.phis(block).collect::<Vec<_>>() {
                let Instruction::Phi { incoming, .. } = function.instruction(phi) else {
                    continue;
                };
                // Nobody comes to the copy from blocks that are not in the loop and that control does not get to.
                let entries: SmallVec<[(BlockId, Value); 2]> = incoming
                    .iter()
                    .filter_map(|&(from, value)| Some((*self.blocks.get(&from)?, self.value(value))))
                    .collect();
                let Some(copy) = self.value(Value::Instruction(phi)).as_instruction() else {
                    continue;
                };
                function.update(copy, |instruction| {
                    if let Instruction::Phi { incoming, .. } = instruction {
                        *incoming = entries;
                    }
                });
            }
        }
    }

    /// The blocks behind the loop are come to from the copies, too.
    fn add_exits(&self, function: &mut Function, exits: &[(BlockId, BlockId)]) {
        let mut edges = exits.to_vec();
        edges.sort_unstable();
        edges.dedup();
        for (from, exit) in edges {
            for phi in function.phis(exit).collect::<Vec<_>>() {
                let Instruction::Phi { incoming, .. } = function.instruction(phi) else {
                    continue;
                };
                let Some(&(_, value)) = incoming.iter().find(|(at, _)| *at == from) else {
                    continue;
                };
                let entry = (self.block(from), self.value(value));
                function.update(phi, |instruction| {
                    if let Instruction::Phi { incoming, .. } = instruction {
                        incoming.push(entry);
                    }
                });
            }
        }
    }
}
