//! `tcgen05.cp`: rows of a matrix in shared memory to lanes of tensor memory, perhaps with elements of four or six bits spread to bytes.

use super::{Tensors, split};
use crate::matrix::descriptor::{Descriptor, Major};

/// Where the rows go, as many after each other as there are rows for each target: 32, or one of `.4x256b`.
pub(crate) type Targets = &'static [&'static [usize]];

/// Each to the lanes of its own. Of four rows each goes to another part of 32 lanes: those are the ones that a shift leaves to be filled (the manual
/// shows it in a figure alone; observed on a B200, by NumSim as `multiply` says).
pub(crate) const EACH: Targets = &[&[0], &[32], &[64], &[96]];
/// Rows 0–31 to parts 0 and 2, rows 32–63 to parts 1 and 3.
pub(crate) const PAIRS_02_13: Targets = &[&[0, 64], &[32, 96]];
/// Rows 0–31 to parts 0 and 1, rows 32–63 to parts 2 and 3.
pub(crate) const PAIRS_01_23: Targets = &[&[0, 32], &[64, 96]];
/// To all parts.
pub(crate) const ALL: Targets = &[&[0, 32, 64, 96]];

/// What is done to the elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Decompression {
    Nothing,
    /// 16 elements of four bits and 8 bytes of padding become 16 bytes, with the element in bits 5–2.
    FourBits,
    /// 16 elements of six bits and 4 bytes of padding become 16 bytes, with the element in bits 5–0.
    SixBits,
}

impl Decompression {
    fn of(self, unit: [u8; 16]) -> [u8; 16] {
        let bits = u128::from_le_bytes(unit);
        match self {
            Decompression::Nothing => unit,
            Decompression::FourBits => std::array::from_fn(|index| ((bits >> (4 * index)) as u8 & 0xf) << 2),
            Decompression::SixBits => std::array::from_fn(|index| (bits >> (6 * index)) as u8 & 0x3f),
        }
    }
}

/// A copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Copy {
    /// Rows of the matrix, and its units of 16 bytes.
    pub(crate) rows: usize,
    pub(crate) units: usize,
    pub(crate) targets: Targets,
    pub(crate) decompression: Decompression,
    /// `.cta_group::2`: both CTAs of the pair copy, each within its own memory.
    pub(crate) pair: bool,
}

impl Copy {
    /// Copies.
    pub(crate) fn execute<T: Tensors>(self, tensors: &mut T, address: u64, description: u64) -> Result<(), T::Error> {
        let (row, column) = split(address);
        let described = Descriptor::tcgen05(description)?;
        let together = self.rows / self.targets.len().max(1);
        for member in 0..if self.pair { 2 } else { 1 } {
            for source in 0..self.rows {
                for index in 0..self.units {
                    let unit = tensors.unit(member, described.unit(Major::K, source, index)?)?;
                    let unit = self.decompression.of(unit);
                    for (word, bytes) in unit.chunks_exact(4).enumerate() {
                        let value = bytes
                            .iter()
                            .rev()
                            .fold(0_u32, |word, byte| word << 8 | u32::from(*byte));
                        for lane in self.targets.get(source / together).copied().unwrap_or_default() {
                            let lane = row + lane + source % together;
                            tensors.memory(member)?.set(lane, column + 4 * index + word, value)?;
                        }
                    }
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::Decompression;

    #[test]
    fn elements_become_bytes() {
        let unit: [u8; 16] = std::array::from_fn(|index| (0x10 * (index * 2 + 1) + index * 2) as u8);
        let four = Decompression::FourBits.of(unit);
        assert_eq!(four[..4], [0, 1 << 2, 2 << 2, 3 << 2]);
        let bits = (0..16_u128).fold(0, |all, index| all | (index + 40) << (6 * index));
        let six = Decompression::SixBits.of(bits.to_le_bytes());
        assert_eq!(six, std::array::from_fn(|index| index as u8 + 40));
    }
}
