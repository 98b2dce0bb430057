//! Textures and surfaces: what an instruction of the text does, and doing it for the lanes of a warp.

use std::sync::Arc;

use smallvec::SmallVec;
use warpsmith_numerics::{
    convert::{Modifiers, float_to_float},
    format::{F16, F32},
};
use warpsmith_ptx::{
    module::{Initializer, Module, Variable},
    table::Type,
};

use super::{
    Device, Fault, FaultKind,
    arithmetic::truncated,
    code::{LANES, Lanes, Slot, Source, Space},
    decode::load_fault,
    machine::{Machine, Site, Trouble},
    warp::{Warp, lanes_of},
};
use crate::texture::{
    AddressMode, Boundary, Detail, Filter, Gather, Geometry, Kind, Point, Position, Query, Reduction, Registry, Sample,
    Sampler, SamplerQuery, formatted_sign,
};

/// The level that a fetch names.
#[derive(Clone, Debug)]
pub(crate) enum Level {
    Base,
    /// A level of detail, `.f32`.
    Real(Source),
    /// A level, `.s32`.
    Whole(Source),
    Gradient([[Source; 3]; 2]),
}

/// What the destination takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Channels {
    /// 32 bits in each of four registers.
    Words,
    /// Halves in four registers.
    Halves,
    /// Halves in two registers.
    PackedHalves,
}

/// `tex` and `tld4`.
#[derive(Clone, Debug)]
pub(crate) struct Fetch {
    pub(crate) geometry: Geometry,
    pub(crate) layer: Option<Source>,
    pub(crate) sample: Option<Source>,
    pub(crate) position: [Source; 3],
    /// The position is in whole texels.
    pub(crate) whole: bool,
    pub(crate) level: Level,
    pub(crate) offset: [Source; 3],
    pub(crate) compare: Option<Source>,
    pub(crate) channels: Channels,
    /// The channel of `tld4`.
    pub(crate) gather: Option<usize>,
    /// Whether the data is resident, which it always is.
    pub(crate) resident: u32,
}

/// Where `suld`, `sust` and `sured` go.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spot {
    pub(crate) geometry: Geometry,
    pub(crate) layer: Option<Source>,
    pub(crate) at: [Source; 3],
    pub(crate) by_texel: bool,
    pub(crate) boundary: Boundary,
}

/// What is done with a texture or surface.
#[derive(Clone, Debug)]
pub(crate) enum Operation {
    Fetch(Box<Fetch>),
    Query {
        query: Query,
        level: Option<Source>,
    },
    SamplerQuery(SamplerQuery),
    /// `suld.b`: elements of this many bytes.
    Load {
        spot: Spot,
        bytes: u8,
    },
    /// `sust.b`
    Store {
        spot: Spot,
        bytes: u8,
    },
    /// `sust.p`
    StoreFormatted {
        spot: Spot,
    },
    /// `sured`; `signed` of `sured.p` is that of the surface.
    Reduce {
        spot: Spot,
        bytes: u8,
        reduction: Reduction,
        signed: Option<bool>,
    },
    /// `istypep`
    IsKind {
        kind: Kind,
        p: u32,
    },
    /// What ptxas takes, but PTX gives no meaning.
    Undefined(&'static str),
}

/// A texture instruction, in `Code::textures`.
#[derive(Clone, Debug)]
pub(crate) struct Texture {
    pub(crate) operation: Operation,
    /// A handle, or the address of a variable that holds one.
    pub(crate) handle: Source,
    pub(crate) sampler: Option<Source>,
    pub(crate) destinations: SmallVec<[Slot; 4]>,
    pub(crate) values: SmallVec<[Source; 4]>,
}

/// A module's variables that hold handles: address, type.
pub(crate) type Handles = Vec<(u64, Kind)>;

/// What a variable of an opaque type holds a handle of.
pub(crate) fn kind(element: Type) -> Option<Kind> {
    match element {
        Type::Texref => Some(Kind::Texture),
        Type::Samplerref => Some(Kind::Sampler),
        Type::Surfref => Some(Kind::Surface),
        _ => None,
    }
}

/// The handle that an opaque variable starts as: 0, or that of the sampler that its initialiser describes. Sizes and formats are those of what is
/// bound later.
pub(crate) fn initial_handle(device: &mut Device, module: &Module, variable: &Variable) -> Result<Option<u64>, Fault> {
    let (Some(kind), Some(Initializer::Fields(fields, _))) = (kind(variable.element), &variable.initializer) else {
        return Ok(None);
    };
    if kind == Kind::Surface {
        return Ok(None);
    }
    let mut sampler = Sampler {
        normalised: kind == Kind::Sampler,
        ..Sampler::default()
    };
    for &(name, value) in fields {
        let name = module.names.get(name);
        let mode = || match value {
            0 => Ok(AddressMode::Wrap),
            1 => Ok(AddressMode::Mirror),
            3 => Ok(AddressMode::ClampToEdge),
            4 => Ok(AddressMode::ClampToBorder),
            _ => Err(load_fault(format!(
                "the address mode {value} of {name} is not supported"
            ))),
        };
        match name {
            "addr_mode_0" => sampler.address[0] = mode()?,
            "addr_mode_1" => sampler.address[1] = mode()?,
            "addr_mode_2" => sampler.address[2] = mode()?,
            "filter_mode" if value != 0 => sampler.filter = Filter::Linear,
            "normalized_coords" => sampler.normalised = value != 0,
            "force_unnormalized_coords" if value != 0 => sampler.normalised = false,
            _ => {}
        }
    }
    device.create_sampler(sampler).map(Some)
}

/// The registers of the warp, read for one lane.
struct Lane<'w> {
    warp: &'w Warp,
    code: &'w super::code::Code,
    lane: usize,
}

impl Lane<'_> {
    fn get(&self, source: Source) -> u64 {
        self.warp.read(self.code, source)[self.lane]
    }

    fn word(&self, source: Source) -> u32 {
        self.get(source) as u32
    }

    fn words(&self, sources: [Source; 3]) -> [u32; 3] {
        sources.map(|source| self.word(source))
    }

    fn sample(&self, fetch: &Fetch) -> Sample {
        let number = |source: Option<Source>| source.map_or(0, |source| self.word(source));
        let position = self.words(fetch.position);
        Sample {
            geometry: fetch.geometry,
            layer: number(fetch.layer),
            sample: number(fetch.sample),
            position: match fetch.whole {
                true => Position::Whole(position.map(|part| part as i32)),
                false => Position::Real(position),
            },
            detail: match fetch.level {
                Level::Base => Detail::Base,
                Level::Real(level) => Detail::Level(self.word(level)),
                Level::Whole(level) => Detail::Whole(self.word(level) as i32),
                Level::Gradient(gradients) => Detail::Gradient(gradients.map(|part| self.words(part))),
            },
            offset: self.words(fetch.offset).map(|part| part as i32),
            compare: fetch.compare.map(|source| self.word(source)),
        }
    }

    fn point(&self, spot: &Spot) -> Point {
        Point {
            geometry: spot.geometry,
            layer: spot.layer.map_or(0, |source| self.word(source)),
            at: self.words(spot.at).map(|part| part as i32),
            by_texel: spot.by_texel,
            boundary: spot.boundary,
        }
    }
}

/// The channels as the destination registers take them.
fn delivered(channels: Channels, values: [u32; 4], integer: bool) -> Result<[u64; 4], Fault> {
    if channels == Channels::Words {
        return Ok(values.map(u64::from));
    }
    if integer {
        let message = "halves are fetched from a texture of integers";
        return Err(Fault::new(FaultKind::Operand, message));
    }
    let half = |value: u32| float_to_float(F32, F16, Modifiers::default(), value.into());
    let [r, g, b, a] = values.map(half);
    Ok(match channels {
        Channels::PackedHalves => [r | g << 16, b | a << 16, 0, 0],
        Channels::Words | Channels::Halves => [r, g, b, a],
    })
}

impl Machine<'_> {
    /// The handle of each lane: the value, or what the variable holds that it is the address of.
    fn handle(&mut self, site: &mut Site<'_>, warp: &mut Warp, lane: usize, value: u64) -> Result<u64, Trouble> {
        match self.program.handles.iter().any(|(address, _)| *address == value) {
            true => self.read_one(site, warp, lane, Space::Global, value, 8),
            false => Ok(value),
        }
    }

    fn is_kind(&self, registry: &Registry, value: u64, wanted: Kind) -> bool {
        let variable = self.program.handles.iter().find(|(address, _)| *address == value);
        match variable {
            Some((_, kind)) => *kind == wanted,
            None => registry.kind_of(value) == Some(wanted),
        }
    }

    /// A texture instruction.
    pub(crate) fn texture(
        &mut self,
        site: &mut Site<'_>,
        warp: &mut Warp,
        number: u32,
        active: u32,
    ) -> Result<(), Trouble> {
        let code = site.code;
        let texture = &code.textures[number as usize];
        let registry = Arc::clone(&self.memory.textures);
        let handles = *warp.read(code, texture.handle);
        if let Operation::IsKind { kind, p } = texture.operation {
            let holds = lanes_of(active).filter(|lane| self.is_kind(&registry, handles[*lane], kind));
            let mask = holds.fold(0, |mask, lane| mask | 1 << lane);
            warp.set_predicate(p, active, mask);
            return Ok(());
        }
        let samplers = texture.sampler.map(|sampler| *warp.read(code, sampler));
        let mut out: [Lanes; 4] = [[0; LANES]; 4];
        for lane in lanes_of(active) {
            let handle = self.handle(site, warp, lane, handles[lane])?;
            let sampler = match &samplers {
                Some(samplers) => self.handle(site, warp, lane, samplers[lane])?,
                None => handle,
            };
            let place = Lane { warp, code, lane };
            let values = self.one_lane(&registry, texture, &place, handle, sampler);
            let values = values.map_err(|fault| Trouble::new(fault.kind, fault.message).at(lane))?;
            for (out, value) in out.iter_mut().zip(values) {
                out[lane] = value;
            }
        }
        for (slot, values) in texture.destinations.iter().zip(&out) {
            warp.write(*slot, active, values);
        }
        if let Operation::Fetch(fetch) = &texture.operation {
            warp.set_predicate(fetch.resident, active, active);
        }
        Ok(())
    }

    /// What one lane's registers get.
    fn one_lane(
        &mut self,
        registry: &Registry,
        texture: &Texture,
        lane: &Lane<'_>,
        handle: u64,
        sampler: u64,
    ) -> Result<[u64; 4], Fault> {
        let mut out = [0; 4];
        match &texture.operation {
            Operation::Fetch(fetch) => {
                let view = registry.texture(handle, sampler)?;
                let sample = lane.sample(fetch);
                let values = match fetch.gather {
                    Some(channel) => view.gather(&mut self.memory, &Gather { sample, channel })?,
                    None => view.fetch(&mut self.memory, &sample)?,
                };
                return delivered(fetch.channels, values, view.format().is_integer());
            }
            Operation::Query { query, level } => {
                let level = level.map_or(0, |source| lane.word(source));
                out[0] = registry.query(handle, *query, level)?.into();
            }
            Operation::SamplerQuery(query) => out[0] = query.answer(registry.sampler(handle)?).into(),
            Operation::Load { spot, bytes } => {
                let width = usize::from(*bytes).max(1);
                let length = width * texture.destinations.len();
                let loaded = registry.surface(handle)?.load(&lane.point(spot), length)?;
                for (out, part) in out.iter_mut().zip(loaded.chunks(width)) {
                    *out = part.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte));
                }
            }
            Operation::Store { spot, bytes } => {
                let width = usize::from(*bytes);
                let values = texture.values.iter().map(|source| lane.get(*source));
                let bytes: Vec<u8> = values
                    .flat_map(|value| value.to_le_bytes().into_iter().take(width))
                    .collect();
                registry.surface(handle)?.store(&lane.point(spot), &bytes)?;
            }
            Operation::StoreFormatted { spot } => {
                let mut channels = [0; 4];
                for (channel, source) in channels.iter_mut().zip(&texture.values) {
                    *channel = lane.word(*source);
                }
                registry.surface(handle)?.store_formatted(&lane.point(spot), channels)?;
            }
            Operation::Reduce {
                spot,
                bytes,
                reduction,
                signed,
            } => {
                let signed = match signed {
                    Some(signed) => *signed,
                    None => formatted_sign(registry, handle, *bytes)?,
                };
                let operand = texture.values.first().map_or(0, |source| lane.get(*source));
                let operand = truncated(operand, 8 * u32::from(*bytes));
                let function = |old| reduction.apply(signed, *bytes, old, operand);
                registry
                    .surface(handle)?
                    .update(&lane.point(spot), usize::from(*bytes), function)?;
            }
            Operation::IsKind { .. } => {}
            Operation::Undefined(reason) => return Err(Fault::new(FaultKind::Operand, *reason)),
        }
        Ok(out)
    }
}
