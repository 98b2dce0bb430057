//! Conversions that pack: pairs of halves, of 8 bits and below, tf32, and `cvt.pack`.

use warpsmith_ptx::{
    instruction::Variant,
    module::Operand,
    table::{Modifier as M, Type},
};
use warpsmith_sass::{FieldName as F, Opcode as O};

use super::{
    Lowered, Lowering, UNSUPPORTED,
    float::{rounding, unsupported},
    half::is_bfloat,
    operand::first_type,
};
use crate::{
    ir::Register,
    select::{Request, Source, Test, Value, absolute},
};

/// A pair of a narrow format as the machine names it.
fn narrow_text(of: Type) -> Option<&'static str> {
    Some(match of {
        Type::E4m3x2 => "E4M3",
        Type::E5m2x2 => "E5M2",
        Type::E2m3x2 => "E2M3",
        Type::E3m2x2 => "E3M2",
        Type::Ue8m0x2 => "E8",
        _ => return None,
    })
}

/// Four values of a narrow format as the machine names a pair of them.
fn four_text(of: Type) -> Option<&'static str> {
    Some(match of {
        Type::E4m3x4 => "E4M3",
        Type::E5m2x4 => "E5M2",
        Type::E2m3x4 => "E2M3",
        Type::E3m2x4 => "E3M2",
        Type::E2m1x4 => "E2M1",
        _ => return None,
    })
}

/// `F2FP` of two f32 values, before its literals are chosen.
pub(super) fn pack(high: Source, low: Source, round: &'static str, relu: bool, finite: bool) -> Request {
    Request::new(O::F2fp)
        .from(high)
        .from(low)
        .text(F::Round, round)
        .flag(F::Relu, relu)
        .flag(F::Satfinite, finite)
}

impl Lowering<'_> {
    /// `F2FP` to f16 or bf16: from sm_89 on it names the source's format.
    pub(super) fn emit_packed(&mut self, request: Request, to: Type, value: Register) -> Lowered {
        let (named, unnamed) = if is_bfloat(to) { ("BF16", "BF16") } else { ("F16", "") };
        let request = request.to(value);
        self.emit_either(
            request.clone().literal("F32.PACK_AB").text(F::Format, named),
            request.literal("PACK_AB").text(F::Format, unnamed),
        )
    }

    /// Conversions of which a type is packed, or tf32.
    pub(super) fn convert_packed(&mut self, variant: &Variant, operands: &[Operand], to: Type, from: Type) -> Lowered {
        if variant.has(M::Sat) || variant.has(M::Ftz) {
            return Err(unsupported(".sat or .ftz of packed types"));
        }
        if variant.has(M::Rs) {
            let value = self.convert_randomly(variant, operands, to)?;
            return self.deliver_float(operands.first(), value);
        }
        let value = self.temporary(1);
        match (to, from, operands) {
            (Type::Tf32, Type::F32, [_, a]) => self.convert_to_tf32(variant, value, a)?,
            (Type::F16x2 | Type::Bf16x2, Type::F32, [_, a, b]) => {
                let (a, b) = (self.in_register(Some(a), from)?, self.in_register(Some(b), from)?);
                let (relu, finite) = (variant.has(M::Relu), variant.has(M::Satfinite));
                let request = pack(a.into(), b.into(), rounding(variant), relu, finite);
                self.emit_packed(request, to, value)?;
            }
            (_, Type::F32, [_, a, b]) => {
                let (a, b) = (self.in_register(Some(a), from)?, self.in_register(Some(b), from)?);
                self.convert_to_narrow(variant, value, to, [a, b])?;
            }
            (_, Type::F16x2 | Type::Bf16x2, [_, a]) => {
                let a = self.in_register(Some(a), from)?;
                self.narrow_halves(variant, value, to, from, a)?;
            }
            (Type::F16x2 | Type::Bf16x2, _, [_, a]) => {
                let a = self.in_register(Some(a), from)?;
                self.widen_narrow(variant, value, to, from, a)?;
            }
            _ => return Err(unsupported("this pair of types")),
        }
        self.deliver_float(operands.first(), value)
    }

    /// `.rs`: what is cut off is compared with random bits. Four narrow values are made by two instructions, of which the second takes what the first gave.
    fn convert_randomly(&mut self, variant: &Variant, operands: &[Operand], to: Type) -> Lowered<Register> {
        let request = || {
            Request::new(O::F2fp)
                .flag(F::Relu, variant.has(M::Relu))
                .flag(F::Satfinite, variant.has(M::Satfinite))
        };
        match operands {
            [_, Operand::Vector(range), random] => {
                let text = four_text(to).ok_or_else(|| unsupported("this pair of types"))?;
                let parts = self.parts(*range);
                let mut value = self.in_register(Some(random), Type::B32)?;
                for pair in parts.chunks(2) {
                    let a = self.in_register(pair.first(), Type::F32)?;
                    let b = self.in_register(pair.get(1), Type::F32)?;
                    let next = request().from(a).from(b).from(value).literal("F32.RS");
                    let next = next.text(F::Format, text).text(F::Packing, "PACK_AB_MERGE_C");
                    value = self.step(next)?;
                }
                Ok(value)
            }
            [_, a, b, random] => {
                let a = self.in_register(Some(a), Type::F32)?;
                let b = self.in_register(Some(b), Type::F32)?;
                let random = self.in_register(Some(random), Type::B32)?;
                let text = if is_bfloat(to) { "BF16" } else { "F16" };
                let pair = request().from(a).from(b).from(random).literal("F32.PACK_AB.RS");
                self.step(pair.text(F::Format, text))
            }
            _ => Err(UNSUPPORTED),
        }
    }

    /// Two f32 values to 8 bits each, or fewer.
    fn convert_to_narrow(&mut self, variant: &Variant, value: Register, to: Type, [a, b]: [Register; 2]) -> Lowered {
        let request = Request::new(O::F2fp)
            .to(value)
            .from(a)
            .from(b)
            .from(Value::Zero)
            .flag(F::Relu, variant.has(M::Relu));
        if to == Type::E2m1x2 {
            return self.emit_bare(request.literal("SATFINITE.E2M1.F32.PACK_AB_MERGE_C"));
        }
        let text = narrow_text(to).ok_or(UNSUPPORTED)?;
        self.emit_bare(
            request
                .literal("F32.PACK_AB_MERGE_C")
                .text(F::Format, text)
                .text(F::Round, rounding(variant))
                .flag(F::Satfinite, variant.has(M::Satfinite)),
        )
    }

    /// A pair of halves to 8 bits each, or fewer.
    fn narrow_halves(&mut self, variant: &Variant, value: Register, to: Type, from: Type, a: Register) -> Lowered {
        let source = if is_bfloat(from) { "BF16" } else { "F16" };
        let request = Request::new(O::F2fp).to(value).from(a).from(Value::Zero);
        let request = request.flag(F::Relu, variant.has(M::Relu));
        if to == Type::E2m1x2 {
            let request = request.literal("SATFINITE.E2M1.UNPACK_B_MERGE_C");
            return self.emit_bare(request.text(F::Format, source));
        }
        let text = narrow_text(to).ok_or_else(|| unsupported("this pair of types"))?;
        let request = request
            .flag(F::Satfinite, variant.has(M::Satfinite))
            .text(F::Format, text)
            .text(F::Round, rounding(variant));
        let newer = request
            .clone()
            .literal("UNPACK_B_MERGE_C")
            .text(F::SourceFormat, source);
        if is_bfloat(from) {
            return self.emit_bare(newer);
        }
        self.emit_either(newer, request.literal("F16.UNPACK_B_MERGE_C"))
    }

    /// A pair of narrow values to halves.
    fn widen_narrow(&mut self, variant: &Variant, value: Register, to: Type, from: Type, a: Register) -> Lowered {
        let request = Request::new(O::F2fp)
            .to(value)
            .from(a)
            .flag(F::Relu, variant.has(M::Relu));
        match (to, from) {
            (Type::Bf16x2, Type::Ue8m0x2) => self.emit_bare(request.literal("BF16.E8.UNPACK_B")),
            (Type::F16x2, Type::E2m1x2) => self.emit_bare(request.literal("F16.E2M1.UNPACK_B")),
            (Type::F16x2, Type::Ue8m0x2) => Err(unsupported("this pair of types")),
            (Type::F16x2, _) => {
                let text = narrow_text(from).ok_or_else(|| unsupported("this pair of types"))?;
                let request = request.text(F::Format, text);
                let older = request.clone().literal("UNPACK_B").text(F::SourceFormat, "F16");
                self.emit_either(request.literal("F16.UNPACK_B"), older)
            }
            _ => Err(unsupported("this pair of types")),
        }
    }

    /// f32 to tf32: the upper 19 bits. The machine rounds to nearest even and toward zero; away from zero is an addition.
    fn convert_to_tf32(&mut self, variant: &Variant, value: Register, a: &Operand) -> Lowered {
        let a = self.in_register(Some(a), Type::F32)?;
        if !variant.has(M::Rna) {
            let request = Request::new(O::F2fp)
                .to(value)
                .from(a)
                .text(F::Round, rounding(variant))
                .flag(F::Relu, variant.has(M::Relu))
                .flag(F::Satfinite, variant.has(M::Satfinite));
            return self.emit_either(
                request.clone().literal("TF32.F32.PACK_B"),
                request.literal("F32.PACK_B").text(F::Format, "TF32"),
            );
        }
        if variant.has(M::Relu) {
            return Err(unsupported(".relu with .rna"));
        }
        let infinity = Value::Immediate(0x7f80_0000);
        let finite = self.compares(false, "LT", absolute(a), infinity, Test::ALWAYS)?;
        self.emit_bare(Request::new(O::Mov).to(value).from(a))?;
        self.add_to_word(value, 0x1000, finite)?;
        self.emit_bare(
            Request::new(O::Lop3)
                .literal("LUT")
                .to(value)
                .from(value)
                .from(Value::Immediate(0xffff_e000))
                .from(Value::Zero)
                .from(Value::Immediate(0xc0)),
        )?;
        if variant.has(M::Satfinite) {
            let beyond = self.compares(false, "GEU", absolute(value), infinity, Test::ALWAYS)?;
            self.add_to_word(value, 0x2000_u32.wrapping_neg(), beyond)?;
        }
        Ok(())
    }

    fn add_to_word(&mut self, value: Register, summand: u32, test: Register) -> Lowered {
        self.emit_bare(
            Request::new(O::Iadd3)
                .to(value)
                .from(value)
                .from(Value::Immediate(summand))
                .from(Value::Zero)
                .guarded(test),
        )
    }

    /// `cvt.pack`: two integers saturated, below what the third operand holds where there is one.
    pub(super) fn convert_pack(&mut self, variant: &Variant, operands: &[Operand]) -> Lowered {
        let of = first_type(variant)?;
        let (text, shift) = match of {
            Type::U16 => ("U16", ""),
            Type::S16 => ("S16", ""),
            Type::U8 => ("U8", ""),
            Type::S8 => ("S8", ""),
            Type::U4 => ("U4", "24"),
            Type::S4 => ("S4", "24"),
            Type::U2 => ("U2", "28"),
            Type::S2 => ("S2", "28"),
            _ => return Err(UNSUPPORTED),
        };
        let to = self.destination(operands.first())?;
        let mut request = Request::new(O::I2ip).to(to).text(F::Type, text);
        for index in 1..4 {
            request = match operands.get(index) {
                Some(operand) => request.from(self.in_register(Some(operand), Type::B32)?),
                None => request.from(Value::Zero),
            };
        }
        let named = |request: &Request| request.clone().literal("S32").text(F::Saturate, "SAT");
        let shifted = request.clone().text(F::Shift, shift);
        for attempt in [
            named(&shifted),
            shifted.clone().literal("S32.SAT"),
            // The oldest form has no field for the shift, which goes with the type.
            request.literal("S32.SAT"),
        ] {
            if self.emit(attempt).is_ok() {
                return Ok(());
            }
        }
        Err(UNSUPPORTED)
    }
}
