//! Products of matrices that a warp holds: `mma`, and what `wmma` builds on.
//!
//! A product is one machine instruction where the generation has its shape and types. Where it has not, it is built of others that give the same
//! bits: [`super::matrix_narrow`]. (Which instruction for which shape: observed, ptxas 13.0.88.)

use warpsmith_ptx::{
    instruction::Variant,
    module::Operand,
    table::{Modifier as M, Opcode, Type},
};
use warpsmith_sass::{FieldName as F, Opcode as O};
use warpsmith_target::Isa;

use super::{
    Lowered, Lowering, UNSUPPORTED,
    memory::says,
    steps::{LEFT, logic, number, shift},
    variables::unsupported,
    words,
};
use crate::{
    ir::Register,
    select::{Request, Source, Value},
};

/// Rows of A, columns of B, and the depth in elements.
pub(super) type Shape = [u32; 3];

/// What a product of matrices is of.
#[derive(Clone, Copy, Debug)]
pub(super) struct Product {
    pub(super) shape: Shape,
    pub(super) a: Type,
    pub(super) b: Type,
    /// Of C.
    pub(super) c: Type,
    /// Of D.
    pub(super) d: Type,
    /// A is sparse: the register that says where its elements belong, and whose lanes' count.
    pub(super) sparse: Option<(Register, u32)>,
    /// Of each chunk of A the metadata name the lower place first.
    pub(super) ordered: bool,
    pub(super) saturates: bool,
    /// Of doubles, as SASS writes it.
    pub(super) rounding: &'static str,
    /// Of bits: combined by `and` rather than `xor`.
    pub(super) conjunction: bool,
}

/// Scales of blocks of A and B: the registers, and the number that says which bytes of which lanes count.
#[derive(Clone, Copy, Debug)]
struct Scales {
    a: Register,
    b: Register,
    /// In a uniform register: the byte of A in bits 1–0, its thread in bit 2, the byte of B in bits 4–3, its thread in bits 6–5.
    selector: Register,
    /// `.scale_vec::4X`
    four: bool,
    /// Bytes are unsigned e4m3 rather than powers of two.
    ue4m3: bool,
}

/// The numbers of `m16n8k16`.
pub(super) fn shape(variant: &Variant) -> Option<Shape> {
    let numbers = |name: &str| {
        let (rows, rest) = name.strip_prefix('m')?.split_once('n')?;
        let (columns, depth) = rest.split_once('k')?;
        Some([rows.parse().ok()?, columns.parse().ok()?, depth.parse().ok()?])
    };
    let modifiers = variant.modifiers.iter().flatten();
    { modifiers }.find_map(|modifier| numbers(modifier.name()))
}

/// Whether the elements have four bits in four bits, rather than in a byte: rows are as long as a row of bytes is in four-bit elements.
fn is_four_bit(product: &Product) -> bool {
    let depth = if product.sparse.is_some() { 128 } else { 64 };
    product.shape[2] == depth
}

impl Lowering<'_> {
    /// Products of matrices, and the moves of matrices between registers and memory.
    pub(super) fn matrices(&mut self, variant: &Variant, operands: &[Operand]) -> Option<Lowered> {
        Some(match variant.opcode {
            Opcode::Mma => self.multiply_matrices(variant, operands),
            Opcode::Ldmatrix | Opcode::Stmatrix | Opcode::Movmatrix => self.move_matrix(variant, operands),
            Opcode::WmmaLoadA | Opcode::WmmaLoadB | Opcode::WmmaLoadC | Opcode::WmmaStoreD => {
                self.move_fragment(variant, operands)
            }
            Opcode::WmmaMma => self.multiply_fragments(variant, operands),
            _ => return None,
        })
    }

    /// The registers of a list in one.
    pub(super) fn listed(&mut self, operand: Option<&Operand>, of: Type) -> Lowered<Register> {
        let values = match operand {
            Some(Operand::Vector(range)) => self.parts(*range).to_vec(),
            Some(operand) => vec![*operand],
            None => return Err(UNSUPPORTED),
        };
        let of = if of.bits() == 64 { Type::F64 } else { Type::F32 };
        if let [value] = &values[..] {
            return self.in_register(Some(value), of);
        }
        let each = words(of);
        let whole = self.temporary(each * values.len() as u8);
        for (index, value) in (0_u8..).zip(&values) {
            for word in 0..each {
                let source = self.word(Some(value), of, word)?;
                let to = whole.word(index * each + word);
                self.emit_bare(Request::new(O::Mov).to(to).from(source))?;
            }
        }
        Ok(whole)
    }

    /// Takes a register of several words apart, under the guard.
    pub(super) fn deliver_list(&mut self, operand: Option<&Operand>, of: Type, from: Register) -> Lowered {
        let targets = match operand {
            Some(Operand::Vector(range)) => self.parts(*range).to_vec(),
            Some(operand) => vec![*operand],
            None => return Err(UNSUPPORTED),
        };
        let each = if of.bits() == 64 { 2 } else { 1 };
        for (index, target) in (0_u8..).zip(&targets) {
            if *target == Operand::Sink {
                continue;
            }
            let to = self.destination(Some(target))?;
            for word in 0..each {
                let source = from.word(index * each + word);
                self.emit(Request::new(O::Mov).to(to.word(word)).from(source))?;
            }
        }
        Ok(())
    }

    /// `mma`
    fn multiply_matrices(&mut self, variant: &Variant, operands: &[Operand]) -> Lowered {
        let types: Vec<Type> = variant.types().collect();
        let [d, a, b, c, scale @ ..] = &types[..] else {
            return Err(UNSUPPORTED);
        };
        let [to, from_a, from_b, from_c, more @ ..] = operands else {
            return Err(UNSUPPORTED);
        };
        let is_sparse = variant.has(M::Sp) || variant.has(M::SpOrderedMetadata);
        let (sparse, more) = match more {
            [metadata, Operand::Integer(selector, _), more @ ..] if is_sparse => {
                (Some((self.listed(Some(metadata), Type::B32)?, *selector as u32)), more)
            }
            _ if is_sparse => return unsupported("a selector in a register"),
            more => (None, more),
        };
        let product = Product {
            shape: shape(variant).ok_or(UNSUPPORTED)?,
            a: *a,
            b: *b,
            c: *c,
            d: *d,
            sparse,
            ordered: variant.has(M::SpOrderedMetadata),
            saturates: says(variant, "satfinite"),
            rounding: ["rm", "rp", "rz"]
                .iter()
                .zip(["RM", "RP", "RZ"])
                .find(|(name, _)| says(variant, name))
                .map_or("", |(_, text)| text),
            conjunction: variant.has(M::And),
        };
        // Registers are of the type, or hold two or more elements.
        let wide = |of: Type| if of == Type::F64 { Type::B64 } else { Type::B32 };
        let a = self.listed(Some(from_a), wide(*a))?;
        let b = self.listed(Some(from_b), wide(*b))?;
        let c = self.listed(Some(from_c), wide(*c))?;
        let result = match more {
            [] if product.shape == [8, 8, 4] && product.a != Type::F64 => {
                let by_columns = variant.slot("alayout") == Some(M::Col);
                let by_rows = variant.slot("blayout") == Some(M::Row);
                self.quad_product(&product, [by_columns, by_rows], [a, b, c])?
            }
            [] => self.matrix_product(&product, a, b, c)?,
            [a_scale, a_place, b_scale, b_place] => {
                let four = says(variant, "scale_vec::4X");
                // Of several scales for a row those start at every second byte, or are all.
                let bytes = match (is_four_bit(&product), four) {
                    (false, _) => 3,
                    (true, false) => 2,
                    (true, true) => 0,
                };
                let scales = Scales {
                    a: self.listed(Some(a_scale), Type::B32)?,
                    b: self.listed(Some(b_scale), Type::B32)?,
                    selector: self.scale_selector([a_place, b_place], bytes)?,
                    four,
                    ue4m3: scale == [Type::Ue4m3],
                };
                self.scaled_product(&product, &scales, [a, b, c])?
            }
            _ => return Err(UNSUPPORTED),
        };
        self.deliver_list(Some(to), wide(*d), result)
    }

    /// `{byte, thread}` of A and of B as the machine has them, `bytes` being the bits of a byte's number that count. (Observed, ptxas 13.0.88.)
    fn scale_selector(&mut self, places: [&Operand; 2], bytes: u32) -> Lowered<Register> {
        let (mut fixed, mut varying) = (0, None);
        for (place, (first, threads)) in places.iter().zip([(0, 1), (3, 3)]) {
            let Operand::Vector(range) = place else {
                return Err(UNSUPPORTED);
            };
            let parts = self.parts(*range);
            for (part, (at, mask)) in parts.iter().zip([(first, bytes), (first + 2, threads)]) {
                if let Operand::Integer(value, _) = part {
                    fixed |= (*value as u32 & mask) << at;
                } else if mask != 0 {
                    let value = self.in_register(Some(part), Type::U16)?;
                    let moved = self.step(shift(value, number(at), Value::Zero, LEFT))?;
                    let others = varying.map_or(Value::Zero, Value::from);
                    varying = Some(self.step(logic(moved, number(mask << at), others, 0xea))?);
                }
            }
        }
        let selector = self.function.register(warpsmith_sass::RegisterClass::UniformGpr, 1);
        let request = match varying {
            None => Request::new(O::Umov).to(selector).from(number(fixed)),
            Some(varying) => {
                let all = self.step(logic(varying, number(fixed), Value::Zero, 0xfc))?;
                Request::new(O::R2ur).form("UR_R").to(selector).at(F::Ra, all)
            }
        };
        self.emit_bare(request)?;
        Ok(selector)
    }

    /// `a * b + c` in a new register.
    pub(super) fn matrix_product(
        &mut self,
        product: &Product,
        a: Register,
        b: Register,
        c: Register,
    ) -> Lowered<Register> {
        if self.wants_order(product) {
            let (product, a) = self.in_order(product, a)?;
            return self.matrix_product(&product, a, b, c);
        }
        match product.a {
            Type::F16 | Type::Bf16 | Type::Tf32 => self.halves_product(product, a, b, c.into()),
            Type::S8 | Type::U8 => self.byte_product(product, a, b, c.into()),
            Type::S4 | Type::U4 if self.function.isa() < Isa::Sm90 => self.byte_product(product, a, b, c.into()),
            Type::S4 | Type::U4 => self.nibble_product(product, a, b, c),
            Type::B1 => self.bit_product(product, a, b, c),
            Type::F64 => self.double_product(product, a, b, c),
            Type::E4m3 | Type::E5m2 | Type::E3m2 | Type::E2m3 | Type::E2m1 => self.narrow_product(product, a, b, c),
            _ => Err(UNSUPPORTED),
        }
    }

    /// A request with what sparse ones have.
    fn sparse(request: Request, product: &Product) -> Request {
        match product.sparse {
            Some((metadata, selector)) => request
                .literal("SP")
                .from(metadata)
                .number(F::OperandSelector, u64::from(selector)),
            None => request,
        }
    }

    fn shape_text(shape: Shape) -> Option<&'static str> {
        Some(match shape {
            [16, 8, 4] => "1684",
            [16, 8, 8] => "1688",
            [16, 8, 16] => "16816",
            [16, 8, 32] => "16832",
            [16, 8, 64] => "16864",
            [16, 8, 128] => "168128",
            [16, 8, 256] => "168256",
            [8, 8, 16] => "8816",
            [8, 8, 32] => "8832",
            [8, 8, 128] => "88128",
            _ => return None,
        })
    }

    /// `HMMA`
    pub(super) fn halves_product(
        &mut self,
        product: &Product,
        a: Register,
        b: Register,
        c: Source,
    ) -> Lowered<Register> {
        if product.c != product.d {
            return unsupported("accumulators of two types");
        }
        let single = product.d == Type::F32;
        let to = self.temporary(if single { 4 } else { 2 });
        let request = Request::new(O::Hmma)
            .to(to)
            .from(a)
            .from(b)
            .from(c)
            .text(F::Shape, Self::shape_text(product.shape).ok_or(UNSUPPORTED)?)
            .text(F::Accumulator, if single { "F32" } else { "F16" })
            .flag(F::Satfinite, product.saturates)
            .text(
                F::Type,
                match product.a {
                    Type::Bf16 => "BF16",
                    Type::Tf32 => "TF32",
                    _ => "",
                },
            );
        self.emit(Self::sparse(request, product))?;
        Ok(to)
    }

    /// `IMMA`
    pub(super) fn byte_product(&mut self, product: &Product, a: Register, b: Register, c: Source) -> Lowered<Register> {
        let text = |of: Type| match of {
            Type::S8 => Ok("S8"),
            Type::U8 => Ok("U8"),
            Type::S4 => Ok("S4"),
            Type::U4 => Ok("U4"),
            _ => Err(UNSUPPORTED),
        };
        let [rows, columns, depth] = product.shape;
        // From sm_100 on there are no products of 8 rows: the lower half is zeros.
        let padded = rows == 8 && self.function.isa() >= Isa::Sm100;
        let shape = if padded { [16, columns, depth] } else { product.shape };
        let (a, c) = if padded {
            (self.padded(a.into(), 1)?, self.padded(c, 2)?.into())
        } else {
            (a, c)
        };
        let to = self.temporary(if shape[0] == 8 { 2 } else { 4 });
        let request = Request::new(O::Imma)
            .to(to)
            .from(a)
            .from(b)
            .from(c)
            .text(F::Shape, Self::shape_text(shape).ok_or(UNSUPPORTED)?)
            .text(F::AType, text(product.a)?)
            .text(F::BType, text(product.b)?)
            .text(F::ALayout, "ROW")
            .text(F::BLayout, "COL")
            .flag(F::Sat, product.saturates);
        self.emit(Self::sparse(request, product))?;
        Ok(to)
    }

    /// As many zeros after so many words.
    pub(super) fn padded(&mut self, value: Source, count: u8) -> Lowered<Register> {
        let whole = self.temporary(2 * count);
        for word in 0..2 * count {
            let source = match value.value {
                Value::Register(first) if word < count => first.register.word(first.word + word).into(),
                _ => Value::Zero,
            };
            self.emit_bare(Request::new(O::Mov).to(whole.word(word)).from(source))?;
        }
        Ok(whole)
    }

    /// `DMMA`: from sm_100 on of 8 rows and 4 columns alone.
    fn double_product(&mut self, product: &Product, a: Register, b: Register, c: Register) -> Lowered<Register> {
        let isa = self.function.isa();
        let [rows, _, depth] = product.shape;
        let request = |text: &'static str| {
            Request::new(O::Dmma)
                .text(F::Shape, text)
                .text(F::Round, product.rounding)
        };
        let single = match (product.shape, isa < Isa::Sm90) {
            ([8, 8, 4], true) => Some("884"),
            ([8, 8, 4], false) => Some("8x8x4"),
            ([16, 8, 4], _) if isa == Isa::Sm90 => Some("16x8x4"),
            ([16, 8, 8], _) if isa == Isa::Sm90 => Some("16x8x8"),
            ([16, 8, 16], _) if isa == Isa::Sm90 => Some("16x8x16"),
            _ => None,
        };
        let count = if rows == 8 { 4 } else { 8 };
        if let Some(text) = single {
            let to = self.temporary(count);
            self.emit(request(text).to(to).from(a).from(b).from(c))?;
            return Ok(to);
        }
        let whole = self.temporary(count);
        for half in 0..2_u8 {
            let mut sum = self.words_of(c, 4 * half, 4)?;
            for step in 0..(depth / 4) as u8 {
                let part_a = self.words_of(a, 4 * step + 2 * half, 2)?;
                let part_b = self.words_of(b, 2 * step, 2)?;
                let to = self.temporary(4);
                self.emit(request("8x8x4").to(to).from(part_a).from(part_b).from(sum))?;
                sum = to;
            }
            for word in 0..4 {
                let to = whole.word(4 * half + word);
                self.emit_bare(Request::new(O::Mov).to(to).from(sum.word(word)))?;
            }
        }
        Ok(whole)
    }

    /// Some words of a register in a new one.
    pub(super) fn words_of(&mut self, from: Register, first: u8, count: u8) -> Lowered<Register> {
        let to = self.temporary(count);
        for word in 0..count {
            self.emit_bare(Request::new(O::Mov).to(to.word(word)).from(from.word(first + word)))?;
        }
        Ok(to)
    }

    /// `QMMA`, or products of halves where the generation has none.
    fn narrow_product(&mut self, product: &Product, a: Register, b: Register, c: Register) -> Lowered<Register> {
        if !self.selector.has(O::Qmma) {
            return self.widened_product(product, a, b, c);
        }
        let single = product.d == Type::F32;
        let to = self.temporary(if single { 4 } else { 2 });
        let mut request = Request::new(O::Qmma)
            .to(to)
            .from(a)
            .from(b)
            .from(c)
            .text(F::Shape, Self::shape_text(product.shape).ok_or(UNSUPPORTED)?)
            .text(F::Accumulator, if single { "F32" } else { "F16" })
            .text(F::AType, narrow_text(product.a)?)
            .text(F::BType, narrow_text(product.b)?);
        if self.function.isa() == Isa::Sm89 {
            request = request.text(F::ALayout, "ROW").text(F::BLayout, "COL");
        }
        self.emit(Self::sparse(request, product))?;
        Ok(to)
    }

    /// Products of blocks, each with its scale.
    fn scaled_product(&mut self, product: &Product, scales: &Scales, [a, b, c]: [Register; 3]) -> Lowered<Register> {
        let to = self.temporary(4);
        let names = match is_four_bit(product) {
            true => [
                "SF.16864.F32.E2M1.E2M1.R_R_R_R_R_R_UR",
                "SF.SP.168128.F32.E2M1.E2M1.R_R_R_R_R_R_UR_I",
            ],
            false => ["SF.16832.F32.E8.R_R_R_R_R_R_UR", "SF.SP.16864.F32.E8.R_R_R_R_R_R_UR_I"],
        };
        let request = match is_four_bit(product) {
            true => Request::new(O::Omma)
                .text(F::ScaleType, if scales.ue4m3 { "UE4M3" } else { "E8" })
                .text(F::ScaleVector4x, if scales.four { "4X" } else { "" }),
            false => Request::new(O::Qmma)
                .text(F::AType, narrow_text(product.a)?)
                .text(F::BType, narrow_text(product.b)?),
        };
        // Where A is sparse, its scales follow its metadata.
        let (request, of_a) = match product.sparse {
            Some((metadata, selector)) => (
                request.form(names[1]).number(F::OperandSelector, u64::from(selector)),
                self.row_of(&[metadata.into(), scales.a.into()])?,
            ),
            None => (request.form(names[0]), scales.a),
        };
        self.emit(
            request
                .to(to)
                .at(F::Ra, a)
                .at(F::Rb, b)
                .at(F::Rc, c)
                .at(F::Re, of_a)
                .at(F::Rf, scales.b)
                .at(F::URg, scales.selector),
        )?;
        Ok(to)
    }
}

/// A type of 8 bits or fewer, as SASS writes it.
pub(super) fn narrow_text(of: Type) -> Lowered<&'static str> {
    Ok(match of {
        Type::E4m3 => "E4M3",
        Type::E5m2 => "E5M2",
        Type::E3m2 => "E3M2",
        Type::E2m3 => "E2M3",
        Type::E2m1 => "E2M1",
        _ => return Err(UNSUPPORTED),
    })
}
