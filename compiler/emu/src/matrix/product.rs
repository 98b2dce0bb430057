//! The product itself: rows of A times columns of B, added to C.

use warpsmith_numerics::{
    convert::{self, Modifiers as Conversion},
    float::{self, Modifiers},
    format::{F16, F32, Format, UE8M0},
    matrix::{BitOperation, Dot, Generation, Instruction, Output, ScaledDot, bits, double, integer},
};

use super::{Cell, Element, Matrix, sparse::Positions};

/// How a row times a column is computed.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Arithmetic {
    /// Sums of blocks, as tensor cores have them.
    Float(Dot),
    /// The same of four-bit elements with a scale per block.
    Scaled(ScaledDot),
    /// Fused multiply-adds of doubles.
    Double(Modifiers),
    Whole {
        saturate: bool,
    },
    Bits(BitOperation),
    /// `mma.m8n8k4` of f16 from sm_80 on, where ptxas makes single-precision arithmetic of it (observed, ptxas 13.0.88).
    Emulated,
}

/// What is multiplied, and what it is added to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Product {
    pub(crate) a: Element,
    pub(crate) b: Element,
    pub(crate) c: Cell,
    pub(crate) d: Cell,
    pub(crate) arithmetic: Arithmetic,
    /// Infinite results become the largest finite ones and NaNs zero: `.satfinite` of floating-point `wmma` until PTX 6.4.
    pub(crate) finite: bool,
}

/// Scales of the rows of A and of the columns of B.
pub(crate) type ScaleLists = (Vec<Vec<u64>>, Vec<Vec<u64>>);

/// `None`: there is no such product on these tensor cores.
pub(crate) fn float(
    generation: Generation,
    instruction: Instruction,
    (a, b): (Element, Element),
    (c, d): (Cell, Cell),
) -> Option<Product> {
    // An f16 result of f32 sums is rounded at the end; an f16 accumulator of them is widened first.
    let output = match (c, d) {
        (Cell::F16, Cell::F16) => Output::F16,
        (Cell::F16 | Cell::F32, Cell::F16 | Cell::F32) => Output::F32,
        (Cell::S32 | Cell::F64, _) | (_, Cell::S32 | Cell::F64) => return None,
    };
    let dot = Dot::new(generation, instruction, a.format()?, b.format()?, output);
    Some(Product {
        a,
        b,
        c,
        d,
        arithmetic: Arithmetic::Float(dot),
        finite: false,
    })
}

impl Product {
    /// A product of which C and D have one type.
    pub(crate) fn of(a: Element, b: Element, sum: Cell, arithmetic: Arithmetic) -> Product {
        Product {
            a,
            b,
            c: sum,
            d: sum,
            arithmetic,
            finite: false,
        }
    }

    /// The type in which sums are kept.
    fn sum(&self) -> Cell {
        if self.c == Cell::F16 && self.d == Cell::F16 {
            Cell::F16
        } else if self.c == Cell::F16 {
            self.d
        } else {
            self.c
        }
    }

    /// D. B has a row for each of its columns. With `positions`, A holds stored elements only, whose k they are.
    pub(crate) fn compute(
        &self,
        a: &Matrix,
        b: &Matrix,
        c: &Matrix,
        positions: Option<&Positions>,
        scales: Option<&ScaleLists>,
    ) -> Matrix {
        let mut d = Matrix::new(c.rows(), c.columns());
        let mut chosen = Vec::new();
        for row in 0..c.rows() {
            for column in 0..c.columns() {
                let start = widened(c.get(row, column), self.c, self.sum());
                let right = b.row(column);
                let right = match positions.and_then(|all| all.get(row)) {
                    Some(indices) => {
                        chosen.clear();
                        chosen.extend(indices.iter().map(|k| right.get(*k).copied().unwrap_or(0)));
                        chosen.as_slice()
                    }
                    None => right,
                };
                let pairs = a.row(row).iter().copied().zip(right.iter().copied());
                let of = |lists: &Vec<Vec<u64>>, index: usize| lists.get(index).cloned().unwrap_or_default();
                let scales = scales.map(|(a, b)| (of(a, row), of(b, column)));
                let sum = self.element(pairs, start, scales.as_ref());
                d.set(row, column, self.finished(sum));
            }
        }
        d
    }

    /// One element: products added to `start`.
    fn element(
        &self,
        pairs: impl Iterator<Item = (u64, u64)> + Clone,
        start: u64,
        scales: Option<&(Vec<u64>, Vec<u64>)>,
    ) -> u64 {
        let scale = |list: &[u64], index: usize, one: u64| list.get(index).copied().unwrap_or(one);
        match self.arithmetic {
            Arithmetic::Float(dot) => match scales {
                Some((a, b)) => {
                    let one = UE8M0.one();
                    dot.accumulate_scaled(pairs, start, [scale(a, 0, one), scale(b, 0, one)])
                }
                None => dot.accumulate(pairs, start),
            },
            Arithmetic::Scaled(dot) => {
                let (one, mask) = (dot.scale.one(), dot.scale.mask());
                let at = |index: usize| match scales {
                    Some((a, b)) => (scale(a, index, one) & mask, scale(b, index, one) & mask),
                    None => (one, one),
                };
                dot.accumulate(pairs, at, start)
            }
            Arithmetic::Double(modifiers) => double(pairs, start, modifiers),
            Arithmetic::Whole { saturate } => match (self.a.integer(), self.b.integer()) {
                (Some(a), Some(b)) => u64::from(integer(a, b, pairs, start as u32, saturate)),
                _ => start,
            },
            Arithmetic::Bits(operation) => {
                let words = pairs.map(|(a, b)| (a as u32, b as u32));
                u64::from(bits(operation, words, start as u32))
            }
            Arithmetic::Emulated => emulated(pairs, start, self.d == Cell::F16),
        }
    }

    /// A sum as D has it.
    fn finished(&self, sum: u64) -> u64 {
        let value = match (self.sum_of_element(), self.d) {
            (Cell::F32, Cell::F16) => convert::float_to_float(F32, F16, Conversion::default(), sum),
            _ => sum,
        };
        match self.d {
            Cell::F16 if self.finite => finite(F16, value),
            Cell::F32 if self.finite => finite(F32, value),
            Cell::F16 | Cell::F32 | Cell::S32 | Cell::F64 => value,
        }
    }

    /// The type of what [`Product::element`] gives.
    fn sum_of_element(&self) -> Cell {
        match self.arithmetic {
            Arithmetic::Emulated => Cell::F32,
            _ => self.sum(),
        }
    }
}

/// An f16 accumulator as the sum's type has it.
fn widened(value: u64, from: Cell, to: Cell) -> u64 {
    match (from, to) {
        (Cell::F16, Cell::F32) => convert::float_to_float(F16, F32, Conversion::default(), value),
        _ => value,
    }
}

fn finite(format: Format, value: u64) -> u64 {
    if format.is_nan(value) {
        0
    } else if format.is_infinite(value) {
        value & format.sign_bit() | format.largest_finite()
    } else {
        value
    }
}

/// Four products of f16 in f32, as the functions that ptxas calls have it: a chain of fused multiply-adds from zero, then the accumulator; with an f16
/// result two chains of two, each from a product alone, added to the accumulator one after the other. The f32 sum.
fn emulated(pairs: impl Iterator<Item = (u64, u64)>, start: u64, narrow: bool) -> u64 {
    let modifiers = Modifiers::default();
    let wide = |value| widened(value, Cell::F16, Cell::F32);
    let pairs: Vec<(u64, u64)> = pairs.map(|(a, b)| (wide(a), wide(b))).collect();
    let chain = |pairs: &[(u64, u64)], start: u64| {
        pairs
            .iter()
            .fold(start, |sum, (a, b)| float::fma(F32, modifiers, *a, *b, sum))
    };
    if narrow {
        // A product and -0 is the product, with its sign.
        let start = wide(start);
        pairs.chunks(2).fold(start, |sum, pair| {
            float::add(F32, modifiers, sum, chain(pair, F32.sign_bit()))
        })
    } else {
        float::add(F32, modifiers, start, chain(&pairs, 0))
    }
}

/// Changes the sign of every element: `imm-scale-a` and `imm-scale-b` of -1.
pub(crate) fn negated(matrix: Matrix, element: Element) -> Matrix {
    match element.format() {
        Some(format) => matrix.map(|value| value ^ format.sign_bit()),
        None => matrix,
    }
}
