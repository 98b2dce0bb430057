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
    steps::{A, B, Words, logic, number, plus, product, select},
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
        let value = self.quotient_or_rest(of, &a, &b, rest)?;
        self.deliver(to, &value)
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

/// `F2I` towards zero without its operands.
fn truncated(form: &'static str, kind: &'static str) -> Request {
    Request::new(O::F2i)
        .form(form)
        .text(F::Type, kind)
        .text(F::Round, "TRUNC")
        .flag(F::Ftz, kind == "U32")
        .flag(F::Ntz, kind == "U32")
}
