//! Products of matrices without PTX: what fragments of a warp and descriptors of shared memory hold, and what is made of them.
//!
//! **What enters**: registers of 32 bits for each of 32 lanes, or units of shared memory. **What leaves**: the registers of the result.
//!
//! Every product has the same three steps. Fragments ([`fragment`], [`quad`], [`wmma`]) or descriptors ([`descriptor`]) become a [`Matrix`] of
//! encodings, B by columns; [`product`] computes, with [`sparse`] telling which k the stored elements of A have; the result goes back into
//! fragments.

pub(crate) mod bytes;
pub(crate) mod descriptor;
mod element;
pub(crate) mod fragment;
pub(crate) mod mma;
pub(crate) mod product;
pub(crate) mod quad;
pub(crate) mod scale;
pub(crate) mod sparse;
pub(crate) mod wmma;

pub(crate) use element::{Cell, Element};

use crate::lanes::LANES;

/// One register of all lanes.
pub(crate) type Register = [u32; LANES];

/// Encodings by rows. Of B, a row is a column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Matrix {
    columns: usize,
    values: Vec<u64>,
}

impl Matrix {
    /// All zero.
    pub(crate) fn new(rows: usize, columns: usize) -> Matrix {
        Matrix {
            columns,
            values: vec![0; rows * columns],
        }
    }

    pub(crate) fn rows(&self) -> usize {
        self.values.len() / self.columns.max(1)
    }

    pub(crate) fn columns(&self) -> usize {
        self.columns
    }

    /// A row; empty where there is none.
    pub(crate) fn row(&self, row: usize) -> &[u64] {
        let start = row * self.columns;
        self.values.get(start..start + self.columns).unwrap_or(&[])
    }

    /// An element; 0 where there is none.
    pub(crate) fn get(&self, row: usize, column: usize) -> u64 {
        self.row(row).get(column).copied().unwrap_or(0)
    }

    /// Changes an element where there is one.
    pub(crate) fn set(&mut self, row: usize, column: usize, value: u64) {
        if column < self.columns
            && let Some(place) = self.values.get_mut(row * self.columns + column)
        {
            *place = value;
        }
    }

    /// Rows become columns.
    pub(crate) fn transposed(&self) -> Matrix {
        let mut out = Matrix::new(self.columns, self.rows());
        for row in 0..self.rows() {
            for column in 0..self.columns {
                out.set(column, row, self.get(row, column));
            }
        }
        out
    }

    /// Every element changed.
    pub(crate) fn map(mut self, change: impl Fn(u64) -> u64) -> Matrix {
        for value in &mut self.values {
            *value = change(*value);
        }
        self
    }
}
