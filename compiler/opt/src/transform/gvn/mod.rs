//! Global value numbering: what was computed before is not computed again, loads included.
//!
//! One walk down the dominator tree. Operands are already replaced by their leaders when an instruction is looked at, so that equal instructions have
//! equal operands; a table by operation and operands finds earlier ones. A load is numbered with the state of memory ([`MemorySsa`]) that last may
//! have written its location, and takes the value from there where that is a store. Where a branch decides a condition, the blocks that only that side
//! leads to know it.

mod below;
pub(crate) mod key;
mod loads;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use warpsmith_ir::{BlockId, Function, Instruction, InstructionId, IntPredicate, Value};

use crate::{
    analysis::{
        alias::Aliases,
        dominators::Dominators,
        effects,
        flow::{Flow, node},
        memory_ssa::MemorySsa,
    },
    pipeline::Unit,
};
use key::Key;

/// The pass.
pub(crate) fn run(function: &mut Function, unit: &Unit<'_>) -> bool {
    let flow = Flow::new(function);
    if flow.graph.is_empty() {
        return false;
    }
    let dominators = flow.dominators();
    let memory = MemorySsa::new(function, unit.symbols, &flow, &dominators);
    let mut numbering = Numbering {
        function,
        unit,
        flow: &flow,
        dominators: &dominators,
        memory: &memory,
        aliases: Aliases::new(unit.symbols),
        leaders: FxHashMap::default(),
        loads: FxHashMap::default(),
        users: below::Users::default(),
        changed: false,
    };
    for &at in dominators.preorder() {
        if let Some(block) = flow.block(at) {
            numbering.learn_from_branch(block);
            numbering.block(block);
            numbering.choose_on_edges(block);
        }
    }
    numbering.changed
}

struct Numbering<'f, 'u> {
    function: &'f mut Function,
    unit: &'f Unit<'u>,
    flow: &'f Flow,
    dominators: &'f Dominators,
    memory: &'f MemorySsa,
    aliases: Aliases<'f>,
    leaders: FxHashMap<Key, SmallVec<[InstructionId; 1]>>,
    /// Values that memory is known to have: by address and state.
    loads: FxHashMap<loads::Cell, SmallVec<[(BlockId, Value); 1]>>,
    users: below::Users,
    changed: bool,
}

impl Numbering<'_, '_> {
    fn block(&mut self, block: BlockId) {
        let mut next = self.function.first(block);
        while let Some(id) = next {
            next = self.function.next(id);
            self.instruction(block, id);
        }
    }

    fn instruction(&mut self, block: BlockId, id: InstructionId) {
        if matches!(self.function.instruction(id), Instruction::Load { .. }) {
            return self.load(block, id);
        }
        if self.is_pure(id) {
            let key = key::of(self.function, id, None);
            return self.pure(id, key);
        }
        // Calls that only read give the same while memory stays the same.
        if let Instruction::Call(call) = self.function.instruction(id) {
            let effects = effects::of_call(self.unit.symbols, call);
            if !effects.memory.may_write() && !effects.convergent && effects.returns {
                let key = key::of(self.function, id, self.memory.seen_by(id));
                self.pure(id, key);
            }
        }
    }

    fn is_pure(&self, id: InstructionId) -> bool {
        match self.function.instruction(id) {
            Instruction::Call(call) => {
                let effects = effects::of_call(self.unit.symbols, call);
                effects.memory.is_none() && !effects.convergent && effects.returns
            }
            // Each freeze may choose another value.
            Instruction::Freeze { .. } | Instruction::Alloca { .. } => false,
            instruction => {
                !instruction.is_terminator() && effects::memory(self.unit.symbols, self.function, id).is_none()
            }
        }
    }

    fn pure(&mut self, id: InstructionId, key: Option<Key>) {
        let Some(key) = key else { return };
        if let Some(value) = trivial(self.function, id).or_else(|| self.decided(id)) {
            if self.unit.fuel.take() {
                self.function.replace_and_remove(id, value);
                self.changed = true;
            }
            return;
        }
        let leader = self.leaders.get(&key).and_then(|all| {
            let mut all = all.iter().rev().copied();
            all.find(|&leader| self.comes_before(leader, id))
        });
        match leader {
            Some(leader) if self.unit.fuel.take() => {
                self.weaken(leader, id);
                self.function.replace_and_remove(id, Value::Instruction(leader));
                self.changed = true;
            }
            _ => self.leaders.entry(key).or_default().push(id),
        }
    }

    /// The condition that a phi of constants repeats: that of the branch whose two sides meet in its block.
    fn decided(&self, phi: InstructionId) -> Option<Value> {
        let Instruction::Phi { incoming, .. } = self.function.instruction(phi) else {
            return None;
        };
        if self.function.result_type(phi) != warpsmith_ir::Type::BOOL || incoming.len() != 2 {
            return None;
        }
        let join = self.function.block_of(phi)?;
        let above = self.flow.block(self.dominators.parent(node(join))?)?;
        let Instruction::ConditionalBranch {
            condition,
            on_true,
            on_false,
        } = *self.function.instruction(self.function.terminator(above)?)
        else {
            return None;
        };
        let only_from_above = |block: BlockId| {
            let mut before = self.flow.predecessors(block);
            before.next() == Some(above) && before.next().is_none()
        };
        let comes_by = |from: BlockId, side: BlockId| match from == above {
            true => side == join,
            false => side != join && only_from_above(side) && self.dominators.dominates(node(side), node(from)),
        };
        let mut agrees = true;
        for &(from, value) in incoming {
            let value = crate::fold::choice(self.function.context(), value.as_constant()?)?;
            let holds = match (comes_by(from, on_true), comes_by(from, on_false)) {
                (true, false) => true,
                (false, true) => false,
                _ => return None,
            };
            agrees &= value == holds;
        }
        agrees.then_some(condition)
    }

    /// Whether an instruction that was looked at before is on every way to another.
    fn comes_before(&self, leader: InstructionId, id: InstructionId) -> bool {
        match (self.function.block_of(leader), self.function.block_of(id)) {
            (Some(above), Some(below)) => self.dominators.dominates(node(above), node(below)),
            _ => false,
        }
    }

    /// What is promised of the one that stays must hold of the one that goes too.
    fn weaken(&mut self, leader: InstructionId, id: InstructionId) {
        let flags = self.function.instruction(id).flags();
        let gep = match self.function.instruction(id) {
            Instruction::Gep { flags, .. } => Some(*flags),
            _ => None,
        };
        self.function.update(leader, |instruction| {
            if let Some(own) = instruction.flags_mut() {
                *own = own.intersection(flags);
            }
            if let (Instruction::Gep { flags, .. }, Some(other)) = (instruction, gep) {
                *flags = flags.intersection(other);
            }
        });
        if self.function.attachments(leader) != self.function.attachments(id) {
            self.function
                .update_attachments(leader, |all| *all = Default::default());
        }
    }

    /// If one edge alone leads to a block, the condition of its branch is known there, and what it says of values.
    fn learn_from_branch(&mut self, block: BlockId) {
        let mut before = self.flow.predecessors(block);
        let (Some(only), None) = (before.next(), before.next()) else {
            return;
        };
        let Some(terminator) = self.function.terminator(only) else {
            return;
        };
        match *self.function.instruction(terminator) {
            Instruction::ConditionalBranch {
                condition,
                on_true,
                on_false,
            } if on_true != on_false => {
                let holds = on_true == block;
                let truth = Value::Constant(self.function.context().bool(holds));
                self.replace_below(block, condition, truth);
                self.learn_condition(block, condition, holds, 4);
            }
            Instruction::Switch {
                value,
                ref cases,
                default,
            } => {
                let mut here = cases.iter().filter(|case| case.target == block);
                if let (Some(case), None) = (here.next(), here.next())
                    && default != block
                {
                    let constant = Value::Constant(self.function.context().integer(case.value.clone()));
                    self.replace_below(block, value, constant);
                }
            }
            _ => {}
        }
    }

    /// What the branch of a block decides is known on its edges too: phis that have the condition from there have a constant.
    fn choose_on_edges(&mut self, block: BlockId) {
        let Some(terminator) = self.function.terminator(block) else {
            return;
        };
        let Instruction::ConditionalBranch {
            condition,
            on_true,
            on_false,
        } = *self.function.instruction(terminator)
        else {
            return;
        };
        if on_true == on_false || condition.as_constant().is_some() {
            return;
        }
        for (to, holds) in [(on_true, true), (on_false, false)] {
            let mut known = vec![(condition, Value::Constant(self.function.context().bool(holds)))];
            known.extend(equality(self.function, condition, holds));
            let phis: SmallVec<[warpsmith_ir::InstructionId; 4]> = self.function.phis(to).collect();
            for phi in phis {
                let Instruction::Phi { incoming, .. } = self.function.instruction(phi) else {
                    continue;
                };
                let here = incoming
                    .iter()
                    .find(|(from, _)| *from == block)
                    .map(|(_, value)| *value);
                let by = known.iter().find(|(value, _)| Some(*value) == here).map(|(_, by)| *by);
                let Some(by) = by.filter(|_| self.unit.fuel.take()) else {
                    continue;
                };
                self.function.update(phi, |instruction| {
                    if let Instruction::Phi { incoming, .. } = instruction {
                        incoming
                            .iter_mut()
                            .filter(|(from, _)| *from == block)
                            .for_each(|(_, value)| *value = by);
                    }
                });
                self.changed = true;
            }
        }
    }

    fn learn_condition(&mut self, block: BlockId, condition: Value, holds: bool, depth: u32) {
        let Some(instruction) = self.function.definition(condition).cloned() else {
            return;
        };
        match instruction {
            Instruction::ICmp {
                predicate, left, right, ..
            } => {
                let equal = (predicate == IntPredicate::Eq && holds) || (predicate == IntPredicate::Ne && !holds);
                // Of pointers that are equal one may still be the only one that an access may go through.
                let is_int = self.function.type_of(left).is_int();
                if equal && is_int && right.as_constant().is_some() {
                    self.replace_below(block, left, right);
                }
            }
            // A conjunction that holds: both do. A disjunction that does not: neither does.
            Instruction::Select {
                condition: first,
                on_true,
                on_false,
                ..
            } if depth > 0 => {
                let is = |value: Value, bool: bool| {
                    value == Value::Constant(self.function.context().bool(bool))
                        && self.function.type_of(value).is_int()
                };
                let other = match holds {
                    true if is(on_false, false) => Some(on_true),
                    false if is(on_true, true) => Some(on_false),
                    _ => None,
                };
                if let Some(other) = other {
                    let truth = Value::Constant(self.function.context().bool(holds));
                    for part in [first, other] {
                        self.replace_below(block, part, truth);
                        self.learn_condition(block, part, holds, depth - 1);
                    }
                }
            }
            Instruction::Binary { op, left, right, .. } if depth > 0 => {
                let both = matches!(
                    (op, holds),
                    (warpsmith_ir::BinaryOp::And, true) | (warpsmith_ir::BinaryOp::Or, false)
                );
                if both && self.function.type_of(condition) == warpsmith_ir::Type::BOOL {
                    let truth = Value::Constant(self.function.context().bool(holds));
                    for part in [left, right] {
                        self.replace_below(block, part, truth);
                        self.learn_condition(block, part, holds, depth - 1);
                    }
                }
            }
            _ => {}
        }
    }

    /// Replaces a value in a block and all that it dominates.
    fn replace_below(&mut self, block: BlockId, value: Value, by: Value) {
        if value.as_constant().is_some() || self.function.use_count(value) < 2 && !self.is_used_below(block, value) {
            return;
        }
        for user in self.users.below(self.function, self.dominators, block, value) {
            let Some(at) = self.function.block_of(user) else {
                continue;
            };
            let below = |at: BlockId| self.dominators.dominates(node(block), node(at)) && self.flow.is_reached(at);
            if let Instruction::Phi { incoming, .. } = self.function.instruction(user) {
                let wanted: Vec<BlockId> = incoming
                    .iter()
                    .filter(|(from, used)| *used == value && below(*from))
                    .map(|(from, _)| *from)
                    .collect();
                if !wanted.is_empty() && self.unit.fuel.take() {
                    self.function.update(user, |instruction| {
                        if let Instruction::Phi { incoming, .. } = instruction {
                            incoming
                                .iter_mut()
                                .filter(|(from, _)| wanted.contains(from))
                                .for_each(|(_, used)| *used = by);
                        }
                    });
                    self.changed = true;
                }
            } else if below(at) && self.unit.fuel.take() {
                self.function.replace_uses_in(user, value, by);
                self.changed = true;
            }
        }
    }

    fn is_used_below(&self, block: BlockId, value: Value) -> bool {
        self.function.users(value).iter().any(|&user| {
            self.function
                .block_of(user)
                .is_some_and(|at| self.dominators.dominates(node(block), node(at)))
        })
    }
}

/// The integer that a comparison says to be equal to a constant, and that.
fn equality(function: &Function, condition: Value, holds: bool) -> Option<(Value, Value)> {
    let Instruction::ICmp {
        predicate, left, right, ..
    } = *function.definition(condition)?
    else {
        return None;
    };
    let equal = (predicate == IntPredicate::Eq && holds) || (predicate == IntPredicate::Ne && !holds);
    let is_int = function.type_of(left).is_int();
    (equal && is_int && right.as_constant().is_some() && left.as_constant().is_none()).then_some((left, right))
}

/// Phis of one value.
fn trivial(function: &Function, id: InstructionId) -> Option<Value> {
    let Instruction::Phi { incoming, .. } = function.instruction(id) else {
        return None;
    };
    let own = Value::Instruction(id);
    let mut others = incoming.iter().map(|(_, value)| *value).filter(|value| *value != own);
    let first = others.next()?;
    others.all(|value| value == first).then_some(first)
}
