//! Simplification of control flow: decided branches, unreached, empty and mergeable blocks, small sides of branches turned into choices, conditions of
//! nested branches joined.
//!
//! Works off a list of blocks; predecessors are kept up to date, so that the whole costs what it changes. Convergent operations stay under exactly
//! the conditions that they had: they are never moved out of a side, and no block that has them is copied.

mod blocks;
mod branches;
mod choices;

use std::collections::VecDeque;

use smallvec::SmallVec;
use warpsmith_ir::{BlockId, Function, Instruction, InstructionId, Value};

use crate::{analysis::flow::Flow, pipeline::Unit};

/// The pass.
pub(crate) fn run(function: &mut Function, unit: &Unit<'_>) -> bool {
    run_with(function, unit, Mode { speculate: true })
}

/// The pass without turning sides into choices: before loops are looked at nothing of their shape is lost.
pub(crate) fn run_plain(function: &mut Function, unit: &Unit<'_>) -> bool {
    run_with(function, unit, Mode { speculate: false })
}

#[derive(Clone, Copy)]
struct Mode {
    /// Whether cheap sides become choices.
    speculate: bool,
}

fn run_with(function: &mut Function, unit: &Unit<'_>, mode: Mode) -> bool {
    if function.entry().is_none() {
        return false;
    }
    let mut simplifier = Simplifier::new(function, unit, mode);
    simplifier.remove_unreached();
    simplifier.all();
    // Taking edges away can leave cycles that nothing leads to.
    if simplifier.changed {
        Simplifier::new(function, unit, mode).remove_unreached();
        return true;
    }
    false
}

struct Simplifier<'f, 'u> {
    function: &'f mut Function,
    unit: &'f Unit<'u>,
    mode: Mode,
    /// By block index, each predecessor once.
    predecessors: Vec<SmallVec<[BlockId; 4]>>,
    work: VecDeque<BlockId>,
    queued: Vec<bool>,
    changed: bool,
}

impl<'f, 'u> Simplifier<'f, 'u> {
    fn new(function: &'f mut Function, unit: &'f Unit<'u>, mode: Mode) -> Simplifier<'f, 'u> {
        let lists = function.predecessors();
        let mut predecessors = vec![SmallVec::new(); function.block_limit()];
        for block in function.blocks() {
            predecessors[block.index()] = SmallVec::from_slice(lists.of(block));
        }
        let queued = vec![false; function.block_limit()];
        Simplifier {
            function,
            unit,
            mode,
            predecessors,
            work: VecDeque::new(),
            queued,
            changed: false,
        }
    }

    fn all(&mut self) {
        let blocks: Vec<BlockId> = self.function.blocks().collect();
        for block in blocks {
            self.enqueue(block);
        }
        let mut row: Vec<BlockId> = Vec::new();
        while let Some(mut block) = self.work.pop_front() {
            // Of empty blocks in a row the last comes first: from the first on, each would hand all that leads to those before it on to the next.
            while std::mem::replace(&mut self.queued[block.index()], false) && self.function.is_placed(block) {
                row.push(block);
                match self.passes_on(block) {
                    Some(next) => block = next,
                    None => break,
                }
            }
            while let Some(block) = row.pop() {
                if self.function.is_placed(block) && self.simplify(block) {
                    self.changed = true;
                    self.enqueue(block);
                }
            }
        }
    }

    /// Where a block goes that has but phis.
    fn passes_on(&self, block: BlockId) -> Option<BlockId> {
        let terminator = self.function.terminator(block)?;
        match *self.function.instruction(terminator) {
            Instruction::Branch { target } if self.function.first_after_phis(block) == Some(terminator) => Some(target),
            _ => None,
        }
    }

    /// One block no longer precedes another. It is often among the last that came.
    fn forget_predecessor(&mut self, of: BlockId, block: BlockId) {
        let list = &mut self.predecessors[of.index()];
        if let Some(at) = list.iter().rposition(|at| *at == block) {
            list.remove(at);
        }
    }

    fn enqueue(&mut self, block: BlockId) {
        if self.function.is_placed(block) && !std::mem::replace(&mut self.queued[block.index()], true) {
            self.work.push_back(block);
        }
    }

    fn simplify(&mut self, block: BlockId) -> bool {
        let is_entry = self.function.entry() == Some(block);
        if !is_entry && self.predecessors(block).is_empty() {
            self.delete(block);
            return true;
        }
        self.single_phis(block) | self.cut_after_noreturn(block)
            || self.fold_terminator(block)
            || self.merge_into_predecessor(block)
            || self.forward(block)
            || self.without_unreachable(block)
            || self.mode.speculate && (self.choose(block) || self.join_conditions(block))
    }

    fn predecessors(&self, block: BlockId) -> &[BlockId] {
        &self.predecessors[block.index()]
    }

    /// Removes all blocks that the entry does not lead to.
    fn remove_unreached(&mut self) -> bool {
        let flow = Flow::new(self.function);
        let dead: Vec<BlockId> = self
            .function
            .blocks()
            .filter(|&block| !flow.is_reached(block))
            .collect();
        for &block in &dead {
            self.delete(block);
        }
        self.changed |= !dead.is_empty();
        !dead.is_empty()
    }

    /// Removes a block that nothing reached leads to.
    fn delete(&mut self, block: BlockId) {
        for successor in self.unique_successors(block) {
            self.drop_edge(block, successor);
        }
        let ids: Vec<InstructionId> = self.function.instructions(block).collect();
        for id in ids {
            let value = Value::Instruction(id);
            if !self.function.is_unused(value) {
                let poison = self.function.context().poison(self.function.result_type(id));
                self.function.replace_all_uses(value, Value::Constant(poison));
            }
        }
        self.function.remove_block(block);
    }

    fn unique_successors(&self, block: BlockId) -> SmallVec<[BlockId; 2]> {
        let mut list = self.function.successors(block);
        list.sort_unstable();
        list.dedup();
        list
    }

    /// `from` no longer leads to `to`.
    fn drop_edge(&mut self, from: BlockId, to: BlockId) {
        self.forget_predecessor(to, from);
        self.function.remove_phi_entries(to, from);
        self.enqueue(to);
    }

    /// Puts another terminator into a block, none of whose edges is new.
    fn set_terminator(&mut self, block: BlockId, terminator: Instruction) {
        let Some(old) = self.function.terminator(block) else {
            return;
        };
        let before = self.unique_successors(block);
        self.function
            .replace_instruction(old, terminator, warpsmith_ir::Type::Void);
        let after = self.unique_successors(block);
        for successor in before {
            if !after.contains(&successor) {
                self.drop_edge(block, successor);
            }
        }
        for successor in after {
            self.enqueue(successor);
        }
    }

    /// Phis of blocks with one predecessor, and phis of one value, are that value.
    fn single_phis(&mut self, block: BlockId) -> bool {
        let mut changed = false;
        let phis: Vec<InstructionId> = self.function.phis(block).collect();
        for phi in phis {
            let Instruction::Phi { incoming, .. } = self.function.instruction(phi) else {
                continue;
            };
            let own = Value::Instruction(phi);
            let mut others = incoming.iter().map(|(_, value)| *value).filter(|value| *value != own);
            let first = others.next();
            if others.any(|value| Some(value) != first) {
                continue;
            }
            let value = first
                .unwrap_or_else(|| Value::Constant(self.function.context().poison(self.function.result_type(phi))));
            self.function.replace_and_remove(phi, value);
            changed = true;
        }
        changed
    }
}
