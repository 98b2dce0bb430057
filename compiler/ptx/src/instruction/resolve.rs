//! A mnemonic's text → the forms that its modifiers fit.

use smallvec::SmallVec;

use super::{expect, gates::Gates};
use crate::{
    Problem, Span,
    table::{Atom, Effect, Form, FormId, Modifier, ORDERED, Opcode, REPEATABLE, Rule, Test},
};

/// Modifiers by slot of the form; `None`: absent.
pub(super) type Filled = SmallVec<[Option<Modifier>; 12]>;

/// A form that the modifiers fit, with all that they decide worked out.
#[derive(Debug)]
pub(super) struct Candidate {
    pub(super) form: FormId,
    pub(super) filled: Filled,
    /// Expected operands, types filled in.
    pub(super) operands: Vec<expect::Operand>,
    /// Illegal for this version and target, or as a combination, whatever the operands.
    pub(super) refused: Option<Refusal>,
    /// Rules that ask about operands.
    pub(super) later: Vec<&'static Rule>,
    /// Warnings of rules that do not.
    pub(super) warnings: Vec<&'static str>,
    /// The variant made for it, once an instruction has it.
    pub(super) variant: Option<super::VariantId>,
}

/// Why a rule refuses.
#[derive(Clone, Debug)]
pub(super) struct Refusal {
    /// For people.
    pub(super) message: String,
    /// In the vendor's words.
    pub(super) vendor: String,
    /// What would allow it.
    pub(super) notes: Vec<String>,
}

/// What a mnemonic means.
#[derive(Debug)]
pub(super) enum Meaning {
    /// These forms.
    Forms(Opcode, Vec<Candidate>),
    /// Nothing; the problem is placed at the mnemonic.
    Wrong(Problem),
}

/// The opcode of a dotted text, and what follows it: the longest dotted name that is one.
pub(super) fn opcode(text: &str) -> Option<(Opcode, &str)> {
    let mut end = text.len();
    loop {
        if let Some(opcode) = Opcode::from_name(&text[..end]) {
            return Some((opcode, &text[end..]));
        }
        end = text[..end].rfind('.')?;
    }
}

/// Works out a mnemonic.
pub(super) fn resolve(text: &str, gates: &Gates) -> Meaning {
    let Some((opcode, rest)) = opcode(text) else {
        return Meaning::Wrong(super::explain::unknown_opcode(text));
    };
    let mut given: SmallVec<[Modifier; 12]> = SmallVec::new();
    for name in rest.split('.').skip(1) {
        match Modifier::from_name(name) {
            Some(modifier) if REPEATABLE.contains(&modifier) && given.contains(&modifier) => {}
            Some(modifier) => given.push(modifier),
            None => return Meaning::Wrong(super::explain::unknown_modifier(opcode, name)),
        }
    }
    let mut candidates: Vec<Candidate> = Vec::new();
    for (id, form) in opcode.forms() {
        if let Some(filled) = fill(form, &given) {
            candidates.push(candidate(id, filled, gates));
        }
    }
    match candidates.is_empty() {
        false => Meaning::Forms(opcode, candidates),
        true => Meaning::Wrong(super::explain::no_form(opcode, &given)),
    }
}

/// The slots that the modifiers fill, if all find a place and no mandatory slot is left.
fn fill(form: &Form, given: &[Modifier]) -> Option<Filled> {
    let mandatory = form.slots.iter().filter(|slot| !slot.optional).count();
    if given.len() < mandatory || given.len() > form.slots.len() {
        return None;
    }
    let mut filled: Filled = SmallVec::from_elem(None, form.slots.len());
    place(form, given, mandatory, &mut filled).then_some(filled)
}

/// Places the first of `given` in the first slot that leads to a whole assignment. Depth and branching are bounded by the slots of a form.
fn place(form: &Form, given: &[Modifier], mandatory: usize, filled: &mut Filled) -> bool {
    let Some((&modifier, rest)) = given.split_first() else {
        return mandatory == 0;
    };
    if given.len() < mandatory {
        return false;
    }
    for (index, slot) in form.slots.iter().enumerate() {
        if filled[index].is_none() && slot.values.contains(&modifier) && in_order(modifier, index, filled) {
            filled[index] = Some(modifier);
            if place(form, rest, mandatory - usize::from(!slot.optional), filled) {
                return true;
            }
            filled[index] = None;
        }
    }
    false
}

/// Whether modifiers of an ordered class stay in the order of the text: what was placed before stands in earlier slots.
fn in_order(modifier: Modifier, index: usize, filled: &Filled) -> bool {
    let class = modifier.class();
    !ORDERED.contains(&class) || !filled[index..].iter().flatten().any(|later| later.class() == class)
}

fn candidate(id: FormId, filled: Filled, gates: &Gates) -> Candidate {
    let form = id.form();
    let mut later = Vec::new();
    let mut warnings = Vec::new();
    let mut refused = None;
    for rule in form.rules {
        if rule.when.iter().any(asks_operands) {
            later.push(rule);
        } else if rule.when.iter().all(|atom| holds(atom, &filled)) {
            match rule.effect {
                Effect::Warn(reason) => warnings.push(reason),
                Effect::Beyond(_) => {}
                Effect::Needs(_) | Effect::Refuse(_) => {
                    refused = refused.or_else(|| refusal(rule, form, &filled, gates));
                }
            }
        }
    }
    Candidate {
        form: id,
        operands: expect::operands(form, &filled),
        filled,
        refused,
        later,
        warnings,
        variant: None,
    }
}

/// Whether the atom is about an operand.
pub(super) fn asks_operands(atom: &Atom) -> bool {
    matches!(atom.test, Test::Operand(..) | Test::Greater(..))
}

/// Whether an atom about modifiers holds. Atoms about operands do not.
pub(super) fn holds(atom: &Atom, filled: &Filled) -> bool {
    let result = match atom.test {
        Test::Has(modifier) => filled.contains(&Some(modifier)),
        Test::SlotIs(slot, values) => filled[slot as usize].is_some_and(|modifier| values.contains(&modifier)),
        Test::Filled(slot) => filled[slot as usize].is_some(),
        Test::Operand(..) | Test::Greater(..) => false,
    };
    result != atom.negated
}

/// Why the rule, whose condition holds, refuses; `None`: it does not.
pub(super) fn refusal(rule: &Rule, form: &Form, filled: &Filled, gates: &Gates) -> Option<Refusal> {
    match rule.effect {
        Effect::Needs(list) => {
            let failed = list.iter().find(|requirement| !gates.pass(requirement))?;
            let (what, vendor) = subject(rule, form, filled);
            let needed = Gates::describe(failed);
            let lack = gates.vendor(failed);
            // What may come later is a feature, what this target never has an instruction.
            let vendor = match vendor {
                Some(modifier) => format!("Modifier '{modifier}'"),
                None if lack.starts_with("requires") => format!("Feature '{}'", form.opcode.name()),
                None => format!("Instruction '{}'", form.opcode.name()),
            };
            Some(Refusal {
                message: format!(
                    "{what} needs {needed}; this module is .version {}, .target {}",
                    gates.version, gates.target
                ),
                vendor: format!("{vendor} {lack}"),
                notes: vec![super::explain::section(form)],
            })
        }
        Effect::Refuse(reason) => Some(Refusal {
            message: format!("`{}`: {reason}", form.opcode.name()),
            vendor: format!("Illegal modifier for instruction '{}'", form.opcode.name()),
            notes: vec![super::explain::section(form)],
        }),
        Effect::Warn(_) | Effect::Beyond(_) => None,
    }
}

/// What a gate is about: the modifier that its condition names, else the instruction.
fn subject(rule: &Rule, form: &Form, filled: &Filled) -> (String, Option<Modifier>) {
    let modifier = rule.when.iter().find_map(|atom| match atom.test {
        Test::Has(modifier) if !atom.negated => Some(modifier),
        Test::SlotIs(slot, _) | Test::Filled(slot) if !atom.negated => filled[slot as usize],
        _ => None,
    });
    let name = form.opcode.name();
    match modifier {
        Some(modifier) => (format!("`{modifier}` of `{name}`"), Some(modifier)),
        None => (format!("`{name}` in this form"), None),
    }
}

/// A problem of the mnemonic as a whole.
pub(super) fn problem(refusal: &Refusal, span: Span) -> Problem {
    let mut problem = Problem::error(span, refusal.message.clone()).vendor(refusal.vendor.clone());
    problem.notes.clone_from(&refusal.notes);
    problem
}
