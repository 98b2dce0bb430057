//! Statements.

use super::{AsmOperand, ExpressionId, LabelId, Span, StatementId, VariableId};

/// A statement.
#[derive(Clone, Debug)]
pub struct Statement {
    /// What it does.
    pub kind: StatementKind,
    /// Where.
    pub span: Span,
}

/// What `#pragma unroll` says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Unroll {
    /// Nothing was said.
    #[default]
    Unspecified,
    /// `#pragma unroll`: completely.
    Full,
    /// `#pragma unroll n`: n copies.
    Count(u32),
    /// `#pragma unroll 1`, `#pragma nounroll`.
    Never,
}

/// What is wished for a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct LoopHints {
    /// Unrolling.
    pub unroll: Unroll,
}

/// A `case` of a `switch`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SwitchCase {
    /// The first value.
    pub low: i128,
    /// The last: the same but for GNU ranges.
    pub high: i128,
    /// Where to go: a label inside the body.
    pub label: LabelId,
}

/// An `asm`.
#[derive(Clone, Debug)]
pub struct AsmStatement {
    /// The text, as written: `%0`, `%[name]`, `%%`, `{`, `}`.
    pub template: Box<str>,
    /// The first of the strings that it is made of.
    pub template_at: Span,
    /// The outputs.
    pub outputs: Vec<AsmOperand>,
    /// The inputs.
    pub inputs: Vec<AsmOperand>,
    /// `"memory"` and names of registers.
    pub clobbers: Vec<Box<str>>,
    /// `volatile`, or without outputs.
    pub volatile: bool,
}

/// What a statement does. Expressions are full expressions.
#[derive(Clone, Debug)]
pub enum StatementKind {
    /// Nothing.
    Null,
    /// A prvalue of `void` or any other expression: evaluated and dropped. A class prvalue with a destructor is materialised.
    Expression(ExpressionId),
    /// The variable comes to life; automatic ones that have a destructor are destroyed at the end of the enclosing block (or of the `for`, `while`, … whose own
    /// declaration it is).
    Declare(VariableId),
    /// A block: a scope.
    Block(Vec<StatementId>),
    /// Statements that open no scope: `int a, b;`.
    Group(Vec<StatementId>),
    /// `if`; declarations of the condition stand in a block around it. `if constexpr` is resolved.
    If {
        /// A `bool`.
        condition: ExpressionId,
        /// If true.
        then: StatementId,
        /// If false.
        otherwise: Option<StatementId>,
    },
    /// `while`.
    While {
        /// `while (T x = …)`: made and destroyed for each round.
        declaration: Option<StatementId>,
        /// A `bool`.
        condition: ExpressionId,
        /// The body.
        body: StatementId,
        /// Pragmas.
        hints: LoopHints,
    },
    /// `do … while`.
    DoWhile {
        /// The body.
        body: StatementId,
        /// A `bool`.
        condition: ExpressionId,
        /// Pragmas.
        hints: LoopHints,
    },
    /// `for`; range-based ones are written out. What `initial` declares lives to the end of the loop.
    For {
        /// First.
        initial: Option<StatementId>,
        /// `for (…; T x = …; …)`: made and destroyed for each round.
        declaration: Option<StatementId>,
        /// A `bool`.
        condition: Option<ExpressionId>,
        /// After each round.
        step: Option<ExpressionId>,
        /// The body.
        body: StatementId,
        /// Pragmas.
        hints: LoopHints,
    },
    /// `switch`; declarations of the condition stand in a block around it.
    Switch {
        /// An integer, promoted, or a scoped enumeration.
        value: ExpressionId,
        /// The cases, without doublets.
        cases: Vec<SwitchCase>,
        /// Where to go otherwise; behind the `switch` if there is no `default`.
        default: Option<LabelId>,
        /// The body, with the labels.
        body: StatementId,
    },
    /// A label of a `goto`, a `case` or a `default`, and the statement it stands before.
    Label(LabelId, StatementId),
    /// `goto`.
    Goto(LabelId),
    /// `goto *e`.
    IndirectGoto(ExpressionId),
    /// `break`.
    Break,
    /// `continue`.
    Continue,
    /// `return`: a prvalue of the function's type, or a glvalue if it returns a reference.
    Return(Option<ExpressionId>),
    /// An `asm`.
    Asm(Box<AsmStatement>),
    /// Stands for a statement in error, after its message.
    Error,
    /// What is legal but has no meaning in device code, such as `throw`: refused by this name when code is generated from it.
    Unsupported(Box<str>),
}
