//! Shifts, bit fields, counting and permuting bits.

use warpsmith_ptx::{
    instruction::Variant,
    module::Operand,
    table::{Modifier as M, Opcode, Type},
};
use warpsmith_sass::{FieldName as F, Opcode as O, tables::Cmp};

use super::{
    Lowered, Lowering, UNSUPPORTED,
    operand::{first_type, is_signed},
    steps::{A, B, C, Funnel, LEFT, RIGHT, Words, logic, number, plus, select, shift},
};
use crate::{
    ir::Register,
    select::{Request, Source, Test, Value, negated},
};

impl Lowering<'_> {
    /// `shl` and `shr`: amounts beyond the width give 0 or the sign, as the machine does without `.W`.
    pub(super) fn shift(&mut self, variant: &Variant, operands: &[Operand]) -> Lowered {
        let of = first_type(variant)?;
        let to = self.destination(operands.first())?;
        let left = variant.opcode == Opcode::Shl;
        let amount = self.source(operands.get(2), Type::U32)?;
        if of.bits() == 64 {
            let a = self.value(operands.get(1), of)?;
            let value = if left {
                self.shifted_left(&a, amount)?
            } else {
                self.shifted_right(&a, amount, is_signed(of))?
            };
            return self.deliver(to, &value);
        }
        if left {
            let a = self.source(operands.get(1), of)?;
            return self.emit(shift(a, amount, Value::Zero, LEFT).to(to));
        }
        let a = self.extended(operands.get(1), of)?;
        self.emit(shift(Value::Zero, amount, a, right(is_signed(of))).to(to))
    }

    /// A 64-bit number shifted left by an amount that stops at 64.
    fn shifted_left(&mut self, a: &[Source], amount: Source) -> Lowered<Words> {
        let [low, high] = a else { return Err(UNSUPPORTED) };
        let how = Funnel {
            kind: "U64",
            high: true,
            ..LEFT
        };
        let top = self.step(shift(*low, amount, *high, how))?;
        let bottom = self.step(shift(*low, amount, Value::Zero, LEFT))?;
        Ok(Words::from_iter([bottom.into(), top.into()]))
    }

    /// A 64-bit number shifted right by an amount that stops at 64.
    fn shifted_right(&mut self, a: &[Source], amount: Source, signed: bool) -> Lowered<Words> {
        let [low, high] = a else { return Err(UNSUPPORTED) };
        let how = Funnel {
            kind: if signed { "S64" } else { "U64" },
            high: false,
            ..RIGHT
        };
        let bottom = self.step(shift(*low, amount, *high, how))?;
        let top = self.step(shift(Value::Zero, amount, *high, right(signed)))?;
        Ok(Words::from_iter([bottom.into(), top.into()]))
    }

    /// `shf.l`, `shf.r`: of the pair of the second operand above the first.
    pub(super) fn funnel(&mut self, variant: &Variant, operands: &[Operand]) -> Lowered {
        let to = self.destination(operands.first())?;
        let low = self.source(operands.get(1), Type::U32)?;
        let high = self.source(operands.get(2), Type::U32)?;
        let amount = self.source(operands.get(3), Type::U32)?;
        let left = variant.opcode == Opcode::ShfL;
        let how = Funnel {
            direction: if left { "L" } else { "R" },
            kind: "U32",
            high: left,
            wrap: variant.has(M::Wrap),
        };
        self.emit(shift(low, amount, high, how).to(to))
    }

    /// `popc`
    pub(super) fn count_ones(&mut self, variant: &Variant, operands: &[Operand]) -> Lowered {
        let of = first_type(variant)?;
        let to = self.destination(operands.first())?;
        let value = self.value(operands.get(1), of)?;
        let count = |source: Source| Request::new(O::Popc).from(source);
        match value[..] {
            [word] => {
                let word = self.held(word)?;
                self.emit(count(word).to(to))
            }
            [low, high] => {
                let (low, high) = (self.held(low)?, self.held(high)?);
                let (low, high) = (self.step(count(low))?, self.step(count(high))?);
                self.emit(plus(low, high).to(to))
            }
            _ => Err(UNSUPPORTED),
        }
    }

    /// `clz`: 31 or 63 less the position of the first one bit, which is -1 where there is none.
    pub(super) fn count_leading_zeros(&mut self, variant: &Variant, operands: &[Operand]) -> Lowered {
        let of = first_type(variant)?;
        let to = self.destination(operands.first())?;
        let value = self.value(operands.get(1), of)?;
        let position = self.position(&value)?;
        let top = of.bits() - 1;
        self.emit(plus(negated(position), number(top)).to(to))
    }

    /// `bfind`
    pub(super) fn find_bit(&mut self, variant: &Variant, operands: &[Operand]) -> Lowered {
        let of = first_type(variant)?;
        let to = self.destination(operands.first())?;
        let mut value = self.value(operands.get(1), of)?;
        if is_signed(of) {
            // The first bit that differs from the sign.
            let top = *value.last().ok_or(UNSUPPORTED)?;
            let sign = self.sign(top)?;
            for word in &mut value {
                *word = self.step(logic(*word, sign, Value::Zero, A ^ B))?.into();
            }
        }
        let position = self.position(&value)?;
        if !variant.has(M::Shiftamt) {
            return self.deliver(to, &[position.into()]);
        }
        let none = self.holds(Cmp::Lt, false, &[position.into()], &[Value::Zero.into()])?;
        let amount = self.step(plus(negated(position), number(of.bits() - 1)))?;
        self.emit(select(Test::from(none).opposite(), amount, number(u32::MAX)).to(to))
    }

    /// The position of the first one bit of one or two words; -1: none.
    fn position(&mut self, value: &[Source]) -> Lowered<Register> {
        let find = |source: Source| Request::new(O::Flo).from(source).flag(F::U32, true);
        match *value {
            [word] => {
                let word = self.held(word)?;
                self.step(find(word))
            }
            [low, high] => {
                let in_high = self.holds(Cmp::Ne, true, &[high], &[Value::Zero.into()])?;
                let word = self.step(select(in_high, high, low))?;
                let position = self.step(find(word.into()))?;
                let base = self.step(select(Test::from(in_high).opposite(), Value::Zero, number(32)))?;
                self.step(plus(position, base))
            }
            _ => Err(UNSUPPORTED),
        }
    }

    /// `brev`
    pub(super) fn reverse(&mut self, variant: &Variant, operands: &[Operand]) -> Lowered {
        let of = first_type(variant)?;
        let to = self.destination(operands.first())?;
        let value = self.value(operands.get(1), of)?;
        let mut reversed = Words::new();
        for word in value.iter().rev() {
            let word = self.held(*word)?;
            reversed.push(self.step(Request::new(O::Brev).from(word))?.into());
        }
        self.deliver(to, &reversed)
    }

    /// A position or length: the low 8 bits count in the 32-bit forms.
    fn field_operand(&mut self, operand: Option<&Operand>, of: Type) -> Lowered<Source> {
        let source = self.source(operand, Type::U32)?;
        if of.bits() == 64 {
            return Ok(source);
        }
        Ok(match source.value {
            Value::Zero => source,
            Value::Immediate(value) => number(value & 0xff),
            Value::Register(_) | Value::Constant(..) => {
                self.step(logic(source, number(0xff), Value::Zero, A & B))?.into()
            }
        })
    }

    /// The low bits of one or two words; the sign or zeros above them.
    fn low_field(&mut self, value: &[Source], length: Source, signed: bool) -> Lowered<Words> {
        let cut =
            |source: Source, length: Source| Request::new(O::Sgxt).from(source).from(length).flag(F::U32, !signed);
        match *value {
            [word] => {
                let word = self.held(word)?;
                Ok(Words::from_elem(self.step(cut(word, length))?.into(), 1))
            }
            [low, high] => {
                let (low, high) = (self.held(low)?, self.held(high)?);
                let length = self.held(length)?;
                let bottom = self.step(cut(low, length))?;
                // What is left of the length for the high word.
                let long = self.holds(Cmp::Gt, true, &[length], &[number(32)])?;
                let left = self.step(plus(length, number(32_u32.wrapping_neg())))?;
                let left = self.step(select(long, left, Value::Zero))?;
                let mut top = self.step(cut(high, left.into()))?;
                if signed {
                    let sign = self.sign(bottom.into())?;
                    top = self.step(select(long, top, sign))?;
                }
                Ok(Words::from_iter([bottom.into(), top.into()]))
            }
            _ => Err(UNSUPPORTED),
        }
    }

    /// `bfe`
    pub(super) fn extract_field(&mut self, variant: &Variant, operands: &[Operand]) -> Lowered {
        let of = first_type(variant)?;
        let signed = is_signed(of);
        let to = self.destination(operands.first())?;
        let value = self.value(operands.get(1), of)?;
        let position = self.field_operand(operands.get(2), of)?;
        let length = self.field_operand(operands.get(3), of)?;
        let moved = match value[..] {
            [word] => Words::from_elem(self.step(shift(Value::Zero, position, word, right(signed)))?.into(), 1),
            _ => self.shifted_right(&value, position, signed)?,
        };
        let field = self.low_field(&moved, length, signed)?;
        self.deliver(to, &field)
    }

    /// `bfi`: the low bits of the first operand in the place of a field of the second.
    pub(super) fn insert_field(&mut self, variant: &Variant, operands: &[Operand]) -> Lowered {
        let of = first_type(variant)?;
        let to = self.destination(operands.first())?;
        let (inserted, kept) = (self.value(operands.get(1), of)?, self.value(operands.get(2), of)?);
        let position = self.field_operand(operands.get(3), of)?;
        let length = self.field_operand(operands.get(4), of)?;
        let ones = Words::from_elem(number(u32::MAX), kept.len());
        let field = self.low_field(&ones, length, false)?;
        let (mask, inserted) = match (&field[..], &inserted[..]) {
            ([field], [word]) => {
                let mask = self.step(shift(*field, position, Value::Zero, LEFT))?;
                let moved = self.step(shift(*word, position, Value::Zero, LEFT))?;
                (Words::from_elem(mask.into(), 1), Words::from_elem(moved.into(), 1))
            }
            _ => (
                self.shifted_left(&field, position)?,
                self.shifted_left(&inserted, position)?,
            ),
        };
        let mut value = Words::new();
        for ((mask, inserted), kept) in mask.iter().zip(&inserted).zip(&kept) {
            value.push(self.step(logic(*mask, *inserted, *kept, (A & B) | (!A & C)))?.into());
        }
        self.deliver(to, &value)
    }

    /// `bmsk`, `szext`
    pub(super) fn mask_or_extend(&mut self, variant: &Variant, operands: &[Operand]) -> Lowered {
        let to = self.destination(operands.first())?;
        let a = self.source(operands.get(1), Type::U32)?;
        let (a, b) = (self.held(a)?, self.source(operands.get(2), Type::U32)?);
        let request = if variant.opcode == Opcode::Bmsk {
            Request::new(O::Bmsk)
        } else {
            Request::new(O::Sgxt).flag(F::U32, !is_signed(first_type(variant)?))
        };
        self.emit(request.to(to).from(a).from(b).flag(F::Wrap, variant.has(M::Wrap)))
    }

    /// `prmt`
    pub(super) fn permute_bytes(&mut self, variant: &Variant, operands: &[Operand]) -> Lowered {
        let to = self.destination(operands.first())?;
        let a = self.source(operands.get(1), Type::B32)?;
        let b = self.source(operands.get(2), Type::B32)?;
        let selector = self.source(operands.get(3), Type::B32)?;
        let modes = [
            (M::F4e, "F4E"),
            (M::B4e, "B4E"),
            (M::Rc8, "RC8"),
            (M::Ecl, "ECL"),
            (M::Ecr, "ECR"),
            (M::Rc16, "RC16"),
        ];
        let mode = modes.iter().find(|(modifier, _)| variant.has(*modifier));
        let request = Request::new(O::Prmt).to(to).from(a).from(selector).from(b);
        self.emit(request.text(F::Mode, mode.map_or("", |(_, text)| *text)))
    }

    /// `lop3`, and with `.or` or `.and` the predicate that says whether the result is not zero, combined with another.
    pub(super) fn any_logic(&mut self, variant: &Variant, operands: &[Operand]) -> Lowered {
        let (to, p) = match operands.first() {
            Some(Operand::Pair(range)) => {
                let parts = self.parts(*range);
                (
                    self.word_destination(parts.first())?,
                    Some(self.predicate_destination(parts.get(1))?),
                )
            }
            operand => (self.word_destination(operand)?, None),
        };
        let a = self.source(operands.get(1), Type::B32)?;
        let b = self.source(operands.get(2), Type::B32)?;
        let c = self.source(operands.get(3), Type::B32)?;
        let Some(Operand::Integer(table, _)) = operands.get(4) else {
            return Err(UNSUPPORTED);
        };
        let mut request = logic(a, b, c, *table as u32).to(to);
        if let Some(p) = p {
            let with = self.test(operands.get(5))?;
            request = request
                .sets(F::Pu, p)
                .when(F::Pp, with)
                .flag(F::Pand, variant.has(M::And));
        }
        self.emit(request)
    }

    /// A register of one word that is written; a new one for `_`.
    fn word_destination(&mut self, operand: Option<&Operand>) -> Lowered<Register> {
        match operand {
            Some(Operand::Sink) => Ok(self.temporary(1)),
            operand => self.destination(operand),
        }
    }

    /// `cnot`: 1 for 0, else 0.
    pub(super) fn is_zero(&mut self, variant: &Variant, operands: &[Operand]) -> Lowered {
        let of = first_type(variant)?;
        let to = self.destination(operands.first())?;
        let value = match self.value(operands.get(1), of)?[..] {
            [_] => self.extended(operands.get(1), of)?,
            [low, high] => self.step(logic(low, high, Value::Zero, A | B))?.into(),
            _ => return Err(UNSUPPORTED),
        };
        let some = self.holds(Cmp::Ne, true, &[value], &[Value::Zero.into()])?;
        self.select_into(
            to,
            some.into(),
            &[Value::Zero.into(), Value::Zero.into()],
            &[number(1), Value::Zero.into()],
        )
    }

    /// `fns`: by halves, the ones of the lower half counted first. A search downward is one upward in the reversed mask.
    pub(super) fn find_nth_set(&mut self, operands: &[Operand]) -> Lowered {
        let to = self.destination(operands.first())?;
        let mask = self.source(operands.get(1), Type::B32)?;
        let base = self.source(operands.get(2), Type::B32)?;
        let offset = self.source(operands.get(3), Type::S32)?;
        let (mask, base, offset) = (self.held(mask)?, self.held(base)?, self.held(offset)?);
        let zero = Source::from(Value::Zero);
        let down = self.holds(Cmp::Lt, false, &[offset], &[zero])?;
        let here = self.holds(Cmp::Eq, false, &[offset], &[zero])?;
        let mirrored = self.step(Request::new(O::Brev).from(mask))?;
        let mut rest = self.step(select(down, mirrored, mask))?;
        let far = self.step(plus(negated(base), number(31)))?;
        let start = self.step(select(down, far, base))?;
        let count = self.step(Request::new(O::Iabs).from(offset))?;
        let mut count = self.step(select(here, number(1), count))?;
        // A base beyond 31 shifts everything out, from either side.
        rest = self.step(shift(zero, start, rest, RIGHT))?;
        let first = self.step(logic(rest, number(1), zero, A & B))?;
        let mut position = start;
        let mut left = rest;
        for width in [16_u32, 8, 4, 2, 1] {
            let half = self.step(logic(left, number((1 << width) - 1), zero, A & B))?;
            let ones = self.step(Request::new(O::Popc).from(half))?;
            let above = self.holds(Cmp::Gt, true, &[count.into()], &[ones.into()])?;
            let fewer = self.step(plus(count, negated(ones)))?;
            count = self.step(select(above, fewer, count))?;
            let upper = self.step(shift(zero, number(width), left, RIGHT))?;
            left = self.step(select(above, upper, half))?;
            let further = self.step(plus(position, number(width)))?;
            position = self.step(select(above, further, position))?;
        }
        // One bit is left: it is found if it is set and one is still wanted; for offset 0 only the first bit counts.
        let wanted = self.step(logic(count, number(1), zero, A ^ B))?;
        let one = self.step(logic(left, number(1), zero, A & B))?;
        let missing = self.step(logic(one, number(1), wanted, (A ^ B) | C))?;
        let absent = self.step(logic(first, number(1), zero, A ^ B))?;
        let missing = self.step(select(here, absent, missing))?;
        let back = self.step(plus(negated(position), number(31)))?;
        let position = self.step(select(down, back, position))?;
        let position = self.step(select(here, base, position))?;
        let found = self.holds(Cmp::Eq, true, &[missing.into()], &[zero])?;
        self.emit(select(found, position, number(u32::MAX)).to(to))
    }
}

/// How the high word of a pair is shifted right.
fn right(signed: bool) -> Funnel {
    Funnel {
        kind: if signed { "S32" } else { "U32" },
        ..RIGHT
    }
}
