//! From the text of a listing back to a cubin.
//!
//! Two passes: the first reads every line into sections of items and gives each label its offset; the
//! second turns items into bytes, with all names known. Errors are gathered, so that one run shows them all.

mod cursor;
mod expression;
mod statement;

use std::collections::HashMap;

use warpsmith_base::Diagnostic;
use warpsmith_cubin::{
    Content, Cubin, FileType, Flags, Header, Placement, Relocation, RelocationType, Section, SectionFlags, SectionType,
    Segment, StringTable, Symbol, SymbolBinding, SymbolOther, SymbolSection, SymbolType, model::Extent,
};
use warpsmith_sass::{FieldName, ParseContext};
use warpsmith_target::Isa;

use crate::code::isa_of;
use cursor::{Cursor, Fault};
use expression::Names;
use statement::{Attributes, InstructionText, Item, SymbolText};

/// Makes a cubin from a listing in Warpsmith's style. `file` is the name for messages.
///
/// # Errors
/// All that is wrong with the text, in the order of its lines.
pub fn assemble(source: &str, file: &str) -> Result<Vec<u8>, Vec<Diagnostic>> {
    let mut assembler = Assembler { file, ..Assembler::default() };
    for (number, line) in source.lines().enumerate() {
        assembler.line = number + 1;
        if let Err(fault) = assembler.read_line(line) {
            assembler.report(number + 1, line, fault);
        }
    }
    assembler.finish(source)
}

/// The source as read so far.
#[derive(Default)]
struct Assembler<'a> {
    file: &'a str,
    line: usize,
    header: Option<Header>,
    section_table_placement: Placement,
    segment_table_placement: Placement,
    trailing: Vec<u8>,
    segments: Vec<Segment>,
    sections: Vec<Draft>,
    names: Names,
    diagnostics: Vec<Diagnostic>,
}

/// A section before its content is made.
struct Draft {
    section: Section,
    /// Line, offset in the section, and item.
    items: Vec<(usize, u64, Item)>,
    size: u64,
}

impl Assembler<'_> {
    fn report(&mut self, number: usize, line: &str, fault: Fault) {
        let construct = Cursor::new(line).rest().trim().chars().take(60).collect::<String>();
        let column = line.get(..fault.at).map_or(fault.at, |before| before.chars().count()) + 1;
        let diagnostic = Diagnostic::error(fault.message).in_file(self.file).at_line(number, column);
        self.diagnostics.push(diagnostic.about(format!("`{construct}`")));
    }

    fn read_line(&mut self, line: &str) -> Result<(), Fault> {
        let mut cursor = Cursor::new(line);
        while !cursor.is_done() {
            if self.read_label(&mut cursor)? {
                continue;
            }
            self.read_statement(&mut cursor)?;
            if !cursor.is_done() {
                return Err(Fault::new(cursor.at, format!("`{}` is too much here", cursor.rest().trim_end())));
            }
        }
        Ok(())
    }

    /// Reads a label, if there is one.
    fn read_label(&mut self, cursor: &mut Cursor<'_>) -> Result<bool, Fault> {
        let mut ahead = *cursor;
        let Some(name) = ahead.name()? else { return Ok(false) };
        if !ahead.take(':') {
            return Ok(false);
        }
        let Some(draft) = self.sections.last() else {
            return Err(Fault::new(cursor.at, "a label stands in a section"));
        };
        let place = (self.sections.len() as u32 - 1, draft.size);
        if self.names.labels.insert(name.clone(), place).is_some() {
            return Err(Fault::new(cursor.at, format!("there are two labels `{name}`")));
        }
        *cursor = ahead;
        Ok(true)
    }

    fn read_statement(&mut self, cursor: &mut Cursor<'_>) -> Result<(), Fault> {
        let at = cursor.at;
        if !cursor.rest().starts_with('.') {
            let item = statement::instruction(cursor)?;
            return self.add(at, vec![item]);
        }
        let name = cursor.word();
        cursor.skip_blanks();
        match name {
            ".elf" => self.read_elf(cursor),
            ".segment" => self.read_segment(cursor),
            ".section" => self.read_section(cursor),
            _ => match statement::read_items(name, cursor)? {
                Some(items) => self.add(at, items),
                None => Err(Fault::new(at, format!("there is no directive `{name}`"))),
            },
        }
    }

    fn add(&mut self, at: usize, items: Vec<Item>) -> Result<(), Fault> {
        let line = self.line;
        let Some(draft) = self.sections.last_mut() else {
            return Err(Fault::new(at, "this stands in a section; none has begun"));
        };
        for item in items {
            let size = item.size();
            draft.items.push((line, draft.size, item));
            draft.size += size;
        }
        Ok(())
    }

    fn read_elf(&mut self, cursor: &mut Cursor<'_>) -> Result<(), Fault> {
        let at = cursor.at;
        let mut attributes = Attributes::read(cursor)?;
        let header = Header {
            os_abi: attributes.number("os_abi", 8)? as u8,
            abi_version: attributes.number("abi_version", 8)? as u8,
            file_type: FileType::from_number(attributes.number("type", 16)? as u16),
            version: attributes.number("version", 32)? as u32,
            entry: attributes.number("entry", 64)?,
            flags: Flags(attributes.number("flags", 32)? as u32),
            segment_header_size: attributes.number("segment_header_size", 16)? as u16,
            section_names: attributes.number("section_names", 32)? as u32,
        };
        self.section_table_placement = placement("section_table_", &mut attributes)?;
        self.segment_table_placement = placement("segment_table_", &mut attributes)?;
        self.trailing = attributes.bytes("trailing")?.unwrap_or_default();
        attributes.finish()?;
        if self.header.replace(header).is_some() {
            return Err(Fault::new(at, "there is one .elf in a file"));
        }
        Ok(())
    }

    fn read_segment(&mut self, cursor: &mut Cursor<'_>) -> Result<(), Fault> {
        let mut attributes = Attributes::read(cursor)?;
        let extent = if attributes.flag("table") {
            Extent::SegmentTable
        } else if let Some(first) = attributes.optional_number("first", 32)? {
            Extent::Sections { first: first as u32, last: attributes.number("last", 32)? as u32 }
        } else {
            Extent::Raw {
                offset: attributes.number("offset", 64)?,
                file_size: attributes.number("file_size", 64)?,
                memory_size: attributes.number("memory_size", 64)?,
            }
        };
        self.segments.push(Segment {
            segment_type: attributes.number("type", 32)? as u32,
            flags: attributes.number("flags", 32)? as u32,
            virtual_address: attributes.number("virtual", 64)?,
            physical_address: attributes.number("physical", 64)?,
            alignment: attributes.number("align", 64)?,
            extent,
        });
        attributes.finish()
    }

    fn read_section(&mut self, cursor: &mut Cursor<'_>) -> Result<(), Fault> {
        let at = cursor.at;
        let number = cursor.number()?;
        if number != self.sections.len() as u128 {
            return Err(Fault::new(at, format!("section {} comes next", self.sections.len())));
        }
        cursor.skip_blanks();
        let at = cursor.at;
        let name = String::from_utf8(cursor.string()?).map_err(|_| Fault::new(at, "this name is no UTF-8"))?;
        let mut attributes = Attributes::read(cursor)?;
        let section = Section {
            name,
            name_offset: attributes.optional_number("name_at", 32)?.map(|offset| offset as u32),
            section_type: SectionType(attributes.number("type", 32)? as u32),
            flags: SectionFlags(attributes.number("flags", 64)?),
            address: attributes.number("address", 64)?,
            link: attributes.number("link", 32)? as u32,
            info: attributes.number("info", 32)? as u32,
            alignment: attributes.number("align", 64)?,
            entry_size: attributes.number("entry_size", 64)?,
            content: Content::Bytes(Vec::new()),
            placement: placement("", &mut attributes)?,
        };
        self.sections.push(Draft { section, items: Vec::new(), size: 0 });
        attributes.finish()
    }

    /// The second pass.
    fn finish(mut self, source: &str) -> Result<Vec<u8>, Vec<Diagnostic>> {
        let lines: Vec<&str> = source.lines().collect();
        let Some(header) = self.header.take() else {
            self.diagnostics.push(Diagnostic::error("the file has no .elf line").in_file(self.file).at_line(1, 1));
            return Err(self.diagnostics);
        };
        self.collect_symbols();
        let mut drafts = std::mem::take(&mut self.sections);
        let mut cubin = Cubin {
            header,
            sections: Vec::new(),
            segments: std::mem::take(&mut self.segments),
            section_table_placement: std::mem::take(&mut self.section_table_placement),
            segment_table_placement: std::mem::take(&mut self.segment_table_placement),
            trailing: std::mem::take(&mut self.trailing),
        };
        let isa = isa_of(&cubin).ok();
        for (index, draft) in drafts.iter_mut().enumerate() {
            let mut builder = Builder { names: &self.names, isa, section: index as u32, target: draft.section.info, faults: Vec::new() };
            let content = builder.content(draft.section.section_type, std::mem::take(&mut draft.items));
            let faults = builder.faults;
            draft.section.content = content;
            for (line, fault) in faults {
                self.report(line, lines[line - 1], fault);
            }
        }
        if !self.diagnostics.is_empty() {
            return Err(self.diagnostics);
        }
        cubin.sections = drafts.into_iter().map(|draft| draft.section).collect();
        Ok(cubin.write())
    }

    /// The symbols of the main symbol table, which relocations and `index()` name.
    fn collect_symbols(&mut self) {
        let table = self.sections.iter().find(|draft| draft.section.section_type == SectionType::SYMTAB);
        let mut symbols = HashMap::new();
        let mut count = 0;
        for (_, _, item) in table.map_or(&[][..], |draft| &draft.items) {
            if let Item::Symbol(symbol) = item {
                symbols.entry(symbol.name.clone()).or_insert(count);
                count += 1;
            }
        }
        self.names.symbols = symbols;
        self.names.symbol_count = count;
    }
}

fn placement(prefix: &str, attributes: &mut Attributes) -> Result<Placement, Fault> {
    if let Some(bytes) = attributes.bytes(&format!("{prefix}after"))? {
        return Ok(Placement::After(bytes));
    }
    let offset = attributes.optional_number(&format!("{prefix}at"), 64)?;
    Ok(offset.map_or(Placement::Policy, Placement::At))
}

/// Makes the content of one section.
struct Builder<'a> {
    names: &'a Names,
    isa: Option<Isa>,
    section: u32,
    /// The section that relocations apply to.
    target: u32,
    faults: Vec<(usize, Fault)>,
}

impl Builder<'_> {
    fn content(&mut self, kind: SectionType, items: Vec<(usize, u64, Item)>) -> Content {
        let mut bytes = Vec::new();
        let mut symbols = Vec::new();
        let mut entries = Vec::new();
        let mut addends = None;
        let mut whole = None;
        for (line, offset, item) in items {
            let made = match item {
                Item::Bytes(more) => {
                    bytes.extend_from_slice(&more);
                    Ok(())
                }
                Item::Value(size, value) => value.value_in(self.names, None, size * 8).map(|value| {
                    bytes.extend_from_slice(&value.to_le_bytes()[..size as usize]);
                }),
                Item::Instruction(text) => self.instruction(&text, offset).map(|word| {
                    bytes.extend_from_slice(&word.to_le_bytes());
                }),
                Item::Null(size) => Ok(whole = Some(Content::Null(size))),
                Item::NoBits(size) => Ok(whole = Some(Content::NoBits(size))),
                Item::SharedWith(other) => Ok(whole = Some(Content::SharedWith(other))),
                Item::Symbol(symbol) => self.symbol(symbol, symbols.len() as u32).map(|symbol| symbols.push(symbol)),
                Item::NoRelocations(with_addend) => Ok(addends = Some(with_addend)),
                Item::Relocation(relocation) => {
                    addends = Some(relocation.with_addend);
                    self.relocation(&relocation).map(|entry| entries.push(entry))
                }
            };
            if let Err(fault) = made {
                self.faults.push((line, fault));
            }
        }
        match (whole, addends) {
            (Some(content), _) => content,
            (None, Some(with_addend)) => Content::Relocations { entries, with_addend },
            (None, None) if kind == SectionType::SYMTAB || !symbols.is_empty() => Content::Symbols(symbols),
            (None, None) if kind == SectionType::STRTAB => Content::Strings(StringTable::from_bytes(bytes)),
            (None, None) => Content::Bytes(bytes),
        }
    }

    fn symbol(&self, text: SymbolText, position: u32) -> Result<Symbol, Fault> {
        if text.number != position {
            return Err(Fault::new(0, format!("symbol {position} comes next")));
        }
        let value = |expression: Option<expression::Expression>| match expression {
            Some(expression) => expression.value_in(self.names, None, 64),
            None => Ok(0),
        };
        Ok(Symbol {
            name: text.name,
            name_offset: text.name_offset,
            binding: SymbolBinding(text.binding),
            symbol_type: SymbolType(text.kind),
            other: SymbolOther(text.other),
            section: match (text.section, text.reserved) {
                (Some(section), _) => SymbolSection::Section(section),
                (None, Some(reserved)) => SymbolSection::Reserved(reserved),
                (None, None) => SymbolSection::Undefined,
            },
            value: value(text.value)?,
            size: value(text.size)?,
        })
    }

    fn relocation(&self, text: &statement::RelocationText) -> Result<Relocation, Fault> {
        let addend = match &text.addend {
            Some(addend) => addend.value_in(self.names, None, 64)? as i64,
            None => 0,
        };
        Ok(Relocation {
            offset: text.offset.value_in(self.names, Some(self.target), 64)?,
            symbol: self.names.symbol(&text.symbol, text.symbol_at)?,
            relocation_type: RelocationType(text.kind),
            addend,
        })
    }

    fn instruction(&self, text: &InstructionText, address: u64) -> Result<u128, Fault> {
        let Some(isa) = self.isa else {
            return Err(Fault::new(text.at, "the flags in .elf name no SM that this assembler knows"));
        };
        let context = Places { names: self.names, section: self.section, address };
        let parsed = warpsmith_sass::parse(isa, &text.text, &context)
            .map_err(|error| Fault::new(text.at + error.offset, error.message))?;
        let mut control = parsed.control();
        if let Some(given) = &text.control {
            let reuse = given.reuse.unwrap_or(control.reuse);
            control = given.control;
            control.reuse = reuse;
        }
        if !control.stall_is_legal() {
            return Err(Fault::new(text.at, "keeping on issuing (k) goes with a stall of 1 to 11 cycles"));
        }
        Ok(parsed.with_control(control).word() ^ text.difference)
    }
}

/// Labels as operands.
struct Places<'a> {
    names: &'a Names,
    section: u32,
    address: u64,
}

impl ParseContext for Places<'_> {
    fn address(&self) -> u64 {
        self.address
    }

    fn resolve(&self, expression: &str, _: FieldName) -> Option<i64> {
        let mut cursor = Cursor { text: expression, at: 0 };
        let value = cursor.expression().ok()?.value(self.names, Some(self.section)).ok()?;
        if cursor.is_done() { i64::try_from(value).ok() } else { None }
    }
}
