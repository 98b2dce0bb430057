//! Template arguments: from what is written to what a parameter is bound to ([temp.arg]).

use std::rc::Rc;

use super::{GivenArgument, GivenArguments, TemplateId, TemplateKind, TemplateParameter};
use crate::hir::pattern::{ArgumentPattern, TypePattern};
use crate::hir::{self, Constant, QualifiedType, TemplateArgument, Type, Types};
use crate::sema::entity::BoundValue;
use crate::sema::lookup::Wanted;
use crate::sema::scope::{ScopeId, ScopeKind};
use crate::sema::{Entity, Evaluation, Found, Sema, ValueId};
use crate::source::{Instantiated, Report, Span};
use crate::syntax::ast::{self, TemplateArgumentKind, TemplateParameterKind};

impl<'a> Sema<'a> {
    /// The parameters of a header.
    pub(crate) fn template_parameters(
        &self,
        list: &'a [ast::Id<ast::TemplateParameter>],
    ) -> Vec<TemplateParameter<'a>> {
        let ast = self.ast;
        list.iter()
            .map(|&id| {
                let syntax = &ast[id];
                let has_default = match syntax.kind {
                    TemplateParameterKind::Type { default } => default.is_some(),
                    TemplateParameterKind::NonType { parameter } => ast[parameter].default.is_some(),
                    TemplateParameterKind::Template { default, .. } => default.is_some(),
                };
                TemplateParameter {
                    name: syntax.name,
                    syntax: Some(syntax),
                    default: has_default.then_some(syntax),
                    default_names: None,
                    constraint: match syntax.kind {
                        TemplateParameterKind::NonType { parameter } => ast[ast[parameter].specifiers].constraint,
                        TemplateParameterKind::Type { .. } | TemplateParameterKind::Template { .. } => {
                            syntax.constraint
                        }
                    },
                    pack: syntax.pack,
                }
            })
            .collect()
    }
    /// A new scope for the bindings of a template's parameters.
    pub(crate) fn binding_scope(
        &mut self,
        template: Option<TemplateId>,
        parent: ScopeId,
        limit: Option<u32>,
    ) -> ScopeId {
        let scope = self.scopes.add(ScopeKind::Template(template), Some(parent));
        self.scopes.get_mut(scope).limit = limit;
        scope
    }
    /// Binds parameters to arguments in a scope.
    pub(crate) fn bind_parameters(
        &mut self,
        scope: ScopeId,
        parameters: &[TemplateParameter<'a>],
        arguments: &[TemplateArgument],
    ) {
        for (parameter, argument) in parameters.iter().zip(arguments) {
            self.bind_parameter(scope, parameter, argument);
        }
        if self.options.cpp20 {
            let names = parameters
                .iter()
                .map(|parameter| parameter.name.unwrap_or(crate::source::names::EMPTY))
                .collect();
            self.bound_places.insert(scope, names);
        }
    }
    pub(super) fn bind_parameter(
        &mut self,
        scope: ScopeId,
        parameter: &TemplateParameter<'a>,
        argument: &TemplateArgument,
    ) {
        let Some(name) = parameter.name else {
            return;
        };
        let entity = self.argument_entity(argument);
        let span = parameter.syntax.map_or(Span::NONE, |syntax| syntax.span);
        self.in_scope(scope, |sema| sema.declare(name, entity, span));
        // Bindings are seen whatever the time.
        if let Some(list) = self.scopes.get_mut(scope).get_mut(name) {
            for declared in list {
                declared.order = 0;
            }
        }
    }
    /// What a parameter's name stands for when it is bound.
    pub(crate) fn argument_entity(&mut self, argument: &TemplateArgument) -> Entity {
        match argument {
            TemplateArgument::Type(ty) => Entity::Typedef(*ty),
            TemplateArgument::Value(ty, value) => {
                let id = ValueId(self.values.len() as u32);
                self.values.push(BoundValue {
                    ty: *ty,
                    value: value.clone(),
                });
                Entity::Value(id)
            }
            TemplateArgument::Template(name) => match self.template_names.get(name) {
                Some(&template) => Entity::Template(template),
                None => Entity::Error,
            },
            TemplateArgument::Pack(list) => {
                let elements: Vec<Entity> = list.iter().map(|element| self.argument_entity(element)).collect();
                Entity::Pack(self.add_pack(elements))
            }
        }
    }
    /// Matches given arguments with a template's parameters, defaults included: all arguments, or `None` after a message.
    pub(super) fn match_arguments(
        &mut self,
        template: TemplateId,
        given: &GivenArguments<'a>,
    ) -> Option<Rc<[TemplateArgument]>> {
        let node = self.template(template);
        let (parameters, parent, name, declared) = (node.parameters.clone(), node.scope, node.name, node.span);
        // Only defaults and the types of values can name the parameters before them.
        let is_bound = given.list.len() < parameters.len() || !parameters.iter().all(TemplateParameter::is_type);
        let scope = match is_bound {
            // Not the order of the template: defaults may have been added since.
            true => self.binding_scope(Some(template), parent, None),
            false => parent,
        };
        let mut result = Vec::with_capacity(parameters.len());
        let mut next = 0;
        for parameter in parameters.iter() {
            let argument = if parameter.pack {
                let mut elements = Vec::new();
                while let Some(argument) = given.list.get(next) {
                    next += 1;
                    elements.push(self.convert_argument(parameter, argument, scope)?);
                }
                TemplateArgument::Pack(elements)
            } else if let Some(argument) = given.list.get(next) {
                next += 1;
                self.convert_argument(parameter, argument, scope)?
            } else {
                let names = self.scope_of_default(template, parameter, &result, scope);
                match self.default_template_argument(parameter, scope, names) {
                    Some(argument) => argument?,
                    None => {
                        let message = format!("too few template arguments for `{}`", self.text(name));
                        self.emit(Report::error(given.span, message).note_at(declared, "declared here"));
                        return None;
                    }
                }
            };
            if is_bound {
                self.bind_parameter(scope, parameter, &argument);
            }
            result.push(argument);
        }
        if next < given.list.len() {
            let message = format!("too many template arguments for `{}`", self.text(name));
            self.emit(Report::error(given.span, message).note_at(declared, "declared here"));
            return None;
        }
        Some(result.into())
    }
    /// The scope in which a default argument is read: `scope`, in which the parameters before it are bound, or one with the names that its declaration has for them.
    pub(super) fn scope_of_default(
        &mut self,
        template: TemplateId,
        parameter: &TemplateParameter<'a>,
        before: &[TemplateArgument],
        scope: ScopeId,
    ) -> ScopeId {
        let Some(names) = &parameter.default_names else {
            return scope;
        };
        let node = self.template(template);
        let (parameters, parent) = (node.parameters.clone(), node.scope);
        let own = self.binding_scope(Some(template), parent, None);
        for ((parameter, &name), argument) in parameters.iter().zip(names.iter()).zip(before) {
            self.bind_parameter(own, &parameter.renamed(name), argument);
        }
        own
    }
    /// The default argument of a parameter, read in `names`; its type is read in a scope in which those before it are bound. The outer `None`: there is none.
    pub(super) fn default_template_argument(
        &mut self,
        parameter: &TemplateParameter<'a>,
        scope: ScopeId,
        names: ScopeId,
    ) -> Option<Option<TemplateArgument>> {
        let ast = self.ast;
        let syntax = parameter.default?;
        Some(match syntax.kind {
            TemplateParameterKind::Type { default } => {
                let ty = self.in_scope(names, |sema| Some(sema.type_of_type_id(default?)));
                ty.filter(|ty| ty.id != Types::ERROR).map(TemplateArgument::Type)
            }
            TemplateParameterKind::NonType { parameter: id } => {
                let default = ast[id].default?;
                let ty = self.parameter_type(parameter, scope)?;
                self.in_scope(names, |sema| sema.value_argument(default, ty))
            }
            TemplateParameterKind::Template { default, .. } => {
                let name = default?;
                self.in_scope(names, |sema| sema.template_named(name))
            }
        })
    }
    /// The type of a non-type parameter, in a scope in which those before it are bound. `None` after a message.
    pub(super) fn parameter_type(
        &mut self,
        parameter: &TemplateParameter<'a>,
        scope: ScopeId,
    ) -> Option<QualifiedType> {
        let ast = self.ast;
        let TemplateParameterKind::NonType { parameter: id } = parameter.syntax?.kind else {
            return None;
        };
        let node = &ast[id];
        let ty = self.in_scope(scope, |sema| {
            let base = sema.specifiers_type(node.specifiers, false);
            sema.declarator_type(base, node.declarator).ty
        });
        let ty = self.adjust_parameter(ty, node.span);
        if ty.id == Types::ERROR {
            return None;
        }
        let fits = match self.program.types.get(ty.id) {
            Type::Bool
            | Type::Integer(_)
            | Type::Enum(_)
            | Type::Pointer(_)
            | Type::LValueReference(_)
            | Type::MemberPointer { .. }
            | Type::NullPointer
            | Type::Auto
            | Type::DecltypeAuto => true,
            // Of which class is said later; or of a class, in C++20.
            Type::Class(_) => self.placeholders.contains_key(&ty.id) || self.options.cpp20 && self.complete_type(ty.id),
            _ => self.contains_placeholder(ty),
        };
        if !fits {
            let message = format!("a template parameter cannot be of type `{}`", self.show(ty));
            self.error(node.span, message);
            return None;
        }
        Some(ty.unqualified())
    }
    /// Converts an argument to what a parameter wants. `None` after a message.
    pub(super) fn convert_argument(
        &mut self,
        parameter: &TemplateParameter<'a>,
        given: &GivenArgument<'a>,
        scope: ScopeId,
    ) -> Option<TemplateArgument> {
        let (argument, given_scope) = match given {
            GivenArgument::Known(argument) => {
                let value = matches!(argument, TemplateArgument::Value(..));
                let typed = parameter
                    .syntax
                    .is_some_and(|syntax| matches!(syntax.kind, TemplateParameterKind::NonType { .. }));
                if value && typed {
                    let ty = self.parameter_type(parameter, scope)?;
                    return self.fit_value(argument.clone(), ty);
                }
                return Some(argument.clone());
            }
            GivenArgument::Syntax(argument, scope) => (*argument, *scope),
        };
        let Some(syntax) = parameter.syntax else {
            // The parameter that an `auto` parameter makes is a type.
            return self.in_scope(given_scope, |sema| sema.type_argument(argument));
        };
        match syntax.kind {
            TemplateParameterKind::Type { .. } => self.in_scope(given_scope, |sema| sema.type_argument(argument)),
            TemplateParameterKind::NonType { .. } => {
                let ty = self.parameter_type(parameter, scope)?;
                let expression = match argument.kind {
                    TemplateArgumentKind::Expression(expression)
                    | TemplateArgumentKind::Ambiguous { expression, .. } => expression,
                    TemplateArgumentKind::Type(type_id) => {
                        if let Some(value) = self.value_of_pack_element(type_id, given_scope) {
                            return Some(value);
                        }
                        self.error(argument.span, "this template argument has to be a value, not a type");
                        return None;
                    }
                };
                self.in_scope(given_scope, |sema| sema.value_argument(expression, ty))
            }
            TemplateParameterKind::Template { .. } => {
                let name = self.argument_name(argument);
                let Some(name) = name else {
                    self.error(argument.span, "this template argument has to be a template");
                    return None;
                };
                let argument = self.in_scope(given_scope, |sema| sema.template_named(name))?;
                if let TemplateArgument::Template(template) = &argument {
                    self.check_template_argument(parameter, template, self.ast[name].span)?;
                }
                Some(argument)
            }
        }
    }
    /// `None`, after a message, if a template does not have the parameters that a template template parameter wants ([temp.arg.template]).
    fn check_template_argument(
        &mut self,
        parameter: &TemplateParameter<'a>,
        name: &hir::TemplateName,
        span: Span,
    ) -> Option<()> {
        let Some(TemplateParameterKind::Template { parameters, .. }) = parameter.syntax.map(|syntax| &syntax.kind)
        else {
            return Some(());
        };
        let Some(&template) = self.template_names.get(name) else {
            return Some(());
        };
        if self.fits_template_parameter(parameters, template) {
            return Some(());
        }
        let (declared, template) = (self.template(template).span, self.template(template).name);
        let wanted = parameter
            .name
            .map_or("a template template parameter".to_string(), |name| {
                format!("the template template parameter `{}`", self.text(name))
            });
        let message = format!("the parameters of `{}` are not those of {wanted}", self.text(template));
        self.emit(Report::error(span, message).note_at(declared, "declared here"));
        None
    }
    fn value_of_pack_element(&mut self, type_id: ast::Id<ast::TypeId>, scope: ScopeId) -> Option<TemplateArgument> {
        let name = self.name_of_type_id(type_id)?;
        let lookup = self.in_scope(scope, |sema| sema.lookup(name));
        match lookup.found {
            Found::Value(value) => {
                let bound = self.bound_value(value).clone();
                Some(TemplateArgument::Value(bound.ty, bound.value))
            }
            _ => None,
        }
    }
    fn type_argument(&mut self, argument: &'a ast::TemplateArgument) -> Option<TemplateArgument> {
        let ty = match argument.kind {
            TemplateArgumentKind::Type(type_id) | TemplateArgumentKind::Ambiguous { type_id, .. } => {
                self.type_of_type_id(type_id)
            }
            TemplateArgumentKind::Expression(_) => {
                self.error(argument.span, "this template argument has to be a type");
                return None;
            }
        };
        if ty.id == Types::ERROR {
            return None;
        }
        if self.contains_placeholder(ty) {
            if let Some(&template) = self.placeholders.get(&ty.id) {
                let message = format!(
                    "the template `{}` needs arguments to be a type",
                    self.text(self.template(template).name)
                );
                self.error(argument.span, message);
            } else {
                self.error(argument.span, "`auto` cannot be a template argument");
            }
            return None;
        }
        Some(TemplateArgument::Type(ty))
    }
    /// The value of an expression as a template argument of a type, which may be a placeholder.
    fn value_argument(&mut self, expression: ast::Id<ast::Expression>, ty: QualifiedType) -> Option<TemplateArgument> {
        let evaluation = Evaluation {
            constant: true,
            ..Evaluation::default()
        };
        let ty = match self.contains_placeholder(ty) {
            false => ty,
            true => {
                let value = self.with_evaluation(evaluation, |sema| sema.expression(expression));
                let node = self.program.expression(value);
                let (of, category, span) = (node.ty, node.category, node.span);
                if of.id == Types::ERROR {
                    return None;
                }
                let deduced = match ty.id == Types::DECLTYPE_AUTO {
                    true => Some(self.decltype(expression)),
                    false => self.deduce_auto(ty, &super::DeductionOperand::Typed(of, category)),
                };
                let Some(deduced) = deduced else {
                    let message = format!("`{}` cannot be deduced from `{}`", self.show(ty), self.show(of));
                    self.error(span, message);
                    return None;
                };
                deduced.unqualified()
            }
        };
        let value = self.with_evaluation(evaluation, |sema| sema.constant_expression(expression, ty))?;
        Some(TemplateArgument::Value(ty, value))
    }
    /// The name that an argument consists of.
    fn argument_name(&self, argument: &ast::TemplateArgument) -> Option<ast::Id<ast::QualifiedName>> {
        match argument.kind {
            TemplateArgumentKind::Type(type_id) | TemplateArgumentKind::Ambiguous { type_id, .. } => {
                self.name_of_type_id(type_id)
            }
            TemplateArgumentKind::Expression(expression) => match self.ast[expression].kind {
                ast::ExpressionKind::Name(name) => Some(name),
                _ => None,
            },
        }
    }
    /// The bare name that a type-id consists of.
    pub(super) fn name_of_type_id(&self, type_id: ast::Id<ast::TypeId>) -> Option<ast::Id<ast::QualifiedName>> {
        let ast = self.ast;
        let node = &ast[type_id];
        if !ast[node.declarator].chunks.is_empty() || ast[node.specifiers].qualifiers != ast::Qualifiers::NONE {
            return None;
        }
        match ast[node.specifiers].type_specifier {
            ast::TypeSpecifier::Name { name, .. } => Some(name),
            _ => None,
        }
    }
    /// The template that a name denotes, as an argument.
    pub(super) fn template_named(&mut self, name: ast::Id<ast::QualifiedName>) -> Option<TemplateArgument> {
        let span = self.ast[name].span;
        let lookup = self.lookup_wanted(name, Wanted::Type);
        let template = match lookup.found {
            Found::Template(template) => Some(template),
            // The injected name of an instance is also the template's; `plus<int>` is a type and nothing else.
            Found::Type(ty) if matches!(self.ast[name].last, ast::UnqualifiedName::Identifier(_)) => {
                match *self.program.types.get(ty.id) {
                    Type::Class(class) => self.classes[class.index()]
                        .instance
                        .as_ref()
                        .map(|instance| instance.template),
                    _ => None,
                }
            }
            Found::Error => return None,
            Found::Nothing => {
                self.report_undeclared(name, "template");
                return None;
            }
            _ => None,
        };
        let Some(template) = template else {
            let text = self.name_text(name);
            self.emit(
                Report::error(span, format!("`{text}` is no class or alias template"))
                    .note_at(lookup.declared, "declared here"),
            );
            return None;
        };
        Some(TemplateArgument::Template(self.template_name(template)))
    }
    /// A template as an argument; an alias of a template with just its parameters is that template, as nvcc has it ([CWG 1286]).
    ///
    /// ```text
    /// template <class T, int N> using Row = Array<T, N>;     Matrix<Row> and Matrix<Array> are the same type
    /// ```
    pub(super) fn template_name(&mut self, template: TemplateId) -> hir::TemplateName {
        let template = self.aliased_template(template);
        let node = self.template(template);
        let (scope, name) = (node.scope, node.name);
        let name = hir::TemplateName {
            scope: self.hir_scope(scope),
            name: self.shared(name),
        };
        self.template_names.entry(name.clone()).or_insert(template);
        name
    }
    fn aliased_template(&mut self, template: TemplateId) -> TemplateId {
        if self.template(template).kind != TemplateKind::Alias {
            return template;
        }
        if let Some(&known) = self.aliased_templates.get(&template) {
            return known;
        }
        // What is named while this is found out is not what it stands for.
        self.aliased_templates.insert(template, template);
        let found = self.find_aliased_template(template).unwrap_or(template);
        self.aliased_templates.insert(template, found);
        found
    }
    fn find_aliased_template(&mut self, template: TemplateId) -> Option<TemplateId> {
        let parameters = self.template(template).parameters.clone();
        let own: Vec<ArgumentPattern> = (0..parameters.len())
            .map(|index| self.own_argument(template, index as u32))
            .collect();
        let mut pattern = None;
        let reports = self.isolated(|sema| {
            sema.outside_of_functions(|sema| pattern = Some(sema.specialisation_pattern(template, own.clone())));
        });
        let Some(TypePattern::Specialisation {
            scope, name, arguments, ..
        }) = pattern.filter(|_| reports.is_empty())
        else {
            return None;
        };
        let target = *self.template_names.get(&hir::TemplateName { scope, name })?;
        let others = self.template(target).parameters.clone();
        let alike = |(one, other): (&TemplateParameter<'a>, &TemplateParameter<'a>)| one.pack == other.pack;
        let same =
            arguments == own && parameters.len() == others.len() && parameters.iter().zip(others.iter()).all(alike);
        same.then_some(target)
    }
    /// A value that was deduced, in the type that its parameter has.
    pub(super) fn fit_value(&mut self, argument: TemplateArgument, ty: QualifiedType) -> Option<TemplateArgument> {
        let TemplateArgument::Value(of, value) = argument else {
            return Some(argument);
        };
        if self.contains_placeholder(ty) || of == ty {
            return Some(TemplateArgument::Value(of.unqualified(), value));
        }
        match (value, self.program.types.get(ty.id)) {
            (Constant::Integer(number), Type::Bool | Type::Integer(_) | Type::Enum(_)) => self
                .fits(number, ty.id)
                .then_some(TemplateArgument::Value(ty, Constant::Integer(number))),
            (value, _) => Some(TemplateArgument::Value(ty, value)),
        }
    }
    /// Type arguments as a list for an alias or class: a type by its template and arguments. `None` after a message.
    pub(crate) fn specialise_type(
        &mut self,
        template: TemplateId,
        given: &GivenArguments<'a>,
    ) -> Option<QualifiedType> {
        let arguments = self.match_arguments(template, given)?;
        if !self.require_constraints(template, &arguments, given.span) {
            return None;
        }
        match self.template(template).kind {
            TemplateKind::Class => {
                let class = self.class_instance(template, arguments);
                Some(self.class_type(class).unqualified())
            }
            TemplateKind::Alias => self.alias_instance(template, &arguments, given.span),
            TemplateKind::Function | TemplateKind::Variable | TemplateKind::Concept => None,
        }
    }
    /// The constraints of a template that is named with all of its arguments. False after a message.
    pub(super) fn require_constraints(
        &mut self,
        template: TemplateId,
        arguments: &[TemplateArgument],
        span: Span,
    ) -> bool {
        match self.check_constraints(template, arguments) {
            Ok(()) => true,
            Err(why) => {
                let name = self.text(self.template(template).name);
                let message = format!("the arguments do not meet the constraints of `{name}`");
                self.emit(Report::error(span, message).note_at(why.span, why.reason));
                false
            }
        }
    }
    fn alias_instance(
        &mut self,
        template: TemplateId,
        arguments: &[TemplateArgument],
        span: Span,
    ) -> Option<QualifiedType> {
        let node = self.template(template);
        let (parameters, parent, declaration, order) =
            (node.parameters.clone(), node.scope, node.declaration, node.order);
        let ast::DeclarationKind::Alias { type_id, .. } = self.ast[declaration].kind else {
            return None;
        };
        let scope = self.binding_scope(Some(template), parent, Some(order + 1));
        self.bind_parameters(scope, &parameters, arguments);
        // An alias is transparent: its errors are of the immediate context.
        self.context
            .diagnostics
            .enter_instantiation(span, Instantiated::AliasTemplate(template.0));
        let saved_this = self.function.this.take();
        let ty = self.in_scope(scope, |sema| sema.type_of_type_id(type_id));
        self.function.this = saved_this;
        self.context.diagnostics.leave();
        (ty.id != Types::ERROR).then_some(ty)
    }
}
