//! What the driver and the machine agree on: where things lie in constant bank 0, on each generation.
//!
//! Source: observed in code of ptxas 13.0.88.

use warpsmith_target::Isa;

/// Where the parameters of a kernel start in constant bank 0.
pub(crate) fn parameter_base(isa: Isa) -> u32 {
    match isa {
        Isa::Sm75 | Isa::Sm80 | Isa::Sm86 | Isa::Sm89 => 0x160,
        Isa::Sm90 => 0x210,
        Isa::Sm100 | Isa::Sm103 | Isa::Sm110 | Isa::Sm120 => 0x380,
    }
}

/// Where the descriptor of global memory lies, which loads and stores take; before sm_80 there is none.
pub(crate) fn descriptor(isa: Isa) -> Option<u32> {
    match isa {
        Isa::Sm75 => None,
        Isa::Sm80 | Isa::Sm86 | Isa::Sm89 => Some(0x118),
        Isa::Sm90 => Some(0x208),
        Isa::Sm100 | Isa::Sm103 | Isa::Sm110 | Isa::Sm120 => Some(0x358),
    }
}

/// Where the size of a CTA (`ntid`) and of the grid (`nctaid`) lie: x, y, z in words of 4 bytes.
pub(crate) fn extents(isa: Isa) -> (u32, u32) {
    match isa {
        Isa::Sm75 | Isa::Sm80 | Isa::Sm86 | Isa::Sm89 | Isa::Sm90 => (0, 0xc),
        Isa::Sm100 | Isa::Sm103 | Isa::Sm110 | Isa::Sm120 => (0x360, 0x370),
    }
}

/// Shared memory below this belongs to the system.
pub(crate) fn shared_base(isa: Isa) -> u32 {
    if isa >= Isa::Sm90 { 1024 } else { 0 }
}

/// Where the first stack pointer lies.
pub(crate) fn stack(isa: Isa) -> u32 {
    match isa {
        Isa::Sm75 | Isa::Sm80 | Isa::Sm86 | Isa::Sm89 | Isa::Sm90 => 0x28,
        Isa::Sm100 | Isa::Sm103 | Isa::Sm110 | Isa::Sm120 => 0x37c,
    }
}

/// Where the generic address of local memory lies, 8 bytes.
pub(crate) fn local_generic(isa: Isa) -> u32 {
    match isa {
        Isa::Sm75 | Isa::Sm80 | Isa::Sm86 | Isa::Sm89 | Isa::Sm90 => 0x20,
        Isa::Sm100 | Isa::Sm103 | Isa::Sm110 | Isa::Sm120 => 0x2f8,
    }
}

/// Where the generic address of shared memory lies, 8 bytes; from sm_90 on there are special registers instead.
pub(crate) fn shared_generic(isa: Isa) -> Option<u32> {
    (!has_clusters(isa)).then_some(0x18)
}

/// Where the generic address of constant bank 3 lies, 8 bytes.
pub(crate) fn constant_generic(isa: Isa) -> u32 {
    match isa {
        Isa::Sm75 | Isa::Sm80 | Isa::Sm86 | Isa::Sm89 => 0x50,
        Isa::Sm90 => 0xd0,
        Isa::Sm100 | Isa::Sm103 | Isa::Sm110 | Isa::Sm120 => 0x120,
    }
}

/// Whether CTAs form clusters: addresses in shared memory then have the number of the CTA in bits 24 and up.
pub(crate) fn has_clusters(isa: Isa) -> bool {
    isa >= Isa::Sm90
}

/// Where a word is 1 if the launch or the kernel names a cluster.
pub(crate) fn cluster_flag(isa: Isa) -> Option<u32> {
    match isa {
        Isa::Sm75 | Isa::Sm80 | Isa::Sm86 | Isa::Sm89 => None,
        Isa::Sm90 => Some(0x140),
        Isa::Sm100 | Isa::Sm103 | Isa::Sm110 | Isa::Sm120 => Some(0x36c),
    }
}
