//! Instances of function and variable templates, and definitions of members outside of class templates.

use std::rc::Rc;

use super::{GivenArguments, OutsideMember, TemplateId, TemplateParameter};
use crate::hir::pattern::TemplateSignature;
use crate::hir::{self, ClassId, FunctionId, TemplateArgument, VariableId};
use crate::sema::declaration::{FunctionDeclaration, VariableDeclaration};
use crate::sema::entity::{Definition, Instance, PendingVariable};
use crate::sema::{Entity, ScopeId, Sema};
use crate::source::{Instantiated, Symbol};
use crate::syntax::ast::{self, DeclarationKind};

/// Specifiers, declarator and, where there is one, the definition.
pub(super) type FunctionSyntax = (
    ast::Id<ast::Specifiers>,
    ast::Id<ast::Declarator>,
    Option<ast::Id<ast::FunctionDefinition>>,
);

impl<'a> Sema<'a> {
    /// Specifiers, declarator and definition of what a function template declares.
    pub(super) fn function_syntax(&self, declaration: ast::Id<ast::Declaration>) -> Option<FunctionSyntax> {
        let ast = self.ast;
        match &ast[declaration].kind {
            DeclarationKind::Function(definition) => Some((
                ast[*definition].specifiers,
                ast[*definition].declarator,
                Some(*definition),
            )),
            DeclarationKind::Simple {
                specifiers,
                declarators,
            } => Some((*specifiers, declarators.first()?.declarator, None)),
            _ => None,
        }
    }
    /// Whether a function template is of static member functions.
    pub(crate) fn is_static_template(&self, template: TemplateId) -> bool {
        let syntax = self.function_syntax(self.template(template).declaration);
        syntax.is_some_and(|(specifiers, ..)| self.ast[specifiers].storage == ast::StorageClass::Static)
    }
    /// The instance of a function template: its declaration. `None` after messages, which are of the immediate context.
    pub(super) fn function_instance(
        &mut self,
        template: TemplateId,
        arguments: Rc<[TemplateArgument]>,
    ) -> Option<FunctionId> {
        if let Some(&Entity::Function(function)) = self.template(template).instances.get(&arguments) {
            return Some(function);
        }
        if self.template(template).guide.is_some() {
            return self.guide_instance(template, arguments);
        }
        if let Some((lambda, _)) = self.template(template).lambda {
            return self.lambda_instance(lambda, template, arguments);
        }
        let span = self.template(template).span;
        let made = self.in_instantiation(span, None, |sema| {
            sema.outside_of_functions(|sema| match sema.template(template).inherits {
                Some(base) => sema.inherited_instance(template, base, arguments.clone()),
                None => sema.make_function_instance(template, arguments.clone()),
            })
        });
        made.flatten()
    }
    fn inherited_instance(
        &mut self,
        template: TemplateId,
        base: TemplateId,
        arguments: Rc<[TemplateArgument]>,
    ) -> Option<FunctionId> {
        let inherited = self.function_instance(base, arguments.clone())?;
        let class = self.template(template).class?;
        let function = self.inheriting_function(class, inherited);
        self.templates[template.0 as usize]
            .instances
            .insert(arguments, Entity::Function(function));
        Some(function)
    }
    fn make_function_instance(
        &mut self,
        template: TemplateId,
        arguments: Rc<[TemplateArgument]>,
    ) -> Option<FunctionId> {
        let node = self.template(template);
        let (parameters, parent, declaration, access, class) = (
            node.parameters.clone(),
            node.scope,
            node.declaration,
            node.access,
            node.class,
        );
        let (order, body_order, friend_of) = (node.order, node.body_order, node.friend_of);
        let definition = node.definition.clone();
        let specialised = node.specialised;
        let (specifiers, declarator, own_definition) = self.function_syntax(declaration)?;
        let own_definition = own_definition.filter(|_| !specialised);
        let limit = match own_definition {
            Some(_) => body_order,
            None => order + 1,
        };
        let scope = self.binding_scope(Some(template), parent, Some(limit));
        self.bind_parameters(scope, &parameters, &arguments);
        self.access = access;
        let before = self.context.diagnostics.error_count();
        let instance = Instance {
            template,
            arguments: arguments.clone(),
            explicit: false,
        };
        let function = self.in_scope(scope, |sema| {
            let base = sema.specifiers_type(specifiers, false);
            sema.declare_function(FunctionDeclaration {
                specifiers,
                base,
                declarator,
                definition: own_definition,
                is_pure: false,
                instance: Some(instance),
            })
        })?;
        if self.context.diagnostics.error_count() > before {
            return None;
        }
        let ty = self.program.function(function).ty;
        let spoilt = self.program.types.as_function(ty).is_none_or(|ty| {
            ty.result.id == hir::Types::ERROR || ty.parameters.iter().any(|parameter| parameter.id == hir::Types::ERROR)
        });
        if spoilt {
            return None;
        }
        if let (None, Some((definition, definition_parameters, definition_scope))) = (own_definition, definition) {
            self.attach_template_definition(
                function,
                definition,
                &definition_parameters,
                definition_scope,
                &arguments,
                template,
            );
        }
        let info = &mut self.functions[function.index()];
        info.body_order = body_order;
        info.class = class.filter(|_| friend_of.is_none());
        info.friend_of = friend_of;
        self.program.function_mut(function).template_arguments = Some(arguments.to_vec());
        self.note_signature(function, template);
        self.templates[template.0 as usize]
            .instances
            .insert(arguments, Entity::Function(function));
        Some(function)
    }
    /// The definition of a template that was declared before, for an instance.
    fn attach_template_definition(
        &mut self,
        function: FunctionId,
        declaration: ast::Id<ast::Declaration>,
        parameters: &[TemplateParameter<'a>],
        parent: ScopeId,
        arguments: &[TemplateArgument],
        template: TemplateId,
    ) {
        let Some((_, _, Some(definition))) = self.function_syntax(declaration) else {
            return;
        };
        let body_order = self.template(template).body_order;
        let scope = self.binding_scope(Some(template), parent, Some(body_order));
        self.bind_parameters(scope, parameters, arguments);
        self.attach_definition(function, definition, scope, None);
        self.functions[function.index()].body_order = body_order;
    }
    /// What mangled names spell.
    pub(crate) fn note_signature(&mut self, function: FunctionId, template: TemplateId) {
        if self.program.function(function).language == hir::LanguageLinkage::C {
            return;
        }
        let pattern = self.signature_of(template);
        self.program.function_mut(function).template_signature = Some(Box::new(TemplateSignature {
            result: pattern.result.clone(),
            parameters: pattern.parameters.clone(),
            variadic: pattern.variadic,
        }));
    }
    /// Finds the definition of a function that was made without one: of a template that has got one since, or of a class template's member defined outside.
    pub(crate) fn find_outside_definition(&mut self, function: FunctionId) {
        let info = &self.functions[function.index()];
        if !matches!(info.definition, Definition::None) || self.program.function(function).is_deleted {
            return;
        }
        if let Some(instance) = info.instance.clone()
            && !instance.explicit
            && let Some((definition, parameters, scope)) = self.template(instance.template).definition.clone()
        {
            self.attach_template_definition(
                function,
                definition,
                &parameters,
                scope,
                &instance.arguments,
                instance.template,
            );
            return;
        }
        let Some(class) = self.functions[function.index()].class else {
            return;
        };
        let Some((holder, path)) = self.instance_around(class) else {
            return;
        };
        let symbol = self.functions[function.index()].name;
        let is_destructor = self.program.function(function).name == hir::FunctionName::Destructor;
        for member in self.outside_members_of(holder) {
            if member.path != path
                || (member.name != symbol && !(is_destructor && member.name == crate::source::names::EMPTY))
            {
                continue;
            }
            if is_destructor != (member.name == crate::source::names::EMPTY) {
                continue;
            }
            if self.fits_outside_member(function, class, holder, &member) {
                return;
            }
        }
    }
    /// The instance of a class template that a class is, or is a member of, and the names from there to it.
    pub(super) fn instance_around(&self, class: ClassId) -> Option<(ClassId, Vec<Symbol>)> {
        let mut path = Vec::new();
        let mut current = class;
        loop {
            if self.classes[current.index()]
                .instance
                .as_ref()
                .is_some_and(|instance| !instance.explicit)
            {
                path.reverse();
                return Some((current, path));
            }
            path.push(self.classes[current.index()].name?);
            let scope = self.classes[current.index()].scope;
            current = self.scopes.class_around(self.scopes.get(scope).parent?)?;
        }
    }
    pub(super) fn outside_members_of(&self, class: ClassId) -> Vec<OutsideMember<'a>> {
        let info = &self.classes[class.index()];
        let Some(instance) = &info.instance else {
            return Vec::new();
        };
        let template = self.template(instance.template);
        match info.partial {
            Some(index) => template.partials[index].outside_members.clone(),
            None => template.outside_members.clone(),
        }
    }
    /// The arguments that the header of an outside definition binds.
    pub(super) fn header_arguments(&mut self, holder: ClassId) -> Vec<TemplateArgument> {
        let Some(instance) = self.classes[holder.index()].instance.clone() else {
            return Vec::new();
        };
        match self.classes[holder.index()].partial {
            Some(index) => self
                .match_partial(instance.template, index, &instance.arguments)
                .unwrap_or_default(),
            None => instance.arguments.to_vec(),
        }
    }
    /// Attaches an outside definition if it is of this function.
    fn fits_outside_member(
        &mut self,
        function: FunctionId,
        class: ClassId,
        holder: ClassId,
        member: &OutsideMember<'a>,
    ) -> bool {
        let Some((specifiers, declarator, Some(definition))) = self.function_syntax(member.declaration) else {
            return false;
        };
        let arguments = self.header_arguments(holder);
        let class_scope = self.classes[class.index()].scope;
        let mut scope = self.binding_scope(None, class_scope, Some(member.order));
        self.bind_parameters(scope, &member.headers[0], &arguments);
        let instance = self.functions[function.index()].instance.clone();
        match (&instance, member.headers.get(1)) {
            (Some(instance), Some(inner)) => {
                if inner.len() != instance.arguments.len() {
                    return false;
                }
                // Of several templates of the name, the one whose declaration this is.
                if self.is_overloaded(instance.template)
                    && !self.is_identity_of(
                        instance.template,
                        inner,
                        member.requires,
                        scope,
                        (specifiers, declarator),
                    )
                {
                    return false;
                }
                scope = self.binding_scope(Some(instance.template), scope, Some(member.order));
                self.bind_parameters(scope, inner, &instance.arguments);
            }
            (None, None) => {}
            (Some(_), None) | (None, Some(_)) => return false,
        }
        if instance.is_none() && !self.fits_constraint(function, declarator, scope) {
            return false;
        }
        let has_this = self.program.function(function).has_this;
        let fits = self.trying(|sema| {
            sema.outside_of_functions(|sema| {
                sema.in_scope(scope, |sema| {
                    let name = sema.program.function(function).name.clone();
                    let base = match name {
                        hir::FunctionName::Constructor | hir::FunctionName::Destructor => {
                            hir::Types::VOID.unqualified()
                        }
                        hir::FunctionName::Conversion(to) => to,
                        _ => sema.specifiers_type(specifiers, false),
                    };
                    sema.declarator_class = has_this.then_some(class);
                    let declared = sema.declarator_type(base, declarator);
                    let ty = sema.program.types.as_function(declared.ty.id)?.clone();
                    let own = sema.program.types.as_function(sema.program.function(function).ty)?;
                    Some(
                        own.parameters == ty.parameters
                            && own.qualifiers == ty.qualifiers
                            && own.reference == ty.reference
                            && own.variadic == ty.variadic,
                    )
                })
            })
        });
        if !matches!(fits, Ok(Some(true))) {
            return false;
        }
        self.attach_definition(function, definition, scope, None);
        self.functions[function.index()].body_order = member.order;
        true
    }
    /// Whether the trailing requires-clause of a definition outside is that of a member function.
    fn fits_constraint(&mut self, function: FunctionId, declarator: ast::Id<ast::Declarator>, scope: ScopeId) -> bool {
        let Some(chunk) = self.ast[declarator].function() else {
            return false;
        };
        let Some(requires) = chunk.requires else {
            return self.functions[function.index()].constraint.is_none();
        };
        let inner = self.scopes.add(crate::sema::ScopeKind::Function(None), Some(scope));
        let parts = self.trying(|sema| sema.in_scope(inner, |sema| sema.declare_parameters(chunk)));
        for (index, part) in parts.unwrap_or_default().iter().enumerate() {
            self.signature_variables.insert(part.variable, (1, index as u32));
        }
        self.has_constraint(function, Some((requires, inner)))
    }
    /// The definition of a static member of a class template's instance, if it is outside.
    pub(crate) fn outside_variable(&mut self, variable: VariableId) -> Option<(PendingVariable<'a>, ScopeId)> {
        let info = self.variables[variable.index()];
        let (class, name) = (info.class?, info.name?);
        let (holder, path) = self.instance_around(class)?;
        let member = self
            .outside_members_of(holder)
            .into_iter()
            .find(|member| member.path == path && member.name == name && member.headers.len() == 1)?;
        let DeclarationKind::Simple {
            specifiers,
            declarators,
        } = &self.ast[member.declaration].kind
        else {
            return None;
        };
        let declarator = declarators.first()?;
        let arguments = self.header_arguments(holder);
        let class_scope = self.classes[class.index()].scope;
        let scope = self.binding_scope(None, class_scope, Some(member.order));
        self.bind_parameters(scope, &member.headers[0], &arguments);
        let pending = PendingVariable {
            specifiers: *specifiers,
            declarator,
        };
        Some((pending, scope))
    }
    /// The definition of a member class of a class template's instance, if it is outside.
    pub(crate) fn complete_outside_class(&mut self, class: ClassId) {
        let Some((holder, path)) = self.instance_around(class) else {
            return;
        };
        let Some((&name, around)) = path.split_last() else {
            return;
        };
        let member = self.outside_members_of(holder).into_iter().find(|member| {
            member.path == around && member.name == name && self.defined_class(member.declaration).is_some()
        });
        let Some(member) = member else { return };
        let Some(definition) = self.defined_class(member.declaration) else {
            return;
        };
        let arguments = self.header_arguments(holder);
        let scope = self.classes[class.index()].scope;
        let Some(parent) = self.scopes.get(scope).parent else {
            return;
        };
        let binding = self.binding_scope(None, parent, Some(member.order));
        self.bind_parameters(binding, &member.headers[0], &arguments);
        self.scopes.get_mut(scope).parent = Some(binding);
        self.beyond_traps(|sema| {
            sema.outside_of_functions(|sema| sema.in_scope(binding, |sema| sema.complete_definition(class, definition)))
        });
    }
    /// The instance of a variable template. `None` after a message.
    pub(crate) fn instantiate_variable(
        &mut self,
        template: TemplateId,
        given: &GivenArguments<'a>,
    ) -> Option<VariableId> {
        let arguments = self.match_arguments(template, given)?;
        if !self.require_constraints(template, &arguments, given.span) {
            return None;
        }
        if let Some(&Entity::Variable(variable)) = self.template(template).instances.get(&arguments) {
            return Some(variable);
        }
        let partial = self.choose_partial(template, &arguments, given.span).ok()?;
        let node = self.template(template);
        let (parameters, bound, declaration, limit) = match partial {
            Some((index, bound)) => {
                let partial = &node.partials[index];
                (
                    partial.parameters.clone(),
                    bound,
                    partial.declaration,
                    partial.order + 1,
                )
            }
            None => (
                node.parameters.clone(),
                arguments.to_vec(),
                node.declaration,
                node.body_order,
            ),
        };
        let (parent, access, class) = (node.scope, node.access, node.class);
        let entity = Instantiated::VariableTemplate(template.0);
        let DeclarationKind::Simple {
            specifiers,
            declarators,
        } = &self.ast[declaration].kind
        else {
            return None;
        };
        let declarator = declarators.first()?;
        let variable = self.in_instantiation(given.span, Some(entity), |sema| {
            sema.outside_of_functions(|sema| {
                let scope = sema.binding_scope(Some(template), parent, Some(limit));
                sema.bind_parameters(scope, &parameters, &bound);
                sema.access = access;
                sema.in_scope(scope, |sema| {
                    let base = sema.specifiers_type(*specifiers, false);
                    sema.declare_variable(VariableDeclaration {
                        specifiers: *specifiers,
                        base,
                        declarator,
                        instance: Some(Instance {
                            template,
                            arguments: arguments.clone(),
                            explicit: false,
                        }),
                    })
                })
            })
        });
        let variable = variable.flatten()?;
        self.variables[variable.index()].class = class;
        self.templates[template.0 as usize]
            .instances
            .insert(arguments, Entity::Variable(variable));
        Some(variable)
    }
}
