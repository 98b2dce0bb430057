//! Symbols, and the relocations that refer to them.

use std::fmt::Write as _;

use warpsmith_cubin::{Relocation, Section, Symbol, SymbolBinding, SymbolSection};

use super::listing::Listing;
use super::names::{push_name, symbol_other_words, symbol_word};
use crate::error::ListingError;
use crate::view::is_code;

impl Listing<'_> {
    /// A symbol table; the null symbol is understood.
    pub(super) fn write_symbols(&mut self, index: u32, symbols: &[Symbol]) -> Result<(), ListingError> {
        let strings = self.cubin.sections[index as usize].link;
        let main = self.cubin.symbol_table() == Some(index);
        let null = Symbol::null();
        let rest = symbols.strip_prefix(std::slice::from_ref(&null));
        if rest.is_none() {
            self.out.push_str("    .no_null_symbol\n");
        }
        let skipped = symbols.len() - rest.unwrap_or(symbols).len();
        for (number, symbol) in symbols.iter().enumerate().skip(skipped) {
            self.out.push_str("    .symbol ");
            push_name(&mut self.out, &symbol.name);
            self.push_kind(symbol);
            match symbol.section {
                SymbolSection::Undefined => {}
                SymbolSection::Section(section) => {
                    self.out.push_str(", in=");
                    self.push_section(section);
                }
                SymbolSection::Reserved(reserved) => {
                    let _ = write!(self.out, ", reserved={reserved:#x}");
                }
            }
            self.push_extent(number as u32, symbol, main);
            self.push_name_offset(strings, &symbol.name, symbol.name_offset);
            self.out.push('\n');
            self.flush_if_full()?;
        }
        Ok(())
    }

    /// Type, binding and `st_other`.
    fn push_kind(&mut self, symbol: &Symbol) {
        match symbol.symbol_type.name() {
            Some(name) => {
                let _ = write!(self.out, ", {}", symbol_word(name));
            }
            None => {
                let _ = write!(self.out, ", type={}", symbol.symbol_type.0);
            }
        }
        match symbol.binding.name() {
            _ if symbol.binding == SymbolBinding::LOCAL => {}
            Some(name) => {
                let _ = write!(self.out, ", {}", symbol_word(name));
            }
            None => {
                let _ = write!(self.out, ", bind={}", symbol.binding.0);
            }
        }
        match symbol_other_words(symbol.other) {
            Some(words) => {
                for word in words {
                    let _ = write!(self.out, ", {word}");
                }
            }
            None => {
                let _ = write!(self.out, ", other={:#x}", symbol.other.0);
            }
        }
    }

    /// Value and size. A symbol that stands as a label has its value from there; in code, the size is a distance between
    /// labels, so that it follows an edit.
    fn push_extent(&mut self, number: u32, symbol: &Symbol, main: bool) {
        let section = match symbol.section {
            SymbolSection::Section(section) if main => section,
            SymbolSection::Section(_) | SymbolSection::Undefined | SymbolSection::Reserved(_) => u32::MAX,
        };
        let is_label = self.places.is_symbol_label(section, number);
        if !is_label && symbol.value != 0 {
            let _ = write!(self.out, ", value={:#x}", symbol.value);
        }
        if symbol.size == 0 {
            return;
        }
        self.out.push_str(", size=");
        let start = self.out.len();
        let in_code = self.cubin.section(section).is_some_and(is_code);
        let end = symbol.value.saturating_add(symbol.size);
        if is_label && in_code && self.places.push_place(section, end, &mut self.out) {
            self.out.push('-');
            push_name(&mut self.out, &symbol.name);
        } else {
            self.out.truncate(start);
            let _ = write!(self.out, "{:#x}", symbol.size);
        }
    }

    /// A line for the relocation of what follows.
    pub(super) fn write_relocation(&mut self, table: u32, entry: &Relocation, with_addend: bool, at: u64) {
        self.out.push_str(if with_addend { "    .rela " } else { "    .rel " });
        self.push_relocation(table, entry, with_addend);
        if at != 0 {
            let _ = write!(self.out, ", at={at}");
        }
        self.out.push('\n');
    }

    /// A line of a relocation section.
    pub(super) fn write_entry(&mut self, section: &Section, entry: &Relocation, with_addend: bool) {
        let _ = write!(self.out, "    .entry {:#x}, ", entry.offset);
        self.push_relocation(section.link, entry, with_addend);
        self.out.push('\n');
    }

    fn push_relocation(&mut self, table: u32, entry: &Relocation, with_addend: bool) {
        match entry.relocation_type.name() {
            Some(name) => self.out.push_str(name),
            None => {
                let _ = write!(self.out, "{:#x}", entry.relocation_type.0);
            }
        }
        self.out.push_str(", ");
        self.push_symbol(table, entry.symbol);
        if with_addend && entry.addend != 0 {
            self.out.push_str(", ");
            self.push_addend(table, entry);
        }
    }

    /// An addend; one that means a place in code as the distance from the symbol to it.
    fn push_addend(&mut self, table: u32, entry: &Relocation) {
        let start = self.out.len();
        if let Some((section, offset)) = self.places.addend_place(table, entry)
            && self.places.push_place(section, offset, &mut self.out)
        {
            self.out.push('-');
            self.push_symbol(table, entry.symbol);
            return;
        }
        self.out.truncate(start);
        let _ = match entry.addend {
            addend @ ..0 => write!(self.out, "-{:#x}", addend.unsigned_abs()),
            addend => write!(self.out, "{addend:#x}"),
        };
    }
}
