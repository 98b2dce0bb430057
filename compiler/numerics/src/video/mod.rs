//! Video operations: scalar ones that may select bytes or halves of their operands, and parallel ones on two halves or four bytes.
//!
//! This is what the manual says. Machines from sm_75 on have no such instructions but a few; ptxas 13.0 makes sequences for the others, and these
//! differ from the manual in corners, on sm_80 at least:
//!
//! * A scalar `.sat` to a signed byte or half gives the largest value for negative results, too.
//! * `.min` and `.max` as secondary operation of an unsigned `vadd` take a result from 2^31 on for larger than any c.
//! * `vmad` on unsigned words multiplies and adds them as signed ones.

mod packed;
mod scalar;
#[cfg(test)]
mod tests;

pub use packed::{Lanes, Packed, packed, packed_compare};
pub use scalar::{Multiply, Scalar, Secondary, Select, multiply_add, scalar, scalar_compare, shift};

use crate::integer::{Integer, S32, U32};

/// What both families compute first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operation {
    /// `vadd`, `vadd2`, `vadd4`.
    Add,
    /// `vsub` and its like.
    Subtract,
    /// `vabsdiff` and its like.
    AbsoluteDifference,
    /// `vmin` and its like.
    Minimum,
    /// `vmax` and its like.
    Maximum,
    /// `vavrg2` and `vavrg4`: half of the sum, rounded away from zero at a tie. There is no scalar form.
    Average,
}

impl Operation {
    /// The exact result.
    const fn apply(self, a: i128, b: i128) -> i128 {
        match self {
            Self::Add => a + b,
            Self::Subtract => a - b,
            Self::AbsoluteDifference => (a - b).abs(),
            Self::Minimum => {
                if a < b {
                    a
                } else {
                    b
                }
            }
            Self::Maximum => {
                if a > b {
                    a
                } else {
                    b
                }
            }
            Self::Average => {
                let sum = a + b;
                (sum + (sum >= 0) as i128) >> 1
            }
        }
    }
}

/// The 32-bit type of a signedness.
const fn word(signed: bool) -> Integer {
    if signed { S32 } else { U32 }
}
