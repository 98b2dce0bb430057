//! Double-precision arithmetic, except division.

use warpsmith_ptx::{
    instruction::Variant,
    module::Operand,
    table::{Modifier as M, Opcode, Type},
};
use warpsmith_sass::{FieldName as F, Opcode as O};

use super::{
    Lowered, Lowering, UNSUPPORTED,
    float::{rounding, sign_request},
};
use crate::select::{Request, Source, Test, Value, negated};

/// The quiet bit of a NaN, in the upper word.
const QUIET: u32 = 0x0008_0000;

impl Lowering<'_> {
    /// A value of f64: a register, or an immediate where the lower word of the constant is zero.
    pub(super) fn double_source(&mut self, operand: Option<&Operand>) -> Lowered<Source> {
        if !matches!(operand, Some(Operand::Register(_) | Operand::Component(..))) {
            let (low, high) = (self.word(operand, Type::F64, 0)?, self.word(operand, Type::F64, 1)?);
            if low.value == Value::Zero && matches!(high.value, Value::Immediate(_) | Value::Zero) {
                return Ok(high);
            }
        }
        Ok(self.in_register(operand, Type::F64)?.into())
    }

    /// add, sub, mul, fma and mad.
    pub(super) fn double(&mut self, variant: &Variant, operands: &[Operand]) -> Lowered {
        let to = self.destination(operands.first())?;
        let mut sources = Vec::new();
        for operand in operands.get(1..).ok_or(UNSUPPORTED)? {
            sources.push(self.double_source(Some(operand))?);
        }
        let (opcode, count) = match variant.opcode {
            Opcode::Add | Opcode::Sub => (O::Dadd, 2),
            Opcode::Mul => (O::Dmul, 2),
            _ => (O::Dfma, 3),
        };
        let [a, b, ..] = sources[..] else {
            return Err(UNSUPPORTED);
        };
        if sources.len() != count || variant.has(M::Sat) {
            return Err(UNSUPPORTED);
        }
        let b = if variant.opcode == Opcode::Sub { negated(b) } else { b };
        let mut request = Request::new(opcode)
            .to(to)
            .text(F::Round, rounding(variant))
            .contractible(super::float::may_contract(variant));
        let c = sources.get(2).copied();
        let in_register = |source: Source| matches!(source.value, Value::Register(_));
        // Every form with an immediate has it second.
        let keeps_immediate = in_register(a) && c.is_none_or(in_register);
        request = request.from(self.wide_operand(a)?);
        request = request.from(if keeps_immediate { b } else { self.wide_operand(b)? });
        if let Some(c) = c {
            request = request.from(self.wide_operand(c)?);
        }
        self.emit(request)
    }

    /// An immediate of f64 as a register pair: no form takes the upper word of a constant for one word of a register.
    fn wide_operand(&mut self, source: Source) -> Lowered<Source> {
        let Value::Immediate(high) = source.value else {
            return Ok(source);
        };
        let pair = self.temporary(2);
        self.emit_bare(Request::new(O::Mov).to(pair.word(0)).from(Value::Zero))?;
        self.emit_bare(Request::new(O::Mov).to(pair.word(1)).from(Value::Immediate(high)))?;
        Ok(Source {
            value: pair.into(),
            ..source
        })
    }

    /// min and max: of two NaN operands the first, quieted.
    pub(super) fn extreme_of_doubles(&mut self, variant: &Variant, operands: &[Operand]) -> Lowered {
        let [_, a, b] = operands else { return Err(UNSUPPORTED) };
        if variant.has(M::NaN) || variant.has(M::Xorsign) || variant.has(M::Abs) {
            return Err(UNSUPPORTED);
        }
        let a = self.in_register(Some(a), Type::F64)?;
        let b = self.in_register(Some(b), Type::F64)?;
        let value = self.temporary(2);
        let (second, both) = (self.predicate(), self.predicate());
        let cmp = if variant.opcode == Opcode::Min { "MIN" } else { "MAX" };
        self.emit_bare(
            Request::new(O::Dsetp)
                .sets(F::Pu, second)
                .sets(F::Pv, both)
                .from(b)
                .from(a)
                .text(F::Cmp, cmp)
                .text(F::Combine, "AND")
                .when(F::Pp, Test::ALWAYS),
        )?;
        for word in 0..2 {
            let request = Request::new(O::Sel).to(value.word(word));
            self.emit_bare(request.from(b.word(word)).from(a.word(word)).when(F::Pp, second))?;
        }
        self.emit_bare(
            Request::new(O::Lop3)
                .literal("LUT")
                .to(value.word(1))
                .from(a.word(1))
                .from(Value::Immediate(QUIET))
                .from(Value::Zero)
                .from(Value::Immediate(0xfc))
                .guarded(both),
        )?;
        self.deliver_float(operands.first(), value)
    }

    /// abs and neg: a NaN keeps its payload.
    pub(super) fn change_sign_of_double(&mut self, variant: &Variant, operands: &[Operand]) -> Lowered {
        let value = self.temporary(2);
        let (low, high) = (
            self.word(operands.get(1), Type::F64, 0)?,
            self.word(operands.get(1), Type::F64, 1)?,
        );
        self.emit_bare(Request::new(O::Mov).to(value.word(0)).from(low))?;
        self.emit_bare(sign_request(variant.opcode == Opcode::Abs, high).to(value.word(1)))?;
        self.deliver_float(operands.first(), value)
    }

    /// `rcp.approx.ftz.f64` and `rsqrt.approx.ftz.f64`: of the upper word alone, and the lower word of the result is zero.
    pub(super) fn approximate_double(&mut self, variant: &Variant, operands: &[Operand]) -> Lowered {
        let a = self.in_register(operands.get(1), Type::F64)?;
        let name = match variant.opcode {
            Opcode::Rcp if variant.has(M::Ftz) => "RCP64H",
            Opcode::Rsqrt if variant.has(M::Ftz) => "RSQ64H",
            Opcode::Rsqrt => return self.reciprocal_square_root(a, operands),
            _ => return Err(UNSUPPORTED),
        };
        let value = self.temporary(2);
        self.special_function(name, value.word(1), a.word(1))?;
        self.emit_bare(Request::new(O::Mov).to(value.word(0)).from(Value::Zero))?;
        self.deliver_float(operands.first(), value)
    }
}
