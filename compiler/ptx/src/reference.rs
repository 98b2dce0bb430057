//! The instruction tables for readers.

use std::fmt::Write as _;

use crate::{
    history,
    instruction::Gates,
    suggest::nearest,
    table::{Atom, Effect, FAMILIES, FORMS, Form, OPCODES, Opcode, OpcodeInfo, OperandClass, Rule, Slot, Test},
};

/// All opcodes by family, as a Markdown table.
pub fn families() -> String {
    let mut out = String::from("| family | instructions |\n|---|---|\n");
    for (number, family) in FAMILIES.iter().enumerate() {
        let has = |row: &&OpcodeInfo| row.forms.iter().any(|form| FORMS[usize::from(*form)].family == number);
        let names: Vec<String> = OPCODES
            .iter()
            .filter(has)
            .map(|row| format!("`{}`", row.name))
            .collect();
        if !names.is_empty() {
            let _ = writeln!(out, "| {family} | {} |", names.join(" "));
        }
    }
    out
}

/// Everything the tables say of one opcode.
///
/// # Errors
/// There is none of this name: a near name, if one is near.
pub fn opcode(name: &str) -> Result<String, Option<&'static str>> {
    let Some(opcode) = Opcode::from_name(name) else {
        return Err(nearest(name, OPCODES.iter().map(|row| row.name)));
    };
    let info = opcode.info();
    let oldest = opcode.forms().map(|(_, form)| history::newer(form)).min().flatten();
    let place = match oldest {
        Some(since) => format!("since PTX ISA {since}"),
        None => format!("PTX ISA {}, section {}", history::MANUAL, info.section),
    };
    let mut out = format!("{name}: {} ({place}; {})\n", info.title, opcode.family());
    for (_, form) in opcode.forms() {
        let _ = writeln!(out, "\n    {};", form.pattern);
        let mut shown: Vec<&str> = Vec::new();
        for slot in form.slots.iter().filter(|slot| !slot.literal) {
            if !shown.contains(&slot.name) {
                shown.push(slot.name);
                let _ = writeln!(out, "        .{} = {}", slot.name, values(slot));
            }
        }
        for rule in form.rules {
            let _ = writeln!(out, "        {}", describe(rule, form));
        }
        for note in form.notes {
            let _ = writeln!(out, "        note: {note}");
        }
        if form.uncompiled {
            let _ = writeln!(out, "        read and checked alone: not compiled yet");
        }
    }
    Ok(out)
}

fn values(slot: &Slot) -> String {
    let values: Vec<String> = slot.values.iter().map(|value| value.to_string()).collect();
    values.join(" ")
}

/// When a rule holds, such as `.type = b128 and .vec`; empty: always.
pub(crate) fn conditions(rule: &Rule, form: &Form) -> String {
    let conditions: Vec<String> = rule.when.iter().map(|atom| condition(atom, form)).collect();
    conditions.join(" and ")
}

fn describe(rule: &Rule, form: &Form) -> String {
    let when = match conditions(rule, form) {
        always if always.is_empty() => always,
        conditions => format!("with {conditions}: "),
    };
    match rule.effect {
        Effect::Needs(list) => format!(
            "{when}needs {}",
            list.iter().map(Gates::describe).collect::<Vec<_>>().join("; ")
        ),
        Effect::Refuse(reason) => format!("{when}illegal: {reason}"),
        Effect::Warn(reason) => format!("{when}warning: {reason}"),
        Effect::Beyond(reason) => format!("{when}taken by ptxas alone: {reason}"),
    }
}

fn condition(atom: &Atom, form: &Form) -> String {
    let slot = |number: u8| form.slots[number as usize].name;
    let operand = |number: u8| operand_name(form, number);
    let text = match atom.test {
        Test::Has(modifier) => modifier.to_string(),
        Test::SlotIs(number, values) => {
            let values: Vec<String> = values.iter().map(|value| value.to_string()).collect();
            format!(".{} = {}", slot(number), values.join("|"))
        }
        Test::Filled(number) => format!(".{}", slot(number)),
        Test::Operand(number, class) => match class {
            OperandClass::Present => operand(number).into(),
            OperandClass::Immediate => format!("{} a constant", operand(number)),
            OperandClass::Register => format!("{} a register", operand(number)),
            OperandClass::Vector => format!("{} a vector", operand(number)),
            OperandClass::Sink => format!("{} `_`", operand(number)),
            OperandClass::Predicate => format!("{} a predicate", operand(number)),
            OperandClass::Selected => format!("{} with a selector", operand(number)),
            OperandClass::Holes => format!("{} with `_` elements", operand(number)),
            OperandClass::Negated => format!("{} negated", operand(number)),
        },
        Test::Greater(first, second) => format!("{} > {}", operand(first), operand(second)),
    };
    if atom.negated { format!("no {text}") } else { text }
}

/// The name of the operand with this number.
fn operand_name(form: &Form, number: u8) -> &'static str {
    use crate::table::{OperandSpec, Shape};
    fn find(specs: &'static [OperandSpec], number: u8) -> Option<&'static str> {
        specs.iter().find_map(|spec| match &spec.shape {
            Shape::One(own, _) => (*own == number).then_some(spec.name),
            Shape::Bracket(parts) | Shape::Vector(parts) | Shape::Pair(parts, _) | Shape::List(parts) => {
                find(parts, number)
            }
        })
    }
    find(form.operands, number).unwrap_or("operand")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_opcode_has_forms_a_title_and_a_section() {
        for row in OPCODES {
            assert!(
                !row.forms.is_empty() && !row.title.is_empty() && !row.section.is_empty(),
                "{}",
                row.name
            );
        }
    }

    #[test]
    fn an_opcode_is_explained() {
        let text = opcode("activemask").unwrap();
        assert!(
            text.starts_with("activemask: Mask of the active lanes (PTX ISA 9.0, section 9.7.13.11;"),
            "{text}"
        );
        assert!(
            text.contains("\n    activemask.b32 d;\n        needs .version 6.2 or later; .target sm_30 or higher\n"),
            "{text}"
        );
        assert_eq!(opcode("mbarier.arrive"), Err(Some("mbarrier.arrive")));
    }
}
