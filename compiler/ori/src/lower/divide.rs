//! Division of integers: by the reciprocal of the divisor, from the approximation of the special-function unit, refined and corrected.
//!
//! A zero divisor gives all ones, for quotient and remainder, signed or not, as `warpsmith_numerics::integer::divide` says.

use warpsmith_ptx::{
    instruction::Variant,
    module::Operand,
    table::{Opcode, Type},
};
use warpsmith_sass::{FieldName as F, Opcode as O, tables::Cmp};

use super::{
    Lowered, Lowering, UNSUPPORTED,
    operand::{first_type, is_signed},
    steps::{A, B, Funnel, RIGHT, Words, logic, number, plus, product, select, shift},
};
use crate::{
    ir::Register,
    select::{Request, Source, Test, Value, negated},
};

impl Lowering<'_> {
    /// `div`, `rem`
    pub(super) fn divide(&mut self, variant: &Variant, operands: &[Operand]) -> Lowered {
        let of = first_type(variant)?;
        let rest = variant.opcode == Opcode::Rem;
        let to = self.destination(operands.first())?;
        let (a, b) = if of.bits() < 32 {
            let (a, b) = (self.extended(operands.get(1), of)?, self.extended(operands.get(2), of)?);
            (Words::from_elem(a, 1), Words::from_elem(b, 1))
        } else {
            (self.value(operands.get(1), of)?, self.value(operands.get(2), of)?)
        };
        let value = match constant(&b) {
            Some(divisor) if divisor != 0 => self.divide_by_constant(of, &a, &b, divisor, rest)?,
            Some(_) | None => self.quotient_or_rest(of, &a, &b, rest)?,
        };
        self.deliver(to, &value)
    }

    /// Division by a constant that is not 0: a shift, or the high half of a product with a reciprocal.
    fn divide_by_constant(&mut self, of: Type, a: &[Source], b: &[Source], divisor: u64, rest: bool) -> Lowered<Words> {
        let quotient = match (is_signed(of), a.len()) {
            (true, 1) => self.signed_quotient(a, i64::from(divisor as u32 as i32))?,
            (true, _) => self.signed_quotient(a, divisor as i64)?,
            (false, _) => self.unsigned_quotient(a, divisor)?,
        };
        if !rest {
            return Ok(quotient);
        }
        let taken = match (&quotient[..], b) {
            ([q], [b]) => Words::from_elem(self.step(product(*q, *b, Value::Zero))?.into(), 1),
            (q, b) => self.low_product_64(q, b)?,
        };
        self.subtract_words(a, &taken, None, None)
    }

    /// One or two words shifted right by a constant less than their width.
    fn shifted_by(&mut self, value: &[Source], amount: u32, signed: bool) -> Lowered<Words> {
        let kind = if signed { "S32" } else { "U32" };
        let how = Funnel { kind, ..RIGHT };
        match *value {
            _ if amount == 0 => Ok(value.iter().copied().collect()),
            [word] => Ok(Words::from_elem(
                self.step(shift(Value::Zero, number(amount), word, how))?.into(),
                1,
            )),
            [low, high] if amount < 32 => {
                let joined = Funnel { high: false, ..RIGHT };
                let low = self.step(shift(low, number(amount), high, joined))?;
                let high = self.step(shift(Value::Zero, number(amount), high, how))?;
                Ok(Words::from_iter([low.into(), high.into()]))
            }
            [_, high] => {
                let low = match amount {
                    32 => high,
                    _ => self.step(shift(Value::Zero, number(amount - 32), high, how))?.into(),
                };
                let high = if signed {
                    self.sign(high)?.into()
                } else {
                    Value::Zero.into()
                };
                Ok(Words::from_iter([low, high]))
            }
            _ => Err(UNSUPPORTED),
        }
    }

    /// The high half of the unsigned product with a constant.
    fn high_half(&mut self, a: &[Source], factor: u64) -> Lowered<Words> {
        match a {
            [a] => Ok(Words::from_elem(
                self.high_product(*a, number(factor as u32), false)?.into(),
                1,
            )),
            a => self.high_product_64(a, &pair_of(factor)),
        }
    }

    /// Unsigned division by a constant (Granlund and Montgomery, 1994): the high half of the product with a reciprocal that is a little too large, shifted
    /// right. Where no reciprocal of the width is near enough, an even divisor is halved first; else the reciprocal has one bit more, whose product is
    /// the dividend itself, and half of the difference is added so that the sum fits.
    fn unsigned_quotient(&mut self, a: &[Source], divisor: u64) -> Lowered<Words> {
        let bits = 32 * a.len() as u32;
        let even = divisor.trailing_zeros();
        if divisor.is_power_of_two() {
            return self.shifted_by(a, even, false);
        }
        if let Some((factor, amount)) = reciprocal(bits, divisor, 0) {
            let high = self.high_half(a, factor)?;
            return self.shifted_by(&high, amount, false);
        }
        if let Some((factor, amount)) = reciprocal(bits, divisor >> even, even).filter(|_| even > 0) {
            let halved = self.shifted_by(a, even, false)?;
            let high = self.high_half(&halved, factor)?;
            return self.shifted_by(&high, amount, false);
        }
        let log = 64 - (divisor - 1).leading_zeros();
        let above = (1_u128 << log) - u128::from(divisor);
        let factor = (above << bits) / u128::from(divisor) + 1;
        let high = self.high_half(a, factor as u64)?;
        let difference = self.subtract_words(a, &high, None, None)?;
        let half = self.shifted_by(&difference, 1, false)?;
        let sum = self.add_words(&half, &high, None, None)?;
        self.shifted_by(&sum, log - 1, false)
    }

    /// Signed division by a constant, towards zero: the high half of the product with 2^(N + l - 1) / d, less 2^N, plus the dividend, shifted; one more
    /// where the dividend is negative. By a power of two: a shift, after what makes it round up is added where the dividend is negative.
    fn signed_quotient(&mut self, a: &[Source], divisor: i64) -> Lowered<Words> {
        let bits = 32 * a.len() as u32;
        let magnitude = divisor.unsigned_abs();
        let top = *a.last().ok_or(UNSUPPORTED)?;
        let value = if magnitude == 1 {
            a.iter().copied().collect()
        } else if magnitude.is_power_of_two() {
            let amount = magnitude.trailing_zeros();
            let sign = Words::from_elem(self.sign(top)?.into(), a.len());
            let round = self.shifted_by(&sign, bits - amount, false)?;
            let sum = self.add_words(a, &round, None, None)?;
            self.shifted_by(&sum, amount, true)?
        } else {
            let log = 64 - (magnitude - 1).leading_zeros();
            let factor = (1_u128 << (bits + log - 1)) / u128::from(magnitude) + 1;
            let factor = factor.wrapping_sub(1 << bits) as u64;
            let high = match a {
                [a] => Words::from_elem(self.high_product(*a, number(factor as u32), true)?.into(), 1),
                a => self.signed_high_product_64(a, &pair_of(factor))?,
            };
            let sum = self.add_words(&high, a, None, None)?;
            let value = self.shifted_by(&sum, log - 1, true)?;
            let one: Source = self.step(shift(Value::Zero, number(31), top, RIGHT))?.into();
            let mut one = Words::from_elem(one, 1);
            one.resize(a.len(), Value::Zero.into());
            self.add_words(&value, &one, None, None)?
        };
        if divisor > 0 {
            return Ok(value);
        }
        let zero = Words::from_elem(Value::Zero.into(), a.len());
        self.subtract_words(&zero, &value, None, None)
    }

    fn quotient_or_rest(&mut self, of: Type, a: &[Source], b: &[Source], rest: bool) -> Lowered<Words> {
        let signed = is_signed(of);
        let zero = Words::from_elem(Value::Zero.into(), a.len());
        let (magnitude_a, magnitude_b) = if signed {
            (self.absolute_words(a)?, self.absolute_words(b)?)
        } else {
            (a.iter().copied().collect(), b.iter().copied().collect())
        };
        let mut value = if a.len() == 1 {
            self.divide_words(magnitude_a[0], magnitude_b[0], rest)?
        } else {
            self.divide_pairs(&magnitude_a, &magnitude_b, rest)?
        };
        if signed {
            // A remainder has the sign of the dividend, a quotient that of the product.
            let (top_a, top_b) = (a[a.len() - 1], b[b.len() - 1]);
            let sign = if rest {
                top_a
            } else {
                self.step(logic(top_a, top_b, Value::Zero, A ^ B))?.into()
            };
            let negative = self.holds(Cmp::Lt, false, &[sign], &[Value::Zero.into()])?;
            let opposite = self.subtract_words(&zero, &value, None, None)?;
            value = self.select_words(negative.into(), &opposite, &value)?;
        }
        let undefined = self.holds(Cmp::Eq, true, b, &zero)?;
        let ones = Words::from_elem(number(u32::MAX), a.len());
        self.select_words(Test::from(undefined).opposite(), &value, &ones)
    }

    /// The absolute value of one or two words.
    pub(crate) fn absolute_words(&mut self, value: &[Source]) -> Lowered<Words> {
        match value {
            [value] => {
                let value = self.held(*value)?;
                Ok(Words::from_elem(
                    self.step(Request::new(O::Iabs).from(value))?.into(),
                    1,
                ))
            }
            [_, high] => {
                let zero = Words::from_elem(Value::Zero.into(), 2);
                let negative = self.holds(Cmp::Lt, false, &[*high], &[Value::Zero.into()])?;
                let opposite = self.subtract_words(&zero, value, None, None)?;
                self.select_words(negative.into(), &opposite, value)
            }
            _ => Err(UNSUPPORTED),
        }
    }

    /// The f32 reciprocal of a positive number, rounded so that it is not above it, times a power of two.
    ///
    /// The divisor is rounded up, its reciprocal is off by at most one unit, and `scale` adds to the exponent and takes two units away.
    fn scaled_reciprocal(&mut self, divisor: Request, scale: u32) -> Lowered<Register> {
        let float = self.step(divisor.text(F::Type, "").text(F::Round, "RP"))?;
        let function = Request::new(O::Mufu).form("R_R").text(F::Function, "RCP");
        let reciprocal = self.step(function.from(float))?;
        self.step(plus(reciprocal, number(scale)))
    }

    /// Division of unsigned words.
    ///
    /// x = 2^32 / b to 21 bits, from below; one Newton step x += x (2^32 - b x) / 2^32 keeps it below and leaves an error under 2. So a x / 2^32 is
    /// the quotient, or one or two less: two corrections.
    /// The quotient of unsigned words.
    pub(super) fn quotient_of_words(&mut self, a: Source, b: Source) -> Lowered<Source> {
        let quotient = self.divide_words(a, b, false)?;
        quotient.first().copied().ok_or(super::UNSUPPORTED)
    }

    fn divide_words(&mut self, a: Source, b: Source, rest: bool) -> Lowered<Words> {
        let (a, b) = (self.held(a)?, self.held(b)?);
        let float = Request::new(O::I2f).form("R_R_u32").flag(F::U32, true).from(b);
        let reciprocal = self.scaled_reciprocal(float, 0x0fff_fffe)?;
        let x = self.step(truncated("R_R_u8", "U32").from(reciprocal))?;
        let minus_b = self.step(plus(Value::Zero, negated(b)))?;
        let error = self.step(product(x, minus_b, Value::Zero))?;
        let step = self.high_product(x, error, false)?;
        let x = self.step(plus(x, step))?;
        let q = self.high_product(x, a, false)?;
        let r = self.step(product(q, minus_b, a))?;
        for _ in 0..2 {
            let more = self.holds(Cmp::Ge, true, &[r.into()], &[b])?;
            self.emit_bare(plus(r, negated(b)).to(r).guarded(more))?;
            if !rest {
                self.emit_bare(plus(q, number(1)).to(q).guarded(more))?;
            }
        }
        Ok(Words::from_elem(if rest { r.into() } else { q.into() }, 1))
    }

    /// Division of unsigned 64-bit numbers: the same with two Newton steps, from 21 bits to 42 and to all.
    fn divide_pairs(&mut self, a: &[Source], b: &[Source], rest: bool) -> Lowered<Words> {
        let divisor = self.paired(b)?;
        let float = Request::new(O::I2f)
            .form("R_R_source_type_u64")
            .text(F::SourceType, "U64")
            .from(divisor);
        let reciprocal = self.scaled_reciprocal(float, 0x1fff_fffe)?;
        let first = self.wide_step(truncated("R_R_u64", "U64").from(reciprocal))?;
        let mut x = Words::from_iter([first.word(0).into(), first.word(1).into()]);
        let zero = Words::from_elem(Value::Zero.into(), 2);
        let minus_b = self.subtract_words(&zero, b, None, None)?;
        for _ in 0..2 {
            let error = self.low_product_64(&x, &minus_b)?;
            let step = self.high_product_64(&x, &error)?;
            x = self.add_words(&x, &step, None, None)?;
        }
        let mut q = self.high_product_64(a, &x)?;
        let taken = self.low_product_64(&q, &minus_b)?;
        let mut r = self.add_words(a, &taken, None, None)?;
        for _ in 0..2 {
            let more = self.holds(Cmp::Ge, true, &r, b)?;
            let less = self.add_words(&r, &minus_b, None, None)?;
            r = self.select_words(more.into(), &less, &r)?;
            if !rest {
                let one = self.step(select(Test::from(more).opposite(), Value::Zero, number(1)))?;
                q = self.add_words(&q, &[one.into(), Value::Zero.into()], None, None)?;
            }
        }
        Ok(if rest { r } else { q })
    }
}

/// The number that words are, if they are constants.
fn constant(words: &[Source]) -> Option<u64> {
    words.iter().rev().try_fold(0_u64, |found, word| {
        let plain = !word.negated && !word.absolute && !word.inverted;
        let word = match word.value {
            Value::Zero => 0,
            Value::Immediate(value) => value,
            Value::Register(_) | Value::Constant(..) => return None,
        };
        plain.then_some(found << 32 | u64::from(word))
    })
}

/// The words of a number.
fn pair_of(value: u64) -> [Source; 2] {
    [number(value as u32), number((value >> 32) as u32)]
}

/// A number m of `bits` bits and an amount s with floor(n m / 2^(bits + s)) = floor(n / d) for every n of `bits - spare` bits: m is 2^(bits + s) / d
/// rounded up, and what it is too large by, times n, stays under 2^(bits + s).
fn reciprocal(bits: u32, divisor: u64, spare: u32) -> Option<(u64, u32)> {
    (0..bits).find_map(|amount| {
        let power = 1_u128 << (bits + amount);
        let factor = power / u128::from(divisor) + 1;
        let near = factor >> bits == 0 && factor * u128::from(divisor) - power <= 1 << (amount + spare);
        near.then_some((factor as u64, amount))
    })
}

/// `F2I` towards zero without its operands.
fn truncated(form: &'static str, kind: &'static str) -> Request {
    Request::new(O::F2i)
        .form(form)
        .text(F::Type, kind)
        .text(F::Round, "TRUNC")
        .flag(F::Ftz, kind == "U32")
        .flag(F::Ntz, kind == "U32")
}
