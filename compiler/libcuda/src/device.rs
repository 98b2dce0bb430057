//! The device as programs ask for it: `ir-defs/client/device.tbl`.

use warpsmith_target::{Sm, TargetInfo};

/// Bytes of memory that the device says it has, which are the host's to give.
pub(crate) const TOTAL_MEMORY: u64 = 64 << 30;
/// Bytes of `cudaDeviceProp`.
const PROPERTIES_BYTES: usize = 1008;

/// Where a value comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    Number(i32),
    /// The value of another attribute.
    Attribute(i32),
    Target(TargetFact),
    Chip(ChipFact),
    Setting(SettingFact),
}

/// What `targets.tbl` says of an SM.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TargetFact {
    ThreadsPerCta,
    BlockX,
    BlockY,
    BlockZ,
    GridX,
    GridY,
    GridZ,
    SharedStatic,
    ConstantBytes,
    WarpSize,
    Registers,
    ThreadsPerSm,
    Major,
    Minor,
    SharedPerSm,
    SharedOptin,
    SharedReserved,
    CtasPerSm,
    Clusters,
    TensorMaps,
}

impl TargetFact {
    fn of(self, info: &TargetInfo) -> u32 {
        let (occupancy, shared) = (&info.occupancy, &info.shared);
        let ([x, y, z], [width, height, depth]) = (occupancy.max_cta_dimensions, occupancy.max_grid_dimensions);
        let number = u32::from(info.number);
        match self {
            TargetFact::ThreadsPerCta => occupancy.max_threads_per_cta,
            TargetFact::BlockX => x,
            TargetFact::BlockY => y,
            TargetFact::BlockZ => z,
            TargetFact::GridX => width,
            TargetFact::GridY => height,
            TargetFact::GridZ => depth,
            TargetFact::SharedStatic => shared.static_limit,
            TargetFact::ConstantBytes => info.memory.constant_bank_bytes,
            TargetFact::WarpSize => occupancy.warp_size,
            TargetFact::Registers => info.registers.per_sm,
            TargetFact::ThreadsPerSm => occupancy.max_threads_per_sm,
            TargetFact::Major => number / 10,
            TargetFact::Minor => number % 10,
            TargetFact::SharedPerSm => shared.per_sm,
            TargetFact::SharedOptin => shared.max_per_cta,
            TargetFact::SharedReserved => shared.reserved_per_cta,
            TargetFact::CtasPerSm => occupancy.max_ctas_per_sm,
            TargetFact::Clusters => u32::from(occupancy.max_cluster_size > 1),
            // Tensor maps came with clusters.
            TargetFact::TensorMaps => u32::from(occupancy.max_cluster_size > 1),
        }
    }
}

/// A fact of the product that a target stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ChipFact {
    Clock,
    MemoryClock,
    BusWidth,
    L2Bytes,
    CopyEngines,
    Integrated,
    SingleToDouble,
}

/// A product.
#[derive(Debug)]
struct Chip {
    clock: u32,
    memory_clock: u32,
    bus_width: u32,
    l2_bytes: u32,
    copy_engines: u32,
    integrated: u32,
    single_to_double: u32,
}

impl ChipFact {
    fn of(self, chip: &Chip) -> u32 {
        match self {
            ChipFact::Clock => chip.clock,
            ChipFact::MemoryClock => chip.memory_clock,
            ChipFact::BusWidth => chip.bus_width,
            ChipFact::L2Bytes => chip.l2_bytes,
            ChipFact::CopyEngines => chip.copy_engines,
            ChipFact::Integrated => chip.integrated,
            ChipFact::SingleToDouble => chip.single_to_double,
        }
    }
}

/// What the stand-in is set to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SettingFact {
    Multiprocessors,
    Memory,
}

include!(concat!(env!("OUT_DIR"), "/device.rs"));

fn chip(sm: Sm) -> Option<&'static Chip> {
    let number = u32::from(sm.info().number);
    CHIPS.iter().find(|(known, _)| *known == number).map(|(_, chip)| chip)
}

impl Value {
    fn of(self, sm: Sm, multiprocessors: u32) -> u64 {
        match self {
            // As the four bytes that a program reads.
            Value::Number(number) => u64::from(number as u32),
            Value::Attribute(number) => {
                attribute(number, sm, multiprocessors).map_or(0, |value| u64::from(value as u32))
            }
            Value::Target(fact) => fact.of(sm.info()).into(),
            Value::Chip(fact) => chip(sm).map_or(0, |chip| fact.of(chip)).into(),
            Value::Setting(SettingFact::Multiprocessors) => multiprocessors.into(),
            Value::Setting(SettingFact::Memory) => TOTAL_MEMORY,
        }
    }
}

/// An attribute by its number in `CUdevice_attribute`; `None`: there is none of this number.
pub(crate) fn attribute(number: i32, sm: Sm, multiprocessors: u32) -> Option<i32> {
    let (_, value) = ATTRIBUTES.iter().find(|(known, _)| *known == number)?;
    let value = match value {
        // The table refers to attributes in properties only; a chain would end here.
        Value::Attribute(_) => return None,
        value => value.of(sm, multiprocessors),
    };
    Some(value as i32)
}

/// The name of the device.
pub(crate) fn name(sm: Sm) -> String {
    format!("Warpsmith emulator of {sm}")
}

/// The identity of the device, which has none of a vendor.
pub(crate) fn uuid(sm: Sm) -> [u8; 16] {
    let mut bytes = *b"Warpsmith\0\0\0\0\0\0\0";
    bytes[14..].copy_from_slice(&sm.info().number.to_le_bytes());
    bytes
}

/// The bytes of `cudaDeviceProp`.
pub(crate) fn properties(sm: Sm, multiprocessors: u32) -> Vec<u8> {
    let mut bytes = vec![0; PROPERTIES_BYTES];
    let name = name(sm);
    bytes[..name.len()].copy_from_slice(name.as_bytes());
    bytes[256..272].copy_from_slice(&uuid(sm));
    for (offset, size, value) in PROPERTIES {
        let value = value.of(sm, multiprocessors).to_le_bytes();
        bytes[*offset..offset + size].copy_from_slice(&value[..*size]);
    }
    bytes
}

/// CTAs of so many threads, registers a thread and bytes of shared memory that a multiprocessor holds at once (cuda_occupancy.h of CUDA 13.0).
pub(crate) fn occupancy(sm: Sm, threads: u32, registers: u32, shared: u64) -> u32 {
    let info = sm.info();
    let limits = &info.occupancy;
    if threads == 0 || threads > limits.max_threads_per_cta {
        return 0;
    }
    let warps = threads.div_ceil(limits.warp_size);
    let by_warps = limits.max_threads_per_sm / limits.warp_size / warps;
    let unit = info.registers.allocation_unit.max(1);
    let of_warp = (registers * limits.warp_size).next_multiple_of(unit).max(1);
    let parts = limits.sub_partitions.max(1);
    let by_registers = match registers {
        0 => by_warps,
        _ => info.registers.per_sm / parts / of_warp * parts / warps.next_multiple_of(parts),
    };
    let of_cta =
        (shared + u64::from(info.shared.reserved_per_cta)).next_multiple_of(info.shared.allocation_unit.max(1).into());
    let by_shared = match of_cta {
        0 => limits.max_ctas_per_sm,
        bytes => u32::try_from(u64::from(info.shared.per_sm) / bytes).unwrap_or(u32::MAX),
    };
    by_warps.min(by_registers).min(by_shared).min(limits.max_ctas_per_sm)
}

/// The most threads of a CTA whose threads have so many registers.
pub(crate) fn threads_by_registers(sm: Sm, registers: u32) -> u32 {
    let info = sm.info();
    let warp = info.occupancy.warp_size;
    let parts = info.occupancy.sub_partitions.max(1);
    let of_warp = (registers.max(1) * warp).next_multiple_of(info.registers.allocation_unit.max(1));
    (info.registers.per_sm / parts / of_warp * parts * warp).min(info.occupancy.max_threads_per_cta)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_attribute_answers_on_every_target() {
        for sm in Sm::ALL {
            assert!(chip(*sm).is_some(), "{sm}");
            for number in 1..=147 {
                assert!(attribute(number, *sm, 8).is_some(), "attribute {number} of {sm}");
            }
            assert_eq!(attribute(0, *sm, 8), None);
            assert_eq!(attribute(148, *sm, 8), None);
        }
    }

    #[test]
    fn attributes_differ_by_target_as_the_chips_do() {
        let of = |sm, number| attribute(number, sm, 8).expect("it is known");
        assert_eq!(
            (of(Sm::Sm75, 75), of(Sm::Sm75, 76), of(Sm::Sm121, 75), of(Sm::Sm121, 76)),
            (7, 5, 12, 1)
        );
        // COMPUTE_MODE, MULTIPROCESSOR_COUNT, MAX_THREADS_PER_MULTIPROCESSOR, MAX_BLOCKS_PER_MULTIPROCESSOR.
        assert_eq!((of(Sm::Sm90a, 20), of(Sm::Sm90a, 16)), (0, 8));
        assert_eq!(
            (of(Sm::Sm75, 39), of(Sm::Sm80, 39), of(Sm::Sm86, 39)),
            (1024, 2048, 1536)
        );
        assert_eq!((of(Sm::Sm86, 106), of(Sm::Sm90, 106)), (16, 32));
        // L2, the ratio of single to double, clusters, the largest shared memory of a CTA.
        assert_eq!((of(Sm::Sm80, 38), of(Sm::Sm90, 38)), (40 << 20, 50 << 20));
        assert_eq!((of(Sm::Sm80, 87), of(Sm::Sm89, 87)), (2, 64));
        assert_eq!((of(Sm::Sm89, 120), of(Sm::Sm90, 120)), (0, 1));
        assert_eq!((of(Sm::Sm89, 97), of(Sm::Sm90, 97)), (99 << 10, 227 << 10));
        // Textures, and what is not there.
        assert_eq!(
            (of(Sm::Sm90, 21), of(Sm::Sm90, 69), of(Sm::Sm90, 24)),
            (131_072, 1 << 28, 16_384)
        );
        assert_eq!((of(Sm::Sm90, 107), of(Sm::Sm90, 134)), (0, -1));
    }

    #[test]
    fn properties_say_what_attributes_say() {
        let bytes = properties(Sm::Sm90, 8);
        let word = |at: usize| i32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"));
        let size = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"));
        assert!(bytes.starts_with(b"Warpsmith emulator of sm_90\0"));
        assert_eq!(
            (size(288), size(296), word(304), word(308)),
            (TOTAL_MEMORY, 48 << 10, 65_536, 32)
        );
        assert_eq!((word(320), word(360), word(364), word(384)), (1024, 9, 0, 8));
        assert_eq!(
            (word(392), word(396)),
            (1, 131_072),
            "canMapHostMemory and maxTexture1D"
        );
        let managed = PROPERTIES.iter().filter(|(.., value)| *value == Value::Attribute(83));
        let places: Vec<usize> = managed.map(|(offset, ..)| *offset).collect();
        assert_eq!(places.iter().map(|&at| word(at)).collect::<Vec<_>>(), [1]);
    }

    #[test]
    fn occupancy_is_that_of_the_calculator() {
        // 256 threads of 32 registers: threads limit them; of 64: registers; 48 KB of shared memory: that.
        assert_eq!(occupancy(Sm::Sm90, 256, 32, 0), 8);
        assert_eq!(occupancy(Sm::Sm90, 256, 64, 0), 4);
        assert_eq!(occupancy(Sm::Sm90, 256, 32, 48 << 10), 4);
        assert_eq!(occupancy(Sm::Sm75, 1024, 32, 0), 1);
        assert_eq!(occupancy(Sm::Sm86, 32, 16, 0), 16);
        assert_eq!(occupancy(Sm::Sm90, 1024, 255, 0), 0);
        assert_eq!(threads_by_registers(Sm::Sm90, 255), 256);
        assert_eq!(threads_by_registers(Sm::Sm90, 32), 1024);
    }
}
