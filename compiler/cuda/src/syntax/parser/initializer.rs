//! Initialisers (\[dcl.init\]).

use crate::source::{Punctuator, TokenKind};
use crate::syntax::ast::{Designator, Expression, ExpressionKind, Id, Initializer, InitializerClause, List};

use super::{Parsed, Parser};

impl Parser<'_> {
    /// `= value`, `(…)`, `{…}`, or nothing.
    pub(super) fn optional_initializer(&mut self) -> Parsed<Option<Initializer>> {
        match self.kind() {
            TokenKind::Punctuator(Punctuator::Equal) => {
                self.advance();
                Ok(Some(Initializer::Equal(self.initializer_clause()?)))
            }
            TokenKind::Punctuator(Punctuator::LeftParenthesis | Punctuator::LeftBrace) => {
                self.direct_initializer().map(Some)
            }
            _ => Ok(None),
        }
    }

    /// `(…)` or `{…}`.
    pub(super) fn direct_initializer(&mut self) -> Parsed<Initializer> {
        if self.is(Punctuator::LeftBrace) {
            return Ok(Initializer::Braced(self.initializer_list()?));
        }
        Ok(Initializer::Parenthesized(self.arguments()?))
    }

    /// `(expressions)`: any may be a list in braces or a pack expansion.
    pub(super) fn arguments(&mut self) -> Parsed<List<Id<Expression>>> {
        self.expect(Punctuator::LeftParenthesis, "here")?;
        self.outside_angles(|parser| {
            let list = parser.expression_list(Punctuator::RightParenthesis)?;
            parser.expect(Punctuator::RightParenthesis, "or `,` after an argument")?;
            Ok(list)
        })
    }

    /// Expressions separated by commas up to `end`.
    pub(super) fn expression_list(&mut self, end: Punctuator) -> Parsed<List<Id<Expression>>> {
        let mut list = Vec::new();
        while !self.is(end) {
            list.push(self.initializer_clause_or_pack()?);
            if !self.eat(Punctuator::Comma) {
                break;
            }
            if self.is(end) {
                return Err(self.expected("an expression after `,`"));
            }
        }
        Ok(list.into_boxed_slice())
    }

    /// An assignment expression or a list in braces.
    pub(super) fn initializer_clause(&mut self) -> Parsed<Id<Expression>> {
        if self.is(Punctuator::LeftBrace) {
            self.initializer_list()
        } else {
            self.assignment_expression()
        }
    }

    /// The same, maybe with `...`.
    pub(super) fn initializer_clause_or_pack(&mut self) -> Parsed<Id<Expression>> {
        let start = self.position;
        let clause = self.initializer_clause()?;
        if self.eat(Punctuator::Ellipsis) {
            return Ok(self.add_expression(ExpressionKind::PackExpansion(clause), start));
        }
        Ok(clause)
    }

    /// `{…}` (\[dcl.init.list\]).
    pub(super) fn initializer_list(&mut self) -> Parsed<Id<Expression>> {
        self.nested(|parser| {
            let start = parser.position;
            parser.expect(Punctuator::LeftBrace, "to open an initialiser list")?;
            let clauses = parser.outside_angles(|parser| parser.initializer_clauses())?;
            parser.expect(Punctuator::RightBrace, "or `,` in an initialiser list")?;
            Ok(parser.add_expression(ExpressionKind::InitializerList(clauses), start))
        })
    }

    fn initializer_clauses(&mut self) -> Parsed<List<InitializerClause>> {
        let mut clauses = Vec::new();
        loop {
            self.skip_pragmas();
            if self.is(Punctuator::RightBrace) {
                return Ok(clauses.into_boxed_slice());
            }
            let start = self.position;
            let designators = self.designators()?;
            let value = self.initializer_clause_or_pack()?;
            let span = self.span_from(start);
            clauses.push(InitializerClause {
                designators,
                value,
                span,
            });
            if !self.eat(Punctuator::Comma) {
                return Ok(clauses.into_boxed_slice());
            }
        }
    }

    /// `.a.b[3] =`, GNU's `a:` and `[low ... high] =`.
    fn designators(&mut self) -> Parsed<List<Designator>> {
        let mut list = Vec::new();
        if let Some(name) = self.identifier()
            && self.ahead(1).is(Punctuator::Colon)
        {
            self.advance();
            self.advance();
            return Ok(Box::new([Designator::Field(name)]));
        }
        loop {
            if self.is(Punctuator::Dot) {
                self.advance();
                let (name, _) = self.expect_identifier("the name of a member")?;
                list.push(Designator::Field(name));
            } else if self.is(Punctuator::LeftBracket) && (!list.is_empty() || self.at_array_designator()) {
                self.advance();
                let low = self.outside_angles(|parser| parser.constant_expression())?;
                if self.eat(Punctuator::Ellipsis) {
                    let high = self.outside_angles(|parser| parser.constant_expression())?;
                    list.push(Designator::Range(low, high));
                } else {
                    list.push(Designator::Index(low));
                }
                self.expect(Punctuator::RightBracket, "after the index")?;
            } else {
                break;
            }
        }
        if !list.is_empty() && !self.eat(Punctuator::Equal) && !self.is(Punctuator::LeftBrace) {
            return Err(self.expected("`=` after a designator"));
        }
        Ok(list.into_boxed_slice())
    }

    /// `[index] =` rather than a lambda: what follows the bracket tells.
    fn at_array_designator(&self) -> bool {
        let next = self.token_at(self.closer() + 1);
        next.is(Punctuator::Equal) || next.is(Punctuator::Dot) || next.is(Punctuator::LeftBracket)
    }
}
