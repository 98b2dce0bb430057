//! How values change from round to round of a loop: recurrences of a constant step, and what the branch back asks of them.

use warpsmith_ir::{BinaryOp, BlockId, Flags, Function, Instruction, InstructionId, IntPredicate, Type, Value};

use crate::{address::constant_int, transform::loops::Nest};

/// A phi of a loop's header that starts with a value and grows by a constant each round, modulo two to its width.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Recurrence {
    /// The phi.
    pub(crate) phi: InstructionId,
    /// Its value in the first round.
    pub(crate) start: Value,
    /// What is added each round; not zero.
    pub(crate) step: i128,
    /// The addition, whose result is the phi's value in the next round.
    pub(crate) next: InstructionId,
    /// What the addition promises.
    pub(crate) flags: Flags,
}

/// The recurrence that a phi of a loop's header is.
pub(crate) fn recurrence(
    function: &Function,
    preheader: BlockId,
    latch: BlockId,
    phi: InstructionId,
) -> Option<Recurrence> {
    let Instruction::Phi { incoming, .. } = function.instruction(phi) else {
        return None;
    };
    if incoming.len() != 2 {
        return None;
    }
    let from = |block: BlockId| incoming.iter().find(|(at, _)| *at == block).map(|(_, value)| *value);
    let (start, next) = (from(preheader)?, from(latch)?.as_instruction()?);
    let Instruction::Binary { op, flags, left, right } = *function.instruction(next) else {
        return None;
    };
    let own = Value::Instruction(phi);
    let step = match op {
        BinaryOp::Add if left == own => constant_int(function, right)?,
        BinaryOp::Add if right == own => constant_int(function, left)?,
        BinaryOp::Sub if left == own => constant_int(function, right)?.checked_neg()?,
        _ => return None,
    };
    let is_sum = op == BinaryOp::Add;
    (step != 0).then_some(Recurrence {
        phi,
        start,
        step,
        next,
        // A subtraction that does not wrap unsigned is an addition that does.
        flags: if is_sum {
            flags
        } else {
            flags.without(Flags::NO_UNSIGNED_WRAP)
        },
    })
}

/// What a branch back asks: the loop goes on while `predicate` holds of the compared value and the bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Condition {
    /// What is compared.
    pub(crate) recurrence: Recurrence,
    /// The operand of the comparison: the recurrence's value in this round, or in the next.
    pub(crate) compared: Value,
    /// Whether the value of the next round is compared.
    pub(crate) is_next: bool,
    /// The relation.
    pub(crate) predicate: IntPredicate,
    /// What it is compared with; the same in all rounds.
    pub(crate) bound: Value,
    /// The truth value that the latch branches on.
    pub(crate) condition: Value,
    /// Which truth value of it goes on.
    pub(crate) goes_on: bool,
}

/// The condition of a loop whose latch compares a recurrence with a bound.
pub(crate) fn condition(function: &Function, nest: &Nest, index: usize) -> Option<Condition> {
    let (header, preheader, latch) = (nest.header(index)?, nest.preheader(index)?, nest.latch(index)?);
    let Instruction::ConditionalBranch {
        condition,
        on_true,
        on_false,
    } = *function.instruction(function.terminator(latch)?)
    else {
        return None;
    };
    let goes_on = match (on_true == header, on_false == header) {
        (true, false) => true,
        (false, true) => false,
        _ => return None,
    };
    let Instruction::ICmp {
        predicate, left, right, ..
    } = *function.definition(condition)?
    else {
        return None;
    };
    if !matches!(function.type_of(left), Type::Int(2..=64)) {
        return None;
    }
    let predicate = if goes_on { predicate } else { predicate.inverse() };
    let sides = [(left, right, predicate), (right, left, predicate.swapped())];
    sides.into_iter().find_map(|(compared, bound, predicate)| {
        let is_fixed = match bound {
            Value::Instruction(id) => !nest.contains(index, function.block_of(id)?),
            Value::Argument(_) | Value::Constant(_) => true,
        };
        if !is_fixed {
            return None;
        }
        let id = compared.as_instruction()?;
        let mut phis = function.phis(header);
        let (recurrence, is_next) = phis.find_map(|phi| {
            let found = recurrence(function, preheader, latch, phi)?;
            match (phi == id, found.next == id) {
                (true, _) => Some((found, false)),
                (_, true) => Some((found, true)),
                _ => None,
            }
        })?;
        Some(Condition {
            recurrence,
            compared,
            is_next,
            predicate,
            bound,
            condition,
            goes_on,
        })
    })
}
