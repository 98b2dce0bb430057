//! What names stand for, and what semantic analysis knows of classes, functions and variables beyond the typed program.

use std::rc::Rc;

use super::exception::ExceptionSource;
use super::execution_space::DerivedSpace;
use super::scope::{Access, ScopeId};
use super::template::{GivenArguments, TemplateId, UnboundParameter};
use crate::hir::{
    BuiltinId, ClassId, Constant, EnumId, ExpressionId, FieldIndex, FunctionId, QualifiedType, TemplateArgument,
    VariableId,
};
use crate::source::{Span, Symbol};
use crate::syntax::ast;

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident;)*) => { $(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub(crate) u32);
    )* };
}
ids! {
    /// A value bound to a template parameter: [`BoundValue`].
    ValueId;
    /// What a parameter pack stands for: a list of entities.
    PackId;
    /// A member of an anonymous union or struct: [`IndirectField`].
    IndirectFieldId;
}

/// What a name stands for. Overloaded functions are several declarations of one name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entity {
    /// A namespace, or an alias of one: its scope.
    Namespace(ScopeId),
    /// A class by its own name (also injected).
    Class(ClassId),
    /// An enumeration by its own name.
    Enum(EnumId),
    /// A typedef, an alias, or the type bound to a template parameter.
    Typedef(QualifiedType),
    /// A function; also constructors that a using declaration names.
    Function(FunctionId),
    /// A template of any kind.
    Template(TemplateId),
    /// A variable, parameter or static data member.
    Variable(VariableId),
    /// A non-static data member.
    Field(ClassId, FieldIndex),
    /// A member of an anonymous union or struct in a class.
    IndirectField(IndirectFieldId),
    /// An enumerator, by its place.
    Enumerator(EnumId, u32),
    /// The value bound to a template parameter.
    Value(ValueId),
    /// A parameter pack: its elements are entities. Only to be named in a pack expansion and `sizeof...`.
    Pack(PackId),
    /// An lvalue that a name is another word for: a structured binding, a member of an anonymous union that is a variable.
    Alias(ExpressionId),
    /// A parameter that is not bound. Only while a template's header or signature is read; makes what names it dependent.
    Parameter(UnboundParameter),
    /// A compiler builtin.
    Builtin(BuiltinId),
    /// A name declared by a declaration in error: uses are silent.
    Error,
}

impl Entity {
    /// Whether it names a type.
    pub const fn is_type(self) -> bool {
        matches!(self, Entity::Class(_) | Entity::Enum(_) | Entity::Typedef(_))
    }
    /// Whether it is the name of a class or enumeration, which other entities of the same scope hide ([basic.scope.hiding]/2).
    pub const fn is_tag(self) -> bool {
        matches!(self, Entity::Class(_) | Entity::Enum(_))
    }
}

/// A value bound to a template parameter.
#[derive(Clone, Debug)]
pub struct BoundValue {
    /// The parameter's type; a reference if it is of reference type.
    pub ty: QualifiedType,
    /// The value; of references the address.
    pub value: Constant,
}

/// A member of an anonymous union or struct, seen from a class around it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndirectField {
    /// The class in whose scope the name is.
    pub class: ClassId,
    /// The way to it: fields of `class`, of its type, and so on. At least two.
    pub path: Vec<FieldIndex>,
}

/// A direct base class with what look-up must know.
#[derive(Clone, Copy, Debug)]
pub struct BaseInfo {
    /// The class.
    pub class: ClassId,
    /// The access of the base.
    pub access: Access,
    /// `virtual`.
    pub is_virtual: bool,
    /// It depends on the parameters of the template that the class was made from: names without qualification are not looked for in it ([temp.dep.type]).
    pub is_dependent: bool,
    /// Where it is written.
    pub span: Span,
}

/// How far a class is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClassState {
    /// Its name alone; a specialisation may become complete by instantiation.
    Declared,
    /// Its definition is being read.
    InProgress,
    /// Complete.
    Complete,
    /// Its definition was in error; what is there is there.
    Failed,
}

/// What a field has beyond [`hir::Field`].
#[derive(Clone, Debug)]
pub struct FieldInfo<'a> {
    /// Its name.
    pub name: Option<Symbol>,
    /// Its access.
    pub access: Access,
    /// Its default member initialiser, elaborated by each constructor that needs it.
    pub initialiser: Option<&'a ast::Initializer>,
}

/// The classes and functions that a class lets in ([class.friend]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Friend {
    /// A class.
    Class(ClassId),
    /// A function.
    Function(FunctionId),
    /// All specialisations of a template.
    Template(TemplateId),
    /// The members of one name of all instances of a class template.
    Member {
        /// The class template.
        template: TemplateId,
        /// The name.
        member: Symbol,
    },
}

/// The template and arguments that an entity was made from.
#[derive(Clone, Debug)]
pub struct Instance {
    /// The template.
    pub template: TemplateId,
    /// All arguments, packs as packs.
    pub arguments: Rc<[TemplateArgument]>,
    /// An explicit specialisation: written, not made.
    pub explicit: bool,
}

/// What is known of a class beyond [`hir::Class`].
#[derive(Clone, Debug)]
pub struct ClassInfo<'a> {
    /// Its name.
    pub name: Option<Symbol>,
    /// The scope of its members.
    pub scope: ScopeId,
    /// How far it is.
    pub state: ClassState,
    /// The definition's syntax.
    pub syntax: Option<ast::Id<ast::Class>>,
    /// The template that it was made from.
    pub instance: Option<Instance>,
    /// The direct bases in order.
    pub bases: Vec<BaseInfo>,
    /// How many classes stand above it on the longest way up its bases.
    pub base_depth: usize,
    /// What each field has beyond the typed program, in the same order.
    pub fields: Vec<FieldInfo<'a>>,
    /// The constructors, implicit ones included (complete classes only), and constructor templates; inherited ones are in `inherited_constructors`.
    pub constructors: Vec<Candidate>,
    /// Constructors of bases that a using declaration brings in.
    pub inherited_constructors: Vec<Candidate>,
    /// The destructor; `None` while it is implicit and trivial.
    pub destructor: Option<FunctionId>,
    /// Its own conversion functions and templates of such.
    pub conversions: Vec<Candidate>,
    /// Whom it lets in.
    pub friends: Vec<Friend>,
    /// A user has declared a constructor (also deleted or defaulted).
    pub has_declared_constructor: bool,
    /// It has, or inherits, a virtual function.
    pub polymorphic: bool,
    /// It has a pure virtual function without final overrider.
    pub abstract_because: Option<FunctionId>,
    /// It is an anonymous union or struct, or a closure type.
    pub anonymous: bool,
    /// The function whose body it is local to.
    pub local_to: Option<FunctionId>,
    /// Of a member class of a template's instance: its definition, to be read when it is needed.
    pub pending: Option<ast::Id<ast::Class>>,
    /// The partial specialisation that it was made from.
    pub partial: Option<usize>,
    /// Friend functions and templates that its declarations name: argument-dependent look-up finds them.
    pub hidden_friends: Vec<(Symbol, Callable)>,
    /// Classes that name it as a friend.
    pub befriended_by: Vec<ClassId>,
    /// Its special members, by [`SpecialMember`].
    pub specials: [super::class::SpecialInfo; 6],
    /// All implicit members have functions.
    pub implicit_declared: bool,
}

/// Where the definition of a function comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Definition {
    /// There is none (yet).
    None,
    /// Syntax that is not elaborated yet.
    Syntax {
        /// What.
        definition: ast::Id<ast::FunctionDefinition>,
        /// The scope that its declarator is read in.
        scope: ScopeId,
    },
    /// Of the call operator of a generic lambda: the body of the lambda, which is elaborated when the operator is called or its result is asked for. A
    /// candidate that is not chosen need not be right.
    Lambda {
        /// Its place among the lambdas.
        index: u32,
        /// The scope of its parameters.
        scope: ScopeId,
    },
    /// A defaulted special member: made on demand.
    Implicit,
    /// Being elaborated.
    InProgress,
    /// In the typed program.
    Done,
    /// Elaborated with errors.
    Failed,
}

/// A default argument ([dcl.fct.default]).
#[derive(Clone, Copy, Debug)]
pub enum DefaultArgument {
    /// None.
    None,
    /// Not elaborated yet: where it is to be read.
    Syntax(ast::Id<ast::Expression>, ScopeId),
    /// Being elaborated.
    InProgress,
    /// In error.
    Failed,
}

/// The special member functions ([special]).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum SpecialMember {
    DefaultConstructor,
    CopyConstructor,
    MoveConstructor,
    CopyAssignment,
    MoveAssignment,
    Destructor,
}

/// What is known of a function beyond [`hir::Function`].
#[derive(Clone, Debug)]
pub struct FunctionInfo {
    /// The symbol it is declared by: `operator+` for operators, the class's name for constructors.
    pub name: Symbol,
    /// The scope it is declared in (of members the class's scope, of friends defined in a class the class's, too).
    pub scope: ScopeId,
    /// The class it is a member of.
    pub class: Option<ClassId>,
    /// Its access.
    pub access: Access,
    /// The default arguments.
    pub defaults: Vec<DefaultArgument>,
    /// Names of the parameters, for messages.
    pub parameter_names: Vec<Option<Symbol>>,
    /// Its body.
    pub definition: Definition,
    /// Where it is called from, if that makes its execution space.
    pub derived_space: DerivedSpace,
    /// The bodies to be elaborated later have it queued already.
    pub queued: bool,
    /// Which special member it is.
    pub special: Option<SpecialMember>,
    /// Provided by the user: declared, and not defaulted at its first declaration ([dcl.fct.def.default]/5).
    pub user_provided: bool,
    /// The template it was made from.
    pub instance: Option<Instance>,
    /// The member of a class template's instance whose definition is to be found outside of the class.
    pub outside_definition: Option<TemplateId>,
    /// Where it is said whether the function throws.
    pub exceptions: ExceptionSource,
    /// The condition of a trailing requires-clause of a function that is no template.
    pub constraint: Option<(ast::Id<ast::Expression>, ScopeId)>,
    /// `[[nodiscard]]`.
    pub nodiscard: bool,
    /// `[[deprecated]]`.
    pub deprecated: bool,
    /// Of inheriting constructors: the base's.
    pub inherits: Option<FunctionId>,
    /// When it was first declared.
    pub order: u32,
    /// When its definition stood, which bounds look-up from its body.
    pub body_order: u32,
    /// `friend` functions that only argument-dependent look-up finds.
    pub friend_of: Option<ClassId>,
    /// `consteval`.
    pub is_consteval: bool,
    /// The scope of the parameters of its definition, once its declarator has been read.
    pub body_scope: Option<ScopeId>,
    /// The result as declared, where it was deduced.
    pub declared_result: Option<QualifiedType>,
    /// `override`.
    pub is_override: bool,
    /// `final`.
    pub is_final: bool,
    /// How many bodies led to its use, one from another.
    pub depth: usize,
    /// An explicit specialisation stands in for the template.
    pub explicitly_specialised: bool,
    /// Defaulted outside of its class: provided by the user.
    pub defaulted_outside: bool,
}

impl FunctionInfo {
    /// Whether a defaulted function counts as provided by the user, as it was defaulted after its first declaration.
    pub fn user_provided_after(&self) -> bool {
        self.defaulted_outside
    }
}

/// What is known of a variable beyond [`hir::Variable`].
#[derive(Clone, Copy, Debug)]
pub struct VariableInfo<'a> {
    /// Its name.
    pub name: Option<Symbol>,
    /// The class it is a static member of.
    pub class: Option<ClassId>,
    /// An initialiser that is elaborated on demand (static members of templates), and its scope.
    pub pending: Option<(PendingVariable<'a>, ScopeId)>,
    /// A constant value is known, or can be asked for, in constant expressions.
    pub usable_in_constants: bool,
    /// It is `constexpr` or a `const` with an initialiser.
    pub defined: bool,
    /// When it was declared.
    pub order: u32,
    /// The kernel or device function that it is a local of; the depth of the lambda in which it is declared is S2's.
    pub function: Option<FunctionId>,
    /// How often it is named, other than by statements that only write it.
    pub references: u32,
    /// How many statements only write it.
    pub sets: u32,
    /// `[[maybe_unused]]`.
    pub maybe_unused: bool,
}

/// A static member or variable template whose type and initialiser wait.
#[derive(Clone, Copy, Debug)]
pub struct PendingVariable<'a> {
    /// The specifiers.
    pub specifiers: ast::Id<ast::Specifiers>,
    /// The declarator with the initialiser.
    pub declarator: &'a ast::InitDeclarator,
}

/// A function or function template that a call may choose.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Callable {
    /// A function.
    Function(FunctionId),
    /// A function template.
    Template(TemplateId),
}

/// A candidate for overload resolution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// What.
    pub callable: Callable,
    /// The access of the member, or of the using declaration that names it, as seen in the naming class.
    pub access: Access,
    /// The class through which it was named, which access is checked against.
    pub naming: Option<ClassId>,
    /// The class into which a using declaration brings it: for overloading it is a member of the object's class ([over.match.funcs]/4), and access is that of the
    /// using declaration ([namespace.udecl]/19).
    pub through_using: Option<ClassId>,
}

impl Candidate {
    /// A candidate without access restrictions.
    pub const fn new(callable: Callable) -> Candidate {
        Candidate {
            callable,
            access: Access::Public,
            naming: None,
            through_using: None,
        }
    }
}

/// What look-up of a name found.
#[derive(Clone, Debug)]
pub enum Found {
    /// Nothing. No message has been given.
    Nothing,
    /// A message has been given: go on in silence.
    Error,
    /// A namespace.
    Namespace(ScopeId),
    /// A type.
    Type(QualifiedType),
    /// A class, alias or variable template without arguments.
    Template(TemplateId),
    /// Functions and function templates, in order of declaration.
    Functions(Vec<Candidate>),
    /// A variable, parameter or static data member.
    Variable(VariableId),
    /// A non-static data member of a class, by the way through anonymous members.
    Field(ClassId, Vec<FieldIndex>),
    /// An enumerator.
    Enumerator(EnumId, u32),
    /// The value of a template parameter.
    Value(ValueId),
    /// A pack that is not being expanded.
    Pack(PackId),
    /// An lvalue: a structured binding and the like. May be used any number of times.
    Alias(ExpressionId),
    /// A parameter that has no argument yet: the expression is dependent.
    Parameter,
}

/// The result of looking a name up.
#[derive(Clone, Debug)]
pub struct Lookup<'a> {
    /// What was found.
    pub found: Found,
    /// Template arguments written after the name, still to be matched with parameters. Class, alias and variable templates are resolved already.
    pub arguments: Option<GivenArguments<'a>>,
    /// The name was qualified (`N::f`, `B::f`, `::f`): no argument-dependent look-up, no virtual call.
    pub qualified: bool,
    /// Argument-dependent look-up is to be added for a call: the name is unqualified, and what was found is no member, no local declaration, no variable.
    pub adl: bool,
    /// The member was found in this class or a base of it.
    pub naming: Option<ClassId>,
    /// The class whose own member was found.
    pub member_of: Option<ClassId>,
    /// Direct bases leading from the naming class to that class.
    pub path: Vec<ClassId>,
    /// Access of the member in the class that has it.
    pub access: Access,
    /// Where what was found is declared.
    pub declared: Span,
}

impl<'a> Lookup<'a> {
    /// A result with nothing special.
    pub fn new(found: Found) -> Lookup<'a> {
        Lookup {
            found,
            arguments: None,
            qualified: false,
            adl: false,
            naming: None,
            member_of: None,
            path: Vec::new(),
            access: Access::Public,
            declared: Span::NONE,
        }
    }
    /// Whether nothing was found.
    pub fn is_nothing(&self) -> bool {
        matches!(self.found, Found::Nothing)
    }
}
