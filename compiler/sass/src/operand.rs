//! Operands as values: which registers an instruction reads and writes.

use crate::instruction::Instruction;
use crate::model::{Access, Field, FieldKind, RegisterClass, WidthRule};
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
    /// Number of consecutive registers it covers; 1 where the tables do not know.
    pub width: u8,
    /// Negated (`-`).
    pub negated: bool,
    /// Absolute value taken.
    pub absolute: bool,
    /// Inverted: `~` on a register, `!` on a predicate.
    pub inverted: bool,
    /// The reuse-cache flag is set and counts.
    pub reuse: bool,
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
                    width: register.access.map_or(1, |a| self.width(&a.width)),
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

    /// Evaluates a width rule: the first case whose texts are those this instruction prints.
    fn width(&self, rule: &WidthRule) -> u8 {
        let printed = |name: &FieldName| -> &'static str {
            let Some(field) = self.form().field(*name) else { return "" };
            let raw = field.bits.read(self.word());
            match &field.kind {
                FieldKind::Enumeration { set, .. } => set.member(raw, self.isa()).map_or("", |m| m.text),
                FieldKind::Flag { text, when } if (raw != 0) == *when => text,
                _ => "",
            }
        };
        let matches = |case: &str| {
            case == "*" || case.split('/').zip(rule.fields).all(|(text, name)| text == "*" || text.trim_start_matches('_') == printed(name))
        };
        rule.cases.iter().find(|(case, _)| matches(case)).map_or(1, |&(_, width)| width)
    }
}
