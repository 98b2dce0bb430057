//! Constants in indices go to the end of address computations: `p[i + 3]` becomes `(p + i) + 12`, so that accesses next to each other share the address
//! they are computed from, and machines add the constant for nothing.

use warpsmith_ir::{BinaryOp, CastOp, Flags, Function, GepFlags, Instruction, InstructionId, Type, Value};

use crate::{
    address::{Step, Steps, constant_int, constant_offset},
    analysis::known,
    edit,
    pipeline::Unit,
};

/// How deep in an index constants are looked for.
const DEPTH: u32 = 6;

/// The pass.
pub(crate) fn run(function: &mut Function, unit: &Unit<'_>) -> bool {
    let geps: Vec<InstructionId> = function
        .all_instructions()
        .filter(|&id| {
            matches!(function.instruction(id), Instruction::Gep { .. }) && !function.result_type(id).is_vector()
        })
        .collect();
    let mut changed = false;
    for id in geps {
        changed |= split(function, unit, id);
    }
    changed
}

fn split(function: &mut Function, unit: &Unit<'_>, id: InstructionId) -> bool {
    let Instruction::Gep {
        flags,
        source,
        base,
        indices,
    } = function.instruction(id).clone()
    else {
        return false;
    };
    let context = function.context().clone();
    if indices.iter().all(|index| index.as_constant().is_some()) {
        return false;
    }
    // What the base is further than another address goes to the end, too.
    let (base, mut bytes) = match base.as_instruction() {
        Some(inner) if !function.result_type(inner).is_vector() => match function.instruction(inner) {
            Instruction::Gep { base: start, .. } => match constant_offset(function, inner) {
                Some(offset) => (*start, i128::from(offset)),
                None => (base, 0),
            },
            _ => (base, 0),
        },
        _ => (base, 0),
    };
    let mut steps = Steps::new(&context, source);
    for &index in &indices {
        if let Some(number) = constant_int(function, index) {
            steps.advance(u64::try_from(number).ok());
            continue;
        }
        let Step::Scale(scale) = steps.step() else { return false };
        bytes += match i128::from(scale).checked_mul(constant_part(function, unit, index, Extension::None, DEPTH)) {
            Some(more) => more,
            None => return false,
        };
        steps.advance(None);
    }
    let Ok(bytes) = i64::try_from(bytes) else {
        return false;
    };
    if bytes == 0 || !unit.fuel.take() {
        return false;
    }
    let indices = indices
        .iter()
        .map(|&index| match index.as_constant() {
            Some(_) => index,
            None => without(function, unit, id, index, Extension::None, DEPTH),
        })
        .collect();
    let ty = function.type_of(base);
    // In between the address may be outside of the object.
    let flags = flags.without(GepFlags::INBOUNDS).without(GepFlags::NO_UNSIGNED_WRAP);
    let gep = Instruction::Gep {
        flags,
        source,
        base,
        indices,
    };
    let sum = edit::insert(function, id, gep, ty);
    let bytes = Value::Constant(context.int(64, i128::from(bytes)));
    let whole = Instruction::Gep {
        flags,
        source: Type::I8,
        base: sum,
        indices: [bytes].into_iter().collect(),
    };
    function.replace_instruction(id, whole, ty);
    true
}

/// How what is looked at is extended on the way to the index.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Extension {
    None,
    Sign,
    Zero,
}

/// The constant that can be taken out of an index.
fn constant_part(function: &Function, unit: &Unit<'_>, value: Value, extension: Extension, depth: u32) -> i128 {
    if let Some(constant) = constant_int(function, value) {
        return match extension {
            Extension::Zero => {
                let bits = function.type_of(value).int_bits().unwrap_or(64).min(127);
                constant & ((1 << bits) - 1)
            }
            _ => constant,
        };
    }
    let (Some(instruction), true) = (function.definition(value), depth > 0) else {
        return 0;
    };
    match instruction {
        Instruction::Binary { op, flags, left, right }
            if is_sum(function, unit, *op, *flags, *left, *right, extension) =>
        {
            let left = constant_part(function, unit, *left, extension, depth - 1);
            let right = constant_part(function, unit, *right, extension, depth - 1);
            if *op == BinaryOp::Sub {
                left - right
            } else {
                left + right
            }
        }
        Instruction::Binary { op, flags, left, right } if wraps_not(*flags, extension) => {
            let Some(factor) = factor(function, *op, *right) else {
                return 0;
            };
            let part = constant_part(function, unit, *left, extension, depth - 1);
            part.checked_mul(factor).unwrap_or(0)
        }
        Instruction::Cast {
            op: CastOp::SExt,
            operand,
            ..
        } if extension != Extension::Zero => constant_part(function, unit, *operand, Extension::Sign, depth - 1),
        Instruction::Cast {
            op: CastOp::ZExt,
            operand,
            flags,
        } => {
            // Of a number that is not negative both extensions are the same.
            let positive = flags.contains(Flags::NON_NEGATIVE);
            let extension = if positive && extension != Extension::Zero {
                Extension::Sign
            } else {
                Extension::Zero
            };
            constant_part(function, unit, *operand, extension, depth - 1)
        }
        _ => 0,
    }
}

/// Whether the extension of a sum is the sum of the extensions.
fn is_sum(
    function: &Function,
    unit: &Unit<'_>,
    op: BinaryOp,
    flags: Flags,
    left: Value,
    right: Value,
    extension: Extension,
) -> bool {
    match op {
        BinaryOp::Add | BinaryOp::Sub => wraps_not(flags, extension),
        BinaryOp::Or => flags.contains(Flags::DISJOINT) || known::no_common_bits(unit.symbols, function, left, right),
        _ => false,
    }
}

/// Whether an operation gives the same at the full width.
fn wraps_not(flags: Flags, extension: Extension) -> bool {
    match extension {
        // All is modulo 2^64.
        Extension::None => true,
        Extension::Sign => flags.contains(Flags::NO_SIGNED_WRAP),
        Extension::Zero => flags.contains(Flags::NO_UNSIGNED_WRAP),
    }
}

/// What a product with a constant, or a shift by one, multiplies with.
fn factor(function: &Function, op: BinaryOp, right: Value) -> Option<i128> {
    let constant = constant_int(function, right)?;
    match op {
        BinaryOp::Mul => (0 < constant && constant <= i128::from(u32::MAX)).then_some(constant),
        BinaryOp::Shl => (0..32).contains(&constant).then(|| 1 << constant),
        _ => None,
    }
}

/// The index without its constant, at its full width.
fn without(
    function: &mut Function,
    unit: &Unit<'_>,
    at: InstructionId,
    value: Value,
    extension: Extension,
    depth: u32,
) -> Value {
    let ty = function.type_of(value);
    if constant_part(function, unit, value, extension, depth) == 0 {
        return value;
    }
    if constant_int(function, value).is_some() || depth == 0 {
        return Value::Constant(function.context().zero(ty));
    }
    match function.definition(value).cloned() {
        Some(Instruction::Binary { op, left, right, .. }) if factor(function, op, right).is_some() => {
            let part = without(function, unit, at, left, extension, depth - 1);
            edit::binary(function, at, op, part, right)
        }
        Some(Instruction::Binary { op, left, right, .. }) => {
            let left_part = without(function, unit, at, left, extension, depth - 1);
            let right_part = without(function, unit, at, right, extension, depth - 1);
            let is_zero = |function: &Function, value| constant_int(function, value) == Some(0);
            if is_zero(function, right_part) {
                return left_part;
            }
            if is_zero(function, left_part) && op != BinaryOp::Sub {
                return right_part;
            }
            let op = if op == BinaryOp::Sub {
                BinaryOp::Sub
            } else {
                BinaryOp::Add
            };
            // Of narrow sums the parts are extended by themselves, see below; here all is as wide as the sum.
            edit::binary(function, at, op, left_part, right_part)
        }
        Some(Instruction::Cast { op, operand, flags }) => {
            let inner = match op {
                CastOp::ZExt if !(flags.contains(Flags::NON_NEGATIVE) && extension != Extension::Zero) => {
                    Extension::Zero
                }
                _ => Extension::Sign,
            };
            extended(function, unit, at, operand, op, inner, ty, depth - 1)
        }
        _ => value,
    }
}

/// The extension of a value without its constant: sums are taken apart first, since without the constant they might wrap.
#[allow(clippy::too_many_arguments)]
fn extended(
    function: &mut Function,
    unit: &Unit<'_>,
    at: InstructionId,
    value: Value,
    op: CastOp,
    extension: Extension,
    ty: Type,
    depth: u32,
) -> Value {
    if constant_part(function, unit, value, extension, depth) == 0 {
        let op = if extension == Extension::Sign { CastOp::SExt } else { op };
        return edit::cast(function, at, op, value, ty);
    }
    if constant_int(function, value).is_some() || depth == 0 {
        return Value::Constant(function.context().zero(ty));
    }
    match function.definition(value).cloned() {
        Some(Instruction::Binary {
            op: operation,
            left,
            right,
            ..
        }) if factor(function, operation, right).is_some() => {
            let part = extended(function, unit, at, left, op, extension, ty, depth - 1);
            let factor = factor(function, operation, right).unwrap_or(1);
            let factor = Value::Constant(crate::fold::int_constant(function.context(), ty, factor as u128));
            edit::binary(function, at, BinaryOp::Mul, part, factor)
        }
        Some(Instruction::Binary {
            op: operation,
            left,
            right,
            ..
        }) => {
            let left = extended(function, unit, at, left, op, extension, ty, depth - 1);
            let right = extended(function, unit, at, right, op, extension, ty, depth - 1);
            let operation = if operation == BinaryOp::Sub {
                BinaryOp::Sub
            } else {
                BinaryOp::Add
            };
            if constant_int(function, right) == Some(0) {
                return left;
            }
            if constant_int(function, left) == Some(0) && operation == BinaryOp::Add {
                return right;
            }
            edit::binary(function, at, operation, left, right)
        }
        Some(Instruction::Cast {
            op: inner,
            operand,
            flags,
        }) => {
            let next = match inner {
                CastOp::ZExt if !(flags.contains(Flags::NON_NEGATIVE) && extension != Extension::Zero) => {
                    Extension::Zero
                }
                _ => Extension::Sign,
            };
            extended(function, unit, at, operand, inner, next, ty, depth - 1)
        }
        _ => edit::cast(function, at, op, value, ty),
    }
}
