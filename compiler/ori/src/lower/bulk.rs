//! Bulk copies, reductions and prefetches, and those of tensors: `cp.async.bulk` and what belongs to it.
//!
//! The machine's instructions run once for a warp and take their operands from uniform registers; those of PTX are each thread's own. So a loop gives each
//! thread its turn. Which register holds what, for each form: observed, ptxas 13.0.88, sm_90 to sm_120. (ptxas runs copies to global memory and prefetches once
//! for all threads with the same operands, which is the same for the memory.)

use smallvec::SmallVec;
use warpsmith_ptx::{
    instruction::Variant,
    module::{Address, AddressBase, Operand, Space as PtxSpace},
    table::{Modifier as M, Opcode, Type},
};
use warpsmith_sass::{
    FieldName as F, Opcode as O, RegisterClass,
    tables::{Cmp, Combine},
};

use super::{
    Lowered, Lowering, UNSUPPORTED,
    cluster::rank_in,
    memory::{Space, says},
    operand::first_type,
    steps::{A, B, LEFT, RIGHT, Words, logic, number, permute, plus, shift},
    system::Parameter,
    variables::unsupported,
};
use crate::select::{Request, Source, Test, Value, Word};

/// Bytes of a unit in which sizes of bulk copies are counted, as a power of two.
const UNIT: u32 = 4;

/// Operands that go to uniform registers, each to as many in a row as it has words, with the field that names the first.
type Uniform = SmallVec<[(F, Words); 4]>;

/// An optional operand at the end of the list, if the instruction says so.
fn optional<'o>(
    variant: &Variant,
    modifier: M,
    rest: &mut std::slice::Iter<'o, Operand>,
) -> Lowered<Option<&'o Operand>> {
    match variant.has(modifier) {
        true => rest.next().map(Some).ok_or(UNSUPPORTED),
        false => Ok(None),
    }
}

/// An address in shared memory among the parameters of a function of the system: two words, of which the upper is zero.
fn near_parameter(words: &[Source], index: usize) -> Parameter {
    let word = words.get(index).copied().unwrap_or(Value::Zero.into());
    Parameter::of(8, &[word, Value::Zero.into()])
}

/// A cache policy that says nothing.
fn no_hint() -> Words {
    [Value::Zero.into(), Value::Zero.into()].into_iter().collect()
}

/// A copy that the system may do: the function, what it takes, and when it is called.
struct BySystem {
    name: String,
    parameters: Vec<Parameter>,
    meant: Meant,
}

/// The CTAs that a copy means.
#[derive(Clone, Copy)]
enum Meant {
    /// Those of a mask.
    Mask(Source),
    /// That in which an address lies.
    At(Source),
}

impl Meant {
    /// What the system's functions are called.
    fn name(self) -> &'static str {
        match self {
            Meant::Mask(_) => "multicast",
            Meant::At(_) => "unicast",
        }
    }
}

impl Lowering<'_> {
    /// Bulk and tensor copies and their groups.
    pub(super) fn bulk(&mut self, variant: &Variant, operands: &[Operand]) -> Option<Lowered> {
        Some(match variant.opcode {
            Opcode::CpAsyncBulk | Opcode::CpReduceAsyncBulk => self.bulk_copy(variant, operands),
            Opcode::CpAsyncBulkPrefetch => self.bulk_prefetch(variant, operands),
            Opcode::CpAsyncBulkTensor if variant.has(M::BulkGroup) => self.tensor_store(variant, operands),
            Opcode::CpReduceAsyncBulkTensor => self.tensor_store(variant, operands),
            Opcode::CpAsyncBulkTensor => self.tensor_load(variant, operands),
            Opcode::CpAsyncBulkPrefetchTensor => self.tensor_prefetch(variant, operands),
            Opcode::CpAsyncBulkCommitGroup => self.once(|this| this.emit(Request::new(O::Utmacmdflush).form("none"))),
            Opcode::CpAsyncBulkWaitGroup => self.wait_for_bulk_groups(variant, operands),
            _ => return None,
        })
    }

    /// A step without a guard, skipped where the guard does not hold in any thread: what the step does is the warp's.
    pub(super) fn once(&mut self, step: impl FnOnce(&mut Self) -> Lowered) -> Lowered {
        let saved = self.guard;
        let skip = self.skip_unless_guarded()?;
        step(self)?;
        if let Some(skip) = skip {
            self.close_branch(skip);
        }
        self.guard = saved;
        Ok(())
    }

    /// Copies to global memory are visible to the thread once it has waited for them; their sources are read once it has waited for that.
    fn wait_for_bulk_groups(&mut self, variant: &Variant, operands: &[Operand]) -> Lowered {
        let [Operand::Integer(count, _)] = operands else {
            return Err(UNSUPPORTED);
        };
        self.wait_for_groups(*count)?;
        match variant.has(M::Read) {
            true => Ok(()),
            false => self.invalidate(super::memory::Scope::Gpu),
        }
    }

    /// An address in shared memory as one word: that of an address operand, or the low word of a value.
    fn shared_word(&mut self, operand: Option<&Operand>, space: Space) -> Lowered<Source> {
        match operand {
            Some(Operand::Address(address)) => {
                let (base, offset) = self.locate(space, address)?;
                self.word_sum(base, offset)
            }
            operand => self.source(operand, Type::U32),
        }
    }

    /// A word plus an offset.
    pub(super) fn word_sum(&mut self, base: Word, offset: i64) -> Lowered<Source> {
        match offset {
            0 => Ok(base.into()),
            offset => Ok(self.step(plus(base, number(offset as u32)))?.into()),
        }
    }

    /// A 64-bit address as two words.
    pub(super) fn wide_address(&mut self, space: Space, address: &Address) -> Lowered<Words> {
        if let AddressBase::Variable(variable) = address.base {
            let space = match self.module.variables[variable.0 as usize].space {
                PtxSpace::Parameter => Some(Space::Parameter),
                PtxSpace::Constant => Some(Space::Constant),
                _ => None,
            };
            if let Some(space) = space {
                let place = self.variable_address(variable, address.offset)?;
                let at = self.change_space(space, true, [place.word(0).into(), place.word(1).into()])?;
                return Ok([at.word(0), at.word(1)].into_iter().map(Source::from).collect());
            }
        }
        let (base, offset) = self.locate(space, address)?;
        let high = Word {
            word: base.word + 1,
            ..base
        };
        if offset == 0 {
            return Ok([base, high].into_iter().map(Source::from).collect());
        }
        let sum = self.temporary(2);
        self.add_wide(sum, base.into(), high.into(), offset)?;
        Ok([sum.word(0), sum.word(1)].into_iter().map(Source::from).collect())
    }

    /// Two words of a policy.
    fn hint(&mut self, operand: Option<&Operand>) -> Lowered<Option<Words>> {
        match operand {
            Some(operand) => Ok(Some(self.value(Some(operand), Type::B64)?)),
            None => Ok(None),
        }
    }

    /// Two halves of a word: the low halves of two values.
    fn half_words(&mut self, low: Source, high: Source) -> Lowered<Source> {
        let immediate = |source: Source| match source.value {
            Value::Zero => Some(0),
            Value::Immediate(value) => Some(value),
            Value::Register(_) | Value::Constant(..) => None,
        };
        match (immediate(low), immediate(high)) {
            (Some(low), Some(high)) => Ok(number(low & 0xffff | high << 16)),
            _ => {
                // The first operand of PRMT is a register.
                let low = self.held(low)?;
                Ok(self.step(permute(low, 0x5410, high))?.into())
            }
        }
    }

    /// The size of a bulk copy in units, with a mask in the high half.
    fn bulk_size(&mut self, size: Option<&Operand>, mask: Option<&Operand>) -> Lowered<Source> {
        let units = match size {
            Some(Operand::Integer(size, _)) => number(*size as u32 >> UNIT),
            size => {
                let size = self.source(size, Type::U32)?;
                self.step(shift(Value::Zero, number(UNIT), size, RIGHT))?.into()
            }
        };
        let mask = match mask {
            Some(mask) => self.source(Some(mask), Type::U16)?,
            None => Value::Zero.into(),
        };
        self.half_words(units, mask)
    }

    /// Runs an instruction once for each thread, with operands that are its own in uniform registers.
    pub(super) fn thread_by_thread(&mut self, operands: Uniform, request: Request) -> Lowered {
        self.once(|this| {
            let lane = this.step(Request::new(O::S2r).form("R_S").text(F::SpecialRegister, "SR_LANEID"))?;
            let mut held = Vec::new();
            for (field, words) in operands {
                let words: Vec<Source> = words.into_iter().map(|word| this.held(word)).collect::<Lowered<_>>()?;
                held.push((field, words));
            }
            let start = this.new_block();
            // One thread of those that are here gives all operands.
            let turn = this.function.register(RegisterClass::UniformGpr, 1);
            this.emit(Request::new(O::R2ur).form("UR_R").to(turn).at(F::Ra, lane))?;
            let mut request = request;
            for (field, words) in held {
                let uniform = this.function.register(RegisterClass::UniformGpr, words.len() as u8);
                for (index, word) in (0_u8..).zip(&words) {
                    let Value::Register(word) = word.value else {
                        return Err(UNSUPPORTED);
                    };
                    let copy = Request::new(O::R2ur).form("UR_R");
                    this.emit(copy.to(uniform.word(index)).at(F::Ra, word))?;
                }
                request = request.at(field, uniform);
            }
            this.emit(request)?;
            let done = this.temporary(1);
            this.emit(Request::new(O::Mov).form("R_UR").to(done).at(F::URb, turn))?;
            let others = this.compare_words(Cmp::Ne, true, lane, done, Combine::And, Test::ALWAYS)?;
            this.emit(Request::new(O::Bra).form("L").target(start).guarded(others))?;
            this.new_block();
            Ok(())
        })
    }

    /// `cp.async.bulk` and `cp.reduce.async.bulk`
    fn bulk_copy(&mut self, variant: &Variant, operands: &[Operand]) -> Lowered {
        let [to, Operand::Address(from), size, rest @ ..] = operands else {
            return Err(UNSUPPORTED);
        };
        let mut rest = rest.iter();
        let to_global = variant.has(M::BulkGroup);
        let from_global = variant.has(M::Global) && !to_global;
        let near = match variant.has(M::SharedCluster) {
            true => Space::Cluster,
            false => Space::Shared,
        };
        let to: Words = match to {
            Operand::Address(to) if to_global => self.wide_address(Space::Global, to)?,
            to => {
                let barrier = rest.next();
                [self.shared_word(Some(to), near)?, self.shared_word(barrier, near)?]
                    .into_iter()
                    .collect()
            }
        };
        let from: Words = match from_global {
            true => self.wide_address(Space::Global, from)?,
            false => std::iter::once(self.shared_word(operands.get(1), Space::Shared)?).collect(),
        };
        let ctas = optional(variant, M::MulticastCluster, &mut rest)?;
        let hint = optional(variant, M::L2CacheHint, &mut rest)?;
        let bytes = optional(variant, M::CpMask, &mut rest)?;
        let by_system = match self.is_copied_by_system(variant, operands) {
            true => {
                let whole = self.source(Some(size), Type::U32)?;
                let mut parameters = vec![
                    near_parameter(&to, 0),
                    Parameter::of(8, &from),
                    Parameter::of(4, &[whole]),
                ];
                let meant = self.meant(ctas, &to, &mut parameters)?;
                parameters.push(near_parameter(&to, 1));
                let hint = self.hint(hint)?;
                parameters.push(Parameter::of(8, &hint.unwrap_or_else(no_hint)));
                let name = format!("__cuda_syscall_cp_async_bulk_{}", meant.name());
                Some(BySystem {
                    name,
                    parameters,
                    meant,
                })
            }
            false => None,
        };
        let ctas = ctas.filter(|_| by_system.is_none());
        let size = self.bulk_size(Some(size), ctas.or(bytes))?;
        let hint = self.hint(hint)?;
        let form = if hint.is_some() { "AU_AU_UR_DESC" } else { "AU_AU_UR" };
        let space = |global: bool| if global { "G" } else { "S" };
        let request = match variant.opcode {
            Opcode::CpReduceAsyncBulk => Request::new(O::Ublkred)
                .text(F::Type, space(to_global))
                .text(F::SourceSpace, space(from_global))
                .text(F::Operation, bulk_operation(variant)?)
                .text(F::SourceType, element(first_type(variant)?)?),
            _ => Request::new(O::Ublkcp)
                .text(F::DestinationSpace, space(to_global))
                .text(F::SourceSpace, space(from_global))
                .flag(F::Multicast, ctas.is_some())
                .flag(F::DstGByteMask, bytes.is_some()),
        };
        let mut uniform: Uniform = [(F::URb, to), (F::URa, from)].into_iter().collect();
        uniform.push((F::URc, std::iter::once(size).collect()));
        uniform.extend(hint.map(|hint| (F::URe, hint)));
        self.copy_or_call(by_system, uniform, request.form(form))
    }

    /// Which CTAs a copy means that the system may do; a mask is one of its parameters.
    fn meant(&mut self, ctas: Option<&Operand>, to: &Words, parameters: &mut Vec<Parameter>) -> Lowered<Meant> {
        let Some(ctas) = ctas else {
            return Ok(Meant::At(to.first().copied().ok_or(UNSUPPORTED)?));
        };
        let mask = self.extended(Some(ctas), Type::U16)?;
        parameters.push(Parameter::of(4, &[mask]));
        Ok(Meant::Mask(mask))
    }

    /// A copy by the machine, or by the system. A multicast is the machine's where the kernel was started without clusters and the one CTA is meant, any other copy
    /// where the destination lies in the own CTA. (Observed, ptxas 13.0.88, sm_120.)
    fn copy_or_call(&mut self, by_system: Option<BySystem>, uniform: Uniform, request: Request) -> Lowered {
        let Some(BySystem {
            name,
            parameters,
            meant,
        }) = by_system
        else {
            return self.thread_by_thread(uniform, request);
        };
        let flag = self.function.constants().cluster_explicit.ok_or(UNSUPPORTED)?;
        self.once(|this| {
            let own = match meant {
                Meant::Mask(ctas) => {
                    let explicit = this.copied(Value::Constant(0, flag.into()))?;
                    let apart = this.compare_words(Cmp::Ne, true, explicit, number(1), Combine::And, Test::ALWAYS)?;
                    this.compare_words(Cmp::Eq, true, ctas, number(1), Combine::And, apart.into())?
                }
                Meant::At(to) => {
                    let rank = this.cluster_register("%cluster_ctarank", 0)?;
                    let meant = this.step(rank_in(to))?;
                    this.compare_words(Cmp::Eq, true, meant, rank, Combine::And, Test::ALWAYS)?
                }
            };
            let to_copy = this.open_branch(own.into())?;
            this.call_system(&name, &parameters, 0)?;
            let to_end = this.open_branch(Test::ALWAYS)?;
            this.close_branch(to_copy);
            this.thread_by_thread(uniform, request)?;
            this.close_branch(to_end);
            Ok(())
        })
    }

    /// `cp.async.bulk.prefetch`
    fn bulk_prefetch(&mut self, variant: &Variant, operands: &[Operand]) -> Lowered {
        let [Operand::Address(from), size, rest @ ..] = operands else {
            return Err(UNSUPPORTED);
        };
        let from = self.wide_address(Space::Global, from)?;
        let size = self.bulk_size(Some(size), None)?;
        let hint = optional(variant, M::L2CacheHint, &mut rest.iter())?;
        let hint = self.hint(hint)?;
        let form = if hint.is_some() { "L2.AU_UR_DESC" } else { "L2.AU_UR" };
        let mut uniform: Uniform = [(F::URa, from), (F::URc, std::iter::once(size).collect())]
            .into_iter()
            .collect();
        uniform.extend(hint.map(|hint| (F::URe, hint)));
        self.thread_by_thread(uniform, Request::new(O::Ublkpf).form(form))
    }

    /// `[tensorMap, coordinates]`: the address of the map, and the coordinates.
    fn tensor(&mut self, operand: &Operand) -> Lowered<(Words, Words)> {
        let Operand::Bracket(range) = *operand else {
            return Err(UNSUPPORTED);
        };
        let inner = self.parts(range);
        let [map, coordinates] = &inner[..] else {
            return Err(UNSUPPORTED);
        };
        let map = match map {
            Operand::Address(address) => self.wide_address(Space::Generic, address)?,
            map => self.value(Some(map), Type::B64)?,
        };
        let coordinates = self.one_word_each(coordinates, Type::S32)?;
        Ok((map, coordinates))
    }

    /// The elements of a vector, or a single value, one word each.
    fn one_word_each(&mut self, operand: &Operand, of: Type) -> Lowered<Words> {
        match operand {
            Operand::Vector(range) => {
                let list = self.parts(*range);
                list.iter().map(|element| self.source(Some(element), of)).collect()
            }
            operand => Ok(std::iter::once(self.source(Some(operand), of)?).collect()),
        }
    }

    /// The offsets of im2col in a half word: 16, 8 or 5 bits for each of one, two or three; those of im2col::w 11 bits for the first.
    fn im2col_offsets(&mut self, variant: &Variant, operand: &Operand) -> Lowered<Source> {
        let offsets = self.one_word_each(operand, Type::U16)?;
        let is_w = variant.has(M::Im2colW) || variant.has(M::Im2colW128);
        let bits = match (is_w, offsets.len()) {
            (true, 2) => 11,
            (false, 1) => return Ok(offsets[0]),
            (false, 2) => 8,
            (false, 3) => 5,
            _ => return Err(UNSUPPORTED),
        };
        let mut packed = offsets[0];
        if bits == 8 {
            packed = self.step(logic(packed, number(0xff), Value::Zero, A & B))?.into();
        }
        for (index, offset) in (1..).zip(&offsets[1..]) {
            let shifted = self.step(shift(*offset, number(bits * index), Value::Zero, LEFT))?;
            packed = self.step(plus(shifted, packed))?.into();
        }
        Ok(packed)
    }

    /// `cp.async.bulk.tensor` to shared memory
    fn tensor_load(&mut self, variant: &Variant, operands: &[Operand]) -> Lowered {
        let [to, tensor, barrier, rest @ ..] = operands else {
            return Err(UNSUPPORTED);
        };
        let mut rest = rest.iter();
        let near = match variant.has(M::SharedCluster) {
            true => Space::Cluster,
            false => Space::Shared,
        };
        let (map, coordinates) = self.tensor(tensor)?;
        let mut registers: Words = [
            self.shared_word(Some(to), near)?,
            self.shared_word(Some(barrier), near)?,
        ]
        .into_iter()
        .collect();
        registers.extend(coordinates);
        let mode = mode(variant);
        let offsets = match mode {
            "IM2COL" | "W" | "W128" => Some(self.im2col_offsets(variant, rest.next().ok_or(UNSUPPORTED)?)?),
            _ => None,
        };
        let ctas = optional(variant, M::MulticastCluster, &mut rest)?;
        let hint = optional(variant, M::L2CacheHint, &mut rest)?;
        let by_system = match self.is_copied_by_system(variant, operands) {
            true => {
                let name = match mode {
                    "" => "tile",
                    "IM2COL" => "im2col",
                    _ => return unsupported("a copy to another CTA in this mode"),
                };
                let extent = dimension(variant)?.to_lowercase();
                let mut coordinates = registers[2..].to_vec();
                coordinates.resize(5, Value::Zero.into());
                let mut parameters = vec![near_parameter(&registers, 0), Parameter::of(8, &map)];
                parameters.push(Parameter::of(4, &coordinates));
                let meant = self.meant(ctas, &registers, &mut parameters)?;
                parameters.push(near_parameter(&registers, 1));
                if mode == "IM2COL" {
                    parameters.push(Parameter::of(4, &self.offset_halves(&operands[3])?));
                }
                let hint = self.hint(hint)?;
                parameters.push(Parameter::of(8, &hint.unwrap_or_else(no_hint)));
                let name = format!("__cuda_syscall_cp_async_bulk_tensor_{extent}_{name}_{}", meant.name());
                Some(BySystem {
                    name,
                    parameters,
                    meant,
                })
            }
            false => None,
        };
        let ctas = ctas.filter(|_| by_system.is_none());
        let extra = match (offsets, ctas) {
            (None, None) => None,
            (offsets, ctas) => {
                let ctas = match ctas {
                    Some(ctas) => self.source(Some(ctas), Type::U16)?,
                    None => Value::Zero.into(),
                };
                Some(self.half_words(offsets.unwrap_or(Value::Zero.into()), ctas)?)
            }
        };
        let hint = self.hint(hint)?;
        let form = match (extra.is_some(), hint.is_some()) {
            (false, false) => "AU_AU",
            (false, true) => "AU_AU_DESC",
            (true, false) => "AU_AU_UR",
            (true, true) => "AU_AU_UR_DESC",
        };
        let request = Request::new(O::Utmaldg)
            .form(form)
            .text(F::Dimension, dimension(variant)?)
            .text(F::Mode, mode)
            .flag(F::Multicast, ctas.is_some())
            .flag(F::TwoCta, variant.has(M::CtaGroup2));
        let mut uniform: Uniform = [(F::URb, registers), (F::URa, map)].into_iter().collect();
        uniform.extend(extra.map(|extra| (F::URc, std::iter::once(extra).collect())));
        uniform.extend(hint.map(|hint| (F::URe, hint)));
        self.copy_or_call(by_system, uniform, request)
    }

    /// The offsets of im2col as two words of halves.
    fn offset_halves(&mut self, operand: &Operand) -> Lowered<Vec<Source>> {
        let mut offsets = self.one_word_each(operand, Type::U16)?.to_vec();
        offsets.resize(4, Value::Zero.into());
        let pairs = offsets.chunks(2);
        pairs
            .map(|pair| match pair {
                [low, high] => self.half_words(*low, *high),
                _ => Err(UNSUPPORTED),
            })
            .collect()
    }

    /// `cp.async.bulk.tensor` and `cp.reduce.async.bulk.tensor` from shared memory
    fn tensor_store(&mut self, variant: &Variant, operands: &[Operand]) -> Lowered {
        let [tensor, from, rest @ ..] = operands else {
            return Err(UNSUPPORTED);
        };
        let (map, coordinates) = self.tensor(tensor)?;
        let mut registers: Words = std::iter::once(self.shared_word(Some(from), Space::Shared)?).collect();
        registers.extend(coordinates);
        let hint = optional(variant, M::L2CacheHint, &mut rest.iter())?;
        let hint = self.hint(hint)?;
        let request = match variant.opcode {
            Opcode::CpReduceAsyncBulkTensor => Request::new(O::Utmaredg).text(F::Operation, bulk_operation(variant)?),
            _ => Request::new(O::Utmastg),
        };
        let request = request
            .form(if hint.is_some() { "AU_AU_DESC" } else { "AU_AU" })
            .text(F::Dimension, dimension(variant)?)
            .text(F::Mode, mode(variant));
        let mut uniform: Uniform = [(F::URb, registers), (F::URa, map)].into_iter().collect();
        uniform.extend(hint.map(|hint| (F::URe, hint)));
        self.thread_by_thread(uniform, request)
    }

    /// `cp.async.bulk.prefetch.tensor`
    fn tensor_prefetch(&mut self, variant: &Variant, operands: &[Operand]) -> Lowered {
        let [tensor, rest @ ..] = operands else {
            return Err(UNSUPPORTED);
        };
        let mut rest = rest.iter();
        let (map, coordinates) = self.tensor(tensor)?;
        let mode = mode(variant);
        let extra = match mode {
            "IM2COL" | "W" | "W128" => {
                let offsets = self.im2col_offsets(variant, rest.next().ok_or(UNSUPPORTED)?)?;
                Some(self.half_words(offsets, Value::Zero.into())?)
            }
            _ => None,
        };
        let hint = optional(variant, M::L2CacheHint, &mut rest)?;
        let hint = self.hint(hint)?;
        let form = match (extra.is_some(), hint.is_some()) {
            (false, false) => "L2.AU_AU",
            (false, true) => "L2.AU_AU_DESC",
            (true, false) => "L2.AU_AU_UR",
            (true, true) => "L2.AU_AU_UR_DESC",
        };
        let request = Request::new(O::Utmapf)
            .form(form)
            .text(F::Dimension, dimension(variant)?)
            .text(F::Mode, mode);
        let mut uniform: Uniform = [(F::URb, coordinates), (F::URa, map)].into_iter().collect();
        uniform.extend(extra.map(|extra| (F::URc, std::iter::once(extra).collect())));
        uniform.extend(hint.map(|hint| (F::URe, hint)));
        self.thread_by_thread(uniform, request)
    }
}

/// How a tensor copy goes over the tensor, as SASS writes it.
fn mode(variant: &Variant) -> &'static str {
    let names = [
        (M::TileGather4, "GATHER4"),
        (M::TileScatter4, "SCATTER4"),
        (M::Im2col, "IM2COL"),
        (M::Im2colNoOffs, "IM2COL"),
        (M::Im2colW, "W"),
        (M::Im2colW128, "W128"),
    ];
    let found = names.iter().find(|(modifier, _)| variant.has(*modifier));
    found.map_or("", |(_, name)| *name)
}

fn dimension(variant: &Variant) -> Lowered<&'static str> {
    let names = [("1d", "1D"), ("2d", "2D"), ("3d", "3D"), ("4d", "4D"), ("5d", "5D")];
    let found = names.iter().find(|(name, _)| says(variant, name));
    found.map(|(_, text)| *text).ok_or(UNSUPPORTED)
}

fn bulk_operation(variant: &Variant) -> Lowered<&'static str> {
    let names = [
        ("add", "ADD"),
        ("min", "MIN"),
        ("max", "MAX"),
        ("inc", "INC"),
        ("dec", "DEC"),
        ("and", "AND"),
        ("or", "OR"),
        ("xor", "XOR"),
    ];
    let found = names.iter().find(|(name, _)| says(variant, name));
    found.map(|(_, text)| *text).ok_or(UNSUPPORTED)
}

/// The type of elements of a bulk reduction.
fn element(of: Type) -> Lowered<&'static str> {
    Ok(match of {
        Type::U32 | Type::B32 => "",
        Type::S32 => "S32",
        Type::U64 | Type::B64 => "U64",
        Type::S64 => "S64",
        Type::F16 => "F16.RN",
        Type::Bf16 => "BF16.RN",
        Type::F32 => "F32.RN",
        Type::F64 => "F64.RN",
        _ => return Err(UNSUPPORTED),
    })
}
