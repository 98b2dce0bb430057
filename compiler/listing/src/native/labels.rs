//! Names for places: the symbols that stand there, and numbered labels where something else in the file points to code.

use std::fmt::Write;

use warpsmith_cubin::{Content, Cubin, Relocation, SymbolSection, SymbolType};
use warpsmith_sass::Instruction;
use warpsmith_target::Isa;

use super::names::{is_plain, push_name};
use super::usual::{Usual, is_data};
use crate::view::is_code;

/// Bytes per instruction.
pub(super) const INSTRUCTION: u64 = 16;
/// No label here.
const NONE: u32 = u32::MAX;
/// A label is wanted here.
const WANTED: u32 = u32::MAX - 1;
/// Longer symbol names cannot be taken for a register when they stand as a branch target.
const LONGEST_REGISTER: usize = 5;

/// The named places of a file, and its decoded code.
pub(super) struct Places<'a> {
    cubin: &'a Cubin,
    /// For each section: offset and number of the symbols that are labels in it, by offset.
    symbols: Vec<Vec<(u64, u32)>>,
    /// For each code section: its instructions; `None` for an illegal word.
    code: Vec<Vec<Option<Instruction>>>,
    /// For each code section: the label of each instruction and of the end.
    labels: Vec<Vec<u32>>,
    /// What numbered labels begin with: no symbol begins with it.
    prefix: String,
}

impl<'a> Places<'a> {
    /// Decodes all code and finds the places that need a name.
    pub(super) fn new(cubin: &'a Cubin, usual: &Usual<'_>, isa: Option<Isa>) -> Places<'a> {
        let count = cubin.sections.len();
        let mut places = Places {
            cubin,
            symbols: vec![Vec::new(); count],
            code: vec![Vec::new(); count],
            labels: vec![Vec::new(); count],
            prefix: ".L".to_owned(),
        };
        places.place_symbols(usual);
        places.decode(isa);
        places.want_code_targets();
        places.want_symbol_ends();
        places.want_relocated();
        places
    }

    fn place_symbols(&mut self, usual: &Usual<'_>) {
        let Some(table) = self.cubin.symbol_table() else { return };
        for (number, symbol) in self.cubin.symbols().iter().enumerate() {
            while symbol.name.starts_with(&self.prefix) {
                self.prefix.push('_');
            }
            let SymbolSection::Section(section) = symbol.section else {
                continue;
            };
            let Some(home) = self.cubin.section(section) else {
                continue;
            };
            let code = is_code(home) && symbol.value % INSTRUCTION == 0;
            let listed = matches!(home.content, Content::Bytes(_)) && (code || is_data(home));
            let label = symbol.symbol_type != SymbolType::SECTION
                && usual.symbol(table, &symbol.name) == Some(number as u32)
                && !symbol.name.is_empty();
            if listed && label && symbol.value <= home.size() {
                self.symbols[section as usize].push((symbol.value, number as u32));
            }
        }
        for list in &mut self.symbols {
            list.sort_unstable();
        }
    }

    fn decode(&mut self, isa: Option<Isa>) {
        for (index, section) in self.cubin.sections.iter().enumerate() {
            let Content::Bytes(bytes) = &section.content else {
                continue;
            };
            if !is_code(section) {
                continue;
            }
            let words = bytes.chunks_exact(INSTRUCTION as usize).map(|word| {
                let word = u128::from_le_bytes(word.try_into().expect("chunks of 16 bytes"));
                Instruction::decode(isa?, word).ok()
            });
            self.code[index] = words.collect();
            self.labels[index] = vec![NONE; self.code[index].len() + 1];
        }
    }

    fn want_code_targets(&mut self) {
        for index in 0..self.code.len() {
            for number in 0..self.code[index].len() {
                let address = number as u64 * INSTRUCTION;
                let target = self.code[index][number].and_then(|instruction| instruction.branch_target(address));
                if let Some(target) = target
                    && self.operand_symbol(index as u32, target).is_none()
                {
                    self.want_label(index as u32, target);
                }
            }
        }
    }

    fn want_symbol_ends(&mut self) {
        for symbol in self.cubin.symbols() {
            if let SymbolSection::Section(section) = symbol.section
                && symbol.size > 0
            {
                self.want(section, symbol.value.saturating_add(symbol.size));
            }
        }
    }

    fn want_relocated(&mut self) {
        for section in &self.cubin.sections {
            let Content::Relocations { entries, .. } = &section.content else {
                continue;
            };
            for entry in entries {
                if let Some((target, offset)) = self.addend_place(section.link, entry) {
                    self.want(target, offset);
                }
            }
        }
    }

    /// The place in code that symbol and addend of a relocation mean, if the symbol is a function.
    pub(super) fn addend_place(&self, table: u32, entry: &Relocation) -> Option<(u32, u64)> {
        if self.cubin.symbol_table() != Some(table) || entry.addend == 0 {
            return None;
        }
        let symbol = self.cubin.symbol(entry.symbol)?;
        let SymbolSection::Section(section) = symbol.section else {
            return None;
        };
        let offset = symbol.value.checked_add_signed(entry.addend)?;
        (symbol.symbol_type == SymbolType::FUNC && self.is_symbol_label(section, entry.symbol))
            .then_some((section, offset))
    }

    /// Makes sure that a place in code has a name, if it is at an instruction or the end.
    pub(super) fn want(&mut self, section: u32, offset: u64) {
        if self.symbol_at(section, offset).is_none() {
            self.want_label(section, offset);
        }
    }

    fn want_label(&mut self, section: u32, offset: u64) {
        if offset.is_multiple_of(INSTRUCTION)
            && let Some(labels) = self.labels.get_mut(section as usize)
            && let Some(label) = labels.get_mut((offset / INSTRUCTION) as usize)
        {
            *label = WANTED;
        }
    }

    /// Numbers the wanted labels in file order.
    pub(super) fn number(&mut self) {
        let wanted = self.labels.iter_mut().flatten().filter(|label| **label == WANTED);
        for (number, label) in wanted.enumerate() {
            *label = number as u32;
        }
    }

    /// The instructions of a code section.
    pub(super) fn instructions(&self, section: u32) -> &[Option<Instruction>] {
        &self.code[section as usize]
    }

    /// The symbols that are labels in a section: offset and number, by offset.
    pub(super) fn symbols(&self, section: u32) -> &[(u64, u32)] {
        self.symbols.get(section as usize).map_or(&[], Vec::as_slice)
    }

    /// Whether a symbol stands as a label in its section.
    pub(super) fn is_symbol_label(&self, section: u32, symbol: u32) -> bool {
        let Some(value) = self.cubin.symbol(symbol).map(|symbol| symbol.value) else {
            return false;
        };
        self.symbols(section).binary_search(&(value, symbol)).is_ok()
    }

    fn symbol_at(&self, section: u32, offset: u64) -> Option<&'a str> {
        let symbols = self.symbols(section);
        let &(at, symbol) = symbols.get(symbols.partition_point(|place| place.0 < offset))?;
        (at == offset).then(|| self.cubin.symbols()[symbol as usize].name.as_str())
    }

    /// The symbol at a place, if its name is good for an operand.
    fn operand_symbol(&self, section: u32, offset: u64) -> Option<&'a str> {
        self.symbol_at(section, offset)
            .filter(|name| is_plain(name) && name.len() > LONGEST_REGISTER)
    }

    fn label_at(&self, section: u32, offset: u64) -> Option<u32> {
        let label = *self
            .labels
            .get(section as usize)?
            .get((offset / INSTRUCTION) as usize)?;
        (offset.is_multiple_of(INSTRUCTION) && label < WANTED).then_some(label)
    }

    /// Appends the numbered label of a place; whether there is one.
    pub(super) fn push_label(&self, section: u32, offset: u64, out: &mut String) -> bool {
        let label = self.label_at(section, offset);
        if let Some(label) = label {
            let _ = write!(out, "{}{label}", self.prefix);
        }
        label.is_some()
    }

    /// Appends the name of a place; whether it has one.
    pub(super) fn push_place(&self, section: u32, offset: u64, out: &mut String) -> bool {
        match self.symbol_at(section, offset) {
            Some(name) => push_name(out, name),
            None => return self.push_label(section, offset, out),
        }
        true
    }

    /// The name of a branch target.
    pub(super) fn operand(&self, section: u32, target: u64) -> Option<String> {
        if let Some(name) = self.operand_symbol(section, target) {
            return Some(name.to_owned());
        }
        let mut name = String::new();
        self.push_label(section, target, &mut name).then_some(name)
    }
}
