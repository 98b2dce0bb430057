//! Zero-column mask descriptors of `tcgen05.mma.ws`: which columns of B are taken for zero, and at which column B begins (PTX ISA 9.7.16.4.3).
//!
//! Runs of columns that are used and runs of zeros follow each other within each part of the columns that has lanes of its own. The manual's table
//! gives `Skip Span` to the columns that are used, its examples to the zeros: the examples are right, and the first run keeps at least one column
//! however many its start count skips (observed on a B200, by NumSim as `multiply` says).

use super::{Wrong, description::Description, wrong};

/// What a descriptor says.
#[derive(Clone, Copy, Debug)]
pub(super) struct Columns {
    bits: u64,
    /// Columns of a part.
    width: usize,
}

impl Columns {
    /// Reads it.
    pub(super) fn of(bits: u64, described: &Description) -> Result<Columns, Wrong> {
        let parts = (128 / described.rows.max(1)).max(1);
        let columns = Columns {
            bits,
            width: (described.columns / parts).max(1),
        };
        let most = if described.rows == 32 { 16 } else { 32 };
        if columns.shift() > described.shift.min(most) {
            return Err(wrong(format!(
                "B begins at column {}, and its instruction descriptor has {} at most for {} rows",
                columns.shift(),
                described.shift.min(most),
                described.rows
            )));
        }
        if columns.field(36, 3) != 0 || columns.field(62, 2) != 0 {
            return Err(wrong("reserved bits of a zero-column mask descriptor are set"));
        }
        Ok(columns)
    }

    fn field(self, low: u32, count: u32) -> usize {
        (self.bits >> low & ((1 << count) - 1)) as usize
    }

    /// The column of B that the first column of D is the product with.
    pub(super) fn shift(self) -> usize {
        self.field(56, 6)
    }

    /// Whether the column of B that stands for a column of D is zero.
    pub(super) fn is_zero(self, column: usize) -> bool {
        if self.field(39, 1) == 0 {
            return false;
        }
        let (part, column) = ((column / self.width) as u32, column % self.width);
        let (zeros, used) = (self.field(40, 8) + 1, self.field(48, 8) + 1);
        let zeros_first = self.field(32 + part, 1) != 0;
        let first = if zeros_first { zeros } else { used };
        let skipped = self.field(8 * part, 8).min(first - 1);
        let place = (column + skipped) % (zeros + used);
        (place < first) == zeros_first
    }
}

#[cfg(test)]
mod tests {
    use super::Columns;

    /// The mask of a part, the first column last, as the manual writes it.
    fn mask(bits: u64, width: usize, part: usize) -> String {
        let columns = Columns { bits, width };
        let digit = |column: usize| {
            if columns.is_zero(part * width + column) {
                '1'
            } else {
                '0'
            }
        };
        (0..14).rev().map(digit).collect()
    }

    /// Start counts and first spans, the first in the lowest place; skip span, use span and shift.
    fn descriptor(starts: [u64; 4], zeros_first: [u64; 4], (skip, used, shift): (u64, u64, u64)) -> u64 {
        let parts = (0..4).fold(0, |bits, part| {
            bits | starts[part] << (8 * part) | zeros_first[part] << (32 + part)
        });
        parts | 1 << 39 | skip << 40 | used << 48 | shift << 56
    }

    #[test]
    fn examples_of_the_manual() {
        // M = 128.
        let bits = descriptor([0; 4], [0; 4], (2, 3, 0));
        assert_eq!(mask(bits, 64, 0), "11100001110000");
        assert_eq!(mask(bits & !(1 << 39), 64, 0), "00000000000000");
        // M = 64.
        let bits = descriptor([0; 4], [1, 0, 0, 0], (2, 3, 0));
        assert_eq!(mask(bits, 32, 0), "00001110000111");
        assert_eq!(mask(bits, 32, 1), "11100001110000");
        // M = 32.
        let bits = descriptor([0, 1, 2, 1], [1, 1, 0, 0], (2, 3, 2));
        assert_eq!(mask(bits, 32, 0), "00001110000111");
        assert_eq!(mask(bits, 32, 1), "10000111000011");
        assert_eq!(mask(bits, 32, 2), "00111000011100");
        assert_eq!(mask(bits, 32, 3), "01110000111000");
        let columns = Columns { bits, width: 32 };
        assert_eq!(columns.shift(), 2);
    }

    #[test]
    fn of_the_first_run_one_column_is_left() {
        let bits = descriptor([255, 0, 0, 0], [1, 0, 0, 0], (2, 3, 0));
        assert_eq!(mask(bits, 64, 0), "11000011100001");
    }
}
