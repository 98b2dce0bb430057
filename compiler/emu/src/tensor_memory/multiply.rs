//! `tcgen05.mma`: where the rows of the matrices lie, and the product of them.
//!
//! Which lanes and columns hold D depends on its rows, on whether a pair of CTAs multiplies, and on `.ws` (PTX ISA 9.7.16.10.5, layouts A to G). Of a
//! pair each CTA has half of the rows of A and D, and half of the columns of B. Where the columns of D are folded, each part of them is the product
//! with the rows of A, and their metadata, that stand in its own lanes. `.ashift` multiplies A as it is, then moves its rows as `tcgen05.shift` does
//! (observed on a B200, with which the open simulator NumSim was compared).

use warpsmith_numerics::{
    float::{self, Modifiers},
    format::{F16, F32},
};

use super::{
    Tensors, Wrong,
    columns::Columns,
    description::{Description, Form, Kind, unsupported},
    scale, shift, split, wrong,
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
    /// The descriptor of columns of B that are taken for zero, with `.ws`; 0 without.
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

    /// Parts of the columns of D below each other.
    fn parts(self) -> usize {
        match self {
            Layout::Whole | Layout::Scattered => 1,
            Layout::Folded(parts) => parts,
        }
    }

    /// The lane of a row of A and of a part of D; `rows` are those of a CTA.
    fn lane(self, part: usize, row: usize, rows: usize) -> usize {
        match self {
            Layout::Whole => row,
            Layout::Folded(_) => part * rows + row,
            Layout::Scattered => row / 16 * 32 + row % 16,
        }
    }
}

/// The rows of D that a member has, in a part of its columns.
#[derive(Clone, Copy, Debug)]
struct Part {
    member: usize,
    /// Rows of the member.
    rows: usize,
    index: usize,
    /// The first of its columns of D, and their number.
    first: usize,
    width: usize,
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
            let columns = self.right(tensors, &described, member, width)?;
            for column in 0..width {
                for k in 0..described.depth {
                    right.set(member * width + column, k, columns.get(column, k));
                }
            }
        }
        for member in 0..self.members() {
            let width = described.columns / layout.parts();
            for index in 0..layout.parts() {
                let part = Part {
                    member,
                    rows,
                    index,
                    first: index * width,
                    width,
                };
                let left = self.left(tensors, &described, layout, part)?;
                self.multiply(tensors, &described, layout, part, (&left, &right))?;
            }
            if let (true, Left::Tensor(address)) = (self.shifts, self.a) {
                shift::down(tensors.memory(member)?, address)?;
            }
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
        if !self.shifts {
            return Ok(());
        }
        if !matches!(self.a, Left::Tensor(_)) || !matches!(described.rows, 128 | 256) {
            return Err(wrong(".ashift needs A in tensor memory, and 128 or 256 rows of it"));
        }
        // Such a product traps on a B200, though the manual does not exclude it.
        if self.form.sparse && self.form.pair && described.rows == 128 {
            return Err(unsupported("of sparse matrices with 64 rows in a CTA and .ashift"));
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
        let columns = Columns::of(self.columns, described)?;
        let range = (columns.shift(), width);
        let mut matrix: Matrix = descriptor.read(described.major[1], of, range, described.depth, |at| {
            tensors.unit(member, at)
        })?;
        for column in (0..width).filter(|column| columns.is_zero(*column)) {
            for k in 0..described.depth {
                matrix.set(column, k, of.decode(0));
            }
        }
        Ok(if described.negated[1] {
            negated(matrix, of)
        } else {
            matrix
        })
    }

    /// Elements of a row of A as they are stored.
    fn stored(&self, described: &Description) -> usize {
        if self.form.sparse {
            described.depth / 2
        } else {
            described.depth
        }
    }

    /// Rows of A that a part is the product of, as they are stored.
    fn left<T: Tensors>(
        &self,
        tensors: &mut T,
        described: &Description,
        layout: Layout,
        part: Part,
    ) -> Result<Matrix, T::Error> {
        let (of, rows) = (described.product.a, part.rows);
        let stored = self.stored(described);
        let matrix = match self.a {
            Left::Shared(descriptor) => {
                let descriptor = Descriptor::tcgen05(descriptor)?;
                descriptor.read(described.major[0], of, (0, rows), stored, |at| {
                    tensors.unit(part.member, at)
                })?
            }
            Left::Tensor(address) => {
                let per_word = 32 / of.bits() as usize;
                let (start, first) = split(address);
                let mut left = Matrix::new(rows, stored);
                let memory = tensors.memory(part.member)?;
                for row in 0..rows {
                    let lane = start + layout.lane(part.index, row, rows);
                    for k in 0..stored {
                        let word = memory.get(lane, first + k / per_word)?;
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

    /// Multiplies a part.
    fn multiply<T: Tensors>(
        &self,
        tensors: &mut T,
        described: &Description,
        layout: Layout,
        part: Part,
        (left, right): (&Matrix, &Matrix),
    ) -> Result<(), T::Error> {
        let (rows, width, sum) = (part.rows, part.width, described.product.d);
        let (row, column) = split(self.d);
        let memory = tensors.memory(part.member)?;
        let lanes: Vec<usize> = (0..rows).map(|row| layout.lane(part.index, row, rows)).collect();
        let mut start = Matrix::new(rows, width);
        let mut columns = Matrix::new(width, described.depth);
        for n in 0..width {
            for (index, lane) in lanes.iter().enumerate() {
                let word = memory.get(row + lane, column + n)?;
                if self.accumulate {
                    start.set(index, n, self.divided(sum, word));
                }
            }
            for k in 0..described.depth {
                columns.set(n, k, right.get(part.first + n, k));
            }
        }
        let positions = match self.form.sparse {
            true => {
                let of = (described.product.a, self.stored(described));
                Some(scale::positions(memory, self.metadata, of, &lanes, described.selector)?)
            }
            false => None,
        };
        let scales = match self.form.scales {
            0 => None,
            count => {
                let [a, b] = described.scale_bytes;
                let folded = layout == Layout::Folded(2);
                let columns = scale::scales(memory, self.scales[1], described.columns, (b, count), folded)?;
                Some((
                    scale::scales(memory, self.scales[0], rows, (a, count), false)?,
                    columns.into_iter().skip(part.first).take(width).collect(),
                ))
            }
        };
        let product = described.product;
        let result = product.compute(left, &columns, &start, positions.as_ref(), scales.as_ref());
        for (index, lane) in lanes.iter().enumerate() {
            let lane = row + lane;
            let mask = self.disabled.get(4 * part.member + lane / 32).copied().unwrap_or(0);
            if mask >> (lane % 32) & 1 != 0 {
                continue;
            }
            for n in 0..width {
                memory.set(lane, column + n, result.get(index, n) as u32)?;
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
