//! Operands as values: which registers an instruction reads and writes.

use crate::instruction::Instruction;
use crate::model::{Access, Factor, Field, FieldKind, RegisterClass, WidthRule};
use crate::print::{is_omitted, numeric_value, zero_number};
use crate::tables::FieldName;

/// A register operand of an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RegisterOperand {
    /// The field that holds it.
    pub name: FieldName,
    /// The register file.
    pub class: RegisterClass,
    /// The first register's number; `None` for RZ, URZ, PT and UPT.
    pub number: Option<u8>,
    /// Whether it is read or written, where the tables know.
    pub access: Option<Access>,
    /// Number of consecutive registers it covers, 255 at most; 0 where the modifiers leave the operand unused, 1 where the
    /// tables do not know.
    pub width: u8,
    /// Aligned to the whole width, beyond the general rule.
    pub(crate) aligned_to_width: bool,
    /// Negated (`-`).
    pub negated: bool,
    /// Absolute value taken.
    pub absolute: bool,
    /// Inverted: `~` on a register, `!` on a predicate.
    pub inverted: bool,
    /// The reuse-cache flag is set and counts.
    pub reuse: bool,
}

impl RegisterOperand {
    /// Whether the instruction reads the operand.
    pub fn is_read(&self) -> bool {
        matches!(self.access, Some(Access::Read | Access::ReadWrite))
    }

    /// Whether the instruction writes the operand.
    pub fn is_written(&self) -> bool {
        matches!(self.access, Some(Access::Write | Access::ReadWrite))
    }

    /// The number that the first register must be a multiple of: the width rounded up to a power of two, at most 4 for general
    /// and 8 for uniform registers. FP64 matrix operands are the exception: 8 and 16 registers are aligned to 8 and 16.
    /// The zero register stands for a tuple of zeros and is exempt.
    ///
    /// Source: observed, register numbers in code of ptxas 13.0 for all generations.
    pub fn alignment(&self) -> u8 {
        let whole = self.width.max(1).checked_next_power_of_two().unwrap_or(128);
        match self.class {
            RegisterClass::Gpr if self.aligned_to_width => whole,
            RegisterClass::Gpr => whole.min(4),
            RegisterClass::UniformGpr => whole.min(8),
            RegisterClass::Predicate | RegisterClass::UniformPredicate => 1,
            RegisterClass::Barrier | RegisterClass::Scoreboard => 1,
        }
    }
}

/// An operand of an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operand {
    /// A register.
    Register(RegisterOperand),
    /// A number: immediate, address, offset, bank, or (scaled and signed) distance to a branch target.
    Number {
        /// The field that holds it.
        name: FieldName,
        /// Its value as printed.
        value: i64,
    },
    /// The bits of a float immediate.
    Float {
        /// The field that holds it.
        name: FieldName,
        /// Its bits.
        bits: u64,
    },
}

impl Instruction {
    /// The operands that are printed, in the order of the text; modifiers and the guard are not operands.
    pub fn operands(&self) -> impl Iterator<Item = Operand> + '_ {
        self.form().fields.iter().filter(|f| f.exists_on(self.isa())).filter_map(|f| self.operand(f))
    }

    /// The register operands, including those that print nothing because they name the zero register.
    pub fn registers(&self) -> impl Iterator<Item = RegisterOperand> + '_ {
        self.operands().filter_map(|o| match o {
            Operand::Register(r) => Some(r),
            Operand::Number { .. } | Operand::Float { .. } => None,
        })
    }

    fn operand(&self, field: &'static Field) -> Option<Operand> {
        let word = self.word();
        let raw = field.bits.read(word);
        match &field.kind {
            FieldKind::Register(register) => {
                let number = if register.inverted { 7 - (raw & 7) } else { raw };
                let has = |bit: Option<u8>| bit.is_some_and(|b| word >> b & 1 != 0);
                let d = &register.decoration;
                let zero = zero_number(register.class, self.isa()) == Some(number);
                Some(Operand::Register(RegisterOperand {
                    name: field.name,
                    class: register.class,
                    number: (!zero).then_some(number as u8),
                    access: register.access.map(|a| a.access),
                    width: register.access.map_or(1, |a| self.width(a.width)),
                    aligned_to_width: register.access.is_some_and(|a| a.aligned_to_width),
                    negated: has(d.neg),
                    absolute: has(d.abs),
                    inverted: has(d.inv) || has(d.not),
                    reuse: has(d.reuse) && has(Some(109)),
                }))
            }
            FieldKind::Unsigned { .. } | FieldKind::Signed { .. } | FieldKind::Relative { .. } => {
                (!is_omitted(field, word, self.isa())).then(|| Operand::Number { name: field.name, value: numeric_value(field, word) })
            }
            FieldKind::Float(_) => Some(Operand::Float { name: field.name, bits: raw }),
            FieldKind::Enumeration { .. } | FieldKind::Flag { .. } | FieldKind::Scoreboards { .. } | FieldKind::Group(_) => None,
        }
    }

    /// Evaluates a width rule, 255 at most.
    fn width(&self, rule: &WidthRule) -> u8 {
        let product = |term: &&[Factor]| term.iter().map(|f| self.factor(f)).product::<u32>();
        let sum: u32 = rule.terms.iter().map(product).sum();
        let divisor = u32::from(rule.divisor);
        let width = if rule.round_up { sum.div_ceil(divisor) } else { sum / divisor };
        u8::try_from(width).unwrap_or(u8::MAX)
    }

    fn factor(&self, factor: &Factor) -> u32 {
        match factor {
            Factor::Number(n) => u32::from(*n),
            Factor::Cases { fields, cases } => {
                let matches = |texts: &[&str]| texts.iter().zip(*fields).all(|(text, name)| *text == "*" || self.prints(*name, text));
                cases.iter().find(|(texts, _)| matches(texts)).map_or(1, |&(_, width)| u32::from(width))
            }
            Factor::PopulationCount { field, low, length } => {
                let value = self.field(*field).unwrap_or_default();
                (value >> low & ((1 << length) - 1)).count_ones()
            }
            Factor::Columns { field } => self.columns(*field).unwrap_or_default(),
        }
    }

    /// Whether the field prints `text`; a field that the form lacks prints nothing.
    fn prints(&self, name: FieldName, text: &str) -> bool {
        let Some(field) = self.form().field(name) else { return text.is_empty() };
        if is_omitted(field, self.word(), self.isa()) {
            return text.is_empty();
        }
        let raw = field.bits.read(self.word());
        match &field.kind {
            FieldKind::Enumeration { set, .. } => set.member(raw, self.isa()).is_some_and(|m| m.text == text),
            FieldKind::Flag { text: flag, when } => text == if (raw != 0) == *when { flag } else { "" },
            FieldKind::Unsigned { .. } => {
                let number = text.strip_prefix("0x").and_then(|hex| i64::from_str_radix(hex, 16).ok());
                number == Some(numeric_value(field, self.word()))
            }
            _ => text.is_empty(),
        }
    }

    /// N of the shape `.MxNxK` that the field prints.
    fn columns(&self, name: FieldName) -> Option<u32> {
        let field = self.form().field(name)?;
        let FieldKind::Enumeration { set, .. } = &field.kind else { return None };
        let member = set.member(field.bits.read(self.word()), self.isa())?;
        member.text.split('x').nth(1)?.parse().ok()
    }
}
