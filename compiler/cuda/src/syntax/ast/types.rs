//! Types as written: specifiers, declarators, type-ids, parameters (\[dcl.spec\], \[dcl.decl\]).
//!
//! A declared type is built from the specifiers' base type by applying a declarator's chunks *from the last to the first*: the first chunk is the outermost
//! type constructor, the one nearest to the name. `int *a[3]` has the chunks `[Array 3, Pointer]`: an array of three pointers. `int (*f)(float)` has
//! `[Pointer, Function]`: a pointer to a function.

use super::{
    Attributes, Class, Enum, ExplicitSpecifier, Expression, Id, List, QualifiedName, Qualifier, Span, TypeTransform,
};

/// `const`, `volatile`, `__restrict__`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Qualifiers {
    /// `const`.
    pub is_const: bool,
    /// `volatile`.
    pub is_volatile: bool,
    /// `__restrict__`.
    pub is_restrict: bool,
    /// `_Atomic`, refused by name.
    pub is_atomic: bool,
}

impl Qualifiers {
    /// None of them.
    pub const NONE: Qualifiers = Qualifiers {
        is_const: false,
        is_volatile: false,
        is_restrict: false,
        is_atomic: false,
    };
}

/// A decl-specifier-seq or type-specifier-seq.
#[derive(Clone, Debug)]
pub struct Specifiers {
    /// `static`, `extern` and so on.
    pub storage: StorageClass,
    /// `thread_local`, `__thread`.
    pub thread_local: bool,
    /// `typedef`.
    pub is_typedef: bool,
    /// `friend`.
    pub is_friend: bool,
    /// `inline`.
    pub is_inline: bool,
    /// `virtual`.
    pub is_virtual: bool,
    /// `explicit`.
    pub explicit: ExplicitSpecifier,
    /// `constexpr`, `consteval`, `constinit`.
    pub constexpr: ConstexprKind,
    /// Qualifiers of the base type.
    pub qualifiers: Qualifiers,
    /// The base type.
    pub type_specifier: TypeSpecifier,
    /// The concept before `auto`.
    pub constraint: Option<Id<QualifiedName>>,
    /// Attributes before and among the specifiers: these belong to each entity declared.
    pub attributes: Attributes,
    /// The tokens; of an empty sequence, the token before which it stands.
    pub span: Span,
    /// The tokens of the type specifier alone.
    pub type_span: Span,
}

/// A storage class (\[dcl.stc\]).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum StorageClass {
    /// None written.
    #[default]
    None,
    /// `static`.
    Static,
    /// `extern`.
    Extern,
    /// `mutable`.
    Mutable,
    /// `register`.
    Register,
}

/// Which of the constant-evaluation specifiers is there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ConstexprKind {
    /// None.
    #[default]
    None,
    /// `constexpr`.
    Constexpr,
    /// `consteval`.
    Consteval,
    /// `constinit`.
    Constinit,
}

/// The type among the specifiers.
#[derive(Clone, Debug)]
pub enum TypeSpecifier {
    /// None: a constructor, destructor, conversion function or deduction guide.
    None,
    /// A fundamental type, all its words together.
    Builtin(BuiltinType),
    /// A name of a type; of a class template without arguments, to be deduced.
    Name {
        /// The name.
        name: Id<QualifiedName>,
        /// Whether `typename` stands before it.
        typename: bool,
    },
    /// `struct X`, `enum E`: an elaborated type specifier, or a forward declaration.
    ElaboratedClass {
        /// `class`, `struct` or `union`.
        key: super::ClassKey,
        /// The name.
        name: Id<QualifiedName>,
        /// Attributes after the key.
        attributes: Attributes,
    },
    /// `enum E`.
    ElaboratedEnum {
        /// The name.
        name: Id<QualifiedName>,
    },
    /// A class definition.
    Class(Id<Class>),
    /// An enumeration definition or opaque declaration.
    Enum(Id<Enum>),
    /// `auto`; `__auto_type`.
    Auto,
    /// `decltype(auto)`.
    DecltypeAuto,
    /// `decltype(expression)`.
    Decltype(Id<Expression>),
    /// `__typeof__(expression)`.
    TypeofExpression(Id<Expression>),
    /// `__typeof__(type)`.
    TypeofType(Id<TypeId>),
    /// `__underlying_type(T)` and others that make a type of a type.
    Transform {
        /// Which.
        transform: TypeTransform,
        /// The type.
        operand: Id<TypeId>,
    },
    /// `_Complex double`: a complex number of C, with the type of its parts.
    Complex(BuiltinType),
    /// What could not be read, with an error given already.
    Error,
}

/// A fundamental type (\[basic.fundamental\]).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "each is the type of its name; see `spelling`")]
pub enum BuiltinType {
    Void,
    Bool,
    Char,
    SignedChar,
    UnsignedChar,
    WideChar,
    Char8,
    Char16,
    Char32,
    Short,
    UnsignedShort,
    Int,
    UnsignedInt,
    Long,
    UnsignedLong,
    LongLong,
    UnsignedLongLong,
    Int128,
    UnsignedInt128,
    /// `_Float16`.
    Float16,
    /// `__bf16`.
    BFloat16,
    Float,
    Double,
    LongDouble,
    /// `__float128`, `_Float128`.
    Float128,
    /// `__builtin_va_list`.
    VaList,
}

impl BuiltinType {
    /// The usual spelling.
    #[rustfmt::skip]
    pub const fn spelling(self) -> &'static str {
        match self {
            BuiltinType::Void => "void", BuiltinType::Bool => "bool",
            BuiltinType::Char => "char", BuiltinType::SignedChar => "signed char", BuiltinType::UnsignedChar => "unsigned char",
            BuiltinType::WideChar => "wchar_t", BuiltinType::Char8 => "char8_t", BuiltinType::Char16 => "char16_t", BuiltinType::Char32 => "char32_t",
            BuiltinType::Short => "short", BuiltinType::UnsignedShort => "unsigned short",
            BuiltinType::Int => "int", BuiltinType::UnsignedInt => "unsigned int",
            BuiltinType::Long => "long", BuiltinType::UnsignedLong => "unsigned long",
            BuiltinType::LongLong => "long long", BuiltinType::UnsignedLongLong => "unsigned long long",
            BuiltinType::Int128 => "__int128", BuiltinType::UnsignedInt128 => "unsigned __int128",
            BuiltinType::Float16 => "_Float16", BuiltinType::BFloat16 => "__bf16",
            BuiltinType::Float => "float", BuiltinType::Double => "double", BuiltinType::LongDouble => "long double", BuiltinType::Float128 => "__float128",
            BuiltinType::VaList => "__builtin_va_list",
        }
    }
}

/// A declarator, with or without a name (\[dcl.meaning\]).
#[derive(Clone, Debug)]
pub struct Declarator {
    /// The name declared; `None` in abstract declarators.
    pub name: Option<Id<QualifiedName>>,
    /// Type constructors, from the name outwards (see the module's text).
    pub chunks: List<DeclaratorChunk>,
    /// Whether `...` stands before the name: a parameter pack.
    pub pack: bool,
    /// Attributes after the name or after the whole declarator.
    pub attributes: Attributes,
    /// `__asm__("label")`.
    pub asm_label: Option<Box<str>>,
    /// The tokens; of an empty declarator, the token before which it stands.
    pub span: Span,
}

impl Declarator {
    /// The function chunk, if the declarator declares a function: its first chunk is one.
    pub fn function(&self) -> Option<&FunctionDeclarator> {
        match self.chunks.first() {
            Some(DeclaratorChunk::Function(function)) => Some(function),
            _ => None,
        }
    }
}

/// One type constructor of a declarator.
#[derive(Clone, Debug)]
pub enum DeclaratorChunk {
    /// `*`.
    Pointer {
        /// Qualifiers of the pointer itself.
        qualifiers: Qualifiers,
    },
    /// `&`.
    LvalueReference {
        /// `__restrict__` after it.
        is_restrict: bool,
    },
    /// `&&`: a reference to an rvalue, or a forwarding reference.
    RvalueReference {
        /// `__restrict__` after it.
        is_restrict: bool,
    },
    /// `C::*`.
    MemberPointer {
        /// Whether the class's name begins with `::`.
        global: bool,
        /// The class: the parts before the `::*`.
        class: List<Qualifier>,
        /// Qualifiers of the pointer itself.
        qualifiers: Qualifiers,
    },
    /// `[size]`.
    Array {
        /// The number of elements; `None` is unknown, or to be deduced from the initialiser.
        size: Option<Id<Expression>>,
        /// The tokens from `[` to `]`.
        span: Span,
    },
    /// `(parameters)` and what follows them.
    Function(Box<FunctionDeclarator>),
}

/// The function part of a declarator, also of a lambda.
#[derive(Clone, Debug)]
pub struct FunctionDeclarator {
    /// The parameters. `(void)` has none.
    pub parameters: List<Id<Parameter>>,
    /// Whether `...` ends the list.
    pub is_variadic: bool,
    /// `const`, `volatile` of a member function.
    pub qualifiers: Qualifiers,
    /// `&` or `&&` of a member function.
    pub reference: ReferenceQualifier,
    /// `noexcept` or `throw()`.
    pub exception: ExceptionSpecification,
    /// The type after `->`.
    pub trailing_return: Option<Id<TypeId>>,
    /// The condition of a trailing requires-clause.
    pub requires: Option<Id<Expression>>,
    /// `override`.
    pub is_override: bool,
    /// `final`.
    pub is_final: bool,
    /// Attributes after the parameter list: of the function type, CUDA's specifiers included.
    pub attributes: Attributes,
    /// The tokens from `(` to the end.
    pub span: Span,
}

/// The reference qualifier of a member function.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ReferenceQualifier {
    /// None.
    #[default]
    None,
    /// `&`.
    Lvalue,
    /// `&&`.
    Rvalue,
}

/// An exception specification (\[except.spec\]).
#[derive(Clone, Copy, Debug, Default)]
pub enum ExceptionSpecification {
    /// None written.
    #[default]
    None,
    /// `noexcept`, `throw()`.
    Noexcept,
    /// `noexcept(condition)`.
    NoexceptIf(Id<Expression>),
    /// `throw(types)`, of old.
    Dynamic,
}

/// A parameter of a function or lambda, or a non-type template parameter.
#[derive(Clone, Debug)]
pub struct Parameter {
    /// The specifiers, attributes included.
    pub specifiers: Id<Specifiers>,
    /// The declarator, maybe without a name.
    pub declarator: Id<Declarator>,
    /// The default argument.
    pub default: Option<Id<Expression>>,
    /// The tokens.
    pub span: Span,
}

/// A type-id (\[dcl.name\]): specifiers and an abstract declarator.
#[derive(Clone, Debug)]
pub struct TypeId {
    /// The specifiers.
    pub specifiers: Id<Specifiers>,
    /// The abstract declarator.
    pub declarator: Id<Declarator>,
    /// The tokens.
    pub span: Span,
}
