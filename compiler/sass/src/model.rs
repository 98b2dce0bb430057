//! The shape of the generated tables: what a form, a field and a modifier value are.
//!
//! All tables are `static`; [`crate::Instruction`] is a word and a reference into them.

use crate::tables::{FieldName, ModifierKind, Opcode};
use warpsmith_target::Isa;

/// A set of encoding generations, bit `Isa::index()` each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IsaSet(pub(crate) u16);

impl IsaSet {
    /// Whether `isa` is in the set.
    #[inline]
    pub fn contains(self, isa: Isa) -> bool {
        self.0 >> isa.index() & 1 != 0
    }
}

/// Pieces of a field in the 128-bit word: lowest bit and length of each, the field's least significant piece first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bits(pub(crate) &'static [(u8, u8)]);

impl Bits {
    /// The field's value in `word`.
    #[inline]
    pub fn read(self, word: u128) -> u64 {
        let (mut value, mut shift) = (0, 0);
        for &(low, length) in self.0 {
            value |= ((word >> low) as u64 & ones(length)) << shift;
            shift += length;
        }
        value
    }

    /// `word` with the field set to the low bits of `value`.
    pub fn write(self, mut word: u128, mut value: u64) -> u128 {
        for &(low, length) in self.0 {
            let mask = ones(length);
            word = word & !(u128::from(mask) << low) | u128::from(value & mask) << low;
            value = value.checked_shr(u32::from(length)).unwrap_or(0);
        }
        word
    }

    /// Number of bits; 0 for a group operand, which has none of its own.
    pub fn length(self) -> u32 {
        self.0.iter().map(|&(_, length)| u32::from(length)).sum()
    }

    /// The lowest bit of the least significant piece.
    pub fn low(self) -> u32 {
        self.0.first().map_or(0, |&(low, _)| u32::from(low))
    }

    /// The pieces: lowest bit and length each, least significant piece first.
    pub fn pieces(self) -> &'static [(u8, u8)] {
        self.0
    }
}

#[inline]
fn ones(length: u8) -> u64 {
    if length >= 64 { u64::MAX } else { (1 << length) - 1 }
}

/// A register file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RegisterClass {
    /// General registers R0 to R254; 255 is RZ.
    Gpr,
    /// Uniform registers; the highest number (63 to sm_90, 255 from sm_100) is URZ.
    UniformGpr,
    /// Predicates P0 to P6; 7 is PT.
    Predicate,
    /// Uniform predicates UP0 to UP6; 7 is UPT.
    UniformPredicate,
    /// Convergence barriers B0 to B15.
    Barrier,
    /// Scoreboards SB0 to SB5.
    Scoreboard,
}

/// Bits of the operand modifiers and of the operand's reuse flag.
#[derive(Debug, Clone, Copy)]
pub struct Decoration {
    /// Bit that negates (`-`).
    pub neg: Option<u8>,
    /// Bit that takes the absolute value (`|x|`).
    pub abs: Option<u8>,
    /// Bit that inverts bitwise (`~`).
    pub inv: Option<u8>,
    /// Bit that negates a predicate (`!`).
    pub not: Option<u8>,
    /// Reuse-cache flag, a bit of the control word.
    pub reuse: Option<u8>,
    pub(crate) neg_isas: IsaSet,
    pub(crate) abs_isas: IsaSet,
}

impl Decoration {
    pub(crate) const NONE: Decoration = Decoration {
        neg: None,
        abs: None,
        inv: None,
        not: None,
        reuse: None,
        neg_isas: IsaSet(u16::MAX),
        abs_isas: IsaSet(u16::MAX),
    };
}

/// Whether an operand is read, written, or both.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Source.
    Read,
    /// Destination.
    Write,
    /// Both.
    ReadWrite,
}

/// How an operand is accessed and how many registers it covers.
#[derive(Debug, Clone, Copy)]
pub struct OperandAccess {
    /// Read, written or both.
    pub access: Access,
    pub(crate) width: &'static WidthRule,
    pub(crate) aligned_to_width: bool,
}

/// Registers covered, as a function of modifiers: a sum of products, divided.
#[derive(Debug)]
pub(crate) struct WidthRule {
    pub(crate) terms: &'static [&'static [Factor]],
    pub(crate) divisor: u8,
    pub(crate) round_up: bool,
}

/// A factor of a width.
#[derive(Debug)]
pub(crate) enum Factor {
    /// A constant.
    Number(u8),
    /// The first case whose texts are those that the fields print; `*` is any text.
    Cases {
        fields: &'static [FieldName],
        cases: &'static [(&'static [&'static str], u8)],
    },
    /// One bits among `length` bits of a field's value from bit `low`.
    PopulationCount { field: FieldName, low: u8, length: u8 },
    /// N of a matrix shape printed `.MxNxK`.
    Columns { field: FieldName },
}

/// A register operand.
#[derive(Debug, Clone, Copy)]
pub struct Register {
    /// The register file.
    pub class: RegisterClass,
    /// Its operand modifiers.
    pub decoration: Decoration,
    /// Stored as 7 minus the number.
    pub inverted: bool,
    /// Field value that prints nothing.
    pub omit: Option<u32>,
    pub(crate) exclude: &'static [u32],
    /// Access and width where known.
    pub access: Option<OperandAccess>,
}

/// Format of a float immediate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FloatFormat {
    /// IEEE binary16.
    F16,
    /// bfloat16.
    Bf16,
    /// IEEE binary32.
    F32,
    /// The high 32 bits of a binary64 whose low bits are 0.
    F64High,
}

/// A legal value of a modifier field.
#[derive(Debug, Clone, Copy)]
pub struct Member {
    /// The field's value.
    pub value: u32,
    /// What it prints; empty for a default.
    pub text: &'static str,
    pub(crate) variant: u16,
    pub(crate) isas: IsaSet,
}

/// The values of a modifier field.
#[derive(Debug)]
pub struct ValueSet {
    /// Legal values.
    pub members: &'static [Member],
    pub(crate) invalid: &'static [u32],
    pub(crate) unknown: &'static [u32],
    pub(crate) blank: &'static [u32],
    pub(crate) refused: &'static [(u32, u16)],
    pub(crate) dotted: bool,
}

impl Member {
    /// Whether it is this variant of its modifier kind, by the position in [`Modifier::ALL`].
    pub fn is_variant(&self, index: u16) -> bool {
        self.variant == index
    }

    /// Whether the value has this meaning on `isa`.
    pub fn exists_on(&self, isa: Isa) -> bool {
        self.isas.contains(isa)
    }
}

impl ValueSet {
    /// Whether a word with `value` in this field is no instruction of the form on `isa`.
    pub(crate) fn refuses(&self, value: u64, isa: Isa) -> bool {
        self.refused
            .iter()
            .any(|&(v, isas)| u64::from(v) == value && IsaSet(isas).contains(isa))
    }

    /// The member with `value` on `isa`.
    #[inline]
    pub fn member(&self, value: u64, isa: Isa) -> Option<&'static Member> {
        let wanted = |m: &&Member| u64::from(m.value) == value && m.isas.contains(isa);
        // Most sets list their values from 0 without a gap.
        let direct = usize::try_from(value)
            .ok()
            .and_then(|v| self.members.get(v))
            .filter(wanted);
        direct.or_else(|| self.members.iter().find(wanted))
    }
}

/// What a field holds.
#[derive(Debug)]
pub enum FieldKind {
    /// A register operand.
    Register(Register),
    /// A modifier with a value table.
    Enumeration {
        /// The kind of modifier.
        kind: ModifierKind,
        /// Its values in this form.
        set: &'static ValueSet,
        /// Value that prints nothing although it has a text.
        omit: Option<u32>,
    },
    /// One bit that prints `text` when it equals `when`.
    Flag {
        /// The text.
        text: &'static str,
        /// The bit value that prints it.
        when: bool,
    },
    /// An unsigned integer; the printed value is the field times `scale`.
    Unsigned {
        /// Factor.
        scale: u32,
        /// Field value that prints nothing.
        omit: Option<u32>,
        /// What zero prints as.
        zero: Option<&'static str>,
    },
    /// A signed integer, otherwise as unsigned.
    Signed {
        /// Factor.
        scale: u32,
        /// Field value that prints nothing.
        omit: Option<u32>,
        /// What zero prints as.
        zero: Option<&'static str>,
    },
    /// A code address relative to the end of the instruction, in units of `scale` bytes.
    Relative {
        /// Bytes per unit.
        scale: u32,
    },
    /// A float immediate.
    Float(FloatFormat),
    /// A set of scoreboards.
    Scoreboards {
        /// Field value that prints nothing.
        omit: Option<u32>,
    },
    /// An operand formed by other fields (a constant-bank access): only its decoration is its own.
    Group(Decoration),
}

/// A field of a form.
#[derive(Debug)]
pub struct Field {
    /// Its name.
    pub name: FieldName,
    /// Its place in the word.
    pub bits: Bits,
    pub(crate) isas: IsaSet,
    pub(crate) seen: &'static [u32],
    /// What it holds.
    pub kind: FieldKind,
}

impl Field {
    /// The values of a modifier field that ptxas was seen to write in this form.
    pub fn seen_values(&self) -> &'static [u32] {
        self.seen
    }

    /// Whether the field exists on `isa`; elsewhere its bits hold the value that prints nothing.
    #[inline]
    pub fn exists_on(&self, isa: Isa) -> bool {
        self.isas.contains(isa)
    }

    /// The decoration of a register or group operand.
    pub fn decoration(&self) -> Option<&Decoration> {
        match &self.kind {
            FieldKind::Register(r) => Some(&r.decoration),
            FieldKind::Group(d) => Some(d),
            FieldKind::Enumeration { .. } | FieldKind::Flag { .. } | FieldKind::Unsigned { .. } => None,
            FieldKind::Signed { .. }
            | FieldKind::Relative { .. }
            | FieldKind::Float(_)
            | FieldKind::Scoreboards { .. } => None,
        }
    }
}

/// A field that holds a register, with all that does not depend on the word.
#[derive(Debug)]
pub struct RegisterField {
    /// Its name.
    pub name: FieldName,
    /// Its place among the fields of the form.
    pub(crate) index: u8,
    /// The register file.
    pub class: RegisterClass,
    /// Whether it is read or written, where the tables know.
    pub access: Option<Access>,
    /// Number of consecutive registers that it covers.
    pub(crate) width: RegisterWidth,
    pub(crate) aligned_to_width: bool,
    /// So many of the first of them are not read.
    pub(crate) unread: u8,
    pub(crate) isas: IsaSet,
    /// Where it is printed, in order of the text: what is added to the number there, and the place. A field may be printed twice, as `{URc}` and `{URc+1}`.
    pub(crate) places: &'static [(u8, Place)],
}

impl RegisterField {
    /// Whether the field exists on `isa`.
    #[inline]
    pub fn exists_on(&self, isa: Isa) -> bool {
        self.isas.contains(isa)
    }
}

/// Where an operand stands in the text of a consumer; the numbers are those of the keys of the timing matrices.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Place {
    /// Between no brackets.
    Operand = 0,
    /// Between brackets.
    Address = 1,
    /// Between the brackets of a descriptor: `desc[UR4]`, `gdesc[UR4]`, `cx[UR4]`.
    Descriptor = 2,
    /// A predicate that a branch combines with its guard; no text says so.
    BranchPredicate = 3,
    /// The guard.
    Guard = 4,
    /// The upper word of a 64-bit addend; no text says so.
    AddendHigh = 5,
}

/// How many registers a field covers.
#[derive(Debug)]
pub(crate) enum RegisterWidth {
    /// So many.
    Fixed(u8),
    /// By the value of another field of the form.
    ByValue { field: u8, widths: &'static [u8] },
    /// As the rule of the operand says.
    ByRule,
}

/// The register fields of a form.
pub(crate) type RegisterFields = &'static [RegisterField];

/// The predicate file that guards a form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GuardKind {
    /// A predicate, `@P0`.
    Predicate,
    /// A uniform predicate, `@UP0`.
    UniformPredicate,
    /// None: the guard bits are not looked at.
    None,
}

/// A piece of a form's text.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Piece {
    /// Literal text.
    Text(&'static str),
    /// A field; prefix and suffix are printed only with it.
    Field {
        field: u8,
        prefix: &'static str,
        suffix: &'static str,
        plus: u8,
    },
    /// The start of an operand with inner pieces: its modifiers and number.
    Open { field: u8, prefix: &'static str },
    /// The end of such an operand.
    Close { field: u8 },
    /// Printed if nothing stands between the brackets.
    EmptyAddress(&'static str),
}

/// What the control word of a form may hold.
#[derive(Debug, Clone, Copy)]
pub struct ControlRule {
    pub(crate) no_write_scoreboard: IsaSet,
    pub(crate) no_read_scoreboard: IsaSet,
    pub(crate) zero_stall: IsaSet,
    pub(crate) no_reuse: bool,
    pub(crate) reuse: u8,
}

impl ControlRule {
    /// Whether an instruction of the form may set a scoreboard when its result is written.
    pub fn may_set_write_scoreboard(&self, isa: Isa) -> bool {
        !self.no_write_scoreboard.contains(isa)
    }

    /// Whether an instruction of the form may set a scoreboard when its sources have been read.
    pub fn may_set_read_scoreboard(&self, isa: Isa) -> bool {
        !self.no_read_scoreboard.contains(isa)
    }

    /// The reuse flags that the form's operands own, bit 0 for word bit 122.
    pub fn reuse_flags(&self) -> u8 {
        self.reuse
    }

    /// Whether the control word is legal. Bits 122 to 124 are reuse flags of operands only on forms that have such flags and
    /// while the keep-issuing bit is set; elsewhere they are one number, of which 0 to 5 are legal. Bit 125 is free.
    ///
    /// Source: observed, what nvdisasm 13.5 accepts.
    pub(crate) fn accepts(&self, control: crate::Control, isa: Isa) -> bool {
        let flags = control.reuse & 7;
        let legal = match (control.keep_issuing, self.no_reuse, self.reuse & 7) {
            (true, true, _) => flags == 0,
            (true, false, 0) => flags < 6,
            (true, false, owned) => flags & !owned == 0,
            (false, true, _) => flags < 6 && flags != 3,
            (false, false, _) => flags < 6,
        };
        legal
            && (control.stall == 0 || !self.zero_stall.contains(isa))
            && (control.write_scoreboard.is_none() || self.may_set_write_scoreboard(isa))
            && (control.read_scoreboard.is_none() || self.may_set_read_scoreboard(isa))
    }
}

/// One encoding: fixed bits, fields, text.
#[derive(Debug)]
pub struct Form {
    /// The instruction.
    pub opcode: Opcode,
    /// Operand kinds and literal modifiers, unique per generation within the instruction.
    pub name: &'static str,
    /// Generations that have this encoding.
    pub isas: IsaSet,
    /// Generations on which ptxas was seen to write it.
    pub seen: IsaSet,
    pub(crate) mask: u128,
    pub(crate) value: u128,
    pub(crate) fill: u128,
    /// Legal, and yet nvdisasm prints no line for it.
    pub hidden: bool,
    /// The guard's predicate file.
    pub guard: GuardKind,
    /// What its control word may hold.
    pub control: ControlRule,
    pub(crate) aliases: &'static [Alias],
    /// The fields that refuse some of their values.
    pub(crate) restricted: &'static [u8],
    /// Fields in the order of the text.
    pub fields: &'static [Field],
    /// Those that hold registers, in the same order.
    pub registers: &'static [RegisterField],
    pub(crate) pieces: &'static [Piece],
}

impl Form {
    /// The field called `name`.
    #[inline]
    pub fn field(&self, name: FieldName) -> Option<&'static Field> {
        self.fields.iter().find(|f| f.name == name)
    }
}

/// How an instruction changes the flow of control.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flow {
    /// Falls through.
    None,
    /// Jumps to a target in the word.
    Branch,
    /// Jumps to an address in a register or constant.
    Indirect,
    /// Calls.
    Call,
    /// Returns.
    Return,
    /// Ends the thread.
    Exit,
    /// Traps.
    Trap,
    /// Waits for the threads of a convergence barrier.
    Converge,
    /// Arms a convergence barrier with its reconvergence point.
    Diverge,
    /// Takes threads out of a convergence barrier.
    Leave,
    /// Waits at, or arrives at, a barrier of the block, cluster or warp group.
    Barrier,
    /// Waits for another grid, for initialisation or for time to pass.
    Wait,
}

/// What a memory access does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MemoryEffect {
    /// Reads.
    Read,
    /// Writes.
    Write,
    /// Both, as one atomic operation.
    Readwrite,
}

/// The address space of a memory access.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MemorySpace {
    /// Any of global, shared and local, by address.
    Generic,
    /// Global memory.
    Global,
    /// Shared memory of the block.
    Shared,
    /// Shared memory of a block of the cluster.
    Cluster,
    /// Local memory of the thread.
    Local,
    /// Constant banks.
    Constant,
    /// Attributes of a graphics stage.
    Attribute,
    /// Textures.
    Texture,
    /// Surfaces.
    Surface,
    /// Tensor memory of the SM.
    Tensor,
    /// The buffer between graphics stages.
    Stage,
}

/// One memory access of an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemoryAccess {
    /// Reads, writes or both.
    pub effect: MemoryEffect,
    /// Where.
    pub space: MemorySpace,
    /// Performed after the instruction has completed; a barrier or group tells when.
    pub asynchronous: bool,
}

/// A printed alias of an opcode (`IMAD.MOV`).
#[derive(Debug)]
pub(crate) struct Alias {
    pub(crate) text: &'static str,
    pub(crate) tests: &'static [(FieldName, AliasTest)],
}

/// A condition of an alias.
#[derive(Debug, Clone, Copy)]
pub(crate) enum AliasTest {
    Equals(u32),
    PowerOfTwo,
}

/// What the tables say of an opcode as a whole.
#[derive(Debug)]
pub struct OpcodeInfo {
    /// The opcode.
    pub opcode: Opcode,
    /// Its mnemonic.
    pub mnemonic: &'static str,
    /// One-line description; empty where none was written.
    pub summary: &'static str,
    /// Effect on control flow.
    pub flow: Flow,
    /// Memory accesses; empty for an instruction that touches none.
    pub memory: &'static [MemoryAccess],
    /// Has effects besides those on its operands, on memory and on the flow of control, and so must stay even if its results
    /// are unused: fences, cache control, allocation, configuration.
    pub observable: bool,
    /// The result depends on other lanes or on which lanes are active (shuffles, votes, matrix operations, derivatives), so that
    /// the instruction may not move across a divergent branch.
    pub collective: bool,
    /// The result may differ from one execution to the next without any change of operands or memory (clocks, timers).
    pub volatile: bool,
    /// Accesses that no operand names, to a whole predicate file. A write changes only the predicates that the instruction's
    /// mask selects.
    pub implicit: &'static [(RegisterClass, Access)],
}

/// A form name with the index of its encoding on each generation.
#[derive(Debug)]
pub(crate) struct FormRow {
    pub(crate) opcode: Opcode,
    pub(crate) name: &'static str,
    pub(crate) index: [u16; 9],
}

/// A form name; [`crate::form`] has a constant for each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FormName(pub(crate) u16);

/// A modifier kind as a Rust enum.
pub trait Modifier: Copy + 'static {
    /// The kind.
    const KIND: ModifierKind;
    /// Every variant, in order.
    const ALL: &'static [Self];
    /// The text of every variant, in the same order.
    const TEXTS: &'static [&'static str];
    /// The variant's position in [`Modifier::ALL`].
    fn index(self) -> u16;
}
