//! Expressions down to binary operators (\[expr\]).

use crate::source::{Keyword, Punctuator, Span, TokenKind};
use crate::syntax::ast::{BinaryOperator, Expression, ExpressionKind, Id};

use super::{Parsed, Parser};

impl Parser<'_> {
    pub(super) fn add_expression(&mut self, kind: ExpressionKind, start: usize) -> Id<Expression> {
        let span = self.span_from(start);
        self.ast.add(Expression { kind, span })
    }

    /// An expression, comma operators included.
    pub(super) fn expression(&mut self) -> Parsed<Id<Expression>> {
        let start = self.position;
        let mut left = self.assignment_expression()?;
        while self.is(Punctuator::Comma) {
            let operator_span = self.here();
            self.advance();
            let right = self.assignment_expression()?;
            left = self.add_expression(
                ExpressionKind::Binary {
                    operator: BinaryOperator::Comma,
                    left,
                    right,
                    operator_span,
                },
                start,
            );
        }
        Ok(left)
    }

    /// A conditional expression: what a constant expression is (\[expr.const\]).
    pub(super) fn constant_expression(&mut self) -> Parsed<Id<Expression>> {
        self.nested(|parser| {
            let start = parser.position;
            let left = parser.binary_expression(LOWEST)?;
            parser.conditional_rest(left, start)
        })
    }

    /// An expression without comma operators (\[expr.ass\]).
    pub(super) fn assignment_expression(&mut self) -> Parsed<Id<Expression>> {
        self.nested(|parser| {
            let start = parser.position;
            match parser.kind() {
                TokenKind::Keyword(Keyword::Throw) => return parser.throw_expression(),
                TokenKind::Keyword(Keyword::CoYield | Keyword::CoAwait) => {
                    return Err(parser.error(parser.here(), "coroutines are not supported"));
                }
                _ => {}
            }
            let left = parser.binary_expression(LOWEST)?;
            let left = parser.conditional_rest(left, start)?;
            parser.assignment_rest(left, start)
        })
    }

    fn throw_expression(&mut self) -> Parsed<Id<Expression>> {
        let start = self.position;
        self.advance();
        let ends = matches!(
            self.kind(),
            TokenKind::Punctuator(
                Punctuator::Semicolon
                    | Punctuator::RightParenthesis
                    | Punctuator::RightBrace
                    | Punctuator::RightBracket
                    | Punctuator::Comma
                    | Punctuator::Colon
            ) | TokenKind::End
        );
        let operand = if ends {
            None
        } else {
            Some(self.assignment_expression()?)
        };
        Ok(self.add_expression(ExpressionKind::Throw(operand), start))
    }

    /// `= value`, `+= value` after what was read.
    fn assignment_rest(&mut self, target: Id<Expression>, start: usize) -> Parsed<Id<Expression>> {
        let Some((operator, tokens)) = self.assignment_operator() else {
            return Ok(target);
        };
        let operator_start = self.position;
        for _ in 0..tokens {
            self.advance();
        }
        let operator_span = self.span_from(operator_start);
        let value = self.initializer_clause()?;
        Ok(self.add_expression(
            ExpressionKind::Assign {
                operator,
                target,
                value,
                operator_span,
            },
            start,
        ))
    }

    /// The assignment operator here and how many tokens it has.
    pub(super) fn assignment_operator(&self) -> Option<(Option<BinaryOperator>, usize)> {
        let token = self.token();
        let TokenKind::Punctuator(punctuator) = token.kind else {
            return None;
        };
        if punctuator == Punctuator::Greater {
            let shift = !self.in_angles && token.joined && self.ahead(1).is(Punctuator::GreaterEqual);
            return shift.then_some((Some(BinaryOperator::ShiftRight), 2));
        }
        assignment_punctuator(punctuator).map(|operator| (operator, 1))
    }

    /// `? then : otherwise` after what was read.
    fn conditional_rest(&mut self, condition: Id<Expression>, start: usize) -> Parsed<Id<Expression>> {
        if !self.eat(Punctuator::Question) {
            return Ok(condition);
        }
        self.nested(|parser| {
            let then = if parser.is(Punctuator::Colon) {
                None
            } else {
                Some(parser.outside_angles(|parser| parser.expression())?)
            };
            parser.expect(Punctuator::Colon, "in a conditional expression")?;
            let otherwise = if parser.in_angles {
                parser.constant_expression()?
            } else {
                parser.initializer_clause()?
            };
            Ok(parser.add_expression(
                ExpressionKind::Conditional {
                    condition,
                    then,
                    otherwise,
                },
                start,
            ))
        })
    }

    /// Operands joined by binary operators of at least this precedence, by precedence climbing.
    pub(super) fn binary_expression(&mut self, least: u8) -> Parsed<Id<Expression>> {
        let start = self.position;
        let mut left = self.cast_expression()?;
        while let Some((operator, tokens)) = self.binary_operator()
            && operator.precedence() >= least
        {
            if self.ahead(tokens).is(Punctuator::Ellipsis) {
                // The operator of a fold: whoever reads the fold goes on here.
                break;
            }
            let operator_span = self.operator_span(tokens);
            for _ in 0..tokens {
                self.advance();
            }
            let right = self.nested(|parser| parser.binary_expression(operator.precedence() + 1))?;
            left = self.add_expression(
                ExpressionKind::Binary {
                    operator,
                    left,
                    right,
                    operator_span,
                },
                start,
            );
        }
        Ok(left)
    }

    fn operator_span(&self, tokens: usize) -> Span {
        self.here().to(self.ahead(tokens - 1).span())
    }

    /// The binary operator here and how many tokens it has; `>` that ends template arguments is none.
    pub(super) fn binary_operator(&self) -> Option<(BinaryOperator, usize)> {
        let token = self.token();
        let TokenKind::Punctuator(punctuator) = token.kind else {
            return None;
        };
        if punctuator == Punctuator::Greater {
            if self.in_angles {
                return None;
            }
            if !token.joined {
                return Some((BinaryOperator::Greater, 1));
            }
            // `>>>` ends the configuration of a launch and is never an operator.
            let is_shift = self.ahead(1).is(Punctuator::Greater) && !self.ahead(2).is(Punctuator::Greater);
            return is_shift.then_some((BinaryOperator::ShiftRight, 2));
        }
        binary_punctuator(punctuator).map(|operator| (operator, 1))
    }
}

/// The precedence of `||`: the operators below it, `?:`, assignment and comma, are read by functions of their own.
const LOWEST: u8 = BinaryOperator::LogicalOr.precedence();

#[rustfmt::skip]
pub(super) fn binary_punctuator(punctuator: Punctuator) -> Option<BinaryOperator> {
    Some(match punctuator {
        Punctuator::DotStar => BinaryOperator::DotStar, Punctuator::ArrowStar => BinaryOperator::ArrowStar,
        Punctuator::Star => BinaryOperator::Multiply, Punctuator::Slash => BinaryOperator::Divide, Punctuator::Percent => BinaryOperator::Remainder,
        Punctuator::Plus => BinaryOperator::Add, Punctuator::Minus => BinaryOperator::Subtract,
        Punctuator::DoubleLess => BinaryOperator::ShiftLeft,
        Punctuator::Spaceship => BinaryOperator::ThreeWay,
        Punctuator::Less => BinaryOperator::Less, Punctuator::Greater => BinaryOperator::Greater,
        Punctuator::LessEqual => BinaryOperator::LessEqual, Punctuator::GreaterEqual => BinaryOperator::GreaterEqual,
        Punctuator::DoubleEqual => BinaryOperator::Equal, Punctuator::ExclamationEqual => BinaryOperator::NotEqual,
        Punctuator::Ampersand => BinaryOperator::BitAnd, Punctuator::Caret => BinaryOperator::BitXor, Punctuator::Pipe => BinaryOperator::BitOr,
        Punctuator::DoubleAmpersand => BinaryOperator::LogicalAnd, Punctuator::DoublePipe => BinaryOperator::LogicalOr,
        _ => return None,
    })
}

/// The operator in an assignment operator; `Some(None)` for `=`.
#[rustfmt::skip]
pub(super) fn assignment_punctuator(punctuator: Punctuator) -> Option<Option<BinaryOperator>> {
    Some(match punctuator {
        Punctuator::Equal => None,
        Punctuator::PlusEqual => Some(BinaryOperator::Add), Punctuator::MinusEqual => Some(BinaryOperator::Subtract),
        Punctuator::StarEqual => Some(BinaryOperator::Multiply), Punctuator::SlashEqual => Some(BinaryOperator::Divide),
        Punctuator::PercentEqual => Some(BinaryOperator::Remainder), Punctuator::CaretEqual => Some(BinaryOperator::BitXor),
        Punctuator::AmpersandEqual => Some(BinaryOperator::BitAnd), Punctuator::PipeEqual => Some(BinaryOperator::BitOr),
        Punctuator::DoubleLessEqual => Some(BinaryOperator::ShiftLeft),
        _ => return None,
    })
}
