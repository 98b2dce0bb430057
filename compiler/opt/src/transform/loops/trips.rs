//! How often a loop goes round: found by computing its condition, round after round, on constants. This sees through any arithmetic.

use rustc_hash::FxHashMap;
use warpsmith_ir::{BlockId, ConstantId, Function, Instruction, InstructionId, Value};

use super::Nest;
use crate::fold;

/// A condition of more instructions is not computed.
const MOST_INSTRUCTIONS: usize = 64;

/// How often the header runs each time the loop is entered, if that is a constant of at most `limit`. The loop must leave from its latch alone.
pub(crate) fn count(function: &Function, nest: &Nest, index: usize, limit: u32) -> Option<u32> {
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
    let slice = Slice::of(function, nest, index, header, latch, condition)?;
    let mut phis: FxHashMap<InstructionId, ConstantId> = FxHashMap::default();
    for &(phi, from_preheader, _) in &slice.phis(function, preheader, latch)? {
        phis.insert(phi, from_preheader.as_constant()?);
    }
    for round in 1..=limit {
        let values = slice.evaluate(function, &phis)?;
        let get = |value: Value| match value {
            Value::Constant(id) => Some(id),
            Value::Instruction(id) => values.get(&id).copied(),
            Value::Argument(_) => None,
        };
        let outcome = fold::choice(function.context(), get(condition)?)?;
        if outcome != goes_on {
            return Some(round);
        }
        phis = slice
            .phis(function, preheader, latch)?
            .iter()
            .map(|&(phi, _, next)| Some((phi, get(next)?)))
            .collect::<Option<_>>()?;
    }
    None
}

/// What a condition is computed from, operands first.
struct Slice {
    order: Vec<InstructionId>,
}

impl Slice {
    fn of(
        function: &Function,
        nest: &Nest,
        index: usize,
        header: BlockId,
        latch: BlockId,
        condition: Value,
    ) -> Option<Slice> {
        let mut order = Vec::new();
        // Instruction, and whether its operands have been visited.
        let mut work = vec![(condition, false)];
        let mut seen: FxHashMap<InstructionId, bool> = FxHashMap::default();
        while let Some((value, done)) = work.pop() {
            let id = match value {
                Value::Instruction(id) => id,
                Value::Argument(_) => return None,
                Value::Constant(_) => continue,
            };
            if done {
                order.push(id);
                continue;
            }
            if seen.insert(id, true).is_some() {
                continue;
            }
            if seen.len() > MOST_INSTRUCTIONS || !nest.contains(index, function.block_of(id)?) {
                return None;
            }
            match function.instruction(id) {
                Instruction::Phi { incoming, .. } if function.block_of(id) == Some(header) => {
                    order.push(id);
                    let next = incoming
                        .iter()
                        .find(|(from, _)| *from == latch)
                        .map(|(_, value)| *value)?;
                    work.push((next, false));
                }
                Instruction::Binary { .. }
                | Instruction::ICmp { .. }
                | Instruction::FCmp { .. }
                | Instruction::Cast { .. }
                | Instruction::Select { .. } => {
                    work.push((value, true));
                    work.extend(
                        function
                            .instruction(id)
                            .operands()
                            .into_iter()
                            .map(|operand| (operand, false)),
                    );
                }
                _ => return None,
            }
        }
        Some(Slice { order })
    }

    /// The phis with their values from before the loop and from the round before.
    fn phis(
        &self,
        function: &Function,
        preheader: BlockId,
        latch: BlockId,
    ) -> Option<Vec<(InstructionId, Value, Value)>> {
        let mut phis = Vec::new();
        for &id in &self.order {
            if let Instruction::Phi { incoming, .. } = function.instruction(id) {
                let from = |block: BlockId| {
                    incoming
                        .iter()
                        .find(|(from, _)| *from == block)
                        .map(|(_, value)| *value)
                };
                phis.push((id, from(preheader)?, from(latch)?));
            }
        }
        Some(phis)
    }

    fn evaluate(
        &self,
        function: &Function,
        phis: &FxHashMap<InstructionId, ConstantId>,
    ) -> Option<FxHashMap<InstructionId, ConstantId>> {
        let context = function.context();
        let mut values = phis.clone();
        // Phis stand anywhere in the order; what needs them comes when they are known.
        for &id in &self.order {
            let get = |value: &Value| match value {
                Value::Constant(id) => Some(*id),
                Value::Instruction(id) => values.get(id).copied(),
                Value::Argument(_) => None,
            };
            let value = match function.instruction(id) {
                Instruction::Phi { .. } => continue,
                Instruction::Binary { op, left, right, .. } => {
                    fold::binary(context, *op, get(left)?, get(right)?, false)
                }
                Instruction::ICmp {
                    predicate, left, right, ..
                } => fold::compare_int(context, *predicate, get(left)?, get(right)?),
                Instruction::FCmp {
                    predicate, left, right, ..
                } => fold::compare_float(context, *predicate, get(left)?, get(right)?, false),
                Instruction::Cast { op, operand, .. } => {
                    fold::cast(context, *op, get(operand)?, function.result_type(id))
                }
                Instruction::Select {
                    condition,
                    on_true,
                    on_false,
                    ..
                } => {
                    let choice = fold::choice(context, get(condition)?)?;
                    if choice { get(on_true) } else { get(on_false) }
                }
                _ => None,
            };
            values.insert(id, value?);
        }
        Some(values)
    }
}
