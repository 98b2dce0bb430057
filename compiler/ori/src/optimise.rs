//! Optimisation of the machine IR: one file for each idea.
//!
//! [`values`] says what is known of definitions and uses; [`webs`] gives registers that mean several things several names; [`simplify`] applies rules to an
//! instruction and those that make its operands; [`dead`] takes out what nobody needs.

mod address;
mod algebra;
mod backward;
mod bits;
mod carries;
mod choices;
mod combine;
mod commute;
mod dead;
mod forward;
mod gather;
mod guarded;
mod halves;
mod hoist;
mod lanes;
mod late;
mod number;
mod operands;
mod packed;
mod pairs;
mod predicates;
mod recompute;
mod retest;
mod rewriter;
mod simplify;
mod sink;
mod sink_across;
mod sums;
mod tuples;
mod uncopy;
mod updates;
pub(crate) mod values;
pub(crate) mod webs;
mod zeros;

pub(crate) use commute::mirrored;
pub(crate) use dead::remove_dead;
pub(crate) use forward::forward_constants;
pub(crate) use guarded::fill_guarded_loads;
pub(crate) use halves::carry_words;
pub(crate) use hoist::hoist_invariants;
pub(crate) use late::combine_late;
pub(crate) use number::number_values;
pub(crate) use predicates::implied;
pub(crate) use recompute::recompute;
pub(crate) use simplify::simplify;
pub(crate) use sink::sink_into_uses;
pub(crate) use tuples::share_tuples;

pub(crate) use webs::{split_webs, split_words};
pub(crate) use zeros::pair_zeros;

use crate::{graph::ControlFlow, ir::Function, phase::Context};

/// Makes values where they are wanted: in pairs, and over what they take the place of.
pub(crate) fn place_results(function: &mut Function, context: &Context<'_>) -> Result<(), String> {
    pairs::make_in_pairs(function, context)?;
    updates::update_in_place(function, context)
}

/// Empties the blocks that control never reaches.
pub(crate) fn remove_unreached(function: &mut Function, _: &Context<'_>) -> Result<(), String> {
    // Only the entry and what is never reached have no dominator.
    let (dominators, _) = ControlFlow::dominators_of(function);
    let blocks = function.blocks.iter_mut().zip(dominators).skip(1);
    for (block, _) in blocks.filter(|(_, dominator)| dominator.is_none()) {
        block.code.clear();
    }
    Ok(())
}
