//! The listing as a whole: the file's directives, then its sections.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::io::Write;

use warpsmith_cubin::model::Extent;
use warpsmith_cubin::{
    Content, Cubin, Eiattr, FileType, Header, InfoRecord, Placement, Relocation, Section, SectionFlags, SectionType,
    Segment,
};

use super::info::Records;
use super::labels::Places;
use super::names::{FLAG_WORDS, push_hexadecimal, push_name, push_string, section_type_word};
use super::summary::{Summary, summaries};
use super::usual::{self, Gaps, Order, Usual, relocation_sections};
use crate::error::ListingError;
use crate::lines::Lines;
use crate::options::{LineInfo, ListingOptions};
use crate::view::{View, is_code};

/// Bytes of text that are gathered before they are written.
const BUFFER: usize = 1 << 16;
/// Strings per row of a string table.
const STRINGS_PER_ROW: usize = 4;

/// A listing in the making.
pub(super) struct Listing<'a> {
    pub(super) cubin: &'a Cubin,
    pub(super) options: &'a ListingOptions,
    pub(super) usual: Usual<'a>,
    gaps: Gaps,
    pub(super) places: Places<'a>,
    /// The records of the sections that are listed as such.
    pub(super) records: HashMap<u32, Vec<InfoRecord>>,
    pub(super) summaries: HashMap<u32, Summary>,
    pub(super) lines: Lines,
    /// For each section: the relocations that stand in it, by offset, and whether they have addends.
    pub(super) relocations: Vec<Vec<(&'a Relocation, bool)>>,
    /// The relocation sections whose entries stand in other sections, and their order.
    inlined: HashMap<u32, Order>,
    /// For each string table: the offset of each whole string.
    strings: HashMap<u32, HashMap<&'a [u8], u32>>,
    pub(super) out: String,
    sink: &'a mut dyn Write,
}

/// Writes the listing of a cubin in Warpsmith's style.
///
/// Source lines stand above the instructions as comments if `options` ask for them; with `code_only` the listing is
/// for reading and cannot be assembled.
///
/// # Errors
/// Line tables that are damaged, if source lines are asked for; the output cannot be written.
pub fn disassemble(cubin: &Cubin, options: &ListingOptions, out: &mut dyn Write) -> Result<(), ListingError> {
    let lines = match options.line_info {
        LineInfo::None => Lines::default(),
        LineInfo::Lines | LineInfo::Inlined => Lines::read(&View::new(cubin), ".debug_line")?,
        LineInfo::Ptx => Lines::read(&View::new(cubin), ".nv_debug_line_sass")?,
    };
    let usual = Usual::new(cubin);
    let places = Places::new(cubin, &usual, cubin.target().map(|sm| sm.isa()));
    let mut listing = Listing {
        cubin,
        options,
        usual,
        gaps: Gaps::new(cubin),
        places,
        records: HashMap::new(),
        summaries: summaries(cubin),
        lines,
        relocations: vec![Vec::new(); cubin.sections.len()],
        inlined: HashMap::new(),
        strings: HashMap::new(),
        out: String::with_capacity(2 * BUFFER),
        sink: out,
    };
    listing.gather();
    listing.write()
}

impl<'a> Listing<'a> {
    /// Reads what must be known before the first line is written.
    fn gather(&mut self) {
        for (index, section) in self.cubin.sections.iter().enumerate() {
            if let Content::Strings(table) = &section.content {
                let mut offsets = HashMap::new();
                for (offset, string) in table.iter() {
                    offsets.entry(string).or_insert(offset);
                }
                self.strings.insert(index as u32, offsets);
            }
            self.read_records(index as u32, section);
        }
        for ((target, with_addend), index) in relocation_sections(self.cubin) {
            let Content::Relocations { entries, .. } = &self.cubin.sections[index as usize].content else {
                continue;
            };
            let order = Order::of(entries);
            let lines = entries.iter().map(|entry| (entry, with_addend));
            match order {
                Order::Ascending => self.relocations[target as usize].extend(lines),
                Order::Descending => self.relocations[target as usize].extend(lines.rev()),
                Order::None => continue,
            }
            self.inlined.insert(index, order);
        }
        for list in &mut self.relocations {
            list.sort_by_key(|&(entry, with_addend)| (entry.offset, with_addend));
        }
        self.places.number();
    }

    fn read_records(&mut self, index: u32, section: &Section) {
        let Some(bytes) = section
            .bytes()
            .filter(|_| usual::is_info(section) || usual::is_compat(section))
        else {
            return;
        };
        let Ok(records) = warpsmith_cubin::info::parse(bytes, 0) else {
            return;
        };
        if warpsmith_cubin::info::to_bytes(&records).is_ok_and(|again| again == bytes) {
            if usual::is_info(section) {
                Records::new(&records).for_each_code_offset(|offset| self.places.want(section.info, offset));
            }
            self.records.insert(index, records);
        }
    }

    fn write(&mut self) -> Result<(), ListingError> {
        if !self.options.code_only {
            self.write_file();
        }
        for index in 0..self.cubin.sections.len() as u32 {
            let section = &self.cubin.sections[index as usize];
            if index == 0 && self.is_usual_null(section) || self.options.code_only && !is_code(section) {
                continue;
            }
            self.write_section(index)?;
            self.flush_if_full()?;
        }
        if !self.options.code_only {
            self.out.push_str("\n.end\n");
        }
        self.flush()
    }

    /// Whether this is the null section as every file has it.
    fn is_usual_null(&self, section: &Section) -> bool {
        let null = Section::new("", SectionType::NULL, SectionFlags(0));
        let first = self
            .strings
            .get(&self.cubin.header.section_names)
            .and_then(|strings| strings.get(&b""[..]));
        section.name_offset == first.copied()
            && Section {
                name_offset: None,
                ..section.clone()
            } == null
    }

    /// Writes out what has been gathered, if it is much.
    pub(super) fn flush_if_full(&mut self) -> Result<(), ListingError> {
        if self.out.len() < BUFFER { Ok(()) } else { self.flush() }
    }

    fn flush(&mut self) -> Result<(), ListingError> {
        self.sink.write_all(self.out.as_bytes())?;
        self.out.clear();
        Ok(())
    }

    fn write_file(&mut self) {
        let header = &self.cubin.header;
        let target = self.cubin.target();
        match target {
            Some(sm) => {
                let _ = writeln!(self.out, ".target {sm}");
            }
            None => self.out.push_str(".target unknown\n"),
        }
        let _ = match header.file_type {
            FileType::Executable => writeln!(self.out, ".type executable"),
            FileType::Relocatable => writeln!(self.out, ".type relocatable"),
            FileType::Other(number) => writeln!(self.out, ".type {number:#x}"),
        };
        self.write_header(&usual::header(self.cubin, target, header.file_type));
        self.write_segments();
        self.write_placement(".section_table", &self.cubin.section_table_placement);
        self.write_placement(".segment_table", &self.cubin.segment_table_placement);
        if !self.cubin.trailing.is_empty() {
            self.out.push_str(".trailing ");
            push_hexadecimal(&mut self.out, &self.cubin.trailing);
            self.out.push('\n');
        }
    }

    /// What in the ELF header is not as the target has it.
    fn write_header(&mut self, usual: &Header) {
        let header = &self.cubin.header;
        let fields = [
            ("os_abi", u64::from(header.os_abi), u64::from(usual.os_abi)),
            (
                "abi_version",
                u64::from(header.abi_version),
                u64::from(usual.abi_version),
            ),
            ("version", u64::from(header.version), u64::from(usual.version)),
            ("entry", header.entry, usual.entry),
            ("flags", u64::from(header.flags.0), u64::from(usual.flags.0)),
            (
                "segment_header_size",
                u64::from(header.segment_header_size),
                u64::from(usual.segment_header_size),
            ),
            (
                "section_names",
                u64::from(header.section_names),
                u64::from(usual.section_names),
            ),
        ];
        let mut separator = ".header ";
        for (name, value, usual) in fields {
            if value != usual {
                let _ = write!(self.out, "{separator}{name}={value:#x}");
                separator = ", ";
            }
        }
        if separator != ".header " {
            self.out.push('\n');
        }
    }

    fn write_segments(&mut self) {
        if self.cubin.segments == self.cubin.policy_segments() {
            return;
        }
        if self.cubin.segments.is_empty() {
            self.out.push_str(".segments none\n");
        }
        for segment in &self.cubin.segments {
            self.write_segment(segment);
        }
    }

    fn write_segment(&mut self, segment: &Segment) {
        let _ = write!(self.out, ".segment {:#x}", segment.segment_type);
        let fields = [
            ("flags", u64::from(segment.flags), 0),
            ("virtual_address", segment.virtual_address, 0),
            ("physical_address", segment.physical_address, 0),
            ("align", segment.alignment, 8),
        ];
        for (name, value, usual) in fields {
            if value != usual {
                let _ = write!(self.out, ", {name}={value:#x}");
            }
        }
        match segment.extent {
            Extent::SegmentTable => self.out.push_str(", table"),
            Extent::Sections { first, last } => {
                self.out.push_str(", first=");
                self.push_section(first);
                self.out.push_str(", last=");
                self.push_section(last);
            }
            Extent::Raw {
                offset,
                file_size,
                memory_size,
            } => {
                let _ = write!(
                    self.out,
                    ", offset={offset:#x}, file_size={file_size:#x}, memory_size={memory_size:#x}"
                );
            }
        }
        self.out.push('\n');
    }

    fn write_placement(&mut self, directive: &str, placement: &Placement) {
        if *placement != Placement::Policy {
            self.out.push_str(directive);
            self.push_placement(" ", placement);
            self.out.push('\n');
        }
    }

    fn push_placement(&mut self, separator: &str, placement: &Placement) {
        self.out.push_str(separator);
        match placement {
            Placement::Policy => self.out.push_str("gap=0"),
            Placement::After(gap) if !gap.is_empty() && gap.iter().all(|&byte| byte == 0) => {
                let _ = write!(self.out, "gap={:#x}", gap.len());
            }
            Placement::After(gap) => {
                self.out.push_str("after=");
                push_hexadecimal(&mut self.out, gap);
            }
            Placement::At(offset) => {
                let _ = write!(self.out, "at={offset:#x}");
            }
        }
    }

    /// Appends a section by name, or by number where its name is no unique one.
    pub(super) fn push_section(&mut self, index: u32) {
        match self.cubin.section(index) {
            Some(section) if !section.name.is_empty() && self.usual.section(&section.name) == Some(index) => {
                push_name(&mut self.out, &section.name);
            }
            _ => {
                let _ = write!(self.out, "{index}");
            }
        }
    }

    /// Appends a symbol of a table by name, or by number where its name is no unique one.
    pub(super) fn push_symbol(&mut self, table: u32, index: u32) {
        let symbol = match self.cubin.section(table).map(|section| &section.content) {
            Some(Content::Symbols(symbols)) => symbols.get(index as usize),
            _ => None,
        };
        match symbol {
            Some(symbol) if !symbol.name.is_empty() && self.usual.symbol(table, &symbol.name) == Some(index) => {
                push_name(&mut self.out, &symbol.name);
            }
            _ => {
                let _ = write!(self.out, "{index}");
            }
        }
    }

    /// Appends where a name lies in its string table, if it is not the first place that holds it.
    pub(super) fn push_name_offset(&mut self, table: u32, name: &str, offset: Option<u32>) {
        let Some(offset) = offset else { return };
        let first = self
            .strings
            .get(&table)
            .and_then(|strings| strings.get(name.as_bytes()));
        if first != Some(&offset) {
            let _ = write!(self.out, ", name_at={offset:#x}");
        }
    }

    fn write_section(&mut self, index: u32) -> Result<(), ListingError> {
        let cubin = self.cubin;
        let section = &cubin.sections[index as usize];
        self.out.push_str("\n.section ");
        push_name(&mut self.out, &section.name);
        self.out.push_str(", ");
        match section_type_word(section.section_type) {
            Some(word) => self.out.push_str(word),
            None => {
                let _ = write!(self.out, "{:#x}", section.section_type.0);
            }
        }
        self.push_flags(section);
        self.push_references(section);
        for (name, value, usual) in [
            ("address", section.address, 0),
            ("align", section.alignment, usual::alignment(section)),
            ("entry_size", section.entry_size, usual::entry_size(section)),
        ] {
            if value != usual {
                let _ = write!(self.out, ", {name}={value}");
            }
        }
        if self.inlined.get(&index) == Some(&Order::Descending) {
            self.out.push_str(", descending");
        }
        self.push_name_offset(cubin.header.section_names, &section.name, section.name_offset);
        if section.placement != self.gaps.placement(index) {
            self.push_placement(", ", &section.placement);
        }
        self.out.push('\n');
        self.write_content(index, section)
    }

    fn push_flags(&mut self, section: &Section) {
        let mut rest = section.flags.0;
        for &(word, flag) in FLAG_WORDS {
            if rest & flag != 0 {
                rest &= !flag;
                let _ = write!(self.out, ", {word}");
            }
        }
        if is_code(section) && section.flags.barriers() != 0 {
            rest &= !usual::BARRIERS;
            let _ = write!(self.out, ", barriers={}", section.flags.barriers());
        }
        if rest != 0 {
            let _ = write!(self.out, ", flags={rest:#x}");
        }
    }

    fn push_references(&mut self, section: &Section) {
        if section.link != self.usual.link(section) {
            self.out.push_str(", link=");
            self.push_section(section.link);
        }
        let usual = self.usual.info(section, section.link);
        let registers = section.info & !usual::REFERENCE;
        if is_code(section) && usual & !usual::REFERENCE == 0 && section.info & usual::REFERENCE == usual {
            if registers != 0 {
                let _ = write!(self.out, ", registers={}", section.register_count());
            }
        } else if section.info != usual {
            let _ = write!(self.out, ", info={:#x}", section.info);
        }
        if let Content::SharedWith(owner) = section.content {
            self.out.push_str(", mirror=");
            self.push_section(owner);
        }
    }

    fn write_content(&mut self, index: u32, section: &'a Section) -> Result<(), ListingError> {
        match &section.content {
            Content::Null(size) => {
                let _ = writeln!(self.out, "    .null {size}");
            }
            Content::NoBits(size) => {
                let _ = writeln!(self.out, "    .nobits {size}");
            }
            Content::SharedWith(_) => {}
            Content::Strings(table) => self.write_strings(table.bytes()),
            Content::Symbols(symbols) => self.write_symbols(index, symbols)?,
            Content::Relocations { .. } if self.inlined.contains_key(&index) => {}
            Content::Relocations { entries, with_addend } => {
                for entry in entries {
                    self.write_entry(section, entry, *with_addend);
                    self.flush_if_full()?;
                }
            }
            Content::Bytes(bytes) if is_code(section) => self.write_code(index, bytes)?,
            Content::Bytes(bytes) => match self.records.remove(&index) {
                Some(records) if usual::is_compat(section) => self.write_compat(&records),
                Some(records) => self.write_info(section, &records),
                None if usual::is_pairs(section) => self.write_pairs(section, bytes),
                None => self.write_data(index, bytes)?,
            },
        }
        Ok(())
    }

    /// A string table: its strings, some to the row; the first, which is empty in every table, is understood.
    fn write_strings(&mut self, bytes: &[u8]) {
        let Some(strings) = bytes
            .strip_prefix(b"\0")
            .filter(|rest| rest.is_empty() || rest.ends_with(b"\0"))
        else {
            self.out.push_str("    .bytes ");
            push_hexadecimal(&mut self.out, bytes);
            self.out.push('\n');
            return;
        };
        let count = strings.iter().filter(|&&byte| byte == 0).count();
        let mut in_row = 0;
        let mut strings = strings.split(|&byte| byte == 0).take(count).peekable();
        while let Some(string) = strings.next() {
            if in_row == 0 && string.is_empty() && strings.peek() == Some(&&b""[..]) {
                let mut zeros = 1;
                while strings.next_if(|string| string.is_empty()).is_some() {
                    zeros += 1;
                }
                let _ = writeln!(self.out, "    .zero {zeros}");
                continue;
            }
            self.out.push_str(if in_row == 0 { "    .strings " } else { ", " });
            push_string(&mut self.out, string);
            in_row += 1;
            let row_ends = strings.peek().is_none_or(|next| next.is_empty());
            if in_row == STRINGS_PER_ROW || row_ends {
                self.out.push('\n');
                in_row = 0;
            }
        }
    }

    /// The name of a record's attribute.
    pub(super) fn push_attribute(&mut self, attribute: Eiattr) {
        match attribute
            .name()
            .and_then(|name| name.strip_prefix(super::info::ATTRIBUTE_PREFIX))
        {
            Some(name) => self.out.push_str(name),
            None => {
                let _ = write!(self.out, "{:#x}", attribute.0);
            }
        }
    }
}
