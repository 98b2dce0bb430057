//! Instructions made from a form rather than read from a text: modifiers that break no rule, and operands that fit.

use smallvec::SmallVec;

use super::{
    expect::{self, Expected, Operand as Spec, SpaceSet, Want, What},
    gates::Gates,
    operands::agree,
    resolve::{Filled, refusal},
};
use crate::{
    examples::REGISTERS,
    table::{Atom, Effect, Flags, FormId, Modifier, OperandClass, Range, Rule, Test, Type},
};

/// An instruction in parts.
#[derive(Clone, Debug)]
pub struct Draft {
    /// Its form.
    pub form: FormId,
    /// Modifiers by slot.
    pub modifiers: Filled,
    /// Operands as text.
    pub operands: Vec<Piece>,
    /// Why the manual has no such instruction, if only ptxas has it.
    pub beyond: Option<&'static str>,
}

/// An operand as text.
#[derive(Clone, Debug)]
pub enum Piece {
    /// As it stands.
    Text(String),
    /// `[a, b]`
    Bracket(Vec<Piece>),
    /// `{a, b}`
    Vector(Vec<Piece>),
    /// `a|b`
    Pair(Vec<Piece>),
    /// `(a)`
    List(Vec<Piece>),
}

impl Draft {
    /// Sets of optional operand groups worth trying: none, each alone, all.
    pub fn groups(form: FormId) -> Vec<Vec<u8>> {
        let mut numbers: Vec<u8> = form
            .form()
            .operands
            .iter()
            .map(|spec| spec.group)
            .filter(|group| *group != 0)
            .collect();
        numbers.dedup();
        let mut out = vec![Vec::new()];
        out.extend(numbers.iter().map(|number| vec![*number]));
        if numbers.len() > 1 {
            out.push(numbers);
        }
        out
    }

    /// A legal instruction with the chosen modifier in the chosen slot and the optional operands of `groups`.
    pub fn find(form: FormId, choice: Option<(usize, Option<Modifier>)>, groups: &[u8], gates: Gates) -> Option<Draft> {
        let slots = form.form().slots;
        let mut filled: Filled = slots
            .iter()
            .map(|slot| {
                if slot.optional {
                    None
                } else {
                    slot.values.first().copied()
                }
            })
            .collect();
        if let Some((index, value)) = choice {
            filled[index] = value;
        }
        let fixed = choice.map(|(index, _)| index);
        // Some combinations are legal only where the result is discarded.
        [false, true].into_iter().find_map(|sinks| {
            let repair = Repair {
                form,
                groups,
                gates: &gates,
                fixed,
                sinks,
            };
            repair.run(filled.clone(), DEEPEST_REPAIR).map(|filled| Draft {
                beyond: repair.beyond(&filled),
                ..draft(form, filled, groups, sinks)
            })
        })
    }
}

/// Rules tie few slots together: changing three makes legal what can be.
const DEEPEST_REPAIR: u32 = 3;

/// The search for modifiers that break no rule.
struct Repair<'a> {
    form: FormId,
    groups: &'a [u8],
    gates: &'a Gates,
    /// The slot that must keep its modifier.
    fixed: Option<usize>,
    /// Results that may be discarded are.
    sinks: bool,
}

impl Repair<'_> {
    /// Changes slots that a broken rule names until no rule is broken.
    fn run(&self, filled: Filled, depth: u32) -> Option<Filled> {
        let Some(rule) = self.broken(&filled) else {
            return Some(filled);
        };
        if depth == 0 {
            return None;
        }
        for (index, slot) in self.form.form().slots.iter().enumerate() {
            if Some(index) == self.fixed || !names_slot(rule, index, slot.values) {
                continue;
            }
            let absent = slot.optional.then_some(None);
            for value in absent.into_iter().chain(slot.values.iter().map(|value| Some(*value))) {
                let mut changed = filled.clone();
                changed[index] = value;
                if !self.breaks(rule, &changed)
                    && let Some(found) = self.run(changed, depth - 1)
                {
                    return Some(found);
                }
            }
        }
        None
    }

    fn broken(&self, filled: &Filled) -> Option<&'static Rule> {
        self.form.form().rules.iter().find(|rule| self.breaks(rule, filled))
    }

    fn breaks(&self, rule: &Rule, filled: &Filled) -> bool {
        !matches!(rule.effect, Effect::Warn(_) | Effect::Beyond(_))
            && self.holds(rule, filled)
            && refusal(rule, self.form.form(), filled, self.gates).is_some()
    }

    /// Why the manual has no such instruction, if it has none.
    fn beyond(&self, filled: &Filled) -> Option<&'static str> {
        self.form.form().rules.iter().find_map(|rule| match rule.effect {
            Effect::Beyond(reason) if self.holds(rule, filled) => Some(reason),
            _ => None,
        })
    }

    /// Whether the condition of a rule holds.
    fn holds(&self, rule: &Rule, filled: &Filled) -> bool {
        let asks_operands = rule.when.iter().any(super::resolve::asks_operands);
        let classes = if asks_operands {
            classes(self.form, filled, self.groups, self.sinks)
        } else {
            SmallVec::new()
        };
        rule.when.iter().all(|atom| atom_holds(atom, filled, &classes))
    }
}

/// Whether the rule's condition is about the slot.
fn names_slot(rule: &Rule, index: usize, values: &[Modifier]) -> bool {
    rule.when.iter().any(|atom| match atom.test {
        Test::Has(modifier) => values.contains(&modifier),
        Test::SlotIs(slot, _) | Test::Filled(slot) => usize::from(slot) == index,
        Test::Operand(..) | Test::Greater(..) => false,
    })
}

fn atom_holds(atom: &Atom, filled: &Filled, classes: &[Option<OperandClass>]) -> bool {
    match atom.test {
        Test::Operand(number, class) => {
            let own = classes.get(number as usize).copied().flatten();
            (own == Some(class) || (class == OperandClass::Present && own.is_some())) != atom.negated
        }
        // Drafts hold registers where constants could stand.
        Test::Greater(..) => atom.negated,
        Test::Has(_) | Test::SlotIs(..) | Test::Filled(_) => super::resolve::holds(atom, filled),
    }
}

/// The classes that the operands of [`draft`] will have.
fn classes(form: FormId, filled: &Filled, groups: &[u8], sinks: bool) -> SmallVec<[Option<OperandClass>; 16]> {
    let mut out = SmallVec::new();
    for spec in &expect::operands(form.form(), filled) {
        let present = spec.group == 0 || groups.contains(&spec.group);
        class(spec, present, sinks, &mut out);
    }
    out
}

fn class(spec: &Spec, present: bool, sinks: bool, out: &mut SmallVec<[Option<OperandClass>; 16]>) {
    match &spec.shape {
        Expected::One(number, wants) => {
            out.resize(out.len().max(usize::from(*number) + 1), None);
            out[usize::from(*number)] = present.then(|| match wants.first().map(|want| &want.what) {
                Some(What::Register(_, true)) if sinks && wants[0].flags.has(Flags::SINK) => OperandClass::Sink,
                Some(What::Vector(counts, ..)) if !counts.is_empty() => OperandClass::Vector,
                Some(What::Predicate(_)) => OperandClass::Predicate,
                Some(What::Register(..) | What::Value(_) | What::Special | What::Vector(..)) => OperandClass::Register,
                Some(What::Immediate(_)) => OperandClass::Immediate,
                _ => OperandClass::Present,
            });
        }
        Expected::Bracket(parts) | Expected::Vector(parts) | Expected::List(parts) | Expected::Pair(parts, _) => {
            for part in parts {
                class(part, present && part.group == 0, sinks, out);
            }
        }
    }
}

fn draft(form: FormId, filled: Filled, groups: &[u8], sinks: bool) -> Draft {
    let mut maker = Maker {
        next: 1,
        sinks,
        writes: form.form().opcode.name() == "st",
        suffix: call_suffix(form),
    };
    let specs = expect::operands(form.form(), &filled);
    let present = specs
        .iter()
        .filter(|spec| spec.group == 0 || groups.contains(&spec.group));
    let operands = present.map(|spec| maker.piece(spec)).collect();
    Draft {
        form,
        modifiers: filled,
        operands,
        beyond: None,
    }
}

/// Which of the example functions fits a call: with result, with argument.
fn call_suffix(form: FormId) -> &'static str {
    let names: Vec<&str> = form.form().pattern.split(['(', ')', ',', ' ']).collect();
    match (names.contains(&"ret"), names.contains(&"param")) {
        (true, true) => "ra",
        (true, false) => "r",
        (false, true) => "a",
        (false, false) => "n",
    }
}

struct Maker {
    /// Number of the next register.
    next: u32,
    suffix: &'static str,
    /// Results that may be discarded are.
    sinks: bool,
    /// Parameters are written: they cannot be the kernel's.
    writes: bool,
}

impl Maker {
    fn piece(&mut self, spec: &Spec) -> Piece {
        let mut parts = |parts: &[Spec]| {
            parts
                .iter()
                .filter(|part| part.group == 0)
                .map(|part| self.piece(part))
                .collect()
        };
        match &spec.shape {
            Expected::One(_, wants) => match wants.first() {
                Some(_) if spec.name == "ret" => Piece::Text("pr".into()),
                Some(_) if spec.name == "param" => Piece::Text("pa".into()),
                Some(want) => self.want(want),
                None => Piece::Text("_".into()),
            },
            Expected::Bracket(inner) => Piece::Bracket(parts(inner)),
            Expected::Vector(inner) => Piece::Vector(parts(inner)),
            Expected::Pair(inner, _) => Piece::Pair(parts(inner)),
            Expected::List(inner) => Piece::List(parts(inner)),
        }
    }

    fn register(&mut self, t: Type, want: &Want) -> String {
        let fits = |name: &&&str| Type::from_name(name).is_some_and(|own| agree(t, own, want.flags).is_ok());
        let exact = REGISTERS.iter().find(|name| **name == t.name());
        let name = exact
            .filter(|name| fits(name))
            .or_else(|| REGISTERS.iter().find(fits))
            .copied()
            .unwrap_or("b32");
        self.next = (self.next + 1) % 256;
        format!("%{name}_{}", self.next)
    }

    fn want(&mut self, want: &Want) -> Piece {
        match &want.what {
            What::Register(_, true) if self.sinks && want.flags.has(Flags::SINK) => Piece::Text("_".into()),
            What::Register(t, _) | What::Value(t) => Piece::Text(self.register(*t, want)),
            What::Immediate(t) => Piece::Text(immediate(*t, want.range)),
            What::Vector(counts, first, rest) => match counts.first() {
                None => self.want(first),
                Some(&count) => {
                    let rest = rest.as_deref().unwrap_or(first);
                    Piece::Vector(
                        (0..count)
                            .map(|index| self.want(if index == 0 { first } else { rest }))
                            .collect(),
                    )
                }
            },
            What::Address(spaces) if want.bracketed => {
                Piece::Text(self.address(*spaces).trim_matches(['[', ']']).into())
            }
            What::Address(spaces) => Piece::Text(self.address(*spaces)),
            What::Predicate(_) => Piece::Text(self.register(Type::Pred, want)),
            What::List(element) => Piece::List(vec![self.want(element)]),
            What::Label => Piece::Text("L".into()),
            What::Targets => Piece::Text("T_b".into()),
            What::Prototype => Piece::Text(format!("T_{}", self.suffix)),
            What::Function => Piece::Text(format!("f_{}", self.suffix)),
            What::Variable(spaces) => {
                Piece::Text(self.address(*spaces).trim_matches(['[', ']']).replace("%b64_", "gv+"))
            }
            What::Texture("texref") => Piece::Text("tex".into()),
            // Sampler variables exist in one texture mode only, handles in both.
            What::Texture("samplerref") => Piece::Text("%u64_251".into()),
            What::Texture(_) => Piece::Text("surf".into()),
            What::Special => Piece::Text("%tid.x".into()),
            What::Nothing => Piece::Text("_".into()),
        }
    }

    fn address(&mut self, spaces: SpaceSet) -> String {
        self.next += 1;
        if spaces.has(SpaceSet::GLOBAL | SpaceSet::GENERIC) {
            return format!("[%b64_{}]", self.next);
        }
        let names = [
            (SpaceSet::SHARED, "[sm]"),
            (SpaceSet::CONST, "[cm]"),
            (SpaceSet::LOCAL, "[lm]"),
            (SpaceSet::PARAM, if self.writes { "[pl]" } else { "[P]" }),
            (SpaceSet::TENSOR, "[%b32_250]"),
        ];
        names
            .iter()
            .find(|(bit, _)| spaces.has(*bit))
            .map_or("[%b64_250]", |(_, text)| text)
            .to_string()
    }
}

/// A constant of the type in the range.
fn immediate(t: Type, range: &Range) -> String {
    if t.kind() == crate::table::TypeKind::Float {
        return "1.0".into();
    }
    let near = range.low.unwrap_or(0).min(range.high.unwrap_or(i64::MAX));
    let candidates = range
        .among
        .iter()
        .copied()
        .chain((0..=4096).map(|step| near.saturating_add(step)));
    candidates
        .into_iter()
        .find(|value| range.contains(*value))
        .unwrap_or(1)
        .to_string()
}
