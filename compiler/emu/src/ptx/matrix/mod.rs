//! Matrix instructions of PTX: registers and memory of a warp brought to the products of [`crate::matrix`] and back.

mod moves;
mod warpgroup;
mod wmma;

use warpsmith_numerics::{
    float::Modifiers,
    matrix::{BitOperation, Generation, Instruction, ScaledDot},
};
use warpsmith_ptx::{
    instruction::Variant,
    table::{Modifier as M, Type},
};

pub(crate) use moves::MoveBytes;
pub(crate) use warpgroup::{Left, Warpgroup};
pub(crate) use wmma::{Place, WmmaMove};

use super::{
    code::{Code, LANES, Lanes, Source},
    machine::{Machine, Site, Trouble},
    warp::Warp,
};
use crate::matrix::{
    Cell, Element, Register,
    mma::{Extra, Mma},
    product::{Arithmetic, Product, float},
    quad::{self, Layouts},
    scale::Scales,
    wmma::Shape,
};

/// Registers of an operand, in `Code::lists`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct List {
    pub(crate) start: u32,
    pub(crate) count: u32,
    /// Registers of 64 bits: two each for [`crate::matrix`].
    pub(crate) wide: bool,
}

/// Scales of one factor of a block-scaled `mma`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ScaleOperand {
    pub(crate) data: Source,
    pub(crate) byte: Source,
    pub(crate) thread: Source,
}

/// What a product reads besides its matrices.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Extras {
    /// Metadata and their selector.
    pub(crate) metadata: Option<(Source, u32)>,
    /// Of A and B.
    pub(crate) scales: Option<(ScaleOperand, ScaleOperand)>,
}

/// Which product a `mma` or `wmma.mma` is.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Kind {
    Mma {
        mma: Mma,
        /// Scales of a row of A.
        scales: usize,
    },
    Quad(Product, Layouts),
    Wmma(Product, Shape),
}

/// A matrix instruction, in `Code::matrices`.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Matrix {
    Multiply {
        kind: Kind,
        /// d, a, b and c.
        lists: [List; 4],
        extras: Extras,
    },
    WmmaLoad(WmmaMove),
    WmmaStore(WmmaMove),
    Warpgroup(Warpgroup),
    LoadBytes(MoveBytes),
    StoreBytes(MoveBytes),
}

/// The numbers in `m16n8k32`.
pub(crate) fn shape(variant: &Variant) -> Option<[usize; 3]> {
    let name = variant.modifiers.iter().flatten().find_map(|modifier| {
        let name = modifier.name();
        (name.starts_with('m') && name.contains('n') && name.contains('k')).then_some(name)
    })?;
    let mut numbers = name.split(['m', 'n', 'k']).skip(1).map(str::parse);
    Some([numbers.next()?.ok()?, numbers.next()?.ok()?, numbers.next()?.ok()?])
}

/// The element that a type of A or B stands for.
pub(crate) fn element(of: Type, variant: &Variant) -> Option<Element> {
    Some(match of {
        Type::F16 => Element::F16,
        Type::Bf16 => Element::Bf16,
        Type::Tf32 => Element::Tf32,
        Type::F64 => Element::F64,
        Type::E4m3 => Element::E4m3,
        Type::E5m2 => Element::E5m2,
        Type::E3m2 => Element::E3m2,
        Type::E2m3 => Element::E2m3,
        Type::E2m1 if variant.has(M::KindMxf4) || variant.has(M::KindMxf4nvf4) => Element::E2m1,
        Type::E2m1 => Element::E2m1InByte,
        Type::S8 => Element::S8,
        Type::U8 => Element::U8,
        Type::S4 => Element::S4,
        Type::U4 => Element::U4,
        Type::B1 => Element::Bits,
        _ => return None,
    })
}

/// The element that a type of C or D stands for.
pub(crate) fn cell(of: Type) -> Option<Cell> {
    Some(match of {
        Type::F16 => Cell::F16,
        Type::F32 => Cell::F32,
        Type::S32 => Cell::S32,
        Type::F64 => Cell::F64,
        _ => return None,
    })
}

/// Elements of this depth counted in containers.
pub(crate) fn containers(element: Element, depth: usize) -> usize {
    if element == Element::Bits { depth / 32 } else { depth }
}

/// The product of these types.
pub(crate) fn product(
    variant: &Variant,
    target: u16,
    instruction: Instruction,
    (a, b): (Element, Element),
    (c, d): (Cell, Cell),
) -> Option<Product> {
    if a.bits() != b.bits() {
        return None;
    }
    let plain = |arithmetic| (c == d).then_some(Product::of(a, b, d, arithmetic));
    if a.format().is_some() {
        let generation = Generation::of_sm(u32::from(target))?;
        let made = float(generation, instruction, (a, b), (c, d))?;
        return Some(Product {
            finite: variant.has(M::Satfinite),
            ..made
        });
    }
    match a {
        Element::F64 => plain(Arithmetic::Double(Modifiers::from(super::decode::rounding(variant)))),
        Element::Bits if variant.has(M::Xor) => plain(Arithmetic::Bits(BitOperation::Xor)),
        Element::Bits if variant.has(M::And) => plain(Arithmetic::Bits(BitOperation::And)),
        // Bit operations that stand with integers of four bits do nothing (observed, ptxas 13.0.88).
        _ if a.integer().is_some() => plain(Arithmetic::Whole {
            saturate: variant.has(M::Satfinite),
        }),
        _ => None,
    }
}

impl Kind {
    /// The product that a variant of `mma` stands for, on the tensor cores of a target.
    pub(crate) fn mma(variant: &Variant, target: u16) -> Option<Kind> {
        let [rows, columns, depth] = shape(variant)?;
        let types: Vec<Type> = variant.types().collect();
        let [d, a, b, c, scale @ ..] = types.as_slice() else {
            return None;
        };
        let (a, b) = (element(*a, variant)?, element(*b, variant)?);
        let (c, d) = (cell(*c)?, cell(*d)?);
        let mut product = product(variant, target, Instruction::Mma, (a, b), (c, d))?;
        if (rows, depth) == (8, 4) && a != Element::F64 {
            // Forms of bf16 and tf32 pass ptxas, which makes nothing of them.
            let layouts = Layouts {
                a_by_columns: variant.slot("alayout") == Some(M::Col),
                b_by_rows: variant.slot("blayout") == Some(M::Row),
            };
            if target >= 80 {
                product.arithmetic = Arithmetic::Emulated;
            }
            return (a == Element::F16).then_some(Kind::Quad(product, layouts));
        }
        if c != d {
            return None;
        }
        let mut scales = 0;
        if variant.has(M::BlockScale) {
            (product.arithmetic, scales) = match (a, scale) {
                (Element::E2m1, [Type::Ue8m0]) if !variant.has(M::ScaleVec4X) => {
                    (Arithmetic::Scaled(ScaledDot::MXF4), 2)
                }
                (Element::E2m1, [Type::Ue4m3]) => (Arithmetic::Scaled(ScaledDot::NVF4), 4),
                (Element::E2m1, _) => return None,
                _ => (product.arithmetic, 1),
            };
        } else if a == Element::E2m1 {
            return None;
        }
        let mma = Mma {
            rows,
            columns,
            depth: containers(a, depth),
            sparse: variant.has(M::Sp) || variant.has(M::SpOrderedMetadata),
            product,
        };
        Some(Kind::Mma { mma, scales })
    }

    /// The same of `wmma.mma`.
    pub(crate) fn wmma(variant: &Variant, target: u16) -> Option<Kind> {
        let types: Vec<Type> = variant.types().collect();
        let (d, a, b, c) = match types[..] {
            [d, c] => (d, Type::F16, Type::F16, c),
            [d, a, b, c] => (d, a, b, c),
            _ => return None,
        };
        let (a, b) = (element(a, variant)?, element(b, variant)?);
        let product = product(variant, target, Instruction::Mma, (a, b), (cell(c)?, cell(d)?))?;
        let [rows, columns, depth] = shape(variant)?;
        // ptxas takes other shapes and makes nothing of them.
        if a == Element::F64 && rows != 8 {
            return None;
        }
        let integers = a.integer().is_some();
        Some(Kind::Wmma(
            product,
            Shape::new(rows, columns, containers(a, depth), integers, target),
        ))
    }

    /// Whether registers of A and B, and those of C and D, have 64 bits.
    pub(crate) fn is_wide(&self) -> bool {
        match self {
            Kind::Mma { mma, .. } => mma.product.a == Element::F64,
            Kind::Wmma(product, _) => product.a == Element::F64,
            Kind::Quad(..) => false,
        }
    }
}

/// A register as [`crate::matrix`] has it.
pub(crate) fn register(values: &Lanes) -> Register {
    values.map(|value| value as u32)
}

/// The registers of a list.
pub(crate) fn read(code: &Code, warp: &Warp, list: List) -> Vec<Register> {
    let sources = code.lists.iter().skip(list.start as usize).take(list.count as usize);
    let mut registers = Vec::new();
    for source in sources {
        let values = warp.read(code, Source(*source));
        registers.push(register(values));
        if list.wide {
            registers.push(values.map(|value| (value >> 32) as u32));
        }
    }
    registers
}

/// Writes the registers of a list.
pub(crate) fn write(code: &Code, warp: &mut Warp, list: List, active: u32, registers: &[Register]) {
    let slots = code.lists.iter().skip(list.start as usize).take(list.count as usize);
    for (slot, parts) in slots.zip(registers.chunks(if list.wide { 2 } else { 1 })) {
        let mut values = [0; LANES];
        for (part, register) in parts.iter().enumerate() {
            for (value, bits) in values.iter_mut().zip(register) {
                *value |= u64::from(*bits) << (32 * part);
            }
        }
        warp.write(*slot, active, &values);
    }
}

impl Machine<'_> {
    /// Executes a matrix instruction for all lanes of a warp.
    pub(crate) fn matrix(
        &mut self,
        site: &mut Site<'_>,
        warp: &mut Warp,
        matrix: &Matrix,
        active: u32,
    ) -> Result<(), Trouble> {
        match matrix {
            Matrix::Multiply { kind, lists, extras } => {
                multiply(site.code, warp, kind, lists, extras, active);
                Ok(())
            }
            Matrix::WmmaLoad(moved) => self.wmma_load(site, warp, moved, active),
            Matrix::WmmaStore(moved) => self.wmma_store(site, warp, moved),
            Matrix::Warpgroup(warpgroup) => self.warpgroup(site, warp, warpgroup, active),
            Matrix::LoadBytes(moved) => self.load_bytes(site, warp, moved, active),
            Matrix::StoreBytes(moved) => self.store_bytes(site, warp, moved),
        }
    }
}

fn multiply(code: &Code, warp: &mut Warp, kind: &Kind, lists: &[List; 4], extras: &Extras, active: u32) {
    let [a, b, c] = [lists[1], lists[2], lists[3]].map(|list| read(code, warp, list));
    let d = match kind {
        Kind::Quad(product, layouts) => quad::multiply(product, *layouts, &a, &b, &c),
        Kind::Wmma(product, shape) => shape.multiply(product, &a, &b, &c),
        Kind::Mma { mma, scales } => {
            let metadata = extras
                .metadata
                .map(|(source, selector)| (register(warp.read(code, source)), selector));
            let scale = |operand: ScaleOperand| {
                let first = |source| warp.read(code, source)[0] as u32;
                (
                    register(warp.read(code, operand.data)),
                    first(operand.byte),
                    first(operand.thread),
                )
            };
            let scaled = extras.scales.map(|(a, b)| (scale(a), scale(b)));
            let extra = Extra {
                metadata: metadata.as_ref().map(|(data, selector)| (data, *selector)),
                scales: scaled
                    .as_ref()
                    .map(|(a, b)| (scales_of(a, *scales), scales_of(b, *scales))),
            };
            mma.multiply(&a, &b, &c, extra)
        }
    };
    write(code, warp, lists[0], active, &d);
}

fn scales_of((data, byte, thread): &(Register, u32, u32), count: usize) -> Scales<'_> {
    Scales {
        data,
        byte: *byte,
        thread: *thread,
        count,
    }
}
