//! What operands a form expects once its modifiers are known: kinds with types and numbers filled in.

use super::resolve::{Filled, holds};
use crate::table::{Flags, Form, Kind, Modifier, Number, OperandSpec, Range, Role, Shape, Spaces, Type, TypeSpec};

/// An expected operand.
#[derive(Debug)]
pub(super) struct Operand {
    /// Name in the pattern.
    pub(super) name: &'static str,
    /// Optional group, 0: mandatory.
    pub(super) group: u8,
    pub(super) shape: Expected,
}

/// Its shape.
#[derive(Debug)]
pub(super) enum Expected {
    One(u8, Vec<Want>),
    Bracket(Vec<Operand>),
    Vector(Vec<Operand>),
    Pair(Vec<Operand>, bool),
    List(Vec<Operand>),
}

/// One acceptable kind.
#[derive(Debug)]
pub(super) struct Want {
    pub(super) what: What,
    pub(super) range: &'static Range,
    pub(super) flags: Flags,
    /// A part of `[a, b]`: an address stands here without brackets of its own.
    pub(super) bracketed: bool,
}

/// The kind proper.
#[derive(Debug)]
pub(super) enum What {
    /// Register written (`true`) or read (`false`), no constant.
    Register(Type, bool),
    /// Register or constant.
    Value(Type),
    Immediate(Type),
    /// Permitted numbers of elements, the kind of the first, and that of the others where it differs. No number: a scalar stands here,
    /// because the slot that gives the width is absent.
    Vector(Vec<u32>, Box<Want>, Option<Box<Want>>),
    Address(SpaceSet),
    Predicate(bool),
    List(Box<Want>),
    Label,
    Function,
    Variable(SpaceSet),
    Prototype,
    Targets,
    Texture(&'static str),
    Special,
    /// A type that the combination of modifiers does not have, such as the double of `.b128`: nothing fits.
    Nothing,
}

/// State spaces as a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(super) struct SpaceSet(pub(super) u16);

impl SpaceSet {
    pub(super) const GENERIC: u16 = 1;
    pub(super) const GLOBAL: u16 = 1 << 1;
    pub(super) const SHARED: u16 = 1 << 2;
    pub(super) const CONST: u16 = 1 << 3;
    pub(super) const LOCAL: u16 = 1 << 4;
    pub(super) const PARAM: u16 = 1 << 5;
    pub(super) const TEXTURE: u16 = 1 << 6;
    pub(super) const TENSOR: u16 = 1 << 7;
    pub(super) const ANY: u16 = 1 << 8;

    pub(super) fn has(self, space: u16) -> bool {
        self.0 & space != 0
    }

    fn named(name: &str) -> u16 {
        match name.split(':').next().unwrap_or_default() {
            "generic" => SpaceSet::GENERIC,
            "global" => SpaceSet::GLOBAL,
            "shared" => SpaceSet::SHARED,
            "const" => SpaceSet::CONST,
            "local" => SpaceSet::LOCAL,
            "param" => SpaceSet::PARAM,
            "tex" => SpaceSet::TEXTURE,
            "tensor" => SpaceSet::TENSOR,
            _ => SpaceSet::ANY,
        }
    }
}

/// The operands of `form` with these modifiers.
pub(super) fn operands(form: &'static Form, filled: &Filled) -> Vec<Operand> {
    list(form.operands, form, filled, false)
}

fn list(specs: &'static [OperandSpec], form: &'static Form, filled: &Filled, bracketed: bool) -> Vec<Operand> {
    let one = |spec: &'static OperandSpec| {
        let shape = match &spec.shape {
            Shape::One(number, kinds) => Expected::One(
                *number,
                kinds
                    .iter()
                    .map(|kind| Want {
                        bracketed,
                        ..want(kind, form, filled)
                    })
                    .collect(),
            ),
            Shape::Bracket(parts) => Expected::Bracket(list(parts, form, filled, true)),
            Shape::Vector(parts) => Expected::Vector(list(parts, form, filled, bracketed)),
            Shape::Pair(parts, optional) => Expected::Pair(list(parts, form, filled, bracketed), *optional),
            Shape::List(parts) => Expected::List(list(parts, form, filled, bracketed)),
        };
        Operand {
            name: spec.name,
            group: spec.group,
            shape,
        }
    };
    specs.iter().map(one).collect()
}

fn want(kind: &'static Kind, form: &'static Form, filled: &Filled) -> Want {
    let typed = |spec: &TypeSpec, make: &dyn Fn(Type) -> What| type_of(spec, filled).map_or(What::Nothing, make);
    let what = match &kind.role {
        Role::Out(t) => typed(t, &|t| What::Register(t, true)),
        Role::Register(t) => typed(t, &|t| What::Register(t, false)),
        Role::Value(t) => typed(t, &What::Value),
        Role::Immediate(t) => typed(t, &What::Immediate),
        Role::Vector(number, element, rest) => What::Vector(
            counts(number, form, filled),
            Box::new(want(element, form, filled)),
            rest.map(|rest| Box::new(want(rest, form, filled))),
        ),
        Role::Address(spaces) => What::Address(space_set(spaces, filled)),
        Role::Predicate { out } => What::Predicate(*out),
        Role::List(element) => What::List(Box::new(want(element, form, filled))),
        Role::Label => What::Label,
        Role::Function => What::Function,
        Role::Variable(spaces) => What::Variable(space_set(spaces, filled)),
        Role::Prototype => What::Prototype,
        Role::Targets => What::Targets,
        Role::Texref => What::Texture("texref"),
        Role::Samplerref => What::Texture("samplerref"),
        Role::Surfref => What::Texture("surfref"),
        Role::Special => What::Special,
    };
    Want {
        what,
        range: &kind.range,
        flags: kind.flags,
        bracketed: false,
    }
}

fn type_of(spec: &TypeSpec, filled: &Filled) -> Option<Type> {
    match spec {
        TypeSpec::Fixed(t) => Some(*t),
        TypeSpec::Slot(slot) => filled[*slot as usize].and_then(Modifier::of_type),
        TypeSpec::Wide(inner) => type_of(inner, filled).and_then(|t| t.resized(t.bits() * 2)),
        TypeSpec::Half(inner) => type_of(inner, filled).and_then(|t| t.resized(t.bits() / 2)),
    }
}

/// The permitted numbers of elements; none: the slot that gives it is absent.
fn counts(number: &Number, form: &Form, filled: &Filled) -> Vec<u32> {
    match number {
        Number::Fixed(n) => vec![*n],
        Number::OneOf(list) => list.iter().flat_map(|number| counts(number, form, filled)).collect(),
        Number::Slot {
            slot,
            letter,
            multiply,
            divide,
        } => {
            let Some(modifier) = filled[*slot as usize] else {
                return Vec::new();
            };
            let name = modifier.name();
            let from = match letter {
                Some(letter) => name.find(*letter).map_or(0, |at| at + letter.len_utf8()),
                None => name.find(|c: char| c.is_ascii_digit()).unwrap_or(0),
            };
            let digits: String = name[from..].chars().take_while(char::is_ascii_digit).collect();
            vec![digits.parse::<u32>().unwrap_or(0) * multiply / divide]
        }
        Number::Count(name) => {
            let mut named = form.counts.iter().filter(|count| count.name == *name);
            let holding = named.find(|count| count.when.iter().all(|atom| holds(atom, filled)));
            holding.map_or(vec![0], |count| counts(&count.number, form, filled))
        }
    }
}

fn space_set(spaces: &Spaces, filled: &Filled) -> SpaceSet {
    SpaceSet(match spaces {
        Spaces::Names(names) => names.iter().fold(0, |all, name| all | SpaceSet::named(name)),
        Spaces::Slot(slot) => {
            filled[*slot as usize].map_or(SpaceSet::GENERIC, |modifier| SpaceSet::named(modifier.name()))
        }
    })
}

/// Whether a label may stand in the operand.
pub(super) fn takes_label(operand: &Operand) -> bool {
    match &operand.shape {
        Expected::One(_, wants) => wants
            .iter()
            .any(|want| matches!(want.what, What::Label | What::Prototype | What::Targets)),
        Expected::Bracket(parts) | Expected::Vector(parts) | Expected::Pair(parts, _) | Expected::List(parts) => {
            parts.iter().any(takes_label)
        }
    }
}
