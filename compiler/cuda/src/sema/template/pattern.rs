//! Types as templates write them: with the template's own parameters in them. Deduction, ordering and mangling read them.

use std::rc::Rc;

use super::pack::Pattern;
use super::substitute::{
    has_opaque, is_expansion, opaque, qualified, substitute, substitute_argument, visit_arguments, visit_parameters,
};
use super::walk::Walk;
use super::{FunctionPattern, GivenArgument, TemplateId, TemplateKind, TemplateParameter};
use crate::hir::pattern::{ArgumentPattern, ExpressionPattern, TypePattern};
use crate::hir::{self, Qualifiers, RefQualifier, Types};
use crate::sema::lookup::Wanted;
use crate::sema::scope::{ScopeId, ScopeKind};
use crate::sema::{Entity, Sema};
use crate::source::Symbol;
use crate::syntax::ast::{self, DeclaratorChunk, QualifierPart, TemplateArgumentKind, TypeSpecifier, UnqualifiedName};

/// Deepest nesting of patterns.
const PATTERN_DEPTH: usize = 128;

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
                self.in_scope(scope, |sema| {
                    sema.declare(name, Entity::Parameter(0, first + index as u32), span)
                });
            }
        }
        scope
    }
    /// Whether syntax names a parameter that is not bound.
    fn mentions_parameters(&mut self, walk: impl FnOnce(&mut Walk<'a, &mut dyn FnMut(Symbol)>)) -> bool {
        let mut names: Vec<Symbol> = Vec::new();
        {
            let mut visit = |name: Symbol| {
                if !names.contains(&name) {
                    names.push(name);
                }
            };
            let mut walker: Walk<'a, &mut dyn FnMut(Symbol)> = Walk {
                ast: self.ast,
                through_expansions: true,
                visit: &mut visit,
            };
            walk(&mut walker);
        }
        names.into_iter().any(|name| {
            let hits = self.search_outwards(name, Wanted::Anything);
            match hits.list.first() {
                Some(declared) => matches!(declared.entity, Entity::Parameter(..)),
                None => self.guide_members.contains_key(&name),
            }
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
        let pattern = match self.mentions_parameters(|walk| {
            walk.specifiers(specifiers);
            walk.declarator(declarator);
        }) {
            false => {
                let ty = self.trying(|sema| {
                    let base = sema.specifiers_type(specifiers, false);
                    sema.declarator_type(base, declarator).ty
                });
                match ty {
                    Ok(ty) => TypePattern::Type(ty),
                    Err(_) => opaque(),
                }
            }
            true => {
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
            return match self.trying(|sema| sema.specifiers_type(id, false)) {
                Ok(ty) if ty.id == Types::AUTO => TypePattern::Auto { decltype: false },
                Ok(ty) if ty.id == Types::DECLTYPE_AUTO => TypePattern::Auto { decltype: true },
                Ok(ty) => TypePattern::Type(ty),
                Err(_) => opaque(),
            };
        }
        let pattern = match &node.type_specifier {
            TypeSpecifier::Name { name, .. } | TypeSpecifier::ElaboratedClass { name, .. } => self.name_pattern(*name),
            TypeSpecifier::TypeofType(type_id) => self.type_pattern(*type_id),
            _ => opaque(),
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
                    let result = match function.trailing_return {
                        Some(trailing) => self.type_pattern(trailing),
                        None => pattern,
                    };
                    let parameters = self.parameter_patterns(function);
                    TypePattern::Function {
                        result: Box::new(result),
                        parameters,
                        variadic: function.is_variadic,
                        qualifiers: self.qualifiers(function.qualifiers, declarator.span),
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
    /// The patterns of a function's parameters, adjusted as types are.
    pub(super) fn parameter_patterns(&mut self, function: &'a ast::FunctionDeclarator) -> Vec<TypePattern> {
        let ast = self.ast;
        let mut patterns = Vec::new();
        for &id in &function.parameters {
            let parameter = &ast[id];
            if ast[parameter.declarator].pack
                && let Some(elements) = self.bound_pack_patterns(id)
            {
                patterns.extend(elements);
                continue;
            }
            let pattern = match self.invented_parameter(id) {
                Some(symbol) if self.is_unbound(symbol) => {
                    let base = match self
                        .search_outwards(symbol, Wanted::Anything)
                        .list
                        .first()
                        .map(|declared| declared.entity)
                    {
                        Some(Entity::Parameter(depth, index)) => TypePattern::Parameter { depth, index },
                        _ => opaque(),
                    };
                    let qualifiers = self.qualifiers(ast[parameter.specifiers].qualifiers, parameter.span);
                    let base = qualified(qualifiers, base);
                    self.chunks_pattern(base, parameter.declarator)
                }
                _ => self.declared_pattern(parameter.specifiers, parameter.declarator),
            };
            let pattern = self.adjusted(pattern);
            patterns.push(match ast[parameter.declarator].pack {
                true => TypePattern::Expansion(Box::new(pattern)),
                false => pattern,
            });
        }
        patterns
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
        let hits = self.search_outwards(symbol, Wanted::Anything);
        matches!(
            hits.list.first().map(|declared| declared.entity),
            Some(Entity::Parameter(..))
        )
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
    fn name_pattern(&mut self, id: ast::Id<ast::QualifiedName>) -> TypePattern {
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
    fn simple_pattern(
        &mut self,
        scope: Option<ScopeId>,
        name: Symbol,
        arguments: Option<&'a [ast::TemplateArgument]>,
    ) -> TypePattern {
        let hits = match scope {
            Some(scope) => self.search_qualified(scope, name, Wanted::Type),
            None => self.search_outwards(name, Wanted::Type),
        };
        let entity = match hits.list.first() {
            Some(declared) => declared.entity,
            // A member type of a class template, seen from its constructor as a guide.
            None => match (self.guide_members.get(&name).copied(), arguments) {
                (Some(type_id), None) if self.guide_depth < 8 => {
                    self.guide_depth += 1;
                    let pattern = self.type_pattern(type_id);
                    self.guide_depth -= 1;
                    return pattern;
                }
                _ => return opaque(),
            },
        };
        match (entity, arguments) {
            (Entity::Parameter(depth, index), None) => TypePattern::Parameter { depth, index },
            (Entity::Parameter(depth, index), Some(arguments)) => TypePattern::ParameterSpecialisation {
                depth,
                index,
                arguments: self.argument_patterns(arguments, None),
            },
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
        let name = self.template_name(template);
        let arguments = self.with_default_patterns(template, arguments);
        TypePattern::Specialisation {
            scope: name.scope,
            name: name.name,
            arguments,
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
                ast::TemplateParameterKind::Template { .. } | ast::TemplateParameterKind::Type { default: None } => {
                    break;
                }
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
        // What an alias's pack parameter stands for is the rest of the arguments.
        let gathered = self.gathered(&parameters, arguments);
        let pattern = substitute(&pattern, &gathered);
        // An alias may drop arguments whose validity is what matters (`void_t`).
        let mut named = Vec::new();
        visit_parameters(&pattern, &mut |index| named.push(index));
        let mut dropped = false;
        visit_arguments(arguments, &mut |index| dropped |= !named.contains(&index));
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
        for (place, argument) in arguments.iter().enumerate() {
            let dependent = self.mentions_parameters(|walk| walk.argument(argument));
            if !dependent && argument.pack_expansion {
                let scopes = self.trying(|sema| {
                    sema.expand(super::pack::Pattern::Argument(argument), argument.span, |sema| {
                        sema.scope
                    })
                });
                for scope in scopes.ok().flatten().unwrap_or_default() {
                    let pattern = self.in_scope(scope, |sema| sema.argument_pattern(argument, of, place, false));
                    patterns.push(pattern);
                }
                continue;
            }
            let pattern = self.argument_pattern(argument, of, place, dependent);
            patterns.push(match (argument.pack_expansion, pattern) {
                (false, pattern) => pattern,
                (true, ArgumentPattern::Type(ty)) => ArgumentPattern::Type(TypePattern::Expansion(Box::new(ty))),
                (true, ArgumentPattern::Value(value)) => {
                    ArgumentPattern::Value(ExpressionPattern::Expansion(Box::new(value)))
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
        place: usize,
        dependent: bool,
    ) -> ArgumentPattern {
        let parameter = of.and_then(|template| {
            let parameters = &self.template(template).parameters;
            parameters
                .get(place)
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
        match argument.kind {
            TemplateArgumentKind::Expression(expression) => match self.template_parameter_named(expression) {
                Some(template) => template,
                None => ArgumentPattern::Value(self.expression_pattern(expression)),
            },
            TemplateArgumentKind::Type(type_id) => self.type_argument_pattern(type_id, None, parameter.as_ref()),
            TemplateArgumentKind::Ambiguous { type_id, expression } => {
                self.type_argument_pattern(type_id, Some(expression), parameter.as_ref())
            }
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
            let hits = self.search_outwards(symbol, Wanted::Anything);
            match (hits.list.first().map(|declared| declared.entity), kind) {
                (Some(Entity::Parameter(depth, index)), Some(ast::TemplateParameterKind::NonType { .. })) => {
                    return ArgumentPattern::Value(ExpressionPattern::Parameter { depth, index });
                }
                (Some(Entity::Parameter(depth, index)), Some(ast::TemplateParameterKind::Template { .. })) => {
                    return ArgumentPattern::Template { depth, index };
                }
                (Some(Entity::Parameter(depth, index)), None) => {
                    // Of which kind is a matter of the parameter that is named.
                    return match self.unbound_kinds.get(&symbol) {
                        Some(UnboundKind::Value) => {
                            ArgumentPattern::Value(ExpressionPattern::Parameter { depth, index })
                        }
                        Some(UnboundKind::Template) => ArgumentPattern::Template { depth, index },
                        Some(UnboundKind::Type) | None => {
                            ArgumentPattern::Type(TypePattern::Parameter { depth, index })
                        }
                    };
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
    fn qualifier_pattern(&mut self, qualifiers: &'a [ast::Qualifier]) -> TypePattern {
        let mut current: Option<TypePattern> = None;
        let mut scope: Option<ScopeId> = None;
        for qualifier in qualifiers {
            let (name, arguments) = match &qualifier.part {
                QualifierPart::Name(name) => (*name, None),
                QualifierPart::Template { name, arguments } => (*name, Some(&**arguments)),
                QualifierPart::Decltype(_) => return opaque(),
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
    /// The pattern of an expression: a parameter, a value, or something that is not deduced.
    pub(super) fn expression_pattern(&mut self, id: ast::Id<ast::Expression>) -> ExpressionPattern {
        let ast = self.ast;
        match &ast[id].kind {
            ast::ExpressionKind::Parenthesized(inner) => return self.expression_pattern(*inner),
            ast::ExpressionKind::Name(name) => {
                if let Some(symbol) = ast[*name].as_identifier()
                    && let Some(Entity::Parameter(depth, index)) = self
                        .search_outwards(symbol, Wanted::Anything)
                        .list
                        .first()
                        .map(|declared| declared.entity)
                {
                    return ExpressionPattern::Parameter { depth, index };
                }
            }
            _ => {}
        }
        if !self.mentions_parameters(|walk| walk.expression(id)) {
            let value = self.trying(|sema| {
                let value = sema.expression(id);
                let ty = sema.program.type_of(value);
                sema.try_evaluate_value(value)
                    .and_then(|value| value.as_integer())
                    .map(|value| (ty, value))
            });
            if let Ok(Some((ty, value))) = value {
                return ExpressionPattern::Literal(ty.unqualified(), value);
            }
        }
        ExpressionPattern::Unresolved {
            name: hir::FunctionName::Identifier(hir::Name::from("dependent")),
            arguments: None,
        }
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
        let (parameters, parent, declaration) = (node.parameters.clone(), node.scope, node.declaration);
        let empty = FunctionPattern {
            parameters: Vec::new(),
            defaults: Vec::new(),
            result: opaque(),
            variadic: false,
        };
        if let Some((_, function)) = node.lambda {
            return self.with_unbound(&parameters, |sema| {
                let scope = sema.unbound_scope(&parameters, parent, 0);
                sema.in_scope(scope, |sema| {
                    let result = match function.trailing_return {
                        Some(trailing) => sema.type_pattern(trailing),
                        None => TypePattern::Auto { decltype: false },
                    };
                    sema.function_pattern(function, result)
                })
            });
        }
        let Some((specifiers, declarator, _)) = self.function_syntax(declaration) else {
            return empty;
        };
        let Some(function) = self.ast[declarator].function() else {
            return empty;
        };
        self.with_unbound(&parameters, |sema| {
            let scope = sema.unbound_scope(&parameters, parent, 0);
            sema.in_scope(scope, |sema| {
                let result = match (
                    function.trailing_return,
                    sema.ast[declarator].name.map(|name| &sema.ast[name].last),
                ) {
                    (_, Some(UnqualifiedName::Conversion(type_id))) => sema.type_pattern(*type_id),
                    (Some(trailing), _) => sema.type_pattern(trailing),
                    (None, _) => sema.result_pattern(specifiers, declarator),
                };
                sema.function_pattern(function, result)
            })
        })
    }
    fn function_pattern(&mut self, function: &'a ast::FunctionDeclarator, result: TypePattern) -> FunctionPattern {
        FunctionPattern {
            parameters: self.parameter_patterns(function),
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
    /// Notes of which kinds parameters are that are not bound, while patterns are made.
    pub(super) fn with_unbound<T>(
        &mut self,
        parameters: &[TemplateParameter<'a>],
        work: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let saved = self.unbound_kinds.clone();
        for parameter in parameters {
            let Some(name) = parameter.name else { continue };
            let kind = match parameter.syntax.map(|syntax| &syntax.kind) {
                Some(ast::TemplateParameterKind::NonType { .. }) => UnboundKind::Value,
                Some(ast::TemplateParameterKind::Template { .. }) => UnboundKind::Template,
                Some(ast::TemplateParameterKind::Type { .. }) | None => UnboundKind::Type,
            };
            self.unbound_kinds.insert(name, kind);
        }
        let result = work(self);
        self.unbound_kinds = saved;
        result
    }
    /// Whether two function templates declare the same ([temp.over.link]).
    pub(super) fn same_template_signature(&mut self, one: TemplateId, other: TemplateId, constraints: bool) -> bool {
        let (first, second) = (self.template(one), self.template(other));
        let same_headers = first.parameters.len() == second.parameters.len()
            && first
                .parameters
                .iter()
                .zip(second.parameters.iter())
                .all(|(one, other)| {
                    let kind = |parameter: &TemplateParameter<'a>| {
                        parameter.syntax.map(|syntax| std::mem::discriminant(&syntax.kind))
                    };
                    one.pack == other.pack && kind(one) == kind(other)
                });
        if !same_headers {
            return false;
        }
        let member_shape = |sema: &Self, template: TemplateId| {
            let (_, declarator, _) = sema.function_syntax(sema.template(template).declaration)?;
            let function = sema.ast[declarator].function()?;
            Some((function.qualifiers, function.reference))
        };
        let same_shape = member_shape(self, one) == member_shape(self, other);
        let (first, second) = (self.signature_of(one), self.signature_of(other));
        let opaque_text = |pattern: &TypePattern| matches!(pattern, TypePattern::Decltype(_));
        // Opaque parts are compared by their place in the text, which differs between declarations: they count as the same.
        same_shape
            && first.parameters == second.parameters
            && first.variadic == second.variadic
            && (same_results(&first.result, &second.result)
                || opaque_text(&first.result) && opaque_text(&second.result))
            && (!constraints || self.same_constraints(one, other))
    }
}

/// Of which kind an unbound parameter is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UnboundKind {
    Type,
    Value,
    Template,
}

fn same_results(one: &TypePattern, other: &TypePattern) -> bool {
    one == other
}
