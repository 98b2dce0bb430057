//! Constraints (\[temp.constr\]): requires-expressions.

use super::{Expression, Id, List, Parameter, QualifiedName, Span, TypeId};

/// `requires (parameters) { requirements }` (\[expr.prim.req\]).
#[derive(Clone, Debug)]
pub struct RequiresExpression {
    /// The parameters: names for use in the requirements.
    pub parameters: List<Id<Parameter>>,
    /// The requirements in order.
    pub requirements: List<Requirement>,
}

/// A requirement.
#[derive(Clone, Debug)]
pub struct Requirement {
    /// What is required.
    pub kind: RequirementKind,
    /// The tokens, without `;`.
    pub span: Span,
}

/// What a requirement asks for.
#[derive(Clone, Debug)]
pub enum RequirementKind {
    /// `expression;` and `{ expression } noexcept -> Concept;`: it is valid.
    Expression {
        /// The expression.
        value: Id<Expression>,
        /// `noexcept`.
        noexcept: bool,
        /// The concept that its type has to be of, with all arguments but the first.
        constraint: Option<Id<QualifiedName>>,
    },
    /// `typename T::type;`: the type exists.
    Type(Id<TypeId>),
    /// `requires condition;`: it holds.
    Nested(Id<Expression>),
}
