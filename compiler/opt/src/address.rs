//! Addresses as a base, a constant and scaled indices.

use smallvec::SmallVec;
use warpsmith_ir::{
    CastOp, Constant, ConstantExpression, ConstantId, Context, Function, Instruction, InstructionId, Type, Value,
};

/// An integer constant operand, read as signed.
pub(crate) fn constant_int(function: &Function, value: Value) -> Option<i128> {
    match function.context().constant(value.as_constant()?) {
        Constant::Int(value) => value.to_i128(),
        _ => None,
    }
}

/// What a gep adds in all, if its indices are constants.
pub(crate) fn constant_offset(function: &Function, id: InstructionId) -> Option<i64> {
    let Instruction::Gep { source, indices, .. } = function.instruction(id) else {
        return None;
    };
    let mut steps = Steps::new(function.context(), *source);
    let mut offset = 0i64;
    for &index in indices {
        offset = offset.checked_add(steps.constant(constant_int(function, index)?)?)?;
    }
    Some(offset)
}

/// Walks the indices of a gep: what each one is multiplied by.
pub(crate) struct Steps<'c> {
    context: &'c Context,
    /// The type that the next index steps over; before the first index, the source type.
    ty: Type,
    is_first: bool,
}

/// What an index of a gep means.
pub(crate) enum Step {
    /// It is multiplied by this.
    Scale(u64),
    /// It chooses a field; the offsets are those of the fields.
    Field,
}

impl<'c> Steps<'c> {
    pub(crate) fn new(context: &'c Context, source: Type) -> Steps<'c> {
        Steps {
            context,
            ty: source,
            is_first: true,
        }
    }

    /// What the next index means.
    pub(crate) fn step(&self) -> Step {
        if self.is_first {
            return Step::Scale(self.context.size(self.ty));
        }
        match self.ty {
            Type::Struct(_) => Step::Field,
            Type::Vector(_) => Step::Scale(self.context.store_size(self.context.scalar(self.ty))),
            _ => Step::Scale(
                self.context
                    .element(self.ty, 0)
                    .map_or(0, |element| self.context.size(element)),
            ),
        }
    }

    /// The type whose size the next index is multiplied by.
    pub(crate) fn stepped(&self) -> Type {
        match self.is_first {
            true => self.ty,
            false => self.context.element(self.ty, 0).unwrap_or(Type::I8),
        }
    }

    /// Goes past the next index. For fields it must be known.
    pub(crate) fn advance(&mut self, index: Option<u64>) {
        if std::mem::take(&mut self.is_first) {
            return;
        }
        let index = match self.ty {
            Type::Struct(_) => index.unwrap_or(0),
            _ => 0,
        };
        self.ty = self.context.element(self.ty, index).unwrap_or(Type::Void);
    }

    /// The bytes that a constant index adds; goes past it.
    pub(crate) fn constant(&mut self, index: i128) -> Option<i64> {
        let bytes = match self.step() {
            Step::Scale(scale) => index.checked_mul(i128::from(scale))?,
            Step::Field => i128::from(self.context.offset_of(self.ty, u64::try_from(index).ok()?)),
        };
        self.advance(u64::try_from(index).ok());
        i64::try_from(bytes).ok()
    }
}

/// An address taken apart: `base` + `offset` + Σ index · scale, in bytes, modulo 2^64. Indices are sign-extended to 64 bits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Decomposed {
    pub(crate) base: Value,
    pub(crate) offset: i64,
    pub(crate) terms: SmallVec<[(Value, i64); 2]>,
}

/// Takes an address apart through geps and casts of addresses, and address constants too.
pub(crate) fn decompose(function: &Function, address: Value) -> Decomposed {
    let mut result = Decomposed {
        base: address,
        offset: 0,
        terms: SmallVec::new(),
    };
    // Chains are short; a cycle through unreached code would have no end.
    for _ in 0..64 {
        match result.base {
            Value::Instruction(id) => match function.instruction(id) {
                Instruction::Gep {
                    source, base, indices, ..
                } => {
                    if !result.add_indices(function, *source, indices) {
                        return result;
                    }
                    result.base = *base;
                }
                Instruction::Cast {
                    op: CastOp::BitCast | CastOp::AddrSpaceCast,
                    operand,
                    ..
                } if function.type_of(*operand).is_pointer() => result.base = *operand,
                _ => return result,
            },
            Value::Constant(id) => {
                let (base, offset) = decompose_constant(function.context(), id);
                result.base = Value::Constant(base);
                result.offset = result.offset.wrapping_add(offset);
                return result;
            }
            Value::Argument(_) => return result,
        }
    }
    result
}

impl Decomposed {
    fn add_indices(&mut self, function: &Function, source: Type, indices: &[Value]) -> bool {
        let mut steps = Steps::new(function.context(), source);
        let mut offset = self.offset;
        let mut terms = self.terms.clone();
        for &index in indices {
            if let Some(index) = constant_int(function, index) {
                let Some(bytes) = steps.constant(index) else {
                    return false;
                };
                offset = offset.wrapping_add(bytes);
                continue;
            }
            let Step::Scale(scale) = steps.step() else { return false };
            // Vectors of indices make vectors of addresses.
            if function.type_of(index).is_vector() {
                return false;
            }
            let scale = scale as i64;
            match terms.iter_mut().find(|(term, _)| *term == index) {
                Some((_, sum)) => *sum = sum.wrapping_add(scale),
                None => terms.push((index, scale)),
            }
            steps.advance(None);
        }
        terms.retain(|(_, scale)| *scale != 0);
        self.offset = offset;
        self.terms = terms;
        true
    }
}

/// The variable, function or other constant that an address constant starts from, and the bytes added.
pub(crate) fn decompose_constant(context: &Context, id: ConstantId) -> (ConstantId, i64) {
    let mut at = id;
    let mut offset = 0i64;
    while let Constant::Expression(expression) = context.constant(at) {
        match expression {
            ConstantExpression::Cast {
                op: CastOp::BitCast | CastOp::AddrSpaceCast,
                operand,
                ..
            } if context.constant_type(*operand).is_pointer() => at = *operand,
            ConstantExpression::Gep {
                source, base, indices, ..
            } => {
                let mut steps = Steps::new(context, *source);
                let mut bytes = 0i64;
                for &index in indices {
                    let Constant::Int(index) = context.constant(index) else {
                        return (at, offset);
                    };
                    let Some(step) = index.to_i128().and_then(|index| steps.constant(index)) else {
                        return (at, offset);
                    };
                    bytes = bytes.wrapping_add(step);
                }
                offset = offset.wrapping_add(bytes);
                at = *base;
            }
            _ => return (at, offset),
        }
    }
    (at, offset)
}

/// What an address points into: the end of the chain of geps and casts.
pub(crate) fn underlying(function: &Function, address: Value) -> Value {
    decompose(function, address).base
}

/// The largest power of two that divides an offset and is at most `align`.
pub(crate) fn align_at(align: u32, offset: u64) -> u32 {
    if offset == 0 {
        return align;
    }
    let low = 1u64 << offset.trailing_zeros().min(31);
    (low as u32).min(align.max(1))
}
