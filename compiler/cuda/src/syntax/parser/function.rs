//! Structured bindings, deduction guides, and functions with bodies.

use crate::source::{Keyword, Punctuator, Span, Symbol, TokenKind};
use crate::syntax::ast::{
    Declaration, DeclarationKind, ExplicitSpecifier, FunctionBody, FunctionDefinition, Id, List, NameKind,
    ReferenceQualifier, Specifiers, TypeSpecifier,
};

use super::declarator::ReadDeclarator;
use super::scope::{Entry, ScopeKind};
use super::specifier::Where;
use super::{Parsed, Parser};

impl Parser<'_> {
    pub(super) fn at_structured_binding(&self, specifiers: Id<Specifiers>) -> bool {
        if !matches!(self.ast[specifiers].type_specifier, TypeSpecifier::Auto) {
            return false;
        }
        let reference = self.is(Punctuator::Ampersand) || self.is(Punctuator::DoubleAmpersand);
        let at = usize::from(reference);
        self.ahead(at).is(Punctuator::LeftBracket) && self.ahead(at + 1).identifier().is_some()
    }

    /// `auto [a, b] = …` without the semicolon.
    pub(super) fn structured_binding(&mut self, specifiers: Id<Specifiers>, start: usize) -> Parsed<Id<Declaration>> {
        let reference = if self.eat(Punctuator::Ampersand) {
            ReferenceQualifier::Lvalue
        } else if self.eat(Punctuator::DoubleAmpersand) {
            ReferenceQualifier::Rvalue
        } else {
            ReferenceQualifier::None
        };
        self.expect(Punctuator::LeftBracket, "here")?;
        let mut names: Vec<(Symbol, Span)> = Vec::new();
        loop {
            let (name, span) = self.expect_identifier("a name")?;
            names.push((name, span));
            self.attribute_list()?;
            if !self.eat(Punctuator::Comma) {
                break;
            }
        }
        self.expect(Punctuator::RightBracket, "after the names")?;
        let scope = self.scopes.current();
        for &(name, _) in &names {
            self.scopes.declare(scope, name, Entry::new(NameKind::Value, None));
        }
        let initializer = self.optional_initializer()?;
        let names = names.into_boxed_slice();
        Ok(self.add_declaration(
            DeclarationKind::StructuredBinding {
                specifiers,
                reference,
                names,
                initializer,
            },
            start,
        ))
    }

    pub(super) fn at_deduction_guide(&self, specifiers: Id<Specifiers>) -> bool {
        let no_type = matches!(self.ast[specifiers].type_specifier, TypeSpecifier::None);
        if !no_type || self.identifier().is_none() || !self.ahead(1).is(Punctuator::LeftParenthesis) {
            return false;
        }
        let closer = self.brackets.partner(self.position + 1);
        closer.is_some_and(|closer| self.token_at(closer + 1).is(Punctuator::Arrow))
    }

    /// `X(parameters) -> X<…>;`.
    pub(super) fn deduction_guide(&mut self, specifiers: Id<Specifiers>, start: usize) -> Parsed<Id<Declaration>> {
        let (name, name_span) = self.expect_identifier("a name")?;
        let depth = self.scopes.depth();
        self.scopes.enter(ScopeKind::Parameters);
        let clause = self.parameter_clause();
        let (parameters, is_variadic) = clause?;
        self.expect(Punctuator::Arrow, "in a deduction guide")?;
        let result = self.type_id(Where::DefaultType)?;
        self.scopes.truncate(depth);
        self.expect_semicolon("after the deduction guide")?;
        let node = &self.ast[specifiers];
        let explicit: ExplicitSpecifier = node.explicit;
        let attributes = node.attributes.clone();
        let kind = DeclarationKind::DeductionGuide {
            explicit,
            name,
            name_span,
            parameters,
            is_variadic,
            result,
            attributes,
        };
        Ok(self.add_declaration(kind, start))
    }

    /// Whether the body of a function follows.
    pub(super) fn begins_body(&self, read: &ReadDeclarator) -> bool {
        if self.ast[read.id].function().is_none() {
            return false;
        }
        match self.kind() {
            TokenKind::Punctuator(Punctuator::LeftBrace | Punctuator::Colon) | TokenKind::Keyword(Keyword::Try) => true,
            TokenKind::Punctuator(Punctuator::Equal) => {
                matches!(
                    self.ahead(1).kind,
                    TokenKind::Keyword(Keyword::Default | Keyword::Delete)
                )
            }
            _ => false,
        }
    }

    pub(super) fn function_definition(
        &mut self,
        specifiers: Id<Specifiers>,
        read: ReadDeclarator,
        place: Where,
        start: usize,
    ) -> Parsed<Id<Declaration>> {
        let span = self.span_from(start);
        let declarator = read.id;
        let (initializers, body): (List<_>, _) = (Box::default(), FunctionBody::Skipped);
        let function = self.ast.add(FunctionDefinition {
            specifiers,
            declarator,
            initializers,
            body,
            launches: false,
            span,
        });
        if self.eat(Punctuator::Equal) {
            self.special_body(function)?;
        } else if place == Where::Block {
            return Err(self.error(self.here(), "a function cannot be defined in a block"));
        } else {
            if let Some(scope) = read.parameters {
                self.scopes.push(scope);
            }
            if place == Where::Class {
                self.delay_body(function)?;
            } else {
                self.function_body(function)?;
            }
        }
        self.ast[function].span = self.span_from(start);
        Ok(self.add_declaration(DeclarationKind::Function(function), start))
    }

    /// `default;`, `delete;`.
    fn special_body(&mut self, function: Id<FunctionDefinition>) -> Parsed<()> {
        let body = if self.is_keyword(Keyword::Default) {
            FunctionBody::Default
        } else {
            FunctionBody::Delete
        };
        self.advance();
        if self.is(Punctuator::LeftParenthesis) && matches!(body, FunctionBody::Delete) {
            // C++26's reason.
            self.position = self.closer();
            self.advance();
        }
        self.ast[function].body = body;
        self.expect_semicolon("after the definition")
    }
}
