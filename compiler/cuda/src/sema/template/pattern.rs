//! Types as templates write them: with the template's own parameters in them. Deduction, ordering and mangling read them.

use std::rc::Rc;

use super::pack::Pattern;
use super::substitute::{has_opaque, is_expansion, opaque, qualified, substitute, substitute_argument, visit_all};
use super::walk::Walk;
use super::{FunctionPattern, GivenArgument, TemplateId, TemplateKind, TemplateParameter, UnboundParameter};
use crate::hir::pattern::{ArgumentPattern, ExpressionPattern, TypePattern, UntypedValue};
use crate::hir::{self, Qualifiers, RefQualifier, Types};
use crate::sema::lookup::Wanted;
use crate::sema::scope::{ScopeId, ScopeKind};
use crate::sema::{Entity, Sema};
use crate::source::Symbol;
use crate::syntax::ast::{self, DeclaratorChunk, QualifierPart, TemplateArgumentKind, TypeSpecifier, UnqualifiedName};

/// Deepest nesting of patterns.
pub(super) const PATTERN_DEPTH: usize = 128;

impl<'a> Sema<'a> {
    /// A scope in which parameters stand for themselves, unbound; their places count from `first`.
    pub(super) fn unbound_scope(
        &mut self,
        parameters: &[TemplateParameter<'a>],
        parent: ScopeId,
        first: u32,
    ) -> ScopeId {
        let scope = self.scopes.add(ScopeKind::Template(None), Some(parent));
        for (index, parameter) in parameters.iter().enumerate() {
            if let Some(name) = parameter.name {
                let span = parameter.syntax.map_or(crate::source::Span::NONE, |syntax| syntax.span);
                let unbound = UnboundParameter {
                    depth: 0,
                    index: first + index as u32,
                    kind: UnboundKind::of(parameter),
                    pack: parameter.pack,
                };
                self.in_scope(scope, |sema| sema.declare(name, Entity::Parameter(unbound), span));
            }
        }
        scope
    }
    /// Whether a type-id, read in an instance of a template, names a parameter of it, or a type of the class around that may.
    pub(crate) fn mentions_bound_parameters(&mut self, type_id: ast::Id<ast::TypeId>) -> bool {
        let mut names: Vec<Symbol> = Vec::new();
        let mut visit = |name: Symbol| names.push(name);
        let mut walker: Walk<'a, &mut dyn FnMut(Symbol)> = Walk {
            ast: self.ast,
            mentions_this: false,
            through_expansions: true,
            visit: &mut visit,
        };
        walker.type_id(type_id);
        names.into_iter().any(|name| {
            let declared_in = self
                .scopes
                .outwards(self.scope)
                .find(|&scope| !self.scopes.get(scope).get(name).is_empty());
            match declared_in.map(|scope| self.scopes.kind(scope)) {
                Some(ScopeKind::Template(_)) => true,
                Some(ScopeKind::Class(class)) => self.is_within_instance(class),
                _ => false,
            }
        })
    }
    /// Whether syntax names a parameter that is not bound.
    pub(super) fn mentions_parameters(&mut self, walk: impl FnOnce(&mut Walk<'a, &mut dyn FnMut(Symbol)>)) -> bool {
        let mut names: Vec<Symbol> = Vec::new();
        {
            let mut visit = |name: Symbol| {
                if !names.contains(&name) {
                    names.push(name);
                }
            };
            let mut walker: Walk<'a, &mut dyn FnMut(Symbol)> = Walk {
                ast: self.ast,
                mentions_this: false,
                through_expansions: true,
                visit: &mut visit,
            };
            walk(&mut walker);
        }
        names.into_iter().any(|name| {
            let hits = self.search_outwards(name, Wanted::Anything);
            let is_parameter = hits.list.first().is_some_and(|declared| {
                matches!(declared.entity, Entity::Parameter(_)) || self.bound_place(name).is_some()
            });
            is_parameter || self.guide_members.contains_key(&name)
        })
    }
    /// The pattern of a type-id.
    pub(super) fn type_pattern(&mut self, id: ast::Id<ast::TypeId>) -> TypePattern {
        let ast = self.ast;
        self.declared_pattern(ast[id].specifiers, ast[id].declarator)
    }
    /// The pattern of specifiers with a declarator.
    pub(super) fn declared_pattern(
        &mut self,
        specifiers: ast::Id<ast::Specifiers>,
        declarator: ast::Id<ast::Declarator>,
    ) -> TypePattern {
        if self.type_depth > PATTERN_DEPTH {
            return opaque();
        }
        self.type_depth += 1;
        let dependent = self.mentions_parameters(|walk| {
            walk.specifiers(specifiers);
            walk.declarator(declarator);
        });
        let known = match dependent {
            true => None,
            false => self
                .trying(|sema| {
                    let base = sema.specifiers_type(specifiers, false);
                    sema.declarator_type(base, declarator).ty
                })
                .ok(),
        };
        let pattern = match known {
            Some(ty) => TypePattern::Type(ty),
            None => {
                let base = self.specifiers_pattern(specifiers);
                self.chunks_pattern(base, declarator)
            }
        };
        self.type_depth -= 1;
        pattern
    }
    /// The pattern of specifiers alone.
    pub(super) fn specifiers_pattern(&mut self, id: ast::Id<ast::Specifiers>) -> TypePattern {
        let ast = self.ast;
        let node = &ast[id];
        let qualifiers = self.qualifiers(node.qualifiers, node.span);
        if !self.mentions_parameters(|walk| walk.specifiers(id)) {
            match self.trying(|sema| sema.specifiers_type(id, false)) {
                Ok(ty) if ty.id == Types::AUTO => return TypePattern::Auto { decltype: false },
                Ok(ty) if ty.id == Types::DECLTYPE_AUTO => return TypePattern::Auto { decltype: true },
                Ok(ty) => return TypePattern::Type(ty),
                // What has no type here (`decltype(this->f())` in a signature) is known by its structure.
                Err(_) => {}
            }
        }
        let pattern = match &node.type_specifier {
            TypeSpecifier::Name { name, .. }
            | TypeSpecifier::ElaboratedClass { name, .. }
            | TypeSpecifier::ElaboratedEnum { name } => self.name_pattern(*name),
            TypeSpecifier::TypeofType(type_id) => self.type_pattern(*type_id),
            TypeSpecifier::Decltype(expression) => {
                // Not `decltype(e)` alone: parentheses around a name matter.
                let parenthesised = matches!(ast[*expression].kind, ast::ExpressionKind::Parenthesized(inner)
                    if matches!(ast[inner].kind, ast::ExpressionKind::Name(_) | ast::ExpressionKind::Member { .. }));
                let structure = self.structure(*expression);
                TypePattern::Decltype(Box::new(match parenthesised {
                    true => ExpressionPattern::Operator("", vec![structure]),
                    false => structure,
                }))
            }
            TypeSpecifier::TypeofExpression(expression) => {
                let structure = self.structure(*expression);
                TypePattern::Decltype(Box::new(ExpressionPattern::Operator("u8__typeof", vec![structure])))
            }
            TypeSpecifier::Transform { transform, operand } => {
                TypePattern::Transform(transform.spelling(), Box::new(self.type_pattern(*operand)))
            }
            TypeSpecifier::Auto => TypePattern::Auto { decltype: false },
            TypeSpecifier::DecltypeAuto => TypePattern::Auto { decltype: true },
            TypeSpecifier::None
            | TypeSpecifier::Builtin(_)
            | TypeSpecifier::Class(_)
            | TypeSpecifier::Enum(_)
            | TypeSpecifier::Complex(_)
            | TypeSpecifier::Error => opaque(),
        };
        qualified(qualifiers, pattern)
    }
    fn chunks_pattern(&mut self, base: TypePattern, id: ast::Id<ast::Declarator>) -> TypePattern {
        let ast = self.ast;
        let declarator = &ast[id];
        let mut pattern = base;
        for chunk in declarator.chunks.iter().rev() {
            pattern = match chunk {
                DeclaratorChunk::Pointer { qualifiers } => {
                    let qualifiers = self.qualifiers(*qualifiers, declarator.span);
                    qualified(qualifiers, TypePattern::Pointer(Box::new(pattern)))
                }
                DeclaratorChunk::LvalueReference { .. } => TypePattern::LValueReference(Box::new(pattern)),
                DeclaratorChunk::RvalueReference { .. } => TypePattern::RValueReference(Box::new(pattern)),
                DeclaratorChunk::MemberPointer { class, qualifiers, .. } => {
                    let qualifiers = self.qualifiers(*qualifiers, declarator.span);
                    let class = self.qualifier_pattern(class);
                    qualified(
                        qualifiers,
                        TypePattern::MemberPointer {
                            class: Box::new(class),
                            pointee: Box::new(pattern),
                        },
                    )
                }
                DeclaratorChunk::Array { size, .. } => {
                    let size = size.map(|size| self.expression_pattern(size));
                    TypePattern::Array(Box::new(pattern), size)
                }
                DeclaratorChunk::Function(function) => {
                    let (parameters, scope) = self.prototype(function);
                    let result = match function.trailing_return {
                        Some(trailing) => self.in_scope(scope, |sema| sema.type_pattern(trailing)),
                        None => pattern,
                    };
                    TypePattern::Function {
                        result: Box::new(result),
                        parameters,
                        variadic: function.is_variadic,
                        qualifiers: self.qualifiers(function.qualifiers, declarator.span),
                        noexcept: match function.exception {
                            ast::ExceptionSpecification::Noexcept => {
                                Some(Box::new(ExpressionPattern::Literal(Types::BOOL.unqualified(), 1)))
                            }
                            ast::ExceptionSpecification::NoexceptIf(condition) => Some(Box::new(
                                self.in_scope(scope, |sema| sema.expression_pattern(condition)),
                            )),
                            ast::ExceptionSpecification::None | ast::ExceptionSpecification::Dynamic => None,
                        },
                        reference: match function.reference {
                            ast::ReferenceQualifier::None => RefQualifier::None,
                            ast::ReferenceQualifier::Lvalue => RefQualifier::LValue,
                            ast::ReferenceQualifier::Rvalue => RefQualifier::RValue,
                        },
                    }
                }
            };
        }
        pattern
    }
    /// The patterns of a function's parameters, adjusted as types are, and the scope in which their names are known to what stands behind the list.
    pub(super) fn prototype(&mut self, function: &'a ast::FunctionDeclarator) -> (Vec<TypePattern>, ScopeId) {
        let scope = self.scopes.add(ScopeKind::Function(None), Some(self.scope));
        let named = function.trailing_return.is_some() || function.requires.is_some();
        let patterns = self.in_scope(scope, |sema| sema.list_patterns(&function.parameters, named));
        (patterns, scope)
    }
    /// The patterns of the parameters of a requires-expression, whose names are declared in the current scope.
    pub(super) fn prototype_patterns(&mut self, parameters: &'a [ast::Id<ast::Parameter>]) -> Vec<TypePattern> {
        self.list_patterns(parameters, true)
    }
    /// The patterns of a list of parameters. `named`: expressions behind the list may name them, so that those whose types are known are variables.
    fn list_patterns(&mut self, parameters: &'a [ast::Id<ast::Parameter>], named: bool) -> Vec<TypePattern> {
        let ast = self.ast;
        let mut patterns = Vec::new();
        self.prototype_depth += 1;
        for (index, &id) in parameters.iter().enumerate() {
            let parameter = &ast[id];
            let pack = ast[parameter.declarator].pack;
            if pack && let Some(elements) = self.bound_pack_patterns(id) {
                patterns.extend(elements);
                continue;
            }
            let pattern = match self.invented_parameter(id) {
                Some(symbol) if self.is_unbound(symbol) => {
                    let base = match self.first_entity(symbol) {
                        Some(Entity::Parameter(UnboundParameter { depth, index, .. })) => {
                            TypePattern::Parameter { depth, index }
                        }
                        _ => opaque(),
                    };
                    let qualifiers = self.qualifiers(ast[parameter.specifiers].qualifiers, parameter.span);
                    let base = qualified(qualifiers, base);
                    self.chunks_pattern(base, parameter.declarator)
                }
                _ => self.declared_pattern(parameter.specifiers, parameter.declarator),
            };
            let pattern = self.adjusted(pattern);
            if let Some(name) = ast[parameter.declarator]
                .name
                .and_then(|name| ast[name].as_identifier())
            {
                self.declare_prototype_name(name, &pattern, index as u32, pack, named);
            }
            patterns.push(match pack {
                true => TypePattern::Expansion(Box::new(pattern)),
                false => pattern,
            });
        }
        self.prototype_depth -= 1;
        patterns
    }
    fn declare_prototype_name(&mut self, name: Symbol, pattern: &TypePattern, index: u32, pack: bool, named: bool) {
        let depth = self.prototype_depth;
        let entity = match pattern {
            TypePattern::Type(ty) if !pack => {
                if !named {
                    return;
                }
                let variable = hir::Variable::new(
                    Some(self.shared(name)),
                    hir::Scope::Namespace(hir::Program::GLOBAL),
                    *ty,
                    hir::StorageDuration::Parameter,
                    crate::source::Span::NONE,
                );
                let variable = self.add_variable(variable, Some(name));
                self.signature_variables.insert(variable, (depth, index));
                Entity::Variable(variable)
            }
            _ => Entity::Parameter(UnboundParameter {
                depth,
                index,
                kind: UnboundKind::FunctionParameter,
                pack,
            }),
        };
        self.declare(name, entity, crate::source::Span::NONE);
        if let Some(list) = self.scopes.get_mut(self.scope).get_mut(name) {
            for declared in list {
                declared.order = 0;
            }
        }
    }
    /// The patterns of a parameter pack whose packs are all known, as those of the class around a member template are: one for each element.
    fn bound_pack_patterns(&mut self, id: ast::Id<ast::Parameter>) -> Option<Vec<TypePattern>> {
        let parameter = &self.ast[id];
        if self.mentions_parameters(|walk| walk.parameter(id)) || self.packs_in(Pattern::Parameter(id)).is_empty() {
            return None;
        }
        self.expand(Pattern::Parameter(id), parameter.span, |sema| {
            let pattern = sema.declared_pattern(parameter.specifiers, parameter.declarator);
            sema.adjusted(pattern)
        })
    }
    fn is_unbound(&mut self, symbol: Symbol) -> bool {
        matches!(self.first_entity(symbol), Some(Entity::Parameter(_)))
    }
    /// Arrays and functions become pointers, top-level qualifiers go ([dcl.fct]/5).
    pub(super) fn adjusted(&mut self, pattern: TypePattern) -> TypePattern {
        match pattern {
            TypePattern::Array(element, _) => TypePattern::Pointer(element),
            TypePattern::Function { .. } => TypePattern::Pointer(Box::new(pattern)),
            TypePattern::Qualified(_, inner) => self.adjusted(*inner),
            TypePattern::Type(ty) => {
                let adjusted = self.adjust_parameter(ty, crate::source::Span::NONE);
                TypePattern::Type(match self.program.types.is_reference(adjusted.id) {
                    true => adjusted,
                    false => adjusted.unqualified(),
                })
            }
            other => other,
        }
    }
    /// The pattern of a name of a type.
    pub(super) fn name_pattern(&mut self, id: ast::Id<ast::QualifiedName>) -> TypePattern {
        let ast = self.ast;
        let node = &ast[id];
        let dependent_qualifier = self.mentions_parameters(|walk| {
            for qualifier in &node.qualifiers {
                walk.qualifier(qualifier);
            }
        });
        if dependent_qualifier {
            let of = self.qualifier_pattern(&node.qualifiers);
            return match &node.last {
                UnqualifiedName::Identifier(name) => TypePattern::Member {
                    of: Box::new(of),
                    name: self.shared(*name),
                    arguments: None,
                },
                UnqualifiedName::Template { name, arguments } => TypePattern::Member {
                    of: Box::new(of),
                    name: self.shared(*name),
                    arguments: Some(self.argument_patterns(arguments, None)),
                },
                _ => opaque(),
            };
        }
        let scope = match self.trying(|sema| sema.resolve_qualifiers(node.global, &node.qualifiers)) {
            Ok(Some(crate::sema::lookup::Qualification::Scope(scope))) => Some(scope),
            Ok(Some(crate::sema::lookup::Qualification::None)) => None,
            _ => return opaque(),
        };
        let (symbol, arguments) = match &node.last {
            UnqualifiedName::Identifier(name) => (*name, None),
            UnqualifiedName::Template { name, arguments } => (*name, Some(&**arguments)),
            _ => return opaque(),
        };
        self.simple_pattern(scope, symbol, arguments)
    }
    /// The pattern of a name, maybe with template arguments, in a scope or from here outwards.
    pub(super) fn simple_pattern(
        &mut self,
        scope: Option<ScopeId>,
        name: Symbol,
        arguments: Option<&'a [ast::TemplateArgument]>,
    ) -> TypePattern {
        let hits = match scope {
            Some(scope) => self.search_qualified(scope, name, Wanted::Type),
            None => self.search_outwards(name, Wanted::Type),
        };
        if scope.is_none()
            && arguments.is_none()
            && let Some((depth, index)) = self.bound_place(name)
        {
            return TypePattern::Parameter { depth, index };
        }
        // A member type of a class template, seen from its constructor as a guide, hides what is outside of the class.
        let entity = hits.list.first().map(|declared| declared.entity);
        if !matches!(entity, Some(Entity::Parameter(_)))
            && scope.is_none()
            && arguments.is_none()
            && self.guide_depth < 8
            && let Some((specifiers, declarator)) = self.guide_members.get(&name).copied()
        {
            self.guide_depth += 1;
            let pattern = self.declared_pattern(specifiers, declarator);
            self.guide_depth -= 1;
            return pattern;
        }
        let Some(entity) = entity else {
            return opaque();
        };
        match (entity, arguments) {
            (Entity::Parameter(UnboundParameter { depth, index, .. }), None) => TypePattern::Parameter { depth, index },
            (Entity::Parameter(UnboundParameter { depth, index, .. }), Some(arguments)) => {
                TypePattern::ParameterSpecialisation {
                    depth,
                    index,
                    arguments: self.argument_patterns(arguments, None),
                }
            }
            (Entity::Template(template), Some(arguments)) => {
                let patterns = self.argument_patterns(arguments, Some(template));
                self.specialisation_pattern(template, patterns)
            }
            (Entity::Class(class), Some(arguments)) => match self.classes[class.index()].instance.clone() {
                Some(instance) => {
                    let patterns = self.argument_patterns(arguments, Some(instance.template));
                    self.specialisation_pattern(instance.template, patterns)
                }
                None => opaque(),
            },
            (Entity::Template(template), None) => match self.guide_class {
                // The injected name in a constructor that is read as a guide.
                Some((class_template, count)) if class_template == template => {
                    let arguments = (0..count)
                        .map(|index| self.own_argument(class_template, index))
                        .collect();
                    self.specialisation_pattern(template, arguments)
                }
                _ => opaque(),
            },
            (entity, None) => match self.entity_type(entity) {
                Some(ty) => TypePattern::Type(ty),
                None => opaque(),
            },
            (_, Some(_)) => opaque(),
        }
    }
    /// A class template's own parameter as its argument.
    pub(super) fn own_argument(&self, template: TemplateId, index: u32) -> ArgumentPattern {
        let parameter = &self.template(template).parameters[index as usize];
        let kind = parameter.syntax.map(|syntax| &syntax.kind);

        match kind {
            Some(ast::TemplateParameterKind::NonType { .. }) => {
                let value = ExpressionPattern::Parameter { depth: 0, index };
                ArgumentPattern::Value(match parameter.pack {
                    true => ExpressionPattern::Expansion(Box::new(value)),
                    false => value,
                })
            }
            Some(ast::TemplateParameterKind::Template { .. }) if parameter.pack => {
                ArgumentPattern::TemplateExpansion { depth: 0, index }
            }
            Some(ast::TemplateParameterKind::Template { .. }) => ArgumentPattern::Template { depth: 0, index },
            Some(ast::TemplateParameterKind::Type { .. }) | None => {
                let ty = TypePattern::Parameter { depth: 0, index };
                ArgumentPattern::Type(match parameter.pack {
                    true => TypePattern::Expansion(Box::new(ty)),
                    false => ty,
                })
            }
        }
    }
    /// A template with argument patterns: of an alias, what it stands for.
    pub(super) fn specialisation_pattern(
        &mut self,
        template: TemplateId,
        arguments: Vec<ArgumentPattern>,
    ) -> TypePattern {
        let node = self.template(template);
        if node.kind == TemplateKind::Alias {
            return self.alias_pattern(template, &arguments);
        }
        let pack = node.parameters.iter().position(|parameter| parameter.pack);
        let name = self.template_name(template);
        let arguments = self.with_default_patterns(template, arguments);
        TypePattern::Specialisation {
            scope: name.scope,
            name: name.name,
            arguments,
            pack: pack.map(|place| place as u32),
        }
    }
    /// Adds the default arguments of a class template that are not written.
    pub(super) fn with_default_patterns(
        &mut self,
        template: TemplateId,
        mut arguments: Vec<ArgumentPattern>,
    ) -> Vec<ArgumentPattern> {
        let node = self.template(template);
        let (parameters, parent) = (node.parameters.clone(), node.scope);
        let expands = arguments.iter().any(is_expansion);
        if expands || arguments.len() >= parameters.len() {
            return arguments;
        }
        let scope = self.unbound_scope(&parameters, parent, 0);
        for index in arguments.len()..parameters.len() {
            let Some(syntax) = parameters[index].default else { break };
            let scope = match &parameters[index].default_names {
                Some(names) => {
                    let renamed = parameters
                        .iter()
                        .zip(names.iter())
                        .map(|(own, &name)| own.renamed(name));
                    self.unbound_scope(&renamed.collect::<Vec<_>>(), parent, 0)
                }
                None => scope,
            };
            let own = match syntax.kind {
                ast::TemplateParameterKind::Type { default: Some(default) } => {
                    ArgumentPattern::Type(self.in_scope(scope, |sema| sema.type_pattern(default)))
                }
                ast::TemplateParameterKind::NonType { parameter } => match self.ast[parameter].default {
                    Some(default) => {
                        ArgumentPattern::Value(self.in_scope(scope, |sema| sema.expression_pattern(default)))
                    }
                    None => break,
                },
                ast::TemplateParameterKind::Template {
                    default: Some(default), ..
                } => match self.in_scope(scope, |sema| sema.trying(|sema| sema.template_named(default))) {
                    Ok(Some(known)) => ArgumentPattern::Known(known),
                    _ => break,
                },
                ast::TemplateParameterKind::Template { default: None, .. }
                | ast::TemplateParameterKind::Type { default: None } => break,
            };
            let replaced = substitute_argument(&own, &arguments);
            arguments.extend(replaced);
        }
        arguments
    }
    fn alias_pattern(&mut self, template: TemplateId, arguments: &[ArgumentPattern]) -> TypePattern {
        let node = self.template(template);
        let (parameters, parent, declaration) = (node.parameters.clone(), node.scope, node.declaration);
        let ast::DeclarationKind::Alias { type_id, .. } = self.ast[declaration].kind else {
            return opaque();
        };
        if self.type_depth > PATTERN_DEPTH {
            return opaque();
        }
        let scope = self.unbound_scope(&parameters, parent, 0);
        self.type_depth += 1;
        let pattern = self.in_scope(scope, |sema| sema.type_pattern(type_id));
        self.type_depth -= 1;
        let arguments = &self.with_default_patterns(template, arguments.to_vec());
        // What an alias's pack parameter stands for is the rest of the arguments.
        let gathered = self.gathered(&parameters, arguments);
        let mut pattern = substitute(&pattern, &gathered);
        self.make_known(&mut pattern);
        // An alias may drop arguments whose validity is what matters (`void_t`).
        let mut named = Vec::new();
        visit_all(&[ArgumentPattern::Type(pattern.clone())], &mut |index| {
            named.push(index)
        });
        let mut dropped = false;
        visit_all(arguments, &mut |index| dropped |= !named.contains(&index));
        let unchecked = arguments.iter().any(has_opaque) && !has_opaque(&ArgumentPattern::Type(pattern.clone()));
        match dropped || unchecked {
            // Without qualifiers of its own, this says that what comes out has to be checked.
            true => TypePattern::Qualified(Qualifiers::NONE, Box::new(pattern)),
            false => pattern,
        }
    }
    fn gathered(&self, parameters: &[TemplateParameter<'a>], arguments: &[ArgumentPattern]) -> Vec<ArgumentPattern> {
        match parameters.iter().position(|parameter| parameter.pack) {
            Some(place) if place <= arguments.len() => {
                let mut list = arguments[..place].to_vec();
                list.push(ArgumentPattern::Pack(arguments[place..].to_vec()));
                list
            }
            _ => arguments.to_vec(),
        }
    }
    /// The patterns of template arguments; `of` is the template that they are for, if it is known.
    pub(super) fn argument_patterns(
        &mut self,
        arguments: &'a [ast::TemplateArgument],
        of: Option<TemplateId>,
    ) -> Vec<ArgumentPattern> {
        let mut patterns = Vec::new();
        for argument in arguments {
            let dependent = self.mentions_parameters(|walk| walk.argument(argument));
            if !dependent && argument.pack_expansion {
                let scopes = self.trying(|sema| {
                    sema.expand(super::pack::Pattern::Argument(argument), argument.span, |sema| {
                        sema.scope
                    })
                });
                for scope in scopes.ok().flatten().unwrap_or_default() {
                    let pattern = self.in_scope(scope, |sema| sema.argument_pattern(argument, of, &patterns, false));
                    patterns.push(pattern);
                }
                continue;
            }
            let pattern = self.argument_pattern(argument, of, &patterns, dependent);
            patterns.push(match (argument.pack_expansion, pattern) {
                (false, pattern) => pattern,
                (true, ArgumentPattern::Type(ty)) => ArgumentPattern::Type(TypePattern::Expansion(Box::new(ty))),
                (true, ArgumentPattern::Value(value)) => {
                    ArgumentPattern::Value(ExpressionPattern::Expansion(Box::new(value)))
                }
                (true, ArgumentPattern::Template { depth, index }) => {
                    ArgumentPattern::TemplateExpansion { depth, index }
                }
                (true, pattern) => pattern,
            });
        }
        patterns
    }
    fn argument_pattern(
        &mut self,
        argument: &'a ast::TemplateArgument,
        of: Option<TemplateId>,
        before: &[ArgumentPattern],
        dependent: bool,
    ) -> ArgumentPattern {
        let parameter = of.and_then(|template| {
            let parameters = &self.template(template).parameters;
            parameters
                .get(before.len())
                .or(parameters.last().filter(|last| last.pack))
                .cloned()
        });
        if !dependent && let (Some(template), Some(parameter)) = (of, &parameter) {
            let parent = self.template(template).scope;
            let parameters = self.template(template).parameters.clone();
            let scope = self.unbound_scope(&parameters, parent, 0);
            let given = GivenArgument::Syntax(argument, self.scope);
            let known = self.trying(|sema| sema.convert_argument(parameter, &given, scope));
            if let Ok(Some(known)) = known {
                return match known {
                    hir::TemplateArgument::Type(ty) => ArgumentPattern::Type(TypePattern::Type(ty)),
                    known => ArgumentPattern::Known(known),
                };
            }
        }
        let pattern = match argument.kind {
            TemplateArgumentKind::Expression(expression) => match self.template_parameter_named(expression) {
                Some(template) => template,
                None => ArgumentPattern::Value(self.expression_pattern(expression)),
            },
            TemplateArgumentKind::Type(type_id) => self.type_argument_pattern(type_id, None, parameter.as_ref()),
            TemplateArgumentKind::Ambiguous { type_id, expression } => {
                self.type_argument_pattern(type_id, Some(expression), parameter.as_ref())
            }
        };
        match (pattern, of, parameter) {
            (ArgumentPattern::Value(ExpressionPattern::Literal(ty, value)), Some(of), Some(parameter))
                if !dependent =>
            {
                let value = hir::TemplateArgument::Value(ty, hir::Constant::Integer(value));
                self.untyped_value(value, argument, (of, &parameter), before)
            }
            (pattern, _, _) => pattern,
        }
    }
    /// A value without parameters in it, for a parameter whose type has some, which the arguments before may make known.
    fn untyped_value(
        &mut self,
        value: hir::TemplateArgument,
        argument: &'a ast::TemplateArgument,
        (of, parameter): (TemplateId, &TemplateParameter<'a>),
        before: &[ArgumentPattern],
    ) -> ArgumentPattern {
        let known = ArgumentPattern::Known(value.clone());
        let (
            Some(ast::TemplateParameterKind::NonType { parameter }),
            TemplateArgumentKind::Expression(expression) | TemplateArgumentKind::Ambiguous { expression, .. },
        ) = (parameter.syntax.map(|syntax| &syntax.kind), &argument.kind)
        else {
            return known;
        };
        if before.iter().any(is_expansion) {
            return known;
        }
        let (parameters, parent) = (self.template(of).parameters.clone(), self.template(of).scope);
        let scope = self.unbound_scope(&parameters, parent, 0);
        let node = &self.ast[*parameter];
        let ty = self.in_scope(scope, |sema| sema.declared_pattern(node.specifiers, node.declarator));
        let untyped = UntypedValue {
            parameter: ty.clone(),
            value,
            written: self.structure(*expression),
        };
        match (untyped.retyped(substitute(&ty, before)), &untyped.written) {
            (
                ArgumentPattern::Untyped(_),
                ExpressionPattern::Literal(..) | ExpressionPattern::Constant(..) | ExpressionPattern::Variable(..),
            ) => known,
            (typed, _) => typed,
        }
    }
    fn template_parameter_named(&mut self, expression: ast::Id<ast::Expression>) -> Option<ArgumentPattern> {
        let ast::ExpressionKind::Name(name) = self.ast[expression].kind else {
            return None;
        };
        let symbol = self.ast[name].as_identifier()?;
        match self.search_outwards(symbol, Wanted::Anything).list.first()?.entity {
            Entity::Template(template) => Some(ArgumentPattern::Known(hir::TemplateArgument::Template(
                self.template_name(template),
            ))),
            _ => None,
        }
    }
    fn type_argument_pattern(
        &mut self,
        type_id: ast::Id<ast::TypeId>,
        expression: Option<ast::Id<ast::Expression>>,
        parameter: Option<&TemplateParameter<'a>>,
    ) -> ArgumentPattern {
        let kind = parameter
            .and_then(|parameter| parameter.syntax)
            .map(|syntax| &syntax.kind);
        if let Some(name) = self.name_of_type_id(type_id)
            && let Some(symbol) = self.ast[name].as_identifier()
        {
            match (self.first_entity(symbol), kind) {
                (
                    Some(Entity::Parameter(UnboundParameter {
                        depth,
                        index,
                        kind: own,
                        ..
                    })),
                    kind,
                ) => {
                    // Of which kind is a matter of the parameter that is named, if it is not known for what it is an argument.
                    let own = match kind {
                        Some(ast::TemplateParameterKind::NonType { .. }) if own != UnboundKind::FunctionParameter => {
                            UnboundKind::Value
                        }
                        Some(ast::TemplateParameterKind::Template { .. }) => UnboundKind::Template,
                        Some(ast::TemplateParameterKind::Type { .. } | ast::TemplateParameterKind::NonType { .. })
                        | None => own,
                    };
                    match (own, expression) {
                        (UnboundKind::Value, _) => {
                            return ArgumentPattern::Value(ExpressionPattern::Parameter { depth, index });
                        }
                        (UnboundKind::Template, _) => return ArgumentPattern::Template { depth, index },
                        (UnboundKind::FunctionParameter, Some(expression)) => {
                            return ArgumentPattern::Value(self.structure(expression));
                        }
                        (UnboundKind::Type | UnboundKind::FunctionParameter, _) => {
                            return ArgumentPattern::Type(TypePattern::Parameter { depth, index });
                        }
                    }
                }
                (Some(Entity::Template(template)), _) => {
                    return ArgumentPattern::Known(hir::TemplateArgument::Template(self.template_name(template)));
                }
                _ => {}
            }
        }
        if let (Some(expression), Some(ast::TemplateParameterKind::NonType { .. })) = (expression, kind) {
            return ArgumentPattern::Value(self.expression_pattern(expression));
        }
        ArgumentPattern::Type(self.type_pattern(type_id))
    }
    pub(super) fn qualifier_pattern(&mut self, qualifiers: &'a [ast::Qualifier]) -> TypePattern {
        let mut current: Option<TypePattern> = None;
        let mut scope: Option<ScopeId> = None;
        for qualifier in qualifiers {
            let (name, arguments) = match &qualifier.part {
                QualifierPart::Name(name) => (*name, None),
                QualifierPart::Template { name, arguments } => (*name, Some(&**arguments)),
                QualifierPart::Decltype(expression) => {
                    current = Some(TypePattern::Decltype(Box::new(self.structure(*expression))));
                    continue;
                }
            };
            current = Some(match current {
                Some(of) => TypePattern::Member {
                    of: Box::new(of),
                    name: self.shared(name),
                    arguments: arguments.map(|arguments| self.argument_patterns(arguments, None)),
                },
                None => {
                    let hits = match scope {
                        Some(scope) => self.search_qualified(scope, name, Wanted::Qualifier),
                        None => self.search_outwards(name, Wanted::Qualifier),
                    };
                    if let Some(Entity::Namespace(inner)) = hits.list.first().map(|declared| declared.entity) {
                        scope = Some(inner);
                        continue;
                    }
                    self.simple_pattern(scope, name, arguments)
                }
            });
        }
        current.unwrap_or_else(opaque)
    }
    /// The signature of a function template with its parameters in it.
    pub(crate) fn signature_of(&mut self, template: TemplateId) -> Rc<FunctionPattern> {
        if let Some(signature) = &self.template(template).signature {
            return signature.clone();
        }
        let signature: Rc<FunctionPattern> = self.outside_of_functions(|sema| sema.read_signature(template)).into();
        self.templates[template.0 as usize].signature = Some(signature.clone());
        signature
    }
    fn read_signature(&mut self, template: TemplateId) -> FunctionPattern {
        if self.template(template).guide.is_some() {
            return self.guide_signature(template);
        }
        let node = self.template(template);
        let (parameters, parent, declaration, node_lambda) =
            (node.parameters.clone(), node.scope, node.declaration, node.lambda);
        let empty = FunctionPattern {
            parameters: Vec::new(),
            defaults: Vec::new(),
            result: opaque(),
            variadic: false,
        };
        let scope = self.unbound_scope(&parameters, parent, 0);
        if let Some((_, function)) = node_lambda {
            return self.in_scope(scope, |sema| {
                sema.function_pattern(function, |sema| match function.trailing_return {
                    Some(trailing) => sema.type_pattern(trailing),
                    None => TypePattern::Auto { decltype: false },
                })
            });
        }
        let Some((specifiers, declarator, _)) = self.function_syntax(declaration) else {
            return empty;
        };
        let Some(function) = self.ast[declarator].function() else {
            return empty;
        };
        self.in_scope(scope, |sema| sema.declared_signature(specifiers, declarator, function))
    }
    /// The signature that a declarator declares.
    pub(super) fn declared_signature(
        &mut self,
        specifiers: ast::Id<ast::Specifiers>,
        declarator: ast::Id<ast::Declarator>,
        function: &'a ast::FunctionDeclarator,
    ) -> FunctionPattern {
        let last = self.ast[declarator].name.map(|name| &self.ast[name].last);
        match (function.trailing_return, last) {
            (_, Some(UnqualifiedName::Conversion(type_id))) => {
                self.function_pattern(function, |sema| sema.type_pattern(*type_id))
            }
            (Some(trailing), _) => self.function_pattern(function, |sema| sema.type_pattern(trailing)),
            (None, _) => {
                let result = self.result_pattern(specifiers, declarator);
                self.function_pattern(function, |_| result)
            }
        }
    }
    /// The signature of a function; its result is read where its parameters are known.
    fn function_pattern(
        &mut self,
        function: &'a ast::FunctionDeclarator,
        result: impl FnOnce(&mut Self) -> TypePattern,
    ) -> FunctionPattern {
        let (parameters, scope) = self.prototype(function);
        let result = self.in_scope(scope, result);
        FunctionPattern {
            parameters,
            defaults: function
                .parameters
                .iter()
                .map(|&parameter| self.ast[parameter].default.is_some())
                .collect(),
            result,
            variadic: function.is_variadic,
        }
    }
    fn result_pattern(
        &mut self,
        specifiers: ast::Id<ast::Specifiers>,
        declarator: ast::Id<ast::Declarator>,
    ) -> TypePattern {
        let base = self.specifiers_pattern(specifiers);
        match self.chunks_pattern(base, declarator) {
            TypePattern::Function { result, .. } => *result,
            other => other,
        }
    }
}

/// Of which kind a parameter that is not bound is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnboundKind {
    /// A type parameter of a template.
    Type,
    /// A value parameter.
    Value,
    /// A template template parameter.
    Template,
    /// A parameter of the function whose signature is read.
    FunctionParameter,
}

impl UnboundKind {
    pub(super) fn of(parameter: &TemplateParameter<'_>) -> UnboundKind {
        UnboundKind::of_kind(parameter.syntax.map(|syntax| &syntax.kind))
    }
    pub(super) fn of_kind(kind: Option<&ast::TemplateParameterKind>) -> UnboundKind {
        match kind {
            Some(ast::TemplateParameterKind::NonType { .. }) => UnboundKind::Value,
            Some(ast::TemplateParameterKind::Template { .. }) => UnboundKind::Template,
            Some(ast::TemplateParameterKind::Type { .. }) | None => UnboundKind::Type,
        }
    }
}
