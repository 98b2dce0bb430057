//! Instructions.

use std::cell::RefCell;
use std::ops::Range;

use warpsmith_base::suggest::nearest;
use warpsmith_cubin::Content;
use warpsmith_sass::{Control, FieldName, Instruction, Opcode, ParseContext, parse};
use warpsmith_target::Isa;

use super::Assembler;
use super::expression::{self, Labels, Value};
use super::lexer::{Fault, Lexer, Result};
use super::machine::Place;
use crate::native::control::read_control;
use crate::native::labels::INSTRUCTION;

/// The field that a branch target stands in.
const TARGET: &str = "target";

/// An instruction line.
#[derive(Clone)]
pub(super) struct InstructionText {
    section: u32,
    offset: u64,
    /// Guard, mnemonic and operands in the source.
    text: Range<usize>,
    control: Control,
    /// The reuse flags, where they are given apart from the text.
    reuse: Option<u8>,
    /// Bits to turn over in the word.
    unsaid: u128,
}

impl<'a> Assembler<'a> {
    pub(super) fn instruction(&mut self, line: &mut Lexer<'a>) -> Result<()> {
        let start = line.position();
        let read = self.instruction_line(line);
        let word = read.and_then(|instruction| self.encode(&instruction, false));
        if word.is_err() {
            line.take_while(|_| true);
        }
        // A refused instruction keeps its place, so that the labels after it are right.
        let place = self.bytes(start..start);
        match (word, place) {
            (Ok(word), Ok(bytes)) => bytes.extend_from_slice(&word.to_le_bytes()),
            (Err(fault), Ok(bytes)) => {
                bytes.extend_from_slice(&[0; INSTRUCTION as usize]);
                return Err(fault);
            }
            (Err(fault), Err(_)) | (Ok(_), Err(fault)) => return Err(fault),
        }
        Ok(())
    }

    fn instruction_line(&mut self, line: &mut Lexer<'a>) -> Result<InstructionText> {
        let has_control = line.peek() == Some(b'[');
        let (control, reuse) = if line.take('[') {
            read_control(line)?
        } else {
            (Control::NONE, None)
        };
        line.skip_blanks();
        let start = line.position();
        let rest = line.rest();
        let comment = rest.find("//").unwrap_or(rest.len());
        let length = rest[..comment].find([';', '^']).unwrap_or(comment);
        let length = rest[..length].trim_end().len();
        if length == 0
            || !self
                .sections
                .last()
                .is_some_and(|draft| crate::view::is_code(&draft.section))
        {
            let message = if length == 0 {
                "an instruction is expected"
            } else {
                "an instruction stands in a section of code"
            };
            return Err(Fault::new(start..start + length, message));
        }
        *line = self.lexer(start + length..start + rest.len());
        line.skip_blanks();
        line.take(';');
        line.skip_blanks();
        let unsaid = if line.take('^') { line.number(128)? } else { 0 };
        let section = self.sections.len() as u32 - 1;
        let offset = self
            .sections
            .last()
            .and_then(super::section::Draft::offset)
            .unwrap_or_default();
        let text = start..start + length;
        self.instructions.push(Place {
            section,
            offset,
            text: text.clone(),
            has_control,
        });
        Ok(InstructionText {
            section,
            offset,
            text,
            control,
            reuse,
            unsaid,
        })
    }

    /// The word of an instruction. Where a label is not there yet the instruction is kept for the end, and the word is 0.
    fn encode(&mut self, instruction: &InstructionText, is_last: bool) -> Result<u128> {
        let bytes = instruction.text.clone();
        if self.is_target_refused {
            return Ok(0);
        }
        let Some(isa) = self.isa() else {
            return Err(Fault::new(
                bytes,
                "the target is not known, so that code can only be `.word128`",
            ));
        };
        let labels = Targets {
            source: self.source,
            labels: &self.labels,
            section: instruction.section,
            address: instruction.offset,
            is_last,
            fault: RefCell::new(None),
        };
        let parsed = parse(isa, &self.source[bytes.clone()], &labels);
        let fault = labels.fault.into_inner();
        if fault.is_some() && !is_last {
            self.branches.push(instruction.clone());
            return Ok(0);
        }
        match (parsed, fault) {
            (Ok(parsed), _) => word(isa, instruction, &parsed),
            (Err(error), Some(fault)) if fault.bytes.end >= bytes.start + error.offset => Err(fault),
            (Err(error), _) => {
                let start = (bytes.start + error.offset).min(bytes.end);
                let before = self.source[bytes.start..start].trim();
                let is_mnemonic = before.is_empty() || before.starts_with('@') && !before.contains(char::is_whitespace);
                let hint = meant(&self.source[start..bytes.end]).filter(|_| is_mnemonic);
                let hint = hint.map_or(String::new(), |name| format!("; is {name} meant?"));
                Err(Fault::new(start..bytes.end, error.message + &hint))
            }
        }
    }

    /// Encodes the instructions whose labels were missing.
    pub(super) fn finish_branches(&mut self) {
        for instruction in std::mem::take(&mut self.branches) {
            match self.encode(&instruction, true) {
                Ok(word) => {
                    let start = instruction.offset as usize;
                    if let Content::Bytes(bytes) = &mut self.sections[instruction.section as usize].section.content
                        && let Some(place) = bytes.get_mut(start..start + INSTRUCTION as usize)
                    {
                        place.copy_from_slice(&word.to_le_bytes());
                    }
                }
                Err(fault) => self.faults.push(fault),
            }
        }
    }
}

/// The mnemonic nearest to the one that a text begins with, where that is none.
fn meant(text: &str) -> Option<&'static str> {
    let word = text.split(|c: char| !c.is_ascii_alphanumeric()).next()?;
    let is_none = !word.is_empty() && Opcode::from_mnemonic(word).is_none();
    let names = Opcode::all().map(|opcode| opcode.info().mnemonic);
    is_none.then(|| nearest(word, names)).flatten()
}

/// The word with its control information; it must be a legal one.
fn word(isa: Isa, instruction: &InstructionText, parsed: &Instruction) -> Result<u128> {
    let reuse = instruction.reuse.unwrap_or(parsed.control().reuse);
    let control = Control {
        reuse,
        ..instruction.control
    };
    let word = parsed.with_control(control).word() ^ instruction.unsaid;
    match Instruction::decode(isa, word) {
        Ok(_) => Ok(word),
        Err(error) => Err(Fault::new(instruction.text.clone(), error.to_string())),
    }
}

/// Labels as branch targets.
struct Targets<'a, 'l> {
    source: &'a str,
    labels: &'l Labels<'a>,
    section: u32,
    address: u64,
    /// Whether all labels are known.
    is_last: bool,
    /// A label that is missing or of no use.
    fault: RefCell<Option<Fault>>,
}

impl ParseContext for Targets<'_, '_> {
    fn address(&self) -> u64 {
        self.address
    }

    fn resolve(&self, text: &str, field: FieldName) -> Option<i64> {
        if field.as_str() != TARGET {
            return None;
        }
        // The text is a part of the source.
        let start = (text.as_ptr() as usize).wrapping_sub(self.source.as_ptr() as usize);
        let bytes = start..start.wrapping_add(text.len());
        self.source.get(bytes.clone())?;
        let mut line = Lexer::new(self.source, bytes);
        let value = expression::read(&mut line, self.labels, Some(self.section));
        let fault = match value {
            Ok(Value::Known(value)) if line.rest().is_empty() => return i64::try_from(value).ok(),
            Ok(Value::Known(_)) => return None,
            Ok(Value::Missing(bytes)) => {
                Fault::new(bytes.clone(), format!("there is no label `{}`", &self.source[bytes]))
            }
            Err(fault) => fault,
        };
        self.fault.replace(Some(fault));
        if self.is_last {
            None
        } else {
            i64::try_from(self.address + INSTRUCTION).ok()
        }
    }
}
