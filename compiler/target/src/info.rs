//! The shape of a target description. The values are in `ir-defs/targets.tbl`.

use std::fmt;

use crate::generated::{Feature, Isa, Sm, all_evidence};

/// Everything known of one target.
#[derive(Debug)]
pub struct TargetInfo {
    /// The target described.
    pub sm: Sm,
    /// The SM number without suffix: compute capability 9.0 is 90.
    pub number: u16,
    /// The suffix, which says where code for this target runs.
    pub suffix: Suffix,
    /// The encoding generation.
    pub isa: Isa,
    /// The family whose members share `f` features, named by its first member; `None` before family-specific targets.
    pub family: Option<u16>,
    /// Architecture and well-known products, for people.
    pub products: &'static str,
    /// The oldest PTX ISA `.version` that may name this `.target`.
    pub min_ptx: PtxVersion,
    /// The SM numbers that run a cubin made for the plain target; [`Sm::can_run_on`] applies the suffix as well.
    pub cubin_runs_on: &'static [u16],
    /// The vendor's count of tensor-core generations: 2 on Turing to 5 on Blackwell.
    pub tensor_core_generation: u8,
    /// Registers of a thread and of an SM.
    pub registers: Registers,
    /// Threads, warps, CTAs and clusters.
    pub occupancy: Occupancy,
    /// Shared memory, in bytes.
    pub shared: SharedMemory,
    /// Other memories.
    pub memory: Memory,
    /// Kernel parameters, in bytes.
    pub parameters: Parameters,
    /// Instruction size and placement.
    pub code: CodeLayout,
    /// What the ELF header of a cubin holds.
    pub elf: ElfHeader,
    /// Constant bank 0 up to the kernel parameters, and the banks after it.
    pub constants: &'static ConstantLayout,
    /// The features of this target.
    pub features: FeatureSet,
    /// Keys whose values are not verified for this target, as [`Evidence::key`] names them.
    pub unverified: &'static [&'static str],
}

/// What stands after the number in a target's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Suffix {
    /// Nothing: code runs on later SMs too.
    None,
    /// `a`, architecture-accelerated: all features, code for exactly this SM.
    Architecture,
    /// `f`, family-specific: the features that the family shares, code for this SM and later ones of the family.
    Family,
}

/// A version of the PTX ISA.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PtxVersion {
    /// The number before the point.
    pub major: u8,
    /// The number after the point.
    pub minor: u8,
}

impl fmt::Display for PtxVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{}.{}", self.major, self.minor))
    }
}

/// Registers. Counts leave out the zero registers RZ, URZ, PT and UPT.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Registers {
    /// 32-bit registers in the register file of one SM.
    pub per_sm: u32,
    /// The largest register count that a kernel may state.
    pub max_per_thread: u32,
    /// Of a stated count, the registers that code must leave alone: the highest usable one is
    /// `count - reserved_per_thread - 1`.
    pub reserved_per_thread: u32,
    /// The smallest limit that the compiler honours; the ABI needs that many.
    pub min_per_thread: u32,
    /// Registers are given to a warp in multiples of this many.
    pub allocation_unit: u32,
    /// Uniform registers that code may use: UR0 up to this count less one.
    pub uniform: u32,
    /// Uniform registers that the encoding can name, and so the number of URZ.
    pub uniform_encodable: u32,
    /// Predicate registers P0 to P6.
    pub predicates: u32,
    /// Uniform predicate registers UP0 to UP6.
    pub uniform_predicates: u32,
    /// Convergence barrier registers B0 to B15.
    pub convergence_barriers: u32,
    /// Scoreboards of a warp, SB0 to SB5.
    pub scoreboards: u32,
}

/// Threads, warps, CTAs and clusters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Occupancy {
    /// Threads of a warp.
    pub warp_size: u32,
    /// Threads of a CTA.
    pub max_threads_per_cta: u32,
    /// Extent of a CTA in x, y and z.
    pub max_cta_dimensions: [u32; 3],
    /// Extent of a grid in x, y and z, in CTAs.
    pub max_grid_dimensions: [u32; 3],
    /// Threads resident on one SM.
    pub max_threads_per_sm: u32,
    /// CTAs resident on one SM.
    pub max_ctas_per_sm: u32,
    /// Parts of an SM, each with its own scheduler and a share of the registers.
    pub sub_partitions: u32,
    /// Named barriers of a CTA (`bar.sync 0` to 15).
    pub named_barriers: u32,
    /// CTAs of a cluster that every SM with clusters can run; 1 without clusters.
    pub portable_cluster_size: u32,
    /// CTAs of a cluster at most, with the opt-in for sizes that are not portable; 1 without clusters.
    pub max_cluster_size: u32,
}

impl Occupancy {
    /// Warps resident on one SM.
    pub const fn max_warps_per_sm(&self) -> u32 {
        self.max_threads_per_sm / self.warp_size
    }
}

/// Shared memory, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SharedMemory {
    /// Variables declared in a module, per kernel.
    pub static_limit: u32,
    /// Per CTA, with the opt-in for dynamic shared memory.
    pub max_per_cta: u32,
    /// Per SM.
    pub per_sm: u32,
    /// What the system takes of each CTA's shared memory.
    pub reserved_per_cta: u32,
    /// A CTA's shared memory is rounded up to a multiple of this.
    pub allocation_unit: u32,
    /// The sizes to which an SM's shared memory can be set, smallest first; the rest is L1 cache.
    pub carveouts: &'static [u32],
}

/// Memories other than shared memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Memory {
    /// Local memory of a thread, in bytes.
    pub max_local_per_thread: u32,
    /// Size of a constant bank, in bytes.
    pub constant_bank_bytes: u32,
    /// Bits of an address of global memory.
    pub address_bits: u32,
    /// Columns of tensor memory, each of 128 lanes of 32 bits; 0 without tensor memory.
    pub tensor_columns: u32,
}

/// Kernel parameters, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameters {
    /// Limit for PTX older than [`Parameters::large_since_ptx`].
    pub max_bytes: u32,
    /// Limit from [`Parameters::large_since_ptx`] on.
    pub max_bytes_large: u32,
    /// The PTX ISA version that raised the limit.
    pub large_since_ptx: PtxVersion,
}

/// Instruction size and placement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CodeLayout {
    /// Bytes of an instruction.
    pub instruction_bytes: u32,
    /// Alignment of a function's section, in bytes.
    pub function_alignment: u32,
}

/// What the ELF header of a cubin holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ElfHeader {
    /// `e_machine`.
    pub machine: u16,
    /// `EI_OSABI`.
    pub os_abi: u8,
    /// `EI_ABIVERSION`.
    pub abi_version: u8,
    /// `e_flags` without the SM number, which stands in bits 8 to 15; see [`TargetInfo::elf_flags`].
    pub flags: u32,
}

impl TargetInfo {
    /// `e_flags` of a cubin for this target: the fixed bits and the SM number in bits 8 to 15. The suffix leaves no mark.
    pub const fn elf_flags(&self) -> u32 {
        self.elf.flags | (self.number as u32) << 8
    }
}

/// Constant bank 0: byte offsets of what the driver puts there, up to the kernel parameters.
///
/// Where [`cta_block_stride`](Self::cta_block_stride) is not 0, the slots `environment`, `dynamic_shared_size`,
/// `aggregate_shared_size` and `cluster_*` stand in a block per CTA of the cluster: their address is the offset given less
/// the stride times the special register SR_CgaSize.
#[derive(Debug, PartialEq, Eq)]
pub struct ConstantLayout {
    /// The name of the layout in the table.
    pub name: &'static str,
    /// `%ntid`: three words.
    pub cta_dimensions: u16,
    /// `%nctaid`: three words.
    pub grid_dimensions: u16,
    /// `%gridid`.
    pub grid_id: u16,
    /// `%current_graph_exec`, 64 bits. (Observed, ptxas 13.0.88.)
    pub graph_exec: u16,
    /// Generic address of shared memory, 64 bits; where absent, the special register SR_SWINHI gives its high half.
    pub shared_window: Option<u16>,
    /// Generic address of local memory, 64 bits.
    pub local_window: u16,
    /// Generic address of the program's constant variables (bank 3), 64 bits.
    pub constant_window: u16,
    /// Addresses of the descriptions of textures, samplers and surfaces by which queries are answered: three of 64 bits. (Observed, ptxas 13.0.88.)
    pub image_tables: u16,
    /// Generic address of the kernel parameters, 64 bits; of bank 0 itself where `shared_window` is present.
    pub parameter_window: u16,
    /// Initial value of the stack pointer R1: the top of the thread's local memory.
    pub stack_pointer: u16,
    /// `%dynamic_smem_size`.
    pub dynamic_shared_size: u16,
    /// What to subtract from SR_SMEMSZ for `%total_smem_size`.
    pub reserved_shared_size: Option<u16>,
    /// Where the reserved part of shared memory ends, in bytes, 32 bits; behind it the offsets of its parts stand, the second first.
    pub reserved_shared_end: Option<u16>,
    /// Upper bound to apply to SR_SMEMSZ for `%aggr_smem_size`.
    pub aggregate_shared_size: Option<u16>,
    /// `%envreg0`; the others follow, a word each.
    pub environment: u16,
    /// `%nsmid`.
    pub sm_count: u16,
    /// 64-bit descriptor that global memory accesses name.
    pub memory_descriptor: Option<u16>,
    /// `%cluster_nctaid`: three words.
    pub cluster_dimensions: Option<u16>,
    /// `%nclusterid`: three words.
    pub cluster_count: Option<u16>,
    /// `%cluster_nctarank`.
    pub cluster_cta_count: Option<u16>,
    /// 1 if the launch or the kernel names a cluster (`%is_explicit_cluster`).
    pub cluster_explicit: Option<u16>,
    /// The f32 reciprocals of the cluster's CTAs in x, y and z: the number of a CTA times that, truncated, is the number of the cluster.
    pub cluster_reciprocals: Option<u16>,
    /// Size of the per-CTA block, in bytes; 0 where there is none.
    pub cta_block_stride: u16,
    /// The first kernel parameter.
    pub parameters: u16,
    /// The bank of a function's literals (`.nv.constant2.NAME`); `None` where literals are built by instructions.
    pub literal_bank: Option<u8>,
}

impl ConstantLayout {
    /// The bank of driver values and kernel parameters (`.nv.constant0.NAME`).
    pub const PARAMETER_BANK: u8 = 0;
    /// The bank of the addresses of global symbols (`.nv.constant4`).
    pub const ADDRESS_BANK: u8 = 4;
}

/// A set of features.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct FeatureSet(pub(crate) u128);

impl FeatureSet {
    /// Whether `feature` is in the set.
    pub const fn contains(self, feature: Feature) -> bool {
        self.0 >> feature.index() & 1 == 1
    }

    /// The features of the set, in the order of the table.
    pub fn iter(self) -> impl Iterator<Item = Feature> {
        Feature::ALL
            .iter()
            .copied()
            .filter(move |&feature| self.contains(feature))
    }
}

impl fmt::Debug for FeatureSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

/// What the table says of a feature beside its name.
pub(crate) struct FeatureInfo {
    pub(crate) description: &'static str,
    pub(crate) probe: Option<&'static str>,
}

/// How sure a fact is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grade {
    /// Seen in the behaviour or output of a released tool.
    Observed,
    /// Stated by a public document.
    Documented,
    /// Neither.
    Unverified,
}

impl fmt::Display for Grade {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Grade::Observed => "observed",
            Grade::Documented => "documented",
            Grade::Unverified => "unverified",
        })
    }
}

/// How the facts under one key are known.
#[derive(Clone, Copy, Debug)]
pub struct Evidence {
    /// `group.field` as in [`TargetInfo`], or `group` for all its fields.
    pub key: &'static str,
    /// How sure.
    pub grade: Grade,
    /// Tool and what it showed, or the document.
    pub source: &'static str,
}

/// How the fact `key` (`group.field`, such as `shared.max_per_cta`) is known; `None` if there is no such fact.
///
/// Single values may be less sure than their key: [`TargetInfo::unverified`] lists them.
pub fn evidence(key: &str) -> Option<&'static Evidence> {
    let group = key.split('.').next().unwrap_or(key);
    let find = |wanted: &str| all_evidence().iter().find(|e| e.key == wanted);
    find(key).or_else(|| find(group))
}
