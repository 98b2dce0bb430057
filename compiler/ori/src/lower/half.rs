//! f16 and bf16, alone and in pairs. A single value is computed as the lower half of a pair; what stands above it does not matter.

use warpsmith_ptx::{
    instruction::Variant,
    module::Operand,
    table::{Modifier as M, Opcode, Type},
};
use warpsmith_sass::{FieldName as F, Opcode as O};

use super::{Lowered, Lowering, UNSUPPORTED, float::flushing, operand::first_type};
use crate::{
    ir::Register,
    select::{Request, Source, Test, Value, absolute, negated},
};

/// The text of the number format of a pair.
pub(super) fn format(of: Type) -> &'static str {
    if is_bfloat(of) { "BF16_V2" } else { "" }
}

/// Whether a type is bf16, alone or in pairs.
pub(super) fn is_bfloat(of: Type) -> bool {
    matches!(of, Type::Bf16 | Type::Bf16x2)
}

/// Whether a type is a pair of halves.
fn is_pair(of: Type) -> bool {
    matches!(of, Type::F16x2 | Type::Bf16x2)
}

/// The type of one half.
fn element(of: Type) -> Lowered<Type> {
    Ok(match of {
        Type::F16 | Type::F16x2 => Type::F16,
        Type::Bf16 | Type::Bf16x2 => Type::Bf16,
        _ => return Err(UNSUPPORTED),
    })
}

impl Lowering<'_> {
    /// The sources in registers.
    fn halves(&mut self, operands: &[Operand], of: Type) -> Lowered<Vec<Source>> {
        let mut sources = Vec::new();
        for operand in operands.get(1..).ok_or(UNSUPPORTED)? {
            sources.push(self.in_register(Some(operand), of)?.into());
        }
        Ok(sources)
    }

    /// add, sub, mul, fma and mad.
    pub(super) fn half(&mut self, variant: &Variant, operands: &[Operand]) -> Lowered {
        let of = first_type(variant)?;
        element(of)?;
        let to = self.destination(operands.first())?;
        let sources = self.halves(operands, of)?;
        // ptxas takes directed rounding of bf16 too, and rounds to nearest; the manual has none.
        if [M::Rz, M::Rm, M::Rp].iter().any(|rounding| variant.has(*rounding)) {
            return Err(super::float::unsupported("directed rounding of halves"));
        }
        let flushes = variant.has(M::Ftz);
        let (opcode, count) = match variant.opcode {
            Opcode::Add | Opcode::Sub => (O::Hadd2, 2),
            Opcode::Mul => (O::Hmul2, 2),
            _ => (O::Hfma2, 3),
        };
        let [a, b, ..] = sources[..] else {
            return Err(UNSUPPORTED);
        };
        if sources.len() != count || variant.has(M::Relu) && opcode != O::Hfma2 {
            return Err(UNSUPPORTED);
        }
        let b = if variant.opcode == Opcode::Sub { negated(b) } else { b };
        let mut request = Request::new(opcode).to(to).from(a).from(b).text(F::Type, format(of));
        if let Some(c) = sources.get(2) {
            request = request.from(*c);
        }
        if variant.has(M::Relu) {
            request = request.literal("RELU");
        }
        request = request
            .flag(F::Sat, variant.has(M::Sat))
            .contractible(super::float::may_contract(variant));
        self.emit(if opcode == O::Hadd2 {
            request.flag(F::Ftz, flushes)
        } else {
            request.text(F::Denormal, if variant.has(M::Oob) { "OOB" } else { flushing(flushes) })
        })
    }

    /// min and max of two values.
    pub(super) fn extreme_of_halves(&mut self, variant: &Variant, operands: &[Operand]) -> Lowered {
        let of = first_type(variant)?;
        element(of)?;
        let to = self.destination(operands.first())?;
        let sources = self.halves(operands, of)?;
        let [a, b] = sources[..] else {
            return Err(UNSUPPORTED);
        };
        let (a, b) = if variant.has(M::Abs) {
            (absolute(a), absolute(b))
        } else {
            (a, b)
        };
        let choice = if variant.opcode == Opcode::Min {
            Test::ALWAYS
        } else {
            Test::NEVER
        };
        self.emit(
            Request::new(O::Hmnmx2)
                .to(to)
                .from(a)
                .from(b)
                .text(F::Type, format(of))
                .flag(F::Ftz, variant.has(M::Ftz))
                .flag(F::Nan, variant.has(M::NaN))
                .flag(F::Xorsign, variant.has(M::Xorsign))
                .when(F::Pp, choice),
        )
    }

    /// abs and neg: the sum with -0, in which a NaN is the canonical one.
    pub(super) fn change_sign_of_halves(&mut self, variant: &Variant, operands: &[Operand]) -> Lowered {
        let of = first_type(variant)?;
        element(of)?;
        let to = self.destination(operands.first())?;
        let a: Source = self.in_register(operands.get(1), of)?.into();
        let a = if variant.opcode == Opcode::Abs {
            absolute(a)
        } else {
            negated(a)
        };
        let request = self.moved_half(a, of, variant.has(M::Ftz), false);
        self.emit(request.to(to))
    }

    /// The sum of both halves with -0: bf16 has no addition on all generations, so the product of zeros of both signs is what is added.
    pub(super) fn moved_half(&self, a: Source, of: Type, flushes: bool, saturates: bool) -> Request {
        if is_bfloat(of) {
            return Request::new(O::Hfma2)
                .from(negated(Value::Zero))
                .from(Value::Zero)
                .from(a)
                .text(F::Type, format(of))
                .text(F::Denormal, flushing(flushes))
                .flag(F::Sat, saturates);
        }
        Request::new(O::Hadd2)
            .from(a)
            .from(negated(Value::Zero))
            .flag(F::Ftz, flushes)
            .flag(F::Sat, saturates)
    }

    /// `ex2.approx` and `tanh.approx` of halves.
    pub(super) fn approximate_halves(&mut self, variant: &Variant, operands: &[Operand]) -> Lowered {
        let of = first_type(variant)?;
        let name = match variant.opcode {
            Opcode::Ex2 => "EX2",
            Opcode::Tanh => "TANH",
            _ => return Err(UNSUPPORTED),
        };
        let a = self.in_register(operands.get(1), of)?;
        let low = self.function_of_half(name, a, element(of)?, false)?;
        if !is_pair(of) {
            return self.deliver_float(operands.first(), low);
        }
        let high = self.function_of_half(name, a, element(of)?, true)?;
        let to = self.destination(operands.first())?;
        self.emit(joined(low, high).to(to))
    }

    /// `MUFU` of the lower or upper half of a register.
    fn function_of_half(&mut self, name: &'static str, a: Register, of: Type, upper: bool) -> Lowered<Register> {
        let to = self.temporary(1);
        let text = if of == Type::Bf16 { "BF16" } else { "F16" };
        let request = Request::new(O::Mufu)
            .to(to)
            .from(a)
            .text(F::Function, name)
            .text(F::Half, if upper { "H1" } else { "" });
        self.emit_either(request.clone().literal(text), request.text(F::Type, text))?;
        Ok(to)
    }
}

/// A pair from two lower halves.
pub(super) fn joined(low: Register, high: Register) -> Request {
    Request::new(O::Prmt)
        .from(low)
        .from(Value::Immediate(0x5410))
        .from(high)
}
