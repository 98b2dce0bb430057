//! Instructions over virtual registers as text: SASS, with `%r5`, `%p3`, `%ur2` where a register stands, and `.1` for a word of a wide one.

use warpsmith_sass::{OperandText, RegisterClass};

use crate::ir::{Function, Instruction, Origin, Register};

/// The name of a register.
pub(crate) fn register(function: &Function, register: Register) -> String {
    let file = match function.info(register).class {
        RegisterClass::Gpr => "r",
        RegisterClass::UniformGpr => "ur",
        RegisterClass::Predicate => "p",
        RegisterClass::UniformPredicate => "up",
        RegisterClass::Barrier => "b",
        RegisterClass::Scoreboard => "sb",
    };
    format!("%{file}{}", register.0)
}

struct Names;

impl OperandText for Names {}

/// One instruction: the word's text, then the registers of its fields.
pub(crate) fn instruction(function: &Function, instruction: &Instruction) -> String {
    let mut text = String::new();
    if let Some(guard) = instruction.guard {
        let not = if guard.negated { "!" } else { "" };
        text.push_str(&format!("@{not}{} ", register(function, guard.register)));
    }
    instruction.base.write_text(&mut text, &Names);
    text = text.trim_end().to_string();
    for operand in &instruction.operands {
        let part = if function.info(operand.register).words > 1 {
            format!(".{}", operand.word)
        } else {
            String::new()
        };
        text.push_str(&format!(
            "  {}={}{part}",
            operand.field.as_str(),
            register(function, operand.register)
        ));
    }
    for target in instruction.targets() {
        text.push_str(&format!("  -> b{}", target.0));
    }
    if let Some(reference) = &instruction.reference {
        let part = if reference.high { "hi" } else { "lo" };
        let origin = match reference.origin {
            Origin::Symbol => reference.symbol.as_str(),
            Origin::Call => "after call",
            Origin::Frame => "frame",
            Origin::Tables => "tables",
        };
        text.push_str(&format!("  {part}({origin}+{})", reference.addend));
    }
    if let Some(effects) = &instruction.effects {
        for (arrow, list) in [("<-", &effects.reads[..]), ("->", &effects.writes[..])] {
            for (own, _) in list {
                let number = function.info(*own).fixed.unwrap_or(0);
                text.push_str(&format!("  R{number} {arrow} {}", register(function, *own)));
            }
        }
    }
    text
}
