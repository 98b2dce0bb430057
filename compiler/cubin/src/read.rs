//! From bytes to a [`Cubin`].
//!
//! The order: identification, header, section headers, names, string tables, symbols, other contents,
//! then the placement of each structure, then program headers. Every count and offset is checked against
//! the file's length before anything is allocated for it.

use std::cell::Cell;
use std::collections::HashMap;
use std::collections::hash_map::Entry;

use object::LittleEndian as LE;
use object::elf::{FileHeader64, ProgramHeader64, Rel64, Rela64, SectionHeader64, Sym64};
use object::pod;

use crate::build;
use crate::detect;
use crate::error::CubinError;
use crate::header::{EM_CUDA, FileType, Flags, Header};
use crate::layout::{self, HEADER_SIZE, SECTION_HEADER_SIZE, SEGMENT_HEADER_SIZE, align_up};
use crate::model::{Content, Cubin, Placement, Section, SectionIndex, Segment};
use crate::relocation::{Relocation, RelocationType};
use crate::section_flag::SectionFlags;
use crate::section_type::{SectionShape, SectionType};
use crate::strings::StringTable;
use crate::symbol::{Symbol, SymbolBinding, SymbolOther, SymbolSection, SymbolType};

type RawHeader = FileHeader64<LE>;
type RawSection = SectionHeader64<LE>;
type RawSegment = ProgramHeader64<LE>;

/// First reserved section index, `SHN_LORESERVE`.
pub(crate) const FIRST_RESERVED: u16 = 0xff00;
/// `SHN_XINDEX`: the index is in the `SHT_SYMTAB_SHNDX` section.
pub(crate) const EXTENDED_INDEX: u16 = 0xffff;

/// All names together may take this many times the file's size. Real files stay below 1: each name is in a string
/// table once, and few symbols share one.
const NAME_FACTOR: usize = 16;

type Result<T> = std::result::Result<T, CubinError>;

/// Reads a cubin; see [`Cubin::read`].
pub fn read(bytes: &[u8]) -> Result<Cubin> {
    let raw = read_header(bytes)?;
    let file = File::new(bytes, read_section_table(bytes, raw)?)?;
    let mut section_names = u32::from(raw.e_shstrndx.get(LE).0);
    if section_names == u32::from(EXTENDED_INDEX) {
        section_names = file.sections[0].sh_link.get(LE);
    }
    let header = Header {
        os_abi: raw.e_ident.os_abi.0,
        abi_version: raw.e_ident.abi_version,
        file_type: FileType::from_number(raw.e_type.get(LE).0),
        version: raw.e_version.get(LE),
        entry: raw.e_entry.get(LE),
        flags: Flags(raw.e_flags.get(LE).0),
        segment_header_size: raw.e_phentsize.get(LE),
        section_names,
    };
    let names = file.string_table(section_names, "section name table")?;
    let mut sections = Vec::with_capacity(file.sections.len());
    for index in 0..file.sections.len() {
        sections.push(file.read_section(index, &names)?);
    }
    file.share_empty_contents(&mut sections);
    let mut cubin = Cubin {
        header,
        sections,
        segments: Vec::new(),
        section_table_placement: Placement::Policy,
        segment_table_placement: Placement::Policy,
        trailing: Vec::new(),
    };
    file.read_placements(&mut cubin, raw)?;
    read_segments(bytes, raw, &mut cubin)?;
    file.confirm(&cubin)?;
    Ok(cubin)
}

/// The identification and the ELF header.
fn read_header(bytes: &[u8]) -> Result<&RawHeader> {
    if let Some(found) = detect::not_a_cubin(bytes) {
        return Err(CubinError::new(0, "file", found));
    }
    let (raw, _) = pod::from_bytes::<RawHeader>(bytes).map_err(|()| {
        let reason = format!("{} bytes end within the 64-byte ELF header", bytes.len());
        CubinError::new(bytes.len() as u64, "ELF header", reason)
    })?;
    let at = |offset, reason: String| Err(CubinError::new(offset, "ELF header", reason));
    if raw.e_ident.class.0 != 2 {
        return at(
            4,
            format!(
                "class {} is not ELFCLASS64 (2): only 64-bit cubins are supported",
                raw.e_ident.class.0
            ),
        );
    }
    if raw.e_ident.data.0 != 1 {
        return at(
            5,
            format!("data encoding {} is not little-endian (1)", raw.e_ident.data.0),
        );
    }
    if raw.e_ident.version.0 != 1 {
        return at(6, format!("ELF version {} is not 1", raw.e_ident.version.0));
    }
    if raw.e_ident.padding != [0; 7] {
        return at(9, "identification padding is not zero".into());
    }
    let machine = raw.e_machine.get(LE).0;
    if machine != EM_CUDA {
        return at(
            18,
            format!(
                "machine {machine} is not CUDA ({EM_CUDA}): {}",
                detect::machine_hint(machine)
            ),
        );
    }
    if raw.e_ehsize.get(LE) != HEADER_SIZE as u16 {
        return at(52, format!("header size {} is not {HEADER_SIZE}", raw.e_ehsize.get(LE)));
    }
    if raw.e_shentsize.get(LE) != SECTION_HEADER_SIZE as u16 {
        return at(
            58,
            format!(
                "section header size {} is not {SECTION_HEADER_SIZE}",
                raw.e_shentsize.get(LE)
            ),
        );
    }
    Ok(raw)
}

/// The section header table.
fn read_section_table<'data>(bytes: &'data [u8], raw: &RawHeader) -> Result<&'data [RawSection]> {
    let offset = raw.e_shoff.get(LE);
    let what = "section header table";
    let first: &[RawSection] = slice_at(bytes, offset, 1, what)?;
    let count = match raw.e_shnum.get(LE) {
        0 => first[0].sh_size.get(LE),
        count => u64::from(count),
    };
    if count == 0 {
        return Err(CubinError::new(60, what, "has no entries"));
    }
    slice_at(bytes, offset, count, what)
}

/// `count` structures at `offset`, or the reason why they are not there.
fn slice_at<'data, T: pod::Pod>(bytes: &'data [u8], offset: u64, count: u64, what: &str) -> Result<&'data [T]> {
    let size = count.checked_mul(std::mem::size_of::<T>() as u64);
    let end = size.and_then(|size| offset.checked_add(size));
    match end {
        Some(end) if end <= bytes.len() as u64 => {}
        _ => {
            let entry = std::mem::size_of::<T>();
            let end = bytes.len();
            let reason = format!("{count} entries of {entry} bytes reach beyond the end of the file at {end:#x}");
            return Err(CubinError::new(offset, what, reason));
        }
    }
    pod::slice_from_bytes(&bytes[offset as usize..], count as usize)
        .map(|(slice, _)| slice)
        .map_err(|()| CubinError::new(offset, what, "is truncated"))
}

/// The file's bytes and section headers.
struct File<'data> {
    bytes: &'data [u8],
    sections: &'data [RawSection],
    /// For a section with the file range of an earlier one, that section.
    owners: HashMap<usize, SectionIndex>,
    /// Bytes that names may still take: many names that refer to one long string must not fill the memory.
    name_budget: Cell<usize>,
}

impl<'data> File<'data> {
    fn new(bytes: &'data [u8], sections: &'data [RawSection]) -> Result<Self> {
        let name_budget = Cell::new(bytes.len().saturating_mul(NAME_FACTOR));
        let mut file = File {
            bytes,
            sections,
            owners: HashMap::new(),
            name_budget,
        };
        let mut ranges: HashMap<(u64, u64), SectionIndex> = HashMap::new();
        let mut total = 0u64;
        for (index, raw) in sections.iter().enumerate() {
            let (offset, size) = (raw.sh_offset.get(LE), file.file_size(index));
            if size == 0 {
                continue;
            }
            match ranges.entry((offset, size)) {
                Entry::Occupied(owner) => {
                    file.owners.insert(index, *owner.get());
                }
                Entry::Vacant(vacant) => {
                    vacant.insert(index as SectionIndex);
                    total = total.saturating_add(size);
                }
            }
            let end = offset.checked_add(size);
            if end.is_none_or(|end| end > bytes.len() as u64) {
                let reason = format!("{size} bytes reach beyond the end of the file at {:#x}", bytes.len());
                return Err(CubinError::new(offset, format!("section {index}"), reason));
            }
            if total > bytes.len() as u64 {
                let reason = format!("the sections up to it have {total} bytes, more than the file: they overlap");
                return Err(CubinError::new(offset, format!("section {index}"), reason));
            }
        }
        Ok(file)
    }

    /// A string of a table, as a name; `None` where it is none or names take too much memory.
    fn name(&self, table: &StringTable, offset: u32) -> Option<String> {
        let name = table.get(offset)?;
        self.name_budget.set(self.name_budget.get().checked_sub(name.len())?);
        Some(name.to_string())
    }

    /// Bytes that a section takes in the file.
    fn file_size(&self, index: usize) -> u64 {
        let raw = &self.sections[index];
        match self.shape(index) {
            SectionShape::Null | SectionShape::NoBits => 0,
            _ => raw.sh_size.get(LE),
        }
    }

    fn shape(&self, index: usize) -> SectionShape {
        let raw = &self.sections[index];
        SectionType(raw.sh_type.get(LE).0).shape(SectionFlags(raw.sh_flags.get(LE).0))
    }

    fn header_offset(&self, index: usize) -> u64 {
        let base = pod::from_bytes::<RawHeader>(self.bytes).map_or(0, |(raw, _)| raw.e_shoff.get(LE));
        base + index as u64 * SECTION_HEADER_SIZE
    }

    /// The bytes of a section in the file.
    fn data(&self, index: usize, what: &str) -> Result<&'data [u8]> {
        slice_at(
            self.bytes,
            self.sections[index].sh_offset.get(LE),
            self.file_size(index),
            what,
        )
    }

    fn string_table(&self, index: u32, what: &str) -> Result<StringTable> {
        let index = index as usize;
        match self.sections.get(index).map(|raw| SectionType(raw.sh_type.get(LE).0)) {
            Some(SectionType::STRTAB) => Ok(StringTable::from_bytes(self.data(index, what)?.to_vec())),
            Some(other) => {
                let reason = format!("section {index} has type {other:?}, not SHT_STRTAB");
                Err(CubinError::new(self.header_offset(index), what, reason))
            }
            None => {
                let reason = format!("section {index} does not exist ({} sections)", self.sections.len());
                Err(CubinError::new(0, what, reason))
            }
        }
    }

    fn read_section(&self, index: usize, names: &StringTable) -> Result<Section> {
        let raw = &self.sections[index];
        let what = format!("section header {index}");
        let at = self.header_offset(index);
        let name_offset = raw.sh_name.get(LE);
        let name = self.name(names, name_offset).ok_or_else(|| {
            CubinError::new(
                at,
                &what,
                format!("name offset {name_offset:#x} is no UTF-8 string of the name table"),
            )
        })?;
        let section_type = SectionType(raw.sh_type.get(LE).0);
        let shape = self.shape(index);
        let alignment = raw.sh_addralign.get(LE);
        if alignment > 1 && !alignment.is_power_of_two() {
            return Err(CubinError::new(
                at + 48,
                what,
                format!("alignment {alignment} is no power of two"),
            ));
        }
        if (index == 0) != (shape == SectionShape::Null) {
            return Err(CubinError::new(
                at + 4,
                what,
                "SHT_NULL must be section 0 and only that",
            ));
        }
        let section = |content| Section {
            name: name.clone(),
            name_offset: Some(name_offset),
            section_type,
            flags: SectionFlags(raw.sh_flags.get(LE).0),
            address: raw.sh_addr.get(LE),
            link: raw.sh_link.get(LE),
            info: raw.sh_info.get(LE),
            alignment,
            entry_size: raw.sh_entsize.get(LE),
            content,
            placement: Placement::Policy,
        };
        let what = format!("section {index} ({name})");
        if let Some(&owner) = self.owners.get(&index) {
            if (self.shape(owner as usize), shape) != (SectionShape::Bytes, SectionShape::Bytes) {
                let reason = format!("has the same file range as section {owner}");
                return Err(CubinError::new(raw.sh_offset.get(LE), what, reason));
            }
            return Ok(section(Content::SharedWith(owner)));
        }
        Ok(section(match shape {
            SectionShape::Null => Content::Null(raw.sh_size.get(LE)),
            SectionShape::NoBits => Content::NoBits(raw.sh_size.get(LE)),
            SectionShape::Bytes => Content::Bytes(self.data(index, &what)?.to_vec()),
            SectionShape::Strings => Content::Strings(StringTable::from_bytes(self.data(index, &what)?.to_vec())),
            SectionShape::Symbols => Content::Symbols(self.read_symbols(index, &what)?),
            SectionShape::Relocations { with_addend: true } => self.read_rela(index, &what)?,
            SectionShape::Relocations { with_addend: false } => self.read_rel(index, &what)?,
        }))
    }

    /// The entries of a table section, whose size must be a multiple of the entry's.
    fn entries<T: pod::Pod>(&self, index: usize, what: &str) -> Result<&'data [T]> {
        let (size, entry) = (self.file_size(index), std::mem::size_of::<T>() as u64);
        if size % entry != 0 || self.sections[index].sh_entsize.get(LE) != entry {
            let reason = format!(
                "size {size} and entry size {} do not make entries of {entry} bytes",
                self.sections[index].sh_entsize.get(LE)
            );
            return Err(CubinError::new(self.header_offset(index), what, reason));
        }
        slice_at(self.bytes, self.sections[index].sh_offset.get(LE), size / entry, what)
    }

    fn read_rela(&self, index: usize, what: &str) -> Result<Content> {
        let entries = self.entries::<Rela64<LE>>(index, what)?.iter().map(|raw| Relocation {
            offset: raw.r_offset.get(LE),
            symbol: (raw.r_info.get(LE) >> 32) as u32,
            relocation_type: RelocationType(raw.r_info.get(LE) as u32),
            addend: raw.r_addend.get(LE),
        });
        Ok(Content::Relocations {
            entries: entries.collect(),
            with_addend: true,
        })
    }

    fn read_rel(&self, index: usize, what: &str) -> Result<Content> {
        let entries = self.entries::<Rel64<LE>>(index, what)?.iter().map(|raw| Relocation {
            offset: raw.r_offset.get(LE),
            symbol: (raw.r_info.get(LE) >> 32) as u32,
            relocation_type: RelocationType(raw.r_info.get(LE) as u32),
            addend: 0,
        });
        Ok(Content::Relocations {
            entries: entries.collect(),
            with_addend: false,
        })
    }

    fn read_symbols(&self, index: usize, what: &str) -> Result<Vec<Symbol>> {
        let strings = self.string_table(self.sections[index].sh_link.get(LE), what)?;
        let extended = self.extended_indices(index);
        let start = self.sections[index].sh_offset.get(LE);
        let mut symbols = Vec::new();
        for (number, raw) in self.entries::<Sym64<LE>>(index, what)?.iter().enumerate() {
            let name_offset = raw.st_name.get(LE);
            let name = self.name(&strings, name_offset).ok_or_else(|| {
                let reason = format!("name offset {name_offset:#x} is no UTF-8 string of the string table");
                CubinError::new(start + number as u64 * 24, format!("symbol {number} of {what}"), reason)
            })?;
            let section = match raw.st_shndx.get(LE).0 {
                0 => SymbolSection::Undefined,
                EXTENDED_INDEX => match extended.and_then(|table| table.get(number * 4..number * 4 + 4)) {
                    Some(word) => SymbolSection::Section(u32::from_le_bytes([word[0], word[1], word[2], word[3]])),
                    None => SymbolSection::Reserved(EXTENDED_INDEX),
                },
                reserved if reserved >= FIRST_RESERVED => SymbolSection::Reserved(reserved),
                section => SymbolSection::Section(u32::from(section)),
            };
            symbols.push(Symbol {
                name,
                name_offset: Some(name_offset),
                binding: SymbolBinding(raw.st_info.0 >> 4),
                symbol_type: SymbolType(raw.st_info.0 & 15),
                other: SymbolOther(raw.st_other.0),
                section,
                value: raw.st_value.get(LE),
                size: raw.st_size.get(LE),
            });
        }
        Ok(symbols)
    }

    /// The `SHT_SYMTAB_SHNDX` section of a symbol table: one 32-bit section index for each symbol.
    fn extended_indices(&self, symbol_table: usize) -> Option<&'data [u8]> {
        let index = self.sections.iter().position(|raw| {
            raw.sh_type.get(LE).0 == SectionType::SYMTAB_SHNDX.0 && raw.sh_link.get(LE) as usize == symbol_table
        })?;
        self.data(index, "SHT_SYMTAB_SHNDX").ok()
    }

    /// Finds the empty `.nv.merc.*` sections that mirror an empty section: the one of the same name without the
    /// prefix, at the same offset. (Mirrors of sections with bytes have their range; see [`File::new`].)
    fn share_empty_contents(&self, sections: &mut [Section]) {
        let is_empty_bytes = |section: &Section| section.bytes().is_some_and(<[u8]>::is_empty);
        let offset = |index: usize| self.sections[index].sh_offset.get(LE);
        let mut originals: HashMap<String, usize> = HashMap::new();
        for (index, section) in sections.iter_mut().enumerate() {
            if !is_empty_bytes(section) {
                continue;
            }
            let original = section
                .name
                .strip_prefix(".nv.merc")
                .and_then(|name| originals.get(name));
            match original {
                Some(&original) if offset(original) == offset(index) => {
                    section.content = Content::SharedWith(original as SectionIndex);
                }
                _ => {
                    originals.entry(section.name.clone()).or_insert(index);
                }
            }
        }
    }

    /// Compares where each structure lies with where the layout policy puts it, and notes departures.
    fn read_placements(&self, cubin: &mut Cubin, raw: &RawHeader) -> Result<()> {
        let mut cursor = HEADER_SIZE;
        let (names, strings) = cubin.policy_gaps();
        let usual_gaps = [(build::STRINGS as usize, names), (build::SYMBOLS as usize, strings)];
        for index in 1..cubin.sections.len() {
            if matches!(cubin.sections[index].content, Content::SharedWith(_)) {
                continue;
            }
            let offset = self.sections[index].sh_offset.get(LE);
            let size = self.file_size(index);
            let section = &mut cubin.sections[index];
            section.placement = match usual_gaps.iter().find(|gap| gap.0 == index) {
                Some(&(_, gap)) if self.has_gap(cursor, offset, gap, section.alignment) => {
                    Placement::After(vec![0; gap])
                }
                _ => self.placement(cursor, offset, section.alignment),
            };
            if size > 0 && offset < cursor {
                let reason = format!("begins before offset {cursor:#x}, where the structure before it ends");
                return Err(CubinError::new(
                    offset,
                    format!("section {index} ({})", section.name),
                    reason,
                ));
            }
            if size > 0 || section.placement == Placement::Policy {
                cursor = cursor.max(offset.saturating_add(size));
            }
        }
        let (table, count) = (raw.e_shoff.get(LE), cubin.sections.len() as u64);
        if table < cursor {
            let reason = format!("begins before offset {cursor:#x}, where the last section ends");
            return Err(CubinError::new(table, "section header table", reason));
        }
        cubin.section_table_placement = self.placement(cursor, table, 8);
        cursor = table + count * SECTION_HEADER_SIZE;
        if raw.e_phnum.get(LE) > 0 {
            let (offset, count) = (raw.e_phoff.get(LE), u64::from(raw.e_phnum.get(LE)));
            let table: &[RawSegment] = slice_at(self.bytes, offset, count, "program header table")?;
            if offset < cursor {
                let reason = format!("begins before offset {cursor:#x}, where the section header table ends");
                return Err(CubinError::new(offset, "program header table", reason));
            }
            cubin.segment_table_placement = self.placement(cursor, offset, 8);
            cursor = offset + table.len() as u64 * SEGMENT_HEADER_SIZE;
        }
        cubin.trailing = self.bytes[cursor as usize..].to_vec();
        Ok(())
    }

    /// Whether a gap of zero bytes and alignment stand between `cursor` and `offset`.
    fn has_gap(&self, cursor: u64, offset: u64, gap: usize, alignment: u64) -> bool {
        let between = self.bytes.get(cursor as usize..offset as usize);
        gap > 0
            && offset == align_up(cursor.saturating_add(gap as u64), alignment)
            && between.is_some_and(|bytes| bytes.iter().all(|&byte| byte == 0))
    }

    /// How a structure at `offset` follows one that ends at `cursor`.
    fn placement(&self, cursor: u64, offset: u64, alignment: u64) -> Placement {
        let gap = self.bytes.get(cursor as usize..offset as usize);
        match gap {
            Some(gap) if offset == align_up(cursor, alignment) && gap.iter().all(|&byte| byte == 0) => {
                Placement::Policy
            }
            Some(gap) if offset == align_up(offset, alignment) => Placement::After(gap.to_vec()),
            _ => Placement::At(offset),
        }
    }

    /// The last check: the model describes this file, byte for byte.
    fn confirm(&self, cubin: &Cubin) -> Result<()> {
        let written = cubin.write();
        if written == self.bytes {
            return Ok(());
        }
        let common = written.iter().zip(self.bytes).take_while(|(a, b)| a == b).count() as u64;
        let reason = "the file holds something that a cubin cannot, such as data between its structures";
        Err(CubinError::new(common, self.name_of(common), reason))
    }

    /// What lies at a file offset, for an error.
    fn name_of(&self, offset: u64) -> String {
        if offset < HEADER_SIZE {
            return "ELF header".into();
        }
        let inside = |index: &usize| {
            let start = self.sections[*index].sh_offset.get(LE);
            (start..start.saturating_add(self.file_size(*index))).contains(&offset)
        };
        match (1..self.sections.len()).find(inside) {
            Some(index) => format!("section {index}"),
            None => "header tables or padding".into(),
        }
    }
}

/// The program headers.
fn read_segments(bytes: &[u8], raw: &RawHeader, cubin: &mut Cubin) -> Result<()> {
    let count = raw.e_phnum.get(LE);
    let table: &[RawSegment] = if count == 0 {
        &[]
    } else {
        slice_at(bytes, raw.e_phoff.get(LE), u64::from(count), "program header table")?
    };
    cubin.segments = cubin.policy_segments();
    if cubin.segments.len() == table.len() && layout::segment_table(cubin) == pod::bytes_of_slice(table) {
        return Ok(());
    }
    cubin.segments.clear();
    let spans = layout::spans(cubin);
    for raw in table {
        let (offset, file_size, memory_size) = (raw.p_offset.get(LE), raw.p_filesz.get(LE), raw.p_memsz.get(LE));
        cubin.segments.push(Segment {
            segment_type: raw.p_type.get(LE).0,
            flags: raw.p_flags.get(LE).0,
            virtual_address: raw.p_vaddr.get(LE),
            physical_address: raw.p_paddr.get(LE),
            alignment: raw.p_align.get(LE),
            extent: spans.extent(cubin, offset, file_size, memory_size, table.len() as u64),
        });
    }
    Ok(())
}
