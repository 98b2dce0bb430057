//! Products of matrices in the registers of a warp: `HMMA`, `IMMA`, `BMMA`, `DMMA`, `QMMA`, `OMMA`.
//!
//! Each is a `mma` of PTX with the same fragments, whose registers follow each other (observed, ptxas 13.0.88, which makes one instruction of each
//! `mma` that the machine has). Only `mma.m8n8k4` of sm_75 takes several, [`QuadStep`]. Products of warp groups are in [`super::warpgroup`].

use warpsmith_numerics::{
    float::Modifiers,
    matrix::{BitOperation, Generation, Instruction, ScaledDot},
    round::Rounding,
};

use super::{
    code::Row,
    machine::{Context, Flow, Trouble},
    warpgroup::GroupMultiply,
};
use crate::{
    FaultKind,
    matrix::{
        Cell, Element, Register,
        fragment::{factor_registers, sum_registers},
        mma::{Extra, Mma},
        product::{self, Arithmetic, Product},
        quad::{self, Layouts},
        scale::Scales,
    },
};

/// A product.
#[derive(Clone, Copy, Debug)]
pub(crate) enum MatrixProduct {
    Warp(Multiply),
    Quad(QuadStep),
    Group(GroupMultiply),
}

/// How elements are multiplied and added.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Kind {
    /// `finite`: infinities become the largest finite number, and NaNs zero.
    Float {
        finite: bool,
    },
    /// Four-bit floating point, with scales of blocks of k.
    Scaled(ScaledDot),
    Double(Rounding),
    Whole {
        saturate: bool,
    },
    Bits(BitOperation),
}

/// Scales of blocks of k: registers of A's and B's, the register that says which byte and lane of them count, and the scales of a row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ScaleRows {
    pub(crate) a: Row,
    pub(crate) b: Row,
    pub(crate) selector: Row,
    pub(crate) count: u8,
}

/// A product of a warp: D = A · B + C with 8 columns.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Multiply {
    pub(crate) generation: Generation,
    pub(crate) rows: u8,
    /// Elements of a column of B.
    pub(crate) depth: u16,
    pub(crate) a: Element,
    pub(crate) b: Element,
    /// Of C and D.
    pub(crate) sum: Cell,
    pub(crate) kind: Kind,
    /// The first registers of D, A, B and C.
    pub(crate) registers: [Row; 4],
    /// Metadata of sparse A, and their selector.
    pub(crate) metadata: Option<(Row, u8)>,
    pub(crate) scales: Option<ScaleRows>,
}

/// A step of `mma.m8n8k4` of f16: two registers of D.
#[derive(Clone, Copy, Debug)]
pub(crate) struct QuadStep {
    pub(crate) generation: Generation,
    pub(crate) layouts: Layouts,
    pub(crate) c: Cell,
    pub(crate) d: Cell,
    pub(crate) finite: bool,
    pub(crate) step: u8,
    /// The first registers of D, A, B and C.
    pub(crate) registers: [Row; 4],
}

impl MatrixProduct {
    pub(super) fn execute(self, context: &mut Context<'_, '_>) -> Result<Flow, Trouble> {
        whole_warp(context)?;
        let (row, registers) = match self {
            MatrixProduct::Warp(multiply) => (multiply.registers[0], multiply.compute(context)?),
            MatrixProduct::Quad(step) => (step.registers[0], step.compute(context)?),
            MatrixProduct::Group(multiply) if !multiply.is_joined(context) => return Ok(Flow::Choose),
            MatrixProduct::Group(multiply) => (multiply.d, multiply.compute(context)?),
        };
        for (word, register) in registers.iter().enumerate() {
            context.put(row.after(word as u32), register);
        }
        Ok(Flow::Next)
    }
}

/// What products need: all lanes of the warp hold parts of the matrices.
fn whole_warp(context: &Context<'_, '_>) -> Result<(), Trouble> {
    if context.active == u32::MAX {
        return Ok(());
    }
    let message = format!(
        "lanes {:#x} execute a product of matrices, of which all lanes of a warp hold parts",
        context.active
    );
    Err(Trouble::new(FaultKind::Operand, message))
}

/// The registers of a tuple.
pub(super) fn tuple(context: &Context<'_, '_>, first: Row, count: usize) -> Vec<Register> {
    let constants = &context.machine.constants;
    (0..count)
        .map(|word| *context.warp.row(constants, first.after(word as u32)))
        .collect()
}

/// A product that tensor cores do not have; decoding makes none.
pub(super) fn no_such_product() -> Trouble {
    Trouble::new(FaultKind::Unsupported, "there is no product of these types")
}

impl Multiply {
    /// The arithmetic, without where operands are.
    fn mma(&self) -> Option<Mma> {
        let plain = |arithmetic| Some(Product::of(self.a, self.b, self.sum, arithmetic));
        let product = match self.kind {
            Kind::Float { finite } => product::float(
                self.generation,
                Instruction::Mma,
                (self.a, self.b),
                (self.sum, self.sum),
            )
            .map(|product| Product { finite, ..product }),
            Kind::Scaled(dot) => plain(Arithmetic::Scaled(dot)),
            Kind::Double(rounding) => plain(Arithmetic::Double(Modifiers::from(rounding))),
            Kind::Whole { saturate } => plain(Arithmetic::Whole { saturate }),
            Kind::Bits(operation) => plain(Arithmetic::Bits(operation)),
        }?;
        let depth = usize::from(self.depth);
        Some(Mma {
            rows: usize::from(self.rows),
            columns: 8,
            depth: if self.a == Element::Bits { depth / 32 } else { depth },
            sparse: self.metadata.is_some(),
            product,
        })
    }

    fn compute(&self, context: &Context<'_, '_>) -> Result<Vec<Register>, Trouble> {
        let mma = self.mma().ok_or_else(no_such_product)?;
        let [_, a, b, c] = self.registers;
        let a = tuple(context, a, factor_registers(self.a, mma.rows, mma.stored()));
        let b = tuple(context, b, factor_registers(self.b, mma.columns, mma.depth));
        let c = tuple(context, c, sum_registers(self.sum, mma.rows, mma.columns));
        let constants = &context.machine.constants;
        let row = |row: Row| context.warp.row(constants, row);
        let extra = Extra {
            metadata: self
                .metadata
                .map(|(metadata, selector)| (row(metadata), u32::from(selector))),
            scales: self.scales.map(|scales| {
                let selector = row(scales.selector)[0];
                scales.of(selector, row(scales.a), row(scales.b))
            }),
        };
        Ok(mma.multiply(&a, &b, &c, extra))
    }
}

impl ScaleRows {
    /// The selector has the byte of A in bits 1–0, its thread in bit 2, the byte of B in bits 4–3 and its thread in bits 6–5 (observed, ptxas
    /// 13.0.88).
    fn of<'r>(&self, selector: u32, a: &'r Register, b: &'r Register) -> (Scales<'r>, Scales<'r>) {
        let scales = |data, byte, thread| Scales {
            data,
            byte,
            thread,
            count: usize::from(self.count),
        };
        (
            scales(a, selector & 3, selector >> 2 & 1),
            scales(b, selector >> 3 & 3, selector >> 5 & 3),
        )
    }
}

impl QuadStep {
    /// Step `s` gives the registers 2 s and 2 s + 1 of D from the registers of C that have the same columns (observed, ptxas 13.0.88: of f16
    /// C with an f32 D, two steps share two registers).
    fn compute(&self, context: &Context<'_, '_>) -> Result<Vec<Register>, Trouble> {
        let product = product::float(
            self.generation,
            Instruction::Mma,
            (Element::F16, Element::F16),
            (self.c, self.d),
        )
        .ok_or_else(no_such_product)?;
        let product = Product {
            finite: self.finite,
            ..product
        };
        let [_, a, b, c] = self.registers;
        let step = usize::from(self.step);
        let first = match (self.c, self.d) {
            (Cell::F16, Cell::F32) => step / 2 * 2,
            _ => step * 2,
        };
        let mut start = vec![[0; crate::lanes::LANES]; first];
        start.extend(tuple(context, c, 2));
        let (a, b) = (tuple(context, a, 2), tuple(context, b, 2));
        let d = quad::multiply(&product, self.layouts, &a, &b, &start);
        Ok(d.into_iter().skip(2 * step).take(2).collect())
    }
}
