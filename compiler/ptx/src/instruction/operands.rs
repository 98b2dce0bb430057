//! Whether the operands of an instruction are what a form expects. The rules of agreement are those of the PTX ISA manual, section 9.4,
//! as the vendor's tool enforces them.

use smallvec::SmallVec;

use super::expect::{Expected, Operand as Spec, SpaceSet, Want, What};
use crate::{
    context::Context,
    module::{Address, AddressBase, LabelKind, Operand, OperandRange, Register, Selector, Space},
    special::SpecialRegister,
    table::{Flags, OperandClass, Type, TypeKind},
};

/// Why operands do not fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mismatch {
    /// Too few or too many: how many were given.
    Count(usize),
    /// Another kind of thing is expected.
    Kind,
    /// A register of this type does not agree with the expected type.
    Type(Type, Type),
    /// The register declares several elements, or a vector is too long or short: given, expected.
    Elements(u32, u32),
    /// Elements of a vector do not go together.
    Mixed,
    /// A constant out of range.
    Range(i64),
    /// An integer constant for a floating type or the reverse, or a constant where none may stand.
    Constant(Type),
    /// A variable of this state space, which is not one of those expected.
    Space(Space),
    /// A constant address outside `.local`.
    Absolute,
    /// A register of this type as the base of an address.
    Base(Type),
    /// `_` where a result is needed.
    Sink,
    /// A special register where none may stand.
    Special,
    /// A negated operand.
    Negated,
    /// A 32-bit register as a generic or global address of a 64-bit module.
    Narrow,
}

/// A mismatch and the top-level operand it is about.
#[derive(Clone, Copy, Debug)]
pub(super) struct Misfit {
    pub(super) operand: usize,
    pub(super) mismatch: Mismatch,
}

/// What is at hand while matching one instruction.
pub(super) struct Matcher<'a, 'm> {
    pub(super) all: &'a [Operand],
    pub(super) context: &'a Context<'m>,
    /// Operands by number in the form, as matching goes: for rules that ask about them. Empty where no rule does.
    pub(super) bound: SmallVec<[Option<Operand>; 16]>,
}

impl<'a> Matcher<'a, '_> {
    fn range(&self, range: OperandRange) -> &'a [Operand] {
        let start = range.first as usize;
        &self.all[start..start + range.count as usize]
    }

    /// Matches a list of operands against expected ones.
    pub(super) fn list(&mut self, specs: &[Spec], given: &[Operand]) -> Result<(), Misfit> {
        if specs.iter().all(|spec| spec.group == 0) {
            if specs.len() != given.len() {
                return Err(Misfit {
                    operand: given.len().min(specs.len()),
                    mismatch: Mismatch::Count(given.len()),
                });
            }
            for (index, (spec, operand)) in specs.iter().zip(given).enumerate() {
                self.one(spec, *operand).map_err(|mismatch| Misfit {
                    operand: index,
                    mismatch,
                })?;
            }
            return Ok(());
        }
        self.optional(specs, given, 0)
    }

    /// Tries optional groups present first, then absent. The number of groups of a form is small.
    fn optional(&mut self, specs: &[Spec], given: &[Operand], at: usize) -> Result<(), Misfit> {
        let Some(first) = specs.first() else {
            return match given.len() == at {
                true => Ok(()),
                false => Err(Misfit {
                    operand: at,
                    mismatch: Mismatch::Count(given.len()),
                }),
            };
        };
        let size = specs.iter().take_while(|spec| spec.group == first.group).count().max(1);
        let size = if first.group == 0 { 1 } else { size };
        let present = self
            .group(&specs[..size], given, at)
            .and_then(|()| self.optional(&specs[size..], given, at + size));
        match present {
            Err(misfit) if first.group != 0 => {
                self.unbind(&specs[..size]);
                self.optional(&specs[size..], given, at).map_err(|absent| {
                    if absent.operand > misfit.operand {
                        absent
                    } else {
                        misfit
                    }
                })
            }
            result => result,
        }
    }

    /// Forgets what was bound to operands that turned out absent.
    fn unbind(&mut self, specs: &[Spec]) {
        for spec in specs {
            match &spec.shape {
                Expected::One(number, _) => {
                    if let Some(bound) = self.bound.get_mut(*number as usize) {
                        *bound = None;
                    }
                }
                Expected::Bracket(parts)
                | Expected::Vector(parts)
                | Expected::Pair(parts, _)
                | Expected::List(parts) => self.unbind(parts),
            }
        }
    }

    /// Whether the operand of this number is of the class.
    pub(super) fn is(&self, number: u8, class: OperandClass) -> bool {
        let Some(operand) = self.bound.get(number as usize).copied().flatten() else {
            return false;
        };
        let predicate = |register| self.context.register_type(register).0 == Type::Pred;
        match class {
            OperandClass::Present => true,
            OperandClass::Immediate => is_constant(operand),
            OperandClass::Vector => matches!(operand, Operand::Vector(_)),
            OperandClass::Holes => match operand {
                Operand::Vector(range) => self.range(range).contains(&Operand::Sink),
                _ => false,
            },
            OperandClass::Sink => operand == Operand::Sink,
            OperandClass::Predicate => match operand {
                Operand::Register(register) | Operand::Not(register) => predicate(register),
                _ => false,
            },
            OperandClass::Selected => matches!(operand, Operand::Selected(..) | Operand::Negative(_, Some(_))),
            OperandClass::Negated => matches!(operand, Operand::Negative(..)),
            OperandClass::Register => matches!(
                operand,
                Operand::Register(_)
                    | Operand::Component(..)
                    | Operand::Selected(..)
                    | Operand::Not(_)
                    | Operand::Negative(..)
                    | Operand::Special(..)
            ),
        }
    }

    /// Whether both operands are integer constants, the first greater as unsigned numbers.
    pub(super) fn greater(&self, first: u8, second: u8) -> bool {
        let value = |number: u8| match self.bound.get(number as usize) {
            Some(Some(Operand::Integer(value, _))) => Some(*value),
            _ => None,
        };
        matches!((value(first), value(second)), (Some(a), Some(b)) if a > b)
    }

    fn group(&mut self, specs: &[Spec], given: &[Operand], at: usize) -> Result<(), Misfit> {
        for (index, spec) in specs.iter().enumerate() {
            let operand = at + index;
            let Some(&actual) = given.get(operand) else {
                return Err(Misfit {
                    operand,
                    mismatch: Mismatch::Count(given.len()),
                });
            };
            self.one(spec, actual)
                .map_err(|mismatch| Misfit { operand, mismatch })?;
        }
        Ok(())
    }

    fn one(&mut self, spec: &Spec, given: Operand) -> Result<(), Mismatch> {
        match &spec.shape {
            Expected::One(number, wants) => {
                // `d|_` is `d`: ptxas takes a discarded second result anywhere.
                let given = match given {
                    Operand::Pair(range)
                        if self.range(range)[1] == Operand::Sink && self.range(range)[0] != Operand::Sink =>
                    {
                        self.range(range)[0]
                    }
                    other => other,
                };
                self.wants(wants, given)?;
                if let Some(bound) = self.bound.get_mut(*number as usize) {
                    *bound = Some(given);
                }
                Ok(())
            }
            Expected::Bracket(parts) => match given {
                Operand::Bracket(range) => self.parts(parts, self.range(range)),
                // `[a]`: there is nothing but one part, or the further ones may be absent.
                Operand::Address(address) => self.parts(parts, &[inside(address)]),
                _ => Err(Mismatch::Kind),
            },
            Expected::Vector(parts) => match given {
                Operand::Vector(range) => self.parts(parts, self.range(range)),
                _ => Err(Mismatch::Kind),
            },
            Expected::List(parts) => match given {
                Operand::List(range) => self.listed(parts, self.range(range)),
                _ => Err(Mismatch::Kind),
            },
            Expected::Pair(parts, optional) => match given {
                Operand::Pair(range)
                    if *optional && self.range(range)[1] == Operand::Sink && self.range(range)[0] != Operand::Sink =>
                {
                    self.one(&parts[0], self.range(range)[0])
                }
                Operand::Pair(range) => self.parts(parts, self.range(range)),
                _ if *optional => self.one(&parts[0], given),
                _ => Err(Mismatch::Kind),
            },
        }
    }

    fn parts(&mut self, specs: &[Spec], given: &[Operand]) -> Result<(), Mismatch> {
        self.list(specs, given).map_err(|misfit| misfit.mismatch)
    }

    /// A parenthesised list: of one kind in any number, or as the pattern says.
    fn listed(&mut self, specs: &[Spec], given: &[Operand]) -> Result<(), Mismatch> {
        match specs {
            [
                Spec {
                    shape: Expected::One(_, wants),
                    ..
                },
            ] => given.iter().try_for_each(|operand| self.wants(wants, *operand)),
            _ => self.parts(specs, given),
        }
    }

    fn wants(&self, wants: &[Want], given: Operand) -> Result<(), Mismatch> {
        let mut first = None;
        for want in wants {
            match self.want(want, given) {
                Ok(()) => return Ok(()),
                Err(mismatch) => first = first.or(Some(mismatch)),
            }
        }
        Err(first.unwrap_or(Mismatch::Kind))
    }

    fn want(&self, want: &Want, given: Operand) -> Result<(), Mismatch> {
        let flags = want.flags;
        match &want.what {
            What::Register(t, written) => match given {
                Operand::Sink if flags.has(Flags::SINK) => Ok(()),
                Operand::Sink => Err(Mismatch::Sink),
                Operand::Integer(..) | Operand::Double(_) | Operand::Single(_) => Err(Mismatch::Constant(*t)),
                _ => self.register(*t, flags, given, *written),
            },
            What::Value(t) => self.value(*t, want, given),
            What::Immediate(t) => constant(*t, want, given),
            What::Vector(counts, element, _) if counts.is_empty() => match given {
                // A scalar in braces is a scalar.
                Operand::Vector(range) if range.count == 1 => self.want(element, self.range(range)[0]),
                _ => self.want(element, given),
            },
            What::Vector(counts, first, rest) => self.vector(counts, first, rest.as_deref(), flags, given),
            What::Address(spaces) => self.address(*spaces, want, given),
            What::Predicate(written) => self.predicate(*written, flags, given),
            What::List(element) => match given {
                Operand::List(range) => self
                    .range(range)
                    .iter()
                    .try_for_each(|operand| self.want(element, *operand)),
                _ => Err(Mismatch::Kind),
            },
            What::Label => self.label(given, |kind| matches!(kind, LabelKind::Place(_))),
            What::Prototype => self.label(given, |kind| matches!(kind, LabelKind::Prototype(_))),
            What::Targets => self.label(given, |kind| {
                matches!(kind, LabelKind::BranchTargets(_) | LabelKind::CallTargets(_))
            }),
            What::Function => matches(given, |operand| matches!(operand, Operand::Function(_))),
            What::Variable(spaces) => match given {
                Operand::Variable(variable, _)
                    if self.context.variable(variable).element.kind() == TypeKind::Opaque =>
                {
                    Err(Mismatch::Kind)
                }
                Operand::Variable(variable, _) | Operand::Element(variable, ..) => {
                    match spaces_take(*spaces, self.context.variable(variable).space) {
                        true => Ok(()),
                        false => Err(Mismatch::Space(self.context.variable(variable).space)),
                    }
                }
                _ => Err(Mismatch::Kind),
            },
            What::Texture(name) => self.texture(name, given),
            What::Special => matches(given, |operand| matches!(operand, Operand::Special(..))),
            What::Nothing => Err(Mismatch::Kind),
        }
    }

    fn label(&self, given: Operand, test: impl Fn(&LabelKind) -> bool) -> Result<(), Mismatch> {
        match given {
            Operand::Label(label) if test(&self.context.labels[label.0 as usize].kind) => Ok(()),
            _ => Err(Mismatch::Kind),
        }
    }

    fn value(&self, t: Type, want: &Want, given: Operand) -> Result<(), Mismatch> {
        match given {
            Operand::Sink if want.flags.has(Flags::SINK) => Ok(()),
            Operand::Integer(..) | Operand::Double(_) | Operand::Single(_) => constant(t, want, given),
            Operand::Special(..) if !want.flags.has(Flags::SPECIAL) => Err(Mismatch::Special),
            // ptxas reads `symbol+offset` as an address even where only values belong.
            Operand::Variable(_, offset) if offset != 0 && is_integer(t) => Ok(()),
            Operand::Sink => Err(Mismatch::Sink),
            _ => self.register(t, want.flags, given, false),
        }
    }

    /// A register, or what stands for one, of type `t`.
    fn register(&self, t: Type, flags: Flags, given: Operand, written: bool) -> Result<(), Mismatch> {
        match given {
            Operand::Register(register) => match self.context.register_type(register) {
                (own, 1) => agree(t, own, flags),
                (_, elements) => Err(Mismatch::Elements(elements.into(), 1)),
            },
            Operand::Component(register, component) => match self.context.register_type(register) {
                // Selectors of packed parts want a whole register.
                _ if flags.0 & PACKED_SELECTORS != 0 => Err(Mismatch::Kind),
                (own, elements) if component < elements => agree(t, own, flags),
                (_, elements) => Err(Mismatch::Elements(component.into(), elements.into())),
            },
            Operand::Selected(register, selector) if selects(flags, selector) => {
                self.register(t, flags, Operand::Register(register), written)
            }
            Operand::Negative(register, selector)
                if flags.has(Flags::NEGATIVE) && selector.is_none_or(|selector| selects(flags, selector)) =>
            {
                self.register(t, flags, Operand::Register(register), written)
            }
            Operand::Not(register) if flags.has(Flags::NOT) || (t.kind() == TypeKind::Predicate && !written) => {
                self.register(t, flags, Operand::Register(register), written)
            }
            Operand::Not(_) | Operand::Negative(..) => Err(Mismatch::Negated),
            Operand::Special(special, component) if flags.has(Flags::SPECIAL) && !written => {
                special_agrees(t, special, component, flags)
            }
            Operand::Special(..) => Err(Mismatch::Special),
            _ => Err(Mismatch::Kind),
        }
    }

    fn predicate(&self, written: bool, flags: Flags, given: Operand) -> Result<(), Mismatch> {
        match given {
            Operand::Sink if written && flags.has(Flags::SINK) => Ok(()),
            Operand::Sink => Err(Mismatch::Sink),
            Operand::Special(special, component) if flags.has(Flags::SPECIAL) => {
                special_agrees(Type::Pred, special, component, flags)
            }
            Operand::Not(_) if !flags.has(Flags::NOT) => Err(Mismatch::Negated),
            Operand::Not(register) | Operand::Register(register) => {
                self.register(Type::Pred, flags, Operand::Register(register), written)
            }
            Operand::Component(..) => self.register(Type::Pred, flags, given, written),
            _ => Err(Mismatch::Kind),
        }
    }

    fn vector(
        &self,
        counts: &[u32],
        first: &Want,
        rest: Option<&Want>,
        flags: Flags,
        given: Operand,
    ) -> Result<(), Mismatch> {
        let range = match given {
            Operand::Vector(range) => range,
            Operand::Register(register) => {
                let (own, elements) = self.context.register_type(register);
                return match counts.contains(&elements.into()) && elements > 1 {
                    true => self.element_type(first, own),
                    false => Err(Mismatch::Elements(elements.into(), counts[0])),
                };
            }
            Operand::Special(special, None)
                if flags.has(Flags::SPECIAL) && counts.contains(&special.info().vector.into()) =>
            {
                let mut types = special.info().types.iter();
                return match types.any(|own| self.element_type(first, *own).is_ok()) {
                    true => Ok(()),
                    false => Err(Mismatch::Special),
                };
            }
            _ => return Err(Mismatch::Kind),
        };
        if !counts.contains(&range.count.into()) {
            return Err(Mismatch::Elements(range.count.into(), counts[0]));
        }
        match rest {
            None => self.elements(first, self.range(range)),
            Some(rest) => {
                self.want(first, self.range(range)[0])?;
                self.elements(rest, &self.range(range)[1..])
            }
        }
    }

    /// Elements between braces: each must fit, and they must go together.
    fn elements(&self, element: &Want, given: &[Operand]) -> Result<(), Mismatch> {
        // Bits go with everything of their size; all others must go with each other.
        let (mut bits, mut other): (Option<Type>, Option<Type>) = (None, None);
        for operand in given {
            let own = match *operand {
                Operand::Register(register) | Operand::Component(register, _) => self.context.register_type(register).0,
                Operand::Special(special, component) if component.is_some() || special.info().vector == 1 => {
                    special.info().types[0]
                }
                Operand::Special(..) => return Err(Mismatch::Special),
                _ => continue,
            };
            let place = if own.kind() == TypeKind::Bits {
                &mut bits
            } else {
                &mut other
            };
            if place.is_some_and(|before| !together(before, own)) {
                return Err(Mismatch::Mixed);
            }
            place.get_or_insert(own);
        }
        if let (Some(bits), Some(other)) = (bits, other)
            && !together(bits, other)
        {
            return Err(Mismatch::Mixed);
        }
        if given.iter().all(|operand| *operand == Operand::Sink) {
            return Err(Mismatch::Sink);
        }
        match bits.or(other) {
            Some(joint) => {
                self.element_type(element, joint)?;
                given
                    .iter()
                    .try_for_each(|operand| self.element(element, *operand, joint))
            }
            None if self.integers_alone(element, given) => Err(Mismatch::Constant(Type::B32)),
            None => given.iter().try_for_each(|operand| self.want(element, *operand)),
        }
    }

    /// Integer constants alone do not make a vector of `.b32` elements, but for loads and stores. (Observed.)
    fn integers_alone(&self, element: &Want, given: &[Operand]) -> bool {
        matches!(element.what, What::Value(Type::B32))
            && !element.flags.has(Flags::WIDER)
            && given.iter().all(|operand| matches!(operand, Operand::Integer(..)))
    }

    /// One element of a vector whose registers have the type `joint`.
    fn element(&self, element: &Want, given: Operand, joint: Type) -> Result<(), Mismatch> {
        match given {
            Operand::Register(register) => match self.context.register_type(register) {
                (_, 1) => Ok(()),
                (_, elements) => Err(Mismatch::Elements(elements.into(), 1)),
            },
            Operand::Component(..) | Operand::Special(..) => Ok(()),
            // Constants take the type of the registers beside them; beside registers of mere bits that of the instruction will do. (Observed: cicc declares
            // registers of floats so for sm_100.)
            Operand::Integer(..) | Operand::Double(_) | Operand::Single(_) => match element.what {
                What::Value(t) if t.kind() == TypeKind::Float && joint.kind() == TypeKind::Bits => {
                    constant_fits(joint, given).or_else(|mismatch| constant_fits(t, given).map_err(|_| mismatch))
                }
                What::Value(_) => constant_fits(joint, given),
                _ => self.want(element, given),
            },
            _ => self.want(element, given),
        }
    }

    /// Whether registers of type `own` fit as elements.
    fn element_type(&self, element: &Want, own: Type) -> Result<(), Mismatch> {
        match &element.what {
            What::Register(t, _) | What::Value(t) => match agree(*t, own, element.flags) {
                // Loads and stores take integers of the size as elements of a floating vector. (Observed.)
                Err(_)
                    if element.flags.has(Flags::WIDER)
                        && t.kind() == TypeKind::Float
                        && matches!(own.kind(), TypeKind::Unsigned | TypeKind::Signed)
                        && own.bits() == t.bits() =>
                {
                    Ok(())
                }
                result => result,
            },
            What::Predicate(_) => agree(Type::Pred, own, element.flags),
            _ => Err(Mismatch::Kind),
        }
    }

    fn address(&self, spaces: SpaceSet, want: &Want, given: Operand) -> Result<(), Mismatch> {
        let flags = want.flags;
        let address = match given {
            Operand::Address(address) => address,
            Operand::Element(variable, _, offset) if flags.has(Flags::ELEMENT) => Address {
                base: AddressBase::Variable(variable),
                offset,
                unified: false,
            },
            _ if !want.bracketed => return Err(Mismatch::Kind),
            Operand::Register(register) => Address {
                base: AddressBase::Register(register),
                offset: 0,
                unified: false,
            },
            Operand::Variable(variable, offset) => Address {
                base: AddressBase::Variable(variable),
                offset,
                unified: false,
            },
            _ => return Err(Mismatch::Kind),
        };
        // ptxas takes `.unified` only where the address may be global and is computed.
        let computed = matches!(address.base, AddressBase::Register(_));
        if address.unified
            && !(flags.has(Flags::UNIFIED) && computed && spaces.has(SpaceSet::GENERIC | SpaceSet::GLOBAL))
        {
            return Err(Mismatch::Kind);
        }
        match address.base {
            AddressBase::Absolute if spaces.has(SpaceSet::TENSOR) => Err(Mismatch::Absolute),
            AddressBase::Register(register) if spaces.has(SpaceSet::TENSOR) => {
                match self.context.register_type(register) {
                    (own, 1)
                        if own.bits() == 32
                            && matches!(own.kind(), TypeKind::Bits | TypeKind::Unsigned | TypeKind::Signed) =>
                    {
                        Ok(())
                    }
                    (own, _) => Err(Mismatch::Base(own)),
                }
            }
            AddressBase::Variable(_) if spaces.has(SpaceSet::TENSOR) => {
                if spaces.has(SpaceSet::ANY) || flags.has(Flags::ANY) {
                    Ok(())
                } else {
                    Err(Mismatch::Kind)
                }
            }
            AddressBase::Register(register) => self.base(register, spaces),
            // Loads and stores do not take textures, samplers and surfaces for memory; all else does. (Observed.)
            AddressBase::Variable(variable)
                if flags.has(Flags::ELEMENT) && self.context.variable(variable).element.kind() == TypeKind::Opaque =>
            {
                Err(Mismatch::Kind)
            }
            AddressBase::Variable(variable) => match spaces_take(spaces, self.context.variable(variable).space) {
                true => Ok(()),
                false => Err(Mismatch::Space(self.context.variable(variable).space)),
            },
            AddressBase::Absolute if spaces.has(SpaceSet::LOCAL | SpaceSet::ANY) => Ok(()),
            AddressBase::Absolute => Err(Mismatch::Absolute),
        }
    }

    fn base(&self, register: Register, spaces: SpaceSet) -> Result<(), Mismatch> {
        let (own, elements) = self.context.register_type(register);
        let integer = matches!(own.kind(), TypeKind::Bits | TypeKind::Unsigned | TypeKind::Signed) && own.bits() <= 64;
        if !integer || elements != 1 {
            return Err(Mismatch::Base(own));
        }
        let wide =
            spaces.has(SpaceSet::GENERIC | SpaceSet::GLOBAL) && spaces.0 & !(SpaceSet::GENERIC | SpaceSet::GLOBAL) == 0;
        match wide && own.bits() == 32 && self.context.address_size == 64 {
            true => Err(Mismatch::Narrow),
            false => Ok(()),
        }
    }

    fn texture(&self, name: &str, given: Operand) -> Result<(), Mismatch> {
        match given {
            Operand::Variable(variable, 0) if self.context.variable(variable).element.name() == name => Ok(()),
            _ => Err(Mismatch::Kind),
        }
    }
}

/// What stands between the brackets of an address, where it is one thing; else the address.
fn inside(address: Address) -> Operand {
    match address {
        Address {
            base: AddressBase::Register(register),
            offset: 0,
            unified: false,
        } => Operand::Register(register),
        Address {
            base: AddressBase::Variable(variable),
            offset: 0,
            unified: false,
        } => Operand::Variable(variable, 0),
        other => Operand::Address(other),
    }
}

/// A special register is read with one of its types, never a floating one.
fn special_agrees(t: Type, special: SpecialRegister, component: Option<u8>, flags: Flags) -> Result<(), Mismatch> {
    let info = special.info();
    let types = info.types;
    match (info.vector, component) {
        (1, Some(_)) => return Err(Mismatch::Special),
        (vector, None) if vector > 1 => return Err(Mismatch::Elements(vector.into(), 1)),
        _ => {}
    }
    let fits = t.kind() != TypeKind::Float && types.iter().any(|own| agree(t, *own, flags).is_ok());
    if fits { Ok(()) } else { Err(Mismatch::Type(types[0], t)) }
}

fn matches(given: Operand, test: impl Fn(Operand) -> bool) -> Result<(), Mismatch> {
    if test(given) { Ok(()) } else { Err(Mismatch::Kind) }
}

const PACKED_SELECTORS: u32 =
    Flags::SELECTOR_HALF_MASK | Flags::SELECTOR_HALF_SELECT | Flags::SELECTOR_BYTE_MASK | Flags::SELECTOR_BYTE_SELECT;

/// Whether the flags permit the selector.
fn selects(flags: Flags, selector: Selector) -> bool {
    let digits = selector.digits();
    let below = |limit: u8| digits.iter().all(|digit| *digit < limit);
    let descending = digits.windows(2).all(|pair| pair[0] > pair[1]);
    let single = digits.len() == 1;
    let parts = if selector.halves { 2 } else { 4 };
    (flags.has(Flags::SELECTOR_SCALAR) && single && below(parts))
        || (flags.has(Flags::SELECTOR_HALF_MASK) && selector.halves && descending && below(2))
        || (flags.has(Flags::SELECTOR_BYTE_MASK) && !selector.halves && descending && below(4))
        || (flags.has(Flags::SELECTOR_HALF_SELECT) && selector.halves && digits.len() == 2 && below(4))
        || (flags.has(Flags::SELECTOR_BYTE_SELECT) && !selector.halves && digits.len() == 4)
}

/// Whether an access to these spaces may name a variable of `space`.
fn spaces_take(spaces: SpaceSet, space: Space) -> bool {
    let bit = match space {
        Space::Constant => SpaceSet::CONST,
        Space::Global => SpaceSet::GLOBAL | SpaceSet::GENERIC,
        Space::Local => SpaceSet::LOCAL | SpaceSet::GENERIC,
        Space::Shared => SpaceSet::SHARED | SpaceSet::GENERIC,
        Space::Parameter => SpaceSet::PARAM,
        Space::Texture => SpaceSet::TEXTURE,
        Space::Register => 0,
    };
    spaces.has(bit | SpaceSet::ANY)
}

fn is_integer(t: Type) -> bool {
    matches!(t.kind(), TypeKind::Bits | TypeKind::Unsigned | TypeKind::Signed) && (8..=64).contains(&t.bits())
}

/// Whether a register declared as `own` may stand where the instruction's type is `t`.
pub(super) fn agree(t: Type, own: Type, flags: Flags) -> Result<(), Mismatch> {
    use TypeKind::{Bits, Float, Opaque, Packed, Predicate, Signed, Unsigned};
    let (bits, own_bits) = (t.bits(), own.bits());
    let wider = flags.has(Flags::WIDER);
    let fits = match (t.kind(), own.kind()) {
        _ if flags.has(Flags::ANY) => true,
        (Predicate, kind) | (kind, Predicate) => kind == Predicate,
        (Opaque, _) | (_, Opaque) => false,
        _ if flags.has(Flags::LOOSE) => bits == own_bits,
        (Bits, _) => own_bits == bits || (wider && own_bits > bits),
        (Unsigned | Signed, Bits | Unsigned | Signed) => own_bits == bits || (wider && own_bits > bits),
        (Unsigned | Signed, Packed) => wider && own_bits >= bits,
        (Unsigned | Signed, Float) => false,
        (Float, Bits) => own_bits == bits || (wider && own_bits > bits),
        (Float, Float) => t == own,
        (Float, Unsigned | Signed | Packed) => false,
        (Packed, Bits) => own_bits == bits || (wider && t == Type::F16x2 && own_bits > bits),
        (Packed, Packed) => t == own || matches!(t, Type::U16x2 | Type::S16x2),
        (Packed, Unsigned | Signed | Float) => false,
    };
    if fits { Ok(()) } else { Err(Mismatch::Type(own, t)) }
}

/// Whether registers of these types may be elements of one vector.
fn together(a: Type, b: Type) -> bool {
    use TypeKind::{Bits, Predicate, Signed, Unsigned};
    let integer = |t: Type| matches!(t.kind(), Unsigned | Signed);
    a.bits() == b.bits()
        && (a.kind() == Predicate) == (b.kind() == Predicate)
        && (a == b || a.kind() == Bits || b.kind() == Bits || (integer(a) && integer(b)))
}

/// Whether a constant fits type and range.
fn constant(t: Type, want: &Want, given: Operand) -> Result<(), Mismatch> {
    constant_fits(t, given)?;
    match given {
        Operand::Integer(value, _) if !want.range.contains(value as i64) => Err(Mismatch::Range(value as i64)),
        Operand::Double(bits) if !want.range.contains_float(f64::from_bits(bits)) => Err(Mismatch::Kind),
        Operand::Single(bits) if !want.range.contains_float(f32::from_bits(bits).into()) => Err(Mismatch::Kind),
        _ => Ok(()),
    }
}

/// Whether a constant may stand where the type is `t`: integers of any value for integer types, floating constants for floating types and, in
/// the spelling of their size, for `.b32` and `.b64`.
fn constant_fits(t: Type, given: Operand) -> Result<(), Mismatch> {
    let fits = match (given, t.kind()) {
        (Operand::Integer(..), TypeKind::Bits | TypeKind::Unsigned | TypeKind::Signed) => true,
        (Operand::Integer(..), TypeKind::Predicate) => true,
        (Operand::Double(_), TypeKind::Bits) => t.bits() == 64,
        (Operand::Single(_), TypeKind::Bits) => t.bits() == 32,
        (Operand::Double(_) | Operand::Single(_), TypeKind::Float) => matches!(t, Type::F32 | Type::F64),
        _ => false,
    };
    match fits {
        true => Ok(()),
        false if is_constant(given) => Err(Mismatch::Constant(t)),
        false => Err(Mismatch::Kind),
    }
}

fn is_constant(given: Operand) -> bool {
    matches!(given, Operand::Integer(..) | Operand::Double(_) | Operand::Single(_))
}
