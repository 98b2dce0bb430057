//! Products of integers, and sums with them.

use warpsmith_ptx::{
    instruction::Variant,
    module::Operand,
    table::{Modifier as M, Opcode, Type},
};
use warpsmith_sass::{FieldName as F, Opcode as O};

use super::{
    Lowered, Lowering, UNSUPPORTED,
    operand::{first_type, is_signed},
    steps::{A, B, RIGHT, Words, logic, number, permute, plus, product, select, shift},
};
use crate::{
    ir::Register,
    select::{Request, Source, Test, Value},
};

/// Which half of a product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Half {
    Low,
    High,
}

impl Lowering<'_> {
    /// `mul`, `mad`, `madc` with `.lo` and `.hi`.
    pub(super) fn multiply(&mut self, variant: &Variant, operands: &[Operand]) -> Lowered {
        let of = first_type(variant)?;
        let to = self.destination(operands.first())?;
        let (half, with_carry) = match variant.opcode {
            Opcode::MulLo | Opcode::MadLo => (Half::Low, false),
            Opcode::MulHi | Opcode::MadHi => (Half::High, false),
            Opcode::MadcLo => (Half::Low, true),
            Opcode::MadcHi => (Half::High, true),
            _ => return Err(UNSUPPORTED),
        };
        let plain = !with_carry && !variant.has(M::Cc) && !variant.has(M::Sat);
        if plain && half == Half::Low && of.bits() <= 32 {
            // The low bits of the product are those of the low bits.
            let (a, b) = (self.source(operands.get(1), of)?, self.source(operands.get(2), of)?);
            let c = match operands.get(3) {
                Some(operand) => self.source(Some(operand), of)?,
                None => Value::Zero.into(),
            };
            return self.emit(product(a, b, c).to(to));
        }
        let value = self.half_product(of, half, operands)?;
        let Some(c) = operands.get(3) else {
            return self.deliver(to, &value);
        };
        let c = self.value(Some(c), of)?;
        if variant.has(M::Sat) {
            let carry = with_carry.then(|| self.carry());
            return self.add_saturated(to, value[0], c[0], false, carry);
        }
        self.add_with_carry(to, &value, &c, with_carry, variant.has(M::Cc), false)
    }

    /// Half of a product, as wide as its factors.
    fn half_product(&mut self, of: Type, half: Half, operands: &[Operand]) -> Lowered<Words> {
        let signed = is_signed(of);
        match (of.bits(), half) {
            (16, half) => {
                let (a, b) = (self.extended(operands.get(1), of)?, self.extended(operands.get(2), of)?);
                let whole = self.step(product(a, b, Value::Zero))?;
                let value = match half {
                    Half::Low => whole,
                    Half::High => self.step(shift(Value::Zero, number(16), whole, RIGHT))?,
                };
                Ok(Words::from_elem(value.into(), 1))
            }
            (32, half) => {
                let (a, b) = (self.source(operands.get(1), of)?, self.source(operands.get(2), of)?);
                let value = match half {
                    Half::Low => self.step(product(a, b, Value::Zero))?,
                    Half::High => self.high_product(a, b, signed)?,
                };
                Ok(Words::from_elem(value.into(), 1))
            }
            (64, half) => {
                let (a, b) = (self.value(operands.get(1), of)?, self.value(operands.get(2), of)?);
                match (half, signed) {
                    (Half::Low, _) => self.low_product_64(&a, &b),
                    (Half::High, false) => self.high_product_64(&a, &b),
                    (Half::High, true) => self.signed_high_product_64(&a, &b),
                }
            }
            _ => Err(UNSUPPORTED),
        }
    }

    /// Bits 32 to 63 of a product of words.
    pub(crate) fn high_product(
        &mut self,
        a: impl Into<Source>,
        b: impl Into<Source>,
        signed: bool,
    ) -> Lowered<Register> {
        self.step(product(a, b, Value::Zero).literal("HI").flag(F::U32, !signed))
    }

    /// The 64-bit product of unsigned words, plus a 64-bit number.
    pub(crate) fn wide_product(&mut self, a: Source, b: Source, c: Option<Register>) -> Lowered<Register> {
        let c = c.map_or(Source::from(Value::Zero), Source::from);
        self.wide_step(product(a, b, c).literal("WIDE").flag(F::U32, true))
    }

    /// The low 64 bits of a product.
    pub(crate) fn low_product_64(&mut self, a: &[Source], b: &[Source]) -> Lowered<Words> {
        let ([low_a, high_a], [low_b, high_b]) = (a, b) else {
            return Err(UNSUPPORTED);
        };
        let low = self.wide_product(*low_a, *low_b, None)?;
        let middle = self.step(product(*low_a, *high_b, low.word(1)))?;
        let high = self.step(product(*high_a, *low_b, middle))?;
        Ok(Words::from_iter([low.word(0).into(), high.into()]))
    }

    /// Bits 64 to 127 of the product of unsigned numbers: the two middle products with what the low one carries into them, and the carries of both sums into
    /// the high one.
    pub(crate) fn high_product_64(&mut self, a: &[Source], b: &[Source]) -> Lowered<Words> {
        let ([low_a, high_a], [low_b, high_b]) = (a, b) else {
            return Err(UNSUPPORTED);
        };
        let first = self.wide_product(*high_a, *low_b, None)?;
        let (carried, added) = (self.predicate(), self.predicate());
        let middle = product(*low_a, *high_b, first).literal("WIDE").flag(F::U32, true);
        let middle = self.wide_step(middle.sets(F::Pu, carried))?;
        let low = self.wide_product(*low_a, *low_b, None)?;
        self.step(plus(low.word(1), middle.word(0)).sets(F::Pu, added))?;
        let above = self.temporary(2);
        self.emit_bare(Request::new(O::Mov).to(above.word(0)).from(middle.word(1)))?;
        self.emit_bare(select(Test::from(carried).opposite(), Value::Zero, number(1)).to(above.word(1)))?;
        let high = product(*high_a, *high_b, above).literal("WIDE.X").flag(F::U32, true);
        let high = self.wide_step(high.when(F::Pp, added))?;
        Ok(Words::from_iter([high.word(0).into(), high.word(1).into()]))
    }

    /// The same of signed numbers: less each factor where the other is negative.
    pub(crate) fn signed_high_product_64(&mut self, a: &[Source], b: &[Source]) -> Lowered<Words> {
        let mut high = self.high_product_64(a, b)?;
        for (factor, other) in [(a, b), (b, a)] {
            let sign = self.sign(other[1])?;
            let mut part = Words::new();
            for word in factor {
                part.push(self.step(logic(*word, sign, Value::Zero, A & B))?.into());
            }
            high = self.subtract_words(&high, &part, None, None)?;
        }
        Ok(high)
    }

    /// All ones if a word is negative, else 0.
    pub(crate) fn sign(&mut self, of: Source) -> Lowered<Register> {
        let how = super::steps::Funnel { kind: "S32", ..RIGHT };
        self.step(shift(Value::Zero, number(31), of, how))
    }

    /// `mul.wide`, `mad.wide`
    pub(super) fn multiply_wide(&mut self, variant: &Variant, operands: &[Operand]) -> Lowered {
        let of = first_type(variant)?;
        let to = self.destination(operands.first())?;
        if of.bits() == 16 {
            let (a, b) = (self.extended(operands.get(1), of)?, self.extended(operands.get(2), of)?);
            let c = match operands.get(3) {
                Some(operand) => self.source(Some(operand), Type::U32)?,
                None => Value::Zero.into(),
            };
            return self.emit(product(a, b, c).to(to));
        }
        let (a, b) = (self.source(operands.get(1), of)?, self.source(operands.get(2), of)?);
        let c: Source = match operands.get(3) {
            Some(operand) => self.in_register(Some(operand), Type::U64)?.into(),
            None => Value::Zero.into(),
        };
        self.emit(product(a, b, c).literal("WIDE").to(to).flag(F::U32, !is_signed(of)))
    }

    /// `mul24`, `mad24`: the low 24 bits of the factors count.
    pub(super) fn multiply_24(&mut self, variant: &Variant, operands: &[Operand]) -> Lowered {
        let of = first_type(variant)?;
        let to = self.destination(operands.first())?;
        let mut factors = [Source::from(Value::Zero); 2];
        for (factor, operand) in factors.iter_mut().zip(operands.get(1..3).unwrap_or_default()) {
            let source = self.source(Some(operand), of)?;
            let source = self.held(source)?;
            let request = Request::new(O::Sgxt)
                .from(source)
                .from(number(24))
                .flag(F::U32, !is_signed(of));
            *factor = self.step(request)?.into();
        }
        let [a, b] = factors;
        let c = match operands.get(3) {
            Some(operand) => self.source(Some(operand), of)?,
            None => Value::Zero.into(),
        };
        if matches!(variant.opcode, Opcode::Mul24Lo | Opcode::Mad24Lo) {
            return self.emit(product(a, b, c).to(to));
        }
        // Bits 16 to 47 of the product.
        let wide = product(a, b, Value::Zero).literal("WIDE").flag(F::U32, !is_signed(of));
        let wide = self.wide_step(wide)?;
        let high = self.step(permute(wide.word(0), 0x5432, wide.word(1)))?;
        if variant.has(M::Sat) {
            return self.add_saturated(to, high.into(), c, false, None);
        }
        self.emit(plus(high, c).to(to))
    }

    /// `dp4a`, `dp2a`
    pub(super) fn dot_product(&mut self, variant: &Variant, operands: &[Operand]) -> Lowered {
        let (a_type, b_type) = match (variant.types().next(), variant.types().nth(1)) {
            (Some(a), Some(b)) => (is_signed(a), is_signed(b)),
            _ => return Err(UNSUPPORTED),
        };
        let to = self.destination(operands.first())?;
        let a = self.source(operands.get(1), Type::U32)?;
        let b = self.source(operands.get(2), Type::U32)?;
        let c = self.source(operands.get(3), Type::U32)?;
        let byte = |signed: bool| if signed { "S8" } else { "U8" };
        let request = Request::new(O::Idp)
            .to(to)
            .from(a)
            .from(b)
            .from(c)
            .text(F::BType, byte(b_type));
        self.emit(match variant.opcode {
            Opcode::Dp4a => request.literal("4A").text(F::AType, byte(a_type)),
            Opcode::Dp2aLo | Opcode::Dp2aHi => {
                let half = if variant.opcode == Opcode::Dp2aLo { "LO" } else { "HI" };
                let a_type = if a_type { "S16" } else { "U16" };
                request.literal("2A").text(F::AType, a_type).text(F::Half, half)
            }
            _ => return Err(UNSUPPORTED),
        })
    }
}
