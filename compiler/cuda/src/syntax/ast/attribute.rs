//! Attributes and CUDA's specifiers: `__global__`, `[[…]]`, `__attribute__((…))`, `__declspec(…)`, `alignas`.

use super::{Expression, Id, List, Name, Span, TypeId};

/// The attributes of a node, in the order written.
pub type Attributes = List<Attribute>;

/// One attribute.
#[derive(Clone, Debug)]
pub struct Attribute {
    /// What it says.
    pub kind: AttributeKind,
    /// Its tokens.
    pub span: Span,
}

/// What an attribute says. One meaning has one variant, whichever way it is written.
#[derive(Clone, Debug)]
pub enum AttributeKind {
    /// `__global__`: a kernel.
    Global,
    /// `__device__`.
    Device,
    /// `__host__`.
    Host,
    /// `__shared__`.
    Shared,
    /// `__constant__`.
    Constant,
    /// `__managed__`.
    Managed,
    /// `__grid_constant__`.
    GridConstant,
    /// `__launch_bounds__(threads, blocks per multiprocessor, blocks per cluster)`.
    LaunchBounds(List<Id<Expression>>),
    /// `__cluster_dims__(x, y, z)`.
    ClusterDims(List<Id<Expression>>),
    /// `__block_size__((x, y, z), (x, y, z))`: block and cluster dimensions.
    BlockSize(List<Id<Expression>>),
    /// `__maxnreg__(n)`.
    MaxRegisters(Id<Expression>),
    /// `__nv_pure__`.
    Pure,
    /// `__forceinline__`: `inline`, and always.
    ForceInline,
    /// `always_inline`, which does not make a function `inline`.
    AlwaysInline,
    /// `__noinline__`, `noinline`.
    NoInline,
    /// `alignas(…)`, `__align__(…)`, `aligned(…)`.
    Align(AlignArgument),
    /// `packed`.
    Packed,
    /// `noreturn`.
    NoReturn,
    /// `nodiscard`, `warn_unused_result`.
    NoDiscard,
    /// `maybe_unused`, `unused`.
    MaybeUnused,
    /// `deprecated`.
    Deprecated,
    /// `fallthrough`.
    Fallthrough,
    /// `likely`.
    Likely,
    /// `unlikely`.
    Unlikely,
    /// `no_unique_address`.
    NoUniqueAddress,
    /// `weak`.
    Weak,
    /// `used`.
    Used,
    /// `const` in `__attribute__`: no side effects and no reads.
    ConstFunction,
    /// `vector_size(bytes)`.
    VectorSize(Id<Expression>),
    /// `mode(name)`.
    Mode(Name),
    /// `transparent_union`.
    TransparentUnion,
    /// `device_builtin`, `device_builtin_texture_type`, `device_builtin_surface_type`: a type that the compiler knows.
    DeviceBuiltin(Name),
    /// `annotate`, `nv_weak_odr`, `format`, visibility and all others: without meaning for device code.
    Other(Name),
}

/// The argument of an alignment.
#[derive(Clone, Copy, Debug)]
pub enum AlignArgument {
    /// None: the greatest alignment of the target.
    Default,
    /// A number of bytes.
    Expression(Id<Expression>),
    /// As a type's.
    Type(Id<TypeId>),
    /// `alignas(pack...)` of expressions.
    ExpressionPack(Id<Expression>),
    /// `alignas(Types...)`.
    TypePack(Id<TypeId>),
}
