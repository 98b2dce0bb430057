//! How many registers of each file a function may have.

use warpsmith_sass::RegisterClass;
use warpsmith_target::Sm;

use super::regions;
use crate::ir::Function;

/// Threads of the largest CTA that the kernel says it may be launched with.
fn threads(function: &Function) -> Option<u32> {
    let extents = function.required_threads.or(function.maximum_threads)?;
    extents
        .iter()
        .try_fold(1_u32, |product, extent| product.checked_mul(*extent))
}

/// General registers of a thread, counted as in the function's header: with those that the machine keeps.
///
/// A limit of the kernel itself or of the command line is taken as it is, within what the machine can. Otherwise as many CTAs as the kernel asks for must
/// fit onto an SM, one if it does not ask: their warps are dealt to the partitions of the SM, and registers go to warps in units.
///
/// Source: observed, ptxas 13.0.88 with `.maxnreg`, `.maxntid`, `.minnctapersm`: 80 for 7 CTAs of 96 threads, 128 for 3 of 160, 168 for 3 of 128.
pub(crate) fn general(function: &Function) -> u32 {
    let info = function.sm.info();
    let registers = &info.registers;
    let most = registers.max_per_thread;
    let least = registers.min_per_thread.min(most);
    if let Some(stated) = function.register_limit {
        return stated.clamp(least, most);
    }
    let ctas = function.minimum_ctas.unwrap_or(1);
    let by_launch = threads(function).map_or(most, |threads| by_launch(function.sm, threads, ctas));
    by_launch.clamp(least, most)
}

/// General registers of a thread with which so many CTAs of so many threads fit onto an SM, no more than a thread may have.
pub fn by_launch(sm: Sm, threads: u32, ctas: u32) -> u32 {
    let (registers, occupancy) = (&sm.info().registers, &sm.info().occupancy);
    let warps = threads.div_ceil(occupancy.warp_size).max(1);
    if threads > occupancy.max_threads_per_sm {
        return registers.max_per_thread;
    }
    // Observed: what no SM can have is ignored.
    let ctas = match ctas.max(1) {
        ctas if ctas > occupancy.max_ctas_per_sm => 1,
        ctas if threads.saturating_mul(ctas) > occupancy.max_threads_per_sm => 1,
        ctas => ctas,
    };
    let partitions = occupancy.sub_partitions.max(1);
    let in_partition = warps.saturating_mul(ctas).div_ceil(partitions);
    let per_thread = registers.per_sm / partitions / in_partition.saturating_mul(occupancy.warp_size).max(1);
    let unit = (registers.allocation_unit / occupancy.warp_size).max(1);
    (per_thread / unit * unit).min(registers.max_per_thread)
}

/// General registers that code may use if it uses so many with no fewer CTAs, or warps, side by side on an SM: CTAs are as large as the kernel says they may be.
pub(crate) fn as_resident(function: &Function, used: u32) -> u32 {
    let info = function.sm.info();
    let (registers, occupancy) = (&info.registers, &info.occupancy);
    let partitions = occupancy.sub_partitions.max(1);
    let warps = threads(function).map_or(1, |threads| {
        threads.div_ceil(occupancy.warp_size).div_ceil(partitions).max(1)
    });
    let unit = (registers.allocation_unit / occupancy.warp_size).max(1);
    let lanes = warps.saturating_mul(occupancy.warp_size);
    let in_partition = registers.per_sm / partitions;
    let own = whole_units(function, used) + registers.reserved_per_thread;
    let resident = (in_partition / (own * lanes).max(1)).max(1);
    let most = in_partition / (resident * lanes).max(1) / unit * unit;
    most.max(own).min(registers.max_per_thread) - registers.reserved_per_thread
}

/// General registers that code may use if it uses so many: those that the machine gives a warp then.
pub(super) fn whole_units(function: &Function, used: u32) -> u32 {
    let info = function.sm.info();
    let registers = &info.registers;
    let unit = (registers.allocation_unit / info.occupancy.warp_size).max(1);
    let least = registers.min_per_thread;
    let whole = (used + registers.reserved_per_thread).max(least).next_multiple_of(unit);
    whole - registers.reserved_per_thread
}

/// Registers of a file that code may use.
pub(crate) fn limit(function: &Function, class: RegisterClass) -> u32 {
    let registers = &function.sm.info().registers;
    match class {
        RegisterClass::Gpr => {
            let most = regions::most(function).unwrap_or_else(|| general(function));
            most.min(registers.max_per_thread)
                .saturating_sub(registers.reserved_per_thread)
        }
        RegisterClass::UniformGpr => {
            let mut reserved = function.reserved.members(class);
            reserved
                .next()
                .map_or(registers.uniform, |first| registers.uniform.min(first.into()))
        }
        RegisterClass::Predicate => registers.predicates,
        RegisterClass::UniformPredicate => registers.uniform_predicates,
        RegisterClass::Barrier => {
            let reserved = function.reserved.members(class).next();
            reserved.map_or(registers.convergence_barriers, |first| {
                registers.convergence_barriers.min(first.into())
            })
        }
        RegisterClass::Scoreboard => registers.scoreboards,
    }
}
