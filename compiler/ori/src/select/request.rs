//! What is asked of selection: an operation, its operands in the order of the text, and modifiers.

use std::fmt;

use smallvec::SmallVec;
use warpsmith_sass::{FieldName, Modifier, Opcode};

use crate::ir::{BlockId, Effects, Guard, Marks, Reference, Register};

/// A word of a virtual register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Word {
    /// The register.
    pub register: Register,
    /// Its first word.
    pub word: u8,
}

impl From<Register> for Word {
    fn from(register: Register) -> Word {
        Word { register, word: 0 }
    }
}

impl Register {
    /// A word of a wide register.
    pub fn word(self, word: u8) -> Word {
        Word { register: self, word }
    }
}

/// What an instruction reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    /// RZ, URZ or 0.
    Zero,
    /// A general or uniform register.
    Register(Word),
    /// An immediate's 32 bits (for f64 operands: the high word).
    Immediate(u32),
    /// A word of a constant bank at a byte offset.
    Constant(u8, u32),
}

impl From<Register> for Value {
    fn from(register: Register) -> Value {
        Value::Register(register.into())
    }
}

impl From<Word> for Value {
    fn from(word: Word) -> Value {
        Value::Register(word)
    }
}

impl From<u32> for Value {
    fn from(value: u32) -> Value {
        Value::Immediate(value)
    }
}

/// A value with what is done to it as it is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Source {
    /// The value.
    pub value: Value,
    /// `-`
    pub negated: bool,
    /// `|x|`
    pub absolute: bool,
    /// `~`
    pub inverted: bool,
}

impl<T: Into<Value>> From<T> for Source {
    fn from(value: T) -> Source {
        Source {
            value: value.into(),
            negated: false,
            absolute: false,
            inverted: false,
        }
    }
}

/// `-x`
pub fn negated(value: impl Into<Source>) -> Source {
    let source = value.into();
    Source {
        negated: !source.negated,
        ..source
    }
}

/// `|x|`
pub fn absolute(value: impl Into<Source>) -> Source {
    Source {
        absolute: true,
        negated: false,
        ..value.into()
    }
}

/// `~x`
pub fn inverted(value: impl Into<Source>) -> Source {
    let source = value.into();
    Source {
        inverted: !source.inverted,
        ..source
    }
}

/// A predicate that is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Test {
    /// The predicate; `None`: always true.
    pub register: Option<Register>,
    /// `!P`
    pub negated: bool,
}

impl Test {
    /// Always true.
    pub const ALWAYS: Test = Test {
        register: None,
        negated: false,
    };
    /// Never true.
    pub const NEVER: Test = Test {
        register: None,
        negated: true,
    };
}

impl From<Register> for Test {
    fn from(register: Register) -> Test {
        Test {
            register: Some(register),
            negated: false,
        }
    }
}

impl Test {
    /// The opposite.
    #[must_use]
    pub fn opposite(self) -> Test {
        Test {
            negated: !self.negated,
            ..self
        }
    }
}

/// Why an instruction cannot be made: the lowering asks for something that the machine does not have, which is a mistake in the lowering or a gap in the
/// tables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SelectError {
    /// What was asked for.
    pub message: String,
}

impl fmt::Display for SelectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for SelectError {}

/// An instruction being put together.
#[derive(Debug)]
pub struct Request {
    pub(super) opcode: Opcode,
    pub(super) literals: &'static str,
    pub(super) form: Option<&'static str>,
    pub(super) destination: Option<Word>,
    pub(super) sources: SmallVec<[Source; 4]>,
    pub(super) registers: SmallVec<[(FieldName, Word); 4]>,
    pub(super) predicates: SmallVec<[(FieldName, Register); 2]>,
    pub(super) tests: SmallVec<[(FieldName, Test); 2]>,
    pub(super) numbers: SmallVec<[(FieldName, u64); 4]>,
    pub(super) modifiers: SmallVec<[(warpsmith_sass::ModifierKind, u16, &'static str); 4]>,
    pub(super) texts: SmallVec<[(FieldName, &'static str); 4]>,
    pub(super) flags: SmallVec<[(FieldName, bool); 4]>,
    pub(super) guard: Option<Guard>,
    pub(super) target: Option<BlockId>,
    pub(super) reference: Option<Reference>,
    pub(super) effects: Option<Box<Effects>>,
    pub(super) marks: Marks,
}

impl Clone for Request {
    // By hand for the sake of the lists: they are copied as pieces, not item by item.
    fn clone(&self) -> Request {
        Request {
            opcode: self.opcode,
            literals: self.literals,
            form: self.form,
            destination: self.destination,
            sources: SmallVec::from_slice(&self.sources),
            registers: SmallVec::from_slice(&self.registers),
            predicates: SmallVec::from_slice(&self.predicates),
            tests: SmallVec::from_slice(&self.tests),
            numbers: SmallVec::from_slice(&self.numbers),
            modifiers: SmallVec::from_slice(&self.modifiers),
            texts: SmallVec::from_slice(&self.texts),
            flags: SmallVec::from_slice(&self.flags),
            guard: self.guard,
            target: self.target,
            reference: self.reference.clone(),
            effects: self.effects.clone(),
            marks: self.marks,
        }
    }
}

impl Request {
    /// An instruction without literal modifiers.
    pub fn new(opcode: Opcode) -> Request {
        Request {
            opcode,
            literals: "",
            form: None,
            destination: None,
            sources: SmallVec::new(),
            registers: SmallVec::new(),
            predicates: SmallVec::new(),
            tests: SmallVec::new(),
            numbers: SmallVec::new(),
            modifiers: SmallVec::new(),
            texts: SmallVec::new(),
            flags: SmallVec::new(),
            guard: None,
            target: None,
            reference: None,
            effects: None,
            marks: Marks::default(),
        }
    }

    /// With the literal modifiers that the form's name starts with: `X`, `WIDE`, `HI.X`.
    #[must_use]
    pub fn literal(mut self, literals: &'static str) -> Request {
        self.literals = literals;
        self
    }

    /// With exactly this form; for instructions whose operands are not a list of values (loads, branches).
    #[must_use]
    pub fn form(mut self, form: &'static str) -> Request {
        self.form = Some(form);
        self
    }

    /// What `Rd` or `URd` holds afterwards.
    #[must_use]
    pub fn to(mut self, destination: impl Into<Word>) -> Request {
        self.destination = Some(destination.into());
        self
    }

    /// The next value that is read, in the order of the text.
    #[must_use]
    pub fn from(mut self, source: impl Into<Source>) -> Request {
        self.sources.push(source.into());
        self
    }

    /// A register in a field that is no value in the text's order (addresses, stored data).
    #[must_use]
    pub fn at(mut self, field: FieldName, register: impl Into<Word>) -> Request {
        self.registers.push((field, register.into()));
        self
    }

    /// A predicate that is written.
    #[must_use]
    pub fn sets(mut self, field: FieldName, register: Register) -> Request {
        self.predicates.push((field, register));
        self
    }

    /// A predicate that is read.
    #[must_use]
    pub fn when(mut self, field: FieldName, test: impl Into<Test>) -> Request {
        self.tests.push((field, test.into()));
        self
    }

    /// The value of a number field; of a signed one with all bits of its sign, since forms differ in how many bits they have for it.
    #[must_use]
    pub fn number(mut self, field: FieldName, raw: u64) -> Request {
        self.numbers.push((field, raw));
        self
    }

    /// A modifier.
    #[must_use]
    pub fn with<M: Modifier>(mut self, modifier: M) -> Request {
        let text = M::TEXTS.get(usize::from(modifier.index())).copied().unwrap_or_default();
        self.modifiers.push((M::KIND, modifier.index(), text));
        self
    }

    /// The modifier of a field by the text that it prints, without the dot; empty for the value that prints nothing.
    #[must_use]
    pub fn text(mut self, field: FieldName, text: &'static str) -> Request {
        self.texts.push((field, text));
        self
    }

    /// A flag, if the form has it; without it, asking for the flag to be off is fine.
    #[must_use]
    pub fn flag(mut self, field: FieldName, on: bool) -> Request {
        self.flags.push((field, on));
        self
    }

    /// Executed where the predicate holds.
    #[must_use]
    pub fn guarded(mut self, test: impl Into<Test>) -> Request {
        let test = test.into();
        self.guard = test.register.map(|register| Guard {
            register,
            negated: test.negated,
        });
        self
    }

    /// Where it branches to.
    #[must_use]
    pub fn target(mut self, target: BlockId) -> Request {
        self.target = Some(target);
        self
    }

    /// A product or sum that PTX lets become part of an operation that rounds once.
    #[must_use]
    pub fn contractible(mut self, contract: bool) -> Request {
        self.marks.contract = contract;
        self
    }

    /// A weak access to memory.
    #[must_use]
    pub fn weak(mut self, weak: bool) -> Request {
        self.marks.weak = weak;
        self
    }

    /// A barrier that all threads of a warp come to together, or none.
    #[must_use]
    pub fn aligned(mut self, aligned: bool) -> Request {
        self.marks.aligned = aligned;
        self
    }

    /// A wait of threads for each other after which they see what they wrote before it.
    #[must_use]
    pub fn ordering(mut self, ordering: bool) -> Request {
        self.marks.ordering = ordering;
        self
    }

    /// The address that its 32-bit immediate holds.
    #[must_use]
    pub fn address(mut self, reference: Reference) -> Request {
        self.reference = Some(reference);
        self
    }

    /// What it does to registers beside those of its fields.
    #[must_use]
    pub fn affecting(mut self, effects: Effects) -> Request {
        self.effects = Some(Box::new(effects));
        self
    }
}
