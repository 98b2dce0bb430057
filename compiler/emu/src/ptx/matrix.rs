//! Matrix products of a warp: `mma` of dense matrices.
//!
//! In all shapes but the oldest (m8n8k4 of 16 bits) the fragments follow one rule. Lane `l` has group `g = l / 4` and place `t = l % 4`, and a
//! register holds `e` elements. Register `i` of A holds row `g + 8 (i mod 2)` and the `e` columns from `e (t + 4 ⌊i/2⌋)`; register `i` of B the
//! `e` rows from `e (t + 4 i)` of column `g`; element `i` of C and D is in row `g + 8 ⌊i/2⌋` and column `2 t + i mod 2`.

use warpsmith_numerics::{
    float::Modifiers,
    integer::Integer,
    matrix::{BitOperation, Dot, Generation, Instruction, Output, bits, double, integer},
};
use warpsmith_ptx::{
    instruction::Variant,
    table::{Modifier as M, Type, TypeKind},
};

use super::{
    arithmetic::truncated,
    code::{Code, LANES, Lanes, Source},
    warp::Warp,
};

/// How a row times a column is computed.
#[derive(Clone, Copy, Debug)]
enum Product {
    Float(Dot),
    Double(Modifiers),
    Whole { a: Integer, b: Integer, saturate: bool },
    Bits(BitOperation),
}

/// A matrix instruction.
#[derive(Clone, Debug)]
pub(crate) struct Matrix {
    /// Starts of the register lists of d, a, b and c.
    pub(crate) lists: [u32; 4],
    product: Product,
    rows: usize,
    /// Columns of A.
    depth: usize,
    /// Bits of an element of A and B.
    width: u32,
    /// c and d are pairs of f16.
    halves: bool,
}

/// The numbers in `m16n8k32`.
fn shape(variant: &Variant) -> Option<[usize; 3]> {
    let name = variant.modifiers.iter().flatten().find_map(|modifier| {
        let name = modifier.name();
        (name.starts_with('m') && name.contains('n') && name.contains('k')).then_some(name)
    })?;
    let mut numbers = name.split(['m', 'n', 'k']).skip(1).map(str::parse);
    Some([numbers.next()?.ok()?, numbers.next()?.ok()?, numbers.next()?.ok()?])
}

fn whole(of: Type) -> Integer {
    Integer {
        width: of.bits(),
        signed: of.kind() == TypeKind::Signed,
    }
}

impl Matrix {
    /// The product that a variant of `mma` stands for, on the tensor cores of a target.
    pub(crate) fn of(variant: &Variant, target: u16) -> Option<Matrix> {
        let [rows, columns, depth] = shape(variant)?;
        let types: Vec<Type> = variant.types().collect();
        let [d, a, b, c] = types[..] else { return None };
        if columns != 8 || d != c && d != Type::F32 || variant.has(M::BlockScale) {
            return None;
        }
        let is_volta = rows == 8 && depth == 4 && a != Type::F64;
        // How formats of less than eight bits lie in their bytes is not settled here.
        let is_small = a.kind() == TypeKind::Float && (a.bits() < 8 || b.bits() < 8);
        if is_volta || is_small || (a.bits() != b.bits()) || d != c {
            return None;
        }
        let product = match (a, a.kind()) {
            (Type::F64, _) => Product::Double(Modifiers::from(super::decode::rounding(variant))),
            (_, TypeKind::Float) => {
                let output = if d == Type::F16 { Output::F16 } else { Output::F32 };
                let format = |of| super::decode::format(of).map(|name| name.format()).ok();
                let generation = Generation::of_sm(u32::from(target))?;
                Product::Float(Dot::new(generation, Instruction::Mma, format(a)?, format(b)?, output))
            }
            (Type::B1, _) if variant.has(M::Xor) => Product::Bits(BitOperation::Xor),
            (Type::B1, _) => Product::Bits(BitOperation::And),
            (_, TypeKind::Unsigned | TypeKind::Signed) if !variant.has(M::Popc) => Product::Whole {
                a: whole(a),
                b: whole(b),
                saturate: variant.has(M::Satfinite),
            },
            _ => return None,
        };
        Some(Matrix {
            lists: [0; 4],
            product,
            rows,
            depth,
            width: a.bits(),
            halves: d == Type::F16,
        })
    }

    /// The type of the registers of c.
    pub(crate) fn sum_type(&self) -> Type {
        match self.product {
            Product::Double(_) => Type::B64,
            Product::Float(_) | Product::Whole { .. } | Product::Bits(_) => Type::B32,
        }
    }

    /// The type of the registers of a and b.
    pub(crate) fn factor_type(&self) -> Type {
        if self.width == 64 { Type::B64 } else { Type::B32 }
    }
}

/// Element `k` of a row of A or a column of B, whose registers are these. `pairs` registers of 32 bits stand for one run of `k`.
fn element(registers: &[Lanes], width: u32, group: usize, part: usize, parts: usize, k: usize) -> u64 {
    let held = (32 / width.min(32)) as usize;
    let word = k / held;
    let (place, index) = (word % 4, word / 4 * parts + part);
    let register = registers[index][group * 4 + place];
    truncated(register >> (width.min(32) as usize * (k % held)), width)
}

/// Computes the product on the registers of a warp.
pub(crate) fn multiply(code: &Code, warp: &mut Warp, matrix: &Matrix, active: u32) {
    let parts = matrix.rows / 8;
    let held = (32 / matrix.width.min(32)) as usize;
    let runs = matrix.depth.div_ceil(4 * held);
    let read = |warp: &Warp, list: u32, count: usize| -> Vec<Lanes> {
        let sources = &code.lists[list as usize..list as usize + count];
        sources.iter().map(|source| *warp.read(code, Source(*source))).collect()
    };
    let a = read(warp, matrix.lists[1], runs * parts);
    let b = read(warp, matrix.lists[2], runs);
    let sums = if matrix.halves { parts } else { 2 * parts };
    let c = read(warp, matrix.lists[3], sums);
    let mut d = vec![[0; LANES]; sums];
    for row in 0..matrix.rows {
        for column in 0..8 {
            let (group, part) = (row % 8, row / 8);
            let (lane, odd) = (group * 4 + column / 2, column % 2);
            let (register, shift) = if matrix.halves {
                (part, 16 * odd)
            } else {
                (2 * part + odd, 0)
            };
            let start = c[register][lane] >> shift;
            let sum = dot(matrix, &a, &b, (group, part, parts), column, start);
            d[register][lane] |= sum << shift;
        }
    }
    for (index, values) in d.iter().enumerate() {
        warp.write(code.lists[matrix.lists[0] as usize + index], active, values);
    }
}

/// One element of the product.
fn dot(
    matrix: &Matrix,
    a: &[Lanes],
    b: &[Lanes],
    (group, part, parts): (usize, usize, usize),
    column: usize,
    start: u64,
) -> u64 {
    let width = matrix.width;
    let factors = |k: usize| {
        (
            element(a, width, group, part, parts, k),
            element(b, width, column, 0, 1, k),
        )
    };
    match matrix.product {
        Product::Float(how) => {
            let start = if matrix.halves { start & 0xffff } else { start };
            how.accumulate((0..matrix.depth).map(factors), start)
        }
        Product::Double(modifiers) => double((0..matrix.depth).map(factors), start, modifiers),
        Product::Whole { a, b, saturate } => {
            u64::from(integer(a, b, (0..matrix.depth).map(factors), start as u32, saturate))
        }
        Product::Bits(operation) => {
            let words = (0..matrix.depth / 32).map(|word| {
                let one =
                    |registers: &[Lanes], group, part, parts| element(registers, 32, group, part, parts, word) as u32;
                (one(a, group, part, parts), one(b, column, 0, 1))
            });
            u64::from(bits(operation, words, start as u32))
        }
    }
}
