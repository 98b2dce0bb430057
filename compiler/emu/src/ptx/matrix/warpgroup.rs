//! `wgmma.mma_async`: four warps multiply 64 rows.
//!
//! Each warp computes its own 16 rows, all at the instruction. This needs no meeting of the warps: a warp reads only its registers and shared
//! memory. A program may not change the matrices in shared memory, nor touch the registers, before it has waited for the product, and must have
//! made both ready before `wgmma.fence`; so what is read at the instruction is what is read at any allowed time. That the four warps execute the
//! same instruction is not checked, and the instruction waits only for the lanes of its own warp.

use super::{List, read, register, write};
use crate::{
    matrix::{
        Element, Matrix,
        descriptor::{Descriptor, Major, Misdescribed},
        fragment::{factor, sum_fragment, sums},
        product::{Product, negated},
        sparse,
    },
    ptx::{
        FaultKind,
        code::{Source, Space, Test},
        machine::{Machine, Site, Trouble},
        warp::Warp,
    },
};

/// Where A is.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Left {
    Registers(List),
    Descriptor(Source),
}

/// A `wgmma.mma_async`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Warpgroup {
    pub(crate) product: Product,
    pub(crate) columns: usize,
    /// Elements of a column of B, in containers.
    pub(crate) depth: usize,
    pub(crate) d: List,
    pub(crate) a: Left,
    pub(crate) b: Source,
    /// Metadata and selector of a sparse A.
    pub(crate) metadata: Option<(Source, u32)>,
    /// `scale-d`: whether D is added.
    pub(crate) accumulate: Test,
    /// `imm-scale-a` and `imm-scale-b` are -1.
    pub(crate) negate: [bool; 2],
    /// From `imm-trans-a` and `imm-trans-b`.
    pub(crate) majors: [Major; 2],
}

impl From<Misdescribed> for Trouble {
    fn from(Misdescribed(message): Misdescribed) -> Trouble {
        Trouble::new(FaultKind::Operand, message)
    }
}

impl Machine<'_> {
    pub(super) fn warpgroup(
        &mut self,
        site: &mut Site<'_>,
        warp: &mut Warp,
        warpgroup: &Warpgroup,
        active: u32,
    ) -> Result<(), Trouble> {
        let (code, product) = (site.code, &warpgroup.product);
        let stored = if warpgroup.metadata.is_some() {
            warpgroup.depth / 2
        } else {
            warpgroup.depth
        };
        let mut a = match warpgroup.a {
            Left::Registers(list) => factor(&read(code, warp, list), product.a, 16, 16, stored),
            Left::Descriptor(descriptor) => {
                let rows = (16 * (warp.index as usize % 4), 16);
                self.described(site, warp, descriptor, (warpgroup.majors[0], product.a), rows, stored)?
            }
        };
        let columns = (0, warpgroup.columns);
        let right = (warpgroup.majors[1], product.b);
        let mut b = self.described(site, warp, warpgroup.b, right, columns, warpgroup.depth)?;
        if warpgroup.negate[0] {
            a = negated(a, product.a);
        }
        if warpgroup.negate[1] {
            b = negated(b, product.b);
        }
        let c = if warp.test(warpgroup.accumulate) & active != 0 {
            sums(&read(code, warp, warpgroup.d), product.c, 16, warpgroup.columns)
        } else {
            Matrix::new(16, warpgroup.columns)
        };
        let positions = warpgroup.metadata.map(|(metadata, selector)| {
            sparse::positions(product.a, &register(warp.read(code, metadata)), selector, stored)
        });
        warp.products.compute();
        let d = product.compute(&a, &b, &c, positions.as_ref(), None);
        write(code, warp, warpgroup.d, active, &sum_fragment(&d, product.d));
        Ok(())
    }

    /// A matrix in shared memory, whose descriptor the first lane gives.
    fn described(
        &mut self,
        site: &mut Site<'_>,
        warp: &mut Warp,
        descriptor: Source,
        (major, element): (Major, Element),
        rows: (usize, usize),
        depth: usize,
    ) -> Result<Matrix, Trouble> {
        let bits = warp.read(site.code, descriptor)[0];
        Descriptor::wgmma(bits).read(major, element, rows, depth, |address| {
            let bytes = self.read_bytes(site, warp, 0, Space::Shared, address, 16)?;
            Ok(std::array::from_fn(|index| bytes.get(index).copied().unwrap_or(0)))
        })
    }
}
