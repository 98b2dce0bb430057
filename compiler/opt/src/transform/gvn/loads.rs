//! Loads: the value that memory is known to have.

use smallvec::SmallVec;
use warpsmith_ir::{BlockId, Flags, Function, Instruction, InstructionId, Type, Value};

use super::Numbering;
use crate::{
    address,
    analysis::{
        alias::{Alias, Location},
        flow::node,
        memory_ssa::{Definition, State},
    },
    edit, fold,
    intrinsics::{self, TransferKind},
};

/// A value in memory: address, type, and the state that last may have changed it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Cell {
    pointer: Value,
    ty: Type,
    state: State,
}

impl Numbering<'_, '_> {
    pub(super) fn load(&mut self, block: BlockId, id: InstructionId) {
        let Instruction::Load { pointer, access } = *self.function.instruction(id) else {
            return;
        };
        let ty = self.function.result_type(id);
        if !access.is_simple() {
            return;
        }
        let Some(state) = self.memory.seen_by(id) else { return };
        let size = self.function.context().store_size(ty);
        let location = Location {
            pointer,
            size: Some(size),
            access: Some(id),
        };
        let state = if access.invariant {
            State::ENTRY
        } else {
            self.clobber(&location, state)
        };
        let value = self.known(block, id, &location, ty, state);
        match value {
            Some(value) if self.unit.fuel.take() => {
                self.function.replace_and_remove(id, value);
                self.changed = true;
                self.remember(block, pointer, ty, state, value);
            }
            _ => self.remember(block, pointer, ty, state, Value::Instruction(id)),
        }
    }

    fn clobber(&self, location: &Location, from: State) -> State {
        self.memory
            .clobber(self.function, self.dominators, &self.aliases, location, from)
    }

    fn remember(&mut self, block: BlockId, pointer: Value, ty: Type, state: State, value: Value) {
        let cell = Cell { pointer, ty, state };
        self.loads.entry(cell).or_default().push((block, value));
    }

    fn known(
        &mut self,
        block: BlockId,
        id: InstructionId,
        location: &Location,
        ty: Type,
        state: State,
    ) -> Option<Value> {
        let cell = Cell {
            pointer: location.pointer,
            ty,
            state,
        };
        if let Some(value) = self.available(cell, block) {
            return Some(value);
        }
        match self.memory.definition(state).clone() {
            Definition::Entry => None,
            Definition::Instruction(definition, _) => self.left_by(definition, id, location, ty),
            Definition::Phi(join, incoming) => self.at_join(join, &incoming, block, location, ty, state),
        }
    }

    fn available(&self, cell: Cell, block: BlockId) -> Option<Value> {
        let found = self.loads.get(&cell)?.iter().rev();
        found
            .filter(|(at, _)| self.dominators.dominates(node(*at), node(block)))
            .map(|(_, value)| *value)
            .find(|&value| is_there(self.function, value))
    }

    /// The value that an instruction left at a location; instructions to adapt its type go before `at`.
    fn left_by(
        &mut self,
        definition: InstructionId,
        at: InstructionId,
        location: &Location,
        ty: Type,
    ) -> Option<Value> {
        self.function.block_of(definition)?;
        let size = location.size?;
        match *self.function.instruction(definition) {
            Instruction::Store { pointer, value, access } => {
                let stored = self.function.type_of(value);
                let stored_size = self.function.context().store_size(stored);
                let other = Location {
                    pointer,
                    size: Some(stored_size),
                    access: None,
                };
                let is_same = stored_size == size && self.aliases.alias(self.function, &other, location) == Alias::Must;
                if access.volatile || !is_same || !can_coerce(self.function, stored, ty) {
                    return None;
                }
                Some(edit::coerce(self.function, at, value, ty))
            }
            Instruction::Call(_) => {
                let transfer = intrinsics::transfer(self.function, definition)?;
                let TransferKind::Fill { byte } = transfer.kind else {
                    return None;
                };
                let length = u64::try_from(address::constant_int(self.function, transfer.length)?).ok()?;
                let filled = address::decompose(self.function, transfer.destination);
                let read = address::decompose(self.function, location.pointer);
                let inside = filled.base == read.base
                    && filled.terms == read.terms
                    && read.offset >= filled.offset
                    && (read.offset - filled.offset) as u64 + size <= length;
                // Zeros are zeros of any type.
                let zero = fold::int_value(self.function.context(), byte.as_constant()?) == Some(0);
                let context = self.function.context();
                (inside && zero && !transfer.volatile).then(|| Value::Constant(context.zero(ty)))
            }
            _ => None,
        }
    }

    /// The value at a join, where it is known at the end of each predecessor.
    fn at_join(
        &mut self,
        join: BlockId,
        incoming: &[(BlockId, State)],
        block: BlockId,
        location: &Location,
        ty: Type,
        state: State,
    ) -> Option<Value> {
        if incoming.len() > 8 || !self.dominators.dominates(node(join), node(block)) {
            return None;
        }
        // Only joins whose predecessors have been looked at: loops are the matter of other passes.
        if incoming
            .iter()
            .any(|(from, _)| self.dominators.dominates(node(join), node(*from)))
        {
            return None;
        }
        let mut values: SmallVec<[(BlockId, Value); 2]> = SmallVec::new();
        for &(from, end) in incoming {
            let pointer = self.at_end_of(location.pointer, join, from)?;
            let location = Location { pointer, ..*location };
            let state = self.clobber(&location, end);
            let cell = Cell { pointer, ty, state };
            let value = match self.available(cell, from) {
                Some(value) => value,
                None => {
                    let Definition::Instruction(definition, _) = *self.memory.definition(state) else {
                        return None;
                    };
                    let at = self.function.terminator(from)?;
                    self.left_by(definition, at, &location, ty)?
                }
            };
            values.push((from, value));
        }
        let (_, first) = *values.first()?;
        if values.iter().all(|(_, value)| *value == first) && self.is_available(first, join) {
            return Some(first);
        }
        let flags = Flags::NONE;
        let phi = self.function.prepend(
            join,
            Instruction::Phi {
                flags,
                incoming: values,
            },
            ty,
        );
        let value = Value::Instruction(phi);
        self.remember(join, location.pointer, ty, state, value);
        Some(value)
    }

    /// An address as it is at the end of a predecessor of a join.
    fn at_end_of(&self, pointer: Value, join: BlockId, from: BlockId) -> Option<Value> {
        if let Value::Instruction(id) = pointer
            && self.function.block_of(id) == Some(join)
        {
            let Instruction::Phi { incoming, .. } = self.function.instruction(id) else {
                return None;
            };
            return incoming
                .iter()
                .find(|(block, _)| *block == from)
                .map(|(_, value)| *value);
        }
        self.is_available(pointer, from).then_some(pointer)
    }

    /// Whether a value is defined at the end of a block.
    fn is_available(&self, value: Value, block: BlockId) -> bool {
        match value {
            Value::Instruction(id) => self
                .function
                .block_of(id)
                .is_some_and(|at| self.dominators.dominates(node(at), node(block))),
            Value::Argument(_) | Value::Constant(_) => true,
        }
    }
}

fn is_there(function: &Function, value: Value) -> bool {
    match value {
        Value::Instruction(id) => function.block_of(id).is_some(),
        Value::Argument(_) | Value::Constant(_) => true,
    }
}

/// Whether a value of one type can be taken for one of another of as many bytes without going through memory.
fn can_coerce(function: &Function, from: Type, to: Type) -> bool {
    let context = function.context();
    let is_plain = |ty: Type| !(ty.is_aggregate() || ty.is_vector() && context.scalar(ty).is_pointer());
    let spaces_agree = match (from, to) {
        (Type::Pointer(one), Type::Pointer(other)) => one == other,
        // A number does not say what it points to.
        (Type::Pointer(_), _) | (_, Type::Pointer(_)) => false,
        _ => true,
    };
    from == to || is_plain(from) && is_plain(to) && spaces_agree && context.store_size(from) == context.store_size(to)
}
