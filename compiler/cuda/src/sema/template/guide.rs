//! Class template argument deduction ([over.match.class.deduct], [temp.deduct.guide]).

use std::rc::Rc;

use super::substitute::opaque;
use super::{FunctionPattern, Guide, GuideSource, TemplateId, TemplateKind, TemplateParameter};
use crate::hir::pattern::TypePattern;
use crate::hir::{self, FunctionId, QualifiedType, TemplateArgument};
use crate::sema::entity::{Callable, Candidate, DefaultArgument};
use crate::sema::lookup::Wanted;
use crate::sema::scope::ScopeKind;
use crate::sema::{Access, Entity, Sema};
use crate::source::{Report, Span, Symbol};
use crate::syntax::ast::{self, DeclarationKind, TypeSpecifier};

/// The default arguments of a guide's parameters, and where their names are looked up.
type GuideDefaults = Vec<Option<(ast::Id<ast::Expression>, crate::sema::ScopeId)>>;

impl<'a> Sema<'a> {
    /// The constructors' and guides' candidates for class template argument deduction ([over.match.class.deduct]): functions whose results are instances of the
    /// template. The winner's result type is the type deduced.
    pub fn class_template_guides(&mut self, template: TemplateId) -> Vec<Candidate> {
        if !self.template(template).guides_made {
            self.templates[template.0 as usize].guides_made = true;
            self.make_guides(template);
        }
        self.template(template).guides.clone()
    }
    fn make_guides(&mut self, template: TemplateId) {
        let ast = self.ast;
        let node = self.template(template);
        let (name, definition) = (node.name, node.definition.clone());
        // Of a template that is only declared (and specialised) an object can still be copied.
        let (declaration, parameters) = match definition {
            Some((declaration, parameters, _)) => (declaration, parameters),
            None => (node.declaration, node.parameters.clone()),
        };
        let mut any = false;
        let class = self.defined_class(declaration);
        for member in class.iter().flat_map(|&class| &ast[class].members) {
            let (own, inner, requires) = match &ast[member.declaration].kind {
                DeclarationKind::Template {
                    parameters,
                    requires,
                    declaration,
                } => (self.template_parameters(parameters), *declaration, *requires),
                _ => (Vec::new(), member.declaration, None),
            };
            let Some((specifiers, declarator, _)) = self.function_syntax(inner) else {
                continue;
            };
            let is_constructor = matches!(ast[specifiers].type_specifier, TypeSpecifier::None)
                && ast[declarator].name.and_then(|name| ast[name].as_identifier()) == Some(name)
                && ast[declarator].function().is_some();
            if !is_constructor {
                continue;
            }
            any = true;
            let explicit = matches!(ast[specifiers].explicit, ast::ExplicitSpecifier::Always);
            let own = self.with_invented_parameters(own, &ast[declarator]);
            self.add_guide(
                template,
                &parameters,
                own,
                inner,
                (GuideSource::Constructor(declarator), requires),
                explicit,
            );
        }
        if !any {
            self.add_guide(
                template,
                &parameters,
                Vec::new(),
                declaration,
                (GuideSource::Default, None),
                false,
            );
        }
        let copy = (GuideSource::Copy, None);
        self.add_guide(template, &parameters, Vec::new(), declaration, copy, false);
    }
    fn add_guide(
        &mut self,
        template: TemplateId,
        class_parameters: &Rc<[TemplateParameter<'a>]>,
        own: Vec<TemplateParameter<'a>>,
        declaration: ast::Id<ast::Declaration>,
        (source, requires): (GuideSource, Option<ast::Id<ast::Expression>>),
        explicit: bool,
    ) {
        let node = self.template(template);
        let (name, scope, span) = (node.name, node.scope, node.span);
        // Default arguments may be on the first declaration.
        let mut parameters: Vec<TemplateParameter<'a>> = class_parameters.to_vec();
        super::take_defaults(&mut parameters, &node.parameters);
        let count = parameters.len();
        parameters.extend(own);
        let guide = self.add_template(TemplateKind::Function, name, scope, parameters, declaration, span);
        let entry = &mut self.templates[guide.0 as usize];
        entry.class = None;
        entry.access = Access::Public;
        entry.guide = Some(Guide {
            requires,
            class_template: template,
            source,
            class_parameters: count,
            explicit,
        });
        self.templates[template.0 as usize]
            .guides
            .push(Candidate::new(Callable::Template(guide)));
    }
    /// `X(T) -> X<T>;`.
    pub(crate) fn deduction_guide(
        &mut self,
        id: ast::Id<ast::Declaration>,
        parameters: Option<Vec<TemplateParameter<'a>>>,
    ) {
        let ast = self.ast;
        let DeclarationKind::DeductionGuide {
            explicit,
            name,
            name_span,
            ..
        } = &ast[id].kind
        else {
            return;
        };
        let hits = self.search_outwards(*name, Wanted::Type);
        let template = hits.list.iter().find_map(|declared| match declared.entity {
            Entity::Template(template) if self.template(template).kind == TemplateKind::Class => Some(template),
            _ => None,
        });
        let Some(template) = template else {
            let message = format!("`{}` is no class template that a guide could be for", self.text(*name));
            self.error(*name_span, message);
            return;
        };
        let explicit = match explicit {
            ast::ExplicitSpecifier::None => false,
            ast::ExplicitSpecifier::Always => true,
            ast::ExplicitSpecifier::If(condition) => self.constant_bool(*condition).unwrap_or(false),
        };
        let scope = self.scope;
        let own = parameters.unwrap_or_default();
        let guide = self.add_template(TemplateKind::Function, *name, scope, own, id, *name_span);
        let entry = &mut self.templates[guide.0 as usize];
        entry.class = None;
        entry.access = Access::Public;
        entry.guide = Some(Guide {
            requires: None,
            class_template: template,
            source: GuideSource::Written,
            class_parameters: 0,
            explicit,
        });
        self.templates[template.0 as usize]
            .guides
            .push(Candidate::new(Callable::Template(guide)));
    }
    /// The signature of a guide with parameters in it.
    pub(super) fn guide_signature(&mut self, template: TemplateId) -> FunctionPattern {
        let ast = self.ast;
        let node = self.template(template);
        let (parameters, parent, declaration) = (node.parameters.clone(), node.scope, node.declaration);
        let empty = FunctionPattern {
            parameters: Vec::new(),
            defaults: Vec::new(),
            result: opaque(),
            variadic: false,
        };
        let Some(guide) = node.guide else { return empty };
        let class_template = guide.class_template;
        let count = guide.class_parameters as u32;
        let scope = self.unbound_scope(&parameters, parent, 0);
        self.in_scope(scope, |sema| match guide.source {
            GuideSource::Default => empty,
            GuideSource::Copy => {
                let arguments = (0..count)
                    .map(|index| sema.own_argument(class_template, index))
                    .collect();
                let own = sema.specialisation_pattern(class_template, arguments);
                FunctionPattern {
                    parameters: vec![own.clone()],
                    defaults: vec![false],
                    result: own,
                    variadic: false,
                }
            }
            GuideSource::Written => {
                let DeclarationKind::DeductionGuide {
                    parameters,
                    is_variadic,
                    result,
                    ..
                } = &ast[declaration].kind
                else {
                    return empty;
                };
                let mut patterns = Vec::new();
                let mut defaults = Vec::new();
                for &parameter in parameters {
                    let node = &ast[parameter];
                    let pattern = sema.declared_pattern(node.specifiers, node.declarator);
                    let pattern = sema.adjusted(pattern);
                    patterns.push(match ast[node.declarator].pack {
                        true => TypePattern::Expansion(Box::new(pattern)),
                        false => pattern,
                    });
                    defaults.push(node.default.is_some());
                }
                FunctionPattern {
                    parameters: patterns,
                    defaults,
                    result: sema.type_pattern(*result),
                    variadic: *is_variadic,
                }
            }
            GuideSource::Constructor(declarator) => {
                let Some(function) = ast[declarator].function() else {
                    return empty;
                };
                sema.note_guide_members(class_template);
                let saved = sema.guide_class.replace((class_template, count));
                let (patterns, _) = sema.prototype(function);
                sema.guide_class = saved;
                sema.guide_members.clear();
                FunctionPattern {
                    parameters: patterns,
                    defaults: function
                        .parameters
                        .iter()
                        .map(|&parameter| ast[parameter].default.is_some())
                        .collect(),
                    result: opaque(),
                    variadic: function.is_variadic,
                }
            }
        })
    }
    /// The member types that a class template's constructors may name.
    fn note_guide_members(&mut self, template: TemplateId) {
        let ast = self.ast;
        let Some((declaration, _, _)) = self.template(template).definition.clone() else {
            return;
        };
        let Some(class) = self.defined_class(declaration) else {
            return;
        };
        for member in &ast[class].members {
            match &ast[member.declaration].kind {
                DeclarationKind::Alias { name, type_id, .. } => {
                    let node = &ast[*type_id];
                    self.guide_members.insert(*name, (node.specifiers, node.declarator));
                }
                DeclarationKind::Simple {
                    specifiers,
                    declarators,
                } if ast[*specifiers].is_typedef => {
                    for declarator in declarators.iter().map(|it| it.declarator) {
                        if let Some(name) = ast[declarator].name.and_then(|name| ast[name].as_identifier()) {
                            self.guide_members.insert(name, (*specifiers, declarator));
                        }
                    }
                }
                _ => {}
            }
        }
    }
    /// A guide for arguments: a function that returns the class.
    pub(super) fn guide_instance(
        &mut self,
        template: TemplateId,
        arguments: Rc<[TemplateArgument]>,
    ) -> Option<FunctionId> {
        let node = self.template(template);
        let (parameters, parent, declaration, span) =
            (node.parameters.clone(), node.scope, node.declaration, node.span);
        let guide = node.guide?;
        let function = self.outside_of_functions(|sema| {
            let scope = sema.binding_scope(Some(template), parent, None);
            sema.bind_parameters(scope, &parameters, &arguments);
            match guide.source {
                GuideSource::Written => sema.in_scope(scope, |sema| sema.written_guide(declaration)),
                GuideSource::Default | GuideSource::Copy | GuideSource::Constructor(_) => {
                    let class_arguments: Rc<[TemplateArgument]> = arguments[..guide.class_parameters].into();
                    // The constraints of the class are the guide's, too ([over.match.class.deduct]/1.1).
                    if !sema.require_constraints(guide.class_template, &class_arguments, span) {
                        return None;
                    }
                    let class = sema.class_instance(guide.class_template, class_arguments);
                    let result = sema.class_type(class).unqualified();
                    match guide.source {
                        GuideSource::Constructor(declarator) => {
                            sema.complete_class(class);
                            // The constructor's parameters are read in the class itself, where its member types are known.
                            let class_scope = sema.classes[class.index()].scope;
                            let own = sema.binding_scope(Some(template), class_scope, None);
                            // Those of the class, too: the class may be a specialisation, which has others.
                            sema.bind_parameters(own, &parameters, &arguments);
                            sema.in_scope(own, |sema| {
                                let void = hir::Types::VOID.unqualified();
                                let declared = sema.declarator_type(void, declarator);
                                sema.require_guide_conditions(template, guide.requires, declarator, own)?;
                                let mut ty = sema.program.types.as_function(declared.ty.id)?.clone();
                                ty.result = result;
                                let defaults = declared.function.map(|parts| {
                                    parts
                                        .parameters
                                        .iter()
                                        .map(|parameter| parameter.default.map(|default| (default, parameter.scope)))
                                        .collect()
                                });
                                Some((ty, defaults.unwrap_or_default()))
                            })
                        }
                        GuideSource::Copy => Some((hir::FunctionType::new(result, vec![result]), vec![None])),
                        GuideSource::Default | GuideSource::Written => {
                            Some((hir::FunctionType::new(result, Vec::new()), Vec::new()))
                        }
                    }
                }
            }
        });
        let (ty, defaults): (hir::FunctionType, GuideDefaults) = function?;
        if ty.result.id == hir::Types::ERROR || ty.parameters.iter().any(|parameter| parameter.id == hir::Types::ERROR)
        {
            return None;
        }
        Some(self.finish_guide(template, arguments, ty, defaults, guide, span))
    }
    /// The conditions of a constructor, in a scope in which all parameters are bound; `None` after a message.
    fn require_guide_conditions(
        &mut self,
        template: TemplateId,
        requires: Option<ast::Id<ast::Expression>>,
        declarator: ast::Id<ast::Declarator>,
        scope: crate::sema::ScopeId,
    ) -> Option<()> {
        let function = self.ast[declarator].function()?;
        let inner = self.scopes.add(ScopeKind::Function(None), Some(scope));
        if function.requires.is_some() {
            self.in_scope(inner, |sema| sema.declare_parameters(function));
        }
        for (condition, scope) in [(requires, scope), (function.requires, inner)] {
            let Some(condition) = condition else { continue };
            if let Err(why) = self.holds(condition, scope) {
                let name = self.text(self.template(template).name);
                let message = format!("the arguments do not meet the constraints of a constructor of `{name}`");
                self.emit(Report::error(self.ast[condition].span, message).note_at(why.span, why.reason));
                return None;
            }
        }
        Some(())
    }
    fn finish_guide(
        &mut self,
        template: TemplateId,
        arguments: Rc<[TemplateArgument]>,
        ty: hir::FunctionType,
        defaults: Vec<Option<(ast::Id<ast::Expression>, crate::sema::ScopeId)>>,
        guide: Guide,
        span: Span,
    ) -> FunctionId {
        let name: Symbol = self.template(template).name;
        let shared = self.shared(name);
        let ty = self.program.types.function(ty);
        let scope = hir::Scope::Namespace(hir::Program::GLOBAL);
        let mut function = hir::Function::new(hir::FunctionName::Identifier(shared), scope, ty, span);
        function.space.host = true;
        function.space.device = true;
        function.is_explicit = guide.explicit;
        let id = self.add_function(function, name);
        for (slot, default) in self.functions[id.index()].defaults.iter_mut().zip(defaults) {
            if let Some((default, scope)) = default {
                *slot = DefaultArgument::Syntax(default, scope);
            }
        }
        self.templates[template.0 as usize]
            .instances
            .insert(arguments, Entity::Function(id));
        id
    }
    #[allow(clippy::type_complexity)] // a signature and its default arguments
    fn written_guide(
        &mut self,
        declaration: ast::Id<ast::Declaration>,
    ) -> Option<(
        hir::FunctionType,
        Vec<Option<(ast::Id<ast::Expression>, crate::sema::ScopeId)>>,
    )> {
        let ast = self.ast;
        let DeclarationKind::DeductionGuide { parameters, result, .. } = &ast[declaration].kind else {
            return None;
        };
        let parts = self.declare_parameter_list(parameters);
        let types: Vec<QualifiedType> = parts
            .iter()
            .map(|part| self.program.variable(part.variable).ty)
            .map(|ty| {
                if self.program.types.is_reference(ty.id) {
                    ty
                } else {
                    ty.unqualified()
                }
            })
            .collect();
        let result = self.type_of_type_id(*result);
        let defaults = parts
            .iter()
            .map(|part| part.default.map(|default| (default, part.scope)))
            .collect();
        Some((hir::FunctionType::new(result, types), defaults))
    }
    /// The type of a class template without arguments whose variable has no initialiser: all arguments by default.
    pub(crate) fn deduce_class_by_default(&mut self, template: TemplateId, span: Span) -> Option<QualifiedType> {
        self.deduce_class_from_initialiser(template, None, span)
    }
}
