//! What is known of the function that is being elaborated.

use rustc_hash::FxHashMap;

use crate::hir::{self, ExecutionSpace, FunctionId, LabelId, QualifiedType, StatementId, TypeId};
use crate::source::{Span, Symbol};

/// What a function returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum ResultType {
    /// There is no function around.
    #[default]
    None,
    /// This.
    Known(QualifiedType),
    /// To be deduced from the first `return` ([dcl.spec.auto]): the declared type with `auto` or `decltype(auto)` in it, and what was deduced and where.
    Deduced {
        /// The type with the placeholder in it.
        pattern: QualifiedType,
        /// The type, and the `return` it is from.
        found: Option<(QualifiedType, Span)>,
    },
}

/// How expressions are meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Evaluation {
    /// Inside `sizeof`, `decltype`, `noexcept`, `alignof`: nothing is used ([expr.prop]).
    pub unevaluated: bool,
    /// Inside a constant expression.
    pub constant: bool,
}

/// What a `break` or `continue` would leave, and the labels of a `switch`.
#[derive(Clone, Debug)]
pub struct SwitchContext {
    /// The promoted type of the condition.
    pub ty: TypeId,
    /// The cases so far, with their places.
    pub cases: Vec<(hir::SwitchCase, Span)>,
    /// The default label.
    pub default: Option<(LabelId, Span)>,
    /// How many initialised declarations were in force before it.
    pub initialised: usize,
}

/// A label of a function.
#[derive(Clone, Debug)]
pub struct LabelInfo {
    /// In the typed program.
    pub label: LabelId,
    /// Where it is defined.
    pub defined: Option<Span>,
    /// Where it is used first.
    pub used: Option<Span>,
    /// The declarations that a jump must not pass, in force at the label.
    pub scope_path: Vec<u32>,
    /// Jumps to it: where, and which declarations were in force there.
    pub jumps: Vec<(Span, Vec<u32>)>,
}

/// What is known of the function that is being elaborated. Saved and replaced while another is.
#[derive(Debug, Default)]
pub struct FunctionContext {
    /// The function (of a lambda, its call operator).
    pub function: Option<FunctionId>,
    /// The definition whose body it is, if it is written.
    pub definition: Option<crate::syntax::ast::Id<crate::syntax::ast::FunctionDefinition>>,
    /// What it returns.
    pub result: ResultType,
    /// The class with its qualifiers that `*this` is, where `this` can be named.
    pub this: Option<QualifiedType>,
    /// The class whose object is being initialised as an aggregate, while a default member initialiser of it is read: `this` is that object.
    pub aggregate: Option<hir::ClassId>,
    /// Where it runs.
    pub space: ExecutionSpace,
    /// `constexpr`.
    pub is_constexpr: bool,
    /// How expressions are meant.
    pub evaluation: Evaluation,
    /// How many loops are around: `continue` needs one.
    pub loops: u32,
    /// How many loops and switches are around: `break` needs one.
    pub breakables: u32,
    /// The switches around.
    pub switches: Vec<SwitchContext>,
    /// The labels.
    pub labels: FxHashMap<Symbol, LabelInfo>,
    /// Their names in the order in which they came.
    pub label_order: Vec<Symbol>,
    /// The outermost block of the body.
    pub body_block: Option<crate::sema::ScopeId>,
    /// Access is not checked: in code that the compiler makes, and explicit instantiations.
    pub unchecked_access: bool,
    /// The declarations with initialisation in force, by number: what a jump may not enter.
    pub initialised: Vec<u32>,
    /// Places of those declarations.
    pub initialised_spans: Vec<(Span, Option<Symbol>)>,
    /// How many static locals of each name there were.
    pub static_locals: FxHashMap<Symbol, u32>,
    /// The local variables, for warnings.
    pub locals: Vec<hir::VariableId>,
    /// The local variables that live here, outermost first.
    pub live: Vec<hir::VariableId>,
    /// Statements that have to stand before the one being elaborated.
    pub pending: Vec<StatementId>,
    /// The lambda expressions around, innermost last, as the expression side numbers them.
    pub lambdas: Vec<u32>,
}

impl FunctionContext {
    /// Outside of any function.
    pub fn new() -> FunctionContext {
        FunctionContext::default()
    }
}
