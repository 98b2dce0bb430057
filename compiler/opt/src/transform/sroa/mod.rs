//! Scalar replacement of aggregates: an alloca whose address goes nowhere is cut into the pieces that are accessed, each piece becomes an alloca of
//! its own, and those become values ([`super::promote`]).
//!
//! [`uses`] finds what is done to an alloca, through address computations; [`pieces`] chooses where to cut; [`rewrite`] puts accesses of pieces in the
//! place of the accesses of the whole; [`prepare`] brings code into a form that this understands: aggregates loaded and stored field by field, and
//! loads of a choice between two addresses turned into a choice between two loads.

pub(super) mod pieces;
mod prepare;
mod rewrite;
mod uses;

use warpsmith_ir::{Function, Instruction, InstructionId};

use super::promote;
use crate::pipeline::Unit;

/// The pass.
pub(crate) fn run(function: &mut Function, unit: &Unit<'_>) -> bool {
    let mut changed = prepare::run(function, unit);
    // What one round makes of copies between allocas shows the next where to cut; aggregates are copied along chains of a few variables.
    for round in 0..4 {
        let mut again = false;
        for alloca in allocas(function) {
            again |= split(function, unit, alloca, round > 0);
        }
        changed |= again;
        let all = allocas(function);
        changed |= promote::promote(function, unit, &all);
        again |= prepare::run(function, unit);
        if !again && round > 0 {
            break;
        }
    }
    changed
}

fn allocas(function: &Function) -> Vec<InstructionId> {
    function
        .all_instructions()
        .filter(|&id| matches!(function.instruction(id), Instruction::Alloca { .. }))
        .collect()
}

/// Cuts one alloca. Those that are only copied as a whole are left for later (`copies`): what they are copied from or to may show how to cut them.
fn split(function: &mut Function, unit: &Unit<'_>, alloca: InstructionId, copies: bool) -> bool {
    let Some(uses) = uses::find(function, alloca) else {
        return false;
    };
    if uses.accesses.is_empty() && uses.transfers.is_empty() {
        return rewrite::remove_unused(function, unit, alloca, &uses);
    }
    if uses.accesses.is_empty() && !copies && uses.transfers.iter().any(|transfer| transfer.reads) {
        return false;
    }
    let Some(pieces) = pieces::choose(function, alloca, &uses) else {
        return false;
    };
    unit.fuel.take() && rewrite::rewrite(function, alloca, &uses, &pieces)
}
