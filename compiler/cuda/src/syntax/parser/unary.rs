//! Casts, unary operators, `new` and `delete`, `sizeof` and its like, postfix operators (\[expr.unary\], \[expr.post\]).

use crate::source::{Keyword, Punctuator, TokenKind};
use crate::syntax::ast::{
    CastKind, Expression, ExpressionKind, Id, List, NameKind, NewExpression, TypeId, TypeSpecifier, UnaryOperator,
};

use super::name::NameMode;
use super::specifier::Where;
use super::{Failed, Parsed, Parser};

impl Parser<'_> {
    /// A cast expression: `(T)x`, or a unary expression (\[expr.cast\]).
    pub(super) fn cast_expression(&mut self) -> Parsed<Id<Expression>> {
        if !self.is(Punctuator::LeftParenthesis) || self.ahead(1).is(Punctuator::LeftBrace) {
            return self.unary_expression();
        }
        let start = self.position;
        let Some(type_id) = self.attempt(|parser| parser.cast_type()) else {
            return self.unary_expression();
        };
        if self.is(Punctuator::LeftBrace) {
            let initializer = self.initializer_list()?;
            let literal = self.add_expression(ExpressionKind::CompoundLiteral { type_id, initializer }, start);
            return self.postfix_rest(literal, start);
        }
        let operand = self.nested(|parser| parser.cast_expression())?;
        Ok(self.add_expression(
            ExpressionKind::Cast {
                kind: CastKind::CStyle,
                type_id,
                operand,
            },
            start,
        ))
    }

    /// `(type-id)` where an operand may follow.
    fn cast_type(&mut self) -> Parsed<Id<TypeId>> {
        self.advance();
        let type_id = self.outside_angles(|parser| parser.cast_type_id())?;
        if !self.eat(Punctuator::RightParenthesis) {
            return Err(Failed);
        }
        Ok(type_id)
    }

    /// A type-id; a name alone that is not known is one only if an operand follows the parenthesis.
    fn cast_type_id(&mut self) -> Parsed<Id<TypeId>> {
        let start = self.position;
        let may_be_unknown = self.identifier().map_or(self.is(Punctuator::DoubleColon), |name| {
            self.words.builtin_type(name).is_none()
        });
        if may_be_unknown {
            let parsed = self.look(|parser| {
                let parsed = parser.qualified_name(NameMode::Expression)?;
                Ok((parsed, parser.position))
            });
            if let Some((parsed, end)) = parsed
                && parsed.name.kind == NameKind::Unknown
                && self.token_at(end).is(Punctuator::RightParenthesis)
                && self.operand_follows(end + 1)
            {
                self.position = end;
                let span = self.span_from(start);
                let name = self.add_name(parsed.name, parsed.scope);
                return Ok(self.type_id_of_name(name, false, span));
            }
        }
        if !self.starts_cast_type() {
            return Err(Failed);
        }
        let type_id = self.type_id(Where::Argument)?;
        // Nothing is cast to a function: `(T())` makes an object.
        let declarator = &self.ast[self.ast[type_id].declarator];
        if declarator.function().is_some() {
            Err(Failed)
        } else {
            Ok(type_id)
        }
    }

    /// A type, or a name that is not known with a pointer behind it.
    fn starts_cast_type(&mut self) -> bool {
        self.starts_type()
            || matches!(self.kind(), TokenKind::Keyword(keyword) if super::attribute::is_attribute_keyword(keyword))
            || matches!(
                self.kind(),
                TokenKind::Identifier(_) | TokenKind::Punctuator(Punctuator::DoubleColon)
            )
    }

    /// Whether the token can only begin an operand, so that a parenthesised name before it is a cast.
    fn operand_follows(&self, index: usize) -> bool {
        match self.token_at(index).kind {
            TokenKind::Identifier(_) | TokenKind::Literal(_) => true,
            TokenKind::Keyword(keyword) => {
                matches!(
                    keyword,
                    Keyword::This
                        | Keyword::True
                        | Keyword::False
                        | Keyword::Nullptr
                        | Keyword::Sizeof
                        | Keyword::StaticCast
                        | Keyword::ReinterpretCast
                        | Keyword::ConstCast
                        | Keyword::DynamicCast
                ) || super::specifier::is_type_word(keyword)
            }
            TokenKind::Punctuator(punctuator) => matches!(punctuator, Punctuator::Tilde | Punctuator::Exclamation),
            TokenKind::Pragma(_) | TokenKind::Unknown(_) | TokenKind::End => false,
        }
    }

    /// A unary expression.
    pub(super) fn unary_expression(&mut self) -> Parsed<Id<Expression>> {
        let start = self.position;
        let operator = match self.kind() {
            TokenKind::Punctuator(punctuator) => match unary_punctuator(punctuator) {
                Some(operator) => operator,
                None if punctuator == Punctuator::DoubleAmpersand && self.ahead(1).identifier().is_some() => {
                    return self.label_address();
                }
                None => return self.postfix_expression(),
            },
            TokenKind::Keyword(keyword) => match keyword {
                Keyword::Sizeof => return self.sizeof_expression(),
                Keyword::Alignof => return self.alignof_expression(),
                Keyword::Noexcept => {
                    self.advance();
                    let operand = self.parenthesized("after `noexcept`", |parser| parser.expression())?;
                    return Ok(self.add_expression(ExpressionKind::Noexcept(operand), start));
                }
                Keyword::New => return self.new_expression(false),
                Keyword::Delete => return self.delete_expression(false),
                Keyword::RealPart => UnaryOperator::Real,
                Keyword::ImaginaryPart => UnaryOperator::Imaginary,
                Keyword::Extension => UnaryOperator::Extension,
                _ => return self.postfix_expression(),
            },
            _ => return self.postfix_expression(),
        };
        self.advance();
        let operand = self.nested(|parser| parser.cast_expression())?;
        Ok(self.add_expression(ExpressionKind::Unary { operator, operand }, start))
    }

    fn label_address(&mut self) -> Parsed<Id<Expression>> {
        let start = self.position;
        self.advance();
        let (name, _) = self.expect_identifier("a label")?;
        Ok(self.add_expression(ExpressionKind::LabelAddress(name), start))
    }

    /// `(type-id)` after `sizeof` and the like, if it is one.
    fn parenthesized_type(&mut self) -> Option<Id<TypeId>> {
        if !self.is(Punctuator::LeftParenthesis) {
            return None;
        }
        self.attempt(|parser| {
            parser.advance();
            if !parser.starts_type() && !parser.starts_cast_type() {
                return Err(Failed);
            }
            let type_id = parser.outside_angles(|parser| parser.type_id(Where::Argument))?;
            parser
                .eat(Punctuator::RightParenthesis)
                .then_some(type_id)
                .ok_or(Failed)
        })
    }

    fn sizeof_expression(&mut self) -> Parsed<Id<Expression>> {
        let start = self.position;
        self.advance();
        if self.eat(Punctuator::Ellipsis) {
            let name = self
                .parenthesized("after `sizeof...`", |parser| {
                    parser.expect_identifier("a parameter pack")
                })?
                .0;
            return Ok(self.add_expression(ExpressionKind::SizeofPack(name), start));
        }
        if let Some(type_id) = self.parenthesized_type() {
            if self.is(Punctuator::LeftBrace) {
                // `sizeof (T){…}`.
                self.position = start + 1;
            } else {
                return Ok(self.add_expression(ExpressionKind::SizeofType(type_id), start));
            }
        }
        let operand = self.nested(|parser| parser.sizeof_operand())?;
        Ok(self.add_expression(ExpressionKind::SizeofExpression(operand), start))
    }

    /// A unary expression; `(T){…}` is one too.
    fn sizeof_operand(&mut self) -> Parsed<Id<Expression>> {
        if self.is(Punctuator::LeftParenthesis) && self.token_at(self.closer() + 1).is(Punctuator::LeftBrace) {
            return self.cast_expression();
        }
        self.unary_expression()
    }

    fn alignof_expression(&mut self) -> Parsed<Id<Expression>> {
        let start = self.position;
        self.advance();
        if let Some(type_id) = self.parenthesized_type() {
            return Ok(self.add_expression(ExpressionKind::AlignofType(type_id), start));
        }
        let operand = self.nested(|parser| parser.unary_expression())?;
        Ok(self.add_expression(ExpressionKind::AlignofExpression(operand), start))
    }

    /// `new (placement) T[n](…)` (\[expr.new\]).
    fn new_expression(&mut self, global: bool) -> Parsed<Id<Expression>> {
        let start = self.position;
        self.advance();
        let mut placement: List<_> = Box::default();
        let mut type_id = None;
        if self.is(Punctuator::LeftParenthesis) {
            type_id = self.parenthesized_new_type();
            if type_id.is_none() {
                placement = self.arguments()?;
                type_id = self.parenthesized_new_type();
            }
        }
        let type_id = match type_id {
            Some(type_id) => type_id,
            None => self.nested(|parser| parser.restricted_type_id(Where::DefaultType, true))?,
        };
        let has_initializer = self.is(Punctuator::LeftParenthesis) || self.is(Punctuator::LeftBrace);
        let initializer = if has_initializer {
            Some(self.direct_initializer()?)
        } else {
            None
        };
        let new = NewExpression {
            global,
            placement,
            type_id,
            initializer,
        };
        Ok(self.add_expression(ExpressionKind::New(Box::new(new)), start))
    }

    /// `(T)` of `new (T)`: not if a type follows, since then the parentheses hold placement arguments.
    fn parenthesized_new_type(&mut self) -> Option<Id<TypeId>> {
        let start = self.position;
        let type_id = self.parenthesized_type()?;
        if self.starts_type() {
            self.position = start;
            return None;
        }
        Some(type_id)
    }

    fn delete_expression(&mut self, global: bool) -> Parsed<Id<Expression>> {
        let start = self.position;
        self.advance();
        let is_array = self.is(Punctuator::LeftBracket) && self.ahead(1).is(Punctuator::RightBracket);
        if is_array {
            self.advance();
            self.advance();
        }
        let operand = self.nested(|parser| parser.cast_expression())?;
        Ok(self.add_expression(
            ExpressionKind::Delete {
                global,
                is_array,
                operand,
            },
            start,
        ))
    }

    /// A primary expression and the postfix operators behind it.
    fn postfix_expression(&mut self) -> Parsed<Id<Expression>> {
        let start = self.position;
        if self.is(Punctuator::DoubleColon) {
            match self.ahead(1).kind {
                TokenKind::Keyword(Keyword::New) => {
                    self.advance();
                    return self.new_expression(true);
                }
                TokenKind::Keyword(Keyword::Delete) => {
                    self.advance();
                    return self.delete_expression(true);
                }
                _ => {}
            }
        }
        let primary = self.primary_expression()?;
        self.postfix_rest(primary, start)
    }

    /// `(…)`, `[…]`, `.x`, `->x`, `++`, `--`, `<<<…>>>(…)` behind an expression.
    pub(super) fn postfix_rest(&mut self, mut left: Id<Expression>, start: usize) -> Parsed<Id<Expression>> {
        loop {
            let kind = match self.kind() {
                TokenKind::Punctuator(Punctuator::LeftParenthesis) => {
                    let arguments = self.nested(|parser| parser.arguments())?;
                    ExpressionKind::Call {
                        callee: left,
                        arguments,
                    }
                }
                TokenKind::Punctuator(Punctuator::LeftBracket) => {
                    self.advance();
                    let indices = self.nested(|parser| parser.outside_angles(|parser| parser.subscript_indices()))?;
                    self.expect(Punctuator::RightBracket, "after the subscript")?;
                    ExpressionKind::Subscript { base: left, indices }
                }
                TokenKind::Punctuator(Punctuator::Dot | Punctuator::Arrow) => self.member_access(left)?,
                TokenKind::Punctuator(Punctuator::PlusPlus) => {
                    self.advance();
                    ExpressionKind::Unary {
                        operator: UnaryOperator::PostIncrement,
                        operand: left,
                    }
                }
                TokenKind::Punctuator(Punctuator::MinusMinus) => {
                    self.advance();
                    ExpressionKind::Unary {
                        operator: UnaryOperator::PostDecrement,
                        operand: left,
                    }
                }
                TokenKind::Punctuator(Punctuator::TripleLess) => self.kernel_launch(left)?,
                _ => return Ok(left),
            };
            left = self.add_expression(kind, start);
        }
    }

    /// One index, in which a comma is an operator; or C++23's list, taken if there is a brace or an expansion.
    fn subscript_indices(&mut self) -> Parsed<List<Id<Expression>>> {
        if self.is(Punctuator::LeftBrace) {
            return self.expression_list(Punctuator::RightBracket);
        }
        Ok(Box::new([self.expression()?]))
    }

    fn member_access(&mut self, object: Id<Expression>) -> Parsed<ExpressionKind> {
        let is_arrow = self.is(Punctuator::Arrow);
        self.advance();
        let parsed = self.qualified_name(NameMode::Member)?;
        let name = self.add_name(parsed.name, parsed.scope);
        Ok(ExpressionKind::Member { object, is_arrow, name })
    }

    /// `<<<grid, block, shared, stream>>>(arguments)`.
    fn kernel_launch(&mut self, callee: Id<Expression>) -> Parsed<ExpressionKind> {
        self.advance();
        let configuration =
            self.nested(|parser| parser.outside_angles(|parser| parser.expression_list(Punctuator::Greater)))?;
        // `>>>` and `>> >`.
        if self.is(Punctuator::Greater) && !self.token().joined {
            return Err(self.expected("the `>>>` that ends a launch configuration"));
        }
        for _ in 0..3 {
            self.expect(Punctuator::Greater, "of the `>>>` that ends a launch configuration")?;
        }
        if !(1..=4).contains(&configuration.len()) {
            self.error(
                self.previous(),
                "a launch configuration has two to four arguments: grid, block, shared memory, stream",
            );
        }
        if !self.is(Punctuator::LeftParenthesis) {
            return Err(self.expected("the arguments of the kernel after `>>>`"));
        }
        let arguments = self.arguments()?;
        self.launches += 1;
        Ok(ExpressionKind::KernelLaunch {
            callee,
            configuration,
            arguments,
        })
    }

    /// `static_cast<T>(x)` and its like.
    pub(super) fn named_cast(&mut self, kind: CastKind) -> Parsed<Id<Expression>> {
        let start = self.position;
        self.advance();
        let type_id = self.cast_target()?;
        let operand = self.parenthesized("after the type of a cast", |parser| parser.expression())?;
        Ok(self.add_expression(ExpressionKind::Cast { kind, type_id, operand }, start))
    }

    fn cast_target(&mut self) -> Parsed<Id<TypeId>> {
        self.expect(Punctuator::Less, "before the type of a cast")?;
        let saved = std::mem::replace(&mut self.in_angles, true);
        let type_id = self.type_id(Where::DefaultType);
        self.in_angles = saved;
        let type_id = type_id?;
        self.expect(Punctuator::Greater, "after the type of a cast")?;
        Ok(type_id)
    }

    /// `typeid(type)`, `typeid(expression)`.
    pub(super) fn typeid_expression(&mut self) -> Parsed<Id<Expression>> {
        let start = self.position;
        self.advance();
        if let Some(type_id) = self.parenthesized_type() {
            return Ok(self.add_expression(ExpressionKind::TypeidType(type_id), start));
        }
        let operand = self.parenthesized("after `typeid`", |parser| parser.expression())?;
        Ok(self.add_expression(ExpressionKind::TypeidExpression(operand), start))
    }

    /// `T(…)` or `T{…}`, from the type.
    pub(super) fn functional_cast(&mut self) -> Parsed<Id<Expression>> {
        let start = self.position;
        let specifiers = self.specifiers(Where::Simple, super::template::TemplateHead::None)?;
        if matches!(self.ast[specifiers].type_specifier, TypeSpecifier::None) {
            return Err(self.expected("an expression"));
        }
        let span = self.span_from(start);
        let (chunks, attributes) = (Box::default(), Box::default());
        let declarator = crate::syntax::ast::Declarator {
            name: None,
            chunks,
            pack: false,
            attributes,
            asm_label: None,
            span,
        };
        let declarator = self.ast.add(declarator);
        let type_id = self.ast.add(TypeId {
            specifiers,
            declarator,
            span,
        });
        if !self.is(Punctuator::LeftParenthesis) && !self.is(Punctuator::LeftBrace) {
            return Err(self.expected("`(` or `{` after a type in an expression"));
        }
        let initializer = self.nested(|parser| parser.direct_initializer())?;
        Ok(self.add_expression(ExpressionKind::FunctionalCast { type_id, initializer }, start))
    }
}

fn unary_punctuator(punctuator: Punctuator) -> Option<UnaryOperator> {
    Some(match punctuator {
        Punctuator::Plus => UnaryOperator::Plus,
        Punctuator::Minus => UnaryOperator::Minus,
        Punctuator::Tilde => UnaryOperator::Complement,
        Punctuator::Exclamation => UnaryOperator::Not,
        Punctuator::Star => UnaryOperator::Dereference,
        Punctuator::Ampersand => UnaryOperator::AddressOf,
        Punctuator::PlusPlus => UnaryOperator::PreIncrement,
        Punctuator::MinusMinus => UnaryOperator::PreDecrement,
        _ => return None,
    })
}
