//! Making instruction words from forms, registers and modifiers.

use crate::control::Control;
use crate::instruction::{Instruction, accepts};
use crate::model::{Field, FieldKind, Form, FormName, Modifier, RegisterClass};
use crate::print::zero_number;
use crate::tables::{FieldName, Opcode};
use std::fmt;
use warpsmith_target::Isa;

/// Builds one instruction word. Each setter checks what it is given against the form; the first error is kept and returned by
/// [`Builder::finish`].
///
/// ```
/// use warpsmith_sass::{Builder, FieldName, form, tables::Round};
/// use warpsmith_target::Isa;
/// let ffma = Builder::new(Isa::Sm90, form::FFMA_R_R_R_R)
///     .register(FieldName::Rd, 4)
///     .register(FieldName::Ra, 5)
///     .register(FieldName::Rb, 6)
///     .register(FieldName::Rc, 4)
///     .modifier(Round::Rz)
///     .negate(FieldName::Ra)
///     .finish()
///     .unwrap();
/// assert_eq!(ffma.to_string(), "FFMA.RZ R4, -R5, R6, R4");
/// ```
#[derive(Debug, Clone)]
pub struct Builder {
    isa: Isa,
    form: Option<&'static Form>,
    word: u128,
    error: Option<BuildError>,
}

/// Why an instruction could not be built.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BuildError {
    /// The generation has no such form.
    NoForm {
        /// The instruction.
        opcode: Opcode,
        /// The form.
        form: &'static str,
        /// The generation.
        isa: Isa,
    },
    /// The form has no such field, or not one of that kind.
    NoField {
        /// The instruction.
        opcode: Opcode,
        /// The form.
        form: &'static str,
        /// What was asked for.
        what: String,
    },
    /// The value does not fit the field or is not legal there on this generation.
    Value {
        /// The field.
        field: FieldName,
        /// The value.
        value: String,
    },
    /// The word that resulted belongs to another form (operand values that another encoding stands for).
    Shadowed {
        /// The form that was asked for.
        form: &'static str,
        /// What the word decodes as, if anything.
        decodes_as: Option<&'static str>,
    },
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BuildError::NoForm { opcode, form, isa } => {
                write!(f, "sm_{} has no form {} {form}", isa.name(), opcode.mnemonic())
            }
            BuildError::NoField { opcode, form, what } => {
                write!(f, "{} {form} has no {what}", opcode.mnemonic())
            }
            BuildError::Value { field, value } => {
                write!(f, "{value} is no legal value of {}", field.as_str())
            }
            BuildError::Shadowed { form, decodes_as } => {
                write!(
                    f,
                    "the word of form {form} decodes as {}",
                    decodes_as.unwrap_or("no instruction")
                )
            }
        }
    }
}

impl std::error::Error for BuildError {}

impl Builder {
    /// Starts an instruction of `form`: not guarded, every register RZ, every modifier at its default, numbers zero.
    pub fn new(isa: Isa, form: FormName) -> Builder {
        match form.on(isa) {
            Some(found) => Builder {
                isa,
                form: Some(found),
                word: default_word(found, isa),
                error: None,
            },
            None => {
                let error = BuildError::NoForm {
                    opcode: form.opcode(),
                    form: form.name(),
                    isa,
                };
                Builder {
                    isa,
                    form: None,
                    word: 0,
                    error: Some(error),
                }
            }
        }
    }

    fn with(mut self, step: impl FnOnce(&Builder, &'static Form) -> Result<u128, BuildError>) -> Builder {
        if let (Some(form), None) = (self.form, &self.error) {
            match step(&self, form) {
                Ok(word) => self.word = word,
                Err(error) => self.error = Some(error),
            }
        }
        self
    }

    fn find(form: &'static Form, isa: Isa, name: FieldName) -> Result<&'static Field, BuildError> {
        let missing = || BuildError::NoField {
            opcode: form.opcode,
            form: form.name,
            what: name.as_str().to_string(),
        };
        form.field(name).filter(|f| f.exists_on(isa)).ok_or_else(missing)
    }

    /// Sets a register operand; 255 (63 for uniform registers to sm_90, 7 for predicates) is the zero register.
    pub fn register(self, name: FieldName, number: u8) -> Builder {
        self.with(|b, form| {
            let field = Builder::find(form, b.isa, name)?;
            let value = match &field.kind {
                FieldKind::Register(r) if r.inverted => 7u64.checked_sub(u64::from(number)),
                FieldKind::Register(_) => Some(u64::from(number)),
                _ => None,
            };
            let fits = value.filter(|v| v >> field.bits.length() == 0);
            fits.map(|v| field.bits.write(b.word, v))
                .ok_or_else(|| BuildError::Value {
                    field: name,
                    value: format!("register {number}"),
                })
        })
    }

    /// Sets a number: raw bits of an integer or float field.
    pub fn number(self, name: FieldName, raw: u64) -> Builder {
        self.with(|b, form| {
            let field = Builder::find(form, b.isa, name)?;
            let length = field.bits.length();
            if length < 64 && raw >> length != 0 {
                return Err(BuildError::Value {
                    field: name,
                    value: format!("{raw:#x}"),
                });
            }
            Ok(field.bits.write(b.word, raw))
        })
    }

    /// Sets the first modifier field of kind `M`.
    pub fn modifier<M: Modifier>(self, value: M) -> Builder {
        self.with(|b, form| {
            let mut fields = form.fields.iter().filter(|f| f.exists_on(b.isa));
            let found = fields.find_map(|f| match &f.kind {
                FieldKind::Enumeration { kind, set, .. } if *kind == M::KIND => Some((f, *set)),
                _ => None,
            });
            let Some((field, set)) = found else {
                return Err(BuildError::NoField {
                    opcode: form.opcode,
                    form: form.name,
                    what: M::KIND.as_str().to_string(),
                });
            };
            let member = set
                .members
                .iter()
                .find(|m| m.variant == value.index() && m.isas.contains(b.isa));
            let text = M::TEXTS.get(usize::from(value.index())).copied().unwrap_or_default();
            member
                .map(|m| field.bits.write(b.word, u64::from(m.value)))
                .ok_or_else(|| BuildError::Value {
                    field: field.name,
                    value: format!("`{text}`"),
                })
        })
    }

    /// Sets a flag.
    pub fn flag(self, name: FieldName, on: bool) -> Builder {
        self.with(|b, form| {
            let field = Builder::find(form, b.isa, name)?;
            match field.kind {
                FieldKind::Flag { when, .. } => Ok(field.bits.write(b.word, u64::from(on == when))),
                _ => Err(BuildError::Value {
                    field: name,
                    value: format!("flag {on}"),
                }),
            }
        })
    }

    fn bit(self, name: FieldName, what: &str, bit: impl Fn(&crate::model::Decoration) -> Option<u8>) -> Builder {
        self.with(|b, form| {
            let field = Builder::find(form, b.isa, name)?;
            let bit = field.decoration().and_then(bit);
            let missing = || BuildError::NoField {
                opcode: form.opcode,
                form: form.name,
                what: format!("{what} of {}", name.as_str()),
            };
            bit.map(|n| b.word | 1 << n).ok_or_else(missing)
        })
    }

    /// Negates an operand.
    pub fn negate(self, name: FieldName) -> Builder {
        self.bit(name, "negation", |d| d.neg)
    }

    /// Takes an operand's absolute value.
    pub fn absolute(self, name: FieldName) -> Builder {
        self.bit(name, "absolute value", |d| d.abs)
    }

    /// Inverts an operand: bitwise, or a predicate.
    pub fn invert(self, name: FieldName) -> Builder {
        self.bit(name, "inversion", |d| d.inv.or(d.not))
    }

    /// Guards the instruction with predicate `number` (7: always), negated or not.
    pub fn guard(self, number: u8, negated: bool) -> Builder {
        self.with(|b, _| Ok(b.word & !(0xf << 12) | u128::from(number & 7) << 12 | u128::from(negated) << 15))
    }

    /// Sets the control word.
    pub fn control(self, control: Control) -> Builder {
        self.with(|b, _| Ok(control.write(b.word)))
    }

    /// The instruction.
    ///
    /// # Errors
    /// The first error of any step, or that the word belongs to another form.
    pub fn finish(self) -> Result<Instruction, BuildError> {
        if let Some(error) = self.error {
            return Err(error);
        }
        let name = self.form.map_or("", |f| f.name);
        let decoded = Instruction::decode(self.isa, self.word).ok();
        match decoded {
            Some(i) if self.form.is_some_and(|f| std::ptr::eq(f, i.form())) => Ok(i),
            other => Err(BuildError::Shadowed {
                form: name,
                decodes_as: other.map(|i| i.form().name),
            }),
        }
    }
}

impl Form {
    /// The word with every field at its default: zero registers, modifiers that print nothing where there are such, numbers zero,
    /// the table's fill, no guard, no scoreboards.
    pub fn default_word(&self, isa: Isa) -> u128 {
        default_word(self, isa)
    }

    /// Whether no field of `word` has a value that makes it no instruction of this form.
    pub fn accepts(&self, word: u128, isa: Isa) -> bool {
        self.fields.iter().all(|f| accepts(f, word, isa))
    }
}

/// The word of `form` with every field at its default: zero registers, the first legal modifier that prints nothing (or the first
/// legal one), numbers zero, the table's fill, no guard, no scoreboards.
pub(crate) fn default_word(form: &Form, isa: Isa) -> u128 {
    let stall = u8::from(!form.control.zero_stall.contains(isa));
    let control = Control {
        stall,
        keep_issuing: stall != 0,
        ..Control::NONE
    };
    let mut word = control.write(form.value | form.fill | 7 << 12);
    for field in form.fields {
        let value = default_value(field, isa);
        let candidate = field.bits.write(word, value);
        if accepts(field, candidate, isa) {
            word = candidate;
        }
    }
    word
}

/// The value a field has when nothing is said of it.
pub(crate) fn default_value(field: &Field, isa: Isa) -> u64 {
    match &field.kind {
        FieldKind::Register(register) => {
            let zero = match register.class {
                RegisterClass::Barrier | RegisterClass::Scoreboard => 0,
                class => register.omit.map(u64::from).or(zero_number(class, isa)).unwrap_or(0),
            };
            let zero = if register.inverted { 7 - zero } else { zero };
            if register.exclude.contains(&(zero as u32)) {
                0
            } else {
                zero
            }
        }
        FieldKind::Enumeration { set, omit, .. } => {
            let legal = || set.members.iter().filter(|m| m.isas.contains(isa));
            let silent = legal()
                .find(|m| m.text.is_empty())
                .or(legal().next())
                .map_or(0, |m| u64::from(m.value));
            let silent = if field.exists_on(isa) {
                silent
            } else {
                legal().find(|m| m.text.is_empty()).map_or(0, |m| u64::from(m.value))
            };
            omit.map_or(silent, u64::from)
        }
        FieldKind::Flag { when, .. } => u64::from(!*when),
        FieldKind::Unsigned { omit, .. } | FieldKind::Signed { omit, .. } | FieldKind::Scoreboards { omit } => {
            omit.map_or(0, u64::from)
        }
        FieldKind::Relative { .. } | FieldKind::Float(_) | FieldKind::Group(_) => 0,
    }
}
