//! Operands as values: which registers an instruction reads and writes.

use crate::instruction::Instruction;
use crate::model::{
    Access, Factor, Field, FieldKind, Register, RegisterClass, RegisterField, RegisterWidth, WidthRule,
};
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
        alignment(self.class, self.width, self.aligned_to_width)
    }
}

/// [`RegisterOperand::alignment`] of a tuple.
#[inline]
fn alignment(class: RegisterClass, width: u8, to_width: bool) -> u8 {
    if width <= 1 {
        return 1;
    }
    alignment_of_tuple(class, width, to_width)
}

/// [`alignment`] of several registers.
fn alignment_of_tuple(class: RegisterClass, width: u8, to_width: bool) -> u8 {
    let whole = width.checked_next_power_of_two().unwrap_or(128);
    match class {
        RegisterClass::Gpr if to_width => whole,
        RegisterClass::Gpr => whole.min(4),
        RegisterClass::UniformGpr => whole.min(8),
        RegisterClass::Predicate | RegisterClass::UniformPredicate => 1,
        RegisterClass::Barrier | RegisterClass::Scoreboard => 1,
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

impl RegisterField {
    /// The number that the first of so many registers must be a multiple of: [`RegisterOperand::alignment`].
    #[inline]
    pub fn alignment(&self, width: u8) -> u8 {
        alignment(self.class, width, self.aligned_to_width)
    }
}

impl Instruction {
    /// The operands that are printed, in the order of the text; modifiers and the guard are not operands.
    pub fn operands(&self) -> impl Iterator<Item = Operand> + '_ {
        self.form()
            .fields
            .iter()
            .filter(|f| f.exists_on(self.isa()))
            .filter_map(|f| self.operand(f))
    }

    /// The register operands, including those that print nothing because they name the zero register.
    pub fn registers(&self) -> impl Iterator<Item = RegisterOperand> + '_ {
        self.register_fields().filter_map(|described| {
            let field = &self.form().fields[usize::from(described.index)];
            match &field.kind {
                FieldKind::Register(register) => {
                    Some(self.register_operand(field, register, || self.register_width(described)))
                }
                _ => None,
            }
        })
    }

    /// The number of the register that a field of this instruction's form holds; `None`: the zero register.
    #[inline]
    pub fn register_number(&self, described: &RegisterField) -> Option<u8> {
        let field = self.form().fields.get(usize::from(described.index))?;
        let FieldKind::Register(register) = &field.kind else {
            return None;
        };
        let raw = field.bits.read(self.word());
        let number = if register.inverted { 7 - (raw & 7) } else { raw };
        (zero_number(register.class, self.isa()) != Some(number)).then_some(number as u8)
    }

    /// The fields that hold registers.
    #[inline]
    pub fn register_fields(&self) -> impl Iterator<Item = &'static RegisterField> + '_ {
        let isa = self.isa();
        self.form()
            .registers
            .iter()
            .filter(move |field| field.isas.contains(isa))
    }

    /// Number of consecutive registers that a field of this instruction's form covers: [`RegisterOperand::width`].
    #[inline]
    pub fn register_width(&self, described: &RegisterField) -> u8 {
        match described.width {
            RegisterWidth::Fixed(width) => width,
            RegisterWidth::ByValue { field, widths } => self.register_width_by_value(field, widths),
            RegisterWidth::ByRule => self.register_width_by_rule(described),
        }
    }

    /// [`Instruction::register_width`], by the value of another field.
    fn register_width_by_value(&self, field: u8, widths: &[u8]) -> u8 {
        let raw = self.form().fields[usize::from(field)].bits.read(self.word());
        widths.get(raw as usize).copied().unwrap_or(1)
    }

    /// [`Instruction::register_width`], by the rule of the table.
    fn register_width_by_rule(&self, described: &RegisterField) -> u8 {
        match &self.form().fields[usize::from(described.index)].kind {
            FieldKind::Register(register) => register.access.map_or(1, |access| self.width(access.width)),
            _ => 1,
        }
    }

    fn register_operand(&self, field: &Field, register: &Register, width: impl FnOnce() -> u8) -> RegisterOperand {
        let word = self.word();
        let raw = field.bits.read(word);
        let number = if register.inverted { 7 - (raw & 7) } else { raw };
        let has = |bit: Option<u8>| bit.is_some_and(|b| word >> b & 1 != 0);
        let d = &register.decoration;
        let zero = zero_number(register.class, self.isa()) == Some(number);
        RegisterOperand {
            name: field.name,
            class: register.class,
            number: (!zero).then_some(number as u8),
            access: register.access.map(|a| a.access),
            width: width(),
            aligned_to_width: register.access.is_some_and(|a| a.aligned_to_width),
            negated: has(d.neg),
            absolute: has(d.abs),
            inverted: has(d.inv) || has(d.not),
            reuse: has(d.reuse) && has(Some(109)),
        }
    }

    fn operand(&self, field: &'static Field) -> Option<Operand> {
        let word = self.word();
        let raw = field.bits.read(word);
        match &field.kind {
            FieldKind::Register(register) => {
                let width = || register.access.map_or(1, |a| self.width(a.width));
                Some(Operand::Register(self.register_operand(field, register, width)))
            }
            FieldKind::Unsigned { .. } | FieldKind::Signed { .. } | FieldKind::Relative { .. } => {
                (!is_omitted(field, word, self.isa())).then(|| Operand::Number {
                    name: field.name,
                    value: numeric_value(field, word),
                })
            }
            FieldKind::Float(_) => Some(Operand::Float {
                name: field.name,
                bits: raw,
            }),
            FieldKind::Enumeration { .. }
            | FieldKind::Flag { .. }
            | FieldKind::Scoreboards { .. }
            | FieldKind::Group(_) => None,
        }
    }

    /// Evaluates a width rule, 255 at most.
    fn width(&self, rule: &WidthRule) -> u8 {
        let product = |term: &&[Factor]| term.iter().map(|f| self.factor(f)).product::<u32>();
        let sum: u32 = rule.terms.iter().map(product).sum();
        let divisor = u32::from(rule.divisor);
        let width = if rule.round_up {
            sum.div_ceil(divisor)
        } else {
            sum / divisor
        };
        u8::try_from(width).unwrap_or(u8::MAX)
    }

    fn factor(&self, factor: &Factor) -> u32 {
        match factor {
            Factor::Number(n) => u32::from(*n),
            Factor::Cases { fields, cases } => {
                let matches = |texts: &[&str]| {
                    texts
                        .iter()
                        .zip(*fields)
                        .all(|(text, name)| *text == "*" || self.prints(*name, text))
                };
                cases
                    .iter()
                    .find(|(texts, _)| matches(texts))
                    .map_or(1, |&(_, width)| u32::from(width))
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
        let Some(field) = self.form().field(name) else {
            return text.is_empty();
        };
        if is_omitted(field, self.word(), self.isa()) {
            return text.is_empty();
        }
        let raw = field.bits.read(self.word());
        match &field.kind {
            FieldKind::Enumeration { set, .. } => set.member(raw, self.isa()).is_some_and(|m| m.text == text),
            FieldKind::Flag { text: flag, when } => text == if (raw != 0) == *when { flag } else { "" },
            FieldKind::Unsigned { .. } => {
                let number = text
                    .strip_prefix("0x")
                    .and_then(|hex| i64::from_str_radix(hex, 16).ok());
                number == Some(numeric_value(field, self.word()))
            }
            _ => text.is_empty(),
        }
    }

    /// N of the shape `.MxNxK` that the field prints.
    pub(crate) fn columns(&self, name: FieldName) -> Option<u32> {
        let field = self.form().field(name)?;
        let FieldKind::Enumeration { set, .. } = &field.kind else {
            return None;
        };
        let member = set.member(field.bits.read(self.word()), self.isa())?;
        member.text.split('x').nth(1)?.parse().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Flow, MemoryEffect, MemorySpace, PlainText, parse};
    use warpsmith_target::Isa;

    fn instruction(isa: Isa, text: &str) -> Instruction {
        parse(isa, text, &PlainText::default()).unwrap_or_else(|e| panic!("{text}: {e}"))
    }

    /// `Rd=R4x4^4` for an operand that starts at R4, covers 4 registers, is written and aligned to 4; `v` is read, `x` both.
    fn accesses(isa: Isa, text: &str) -> String {
        let one = |r: RegisterOperand| {
            let number = r.number.map_or("Z".to_string(), |n| n.to_string());
            let access = match r.access {
                Some(Access::Read) => "v",
                Some(Access::Write) => "^",
                Some(Access::ReadWrite) => "x",
                None => "?",
            };
            format!("{:?}={number}x{}{access}{}", r.name, r.width, r.alignment())
        };
        instruction(isa, text)
            .registers()
            .map(one)
            .collect::<Vec<_>>()
            .join(" ")
    }

    #[test]
    fn widths_that_are_worked_out_before_are_those_of_the_rules() {
        for isa in Isa::ALL.iter().copied() {
            for form in crate::forms(isa) {
                let plain = form.default_word(isa);
                // Every value of every field, one field at a time.
                for field in form.fields {
                    for raw in 0..1_u64 << field.bits.length().min(6) {
                        let Ok(found) = Instruction::decode(isa, field.bits.write(plain, raw)) else {
                            continue;
                        };
                        for described in found.register_fields() {
                            let width = found.register_width(described);
                            assert_eq!(
                                width,
                                found.register_width_by_rule(described),
                                "{found:?} {described:?}"
                            );
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn a_load_of_128_bits_writes_four_registers() {
        let text = "LDG.E.128 R4, desc[UR4][R2.64]";
        assert_eq!(
            accesses(Isa::Sm90, text),
            "Pu=Zx1^1 Rd=4x4^4 URb=4x2v2 Ra=2x2v2 Pl=Zx1v1"
        );
        assert_eq!(accesses(Isa::Sm75, "LDS.64 R8, [R3+0x10]"), "Rd=8x2^2 Ra=3x1v1");
    }

    #[test]
    fn a_store_reads_its_operands() {
        assert_eq!(accesses(Isa::Sm75, "STG.E.64.SYS [R2], R4"), "Ra=2x2v2 Rb=4x2v2");
        let store = instruction(Isa::Sm75, "STG.E.64.SYS [R2], R4");
        let [memory] = store.memory() else {
            panic!("one access: {:?}", store.memory())
        };
        assert_eq!(
            (memory.effect, memory.space, memory.asynchronous),
            (MemoryEffect::Write, MemorySpace::Global, false)
        );
        assert!(store.has_side_effects());
    }

    #[test]
    fn a_comparison_writes_two_predicates() {
        assert_eq!(
            accesses(Isa::Sm80, "ISETP.GE.AND P0, P1, R2, R3, PT"),
            "Pu=0x1^1 Pv=1x1^1 Ra=2x1v1 Rb=3x1v1 Pp=Zx1v1"
        );
    }

    #[test]
    fn a_wide_multiply_adds_a_pair() {
        assert_eq!(
            accesses(Isa::Sm86, "IMAD.WIDE R2, R4, R5, R6"),
            "Rd=2x2^2 Pu=Zx1^1 Ra=4x1v1 Rb=5x1v1 Rc=6x2v2"
        );
    }

    #[test]
    fn matrix_operands_follow_shape_and_types() {
        assert_eq!(
            accesses(Isa::Sm80, "HMMA.16816.F32 R4, R8, R12, R4"),
            "Rd=4x4^4 Ra=8x4v4 Rb=12x2v2 Rc=4x4v4"
        );
        let shared = "HGMMA.64x256x16.F32 R24, gdesc[UR4], R24, gsb0";
        assert_eq!(
            accesses(Isa::Sm90, shared),
            "Rd=24x128^4 URa=4x4v4 Rc=24x128v4 UPp=Zx1v1"
        );
        // FP64 tuples are aligned to their whole width.
        assert_eq!(
            accesses(Isa::Sm90, "DMMA.16x8x8 R8, R16, R24, R32"),
            "Rd=8x8^8 Ra=16x8v8 Rb=24x4v4 Rc=32x8v8 UPp=Zx1v1"
        );
    }

    #[test]
    fn a_mask_selects_the_registers_of_a_256_bit_load() {
        let text = "LDG.E.ENL2.256 R8, R4, desc[UR4][R2.64], 0x37";
        assert!(
            accesses(Isa::Sm100, text).starts_with("Rc=8x2^2 Rd=4x3^4 "),
            "{}",
            accesses(Isa::Sm100, text)
        );
    }

    #[test]
    fn a_texture_lookup_counts_coordinates_and_arguments() {
        // Two results in each of Rd and Rc; array index and two coordinates in Ra; level of detail in Rb.
        let text = "TEX.LL RZ, R4, R8, R12, 0x0, 0x58, ARRAY_2D, 0x3";
        assert_eq!(
            accesses(Isa::Sm75, text),
            "Pu=Zx1^1 Rc=Zx0^1 Rd=4x2^2 Ra=8x3v4 Rb=12x1v1"
        );
    }

    #[test]
    fn effects_that_no_operand_names() {
        let r2p = instruction(Isa::Sm80, "R2P PR, R4, 0x7f");
        assert_eq!(
            r2p.opcode().info().implicit,
            [(RegisterClass::Predicate, Access::Write)]
        );
        assert!(r2p.has_side_effects());
        assert_eq!(instruction(Isa::Sm80, "EXIT").flow(), Flow::Exit);
        assert!(instruction(Isa::Sm80, "CS2R R2, SR_CLOCKLO").opcode().info().volatile);
        assert!(!instruction(Isa::Sm80, "FFMA R0, R1, R2, R3").has_side_effects());
    }
}
