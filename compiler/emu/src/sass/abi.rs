//! What the driver puts into constant bank 0 before a launch, on each generation.
//!
//! Source: observed, from where code of ptxas 13.0.88 reads special registers, the stack pointer and generic addresses.

use warpsmith_target::Isa;

use super::{
    code::{LOCAL_WINDOW, SHARED_WINDOW},
    special::MULTIPROCESSORS,
};
use crate::Launch;

/// Byte offsets in constant bank 0.
#[derive(Clone, Copy, Debug)]
struct Layout {
    /// Threads of a CTA in x, y, z, 4 bytes each.
    block: usize,
    /// CTAs of the grid in x, y, z.
    grid: usize,
    /// The first stack pointer.
    stack: usize,
    /// The generic address of local memory, 8 bytes.
    local: usize,
    /// The generic address of constant memory, 8 bytes (observed: `cvta.const`).
    constants: usize,
    /// The generic address of shared memory, 8 bytes; later generations have special registers for it.
    shared: Option<usize>,
    /// Bytes of dynamic shared memory.
    dynamic_shared: usize,
    /// The number of the grid, 8 bytes.
    grid_number: usize,
    /// The number of multiprocessors.
    multiprocessors: usize,
    /// Bytes of shared memory that belong to the system.
    reserved_shared: Option<usize>,
    clusters: Option<ClusterLayout>,
    /// Where the parameters start.
    parameters: usize,
}

/// Byte offsets of what says how the grid is made of clusters.
#[derive(Clone, Copy, Debug)]
struct ClusterLayout {
    /// A bound of `%aggr_smem_size`.
    shared_limit: usize,
    /// 1 if the launch or the kernel names a cluster.
    explicit: usize,
    /// CTAs of a cluster in x, y, z.
    ctas: usize,
    /// The f32 reciprocals of these: the number of a CTA times that, truncated, is the number of the cluster.
    reciprocals: usize,
    /// Clusters of the grid in x, y, z.
    clusters: usize,
    /// CTAs of a cluster.
    rank_count: usize,
}

fn layout(isa: Isa) -> Layout {
    match isa {
        Isa::Sm75 | Isa::Sm80 | Isa::Sm86 | Isa::Sm89 => Layout {
            block: 0,
            grid: 0xc,
            stack: 0x28,
            local: 0x20,
            constants: 0x50,
            shared: Some(0x18),
            dynamic_shared: 0x2c,
            grid_number: 0x30,
            multiprocessors: 0x10c,
            reserved_shared: None,
            clusters: None,
            parameters: 0x160,
        },
        Isa::Sm90 => Layout {
            block: 0,
            grid: 0xc,
            stack: 0x28,
            local: 0x20,
            constants: 0xd0,
            shared: None,
            dynamic_shared: 0x2c,
            grid_number: 0x30,
            multiprocessors: 0x10c,
            reserved_shared: Some(0x114),
            clusters: Some(ClusterLayout {
                shared_limit: 0x13c,
                explicit: 0x140,
                ctas: 0x144,
                reciprocals: 0x150,
                clusters: 0x15c,
                rank_count: 0x188,
            }),
            parameters: 0x210,
        },
        Isa::Sm100 | Isa::Sm103 | Isa::Sm110 | Isa::Sm120 => Layout {
            block: 0x360,
            grid: 0x370,
            stack: 0x37c,
            local: 0x2f8,
            constants: 0x120,
            shared: None,
            dynamic_shared: 0x2ac,
            grid_number: 0x140,
            multiprocessors: 0x2d0,
            reserved_shared: Some(0x16c),
            // Most of these lie at a distance from their place that depends on SR_CgaSize, which is zero here.
            clusters: Some(ClusterLayout {
                shared_limit: 0x2bc,
                explicit: 0x36c,
                ctas: 0x2a0,
                reciprocals: 0x2b0,
                clusters: 0x2c0,
                rank_count: 0x2cc,
            }),
            parameters: 0x380,
        },
    }
}

/// Where the parameters of a kernel start in constant bank 0.
pub(crate) fn parameter_base(isa: Isa) -> u32 {
    layout(isa).parameters as u32
}

/// What the driver knows of a launch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Setting<'l> {
    pub(crate) launch: &'l Launch,
    pub(crate) cluster: [u32; 3],
    pub(crate) explicit_cluster: bool,
    pub(crate) stack_bytes: u64,
    pub(crate) constant_address: u64,
    /// Shared memory of a CTA, with what belongs to the system.
    pub(crate) shared_bytes: u64,
}

/// Constant bank 0 for a launch.
pub(crate) fn bank_zero(isa: Isa, setting: Setting<'_>, parameter_base: u32, parameters: &[u8]) -> Vec<u8> {
    let layout = layout(isa);
    let launch = setting.launch;
    let base = parameter_base as usize;
    let mut bank = vec![0; (base + parameters.len()).max(layout.parameters)];
    let mut put = |offset: usize, bytes: &[u8]| {
        if let Some(place) = bank.get_mut(offset..offset + bytes.len()) {
            place.copy_from_slice(bytes);
        }
    };
    for axis in 0..3 {
        put(layout.block + 4 * axis, &launch.block[axis].to_le_bytes());
        put(layout.grid + 4 * axis, &launch.grid[axis].to_le_bytes());
    }
    put(layout.stack, &(setting.stack_bytes as u32).to_le_bytes());
    put(layout.local, &LOCAL_WINDOW.to_le_bytes());
    put(layout.constants, &setting.constant_address.to_le_bytes());
    if let Some(shared) = layout.shared {
        put(shared, &SHARED_WINDOW.to_le_bytes());
    }
    put(layout.dynamic_shared, &launch.dynamic_shared.to_le_bytes());
    put(layout.grid_number, &1_u64.to_le_bytes());
    put(layout.multiprocessors, &MULTIPROCESSORS.to_le_bytes());
    if let Some(reserved) = layout.reserved_shared {
        put(reserved, &RESERVED_SHARED.to_le_bytes());
    }
    if let Some(clusters) = layout.clusters {
        for axis in 0..3 {
            let ctas = setting.cluster[axis].max(1);
            put(clusters.ctas + 4 * axis, &ctas.to_le_bytes());
            put(clusters.reciprocals + 4 * axis, &reciprocal(ctas).to_le_bytes());
            put(clusters.clusters + 4 * axis, &(launch.grid[axis] / ctas).to_le_bytes());
        }
        let count: u32 = setting.cluster.iter().product();
        put(clusters.rank_count, &count.to_le_bytes());
        put(clusters.explicit, &u32::from(setting.explicit_cluster).to_le_bytes());
        put(clusters.shared_limit, &(setting.shared_bytes as u32).to_le_bytes());
    }
    put(base, parameters);
    bank
}

/// Bytes of shared memory that belong to the system from sm_90 on.
const RESERVED_SHARED: u32 = 1024;

/// The f32 reciprocal of a number from 1 to 2^23, rounded up, so that the product with a multiple is never below the quotient.
fn reciprocal(number: u32) -> u32 {
    let number = u64::from(number.clamp(1, 1 << 23));
    // 2^shift / number lies from 2^23 up to, but not at, 2^24.
    let shift = 23 + u64::BITS - (number - 1).leading_zeros();
    let significand = (1_u64 << shift).div_ceil(number) as u32;
    ((127 + 23 - shift) << 23) + (significand - (1 << 23))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reciprocals_are_rounded_up() {
        let expected = [
            (1, 0x3f80_0000),
            (2, 0x3f00_0000),
            (3, 0x3eaa_aaab),
            (4, 0x3e80_0000),
            (5, 0x3e4c_cccd),
            (7, 0x3e12_4925),
            (16, 0x3d80_0000),
        ];
        for (number, bits) in expected {
            assert_eq!(reciprocal(number), bits, "{number}");
        }
    }
}
