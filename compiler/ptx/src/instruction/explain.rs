//! What is wrong with an instruction, in words.

use smallvec::SmallVec;

use super::{
    expect::{Expected, Operand as Spec, SpaceSet, Want, What},
    operands::{Misfit, Mismatch},
    resolve::Candidate,
};
use crate::{
    Problem, Span,
    context::Context,
    history,
    module::Operand,
    suggest::nearest,
    table::{Class, Flags, Form, MODIFIERS, Modifier, OPCODES, Opcode},
};

/// A note that names the manual's section.
pub(super) fn section(form: &Form) -> String {
    if let Some(since) = history::newer(form) {
        return format!("`{}`: since PTX ISA {since}", form.pattern);
    }
    let section = if form.section.is_empty() {
        form.opcode.info().section
    } else {
        form.section
    };
    format!("`{}`: PTX ISA 9.0, section {section}", form.pattern)
}

/// The text is no instruction.
pub(super) fn unknown_opcode(text: &str) -> Problem {
    let word = text.split('.').next().unwrap_or(text);
    let problem = Problem::error(Span::default(), format!("there is no instruction `{}`", shown(text)))
        .vendor(format!("Not a name of any known instruction: '{word}'"));
    let dots = text.matches('.').count();
    let names = OPCODES.iter().map(|row| row.name);
    // Compare as many dotted parts as the text could mean.
    let near = nearest(word, names.clone().filter(|name| !name.contains('.')))
        .or_else(|| nearest(text, names.filter(|name| name.matches('.').count() <= dots)));
    match near {
        Some(near) => problem.note(format!("a near name is `{near}`")),
        None => problem,
    }
}

/// A modifier that no instruction has.
pub(super) fn unknown_modifier(opcode: Opcode, name: &str) -> Problem {
    let problem = Problem::error(
        Span::default(),
        format!("`{}`: there is no modifier `.{}`", opcode.name(), shown(name)),
    )
    .vendor(format!("Unknown modifier '.{name}'"));
    let own = accepted(opcode);
    let near = nearest(name, own.iter().map(|modifier| modifier.name()))
        .or_else(|| nearest(name, MODIFIERS.iter().map(|row| row.name)));
    let problem = match near {
        Some(near) => problem.note(format!("a near modifier is `.{near}`")),
        None => problem,
    };
    forms(problem, opcode)
}

/// Modifiers that exist, but in no form of the instruction together.
pub(super) fn no_form(opcode: Opcode, given: &[Modifier]) -> Problem {
    let name = opcode.name();
    let own = accepted(opcode);
    if let Some(alien) = given.iter().find(|modifier| !own.contains(modifier)) {
        let problem = Problem::error(Span::default(), format!("`{name}` takes no modifier `{alien}`"))
            .vendor(vendor_of_modifier(name, *alien, given));
        return forms(problem, opcode);
    }
    if let Some(twice) = given.iter().enumerate().find(|(index, modifier)| {
        let count = given.iter().filter(|other| other == modifier).count();
        given[..*index].contains(modifier) && !opcode.forms().any(|(_, form)| places(form, **modifier) >= count)
    }) {
        let problem = Problem::error(Span::default(), format!("`{name}`: `{}` stands twice", twice.1))
            .vendor(format!("Duplicate modifier '{}'", twice.1));
        return forms(problem, opcode);
    }
    let Some((form, left, missing)) = closest(opcode, given) else {
        return Problem::error(Span::default(), format!("`{name}` takes no modifiers"));
    };
    let problem = match (left.first(), missing.first()) {
        (Some(modifier), _) => Problem::error(
            Span::default(),
            format!("`{name}`: `{modifier}` does not go with the other modifiers"),
        )
        .vendor(vendor_of_modifier(name, *modifier, given)),
        (None, Some(_)) => {
            let values = wanted(opcode, given, left.len() + missing.len());
            let shown: Vec<String> = values.iter().take(MOST_VALUES).map(|value| value.to_string()).collect();
            let more = if values.len() > MOST_VALUES { " …" } else { "" };
            Problem::error(
                Span::default(),
                format!("`{name}` needs one more modifier: {}{more}", shown.join(" ")),
            )
            .vendor(vendor_of_lack(name, &values))
        }
        (None, None) => {
            let problem = Problem::error(Span::default(), format!("`{name}` has no form with these modifiers"));
            // Whether a conversion rounds depends on both of its types.
            match opcode {
                Opcode::Cvt => problem.vendor(vendor_of_lack(name, &[Modifier::Rn])),
                _ => problem,
            }
        }
    };
    problem.note(section(form))
}

/// The vendor's words for a modifier that does not go with the others.
fn vendor_of_modifier(name: &str, modifier: Modifier, given: &[Modifier]) -> String {
    let of_type = given.iter().find(|other| other.of_type().is_some());
    let is_atomic = matches!(name, "atom" | "red" | "vote");
    match (modifier.class(), of_type) {
        (Class::Rounding, _) => format!("Illegal rounding modifier for instruction '{name}'"),
        (Class::Space, _) => format!("State space incorrect for instruction '{name}'"),
        (Class::Half, _) => format!("Comparison qualifier is not allowed for instruction '{name}'"),
        (Class::Saturation, Some(of_type)) => format!("Modifier '{modifier}' does not apply to '{of_type}' type"),
        _ if modifier.of_type().is_some() && matches!(name, "setp" | "set") => {
            "Mismatch between instruction type and comparison qualifier".to_owned()
        }
        _ if modifier.of_type().is_some() && !is_atomic => {
            format!("Unexpected instruction types specified for '{name}'")
        }
        _ => format!("Illegal modifier '{modifier}' for instruction '{name}'"),
    }
}

/// The vendor's words for the lack of one of these modifiers.
fn vendor_of_lack(name: &str, values: &[Modifier]) -> String {
    if values.iter().any(|value| value.class() == Class::Comparison) {
        return format!("Comparison modifier required for instruction '{name}'");
    }
    let rounds = values.iter().any(|value| value.class() == Class::Rounding);
    match (rounds, values.contains(&Modifier::Approx)) {
        (true, true) => format!("Rounding modifier or '.approx' modifier required for instruction '{name}'"),
        (true, false) => format!("Rounding modifier required for instruction '{name}'"),
        (false, true) => format!(".approx modifier required for instruction '{name}'"),
        (false, false) => format!("Unexpected instruction types specified for '{name}'"),
    }
}

/// More values than this are not listed.
const MOST_VALUES: usize = 12;

/// What the first open slot takes in each form that lacks as little as the closest.
fn wanted(opcode: Opcode, given: &[Modifier], distance: usize) -> Vec<Modifier> {
    let mut values = Vec::new();
    for (form, left, missing) in opcode.forms().map(|(_, form)| judge(form, given)) {
        if left.is_empty() && missing.len() == distance {
            for value in form.slots[missing[0]].values {
                if !values.contains(value) {
                    values.push(*value);
                }
            }
        }
    }
    values
}

/// Every modifier that some form of the instruction takes.
fn accepted(opcode: Opcode) -> Vec<Modifier> {
    opcode
        .forms()
        .flat_map(|(_, form)| form.slots.iter().flat_map(|slot| slot.values.iter().copied()))
        .collect()
}

fn places(form: &Form, modifier: Modifier) -> usize {
    form.slots.iter().filter(|slot| slot.values.contains(&modifier)).count()
}

/// The form that takes most of the modifiers.
fn closest(opcode: Opcode, given: &[Modifier]) -> Option<Judged> {
    let judged = opcode.forms().map(|(_, form)| judge(form, given));
    judged.min_by_key(|(_, left, missing)| left.len() + missing.len())
}

/// A form, the modifiers left over, and the mandatory slots left open.
type Judged = (&'static Form, Vec<Modifier>, Vec<usize>);

fn judge(form: &'static Form, given: &[Modifier]) -> Judged {
    let mut filled = vec![false; form.slots.len()];
    let mut left = Vec::new();
    for modifier in given {
        let mut slots = form.slots.iter().enumerate();
        match slots.find(|(index, slot)| !filled[*index] && slot.values.contains(modifier)) {
            Some((index, _)) => filled[index] = true,
            None => left.push(*modifier),
        }
    }
    let missing = (0..filled.len())
        .filter(|&index| !filled[index] && !form.slots[index].optional)
        .collect();
    (form, left, missing)
}

/// Adds the forms of the instruction, if they are few.
fn forms(mut problem: Problem, opcode: Opcode) -> Problem {
    const MOST: usize = 4;
    let all: Vec<_> = opcode.forms().map(|(_, form)| form).collect();
    problem.notes.extend(all.iter().take(MOST).map(|form| section(form)));
    if all.len() > MOST {
        problem.notes.push(format!("and {} more forms", all.len() - MOST));
    }
    problem
}

/// Long or odd texts shortened for a message.
fn shown(text: &str) -> String {
    const LONGEST: usize = 60;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_string(),
    }
}

/// Operands that fit no candidate: the one that came furthest tells why.
pub(super) fn misfit(
    opcode: Opcode,
    candidates: &[Candidate],
    misfits: &SmallVec<[(usize, Misfit); 4]>,
    context: &Context<'_>,
    operands: &[Operand],
    mnemonic_span: Span,
    spans: &[Span],
) -> Problem {
    let name = opcode.name();
    let wrong = Problem::error(mnemonic_span, format!("`{name}`: operands do not fit"))
        .vendor(format!("Arguments mismatch for instruction '{name}'"));
    let Some((index, misfit)) = misfits
        .iter()
        .max_by_key(|(index, misfit)| (misfit.operand, usize::MAX - index))
    else {
        return wrong;
    };
    let form = candidates[*index].form.form();
    let expected = candidates[*index].operands.get(misfit.operand).map(describe);
    let given = operands
        .get(misfit.operand)
        .map(|operand| describe_given(*operand, context))
        .unwrap_or_default();
    let span = spans.get(misfit.operand).copied().unwrap_or(mnemonic_span);
    let number = misfit.operand + 1;
    let reason = reason(misfit.mismatch, expected.as_deref(), &given);
    let problem = match misfit.mismatch {
        Mismatch::Count(count) => {
            let most = candidates[*index].operands.len();
            Problem::error(
                mnemonic_span,
                format!("`{name}` has {count} operands, but this form takes {most}"),
            )
        }
        _ => Problem::error(span, format!("`{name}`, operand {number}: {reason}")),
    };
    let words = match (misfit.mismatch, misfit.operand, operands.first()) {
        (
            Mismatch::Kind | Mismatch::Constant(_),
            0,
            Some(Operand::Integer(..) | Operand::Double(_) | Operand::Single(_)),
        ) if candidates[*index].operands.first().is_some_and(is_register) => {
            format!("Result register required for instruction '{name}'")
        }
        (Mismatch::Range(value), 0, _) if name == "barrier" || name == "bar" || name.starts_with("bar.") => {
            let value = value as u64;
            format!("Barrier number '{value}' out of range, expected to be in range [0..15]")
        }
        (mismatch, ..) => vendor(mismatch, name),
    };
    problem.vendor(words).note(section(form))
}

/// Whether only registers can stand for an operand.
fn is_register(spec: &Spec) -> bool {
    let is_register = |want: &Want| matches!(want.what, What::Register(..) | What::Predicate(_) | What::Vector(..));
    match &spec.shape {
        Expected::One(_, wants) => wants.iter().all(is_register),
        Expected::Pair(parts, _) => parts.first().is_some_and(is_register_part),
        Expected::Bracket(_) | Expected::Vector(_) | Expected::List(_) => false,
    }
}

/// Whether the first part of a pair is a register's.
fn is_register_part(part: &Spec) -> bool {
    matches!(&part.shape, Expected::One(..)) && is_register(part)
}

fn reason(mismatch: Mismatch, expected: Option<&str>, given: &str) -> String {
    let expected = expected.unwrap_or("nothing");
    match mismatch {
        Mismatch::Count(_) | Mismatch::Kind => format!("{expected} expected, not {given}"),
        Mismatch::Type(own, wanted) => format!("a {own} register does not agree with {wanted}"),
        Mismatch::Elements(given, wanted) => format!("{wanted} elements expected, not {given}"),
        Mismatch::Mixed => "the elements of a vector must have the same size and kind".into(),
        Mismatch::Range(value) => format!("{value} is out of range: {expected}"),
        Mismatch::Constant(wanted) => format!("this constant cannot stand for {wanted}: {expected} expected"),
        Mismatch::Space(space) => format!("{expected} expected, but the variable lies in {}", space.directive()),
        Mismatch::Absolute => "a constant address is allowed only for .local".into(),
        Mismatch::Base(own) => format!("a {own} register cannot be an address"),
        Mismatch::Sink => "the result cannot be discarded here".into(),
        Mismatch::Special => "a special register cannot stand here; move it to a register first".into(),
        Mismatch::Negated => "the operand cannot be negated".into(),
        Mismatch::Narrow => "a 32-bit register cannot hold an address of this space with .address_size 64".into(),
    }
}

fn vendor(mismatch: Mismatch, name: &str) -> String {
    match mismatch {
        Mismatch::Range(_) => format!("Argument value out of range for instruction '{name}'"),
        Mismatch::Space(_) => format!("State space mismatch between instruction and address in instruction '{name}'"),
        Mismatch::Absolute => "Immediate addresses allowed only for .local state space".into(),
        Mismatch::Sink => format!("Result discard mode is not allowed for instruction '{name}'"),
        Mismatch::Special => format!("Special register argument not allowed for instruction '{name}'"),
        Mismatch::Negated => format!("Operand negation not allowed for instruction '{name}'"),
        Mismatch::Mixed => "Incompatible elements of vector expression".into(),
        Mismatch::Elements(..) => format!("Argument vector size mismatch for instruction '{name}'"),
        Mismatch::Narrow => "32-Bit ABI is not supported".into(),
        Mismatch::Base(_) | Mismatch::Count(_) | Mismatch::Kind | Mismatch::Type(..) | Mismatch::Constant(_) => {
            format!("Arguments mismatch for instruction '{name}'")
        }
    }
}

fn describe(spec: &Spec) -> String {
    let named = |text: String| {
        if spec.name.is_empty() {
            text
        } else {
            format!("{text} (`{}`)", spec.name)
        }
    };
    named(match &spec.shape {
        Expected::One(_, wants) => wants.iter().map(describe_want).collect::<Vec<_>>().join(" or "),
        Expected::Bracket(parts) => format!("[{}]", parts.iter().map(describe).collect::<Vec<_>>().join(", ")),
        Expected::Vector(parts) => format!("{{{}}}", parts.iter().map(describe).collect::<Vec<_>>().join(", ")),
        Expected::Pair(parts, _) => parts.iter().map(describe).collect::<Vec<_>>().join(" | "),
        Expected::List(parts) => format!("({})", parts.iter().map(describe).collect::<Vec<_>>().join(", ")),
    })
}

fn describe_want(want: &Want) -> String {
    let wider = if want.flags.has(Flags::WIDER) { " or wider" } else { "" };
    match &want.what {
        What::Register(t, _) => format!("a {t}{wider} register"),
        What::Value(t) => format!("a {t}{wider} register or a constant{}", describe_range(want)),
        What::Immediate(t) => format!("a {t} constant{}", describe_range(want)),
        What::Vector(counts, element, _) => match counts[..] {
            [] => describe_want(element),
            [count, ..] => format!("a vector of {count}, each {}", describe_want(element)),
        },
        What::Address(spaces) => format!("an address{}", describe_spaces(*spaces)),
        What::Predicate(_) => "a predicate register".into(),
        What::List(_) => "a list in parentheses".into(),
        What::Label => "a label".into(),
        What::Function => "a function".into(),
        What::Variable(spaces) => format!("a variable{}", describe_spaces(*spaces)),
        What::Prototype => "a .callprototype".into(),
        What::Targets => "a .branchtargets or .calltargets label".into(),
        What::Texture(name) => format!("a .{name} variable or a 64-bit register with a handle"),
        What::Special => "a special register".into(),
        What::Nothing => "nothing: the modifiers leave no type for it".into(),
    }
}

fn describe_range(want: &Want) -> String {
    let range = want.range;
    let mut text = match (range.low, range.high) {
        (Some(low), Some(high)) => format!(" from {low} to {high}"),
        (Some(low), None) => format!(" of at least {low}"),
        (None, Some(high)) => format!(" of at most {high}"),
        (None, None) => String::new(),
    };
    if !range.among.is_empty() {
        let values: Vec<String> = range.among.iter().map(i64::to_string).collect();
        text.push_str(&format!(" among {}", values.join(", ")));
    }
    if let Some(n) = range.multiple {
        text.push_str(&format!(", a multiple of {n}"));
    }
    if range.power {
        text.push_str(", a power of two");
    }
    if range.nonzero {
        text.push_str(", not zero");
    }
    text
}

fn describe_spaces(spaces: SpaceSet) -> String {
    let names = [
        (SpaceSet::GLOBAL, ".global"),
        (SpaceSet::SHARED, ".shared"),
        (SpaceSet::CONST, ".const"),
        (SpaceSet::LOCAL, ".local"),
        (SpaceSet::PARAM, ".param"),
        (SpaceSet::TENSOR, "tensor memory"),
        (SpaceSet::GENERIC, "the generic space"),
    ];
    let held: Vec<&str> = names
        .iter()
        .filter(|(bit, _)| spaces.has(*bit))
        .map(|(_, name)| *name)
        .collect();
    match held.is_empty() {
        true => String::new(),
        false => format!(" in {}", held.join(" or ")),
    }
}

fn describe_given(operand: Operand, context: &Context<'_>) -> String {
    match operand {
        Operand::Register(register) => match context.register_type(register) {
            (t, 1) => format!("a {t} register"),
            (t, n) => format!("a .v{n} {t} register"),
        },
        Operand::Component(register, _) => format!("an element of a {} register", context.register_type(register).0),
        Operand::Selected(..) => "a part of a register".into(),
        Operand::Not(_) => "a negated predicate".into(),
        Operand::Negative(..) => "a negated register".into(),
        Operand::Special(special, _) => format!("the special register {}", special.name()),
        Operand::Integer(value, true) => format!("the integer {}", value as i64),
        Operand::Integer(value, false) => format!("the integer {value}"),
        Operand::Double(_) | Operand::Single(_) => "a floating constant".into(),
        Operand::Variable(..) => "a variable's name".into(),
        Operand::Element(..) => "an array element".into(),
        Operand::Function(_) => "a function's name".into(),
        Operand::Label(_) => "a label".into(),
        Operand::Address(_) => "an address".into(),
        Operand::Bracket(_) => "operands in brackets".into(),
        Operand::Vector(range) => format!("a vector of {}", range.count),
        Operand::Pair(_) => "a pair".into(),
        Operand::List(_) => "a list in parentheses".into(),
        Operand::Sink => "`_`".into(),
    }
}
