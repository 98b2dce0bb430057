//! Scales of blocks of k in `mma` with `.block_scale` (PTX ISA 9.7.14.3).

use super::Register;

/// Where the scales of a matrix are: a register, and what of it counts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scales<'r> {
    pub(crate) data: &'r Register,
    /// The first byte.
    pub(crate) byte: u32,
    /// The lane or pair of lanes of each group of four.
    pub(crate) thread: u32,
    /// Scales of a row or column: 1, 2 or 4.
    pub(crate) count: usize,
}

impl Scales<'_> {
    fn of_lane(&self, lane: usize) -> Vec<u64> {
        let word = u64::from(self.data[lane % self.data.len()]);
        let byte = |index: usize| word.checked_shr(8 * (self.byte + index as u32)).unwrap_or(0) & 0xff;
        (0..self.count).map(byte).collect()
    }

    /// Those of 16 rows of A: lanes with the first place of the pair have rows 0–7, the others 8–15.
    pub(crate) fn rows(&self) -> Vec<Vec<u64>> {
        let lane = |row: usize| row % 8 * 4 + 2 * (self.thread as usize & 1) + row / 8;
        (0..16).map(|row| self.of_lane(lane(row))).collect()
    }

    /// Those of 8 columns of B.
    pub(crate) fn columns(&self) -> Vec<Vec<u64>> {
        let lane = |column: usize| column * 4 + (self.thread as usize & 3);
        (0..8).map(|column| self.of_lane(lane(column))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::Scales;

    #[test]
    fn bytes_and_lanes() {
        let data = std::array::from_fn(|lane| 0x0302_0100 + 0x0404_0404 * lane as u32);
        let scales = Scales {
            data: &data,
            byte: 2,
            thread: 1,
            count: 2,
        };
        assert_eq!(
            scales.rows()[11],
            [4 * 15 + 2, 4 * 15 + 3],
            "row 11 is in lane 4 · 3 + 3"
        );
        assert_eq!(scales.rows()[3], [4 * 14 + 2, 4 * 14 + 3]);
        assert_eq!(scales.columns()[6], [4 * 25 + 2, 4 * 25 + 3]);
    }
}
