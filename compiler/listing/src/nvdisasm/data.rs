//! Data sections: bytes, relocated values, symbols; `.nv.info` records; call graphs and prototypes.

use std::fmt::Write;

use warpsmith_cubin::{Content, Section, SymbolType};

use super::Listing;
use super::directive::{Columns, is_reserved, write_symbol};
use super::info::{Heading, Item, Value};
use super::jump::ENTRY;
use crate::code::push_address;
use crate::error::ListingError;
use crate::labels::write_address;
use crate::relocation::Field;
use crate::view::Fixup;

/// Section type `SHT_CUDA_CALLGRAPH`.
const CALL_GRAPH: u32 = 0x7000_0001;
/// Section type `SHT_CUDA_PROTOTYPE`.
const PROTOTYPE: u32 = 0x7000_0002;
/// Bytes per row.
const ROW: usize = 16;

/// What stands at a place in a data section, besides bytes.
struct Mark {
    offset: u64,
    kind: MarkKind,
}

enum MarkKind {
    /// The end of a symbol.
    Label(u32),
    /// A symbol.
    Symbol(u32),
    /// A relocated value of so many bytes.
    Value(Fixup, Field, u64),
    /// An entry of a jump table for this code section.
    Entry(u32),
}

impl MarkKind {
    /// Whether bytes of the section show as this.
    fn is_value(&self) -> bool {
        matches!(self, MarkKind::Value(..) | MarkKind::Entry(_))
    }
}

impl Listing<'_> {
    /// Rows of bytes that start at an offset; `.zero` where all are 0.
    pub(super) fn write_bytes(&mut self, bytes: &[u8], offset: u64) {
        if bytes.is_empty() {
            return;
        }
        if bytes.iter().all(|&byte| byte == 0) {
            self.write_zero(bytes.len() as u64);
            return;
        }
        for (row, bytes) in bytes.chunks(ROW).enumerate() {
            self.write_offset(offset + (row * ROW) as u64);
            self.out.push_str(".byte\t");
            for (position, byte) in bytes.iter().enumerate() {
                const DIGITS: &[u8; 16] = b"0123456789abcdef";
                self.out.push_str(if position == 0 { "0x" } else { ", 0x" });
                self.out.push(char::from(DIGITS[usize::from(byte >> 4)]));
                self.out.push(char::from(DIGITS[usize::from(byte & 15)]));
            }
            self.out.push('\n');
        }
    }

    fn write_zero(&mut self, count: u64) {
        let _ = writeln!(self.out, "\t.zero\t\t{count}");
    }

    fn write_offset(&mut self, offset: u64) {
        self.out.push_str("        /*");
        push_address(offset, &mut self.out);
        self.out.push_str("*/ \t");
    }

    fn write_align(&mut self, alignment: u64) {
        let _ = writeln!(self.out, "\t.align\t\t{alignment}");
    }

    /// A section of bytes, relocated values and symbols.
    pub(super) fn write_data(&mut self, index: u32) -> Result<(), ListingError> {
        let section = self.section(index);
        match section.section_type.0 {
            CALL_GRAPH => return self.write_index_pairs(index, true),
            PROTOTYPE => return self.write_index_pairs(index, false),
            _ => {}
        }
        let size = self.size_without_reserved(index);
        let bytes = self.bytes(index);
        let marks = self.marks(index);
        let mut rest = marks.as_slice();
        let mut at = 0;
        loop {
            let (here, later) = rest.split_at(rest.iter().take_while(|mark| mark.offset <= at).count());
            rest = later;
            self.write_marks(index, at, here);
            match here.iter().map(|mark| &mark.kind).find(|kind| kind.is_value()) {
                Some(MarkKind::Value(fixup, field, size)) => {
                    self.write_value(at, *fixup, *field, *size);
                    at += size;
                }
                Some(MarkKind::Entry(code)) => {
                    self.write_entry(*code, bytes, at);
                    at += ENTRY;
                }
                _ if at >= size => return Ok(()),
                _ => {
                    let end = rest.first().map_or(size, |mark| mark.offset.min(size));
                    if has_no_bits(section) {
                        self.write_zero(end - at);
                    } else {
                        self.write_bytes(bytes.get(at as usize..end as usize).unwrap_or(&[]), at);
                    }
                    at = end;
                }
            }
        }
    }

    /// What stands above the bytes at an offset: alignment of a relocated value, then names.
    fn write_marks(&mut self, index: u32, at: u64, marks: &[Mark]) {
        let section = self.section(index);
        for mark in marks {
            if let MarkKind::Value(_, _, size) = mark.kind
                && at.is_multiple_of(size)
                && section.alignment >= size
                && size > 1
            {
                self.write_align(size);
            }
        }
        if at == 0 {
            self.write_reserved(marks, index);
            if self.shows_own_name(index) {
                let _ = writeln!(self.out, "{}:", section.name);
            }
        }
        for mark in marks {
            match mark.kind {
                MarkKind::Label(label) => {
                    let _ = writeln!(self.out, ".L_{label}:");
                }
                MarkKind::Symbol(symbol) if is_reserved(&self.view.symbols[symbol as usize]) => {}
                MarkKind::Symbol(symbol) => self.write_data_symbol(symbol, index),
                MarkKind::Value(..) | MarkKind::Entry(_) => {}
            }
        }
    }

    /// Size of a section without the symbols that the linker or the driver places.
    fn size_without_reserved(&self, index: u32) -> u64 {
        let symbols = self
            .view
            .symbols_of(index)
            .iter()
            .map(|&symbol| &self.view.symbols[symbol as usize]);
        let reserved: u64 = symbols
            .filter(|symbol| is_reserved(symbol))
            .map(|symbol| symbol.size)
            .sum();
        self.section(index).size().saturating_sub(reserved)
    }

    /// What stands in a data section, by offset.
    fn marks(&self, index: u32) -> Vec<Mark> {
        let mut marks = Vec::new();
        let mut symbol_places = Vec::new();
        // Symbols at one place stand in reverse table order.
        for &symbol in self.view.symbols_of(index).iter().rev() {
            let entry = &self.view.symbols[symbol as usize];
            if entry.symbol_type != SymbolType::SECTION {
                symbol_places.push(entry.value);
                let offset = if is_reserved(entry) { 0 } else { entry.value };
                marks.push(Mark {
                    offset,
                    kind: MarkKind::Symbol(symbol),
                });
            }
        }
        for &symbol in self.view.symbols_of(index) {
            let entry = &self.view.symbols[symbol as usize];
            let end = entry.value.saturating_add(entry.size);
            if entry.size != 0
                && !symbol_places.contains(&end)
                && let Some(&label) = self.data_labels.get(&(index, end))
                && !marks
                    .iter()
                    .any(|mark| matches!(mark.kind, MarkKind::Label(other) if other == label))
            {
                marks.push(Mark {
                    offset: end,
                    kind: MarkKind::Label(label),
                });
            }
        }
        for &fixup in self.view.fixups(index) {
            if let Some(field) = Field::of(fixup.kind)
                && let Some(size) = field.data_size()
            {
                marks.push(Mark {
                    offset: fixup.offset,
                    kind: MarkKind::Value(fixup, field, size),
                });
            }
        }
        let entries = self.table_entries(index).into_iter();
        marks.extend(entries.map(|(offset, code)| Mark {
            offset,
            kind: MarkKind::Entry(code),
        }));
        marks.sort_by_key(|mark| mark.offset);
        marks
    }

    /// Whether the section's own name is printed as a label: it has a symbol, and holds what programs see.
    fn shows_own_name(&self, index: u32) -> bool {
        let kind = self.section(index).section_type.0;
        let visible = matches!(
            kind,
            1 | 7 | 8 | 0x7000_0006..=0x7000_000a | 0x7000_000e | 0x7000_0012 | 0x7000_0015 | 0x7000_0064..=0x7000_007e
        );
        visible && self.view.has_section_symbol(index)
    }

    fn write_data_symbol(&mut self, symbol: u32, section: u32) {
        let entry = &self.view.symbols[symbol as usize];
        let end = entry.value.saturating_add(entry.size);
        let name = match self.view.symbol_at(section, end) {
            Some(next) => self.view.symbol_name(next).to_owned(),
            None => self
                .data_labels
                .get(&(section, end))
                .map_or_else(String::new, |label| format!(".L_{label}")),
        };
        write_symbol(&self.view, symbol, Columns::Data, Some(&name), &mut self.out);
        let _ = writeln!(self.out, "{}:", self.view.symbol_name(symbol));
    }

    /// Symbols in shared memory that the driver reserves: before all else, with room of their own.
    fn write_reserved(&mut self, marks: &[Mark], section: u32) {
        for mark in marks {
            if let MarkKind::Symbol(symbol) = mark.kind
                && is_reserved(&self.view.symbols[symbol as usize])
            {
                self.write_data_symbol(symbol, section);
                self.write_zero(self.view.symbols[symbol as usize].size);
            }
        }
    }

    /// A relocated value.
    fn write_value(&mut self, offset: u64, fixup: Fixup, field: Field, size: u64) {
        self.write_offset(offset);
        self.out.push_str(match size {
            1 => ".byte\t",
            2 => ".short\t",
            4 => ".word\t",
            _ => ".dword\t",
        });
        let mut address = String::new();
        write_address(&self.view, &self.code_labels, fixup.symbol, fixup.addend, &mut address);
        field.write_expression(&address, &mut self.out);
        self.out.push('\n');
    }

    /// An entry of a jump table.
    fn write_entry(&mut self, code: u32, bytes: &[u8], offset: u64) {
        let entry = bytes.get(offset as usize..).and_then(|tail| tail.first_chunk::<4>());
        let value = entry.map_or(0, |entry| u32::from_le_bytes(*entry));
        self.write_offset(offset);
        let mut name = String::new();
        match self.code_labels.place(&self.view, code, u64::from(value)) {
            Some(place) if place.rest == 0 => place.name.write(&self.view, &mut name),
            _ => {
                let _ = writeln!(self.out, ".word\t{value:#010x}");
                return;
            }
        }
        let _ = writeln!(self.out, ".word\t({name} - {})", self.section(code).name);
    }

    /// `.nv.callgraph` and `.nv.prototype`: pairs of symbol indices and string offsets.
    fn write_index_pairs(&mut self, index: u32, call_graph: bool) -> Result<(), ListingError> {
        let bytes = self.bytes(index);
        let mut mode = 0xffff_ffff_u32;
        for (pair, entry) in bytes.chunks_exact(8).enumerate() {
            let first = u32::from_le_bytes([entry[0], entry[1], entry[2], entry[3]]);
            let second = u32::from_le_bytes([entry[4], entry[5], entry[6], entry[7]]);
            let marker = call_graph && first == 0 && second >= 0xffff_fff0;
            if marker {
                mode = second;
            }
            let named = !call_graph || matches!(mode, 0xffff_fffe | 0xffff_fffd);
            let offset = pair as u64 * 8;
            self.write_index(offset, first);
            if marker {
                self.write_align(4);
                self.write_offset(offset + 4);
                let _ = writeln!(self.out, ".word\t{second:#010x}");
            } else if named {
                let string = self.symbol_string(index, second)?.to_owned();
                self.write_align(4);
                self.write_offset(offset + 4);
                let _ = writeln!(self.out, ".word\tstr_index@(\"{string}\")");
            } else {
                self.write_index(offset + 4, second);
            }
        }
        let rest = bytes.len() / 8 * 8;
        self.write_bytes(&bytes[rest..], rest as u64);
        Ok(())
    }

    fn write_index(&mut self, offset: u64, symbol: u32) {
        self.write_align(4);
        self.write_offset(offset);
        let _ = match symbol {
            0 => writeln!(self.out, ".word\t{symbol:#010x}"),
            _ => writeln!(self.out, ".word\tindex@({})", self.view.symbol_name(symbol)),
        };
    }

    /// A string of the symbols' string table.
    fn symbol_string(&self, section: u32, offset: u32) -> Result<&str, ListingError> {
        let cubin = self.view.cubin;
        let table = cubin
            .symbol_table()
            .and_then(|table| cubin.section(cubin.sections[table as usize].link));
        match table.map(|table| &table.content) {
            Some(Content::Strings(strings)) => strings.get(offset),
            _ => None,
        }
        .ok_or_else(|| {
            ListingError::at(
                &self.section(section).name,
                0,
                format!("no string at {offset:#x} of the symbols' string table"),
            )
        })
    }

    /// A `.nv.info` section.
    pub(super) fn write_info(&mut self, index: u32) {
        let items = self.infos.remove(&index).unwrap_or_default();
        let bytes = self.bytes(index);
        let code = self.info_target(self.section(index));
        for item in &items {
            self.write_item(index, code, bytes, item);
        }
        if let Some(label) = self.data_labels.get(&(index, bytes.len() as u64)) {
            let _ = writeln!(self.out, ".L_{label}:");
        }
    }

    fn write_item(&mut self, index: u32, code: Option<u32>, bytes: &[u8], item: &Item) {
        match item.heading {
            Some(Heading::Record(name)) => {
                let _ = write!(self.out, "\n\n\t//----- nvinfo : {name}\n");
                self.write_align(4);
            }
            Some(Heading::Entry(number)) => {
                let _ = write!(self.out, "\n\n\t//   ....[{number}]....\n");
            }
            None => {}
        }
        let offset = item.offset as u64;
        if matches!(item.value, Value::Index(symbol) if symbol != 0) {
            self.write_align(4);
        }
        if let Some(label) = self.data_labels.get(&(index, offset)) {
            let _ = writeln!(self.out, ".L_{label}:");
        }
        self.write_item_value(index, code, bytes, item, offset);
    }

    fn write_item_value(&mut self, index: u32, code: Option<u32>, bytes: &[u8], item: &Item, offset: u64) {
        if let Value::BytesTo(end) = item.value {
            self.write_bytes(&bytes[item.offset..end], offset);
            return;
        }
        if let Value::Byte(value) = item.value {
            self.write_bytes(&[value], offset);
            return;
        }
        self.write_offset(offset);
        let _ = match item.value {
            Value::Header(format, attribute) => {
                writeln!(self.out, ".byte\t{format:#04x}, {attribute:#04x}")
            }
            Value::Size(size) => {
                let start = offset + 2;
                let label = |at: u64| self.data_labels.get(&(index, at)).copied().unwrap_or(0);
                let (start, end) = (label(start), label(start + u64::from(size)));
                writeln!(self.out, ".short\t(.L_{end} - .L_{start})")
            }
            Value::Index(0) => writeln!(self.out, ".word\t0x00000000"),
            Value::Index(symbol) => {
                writeln!(self.out, ".word\tindex@({})", self.view.symbol_name(symbol))
            }
            Value::Word(value) => writeln!(self.out, ".word\t{value:#010x}"),
            Value::ShortestWord(value) => writeln!(self.out, ".word\t{value:#x}"),
            Value::Short(value) => writeln!(self.out, ".short\t{value:#06x}"),
            Value::ShortestShort(value) => writeln!(self.out, ".short\t{value:#x}"),
            Value::Code(address) => {
                self.write_code_offset(code, address);
                Ok(())
            }
            Value::Byte(_) | Value::BytesTo(_) => Ok(()),
        };
    }

    fn write_code_offset(&mut self, code: Option<u32>, address: u32) {
        if address == 0
            && let Some(code) = code
            && self.view.has_section_symbol(code)
        {
            let _ = writeln!(self.out, ".word\t{}@srel", self.section(code).name);
            return;
        }
        let place = code.and_then(|code| self.code_labels.place(&self.view, code, u64::from(address)));
        match place {
            Some(place) => {
                self.out.push_str(".word\t");
                place.name.write(&self.view, &mut self.out);
                self.out.push_str("@srel\n");
            }
            None => {
                let _ = writeln!(self.out, ".word\t{address:#010x}");
            }
        }
    }
}

/// Whether the section has no bytes in the file: `SHT_NOBITS` and CUDA's own types of that kind.
fn has_no_bits(section: &Section) -> bool {
    matches!(section.content, Content::NoBits(_))
        || matches!(
            section.section_type.0,
            0x7000_0007 | 0x7000_0009 | 0x7000_000a | 0x7000_0015
        )
}
