//! From a [`Cubin`] to bytes: the layout policy.
//!
//! Observed in the output of ptxas 13.0 and nvlink 13.0:
//!
//! 1. the ELF header (64 bytes);
//! 2. the sections in the order of their headers, each at the next multiple of its alignment, zero padding
//!    between; a section without file bytes takes the aligned offset and no space; a mirror
//!    ([`Content::SharedWith`]) takes the offset and size of the section that it mirrors;
//! 3. the section header table, at a multiple of 8;
//! 4. the program header table, right after it, if there are segments.
//!
//! From sm_90 on zero bytes stand after the string tables, where names were that the producer dropped or renamed: such a
//! gap is a [`Placement::After`] of the next section, and [`Cubin::policy_gaps`] gives its size.

use std::collections::HashMap;

use object::LittleEndian as LE;
use object::elf::{
    self, FileHeader64, Ident, ProgramHeader64, Rel64, Rela64, SectionHeader64, Sym64, SymbolSection as RawIndex,
};
use object::pod::bytes_of;
use object::{U16, U32, U64, endian::I64};

use crate::header::EM_CUDA;
use crate::model::{Content, Cubin, Extent, Placement, Section, SectionIndex};
use crate::read::{EXTENDED_INDEX, FIRST_RESERVED};
use crate::section_flag::SectionFlags;
use crate::section_type::SectionType;
use crate::strings::StringTable;
use crate::symbol::{Symbol, SymbolSection};

/// Size of the ELF header in bytes.
pub(crate) const HEADER_SIZE: u64 = 64;
/// Size of a section header in bytes.
pub(crate) const SECTION_HEADER_SIZE: u64 = 64;
/// Size of a program header in bytes.
pub(crate) const SEGMENT_HEADER_SIZE: u64 = 56;

/// The most bytes of a file that are reserved before they are written.
const MOST_RESERVED: usize = 1 << 30;

/// How many sections at a segment's offset are tried as its first.
const MOST_STARTS: usize = 8;

/// The next multiple of `alignment` (a power of two; 0 and 1 mean none).
pub(crate) fn align_up(value: u64, alignment: u64) -> u64 {
    let mask = alignment.max(1) - 1;
    value.saturating_add(mask) & !mask
}

/// Where a section lies.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Span {
    /// Byte offset in the file.
    pub(crate) offset: u64,
    /// Bytes in the file.
    pub(crate) file_size: u64,
    /// `sh_size`: bytes in the file or in memory.
    pub(crate) size: u64,
}

/// Where everything lies.
#[derive(Clone, Debug)]
pub(crate) struct Spans {
    sections: Vec<Span>,
    section_table: u64,
    segment_table: u64,
}

/// Computes the place of each structure.
pub(crate) fn spans(cubin: &Cubin) -> Spans {
    layout(cubin, &Tables::new(cubin))
}

fn layout(cubin: &Cubin, tables: &Tables) -> Spans {
    let mut cursor = HEADER_SIZE;
    let mut sections = vec![Span::default(); cubin.sections.len()];
    for (index, section) in cubin.sections.iter().enumerate() {
        let size = match tables.grown.get(&(index as SectionIndex)) {
            Some(table) => table.bytes().len() as u64,
            None => section.size(),
        };
        let file_size = match section.content {
            Content::Null(_) => {
                sections[index].size = size;
                continue;
            }
            Content::SharedWith(_) => continue,
            Content::NoBits(_) => 0,
            _ => size,
        };
        let offset = place(&section.placement, cursor, section.alignment);
        sections[index] = Span {
            offset,
            file_size,
            size,
        };
        if file_size > 0 || section.placement == Placement::Policy {
            cursor = cursor.max(offset.saturating_add(file_size));
        }
    }
    for (index, section) in cubin.sections.iter().enumerate() {
        if let Content::SharedWith(owner) = section.content {
            sections[index] = sections.get(owner as usize).copied().unwrap_or_default();
        }
    }
    let section_table = place(&cubin.section_table_placement, cursor, 8);
    cursor = section_table + cubin.sections.len() as u64 * SECTION_HEADER_SIZE;
    let segment_table = if cubin.segments.is_empty() {
        0
    } else {
        place(&cubin.segment_table_placement, cursor, 8)
    };
    Spans {
        sections,
        section_table,
        segment_table,
    }
}

fn place(placement: &Placement, cursor: u64, alignment: u64) -> u64 {
    match placement {
        Placement::Policy => align_up(cursor, alignment),
        Placement::After(gap) => align_up(cursor + gap.len() as u64, alignment),
        Placement::At(offset) => *offset,
    }
}

impl Spans {
    /// What a program header with these numbers covers.
    pub(crate) fn extent(&self, cubin: &Cubin, offset: u64, file_size: u64, memory_size: u64, count: u64) -> Extent {
        let table = count * SEGMENT_HEADER_SIZE;
        let place = align_up(
            self.section_table + cubin.sections.len() as u64 * SECTION_HEADER_SIZE,
            8,
        );
        let place = place.max(match cubin.segment_table_placement {
            Placement::Policy => 0,
            _ => place + self.segment_gap(cubin),
        });
        if (offset, file_size, memory_size) == (place, table, table) {
            return Extent::SegmentTable;
        }
        // Sections without bytes can stand before the one that begins the segment, at the same offset.
        let starts = (1..cubin.sections.len())
            .filter(|&first| self.sections[first].offset == offset)
            .filter(|&first| cubin.sections[first].flags.contains(SectionFlags::ALLOC))
            .take(MOST_STARTS);
        for first in starts {
            if let Some(last) = self.last_section(cubin, first, file_size, memory_size) {
                return Extent::Sections {
                    first: first as SectionIndex,
                    last,
                };
            }
        }
        Extent::Raw {
            offset,
            file_size,
            memory_size,
        }
    }

    fn segment_gap(&self, cubin: &Cubin) -> u64 {
        match &cubin.segment_table_placement {
            Placement::After(gap) => gap.len() as u64,
            Placement::Policy | Placement::At(_) => 0,
        }
    }

    /// The last section of a segment that begins with `first` and has these sizes.
    fn last_section(&self, cubin: &Cubin, first: usize, file_size: u64, memory_size: u64) -> Option<SectionIndex> {
        let mut found = None;
        let mut sizes = SegmentSizes::new(self.sections[first].offset);
        for last in first..cubin.sections.len() {
            let section = &cubin.sections[last];
            if !section.flags.contains(SectionFlags::ALLOC) || section.is_mercury() {
                break;
            }
            sizes.add(&self.sections[last], section);
            if sizes.get() == (file_size, memory_size) {
                found = Some(last as SectionIndex);
            }
        }
        found
    }

    /// `p_filesz` and `p_memsz` of a segment of these sections.
    fn sizes(&self, cubin: &Cubin, first: usize, last: usize) -> (u64, u64) {
        let mut sizes = SegmentSizes::new(self.sections.get(first).map_or(0, |span| span.offset));
        for index in first..=last.min(self.sections.len().saturating_sub(1)) {
            sizes.add(&self.sections[index], &cubin.sections[index]);
        }
        sizes.get()
    }
}

/// The sizes of a segment as sections are added: memory holds the file bytes (up to the aligned offset of the last
/// section without file bytes), then the sections without file bytes one after the other, aligned.
struct SegmentSizes {
    start: u64,
    end: u64,
    memory: u64,
}

impl SegmentSizes {
    fn new(start: u64) -> Self {
        SegmentSizes {
            start,
            end: start,
            memory: start,
        }
    }

    fn add(&mut self, span: &Span, section: &Section) {
        let end = self.end.max(span.offset.saturating_add(span.file_size));
        self.memory = self.memory.saturating_add(end - self.end);
        self.end = end;
        if span.size > span.file_size {
            self.memory = align_up(self.memory, section.alignment).saturating_add(span.size);
        }
    }

    fn get(&self) -> (u64, u64) {
        (self.end - self.start, self.memory - self.start)
    }
}

/// String tables that must grow for new names, and the offset of every name.
struct Tables {
    grown: HashMap<SectionIndex, StringTable>,
    section_names: Vec<u32>,
    symbol_names: HashMap<SectionIndex, Vec<u32>>,
}

/// Finds or makes names in one string table.
struct Interner<'cubin> {
    table: Option<&'cubin StringTable>,
    grown: Option<StringTable>,
    index: Option<HashMap<Vec<u8>, u32>>,
}

impl Interner<'_> {
    fn offset(&mut self, name: &str, known: Option<u32>) -> u32 {
        let Some(table) = self.table else {
            return known.unwrap_or(0);
        };
        if let Some(offset) = known
            && table.get(offset) == Some(name)
        {
            return offset;
        }
        let index = self.index.get_or_insert_with(|| table.index());
        if let Some(&offset) = index.get(name.as_bytes()) {
            return offset;
        }
        let offset = self.grown.get_or_insert_with(|| table.clone()).push(name);
        index.insert(name.as_bytes().to_vec(), offset);
        offset
    }
}

impl Tables {
    fn new(cubin: &Cubin) -> Tables {
        let mut interners: HashMap<SectionIndex, Interner<'_>> = HashMap::new();
        for (index, section) in cubin.sections.iter().enumerate() {
            if let Content::Strings(table) = &section.content {
                let interner = Interner {
                    table: Some(table),
                    grown: None,
                    index: None,
                };
                interners.insert(index as SectionIndex, interner);
            }
        }
        let none = || Interner {
            table: None,
            grown: None,
            index: None,
        };
        let names = interners.entry(cubin.header.section_names).or_insert_with(none);
        let section_names = cubin
            .sections
            .iter()
            .map(|s| names.offset(&s.name, s.name_offset))
            .collect();
        let mut symbol_names = HashMap::new();
        for (index, section) in cubin.sections.iter().enumerate() {
            if let Content::Symbols(symbols) = &section.content {
                let names = interners.entry(section.link).or_insert_with(none);
                let offsets: Vec<u32> = symbols.iter().map(|s| names.offset(&s.name, s.name_offset)).collect();
                symbol_names.insert(index as SectionIndex, offsets);
            }
        }
        let grown = interners
            .into_iter()
            .filter_map(|(index, names)| Some((index, names.grown?)))
            .collect();
        Tables {
            grown,
            section_names,
            symbol_names,
        }
    }
}

/// Writes a cubin; see [`Cubin::write`].
pub fn write(cubin: &Cubin) -> Vec<u8> {
    let tables = Tables::new(cubin);
    let spans = layout(cubin, &tables);
    let tables_size = (cubin.sections.len() as u64 * SECTION_HEADER_SIZE)
        .saturating_add(cubin.segments.len() as u64 * SEGMENT_HEADER_SIZE);
    let size = spans.section_table.saturating_add(tables_size);
    // A model made by hand can place its tables anywhere.
    let mut out = Vec::with_capacity(usize::try_from(size).unwrap_or(0).min(MOST_RESERVED));
    out.extend_from_slice(bytes_of(&header(cubin, &spans)));
    for (index, section) in cubin.sections.iter().enumerate() {
        if spans.sections[index].file_size == 0 || matches!(section.content, Content::SharedWith(_)) {
            continue;
        }
        pad(&mut out, &section.placement, spans.sections[index].offset);
        write_content(&mut out, cubin, &tables, index as SectionIndex);
    }
    pad(&mut out, &cubin.section_table_placement, spans.section_table);
    for (index, section) in cubin.sections.iter().enumerate() {
        out.extend_from_slice(bytes_of(&section_header(
            cubin,
            section,
            tables.section_names[index],
            &spans,
            index,
        )));
    }
    if !cubin.segments.is_empty() {
        pad(&mut out, &cubin.segment_table_placement, spans.segment_table);
        write_segments(&mut out, cubin, &spans);
    }
    out.extend_from_slice(&cubin.trailing);
    out
}

fn pad(out: &mut Vec<u8>, placement: &Placement, offset: u64) {
    if let Placement::After(gap) = placement {
        out.extend_from_slice(gap);
    }
    // An explicit offset can lie far beyond any sensible file only in a model made by hand.
    out.resize(out.len().max(offset as usize), 0);
}

fn header(cubin: &Cubin, spans: &Spans) -> FileHeader64<LE> {
    let header = &cubin.header;
    let count = cubin.sections.len();
    let names = header.section_names;
    FileHeader64 {
        e_ident: Ident {
            magic: elf::ELFMAG,
            class: elf::ELFCLASS64,
            data: elf::ELFDATA2LSB,
            version: elf::EV_CURRENT,
            os_abi: elf::OsAbi(header.os_abi),
            abi_version: header.abi_version,
            padding: [0; 7],
        },
        e_type: U16::new(LE, elf::FileType(header.file_type.number())),
        e_machine: U16::new(LE, elf::Machine(EM_CUDA)),
        e_version: U32::new(LE, header.version),
        e_entry: U64::new(LE, header.entry),
        e_phoff: U64::new(LE, spans.segment_table),
        e_shoff: U64::new(LE, spans.section_table),
        e_flags: U32::new(LE, elf::FileFlags(header.flags.0)),
        e_ehsize: U16::new(LE, HEADER_SIZE as u16),
        e_phentsize: U16::new(LE, header.segment_header_size),
        e_phnum: U16::new(LE, cubin.segments.len() as u16),
        e_shentsize: U16::new(LE, SECTION_HEADER_SIZE as u16),
        e_shnum: U16::new(
            LE,
            if count < usize::from(FIRST_RESERVED) {
                count as u16
            } else {
                0
            },
        ),
        e_shstrndx: U16::new(
            LE,
            RawIndex(if names < u32::from(FIRST_RESERVED) {
                names as u16
            } else {
                EXTENDED_INDEX
            }),
        ),
    }
}

fn section_header(cubin: &Cubin, section: &Section, name: u32, spans: &Spans, index: usize) -> SectionHeader64<LE> {
    let span = spans.sections[index];
    let many = index == 0 && cubin.sections.len() >= usize::from(FIRST_RESERVED);
    SectionHeader64 {
        sh_name: U32::new(LE, name),
        sh_type: U32::new(LE, elf::SectionType(section.section_type.0)),
        sh_flags: U64::new(LE, elf::SectionFlags(section.flags.0)),
        sh_addr: U64::new(LE, section.address),
        sh_offset: U64::new(LE, span.offset),
        sh_size: U64::new(LE, if many { cubin.sections.len() as u64 } else { span.size }),
        sh_link: U32::new(LE, section.link),
        sh_info: U32::new(LE, section.info),
        sh_addralign: U64::new(LE, section.alignment),
        sh_entsize: U64::new(LE, section.entry_size),
    }
}

fn write_content(out: &mut Vec<u8>, cubin: &Cubin, tables: &Tables, index: SectionIndex) {
    let section = &cubin.sections[index as usize];
    match &section.content {
        Content::Null(_) | Content::NoBits(_) | Content::SharedWith(_) => {}
        Content::Bytes(bytes) if section.section_type == SectionType::SYMTAB_SHNDX => {
            write_extended_indices(out, cubin, section.link, bytes);
        }
        Content::Bytes(bytes) => out.extend_from_slice(bytes),
        Content::Strings(table) => out.extend_from_slice(tables.grown.get(&index).unwrap_or(table).bytes()),
        Content::Symbols(symbols) => {
            let names = tables.symbol_names.get(&index).map_or(&[][..], |names| names);
            for (symbol, name) in symbols.iter().zip(names) {
                out.extend_from_slice(bytes_of(&raw_symbol(symbol, *name)));
            }
        }
        Content::Relocations { entries, with_addend } => {
            for entry in entries {
                let offset = U64::new(LE, entry.offset);
                let info = U64::new(LE, u64::from(entry.symbol) << 32 | u64::from(entry.relocation_type.0));
                if *with_addend {
                    let raw = Rela64::<LE> {
                        r_offset: offset,
                        r_info: info,
                        r_addend: I64::new(LE, entry.addend),
                    };
                    out.extend_from_slice(bytes_of(&raw));
                } else {
                    out.extend_from_slice(bytes_of(&Rel64::<LE> {
                        r_offset: offset,
                        r_info: info,
                    }));
                }
            }
        }
    }
}

fn raw_symbol(symbol: &Symbol, name: u32) -> Sym64<LE> {
    let section = match symbol.section {
        SymbolSection::Undefined => 0,
        SymbolSection::Section(index) if index < u32::from(FIRST_RESERVED) => index as u16,
        SymbolSection::Section(_) => EXTENDED_INDEX,
        SymbolSection::Reserved(number) => number,
    };
    Sym64 {
        st_name: U32::new(LE, name),
        st_info: elf::SymbolInfo(symbol.binding.0 << 4 | symbol.symbol_type.0 & 15),
        st_other: elf::SymbolOther(symbol.other.0),
        st_shndx: U16::new(LE, RawIndex(section)),
        st_value: U64::new(LE, symbol.value),
        st_size: U64::new(LE, symbol.size),
    }
}

/// An `SHT_SYMTAB_SHNDX` section: its bytes, with the words of symbols in sections beyond 0xfeff brought up to
/// date.
fn write_extended_indices(out: &mut Vec<u8>, cubin: &Cubin, symbol_table: SectionIndex, bytes: &[u8]) {
    let start = out.len();
    out.extend_from_slice(bytes);
    let Some(Content::Symbols(symbols)) = cubin.section(symbol_table).map(|s| &s.content) else {
        return;
    };
    for (symbol, word) in symbols.iter().zip(out[start..].chunks_exact_mut(4)) {
        if let SymbolSection::Section(index) = symbol.section
            && index >= u32::from(FIRST_RESERVED)
        {
            word.copy_from_slice(&index.to_le_bytes());
        }
    }
}

/// The bytes of the program header table.
pub(crate) fn segment_table(cubin: &Cubin) -> Vec<u8> {
    let mut out = Vec::new();
    write_segments(&mut out, cubin, &spans(cubin));
    out
}

fn write_segments(out: &mut Vec<u8>, cubin: &Cubin, spans: &Spans) {
    for segment in &cubin.segments {
        let (offset, file_size, memory_size) = match segment.extent {
            Extent::SegmentTable => {
                let size = cubin.segments.len() as u64 * SEGMENT_HEADER_SIZE;
                (spans.segment_table, size, size)
            }
            Extent::Sections { first, last } => {
                let (file_size, memory_size) = spans.sizes(cubin, first as usize, last as usize);
                (
                    spans.sections.get(first as usize).map_or(0, |span| span.offset),
                    file_size,
                    memory_size,
                )
            }
            Extent::Raw {
                offset,
                file_size,
                memory_size,
            } => (offset, file_size, memory_size),
        };
        let raw = ProgramHeader64::<LE> {
            p_type: U32::new(LE, elf::ProgramType(segment.segment_type)),
            p_flags: U32::new(LE, elf::ProgramFlags(segment.flags)),
            p_offset: U64::new(LE, offset),
            p_vaddr: U64::new(LE, segment.virtual_address),
            p_paddr: U64::new(LE, segment.physical_address),
            p_filesz: U64::new(LE, file_size),
            p_memsz: U64::new(LE, memory_size),
            p_align: U64::new(LE, segment.alignment),
        };
        out.extend_from_slice(bytes_of(&raw));
    }
}
