//! Small sides of a branch become choices between values; conditions of nested branches become one.

use warpsmith_ir::{BlockId, Function, Instruction, InstructionId, Intrinsic, Type, Value};

use super::Simplifier;
use crate::{analysis::effects, edit, pipeline::Unit};

/// Instructions that may be run in vain in place of a branch: a branch of a warp that splits costs more.
const MOST_SPECULATED: usize = 5;
/// Phis of the join that may become choices.
const MOST_CHOICES: usize = 4;

impl Simplifier<'_, '_> {
    /// The block ends in a branch around a cheap side, or into two: runs them always and chooses.
    pub(super) fn choose(&mut self, block: BlockId) -> bool {
        let Some(terminator) = self.function.terminator(block) else {
            return false;
        };
        let Instruction::ConditionalBranch {
            condition,
            on_true,
            on_false,
        } = *self.function.instruction(terminator)
        else {
            return false;
        };
        let Some(join) = self.join_of(block, on_true, on_false) else {
            return false;
        };
        let sides: Vec<BlockId> = [on_true, on_false].into_iter().filter(|&side| side != join).collect();
        let mut cost = 0;
        for &side in &sides {
            match speculation_cost(self.function, self.unit, side) {
                Some(side) => cost += side,
                None => return false,
            }
        }
        let from = |side: BlockId| if side == join { block } else { side };
        let choices = self.choices(join, from(on_true), from(on_false));
        let conversions = choices.iter().filter(|(_, a, b)| a != b).count();
        if cost > MOST_SPECULATED || conversions > MOST_CHOICES || !self.unit.fuel.take() {
            return false;
        }
        for &side in &sides {
            self.hoist(side, terminator);
        }
        for (phi, on_true, on_false) in choices {
            let value = edit::select(self.function, terminator, condition, on_true, on_false);
            self.function.update(phi, |instruction| {
                if let Instruction::Phi { incoming, .. } = instruction {
                    incoming.retain(|(from, _)| *from != block && !sides.contains(from));
                    incoming.push((block, value));
                }
            });
        }
        self.set_joined(block, join, &sides);
        true
    }

    /// Where both ways from a block meet, after at most one block of their own each.
    fn join_of(&self, block: BlockId, on_true: BlockId, on_false: BlockId) -> Option<BlockId> {
        let next = |side: BlockId| match self.function.instruction(self.function.terminator(side)?) {
            Instruction::Branch { target } if self.predecessors(side) == [block] && side != block => Some(*target),
            _ => None,
        };
        let (after_true, after_false) = (next(on_true), next(on_false));
        let join = if after_true == Some(on_false) {
            on_false
        } else if after_false == Some(on_true) {
            on_true
        } else {
            after_true.filter(|&join| after_false == Some(join))?
        };
        (join != block).then_some(join)
    }

    /// The phis of a block with their values from two predecessors.
    fn choices(&self, join: BlockId, on_true: BlockId, on_false: BlockId) -> Vec<(InstructionId, Value, Value)> {
        let value = |phi: InstructionId, from: BlockId| match self.function.instruction(phi) {
            Instruction::Phi { incoming, .. } => incoming.iter().find(|(at, _)| *at == from).map(|(_, value)| *value),
            _ => None,
        };
        self.function
            .phis(join)
            .filter_map(|phi| Some((phi, value(phi, on_true)?, value(phi, on_false)?)))
            .collect()
    }

    /// Moves all of a side but its terminator before an instruction.
    fn hoist(&mut self, side: BlockId, at: InstructionId) {
        let ids: Vec<InstructionId> = self.function.instructions(side).collect();
        for id in ids {
            if !self.function.instruction(id).is_terminator() {
                self.function.move_before(id, at);
                // What was promised of the value may have held under the condition only; it is poison now, not undefined behaviour.
                self.function
                    .update_attachments(id, |attachments| *attachments = Default::default());
            }
        }
    }

    /// The block now goes to the join alone; its sides are empty.
    fn set_joined(&mut self, block: BlockId, join: BlockId, sides: &[BlockId]) {
        if let Some(terminator) = self.function.terminator(block) {
            let branch = Instruction::Branch { target: join };
            self.function.replace_instruction(terminator, branch, Type::Void);
        }
        for &side in sides {
            self.predecessors[side.index()].clear();
            self.predecessors[join.index()].retain(|at| *at != side);
            self.function.remove_block(side);
        }
        if !self.predecessors(join).contains(&block) {
            self.predecessors[join.index()].push(block);
        }
        self.enqueue(join);
    }

    /// A block that is reached from one branch only, and whose branch shares a target with that one: one branch by both conditions.
    pub(super) fn join_conditions(&mut self, block: BlockId) -> bool {
        let &[before] = self.predecessors(block) else {
            return false;
        };
        if before == block {
            return false;
        }
        let (Some(outer), Some(inner)) = (self.function.terminator(before), self.function.terminator(block)) else {
            return false;
        };
        let (
            &Instruction::ConditionalBranch {
                condition: first,
                on_true: first_true,
                on_false: first_false,
            },
            &Instruction::ConditionalBranch {
                condition: second,
                on_true: second_true,
                on_false: second_false,
            },
        ) = (self.function.instruction(outer), self.function.instruction(inner))
        else {
            return false;
        };
        if first_true == first_false || second_true == second_false {
            return false;
        }
        // Where the first branch goes if not here.
        let here_if = first_true == block;
        let common = if here_if { first_false } else { first_true };
        let common_if = second_true == common;
        if !common_if && second_false != common || common == block {
            return false;
        }
        let has_hints = |id: InstructionId| {
            self.function
                .attachments(id)
                .is_some_and(|all| all.loop_hints.is_some())
        };
        if has_hints(outer) || has_hints(inner) || !self.is_free_to_join(before, block, common) {
            return false;
        }
        if !self.unit.fuel.take() {
            return false;
        }
        self.hoist(block, outer);
        // Of the phis of the common target, what came from the inner block now comes from the outer one.
        for (phi, from_outer, from_inner) in self.choices(common, before, block) {
            let (on_true, on_false) = if here_if {
                (from_inner, from_outer)
            } else {
                (from_outer, from_inner)
            };
            let value = edit::select(self.function, outer, first, on_true, on_false);
            self.function.update(phi, |instruction| {
                if let Instruction::Phi { incoming, .. } = instruction {
                    incoming.retain(|(from, _)| *from != block && *from != before);
                    incoming.push((before, value));
                }
            });
        }
        // The second condition counts only where the first leads to it: if that one is not what it would be, poison there must not be looked at.
        let bool = |value| Value::Constant(self.function.context().bool(value));
        let fixed = bool(common_if);
        let (on_true, on_false) = if here_if { (second, fixed) } else { (fixed, second) };
        let condition = edit::select(self.function, outer, first, on_true, on_false);
        let joined = Instruction::ConditionalBranch {
            condition,
            on_true: second_true,
            on_false: second_false,
        };
        self.function.replace_instruction(outer, joined, Type::Void);
        let other = if common_if { second_false } else { second_true };
        self.function.replace_phi_block(other, block, before);
        let list = &mut self.predecessors[other.index()];
        list.iter_mut().filter(|at| **at == block).for_each(|at| *at = before);
        self.predecessors[common.index()].retain(|at| *at != block);
        self.predecessors[block.index()].clear();
        self.function.remove_block(block);
        self.enqueue(before);
        self.enqueue(common);
        self.enqueue(other);
        true
    }

    fn is_free_to_join(&self, before: BlockId, block: BlockId, common: BlockId) -> bool {
        if self.function.phis(block).next().is_some() {
            return false;
        }
        let Some(cost) = speculation_cost(self.function, self.unit, block) else {
            return false;
        };
        let differing = self
            .choices(common, before, block)
            .iter()
            .filter(|(_, a, b)| a != b)
            .count();
        // The comparison itself is one of them.
        cost + differing <= 3
    }
}

/// How many instructions a block has that would be run in vain, if all of them can be run at any time.
fn speculation_cost(function: &Function, unit: &Unit<'_>, block: BlockId) -> Option<usize> {
    let mut cost = 0;
    for id in function.instructions(block) {
        let instruction = function.instruction(id);
        if instruction.is_terminator() {
            continue;
        }
        if instruction.is_phi() || !effects::is_speculatable(unit.symbols, function, id) {
            return None;
        }
        cost += match instruction {
            // Nothing in the machine, or part of another instruction.
            Instruction::Gep { .. } | Instruction::Freeze { .. } | Instruction::Cast { .. } => 0,
            Instruction::Binary { op, .. } if op.is_int_division() => MOST_SPECULATED,
            Instruction::Binary {
                op: warpsmith_ir::BinaryOp::FDiv | warpsmith_ir::BinaryOp::FRem,
                ..
            } => MOST_SPECULATED,
            Instruction::Call(call) => match call.intrinsic() {
                Some(
                    Intrinsic::Smin
                    | Intrinsic::Smax
                    | Intrinsic::Umin
                    | Intrinsic::Umax
                    | Intrinsic::Minnum
                    | Intrinsic::Maxnum
                    | Intrinsic::Fabs
                    | Intrinsic::Abs
                    | Intrinsic::Fma,
                ) => 1,
                _ => 3,
            },
            _ => 1,
        };
        if cost > 2 * MOST_SPECULATED {
            return None;
        }
    }
    Some(cost)
}
