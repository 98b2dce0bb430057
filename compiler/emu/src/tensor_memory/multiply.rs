//! `tcgen05.mma`: where the rows of the matrices lie, and the product of them.
//!
//! Which lanes and columns hold D depends on its rows, on whether a pair of CTAs multiplies, and on `.ws` (PTX ISA 9.7.16.10.5, layouts A to G). Of a
//! pair each CTA has half of the rows of A and D, and half of the columns of B.

use warpsmith_numerics::{
    float::{self, Modifiers},
    format::{F16, F32},
};

use super::{
    Tensors, Wrong,
    description::{Description, Form, Kind, unsupported},
    scale, split, wrong,
};
use crate::matrix::{Cell, Matrix, descriptor::Descriptor, product::negated};

/// A.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Left {
    /// In shared memory, as a descriptor says.
    Shared(u64),
    /// In tensor memory, at an address.
    Tensor(u64),
}

/// A product with the values of its operands.
#[derive(Clone, Debug)]
pub(crate) struct Multiplication {
    pub(crate) form: Form,
    pub(crate) d: u64,
    pub(crate) a: Left,
    /// A descriptor.
    pub(crate) b: u64,
    pub(crate) description: u32,
    /// Addresses of the scales of A and B.
    pub(crate) scales: [u64; 2],
    /// The address of the metadata.
    pub(crate) metadata: u64,
    /// Whether D is added.
    pub(crate) accumulate: bool,
    /// D is divided by this power of two first.
    pub(crate) divides: u32,
    /// `.ashift`
    pub(crate) shifts: bool,
    /// Lanes that are not written, 32 each, of each CTA.
    pub(crate) disabled: Vec<u32>,
    /// The descriptor of columns of B that are taken for zero.
    pub(crate) columns: u64,
}

/// How rows and columns lie in lanes and columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Layout {
    /// A row in a lane: layouts A and D.
    Whole,
    /// 16 rows in the 32 lanes of each warp: layouts C and F.
    Scattered,
    /// So many parts of the columns below each other: layouts B and E (two), G (four).
    Folded(usize),
}

impl Layout {
    fn of(form: Form, rows: usize) -> Layout {
        match (form.pair, form.stationary, rows) {
            (true, _, 128) if form.sparse => Layout::Scattered,
            (true, _, 128) | (_, true, 64) => Layout::Folded(2),
            (_, true, 32) => Layout::Folded(4),
            (false, false, 64) => Layout::Scattered,
            _ => Layout::Whole,
        }
    }

    /// The lane and column of an element of D; `rows` are those of a CTA.
    fn place(self, (row, column): (usize, usize), rows: usize, columns: usize) -> (usize, usize) {
        match self {
            Layout::Whole => (row, column),
            Layout::Scattered => (self.lane(row), column),
            Layout::Folded(parts) => {
                let width = columns / parts;
                (row + rows * (column / width.max(1)), column % width.max(1))
            }
        }
    }

    /// The lane of a row of A. Where columns of D are folded, the rows stand in all parts; the first is read.
    fn lane(self, row: usize) -> usize {
        match self {
            Layout::Whole | Layout::Folded(_) => row,
            Layout::Scattered => row / 16 * 32 + row % 16,
        }
    }
}

impl Multiplication {
    fn members(&self) -> usize {
        if self.form.pair { 2 } else { 1 }
    }

    /// Multiplies.
    pub(crate) fn execute<T: Tensors>(&self, tensors: &mut T) -> Result<(), T::Error> {
        let described = Description::of(self.description, self.form)?;
        let rows = described.rows / self.members();
        let layout = Layout::of(self.form, described.rows);
        self.check(&described, layout)?;
        let mut right = Matrix::new(described.columns, described.depth);
        for member in 0..self.members() {
            let width = described.columns / self.members();
            let part = self.right(tensors, &described, member, width)?;
            for column in 0..width {
                for k in 0..described.depth {
                    right.set(member * width + column, k, part.get(column, k));
                }
            }
        }
        for member in 0..self.members() {
            let left = self.left(tensors, &described, layout, (member, rows))?;
            self.multiply(tensors, &described, layout, (member, rows), (&left, &right))?;
        }
        Ok(())
    }

    fn check(&self, described: &Description, layout: Layout) -> Result<(), Wrong> {
        let row = split(self.d).0;
        if row != 0 && !(layout == Layout::Scattered && row == 16) {
            return Err(wrong(format!(
                "a product of {} rows at lane {row} of tensor memory",
                described.rows
            )));
        }
        if self.shifts {
            return Err(unsupported("with .ashift"));
        }
        if self.columns != 0 {
            return Err(unsupported("with a mask of columns"));
        }
        if self.form.sparse && layout == Layout::Scattered {
            return Err(unsupported("of sparse matrices with 64 rows in a CTA"));
        }
        Ok(())
    }

    /// Columns of B that a member has.
    fn right<T: Tensors>(
        &self,
        tensors: &mut T,
        described: &Description,
        member: usize,
        width: usize,
    ) -> Result<Matrix, T::Error> {
        let of = described.product.b;
        let descriptor = Descriptor::tcgen05(self.b)?;
        let matrix: Matrix = descriptor.read(described.major[1], of, (0, width), described.depth, |at| {
            tensors.unit(member, at)
        })?;
        Ok(if described.negated[1] {
            negated(matrix, of)
        } else {
            matrix
        })
    }

    /// Rows of A that a member has, as they are stored.
    fn left<T: Tensors>(
        &self,
        tensors: &mut T,
        described: &Description,
        layout: Layout,
        (member, rows): (usize, usize),
    ) -> Result<Matrix, T::Error> {
        let of = described.product.a;
        let stored = if self.form.sparse {
            described.depth / 2
        } else {
            described.depth
        };
        let matrix = match self.a {
            Left::Shared(descriptor) => {
                let descriptor = Descriptor::tcgen05(descriptor)?;
                descriptor.read(described.major[0], of, (0, rows), stored, |at| tensors.unit(member, at))?
            }
            Left::Tensor(address) => {
                let per_word = 32 / of.bits() as usize;
                let (start, first) = split(address);
                let mut left = Matrix::new(rows, stored);
                let memory = tensors.memory(member)?;
                for row in 0..rows {
                    for k in 0..stored {
                        let word = memory.get(start + layout.lane(row), first + k / per_word)?;
                        let bits = u64::from(word) >> (of.bits() as usize * (k % per_word));
                        left.set(row, k, of.decode(bits));
                    }
                }
                left
            }
        };
        Ok(if described.negated[0] {
            negated(matrix, of)
        } else {
            matrix
        })
    }

    /// The rows of D that a member has.
    fn multiply<T: Tensors>(
        &self,
        tensors: &mut T,
        described: &Description,
        layout: Layout,
        (member, rows): (usize, usize),
        (left, right): (&Matrix, &Matrix),
    ) -> Result<(), T::Error> {
        let (columns, sum) = (described.columns, described.product.d);
        let (row, column) = split(self.d);
        let memory = tensors.memory(member)?;
        let place = |index: usize, n: usize| {
            let (lane, right) = layout.place((index, n), rows, columns);
            (row + lane, column + right)
        };
        let mut start = Matrix::new(rows, columns);
        for index in 0..rows {
            for n in 0..columns {
                let (lane, at) = place(index, n);
                let word = memory.get(lane, at)?;
                if self.accumulate {
                    start.set(index, n, self.divided(sum, word));
                }
            }
        }
        let stored = if self.form.sparse {
            described.depth / 2
        } else {
            described.depth
        };
        let positions = match self.form.sparse {
            true => {
                let of = (described.product.a, stored);
                Some(scale::positions(memory, self.metadata, of, rows, described.selector)?)
            }
            false => None,
        };
        let scales = match self.form.scales {
            0 => None,
            count => {
                let [a, b] = described.scale_bytes;
                let folded = layout == Layout::Folded(2);
                Some((
                    scale::scales(memory, self.scales[0], rows, (a, count), false)?,
                    scale::scales(memory, self.scales[1], columns, (b, count), folded)?,
                ))
            }
        };
        let product = described.product;
        let result = product.compute(left, right, &start, positions.as_ref(), scales.as_ref());
        for index in 0..rows {
            for n in 0..columns {
                let (lane, at) = place(index, n);
                let mask = self.disabled.get(4 * member + lane / 32).copied().unwrap_or(0);
                if mask >> (lane % 32) & 1 == 0 {
                    memory.set(lane, at, result.get(index, n) as u32)?;
                }
            }
        }
        Ok(())
    }

    /// An element of D as it is added.
    fn divided(&self, sum: Cell, word: u32) -> u64 {
        let bits = if sum == Cell::F16 { word & 0xffff } else { word };
        let exponent = u64::from(self.divides);
        match (self.divides, sum) {
            (0, _) | (_, Cell::S32 | Cell::F64) => bits.into(),
            (_, Cell::F32) => float::mul(F32, Modifiers::default(), bits.into(), (127 - exponent) << 23),
            (15, Cell::F16) => float::mul(F16, Modifiers::default(), bits.into(), 0x0200),
            (_, Cell::F16) => float::mul(F16, Modifiers::default(), bits.into(), (15 - exponent.min(14)) << 10),
        }
    }
}

/// Scales of a row that a kind has where the instruction does not say.
pub(crate) fn usual_scales(kind: Kind) -> usize {
    match kind {
        Kind::F16 | Kind::Tf32 | Kind::F8f6f4 | Kind::I8 => 0,
        Kind::Mxf8f6f4 => 1,
        Kind::Mxf4 => 2,
        Kind::Mxf4nvf4 => 4,
    }
}
