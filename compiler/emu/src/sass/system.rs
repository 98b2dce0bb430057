//! Functions of the run-time system that device code calls: `vprintf`, `malloc`, `free`, `__assertfail`.

use super::{
    code::{Row, SYSTEM_BASE},
    machine::{Context, Flow, Trouble},
};
use crate::FaultKind;

/// The functions, in the order of their addresses.
pub(crate) const FUNCTIONS: [&str; 4] = ["vprintf", "malloc", "free", "__assertfail"];

/// The address of a function of the run-time system.
pub(crate) fn address_of(name: &str) -> Option<u64> {
    let index = FUNCTIONS.iter().position(|known| *known == name)?;
    Some(SYSTEM_BASE + 16 * index as u64)
}

/// Executes the function for these lanes, and returns to the address in R20 and R21.
pub(crate) fn call(context: &mut Context<'_, '_>, lanes: u32, address: u64) -> Result<Flow, Trouble> {
    let index = (address - SYSTEM_BASE) / 16;
    let _ = (Row::register(20), lanes, &context.mask);
    let name = usize::try_from(index).ok().and_then(|index| FUNCTIONS.get(index));
    Err(match name {
        Some(name) => Trouble::new(FaultKind::Unsupported, format!("a call of {name}")),
        None => Trouble::new(FaultKind::Call, format!("there is no code at {address:#x}")),
    })
}
