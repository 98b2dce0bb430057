//! Primary expressions (\[expr.prim\]): literals, names, parentheses and folds, traits.

use crate::source::{self, Keyword, Punctuator, TokenKind};
use crate::syntax::ast::{
    CastKind, Expression, ExpressionKind, Id, Literal, NameKind, OffsetDesignator, TraitArgument, TypeTrait,
    UnqualifiedName,
};

use super::expression::{assignment_punctuator, binary_punctuator};
use super::name::NameMode;
use super::specifier::{Where, is_type_word};
use super::{Parsed, Parser};

impl Parser<'_> {
    pub(super) fn primary_expression(&mut self) -> Parsed<Id<Expression>> {
        let start = self.position;
        match self.kind() {
            TokenKind::Literal(id) => {
                let literal = match self.source.literal(id) {
                    source::Literal::Integer(literal) => Literal::Integer(literal.clone()),
                    source::Literal::Float(literal) => Literal::Float(literal.clone()),
                    source::Literal::Character(literal) => Literal::Character(literal.clone()),
                    source::Literal::String(literal) => Literal::String(literal.clone()),
                };
                Ok(self.literal(literal))
            }
            TokenKind::Identifier(_) => self.name_expression(),
            TokenKind::Keyword(keyword) => self.keyword_expression(keyword),
            TokenKind::Punctuator(Punctuator::DoubleColon) => self.name_expression(),
            TokenKind::Punctuator(Punctuator::LeftParenthesis) => self.nested(|parser| parser.parenthesis()),
            TokenKind::Punctuator(Punctuator::LeftBracket) => self.nested(|parser| parser.lambda_expression()),
            TokenKind::Punctuator(_) | TokenKind::Pragma(_) | TokenKind::End => Err(self.expected("an expression")),
            TokenKind::Unknown(_) => {
                let message = format!("{} begins nothing", self.describe(self.token()));
                let _ = start;
                Err(self.error(self.here(), message))
            }
        }
    }

    fn literal(&mut self, literal: Literal) -> Id<Expression> {
        let start = self.position;
        self.advance();
        self.add_expression(ExpressionKind::Literal(literal), start)
    }

    fn keyword_expression(&mut self, keyword: Keyword) -> Parsed<Id<Expression>> {
        let start = self.position;
        match keyword {
            Keyword::True => Ok(self.literal(Literal::Bool(true))),
            Keyword::False => Ok(self.literal(Literal::Bool(false))),
            Keyword::Nullptr => Ok(self.literal(Literal::Nullptr)),
            Keyword::Null => Ok(self.literal(Literal::GnuNull)),
            Keyword::This => {
                self.advance();
                Ok(self.add_expression(ExpressionKind::This, start))
            }
            Keyword::StaticCast => self.nested(|parser| parser.named_cast(CastKind::Static)),
            Keyword::DynamicCast => self.nested(|parser| parser.named_cast(CastKind::Dynamic)),
            Keyword::ReinterpretCast => self.nested(|parser| parser.named_cast(CastKind::Reinterpret)),
            Keyword::ConstCast => self.nested(|parser| parser.named_cast(CastKind::Const)),
            Keyword::Typeid => self.typeid_expression(),
            Keyword::BuiltinVaArg => self.va_arg(),
            Keyword::BuiltinOffsetof => self.offset_of(),
            Keyword::BuiltinBitCast => self.bit_cast(),
            Keyword::BuiltinTypesCompatible => self.type_trait(TypeTrait::TypesCompatible),
            Keyword::Operator => self.name_expression(),
            Keyword::Decltype => {
                let closer = self.brackets.partner(start + 1);
                match closer.is_some_and(|closer| self.token_at(closer + 1).is(Punctuator::DoubleColon)) {
                    true => self.name_expression(),
                    false => self.functional_cast(),
                }
            }
            Keyword::Typename | Keyword::Auto | Keyword::Typeof | Keyword::UnderlyingType => self.functional_cast(),
            Keyword::Requires => self.nested(|parser| parser.requires_expression()),
            _ if is_type_word(keyword) => self.functional_cast(),
            _ => Err(self.expected("an expression")),
        }
    }

    /// A name, a cast written as a call, a type trait.
    fn name_expression(&mut self) -> Parsed<Id<Expression>> {
        self.name_or_cast(true)
    }

    /// A constraint of a requires-clause ([temp.pre]/9): after a name in it a brace opens the body of the function, no list.
    ///
    /// ```text
    /// template <class T> auto f(T x) -> T requires Traits<T>::ordered { … }
    /// ```
    pub(super) fn constraint_operand(&mut self) -> Parsed<Id<Expression>> {
        match self.kind() {
            TokenKind::Identifier(_) | TokenKind::Punctuator(Punctuator::DoubleColon) => self.name_or_cast(false),
            _ => self.primary_expression(),
        }
    }

    /// A name, or `T(…)` and `T{…}` where a cast may stand.
    fn name_or_cast(&mut self, casts: bool) -> Parsed<Id<Expression>> {
        let start = self.position;
        if let Some(name) = self.identifier() {
            if self.ahead(1).is(Punctuator::LeftParenthesis)
                && let Some(trait_kind) = self.words.type_trait(name)
                && self.scopes.find(name, super::scope::Wanted::Any).is_none()
            {
                return self.type_trait(trait_kind);
            }
            let is_type = self.words.builtin_type(name).is_some() || self.words.transform(name).is_some();
            if is_type && self.scopes.find(name, super::scope::Wanted::Any).is_none() {
                return self.functional_cast();
            }
            let next_is_operand = matches!(self.ahead(1).kind, TokenKind::Identifier(_) | TokenKind::Literal(_));
            if self.words.is_later_keyword(name) && next_is_operand {
                return Err(self.later_keyword(name, self.here()));
            }
            if let Some(kind) = function_name(name) {
                self.advance();
                return Ok(self.add_expression(kind, start));
            }
        }
        let parsed = self.qualified_name(NameMode::Expression)?;
        let plain = matches!(
            parsed.name.last,
            UnqualifiedName::Identifier(_) | UnqualifiedName::Template { .. }
        );
        let is_type = plain && matches!(parsed.name.kind, NameKind::Type | NameKind::TypeTemplate);
        let braced = self.is(Punctuator::LeftBrace) && plain && parsed.name.kind == NameKind::Unknown;
        let operand = is_type && (self.is(Punctuator::LeftParenthesis) || self.is(Punctuator::LeftBrace)) || braced;
        if casts && operand {
            let span = self.span_from(start);
            let name = self.add_name(parsed.name, parsed.scope);
            let type_id = self.type_id_of_name(name, false, span);
            let initializer = self.nested(|parser| parser.direct_initializer())?;
            return Ok(self.add_expression(ExpressionKind::FunctionalCast { type_id, initializer }, start));
        }
        let name = self.add_name(parsed.name, parsed.scope);
        Ok(self.add_expression(ExpressionKind::Name(name), start))
    }

    /// `(expression)`, `({ … })`, a fold.
    fn parenthesis(&mut self) -> Parsed<Id<Expression>> {
        let start = self.position;
        if self.ahead(1).is(Punctuator::LeftBrace) {
            self.advance();
            let body = self.outside_angles(|parser| parser.compound_statement())?;
            self.expect(Punctuator::RightParenthesis, "after a statement expression")?;
            return Ok(self.add_expression(ExpressionKind::StatementExpression(body), start));
        }
        if let Some(ellipsis) = self.fold_ellipsis() {
            return self.outside_angles(|parser| parser.fold(ellipsis));
        }
        self.advance();
        let inner = self.outside_angles(|parser| parser.expression())?;
        self.expect(Punctuator::RightParenthesis, "to close the parenthesis")?;
        Ok(self.add_expression(ExpressionKind::Parenthesized(inner), start))
    }

    /// The `...` of a fold whose parenthesis opens here, if it is one (\[expr.prim.fold\]).
    fn fold_ellipsis(&self) -> Option<usize> {
        let closer = self.closer();
        let mut index = self.position + 1;
        while index < closer {
            match self.token_at(index).kind {
                TokenKind::Punctuator(
                    Punctuator::LeftParenthesis | Punctuator::LeftBracket | Punctuator::LeftBrace,
                ) => {
                    index = self.brackets.partner(index)?;
                }
                TokenKind::Punctuator(Punctuator::Ellipsis) if self.is_fold_ellipsis(index, closer) => {
                    return Some(index);
                }
                _ => {}
            }
            index += 1;
        }
        None
    }

    /// `(... op x)`, `(x op ...)`, `(x op ... op y)`: not `T&&...>` and its like in template arguments.
    fn is_fold_ellipsis(&self, index: usize, closer: usize) -> bool {
        let open = self.position;
        let after = self.fold_operator_at(index + 1);
        if index == open + 1 {
            return after.is_some();
        }
        let before = self.fold_operator_before(index);
        let Some((punctuator, tokens)) = before else {
            return false;
        };
        let is_greater = matches!(punctuator, Punctuator::Greater | Punctuator::DoubleGreater);
        if is_greater && self.opens_more_angles(open + 1, index - tokens) {
            return false;
        }
        index + 1 == closer || after.map(|(after, _)| after) == Some(punctuator)
    }

    /// Whether more `<` than `>` stand between two tokens: then a `>` behind them closes one.
    fn opens_more_angles(&self, first: usize, end: usize) -> bool {
        let mut open = 0i32;
        for index in first..end {
            open += i32::from(self.token_at(index).is(Punctuator::Less));
            open -= i32::from(self.token_at(index).is(Punctuator::Greater));
        }
        open > 0
    }

    /// The operator of a fold that begins at a token, and how many tokens it has; `>>` and `>>=` are two.
    fn fold_operator_at(&self, index: usize) -> Option<(Punctuator, usize)> {
        let token = self.token_at(index);
        let TokenKind::Punctuator(punctuator) = token.kind else {
            return None;
        };
        if punctuator == Punctuator::Greater && token.joined {
            let next = self.token_at(index + 1);
            if next.is(Punctuator::Greater) {
                return Some((Punctuator::DoubleGreater, 2));
            }
            if next.is(Punctuator::GreaterEqual) {
                return Some((Punctuator::DoubleGreaterEqual, 2));
            }
        }
        let known = binary_punctuator(punctuator).is_some() || assignment_punctuator(punctuator).is_some();
        (known || punctuator == Punctuator::Comma).then_some((punctuator, 1))
    }

    /// The operator of a fold that ends right before a token.
    fn fold_operator_before(&self, index: usize) -> Option<(Punctuator, usize)> {
        let two = index
            .checked_sub(2)
            .and_then(|start| self.fold_operator_at(start))
            .filter(|&(_, tokens)| tokens == 2);
        two.or_else(|| self.fold_operator_at(index - 1))
    }

    fn fold(&mut self, ellipsis: usize) -> Parsed<Id<Expression>> {
        let start = self.position;
        self.advance();
        let (mut left, mut right) = (None, None);
        let mut operator = None;
        if self.position != ellipsis {
            left = Some(self.binary_operand_of_fold()?);
            operator = Some(self.fold_operator()?);
        }
        self.expect(Punctuator::Ellipsis, "in a fold expression")?;
        if !self.is(Punctuator::RightParenthesis) {
            operator = Some(self.fold_operator()?);
            right = Some(self.cast_expression()?);
        }
        self.expect(Punctuator::RightParenthesis, "after a fold expression")?;
        let Some((operator, assigns)) = operator else {
            return Err(self.expected("an operator in a fold expression"));
        };
        Ok(self.add_expression(
            ExpressionKind::Fold {
                left,
                operator,
                assigns,
                right,
            },
            start,
        ))
    }

    /// The left operand: a cast expression by the grammar; one with operators in it reads as it stands, as other compilers allow.
    fn binary_operand_of_fold(&mut self) -> Parsed<Id<Expression>> {
        self.binary_expression(crate::syntax::ast::BinaryOperator::LogicalOr.precedence())
    }

    /// The operator of a fold, and whether it assigns.
    fn fold_operator(&mut self) -> Parsed<(crate::syntax::ast::BinaryOperator, bool)> {
        use crate::syntax::ast::BinaryOperator;
        if self.eat(Punctuator::Comma) {
            return Ok((BinaryOperator::Comma, false));
        }
        if let Some((operator, tokens)) = self.binary_operator() {
            for _ in 0..tokens {
                self.advance();
            }
            return Ok((operator, false));
        }
        if let Some((operator, tokens)) = self.assignment_operator() {
            for _ in 0..tokens {
                self.advance();
            }
            return Ok((operator.unwrap_or(BinaryOperator::Comma), true));
        }
        Err(self.expected("an operator in a fold expression"))
    }

    /// `__is_same(T, U)`.
    fn type_trait(&mut self, trait_kind: TypeTrait) -> Parsed<Id<Expression>> {
        let start = self.position;
        self.advance();
        let arguments = self.parenthesized("after a type trait", |parser| {
            let mut arguments = Vec::new();
            loop {
                let type_id = parser.type_id(Where::DefaultType)?;
                let pack_expansion = parser.eat(Punctuator::Ellipsis);
                arguments.push(TraitArgument {
                    type_id,
                    pack_expansion,
                });
                if !parser.eat(Punctuator::Comma) {
                    return Ok(arguments);
                }
            }
        })?;
        let arguments = arguments.into_boxed_slice();
        Ok(self.add_expression(ExpressionKind::TypeTrait { trait_kind, arguments }, start))
    }

    fn va_arg(&mut self) -> Parsed<Id<Expression>> {
        let start = self.position;
        self.advance();
        let (list, type_id) = self.parenthesized("here", |parser| {
            let list = parser.assignment_expression()?;
            parser.expect(Punctuator::Comma, "here")?;
            Ok((list, parser.type_id(Where::DefaultType)?))
        })?;
        Ok(self.add_expression(ExpressionKind::VaArg { list, type_id }, start))
    }

    fn bit_cast(&mut self) -> Parsed<Id<Expression>> {
        let start = self.position;
        self.advance();
        let (type_id, operand) = self.parenthesized("here", |parser| {
            let type_id = parser.type_id(Where::DefaultType)?;
            parser.expect(Punctuator::Comma, "here")?;
            Ok((type_id, parser.assignment_expression()?))
        })?;
        Ok(self.add_expression(ExpressionKind::BitCast { type_id, operand }, start))
    }

    /// `__builtin_offsetof(T, a.b[3])`.
    fn offset_of(&mut self) -> Parsed<Id<Expression>> {
        let start = self.position;
        self.advance();
        let (type_id, path) = self.parenthesized("here", |parser| {
            let type_id = parser.type_id(Where::DefaultType)?;
            parser.expect(Punctuator::Comma, "here")?;
            let mut path = vec![OffsetDesignator::Field(
                parser.expect_identifier("the name of a member")?.0,
            )];
            loop {
                if parser.eat(Punctuator::Dot) {
                    path.push(OffsetDesignator::Field(
                        parser.expect_identifier("the name of a member")?.0,
                    ));
                } else if parser.eat(Punctuator::LeftBracket) {
                    path.push(OffsetDesignator::Index(parser.expression()?));
                    parser.expect(Punctuator::RightBracket, "after the index")?;
                } else {
                    return Ok((type_id, path.into_boxed_slice()));
                }
            }
        })?;
        Ok(self.add_expression(ExpressionKind::OffsetOf { type_id, path }, start))
    }
}

/// `__func__` and its like.
fn function_name(name: source::Symbol) -> Option<ExpressionKind> {
    match name {
        source::names::FUNC | source::names::FUNCTION => Some(ExpressionKind::FunctionName { pretty: false }),
        source::names::PRETTY_FUNCTION => Some(ExpressionKind::FunctionName { pretty: true }),
        _ => None,
    }
}
