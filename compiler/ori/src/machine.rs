//! From virtual registers to words: the phases from register allocation on, each followed by its checker.

use rustc_hash::FxHashSet;
use warpsmith_sass::{RegisterClass, hazard::check_straight};

use crate::{
    allocate::{Allocation, allocate},
    emit::layout,
    ir::Function,
    phase::Context,
    schedule::schedule,
    spill, verify,
};

/// A mistake of the compiler, found by its checkers: an error, and never wrong code.
fn internal(what: String) -> String {
    format!("internal error: {what}")
}

/// Gives every virtual register a physical one, and checks that every value is kept.
pub(crate) fn allocate_registers(function: &mut Function, context: &Context<'_>) -> Result<(), String> {
    let allocation = registers(function, context)?;
    verify::allocation(function, &allocation).map_err(internal)?;
    function.allocation = Some(allocation);
    Ok(())
}

/// Allocates registers; what does not fit is spilled, one register after the other.
fn registers(function: &mut Function, context: &Context<'_>) -> Result<Allocation, String> {
    let mut kept = FxHashSet::default();
    loop {
        let lack = match allocate(function, &kept) {
            Ok(allocation) => return Ok(allocation),
            Err(lack) => lack,
        };
        match (lack.class, lack.victim) {
            (RegisterClass::Predicate, Some(victim)) => {
                let made = spill::predicate(function, context.selector, victim);
                kept.extend(made.map_err(|error| error.to_string())?);
            }
            _ => return Err(lack.to_string()),
        }
    }
}

/// Sets stall counts and scoreboards.
pub(crate) fn set_scoreboards(function: &mut Function, _: &Context<'_>) -> Result<(), String> {
    schedule(function)
}

/// Writes the words, and checks that no register is used too early.
pub(crate) fn write_words(function: &mut Function, _: &Context<'_>) -> Result<(), String> {
    let code = layout(function)?;
    if let Some((index, hazard)) = check_straight(&code.words).first() {
        return Err(internal(format!("at {:#x}: {hazard}", index * 16)));
    }
    function.code = Some(code);
    Ok(())
}
