//! Making instructions: folded where the operands are constants.

use warpsmith_ir::{
    BinaryOp, CastOp, Flags, Function, GepFlags, Instruction, InstructionId, IntPredicate, Type, Value,
};

use crate::fold;

/// Puts an instruction before another and gives it its place in the source. The result, if there is one.
pub(crate) fn insert(function: &mut Function, at: InstructionId, instruction: Instruction, ty: Type) -> Value {
    let id = function.insert_before(at, instruction, ty);
    let location = function.location(at);
    function.set_location(id, location);
    Value::Instruction(id)
}

/// A binary operation.
pub(crate) fn binary(function: &mut Function, at: InstructionId, op: BinaryOp, left: Value, right: Value) -> Value {
    binary_with(function, at, op, Flags::NONE, left, right)
}

/// A binary operation with flags.
pub(crate) fn binary_with(
    function: &mut Function,
    at: InstructionId,
    op: BinaryOp,
    flags: Flags,
    left: Value,
    right: Value,
) -> Value {
    if let (Value::Constant(left), Value::Constant(right)) = (left, right)
        && !op.is_float()
        && let Some(value) = fold::binary(function.context(), op, left, right, false)
    {
        return Value::Constant(value);
    }
    let ty = function.type_of(left);
    insert(function, at, Instruction::Binary { op, flags, left, right }, ty)
}

/// A binary operation with an integer; none where it changes nothing.
pub(crate) fn binary_int(function: &mut Function, at: InstructionId, op: BinaryOp, left: Value, right: i128) -> Value {
    let changes_nothing = match op {
        BinaryOp::Mul | BinaryOp::UDiv | BinaryOp::SDiv => right == 1,
        BinaryOp::And => right == -1,
        _ => right == 0,
    };
    if changes_nothing {
        return left;
    }
    let ty = function.type_of(left);
    let right = Value::Constant(fold::int_constant(function.context(), ty, right as u128));
    binary(function, at, op, left, right)
}

/// A conversion; none where the type is the same already.
pub(crate) fn cast(function: &mut Function, at: InstructionId, op: CastOp, operand: Value, ty: Type) -> Value {
    if function.type_of(operand) == ty {
        return operand;
    }
    if let Value::Constant(constant) = operand
        && let Some(value) = fold::cast(function.context(), op, constant, ty)
    {
        return Value::Constant(value);
    }
    let flags = Flags::NONE;
    insert(function, at, Instruction::Cast { op, flags, operand }, ty)
}

/// An integer made wider or narrower.
pub(crate) fn resize(function: &mut Function, at: InstructionId, operand: Value, ty: Type, is_signed: bool) -> Value {
    let bits = |ty| function.context().scalar(ty).int_bits().unwrap_or(0);
    let op = match bits(function.type_of(operand)).cmp(&bits(ty)) {
        std::cmp::Ordering::Greater => CastOp::Trunc,
        _ if is_signed => CastOp::SExt,
        _ => CastOp::ZExt,
    };
    cast(function, at, op, operand, ty)
}

/// A comparison of integers or addresses.
pub(crate) fn compare(
    function: &mut Function,
    at: InstructionId,
    predicate: IntPredicate,
    left: Value,
    right: Value,
) -> Value {
    if let (Value::Constant(left), Value::Constant(right)) = (left, right)
        && let Some(value) = fold::compare_int(function.context(), predicate, left, right)
    {
        return Value::Constant(value);
    }
    let ty = function.context().like(function.type_of(left), Type::BOOL);
    let instruction = Instruction::ICmp {
        predicate,
        flags: Flags::NONE,
        left,
        right,
    };
    insert(function, at, instruction, ty)
}

/// A choice; none between the same values or by a constant.
pub(crate) fn select(
    function: &mut Function,
    at: InstructionId,
    condition: Value,
    on_true: Value,
    on_false: Value,
) -> Value {
    if on_true == on_false {
        return on_true;
    }
    if let Value::Constant(constant) = condition
        && let Some(choice) = fold::choice(function.context(), constant)
    {
        return if choice { on_true } else { on_false };
    }
    let ty = function.type_of(on_true);
    let instruction = Instruction::Select {
        flags: Flags::NONE,
        condition,
        on_true,
        on_false,
    };
    insert(function, at, instruction, ty)
}

/// What an instruction gives whose operands are constants.
pub(crate) fn constant_result(function: &Function, id: InstructionId) -> Option<Value> {
    let context = function.context();
    let constant = |value: &Value| value.as_constant();
    let folded = match function.instruction(id) {
        Instruction::Binary { op, left, right, .. } if !op.is_float() => {
            fold::binary(context, *op, constant(left)?, constant(right)?, false)
        }
        Instruction::ICmp {
            predicate, left, right, ..
        } => fold::compare_int(context, *predicate, constant(left)?, constant(right)?),
        Instruction::Cast { op, operand, .. } => fold::cast(context, *op, constant(operand)?, function.result_type(id)),
        Instruction::Select {
            condition,
            on_true,
            on_false,
            ..
        } => {
            let choice = fold::choice(context, constant(condition)?)?;
            return Some(if choice { *on_true } else { *on_false });
        }
        Instruction::Phi { incoming, .. } => match incoming[..] {
            [(_, only)] if only != Value::Instruction(id) => return Some(only),
            _ => None,
        },
        _ => None,
    };
    folded.map(Value::Constant)
}

/// The inverse of a truth value.
pub(crate) fn not(function: &mut Function, at: InstructionId, operand: Value) -> Value {
    let ty = function.type_of(operand);
    let ones = Value::Constant(fold::int_constant(function.context(), ty, u128::MAX));
    binary(function, at, BinaryOp::Xor, operand, ones)
}

/// An address some bytes further.
pub(crate) fn offset(function: &mut Function, at: InstructionId, pointer: Value, bytes: u64) -> Value {
    if bytes == 0 {
        return pointer;
    }
    if let Value::Constant(constant) = pointer {
        return Value::Constant(function.context().offset_address(constant, bytes as i64));
    }
    let ty = function.type_of(pointer);
    let index = Value::Constant(function.context().int(64, i128::from(bytes)));
    let gep = Instruction::Gep {
        flags: GepFlags::INBOUNDS,
        source: Type::I8,
        base: pointer,
        indices: [index].into_iter().collect(),
    };
    insert(function, at, gep, ty)
}

/// The bytes that a value of one type is in memory, as a value of another type of as many bytes.
pub(crate) fn coerce(function: &mut Function, at: InstructionId, value: Value, to: Type) -> Value {
    let from = function.type_of(value);
    if from == to {
        return value;
    }
    let context = function.context().clone();
    if let Value::Constant(constant) = value
        && fold::is_undefined(&context, constant)
    {
        return Value::Constant(context.undef(to));
    }
    let bytes = context.store_size(to) as u32;
    let memory = Type::Int(bytes * 8);
    let is_direct = |ty: Type| !ty.is_pointer() && context.bit_size(ty) == u64::from(bytes) * 8;
    if is_direct(from) && is_direct(to) {
        return cast(function, at, CastOp::BitCast, value, to);
    }
    let value = match from {
        Type::Pointer(_) => cast(
            function,
            at,
            CastOp::PtrToInt,
            value,
            Type::Int(context.bit_size(from) as u32),
        ),
        Type::Int(_) => value,
        _ => cast(
            function,
            at,
            CastOp::BitCast,
            value,
            Type::Int(context.bit_size(from) as u32),
        ),
    };
    let value = resize(function, at, value, memory, false);
    let value = resize(function, at, value, Type::Int(context.bit_size(to) as u32), false);
    match to {
        Type::Pointer(_) => cast(function, at, CastOp::IntToPtr, value, to),
        Type::Int(_) => value,
        _ => cast(function, at, CastOp::BitCast, value, to),
    }
}

/// Removes an instruction that nobody uses, and then what only it used.
pub(crate) fn remove_with_operands(
    function: &mut Function,
    id: InstructionId,
    mut is_removable: impl FnMut(&Function, InstructionId) -> bool,
) {
    let mut work = vec![id];
    while let Some(id) = work.pop() {
        if function.block_of(id).is_none() || !function.is_unused(Value::Instruction(id)) || !is_removable(function, id)
        {
            continue;
        }
        let operands = function.instruction(id).operands();
        function.remove_instruction(id);
        work.extend(operands.into_iter().filter_map(Value::as_instruction));
    }
}

/// Removes what computes a value, if nobody uses it any more.
pub(crate) fn remove_with_operands_of(function: &mut Function, value: Value, symbols: &warpsmith_ir::Symbols) {
    if let Value::Instruction(id) = value {
        remove_with_operands(function, id, |function, id| {
            crate::analysis::effects::is_removable(symbols, function, id)
        });
    }
}
