//! `.file`, `.loc`, `.section` and `.pragma`.

use super::{Parse, Parser};
use crate::{
    Problem, Span,
    lexer::Token,
    module::{File, InlinedAt, Item, Location, Name, Section, SectionLine, SectionValue, Statement},
    table::{FeatureGate, gates},
};

impl Parser<'_> {
    /// A string in quotes.
    fn string(&mut self) -> Parse<Name> {
        if !self.at(Token::String) {
            return Err(self.unexpected("a string"));
        }
        let text = self.tokens.slice();
        self.tokens.advance();
        Ok(self.intern(&text[1..text.len() - 1]))
    }

    /// `.pragma "…", "…";`
    pub(super) fn pragma(&mut self) -> Parse<Vec<Name>> {
        self.tokens.advance();
        let mut names = vec![self.string()?];
        while self.eat(Token::Comma) {
            names.push(self.string()?);
        }
        self.expect(Token::Semicolon, "';'")?;
        Ok(names)
    }

    /// `.file INDEX "NAME"{, TIMESTAMP, SIZE}`
    pub(super) fn file(&mut self) -> Parse<()> {
        let start = self.tokens.span;
        self.tokens.advance();
        let index = self.unsigned_32("the number of the file")?;
        let name = self.string()?;
        let mut stamp = None;
        if self.eat(Token::Comma) {
            let time = self.unsigned("a time stamp")?;
            let size = if self.eat(Token::Comma) {
                self.unsigned("a size")?
            } else {
                0
            };
            stamp = Some((time, size));
        }
        let position = self.module.files.len() as u32;
        let next = self.tokens.span;
        self.module.files.push(File {
            next,
            index,
            name,
            stamp,
            span: self.since(start),
        });
        self.module.items.push(Item::File(position));
        Ok(())
    }

    /// `.loc FILE LINE COLUMN{, function_name LABEL{+OFFSET}, inlined_at FILE LINE COLUMN}`
    pub(super) fn location(&mut self) -> Parse<()> {
        let start = self.tokens.span;
        self.tokens.advance();
        let (file, line, column) = self.place()?;
        let inlined = if self.eat(Token::Comma) {
            Some(self.inlined()?)
        } else {
            None
        };
        let span = self.since(start);
        self.body.statements.push(Statement::Location(Box::new(Location {
            span,
            file,
            line,
            column,
            inlined,
        })));
        Ok(())
    }

    fn place(&mut self) -> Parse<(u32, u32, u32)> {
        Ok((
            self.unsigned_32("the number of a file")?,
            self.unsigned_32("a line number")?,
            self.unsigned_32("a column")?,
        ))
    }

    /// A word that is fixed here.
    fn keyword(&mut self, word: &str) -> Parse<()> {
        if self.at(Token::Identifier) && self.tokens.slice() == word {
            self.tokens.advance();
            return Ok(());
        }
        Err(self.unexpected(word))
    }

    fn inlined(&mut self) -> Parse<InlinedAt> {
        let (function, offset) = self.inlined_function()?;
        self.expect(Token::Comma, "','")?;
        let (file, line, column) = self.inlined_place()?;
        Ok(InlinedAt {
            function,
            offset,
            file,
            line,
            column,
        })
    }

    fn inlined_place(&mut self) -> Parse<(u32, u32, u32)> {
        self.keyword("inlined_at")?;
        self.place()
    }

    fn inlined_function(&mut self) -> Parse<(Name, i64)> {
        self.keyword("function_name")?;
        let label = self.section_label()?;
        let offset = if self.eat(Token::Plus) {
            self.unsigned("an offset")? as i64
        } else {
            0
        };
        Ok((label, offset))
    }

    /// The name of a label or section.
    fn section_label(&mut self) -> Parse<Name> {
        if !matches!(self.tokens.kind, Token::Identifier | Token::Directive) {
            return Err(self.unexpected("a label"));
        }
        let text = self.tokens.slice();
        self.tokens.advance();
        Ok(self.intern(text))
    }

    /// `.section NAME { … }`
    pub(super) fn section(&mut self) -> Parse<()> {
        let start = self.tokens.span;
        self.tokens.advance();
        if !self.at(Token::Directive) {
            return Err(self.unexpected("a section's name, such as .debug_info"));
        }
        let name = self.section_label()?;
        self.expect(Token::BraceOpen, "'{'")?;
        let mut lines = Vec::new();
        let mut labels = hashbrown::HashSet::with_hasher(rustc_hash::FxBuildHasher);
        while !self.eat(Token::BraceClose) {
            let span = self.tokens.span;
            let line = self.section_line()?;
            if let SectionLine::Label(label) = line {
                self.section_gate(&gates::SECTION_LABEL, "a label", span);
                if !labels.insert(label) {
                    let text = self.module.names.get(label).to_owned();
                    self.duplicate("label", &text, span);
                }
            }
            lines.push(line);
        }
        let position = self.module.sections.len() as u32;
        self.module.sections.push(Section {
            name,
            lines,
            span: self.since(start),
        });
        self.module.items.push(Item::Section(position));
        Ok(())
    }

    fn section_line(&mut self) -> Parse<SectionLine> {
        if self.at(Token::Identifier) {
            let label = self.section_label()?;
            self.expect(Token::Colon, "':'")?;
            return Ok(SectionLine::Label(label));
        }
        let (text, span) = (self.tokens.slice(), self.tokens.span);
        let bits = match text {
            ".b8" => 8,
            ".b16" => 16,
            ".b32" => 32,
            ".b64" => 64,
            ".b128" | ".u8" | ".u16" | ".u32" | ".u64" | ".s8" | ".s16" | ".s32" | ".s64" | ".f16" | ".f32"
            | ".f64" => {
                let problem = Problem::error(span, "data of sections have type .b8, .b16, .b32 or .b64");
                self.report(problem.vendor("Illegal type for dwarf data"));
                64
            }
            _ => return Err(self.unexpected("a label, .b8, .b16, .b32, .b64 or '}'")),
        };
        self.tokens.advance();
        let mut values = Vec::new();
        loop {
            let start = self.tokens.span;
            let value = self.section_value()?;
            if let SectionValue::Integer(number) = value {
                let bound = u64::MAX >> (64 - bits);
                if number > bound && number.wrapping_neg() > bound / 2 + 1 {
                    let span = self.since(start);
                    let shown = self.tokens.slice_of(span).to_owned();
                    // The vendor's tool names the line of the token after the value.
                    let problem = Problem::error(self.tokens.span, format!("{shown} does not fit into {bits} bits"));
                    self.report(problem.vendor(format!("Value out of range for type {text} {shown}")));
                }
            }
            values.push(value);
            if !self.eat(Token::Comma) {
                return Ok(SectionLine::Data(bits, values));
            }
        }
    }

    fn section_value(&mut self) -> Parse<SectionValue> {
        match self.tokens.kind {
            Token::Minus => {
                self.tokens.advance();
                Ok(SectionValue::Integer(self.unsigned("a number")?.wrapping_neg()))
            }
            Token::Integer => Ok(SectionValue::Integer(self.unsigned("a number")?)),
            _ => {
                let label = self.section_label()?;
                if self.eat(Token::Plus) {
                    let offset = self.unsigned("an offset")?;
                    return Ok(SectionValue::Label(label, offset as i64));
                }
                if self.eat(Token::Minus) {
                    let span = self.tokens.span;
                    let other = self.section_label()?;
                    self.section_gate(&gates::LABEL_DIFFERENCE, "a difference of labels", span);
                    return Ok(SectionValue::Difference(label, other));
                }
                Ok(SectionValue::Label(label, 0))
            }
        }
    }

    /// Reports what the module's version lacks; `what` is its name for people.
    fn section_gate(&mut self, gate: &FeatureGate, what: &str, span: Span) {
        let FeatureGate { feature, version, .. } = gate;
        if self.module.version >= *version {
            return;
        }
        let problem = Problem::error(span, format!("{what} in a .section needs .version {version} or later"));
        let vendor = format!("Feature '{feature}' requires PTX ISA .version {version} or later");
        self.report(problem.vendor(vendor));
    }
}
