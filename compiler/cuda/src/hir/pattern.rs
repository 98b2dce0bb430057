//! Types as templates write them: with parameters, not yet replaced. Only mangled names need them here: the name of a specialisation spells its template's
//! signature (Itanium C++ ABI 5.1.4). Semantic analysis may use them for deduction and partial ordering.

use super::{FunctionName, Name, QualifiedType, Qualifiers, RefQualifier, Scope, TemplateArgument};

/// The signature of a function template.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TemplateSignature {
    /// The result; spelled in names of all function templates but constructors, destructors and conversions.
    pub result: TypePattern,
    /// The parameters.
    pub parameters: Vec<TypePattern>,
    /// Whether it ends in `...`.
    pub variadic: bool,
}

/// A type with template parameters in it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum TypePattern {
    /// A type without any.
    Type(QualifiedType),
    /// The parameter at a place of the innermost template (depth 0) or of one around it that is not yet replaced. Of members of specialised class templates
    /// the class's parameters are replaced already, but names still spell them as the innermost template's own.
    Parameter {
        /// Level, 0 for the outermost.
        depth: u32,
        /// Place in its list.
        index: u32,
    },
    /// With qualifiers.
    Qualified(Qualifiers, Box<TypePattern>),
    /// `T *`.
    Pointer(Box<TypePattern>),
    /// `T &`.
    LValueReference(Box<TypePattern>),
    /// `T &&`.
    RValueReference(Box<TypePattern>),
    /// `T [n]`.
    Array(Box<TypePattern>, Option<ExpressionPattern>),
    /// A function.
    Function {
        /// What it returns.
        result: Box<TypePattern>,
        /// What it takes.
        parameters: Vec<TypePattern>,
        /// `...`.
        variadic: bool,
        /// Of member functions.
        qualifiers: Qualifiers,
        /// Of member functions.
        reference: RefQualifier,
    },
    /// `T C::*`.
    MemberPointer {
        /// The class.
        class: Box<TypePattern>,
        /// What it points to.
        pointee: Box<TypePattern>,
    },
    /// A specialisation of a class template that is named.
    Specialisation {
        /// Where the template is declared.
        scope: Scope,
        /// The template.
        name: Name,
        /// The arguments.
        arguments: Vec<ArgumentPattern>,
    },
    /// A specialisation of a template template parameter.
    ParameterSpecialisation {
        /// Level.
        depth: u32,
        /// Place.
        index: u32,
        /// The arguments.
        arguments: Vec<ArgumentPattern>,
    },
    /// `typename T::name`, with arguments if it is a template.
    Member {
        /// What stands before `::`.
        of: Box<TypePattern>,
        /// What stands behind.
        name: Name,
        /// Its arguments.
        arguments: Option<Vec<ArgumentPattern>>,
    },
    /// `decltype(e)`.
    Decltype(Box<ExpressionPattern>),
    /// `T...`.
    Expansion(Box<TypePattern>),
    /// `auto` and `decltype(auto)` of a result that was deduced.
    Auto {
        /// Of `decltype(auto)`.
        decltype: bool,
    },
}

/// A template argument with parameters in it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ArgumentPattern {
    /// A type.
    Type(TypePattern),
    /// A value.
    Value(ExpressionPattern),
    /// An argument without any parameter in it.
    Known(TemplateArgument),
    /// A template template parameter.
    Template {
        /// Level.
        depth: u32,
        /// Place.
        index: u32,
    },
    /// Arguments of a pack.
    Pack(Vec<ArgumentPattern>),
}

/// An expression with parameters in it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ExpressionPattern {
    /// The value of a parameter.
    Parameter {
        /// Level.
        depth: u32,
        /// Place.
        index: u32,
    },
    /// A literal of a type.
    Literal(QualifiedType, i128),
    /// An operator by its mangled code (`pl`, `ne`, `cl`, …) and operands.
    Operator(&'static str, Vec<ExpressionPattern>),
    /// A conversion or construction `T(e…)`: with `list`, `T{e…}`.
    Convert {
        /// To what.
        to: Box<TypePattern>,
        /// From what.
        operands: Vec<ExpressionPattern>,
        /// With braces.
        list: bool,
    },
    /// `static_cast<T>(e)` and its kin, by mangled code (`sc`, `rc`, `cc`, `dc`).
    Cast(&'static str, Box<TypePattern>, Box<ExpressionPattern>),
    /// `sizeof(T)`, `alignof(T)`, `noexcept`… of a type, by mangled code (`st`, `at`).
    OfType(&'static str, Box<TypePattern>),
    /// `sizeof...(P)`.
    PackSize {
        /// Level.
        depth: u32,
        /// Place.
        index: u32,
    },
    /// `T::name`.
    Member {
        /// What stands before `::`.
        of: Box<TypePattern>,
        /// What stands behind.
        name: Name,
        /// Its arguments.
        arguments: Option<Vec<ArgumentPattern>>,
    },
    /// `e.name`, `e->name`.
    Access {
        /// The object.
        object: Box<ExpressionPattern>,
        /// With `->`.
        arrow: bool,
        /// The member.
        name: Name,
        /// Its arguments.
        arguments: Option<Vec<ArgumentPattern>>,
    },
    /// A name that is looked up when the arguments are known (or `T::name` not of a class).
    Unresolved {
        /// The name.
        name: FunctionName,
        /// Its arguments.
        arguments: Option<Vec<ArgumentPattern>>,
    },
    /// A function's parameter in its own signature.
    FunctionParameter(u32),
    /// `e...`.
    Expansion(Box<ExpressionPattern>),
    /// A value of a variable template or concept: its name and arguments.
    VariableTemplate {
        /// Where it is declared.
        scope: Scope,
        /// The template.
        name: Name,
        /// The arguments.
        arguments: Vec<ArgumentPattern>,
    },
}
