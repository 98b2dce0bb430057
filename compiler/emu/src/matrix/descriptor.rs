//! How matrices lie in shared memory: matrix descriptors, canonical layouts and swizzles.
//!
//! PTX ISA 9.7.15.5.1.2 (`wgmma`) and 9.7.16.4 (`tcgen05`). A matrix is a set of *units* of 16 bytes. In a K-major matrix a unit holds consecutive
//! elements of one row of A or one column of B; in an MN-major one it holds elements of consecutive rows (columns) with the same k. Below, `mn` is
//! the index of a row of A or a column of B.

use super::{Element, Matrix};

/// Bytes of a unit.
pub(crate) const UNIT: u64 = 16;

/// The permutation of units within a repeating pattern of shared memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Swizzle {
    None,
    /// Pattern of 256 bytes, units permuted within 32.
    Bytes32,
    /// Pattern of 512 bytes, units permuted within 64.
    Bytes64,
    /// Pattern of 1024 bytes, units permuted within 128.
    Bytes128,
    /// As `Bytes128`, but pairs of units stay together (`tcgen05` only).
    Bytes128Atom32,
}

impl Swizzle {
    /// Bytes of the rows in which units are permuted; without a swizzle, those of a unit.
    pub(crate) fn span(self) -> u64 {
        match self {
            Swizzle::None => UNIT,
            Swizzle::Bytes32 => 32,
            Swizzle::Bytes64 => 64,
            Swizzle::Bytes128 | Swizzle::Bytes128Atom32 => 128,
        }
    }

    /// Where the byte at an address lies: some of the bits from bit 7 on are added, modulo 2, to those from bit 4 (or 5) on. `base` is the matrix
    /// base offset: what address bits 9 to 7 are where the pattern starts.
    pub(crate) fn place(self, address: u64, base: u64) -> u64 {
        let row = (address >> 7).wrapping_sub(base);
        let (mask, shift) = match self {
            Swizzle::None => (0, 4),
            Swizzle::Bytes32 => (1, 4),
            Swizzle::Bytes64 => (3, 4),
            Swizzle::Bytes128 => (7, 4),
            Swizzle::Bytes128Atom32 => (3, 5),
        };
        address ^ (row & mask) << shift
    }
}

/// Which index runs through consecutive bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Major {
    /// k: A is stored by rows, B by columns (`imm-trans` 0).
    K,
    /// The row of A or the column of B (`imm-trans` 1).
    Mn,
}

/// What a matrix descriptor says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Descriptor {
    /// Address in shared memory, bits 13–0 of the descriptor times 16.
    pub(crate) start: u64,
    /// Leading dimension byte offset, bits 29–16 times 16; of `tcgen05` with `absolute`, an address.
    pub(crate) leading: u64,
    /// Stride dimension byte offset, bits 45–32 times 16.
    pub(crate) stride: u64,
    /// Matrix base offset, bits 51–49.
    pub(crate) base: u64,
    /// Bit 52 of `tcgen05`: the leading dimension is given by an address.
    pub(crate) absolute: bool,
    pub(crate) swizzle: Swizzle,
}

/// Why a descriptor stands for no matrix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Misdescribed(pub(crate) String);

/// `count` bits from bit `first`.
fn field(bits: u64, first: u32, count: u32) -> u64 {
    bits >> first & ((1 << count) - 1)
}

impl Descriptor {
    fn with(bits: u64, swizzle: Swizzle, absolute: bool) -> Descriptor {
        Descriptor {
            start: field(bits, 0, 14) * UNIT,
            leading: field(bits, 16, 14) * UNIT,
            stride: field(bits, 32, 14) * UNIT,
            base: field(bits, 49, 3),
            absolute,
            swizzle,
        }
    }

    /// The descriptor of `wgmma` (PTX ISA 9.7.15.5.1.2.2): the swizzle is in bits 63–62.
    pub(crate) fn wgmma(bits: u64) -> Descriptor {
        let swizzle = match field(bits, 62, 2) {
            0 => Swizzle::None,
            1 => Swizzle::Bytes128,
            2 => Swizzle::Bytes64,
            _ => Swizzle::Bytes32,
        };
        Descriptor::with(bits, swizzle, false)
    }

    /// The shared memory descriptor of `tcgen05` (PTX ISA 9.7.16.4.1): the swizzle is in bits 63–61, and bits 48–46 must be 0b001.
    pub(crate) fn tcgen05(bits: u64) -> Result<Descriptor, Misdescribed> {
        let swizzle = match field(bits, 61, 3) {
            0 => Swizzle::None,
            1 => Swizzle::Bytes128Atom32,
            2 => Swizzle::Bytes128,
            4 => Swizzle::Bytes64,
            6 => Swizzle::Bytes32,
            other => {
                return Err(Misdescribed(format!(
                    "the matrix descriptor has swizzling mode {other}"
                )));
            }
        };
        if field(bits, 46, 3) != 1 {
            let message = format!("bits 48–46 of the matrix descriptor are {}, not 1", field(bits, 46, 3));
            return Err(Misdescribed(message));
        }
        Ok(Descriptor::with(bits, swizzle, field(bits, 52, 1) != 0))
    }

    /// The address of a unit. `outer` is `mn` in a K-major matrix and k in an MN-major one; `inner` counts units along the other index.
    ///
    /// These are the canonical layouts of PTX ISA 9.7.15.5.1.2.1.3. In a swizzled K-major matrix no unit lies beyond the span of the swizzle:
    /// there the leading dimension is not used.
    pub(crate) fn unit(&self, major: Major, outer: usize, inner: usize) -> Result<u64, Misdescribed> {
        let (outer, inner) = (outer as u64, inner as u64);
        let span = self.swizzle.span();
        let (row, block) = (outer % 8, outer / 8);
        let offset = match (major, self.swizzle) {
            (Major::K, Swizzle::None) => row * UNIT + block * self.stride + inner * self.leading,
            (Major::K, _) if (self.start % span + inner * UNIT) >= span => {
                let message = format!("a row of the matrix leaves the {span} bytes within which units are swizzled");
                return Err(Misdescribed(message));
            }
            (Major::K, _) => row * span + block * self.stride + inner * UNIT,
            (Major::Mn, Swizzle::None) => row * UNIT + block * self.leading + inner * self.stride,
            (Major::Mn, _) => {
                let units = span / UNIT;
                row * span + block * self.stride + inner / units * self.leading + inner % units * UNIT
            }
        };
        Ok(self.swizzle.place(self.start + offset, self.base))
    }

    /// Reads rows of A or columns of B, `count` from `first` on, of `depth` elements each; `read` gives the unit at an address. Row `i` of the
    /// result is row or column `first + i`.
    ///
    /// Elements narrower than a byte are packed, the first in the lowest bits. `depth` counts containers of [`Element::bits`].
    pub(crate) fn read<E: From<Misdescribed>>(
        &self,
        major: Major,
        element: Element,
        (first, count): (usize, usize),
        depth: usize,
        mut read: impl FnMut(u64) -> Result<[u8; UNIT as usize], E>,
    ) -> Result<Matrix, E> {
        let held = 128 / element.bits() as usize;
        let mut matrix = Matrix::new(count, depth);
        match major {
            Major::K => {
                for row in 0..count {
                    for inner in 0..depth.div_ceil(held) {
                        let unit = u128::from_le_bytes(read(self.unit(major, first + row, inner)?)?);
                        for index in 0..held.min(depth - inner * held) {
                            matrix.set(row, inner * held + index, element.of_unit(unit, index));
                        }
                    }
                }
            }
            Major::Mn => {
                for k in 0..depth {
                    for inner in first / held..(first + count).div_ceil(held) {
                        let unit = u128::from_le_bytes(read(self.unit(major, k, inner)?)?);
                        for index in 0..held {
                            let mn = inner * held + index;
                            if (first..first + count).contains(&mn) {
                                matrix.set(mn - first, k, element.of_unit(unit, index));
                            }
                        }
                    }
                }
            }
        }
        Ok(matrix)
    }
}

#[cfg(test)]
mod tests {
    use super::{Descriptor, Major, Misdescribed, Swizzle};
    use crate::matrix::Element;

    /// A descriptor of `wgmma` of these addresses and offsets in bytes.
    fn described(start: u64, leading: u64, stride: u64, mode: u64) -> Descriptor {
        Descriptor::wgmma(start >> 4 | leading >> 4 << 16 | stride >> 4 << 32 | mode << 62)
    }

    #[test]
    fn fields() {
        let bits = 0x3 | 0x10 << 16 | 0x20 << 32 | 5 << 49 | 2 << 62;
        let expected = Descriptor {
            start: 0x30,
            leading: 0x100,
            stride: 0x200,
            base: 5,
            absolute: false,
            swizzle: Swizzle::Bytes64,
        };
        assert_eq!(Descriptor::wgmma(bits), expected);
        let blackwell = 0x3 | 0x10 << 16 | 0x20 << 32 | 1 << 46 | 5 << 49 | 4 << 61;
        assert_eq!(Descriptor::tcgen05(blackwell), Ok(expected));
        assert!(Descriptor::tcgen05(1 << 46 | 3 << 61).is_err());
        assert!(Descriptor::tcgen05(0).is_err());
    }

    /// The examples of the manual, with their strides: K-major without swizzle of tf32, ((8,2),(4,4)):((4,32),(1,64)).
    #[test]
    fn k_major_without_swizzle() {
        let descriptor = described(0, 64 * 4, 32 * 4, 0);
        for (mn, k) in [(0, 0), (1, 0), (7, 3), (8, 0), (15, 13)] {
            let element = mn % 8 * 4 + mn / 8 * 32 + k % 4 + k / 4 * 64;
            let unit = descriptor
                .unit(Major::K, mn, k / 4)
                .map(|start| start + k as u64 % 4 * 4);
            assert_eq!(unit, Ok(element as u64 * 4));
        }
    }

    /// K-major, swizzle of 32 bytes, tf32: ((8,2),(4,2)):((8,64),(1,4)) before the swizzle.
    #[test]
    fn k_major_with_swizzle() {
        let descriptor = described(0, 16, 64 * 4, 3);
        // Row 3 starts at 96, below 128: nothing changes. Row 4 starts at 128, where the two units of a row are exchanged.
        assert_eq!(descriptor.unit(Major::K, 3, 1), Ok(112));
        assert_eq!(descriptor.unit(Major::K, 4, 0), Ok(144));
        assert_eq!(descriptor.unit(Major::K, 4, 1), Ok(128));
        assert_eq!(descriptor.unit(Major::K, 12, 0), Ok(256 + 144));
        assert!(descriptor.unit(Major::K, 0, 2).is_err());
    }

    #[test]
    fn swizzle_of_128_bytes_starts_within_the_pattern() {
        // The second k of 32 bytes: the start is 32 bytes into the first row; row 5 begins at 640.
        let descriptor = described(1024 + 32, 16, 1024, 1);
        assert_eq!(descriptor.unit(Major::K, 5, 0), Ok(1024 + 640 + (2 ^ 5) * 16));
        assert_eq!(descriptor.unit(Major::K, 13, 1), Ok(2048 + 640 + (3 ^ 5) * 16));
    }

    #[test]
    fn base_offset_moves_the_pattern() {
        assert_eq!(Swizzle::Bytes128.place(0x400 + 0x180, 3), 0x580);
        assert_eq!(Swizzle::Bytes128.place(0x400 + 0x200, 3), 0x610);
        assert_eq!(Swizzle::Bytes128Atom32.place(0x80, 0), 0xa0);
    }

    /// MN-major of bf16, from the manual: without swizzle ((8,1,2),(8,2)):((1,8,64),(8,128)) and, before a swizzle of 32 bytes,
    /// ((8,2,2),(8,2)):((1,8,128),(16,256)).
    #[test]
    fn mn_major() {
        let plain = described(0, 128 * 2, 64 * 2, 0);
        assert_eq!(plain.unit(Major::Mn, 3, 1), Ok((64 + 3 * 8) * 2));
        assert_eq!(plain.unit(Major::Mn, 9, 0), Ok((128 + 8) * 2));
        let swizzled = described(0, 128 * 2, 256 * 2, 3);
        assert_eq!(swizzled.unit(Major::Mn, 3, 1), Ok((8 + 3 * 16) * 2));
        assert_eq!(
            swizzled.unit(Major::Mn, 5, 3),
            Ok((128 + 5 * 16) * 2),
            "units 2 and 3 are exchanged from row 4 on"
        );
        assert_eq!(swizzled.unit(Major::Mn, 9, 0), Ok((256 + 16) * 2));
    }

    #[test]
    fn matrices_are_read() {
        // Memory in which the halfword at address 2 i is i.
        let read = |address: u64| {
            let mut unit = [0; 16];
            for (index, bytes) in unit.chunks_exact_mut(2).enumerate() {
                bytes.copy_from_slice(&(address as u16 / 2 + index as u16).to_le_bytes());
            }
            Ok::<_, Misdescribed>(unit)
        };
        let rows = described(0, 128, 256, 0).read(Major::K, Element::F16, (8, 8), 16, read);
        assert_eq!(
            rows.map(|matrix| matrix.get(2, 11)),
            Ok((256 + 2 * 16 + 128 + 3 * 2) / 2)
        );
        let columns = described(0, 512, 256, 0).read(Major::Mn, Element::F16, (16, 16), 16, read);
        assert_eq!(
            columns.map(|matrix| matrix.get(9, 10)),
            Ok((3 * 256 + 512 + 2 * 16 + 2) / 2)
        );
    }
}
