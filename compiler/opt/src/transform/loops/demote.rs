//! Values that code outside of a region uses, through memory: a way to copy regions without minding uses elsewhere. The memory is promoted again in the
//! end, which makes the phis that the copies need.

use warpsmith_ir::{Access, BlockId, Function, Instruction, InstructionId, Type, Value};

use crate::transform::promote;

/// Allocas that stand for values meanwhile.
#[derive(Default)]
pub(crate) struct Demoted {
    slots: Vec<InstructionId>,
}

impl Demoted {
    /// Lets all uses of a result that are not in the region read memory that is written where the result is made. Phis use a value at the end of the
    /// predecessor.
    pub(crate) fn demote(&mut self, function: &mut Function, id: InstructionId, in_region: &dyn Fn(BlockId) -> bool) {
        let value = Value::Instruction(id);
        let ty = function.result_type(id);
        let users: Vec<InstructionId> = function.users(value);
        let mut slot = None;
        for user in users {
            let Some(block) = function.block_of(user) else { continue };
            if let Instruction::Phi { incoming, .. } = function.instruction(user) {
                let from: Vec<BlockId> = incoming
                    .iter()
                    .filter(|(from, used)| *used == value && !in_region(*from))
                    .map(|(from, _)| *from)
                    .collect();
                for from in from {
                    let Some(end) = function.terminator(from) else { continue };
                    let pointer = *slot.get_or_insert_with(|| self.slot(function, id, ty));
                    let load = load(function, end, pointer, ty);
                    function.update(user, |instruction| {
                        if let Instruction::Phi { incoming, .. } = instruction {
                            incoming
                                .iter_mut()
                                .filter(|(at, _)| *at == from)
                                .for_each(|(_, used)| *used = load);
                        }
                    });
                }
            } else if !in_region(block) {
                let pointer = *slot.get_or_insert_with(|| self.slot(function, id, ty));
                let load = load(function, user, pointer, ty);
                function.replace_uses_in(user, value, load);
            }
        }
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.slots.len()
    }

    /// Says that all but the first so many hold nothing at an instruction: they live no longer than they must.
    pub(crate) fn reset(&self, function: &mut Function, first: usize, at: InstructionId) {
        for &slot in &self.slots[first..] {
            let Instruction::Alloca { ty, .. } = *function.instruction(slot) else {
                continue;
            };
            let context = function.context();
            let store = Instruction::Store {
                pointer: Value::Instruction(slot),
                value: Value::Constant(context.undef(ty)),
                access: Access::aligned(context.alignment(ty)),
            };
            function.insert_before(at, store, Type::Void);
        }
    }

    /// An alloca of a type.
    pub(crate) fn add(&mut self, function: &mut Function, ty: Type) -> Option<Value> {
        let context = function.context().clone();
        let alloca = Instruction::Alloca {
            ty,
            count: Value::Constant(context.int(32, 1)),
            align: context.alignment(ty),
        };
        let slot = function.prepend(function.entry()?, alloca, Type::POINTER);
        self.slots.push(slot);
        Some(Value::Instruction(slot))
    }

    /// The alloca, with the store of the value behind where it is made.
    fn slot(&mut self, function: &mut Function, id: InstructionId, ty: Type) -> Value {
        let Some(slot) = self.add(function, ty) else {
            return Value::Instruction(id);
        };
        if let Some(name) = function.name(Value::Instruction(id)).map(str::to_owned) {
            function.set_name(slot, &name);
        }
        let store = Instruction::Store {
            pointer: slot,
            value: Value::Instruction(id),
            access: Access::aligned(function.context().alignment(ty)),
        };
        let block = function.block_of(id);
        let after = match function.instruction(id).is_phi() {
            true => block.and_then(|block| function.first_after_phis(block)),
            false => function.next(id),
        };
        match (after, block) {
            (Some(after), _) => {
                function.insert_before(after, store, Type::Void);
            }
            (None, Some(block)) => {
                function.append(block, store, Type::Void);
            }
            (None, None) => {}
        }
        slot
    }

    /// Turns the memory into values again.
    pub(crate) fn promote(self, function: &mut Function) {
        if !self.slots.is_empty() {
            promote::promote_all(function, &self.slots);
        }
    }
}

fn load(function: &mut Function, at: InstructionId, pointer: Value, ty: Type) -> Value {
    let access = Access::aligned(function.context().alignment(ty));
    Value::Instruction(function.insert_before(at, Instruction::Load { pointer, access }, ty))
}
