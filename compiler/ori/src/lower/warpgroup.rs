//! Products of matrices by the four warps of a warpgroup: `wgmma`.
//!
//! A product reads matrices from shared memory by descriptors, or the left one from registers, and adds to accumulators in registers; it goes on while the
//! warps do other work. What is written here copies the accumulators to a tuple and back around each product, as if it were done at once; the passes of
//! [`crate::products`] take the copies out and see to it that nothing touches the tuple before its product is waited for. (Which instruction for which shape
//! and types, and how the descriptors stand in uniform registers: observed, ptxas 13.0.88.)

use warpsmith_ptx::{
    instruction::Variant,
    module::Operand,
    table::{Modifier as M, Opcode, Type},
};
use warpsmith_sass::{FieldName as F, Modifier as _, Opcode as O, RegisterClass, tables::MmaShape};

use super::{Lowered, Lowering, UNSUPPORTED, matrix::shape, memory::says};
use crate::{
    ir::Register,
    products,
    select::{Request, Test},
};

/// The operands of `wgmma.mma_async`, the optional ones at their values where they are left out.
struct Product<'a> {
    accumulator: &'a Operand,
    a: &'a Operand,
    b: &'a Operand,
    /// Which elements of a sparse A are there: the register, and whose lanes' counts.
    sparse: Option<(&'a Operand, u64)>,
    /// Whether the accumulator is added.
    adds: &'a Operand,
    negative: [bool; 2],
    transposed: [bool; 2],
}

impl<'a> Product<'a> {
    fn of(operands: &'a [Operand], sparse: bool) -> Option<Product<'a>> {
        let [accumulator, a, b, rest @ ..] = operands else {
            return None;
        };
        let (sparse, rest) = match rest {
            [metadata, Operand::Integer(selector, _), rest @ ..] if sparse => (Some((metadata, *selector)), rest),
            rest => (None, rest),
        };
        let [adds, scales @ ..] = rest else { return None };
        let is = |index: usize, wanted: i64| {
            let number = scales.get(index);
            matches!(number, Some(Operand::Integer(value, _)) if *value as i64 == wanted)
        };
        // The layout of A is said for descriptors alone: registers have one.
        let of_a = !matches!(a, Operand::Vector(_));
        Some(Product {
            accumulator,
            a,
            b,
            sparse,
            adds,
            negative: [is(0, -1), is(1, -1)],
            transposed: [of_a && is(2, 1), is(if of_a { 3 } else { 2 }, 1)],
        })
    }
}

impl Lowering<'_> {
    /// The instructions of warpgroups.
    pub(super) fn warpgroup(&mut self, variant: &Variant, operands: &[Operand]) -> Option<Lowered> {
        Some(match variant.opcode {
            Opcode::WgmmaFence => self.emit(products::arrive()),
            Opcode::WgmmaCommitGroup => self.emit(products::commit()),
            Opcode::WgmmaWaitGroup => match operands {
                [Operand::Integer(left, _)] => self.emit(products::wait(*left)),
                _ => Err(UNSUPPORTED),
            },
            Opcode::WgmmaMmaAsync => self.multiply_by_warpgroup(variant, operands),
            _ => return None,
        })
    }

    fn multiply_by_warpgroup(&mut self, variant: &Variant, operands: &[Operand]) -> Lowered {
        let is_sparse = variant.has(M::Sp) || variant.has(M::SpOrderedMetadata);
        let product = Product::of(operands, is_sparse).ok_or(UNSUPPORTED)?;
        let types: Vec<Type> = variant.types().collect();
        let [d, a_type, b_type] = types[..] else {
            return Err(UNSUPPORTED);
        };
        let from_registers = matches!(product.a, Operand::Vector(_));
        let descriptors = self.descriptors(&product, from_registers)?;
        let sums = self.listed(Some(product.accumulator), Type::B32)?;
        let (field, form) = match (from_registers, is_sparse, a_type) {
            (false, false, _) => (F::URa, "R_G_R"),
            (true, false, _) => (F::URb, "R_R_G_R"),
            (false, true, Type::F16 | Type::Bf16 | Type::Tf32) => (F::URa, "SP.R_G_R_R_I"),
            (true, true, Type::F16 | Type::Bf16 | Type::Tf32) => (F::URb, "SP.R_R_G_R_R_I"),
            (false, true, _) => (F::URa, "SP.R_G_R_R"),
            (true, true, _) => (F::URb, "SP.R_R_G_R_R"),
        };
        let mut request = self.kind_of_product(variant, [d, a_type, b_type])?.form(form);
        request = request
            .to(sums)
            .at(field, descriptors)
            .number(F::GroupScoreboard, products::OPEN);
        // A matrix in registers has no sign of its own: that of the product may be B's as well.
        let mut negative = product.negative;
        if from_registers {
            negative = [false, negative[0] != negative[1]];
            let a = self.listed(Some(product.a), Type::B32)?;
            request = request.at(F::Ra, a);
        } else {
            request = request.flag(F::Nega, negative[0]).flag(F::Tnspa, product.transposed[0]);
        }
        request = request.flag(F::Negb, negative[1]).flag(F::Tnspb, product.transposed[1]);
        if let Some((metadata, selector)) = product.sparse {
            let metadata = self.listed(Some(metadata), Type::B32)?;
            request = request.at(F::Re, metadata).number(F::OperandSelector, selector);
        }
        let adds = self.uniform_test(product.adds)?;
        request = match adds == Test::NEVER {
            true => request.when(F::UPp, Test::NEVER),
            false => request.at(F::Rc, sums).when(F::UPp, adds),
        };
        self.emit_bare(request)?;
        self.deliver_list(Some(product.accumulator), Type::B32, sums)
    }

    /// The instruction and its modifiers.
    fn kind_of_product(&self, variant: &Variant, [d, a, b]: [Type; 3]) -> Lowered<Request> {
        let [_, columns, depth] = shape(variant).ok_or(UNSUPPORTED)?;
        let text = format!("64x{columns}x{depth}");
        let mut shapes = MmaShape::TEXTS.iter().filter_map(|known| known.strip_prefix('.'));
        let shape = shapes.find(|known| *known == text).ok_or(UNSUPPORTED)?;
        let sums = if d == Type::F32 { "F32" } else { "F16" };
        let narrow = |of: Type| match of {
            Type::E4m3 => Ok("E4M3"),
            Type::E5m2 => Ok("E5M2"),
            Type::S8 => Ok("S8"),
            Type::U8 => Ok("U8"),
            _ => Err(UNSUPPORTED),
        };
        let request = match a {
            Type::F16 => Request::new(O::Hgmma).text(F::Accumulator, sums).text(F::Type, ""),
            Type::Bf16 => Request::new(O::Hgmma).text(F::Accumulator, sums).text(F::Type, "BF16"),
            Type::Tf32 => Request::new(O::Hgmma).text(F::Accumulator, sums).text(F::Type, "TF32"),
            Type::E4m3 | Type::E5m2 => {
                let request = Request::new(O::Qgmma).text(F::Accumulator, sums);
                request.text(F::AType, narrow(a)?).text(F::BType, narrow(b)?)
            }
            Type::S8 | Type::U8 => {
                let request = Request::new(O::Igmma).flag(F::Sat, says(variant, "satfinite"));
                request.text(F::AType, narrow(a)?).text(F::BType, narrow(b)?)
            }
            Type::B1 => Request::new(O::Bgmma).text(F::Combine, "AND").text(F::Popc, "POPC"),
            _ => return Err(UNSUPPORTED),
        };
        Ok(request.text(F::Shape, shape))
    }

    /// The descriptors of A and B in four uniform registers. They are the same in all threads. (PTX ISA 9.0, 9.7.15.5.1.) Where A is in registers the place
    /// of its descriptor is not read. (Observed, ptxas 13.0.88: other values are there.)
    fn descriptors(&mut self, product: &Product<'_>, from_registers: bool) -> Lowered<Register> {
        let quad = self.function.register(RegisterClass::UniformGpr, 4);
        for (first, operand) in [(0, product.a), (2, product.b)]
            .into_iter()
            .skip(usize::from(from_registers))
        {
            for word in 0..2 {
                let source = self.word(Some(operand), Type::U64, word)?;
                let held = self.copied(source)?;
                self.emit_bare(
                    Request::new(O::R2ur)
                        .form("UR_R")
                        .to(quad.word(first + word))
                        .at(F::Ra, held),
                )?;
            }
        }
        Ok(quad)
    }

    /// A predicate that is the same in all threads, in the uniform file.
    pub(super) fn uniform_test(&mut self, operand: &Operand) -> Lowered<Test> {
        if let Operand::Integer(value, _) = operand {
            return Ok(if *value == 0 { Test::NEVER } else { Test::ALWAYS });
        }
        let test = self.test(Some(operand))?;
        if test == Test::ALWAYS || test == Test::NEVER {
            return Ok(test);
        }
        let uniform = self.function.register(RegisterClass::UniformPredicate, 1);
        self.emit_bare(
            Request::new(O::Voteu)
                .form("UP_P")
                .text(F::Mode, "ANY")
                .sets(F::UPu, uniform)
                .when(F::Pp, test),
        )?;
        Ok(uniform.into())
    }
}
