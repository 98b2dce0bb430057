//! Types as templates write them: with parameters, not yet replaced. Only mangled names need them here: the name of a specialisation spells its template's
//! signature (Itanium C++ ABI 5.1.4). Semantic analysis uses them for deduction and partial ordering, and to tell templates apart.

use super::{
    Constant, Name, OperatorName, QualifiedType, Qualifiers, RefQualifier, Scope, TemplateArgument, TypeId, VariableId,
};

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
        /// The condition of `noexcept`.
        noexcept: Option<Box<ExpressionPattern>>,
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
        /// The arguments; those of a pack are in line.
        arguments: Vec<ArgumentPattern>,
        /// The place of the template's pack among its parameters.
        pack: Option<u32>,
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
    /// `__underlying_type(T)` and others, by name.
    Transform(&'static str, Box<TypePattern>),
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
    /// A value without any parameter in it, for a parameter whose type has some, as in `template<class T, T v> struct U; template<class T> void f(U<T, -1>);`: it has
    /// no type yet, so that symbols say how it is written (`XngLi1EE`). Literals and variables are [`ArgumentPattern::Known`].
    Untyped(Box<UntypedValue>),
    /// A template template parameter.
    Template {
        /// Level.
        depth: u32,
        /// Place.
        index: u32,
    },
    /// An expansion of a pack of template template parameters, `Cs...`.
    TemplateExpansion {
        /// Level.
        depth: u32,
        /// Place.
        index: u32,
    },
    /// Arguments of a pack.
    Pack(Vec<ArgumentPattern>),
}

/// A value for a parameter whose type depends on others.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct UntypedValue {
    /// The parameter's type.
    pub parameter: TypePattern,
    /// The value, of the type that the expression has.
    pub value: TemplateArgument,
    /// The expression.
    pub written: ExpressionPattern,
}

impl UntypedValue {
    /// The argument where the parameter's type has become this one.
    pub fn retyped(&self, parameter: TypePattern) -> ArgumentPattern {
        match (parameter, &self.value) {
            (TypePattern::Type(ty), TemplateArgument::Value(_, value)) => {
                ArgumentPattern::Known(TemplateArgument::Value(ty, value.clone()))
            }
            (parameter, _) => ArgumentPattern::Untyped(Box::new(UntypedValue {
                parameter,
                ..self.clone()
            })),
        }
    }
}

/// An expression with parameters in it: its structure, in which names are resolved as far as they can be before the parameters are known. Two expressions of
/// templates are equivalent ([temp.over.link]/5) if their patterns are equal; where they are written plays no part.
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
    /// Another constant: of a floating type, a pointer, `nullptr`.
    Constant(QualifiedType, Constant),
    /// A string literal: the elements and their type.
    Text(Vec<u32>, TypeId),
    /// A variable, by itself; of a constant with its type and value.
    Variable(VariableId, Option<(QualifiedType, i128)>),
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
    /// `static_cast<T>(e)` and its kin, by mangled code (`sc`, `rc`, `cc`, `dc`, `cv`).
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
    /// `sizeof...` of arguments that an alias template's pack stands for.
    ArgumentCount(Vec<ArgumentPattern>),
    /// `T::name`.
    Member {
        /// What stands before `::`.
        of: Box<TypePattern>,
        /// What stands behind.
        name: NamePattern,
        /// Its arguments.
        arguments: Option<Vec<ArgumentPattern>>,
    },
    /// `e.name`, `e->name`.
    Access {
        /// The object.
        object: Box<ExpressionPattern>,
        /// With `->`.
        arrow: bool,
        /// What stands before `::`, if the member is qualified.
        of: Option<Box<TypePattern>>,
        /// The member.
        name: NamePattern,
        /// Its arguments.
        arguments: Option<Vec<ArgumentPattern>>,
    },
    /// A name that is looked up, or an overload chosen, when the arguments are known.
    Unresolved {
        /// Where, if it is qualified.
        scope: Option<Scope>,
        /// Whether it begins with `::`.
        global: bool,
        /// The name.
        name: NamePattern,
        /// Its arguments.
        arguments: Option<Vec<ArgumentPattern>>,
    },
    /// `this`.
    This,
    /// A function's parameter in its own declaration.
    FunctionParameter {
        /// How many parameter lists are open around the use, up to the one that declares it.
        level: u32,
        /// Place in its list.
        index: u32,
    },
    /// `e...`.
    Expansion(Box<ExpressionPattern>),
    /// `(e op ...)` and its kin, by mangled code (`fl`, `fr`, `fL`, `fR`), the code of the operator, and the operands in the order written.
    Fold(&'static str, &'static str, Vec<ExpressionPattern>),
    /// A value of a variable template: its name and arguments.
    VariableTemplate {
        /// Where it is declared.
        scope: Scope,
        /// The template.
        name: Name,
        /// The arguments.
        arguments: Vec<ArgumentPattern>,
    },
    /// Whether arguments satisfy a concept.
    Concept {
        /// Where it is declared.
        scope: Scope,
        /// The concept.
        name: Name,
        /// The arguments.
        arguments: Vec<ArgumentPattern>,
    },
    /// `new (placement…) T(e…)`.
    New {
        /// Mangled code: `nw`, `na`, `gsnw`, `gsna`.
        code: &'static str,
        /// Placement arguments.
        placement: Vec<ExpressionPattern>,
        /// What is made.
        to: Box<TypePattern>,
        /// The initialiser; with braces, it is one [`ExpressionPattern::List`].
        initialiser: Option<Vec<ExpressionPattern>>,
    },
    /// `{e…}`.
    List(Vec<ExpressionPattern>),
    /// A compiler's own trait by its name.
    Trait(&'static str, Vec<ArgumentPattern>),
    /// A requires-expression.
    Requires {
        /// The types of its parameters.
        parameters: Vec<TypePattern>,
        /// What is required.
        requirements: Vec<RequirementPattern>,
    },
    /// What is equal to nothing but itself, as lambda expressions are: by its place in the syntax tree.
    Distinct(u32),
}

/// A name in an expression with parameters in it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum NamePattern {
    /// `name`.
    Identifier(Name),
    /// `operator+`.
    Operator(OperatorName),
    /// `operator T`.
    Conversion(Box<TypePattern>),
    /// `operator""_x`.
    Literal(Name),
    /// `~T`.
    Destructor(Box<TypePattern>),
}

/// A requirement of a requires-expression.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum RequirementPattern {
    /// An expression, whether it must not throw, and the concept that its type has to be of.
    Expression(ExpressionPattern, bool, Option<ExpressionPattern>),
    /// A type.
    Type(TypePattern),
    /// A condition.
    Nested(ExpressionPattern),
}

impl ExpressionPattern {
    /// What nothing is known of: of syntax in error.
    pub fn unknown() -> ExpressionPattern {
        ExpressionPattern::named("dependent")
    }
    /// An unqualified name.
    pub fn named(name: &str) -> ExpressionPattern {
        ExpressionPattern::Unresolved {
            scope: None,
            global: false,
            name: NamePattern::Identifier(Name::from(name)),
            arguments: None,
        }
    }
}
