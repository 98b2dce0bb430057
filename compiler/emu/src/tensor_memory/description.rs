//! Instruction descriptors: the 32 bits that say what is multiplied (PTX ISA 9.7.16.4.2).

use warpsmith_numerics::{
    format::{Format, UE4M3, UE8M0},
    matrix::{Generation, Instruction, ScaledDot},
};

use super::{Wrong, wrong};
use crate::{
    FaultKind,
    matrix::{
        Cell, Element,
        descriptor::Major,
        product::{Arithmetic, Product, float},
    },
};

/// `.kind`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    F16,
    Tf32,
    F8f6f4,
    I8,
    Mxf8f6f4,
    Mxf4,
    Mxf4nvf4,
}

/// How the instruction is written, beside its descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Form {
    pub(crate) kind: Kind,
    /// `.cta_group::2`
    pub(crate) pair: bool,
    /// `.ws`
    pub(crate) stationary: bool,
    /// `.sp`, if the instruction says so.
    pub(crate) sparse: bool,
    /// Scales of a row of A and of a column of B: 1, 2 or 4; 0: there are none.
    pub(crate) scales: usize,
    /// The SM's number.
    pub(crate) sm: u16,
}

/// What the descriptor says.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Description {
    pub(crate) product: Product,
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    /// Elements of a column of B.
    pub(crate) depth: usize,
    pub(crate) major: [Major; 2],
    pub(crate) negated: [bool; 2],
    /// The first byte of the scales of A and of B.
    pub(crate) scale_bytes: [usize; 2],
    /// Which part of the metadata holds.
    pub(crate) selector: usize,
    /// By how many columns of B a product may start further, at most; of `.ws`.
    pub(crate) shift: usize,
}

pub(crate) fn unsupported(what: &str) -> Wrong {
    Wrong {
        kind: FaultKind::Unsupported,
        message: format!("tcgen05.mma {what} is not implemented"),
    }
}

/// Bits of the descriptor.
struct Bits(u32);

impl Bits {
    fn field(&self, low: u32, count: u32) -> u32 {
        self.0 >> low & ((1 << count) - 1)
    }

    fn flag(&self, bit: u32) -> bool {
        self.field(bit, 1) != 0
    }
}

impl Description {
    /// Reads it.
    pub(crate) fn of(bits: u32, form: Form) -> Result<Description, Wrong> {
        let bits = Bits(bits);
        let (rows, columns) = ((bits.field(24, 5) * 16) as usize, (bits.field(17, 6) * 8) as usize);
        if bits.flag(2) != form.sparse {
            return Err(wrong(match form.sparse {
                false => "the instruction descriptor is that of a sparse product",
                true => "the instruction descriptor is that of a dense product",
            }));
        }
        if !is_shape(form, rows, columns) {
            return Err(wrong(format!(
                "there is no product of {rows} rows and {columns} columns"
            )));
        }
        let (a, b) = (
            element(form.kind, bits.field(7, 3))?,
            element(form.kind, bits.field(10, 3))?,
        );
        let major = |bit| if bits.flag(bit) { Major::Mn } else { Major::K };
        let scaled = form.scales != 0;
        if scaled && bits.flag(31) {
            return Err(unsupported("of 96 elements of k"));
        }
        let product = match scaled {
            true => scaled_product(form, &bits, (a, b))?,
            false => product(form, &bits, (a, b))?,
        };
        let depth = match form.kind {
            Kind::Tf32 => 8,
            Kind::F16 => 16,
            Kind::F8f6f4 | Kind::I8 | Kind::Mxf8f6f4 => 32,
            Kind::Mxf4 | Kind::Mxf4nvf4 => 64,
        };
        Ok(Description {
            product,
            rows,
            columns,
            depth: if form.sparse { 2 * depth } else { depth },
            major: [major(15), major(16)],
            negated: [bits.flag(13), bits.flag(14)],
            scale_bytes: [bits.field(29, 2) as usize, bits.field(4, 2) as usize],
            selector: if scaled { 0 } else { bits.field(0, 2) as usize },
            shift: match bits.field(30, 2) {
                0 => 0,
                code => 4 << code,
            },
        })
    }
}

/// Whether there is a product of so many rows and columns (PTX ISA 9.7.16.2.1).
fn is_shape(form: Form, rows: usize, columns: usize) -> bool {
    let steps = |least: usize, step: usize| (least..=256).contains(&columns) && columns.is_multiple_of(step);
    match (form.stationary, form.pair, rows) {
        (true, false, 32 | 64 | 128) => matches!(columns, 64 | 128 | 256),
        (false, true, 256) => steps(32, 32) || form.kind != Kind::I8 && steps(16, 16),
        (false, true, 128) => steps(32, 32) || form.kind != Kind::I8 && form.scales == 0 && steps(16, 16),
        (false, false, 64) if form.scales == 0 => match form.kind {
            Kind::I8 => matches!(columns, 8 | 16 | 24) || steps(32, 16),
            _ => steps(8, 8),
        },
        (false, false, 128) => match form.kind {
            Kind::I8 => steps(16, 16),
            _ if form.scales != 0 => steps(8, 8),
            _ => steps(16, 16),
        },
        _ => false,
    }
}

fn element(kind: Kind, code: u32) -> Result<Element, Wrong> {
    Ok(match (kind, code) {
        (Kind::F16, 0) => Element::F16,
        (Kind::F16, 1) => Element::Bf16,
        (Kind::Tf32, 2) => Element::Tf32,
        (Kind::F8f6f4 | Kind::Mxf8f6f4, 0) => Element::E4m3,
        (Kind::F8f6f4 | Kind::Mxf8f6f4, 1) => Element::E5m2,
        (Kind::F8f6f4 | Kind::Mxf8f6f4, 3) => Element::E2m3,
        (Kind::F8f6f4 | Kind::Mxf8f6f4, 4) => Element::E3m2,
        (Kind::F8f6f4 | Kind::Mxf8f6f4, 5) => Element::E2m1InByte,
        (Kind::I8, 0) => Element::U8,
        (Kind::I8, 1) => Element::S8,
        (Kind::Mxf4 | Kind::Mxf4nvf4, 1) => Element::E2m1,
        _ => return Err(wrong(format!("the kind has no element type {code}"))),
    })
}

/// A product without scales.
fn product(form: Form, bits: &Bits, (a, b): (Element, Element)) -> Result<Product, Wrong> {
    let sum = match (form.kind, bits.field(4, 2)) {
        (Kind::F16 | Kind::F8f6f4, 0) => Cell::F16,
        (Kind::F16 | Kind::F8f6f4 | Kind::Tf32, 1) => Cell::F32,
        (Kind::I8, 2) => Cell::S32,
        (_, code) => return Err(wrong(format!("the kind has no result type {code}"))),
    };
    let made = match form.kind {
        Kind::I8 => {
            let saturate = bits.flag(3);
            Some(Product::of(a, b, sum, Arithmetic::Whole { saturate }))
        }
        _ => floating(form, (a, b), sum),
    };
    made.ok_or_else(|| wrong("there is no such product"))
}

fn floating(form: Form, elements: (Element, Element), sum: Cell) -> Option<Product> {
    let generation = Generation::of_sm(form.sm.into())?;
    float(generation, Instruction::Tcgen05, elements, (sum, sum))
}

/// A product of scaled blocks.
fn scaled_product(form: Form, bits: &Bits, (a, b): (Element, Element)) -> Result<Product, Wrong> {
    let scale: Format = if bits.flag(23) { UE8M0 } else { UE4M3 };
    let made = match (form.kind, form.scales) {
        (Kind::Mxf8f6f4, 1) if scale == UE8M0 => floating(form, (a, b), Cell::F32),
        (Kind::Mxf4, 2) | (Kind::Mxf4nvf4, 2) if scale == UE8M0 => Some(four_bits(ScaledDot::MXF4)),
        (Kind::Mxf4nvf4, 4) => Some(four_bits(ScaledDot { scale, block: 16 })),
        _ => None,
    };
    made.ok_or_else(|| wrong("there is no product with such scales"))
}

fn four_bits(dot: ScaledDot) -> Product {
    Product::of(Element::E2m1, Element::E2m1, Cell::F32, Arithmetic::Scaled(dot))
}
