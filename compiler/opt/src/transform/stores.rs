//! Dead stores: what is written over before it is read, what is written to memory that nobody reads, and what memory has already.

use warpsmith_ir::{BlockId, Function, Instruction, InstructionId, Value};

use crate::{
    address,
    analysis::{
        alias::{self, Alias, Aliases, Location},
        effects,
        flow::Flow,
        memory_ssa::MemorySsa,
    },
    intrinsics,
    pipeline::Unit,
};

/// Instructions that are looked at behind a store.
const MOST_STEPS: usize = 96;

/// The pass.
pub(crate) fn run(function: &mut Function, unit: &Unit<'_>) -> bool {
    let changed = unread(function, unit) | known(function, unit);
    changed | overwritten(function, unit)
}

/// Stores of what was loaded from the same place, with nothing written in between.
fn known(function: &mut Function, unit: &Unit<'_>) -> bool {
    let flow = Flow::new(function);
    if flow.graph.is_empty() {
        return false;
    }
    let dominators = flow.dominators();
    let memory = MemorySsa::new(function, unit.symbols, &flow, &dominators);
    let aliases = Aliases::new(unit.symbols);
    let mut dead = Vec::new();
    for id in function.all_instructions() {
        let Instruction::Store { pointer, value, access } = *function.instruction(id) else {
            continue;
        };
        let (
            Some(Instruction::Load {
                pointer: from,
                access: loaded,
            }),
            Some(load),
        ) = (function.definition(value), value.as_instruction())
        else {
            continue;
        };
        let (Some(location), true) = (alias::location(function, id), *from == pointer) else {
            continue;
        };
        if !access.is_simple() || !loaded.is_simple() {
            continue;
        }
        let (Some(at_store), Some(at_load)) = (memory.seen_by(id), memory.seen_by(load)) else {
            continue;
        };
        let above = |state| memory.clobber(function, &dominators, &aliases, &location, state);
        if above(at_store) == above(at_load) && aliases.is_private(function, pointer) {
            dead.push(id);
        }
    }
    remove(function, unit, dead)
}

fn remove(function: &mut Function, unit: &Unit<'_>, dead: Vec<InstructionId>) -> bool {
    let mut changed = false;
    for id in dead {
        if unit.fuel.take() {
            let operands = function.instruction(id).operands();
            function.remove_instruction(id);
            for operand in operands {
                crate::edit::remove_with_operands_of(function, operand, unit.symbols);
            }
            changed = true;
        }
    }
    changed
}

/// Allocas that are only written.
fn unread(function: &mut Function, unit: &Unit<'_>) -> bool {
    let allocas: Vec<InstructionId> = function
        .all_instructions()
        .filter(|&id| matches!(function.instruction(id), Instruction::Alloca { .. }))
        .collect();
    let mut changed = false;
    for alloca in allocas {
        let mut writes = Vec::new();
        if only_written(function, Value::Instruction(alloca), &mut writes, 0) && !writes.is_empty() {
            changed |= remove(function, unit, writes);
        }
    }
    changed
}

fn only_written(function: &Function, address: Value, writes: &mut Vec<InstructionId>, depth: u32) -> bool {
    depth < 16
        && function
            .users(address)
            .into_iter()
            .all(|user| match function.instruction(user) {
                Instruction::Store { pointer, value, access } => {
                    writes.push(user);
                    *pointer == address && *value != address && access.is_simple()
                }
                Instruction::Gep { .. } => only_written(function, Value::Instruction(user), writes, depth + 1),
                Instruction::Cast { .. } if function.result_type(user).is_pointer() => {
                    only_written(function, Value::Instruction(user), writes, depth + 1)
                }
                instruction if intrinsics::is_lifetime(instruction) => true,
                _ => match intrinsics::transfer(function, user) {
                    Some(transfer) => {
                        writes.push(user);
                        transfer.destination == address && !transfer.volatile && !transfer.reads_from(address)
                    }
                    None => false,
                },
            })
}

/// Stores that are written over before anything reads them, in their block or on the only way on from there.
fn overwritten(function: &mut Function, unit: &Unit<'_>) -> bool {
    let aliases = Aliases::new(unit.symbols);
    let predecessors = function.predecessors();
    let only_before = |block: BlockId| predecessors.of(block).len() == 1;
    let stores: Vec<InstructionId> = function
        .all_instructions()
        .filter(|&id| matches!(function.instruction(id), Instruction::Store { access, .. } if access.is_simple()))
        .collect();
    let mut dead = Vec::new();
    for id in stores {
        if let Some(location) = alias::location(function, id)
            && is_overwritten(function, unit, &aliases, id, &location, &only_before)
        {
            dead.push(id);
        }
    }
    remove(function, unit, dead)
}

fn is_overwritten(
    function: &Function,
    unit: &Unit<'_>,
    aliases: &Aliases<'_>,
    store: InstructionId,
    location: &Location,
    only_before: &dyn Fn(BlockId) -> bool,
) -> bool {
    let is_private = aliases.is_private(function, location.pointer);
    let mut next = function.next(store);
    for _ in 0..MOST_STEPS {
        let Some(id) = next else { return false };
        next = function.next(id);
        let instruction = function.instruction(id);
        if instruction.is_terminator() {
            match instruction {
                // The frame is gone.
                Instruction::Return { .. } => return is_private,
                Instruction::Branch { target } if only_before(*target) => next = function.first(*target),
                _ => return false,
            }
            continue;
        }
        if let Instruction::Store { pointer, value, access } = instruction
            && access.is_simple()
        {
            let size = function.context().store_size(function.type_of(*value));
            if covers(function, aliases, *pointer, size, location) {
                return true;
            }
            continue;
        }
        if let Instruction::Call(call) = instruction
            && !is_private
            && !effects::of_call(unit.symbols, call).returns
        {
            return false;
        }
        if aliases.touches(function, id, location).reads {
            return false;
        }
        // Writes that others may see in between keep their order.
        if !is_private
            && effects::memory(unit.symbols, function, id).may_write()
            && !effects::is_removable(unit.symbols, function, id)
        {
            let simple =
                matches!(instruction, Instruction::Store { .. }) || intrinsics::transfer(function, id).is_some();
            if !simple {
                return false;
            }
        }
    }
    false
}

/// Whether so many bytes at an address are all of a location, and more.
fn covers(function: &Function, aliases: &Aliases<'_>, pointer: Value, size: u64, location: &Location) -> bool {
    let Some(wanted) = location.size else { return false };
    let other = Location {
        pointer,
        size: Some(size),
        access: None,
    };
    if aliases.alias(function, &other, location) == Alias::Must {
        return size >= wanted;
    }
    let (outer, inner) = (
        address::decompose(function, pointer),
        address::decompose(function, location.pointer),
    );
    let Some(gap) = inner
        .offset
        .checked_sub(outer.offset)
        .and_then(|gap| u64::try_from(gap).ok())
    else {
        return false;
    };
    outer.base == inner.base && outer.terms == inner.terms && gap + wanted <= size
}
