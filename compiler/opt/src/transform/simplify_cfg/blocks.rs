//! Blocks that can be joined with another, or left out.

use warpsmith_ir::{BlockId, Instruction, InstructionId, LoopHints, Value};

use super::Simplifier;

impl Simplifier<'_, '_> {
    /// Appends a block to its only predecessor, if that goes nowhere else.
    pub(super) fn merge_into_predecessor(&mut self, block: BlockId) -> bool {
        let &[before] = self.predecessors(block) else {
            return false;
        };
        if before == block || self.function.entry() == Some(block) {
            return false;
        }
        let Some(terminator) = self.function.terminator(before) else {
            return false;
        };
        if !matches!(self.function.instruction(terminator), Instruction::Branch { .. }) || !self.unit.fuel.take() {
            return false;
        }
        self.single_phis(block);
        self.function.remove_instruction(terminator);
        let ids: Vec<InstructionId> = self.function.instructions(block).collect();
        for id in ids {
            self.function.move_to_end(id, before);
        }
        for successor in self.unique_successors(before) {
            self.function.replace_phi_block(successor, block, before);
            let list = &mut self.predecessors[successor.index()];
            list.iter_mut().filter(|at| **at == block).for_each(|at| *at = before);
            self.enqueue(successor);
        }
        self.predecessors[block.index()].clear();
        self.function.remove_block(block);
        self.enqueue(before);
        true
    }

    /// Lets the predecessors of a block that only goes on go there themselves.
    pub(super) fn forward(&mut self, block: BlockId) -> bool {
        let Some((terminator, target)) = self.function.terminator(block).zip(self.passes_on(block)) else {
            return false;
        };
        if target == block || self.function.entry() == Some(block) {
            return false;
        }
        if !self.phis_can_move(block, target) || !self.values_agree(block, target) {
            return false;
        }
        let hints = self
            .function
            .attachments(terminator)
            .and_then(|attachments| attachments.loop_hints.clone());
        if hints.is_some() && self.predecessors(block).len() != 1 || !self.unit.fuel.take() {
            return false;
        }
        let before = self.predecessors(block).to_vec();
        self.redirect_phis(block, target, &before);
        for &predecessor in &before {
            if !self.precedes(predecessor, target) {
                self.predecessors[target.index()].push(predecessor);
            }
            self.function.replace_successor(predecessor, block, target);
            self.keep_hints(predecessor, hints.as_ref());
            self.enqueue(predecessor);
        }
        self.forget_predecessor(target, block);
        self.predecessors[block.index()].clear();
        self.function.remove_block(block);
        self.enqueue(target);
        true
    }

    /// Whether one block leads to another: a branch has few targets, but a block may have many predecessors.
    fn precedes(&self, block: BlockId, target: BlockId) -> bool {
        match self.function.terminator(block).map(|id| self.function.instruction(id)) {
            Some(Instruction::Branch { target: to }) => *to == target,
            Some(Instruction::ConditionalBranch { on_true, on_false, .. }) => *on_true == target || *on_false == target,
            Some(_) | None => self.predecessors(target).contains(&block),
        }
    }

    fn keep_hints(&mut self, block: BlockId, hints: Option<&LoopHints>) {
        if let (Some(hints), Some(terminator)) = (hints, self.function.terminator(block)) {
            self.function.update_attachments(terminator, |attachments| {
                attachments.loop_hints.get_or_insert_with(|| hints.clone());
            });
        }
    }

    /// Whether the phis of a block are only used by phis of its target, for the edge between them.
    fn phis_can_move(&self, block: BlockId, target: BlockId) -> bool {
        self.function.phis(block).all(|phi| {
            let value = Value::Instruction(phi);
            self.function.users(value).into_iter().all(|user| {
                self.function.block_of(user) == Some(target)
                    && matches!(self.function.instruction(user), Instruction::Phi { incoming, .. }
                        if incoming.iter().all(|(from, used)| *used != value || *from == block))
            })
        })
    }

    /// Where a block that goes to the target both directly and through `block` brings the same values on both ways.
    fn values_agree(&self, block: BlockId, target: BlockId) -> bool {
        let shared: Vec<BlockId> = self
            .predecessors(block)
            .iter()
            .copied()
            .filter(|&at| self.precedes(at, target))
            .collect();
        shared.is_empty()
            || self.function.phis(target).all(|phi| {
                shared
                    .iter()
                    .all(|&at| self.incoming(phi, at) == self.through(phi, block, at))
            })
    }

    fn incoming(&self, phi: InstructionId, from: BlockId) -> Option<Value> {
        match self.function.instruction(phi) {
            Instruction::Phi { incoming, .. } => incoming
                .iter()
                .find(|(block, _)| *block == from)
                .map(|(_, value)| *value),
            _ => None,
        }
    }

    /// What a phi gets if control comes from `from` through `block`.
    fn through(&self, phi: InstructionId, block: BlockId, from: BlockId) -> Option<Value> {
        let value = self.incoming(phi, block)?;
        match value {
            Value::Instruction(id) if self.function.block_of(id) == Some(block) => self.incoming(id, from),
            _ => Some(value),
        }
    }

    /// Phis of the target get an entry for each predecessor of the block in place of the one for the block.
    fn redirect_phis(&mut self, block: BlockId, target: BlockId, before: &[BlockId]) {
        let phis: Vec<InstructionId> = self.function.phis(target).collect();
        for phi in phis {
            let entries: Vec<(BlockId, Value)> = before
                .iter()
                .filter(|&&at| self.incoming(phi, at).is_none())
                .filter_map(|&at| Some((at, self.through(phi, block, at)?)))
                .collect();
            self.function.replace_phi_entries(phi, block, &entries);
        }
    }
}
