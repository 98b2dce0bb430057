//! Textures: `TEX`, `TLD`, `TLD4`, `TXD` and `TXQ`.
//!
//! The operands of a fetch are a sequence: layer, coordinates, handle (where it is in a register), level, offset, sample, reference. It is cut after the
//! coordinates into the two vectors of registers, and in the middle for `.SCR`, where both have at most two. `TXD` has handle, coordinates, and one
//! register with the layer and, above bit 16, the offset; then the two slopes of x, those of y and so on (all observed, ptxas 13.0.88: what it compiles
//! `tex`, `tld4` and `txq` to).

use std::sync::Arc;

use warpsmith_numerics::{
    convert::{self, float_to_float},
    float,
    format::{F16, F32},
    round::Rounding,
};

use super::{
    code::{LANES, Lanes, Predicate, Row},
    machine::{Context, Flow, Trouble},
};
use crate::{
    Fault, FaultKind,
    lanes::lanes_of,
    texture::{Detail, Gather, Geometry, Position, Query, Registry, Sample},
};

/// The number of a register; 255 is RZ.
pub(crate) type Register = u8;

/// RZ
pub(crate) const NONE: Register = 255;

/// Where the handle of a texture or surface is.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Handle {
    /// In a register or constant: the texture in bits 0 to 19, the sampler above.
    One(Row),
    /// In two uniform registers: the same, and if not 0, a sampler of its own.
    Pair(Row),
}

impl Handle {
    /// The handles of texture and sampler of each lane.
    pub(crate) fn lanes(self, context: &Context<'_, '_>) -> (Lanes, Lanes) {
        let row = |row| *context.warp.row(&context.machine.constants, row);
        match self {
            Handle::One(one) => (row(one), row(one)),
            Handle::Pair(low) => {
                let (texture, sampler) = (row(low), row(low.after(1)));
                let either = |lane: usize| match sampler[lane] {
                    0 => texture[lane],
                    // The number alone, as it stands in the low bits of a sampler's handle, too.
                    number if number & 0xf_f000 == 0 => number << 20,
                    handle => handle,
                };
                (texture, std::array::from_fn(either))
            }
        }
    }
}

/// The level of a fetch.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Level {
    /// The first that the sampler permits: where no lane of a quad is known to run with the others, there are no slopes.
    Base,
    /// Level 0.
    Zero,
    /// A level of detail, `f32`.
    Real(Register),
    /// A level.
    Whole(Register),
    /// The slopes of x, y and z along both axes of the screen: `TXD`.
    Slopes([[Register; 3]; 2]),
    /// The differences between the coordinates of the lanes of a quad: `.NDV`.
    Quad,
}

/// How the offsets are packed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Offset {
    pub(crate) register: Register,
    /// The first bit, and how many on the next one starts.
    pub(crate) first: u8,
    pub(crate) step: u8,
}

/// What is done with a texture.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Kind {
    /// `TEX`, `TLD`, `TXD`
    Fetch,
    /// `TLD4`: of a channel.
    Gather(u8),
    /// `TXQ`: width, height and depth of a level.
    Query(Register),
}

/// A texture instruction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TextureOp {
    pub(crate) kind: Kind,
    pub(crate) handle: Handle,
    pub(crate) geometry: Geometry,
    pub(crate) layer: Register,
    pub(crate) position: [Register; 3],
    /// The position is in whole texels.
    pub(crate) whole: bool,
    pub(crate) level: Level,
    pub(crate) offset: Option<Offset>,
    pub(crate) sample: Register,
    pub(crate) compare: Option<Register>,
    /// The channels that are delivered.
    pub(crate) mask: u8,
    /// In halves.
    pub(crate) halves: Option<Rounding>,
    /// Where the first two results go, and those after.
    pub(crate) d: [Register; 2],
    /// Set where data is not resident, which it always is.
    pub(crate) missing: Predicate,
}

/// The registers of a warp.
struct Registers<'c> {
    warp: &'c super::warp::Warp,
}

impl Registers<'_> {
    fn get(&self, register: Register, lane: usize) -> u32 {
        self.warp.row(&[], Row::register(register))[lane]
    }

    fn three(&self, registers: [Register; 3], lane: usize) -> [u32; 3] {
        registers.map(|register| self.get(register, lane))
    }

    /// How much more the coordinates are in the next lane of the quad, and in the lane below.
    fn differences(&self, position: [Register; 3], lane: usize) -> [[u32; 3]; 2] {
        let minus = |a: u32, b: u32| {
            let rounded = float::Modifiers::default();
            float::sub(F32, rounded, a.into(), b.into()) as u32
        };
        [1, 2]
            .map(|bit| position.map(|register| minus(self.get(register, lane | bit), self.get(register, lane & !bit))))
    }
}

impl TextureOp {
    pub(super) fn execute(self, context: &mut Context<'_, '_>) -> Result<Flow, Trouble> {
        let registry = Arc::clone(&context.machine.memory.textures);
        let (handles, samplers) = self.handle.lanes(context);
        let mut out: [Lanes; 4] = [[0; LANES]; 4];
        for lane in lanes_of(context.active) {
            let handles = [handles[lane], samplers[lane]].map(u64::from);
            let results = self
                .one(context, &registry, lane, handles)
                .map_err(|fault| Trouble::new(fault.kind, fault.message).at(lane))?;
            for (row, result) in out.iter_mut().zip(results) {
                row[lane] = result;
            }
        }
        let count = self.mask.count_ones();
        let words = if self.halves.is_some() {
            count.div_ceil(2)
        } else {
            count
        };
        let in_first = if self.halves.is_some() { 1 } else { 2 };
        for (word, row) in (0..words).zip(&out) {
            let [first, second] = self.d.map(Row::register);
            let d = match word.checked_sub(in_first) {
                None => first.after(word),
                Some(word) => second.after(word),
            };
            context.put(d, row);
        }
        context.warp.set_predicate(self.missing, context.active, 0);
        Ok(Flow::Next)
    }

    /// The words that a lane gets.
    fn one(
        &self,
        context: &mut Context<'_, '_>,
        registry: &Registry,
        lane: usize,
        [handle, sampler]: [u64; 2],
    ) -> Result<[u32; 4], Fault> {
        let registers = Registers { warp: context.warp };
        if let Kind::Query(level) = self.kind {
            let level = registers.get(level, lane);
            let mut sizes = [0; 4];
            for (size, query) in sizes.iter_mut().zip([Query::Width, Query::Height, Query::Depth]) {
                *size = registry.query(handle, query, level)?;
            }
            return Ok(self.chosen(sizes));
        }
        let view = registry.texture(handle, sampler)?;
        let mut sample = self.sample(&registers, lane);
        if sample.geometry == Geometry::Plane && !self.whole && view.geometry() == Geometry::Line {
            // ptxas has no fetch from a line: it makes y zero.
            sample.geometry = Geometry::Line;
        }
        let memory = &mut context.machine.memory;
        let values = match self.kind {
            Kind::Gather(channel) => {
                let channel = usize::from(channel);
                view.gather(memory, &Gather { sample, channel })?
            }
            Kind::Fetch | Kind::Query(_) => view.fetch(memory, &sample)?,
        };
        let values = self.chosen(values);
        match self.halves {
            None => Ok(values),
            Some(_) if view.format().is_integer() => Err(Fault::new(
                FaultKind::Operand,
                "halves are fetched from a texture of integers",
            )),
            Some(rounding) => Ok(packed(values, rounding)),
        }
    }

    /// The channels of the mask, one after the other.
    fn chosen(&self, values: [u32; 4]) -> [u32; 4] {
        let mut chosen = [0; 4];
        let wanted = (0..4).filter(|channel| self.mask >> channel & 1 != 0);
        for (to, channel) in chosen.iter_mut().zip(wanted) {
            *to = values[channel];
        }
        chosen
    }

    fn sample(&self, registers: &Registers<'_>, lane: usize) -> Sample {
        let position = registers.three(self.position, lane);
        let offset = self.offset.map_or([0; 3], |offset| {
            let packed = registers.get(offset.register, lane) >> offset.first;
            [0, 1, 2].map(|axis| (packed >> (axis * u32::from(offset.step))) as i32)
        });
        Sample {
            geometry: self.geometry,
            // ptxas limits layers to 16 bits.
            layer: registers.get(self.layer, lane) & 0xffff,
            sample: registers.get(self.sample, lane),
            position: match self.whole {
                true => Position::Whole(position.map(|part| part as i32)),
                false => Position::Real(position),
            },
            detail: match self.level {
                Level::Base => Detail::Base,
                Level::Zero if self.whole => Detail::Whole(0),
                Level::Zero => Detail::Level(0),
                Level::Real(level) => Detail::Level(registers.get(level, lane)),
                Level::Whole(level) => Detail::Whole(registers.get(level, lane) as i32),
                Level::Slopes(slopes) => Detail::Gradient(slopes.map(|slope| registers.three(slope, lane))),
                Level::Quad => Detail::Gradient(registers.differences(self.position, lane)),
            },
            offset,
            compare: self.compare.map(|register| registers.get(register, lane)),
        }
    }
}

/// Pairs of halves.
pub(super) fn packed(values: [u32; 4], rounding: Rounding) -> [u32; 4] {
    let modifiers = convert::Modifiers {
        rounding,
        ..convert::Modifiers::default()
    };
    let [r, g, b, a] = values.map(|value| float_to_float(F32, F16, modifiers, value.into()) as u32);
    [r | g << 16, b | a << 16, 0, 0]
}
