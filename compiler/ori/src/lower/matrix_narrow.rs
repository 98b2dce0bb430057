//! Products of matrices of types that the generation has no instruction for, made of products of wider types.
//!
//! The order of elements along the depth does not matter as long as it is the same in both factors: the low halves of all registers make one product, the
//! high halves another.

use warpsmith_ptx::table::Type;
use warpsmith_sass::{
    FieldName as F, Opcode as O,
    tables::{Cmp, Combine},
};
use warpsmith_target::Isa;

use super::{
    Lowered, Lowering, UNSUPPORTED,
    matrix::{Product, narrow_text},
    operand::is_signed,
    steps::{A, B, C, LEFT, RIGHT, logic, number, plus, product, select, shift},
    variables::unsupported,
};
use crate::{
    ir::Register,
    select::{Request, Source, Test, Value, negated},
};

impl Lowering<'_> {
    /// Each word of a register by itself, into a new one.
    fn each_word(
        &mut self,
        from: Register,
        mut step: impl FnMut(&mut Self, Source) -> Lowered<Request>,
    ) -> Lowered<Register> {
        let count = self.function.info(from).words;
        let to = self.temporary(count);
        for word in 0..count {
            let request = step(self, from.word(word).into())?;
            self.emit_bare(request.to(to.word(word)))?;
        }
        Ok(to)
    }

    /// The even or odd elements of 4 bits as bytes: signed ones 16 times as large.
    fn nibbles(&mut self, from: Register, of: Type, odd: bool) -> Lowered<Register> {
        let signed = is_signed(of);
        self.each_word(from, |lowering, source| {
            let shifted = match (signed, odd) {
                (true, true) | (false, false) => source,
                (true, false) => lowering.step(shift(source, number(4), Value::Zero, LEFT))?.into(),
                (false, true) => lowering.step(shift(Value::Zero, number(4), source, RIGHT))?.into(),
            };
            let mask = if signed { 0xf0f0_f0f0 } else { 0x0f0f_0f0f };
            Ok(logic(shifted, number(mask), Value::Zero, A & B))
        })
    }

    /// Products of 4-bit integers, of those of 8 bits.
    pub(super) fn nibble_product(
        &mut self,
        whole: &Product,
        a: Register,
        b: Register,
        c: Register,
    ) -> Lowered<Register> {
        let byte = |of: Type| if is_signed(of) { Type::S8 } else { Type::U8 };
        let [rows, columns, depth] = whole.shape;
        let part = Product {
            shape: [rows, columns, depth / 2],
            a: byte(whole.a),
            b: byte(whole.b),
            saturates: false,
            ..*whole
        };
        let mut sum = Source::from(Value::Zero);
        let mut last = None;
        for odd in [false, true] {
            let part_a = self.nibbles(a, whole.a, odd)?;
            let part_b = self.nibbles(b, whole.b, odd)?;
            let register = self.byte_product(&part, part_a, part_b, sum)?;
            sum = register.into();
            last = Some(register);
        }
        let last = last.ok_or(UNSUPPORTED)?;
        let scale = 4 * (u32::from(is_signed(whole.a)) + u32::from(is_signed(whole.b)));
        let count = if rows == 8 { 2 } else { 4 };
        let to = self.temporary(count);
        for word in 0..count {
            let mut term = Source::from(last.word(word));
            if scale > 0 {
                let arithmetic = super::steps::Funnel { kind: "S32", ..RIGHT };
                term = self.step(shift(Value::Zero, number(scale), term, arithmetic))?.into();
            }
            let sum = self.step(plus(c.word(word), term))?;
            let result = if whole.saturates {
                self.saturated_sum(c.word(word).into(), term, sum)?
            } else {
                Request::new(O::Mov).from(sum)
            };
            self.emit_bare(result.to(to.word(word)))?;
        }
        Ok(to)
    }

    /// `sum = a + b`, but the extreme of the sign of `a` where that overflows.
    fn saturated_sum(&mut self, a: Source, b: Source, sum: Register) -> Lowered<Request> {
        // The sign of (sum ^ a) & (sum ^ b).
        let overflow = self.step(logic(sum, a, b, (A ^ B) & (A ^ C)))?;
        let arithmetic = super::steps::Funnel { kind: "S32", ..RIGHT };
        let sign = self.step(shift(Value::Zero, number(31), a, arithmetic))?;
        let extreme = self.step(logic(sign, number(0x7fff_ffff), Value::Zero, A ^ B))?;
        let fits = self.compare_words(Cmp::Ge, false, overflow, Value::Zero, Combine::And, Test::ALWAYS)?;
        Ok(select(fits, sum, extreme))
    }

    /// Products of bits: the number of pairs of ones, or of unequal ones.
    pub(super) fn bit_product(&mut self, whole: &Product, a: Register, b: Register, c: Register) -> Lowered<Register> {
        let isa = self.function.isa();
        if isa >= Isa::Sm100 {
            return self.bits_as_bytes(whole, a, b, c);
        }
        if isa < Isa::Sm90 || whole.conjunction {
            let combine = if whole.conjunction { "AND" } else { "XOR" };
            return self.bits_combined(whole, combine, a, b, c);
        }
        // Unequal ones are a and not b, or b and not a.
        let not = |lowering: &mut Self, from: Register| {
            lowering.each_word(from, |_, source| Ok(logic(source, Value::Zero, Value::Zero, !A)))
        };
        let (not_a, not_b) = (not(self, a)?, not(self, b)?);
        let first = self.bits_combined(whole, "AND", a, not_b, c)?;
        self.bits_combined(whole, "AND", not_a, b, first)
    }

    /// `BMMA`
    fn bits_combined(
        &mut self,
        whole: &Product,
        combine: &'static str,
        a: Register,
        b: Register,
        c: Register,
    ) -> Lowered<Register> {
        let shape = match whole.shape {
            [8, 8, 128] => "88128",
            [16, 8, 128] => "168128",
            [16, 8, 256] => "168256",
            _ => return Err(UNSUPPORTED),
        };
        let to = self.temporary(if whole.shape[0] == 8 { 2 } else { 4 });
        self.emit(
            Request::new(O::Bmma)
                .to(to)
                .from(a)
                .from(b)
                .from(c)
                .text(F::Shape, shape)
                .text(F::Combine, combine)
                .text(F::Popc, "POPC")
                .text(F::ALayout, "ROW")
                .text(F::BLayout, "COL"),
        )?;
        Ok(to)
    }

    /// Every eighth bit of each word of a register, from this one on, as bytes: 0 and 1 of ones, or 1 and -1.
    fn bit_bytes(&mut self, from: Source, bit: u32, signs: bool) -> Lowered<Source> {
        let shifted = match bit {
            0 => from,
            _ => self.step(shift(Value::Zero, number(bit), from, RIGHT))?.into(),
        };
        let ones = self.step(logic(shifted, number(0x0101_0101), Value::Zero, A & B))?;
        if !signs {
            return Ok(ones.into());
        }
        let unit = self.copied(number(0x0101_0101))?;
        Ok(self.step(product(ones, number(0xfe), unit))?.into())
    }

    /// Products of bits where there is no instruction for them: of bytes. Equal bits multiply to 1 as signs, unequal ones to -1.
    fn bits_as_bytes(&mut self, whole: &Product, a: Register, b: Register, c: Register) -> Lowered<Register> {
        let signs = !whole.conjunction;
        let of = if signs { Type::S8 } else { Type::U8 };
        let [rows, _, depth] = whole.shape;
        let part = Product {
            shape: [16, 8, 32],
            a: of,
            b: of,
            ..*whole
        };
        // Of 128 bits of depth, two of the eight bits fill a product; of 256, one does.
        let (per_step, height) = (if depth == 128 { 2 } else { 1 }, rows / 8);
        let mut sum = Source::from(Value::Zero);
        let mut last = None;
        for first in (0..8).step_by(per_step) {
            let (part_a, part_b) = (self.temporary(4), self.temporary(2));
            for half in 0..2_u32 {
                let (bit, word) = if per_step == 2 {
                    (first as u32 + half, 0)
                } else {
                    (first as u32, half)
                };
                for row in 0..2_u32 {
                    let source = if row < height {
                        self.bit_bytes(a.word((word * height + row) as u8).into(), bit, signs)?
                    } else {
                        Value::Zero.into()
                    };
                    let to = part_a.word((2 * half + row) as u8);
                    self.emit_bare(Request::new(O::Mov).to(to).from(source))?;
                }
                let source = self.bit_bytes(b.word(word as u8).into(), bit, signs)?;
                self.emit_bare(Request::new(O::Mov).to(part_b.word(half as u8)).from(source))?;
            }
            let register = self.byte_product(&part, part_a, part_b, sum)?;
            sum = register.into();
            last = Some(register);
        }
        let last = last.ok_or(UNSUPPORTED)?;
        let count = (2 * height) as u8;
        let to = self.temporary(count);
        for word in 0..count {
            if !signs {
                self.emit_bare(plus(c.word(word), last.word(word)).to(to.word(word)))?;
                continue;
            }
            let arithmetic = super::steps::Funnel { kind: "S32", ..RIGHT };
            let half = self.step(shift(Value::Zero, number(1), last.word(word), arithmetic))?;
            let request = Request::new(O::Iadd3)
                .from(c.word(word))
                .from(number(depth / 2))
                .from(negated(half));
            self.emit_bare(request.to(to.word(word)))?;
        }
        Ok(to)
    }

    /// Products of 8-bit floating-point numbers, of those of halves, which hold them exactly. (The sum with C is a step of its own: observed,
    /// ptxas 13.0.88 for sm_90.)
    pub(super) fn widened_product(
        &mut self,
        whole: &Product,
        a: Register,
        b: Register,
        c: Register,
    ) -> Lowered<Register> {
        let known = |of: Type| matches!(of, Type::E4m3 | Type::E5m2);
        if !known(whole.a) || !known(whole.b) {
            return unsupported("this type");
        }
        let [rows, columns, depth] = whole.shape;
        let part = Product {
            shape: [rows, columns, depth / 2],
            a: Type::F16,
            b: Type::F16,
            ..*whole
        };
        let chosen = match whole.sparse {
            Some((metadata, _)) => Some((self.metadata_of_halves(metadata)?, self.spread_bytes(b)?)),
            None => None,
        };
        let mut sum = Source::from(Value::Zero);
        let mut last = None;
        for upper in [false, true] {
            let part_a = self.unpacked_bytes(a, whole.a, upper)?;
            let (part_b, sparse) = match &chosen {
                Some((metadata, parts)) => {
                    let bytes = parts[usize::from(upper)];
                    let part_b = self.unpacked_bytes(bytes, whole.b, false)?;
                    (part_b, Some((*metadata, u32::from(upper))))
                }
                None => (self.unpacked_bytes(b, whole.b, upper)?, None),
            };
            let part = Product { sparse, ..part };
            let register = self.halves_product(&part, part_a, part_b, sum)?;
            sum = register.into();
            last = Some(register);
        }
        let last = last.ok_or(UNSUPPORTED)?;
        let single = whole.d == Type::F32;
        let count = if single { 4 } else { 2 };
        let to = self.temporary(count);
        for word in 0..count {
            let opcode = if single { O::Fadd } else { O::Hadd2 };
            let request = Request::new(opcode).from(c.word(word)).from(last.word(word));
            self.emit_bare(request.to(to.word(word)))?;
        }
        Ok(to)
    }

    /// The lower or upper two bytes of each word as halves.
    fn unpacked_bytes(&mut self, from: Register, of: Type, upper: bool) -> Lowered<Register> {
        let text = narrow_text(of)?;
        let count = self.function.info(from).words;
        let to = self.temporary(count);
        for word in 0..count {
            let request = Request::new(O::F2fp)
                .to(to.word(word))
                .from(from.word(word))
                .text(F::Format, text)
                .text(F::Half, if upper { "H1" } else { "" });
            let older = request.clone().literal("UNPACK_B").text(F::SourceFormat, "F16");
            self.emit_either(request.literal("F16.UNPACK_B"), older)?;
        }
        Ok(to)
    }
}
