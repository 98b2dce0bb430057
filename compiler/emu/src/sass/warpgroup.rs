//! Products of warp groups: `HGMMA`, `IGMMA`, `QGMMA`, `BGMMA`.
//!
//! They are `wgmma.mma_async` of PTX, of which each warp computes its own 16 rows of 64. All happens at the instruction: code may not change the
//! matrices nor touch the registers before it has waited for the product, so that what is read then is what is read at any allowed time.

use warpsmith_numerics::matrix::{Generation, Instruction};

use super::{
    code::{Row, Test},
    machine::{Context, Trouble},
    memory::{Space, locate, read},
    product::{Kind, no_such_product, tuple},
    warp::Wait,
};
use crate::{
    FaultKind,
    matrix::{
        Cell, Element, Matrix, Register,
        descriptor::{Descriptor, Major, Misdescribed},
        fragment::{factor, factor_registers, sum_fragment, sum_registers, sums},
        product::{self, Arithmetic, Product, negated},
        sparse,
    },
    warpgroup::Awaited,
};

/// Where A is.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Left {
    /// In registers from this one on.
    Registers(Row),
    /// In shared memory, as a pair of uniform registers says.
    Descriptor(Row),
}

/// A product: D = A · B + C with 64 rows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GroupMultiply {
    pub(crate) columns: u16,
    /// Elements of a column of B, in containers.
    pub(crate) depth: u16,
    pub(crate) elements: [Element; 2],
    /// Of C and D.
    pub(crate) sum: Cell,
    pub(crate) kind: Kind,
    pub(crate) d: Row,
    pub(crate) a: Left,
    /// The pair of uniform registers that describes B.
    pub(crate) b: Row,
    pub(crate) c: Row,
    /// Whether C is added.
    pub(crate) accumulate: Test,
    /// Metadata of sparse A, and their selector.
    pub(crate) metadata: Option<(Row, u8)>,
    /// Signs of A and B are flipped.
    pub(crate) negate: [bool; 2],
    pub(crate) majors: [Major; 2],
    /// It is the last of a group.
    pub(crate) commits: bool,
}

impl From<Misdescribed> for Trouble {
    fn from(Misdescribed(message): Misdescribed) -> Trouble {
        Trouble::new(FaultKind::Operand, message)
    }
}

impl GroupMultiply {
    fn product(&self) -> Option<Product> {
        let [a, b] = self.elements;
        let plain = |arithmetic| Some(Product::of(a, b, self.sum, arithmetic));
        match self.kind {
            Kind::Float { finite } => {
                let made = product::float(Generation::Hopper, Instruction::Wgmma, (a, b), (self.sum, self.sum))?;
                Some(Product { finite, ..made })
            }
            Kind::Whole { saturate } => plain(Arithmetic::Whole { saturate }),
            Kind::Bits(operation) => plain(Arithmetic::Bits(operation)),
            Kind::Scaled(_) | Kind::Double(_) => None,
        }
    }

    /// Whether the other warps of the group have come to the product, too; where not, the warp waits for them and comes to it again.
    pub(super) fn is_joined(&self, context: &mut Context<'_, '_>) -> bool {
        let awaited = Awaited::Arrival(context.warp.products.arrive());
        let index = context.warp.index;
        let cta = &context.cluster.ctas[context.rank];
        awaited.is_done(index, |warp| cta.products(warp)) || {
            let group = &mut context.warp.groups[context.group];
            (group.pc, group.wait) = (context.pc, Wait::Products(awaited));
            false
        }
    }

    /// The registers of D of a warp: none where nobody asks for it, as of the products by which compilers end a group that has none.
    pub(super) fn compute(&self, context: &mut Context<'_, '_>) -> Result<Vec<Register>, Trouble> {
        let d = match self.d.is_zero() {
            true => Vec::new(),
            false => self.registers_of_d(context)?,
        };
        context.warp.products.compute();
        if self.commits {
            context.warp.products.commit();
        }
        Ok(d)
    }

    fn registers_of_d(&self, context: &mut Context<'_, '_>) -> Result<Vec<Register>, Trouble> {
        let product = self.product().ok_or_else(no_such_product)?;
        let (columns, depth) = (usize::from(self.columns), usize::from(self.depth));
        let stored = if self.metadata.is_some() { depth / 2 } else { depth };
        let mut a = match self.a {
            Left::Registers(first) => {
                let registers = tuple(context, first, factor_registers(product.a, 16, stored));
                factor(&registers, product.a, 16, 16, stored)
            }
            Left::Descriptor(pair) => {
                let rows = (16 * (context.warp.index as usize % 4), 16);
                described(context, pair, (self.majors[0], product.a), rows, stored)?
            }
        };
        let mut b = described(context, self.b, (self.majors[1], product.b), (0, columns), depth)?;
        if self.negate[0] {
            a = negated(a, product.a);
        }
        if self.negate[1] {
            b = negated(b, product.b);
        }
        let c = if context.warp.test(self.accumulate) & context.active != 0 {
            let registers = tuple(context, self.c, sum_registers(product.c, 16, columns));
            sums(&registers, product.c, 16, columns)
        } else {
            Matrix::new(16, columns)
        };
        let positions = self.metadata.map(|(metadata, selector)| {
            let metadata = context.warp.row(&context.machine.constants, metadata);
            sparse::positions(product.a, metadata, u32::from(selector), stored)
        });
        let d = product.compute(&a, &b, &c, positions.as_ref(), None);
        Ok(sum_fragment(&d, product.d))
    }
}

/// A matrix in shared memory.
fn described(
    context: &mut Context<'_, '_>,
    pair: Row,
    (major, element): (Major, Element),
    rows: (usize, usize),
    depth: usize,
) -> Result<Matrix, Trouble> {
    let bits = context.warp.pair(&context.machine.constants, pair, pair.after(1))[0];
    Descriptor::wgmma(bits).read(major, element, rows, depth, |address| {
        let at = locate(context, Space::Shared, address, 16)?;
        let mut unit = [0; 16];
        for (index, half) in unit.chunks_exact_mut(8).enumerate() {
            half.copy_from_slice(&read(context, at, 0, 8 * index as u64, 8)?.to_le_bytes());
        }
        Ok(unit)
    })
}
