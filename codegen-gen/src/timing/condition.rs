//! Conditions of classes, form by form: a class speaks of modifiers that are printed, and for a form that is known of its literal text, or hangs on the values of
//! some of its fields.

use super::model::{Test, Timing};
use crate::isa::model::{Form, IsaSet, Kind, Tables};
use crate::isa::template::Part;
use std::fmt::Write;

/// Appends the conditions of every form, in the order of the forms, and where those of each form start.
pub(super) fn emit(out: &mut String, timing: &Timing, isa: &Tables) {
    let (mut conditions, mut starts) = (Vec::new(), Vec::new());
    for instruction in &isa.instructions {
        let mine = timing
            .classes
            .iter()
            .filter(|class| class.mnemonics.contains(&instruction.mnemonic));
        let conditional: Vec<_> = mine.filter(|class| !class.when.is_empty()).collect();
        for form in &instruction.forms {
            starts.push(conditions.len());
            for (index, class) in conditional.iter().enumerate() {
                let when: Vec<String> = class.when.iter().filter_map(|tests| conjunction(form, tests)).collect();
                if !when.is_empty() {
                    conditions.push(format!("Condition {{ class: {index}, when: &[{}] }}", when.join(", ")));
                }
            }
        }
    }
    starts.push(conditions.len());
    let _ = writeln!(
        out,
        "pub(crate) static CONDITION_START: [u16; {}] = {starts:?};",
        starts.len()
    );
    let _ = writeln!(
        out,
        "pub(crate) static CONDITIONS: [Condition; {}] = [\n{},\n];",
        conditions.len(),
        conditions.join(",\n")
    );
}

/// The tests that the form's text does not settle; `None` if they never hold together.
fn conjunction(form: &Form, tests: &[Test]) -> Option<String> {
    let mut open = Vec::new();
    for test in tests {
        let modifier = &test.modifier[1..];
        let (literal, fields) = printed(form, modifier);
        match (literal, fields.is_empty()) {
            (true, _) if test.absent => return None,
            (false, true) if !test.absent => return None,
            (true, _) | (false, true) => {}
            (false, false) => open.push(format!("({}, &[{}])", !test.absent, fields.join(", "))),
        }
    }
    Some(format!("&[{}]", open.join(", ")))
}

/// Whether the mnemonic of a form has a modifier in its literal text, and the fields before its operands that print it for some of their values.
fn printed(form: &Form, modifier: &str) -> (bool, Vec<String>) {
    let has = |text: &str| text.split('.').skip(1).any(|part| part == modifier);
    let mut fields = Vec::new();
    for part in &form.template {
        match part {
            Part::Text(text) => {
                let (mnemonic, operands) = text.split_once(' ').unwrap_or((text, ""));
                if has(mnemonic) {
                    return (true, fields);
                }
                if operands.len() + mnemonic.len() < text.len() {
                    break;
                }
            }
            Part::Field { inner, .. } if !inner.is_empty() => break,
            Part::Field { name, .. } => {
                let Some(index) = form.fields.iter().position(|field| field.name == *name) else {
                    continue;
                };
                let field = &form.fields[index];
                let all = field.isas.unwrap_or(IsaSet::ALL).0;
                let values: Vec<(u32, u16)> = match &field.kind {
                    Kind::Enumeration { set, omit, .. } => set
                        .members
                        .iter()
                        .filter(|member| has(&member.text))
                        .filter(|member| *omit != Some(member.value) && !set.blank.contains(&member.value))
                        .map(|member| (member.value, member.isas.0))
                        .collect(),
                    Kind::Flag { text, when } if has(text) => vec![(u32::from(*when), IsaSet::ALL.0)],
                    Kind::Flag { .. } | Kind::Register { .. } | Kind::Unsigned { .. } | Kind::Signed { .. } => {
                        Vec::new()
                    }
                    Kind::Relative { .. } | Kind::Float(_) | Kind::Scoreboards { .. } | Kind::Group(_) => Vec::new(),
                };
                if !values.is_empty() {
                    fields.push(format!(
                        "Printed {{ field: {index}, isas: {all}, values: &{values:?} }}"
                    ));
                }
            }
        }
    }
    (false, fields)
}
