//! Constant folding: operations on constants, computed as the machine would, through the arithmetic of `numerics`.
//!
//! Every function gives `None` where the result is no constant, is not known before linking, or is left to the machine (division by zero).

use warpsmith_ir::{
    BinaryOp, CastOp, Constant, ConstantExpression, ConstantId, Context, FloatPredicate, IntPredicate, Integer, Type,
};
use warpsmith_numerics::{
    convert,
    float::{self, Comparison},
    format::{self, Format},
    round::Rounding,
};

use crate::analysis::bits::{mask, signed};

/// The format of a float type.
pub fn format_of(ty: Type) -> Option<Format> {
    Some(match ty {
        Type::Half => format::F16,
        Type::BFloat => format::BF16,
        Type::Float => format::F32,
        Type::Double => format::F64,
        _ => return None,
    })
}

/// The bits of an integer constant of at most 128 bits, or of the integer that is in all lanes of a vector.
pub fn int_value(context: &Context, id: ConstantId) -> Option<u128> {
    match context.constant(id) {
        Constant::Int(value) if value.bits() <= 128 => value.to_u128(),
        Constant::Zero(ty) if matches!(context.scalar(*ty), Type::Int(_)) && ty.is_vector() => Some(0),
        Constant::Aggregate { ty, elements } if ty.is_vector() => {
            let first = *elements.first()?;
            elements.iter().all(|&element| element == first).then_some(())?;
            int_value(context, first)
        }
        _ => None,
    }
}

/// The bits of a float constant, or of the float that is in all lanes of a vector.
pub fn float_value(context: &Context, id: ConstantId) -> Option<u64> {
    match context.constant(id) {
        Constant::Float { bits, .. } => Some(*bits),
        Constant::Zero(ty) if ty.is_vector() && context.scalar(*ty).is_float() => Some(0),
        Constant::Aggregate { ty, elements } if ty.is_vector() => {
            let first = *elements.first()?;
            elements.iter().all(|&element| element == first).then_some(())?;
            float_value(context, first)
        }
        _ => None,
    }
}

/// The integer in a type, or in all lanes of a vector type.
pub fn int_constant(context: &Context, ty: Type, value: u128) -> ConstantId {
    let Type::Int(bits) = context.scalar(ty) else {
        return context.poison(ty);
    };
    splat(context, ty, context.integer(Integer::new(bits, value)))
}

/// The float of these bits in a type, or in all lanes of a vector type.
pub fn float_constant(context: &Context, ty: Type, bits: u64) -> ConstantId {
    splat(context, ty, context.float(context.scalar(ty), bits))
}

fn splat(context: &Context, ty: Type, scalar: ConstantId) -> ConstantId {
    match context.lanes(ty) {
        Some(lanes) => context.splat(lanes, scalar),
        None => scalar,
    }
}

/// Whether it is poison.
pub fn is_poison(context: &Context, id: ConstantId) -> bool {
    matches!(context.constant(id), Constant::Poison(_))
}

/// Whether it is undef or poison.
pub fn is_undefined(context: &Context, id: ConstantId) -> bool {
    matches!(context.constant(id), Constant::Undef(_) | Constant::Poison(_))
}

/// Does something to each lane, or to the scalars themselves; the result has type `ty`.
fn lane_wise<const N: usize>(
    context: &Context,
    ty: Type,
    operands: [ConstantId; N],
    operation: impl Fn([ConstantId; N], Type) -> Option<ConstantId>,
) -> Option<ConstantId> {
    let Some(lanes) = context.lanes(ty) else {
        return operation(operands, ty);
    };
    let scalar = context.scalar(ty);
    let mut elements = Vec::with_capacity(usize::try_from(lanes).ok()?);
    for lane in 0..lanes {
        let mut parts = operands;
        for part in &mut parts {
            *part = context.constant_element(*part, lane)?;
        }
        elements.push(operation(parts, scalar)?);
    }
    Some(context.aggregate(ty, &elements))
}

/// A binary operation. `ftz`: subnormal f32 are zeros.
pub fn binary(context: &Context, op: BinaryOp, left: ConstantId, right: ConstantId, ftz: bool) -> Option<ConstantId> {
    let ty = context.constant_type(left);
    if is_poison(context, left) || is_poison(context, right) {
        return Some(context.poison(ty));
    }
    lane_wise(context, ty, [left, right], |[left, right], ty| {
        if is_undefined(context, left) || is_undefined(context, right) {
            return binary_undefined(context, op, ty);
        }
        match (context.constant(left), context.constant(right)) {
            (Constant::Int(left), Constant::Int(right)) => {
                let bits = left.bits();
                let value = int_binary(op, bits, int_of(left)?, int_of(right)?)?;
                Some(context.integer(Integer::new(bits, value)))
            }
            (Constant::Float { ty, bits: left }, Constant::Float { bits: right, .. }) => {
                Some(context.float(*ty, float_binary(op, *ty, *left, *right, ftz)?))
            }
            _ => None,
        }
    })
}

fn int_of(value: &Integer) -> Option<u128> {
    if value.bits() <= 128 { value.to_u128() } else { None }
}

fn binary_undefined(context: &Context, op: BinaryOp, ty: Type) -> Option<ConstantId> {
    match op {
        BinaryOp::Add | BinaryOp::Sub | BinaryOp::Xor => Some(context.undef(ty)),
        BinaryOp::And | BinaryOp::Mul => Some(context.zero(ty)),
        BinaryOp::Or => Some(int_constant(context, ty, u128::MAX)),
        _ => None,
    }
}

/// An operation on integers of at most 128 bits. Shifts by the width or more shift everything out.
pub fn int_binary(op: BinaryOp, bits: u32, left: u128, right: u128) -> Option<u128> {
    let (left_signed, right_signed) = (signed(bits, left), signed(bits, right));
    let value = match op {
        BinaryOp::Add => left.wrapping_add(right),
        BinaryOp::Sub => left.wrapping_sub(right),
        BinaryOp::Mul => left.wrapping_mul(right),
        BinaryOp::UDiv => left.checked_div(right)?,
        BinaryOp::URem => left.checked_rem(right)?,
        BinaryOp::SDiv => left_signed.checked_div(right_signed)? as u128,
        BinaryOp::SRem => left_signed.checked_rem(right_signed)? as u128,
        BinaryOp::Shl if right >= u128::from(bits) => 0,
        BinaryOp::Shl => left << right,
        BinaryOp::LShr if right >= u128::from(bits) => 0,
        BinaryOp::LShr => left >> right,
        BinaryOp::AShr => (left_signed >> right.min(u128::from(bits) - 1)) as u128,
        BinaryOp::And => left & right,
        BinaryOp::Or => left | right,
        BinaryOp::Xor => left ^ right,
        BinaryOp::FAdd | BinaryOp::FSub | BinaryOp::FMul | BinaryOp::FDiv | BinaryOp::FRem => return None,
    };
    Some(value & mask(bits))
}

fn float_binary(op: BinaryOp, ty: Type, left: u64, right: u64, ftz: bool) -> Option<u64> {
    let format = format_of(ty)?;
    let modifiers = float::Modifiers {
        ftz: ftz && ty == Type::Float,
        ..float::Modifiers::default()
    };
    Some(match op {
        BinaryOp::FAdd => float::add(format, modifiers, left, right),
        BinaryOp::FSub => float::sub(format, modifiers, left, right),
        BinaryOp::FMul => float::mul(format, modifiers, left, right),
        // Halves are divided as f32 by the machine; two roundings would have to be followed.
        BinaryOp::FDiv if matches!(ty, Type::Float | Type::Double) => float::div(format, modifiers, left, right),
        _ => return None,
    })
}

/// The negative of a float: its sign bit turned.
pub fn negate(context: &Context, operand: ConstantId) -> Option<ConstantId> {
    let ty = context.constant_type(operand);
    lane_wise(context, ty, [operand], |[operand], ty| {
        match context.constant(operand) {
            Constant::Float { bits, .. } => Some(context.float(ty, bits ^ format_of(ty)?.sign_bit())),
            Constant::Undef(_) | Constant::Poison(_) => Some(operand),
            _ => None,
        }
    })
}

/// A conversion.
pub fn cast(context: &Context, op: CastOp, operand: ConstantId, ty: Type) -> Option<ConstantId> {
    if context.constant_type(operand) == ty && op == CastOp::BitCast {
        return Some(operand);
    }
    if is_poison(context, operand) {
        return Some(context.poison(ty));
    }
    if op == CastOp::BitCast {
        return bit_cast(context, operand, ty);
    }
    lane_wise(context, ty, [operand], |[operand], ty| {
        if is_undefined(context, operand) {
            // The bits that an extension adds are not free.
            return match op {
                CastOp::Trunc | CastOp::FPTrunc | CastOp::FPExt => Some(context.undef(ty)),
                CastOp::ZExt | CastOp::SExt => Some(context.zero(ty)),
                _ => None,
            };
        }
        match op {
            CastOp::AddrSpaceCast | CastOp::PtrToInt | CastOp::IntToPtr => address_cast(context, op, operand, ty),
            _ => scalar_cast(context, op, operand, ty),
        }
    })
}

fn scalar_cast(context: &Context, op: CastOp, operand: ConstantId, ty: Type) -> Option<ConstantId> {
    let modifiers = convert::Modifiers::default();
    match (op, context.constant(operand), ty) {
        (CastOp::Trunc, Constant::Int(value), Type::Int(bits)) => Some(context.integer(value.truncate(bits))),
        (CastOp::ZExt, Constant::Int(value), Type::Int(bits)) => Some(context.integer(value.zero_extend(bits))),
        (CastOp::SExt, Constant::Int(value), Type::Int(bits)) => Some(context.integer(value.sign_extend(bits))),
        (CastOp::FPTrunc | CastOp::FPExt, Constant::Float { ty: from, bits }, to) => {
            let value = convert::float_to_float(format_of(*from)?, format_of(to)?, modifiers, *bits);
            Some(context.float(to, value))
        }
        (CastOp::UIToFP | CastOp::SIToFP, Constant::Int(value), to) if value.bits() <= 64 => {
            let from = convert::Integer {
                bits: value.bits(),
                signed: op == CastOp::SIToFP,
            };
            let bits = convert::integer_to_float(from, format_of(to)?, modifiers, value.low_u64());
            Some(context.float(to, bits))
        }
        (CastOp::FPToUI | CastOp::FPToSI, Constant::Float { ty: from, bits }, Type::Int(width)) if width <= 64 => {
            let to = convert::Integer {
                bits: width,
                signed: op == CastOp::FPToSI,
            };
            let value = convert::float_to_integer(format_of(*from)?, to, Rounding::TowardZero, false, *bits);
            Some(context.integer(Integer::new(width, u128::from(value))))
        }
        _ => None,
    }
}

/// Casts of addresses: nulls and integers become what they are, addresses of variables become expressions.
fn address_cast(context: &Context, op: CastOp, operand: ConstantId, ty: Type) -> Option<ConstantId> {
    match (op, context.constant(operand), ty) {
        (CastOp::PtrToInt, Constant::Null(_), Type::Int(_)) => Some(context.zero(ty)),
        (CastOp::IntToPtr, Constant::Int(value), Type::Pointer(space)) if value.is_zero() => Some(context.null(space)),
        // The null of the generic space is the address 0 of the others.
        (CastOp::AddrSpaceCast, _, _) if context.constant_type(operand) == ty => Some(operand),
        (
            _,
            Constant::Global { .. } | Constant::Function(_) | Constant::Alias { .. } | Constant::Expression(_),
            Type::Int(64) | Type::Pointer(_),
        ) => match context.constant(operand) {
            // There and back.
            Constant::Expression(ConstantExpression::Cast {
                op: CastOp::PtrToInt,
                operand: inner,
                ..
            }) if op == CastOp::IntToPtr && context.constant_type(*inner) == ty => Some(*inner),
            _ => Some(context.cast_expression(op, operand, ty)),
        },
        _ => None,
    }
}

/// The same bits as another type, through the bytes of memory.
fn bit_cast(context: &Context, operand: ConstantId, ty: Type) -> Option<ConstantId> {
    if context.is_zero(operand) {
        return Some(context.zero(ty));
    }
    if matches!(context.constant(operand), Constant::Undef(_)) {
        return Some(context.undef(ty));
    }
    let size = context.bit_size(context.constant_type(operand));
    if size != context.bit_size(ty) || size > 512 {
        return None;
    }
    let mut bits = Vec::with_capacity(size as usize);
    write_bits(context, operand, &mut bits)?;
    read_bits(context, ty, &bits)
}

/// The bits of a scalar or vector constant, lowest first, appended.
fn write_bits(context: &Context, id: ConstantId, bits: &mut Vec<bool>) -> Option<()> {
    match context.constant(id) {
        Constant::Int(value) => bits.extend((0..value.bits()).map(|index| value.bit(index))),
        Constant::Float { ty, bits: value } => {
            bits.extend((0..context.bit_size(*ty)).map(|index| value >> index & 1 != 0));
        }
        Constant::Null(_) => bits.extend(std::iter::repeat_n(
            false,
            context.bit_size(context.constant_type(id)) as usize,
        )),
        Constant::Zero(ty) => bits.extend(std::iter::repeat_n(false, context.bit_size(*ty) as usize)),
        Constant::Aggregate { ty, elements } if ty.is_vector() => {
            elements
                .iter()
                .try_for_each(|&element| write_bits(context, element, bits))?;
        }
        _ => return None,
    }
    Some(())
}

fn read_bits(context: &Context, ty: Type, bits: &[bool]) -> Option<ConstantId> {
    let number = |bits: &[bool]| {
        let mut words = vec![0u64; bits.len().div_ceil(64).max(1)];
        for (index, _) in bits.iter().enumerate().filter(|(_, bit)| **bit) {
            words[index / 64] |= 1 << (index % 64);
        }
        words
    };
    match ty {
        Type::Int(width) => Some(context.integer(Integer::from_words(width, &number(bits)))),
        Type::Half | Type::BFloat | Type::Float | Type::Double => Some(context.float(ty, number(bits)[0])),
        Type::Vector(_) => {
            let scalar = context.scalar(ty);
            let width = usize::try_from(context.bit_size(scalar)).ok()?;
            if width == 0 {
                return None;
            }
            let elements: Option<Vec<_>> = bits
                .chunks(width)
                .map(|chunk| read_bits(context, scalar, chunk))
                .collect();
            Some(context.aggregate(ty, &elements?))
        }
        _ => None,
    }
}

/// A comparison of integers or addresses: `i1`, or a vector of them.
pub fn compare_int(
    context: &Context,
    predicate: IntPredicate,
    left: ConstantId,
    right: ConstantId,
) -> Option<ConstantId> {
    let ty = context.like(context.constant_type(left), Type::BOOL);
    if is_poison(context, left) || is_poison(context, right) {
        return Some(context.poison(ty));
    }
    lane_wise(context, ty, [left, right], |[left, right], _| {
        match (context.constant(left), context.constant(right)) {
            (Constant::Int(a), Constant::Int(b)) => {
                Some(context.bool(int_compare(predicate, a.bits(), int_of(a)?, int_of(b)?)))
            }
            (Constant::Null(_), Constant::Null(_)) => Some(context.bool(matches!(
                predicate,
                IntPredicate::Eq | IntPredicate::Uge | IntPredicate::Ule | IntPredicate::Sge | IntPredicate::Sle
            ))),
            _ if predicate.is_equality() => {
                let equal = addresses_equal(context, left, right)?;
                Some(context.bool(equal == (predicate == IntPredicate::Eq)))
            }
            _ => None,
        }
    })
}

/// Whether two addresses are the same, where that is known.
fn addresses_equal(context: &Context, left: ConstantId, right: ConstantId) -> Option<bool> {
    if is_undefined(context, left) || is_undefined(context, right) {
        return None;
    }
    if left == right {
        return Some(true);
    }
    match (object(context, left)?, object(context, right)?) {
        (Some(_), None) | (None, Some(_)) => Some(false),
        _ => None,
    }
}

/// The variable or function that an address is the start of, where that is never null; `Some(None)` for null; `None` for other things.
fn object(context: &Context, id: ConstantId) -> Option<Option<ConstantId>> {
    use warpsmith_ir::AddressSpace;
    match context.constant(id) {
        Constant::Null(_) => Some(None),
        // The first byte of shared and local memory has the address 0 there.
        Constant::Global { space, .. } if *space == AddressSpace::GLOBAL || *space == AddressSpace::GENERIC => {
            Some(Some(id))
        }
        Constant::Function(_) => Some(Some(id)),
        Constant::Expression(ConstantExpression::Cast {
            op: CastOp::AddrSpaceCast,
            operand,
            ty: Type::Pointer(AddressSpace::GENERIC),
        }) if matches!(context.constant(*operand), Constant::Global { .. }) => Some(Some(id)),
        _ => None,
    }
}

/// A comparison of integers of at most 128 bits.
pub fn int_compare(predicate: IntPredicate, bits: u32, left: u128, right: u128) -> bool {
    let (a, b) = (signed(bits, left), signed(bits, right));
    match predicate {
        IntPredicate::Eq => left == right,
        IntPredicate::Ne => left != right,
        IntPredicate::Ugt => left > right,
        IntPredicate::Uge => left >= right,
        IntPredicate::Ult => left < right,
        IntPredicate::Ule => left <= right,
        IntPredicate::Sgt => a > b,
        IntPredicate::Sge => a >= b,
        IntPredicate::Slt => a < b,
        IntPredicate::Sle => a <= b,
    }
}

/// A comparison of floats.
pub fn compare_float(
    context: &Context,
    predicate: FloatPredicate,
    left: ConstantId,
    right: ConstantId,
    ftz: bool,
) -> Option<ConstantId> {
    let ty = context.like(context.constant_type(left), Type::BOOL);
    if is_poison(context, left) || is_poison(context, right) {
        return Some(context.poison(ty));
    }
    lane_wise(context, ty, [left, right], |[left, right], _| {
        let (Constant::Float { ty, bits: a }, Constant::Float { bits: b, .. }) =
            (context.constant(left), context.constant(right))
        else {
            return None;
        };
        let comparison = match predicate {
            FloatPredicate::False => return Some(context.bool(false)),
            FloatPredicate::True => return Some(context.bool(true)),
            FloatPredicate::Oeq => Comparison::Equal,
            FloatPredicate::Ogt => Comparison::Greater,
            FloatPredicate::Oge => Comparison::GreaterOrEqual,
            FloatPredicate::Olt => Comparison::Less,
            FloatPredicate::Ole => Comparison::LessOrEqual,
            FloatPredicate::One => Comparison::NotEqual,
            FloatPredicate::Ord => Comparison::Numbers,
            FloatPredicate::Ueq => Comparison::EqualOrUnordered,
            FloatPredicate::Ugt => Comparison::GreaterOrUnordered,
            FloatPredicate::Uge => Comparison::GreaterEqualOrUnordered,
            FloatPredicate::Ult => Comparison::LessOrUnordered,
            FloatPredicate::Ule => Comparison::LessEqualOrUnordered,
            FloatPredicate::Une => Comparison::NotEqualOrUnordered,
            FloatPredicate::Uno => Comparison::Unordered,
        };
        let ftz = ftz && *ty == Type::Float;
        Some(context.bool(float::compare(format_of(*ty)?, comparison, ftz, *a, *b)))
    })
}

/// A choice by a constant condition, of constants or of other things alike: which operand it is.
pub fn choice(context: &Context, condition: ConstantId) -> Option<bool> {
    Some(int_value(context, condition)? & 1 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers() {
        let context = Context::new();
        let int = |value| context.int(32, value);
        let fold = |op, a, b| binary(&context, op, int(a), int(b), false);
        assert_eq!(
            fold(BinaryOp::Add, i128::from(i32::MAX), 1),
            Some(int(i128::from(i32::MIN)))
        );
        assert_eq!(fold(BinaryOp::SDiv, -7, 2), Some(int(-3)));
        assert_eq!(fold(BinaryOp::UDiv, 7, 0), None);
        assert_eq!(fold(BinaryOp::AShr, -8, 40), Some(int(-1)));
        assert_eq!(
            compare_int(&context, IntPredicate::Ult, int(1), int(-1)),
            Some(context.bool(true))
        );
    }

    #[test]
    fn floats_and_casts() {
        let context = Context::new();
        let float = |value: f32| context.float(Type::Float, u64::from(value.to_bits()));
        assert_eq!(
            binary(&context, BinaryOp::FMul, float(1.5), float(2.0), false),
            Some(float(3.0))
        );
        assert_eq!(
            cast(&context, CastOp::FPToSI, float(-2.7), Type::I32),
            Some(context.int(32, -2))
        );
        assert_eq!(
            cast(&context, CastOp::SIToFP, context.int(32, -2), Type::Float),
            Some(float(-2.0))
        );
        assert_eq!(
            cast(&context, CastOp::BitCast, float(1.0), Type::I32),
            Some(context.int(32, 0x3f80_0000))
        );
        assert_eq!(negate(&context, float(0.0)), Some(float(-0.0)));
    }

    #[test]
    fn vectors_lane_by_lane() {
        let context = Context::new();
        let vector = context.vector(Type::I16, 2);
        let pair = |a, b| context.aggregate(vector, &[context.int(16, a), context.int(16, b)]);
        assert_eq!(
            binary(&context, BinaryOp::Add, pair(1, 2), pair(3, 4), false),
            Some(pair(4, 6))
        );
        assert_eq!(
            cast(&context, CastOp::BitCast, pair(1, 2), Type::I32),
            Some(context.int(32, 0x0002_0001))
        );
    }
}
