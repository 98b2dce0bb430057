//! Concepts and constraints ([temp.concept], [temp.constr], [expr.prim.req]).
//!
//! A constraint is evaluated like all of a template: its syntax is read anew in a scope in which the parameters are bound. What is wrong in an atom makes it
//! false. Atoms that fail say so in words, so that a rejected candidate names the requirement that it does not meet.

use std::cmp::Ordering;
use std::rc::Rc;

use super::{GivenArgument, GivenArguments, TemplateId, TemplateKind, TemplateParameter};
use crate::hir::{FunctionId, QualifiedType, TemplateArgument, Types};
use crate::sema::lookup::{Qualification, Wanted};
use crate::sema::scope::{ScopeId, ScopeKind};
use crate::sema::{Entity, Evaluation, Sema};
use crate::source::{Report, Span, Symbol};
use crate::syntax::ast::{self, BinaryOperator, DeclarationKind, ExpressionKind, RequirementKind, UnqualifiedName};

/// Why a constraint does not hold.
#[derive(Clone, Debug)]
pub(crate) struct Unsatisfied {
    /// A sentence without a full stop.
    pub(crate) reason: String,
    /// The constraint, or the requirement in it.
    pub(crate) span: Span,
}

/// Most clauses that are compared when constraints are ordered: the concepts of ranges have some hundred.
const CLAUSE_LIMIT: usize = 2048;

/// Deepest nesting of concepts in concepts.
const CONCEPT_DEPTH: usize = 64;

/// A constraint taken apart ([temp.constr.normal]).
#[derive(Clone, Debug)]
enum Normal {
    Atom(Atom),
    And(Vec<Normal>),
    Or(Vec<Normal>),
}

/// An atom: its syntax with the arguments of the template around it.
type Atom = (ast::Id<ast::Expression>, Rc<[TemplateArgument]>);

impl<'a> Sema<'a> {
    /// `template <…> concept C = condition;`.
    pub(super) fn concept_declaration(
        &mut self,
        own: Vec<TemplateParameter<'a>>,
        name: Symbol,
        declaration: ast::Id<ast::Declaration>,
        span: Span,
    ) {
        if let Some(known) = self.scopes.get(self.scope).get(name).first() {
            let message = format!("`{}` is declared already", self.text(name));
            let report = Report::error(span, message).note_at(known.span, "declared here");
            self.emit(report);
            return;
        }
        if !matches!(self.scopes.kind(self.scope), ScopeKind::Namespace { .. }) {
            self.error(span, "a concept is a member of a namespace");
            return;
        }
        let template = self.add_template(TemplateKind::Concept, name, self.scope, own, declaration, span);
        self.declare_member(name, Entity::Template(template), span);
        self.templates[template.0 as usize].body_order = self.clock;
    }
    /// Whether the arguments of a template meet its constraints: those of its parameters, of the requires-clause behind them, and of a trailing one.
    pub(super) fn check_constraints(
        &mut self,
        template: TemplateId,
        arguments: &[TemplateArgument],
    ) -> Result<(), Unsatisfied> {
        let node = self.template(template);
        let (parameters, parent, requires) = (node.parameters.clone(), node.scope, node.requires);
        let trailing = self.trailing_constraint(template);
        if requires.is_none() && trailing.is_none() && parameters.iter().all(|parameter| parameter.constraint.is_none())
        {
            return Ok(());
        }
        let scope = self.binding_scope(Some(template), parent, None);
        self.bind_parameters(scope, &parameters, arguments);
        self.check_parameter_constraints(&parameters, arguments, scope)?;
        if let Some(requires) = requires {
            self.holds(requires, scope)?;
        }
        let Some((condition, function)) = trailing else {
            return Ok(());
        };
        let inner = self.scopes.add(ScopeKind::Function(None), Some(scope));
        let declared = self.trying(|sema| {
            sema.outside_of_functions(|sema| {
                sema.in_scope(inner, |sema| {
                    sema.declare_parameters(function);
                })
            })
        });
        match declared {
            Ok(()) => self.holds(condition, inner),
            Err(_) => Ok(()),
        }
    }
    /// The constraints of template parameters that are bound in a scope.
    pub(super) fn check_parameter_constraints(
        &mut self,
        parameters: &[TemplateParameter<'a>],
        arguments: &[TemplateArgument],
        scope: ScopeId,
    ) -> Result<(), Unsatisfied> {
        for (parameter, argument) in parameters.iter().zip(arguments) {
            let Some(constraint) = parameter.constraint else {
                continue;
            };
            match argument {
                TemplateArgument::Pack(elements) => {
                    for element in elements {
                        self.check_type_constraint(constraint, element, scope)?;
                    }
                }
                argument => self.check_type_constraint(constraint, argument, scope)?,
            }
        }
        Ok(())
    }
    fn trailing_constraint(
        &self,
        template: TemplateId,
    ) -> Option<(ast::Id<ast::Expression>, &'a ast::FunctionDeclarator)> {
        let node = self.template(template);
        if node.kind != TemplateKind::Function || node.guide.is_some() {
            return None;
        }
        let function = match node.lambda {
            Some((_, lambda)) => lambda,
            None => {
                let (_, declarator, _) = self.function_syntax(node.declaration)?;
                self.ast[declarator].function()?
            }
        };
        Some((function.requires?, function))
    }
    /// Whether a type (or the type of a value) is of a concept: `Concept<arguments> T`.
    pub(crate) fn check_type_constraint(
        &mut self,
        constraint: ast::Id<ast::QualifiedName>,
        argument: &TemplateArgument,
        scope: ScopeId,
    ) -> Result<(), Unsatisfied> {
        let span = self.ast[constraint].span;
        let first = match argument {
            TemplateArgument::Value(ty, _) => TemplateArgument::Type(*ty),
            other => other.clone(),
        };
        match self.in_scope(scope, |sema| sema.concept_and_arguments(constraint, Some(first))) {
            Some((concept, arguments)) => self.concept_holds(concept, &arguments, span),
            None => Err(Unsatisfied {
                reason: format!("`{}` cannot be checked", self.source_text(span)),
                span,
            }),
        }
    }
    /// The same with a type, giving a message: of `Concept auto x = …`.
    pub(crate) fn require_constraint(
        &mut self,
        constraint: ast::Id<ast::QualifiedName>,
        ty: QualifiedType,
        span: Span,
    ) -> bool {
        let argument = TemplateArgument::Type(ty);
        match self.check_type_constraint(constraint, &argument, self.scope) {
            Ok(()) => true,
            Err(why) => {
                let message = format!("the deduced type `{}` does not meet its constraint", self.show(ty));
                self.emit(Report::error(span, message).note_at(why.span, why.reason));
                false
            }
        }
    }
    /// The concept that a name denotes, and its arguments: the first one given, or all written.
    fn concept_and_arguments(
        &mut self,
        name: ast::Id<ast::QualifiedName>,
        first: Option<TemplateArgument>,
    ) -> Option<(TemplateId, Rc<[TemplateArgument]>)> {
        let ast = self.ast;
        let node = &ast[name];
        let (symbol, written): (Symbol, &'a [ast::TemplateArgument]) = match &node.last {
            UnqualifiedName::Identifier(symbol) => (*symbol, &[]),
            UnqualifiedName::Template { name, arguments } => (*name, arguments),
            _ => return None,
        };
        let attempt = self.trying(|sema| {
            let hits = match sema.resolve_qualifiers(node.global, &node.qualifiers)? {
                Qualification::Scope(scope) => sema.search_qualified(scope, symbol, Wanted::Anything),
                Qualification::None => sema.search_outwards(symbol, Wanted::Anything),
                Qualification::Dependent => return None,
            };
            let concept = hits.list.iter().find_map(|declared| match declared.entity {
                Entity::Template(template) if sema.template(template).kind == TemplateKind::Concept => Some(template),
                _ => None,
            })?;
            let mut given = sema.given_arguments(written, node.span);
            if let Some(first) = first {
                let list: Vec<GivenArgument<'a>> = std::iter::once(GivenArgument::Known(first))
                    .chain(given.list.iter().cloned())
                    .collect();
                given.list = list.into();
            }
            let arguments = sema.match_arguments(concept, &given)?;
            Some((concept, arguments))
        });
        attempt.ok().flatten()
    }
    /// The value of `C<arguments>`; `None` after a message.
    pub(crate) fn concept_value(&mut self, concept: TemplateId, given: &GivenArguments<'a>) -> Option<bool> {
        let arguments = self.match_arguments(concept, given)?;
        Some(self.concept_holds(concept, &arguments, given.span).is_ok())
    }
    fn concept_holds(
        &mut self,
        concept: TemplateId,
        arguments: &Rc<[TemplateArgument]>,
        span: Span,
    ) -> Result<(), Unsatisfied> {
        if self.satisfied.contains(&(concept, arguments.clone())) {
            return Ok(());
        }
        let Some((condition, scope)) = self.concept_condition(concept, arguments) else {
            return Ok(());
        };
        if self.concept_depth >= CONCEPT_DEPTH {
            let reason = "constraints are nested too deeply".to_string();
            return Err(Unsatisfied { reason, span });
        }
        self.concept_depth += 1;
        let result = self.holds(condition, scope);
        self.concept_depth -= 1;
        match result {
            Ok(()) => {
                self.satisfied.insert((concept, arguments.clone()));
                Ok(())
            }
            Err(inner) => {
                let name = self.text(self.template(concept).name).to_string();
                let list = self.show_arguments(arguments);
                Err(Unsatisfied {
                    reason: format!("`{name}<{list}>` is not satisfied: {}", inner.reason),
                    span: inner.span,
                })
            }
        }
    }
    fn concept_condition(
        &mut self,
        concept: TemplateId,
        arguments: &[TemplateArgument],
    ) -> Option<(ast::Id<ast::Expression>, ScopeId)> {
        let node = self.template(concept);
        let (parameters, parent, declaration, order) =
            (node.parameters.clone(), node.scope, node.declaration, node.body_order);
        let DeclarationKind::Concept { condition, .. } = self.ast[declaration].kind else {
            return None;
        };
        let scope = self.binding_scope(Some(concept), parent, Some(order));
        self.bind_parameters(scope, &parameters, arguments);
        Some((condition, scope))
    }
    fn show_arguments(&self, arguments: &[TemplateArgument]) -> String {
        let one = |argument: &TemplateArgument| match argument {
            TemplateArgument::Type(ty) => self.show(*ty),
            TemplateArgument::Value(ty, value) => self.program.show_constant(*ty, value),
            TemplateArgument::Template(name) => name.name.to_string(),
            TemplateArgument::Pack(list) => self.show_arguments(list),
        };
        arguments.iter().map(one).collect::<Vec<_>>().join(", ")
    }
    /// The text of a stretch of the source, in one line.
    pub(crate) fn source_text(&self, span: Span) -> String {
        let text = self
            .context
            .map
            .bytes(span)
            .and_then(|(source, bytes)| source.text().get(bytes).map(str::to_string));
        text.unwrap_or_default()
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ")
    }
    /// Whether a constraint holds in a scope: `&&` and `||` decide early, and each atom is on its own ([temp.constr.op]).
    pub(crate) fn holds(&mut self, condition: ast::Id<ast::Expression>, scope: ScopeId) -> Result<(), Unsatisfied> {
        let ast = self.ast;
        let span = ast[condition].span;
        match &ast[condition].kind {
            &ExpressionKind::Parenthesized(inner) => self.holds(inner, scope),
            &ExpressionKind::Binary {
                operator: BinaryOperator::LogicalAnd,
                left,
                right,
                ..
            } => {
                self.holds(left, scope)?;
                self.holds(right, scope)
            }
            &ExpressionKind::Binary {
                operator: BinaryOperator::LogicalOr,
                left,
                right,
                ..
            } => match self.holds(left, scope) {
                Ok(()) => Ok(()),
                Err(_) => self.holds(right, scope),
            },
            ExpressionKind::Requires(requires) => {
                self.outside_of_functions(|sema| sema.in_scope(scope, |sema| sema.requirements(requires)))
            }
            &ExpressionKind::Name(name) => {
                let concept = self.in_scope(scope, |sema| sema.concept_and_arguments(name, None));
                match concept {
                    Some((concept, arguments)) => self.concept_holds(concept, &arguments, span),
                    None => self.atom_holds(condition, scope),
                }
            }
            _ => self.atom_holds(condition, scope),
        }
    }
    fn atom_holds(&mut self, condition: ast::Id<ast::Expression>, scope: ScopeId) -> Result<(), Unsatisfied> {
        let span = self.ast[condition].span;
        let value = self.trying(|sema| {
            sema.outside_of_functions(|sema| sema.in_scope(scope, |sema| sema.constant_bool(condition)))
        });
        let text = self.source_text(span);
        let reason = match value {
            Ok(Some(true)) => return Ok(()),
            Ok(_) => format!("`{text}` is false"),
            Err(reports) => match reports.first() {
                Some(report) => format!("`{text}` is not valid: {}", report.message),
                None => format!("`{text}` is not valid"),
            },
        };
        Err(Unsatisfied { reason, span })
    }
    /// Whether all requirements of a requires-expression are met.
    pub(crate) fn requirements(&mut self, requires: &'a ast::RequiresExpression) -> Result<(), Unsatisfied> {
        let scope = self.scopes.add(ScopeKind::Function(None), Some(self.scope));
        let evaluation = Evaluation {
            unevaluated: true,
            ..Evaluation::default()
        };
        self.in_scope(scope, |sema| {
            sema.with_evaluation(evaluation, |sema| {
                let declared = sema.trying(|sema| {
                    sema.declare_parameter_list(&requires.parameters);
                });
                if let Err(reports) = declared {
                    let span = requires.requirements.first().map_or(Span::NONE, |first| first.span);
                    let reason = reports.first().map_or(String::new(), |report| report.message.clone());
                    return Err(Unsatisfied { reason, span });
                }
                requires
                    .requirements
                    .iter()
                    .try_for_each(|requirement| sema.requirement(requirement))
            })
        })
    }
    fn requirement(&mut self, requirement: &'a ast::Requirement) -> Result<(), Unsatisfied> {
        let span = requirement.span;
        let fail = |sema: &Self, reports: &[Report]| {
            let text = sema.source_text(span);
            let reason = match reports.first() {
                Some(report) => format!("`{text}` is not valid: {}", report.message),
                None => format!("`{text}` is not valid"),
            };
            Err(Unsatisfied { reason, span })
        };
        match requirement.kind {
            RequirementKind::Nested(condition) => self.holds(condition, self.scope),
            RequirementKind::Type(type_id) => match self.trying(|sema| sema.type_of_type_id(type_id)) {
                Ok(ty) if ty.id != Types::ERROR => Ok(()),
                Ok(_) => fail(self, &[]),
                Err(reports) => fail(self, &reports),
            },
            RequirementKind::Expression {
                value,
                noexcept,
                constraint,
            } => {
                let checked = self.trying(|sema| {
                    let expression = sema.expression(value);
                    let expression = sema.drop_value(expression);
                    (expression, sema.is_poisoned(expression))
                });
                let expression = match checked {
                    Ok((expression, false)) => expression,
                    Ok((_, true)) => return fail(self, &[]),
                    Err(reports) => return fail(self, &reports),
                };
                if noexcept && self.may_throw(expression) {
                    let reason = format!("`{}` may throw", self.source_text(self.ast[value].span));
                    return Err(Unsatisfied { reason, span });
                }
                let Some(constraint) = constraint else {
                    return Ok(());
                };
                let ty = self.trying(|sema| {
                    let expression = sema.expression(value);
                    sema.decltype_of(expression, false)
                });
                match ty {
                    Ok(ty) => self.check_type_constraint(constraint, &TemplateArgument::Type(ty), self.scope),
                    Err(reports) => fail(self, &reports),
                }
            }
        }
    }
    /// The trailing requires-clause of a function that is no template's instance.
    pub(crate) fn check_function_constraint(&mut self, function: FunctionId) -> Result<(), Unsatisfied> {
        match self.function_info(function).constraint {
            Some((condition, scope)) => self.holds(condition, scope),
            None => Ok(()),
        }
    }
    /// Which of two functions has the stricter constraints ([temp.constr.order]): `Less` is the first.
    pub(crate) fn more_constrained(&mut self, one: FunctionId, other: FunctionId) -> Ordering {
        let one = self.function_constraints(one);
        let other = self.function_constraints(other);
        compare(&one, &other)
    }
    /// The same of two partial specialisations with the arguments of their parameters; `None` is the template itself.
    pub(super) fn more_constrained_partial(
        &mut self,
        template: TemplateId,
        one: (usize, &[TemplateArgument]),
        other: (usize, &[TemplateArgument]),
    ) -> Ordering {
        let constraints = |sema: &mut Self, (index, arguments): (usize, &[TemplateArgument])| {
            let partial = &sema.template(template).partials[index];
            let (parameters, requires) = (partial.parameters.clone(), partial.requires);
            let parent = sema.template(template).scope;
            let scope = sema.binding_scope(None, parent, None);
            sema.bind_parameters(scope, &parameters, arguments);
            let mut all = sema.parameter_normals(&parameters, arguments, scope);
            if let Some(requires) = requires {
                all.push(sema.normal(requires, scope, &Rc::from(arguments), 0));
            }
            Normal::And(all)
        };
        let one = constraints(self, one);
        let other = constraints(self, other);
        compare(&one, &other)
    }
    fn function_constraints(&mut self, function: FunctionId) -> Normal {
        let info = self.function_info(function);
        let none: Rc<[TemplateArgument]> = Rc::from([]);
        if let Some((condition, scope)) = info.constraint {
            return self.normal(condition, scope, &none, 0);
        }
        let Some(instance) = info.instance.clone() else {
            return Normal::And(Vec::new());
        };
        let template = instance.template;
        let node = self.template(template);
        let (parameters, parent, requires) = (node.parameters.clone(), node.scope, node.requires);
        let trailing = self.trailing_constraint(template);
        let scope = self.binding_scope(Some(template), parent, None);
        self.bind_parameters(scope, &parameters, &instance.arguments);
        let mut all = self.parameter_normals(&parameters, &instance.arguments, scope);
        for condition in requires.into_iter().chain(trailing.map(|(condition, _)| condition)) {
            all.push(self.normal(condition, scope, &instance.arguments, 0));
        }
        Normal::And(all)
    }
    fn parameter_normals(
        &mut self,
        parameters: &[TemplateParameter<'a>],
        arguments: &[TemplateArgument],
        scope: ScopeId,
    ) -> Vec<Normal> {
        let mut all = Vec::new();
        for (parameter, argument) in parameters.iter().zip(arguments) {
            let Some(constraint) = parameter.constraint else {
                continue;
            };
            let elements = match argument {
                TemplateArgument::Pack(elements) => elements.clone(),
                TemplateArgument::Value(ty, _) => vec![TemplateArgument::Type(*ty)],
                other => vec![other.clone()],
            };
            for element in elements {
                let found = self.in_scope(scope, |sema| sema.concept_and_arguments(constraint, Some(element)));
                if let Some((concept, arguments)) = found {
                    all.push(self.concept_normal(concept, &arguments, 0));
                }
            }
        }
        all
    }
    fn concept_normal(&mut self, concept: TemplateId, arguments: &Rc<[TemplateArgument]>, depth: usize) -> Normal {
        match self.concept_condition(concept, arguments) {
            Some((condition, scope)) => self.normal(condition, scope, arguments, depth + 1),
            None => Normal::And(Vec::new()),
        }
    }
    fn normal(
        &mut self,
        condition: ast::Id<ast::Expression>,
        scope: ScopeId,
        arguments: &Rc<[TemplateArgument]>,
        depth: usize,
    ) -> Normal {
        let atom = Normal::Atom((condition, arguments.clone()));
        if depth > CONCEPT_DEPTH {
            return atom;
        }
        match self.ast[condition].kind {
            ExpressionKind::Parenthesized(inner) => self.normal(inner, scope, arguments, depth),
            ExpressionKind::Binary {
                operator: operator @ (BinaryOperator::LogicalAnd | BinaryOperator::LogicalOr),
                left,
                right,
                ..
            } => {
                let both = vec![
                    self.normal(left, scope, arguments, depth + 1),
                    self.normal(right, scope, arguments, depth + 1),
                ];
                match operator {
                    BinaryOperator::LogicalAnd => Normal::And(both),
                    _ => Normal::Or(both),
                }
            }
            ExpressionKind::Name(name) => match self.in_scope(scope, |sema| sema.concept_and_arguments(name, None)) {
                Some((concept, arguments)) => self.concept_normal(concept, &arguments, depth),
                None => atom,
            },
            _ => atom,
        }
    }
}

/// Which of two constraints subsumes the other ([temp.constr.order]).
fn compare(one: &Normal, other: &Normal) -> Ordering {
    match (subsumes(one, other), subsumes(other, one)) {
        (true, false) => Ordering::Less,
        (false, true) => Ordering::Greater,
        _ => Ordering::Equal,
    }
}

fn subsumes(one: &Normal, other: &Normal) -> bool {
    let (Some(ones), Some(others)) = (clauses(one, true), clauses(other, false)) else {
        return false;
    };
    ones.iter()
        .all(|one| others.iter().all(|other| one.iter().any(|atom| other.contains(atom))))
}

/// The disjunctive normal form (or the conjunctive one) as lists of atoms; `None` if it is too large.
fn clauses(normal: &Normal, disjunctive: bool) -> Option<Vec<Vec<Atom>>> {
    let (parts, joined) = match normal {
        Normal::Atom(atom) => return Some(vec![vec![atom.clone()]]),
        Normal::And(parts) => (parts, !disjunctive),
        Normal::Or(parts) => (parts, disjunctive),
    };
    if joined {
        let mut all = Vec::new();
        for part in parts {
            for clause in clauses(part, disjunctive)? {
                add_clause(&mut all, clause);
            }
        }
        return (all.len() <= CLAUSE_LIMIT).then_some(all);
    }
    let mut product: Vec<Vec<Atom>> = vec![Vec::new()];
    for part in parts {
        let more = clauses(part, disjunctive)?;
        if product.len() * more.len() > CLAUSE_LIMIT {
            return None;
        }
        let mut next = Vec::new();
        for (left, right) in product
            .iter()
            .flat_map(|left| more.iter().map(move |right| (left, right)))
        {
            let mut clause = left.clone();
            clause.extend(right.iter().filter(|atom| !left.contains(atom)).cloned());
            add_clause(&mut next, clause);
        }
        product = next;
    }
    Some(product)
}

/// Adds a clause unless one with some of its atoms is there, which says as much: concepts name those below them many times.
fn add_clause(list: &mut Vec<Vec<Atom>>, clause: Vec<Atom>) {
    if !list.iter().any(|known| known.iter().all(|atom| clause.contains(atom))) {
        list.push(clause);
    }
}
