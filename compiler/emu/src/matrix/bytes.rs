//! Matrices of elements of a byte between rows in shared memory and registers (PTX ISA 9.7.14.5.15 and 9.7.14.5.16).

use super::Register;

/// A row of a matrix in shared memory.
pub(crate) type Unit = [u8; 16];

/// How 16 elements lie in the 16 bytes of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    B8,
    /// `.b6x16_p32`: six bits each, then 32 bits that are skipped.
    B6,
    /// `.b4x16_p64`: four bits each, then 64 bits that are skipped.
    B4,
}

impl Format {
    /// The elements, each in the lowest bits of a byte.
    pub(crate) fn unpacked(self, row: Unit) -> Unit {
        let bits = match self {
            Format::B8 => 8,
            Format::B6 => 6,
            Format::B4 => 4,
        };
        let all = u128::from_le_bytes(row);
        std::array::from_fn(|index| (all >> (bits * index) & ((1 << bits) - 1)) as u8)
    }
}

/// Rows of a matrix that is loaded, and the registers that it takes: 8×16, or 16×16 that is transposed (`square`).
pub(crate) fn size(square: bool) -> (usize, usize) {
    if square { (16, 2) } else { (8, 1) }
}

/// A register of a loaded matrix. Lane `4 g + t` gets four bytes from column `4 t` on: of row `g` of 8×16; of rows `g` and, in register 1, `g + 8` of
/// the transposed 16×16.
pub(crate) fn loaded(rows: &[Unit], square: bool, register: usize) -> Register {
    std::array::from_fn(|lane| {
        let (group, place) = (lane / 4 + 8 * register, lane % 4 * 4);
        u32::from_le_bytes(std::array::from_fn(|byte| {
            let (row, column) = if square {
                (place + byte, group)
            } else {
                (group, place + byte)
            };
            rows.get(row).map_or(0, |bytes| bytes[column % 16])
        }))
    })
}

/// The units that a register stores as 16×8 by columns: lane `4 g + t` gives columns `2 t` and `2 t + 1` of row `g` and then of row `g + 8`.
pub(crate) fn stored(register: &Register) -> [Unit; 8] {
    std::array::from_fn(|column| {
        std::array::from_fn(|row| {
            let lane = row % 8 * 4 + column / 2;
            register[lane].to_le_bytes()[column % 2 + 2 * (row / 8)]
        })
    })
}

#[cfg(test)]
mod tests {
    use super::{Format, loaded, stored};

    #[test]
    fn narrow_elements_are_unpacked() {
        let row = std::array::from_fn(|index| [0x21, 0x43, 0x65][index % 3]);
        assert_eq!(Format::B4.unpacked(row)[..6], [1, 2, 3, 4, 5, 6]);
        // 0x654321 in pieces of six bits.
        assert_eq!(Format::B6.unpacked(row)[..4], [0x21, 0x0c, 0x14, 0x19]);
    }

    #[test]
    fn stored_matrices_load_transposed() {
        let register = std::array::from_fn(|lane| 0x0302_0100 + 0x0404_0404 * lane as u32);
        let columns = stored(&register);
        // Row 9 is the upper half of lanes 4 to 7; columns 2 and 3 are those of lane 5.
        assert_eq!((columns[2][9], columns[3][9]), (4 * 5 + 2, 4 * 5 + 3));
        let rows: Vec<_> = columns.into_iter().chain([[0; 16]; 8]).collect();
        // Transposed, row 9 has columns 0 to 3 in lane 4 of the second register.
        assert_eq!(loaded(&rows, true, 1)[4], u32::from_le_bytes([18, 19, 22, 23]));
        // Not transposed, unit 3 has byte 9 in lane 4 · 3 + 2.
        assert_eq!(loaded(&rows, false, 0)[4 * 3 + 2].to_le_bytes()[1], 4 * 5 + 3);
    }
}
