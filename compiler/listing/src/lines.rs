//! Source lines of instructions, from `.debug_line` or `.nv_debug_line_sass`.
//!
//! Both are DWARF line tables with one extension: extended opcode 0x90 says that the rows after it were
//! inlined, and gives the number of the row of the call (from 1,
//! in the function's sequence), then the function's name as an offset
//! in `.debug_str`; row 0 ends that. Observed: ptxas 13.0 and nvdisasm 13.5.

use std::collections::HashMap;

use gimli::{DebugLine, DebugLineOffset, EndianSlice, LineInstruction, LineRow, LittleEndian, Reader};

use crate::error::ListingError;
use crate::view::View;

/// Extended opcode: the rows that follow are inlined.
const INLINED_CALL: u8 = 0x90;
/// The file that lines without a file name mean: the PTX text in the section of this name.
const PTX_TEXT: &str = ".nv_debug_ptx_txt";
/// Bits of an address that hold the offset in a section; the section's index is above.
const OFFSET_BITS: u32 = 40;

type Slice<'a> = EndianSlice<'a, LittleEndian>;

/// A row of a line table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Row {
    /// Index into [`Lines::files`].
    pub file: u32,
    pub line: u32,
    /// Index into [`Lines::rows`] of the call that this was inlined at.
    pub call: Option<u32>,
}

/// The line tables of a file.
#[derive(Default)]
pub(crate) struct Lines {
    /// File names with their directories.
    pub files: Vec<String>,
    /// All rows.
    pub rows: Vec<Row>,
    /// For each code section: address and row, by address.
    places: HashMap<u32, Vec<(u64, u32)>>,
}

impl Lines {
    /// Reads the line tables in the section of this name; none where there is no such section.
    pub(crate) fn read(view: &View, section: &str) -> Result<Lines, ListingError> {
        let mut lines = Lines::default();
        let Some((index, _)) = view.cubin.section_by_name(section) else {
            return Ok(lines);
        };
        let bytes = with_section_addresses(view, index);
        lines
            .read_units(&bytes)
            .map_err(|error| ListingError::at(section, 0, error.to_string()))?;
        for places in lines.places.values_mut() {
            places.sort_by_key(|place| place.0);
        }
        Ok(lines)
    }

    /// The places of a code section where a row starts, by address.
    pub(crate) fn places(&self, section: u32) -> &[(u64, u32)] {
        self.places.get(&section).map_or(&[], Vec::as_slice)
    }

    fn read_units(&mut self, bytes: &[u8]) -> gimli::Result<()> {
        let debug_line = DebugLine::new(bytes, LittleEndian);
        let mut offset = 0;
        while offset + 4 < bytes.len() {
            let length = u32::from_le_bytes([bytes[offset], bytes[offset + 1], bytes[offset + 2], bytes[offset + 3]]);
            let mut program = debug_line.program(DebugLineOffset(offset), 8, None, None)?;
            self.read_program(&mut program)?;
            offset += length as usize + 4;
        }
        Ok(())
    }

    fn read_program(&mut self, program: &mut gimli::IncompleteLineProgram<Slice<'_>>) -> gimli::Result<()> {
        let first_file = self.files.len() as u32;
        let header = program.header().clone();
        let count = header.file_names().len().max(1) as u64;
        self.files.extend((0..=count).map(|index| file_name(&header, index)));
        let mut first_row = self.rows.len() as u32;
        let mut call = None;
        let mut row = LineRow::new(&header);
        let mut instructions = header.instructions();
        while let Some(instruction) = instructions.next_instruction(&header)? {
            if let LineInstruction::UnknownExtended(gimli::DwLne(INLINED_CALL), mut operands) = instruction {
                let number = operands.read_uleb128()? as u32;
                call = number.checked_sub(1).map(|number| first_row + number);
                continue;
            }
            if !row.execute(instruction, program)? {
                continue;
            }
            let line = row.line().map_or(0, |line| line.get() as u32);
            let file = first_file + row.file_index() as u32;
            let number = self.rows.len() as u32;
            let call = call.filter(|&call| call < number);
            self.rows.push(Row { file, line, call });
            if row.end_sequence() {
                first_row = number + 1;
            } else {
                let place = (row.address() & ((1 << OFFSET_BITS) - 1), number);
                self.places
                    .entry((row.address() >> OFFSET_BITS) as u32)
                    .or_default()
                    .push(place);
            }
            row.reset(&header);
        }
        Ok(())
    }
}

fn file_name(header: &gimli::LineProgramHeader<Slice<'_>>, index: u64) -> String {
    let text = |value: Option<gimli::AttributeValue<Slice<'_>>>| match value {
        Some(gimli::AttributeValue::String(text)) => text.to_string_lossy().into_owned(),
        _ => String::new(),
    };
    let Some(file) = header.file(index) else {
        return PTX_TEXT.to_owned();
    };
    let directory = if file.directory_index() == 0 {
        String::new()
    } else {
        text(file.directory(header))
    };
    let name = text(Some(file.path_name()));
    if directory.is_empty() {
        name
    } else {
        format!("{directory}/{name}")
    }
}

/// The bytes of a section with each relocated address replaced by the section and offset that it means.
fn with_section_addresses(view: &View, index: u32) -> Vec<u8> {
    let mut bytes = view.cubin.section_bytes(index).unwrap_or(&[]).to_vec();
    for fixup in view.fixups(index) {
        let Some(section) = view.section_of(fixup.symbol) else {
            continue;
        };
        let symbol = &view.symbols[fixup.symbol as usize];
        let place = symbol.value.wrapping_add(fixup.addend as u64) & ((1 << OFFSET_BITS) - 1);
        let address = u64::from(section) << OFFSET_BITS | place;
        let at = fixup.offset as usize;
        if let Some(field) = bytes.get_mut(at..at.saturating_add(8)) {
            field.copy_from_slice(&address.to_le_bytes());
        }
    }
    bytes
}
