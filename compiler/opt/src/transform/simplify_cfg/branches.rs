//! Terminators: decided ones, those with one way left, and ways that end in nothing.

use warpsmith_ir::{BinaryOp, BlockId, Case, Instruction, InstructionId, IntPredicate, Value};

use super::Simplifier;
use crate::{address, analysis::effects, edit, fold};

impl Simplifier<'_, '_> {
    /// Replaces a terminator by a simpler one that does the same.
    pub(super) fn fold_terminator(&mut self, block: BlockId) -> bool {
        let Some(id) = self.function.terminator(block) else {
            return false;
        };
        let simpler = match self.function.instruction(id) {
            Instruction::ConditionalBranch {
                condition,
                on_true,
                on_false,
            } => self.fold_conditional(*condition, *on_true, *on_false),
            Instruction::Switch { value, default, cases } => {
                let (value, default) = (*value, *default);
                self.simpler_switch(value, default, cases)
            }
            _ => None,
        };
        let simpler = match simpler {
            Some(Instruction::Switch { value, default, cases }) if cases.len() == 1 => {
                self.comparison(id, value, default, &cases)
            }
            simpler => simpler,
        };
        match simpler {
            Some(simpler) if self.unit.fuel.take() => {
                self.set_terminator(block, simpler);
                true
            }
            _ => false,
        }
    }

    fn fold_conditional(&self, condition: Value, on_true: BlockId, on_false: BlockId) -> Option<Instruction> {
        if on_true == on_false {
            return Some(Instruction::Branch { target: on_true });
        }
        if let Value::Constant(constant) = condition {
            // A branch by undef may go either way.
            let choice = fold::choice(self.function.context(), constant).or(fold::is_undefined(
                self.function.context(),
                constant,
            )
            .then_some(false))?;
            let target = if choice { on_true } else { on_false };
            return Some(Instruction::Branch { target });
        }
        match self.function.definition(condition)? {
            Instruction::Binary {
                op: BinaryOp::Xor,
                left,
                right,
                ..
            } if address::constant_int(self.function, *right) == Some(-1) => Some(Instruction::ConditionalBranch {
                condition: *left,
                on_true: on_false,
                on_false: on_true,
            }),
            _ => None,
        }
    }

    /// A switch that goes less often to what is its default anyway, if there is one.
    fn simpler_switch(&self, value: Value, default: BlockId, cases: &[Case]) -> Option<Instruction> {
        if let Value::Constant(constant) = value {
            let known = match self.function.context().constant(constant) {
                warpsmith_ir::Constant::Int(known) => known,
                _ => return None,
            };
            let case = cases.iter().find(|case| case.value == *known);
            let target = case.map_or(default, |case| case.target);
            return Some(Instruction::Branch { target });
        }
        let kept = cases.iter().filter(|case| case.target != default).count();
        if kept == cases.len() && kept > 1 {
            return None;
        }
        let kept: Vec<Case> = cases.iter().filter(|case| case.target != default).cloned().collect();
        Some(match kept.is_empty() {
            true => Instruction::Branch { target: default },
            false => Instruction::Switch {
                value,
                default,
                cases: kept,
            },
        })
    }

    /// A branch in place of a switch with one case.
    fn comparison(&mut self, at: InstructionId, value: Value, default: BlockId, cases: &[Case]) -> Option<Instruction> {
        let only = cases.first()?;
        let constant = Value::Constant(self.function.context().integer(only.value.clone()));
        let condition = edit::compare(self.function, at, IntPredicate::Eq, value, constant);
        Some(Instruction::ConditionalBranch {
            condition,
            on_true: only.target,
            on_false: default,
        })
    }

    /// What stands behind a call that does not return is not reached.
    pub(super) fn cut_after_noreturn(&mut self, block: BlockId) -> bool {
        let call = self.function.instructions(block).find(|&id| {
            let instruction = self.function.instruction(id);
            instruction.as_call().is_some_and(|call| {
                let declared = match &call.callee {
                    warpsmith_ir::Callee::Function(callee) => self.unit.symbols.functions[*callee].attributes.noreturn,
                    warpsmith_ir::Callee::Intrinsic(intrinsic, _) => intrinsic.is_noreturn(),
                    _ => false,
                };
                declared || call.attributes.as_ref().is_some_and(|attributes| attributes.noreturn)
            })
        });
        let Some(call) = call else { return false };
        let Some(after) = self.function.next(call) else {
            return false;
        };
        if matches!(self.function.instruction(after), Instruction::Unreachable) {
            return false;
        }
        let mut rest = Vec::new();
        let mut next = Some(after);
        while let Some(id) = next {
            next = self.function.next(id);
            rest.push(id);
        }
        self.set_terminator(block, Instruction::Unreachable);
        for id in rest {
            if self.function.terminator(block) == Some(id) {
                continue;
            }
            let poison = self.function.context().poison(self.function.result_type(id));
            self.function.replace_and_remove(id, Value::Constant(poison));
        }
        true
    }

    /// A block that is nothing but `unreachable` is not gone to.
    pub(super) fn without_unreachable(&mut self, block: BlockId) -> bool {
        let Some(id) = self.function.terminator(block) else {
            return false;
        };
        if !matches!(self.function.instruction(id), Instruction::Unreachable) {
            return false;
        }
        // What comes before in the block is run, but if it has no effect it need not be.
        let mut dead = Vec::new();
        for before in self.function.instructions_backwards(block).skip(1) {
            let is_store =
                matches!(self.function.instruction(before), Instruction::Store { access, .. } if access.is_simple());
            if !is_store && !effects::is_removable(self.unit.symbols, self.function, before) {
                break;
            }
            dead.push(before);
        }
        let mut changed = !dead.is_empty();
        for before in dead {
            let poison = self.function.context().poison(self.function.result_type(before));
            self.function.replace_and_remove(before, Value::Constant(poison));
        }
        if self.function.first(block) != Some(id) || self.function.entry() == Some(block) {
            return changed;
        }
        for predecessor in self.predecessors(block).to_vec() {
            changed |= self.never_goes(predecessor, block);
        }
        changed
    }

    /// The terminator of `from` never goes to `to`.
    fn never_goes(&mut self, from: BlockId, to: BlockId) -> bool {
        let Some(id) = self.function.terminator(from) else {
            return false;
        };
        let simpler = match self.function.instruction(id) {
            Instruction::Branch { .. } => Instruction::Unreachable,
            Instruction::ConditionalBranch { on_true, on_false, .. } => match (*on_true == to, *on_false == to) {
                (true, true) => Instruction::Unreachable,
                (true, false) => Instruction::Branch { target: *on_false },
                _ => Instruction::Branch { target: *on_true },
            },
            Instruction::Switch { value, default, cases } => {
                let kept: Vec<Case> = cases.iter().filter(|case| case.target != to).cloned().collect();
                if *default == to {
                    // One of the cases becomes the default.
                    let Some((last, others)) = kept.split_last() else {
                        self.set_terminator(from, Instruction::Unreachable);
                        return true;
                    };
                    Instruction::Switch {
                        value: *value,
                        default: last.target,
                        cases: others.to_vec(),
                    }
                } else {
                    Instruction::Switch {
                        value: *value,
                        default: *default,
                        cases: kept,
                    }
                }
            }
            _ => return false,
        };
        if !self.unit.fuel.take() {
            return false;
        }
        self.set_terminator(from, simpler);
        self.enqueue(from);
        true
    }
}
