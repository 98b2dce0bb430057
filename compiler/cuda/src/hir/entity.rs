//! What has a name, or could have: namespaces, classes, enumerations, functions, variables.

use super::pattern::{TemplateSignature, TypePattern};
use super::{
    ClassId, Constant, ExpressionId, FieldIndex, FunctionId, Name, NamespaceId, QualifiedType, Span, StatementId,
    TypeId, VariableId,
};

/// Where an entity is a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scope {
    /// The global namespace or another.
    Namespace(NamespaceId),
    /// A class.
    Class(ClassId),
    /// A function's body: a local entity.
    Function(FunctionId),
}

/// A namespace.
#[derive(Clone, Debug)]
pub struct Namespace {
    /// `None` for the global namespace and for unnamed ones.
    pub name: Option<Name>,
    /// The enclosing namespace; `None` for the global one.
    pub parent: Option<NamespaceId>,
    /// `inline namespace`.
    pub inline: bool,
}

/// The template of which an entity is a specialisation, when it was given as an argument.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TemplateName {
    /// Where it is declared.
    pub scope: Scope,
    /// Its name.
    pub name: Name,
}

/// An argument of a template.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum TemplateArgument {
    /// A type.
    Type(QualifiedType),
    /// A value of a type.
    Value(QualifiedType, Constant),
    /// A template.
    Template(TemplateName),
    /// What a parameter pack stands for.
    Pack(Vec<TemplateArgument>),
}

/// Which keyword declares the class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum ClassKind {
    Struct,
    Class,
    Union,
}

/// A direct base class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Base {
    /// The class.
    pub class: ClassId,
    /// `virtual`.
    pub is_virtual: bool,
}

/// A non-static data member.
#[derive(Clone, Debug)]
pub struct Field {
    /// `None` for anonymous unions and structs and for unnamed bit fields.
    pub name: Option<Name>,
    /// The type; may be a reference. The last may be an array without bound.
    pub ty: QualifiedType,
    /// Of a bit field, the width in bits.
    pub bit_width: Option<u32>,
    /// Of `alignas` and the aligned attribute, in bytes.
    pub alignment: Option<u64>,
    /// `mutable`.
    pub mutable: bool,
    /// The packed attribute, on the field alone.
    pub packed: bool,
    /// `[[no_unique_address]]`.
    pub no_unique_address: bool,
    /// Where.
    pub span: Span,
}

/// How an object of the class is destroyed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Destructor {
    /// Nothing to do.
    #[default]
    Trivial,
    /// By a call, also of an implicit destructor that is not trivial.
    Function(FunctionId),
    /// It may not be.
    Deleted,
}

/// Where the parts of a class lie, after the Itanium C++ ABI. Offsets and sizes in bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// `sizeof`.
    pub size: u64,
    /// `alignof`.
    pub alignment: u64,
    /// Size without tail padding: where a class derived from this may put its members.
    pub data_size: u64,
    /// The bytes that a member of the class takes where others may overlap it (`[[no_unique_address]]`).
    pub overlapping_size: u64,
    /// Size and alignment without virtual bases.
    pub non_virtual_size: u64,
    /// Alignment without virtual bases.
    pub non_virtual_alignment: u64,
    /// Whether it has no data ([class] `is_empty`).
    pub empty: bool,
    /// Offsets of the direct bases; of virtual ones in a complete object of this class.
    pub base_offsets: Vec<u64>,
    /// Of all virtual bases, direct and indirect, in the order of the inheritance graph.
    pub virtual_bases: Vec<(ClassId, u64)>,
    /// Offsets of the fields: of bit fields in bits from the start of the object, of others in bytes.
    pub field_offsets: Vec<u64>,
    /// Whether the class has a virtual table pointer at offset 0 (its own or its primary base's).
    pub dynamic: bool,
    /// Which direct base shares its virtual table pointer with this class.
    pub primary_base: Option<usize>,
    /// The virtual functions by slot of the primary table: the final overriders.
    pub slots: Vec<VirtualSlot>,
}

/// An entry of a virtual table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VirtualSlot {
    /// The final overrider.
    pub function: FunctionId,
    /// Of a destructor's two entries, the second: destroys and frees.
    pub deleting: bool,
}

/// The call operator of a closure.
#[derive(Clone, Debug)]
pub enum CallOperator {
    /// A function.
    Plain(FunctionId),
    /// A member template: the types of its parameters.
    Generic(Box<[TypePattern]>),
}

/// A class, struct or union; also the closure type of a lambda.
#[derive(Clone, Debug)]
pub struct Class {
    /// Its name; `None` for unnamed ones and closures.
    pub name: Option<Name>,
    /// The name that a typedef gives to an unnamed class, for linkage ([dcl.typedef]/9).
    pub typedef_name: Option<Name>,
    /// Where it is declared.
    pub scope: Scope,
    /// Which keyword.
    pub kind: ClassKind,
    /// The arguments, if it is a specialisation of a template.
    pub template_arguments: Option<Vec<TemplateArgument>>,
    /// The place among the unnamed or local classes of the same name (or closures of the same signature) in its scope, from 0.
    pub discriminator: u32,
    /// Of closures: the call operator.
    pub lambda: Option<CallOperator>,
    /// The direct bases in order.
    pub bases: Vec<Base>,
    /// The non-static data members in order.
    pub fields: Vec<Field>,
    /// The member functions in order of declaration: needed for virtual tables.
    pub methods: Vec<FunctionId>,
    /// How objects are destroyed.
    pub destructor: Destructor,
    /// Whether copying the bytes copies an object: all copy and move operations trivial or deleted, at least one not deleted, destructor trivial.
    pub trivially_copyable: bool,
    /// Whether calls pass it by address to a temporary: a copy or move constructor or the destructor is not trivial, or all of the constructors are deleted
    /// (Itanium C++ ABI 3.1.2.3, "non-trivial for the purposes of calls").
    pub non_trivial_for_calls: bool,
    /// Whether it is an aggregate ([dcl.init.aggr]/1).
    pub aggregate: bool,
    /// A standard-layout class or other POD in the sense of the layout rules of C++03: its tail padding is not reused.
    pub pod_for_layout: bool,
    /// `final`.
    pub is_final: bool,
    /// Of `alignas` and the aligned attribute, in bytes.
    pub alignment: Option<u64>,
    /// The packed attribute: fields of classes that are neither POD nor packed keep their alignment. Of a laid-out class: none of its fields did.
    pub packed_by_attribute: bool,
    /// `#pragma pack`: the greatest alignment of fields and bases, in bytes.
    pub pragma_packing: Option<u64>,
    /// Whether the definition has been seen to its end.
    pub complete: bool,
    /// Set by `Program::complete_class`.
    pub layout: Layout,
    /// Where.
    pub span: Span,
}

/// An enumerator.
#[derive(Clone, Debug)]
pub struct Enumerator {
    /// Its name.
    pub name: Name,
    /// Its value.
    pub value: i128,
}

/// An enumeration.
#[derive(Clone, Debug)]
pub struct Enum {
    /// Its name.
    pub name: Option<Name>,
    /// The name that a typedef gives to an unnamed one.
    pub typedef_name: Option<Name>,
    /// Where it is declared.
    pub scope: Scope,
    /// `enum class`.
    pub scoped: bool,
    /// The underlying type.
    pub underlying: TypeId,
    /// Whether the program names the underlying type.
    pub fixed: bool,
    /// Of an unscoped one whose underlying type is not named: whether `int` holds all its values, so that they promote to it ([conv.prom]/3).
    pub fits_int: bool,
    /// The enumerators in order.
    pub enumerators: Vec<Enumerator>,
    /// The place among the unnamed enumerations of its scope, or the local ones of the same name, from 0.
    pub discriminator: u32,
    /// Whether the definition has been seen to its end.
    pub complete: bool,
    /// Where.
    pub span: Span,
}

/// An operator that can be overloaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
#[rustfmt::skip]
pub enum OperatorName {
    New, NewArray, Delete, DeleteArray,
    Plus, Minus, Star, Slash, Percent, Caret, Ampersand, Pipe, Tilde, Exclaim, Equal, Less, Greater,
    PlusEqual, MinusEqual, StarEqual, SlashEqual, PercentEqual, CaretEqual, AmpersandEqual, PipeEqual,
    ShiftLeft, ShiftRight, ShiftLeftEqual, ShiftRightEqual,
    EqualEqual, ExclaimEqual, LessEqual, GreaterEqual, Spaceship,
    AmpersandAmpersand, PipePipe, PlusPlus, MinusMinus, Comma, ArrowStar, Arrow, Call, Subscript,
}

/// What a function is called.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum FunctionName {
    /// By an identifier.
    Identifier(Name),
    /// `operator +` and so on.
    Operator(OperatorName),
    /// `operator T`.
    Conversion(QualifiedType),
    /// `operator "" suffix`.
    Literal(Name),
    /// A constructor of its class.
    Constructor,
    /// The destructor of its class.
    Destructor,
}

/// Where a function may run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct ExecutionSpace {
    /// `__host__`, also when nothing is said.
    pub host: bool,
    /// `__device__`.
    pub device: bool,
    /// `__global__`.
    pub global: bool,
}

/// Whether the symbol is seen outside the unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Linkage {
    /// It is.
    #[default]
    External,
    /// It is, and equal definitions in other units are the same: inline functions, specialisations of templates.
    OnceOnly,
    /// It is, unless another definition is there.
    Weak,
    /// It is not: `static`, members of unnamed namespaces, local entities of such.
    Internal,
}

/// Which language's names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
#[allow(missing_docs)]
pub enum LanguageLinkage {
    #[default]
    Cxx,
    C,
}

/// What is wished for inlining.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum InlineHint {
    /// Nothing.
    #[default]
    None,
    /// `inline`, also of functions defined in their class.
    Inline,
    /// `__forceinline__`.
    Always,
    /// `__noinline__`.
    Never,
}

/// What is said of a kernel's launches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct KernelAttributes {
    /// The first argument of `__launch_bounds__`: most threads per block.
    pub max_threads: Option<u32>,
    /// The second: fewest blocks per multiprocessor.
    pub min_blocks: Option<u32>,
    /// The third: most blocks per cluster.
    pub max_cluster_rank: Option<u32>,
    /// `__maxnreg__`.
    pub max_registers: Option<u32>,
    /// `__cluster_dims__`; zeros where given without numbers.
    pub cluster: Option<[u32; 3]>,
    /// `__block_size__`: exact threads per block.
    pub required_threads: Option<[u32; 3]>,
}

/// What a constructor's member initialiser is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemberTarget {
    /// The direct base at this place in [`Class::bases`], or a virtual base of a complete object.
    Base(ClassId),
    /// A field.
    Field(FieldIndex),
    /// A field of anonymous unions or structs: the way to it.
    Path(FieldIndex, FieldIndex),
    /// The whole object: a delegating constructor.
    Whole,
}

/// One initialisation that a constructor does before its body.
#[derive(Clone, Debug)]
pub struct MemberInitialiser {
    /// Of what.
    pub target: MemberTarget,
    /// With what: a full expression; a prvalue of the type, or a glvalue for a reference.
    pub value: ExpressionId,
}

/// What a function does.
#[derive(Clone, Debug)]
pub struct FunctionBody {
    /// Of constructors: all bases and fields that are initialised, in the order of initialisation (virtual bases first, then direct bases, then fields). What is
    /// default-initialised trivially is left out.
    pub initialisers: Vec<MemberInitialiser>,
    /// The body. Destructors: members and bases are destroyed after it by [`Class::destructor`] of their types, without being named here.
    pub statement: StatementId,
}

/// A function.
#[derive(Clone, Debug)]
pub struct Function {
    /// What it is called.
    pub name: FunctionName,
    /// Where it is a member.
    pub scope: Scope,
    /// Its type, which is a function type.
    pub ty: TypeId,
    /// The parameters, without `this`; from a declaration or the definition.
    pub parameters: Vec<VariableId>,
    /// Whether it is a non-static member function: it takes `this`, a pointer to its class, as its first argument.
    pub has_this: bool,
    /// The arguments, if it is a specialisation of a function template.
    pub template_arguments: Option<Vec<TemplateArgument>>,
    /// Of specialisations: the template's signature, which the mangled name spells.
    pub template_signature: Option<Box<TemplateSignature>>,
    /// Linkage.
    pub linkage: Linkage,
    /// `extern "C"`.
    pub language: LanguageLinkage,
    /// Where it runs.
    pub space: ExecutionSpace,
    /// Of kernels.
    pub kernel: KernelAttributes,
    /// `inline` and the like.
    pub inline: InlineHint,
    /// `constexpr`.
    pub is_constexpr: bool,
    /// `virtual`, or overrides one that is (set by `Program::complete_class`).
    pub is_virtual: bool,
    /// `= 0`.
    pub is_pure: bool,
    /// `= delete`.
    pub is_deleted: bool,
    /// `= default`, or implicitly declared.
    pub is_defaulted: bool,
    /// A special member that is trivial: calls of it never appear but as lvalue-to-rvalue conversions, or not at all.
    pub is_trivial: bool,
    /// A host function that functions of both sides call, with a warning: on the device the call traps. (With nvcc what follows is
    /// undefined; its kernels end there.)
    pub traps_on_device: bool,
    /// `[[noreturn]]`.
    pub no_return: bool,
    /// `explicit`.
    pub is_explicit: bool,
    /// The name of the symbol where an `asm` label gives it.
    pub label: Option<Name>,
    /// What it does, once elaborated.
    pub body: Option<FunctionBody>,
    /// Where its name is declared.
    pub span: Span,
}

/// Where a variable lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StorageDuration {
    /// A local variable.
    Automatic,
    /// A parameter.
    Parameter,
    /// A variable of a namespace or class, or a static local.
    Static,
}

/// Which memory a variable with static storage duration is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum MemorySpace {
    /// The host's: not to be used by device code except as a constant.
    #[default]
    Host,
    /// `__device__`.
    Device,
    /// `__constant__`.
    Constant,
    /// `__shared__`.
    Shared,
    /// `__managed__`.
    Managed,
}

/// What a variable starts with.
#[derive(Clone, Debug, Default)]
pub enum VariableInitialiser {
    /// Nothing; static variables are zero (shared ones undefined).
    #[default]
    None,
    /// A constant, computed.
    Constant(Constant),
    /// What an expression gives when control reaches the declaration: a prvalue, or a glvalue for a reference.
    Dynamic(ExpressionId),
}

/// A variable or parameter.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Its name.
    pub name: Option<Name>,
    /// Where it is a member.
    pub scope: Scope,
    /// Its type; may be a reference.
    pub ty: QualifiedType,
    /// Local, parameter or static.
    pub storage: StorageDuration,
    /// Of static ones: where.
    pub memory: MemorySpace,
    /// Linkage, of static ones.
    pub linkage: Linkage,
    /// `extern "C"`.
    pub language: LanguageLinkage,
    /// `extern` without an initialiser, so far.
    pub is_extern: bool,
    /// `constexpr`.
    pub is_constexpr: bool,
    /// Of kernel parameters: `__grid_constant__`.
    pub grid_constant: bool,
    /// Of specialisations of variable templates.
    pub template_arguments: Option<Vec<TemplateArgument>>,
    /// What it starts with.
    pub initialiser: VariableInitialiser,
    /// Run when it goes out of scope; of arrays, for each element.
    pub destructor: Option<FunctionId>,
    /// Of `alignas` and the aligned attribute, in bytes.
    pub alignment: Option<u64>,
    /// The place among the static locals of the same name in a function, from 0.
    pub discriminator: u32,
    /// The name of the symbol where an `asm` label gives it.
    pub label: Option<Name>,
    /// Whether a local variable may be the result itself.
    pub result: ResultVariable,
    /// Where.
    pub span: Span,
}

/// Whether a local variable can be made where the function's result goes, so that returning it does nothing ([class.copy.elision]/1.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum ResultVariable {
    /// No `return` has been seen while it lives.
    #[default]
    Unseen,
    /// All `return`s while it lives return it.
    Always,
    /// A `return` while it lives returns something else.
    Never,
}
