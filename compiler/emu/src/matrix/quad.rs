//! `mma.m8n8k4` of half precision: four products, each of eight lanes (PTX ISA 9.7.14.5.1).
//!
//! Product `p` belongs to lanes `4 p` to `4 p + 3`, the lower ones, and those 16 above them.

use super::{Cell, Element, Matrix, Register, product::Product};
use crate::lanes::LANES;

/// Layouts of A and B: whether A lies by columns, whether B lies by rows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Layouts {
    pub(crate) a_by_columns: bool,
    pub(crate) b_by_rows: bool,
}

/// Rows of A, or columns of B, of one product. `across`: a lane holds elements of one k and four rows (columns).
fn factor(registers: &[Register], product: usize, across: bool) -> Matrix {
    let mut matrix = Matrix::new(8, 4);
    for row in 0..8 {
        for k in 0..4 {
            let (place, element) = if across { (k, row % 4) } else { (row % 4, k) };
            let lane = product * 4 + place + row / 4 * 16;
            let word = registers.get(element / 2).map_or(0, |register| register[lane]);
            matrix.set(row, k, Element::F16.decode(u64::from(word >> (element % 2 * 16))));
        }
    }
    matrix
}

/// Register, lane and bit of an element of C or D of one product.
fn sum_place(cell: Cell, product: usize, row: usize, column: usize) -> (usize, usize, u32) {
    let high = row / 4 * 16;
    if cell == Cell::F16 {
        return (column / 2, product * 4 + row % 4 + high, (column % 2 * 16) as u32);
    }
    let index = (column & 4) | (row & 2) | (column & 1);
    (index, product * 4 + (row & 1) + (column & 2) + high, 0)
}

/// Registers of C or D.
pub(crate) fn sum_registers(cell: Cell) -> usize {
    if cell == Cell::F16 { 4 } else { 8 }
}

/// D of the four products.
pub(crate) fn multiply(
    product: &Product,
    layouts: Layouts,
    a: &[Register],
    b: &[Register],
    c: &[Register],
) -> Vec<Register> {
    let mut d = vec![[0; LANES]; sum_registers(product.d)];
    for number in 0..4 {
        let left = factor(a, number, layouts.a_by_columns);
        let right = factor(b, number, layouts.b_by_rows);
        let mut start = Matrix::new(8, 8);
        for row in 0..8 {
            for column in 0..8 {
                let (index, lane, shift) = sum_place(product.c, number, row, column);
                let word = c.get(index).map_or(0, |register| register[lane]) >> shift;
                let value = u64::from(word) & (u64::MAX >> (64 - product.c.bits()));
                start.set(row, column, value);
            }
        }
        let result = product.compute(&left, &right, &start, None, None);
        for row in 0..8 {
            for column in 0..8 {
                let (index, lane, shift) = sum_place(product.d, number, row, column);
                if let Some(register) = d.get_mut(index) {
                    register[lane] |= (result.get(row, column) as u32) << shift;
                }
            }
        }
    }
    d
}

#[cfg(test)]
mod tests {
    use super::{factor, sum_place};
    use crate::matrix::Cell;

    /// The formulas of PTX ISA 9.7.14.5.1, lane by lane.
    #[test]
    fn fragments_are_those_of_the_manual() {
        for lane in 0..32_usize {
            let number = lane % 16 / 4;
            for element in 0..4 {
                let mut registers = [[0; 32]; 2];
                registers[element / 2][lane] = 1 << (element % 2 * 16);
                let row = lane % 4 + if lane < 16 { 0 } else { 4 };
                assert_eq!(factor(&registers, number, false).get(row, element), 1);
                let row = element % 4 + if lane < 16 { 0 } else { 4 };
                assert_eq!(factor(&registers, number, true).get(row, lane % 4), 1);
            }
            for element in 0..8 {
                let row = (lane & 1) + (element & 2) + if lane < 16 { 0 } else { 4 };
                let column = (element & 4) + (lane & 2) + (element & 1);
                assert_eq!(sum_place(Cell::F32, number, row, column), (element, lane, 0));
                let row = lane % 4 + if lane < 16 { 0 } else { 4 };
                let shift = (element % 2 * 16) as u32;
                assert_eq!(sum_place(Cell::F16, number, row, element), (element / 2, lane, shift));
            }
        }
    }
}
