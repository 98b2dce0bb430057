//! Code sections.

use std::fmt::Write;

use warpsmith_cubin::SymbolType;
use warpsmith_sass::Instruction;

use super::Listing;
use super::directive::{Columns, write_symbol};
use crate::code::{Operands, push_address};
use crate::error::ListingError;
use crate::labels::INSTRUCTION;
use crate::lines::Row;
use crate::options::LineInfo;
use crate::view::{Fixup, take_fixups};

/// Columns from an address to the text, in which guards stand.
pub(crate) const GUARD: usize = 19;

/// Column of the text after an address of four digits.
pub(crate) const TEXT: usize = 16 + GUARD;

/// The symbols of a section by address.
type Starts = std::iter::Peekable<std::vec::IntoIter<(u64, u32)>>;

/// An instruction as text.
#[derive(Default)]
struct Line {
    word: u128,
    text: String,
    annotation: String,
}

impl Listing<'_> {
    /// Finds the columns that depend on the longest instruction, where there are such columns.
    pub(super) fn measure(&mut self) -> Result<(), ListingError> {
        let annotated = self.options.dataflow && !(self.branch_targets.is_empty() && self.spills.is_empty());
        let marked = |section: u32| self.view.fixups(section).iter().any(|fixup| is_marker(fixup.kind));
        let sections = 0..self.view.cubin.sections.len() as u32;
        let covered: Vec<u32> = sections.filter(|&section| self.code_labels.covers(section)).collect();
        if !annotated && !self.options.encodings && !covered.iter().any(|&section| marked(section)) {
            return Ok(());
        }
        let mut line = Line::default();
        let mut longest_annotation = 0;
        let mut widest = 0;
        for &section in &covered {
            self.each_instruction(section, &mut line, |address, line| {
                let long_address = if address < 1 << 16 {
                    0
                } else {
                    address.ilog2() as usize / 4 - 3
                };
                widest = widest.max(line.text.len() + long_address);
                longest_annotation = longest_annotation.max(line.annotation.len());
            })?;
        }
        self.widest = widest;
        self.encoding_column = widest + 4;
        if longest_annotation != 0 {
            self.encoding_column = self.encoding_column.max(widest + 2 + longest_annotation + 2);
        }
        Ok(())
    }

    /// Runs over the instructions of a section with their text.
    fn each_instruction(
        &self,
        section: u32,
        line: &mut Line,
        mut action: impl FnMut(u64, &Line),
    ) -> Result<(), ListingError> {
        let mut fixups = self.view.fixups(section);
        for (position, word) in self.bytes(section).chunks_exact(INSTRUCTION as usize).enumerate() {
            let address = position as u64 * INSTRUCTION;
            let here = take_fixups(&mut fixups, address + INSTRUCTION);
            line.word = u128::from_le_bytes(word.try_into().expect("chunks of 16 bytes"));
            self.read_instruction(section, address, here, line)?;
            action(address, line);
        }
        Ok(())
    }

    pub(super) fn write_code(&mut self, index: u32) -> Result<(), ListingError> {
        let mut starts = self.starts(index).into_iter().peekable();
        let mut out = std::mem::take(&mut self.out);
        let mut line = Line::default();
        let mut places = self.lines.places(index);
        let mut shown = String::new();
        self.each_instruction(index, &mut line, |address, line| {
            self.write_names(index, address, &mut starts, &mut out);
            let passed = places.iter().take_while(|place| place.0 <= address).count();
            if passed > 0 {
                self.write_source(places[passed - 1].1, &mut shown, &mut out);
                places = &places[passed..];
            }
            self.write_line(address, line, &mut out);
        })?;
        let end = self.bytes(index).len() as u64 / INSTRUCTION * INSTRUCTION;
        self.write_names(index, end, &mut starts, &mut out);
        self.out = out;
        Ok(())
    }

    /// The symbols of a code section by address; those at one address in reverse table order.
    fn starts(&self, index: u32) -> Vec<(u64, u32)> {
        let symbols = self.view.symbols_of(index).iter().rev();
        let mut starts: Vec<(u64, u32)> = symbols
            .map(|&symbol| (self.view.symbols[symbol as usize].value, symbol))
            .collect();
        starts.sort_by_key(|&(address, _)| address);
        starts
    }

    /// Symbols and label at an address.
    fn write_names(&self, index: u32, address: u64, starts: &mut Starts, out: &mut String) {
        while let Some((_, symbol)) = starts.next_if(|(start, _)| *start <= address) {
            let entry = &self.view.symbols[symbol as usize];
            if self.options.separate_functions && entry.symbol_type == SymbolType::FUNC {
                out.push_str("\n\n\n\n");
            }
            if entry.symbol_type != SymbolType::SECTION {
                let end = entry.value.saturating_add(entry.size);
                let mut name = String::new();
                if let Some(place) = self.code_labels.place(&self.view, index, end) {
                    place.name.write(&self.view, &mut name);
                }
                write_symbol(&self.view, symbol, Columns::Code, Some(&name), out);
            }
            let _ = writeln!(out, "{}:", self.view.symbol_name(symbol));
        }
        if let Some(label) = self.code_labels.at(index, address) {
            let _ = writeln!(out, ".L_x_{label}:");
        }
    }

    /// The source line of a row, unless the same was shown last.
    fn write_source(&self, row: u32, shown: &mut String, out: &mut String) {
        let mut row = self.lines.rows[row as usize];
        let start = out.len();
        let name = |row: Row| &self.lines.files[row.file as usize];
        loop {
            let _ = write!(out, "\t//## File \"{}\", line {}", name(row), row.line);
            let Some(call) = row.call.filter(|_| self.options.line_info == LineInfo::Inlined) else {
                break;
            };
            row = self.lines.rows[call as usize];
            let _ = writeln!(out, " inlined at \"{}\", line {}", name(row), row.line);
        }
        out.push('\n');
        if out[start..] == **shown {
            out.truncate(start);
        } else {
            shown.clear();
            shown.push_str(&out[start..]);
        }
    }

    /// The text of an instruction, with its guard, and its annotation.
    fn read_instruction(
        &self,
        index: u32,
        address: u64,
        fixups: &[Fixup],
        line: &mut Line,
    ) -> Result<(), ListingError> {
        line.text.clear();
        line.annotation.clear();
        let instruction = Instruction::decode(self.isa, line.word)
            .map_err(|error| ListingError::at(&self.section(index).name, address, error.to_string()))?;
        let mut operands = Operands::new(&self.view, &self.code_labels, index, address, fixups);
        operands.table_branch = self.is_table_branch(index, address);
        operands.write(&instruction, &mut line.text);
        self.annotate(index, address, fixups, &mut line.annotation);
        Ok(())
    }

    /// The targets of an indirect branch; relocations that change no operand.
    fn annotate(&self, index: u32, address: u64, fixups: &[Fixup], out: &mut String) {
        // Of two markers, the one that only clears bits is not shown.
        let markers = || fixups.iter().filter(|fixup| is_marker(fixup.kind));
        if let Some(fixup) = markers().find(|fixup| fixup.kind != 69).or_else(|| markers().next()) {
            let name = self.view.symbol_name(fixup.symbol);
            let _ = match fixup.kind {
                68 => write!(out, "(*\"RELOCATOR OPCODE,YIELD,{}\"*)", fixup.addend),
                69 => write!(out, "(*\"\"*)"),
                _ => write!(out, "(*\"RELOCATOR MAIN,{name}\"*)"),
            };
        }
        if self.options.dataflow && !self.spills.is_empty() && self.spills.contains(&(index, address)) {
            out.push_str("(*\"SpillRefill\"*)");
        }
        if self.branch_targets.is_empty() || !self.options.dataflow {
            return;
        }
        let Some(targets) = self.branch_targets.get(&(index, address)) else {
            return;
        };
        out.push_str("(*\"BRANCH_TARGETS ");
        for (position, &target) in targets.iter().enumerate() {
            if position != 0 {
                out.push(',');
            }
            if let Some(place) = self.code_labels.place(&self.view, index, target) {
                place.name.write(&self.view, out);
            }
        }
        out.push_str("\"*)");
    }

    /// The line of an instruction: address, guard in its column, text, annotation, word.
    fn write_line(&self, address: u64, line: &Line, out: &mut String) {
        let start = out.len();
        out.push_str("        /*");
        push_address(address, out);
        out.push_str("*/");
        let text = out.len() - start + GUARD;
        if self.options.raw {
            pad(out, start + text);
        } else {
            pad(out, start + text - guard_width(&line.text));
        }
        out.push_str(&line.text);
        if !line.annotation.is_empty() {
            let column = if self.options.raw {
                out.len() + 10
            } else {
                start + TEXT + self.widest + 2
            };
            pad(out, column);
            out.push_str(&line.annotation);
        } else if !is_unscheduled(line.word) {
            out.push(' ');
        }
        out.push(';');
        if self.options.encodings {
            let column = TEXT + self.encoding_column;
            pad(out, start + column);
            let _ = writeln!(out, "/* {:#018x} */", line.word as u64);
            let start = out.len();
            pad(out, start + column);
            let _ = write!(out, "/* {:#018x} */", (line.word >> 64) as u64);
        }
        out.push('\n');
    }
}

/// Width of the guard that stands left of the text's column: `@P0 `. Uniform guards stand in the text.
pub(crate) fn guard_width(text: &str) -> usize {
    if text.starts_with("@P") || text.starts_with("@!P") {
        text.find(' ').map_or(0, |at| at + 1)
    } else {
        0
    }
}

/// Fills with blanks up to a length.
pub(crate) fn pad(out: &mut String, length: usize) {
    const BLANKS: &str = "                                                                ";
    while out.len() < length {
        out.push_str(&BLANKS[..(length - out.len()).min(BLANKS.len())]);
    }
}

/// Whether a relocation changes no operand and shows as an annotation.
fn is_marker(kind: u32) -> bool {
    matches!(kind, 53 | 67..=69)
}

/// Whether the control bits say nothing: no stall, no wait. nvdisasm then leaves out the blank before
/// the semicolon (observed: 13.5).
pub(crate) fn is_unscheduled(word: u128) -> bool {
    (word >> 105) & 0x1f == 0 && (word >> 116) & 0x3f == 0
}
