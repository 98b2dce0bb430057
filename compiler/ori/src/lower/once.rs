//! PTX registers whose only write says what they hold.

use rustc_hash::{FxHashMap, FxHashSet};
use warpsmith_ptx::{
    module::{Body, Module, Operand, Statement},
    table::Opcode,
};

/// The registers that one instruction without a guard writes, alone, about which `tells` knows something from the instruction's operands, its result
/// included.
pub(super) fn written_once<T>(
    module: &Module,
    body: &Body,
    tells: impl Fn(Opcode, &[Operand]) -> Option<T>,
) -> FxHashMap<u32, T> {
    let instructions = || {
        let statements = body.statements.iter();
        statements.filter_map(|statement| match statement {
            Statement::Instruction(instruction) => Some(instruction),
            _ => None,
        })
    };
    let operand = |index: u32| body.operands.get(index as usize);
    let mut told: FxHashMap<u32, T> = FxHashMap::default();
    for instruction in instructions().filter(|instruction| instruction.guard.is_none()) {
        let first = instruction.first_operand as usize;
        let operands = body.operands.get(first..first + usize::from(instruction.operand_count));
        let opcode = module.variants[instruction.variant.0 as usize].opcode;
        if let Some(operands @ [Operand::Register(to), ..]) = operands
            && let Some(fact) = tells(opcode, operands)
        {
            told.insert(to.0, fact);
        }
    }
    if told.is_empty() {
        return told;
    }
    // Results stand first, alone or in a list; every list counts.
    let mut written: FxHashSet<u32> = FxHashSet::default();
    for instruction in instructions() {
        let first = instruction.first_operand;
        if let Some(Operand::Register(to) | Operand::Component(to, _)) = operand(first)
            && !written.insert(to.0)
        {
            told.remove(&to.0);
        }
        for index in first..first + u32::from(instruction.operand_count) {
            let Some(Operand::Vector(range) | Operand::Pair(range) | Operand::List(range)) = operand(index) else {
                continue;
            };
            for part in range.first..range.first + u32::from(range.count) {
                if let Some(Operand::Register(to) | Operand::Component(to, _)) = operand(part) {
                    told.remove(&to.0);
                }
            }
        }
    }
    told
}
