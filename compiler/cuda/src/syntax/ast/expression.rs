//! Expressions (\[expr\]).

use super::{
    Attributes, BinaryOperator, ConstexprKind, FunctionDeclarator, Id, Initializer, List, Literal, Name, QualifiedName,
    Span, Statement, TemplateParameter, TypeId, TypeTrait, UnaryOperator,
};

/// An expression.
#[derive(Clone, Debug)]
pub struct Expression {
    /// What it is.
    pub kind: ExpressionKind,
    /// Its tokens.
    pub span: Span,
}

/// What an expression is.
#[derive(Clone, Debug)]
pub enum ExpressionKind {
    /// A literal.
    Literal(Literal),
    /// `__func__`, `__FUNCTION__`, `__PRETTY_FUNCTION__`.
    FunctionName {
        /// Whether the pretty form is asked for.
        pretty: bool,
    },
    /// A name.
    Name(Id<QualifiedName>),
    /// `this`.
    This,
    /// `(expression)`: matters to `decltype` and to folding.
    Parenthesized(Id<Expression>),
    /// A unary operator.
    Unary {
        /// Which.
        operator: UnaryOperator,
        /// Of what.
        operand: Id<Expression>,
    },
    /// A binary operator, comma included; assignment is [`ExpressionKind::Assign`].
    Binary {
        /// Which.
        operator: BinaryOperator,
        /// The left operand.
        left: Id<Expression>,
        /// The right operand.
        right: Id<Expression>,
        /// The operator's token.
        operator_span: Span,
    },
    /// `target = value`, `target += value`.
    Assign {
        /// The operator before `=`, if there is one.
        operator: Option<BinaryOperator>,
        /// The left operand.
        target: Id<Expression>,
        /// The right operand; maybe an initialiser list.
        value: Id<Expression>,
        /// The operator's token.
        operator_span: Span,
    },
    /// `condition ? then : otherwise`.
    Conditional {
        /// The condition.
        condition: Id<Expression>,
        /// The value if true; `None` is GNU's `a ?: b`.
        then: Option<Id<Expression>>,
        /// The value if false.
        otherwise: Id<Expression>,
    },
    /// `callee(arguments)`. The callee may name a type or a class template that the parser does not know.
    Call {
        /// What is called.
        callee: Id<Expression>,
        /// The arguments; any may be an initialiser list or a pack expansion.
        arguments: List<Id<Expression>>,
    },
    /// `callee<<<grid, block, shared, stream>>>(arguments)`.
    KernelLaunch {
        /// The kernel.
        callee: Id<Expression>,
        /// The configuration, two to four.
        configuration: List<Id<Expression>>,
        /// The arguments.
        arguments: List<Id<Expression>>,
    },
    /// `base[index]`.
    Subscript {
        /// The base.
        base: Id<Expression>,
        /// The index: one, but any number for C++23; maybe an initialiser list.
        indices: List<Id<Expression>>,
    },
    /// `object.name`, `object->name`; destructors and pseudo destructors too.
    Member {
        /// The object, or the pointer to it.
        object: Id<Expression>,
        /// Whether `->`.
        is_arrow: bool,
        /// The member, maybe qualified.
        name: Id<QualifiedName>,
    },
    /// `T(arguments)`, `T{…}` for a `T` known to be a type, or a deduced class template.
    FunctionalCast {
        /// The type; a simple type specifier.
        type_id: Id<TypeId>,
        /// Parenthesised arguments, or a list (\[dcl.init.list\]) that is the one `Initializer::Braced`.
        initializer: Initializer,
    },
    /// `(T)x`, `static_cast<T>(x)` and so on.
    Cast {
        /// Which cast.
        kind: CastKind,
        /// The type.
        type_id: Id<TypeId>,
        /// What is converted.
        operand: Id<Expression>,
    },
    /// `(T){…}` of C99.
    CompoundLiteral {
        /// The type.
        type_id: Id<TypeId>,
        /// An [`ExpressionKind::InitializerList`].
        initializer: Id<Expression>,
    },
    /// `sizeof expression`.
    SizeofExpression(Id<Expression>),
    /// `sizeof(type)`.
    SizeofType(Id<TypeId>),
    /// `sizeof...(pack)`.
    SizeofPack(Name),
    /// `alignof(type)`.
    AlignofType(Id<TypeId>),
    /// `__alignof__ expression`.
    AlignofExpression(Id<Expression>),
    /// `noexcept(expression)`.
    Noexcept(Id<Expression>),
    /// `typeid(expression)`.
    TypeidExpression(Id<Expression>),
    /// `typeid(type)`.
    TypeidType(Id<TypeId>),
    /// `new`.
    New(Box<NewExpression>),
    /// `delete operand`.
    Delete {
        /// `::delete`.
        global: bool,
        /// `delete[]`.
        is_array: bool,
        /// What.
        operand: Id<Expression>,
    },
    /// `throw`, `throw expression`.
    Throw(Option<Id<Expression>>),
    /// `(left op ... op right)`: one side may be missing, but not both (\[expr.prim.fold\]). The operators of compound assignment are allowed too.
    Fold {
        /// The left operand.
        left: Option<Id<Expression>>,
        /// The operator.
        operator: BinaryOperator,
        /// Whether it is the assigning form of the operator: `+=`; plain `=` has `assigns` and [`BinaryOperator::Comma`].
        assigns: bool,
        /// The right operand.
        right: Option<Id<Expression>>,
    },
    /// `pattern...` in a list of arguments or initialisers.
    PackExpansion(Id<Expression>),
    /// A requires-expression.
    Requires(Box<super::RequiresExpression>),
    /// A lambda expression.
    Lambda(Id<Lambda>),
    /// `{…}` where an initialiser or argument may stand.
    InitializerList(List<InitializerClause>),
    /// GNU's `({ … })`: a compound statement.
    StatementExpression(Id<Statement>),
    /// `__is_same(T, U)` and others: a constant.
    TypeTrait {
        /// Which.
        trait_kind: TypeTrait,
        /// The arguments.
        arguments: List<TraitArgument>,
    },
    /// `__builtin_offsetof(T, member.path[0])`.
    OffsetOf {
        /// The class.
        type_id: Id<TypeId>,
        /// The path.
        path: List<OffsetDesignator>,
    },
    /// `__builtin_va_arg(list, T)`.
    VaArg {
        /// The list.
        list: Id<Expression>,
        /// The type.
        type_id: Id<TypeId>,
    },
    /// `__builtin_bit_cast(T, x)`.
    BitCast {
        /// The type.
        type_id: Id<TypeId>,
        /// What is converted.
        operand: Id<Expression>,
    },
    /// `__builtin_types_compatible_p` has its own node as a trait; `&&label` of GNU is this.
    LabelAddress(Name),
    /// What could not be read, with an error given already.
    Error,
}

/// Which cast is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CastKind {
    /// `(T)x`.
    CStyle,
    /// `static_cast`.
    Static,
    /// `dynamic_cast`.
    Dynamic,
    /// `reinterpret_cast`.
    Reinterpret,
    /// `const_cast`.
    Const,
}

/// A new-expression (\[expr.new\]).
#[derive(Clone, Debug)]
pub struct NewExpression {
    /// `::new`.
    pub global: bool,
    /// Placement arguments.
    pub placement: List<Id<Expression>>,
    /// The type; of an array, its first chunk is `Array`.
    pub type_id: Id<TypeId>,
    /// The initialiser: parenthesised or braced.
    pub initializer: Option<Initializer>,
}

/// One clause of an initialiser list.
#[derive(Clone, Debug)]
pub struct InitializerClause {
    /// The designators before `=`: `.a`, `[3]`, `.a.b`; empty for most clauses.
    pub designators: List<Designator>,
    /// The value: maybe a list, maybe a pack expansion.
    pub value: Id<Expression>,
    /// The tokens.
    pub span: Span,
}

/// A designator (\[dcl.init.aggr\], and C99's forms).
#[derive(Clone, Debug)]
pub enum Designator {
    /// `.name`.
    Field(Name),
    /// `[index]`.
    Index(Id<Expression>),
    /// GNU's `[low ... high]`.
    Range(Id<Expression>, Id<Expression>),
}

/// A step of the path of `offsetof`.
#[derive(Clone, Copy, Debug)]
pub enum OffsetDesignator {
    /// `.name`; the first has no dot.
    Field(Name),
    /// `[index]`.
    Index(Id<Expression>),
}

/// An argument of a type trait.
#[derive(Clone, Copy, Debug)]
pub struct TraitArgument {
    /// The type.
    pub type_id: Id<TypeId>,
    /// Whether `...` follows.
    pub pack_expansion: bool,
}

/// A lambda expression (\[expr.prim.lambda\]).
#[derive(Clone, Debug)]
pub struct Lambda {
    /// `[=` or `[&`.
    pub default: CaptureDefault,
    /// The captures written.
    pub captures: List<Capture>,
    /// `<typename T>` of C++20.
    pub template_parameters: Option<List<Id<TemplateParameter>>>,
    /// The condition of a requires-clause behind them.
    pub requires: Option<Id<Expression>>,
    /// Parameters, trailing return type and the rest; without a list it has no parameters.
    pub function: FunctionDeclarator,
    /// `mutable`.
    pub is_mutable: bool,
    /// `constexpr` or `consteval`.
    pub constexpr: ConstexprKind,
    /// Attributes: after the introducer and after the parameters, `__device__` among them.
    pub attributes: Attributes,
    /// The body.
    pub body: Id<Statement>,
    /// The tokens.
    pub span: Span,
}

/// What is captured without being named.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum CaptureDefault {
    /// Nothing.
    #[default]
    None,
    /// `=`.
    Copy,
    /// `&`.
    Reference,
}

/// A capture.
#[derive(Clone, Debug)]
pub struct Capture {
    /// What.
    pub kind: CaptureKind,
    /// Whether `...` is there.
    pub pack: bool,
    /// The tokens.
    pub span: Span,
}

/// What is captured.
#[derive(Clone, Debug)]
pub enum CaptureKind {
    /// `this`.
    This,
    /// `*this`.
    StarThis,
    /// `name`.
    Copy(Name),
    /// `&name`.
    Reference(Name),
    /// `name = initialiser`, `name(…)`, `name{…}`.
    CopyInit(Name, Initializer),
    /// `&name = initialiser`.
    ReferenceInit(Name, Initializer),
}
