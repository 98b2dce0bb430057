//! Rules on an instruction and the instructions that make its operands, applied until none fits.
//!
//! One walk over the function meets every definition before its uses, so that most chains fold at once; a second walk takes up what the first opened.

use super::{address, algebra, backward, carries, combine, operands, predicates, rewriter::Rewriter};
use crate::{ir::Function, phase::Context};

/// A rule: whether it changed the instruction.
type Rule = fn(&mut Rewriter<'_>, u32) -> bool;

/// The rules, in the order in which they are asked.
const RULES: [Rule; 11] = [
    backward::simplify,
    operands::copies,
    operands::constants,
    operands::uniform_constants,
    operands::all_lanes,
    operands::no_lane_masks,
    predicates::simplify,
    algebra::simplify,
    carries::simplify,
    combine::simplify,
    address::simplify,
];

/// Rewrites of one instruction in one walk; more would be a circle.
const LIMIT: usize = 16;

/// Walks over the function.
const ROUNDS: usize = 3;

/// Simplifies a function.
pub(crate) fn simplify(function: &mut Function, context: &Context<'_>) -> Result<(), String> {
    for _ in 0..ROUNDS {
        // In each round, since a constant may come by a copy.
        super::choices::choose(function, context);
        let mut rewriter = Rewriter::new(function, context);
        let mut changed = false;
        for number in rewriter.order() {
            let mut left = LIMIT;
            rewriter.current = number;
            while left > 0 && !rewriter.is_removed(number) && RULES.iter().any(|rule| rule(&mut rewriter, number)) {
                changed = true;
                left -= 1;
            }
        }
        rewriter.finish();
        if !changed {
            break;
        }
        super::dead::remove_dead(function, context)?;
    }
    Ok(())
}
