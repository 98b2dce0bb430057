//! Brings code into the form that the cutting of allocas understands.

use warpsmith_ir::{Access, BlockId, Context, Function, Instruction, InstructionId, Type, Value};

use super::pieces;
use crate::{address, analysis::effects, edit, pipeline::Unit};

/// An aggregate of more scalars than this stays one value.
const MOST_LEAVES: usize = 64;

/// How far up loads of the same address are looked for.
const SCAN: usize = 24;

/// Takes apart loads and stores of aggregates, and loads and stores through choices between addresses.
pub(super) fn run(function: &mut Function, unit: &Unit<'_>) -> bool {
    let mut changed = false;
    let accesses: Vec<InstructionId> = function
        .all_instructions()
        .filter(|&id| {
            matches!(
                function.instruction(id),
                Instruction::Load { .. } | Instruction::Store { .. }
            )
        })
        .collect();
    for id in accesses {
        changed |= split_aggregate(function, unit, id)
            || through_select(function, unit, id)
            || through_phi(function, unit, id);
    }
    changed
}

/// The scalars of an aggregate with their offsets and paths.
fn leaves(context: &Context, ty: Type) -> Option<Vec<(u64, Type, Vec<u32>)>> {
    let mut flat = Vec::new();
    pieces::collect_leaves(context, ty, 0, &mut flat, MOST_LEAVES + 1);
    if flat.len() > MOST_LEAVES {
        return None;
    }
    let mut result = Vec::with_capacity(flat.len());
    let mut path = Vec::new();
    walk(context, ty, 0, &mut path, &mut result);
    Some(result)
}

fn walk(context: &Context, ty: Type, offset: u64, path: &mut Vec<u32>, result: &mut Vec<(u64, Type, Vec<u32>)>) {
    match context.element_count(ty) {
        Some(count) if ty.is_aggregate() => {
            for index in 0..count {
                let Some(element) = context.element(ty, index) else {
                    continue;
                };
                path.push(index as u32);
                walk(context, element, offset + context.offset_of(ty, index), path, result);
                path.pop();
            }
        }
        _ => result.push((offset, ty, path.clone())),
    }
}

fn split_aggregate(function: &mut Function, unit: &Unit<'_>, id: InstructionId) -> bool {
    let (pointer, access, ty, stored) = match function.instruction(id) {
        Instruction::Load { pointer, access } => (*pointer, *access, function.result_type(id), None),
        Instruction::Store { pointer, value, access } => (*pointer, *access, function.type_of(*value), Some(*value)),
        _ => return false,
    };
    if !ty.is_aggregate() || !access.is_simple() {
        return false;
    }
    let context = function.context().clone();
    let Some(leaves) = leaves(&context, ty) else {
        return false;
    };
    if !unit.fuel.take() {
        return false;
    }
    let mut whole = Value::Constant(context.poison(ty));
    for (offset, leaf, path) in leaves {
        let pointer = edit::offset(function, id, pointer, offset);
        let access = Access {
            align: address::align_at(access.align, offset),
            ..access
        };
        let indices = path.into_iter().collect();
        match stored {
            Some(aggregate) => {
                let extract = Instruction::ExtractValue { aggregate, indices };
                let value = edit::insert(function, id, extract, leaf);
                edit::insert(function, id, Instruction::Store { pointer, value, access }, Type::Void);
            }
            None => {
                let element = edit::insert(function, id, Instruction::Load { pointer, access }, leaf);
                let insert = Instruction::InsertValue {
                    aggregate: whole,
                    element,
                    indices,
                };
                whole = edit::insert(function, id, insert, ty);
            }
        }
    }
    match stored {
        Some(_) => function.remove_instruction(id),
        None => function.replace_and_remove(id, whole),
    }
    true
}

/// Whether an address is in an alloca.
fn is_local(function: &Function, address: Value) -> bool {
    matches!(
        function.definition(address::underlying(function, address)),
        Some(Instruction::Alloca { .. })
    )
}

/// Whether so many bytes at an address can be read before an instruction: always, or because they just were.
fn can_read(function: &Function, unit: &Unit<'_>, at: InstructionId, pointer: Value, size: u64) -> bool {
    if effects::is_dereferenceable(unit.symbols, function, pointer, size) {
        return true;
    }
    let mut before = function.previous(at);
    for _ in 0..SCAN {
        let Some(id) = before else { return false };
        let known = match function.instruction(id) {
            Instruction::Load { pointer, .. } => Some((*pointer, function.result_type(id))),
            Instruction::Store { pointer, value, .. } => Some((*pointer, function.type_of(*value))),
            Instruction::Call(_) => return false,
            _ => None,
        };
        if known.is_some_and(|(address, ty)| address == pointer && function.context().store_size(ty) >= size) {
            return true;
        }
        before = function.previous(id);
    }
    false
}

/// `*(c ? p : q)` becomes `c ? *p : *q`, and a store to it stores to both what is there already or the new value.
fn through_select(function: &mut Function, unit: &Unit<'_>, id: InstructionId) -> bool {
    let (pointer, access, stored) = match function.instruction(id) {
        Instruction::Load { pointer, access } => (*pointer, *access, None),
        Instruction::Store { pointer, value, access } => (*pointer, *access, Some(*value)),
        _ => return false,
    };
    if !access.is_simple() {
        return false;
    }
    let Some((condition, on_true, on_false, gep)) = chosen(function, pointer) else {
        return false;
    };
    let ty = stored.map_or_else(|| function.result_type(id), |value| function.type_of(value));
    let size = function.context().store_size(ty) + gep.unwrap_or(0);
    let (true_local, false_local) = (is_local(function, on_true), is_local(function, on_false));
    // Other threads do not see when local memory is written. Both stores are made, so that they must not be to one variable.
    let apart = || address::underlying(function, on_true) != address::underlying(function, on_false);
    let useful = match stored {
        Some(_) => true_local && false_local && apart(),
        None => true_local || false_local,
    };
    if !useful || !can_read(function, unit, id, on_true, size) || !can_read(function, unit, id, on_false, size) {
        return false;
    }
    if !unit.fuel.take() {
        return false;
    }
    let load = Access {
        align: access.align,
        ..access
    };
    let sides = [on_true, on_false].map(|side| {
        let pointer = edit::offset(function, id, side, gep.unwrap_or(0));
        let value = edit::insert(function, id, Instruction::Load { pointer, access: load }, ty);
        (pointer, value)
    });
    let [(true_pointer, true_value), (false_pointer, false_value)] = sides;
    match stored {
        None => {
            let value = edit::select(function, id, condition, true_value, false_value);
            function.replace_and_remove(id, value);
        }
        Some(stored) => {
            let new_true = edit::select(function, id, condition, stored, true_value);
            let new_false = edit::select(function, id, condition, false_value, stored);
            for (pointer, value) in [(true_pointer, new_true), (false_pointer, new_false)] {
                edit::insert(function, id, Instruction::Store { pointer, value, access }, Type::Void);
            }
            function.remove_instruction(id);
        }
    }
    edit::remove_with_operands_of(function, pointer, unit.symbols);
    true
}

/// A choice between addresses, or a constant offset from one.
fn chosen(function: &Function, pointer: Value) -> Option<(Value, Value, Value, Option<u64>)> {
    match function.definition(pointer)? {
        Instruction::Select {
            condition,
            on_true,
            on_false,
            ..
        } if !function.type_of(*condition).is_vector() => Some((*condition, *on_true, *on_false, None)),
        Instruction::Gep { base, .. } => {
            let offset = u64::try_from(address::constant_offset(function, pointer.as_instruction()?)?).ok()?;
            let (condition, on_true, on_false, inner) = chosen_select(function, *base)?;
            Some((condition, on_true, on_false, Some(offset + inner.unwrap_or(0))))
        }
        _ => None,
    }
}

fn chosen_select(function: &Function, pointer: Value) -> Option<(Value, Value, Value, Option<u64>)> {
    match function.definition(pointer)? {
        Instruction::Select { .. } => chosen(function, pointer),
        _ => None,
    }
}

/// A load of a phi of local addresses becomes a phi of loads at the ends of the predecessors, if nothing is written between.
fn through_phi(function: &mut Function, unit: &Unit<'_>, id: InstructionId) -> bool {
    let Instruction::Load { pointer, access } = *function.instruction(id) else {
        return false;
    };
    let (Some(Instruction::Phi { incoming, .. }), Some(phi)) = (function.definition(pointer), pointer.as_instruction())
    else {
        return false;
    };
    if !access.is_simple() || function.block_of(phi) != function.block_of(id) || incoming.is_empty() {
        return false;
    }
    let mut before = function.previous(id);
    while let Some(other) = before {
        if effects::may_write(unit.symbols, function, other) {
            return false;
        }
        before = function.previous(other);
    }
    let ty = function.result_type(id);
    let size = function.context().store_size(ty);
    let incoming: Vec<(BlockId, Value)> = incoming.iter().copied().collect();
    let is_safe = |&(block, address): &(BlockId, Value)| {
        let Some(terminator) = function.terminator(block) else {
            return false;
        };
        address != pointer && can_read(function, unit, terminator, address, size)
    };
    if !incoming.iter().any(|(_, address)| is_local(function, *address))
        || !incoming.iter().all(is_safe)
        || !unit.fuel.take()
    {
        return false;
    }
    let mut values = smallvec::SmallVec::new();
    for (block, address) in incoming {
        let Some(terminator) = function.terminator(block) else {
            return false;
        };
        let load = Instruction::Load {
            pointer: address,
            access,
        };
        values.push((block, edit::insert(function, terminator, load, ty)));
    }
    let flags = warpsmith_ir::Flags::NONE;
    let value = function.insert_before(
        phi,
        Instruction::Phi {
            flags,
            incoming: values,
        },
        ty,
    );
    function.replace_and_remove(id, Value::Instruction(value));
    edit::remove_with_operands_of(function, pointer, unit.symbols);
    true
}
