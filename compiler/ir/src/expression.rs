//! Constant expressions: what can be worked out is, what is left has one form.

use crate::constant::{Constant, ConstantExpression, ConstantId};
use crate::context::Context;
use crate::instruction::GepFlags;
use crate::integer::Integer;
use crate::opcode::CastOp;
use crate::types::Type;

impl Context {
    /// The address `base` + `offset` bytes, within the object of `base`.
    pub fn offset_address(&self, base: ConstantId, offset: i64) -> ConstantId {
        self.offset_address_with(GepFlags::INBOUNDS, base, offset)
    }

    /// The address `base` + `offset` bytes, in its one form: an offset from a base that is none.
    pub fn offset_address_with(&self, flags: GepFlags, base: ConstantId, offset: i64) -> ConstantId {
        if offset == 0 {
            return base;
        }
        let inner = match self.constant(base) {
            Constant::Expression(ConstantExpression::Gep {
                flags: inner,
                source: Type::I8,
                base,
                indices,
            }) => match indices[..] {
                [index] => self
                    .small_int(index)
                    .and_then(|inner| inner.checked_add(offset))
                    .map(|sum| (*inner, *base, sum)),
                _ => None,
            },
            _ => None,
        };
        if let Some((inner, base, sum)) = inner {
            // The base of an expression in this form is none, so that this goes one step deep.
            return self.offset_address_with(flags.intersection(inner), base, sum);
        }
        let indices = [self.int(64, i128::from(offset))].into();
        self.expression(ConstantExpression::Gep {
            flags,
            source: Type::I8,
            base,
            indices,
        })
    }

    fn small_int(&self, id: ConstantId) -> Option<i64> {
        match self.constant(id) {
            Constant::Int(value) => value.to_i64(),
            _ => None,
        }
    }

    /// An address inside of an object. With indices that are numbers it is an offset in bytes.
    pub fn gep_expression(
        &self,
        flags: GepFlags,
        source: Type,
        base: ConstantId,
        indices: &[ConstantId],
    ) -> ConstantId {
        let offset = if self.constant_type(base).is_pointer() {
            self.constant_offset(source, indices)
        } else {
            None
        };
        match offset {
            Some(offset) => self.offset_address_with(flags, base, offset),
            None => self.expression(ConstantExpression::Gep {
                flags,
                source,
                base,
                indices: indices.into(),
            }),
        }
    }

    /// The offset in bytes of `getelementptr` with constant indices, if they are numbers and do not overflow.
    pub fn constant_offset(&self, source: Type, indices: &[ConstantId]) -> Option<i64> {
        let (first, rest) = indices.split_first()?;
        let mut offset = self
            .small_int(*first)?
            .checked_mul(i64::try_from(self.size(source)).ok()?)?;
        let mut ty = source;
        for &index in rest {
            let number = self.small_int(index)?;
            let step = match ty {
                Type::Struct(_) => i64::try_from(self.offset_of(ty, u64::try_from(number).ok()?)).ok()?,
                _ => number.checked_mul(i64::try_from(self.offset_of(ty, 1)).ok()?)?,
            };
            ty = match ty {
                Type::Array(array) => self.array_parts(array).element,
                Type::Vector(vector) => self.vector_parts(vector).element,
                _ => self.element(ty, u64::try_from(number).ok()?)?,
            };
            offset = offset.checked_add(step)?;
        }
        Some(offset)
    }

    /// A conversion of a constant; done at once where that needs no address.
    pub fn cast_expression(&self, op: CastOp, operand: ConstantId, ty: Type) -> ConstantId {
        if self.constant_type(operand) == ty {
            return operand;
        }
        match (self.constant(operand), op, ty) {
            (Constant::Int(value), CastOp::Trunc, Type::Int(bits)) => self.integer(value.truncate(bits)),
            (Constant::Int(value), CastOp::ZExt, Type::Int(bits)) => self.integer(value.zero_extend(bits)),
            (Constant::Int(value), CastOp::SExt, Type::Int(bits)) => self.integer(value.sign_extend(bits)),
            (Constant::Undef(_), _, _) => self.undef(ty),
            (Constant::Poison(_), _, _) => self.poison(ty),
            (Constant::Int(value), CastOp::IntToPtr, Type::Pointer(space)) if value.is_zero() => self.null(space),
            (Constant::Null(_), CastOp::PtrToInt, Type::Int(_)) => self.zero(ty),
            (Constant::Int(value), CastOp::BitCast, Type::Half | Type::BFloat | Type::Float | Type::Double) => {
                self.float(ty, value.low_u64())
            }
            (Constant::Float { bits, .. }, CastOp::BitCast, Type::Int(width)) => {
                self.integer(Integer::new(width, u128::from(*bits)))
            }
            _ => self.expression(ConstantExpression::Cast { op, operand, ty }),
        }
    }
}
