//! What a run did.

/// Figures of memory accesses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemoryStatistics {
    /// Warp instructions that accessed global memory.
    pub global_accesses: u64,
    /// Sectors of 32 bytes that these touched, counted for each warp instruction.
    pub global_sectors: u64,
    /// The fewest sectors that hold the bytes they touched.
    pub global_sectors_ideal: u64,
    /// Warp instructions that accessed shared memory.
    pub shared_accesses: u64,
    /// Passes beyond the first that these needed because several words lie in one bank.
    pub shared_conflicts: u64,
    /// Warp instructions that accessed local memory.
    pub local_accesses: u64,
    /// Atomic operations, counted for each thread.
    pub atomics: u64,
}

/// What a run did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Instructions, counted once for each warp that executed them with at least one thread.
    pub instructions: u64,
    /// Instructions, counted for each thread.
    pub thread_instructions: u64,
    /// Warp instructions by mnemonic, in order of the mnemonic.
    pub opcodes: Vec<(String, u64)>,
    /// Branches at which the threads of a warp parted.
    pub divergent_branches: u64,
    /// Branches in all.
    pub branches: u64,
    /// Arrivals of warps at CTA and cluster barriers.
    pub barriers: u64,
    /// Memory accesses.
    pub memory: MemoryStatistics,
    /// What the kernel printed.
    pub printed: String,
}
