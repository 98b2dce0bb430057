//! Matching patterns against types ([temp.deduct.type]).

use super::order::unique_template;
use super::pattern::UnboundKind;
use super::substitute::{is_expansion, visit_arguments, visit_parameters};
use super::{TemplateId, TemplateParameter};
use crate::hir::pattern::{ArgumentPattern, ExpressionPattern, TypePattern};
use crate::hir::{Constant, FunctionType, QualifiedType, Qualifiers, TemplateArgument, Type, Types};
use crate::sema::Sema;
use crate::sema::entity::Instance;
use crate::syntax::ast;

/// What is known of a template's parameters so far.
#[derive(Clone, Debug)]
pub(super) struct Deduced {
    /// The arguments.
    pub(super) arguments: Vec<Option<TemplateArgument>>,
    /// Elements at the start of packs that were given explicitly, by parameter: they stand, and more may follow.
    pub(super) explicit_packs: Vec<usize>,
    /// Which parameters were given explicitly in full.
    pub(super) explicit: Vec<bool>,
    /// The parameter at fault when matching failed.
    pub(super) conflict: Option<(usize, TemplateArgument, TemplateArgument)>,
}

impl Deduced {
    /// Nothing known.
    pub(super) fn new(count: usize) -> Deduced {
        Deduced {
            arguments: vec![None; count],
            explicit_packs: vec![0; count],
            explicit: vec![false; count],
            conflict: None,
        }
    }
    fn bind(&mut self, index: u32, argument: TemplateArgument) -> bool {
        let index = index as usize;
        let Some(slot) = self.arguments.get_mut(index) else {
            return false;
        };
        match slot {
            None => {
                *slot = Some(argument);
                true
            }
            Some(known) if same_argument(known, &argument) => true,
            Some(known) => {
                if self.conflict.is_none() {
                    self.conflict = Some((index, known.clone(), argument));
                }
                false
            }
        }
    }
}

/// Whether two deductions agree: values by value, as their types may differ until they are fitted.
fn same_argument(one: &TemplateArgument, other: &TemplateArgument) -> bool {
    match (one, other) {
        (TemplateArgument::Value(_, one), TemplateArgument::Value(_, other)) => one == other,
        _ => one == other,
    }
}

/// How strictly qualifiers have to agree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Leniency {
    /// The argument may lack qualifiers that the pattern has: a qualification conversion follows.
    pub(super) qualifiers: bool,
    /// The argument may be of a class derived from the pattern's.
    pub(super) derived: bool,
}

impl Leniency {
    /// Types are equal.
    pub(super) const STRICT: Leniency = Leniency {
        qualifiers: false,
        derived: false,
    };
    /// As for the operand of a call.
    pub(super) const CALL: Leniency = Leniency {
        qualifiers: true,
        derived: true,
    };
}

impl<'a> Sema<'a> {
    /// Matches a pattern with a type; what is not deduced from matches all.
    pub(super) fn unify_type(
        &mut self,
        pattern: &TypePattern,
        actual: QualifiedType,
        deduced: &mut Deduced,
        leniency: Leniency,
    ) -> bool {
        let kind = self.program.types.get(actual.id).clone();
        if matches!(kind, Type::Error) {
            return true;
        }
        // Qualifiers of an array are its elements'.
        let qualifiers = self.program.types.qualifiers_of(actual);
        match pattern {
            TypePattern::Type(ty) => {
                *ty == actual
                    || leniency.qualifiers && ty.id == actual.id
                    || leniency.derived && self.is_derived_type(actual, *ty)
            }
            TypePattern::Parameter { index, .. } => deduced.bind(*index, TemplateArgument::Type(actual)),
            TypePattern::Qualified(wanted, inner) => {
                if !leniency.qualifiers && !qualifiers.contains(*wanted) {
                    return false;
                }
                let rest = self.without_qualifiers(actual, *wanted);
                self.unify_type(inner, rest, deduced, leniency)
            }
            TypePattern::Pointer(inner) => match kind {
                Type::Pointer(to)
                    if leniency.qualifiers || actual.qualifiers.without(Qualifiers::RESTRICT).is_empty() =>
                {
                    self.unify_type(inner, to, deduced, leniency)
                }
                _ => false,
            },
            TypePattern::LValueReference(inner) => match kind {
                Type::LValueReference(to) => self.unify_type(inner, to, deduced, Leniency::STRICT),
                _ => false,
            },
            TypePattern::RValueReference(inner) => match kind {
                Type::RValueReference(to) => self.unify_type(inner, to, deduced, Leniency::STRICT),
                // In lists of parameters a forwarding reference takes lvalue references as well ([temp.deduct.type]/10).
                Type::LValueReference(_)
                    if self.in_parameter_list && matches!(**inner, TypePattern::Parameter { .. }) =>
                {
                    self.unify_type(inner, actual, deduced, Leniency::STRICT)
                }
                _ => false,
            },
            TypePattern::Array(element, size) => match kind {
                Type::Array(of, count) => self.unify_array(element, size.as_ref(), of, count, (deduced, leniency)),
                _ => false,
            },
            TypePattern::Function {
                result,
                parameters,
                variadic,
                qualifiers,
                reference,
                noexcept,
            } => match kind {
                Type::Function(function) => {
                    let throws = match noexcept.as_deref() {
                        // What throws nothing converts to what may.
                        None => true,
                        Some(ExpressionPattern::Parameter { index, .. }) => {
                            let value = Constant::boolean(function.noexcept);
                            deduced.bind(*index, TemplateArgument::Value(Types::BOOL.unqualified(), value))
                        }
                        Some(ExpressionPattern::Literal(_, value)) => function.noexcept == (*value != 0),
                        Some(_) => true,
                    };
                    throws
                        && function.variadic == *variadic
                        && function.qualifiers == *qualifiers
                        && function.reference == *reference
                        && self.unify_function(result, parameters, &function, deduced)
                }
                _ => false,
            },
            TypePattern::MemberPointer { class, pointee } => match kind {
                Type::MemberPointer { class: of, pointee: to } => {
                    let class_type = self.class_type(of).unqualified();
                    self.unify_type(class, class_type, deduced, Leniency::STRICT)
                        && self.unify_type(pointee, to, deduced, Leniency::STRICT)
                }
                _ => false,
            },
            TypePattern::Specialisation {
                scope, name, arguments, ..
            } => {
                if !leniency.qualifiers && !actual.qualifiers.is_empty() {
                    return false;
                }
                let name = crate::hir::TemplateName {
                    scope: *scope,
                    name: name.clone(),
                };
                let Some(&template) = self.template_names.get(&name) else {
                    return false;
                };
                self.unify_instance(Some(template), None, arguments, actual, deduced, leniency)
            }
            TypePattern::ParameterSpecialisation { index, arguments, .. } => {
                if !leniency.qualifiers && !actual.qualifiers.is_empty() {
                    return false;
                }
                self.unify_instance(None, Some(*index), arguments, actual, deduced, leniency)
            }
            // What is not deduced from matches all, but of two partial specialisations the one that takes any type there is not the more special.
            TypePattern::Member { .. }
            | TypePattern::Decltype(_)
            | TypePattern::Transform(..)
            | TypePattern::Auto { .. } => !(self.ordering_partials && self.parameter_types.contains(&actual.id)),
            TypePattern::Expansion(inner) => self.unify_type(inner, actual, deduced, leniency),
        }
    }
    fn is_derived_type(&mut self, actual: QualifiedType, wanted: QualifiedType) -> bool {
        match (
            self.program.types.as_class(actual.id),
            self.program.types.as_class(wanted.id),
        ) {
            (Some(actual), Some(wanted)) => self.is_derived_from(actual, wanted),
            _ => false,
        }
    }
    fn unify_array(
        &mut self,
        element: &TypePattern,
        size: Option<&ExpressionPattern>,
        of: QualifiedType,
        count: Option<u64>,
        (deduced, leniency): (&mut Deduced, Leniency),
    ) -> bool {
        let bound = match (size, count) {
            (None, None) => true,
            (Some(ExpressionPattern::Parameter { index, .. }), Some(count)) => {
                let value = Constant::Integer(i128::from(count));
                deduced.bind(
                    *index,
                    TemplateArgument::Value(Types::UNSIGNED_LONG.unqualified(), value),
                )
            }
            (Some(ExpressionPattern::Literal(_, value)), Some(count)) => *value == i128::from(count),
            (Some(_), Some(_)) => true,
            (None, Some(_)) | (Some(_), None) => false,
        };
        // Qualifiers of an array are its elements': an array of `int` fits a reference to one of `const int`.
        let leniency = Leniency {
            derived: false,
            ..leniency
        };
        bound && self.unify_type(element, of, deduced, leniency)
    }
    fn unify_function(
        &mut self,
        result: &TypePattern,
        parameters: &[TypePattern],
        function: &FunctionType,
        deduced: &mut Deduced,
    ) -> bool {
        if !self.unify_type(result, function.result, deduced, Leniency::STRICT) {
            return false;
        }
        self.unify_parameters(parameters, &function.parameters, deduced)
    }
    /// Matches a list of parameters, the last of which may be a pack.
    pub(super) fn unify_parameters(
        &mut self,
        patterns: &[TypePattern],
        actual: &[QualifiedType],
        deduced: &mut Deduced,
    ) -> bool {
        let arguments: Vec<ArgumentPattern> = patterns
            .iter()
            .map(|pattern| ArgumentPattern::Type(pattern.clone()))
            .collect();
        let actual: Vec<TemplateArgument> = actual.iter().map(|&ty| TemplateArgument::Type(ty)).collect();
        let saved = std::mem::replace(&mut self.in_parameter_list, true);
        let fits = self.unify_arguments(&arguments, &actual, deduced);
        self.in_parameter_list = saved;
        fits
    }
    /// Whether a template template parameter can be deduced to be a template ([temp.arg.template]): its parameters are of the kinds that the template's are.
    /// Further parameters of the template, if it has no pack for them, are packs: as for nvcc, whose rule for deduction is the one before C++17, default
    /// arguments do not make up for them.
    ///
    /// ```text
    /// template <class...> class    takes list<class...>    and pair<class, class>
    /// template <class T, T...> class    takes sequence<class T, T...>    but not list
    /// template <class> class    takes list<class...>    but not vector<class, class = allocator>
    /// ```
    fn takes_template(&self, parameter: u32, template: TemplateId) -> bool {
        let syntax = self
            .current_parameters
            .get(parameter as usize)
            .and_then(|parameter| parameter.syntax);
        match syntax.map(|syntax| &syntax.kind) {
            Some(ast::TemplateParameterKind::Template { parameters, .. }) => self
                .template_beyond(parameters, template)
                .is_some_and(|rest| rest.iter().all(|other| other.pack)),
            _ => true,
        }
    }
    /// Whether a template can be an argument for a template template parameter with these parameters: as in deduction, but default arguments make up for
    /// parameters that it does not have.
    pub(super) fn fits_template_parameter(
        &self,
        parameters: &'a [ast::Id<ast::TemplateParameter>],
        template: TemplateId,
    ) -> bool {
        self.template_beyond(parameters, template)
            .is_some_and(|rest| rest.iter().all(|other| other.pack || other.default.is_some()))
    }
    /// The parameters of a template for which a template template parameter has none; `None` if the others are not of the same kinds.
    fn template_beyond(
        &self,
        parameters: &'a [ast::Id<ast::TemplateParameter>],
        template: TemplateId,
    ) -> Option<&[TemplateParameter<'a>]> {
        let mut rest: &[TemplateParameter<'a>] = &self.template(template).parameters;
        for own in self.template_parameters(parameters) {
            let alike = |other: &TemplateParameter<'a>| UnboundKind::of(other) == UnboundKind::of(&own);
            match (own.pack, rest) {
                (true, _) => return rest.iter().all(alike).then_some(&[]),
                (false, [first, others @ ..]) if alike(first) => rest = if first.pack { rest } else { others },
                (false, _) => return None,
            }
        }
        Some(rest)
    }
    /// Matches a specialisation: the actual type is one of the template, or derived from one.
    fn unify_instance(
        &mut self,
        template: Option<TemplateId>,
        parameter: Option<u32>,
        arguments: &[ArgumentPattern],
        actual: QualifiedType,
        deduced: &mut Deduced,
        leniency: Leniency,
    ) -> bool {
        let Some(class) = self.program.types.as_class(actual.id) else {
            return false;
        };
        // What stands for a specialisation of a template template parameter, where two patterns are compared.
        if let Some((index, own)) = self.unique_specialisations.get(&actual.id).cloned() {
            let mut attempt = deduced.clone();
            let saved = std::mem::take(&mut self.in_parameter_list);
            let fits = parameter.is_some_and(|parameter| attempt.bind(parameter, unique_template(index)))
                && self.unify_arguments(arguments, &own, &mut attempt);
            self.in_parameter_list = saved;
            if fits {
                *deduced = attempt;
            }
            return fits;
        }
        if let Some(instance) = self.classes[class.index()].instance.clone()
            && template.is_none_or(|template| template == instance.template)
        {
            let mut attempt = deduced.clone();
            let named = match parameter {
                Some(index) if self.takes_template(index, instance.template) => {
                    let name = self.template_name(instance.template);
                    attempt.bind(index, TemplateArgument::Template(name))
                }
                Some(_) => false,
                None => true,
            };
            let flat = flattened(&instance.arguments);
            let leaves_out = parameter.is_some() && self.leaves_defaults_out(arguments, &instance);
            let actual_arguments = if leaves_out {
                &flat[..arguments.len()]
            } else {
                &flat[..]
            };
            let saved = std::mem::take(&mut self.in_parameter_list);
            let fits = named && self.unify_arguments(arguments, actual_arguments, &mut attempt);
            self.in_parameter_list = saved;
            if fits {
                *deduced = attempt;
                return true;
            }
            if !leniency.derived {
                deduced.conflict = attempt.conflict;
                return false;
            }
        }
        if !leniency.derived {
            return false;
        }
        // [temp.deduct.call]/4.3: a base, if just one fits.
        self.complete_class(class);
        let bases: Vec<_> = self.classes[class.index()]
            .bases
            .iter()
            .map(|base| base.class)
            .collect();
        let mut found: Option<Deduced> = None;
        for base in bases {
            let ty = self.class_type(base).unqualified();
            let mut attempt = deduced.clone();
            if self.unify_instance(template, parameter, arguments, ty, &mut attempt, leniency) {
                if found.as_ref().is_some_and(|found| found.arguments != attempt.arguments) {
                    return false;
                }
                found = Some(attempt);
            }
        }
        match found {
            Some(found) => {
                *deduced = found;
                true
            }
            None => false,
        }
    }
    /// Whether `L<T>`, with a template template parameter `L`, names a specialisation whose further arguments are the defaults of its template: it fits
    /// `vector<int, allocator<int>>`, and neither `vector<int, other>` nor `list<int, int>` of a pack.
    fn leaves_defaults_out(&mut self, patterns: &[ArgumentPattern], instance: &Instance) -> bool {
        let given = patterns.len();
        let is_pack = |argument: &TemplateArgument| matches!(argument, TemplateArgument::Pack(_));
        if given >= instance.arguments.len()
            || patterns.iter().any(is_expansion)
            || instance.arguments[..given].iter().any(is_pack)
            || is_pack(&instance.arguments[given])
        {
            return false;
        }
        let mut deduced = Deduced::new(instance.arguments.len());
        for (place, argument) in deduced.arguments.iter_mut().zip(&instance.arguments[..given]) {
            *place = Some(argument.clone());
        }
        self.complete_arguments(instance.template, deduced)
            .is_ok_and(|complete| *complete == *instance.arguments)
    }
    /// Matches template arguments; an expansion takes all that are left.
    pub(super) fn unify_arguments(
        &mut self,
        patterns: &[ArgumentPattern],
        actual: &[TemplateArgument],
        deduced: &mut Deduced,
    ) -> bool {
        // An expansion that is not the last makes the list not deducible.
        if patterns.iter().rev().skip(1).any(is_expansion) {
            return true;
        }
        let mut next = 0;
        for pattern in patterns {
            if is_expansion(pattern) {
                return self.unify_pack(pattern, &actual[next..], deduced);
            }
            let Some(argument) = actual.get(next) else {
                return false;
            };
            next += 1;
            // In comparisons of templates an expansion only fits an expansion.
            if self.is_unique_expansion(argument) || !self.unify_argument(pattern, argument, deduced) {
                return false;
            }
        }
        next == actual.len()
    }
    fn is_unique_expansion(&self, argument: &TemplateArgument) -> bool {
        match argument {
            TemplateArgument::Type(ty) => self.expansion_types.contains(&ty.id),
            TemplateArgument::Value(_, value) => *value == Constant::Integer(super::order::UNIQUE_EXPANSION),
            TemplateArgument::Template(_) => *argument == super::order::unique_template_expansion(),
            TemplateArgument::Pack(_) => false,
        }
    }
    fn unify_pack(&mut self, pattern: &ArgumentPattern, actual: &[TemplateArgument], deduced: &mut Deduced) -> bool {
        let packs = self.begin_pack(pattern, deduced);
        let inner = match pattern {
            ArgumentPattern::Type(TypePattern::Expansion(inner)) => ArgumentPattern::Type((**inner).clone()),
            ArgumentPattern::Value(ExpressionPattern::Expansion(inner)) => ArgumentPattern::Value((**inner).clone()),
            ArgumentPattern::TemplateExpansion { depth, index } => ArgumentPattern::Template {
                depth: *depth,
                index: *index,
            },
            other => other.clone(),
        };
        let mut collected: Vec<Vec<TemplateArgument>> = vec![Vec::new(); packs.len()];
        for (place, argument) in actual.iter().enumerate() {
            let mut attempt = self.element_attempt(deduced, &packs, place);
            if !self.unify_argument(&inner, argument, &mut attempt) {
                deduced.conflict = attempt.conflict;
                return false;
            }
            collect_elements(&packs, &mut attempt, deduced, &mut collected);
        }
        self.end_pack(&packs, collected, deduced)
    }
    /// The packs that an expansion names, with what is known of them.
    pub(super) fn begin_pack(
        &self,
        pattern: &ArgumentPattern,
        deduced: &Deduced,
    ) -> Vec<(usize, Option<Vec<TemplateArgument>>)> {
        let mut places: Vec<usize> = Vec::new();
        let list = std::slice::from_ref(pattern);
        visit_arguments(list, &mut |index| {
            if !places.contains(&(index as usize)) {
                places.push(index as usize);
            }
        });
        self.known_packs(places, deduced)
    }
    /// The same for a function's parameter pack.
    pub(super) fn begin_parameter_pack(
        &self,
        pattern: &TypePattern,
        deduced: &Deduced,
    ) -> Vec<(usize, Option<Vec<TemplateArgument>>)> {
        let mut places: Vec<usize> = Vec::new();
        visit_parameters(pattern, &mut |index| {
            if !places.contains(&(index as usize)) {
                places.push(index as usize);
            }
        });
        self.known_packs(places, deduced)
    }
    fn known_packs(&self, places: Vec<usize>, deduced: &Deduced) -> Vec<(usize, Option<Vec<TemplateArgument>>)> {
        places
            .into_iter()
            .filter(|&place| {
                self.current_parameters
                    .get(place)
                    .is_some_and(|parameter| parameter.pack)
            })
            .map(|place| match deduced.arguments.get(place) {
                Some(Some(TemplateArgument::Pack(list))) => (place, Some(list.clone())),
                _ => (place, None),
            })
            .collect()
    }
    /// What is known when the element at a place is matched: the packs stand for their element there.
    pub(super) fn element_attempt(
        &self,
        deduced: &Deduced,
        packs: &[(usize, Option<Vec<TemplateArgument>>)],
        place: usize,
    ) -> Deduced {
        let mut attempt = deduced.clone();
        for (pack, known) in packs {
            attempt.arguments[*pack] = known.as_ref().and_then(|known| known.get(place).cloned());
        }
        attempt
    }
    /// Binds packs to the elements found.
    pub(super) fn end_pack(
        &self,
        packs: &[(usize, Option<Vec<TemplateArgument>>)],
        collected: Vec<Vec<TemplateArgument>>,
        deduced: &mut Deduced,
    ) -> bool {
        for ((place, known), elements) in packs.iter().zip(collected) {
            match known {
                // Given explicitly in full, or deduced before: lengths agree.
                Some(known) if known.len() > elements.len() => return false,
                Some(known)
                    if known.len() < elements.len() && deduced.explicit_packs[*place] == 0 && !known.is_empty() =>
                {
                    return false;
                }
                _ => {}
            }
            deduced.explicit_packs[*place] = 0;
            deduced.arguments[*place] = Some(TemplateArgument::Pack(elements));
        }
        true
    }
    fn unify_argument(&mut self, pattern: &ArgumentPattern, actual: &TemplateArgument, deduced: &mut Deduced) -> bool {
        match (pattern, actual) {
            (ArgumentPattern::Type(pattern), TemplateArgument::Type(ty)) => {
                self.unify_type(pattern, *ty, deduced, Leniency::STRICT)
            }
            (ArgumentPattern::Value(pattern), TemplateArgument::Value(ty, value)) => match pattern {
                ExpressionPattern::Parameter { index, .. } => {
                    deduced.bind(*index, TemplateArgument::Value(*ty, value.clone()))
                }
                ExpressionPattern::Literal(_, wanted) => *value == Constant::Integer(*wanted),
                _ => !(self.ordering_partials && super::order::stands_for_parameter(value)),
            },
            // A bare name of a value parameter may have been read as a type.
            (ArgumentPattern::Type(TypePattern::Parameter { index, .. }), TemplateArgument::Value(ty, value)) => {
                deduced.bind(*index, TemplateArgument::Value(*ty, value.clone()))
            }
            (
                ArgumentPattern::Type(TypePattern::Parameter { index, .. }) | ArgumentPattern::Template { index, .. },
                TemplateArgument::Template(name),
            ) => deduced.bind(*index, TemplateArgument::Template(name.clone())),
            (ArgumentPattern::Type(TypePattern::Decltype(_)), _) => true,
            (ArgumentPattern::Known(known), actual) => same_argument(known, actual),
            (ArgumentPattern::Untyped(untyped), TemplateArgument::Value(_, actual)) => {
                matches!(&untyped.value, TemplateArgument::Value(_, value) if value == actual)
            }
            (ArgumentPattern::Pack(patterns), TemplateArgument::Pack(list)) => {
                self.unify_arguments(patterns, list, deduced)
            }
            _ => false,
        }
    }
}

/// Takes what an element bound packs to, and all else that it bound.
pub(super) fn collect_elements(
    packs: &[(usize, Option<Vec<TemplateArgument>>)],
    attempt: &mut Deduced,
    deduced: &mut Deduced,
    collected: &mut [Vec<TemplateArgument>],
) {
    for ((place, _), elements) in packs.iter().zip(collected) {
        if let Some(element) = attempt.arguments[*place].take() {
            elements.push(element);
        }
    }
    for (place, argument) in attempt.arguments.iter().enumerate() {
        if !packs.iter().any(|(pack, _)| *pack == place) {
            deduced.arguments[place] = argument.clone();
        }
    }
}

/// Arguments with the elements of packs in line.
pub(super) fn flattened(arguments: &[TemplateArgument]) -> Vec<TemplateArgument> {
    let mut flat = Vec::with_capacity(arguments.len());
    for argument in arguments {
        match argument {
            TemplateArgument::Pack(list) => flat.extend(list.iter().cloned()),
            other => flat.push(other.clone()),
        }
    }
    flat
}
