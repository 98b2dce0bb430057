//! The instruction tables as data: what the generator makes of `ir-defs/ptx`, whose README gives the meaning of each part.

use std::fmt;

use crate::module::{Target, TargetSuffix, Version};

include!(concat!(env!("OUT_DIR"), "/tables.rs"));

/// Facts about an opcode.
#[derive(Debug)]
pub struct OpcodeInfo {
    /// Dotted name.
    pub name: &'static str,
    /// Index into [`FAMILIES`] of its first form.
    pub family: usize,
    /// What it does.
    pub title: &'static str,
    /// Section of the PTX ISA manual.
    pub section: &'static str,
    /// Indices into [`FORMS`].
    pub forms: &'static [u16],
}

/// How the bits of a type are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TypeKind {
    /// `.bN`
    Bits,
    /// `.uN`
    Unsigned,
    /// `.sN`
    Signed,
    /// Floating point.
    Float,
    /// Several values in one register.
    Packed,
    /// `.pred`
    Predicate,
    /// `.texref` and the like.
    Opaque,
}

/// Facts about a type.
#[derive(Debug)]
pub struct TypeInfo {
    /// Name without the dot.
    pub name: &'static str,
    /// Size in bits.
    pub bits: u32,
    /// How they are read.
    pub kind: TypeKind,
    /// The type as a modifier.
    pub modifier: Modifier,
}

/// Facts about a modifier.
#[derive(Debug)]
pub struct ModifierInfo {
    /// Name without the dot.
    pub name: &'static str,
    /// What it is about.
    pub class: Class,
    /// The type that it names.
    pub of_type: Option<Type>,
}

/// Facts about a special register.
#[derive(Debug)]
pub struct SpecialInfo {
    /// Name with the percent sign.
    pub name: &'static str,
    /// Elements: 4 for `%tid.x` to `%tid.w`, else 1.
    pub vector: u8,
    /// Types of the elements it may be read with, its own first.
    pub types: &'static [Type],
    /// Versions and targets that have it.
    pub needs: &'static [Requirement],
    /// Section of the manual.
    pub section: &'static str,
    /// What it holds.
    pub title: &'static str,
}

/// A target that had another name.
#[derive(Debug)]
pub struct RenamedTarget {
    /// The number it had.
    pub former: u16,
    /// The number it has.
    pub number: u16,
    /// The oldest version that knows the former name.
    pub since: Version,
    /// The oldest version that knows it with `f`.
    pub family_since: Version,
}

/// What a feature other than an instruction needs.
#[derive(Debug)]
pub struct FeatureGate {
    /// As the vendor's tool calls it.
    pub feature: &'static str,
    /// The oldest version that has it.
    pub version: Version,
    /// The lowest number of a target that has it; 0: every one.
    pub target: u16,
}

/// One form of an instruction.
#[derive(Debug)]
pub struct Form {
    /// Whose form it is.
    pub opcode: Opcode,
    /// Index into [`FAMILIES`]: forms of one opcode may be of several.
    pub family: usize,
    /// In the manual's notation, as in the table.
    pub pattern: &'static str,
    /// Section of the manual.
    pub section: &'static str,
    /// Places for modifiers, in order of the pattern.
    pub slots: &'static [Slot],
    /// Operands, in order.
    pub operands: &'static [OperandSpec],
    /// Gates and illegal combinations.
    pub rules: &'static [Rule],
    /// Numbers of vector elements.
    pub counts: &'static [Count],
    /// Remarks for readers.
    pub notes: &'static [&'static str],
    /// It is read and checked alone: no code is made of it, and nothing runs it.
    pub uncompiled: bool,
}

/// A place for one modifier.
#[derive(Debug)]
pub struct Slot {
    /// Name without the dot.
    pub name: &'static str,
    /// May be absent.
    pub optional: bool,
    /// A modifier that the pattern names itself.
    pub literal: bool,
    /// What it takes.
    pub values: &'static [Modifier],
}

/// An operand of a form.
#[derive(Debug)]
pub struct OperandSpec {
    /// Name in the pattern; empty for brackets and vectors.
    pub name: &'static str,
    /// Number of the optional group; 0: mandatory.
    pub group: u8,
    /// What it looks like.
    pub shape: Shape,
}

/// What an operand looks like.
#[derive(Debug)]
pub enum Shape {
    /// One thing; its number within the form, and the alternatives.
    One(u8, &'static [Kind]),
    /// `[a, b]`
    Bracket(&'static [OperandSpec]),
    /// `{a, b}`
    Vector(&'static [OperandSpec]),
    /// `d|p`; true: the second may be absent.
    Pair(&'static [OperandSpec], bool),
    /// `(a)`
    List(&'static [OperandSpec]),
}

/// What one operand may be.
#[derive(Debug)]
pub struct Kind {
    /// The kind proper.
    pub role: Role,
    /// What a constant must satisfy.
    pub range: Range,
    /// Exceptions to it.
    pub flags: Flags,
}

/// Flag words of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flags(pub u32);

#[allow(missing_docs)] // The README of the tables says what each word means.
impl Flags {
    pub const SINK: u32 = 1;
    pub const WIDER: u32 = 1 << 1;
    pub const LOOSE: u32 = 1 << 2;
    pub const ANY: u32 = 1 << 3;
    pub const UNIFIED: u32 = 1 << 5;
    pub const NEGATIVE: u32 = 1 << 6;
    pub const NOT: u32 = 1 << 7;
    pub const SPECIAL: u32 = 1 << 9;
    pub const ELEMENT: u32 = 1 << 14;
    pub const SELECTOR_SCALAR: u32 = 1 << 15;
    pub const SELECTOR_HALF_MASK: u32 = 1 << 16;
    pub const SELECTOR_HALF_SELECT: u32 = 1 << 17;
    pub const SELECTOR_BYTE_MASK: u32 = 1 << 18;
    pub const SELECTOR_BYTE_SELECT: u32 = 1 << 19;

    /// Whether the flag is set.
    pub const fn has(self, flag: u32) -> bool {
        self.0 & flag != 0
    }
}

/// Kinds of operands.
#[derive(Debug)]
pub enum Role {
    /// Register written.
    Out(TypeSpec),
    /// Register read.
    Register(TypeSpec),
    /// Register or constant.
    Value(TypeSpec),
    /// Constant.
    Immediate(TypeSpec),
    /// `{…}` of this many elements; a kind of their own for all after the first.
    Vector(Number, &'static Kind, Option<&'static Kind>),
    /// `[…]`
    Address(Spaces),
    /// Predicate register.
    Predicate {
        /// Written.
        out: bool,
    },
    /// `(…)` of any length.
    List(&'static Kind),
    /// A code label.
    Label,
    /// A function's name.
    Function,
    /// A variable's name.
    Variable(Spaces),
    /// A `.callprototype` label.
    Prototype,
    /// A `.branchtargets` or `.calltargets` label.
    Targets,
    /// A `.texref` variable or a register with a handle.
    Texref,
    /// A `.samplerref` variable or a register with a handle.
    Samplerref,
    /// A `.surfref` variable or a register with a handle.
    Surfref,
    /// A special register.
    Special,
}

/// A type that may depend on the modifiers.
#[derive(Debug)]
pub enum TypeSpec {
    /// This one.
    Fixed(Type),
    /// What the slot holds.
    Slot(u8),
    /// Double width of the same kind.
    Wide(&'static TypeSpec),
    /// Half width of the same kind.
    Half(&'static TypeSpec),
}

/// What constants an operand takes: all must hold.
#[derive(Debug, PartialEq, Eq)]
pub struct Range {
    /// Smallest, as a signed number.
    pub low: Option<i64>,
    /// Greatest, as a signed number.
    pub high: Option<i64>,
    /// A multiple of this.
    pub multiple: Option<i64>,
    /// A power of two.
    pub power: bool,
    /// Not zero.
    pub nonzero: bool,
    /// One of these; empty: any.
    pub among: &'static [i64],
}

impl Range {
    /// Every constant.
    pub const ANY: Range = Range {
        low: None,
        high: None,
        multiple: None,
        power: false,
        nonzero: false,
        among: &[],
    };

    /// Whether `value` is in it.
    pub fn contains(&self, value: i64) -> bool {
        self.low.is_none_or(|low| low <= value)
            && self.high.is_none_or(|high| value <= high)
            && self.multiple.is_none_or(|n| value % n == 0)
            && (!self.power || (value > 0 && value & (value - 1) == 0))
            && (!self.nonzero || value != 0)
            && (self.among.is_empty() || self.among.contains(&value))
    }

    /// Whether a floating constant is in it.
    pub fn contains_float(&self, value: f64) -> bool {
        self.low.is_none_or(|low| low as f64 <= value)
            && self.high.is_none_or(|high| value <= high as f64)
            && (!self.nonzero || value != 0.0)
    }
}

/// A number that may depend on the modifiers.
#[derive(Debug)]
pub enum Number {
    /// This one.
    Fixed(u32),
    /// The number in the name of a slot's modifier, after a letter, scaled. An absent slot: a scalar.
    Slot {
        /// Index of the slot.
        slot: u8,
        /// The letter before the number; `None`: the first number.
        letter: Option<char>,
        /// Factor.
        multiply: u32,
        /// Divisor.
        divide: u32,
    },
    /// The first [`Count`] of this name whose condition holds.
    Count(&'static str),
    /// Each of these will do.
    OneOf(&'static [Number]),
}

/// State spaces of an address.
#[derive(Debug)]
pub enum Spaces {
    /// These.
    Names(&'static [&'static str]),
    /// What the slot holds; absent: generic.
    Slot(u8),
}

/// A gate or an illegal combination.
#[derive(Debug)]
pub struct Rule {
    /// All must hold for the effect to be asked.
    pub when: &'static [Atom],
    /// What then.
    pub effect: Effect,
}

/// What a rule demands.
#[derive(Debug)]
pub enum Effect {
    /// All of these.
    Needs(&'static [Requirement]),
    /// Illegal, for this reason.
    Refuse(&'static str),
    /// Accepted with a warning.
    Warn(&'static str),
    /// Accepted as by ptxas; the manual has it not, for this reason.
    Beyond(&'static str),
}

/// A version or target gate: one of these must hold.
#[derive(Debug)]
pub struct Requirement(pub &'static [Alternative]);

/// One way to pass a gate.
#[derive(Debug)]
pub enum Alternative {
    /// This version or later.
    Version(Version),
    /// This version or earlier.
    VersionUpTo(Version),
    /// This number or lower.
    TargetUpTo(u16),
    /// `.target texmode_independent` given (true) or not (false).
    IndependentTextures(bool),
    /// A target.
    Target {
        /// No suffix: this and every later one; `a`: exactly this; `f`: this family from here on.
        target: Target,
        /// Only from this version on.
        since: Option<Version>,
    },
}

/// A part of a condition.
#[derive(Debug)]
pub struct Atom {
    /// Must not hold.
    pub negated: bool,
    /// What is asked.
    pub test: Test,
}

/// What an atom asks.
#[derive(Debug)]
pub enum Test {
    /// The modifier is present.
    Has(Modifier),
    /// The slot holds one of these.
    SlotIs(u8, &'static [Modifier]),
    /// The slot is filled.
    Filled(u8),
    /// The operand of this number is of the class.
    Operand(u8, OperandClass),
    /// Both operands are constants, the first greater as unsigned numbers.
    Greater(u8, u8),
}

/// Classes of operands that conditions tell apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OperandClass {
    /// Given at all.
    Present,
    /// A constant.
    Immediate,
    /// A register.
    Register,
    /// A vector.
    Vector,
    /// `_`
    Sink,
    /// A predicate register.
    Predicate,
    /// A register with a selector.
    Selected,
    /// A register with a minus.
    Negated,
    /// A vector with `_` among its elements.
    Holes,
}

/// A number of elements under a condition.
#[derive(Debug)]
pub struct Count {
    /// What operands call it.
    pub name: &'static str,
    /// All must hold.
    pub when: &'static [Atom],
    /// The number.
    pub number: Number,
}

/// Finds by name in one of the sorted name tables.
fn by_name<T: Copy>(table: &[(&str, T)], name: &str) -> Option<T> {
    table
        .binary_search_by(|(row, _)| (*row).cmp(name))
        .ok()
        .map(|index| table[index].1)
}

impl Opcode {
    /// The opcode of this dotted name.
    pub fn from_name(name: &str) -> Option<Opcode> {
        by_name(OPCODES_BY_NAME, name)
    }

    /// What the tables say.
    pub fn info(self) -> &'static OpcodeInfo {
        &OPCODES[self as usize]
    }

    /// Dotted name.
    pub fn name(self) -> &'static str {
        self.info().name
    }

    /// Name of its family.
    pub fn family(self) -> &'static str {
        FAMILIES[self.info().family]
    }

    /// Its forms in order.
    pub fn forms(self) -> impl Iterator<Item = (FormId, &'static Form)> {
        self.info()
            .forms
            .iter()
            .map(|&number| (FormId(number), &FORMS[number as usize]))
    }
}

impl Modifier {
    /// The modifier of this name, without its dot.
    pub fn from_name(name: &str) -> Option<Modifier> {
        by_name(MODIFIERS_BY_NAME, name)
    }

    /// What the tables say.
    pub fn info(self) -> &'static ModifierInfo {
        &MODIFIERS[self as usize]
    }

    /// Name without the dot.
    pub fn name(self) -> &'static str {
        self.info().name
    }

    /// What it is about.
    pub fn class(self) -> Class {
        self.info().class
    }

    /// The type that it names.
    pub fn of_type(self) -> Option<Type> {
        self.info().of_type
    }
}

impl Type {
    /// The type of this name, without its dot.
    pub fn from_name(name: &str) -> Option<Type> {
        by_name(TYPES_BY_NAME, name)
    }

    /// What the tables say.
    pub fn info(self) -> &'static TypeInfo {
        &TYPES[self as usize]
    }

    /// Name without the dot.
    pub fn name(self) -> &'static str {
        self.info().name
    }

    /// Size in bits.
    pub fn bits(self) -> u32 {
        self.info().bits
    }

    /// How the bits are read.
    pub fn kind(self) -> TypeKind {
        self.info().kind
    }

    /// The type of the same kind with this many bits.
    pub fn resized(self, bits: u32) -> Option<Type> {
        Type::ALL
            .iter()
            .copied()
            .find(|t| t.kind() == self.kind() && t.bits() == bits)
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, ".{}", self.name())
    }
}

impl fmt::Display for Modifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, ".{}", self.name())
    }
}

/// A form: an index into [`FORMS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FormId(pub u16);

impl FormId {
    /// The form.
    pub fn form(self) -> &'static Form {
        &FORMS[self.0 as usize]
    }
}
