//! Statements (\[stmt.stmt\]).

use super::{Attributes, Declaration, Expression, Id, List, Name, Span};

/// A statement.
#[derive(Clone, Debug)]
pub struct Statement {
    /// What it is.
    pub kind: StatementKind,
    /// Attributes before it.
    pub attributes: Attributes,
    /// Its tokens.
    pub span: Span,
}

/// What a statement is.
#[derive(Clone, Debug)]
pub enum StatementKind {
    /// `;`.
    Null,
    /// `{ … }`.
    Compound(List<Id<Statement>>),
    /// `expression;`.
    Expression(Id<Expression>),
    /// A declaration in a block.
    Declaration(Id<Declaration>),
    /// `if`.
    If {
        /// `if constexpr`.
        is_constexpr: bool,
        /// The statement before the condition: an expression or a declaration statement.
        init: Option<Id<Statement>>,
        /// The condition.
        condition: Condition,
        /// The first branch.
        then: Id<Statement>,
        /// The branch after `else`.
        otherwise: Option<Id<Statement>>,
    },
    /// `if consteval` of C++23.
    IfConsteval {
        /// `if !consteval`.
        negated: bool,
        /// The first branch.
        then: Id<Statement>,
        /// The branch after `else`.
        otherwise: Option<Id<Statement>>,
    },
    /// `switch`.
    Switch {
        /// The statement before the condition.
        init: Option<Id<Statement>>,
        /// The condition.
        condition: Condition,
        /// The body.
        body: Id<Statement>,
    },
    /// `case value:`, with GNU's range `case low ... high:`.
    Case {
        /// The value, or the lower end.
        low: Id<Expression>,
        /// The upper end of a range.
        high: Option<Id<Expression>>,
        /// The statement labelled.
        body: Id<Statement>,
    },
    /// `default:`.
    Default {
        /// The statement labelled.
        body: Id<Statement>,
    },
    /// `name:`.
    Label {
        /// The label.
        name: Name,
        /// The statement labelled.
        body: Id<Statement>,
    },
    /// `while`.
    While {
        /// The condition, tested before each round.
        condition: Condition,
        /// The body.
        body: Id<Statement>,
        /// A pragma before the loop.
        unroll: Option<Unroll>,
    },
    /// `do … while`.
    DoWhile {
        /// The body.
        body: Id<Statement>,
        /// The condition, tested after each round.
        condition: Id<Expression>,
        /// A pragma before the loop.
        unroll: Option<Unroll>,
    },
    /// `for (init; condition; increment)`.
    For {
        /// An expression, declaration or null statement.
        init: Option<Id<Statement>>,
        /// The condition; none is true.
        condition: Option<Condition>,
        /// What is done after each round.
        increment: Option<Id<Expression>>,
        /// The body.
        body: Id<Statement>,
        /// A pragma before the loop.
        unroll: Option<Unroll>,
    },
    /// `for (init; declaration : range)`.
    RangeFor {
        /// C++20's statement before the declaration.
        init: Option<Id<Statement>>,
        /// One declarator without an initialiser ([`super::DeclarationKind::Simple`]) or a structured binding.
        declaration: Id<Declaration>,
        /// What is iterated over; maybe an initialiser list.
        range: Id<Expression>,
        /// The body.
        body: Id<Statement>,
        /// A pragma before the loop.
        unroll: Option<Unroll>,
    },
    /// `goto name;`.
    Goto {
        /// The label.
        name: Name,
    },
    /// `goto *expression;` of GNU.
    IndirectGoto(Id<Expression>),
    /// `break;`.
    Break,
    /// `continue;`.
    Continue,
    /// `return;`, `return expression;`, `return {…};`.
    Return(Option<Id<Expression>>),
    /// `try { … } catch (…) { … }`.
    Try {
        /// The block.
        body: Id<Statement>,
        /// The handlers.
        handlers: List<Handler>,
    },
    /// `asm(…);`.
    Asm(Id<AsmStatement>),
    /// What could not be read, with an error given already.
    Error,
}

/// A condition (\[stmt.select\]).
#[derive(Clone, Copy, Debug)]
pub enum Condition {
    /// An expression.
    Expression(Id<Expression>),
    /// A declaration of one variable with an initialiser; its value is the condition.
    Declaration(Id<Declaration>),
}

/// A handler of a `try` block.
#[derive(Clone, Debug)]
pub struct Handler {
    /// What is caught; `None` is `...`.
    pub parameter: Option<Id<super::Parameter>>,
    /// The block.
    pub body: Id<Statement>,
    /// The tokens.
    pub span: Span,
}

/// `#pragma unroll` before a loop.
#[derive(Clone, Copy, Debug)]
pub enum Unroll {
    /// `#pragma unroll`: wholly, if the count is known.
    Full,
    /// `#pragma unroll n`; 1 is "do not".
    Count(Id<Expression>),
    /// `#pragma nounroll`.
    Disable,
}

/// An `asm` statement, or an `asm` declaration at namespace scope.
#[derive(Clone, Debug)]
pub struct AsmStatement {
    /// `volatile` is written.
    pub is_volatile: bool,
    /// Whether there is a colon at all: without one, `%` in the template is an ordinary character.
    pub is_extended: bool,
    /// The template text, strings joined and escapes decoded.
    pub template: Box<str>,
    /// The first of the strings.
    pub template_at: Span,
    /// Output operands, in order.
    pub outputs: List<AsmOperand>,
    /// Input operands, numbered after the outputs.
    pub inputs: List<AsmOperand>,
    /// Clobbers.
    pub clobbers: List<Box<str>>,
    /// The tokens.
    pub span: Span,
}

/// An operand of an `asm` statement.
#[derive(Clone, Debug)]
pub struct AsmOperand {
    /// The name in `[name]`.
    pub name: Option<Name>,
    /// The constraint, `=r` for instance.
    pub constraint: Box<str>,
    /// The expression.
    pub expression: Id<Expression>,
    /// The tokens.
    pub span: Span,
}
