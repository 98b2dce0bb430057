//! Data: values, strings, zeros, pairs.

use std::ops::Range;

use warpsmith_cubin::Content;

use super::Assembler;
use super::expression::{self, Value, fit};
use super::file::reference;
use super::lexer::{Fault, Lexer, Result};

/// The most zeros that a listing may ask for in bytes.
pub(super) const MOST_ZEROS: u64 = 1 << 26;

/// A value that names something, to be found out at the end.
pub(super) struct Fixup {
    pub(super) section: u32,
    /// The byte offset of the value in its section.
    pub(super) at: usize,
    /// Its size in bytes.
    pub(super) size: usize,
    pub(super) kind: FixupKind,
    /// The part of the source.
    pub(super) source: Range<usize>,
}

/// What a value names.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum FixupKind {
    /// A sum of labels.
    Sum,
    /// A place in the code that the section's `sh_info` names.
    CodeOffset,
    /// A symbol of the table that the section's `sh_link` names.
    Symbol,
}

/// What a value names, and where in the source.
pub(super) type Name = (FixupKind, Range<usize>);

impl<'a> Assembler<'a> {
    /// The bytes of the section in hand.
    pub(super) fn bytes(&mut self, directive: Range<usize>) -> Result<&mut Vec<u8>> {
        if !matches!(self.section_content(directive.clone())?, Content::Bytes(_)) {
            return Err(self.misplaced(directive));
        }
        match self.section_content(directive.clone())? {
            Content::Bytes(bytes) => Ok(bytes),
            _ => Err(Fault::new(directive, "this stands in a section of bytes")),
        }
    }

    /// `.byte`, `.short`, `.word`, `.quad`.
    pub(super) fn read_values(&mut self, size: usize, bytes: Range<usize>, line: &mut Lexer<'a>) -> Result<()> {
        loop {
            let (value, fixup) = self.value(size, FixupKind::Sum, line)?;
            self.push_value(value, size, fixup, bytes.clone())?;
            if !line.more()? {
                return Ok(());
            }
        }
    }

    /// Appends a value, and keeps what is to be found out about it.
    pub(super) fn push_value(
        &mut self,
        value: u64,
        size: usize,
        fixup: Option<Name>,
        directive: Range<usize>,
    ) -> Result<()> {
        let bytes = self.bytes(directive)?;
        let at = bytes.len();
        bytes.extend_from_slice(&value.to_le_bytes()[..size]);
        if let Some((kind, source)) = fixup {
            let section = self.sections.len() as u32 - 1;
            self.fixups.push(Fixup {
                section,
                at,
                size,
                kind,
                source,
            });
        }
        Ok(())
    }

    /// Reads a value of so many bytes; one that names something is 0 for now.
    pub(super) fn value(&self, size: usize, kind: FixupKind, line: &mut Lexer<'a>) -> Result<(u64, Option<Name>)> {
        let start = line.position();
        if kind == FixupKind::Symbol && line.peek().is_some_and(|byte| byte != b'-' && !byte.is_ascii_digit()) {
            return Ok((0, Some((kind, reference(line)?))));
        }
        let value = expression::read(line, &expression::Labels::new(), None)?;
        let source = start..line.position();
        match value {
            Value::Missing(_) => Ok((0, Some((kind, source)))),
            Value::Known(value) => Ok((fitting(value, size, source)?, None)),
        }
    }

    /// Directives whose bytes need nothing else.
    pub(super) fn read_plain(&mut self, directive: &str, bytes: Range<usize>, line: &mut Lexer<'a>) -> Result<()> {
        if directive == ".bytes" && matches!(self.section_content(bytes.clone())?, Content::Strings(_)) {
            let table = line.bytes()?;
            self.replace_strings(table);
            return Ok(());
        }
        if directive == ".zero" {
            return self.read_zeros(bytes, line);
        }
        self.bytes(bytes.clone())?;
        match directive {
            ".word128" => {
                let word = line.number(128)?;
                self.bytes(bytes)?.extend_from_slice(&word.to_le_bytes());
            }
            ".bytes" => {
                let content = line.bytes()?;
                self.bytes(bytes)?.extend_from_slice(&content);
            }
            _ => {
                let string = line.string()?;
                let content = self.bytes(bytes)?;
                content.extend_from_slice(&string);
                if directive == ".asciz" {
                    content.push(0);
                }
            }
        }
        Ok(())
    }

    /// Zeros, in a string table too.
    fn read_zeros(&mut self, bytes: Range<usize>, line: &mut Lexer<'a>) -> Result<()> {
        let start = line.position();
        let count = line.number64(64)?;
        if self.zeros.saturating_add(count) > MOST_ZEROS {
            return Err(Fault::new(
                start..line.position(),
                format!("a listing has at most {MOST_ZEROS} zeros"),
            ));
        }
        self.zeros += count;
        if let Content::Strings(table) = self.section_content(bytes.clone())? {
            for _ in 0..count {
                table.push("");
            }
            return Ok(());
        }
        let content = self.bytes(bytes)?;
        content.resize(content.len() + count as usize, 0);
        Ok(())
    }

    /// `.pair`: two words, each a symbol or a number.
    pub(super) fn read_pair(&mut self, bytes: Range<usize>, line: &mut Lexer<'a>) -> Result<()> {
        self.bytes(bytes.clone())?;
        let (first, first_fixup) = self.value(4, FixupKind::Symbol, line)?;
        line.comma()?;
        let (second, second_fixup) = self.value(4, FixupKind::Symbol, line)?;
        self.push_value(first, 4, first_fixup, bytes.clone())?;
        self.push_value(second, 4, second_fixup, bytes)
    }
}

/// A value that must fit in so many bytes.
pub(super) fn fitting(value: i128, size: usize, source: Range<usize>) -> Result<u64> {
    let bits = size as u32 * 8;
    fit(value, bits).ok_or_else(|| Fault::new(source, format!("{value} does not fit in {bits} bits")))
}
