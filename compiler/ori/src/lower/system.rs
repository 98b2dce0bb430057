//! Functions of the system that stand for instructions which a target has not: the driver links them, as it does `vprintf`.
//!
//! ptxas calls them where the machine has no instruction: names and parameters are those that it writes (observed, ptxas 13.0.88, sm_90 to sm_120). Parameters
//! follow the calling convention of device functions.

use warpsmith_ptx::{
    instruction::Variant,
    module::{AddressBase, Operand, Space as PtxSpace},
    table::{Modifier as M, Opcode, Type},
};
use warpsmith_sass::{FieldName as F, Opcode as O};
use warpsmith_target::{Feature, Sm};

use super::{Lowered, Lowering, UNSUPPORTED, memory::says, texture::dimension};
use crate::{
    convention::{self, Place},
    ir::{Effects, Origin, Reference, Register},
    select::{Request, Source, Value},
};

/// A parameter: its alignment in bytes, and its words.
pub(super) struct Parameter {
    pub(super) alignment: u32,
    pub(super) words: Vec<Source>,
}

impl Parameter {
    /// Words with an alignment in bytes.
    pub(super) fn of(alignment: u32, words: &[Source]) -> Parameter {
        Parameter {
            alignment,
            words: words.to_vec(),
        }
    }

    /// Up to four words, of which the rest are zero.
    fn vector(mut words: Vec<Source>) -> Parameter {
        words.resize(4, Value::Zero.into());
        Parameter { alignment: 16, words }
    }
}

/// Words of what a fetch by gradients gives: whether the texels are resident, and four channels.
const TEXEL_WORDS: u8 = 5;
/// Bytes of a vector among the parameters.
const VECTOR: u32 = 16;

/// Whether a fetch by gradients is done by the system: `TXD` takes lines and planes, without a comparison.
pub(super) fn is_fetched_by_system(sm: Sm, variant: &Variant, operands: &[Operand]) -> bool {
    sm.has(Feature::SystemGradients) && is_beyond_slopes(variant, operands)
}

/// Whether a fetch by gradients is one that `TXD` does not take: in three dimensions, or with a comparison.
pub(super) fn is_beyond_slopes(variant: &Variant, operands: &[Operand]) -> bool {
    let extent = dimension(variant).map_or(0, |(_, extent, ..)| extent);
    variant.opcode == Opcode::TexGrad && (extent > 2 || compared(operands).is_some())
}

/// What a fetch by gradients compares depths with: the last operand, if it is no vector.
fn compared(operands: &[Operand]) -> Option<&Operand> {
    operands
        .get(4..)?
        .last()
        .filter(|operand| !matches!(operand, Operand::Vector(_)))
}

impl Lowering<'_> {
    /// Bytes that the stack must have for what an instruction passes to the system; nothing where it calls nothing.
    pub(super) fn passed_to_system(&self, variant: &Variant, operands: &[Operand]) -> Option<u32> {
        if self.is_copied_by_system(variant, operands) {
            return Some(VECTOR);
        }
        is_fetched_by_system(self.function.sm, variant, operands).then_some(4 * VECTOR)
    }

    /// Whether a copy into shared memory may be one that the system does: to several CTAs, or to another one.
    pub(super) fn is_copied_by_system(&self, variant: &Variant, operands: &[Operand]) -> bool {
        let copies = match variant.opcode {
            Opcode::CpAsyncBulk => variant.has(M::SharedCluster) && variant.has(M::Global),
            Opcode::CpAsyncBulkTensor => variant.has(M::SharedCluster),
            _ => false,
        };
        if !copies || !self.function.sm.has(Feature::SystemMulticast) {
            return false;
        }
        let own = |base: &AddressBase| match base {
            AddressBase::Register(register) => self.own_shared.contains(&register.0),
            AddressBase::Variable(variable) => self.module.variables[variable.0 as usize].space == PtxSpace::Shared,
            AddressBase::Absolute => false,
        };
        let stays = matches!(operands.first(), Some(Operand::Address(to)) if own(&to.base));
        variant.has(M::MulticastCluster) || !stays
    }

    /// Calls a function of the system, whatever the guard; gives a copy of its result.
    pub(super) fn call_system(&mut self, name: &str, parameters: &[Parameter], result_words: u8) -> Lowered<Register> {
        let sizes: Vec<(u32, u32)> = parameters
            .iter()
            .map(|parameter| (4 * parameter.words.len() as u32, parameter.alignment))
            .collect();
        let results = [(4 * u32::from(result_words), 4)];
        let layout = convention::layout(&results[..usize::from(result_words > 0)], &sizes);
        let mut effects = Effects {
            clobbers: convention::clobbers(),
            ..Effects::default()
        };
        for (parameter, place) in parameters.iter().zip(&layout.arguments) {
            match *place {
                Place::Registers(first) => {
                    let count = parameter.words.len() as u8;
                    let to = self.pinned(count, first);
                    for (index, source) in (0..count).zip(&parameter.words) {
                        self.emit_bare(Request::new(O::Mov).to(to.word(index)).from(*source))?;
                    }
                    effects.reads.push((to, count));
                }
                Place::Stack(offset) => {
                    let stack = self.function.stack_pointer();
                    for (index, source) in (0..).zip(&parameter.words) {
                        let from = self.step(Request::new(O::Mov).from(*source))?;
                        self.local_store(stack, offset + 4 * index, from.into())?;
                    }
                }
            }
        }
        let result = self.pinned(result_words.max(1), convention::FIRST_ARGUMENT);
        if result_words > 0 {
            effects.writes.push((result, result_words));
        }
        self.call_name(name, effects)?;
        let to = self.temporary(result_words.max(1));
        for word in 0..result_words {
            self.emit_bare(Request::new(O::Mov).to(to.word(word)).from(result.word(word)))?;
        }
        Ok(to)
    }

    /// The call itself, to a function that no file has.
    fn call_name(&mut self, name: &str, mut effects: Effects) -> Lowered {
        let address = self.pinned(2, convention::RETURN_ADDRESS);
        for word in 0..2 {
            let reference = Reference {
                origin: Origin::Call,
                symbol: String::new(),
                addend: 0,
                high: word == 1,
            };
            let request = Request::new(O::Mov).to(address.word(word)).from(Value::Immediate(0));
            self.emit_bare(request.address(reference))?;
        }
        effects.reads.push((address, 2));
        effects.reads.push((self.function.stack_pointer(), 1));
        let reference = Reference {
            origin: Origin::Symbol,
            symbol: name.to_string(),
            addend: 0,
            high: false,
        };
        let request = Request::new(O::Call).flag(F::Noinc, true).affecting(effects);
        self.emit_bare(request.form("ABS.I").number(F::Imm, 0).address(reference))?;
        self.new_block();
        Ok(())
    }

    /// `tex.grad` of three dimensions, of cubes, or with a comparison.
    pub(super) fn fetch_by_system(
        &mut self,
        variant: &Variant,
        (to, of): (&Operand, Type),
        (texture, sampler, place): (&Operand, Option<&Operand>, &Operand),
        rest: &[Operand],
    ) -> Lowered {
        let [x, y, more @ ..] = rest else {
            return Err(UNSUPPORTED);
        };
        let (offset, compare) = match more {
            [offset @ Operand::Vector(_), compare @ ..] => (Some(offset), compare.last()),
            compare => (None, compare.last()),
        };
        let geometry = ["1d", "2d", "3d", "cube", "a1d", "a2d", "acube"];
        let geometry = geometry.iter().find(|name| says(variant, name)).ok_or(UNSUPPORTED)?;
        let layered = geometry.starts_with('a');
        let channel = match of {
            Type::F16 | Type::F16x2 => "f16",
            Type::S32 => "s32",
            Type::U32 => "u32",
            _ => "f32",
        };
        let name = [
            "__cuda_syscall_tex_grad_",
            if matches!(to, Operand::Pair(_)) { "pred_" } else { "" },
            geometry,
            "_v4_",
            channel,
            "_f32",
            if sampler.is_some() { "_texmode_independent" } else { "" },
            if offset.is_some() { "_offset" } else { "" },
            if compare.is_some() { "_depth_compare" } else { "" },
        ]
        .concat();
        let mut parameters = Vec::new();
        for handle in std::iter::once(texture).chain(sampler) {
            parameters.push(Parameter::of(8, &self.whole_handle(handle)?));
        }
        let first = if layered { Type::U32 } else { Type::F32 };
        for (list, first) in [(place, first), (x, Type::F32), (y, Type::F32)] {
            parameters.push(Parameter::vector(self.components(list, first)?));
        }
        if let Some(offset) = offset {
            parameters.push(Parameter::vector(self.components(offset, Type::S32)?));
        }
        if let Some(compare) = compare {
            parameters.push(Parameter::of(4, &[self.source(Some(compare), Type::F32)?]));
        }
        let saved = self.guard;
        let skip = self.skip_unless_guarded()?;
        let found = self.call_system(&name, &parameters, TEXEL_WORDS)?;
        let texels = self.texels_of_system(of, to, found)?;
        self.deliver_texels(to, &texels)?;
        if let Some(skip) = skip {
            self.close_branch(skip);
        }
        self.guard = saved;
        Ok(())
    }

    /// The elements of a vector: the first of a type, the others of what follows it.
    fn components(&mut self, operand: &Operand, first: Type) -> Lowered<Vec<Source>> {
        let elements = match operand {
            Operand::Vector(range) => self.parts(*range).to_vec(),
            operand => vec![*operand],
        };
        let of = |index: usize| match (index, first) {
            (0, of) | (_, of @ Type::S32) => of,
            _ => Type::F32,
        };
        let all = elements.iter().take(4).enumerate();
        all.map(|(index, element)| self.source(Some(element), of(index)))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::{Parameter, VECTOR};
    use crate::select::Value;

    #[test]
    fn vectors_are_filled_up() {
        let vector = Parameter::vector(vec![Value::Immediate(1).into()]);
        assert_eq!((vector.words.len() as u32 * 4, vector.alignment), (VECTOR, 16));
    }
}
