//! Attributes of functions, parameters and calls.

use std::collections::BTreeMap;

use crate::types::Type;

/// How an integer narrower than a register is passed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Extension {
    /// Its upper bits are not defined.
    #[default]
    None,
    /// Sign-extended.
    Sign,
    /// Zero-extended.
    Zero,
}

/// Attributes of a parameter, an argument or a result.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct ParameterAttributes {
    /// The pointer stands for a copy of an object of this type, made by the caller. For kernels: a parameter in parameter space.
    pub byval: Option<Type>,
    /// The pointer is where the result of this type goes.
    pub sret: Option<Type>,
    /// The alignment of the pointer in bytes, a power of two; 0 if none is stated.
    pub align: u32,
    /// Alignment of the parameter itself in the calling convention (`alignstack`); 0 if none is stated.
    pub stack_align: u32,
    /// How many bytes can be read at the pointer.
    pub dereferenceable: u64,
    /// How many bytes can be read at the pointer if it is not null.
    pub dereferenceable_or_null: u64,
    /// How a narrow integer is extended.
    pub extension: Extension,
    /// While the function runs, what is reached through this pointer is reached through no other, if it is written. `__restrict__`.
    pub noalias: bool,
    /// Memory is not written through this pointer.
    pub readonly: bool,
    /// Memory is not read through this pointer.
    pub writeonly: bool,
    /// Memory is not accessed through this pointer.
    pub readnone: bool,
    /// The callee keeps no copy of the pointer.
    pub nocapture: bool,
    /// The callee does not free through it.
    pub nofree: bool,
    /// Never null.
    pub nonnull: bool,
    /// Neither undef nor poison.
    pub noundef: bool,
    /// In a register (in PTX: no meaning).
    pub inreg: bool,
    /// The function gives this argument back.
    pub returned: bool,
    /// The argument is a constant.
    pub immarg: bool,
    /// A kernel parameter that the kernel does not write: `__grid_constant__`.
    pub grid_constant: bool,
}

impl ParameterAttributes {
    /// Whether nothing is stated.
    pub fn is_empty(&self) -> bool {
        *self == ParameterAttributes::default()
    }
}

/// What a function may do to memory: read or write, for memory at pointer arguments, memory that the module cannot reach, and all other.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct MemoryEffects(u8);

impl MemoryEffects {
    /// Nothing.
    pub const NONE: MemoryEffects = MemoryEffects(0);
    /// Reads anything.
    pub const READ: MemoryEffects = MemoryEffects(0b01_01_01);
    /// Writes anything, reads nothing.
    pub const WRITE: MemoryEffects = MemoryEffects(0b10_10_10);
    /// Anything.
    pub const ANY: MemoryEffects = MemoryEffects(0b11_11_11);
    /// Reads through its arguments.
    pub const READ_ARGUMENTS: MemoryEffects = MemoryEffects(0b01);
    /// Writes through its arguments.
    pub const WRITE_ARGUMENTS: MemoryEffects = MemoryEffects(0b10);
    /// Reads and writes through its arguments.
    pub const ARGUMENTS: MemoryEffects = MemoryEffects(0b11);
    /// Reads and writes what the module cannot reach.
    pub const INACCESSIBLE: MemoryEffects = MemoryEffects(0b11_00);

    const READS: u8 = 0b01_01_01;
    const WRITES: u8 = 0b10_10_10;

    /// From the bits (read, write) of the three places.
    pub const fn from_parts(arguments: u8, inaccessible: u8, other: u8) -> MemoryEffects {
        MemoryEffects((arguments & 3) | (inaccessible & 3) << 2 | (other & 3) << 4)
    }

    /// The bits (1 read, 2 write) for memory at arguments, inaccessible memory, and other memory.
    pub const fn parts(self) -> [u8; 3] {
        [self.0 & 3, self.0 >> 2 & 3, self.0 >> 4 & 3]
    }

    /// Whether no memory is accessed.
    pub fn is_none(self) -> bool {
        self.0 == 0
    }

    /// Whether some memory may be read.
    pub fn may_read(self) -> bool {
        self.0 & MemoryEffects::READS != 0
    }

    /// Whether some memory may be written.
    pub fn may_write(self) -> bool {
        self.0 & MemoryEffects::WRITES != 0
    }

    /// What either may do.
    pub fn union(self, other: MemoryEffects) -> MemoryEffects {
        MemoryEffects(self.0 | other.0)
    }

    /// What both allow.
    pub fn intersection(self, other: MemoryEffects) -> MemoryEffects {
        MemoryEffects(self.0 & other.0)
    }
}

/// What was said about copying a function into its callers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Inlining {
    /// Nothing.
    #[default]
    Default,
    /// `inlinehint`.
    Hint,
    /// `alwaysinline`.
    Always,
    /// `noinline`.
    Never,
}

/// Attributes of a function or of one call of it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct FunctionAttributes {
    /// What it may do to memory.
    pub memory: MemoryEffects,
    /// Whether to copy it into callers.
    pub inlining: Inlining,
    /// Threads that run it together must do so after any change to control flow: barriers, shuffles.
    pub convergent: bool,
    /// It throws nothing.
    pub nounwind: bool,
    /// It does not return.
    pub noreturn: bool,
    /// It returns or has a visible effect.
    pub willreturn: bool,
    /// It does not call itself.
    pub norecurse: bool,
    /// It does not synchronise with other threads.
    pub nosync: bool,
    /// It frees no memory.
    pub nofree: bool,
    /// It can be called where it would not be: no effect, no undefined behaviour.
    pub speculatable: bool,
    /// Loops without effects end.
    pub mustprogress: bool,
    /// Not to be optimised.
    pub optnone: bool,
    /// Size before speed.
    pub optsize: bool,
    /// Size before all.
    pub minsize: bool,
    /// Rarely called.
    pub cold: bool,
    /// Other attributes, as `"key"="value"` or `"key"`.
    pub strings: BTreeMap<String, String>,
}

impl Default for FunctionAttributes {
    fn default() -> FunctionAttributes {
        FunctionAttributes {
            memory: MemoryEffects::ANY,
            inlining: Inlining::Default,
            convergent: false,
            nounwind: false,
            noreturn: false,
            willreturn: false,
            norecurse: false,
            nosync: false,
            nofree: false,
            speculatable: false,
            mustprogress: false,
            optnone: false,
            optsize: false,
            minsize: false,
            cold: false,
            strings: BTreeMap::new(),
        }
    }
}

/// What a kernel says of its launches. CUDA's `__launch_bounds__`, `__cluster_dims__` and PTX's performance directives.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct KernelProperties {
    /// The greatest block, `.maxntid`.
    pub maximum_threads: Option<[u32; 3]>,
    /// The exact block, `.reqntid`.
    pub required_threads: Option<[u32; 3]>,
    /// The least number of blocks that shall fit on a multiprocessor, `.minnctapersm`.
    pub minimum_blocks: Option<u32>,
    /// The most registers of a thread, `.maxnreg`.
    pub maximum_registers: Option<u32>,
    /// The exact cluster, in blocks, `.reqnctapercluster`; all 0 for `.explicitcluster`.
    pub cluster: Option<[u32; 3]>,
    /// The most blocks of a cluster, `.maxclusterrank`.
    pub maximum_cluster_blocks: Option<u32>,
}
