//! Division, reciprocal and square root with IEEE rounding.
//!
//! **Division.** With a reciprocal `y` of the divisor and a quotient `q` within an ulp, `q + (a - b*q) * y` is the rounded quotient: the remainder is
//! exact, and no quotient of two significands lies so near a value of the format, or the middle between two, that the error of `y` could matter
//! if `y` is within the rounding error of 1/b. `y` is refined once from a reciprocal of half the precision, which makes it so. The first correction,
//! to nearest, makes a quotient that is a value of the format exactly that; a second one rounds in the direction wanted.
//!
//! Where an exponent is extreme, both operands are first brought to [1, 2), with the dividend not the smaller one, so that the quotient is in [1, 2)
//! too, and `exponent` says by which power of two it is to be multiplied. Subnormal results are rounded where their last bit is, by the addition
//! of a power of two whose last bit has that value: `s = big + q` and what that lost, `e = q - (s - big)`, are exact, and `e` plus the remainder's part,
//! with the last bit set if it is inexact, is added to `s` with the rounding wanted. What `s` holds above `big` is then scaled exactly.
//!
//! **Square root.** `g + (x - g*g) * h` with `h` near 1/2g is the square root to nearest; the same correction once more rounds in another direction, as the
//! remainder's sign is exact. Small operands are scaled by an even power of two; results are never subnormal.

use warpsmith_ptx::{
    instruction::Variant,
    module::Operand,
    table::{Modifier as M, Opcode, Type},
};
use warpsmith_sass::{FieldName as F, Opcode as O};

use super::{
    Lowered, Lowering, UNSUPPORTED,
    float::{SIGN, flushing, merge, rounding},
    operand::first_type,
};
use crate::{
    ir::{BlockId, Register},
    select::{Request, Source, Test, Value, Word, absolute, negated},
};

/// A format of values in registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Format {
    double: bool,
}

impl Format {
    fn words(self) -> u8 {
        if self.double { 2 } else { 1 }
    }

    /// The word with the sign and exponent.
    fn upper(self, value: Register) -> Word {
        value.word(self.words() - 1)
    }

    /// Where the exponent starts in that word.
    fn shift(self) -> u32 {
        if self.double { 20 } else { 23 }
    }

    fn exponent_mask(self) -> u32 {
        if self.double { 0x7ff } else { 0xff }
    }

    fn bias(self) -> i32 {
        if self.double { 1023 } else { 127 }
    }

    /// The upper word of a power of two.
    fn power(self, exponent: i32) -> u32 {
        ((exponent + self.bias()) as u32) << self.shift()
    }

    /// The upper word of infinity.
    fn infinity(self) -> u32 {
        self.exponent_mask() << self.shift()
    }

    /// The bits of a significand with its sign.
    fn significand(self) -> u32 {
        SIGN | ((1 << self.shift()) - 1)
    }

    /// A result exponent below all that give other results than the smallest.
    fn least_exponent(self) -> i32 {
        if self.double { -1140 } else { -167 }
    }

    /// The power of two that makes subnormal operands of a division normal.
    fn lift(self) -> i32 {
        if self.double { 64 } else { 32 }
    }
}

/// A quotient with what it was made from.
#[derive(Clone, Copy, Debug)]
struct Rounded {
    /// As the instruction rounds.
    value: Register,
    /// To nearest.
    nearest: Register,
    /// What that leaves of the dividend.
    remainder: Register,
    /// The reciprocal of the divisor.
    y: Register,
}

/// A branch whose target is not laid out yet.
#[derive(Clone, Copy, Debug)]
struct Jump {
    block: BlockId,
    index: usize,
}

impl Lowering<'_> {
    /// Division, reciprocal and square root that round.
    pub(super) fn divide_exactly(&mut self, variant: &Variant, operands: &[Operand]) -> Lowered {
        let of = first_type(variant)?;
        let format = match of {
            Type::F32 => Format { double: false },
            Type::F64 => Format { double: true },
            _ => return Err(UNSUPPORTED),
        };
        let (rounding, flushes) = (rounding(variant), variant.has(M::Ftz));
        let value = match variant.opcode {
            Opcode::Div => {
                let a = self.in_register(operands.get(1), of)?;
                let b = self.in_register(operands.get(2), of)?;
                self.quotient(format, a, b, rounding, flushes)?
            }
            Opcode::Rcp if !format.double && rounding.is_empty() => {
                let b = self.in_register(operands.get(1), of)?;
                self.reciprocal_to_nearest(b, flushes)?
            }
            Opcode::Rcp => {
                let one = self.power_of_two(format, 0)?;
                let b = self.in_register(operands.get(1), of)?;
                self.quotient(format, one, b, rounding, flushes)?
            }
            Opcode::Sqrt => {
                let a = self.in_register(operands.get(1), of)?;
                self.square_root(format, a, rounding, flushes)?
            }
            _ => return Err(UNSUPPORTED),
        };
        self.deliver_float(operands.first(), value)
    }

    /// Branches where the test holds, to where [`Lowering::land`] is called.
    fn jump_if(&mut self, test: Test) -> Lowered<Jump> {
        let block = self.block;
        self.emit_bare(Request::new(O::Bra).form("L").target(block).guarded(test))?;
        let index = self.function.blocks[block.0 as usize].code.len() - 1;
        self.new_block();
        Ok(Jump { block, index })
    }

    /// The place to which a branch goes.
    fn land(&mut self, jump: Jump) {
        let target = self.new_block();
        let code = &mut self.function.blocks[jump.block.0 as usize].code;
        if let Some(branch) = code.get_mut(jump.index) {
            branch.target = Some(target);
        }
    }

    /// 2^exponent in a register.
    fn power_of_two(&mut self, format: Format, exponent: i32) -> Lowered<Register> {
        let value = self.temporary(format.words());
        self.set_power(format, value, Value::Immediate(format.power(exponent)))?;
        Ok(value)
    }

    /// Sets the upper word, and the lower one to zero.
    fn set_power(&mut self, format: Format, value: Register, upper: impl Into<Source>) -> Lowered {
        if format.double {
            self.emit_bare(Request::new(O::Mov).to(value.word(0)).from(Value::Zero))?;
        }
        self.emit_bare(Request::new(O::Mov).to(format.upper(value)).from(upper))
    }

    fn copy_value(&mut self, format: Format, from: Register) -> Lowered<Register> {
        let value = self.temporary(format.words());
        self.set_value(format, value, from, Test::ALWAYS)?;
        Ok(value)
    }

    /// Sets a value where the test holds.
    fn set_value(&mut self, format: Format, to: Register, from: Register, test: impl Into<Test>) -> Lowered {
        let test = test.into();
        for word in 0..format.words() {
            self.emit_bare(
                Request::new(O::Mov)
                    .to(to.word(word))
                    .from(from.word(word))
                    .guarded(test),
            )?;
        }
        Ok(())
    }

    /// `a * b + c`; `a * b` and `a + c` where the other is absent.
    fn calculate(
        &mut self,
        format: Format,
        to: Register,
        (a, b, c): (Source, Option<Source>, Option<Source>),
        rounding: &'static str,
    ) -> Lowered {
        let opcode = match (format.double, b.is_some(), c.is_some()) {
            (false, true, true) => O::Ffma,
            (false, true, false) => O::Fmul,
            (false, false, _) => O::Fadd,
            (true, true, true) => O::Dfma,
            (true, true, false) => O::Dmul,
            (true, false, _) => O::Dadd,
        };
        let request = Request::new(opcode).to(to).text(F::Round, rounding).from(a);
        let request = b.into_iter().chain(c).fold(request, Request::from);
        self.emit_bare(request)
    }

    /// `a * b + c` in a new register.
    fn fused(
        &mut self,
        format: Format,
        a: impl Into<Source>,
        b: impl Into<Source>,
        c: impl Into<Source>,
        rounding: &'static str,
    ) -> Lowered<Register> {
        let to = self.temporary(format.words());
        self.calculate(format, to, (a.into(), Some(b.into()), Some(c.into())), rounding)?;
        Ok(to)
    }

    fn product(&mut self, format: Format, a: impl Into<Source>, b: impl Into<Source>) -> Lowered<Register> {
        let to = self.temporary(format.words());
        self.calculate(format, to, (a.into(), Some(b.into()), None), "")?;
        Ok(to)
    }

    fn sum(
        &mut self,
        format: Format,
        a: impl Into<Source>,
        c: impl Into<Source>,
        rounding: &'static str,
    ) -> Lowered<Register> {
        let to = self.temporary(format.words());
        self.calculate(format, to, (a.into(), None, Some(c.into())), rounding)?;
        Ok(to)
    }

    /// An integer comparison of words.
    fn compares_words(&mut self, cmp: &'static str, unsigned: bool, a: impl Into<Source>, b: u32) -> Lowered<Register> {
        let p = self.predicate();
        self.emit_bare(
            Request::new(O::Isetp)
                .sets(F::Pu, p)
                .from(a)
                .from(Value::Immediate(b))
                .text(F::Cmp, cmp)
                .text(F::Combine, "AND")
                .flag(F::U32, unsigned)
                .when(F::Pp, Test::ALWAYS),
        )?;
        Ok(p)
    }

    fn add_integers(&mut self, a: impl Into<Source>, b: impl Into<Source>) -> Lowered<Register> {
        let to = self.temporary(1);
        self.emit_bare(Request::new(O::Iadd3).to(to).from(a).from(b).from(Value::Zero))?;
        Ok(to)
    }

    /// Some bits of a word, the others zero.
    fn bits_of(&mut self, word: impl Into<Source>, mask: u32) -> Lowered<Register> {
        let to = self.temporary(1);
        self.emit_bare(
            Request::new(O::Lop3)
                .literal("LUT")
                .to(to)
                .from(word)
                .from(Value::Immediate(mask))
                .from(Value::Zero)
                .from(Value::Immediate(0xc0)),
        )?;
        Ok(to)
    }

    fn shift_left(&mut self, a: impl Into<Source>, by: u32) -> Lowered<Register> {
        let to = self.temporary(1);
        self.emit_bare(
            Request::new(O::Shf)
                .to(to)
                .from(a)
                .from(Value::Immediate(by))
                .from(Value::Zero)
                .text(F::Direction, "L")
                .text(F::Type, "U32"),
        )?;
        Ok(to)
    }

    fn shift_right(&mut self, a: impl Into<Source>, by: u32, kind: &'static str) -> Lowered<Register> {
        let to = self.temporary(1);
        self.emit_bare(
            Request::new(O::Shf)
                .to(to)
                .from(Value::Zero)
                .from(Value::Immediate(by))
                .from(a)
                .text(F::Direction, "R")
                .text(F::Type, kind)
                .flag(F::High, true),
        )?;
        Ok(to)
    }

    /// Subnormal values of f32 become zeros.
    fn flush(&mut self, value: Register) -> Lowered {
        self.emit_bare(
            Request::new(O::Fmul)
                .to(value)
                .from(value)
                .from(Value::Immediate(0x3f80_0000))
                .text(F::Denormal, flushing(true)),
        )
    }

    /// Whether a value is finite and not zero, and the test holds.
    fn is_ordinary(&mut self, format: Format, value: Register, also: impl Into<Test>) -> Lowered<Register> {
        let infinity = Value::Immediate(format.infinity());
        let finite = self.compares(format.double, "LT", absolute(value), infinity, also)?;
        self.compares(format.double, "GT", absolute(value), Value::Zero, finite)
    }

    /// The machine's reciprocal or reciprocal square root, of the upper word for f64.
    fn estimate(
        &mut self,
        format: Format,
        single: &'static str,
        double: &'static str,
        of: Register,
    ) -> Lowered<Register> {
        let value = self.temporary(format.words());
        let name = if format.double { double } else { single };
        if format.double {
            self.emit_bare(Request::new(O::Mov).to(value.word(0)).from(Value::Zero))?;
        }
        self.special_function(name, format.upper(value), format.upper(of))?;
        Ok(value)
    }

    fn quotient(
        &mut self,
        format: Format,
        a: Register,
        b: Register,
        rounding: &'static str,
        flushes: bool,
    ) -> Lowered<Register> {
        let extreme = self.is_extreme(format, a, b)?;
        let short = self.rounded_quotient(format, a, b, rounding)?.value;
        let quotient = self.copy_value(format, short)?;
        let usual = self.jump_if(Test::from(extreme).opposite())?;
        self.long_quotient(format, quotient, [a, b], rounding, flushes)?;
        self.land(usual);
        Ok(quotient)
    }

    /// 1/b of f32 to nearest: one step from the machine's reciprocal suffices (as in ptxas' code; [`tests::one_step_rounds_all_reciprocals`]).
    fn reciprocal_to_nearest(&mut self, b: Register, flushes: bool) -> Lowered<Register> {
        let format = Format { double: false };
        // Exponents from -126 to 125: the others' reciprocals are subnormal, or they are themselves, infinite or NaN.
        let least = Value::Immediate(0x0180_0000);
        let above = self.add_integers(b, least)?;
        let field = self.bits_of(above, format.infinity())?;
        let usual = self.compares_words("GT", true, field, 0x01ff_ffff)?;
        let y = self.estimate(format, "RCP", "RCP64H", b)?;
        let one = self.power_of_two(format, 0)?;
        let error = self.fused(format, negated(b), y, one, "")?;
        let short = self.fused(format, y, error, y, "")?;
        let quotient = self.copy_value(format, short)?;
        let usual = self.jump_if(Test::from(usual))?;
        self.long_quotient(format, quotient, [one, b], "", flushes)?;
        self.land(usual);
        Ok(quotient)
    }

    /// The quotient of operands whose exponents are not extreme.
    fn rounded_quotient(
        &mut self,
        format: Format,
        dividend: Register,
        divisor: Register,
        rounding: &'static str,
    ) -> Lowered<Rounded> {
        let one = self.power_of_two(format, 0)?;
        let y = self.refined_reciprocal(format, divisor, one)?;
        let first = self.product(format, dividend, y)?;
        let remainder = self.fused(format, negated(divisor), first, dividend, "")?;
        let nearest = self.fused(format, remainder, y, first, "")?;
        let remainder = self.fused(format, negated(divisor), nearest, dividend, "")?;
        let value = match rounding {
            "" => nearest,
            rounding => self.fused(format, remainder, y, nearest, rounding)?,
        };
        Ok(Rounded {
            value,
            nearest,
            remainder,
            y,
        })
    }

    /// Sets a quotient whatever the operands are.
    fn long_quotient(
        &mut self,
        format: Format,
        quotient: Register,
        [a, b]: [Register; 2],
        rounding: &'static str,
        flushes: bool,
    ) -> Lowered {
        let (a, b) = (self.copy_value(format, a)?, self.copy_value(format, b)?);
        if flushes {
            self.flush(a)?;
            self.flush(b)?;
        }
        let normal = [self.temporary(format.words()), self.temporary(format.words())];
        let exponent = self.temporary(1);
        self.normalise(format, [a, b], normal, exponent)?;
        let rounded = self.rounded_quotient(format, normal[0], normal[1], rounding)?;
        self.set_value(format, quotient, rounded.value, Test::ALWAYS)?;
        let sign = self.sign_of_quotient(format, a, b)?;
        let subnormal = self.compares_words("LT", false, exponent, (1 - format.bias()) as u32)?;
        if flushes {
            self.emit_bare(Request::new(O::Mov).to(quotient).from(Value::Zero).guarded(subnormal))?;
        } else {
            let small = self.round_subnormal(format, &rounded, exponent, sign, rounding)?;
            self.set_value(format, quotient, small, subnormal)?;
        }
        self.scale(format, quotient, exponent, rounding)?;
        self.emit_bare(merge(format.upper(quotient), SIGN, sign).to(format.upper(quotient)))?;
        self.special_quotient(format, quotient, a, b)
    }

    /// Whether the short sequence may go wrong: FCHK says so for f32; for f64 exponents out of the middle range do.
    fn is_extreme(&mut self, format: Format, a: Register, b: Register) -> Lowered<Register> {
        let p = self.predicate();
        if !format.double {
            self.emit_bare(Request::new(O::Fchk).sets(F::Pu, p).from(a).from(b))?;
            return Ok(p);
        }
        // Exponents from -423 to 423: quotients are normal, and remainders have all their bits.
        let (least, count) = (600_u32, 847_u32);
        let mut also: Option<Register> = None;
        for value in [a, b] {
            let magnitude = self.shift_left(format.upper(value), 1)?;
            let above = self.add_integers(magnitude, Value::Immediate((least << 21).wrapping_neg()))?;
            let p = self.predicate();
            let (combine, test) = match also {
                Some(also) => ("OR", Test::from(also)),
                None => ("AND", Test::ALWAYS),
            };
            self.emit_bare(
                Request::new(O::Isetp)
                    .sets(F::Pu, p)
                    .from(above)
                    .from(Value::Immediate(count << 21))
                    .text(F::Cmp, "GE")
                    .text(F::Combine, combine)
                    .flag(F::U32, true)
                    .when(F::Pp, test),
            )?;
            also = Some(p);
        }
        Ok(also.unwrap_or(p))
    }

    /// Brings the operands to [1, 2), or the dividend to [1, 4) where it would be below the divisor, and gives the quotient's exponent.
    fn normalise(
        &mut self,
        format: Format,
        values: [Register; 2],
        normal: [Register; 2],
        exponent: Register,
    ) -> Lowered {
        let lift = self.power_of_two(format, format.lift())?;
        let smallest = Value::Immediate(1 << format.shift());
        let one = self.temporary(1);
        self.emit_bare(Request::new(O::Mov).to(one).from(Value::Immediate(format.power(0))))?;
        let mut exponents = Vec::new();
        for (value, normal) in values.into_iter().zip(normal) {
            self.set_value(format, normal, value, Test::ALWAYS)?;
            let small = self.compares(format.double, "LT", absolute(value), smallest, Test::ALWAYS)?;
            let opcode = if format.double { O::Dmul } else { O::Fmul };
            self.emit_bare(Request::new(opcode).to(normal).from(normal).from(lift).guarded(small))?;
            let field = self.shift_right(format.upper(normal), format.shift(), "U32")?;
            let of_value = self.bits_of(field, format.exponent_mask())?;
            self.emit_bare(
                Request::new(O::Iadd3)
                    .to(of_value)
                    .from(of_value)
                    .from(Value::Immediate(format.lift().wrapping_neg() as u32))
                    .from(Value::Zero)
                    .guarded(small),
            )?;
            exponents.push(of_value);
            self.emit_bare(
                Request::new(O::Lop3)
                    .literal("LUT")
                    .to(format.upper(normal))
                    .from(format.upper(normal))
                    .from(Value::Immediate(format.significand()))
                    .from(one)
                    .from(Value::Immediate(0xea)),
            )?;
        }
        let ([of_a, of_b], [a, b]) = (exponents[..].try_into().map_err(|_| UNSUPPORTED)?, normal);
        let (of_a, of_b): (Register, Register) = (of_a, of_b);
        self.emit_bare(
            Request::new(O::Iadd3)
                .to(exponent)
                .from(of_a)
                .from(negated(of_b))
                .from(Value::Zero),
        )?;
        let below = self.compares(format.double, "LT", absolute(a), absolute(b), Test::ALWAYS)?;
        let opcode = if format.double { O::Dadd } else { O::Fadd };
        self.emit_bare(Request::new(opcode).to(a).from(a).from(a).guarded(below))?;
        self.emit_bare(
            Request::new(O::Iadd3)
                .to(exponent)
                .from(exponent)
                .from(Value::Immediate(u32::MAX))
                .from(Value::Zero)
                .guarded(below),
        )
    }

    /// 1/b, within the rounding error.
    fn refined_reciprocal(&mut self, format: Format, b: Register, one: Register) -> Lowered<Register> {
        let mut y = self.estimate(format, "RCP", "RCP64H", b)?;
        if format.double {
            // From 2^-20 to 2^-60: e + e^2 with the error e.
            let error = self.fused(format, negated(b), y, one, "")?;
            let error = self.fused(format, error, error, error, "")?;
            y = self.fused(format, y, error, y, "")?;
        }
        let mut error = self.fused(format, negated(b), y, one, "")?;
        if format.double {
            // Of a divisor just below a power of two the reciprocal is just above the middle between two values: the square of the error counts,
            // rounded up.
            error = self.fused(format, error, error, error, "RP")?;
        }
        self.fused(format, y, error, y, "")
    }

    fn sign_of_quotient(&mut self, format: Format, a: Register, b: Register) -> Lowered<Register> {
        let sign = self.temporary(1);
        // (a ^ b) & c
        self.emit_bare(
            Request::new(O::Lop3)
                .literal("LUT")
                .to(sign)
                .from(format.upper(a))
                .from(Value::Immediate(SIGN))
                .from(format.upper(b))
                .from(Value::Immediate(0x48)),
        )?;
        Ok(sign)
    }

    /// The quotient rounded where the last bit of a subnormal result is, still in [1, 2) or below.
    fn round_subnormal(
        &mut self,
        format: Format,
        &Rounded {
            nearest, remainder, y, ..
        }: &Rounded,
        exponent: Register,
        sign: Register,
        rounding: &'static str,
    ) -> Lowered<Register> {
        let least = Value::Immediate(format.least_exponent() as u32);
        let bounded = self.temporary(1);
        let low = self.compares_words("LT", false, exponent, format.least_exponent() as u32)?;
        self.emit_bare(
            Request::new(O::Sel)
                .to(bounded)
                .from(exponent)
                .from(least)
                .when(F::Pp, Test::from(low).opposite()),
        )?;
        // 2^(1 - bias - exponent), with the sign: its exponent field is 1 - exponent.
        let field = self.add_integers(Value::Immediate(1), negated(bounded))?;
        let upper = self.shift_left(field, format.shift())?;
        let upper = {
            let signed = self.temporary(1);
            self.emit_bare(merge(upper, SIGN, sign).to(signed))?;
            signed
        };
        let big = self.temporary(format.words());
        self.set_power(format, big, upper)?;
        let sum = self.sum(format, big, nearest, "")?;
        let kept = self.sum(format, sum, negated(big), "")?;
        let lost = self.sum(format, nearest, negated(kept), "")?;
        let rest = self.fused(format, remainder, y, lost, "RZ")?;
        let inexact = self.compares(format.double, "NEU", remainder, Value::Zero, Test::ALWAYS)?;
        self.emit_bare(
            Request::new(O::Lop3)
                .literal("LUT")
                .to(rest.word(0))
                .from(rest.word(0))
                .from(Value::Immediate(1))
                .from(Value::Zero)
                .from(Value::Immediate(0xfc))
                .guarded(inexact),
        )?;
        let rounded = self.sum(format, sum, rest, rounding)?;
        self.sum(format, rounded, negated(big), "")
    }

    /// Multiplies by 2^exponent, in two steps of which only the second may round.
    fn scale(&mut self, format: Format, value: Register, exponent: Register, rounding: &'static str) -> Lowered {
        let bounded = self.copy_word(exponent)?;
        // Beyond these, all results are the same.
        for (cmp, limit) in [("LT", format.least_exponent()), ("GT", format.bias() + 3)] {
            let beyond = self.compares_words(cmp, false, bounded, limit as u32)?;
            let limit = Value::Immediate(limit as u32);
            self.emit_bare(Request::new(O::Mov).to(bounded).from(limit).guarded(beyond))?;
        }
        let first = self.shift_right(bounded, 1, "S32")?;
        let second = self.add_integers(bounded, negated(first))?;
        for (part, rounding) in [(first, ""), (second, rounding)] {
            let field = self.add_integers(part, Value::Immediate(format.bias() as u32))?;
            let upper = self.shift_left(field, format.shift())?;
            let factor = self.temporary(format.words());
            self.set_power(format, factor, upper)?;
            self.calculate(format, value, (value.into(), Some(factor.into()), None), rounding)?;
        }
        Ok(())
    }

    /// Replaces the quotient where an operand is zero, infinite or NaN: by the dividend times the machine's reciprocal, or times ±1 where the divisor is
    /// finite and not zero.
    fn special_quotient(&mut self, format: Format, quotient: Register, a: Register, b: Register) -> Lowered {
        let divisor_ordinary = self.is_ordinary(format, b, Test::ALWAYS)?;
        let both = self.is_ordinary(format, a, divisor_ordinary)?;
        let factor = self.estimate(format, "RCP", "RCP64H", b)?;
        let upper = self.temporary(1);
        let one = Value::Immediate(format.power(0));
        let from_one = self.copy_word(one)?;
        self.emit_bare(merge(from_one, SIGN, format.upper(b)).to(upper))?;
        self.emit_bare(
            Request::new(O::Mov)
                .to(format.upper(factor))
                .from(upper)
                .guarded(divisor_ordinary),
        )?;
        if format.double {
            // A NaN keeps its payload.
            let nan = self.compares(true, "NAN", b, b, Test::ALWAYS)?;
            self.set_value(format, factor, b, nan)?;
        }
        let special = self.product(format, a, factor)?;
        self.set_value(format, quotient, special, Test::from(both).opposite())
    }

    fn square_root(&mut self, format: Format, x: Register, rounding: &'static str, flushes: bool) -> Lowered<Register> {
        // From these, remainders have all their bits, to below infinity.
        let (least, lift) = if format.double {
            (0x0350_0000_u32, 256)
        } else {
            (0x0d00_0000_u32, 64)
        };
        let above = self.add_integers(format.upper(x), Value::Immediate(least.wrapping_neg()))?;
        let extreme = self.compares_words("GE", true, above, format.infinity() - least)?;
        let short = self.rounded_root(format, x, rounding)?;
        let root = self.copy_value(format, short)?;
        let usual = self.jump_if(Test::from(extreme).opposite())?;
        let x = self.copy_value(format, x)?;
        if flushes {
            self.flush(x)?;
        }
        let factor = self.power_of_two(format, lift)?;
        let scaled = self.product(format, x, factor)?;
        let long = self.rounded_root(format, scaled, rounding)?;
        let factor = self.power_of_two(format, -lift / 2)?;
        self.calculate(format, root, (long.into(), Some(factor.into()), None), "")?;
        self.special_root(format, root, x)?;
        self.land(usual);
        Ok(root)
    }

    /// The root of an operand that is not extreme.
    fn rounded_root(&mut self, format: Format, x: Register, rounding: &'static str) -> Lowered<Register> {
        let (nearest, half) = if format.double {
            self.square_root_of_double(format, x)?
        } else {
            self.square_root_of_single(format, x)?
        };
        if rounding.is_empty() {
            return Ok(nearest);
        }
        let remainder = self.fused(format, negated(nearest), nearest, x, "")?;
        self.fused(format, remainder, half, nearest, rounding)
    }

    /// The root to nearest and half the reciprocal root.
    fn square_root_of_single(&mut self, format: Format, x: Register) -> Lowered<(Register, Register)> {
        let y = self.estimate(format, "RSQ", "RSQ64H", x)?;
        let g = self.product(format, x, y)?;
        let half = self.product(format, y, Value::Immediate(0x3f00_0000))?;
        let remainder = self.fused(format, negated(g), g, x, "")?;
        Ok((self.fused(format, remainder, half, g, "")?, half))
    }

    fn square_root_of_double(&mut self, format: Format, x: Register) -> Lowered<(Register, Register)> {
        let y = self.estimate(format, "RSQ", "RSQ64H", x)?;
        let y = self.refine_reciprocal_root(x, y)?;
        let g = self.product(format, x, y)?;
        let half_one = self.power_of_two(format, -1)?;
        let half = self.product(format, y, half_one)?;
        let remainder = self.fused(format, negated(g), g, x, "")?;
        Ok((self.fused(format, remainder, half, g, "")?, half))
    }

    /// One step of third order towards 1/√x.
    fn refine_reciprocal_root(&mut self, x: Register, y: Register) -> Lowered<Register> {
        let format = Format { double: true };
        let one = self.power_of_two(format, 0)?;
        let three_eighths = self.temporary(2);
        self.set_power(format, three_eighths, Value::Immediate(0x3fd8_0000))?;
        let half = self.power_of_two(format, -1)?;
        let square = self.product(format, y, y)?;
        let error = self.fused(format, x, negated(square), one, "")?;
        let series = self.fused(format, error, three_eighths, half, "")?;
        let correction = self.product(format, y, error)?;
        self.fused(format, series, correction, y, "")
    }

    /// Replaces the root of zeros, infinity and NaN by the operand, quieted, and of other values below zero by NaN.
    fn special_root(&mut self, format: Format, root: Register, x: Register) -> Lowered {
        let infinity = Value::Immediate(format.infinity());
        let positive = self.compares(format.double, "GT", x, Value::Zero, Test::ALWAYS)?;
        let ordinary = self.compares(format.double, "LT", x, infinity, positive)?;
        let itself = self.sum(format, x, x, "")?;
        self.set_value(format, root, itself, Test::from(ordinary).opposite())?;
        let below = self.compares(format.double, "LT", x, Value::Zero, Test::ALWAYS)?;
        self.set_to_nan(format, root, below)
    }

    /// The NaN of an invalid operation.
    fn set_to_nan(&mut self, format: Format, value: Register, test: Register) -> Lowered {
        let upper = if format.double { 0xfff8_0000 } else { 0x7fff_ffff };
        if format.double {
            self.emit_bare(Request::new(O::Mov).to(value.word(0)).from(Value::Zero).guarded(test))?;
        }
        let upper = Value::Immediate(upper);
        self.emit_bare(Request::new(O::Mov).to(format.upper(value)).from(upper).guarded(test))
    }

    /// `rsqrt.approx.f64`: the machine's value refined once, with subnormal operands lifted.
    pub(super) fn reciprocal_square_root(&mut self, a: Register, operands: &[Operand]) -> Lowered {
        let format = Format { double: true };
        let smallest = Value::Immediate(1 << format.shift());
        let small = self.compares(true, "LT", absolute(a), smallest, Test::ALWAYS)?;
        let scaled = self.copy_value(format, a)?;
        let lift = self.power_of_two(format, 54)?;
        self.emit_bare(Request::new(O::Dmul).to(scaled).from(scaled).from(lift).guarded(small))?;
        let y = self.estimate(format, "RSQ", "RSQ64H", scaled)?;
        let root = self.refine_reciprocal_root(scaled, y)?;
        let lift = self.power_of_two(format, 27)?;
        self.emit_bare(Request::new(O::Dmul).to(root).from(root).from(lift).guarded(small))?;
        // Zeros give infinity of their sign, infinity zero, NaN itself, quieted.
        let infinity = Value::Immediate(format.infinity());
        let infinite = self.compares(true, "EQ", a, infinity, Test::ALWAYS)?;
        let zero = self.compares(true, "EQ", a, Value::Zero, Test::ALWAYS)?;
        let nan = self.compares(true, "NAN", a, a, Test::ALWAYS)?;
        let below = self.compares(true, "LT", a, Value::Zero, Test::ALWAYS)?;
        let itself = self.sum(format, a, a, "")?;
        self.set_value(format, root, itself, nan)?;
        let nothing = self.temporary(2);
        self.set_power(format, nothing, Value::Zero)?;
        self.set_value(format, root, nothing, infinite)?;
        let upper = self.copy_word(Value::Immediate(format.infinity()))?;
        self.emit_bare(merge(upper, SIGN, format.upper(a)).to(upper))?;
        self.set_power(format, nothing, upper)?;
        self.set_value(format, root, nothing, zero)?;
        self.set_to_nan(format, root, below)?;
        self.deliver_float(operands.first(), root)
    }
}

#[cfg(test)]
mod tests {
    use warpsmith_numerics::approximate::reciprocal;

    /// Reciprocals of all significands: those of other exponents are the same, scaled.
    #[test]
    fn one_step_rounds_all_reciprocals() {
        for significand in 0..1_u32 << 23 {
            let b = f32::from_bits(significand | 0x3f80_0000);
            let y = f32::from_bits(reciprocal(b.to_bits(), false));
            let error = (-b).mul_add(y, 1.0);
            assert_eq!(y.mul_add(error, y), 1.0 / b, "of {b}");
        }
    }
}
