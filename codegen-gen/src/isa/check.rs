//! What a table may not do: overlapping fields, missing enumerators, two forms that match the same word, forms nothing reaches.

use super::model::{Decoration, Field, Form, ISAS, Instruction, IsaSet, Kind, Tables, ValueSet};
use crate::TableError;

/// Bits that a form may use: all but the control word; reuse flags are the control word's and named apart.
const FORM_BITS: u128 = (1 << 105) - 1;
/// The guard predicate and its negation.
const GUARD_BITS: u128 = 0xf << 12;

/// Checks every table and returns all violations, each at the line of its form.
pub fn check(tables: &Tables) -> Vec<TableError> {
    let mut errors = Vec::new();
    for instruction in &tables.instructions {
        for form in &instruction.forms {
            if let Err(m) = check_form(form) {
                let message = format!("{} {}: {m}", instruction.mnemonic, form.name);
                errors.push(TableError::new(&instruction.file, form.line, message));
            }
        }
        check_names(instruction, &mut errors);
        check_access(instruction, &mut errors);
    }
    check_ambiguity(tables, &mut errors);
    errors
}

fn check_form(form: &Form) -> Result<(), String> {
    let mut used = 0u128;
    let mut claim = |what: &str, mask: u128, allowed: u128| {
        if mask & used != 0 {
            return Err(format!("{what} overlaps bits {:#x} of another field", mask & used));
        }
        if mask & !allowed != 0 {
            return Err(format!(
                "{what} uses bits {:#x}, which belong to the control word",
                mask & !allowed
            ));
        }
        used |= mask;
        Ok(())
    };
    claim("the guard", GUARD_BITS, FORM_BITS)?;
    for (bits, value) in &form.fixed {
        claim("a match bit", bits.mask(), FORM_BITS)?;
        if bits.length() < 128 && *value >> bits.length() != 0 {
            return Err(format!("match value {value:#x} does not fit its bits"));
        }
    }
    for field in &form.fields {
        claim(&field.name, field.bits.mask(), FORM_BITS)?;
        let decoration = match &field.kind {
            Kind::Register { decoration, .. } | Kind::Group(decoration) => decoration.clone(),
            Kind::Enumeration { set, .. } => {
                check_values(field, set, form.isas)?;
                Decoration::default()
            }
            Kind::Flag { .. } | Kind::Unsigned { .. } | Kind::Signed { .. } => Decoration::default(),
            Kind::Relative { .. } | Kind::Float(_) | Kind::Scoreboards { .. } => Decoration::default(),
        };
        for bit in [decoration.neg, decoration.abs, decoration.inv, decoration.not]
            .into_iter()
            .flatten()
        {
            claim(&format!("a modifier bit of {}", field.name), 1 << bit, FORM_BITS)?;
        }
        if let Some(bit) = decoration.reuse {
            claim(&format!("the reuse flag of {}", field.name), 1 << bit, 0xf << 122)?;
        }
    }
    for (bits, _) in &form.fill {
        claim("fill", bits.mask(), FORM_BITS)?;
    }
    if form.fixed.iter().map(|(bits, _)| bits.mask()).fold(0, |a, b| a | b) & 0xfff != 0xfff {
        return Err("the opcode bits 0 to 11 are not all fixed".to_string());
    }
    Ok(())
}

/// Every value of an enumerated field must be a member or listed as reserved, on every generation of the form.
fn check_values(field: &Field, set: &ValueSet, isas: IsaSet) -> Result<(), String> {
    let count = 1u32 << field.bits.length();
    for isa in (0..ISAS.len()).filter(|&i| isas.has(i)) {
        let mut seen = vec![false; count as usize];
        let members = set.members.iter().filter(|m| m.isas.has(isa)).map(|m| m.value);
        let reserved = [&set.invalid, &set.unknown, &set.blank].into_iter().flatten().copied();
        let reserved = reserved.chain(set.refused.iter().map(|r| r.0));
        for value in members {
            match seen.get_mut(value as usize) {
                None => {
                    return Err(format!("value {value} of {} does not fit its bits", field.name));
                }
                Some(true) => {
                    return Err(format!(
                        "value {value} of {} is listed twice on sm_{}",
                        field.name, ISAS[isa]
                    ));
                }
                Some(slot) => *slot = true,
            }
        }
        for value in reserved {
            if let Some(slot) = seen.get_mut(value as usize) {
                *slot = true;
            }
        }
        let elsewhere = |v: u32| set.members.iter().any(|m| m.value == v);
        if let Some(missing) = (0..count).find(|&v| !seen[v as usize] && !elsewhere(v)) {
            return Err(format!(
                "value {missing} of {} is neither a member nor reserved on sm_{}",
                field.name, ISAS[isa]
            ));
        }
    }
    Ok(())
}

/// A form name stands for one encoding per generation.
fn check_names(instruction: &Instruction, errors: &mut Vec<TableError>) {
    for (i, a) in instruction.forms.iter().enumerate() {
        for b in &instruction.forms[i + 1..] {
            if a.name == b.name && !a.isas.and(b.isas).is_empty() {
                let message = format!("{} has two forms {} on the same SM", instruction.mnemonic, a.name);
                errors.push(TableError::new(&instruction.file, b.line, message));
            }
        }
    }
}

/// Every rule must apply to something, and every register operand must have a rule.
fn check_access(instruction: &Instruction, errors: &mut Vec<TableError>) {
    for rule in &instruction.access {
        let mut fail = |m: String| errors.push(TableError::new(&instruction.file, rule.line, m));
        for operand in &rule.operands {
            if !instruction
                .forms
                .iter()
                .any(|f| f.field(operand).is_some() && rule.applies(f, operand))
            {
                fail(format!(
                    "no form of {} that the rule names has an operand {operand}",
                    instruction.mnemonic
                ));
            }
        }
        for pattern in &rule.forms {
            if !instruction.forms.iter().any(|f| pattern.matches(f)) {
                fail(format!("{} has no form {}", instruction.mnemonic, pattern.name));
            }
        }
        if let Some(name) = rule
            .width
            .fields()
            .find(|n| !instruction.forms.iter().any(|f| f.field(n).is_some()))
        {
            fail(format!(
                "the width of {} depends on {name}, which no form has",
                rule.operands.join(", ")
            ));
        }
    }
    for form in &instruction.forms {
        let unknown = form.fields.iter().filter(|f| {
            matches!(f.kind, Kind::Register { .. }) && !instruction.access.iter().any(|r| r.applies(form, &f.name))
        });
        for field in unknown {
            let message = format!(
                "{} {}: no access line says whether {} is read or written",
                instruction.mnemonic, form.name, field.name
            );
            errors.push(TableError::new(&instruction.file, form.line, message));
        }
    }
}

/// Two forms of one generation may match the same word only if one fixes strictly more bits (it is tried first).
fn check_ambiguity(tables: &Tables, errors: &mut Vec<TableError>) {
    for (isa, number) in ISAS.iter().enumerate() {
        let mut forms: Vec<(u128, &Instruction, &Form)> = tables
            .instructions
            .iter()
            .flat_map(|i| i.forms.iter().map(move |f| (i, f)))
            .filter(|(_, f)| f.isas.has(isa))
            .map(|(i, f)| (f.fixed_mask().1 & 0xfff, i, f))
            .collect();
        forms.sort_by_key(|(opcode, i, f)| (*opcode, &i.mnemonic, f.line));
        for (n, (opcode, first, a)) in forms.iter().enumerate() {
            let same = forms[n + 1..].iter().take_while(|(other, ..)| other == opcode);
            for (_, second, b) in same {
                if ambiguous(a, b, isa) {
                    let message = format!(
                        "on sm_{number} {} {} and {} {} (line {}) match the same word and neither is the more specific",
                        first.mnemonic, a.name, second.mnemonic, b.name, b.line
                    );
                    errors.push(TableError::new(&first.file, a.line, message));
                }
            }
        }
    }
}

fn ambiguous(a: &Form, b: &Form, isa: usize) -> bool {
    let ((mask_a, value_a), (mask_b, value_b)) = (a.fixed_mask(), b.fixed_mask());
    if (value_a ^ value_b) & mask_a & mask_b != 0 {
        return false;
    }
    let more_specific = mask_a != mask_b && (mask_a & mask_b == mask_a || mask_a & mask_b == mask_b);
    !more_specific && !excludes(a, b, isa) && !excludes(b, a, isa)
}

/// Whether `a` accepts no word of `b`: for every value that some field of `b` takes there, fixed bits or refusals of `a` stand
/// against it.
fn excludes(a: &Form, b: &Form, isa: usize) -> bool {
    let fixed = b.fixed_mask();
    rejects(a, fixed, isa)
        || b.fields
            .iter()
            .filter(|f| f.bits.length() <= 12 && !refused(f, isa).is_empty())
            .any(|field| {
                let taken = (0..1u32 << field.bits.length()).filter(|v| !refused(field, isa).contains(v));
                taken
                    .map(u128::from)
                    .all(|v| rejects(a, (fixed.0 | field.bits.mask(), fixed.1 | field.bits.place(v)), isa))
            })
}

/// Whether `form` accepts no word that has the bits `value` under `mask`.
fn rejects(form: &Form, (mask, value): (u128, u128), isa: usize) -> bool {
    let (form_mask, form_value) = form.fixed_mask();
    if (form_value ^ value) & form_mask & mask != 0 {
        return true;
    }
    form.fields
        .iter()
        .filter(|f| f.bits.length() <= 12 && !refused(f, isa).is_empty())
        .any(|field| {
            let (field_mask, fixed) = (field.bits.read(mask), field.bits.read(value));
            (0..1u32 << field.bits.length())
                .filter(|v| u128::from(*v) & field_mask == fixed & field_mask)
                .all(|v| refused(field, isa).contains(&v))
        })
}

/// The values that make a word no instruction of the field's form.
fn refused(field: &Field, isa: usize) -> Vec<u32> {
    match &field.kind {
        Kind::Register { exclude, .. } => exclude.clone(),
        Kind::Enumeration { set, .. } => set.refused.iter().filter(|r| r.1.has(isa)).map(|r| r.0).collect(),
        Kind::Flag { .. } | Kind::Unsigned { .. } | Kind::Signed { .. } | Kind::Relative { .. } => Vec::new(),
        Kind::Float(_) | Kind::Scoreboards { .. } | Kind::Group(_) => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isa::parse::parse;

    /// The errors of one instruction whose forms are `forms`.
    fn errors(forms: &str) -> Vec<String> {
        let text = format!(
            "modifier mode \"mode\"\ninstruction X \"test\"\n  access Rd write 1\n  access Ra read 1\n  Rd 16:8 gpr\n  Ra 24:8 gpr\n{forms}"
        );
        let tables = parse(&[("x.isa".to_string(), text)]).unwrap();
        check(&tables).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_sound_form_is_accepted() {
        assert_eq!(
            errors("  form R_R \"X {Rd}, {Ra}\"\n    sm 75..120 seen never\n    match 0x210\n"),
            [""; 0]
        );
    }

    #[test]
    fn overlapping_fields_are_refused() {
        let found = errors("  form R_R \"X {Rd}, {Ra}\"\n    sm 75 seen never\n    match 0x210\n    Ra 20:8 gpr\n");
        assert_eq!(found, ["x.isa:7: X R_R: Ra overlaps bits 0xf00000 of another field"]);
    }

    #[test]
    fn a_field_in_the_control_word_is_refused() {
        let found = errors("  form R_R \"X {Rd}, {Ra}\"\n    sm 75 seen never\n    match 0x210\n    Ra 100:8 gpr\n");
        assert_eq!(
            found,
            ["x.isa:7: X R_R: Ra uses bits 0xe00000000000000000000000000, which belong to the control word"]
        );
    }

    #[test]
    fn a_value_without_meaning_is_refused() {
        let found = errors(
            "  form R \"X{mode} {Rd}\"\n    sm 75 seen never\n    match 0x210\n    mode 72:2 enum mode 0=_ 1=.A refused=3\n",
        );
        assert_eq!(
            found[0],
            "x.isa:7: X R: value 2 of mode is neither a member nor reserved on sm_75"
        );
    }

    #[test]
    fn two_forms_of_the_same_word_are_refused() {
        let found = errors(
            "  form R_R \"X {Rd}, {Ra}\"\n    sm 75 seen never\n    match 0x210 91=0\n  form R \"X.B {Rd}\"\n    sm 75 seen never\n    match 0x210 92=0\n",
        );
        assert_eq!(
            found,
            ["x.isa:7: on sm_75 X R_R and X R (line 10) match the same word and neither is the more specific"]
        );
    }

    #[test]
    fn the_more_specific_form_may_overlap() {
        let found = errors(
            "  form R_R \"X {Rd}, {Ra}\"\n    sm 75 seen never\n    match 0x210\n  form R \"X.B {Rd}\"\n    sm 75 seen never\n    match 0x210 24:8=0xff\n",
        );
        assert_eq!(found, [""; 0]);
    }

    #[test]
    fn one_name_is_one_encoding_per_generation() {
        let found = errors(
            "  form R \"X {Rd}, {Ra}\"\n    sm 75..80 seen never\n    match 0x210\n  form R \"X {Rd}, {Ra}\"\n    sm 80 seen never\n    match 0x211\n",
        );
        assert_eq!(found, ["x.isa:10: X has two forms R on the same SM"]);
    }

    #[test]
    fn an_operand_without_access_is_refused() {
        let found =
            errors("  form R_R \"X {Rd}, {Ra}, {Rb}\"\n    sm 75 seen never\n    match 0x210\n    Rb 32:8 gpr\n");
        assert_eq!(
            found,
            ["x.isa:7: X R_R: no access line says whether Rb is read or written"]
        );
    }
}
