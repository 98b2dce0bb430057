//! The typed module: what a PTX text says, names resolved.
//!
//! Everything lives in dense arrays and refers to other things by index, so that a module of hundreds of megabytes stays small and can
//! be walked in parallel. Statements keep the order of the text, so that printing a module gives the same program.

use smallvec::SmallVec;

use crate::{Span, instruction::VariantId, special::SpecialRegister, table::Type};

/// An interned name: an index into [`Module::names`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Name(pub u32);

/// A variable of any space: an index into [`Module::variables`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct VariableId(pub u32);

/// A function or kernel: an index into [`Module::functions`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FunctionId(pub u32);

/// A register, numbered densely within its function over all declarations and scopes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Register(pub u32);

/// A label, `.branchtargets`, `.calltargets` or `.callprototype` name: an index into [`Body::labels`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LabelId(pub u32);

/// A PTX ISA version, as in `.version 9.0`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Version {
    /// The number before the point.
    pub major: u8,
    /// The number after the point.
    pub minor: u8,
}

/// What follows the number of a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum TargetSuffix {
    /// `sm_90`: features that every later target has too.
    None,
    /// `sm_100f`: features of the family.
    Family,
    /// `sm_90a`: features of exactly this target.
    Architecture,
}

/// The architecture of a `.target` directive. Also old ones that nothing compiles for any more, such as `sm_30`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Target {
    /// The number, 90 in `sm_90a`.
    pub number: u16,
    /// The letter after it.
    pub suffix: TargetSuffix,
}

/// State spaces of variables and addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Space {
    /// `.const`
    Constant,
    /// `.global`
    Global,
    /// `.local`
    Local,
    /// `.param` (kernel parameters, function parameters and locals used in calls)
    Parameter,
    /// `.shared`
    Shared,
    /// `.tex` (deprecated)
    Texture,
    /// `.reg`, as function parameters
    Register,
}

impl Space {
    /// As written in a declaration.
    pub const fn directive(self) -> &'static str {
        match self {
            Space::Constant => ".const",
            Space::Global => ".global",
            Space::Local => ".local",
            Space::Parameter => ".param",
            Space::Shared => ".shared",
            Space::Texture => ".tex",
            Space::Register => ".reg",
        }
    }
}

/// Who sees a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Linkage {
    /// This module only.
    Internal,
    /// `.visible`
    Visible,
    /// `.extern`
    External,
    /// `.weak`
    Weak,
    /// `.common`
    Common,
}

/// A whole PTX module.
#[derive(Debug)]
pub struct Module {
    /// `.version`
    pub version: Version,
    /// The `.version` directive with its number.
    pub version_span: Span,
    /// `.target`: the architecture.
    pub target: Target,
    /// The first `.target` directive, without what follows it.
    pub target_span: Span,
    /// `.target` options in order, such as `texmode_independent`, `debug`, `map_f64_to_f32`.
    pub target_options: Vec<Name>,
    /// `.address_size`: 32 or 64 bits.
    pub address_size: u8,
    /// Every name and string of the module.
    pub names: Names,
    /// Top-level statements in the order of the text.
    pub items: Vec<Item>,
    /// Variables of every space: module variables, locals of functions, parameters.
    pub variables: Vec<Variable>,
    /// Functions and kernels; a declaration and its definition are one.
    pub functions: Vec<Function>,
    /// Distinct mnemonics with their meaning; instructions refer to these.
    pub variants: Vec<crate::instruction::Variant>,
    /// `.file` directives.
    pub files: Vec<File>,
    /// `.section` directives.
    pub sections: Vec<Section>,
}

/// Interned strings in one buffer.
#[derive(Debug, Default)]
pub struct Names {
    pub(crate) text: String,
    pub(crate) ends: Vec<u32>,
    pub(crate) table: hashbrown::HashTable<u32>,
}

/// A top-level statement.
#[derive(Clone, Debug)]
pub enum Item {
    /// A module-scope variable.
    Variable(VariableId),
    /// An `.extern` declaration of a variable that this module also defines, before or after.
    VariableDeclaration(VariableId),
    /// A function or kernel: its declaration (`defined` false) or definition.
    Function {
        /// Which one.
        function: FunctionId,
        /// Whether the body is here.
        defined: bool,
    },
    /// `.alias NAME, TARGET;`
    Alias {
        /// The new name.
        alias: FunctionId,
        /// What it stands for.
        target: FunctionId,
        /// The directive.
        span: Span,
    },
    /// `.pragma "…", "…";`
    Pragma(Vec<Name>, Span),
    /// `.file`, an index into [`Module::files`].
    File(u32),
    /// `.section`, an index into [`Module::sections`].
    Section(u32),
}

/// A variable or parameter.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Its name; `None` for unnamed parameters of prototypes.
    pub name: Option<Name>,
    /// Where it lives.
    pub space: Space,
    /// Constant bank of `.const[N]` (deprecated), else 0.
    pub bank: u8,
    /// Element type.
    pub element: Type,
    /// 1, or the number of elements of `.v2`, `.v4`, `.v8`.
    pub vector: u8,
    /// `.align`, in bytes.
    pub alignment: Option<u32>,
    /// Array dimensions, outermost first; `None` for `[]`.
    pub dimensions: SmallVec<[Option<u64>; 1]>,
    /// Values after `=`.
    pub initializer: Option<Initializer>,
    /// Who sees it.
    pub linkage: Linkage,
    /// `.ptr` of a kernel parameter.
    pub pointer: Option<Pointer>,
    /// `.attribute(…)` values.
    pub attributes: Vec<Attribute>,
    /// The name, or the declaration where there is none.
    pub span: Span,
}

/// What a kernel parameter points to, from `.ptr .global .align 16`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pointer {
    /// The space pointed to; `None`: generic.
    pub space: Option<Space>,
    /// `.texref`, `.samplerref` or `.surfref`: the parameter is a handle of one.
    pub opaque: Option<Type>,
    /// Alignment of what is pointed to, in bytes.
    pub alignment: Option<u32>,
}

/// `.attribute(…)` values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attribute {
    /// `.managed`
    Managed,
    /// `.unified(N, M)`: the 128-bit identifier.
    Unified(u64, u64),
}

/// Initial values of a variable.
#[derive(Clone, Debug)]
pub enum Initializer {
    /// `{ … }`
    List(Vec<Initializer>, Span),
    /// `{ FIELD = VALUE, … }` of a texture, sampler or surface; named values as their numbers.
    Fields(Vec<(Name, u64)>, Span),
    /// An integer constant expression's value.
    Integer(u64, Span),
    /// A floating constant, as the bits of a double.
    Float(u64, Span),
    /// A floating constant given by the bits of a single (`0f…`).
    Single(u32, Span),
    /// An address: a variable or function with offset.
    Address {
        /// What it points to.
        target: AddressTarget,
        /// Byte offset.
        offset: i64,
        /// `generic(…)`.
        generic: bool,
        /// `MASK(…)`: the byte of the address taken, as its mask (`0xFF`, `0xFF00`, …).
        mask: Option<u64>,
        /// The expression.
        span: Span,
    },
}

/// What the address in an initialiser names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddressTarget {
    /// A variable.
    Variable(VariableId),
    /// A function or kernel.
    Function(FunctionId),
}

/// `.file INDEX "NAME"{, TIMESTAMP, SIZE}`
#[derive(Clone, Debug)]
pub struct File {
    /// The number that `.loc` uses.
    pub index: u32,
    /// The name, without quotes.
    pub name: Name,
    /// Time stamp and size, where given.
    pub stamp: Option<(u64, u64)>,
    /// The directive.
    pub span: Span,
    /// The token after it, where the vendor's tool finds a number that is taken.
    pub next: Span,
}

/// `.section NAME { … }`: DWARF data.
#[derive(Clone, Debug)]
pub struct Section {
    /// Its name with the leading dot, such as `.debug_info`.
    pub name: Name,
    /// Lines in order.
    pub lines: Vec<SectionLine>,
    /// The directive.
    pub span: Span,
}

/// A line of a `.section`.
#[derive(Clone, Debug)]
pub enum SectionLine {
    /// `NAME:`
    Label(Name),
    /// `.b8 1, 2, …` and the other widths: bits of one value, and the values.
    Data(u8, Vec<SectionValue>),
}

/// A value in a `.section`.
#[derive(Clone, Debug)]
pub enum SectionValue {
    /// A number; negative ones as two's complement.
    Integer(u64),
    /// `LABEL{+IMM}`, of this section, another section or a function.
    Label(Name, i64),
    /// `LABEL1 - LABEL2`
    Difference(Name, Name),
}

/// A kernel or function.
#[derive(Debug)]
pub struct Function {
    /// Its name.
    pub name: Name,
    /// `.entry` (kernel) rather than `.func`.
    pub kernel: bool,
    /// Who sees it.
    pub linkage: Linkage,
    /// Return parameters of a `.func`.
    pub returns: Vec<VariableId>,
    /// Parameters.
    pub parameters: Vec<VariableId>,
    /// Performance-tuning and other directives between the parameters and the body, in order.
    pub directives: Vec<FunctionDirective>,
    /// Where each of `directives` stands.
    pub directive_spans: Vec<Span>,
    /// The `)` after the parameters; the name where there are none.
    pub parameters_end: Span,
    /// The `{` of the body or the `;` of a declaration.
    pub head_end: Span,
    /// The body; `None`: declared only.
    pub body: Option<Body>,
    /// The function that it is another name of: of several `.alias` directives the first counts.
    pub alias_of: Option<FunctionId>,
    /// The name.
    pub span: Span,
}

/// A directive between a function's parameters and its body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FunctionDirective {
    /// `.maxnreg N`
    MaxRegisters(u64),
    /// `.maxntid X{, Y{, Z}}`
    MaxThreads(SmallVec<[u64; 3]>),
    /// `.reqntid X{, Y{, Z}}`
    RequiredThreads(SmallVec<[u64; 3]>),
    /// `.minnctapersm N`
    MinCtasPerSm(u64),
    /// `.maxnctapersm N` (deprecated)
    MaxCtasPerSm(u64),
    /// `.reqnctapercluster X{, Y{, Z}}`
    RequiredCtasPerCluster(SmallVec<[u64; 3]>),
    /// `.explicitcluster`
    ExplicitCluster,
    /// `.maxclusterrank N`
    MaxClusterRank(u64),
    /// `.blocksareclusters`
    BlocksAreClusters,
    /// `.noreturn`
    NoReturn,
    /// `.pragma "…"`
    Pragma(Vec<Name>),
    /// `.abi_preserve N`
    AbiPreserve(u64),
    /// `.abi_preserve_control N`
    AbiPreserveControl(u64),
    /// `.attribute(.unified(…))`
    Attribute(Attribute),
    /// Another one that the vendor's tools emit, with its numbers, such as `.local_maxnreg`.
    Other(Name, SmallVec<[u64; 3]>),
}

/// The body of a function.
#[derive(Debug, Default)]
pub struct Body {
    /// Register declarations in order; their numbers ascend.
    pub registers: Vec<RegisterRange>,
    /// Labels and tables.
    pub labels: Vec<Label>,
    /// Everything between the braces, in order.
    pub statements: Vec<Statement>,
    /// Operands of all instructions; [`Instruction::operands`] and nested operands are ranges of it.
    pub operands: Vec<Operand>,
    /// The closing brace.
    pub end: Span,
}

/// `.reg TYPE NAME;` or `.reg TYPE NAME<COUNT>;`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RegisterRange {
    /// The name, without number where `count` is given.
    pub name: Name,
    /// Number of the first register.
    pub first: Register,
    /// `Some(n)`: `NAME0` to `NAME(n-1)`; `None`: just `NAME`.
    pub count: Option<u32>,
    /// Element type.
    pub element: Type,
    /// 1, or the elements of `.v2`, `.v4`.
    pub vector: u8,
    /// The name.
    pub span: Span,
}

/// A label or a table of them.
#[derive(Clone, Debug)]
pub struct Label {
    /// Its name.
    pub name: Name,
    /// What it names.
    pub kind: LabelKind,
    /// Where it is defined.
    pub span: Span,
}

/// What a label names.
#[derive(Clone, Debug)]
pub enum LabelKind {
    /// A place in the code: the index of its [`Statement::Label`].
    Place(u32),
    /// `.branchtargets`
    BranchTargets(Vec<LabelId>),
    /// `.calltargets`
    CallTargets(Vec<FunctionId>),
    /// `.callprototype`
    Prototype(Box<Prototype>),
}

/// `.callprototype (RET) _ (PARAMS);`
#[derive(Clone, Debug)]
pub struct Prototype {
    /// Return parameters.
    pub returns: Vec<VariableId>,
    /// Parameters.
    pub parameters: Vec<VariableId>,
    /// `.noreturn`, `.abi_preserve` and so on.
    pub directives: Vec<FunctionDirective>,
}

/// One statement of a body. Declarations stand where the text has them.
#[derive(Clone, Debug)]
pub enum Statement {
    /// An instruction.
    Instruction(Instruction),
    /// A label, `.branchtargets`, `.calltargets` or `.callprototype`.
    Label(LabelId),
    /// `{`
    ScopeStart,
    /// `}`
    ScopeEnd,
    /// An index into [`Body::registers`].
    Registers(u32),
    /// A variable of this function.
    Variable(VariableId),
    /// `.loc`
    Location(Box<Location>),
    /// `.pragma "…";`
    Pragma(Box<[Name]>, Span),
}

/// `.loc FILE LINE COLUMN{, function_name LABEL{+IMM}, inlined_at FILE LINE COLUMN}`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    /// Number of a `.file`.
    pub file: u32,
    /// Line, from 1 (0: unknown).
    pub line: u32,
    /// Column.
    pub column: u32,
    /// The inlined function's name, label and offset in `.debug_str`, and the place of the call.
    pub inlined: Option<InlinedAt>,
    /// The directive.
    pub span: Span,
}

/// Where an inlined function was called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InlinedAt {
    /// Label of the function's name.
    pub function: Name,
    /// Offset from that label.
    pub offset: i64,
    /// Number of a `.file`.
    pub file: u32,
    /// Line of the call.
    pub line: u32,
    /// Column of the call.
    pub column: u32,
}

/// A guard `@p` or `@!p`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Guard {
    /// The predicate.
    pub register: Register,
    /// `@!p`
    pub negated: bool,
}

/// One instruction.
#[derive(Clone, Debug)]
pub struct Instruction {
    /// Opcode, form and modifiers: an index into [`Module::variants`].
    pub variant: VariantId,
    /// The guard.
    pub guard: Option<Guard>,
    /// Index of the first operand in [`Body::operands`]; nested ones (vector elements) follow the top-level ones.
    pub first_operand: u32,
    /// Number of top-level operands.
    pub operand_count: u16,
    /// From the guard or opcode to the semicolon.
    pub span: Span,
}

/// A range of [`Body::operands`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OperandRange {
    /// Index of the first.
    pub first: u32,
    /// How many.
    pub count: u16,
}

/// One operand as written, names resolved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Operand {
    /// A register.
    Register(Register),
    /// `.x` to `.w` of a vector register (0 to 3; 4 to 7 of a `.v8`), also written `.r .g .b .a`.
    Component(Register, u8),
    /// A register with a video selector.
    Selected(Register, Selector),
    /// `!p`
    Not(Register),
    /// `-r`, with a video selector or without.
    Negative(Register, Option<Selector>),
    /// A special register; the component of `%tid.x`, or 0 where it has none.
    Special(SpecialRegister, Option<u8>),
    /// An integer constant expression: the 64 bits, and whether it was negative or signed.
    Integer(u64, bool),
    /// A double constant by its bits.
    Double(u64),
    /// A single constant by its bits (`0f…`).
    Single(u32),
    /// A variable's address `var` or `var+offset` as a value.
    Variable(VariableId, i64),
    /// `var[index+offset]`: an element of an array, as an address; the index register, if any, and a constant.
    Element(VariableId, Option<Register>, i64),
    /// A function's address.
    Function(FunctionId),
    /// A label, branch target list, call target list or prototype.
    Label(LabelId),
    /// `[base+offset]`
    Address(Address),
    /// `[a, b, …]` with more than an address: tensor maps, textures.
    Bracket(OperandRange),
    /// `{a, b, …}`
    Vector(OperandRange),
    /// `d|p`: exactly two.
    Pair(OperandRange),
    /// `(a, b, …)` of calls.
    List(OperandRange),
    /// `_`
    Sink,
}

/// What follows the point of a video operand: `.b0`, `.h1`, or several parts such as `.b3210`, `.h10`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Selector {
    /// `h` rather than `b`.
    pub halves: bool,
    /// How many digits, 1 to 4.
    pub count: u8,
    /// The digits as written, each 0 to 7.
    pub digits: [u8; 4],
}

impl Selector {
    /// Reads `b0`, `h10`, `b7531` and so on, without the dot.
    pub fn from_name(name: &str) -> Option<Selector> {
        let (letter, text) = name.split_at_checked(1)?;
        let halves = match letter {
            "h" => true,
            "b" => false,
            _ => return None,
        };
        let mut digits = [0; 4];
        if text.is_empty() || text.len() > 4 {
            return None;
        }
        for (digit, byte) in digits.iter_mut().zip(text.bytes()) {
            *digit = byte.checked_sub(b'0').filter(|digit| *digit < 8)?;
        }
        Some(Selector {
            halves,
            count: text.len() as u8,
            digits,
        })
    }

    /// The digits.
    pub fn digits(&self) -> &[u8] {
        &self.digits[..self.count as usize]
    }
}

impl std::fmt::Display for Selector {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(if self.halves { "h" } else { "b" })?;
        self.digits().iter().try_for_each(|digit| write!(f, "{digit}"))
    }
}

/// An address in brackets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Address {
    /// What the offset counts from.
    pub base: AddressBase,
    /// Byte offset.
    pub offset: i64,
    /// `.unified` follows.
    pub unified: bool,
}

/// The base of an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddressBase {
    /// `[r+imm]`
    Register(Register),
    /// `[var+imm]`
    Variable(VariableId),
    /// `[imm]`
    Absolute,
}

impl std::fmt::Display for Version {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

impl std::fmt::Display for Target {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let suffix = match self.suffix {
            TargetSuffix::None => "",
            TargetSuffix::Family => "f",
            TargetSuffix::Architecture => "a",
        };
        write!(f, "sm_{}{suffix}", self.number)
    }
}
