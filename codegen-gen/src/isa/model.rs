//! The tables as read: instructions, their forms, fields and modifier value sets.

/// Encoding generations in table order; bit `i` of an [`IsaSet`] stands for `ISAS[i]`.
pub const ISAS: [u32; 9] = [75, 80, 86, 89, 90, 100, 103, 110, 120];

/// A set of encoding generations, one bit each in the order of [`ISAS`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct IsaSet(pub u16);

impl IsaSet {
    /// Every generation.
    pub const ALL: IsaSet = IsaSet((1 << ISAS.len()) - 1);
    /// No generation.
    pub const NONE: IsaSet = IsaSet(0);
    /// Generations whose uniform register numbers have 6 bits (sm_75 to sm_90).
    pub const NARROW_UNIFORM: IsaSet = IsaSet(0b1_1111);

    /// Whether the generation with index `isa` is in the set.
    pub fn has(self, isa: usize) -> bool {
        self.0 >> isa & 1 != 0
    }

    /// The generations in both sets.
    pub fn and(self, other: IsaSet) -> IsaSet {
        IsaSet(self.0 & other.0)
    }

    /// Whether no generation is in the set.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Reads `75..89,120`, `never`, or a single number.
    pub fn parse(text: &str) -> Option<IsaSet> {
        if text == "never" || text == "none" {
            return Some(IsaSet::NONE);
        }
        let index = |t: &str| t.parse().ok().and_then(|n: u32| ISAS.iter().position(|&i| i == n));
        let mut set = 0u16;
        for part in text.split(',') {
            let (first, last) = part.split_once("..").unwrap_or((part, part));
            let (first, last) = (index(first)?, index(last)?);
            if first > last {
                return None;
            }
            for i in first..=last {
                set |= 1 << i;
            }
        }
        Some(IsaSet(set))
    }
}

/// One run of bits of the instruction word: lowest bit and count; pieces of a field are least significant first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Piece {
    /// Lowest bit in the word, 0 to 127.
    pub low: u8,
    /// Number of bits.
    pub length: u8,
}

/// The place of a field in the word.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Bits(pub Vec<Piece>);

impl Bits {
    /// Length used in the model for `32:ur` until a form is split by generation.
    pub const UNIFORM: u8 = 255;

    /// Total number of bits.
    pub fn length(&self) -> u32 {
        self.0.iter().map(|p| u32::from(p.length)).sum()
    }

    /// The bits as a mask of the word.
    pub fn mask(&self) -> u128 {
        self.0.iter().fold(0, |m, p| m | (((1u128 << p.length) - 1) << p.low))
    }

    /// `value` put in place.
    pub fn place(&self, mut value: u128) -> u128 {
        let mut word = 0;
        for p in &self.0 {
            let mask = (1u128 << p.length) - 1;
            word |= (value & mask) << p.low;
            value >>= p.length;
        }
        word
    }

    /// The field's value in `word`.
    pub fn read(&self, word: u128) -> u128 {
        let (mut value, mut shift) = (0, 0);
        for p in &self.0 {
            value |= (word >> p.low & ((1u128 << p.length) - 1)) << shift;
            shift += u32::from(p.length);
        }
        value
    }
}

/// A printed value of a modifier.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Member {
    /// The field's value.
    pub value: u32,
    /// The text printed; empty for a default that prints nothing.
    pub text: String,
    /// Generations on which the value has this meaning.
    pub isas: IsaSet,
}

/// The values of a modifier field: what each prints, and which are reserved.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct ValueSet {
    /// Legal values.
    pub members: Vec<Member>,
    /// Reserved values that print `INVALIDn`.
    pub invalid: Vec<u32>,
    /// Reserved values that print `???n`.
    pub unknown: Vec<u32>,
    /// Reserved values that print nothing.
    pub blank: Vec<u32>,
    /// Values with which the word is no instruction of this form, and the generations on which that is so.
    pub refused: Vec<(u32, IsaSet)>,
}

/// A kind of modifier: the union of the texts of all its sets becomes one Rust enum.
#[derive(Debug, Clone)]
pub struct Modifier {
    /// Name as in the tables, `snake_case`.
    pub name: String,
    /// One-line description.
    pub doc: String,
    /// What the value that prints nothing means; names the enum variant.
    pub default: Option<String>,
}

/// The register file of an operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Class {
    /// General registers.
    Gpr,
    /// Uniform registers.
    UniformGpr,
    /// Predicates.
    Predicate,
    /// Uniform predicates.
    UniformPredicate,
    /// Convergence barriers.
    Barrier,
    /// Scoreboards.
    Scoreboard,
}

/// Text and bit of the operand modifiers and of the reuse flag.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Decoration {
    /// Bit that negates (`-`).
    pub neg: Option<u8>,
    /// Bit that takes the absolute value (`|x|`).
    pub abs: Option<u8>,
    /// Bit that inverts bitwise (`~`).
    pub inv: Option<u8>,
    /// Bit that negates a predicate (`!`).
    pub not: Option<u8>,
    /// Generations on which the negation bit exists.
    pub neg_isas: Option<IsaSet>,
    /// Generations on which the absolute-value bit exists.
    pub abs_isas: Option<IsaSet>,
    /// Reuse-cache flag of this operand.
    pub reuse: Option<u8>,
}

/// Format of a float immediate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FloatFormat {
    /// IEEE binary16.
    F16,
    /// bfloat16.
    Bf16,
    /// IEEE binary32.
    F32,
    /// The high 32 bits of a binary64.
    F64High,
}

/// What a field holds and how it is printed.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A register operand.
    Register {
        /// The register file.
        class: Class,
        /// Operand modifiers.
        decoration: Decoration,
        /// Stored as 7 minus the number.
        inverted: bool,
        /// Value that prints nothing.
        omit: Option<u32>,
        /// Values with which the word is no instruction of this form.
        exclude: Vec<u32>,
    },
    /// A modifier with a value table.
    Enumeration {
        /// Name of the modifier kind.
        modifier: String,
        /// Its values here.
        set: ValueSet,
        /// Value that prints nothing although it is listed.
        omit: Option<u32>,
    },
    /// One bit that prints `text` when it equals `when`.
    Flag {
        /// Text printed.
        text: String,
        /// The bit value that prints it.
        when: bool,
    },
    /// An unsigned integer, printed in hexadecimal.
    Unsigned {
        /// Printed value is the field times this.
        scale: u32,
        /// Value that prints nothing.
        omit: Option<u32>,
        /// What zero prints as (`RZ`).
        zero: Option<String>,
    },
    /// A signed integer, printed in hexadecimal.
    Signed {
        /// As for unsigned.
        scale: u32,
        /// As for unsigned.
        omit: Option<u32>,
        /// As for unsigned.
        zero: Option<String>,
    },
    /// A code address relative to the next instruction.
    Relative {
        /// Bytes per unit.
        scale: u32,
    },
    /// A float immediate.
    Float(FloatFormat),
    /// A set of scoreboards, printed `{5,4}`.
    Scoreboards {
        /// Value that prints nothing.
        omit: Option<u32>,
    },
    /// The operand that a group of fields forms (a constant-bank access); no bits of its own but its decoration's.
    Group(Decoration),
}

/// A field of a form.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Field {
    /// Name, unique in the form.
    pub name: String,
    /// Place in the word.
    pub bits: Bits,
    /// Contents.
    pub kind: Kind,
    /// Generations that have it; elsewhere its bits hold the default.
    pub isas: Option<IsaSet>,
}

/// Whether an operand is read, written, or both.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Access {
    /// Source.
    Read,
    /// Destination.
    Write,
    /// Both.
    ReadWrite,
}

/// Number of consecutive 32-bit registers an operand covers: a sum of products, divided.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct WidthRule {
    /// Terms of the sum; each is a product of its factors.
    pub terms: Vec<Vec<Factor>>,
    /// What the sum is divided by.
    pub divisor: u8,
    /// Whether the quotient is rounded up rather than down.
    pub round_up: bool,
}

/// A factor of a width.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Factor {
    /// A constant.
    Number(u8),
    /// The first case whose texts are those that the fields print; 1 if there is none.
    Cases {
        /// Fields whose printed text decides. A field that the form lacks prints nothing.
        fields: Vec<String>,
        /// A text per field and the width; an empty text stands for nothing printed, `*` for any.
        cases: Vec<(Vec<String>, u8)>,
    },
    /// The number of one bits in a part of a field's value.
    PopulationCount {
        /// The field.
        field: String,
        /// Lowest bit counted.
        low: u8,
        /// Number of bits looked at.
        length: u8,
    },
    /// N of a matrix shape printed `.MxNxK`.
    Columns {
        /// The field that prints the shape.
        field: String,
    },
}

impl WidthRule {
    /// The fields that the width depends on.
    pub fn fields(&self) -> impl Iterator<Item = &String> {
        self.terms.iter().flatten().flat_map(|factor| match factor {
            Factor::Number(_) => [].as_slice(),
            Factor::Cases { fields, .. } => fields.as_slice(),
            Factor::PopulationCount { field, .. } | Factor::Columns { field } => std::slice::from_ref(field),
        })
    }
}

/// Forms of an instruction: a name in which `*` stands for any characters, and generations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FormPattern {
    /// The name or pattern.
    pub name: String,
    /// Generations.
    pub isas: IsaSet,
}

impl FormPattern {
    /// Whether the form is one of those meant.
    pub fn matches(&self, form: &Form) -> bool {
        !self.isas.and(form.isas).is_empty() && self.matches_name(&form.name)
    }

    /// Whether the form name is one of those meant.
    pub fn matches_name(&self, name: &str) -> bool {
        let Some((first, rest)) = self.name.split_once('*') else {
            return self.name == name;
        };
        let Some(mut left) = name.strip_prefix(first) else {
            return false;
        };
        let mut parts: Vec<&str> = rest.split('*').collect();
        let last = parts.pop().unwrap_or_default();
        for part in parts {
            match left.find(part) {
                Some(at) => left = &left[at + part.len()..],
                None => return false,
            }
        }
        left.ends_with(last)
    }
}

/// An `access` line of an instruction.
#[derive(Debug, Clone)]
pub struct AccessRule {
    /// Operand fields.
    pub operands: Vec<String>,
    /// Read, written or both.
    pub access: Access,
    /// Registers covered.
    pub width: WidthRule,
    /// The first register's number is a multiple of the whole width; otherwise the general rule holds.
    pub aligned_to_width: bool,
    /// So many of the first registers are not read.
    pub unread: u8,
    /// Forms it holds for; empty for all.
    pub forms: Vec<FormPattern>,
    /// Line in the file.
    pub line: usize,
}

impl AccessRule {
    /// Whether the rule says anything of operand `field` of `form`.
    pub fn applies(&self, form: &Form, field: &str) -> bool {
        self.operands.iter().any(|o| o == field)
            && (self.forms.is_empty() || self.forms.iter().any(|p| p.matches(form)))
    }
}

/// A memory access of an instruction: `read global async`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemoryAccess {
    /// A word of [`MEMORY`].
    pub effect: String,
    /// A word of [`SPACES`].
    pub space: String,
    /// Performed after the instruction has completed.
    pub asynchronous: bool,
}

/// A printed alias: `.MOV` after the mnemonic when the conditions hold.
#[derive(Debug, Clone)]
pub struct Alias {
    /// Text put after the mnemonic.
    pub text: String,
    /// Fields and values; all must hold.
    pub conditions: Vec<(String, AliasTest)>,
    /// Forms it applies to.
    pub forms: Vec<String>,
}

/// A test of an alias condition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AliasTest {
    /// The field equals the value.
    Equals(u32),
    /// The field, a signed 32-bit number, is a positive power of two.
    PowerOfTwo,
}

/// An instruction and its operand forms.
#[derive(Debug, Clone)]
pub struct Instruction {
    /// Mnemonic.
    pub mnemonic: String,
    /// One-line description.
    pub summary: String,
    /// Printed aliases, tried in order.
    pub aliases: Vec<Alias>,
    /// Operand accesses.
    pub access: Vec<AccessRule>,
    /// Effect on control flow, a word of [`FLOWS`].
    pub flow: String,
    /// Memory accesses.
    pub memory: Vec<MemoryAccess>,
    /// Other effects, words of [`EFFECTS`].
    pub effects: Vec<String>,
    /// Accesses to a whole predicate file that no operand names: file (`PR` or `UPR`) and access.
    pub implicit: Vec<(String, Access)>,
    /// Forms in file order.
    pub forms: Vec<Form>,
    /// File the instruction is declared in.
    pub file: String,
    /// Line of the declaration.
    pub line: usize,
}

/// Control-flow effects that an instruction may declare.
#[rustfmt::skip]
pub const FLOWS: [&str; 12] = [
    "none", "branch", "indirect", "call", "return", "exit", "trap", "converge", "diverge", "leave", "barrier", "wait",
];

/// Memory effects that an instruction may declare.
pub const MEMORY: [&str; 3] = ["read", "write", "readwrite"];

/// Address spaces that a memory effect may name.
#[rustfmt::skip]
pub const SPACES: [&str; 11] = [
    "generic", "global", "shared", "cluster", "local", "constant", "attribute", "texture", "surface", "tensor", "stage",
];

/// Effects other than those on memory, control flow and operands.
pub const EFFECTS: [&str; 3] = ["observable", "collective", "volatile"];

/// What the control word of a form may not hold, by generation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ControlRule {
    /// Generations on which no scoreboard may be set by the write of the result.
    pub no_write_scoreboard: IsaSet,
    /// Generations on which no scoreboard may be set by the read of the sources.
    pub no_read_scoreboard: IsaSet,
    /// Generations on which the stall count must be 0.
    pub zero_stall: IsaSet,
    /// The form has the reuse flags of its pipe, and no operand that may use them.
    pub no_reuse: bool,
}

impl ControlRule {
    /// Anything goes.
    pub const ANY: ControlRule = ControlRule {
        no_write_scoreboard: IsaSet::NONE,
        no_read_scoreboard: IsaSet::NONE,
        zero_stall: IsaSet::NONE,
        no_reuse: false,
    };
}

/// One encoding.
#[derive(Debug, Clone)]
pub struct Form {
    /// What its control word may not hold.
    pub control: ControlRule,
    /// Name; unique per generation within the instruction.
    pub name: String,
    /// The text template.
    pub template: Vec<super::template::Part>,
    /// Generations that have this encoding.
    pub isas: IsaSet,
    /// Generations on which ptxas was seen to write it.
    pub seen: IsaSet,
    /// Fixed bits.
    pub fixed: Vec<(Bits, u128)>,
    /// Legal, and yet nvdisasm prints no line for it.
    pub hidden: bool,
    /// Guard predicate: `P`, `UP` or `none`.
    pub guard: String,
    /// Values of bits that belong to no field.
    pub fill: Vec<(Bits, u128)>,
    /// Fields in template order.
    pub fields: Vec<Field>,
    /// Line of the declaration.
    pub line: usize,
}

impl Form {
    /// Mask and value of the fixed bits.
    pub fn fixed_mask(&self) -> (u128, u128) {
        self.fixed.iter().fold((0, 0), |(m, v), (bits, value)| {
            (m | bits.mask(), v | bits.place(*value))
        })
    }

    /// The field named `name`.
    pub fn field(&self, name: &str) -> Option<&Field> {
        self.fields.iter().find(|f| f.name == name)
    }
}

/// All tables.
#[derive(Debug, Clone)]
pub struct Tables {
    /// Modifier kinds by name.
    pub modifiers: Vec<Modifier>,
    /// Instructions by mnemonic.
    pub instructions: Vec<Instruction>,
}
