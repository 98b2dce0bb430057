//! Counters of 64 bits whose values all fit into 32 become counters of 32: the machine adds and compares 64 bits in two steps each.
//!
//! What a counter can be is known from where it starts, by what it grows, and from the bound up to which the loop goes on.

use smallvec::SmallVec;
use warpsmith_ir::{BinaryOp, BlockId, CastOp, Flags, Function, Instruction, IntPredicate, Type, Value};

use super::Nest;
use crate::{
    analysis::{evolution, known},
    edit,
    pipeline::Unit,
};

const MOST: i128 = u32::MAX as i128;
const MOST_SIGNED: i128 = i32::MAX as i128;

/// The pass. Loops have the form of [`super::shape`] and are rotated.
pub(crate) fn run(function: &mut Function, unit: &Unit<'_>) -> bool {
    let nest = Nest::new(function);
    let mut changed = false;
    for index in 0..nest.loops.len() {
        let Some(condition) = evolution::condition(function, &nest, index) else {
            continue;
        };
        let Some(greatest) = greatest(function, unit, &condition) else {
            continue;
        };
        if let (Some(header), Some(preheader), Some(latch)) =
            (nest.header(index), nest.preheader(index), nest.latch(index))
            && unit.fuel.take()
        {
            narrow(function, &condition, greatest, [header, preheader, latch]);
            changed = true;
        }
    }
    changed
}

/// The greatest value that the counter of 64 bits has, the one behind the last round included, if none is less than 0 or more than 32 bits hold.
fn greatest(function: &Function, unit: &Unit<'_>, condition: &evolution::Condition) -> Option<i128> {
    let recurrence = condition.recurrence;
    if function.result_type(recurrence.phi) != Type::Int(64) || recurrence.step <= 0 || recurrence.step > MOST {
        return None;
    }
    let known = |value| known::known_bits(unit.symbols, function, value);
    let start = i128::try_from(known(recurrence.start)?.greatest()).ok()?;
    let bound = match condition.predicate {
        IntPredicate::Ult | IntPredicate::Ule => i128::try_from(known(condition.bound)?.greatest()).ok()?,
        IntPredicate::Slt | IntPredicate::Sle => match widened(function, condition.bound) {
            Some((CastOp::SExt, _)) => MOST_SIGNED,
            _ => known(condition.bound)?.signed_greatest().max(0),
        },
        _ => return None,
    };
    let is_strict = matches!(condition.predicate, IntPredicate::Ult | IntPredicate::Slt);
    // The greatest value with which the comparison holds; what is compared is the value of this round or of the next.
    let passing = bound - i128::from(is_strict);
    let next_round = if condition.is_next {
        passing
    } else {
        passing + recurrence.step
    };
    let greatest = start.max(next_round) + recurrence.step;
    (start <= MOST && greatest <= MOST).then_some(greatest)
}

/// If a value is one of 32 bits that was widened: how, and that one.
fn widened(function: &Function, value: Value) -> Option<(CastOp, Value)> {
    match *function.definition(value)? {
        Instruction::Cast {
            op: op @ (CastOp::SExt | CastOp::ZExt),
            operand,
            ..
        } if function.type_of(operand) == Type::I32 => Some((op, operand)),
        _ => None,
    }
}

fn narrow(
    function: &mut Function,
    condition: &evolution::Condition,
    greatest: i128,
    [header, preheader, latch]: [BlockId; 3],
) {
    let recurrence = condition.recurrence;
    let (Some(end), Some(first)) = (function.terminator(preheader), function.first_after_phis(header)) else {
        return;
    };
    let start = edit::cast(function, end, CastOp::Trunc, recurrence.start, Type::I32);
    let phi = Instruction::Phi {
        flags: Flags::NONE,
        incoming: SmallVec::new(),
    };
    let phi = function.prepend(header, phi, Type::I32);
    let is_signed = greatest <= MOST_SIGNED;
    let sum = match is_signed {
        true => Flags::NO_UNSIGNED_WRAP.with(Flags::NO_SIGNED_WRAP),
        false => Flags::NO_UNSIGNED_WRAP,
    };
    let step = Value::Constant(function.context().int(32, recurrence.step));
    let own = Value::Instruction(phi);
    let next = edit::binary_with(function, recurrence.next, BinaryOp::Add, sum, own, step);
    function.update(phi, |instruction| {
        if let Instruction::Phi { incoming, .. } = instruction {
            incoming.extend([(preheader, start), (latch, next)]);
        }
    });
    compare_narrow(function, condition, own, next, greatest);
    let widen = |function: &mut Function, at, operand| {
        let flags = if is_signed { Flags::NON_NEGATIVE } else { Flags::NONE };
        let cast = Instruction::Cast {
            op: CastOp::ZExt,
            flags,
            operand,
        };
        edit::insert(function, at, cast, Type::Int(64))
    };
    let wide_next = widen(function, recurrence.next, next);
    function.replace_all_uses(Value::Instruction(recurrence.next), wide_next);
    let wide = widen(function, first, own);
    function.replace_all_uses(Value::Instruction(recurrence.phi), wide);
    function.remove_instruction(recurrence.next);
    function.remove_instruction(recurrence.phi);
}

/// Compares the narrow counter with a bound that was widened.
fn compare_narrow(function: &mut Function, condition: &evolution::Condition, own: Value, next: Value, greatest: i128) {
    let Some((op, bound)) = widened(function, condition.bound) else {
        return;
    };
    // What is widened without sign is compared without.
    let predicate = match (op, condition.predicate) {
        (CastOp::SExt, IntPredicate::Slt | IntPredicate::Sle) if greatest <= MOST_SIGNED => condition.predicate,
        (CastOp::ZExt, IntPredicate::Slt | IntPredicate::Ult) => IntPredicate::Ult,
        (CastOp::ZExt, IntPredicate::Sle | IntPredicate::Ule) => IntPredicate::Ule,
        _ => return,
    };
    let Some(comparison) = condition.condition.as_instruction() else {
        return;
    };
    let predicate = if condition.goes_on {
        predicate
    } else {
        predicate.inverse()
    };
    let compared = if condition.is_next { next } else { own };
    let narrow = edit::compare(function, comparison, predicate, compared, bound);
    function.replace_all_uses(condition.condition, narrow);
}
