//! Instances of class templates ([temp.class.spec], [temp.inst]).

use std::rc::Rc;

use super::{Guide, TemplateId, TemplateKind, TemplateParameter};
use crate::hir::{self, ClassId, TemplateArgument, TypeId};
use crate::sema::context::FunctionContext;
use crate::sema::entity::Instance;
use crate::sema::scope::Access;
use crate::sema::{DEPTH_LIMIT, Entity, INSTANTIATION_LIMIT, Sema};
use crate::source::{Instantiated, Report, Span};
use crate::syntax::ast::{self, DeclarationKind, TypeSpecifier};

impl<'a> Sema<'a> {
    /// The class that a declaration defines, if it does.
    pub(super) fn defined_class(&self, declaration: ast::Id<ast::Declaration>) -> Option<ast::Id<ast::Class>> {
        match self.ast[declaration].kind {
            DeclarationKind::Simple { specifiers, .. } => match self.ast[specifiers].type_specifier {
                TypeSpecifier::Class(class) => Some(class),
                _ => None,
            },
            _ => None,
        }
    }
    /// The instance of a class template for arguments: its name; it is completed when that is needed.
    pub(crate) fn class_instance(&mut self, template: TemplateId, arguments: Rc<[TemplateArgument]>) -> ClassId {
        if let Some(&Entity::Class(class)) = self.template(template).instances.get(&arguments) {
            return class;
        }
        let node = self.template(template);
        let (name, scope, span, declaration) = (node.name, node.scope, node.span, node.declaration);
        let key = match self.defined_class(declaration) {
            Some(class) => self.ast[class].key,
            None => match self.ast[declaration].kind {
                DeclarationKind::Simple { specifiers, .. } => match self.ast[specifiers].type_specifier {
                    TypeSpecifier::ElaboratedClass { key, .. } => key,
                    _ => ast::ClassKey::Struct,
                },
                _ => ast::ClassKey::Struct,
            },
        };
        let mut class = hir::Class::new(
            Some(self.shared(name)),
            self.hir_scope(scope),
            crate::sema::class::class_kind(key),
            span,
        );
        class.template_arguments = Some(arguments.to_vec());
        let saved = std::mem::take(&mut self.function.function);
        let id = self.in_scope(scope, |sema| sema.add_class(class, Some(name)));
        self.function.function = saved;
        self.classes[id.index()].instance = Some(Instance {
            template,
            arguments: arguments.clone(),
            explicit: false,
        });
        self.templates[template.0 as usize]
            .instances
            .insert(arguments, Entity::Class(id));
        id
    }
    /// Does the work of an instantiation, within the limits, with a note for messages inside of it. `None` after a message if a limit is reached.
    pub(crate) fn in_instantiation<T>(
        &mut self,
        span: Span,
        entity: Option<Instantiated>,
        work: impl FnOnce(&mut Self) -> T,
    ) -> Option<T> {
        if self.instantiation_depth >= DEPTH_LIMIT {
            if !self.limit_reported {
                self.limit_reported = true;
                let message = format!("instantiations are nested more than {DEPTH_LIMIT} deep");
                self.beyond_traps(|sema| sema.emit(Report::error(span, message)));
            }
            return None;
        }
        self.instantiation_count += 1;
        if self.instantiation_count > INSTANTIATION_LIMIT {
            if !self.limit_reported {
                self.limit_reported = true;
                let message = format!("there are more than {INSTANTIATION_LIMIT} instantiations");
                self.beyond_traps(|sema| sema.emit(Report::error(span, message)));
            }
            return None;
        }
        self.instantiation_depth += 1;
        if let Some(entity) = entity {
            self.context.diagnostics.enter_instantiation(span, entity);
        }
        let result = work(self);
        if entity.is_some() {
            self.context.diagnostics.leave();
        }
        self.instantiation_depth -= 1;
        Some(result)
    }
    /// Says, once, that instantiations are nested too deeply.
    pub(crate) fn in_deep_instantiation(&mut self, span: Span) {
        if !self.limit_reported {
            self.limit_reported = true;
            let message = format!("instantiations are nested more than {DEPTH_LIMIT} deep");
            self.beyond_traps(|sema| sema.emit(Report::error(span, message)));
        }
    }
    /// Does something as if at namespace scope: nothing of the function around is seen.
    pub(crate) fn outside_of_functions<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> T {
        let saved = std::mem::replace(&mut self.function, FunctionContext::new());
        let saved_access = std::mem::replace(&mut self.access, Access::Public);
        let saved_linkage = (
            std::mem::take(&mut self.linkage_c),
            std::mem::take(&mut self.linkage_extern),
        );
        let saved_class = self.declarator_class.take();
        let depths = (
            std::mem::take(&mut self.type_depth),
            std::mem::take(&mut self.declaration_depth),
            std::mem::take(&mut self.statement_depth),
        );
        let result = work(self);
        (self.type_depth, self.declaration_depth, self.statement_depth) = depths;
        self.declarator_class = saved_class;
        (self.linkage_c, self.linkage_extern) = saved_linkage;
        self.access = saved_access;
        self.function = saved;
        result
    }
    /// Reads the definition that fits for an instance.
    pub(crate) fn instantiate_class(&mut self, class: ClassId) {
        let Some(instance) = self.classes[class.index()].instance.clone() else {
            return;
        };
        if instance.explicit {
            return;
        }
        let span = self.program.class(class).span;
        let entity = Instantiated::Class(class.index() as u32);
        let done = self.in_instantiation(span, Some(entity), |sema| {
            sema.beyond_traps(|sema| sema.outside_of_functions(|sema| sema.instantiate_from(class, &instance, span)));
        });
        if done.is_none() {
            self.classes[class.index()].state = crate::sema::ClassState::Failed;
        }
    }
    fn instantiate_from(&mut self, class: ClassId, instance: &Instance, span: Span) {
        let template = instance.template;
        self.take_outside_definitions(template);
        let partial = match self.choose_partial(template, &instance.arguments, span) {
            Ok(partial) => partial,
            Err(()) => {
                self.classes[class.index()].state = crate::sema::ClassState::Failed;
                return;
            }
        };
        self.classes[class.index()].partial = partial.as_ref().map(|&(index, _)| index);
        let node = self.template(template);
        let (parameters, arguments, definition, parent, limit) = match partial {
            Some((index, arguments)) => {
                let partial = &node.partials[index];
                (
                    partial.parameters.clone(),
                    arguments,
                    partial.class,
                    partial.scope.unwrap_or(node.scope),
                    partial.order + 1,
                )
            }
            None => {
                let definition = node.definition.as_ref();
                let parameters = definition.map_or(node.parameters.clone(), |definition| definition.1.clone());
                let class = definition.and_then(|definition| self.defined_class(definition.0));
                let is_outside = definition.is_some_and(|definition| node.taken.contains(&definition.0));
                let scope = definition.filter(|_| is_outside).map(|definition| definition.2);
                (
                    parameters,
                    instance.arguments.to_vec(),
                    class,
                    scope.unwrap_or(node.scope),
                    node.body_order,
                )
            }
        };
        let Some(definition) = definition else {
            return;
        };
        let binding = self.binding_scope(Some(template), parent, Some(limit));
        self.bind_parameters(binding, &parameters, &arguments);
        let scope = self.classes[class.index()].scope;
        self.scopes.get_mut(scope).parent = Some(binding);
        self.program.class_mut(class).kind = crate::sema::class::class_kind(self.ast[definition].key);
        self.in_scope(binding, |sema| sema.complete_definition(class, definition));
    }
    /// The partial specialisation that fits best, and the arguments of its parameters ([temp.class.spec.match]).
    pub(super) fn choose_partial(
        &mut self,
        template: TemplateId,
        arguments: &[TemplateArgument],
        span: Span,
    ) -> Result<Option<(usize, Vec<TemplateArgument>)>, ()> {
        let mut fitting: Vec<(usize, Vec<TemplateArgument>)> = Vec::new();
        for index in 0..self.template(template).partials.len() {
            if let Some(bound) = self.match_partial(template, index, arguments) {
                fitting.push((index, bound));
            }
        }
        if fitting.len() <= 1 {
            return Ok(fitting.pop());
        }
        let best = (0..fitting.len()).find(|&one| {
            (0..fitting.len()).all(|other| {
                one == other
                    || self.partial_is_more_specialised(template, fitting[one].0, fitting[other].0)
                    || !self.partial_is_more_specialised(template, fitting[other].0, fitting[one].0)
                        && self.more_constrained_partial(
                            template,
                            (fitting[one].0, &fitting[one].1),
                            (fitting[other].0, &fitting[other].1),
                        ) == std::cmp::Ordering::Less
            })
        });
        match best {
            Some(best) => Ok(Some(fitting.swap_remove(best))),
            None => {
                let mut report = Report::error(
                    span,
                    "more than one partial specialisation fits, and none is the most specialised",
                );
                for (index, _) in &fitting {
                    let place = self.template(template).partials[*index].span;
                    report = report.note_at(place, "this one fits");
                }
                self.emit(report);
                Err(())
            }
        }
    }
    /// A type that stands for a class template whose arguments are to be deduced.
    pub(crate) fn placeholder_of(&mut self, template: TemplateId) -> TypeId {
        let known = self.placeholder_types.get(&template).copied();
        if let Some(known) = known {
            return known;
        }
        let node = self.template(template);
        let (name, scope, span) = (node.name, node.scope, node.span);
        let class = hir::Class::new(
            Some(self.shared(name)),
            self.hir_scope(scope),
            hir::ClassKind::Class,
            span,
        );
        let class = self.in_scope(scope, |sema| sema.add_class(class, Some(name)));
        let ty = self.class_type(class);
        self.placeholders.insert(ty, template);
        self.placeholder_types.insert(template, ty);
        ty
    }
    /// A new template.
    pub(crate) fn add_template(
        &mut self,
        kind: TemplateKind,
        name: crate::source::Symbol,
        scope: crate::sema::ScopeId,
        parameters: Vec<TemplateParameter<'a>>,
        declaration: ast::Id<ast::Declaration>,
        span: Span,
    ) -> TemplateId {
        let id = TemplateId(self.templates.len() as u32);
        let class = match self.scopes.kind(scope) {
            crate::sema::ScopeKind::Class(class) => Some(class),
            _ => None,
        };
        let requires = self.requires_clause.take();
        self.templates.push(super::Template {
            kind,
            requires,
            lambda: None,
            name,
            scope,
            class,
            access: if class.is_some() { self.access } else { Access::Public },
            parameters: parameters.into(),
            declaration,
            definition: None,
            instances: Default::default(),
            partials: Vec::new(),
            outside_members: Vec::new(),
            taken: Vec::new(),
            guides: Vec::new(),
            guides_made: false,
            friend_of: None,
            order: self.clock,
            signature: None,
            identity: None,
            guide: None::<Guide>,
            inherits: None,
            specialised: false,
            body_order: self.clock + 1,
            span,
        });
        id
    }
}
