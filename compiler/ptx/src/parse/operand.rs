//! Operands.

use super::{Parse, Parser, Stop, expression::Literal};
use crate::{
    Problem, Span,
    constant::Constant,
    lexer::Token,
    module::{Address, AddressBase, Operand, OperandRange, Register, Selector, VariableId},
    scope::Meaning,
    special::SpecialRegister,
};

/// Operands of one instruction, and elements of one group, at most.
const COUNT_LIMIT: usize = 10_000;

/// The operands of the instruction being read; kept between instructions, so that none allocates.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    /// Top-level operands. Their ranges, and those of `nested`, count from the first of `nested`.
    pub(super) top: Vec<Operand>,
    /// Elements of groups.
    pub(super) nested: Vec<Operand>,
    /// Elements of the groups being read, inner ones last.
    stack: Vec<Operand>,
    /// Places of `top`.
    pub(super) spans: Vec<Span>,
    /// Whether an operand was wrong, so that checking the instruction would only repeat it.
    pub(super) poisoned: bool,
    /// Whether an operand is a name without a meaning so far.
    pub(super) has_open_label: bool,
}

/// The element that `.x` and the like name.
fn component(text: &str) -> Option<u8> {
    match text {
        "x" | "r" => Some(0),
        "y" | "g" => Some(1),
        "z" | "b" => Some(2),
        "w" | "a" => Some(3),
        _ => None,
    }
}

impl<'t> Parser<'t> {
    /// All operands of an instruction, into the scratch space. `call`: parentheses are lists.
    pub(super) fn operands(&mut self, call: bool) -> Parse<()> {
        let scratch = &mut self.scratch;
        scratch.top.clear();
        scratch.nested.clear();
        scratch.stack.clear();
        scratch.spans.clear();
        scratch.poisoned = false;
        scratch.has_open_label = false;
        if self.at(Token::Semicolon) {
            return Ok(());
        }
        if call {
            return self.call_operands();
        }
        loop {
            let start = self.tokens.span;
            let mut operand = self.operand()?;
            if self.at(Token::Bar) {
                operand = self.pair(operand)?;
            }
            if self.scratch.top.len() == COUNT_LIMIT {
                return Err(self.too_many());
            }
            self.push_operand(operand, start);
            if !self.eat(Token::Comma) {
                return Ok(());
            }
        }
    }

    fn push_operand(&mut self, operand: Operand, start: Span) {
        let span = self.since(start);
        self.scratch.top.push(operand);
        self.scratch.spans.push(span);
    }

    /// `(RETURNS), FUNCTION, (ARGUMENTS), PROTOTYPE`: only the function must be there.
    fn call_operands(&mut self) -> Parse<()> {
        let start = self.tokens.span;
        if self.at(Token::ParenthesisOpen) {
            let list = self.list()?;
            self.push_operand(list, start);
            self.expect(Token::Comma, "','")?;
        }
        self.call_name("a function")?;
        if !self.eat(Token::Comma) {
            return Ok(());
        }
        let start = self.tokens.span;
        if self.at(Token::ParenthesisOpen) {
            let list = self.list()?;
            self.push_operand(list, start);
            if !self.eat(Token::Comma) {
                return Ok(());
            }
        }
        self.call_name("a prototype")
    }

    /// The function, register or table that a call names.
    fn call_name(&mut self, what: &str) -> Parse<()> {
        let (text, span) = self.identifier(what)?;
        let operand = self.named(text, span, true)?;
        self.push_operand(operand, span);
        Ok(())
    }

    fn too_many(&mut self) -> Stop {
        let problem = Problem::fatal(
            self.tokens.span,
            format!("an instruction has {COUNT_LIMIT} operands at most"),
        );
        self.refuse(problem)
    }

    #[inline]
    fn operand(&mut self) -> Parse<Operand> {
        match self.tokens.kind {
            Token::Identifier => {
                let (text, span) = (self.tokens.slice(), self.tokens.span);
                if text == "WARP_SZ" {
                    return self.constant();
                }
                self.tokens.advance();
                self.named(text, span, true)
            }
            Token::BracketOpen => self.bracket(),
            Token::BraceOpen => self.vector(),
            Token::Minus | Token::Exclamation if self.name_follows() => self.signed_register(),
            _ => self.element(),
        }
    }

    /// An operand that may stand in a group: no group itself.
    fn element(&mut self) -> Parse<Operand> {
        match self.tokens.kind {
            Token::Identifier => {
                let (text, span) = (self.tokens.slice(), self.tokens.span);
                if text == "WARP_SZ" {
                    return self.constant();
                }
                self.tokens.advance();
                self.named(text, span, false)
            }
            Token::Dotted => {
                let (text, span) = (self.tokens.slice(), self.tokens.span);
                self.tokens.advance();
                let (base, rest) = text.split_once('.').unwrap_or((text, ""));
                if let Some(more) = rest.find('.') {
                    let start = span.start + (base.len() + 1 + more) as u32;
                    return Err(self.unexpected_at(Span::new(start, span.end), "',' or ';'"));
                }
                Ok(self.component(base, rest, span))
            }
            Token::Underscore => {
                self.tokens.advance();
                Ok(Operand::Sink)
            }
            _ => self.constant(),
        }
    }

    /// Whether a name, not a constant, comes after the sign that is the current token.
    fn name_follows(&self) -> bool {
        let rest = self.tokens.text()[self.tokens.span.end as usize..]
            .trim_start()
            .as_bytes();
        match rest {
            [b'%' | b'$' | b'_', next, ..] => next.is_ascii_alphanumeric() || matches!(next, b'_' | b'$'),
            [first, ..] => first.is_ascii_alphabetic() && !rest.starts_with(b"WARP_SZ"),
            [] => false,
        }
    }

    /// `!p` or `-r`.
    fn signed_register(&mut self) -> Parse<Operand> {
        let negated = self.at(Token::Exclamation);
        self.tokens.advance();
        if !negated && self.at(Token::Dotted) {
            return Ok(match self.element()? {
                Operand::Selected(register, selector) => Operand::Negative(register, Some(selector)),
                other => other,
            });
        }
        let (text, span) = self.identifier("a register")?;
        match self.scopes.look_up(&self.module.names, text) {
            Some(Meaning::Register(number)) if negated => return Ok(Operand::Not(Register(number))),
            Some(Meaning::Register(number)) => return Ok(Operand::Negative(Register(number), None)),
            Some(_) => {
                let vendor = if negated {
                    "Predicate expression expected"
                } else {
                    "Register operand expected"
                };
                let problem = Problem::error(span, format!("'{text}' is no register"));
                self.poison(problem.vendor(vendor));
            }
            None => self.poison_unknown(text, span),
        }
        Ok(Operand::Sink)
    }

    fn poison_unknown(&mut self, text: &str, span: Span) {
        self.scratch.poisoned = true;
        self.unknown(text, span);
    }

    fn constant(&mut self) -> Parse<Operand> {
        if !self.at_constant() {
            return Err(self.unexpected("an operand"));
        }
        Ok(match self.literal()? {
            Literal::Value(Constant::Integer(bits, signed)) => Operand::Integer(bits, signed),
            Literal::Value(Constant::Float(value)) => Operand::Double(value.to_bits()),
            Literal::Double(bits) => Operand::Double(bits),
            Literal::Single(bits) => Operand::Single(bits),
        })
    }

    /// What a name stands for, with what may follow it. `top`: it may be a label that comes later.
    #[inline]
    fn named(&mut self, text: &'t str, span: Span, top: bool) -> Parse<Operand> {
        let meaning = self.scopes.look_up(&self.module.names, text);
        if let Some(Meaning::Register(number)) = meaning
            && matches!(self.tokens.kind, Token::Comma | Token::Semicolon | Token::BraceClose)
        {
            return Ok(Operand::Register(Register(number)));
        }
        if self.at(Token::Directive) {
            let rest = &self.tokens.slice()[1..];
            self.tokens.advance();
            return Ok(self.component(text, rest, self.since(span)));
        }
        match meaning {
            Some(Meaning::Register(number)) => {
                if top && self.at(Token::Plus) {
                    self.register_offset(span)?;
                }
                Ok(Operand::Register(Register(number)))
            }
            Some(Meaning::Variable(id)) if top && self.at(Token::BracketOpen) => self.array_element(id, text, span),
            Some(Meaning::Variable(id)) => {
                let offset = if top && self.eat(Token::Plus) {
                    self.integer_expression()?.0 as i64
                } else {
                    0
                };
                Ok(Operand::Variable(id, offset))
            }
            Some(Meaning::Function(id)) => Ok(Operand::Function(id)),
            Some(Meaning::Label(id)) => Ok(Operand::Label(id)),
            Some(Meaning::Range(..)) | None => Ok(self.undeclared(text, span, top)),
        }
    }

    /// `r+4` outside brackets, which the vendor's tool takes without saying what it means.
    fn register_offset(&mut self, start: Span) -> Parse<()> {
        self.tokens.advance();
        self.integer_expression()?;
        let span = self.since(start);
        self.poison(Problem::error(
            span,
            "a register with an offset is an address; it stands in brackets only",
        ));
        Ok(())
    }

    /// `var[4]`, `var[r]` or `var[r+4]`; the variable is read already.
    fn array_element(&mut self, variable: VariableId, text: &str, span: Span) -> Parse<Operand> {
        self.tokens.advance();
        if self.module.variables[variable.0 as usize].dimensions.is_empty() {
            let problem = Problem::error(span, format!("'{text}' is no array, so it has no elements"));
            self.poison(problem.vendor("Array indexing on non-array"));
        }
        let mut register = None;
        let mut offset = 0;
        if self.at(Token::Identifier) && self.tokens.slice() != "WARP_SZ" {
            let (text, span) = self.identifier("an index")?;
            match self.scopes.look_up(&self.module.names, text) {
                Some(Meaning::Register(number)) => register = Some(Register(number)),
                Some(_) => {
                    let problem = Problem::error(span, format!("'{text}' is no register, so it cannot be an index"));
                    self.poison(problem.vendor("Illegal operand type for address/array-index"));
                }
                None => self.poison_unknown(text, span),
            }
            if self.eat(Token::Plus) {
                offset = self.integer_expression()?.0 as i64;
            }
        } else {
            offset = self.integer_expression()?.0 as i64;
        }
        self.expect(Token::BracketClose, "']'")?;
        Ok(Operand::Element(variable, register, offset))
    }

    /// A special register, or a name that must turn out to be a label.
    fn undeclared(&mut self, text: &str, span: Span, top: bool) -> Operand {
        if let Some(special) = SpecialRegister::from_name(text) {
            return Operand::Special(special, None);
        }
        if top {
            self.scratch.has_open_label = true;
            return Operand::Label(self.use_label(text, span));
        }
        self.poison_unknown(text, span);
        Operand::Sink
    }

    /// `v.x`, `%tid.x` or `r.b0`.
    fn component(&mut self, base: &str, rest: &str, span: Span) -> Operand {
        let register = match self.scopes.look_up(&self.module.names, base) {
            Some(Meaning::Register(number)) => Register(number),
            Some(_) => {
                let problem = Problem::error(span, format!("'{base}' is no register, so it has no part '.{rest}'"));
                self.poison(problem.vendor(format!("Unknown field '.{rest}'")));
                return Operand::Sink;
            }
            None => return self.special_component(base, rest, span),
        };
        let (_, width) = self.context().register_type(register);
        let found = if width > 1 {
            component(rest)
                .filter(|&index| index < width)
                .map(|index| Operand::Component(register, index))
        } else {
            Selector::from_name(rest).map(|selector| Operand::Selected(register, selector))
        };
        found.unwrap_or_else(|| {
            let (message, vendor) = if width > 1 {
                (
                    format!("'{base}' has {width} elements; none is '.{rest}'"),
                    format!("Unknown vector selector: '{rest}'"),
                )
            } else {
                (
                    format!("'{base}' is no vector and '.{rest}' no selector"),
                    format!("Unknown video selector: '.{rest}'"),
                )
            };
            self.poison(Problem::error(span, message).vendor(vendor));
            Operand::Sink
        })
    }

    fn special_component(&mut self, base: &str, rest: &str, span: Span) -> Operand {
        let Some(special) = SpecialRegister::from_name(base) else {
            let span = Span::new(span.start, span.start + base.len() as u32);
            self.poison_unknown(base, span);
            return Operand::Sink;
        };
        if let Some(index) = component(rest) {
            return Operand::Special(special, Some(index));
        }
        let problem = Problem::error(span, format!("'{base}' has no part '.{rest}'"));
        self.poison(problem.vendor(format!("Unknown vector selector: '{rest}'")));
        Operand::Sink
    }

    /// Moves the elements read since `start` behind the nested operands.
    fn group(&mut self, start: usize) -> OperandRange {
        let scratch = &mut self.scratch;
        let first = scratch.nested.len() as u32;
        let count = (scratch.stack.len() - start) as u16;
        scratch.nested.extend(scratch.stack.drain(start..));
        OperandRange { first, count }
    }

    fn push_element(&mut self, operand: Operand) -> Parse<()> {
        if self.scratch.stack.len() >= COUNT_LIMIT {
            return Err(self.too_many());
        }
        self.scratch.stack.push(operand);
        Ok(())
    }

    /// `{a, b, …}`
    fn vector(&mut self) -> Parse<Operand> {
        let start = self.scratch.stack.len();
        loop {
            self.tokens.advance();
            let element = self.element()?;
            self.push_element(element)?;
            if !self.at(Token::Comma) {
                break;
            }
        }
        self.expect(Token::BraceClose, "',' or '}'")?;
        Ok(Operand::Vector(self.group(start)))
    }

    /// `(a, b, …)` of a call.
    fn list(&mut self) -> Parse<Operand> {
        let start = self.scratch.stack.len();
        self.tokens.advance();
        if !self.at(Token::ParenthesisClose) {
            loop {
                let element = if self.at(Token::Dotted) {
                    self.plain_name()?
                } else {
                    self.element()?
                };
                self.push_element(element)?;
                if !self.eat(Token::Comma) {
                    break;
                }
            }
        }
        self.expect(Token::ParenthesisClose, "',' or ')'")?;
        Ok(Operand::List(self.group(start)))
    }

    /// A name where dotted parts are not allowed, which reports them.
    fn plain_name(&mut self) -> Parse<Operand> {
        let (text, span) = self.identifier("a name")?;
        self.named(text, span, false)
    }

    /// `a|b`
    fn pair(&mut self, first: Operand) -> Parse<Operand> {
        let start = self.scratch.stack.len();
        self.push_element(first)?;
        self.tokens.advance();
        let second = if self.eat(Token::Underscore) {
            Operand::Sink
        } else {
            self.plain_name()?
        };
        self.push_element(second)?;
        Ok(Operand::Pair(self.group(start)))
    }

    /// `[base+offset]` or `[a, b, …]`.
    fn bracket(&mut self) -> Parse<Operand> {
        self.tokens.advance();
        let start = self.tokens.span;
        let address = self.address()?;
        // Of several operands each is a bare name.
        let bare = start.end == self.tokens.previous_end;
        if !bare || !self.at(Token::Comma) {
            self.expect(Token::BracketClose, "']'")?;
            let unified = self.at_directive(".unified");
            if unified {
                self.tokens.advance();
            }
            return Ok(Operand::Address(Address { unified, ..address }));
        }
        let group = self.scratch.stack.len();
        let first = match address.base {
            AddressBase::Register(register) => Operand::Register(register),
            AddressBase::Variable(variable) => Operand::Variable(variable, 0),
            AddressBase::Absolute if self.scratch.poisoned => Operand::Sink,
            AddressBase::Absolute => return Err(self.unexpected("']'")),
        };
        self.push_element(first)?;
        while self.eat(Token::Comma) {
            let vector = self.at(Token::BraceOpen);
            let element = if vector { self.vector()? } else { self.plain_name()? };
            self.push_element(element)?;
            if vector {
                break;
            }
        }
        self.expect(Token::BracketClose, "',' or ']'")?;
        Ok(Operand::Bracket(self.group(group)))
    }

    /// What stands in brackets.
    fn address(&mut self) -> Parse<Address> {
        let absolute = |offset| Address {
            base: AddressBase::Absolute,
            offset,
            unified: false,
        };
        if !matches!(self.tokens.kind, Token::Identifier | Token::Dotted) || self.tokens.slice() == "WARP_SZ" {
            if !self.at_constant() {
                return Err(self.unexpected("an address"));
            }
            return Ok(absolute(self.integer_expression()?.0 as i64));
        }
        let base = self.address_base()?;
        let offset = if self.eat(Token::Plus) {
            self.integer_expression()?.0 as i64
        } else {
            0
        };
        Ok(Address {
            base,
            offset,
            unified: false,
        })
    }

    fn address_base(&mut self) -> Parse<AddressBase> {
        let (text, span) = self.identifier("a register or variable")?;
        let meaning = self.scopes.look_up(&self.module.names, text);
        match meaning {
            Some(Meaning::Register(number)) => return Ok(AddressBase::Register(Register(number))),
            Some(Meaning::Variable(id)) => return Ok(AddressBase::Variable(id)),
            None if SpecialRegister::from_name(text).is_none() => self.poison_unknown(text, span),
            Some(Meaning::Function(_) | Meaning::Label(_) | Meaning::Range(..)) | None => {
                let problem = Problem::error(
                    span,
                    format!("'{text}' is no address: a register or variable is needed"),
                );
                self.poison(problem.vendor("Illegal operand type to instruction"));
            }
        }
        Ok(AddressBase::Absolute)
    }
}
