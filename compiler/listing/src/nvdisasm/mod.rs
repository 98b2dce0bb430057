//! Listings whose text equals nvdisasm's (13.5).
//!
//! A listing is made in two passes: the first finds every place that needs a label (their numbers are
//! part of the text), the second prints section after section. Each section goes to the output as soon
//! as it is done.

mod attribute;
mod data;
mod directive;
pub(crate) mod info;
mod json;
mod jump;
mod note;
pub(crate) mod text;

use std::collections::{HashMap, HashSet};
use std::io::Write;

use warpsmith_cubin::{Cubin, Section, SectionType, SymbolSection};
use warpsmith_target::Isa;

use crate::code::{BranchFinder, isa_of};
use crate::error::ListingError;
use crate::labels::{CodeLabels, INSTRUCTION, code_reference};
use crate::lines::Lines;
use crate::options::{LineInfo, ListingOptions};
use crate::relocation::Field;
use crate::view::{View, is_code};

/// A listing in the making.
pub(crate) struct Listing<'a> {
    view: View<'a>,
    options: &'a ListingOptions,
    isa: Isa,
    code_labels: CodeLabels,
    /// Labels in sections that are no code: place to number.
    data_labels: HashMap<(u32, u64), u32>,
    next_data_label: u32,
    /// Items of the `.nv.info` sections, by section.
    infos: HashMap<u32, Vec<info::Item>>,
    /// Targets of indirect branches: section and address of the branch to addresses.
    branch_targets: HashMap<(u32, u64), Vec<u64>>,
    /// Instructions that spill or refill a register: section and address.
    spills: HashSet<(u32, u64)>,
    /// Indirect branches through a table that a relocation names: section and address.
    table_branches: HashSet<(u32, u64)>,
    /// The tables: symbol, and the code section whose places they list.
    jump_tables: Vec<(u32, u32)>,
    /// Source lines, where they are shown.
    lines: Lines,
    /// Length of the longest instruction, with its guard; 0 where nothing depends on it.
    widest: usize,
    /// Columns from an instruction's text to its word.
    encoding_column: usize,
    /// The text of the section in hand.
    out: String,
}

/// Writes the listing of a file.
pub(crate) fn disassemble(cubin: &Cubin, options: &ListingOptions, out: &mut dyn Write) -> Result<(), ListingError> {
    let mut listing = Listing::new(cubin, options)?;
    listing.number_labels()?;
    if options.json {
        listing.write_json()?;
        out.write_all(listing.out.as_bytes())?;
        return Ok(());
    }
    listing.measure()?;
    listing.write_header();
    for index in listing.section_order() {
        listing.write_section(index)?;
        listing.flush(out)?;
    }
    listing.write_undefined_symbols();
    if options.raw && listing.out.ends_with('\n') {
        listing.out.pop();
    }
    listing.flush(out)
}

/// Whether nvdisasm shows a section at all. Observed: 13.5 leaves out tables that belong to the ELF
/// container, and every type below the processor range that it has no name for.
fn is_listed(section: &Section) -> bool {
    let kind = section.section_type.0;
    let named = matches!(
        section.section_type,
        SectionType::PROGBITS | SectionType::NOTE | SectionType::NOBITS
    );
    (named || (kind >= 0x6000_0000 && kind != 0x7000_0003)) && !section.is_mercury()
}

impl<'a> Listing<'a> {
    fn new(cubin: &'a Cubin, options: &'a ListingOptions) -> Result<Self, ListingError> {
        let view = View::new(cubin);
        let selected = selected_sections(&view, &options.functions);
        let code_labels = CodeLabels::new(&view, |section| {
            selected.as_ref().is_none_or(|list| list.contains(&section))
        });
        let lines = match options.line_info {
            LineInfo::None => Lines::default(),
            LineInfo::Lines | LineInfo::Inlined => Lines::read(&view, ".debug_line")?,
            LineInfo::Ptx => Lines::read(&view, ".nv_debug_line_sass")?,
        };
        let isa = isa_of(cubin)?;
        Ok(Listing {
            view,
            options,
            isa,
            code_labels,
            data_labels: HashMap::new(),
            next_data_label: 0,
            infos: HashMap::new(),
            branch_targets: HashMap::new(),
            spills: HashSet::new(),
            table_branches: HashSet::new(),
            jump_tables: Vec::new(),
            lines,
            widest: 0,
            encoding_column: 0,
            out: String::new(),
        })
    }

    /// Hands over the text so far.
    fn flush(&mut self, out: &mut dyn Write) -> Result<(), ListingError> {
        if self.options.raw {
            self.out = with_blanks(&self.out);
        }
        out.write_all(self.out.as_bytes())?;
        self.out.clear();
        Ok(())
    }

    /// The sections that are listed, in order.
    fn section_order(&self) -> Vec<u32> {
        let sections = &self.view.cubin.sections;
        let mut order: Vec<u32> = (0..sections.len() as u32)
            .filter(|&index| {
                let section = &sections[index as usize];
                let wanted = if is_code(section) {
                    self.code_labels.covers(index)
                } else {
                    !self.options.code_only
                };
                is_listed(section) && wanted
            })
            .collect();
        if self.options.sort_sections {
            order.sort_by(|&a, &b| sections[a as usize].name.cmp(&sections[b as usize].name));
        }
        order
    }

    fn section(&self, index: u32) -> &'a Section {
        let cubin = self.view.cubin;
        &cubin.sections[index as usize]
    }

    fn bytes(&self, index: u32) -> &'a [u8] {
        let cubin = self.view.cubin;
        cubin.section_bytes(index).unwrap_or(&[])
    }

    /// The first pass.
    fn number_labels(&mut self) -> Result<(), ListingError> {
        let count = self.view.cubin.sections.len() as u32;
        for index in 0..count {
            if self.code_labels.covers(index) {
                self.number_references(index);
            }
        }
        let mut finder = BranchFinder::new(self.isa);
        for index in 0..count {
            if self.code_labels.covers(index) {
                self.find_jump_tables(index);
                self.number_branches(&mut finder, index);
            }
        }
        self.number_symbol_ends(false);
        for index in 0..count {
            let section = self.section(index);
            if section.section_type == SectionType::CUDA_INFO {
                self.number_info(index)?;
            } else if is_listed(section) && !is_code(section) {
                self.number_references(index);
                self.number_jump_tables(index);
            }
        }
        self.number_symbol_ends(true);
        Ok(())
    }

    /// Labels for the branches of a code section.
    fn number_branches(&mut self, finder: &mut BranchFinder, section: u32) {
        let mut fixups = self.view.fixups(section).iter().peekable();
        for (position, word) in self.bytes(section).chunks_exact(INSTRUCTION as usize).enumerate() {
            let address = position as u64 * INSTRUCTION;
            let mut relocated = false;
            while let Some(fixup) = fixups.next_if(|fixup| fixup.offset < address + INSTRUCTION) {
                relocated |= Field::of(fixup.kind).is_some();
            }
            if self.is_table_branch(section, address) {
                self.code_labels.skip();
            }
            let word = u128::from_le_bytes(word.try_into().expect("chunks of 16 bytes"));
            let target = finder.target(word, address);
            if let (Some(target), false) = (target, relocated) {
                self.code_labels.need(&self.view, section, target);
            }
        }
    }

    fn is_table_branch(&self, section: u32, address: u64) -> bool {
        !self.table_branches.is_empty() && self.table_branches.contains(&(section, address))
    }

    /// Labels for the relocations of a section.
    fn number_references(&mut self, section: u32) {
        for fixup in self.view.fixups(section) {
            if fixup.addend != 0
                && let Some(target) = code_reference(&self.view, fixup.symbol)
            {
                self.code_labels.need(&self.view, target, fixup.addend as u64);
            }
        }
    }

    /// Labels for the payloads of a `.nv.info` section and for the places in code that they name.
    fn number_info(&mut self, index: u32) -> Result<(), ListingError> {
        let section = self.section(index);
        let items = info::items(self.bytes(index))
            .map_err(|bad| ListingError::at(&section.name, bad.offset as u64, bad.reason))?;
        let code = self.info_target(section);
        for item in &items {
            match item.value {
                info::Value::Size(size) => {
                    let start = item.offset as u64 + 2;
                    self.need_data_label(index, start);
                    self.need_data_label(index, start + u64::from(size));
                }
                info::Value::Code(address) => {
                    if let Some(code) = code {
                        self.code_labels.need_counted(&self.view, code, u64::from(address));
                    }
                }
                _ => {}
            }
        }
        if let Some(code) = code {
            for (branch, targets) in info::branch_targets(&items) {
                let mut known = HashSet::new();
                let targets = targets
                    .into_iter()
                    .map(u64::from)
                    .filter(|&target| known.insert(target))
                    .collect();
                self.branch_targets.insert((code, u64::from(branch)), targets);
            }
            self.spills
                .extend(info::spills(&items).into_iter().map(|place| (code, u64::from(place))));
        }
        self.infos.insert(index, items);
        Ok(())
    }

    /// The code section that the offsets of a `.nv.info` section mean.
    fn info_target(&self, section: &Section) -> Option<u32> {
        let target = section.info;
        self.code_labels.covers(target).then_some(target)
    }

    fn need_data_label(&mut self, section: u32, offset: u64) {
        let number = self.next_data_label;
        self.next_data_label += 1;
        self.data_labels.entry((section, offset)).or_insert(number);
    }

    /// Labels for the ends of symbols: in code, or in data.
    fn number_symbol_ends(&mut self, code: bool) {
        for index in 1..self.view.symbols.len() as u32 {
            let symbol = &self.view.symbols[index as usize];
            let SymbolSection::Section(section) = symbol.section else {
                continue;
            };
            let Some(place) = self.view.cubin.section(section) else {
                continue;
            };
            if symbol.size == 0 || is_code(place) != code || directive::is_reserved(symbol) {
                continue;
            }
            let end = symbol.value.saturating_add(symbol.size);
            if code {
                self.code_labels.need_counted(&self.view, section, end);
            } else {
                self.need_data_label(section, end);
            }
        }
    }

    fn write_section(&mut self, index: u32) -> Result<(), ListingError> {
        self.write_section_header(index);
        let section = self.section(index);
        if is_code(section) {
            return self.write_code(index);
        }
        match section.section_type {
            SectionType::CUDA_INFO => self.write_info(index),
            SectionType::NOTE => self.write_note(index),
            _ => self.write_data(index)?,
        }
        Ok(())
    }
}

/// The text with its tabs as blanks, to columns that are multiples of 8.
fn with_blanks(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut column = 0;
    for c in text.chars() {
        match c {
            '\t' => {
                let width = 8 - column % 8;
                out.extend(std::iter::repeat_n(' ', width));
                column += width;
            }
            '\n' => {
                out.push(c);
                column = 0;
            }
            _ => {
                out.push(c);
                column += 1;
            }
        }
    }
    out
}

/// The code sections that hold the wanted functions; `None` where there is no restriction. Symbols of
/// other sections select no code (observed: nvdisasm 13.5).
fn selected_sections(view: &View, functions: &[u32]) -> Option<Vec<u32>> {
    if functions.is_empty() {
        return None;
    }
    let sections = functions.iter().filter_map(|&function| view.section_of(function));
    Some(
        sections
            .filter(|&section| is_code(&view.cubin.sections[section as usize]))
            .collect(),
    )
}
