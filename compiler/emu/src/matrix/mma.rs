//! `mma` of one warp on fragments: dense, sparse and with scales, of all shapes but m8n8k4 of 16 bits.

use super::{
    Register,
    fragment::{factor, sum_fragment, sums},
    product::Product,
    scale::Scales,
    sparse,
};

/// Shape and arithmetic of an `mma`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mma {
    /// Rows of A and D: 8 or 16.
    pub(crate) rows: usize,
    /// Columns of B and D, a multiple of 8.
    pub(crate) columns: usize,
    /// Elements of a column of B, in containers of [`super::Element::bits`].
    pub(crate) depth: usize,
    /// A holds half of the elements of its rows.
    pub(crate) sparse: bool,
    pub(crate) product: Product,
}

/// What `mma` reads besides its matrices.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Extra<'r> {
    /// Metadata of sparse A and their selector.
    pub(crate) metadata: Option<(&'r Register, u32)>,
    /// Scales of A and B.
    pub(crate) scales: Option<(Scales<'r>, Scales<'r>)>,
}

impl Mma {
    /// Elements of a row of A that are stored.
    pub(crate) fn stored(&self) -> usize {
        if self.sparse { self.depth / 2 } else { self.depth }
    }

    /// The registers of D.
    pub(crate) fn multiply(&self, a: &[Register], b: &[Register], c: &[Register], extra: Extra<'_>) -> Vec<Register> {
        let product = &self.product;
        let a = factor(a, product.a, self.rows.clamp(8, 16), self.rows, self.stored());
        let b = factor(b, product.b, 8, self.columns, self.depth);
        let c = sums(c, product.c, self.rows, self.columns);
        let positions = extra
            .metadata
            .map(|(metadata, selector)| sparse::positions(product.a, metadata, selector, self.stored()));
        let scales = extra.scales.map(|(a, b)| (a.rows(), b.columns()));
        let d = product.compute(&a, &b, &c, positions.as_ref(), scales.as_ref());
        sum_fragment(&d, product.d)
    }
}
