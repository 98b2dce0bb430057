//! Declarations (\[dcl.dcl\], \[class\], \[temp\]).

use super::{
    AsmStatement, Attributes, Declarator, Expression, Handler, Id, List, Name, Parameter, QualifiedName,
    ReferenceQualifier, Span, Specifiers, Statement, TypeId,
};

/// A declaration.
#[derive(Clone, Debug)]
pub struct Declaration {
    /// What it is.
    pub kind: DeclarationKind,
    /// Its tokens, the `;` included.
    pub span: Span,
}

/// What a declaration is.
#[derive(Clone, Debug)]
pub enum DeclarationKind {
    /// `;`.
    Empty,
    /// Variables, functions without body, typedefs, data members, and classes and enumerations alone (no declarators). `friend class X;` has the friend
    /// specifier and no declarators.
    Simple {
        /// The specifiers, shared by all declarators.
        specifiers: Id<Specifiers>,
        /// The declarators.
        declarators: List<InitDeclarator>,
    },
    /// A function definition, defaulted and deleted ones included.
    Function(Id<FunctionDefinition>),
    /// `auto [a, b] = …;`.
    StructuredBinding {
        /// The specifiers.
        specifiers: Id<Specifiers>,
        /// `&`, `&&` or none.
        reference: ReferenceQualifier,
        /// The names, each with its token.
        names: List<(Name, Span)>,
        /// The initialiser; none only in range-for.
        initializer: Option<Initializer>,
    },
    /// `namespace a::b { … }`: nested ones are nested nodes.
    Namespace {
        /// `inline`.
        is_inline: bool,
        /// The name; `None` is unnamed.
        name: Option<Name>,
        /// Attributes.
        attributes: Attributes,
        /// What is in it.
        declarations: List<Id<Declaration>>,
    },
    /// `namespace a = b::c;`.
    NamespaceAlias {
        /// The new name.
        name: Name,
        /// The namespace.
        target: Id<QualifiedName>,
    },
    /// `using namespace a;`.
    UsingDirective {
        /// The namespace.
        namespace: Id<QualifiedName>,
    },
    /// `using a::b, typename c::d...;`.
    UsingDeclaration {
        /// Each name: whether `typename` stands before it, the name, whether `...` follows.
        names: List<(bool, Id<QualifiedName>, bool)>,
    },
    /// `using enum E;`.
    UsingEnum {
        /// The enumeration.
        name: Id<QualifiedName>,
    },
    /// `using X = T;`; an alias template is one in a [`DeclarationKind::Template`].
    Alias {
        /// The new name.
        name: Name,
        /// Its token.
        name_span: Span,
        /// Attributes.
        attributes: Attributes,
        /// The type.
        type_id: Id<TypeId>,
    },
    /// `extern "C"`.
    Linkage {
        /// Whether the language is C rather than C++.
        is_c: bool,
        /// Whether there are braces: without, `extern` counts as if written on the one declaration.
        braced: bool,
        /// The declarations.
        declarations: List<Id<Declaration>>,
    },
    /// `static_assert(condition, "message");`.
    StaticAssert {
        /// The condition.
        condition: Id<Expression>,
        /// The message: a string literal.
        message: Option<Id<Expression>>,
    },
    /// `concept C = condition;`, in a template.
    Concept {
        /// The name.
        name: Name,
        /// Its token.
        name_span: Span,
        /// The constraint.
        condition: Id<Expression>,
    },
    /// `template <…> declaration`: a template, or a partial specialisation if the name declared has template arguments.
    Template {
        /// The parameters; never empty unless there was an error.
        parameters: List<Id<super::TemplateParameter>>,
        /// The condition of the requires-clause behind them.
        requires: Option<Id<Expression>>,
        /// What is declared: simple, function, alias, deduction guide, or a template again (a member template defined outside).
        declaration: Id<Declaration>,
    },
    /// `template <> declaration`.
    ExplicitSpecialization {
        /// What is declared; may be a template again.
        declaration: Id<Declaration>,
    },
    /// `template declaration`, `extern template declaration`.
    ExplicitInstantiation {
        /// Whether `extern`.
        is_extern: bool,
        /// What is declared.
        declaration: Id<Declaration>,
    },
    /// `X(parameters) -> X<…>;` (\[temp.deduct.guide\]).
    DeductionGuide {
        /// `explicit`.
        explicit: ExplicitSpecifier,
        /// The class template.
        name: Name,
        /// Its token.
        name_span: Span,
        /// The parameters.
        parameters: List<Id<Parameter>>,
        /// Whether `...` ends the list.
        is_variadic: bool,
        /// The type after `->`.
        result: Id<TypeId>,
        /// Attributes and CUDA specifiers.
        attributes: Attributes,
    },
    /// `asm("…");` at namespace scope.
    Asm(Id<AsmStatement>),
    /// Attributes alone: `[[fallthrough]];` is a statement, this one stands at namespace scope.
    Attributes(Attributes),
    /// What could not be read, with an error given already.
    Error,
}

/// A declarator with its initialiser, bit-field width or pure specifier.
#[derive(Clone, Debug)]
pub struct InitDeclarator {
    /// The declarator; an unnamed bit field has none of its own name.
    pub declarator: Id<Declarator>,
    /// The width of a bit field.
    pub bit_width: Option<Id<Expression>>,
    /// The initialiser, or the default member initialiser.
    pub initializer: Option<Initializer>,
    /// `= 0` of a virtual function.
    pub is_pure: bool,
    /// The tokens.
    pub span: Span,
}

/// An initialiser (\[dcl.init\]).
#[derive(Clone, Debug)]
pub enum Initializer {
    /// `= value`: copy-initialisation; the value may be an initialiser list.
    Equal(Id<Expression>),
    /// `(arguments)`: direct-initialisation.
    Parenthesized(List<Id<Expression>>),
    /// `{…}`: direct-list-initialisation; an [`super::ExpressionKind::InitializerList`].
    Braced(Id<Expression>),
}

/// A function with a body.
#[derive(Clone, Debug)]
pub struct FunctionDefinition {
    /// The specifiers.
    pub specifiers: Id<Specifiers>,
    /// The declarator; its first chunk is a function, except for errors.
    pub declarator: Id<Declarator>,
    /// Initialisers of bases and members.
    pub initializers: List<ConstructorInitializer>,
    /// The body.
    pub body: FunctionBody,
    /// Whether the body launches or names a kernel.
    pub launches: bool,
    /// The tokens.
    pub span: Span,
}

/// The body of a function.
#[derive(Clone, Debug)]
pub enum FunctionBody {
    /// A compound statement.
    Compound(Id<Statement>),
    /// `try { … } catch …`.
    Try {
        /// The block.
        body: Id<Statement>,
        /// The handlers.
        handlers: List<Handler>,
    },
    /// `= default`.
    Default,
    /// `= delete`.
    Delete,
    /// Read over without being parsed, or lost to an error.
    Skipped,
}

/// `member(arguments)`, `Base{…}` (\[class.base.init\]).
#[derive(Clone, Debug)]
pub struct ConstructorInitializer {
    /// The member or base.
    pub name: Id<QualifiedName>,
    /// Parenthesised or braced.
    pub initializer: Initializer,
    /// Whether `...` follows.
    pub pack_expansion: bool,
    /// The tokens.
    pub span: Span,
}

/// `explicit` (\[dcl.fct.spec\]).
#[derive(Clone, Copy, Debug, Default)]
pub enum ExplicitSpecifier {
    /// Not written.
    #[default]
    None,
    /// `explicit`.
    Always,
    /// `explicit(condition)`.
    If(Id<Expression>),
}

/// `class`, `struct` or `union`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ClassKey {
    /// `class`: members private by default.
    Class,
    /// `struct`.
    Struct,
    /// `union`.
    Union,
}

/// A class definition (\[class\]).
#[derive(Clone, Debug)]
pub struct Class {
    /// Which key.
    pub key: ClassKey,
    /// The name; with template arguments in a specialisation, qualified if defined outside. `None` is unnamed.
    pub name: Option<Id<QualifiedName>>,
    /// Attributes after the key.
    pub attributes: Attributes,
    /// `final`.
    pub is_final: bool,
    /// The greatest alignment of members that `#pragma pack(n)` allows here, in bytes.
    pub packing: Option<u32>,
    /// The bases.
    pub bases: List<BaseSpecifier>,
    /// The members in order, each with the access in force.
    pub members: List<Member>,
    /// The tokens, from the key to `}`.
    pub span: Span,
}

/// Access (\[class.access\]).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Access {
    /// `public`.
    Public,
    /// `protected`.
    Protected,
    /// `private`.
    Private,
}

/// A member declaration.
#[derive(Clone, Copy, Debug)]
pub struct Member {
    /// The access in force.
    pub access: Access,
    /// The declaration.
    pub declaration: Id<Declaration>,
}

/// A base (\[class.derived\]).
#[derive(Clone, Debug)]
pub struct BaseSpecifier {
    /// `virtual`.
    pub is_virtual: bool,
    /// The access written.
    pub access: Option<Access>,
    /// The type; its specifier is a name or `decltype`.
    pub type_id: Id<TypeId>,
    /// Whether `...` follows.
    pub pack_expansion: bool,
    /// The tokens.
    pub span: Span,
}

/// An enumeration (\[dcl.enum\]).
#[derive(Clone, Debug)]
pub struct Enum {
    /// `enum class`, `enum struct`.
    pub is_scoped: bool,
    /// The name; `None` is unnamed.
    pub name: Option<Id<QualifiedName>>,
    /// Attributes.
    pub attributes: Attributes,
    /// The underlying type.
    pub underlying: Option<Id<TypeId>>,
    /// The enumerators; `None` is an opaque declaration.
    pub enumerators: Option<List<Enumerator>>,
    /// The tokens.
    pub span: Span,
}

/// An enumerator.
#[derive(Clone, Debug)]
pub struct Enumerator {
    /// The name.
    pub name: Name,
    /// The value, if written.
    pub value: Option<Id<Expression>>,
    /// Attributes.
    pub attributes: Attributes,
    /// The tokens.
    pub span: Span,
}

/// A template parameter (\[temp.param\]).
#[derive(Clone, Debug)]
pub struct TemplateParameter {
    /// What it is.
    pub kind: TemplateParameterKind,
    /// The name.
    pub name: Option<Name>,
    /// The concept before it: `Concept T`. That of `Concept auto N` is in the specifiers of the parameter.
    pub constraint: Option<Id<QualifiedName>>,
    /// Whether it is a pack.
    pub pack: bool,
    /// The tokens.
    pub span: Span,
}

/// What a template parameter is.
#[derive(Clone, Debug)]
pub enum TemplateParameterKind {
    /// `typename T = default`.
    Type {
        /// The default argument.
        default: Option<Id<TypeId>>,
    },
    /// `int N = default`: name, pack and default are also in the parameter's declarator.
    NonType {
        /// The declaration.
        parameter: Id<Parameter>,
    },
    /// `template <…> class T = default`.
    Template {
        /// Its own parameters.
        parameters: List<Id<TemplateParameter>>,
        /// The default argument: a name of a template.
        default: Option<Id<QualifiedName>>,
    },
}
