//! Compiler builtins in constant expressions.

use super::super::{BuiltinId, ExpressionId, FloatKind, IntegerKind, Type, TypeId};
use super::memory::Pointer;
use super::value::Value;
use super::{Evaluator, Outcome};
use crate::sema::builtins::{self, Lowering, Operation};

/// Strings and blocks of memory longer than this are not gone through.
const LONGEST_BLOCK: i128 = 1 << 20;

impl Evaluator<'_> {
    /// The value of a builtin.
    pub(super) fn builtin(&mut self, builtin: BuiltinId, arguments: &[ExpressionId], ty: TypeId) -> Outcome<Value> {
        let row = builtins::row(builtin);
        let Lowering::Operation(operation) = row.lowering else {
            for &argument in arguments {
                self.effects(argument)?;
            }
            return self.stop(format!("`{}` has no value at compile time", row.name));
        };
        let types: Vec<TypeId> = arguments
            .iter()
            .map(|&argument| self.program.type_of(argument).id)
            .collect();
        let mut values = Vec::with_capacity(arguments.len());
        for &argument in arguments {
            values.push(self.value(argument)?);
        }
        if let Some(&Type::Integer(kind)) = types.first().map(|&id| self.program.types.get(id))
            && let Some(value) = integer_operation(operation, kind, &values)
        {
            return Ok(Value::Integer(value));
        }
        if let Some(&Type::Float(kind)) = types.last().map(|&id| self.program.types.get(id))
            && let Some(value) = float_operation(operation, kind, &values)
        {
            return Ok(Value::Integer(value));
        }
        match (operation, &values[..]) {
            (Operation::Expect | Operation::Launder | Operation::AssumeAligned, [value, ..]) => Ok(value.clone()),
            (Operation::Assume, [Value::Integer(0)]) => self.stop("an assumption does not hold"),
            (Operation::Assume | Operation::Prefetch, _) => Ok(Value::Undefined),
            (Operation::Unreachable, _) => self.stop("what should not be reached is reached"),
            (Operation::Trap, _) => self.stop("the program is stopped here"),
            (Operation::Infinity | Operation::QuietNan | Operation::SignallingNan, _) => {
                match self.program.types.get(ty) {
                    &Type::Float(kind) => Ok(Value::Float(special(operation, kind))),
                    _ => self.stop("this value has no floating-point type"),
                }
            }
            (
                Operation::AddOverflow | Operation::SubtractOverflow | Operation::MultiplyOverflow,
                [Value::Integer(a), Value::Integer(b), Value::Pointer(place)],
            ) => self.overflow(operation, *a, *b, types[2], place),
            (Operation::StringLength, [Value::Pointer(text)]) => {
                let mut length = 0;
                while length < LONGEST_BLOCK {
                    if self.byte(text, length)? == 0 {
                        return Ok(Value::Integer(length));
                    }
                    length += 1;
                }
                self.stop("a string is too long for compile time")
            }
            (Operation::StringCompare, [Value::Pointer(a), Value::Pointer(b)]) => {
                self.compare_bytes(a, b, LONGEST_BLOCK, true)
            }
            (Operation::MemoryCompare, [Value::Pointer(a), Value::Pointer(b), Value::Integer(count)]) => {
                self.compare_bytes(a, b, *count, false)
            }
            _ => self.stop(format!("`{}` has no value at compile time", row.name)),
        }
    }

    /// The element that a pointer to characters points to, so many further on, as a byte.
    fn byte(&mut self, text: &Pointer, offset: i128) -> Outcome<i128> {
        let place = self.advance(text, offset)?;
        match self.load(&place)? {
            Value::Integer(value) => Ok(value & 0xff),
            _ => self.stop("a byte is read of what are no characters"),
        }
    }

    fn compare_bytes(&mut self, a: &Pointer, b: &Pointer, count: i128, to_zero: bool) -> Outcome<Value> {
        for offset in 0..count.min(LONGEST_BLOCK) {
            let (x, y) = (self.byte(a, offset)?, self.byte(b, offset)?);
            if x != y {
                return Ok(Value::Integer(if x < y { -1 } else { 1 }));
            }
            if to_zero && x == 0 {
                break;
            }
        }
        Ok(Value::Integer(0))
    }

    /// Stores the result wrapped to its type, and says whether it had to be.
    fn overflow(&mut self, operation: Operation, a: i128, b: i128, pointer: TypeId, place: &Pointer) -> Outcome<Value> {
        let exact = match operation {
            Operation::AddOverflow => a.checked_add(b),
            Operation::SubtractOverflow => a.checked_sub(b),
            _ => a.checked_mul(b),
        };
        let pointee = self
            .program
            .types
            .pointee(pointer)
            .map(|to| self.program.types.get(to.id));
        let (Some(exact), Some(&Type::Integer(kind))) = (exact, pointee) else {
            return self.stop("this computation is too wide for compile time");
        };
        let wrapped = kind.wrap(exact);
        self.store(place, Value::Integer(wrapped))?;
        Ok(Value::boolean(wrapped != exact))
    }
}

/// Operations whose operands are integers of one kind.
fn integer_operation(operation: Operation, kind: IntegerKind, values: &[Value]) -> Option<i128> {
    let width = kind.bits();
    let mask = if width == 128 { u128::MAX } else { (1 << width) - 1 };
    let &[Value::Integer(first), ref rest @ ..] = values else {
        return None;
    };
    let bits = first as u128 & mask;
    let second = match rest {
        [Value::Integer(second), ..] => Some(*second),
        _ => None,
    };
    let unsigned = |value: i128| value as u128 & mask;
    let signed = |value: i128| kind.to_signed().wrap(value);
    Some(match operation {
        Operation::CountOnes => i128::from(bits.count_ones()),
        Operation::Parity => i128::from(bits.count_ones() % 2),
        Operation::CountLeadingZeros => i128::from(bits.leading_zeros() - (128 - width)),
        Operation::CountTrailingZeros => i128::from(bits.trailing_zeros().min(width)),
        Operation::CountLeadingSignBits => {
            let value = signed(first);
            let flipped = unsigned(if value < 0 { !value } else { value });
            i128::from(flipped.leading_zeros() - (128 - width)) - 1
        }
        Operation::FindFirstSet if bits == 0 => 0,
        Operation::FindFirstSet => i128::from(bits.trailing_zeros()) + 1,
        Operation::ReverseBits => kind.wrap((bits.reverse_bits() >> (128 - width)) as i128),
        Operation::ReverseBytes => kind.wrap((bits.swap_bytes() >> (128 - width)) as i128),
        Operation::RotateLeft | Operation::RotateRight => {
            let by = (unsigned(second?) % u128::from(width)) as u32;
            let by = if operation == Operation::RotateLeft || by == 0 {
                by
            } else {
                width - by
            };
            let rotated = if by == 0 {
                bits
            } else {
                (bits << by) | (bits >> (width - by))
            };
            kind.wrap((rotated & mask) as i128)
        }
        Operation::AbsoluteInteger => kind.wrap(first.wrapping_abs()),
        Operation::SignedMinimum => signed(first).min(signed(second?)),
        Operation::SignedMaximum => signed(first).max(signed(second?)),
        Operation::UnsignedMinimum => unsigned(first).min(unsigned(second?)) as i128,
        Operation::UnsignedMaximum => unsigned(first).max(unsigned(second?)) as i128,
        _ => return None,
    })
}

/// Exponent and fraction bits of a format, and its width.
const fn shape(kind: FloatKind) -> (u32, u32) {
    match kind {
        FloatKind::Half => (5, 10),
        FloatKind::BFloat16 => (8, 7),
        FloatKind::Float => (8, 23),
        FloatKind::Double | FloatKind::LongDouble | FloatKind::Float128 => (11, 52),
    }
}

/// Infinity or a NaN of a format.
fn special(operation: Operation, kind: FloatKind) -> u64 {
    let (exponent, fraction) = shape(kind);
    let infinity = ((1 << exponent) - 1) << fraction;
    match operation {
        Operation::QuietNan => infinity | 1 << (fraction - 1),
        Operation::SignallingNan => infinity | 1 << (fraction - 2),
        _ => infinity,
    }
}

/// Classifications of floating-point numbers, on their bits.
fn float_operation(operation: Operation, kind: FloatKind, values: &[Value]) -> Option<i128> {
    let &Value::Float(bits) = values.last()? else {
        return None;
    };
    let (exponent_bits, fraction_bits) = shape(kind);
    let all_ones = (1u64 << exponent_bits) - 1;
    let exponent = |bits: u64| (bits >> fraction_bits) & all_ones;
    let fraction = |bits: u64| bits & ((1 << fraction_bits) - 1);
    let negative = (bits >> (exponent_bits + fraction_bits)) & 1 == 1;
    let is_nan = |bits: u64| exponent(bits) == all_ones && fraction(bits) != 0;
    let infinite = exponent(bits) == all_ones && fraction(bits) == 0;
    let answer = |condition: bool| Some(i128::from(condition));
    match operation {
        Operation::IsNan => answer(is_nan(bits)),
        Operation::IsInfinite => answer(infinite),
        Operation::IsInfiniteSign => Some(if !infinite {
            0
        } else if negative {
            -1
        } else {
            1
        }),
        Operation::IsFinite => answer(exponent(bits) != all_ones),
        Operation::IsNormal => answer(exponent(bits) != 0 && exponent(bits) != all_ones),
        Operation::SignBit => answer(negative),
        Operation::Classify => {
            let place = match (exponent(bits), fraction(bits)) {
                (0, 0) => 4,
                (0, _) => 3,
                (ones, 0) if ones == all_ones => 1,
                (ones, _) if ones == all_ones => 0,
                _ => 2,
            };
            match values.get(place) {
                Some(Value::Integer(value)) => Some(*value),
                _ => None,
            }
        }
        Operation::IsUnordered
        | Operation::IsLess
        | Operation::IsLessEqual
        | Operation::IsGreater
        | Operation::IsGreaterEqual
        | Operation::IsLessGreater => {
            let &[Value::Float(first), Value::Float(second)] = values else {
                return None;
            };
            if is_nan(first) || is_nan(second) {
                return answer(operation == Operation::IsUnordered);
            }
            let magnitude = |bits: u64| (bits & ((1 << (exponent_bits + fraction_bits)) - 1)) as i128;
            let key = |bits: u64| {
                if (bits >> (exponent_bits + fraction_bits)) & 1 == 1 {
                    -magnitude(bits)
                } else {
                    magnitude(bits)
                }
            };
            let (a, b) = (key(first), key(second));
            answer(match operation {
                Operation::IsLess => a < b,
                Operation::IsLessEqual => a <= b,
                Operation::IsGreater => a > b,
                Operation::IsGreaterEqual => a >= b,
                Operation::IsLessGreater => a != b,
                _ => false,
            })
        }
        _ => None,
    }
}
