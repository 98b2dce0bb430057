//! Tail merging: what both ways into a block end with is done once, in that block, on a choice of the operands where they differ.
//!
//! The threads of a warp that come both ways do it together. A store, or a value that only the choice between the two ways uses, goes from the ends of both
//! predecessors to the start of the block. Calls stay where they are: threads may have to run them together, or apart.

use smallvec::SmallVec;
use warpsmith_ir::{BlockId, Flags, Function, Instruction, InstructionId, Type, Value};

use crate::{analysis::effects, pipeline::Unit};

/// The pass.
pub(crate) fn run(function: &mut Function, unit: &Unit<'_>) -> bool {
    let mut changed = false;
    let predecessors = function.predecessors();
    let joins: Vec<(BlockId, BlockId, BlockId)> = function
        .blocks()
        .filter_map(|join| match *predecessors.of(join) {
            [one, other] if goes_only(function, one, join) && goes_only(function, other, join) => {
                Some((join, one, other))
            }
            _ => None,
        })
        .collect();
    for (join, one, other) in joins {
        while let Some((left, right)) = last_of_both(function, unit, join, one, other) {
            if !unit.fuel.take() {
                return changed;
            }
            merge(function, join, (one, left), (other, right));
            changed = true;
        }
    }
    changed
}

fn goes_only(function: &Function, from: BlockId, to: BlockId) -> bool {
    from != to
        && function
            .terminator(from)
            .is_some_and(|end| matches!(function.instruction(end), Instruction::Branch { .. }))
}

/// The last instructions of both predecessors, if one can stand for both.
fn last_of_both(
    function: &Function,
    unit: &Unit<'_>,
    join: BlockId,
    one: BlockId,
    other: BlockId,
) -> Option<(InstructionId, InstructionId)> {
    let last = |block: BlockId| function.previous(function.terminator(block)?);
    let (left, right) = (last(one)?, last(other)?);
    let (a, b) = (function.instruction(left), function.instruction(right));
    if function.result_type(left) != function.result_type(right) || !is_same_operation(a, b) {
        return None;
    }
    let phi = match a {
        Instruction::Store { access, .. } if access.is_simple() => None,
        Instruction::Binary { .. } | Instruction::Cast { .. } | Instruction::FNeg { .. } => {
            if !effects::memory(unit.symbols, function, left).is_none() {
                return None;
            }
            Some(joined(function, join, (one, left), (other, right))?)
        }
        _ => return None,
    };
    // A choice that goes pays for one that comes, and a store pays for one, where what is chosen is made in the predecessors anyway.
    let differing: Vec<(Value, Value)> = a
        .operands()
        .into_iter()
        .zip(b.operands())
        .filter(|(left, right)| left != right)
        .collect();
    let is_choosable = |&(left, right): &(Value, Value)| {
        let ty = function.type_of(left);
        ty == function.type_of(right) && !ty.is_pointer()
    };
    let is_made_in = |value: Value, block: BlockId| {
        value
            .as_instruction()
            .is_some_and(|id| function.block_of(id) == Some(block) && function.use_count(value) == 1)
    };
    let is_known = |pair: &&(Value, Value)| find_phi(function, join, (one, pair.0), (other, pair.1), phi).is_some();
    let new: Vec<&(Value, Value)> = differing.iter().filter(|pair| !is_known(pair)).collect();
    let is_cheap = match new[..] {
        [] => true,
        [pair] => phi.is_none() || is_made_in(pair.0, one) && is_made_in(pair.1, other),
        _ => false,
    };
    (differing.iter().all(is_choosable) && is_cheap).then_some((left, right))
}

/// The only user of both results: the phi that chooses between them.
fn joined(
    function: &Function,
    join: BlockId,
    one: (BlockId, InstructionId),
    other: (BlockId, InstructionId),
) -> Option<InstructionId> {
    let (left, right) = (Value::Instruction(one.1), Value::Instruction(other.1));
    let phi = function.single_user(left)?;
    if function.single_user(right) != Some(phi) {
        return None;
    }
    find_phi(function, join, (one.0, left), (other.0, right), None).filter(|&found| found == phi)
}

/// The phi of a block that has these values, but for one that is about to go.
fn find_phi(
    function: &Function,
    join: BlockId,
    one: (BlockId, Value),
    other: (BlockId, Value),
    except: Option<InstructionId>,
) -> Option<InstructionId> {
    function.phis(join).find(|&phi| {
        Some(phi) != except
            && matches!(function.instruction(phi), Instruction::Phi { incoming, .. }
                if incoming.len() == 2 && incoming.contains(&one) && incoming.contains(&other))
    })
}

/// Whether two instructions do the same, operands aside.
fn is_same_operation(a: &Instruction, b: &Instruction) -> bool {
    match (a, b) {
        (Instruction::Store { access, .. }, Instruction::Store { access: others, .. }) => access == others,
        (Instruction::Binary { op, .. }, Instruction::Binary { op: others, .. }) => op == others,
        (Instruction::Cast { op, .. }, Instruction::Cast { op: others, .. }) => op == others,
        (Instruction::FNeg { .. }, Instruction::FNeg { .. }) => true,
        _ => false,
    }
}

/// Puts one instruction at the start of the join in place of two.
fn merge(function: &mut Function, join: BlockId, one: (BlockId, InstructionId), other: (BlockId, InstructionId)) {
    let (left, right) = (one.1, other.1);
    let own = joined(function, join, one, other);
    let mut instruction = function.instruction(left).clone();
    let others = function.instruction(right).operands();
    let flags = function.instruction(right).flags();
    if let Some(own) = instruction.flags_mut() {
        *own = own.intersection(flags);
    }
    let mut operands: SmallVec<[Value; 4]> = SmallVec::new();
    for (a, b) in instruction.operands().into_iter().zip(others) {
        operands.push(choice(function, join, (one.0, a), (other.0, b), own));
    }
    let mut next = operands.into_iter();
    instruction.for_each_operand_mut(|operand| {
        if let Some(value) = next.next() {
            *operand = value;
        }
    });
    let ty = function.result_type(left);
    let location = function
        .location(left)
        .filter(|&at| Some(at) == function.location(right));
    let same_notes = function.attachments(left) == function.attachments(right);
    let notes = function.attachments(left).filter(|_| same_notes).cloned();
    let Some(at) = function.first_after_phis(join) else {
        return;
    };
    let merged = function.insert_before(at, instruction, ty);
    function.set_location(merged, location.or(function.location(at)));
    if let Some(notes) = notes {
        function.update_attachments(merged, |all| *all = notes);
    }
    if let Some(phi) = own {
        function.replace_and_remove(phi, Value::Instruction(merged));
    }
    function.remove_instruction(left);
    function.remove_instruction(right);
}

/// An operand of the merged instruction.
fn choice(
    function: &mut Function,
    join: BlockId,
    one: (BlockId, Value),
    other: (BlockId, Value),
    own: Option<InstructionId>,
) -> Value {
    if one.1 == other.1 {
        return one.1;
    }
    if let Some(phi) = find_phi(function, join, one, other, own) {
        return Value::Instruction(phi);
    }
    let ty: Type = function.type_of(one.1);
    let incoming = [one, other].into_iter().collect();
    let flags = Flags::NONE;
    Value::Instruction(function.prepend(join, Instruction::Phi { flags, incoming }, ty))
}
