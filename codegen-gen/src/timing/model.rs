//! The timing table as read: every statement with the line it stands in, names not yet looked up.

use crate::isa::model::IsaSet;

/// A declared name with its description.
#[derive(Debug, Clone)]
pub struct Declaration {
    /// The name.
    pub name: String,
    /// The description.
    pub text: String,
    /// Line of the declaration.
    pub line: usize,
}

/// A latency group.
#[derive(Debug, Clone)]
pub struct Group {
    /// Name and description.
    pub declaration: Declaration,
    /// The group in whose column it stands as a consumer, where that is another.
    pub reads: Option<String>,
    /// The group in whose `addend-high` column the upper word of its addend stands.
    pub wide_addend: Option<String>,
}

/// The value of a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RuleValue {
    /// A number.
    Number(u8),
    /// Ranges of numbers, both ends included.
    Ranges(Vec<(u8, u8)>),
    /// Words.
    Words(Vec<String>),
}

/// A fact about all instructions.
#[derive(Debug, Clone)]
pub struct Rule {
    /// Name and meaning.
    pub declaration: Declaration,
    /// Its value.
    pub value: RuleValue,
    /// Generations it holds on.
    pub isas: IsaSet,
}

/// Which matrix a row belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Matrix {
    /// Read after write.
    Raw,
    /// Write after write.
    Waw,
    /// Issue interval of neighbours.
    Interval,
}

/// A row of a matrix.
#[derive(Debug, Clone)]
pub struct Row {
    /// The matrix.
    pub matrix: Matrix,
    /// Register file: `R`, `UR`, `P` or `UP`; empty for an interval.
    pub file: String,
    /// The producer's group.
    pub group: String,
    /// Which register of the result.
    pub word: u8,
    /// Line of the row.
    pub line: usize,
    /// Its cells.
    pub cells: Vec<Cell>,
}

/// A cell of a matrix: the distance to one kind of consumer.
#[derive(Debug, Clone)]
pub struct Cell {
    /// Consumer's group; empty for the guard of any instruction.
    pub group: String,
    /// Place in the consumer, a word of [`PLACES`].
    pub place: &'static str,
    /// Generations.
    pub isas: IsaSet,
    /// The distance.
    pub cycles: u8,
    /// Upper bound only.
    pub weak: bool,
    /// Dependences seen.
    pub observations: u32,
    /// Line of the cell.
    pub line: usize,
}

/// Places in a consumer. The first stands for the group alone.
pub const PLACES: [&str; 6] = ["operand", "addr", "desc", "pred", "guard", "addend-high"];

/// The statements that a class may hold.
pub const KEYS: [&str; 13] = [
    "pipe",
    "group",
    "latency",
    "raw",
    "scoreboard",
    "war",
    "issue",
    "interval",
    "reuse",
    "late",
    "queue",
    "tells",
    "orders",
];

/// The scoreboard by which an instruction tells that what it does is done.
pub const TELLS: [&str; 2] = ["write", "read"];

/// Who waits for an instruction that tells when it is done.
pub const AWAITING: [&str; 2] = ["next", "ordering"];

/// What an instruction that puts others in order waits for.
pub const ORDERS: [&str; 2] = ["effects", "all"];

/// How a fact is known, in table words. A pipe is `documented`, `inferred` or `hypothesis`; a latency anything but `documented`.
pub const EVIDENCE: [&str; 5] = ["documented", "observed", "first-pass", "inferred", "hypothesis"];

/// Latency kinds.
pub const LATENCIES: [&str; 4] = ["fixed", "scoreboard", "async", "none"];

/// Register files.
pub const FILES: [&str; 4] = ["R", "UR", "P", "UP"];

/// A property of a class.
#[derive(Debug, Clone)]
pub struct Property {
    /// A word of [`KEYS`].
    pub key: &'static str,
    /// Generations; `None` for all those of the class.
    pub isas: Option<IsaSet>,
    /// The value.
    pub value: Value,
    /// Instructions or dependences seen; 0 where none was counted.
    pub observations: u32,
    /// Line of the statement.
    pub line: usize,
}

/// The value of a property.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// A pipe and how it is known.
    Pipe(String, &'static str),
    /// A latency group.
    Group(String),
    /// A latency kind and how it is known.
    Latency(&'static str, &'static str),
    /// Register file, smallest and largest distance, distance to a guard.
    Raw(&'static str, u8, u8, Option<u8>),
    /// Whether a write and a read scoreboard were seen.
    Scoreboards(bool, bool),
    /// Register file and distance.
    War(&'static str, u8),
    /// Smallest stall count.
    Issue(u8),
    /// Smallest stall between neighbours.
    Interval(u8),
    /// Reuse flags, bit 0 for word bit 122.
    Reuse(u8),
    /// Uniform registers are read late.
    LateUniform,
    /// A queue.
    Queue(String),
    /// A scoreboard, and who waits for it.
    Tells(&'static str, &'static str),
    /// What it waits for.
    Orders(&'static str),
}

/// A modifier that must, or must not, be printed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Test {
    /// Must be absent.
    pub absent: bool,
    /// The modifier, with its dot.
    pub modifier: String,
}

/// The properties of one or several mnemonics.
#[derive(Debug, Clone)]
pub struct Class {
    /// The mnemonics.
    pub mnemonics: Vec<String>,
    /// Alternatives, each a conjunction; empty for the plain class.
    pub when: Vec<Vec<Test>>,
    /// Generations; `None` for all that have the mnemonic.
    pub on: Option<IsaSet>,
    /// The properties.
    pub properties: Vec<Property>,
    /// Line of the class.
    pub line: usize,
}

/// The whole table.
#[derive(Debug, Clone, Default)]
pub struct Timing {
    /// Execution pipes.
    pub pipes: Vec<Declaration>,
    /// Queues of instructions.
    pub queues: Vec<Declaration>,
    /// Latency groups.
    pub groups: Vec<Group>,
    /// Facts about all instructions.
    pub rules: Vec<Rule>,
    /// Rows of the three matrices.
    pub rows: Vec<Row>,
    /// Classes.
    pub classes: Vec<Class>,
}
