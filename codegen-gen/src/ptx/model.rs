//! The PTX instruction tables as data, as read: names not yet numbered.

/// All tables together.
#[derive(Debug, Default)]
pub struct Tables {
    /// `type` lines in order.
    pub types: Vec<TypeRow>,
    /// `class` lines: (class, modifiers), lines of the same class joined.
    pub classes: Vec<(String, Vec<String>)>,
    /// Families in order of the files.
    pub families: Vec<String>,
    /// Opcodes by name.
    pub opcodes: Vec<OpcodeRow>,
    /// Forms in order.
    pub forms: Vec<Form>,
    /// Modifiers that may be written more than once.
    pub repeatable: Vec<String>,
    /// Classes whose modifiers must be written in the order of the pattern.
    pub ordered: Vec<String>,
    /// Special registers.
    pub specials: Vec<Special>,
    /// Predefined constants.
    pub constants: Vec<(String, i64)>,
    /// What module headers may say.
    pub header: Header,
}

/// A `type` line.
#[derive(Debug)]
pub struct TypeRow {
    /// Name without the dot.
    pub name: String,
    /// Size in bits.
    pub bits: u32,
    /// `bits`, `unsigned`, `signed`, `float`, `packed`, `predicate` or `opaque`.
    pub kind: String,
}

/// An opcode: all `instruction` blocks of one name.
#[derive(Debug)]
pub struct OpcodeRow {
    /// Dotted name.
    pub name: String,
    /// Index into [`Tables::families`].
    pub family: usize,
    /// What it does, of the first block.
    pub title: String,
    /// Section of the manual, of the first block.
    pub section: String,
}

/// A `form`.
#[derive(Debug, Default)]
pub struct Form {
    /// Index into [`Tables::opcodes`].
    pub opcode: usize,
    /// Index into [`Tables::families`].
    pub family: usize,
    /// As written.
    pub pattern: String,
    /// Section of the manual.
    pub section: String,
    /// Modifier slots in order of the pattern.
    pub slots: Vec<Slot>,
    /// Operands in order.
    pub operands: Vec<Operand>,
    /// `needs`, `refuse`, `warn` lines.
    pub rules: Vec<Rule>,
    /// `count` lines in order: name, condition, number.
    pub counts: Vec<Count>,
    /// `note` lines.
    pub notes: Vec<String>,
    /// The `uncompiled` line.
    pub uncompiled: bool,
    /// File and line, for errors.
    pub place: (String, usize),
}

/// A place for one modifier.
#[derive(Debug, Clone)]
pub struct Slot {
    /// Name without the dot; of a literal, the modifier.
    pub name: String,
    /// May be absent.
    pub optional: bool,
    /// What it takes.
    pub values: Vec<String>,
    /// Not a slot of the pattern's author but a literal modifier.
    pub literal: bool,
}

/// An operand of a pattern.
#[derive(Debug, Clone)]
pub struct Operand {
    /// Its name, unique within the form; empty for brackets and vectors, which are named by their parts.
    pub name: String,
    /// Number of the optional group that it is in, from 1; 0: mandatory.
    pub group: usize,
    /// Its shape.
    pub shape: Shape,
}

/// The shape of an operand.
#[derive(Debug, Clone)]
pub enum Shape {
    /// One thing: alternatives.
    One(Vec<Kind>),
    /// `[a, b]`
    Bracket(Vec<Operand>),
    /// `{a, b}`
    Vector(Vec<Operand>),
    /// `d|p`; true: the second may be absent with its bar.
    Pair(Box<Operand>, Box<Operand>, bool),
    /// `(a)`
    List(Box<Operand>),
}

/// What one operand may be.
#[derive(Debug, Clone, PartialEq)]
pub struct Kind {
    /// The kind proper.
    pub role: Role,
    /// What a constant must satisfy.
    pub range: Range,
    /// Flag words after it.
    pub flags: Vec<String>,
}

/// Kinds of operands.
#[derive(Debug, Clone, PartialEq)]
pub enum Role {
    /// `out T`
    Out(Type),
    /// `reg T`
    Register(Type),
    /// `value T`
    Value(Type),
    /// `imm T`
    Immediate(Type),
    /// `vec N K` or `vec N K1 then K2`: the first element, and all others where they differ.
    Vector(Number, Box<Kind>, Option<Box<Kind>>),
    /// `addr S…`
    Address(Spaces),
    /// `variable [S…]`
    Variable(Spaces),
    /// `pred`, `out pred`
    Predicate {
        /// Written rather than read.
        out: bool,
    },
    /// `list K`
    List(Box<Kind>),
    /// A kind that is one word: `label`, `function`, `texref`, …
    Word(String),
}

/// What constants an operand takes: all must hold.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Range {
    /// `LO..`
    pub low: Option<i64>,
    /// `..HI`
    pub high: Option<i64>,
    /// `multiple N`
    pub multiple: Option<i64>,
    /// `power`: a power of two.
    pub power: bool,
    /// `nonzero`
    pub nonzero: bool,
    /// `in A B C`; empty: any.
    pub among: Vec<i64>,
}

/// A type in an operand kind.
#[derive(Debug, Clone, PartialEq)]
pub enum Type {
    /// By name.
    Fixed(String),
    /// Of a slot.
    Slot(String),
    /// Twice as wide.
    Wide(Box<Type>),
    /// Half as wide.
    Half(Box<Type>),
}

/// A number of elements.
#[derive(Debug, Clone, PartialEq)]
pub enum Number {
    /// Itself.
    Fixed(u32),
    /// The number in the name of a slot's modifier: after `letter`, or the first; times `multiply`, by `divide`.
    Slot {
        /// Slot name.
        slot: String,
        /// `n` in `.shape:n/2`.
        letter: Option<char>,
        /// 2 in `.num*2`.
        multiply: u32,
        /// 2 in `.shape:n/2`.
        divide: u32,
    },
    /// A `count` name.
    Count(String),
    /// `1|2|4`: each of these will do.
    OneOf(Vec<Number>),
}

/// State spaces of an address.
#[derive(Debug, Clone, PartialEq)]
pub enum Spaces {
    /// These.
    Names(Vec<String>),
    /// What the slot holds; absent: generic.
    Slot(String),
}

/// A rule line.
#[derive(Debug, Clone)]
pub struct Rule {
    /// All must hold.
    pub when: Vec<Atom>,
    /// What then.
    pub effect: Effect,
}

/// What a rule demands.
#[derive(Debug, Clone)]
pub enum Effect {
    /// `needs`
    Needs(Vec<Requirement>),
    /// `refuse`
    Refuse(String),
    /// `warn`
    Warn(String),
    /// `beyond`
    Beyond(String),
}

/// A gate: one of these must hold.
#[derive(Debug, Clone)]
pub struct Requirement(pub Vec<Alternative>);

/// One way to pass a gate.
#[derive(Debug, Clone)]
pub enum Alternative {
    /// `ptx 7.8`
    Version(u8, u8),
    /// `ptx ..6.2`
    VersionUpTo(u8, u8),
    /// `sm_..72`
    TargetUpTo(u16),
    /// `texmode_unified` (false) or `texmode_independent` (true).
    IndependentTextures(bool),
    /// `sm_100f@8.8`
    Target {
        /// Number.
        number: u16,
        /// `a`, `f` or none.
        suffix: Option<char>,
        /// From this version on.
        since: Option<(u8, u8)>,
    },
}

/// An atom of a condition.
#[derive(Debug, Clone)]
pub struct Atom {
    /// `!`
    pub negated: bool,
    /// What is asked.
    pub test: Test,
}

/// What an atom asks.
#[derive(Debug, Clone)]
pub enum Test {
    /// The modifier is present.
    Modifier(String),
    /// The slot holds one of these.
    SlotIs(String, Vec<String>),
    /// The slot is filled.
    Filled(String),
    /// The operand is present, or is of a class (`imm`, `reg`, `vec`, `sink`, `pred`, `sel`, `neg`).
    Operand(String, Option<String>),
    /// `b>c`: both are constants, the first greater as unsigned numbers.
    Greater(String, String),
}

/// A line of `count`.
#[derive(Debug, Clone)]
pub struct Count {
    /// The name that operands use.
    pub name: String,
    /// Condition.
    pub when: Vec<Atom>,
    /// Number of elements.
    pub number: Number,
}

/// A special register.
#[derive(Debug, Clone)]
pub struct Special {
    /// With its percent sign.
    pub name: String,
    /// Elements: 1 or 4.
    pub vector: u32,
    /// Types it may be read with, its own first.
    pub types: Vec<String>,
    /// Gates.
    pub needs: Vec<Requirement>,
    /// Section of the manual.
    pub section: String,
    /// What it holds.
    pub title: String,
}

/// Versions, targets and gates of directives.
#[derive(Debug, Default)]
pub struct Header {
    /// Every version.
    pub versions: Vec<(u8, u8)>,
    /// Targets without code generation: number, oldest version.
    pub old_targets: Vec<(u16, (u8, u8))>,
    /// Targets that no code is made for yet: number, family, oldest version.
    pub new_targets: Vec<(u16, u16, (u8, u8))>,
    /// Targets with a former name.
    pub renamed: Vec<Renamed>,
    /// Name, version, target (0: every one), feature.
    pub gates: Vec<(String, (u8, u8), u16, String)>,
}

/// A target with a former name.
#[derive(Debug)]
pub struct Renamed {
    /// The number it had.
    pub former: u16,
    /// The number it has.
    pub number: u16,
    /// The oldest version that knows the former name.
    pub since: (u8, u8),
    /// The oldest version that knows it with `f`.
    pub family_since: (u8, u8),
}
