//! Two values in one register: f16x2 and bf16x2 in 32 bits, f32x2 in 64. Formats of more than 32 bits have no pairs.

use crate::format::Format;

/// The lanes of a packed value, the lower one first.
#[inline]
pub const fn split(format: Format, packed: u64) -> [u64; 2] {
    [packed & format.mask(), (packed >> format.width()) & format.mask()]
}

/// A packed value of two lanes, the lower one first.
#[inline]
pub const fn join(format: Format, [low, high]: [u64; 2]) -> u64 {
    low | high << format.width()
}

/// An operation on each lane of packed operands.
///
/// ```
/// use warpsmith_numerics::{float::{map_lanes, mul, Modifiers}, format::F16};
/// let product = map_lanes(F16, [0x3c00_4000, 0xbc00_4000], |[a, b]| mul(F16, Modifiers::default(), a, b));
/// assert_eq!(product, 0xbc00_4400); // (1 · -1, 2 · 2)
/// ```
#[inline]
pub fn map_lanes<const N: usize>(format: Format, operands: [u64; N], operation: impl Fn([u64; N]) -> u64) -> u64 {
    let lanes = operands.map(|packed| split(format, packed));
    join(format, [0, 1].map(|lane| operation(lanes.map(|operand| operand[lane]))))
}

#[cfg(test)]
mod tests {
    use super::{join, map_lanes, split};
    use crate::format::{BF16, F32};

    #[test]
    fn lanes() {
        assert_eq!(split(F32, 0x3f80_0000_4000_0000), [0x4000_0000, 0x3f80_0000]);
        assert_eq!(join(BF16, [0x3f80, 0x4000]), 0x4000_3f80);
        assert_eq!(map_lanes(BF16, [0x0001_0002, 0x0010_0020], |[a, b]| a + b), 0x0011_0022);
    }
}
