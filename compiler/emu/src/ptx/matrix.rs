//! Matrix products of a warp.

use super::{code::Code, warp::Warp};
use warpsmith_ptx::{instruction::Variant, table::Type};

/// A matrix instruction.
#[derive(Clone, Debug)]
pub(crate) struct Matrix {
    /// Starts of the register lists of d, a, b and c.
    pub(crate) lists: [u32; 4],
}

impl Matrix {
    /// The product that a variant of `mma` stands for.
    pub(crate) fn of(_variant: &Variant) -> Option<Matrix> {
        None
    }

    /// The type of the registers of c.
    pub(crate) fn sum_type(&self) -> Type {
        Type::B32
    }
}

/// Computes the product on the registers of a warp.
pub(crate) fn multiply(_code: &Code, _warp: &mut Warp, _matrix: &Matrix, _active: u32) {}
