//! Which of two templates is more specialised ([temp.func.order], [temp.class.order]).

use std::cmp::Ordering;
use std::rc::Rc;

use super::TemplateId;
use super::substitute::{has_opaque, is_expansion, visit_parameters};
use super::unify::{Deduced, Leniency, flattened};
use crate::hir::pattern::{ArgumentPattern, ExpressionPattern, TypePattern};
use crate::hir::{self, Constant, QualifiedType, Qualifiers, TemplateArgument, Type, Types};
use crate::sema::Sema;
use crate::source::Span;

/// The reference that a parameter's type was, and the qualifiers under it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outer {
    Value,
    LValue(Qualifiers),
    RValue(Qualifiers),
}

impl<'a> Sema<'a> {
    /// Which of two function templates is more specialised for a call with so many arguments ([temp.func.order]): `Less` is the first.
    pub fn more_specialised(&mut self, first: TemplateId, second: TemplateId, arguments: usize) -> Ordering {
        let one = self.is_at_least_as_specialised(first, second, arguments);
        let other = self.is_at_least_as_specialised(second, first, arguments);
        match (one, other) {
            (true, false) => return Ordering::Less,
            (false, true) => return Ordering::Greater,
            (true, true) | (false, false) => {}
        }
        if !(one && other) {
            return Ordering::Equal;
        }
        let by_reference = self.compare_references(first, second, arguments);
        if by_reference != Ordering::Equal {
            return by_reference;
        }
        // [temp.func.order]/6 and its successors: one without a trailing pack is more specialised.
        let packs = |sema: &mut Self, template: TemplateId| {
            let signature = sema.signature_of(template);
            signature
                .parameters
                .iter()
                .any(|parameter| matches!(parameter, TypePattern::Expansion(_)))
        };
        match (packs(self, first), packs(self, second)) {
            (false, true) => Ordering::Less,
            (true, false) => Ordering::Greater,
            (true, true) => {
                let length = |sema: &mut Self, template: TemplateId| sema.signature_of(template).parameters.len();
                let (one, other) = (length(self, first), length(self, second));
                other.cmp(&one)
            }
            (false, false) => self.compare_guides(first, second),
        }
    }
    /// Deduction guides as written are better than those of constructors; the copy deduction candidate is better than those ([over.match.best]/1).
    fn compare_guides(&self, first: TemplateId, second: TemplateId) -> Ordering {
        use super::GuideSource as S;
        let rank = |template: TemplateId| match self.template(template).guide.map(|guide| guide.source) {
            Some(S::Written) => 0,
            Some(S::Copy) => 1,
            Some(S::Constructor(_) | S::Default) | None => 2,
        };
        rank(first).cmp(&rank(second))
    }
    fn is_at_least_as_specialised(&mut self, one: TemplateId, other: TemplateId, arguments: usize) -> bool {
        let (from, to) = (self.signature_of(one), self.signature_of(other));
        let symbol = self.conversion_symbol();
        let conversion = self.template(one).name == symbol && arguments == 0;
        let (from, to) = match conversion {
            true => (vec![from.result.clone()], vec![to.result.clone()]),
            false => (cut(&from.parameters, arguments), cut(&to.parameters, arguments)),
        };
        let count = self.template(other).parameters.len();
        let parameters = self.template(other).parameters.clone();
        let mut deduced = Deduced::new(count);
        let fits = self.with_parameters(&parameters, |sema| {
            for (next, pattern) in to.iter().enumerate() {
                if let TypePattern::Expansion(inner) = pattern {
                    // A pack takes all that are left; a pack on the other side only fits a pack.
                    let rest: Vec<ArgumentPattern> = from[next.min(from.len())..]
                        .iter()
                        .map(|pattern| match pattern {
                            TypePattern::Expansion(inner) => ArgumentPattern::Type((**inner).clone()),
                            other => ArgumentPattern::Type(other.clone()),
                        })
                        .collect();
                    let realised: Vec<TemplateArgument> = rest
                        .iter()
                        .filter_map(|pattern| match pattern {
                            ArgumentPattern::Type(ty) => Some(TemplateArgument::Type(sema.realise_stripped(ty))),
                            _ => None,
                        })
                        .collect();
                    let wanted = ArgumentPattern::Type(TypePattern::Expansion(Box::new(sema.stripped(inner).0)));
                    return sema.unify_arguments(&[wanted], &realised, &mut deduced);
                }
                let Some(actual) = from.get(next) else { return true };
                if matches!(actual, TypePattern::Expansion(_)) {
                    return false;
                }
                let actual = sema.realise_stripped(actual);
                let pattern = sema.stripped(pattern).0;
                if !sema.unify_type(&pattern, actual, &mut deduced, Leniency::STRICT) {
                    return false;
                }
            }
            true
        });
        // What the parameters use, be it where nothing can be deduced, has to have a value ([temp.deduct.partial]/11): for
        // `template <class T, class O> f(O)` and `template <class T> f(Alias<T>::type)` that makes the second the more special.
        let mut all_known = true;
        for pattern in &to {
            visit_parameters(pattern, &mut |index| {
                let is_pack = parameters.get(index as usize).is_some_and(|parameter| parameter.pack);
                let known = deduced.arguments.get(index as usize).is_none_or(Option::is_some);
                all_known &= is_pack || known;
            });
        }
        fits && all_known
    }
    /// References and qualifiers decide where the types are equal ([temp.deduct.partial]/9).
    fn compare_references(&mut self, first: TemplateId, second: TemplateId, arguments: usize) -> Ordering {
        let (one, other) = (self.signature_of(first), self.signature_of(second));
        let (one, other) = (cut(&one.parameters, arguments), cut(&other.parameters, arguments));
        let mut result = Ordering::Equal;
        for (one, other) in one.iter().zip(&other) {
            let (_, one) = self.stripped(one);
            let (_, other) = self.stripped(other);
            let here = match (one, other) {
                (Outer::LValue(_), Outer::RValue(_)) => Ordering::Less,
                (Outer::RValue(_), Outer::LValue(_)) => Ordering::Greater,
                (Outer::LValue(one), Outer::LValue(other)) | (Outer::RValue(one), Outer::RValue(other))
                    if one != other =>
                {
                    if one.contains(other) {
                        Ordering::Less
                    } else if other.contains(one) {
                        Ordering::Greater
                    } else {
                        Ordering::Equal
                    }
                }
                _ => Ordering::Equal,
            };
            if result == Ordering::Equal {
                result = here;
            } else if here != Ordering::Equal && here != result {
                return Ordering::Equal;
            }
        }
        result
    }
    fn realise_stripped(&mut self, pattern: &TypePattern) -> QualifiedType {
        let (pattern, _) = self.stripped(pattern);
        self.realise(&pattern)
    }
    /// A type made of a pattern, in which each parameter is a type, value or template of its own.
    pub(super) fn realise(&mut self, pattern: &TypePattern) -> QualifiedType {
        match pattern {
            TypePattern::Type(ty) => *ty,
            TypePattern::Parameter { index, .. } => {
                let ty = self.unique_type(UniqueType::Parameter(*index, self.expanded_pattern.clone()));
                self.parameter_types.insert(ty.id);
                ty
            }
            TypePattern::Qualified(qualifiers, inner) => {
                let inner = self.realise(inner);
                self.program.types.qualify(inner, *qualifiers)
            }
            TypePattern::Pointer(inner) => {
                let inner = self.realise(inner);
                self.program.types.pointer(inner).unqualified()
            }
            TypePattern::LValueReference(inner) => {
                let inner = self.realise(inner);
                self.program.types.lvalue_reference(inner).unqualified()
            }
            TypePattern::RValueReference(inner) => {
                let inner = self.realise(inner);
                self.program.types.rvalue_reference(inner).unqualified()
            }
            TypePattern::Array(inner, size) => {
                let inner = self.realise(inner);
                let count = size.as_ref().map(|size| match size {
                    ExpressionPattern::Literal(_, value) => u64::try_from(*value).unwrap_or(0),
                    ExpressionPattern::Parameter { index, .. } => UNIQUE_VALUE as u64 + u64::from(*index),
                    _ => UNIQUE_VALUE as u64 - 1,
                });
                self.program.types.array(inner, count).unqualified()
            }
            TypePattern::Function {
                result,
                parameters,
                variadic,
                qualifiers,
                reference,
                noexcept,
            } => {
                let result = self.realise(result);
                let parameters = parameters.iter().map(|parameter| self.realise(parameter)).collect();
                let mut function = hir::FunctionType::new(result, parameters);
                function.variadic = *variadic;
                function.qualifiers = *qualifiers;
                function.reference = *reference;
                function.noexcept =
                    matches!(noexcept.as_deref(), Some(ExpressionPattern::Literal(_, value)) if *value != 0);
                self.program.types.function(function).unqualified()
            }
            TypePattern::MemberPointer { class, pointee } => {
                let class = self.realise(class);
                let pointee = self.realise(pointee);
                match self.program.types.as_class(class.id) {
                    Some(class) => self.program.types.member_pointer(class, pointee).unqualified(),
                    None => self.unique_type(UniqueType::MemberPointer(class, pointee)),
                }
            }
            TypePattern::Specialisation {
                scope, name, arguments, ..
            } => {
                let key = hir::TemplateName {
                    scope: *scope,
                    name: name.clone(),
                };
                let Some(&template) = self.template_names.get(&key) else {
                    return self.unique_type(UniqueType::Pattern(pattern.clone()));
                };
                let arguments = self.realise_arguments(template, arguments);
                let class = self.class_instance(template, arguments.into());
                self.class_type(class).unqualified()
            }
            TypePattern::ParameterSpecialisation { index, arguments, .. } => {
                let arguments: Rc<[TemplateArgument]> = arguments
                    .iter()
                    .map(|argument| self.realise_argument(argument))
                    .collect();
                let ty = self.unique_type(UniqueType::Specialisation(*index, arguments.clone()));
                self.unique_specialisations.insert(ty.id, (*index, arguments));
                ty
            }
            TypePattern::Member { .. }
            | TypePattern::Decltype(_)
            | TypePattern::Transform(..)
            | TypePattern::Auto { .. } => self.unique_type(UniqueType::Pattern(pattern.clone())),
            TypePattern::Expansion(inner) => self.realise(inner),
        }
    }
    fn realise_arguments(&mut self, template: TemplateId, arguments: &[ArgumentPattern]) -> Vec<TemplateArgument> {
        let mut flat: Vec<TemplateArgument> = arguments
            .iter()
            .map(|argument| self.realise_argument(argument))
            .collect();
        let parameters = self.template(template).parameters.clone();
        match parameters.iter().position(|parameter| parameter.pack) {
            Some(place) if place <= flat.len() => {
                let rest = flat.split_off(place);
                flat.push(TemplateArgument::Pack(rest));
            }
            _ => {}
        }
        flat
    }
    fn realise_argument(&mut self, argument: &ArgumentPattern) -> TemplateArgument {
        match argument {
            // An expansion is realised as one element that nothing but an expansion fits: its parameters are types of this expansion alone.
            ArgumentPattern::Type(TypePattern::Expansion(inner)) => {
                let saved = self.expanded_pattern.replace(Rc::new((**inner).clone()));
                let element = self.realise(inner);
                self.expanded_pattern = saved;
                self.expansion_types.insert(element.id);
                TemplateArgument::Type(element)
            }
            ArgumentPattern::Type(ty) => TemplateArgument::Type(self.realise(ty)),
            ArgumentPattern::Value(ExpressionPattern::Literal(ty, value)) => {
                TemplateArgument::Value(*ty, Constant::Integer(*value))
            }
            ArgumentPattern::Value(ExpressionPattern::Parameter { index, .. }) => TemplateArgument::Value(
                Types::INT.unqualified(),
                Constant::Integer(UNIQUE_VALUE + i128::from(*index)),
            ),
            ArgumentPattern::Value(ExpressionPattern::Expansion(_)) => {
                TemplateArgument::Value(Types::INT.unqualified(), Constant::Integer(UNIQUE_EXPANSION))
            }
            ArgumentPattern::Value(_) => {
                TemplateArgument::Value(Types::INT.unqualified(), Constant::Integer(UNIQUE_VALUE - 1))
            }
            ArgumentPattern::Known(known) => known.clone(),
            ArgumentPattern::Untyped(untyped) => untyped.value.clone(),
            ArgumentPattern::Template { index, .. } => unique_template(*index),
            ArgumentPattern::TemplateExpansion { .. } => unique_template_expansion(),
            ArgumentPattern::Pack(list) => {
                TemplateArgument::Pack(list.iter().map(|element| self.realise_argument(element)).collect())
            }
        }
    }
    /// A type that is equal only to itself.
    fn unique_type(&mut self, what: UniqueType) -> QualifiedType {
        if let Some(&ty) = self.unique_types.get(&what) {
            return ty.unqualified();
        }
        let class = hir::Class::new(
            Some(hir::Name::from("unique")),
            hir::Scope::Namespace(hir::Program::GLOBAL),
            hir::ClassKind::Struct,
            Span::NONE,
        );
        let class = self.add_class(class, None);
        let ty = self.class_type(class);
        self.unique_types.insert(what, ty);
        ty.unqualified()
    }
    /// Matches a partial specialisation with arguments: those of its own parameters.
    pub(super) fn match_partial(
        &mut self,
        template: TemplateId,
        index: usize,
        arguments: &[TemplateArgument],
    ) -> Option<Vec<TemplateArgument>> {
        let partial = &self.template(template).partials[index];
        let (parameters, pattern) = (partial.parameters.clone(), partial.pattern.clone());
        let (written, limit) = (partial.arguments, partial.order + 1);
        let mut deduced = Deduced::new(parameters.len());
        let flat = flattened(arguments);
        let fits = self.with_parameters(&parameters, |sema| sema.unify_arguments(&pattern, &flat, &mut deduced));
        if !fits {
            return None;
        }
        let parent = self.template(template).scope;
        // What is declared after the specialisation is only found by the arguments of calls in it.
        let scope = self.binding_scope(None, parent, Some(limit));
        let mut bound = Vec::with_capacity(parameters.len());
        for (parameter, argument) in parameters.iter().zip(deduced.arguments) {
            let argument = match argument {
                Some(argument) => argument,
                None if parameter.pack => TemplateArgument::Pack(Vec::new()),
                None => return None,
            };
            let argument = match &argument {
                TemplateArgument::Value(..) => match self.trying(|sema| sema.parameter_type(parameter, scope)) {
                    Ok(Some(ty)) => self.fit_value(argument, ty)?,
                    _ => return None,
                },
                _ => argument,
            };
            self.bind_parameter(scope, parameter, &argument);
            bound.push(argument);
        }
        // What was not deduced from (`enable_if`, `void_t`) has to come out as the arguments are ([temp.class.spec.match]/2).
        let opaque = pattern.iter().any(has_opaque);
        if opaque {
            let own = self.template(template).parameters.clone();
            let again = self.trying(|sema| {
                sema.outside_of_functions(|sema| {
                    sema.in_scope(scope, |sema| {
                        let given = sema.given_arguments(written, Span::NONE);
                        sema.match_arguments(template, &given)
                    })
                })
            });
            let _ = own;
            match again {
                Ok(Some(again)) if *again == *arguments => {}
                _ => return None,
            }
        }
        let requires = self.template(template).partials[index].requires;
        if self.check_parameter_constraints(&parameters, &bound, scope).is_err()
            || requires.is_some_and(|requires| self.holds(requires, scope).is_err())
        {
            return None;
        }
        Some(bound)
    }
    /// Whether one partial specialisation is more specialised than another.
    pub(super) fn partial_is_more_specialised(&mut self, template: TemplateId, one: usize, other: usize) -> bool {
        let fits = |sema: &mut Self, from: usize, to: usize| {
            let from = sema.template(template).partials[from].pattern.clone();
            let target = &sema.template(template).partials[to];
            let (to, parameters) = (target.pattern.clone(), target.parameters.clone());
            let actual: Vec<TemplateArgument> = from.iter().map(|argument| sema.realise_argument(argument)).collect();
            let mut deduced = Deduced::new(parameters.len());
            let saved = std::mem::replace(&mut sema.ordering_partials, true);
            let fits = sema.with_parameters(&parameters, |sema| sema.unify_arguments(&to, &actual, &mut deduced));
            sema.ordering_partials = saved;
            fits
        };
        let forwards = fits(self, one, other);
        let backwards = fits(self, other, one);
        if forwards && backwards {
            let expands =
                |sema: &Self, index: usize| sema.template(template).partials[index].pattern.iter().any(is_expansion);
            return !expands(self, one) && expands(self, other);
        }
        forwards && !backwards
    }
}

/// What a type that is equal only to itself stands for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum UniqueType {
    /// A parameter, of an element of an expansion if there is one.
    Parameter(u32, Option<Rc<TypePattern>>),
    /// A pointer to a member of a class that is a parameter.
    MemberPointer(QualifiedType, QualifiedType),
    /// A specialisation of a template template parameter.
    Specialisation(u32, Rc<[TemplateArgument]>),
    /// A type that nothing is deduced from.
    Pattern(TypePattern),
}

/// Values that stand for parameters start here: no program has arrays of so many elements.
const UNIQUE_VALUE: i128 = 0x7f_0000_0000_0000;

/// The value that stands for an expansion of values.
pub(super) const UNIQUE_EXPANSION: i128 = UNIQUE_VALUE - 2;

/// Whether a value is one that stands for a parameter.
pub(super) fn stands_for_parameter(value: &Constant) -> bool {
    matches!(value, Constant::Integer(value) if (UNIQUE_VALUE..UNIQUE_VALUE + (1 << 32)).contains(value))
}

/// What stands for a template template parameter: no template has such a name.
pub(super) fn unique_template(index: u32) -> TemplateArgument {
    TemplateArgument::Template(hir::TemplateName {
        scope: hir::Scope::Namespace(hir::Program::GLOBAL),
        name: hir::Name::from(format!("parameter {index}")),
    })
}

/// What stands for an expansion of a pack of template template parameters.
pub(super) fn unique_template_expansion() -> TemplateArgument {
    TemplateArgument::Template(hir::TemplateName {
        scope: hir::Scope::Namespace(hir::Program::GLOBAL),
        name: hir::Name::from("parameters..."),
    })
}

fn cut(parameters: &[TypePattern], count: usize) -> Vec<TypePattern> {
    let pack = parameters
        .iter()
        .any(|parameter| matches!(parameter, TypePattern::Expansion(_)));
    let count = if pack {
        parameters.len()
    } else {
        count.min(parameters.len())
    };
    parameters[..count].to_vec()
}

impl Sema<'_> {
    /// A parameter's type without reference and top-level qualifiers ([temp.deduct.partial]/5 to 7).
    fn stripped(&self, pattern: &TypePattern) -> (TypePattern, Outer) {
        let known;
        let (inner, reference) = match pattern {
            TypePattern::Type(ty) => match *self.program.types.get(ty.id) {
                Type::LValueReference(to) => {
                    known = TypePattern::Type(to);
                    (&known, Some(true))
                }
                Type::RValueReference(to) => {
                    known = TypePattern::Type(to);
                    (&known, Some(false))
                }
                _ => (pattern, None),
            },
            TypePattern::LValueReference(inner) => (&**inner, Some(true)),
            TypePattern::RValueReference(inner) => (&**inner, Some(false)),
            other => (other, None),
        };
        let (inner, qualifiers) = match inner {
            TypePattern::Qualified(qualifiers, inner) => ((**inner).clone(), *qualifiers),
            TypePattern::Type(ty) => (TypePattern::Type(ty.unqualified()), ty.qualifiers),
            other => (other.clone(), Qualifiers::NONE),
        };
        let outer = match reference {
            None => Outer::Value,
            Some(true) => Outer::LValue(qualifiers),
            Some(false) => Outer::RValue(qualifiers),
        };
        (inner, outer)
    }
}
