//! Which instructions are written: those with effects, and those whose results something written reads.
//!
//! Instructions that a reader takes into its own (address computations into `[register+offset]`, extensions into wide products, products into
//! fused sums) are not needed for its sake. What a reader takes in is decided by the functions here, which the lowering asks again.

use warpsmith_ir::{
    BinaryOp, Call, Callee, CastOp, Context, Declaration, Flags, Function, Instruction, InstructionId, Intrinsic,
    MemoryEffects, Symbols, Type, Value,
};

use crate::module::Scope;
use crate::narrow::{Low, is_narrow};
use crate::signature::attributes_of;

/// The instructions that are written.
pub(crate) struct Needed {
    marks: Vec<bool>,
    address_only: Vec<bool>,
    narrow: Vec<bool>,
}

impl Needed {
    /// Works it out for a function.
    pub(crate) fn of(scope: &Scope<'_>, body: &Function, declaration: &Declaration) -> Needed {
        let contract = crate::mode::Mode::of(scope, declaration).contract;
        let symbols = &scope.module.symbols;
        let mut needed = Needed {
            marks: vec![false; body.instruction_limit()],
            address_only: vec![false; body.instruction_limit()],
            narrow: vec![false; body.instruction_limit()],
        };
        for id in body.all_instructions() {
            needed.address_only[id.index()] = is_address_only(body, id);
            needed.narrow[id.index()] = is_narrow(body, id);
        }
        let address_only = std::mem::take(&mut needed.address_only);
        let narrow = std::mem::take(&mut needed.narrow);
        let mut open: Vec<InstructionId> = body.all_instructions().filter(|&id| has_effect(body, id)).collect();
        open.iter().for_each(|id| needed.marks[id.index()] = true);
        while let Some(id) = open.pop() {
            read_by(body, id, contract, symbols, (&address_only, &narrow), &mut |value| {
                if let Some(id) = value.as_instruction()
                    && !needed.marks[id.index()]
                {
                    needed.marks[id.index()] = true;
                    open.push(id);
                }
            });
        }
        Needed {
            address_only,
            narrow,
            ..needed
        }
    }

    /// Whether the constant part of an address computation is left to the accesses.
    pub(crate) fn is_address_only(&self, id: InstructionId) -> bool {
        self.address_only[id.index()]
    }

    /// Whether only the low 32 bits of an address are computed.
    pub(crate) fn is_narrow(&self, id: InstructionId) -> bool {
        self.narrow[id.index()]
    }

    /// The place that a pointer points to, taken apart.
    pub(crate) fn address(&self, body: &Function, pointer: Value) -> Address {
        Address::of(body, &self.address_only, pointer)
    }

    /// Whether an instruction is written.
    pub(crate) fn contains(&self, id: InstructionId) -> bool {
        self.marks[id.index()]
    }
}

fn has_effect(body: &Function, id: InstructionId) -> bool {
    match body.instruction(id) {
        Instruction::Load { access, .. } => !access.is_simple(),
        Instruction::Store { .. }
        | Instruction::AtomicRmw { .. }
        | Instruction::CompareExchange { .. }
        | Instruction::Fence(_) => true,
        Instruction::Call(call) => match call.intrinsic() {
            Some(intrinsic) => {
                intrinsic.memory() != MemoryEffects::NONE || intrinsic.is_convergent() || intrinsic.is_noreturn()
            }
            None => true,
        },
        other => other.is_terminator(),
    }
}

/// The values that an instruction reads once it has taken in what it takes in.
fn read_by(
    body: &Function,
    id: InstructionId,
    contract: bool,
    symbols: &Symbols,
    (address_only, narrow): (&[bool], &[bool]),
    read: &mut dyn FnMut(Value),
) {
    let instruction = body.instruction(id);
    match instruction {
        Instruction::Load { pointer, .. }
        | Instruction::AtomicRmw { pointer, .. }
        | Instruction::CompareExchange { pointer, .. } => {
            let pointer = *pointer;
            read(Address::of(body, address_only, pointer).root);
            instruction.for_each_operand(|operand| {
                if operand != pointer {
                    read(operand);
                }
            });
        }
        Instruction::Call(call) => {
            for (number, &argument) in call.arguments.iter().enumerate() {
                match argument_use(symbols, call, number) {
                    ArgumentUse::Value => read(argument),
                    ArgumentUse::Place => read(Address::of(body, address_only, argument).root),
                    ArgumentUse::Nothing => {}
                }
            }
            if let Callee::Indirect(address) = call.callee {
                read(address);
            }
        }
        Instruction::Store { pointer, value, .. } => {
            read(Address::of(body, address_only, *pointer).root);
            read(*value);
        }
        Instruction::Gep {
            source, base, indices, ..
        } => {
            if let Some((root, _)) = constant_gep(body, id) {
                read(root);
                return;
            }
            let (_, terms) = gep_terms(body, *source, indices);
            read(*base);
            if narrow[id.index()] {
                return terms
                    .iter()
                    .for_each(|term| Low::of(body, term.index).for_each_value(read));
            }
            for term in terms {
                match narrow_term(body, &term) {
                    Some((extension, _)) => read(extension.operand),
                    None => read(extended(body, term.index).map_or(term.index, |extension| extension.operand)),
                }
            }
        }
        Instruction::Cast { operand, .. } => read(upper_half(body, id).unwrap_or(*operand)),
        Instruction::Binary { op, flags, left, right } => match fused(body, id, *op, *flags, *left, *right, contract) {
            Some(fused) => fused.operands().into_iter().for_each(read),
            None => instruction.for_each_operand(read),
        },
        _ => instruction.for_each_operand(read),
    }
}

/// What a call does with an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ArgumentUse {
    /// It is passed.
    Value,
    /// The memory that it points to is accessed here.
    Place,
    /// Nothing: it is part of a hint.
    Nothing,
}

/// What a call does with one of its arguments.
pub(crate) fn argument_use(symbols: &Symbols, call: &Call, number: usize) -> ArgumentUse {
    let stated = attributes_of(&call.argument_attributes, number).byval.is_some();
    let place = match &call.callee {
        Callee::Function(function) => {
            stated
                || attributes_of(&symbols.functions[*function].parameters, number)
                    .byval
                    .is_some()
        }
        Callee::Indirect(_) => stated,
        Callee::Assembly(_) => false,
        Callee::Intrinsic(intrinsic, _) => match intrinsic {
            Intrinsic::Memcpy | Intrinsic::MemcpyInline | Intrinsic::Memmove => number < 2,
            Intrinsic::Memset | Intrinsic::MemsetInline => number == 0,
            Intrinsic::LifetimeStart | Intrinsic::LifetimeEnd => return ArgumentUse::Nothing,
            _ => false,
        },
    };
    if place { ArgumentUse::Place } else { ArgumentUse::Value }
}

/// An address taken apart: what is in a register or is a symbol, and the constant added to it.
pub(crate) struct Address {
    /// What the constant is added to.
    pub(crate) root: Value,
    /// The constant.
    pub(crate) offset: i64,
}

impl Address {
    /// Takes an address apart for an access: through constant steps, and through casts to generic, since the access can name the state space.
    fn of(body: &Function, address_only: &[bool], mut pointer: Value) -> Address {
        let mut offset = 0i64;
        while let Some(id) = pointer.as_instruction() {
            match body.instruction(id) {
                Instruction::Gep { .. } => match constant_gep(body, id) {
                    Some((base, step)) => match offset.checked_add(step).filter(|sum| i32::try_from(*sum).is_ok()) {
                        Some(sum) => {
                            offset = sum;
                            pointer = base;
                        }
                        None => break,
                    },
                    None => {
                        if address_only[id.index()]
                            && let Instruction::Gep { source, indices, .. } = body.instruction(id)
                        {
                            let (step, _) = gep_terms(body, *source, indices);
                            match offset.checked_add(step).filter(|sum| i32::try_from(*sum).is_ok()) {
                                Some(sum) => offset = sum,
                                // `residual` refuses as well: see there.
                                None => break,
                            }
                        }
                        break;
                    }
                },
                Instruction::Cast {
                    op: CastOp::AddrSpaceCast,
                    operand,
                    ..
                } if body.result_type(id) == Type::POINTER && body.type_of(*operand).is_pointer() => {
                    pointer = *operand;
                }
                _ => break,
            }
        }
        Address { root: pointer, offset }
    }
}

/// The base and offset of an address computation with constant indices.
pub(crate) fn constant_gep(body: &Function, id: InstructionId) -> Option<(Value, i64)> {
    let Instruction::Gep {
        source, base, indices, ..
    } = body.instruction(id)
    else {
        return None;
    };
    if body.result_type(id).is_vector() {
        return None;
    }
    let indices: Option<Vec<_>> = indices.iter().map(|index| index.as_constant()).collect();
    Some((
        *base,
        crate::global::constant_offset(body.context(), *source, &indices?)?,
    ))
}

/// Whether an address computation is used for nothing but accesses, so that its constant part can stay out of the register. Small constants only, so that
/// a few of them added together still fit an instruction.
fn is_address_only(body: &Function, id: InstructionId) -> bool {
    let Instruction::Gep { source, indices, .. } = body.instruction(id) else {
        return false;
    };
    let (offset, _) = gep_terms(body, *source, indices);
    const SMALL: i64 = 1 << 20;
    offset != 0 && offset.abs() < SMALL && used_by_accesses(body, id, 0)
}

fn used_by_accesses(body: &Function, id: InstructionId, depth: u32) -> bool {
    let this = Value::Instruction(id);
    depth < 8
        && body.users(this).into_iter().all(|user| match body.instruction(user) {
            Instruction::Load { .. } => true,
            Instruction::Store { value, .. } | Instruction::AtomicRmw { value, .. } => *value != this,
            Instruction::CompareExchange { expected, new, .. } => *expected != this && *new != this,
            Instruction::Gep { .. } => {
                const SMALL: i64 = 1 << 20;
                constant_gep(body, user).is_some_and(|(_, step)| step.abs() < SMALL)
                    && used_by_accesses(body, user, depth + 1)
            }
            Instruction::Cast {
                op: CastOp::AddrSpaceCast,
                ..
            } => body.result_type(user) == Type::POINTER && used_by_accesses(body, user, depth + 1),
            _ => false,
        })
}

/// An index times a number of bytes.
pub(crate) struct Term {
    /// The index.
    pub(crate) index: Value,
    /// The bytes of one step.
    pub(crate) scale: u64,
}

/// An address computation as a constant and variable terms.
pub(crate) fn gep_terms(body: &Function, source: Type, indices: &[Value]) -> (i64, Vec<Term>) {
    let context = body.context();
    let mut offset = 0i64;
    let mut terms = Vec::new();
    let mut ty = source;
    for (number, &index) in indices.iter().enumerate() {
        if number > 0
            && let Type::Struct(_) = ty
        {
            let field = constant_index(context, index).unwrap_or(0) as u64;
            offset = offset.wrapping_add(context.offset_of(ty, field) as i64);
            ty = context.element(ty, field).unwrap_or(Type::Void);
            continue;
        }
        let scale = if number == 0 {
            context.size(source)
        } else {
            context.offset_of(ty, 1)
        };
        match constant_index(context, index) {
            Some(constant) => offset = offset.wrapping_add(constant.wrapping_mul(scale as i64)),
            None => terms.push(Term { index, scale }),
        }
        if number > 0 {
            ty = context.element(ty, 0).unwrap_or(Type::Void);
        }
    }
    (offset, terms)
}

/// The number that an index is, if it is a constant.
pub(crate) fn constant_index(context: &Context, index: Value) -> Option<i64> {
    match context.constant(index.as_constant()?) {
        warpsmith_ir::Constant::Int(value) => value.to_i64(),
        _ => None,
    }
}

/// A widening of an integer that a wide product can do itself: 16 to 32 bits, or 32 to 64.
#[derive(Clone, Copy)]
pub(crate) struct Extended {
    /// The narrow integer.
    pub(crate) operand: Value,
    /// Whether it is read as signed.
    pub(crate) signed: bool,
    /// Its bits.
    pub(crate) bits: u32,
}

/// The widening that a value is.
pub(crate) fn extended(body: &Function, value: Value) -> Option<Extended> {
    let id = value.as_instruction()?;
    let Instruction::Cast {
        op: op @ (CastOp::SExt | CastOp::ZExt),
        operand,
        ..
    } = body.instruction(id)
    else {
        return None;
    };
    let (Type::Int(to), Type::Int(bits)) = (body.result_type(id), body.type_of(*operand)) else {
        return None;
    };
    (matches!((bits, to), (16, 32) | (32, 64))).then_some(Extended {
        operand: *operand,
        signed: *op == CastOp::SExt,
        bits,
    })
}

/// A term whose index is 32 bits wide before it is extended, with the scale that it then has: constant factors that the index was multiplied by without
/// wrapping belong to the scale. One instruction of the machine multiplies such an index and adds the product to an address.
pub(crate) fn narrow_term(body: &Function, term: &Term) -> Option<(Extended, u64)> {
    const LARGEST: u64 = 1 << 31;
    let mut extension = extended(body, term.index).filter(|extension| extension.bits == 32)?;
    let mut scale = term.scale;
    let promise = if extension.signed {
        Flags::NO_SIGNED_WRAP
    } else {
        Flags::NO_UNSIGNED_WRAP
    };
    while let Some(Instruction::Binary { op, flags, left, right }) = body.definition(extension.operand)
        && flags.contains(promise)
        && let Some(constant) = constant_index(body.context(), *right)
    {
        let factor = match op {
            BinaryOp::Shl if (0..31).contains(&constant) => 1 << constant,
            BinaryOp::Mul if (1..1 << 31).contains(&constant) => constant as u64,
            _ => break,
        };
        match scale.checked_mul(factor).filter(|scale| *scale < LARGEST) {
            Some(product) => scale = product,
            None => break,
        }
        extension.operand = *left;
    }
    (scale > 0 && scale < LARGEST).then_some((extension, scale))
}

/// The integer of which a truncation takes the upper half: of 64 or 32 bits.
pub(crate) fn upper_half(body: &Function, id: InstructionId) -> Option<Value> {
    let Instruction::Cast {
        op: CastOp::Trunc,
        operand,
        ..
    } = body.instruction(id)
    else {
        return None;
    };
    let Some(Instruction::Binary {
        op: BinaryOp::LShr,
        left,
        right,
        ..
    }) = body.definition(*operand)
    else {
        return None;
    };
    let (to, from) = (body.result_type(id).int_bits()?, body.type_of(*left).int_bits()?);
    let halves = matches!((to, from), (16, 32) | (32, 64));
    (halves && constant_index(body.context(), *right) == Some(i64::from(to))).then_some(*left)
}

/// What a binary operation becomes together with operations that its operands are.
pub(crate) enum Fused {
    /// `left * right + addend` of integers.
    MultiplyAdd {
        /// A factor.
        left: Value,
        /// A factor.
        right: Value,
        /// What is added.
        addend: Value,
    },
    /// A product of twice the width.
    Wide {
        /// The left factor.
        left: Extended,
        /// The right factor, if it is no constant.
        right: Result<Extended, i64>,
    },
    /// The upper half of `left:right << amount`, of 32 or 64 bits: a rotation where both are the same.
    Funnel {
        /// The upper half.
        left: Value,
        /// The lower half.
        right: Value,
        /// A constant, less than the bits of each.
        amount: u32,
    },
    /// Two integers of half the width beside each other.
    Joined {
        /// The lower half.
        low: Value,
        /// The upper half.
        high: Value,
    },
    /// `left * right + addend` of floats with one rounding; the product or the addend negated.
    Float {
        /// A factor.
        left: Value,
        /// A factor.
        right: Value,
        /// What is added.
        addend: Value,
        /// Whether the product is subtracted from the addend.
        negate_product: bool,
        /// Whether the addend is subtracted from the product.
        negate_addend: bool,
    },
}

impl Fused {
    fn operands(&self) -> Vec<Value> {
        match self {
            Fused::MultiplyAdd { left, right, addend }
            | Fused::Float {
                left, right, addend, ..
            } => {
                vec![*left, *right, *addend]
            }
            Fused::Funnel { left, right, .. } => vec![*left, *right],
            Fused::Joined { low, high } => vec![*low, *high],
            Fused::Wide { left, right } => std::iter::once(left.operand)
                .chain(right.as_ref().ok().map(|right| right.operand))
                .collect(),
        }
    }
}

/// What a binary operation is fused into, if anything.
pub(crate) fn fused(
    body: &Function,
    id: InstructionId,
    op: BinaryOp,
    flags: Flags,
    left: Value,
    right: Value,
    contract: bool,
) -> Option<Fused> {
    match op {
        BinaryOp::Mul | BinaryOp::Shl => wide_product(body, op, left, right),
        BinaryOp::Add => {
            let bits = body.result_type(id).int_bits()?;
            if !matches!(bits, 16 | 32 | 64) {
                return None;
            }
            let product = |value: Value| {
                let (inner, left, right) = only_used_here(body, id, value, BinaryOp::Mul)?;
                // A wide product is cheaper than a full one.
                wide_product(body, BinaryOp::Mul, left, right)
                    .is_none()
                    .then_some((inner, left, right))
            };
            match (product(left), product(right)) {
                (Some((_, factor, other)), _) => Some(Fused::MultiplyAdd {
                    left: factor,
                    right: other,
                    addend: right,
                }),
                (None, Some((_, factor, other))) => Some(Fused::MultiplyAdd {
                    left: factor,
                    right: other,
                    addend: left,
                }),
                (None, None) => None,
            }
        }
        BinaryOp::Or | BinaryOp::Xor => {
            let bits = body.result_type(id).int_bits().filter(|bits| matches!(bits, 32 | 64))?;
            if let Some((low, high)) = joined(body, bits, left, right).or_else(|| joined(body, bits, right, left)) {
                return Some(Fused::Joined { low, high });
            }
            let shift = |value: Value, op: BinaryOp| {
                let (_, operand, amount) = only_used_here(body, id, value, op)?;
                Some((operand, constant_index(body.context(), amount)?))
            };
            let halves = |up: Value, down: Value| Some((shift(up, BinaryOp::Shl)?, shift(down, BinaryOp::LShr)?));
            let ((high, up), (low, down)) = halves(left, right).or_else(|| halves(right, left))?;
            let whole = up > 0 && down > 0 && up + down == i64::from(bits);
            whole.then_some(Fused::Funnel {
                left: high,
                right: low,
                amount: up as u32,
            })
        }
        BinaryOp::FAdd | BinaryOp::FSub => {
            let ty = body.context().scalar(body.result_type(id));
            if body.result_type(id).is_vector() && !matches!(ty, Type::Half | Type::BFloat | Type::Float) {
                return None;
            }
            if ty == Type::BFloat {
                return None;
            }
            let may = |flags: Flags| contract || flags.contains(Flags::CONTRACT);
            if !may(flags) {
                return None;
            }
            let product = |value: Value| {
                let (inner, left, right) = only_used_here(body, id, value, BinaryOp::FMul)?;
                may(body.instruction(inner).flags()).then_some((left, right))
            };
            let subtract = op == BinaryOp::FSub;
            if let Some((factor, other)) = product(left) {
                return Some(Fused::Float {
                    left: factor,
                    right: other,
                    addend: right,
                    negate_product: false,
                    negate_addend: subtract,
                });
            }
            let (factor, other) = product(right)?;
            Some(Fused::Float {
                left: factor,
                right: other,
                addend: left,
                negate_product: subtract,
                negate_addend: false,
            })
        }
        _ => None,
    }
}

/// The halves of an integer that is put together of two: `zext low | zext high << half`.
fn joined(body: &Function, bits: u32, low: Value, high: Value) -> Option<(Value, Value)> {
    let half = bits / 2;
    let narrow = |value: Value| match body.definition(value)? {
        Instruction::Cast {
            op: CastOp::ZExt,
            operand,
            ..
        } if body.type_of(*operand) == Type::Int(half) => Some(*operand),
        _ => None,
    };
    let Some(Instruction::Binary {
        op: BinaryOp::Shl,
        left,
        right,
        ..
    }) = body.definition(high)
    else {
        return None;
    };
    if constant_index(body.context(), *right) != Some(i64::from(half)) {
        return None;
    }
    Some((narrow(low)?, narrow(*left)?))
}

/// The operation `op` that a value is, if `reader` is all that uses it and is in the same block.
fn only_used_here(
    body: &Function,
    reader: InstructionId,
    value: Value,
    op: BinaryOp,
) -> Option<(InstructionId, Value, Value)> {
    let id = value.as_instruction()?;
    let Instruction::Binary {
        op: found, left, right, ..
    } = body.instruction(id)
    else {
        return None;
    };
    let here = *found == op && body.use_count(value) == 1 && body.block_of(id) == body.block_of(reader);
    here.then_some((id, *left, *right))
}

/// A product of widened factors: `sext a * sext b`, `zext a * constant`, `sext a << constant`.
fn wide_product(body: &Function, op: BinaryOp, left: Value, right: Value) -> Option<Fused> {
    let context = body.context();
    let factor = extended(body, left);
    if let Some(left) = factor
        && let Some(constant) = constant_index(context, right)
    {
        let constant = match op {
            BinaryOp::Shl if (0..i64::from(left.bits) - 1).contains(&constant) => 1i64 << constant,
            BinaryOp::Shl => return None,
            _ => constant,
        };
        let limit = 1i64 << (left.bits - 1);
        let fits = if left.signed {
            (-limit..limit).contains(&constant)
        } else {
            (0..2 * limit).contains(&constant)
        };
        return fits.then_some(Fused::Wide {
            left,
            right: Err(constant),
        });
    }
    if op == BinaryOp::Shl {
        return None;
    }
    let (left, right) = (factor?, extended(body, right)?);
    (left.signed == right.signed && left.bits == right.bits).then_some(Fused::Wide { left, right: Ok(right) })
}
