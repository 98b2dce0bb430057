//! Source lines of steps, from `.debug_line`, with the calls to which their functions were copied.

use gimli::{
    DebugLine, DebugLineOffset, EndianSlice, LineInstruction, LineProgramHeader, LineRow, LittleEndian, Reader,
};
use warpsmith_cubin::{Cubin, Symbol};

use super::{
    code::{Pc, Program, code_address, step_at},
    load::section_addends,
};
use crate::{Fault, FaultKind, Place};

type Slice<'s> = EndianSlice<'s, LittleEndian>;

/// The vendor's operation that says which call the next rows were copied to: the number of the call's row in the function, and the offset of the function's
/// name in `.debug_str`.
const INLINED: u8 = 0x90;
/// How many calls around a line are told of.
const MOST_CALLERS: usize = 16;

/// A row of the table.
#[derive(Clone, Copy, Debug)]
struct Row {
    /// The first step that it is about.
    pc: Pc,
    /// Index into [`Lines::files`].
    file: u32,
    line: u32,
    column: u32,
    /// Index into [`Lines::rows`] of the call to which the function was copied, and the offset of the function's name.
    call: Option<(u32, u64)>,
}

/// The lines of a cubin, and the files that they are in.
#[derive(Debug, Default)]
pub(crate) struct Lines {
    rows: Vec<Row>,
    /// Indices of rows in order of their steps.
    order: Vec<u32>,
    files: Vec<String>,
    /// `.debug_str`.
    names: Vec<u8>,
    /// First step and line of the PTX, in order of the step.
    ptx: Vec<(Pc, u32)>,
}

impl Lines {
    /// The line of a step, and those of the calls to which its function was copied, the innermost first.
    pub(crate) fn places(&self, pc: Pc) -> Vec<Place> {
        let after = self.order.partition_point(|row| self.rows[*row as usize].pc <= pc);
        let mut next = after.checked_sub(1).map(|index| self.order[index]);
        let mut places = Vec::new();
        while let Some(row) = next.and_then(|index| self.rows.get(index as usize)) {
            if row.line == 0 || places.len() > MOST_CALLERS {
                break;
            }
            places.push(Place {
                file: self.files.get(row.file as usize).cloned().unwrap_or_default(),
                line: row.line,
                column: row.column,
                function: row.call.and_then(|(_, name)| self.name(name)),
            });
            next = row.call.map(|(call, _)| call);
        }
        places
    }

    fn name(&self, offset: u64) -> Option<String> {
        let rest = self.names.get(usize::try_from(offset).ok()?..)?;
        let end = rest.iter().position(|byte| *byte == 0)?;
        Some(String::from_utf8_lossy(&rest[..end]).into_owned()).filter(|name| !name.is_empty())
    }

    /// Reads what there is; `address` gives that of a symbol. A table that cannot be read has no lines from there on: they are only for messages.
    pub(crate) fn read(cubin: &Cubin, address: impl Fn(&Symbol) -> Option<u64>) -> Lines {
        let mut lines = Lines::table(cubin, ".debug_line", &address);
        if let Some((_, section)) = cubin.section_by_name(".debug_str") {
            lines.names = section.bytes().unwrap_or_default().to_vec();
        }
        let ptx = Lines::table(cubin, ".nv_debug_line_sass", &address);
        let rows = ptx.order.iter().filter_map(|row| ptx.rows.get(*row as usize));
        lines.ptx = rows.map(|row| (row.pc, row.line)).collect();
        lines
    }

    /// The line of the PTX that a step was made from.
    pub(crate) fn ptx_line(&self, pc: Pc) -> Option<u32> {
        let index = self.ptx.partition_point(|(start, _)| *start <= pc).checked_sub(1)?;
        self.ptx.get(index).map(|(_, line)| *line)
    }

    fn table(cubin: &Cubin, name: &str, address: impl Fn(&Symbol) -> Option<u64>) -> Lines {
        let mut lines = Lines::default();
        let Some((index, section)) = cubin.section_by_name(name) else {
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
        lines.order = (0..lines.rows.len() as u32).collect();
        lines.order.sort_by_key(|row| lines.rows[*row as usize].pc);
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
            // The rows of the function so far, and what the next ones were copied to.
            let (mut start, mut call) = (self.rows.len(), None);
            while let Some(instruction) = instructions.next_instruction(&header)? {
                if let LineInstruction::UnknownExtended(code, mut operands) = instruction
                    && code.0 == INLINED
                {
                    let (number, name) = (operands.read_uleb128()?, operands.read_uleb128()?);
                    // Only rows that are there already can be called from, so that chains end.
                    let index = usize::try_from(number).ok().and_then(|number| number.checked_sub(1));
                    let index = index.and_then(|index| start.checked_add(index));
                    call = index
                        .filter(|index| *index < self.rows.len())
                        .map(|index| (index as u32, name));
                }
                if !row.execute(instruction, &mut program)? {
                    continue;
                }
                if row.end_sequence() {
                    (start, call) = (self.rows.len(), None);
                } else {
                    self.rows.push(Row {
                        pc: step_at(row.address()).unwrap_or(Pc::MAX),
                        file: first + (row.file_index() as u32).min(count as u32),
                        line: row.line().map_or(0, |line| line.get() as u32),
                        column: match row.column() {
                            gimli::ColumnType::LeftEdge => 0,
                            gimli::ColumnType::Column(column) => column.get() as u32,
                        },
                        call,
                    });
                }
                row.reset(&header);
            }
            offset = offset.saturating_add(length).saturating_add(4);
        }
        Ok(())
    }
}

impl Program {
    /// A fault of no kind yet at a step.
    pub(crate) fn placed(&self, pc: Pc) -> Fault {
        let function = self.function(pc);
        let offset = function.map_or_else(|| code_address(pc), |function| u64::from(pc - function.start) * 16);
        let text = match self.instructions.get(pc as usize) {
            Some(Some(instruction)) => Some(instruction.to_string()),
            Some(None) | None => None,
        };
        let mut callers = self.lines.places(pc);
        if let (Some(outermost), Some(function)) = (callers.last_mut(), function) {
            outermost.function.get_or_insert_with(|| function.name.clone());
        }
        let place = (!callers.is_empty()).then(|| callers.remove(0));
        Fault {
            function: function.map(|function| function.name.clone()),
            instruction: text.map(|text| format!("{offset:#06x}: {text}")),
            line: self.lines.ptx_line(pc),
            place,
            callers,
            ..Fault::new(FaultKind::Race, "")
        }
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
