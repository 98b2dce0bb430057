//! Conversions between scalar types: `cvt` with one source value.
//!
//! Values of 8 and 16 bits are extended from their registers' lowest bits where that counts, and results fill their register.

use warpsmith_ptx::{
    instruction::Variant,
    module::Operand,
    table::{Modifier as M, Type, TypeKind},
};
use warpsmith_sass::{FieldName as F, Opcode as O, tables::Cmp};

use super::{
    Lowered, Lowering, UNSUPPORTED,
    float::{rounding, unsupported},
    operand::is_signed,
    steps::{self, A, B, C, logic, select},
};
use crate::{
    ir::Register,
    select::{Request, Source, Test, Value, absolute},
};

/// Which values a type of conversion has.
fn is_whole(of: Type) -> bool {
    matches!(of.kind(), TypeKind::Unsigned | TypeKind::Signed) && matches!(of.bits(), 8 | 16 | 32 | 64)
}

fn is_real(of: Type) -> bool {
    matches!(of, Type::F16 | Type::Bf16 | Type::F32 | Type::F64)
}

/// An integer type as F2I and I2F name it; s32 is not named.
fn integer_text(of: Type) -> &'static str {
    match (is_signed(of), of.bits()) {
        (false, 8) => "U8",
        (false, 16) => "U16",
        (false, 32) => "U32",
        (false, _) => "U64",
        (true, 8) => "S8",
        (true, 16) => "S16",
        (true, 32) => "",
        (true, _) => "S64",
    }
}

/// A floating-point type as conversions name it.
fn real_text(of: Type) -> &'static str {
    match of {
        Type::F16 => "F16",
        Type::Bf16 => "BF16",
        Type::F64 => "F64",
        _ => "F32",
    }
}

/// The direction of a conversion to an integral value.
fn integral_rounding(variant: &Variant) -> Option<&'static str> {
    [(M::Rni, ""), (M::Rzi, "TRUNC"), (M::Rmi, "FLOOR"), (M::Rpi, "CEIL")]
        .into_iter()
        .find_map(|(modifier, text)| variant.has(modifier).then_some(text))
}

impl Lowering<'_> {
    /// `cvt`
    pub(super) fn convert(&mut self, variant: &Variant, operands: &[Operand]) -> Lowered {
        let mut types = variant.types();
        let (to, from) = (types.next().ok_or(UNSUPPORTED)?, types.next().ok_or(UNSUPPORTED)?);
        match (to, from) {
            _ if is_whole(to) && is_whole(from) => self.convert_integer(variant, operands, to, from),
            _ if is_whole(to) && is_real(from) => self.convert_to_integer(variant, operands, to, from),
            _ if is_real(to) && is_whole(from) => self.convert_from_integer(variant, operands, to, from),
            _ if is_real(to) && is_real(from) => self.convert_real(variant, operands, to, from),
            _ => self.convert_packed(variant, operands, to, from),
        }
    }

    /// A value of 8 or 16 bits in all bits of a word; others as they are.
    fn widened(&mut self, value: impl Into<Source>, of: Type) -> Lowered<Register> {
        let selector = match (of.bits(), is_signed(of)) {
            (8, false) => 0x7770,
            (8, true) => 0x8880,
            (16, false) => 0x7710,
            (16, true) => 0x9910,
            _ => return self.copy_word(value),
        };
        let to = self.temporary(1);
        self.emit_bare(
            Request::new(O::Prmt)
                .to(to)
                .from(value)
                .from(Value::Immediate(selector))
                .from(Value::Zero),
        )?;
        Ok(to)
    }

    /// The word above a value's: its sign.
    fn sign_word(&mut self, value: Register) -> Lowered<Register> {
        let to = self.temporary(1);
        self.emit_bare(
            Request::new(O::Shf)
                .to(to)
                .from(Value::Zero)
                .from(Value::Immediate(31))
                .from(value)
                .text(F::Direction, "R")
                .text(F::Type, "S32")
                .flag(F::High, true),
        )?;
        Ok(to)
    }

    /// Delivers an integer whose words hold it and what is above it, extended to its register.
    fn deliver_integer(&mut self, operand: Option<&Operand>, value: Register, of: Type) -> Lowered {
        if of.bits() == 64 {
            return self.deliver_float(operand, value);
        }
        let to = self.destination(operand)?;
        let low = self.widened(value.word(0), of)?;
        if self.function.info(to).words < 2 || !is_signed(of) {
            return self.deliver_float(operand, low);
        }
        let high = self.sign_word(low)?;
        let both = self.temporary(2);
        self.emit_bare(Request::new(O::Mov).to(both.word(0)).from(low))?;
        self.emit_bare(Request::new(O::Mov).to(both.word(1)).from(high))?;
        self.deliver_float(operand, both)
    }

    /// Between integers.
    fn convert_integer(&mut self, variant: &Variant, operands: &[Operand], to: Type, from: Type) -> Lowered {
        // Both words of the value in the source's own type, extended to 64 bits.
        let wide = self.temporary(2);
        let low = self.word(operands.get(1), from, 0)?;
        let low = self.widened(low, from)?;
        self.emit_bare(Request::new(O::Mov).to(wide.word(0)).from(low))?;
        let high: Source = if from.bits() == 64 {
            self.word(operands.get(1), from, 1)?
        } else if is_signed(from) {
            self.sign_word(low)?.into()
        } else {
            Value::Zero.into()
        };
        self.emit_bare(Request::new(O::Mov).to(wide.word(1)).from(high))?;
        if variant.has(M::Sat) {
            self.clamp(wide, to, from)?;
        }
        self.deliver_integer(operands.first(), wide, to)
    }

    /// Clamps a value of 64 bits to the range of a type.
    fn clamp(&mut self, value: Register, to: Type, from: Type) -> Lowered {
        let ones = |bits: u32| if bits >= 64 { u64::MAX } else { (1 << bits) - 1 };
        let (low, high) = if is_signed(to) {
            (!ones(to.bits() - 1), ones(to.bits() - 1))
        } else {
            (0, ones(to.bits()))
        };
        // A bound that the source cannot pass is not looked at: 64-bit bounds would read the other type's sign wrongly.
        let signed = is_signed(from);
        if signed {
            let below = self.beyond(value, low, true, true)?;
            self.set_limit(value, low, below)?;
        }
        if !(signed && to.bits() == 64) {
            let above = self.beyond(value, high, signed, false)?;
            self.set_limit(value, high, above)?;
        }
        Ok(())
    }

    /// Whether a value of 64 bits is below or above a limit.
    fn beyond(&mut self, value: Register, limit: u64, signed: bool, below: bool) -> Lowered<Register> {
        let cmp = if below { Cmp::Lt } else { Cmp::Gt };
        let value = [0, 1].map(|word| Source::from(value.word(word)));
        let limit = [limit as u32, (limit >> 32) as u32].map(|part| match part {
            0 => Value::Zero.into(),
            part => Source::from(Value::Immediate(part)),
        });
        self.holds(cmp, !signed, &value, &limit)
    }

    fn set_limit(&mut self, value: Register, limit: u64, test: Register) -> Lowered {
        for (word, part) in [(0, limit as u32), (1, (limit >> 32) as u32)] {
            let part = Value::Immediate(part);
            self.emit_bare(Request::new(O::Mov).to(value.word(word)).from(part).guarded(test))?;
        }
        Ok(())
    }

    /// From floating point to integers: values out of range become the nearest in range.
    fn convert_to_integer(&mut self, variant: &Variant, operands: &[Operand], to: Type, from: Type) -> Lowered {
        let round = integral_rounding(variant).ok_or(UNSUPPORTED)?;
        let flushes = variant.has(M::Ftz);
        if flushes && from != Type::F32 || variant.has(M::Relu) {
            return Err(UNSUPPORTED);
        }
        let a = self.in_register(operands.get(1), from)?;
        let value = self.temporary(if to.bits() == 64 { 2 } else { 1 });
        // NaN becomes zero for f64 sources and 64-bit results without being asked.
        let narrow = to.bits() < 64 && from != Type::F64;
        let request = Request::new(O::F2i)
            .literal(if from == Type::F32 { "" } else { real_text(from) })
            .to(value)
            .from(a)
            .text(F::Type, integer_text(to))
            .text(F::Round, round)
            .flag(F::Ftz, flushes)
            .flag(F::Ntz, narrow);
        self.emit_bare(request)?;
        self.deliver_integer(operands.first(), value, to)
    }

    /// From integers to floating point.
    fn convert_from_integer(&mut self, variant: &Variant, operands: &[Operand], to: Type, from: Type) -> Lowered {
        let round = rounding(variant);
        let value = self.temporary(super::words(to));
        let a = if from.bits() == 64 {
            self.in_register(operands.get(1), from)?
        } else {
            let a = self.source(operands.get(1), from)?;
            self.widened(a, from)?
        };
        // After extension, narrow values are of 32 bits.
        let source = match (from.bits(), is_signed(from)) {
            (64, true) => "S64",
            (64, false) => "U64",
            (_, true) => "",
            (_, false) => "U32",
        };
        let on_main_pipe = self.selector.has(O::I2fp) && to == Type::F32 && from.bits() < 64 && round.is_empty();
        let request = if on_main_pipe {
            let source = if source.is_empty() { "S32" } else { source };
            Request::new(O::I2fp).text(F::Type, "F32").text(F::SourceType, source)
        } else if to == Type::F64 {
            let request = Request::new(O::I2f).literal("F64");
            if from.bits() == 64 {
                request.text(F::Type, source)
            } else {
                request.flag(F::U32, source == "U32")
            }
        } else {
            let request = Request::new(O::I2f).text(F::Type, if to == Type::F32 { "" } else { real_text(to) });
            if from.bits() == 64 {
                request.text(F::SourceType, source)
            } else {
                request.flag(F::U32, source == "U32")
            }
        };
        self.emit_bare(request.to(value).from(a).text(F::Round, round))?;
        self.saturated(variant, value, to)?;
        self.deliver_float(operands.first(), value)
    }

    /// `.sat` of a floating-point value, in place.
    fn saturated(&mut self, variant: &Variant, value: Register, of: Type) -> Lowered {
        if !variant.has(M::Sat) {
            return Ok(());
        }
        let request = match of {
            Type::F32 => Request::new(O::Fadd)
                .from(Value::Zero)
                .from(value)
                .flag(F::Ftz, variant.has(M::Ftz))
                .flag(F::Sat, true),
            Type::F16 | Type::Bf16 => self.moved_half(value.into(), of, false, true),
            _ => return self.saturate_double(value),
        };
        self.emit_bare(request.to(value))
    }

    /// A value of f64 to [0, 1]: NaN and what is not above zero becomes +0.
    fn saturate_double(&mut self, value: Register) -> Lowered {
        let positive = self.compares(true, "GT", value, Value::Zero, Test::ALWAYS)?;
        let large = self.compares(true, "GT", value, Value::Immediate(0x3ff0_0000), Test::ALWAYS)?;
        for (word, one) in [(0, 0), (1, 0x3ff0_0000)] {
            let to = value.word(word);
            let zero = Request::new(O::Mov).to(to).from(Value::Zero);
            self.emit_bare(zero.guarded(Test::from(positive).opposite()))?;
            let one = Request::new(O::Mov).to(to).from(Value::Immediate(one));
            self.emit_bare(one.guarded(large))?;
        }
        Ok(())
    }

    /// Between floating-point formats, and to integral values.
    fn convert_real(&mut self, variant: &Variant, operands: &[Operand], to: Type, from: Type) -> Lowered {
        let a = self.in_register(operands.get(1), from)?;
        let value = self.temporary(super::words(to));
        if let Some(round) = integral_rounding(variant) {
            if to != from {
                return Err(unsupported("rounding to an integral value of another format"));
            }
            self.round_to_integral(variant, value, a, to, round)?;
        } else {
            self.change_format(variant, value, a, to, from)?;
        }
        self.saturated(variant, value, to)?;
        self.deliver_float(operands.first(), value)
    }

    fn round_to_integral(
        &mut self,
        variant: &Variant,
        value: Register,
        a: Register,
        of: Type,
        round: &'static str,
    ) -> Lowered {
        let flushes = variant.has(M::Ftz);
        if flushes && of != Type::F32 || variant.has(M::Relu) {
            return Err(UNSUPPORTED);
        }
        let request = Request::new(O::Frnd)
            .to(value)
            .from(a)
            .text(F::Round, round)
            .flag(F::Ftz, flushes);
        match of {
            Type::F32 => self.emit_bare(request),
            Type::F64 => self.emit_either(request.clone().literal("F64"), request.text(F::Type, "F64")),
            of => self.emit_bare(request.literal(real_text(of))),
        }
    }

    fn change_format(&mut self, variant: &Variant, value: Register, a: Register, to: Type, from: Type) -> Lowered {
        let (round, flushes) = (rounding(variant), variant.has(M::Ftz));
        let modified = variant.has(M::Relu) || variant.has(M::Satfinite);
        match (to, from) {
            (Type::F16 | Type::Bf16, Type::F32) => self.narrow_single(variant, value, a, to),
            _ if modified => Err(unsupported(".relu or .satfinite of these types")),
            (Type::F32, Type::F32) if flushes => {
                let request = Request::new(O::Fadd).from(a).from(negated_zero());
                self.emit_bare(request.to(value).flag(F::Ftz, true))
            }
            (Type::F32, Type::F32) => self.emit_bare(Request::new(O::Mov).to(value).from(a)),
            (Type::F64, Type::F64) if !flushes => {
                self.emit_bare(Request::new(O::Mov).to(value.word(0)).from(a.word(0)))?;
                self.emit_bare(Request::new(O::Mov).to(value.word(1)).from(a.word(1)))
            }
            (Type::F16, Type::F16) | (Type::Bf16, Type::Bf16) if !flushes => {
                let request = self.moved_half(a.into(), to, false, false);
                self.emit_bare(request.to(value))
            }
            (Type::F32, Type::F16) => {
                let request = Request::new(O::Hadd2).to(value).from(negated_zero()).from(a);
                let request = request.text(F::BSwizzle, "H0_H0");
                self.emit_either(request.clone().literal("F32"), request.text(F::Type, "F32"))
            }
            (Type::F32, Type::Bf16) if !flushes => self.widen_bfloat(value, a),
            (Type::F32, Type::Bf16) => {
                let request = Request::new(O::F2f).to(value).from(a).flag(F::Ftz, true);
                self.emit_bare(request.text(F::Types, "F32.BF16").text(F::Round, ""))
            }
            (Type::F64, Type::F32) => {
                let a = if flushes {
                    let flushed = self.temporary(1);
                    let request = Request::new(O::Fadd).to(flushed).from(a).from(negated_zero());
                    self.emit_bare(request.flag(F::Ftz, true))?;
                    flushed
                } else {
                    a
                };
                self.emit_bare(Request::new(O::F2f).literal("F64.F32").to(value).from(a))
            }
            (Type::F64, Type::F16 | Type::Bf16) if !flushes => {
                // Every value of a half is one of f64. Forms by name: the type field of the others is the result's.
                let request = Request::new(O::F2f).to(value).from(a);
                let named = request.clone().form("F64.R_R_half").text(F::Type, real_text(from));
                if from == Type::Bf16 {
                    return self.emit_bare(named);
                }
                self.emit_either(request.form("F64.F16.R_R"), named)
            }
            (Type::F32, Type::F64) => self.narrow_double(value, a, round, flushes),
            (Type::F16 | Type::Bf16, Type::F64) if !flushes => self.emit_bare(
                Request::new(O::F2f)
                    .form("F64.R_R")
                    .to(value)
                    .at(F::Rb, a)
                    .text(F::Type, real_text(to))
                    .text(F::Round, round),
            ),
            (Type::Bf16, Type::F16) if !flushes => self.between_halves(value, a, "BF16.F16", round),
            (Type::F16, Type::Bf16) if !flushes => self.between_halves(value, a, "F16.BF16", round),
            _ => Err(unsupported(".ftz of these types")),
        }
    }

    fn between_halves(&mut self, value: Register, a: Register, types: &'static str, round: &'static str) -> Lowered {
        self.emit_bare(
            Request::new(O::F2f)
                .to(value)
                .from(a)
                .text(F::Types, types)
                .text(F::Round, round),
        )
    }

    /// bf16 is the upper half of f32.
    fn widen_bfloat(&mut self, value: Register, a: Register) -> Lowered {
        self.emit_bare(
            Request::new(O::Shf)
                .to(value)
                .from(a)
                .from(Value::Immediate(16))
                .from(Value::Zero)
                .text(F::Direction, "L")
                .text(F::Type, "U32"),
        )
    }

    /// f64 to f32. With `.ftz`, results below the smallest normal value become zeros of their sign: with all 24 bits, as if there were smaller ones.
    /// (Observed, ptxas 13.0.88.)
    fn narrow_double(&mut self, value: Register, a: Register, round: &'static str, flushes: bool) -> Lowered {
        let request = Request::new(O::F2f).form("F64.R_R").to(value).from(a);
        self.emit_bare(request.text(F::Type, "F32").text(F::Round, round))?;
        if !flushes {
            return Ok(());
        }
        let bound = self.temporary(2);
        match round {
            "" => self.least_normal(bound, 0xf000_0000, 0x380f_ffff)?,
            "RZ" => self.least_normal(bound, 0, 0x3810_0000)?,
            // Away from zero on one side, towards it on the other.
            _ => {
                let sign = steps::Funnel {
                    kind: "S32",
                    ..steps::RIGHT
                };
                let sign = self.step(steps::shift(Value::Zero, Value::Immediate(31), a.word(1), sign))?;
                let away = match round {
                    "RM" => sign,
                    _ => self.step(steps::logic(sign, Value::Zero, Value::Zero, !steps::A & 0xff))?,
                };
                let low = steps::logic(away, Value::Immediate(0xe000_0001), Value::Zero, steps::A & steps::B);
                self.emit_bare(low.to(bound))?;
                let high = Request::new(O::Iadd3).from(away).from(Value::Immediate(0x3810_0000));
                self.emit_bare(high.from(Value::Zero).to(bound.word(1)))?;
            }
        }
        let tiny = self.compares(true, "LT", crate::select::absolute(a), bound, Test::ALWAYS)?;
        self.emit_bare(
            Request::new(O::Lop3)
                .literal("LUT")
                .to(value)
                .from(value)
                .from(Value::Immediate(super::float::SIGN))
                .from(Value::Zero)
                .from(Value::Immediate(0xc0))
                .guarded(tiny),
        )
    }

    /// The least value that is rounded to 2^-126 with all 24 bits, or 2^-126 itself.
    fn least_normal(&mut self, bound: Register, low: u32, high: u32) -> Lowered {
        for (word, part) in [low, high].into_iter().enumerate() {
            self.emit_bare(
                Request::new(O::Mov)
                    .to(bound.word(word as u8))
                    .from(Value::Immediate(part)),
            )?;
        }
        Ok(())
    }

    /// f32 to f16 or bf16.
    fn narrow_single(&mut self, variant: &Variant, value: Register, a: Register, to: Type) -> Lowered {
        let (round, flushes) = (rounding(variant), variant.has(M::Ftz));
        let (relu, finite) = (variant.has(M::Relu), variant.has(M::Satfinite));
        if matches!(round, "RM" | "RP") || flushes && to == Type::Bf16 {
            if relu || finite {
                return Err(unsupported(".relu or .satfinite with this rounding"));
            }
            let request = Request::new(O::F2f)
                .to(value)
                .from(a)
                .text(F::Round, round)
                .flag(F::Ftz, flushes);
            let named = request.clone().literal("F32").text(F::Type, real_text(to));
            return self.emit_either(request.literal("F16.F32"), named);
        }
        if self.function.isa() == warpsmith_target::Isa::Sm75 {
            // Values that are subnormal in f32 are zero in f16 to nearest and toward zero, so `.ftz` changes nothing.
            if relu || !round.is_empty() && round != "RZ" {
                return Err(unsupported(".relu"));
            }
            let a = if finite { self.within_halves(a)? } else { a };
            let request = Request::new(O::F2f).literal("F16.F32").to(value).from(a);
            return self.emit_bare(request.text(F::Round, round));
        }
        let request = super::narrow::pack(Value::Zero.into(), a.into(), round, relu, finite);
        self.emit_packed(request, to, value)
    }
}

impl Lowering<'_> {
    /// A value of f32 that is no larger than the largest finite f16; what is no number stays.
    fn within_halves(&mut self, a: Register) -> Lowered<Register> {
        const LARGEST: u32 = 0x477f_e000;
        let beyond = self.compares(false, "GT", absolute(a), Value::Immediate(LARGEST), Test::ALWAYS)?;
        let largest = self.copied(Value::Immediate(LARGEST))?;
        let signed = self.step(logic(a, Value::Immediate(super::float::SIGN), largest, A & B | C))?;
        self.step(select(beyond, signed, a))
    }
}

/// -0
fn negated_zero() -> Source {
    crate::select::negated(Value::Zero)
}
