//! Lambda expressions (\[expr.prim.lambda\]).

use crate::source::{Keyword, Punctuator, TokenKind};
use crate::syntax::ast::{
    Attribute, Capture, CaptureDefault, CaptureKind, ConstexprKind, Expression, ExpressionKind, Id, Initializer,
    Lambda, List, NameKind,
};

use super::scope::{Entry, ScopeKind};
use super::{Parsed, Parser};

/// What may stand between parameters and body.
#[derive(Default)]
struct LambdaSpecifiers {
    is_mutable: bool,
    constexpr: ConstexprKind,
    attributes: Vec<Attribute>,
}

impl Parser<'_> {
    pub(super) fn lambda_expression(&mut self) -> Parsed<Id<Expression>> {
        let start = self.position;
        let depth = self.scopes.depth();
        let result = self.outside_angles(|parser| parser.lambda(start));
        self.scopes.truncate(depth);
        let lambda = self.ast.add(result?);
        Ok(self.add_expression(ExpressionKind::Lambda(lambda), start))
    }

    fn lambda(&mut self, start: usize) -> Parsed<Lambda> {
        self.scopes.enter(ScopeKind::Parameters);
        let (default, captures) = self.captures()?;
        let mut template_parameters = None;
        let mut requires = None;
        let mut specifiers = LambdaSpecifiers::default();
        // Execution spaces may stand before template parameters, too: `[] __device__<int N>() {}`.
        self.attributes(&mut specifiers.attributes)?;
        if self.is(Punctuator::Less) {
            self.scopes.enter(ScopeKind::TemplateParameters);
            template_parameters = Some(self.template_parameters()?);
            requires = self.optional_requires_clause()?;
        }
        self.attributes(&mut specifiers.attributes)?;
        let function_start = self.position;
        self.scopes.enter(ScopeKind::Parameters);
        let (parameters, is_variadic) = if self.is(Punctuator::LeftParenthesis) {
            self.parameter_clause()?
        } else {
            (Box::default(), false)
        };
        self.lambda_specifiers(&mut specifiers)?;
        let mut function = self.function_rest(parameters, is_variadic, function_start)?;
        specifiers.attributes.extend(std::mem::take(&mut function.attributes));
        self.lambda_specifiers(&mut specifiers)?;
        if !self.is(Punctuator::LeftBrace) {
            return Err(self.expected("`{` to open the body of the lambda"));
        }
        let body = self.compound_statement()?;
        let span = self.span_from(start);
        Ok(Lambda {
            default,
            captures,
            template_parameters,
            requires,
            function,
            is_mutable: specifiers.is_mutable,
            constexpr: specifiers.constexpr,
            attributes: specifiers.attributes.into_boxed_slice(),
            body,
            span,
        })
    }

    /// `mutable`, `constexpr`, attributes, in any order.
    fn lambda_specifiers(&mut self, specifiers: &mut LambdaSpecifiers) -> Parsed<()> {
        loop {
            match self.kind() {
                TokenKind::Keyword(Keyword::Mutable) => specifiers.is_mutable = true,
                TokenKind::Keyword(Keyword::Constexpr) => specifiers.constexpr = ConstexprKind::Constexpr,
                TokenKind::Keyword(Keyword::Consteval) => specifiers.constexpr = ConstexprKind::Consteval,
                TokenKind::Keyword(Keyword::Static) => {}
                _ if self.at_attribute() => {
                    self.attributes(&mut specifiers.attributes)?;
                    continue;
                }
                _ => return Ok(()),
            }
            self.advance();
        }
    }

    /// `[=, &x, this, y = 1, ...z]`.
    fn captures(&mut self) -> Parsed<(CaptureDefault, List<Capture>)> {
        self.expect(Punctuator::LeftBracket, "to open a lambda")?;
        let mut default = CaptureDefault::None;
        let next = self.ahead(1);
        let alone = next.is(Punctuator::Comma) || next.is(Punctuator::RightBracket);
        if alone && self.is(Punctuator::Equal) {
            default = CaptureDefault::Copy;
        } else if alone && self.is(Punctuator::Ampersand) {
            default = CaptureDefault::Reference;
        }
        if default != CaptureDefault::None {
            self.advance();
            self.eat(Punctuator::Comma);
        }
        let mut captures = Vec::new();
        while !self.is(Punctuator::RightBracket) {
            captures.push(self.capture()?);
            if !self.eat(Punctuator::Comma) {
                break;
            }
        }
        self.expect(Punctuator::RightBracket, "after the captures")?;
        Ok((default, captures.into_boxed_slice()))
    }

    fn capture(&mut self) -> Parsed<Capture> {
        let start = self.position;
        if self.eat_keyword(Keyword::This) {
            return Ok(Capture {
                kind: CaptureKind::This,
                pack: false,
                span: self.span_from(start),
            });
        }
        if self.is(Punctuator::Star) && self.ahead(1).is_keyword(Keyword::This) {
            self.advance();
            self.advance();
            return Ok(Capture {
                kind: CaptureKind::StarThis,
                pack: false,
                span: self.span_from(start),
            });
        }
        let by_reference = self.eat(Punctuator::Ampersand);
        let mut pack = self.eat(Punctuator::Ellipsis);
        let (name, _) = self.expect_identifier("the name of a capture")?;
        pack |= self.eat(Punctuator::Ellipsis);
        let initializer: Option<Initializer> = self.optional_initializer()?;
        if initializer.is_some() {
            let scope = self.scopes.innermost();
            self.scopes.declare(scope, name, Entry::new(NameKind::Value, None));
        }
        let kind = match (by_reference, initializer) {
            (false, None) => CaptureKind::Copy(name),
            (true, None) => CaptureKind::Reference(name),
            (false, Some(initializer)) => CaptureKind::CopyInit(name, initializer),
            (true, Some(initializer)) => CaptureKind::ReferenceInit(name, initializer),
        };
        Ok(Capture {
            kind,
            pack,
            span: self.span_from(start),
        })
    }
}
