//! Line information: `.debug_line` (places in the source that PTX names), `.nv_debug_line_sass` (lines of the PTX) and `.nv_debug_ptx_txt` (the PTX itself).
//!
//! Both tables are DWARF 2, as observed of ptxas 13.0.88. A row stands for a function that was inlined where an extended operation before it says so: it
//! names the row of the call and the function's name in `.debug_str`. ptxas looks the time and size of source files up; here they are 0, unless the PTX says
//! them, so that equal texts give equal files.

use std::collections::BTreeMap;

use warpsmith_ptx::{locations::DebugStrings, module::Module};

use super::{
    Compiled,
    chain::{Chains, InlinedFunction, Step},
    frame::unsigned,
    text::WORD,
};
use crate::ir::SourcePlace;

/// `DW_LNS_copy`
const COPY: u8 = 1;
/// `DW_LNS_advance_pc`
const ADVANCE_PC: u8 = 2;
/// `DW_LNS_advance_line`
const ADVANCE_LINE: u8 = 3;
/// `DW_LNS_set_file`
const SET_FILE: u8 = 4;
/// `DW_LNE_end_sequence`
const END_SEQUENCE: u8 = 1;
/// `DW_LNE_set_address`
const SET_ADDRESS: u8 = 2;
/// The vendor's operation that says what the next rows are inlined into: number of a row, and offset of the function's name.
const INLINED: u8 = 0x90;
/// The first special operation.
const FIRST_SPECIAL: i64 = 10;
/// The least advance of the line by a special operation.
const LINE_BASE: i64 = -5;
/// How many advances of the line special operations have.
const LINE_RANGE: i64 = 14;

/// What stands in the header after its length: sizes, and the number of operands of each standard operation.
const PARAMETERS: [u8; 14] = [1, 1, 0xfb, 14, 10, 0, 1, 1, 1, 1, 0, 0, 0, 1];

/// A line table as it grows.
#[derive(Debug, Default)]
pub(super) struct Table {
    bytes: Vec<u8>,
    /// Where the addresses of functions stand.
    pub(super) addresses: Vec<u64>,
}

impl Table {
    /// An empty table with these folders and files.
    fn new(folders: &[String], files: &[(String, u64, u64, u64)]) -> Table {
        let mut names = Vec::new();
        for folder in folders {
            names.extend_from_slice(folder.as_bytes());
            names.push(0);
        }
        names.push(0);
        for (name, folder, time, size) in files {
            names.extend_from_slice(name.as_bytes());
            names.push(0);
            unsigned(&mut names, *folder);
            unsigned(&mut names, *time);
            unsigned(&mut names, *size);
        }
        names.push(0);
        // Observed, of unknown use: four more zero bytes where there are files.
        if !files.is_empty() {
            names.extend_from_slice(&[0; 4]);
        }
        let mut bytes = vec![0; 4];
        bytes.extend_from_slice(&2_u16.to_le_bytes());
        bytes.extend_from_slice(&((PARAMETERS.len() + names.len()) as u32).to_le_bytes());
        bytes.extend_from_slice(&PARAMETERS);
        bytes.extend(names);
        Table {
            bytes,
            addresses: Vec::new(),
        }
    }

    /// The section.
    pub(super) fn finish(mut self) -> Vec<u8> {
        let length = (self.bytes.len() as u32).saturating_sub(4);
        if let Some(place) = self.bytes.get_mut(..4) {
            place.copy_from_slice(&length.to_le_bytes());
        }
        self.bytes
    }
}

/// The rows of one function.
struct Sequence<'t> {
    table: &'t mut Table,
    address: u64,
    line: i64,
    file: Option<u32>,
    rows: u64,
    context: u64,
}

impl<'t> Sequence<'t> {
    fn new(table: &'t mut Table) -> Sequence<'t> {
        table.bytes.extend_from_slice(&[0, 9, SET_ADDRESS]);
        table.addresses.push(table.bytes.len() as u64);
        table.bytes.extend_from_slice(&[0; 8]);
        Sequence {
            table,
            address: 0,
            line: 1,
            file: None,
            rows: 0,
            context: 0,
        }
    }

    /// A row; where file and line are those of the row before, only the address goes on, unless the row must be there.
    fn row(&mut self, address: u64, file: u32, line: u32, must: bool) {
        let out = &mut self.table.bytes;
        let forward = address - self.address;
        let step = i64::from(line) - self.line;
        if self.file != Some(file) {
            out.push(SET_FILE);
            unsigned(out, file.into());
        } else if step == 0 && !must {
            if forward > 0 {
                out.push(ADVANCE_PC);
                unsigned(out, forward);
            }
            self.address = address;
            return;
        }
        let special = step - LINE_BASE + LINE_RANGE * forward as i64 + FIRST_SPECIAL;
        let near = (LINE_BASE..LINE_BASE + LINE_RANGE).contains(&step) && special <= 255;
        if near && step != 0 && forward > 0 {
            out.push(special as u8);
        } else {
            if step != 0 {
                out.push(ADVANCE_LINE);
                signed(out, step);
            }
            if forward > 0 {
                out.push(ADVANCE_PC);
                unsigned(out, forward);
            }
            out.push(COPY);
        }
        self.file = Some(file);
        self.line = line.into();
        self.address = address;
        self.rows += 1;
    }

    /// Says what the next rows are inlined into.
    fn inlined(&mut self, context: u64, name: u64) {
        if context == self.context && context == 0 {
            return;
        }
        let mut operands = vec![INLINED];
        unsigned(&mut operands, context);
        unsigned(&mut operands, name);
        let out = &mut self.table.bytes;
        out.push(0);
        unsigned(out, operands.len() as u64);
        out.extend(operands);
        self.context = context;
    }

    fn end(self, size: u64) {
        let out = &mut self.table.bytes;
        if size > self.address {
            out.push(ADVANCE_PC);
            unsigned(out, size - self.address);
        }
        out.extend_from_slice(&[0, 1, END_SEQUENCE]);
    }
}

/// SLEB128.
fn signed(out: &mut Vec<u8>, mut value: i64) {
    loop {
        let byte = (value & 0x7f) as u8;
        value >>= 7;
        let done = value == 0 && byte & 0x40 == 0 || value == -1 && byte & 0x40 != 0;
        if done {
            out.push(byte);
            return;
        }
        out.push(byte | 0x80);
    }
}

/// Both tables of a module.
pub(super) struct Lines<'m> {
    /// Places in the source.
    pub(super) source: Table,
    /// Lines of the PTX.
    pub(super) ptx: Table,
    /// Where the lines of the PTX text start.
    starts: Vec<u32>,
    /// `.debug_str`.
    pub(super) strings: Strings,
    /// The lines of all functions.
    pub(super) chains: Chains<'m>,
}

impl<'m> Lines<'m> {
    /// Tables for a module of this text.
    pub(super) fn new(module: &'m Module, text: &str) -> Lines<'m> {
        let (folders, files) = files(module);
        let breaks = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        Lines {
            source: Table::new(&folders, &files),
            ptx: Table::new(&[], &[]),
            starts: breaks.map(|(index, _)| index as u32 + 1).collect(),
            strings: Strings {
                known: DebugStrings::of(module),
                added: BTreeMap::new(),
            },
            chains: Chains::of(module),
        }
    }

    /// Adds a function, whose section has `size` bytes; gives whether anything of it has a place in the source.
    pub(super) fn add(&mut self, source: &'m warpsmith_ptx::module::Function, compiled: &Compiled, size: u64) -> bool {
        self.add_ptx(source, compiled, size);
        let function = &compiled.function;
        if !self.chains.has_lines(function) {
            return false;
        }
        let of = |place: &u32| {
            let place = function.places.get(*place as usize)?;
            self.chains.located(function, *place)
        };
        let mut writer = Inlining {
            sequence: Sequence::new(&mut self.source),
            strings: &mut self.strings,
            calls: BTreeMap::new(),
        };
        // What has no line of its own belongs to what is before it, and at the start to the function's first line.
        let first = SourcePlace {
            statement: 1,
            ..SourcePlace::default()
        };
        let mut last = None;
        for (index, place) in compiled.code.places.iter().enumerate() {
            let place = of(place).or(last).unwrap_or(first);
            let is_same = |last: SourcePlace| (last.call, last.statement) == (place.call, place.statement);
            if !last.is_some_and(is_same) {
                let steps = self.chains.steps(function, place);
                writer.location(index as u64 * WORD, &steps);
                last = Some(place);
            }
        }
        writer.sequence.end(size);
        true
    }

    fn add_ptx(&mut self, source: &warpsmith_ptx::module::Function, compiled: &Compiled, size: u64) {
        let mut sequence = Sequence::new(&mut self.ptx);
        let line_of = |offset: u32| self.starts.partition_point(|start| *start <= offset) as u32 + 1;
        let mut last = source.head_end.start;
        for (index, place) in compiled.code.places.iter().enumerate() {
            if let Some(place) = compiled
                .function
                .places
                .get(*place as usize)
                .filter(|place| place.ptx != 0)
            {
                last = place.ptx;
            }
            let line = line_of(last);
            if index == 0 || i64::from(line) != sequence.line {
                sequence.row(index as u64 * WORD, 0, line, true);
            }
        }
        sequence.end(size);
    }
}

/// Rows with what they are inlined into.
struct Inlining<'a> {
    sequence: Sequence<'a>,
    strings: &'a mut Strings,
    /// For each call (its place, and the row of the call around it), its row.
    calls: BTreeMap<(u32, u32, u32, u64), u64>,
}

impl Inlining<'_> {
    /// The row of a line, with those of the calls around it.
    fn location(&mut self, address: u64, steps: &[Step<'_>]) {
        let [own, outer @ ..] = steps else { return };
        let mut context = 0;
        // From the outermost call on; each row names that of the call around it.
        for (index, step) in outer.iter().enumerate().rev() {
            let around = outer.get(index + 1).map_or(0, |_| context);
            let key = (step.file, step.line, step.column, around);
            context = match self.calls.get(&key) {
                Some(row) => *row,
                None => {
                    if around != self.sequence.context {
                        let name = self.strings.name(step.function);
                        self.sequence.inlined(around, name);
                    }
                    self.sequence.row(address, step.file, step.line, true);
                    self.calls.insert(key, self.sequence.rows);
                    self.sequence.rows
                }
            };
        }
        let changed = context != self.sequence.context;
        if changed {
            let name = self.strings.name(own.function);
            self.sequence.inlined(context, name);
        }
        self.sequence.row(address, own.file, own.line, changed);
    }
}

/// The bytes of `.debug_str` with the offsets of what is in them.
#[derive(Debug, Default)]
pub(super) struct Strings {
    /// With what the PTX has; its bytes grow.
    pub(super) known: DebugStrings,
    /// Names that the PTX does not have there.
    added: BTreeMap<String, u64>,
}

impl Strings {
    /// The offset of a function's name; 0 where there is no function.
    fn name(&mut self, function: Option<InlinedFunction<'_>>) -> u64 {
        match function {
            None => 0,
            Some(InlinedFunction::Named(inlined)) => self.known.offset(inlined),
            Some(InlinedFunction::OfModule(name)) => match self.added.get(name) {
                Some(offset) => *offset,
                None => {
                    let bytes = self.known.bytes.get_or_insert_default();
                    let offset = bytes.len() as u64;
                    bytes.extend_from_slice(name.as_bytes());
                    bytes.push(0);
                    self.added.insert(name.to_owned(), offset);
                    offset
                }
            },
        }
    }
}

/// A source file: name, number of the folder, time and size.
type SourceFile = (String, u64, u64, u64);

/// The folders and files of a module.
fn files(module: &Module) -> (Vec<String>, Vec<SourceFile>) {
    let mut folders: Vec<String> = Vec::new();
    let mut files = Vec::new();
    let mut described: Vec<_> = module.files.iter().collect();
    described.sort_by_key(|file| file.index);
    for file in described {
        let path = module.names.get(file.name);
        let (folder, name) = match path.rsplit_once('/') {
            Some((folder, name)) => (Some(folder), name),
            None => (None, path),
        };
        let number = folder.map_or(0, |folder| {
            let found = folders.iter().position(|known| known == folder);
            found.unwrap_or_else(|| {
                folders.push(folder.to_string());
                folders.len() - 1
            }) as u64
                + 1
        });
        let (time, size) = file.stamp.unwrap_or((0, 0));
        files.push((name.to_string(), number, time, size));
    }
    (folders, files)
}

/// `.nv_debug_ptx_txt`: the lines of the text without comments and blanks around them; lines that only tell of places are empty.
pub(super) fn ptx_text(text: &str) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut in_comment = false;
    for line in text.lines() {
        let plain = without_comments(line, &mut in_comment);
        let plain = plain.trim();
        let tells_places = [".loc", ".file", ".b8", ".b16", ".b32", ".b64"];
        let first = plain.split_whitespace().next().unwrap_or("");
        if !tells_places.contains(&first) {
            out.extend_from_slice(plain.as_bytes());
        }
        out.push(0);
    }
    out
}

/// A line without its comments; `in_comment` says whether it begins inside of one, and is set for the next line.
fn without_comments(line: &str, in_comment: &mut bool) -> String {
    let mut out = String::new();
    let mut rest = line;
    loop {
        if *in_comment {
            let Some((_, after)) = rest.split_once("*/") else {
                return out;
            };
            rest = after;
            *in_comment = false;
        }
        let (slashes, star) = (rest.find("//"), rest.find("/*"));
        match (slashes, star) {
            (Some(slashes), star) if star.is_none_or(|star| slashes < star) => {
                out.push_str(&rest[..slashes]);
                return out;
            }
            (_, Some(star)) => {
                out.push_str(&rest[..star]);
                rest = &rest[star + 2..];
                *in_comment = true;
            }
            _ => {
                out.push_str(rest);
                return out;
            }
        }
    }
}
