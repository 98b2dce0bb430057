//! Checked mode.

use super::{
    code::Pc,
    machine::{Machine, Trouble},
    warp::Warp,
};

/// What is in flight.
#[derive(Debug, Default)]
pub(crate) struct Hazards {}

pub(crate) fn check(machine: &Machine<'_>, warp: &mut Warp, pc: Pc, mask: u32) -> Result<(), Trouble> {
    let _ = (machine, warp, pc, mask);
    Ok(())
}
