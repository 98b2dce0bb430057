//! Integer operations: arithmetic, extended precision, bits, logic, shifts, comparison and selection.
//!
//! A type is an [`Integer`], a value its bits in a `u64`. Operations that exist for 32 bits alone take `u32`. `and`, `or`, `xor`, `not` are
//! Rust's own.

mod arithmetic;
mod bits;
mod carry;
mod compare;
mod kind;
mod logic;
#[cfg(test)]
pub(crate) mod samples;
#[cfg(test)]
mod tests;

pub(crate) use arithmetic::common;
pub use arithmetic::{
    Part, absolute, add, bytewise, carryless_multiply_add, divide, maximum, minimum, multiply, multiply_add,
    multiply_add24, multiply24, negate, pairwise, remainder, subtract, sum_of_absolute_difference,
};
pub use bits::{
    NOT_FOUND, Range, bit_mask, count_leading_zeros, count_ones, extend, extract_field, find_bit, find_nth_set,
    insert_field, reverse,
};
pub use carry::{
    Carried, add_carry, add_carry_saturating, multiply_add_carry, subtract_carry, subtract_carry_saturating,
};
pub use compare::{Comparison, compare, select, select_by_integer};
pub use kind::{Integer, S8, S16, S32, S64, U8, U16, U32, U64};
pub use logic::{Direction, Permutation, funnel_shift, logical_not, lop3, permute, shift_left, shift_right};
