//! Textures: `tex` and `tld4`.
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
use warpsmith_target::{Feature, Isa};

use super::{
    Lowered, Lowering, UNSUPPORTED,
    narrow::pack,
    steps::{A, LEFT, RIGHT, logic, number, select, shift},
    system::{is_beyond_slopes, is_fetched_by_system},
    variables::is_image,
};
use crate::{
    ir::Register,
    select::{Request, Source, Test, Value, Word, absolute},
};

/// -32.0: a level below all, of which the first is taken. Compute kernels have no quads, from which an instruction without level would take it.
const BASE_LEVEL: u32 = 0xc200_0000;

/// A handle.
#[derive(Clone, Copy, Debug)]
pub(super) struct Handle {
    /// Its low word, which is all that the machine takes.
    word: Source,
    /// A sampler of its own: its number, and from sm_90 on the low word of its handle.
    sampler: Option<Source>,
    /// All lanes have the same.
    uniform: bool,
}

/// What a fetch has beside its coordinates.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Extras {
    /// Offsets, packed.
    pub(super) offset: Option<Source>,
    /// What depths are compared with.
    pub(super) compare: Option<Source>,
}

/// What a fetch gives.
pub(super) struct Texels {
    of: Type,
    /// As pairs of halves.
    packed: bool,
    data: [Register; 2],
    /// Set where texels are not resident, if the program asks.
    missing: Option<Register>,
}

/// The components that are gathered.
const GATHERED: [(M, &str); 4] = [(M::R, "R"), (M::G, "G"), (M::B, "B"), (M::A, "A")];

/// `LOP3`: the second operand chooses between the bits of the first and the third.
const EITHER: u32 = 0xe2;

/// Coordinates as the machine takes them.
pub(super) struct Coordinates {
    pub(super) dimension: &'static str,
    pub(super) layer: Option<Source>,
    sample: Option<Source>,
    pub(super) at: SmallVec<[Source; 3]>,
}

pub(super) fn dimension(variant: &Variant) -> Lowered<(&'static str, usize, bool, bool)> {
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
            Opcode::Tex | Opcode::TexBase | Opcode::TexLevel | Opcode::TexGrad | Opcode::Tld4 => {
                self.fetch(variant, operands)
            }
            Opcode::Txq | Opcode::TxqLevel | Opcode::Suq => self.query(variant, operands),
            Opcode::Istypep => self.is_type(variant, operands),
            Opcode::SuldB => self.surface_load(variant, operands),
            Opcode::SustB | Opcode::SustP => self.surface_store(variant, operands),
            Opcode::SuredB | Opcode::SuredP => self.surface_reduction(variant, operands),
            _ => return None,
        })
    }

    /// The registers that hold parameters of the kernel, or what is bound to a name, and nothing else.
    fn parameter_registers(&self) -> Vec<bool> {
        let mut held = vec![None; self.homes.len()];
        for statement in &self.body.statements {
            let Statement::Instruction(instruction) = statement else {
                continue;
            };
            let variant = &self.module.variants[instruction.variant.0 as usize];
            let operands = &self.body.operands[instruction.first_operand as usize..];
            let uniform = match (variant.opcode, operands.get(1)) {
                (
                    Opcode::Ld,
                    Some(Operand::Address(Address {
                        base: AddressBase::Variable(id),
                        ..
                    })),
                ) => self.parameter(*id).is_some(),
                (Opcode::Mov, Some(Operand::Variable(id, 0))) => is_image(&self.module.variables[id.0 as usize]),
                _ => false,
            };
            let loads = uniform && instruction.guard.is_none();
            let mut note = |operand: &Operand| {
                if let Operand::Register(register) = operand
                    && let Some(index) = self.numbers.index(*register)
                    && let Some(entry) = held.get_mut(index)
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
                        .numbers
                        .index(register)
                        .is_some_and(|index| self.parameter_registers().get(index) == Some(&true));
                Ok(Handle {
                    word: self.home(register).word(0).into(),
                    sampler: None,
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
                    word: Value::Constant(0, offset).into(),
                    sampler: None,
                    uniform: true,
                }),
                None => {
                    let [word, _] = self.image_handle(id)?;
                    Ok(Handle {
                        word,
                        sampler: None,
                        uniform: true,
                    })
                }
            },
            _ => Err(UNSUPPORTED),
        }
    }

    /// A texture with a sampler of its own, if it has one. Up to sm_89 its number stands above that of the texture.
    pub(super) fn sampled(&mut self, texture: &Operand, sampler: Option<&Operand>) -> Lowered<Handle> {
        let texture = self.handle(texture)?;
        let Some(sampler) = sampler else {
            return Ok(texture);
        };
        let sampler = self.handle(sampler)?;
        if self.function.sm.has(Feature::ImagePairs) {
            return Ok(Handle {
                sampler: Some(sampler.word),
                uniform: texture.uniform && sampler.uniform,
                ..texture
            });
        }
        let above = self.step(shift(sampler.word, number(20), Value::Zero, LEFT))?;
        let word = self.step(logic(texture.word, number(0xf_ffff), above, EITHER))?;
        Ok(Handle {
            word: word.into(),
            ..texture
        })
    }

    /// An instruction that takes a handle from uniform registers, whatever the guard: the step is done under its own.
    pub(super) fn with_uniform_handle(
        &mut self,
        handle: Handle,
        step: impl FnOnce(&mut Self, Register) -> Lowered,
    ) -> Lowered {
        // Zero: the sampler that the texture has.
        let low = self.held(handle.word)?;
        let high = handle.sampler.map(|sampler| self.held(sampler)).transpose()?;
        let register = |source: Source| match source.value {
            Value::Register(word) => Ok(word),
            Value::Zero | Value::Immediate(_) | Value::Constant(..) => Err(UNSUPPORTED),
        };
        let mut words: SmallVec<[(u8, Word); 2]> = SmallVec::new();
        words.push((0, register(low)?));
        if let Some(high) = high {
            words.push((1, register(high)?));
        }
        let pair = self.function.register(RegisterClass::UniformGpr, 2);
        let fetch = |this: &mut Self| -> Lowered {
            for (word, from) in &words {
                let request = Request::new(O::R2ur).form("UR_R").to(pair.word(*word)).at(F::Ra, *from);
                this.emit_bare(request)?;
            }
            if words.len() == 1 {
                this.emit_bare(Request::new(O::Umov).to(pair.word(1)).from(Value::Zero))?;
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
        for (word, from) in &words {
            let copy = self.temporary(1);
            self.emit_bare(Request::new(O::Mov).form("R_UR").to(copy).at(F::URb, pair.word(*word)))?;
            same = self
                .compare_words(Cmp::Eq, true, *from, copy, Combine::And, same)?
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
        let mut coordinates = self.given_coordinates(variant, operand, of)?;
        if coordinates.dimension.ends_with("CUBE") {
            self.onto_cube(&mut coordinates.at)?;
        }
        Ok(coordinates)
    }

    /// Coordinates as the program gives them: for a cube a direction of any length.
    pub(super) fn given_coordinates(&mut self, variant: &Variant, operand: &Operand, of: Type) -> Lowered<Coordinates> {
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
            // ptxas takes one register in place of several: the others are undefined.
            at.push(take(self, true, of)?.unwrap_or(Value::Zero.into()));
        }
        let dimension = match (dimension, of) {
            // A line is read as a plane with one row. (Observed, ptxas 13.0.88.)
            ("1D", Type::F32) => {
                at.push(Value::Zero.into());
                "2D"
            }
            (dimension, _) => dimension,
        };
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

    /// `{, e}{, f}`: a vector is an offset; the last scalar is what a depth is compared with. A scalar before it, or with whole coordinates, has no effect.
    /// (Observed, ptxas 13.0.88.)
    pub(super) fn extras(&mut self, operands: &[Operand], whole: bool, step: u32) -> Lowered<Extras> {
        let (offset, rest) = match operands {
            [Operand::Vector(range), rest @ ..] => {
                let parts = self.parts(*range);
                (Some(self.packed_offset(&parts, step)?), rest)
            }
            rest => (None, rest),
        };
        let compare = match rest.last() {
            Some(operand) if !whole => Some(self.source(Some(operand), Type::F32)?),
            _ => None,
        };
        Ok(Extras { offset, compare })
    }

    /// Offsets of `step` bits, of which gathers use 6 of 8.
    fn packed_offset(&mut self, parts: &[Operand], step: u32) -> Lowered<Source> {
        let mut packed = self.source(parts.first(), Type::U32)?;
        let used = if step == 8 { 0x3f } else { 0xf };
        for (axis, part) in (1_u32..).zip(parts.iter().skip(1).take(2)) {
            let part = self.source(Some(part), Type::U32)?;
            let moved = self.step(shift(part, number(axis * step), Value::Zero, LEFT))?;
            packed = self
                .step(logic(moved, number(used << (axis * step)), packed, EITHER))?
                .into();
        }
        Ok(packed)
    }

    /// `tex d{|p}, [a{, b}, c]{, level or gradients}{, e}{, f}` and `tld4`
    fn fetch(&mut self, variant: &Variant, operands: &[Operand]) -> Lowered {
        let [to, Operand::Bracket(range), rest @ ..] = operands else {
            return Err(UNSUPPORTED);
        };
        let inner = self.parts(*range);
        let (texture, sampler, place) = match &inner[..] {
            [texture, place] => (texture, None, place),
            [texture, sampler, place] => (texture, Some(sampler), place),
            _ => return Err(UNSUPPORTED),
        };
        let types: Vec<Type> = variant.types().collect();
        let [of, coordinate] = types[..] else {
            return Err(UNSUPPORTED);
        };
        if is_fetched_by_system(self.function.sm, variant, operands) {
            return self.fetch_by_system(variant, (to, of), (texture, sampler, place), rest);
        }
        if is_beyond_slopes(variant, operands) {
            return self.fetch_by_quads(variant, (to, of), (texture, sampler, place), rest);
        }
        if variant.opcode == Opcode::TexGrad {
            return self.fetch_by_slopes(variant, (to, of), (texture, sampler, place), rest);
        }
        let whole = coordinate == Type::S32;
        let isa = self.function.isa();
        let gathers = variant.opcode == Opcode::Tld4;
        let (lod, level, rest) = match (variant.opcode, rest) {
            (Opcode::TexLevel, [level, rest @ ..]) => ("LL", Some(self.source(Some(level), coordinate)?), rest),
            (Opcode::Tld4, rest) => ("", None, rest),
            (_, rest) if whole => ("LZ", None, rest),
            (_, rest) if self.function.sm.has(Feature::ImpliedBaseLevel) => ("", None, rest),
            (_, rest) => ("LL", Some(number(BASE_LEVEL)), rest),
        };
        let extras = self.extras(rest, whole, if gathers { 8 } else { 4 })?;
        let handle = self.sampled(texture, sampler)?;
        let coordinates = self.coordinates(variant, place, coordinate)?;
        let opcode = match (gathers, whole) {
            (true, _) => O::Tld4,
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
            let component = GATHERED
                .iter()
                .find(|(modifier, _)| variant.slot("comp") == Some(*modifier));
            request = request.text(F::Component, component.ok_or(UNSUPPORTED)?.1);
        }
        request = extras.on(request);
        let mut first: Vec<Source> = coordinates.layer.into_iter().collect();
        first.extend(coordinates.at.iter().copied());
        let mut second: Vec<Source> = Vec::new();
        second.extend(level);
        second.extend(extras.offset);
        second.extend(coordinates.sample);
        second.extend(extras.compare);
        let texels = self.texels(of, to);
        let request = texels.on(request);
        if self.function.sm.has(Feature::ImagePairs) {
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
            all.push(handle.word);
            all.extend(second);
            // Up to four registers are divided evenly, of those fetches that ptxas was seen to write so.
            let scalar = opcode == O::Tld && all.len() <= 4;
            let split = if scalar { all.len().div_ceil(2) } else { first.len() };
            let names = if scalar {
                ["SCR.B.R_R_R_R_S", "SCR.R_R_R_R_S"]
            } else {
                ["B.R_R_R_R_S", "R_R_R_R_S"]
            };
            let (a, b) = (self.row_of(&all[..split])?, self.row_of(&all[split..])?);
            let request = request.at(F::Ra, a).at(F::Rb, b);
            self.emit(if isa == Isa::Sm75 {
                request.form(names[0])
            } else {
                request.form(names[1]).text(F::Bindless, "B")
            })?;
        }
        self.deliver_texels(to, &texels)
    }

    /// Where texels of a type arrive.
    pub(super) fn texels(&mut self, of: Type, to: &Operand) -> Texels {
        let halves = matches!(of, Type::F16 | Type::F16x2);
        let packed = halves && self.function.sm.has(Feature::PackedTexels);
        let words = if packed { 1 } else { 2 };
        Texels {
            of,
            packed,
            data: [self.temporary(words), self.temporary(words)],
            missing: self.resident(to).map(|_| self.predicate()),
        }
    }

    /// What the system gives: a word that is zero where texels are not resident, then the channels; halves in pairs.
    pub(super) fn texels_of_system(&mut self, of: Type, to: &Operand, found: Register) -> Lowered<Texels> {
        let packed = matches!(of, Type::F16 | Type::F16x2);
        let missing = match self.resident(to) {
            Some(_) => {
                let word = found.word(0);
                Some(self.compare_words(Cmp::Eq, true, word, Value::Zero, Combine::And, Test::ALWAYS)?)
            }
            None => None,
        };
        let words = if packed { 1 } else { 2 };
        let data = [self.words_of(found, 1, words)?, self.words_of(found, 1 + words, words)?];
        Ok(Texels {
            of,
            packed,
            data,
            missing,
        })
    }

    /// A handle of two words.
    pub(super) fn whole_handle(&mut self, operand: &Operand) -> Lowered<[Source; 2]> {
        match *operand {
            Operand::Bracket(range) => match self.parts(range)[..] {
                [inner] => self.whole_handle(&inner),
                _ => Err(UNSUPPORTED),
            },
            Operand::Register(register)
            | Operand::Address(Address {
                base: AddressBase::Register(register),
                offset: 0,
                ..
            }) => {
                let home = self.home(register);
                Ok([home.word(0).into(), home.word(1).into()])
            }
            Operand::Variable(id, 0)
            | Operand::Address(Address {
                base: AddressBase::Variable(id),
                offset: 0,
                ..
            }) => match self.parameter(id) {
                Some(offset) => Ok([Value::Constant(0, offset).into(), Value::Constant(0, offset + 4).into()]),
                None => self.image_handle(id),
            },
            _ => Err(UNSUPPORTED),
        }
    }

    /// The predicate behind a destination.
    pub(super) fn resident(&self, to: &Operand) -> Option<Operand> {
        let Operand::Pair(range) = to else { return None };
        let resident = self.parts(*range).get(1).copied();
        resident.filter(|operand| *operand != Operand::Sink)
    }

    /// Gives the program what a fetch gave, and says that it was resident.
    pub(super) fn deliver_texels(&mut self, to: &Operand, texels: &Texels) -> Lowered {
        if let (Some(missing), Some(resident)) = (texels.missing, self.resident(to)) {
            let resident = self.predicate_destination(Some(&resident))?;
            let request = self.predicate_logic(Test::from(missing).opposite(), Test::ALWAYS, A);
            self.emit(request.sets(F::Pu, resident))?;
        }
        let to = match to {
            Operand::Pair(range) => *self.parts(*range).first().ok_or(UNSUPPORTED)?,
            to => *to,
        };
        let channels: SmallVec<[Source; 4]> = match texels.packed {
            true => texels.data.iter().map(|data| Source::from(*data)).collect(),
            false => texels
                .data
                .iter()
                .flat_map(|data| [data.word(0).into(), data.word(1).into()])
                .collect(),
        };
        let halves = match (texels.of, &channels[..]) {
            (Type::F16 | Type::F16x2, [r, g, b, a]) => {
                let mut pairs: SmallVec<[Source; 4]> = SmallVec::new();
                for (low, high) in [(r, g), (b, a)] {
                    let pair = self.temporary(1);
                    self.emit_packed(pack(*high, *low, "", false, false), Type::F16x2, pair)?;
                    pairs.push(pair.into());
                }
                pairs
            }
            _ => channels,
        };
        let values: SmallVec<[Source; 4]> = match texels.of {
            Type::F16 => {
                let mut each: SmallVec<[Source; 4]> = SmallVec::new();
                for pair in &halves {
                    each.push(*pair);
                    let high = self.step(shift(Value::Zero, number(16), *pair, RIGHT))?;
                    each.push(high.into());
                }
                each
            }
            _ => halves,
        };
        let whole = self.row_of(&values)?;
        self.deliver_list(Some(&to), Type::B32, whole)
    }

    /// `tex.grad`: `TXD` takes lines and planes; the slopes of each coordinate stand together. Layer and offset share a register.
    fn fetch_by_slopes(
        &mut self,
        variant: &Variant,
        (to, of): (&Operand, Type),
        (texture, sampler, place): (&Operand, Option<&Operand>, &Operand),
        rest: &[Operand],
    ) -> Lowered {
        let isa = self.function.isa();
        let [x, y, rest @ ..] = rest else {
            return Err(UNSUPPORTED);
        };
        let extras = self.extras(rest, false, 4)?;
        let handle = self.sampled(texture, sampler)?;
        let coordinates = self.coordinates(variant, place, Type::F32)?;
        let each = |this: &Self, operand: &Operand| match operand {
            Operand::Vector(range) => this.parts(*range).to_vec(),
            operand => vec![*operand],
        };
        let (x, y) = (each(self, x), each(self, y));
        let mut slopes = Vec::new();
        for axis in 0..coordinates.at.len() {
            for along in [&x, &y] {
                slopes.push(match along.get(axis) {
                    Some(slope) => self.source(Some(slope), Type::F32)?,
                    None => Value::Zero.into(),
                });
            }
        }
        let mut first: Vec<Source> = Vec::new();
        if !self.function.sm.has(Feature::ImagePairs) {
            first.push(handle.word);
        }
        first.extend(coordinates.at.iter().copied());
        match (coordinates.layer, extras.offset) {
            (layer, Some(offset)) => {
                let moved = self.step(shift(offset, number(16), Value::Zero, LEFT))?;
                let layer = layer.unwrap_or(Value::Zero.into());
                first.push(self.step(logic(moved, number(0xfff_0000), layer, EITHER))?.into());
            }
            (layer, None) => first.extend(layer),
        }
        let (a, b) = (self.row_of(&first)?, self.row_of(&slopes)?);
        let texels = self.texels(of, to);
        let request = Request::new(O::Txd)
            .text(F::Dimension, coordinates.dimension)
            .at(F::Ra, a)
            .at(F::Rb, b);
        let request = texels.on(extras.on(request));
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
        self.deliver_texels(to, &texels)
    }
}

impl Extras {
    pub(super) fn on(self, request: Request) -> Request {
        let request = match self.offset {
            Some(_) => request.text(F::OffsetMode, "AOFFI"),
            None => request,
        };
        match self.compare {
            Some(_) => request.text(F::DepthCompare, "DC"),
            None => request,
        }
    }
}

impl Texels {
    /// The instruction that gives them.
    pub(super) fn on(&self, request: Request) -> Request {
        let request = match self.packed {
            true => request.text(F::ResultType, "F16.RN"),
            false => request,
        };
        let request = request.at(F::Rd, self.data[0]).at(F::Rc, self.data[1]);
        match self.missing {
            Some(missing) => request.sets(F::Pu, missing),
            None => request,
        }
    }
}

impl Handle {
    /// Its low word, which is all that the machine takes.
    pub(super) fn low(&self) -> Source {
        self.word
    }
}
