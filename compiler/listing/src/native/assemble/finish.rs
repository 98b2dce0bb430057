//! What is done when all lines are read: names become numbers, and what was left out gets its usual value.

use std::collections::HashMap;
use std::ops::Range;

use warpsmith_cubin::model::Extent;
use warpsmith_cubin::{Content, Cubin, Header, Placement, Section, SectionFlags, SectionType, Segment, SymbolSection};

use super::Assembler;
use super::data::{FixupKind, fitting};
use super::expression::{self, Value};
use super::file::SegmentDraft;
use super::lexer::{Fault, Lexer, Result};
use super::symbols::{RelocationDraft, RelocationHome, SymbolDraft};
use crate::native::usual::{self, Gaps, REGISTERS_BIT, Usual, relocation_sections};

/// The most bytes of a file that alignments and gaps may leave free.
const MOST_PADDING: u64 = 1 << 26;

/// Alignments that leave no more free than the text that asks for them has.
const SMALL_ALIGNMENT: u64 = 256;

impl Assembler<'_> {
    /// The bytes of the file, and the file; of no use if there are faults.
    pub(super) fn finish(&mut self) -> (Vec<u8>, Cubin) {
        if self.target.is_none() {
            self.faults.push(Fault::new(0..0, "there is no `.target` line"));
        }
        self.finish_branches();
        let names = self.section_names();
        self.finish_mirrors(&names);
        self.finish_symbols(&names);
        let mut cubin = Cubin {
            header: usual::unknown_header(self.file_type),
            sections: self
                .sections
                .iter_mut()
                .map(|draft| {
                    std::mem::replace(&mut draft.section, Section::new("", SectionType::NULL, SectionFlags(0)))
                })
                .collect(),
            segments: Vec::new(),
            section_table_placement: std::mem::take(&mut self.section_table),
            segment_table_placement: std::mem::take(&mut self.segment_table),
            trailing: std::mem::take(&mut self.trailing),
        };
        cubin.header = self.finish_header(&cubin);
        self.finish_references(&mut cubin, &names);
        self.finish_relocations(&mut cubin);
        self.finish_fixups(&mut cubin);
        self.finish_layout(&mut cubin, &names);
        self.check_padding(&cubin);
        let bytes = match self.faults.is_empty() {
            true => cubin.write(),
            false => Vec::new(),
        };
        (bytes, cubin)
    }

    /// Refuses a file that is mostly free space between its parts: a line of text can ask for any amount of it.
    fn check_padding(&mut self, cubin: &Cubin) {
        let padding = |placement: &Placement, alignment: u64| {
            let own = if alignment > SMALL_ALIGNMENT { alignment } else { 0 };
            own.saturating_add(match placement {
                // A place counts from the start of the file and is bounded by itself.
                Placement::Policy | Placement::At(_) => 0,
                Placement::After(gap) => gap.len() as u64,
            })
        };
        let mut left = MOST_PADDING
            .saturating_sub(padding(&cubin.section_table_placement, 0))
            .saturating_sub(padding(&cubin.segment_table_placement, 0));
        let drafts = cubin.sections.iter().zip(&self.sections);
        let over = drafts.into_iter().find(|(section, _)| {
            let own = padding(&section.placement, section.alignment);
            let fits = own <= left;
            left = left.saturating_sub(own);
            !fits
        });
        if let Some((_, draft)) = over {
            let message =
                format!("alignments and gaps up to here leave more than {MOST_PADDING} bytes of the file free");
            self.faults.push(Fault::new(draft.line.clone(), message));
        }
    }

    fn check<T>(&mut self, result: Result<T>) -> Option<T> {
        result.map_err(|fault| self.faults.push(fault)).ok()
    }

    fn section_names(&self) -> HashMap<String, u32> {
        let mut names = HashMap::with_capacity(self.sections.len());
        for (index, draft) in self.sections.iter().enumerate() {
            names.entry(draft.section.name.clone()).or_insert(index as u32);
        }
        names
    }

    /// The section that a part of the source names.
    fn section_reference(&self, source: Range<usize>, names: &HashMap<String, u32>) -> Result<u32> {
        let find = |name: &str| names.get(name).copied();
        self.reference(source, "section", find)
    }

    /// The number that a part of the source gives or names.
    fn reference(&self, source: Range<usize>, what: &str, find: impl Fn(&str) -> Option<u32>) -> Result<u32> {
        let mut line = self.lexer(source.clone());
        match line.optional_name()? {
            Some(name) => find(&name).ok_or_else(|| Fault::new(source, format!("there is no {what} `{name}`"))),
            // A number beyond the end is what it is: files may hold it.
            None => line.number64(32).map(|number| number as u32),
        }
    }

    fn sum(&self, source: Range<usize>, section: Option<u32>) -> Result<i128> {
        match expression::read(&mut Lexer::new(self.source, source), &self.labels, section)? {
            Value::Known(value) => Ok(value),
            Value::Missing(bytes) => {
                let name = &self.source[bytes.clone()];
                Err(Fault::new(bytes, format!("there is no label `{name}`")))
            }
        }
    }

    fn finish_mirrors(&mut self, names: &HashMap<String, u32>) {
        for index in 0..self.sections.len() {
            let Some(source) = self.sections[index].mirror.clone() else {
                continue;
            };
            let owner = self.section_reference(source.clone(), names).and_then(|owner| {
                let plain = |draft: &super::section::Draft| draft.mirror.is_none() && draft.section.bytes().is_some();
                let fits = self.sections.get(owner as usize).is_some_and(plain);
                if fits {
                    Ok(owner)
                } else {
                    Err(Fault::new(source, "a mirror is of a section that has bytes of its own"))
                }
            });
            let is_empty = self.sections[index].section.bytes().is_some_and(<[u8]>::is_empty);
            if !is_empty {
                let line = self.sections[index].line.clone();
                self.faults.push(Fault::new(line, "a mirror has no content of its own"));
            } else if let Some(owner) = self.check(owner) {
                self.sections[index].section.content = Content::SharedWith(owner);
            }
        }
    }

    fn finish_symbols(&mut self, names: &HashMap<String, u32>) {
        let is_symtab = |draft: &super::section::Draft| draft.section.section_type == SectionType::SYMTAB;
        let main = self.sections.iter().position(is_symtab);
        for draft in std::mem::take(&mut self.symbols) {
            let finished = self.finish_symbol(&draft, main == Some(draft.table as usize), names);
            let Some((home, value, size)) = self.check(finished) else {
                continue;
            };
            if let Content::Symbols(symbols) = &mut self.sections[draft.table as usize].section.content
                && let Some(symbol) = symbols.get_mut(draft.number as usize)
            {
                symbol.section = home.map_or(symbol.section, SymbolSection::Section);
                (symbol.value, symbol.size) = (value, size);
            }
        }
    }

    /// Section, value and size.
    fn finish_symbol(
        &self,
        draft: &SymbolDraft,
        is_main: bool,
        names: &HashMap<String, u32>,
    ) -> Result<(Option<u32>, u64, u64)> {
        let home = draft
            .home
            .clone()
            .map(|home| self.section_reference(home, names))
            .transpose()?;
        let number = |source: &Option<Range<usize>>| match source {
            Some(source) => fitting(self.sum(source.clone(), home)?, 8, source.clone()).map(Some),
            None => Ok(None),
        };
        let value = match number(&draft.value)? {
            Some(value) => value,
            None if is_main => self.symbol_label(draft, home),
            None => 0,
        };
        Ok((home, value, number(&draft.size)?.unwrap_or(0)))
    }

    /// The offset of the label that has the symbol's name, in the symbol's section; 0 where there is none.
    fn symbol_label(&self, draft: &SymbolDraft, home: Option<u32>) -> u64 {
        let Content::Symbols(symbols) = &self.sections[draft.table as usize].section.content else {
            return 0;
        };
        let label = symbols
            .get(draft.number as usize)
            .and_then(|symbol| self.labels.get(symbol.name.as_str()));
        label.filter(|label| Some(label.0) == home).map_or(0, |label| label.1)
    }

    fn finish_header(&self, cubin: &Cubin) -> Header {
        let usual = usual::header(cubin, self.target.flatten(), self.file_type);
        let given = &self.header;
        Header {
            os_abi: given.os_abi.unwrap_or(usual.os_abi),
            abi_version: given.abi_version.unwrap_or(usual.abi_version),
            file_type: self.file_type,
            version: given.version.unwrap_or(usual.version),
            entry: given.entry.unwrap_or(usual.entry),
            flags: given.flags.map_or(usual.flags, warpsmith_cubin::Flags),
            segment_header_size: given.segment_header_size.unwrap_or(usual.segment_header_size),
            section_names: given.section_names.unwrap_or(usual.section_names),
        }
    }

    /// `sh_link`, `sh_info`, alignment and entry size.
    fn finish_references(&mut self, cubin: &mut Cubin, names: &HashMap<String, u32>) {
        let usual = Usual::new(cubin);
        let mut found = Vec::with_capacity(cubin.sections.len());
        for (index, section) in cubin.sections.iter().enumerate() {
            let given = self.sections[index]
                .link
                .clone()
                .map(|link| self.section_reference(link, names));
            let link = match given {
                Some(link) => self.check(link).unwrap_or(0),
                None => usual.link(section),
            };
            let draft = &self.sections[index];
            let info = draft.info.unwrap_or_else(|| usual.info(section, link));
            found.push((link, info | draft.registers << REGISTERS_BIT));
        }
        for (index, (link, info)) in found.into_iter().enumerate() {
            let (section, draft) = (&mut cubin.sections[index], &self.sections[index]);
            (section.link, section.info) = (link, info);
            section.alignment = draft.alignment.unwrap_or_else(|| usual::alignment(section));
            section.entry_size = draft.entry_size.unwrap_or_else(|| usual::entry_size(section));
        }
    }

    fn finish_relocations(&mut self, cubin: &mut Cubin) {
        let homes = relocation_sections(cubin);
        let drafts = std::mem::take(&mut self.relocations);
        let usual = Usual::new(cubin);
        let mut found = Vec::with_capacity(drafts.len());
        for draft in &drafts {
            let finished = self.finish_relocation(draft, &homes, cubin, &usual);
            found.extend(self.check(finished));
        }
        for (home, relocation) in found {
            if let Content::Relocations { entries, .. } = &mut cubin.sections[home as usize].content {
                entries.push(relocation);
            }
        }
        for (section, draft) in cubin.sections.iter_mut().zip(&self.sections) {
            if let Content::Relocations { entries, .. } = &mut section.content
                && draft.is_descending
            {
                entries.reverse();
            }
        }
    }

    fn finish_relocation(
        &self,
        draft: &RelocationDraft,
        homes: &HashMap<(u32, bool), u32>,
        cubin: &Cubin,
        usual: &Usual<'_>,
    ) -> Result<(u32, warpsmith_cubin::Relocation)> {
        let home = match draft.home {
            RelocationHome::In(home) => home,
            RelocationHome::For(target, with_addend) => *homes.get(&(target, with_addend)).ok_or_else(|| {
                let kind = if with_addend { "RELA" } else { "REL" };
                let name = &cubin.sections[target as usize].name;
                Fault::new(
                    draft.directive.clone(),
                    format!("there is no {kind} section for {name} that it could stand in"),
                )
            })?,
        };
        let mut relocation = draft.relocation;
        relocation.symbol = self.symbol_reference(draft.symbol.clone(), cubin.sections[home as usize].link, usual)?;
        if let Some(addend) = &draft.addend {
            relocation.addend = fitting(self.sum(addend.clone(), None)?, 8, addend.clone())? as i64;
        }
        Ok((home, relocation))
    }

    fn symbol_reference(&self, source: Range<usize>, table: u32, usual: &Usual<'_>) -> Result<u32> {
        self.reference(source, "symbol", |name| usual.symbol(table, name))
    }

    fn finish_fixups(&mut self, cubin: &mut Cubin) {
        let fixups = std::mem::take(&mut self.fixups);
        let usual = Usual::new(cubin);
        let mut values = Vec::with_capacity(fixups.len());
        for fixup in &fixups {
            let section = &cubin.sections[fixup.section as usize];
            let source = fixup.source.clone();
            let value = match fixup.kind {
                FixupKind::Symbol => self.symbol_reference(source, section.link, &usual).map(u64::from),
                FixupKind::Sum => self
                    .sum(source.clone(), None)
                    .and_then(|value| fitting(value, fixup.size, source)),
                FixupKind::CodeOffset => {
                    let value = self.sum(source.clone(), Some(section.info));
                    value.and_then(|value| fitting(value, fixup.size, source))
                }
            };
            values.push(self.check(value).unwrap_or(0));
        }
        for (fixup, value) in fixups.iter().zip(values) {
            if let Content::Bytes(bytes) = &mut cubin.sections[fixup.section as usize].content
                && let Some(place) = bytes.get_mut(fixup.at..fixup.at + fixup.size)
            {
                place.copy_from_slice(&value.to_le_bytes()[..fixup.size]);
            }
        }
    }

    /// Where the sections lie, and what the program headers cover.
    fn finish_layout(&mut self, cubin: &mut Cubin, names: &HashMap<String, u32>) {
        let gaps = Gaps::new(cubin);
        for (index, draft) in self.sections.iter_mut().enumerate() {
            cubin.sections[index].placement = draft.placement.take().unwrap_or_else(|| gaps.placement(index as u32));
        }
        match self.segments.take() {
            None => cubin.segments = cubin.policy_segments(),
            Some(drafts) => {
                for draft in &drafts {
                    let segment = self.segment(draft, names);
                    cubin.segments.extend(self.check(segment));
                }
            }
        }
    }

    fn segment(&self, draft: &SegmentDraft, names: &HashMap<String, u32>) -> Result<Segment> {
        let extent = match (&draft.first, &draft.last) {
            _ if draft.is_table => Extent::SegmentTable,
            (Some(first), Some(last)) => Extent::Sections {
                first: self.section_reference(first.clone(), names)?,
                last: self.section_reference(last.clone(), names)?,
            },
            (Some(only), None) | (None, Some(only)) => {
                return Err(Fault::new(only.clone(), "a segment has a first and a last section"));
            }
            (None, None) => Extent::Raw {
                offset: draft.raw.0,
                file_size: draft.raw.1,
                memory_size: draft.raw.2,
            },
        };
        Ok(Segment {
            segment_type: draft.segment_type,
            flags: draft.flags,
            virtual_address: draft.virtual_address,
            physical_address: draft.physical_address,
            alignment: draft.alignment,
            extent,
        })
    }
}
