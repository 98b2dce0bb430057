//! Function bodies: when they are elaborated, and how.

use crate::hir::{self, FunctionBody, FunctionId, MemberInitialiser, QualifiedType, StatementKind, Type, Types};
use crate::sema::Sema;
use crate::sema::context::{FunctionContext, ResultType};
use crate::sema::entity::Definition;
use crate::sema::scope::ScopeKind;
use crate::source::{Instantiated, Report, Span};
use crate::syntax::ast;

impl<'a> Sema<'a> {
    /// A function is odr-used: its body will be elaborated, implicit ones made; deleted ones are reported. True if it may be used.
    pub fn use_function(&mut self, function: FunctionId, span: Span) -> bool {
        let info = self.program.function(function);
        if info.is_deleted {
            let declared = info.span;
            let message = format!("`{}` is deleted", self.show_function(function));
            let mut report = Report::error(span, message).note_at(declared, "declared here");
            if let Some(reason) = self.why_deleted(function) {
                report = report.note(reason);
            }
            self.emit(report);
            return false;
        }
        if self.function.evaluation.unevaluated {
            return true;
        }
        let allowed = self.check_space(function, span);
        if self.functions[function.index()].deprecated {
            let declared = self.program.function(function).span;
            let message = format!("`{}` is deprecated", self.show_function(function));
            let report = Report::warning(span, message).note_at(declared, "declared here");
            self.warn(crate::source::Warning::Deprecated, report);
        }
        if self.program.function(function).space.global {
            self.note_kernel();
            if self.functions[function.index()].instance.is_some() {
                self.keep_function(function);
            }
        }
        // What a lambda captures is settled while the function around it is elaborated.
        if matches!(self.functions[function.index()].definition, Definition::Lambda { .. }) {
            self.define_function(function);
        }
        self.queue_function(function);
        allowed
    }
    /// Puts a function's body in the queue.
    pub(crate) fn queue_function(&mut self, function: FunctionId) {
        if self.functions[function.index()].queued {
            return;
        }
        // Bodies wait in a queue, so that nesting shows here and not on the stack.
        let depth = self.body_depth + 1;
        if depth > crate::sema::DEPTH_LIMIT && self.functions[function.index()].instance.is_some() {
            let span = self.program.function(function).span;
            self.in_deep_instantiation(span);
            return;
        }
        self.functions[function.index()].depth = depth;
        self.functions[function.index()].queued = true;
        self.queue.push_back(function);
        self.queue_virtual_functions(function);
    }
    /// A constructor uses the virtual functions of its class: they are in the table that it sets ([basic.def.odr]/8).
    fn queue_virtual_functions(&mut self, constructor: FunctionId) {
        if !self.queues_virtual_functions(constructor) {
            return;
        }
        let Some(class) = self.functions[constructor.index()].class else {
            return;
        };
        if !self.classes[class.index()].polymorphic {
            return;
        }
        for method in self.program.class(class).methods.clone() {
            let node = self.program.function(method);
            if node.is_virtual && !node.is_pure && !node.is_deleted {
                self.queue_function(method);
            }
        }
    }
    /// Elaborates what is in the queue, and what that puts there.
    pub(crate) fn work_off_queue(&mut self) {
        while let Some(function) = self.queue.pop_front() {
            if self.context.diagnostics.is_full() {
                return;
            }
            if self.waits_for_host(function) {
                continue;
            }
            self.define_function(function);
        }
    }
    /// Elaborates a function's body at once, for constant evaluation. Whether it has one now.
    pub fn define_now(&mut self, function: FunctionId) -> bool {
        self.define_function(function);
        self.program.function(function).body.is_some()
    }
    /// Elaborates the body of a function, if there is one and it has not been yet.
    pub(crate) fn define_function(&mut self, function: FunctionId) {
        self.find_outside_definition(function);
        match self.functions[function.index()].definition {
            Definition::None | Definition::InProgress | Definition::Done | Definition::Failed => {}
            Definition::Lambda { index, scope } => {
                self.functions[function.index()].definition = Definition::InProgress;
                self.generic_operator_body(index, function, scope);
            }
            Definition::Implicit => {
                self.functions[function.index()].definition = Definition::InProgress;
                self.in_instantiation(Span::NONE, None, |sema| match sema.holds_mistakes(function) {
                    true => sema.synthesise_for_host(function),
                    false => sema.beyond_traps(|sema| sema.synthesise(function)),
                });
                self.functions[function.index()].definition = Definition::Done;
            }
            Definition::Syntax { definition, scope } => {
                self.functions[function.index()].definition = Definition::InProgress;
                let depth = self.functions[function.index()].depth.max(self.body_depth);
                let saved_depth = std::mem::replace(&mut self.body_depth, depth);
                let note = self.instantiation_note(function);
                let span = self.program.function(function).span;
                let entered = self.in_instantiation(span, note, |sema| {
                    if sema.holds_mistakes(function) {
                        return sema.elaborate_host_body(function, definition, scope);
                    }
                    let before = sema.context.diagnostics.error_count();
                    sema.beyond_traps(|sema| sema.elaborate_body(function, definition, scope));
                    sema.context.diagnostics.error_count() == before
                });
                self.body_depth = saved_depth;
                self.functions[function.index()].definition = match entered {
                    Some(true) => Definition::Done,
                    Some(false) | None => Definition::Failed,
                };
            }
        }
    }
    fn instantiation_note(&self, function: FunctionId) -> Option<Instantiated> {
        let info = &self.functions[function.index()];
        let instance = info.instance.is_some()
            || info
                .class
                .is_some_and(|class| self.classes[class.index()].instance.is_some());
        instance.then_some(Instantiated::Function(function.index() as u32))
    }
    /// Whether the code being elaborated was made from a template.
    pub(crate) fn in_template_instance(&self) -> bool {
        self.scopes
            .outwards(self.scope)
            .any(|scope| matches!(self.scopes.kind(scope), ScopeKind::Template(_)))
    }
    /// Elaborates a body in a context of its own.
    pub(in crate::sema) fn elaborate_body(
        &mut self,
        function: FunctionId,
        id: ast::Id<ast::FunctionDefinition>,
        around: crate::sema::ScopeId,
    ) {
        let ast = self.ast;
        let definition = &ast[id];
        let Some(scope) = self.body_scope(function, definition, around) else {
            return;
        };
        let mut context = self.context_for(function);
        context.definition = Some(id);
        let saved_function = std::mem::replace(&mut self.function, context);
        let saved_scope = std::mem::replace(&mut self.scope, scope);
        let saved_access = self.access;
        self.scopes.get_mut(scope).limit = Some(self.functions[function.index()].body_order);
        self.check_parameters(function);
        let initialisers: Vec<MemberInitialiser> = match self.program.function(function).name {
            hir::FunctionName::Constructor => self.constructor_initialisers(function, &definition.initializers),
            _ => {
                if let Some(first) = definition.initializers.first() {
                    self.error(first.span, "only constructors have member initialisers");
                }
                Vec::new()
            }
        };
        let statement = match &definition.body {
            ast::FunctionBody::Compound(body) => self.body_block(*body),
            ast::FunctionBody::Try { body, handlers } => {
                self.check_exceptions(definition.span);
                let body = self.body_block(*body);
                self.handlers(handlers);
                body
            }
            ast::FunctionBody::Default | ast::FunctionBody::Delete | ast::FunctionBody::Skipped => {
                self.add_statement(StatementKind::Block(Vec::new()), definition.span)
            }
        };
        if self.program.function(function).name == hir::FunctionName::Destructor
            && let Some(class) = self.functions[function.index()].class
        {
            self.use_part_destructors(class, definition.span);
        }
        self.check_body(function, statement);
        self.check_labels();
        self.finish_result(function, definition.span);
        self.scope = saved_scope;
        self.function = saved_function;
        self.access = saved_access;
        self.program.function_mut(function).body = Some(FunctionBody {
            initialisers,
            statement,
        });
    }
    fn body_block(&mut self, body: ast::Id<ast::Statement>) -> hir::StatementId {
        let block = self.scopes.add(ScopeKind::Block, Some(self.scope));
        self.function.body_block = Some(block);
        self.in_scope(block, |sema| sema.compound_body(body))
    }
    /// The scope of the parameters: from the declarator read before, or read again now.
    fn body_scope(
        &mut self,
        function: FunctionId,
        definition: &'a ast::FunctionDefinition,
        around: crate::sema::ScopeId,
    ) -> Option<crate::sema::ScopeId> {
        if let Some(scope) = self.functions[function.index()].body_scope {
            return Some(scope);
        }
        let saved_scope = std::mem::replace(&mut self.scope, around);
        let saved_function = std::mem::take(&mut self.function);
        let class = self.functions[function.index()].class;
        let has_this = self.program.function(function).has_this;
        let saved_class = std::mem::replace(&mut self.declarator_class, class.filter(|_| has_this));
        let base = match self.program.function(function).name {
            hir::FunctionName::Identifier(_) | hir::FunctionName::Operator(_) | hir::FunctionName::Literal(_) => {
                self.specifiers_type(definition.specifiers, false)
            }
            hir::FunctionName::Conversion(to) => to,
            hir::FunctionName::Constructor | hir::FunctionName::Destructor => Types::VOID.unqualified(),
        };
        let declared = self.declarator_type(base, definition.declarator);
        self.declarator_class = saved_class;
        self.scope = saved_scope;
        self.function = saved_function;
        let parts = declared.function?;
        self.scopes.get_mut(parts.scope).kind = ScopeKind::Function(Some(function));
        for parameter in &parts.parameters {
            self.program.variable_mut(parameter.variable).scope = hir::Scope::Function(function);
            self.variables[parameter.variable.index()].function = Some(function);
        }
        self.program.function_mut(function).parameters =
            parts.parameters.iter().map(|parameter| parameter.variable).collect();
        self.functions[function.index()].body_scope = Some(parts.scope);
        Some(parts.scope)
    }
    /// The context in which a function's body, or what belongs to it, is elaborated.
    pub(crate) fn context_for(&mut self, function: FunctionId) -> FunctionContext {
        let node = self.program.function(function);
        let (space, is_constexpr, has_this) = (node.space, node.is_constexpr, node.has_this);
        let ty = self.program.types.as_function(node.ty).cloned();
        let mut context = FunctionContext::new();
        context.function = Some(function);
        context.space = space;
        context.is_constexpr = is_constexpr;
        if let Some(ty) = ty {
            context.result = match self.contains_placeholder(ty.result) {
                true => ResultType::Deduced {
                    pattern: ty.result,
                    found: None,
                },
                false => ResultType::Known(ty.result),
            };
            if let Some(class) = self.functions[function.index()].class.filter(|_| has_this) {
                context.this = Some(self.class_type(class).unqualified().with(ty.qualifiers));
            }
        }
        context
    }
    /// Parameters of a definition are complete objects. Who calls destroys them: for a kernel that is the host, so that
    /// `__global__ void k(Table t)` never runs `~Table()` on the device ([CUDA C++ programming guide], `__global__` function argument
    /// processing).
    pub(crate) fn check_parameters(&mut self, function: FunctionId) {
        for parameter in self.program.function(function).parameters.clone() {
            let variable = self.program.variable(parameter);
            let (ty, span) = (variable.ty, variable.span);
            self.require_complete(ty.id, span, "parameter of");
        }
        let result = self
            .program
            .types
            .as_function(self.program.function(function).ty)
            .map(|ty| ty.result);
        if let Some(result) = result
            && !matches!(self.program.types.get(result.id), Type::Void)
        {
            let span = self.program.function(function).span;
            self.require_complete(result.id, span, "function returning");
        }
    }
    /// A result that no `return` said anything about is `void`.
    pub(crate) fn finish_result(&mut self, function: FunctionId, span: Span) {
        if let ResultType::Deduced { pattern, found: None } = self.function.result {
            let ty = match pattern.id == Types::AUTO || pattern.id == Types::DECLTYPE_AUTO {
                true => Types::VOID.unqualified(),
                false => {
                    let message = format!(
                        "`{}` cannot be deduced: there is no `return` with a value",
                        self.show(pattern)
                    );
                    self.error(span, message);
                    Types::ERROR.unqualified()
                }
            };
            self.set_result(function, ty);
        }
    }
    /// Sets the deduced result of a function.
    pub(crate) fn set_result(&mut self, function: FunctionId, result: QualifiedType) {
        let Some(mut ty) = self
            .program
            .types
            .as_function(self.program.function(function).ty)
            .cloned()
        else {
            return;
        };
        if self.functions[function.index()].declared_result.is_none() {
            self.functions[function.index()].declared_result = Some(ty.result);
        }
        ty.result = result;
        let ty = self.program.types.function(ty);
        self.program.function_mut(function).ty = ty;
    }
    /// Deduces a function's placeholder result by elaborating its body, if it is not known yet. Whether it is known now; no message if not.
    pub fn deduce_result(&mut self, function: FunctionId) -> bool {
        let known = |sema: &Self| {
            let ty = sema.program.types.as_function(sema.program.function(function).ty);
            ty.is_none_or(|ty| !sema.contains_placeholder(ty.result))
        };
        if !known(self) {
            self.define_function(function);
            self.queue_function(function);
        }
        known(self)
    }
}
