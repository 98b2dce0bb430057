//! Parallel video operations on two halves or four bytes.

use super::Operation;
use crate::integer::{Comparison, Integer};

/// How many lanes a register has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Lanes {
    /// Two halves.
    Two,
    /// Four bytes.
    Four,
}

impl Lanes {
    const fn count(self) -> u32 {
        match self {
            Self::Two => 2,
            Self::Four => 4,
        }
    }

    const fn width(self) -> u32 {
        32 / self.count()
    }

    /// The selection of a's own lanes in order: `.h10` and `.b3210`.
    pub const fn own(self) -> [u8; 4] {
        [0, 1, 2, 3]
    }

    /// The selection of b's lanes in order: `.h32` and `.b7654`.
    pub const fn other(self) -> [u8; 4] {
        let count = self.count() as u8;
        [count, count + 1, count + 2, count + 3]
    }
}

/// The modifiers of a parallel video operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Packed {
    /// Halves or bytes.
    pub lanes: Lanes,
    /// Whether the results are signed: the range of `.sat`.
    pub signed: bool,
    /// Whether the first and the second operands are.
    pub operands_signed: [bool; 2],
    /// For each lane from the lowest, which lane of a (first) and b (then) is the first and which the second operand. Two lanes use two.
    pub selects: [[u8; 4]; 2],
    /// `.sat`.
    pub saturate: bool,
    /// A bit per lane: others keep c, or with `accumulate` do not count.
    pub mask: u8,
    /// `.add`: the results are added to c instead of put in their lanes.
    pub accumulate: bool,
}

impl Packed {
    /// Unsigned lanes in order, all written.
    pub const fn plain(lanes: Lanes) -> Self {
        Self {
            lanes,
            signed: false,
            operands_signed: [false; 2],
            selects: [lanes.own(), lanes.other()],
            saturate: false,
            mask: 0xf,
            accumulate: false,
        }
    }

    /// The operand in a lane.
    fn operand(&self, which: usize, lane: u32, a: u32, b: u32) -> i128 {
        let width = self.lanes.width();
        let chosen = u32::from(self.selects[which][lane as usize]) & (2 * self.lanes.count() - 1);
        let both = u64::from(b) << 32 | u64::from(a);
        Integer {
            width,
            signed: self.operands_signed[which],
        }
        .value(both >> (chosen * width))
    }

    fn run(&self, a: u32, b: u32, c: u32, compute: impl Fn(i128, i128) -> i128) -> u32 {
        let width = self.lanes.width();
        let range = Integer {
            width,
            signed: self.signed,
        };
        let lanes = (0..self.lanes.count()).filter(|lane| self.mask >> lane & 1 != 0);
        lanes.fold(c, |destination, lane| {
            let result = compute(self.operand(0, lane, a, b), self.operand(1, lane, a, b));
            let result = if self.saturate {
                result.clamp(range.least(), range.greatest())
            } else {
                result
            };
            if self.accumulate {
                destination.wrapping_add(result as u32)
            } else {
                let mask = range.mask() as u32;
                destination & !(mask << (lane * width)) | (result as u32 & mask) << (lane * width)
            }
        })
    }
}

/// `vadd2`, `vsub4` and their like.
///
/// ```
/// use warpsmith_numerics::video::{packed, Lanes, Operation, Packed};
/// let bytes = Packed::plain(Lanes::Four);
/// assert_eq!(packed(Operation::Add, bytes, 0x01ff_0304, 0x0101_0101, 0), 0x0200_0405);
/// assert_eq!(packed(Operation::Add, Packed { saturate: true, ..bytes }, 0x01ff_0304, 0x0101_0101, 0), 0x02ff_0405);
/// assert_eq!(packed(Operation::Maximum, Packed { accumulate: true, mask: 0b0011, ..bytes }, 0x0903, 0x0109, 100), 118);
/// ```
pub fn packed(operation: Operation, form: Packed, a: u32, b: u32, c: u32) -> u32 {
    form.run(a, b, c, |first, second| operation.apply(first, second))
}

/// `vset2` and `vset4`: 1 in each lane where the comparison holds, else 0.
///
/// ```
/// use warpsmith_numerics::integer::Comparison;
/// use warpsmith_numerics::video::{packed_compare, Lanes, Packed};
/// assert_eq!(packed_compare(Comparison::Less, Packed::plain(Lanes::Two), 0x0001_0005, 0x0002_0004, 0), 0x0001_0000);
/// ```
pub fn packed_compare(comparison: Comparison, form: Packed, a: u32, b: u32, c: u32) -> u32 {
    form.run(a, b, c, |first, second| i128::from(comparison.holds(first, second)))
}
