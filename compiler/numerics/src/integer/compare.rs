//! Comparison and selection.
//!
//! What `set` and `setp` make of a comparison ([`setp`](crate::float::setp), [`truth_integer`](crate::float::truth_integer)) and `slct` with an
//! f32 ([`slct`](crate::float::slct)) stand with the floating-point comparisons.

use super::kind::Integer;

/// A comparison of integers. `lo`, `ls`, `hi` and `hs` are `lt`, `le`, `gt` and `ge` of an unsigned type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Comparison {
    /// `eq`.
    Equal,
    /// `ne`.
    NotEqual,
    /// `lt` and `lo`.
    Less,
    /// `le` and `ls`.
    LessOrEqual,
    /// `gt` and `hi`.
    Greater,
    /// `ge` and `hs`.
    GreaterOrEqual,
}

impl Comparison {
    /// Whether the comparison holds.
    #[inline]
    pub fn holds<T: Ord>(self, a: T, b: T) -> bool {
        match self {
            Self::Equal => a == b,
            Self::NotEqual => a != b,
            Self::Less => a < b,
            Self::LessOrEqual => a <= b,
            Self::Greater => a > b,
            Self::GreaterOrEqual => a >= b,
        }
    }
}

/// The comparison of two integers of a type.
///
/// ```
/// use warpsmith_numerics::integer::{compare, Comparison, S32, U32};
/// assert!(compare(S32, Comparison::Less, 0xffff_ffff, 0));
/// assert!(!compare(U32, Comparison::Less, 0xffff_ffff, 0));
/// ```
#[inline]
pub fn compare(kind: Integer, comparison: Comparison, a: u64, b: u64) -> bool {
    comparison.holds(kind.value(a), kind.value(b))
}

/// `selp`: a if the predicate holds, else b.
#[inline]
pub const fn select(a: u64, b: u64, predicate: bool) -> u64 {
    if predicate { a } else { b }
}

/// `slct` by the sign of an `.s32`: a for c ≥ 0, else b.
#[inline]
pub const fn select_by_integer(a: u64, b: u64, c: u32) -> u64 {
    select(a, b, c as i32 >= 0)
}
