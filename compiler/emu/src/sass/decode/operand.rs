//! Operands of an instruction word as rows, in the order in which the form prints them.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use warpsmith_sass::{
    Field, FieldKind, FieldName, FloatFormat, Form, Instruction, Modifier, RegisterClass, zero_number,
};

use super::super::code::{Constant, Modify, Predicate, Row, Source, Test};

/// How the family of an instruction understands `-`, `|x|` and `~` of its 32-bit operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Numbers {
    /// Two's complement; `~` inverts.
    Integer,
    /// The sign bit of f32, or of the high word of f64.
    Float,
    /// The family looks at the decoration itself ([`Value::negated`] …).
    Own,
}

/// A value that an instruction reads, in the order of its text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Value {
    /// The first word.
    pub(crate) row: Row,
    /// Where a second word lies: the next register, or the next word of the constant bank; zero for immediates, except those of f64, whose
    /// bits are its high word.
    pub(crate) high: Row,
    pub(crate) negated: bool,
    pub(crate) absolute: bool,
    pub(crate) inverted: bool,
    /// An immediate's bits.
    pub(crate) immediate: Option<u64>,
    /// Its field.
    pub(crate) field: FieldName,
}

impl Value {
    /// The first word as the family reads it.
    pub(crate) fn source(&self, numbers: Numbers) -> Source {
        Source {
            row: self.row,
            modify: self.modify(numbers),
        }
    }

    fn modify(&self, numbers: Numbers) -> Modify {
        match (numbers, self.negated, self.absolute, self.inverted) {
            (Numbers::Own, ..) | (_, false, false, false) => Modify::Nothing,
            (Numbers::Integer, _, _, true) => Modify::Invert,
            (Numbers::Integer, ..) => Modify::Negate,
            (Numbers::Float, true, true, _) => Modify::FloatNegateAbsolute,
            (Numbers::Float, true, false, _) => Modify::FloatNegate,
            (Numbers::Float, false, true, _) => Modify::FloatAbsolute,
            (Numbers::Float, false, false, true) => Modify::Nothing,
        }
    }

    /// The high word of an f64 operand; its sign bit carries the decoration.
    pub(crate) fn high_of_double(&self) -> Source {
        Source {
            row: self.high,
            modify: self.modify(Numbers::Float),
        }
    }
}

/// The constants of a program as they are collected.
#[derive(Debug, Default)]
pub(crate) struct Constants {
    pub(crate) list: Vec<Constant>,
    index: FxHashMap<Constant, usize>,
}

impl Constants {
    /// The row of a constant.
    pub(crate) fn row(&mut self, constant: Constant) -> Row {
        if constant == Constant::Value(0) {
            return Row::ZERO;
        }
        let list = &mut self.list;
        Row::constant(*self.index.entry(constant).or_insert_with(|| {
            list.push(constant);
            list.len() - 1
        }))
    }
}

/// An instruction being decoded into a step.
pub(crate) struct Decoder<'d> {
    pub(crate) instruction: Instruction,
    pub(crate) constants: &'d mut Constants,
    /// Its place.
    pub(crate) pc: u32,
}

/// The fields that are parts of another operand's text: of constant-bank accesses.
fn is_part_of_group(form: &Form, name: FieldName) -> bool {
    let has_group = form.fields.iter().any(|f| matches!(f.kind, FieldKind::Group(_)));
    let bindless = form.field(FieldName::Bank).is_none();
    has_group
        && match name {
            FieldName::Bank | FieldName::Offset => true,
            FieldName::URb => bindless,
            _ => false,
        }
}

impl Decoder<'_> {
    /// The form.
    pub(crate) fn form(&self) -> &'static Form {
        self.instruction.form()
    }

    /// The form's name with literal modifiers and operand kinds.
    pub(crate) fn form_name(&self) -> &'static str {
        self.form().name
    }

    /// Whether a literal modifier (`X`, `WIDE`, `HI`) stands in the form's name.
    pub(crate) fn has_literal(&self, modifier: &str) -> bool {
        let name = self.form().name;
        let Some((modifiers, _)) = name.rsplit_once('.') else {
            return false;
        };
        modifiers.split('.').any(|m| m == modifier)
    }

    /// Whether a flag is printed.
    pub(crate) fn flag(&self, name: FieldName) -> bool {
        self.instruction.flag(name)
    }

    /// A modifier.
    pub(crate) fn modifier<M: Modifier>(&self) -> Option<M> {
        self.instruction.modifier()
    }

    /// The text that a modifier field prints, without dots; empty where the form lacks it or it prints nothing.
    pub(crate) fn text(&self, name: FieldName) -> &'static str {
        let Some(field) = self.form().field(name).filter(|f| f.exists_on(self.instruction.isa())) else {
            return "";
        };
        let raw = field.bits.read(self.instruction.word());
        let text = match &field.kind {
            FieldKind::Enumeration { set, omit, .. } if omit.map(u64::from) != Some(raw) => {
                set.member(raw, self.instruction.isa()).map_or("", |member| member.text)
            }
            FieldKind::Flag { text, when } if (raw != 0) == *when => text,
            _ => "",
        };
        text.trim_start_matches('.')
    }

    /// The raw value of a field.
    pub(crate) fn raw(&self, name: FieldName) -> Option<u64> {
        self.instruction.field(name)
    }

    /// A number field as printed: scaled and signed.
    pub(crate) fn number(&self, name: FieldName) -> Option<i64> {
        let field = self
            .form()
            .field(name)
            .filter(|f| f.exists_on(self.instruction.isa()))?;
        let raw = field.bits.read(self.instruction.word());
        let length = field.bits.length();
        match field.kind {
            FieldKind::Unsigned { scale, .. } => Some((raw as i64).wrapping_mul(i64::from(scale))),
            FieldKind::Signed { scale, .. } | FieldKind::Relative { scale } => {
                let shift = 64 - length.clamp(1, 64);
                Some(((raw << shift) as i64 >> shift).wrapping_mul(i64::from(scale)))
            }
            _ => None,
        }
    }

    /// The step that a relative branch goes to.
    pub(crate) fn target(&self) -> Option<u32> {
        let address = self.instruction.branch_target(u64::from(self.pc) * 16)?;
        address.is_multiple_of(16).then(|| u32::try_from(address / 16).ok())?
    }

    /// The row of the register in a field; the zero register where the form lacks it.
    pub(crate) fn register(&self, name: FieldName) -> Row {
        match self.form().field(name) {
            Some(field) => self.row_of(field).unwrap_or(Row::ZERO),
            None => Row::ZERO,
        }
    }

    /// Whether the form has a field.
    pub(crate) fn has(&self, name: FieldName) -> bool {
        self.form()
            .field(name)
            .is_some_and(|f| f.exists_on(self.instruction.isa()))
    }

    fn row_of(&self, field: &Field) -> Option<Row> {
        let FieldKind::Register(register) = &field.kind else {
            return None;
        };
        let raw = field.bits.read(self.instruction.word());
        match register.class {
            RegisterClass::Gpr => Some(Row::register(raw as u8)),
            RegisterClass::UniformGpr => {
                let zero = zero_number(register.class, self.instruction.isa()).is_none_or(|zero| raw >= zero);
                Some(Row::uniform((!zero).then_some(raw as u8)))
            }
            RegisterClass::Predicate | RegisterClass::UniformPredicate => None,
            RegisterClass::Barrier | RegisterClass::Scoreboard => None,
        }
    }

    /// The register that is written: `Rd` or `URd`.
    pub(crate) fn destination(&self) -> Row {
        if self.has(FieldName::Rd) {
            self.register(FieldName::Rd)
        } else if self.has(FieldName::URd) {
            self.register(FieldName::URd)
        } else {
            Row::ZERO
        }
    }

    /// The predicate in the first of these fields that the form has, as destination.
    pub(crate) fn predicate(&self, names: &[FieldName]) -> Predicate {
        self.test_of(names).map_or(Predicate::TRUE, |test| test.predicate)
    }

    /// The predicate in the first of these fields that the form has, as source.
    pub(crate) fn test(&self, names: &[FieldName]) -> Option<Test> {
        self.test_of(names)
    }

    fn test_of(&self, names: &[FieldName]) -> Option<Test> {
        let field = names.iter().find_map(|name| self.form().field(*name))?;
        if !field.exists_on(self.instruction.isa()) {
            return None;
        }
        let FieldKind::Register(register) = &field.kind else {
            return None;
        };
        let word = self.instruction.word();
        let raw = (field.bits.read(word) & 7) as u8;
        let number = if register.inverted { 7 - raw } else { raw };
        let base = match register.class {
            RegisterClass::Predicate => 0,
            RegisterClass::UniformPredicate => Predicate::UNIFORM,
            RegisterClass::Gpr | RegisterClass::UniformGpr => return None,
            RegisterClass::Barrier | RegisterClass::Scoreboard => return None,
        };
        Some(Test {
            predicate: Predicate(base + number),
            negated: register.decoration.not.is_some_and(|bit| word >> bit & 1 != 0),
        })
    }

    /// The values that the instruction reads, in the order of its text: registers, uniform registers, immediates, constants. Predicates and the
    /// destination `Rd` or `URd` are not among them. Numbers that are no operands but select something, such as a truth table, come last.
    pub(crate) fn values(&mut self) -> SmallVec<[Value; 4]> {
        let form = self.form();
        let mut values = SmallVec::new();
        for field in form.fields {
            if !field.exists_on(self.instruction.isa()) || is_part_of_group(form, field.name) {
                continue;
            }
            if matches!(field.name, FieldName::Rd | FieldName::URd) {
                continue;
            }
            if let Some(value) = self.value(field) {
                values.push(value);
            }
        }
        values
    }

    fn value(&mut self, field: &'static Field) -> Option<Value> {
        let word = self.instruction.word();
        let raw = field.bits.read(word);
        let decorated = |bit: fn(&warpsmith_sass::Decoration) -> Option<u8>| {
            field.decoration().and_then(bit).is_some_and(|bit| word >> bit & 1 != 0)
        };
        let mut value = Value {
            row: Row::ZERO,
            high: Row::ZERO,
            negated: decorated(|d| d.neg),
            absolute: decorated(|d| d.abs),
            inverted: decorated(|d| d.inv),
            immediate: None,
            field: field.name,
        };
        match &field.kind {
            FieldKind::Register(_) => {
                value.row = self.row_of(field)?;
                value.high = value.row.after(1);
            }
            FieldKind::Group(_) => {
                // Bindless constants have no bank; families that take them refuse them.
                let bank = self.raw(FieldName::Bank)? as u8;
                let offset = self.number(FieldName::Offset)? as u32 & 0xffff;
                value.row = self.constants.row(Constant::Bank { bank, offset });
                value.high = self.constants.row(Constant::Bank {
                    bank,
                    offset: offset.wrapping_add(4),
                });
            }
            FieldKind::Float(format) => {
                let (low, high) = match format {
                    FloatFormat::F64High => (0, raw as u32),
                    FloatFormat::F16 | FloatFormat::Bf16 | FloatFormat::F32 => (raw as u32, 0),
                };
                value.immediate = Some(raw);
                value.row = self.constants.row(Constant::Value(low));
                value.high = self.constants.row(Constant::Value(high));
            }
            FieldKind::Unsigned { .. } | FieldKind::Signed { .. }
                if matches!(
                    field.name,
                    FieldName::Imm | FieldName::Imm2 | FieldName::Imm3 | FieldName::Imm4
                ) =>
            {
                let number = self.number(field.name)?;
                value.immediate = Some(number as u64);
                value.row = self.constants.row(Constant::Value(number as u32));
                value.high = self.constants.row(Constant::Value((number >> 32) as u32));
            }
            FieldKind::Unsigned { .. } | FieldKind::Signed { .. } => return None,
            FieldKind::Relative { .. } | FieldKind::Scoreboards { .. } => return None,
            FieldKind::Enumeration { .. } | FieldKind::Flag { .. } => return None,
        }
        Some(value)
    }

    /// Whether the form reads a constant through a descriptor in a uniform register (`cx[UR][…]`), which no code seen does.
    pub(crate) fn is_bindless_constant(&self) -> bool {
        let form = self.form();
        form.fields.iter().any(|f| matches!(f.kind, FieldKind::Group(_))) && form.field(FieldName::Bank).is_none()
    }
}
