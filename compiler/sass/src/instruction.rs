//! A decoded instruction word.

use crate::control::Control;
use crate::model::{Field, FieldKind, Flow, Form, GuardKind, MemoryAccess, Modifier};
use crate::tables::{FORMS, FieldName, Opcode};
use std::fmt;
use warpsmith_target::Isa;

/// A 128-bit instruction word together with the form that describes it.
///
/// The word is the instruction: nothing is lost by decoding, and encoding is [`Instruction::word`].
#[derive(Clone, Copy)]
pub struct Instruction {
    word: u128,
    form: u16,
    isa: Isa,
}

/// The predicate that guards an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Guard {
    /// The predicate's file.
    pub kind: GuardFile,
    /// Its number, 0 to 6; 7 is always true.
    pub number: u8,
    /// Whether it is negated.
    pub negated: bool,
}

/// The predicate file of a guard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum GuardFile {
    /// Per-thread predicates.
    Predicate,
    /// Uniform predicates.
    UniformPredicate,
}

/// Why a word is no instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DecodeError {
    /// No instruction of the generation has these opcode bits (0 to 11).
    Opcode {
        /// The opcode bits.
        bits: u16,
        /// The generation.
        isa: Isa,
    },
    /// The opcode exists, but no form of it matches the other bits.
    Form {
        /// The opcode bits.
        bits: u16,
        /// The mnemonic of the forms that share them.
        mnemonic: &'static str,
        /// The generation.
        isa: Isa,
    },
    /// The form may not set the scoreboards or flags that the control word names.
    Control {
        /// The instruction.
        mnemonic: &'static str,
        /// Its form.
        form: &'static str,
    },
    /// The stall count and the keep-issuing bit form no legal number.
    Stall {
        /// Bits 105 to 109 as a number.
        number: u8,
    },
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DecodeError::Opcode { bits, isa } => {
                write!(f, "no instruction of sm_{} has opcode {bits:#05x}", isa.name())
            }
            DecodeError::Form { bits, mnemonic, isa } => {
                write!(
                    f,
                    "no form of {mnemonic} (opcode {bits:#05x}) on sm_{} matches these bits",
                    isa.name()
                )
            }
            DecodeError::Control { mnemonic, form } => {
                write!(
                    f,
                    "{mnemonic} ({form}) with scoreboards or reuse flags that it cannot have"
                )
            }
            DecodeError::Stall { number } => write!(f, "illegal stall number {number} (legal: 0 to 15, 17 to 27)"),
        }
    }
}

impl std::error::Error for DecodeError {}

impl Instruction {
    /// Decodes `word` as an instruction of `isa`.
    ///
    /// # Errors
    /// The word matches no form of the generation, or its control word is illegal.
    pub fn decode(isa: Isa, word: u128) -> Result<Instruction, DecodeError> {
        let control = Control::read(word);
        if !control.stall_is_legal() {
            return Err(DecodeError::Stall {
                number: control.stall | 16,
            });
        }
        let bits = (word & 0xfff) as u16;
        let candidates = crate::candidates(isa, usize::from(bits));
        for &index in candidates {
            let form = &FORMS[usize::from(index)];
            if word & form.mask == form.value
                && form
                    .restricted
                    .iter()
                    .all(|&i| accepts(&form.fields[usize::from(i)], word, isa))
            {
                if !form.control.accepts(control, isa) {
                    return Err(DecodeError::Control {
                        mnemonic: form.opcode.mnemonic(),
                        form: form.name,
                    });
                }
                return Ok(Instruction { word, form: index, isa });
            }
        }
        Err(match candidates.first() {
            None => DecodeError::Opcode { bits, isa },
            Some(&index) => DecodeError::Form {
                bits,
                mnemonic: FORMS[usize::from(index)].opcode.mnemonic(),
                isa,
            },
        })
    }

    /// The instruction word.
    #[inline]
    pub fn word(&self) -> u128 {
        self.word
    }

    /// The generation it was decoded for.
    #[inline]
    pub fn isa(&self) -> Isa {
        self.isa
    }

    /// The form that describes it.
    #[inline]
    pub fn form(&self) -> &'static Form {
        &FORMS[usize::from(self.form)]
    }

    /// The index of that form among all.
    pub(crate) fn form_index(&self) -> usize {
        usize::from(self.form)
    }

    /// Its opcode.
    #[inline]
    pub fn opcode(&self) -> Opcode {
        self.form().opcode
    }

    /// Its mnemonic, without modifiers.
    pub fn mnemonic(&self) -> &'static str {
        self.opcode().mnemonic()
    }

    /// Its control word.
    pub fn control(&self) -> Control {
        Control::read(self.word)
    }

    /// The same instruction with another control word.
    pub fn with_control(mut self, control: Control) -> Instruction {
        self.word = control.write(self.word);
        self
    }

    /// Its guard predicate; `None` where the form has none or it is always true.
    #[inline]
    pub fn guard(&self) -> Option<Guard> {
        let kind = match self.form().guard {
            GuardKind::Predicate => GuardFile::Predicate,
            GuardKind::UniformPredicate => GuardFile::UniformPredicate,
            GuardKind::None => return None,
        };
        let (number, negated) = ((self.word >> 12 & 7) as u8, self.word >> 15 & 1 != 0);
        (number != 7 || negated).then_some(Guard { kind, number, negated })
    }

    /// The raw value of the field called `name`, if the form has it on this generation.
    #[inline]
    pub fn field(&self, name: FieldName) -> Option<u64> {
        let field = self.form().field(name)?;
        field.exists_on(self.isa).then(|| field.bits.read(self.word))
    }

    /// The modifier of kind `M`, from the first field of that kind whose value is legal.
    pub fn modifier<M: Modifier>(&self) -> Option<M> {
        self.form().fields.iter().find_map(|f| match &f.kind {
            FieldKind::Enumeration { kind, set, .. } if *kind == M::KIND => {
                let member = set.member(f.bits.read(self.word), self.isa)?;
                M::ALL.get(usize::from(member.variant)).copied()
            }
            _ => None,
        })
    }

    /// Whether the flag called `name` is printed.
    pub fn flag(&self, name: FieldName) -> bool {
        self.form().fields.iter().any(|f| match &f.kind {
            FieldKind::Flag { when, .. } => {
                f.name == name && f.exists_on(self.isa) && (f.bits.read(self.word) != 0) == *when
            }
            _ => false,
        })
    }

    /// The effect on control flow.
    #[inline]
    pub fn flow(&self) -> Flow {
        self.opcode().info().flow
    }

    /// The memory accesses; empty for an instruction that touches no memory.
    #[inline]
    pub fn memory(&self) -> &'static [MemoryAccess] {
        self.opcode().info().memory
    }

    /// Whether the instruction must stay even if nothing uses its results: it writes memory, changes the flow of control or a
    /// predicate file, or has an effect that no operand names.
    pub fn has_side_effects(&self) -> bool {
        let info = self.opcode().info();
        info.observable
            || info.flow != Flow::None
            || info.memory.iter().any(|m| m.effect != crate::model::MemoryEffect::Read)
            || info
                .implicit
                .iter()
                .any(|&(_, access)| access != crate::model::Access::Read)
    }

    /// Whether ptxas was seen to write this form on this generation with each of these modifier values (not necessarily together).
    /// Otherwise only the disassembler vouches for the encoding.
    pub fn is_seen(&self) -> bool {
        let value_seen = |f: &Field| match f.kind {
            FieldKind::Enumeration { .. } | FieldKind::Flag { .. } if f.exists_on(self.isa) => {
                let value = f.bits.read(self.word);
                f.seen_values().iter().any(|&v| u64::from(v) == value)
            }
            _ => true,
        };
        self.form().seen.contains(self.isa) && self.form().fields.iter().all(value_seen)
    }

    /// The target of a relative branch, for an instruction at `address`. Wraps at 64 bits.
    pub fn branch_target(&self, address: u64) -> Option<u64> {
        self.form().fields.iter().find_map(|f| match f.kind {
            FieldKind::Relative { .. } => Some(
                address
                    .wrapping_add(16)
                    .wrapping_add_signed(crate::print::numeric_value(f, self.word)),
            ),
            _ => None,
        })
    }

    /// The same word with the field `name` set to the raw `value`; `None` if the form lacks the field or the value does not fit.
    pub fn with_field(mut self, name: FieldName, value: u64) -> Option<Instruction> {
        let field = self.form().field(name)?;
        let length = field.bits.length();
        if length < 64 && value >> length != 0 {
            return None;
        }
        self.word = field.bits.write(self.word, value);
        Some(self)
    }
}

impl fmt::Debug for Instruction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "sm_{} {:#034x} `{self}`", self.isa.name(), self.word)
    }
}

/// Whether the field's value in `word` is one the form accepts.
pub(crate) fn accepts(field: &Field, word: u128, isa: Isa) -> bool {
    match &field.kind {
        FieldKind::Register(register) => {
            register.exclude.is_empty() || {
                let value = field.bits.read(word);
                !register.exclude.iter().any(|&r| u64::from(r) == value)
            }
        }
        FieldKind::Enumeration { set, .. } => set.refused.is_empty() || !set.refuses(field.bits.read(word), isa),
        FieldKind::Flag { .. } | FieldKind::Unsigned { .. } | FieldKind::Signed { .. } => true,
        FieldKind::Relative { .. } | FieldKind::Float(_) | FieldKind::Scoreboards { .. } | FieldKind::Group(_) => true,
    }
}
