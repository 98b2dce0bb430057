//! `asm` statements.

use crate::source::{Keyword, Literal, Punctuator, TokenKind};
use crate::syntax::ast::{AsmOperand, AsmStatement, Id, List};

use super::{Parsed, Parser};

impl Parser<'_> {
    /// `asm volatile ("…" : outputs : inputs : clobbers);`.
    pub(super) fn asm_statement(&mut self) -> Parsed<Id<AsmStatement>> {
        let start = self.position;
        self.advance();
        let mut is_volatile = false;
        loop {
            match self.kind() {
                TokenKind::Keyword(Keyword::Volatile) => is_volatile = true,
                TokenKind::Keyword(Keyword::Inline) => {}
                TokenKind::Keyword(Keyword::Goto) => return Err(self.error(self.here(), "`asm goto` is not supported")),
                _ => break,
            }
            self.advance();
        }
        let mut statement = self.parenthesized("after `asm`", |parser| parser.asm_content())?;
        self.expect_semicolon("after the `asm` statement")?;
        statement.is_volatile = is_volatile;
        statement.span = self.span_from(start);
        Ok(self.ast.add(statement))
    }

    fn asm_content(&mut self) -> Parsed<AsmStatement> {
        let template_at = self.here();
        let template = self.asm_string()?;
        // `::` is two colons.
        let mut sections = 0;
        let mut statement = AsmStatement {
            is_volatile: false,
            is_extended: false,
            template,
            template_at,
            outputs: Box::default(),
            inputs: Box::default(),
            clobbers: Box::default(),
            span: self.here(),
        };
        while !self.is(Punctuator::RightParenthesis) {
            statement.is_extended = true;
            if self.eat(Punctuator::DoubleColon) {
                sections += 2;
            } else {
                self.expect(Punctuator::Colon, "or `)` in an `asm` statement")?;
                sections += 1;
            }
            if matches!(
                self.kind(),
                TokenKind::Punctuator(Punctuator::Colon | Punctuator::DoubleColon | Punctuator::RightParenthesis)
            ) {
                continue;
            }
            match sections {
                1 => statement.outputs = self.asm_operands()?,
                2 => statement.inputs = self.asm_operands()?,
                3 => statement.clobbers = self.asm_clobbers()?,
                _ => return Err(self.expected("`)` after the clobbers")),
            }
        }
        Ok(statement)
    }

    fn at_string(&self) -> bool {
        matches!(self.kind(), TokenKind::Literal(id) if matches!(self.source.literal(id), Literal::String(_)))
    }

    fn asm_string(&mut self) -> Parsed<Box<str>> {
        if let TokenKind::Literal(id) = self.kind()
            && let Literal::String(string) = self.source.literal(id)
        {
            let text = string.to_text().into_boxed_str();
            self.advance();
            return Ok(text);
        }
        Err(self.expected("a string"))
    }

    /// `[name] "constraint" (expression)`, separated by commas.
    fn asm_operands(&mut self) -> Parsed<List<AsmOperand>> {
        let mut operands = Vec::new();
        loop {
            let start = self.position;
            let name = if self.eat(Punctuator::LeftBracket) {
                let (name, _) = self.expect_identifier("the name of an operand")?;
                self.expect(Punctuator::RightBracket, "after the name of an operand")?;
                Some(name)
            } else {
                None
            };
            let constraint = self.asm_string()?;
            let expression = self.parenthesized("after a constraint", |parser| parser.expression())?;
            let span = self.span_from(start);
            operands.push(AsmOperand {
                name,
                constraint,
                expression,
                span,
            });
            // nvcc takes a list without its commas, too.
            if !self.eat(Punctuator::Comma) && !self.at_string() {
                return Ok(operands.into_boxed_slice());
            }
        }
    }

    fn asm_clobbers(&mut self) -> Parsed<List<Box<str>>> {
        let mut clobbers = Vec::new();
        loop {
            clobbers.push(self.asm_string()?);
            if !self.eat(Punctuator::Comma) {
                return Ok(clobbers.into_boxed_slice());
            }
        }
    }
}
