//! From a listing back to the file.
//!
//! One pass over the lines builds sections, labels and symbols. What a line says about things that may come later (labels,
//! sections and symbols by name) is kept as a part of the source; [`finish`] reads it when everything is known. Faults are
//! gathered, so that one run shows them all.

mod code;
mod data;
mod expression;
mod file;
mod finish;
mod info;
pub(super) mod lexer;
mod machine;
mod section;
mod symbols;

use std::ops::Range;

use warpsmith_base::{Diagnostic, SourceText};
use warpsmith_cubin::{FileType, Placement};
use warpsmith_target::{Isa, Sm};

use expression::Labels;
use lexer::{Fault, Lexer, Result};

/// Makes the bytes of a cubin from a listing in Warpsmith's style; `file` is the name that diagnostics show. Whatever words can say is taken.
///
/// # Errors
/// Everything that is wrong with the listing, in the order of its lines.
pub fn assemble(source: &str, file: &str) -> std::result::Result<Vec<u8>, Vec<Diagnostic>> {
    let mut assembler = Assembler::new(source);
    assembler.read();
    let (bytes, _) = assembler.finish();
    match assembler.faults.is_empty() {
        true => Ok(bytes),
        false => Err(diagnostics(&SourceText::new(file, source), assembler.faults)),
    }
}

/// A cubin that the machine can run, as far as that is seen without running it.
#[derive(Clone, Debug)]
pub struct Assembled {
    /// The file.
    pub cubin: Vec<u8>,
    /// What may not be meant.
    pub warnings: Vec<Diagnostic>,
}

/// [`assemble`], and refuses what the machine cannot run: registers beyond those that a function has, tuples and constants that are not aligned, branches to
/// nowhere. `thorough` also follows stall counts, scoreboards and convergence barriers.
///
/// # Errors
/// Everything that is wrong with the listing, in the order of its lines.
pub fn assemble_to_run(source: &str, file: &str, thorough: bool) -> std::result::Result<Assembled, Vec<Diagnostic>> {
    let mut assembler = Assembler::new(source);
    assembler.read();
    let (bytes, cubin) = assembler.finish();
    let text = SourceText::new(file, source);
    let mut warnings = Vec::new();
    if let (true, Some(isa)) = (assembler.faults.is_empty(), assembler.isa()) {
        let found = machine::check(&cubin, isa, &assembler.instructions, thorough);
        assembler.faults = found.errors;
        let found = found.warnings.into_iter();
        warnings.extend(found.map(|fault| Diagnostic::warning(fault.message).at(&text, fault.bytes)));
    }
    match assembler.faults.is_empty() {
        true => Ok(Assembled { cubin: bytes, warnings }),
        false => Err(diagnostics(&text, assembler.faults)),
    }
}

/// Faults in the order of their lines.
fn diagnostics(text: &SourceText, mut faults: Vec<Fault>) -> Vec<Diagnostic> {
    faults.sort_by_key(|fault| fault.bytes.start);
    faults.into_iter().map(|fault| diagnostic(text, fault)).collect()
}

/// A fault with its place and the line's directive.
fn diagnostic(text: &SourceText, fault: Fault) -> Diagnostic {
    let line = text.line_range(text.line_column(fault.bytes.start).line);
    let construct = construct(&mut Lexer::new(text.text(), line));
    let diagnostic = Diagnostic::error(fault.message).at(text, fault.bytes);
    match construct {
        Some(construct) => diagnostic.about(construct),
        None => diagnostic,
    }
}

/// What a line is: its directive, a label, an instruction.
fn construct<'a>(line: &mut Lexer<'a>) -> Option<&'a str> {
    if line.is_done() {
        return None;
    }
    let start = line.clone();
    match line.optional_name() {
        Ok(Some(_)) if line.peek() == Some(b':') => Some("label"),
        Ok(_) | Err(_) => {
            let word = start.clone().word();
            Some(if word.starts_with('.') { word } else { "instruction" })
        }
    }
}

/// What has been read.
struct Assembler<'a> {
    source: &'a str,
    faults: Vec<Fault>,
    /// The line `.target`; the target is `None` for `unknown`.
    target: Option<Option<Sm>>,
    /// Whether that line names no target: instructions cannot be judged.
    is_target_refused: bool,
    file_type: FileType,
    header: file::HeaderFields,
    segments: Option<Vec<file::SegmentDraft>>,
    section_table: Placement,
    segment_table: Placement,
    trailing: Vec<u8>,
    sections: Vec<section::Draft>,
    /// Whether the line of the section in hand was refused: what stands in it cannot be judged.
    is_refused: bool,
    labels: Labels<'a>,
    symbols: Vec<symbols::SymbolDraft>,
    relocations: Vec<symbols::RelocationDraft>,
    fixups: Vec<data::Fixup>,
    branches: Vec<code::InstructionText>,
    /// The lines that are instructions.
    instructions: Vec<machine::Place>,
    /// How many zeros `.zero` and placements have asked for.
    zeros: u64,
    has_ended: bool,
}

impl<'a> Assembler<'a> {
    fn new(source: &'a str) -> Assembler<'a> {
        Assembler {
            source,
            faults: Vec::new(),
            target: None,
            is_target_refused: false,
            file_type: FileType::Executable,
            header: file::HeaderFields::default(),
            segments: None,
            section_table: Placement::Policy,
            segment_table: Placement::Policy,
            trailing: Vec::new(),
            sections: Vec::new(),
            is_refused: false,
            labels: Labels::new(),
            symbols: Vec::new(),
            relocations: Vec::new(),
            fixups: Vec::new(),
            branches: Vec::new(),
            instructions: Vec::new(),
            zeros: 0,
            has_ended: false,
        }
    }

    /// The generation of the code; `None` where the target is unknown.
    fn isa(&self) -> Option<Isa> {
        self.target.flatten().map(|sm| sm.isa())
    }

    fn lexer(&self, bytes: Range<usize>) -> Lexer<'a> {
        Lexer::new(self.source, bytes)
    }

    fn read(&mut self) {
        let mut start = 0;
        for line in self.source.split_inclusive('\n') {
            let end = start + line.trim_end_matches(['\n', '\r']).len();
            if let Err(fault) = self.line(&mut self.lexer(start..end))
                && !self.is_refused
            {
                self.faults.push(fault);
            }
            start += line.len();
        }
        if !self.has_ended {
            let end = self.source.len();
            self.faults.push(Fault::new(
                end..end,
                "the listing ends without `.end`: a part of it is missing",
            ));
        }
    }

    fn line(&mut self, line: &mut Lexer<'a>) -> Result<()> {
        while !line.is_done() {
            if self.has_ended {
                let start = line.position();
                return Err(Fault::new(
                    start..start + line.rest().len(),
                    "nothing stands after `.end`",
                ));
            }
            if !self.label(line)? {
                self.statement(line)?;
                return line.finish();
            }
        }
        Ok(())
    }

    /// Reads a label, if there is one.
    fn label(&mut self, line: &mut Lexer<'a>) -> Result<bool> {
        if !matches!(line.peek(), Some(byte) if super::names::is_name_byte(byte) || byte == b'"') {
            return Ok(false);
        }
        let mut ahead = line.clone();
        let start = ahead.position();
        let Some(name) = ahead.optional_name()? else {
            return Ok(false);
        };
        let bytes = start..ahead.position();
        if !ahead.take(':') {
            return Ok(false);
        }
        *line = ahead;
        let Some(offset) = self.sections.last().and_then(section::Draft::offset) else {
            return Err(Fault::new(bytes, "a label stands in a section of code or data"));
        };
        let place = (self.sections.len() as u32 - 1, offset);
        match self.labels.entry(name) {
            std::collections::hash_map::Entry::Occupied(first) => {
                Err(Fault::new(bytes, format!("there is a label `{}` already", first.key())))
            }
            std::collections::hash_map::Entry::Vacant(free) => {
                free.insert(place);
                Ok(true)
            }
        }
    }

    fn statement(&mut self, line: &mut Lexer<'a>) -> Result<()> {
        if line.peek() != Some(b'.') {
            return self.instruction(line);
        }
        let start = line.position();
        let directive = line.word();
        let bytes = start..line.position();
        line.skip_blanks();
        match directive {
            ".target" => self.read_target(line),
            ".type" => self.read_type(line),
            ".header" => self.read_header(line),
            ".segments" | ".segment" => self.read_segment(directive, line),
            ".section_table" => line_placement(line).map(|placement| self.section_table = placement),
            ".segment_table" => line_placement(line).map(|placement| self.segment_table = placement),
            ".trailing" => line.bytes().map(|trailing| self.trailing = trailing),
            ".section" => self.read_section(bytes, line),
            ".end" => {
                self.has_ended = true;
                Ok(())
            }
            _ => self.content(directive, bytes, line),
        }
    }

    /// A line that stands in a section.
    fn content(&mut self, directive: &str, bytes: Range<usize>, line: &mut Lexer<'a>) -> Result<()> {
        match directive {
            ".null" | ".nobits" => self.read_size(directive, bytes, line),
            ".strings" => self.read_strings(bytes, line),
            ".symbol" | ".no_null_symbol" => self.read_symbol(directive, bytes, line),
            ".rel" | ".rela" => self.read_relocation(directive == ".rela", bytes, line),
            ".entry" => self.read_entry(bytes, line),
            ".pair" => self.read_pair(bytes, line),
            ".byte" => self.read_values(1, bytes, line),
            ".short" => self.read_values(2, bytes, line),
            ".word" => self.read_values(4, bytes, line),
            ".quad" => self.read_values(8, bytes, line),
            ".word128" | ".bytes" | ".zero" | ".ascii" | ".asciz" => self.read_plain(directive, bytes, line),
            _ => match directive
                .strip_prefix(".info")
                .or_else(|| directive.strip_prefix(".compat"))
            {
                Some(format) => self.read_record(directive.starts_with(".info"), format, bytes, line),
                None => Err(Fault::new(bytes, "there is no such directive")),
            },
        }
    }
}

/// A placement as the only thing on the rest of the line.
fn line_placement(line: &mut Lexer<'_>) -> Result<Placement> {
    let start = line.position();
    let key = line.word();
    if !line.take('=') {
        return Err(Fault::new(
            start..line.position(),
            "a placement is gap=N, after=x\"…\" or at=N",
        ));
    }
    section::placement(key, start, line)
}
