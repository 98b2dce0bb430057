//! Blocks, phis and the places of definitions and uses.

use super::dominance::Dominance;
use super::{Checker, within};
use crate::function::{BlockId, InstructionId};
use crate::instruction::{Instruction, Value};
use crate::types::Type;

impl Checker<'_> {
    /// What holds of blocks without regard to operands.
    pub(super) fn structure(&mut self) {
        let function = self.function;
        let Some(entry) = function.entry() else {
            return self.broken(None, "body", "a body has at least one block");
        };
        for block in function.blocks() {
            let label = || match function.block_name(block) {
                Some(name) => format!("block %{name}"),
                None => block.to_string(),
            };
            if function.terminator(block).is_none() {
                self.broken(Some(block), &label(), "a block ends with a terminator");
            }
            let mut phis_over = false;
            for id in function.instructions(block) {
                let instruction = function.instruction(id);
                let last = function.next(id).is_none();
                self.rule(
                    id,
                    last || !instruction.is_terminator(),
                    "a terminator is the last instruction of its block",
                );
                self.rule(
                    id,
                    !(instruction.is_phi() && phis_over),
                    "phis are the first instructions of their block",
                );
                phis_over |= !instruction.is_phi();
                self.rule(
                    id,
                    !(instruction.is_phi() && block == entry),
                    "the entry block has no phis",
                );
                let mut placed = true;
                instruction.for_each_successor(|successor| placed &= function.is_placed(successor));
                self.rule(id, placed, "a terminator goes to blocks of its function");
                let mut back = false;
                instruction.for_each_successor(|successor| back |= successor == entry);
                self.rule(id, !back, "nothing goes back to the entry block");
            }
        }
    }

    /// Operands are there, and defined before they are used.
    pub(super) fn uses(&mut self, dominance: &Dominance) {
        let function = self.function;
        let predecessors = function.predecessors();
        // Numbers from 1 on in the order of the text; 0 for what is in no block.
        let mut order = vec![0; function.instruction_limit()];
        for (number, id) in function.all_instructions().enumerate() {
            order[id.index()] = number as u32 + 1;
        }
        for block in function.blocks() {
            for id in function.instructions(block) {
                if let Instruction::Phi { incoming, .. } = function.instruction(id) {
                    self.rule(
                        id,
                        incoming_fits(incoming, predecessors.of(block)),
                        "a phi has one entry for each block that goes to its own",
                    );
                    for &(from, value) in incoming {
                        self.defined(id, value, &order);
                        let reaches = match value {
                            Value::Instruction(definition) => function
                                .block_of(definition)
                                .is_none_or(|place| !dominance.is_reachable(from) || dominance.dominates(place, from)),
                            Value::Argument(_) | Value::Constant(_) => true,
                        };
                        self.rule(
                            id,
                            reaches,
                            "the definition of a phi's value dominates the end of the block that it comes from",
                        );
                    }
                    continue;
                }
                for value in function.instruction(id).operands() {
                    self.defined(id, value, &order);
                    let Value::Instruction(definition) = value else {
                        continue;
                    };
                    let Some(place) = function.block_of(definition) else {
                        continue;
                    };
                    let before = place == block && order[definition.index()] < order[id.index()];
                    let dominates = !dominance.is_reachable(block)
                        || before
                        || (place != block && dominance.dominates(place, block));
                    self.rule(id, dominates, "a definition dominates its uses");
                }
            }
        }
    }

    fn defined(&mut self, id: InstructionId, value: Value, order: &[u32]) {
        let function = self.function;
        let exists = match value {
            Value::Argument(index) => (index as usize) < function.parameters().len(),
            Value::Instruction(definition) => within(definition, order.len()) && order[definition.index()] != 0,
            Value::Constant(_) => true,
        };
        self.rule(id, exists, "an operand is an argument or a result of this function");
        if exists {
            let ty = function.type_of(value);
            self.rule(
                id,
                !matches!(ty, Type::Void | Type::Function(_)),
                "an operand has a value",
            );
        }
    }
}

/// Whether a phi has one entry for each of the blocks.
fn incoming_fits(incoming: &[(BlockId, Value)], predecessors: &[BlockId]) -> bool {
    if incoming.len() != predecessors.len() {
        return false;
    }
    let in_order = |from: &mut dyn Iterator<Item = BlockId>| {
        let mut list: Vec<BlockId> = from.collect();
        list.sort_unstable();
        list
    };
    let same = incoming.iter().map(|(from, _)| *from).eq(predecessors.iter().copied());
    same || in_order(&mut incoming.iter().map(|(from, _)| *from)) == in_order(&mut predecessors.iter().copied())
}
