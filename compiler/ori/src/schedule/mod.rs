//! Order of instructions, stall counts and scoreboards.
//!
//! The machine waits for nothing by itself: an instruction says how long the next one stalls, which of six scoreboards tell that its result is there or
//! its sources are read, and which scoreboards it waits for. [`scoreboards`] sets all that after registers are allocated.

mod dependences;
mod facts;
mod lean;
mod list;
mod margins;
mod pressure;
mod reuse;
mod scoreboards;
mod twins;

use crate::{ir::Function, phase::Context};

/// Sets stall counts and scoreboards.
pub(crate) fn set_scoreboards(function: &mut Function, _: &Context<'_>) -> Result<(), String> {
    scoreboards::set(function, false)
}

/// Sets stall counts and scoreboards so that every instruction waits for all before it.
pub(crate) fn set_serial_scoreboards(function: &mut Function, _: &Context<'_>) -> Result<(), String> {
    scoreboards::set(function, true)
}

/// Puts the instructions of each block into an order that hides latencies, as far as registers allow.
pub(crate) fn schedule_before_allocation(function: &mut Function, context: &Context<'_>) -> Result<(), String> {
    if context.fuel.take() {
        list::before_allocation(function, 0);
    }
    Ok(())
}

/// As [`schedule_before_allocation`], as if there were so many general registers fewer: where allocation has found no place for those that there should be.
pub(crate) fn schedule_for_fewer(function: &mut Function, fewer: u32) {
    list::before_allocation(function, fewer);
}

/// Puts the instructions of each block into an order that hides latencies, with registers as they are.
pub(crate) fn schedule_after_allocation(function: &mut Function, context: &Context<'_>) -> Result<(), String> {
    if context.fuel.take() {
        list::after_allocation(function, context);
    }
    Ok(())
}
