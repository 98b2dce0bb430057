//! Arithmetic on values of scalar types, through the numerics of the compiler.

use warpsmith_numerics::convert::{self, float_to_float};
use warpsmith_numerics::float;
use warpsmith_numerics::format::{BF16, F16, F32, F64, Format};
use warpsmith_numerics::round::{Exact, Overflow, Rounding, Unpacked, round, round_to_integer, unpack};

use super::super::{BinaryOperator, Comparison, FloatKind, IntegerKind, Program, Type, TypeId};
use super::value::Value;
use super::{Evaluator, Outcome};

/// The format of a floating type.
pub(crate) const fn float_format(kind: FloatKind) -> Format {
    match kind {
        FloatKind::Half => F16,
        FloatKind::BFloat16 => BF16,
        FloatKind::Float => F32,
        FloatKind::Double | FloatKind::LongDouble | FloatKind::Float128 => F64,
    }
}

/// What a type is to arithmetic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scalar {
    Bool,
    Integer(IntegerKind),
    Float(FloatKind),
}

/// The scalar that a type is; enumerations are their underlying types.
pub(super) fn scalar(program: &Program, id: TypeId) -> Option<Scalar> {
    match *program.types.get(id) {
        Type::Bool => Some(Scalar::Bool),
        Type::Integer(kind) => Some(Scalar::Integer(kind)),
        Type::Float(kind) => Some(Scalar::Float(kind)),
        Type::Enum(id) => scalar(program, program.enumeration(id).underlying),
        _ => None,
    }
}

/// A constant integer (as extended by its type) or float, converted between scalar types as casts do. `None` if the value does not fit the integer type.
pub(crate) fn convert_scalar(
    program: &Program,
    value: &super::Constant,
    from: TypeId,
    to: TypeId,
) -> Option<super::Constant> {
    use super::Constant;
    let (from, to) = (scalar(program, from)?, scalar(program, to)?);
    match (value, to) {
        (Constant::Integer(value), Scalar::Bool) => Some(Constant::boolean(*value != 0)),
        (Constant::Integer(value), Scalar::Integer(kind)) => Some(Constant::Integer(kind.wrap(*value))),
        (Constant::Integer(value), Scalar::Float(kind)) => Some(Constant::Float(integer_to_float(*value, from, kind))),
        (Constant::Float(bits), Scalar::Float(kind)) => match from {
            Scalar::Float(from) => Some(Constant::Float(float_to_kind(*bits, from, kind))),
            Scalar::Bool | Scalar::Integer(_) => None,
        },
        (Constant::Float(bits), Scalar::Integer(kind)) => match from {
            Scalar::Float(from) => float_to_integer(*bits, from, kind).map(Constant::Integer),
            Scalar::Bool | Scalar::Integer(_) => None,
        },
        (Constant::Float(bits), Scalar::Bool) => match from {
            Scalar::Float(from) => Some(Constant::boolean(is_nonzero(*bits, from))),
            Scalar::Bool | Scalar::Integer(_) => None,
        },
        _ => None,
    }
}

pub(super) fn integer_to_float(value: i128, from: Scalar, to: FloatKind) -> u64 {
    let unsigned = from == Scalar::Integer(IntegerKind::UnsignedInt128);
    let exact = match unsigned {
        true => Exact::integer(false, value as u128),
        false => Exact::integer(value < 0, value.unsigned_abs()),
    };
    round(float_format(to), Rounding::NearestEven, Overflow::Infinity, exact)
}

pub(super) fn float_to_kind(bits: u64, from: FloatKind, to: FloatKind) -> u64 {
    float_to_float(
        float_format(from),
        float_format(to),
        convert::Modifiers::default(),
        bits,
    )
}

pub(super) fn is_nonzero(bits: u64, kind: FloatKind) -> bool {
    float::compare(
        float_format(kind),
        float::Comparison::NotEqualOrUnordered,
        false,
        bits,
        0,
    )
}

/// What an operation on numbers that has no result gives on the host, where constants are computed: a quiet NaN with the sign set.
fn host_nan(format: Format) -> Option<u64> {
    let infinity = format.infinity()?;
    let lowest_of_exponent = infinity & infinity.wrapping_neg();
    Some(format.sign_bit() | infinity | lowest_of_exponent >> 1)
}

/// Truncation to an integer; `None` where the result is not in the type ([conv.fpint]/1).
pub(super) fn float_to_integer(bits: u64, from: FloatKind, to: IntegerKind) -> Option<i128> {
    let Unpacked::Finite(value) = unpack(float_format(from), bits) else {
        return None;
    };
    let magnitude = round_to_integer(Rounding::TowardZero, value)?;
    if to == IntegerKind::UnsignedInt128 {
        return (!value.negative || magnitude == 0).then_some(magnitude as i128);
    }
    let magnitude = i128::try_from(magnitude).ok()?;
    let value = if value.negative { -magnitude } else { magnitude };
    (to.wrap(value) == value).then_some(value)
}

pub(super) fn float_binary(operator: BinaryOperator, kind: FloatKind, left: u64, right: u64) -> Option<u64> {
    let (format, plain) = (float_format(kind), float::Modifiers::default());
    // Halves are computed in single precision and rounded, which is exact for these operations.
    if matches!(kind, FloatKind::Half | FloatKind::BFloat16) {
        let wide = |bits| float_to_kind(bits, kind, FloatKind::Float);
        let result = float_binary(operator, FloatKind::Float, wide(left), wide(right))?;
        return Some(float_to_kind(result, FloatKind::Float, kind));
    }
    Some(match operator {
        BinaryOperator::Add => float::add(format, plain, left, right),
        BinaryOperator::Subtract => float::sub(format, plain, left, right),
        BinaryOperator::Multiply => float::mul(format, plain, left, right),
        BinaryOperator::Divide => float::div(format, plain, left, right),
        BinaryOperator::Remainder
        | BinaryOperator::And
        | BinaryOperator::Or
        | BinaryOperator::Xor
        | BinaryOperator::ShiftLeft
        | BinaryOperator::ShiftRight => {
            return None;
        }
    })
}

fn float_compare(comparison: Comparison, kind: FloatKind, left: u64, right: u64) -> bool {
    let comparison = match comparison {
        Comparison::Equal => float::Comparison::Equal,
        Comparison::NotEqual => float::Comparison::NotEqualOrUnordered,
        Comparison::Less => float::Comparison::Less,
        Comparison::LessEqual => float::Comparison::LessOrEqual,
        Comparison::Greater => float::Comparison::Greater,
        Comparison::GreaterEqual => float::Comparison::GreaterOrEqual,
    };
    float::compare(float_format(kind), comparison, false, left, right)
}

pub(super) fn holds(comparison: Comparison, ordering: std::cmp::Ordering) -> bool {
    match comparison {
        Comparison::Equal => ordering.is_eq(),
        Comparison::NotEqual => ordering.is_ne(),
        Comparison::Less => ordering.is_lt(),
        Comparison::LessEqual => ordering.is_le(),
        Comparison::Greater => ordering.is_gt(),
        Comparison::GreaterEqual => ordering.is_ge(),
    }
}

impl Evaluator<'_> {
    pub(super) fn binary(&self, operator: BinaryOperator, ty: TypeId, left: Value, right: Value) -> Outcome<Value> {
        match (left, right, scalar(self.program, ty)) {
            (Value::Integer(left), Value::Integer(right), Some(Scalar::Integer(kind))) => {
                Ok(Value::Integer(self.integer_binary(operator, kind, left, right)?))
            }
            (Value::Integer(left), Value::Integer(right), Some(Scalar::Bool)) => Ok(Value::boolean(
                self.integer_binary(operator, IntegerKind::Int, left, right)? != 0,
            )),
            (Value::Float(left), Value::Float(right), Some(Scalar::Float(kind))) => {
                let format = float_format(kind);
                match float_binary(operator, kind, left, right) {
                    Some(bits) if format.is_nan(bits) && !format.is_nan(left) && !format.is_nan(right) => {
                        Ok(Value::Float(host_nan(format).unwrap_or(bits)))
                    }
                    Some(bits) => Ok(Value::Float(bits)),
                    None => self.stop("an operator is used that floating types do not have"),
                }
            }
            (left @ Value::Pointer(_), right, Some(Scalar::Integer(_)))
            | (left, right @ Value::Pointer(_), Some(Scalar::Integer(_))) => {
                self.address_arithmetic(operator, left, right)
            }
            _ => self.stop("arithmetic is done on values that are not numbers"),
        }
    }

    fn integer_binary(&self, operator: BinaryOperator, kind: IntegerKind, left: i128, right: i128) -> Outcome<i128> {
        use BinaryOperator as B;
        let wide_unsigned = kind == IntegerKind::UnsignedInt128;
        let overflow = |wrapped: i128| match self.folds() {
            true => Ok(kind.wrap(wrapped)),
            false => self.stop(format!("the result does not fit '{}'", kind.spelling())),
        };
        let exact = match operator {
            B::Add => left.checked_add(right),
            B::Subtract => left.checked_sub(right),
            B::Multiply => left.checked_mul(right),
            B::And => Some(left & right),
            B::Or => Some(left | right),
            B::Xor => Some(left ^ right),
            B::Divide | B::Remainder if right == 0 => return self.stop("an integer is divided by zero"),
            B::Divide if wide_unsigned => Some((left as u128 / right as u128) as i128),
            B::Remainder if wide_unsigned => Some((left as u128 % right as u128) as i128),
            B::Divide => left.checked_div(right),
            B::Remainder => match kind.wrap(left.wrapping_neg()) == left && right == -1 && left < 0 {
                // The quotient does not fit, so the remainder is undefined too ([expr.mul]/4).
                true => None,
                false => left.checked_rem(right),
            },
            B::ShiftLeft | B::ShiftRight => return self.shift(operator, kind, left, right),
        };
        let wrapped = match operator {
            B::Add => left.wrapping_add(right),
            B::Subtract => left.wrapping_sub(right),
            B::Multiply => left.wrapping_mul(right),
            B::Divide => exact.unwrap_or_else(|| left.wrapping_div(right)),
            B::Remainder => exact.unwrap_or(0),
            B::And | B::Or | B::Xor | B::ShiftLeft | B::ShiftRight => exact.unwrap_or(0),
        };
        if !kind.is_signed() {
            return Ok(kind.wrap(wrapped));
        }
        match exact {
            Some(value) if kind.wrap(value) == value => Ok(value),
            _ => overflow(wrapped),
        }
    }

    fn shift(&self, operator: BinaryOperator, kind: IntegerKind, left: i128, right: i128) -> Outcome<i128> {
        let count = match u32::try_from(right) {
            Ok(count) if count < kind.bits() => count,
            // Only counts that are too large have a value: a negative one has none even where the host's compilers fold.
            Ok(_) if self.folds() => {
                let negative = operator == BinaryOperator::ShiftRight && kind.is_signed() && left < 0;
                return Ok(if negative { -1 } else { 0 });
            }
            _ => return self.stop(format!("a value of {} bits is shifted by {right}", kind.bits())),
        };
        if operator == BinaryOperator::ShiftRight {
            return Ok(match kind {
                IntegerKind::UnsignedInt128 => (left as u128 >> count) as i128,
                _ => left >> count,
            });
        }
        if kind.is_signed() && !self.folds() && !self.shifts_bits {
            if left < 0 {
                return self.stop("a negative value is shifted to the left");
            }
            // The result must fit the unsigned type ([expr.shift]/2).
            let fits = left == 0 || left.leading_zeros() > count && (left << count) >> kind.bits().min(127) == 0;
            if !fits && kind != IntegerKind::Int128 {
                return self.stop(format!("the result does not fit '{}'", kind.spelling()));
            }
        }
        Ok(kind.wrap(left << count))
    }

    pub(super) fn compare(&self, comparison: Comparison, ty: TypeId, left: &Value, right: &Value) -> Outcome<bool> {
        match (left, right) {
            (Value::Integer(left), Value::Integer(right)) => Ok(match scalar(self.program, ty) {
                Some(Scalar::Integer(IntegerKind::UnsignedInt128)) => {
                    holds(comparison, (*left as u128).cmp(&(*right as u128)))
                }
                _ => holds(comparison, left.cmp(right)),
            }),
            (Value::Float(left), Value::Float(right)) => match scalar(self.program, ty) {
                Some(Scalar::Float(kind)) => Ok(float_compare(comparison, kind, *left, *right)),
                _ => self.stop("values of different kinds are compared"),
            },
            (Value::Pointer(left), Value::Pointer(right)) if self.counts_bytes(left, right) => {
                self.compare_addresses(comparison, left, right)
            }
            (Value::Pointer(left), Value::Pointer(right)) => match comparison {
                Comparison::Equal => Ok(left == right),
                Comparison::NotEqual => Ok(left != right),
                _ => Ok(holds(comparison, self.distance(left, right)?.cmp(&0))),
            },
            (Value::MemberOffset(_), _) | (Value::MemberFunction(_), _) => match comparison {
                Comparison::NotEqual => Ok(left != right),
                _ => Ok(left == right),
            },
            _ => self.stop("values are compared that are not initialised"),
        }
    }
}
