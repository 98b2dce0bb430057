//! Dead code: instructions whose results nobody uses, found from those that matter.

use warpsmith_ir::{Function, Instruction, InstructionId, Value};

use crate::{analysis::effects, pipeline::Unit};

/// The pass: everything is dead that no effect and no branch needs. Cycles of phis that only keep each other go too.
pub(crate) fn run(function: &mut Function, unit: &Unit<'_>) -> bool {
    let mut live = vec![false; function.instruction_limit()];
    let mut work = Vec::new();
    for id in function.all_instructions() {
        if !effects::is_removable(unit.symbols, function, id) {
            live[id.index()] = true;
            work.push(id);
        }
    }
    while let Some(id) = work.pop() {
        function.instruction(id).for_each_operand(|operand| {
            if let Value::Instruction(operand) = operand
                && !std::mem::replace(&mut live[operand.index()], true)
            {
                work.push(operand);
            }
        });
    }
    let dead: Vec<InstructionId> = function.all_instructions().filter(|id| !live[id.index()]).collect();
    let mut changed = markers_of_unused(function);
    if dead.is_empty() {
        return changed;
    }
    if unit.options.fuel.is_some() {
        // One after the other, users first, as far as the fuel goes.
        for &id in dead.iter().rev() {
            if function.is_unused(Value::Instruction(id)) && unit.fuel.take() {
                function.remove_instruction(id);
                changed = true;
            }
        }
        return changed;
    }
    for &id in &dead {
        // Nothing live uses it; what else is dead goes with it.
        function.remove_instruction(id);
    }
    true
}

/// Removes allocas that only have markers, with these.
fn markers_of_unused(function: &mut Function) -> bool {
    let allocas: Vec<InstructionId> = function
        .all_instructions()
        .filter(|&id| matches!(function.instruction(id), Instruction::Alloca { .. }))
        .collect();
    let mut changed = false;
    for alloca in allocas {
        let users = function.users(Value::Instruction(alloca));
        if !users.is_empty()
            && users
                .iter()
                .all(|&user| crate::intrinsics::is_lifetime(function.instruction(user)))
        {
            for user in users {
                function.remove_instruction(user);
            }
            function.remove_instruction(alloca);
            changed = true;
        }
    }
    changed
}
