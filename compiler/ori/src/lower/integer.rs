//! Sums, differences, minima and maxima of integers; and which instructions of PTX the integer side lowers.

use warpsmith_ptx::{
    instruction::Variant,
    module::Operand,
    table::{Modifier as M, Opcode, Type, TypeKind},
};
use warpsmith_sass::{FieldName as F, Opcode as O, RegisterClass, tables::Cmp};
use warpsmith_target::Isa;

use super::{
    Lowered, Lowering, UNSUPPORTED,
    compare::is_integer,
    operand::{first_type, is_signed},
    steps::{A, B, C, RIGHT, Words, logic, number, permute, plus, select, shift},
    words,
};
use crate::{
    ir::Register,
    select::{Request, Source, Test, Value, negated},
};

impl Lowering<'_> {
    /// Integer arithmetic and what goes with it.
    pub(super) fn integers(&mut self, variant: &Variant, operands: &[Operand]) -> Option<Lowered> {
        let first = variant.types().next();
        let last = variant.types().last();
        let whole = first.is_some_and(is_integer);
        let packed = matches!(first, Some(Type::U16x2 | Type::S16x2));
        let predicate = first.is_some_and(|of| of.kind() == TypeKind::Predicate);
        Some(match variant.opcode {
            Opcode::Mov => self.copy(variant, operands),
            Opcode::Add | Opcode::Sub | Opcode::Addc | Opcode::Subc if whole => self.add(variant, operands),
            Opcode::Add if packed && variant.has(M::Sat) => Err(UNSUPPORTED),
            Opcode::Add if packed => self.add_packed(operands),
            Opcode::MulLo | Opcode::MadLo | Opcode::MulHi | Opcode::MadHi | Opcode::MadcLo | Opcode::MadcHi
                if whole =>
            {
                self.multiply(variant, operands)
            }
            Opcode::MulWide | Opcode::MadWide => self.multiply_wide(variant, operands),
            Opcode::Mul24Lo | Opcode::Mul24Hi | Opcode::Mad24Lo | Opcode::Mad24Hi => {
                self.multiply_24(variant, operands)
            }
            Opcode::Sad => self.sum_of_difference(variant, operands),
            Opcode::Div | Opcode::Rem if whole => self.divide(variant, operands),
            Opcode::Abs if whole => self.absolute(variant, operands),
            Opcode::Neg if whole => self.negate(variant, operands),
            Opcode::Min | Opcode::Max if whole => self.extreme(variant, operands),
            Opcode::Min | Opcode::Max if packed => self.packed_extreme(variant, operands),
            Opcode::Popc => self.count_ones(variant, operands),
            Opcode::Clz => self.count_leading_zeros(variant, operands),
            Opcode::Bfind => self.find_bit(variant, operands),
            Opcode::Fns => self.find_nth_set(operands),
            Opcode::Brev => self.reverse(variant, operands),
            Opcode::Bfe => self.extract_field(variant, operands),
            Opcode::Bfi => self.insert_field(variant, operands),
            Opcode::Bmsk | Opcode::Szext => self.mask_or_extend(variant, operands),
            Opcode::Dp4a | Opcode::Dp2aLo | Opcode::Dp2aHi => self.dot_product(variant, operands),
            Opcode::And if predicate => self.combine_predicates(operands, A & B),
            Opcode::Or if predicate => self.combine_predicates(operands, A | B),
            Opcode::Xor if predicate => self.combine_predicates(operands, A ^ B),
            Opcode::Not if predicate => self.combine_predicates(operands, !A),
            Opcode::And => self.bitwise(variant, operands, A & B),
            Opcode::Or => self.bitwise(variant, operands, A | B),
            Opcode::Xor => self.bitwise(variant, operands, A ^ B),
            Opcode::Not => self.bitwise(variant, operands, !A),
            Opcode::Cnot => self.is_zero(variant, operands),
            Opcode::Lop3 => self.any_logic(variant, operands),
            Opcode::ShfL | Opcode::ShfR => self.funnel(variant, operands),
            Opcode::Shl | Opcode::Shr => self.shift(variant, operands),
            Opcode::Prmt => self.permute_bytes(variant, operands),
            Opcode::Setp if whole => self.compare(variant, operands),
            Opcode::Set if last.is_some_and(is_integer) => self.set(variant, operands),
            Opcode::Selp => self.select_by_predicate(variant, operands),
            Opcode::Slct => self.select_by_sign(variant, operands),
            Opcode::Isspacep => self.is_space(variant, operands),
            _ => return None,
        })
    }

    /// The predicate that holds the carry flag.
    pub(crate) fn carry(&mut self) -> Register {
        match self.carry {
            Some(carry) => carry,
            None => {
                let carry = self.predicate();
                self.carry = Some(carry);
                carry
            }
        }
    }

    /// `add`, `sub`, `addc`, `subc`
    fn add(&mut self, variant: &Variant, operands: &[Operand]) -> Lowered {
        let of = first_type(variant)?;
        let to = self.destination(operands.first())?;
        let minus = matches!(variant.opcode, Opcode::Sub | Opcode::Subc);
        let with_carry = matches!(variant.opcode, Opcode::Addc | Opcode::Subc);
        let (a, b) = (self.value(operands.get(1), of)?, self.value(operands.get(2), of)?);
        if variant.has(M::Sat) && of == Type::U32 {
            return self.add_saturated_unsigned(to, a[0], b[0]);
        }
        if variant.has(M::Sat) {
            let carry = with_carry.then(|| self.carry());
            return self.add_saturated(to, a[0], b[0], minus, carry);
        }
        if words(of) == 1 && !with_carry && !variant.has(M::Cc) {
            let b = if minus { negated(b[0]) } else { b[0] };
            return self.emit(plus(a[0], b).to(to));
        }
        self.add_with_carry(to, &a, &b, with_carry, variant.has(M::Cc), minus)
    }

    /// a + b or a - b, with the carry flag read and written as asked.
    pub(super) fn add_with_carry(
        &mut self,
        to: Register,
        a: &[Source],
        b: &[Source],
        reads: bool,
        writes: bool,
        minus: bool,
    ) -> Lowered {
        let carry_in = if reads { Some(Test::from(self.carry())) } else { None };
        let carry_out = if writes { Some(self.carry()) } else { None };
        let value = if minus {
            self.subtract_words(a, b, carry_in, carry_out)?
        } else {
            self.add_words(a, b, carry_in, carry_out)?
        };
        self.deliver(to, &value)
    }

    /// The sum of words, or the largest number where it is larger.
    fn add_saturated_unsigned(&mut self, to: Register, a: Source, b: Source) -> Lowered {
        let over = self.function.register(RegisterClass::Predicate, 1);
        let sum = self.add_words(&[a], &[b], None, Some(over))?;
        self.emit(select(Test::from(over), number(u32::MAX), sum[0]).to(to))
    }

    /// The sum or difference of words, clamped to the range of `.s32`: where the result's sign is neither operand's, it is the largest or smallest number,
    /// by the sign of `a`.
    pub(super) fn add_saturated(
        &mut self,
        to: Register,
        a: Source,
        b: Source,
        minus: bool,
        carry: Option<Register>,
    ) -> Lowered {
        let carry = carry.map(Test::from);
        let sum = if minus {
            self.subtract_words(&[a], &[b], carry, None)?
        } else {
            self.add_words(&[a], &[b], carry, None)?
        };
        let differs = if minus { A ^ B } else { !(A ^ B) };
        let over = self.step(logic(a, b, sum[0], differs & (A ^ C)))?;
        let over = self.holds(Cmp::Lt, false, &[over.into()], &[Value::Zero.into()])?;
        let sign = self.sign(a)?;
        let bound = self.step(logic(sign, number(0x7fff_ffff), Value::Zero, A ^ B))?;
        self.emit(select(over, bound, sum[0]).to(to))
    }

    /// `add.u16x2`: the top bits are added without carry, so that nothing goes from one half to the other.
    fn add_packed(&mut self, operands: &[Operand]) -> Lowered {
        let to = self.destination(operands.first())?;
        let a = self.source(operands.get(1), Type::B32)?;
        let b = self.source(operands.get(2), Type::B32)?;
        let (held_a, held_b) = (self.held(a)?, self.held(b)?);
        let add = || Request::new(O::Viadd).from(held_a).from(held_b);
        for request in [add().flag(F::Packed, true), add().text(F::Type, "16x2")] {
            if let Some(sum) = self.attempt(request)? {
                return self.deliver(to, &[sum.into()]);
            }
        }
        let rest = number(0x7fff_7fff);
        let low_a = self.step(logic(held_a, rest, Value::Zero, A & B))?;
        let low_b = self.step(logic(held_b, rest, Value::Zero, A & B))?;
        let sum = self.step(plus(low_a, low_b))?;
        let top = self.step(logic(held_a, number(0x8000_8000), held_b, (A ^ C) & B))?;
        self.emit(logic(sum, top, Value::Zero, A ^ B).to(to))
    }

    /// `neg`
    fn negate(&mut self, variant: &Variant, operands: &[Operand]) -> Lowered {
        let of = first_type(variant)?;
        let to = self.destination(operands.first())?;
        let a = self.value(operands.get(1), of)?;
        let zero = Words::from_elem(Value::Zero.into(), a.len());
        let value = self.subtract_words(&zero, &a, None, None)?;
        self.deliver(to, &value)
    }

    /// `abs`
    fn absolute(&mut self, variant: &Variant, operands: &[Operand]) -> Lowered {
        let of = first_type(variant)?;
        let to = self.destination(operands.first())?;
        let a = match of.bits() {
            64 => self.value(operands.get(1), of)?,
            _ => Words::from_elem(self.extended(operands.get(1), of)?, 1),
        };
        let value = self.absolute_words(&a)?;
        self.deliver(to, &value)
    }

    /// The smaller or larger of two words; with `relu`, not less than 0.
    fn extreme_of(&mut self, max: bool, kind: &'static str, relu: bool, a: Source, b: Source) -> Lowered<Register> {
        let which = if max { Test::NEVER } else { Test::ALWAYS };
        let a = self.held(a)?;
        if self.selector.has(O::Vimnmx) {
            // Before sm_120 the signed form prints no type.
            let kind = match kind {
                "S32" if self.function.isa() != Isa::Sm120 => "",
                kind => kind,
            };
            let request = Request::new(O::Vimnmx).from(a).from(b).when(F::Pp, which);
            return self.step(request.text(F::Type, kind).flag(F::Relu, relu));
        }
        let unsigned = kind == "U32";
        let request = |a: Source, b: Source, which: Test| {
            let request = Request::new(O::Imnmx).from(a).from(b);
            request.flag(F::U32, unsigned).when(F::Pp, which)
        };
        let found = self.step(request(a, b, which))?;
        if relu {
            return self.step(request(found.into(), Value::Zero.into(), Test::NEVER));
        }
        Ok(found)
    }

    /// `min`, `max`
    fn extreme(&mut self, variant: &Variant, operands: &[Operand]) -> Lowered {
        let of = first_type(variant)?;
        let to = self.destination(operands.first())?;
        let max = variant.opcode == Opcode::Max;
        if of.bits() == 64 {
            let (a, b) = (self.value(operands.get(1), of)?, self.value(operands.get(2), of)?);
            let cmp = if max { Cmp::Gt } else { Cmp::Lt };
            let first = self.holds(cmp, !is_signed(of), &a, &b)?;
            return self.select_into(to, first.into(), &a, &b);
        }
        let (a, b) = (self.extended(operands.get(1), of)?, self.extended(operands.get(2), of)?);
        let kind = if is_signed(of) { "S32" } else { "U32" };
        let value = self.extreme_of(max, kind, variant.has(M::Relu), a, b)?;
        self.deliver(to, &[value.into()])
    }

    /// `min.u16x2` and its like: at once, or half by half.
    fn packed_extreme(&mut self, variant: &Variant, operands: &[Operand]) -> Lowered {
        let of = first_type(variant)?;
        let to = self.destination(operands.first())?;
        let (max, relu) = (variant.opcode == Opcode::Max, variant.has(M::Relu));
        let a = self.source(operands.get(1), Type::B32)?;
        let b = self.source(operands.get(2), Type::B32)?;
        let (kind, half, single) = match of {
            Type::U16x2 => ("U16x2", Type::U16, "U32"),
            Type::S16x2 => ("S16x2", Type::S16, "S32"),
            _ => return Err(UNSUPPORTED),
        };
        if self.selector.has(O::Vimnmx) {
            let value = self.extreme_of(max, kind, relu, a, b)?;
            return self.deliver(to, &[value.into()]);
        }
        let (low_a, low_b) = (self.extend(a, half)?, self.extend(b, half)?);
        let low = self.extreme_of(max, single, relu, low_a, low_b)?;
        let how = super::steps::Funnel { kind: single, ..RIGHT };
        let high_a = self.step(shift(Value::Zero, number(16), a, how))?;
        let high_b = self.step(shift(Value::Zero, number(16), b, how))?;
        let high = self.extreme_of(max, single, relu, high_a.into(), high_b.into())?;
        self.emit(permute(low, 0x5410, high).to(to))
    }

    /// `sad`: the third operand plus the difference of the larger and the smaller.
    fn sum_of_difference(&mut self, variant: &Variant, operands: &[Operand]) -> Lowered {
        let of = first_type(variant)?;
        let to = self.destination(operands.first())?;
        if of.bits() == 64 {
            let (a, b) = (self.value(operands.get(1), of)?, self.value(operands.get(2), of)?);
            let less = self.holds(Cmp::Lt, !is_signed(of), &a, &b)?;
            let (up, down) = (
                self.subtract_words(&b, &a, None, None)?,
                self.subtract_words(&a, &b, None, None)?,
            );
            let difference = self.select_words(less.into(), &up, &down)?;
            let c = self.value(operands.get(3), of)?;
            let value = self.add_words(&difference, &c, None, None)?;
            return self.deliver(to, &value);
        }
        let (a, b) = (self.extended(operands.get(1), of)?, self.extended(operands.get(2), of)?);
        let c = self.source(operands.get(3), of)?;
        let kind = if is_signed(of) { "S32" } else { "U32" };
        let larger = self.extreme_of(true, kind, false, a, b)?;
        let smaller = self.extreme_of(false, kind, false, a, b)?;
        let request = Request::new(O::Iadd3).from(larger).from(negated(smaller)).from(c);
        self.emit(request.to(to))
    }
}
