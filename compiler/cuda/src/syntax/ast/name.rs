//! Names as written: identifiers, operators, conversions, destructors, template-ids, and their qualification (\[expr.prim.id\]).

use super::{Expression, Id, List, Name, Span, TypeId};

/// A possibly qualified name, with template arguments where written.
#[derive(Clone, Debug)]
pub struct QualifiedName {
    /// Whether it begins with `::`.
    pub global: bool,
    /// What stands before each `::`, from the left.
    pub qualifiers: List<Qualifier>,
    /// Whether `template` stands before the last part.
    pub template_keyword: bool,
    /// The part after the last `::`.
    pub last: UnqualifiedName,
    /// What the parser took the name for. A hint: look-up decides.
    pub kind: NameKind,
    /// The tokens of the whole name.
    pub span: Span,
    /// The tokens of the last part without its template arguments.
    pub last_span: Span,
}

impl QualifiedName {
    /// Whether nothing stands before the last part.
    pub fn is_unqualified(&self) -> bool {
        !self.global && self.qualifiers.is_empty()
    }

    /// The identifier, if the name is a plain, unqualified identifier without template arguments.
    pub fn as_identifier(&self) -> Option<Name> {
        match &self.last {
            UnqualifiedName::Identifier(name) if self.is_unqualified() => Some(*name),
            _ => None,
        }
    }
}

/// One part of a nested-name-specifier, before its `::`.
#[derive(Clone, Debug)]
pub struct Qualifier {
    /// What is named.
    pub part: QualifierPart,
    /// Whether `template` stands before it.
    pub template_keyword: bool,
    /// Its tokens, without the `::`.
    pub span: Span,
}

/// What stands before a `::`.
#[derive(Clone, Debug)]
pub enum QualifierPart {
    /// A namespace, a class, an enumeration, a typedef or a template parameter.
    Name(Name),
    /// A class template or alias template with arguments.
    Template {
        /// The template's name.
        name: Name,
        /// The arguments.
        arguments: List<TemplateArgument>,
    },
    /// `decltype(expression)`.
    Decltype(Id<Expression>),
}

/// The last part of a name.
#[derive(Clone, Debug)]
pub enum UnqualifiedName {
    /// `x`.
    Identifier(Name),
    /// `x<arguments>`.
    Template {
        /// The template's name.
        name: Name,
        /// The arguments.
        arguments: List<TemplateArgument>,
    },
    /// `operator+`, with arguments if written: `operator+<int>`.
    Operator {
        /// Which operator.
        operator: OperatorName,
        /// Template arguments, if there is a list.
        arguments: Option<List<TemplateArgument>>,
    },
    /// `operator T` (\[class.conv.fct\]).
    Conversion(Id<TypeId>),
    /// `operator""_x`, with arguments if written.
    LiteralOperator {
        /// The suffix.
        suffix: Name,
        /// Template arguments, if there is a list.
        arguments: Option<List<TemplateArgument>>,
    },
    /// `~X` or `~X<arguments>`; also a pseudo destructor.
    Destructor {
        /// The class or type name.
        name: Name,
        /// Template arguments, if there is a list.
        arguments: Option<List<TemplateArgument>>,
    },
    /// `~decltype(expression)`.
    DestructorDecltype(Id<Expression>),
}

/// An operator that can be declared (\[over.oper\]).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs, reason = "each is the operator of its name; see `spelling`")]
pub enum OperatorName {
    New,
    NewArray,
    Delete,
    DeleteArray,
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    BitXor,
    BitAnd,
    BitOr,
    Complement,
    Not,
    Assign,
    Less,
    Greater,
    AddAssign,
    SubtractAssign,
    MultiplyAssign,
    DivideAssign,
    RemainderAssign,
    BitXorAssign,
    BitAndAssign,
    BitOrAssign,
    ShiftLeft,
    ShiftRight,
    ShiftLeftAssign,
    ShiftRightAssign,
    Equal,
    NotEqual,
    LessEqual,
    GreaterEqual,
    ThreeWay,
    LogicalAnd,
    LogicalOr,
    Increment,
    Decrement,
    Comma,
    ArrowStar,
    Arrow,
    Call,
    Subscript,
}

impl OperatorName {
    /// The text after `operator`.
    #[rustfmt::skip]
    pub const fn spelling(self) -> &'static str {
        match self {
            OperatorName::New => "new", OperatorName::NewArray => "new[]", OperatorName::Delete => "delete", OperatorName::DeleteArray => "delete[]",
            OperatorName::Add => "+", OperatorName::Subtract => "-", OperatorName::Multiply => "*", OperatorName::Divide => "/", OperatorName::Remainder => "%",
            OperatorName::BitXor => "^", OperatorName::BitAnd => "&", OperatorName::BitOr => "|", OperatorName::Complement => "~", OperatorName::Not => "!",
            OperatorName::Assign => "=", OperatorName::Less => "<", OperatorName::Greater => ">",
            OperatorName::AddAssign => "+=", OperatorName::SubtractAssign => "-=", OperatorName::MultiplyAssign => "*=", OperatorName::DivideAssign => "/=",
            OperatorName::RemainderAssign => "%=", OperatorName::BitXorAssign => "^=", OperatorName::BitAndAssign => "&=", OperatorName::BitOrAssign => "|=",
            OperatorName::ShiftLeft => "<<", OperatorName::ShiftRight => ">>", OperatorName::ShiftLeftAssign => "<<=", OperatorName::ShiftRightAssign => ">>=",
            OperatorName::Equal => "==", OperatorName::NotEqual => "!=", OperatorName::LessEqual => "<=", OperatorName::GreaterEqual => ">=",
            OperatorName::ThreeWay => "<=>", OperatorName::LogicalAnd => "&&", OperatorName::LogicalOr => "||",
            OperatorName::Increment => "++", OperatorName::Decrement => "--", OperatorName::Comma => ",", OperatorName::ArrowStar => "->*", OperatorName::Arrow => "->",
            OperatorName::Call => "()", OperatorName::Subscript => "[]",
        }
    }
}

/// A template argument (\[temp.arg\]).
#[derive(Clone, Debug)]
pub struct TemplateArgument {
    /// What it is.
    pub kind: TemplateArgumentKind,
    /// Whether `...` follows: a pack expansion.
    pub pack_expansion: bool,
    /// Its tokens.
    pub span: Span,
}

/// What a template argument was read as.
#[derive(Clone, Debug)]
pub enum TemplateArgumentKind {
    /// A type-id; or, if its specifier is a bare name, maybe the name of a template (a template template argument).
    Type(Id<TypeId>),
    /// A constant expression.
    Expression(Id<Expression>),
    /// Both readings are possible and the parser does not know the names (\[temp.arg\]/2: the type-id wins if it is one).
    Ambiguous {
        /// Read as a type-id.
        type_id: Id<TypeId>,
        /// Read as an expression.
        expression: Id<Expression>,
    },
}

/// What a name is, as far as the parser needs to know.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum NameKind {
    /// Not known: not declared, or dependent.
    #[default]
    Unknown,
    /// A class, an enumeration, a typedef or alias, a type template parameter.
    Type,
    /// A class template, an alias template or a template template parameter.
    TypeTemplate,
    /// A function template.
    FunctionTemplate,
    /// A variable template.
    VariableTemplate,
    /// A concept.
    Concept,
    /// A namespace or an alias of one.
    Namespace,
    /// A variable, function, enumerator, non-type template parameter.
    Value,
}
