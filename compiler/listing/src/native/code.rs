//! Code: one line per instruction, with its address, its control information and its text.

use std::fmt::Write as _;

use warpsmith_sass::{Instruction, OperandText, PlainText, parse};

use super::control::write_control;
use super::labels::{INSTRUCTION, Places};
use super::listing::Listing;
use super::names::push_name;
use crate::error::ListingError;

/// Columns for a guard and its blank: `@!UP0 `.
const GUARD: usize = 6;

impl Listing<'_> {
    pub(super) fn write_code(&mut self, index: u32, bytes: &[u8]) -> Result<(), ListingError> {
        self.write_summary(index);
        let mut place = Place::start(index);
        let mut text = String::new();
        let mut words = bytes.chunks_exact(INSTRUCTION as usize);
        for word in &mut words {
            self.write_place(&mut place, INSTRUCTION);
            let word = u128::from_le_bytes(word.try_into().expect("chunks of 16 bytes"));
            let _ = write!(self.out, "    /*{:04x}*/ ", place.offset);
            match self.places.instructions(index)[(place.offset / INSTRUCTION) as usize] {
                Some(instruction) => self.push_instruction(&place, &instruction, &mut text),
                None => {
                    let _ = write!(self.out, ".word128 {word:#034x}");
                }
            }
            if self.options.encodings {
                let _ = write!(self.out, "  // {word:032x}");
            }
            self.out.push('\n');
            place.offset += INSTRUCTION;
            self.flush_if_full()?;
        }
        self.write_place(&mut place, u64::MAX);
        self.write_rows(words.remainder());
        Ok(())
    }

    fn write_summary(&mut self, index: u32) {
        if let Some(mut summary) = self.summaries.remove(&index) {
            let name = self.cubin.sections[index as usize].name.strip_prefix(".text.");
            let shared = name.and_then(|name| self.usual.section(&format!(".nv.shared.{name}")));
            let shared = shared.and_then(|section| self.cubin.section(section));
            summary.write(shared.map(|section| section.size()), &mut self.out);
        }
    }

    /// What stands before a place: its labels, its source line, and the relocations of the next `length` bytes.
    pub(super) fn write_place(&mut self, place: &mut Place, length: u64) {
        while let Some(&(offset, symbol)) = self.places.symbols(place.section).get(place.symbols)
            && offset <= place.offset
        {
            place.symbols += 1;
            push_name(&mut self.out, &self.cubin.symbols()[symbol as usize].name);
            self.out.push_str(":\n");
        }
        if self.places.push_label(place.section, place.offset, &mut self.out) {
            self.out.push_str(":\n");
        }
        self.write_source_line(place);
        let Some(table) = self.cubin.symbol_table() else { return };
        let end = place.offset.saturating_add(length);
        while let Some(&(entry, with_addend)) = self.relocations[place.section as usize].get(place.relocations)
            && (entry.offset < end || length == u64::MAX)
        {
            place.relocations += 1;
            self.write_relocation(table, entry, with_addend, entry.offset - place.offset);
        }
    }

    fn write_source_line(&mut self, place: &mut Place) {
        let places = self.lines.places(place.section);
        let passed = places[place.lines..]
            .iter()
            .take_while(|line| line.0 <= place.offset)
            .count();
        if passed == 0 {
            return;
        }
        place.lines += passed;
        let row = self.lines.rows[places[place.lines - 1].1 as usize];
        if place.shown_line.replace((row.file, row.line)) != Some((row.file, row.line)) {
            let file = self.lines.files.get(row.file as usize).map_or("", String::as_str);
            self.out.push_str("    // ");
            self.out.extend(file.chars().filter(|c| !c.is_control()));
            let _ = writeln!(self.out, ":{}", row.line);
        }
    }

    /// Control information, text, and the bits that the text does not say.
    fn push_instruction(&mut self, place: &Place, instruction: &Instruction, text: &mut String) {
        let plain = PlainText { address: place.offset };
        text.clear();
        instruction.write_text(text, &plain);
        let said = parse(instruction.isa(), text, &plain);
        let Ok(said) = said else {
            let _ = write!(
                self.out,
                ".word128 {:#034x}  // {}",
                instruction.word(),
                text.trim_end()
            );
            return;
        };
        let control = instruction.control();
        write_control(&control, said.control().reuse, &mut self.out);
        self.out.push(' ');
        let start = self.out.len();
        instruction.write_guard(&mut self.out);
        for _ in self.out.len() - start..GUARD {
            self.out.push(' ');
        }
        let operands = Operands {
            places: &self.places,
            place,
        };
        instruction.write_body(&mut self.out, &operands);
        self.out.truncate(self.out.trim_end().len());
        let unsaid = said.with_control(control).word() ^ instruction.word();
        if unsaid != 0 {
            let _ = write!(self.out, " ^{unsaid:#x}");
        }
    }
}

/// How far the listing of a section has come.
#[derive(Default)]
pub(super) struct Place {
    /// The section.
    pub(super) section: u32,
    /// The offset in it.
    pub(super) offset: u64,
    /// How many of its labels that are symbols have been written.
    pub(super) symbols: usize,
    /// How many of its relocations have been written.
    pub(super) relocations: usize,
    /// How many of its rows of the line table have been passed.
    lines: usize,
    /// File and line that were shown last.
    shown_line: Option<(u32, u32)>,
}

impl Place {
    /// The start of a section.
    pub(super) fn start(section: u32) -> Place {
        Place {
            section,
            ..Place::default()
        }
    }
}

/// Branch targets by name.
struct Operands<'a> {
    places: &'a Places<'a>,
    place: &'a Place,
}

impl OperandText for Operands<'_> {
    fn address(&self) -> u64 {
        self.place.offset
    }

    fn replace(&self, field: &str, _: u32, value: i64) -> Option<String> {
        if field == "target" {
            self.places.operand(self.place.section, value as u64)
        } else {
            None
        }
    }
}
