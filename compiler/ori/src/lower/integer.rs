//! Integer arithmetic, logic, comparisons, moves.

use warpsmith_ptx::{
    instruction::Variant,
    module::Operand,
    table::{Modifier as M, Opcode, Type, TypeKind},
};
use warpsmith_sass::{
    FieldName as F, Opcode as O,
    tables::{Cmp, Combine},
};

use super::{
    Lowered, Lowering, UNSUPPORTED,
    operand::{first_type, is_signed},
    words,
};
use crate::{
    ir::Register,
    select::{Request, Source, Test, Value, negated},
};

/// Truth tables of `LOP3`, from those of its operands.
const A: u32 = 0xf0;
const B: u32 = 0xcc;

impl Lowering<'_> {
    /// Integer arithmetic and what goes with it.
    pub(super) fn integers(&mut self, variant: &Variant, operands: &[Operand]) -> Option<Lowered> {
        Some(match variant.opcode {
            Opcode::Mov => self.copy(variant, operands),
            Opcode::Add | Opcode::Sub if is_whole(variant) => self.add(variant, operands),
            Opcode::MulLo | Opcode::MadLo if is_whole(variant) => self.multiply_low(variant, operands),
            Opcode::MulWide | Opcode::MadWide => self.multiply_wide(variant, operands),
            Opcode::And => self.logic(variant, operands, A & B),
            Opcode::Or => self.logic(variant, operands, A | B),
            Opcode::Xor => self.logic(variant, operands, A ^ B),
            Opcode::Shl | Opcode::Shr => self.shift(variant, operands),
            Opcode::Setp if is_whole(variant) => self.compare(variant, operands),
            _ => return None,
        })
    }

    /// `mov` of one register or constant.
    fn copy(&mut self, variant: &Variant, operands: &[Operand]) -> Lowered {
        let of = first_type(variant)?;
        if of.kind() == TypeKind::Predicate {
            return Err(UNSUPPORTED);
        }
        let to = self.destination(operands.first())?;
        for word in 0..words(of) {
            let source = match operands.get(1) {
                Some(Operand::Variable(variable, offset)) => {
                    let places = self.shared.get(variable).or_else(|| self.local.get(variable));
                    let address = i64::from(*places.ok_or(UNSUPPORTED)?) + offset;
                    Value::Immediate((address >> (32 * u32::from(word))) as u32).into()
                }
                operand => self.word(operand, of, word)?,
            };
            self.emit(Request::new(O::Mov).to(to.word(word)).from(source))?;
        }
        Ok(())
    }

    fn add(&mut self, variant: &Variant, operands: &[Operand]) -> Lowered {
        let of = first_type(variant)?;
        let to = self.destination(operands.first())?;
        let minus = variant.opcode == Opcode::Sub;
        if variant.has(M::Sat) || variant.has(M::Cc) {
            return Err(UNSUPPORTED);
        }
        let sign = |source: Source| if minus { negated(source) } else { source };
        let (a, b) = (self.source(operands.get(1), of)?, self.source(operands.get(2), of)?);
        if words(of) == 1 {
            return self.emit(Request::new(O::Iadd3).to(to).from(a).from(sign(b)).from(Value::Zero));
        }
        let (high_a, high_b) = (self.word(operands.get(1), of, 1)?, self.word(operands.get(2), of, 1)?);
        // The destination may be a source: the low word goes elsewhere until the high one is made.
        let low = self.temporary(1);
        let carry = self.predicate();
        self.emit_bare(
            Request::new(O::Iadd3)
                .to(low)
                .sets(F::Pu, carry)
                .from(a)
                .from(sign(b))
                .from(Value::Zero),
        )?;
        let high_b = if minus { crate::select::inverted(high_b) } else { high_b };
        self.emit(
            Request::new(O::Iadd3)
                .literal("X")
                .to(to.word(1))
                .from(high_a)
                .from(high_b)
                .from(Value::Zero)
                .when(F::Pp, carry)
                .when(F::Pq, Test::NEVER),
        )?;
        self.emit(Request::new(O::Mov).to(to.word(0)).from(low))
    }

    fn multiply_low(&mut self, variant: &Variant, operands: &[Operand]) -> Lowered {
        let of = first_type(variant)?;
        if words(of) != 1 || of.bits() != 32 || variant.has(M::Cc) {
            return Err(UNSUPPORTED);
        }
        let to = self.destination(operands.first())?;
        let (a, b) = (self.source(operands.get(1), of)?, self.source(operands.get(2), of)?);
        let c = match operands.get(3) {
            Some(operand) => self.source(Some(operand), of)?,
            None => Value::Zero.into(),
        };
        self.emit(Request::new(O::Imad).to(to).from(a).from(b).from(c))
    }

    fn multiply_wide(&mut self, variant: &Variant, operands: &[Operand]) -> Lowered {
        let of = first_type(variant)?;
        if of.bits() != 32 {
            return Err(UNSUPPORTED);
        }
        let to = self.destination(operands.first())?;
        let (a, b) = (self.source(operands.get(1), of)?, self.source(operands.get(2), of)?);
        let c: Source = match operands.get(3) {
            Some(operand) => self.in_register(Some(operand), Type::U64)?.into(),
            None => Value::Zero.into(),
        };
        self.emit(
            Request::new(O::Imad)
                .literal("WIDE")
                .to(to)
                .from(a)
                .from(b)
                .from(c)
                .flag(F::U32, !is_signed(of)),
        )
    }

    fn logic(&mut self, variant: &Variant, operands: &[Operand], table: u32) -> Lowered {
        let of = first_type(variant)?;
        if of.kind() == TypeKind::Predicate {
            return Err(UNSUPPORTED);
        }
        let to = self.destination(operands.first())?;
        for word in 0..words(of) {
            let (a, b) = (
                self.word(operands.get(1), of, word)?,
                self.word(operands.get(2), of, word)?,
            );
            self.emit(
                Request::new(O::Lop3)
                    .literal("LUT")
                    .to(to.word(word))
                    .from(a)
                    .from(b)
                    .from(Value::Zero)
                    .from(Value::Immediate(table)),
            )?;
        }
        Ok(())
    }

    /// `shl` and `shr` of 32 bits: amounts above 31 give 0 or the sign, as the machine does without `.W`.
    fn shift(&mut self, variant: &Variant, operands: &[Operand]) -> Lowered {
        let of = first_type(variant)?;
        if of.bits() != 32 {
            return Err(UNSUPPORTED);
        }
        let to = self.destination(operands.first())?;
        let (a, b) = (
            self.source(operands.get(1), of)?,
            self.source(operands.get(2), Type::U32)?,
        );
        let left = variant.opcode == Opcode::Shl;
        let request = Request::new(O::Shf).to(to);
        let request = if left {
            request
                .from(a)
                .from(b)
                .from(Value::Zero)
                .text(F::Direction, "L")
                .text(F::Type, "U32")
        } else {
            let kind = if is_signed(of) { "S32" } else { "U32" };
            request
                .from(Value::Zero)
                .from(b)
                .from(a)
                .text(F::Direction, "R")
                .text(F::Type, kind)
                .flag(F::High, true)
        };
        self.emit(request)
    }

    fn compare(&mut self, variant: &Variant, operands: &[Operand]) -> Lowered {
        let of = first_type(variant)?;
        let (p, q): (Register, Option<Register>) = match operands.first() {
            Some(Operand::Pair(_)) => return Err(UNSUPPORTED),
            operand => (self.destination(operand)?, None),
        };
        let _ = q;
        if of.bits() != 32 || operands.len() != 3 {
            return Err(UNSUPPORTED);
        }
        let (a, b) = (self.source(operands.get(1), of)?, self.source(operands.get(2), of)?);
        let (cmp, unsigned) = comparison(variant, of)?;
        self.emit(
            Request::new(O::Isetp)
                .sets(F::Pu, p)
                .from(a)
                .from(b)
                .with(cmp)
                .with(Combine::And)
                .flag(F::U32, unsigned)
                .when(F::Pp, Test::ALWAYS),
        )
    }
}

/// Whether the instruction computes with integers.
fn is_whole(variant: &Variant) -> bool {
    variant
        .types()
        .next()
        .is_some_and(|of| matches!(of.kind(), TypeKind::Signed | TypeKind::Unsigned | TypeKind::Bits))
}

/// The comparison, and whether it is unsigned.
fn comparison(variant: &Variant, of: Type) -> Lowered<(Cmp, bool)> {
    let modifiers = variant.modifiers.iter().flatten();
    let found = modifiers.filter_map(|modifier| {
        Some(match modifier {
            M::Eq => (Cmp::Eq, false),
            M::Ne => (Cmp::Ne, false),
            M::Lt => (Cmp::Lt, false),
            M::Le => (Cmp::Le, false),
            M::Gt => (Cmp::Gt, false),
            M::Ge => (Cmp::Ge, false),
            M::Lo => (Cmp::Lt, true),
            M::Ls => (Cmp::Le, true),
            M::Hi => (Cmp::Gt, true),
            M::Hs => (Cmp::Ge, true),
            _ => return None,
        })
    });
    let (cmp, unsigned) = { found }.next().ok_or(UNSUPPORTED)?;
    Ok((cmp, unsigned || !is_signed(of)))
}
