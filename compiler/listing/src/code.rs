//! Instruction text with the operands that only the file knows: labels and relocations.

use std::cell::Cell;
use std::fmt::Write;

use warpsmith_cubin::{Cubin, SymbolBinding, SymbolType};
use warpsmith_sass::{FieldKind, Form, Instruction, OperandText};
use warpsmith_target::{Isa, Sm};

use crate::error::ListingError;
use crate::labels::{CodeLabels, Place, PlaceName, write_address, write_signed_address};
use crate::native::name_text;
use crate::relocation::Field;
use crate::view::{Fixup, View};

/// Lowest bits of the bank and the offset of a constant operand.
const BANK: u32 = 54;
const OFFSET: u32 = 40;
/// Stands for a bank that the relocated offset replaces, until the text is done.
const NO_BANK: &str = "\u{1}";

/// The generation of a file's code.
pub(crate) fn isa_of(cubin: &Cubin) -> Result<Isa, ListingError> {
    let number = cubin.header.flags.sm_number(cubin.header.abi_version);
    let sm: Result<Sm, _> = format!("sm_{number}").parse();
    sm.map(Sm::isa).map_err(|error| ListingError::File(error.to_string()))
}

/// Finds branches without decoding every word: remembers which opcode bits are no branch.
pub(crate) struct BranchFinder {
    isa: Isa,
    /// Opcode bits (0 to 11) whose instruction has no form with a relative target.
    others: [bool; 4096],
}

impl BranchFinder {
    pub(crate) fn new(isa: Isa) -> Self {
        BranchFinder {
            isa,
            others: [false; 4096],
        }
    }

    /// The target of a word at an address, if it has one relative to its own place.
    pub(crate) fn target(&mut self, word: u128, address: u64) -> Option<u64> {
        let bits = word as usize & 0xfff;
        if self.others[bits] {
            return None;
        }
        let instruction = Instruction::decode(self.isa, word).ok()?;
        let target = instruction.branch_target(address);
        if target.is_none() {
            let is_branch = |form: &Form| {
                form.fields
                    .iter()
                    .any(|field| matches!(field.kind, FieldKind::Relative { .. }))
            };
            let mut forms = warpsmith_sass::forms(self.isa).filter(|form| form.opcode == instruction.opcode());
            self.others[bits] = !forms.any(is_branch);
        }
        target
    }
}

/// Appends a number in hexadecimal with at least four digits.
pub(crate) fn push_address(address: u64, out: &mut String) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let count = if address < 1 << 16 { 4 } else { address.ilog2() / 4 + 1 };
    for digit in (0..count).rev() {
        out.push(char::from(DIGITS[(address >> (4 * digit)) as usize & 15]));
    }
}

/// What replaces operands of one instruction.
pub(crate) struct Operands<'a, 'v> {
    pub view: &'a View<'v>,
    pub labels: &'a CodeLabels,
    pub address: u64,
    pub section: u32,
    /// Whether this is a branch through a named jump table.
    pub table_branch: bool,
    /// Whether labels stand without quotation marks.
    bare: bool,
    /// Whether names stand without quotation marks, and only symbols have names (JSON).
    pub unquoted: bool,
    /// The relocation of the instruction's operand.
    fixup: Option<(Fixup, Field)>,
    /// Whether the relocation has been shown.
    shown: Cell<bool>,
}

impl<'a, 'v> Operands<'a, 'v> {
    pub(crate) fn new(
        view: &'a View<'v>,
        labels: &'a CodeLabels,
        section: u32,
        address: u64,
        fixups: &[Fixup],
    ) -> Self {
        let fixup = fixups.iter().find_map(|fixup| Some((*fixup, Field::of(fixup.kind)?)));
        Operands {
            view,
            labels,
            address,
            section,
            table_branch: false,
            bare: false,
            unquoted: false,
            fixup,
            shown: Cell::new(false),
        }
    }

    /// Labels without quotation marks, and no relocations.
    pub(crate) fn bare(view: &'a View<'v>, labels: &'a CodeLabels, section: u32, address: u64) -> Self {
        let mut operands = Operands::new(view, labels, section, address, &[]);
        operands.bare = true;
        operands
    }

    /// Appends the text of an instruction.
    pub(crate) fn write(&self, instruction: &Instruction, out: &mut String) {
        let Some((_, field)) = self.fixup else {
            instruction.write_text(out, self);
            return;
        };
        let start = out.len();
        instruction.write_text(out, self);
        if !self.shown.get() {
            // An offset of 0 prints nothing; a relocated one must show.
            let bit = if is_constant_address(field) {
                OFFSET
            } else {
                field.low_bit
            };
            if let Ok(visible) = Instruction::decode(instruction.isa(), instruction.word() | 1 << bit) {
                out.truncate(start);
                visible.write_text(out, self);
            }
        }
        if is_constant_address(field) {
            let plain = self.fixup.is_some_and(|(fixup, _)| fixup.addend == 0);
            let gap = if self.unquoted && plain { "[," } else { "[" };
            let text = out
                .split_off(start)
                .replace("[\u{1}][R", "[R")
                .replace("[\u{1}][", gap)
                .replace("[\u{1}]", "");
            // nvdisasm does not see a move in a constant that is not known yet.
            let text = text.replacen("IMAD.MOV.U32 ", "IMAD.U32 ", 1);
            out.push_str(&text);
        } else if let (true, Some((fixup, _))) = (self.unquoted, self.fixup) {
            let name = self.relocated(fixup, field);
            let text = out
                .split_off(start)
                .replace(&format!("+{name}]"), &format!("+,{name}]"));
            out.push_str(&text);
        }
    }

    /// A symbol plus an addend without labels; local symbols that are no functions by value.
    fn write_plain_address(&self, fixup: Fixup, out: &mut String) {
        // A relocation can name a symbol that there is not: it has no name and no value.
        let symbol = self.view.symbols.get(fixup.symbol as usize);
        let local = symbol
            .is_none_or(|symbol| symbol.binding == SymbolBinding::LOCAL && symbol.symbol_type != SymbolType::FUNC);
        let name = self.view.symbol_name(fixup.symbol);
        let value = match symbol {
            Some(symbol) if fixup.addend == 0 => symbol.value as i64,
            Some(_) | None => fixup.addend,
        };
        let sign = if value < 0 { "-" } else { "" };
        let _ = match (local, fixup.addend) {
            (true, _) => write!(out, "{sign}{:#x}", value.unsigned_abs()),
            (false, 0) => write!(out, "{name}"),
            (false, addend) => write!(out, "({name} + {addend:#x})"),
        };
    }

    fn relocated(&self, fixup: Fixup, field: Field) -> String {
        let mut address = String::new();
        if self.unquoted {
            self.write_plain_address(fixup, &mut address);
        } else if is_constant_address(field) {
            write_signed_address(self.view, fixup.symbol, fixup.addend, &mut address);
        } else {
            write_address(self.view, self.labels, fixup.symbol, fixup.addend, &mut address);
        }
        let mut out = String::new();
        if field.is_function() || self.unquoted {
            field.write_expression(&address, &mut out);
        } else {
            let _ = write!(out, "`({address})");
        }
        out
    }
}

impl OperandText for Operands<'_, '_> {
    fn address(&self) -> u64 {
        self.address
    }

    fn replace(&self, field_name: &str, low_bit: u32, value: i64) -> Option<String> {
        let target = field_name == "target";
        if let Some((fixup, field)) = self.fixup {
            let address = matches!(field.kind, 58 | 75 | 114) && field_name != "bank";
            let covered = (field.low_bit..field.low_bit + field.width).contains(&low_bit) || address || target;
            if !covered || self.shown.get() {
                return None;
            }
            if is_constant_address(field) && low_bit == BANK {
                return Some(NO_BANK.to_owned());
            }
            self.shown.set(true);
            return Some(self.relocated(fixup, field));
        }
        if self.table_branch && self.unquoted {
            return Some("0x10".to_owned());
        }
        if self.table_branch {
            let section = &self.view.cubin.sections[self.section as usize].name;
            return Some(format!("`((({section} - .) - 0x10))"));
        }
        if !target {
            return None;
        }
        let place = self.labels.place(self.view, self.section, value as u64)?;
        if self.unquoted {
            return match place.name {
                PlaceName::Symbol(symbol) if place.rest == 0 => Some(self.view.symbol_name(symbol).to_owned()),
                PlaceName::Symbol(_) | PlaceName::Label(_) => None,
            };
        }
        if self.bare {
            let mut name = String::new();
            place.name.write(self.view, &mut name);
            return (place.rest == 0).then(|| name_text(&name));
        }
        Some(quoted(self.view, place))
    }
}

/// Whether the relocation changes bank and offset of a constant operand at once.
fn is_constant_address(field: Field) -> bool {
    field.low_bit <= OFFSET && field.low_bit + field.width > BANK && field.width <= 22
}

fn quoted(view: &View, place: Place) -> String {
    let mut text = String::from("`(");
    if place.rest != 0 {
        text.push('(');
    }
    place.name.write(view, &mut text);
    if place.rest != 0 {
        let _ = write!(text, " + {:#x})", place.rest);
    }
    text.push(')');
    text
}
