//! What operations on scalars give. Floats go through `warpsmith-numerics`; integers are numbers modulo 2^width.

use std::cmp::Ordering;

use warpsmith_numerics::convert::{self, float_to_float, float_to_integer, integer_to_float};
use warpsmith_numerics::float::{self, Comparison, Modifiers};
use warpsmith_numerics::format::{BF16, F16, F32, F64, Format};
use warpsmith_numerics::round::{Exact, Overflow, Rounding, Unpacked, round, unpack};

use super::Stop;
use super::value::Datum;
use crate::integer::Integer;
use crate::opcode::{BinaryOp, CastOp, Flags, FloatPredicate, IntPredicate};
use crate::types::Type;

/// The format of a float type.
pub(super) fn format(ty: Type) -> Option<Format> {
    match ty {
        Type::Half => Some(F16),
        Type::BFloat => Some(BF16),
        Type::Float => Some(F32),
        Type::Double => Some(F64),
        _ => None,
    }
}

fn bits(ty: Type, value: u64) -> Datum {
    let width = format(ty).map_or(64, Format::width);
    Datum::int(width, value)
}

/// A binary operation on scalars of a type.
pub(super) fn binary(op: BinaryOp, flags: Flags, ty: Type, left: &Datum, right: &Datum) -> Result<Datum, Stop> {
    let (a, b) = match (left.bits(), right.bits()) {
        (Some(a), Some(b)) => (a, b),
        // A divisor that is poison may be 0.
        (_, None) if op.is_int_division() => return Err(Stop::undefined("a division by poison")),
        _ => return Ok(Datum::Poison),
    };
    match format(ty) {
        Some(format) => Ok(bits(ty, float_binary(op, format, a.low_u64(), b.low_u64()))),
        None => integer_binary(op, flags, a, b),
    }
}

fn float_binary(op: BinaryOp, format: Format, a: u64, b: u64) -> u64 {
    let modifiers = Modifiers::default();
    match op {
        BinaryOp::FAdd => float::add(format, modifiers, a, b),
        BinaryOp::FSub => float::sub(format, modifiers, a, b),
        BinaryOp::FMul => float::mul(format, modifiers, a, b),
        BinaryOp::FDiv => divide(format, modifiers, a, b),
        _ => remainder(format, a, b),
    }
}

/// Division; of formats for which the machine has none, by way of single precision, which has more than twice the digits.
pub(super) fn divide(format: Format, modifiers: Modifiers, a: u64, b: u64) -> u64 {
    if format == F32 || format == F64 {
        return float::div(format, modifiers, a, b);
    }
    let [a, b] = [a, b].map(|bits| float_to_float(format, F32, convert::Modifiers::default(), bits));
    float_to_float(
        F32,
        format,
        convert::Modifiers::default(),
        float::div(F32, modifiers, a, b),
    )
}

/// The square root, as [`divide`].
pub(super) fn square_root(format: Format, modifiers: Modifiers, a: u64) -> u64 {
    if format == F32 || format == F64 {
        return float::sqrt(format, modifiers, a);
    }
    let a = float_to_float(format, F32, convert::Modifiers::default(), a);
    float_to_float(
        F32,
        format,
        convert::Modifiers::default(),
        float::sqrt(F32, modifiers, a),
    )
}

/// The exact remainder of a division whose quotient is rounded toward zero (`frem`, C's `fmod`).
pub(super) fn remainder(format: Format, a: u64, b: u64) -> u64 {
    let nan = || {
        float::sub(
            format,
            Modifiers::default(),
            format.infinity().unwrap_or(0),
            format.infinity().unwrap_or(0),
        )
    };
    let (dividend, divisor) = match (unpack(format, a), unpack(format, b)) {
        (Unpacked::Nan, _) | (_, Unpacked::Nan) => return float::add(format, Modifiers::default(), a, b),
        (Unpacked::Infinite { .. }, _) => return nan(),
        (_, Unpacked::Finite(divisor)) if divisor.significand == 0 => return nan(),
        (Unpacked::Finite(_), Unpacked::Infinite { .. }) => return a,
        (Unpacked::Finite(dividend), Unpacked::Finite(divisor)) => (dividend, divisor),
    };
    let distance = dividend.exponent - divisor.exponent;
    if distance < 0 && distance.unsigned_abs() > 70 {
        // The divisor is the larger by far.
        return a;
    }
    let (significand, exponent) = if distance < 0 {
        (
            dividend.significand % (divisor.significand << distance.unsigned_abs()),
            dividend.exponent,
        )
    } else {
        let start = dividend.significand % divisor.significand;
        (
            (0..distance).fold(start, |rest, _| rest * 2 % divisor.significand),
            divisor.exponent,
        )
    };
    let exact = Exact {
        negative: dividend.negative,
        significand,
        exponent,
        inexact: false,
    };
    round(format, Rounding::NearestEven, Overflow::Infinity, exact)
}

fn integer_binary(op: BinaryOp, flags: Flags, a: &Integer, b: &Integer) -> Result<Datum, Stop> {
    let width = a.bits();
    let undefined = || Stop::undefined("a division by 0, or one whose quotient overflows");
    let amount = b
        .to_u64()
        .filter(|&amount| amount < u64::from(width))
        .map(|amount| amount as u32);
    let mut lossless = true;
    let result = match op {
        BinaryOp::Add => a.add(b),
        BinaryOp::Sub => a.sub(b),
        BinaryOp::Mul => a.mul(b),
        BinaryOp::UDiv | BinaryOp::URem => {
            let (quotient, remainder) = a.divide_unsigned(b).ok_or_else(undefined)?;
            lossless = remainder.is_zero();
            if op == BinaryOp::UDiv { quotient } else { remainder }
        }
        BinaryOp::SDiv | BinaryOp::SRem => {
            let (quotient, remainder) = a.divide_signed(b).ok_or_else(undefined)?;
            lossless = remainder.is_zero();
            if op == BinaryOp::SDiv { quotient } else { remainder }
        }
        BinaryOp::Shl | BinaryOp::LShr | BinaryOp::AShr => {
            let Some(amount) = amount else { return Ok(Datum::Poison) };
            lossless = op == BinaryOp::Shl || a.trailing_zeros() >= amount;
            match op {
                BinaryOp::Shl => a.shift_left(amount),
                BinaryOp::LShr => a.shift_right(amount),
                _ => a.shift_right_signed(amount),
            }
        }
        BinaryOp::And => a.and(b),
        BinaryOp::Or => a.or(b),
        BinaryOp::Xor => a.xor(b),
        BinaryOp::FAdd | BinaryOp::FSub | BinaryOp::FMul | BinaryOp::FDiv | BinaryOp::FRem => return Ok(Datum::Poison),
    };
    let broken = (flags.contains(Flags::EXACT) && !lossless)
        || (flags.contains(Flags::DISJOINT) && !a.and(b).is_zero())
        || (flags.contains(Flags::NO_UNSIGNED_WRAP) && overflows(op, a, b, &result, false))
        || (flags.contains(Flags::NO_SIGNED_WRAP) && overflows(op, a, b, &result, true));
    Ok(if broken { Datum::Poison } else { Datum::Bits(result) })
}

/// Whether the exact result of an operation is another than its result modulo 2^width.
pub(super) fn overflows(op: BinaryOp, a: &Integer, b: &Integer, result: &Integer, signed: bool) -> bool {
    let width = a.bits();
    let wide = |value: &Integer, bits: u32| {
        if signed {
            value.sign_extend(bits)
        } else {
            value.zero_extend(bits)
        }
    };
    match op {
        BinaryOp::Add => {
            let bits = width + 1;
            wide(a, bits).add(&wide(b, bits)) != wide(result, bits)
        }
        BinaryOp::Sub => {
            let bits = width + 1;
            wide(a, bits).sub(&wide(b, bits)) != wide(result, bits)
        }
        BinaryOp::Mul => {
            let bits = 2 * width;
            wide(a, bits).mul(&wide(b, bits)) != wide(result, bits)
        }
        BinaryOp::Shl => {
            let Some(amount) = b.to_u64().filter(|&amount| amount < u64::from(width)) else {
                return true;
            };
            let back = if signed {
                result.shift_right_signed(amount as u32)
            } else {
                result.shift_right(amount as u32)
            };
            back != *a
        }
        _ => false,
    }
}

/// A comparison of integers or addresses.
pub(super) fn compare_integers(predicate: IntPredicate, a: &Integer, b: &Integer) -> bool {
    let order = if predicate.is_signed() {
        a.compare_signed(b)
    } else {
        a.compare_unsigned(b)
    };
    match predicate {
        IntPredicate::Eq => order == Ordering::Equal,
        IntPredicate::Ne => order != Ordering::Equal,
        IntPredicate::Ugt | IntPredicate::Sgt => order == Ordering::Greater,
        IntPredicate::Uge | IntPredicate::Sge => order != Ordering::Less,
        IntPredicate::Ult | IntPredicate::Slt => order == Ordering::Less,
        IntPredicate::Ule | IntPredicate::Sle => order != Ordering::Greater,
    }
}

/// A comparison of floats.
pub(super) fn compare_floats(predicate: FloatPredicate, format: Format, a: u64, b: u64) -> bool {
    use FloatPredicate as P;
    let comparison = match predicate {
        P::False => return false,
        P::True => return true,
        P::Oeq => Comparison::Equal,
        P::Ogt => Comparison::Greater,
        P::Oge => Comparison::GreaterOrEqual,
        P::Olt => Comparison::Less,
        P::Ole => Comparison::LessOrEqual,
        P::One => Comparison::NotEqual,
        P::Ord => Comparison::Numbers,
        P::Ueq => Comparison::EqualOrUnordered,
        P::Ugt => Comparison::GreaterOrUnordered,
        P::Uge => Comparison::GreaterEqualOrUnordered,
        P::Ult => Comparison::LessOrUnordered,
        P::Ule => Comparison::LessEqualOrUnordered,
        P::Une => Comparison::NotEqualOrUnordered,
        P::Uno => Comparison::Unordered,
    };
    float::compare(format, comparison, false, a, b)
}

/// A conversion of a scalar that is neither a bit cast nor one of addresses.
pub(super) fn cast(op: CastOp, flags: Flags, from: Type, to: Type, operand: &Integer) -> Datum {
    let width = to.int_bits().unwrap_or(64);
    match op {
        CastOp::Trunc => {
            let result = operand.truncate(width);
            let broken = (flags.contains(Flags::NO_UNSIGNED_WRAP) && result.zero_extend(operand.bits()) != *operand)
                || (flags.contains(Flags::NO_SIGNED_WRAP) && result.sign_extend(operand.bits()) != *operand);
            if broken { Datum::Poison } else { Datum::Bits(result) }
        }
        CastOp::ZExt | CastOp::UIToFP if flags.contains(Flags::NON_NEGATIVE) && operand.is_negative() => Datum::Poison,
        CastOp::ZExt | CastOp::PtrToInt | CastOp::IntToPtr => Datum::Bits(operand.zero_extend(width)),
        CastOp::SExt => Datum::Bits(operand.sign_extend(width)),
        CastOp::FPTrunc | CastOp::FPExt => match (format(from), format(to)) {
            (Some(from), Some(target)) => bits(
                to,
                float_to_float(from, target, convert::Modifiers::default(), operand.low_u64()),
            ),
            _ => Datum::Poison,
        },
        CastOp::FPToSI | CastOp::FPToUI => match format(from) {
            Some(from) => float_to_int(
                from,
                width,
                op == CastOp::FPToSI,
                Rounding::TowardZero,
                operand.low_u64(),
            ),
            None => Datum::Poison,
        },
        CastOp::SIToFP | CastOp::UIToFP => match format(to) {
            Some(target) => bits(
                to,
                int_to_float(operand, op == CastOp::SIToFP, target, Rounding::NearestEven),
            ),
            None => Datum::Poison,
        },
        CastOp::BitCast | CastOp::AddrSpaceCast => Datum::Bits(operand.clone()),
    }
}

/// As PTX converts: rounded, and clamped to the range. Beyond 64 bits it is the 64-bit result that is extended.
pub(super) fn float_to_int(from: Format, width: u32, signed: bool, rounding: Rounding, bits: u64) -> Datum {
    let narrow = convert::Integer {
        bits: width.min(64),
        signed,
    };
    let result = Integer::new(
        narrow.bits,
        u128::from(float_to_integer(from, narrow, rounding, false, bits)),
    );
    Datum::Bits(if signed {
        result.sign_extend(width)
    } else {
        result.zero_extend(width)
    })
}

/// An integer of at most 128 bits as a float.
pub(super) fn int_to_float(value: &Integer, signed: bool, to: Format, rounding: Rounding) -> u64 {
    if value.bits() <= 64 {
        let from = convert::Integer {
            bits: value.bits(),
            signed,
        };
        return integer_to_float(from, to, convert::Modifiers::from(rounding), value.low_u64());
    }
    let negative = signed && value.is_negative();
    let magnitude = if negative { value.magnitude() } else { value.clone() };
    // Of more bits than an exact number holds the highest are kept, and whether there is more.
    let excess = magnitude.significant_bits().saturating_sub(120);
    let kept = magnitude.shift_right(excess);
    let exact = Exact {
        negative,
        significand: kept.to_u128().unwrap_or(0),
        exponent: excess as i32,
        inexact: magnitude.trailing_zeros() < excess,
    };
    round(to, rounding, Overflow::Infinity, exact)
}
