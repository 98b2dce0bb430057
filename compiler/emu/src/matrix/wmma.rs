//! Fragments of `wmma`.
//!
//! The manual leaves them open. These are the ones that ptxas 13.0.88 makes of `wmma.load` for sm_75 and sm_80 (observed): those of `mma`, whatever
//! the layout in memory. A and C of 32 rows and B of 16 columns are tiles one after the other. The product of m8n32k16 is computed as that of
//! 32×8 with the sides exchanged, so that B has the fragments of a tall A and C those of its transpose; integers before sm_80 are not. Fragments of f16
//! multiplicands have eight registers always: where fewer are needed, they are repeated.

use super::{
    Cell, Element, Matrix, Register,
    fragment::{factor, factor_fragment, sum_fragment, sums},
    product::Product,
};

/// Rows and columns of D and the depth, in elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    pub(crate) depth: usize,
    /// The product is that of the transposed matrices.
    pub(crate) exchanged: bool,
}

/// What a fragment is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    A(Element),
    B(Element),
    /// C or D.
    Sum(Cell),
}

impl Shape {
    /// `integers` of targets before sm_80 are never exchanged. Depth counts registers' elements: of bits, words.
    pub(crate) fn new(rows: usize, columns: usize, depth: usize, integers: bool, target: u16) -> Shape {
        Shape {
            rows,
            columns,
            depth,
            exchanged: columns > rows && !(integers && target < 80),
        }
    }

    /// Rows of a tile of A, or columns of one of B.
    fn tile(&self, part: Part) -> usize {
        let tall = match part {
            Part::A(_) => !self.exchanged && self.rows > 8,
            Part::B(_) => self.exchanged,
            Part::Sum(_) => false,
        };
        if tall { 16 } else { 8 }
    }

    /// Rows and columns in memory: of B, columns and rows.
    pub(crate) fn extent(&self, part: Part) -> (usize, usize) {
        match part {
            Part::A(_) => (self.rows, self.depth),
            Part::B(_) => (self.columns, self.depth),
            Part::Sum(_) => (self.rows, self.columns),
        }
    }

    /// The fragment of a matrix: of A by rows, of B by columns, of C by rows.
    pub(crate) fn fragment(&self, part: Part, matrix: &Matrix) -> Vec<Register> {
        let (Part::A(element) | Part::B(element)) = part else {
            let Part::Sum(cell) = part else { return Vec::new() };
            return if self.exchanged {
                sum_fragment(&matrix.transposed(), cell)
            } else {
                sum_fragment(matrix, cell)
            };
        };
        let mut registers = factor_fragment(matrix, element, self.tile(part));
        if element == Element::F16 {
            let own = registers.len().max(1);
            registers = (0..8).filter_map(|index| registers.get(index % own).copied()).collect();
        }
        registers
    }

    /// The inverse of [`Shape::fragment`].
    pub(crate) fn matrix(&self, part: Part, registers: &[Register]) -> Matrix {
        let (rows, columns) = self.extent(part);
        match part {
            Part::A(element) | Part::B(element) => factor(registers, element, self.tile(part), rows, columns),
            Part::Sum(cell) if self.exchanged => sums(registers, cell, columns, rows).transposed(),
            Part::Sum(cell) => sums(registers, cell, rows, columns),
        }
    }

    /// `wmma.mma` on fragments.
    pub(crate) fn multiply(&self, product: &Product, a: &[Register], b: &[Register], c: &[Register]) -> Vec<Register> {
        let a = self.matrix(Part::A(product.a), a);
        let b = self.matrix(Part::B(product.b), b);
        let c = self.matrix(Part::Sum(product.c), c);
        self.fragment(Part::Sum(product.d), &product.compute(&a, &b, &c, None, None))
    }
}

#[cfg(test)]
mod tests {
    use super::{Part, Shape};
    use crate::matrix::{Cell, Element, Matrix};

    /// A matrix whose elements are 100 · row + column.
    fn numbered(rows: usize, columns: usize) -> Matrix {
        let mut matrix = Matrix::new(rows, columns);
        for row in 0..rows {
            for column in 0..columns {
                matrix.set(row, column, (100 * row + column) as u64);
            }
        }
        matrix
    }

    type Observation = ((usize, usize, usize), u16, Part, usize, usize, u32);

    /// Rows, columns and depth, the target, the part, a register and a lane, and the element that is in its lowest bits.
    const OBSERVED: [Observation; 15] = [
        ((16, 16, 16), 75, Part::A(Element::F16), 1, 5, 902),
        ((16, 16, 16), 75, Part::A(Element::F16), 6, 5, 110),
        ((16, 16, 16), 80, Part::B(Element::F16), 1, 5, 110),
        ((16, 16, 16), 80, Part::B(Element::F16), 2, 5, 902),
        ((8, 32, 16), 80, Part::A(Element::F16), 3, 5, 110),
        ((8, 32, 16), 80, Part::B(Element::F16), 5, 5, 2502),
        ((8, 32, 16), 80, Part::Sum(Cell::F32), 5, 5, 317),
        ((8, 32, 16), 80, Part::Sum(Cell::F16), 3, 5, 225),
        ((8, 32, 16), 75, Part::Sum(Cell::S32), 5, 5, 119),
        ((8, 32, 16), 80, Part::Sum(Cell::S32), 5, 5, 317),
        ((32, 8, 16), 80, Part::A(Element::Bf16), 6, 5, 1710),
        ((32, 8, 16), 80, Part::Sum(Cell::F32), 5, 5, 1703),
        ((16, 16, 16), 80, Part::Sum(Cell::F32), 5, 5, 111),
        ((8, 8, 4), 80, Part::Sum(Cell::F64), 2, 5, 103),
        ((16, 16, 8), 80, Part::A(Element::Tf32), 2, 5, 105),
    ];

    #[test]
    fn fragments_are_those_of_ptxas() {
        for (number, ((rows, columns, depth), target, part, register, lane, expected)) in
            OBSERVED.into_iter().enumerate()
        {
            let shape = Shape::new(rows, columns, depth, part == Part::Sum(Cell::S32), target);
            let (height, width) = shape.extent(part);
            let matrix = numbered(height, width);
            let registers = shape.fragment(part, &matrix);
            let mask = if matches!(
                part,
                Part::A(Element::F16 | Element::Bf16) | Part::B(_) | Part::Sum(Cell::F16)
            ) {
                0xffff
            } else {
                u32::MAX
            };
            let found = registers.get(register).map(|lanes| lanes[lane] & mask);
            assert_eq!(found, Some(expected), "case {number}");
            assert_eq!(shape.matrix(part, &registers), matrix, "case {number}");
        }
    }
}
