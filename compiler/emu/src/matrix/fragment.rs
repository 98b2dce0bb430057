//! Fragments of `mma`, `wgmma` and the shapes of `wmma` built of them (PTX ISA 9.7.14.5, 9.7.15.5.1.1).
//!
//! All follow one rule. Lane `l` has group `g = l / 4` and place `t = l % 4`. A *block* is eight rows times the elements that four registers hold:
//! lane `l` has row `g` of it and the `t`-th register's worth of columns. A is a sequence of blocks: within a tile of 16 rows (8, if there are no
//! more) the upper and lower half of the first columns, then of the next ones; then the next tile. B is the same of its columns, in tiles of 8.
//! C and D have blocks of 8×8 elements, two adjacent ones of a row in each lane; a tile of 16×8 has the upper half's first, and tiles follow by
//! columns, then by rows.

use super::{Cell, Element, Matrix, Register};
use crate::lanes::LANES;

/// The value in a register, or in two of them from an even index on.
fn wide(registers: &[Register], bits: u32, index: usize, lane: usize) -> u64 {
    let part = |index: usize| registers.get(index).map_or(0, |register| u64::from(register[lane]));
    if bits == 64 {
        part(2 * index) | part(2 * index + 1) << 32
    } else {
        part(index)
    }
}

/// Registers (pairs of 64 bits) of `rows` rows of A, or columns of B, with `depth` elements each.
pub(crate) fn factor_registers(element: Element, rows: usize, depth: usize) -> usize {
    let bits = element.bits() as usize;
    (rows / 8) * (depth * bits).div_ceil(4 * bits.max(32)) * (bits / 32).max(1)
}

/// The rows of A or columns of B, in tiles of this many, that fragments hold.
pub(crate) fn factor(registers: &[Register], element: Element, tile: usize, rows: usize, depth: usize) -> Matrix {
    let mut matrix = Matrix::new(rows, depth);
    each_factor(element, tile, rows, depth, |row, k, (index, lane, shift)| {
        let register = wide(registers, element.bits(), index, lane);
        matrix.set(row, k, element.decode(register >> shift));
    });
    matrix
}

/// The inverse of [`factor`]: encodings as they lie in registers.
pub(crate) fn factor_fragment(matrix: &Matrix, element: Element, tile: usize) -> Vec<Register> {
    let (rows, depth) = (matrix.rows(), matrix.columns());
    let mut registers = vec![[0; LANES]; factor_registers(element, rows, depth)];
    each_factor(element, tile, rows, depth, |row, k, (index, lane, shift)| {
        put(&mut registers, element.bits(), (index, lane, shift), matrix.get(row, k));
    });
    registers
}

/// Adds the bits of an element where it belongs.
fn put(registers: &mut [Register], bits: u32, (index, lane, shift): (usize, usize, u32), value: u64) {
    let mut or = |index: usize, value: u32| {
        if let Some(register) = registers.get_mut(index) {
            register[lane] |= value;
        }
    };
    if bits == 64 {
        or(2 * index, value as u32);
        or(2 * index + 1, (value >> 32) as u32);
    } else {
        or(index, (value << shift) as u32);
    }
}

/// Register (or pair), lane and bit of every element of A or B.
fn each_factor(
    element: Element,
    tile: usize,
    rows: usize,
    depth: usize,
    mut visit: impl FnMut(usize, usize, (usize, usize, u32)),
) {
    let bits = element.bits();
    let held = (32 / bits.min(32)) as usize;
    let runs = depth.div_ceil(4 * held);
    let parts = tile / 8;
    for row in 0..rows {
        for k in 0..depth {
            let word = k / held;
            let index = row / tile * (parts * runs) + word / 4 * parts + row % tile / 8;
            let lane = row % 8 * 4 + word % 4;
            visit(row, k, (index, lane, (k % held) as u32 * bits.min(32)));
        }
    }
}

/// Registers of C or D.
pub(crate) fn sum_registers(cell: Cell, rows: usize, columns: usize) -> usize {
    rows * columns * cell.bits() as usize / (32 * LANES)
}

/// The elements of C that fragments hold.
pub(crate) fn sums(registers: &[Register], cell: Cell, rows: usize, columns: usize) -> Matrix {
    let mut matrix = Matrix::new(rows, columns);
    each_sum(cell, rows, columns, |row, column, (index, lane, shift)| {
        let value = wide(registers, cell.bits(), index, lane) >> shift;
        matrix.set(row, column, value & (u64::MAX >> (64 - cell.bits())));
    });
    matrix
}

/// The inverse of [`sums`].
pub(crate) fn sum_fragment(matrix: &Matrix, cell: Cell) -> Vec<Register> {
    let (rows, columns) = (matrix.rows(), matrix.columns());
    let mut registers = vec![[0; LANES]; sum_registers(cell, rows, columns)];
    each_sum(cell, rows, columns, |row, column, place| {
        put(&mut registers, cell.bits(), place, matrix.get(row, column));
    });
    registers
}

/// Register (or pair), lane and bit of every element of C or D.
fn each_sum(cell: Cell, rows: usize, columns: usize, mut visit: impl FnMut(usize, usize, (usize, usize, u32))) {
    let tile = rows.clamp(8, 16);
    let parts = tile / 8;
    for row in 0..rows {
        for column in 0..columns {
            let block = row / tile * (parts * (columns / 8)) + column / 8 * parts + row % tile / 8;
            let lane = row % 8 * 4 + column % 8 / 2;
            let odd = column % 2;
            let (index, shift) = if cell == Cell::F16 {
                (block, 16 * odd as u32)
            } else {
                (2 * block + odd, 0)
            };
            visit(row, column, (index, lane, shift));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Cell, Element, factor, factor_fragment, sum_fragment, sums};
    use crate::{lanes::LANES, matrix::Register};

    /// Registers whose bytes are all different: register, lane.
    fn marked(count: u32) -> Vec<Register> {
        (0..count)
            .map(|register| std::array::from_fn(|lane| register << 24 | (lane as u32) << 8))
            .collect()
    }

    /// PTX ISA, matrix fragments of mma.m16n8k16 of f16: a5 is in row g + 8 and column 2 t + 9… of lane 4 g + t.
    #[test]
    fn a_of_16_bits() {
        let mut registers = marked(4);
        registers[3][4 * 2 + 1] = 0xabcd_0000;
        registers[1][4 * 7 + 3] = 0x1234;
        let a = factor(&registers, Element::F16, 16, 16, 16);
        assert_eq!(a.get(10, 8 + 2 + 1), 0xabcd);
        assert_eq!(a.get(15, 6), 0x1234);
    }

    /// mma.m16n8k32 of s8: b5 is in row 4 t + 17 and column g.
    #[test]
    fn b_of_8_bits() {
        let mut registers = marked(2);
        registers[1][4 * 5 + 2] = 0x0000_7700;
        assert_eq!(factor(&registers, Element::S8, 8, 8, 32).get(5, 16 + 4 * 2 + 1), 0x77);
    }

    /// mma.m16n8k8 of f64: a2 is in row g and column t + 4, in registers 4 and 5.
    #[test]
    fn a_of_64_bits() {
        let mut registers = marked(8);
        (registers[4][4 * 3 + 1], registers[5][4 * 3 + 1]) = (1, 2);
        assert_eq!(factor(&registers, Element::F64, 16, 16, 8).get(3, 5), 0x2_0000_0001);
    }

    #[test]
    fn accumulators() {
        let registers = marked(8);
        let at = |register: u64, lane: u64| register << 24 | lane << 8;
        let wide = sums(&registers, Cell::F32, 16, 16);
        assert_eq!(wide.get(9, 3), at(3, 4 + 1));
        assert_eq!(wide.get(9, 11), at(7, 4 + 1));
        let tall = sums(&registers, Cell::S32, 32, 8);
        assert_eq!(tall.get(25, 2), at(6, 4 + 1));
        let halves = sums(&registers[..2], Cell::F16, 16, 8);
        assert_eq!(halves.get(10, 5), at(1, 4 * 2 + 2) >> 16);
    }

    #[test]
    fn fragments_return() {
        for (element, tile, rows, depth, count) in [
            (Element::F16, 16, 32, 16, 8),
            (Element::F16, 8, 16, 16, 4),
            (Element::F64, 16, 16, 8, 8),
            (Element::S4, 8, 8, 64, 2),
            (Element::Bits, 16, 16, 8, 4),
        ] {
            let registers = marked(count);
            let matrix = factor(&registers, element, tile, rows, depth);
            assert_eq!(factor_fragment(&matrix, element, tile), registers, "{element:?}");
        }
        for (cell, rows, columns) in [(Cell::F16, 16, 16), (Cell::F64, 8, 8), (Cell::F32, 16, 8)] {
            let registers = marked(4);
            assert_eq!(
                sum_fragment(&sums(&registers, cell, rows, columns), cell),
                registers,
                "{cell:?}"
            );
        }
        assert_eq!(LANES, 32);
    }
}
