//! The conditions of rules.

use warpsmith_ir::{Function, Type, Value};

use super::{
    matching::{Bindings, Matched, Number},
    rules::{Argument, Condition},
};
use crate::{
    analysis::{
        bits::{Bits, mask, signed},
        known,
    },
    fold,
    pipeline::Unit,
};

/// What a condition looks at.
struct Scope<'s> {
    function: &'s Function,
    unit: &'s Unit<'s>,
    memory: &'s known::Memory,
    bindings: &'s Bindings,
    arguments: &'s [Argument],
}

/// Whether a condition holds. One that speaks of letters that the pattern has not bound does not.
pub(super) fn holds(
    function: &Function,
    unit: &Unit<'_>,
    memory: &known::Memory,
    bindings: &Bindings,
    condition: Condition,
    arguments: &[Argument],
) -> bool {
    let scope = Scope {
        function,
        unit,
        memory,
        bindings,
        arguments,
    };
    scope.holds(condition).unwrap_or(false)
}

impl Scope<'_> {
    fn value(&self, index: usize) -> Option<Value> {
        match self.arguments.get(index)? {
            Argument::Value(slot) => self.bindings.value(*slot),
            Argument::Constant(slot) => self.bindings.constant(*slot).map(|number| Value::Constant(number.id)),
            Argument::Float(slot) => self.bindings.float(*slot).map(|(id, _)| Value::Constant(id)),
            Argument::Type(_) | Argument::Number(_) | Argument::Predicate => None,
        }
    }

    fn number(&self, index: usize) -> Option<Number> {
        match self.arguments.get(index)? {
            Argument::Constant(slot) => self.bindings.constant(*slot),
            _ => None,
        }
    }

    fn ty(&self, index: usize) -> Option<Type> {
        match self.arguments.get(index)? {
            Argument::Type(slot) => self.bindings.ty(*slot),
            _ => Some(self.function.type_of(self.value(index)?)),
        }
    }

    /// The width of an integer type or value, or a number.
    fn width(&self, index: usize) -> Option<u32> {
        if let Argument::Number(number) = self.arguments.get(index)? {
            return Some(*number);
        }
        self.function.context().scalar(self.ty(index)?).int_bits()
    }

    fn bits(&self, index: usize) -> Option<Bits> {
        known::remembered_bits(self.memory, self.unit.symbols, self.function, self.value(index)?)
    }

    fn holds(&self, condition: Condition) -> Option<bool> {
        match condition {
            Condition::Signed | Condition::Unsigned | Condition::Equality | Condition::SignedOrEquality => {
                self.predicate(condition)
            }
            Condition::Wider
            | Condition::WidthIs
            | Condition::WiderType
            | Condition::SameType
            | Condition::FreeToNarrow
            | Condition::FloatHolds => self.types(condition),
            Condition::IsConstant
            | Condition::IsNotConstant
            | Condition::NoCommonBits
            | Condition::NotNegative
            | Condition::KnownZeroOutside
            | Condition::KnownZeroIn
            | Condition::ShiftedStays => self.known(condition),
            Condition::ExactReciprocal => {
                let id = self.value(0)?.as_constant()?;
                let context = self.function.context();
                let bits = fold::float_value(context, id)?;
                Some(exact_reciprocal(context.scalar(context.constant_type(id)), bits).is_some())
            }
            _ => self.constants(condition),
        }
    }

    fn predicate(&self, condition: Condition) -> Option<bool> {
        let Matched::Int(predicate) = self.bindings.predicate()? else {
            return None;
        };
        Some(match condition {
            Condition::Signed => predicate.is_signed(),
            Condition::Unsigned => !predicate.is_signed() && !predicate.is_equality(),
            Condition::Equality => predicate.is_equality(),
            _ => predicate.is_signed() || predicate.is_equality(),
        })
    }

    fn types(&self, condition: Condition) -> Option<bool> {
        Some(match condition {
            Condition::Wider | Condition::WiderType => self.width(0)? > self.width(1)?,
            Condition::WidthIs => self.width(0)? == self.width(1)?,
            Condition::SameType => self.ty(0)? == self.ty(1)?,
            // Operations on 32 bits cost half of those on 64; below that nothing is won.
            Condition::FreeToNarrow => self.width(0)? > 32 && self.width(1)? >= 32,
            _ => {
                let digits = fold::format_of(self.function.context().scalar(self.ty(0)?))?.mantissa_bits + 1;
                self.width(1)? <= digits
            }
        })
    }

    fn known(&self, condition: Condition) -> Option<bool> {
        Some(match condition {
            Condition::IsConstant => self.value(0)?.as_constant().is_some(),
            Condition::IsNotConstant => self.value(0)?.as_constant().is_none(),
            Condition::NoCommonBits => {
                let (a, b) = (self.bits(0)?, self.bits(1)?);
                a.zero | b.zero == mask(a.width)
            }
            Condition::NotNegative => self.bits(0)?.is_non_negative(),
            Condition::KnownZeroOutside => {
                let bits = self.bits(0)?;
                bits.zero | self.number(1)?.value == mask(bits.width)
            }
            Condition::KnownZeroIn => self.number(1)?.value & !self.bits(0)?.zero == 0,
            _ => {
                let bits = self.bits(0)?;
                self.number(1)?.value <= u128::from(bits.leading_zeros())
                    && self.number(1)?.value < u128::from(bits.width)
            }
        })
    }

    fn constants(&self, condition: Condition) -> Option<bool> {
        let a = self.number(0)?;
        let width = u128::from(a.bits);
        let sign = 1u128 << (a.bits - 1);
        Some(match condition {
            Condition::PowerOfTwo => a.value.is_power_of_two(),
            Condition::NotNegativeConstant => a.value & sign == 0,
            Condition::NotZero => a.value != 0,
            Condition::NotAllOnes => a.value != mask(a.bits),
            Condition::NotSignedGreatest => a.value != sign - 1,
            Condition::NotSignedLeast => a.value != sign,
            Condition::SignBit => a.value == sign,
            Condition::InRange => a.value < width,
            Condition::FitsUnsigned => a.value <= mask(self.width(1)?),
            Condition::FitsSigned => {
                let narrow = self.width(1)?;
                signed(narrow, a.value & mask(narrow)) == signed(a.bits, a.value)
            }
            Condition::LowMaskOf => a.value == mask(self.width(1)?),
            Condition::AtLeastWidth => a.value >= u128::from(self.width(1)?),
            Condition::LessThanWidth => a.value < u128::from(self.width(1)?),
            _ => return self.pairs(condition, a, self.number(1)?),
        })
    }

    fn pairs(&self, condition: Condition, a: Number, b: Number) -> Option<bool> {
        let width = u128::from(a.bits);
        let all = mask(a.bits);
        Some(match condition {
            Condition::AmountsFit => a.value < width && b.value < width && a.value + b.value < width,
            Condition::AmountsExceed => a.value < width && b.value < width && a.value + b.value >= width,
            Condition::Greater => a.value > b.value,
            Condition::NotLess => a.value >= b.value,
            Condition::Covers => a.value | b.value == all,
            Condition::NoConstantBits => a.value & b.value == 0,
            Condition::NoUnsignedOverflow => a.value.checked_mul(b.value).is_some_and(|product| product <= all),
            Condition::NoShiftOverflow => b.value < width && a.value.leading_zeros() - (128 - a.bits) >= b.value as u32,
            Condition::NoSignedOverflowSub => {
                let difference = signed(a.bits, a.value).checked_sub(signed(b.bits, b.value))?;
                signed(a.bits, difference as u128 & all) == difference
            }
            Condition::Log2AtMost => u128::from(a.value.trailing_zeros()) <= b.value,
            Condition::Successor => {
                let a = signed(a.bits, a.value);
                a.checked_add(1) == Some(signed(b.bits, b.value))
            }
            Condition::SuccessorUnsigned => a.value != all && a.value + 1 == b.value,
            _ => return None,
        })
    }
}

/// The bits of 1 divided by a float, if that is exact and neither is subnormal: of powers of two.
pub(super) fn exact_reciprocal(ty: Type, bits: u64) -> Option<u64> {
    let format = fold::format_of(ty)?;
    let mantissa = (1u64 << format.mantissa_bits) - 1;
    if bits & mantissa != 0 || format.is_zero(bits) || format.is_infinite(bits) || format.is_subnormal(bits) {
        return None;
    }
    let exponent = (bits & format.magnitude_mask()) >> format.mantissa_bits;
    // The biased exponents of a power and its reciprocal add up to twice the bias.
    let inverse = 2 * u64::try_from(format.bias).ok()?;
    let inverse = inverse.checked_sub(exponent).filter(|&inverse| inverse > 0)?;
    Some(bits & format.sign_bit() | inverse << format.mantissa_bits)
}
