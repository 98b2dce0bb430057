//! Checked mode: a register that is read or written before the instructions in flight allow it is a fault.
//!
//! The emulator computes every result at once, so that a stall count too small or a missing wait would not show. [`InFlight`](warpsmith_sass::hazard::InFlight) says what the machine
//! would have seen.

use warpsmith_sass::hazard::Footprint;

use super::{
    code::{Pc, Program},
    machine::{Machine, Trouble},
    warp::Warp,
};
use crate::FaultKind;

/// The footprints of a program's instructions.
pub(crate) fn footprints(program: &Program) -> Vec<Footprint> {
    let instructions = program.instructions.iter();
    instructions
        .map(|instruction| instruction.as_ref().map(Footprint::of).unwrap_or_default())
        .collect()
}

/// Checks the instruction that the threads of `group` issue next; `active` says where its guard holds.
pub(crate) fn check(machine: &Machine<'_>, warp: &mut Warp, pc: Pc, group: u32, active: u32) -> Result<(), Trouble> {
    let instruction = machine.program.instructions.get(pc as usize).and_then(Option::as_ref);
    let (Some(instruction), Some(footprint), Some(in_flight)) = (
        instruction,
        machine.footprints.get(pc as usize),
        warp.in_flight.as_deref_mut(),
    ) else {
        return Ok(());
    };
    in_flight
        .issue(instruction, footprint, group, active)
        .map_err(|hazard| Trouble::new(FaultKind::Hazard, hazard.message))?;
    super::uniform::follow(warp, footprint, group, active & group).map_err(|what| Trouble::new(FaultKind::Hazard, what))
}
