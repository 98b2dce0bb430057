//! Spilling: registers for which there is no room live elsewhere between their uses.
//!
//! A predicate lives in a general register as 0 or 1: after each definition it is copied there, and before each use it is tested again. What is made for
//! that lives from one instruction to the next and is never spilled itself.

use warpsmith_sass::{
    Access, FieldName, Opcode, RegisterClass,
    tables::{Cmp, Combine},
};

use crate::{
    ir::{Function, Instruction, Register},
    select::{Request, SelectError, Selector, Test, Value},
};

/// Spills one predicate. Gives the registers that it makes, which must not be spilled.
pub(crate) fn predicate(
    function: &mut Function,
    selector: &Selector,
    register: Register,
) -> Result<Vec<Register>, SelectError> {
    let home = function.register(RegisterClass::Gpr, 1);
    let mut made = vec![home];
    for index in 0..function.blocks.len() {
        let mut code = Vec::new();
        for mut instruction in std::mem::take(&mut function.blocks[index].code) {
            let (reads, writes) = uses(&instruction, register);
            if !reads && !writes {
                code.push(instruction);
                continue;
            }
            let place = instruction.place;
            let fresh = function.register(RegisterClass::Predicate, 1);
            made.push(fresh);
            let mut before = Vec::new();
            // A definition under a guard keeps the old value in other threads.
            if reads || instruction.guard.is_some() {
                let test = Request::new(Opcode::Isetp)
                    .sets(FieldName::Pu, fresh)
                    .from(home)
                    .from(Value::Zero)
                    .with(Cmp::Ne)
                    .with(Combine::And)
                    .flag(FieldName::U32, true)
                    .when(FieldName::Pp, Test::ALWAYS);
                selector.emit(function, &mut before, test)?;
            }
            let mut after = Vec::new();
            if writes {
                let copy = Request::new(Opcode::Sel)
                    .to(home)
                    .from(Value::Zero)
                    .from(Value::Immediate(1))
                    .when(FieldName::Pp, Test::from(fresh).opposite());
                selector.emit(function, &mut after, copy)?;
            }
            replace(&mut instruction, register, fresh);
            for added in before.iter_mut().chain(&mut after) {
                added.place = place;
            }
            code.append(&mut before);
            code.push(instruction);
            code.append(&mut after);
        }
        function.blocks[index].code = code;
    }
    Ok(made)
}

/// Whether an instruction reads and writes a register.
fn uses(instruction: &Instruction, register: Register) -> (bool, bool) {
    let (mut reads, mut writes) = (false, false);
    for touch in instruction.touches().filter(|touch| touch.register == register) {
        reads |= touch.access != Access::Write;
        writes |= touch.access != Access::Read;
    }
    (reads, writes)
}

fn replace(instruction: &mut Instruction, old: Register, new: Register) {
    for operand in &mut instruction.operands {
        if operand.register == old {
            operand.register = new;
        }
    }
    if let Some(guard) = &mut instruction.guard
        && guard.register == old
    {
        guard.register = new;
    }
}
