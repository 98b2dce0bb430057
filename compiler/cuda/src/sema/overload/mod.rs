//! Overload resolution ([over.match]): which candidate a call means.
//!
//! [`Sema::resolve`] makes the candidates functions (deducing templates), finds those that can be called with the operands at all, each with one conversion
//! sequence per argument, and picks the one that is better than all others. Candidates that cannot be called keep the reason, for the message.

mod report;
mod target;

use rustc_hash::FxHashSet;

use crate::hir::pattern::TypePattern;
use crate::hir::{ClassId, ExpressionId, FunctionId, QualifiedType};
use crate::sema::Sema;
use crate::sema::conversion::implicit::{Permit, Sequence, SequenceKind, compare};
use crate::sema::conversion::standard::Better;
use crate::sema::entity::{Callable, Candidate};
use crate::sema::expression::{ListOperand, Operand};
use crate::sema::template::{DeductionOperand, DeductionReason, GivenArguments, TemplateId};
use crate::source::Span;

/// What a call may call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Callee {
    /// A function.
    Function(FunctionId),
    /// A built-in operator for operands of these types ([over.built]).
    BuiltIn(Vec<QualifiedType>),
}

/// A call to be resolved.
pub(crate) struct Call<'s, 'a> {
    /// The object of a member call, a glvalue: the first argument.
    pub(crate) object: Option<ExpressionId>,
    /// The arguments.
    pub(crate) operands: &'s [Operand<'a>],
    /// Template arguments written.
    pub(crate) arguments: Option<&'s GivenArguments<'a>>,
    /// Which conversions of arguments are allowed.
    pub(crate) user: bool,
    /// Explicit constructors are no candidates.
    pub(crate) skip_explicit: bool,
    /// The object is the first operand of an operator too, to which candidates that are no members convert it.
    pub(crate) is_operator: bool,
    /// Where.
    pub(crate) span: Span,
}

/// A candidate that can be called.
#[derive(Clone, Debug)]
pub(crate) struct Viable {
    /// What.
    pub(crate) callee: Callee,
    /// The template it is made from.
    pub(crate) template: Option<TemplateId>,
    /// For each argument, the object first; `None` where nothing is converted (the object of a static member).
    pub(crate) sequences: Vec<Option<Sequence>>,
    /// As which candidate.
    pub(crate) candidate: Option<Candidate>,
}

/// A candidate that cannot be called, and why.
#[derive(Clone, Debug)]
pub(crate) struct Rejected {
    /// What.
    pub(crate) callable: Callable,
    /// The reason.
    pub(crate) why: Why,
}

/// Why a candidate cannot be called, as far as it is known when that is found: most reasons are never told.
#[derive(Clone, Debug)]
pub(crate) enum Why {
    /// As text.
    Text(String),
    /// No arguments of the template can be deduced.
    Deduction(DeductionReason),
    /// The argument of this number does not convert to its parameter; of an operator, `from_object` says that the object is the first of them.
    Argument {
        index: usize,
        parameter: QualifiedType,
        from_object: bool,
    },
}

/// What overload resolution found.
#[derive(Clone, Debug)]
pub(crate) enum Resolution {
    /// This one.
    Best(Viable),
    /// None is better than all others: the best ones.
    Ambiguous(Vec<FunctionId>),
    /// None can be called.
    None(Vec<Rejected>),
}

/// From so many candidates on, those that fit without conversions are tried first.
const MANY_CANDIDATES: usize = 8;

/// Whether a candidate that is no template takes all arguments as they are.
fn converts_nothing(viable: &Viable) -> bool {
    let is_identity = |sequence: &Option<Sequence>| matches!(sequence, Some(Sequence { kind: SequenceKind::Standard(standard), .. }) if standard.is_identity());
    viable.template.is_none() && viable.sequences.iter().all(is_identity)
}

impl<'a> Sema<'a> {
    /// Chooses among candidates.
    pub(crate) fn resolve(
        &mut self,
        candidates: &[Candidate],
        call: &Call<'_, 'a>,
        built_in: Vec<Viable>,
    ) -> Resolution {
        if built_in.is_empty()
            && let Some(nearest) = self.nearest(candidates, call)
            && let Resolution::Best(best) = self.resolve_among(&nearest, call, Vec::new())
            && converts_nothing(&best)
        {
            return Resolution::Best(best);
        }
        self.resolve_among(candidates, call, built_in)
    }

    /// Of many candidates for a call with an object of a class as its first argument, those that take that class, and the templates: if one of these functions
    /// takes all arguments without a conversion, no other candidate is as good. An overload set so costs a call no conversions to the classes of all others.
    fn nearest(&self, candidates: &[Candidate], call: &Call<'_, 'a>) -> Option<Vec<Candidate>> {
        let Some(Operand::Expression(first)) = call.operands.first() else {
            return None;
        };
        if candidates.len() < MANY_CANDIDATES || call.object.is_some() || call.arguments.is_some() {
            return None;
        }
        let class = self.type_of(*first).id;
        self.program.types.as_class(class)?;
        let takes_class = |candidate: &&Candidate| match candidate.callable {
            Callable::Function(function) => {
                let ty = self.program.types.as_function(self.program.function(function).ty);
                let parameter = ty.and_then(|ty| ty.parameters.first());
                parameter.is_some_and(|&parameter| self.program.types.strip_reference(parameter).id == class)
            }
            Callable::Template(_) => true,
        };
        Some(candidates.iter().filter(takes_class).copied().collect())
    }

    fn resolve_among(&mut self, candidates: &[Candidate], call: &Call<'_, 'a>, built_in: Vec<Viable>) -> Resolution {
        let mut viable = Vec::new();
        let mut rejected = Vec::new();
        let mut seen: FxHashSet<Callable> = FxHashSet::default();
        for candidate in candidates {
            if !seen.insert(candidate.callable) {
                continue;
            }
            match self.viable(candidate, call) {
                Ok(found) => viable.push(found),
                Err(Some(why)) => rejected.push((candidate.callable, why)),
                Err(None) => {}
            }
        }
        viable.extend(built_in);
        self.drop_mistaken(&mut viable);
        if viable.is_empty() {
            let rejected = rejected.into_iter().map(|(callable, why)| Rejected { callable, why });
            return Resolution::None(rejected.collect());
        }
        // The object of an operator is an argument of functions that are no members.
        let arguments = call.operands.len() + usize::from(call.is_operator && call.object.is_some());
        let mut best = 0;
        for index in 1..viable.len() {
            if self.is_better(&viable[index], &viable[best], arguments) {
                best = index;
            }
        }
        let mut rivals = Vec::new();
        for index in 0..viable.len() {
            if index != best && !self.is_better(&viable[best], &viable[index], arguments) {
                rivals.push(index);
            }
        }
        if rivals.is_empty() {
            return Resolution::Best(viable.swap_remove(best));
        }
        rivals.insert(0, best);
        let function = |index: usize| match viable[index].callee {
            Callee::Function(function) => Some(function),
            Callee::BuiltIn(_) => None,
        };
        Resolution::Ambiguous(rivals.into_iter().filter_map(function).collect())
    }

    /// A function whose declaration has a mistake takes anything: it gives way to functions that do not.
    fn drop_mistaken(&self, viable: &mut Vec<Viable>) {
        let is_mistaken = |found: &Viable| match found.callee {
            Callee::Function(function) => {
                let signature = self.program.types.as_function(self.program.function(function).ty);
                signature.is_some_and(|ty| {
                    ty.parameters
                        .iter()
                        .any(|parameter| parameter.id == crate::hir::Types::ERROR)
                })
            }
            Callee::BuiltIn(_) => false,
        };
        if viable.len() > 1 && !viable.iter().all(is_mistaken) {
            viable.retain(|found| !is_mistaken(found));
        }
    }

    /// The reason why a candidate could not be called with an object and operands: follows `candidate …: `.
    pub(crate) fn reason(&mut self, why: &Why, object: Option<ExpressionId>, operands: &[Operand<'a>]) -> String {
        match *why {
            Why::Text(ref text) => text.clone(),
            Why::Deduction(ref reason) => self.deduction_reason(reason),
            Why::Argument {
                index,
                parameter,
                from_object,
            } => {
                let object = object.filter(|_| from_object).map(Operand::Expression);
                let operand = object.iter().chain(operands).nth(index);
                operand.map_or_else(String::new, |operand| self.argument_reason(operand, parameter, index))
            }
        }
    }

    /// Whether a candidate can be called; the error is the reason, `None` if it is no candidate at all.
    fn viable(&mut self, candidate: &Candidate, call: &Call<'_, 'a>) -> Result<Viable, Option<Why>> {
        let text = |text: &str| Err(Some(Why::Text(text.to_string())));
        let (function, template) = match candidate.callable {
            Callable::Function(function) => {
                if call.arguments.is_some() {
                    return text("it is no template, but template arguments are given");
                }
                if let Err(why) = self.check_function_constraint(function) {
                    return Err(Some(Why::Text(why.reason)));
                }
                (function, None)
            }
            Callable::Template(template) => {
                let operands = self.deduction_operands(template, call);
                match self.deduce_call(template, call.arguments, &operands, call.span) {
                    Ok(function) => (function, Some(template)),
                    Err(failure) => return Err(Some(Why::Deduction(failure.reason))),
                }
            }
        };
        let node = self.program.function(function);
        if call.skip_explicit && node.is_explicit {
            return text("it is explicit");
        }
        let (has_this, ty) = (node.has_this, node.ty);
        let is_constructor = node.name == crate::hir::FunctionName::Constructor;
        let Some(signature) = self.program.types.as_function(ty) else {
            return Err(None);
        };
        let (parameters, variadic) = (signature.parameters.clone(), signature.variadic);
        let mut sequences = Vec::with_capacity(call.operands.len() + 1);
        let mut operands = call.operands;
        let mut first_operand = None;
        if let Some(object) = call.object {
            if has_this && !is_constructor {
                let sequence = match candidate.through_using {
                    Some(class) => self.using_object_sequence(object, function, class),
                    None => self.object_sequence(object, function),
                };
                let Some(sequence) = sequence else {
                    return Err(Some(Why::Text(self.object_reason(object, function))));
                };
                sequences.push(Some(sequence));
            } else if call.is_operator {
                first_operand = Some(Operand::Expression(object));
            } else {
                sequences.push(None);
            }
        } else if has_this && !is_constructor {
            return text("it needs an object");
        }
        let with_first: Vec<Operand<'a>>;
        if let Some(first) = &first_operand {
            with_first = std::iter::once(first.clone()).chain(operands.iter().cloned()).collect();
            operands = &with_first;
        }
        if let Err(reason) = self.check_count(function, parameters.len(), variadic, operands.len()) {
            return Err(Some(Why::Text(reason)));
        }
        if is_constructor && operands.len() == 1 && self.copies_by_value(function, &parameters) {
            return text("it takes its own class by value");
        }
        let copies_directly = is_constructor && operands.len() == 1 && !call.skip_explicit;
        for (index, operand) in operands.iter().enumerate() {
            let Some(&parameter) = parameters.get(index) else {
                sequences.push(Some(Sequence::ellipsis()));
                continue;
            };
            let permit = Permit {
                user: call.user,
                explicit: copies_directly && self.takes_own_class(function, parameter),
            };
            match self.implicit_sequence(operand, parameter, permit) {
                Some(sequence) => sequences.push(Some(sequence)),
                None => {
                    return Err(Some(Why::Argument {
                        index,
                        parameter,
                        from_object: first_operand.is_some(),
                    }));
                }
            }
        }
        Ok(Viable {
            callee: Callee::Function(function),
            template,
            sequences,
            candidate: Some(*candidate),
        })
    }

    /// Whether a constructor's parameter is a reference to its class: in direct-initialisation explicit conversion functions may give what it is bound to
    /// ([over.match.copy]/1.2).
    fn takes_own_class(&self, constructor: FunctionId, parameter: QualifiedType) -> bool {
        let to = self.program.types.strip_reference(parameter);
        self.program.types.is_reference(parameter.id)
            && self.program.types.as_class(to.id) == self.function_class(constructor)
    }

    /// Whether a constructor could be called with an object of its class by value alone, which takes itself to be called ([class.copy.ctor]/5).
    fn copies_by_value(&self, constructor: FunctionId, parameters: &[QualifiedType]) -> bool {
        let own = self.function_class(constructor);
        parameters
            .first()
            .is_some_and(|parameter| own.is_some() && self.program.types.as_class(parameter.id) == own)
    }

    /// Whether so many arguments fit ([over.match.viable]/2).
    fn check_count(
        &mut self,
        function: FunctionId,
        parameters: usize,
        variadic: bool,
        given: usize,
    ) -> Result<(), String> {
        let plural = |count: usize| if count == 1 { "" } else { "s" };
        if given > parameters && !variadic {
            return Err(format!(
                "it takes {parameters} argument{}, but {given} are given",
                plural(parameters)
            ));
        }
        if given < parameters && !self.has_default_argument(function, given) {
            let needed = (given..parameters)
                .find(|&index| self.has_default_argument(function, index))
                .unwrap_or(parameters);
            let least = if needed < parameters { "at least " } else { "" };
            let are = if given == 1 { "is" } else { "are" };
            return Err(format!(
                "it takes {least}{needed} argument{}, but {given} {are} given",
                plural(needed)
            ));
        }
        Ok(())
    }

    /// The operands as template argument deduction sees them. Operators that are no members take the object, too.
    fn deduction_operands(&mut self, template: TemplateId, call: &Call<'_, 'a>) -> Vec<DeductionOperand<'a>> {
        let is_member = self.template(template).class.is_some();
        let object = call.object.filter(|_| call.is_operator && !is_member);
        let mut operands: Vec<_> = object
            .iter()
            .map(|&object| self.deduction_operand(&Operand::Expression(object)))
            .collect();
        operands.extend(call.operands.iter().map(|operand| self.deduction_operand(operand)));
        operands
    }

    /// An operand as template argument deduction sees it.
    pub(crate) fn deduction_operand(&mut self, operand: &Operand<'a>) -> DeductionOperand<'a> {
        match operand {
            Operand::Expression(expression) if self.is_poisoned(*expression) => DeductionOperand::Error,
            Operand::Expression(expression) => {
                DeductionOperand::Typed(self.type_of(*expression), self.category_of(*expression))
            }
            // Where just one function is meant, it is no set any more ([over.over]/1).
            Operand::Overloads(overloads) => match self.overloads_expression(overloads) {
                Some(expression) => DeductionOperand::Typed(self.type_of(expression), self.category_of(expression)),
                None => DeductionOperand::Overloads(overloads.candidates.clone(), overloads.arguments.clone()),
            },
            Operand::List(list) => DeductionOperand::List(
                list.clauses
                    .iter()
                    .map(|clause| self.deduction_operand(&clause.value))
                    .collect(),
            ),
        }
    }

    /// Whether the first of two viable candidates is better ([over.match.best]/1).
    fn is_better(&mut self, a: &Viable, b: &Viable, arguments: usize) -> bool {
        let mut better = false;
        for (x, y) in a.sequences.iter().zip(&b.sequences) {
            let (Some(x), Some(y)) = (x, y) else { continue };
            match compare(self, x, y) {
                Better::First => better = true,
                Better::Second => return false,
                Better::Neither => {}
            }
        }
        if better {
            return true;
        }
        for (x, y) in a.sequences.iter().zip(&b.sequences) {
            if let (Some(x), Some(y)) = (x, y)
                && compare(self, x, y) == Better::Second
            {
                return false;
            }
        }
        match (a.template, b.template) {
            (None, Some(_)) => return true,
            (Some(_), None) => return false,
            (Some(x), Some(y)) => match self.more_specialised(x, y, arguments) {
                std::cmp::Ordering::Less => return true,
                std::cmp::Ordering::Greater => return false,
                std::cmp::Ordering::Equal => {}
            },
            (None, None) => {}
        }
        if let (&Callee::Function(x), &Callee::Function(y)) = (&a.callee, &b.callee) {
            match self.more_constrained(x, y) {
                std::cmp::Ordering::Less => return true,
                std::cmp::Ordering::Greater => return false,
                std::cmp::Ordering::Equal => {}
            }
        }
        match (&a.callee, &b.callee) {
            (Callee::Function(_), Callee::BuiltIn(_)) => true,
            (&Callee::Function(x), &Callee::Function(y)) => self.is_preferred(x, y),
            _ => false,
        }
    }

    /// The last tie-breakers between functions with the same conversions: a class's own constructor is better than an inherited one ([over.match.best]/1.7), and
    /// of two functions that differ in where they run the one that runs here.
    fn is_preferred(&mut self, a: FunctionId, b: FunctionId) -> bool {
        let inherited = |sema: &Self, function: FunctionId| sema.function_info(function).inherits.is_some();
        if inherited(self, a) != inherited(self, b) {
            return inherited(self, b);
        }
        self.runs_here(a) && !self.runs_here(b)
    }

    /// Whether a function may be called from where the current expression is evaluated ([CUDA programming guide] function execution space specifiers).
    pub(crate) fn runs_here(&self, function: FunctionId) -> bool {
        let (space, callee) = (self.function.space, self.program.function(function));
        let on_device = space.device || space.global;
        !on_device || callee.space.device || callee.space.global || callee.is_constexpr
    }

    /// Of two functions that convert alike, whether the first is better: no template, or a more specialised one.
    pub(crate) fn prefers_function(&mut self, a: FunctionId, b: FunctionId) -> bool {
        let template = |sema: &Self, function: FunctionId| sema.function_template_of(function);
        match (template(self, a), template(self, b)) {
            (None, Some(_)) => true,
            (Some(x), Some(y)) => self.more_specialised(x, y, 1) == std::cmp::Ordering::Less,
            _ => self.is_preferred(a, b),
        }
    }

    /// The function template that a function is an instance of.
    pub(crate) fn function_template_of(&self, function: FunctionId) -> Option<TemplateId> {
        self.program.function(function).template_arguments.as_ref()?;
        self.function_info(function)
            .instance
            .as_ref()
            .map(|instance| instance.template)
    }

    /// Chooses among constructors for arguments in parentheses or one argument to convert.
    pub(crate) fn resolve_constructors(
        &mut self,
        candidates: &[Candidate],
        operands: &[Operand<'a>],
        permit: Permit,
        span: Span,
    ) -> Resolution {
        let call = Call {
            object: None,
            operands,
            arguments: None,
            user: permit.user,
            skip_explicit: !permit.explicit,
            is_operator: false,
            span,
        };
        self.resolve(candidates, &call, Vec::new())
    }

    /// Chooses among constructors for a list ([over.match.list]): constructors for `std::initializer_list` with the list as a whole first, then all with its
    /// elements. Explicit ones take part, and are wrong if chosen for copy-initialisation.
    pub(crate) fn resolve_list_constructor(
        &mut self,
        list: &ListOperand<'a>,
        class: ClassId,
        span: Span,
    ) -> Resolution {
        let candidates = self.constructor_candidates(class);
        let operands: Vec<Operand<'a>> = list.clauses.iter().map(|clause| clause.value.clone()).collect();
        let has_default = operands.is_empty() && self.has_default_constructor(&candidates);
        if !has_default {
            let whole = [Operand::List(std::rc::Rc::new(list.clone()))];
            let mut takes_list = candidates.clone();
            takes_list.retain(|candidate| self.takes_initializer_list(candidate));
            if !takes_list.is_empty() {
                match self.resolve_constructors(&takes_list, &whole, Permit::DIRECT, span) {
                    Resolution::None(_) => {}
                    found => return found,
                }
            }
        }
        self.resolve_constructors(&candidates, &operands, Permit::DIRECT, span)
    }

    /// Whether one of the constructors can be called without arguments.
    fn has_default_constructor(&self, candidates: &[Candidate]) -> bool {
        candidates.iter().any(|candidate| match candidate.callable {
            Callable::Function(function) => {
                let parameters = self
                    .program
                    .types
                    .as_function(self.program.function(function).ty)
                    .map_or(0, |ty| ty.parameters.len());
                parameters == 0 || self.has_default_argument(function, 0)
            }
            Callable::Template(_) => false,
        })
    }

    /// Whether a constructor's first parameter is an `std::initializer_list`, maybe by reference, and the others have defaults ([dcl.init.list]/2). Templates may be
    /// such constructors, too.
    fn takes_initializer_list(&mut self, candidate: &Candidate) -> bool {
        let function = match candidate.callable {
            Callable::Function(function) => function,
            Callable::Template(template) => return self.template_takes_initializer_list(template),
        };
        let Some(signature) = self.program.types.as_function(self.program.function(function).ty) else {
            return false;
        };
        let Some(first) = signature.parameters.first() else {
            return false;
        };
        let first = self.program.types.strip_reference(*first);
        let rest = signature.parameters.len() == 1 || self.has_default_argument(function, 1);
        rest && self.initializer_list_element(first.id).is_some()
    }

    fn template_takes_initializer_list(&mut self, template: TemplateId) -> bool {
        let signature = self.signature_of(template);
        let rest = signature.defaults.iter().skip(1).all(|&has_default| has_default);
        let mut first = signature.parameters.first();
        while let Some(
            TypePattern::LValueReference(to) | TypePattern::RValueReference(to) | TypePattern::Qualified(_, to),
        ) = first
        {
            first = Some(to);
        }
        let takes_list = match first {
            Some(TypePattern::Specialisation { scope, name, .. }) => {
                &**name == "initializer_list" && self.is_in_std(*scope)
            }
            Some(TypePattern::Type(ty)) => self.initializer_list_element(ty.id).is_some(),
            _ => false,
        };
        takes_list && rest
    }

    /// The class that a function is a member of.
    pub(crate) fn function_class(&self, function: FunctionId) -> Option<ClassId> {
        match self.program.function(function).scope {
            crate::hir::Scope::Class(class) => Some(class),
            crate::hir::Scope::Namespace(_) | crate::hir::Scope::Function(_) => None,
        }
    }

    /// The declared result of a function, with a placeholder deduced.
    pub(crate) fn result_type(&mut self, function: FunctionId, span: Span) -> QualifiedType {
        let result = |sema: &Self| {
            sema.program
                .types
                .as_function(sema.program.function(function).ty)
                .map(|ty| ty.result)
        };
        let declared = result(self).unwrap_or(crate::hir::Types::ERROR.into());
        if !self.contains_placeholder(declared) {
            return declared;
        }
        let deduced = self.deduce_result(function);
        let failed = matches!(self.function_info(function).definition, crate::sema::Definition::Failed);
        if !deduced && !failed && span != Span::NONE {
            let message = format!(
                "{} is called before its result type is deduced",
                self.describe_function(function)
            );
            self.context.error(span, message);
            return crate::hir::Types::ERROR.into();
        }
        let deduced = result(self).unwrap_or(declared);
        if self.contains_placeholder(deduced) {
            crate::hir::Types::ERROR.into()
        } else {
            deduced
        }
    }
}
