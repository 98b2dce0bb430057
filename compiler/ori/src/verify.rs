//! The check of the form of the machine IR. (That of register allocation is in `verify_allocation`.)

use warpsmith_base::fault;
use warpsmith_sass::RegisterClass;

use crate::{
    ir::{Function, Instruction, Register},
    phase::Context,
};

/// [`well_formed`], as a phase.
pub(crate) fn check(function: &mut Function, _: &Context<'_>) -> Result<(), String> {
    well_formed(function).map_err(fault::internal)
}

/// Checks that operands fit their registers and fields, and branches their blocks.
pub(crate) fn well_formed(function: &Function) -> Result<(), String> {
    for (index, block) in function.blocks.iter().enumerate() {
        for instruction in &block.code {
            instruction_is_well_formed(function, instruction).map_err(|what| {
                format!(
                    "block {index}: {what}: {}",
                    crate::text::instruction(function, instruction)
                )
            })?;
        }
    }
    Ok(())
}

fn instruction_is_well_formed(function: &Function, instruction: &Instruction) -> Result<(), String> {
    let known = |register: Register| (register.0 as usize) < function.registers.len();
    for operand in &instruction.operands {
        if !known(operand.register) {
            return Err("a register that does not exist".to_string());
        }
        let mut fields = instruction.base.form().registers.iter();
        let Some(class) = fields
            .find(|field| field.name == operand.field)
            .map(|field| field.class)
        else {
            return Err(format!("no register field {}", operand.field.as_str()));
        };
        if class != function.info(operand.register).class {
            return Err(format!("{} holds a register of another file", operand.field.as_str()));
        }
    }
    if let Some(guard) = instruction.guard {
        let predicate = matches!(
            function.registers.get(guard.register.0 as usize).map(|info| info.class),
            Some(RegisterClass::Predicate | RegisterClass::UniformPredicate)
        );
        if !predicate {
            return Err("a guard that is no predicate".to_string());
        }
    }
    for touch in instruction.touches() {
        if u32::from(touch.word) + u32::from(touch.words) > u32::from(function.info(touch.register).words) {
            return Err(format!(
                "{} words from word {} of a narrower register",
                touch.words, touch.word
            ));
        }
    }
    match instruction
        .targets()
        .all(|target| (target.0 as usize) < function.blocks.len())
    {
        true => Ok(()),
        false => Err("a branch to no block".to_string()),
    }
}
