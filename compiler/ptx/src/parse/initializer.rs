//! Initial values of variables.

use super::{Parse, Parser, Stop, expression::Literal};
use crate::{
    Problem, Span,
    constant::Constant,
    lexer::Token,
    module::{AddressTarget, Initializer},
    scope::Meaning,
    table::Type,
};

/// How deep lists may nest.
const DEPTH_LIMIT: usize = 100;

impl Parser<'_> {
    /// What follows `=` in a declaration of this type.
    pub(super) fn initializer(&mut self, element: Type) -> Parse<Initializer> {
        // Lists under construction, outermost first: depth costs no stack.
        let mut open: Vec<(Vec<Initializer>, Span)> = Vec::new();
        loop {
            let mut value = if self.at(Token::BraceOpen) {
                let start = self.tokens.span;
                if open.len() == DEPTH_LIMIT {
                    self.report(Problem::fatal(
                        start,
                        format!("initialisers nest deeper than {DEPTH_LIMIT} levels"),
                    ));
                    return Err(Stop);
                }
                self.tokens.advance();
                if self.at(Token::Identifier) && self.begins_field() {
                    self.fields(start, element)?
                } else if self.eat(Token::BraceClose) {
                    Initializer::List(Vec::new(), self.since(start))
                } else {
                    open.push((Vec::new(), start));
                    continue;
                }
            } else {
                self.initial_value()?
            };
            // Closes every list that ends here.
            loop {
                let Some((values, start)) = open.last_mut() else {
                    return Ok(value);
                };
                values.push(value);
                if self.tokens.kind == Token::Comma {
                    self.tokens.advance();
                    break;
                }
                let (mut values, start) = (std::mem::take(values), *start);
                values.shrink_to_fit();
                self.expect(Token::BraceClose, "',' or '}'")?;
                open.pop();
                value = Initializer::List(values, self.since(start));
            }
        }
    }

    /// A value that is no list.
    fn initial_value(&mut self) -> Parse<Initializer> {
        let start = self.tokens.span;
        if self.at(Token::Identifier) && self.tokens.slice() != "WARP_SZ" {
            return self.initial_address(start);
        }
        if self.at(Token::Integer) {
            return self.integer_or_mask(start);
        }
        let literal = self.literal()?;
        Ok(self.initial_constant(literal, start))
    }

    fn initial_constant(&self, literal: Literal, start: Span) -> Initializer {
        let span = self.since(start);
        match literal {
            Literal::Value(Constant::Integer(bits, _)) => Initializer::Integer(bits, span),
            Literal::Value(Constant::Float(value)) => Initializer::Float(value.to_bits(), span),
            Literal::Double(bits) => Initializer::Float(bits, span),
            Literal::Single(bits) => Initializer::Single(bits, span),
        }
    }

    /// A constant expression, or `MASK(…)`: a number followed by a parenthesis.
    fn integer_or_mask(&mut self, start: Span) -> Parse<Initializer> {
        let text = self.tokens.text();
        let rest = text[start.end as usize..].trim_start();
        if !rest.starts_with('(') {
            let literal = self.literal()?;
            return Ok(self.initial_constant(literal, start));
        }
        let mask = self.unsigned("a mask")?;
        let shift = mask.trailing_zeros() & !7;
        if mask == 0 || mask >> shift != 0xff {
            let message = format!("the mask {mask:#x} is not 0xFF at a whole number of bytes");
            let problem = Problem::error(start, message);
            self.report(problem.vendor(format!("Invalid mask value '{mask:#x}' used in initializer")));
        }
        self.expect(Token::ParenthesisOpen, "'('")?;
        let inner = self.tokens.span;
        let value = if self.at(Token::Identifier) && self.tokens.slice() != "WARP_SZ" {
            self.initial_address(inner)?
        } else {
            let (bits, _) = self.integer_expression()?;
            Initializer::Integer((bits & mask) >> (shift & 63), inner)
        };
        self.expect(Token::ParenthesisClose, "')'")?;
        let span = self.since(start);
        Ok(match value {
            Initializer::Address {
                target,
                offset,
                generic,
                ..
            } => Initializer::Address {
                target,
                offset,
                generic,
                mask: Some(mask),
                span,
            },
            Initializer::Integer(bits, _) => Initializer::Integer(bits, span),
            other => other,
        })
    }

    /// `NAME`, `NAME+4` or `generic(NAME)+4`.
    fn initial_address(&mut self, start: Span) -> Parse<Initializer> {
        let generic = self.tokens.slice() == "generic" && {
            let text = self.tokens.text();
            text[start.end as usize..].trim_start().starts_with('(')
        };
        if generic {
            self.tokens.advance();
            self.tokens.advance();
        }
        let (text, span) = self.identifier("a variable or function")?;
        let target = match self.scopes.look_up(&self.module.names, text) {
            Some(Meaning::Variable(id)) => AddressTarget::Variable(id),
            Some(Meaning::Function(id)) => AddressTarget::Function(id),
            Some(Meaning::Register(_) | Meaning::Range(..) | Meaning::Label(_)) | None => {
                let problem = Problem::fatal(span, format!("'{text}' is no variable or function declared before"));
                let problem = self
                    .suggest(problem, text)
                    .vendor(format!("Invalid initial value symbol '{text}'"));
                self.report(problem);
                return Err(Stop);
            }
        };
        if generic {
            self.expect(Token::ParenthesisClose, "')'")?;
        }
        let mut offset = 0;
        if self.eat(Token::Plus) {
            offset = self.integer_expression()?.0 as i64;
            if let AddressTarget::Function(_) = target {
                let problem = Problem::fatal(self.since(start), "a function's address has no offset");
                self.report(problem.vendor("Invalid initial value expression"));
                return Err(Stop);
            }
        }
        Ok(Initializer::Address {
            target,
            offset,
            generic,
            mask: None,
            span: self.since(start),
        })
    }

    /// Whether `NAME =` stands here, as in initialisers of samplers.
    fn begins_field(&self) -> bool {
        let rest = self.tokens.text()[self.tokens.span.end as usize..].trim_start();
        rest.starts_with('=')
    }

    /// `{ FIELD = VALUE, … }` of `.texref`, `.samplerref` and `.surfref`; the brace is read already.
    fn fields(&mut self, start: Span, element: Type) -> Parse<Initializer> {
        let mut fields = Vec::new();
        loop {
            let (text, span) = self.identifier("a field")?;
            let known: &[&str] = if element == Type::Samplerref {
                &SAMPLER_FIELDS
            } else {
                &TEXTURE_FIELDS
            };
            if !known.contains(&text) {
                let problem = Problem::fatal(
                    span,
                    format!("there is no field '{text}' here; there are {}", known.join(", ")),
                )
                .vendor(format!("Unrecognized field name '{text}' in opaque struct initializer"));
                self.report(problem);
                return Err(Stop);
            }
            let field = self.intern(text);
            self.expect(Token::Equal, "'='")?;
            let value = self.field_value()?;
            fields.push((field, value));
            if !self.eat(Token::Comma) {
                break;
            }
        }
        self.expect(Token::BraceClose, "',' or '}'")?;
        Ok(Initializer::Fields(fields, self.since(start)))
    }

    fn field_value(&mut self) -> Parse<u64> {
        if !self.at(Token::Identifier) || self.tokens.slice() == "WARP_SZ" {
            return Ok(self.integer_expression()?.0);
        }
        let (text, span) = self.identifier("a value")?;
        let value = FIELD_VALUES.iter().find(|(name, _)| *name == text);
        if value.is_none() {
            let problem = Problem::error(span, format!("'{text}' is no value of a texture's or sampler's field"));
            self.report(problem.vendor(format!("Unrecognized initial value symbol '{text}'")));
        }
        Ok(value.map_or(0, |&(_, value)| value))
    }
}

/// Fields of textures and surfaces.
const TEXTURE_FIELDS: [&str; 10] = [
    "width",
    "height",
    "depth",
    "channel_data_type",
    "channel_order",
    "normalized_coords",
    "filter_mode",
    "addr_mode_0",
    "addr_mode_1",
    "addr_mode_2",
];

/// Fields of samplers.
const SAMPLER_FIELDS: [&str; 5] = [
    "addr_mode_0",
    "addr_mode_1",
    "addr_mode_2",
    "filter_mode",
    "force_unnormalized_coords",
];

/// Named values of fields.
const FIELD_VALUES: [(&str, u64); 7] = [
    ("wrap", 0),
    ("mirror", 1),
    ("clamp_ogl", 2),
    ("clamp_to_edge", 3),
    ("clamp_to_border", 4),
    ("nearest", 0),
    ("linear", 1),
];
