//! Textures by handle: `tex`, `tld4`, `txq`, and `suq`, which asks the same.
//!
//! Before sm_90 the handle stands among the registers of the instruction. Later it comes from uniform registers: where lanes may have different ones, the
//! instruction is done once for each. (Which instructions: observed, ptxas 13.0.88.)

use smallvec::SmallVec;
use warpsmith_ptx::{
    instruction::Variant,
    module::{Address, AddressBase, Operand, Statement},
    table::{Modifier as M, Opcode, Type},
};
use warpsmith_sass::{
    FieldName as F, Opcode as O, RegisterClass,
    tables::{Cmp, Combine},
};
use warpsmith_target::Isa;

use super::{
    Lowered, Lowering, UNSUPPORTED,
    steps::{number, select},
    variables::unsupported,
};
use crate::{
    ir::Register,
    select::{Request, Source, Test, Value, absolute},
};

/// -32.0: a level below all, of which the first is taken. Compute kernels have no quads, from which an instruction without level would take it.
const BASE_LEVEL: u32 = 0xc200_0000;

/// A handle.
#[derive(Clone, Copy, Debug)]
pub(super) struct Handle {
    words: [Source; 2],
    /// All lanes have the same.
    uniform: bool,
}

/// Coordinates as the machine takes them.
struct Coordinates {
    dimension: &'static str,
    layer: Option<Source>,
    sample: Option<Source>,
    at: SmallVec<[Source; 3]>,
}

fn dimension(variant: &Variant) -> Lowered<(&'static str, usize, bool, bool)> {
    let found = variant.modifiers.iter().flatten().find_map(|modifier| {
        Some(match modifier {
            M::N1d => ("1D", 1, false, false),
            M::N2d => ("2D", 2, false, false),
            M::N3d => ("3D", 3, false, false),
            M::Cube => ("CUBE", 3, false, false),
            M::A1d => ("ARRAY_1D", 1, true, false),
            M::A2d => ("ARRAY_2D", 2, true, false),
            M::Acube => ("ARRAY_CUBE", 3, true, false),
            M::N2dms => ("2D", 2, false, true),
            M::A2dms => ("ARRAY_2D", 2, true, true),
            _ => return None,
        })
    });
    found.ok_or(UNSUPPORTED)
}

impl Lowering<'_> {
    /// Instructions on textures and surfaces.
    pub(super) fn textures(&mut self, variant: &Variant, operands: &[Operand]) -> Option<Lowered> {
        Some(match variant.opcode {
            Opcode::Tex | Opcode::TexLevel | Opcode::TexGrad | Opcode::Tld4 => self.fetch(variant, operands),
            Opcode::Txq | Opcode::TxqLevel | Opcode::Suq => self.query(variant, operands),
            Opcode::SuldB => self.surface_load(variant, operands),
            Opcode::SustB | Opcode::SustP => self.surface_store(variant, operands),
            Opcode::SuredB | Opcode::SuredP => self.surface_reduction(variant, operands),
            _ => return None,
        })
    }

    /// The registers that hold parameters of the kernel and nothing else.
    fn parameter_registers(&self) -> Vec<bool> {
        let mut held = vec![None; self.homes.len()];
        for statement in &self.body.statements {
            let Statement::Instruction(instruction) = statement else {
                continue;
            };
            let variant = &self.module.variants[instruction.variant.0 as usize];
            let operands = &self.body.operands[instruction.first_operand as usize..];
            let loads = variant.opcode == Opcode::Ld
                && instruction.guard.is_none()
                && matches!(
                    operands.get(1),
                    Some(Operand::Address(Address {
                        base: AddressBase::Variable(id),
                        ..
                    })) if self.parameter(*id).is_some()
                );
            let mut note = |operand: &Operand| {
                if let Operand::Register(register) = operand
                    && let Some(entry) = held.get_mut(register.0 as usize)
                {
                    *entry = Some(loads && *entry != Some(false));
                }
            };
            match operands.first().filter(|_| instruction.operand_count > 0) {
                Some(Operand::Vector(range) | Operand::Pair(range)) => self.parts(*range).iter().for_each(&mut note),
                Some(operand) => note(operand),
                None => {}
            }
        }
        held.into_iter().map(|entry| entry == Some(true)).collect()
    }

    /// The handle that an operand is.
    pub(super) fn handle(&mut self, operand: &Operand) -> Lowered<Handle> {
        match *operand {
            Operand::Bracket(range) => match self.parts(range)[..] {
                [inner] => self.handle(&inner),
                _ => Err(UNSUPPORTED),
            },
            Operand::Register(register)
            | Operand::Address(Address {
                base: AddressBase::Register(register),
                offset: 0,
                ..
            }) => {
                let uniform = self.function.kernel
                    && self
                        .parameter_registers()
                        .get(register.0 as usize)
                        .copied()
                        .unwrap_or(false);
                let home = self.home(register);
                Ok(Handle {
                    words: [home.word(0).into(), home.word(1).into()],
                    uniform,
                })
            }
            Operand::Variable(id, 0)
            | Operand::Address(Address {
                base: AddressBase::Variable(id),
                offset: 0,
                ..
            }) => match self.parameter(id) {
                Some(offset) => Ok(Handle {
                    words: [Value::Constant(0, offset).into(), Value::Constant(0, offset + 4).into()],
                    uniform: true,
                }),
                None => unsupported("a texture or surface that is a variable"),
            },
            _ => Err(UNSUPPORTED),
        }
    }

    /// An instruction that takes a handle from uniform registers, whatever the guard: the step is done under its own.
    pub(super) fn with_uniform_handle(
        &mut self,
        handle: Handle,
        step: impl FnOnce(&mut Self, Register) -> Lowered,
    ) -> Lowered {
        let words = [self.held(handle.words[0])?, self.held(handle.words[1])?];
        let [Value::Register(low), Value::Register(high)] = words.map(|word| word.value) else {
            return Err(UNSUPPORTED);
        };
        let pair = self.function.register(RegisterClass::UniformGpr, 2);
        let fetch = |this: &mut Self| -> Lowered {
            for (word, from) in [(0, low), (1, high)] {
                let request = Request::new(O::R2ur).form("UR_R").to(pair.word(word)).at(F::Ra, from);
                this.emit_bare(request)?;
            }
            Ok(())
        };
        if handle.uniform {
            fetch(self)?;
            return step(self, pair);
        }
        let saved = self.guard;
        let skip = self.skip_unless_guarded()?;
        let start = self.new_block();
        fetch(self)?;
        let mut same = Test::ALWAYS;
        for (word, from) in [(0, low), (1, high)] {
            let copy = self.temporary(1);
            self.emit_bare(Request::new(O::Mov).form("R_UR").to(copy).at(F::URb, pair.word(word)))?;
            same = self
                .compare_words(Cmp::Eq, true, from, copy, Combine::And, same)?
                .into();
        }
        self.guard = same;
        let outcome = step(self, pair);
        self.guard = Test::ALWAYS;
        outcome?;
        self.emit_bare(Request::new(O::Bra).form("L").target(start).guarded(same.opposite()))?;
        self.new_block();
        if let Some(skip) = skip {
            self.close_branch(skip);
        }
        self.guard = saved;
        Ok(())
    }

    /// Some words, each in its place, in a new register.
    pub(super) fn row_of(&mut self, words: &[Source]) -> Lowered<Register> {
        let row = self.temporary(words.len().max(1) as u8);
        for (word, source) in (0_u8..).zip(words) {
            self.emit_bare(Request::new(O::Mov).to(row.word(word)).from(*source))?;
        }
        Ok(row)
    }

    fn coordinates(&mut self, variant: &Variant, operand: &Operand, of: Type) -> Lowered<Coordinates> {
        let (dimension, count, layered, sampled) = dimension(variant)?;
        let elements = match operand {
            Operand::Vector(range) => self.parts(*range).to_vec(),
            operand => vec![*operand],
        };
        let mut rest = elements.iter();
        // The sample comes first, then the layer.
        let mut take = |this: &mut Self, wanted: bool, of: Type| match wanted.then(|| rest.next()).flatten() {
            Some(element) => this.source(Some(element), of).map(Some),
            None => Ok(None),
        };
        let sample = take(self, sampled, Type::U32)?;
        let layer = take(self, layered, Type::U32)?;
        let mut at = SmallVec::new();
        for _ in 0..count {
            at.push(take(self, true, of)?.ok_or_else(|| {
                super::Stop::Unsupported(Some("a register in place of several coordinates".to_string()))
            })?);
        }
        // Layers have 16 bits.
        let layer = match layer {
            Some(layer) => {
                let layer = self.held(layer)?;
                let most = self.copied(number(0xffff))?;
                let beyond = self.compare_words(Cmp::Gt, true, layer, number(0xffff), Combine::And, Test::ALWAYS)?;
                Some(self.step(select(beyond, most, layer))?.into())
            }
            None => None,
        };
        if dimension.ends_with("CUBE") {
            self.onto_cube(&mut at)?;
        }
        Ok(Coordinates {
            dimension,
            layer,
            sample,
            at,
        })
    }

    /// The direction through a cube as a point of its faces: divided by its greatest coordinate.
    fn onto_cube(&mut self, at: &mut SmallVec<[Source; 3]>) -> Lowered {
        for source in at.iter_mut() {
            *source = self.held(*source)?;
        }
        let [x, y, z] = at[..] else { return Err(UNSUPPORTED) };
        let greatest = |a: Source, b: Source| {
            Request::new(O::Fmnmx)
                .from(absolute(a))
                .from(absolute(b))
                .when(F::Pp, Test::NEVER)
        };
        let first = self.step(greatest(x, y))?;
        let all = Request::new(O::Fmnmx)
            .from(absolute(z))
            .from(first)
            .when(F::Pp, Test::NEVER);
        let all = self.step(all)?;
        let factor = self.step(Request::new(O::Mufu).from(all).text(F::Function, "RCP"))?;
        for source in at.iter_mut() {
            *source = self.step(Request::new(O::Fmul).from(*source).from(factor))?.into();
        }
        Ok(())
    }

    /// `tex d, [a, c]{, level or gradients}` and `tld4`
    fn fetch(&mut self, variant: &Variant, operands: &[Operand]) -> Lowered {
        let [to @ Operand::Vector(_), Operand::Bracket(range), rest @ ..] = operands else {
            return unsupported("this destination");
        };
        let inner = self.parts(*range);
        let [handle, place] = &inner[..] else {
            return unsupported("a sampler of its own");
        };
        let types: Vec<Type> = variant.types().collect();
        let [of, coordinate] = types[..] else {
            return Err(UNSUPPORTED);
        };
        if of.bits() != 32 || of == Type::F16x2 {
            return unsupported("half-precision texels");
        }
        let whole = coordinate == Type::S32;
        let isa = self.function.isa();
        let gathers = variant.opcode == Opcode::Tld4;
        if variant.opcode == Opcode::TexGrad {
            return self.fetch_by_slopes(variant, (to, handle, place), rest);
        }
        let (lod, level) = match (variant.opcode, rest) {
            (Opcode::TexLevel, [level]) => ("LL", Some(self.source(Some(level), coordinate)?)),
            (Opcode::Tex, []) if whole => ("LZ", None),
            (Opcode::Tex, []) if isa == Isa::Sm120 => ("", None),
            (Opcode::Tex, []) => ("LL", Some(number(BASE_LEVEL))),
            (Opcode::Tld4, []) => ("", None),
            _ => return unsupported("an offset or a value to compare with"),
        };
        let handle = self.handle(handle)?;
        let coordinates = self.coordinates(variant, place, coordinate)?;
        let opcode = match (gathers, whole) {
            (true, false) => O::Tld4,
            (true, true) => return unsupported("whole coordinates"),
            (false, true) => O::Tld,
            (false, false) => O::Tex,
        };
        let mut request = Request::new(opcode).text(F::Dimension, coordinates.dimension);
        if !gathers {
            request = request.text(F::Lod, lod);
        }
        if opcode == O::Tld {
            request = request
                .text(F::Clamp, if level.is_some() { "CL" } else { "" })
                .text(F::Multisample, if coordinates.sample.is_some() { "MS" } else { "" });
        }
        if gathers {
            request = request.text(
                F::Component,
                match variant.slot("comp") {
                    Some(M::R) => "R",
                    Some(M::G) => "G",
                    Some(M::B) => "B",
                    Some(M::A) => "A",
                    _ => return Err(UNSUPPORTED),
                },
            );
        }
        let mut first: Vec<Source> = coordinates.layer.into_iter().collect();
        first.extend(coordinates.at.iter().copied());
        let data = [self.temporary(2), self.temporary(2)];
        let request = request.at(F::Rd, data[0]).at(F::Rc, data[1]);
        if isa >= Isa::Sm90 {
            let second: Vec<Source> = level.into_iter().chain(coordinates.sample).collect();
            let a = self.row_of(&first)?;
            let mut request = request.at(F::Ra, a);
            if !second.is_empty() {
                let b = self.row_of(&second)?;
                request = request.at(F::Rb, b);
            }
            self.with_uniform_handle(handle, |this, pair| {
                let request = request.at(F::URe, pair);
                this.emit(if isa == Isa::Sm90 {
                    request.form("R_R_R_UR_I_S").number(F::Imm, 0)
                } else {
                    request.form("R_R_R_UR_S")
                })
            })?;
        } else {
            let mut all = first.clone();
            all.push(handle.words[0]);
            all.extend(level.into_iter().chain(coordinates.sample));
            // Whole coordinates have only the form whose registers are divided evenly.
            let (split, names) = if opcode == O::Tld {
                (all.len().div_ceil(2), ["SCR.B.R_R_R_R_S", "SCR.R_R_R_R_S"])
            } else {
                (first.len(), ["B.R_R_R_R_S", "R_R_R_R_S"])
            };
            let (a, b) = (self.row_of(&all[..split])?, self.row_of(&all[split..])?);
            let request = request.at(F::Ra, a).at(F::Rb, b);
            self.emit(if isa == Isa::Sm75 {
                request.form(names[0])
            } else {
                request.form(names[1]).text(F::Bindless, "B")
            })?;
        }
        self.deliver_texels(to, data)
    }

    fn deliver_texels(&mut self, to: &Operand, data: [Register; 2]) -> Lowered {
        let whole = self.temporary(4);
        for word in 0..4_u8 {
            let source = data[usize::from(word / 2)].word(word % 2);
            self.emit_bare(Request::new(O::Mov).to(whole.word(word)).from(source))?;
        }
        self.deliver_list(Some(to), Type::B32, whole)
    }

    /// `tex.grad`: `TXD` takes lines and planes; the slopes of each coordinate stand together.
    fn fetch_by_slopes(
        &mut self,
        variant: &Variant,
        (to, handle, place): (&Operand, &Operand, &Operand),
        rest: &[Operand],
    ) -> Lowered {
        let isa = self.function.isa();
        let [x, y] = rest else {
            return unsupported("an offset or a value to compare with");
        };
        if dimension(variant)?.1 > 2 {
            return unsupported("gradients in three dimensions");
        }
        let handle = self.handle(handle)?;
        let coordinates = self.coordinates(variant, place, Type::F32)?;
        let each = |this: &Self, operand: &Operand| match operand {
            Operand::Vector(range) => this.parts(*range).to_vec(),
            operand => vec![*operand],
        };
        let (x, y) = (each(self, x), each(self, y));
        let mut slopes = Vec::new();
        for (x, y) in x.iter().zip(&y).take(coordinates.at.len()) {
            slopes.push(self.source(Some(x), Type::F32)?);
            slopes.push(self.source(Some(y), Type::F32)?);
        }
        let mut first: Vec<Source> = Vec::new();
        if isa < Isa::Sm90 {
            first.push(handle.words[0]);
        }
        first.extend(coordinates.at.iter().copied());
        first.extend(coordinates.layer);
        let (a, b) = (self.row_of(&first)?, self.row_of(&slopes)?);
        let data = [self.temporary(2), self.temporary(2)];
        let request = Request::new(O::Txd)
            .text(F::Dimension, coordinates.dimension)
            .at(F::Rd, data[0])
            .at(F::Rc, data[1])
            .at(F::Ra, a)
            .at(F::Rb, b);
        match isa {
            Isa::Sm75 => self.emit(request.form("B.R_R_R_R_S"))?,
            isa if isa < Isa::Sm90 => self.emit(request.form("R_R_R_R_S").text(F::Bindless, "B"))?,
            isa => self.with_uniform_handle(handle, |this, pair| {
                let request = request.at(F::URe, pair);
                this.emit(if isa == Isa::Sm90 {
                    request.form("R_R_R_R_UR_I_S").number(F::Imm, 0)
                } else {
                    request.form("R_R_R_R_UR_S")
                })
            })?,
        }
        self.deliver_texels(to, data)
    }

    /// `txq`, `suq`: the extents; the rest is in memory that the driver keeps.
    fn query(&mut self, variant: &Variant, operands: &[Operand]) -> Lowered {
        let isa = self.function.isa();
        let mask = match variant
            .modifiers
            .iter()
            .flatten()
            .map(|m| m.name())
            .find_map(|name| match name {
                "width" => Some(1),
                "height" => Some(2),
                "depth" => Some(4),
                _ => None,
            }) {
            Some(mask) => mask,
            None => return unsupported("this query"),
        };
        let [to, handle, rest @ ..] = operands else {
            return Err(UNSUPPORTED);
        };
        let handle = self.handle(handle)?;
        let level = match rest {
            [] => Value::Zero.into(),
            [level] => self.source(Some(level), Type::U32)?,
            _ => return Err(UNSUPPORTED),
        };
        let data = self.temporary(1);
        let request = Request::new(O::Txq)
            .text(F::Query, "TEX_HEADER_DIMENSION")
            .at(F::Rd, data);
        if isa < Isa::Sm90 {
            let a = self.row_of(&[handle.words[0], level])?;
            let request = request.at(F::Ra, a).number(F::Imm, mask);
            self.emit(if isa == Isa::Sm75 {
                request.form("B.R_R_R_S_I")
            } else {
                request.form("R_R_R_S_I").text(F::Bindless, "B")
            })?;
        } else {
            let a = self.row_of(&[level])?;
            let request = request.at(F::Ra, a);
            self.with_uniform_handle(handle, |this, pair| {
                let request = request.at(F::URe, pair);
                this.emit(if isa == Isa::Sm90 {
                    request.form("R_R_R_S_UR_I_I").number(F::Imm, 0).number(F::Imm2, mask)
                } else {
                    request.form("R_R_R_S_UR_0x0_I").number(F::Imm, mask)
                })
            })?;
        }
        self.deliver_list(Some(to), Type::B32, data)
    }
}

impl Handle {
    /// Its low word, which is all that surfaces take.
    pub(super) fn low(&self) -> Source {
        self.words[0]
    }
}
