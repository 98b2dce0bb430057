//! What the driver puts into constant bank 0 before a launch. Where each value lies is the target's [`ConstantLayout`](warpsmith_target::ConstantLayout).

use warpsmith_target::Sm;

use super::code::{LOCAL_WINDOW, SHARED_WINDOW};
use crate::Launch;

/// What the driver knows of a launch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Setting<'l> {
    pub(crate) launch: &'l Launch,
    pub(crate) cluster: [u32; 3],
    pub(crate) explicit_cluster: bool,
    pub(crate) stack_bytes: u64,
    pub(crate) constant_address: u64,
    /// The generic address of what lies at the start of the parameters in constant bank 0.
    pub(crate) parameter_address: u64,
    /// Shared memory of a CTA, with what belongs to the system.
    pub(crate) shared_bytes: u64,
    /// The addresses of what tells of textures, samplers and surfaces.
    pub(crate) image_tables: [u64; 3],
    /// Where CTAs of a cooperative launch meet; 0 in others.
    pub(crate) workspace: u64,
    pub(crate) multiprocessors: u32,
}

/// Constant bank 0 for a launch. Slots that stand in a block per CTA lie at the first one's place: SR_CgaSize is zero here. It has whole words: ptxas reads the
/// last one whole where a smaller parameter is the last (observed).
pub(crate) fn bank_zero(sm: Sm, setting: Setting<'_>, parameter_base: u32, parameters: &[u8]) -> Vec<u8> {
    let slots = sm.info().constants;
    let launch = setting.launch;
    let base = parameter_base as usize;
    let end = (base + parameters.len()).next_multiple_of(4);
    let mut bank = vec![0; end.max(slots.parameters.into())];
    let mut put = |slot: Option<u16>, index: usize, bytes: &[u8]| {
        let place = slot.map(|slot| usize::from(slot) + index * bytes.len());
        if let Some(place) = place.and_then(|start| bank.get_mut(start..start + bytes.len())) {
            place.copy_from_slice(bytes);
        }
    };
    for axis in 0..3 {
        let ctas = setting.cluster[axis].max(1);
        put(Some(slots.cta_dimensions), axis, &launch.block[axis].to_le_bytes());
        put(Some(slots.grid_dimensions), axis, &launch.grid[axis].to_le_bytes());
        put(slots.cluster_dimensions, axis, &ctas.to_le_bytes());
        put(slots.cluster_reciprocals, axis, &reciprocal(ctas).to_le_bytes());
        put(slots.cluster_count, axis, &(launch.grid[axis] / ctas).to_le_bytes());
    }
    let count: u32 = setting.cluster.iter().product();
    put(slots.cluster_cta_count, 0, &count.to_le_bytes());
    put(
        slots.cluster_explicit,
        0,
        &u32::from(setting.explicit_cluster).to_le_bytes(),
    );
    put(
        slots.aggregate_shared_size,
        0,
        &(setting.shared_bytes as u32).to_le_bytes(),
    );
    put(
        Some(slots.stack_pointer),
        0,
        &(setting.stack_bytes as u32).to_le_bytes(),
    );
    put(Some(slots.local_window), 0, &LOCAL_WINDOW.to_le_bytes());
    for (index, table) in setting.image_tables.iter().enumerate() {
        put(Some(slots.image_tables), index, &table.to_le_bytes());
    }
    put(Some(slots.constant_window), 0, &setting.constant_address.to_le_bytes());
    // Where CTAs form clusters the window starts at the parameters, before at the bank.
    let clusters = slots.shared_window.is_none();
    let start = if clusters { 0 } else { u64::from(parameter_base) };
    let window = setting.parameter_address.wrapping_sub(start);
    put(Some(slots.parameter_window), 0, &window.to_le_bytes());
    if clusters && !parameters.is_empty() {
        let last = window.wrapping_add(parameters.len() as u64 - 1);
        put(Some(slots.parameter_window), 1, &last.to_le_bytes());
    }
    put(slots.shared_window, 0, &SHARED_WINDOW.to_le_bytes());
    put(Some(slots.dynamic_shared_size), 0, &launch.dynamic_shared.to_le_bytes());
    put(Some(slots.grid_id), 0, &1_u64.to_le_bytes());
    put(Some(slots.sm_count), 0, &setting.multiprocessors.to_le_bytes());
    // %envreg1 and %envreg2 have the upper and the lower half of where `grid.sync()` meets (cooperative_groups of CUDA 13.0).
    put(
        Some(slots.environment),
        1,
        &((setting.workspace >> 32) as u32).to_le_bytes(),
    );
    put(Some(slots.environment), 2, &(setting.workspace as u32).to_le_bytes());
    put(slots.reserved_shared_size, 0, &reserved_shared(sm).to_le_bytes());
    put(Some(parameter_base as u16), 0, parameters);
    bank
}

/// Bytes of the system at the start of a CTA's shared memory, from the first SM whose CTAs form clusters; before, its part lies outside.
pub(crate) fn reserved_shared(sm: Sm) -> u32 {
    let info = sm.info();
    if info.constants.shared_window.is_none() {
        info.shared.reserved_per_cta
    } else {
        0
    }
}

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

    #[test]
    fn the_last_parameter_is_in_a_whole_word() {
        let launch = Launch {
            kernel: String::new(),
            grid: [1; 3],
            block: [1; 3],
            cluster: [1; 3],
            dynamic_shared: 0,
            cooperative: false,
            arguments: Vec::new(),
        };
        let setting = Setting {
            launch: &launch,
            cluster: [1; 3],
            explicit_cluster: false,
            stack_bytes: 0,
            constant_address: 0,
            parameter_address: 0,
            shared_bytes: 0,
            image_tables: [0; 3],
            workspace: 0,
            multiprocessors: 1,
        };
        let bank = bank_zero(Sm::Sm90, setting, 0x210, &[1; 10]);
        assert_eq!(bank[0x210..], [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0]);
    }
}
