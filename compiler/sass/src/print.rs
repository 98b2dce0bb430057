//! The text of an instruction: an interpreter of the forms' text pieces.

use crate::instruction::{GuardFile, Instruction};
use crate::model::{Alias, AliasTest, Decoration, Field, FieldKind, Piece, Register, RegisterClass, ValueSet};
use crate::number::{write_decimal, write_float, write_hex};
use std::fmt::{self, Write};
use warpsmith_target::Isa;

/// What the surroundings know of an instruction's operands: its address, and text in place of numbers (labels, relocations).
pub trait OperandText {
    /// The address of the instruction, for branch targets.
    fn address(&self) -> u64 {
        0
    }

    /// Text in place of the operand field called `field` that begins at bit `low_bit` and has this value (for a relative
    /// target, the absolute address), or `None` for the number.
    fn replace(&self, field: &str, low_bit: u32, value: i64) -> Option<String> {
        let _ = (field, low_bit, value);
        None
    }
}

/// Numbers for all operands, at an address.
#[derive(Debug, Clone, Copy, Default)]
pub struct PlainText {
    /// The address of the instruction.
    pub address: u64,
}

impl OperandText for PlainText {
    fn address(&self) -> u64 {
        self.address
    }
}

impl fmt::Display for Instruction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = String::new();
        self.write_text(&mut out, &PlainText::default());
        f.write_str(out.trim_end())
    }
}

impl Instruction {
    /// Appends guard, mnemonic, modifiers and operands, as nvdisasm prints them, without the final ` ;`. Infinities, NaNs and
    /// `-0.0` are followed by a blank.
    pub fn write_text(&self, out: &mut String, options: &dyn OperandText) {
        self.write_guard(out);
        self.write_body(out, options);
    }

    /// Appends `@!P0 ` if the instruction is guarded.
    pub fn write_guard(&self, out: &mut String) {
        if let Some(guard) = self.guard() {
            let file = match guard.kind {
                GuardFile::Predicate => "P",
                GuardFile::UniformPredicate => "UP",
            };
            out.push_str(if guard.negated { "@!" } else { "@" });
            out.push_str(file);
            match guard.number {
                7 => out.push('T'),
                n => out.push(char::from(b'0' + n)),
            }
            out.push(' ');
        }
    }

    /// Appends mnemonic, modifiers and operands.
    pub fn write_body(&self, out: &mut String, options: &dyn OperandText) {
        let form = self.form();
        let mut printer = Printer {
            instruction: self,
            out,
            options,
        };
        let mut at = 0;
        while let Some(piece) = form.pieces.get(at) {
            let skipped = if let Piece::Open { .. } = piece {
                printer.skip_omitted(at)
            } else {
                None
            };
            at = skipped.unwrap_or_else(|| {
                printer.piece(piece);
                at + 1
            });
            if at == 1 {
                printer.alias(form.aliases);
            }
        }
    }
}

struct Printer<'a> {
    instruction: &'a Instruction,
    out: &'a mut String,
    options: &'a dyn OperandText,
}

impl Printer<'_> {
    fn piece(&mut self, piece: &Piece) {
        let fields = self.instruction.form().fields;
        match *piece {
            Piece::Text(text) => self.glue(text),
            Piece::Field {
                field,
                prefix,
                suffix,
                plus,
            } => {
                let field = &fields[usize::from(field)];
                if !is_omitted(field, self.instruction.word(), self.instruction.isa()) {
                    self.glue(prefix);
                    self.field(field, plus);
                    self.glue(suffix);
                }
            }
            Piece::Open { field, prefix } => {
                let field = &fields[usize::from(field)];
                self.glue(prefix);
                if let Some(decoration) = field.decoration() {
                    self.open(decoration);
                    if let FieldKind::Register(register) = &field.kind {
                        self.register(field, register, 0);
                        self.reuse(decoration);
                    }
                } else {
                    self.field(field, 0);
                }
            }
            Piece::Close { field } => {
                if let Some(decoration) = fields[usize::from(field)].decoration() {
                    self.close(decoration);
                    if matches!(fields[usize::from(field)].kind, FieldKind::Group(_)) {
                        self.reuse(decoration);
                    }
                }
            }
            Piece::EmptyAddress(text) => {
                if self.out.as_bytes().last() == Some(&b'[') {
                    self.out.push_str(text);
                }
            }
        }
    }

    /// Where to go on if the operand that opens at piece `at` prints nothing, inner modifiers included.
    fn skip_omitted(&self, at: usize) -> Option<usize> {
        let form = self.instruction.form();
        let omitted = |field: u8| {
            is_omitted(
                &form.fields[usize::from(field)],
                self.instruction.word(),
                self.instruction.isa(),
            )
        };
        let Piece::Open { field, .. } = form.pieces[at] else {
            return None;
        };
        if !omitted(field) {
            return None;
        }
        let close = at
            + form.pieces[at..]
                .iter()
                .position(|p| matches!(p, Piece::Close { field: f } if *f == field))?;
        let silent = form.pieces[at + 1..close].iter().all(|p| match *p {
            Piece::Field { field, .. } => omitted(field),
            Piece::Text(_) | Piece::Open { .. } | Piece::Close { .. } | Piece::EmptyAddress(_) => false,
        });
        silent.then_some(close + 1)
    }

    /// Literal text; a `+` that would follow `[` is dropped.
    fn glue(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        let after_bracket = self.out.as_bytes().last() == Some(&b'[');
        self.out.push_str(if after_bracket {
            text.strip_prefix('+').unwrap_or(text)
        } else {
            text
        });
    }

    fn alias(&mut self, aliases: &[Alias]) {
        let instruction = self.instruction;
        let holds = |alias: &Alias| {
            alias
                .tests
                .iter()
                .all(|&(name, test)| match (instruction.field(name), test) {
                    (None, _) => false,
                    (Some(value), AliasTest::Equals(expected)) => value == u64::from(expected),
                    (Some(value), AliasTest::PowerOfTwo) => {
                        (value as u32 as i32).checked_ilog2().is_some_and(|n| value == 1 << n)
                    }
                })
        };
        if let Some(alias) = aliases.iter().find(|a| holds(a)) {
            self.out.push_str(alias.text);
        }
    }

    fn has(&self, bit: Option<u8>) -> bool {
        bit.is_some_and(|b| self.instruction.word() >> b & 1 != 0)
    }

    fn open(&mut self, d: &Decoration) {
        let isa = self.instruction.isa();
        if self.has(d.not) {
            self.out.push('!');
        }
        if self.has(d.inv) {
            self.out.push('~');
        }
        if self.has(d.neg) && d.neg_isas.contains(isa) {
            self.out.push('-');
        }
        if self.has(d.abs) && d.abs_isas.contains(isa) {
            self.out.push('|');
        }
    }

    fn close(&mut self, d: &Decoration) {
        if self.has(d.abs) && d.abs_isas.contains(self.instruction.isa()) {
            self.out.push('|');
        }
    }

    /// `.reuse`: the flag counts only while the keep-issuing bit is set.
    fn reuse(&mut self, d: &Decoration) {
        if self.has(d.reuse) && self.has(Some(109)) {
            self.out.push_str(".reuse");
        }
    }

    fn register(&mut self, field: &Field, register: &Register, plus: u8) {
        let raw = field.bits.read(self.instruction.word());
        let number = if register.inverted { 7 - (raw & 7) } else { raw };
        write_register(self.out, register.class, number, plus, self.instruction.isa());
    }

    fn field(&mut self, field: &Field, plus: u8) {
        let word = self.instruction.word();
        let raw = field.bits.read(word);
        match &field.kind {
            FieldKind::Register(register) => {
                self.open(&register.decoration);
                self.register(field, register, plus);
                self.close(&register.decoration);
                self.reuse(&register.decoration);
            }
            FieldKind::Enumeration { set, .. } => write_modifier(self.out, set, raw, self.instruction.isa()),
            FieldKind::Flag { text, .. } => self.out.push_str(text),
            FieldKind::Unsigned { zero, .. } | FieldKind::Signed { zero, .. } => {
                let value = numeric_value(field, word);
                if let Some(text) = self.options.replace(field.name.as_str(), field.bits.low(), value) {
                    self.out.push_str(&text);
                } else if let (0, Some(zero)) = (value, zero) {
                    self.out.push_str(zero);
                } else {
                    write_hex(self.out, value, matches!(field.kind, FieldKind::Unsigned { .. }));
                }
            }
            FieldKind::Relative { .. } => {
                let target = self
                    .options
                    .address()
                    .wrapping_add(16)
                    .wrapping_add_signed(numeric_value(field, word)) as i64;
                match self.options.replace(field.name.as_str(), field.bits.low(), target) {
                    Some(text) => self.out.push_str(&text),
                    None => write_hex(self.out, target, false),
                }
            }
            FieldKind::Float(format) => match self.options.replace(field.name.as_str(), field.bits.low(), raw as i64) {
                Some(text) => self.out.push_str(&text),
                None => write_float(self.out, *format, raw),
            },
            FieldKind::Scoreboards { .. } => {
                let numbers: Vec<String> = (0..6)
                    .rev()
                    .filter(|n| raw >> n & 1 != 0)
                    .map(|n| n.to_string())
                    .collect();
                let _ = write!(self.out, "{{{}}}", numbers.join(","));
            }
            FieldKind::Group(_) => {}
        }
    }
}

/// Whether the field prints nothing in `word`.
pub(crate) fn is_omitted(field: &Field, word: u128, isa: Isa) -> bool {
    if !field.exists_on(isa) {
        return true;
    }
    let raw = field.bits.read(word);
    let equals = |omit: &Option<u32>| omit.is_some_and(|v| u64::from(v) == raw);
    match &field.kind {
        FieldKind::Register(register) => {
            let number = if register.inverted { 7 - (raw & 7) } else { raw };
            let negated = register.decoration.not.is_some_and(|b| word >> b & 1 != 0);
            register.omit.is_some_and(|v| u64::from(v) == number) && !negated
        }
        FieldKind::Enumeration { set, omit, .. } => {
            equals(omit) || set.blank.contains(&(raw as u32)) || set.member(raw, isa).is_some_and(|m| m.text.is_empty())
        }
        FieldKind::Flag { when, .. } => (raw != 0) != *when,
        FieldKind::Unsigned { omit, .. } | FieldKind::Signed { omit, .. } | FieldKind::Scoreboards { omit } => {
            equals(omit)
        }
        FieldKind::Relative { .. } | FieldKind::Float(_) | FieldKind::Group(_) => false,
    }
}

/// The value a numeric field prints: scaled, and signed where it is.
pub(crate) fn numeric_value(field: &Field, word: u128) -> i64 {
    let raw = field.bits.read(word);
    let signed = |raw: u64| {
        let unused = 64 - field.bits.length();
        ((raw << unused) as i64) >> unused
    };
    match field.kind {
        FieldKind::Unsigned { scale, .. } => (raw as i64).wrapping_mul(i64::from(scale)),
        FieldKind::Signed { scale, .. } | FieldKind::Relative { scale } => signed(raw).wrapping_mul(i64::from(scale)),
        _ => raw as i64,
    }
}

fn write_modifier(out: &mut String, set: &ValueSet, raw: u64, isa: Isa) {
    let reserved = |prefix: &str| format!("{}{prefix}{raw}", if set.dotted { "." } else { "" });
    match set.member(raw, isa) {
        Some(member) => out.push_str(member.text),
        None if set.unknown.contains(&(raw as u32)) => out.push_str(&reserved("???")),
        None => out.push_str(&reserved("INVALID")),
    }
}

/// The number that names the zero register of a file: RZ, URZ, or PT and UPT, which are always true. Observed, nvdisasm 13.5.
pub fn zero_number(class: RegisterClass, isa: Isa) -> Option<u64> {
    match class {
        RegisterClass::Gpr => Some(255),
        RegisterClass::UniformGpr => Some(if isa.index() >= Isa::Sm100.index() { 255 } else { 63 }),
        RegisterClass::Predicate | RegisterClass::UniformPredicate => Some(7),
        RegisterClass::Barrier | RegisterClass::Scoreboard => None,
    }
}

/// Prefix and zero name of a register class.
pub(crate) fn class_names(class: RegisterClass) -> (&'static str, &'static str) {
    match class {
        RegisterClass::Gpr => ("R", "RZ"),
        RegisterClass::UniformGpr => ("UR", "URZ"),
        RegisterClass::Predicate => ("P", "PT"),
        RegisterClass::UniformPredicate => ("UP", "UPT"),
        RegisterClass::Barrier => ("B", ""),
        RegisterClass::Scoreboard => ("SB", ""),
    }
}

fn write_register(out: &mut String, class: RegisterClass, number: u64, plus: u8, isa: Isa) {
    let (prefix, zero) = class_names(class);
    let zero_number = zero_number(class, isa);
    let number = match zero_number {
        Some(z) if number == z => number,
        Some(z) => (number + u64::from(plus)).min(z),
        None => number + u64::from(plus),
    };
    if Some(number) == zero_number {
        out.push_str(zero);
    } else {
        out.push_str(prefix);
        write_decimal(out, number);
    }
}
