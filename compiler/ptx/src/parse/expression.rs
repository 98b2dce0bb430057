//! Constant expressions in the text.

use super::{Parse, Parser, Stop};
use crate::{
    Problem, Span,
    constant::{self, Binary, Constant, ConstantError, Unary},
    lexer::Token,
};

/// How deep parentheses, unary operators and `?:` may nest.
const DEPTH_LIMIT: u32 = 200;

/// A constant with its spelling where that matters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Literal {
    /// An expression.
    Value(Constant),
    /// `0f…`
    Single(u32),
    /// `0d…`
    Double(u64),
}

/// The operator that a token is, and how strongly it binds.
fn operator(token: Token) -> Option<(Binary, u8)> {
    Some(match token {
        Token::Star => (Binary::Multiply, 10),
        Token::Slash => (Binary::Divide, 10),
        Token::Percent => (Binary::Remainder, 10),
        Token::Plus => (Binary::Add, 9),
        Token::Minus => (Binary::Subtract, 9),
        Token::ShiftLeft => (Binary::ShiftLeft, 8),
        Token::ShiftRight => (Binary::ShiftRight, 8),
        Token::Less => (Binary::Less, 7),
        Token::LessEqual => (Binary::LessEqual, 7),
        Token::Greater => (Binary::Greater, 7),
        Token::GreaterEqual => (Binary::GreaterEqual, 7),
        Token::EqualEqual => (Binary::Equal, 6),
        Token::NotEqual => (Binary::NotEqual, 6),
        Token::Ampersand => (Binary::BitAnd, 5),
        Token::Caret => (Binary::BitXor, 4),
        Token::Bar => (Binary::BitOr, 3),
        Token::AndAnd => (Binary::And, 2),
        Token::OrOr => (Binary::Or, 1),
        _ => return None,
    })
}

impl Parser<'_> {
    /// Whether a constant can begin with the current token.
    pub(super) fn at_constant(&self) -> bool {
        match self.tokens.kind {
            Token::Integer
            | Token::Float
            | Token::Single
            | Token::Double
            | Token::Plus
            | Token::Minus
            | Token::Exclamation
            | Token::Tilde
            | Token::ParenthesisOpen => true,
            Token::Identifier => self.tokens.slice() == "WARP_SZ",
            _ => false,
        }
    }

    /// A constant: a literal or an expression.
    #[inline]
    pub(super) fn literal(&mut self) -> Parse<Literal> {
        let text = self.tokens.slice();
        match self.tokens.kind {
            Token::Single => {
                self.tokens.advance();
                Ok(Literal::Single(u32::from_str_radix(&text[2..], 16).unwrap_or(0)))
            }
            Token::Double => {
                self.tokens.advance();
                Ok(Literal::Double(u64::from_str_radix(&text[2..], 16).unwrap_or(0)))
            }
            _ => Ok(Literal::Value(self.expression()?)),
        }
    }

    /// A constant expression.
    pub(super) fn expression(&mut self) -> Parse<Constant> {
        self.conditional(0)
    }

    /// An integer constant expression: its bits and whether they are signed.
    pub(super) fn integer_expression(&mut self) -> Parse<(u64, bool)> {
        let start = self.tokens.span;
        match self.expression()? {
            Constant::Integer(bits, signed) => Ok((bits, signed)),
            Constant::Float(_) => {
                let span = self.since(start);
                self.constant_error(span, ConstantError::IntegerExpected)?;
                Ok((0, true))
            }
        }
    }

    /// A plain integer literal, as directives want it.
    pub(super) fn unsigned(&mut self, what: &str) -> Parse<u64> {
        if !self.at(Token::Integer) {
            return Err(self.unexpected(what));
        }
        let span = self.tokens.span;
        let value = constant::integer(self.tokens.slice());
        self.tokens.advance();
        match value {
            Ok(Constant::Integer(bits, _)) => Ok(bits),
            Ok(Constant::Float(_)) => Ok(0),
            Err(error) => self.constant_error(span, error).map(|()| 0),
        }
    }

    /// A plain integer literal of 32 bits.
    pub(super) fn unsigned_32(&mut self, what: &str) -> Parse<u32> {
        let span = self.tokens.span;
        let value = self.unsigned(what)?;
        u32::try_from(value).or_else(|_| self.constant_error(span, ConstantError::Overflow).map(|()| 0))
    }

    /// Reports what is wrong with a constant; only a division by zero ends the statement.
    pub(super) fn constant_error(&mut self, span: Span, error: ConstantError) -> Parse<()> {
        let message = match error {
            ConstantError::DivisionByZero => "this constant expression divides by zero",
            ConstantError::TypeMismatch => "integers and floating-point numbers do not mix in a constant expression",
            ConstantError::IntegerExpected => "an integer constant is needed here, not a floating-point one",
            ConstantError::Overflow => "this number does not fit",
        };
        if error == ConstantError::DivisionByZero {
            self.report(Problem::fatal(span, message).vendor(error.message()));
            return Err(Stop);
        }
        self.report(Problem::error(span, message).vendor(error.message()));
        Ok(())
    }

    fn settle(&mut self, span: Span, value: Result<Constant, ConstantError>) -> Parse<Constant> {
        match value {
            Ok(value) => Ok(value),
            Err(error) => self.constant_error(span, error).map(|()| Constant::Integer(0, true)),
        }
    }

    fn conditional(&mut self, depth: u32) -> Parse<Constant> {
        let start = self.tokens.span;
        let condition = self.binary(0, depth)?;
        if !self.eat(Token::Question) {
            return Ok(condition);
        }
        let depth = self.deeper(depth)?;
        let left = self.conditional(depth)?;
        self.expect(Token::Colon, "':'")?;
        let right = self.conditional(depth)?;
        let span = self.since(start);
        self.settle(span, constant::select(condition, left, right))
    }

    fn deeper(&mut self, depth: u32) -> Parse<u32> {
        if depth < DEPTH_LIMIT {
            return Ok(depth + 1);
        }
        let problem = Problem::fatal(
            self.tokens.span,
            format!("a constant expression nests deeper than {DEPTH_LIMIT} levels"),
        )
        .vendor("Parsing error: memory exhausted");
        self.report(problem);
        Err(Stop)
    }

    /// Operators that bind more strongly than `floor`.
    fn binary(&mut self, floor: u8, depth: u32) -> Parse<Constant> {
        let start = self.tokens.span;
        let mut left = self.unary(depth)?;
        while let Some((operator, strength)) = operator(self.tokens.kind)
            && strength > floor
        {
            self.tokens.advance();
            let right = self.binary(strength, depth)?;
            let span = self.since(start);
            left = self.settle(span, constant::binary(operator, left, right))?;
        }
        Ok(left)
    }

    fn unary(&mut self, depth: u32) -> Parse<Constant> {
        let start = self.tokens.span;
        let operator = match self.tokens.kind {
            Token::Integer | Token::Float | Token::Identifier => return self.primary(),
            Token::Plus => Unary::Plus,
            Token::Minus => Unary::Minus,
            Token::Exclamation => Unary::Not,
            Token::Tilde => Unary::BitNot,
            Token::ParenthesisOpen => return self.parenthesis(depth),
            _ => return Err(self.unexpected("a constant")),
        };
        self.tokens.advance();
        let depth = self.deeper(depth)?;
        let value = self.unary(depth)?;
        let span = self.since(start);
        self.settle(span, constant::unary(operator, value))
    }

    /// `(…)`, or a cast and its operand.
    fn parenthesis(&mut self, depth: u32) -> Parse<Constant> {
        let start = self.tokens.span;
        self.tokens.advance();
        let depth = self.deeper(depth)?;
        if !self.at(Token::Directive) {
            let value = self.conditional(depth)?;
            self.expect(Token::ParenthesisClose, "')'")?;
            return Ok(value);
        }
        let cast = match self.tokens.slice() {
            ".s64" => Some(Unary::ToSigned),
            ".u64" => Some(Unary::ToUnsigned),
            _ => None,
        };
        let span = self.tokens.span;
        self.tokens.advance();
        self.expect(Token::ParenthesisClose, "')'")?;
        let value = self.unary(depth)?;
        let Some(cast) = cast else {
            let problem = Problem::error(span, "constants are cast with (.s64) or (.u64) only");
            self.report(problem.vendor("Unsupported cast operation"));
            return Ok(value);
        };
        let span = self.since(start);
        self.settle(span, constant::unary(cast, value))
    }

    #[inline]
    fn primary(&mut self) -> Parse<Constant> {
        let (text, span) = (self.tokens.slice(), self.tokens.span);
        let value = match self.tokens.kind {
            Token::Integer => constant::integer(text),
            Token::Float => constant::float(text),
            Token::Identifier if text == "WARP_SZ" => Ok(Constant::Integer(32, true)),
            _ => return Err(self.unexpected("a constant")),
        };
        self.tokens.advance();
        self.settle(span, value)
    }
}
