//! The datapath that every special function shares: a table row and a quadratic in the low bits of the argument.

/// Columns of the squarer's partial products that are not built.
const MISSING_COLUMNS: u32 = 19;
/// Rows of folded partial products that reach into the missing columns.
const MISSING_ROWS: u32 = 9;

/// The square of `x` from a truncated multiplier: the partial products of the lowest columns are left out, carries and all.
///
/// A squarer folds the products of bits i < j into row i, column i + j + 1, and keeps the diagonal in the even columns.
pub(super) fn truncated_square(x: u32) -> u64 {
    let mask = (1u64 << MISSING_COLUMNS) - 1;
    let wide = u64::from(x);
    let diagonal = (0..=MISSING_COLUMNS / 2).map(|i| (wide >> i & 1) << (2 * i));
    let rows = (0..MISSING_ROWS).map(|i| (wide >> i & 1) * (wide >> (i + 1) << (2 * i + 2)));
    let missing: u64 = diagonal.chain(rows).map(|product| product & mask).sum();
    wide * wide - missing
}

/// One function's tables and alignments.
pub(super) struct Interpolator {
    /// Coefficients per segment.
    pub(super) table: &'static [[u32; 3]],
    /// Leading mantissa bits that choose the segment.
    pub(super) index_bits: u32,
    /// Left shifts that bring the three terms to the weight of the sum.
    pub(super) alignment: [u32; 3],
    /// Whether the linear and the quadratic term are subtracted.
    pub(super) subtract: [bool; 2],
    /// The position of the bit of weight 1 in the sum.
    pub(super) weight: u32,
    /// What is added to the sum before it is cut to 23 bits, in units of 2^-64 of the last of these.
    pub(super) rounding: u64,
    /// Whether the square is taken of twice the argument and divided by four, so that less of it is missing.
    pub(super) doubled_square: bool,
}

impl Interpolator {
    /// The sum for the 23-bit fraction `fraction` in the table half `half`, in units of 2^-`weight`.
    pub(super) fn evaluate(&self, half: u32, fraction: u32) -> u64 {
        let low_bits = 23 - self.index_bits;
        let row = (half << self.index_bits) | (fraction >> low_bits);
        let low = fraction & ((1 << low_bits) - 1);
        let square = if self.doubled_square {
            truncated_square(low << 1) >> 2
        } else {
            truncated_square(low)
        };
        let [constant, linear, quadratic] = self.table[row as usize].map(u64::from);
        let term = |value: u64, index: usize| value << self.alignment[index];
        let add = |sum: u64, subtract: bool, value: u64| {
            if subtract {
                sum.wrapping_sub(value)
            } else {
                sum.wrapping_add(value)
            }
        };
        let sum = term(constant, 0);
        let sum = add(sum, self.subtract[0], term(linear * u64::from(low), 1));
        let sum = add(sum, self.subtract[1], term(quadratic * square, 2));
        sum + (self.rounding >> (64 - self.weight + 23))
    }

    /// The 23 bits below the bit of weight 1 of a sum.
    pub(super) fn fraction(&self, sum: u64) -> u32 {
        (sum >> (self.weight - 23)) as u32 & 0x7f_ffff
    }
}

#[cfg(test)]
mod tests {
    use super::truncated_square;

    /// Builds every partial product of the full array and leaves out those of the low columns.
    fn square_by_columns(x: u32) -> u64 {
        let bit = |i: u32| u64::from(x >> i & 1);
        let mut sum = 0;
        for i in 0..32 {
            if 2 * i >= 19 {
                sum += bit(i) << (2 * i);
            }
            for j in i + 1..32 {
                if i + j + 1 >= 19 {
                    sum += (bit(i) & bit(j)) << (i + j + 1);
                }
            }
        }
        sum
    }

    #[test]
    fn small_squares_vanish() {
        assert_eq!(truncated_square(1), 0);
        assert_eq!(truncated_square(0x1ff), 0);
        assert_eq!(truncated_square(0x400), 0x10_0000);
    }

    #[test]
    fn equals_the_array_without_low_columns() {
        for x in (0..0x4_0000).step_by(37) {
            assert_eq!(truncated_square(x), square_by_columns(x), "{x:#x}");
        }
    }
}
