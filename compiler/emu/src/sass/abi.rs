//! What the driver puts into constant bank 0 before a launch, on each generation.
//!
//! Source: observed, from where code of ptxas 13.0.88 reads special registers, the stack pointer and generic addresses.

use warpsmith_target::Isa;

use super::code::{LOCAL_WINDOW, SHARED_WINDOW};
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
    /// The generic address of shared memory, 8 bytes; later generations have special registers for it.
    shared: Option<usize>,
    /// Where the parameters start.
    parameters: usize,
}

fn layout(isa: Isa) -> Layout {
    match isa {
        Isa::Sm75 | Isa::Sm80 | Isa::Sm86 | Isa::Sm89 => Layout {
            block: 0,
            grid: 0xc,
            stack: 0x28,
            local: 0x20,
            shared: Some(0x18),
            parameters: 0x160,
        },
        Isa::Sm90 => Layout {
            block: 0,
            grid: 0xc,
            stack: 0x28,
            local: 0x20,
            shared: None,
            parameters: 0x210,
        },
        Isa::Sm100 | Isa::Sm103 | Isa::Sm110 | Isa::Sm120 => Layout {
            block: 0x360,
            grid: 0x370,
            stack: 0x37c,
            local: 0x2f8,
            shared: None,
            parameters: 0x380,
        },
    }
}

/// Where the parameters of a kernel start in constant bank 0.
pub(crate) fn parameter_base(isa: Isa) -> u32 {
    layout(isa).parameters as u32
}

/// Constant bank 0 for a launch.
pub(crate) fn bank_zero(
    isa: Isa,
    launch: &Launch,
    stack_bytes: u64,
    parameter_base: u32,
    parameters: &[u8],
) -> Vec<u8> {
    let layout = layout(isa);
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
    put(layout.stack, &(stack_bytes as u32).to_le_bytes());
    put(layout.local, &LOCAL_WINDOW.to_le_bytes());
    if let Some(shared) = layout.shared {
        put(shared, &SHARED_WINDOW.to_le_bytes());
    }
    put(base, parameters);
    bank
}
