//! Addresses, loads of constants, and parts of aggregates and vectors.

use smallvec::SmallVec;
use warpsmith_ir::{
    CastOp, Constant, ConstantId, Context, Function, GepFlags, Instruction, InstructionId, Symbols, Type, Value,
};

use crate::{
    address::{self, Step, Steps},
    edit, fold,
};

/// A simpler form of an address computation: one index each, constants last and added up.
pub(super) fn gep(function: &mut Function, id: InstructionId) -> Option<Value> {
    let Instruction::Gep {
        flags,
        source,
        base,
        indices,
    } = function.instruction(id).clone()
    else {
        return None;
    };
    if function.result_type(id).is_vector() {
        return None;
    }
    if let Some(offset) = address::constant_offset(function, id) {
        return constant_gep(function, id, flags, source, base, offset);
    }
    if indices.len() == 1 {
        return over_constant(function, id, flags, source, base, indices[0]);
    }
    let context = function.context().clone();
    let mut steps = Steps::new(&context, source);
    let mut parts: SmallVec<[(Type, Value); 4]> = SmallVec::new();
    let mut constant = 0i64;
    for &index in &indices {
        if let Some(index) = address::constant_int(function, index) {
            constant = constant.checked_add(steps.constant(index)?)?;
            continue;
        }
        let Step::Scale(_) = steps.step() else { return None };
        parts.push((steps.stepped(), index));
        steps.advance(None);
    }
    let ty = function.type_of(base);
    let mut at = base;
    for (source, index) in parts {
        let gep = Instruction::Gep {
            flags,
            source,
            base: at,
            indices: [index].into_iter().collect(),
        };
        at = edit::insert(function, id, gep, ty);
    }
    Some(add_constant(function, id, at, constant, flags))
}

/// `base` + constant: nothing, a constant, or the sum with the constant that the base adds.
fn constant_gep(
    function: &mut Function,
    id: InstructionId,
    flags: GepFlags,
    source: Type,
    base: Value,
    offset: i64,
) -> Option<Value> {
    if offset == 0 {
        return Some(base);
    }
    if let Value::Constant(constant) = base {
        let is_object = !matches!(
            function.context().constant(constant),
            Constant::Undef(_) | Constant::Poison(_)
        );
        return is_object.then(|| Value::Constant(function.context().offset_address(constant, offset)));
    }
    if let Value::Instruction(inner) = base
        && let Instruction::Gep {
            flags: inner_flags,
            base: inner_base,
            ..
        } = *function.instruction(inner)
        && let Some(inner_offset) = address::constant_offset(function, inner)
    {
        let sum = offset.checked_add(inner_offset)?;
        let flags = flags.intersection(inner_flags);
        return Some(add_constant(function, id, inner_base, sum, flags));
    }
    let is_plain = source == Type::I8
        && matches!(function.instruction(id), Instruction::Gep { indices, .. }
            if indices.len() == 1 && function.type_of(indices[0]) == Type::I64);
    (!is_plain).then(|| add_constant(function, id, base, offset, flags))
}

/// (base + constant) + index · scale becomes (base + index · scale) + constant, so that constants meet.
fn over_constant(
    function: &mut Function,
    id: InstructionId,
    flags: GepFlags,
    source: Type,
    base: Value,
    index: Value,
) -> Option<Value> {
    let Value::Instruction(inner) = base else { return None };
    let Instruction::Gep {
        flags: inner_flags,
        base: inner_base,
        ..
    } = *function.instruction(inner)
    else {
        return None;
    };
    // Where the address is used elsewhere too, the index would be added twice.
    if function.use_count(base) != 1 || function.result_type(inner).is_vector() {
        return None;
    }
    let offset = address::constant_offset(function, inner)?;
    // In between, the address may be outside of the object.
    let flags = flags.intersection(inner_flags).without(GepFlags::INBOUNDS);
    let gep = Instruction::Gep {
        flags,
        source,
        base: inner_base,
        indices: [index].into_iter().collect(),
    };
    let ty = function.type_of(inner_base);
    let at = edit::insert(function, id, gep, ty);
    Some(add_constant(function, id, at, offset, flags))
}

fn add_constant(function: &mut Function, id: InstructionId, base: Value, offset: i64, flags: GepFlags) -> Value {
    if offset == 0 {
        return base;
    }
    let gep = Instruction::Gep {
        flags,
        source: Type::I8,
        base,
        indices: [Value::Constant(function.context().int(64, i128::from(offset)))]
            .into_iter()
            .collect(),
    };
    let ty = function.type_of(base);
    edit::insert(function, id, gep, ty)
}

/// The value of a load from a variable that nothing writes.
pub(super) fn load(function: &Function, symbols: &Symbols, id: InstructionId) -> Option<Value> {
    let Instruction::Load { pointer, access } = function.instruction(id) else {
        return None;
    };
    if !access.is_simple() {
        return None;
    }
    let context = function.context();
    let parts = address::decompose(function, *pointer);
    if !parts.terms.is_empty() {
        return None;
    }
    let Constant::Global { global, .. } = context.constant(parts.base.as_constant()?) else {
        return None;
    };
    let global = &symbols.globals[*global];
    if !global.constant || !global.has_known_initializer() {
        return None;
    }
    let offset = u64::try_from(parts.offset).ok()?;
    read(context, global.initializer?, offset, function.result_type(id)).map(Value::Constant)
}

/// A value of a type at an offset in a constant.
pub(crate) fn read(context: &Context, constant: ConstantId, offset: u64, ty: Type) -> Option<ConstantId> {
    let whole = context.constant_type(constant);
    if offset == 0 && whole == ty {
        return Some(constant);
    }
    if offset.checked_add(context.store_size(ty))? > context.store_size(whole) {
        return None;
    }
    if context.is_zero(constant) {
        return Some(context.zero(ty));
    }
    if let Some(count) = context.element_count(whole) {
        let found = (0..count.min(1 << 16)).try_fold(None, |found, index| {
            // Elements are in order: the last that begins at or before the offset.
            if context.offset_of(whole, index) <= offset {
                Ok(Some(index))
            } else {
                Err(found)
            }
        });
        let index = match found {
            Ok(found) | Err(found) => found?,
        };
        let begin = context.offset_of(whole, index);
        let element = context.constant_element(constant, index)?;
        let fits = offset - begin + context.store_size(ty) <= context.store_size(context.constant_type(element));
        if fits {
            return read(context, element, offset - begin, ty);
        }
    }
    // Across elements, byte by byte.
    let size = context.store_size(ty);
    if size > 16 || ty.is_aggregate() {
        return None;
    }
    let mut bits = 0u128;
    for index in 0..size {
        bits |= u128::from(byte(context, constant, offset + index)?) << (8 * index);
    }
    let int = context.integer(warpsmith_ir::Integer::new(size as u32 * 8, bits));
    if context.bit_size(ty) != size * 8 {
        return None;
    }
    fold::cast(context, CastOp::BitCast, int, ty)
}

/// A byte of the memory of a constant.
fn byte(context: &Context, constant: ConstantId, offset: u64) -> Option<u8> {
    match context.constant(constant) {
        Constant::Int(value) if value.bits() <= 128 => Some((value.to_u128()? >> (8 * offset)) as u8),
        Constant::Float { bits, .. } => Some((bits >> (8 * offset)) as u8),
        Constant::Null(_) | Constant::Zero(_) => Some(0),
        Constant::Bytes { bytes, .. } => bytes.get(usize::try_from(offset).ok()?).copied(),
        Constant::Aggregate { ty, elements } => {
            let index = (0..elements.len() as u64)
                .take_while(|&index| context.offset_of(*ty, index) <= offset)
                .last()?;
            let element = *elements.get(usize::try_from(index).ok()?)?;
            let inside = offset - context.offset_of(*ty, index);
            if inside >= context.store_size(context.constant_type(element)) {
                // Padding.
                return Some(0);
            }
            byte(context, element, inside)
        }
        _ => None,
    }
}

/// A part of an aggregate that is put together elsewhere.
pub(super) fn extract_value(function: &mut Function, id: InstructionId) -> Option<Value> {
    let Instruction::ExtractValue { aggregate, indices } = function.instruction(id).clone() else {
        return None;
    };
    let context = function.context().clone();
    let mut at = aggregate;
    let mut path = indices;
    // Chains are as long as aggregates have fields.
    for _ in 0..1024 {
        match at {
            Value::Constant(constant) => {
                let mut part = constant;
                for &index in &path {
                    part = context.constant_element(part, u64::from(index))?;
                }
                return Some(Value::Constant(part));
            }
            Value::Argument(_) => break,
            Value::Instruction(definition) => match function.instruction(definition) {
                Instruction::InsertValue {
                    aggregate,
                    element,
                    indices,
                } => {
                    if path.starts_with(indices) {
                        path = path[indices.len()..].iter().copied().collect();
                        at = *element;
                        if path.is_empty() {
                            return Some(at);
                        }
                    } else if indices.starts_with(&path) {
                        return None;
                    } else {
                        at = *aggregate;
                    }
                }
                Instruction::ExtractValue { aggregate, indices } => {
                    path = indices.iter().chain(&path).copied().collect();
                    at = *aggregate;
                }
                _ => break,
            },
        }
    }
    if at == aggregate {
        return None;
    }
    let ty = function.result_type(id);
    let extract = Instruction::ExtractValue {
        aggregate: at,
        indices: path,
    };
    Some(edit::insert(function, id, extract, ty))
}

/// A lane of a vector that is put together elsewhere.
pub(super) fn extract_element(function: &mut Function, id: InstructionId) -> Option<Value> {
    let Instruction::ExtractElement { vector, index } = *function.instruction(id) else {
        return None;
    };
    let mut lane = u64::try_from(address::constant_int(function, index)?).ok()?;
    let context = function.context().clone();
    let mut at = vector;
    for _ in 0..1024 {
        match at {
            Value::Constant(constant) => return context.constant_element(constant, lane).map(Value::Constant),
            Value::Argument(_) => break,
            Value::Instruction(definition) => match function.instruction(definition) {
                Instruction::InsertElement { vector, element, index } => {
                    let inserted = u64::try_from(address::constant_int(function, *index)?).ok()?;
                    if inserted == lane {
                        return Some(*element);
                    }
                    at = *vector;
                }
                Instruction::ShuffleVector { left, right, mask } => {
                    let chosen = *mask.get(usize::try_from(lane).ok()?)?;
                    let lanes = context.lanes(function.type_of(*left))?;
                    let Ok(chosen) = u64::try_from(chosen) else {
                        return Some(Value::Constant(context.poison(function.result_type(id))));
                    };
                    (at, lane) = if chosen < lanes {
                        (*left, chosen)
                    } else {
                        (*right, chosen - lanes)
                    };
                }
                _ => break,
            },
        }
    }
    if at == vector {
        return None;
    }
    let ty = function.result_type(id);
    let index = Value::Constant(context.int(32, i128::from(lane)));
    let extract = Instruction::ExtractElement { vector: at, index };
    Some(edit::insert(function, id, extract, ty))
}

/// Casts of addresses that undo each other, and casts of casts.
pub(super) fn cast(function: &mut Function, id: InstructionId) -> Option<Value> {
    let Instruction::Cast { op, operand, .. } = *function.instruction(id) else {
        return None;
    };
    let ty = function.result_type(id);
    if op == CastOp::BitCast && function.type_of(operand) == ty {
        return Some(operand);
    }
    let Instruction::Cast {
        op: inner_op,
        operand: inner,
        ..
    } = *function.definition(operand)?
    else {
        return None;
    };
    let inner_type = function.type_of(inner);
    match (inner_op, op) {
        (CastOp::BitCast, CastOp::BitCast) => Some(edit::cast(function, id, CastOp::BitCast, inner, ty)),
        // Through the generic space and back, or out of a space and into it again.
        (CastOp::AddrSpaceCast, CastOp::AddrSpaceCast) if inner_type == ty => Some(inner),
        (CastOp::PtrToInt, CastOp::IntToPtr) if inner_type == ty && function.type_of(operand) == Type::I64 => {
            Some(inner)
        }
        (CastOp::IntToPtr, CastOp::PtrToInt) if inner_type == Type::I64 && ty == Type::I64 => Some(inner),
        _ => None,
    }
}
