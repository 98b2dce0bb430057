//! Calls of intrinsics: folded, replaced by instructions, or taken apart.

use warpsmith_ir::{
    Access, CastOp, Constant, ConstantId, Context, Function, Instruction, InstructionId, Integer, Intrinsic, Type,
    Value,
};
use warpsmith_numerics::float;

use crate::{
    address,
    analysis::bits::{mask, signed},
    edit, fold,
    intrinsics::{self, TransferKind},
    pipeline::Unit,
};

/// The value of an intrinsic of constants.
pub(super) fn fold_constants(function: &Function, intrinsic: Intrinsic, arguments: &[Value]) -> Option<ConstantId> {
    let context = function.context();
    let ids: Vec<ConstantId> = arguments
        .iter()
        .map(|argument| argument.as_constant())
        .collect::<Option<_>>()?;
    if let Some(folded) = fold_halves(context, intrinsic, &ids) {
        return Some(folded);
    }
    let ty = context.constant_type(*ids.first()?);
    if ids.iter().any(|&id| fold::is_poison(context, id)) {
        return Some(context.poison(ty));
    }
    match context.scalar(ty) {
        Type::Int(bits @ 1..=128) => {
            let values: Vec<u128> = ids
                .iter()
                .map(|&id| fold::int_value(context, id))
                .collect::<Option<_>>()?;
            let value = fold_integers(intrinsic, bits, &values)?;
            Some(fold::int_constant(context, ty, value))
        }
        scalar => {
            let values: Vec<u64> = ids
                .iter()
                .map(|&id| fold::float_value(context, id))
                .collect::<Option<_>>()?;
            Some(fold::float_constant(
                context,
                ty,
                fold_floats(intrinsic, scalar, &values)?,
            ))
        }
    }
}

/// A double of its halves, or a half of it.
fn fold_halves(context: &Context, intrinsic: Intrinsic, ids: &[ConstantId]) -> Option<ConstantId> {
    match (intrinsic, ids) {
        (Intrinsic::NvvmLohiI2d, &[low, high]) => {
            let (low, high) = (fold::int_value(context, low)?, fold::int_value(context, high)?);
            Some(fold::float_constant(context, Type::Double, (high << 32 | low) as u64))
        }
        (Intrinsic::NvvmD2iHi | Intrinsic::NvvmD2iLo, &[whole]) => {
            let bits = fold::float_value(context, whole)?;
            let half = if intrinsic == Intrinsic::NvvmD2iHi {
                bits >> 32
            } else {
                bits & 0xffff_ffff
            };
            Some(fold::int_constant(context, Type::I32, u128::from(half)))
        }
        _ => None,
    }
}

fn fold_integers(intrinsic: Intrinsic, bits: u32, values: &[u128]) -> Option<u128> {
    let a = *values.first()?;
    let b = values.get(1).copied();
    let (sa, sb) = (signed(bits, a), b.map(|b| signed(bits, b)));
    let width = u128::from(bits);
    Some(match intrinsic {
        Intrinsic::Smin => sa.min(sb?) as u128,
        Intrinsic::Smax => sa.max(sb?) as u128,
        Intrinsic::Umin => a.min(b?),
        Intrinsic::Umax => a.max(b?),
        Intrinsic::Abs => sa.unsigned_abs(),
        Intrinsic::Ctpop => u128::from(a.count_ones()),
        Intrinsic::Ctlz => u128::from(a.leading_zeros()) - (128 - width),
        Intrinsic::Cttz => u128::from(a.trailing_zeros()).min(width),
        Intrinsic::Bitreverse => a.reverse_bits() >> (128 - bits),
        Intrinsic::Bswap if bits.is_multiple_of(16) => a.swap_bytes() >> (128 - bits),
        Intrinsic::Fshl | Intrinsic::Fshr => {
            let count = values.get(2)? % width;
            let count = if intrinsic == Intrinsic::Fshl {
                count
            } else {
                width - count
            };
            if bits > 64 {
                return None;
            }
            (a << width | b?) << count >> width & mask(bits)
        }
        _ => return None,
    })
}

fn fold_floats(intrinsic: Intrinsic, ty: Type, values: &[u64]) -> Option<u64> {
    let format = fold::format_of(ty)?;
    let modifiers = float::Modifiers::default();
    let (a, b) = (*values.first()?, values.get(1).copied());
    let is_wide = matches!(ty, Type::Float | Type::Double);
    Some(match intrinsic {
        Intrinsic::Fma => float::fma(format, modifiers, a, b?, *values.get(2)?),
        Intrinsic::Fabs => a & format.magnitude_mask(),
        Intrinsic::Copysign => a & format.magnitude_mask() | b? & format.sign_bit(),
        Intrinsic::Sqrt if is_wide => float::sqrt(format, modifiers, a),
        Intrinsic::Minnum => float::min(format, float::MinMax::default(), a, b?),
        Intrinsic::Maxnum => float::max(format, float::MinMax::default(), a, b?),
        _ => return None,
    })
}

/// What to do with a call.
pub(super) enum Outcome {
    /// Put this in its place.
    Value(Value),
    /// It goes; it has no result that is used.
    Remove,
}

/// Simplifies a call of an intrinsic.
pub(super) fn simplify(function: &mut Function, unit: &Unit<'_>, id: InstructionId) -> Option<Outcome> {
    let call = function.instruction(id).as_call()?;
    let intrinsic = call.intrinsic()?;
    let arguments = call.arguments.clone();
    let ty = function.result_type(id);
    if let Some(value) = fold_constants(function, intrinsic, &arguments)
        && function.context().constant_type(value) == ty
    {
        return unit.fuel.take().then_some(Outcome::Value(Value::Constant(value)));
    }
    match intrinsic {
        Intrinsic::SsaCopy
        | Intrinsic::LaunderInvariantGroup
        | Intrinsic::StripInvariantGroup
        | Intrinsic::Expect
        | Intrinsic::ExpectWithProbability
        | Intrinsic::Annotation
        | Intrinsic::PtrAnnotation => Some(Outcome::Value(*arguments.first()?)),
        Intrinsic::Donothing | Intrinsic::Assume | Intrinsic::Sideeffect | Intrinsic::VarAnnotation => {
            Some(Outcome::Remove)
        }
        Intrinsic::NvvmPtrGenToGlobal
        | Intrinsic::NvvmPtrGenToShared
        | Intrinsic::NvvmPtrGenToConstant
        | Intrinsic::NvvmPtrGenToLocal
        | Intrinsic::NvvmPtrGlobalToGen
        | Intrinsic::NvvmPtrSharedToGen
        | Intrinsic::NvvmPtrConstantToGen
        | Intrinsic::NvvmPtrLocalToGen => {
            let value = edit::cast(function, id, CastOp::AddrSpaceCast, *arguments.first()?, ty);
            Some(Outcome::Value(value))
        }
        Intrinsic::Ctpop | Intrinsic::Ctlz | Intrinsic::Cttz if ty == Type::BOOL => None,
        Intrinsic::NvvmReadPtxSregWarpsize => Some(Outcome::Value(int(function, ty, 32))),
        Intrinsic::NvvmReadPtxSregNtidX | Intrinsic::NvvmReadPtxSregNtidY | Intrinsic::NvvmReadPtxSregNtidZ => {
            let (least, most) = crate::analysis::known::special_range(unit.symbols, function, intrinsic)?;
            let kernel = unit.symbols.functions[function.id()].kernel.as_ref()?;
            (least == most && kernel.required_threads.is_some()).then(|| Outcome::Value(int(function, ty, least)))
        }
        Intrinsic::Memcpy
        | Intrinsic::MemcpyInline
        | Intrinsic::Memmove
        | Intrinsic::Memset
        | Intrinsic::MemsetInline => simplify_transfer(function, unit, id),
        _ => None,
    }
}

fn int(function: &Function, ty: Type, value: u128) -> Value {
    Value::Constant(fold::int_constant(function.context(), ty, value))
}

/// Transfers of nothing go; those of one register become a load and a store.
fn simplify_transfer(function: &mut Function, unit: &Unit<'_>, id: InstructionId) -> Option<Outcome> {
    let transfer = intrinsics::transfer(function, id)?;
    let length = address::constant_int(function, transfer.length)?;
    if length == 0 {
        return Some(Outcome::Remove);
    }
    if let TransferKind::Copy { source } | TransferKind::Move { source } = transfer.kind
        && source == transfer.destination
        && !transfer.volatile
    {
        return Some(Outcome::Remove);
    }
    let bytes = u32::try_from(length)
        .ok()
        .filter(|bytes| matches!(bytes, 1 | 2 | 4 | 8))?;
    let fits = |align: u32| align >= bytes;
    if transfer.volatile || !fits(transfer.destination_align) || !unit.fuel.take() {
        return None;
    }
    let ty = Type::Int(bytes * 8);
    let value = match transfer.kind {
        TransferKind::Copy { source } | TransferKind::Move { source } => {
            if !fits(transfer.source_align) {
                return None;
            }
            let load = Instruction::Load {
                pointer: source,
                access: Access::aligned(transfer.source_align),
            };
            edit::insert(function, id, load, ty)
        }
        TransferKind::Fill { byte } => {
            let byte = function.context().constant(byte.as_constant()?).clone();
            let Constant::Int(byte) = byte else { return None };
            let words = [byte.low_u64().wrapping_mul(0x0101_0101_0101_0101)];
            Value::Constant(function.context().integer(Integer::from_words(bytes * 8, &words)))
        }
    };
    let store = Instruction::Store {
        pointer: transfer.destination,
        value,
        access: Access::aligned(transfer.destination_align),
    };
    edit::insert(function, id, store, Type::Void);
    Some(Outcome::Remove)
}
