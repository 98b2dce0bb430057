//! How much a function may grow by unrolling: the limit of one loop bounds nothing where a function has many.

/// Instructions that any function may grow by without being asked for: as many as one loop that makes values of an array.
const FREE: usize = super::unroll::MOST_FOR_ARRAYS;
/// Instructions more for each that the function has.
const FREE_FOR_EACH: usize = 16;
/// The same of loops whose unrolling was asked for.
const ASKED: usize = 4 * super::unroll::MOST_ASKED;
const ASKED_FOR_EACH: usize = 64;

/// What is left of what a function may grow by.
#[derive(Clone, Copy, Debug)]
pub(super) struct Budget {
    free: usize,
    asked: usize,
}

/// What unrolling a loop costs, and what it is good for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Growth {
    /// It was not asked for.
    pub(super) is_free: bool,
    /// No local array can become values by it.
    pub(super) keeps_arrays: bool,
    /// The instructions that come to be.
    pub(super) instructions: usize,
}

impl Budget {
    /// Of a function of so many instructions.
    pub(super) fn new(instructions: usize) -> Budget {
        Budget {
            free: FREE.saturating_add(instructions.saturating_mul(FREE_FOR_EACH)),
            asked: ASKED.saturating_add(instructions.saturating_mul(ASKED_FOR_EACH)),
        }
    }
    /// Pays for the loops that there is enough for, those that bring the most first; which these are.
    pub(super) fn pay(&mut self, growths: &[Growth]) -> Vec<bool> {
        let mut order: Vec<usize> = (0..growths.len()).collect();
        order.sort_by_key(|&index| growths[index]);
        let mut paid = vec![false; growths.len()];
        for index in order {
            let growth = growths[index];
            let left = match growth.is_free {
                true => &mut self.free,
                false => &mut self.asked,
            };
            if let Some(rest) = left.checked_sub(growth.instructions) {
                *left = rest;
                paid[index] = true;
            }
        }
        paid
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn growth(keeps_arrays: bool, instructions: usize) -> Growth {
        Growth {
            is_free: true,
            keeps_arrays,
            instructions,
        }
    }

    #[test]
    fn arrays_come_first_and_small_loops_before_large_ones() {
        let mut budget = Budget::new(0);
        let wanted = [growth(true, 600), growth(true, 500), growth(false, FREE - 1_000)];
        assert_eq!(budget.pay(&wanted), [false, true, true]);
        assert_eq!(budget.pay(&[growth(true, 501)]), [false]);
        assert_eq!(budget.pay(&[growth(true, 500)]), [true]);
    }

    #[test]
    fn what_was_asked_for_has_a_budget_of_its_own() {
        let mut budget = Budget::new(10);
        let asked = |instructions| Growth {
            is_free: false,
            ..growth(true, instructions)
        };
        let all = FREE + 10 * FREE_FOR_EACH;
        assert_eq!(
            budget.pay(&[growth(true, all), asked(ASKED), asked(641)]),
            [true, false, true]
        );
    }
}
