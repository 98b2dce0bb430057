//! Explicit specialisation and instantiation ([temp.explicit], [temp.expl.spec]).

use std::rc::Rc;

use super::{GivenArguments, TemplateId, TemplateKind};
use crate::hir::{self, FunctionId, TemplateArgument};
use crate::sema::declaration::{FunctionNameParts, VariableDeclaration};
use crate::sema::entity::{Callable, Definition, Instance};
use crate::sema::lookup::{Qualification, Wanted};
use crate::sema::scope::ScopeKind;
use crate::sema::{ClassState, Entity, Found, ScopeId, Sema};
use crate::source::{Report, Span, Symbol};
use crate::syntax::ast::{self, DeclarationKind, UnqualifiedName};

impl<'a> Sema<'a> {
    /// `template <> declaration`.
    pub(crate) fn explicit_specialisation(&mut self, declaration: ast::Id<ast::Declaration>) {
        let ast = self.ast;
        let span = ast[declaration].span;
        match &ast[declaration].kind {
            DeclarationKind::ExplicitSpecialization { declaration } => self.explicit_specialisation(*declaration),
            DeclarationKind::Simple {
                specifiers,
                declarators,
            } => match declarators.as_ref() {
                [] => self.specialise_class(*specifiers, declaration),
                [declarator] => {
                    let base = self.specifiers_type(*specifiers, false);
                    if self.declares_function(base, &ast[declarator.declarator]) {
                        self.specialise_function(*specifiers, declarator.declarator, None);
                    } else {
                        self.specialise_variable(*specifiers, base, declarator);
                    }
                }
                _ => self.error(span, "a specialisation declares one thing"),
            },
            DeclarationKind::Function(definition) => {
                let node = &ast[*definition];
                self.specialise_function(node.specifiers, node.declarator, Some(*definition));
            }
            DeclarationKind::Template { .. } => {
                // A member template of one instance of a class template, for all its own arguments.
                self.specialised_member_template(declaration);
            }
            DeclarationKind::Error => {}
            _ => self.error(span, "this cannot be a specialisation"),
        }
    }
    /// The scope in which a qualified name is looked up.
    fn target_scope(&mut self, name: &'a ast::QualifiedName) -> Option<Option<ScopeId>> {
        match self.resolve_declared(name)? {
            Qualification::None => Some(None),
            Qualification::Scope(scope) => Some(Some(scope)),
            Qualification::Dependent => None,
        }
    }
    fn template_of_name(&mut self, scope: Option<ScopeId>, symbol: Symbol, wanted: TemplateKind) -> Option<TemplateId> {
        let hits = match scope {
            Some(scope) => self.search_qualified(scope, symbol, Wanted::Anything),
            None => self.search_outwards(symbol, Wanted::Anything),
        };
        hits.list.iter().find_map(|declared| match declared.entity {
            Entity::Template(template) if self.template(template).kind == wanted => Some(template),
            Entity::Class(class) if wanted == TemplateKind::Class => self.classes[class.index()]
                .instance
                .as_ref()
                .map(|instance| instance.template),
            _ => None,
        })
    }
    fn specialise_class(&mut self, specifiers: ast::Id<ast::Specifiers>, declaration: ast::Id<ast::Declaration>) {
        let ast = self.ast;
        let Some(name) = self.declared_name(declaration) else {
            self.error(ast[specifiers].span, "a specialisation needs a name");
            return;
        };
        let node = &ast[name];
        let Some(scope) = self.target_scope(node) else { return };
        let UnqualifiedName::Template {
            name: symbol,
            arguments,
        } = &node.last
        else {
            // A member class of a specialisation: `template <> struct A<int>::B { … }`.
            if let Some(scope) = scope
                && let Some((symbol, _)) = self.name_parts(&node.last)
                && let Some(class) = self.defined_class(declaration)
            {
                self.specialise_member_class(scope, symbol, class, node.last_span);
                return;
            }
            self.error(node.span, "a specialisation names its template arguments");
            return;
        };
        let Some(template) = self.template_of_name(scope, *symbol, TemplateKind::Class) else {
            let message = format!("`{}` is no class template", self.text(*symbol));
            self.error(node.last_span, message);
            return;
        };
        let given = self.given_arguments(arguments, node.span);
        let Some(arguments) = self.match_arguments(template, &given) else {
            return;
        };
        let class = self.class_instance(template, arguments.clone());
        let definition = self.defined_class(declaration);
        let info = &self.classes[class.index()];
        if info.state != ClassState::Declared {
            let explicit = info.instance.as_ref().is_some_and(|instance| instance.explicit);
            if definition.is_some() {
                let declared = self.program.class(class).span;
                let text = self.class_name(class);
                let message = match explicit {
                    true => format!("`{text}` is defined already"),
                    false => format!("`{text}` is specialised after it was used"),
                };
                self.emit(Report::error(node.span, message).note_at(declared, "first here"));
            }
            return;
        }
        self.classes[class.index()].instance = Some(Instance {
            template,
            arguments,
            explicit: true,
        });
        self.program.class_mut(class).span = node.last_span;
        if let Some(definition) = definition {
            let class_scope = self.classes[class.index()].scope;
            self.scopes.get_mut(class_scope).parent = Some(self.template(template).scope);
            self.program.class_mut(class).kind = crate::sema::class::class_kind(ast[definition].key);
            self.complete_definition(class, definition);
        }
    }
    fn specialise_member_class(&mut self, scope: ScopeId, symbol: Symbol, definition: ast::Id<ast::Class>, span: Span) {
        let class = self
            .scopes
            .get(scope)
            .get(symbol)
            .iter()
            .find_map(|declared| match declared.entity {
                Entity::Class(class) => Some(class),
                _ => None,
            });
        match class {
            Some(class) if self.classes[class.index()].state == ClassState::Declared => {
                self.complete_definition(class, definition)
            }
            _ => {
                let message = format!("`{}` is no member class that could be specialised", self.text(symbol));
                self.error(span, message);
            }
        }
    }
    fn specialise_function(
        &mut self,
        specifiers: ast::Id<ast::Specifiers>,
        declarator: ast::Id<ast::Declarator>,
        definition: Option<ast::Id<ast::FunctionDefinition>>,
    ) {
        let ast = self.ast;
        let Some(name) = ast[declarator].name else { return };
        let node = &ast[name];
        let Some(scope) = self.target_scope(node) else { return };
        let Some(function) = self.specialised_function(specifiers, declarator, scope) else {
            return;
        };
        let read_in = scope.unwrap_or(self.scope);
        // A template that is deleted may have specialisations that are not, and the other way round.
        let is_deleted = definition.is_some_and(|it| matches!(ast[it].body, ast::FunctionBody::Delete));
        self.program.function_mut(function).is_deleted = is_deleted;
        let Some(definition) = definition else {
            // Declared as specialised: the template is not to be used for it.
            self.mark_specialised(function);
            return;
        };
        if self.functions[function.index()].explicitly_specialised
            && !matches!(self.functions[function.index()].definition, Definition::None)
        {
            let declared = self.program.function(function).span;
            let message = format!("`{}` is defined already", self.show_function(function));
            self.emit(Report::error(node.span, message).note_at(declared, "defined here"));
            return;
        }
        if matches!(
            self.functions[function.index()].definition,
            Definition::Done | Definition::InProgress | Definition::Failed
        ) {
            let message = format!("`{}` is specialised after it was used", self.show_function(function));
            self.error(node.span, message);
            return;
        }
        self.mark_specialised(function);
        self.attach_definition(function, definition, read_in, None);
        self.clock += 1;
        // A full specialisation is an ordinary function.
        let attributes = crate::sema::declaration::attributes_of(&ast[specifiers], &ast[declarator]);
        let space = self.execution_space(attributes.clone());
        let inline = self.inline_hint(&ast[specifiers], attributes);
        let entry = self.program.function_mut(function);
        if space.device || space.global {
            entry.space = space;
        }
        if inline != hir::InlineHint::None {
            entry.inline = inline;
        }
        entry.linkage = match ast[specifiers].is_inline || entry.is_constexpr || entry.linkage == hir::Linkage::Internal
        {
            true => entry.linkage,
            false => hir::Linkage::External,
        };
        entry.span = node.last_span;
        let (global, linkage) = (entry.space.global, entry.linkage);
        if global || linkage == hir::Linkage::External {
            self.keep_function(function);
        }
    }
    fn mark_specialised(&mut self, function: FunctionId) {
        let info = &mut self.functions[function.index()];
        info.explicitly_specialised = true;
        info.definition = Definition::None;
        info.body_scope = None;
        if let Some(instance) = &mut info.instance {
            instance.explicit = true;
        }
    }
    /// The instance that an explicit specialisation or instantiation of a function is of ([temp.deduct.decl]).
    fn specialised_function(
        &mut self,
        specifiers: ast::Id<ast::Specifiers>,
        declarator: ast::Id<ast::Declarator>,
        scope: Option<ScopeId>,
    ) -> Option<FunctionId> {
        let ast = self.ast;
        let node = &ast[ast[declarator].name?];
        let read_in = scope.unwrap_or(self.scope);
        let base = self.specifiers_type(specifiers, false);
        let class = scope.and_then(|scope| match self.scopes.kind(scope) {
            ScopeKind::Class(class) => Some(class),
            _ => None,
        });
        let name = self.in_scope(read_in, |sema| {
            sema.function_name(&ast[declarator], &ast[specifiers], class)
        })?;
        let base = match name.name {
            hir::FunctionName::Constructor | hir::FunctionName::Destructor => hir::Types::VOID.unqualified(),
            hir::FunctionName::Conversion(to) => to,
            _ => base,
        };
        let declared = self.in_scope(read_in, |sema| sema.declarator_type(base, declarator));
        self.instance_of_type(node, &name, scope, declared.ty.id, false)
    }
    /// The instance, or for a friend the function too, that a name and a type mean.
    pub(crate) fn instance_of_type(
        &mut self,
        node: &'a ast::QualifiedName,
        name: &FunctionNameParts,
        scope: Option<ScopeId>,
        ty: hir::TypeId,
        is_friend: bool,
    ) -> Option<FunctionId> {
        let wanted = self.program.types.as_function(ty)?.clone();
        let class = scope.and_then(|scope| match self.scopes.kind(scope) {
            ScopeKind::Class(class) => Some(class),
            _ => None,
        });
        let mut candidates: Vec<Callable> = match (&name.name, class) {
            (hir::FunctionName::Constructor, Some(class)) => {
                self.complete_class(class);
                self.classes[class.index()]
                    .constructors
                    .iter()
                    .map(|candidate| candidate.callable)
                    .collect()
            }
            (hir::FunctionName::Destructor, Some(class)) => {
                self.complete_class(class);
                self.classes[class.index()]
                    .destructor
                    .map(Callable::Function)
                    .into_iter()
                    .collect()
            }
            _ => {
                let hits = match scope {
                    Some(scope) => self.search_qualified(scope, name.symbol, Wanted::Anything),
                    None if is_friend => {
                        let around = self.scopes.namespace_around(self.scope);
                        self.in_scope(around, |sema| sema.search_outwards(name.symbol, Wanted::Anything))
                    }
                    None => self.search_outwards(name.symbol, Wanted::Anything),
                };
                hits.list
                    .iter()
                    .filter_map(|declared| match declared.entity {
                        Entity::Function(function) => Some(Callable::Function(function)),
                        Entity::Template(template) if self.template(template).kind == TemplateKind::Function => {
                            Some(Callable::Template(template))
                        }
                        _ => None,
                    })
                    .collect()
            }
        };
        candidates.sort_by_key(|candidate| matches!(candidate, Callable::Template(_)));
        let explicit: Option<GivenArguments<'a>> = match self.name_parts(&node.last) {
            Some((_, Some(arguments))) => Some(self.given_arguments(arguments, node.span)),
            _ => None,
        };
        let mut own_members: Vec<FunctionId> = Vec::new();
        let mut best: Option<(FunctionId, TemplateId)> = None;
        let mut reasons: Vec<(Span, String)> = Vec::new();
        for candidate in candidates {
            match candidate {
                Callable::Function(function) => {
                    let own = self.program.types.as_function(self.program.function(function).ty);
                    let same = own.is_some_and(|own| self.is_type_wanted(own, &wanted));
                    // Only members of class templates' instances are specialised without being templates.
                    let of_instance = is_friend || class.is_some_and(|class| self.instance_around(class).is_some());
                    if same && of_instance && explicit.is_none() {
                        own_members.push(function);
                    }
                }
                Callable::Template(_) if !own_members.is_empty() => {}
                Callable::Template(template) => {
                    let attempt = self.deduce_for_declaration(template, explicit.as_ref(), ty, node.span);
                    if let Err(failure) = &attempt {
                        let reason = self.deduction_reason(&failure.reason);
                        reasons.push((self.template(template).span, reason));
                    }
                    if let Ok(function) = attempt {
                        let own = self.program.types.as_function(self.program.function(function).ty);
                        if !own.is_some_and(|own| self.is_type_wanted(own, &wanted)) {
                            continue;
                        }
                        let better = match best {
                            None => true,
                            Some((_, known)) => {
                                self.more_specialised(template, known, wanted.parameters.len())
                                    == std::cmp::Ordering::Less
                            }
                        };
                        if better {
                            best = Some((function, template));
                        }
                    }
                }
            }
        }
        if let Some(function) = self.most_constrained(&own_members) {
            return Some(function);
        }
        if best.is_none() {
            let message = format!(
                "there is no {} `{}` that this is {}",
                if is_friend { "function" } else { "template" },
                self.text(name.symbol),
                if is_friend {
                    "a declaration of"
                } else {
                    "an instance of"
                },
            );
            let mut report = Report::error(node.span, message);
            for (place, reason) in reasons.into_iter().take(4) {
                report = report.note_at(place, format!("not of this one: {reason}"));
            }
            self.emit(report);
        }
        best.map(|(function, _)| function)
    }
    /// Whether a function has the type that a declaration of its specialisation has; a result that is deduced may be any.
    fn is_type_wanted(&self, own: &hir::FunctionType, wanted: &hir::FunctionType) -> bool {
        own.parameters == wanted.parameters
            && own.variadic == wanted.variadic
            && own.qualifiers == wanted.qualifiers
            && own.reference == wanted.reference
            && (own.result == wanted.result
                || self.contains_placeholder(own.result)
                || self.contains_placeholder(wanted.result))
    }
    /// Of members that differ in their constraints alone, the one that is specialised ([temp.expl.spec]/8).
    fn most_constrained(&mut self, members: &[FunctionId]) -> Option<FunctionId> {
        let mut best = None;
        for &member in members {
            if members.len() > 1 && self.check_function_constraint(member).is_err() {
                continue;
            }
            best = match best {
                Some(known) if self.more_constrained(member, known) != std::cmp::Ordering::Less => Some(known),
                _ => Some(member),
            };
        }
        best
    }
    /// Deduction for a declaration: as for a target, but a result with a placeholder says nothing.
    fn deduce_for_declaration(
        &mut self,
        template: TemplateId,
        explicit: Option<&GivenArguments<'a>>,
        ty: hir::TypeId,
        span: Span,
    ) -> Result<FunctionId, super::DeductionFailure> {
        self.deduce_for_target(template, explicit, ty, span)
    }
    fn specialise_variable(
        &mut self,
        specifiers: ast::Id<ast::Specifiers>,
        base: hir::QualifiedType,
        declarator: &'a ast::InitDeclarator,
    ) {
        let ast = self.ast;
        let Some(name) = ast[declarator.declarator].name else {
            return;
        };
        let node = &ast[name];
        let Some(scope) = self.target_scope(node) else { return };
        match &node.last {
            UnqualifiedName::Template {
                name: symbol,
                arguments,
            } => {
                let Some(template) = self.template_of_name(scope, *symbol, TemplateKind::Variable) else {
                    let message = format!("`{}` is no variable template", self.text(*symbol));
                    self.error(node.last_span, message);
                    return;
                };
                let given = self.given_arguments(arguments, node.span);
                let Some(arguments) = self.match_arguments(template, &given) else {
                    return;
                };
                let arguments: Rc<[TemplateArgument]> = arguments;
                let variable = self.declare_variable_instance(VariableDeclaration {
                    specifiers,
                    base,
                    declarator,
                    instance: Some(Instance {
                        template,
                        arguments: arguments.clone(),
                        explicit: true,
                    }),
                });
                if let Some(variable) = variable {
                    self.templates[template.0 as usize]
                        .instances
                        .insert(arguments, Entity::Variable(variable));
                }
            }
            // A static member of a specialisation.
            _ => {
                self.declare_variable(VariableDeclaration {
                    specifiers,
                    base,
                    declarator,
                    instance: None,
                });
            }
        }
    }
    /// `template declaration`.
    pub(crate) fn explicit_instantiation(&mut self, is_extern: bool, declaration: ast::Id<ast::Declaration>) {
        let ast = self.ast;
        let span = ast[declaration].span;
        let saved = std::mem::replace(&mut self.function.unchecked_access, true);
        match &ast[declaration].kind {
            DeclarationKind::Simple {
                specifiers,
                declarators,
            } => match declarators.as_ref() {
                [] => self.instantiate_whole_class(declaration, is_extern),
                [declarator, ..] => {
                    let written = &ast[declarator.declarator];
                    let is_function = matches!(written.chunks.first(), Some(ast::DeclaratorChunk::Function(_)));
                    if is_function {
                        self.instantiate_named_function(*specifiers, declarator.declarator, is_extern);
                    } else if let Some(name) = written.name {
                        let lookup = self.lookup(name);
                        match lookup.found {
                            Found::Variable(variable) if !is_extern => {
                                self.require_variable(variable);
                                self.keep_variable(variable);
                            }
                            Found::Nothing => self.report_undeclared(name, "template"),
                            _ => {}
                        }
                    }
                }
            },
            DeclarationKind::Error => {}
            _ => self.error(span, "this cannot be instantiated"),
        }
        self.function.unchecked_access = saved;
    }
    fn instantiate_named_function(
        &mut self,
        specifiers: ast::Id<ast::Specifiers>,
        declarator: ast::Id<ast::Declarator>,
        is_extern: bool,
    ) {
        let ast = self.ast;
        let Some(name) = ast[declarator].name else { return };
        let Some(scope) = self.target_scope(&ast[name]) else {
            return;
        };
        let Some(function) = self.specialised_function(specifiers, declarator, scope) else {
            return;
        };
        if !is_extern {
            self.keep_function(function);
        }
    }
    /// Code is generated for an instance even if nothing uses it.
    pub(crate) fn keep_function(&mut self, function: FunctionId) {
        let node = self.program.function(function);
        if !node.space.global && !node.space.device {
            self.keep_host_function(function);
            return;
        }
        self.queue_function(function);
        if !self.root_functions.contains(&function) {
            self.root_functions.push(function);
        }
    }
    /// The same of a variable.
    pub(crate) fn keep_variable(&mut self, variable: hir::VariableId) {
        let node = self.program.variable(variable);
        if node.memory != hir::MemorySpace::Host && !self.root_variables.contains(&variable) {
            self.root_variables.push(variable);
        }
    }
    /// All members of a class are instantiated ([temp.explicit]/8).
    fn instantiate_whole_class(&mut self, declaration: ast::Id<ast::Declaration>, is_extern: bool) {
        let ast = self.ast;
        let Some(name) = self.declared_name(declaration) else {
            return;
        };
        let lookup = self.lookup_wanted(name, Wanted::Type);
        let Found::Type(ty) = lookup.found else {
            if matches!(lookup.found, Found::Nothing) {
                self.report_undeclared(name, "class template");
            }
            return;
        };
        if !self.require_complete(ty.id, ast[name].span, "explicit instantiation") || is_extern {
            return;
        }
        let Some(class) = self.program.types.as_class(ty.id) else {
            return;
        };
        let mut functions: Vec<FunctionId> = self.program.class(class).methods.clone();
        functions.extend(self.classes[class.index()].constructors.iter().filter_map(
            |candidate| match candidate.callable {
                Callable::Function(function) => Some(function),
                Callable::Template(_) => None,
            },
        ));
        for function in functions {
            self.find_outside_definition(function);
            if matches!(self.functions[function.index()].definition, Definition::Syntax { .. }) {
                self.keep_function(function);
            }
        }
    }
}
