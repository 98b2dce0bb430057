//! DWARF sections that the PTX brings along (`-g`): their bytes, and relocations where they name functions, variables and places in the code.
//!
//! Observed, ptxas 13.0.88: a label of code is its function with the offset, a parameter its offset in constant bank 0, a shared variable its offset in its
//! space; a local one behind `DW_OP_addr` becomes `DW_OP_fbreg` with its distance from the end of the frame, and `DW_OP_nop` up to the same length. The
//! relocations stand in reverse order.

use rustc_hash::FxHashMap;
use warpsmith_ptx::module::{LabelKind, Module, Name, Section, SectionLine, SectionValue, Space, VariableId};

use super::{Made, text::WORD, writer::SymbolKey};

/// What a name in a section stands for.
#[derive(Clone, Copy, Debug)]
enum Meaning {
    /// A symbol and bytes after it; whether it is in constant memory.
    Symbol(SymbolKey, u64, bool),
    /// A number.
    Number(u64),
    /// A place in the frame, counted from its end.
    Frame(i64),
}

/// `DW_OP_addr`, `DW_OP_fbreg` and `DW_OP_nop` (DWARF 2, figure 22, and DWARF 3, section 2.5.1).
const OP_ADDR: u8 = 0x03;
const OP_FBREG: u8 = 0x91;
const OP_NOP: u8 = 0x96;

/// An address in a section.
#[derive(Clone, Copy, Debug)]
pub(super) struct Address {
    pub(super) offset: u64,
    pub(super) symbol: SymbolKey,
    pub(super) addend: i64,
    /// Whether the symbol is in constant memory.
    pub(super) constant: bool,
}

/// The names of a module that its sections may use.
pub(super) struct Names<'m> {
    module: &'m Module,
    meanings: FxHashMap<Name, Meaning>,
}

impl<'m> Names<'m> {
    /// The names of the functions that were made, of what is in them, and of the module's variables.
    pub(super) fn new(
        module: &'m Module,
        made: &[Made<'m>],
        variables: &FxHashMap<VariableId, SymbolKey>,
    ) -> Names<'m> {
        let mut names = Names {
            module,
            meanings: FxHashMap::default(),
        };
        for (index, variable) in module.variables.iter().enumerate() {
            let key = variables.get(&VariableId(index as u32));
            if let (Some(name), Some(key)) = (variable.name, key) {
                let constant = variable.space == Space::Constant;
                names.meanings.insert(name, Meaning::Symbol(*key, 0, constant));
            }
        }
        for made in made {
            names.function(made);
        }
        names
    }

    fn function(&mut self, made: &Made<'m>) {
        let (source, function) = (made.source, &made.compiled.function);
        self.meanings
            .insert(source.name, Meaning::Symbol(made.symbol, 0, false));
        let mut number = |id: &VariableId, value: u32| {
            let Some(variable) = self.module.variables.get(id.0 as usize) else {
                return;
            };
            let meaning = match variable.space {
                Space::Local => Meaning::Frame(i64::from(value) - i64::from(function.frame_bytes)),
                _ => Meaning::Number(value.into()),
            };
            if let Some(name) = variable.name {
                self.meanings.insert(name, meaning);
            }
        };
        let base = u32::from(function.constants().parameters);
        for (id, parameter) in source.parameters.iter().zip(&function.parameters) {
            number(id, base + parameter.offset);
        }
        for (id, offset) in &function.variables {
            number(id, *offset);
        }
        let Some(body) = &source.body else { return };
        for label in &body.labels {
            if let LabelKind::Place(_) = label.kind {
                let offset = place(made, label.span.start);
                self.meanings
                    .insert(label.name, Meaning::Symbol(made.symbol, offset, false));
            }
        }
    }

    /// The bytes of a section, and the addresses in it.
    pub(super) fn section(&self, section: &Section) -> (Vec<u8>, Vec<Address>) {
        let labels = labels(section);
        let (mut bytes, mut addresses) = (Vec::new(), Vec::new());
        for line in &section.lines {
            let SectionLine::Data(width, values) = line else {
                continue;
            };
            for value in values {
                let number = match value {
                    SectionValue::Integer(value) => *value,
                    SectionValue::Difference(a, b) => {
                        let of = |name: &Name| labels.get(name).copied().or_else(|| self.number(*name)).unwrap_or(0);
                        of(a).wrapping_sub(of(b))
                    }
                    SectionValue::Label(name, addend) => match (labels.get(name), self.meanings.get(name)) {
                        (Some(offset), _) => offset.wrapping_add_signed(*addend),
                        (None, Some(Meaning::Symbol(symbol, offset, constant))) => {
                            addresses.push(Address {
                                offset: bytes.len() as u64,
                                symbol: *symbol,
                                addend: (*offset as i64).wrapping_add(*addend),
                                constant: *constant,
                            });
                            // The section holds the offset, too.
                            offset.wrapping_add_signed(*addend)
                        }
                        (None, Some(Meaning::Number(value))) => value.wrapping_add_signed(*addend),
                        (None, Some(Meaning::Frame(place))) => {
                            let place = place.wrapping_add(*addend);
                            match bytes.last_mut().filter(|byte| **byte == OP_ADDR && *width == 64) {
                                Some(operation) => {
                                    *operation = OP_FBREG;
                                    in_frame(place)
                                }
                                None => place as u64,
                            }
                        }
                        // Another section: an offset in it from its start.
                        (None, None) => *addend as u64,
                    },
                };
                bytes.extend(number.to_le_bytes().into_iter().take(usize::from(*width) / 8));
            }
        }
        addresses.reverse();
        (bytes, addresses)
    }

    fn number(&self, name: Name) -> Option<u64> {
        match self.meanings.get(&name)? {
            Meaning::Symbol(_, offset, _) => Some(*offset),
            Meaning::Number(value) => Some(*value),
            Meaning::Frame(place) => Some(*place as u64),
        }
    }
}

/// The eight bytes behind `DW_OP_fbreg`: the distance as a signed LEB128 number, then operations that do nothing.
fn in_frame(mut distance: i64) -> u64 {
    let mut bytes = [OP_NOP; 8];
    for byte in &mut bytes {
        let low = (distance & 0x7f) as u8;
        distance >>= 7;
        let last = (distance == 0 && low & 0x40 == 0) || (distance == -1 && low & 0x40 != 0);
        *byte = if last { low } else { low | 0x80 };
        if last {
            break;
        }
    }
    u64::from_le_bytes(bytes)
}

/// The labels of a section with their offsets.
fn labels(section: &Section) -> FxHashMap<Name, u64> {
    let (mut found, mut at) = (FxHashMap::default(), 0);
    for line in &section.lines {
        match line {
            SectionLine::Label(name) => {
                found.insert(*name, at);
            }
            SectionLine::Data(width, values) => at += u64::from(*width) / 8 * values.len() as u64,
        }
    }
    found
}

/// Where the code of a label begins: at the first instruction that comes from behind it; at the end of the section if there is none.
fn place(made: &Made<'_>, label: u32) -> u64 {
    let places = &made.compiled.function.places;
    let behind = |place: &u32| *place != 0 && places.get(*place as usize).is_some_and(|place| place.ptx > label);
    let before = |place: &u32| *place != 0 && places.get(*place as usize).is_some_and(|place| place.ptx < label);
    let code = &made.compiled.code.places;
    match code.iter().position(behind) {
        // What the function itself begins with belongs to its first label.
        Some(index) if !code[..index].iter().any(before) => 0,
        Some(index) => index as u64 * WORD,
        None => made.size,
    }
}
