//! The typed program: what semantic analysis makes and code generation reads.
//!
//! A [`Program`] owns everything in arenas; ids are small and `Copy`. There are no dependent types and no unresolved names here: every conversion is an
//! expression of its own, every call names a function, every destructor that must run is named where its object is made.
//!
//! How to build one:
//!
//! * **Types** ([`types`]): `program.types.pointer(QualifiedType)` and its kin give interned ids; equal types have equal ids. `const` and friends stand beside
//!   the id in a [`QualifiedType`]. Qualifiers of an array stand on its element.
//! * **Entities** ([`entity`]): `add_class`, `add_function`, `add_variable`, …; fill the public fields in. When a class is complete, call
//!   [`Program::complete_class`]: it computes layout and virtual table and marks functions that override.
//! * **Expressions** ([`expression`]): `add_expression`. An expression of reference type does not exist: references are glvalues of the type referred to. A class
//!   prvalue initialises the object that its context gives it (C++17); trivial copies are lvalue-to-rvalue conversions of class type. What hangs directly on a
//!   statement, a variable's or a member's initialiser is a full expression: its temporaries die at its end.
//! * **Statements** ([`statement`]): `add_statement`. A `case` is a label; declarations of a condition are statements before it.
//! * **Constants** ([`constant`]): values of constant expressions; [`evaluate()`] finds them.
//!
//! Nothing here reports errors in the program: what the functions of this module refuse, they refuse with a reason for the caller to report.

pub mod constant;
mod dump;
pub mod entity;
pub mod evaluate;
pub mod expression;
mod layout;
mod mangle;
pub mod pattern;
mod print;
mod program;
pub mod statement;
pub mod types;

pub use crate::source::Span;
pub use constant::{Constant, ConstantBase, EvaluationFailure, NonConstant, StringLiteral};
pub use dump::dump;
pub use entity::{
    Base, CallOperator, Class, ClassKind, Destructor, Enum, Enumerator, ExecutionSpace, Field, Function, FunctionBody,
    FunctionName, InlineHint, KernelAttributes, LanguageLinkage, Layout, Linkage, MemberInitialiser, MemberTarget,
    MemorySpace, Namespace, OperatorName, ResultVariable, Scope, StorageDuration, TemplateArgument, TemplateName,
    Variable, VariableInitialiser, VirtualSlot,
};
pub(crate) use evaluate::convert_scalar;
pub use evaluate::{Limits, evaluate};
pub use expression::{
    Allocation, AsmOperand, BinaryOperator, Callee, CastKind, Comparison, Expression, ExpressionKind, Lifetime,
    UnaryOperator, ValueCategory,
};
pub use layout::LayoutError;
pub use mangle::{
    SymbolVariant, Unit, mangle_closure_parameters, mangle_function, mangle_host_function, mangle_root,
    mangle_template_object, mangle_thunk, mangle_type, mangle_variable, mangle_virtual_table, unnamed_namespace,
};
pub use print::{PrettyPrinter, TypePrinter};
pub use program::{Label, Program, Root};
pub use statement::{AsmStatement, LoopHints, Statement, StatementKind, SwitchCase, Unroll};
pub use types::{FloatKind, FunctionType, IntegerKind, QualifiedType, Qualifiers, RefQualifier, Type, TypeId, Types};

/// A name as written, shared.
pub type Name = std::sync::Arc<str>;

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident;)*) => { $(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub(crate) u32);
        impl $name {
            /// The place in its arena.
            pub const fn index(self) -> usize {
                self.0 as usize
            }
        }
    )* };
}
ids! {
    /// A class, struct or union.
    ClassId;
    /// An enumeration.
    EnumId;
    /// A function.
    FunctionId;
    /// A variable or parameter.
    VariableId;
    /// A namespace.
    NamespaceId;
    /// An expression.
    ExpressionId;
    /// A statement.
    StatementId;
    /// A label of a function: of a `goto`, a `case` or a `default`.
    LabelId;
    /// A string literal's array.
    StringId;
    /// A value that a [`expression::ExpressionKind::Let`] holds.
    BindingId;
}

/// A compiler builtin: the row of the builtin table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BuiltinId(pub u16);

/// A field by its place among the fields of its class, in order of declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FieldIndex(pub u32);
impl FieldIndex {
    /// The place in [`Class::fields`].
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}
