//! Calls as written ([expr.call]): what the callee's syntax means.

use crate::hir::{Callee as HirCallee, ExpressionId, ExpressionKind, FunctionType, QualifiedType, Type, Types};
use crate::sema::Sema;
use crate::sema::builtins;
use crate::sema::entity::{Candidate, Found};
use crate::sema::overload::{Call, Callee, Resolution};
use crate::source::Span;
use crate::syntax::ast;

use super::{Operand, Overloads};

impl<'a> Sema<'a> {
    /// `callee(arguments)`.
    pub(super) fn call(
        &mut self,
        callee: ast::Id<ast::Expression>,
        arguments: &'a [ast::Id<ast::Expression>],
        span: Span,
    ) -> ExpressionId {
        let ast = self.ast;
        match ast[callee].kind {
            ast::ExpressionKind::Name(name) => return self.call_name(name, arguments, span),
            ast::ExpressionKind::Member { object, is_arrow, name } if self.names_destructor(name) => {
                return self.destructor_call(object, is_arrow, name, span);
            }
            ast::ExpressionKind::Parenthesized(inner) => {
                if let (Some(ty), &[argument]) = (self.named_type(inner), arguments) {
                    let operand = self.operand(argument);
                    return self.cast_operand(ast::CastKind::CStyle, &operand, ty, span);
                }
                if let ast::ExpressionKind::Binary {
                    operator: operator @ (ast::BinaryOperator::DotStar | ast::BinaryOperator::ArrowStar),
                    left,
                    right,
                    ..
                } = ast[inner].kind
                {
                    return self.call_member_pointer(operator, left, right, arguments, span);
                }
            }
            _ => {}
        }
        let callee = self.operand(callee);
        self.call_operand(&callee, arguments, span)
    }

    fn names_destructor(&self, name: ast::Id<ast::QualifiedName>) -> bool {
        matches!(
            self.ast[name].last,
            ast::UnqualifiedName::Destructor { .. } | ast::UnqualifiedName::DestructorDecltype(_)
        )
    }

    /// The type that an expression in parentheses names, where the parser did not know the name: `(X)(a)` is a cast then.
    pub(super) fn named_type(&mut self, id: ast::Id<ast::Expression>) -> Option<QualifiedType> {
        let ast = self.ast;
        match ast[id].kind {
            ast::ExpressionKind::Parenthesized(inner) => self.named_type(inner),
            ast::ExpressionKind::Name(name)
                if !ast[name].is_unqualified() || ast[name].kind == ast::NameKind::Unknown =>
            {
                match self.trying(|sema| sema.lookup(name)).ok()?.found {
                    Found::Type(ty) => Some(ty),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// A call by name: a function, a type, a class template whose arguments are deduced, or a built-in function.
    fn call_name(
        &mut self,
        name: ast::Id<ast::QualifiedName>,
        arguments: &'a [ast::Id<ast::Expression>],
        span: Span,
    ) -> ExpressionId {
        let lookup = self.lookup(name);
        match &lookup.found {
            &Found::Type(ty) => {
                let Some(operands) = self.operands(arguments) else {
                    return self.poison(span);
                };
                self.construct_type(ty, &operands, span)
            }
            &Found::Template(template) if self.is_class_template(template) => {
                let Some(operands) = self.operands(arguments) else {
                    return self.poison(span);
                };
                self.construct_deduced(template, &operands, span)
            }
            Found::Nothing => {
                if let Some(builtin) = self.builtin_named(name) {
                    return self.call_builtin(builtin, arguments, span);
                }
                if let Some(function) = self.library_function(name) {
                    return self.call_operand(&function, arguments, span);
                }
                let is_plain = self.ast[name].is_unqualified();
                let Some(operands) = self.operands(arguments) else {
                    return self.poison(span);
                };
                let symbol = self.symbol_of(name);
                let text = self.context.text(symbol).to_string();
                if is_plain
                    && builtins::is_reserved(&text)
                    && let Some(call) = self.host_builtin(&text, &operands, span)
                {
                    return call;
                }
                let found = if is_plain {
                    self.argument_dependent(symbol, &operands)
                } else {
                    Vec::new()
                };
                if found.is_empty() {
                    if operands.iter().any(|operand| self.operand_is_poisoned(operand))
                        && self.similar_name(symbol).is_none()
                    {
                        return self.poison(span);
                    }
                    return self.undeclared(name);
                }
                let what = format!("`{}`", self.context.text(symbol));
                self.call_candidates(&found, lookup.arguments.as_ref(), None, &operands, false, &what, span)
            }
            _ => {
                let callee = self.found_operand(name, lookup);
                self.call_operand(&callee, arguments, span)
            }
        }
    }

    /// `__builtin_printf` and its like, which have no row of their own: the C library's function where it is declared.
    fn library_function(&mut self, name: ast::Id<ast::QualifiedName>) -> Option<Operand<'a>> {
        let written = self.written(name);
        let plain = written
            .strip_prefix("__builtin_")
            .filter(|_| self.ast[name].is_unqualified())?;
        let symbol = self.context.interner.intern(plain);
        let mut lookup = self.lookup_qualified(crate::sema::ScopeId::GLOBAL, symbol);
        if matches!(lookup.found, Found::Nothing) {
            lookup = self.lookup_unqualified(symbol);
        }
        let Found::Functions(candidates) = &lookup.found else {
            return None;
        };
        let candidates = candidates.clone();
        Some(self.functions_operand(symbol, candidates, &lookup, self.ast[name].span))
    }

    fn builtin_named(&mut self, name: ast::Id<ast::QualifiedName>) -> Option<crate::hir::BuiltinId> {
        let ast = self.ast;
        let node = &ast[name];
        let plain = node.qualifiers.is_empty() && matches!(node.last, ast::UnqualifiedName::Identifier(_));
        let text = self.written(name);
        builtins::find(&text).filter(|_| plain)
    }

    /// The functions that argument-dependent look-up finds for operands.
    fn argument_dependent(&mut self, name: crate::source::Symbol, operands: &[Operand<'a>]) -> Vec<Candidate> {
        let types: Vec<QualifiedType> = operands
            .iter()
            .filter_map(|operand| match operand {
                &Operand::Expression(expression) => Some(self.type_of(expression)),
                Operand::Overloads(overloads) => match overloads.candidates.first()?.callable {
                    crate::sema::Callable::Function(function) => Some(self.program.function(function).ty.into()),
                    crate::sema::Callable::Template(_) => None,
                },
                Operand::List(_) => None,
            })
            .collect();
        self.lookup_argument_dependent(name, &types)
    }

    /// A call of what an operand is.
    fn call_operand(
        &mut self,
        callee: &Operand<'a>,
        arguments: &'a [ast::Id<ast::Expression>],
        span: Span,
    ) -> ExpressionId {
        let Some(operands) = self.operands(arguments) else {
            return self.poison(span);
        };
        match callee {
            Operand::Overloads(overloads) => self.call_overloads(overloads, &operands, span),
            &Operand::Expression(expression) => self.call_expression(expression, &operands, span),
            Operand::List(list) => self.fail(list.span, "an initializer list cannot be called"),
        }
    }

    /// A call of a function by an overloaded name.
    fn call_overloads(&mut self, overloads: &Overloads<'a>, operands: &[Operand<'a>], span: Span) -> ExpressionId {
        let mut candidates = overloads.candidates.clone();
        if overloads.adl {
            candidates.extend(self.argument_dependent(overloads.name, operands));
        }
        let what = format!("`{}`", self.context.text(overloads.name));
        self.call_candidates(
            &candidates,
            overloads.arguments.as_ref(),
            overloads.object,
            operands,
            overloads.qualified,
            &what,
            span,
        )
    }

    /// A call of an expression: of a function, of a pointer to one, of an object.
    pub(crate) fn call_expression(
        &mut self,
        callee: ExpressionId,
        operands: &[Operand<'a>],
        span: Span,
    ) -> ExpressionId {
        let ty = self.type_of(callee);
        match *self.program.types.get(ty.id) {
            Type::Error => self.poison(span),
            Type::Class(_) => {
                let object = self.materialised(callee);
                self.call_object(object, operands, span)
            }
            Type::Function(_) => match self.program.expression(callee).kind {
                ExpressionKind::Function(function) => {
                    let candidates = [Candidate::new(crate::sema::Callable::Function(function))];
                    let what = self.describe_function(function);
                    self.call_candidates(&candidates, None, None, operands, true, &what, span)
                }
                _ => {
                    let pointer = self.decay(callee);
                    self.call_pointer(pointer, ty.id, operands, span)
                }
            },
            _ => {
                let pointer = self.decay(callee);
                let pointee = self
                    .program
                    .types
                    .pointee(ty.id)
                    .filter(|to| self.program.types.as_function(to.id).is_some());
                match pointee {
                    Some(function) => self.call_pointer(pointer, function.id, operands, span),
                    None => {
                        let message = format!("{} cannot be called: it is no function", self.quote(ty));
                        self.fail(self.span_of(callee), message)
                    }
                }
            }
        }
    }

    /// A call through a pointer to a function of a type.
    fn call_pointer(
        &mut self,
        pointer: ExpressionId,
        function: crate::hir::TypeId,
        operands: &[Operand<'a>],
        span: Span,
    ) -> ExpressionId {
        let Some(signature) = self.program.types.as_function(function).cloned() else {
            return self.poison(span);
        };
        if !self.count_fits(&signature, operands.len(), span) {
            return self.poison(span);
        }
        let arguments = self.convert_arguments(&signature.parameters, operands, &[]);
        self.finish_call(HirCallee::Indirect(pointer), arguments, signature.result, span)
    }

    /// Whether a call without a known function gives the right number of arguments; says so if not.
    fn count_fits(&mut self, signature: &FunctionType, given: usize, span: Span) -> bool {
        let wanted = signature.parameters.len();
        if given == wanted || (signature.variadic && given > wanted) {
            return true;
        }
        let plural = if wanted == 1 { "" } else { "s" };
        let are = if given == 1 { "is" } else { "are" };
        self.context.error(
            span,
            format!("this function takes {wanted} argument{plural}, but {given} {are} given"),
        );
        false
    }

    /// The call expression itself: category and type by the result ([expr.call]/14).
    pub(crate) fn finish_call(
        &mut self,
        callee: HirCallee,
        arguments: Vec<ExpressionId>,
        result: QualifiedType,
        span: Span,
    ) -> ExpressionId {
        if arguments.iter().any(|&argument| self.is_poisoned(argument)) || result.id == Types::ERROR {
            return self.poison(span);
        }
        let (ty, category) = self.category_for(result);
        if self.program.types.as_class(ty.id).is_some()
            && !category.is_glvalue()
            && !self.expressions.is_decltype_operand
            && !self.require_complete(ty.id, span, "result of")
        {
            return self.poison(span);
        }
        self.program
            .add(ExpressionKind::Call { callee, arguments }, ty, category, span)
    }

    /// A call of an object ([over.call.object]): `operator()`, or what it converts to.
    pub(crate) fn call_object(&mut self, object: ExpressionId, operands: &[Operand<'a>], span: Span) -> ExpressionId {
        let ty = self.type_of(object);
        let Some(class) = self.program.types.as_class(ty.id) else {
            return self.poison(span);
        };
        if !self.require_complete(ty.id, span, "call of") {
            return self.poison(span);
        }
        let name = self.operator_symbol(ast::OperatorName::Call);
        let lookup = self.lookup_member(class, name);
        let candidates = match lookup.found {
            Found::Functions(candidates) => candidates,
            Found::Error => return self.poison(span),
            _ => Vec::new(),
        };
        let call = Call {
            object: Some(object),
            operands,
            arguments: None,
            user: true,
            skip_explicit: false,
            is_operator: false,
            span,
        };
        let what = format!("an object of type {}", self.quote(ty));
        match self.resolve(&candidates, &call, Vec::new()) {
            Resolution::None(rejected) => match self.surrogate(object, operands) {
                Some((pointer, function)) => self.call_pointer(pointer, function, operands, span),
                None if candidates.is_empty() => {
                    let message = format!("{} cannot be called: it has no `operator()`", self.quote(ty));
                    self.fail(self.span_of(object), message)
                }
                None => {
                    self.report_no_match(span, &what, operands, &rejected);
                    self.poison(span)
                }
            },
            resolution => self.finish_resolution(resolution, Some(object), operands, false, &what, span),
        }
    }

    /// The pointer to a function that an object converts to, where exactly one conversion gives one that takes the operands ([over.call.object]/2).
    fn surrogate(
        &mut self,
        object: ExpressionId,
        operands: &[Operand<'a>],
    ) -> Option<(ExpressionId, crate::hir::TypeId)> {
        let class = self.program.types.as_class(self.type_of(object).id)?;
        let mut found = None;
        for candidate in self.conversion_functions(class) {
            let crate::sema::Callable::Function(function) = candidate.callable else {
                continue;
            };
            if self.program.function(function).is_explicit {
                continue;
            }
            let result = self.result_type(function, Span::NONE);
            let result = self.program.types.strip_reference(result);
            let target = self.program.types.pointee(result.id).map_or(result.id, |to| to.id);
            let Some(signature) = self.program.types.as_function(target) else {
                continue;
            };
            if signature.parameters.len() == operands.len()
                || (signature.variadic && operands.len() > signature.parameters.len())
            {
                if found.is_some() {
                    return None;
                }
                found = Some((function, target));
            }
        }
        let (function, target) = found?;
        self.object_sequence(object, function)?;
        let span = self.span_of(object);
        let object = self.object_for(object, function);
        let pointer = self.call_function(function, Some(object), &[], &[], false, span);
        Some((self.decay(pointer), target))
    }

    /// `(object.*pointer)(arguments)`.
    fn call_member_pointer(
        &mut self,
        operator: ast::BinaryOperator,
        object: ast::Id<ast::Expression>,
        pointer: ast::Id<ast::Expression>,
        arguments: &'a [ast::Id<ast::Expression>],
        span: Span,
    ) -> ExpressionId {
        let object = self.expression(object);
        let pointer = self.expression(pointer);
        let Some(operands) = self.operands(arguments) else {
            return self.poison(span);
        };
        let pointer = self.decay(pointer);
        let function = match *self.program.types.get(self.type_of(pointer).id) {
            Type::MemberPointer { class, pointee } => self
                .program
                .types
                .as_function(pointee.id)
                .cloned()
                .map(|signature| (class, signature)),
            _ => None,
        };
        let Some((class, signature)) = function else {
            let access = self.member_pointer_access(operator, object, pointer, span);
            return self.call_expression(access, &operands, span);
        };
        let Some(object) = self.member_pointer_object(operator, object, class, span) else {
            return self.poison(span);
        };
        if !self.count_fits(&signature, operands.len(), span) {
            return self.poison(span);
        }
        let this = self.address_of(object, span);
        let mut all = vec![this];
        all.extend(self.convert_arguments(&signature.parameters, &operands, &[]));
        self.finish_call(HirCallee::Member(pointer), all, signature.result, span)
    }

    /// `object.~T()`, of classes and of other types ([class.dtor]/16, [expr.prim.id.dtor]).
    fn destructor_call(
        &mut self,
        object: ast::Id<ast::Expression>,
        is_arrow: bool,
        name: ast::Id<ast::QualifiedName>,
        span: Span,
    ) -> ExpressionId {
        let object = self.expression(object);
        if self.is_poisoned(object) {
            return object;
        }
        let is_class_object = self.program.types.as_class(self.type_of(object).id).is_some();
        let object = if is_arrow && !is_class_object {
            let pointer = self.decay(object);
            self.dereference(pointer, span)
        } else {
            self.object_of_member(object, is_arrow, span)
        };
        let ty = self.type_of(object);
        if self.is_poisoned(object) {
            return self.fail(span, "a destructor needs an object");
        }
        let mut destructor = None;
        let mut is_virtual = false;
        if let Some(class) = self.program.types.as_class(ty.id) {
            destructor = self.destructor_of(ty, span);
            let qualified = !self.ast[name].is_unqualified();
            is_virtual = destructor.is_some_and(|function| self.program.function(function).is_virtual) && !qualified;
            let _ = class;
        }
        self.value(
            ExpressionKind::Destroy {
                object,
                destructor,
                is_virtual,
            },
            Types::VOID,
            span,
        )
    }

    /// Candidates by name, resolved and called.
    #[allow(clippy::too_many_arguments)] // the parts of a call
    pub(crate) fn call_candidates(
        &mut self,
        candidates: &[Candidate],
        arguments: Option<&crate::sema::GivenArguments<'a>>,
        object: Option<ExpressionId>,
        operands: &[Operand<'a>],
        qualified: bool,
        what: &str,
        span: Span,
    ) -> ExpressionId {
        if operands.iter().any(|operand| self.operand_is_poisoned(operand))
            || object.is_some_and(|object| self.is_poisoned(object))
        {
            return self.poison_with_result(candidates, span);
        }
        let call = Call {
            object,
            operands,
            arguments,
            user: true,
            skip_explicit: false,
            is_operator: false,
            span,
        };
        let resolution = self.resolve(candidates, &call, Vec::new());
        self.finish_resolution(resolution, object, operands, qualified, what, span)
    }

    /// The error expression for a call with operands in error.
    fn poison_with_result(&mut self, candidates: &[Candidate], span: Span) -> ExpressionId {
        let _ = candidates;
        self.poison(span)
    }

    /// Calls what was resolved, or says why nothing was.
    pub(crate) fn finish_resolution(
        &mut self,
        resolution: Resolution,
        object: Option<ExpressionId>,
        operands: &[Operand<'a>],
        qualified: bool,
        what: &str,
        span: Span,
    ) -> ExpressionId {
        match resolution {
            Resolution::Best(best) => {
                let Callee::Function(function) = best.callee else {
                    return self.poison(span);
                };
                if let Some(candidate) = &best.candidate {
                    self.check_candidate_access(candidate, span);
                }
                let skip = usize::from(object.is_some());
                let sequences = best.sequences.get(skip..).unwrap_or(&[]).to_vec();
                let object = match object {
                    Some(object) if self.program.function(function).has_this => {
                        Some(self.object_for_named(object, function))
                    }
                    _ => None,
                };
                self.call_function(function, object, operands, &sequences, qualified, span)
            }
            Resolution::Ambiguous(functions) => {
                self.report_ambiguous(span, &format!("the call of {what}"), &functions);
                self.poison(span)
            }
            Resolution::None(rejected) => {
                self.report_no_match(span, what, operands, &rejected);
                self.poison(span)
            }
        }
    }
}
