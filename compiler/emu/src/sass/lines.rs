//! Source lines of steps, from `.debug_line`.

use gimli::{DebugLine, DebugLineOffset, EndianSlice, LineProgramHeader, LineRow, LittleEndian};
use warpsmith_cubin::{Cubin, Symbol};

use super::{
    code::{Pc, step_at},
    load::section_addends,
};

type Slice<'s> = EndianSlice<'s, LittleEndian>;

/// The lines of a cubin, and the files that they are in.
#[derive(Debug, Default)]
pub(crate) struct Lines {
    /// First step, index of the file, line; in order of the step.
    pub(crate) rows: Vec<(Pc, u32, u32)>,
    pub(crate) files: Vec<String>,
}

impl Lines {
    /// Reads what there is; `address` gives that of a symbol. A table that cannot be read has no lines from there on: they are only for messages.
    pub(crate) fn read(cubin: &Cubin, address: impl Fn(&Symbol) -> Option<u64>) -> Lines {
        let mut lines = Lines::default();
        let Some((index, section)) = cubin.section_by_name(".debug_line") else {
            return lines;
        };
        let mut bytes = section.bytes().unwrap_or_default().to_vec();
        let beside = section_addends(cubin, index as usize);
        for relocation in cubin.relocations_for(index) {
            let symbol = cubin.symbol(relocation.symbol).and_then(&address);
            let start = usize::try_from(relocation.offset).unwrap_or(usize::MAX);
            let field = start.checked_add(8).and_then(|end| bytes.get_mut(start..end));
            if let (Some(symbol), Some(field)) = (symbol, field) {
                let addend = match beside {
                    true => relocation.addend as u64,
                    false => field.iter().rev().fold(0, |all, byte| all << 8 | u64::from(*byte)),
                };
                field.copy_from_slice(&symbol.wrapping_add(addend).to_le_bytes());
            }
        }
        // What follows a unit that cannot be read is not looked at.
        let _ = lines.units(&bytes);
        lines.rows.sort_by_key(|row| row.0);
        lines
    }

    fn units(&mut self, bytes: &[u8]) -> gimli::Result<()> {
        let section = DebugLine::new(bytes, LittleEndian);
        let mut offset = 0_usize;
        while let Some(length) = bytes.get(offset..offset.saturating_add(4)) {
            let length = length
                .iter()
                .rev()
                .fold(0, |all: usize, byte| all << 8 | usize::from(*byte));
            let mut program = section.program(DebugLineOffset(offset), 8, None, None)?;
            let header = program.header().clone();
            let first = self.files.len() as u32;
            let count = header.file_names().len().max(1) as u64;
            self.files.extend((0..=count).map(|index| file_name(&header, index)));
            let mut row = LineRow::new(&header);
            let mut instructions = header.instructions();
            while let Some(instruction) = instructions.next_instruction(&header)? {
                if !row.execute(instruction, &mut program)? {
                    continue;
                }
                let line = row.line().map_or(0, |line| line.get() as u32);
                if let (Some(pc), false) = (step_at(row.address()), row.end_sequence()) {
                    self.rows
                        .push((pc, first + (row.file_index() as u32).min(count as u32), line));
                }
                row.reset(&header);
            }
            offset = offset.saturating_add(length).saturating_add(4);
        }
        Ok(())
    }
}

/// The name of a file; empty where there is none.
fn file_name(header: &LineProgramHeader<Slice<'_>>, index: u64) -> String {
    let text = |value: Option<gimli::AttributeValue<Slice<'_>>>| match value {
        Some(gimli::AttributeValue::String(text)) => text.to_string_lossy().into_owned(),
        _ => String::new(),
    };
    let Some(file) = header.file(index) else {
        return String::new();
    };
    let directory = match file.directory_index() {
        0 => String::new(),
        _ => text(file.directory(header)),
    };
    match (directory.as_str(), text(Some(file.path_name()))) {
        ("", name) => name,
        (directory, name) => format!("{directory}/{name}"),
    }
}
