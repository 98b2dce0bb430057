//! Warpsmith's own listing: every fact of the file, in a form that [`assemble`](crate::assemble) reads.
//!
//! The grammar is in the crate's documentation. Comments (`//`) carry what follows from other facts.

mod code;
mod data;
mod summary;

use std::collections::HashMap;
use std::fmt::Write as _;
use std::io::Write;

use warpsmith_cubin::{
    Content, Cubin, Placement, Section, SectionType, StringTable, Symbol, SymbolSection, model::Extent,
};
use warpsmith_target::Isa;

use crate::code::isa_of;
use crate::error::ListingError;
use crate::labels::{CodeLabels, INSTRUCTION, code_reference};
use crate::lines::Lines;
use crate::nvdisasm::info;
use crate::options::{LineInfo, ListingOptions};
use crate::view::{View, is_code};

/// A listing in the making.
struct Native<'a> {
    view: View<'a>,
    options: &'a ListingOptions,
    isa: Option<Isa>,
    labels: CodeLabels,
    infos: HashMap<u32, Vec<info::Item>>,
    lines: Lines,
    out: String,
}

/// Writes the listing of a file.
pub(crate) fn disassemble(cubin: &Cubin, options: &ListingOptions, out: &mut dyn Write) -> Result<(), ListingError> {
    let view = View::new(cubin);
    let labels = CodeLabels::new(&view, |_| true);
    let lines = match options.line_info {
        LineInfo::None => Lines::default(),
        LineInfo::Lines | LineInfo::Inlined => Lines::read(&view, ".debug_line")?,
        LineInfo::Ptx => Lines::read(&view, ".nv_debug_line_sass")?,
    };
    let isa = isa_of(cubin).ok();
    let mut native = Native { view, options, isa, labels, infos: HashMap::new(), lines, out: String::new() };
    native.number_labels();
    if !options.code_only {
        native.write_file();
    }
    for index in 0..cubin.sections.len() as u32 {
        if options.code_only && !is_code(&cubin.sections[index as usize]) {
            continue;
        }
        native.write_section(index);
        out.write_all(native.out.as_bytes())?;
        native.out.clear();
    }
    Ok(())
}

impl<'a> Native<'a> {
    fn section(&self, index: u32) -> &'a Section {
        let cubin = self.view.cubin;
        &cubin.sections[index as usize]
    }

    /// Gives a label to every place in code that another part of the file names.
    fn number_labels(&mut self) {
        for index in 0..self.view.cubin.sections.len() as u32 {
            let section = self.section(index);
            if is_code(section) {
                self.number_code(index);
            }
            if section.section_type == SectionType::CUDA_INFO {
                self.number_info(index);
            }
            for fixup in self.view.fixups(index) {
                self.labels.need(&self.view, index, fixup.offset);
                if let Some(code) = code_reference(&self.view, fixup.symbol) {
                    self.labels.need(&self.view, code, fixup.addend as u64);
                }
            }
        }
        for symbol in self.view.symbols {
            if let SymbolSection::Section(section) = symbol.section {
                self.labels.need(&self.view, section, symbol.value.saturating_add(symbol.size));
            }
        }
    }

    fn number_code(&mut self, index: u32) {
        let Some(isa) = self.isa else { return };
        let bytes = self.view.cubin.section_bytes(index).unwrap_or(&[]);
        for (position, word) in bytes.chunks_exact(INSTRUCTION as usize).enumerate() {
            let word = u128::from_le_bytes(word.try_into().expect("chunks of 16 bytes"));
            let Ok(instruction) = warpsmith_sass::Instruction::decode(isa, word) else { continue };
            if let Some(target) = instruction.branch_target(position as u64 * INSTRUCTION)
                && target <= bytes.len() as u64
                && target % INSTRUCTION == 0
            {
                self.labels.need(&self.view, index, target);
            }
        }
    }

    fn number_info(&mut self, index: u32) {
        let section = self.section(index);
        let bytes = self.view.cubin.section_bytes(index).unwrap_or(&[]);
        let Ok(items) = info::items(bytes) else { return };
        for item in &items {
            if let info::Value::Code(address) = item.value {
                self.labels.need(&self.view, section.info, u64::from(address));
            }
        }
        self.infos.insert(index, items);
    }

    /// The directives about the file as a whole.
    fn write_file(&mut self) {
        let cubin = self.view.cubin;
        let header = &cubin.header;
        let _ = writeln!(self.out, "// sm_{}", header.flags.sm_number(header.abi_version));
        let _ = write!(
            self.out,
            ".elf os_abi={:#x} abi_version={} type={} version={} entry={:#x} flags={:#x} section_names={} segment_header_size={}",
            header.os_abi,
            header.abi_version,
            header.file_type.number(),
            header.version,
            header.entry,
            header.flags.0,
            header.section_names,
            header.segment_header_size,
        );
        write_placement("section_table_", &cubin.section_table_placement, &mut self.out);
        write_placement("segment_table_", &cubin.segment_table_placement, &mut self.out);
        if !cubin.trailing.is_empty() {
            let _ = write!(self.out, " trailing={}", hexadecimal(&cubin.trailing));
        }
        self.out.push('\n');
        for segment in &cubin.segments {
            let _ = write!(
                self.out,
                ".segment type={:#x} flags={:#x} virtual={:#x} physical={:#x} align={:#x}",
                segment.segment_type, segment.flags, segment.virtual_address, segment.physical_address, segment.alignment,
            );
            let _ = match segment.extent {
                Extent::SegmentTable => writeln!(self.out, " table"),
                Extent::Sections { first, last } => writeln!(self.out, " first={first} last={last}"),
                Extent::Raw { offset, file_size, memory_size } => {
                    writeln!(self.out, " offset={offset:#x} file_size={file_size:#x} memory_size={memory_size:#x}")
                }
            };
        }
    }

    fn write_section(&mut self, index: u32) {
        let section = self.section(index);
        let name = quoted(&section.name);
        let _ = write!(self.out, "\n.section {index} {name} type={:#x}", section.section_type.0);
        for (key, value) in [("flags", section.flags.0), ("address", section.address)] {
            if value != 0 {
                let _ = write!(self.out, " {key}={value:#x}");
            }
        }
        for (key, value) in [("link", u64::from(section.link)), ("align", section.alignment), ("entry_size", section.entry_size)] {
            if value != 0 {
                let _ = write!(self.out, " {key}={value}");
            }
        }
        if section.info != 0 {
            let _ = write!(self.out, " info={:#x}", section.info);
        }
        let names = self.view.cubin.section(self.view.cubin.header.section_names);
        self.write_name_offset(names, &section.name, section.name_offset);
        write_placement("", &section.placement, &mut self.out);
        if let Some(name) = section.section_type.name() {
            let _ = write!(self.out, " // {name}");
        }
        self.out.push('\n');
        self.write_content(index);
    }

    fn write_content(&mut self, index: u32) {
        let section = self.section(index);
        match &section.content {
            Content::Null(size) => {
                let _ = writeln!(self.out, "    .null {size}");
            }
            Content::NoBits(size) => {
                let _ = writeln!(self.out, "    .nobits {size}");
            }
            Content::SharedWith(other) => {
                let _ = writeln!(self.out, "    .shared_with {other}");
            }
            Content::Strings(strings) => self.write_strings(strings.bytes()),
            Content::Symbols(symbols) => self.write_symbols(index, symbols),
            Content::Relocations { entries, with_addend } => {
                if entries.is_empty() {
                    self.out.push_str(if *with_addend { "    .rela\n" } else { "    .rel\n" });
                }
                for entry in entries {
                    self.write_relocation(section.info, entry, *with_addend);
                }
            }
            Content::Bytes(bytes) if is_code(section) => self.write_code(index, bytes),
            Content::Bytes(bytes) if self.infos.contains_key(&index) => self.write_info(index, bytes),
            Content::Bytes(bytes) => self.write_bytes(bytes),
        }
    }

    fn write_symbols(&mut self, index: u32, symbols: &[Symbol]) {
        let table = self.view.cubin.section(self.section(index).link);
        let main = self.view.cubin.symbol_table() == Some(index);
        for (number, symbol) in symbols.iter().enumerate() {
            let _ = write!(self.out, "    .symbol {number} {}", quoted(&symbol.name));
            if symbol.symbol_type.0 != 0 {
                let _ = write!(self.out, " type={}", symbol.symbol_type.0);
            }
            if symbol.binding.0 != 0 {
                let _ = write!(self.out, " bind={}", symbol.binding.0);
            }
            if symbol.other.0 != 0 {
                let _ = write!(self.out, " other={:#x}", symbol.other.0);
            }
            match symbol.section {
                SymbolSection::Undefined => {}
                SymbolSection::Section(section) => {
                    let _ = write!(self.out, " section={section}");
                }
                SymbolSection::Reserved(reserved) => {
                    let _ = write!(self.out, " reserved={reserved:#x}");
                }
            }
            self.write_symbol_extent(symbol, main);
            self.write_name_offset(table, &symbol.name, symbol.name_offset);
            self.out.push('\n');
        }
    }

    /// Value and size: in code, as places, so that they follow an edit.
    fn write_symbol_extent(&mut self, symbol: &Symbol, main: bool) {
        let start = self.place_text(symbol, symbol.value).filter(|_| main);
        let end = self.place_text(symbol, symbol.value.saturating_add(symbol.size)).filter(|_| main);
        match start {
            Some(start) if symbol.value != 0 || symbol.size != 0 => {
                let _ = write!(self.out, " value={start}");
                if symbol.size != 0 {
                    let _ = match end {
                        Some(end) => write!(self.out, " size={end}-{start}"),
                        None => write!(self.out, " size={:#x}", symbol.size),
                    };
                }
            }
            _ => {
                if symbol.value != 0 {
                    let _ = write!(self.out, " value={:#x}", symbol.value);
                }
                if symbol.size != 0 {
                    let _ = write!(self.out, " size={:#x}", symbol.size);
                }
            }
        }
    }

    fn place_text(&self, symbol: &Symbol, address: u64) -> Option<String> {
        let SymbolSection::Section(section) = symbol.section else { return None };
        self.code_place(section, address)
    }

    /// The expression for a place in code; `None` where the section is no code.
    fn code_place(&self, section: u32, address: u64) -> Option<String> {
        let place = self.labels.place(&self.view, section, address)?;
        let mut text = String::new();
        place.name.write(&self.view, &mut text);
        let mut text = name_text(&text);
        if place.rest != 0 {
            let _ = write!(text, "{:+}", place.rest);
        }
        Some(text)
    }

    fn write_relocation(&mut self, target: u32, entry: &warpsmith_cubin::Relocation, with_addend: bool) {
        let offset = self.code_place(target, entry.offset).unwrap_or_else(|| format!("{:#x}", entry.offset));
        let directive = if with_addend { ".rela" } else { ".rel" };
        let kind = match entry.relocation_type.name() {
            Some(name) => name.to_owned(),
            None => format!("{:#x}", entry.relocation_type.0),
        };
        let _ = write!(self.out, "    {directive} {offset} {kind} {}", self.symbol_reference(entry.symbol));
        if with_addend && entry.addend != 0 {
            let place = code_reference(&self.view, entry.symbol).and_then(|code| {
                let symbol = &self.view.symbols[entry.symbol as usize];
                let to = self.code_place(code, symbol.value.wrapping_add(entry.addend as u64))?;
                Some(format!("{to}-{}", self.code_place(code, symbol.value)?))
            });
            let _ = match place {
                Some(place) => write!(self.out, " {place}"),
                None => write!(self.out, " {:#x}", entry.addend),
            };
        }
        self.out.push('\n');
    }

    /// A symbol by name, or by number where the name is no unique one.
    fn symbol_reference(&self, index: u32) -> String {
        let plain = self.view.symbols.get(index as usize).is_some_and(|symbol| {
            !symbol.name.is_empty()
                && !self.view.is_renamed(index)
                && self.view.first_of_name(&symbol.name) == Some(index)
        });
        if plain { name_text(self.view.symbol_name(index)) } else { format!("#{index}") }
    }

    fn write_name_offset(&mut self, table: Option<&Section>, name: &str, offset: Option<u32>) {
        let Some(offset) = offset else { return };
        let found = match table.map(|table| &table.content) {
            Some(Content::Strings(strings)) => self.view.string_offset(strings, name),
            _ => None,
        };
        if found != Some(offset) {
            let _ = write!(self.out, " name_at={offset:#x}");
        }
    }

    fn write_strings(&mut self, bytes: &[u8]) {
        let mut rest = bytes;
        while let Some(end) = rest.iter().position(|&byte| byte == 0) {
            let _ = writeln!(self.out, "    .asciz {}", quoted_bytes(&rest[..end]));
            rest = &rest[end + 1..];
        }
        if !rest.is_empty() {
            let _ = writeln!(self.out, "    .ascii {}", quoted_bytes(rest));
        }
    }
}

/// Offset of the first whole string of a table that equals `name`.
pub(crate) fn first_string(strings: &StringTable) -> HashMap<Vec<u8>, u32> {
    let mut first = HashMap::new();
    for (offset, string) in strings.iter() {
        first.entry(string.to_vec()).or_insert(offset);
    }
    first
}

fn write_placement(prefix: &str, placement: &Placement, out: &mut String) {
    let _ = match placement {
        Placement::Policy => Ok(()),
        Placement::After(bytes) => write!(out, " {prefix}after={}", hexadecimal(bytes)),
        Placement::At(offset) => write!(out, " {prefix}at={offset:#x}"),
    };
}

fn hexadecimal(bytes: &[u8]) -> String {
    let mut text = String::from("x");
    for byte in bytes {
        let _ = write!(text, "{byte:02x}");
    }
    text
}

/// A name as it stands in expressions: quoted where it has other characters than names usually have.
pub(crate) fn name_text(name: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '$' | '%');
    let first = name.chars().next();
    if first.is_some_and(|c| plain(c) && !c.is_ascii_digit()) && name.chars().all(plain) {
        name.to_owned()
    } else {
        quoted(name)
    }
}

fn quoted(text: &str) -> String {
    quoted_bytes(text.as_bytes())
}

fn quoted_bytes(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() + 2);
    text.push('"');
    for &byte in bytes {
        match byte {
            b'"' => text.push_str("\\\""),
            b'\\' => text.push_str("\\\\"),
            b'\n' => text.push_str("\\n"),
            b'\t' => text.push_str("\\t"),
            b' '..=b'~' => text.push(char::from(byte)),
            _ => {
                let _ = write!(text, "\\x{byte:02x}");
            }
        }
    }
    text.push('"');
    text
}
