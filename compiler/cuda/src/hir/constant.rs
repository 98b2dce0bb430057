//! Values of constant expressions.

use super::{FieldIndex, FunctionId, Name, StringId, TypeId, VariableId};

/// The array of a string literal.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct StringLiteral {
    /// The elements' values with the terminating zero.
    pub elements: Vec<u32>,
    /// The element's type: `char`, `wchar_t`, `char16_t`, …
    pub element: TypeId,
}

/// What a pointer constant points into.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ConstantBase {
    /// Nothing: the offset is the address. Null is the address 0.
    Absolute,
    /// A variable with static storage duration.
    Variable(VariableId),
    /// A function.
    Function(FunctionId),
    /// A string literal.
    String(StringId),
}

/// A value. The type is that of the expression whose value it is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Constant {
    /// Of an object or part without a value.
    Undefined,
    /// Of `bool`, integer and enumeration types: the value, sign- or zero-extended by the type; `unsigned __int128` as its bits.
    Integer(i128),
    /// Of floating types: the bits in the type's format (`long double`: in that of `double`).
    Float(u64),
    /// Of pointers and `nullptr_t`: base and offset in bytes. Of references: the object's address.
    Pointer(ConstantBase, i64),
    /// Of pointers to data members: the byte offset; null is `None`.
    MemberOffset(Option<i64>),
    /// Of pointers to member functions, with the adjustment of `this` in bytes; null is `None`.
    MemberFunction(Option<(FunctionId, i64)>),
    /// Of arrays and vectors: the leading elements, and the value of all others.
    Array(Vec<Constant>, Option<Box<Constant>>),
    /// Of structs and classes: base subobjects, then fields, in order of declaration.
    Struct {
        /// The direct bases.
        bases: Vec<Constant>,
        /// The fields; fields without names as well.
        fields: Vec<Constant>,
    },
    /// Of unions: the member that has a value.
    Union(Option<(FieldIndex, Box<Constant>)>),
}

impl Constant {
    /// The null pointer.
    pub const NULL: Constant = Constant::Pointer(ConstantBase::Absolute, 0);

    /// A truth value.
    pub fn boolean(value: bool) -> Constant {
        Constant::Integer(i128::from(value))
    }
    /// The integer that this is.
    pub fn as_integer(&self) -> Option<i128> {
        match *self {
            Constant::Integer(value) => Some(value),
            _ => None,
        }
    }
}

/// The reason of an expression in error, about which a message has been given.
pub const IN_ERROR: &str = "the expression is in error";

/// Why an expression has no constant value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NonConstant {
    /// Where evaluation stopped.
    pub span: super::Span,
    /// Why, as a message without a full stop.
    pub reason: String,
    /// The calls on the way there, innermost first.
    pub calls: Vec<(super::Span, Name)>,
}

/// How constant evaluation can fail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EvaluationFailure {
    /// A constexpr function has no body yet: elaborate it and try again.
    NeedsBody(FunctionId),
    /// The expression has no constant value.
    NonConstant(NonConstant),
}
