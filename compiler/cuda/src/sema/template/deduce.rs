//! Deduction of template arguments ([temp.deduct]).

use std::rc::Rc;

use super::substitute::{visit_deducible, visit_parameters};
use super::unify::{Deduced, Leniency, collect_elements};
use super::{
    DeductionFailure, DeductionOperand, DeductionReason, FunctionPattern, GivenArguments, TemplateId, TemplateParameter,
};
use crate::hir::pattern::TypePattern;
use crate::hir::{FunctionId, FunctionType, QualifiedType, TemplateArgument, Type, TypeId, Types, ValueCategory};
use crate::sema::entity::{Callable, Candidate};
use crate::sema::{Entity, Sema};
use crate::source::{Report, Span};

impl<'a> Sema<'a> {
    /// Deduces the arguments of a function template for a call, and gives the instance's declaration (its body is not elaborated). Operands are those of the call
    /// without the object; for conversion function templates use [`Sema::deduce_conversion`].
    pub fn deduce_call(
        &mut self,
        template: TemplateId,
        explicit: Option<&GivenArguments<'a>>,
        operands: &[DeductionOperand<'a>],
        span: Span,
    ) -> Result<FunctionId, DeductionFailure> {
        let signature = self.signature_of(template);
        self.check_operand_count(&signature, operands.len())?;
        let mut deduced = self.explicit_arguments(template, explicit)?;
        let parameters = self.template(template).parameters.clone();
        self.with_parameters(&parameters, |sema| {
            let mut rest = operands;
            for (place, pattern) in signature.parameters.iter().enumerate() {
                if let TypePattern::Expansion(inner) = pattern {
                    if place + 1 == signature.parameters.len() {
                        return sema.deduce_operand_pack(inner, rest, &mut deduced, template);
                    }
                    // Not at the end: not deduced ([temp.deduct.call]/1), it is as long as what was given explicitly.
                    let given = explicit_elements(inner, &deduced);
                    rest = &rest[given.min(rest.len())..];
                    continue;
                }
                let Some((operand, others)) = rest.split_first() else {
                    break;
                };
                sema.deduce_operand(pattern, operand, &mut deduced, template)?;
                rest = others;
            }
            Ok(())
        })?;
        self.finish_deduction(template, deduced, span)
    }
    fn check_operand_count(&self, signature: &FunctionPattern, count: usize) -> Result<(), DeductionFailure> {
        let pack = signature
            .parameters
            .iter()
            .any(|parameter| matches!(parameter, TypePattern::Expansion(_)));
        let needed = signature
            .parameters
            .iter()
            .zip(&signature.defaults)
            .filter(|(parameter, default)| !**default && !matches!(parameter, TypePattern::Expansion(_)))
            .count();
        let most = signature.parameters.len();
        if count < needed {
            return Err(DeductionFailure::new(format!(
                "it needs {needed} arguments, not {count}"
            )));
        }
        if count > most && !pack && !signature.variadic {
            return Err(DeductionFailure::new(format!("it takes {most} arguments, not {count}")));
        }
        Ok(())
    }
    /// Notes the parameters while patterns are matched with them in.
    pub(super) fn with_parameters<T>(
        &mut self,
        parameters: &Rc<[TemplateParameter<'a>]>,
        work: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let saved = std::mem::replace(&mut self.current_parameters, parameters.clone());
        let result = work(self);
        self.current_parameters = saved;
        result
    }
    /// Arguments given explicitly ([temp.arg.explicit]).
    fn explicit_arguments(
        &mut self,
        template: TemplateId,
        explicit: Option<&GivenArguments<'a>>,
    ) -> Result<Deduced, DeductionFailure> {
        let node = self.template(template);
        let (parameters, parent) = (node.parameters.clone(), node.scope);
        let mut deduced = Deduced::new(parameters.len());
        let Some(explicit) = explicit else {
            return Ok(deduced);
        };
        let scope = self.binding_scope(Some(template), parent, None);
        let mut next = 0;
        for (place, parameter) in parameters.iter().enumerate() {
            if next >= explicit.list.len() {
                break;
            }
            if parameter.pack {
                let mut elements = Vec::new();
                while let Some(given) = explicit.list.get(next) {
                    next += 1;
                    elements.push(self.explicit_argument(parameter, given, scope)?);
                }
                deduced.explicit_packs[place] = elements.len();
                let argument = TemplateArgument::Pack(elements);
                self.bind_parameter(scope, parameter, &argument);
                deduced.arguments[place] = Some(argument);
                break;
            }
            let argument = self.explicit_argument(parameter, &explicit.list[next], scope)?;
            next += 1;
            self.bind_parameter(scope, parameter, &argument);
            deduced.arguments[place] = Some(argument);
            deduced.explicit[place] = true;
        }
        if next < explicit.list.len() {
            return Err(DeductionFailure::new("too many template arguments"));
        }
        Ok(deduced)
    }
    fn explicit_argument(
        &mut self,
        parameter: &TemplateParameter<'a>,
        given: &super::GivenArgument<'a>,
        scope: crate::sema::ScopeId,
    ) -> Result<TemplateArgument, DeductionFailure> {
        match self.trying(|sema| sema.convert_argument(parameter, given, scope)) {
            Ok(Some(argument)) => Ok(argument),
            Ok(None) => Err(DeductionFailure::new("a template argument does not fit")),
            Err(reports) => Err(failure(&reports)),
        }
    }
    fn deduce_operand_pack(
        &mut self,
        inner: &TypePattern,
        operands: &[DeductionOperand<'a>],
        deduced: &mut Deduced,
        template: TemplateId,
    ) -> Result<(), DeductionFailure> {
        let packs = self.begin_parameter_pack(inner, deduced);
        let mut collected: Vec<Vec<TemplateArgument>> = vec![Vec::new(); packs.len()];
        // An element whose template arguments are all given converts as any other parameter.
        let mut others = false;
        visit_parameters(inner, &mut |index| {
            others |= !packs.iter().any(|(pack, _)| *pack == index as usize)
        });
        for (place, operand) in operands.iter().enumerate() {
            let given = |(pack, _): &(usize, Option<Vec<TemplateArgument>>)| deduced.explicit_packs[*pack] > place;
            if !others && !packs.is_empty() && packs.iter().all(given) {
                for ((_, known), elements) in packs.iter().zip(&mut collected) {
                    elements.extend(known.as_ref().and_then(|known| known.get(place)).cloned());
                }
                continue;
            }
            let mut attempt = self.element_attempt(deduced, &packs, place);
            self.deduce_operand(inner, operand, &mut attempt, template)?;
            collect_elements(&packs, &mut attempt, deduced, &mut collected);
        }
        // Packs of which the pattern says nothing that can be deduced stay as they are.
        if (operands.is_empty() || collected.iter().all(|elements| elements.len() == operands.len()))
            && !self.end_pack(&packs, collected, deduced)
        {
            return Err(DeductionFailure::new(
                "the number of arguments for a parameter pack differs from what was given",
            ));
        }
        Ok(())
    }
    /// Deduces from one operand ([temp.deduct.call]).
    fn deduce_operand(
        &mut self,
        pattern: &TypePattern,
        operand: &DeductionOperand<'a>,
        deduced: &mut Deduced,
        template: TemplateId,
    ) -> Result<(), DeductionFailure> {
        // A parameter whose template arguments are all given converts as any other ([temp.arg.explicit]/6).
        let mut any = false;
        visit_deducible(pattern, &mut |index| {
            any |= !deduced.explicit.get(index as usize).copied().unwrap_or(false)
        });
        if !any {
            return Ok(());
        }
        match operand {
            DeductionOperand::Error => Ok(()),
            DeductionOperand::Typed(ty, category) => self.deduce_typed(pattern, *ty, *category, deduced, template),
            DeductionOperand::List(elements) => self.deduce_list(pattern, elements, deduced, template),
            DeductionOperand::Overloads(candidates, explicit) => {
                self.deduce_overloads(pattern, candidates, explicit.as_ref(), deduced)
            }
        }
    }
    fn deduce_typed(
        &mut self,
        pattern: &TypePattern,
        ty: QualifiedType,
        category: ValueCategory,
        deduced: &mut Deduced,
        template: TemplateId,
    ) -> Result<(), DeductionFailure> {
        let mut actual = ty;
        let mut wanted = pattern;
        match pattern {
            TypePattern::LValueReference(inner) => wanted = inner,
            TypePattern::RValueReference(inner) => {
                wanted = inner;
                // A forwarding reference takes an lvalue as a reference to it.
                if let TypePattern::Parameter { index, .. } = **inner
                    && category == ValueCategory::LValue
                    && self.is_forwarding(template, index)
                {
                    actual = self.program.types.lvalue_reference(actual).unqualified();
                }
            }
            _ => {
                actual = match *self.program.types.get(actual.id) {
                    Type::Array(element, _) => self.program.types.pointer(element).unqualified(),
                    Type::Function(_) => self.program.types.pointer(actual).unqualified(),
                    _ => actual.unqualified(),
                };
                if let TypePattern::Qualified(_, inner) = wanted {
                    wanted = inner;
                }
            }
        }
        if self.unify_type(wanted, actual, deduced, Leniency::CALL) {
            return Ok(());
        }
        Err(self.mismatch(deduced, ty, template))
    }
    /// Not of the class template's own parameters in class template argument deduction ([temp.deduct.call]/3).
    fn is_forwarding(&self, template: TemplateId, index: u32) -> bool {
        match self.template(template).guide {
            Some(guide) => index as usize >= guide.class_parameters,
            None => true,
        }
    }
    /// Why a deduction failed, in words.
    pub(crate) fn deduction_reason(&self, reason: &DeductionReason) -> String {
        match reason {
            DeductionReason::Text(text) => text.clone(),
            DeductionReason::Unfit(ty) => format!("no template arguments make a parameter fit `{}`", self.show(*ty)),
        }
    }

    fn mismatch(&self, deduced: &Deduced, ty: QualifiedType, template: TemplateId) -> DeductionFailure {
        if let Some((place, one, other)) = &deduced.conflict {
            let name = self.template(template).parameters[*place].name;
            let shown = |sema: &Self, argument: &TemplateArgument| match argument {
                TemplateArgument::Type(ty) => format!("`{}`", sema.show(*ty)),
                TemplateArgument::Value(ty, value) => format!("`{}`", sema.program.show_constant(*ty, value)),
                TemplateArgument::Template(name) => format!("`{}`", name.name),
                TemplateArgument::Pack(_) => "a pack".to_string(),
            };
            let (one, other) = (shown(self, one), shown(self, other));
            let name = name.map_or("a template parameter".to_string(), |name| {
                format!("`{}`", self.text(name))
            });
            return DeductionFailure::new(format!("{name} is deduced as {one} and as {other}"));
        }
        DeductionFailure::unfit(ty)
    }
    fn deduce_list(
        &mut self,
        pattern: &TypePattern,
        elements: &[DeductionOperand<'a>],
        deduced: &mut Deduced,
        template: TemplateId,
    ) -> Result<(), DeductionFailure> {
        let mut inner = pattern;
        while let TypePattern::LValueReference(next)
        | TypePattern::RValueReference(next)
        | TypePattern::Qualified(_, next) = inner
        {
            inner = next;
        }
        let element = match inner {
            TypePattern::Array(element, size) => {
                let ok = match size {
                    Some(crate::hir::pattern::ExpressionPattern::Parameter { index, .. }) => {
                        let value = crate::hir::Constant::Integer(elements.len() as i128);
                        let argument = TemplateArgument::Value(Types::UNSIGNED_LONG.unqualified(), value);
                        let slot = &mut deduced.arguments[*index as usize];
                        let fits = slot.as_ref().is_none_or(|known| match (known, &argument) {
                            (TemplateArgument::Value(_, known), TemplateArgument::Value(_, new)) => known == new,
                            _ => false,
                        });
                        slot.get_or_insert(argument);
                        fits
                    }
                    _ => true,
                };
                if !ok {
                    return Err(DeductionFailure::new("the lengths of lists differ"));
                }
                &**element
            }
            TypePattern::Specialisation { name, arguments, .. } if &**name == "initializer_list" => {
                match arguments.first() {
                    Some(crate::hir::pattern::ArgumentPattern::Type(element)) => element,
                    _ => return Ok(()),
                }
            }
            _ => return Ok(()),
        };
        for operand in elements {
            self.deduce_operand(element, operand, deduced, template)?;
        }
        Ok(())
    }
    /// An overload set as an operand: deduces if just one member fits ([temp.deduct.call]/6).
    fn deduce_overloads(
        &mut self,
        pattern: &TypePattern,
        candidates: &[Candidate],
        explicit: Option<&GivenArguments<'a>>,
        deduced: &mut Deduced,
    ) -> Result<(), DeductionFailure> {
        let mut found: Option<Deduced> = None;
        for candidate in candidates {
            let function = match (candidate.callable, explicit) {
                (Callable::Function(function), None) => Some(function),
                (Callable::Template(template), Some(explicit)) => {
                    self.instantiate_explicit(template, explicit, explicit.span).ok()
                }
                // A template without arguments says nothing.
                (Callable::Template(_), None) => return Ok(()),
                (Callable::Function(_), Some(_)) => None,
            };
            let Some(function) = function else { continue };
            self.deduce_result(function);
            let node = self.program.function(function);
            let ty = node.ty;
            let mut attempt = deduced.clone();
            let (wanted, actual) = match pattern {
                TypePattern::LValueReference(inner) | TypePattern::RValueReference(inner) => {
                    (&**inner, ty.unqualified())
                }
                _ => {
                    let class = self.functions[function.index()]
                        .class
                        .filter(|_| self.program.function(function).has_this);
                    let actual = match class {
                        Some(class) => self.program.types.member_pointer(class, ty),
                        None => self.program.types.pointer(ty),
                    };
                    (pattern, actual.unqualified())
                }
            };
            if self.unify_type(wanted, actual, &mut attempt, Leniency::CALL) {
                if found.is_some() {
                    return Ok(());
                }
                found = Some(attempt);
            }
        }
        match found {
            Some(found) => {
                *deduced = found;
                Ok(())
            }
            None => Err(DeductionFailure::new("no function of the overloaded name fits")),
        }
    }
    /// Fills in defaults, and makes the instance.
    fn finish_deduction(
        &mut self,
        template: TemplateId,
        deduced: Deduced,
        span: Span,
    ) -> Result<FunctionId, DeductionFailure> {
        let arguments = self.complete_arguments(template, deduced)?;
        let _ = span;
        if let Some(&Entity::Function(function)) = self.template(template).instances.get(&arguments) {
            return Ok(function);
        }
        if self.failed_instances.contains(&(template, arguments.clone())) {
            return Err(DeductionFailure::new("the arguments do not fit its signature"));
        }
        if let Err(why) = self.check_constraints(template, &arguments) {
            return Err(DeductionFailure {
                span: why.span,
                ..DeductionFailure::new(why.reason)
            });
        }
        match self.trying(|sema| sema.function_instance(template, arguments.clone())) {
            Ok(Some(function)) => Ok(function),
            Ok(None) => Err(DeductionFailure::new("the arguments do not fit its signature")),
            Err(reports) => Err(failure(&reports)),
        }
    }
    pub(super) fn complete_arguments(
        &mut self,
        template: TemplateId,
        deduced: Deduced,
    ) -> Result<Rc<[TemplateArgument]>, DeductionFailure> {
        let node = self.template(template);
        let (parameters, parent) = (node.parameters.clone(), node.scope);
        let scope = self.binding_scope(Some(template), parent, None);
        let mut arguments = Vec::with_capacity(parameters.len());
        for (parameter, argument) in parameters.iter().zip(deduced.arguments) {
            let argument = match argument {
                Some(argument) => self.fitted(parameter, argument, scope)?,
                None if parameter.pack => TemplateArgument::Pack(Vec::new()),
                None => {
                    let names = self.scope_of_default(template, parameter, &arguments, scope);
                    self.defaulted(parameter, scope, names)?
                }
            };
            self.bind_parameter(scope, parameter, &argument);
            arguments.push(argument);
        }
        Ok(arguments.into())
    }
    /// A deduced value in the type of its parameter.
    fn fitted(
        &mut self,
        parameter: &TemplateParameter<'a>,
        argument: TemplateArgument,
        scope: crate::sema::ScopeId,
    ) -> Result<TemplateArgument, DeductionFailure> {
        let is_value = |argument: &TemplateArgument| matches!(argument, TemplateArgument::Value(..));
        let values = match &argument {
            TemplateArgument::Pack(list) => list.iter().any(is_value),
            other => is_value(other),
        };
        if !values {
            return Ok(argument);
        }
        let Ok(Some(ty)) = self.trying(|sema| sema.parameter_type(parameter, scope)) else {
            return Err(DeductionFailure::new("the type of a template parameter cannot be made"));
        };
        let unfit = || DeductionFailure::new("a deduced value does not fit the type of its parameter");
        match argument {
            TemplateArgument::Pack(list) => {
                let list: Option<Vec<TemplateArgument>> =
                    list.into_iter().map(|element| self.fit_value(element, ty)).collect();
                list.map(TemplateArgument::Pack).ok_or_else(unfit)
            }
            other => self.fit_value(other, ty).ok_or_else(unfit),
        }
    }
    fn defaulted(
        &mut self,
        parameter: &TemplateParameter<'a>,
        scope: crate::sema::ScopeId,
        names: crate::sema::ScopeId,
    ) -> Result<TemplateArgument, DeductionFailure> {
        match self.trying(|sema| sema.default_template_argument(parameter, scope, names)) {
            Ok(Some(Some(argument))) => Ok(argument),
            Ok(Some(None)) => Err(DeductionFailure::new("a default template argument does not fit")),
            Ok(None) => {
                let name = parameter.name.map_or("a template parameter".to_string(), |name| {
                    format!("`{}`", self.text(name))
                });
                Err(DeductionFailure::new(format!("{name} cannot be deduced")))
            }
            Err(reports) => Err(failure(&reports)),
        }
    }
    /// The same for a conversion function template and the type converted to ([temp.deduct.conv]).
    pub fn deduce_conversion(
        &mut self,
        template: TemplateId,
        to: QualifiedType,
        span: Span,
    ) -> Result<FunctionId, DeductionFailure> {
        let signature = self.signature_of(template);
        let parameters = self.template(template).parameters.clone();
        let mut deduced = Deduced::new(parameters.len());
        let mut wanted = &signature.result;
        if let TypePattern::LValueReference(inner) | TypePattern::RValueReference(inner) = wanted {
            wanted = inner;
        }
        let actual = self.program.types.strip_reference(to);
        let actual = if matches!(signature.result, TypePattern::LValueReference(_)) {
            actual
        } else {
            actual.unqualified()
        };
        let fits = self.with_parameters(&parameters, |sema| {
            sema.unify_type(wanted, actual, &mut deduced, Leniency::CALL)
        });
        if !fits {
            return Err(self.mismatch(&deduced, to, template));
        }
        self.finish_deduction(template, deduced, span)
    }
    /// The same for the function type that an address is taken for ([temp.deduct.funcaddr]).
    pub fn deduce_for_target(
        &mut self,
        template: TemplateId,
        explicit: Option<&GivenArguments<'a>>,
        target: TypeId,
        span: Span,
    ) -> Result<FunctionId, DeductionFailure> {
        let Some(function) = self.program.types.as_function(target).cloned() else {
            return Err(DeductionFailure::new("the target is no function type"));
        };
        // What the arguments that are given say alone is no longer dependent: of `T &&` for `int &&` nothing is deduced.
        if let Some(explicit) = explicit
            && let Ok(instance) = self.instantiate_explicit(template, explicit, span)
            && self.has_target_type(instance, &function)
        {
            return Ok(instance);
        }
        let signature = self.signature_of(template);
        let mut deduced = self.explicit_arguments(template, explicit)?;
        let parameters = self.template(template).parameters.clone();
        let fits = self.with_parameters(&parameters, |sema| {
            sema.unify_parameters(&signature.parameters, &function.parameters, &mut deduced)
                && sema.unify_type(&signature.result, function.result, &mut deduced, Leniency::STRICT)
        });
        if !fits {
            return Err(self.mismatch(&deduced, target.unqualified(), template));
        }
        let instance = self.finish_deduction(template, deduced, span)?;
        match self.has_target_type(instance, &function) {
            true => Ok(instance),
            false => Err(DeductionFailure::new("its type is another")),
        }
    }
    fn has_target_type(&mut self, instance: FunctionId, target: &FunctionType) -> bool {
        self.deduce_result(instance);
        let own = self.program.types.as_function(self.program.function(instance).ty);
        own.is_some_and(|own| own.parameters == target.parameters && own.result == target.result)
    }
    /// The instance of a function template when explicit arguments (and defaults) say all.
    pub fn instantiate_explicit(
        &mut self,
        template: TemplateId,
        explicit: &GivenArguments<'a>,
        span: Span,
    ) -> Result<FunctionId, DeductionFailure> {
        let deduced = self.explicit_arguments(template, Some(explicit))?;
        self.finish_deduction(template, deduced, span)
    }
}

/// The first message of an attempt, as a reason.
fn failure(reports: &[Report]) -> DeductionFailure {
    match reports.first() {
        Some(report) => DeductionFailure {
            span: report.span,
            ..DeductionFailure::new(report.message.clone())
        },
        None => DeductionFailure::new("the arguments do not fit its signature"),
    }
}

/// How many elements were given explicitly of the packs in a pattern.
fn explicit_elements(pattern: &TypePattern, deduced: &Deduced) -> usize {
    let mut count = 0;
    visit_parameters(pattern, &mut |index| {
        count = count.max(deduced.explicit_packs[index as usize])
    });
    count
}
