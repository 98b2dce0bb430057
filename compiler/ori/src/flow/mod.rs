//! Passes over control flow.
//!
//! [`shape`] holds a function as nodes with their ways out; [`clean`], [`tails`], [`table`] and [`layout`] work on that, [`varying`] says what differs between the
//! threads of a warp, [`contended`] where others of them may run.

pub(crate) mod clean;
pub(crate) mod contended;
mod idempotent;
pub(crate) mod layout;
pub(crate) mod lone;
mod names;
pub(crate) mod once;
pub(crate) mod predicate;
pub(crate) mod progress;
pub(crate) mod reload;
mod repeated;
pub(crate) mod shape;
pub(crate) mod table;
pub(crate) mod tails;
pub(crate) mod together;
pub(crate) mod uniform;
mod uniform_copies;
mod uniform_descriptors;
mod uniform_hoist;
mod uniform_pressure;
pub(crate) mod unroll;
pub(crate) mod varying;
pub(crate) mod vectorise;

use warpsmith_sass::Opcode;

use crate::{
    ir::{Function, Instruction},
    phase::Context,
};
use shape::Shape;

/// Cleans up branches.
pub(crate) fn branches(function: &mut Function, context: &Context<'_>) -> Result<(), String> {
    if let Some(mut shape) = Shape::take(function, context.selector) {
        clean::clean(&mut shape, context.fuel);
        layout::place(shape, function);
    }
    Ok(())
}

/// Cleans up branches, and lets threads end where they would branch to an end.
pub(crate) fn branches_and_ends(function: &mut Function, context: &Context<'_>) -> Result<(), String> {
    if let Some(mut shape) = Shape::take(function, context.selector) {
        clean::clean(&mut shape, context.fuel);
        clean::repeat_ends(&mut shape, context.fuel);
        clean::clean(&mut shape, context.fuel);
        layout::place(shape, function);
    }
    Ok(())
}

/// What led to blocks that register allocation has emptied leads on, and branches around them turn.
pub(crate) fn emptied_blocks(function: &mut Function, context: &Context<'_>) -> Result<(), String> {
    let jumps = |instruction: &Instruction| instruction.base.opcode() == Opcode::Bra && instruction.guard.is_none();
    let is_way = |code: &[Instruction]| matches!(code, [only] if jumps(only));
    if !function.blocks.iter().any(|block| is_way(&block.code)) || !context.fuel.take() {
        return Ok(());
    }
    if let Some(mut shape) = Shape::take(function, context.selector) {
        shape.thread_all();
        layout::place(shape, function);
    }
    Ok(())
}
