//! SASS: the machine instructions of sm_75 to sm_121, as one table-driven codec.
//!
//! What enters: 128-bit instruction words, or the text of one instruction. What leaves: [`Instruction`], a decoded word with typed
//! access to its operands, modifiers, control word and properties; its text; or a word made by [`Builder`].
//!
//! Invariants:
//! * Every fact about an encoding is a row of `isa-tables/`; this crate holds interpreters of that data and no instruction by name.
//! * `decode(w).word() == w` for every word that decodes, and text printed from a word parses back to the same word wherever
//!   the text tells it apart (bits that print nothing are the table's fill).
//! * A word that no row matches is an error, never a guess. No input panics.
//!
//! Start reading at [`Instruction::decode`]; [`tables`] holds the generated types: [`Opcode`], [`FieldName`], the modifier enums and
//! [`form`], one constant per form for [`Builder`].

mod builder;
mod control;
pub mod hazard;
mod instruction;
mod model;
mod number;
mod operand;
mod parse;
mod print;
mod timing;

/// Types and tables generated from `isa-tables/`.
#[allow(clippy::all, clippy::wildcard_imports, unused_imports, unreachable_pub)]
#[rustfmt::skip]
pub mod tables {
    use crate::model::*;
    include!(concat!(env!("OUT_DIR"), "/tables.rs"));
}

pub use builder::{BuildError, Builder};
pub use control::Control;
pub use instruction::{DecodeError, Guard, GuardFile, Instruction};
pub use model::{
    Access, Bits, ControlRule, Decoration, Field, FieldKind, FloatFormat, Flow, Form, FormName, GuardKind, IsaSet,
    Member, MemoryAccess, MemoryEffect, MemorySpace, Modifier, OpcodeInfo, OperandAccess, Register, RegisterClass,
    RegisterField, ValueSet,
};
pub use operand::{Operand, RegisterOperand};
pub use parse::{ParseContext, ParseError, parse};
pub use print::{OperandText, PlainText, zero_number};
pub use tables::{FieldName, ModifierKind, Opcode, form};
pub use timing::{
    Awaiting, Distance, Evidence, Latency, LatencyGroup, Orders, Pipe, Queue, ResultRange, Rule, RuleValue, Tells,
    Timing, Use, issue_interval, issue_interval_between, product_interval, raw_distance, raw_distance_between, rule,
    war_distance, waw_distance, waw_distance_between,
};

use tables::{BUCKET_START, BUCKETS, FIELD_NAMES, FORM_NAMES, FORMS, MODIFIER_KINDS, OPCODES};
use warpsmith_target::Isa;

impl Opcode {
    /// What the tables say of the instruction as a whole.
    #[inline]
    pub fn info(self) -> &'static OpcodeInfo {
        &OPCODES[self as usize]
    }

    /// Its mnemonic.
    pub fn mnemonic(self) -> &'static str {
        self.info().mnemonic
    }

    /// The opcode with this mnemonic.
    pub fn from_mnemonic(mnemonic: &str) -> Option<Opcode> {
        let found = OPCODES.binary_search_by(|o| o.mnemonic.cmp(mnemonic)).ok()?;
        Some(OPCODES[found].opcode)
    }

    /// Every opcode, in the order of the mnemonics.
    pub fn all() -> impl Iterator<Item = Opcode> {
        OPCODES.iter().map(|o| o.opcode)
    }
}

impl FieldName {
    /// The name as in the tables.
    pub fn as_str(self) -> &'static str {
        FIELD_NAMES[self as usize]
    }
}

impl ModifierKind {
    /// The name as in the tables.
    pub fn as_str(self) -> &'static str {
        MODIFIER_KINDS[self as usize]
    }
}

impl FormName {
    /// The instruction.
    pub fn opcode(self) -> Opcode {
        FORM_NAMES[usize::from(self.0)].opcode
    }

    /// Operand kinds and literal modifiers.
    pub fn name(self) -> &'static str {
        FORM_NAMES[usize::from(self.0)].name
    }

    /// The encoding on `isa`, if that generation has the form.
    pub fn on(self, isa: Isa) -> Option<&'static Form> {
        FORMS.get(usize::from(FORM_NAMES[usize::from(self.0)].index[isa.index()]))
    }

    /// The form names of an instruction.
    pub fn of(opcode: Opcode) -> impl Iterator<Item = FormName> {
        // Both tables are in the order of the mnemonics.
        let start = FORM_NAMES.partition_point(|row| row.opcode < opcode);
        let end = FORM_NAMES.partition_point(|row| row.opcode <= opcode);
        (start..end).map(|index| FormName(index as u16))
    }

    /// Every form name.
    pub fn all() -> impl Iterator<Item = FormName> {
        (0..FORM_NAMES.len()).map(|i| FormName(i as u16))
    }
}

/// Every encoding of `isa`.
pub fn forms(isa: Isa) -> impl Iterator<Item = &'static Form> {
    FORMS.iter().filter(move |f| f.isas.contains(isa))
}

/// The encodings of `isa` that may match a word with these opcode bits (0 to 11), the most specific first.
fn candidates(isa: Isa, opcode_bits: usize) -> &'static [u16] {
    let bucket = isa.index() * 4096 + opcode_bits;
    &BUCKETS[usize::from(BUCKET_START[bucket])..usize::from(BUCKET_START[bucket + 1])]
}
