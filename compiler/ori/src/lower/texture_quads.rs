//! `tex.grad` that `TXD` has no form for, where no function of the system stands for it: up to sm_89.
//!
//! The instruction made here is the fetch by differences between the lanes of a quad, with both gradients beside it; [`crate::quads`] makes of it what the
//! machine does, once registers are allocated.

use warpsmith_ptx::{instruction::Variant, module::Operand, table::Type};
use warpsmith_sass::{FieldName as F, Opcode as O};
use warpsmith_target::Isa;

use super::{Lowered, Lowering, UNSUPPORTED, variables::unsupported};
use crate::{
    ir::{Effects, Register},
    select::{Request, Source, Value},
};

/// A fetch of so many operands has them in two equal halves. (Observed, ptxas 13.0.88.)
const EVEN: usize = 4;

impl Lowering<'_> {
    /// `tex.grad` in three dimensions, of cubes, or with a comparison.
    pub(super) fn fetch_by_quads(
        &mut self,
        variant: &Variant,
        (to, of): (&Operand, Type),
        (texture, sampler, place): (&Operand, Option<&Operand>, &Operand),
        rest: &[Operand],
    ) -> Lowered {
        let [x, y, rest @ ..] = rest else {
            return Err(UNSUPPORTED);
        };
        if self.resident(to).is_some() {
            return unsupported("residency of a fetch by gradients in three dimensions or with a comparison");
        }
        let extras = self.extras(rest, false, 4)?;
        let handle = self.sampled(texture, sampler)?;
        let coordinates = self.given_coordinates(variant, place, Type::F32)?;
        let count = coordinates.at.len();
        let mut effects = Effects::default();
        for along in [x, y] {
            effects.reads.push((self.gradient(along, count)?, count as u8));
        }
        let mut all: Vec<Source> = coordinates.layer.into_iter().collect();
        all.extend(coordinates.at.iter().copied());
        let first = all.len();
        all.push(handle.low());
        all.extend(extras.offset);
        all.extend(extras.compare);
        let even = all.len() <= EVEN;
        let split = if even { all.len().div_ceil(2) } else { first };
        let (a, b) = (self.row_of(&all[..split])?, self.row_of(&all[split..])?);
        let texels = self.texels(of, to);
        let request = Request::new(O::Tex)
            .text(F::Dimension, coordinates.dimension)
            .text(F::Lod, "")
            .flag(F::Derivative, true)
            .at(F::Ra, a)
            .at(F::Rb, b)
            .affecting(effects);
        let request = texels.on(extras.on(request));
        let saved = self.guard;
        let skip = self.skip_unless_guarded()?;
        self.emit(match (self.function.isa(), even) {
            (Isa::Sm75, true) => request.form("SCR.B.R_R_R_R_S"),
            (Isa::Sm75, false) => request.form("B.R_R_R_R_S"),
            (_, true) => request.form("SCR.R_R_R_R_S").text(F::Bindless, "B"),
            (_, false) => request.form("R_R_R_R_S").text(F::Bindless, "B"),
        })?;
        self.deliver_texels(to, &texels)?;
        if let Some(skip) = skip {
            self.close_branch(skip);
        }
        self.guard = saved;
        Ok(())
    }

    /// A gradient of so many coordinates in a register; what the program leaves out is zero.
    fn gradient(&mut self, operand: &Operand, count: usize) -> Lowered<Register> {
        let given = match operand {
            Operand::Vector(range) => self.parts(*range).to_vec(),
            operand => vec![*operand],
        };
        let mut slopes: Vec<Source> = Vec::new();
        for axis in 0..count {
            slopes.push(match given.get(axis) {
                Some(slope) => self.source(Some(slope), Type::F32)?,
                None => Value::Zero.into(),
            });
        }
        self.row_of(&slopes)
    }
}
