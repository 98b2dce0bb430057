//! Expressions as templates write them: their structure, with parameters by place and names resolved ([temp.over.link]/5).
//!
//! Redeclaration, constraints, partial specialisations and mangled names all read what is made here, so that two expressions are the same everywhere or nowhere.

use super::UnboundParameter;
use super::pattern::UnboundKind;
use super::walk::Walk;
use crate::hir::pattern::{ArgumentPattern, ExpressionPattern, NamePattern, RequirementPattern, TypePattern};
use crate::hir::{self, Constant, QualifiedType, Types};
use crate::sema::lookup::{Qualification, Wanted};
use crate::sema::scope::{ScopeId, ScopeKind};
use crate::sema::template::TemplateKind;
use crate::sema::{Entity, Sema};
use crate::source::{Encoding, Symbol};
use crate::syntax::ast::{self, BinaryOperator, CastKind, ExpressionKind, Initializer, UnaryOperator, UnqualifiedName};

impl<'a> Sema<'a> {
    /// The pattern of an expression that a template argument or a bound is: its value, if no parameter is in it, else its structure.
    pub(super) fn expression_pattern(&mut self, id: ast::Id<ast::Expression>) -> ExpressionPattern {
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
        match &self.ast[id].kind {
            // Parentheses around a whole argument say nothing.
            ExpressionKind::Parenthesized(inner) => self.expression_pattern(*inner),
            _ => self.structure(id),
        }
    }
    /// The structure of an expression.
    pub(super) fn structure(&mut self, id: ast::Id<ast::Expression>) -> ExpressionPattern {
        if self.type_depth > super::pattern::PATTERN_DEPTH {
            return ExpressionPattern::Distinct(id.index() as u32);
        }
        self.type_depth += 1;
        let pattern = self.expression_structure(id);
        self.type_depth -= 1;
        pattern
    }
    fn structures(&mut self, list: &[ast::Id<ast::Expression>]) -> Vec<ExpressionPattern> {
        let mut all = Vec::with_capacity(list.len());
        for &id in list {
            // Packs that are known, as those of the class around a member template are, give an operand for each element.
            if let ExpressionKind::PackExpansion(inner) = self.ast[id].kind
                && let Some(elements) = self.known_elements(inner)
            {
                all.extend(elements);
                continue;
            }
            all.push(self.structure(id));
        }
        all
    }
    fn known_elements(&mut self, inner: ast::Id<ast::Expression>) -> Option<Vec<ExpressionPattern>> {
        let pattern = super::pack::Pattern::Expression(inner);
        if self.mentions_parameters(|walk| walk.expression(inner)) || self.packs_in(pattern).is_empty() {
            return None;
        }
        let span = self.ast[inner].span;
        let expanded = self.trying(|sema| sema.expand(pattern, span, |sema| sema.structure(inner)));
        expanded.ok().flatten()
    }
    fn operator(&mut self, code: &'static str, operands: &[ast::Id<ast::Expression>]) -> ExpressionPattern {
        ExpressionPattern::Operator(code, self.structures(operands))
    }
    fn cast_structure(
        &mut self,
        code: &'static str,
        to: ast::Id<ast::TypeId>,
        operand: ast::Id<ast::Expression>,
    ) -> ExpressionPattern {
        let to = self.type_pattern(to);
        ExpressionPattern::Cast(code, Box::new(to), Box::new(self.structure(operand)))
    }
    fn expression_structure(&mut self, id: ast::Id<ast::Expression>) -> ExpressionPattern {
        let ast = self.ast;
        match &ast[id].kind {
            ExpressionKind::Literal(literal) => self.literal_structure(id, literal),
            ExpressionKind::FunctionName { .. } => ExpressionPattern::named("__func__"),
            ExpressionKind::Name(name) => self.name_structure(*name),
            ExpressionKind::This => ExpressionPattern::This,
            ExpressionKind::Parenthesized(inner) => self.structure(*inner),
            ExpressionKind::Unary { operator, operand } => match unary_code(*operator) {
                Some(code) => self.operator(code, &[*operand]),
                None => self.structure(*operand),
            },
            ExpressionKind::Binary {
                operator, left, right, ..
            } => self.operator(binary_code(*operator), &[*left, *right]),
            ExpressionKind::Assign {
                operator,
                target,
                value,
                ..
            } => self.operator(assignment_code(*operator), &[*target, *value]),
            ExpressionKind::Conditional {
                condition,
                then,
                otherwise,
            } => self.operator("qu", &[*condition, then.unwrap_or(*condition), *otherwise]),
            ExpressionKind::Call { callee, arguments } => self.call_structure(*callee, arguments),
            ExpressionKind::KernelLaunch {
                callee,
                configuration,
                arguments,
            } => {
                let mut operands = vec![self.structure(*callee)];
                operands.push(ExpressionPattern::List(self.structures(configuration)));
                operands.extend(self.structures(arguments));
                ExpressionPattern::Operator("launch", operands)
            }
            ExpressionKind::Subscript { base, indices } => {
                let mut operands = vec![self.structure(*base)];
                operands.extend(self.structures(indices));
                ExpressionPattern::Operator("ix", operands)
            }
            ExpressionKind::Member { object, is_arrow, name } => self.access_structure(*object, *is_arrow, *name),
            ExpressionKind::FunctionalCast { type_id, initializer } => {
                let to = Box::new(self.type_pattern(*type_id));
                let list = matches!(initializer, Initializer::Braced(_));
                let operands = self.initialiser_structure(initializer);
                ExpressionPattern::Convert { to, operands, list }
            }
            ExpressionKind::Cast { kind, type_id, operand } => {
                self.cast_structure(cast_code(*kind), *type_id, *operand)
            }
            ExpressionKind::CompoundLiteral { type_id, initializer } => {
                let to = Box::new(self.type_pattern(*type_id));
                let operands = self.list_structure(*initializer);
                ExpressionPattern::Convert {
                    to,
                    operands,
                    list: true,
                }
            }
            ExpressionKind::SizeofExpression(operand) => self.operator("sz", &[*operand]),
            ExpressionKind::AlignofExpression(operand) => self.operator("az", &[*operand]),
            ExpressionKind::Noexcept(operand) => self.operator("nx", &[*operand]),
            ExpressionKind::TypeidExpression(operand) => self.operator("te", &[*operand]),
            ExpressionKind::SizeofType(of) => self.size_structure("st", *of),
            ExpressionKind::AlignofType(of) => self.size_structure("at", *of),
            ExpressionKind::TypeidType(of) => ExpressionPattern::OfType("ti", Box::new(self.type_pattern(*of))),
            ExpressionKind::SizeofPack(name) => self.pack_size_structure(*name),
            ExpressionKind::New(new) => self.new_structure(new),
            ExpressionKind::Delete {
                global,
                is_array,
                operand,
            } => {
                let code = match (global, is_array) {
                    (false, false) => "dl",
                    (false, true) => "da",
                    (true, false) => "gsdl",
                    (true, true) => "gsda",
                };
                self.operator(code, &[*operand])
            }
            ExpressionKind::Throw(operand) => match operand {
                Some(operand) => self.operator("tw", &[*operand]),
                None => self.operator("tr", &[]),
            },
            ExpressionKind::Fold {
                left,
                operator,
                assigns,
                right,
            } => self.fold_structure(*left, *operator, *assigns, *right),
            ExpressionKind::PackExpansion(inner) => ExpressionPattern::Expansion(Box::new(self.structure(*inner))),
            ExpressionKind::Requires(requires) => self.requires_structure(requires),
            ExpressionKind::InitializerList(_) => ExpressionPattern::List(self.list_structure(id)),
            ExpressionKind::TypeTrait { trait_kind, arguments } => {
                let arguments = arguments
                    .iter()
                    .map(|argument| {
                        let ty = self.type_pattern(argument.type_id);
                        ArgumentPattern::Type(match argument.pack_expansion {
                            true => TypePattern::Expansion(Box::new(ty)),
                            false => ty,
                        })
                    })
                    .collect();
                ExpressionPattern::Trait(trait_kind.spelling(), arguments)
            }
            ExpressionKind::OffsetOf { type_id, path } => {
                let mut operands = vec![ExpressionPattern::OfType(
                    "offsetof",
                    Box::new(self.type_pattern(*type_id)),
                )];
                for step in path {
                    operands.push(match step {
                        ast::OffsetDesignator::Field(name) => ExpressionPattern::named(self.text(*name)),
                        ast::OffsetDesignator::Index(index) => ExpressionPattern::List(vec![self.structure(*index)]),
                    });
                }
                ExpressionPattern::Operator("offsetof", operands)
            }
            ExpressionKind::VaArg { list, type_id } => self.cast_structure("va_arg", *type_id, *list),
            ExpressionKind::BitCast { type_id, operand } => self.cast_structure("bit_cast", *type_id, *operand),
            ExpressionKind::Lambda(_)
            | ExpressionKind::StatementExpression(_)
            | ExpressionKind::LabelAddress(_)
            | ExpressionKind::Error => ExpressionPattern::Distinct(id.index() as u32),
        }
    }
    fn literal_structure(&mut self, id: ast::Id<ast::Expression>, literal: &'a ast::Literal) -> ExpressionPattern {
        let suffix = match literal {
            ast::Literal::Integer(integer) => integer.user_suffix,
            ast::Literal::Float(float) => float.user_suffix,
            ast::Literal::Character(character) => character.user_suffix,
            ast::Literal::String(string) => string.user_suffix,
            ast::Literal::Bool(_) | ast::Literal::Nullptr | ast::Literal::GnuNull => None,
        };
        let plain = match literal {
            ast::Literal::String(string) => {
                let element = match string.encoding {
                    Encoding::Ordinary | Encoding::Utf8 => Types::CHAR,
                    Encoding::Utf16 => Types::CHAR16,
                    Encoding::Utf32 => Types::CHAR32,
                    Encoding::Wide => Types::WIDE_CHAR,
                };
                ExpressionPattern::Text(string.units.clone(), element)
            }
            ast::Literal::Integer(integer) if suffix.is_some() => ExpressionPattern::named(&integer.spelling),
            ast::Literal::Float(float) if suffix.is_some() => ExpressionPattern::named(&float.spelling),
            ast::Literal::Character(character) if suffix.is_some() => {
                ExpressionPattern::Literal(Types::CHAR.unqualified(), i128::from(character.value))
            }
            _ => {
                let value = self.trying(|sema| {
                    let value = sema.expression(id);
                    let ty = sema.program.type_of(value);
                    sema.try_evaluate_value(value).map(|value| (ty, value))
                });
                match value {
                    Ok(Some((ty, value))) => constant_pattern(ty, value),
                    _ => ExpressionPattern::Distinct(id.index() as u32),
                }
            }
        };
        match suffix {
            Some(suffix) => {
                let name = ExpressionPattern::Unresolved {
                    scope: None,
                    global: false,
                    name: NamePattern::Literal(self.shared(suffix)),
                    arguments: None,
                };
                ExpressionPattern::Operator("cl", vec![name, plain])
            }
            None => plain,
        }
    }
    /// `sizeof` and `alignof` of a type without parameters are their value (5.1.6.2 of the ABI).
    fn size_structure(&mut self, code: &'static str, of: ast::Id<ast::TypeId>) -> ExpressionPattern {
        let pattern = self.type_pattern(of);
        if let TypePattern::Type(ty) = pattern {
            let complete = self.trying(|sema| sema.complete_type(ty.id)) == Ok(true);
            let ty = self.program.types.strip_reference(ty);
            let size = match code {
                "st" => self.program.size_of(ty.id),
                _ => self.program.align_of(ty.id),
            };
            if complete && size > 0 {
                return ExpressionPattern::Literal(Types::UNSIGNED_LONG.unqualified(), i128::from(size));
            }
        }
        ExpressionPattern::OfType(code, Box::new(pattern))
    }
    fn pack_size_structure(&mut self, name: Symbol) -> ExpressionPattern {
        match self.first_entity(name) {
            Some(Entity::Parameter(parameter)) => match parameter.kind {
                UnboundKind::FunctionParameter => {
                    ExpressionPattern::Operator("sZ", vec![self.parameter_structure(parameter)])
                }
                UnboundKind::Type | UnboundKind::Value | UnboundKind::Template => ExpressionPattern::PackSize {
                    depth: parameter.depth,
                    index: parameter.index,
                },
            },
            _ => match self.trying(|sema| sema.pack_length(name, crate::source::Span::NONE)) {
                Ok(Some(length)) => ExpressionPattern::Literal(Types::UNSIGNED_LONG.unqualified(), length as i128),
                _ => ExpressionPattern::Operator("sZ", vec![ExpressionPattern::named(self.text(name))]),
            },
        }
    }
    pub(super) fn first_entity(&mut self, name: Symbol) -> Option<Entity> {
        let hits = self.search_outwards(name, Wanted::Anything);
        hits.list.first().map(|declared| declared.entity)
    }
    fn parameter_structure(&mut self, parameter: UnboundParameter) -> ExpressionPattern {
        let UnboundParameter { depth, index, kind, .. } = parameter;
        match kind {
            UnboundKind::FunctionParameter => ExpressionPattern::FunctionParameter {
                level: (self.prototype_depth + 1).saturating_sub(depth),
                index,
            },
            UnboundKind::Type | UnboundKind::Value | UnboundKind::Template => {
                ExpressionPattern::Parameter { depth, index }
            }
        }
    }
    /// The last part of a name.
    fn last_structure(
        &mut self,
        last: &'a UnqualifiedName,
    ) -> (NamePattern, Option<Symbol>, Option<&'a [ast::TemplateArgument]>) {
        match last {
            UnqualifiedName::Identifier(name) => (NamePattern::Identifier(self.shared(*name)), Some(*name), None),
            UnqualifiedName::Template { name, arguments } => (
                NamePattern::Identifier(self.shared(*name)),
                Some(*name),
                Some(&**arguments),
            ),
            UnqualifiedName::Operator { operator, arguments } => (
                NamePattern::Operator(crate::sema::declaration::operator_name(*operator)),
                Some(self.operator_symbol(*operator)),
                arguments.as_deref(),
            ),
            UnqualifiedName::Conversion(to) => (NamePattern::Conversion(Box::new(self.type_pattern(*to))), None, None),
            UnqualifiedName::LiteralOperator { suffix, arguments } => (
                NamePattern::Literal(self.shared(*suffix)),
                Some(self.literal_operator_symbol(*suffix)),
                arguments.as_deref(),
            ),
            UnqualifiedName::Destructor { name, arguments } => {
                let of = self.simple_pattern(None, *name, arguments.as_deref());
                (NamePattern::Destructor(Box::new(of)), None, None)
            }
            UnqualifiedName::DestructorDecltype(expression) => {
                let of = TypePattern::Decltype(Box::new(self.structure(*expression)));
                (NamePattern::Destructor(Box::new(of)), None, None)
            }
        }
    }
    /// A name in an expression.
    fn name_structure(&mut self, id: ast::Id<ast::QualifiedName>) -> ExpressionPattern {
        let ast = self.ast;
        let node = &ast[id];
        let (name, symbol, written) = self.last_structure(&node.last);
        let dependent = !node.qualifiers.is_empty()
            && self.mentions_parameters(|walk| {
                for qualifier in &node.qualifiers {
                    walk.qualifier(qualifier);
                }
            });
        let scope = match dependent {
            true => None,
            false => match self.trying(|sema| sema.resolve_qualifiers(node.global, &node.qualifiers)) {
                Ok(Some(Qualification::Scope(scope))) => Some(scope),
                _ => None,
            },
        };
        if scope.is_none() && !node.qualifiers.is_empty() {
            let of = Box::new(self.qualifier_pattern(&node.qualifiers));
            let arguments = written.map(|written| self.argument_patterns(written, None));
            return ExpressionPattern::Member { of, name, arguments };
        }
        let hits = symbol.map(|symbol| match scope {
            Some(scope) => self.search_qualified(scope, symbol, Wanted::Anything),
            None => self.search_outwards(symbol, Wanted::Anything),
        });
        let entity = hits.and_then(|hits| hits.list.first().map(|declared| declared.entity));
        if let Some(symbol) = symbol
            && let Some(bound) = self.bound_place(symbol).filter(|_| scope.is_none())
        {
            return ExpressionPattern::Parameter {
                depth: bound.0,
                index: bound.1,
            };
        }
        if let Some(known) = entity.and_then(|entity| self.entity_structure(entity, written)) {
            return known;
        }
        let of = match entity {
            Some(Entity::Template(template)) => Some(template),
            _ => None,
        };
        let arguments = written.map(|written| self.argument_patterns(written, of));
        ExpressionPattern::Unresolved {
            scope: scope.map(|scope| self.hir_scope(scope)),
            global: node.global,
            name,
            arguments,
        }
    }
    /// What an entity is in an expression, if that is settled before parameters are known.
    fn entity_structure(
        &mut self,
        entity: Entity,
        written: Option<&'a [ast::TemplateArgument]>,
    ) -> Option<ExpressionPattern> {
        match (entity, written) {
            (Entity::Parameter(parameter), None) => Some(self.parameter_structure(parameter)),
            (Entity::Variable(variable), None) => {
                if let Some(&(depth, index)) = self.signature_variables.get(&variable) {
                    return Some(ExpressionPattern::FunctionParameter {
                        level: (self.prototype_depth + 1).saturating_sub(depth),
                        index,
                    });
                }
                let node = self.program.variable(variable);
                let ty = node.ty.unqualified();
                let value = match &node.initialiser {
                    hir::VariableInitialiser::Constant(Constant::Integer(value)) if node.ty.is_const() => {
                        Some((ty, *value))
                    }
                    _ => None,
                };
                Some(ExpressionPattern::Variable(variable, value))
            }
            (Entity::Enumerator(enumeration, place), None) => {
                let node = self.program.enumeration(enumeration);
                let value = node.enumerators.get(place as usize)?.value;
                let ty = self.program.types.enumeration(enumeration).unqualified();
                Some(ExpressionPattern::Literal(ty, value))
            }
            (Entity::Value(value), None) => {
                let bound = self.bound_value(value).clone();
                Some(constant_pattern(bound.ty, bound.value))
            }
            (Entity::Template(template), Some(written)) => {
                let node = self.template(template);
                let (kind, name, scope) = (node.kind, node.name, node.scope);
                let make = match kind {
                    TemplateKind::Variable => {
                        |scope, name, arguments| ExpressionPattern::VariableTemplate { scope, name, arguments }
                    }
                    TemplateKind::Concept => {
                        |scope, name, arguments| ExpressionPattern::Concept { scope, name, arguments }
                    }
                    TemplateKind::Class | TemplateKind::Function | TemplateKind::Alias => return None,
                };
                let arguments = self.argument_patterns(written, Some(template));
                let arguments = self.with_default_patterns(template, arguments);
                Some(make(self.hir_scope(scope), self.shared(name), arguments))
            }
            _ => None,
        }
    }
    /// A type-constraint `Concept<arguments>` of something: the concept with that as its first argument.
    pub(super) fn constraint_structure(
        &mut self,
        id: ast::Id<ast::QualifiedName>,
        first: Option<ArgumentPattern>,
    ) -> ExpressionPattern {
        let ast = self.ast;
        let node = &ast[id];
        let (name, symbol, written) = self.last_structure(&node.last);
        let scope = match self.trying(|sema| sema.resolve_qualifiers(node.global, &node.qualifiers)) {
            Ok(Some(Qualification::Scope(scope))) => Some(scope),
            _ => None,
        };
        let hits = symbol.map(|symbol| match scope {
            Some(scope) => self.search_qualified(scope, symbol, Wanted::Anything),
            None => self.search_outwards(symbol, Wanted::Anything),
        });
        let concept = hits.and_then(|hits| {
            hits.list.iter().find_map(|declared| match declared.entity {
                Entity::Template(template) => Some(template),
                _ => None,
            })
        });
        let mut arguments: Vec<ArgumentPattern> = first.into_iter().collect();
        arguments.extend(self.argument_patterns(written.unwrap_or_default(), None));
        match (concept, name) {
            (Some(concept), _) => {
                let arguments = self.with_default_patterns(concept, arguments);
                let node = self.template(concept);
                let (scope, name) = (node.scope, node.name);
                ExpressionPattern::Concept {
                    scope: self.hir_scope(scope),
                    name: self.shared(name),
                    arguments,
                }
            }
            (None, name) => ExpressionPattern::Unresolved {
                scope: None,
                global: false,
                name,
                arguments: Some(arguments),
            },
        }
    }
    fn call_structure(
        &mut self,
        callee: ast::Id<ast::Expression>,
        arguments: &[ast::Id<ast::Expression>],
    ) -> ExpressionPattern {
        let ast = self.ast;
        if let ExpressionKind::Name(name) = ast[callee].kind
            && let Some(to) = self.type_named(name)
        {
            return ExpressionPattern::Convert {
                to: Box::new(to),
                operands: self.structures(arguments),
                list: false,
            };
        }
        // A name in parentheses is not looked up by the arguments.
        let code = match ast[callee].kind {
            ExpressionKind::Parenthesized(inner) if matches!(ast[inner].kind, ExpressionKind::Name(_)) => "cp",
            _ => "cl",
        };
        let mut operands = vec![self.structure(callee)];
        operands.extend(self.structures(arguments));
        ExpressionPattern::Operator(code, operands)
    }
    /// The type that the name of a callee denotes, if it is one.
    fn type_named(&mut self, id: ast::Id<ast::QualifiedName>) -> Option<TypePattern> {
        let node = &self.ast[id];
        if !node.is_unqualified() {
            return None;
        }
        let (symbol, _) = self.name_parts(&node.last)?;
        match self.first_entity(symbol)? {
            Entity::Parameter(parameter) if parameter.kind == UnboundKind::Type => {}
            Entity::Class(_) | Entity::Enum(_) | Entity::Typedef(_) => {}
            Entity::Template(template)
                if matches!(self.template(template).kind, TemplateKind::Class | TemplateKind::Alias)
                    && matches!(node.last, UnqualifiedName::Template { .. }) => {}
            _ => return None,
        }
        Some(self.name_pattern(id))
    }
    fn access_structure(
        &mut self,
        object: ast::Id<ast::Expression>,
        arrow: bool,
        name: ast::Id<ast::QualifiedName>,
    ) -> ExpressionPattern {
        let node = &self.ast[name];
        let of = match node.qualifiers.is_empty() {
            true => None,
            false => Some(Box::new(self.qualifier_pattern(&node.qualifiers))),
        };
        let object = Box::new(self.structure(object));
        let (name, _, written) = self.last_structure(&node.last);
        ExpressionPattern::Access {
            object,
            arrow,
            of,
            name,
            arguments: written.map(|written| self.argument_patterns(written, None)),
        }
    }
    fn initialiser_structure(&mut self, initializer: &'a Initializer) -> Vec<ExpressionPattern> {
        match initializer {
            Initializer::Parenthesized(values) => self.structures(values),
            Initializer::Braced(value) => self.list_structure(*value),
            Initializer::Equal(value) => vec![self.structure(*value)],
        }
    }
    fn list_structure(&mut self, id: ast::Id<ast::Expression>) -> Vec<ExpressionPattern> {
        let ExpressionKind::InitializerList(clauses) = &self.ast[id].kind else {
            return vec![self.structure(id)];
        };
        let mut all = Vec::with_capacity(clauses.len());
        for clause in clauses {
            let mut values = self.structures(&[clause.value]);
            for designator in clause.designators.iter().rev() {
                let value = ExpressionPattern::List(std::mem::take(&mut values));
                values.push(match designator {
                    ast::Designator::Field(name) => {
                        let field = ExpressionPattern::named(self.text(*name));
                        ExpressionPattern::Operator("di", vec![field, value])
                    }
                    ast::Designator::Index(index) => {
                        ExpressionPattern::Operator("dx", vec![self.structure(*index), value])
                    }
                    ast::Designator::Range(low, high) => {
                        ExpressionPattern::Operator("dX", vec![self.structure(*low), self.structure(*high), value])
                    }
                });
            }
            all.extend(values);
        }
        all
    }
    fn new_structure(&mut self, new: &'a ast::NewExpression) -> ExpressionPattern {
        let ast = self.ast;
        let is_array = matches!(
            ast[ast[new.type_id].declarator].chunks.first(),
            Some(ast::DeclaratorChunk::Array { .. })
        );
        ExpressionPattern::New {
            code: match (new.global, is_array) {
                (false, false) => "nw",
                (false, true) => "na",
                (true, false) => "gsnw",
                (true, true) => "gsna",
            },
            placement: self.structures(&new.placement),
            to: Box::new(self.type_pattern(new.type_id)),
            initialiser: match &new.initializer {
                None => None,
                Some(Initializer::Braced(value)) => Some(vec![ExpressionPattern::List(self.list_structure(*value))]),
                Some(initializer) => Some(self.initialiser_structure(initializer)),
            },
        }
    }
    fn fold_structure(
        &mut self,
        left: Option<ast::Id<ast::Expression>>,
        operator: BinaryOperator,
        assigns: bool,
        right: Option<ast::Id<ast::Expression>>,
    ) -> ExpressionPattern {
        let operator = match (assigns, operator) {
            (true, BinaryOperator::Comma) => assignment_code(None),
            (true, operator) => assignment_code(Some(operator)),
            (false, operator) => binary_code(operator),
        };
        let (code, operands) = match (left, right) {
            (Some(left), Some(right)) => {
                let code = match self.has_unexpanded_pack(left) {
                    true => "fR",
                    false => "fL",
                };
                (code, vec![self.structure(left), self.structure(right)])
            }
            (Some(operand), None) => ("fr", vec![self.structure(operand)]),
            (None, Some(operand)) => ("fl", vec![self.structure(operand)]),
            (None, None) => ("fl", Vec::new()),
        };
        ExpressionPattern::Fold(code, operator, operands)
    }
    /// Whether an operand names a pack that it does not expand itself.
    fn has_unexpanded_pack(&mut self, operand: ast::Id<ast::Expression>) -> bool {
        let mut names: Vec<Symbol> = Vec::new();
        let mut walk = Walk {
            ast: self.ast,
            mentions_this: false,
            through_expansions: false,
            visit: |name: Symbol| names.push(name),
        };
        walk.expression(operand);
        names.into_iter().any(|name| match self.first_entity(name) {
            Some(Entity::Parameter(parameter)) => parameter.pack,
            Some(Entity::Pack(_)) => true,
            _ => false,
        })
    }
    fn requires_structure(&mut self, requires: &'a ast::RequiresExpression) -> ExpressionPattern {
        let scope = self.scopes.add(ScopeKind::Function(None), Some(self.scope));
        self.prototype_depth += 1;
        let pattern = self.in_scope(scope, |sema| {
            let parameters = sema.prototype_patterns(&requires.parameters);
            let requirements = requires
                .requirements
                .iter()
                .map(|requirement| match requirement.kind {
                    ast::RequirementKind::Expression {
                        value,
                        noexcept,
                        constraint,
                    } => RequirementPattern::Expression(
                        sema.structure(value),
                        noexcept,
                        constraint.map(|constraint| sema.constraint_structure(constraint, None)),
                    ),
                    ast::RequirementKind::Type(required) => RequirementPattern::Type(sema.type_pattern(required)),
                    ast::RequirementKind::Nested(condition) => RequirementPattern::Nested(sema.structure(condition)),
                })
                .collect();
            ExpressionPattern::Requires {
                parameters,
                requirements,
            }
        });
        self.prototype_depth -= 1;
        pattern
    }
    /// The place of a parameter of a template around that is bound, while constraints are compared: they are compared as written ([temp.constr.atomic]).
    pub(super) fn bound_place(&mut self, name: Symbol) -> Option<(u32, u32)> {
        if !self.as_written {
            return None;
        }
        let mut level = 0;
        let mut next: Option<ScopeId> = Some(self.scope);
        while let Some(scope) = next {
            let node = self.scopes.get(scope);
            next = node.parent;
            let is_template = matches!(node.kind, ScopeKind::Template(_));
            let found = node.get(name).first().map(|declared| declared.entity);
            let binds = is_template && self.bound_places.contains_key(&scope);
            level += u32::from(binds);
            match found {
                Some(_) if binds => {
                    let place = self.bound_places[&scope].iter().position(|&known| known == name)?;
                    return Some((level, place as u32));
                }
                Some(_) => return None,
                None => {}
            }
        }
        None
    }
}

/// A constant as a pattern.
fn constant_pattern(ty: QualifiedType, value: Constant) -> ExpressionPattern {
    match value {
        Constant::Integer(value) => ExpressionPattern::Literal(ty.unqualified(), value),
        value => ExpressionPattern::Constant(ty.unqualified(), value),
    }
}

const fn unary_code(operator: UnaryOperator) -> Option<&'static str> {
    Some(match operator {
        UnaryOperator::Plus => "ps",
        UnaryOperator::Minus => "ng",
        UnaryOperator::Complement => "co",
        UnaryOperator::Not => "nt",
        UnaryOperator::Dereference => "de",
        UnaryOperator::AddressOf => "ad",
        UnaryOperator::PreIncrement => "pp_",
        UnaryOperator::PreDecrement => "mm_",
        UnaryOperator::PostIncrement => "pp",
        UnaryOperator::PostDecrement => "mm",
        UnaryOperator::Real => "v18__real__",
        UnaryOperator::Imaginary => "v18__imag__",
        UnaryOperator::Extension => return None,
    })
}

#[rustfmt::skip]
const fn binary_code(operator: BinaryOperator) -> &'static str {
    use BinaryOperator as B;
    match operator {
        B::DotStar => "ds", B::ArrowStar => "pm", B::Multiply => "ml", B::Divide => "dv", B::Remainder => "rm", B::Add => "pl", B::Subtract => "mi",
        B::ShiftLeft => "ls", B::ShiftRight => "rs", B::ThreeWay => "ss", B::Less => "lt", B::Greater => "gt", B::LessEqual => "le",
        B::GreaterEqual => "ge", B::Equal => "eq", B::NotEqual => "ne", B::BitAnd => "an", B::BitXor => "eo", B::BitOr => "or",
        B::LogicalAnd => "aa", B::LogicalOr => "oo", B::Comma => "cm",
    }
}

#[rustfmt::skip]
const fn assignment_code(operator: Option<BinaryOperator>) -> &'static str {
    use BinaryOperator as B;
    match operator {
        None => "aS",
        Some(operator) => match operator {
            B::Multiply => "mL", B::Divide => "dV", B::Remainder => "rM", B::Add => "pL", B::Subtract => "mI", B::ShiftLeft => "lS",
            B::ShiftRight => "rS", B::BitAnd => "aN", B::BitXor => "eO", B::BitOr => "oR",
            // No other operator assigns.
            other => binary_code(other),
        },
    }
}

const fn cast_code(kind: CastKind) -> &'static str {
    match kind {
        CastKind::CStyle => "cv",
        CastKind::Static => "sc",
        CastKind::Dynamic => "dc",
        CastKind::Reinterpret => "rc",
        CastKind::Const => "cc",
    }
}
