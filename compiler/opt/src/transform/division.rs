//! Divisions of 64 bits whose operands mostly have 32: the machine has no instruction for either, and takes a multiple of the time for the wider one. Where
//! both operands are below 2^32 the narrow division is run.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use warpsmith_ir::{BinaryOp, BlockId, CastOp, Flags, Function, Instruction, InstructionId, IntPredicate, Type, Value};

use crate::{analysis::known, edit, pipeline::Unit};

/// The pass.
pub(crate) fn run(function: &mut Function, unit: &Unit<'_>) -> bool {
    let mut changed = false;
    for block in function.blocks().collect::<Vec<_>>() {
        let mut at = Some(block);
        while let Some(block) = at {
            at = one(function, unit, block);
            changed |= at.is_some();
        }
    }
    changed
}

/// Whether a division gives the quotient, and whether it is signed.
fn kind(op: BinaryOp) -> (bool, bool) {
    (
        matches!(op, BinaryOp::UDiv | BinaryOp::SDiv),
        matches!(op, BinaryOp::SDiv | BinaryOp::SRem),
    )
}

/// Treats the first division of a block that is worth it, with those of the same operands; the block that the rest is in.
fn one(function: &mut Function, unit: &Unit<'_>, block: BlockId) -> Option<BlockId> {
    let mut groups: FxHashMap<(Value, Value, bool), SmallVec<[InstructionId; 2]>> = FxHashMap::default();
    let mut first: Option<(InstructionId, (Value, Value, bool))> = None;
    for id in function.instructions(block) {
        let Instruction::Binary { op, left, right, .. } = *function.instruction(id) else {
            continue;
        };
        if !op.is_int_division()
            || function.result_type(id) != Type::I64
            || right.as_constant().is_some()
            || !is_unknown(function, unit, left)
            || !is_unknown(function, unit, right)
        {
            continue;
        }
        let key = (left, right, kind(op).1);
        groups.entry(key).or_default().push(id);
        first.get_or_insert((id, key));
    }
    let (first, key) = first?;
    if !unit.fuel.take() {
        return None;
    }
    Some(split(function, first, key, &groups[&key]))
}

/// Whether a value may be below 2^32 and may be not.
fn is_unknown(function: &Function, unit: &Unit<'_>, value: Value) -> bool {
    known::known_bits(unit.symbols, function, value).is_some_and(|bits| bits.one >> 32 == 0)
}

/// Puts the divisions of the same operands behind a branch.
fn split(
    function: &mut Function,
    first: InstructionId,
    (left, right, is_signed): (Value, Value, bool),
    all: &[InstructionId],
) -> BlockId {
    let Some(block) = function.block_of(first) else {
        return function.create_block();
    };
    let location = function.location(first);
    let Some(join) = function.split_before(first) else {
        return block;
    };
    let (narrow, wide) = (function.insert_block_after(block), function.create_block());
    function.place_block(wide, Some(narrow));
    let context = function.context().clone();
    let int = |value: i128| Value::Constant(context.int(64, value));
    let mut put = |block: BlockId, instruction: Instruction, ty: Type| {
        let id = function.append(block, instruction, ty);
        function.set_location(id, location);
        Value::Instruction(id)
    };
    let binary = |op, left, right| Instruction::Binary {
        op,
        flags: Flags::NONE,
        left,
        right,
    };
    let cast = |op, operand| Instruction::Cast {
        op,
        flags: Flags::NONE,
        operand,
    };
    let both = put(block, binary(BinaryOp::Or, left, right), Type::I64);
    let upper = put(block, binary(BinaryOp::LShr, both, int(32)), Type::I64);
    let is_narrow = Instruction::ICmp {
        predicate: IntPredicate::Eq,
        flags: Flags::NONE,
        left: upper,
        right: int(0),
    };
    let condition = put(block, is_narrow, Type::BOOL);
    let branch = Instruction::ConditionalBranch {
        condition,
        on_true: narrow,
        on_false: wide,
    };
    put(block, branch, Type::Void);
    let low = put(narrow, cast(CastOp::Trunc, left), Type::I32);
    let divisor = put(narrow, cast(CastOp::Trunc, right), Type::I32);
    let quotient = put(narrow, binary(BinaryOp::UDiv, low, divisor), Type::I32);
    let divide = if is_signed { BinaryOp::SDiv } else { BinaryOp::UDiv };
    let wide_quotient = put(wide, binary(divide, left, right), Type::I64);
    let mut found: SmallVec<[(Value, Value); 2]> = SmallVec::new();
    for is_quotient in [true, false] {
        let (of_narrow, of_wide) = if is_quotient {
            (quotient, wide_quotient)
        } else {
            let product = put(narrow, binary(BinaryOp::Mul, quotient, divisor), Type::I32);
            let rest = put(narrow, binary(BinaryOp::Sub, low, product), Type::I32);
            let product = put(wide, binary(BinaryOp::Mul, wide_quotient, right), Type::I64);
            (rest, put(wide, binary(BinaryOp::Sub, left, product), Type::I64))
        };
        let extended = put(narrow, cast(CastOp::ZExt, of_narrow), Type::I64);
        found.push((extended, of_wide));
    }
    put(narrow, Instruction::Branch { target: join }, Type::Void);
    put(wide, Instruction::Branch { target: join }, Type::Void);
    for &id in all {
        let Instruction::Binary { op, .. } = *function.instruction(id) else {
            continue;
        };
        let (of_narrow, of_wide) = if kind(op).0 { found[0] } else { found[1] };
        let phi = Instruction::Phi {
            flags: Flags::NONE,
            incoming: [(narrow, of_narrow), (wide, of_wide)].into_iter().collect(),
        };
        let phi = function.prepend(join, phi, Type::I64);
        if let Some(name) = function.name(Value::Instruction(id)).map(str::to_owned) {
            function.set_name(Value::Instruction(phi), &name);
        }
        function.replace_and_remove(id, Value::Instruction(phi));
    }
    // What is not needed of quotient and remainder goes at once.
    for (of_narrow, of_wide) in found {
        for value in [of_narrow, of_wide] {
            if let Value::Instruction(id) = value {
                edit::remove_with_operands(function, id, |function, id| {
                    matches!(
                        function.instruction(id),
                        Instruction::Binary { .. } | Instruction::Cast { .. }
                    )
                });
            }
        }
    }
    join
}
