//! Expressions of `#if` and `#elif` [cpp.cond].

use super::super::decode;
use super::super::diagnostic::Report;
use super::super::intern::{Symbol, names};
use super::super::lexer::{self, RawKind, RawToken};
use super::super::literal::Literal;
use super::super::token::{Keyword, Punctuator};
use super::Preprocessor;
use super::predefined;

/// A value: 64 bits, signed or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Value {
    bits: u64,
    unsigned: bool,
}

impl Value {
    const ZERO: Value = Value {
        bits: 0,
        unsigned: false,
    };

    fn of(truth: bool) -> Value {
        Value {
            bits: u64::from(truth),
            unsigned: false,
        }
    }

    fn is_true(self) -> bool {
        self.bits != 0
    }
}

/// An expression being read.
struct Reader<'p, 'c> {
    preprocessor: &'p mut Preprocessor<'c>,
    token: RawToken,
    depth: usize,
    /// Something was wrong, and has been said.
    failed: bool,
}

/// Expressions nested deeper are an error.
const DEEPEST: usize = 200;

impl Preprocessor<'_> {
    /// The value of the expression on the rest of the line, and, if it is `!defined NAME`, that name.
    pub(super) fn condition(&mut self, directive: RawToken) -> (bool, Option<Symbol>) {
        let guard = self.guard_name();
        self.in_condition = true;
        let first = self.expanded();
        if first.ends() {
            self.in_condition = false;
            self.error(directive.span(), "an expression is expected after this");
            return (false, None);
        }
        let mut reader = Reader {
            preprocessor: self,
            token: first,
            depth: 0,
            failed: false,
        };
        let value = reader.conditional(true);
        if !reader.failed && !reader.token.ends() {
            let report = match reader.token.is(Punctuator::RightParenthesis) {
                true => "there is no `(` for this",
                false => "an operator or the end of the line is expected here",
            };
            reader.fail(report);
        }
        let (failed, last) = (reader.failed, reader.token);
        self.in_condition = false;
        self.finish_line(last);
        (!failed && value.is_true(), guard)
    }

    /// The name, if the line reads `!defined NAME` or `!defined(NAME)`. Reads nothing.
    fn guard_name(&mut self) -> Option<Symbol> {
        let input = self.stack.last()?;
        if input.guard != super::Guard::Start {
            return None;
        }
        let mut ahead = input.lexer.clone();
        let trap = self.context.diagnostics.trap();
        let mut tokens = Vec::new();
        while tokens.len() < 6 {
            let token = ahead.next(self.context);
            if token.ends() {
                break;
            }
            tokens.push(token);
        }
        self.context.diagnostics.release(trap);
        let defined = matches!(tokens.get(1)?.kind, RawKind::Identifier(names::DEFINED));
        if !tokens[0].is(Punctuator::Exclamation) || !defined {
            return None;
        }
        let name = match tokens.len() {
            3 => tokens[2],
            5 if Self::token_is(&tokens, 2, Punctuator::LeftParenthesis)
                && Self::token_is(&tokens, 4, Punctuator::RightParenthesis) =>
            {
                tokens[3]
            }
            _ => return None,
        };
        match name.kind {
            RawKind::Identifier(name) => Some(name),
            _ => None,
        }
    }

    /// Whether `defined` is true of a name.
    pub(super) fn is_defined(&self, name: Symbol) -> bool {
        self.macro_number(name).is_some()
            || lexer::is_condition_operator(name)
            || super::predefined::is_defined_word(self.context.text(name), self.options.mode)
    }

    /// The value of `defined` or one of the `__has_…` operators, if the name is one. Reads its operand.
    pub(super) fn condition_operator(&mut self, name: Symbol, token: RawToken) -> Option<RawToken> {
        if name != names::DEFINED && !lexer::is_condition_operator(name) {
            return None;
        }
        // The operand's own operators are names.
        self.in_condition = false;
        let value = match name {
            names::DEFINED => self.defined_operand(token).map(u64::from),
            names::HAS_INCLUDE | names::HAS_INCLUDE_NEXT => {
                let next = name == names::HAS_INCLUDE_NEXT;
                self.include_operand(token, next).map(u64::from)
            }
            _ => self.has_operand(name, token),
        };
        self.in_condition = true;
        let symbol = self.context.interner.intern(&value.unwrap_or(0).to_string());
        Some(RawToken {
            kind: RawKind::Number(symbol),
            ..token
        })
    }

    fn defined_operand(&mut self, token: RawToken) -> Option<bool> {
        let mut operand = self.raw();
        let parenthesised = operand.is(Punctuator::LeftParenthesis);
        if parenthesised {
            operand = self.raw();
        }
        let RawKind::Identifier(name) = operand.kind else {
            let report =
                Report::error(operand.span(), "the name of a macro is expected here").label(token.span(), "after this");
            self.context.diagnostics.emit(report);
            self.give_back(operand);
            return None;
        };
        if parenthesised {
            self.close(token);
        }
        Some(self.is_defined(name))
    }

    /// Reads a `)`.
    fn close(&mut self, operator: RawToken) {
        let token = self.raw();
        if !token.is(Punctuator::RightParenthesis) {
            let report = Report::error(token.span(), "`)` is expected here").label(operator.span(), "for this");
            self.context.diagnostics.emit(report);
            self.give_back(token);
        }
    }

    /// Lets the end of the line be read again.
    fn give_back(&mut self, token: RawToken) {
        if token.ends() {
            self.push_frame(&[token], None, false);
        }
    }

    fn open(&mut self, operator: RawToken) -> bool {
        let token = self.raw();
        let found = token.is(Punctuator::LeftParenthesis);
        if !found {
            let report = Report::error(token.span(), "`(` is expected here").label(operator.span(), "after this");
            self.context.diagnostics.emit(report);
            self.give_back(token);
        }
        found
    }

    fn include_operand(&mut self, operator: RawToken, is_next: bool) -> Option<bool> {
        if !self.open(operator) {
            return None;
        }
        let from_file = self.frames.iter().all(|frame| frame.at >= frame.end);
        let direct = match self.stack.last_mut() {
            Some(input) if from_file => input.lexer.header_name(self.context),
            Some(_) | None => None,
        };
        let header = match direct {
            Some((name, angled, origin)) => {
                self.close(operator);
                Some(super::include::Header {
                    name,
                    angled,
                    span: super::Span::of(origin),
                })
            }
            None => {
                let mut tokens = Vec::new();
                loop {
                    let token = self.expanded();
                    if token.ends() {
                        self.give_back(token);
                        break;
                    }
                    if token.is(Punctuator::RightParenthesis) {
                        break;
                    }
                    tokens.push(token);
                }
                self.header_of_tokens(&tokens)
            }
        };
        match header {
            Some(header) => Some(self.has_header(&header, is_next)),
            None => {
                self.error(
                    operator.span(),
                    "`<name>` or `\"name\"` is expected in the parentheses after this",
                );
                None
            }
        }
    }

    /// `__has_builtin (name)` and the like.
    fn has_operand(&mut self, operator: Symbol, token: RawToken) -> Option<u64> {
        if !self.open(token) {
            return None;
        }
        let mut text = String::new();
        let mut depth = 0usize;
        loop {
            let part = self.raw();
            match part.kind {
                RawKind::End | RawKind::EndOfLine => {
                    self.error(token.span(), "the parentheses after this do not end");
                    self.give_back(part);
                    return None;
                }
                RawKind::Punctuator(Punctuator::LeftParenthesis) => depth += 1,
                RawKind::Punctuator(Punctuator::RightParenthesis) if depth == 0 => break,
                RawKind::Punctuator(Punctuator::RightParenthesis) => depth -= 1,
                _ => {}
            }
            lexer::spelling(self.context, &part, &mut text);
        }
        Some(match operator {
            names::HAS_BUILTIN => u64::from(predefined::has_builtin(&text)),
            names::HAS_ATTRIBUTE => u64::from(predefined::has_attribute(&text)),
            names::HAS_CPP_ATTRIBUTE => predefined::cpp_attribute(&text),
            names::HAS_FEATURE | names::HAS_EXTENSION => u64::from(predefined::has_feature(&text)),
            names::IS_IDENTIFIER => {
                let name = self.context.interner.find(&text);
                u64::from(name.is_none_or(|name| name.keyword().is_none()))
            }
            _ => 0,
        })
    }
}

impl Reader<'_, '_> {
    fn advance(&mut self) {
        self.token = self.preprocessor.expanded();
    }

    fn fail(&mut self, message: &str) {
        if !self.failed {
            self.failed = true;
            self.preprocessor.error(self.token.span(), message);
        }
    }

    fn operator(&self) -> Option<Punctuator> {
        match self.token.kind {
            RawKind::Punctuator(punctuator) => Some(punctuator),
            RawKind::Identifier(name) => lexer::operator_word(self.preprocessor.context.text(name)),
            _ => None,
        }
    }

    /// `a ? b : c`, or less. What is not evaluated may divide by zero.
    fn conditional(&mut self, evaluated: bool) -> Value {
        self.depth += 1;
        if self.depth > DEEPEST {
            self.fail("this expression is nested too deeply");
        }
        if self.failed {
            return Value::ZERO;
        }
        let condition = self.binary(0, evaluated);
        let value = match self.operator() {
            Some(Punctuator::Question) => {
                self.advance();
                let yes = self.conditional(evaluated && condition.is_true());
                if !self.token.is(Punctuator::Colon) {
                    self.fail("`:` is expected here");
                    return Value::ZERO;
                }
                self.advance();
                let no = self.conditional(evaluated && !condition.is_true());
                Value {
                    bits: if condition.is_true() { yes.bits } else { no.bits },
                    unsigned: yes.unsigned || no.unsigned,
                }
            }
            Some(_) | None => condition,
        };
        self.depth -= 1;
        value
    }

    /// Operators of at least this rank.
    fn binary(&mut self, least: u8, evaluated: bool) -> Value {
        let mut left = self.unary(evaluated);
        while let Some((operator, rank)) = self.operator().and_then(|operator| Some((operator, rank(operator)?))) {
            if rank < least || self.failed {
                break;
            }
            let token = self.token;
            self.advance();
            let needed = match operator {
                Punctuator::DoubleAmpersand => left.is_true(),
                Punctuator::DoublePipe => !left.is_true(),
                _ => true,
            };
            let right = self.binary(rank + 1, evaluated && needed);
            if evaluated && right.bits == 0 && matches!(operator, Punctuator::Slash | Punctuator::Percent) {
                if !self.failed {
                    self.failed = true;
                    self.preprocessor.error(token.span(), "division by zero");
                }
                return Value::ZERO;
            }
            left = apply(operator, left, right);
        }
        left
    }

    fn unary(&mut self, evaluated: bool) -> Value {
        let operator = self.operator();
        let sign = |value: Value, bits: u64| Value { bits, ..value };
        match operator {
            Some(operator @ (Punctuator::Exclamation | Punctuator::Minus | Punctuator::Plus | Punctuator::Tilde)) => {
                self.depth += 1;
                if self.depth > DEEPEST {
                    self.fail("this expression is nested too deeply");
                }
                if self.failed {
                    return Value::ZERO;
                }
                self.advance();
                let value = self.unary(evaluated);
                self.depth -= 1;
                match operator {
                    Punctuator::Exclamation => Value::of(!value.is_true()),
                    Punctuator::Minus => sign(value, value.bits.wrapping_neg()),
                    Punctuator::Tilde => sign(value, !value.bits),
                    _ => value,
                }
            }
            Some(Punctuator::LeftParenthesis) => {
                self.advance();
                let value = self.conditional(evaluated);
                if !self.token.is(Punctuator::RightParenthesis) {
                    self.fail("`)` is expected here");
                    return Value::ZERO;
                }
                self.advance();
                value
            }
            Some(_) | None => self.primary(),
        }
    }

    fn primary(&mut self) -> Value {
        let token = self.token;
        let value = match token.kind {
            RawKind::Number(symbol) => self.number(symbol),
            RawKind::Character(symbol) => {
                let text = self.preprocessor.context.text(symbol).to_string();
                match decode::character(&text, token.span(), self.preprocessor.context) {
                    Some(literal) => Value {
                        bits: match literal.encoding {
                            super::super::literal::Encoding::Ordinary if !literal.multiple => {
                                literal.value as u8 as i8 as i64 as u64
                            }
                            _ => literal.value as i32 as i64 as u64,
                        },
                        unsigned: false,
                    },
                    None => {
                        self.failed = true;
                        Value::ZERO
                    }
                }
            }
            RawKind::Identifier(name) => Value::of(name.keyword() == Some(Keyword::True)),
            RawKind::EndOfLine | RawKind::End => {
                self.fail("a value is expected before the end of the line");
                return Value::ZERO;
            }
            RawKind::String(_) => {
                self.fail("a string is no value in a condition");
                return Value::ZERO;
            }
            RawKind::Punctuator(_) | RawKind::Other(_) | RawKind::Pragma(_) | RawKind::Placemarker => {
                self.fail("a value is expected here");
                return Value::ZERO;
            }
        };
        self.advance();
        value
    }

    fn number(&mut self, symbol: Symbol) -> Value {
        let text = self.preprocessor.context.text(symbol).to_string();
        let span = self.token.span();
        match decode::number(&text, span, self.preprocessor.context) {
            Some(Literal::Integer(literal)) if literal.user_suffix.is_none() => {
                let Ok(bits) = u64::try_from(literal.value) else {
                    self.fail("this number has more than 64 bits");
                    return Value::ZERO;
                };
                let unsigned = literal.unsigned || bits > i64::MAX as u64;
                Value { bits, unsigned }
            }
            Some(_) => {
                self.fail("only integers are values in a condition");
                Value::ZERO
            }
            None => {
                self.failed = true;
                Value::ZERO
            }
        }
    }
}

/// How tightly a binary operator binds.
fn rank(operator: Punctuator) -> Option<u8> {
    Some(match operator {
        Punctuator::DoublePipe => 1,
        Punctuator::DoubleAmpersand => 2,
        Punctuator::Pipe => 3,
        Punctuator::Caret => 4,
        Punctuator::Ampersand => 5,
        Punctuator::DoubleEqual | Punctuator::ExclamationEqual => 6,
        Punctuator::Less | Punctuator::Greater | Punctuator::LessEqual | Punctuator::GreaterEqual => 7,
        Punctuator::DoubleLess | Punctuator::DoubleGreater => 8,
        Punctuator::Plus | Punctuator::Minus => 9,
        Punctuator::Star | Punctuator::Slash | Punctuator::Percent => 10,
        _ => return None,
    })
}

fn apply(operator: Punctuator, left: Value, right: Value) -> Value {
    let unsigned = left.unsigned || right.unsigned;
    let (a, b) = (left.bits, right.bits);
    let (signed_a, signed_b) = (a as i64, b as i64);
    let number = |bits: u64| Value { bits, unsigned };
    let less = if unsigned { a < b } else { signed_a < signed_b };
    match operator {
        Punctuator::DoublePipe => Value::of(left.is_true() || right.is_true()),
        Punctuator::DoubleAmpersand => Value::of(left.is_true() && right.is_true()),
        Punctuator::Pipe => number(a | b),
        Punctuator::Caret => number(a ^ b),
        Punctuator::Ampersand => number(a & b),
        Punctuator::DoubleEqual => Value::of(a == b),
        Punctuator::ExclamationEqual => Value::of(a != b),
        Punctuator::Less => Value::of(less),
        Punctuator::GreaterEqual => Value::of(!less),
        Punctuator::Greater => Value::of(!less && a != b),
        Punctuator::LessEqual => Value::of(less || a == b),
        Punctuator::DoubleLess => shift(left, right),
        Punctuator::DoubleGreater => {
            let back = Value {
                bits: b.wrapping_neg(),
                unsigned: false,
            };
            let back = if right.unsigned && b > i64::MAX as u64 {
                Value {
                    bits: (-64i64) as u64,
                    unsigned: false,
                }
            } else {
                back
            };
            shift(left, back)
        }
        Punctuator::Plus => number(a.wrapping_add(b)),
        Punctuator::Minus => number(a.wrapping_sub(b)),
        Punctuator::Star => number(a.wrapping_mul(b)),
        Punctuator::Slash if unsigned => number(a.checked_div(b).unwrap_or(0)),
        Punctuator::Percent if unsigned => number(a.checked_rem(b).unwrap_or(0)),
        Punctuator::Slash if b != 0 => number(signed_a.wrapping_div(signed_b) as u64),
        Punctuator::Percent if b != 0 => number(signed_a.wrapping_rem(signed_b) as u64),
        _ => Value::ZERO,
    }
}

/// A shift to the left, or by a negative amount to the right; 64 and more shift everything out.
fn shift(value: Value, by: Value) -> Value {
    let amount = if by.unsigned {
        i64::try_from(by.bits).unwrap_or(64)
    } else {
        by.bits as i64
    };
    let bits = match amount {
        64.. => 0,
        0..=63 => value.bits << amount,
        -63..=-1 if value.unsigned => value.bits >> -amount,
        -63..=-1 => ((value.bits as i64) >> -amount) as u64,
        _ if value.unsigned => 0,
        _ => ((value.bits as i64) >> 63) as u64,
    };
    Value { bits, ..value }
}
