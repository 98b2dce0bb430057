//! Declarations of templates ([temp]).

use std::rc::Rc;

use super::{Partial, TemplateId, TemplateKind, TemplateParameter};
use crate::hir::FunctionName;
use crate::sema::declaration::FunctionNameParts;
use crate::sema::entity::{Callable, Candidate};
use crate::sema::lookup::{Qualification, Wanted};
use crate::sema::scope::ScopeKind;
use crate::sema::{Access, Entity, Friend, ScopeId, Sema};
use crate::source::{Report, Span, Symbol};
use crate::syntax::ast::{self, DeclarationKind, TypeSpecifier, UnqualifiedName};

/// Where a declaration of a template stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// In the scope of which it is a member.
    Inside,
    /// Outside, with a qualified name.
    Outside,
    /// Outside, and for one instance of the class template around: `template <> template <…> …` ([temp.expl.spec]/16).
    Specialisation,
    /// In a class whose friend it is, with a name that is qualified by this scope.
    Befriended(ScopeId),
}

impl<'a> Sema<'a> {
    /// `template <…> declaration`.
    pub(crate) fn template_declaration(
        &mut self,
        parameters: &'a [ast::Id<ast::TemplateParameter>],
        requires: Option<ast::Id<ast::Expression>>,
        declaration: ast::Id<ast::Declaration>,
    ) {
        self.with_header(parameters, requires, declaration, false);
    }
    /// The same behind `template <>`.
    pub(super) fn specialised_member_template(&mut self, declaration: ast::Id<ast::Declaration>) {
        if let DeclarationKind::Template {
            parameters,
            requires,
            declaration,
        } = &self.ast[declaration].kind
        {
            self.with_header(parameters, *requires, *declaration, true);
        }
    }
    fn with_header(
        &mut self,
        parameters: &'a [ast::Id<ast::TemplateParameter>],
        requires: Option<ast::Id<ast::Expression>>,
        declaration: ast::Id<ast::Declaration>,
        specialises: bool,
    ) {
        self.requires_clause = requires;
        let own = self.template_parameters(parameters);
        self.templated_declaration(own, declaration, specialises);
        self.requires_clause = None;
    }
    fn templated_declaration(
        &mut self,
        own: Vec<TemplateParameter<'a>>,
        declaration: ast::Id<ast::Declaration>,
        specialises: bool,
    ) {
        let ast = self.ast;
        let span = ast[declaration].span;
        if self.function.function.is_some() && self.is_local_scope(self.scope) {
            self.error(span, "a template cannot be declared in a function");
            return;
        }
        match &ast[declaration].kind {
            DeclarationKind::Template { .. } => self.nested_template(own, declaration),
            DeclarationKind::Simple {
                specifiers,
                declarators,
            } => match declarators.as_ref() {
                [] => self.class_template(own, *specifiers, declaration, span),
                [declarator] => {
                    let parts = (*specifiers, declarator.declarator);
                    self.declarator_template(own, parts, declaration, false, specialises)
                }
                _ => self.error(span, "a template declares one thing"),
            },
            DeclarationKind::Function(definition) => {
                let node = &ast[*definition];
                let parts = (node.specifiers, node.declarator);
                self.declarator_template(own, parts, declaration, true, specialises);
            }
            DeclarationKind::Concept { name, name_span, .. } => {
                self.concept_declaration(own, *name, declaration, *name_span)
            }
            DeclarationKind::Alias { name, name_span, .. } => self.alias_template(own, *name, declaration, *name_span),
            DeclarationKind::DeductionGuide { .. } => self.deduction_guide(declaration, Some(own)),
            DeclarationKind::Error => {}
            _ => self.error(span, "this cannot be a template"),
        }
    }
    /// `template <…> template <…> …`: a member template defined outside of its class template.
    fn nested_template(&mut self, first: Vec<TemplateParameter<'a>>, declaration: ast::Id<ast::Declaration>) {
        let ast = self.ast;
        let mut headers: Vec<Rc<[TemplateParameter<'a>]>> = vec![first.into()];
        let mut inner = declaration;
        while let DeclarationKind::Template {
            parameters,
            requires,
            declaration,
        } = &ast[inner].kind
        {
            self.requires_clause = requires.or(self.requires_clause);
            headers.push(self.template_parameters(parameters).into());
            inner = *declaration;
        }
        let Some(name) = self.declared_name(inner) else {
            self.error(ast[declaration].span, "this template declares nothing");
            return;
        };
        if self
            .function_syntax(inner)
            .is_some_and(|(specifiers, ..)| ast[specifiers].is_friend)
        {
            self.befriended_scope(&headers[0], &ast[name]);
            return;
        }
        self.outside_member(headers, name, inner);
    }
    /// The name that a declaration declares.
    pub(super) fn declared_name(&self, declaration: ast::Id<ast::Declaration>) -> Option<ast::Id<ast::QualifiedName>> {
        let ast = self.ast;
        match &ast[declaration].kind {
            DeclarationKind::Simple {
                specifiers,
                declarators,
            } => match declarators.first() {
                Some(declarator) => ast[declarator.declarator].name,
                None => match ast[*specifiers].type_specifier {
                    TypeSpecifier::Class(class) => ast[class].name,
                    TypeSpecifier::ElaboratedClass { name, .. } => Some(name),
                    TypeSpecifier::Enum(enumeration) => ast[enumeration].name,
                    _ => None,
                },
            },
            DeclarationKind::Function(definition) => ast[ast[*definition].declarator].name,
            _ => None,
        }
    }
    /// A class template, or a partial specialisation of one.
    fn class_template(
        &mut self,
        own: Vec<TemplateParameter<'a>>,
        specifiers: ast::Id<ast::Specifiers>,
        declaration: ast::Id<ast::Declaration>,
        span: Span,
    ) {
        let ast = self.ast;
        let node = &ast[specifiers];
        let Some(name) = self.declared_name(declaration) else {
            self.error(span, "a class template needs a name");
            return;
        };
        let name_node = &ast[name];
        if node.is_friend {
            self.friend_class_template(own, name, declaration);
            return;
        }
        match &name_node.last {
            UnqualifiedName::Template {
                name: symbol,
                arguments,
            } => {
                let Some(template) = self.named_class_template(name_node, *symbol) else {
                    return;
                };
                match template {
                    Some(template) => self.add_partial(template, own, arguments, declaration, name_node.span),
                    None => {
                        let message = format!(
                            "`{}` is no class template that could be specialised",
                            self.text(*symbol)
                        );
                        self.error(name_node.last_span, message);
                    }
                }
            }
            UnqualifiedName::Identifier(symbol) => {
                if !name_node.is_unqualified() {
                    if self.names_outside_member(name_node) {
                        self.outside_member(vec![own.into()], name, declaration);
                        return;
                    }
                    let Some(Qualification::Scope(scope)) = self.resolve_declared(name_node) else {
                        return;
                    };
                    self.in_scope(scope, |sema| {
                        sema.declare_class_template(own, *symbol, declaration, name_node.last_span)
                    });
                    return;
                }
                self.declare_class_template(own, *symbol, declaration, name_node.last_span);
            }
            _ => self.error(name_node.span, "this is no name of a class"),
        }
    }
    fn declare_class_template(
        &mut self,
        own: Vec<TemplateParameter<'a>>,
        symbol: Symbol,
        declaration: ast::Id<ast::Declaration>,
        span: Span,
    ) {
        let defines = self.defined_class(declaration).is_some();
        let known = self.scopes.get(self.scope).get(symbol).to_vec();
        for declared in known {
            match declared.entity {
                Entity::Template(template) if self.template(template).kind == TemplateKind::Class => {
                    if let Some(list) = self.scopes.get_mut(self.scope).get_mut(symbol) {
                        for declared in list {
                            declared.hidden = false;
                        }
                    }
                    self.redeclare_template(template, own, declaration, defines, span);
                    return;
                }
                Entity::Error => return,
                Entity::Function(_) | Entity::Variable(_) => {}
                _ => {
                    let message = format!("`{}` is declared already, as something else", self.text(symbol));
                    self.emit(Report::error(span, message).note_at(declared.span, "declared here"));
                    return;
                }
            }
        }
        let template = self.add_template(TemplateKind::Class, symbol, self.scope, own, declaration, span);
        if defines {
            self.set_definition(template, declaration);
        }
        self.template_name(template);
        self.declare_member(symbol, Entity::Template(template), span);
        self.templates[template.0 as usize].body_order = self.clock;
    }
    fn set_definition(&mut self, template: TemplateId, declaration: ast::Id<ast::Declaration>) {
        let scope = self.scope;
        let parameters = self.template(template).parameters.clone();
        self.templates[template.0 as usize].definition = Some((declaration, parameters, scope));
    }
    /// Another declaration of a template: default arguments are merged ([temp.param]/10).
    fn redeclare_template(
        &mut self,
        template: TemplateId,
        own: Vec<TemplateParameter<'a>>,
        declaration: ast::Id<ast::Declaration>,
        defines: bool,
        span: Span,
    ) {
        let known = self.template(template);
        let declared = known.span;
        if known.parameters.len() != own.len()
            || known
                .parameters
                .iter()
                .zip(&own)
                .any(|(one, other)| one.pack != other.pack)
        {
            let message = format!(
                "`{}` is declared with other template parameters here than before",
                self.text(known.name)
            );
            self.emit(Report::error(span, message).note_at(declared, "declared here"));
            return;
        }
        if defines && known.definition.is_some() {
            let message = format!("`{}` is defined already", self.text(known.name));
            self.emit(Report::error(span, message).note_at(declared, "defined here"));
            return;
        }
        let mut merged: Vec<TemplateParameter<'a>> = known.parameters.to_vec();
        let mut own = own;
        super::take_defaults(&mut merged, &own);
        super::take_defaults(&mut own, &known.parameters);
        self.clock += 1;
        let now = self.clock;
        let scope = self.scope;
        let entry = &mut self.templates[template.0 as usize];
        if defines {
            entry.definition = Some((declaration, own.clone().into(), scope));
            entry.body_order = now;
            entry.span = span;
            entry.parameters = own.into();
        } else {
            entry.parameters = merged.into();
        }
    }

    /// The class template that a name means: itself, or the one of an instance, by whose injected name its own body knows it. The outer `None`: the name is
    /// dependent, or what is wrong with it has been said.
    pub(super) fn named_class_template(
        &mut self,
        name: &'a ast::QualifiedName,
        last: Symbol,
    ) -> Option<Option<TemplateId>> {
        let hits = match self.resolve_declared(name) {
            Some(Qualification::Scope(scope)) => self.search_qualified(scope, last, Wanted::Type),
            Some(Qualification::None) => self.search_outwards(last, Wanted::Type),
            Some(Qualification::Dependent) | None => return None,
        };
        Some(hits.list.iter().find_map(|declared| {
            match declared.entity {
                Entity::Template(template) => Some(template),
                Entity::Class(class) => self.classes[class.index()]
                    .instance
                    .as_ref()
                    .map(|instance| instance.template),
                _ => None,
            }
        }))
    }

    pub(super) fn add_partial(
        &mut self,
        template: TemplateId,
        own: Vec<TemplateParameter<'a>>,
        arguments: &'a [ast::TemplateArgument],
        declaration: ast::Id<ast::Declaration>,
        span: Span,
    ) {
        let parameters: Rc<[TemplateParameter<'a>]> = own.into();
        let scope = self.unbound_scope(&parameters, self.scope, 0);
        let pattern = self.in_scope(scope, |sema| sema.argument_patterns(arguments, Some(template)));
        let pattern = self.with_default_patterns(template, pattern);
        let class = self.defined_class(declaration);
        let order = self.clock;
        self.clock += 1;
        let requires = self.requires_clause.take();
        let constraints = self.in_scope(scope, |sema| sema.constraint_patterns(&parameters, requires));
        let known = self.templates[template.0 as usize]
            .partials
            .iter_mut()
            .find(|known| *known.pattern == *pattern && known.constraints == constraints);
        if let Some(known) = known {
            if known.class.is_none() {
                // A forward declaration and its definition, whose names are looked up where it is.
                known.class = class;
                known.order = order;
                known.declaration = declaration;
                known.parameters = parameters;
                known.arguments = arguments;
                known.span = span;
            } else if class.is_some() {
                let declared = known.span;
                let report = Report::error(span, "this partial specialisation is defined already");
                self.emit(report.note_at(declared, "defined here"));
            }
            return;
        }
        self.templates[template.0 as usize].partials.push(Partial {
            parameters,
            arguments,
            declaration,
            span,
            order,
            outside_members: Vec::new(),
            requires,
            pattern: pattern.into(),
            constraints,
            class,
            scope: None,
        });
    }
    fn alias_template(
        &mut self,
        own: Vec<TemplateParameter<'a>>,
        name: Symbol,
        declaration: ast::Id<ast::Declaration>,
        span: Span,
    ) {
        if let Some(declared) = self.scopes.get(self.scope).get(name).to_vec().into_iter().next() {
            if let Entity::Template(known) = declared.entity
                && self.template(known).kind == TemplateKind::Alias
            {
                // The same again, as headers included twice under different names have it.
                return;
            }
            let message = format!("`{}` is declared already, as something else", self.text(name));
            self.emit(Report::error(span, message).note_at(declared.span, "declared here"));
            return;
        }
        let template = self.add_template(TemplateKind::Alias, name, self.scope, own, declaration, span);
        self.template_name(template);
        self.declare_member(name, Entity::Template(template), span);
        self.templates[template.0 as usize].order = self.clock;
    }
    /// A function template or variable template, or a member of a class template defined outside.
    fn declarator_template(
        &mut self,
        own: Vec<TemplateParameter<'a>>,
        (specifiers, declarator): (ast::Id<ast::Specifiers>, ast::Id<ast::Declarator>),
        declaration: ast::Id<ast::Declaration>,
        is_function_definition: bool,
        specialises: bool,
    ) {
        let ast = self.ast;
        let written = &ast[declarator];
        let Some(name) = written.name else {
            self.error(written.span, "a template needs a name");
            return;
        };
        let node = &ast[name];
        if !node.is_unqualified() && ast[specifiers].is_friend {
            if let Some(scope) = self.befriended_scope(own.as_slice(), node) {
                let place = Place::Befriended(scope);
                self.declarator_template_here(own, specifiers, declarator, declaration, is_function_definition, place);
            }
            return;
        }
        if !node.is_unqualified() {
            let place = match specialises {
                true => Place::Specialisation,
                false => Place::Outside,
            };
            if !specialises && self.names_outside_member(node) && !self.names_specialised_class(&own, node) {
                self.outside_member(vec![own.into()], name, declaration);
                return;
            }
            let Some(Qualification::Scope(scope)) = self.resolve_declared(node) else {
                return;
            };
            // A member template of a class that is no template, or of a namespace.
            self.in_scope(scope, |sema| {
                sema.declarator_template_here(own, specifiers, declarator, declaration, is_function_definition, place)
            });
            return;
        }
        let place = Place::Inside;
        self.declarator_template_here(own, specifiers, declarator, declaration, is_function_definition, place);
    }
    fn declarator_template_here(
        &mut self,
        own: Vec<TemplateParameter<'a>>,
        specifiers: ast::Id<ast::Specifiers>,
        declarator: ast::Id<ast::Declarator>,
        declaration: ast::Id<ast::Declaration>,
        is_function_definition: bool,
        place: Place,
    ) {
        let ast = self.ast;
        let written = &ast[declarator];
        let is_function =
            is_function_definition || matches!(written.chunks.first(), Some(ast::DeclaratorChunk::Function(_)));
        let Some(name) = written.name else { return };
        let span = ast[name].last_span;
        if !is_function {
            self.variable_template(own, name, declaration, span);
            return;
        }
        let own = self.with_invented_parameters(own, written);
        let Some(parts) = self.template_function_name(written, &ast[specifiers]) else {
            return;
        };
        self.enter_function_template(own, specifiers, declaration, parts, is_function_definition, place, span);
    }
    /// Parameters of a function that are declared with `auto` make template parameters of their own.
    pub(super) fn with_invented_parameters(
        &mut self,
        own: Vec<TemplateParameter<'a>>,
        declarator: &'a ast::Declarator,
    ) -> Vec<TemplateParameter<'a>> {
        match declarator.function() {
            Some(function) => self.with_parameters_of(own, function),
            None => own,
        }
    }
    /// The same of a function declarator, which may be a lambda's.
    pub(crate) fn with_parameters_of(
        &mut self,
        mut own: Vec<TemplateParameter<'a>>,
        function: &'a ast::FunctionDeclarator,
    ) -> Vec<TemplateParameter<'a>> {
        for &parameter in &function.parameters {
            if let Some(symbol) = self.invented_parameter(parameter) {
                let pack = self.ast[self.ast[parameter].declarator].pack;
                own.push(TemplateParameter {
                    name: Some(symbol),
                    syntax: None,
                    default: None,
                    default_names: None,
                    constraint: self.ast[self.ast[parameter].specifiers].constraint,
                    pack,
                });
            }
        }
        own
    }
    /// Whether a declaration is of a function with a parameter declared with `auto`: a template without a header.
    pub(crate) fn is_abbreviated_template(&self, declaration: ast::Id<ast::Declaration>) -> bool {
        let function = self
            .function_syntax(declaration)
            .and_then(|(_, declarator, _)| self.ast[declarator].function());
        self.options.cpp20
            && function.is_some_and(|function| {
                function.parameters.iter().any(|&parameter| {
                    matches!(
                        self.ast[self.ast[parameter].specifiers].type_specifier,
                        TypeSpecifier::Auto
                    )
                })
            })
    }
    /// Declares such a template.
    pub(crate) fn abbreviated_template(&mut self, declaration: ast::Id<ast::Declaration>) {
        self.templated_declaration(Vec::new(), declaration, false);
    }
    /// The name of a function template: of a conversion function template the type is not known yet.
    fn template_function_name(
        &mut self,
        declarator: &'a ast::Declarator,
        specifiers: &'a ast::Specifiers,
    ) -> Option<FunctionNameParts> {
        let class = match self.scopes.kind(self.scope) {
            ScopeKind::Class(class) => Some(class),
            _ => None,
        };
        if let Some(name) = declarator.name
            && matches!(self.ast[name].last, UnqualifiedName::Conversion(_))
        {
            let symbol = self.conversion_symbol();
            return Some(FunctionNameParts {
                symbol,
                name: FunctionName::Conversion(crate::hir::Types::AUTO.unqualified()),
            });
        }
        self.function_name(declarator, specifiers, class.filter(|_| !specifiers.is_friend))
    }
    #[allow(clippy::too_many_arguments)] // the parts of one declaration
    fn enter_function_template(
        &mut self,
        own: Vec<TemplateParameter<'a>>,
        specifiers: ast::Id<ast::Specifiers>,
        declaration: ast::Id<ast::Declaration>,
        parts: FunctionNameParts,
        defines: bool,
        place: Place,
        span: Span,
    ) {
        let ast = self.ast;
        let qualified = place != Place::Inside;
        let is_friend = ast[specifiers].is_friend;
        let lexical_class = match self.scopes.kind(self.scope) {
            ScopeKind::Class(class) => Some(class),
            _ => None,
        };
        let class = lexical_class.filter(|_| !is_friend);
        let template = self.add_template(TemplateKind::Function, parts.symbol, self.scope, own, declaration, span);
        if is_friend {
            self.templates[template.0 as usize].class = None;
            self.templates[template.0 as usize].friend_of = lexical_class;
        }
        if defines {
            self.set_definition(template, declaration);
        }
        let target = match place {
            Place::Befriended(scope) => scope,
            Place::Inside if is_friend => self.scopes.namespace_around(self.scope),
            Place::Inside | Place::Outside | Place::Specialisation => self.scope,
        };
        let of_instance = lexical_class.is_some_and(|class| self.classes[class.index()].instance.is_some());
        let with_inline = qualified || is_friend;
        if let Some(known) = self.template_declared_again(target, parts.symbol, template, with_inline) {
            if is_friend {
                if let Some(lexical) = lexical_class {
                    self.classes[lexical.index()].friends.push(Friend::Template(known));
                }
                if !defines || qualified {
                    self.templates.pop();
                    return;
                }
                if !of_instance {
                    self.merge_function_template(known, template, span);
                    return;
                }
            } else {
                match place {
                    Place::Specialisation => self.specialise_member_template(known, template, span),
                    Place::Inside | Place::Outside | Place::Befriended(_) => {
                        self.merge_function_template(known, template, span)
                    }
                }
                return;
            }
        }
        if qualified {
            let message = format!(
                "{} has no member template `{}` with this signature",
                self.scope_description(target),
                self.text(parts.symbol)
            );
            self.error(span, message);
            return;
        }
        if is_friend && let Some(lexical) = lexical_class {
            self.classes[lexical.index()].friends.push(Friend::Template(template));
            // Declared only, by an instance: it is the namespace's template that is meant.
            if !defines && of_instance && self.has_function_templates(target, parts.symbol) {
                return;
            }
        }
        let candidate = Candidate {
            callable: Callable::Template(template),
            access: self.template(template).access,
            naming: class,
            through_using: None,
        };
        self.declare_callable(candidate, &parts, class, lexical_class, is_friend, span);
        self.templates[template.0 as usize].body_order = self.clock;
        // Each instance of a class template brings friends of its own.
        if !(is_friend && of_instance) {
            self.note_function_template(target, parts.symbol, template);
        }
    }
    /// Another declaration of a function template.
    fn merge_function_template(&mut self, known: TemplateId, new: TemplateId, span: Span) {
        let new = self.templates[new.0 as usize].clone();
        let earlier = self.template(known);
        if earlier.class.is_some() && new.definition.is_none() {
            let declared = earlier.span;
            self.emit(
                Report::error(span, "this member template is declared twice in its class")
                    .note_at(declared, "declared here"),
            );
            return;
        }
        if earlier.definition.is_some() && new.definition.is_some() {
            let declared = earlier.span;
            let message = format!("`{}` is defined already", self.text(earlier.name));
            self.emit(Report::error(span, message).note_at(declared, "defined here"));
            return;
        }
        let mut parameters = earlier.parameters.to_vec();
        super::take_defaults(&mut parameters, &new.parameters);
        self.clock += 1;
        let now = self.clock;
        if let Some(list) = self.scopes.get_mut(self.scope).get_mut(new.name) {
            for declared in list {
                if declared.entity == Entity::Template(known) {
                    declared.hidden = false;
                }
            }
        }
        let entry = &mut self.templates[known.0 as usize];
        entry.parameters = parameters.into();
        if new.definition.is_some() {
            entry.definition = new.definition;
            entry.body_order = now;
        }
    }
    fn variable_template(
        &mut self,
        own: Vec<TemplateParameter<'a>>,
        name: ast::Id<ast::QualifiedName>,
        declaration: ast::Id<ast::Declaration>,
        span: Span,
    ) {
        let ast = self.ast;
        match &ast[name].last {
            UnqualifiedName::Template {
                name: symbol,
                arguments,
            } => {
                let hits = self.search_outwards(*symbol, Wanted::Anything);
                let template = hits.list.iter().find_map(|declared| match declared.entity {
                    Entity::Template(template) if self.template(template).kind == TemplateKind::Variable => {
                        Some(template)
                    }
                    _ => None,
                });
                match template {
                    Some(template) => self.add_partial(template, own, arguments, declaration, ast[name].span),
                    None => {
                        let message = format!(
                            "`{}` is no variable template that could be specialised",
                            self.text(*symbol)
                        );
                        self.error(span, message);
                    }
                }
            }
            UnqualifiedName::Identifier(symbol) => {
                for declared in self.scopes.get(self.scope).get(*symbol).to_vec() {
                    if let Entity::Template(known) = declared.entity
                        && self.template(known).kind == TemplateKind::Variable
                    {
                        // A declaration with `extern`, or of a static member, before the definition.
                        let entry = &mut self.templates[known.0 as usize];
                        entry.declaration = declaration;
                        return;
                    }
                    if declared.entity.is_tag() {
                        continue;
                    }
                    let message = format!("`{}` is declared already, as something else", self.text(*symbol));
                    self.emit(Report::error(span, message).note_at(declared.span, "declared here"));
                    return;
                }
                let template = self.add_template(TemplateKind::Variable, *symbol, self.scope, own, declaration, span);
                self.template_name(template);
                self.declare_member(*symbol, Entity::Template(template), span);
                self.templates[template.0 as usize].body_order = self.clock;
            }
            _ => self.error(span, "this is no name of a variable"),
        }
    }
    /// A constructor template of a base that a class inherits.
    pub(crate) fn inherit_constructor_template(
        &mut self,
        class: crate::hir::ClassId,
        template: TemplateId,
    ) -> TemplateId {
        let mut copy = self.template(template).clone();
        copy.instances = Default::default();
        copy.inherits = Some(template);
        let _: Access = copy.access;
        copy.friend_of = None;
        let id = TemplateId(self.templates.len() as u32);
        copy.class = Some(class);
        self.templates.push(copy);
        id
    }
}
