//! Concepts and constraints (\[temp.concept\], \[temp.pre\], \[expr.prim.req\]).

use crate::source::{Keyword, Punctuator, TokenKind};
use crate::syntax::ast::{
    BinaryOperator, Declaration, DeclarationKind, Expression, ExpressionKind, Id, NameKind, QualifiedName, Requirement,
    RequirementKind, RequiresExpression,
};

use super::name::NameMode;
use super::scope::{Entry, ScopeKind};
use super::specifier::Where;
use super::{Parsed, Parser};

impl Parser<'_> {
    /// `concept C = condition;`, after its template head.
    pub(super) fn concept(&mut self) -> Parsed<Id<Declaration>> {
        let start = self.position;
        self.advance();
        let (name, name_span) = self.expect_identifier("the name of the concept")?;
        self.attribute_list()?;
        // The name is in scope behind the head: in the scope around the template parameters.
        let scope = self.scopes.current();
        self.scopes.declare(scope, name, Entry::new(NameKind::Concept, None));
        self.expect(Punctuator::Equal, "in the definition of a concept")?;
        let condition = self.outside_angles(|parser| parser.constant_expression())?;
        self.expect_semicolon("after the definition of the concept")?;
        let kind = DeclarationKind::Concept {
            name,
            name_span,
            condition,
        };
        Ok(self.add_declaration(kind, start))
    }

    /// `requires condition`, if it stands here.
    pub(super) fn optional_requires_clause(&mut self) -> Parsed<Option<Id<Expression>>> {
        if !self.eat_keyword(Keyword::Requires) {
            return Ok(None);
        }
        let condition = self.outside_angles(|parser| parser.constraint_disjunction())?;
        Ok(Some(condition))
    }

    /// Constraints are primary expressions joined by `&&` and `||` (\[temp.pre\]/9): what follows them may begin a declaration.
    fn constraint_disjunction(&mut self) -> Parsed<Id<Expression>> {
        self.constraint_chain(Punctuator::DoublePipe, BinaryOperator::LogicalOr, |parser| {
            parser.constraint_chain(Punctuator::DoubleAmpersand, BinaryOperator::LogicalAnd, |parser| {
                parser.nested(|parser| parser.constraint_operand())
            })
        })
    }

    fn constraint_chain(
        &mut self,
        punctuator: Punctuator,
        operator: BinaryOperator,
        read: impl Fn(&mut Self) -> Parsed<Id<Expression>>,
    ) -> Parsed<Id<Expression>> {
        let start = self.position;
        let mut left = read(self)?;
        while self.is(punctuator) {
            let operator_span = self.here();
            self.advance();
            let right = read(self)?;
            let kind = ExpressionKind::Binary {
                operator,
                left,
                right,
                operator_span,
            };
            left = self.add_expression(kind, start);
        }
        Ok(left)
    }

    /// `requires (parameters) { requirements }`.
    pub(super) fn requires_expression(&mut self) -> Parsed<Id<Expression>> {
        let start = self.position;
        self.advance();
        let depth = self.scopes.depth();
        self.scopes.enter(ScopeKind::Parameters);
        let read = self.outside_angles(|parser| parser.requires_parts());
        self.scopes.truncate(depth);
        Ok(self.add_expression(ExpressionKind::Requires(Box::new(read?)), start))
    }

    fn requires_parts(&mut self) -> Parsed<RequiresExpression> {
        let parameters = if self.is(Punctuator::LeftParenthesis) {
            self.parameter_clause()?.0
        } else {
            Box::default()
        };
        self.expect(Punctuator::LeftBrace, "to open the requirements")?;
        let mut requirements = Vec::new();
        while !self.is(Punctuator::RightBrace) && !self.is_end() {
            requirements.push(self.requirement()?);
        }
        self.expect(Punctuator::RightBrace, "after the requirements")?;
        if requirements.is_empty() {
            return Err(self.error(self.previous(), "a `requires` expression needs a requirement"));
        }
        Ok(RequiresExpression {
            parameters,
            requirements: requirements.into_boxed_slice(),
        })
    }

    fn requirement(&mut self) -> Parsed<Requirement> {
        let start = self.position;
        let kind = match self.kind() {
            TokenKind::Keyword(Keyword::Requires) if !self.opens_requires_expression() => {
                self.advance();
                RequirementKind::Nested(self.binary_expression(BinaryOperator::LogicalOr.precedence())?)
            }
            TokenKind::Keyword(Keyword::Typename) => match self.type_requirement() {
                Some(kind) => kind,
                None => self.simple_requirement()?,
            },
            TokenKind::Punctuator(Punctuator::LeftBrace) => self.compound_requirement()?,
            _ => self.simple_requirement()?,
        };
        let span = self.span_from(start);
        self.expect_semicolon("after the requirement")?;
        Ok(Requirement { kind, span })
    }

    fn opens_requires_expression(&self) -> bool {
        let next = self.ahead(1);
        if next.is(Punctuator::LeftBrace) {
            return true;
        }
        let closer = self.brackets.partner(self.position + 1);
        next.is(Punctuator::LeftParenthesis)
            && closer.is_some_and(|closer| self.token_at(closer + 1).is(Punctuator::LeftBrace))
    }

    fn type_requirement(&mut self) -> Option<RequirementKind> {
        self.attempt(|parser| {
            let type_id = parser.type_id(Where::DefaultType)?;
            let ends = parser.is(Punctuator::Semicolon);
            ends.then_some(RequirementKind::Type(type_id)).ok_or(super::Failed)
        })
    }

    fn simple_requirement(&mut self) -> Parsed<RequirementKind> {
        Ok(RequirementKind::Expression {
            value: self.expression()?,
            noexcept: false,
            constraint: None,
        })
    }

    /// `{ expression } noexcept -> Concept`.
    fn compound_requirement(&mut self) -> Parsed<RequirementKind> {
        self.advance();
        let value = self.expression()?;
        self.expect(Punctuator::RightBrace, "after the expression of the requirement")?;
        let noexcept = self.eat_keyword(Keyword::Noexcept);
        let constraint = match self.eat(Punctuator::Arrow) {
            true => Some(self.concept_name()?),
            false => None,
        };
        Ok(RequirementKind::Expression {
            value,
            noexcept,
            constraint,
        })
    }

    /// A name of a concept with arguments, if one stands here (\[temp.param\]): a type-constraint.
    fn concept_name(&mut self) -> Parsed<Id<QualifiedName>> {
        let parsed = self.qualified_name(NameMode::Expression)?;
        if parsed.name.kind != NameKind::Concept {
            return Err(self.error(parsed.name.span, "a concept is needed here"));
        }
        Ok(self.add_name(parsed.name, parsed.scope))
    }

    /// The type-constraint before a template parameter, if it is one that declares a type.
    pub(super) fn parameter_constraint(&mut self) -> Option<Id<QualifiedName>> {
        if self.identifier().is_none() && !self.is(Punctuator::DoubleColon) {
            return None;
        }
        self.attempt(|parser| {
            let name = parser.concept_name()?;
            let placeholder = matches!(parser.kind(), TokenKind::Keyword(Keyword::Auto | Keyword::Decltype));
            (!placeholder).then_some(name).ok_or(super::Failed)
        })
    }
}
