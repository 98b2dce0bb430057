//! Fetches and gathers.

use super::{
    Comparison, Filter, Format, Geometry, LinearMemory, Sampler,
    coordinate::{self, Fixed, Footprint, fixed, half_logarithm},
    cube,
    filter::Taps,
    format::{ONE, Value},
    image::Stored,
};
use crate::{Fault, FaultKind};
use warpsmith_numerics::{
    float::{self, Comparison as Relation},
    format::F32,
};

/// Where a texture is read, within a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Position {
    /// Bits of `f32`, x y z or the direction into a cube: through the sampler.
    Real([u32; 3]),
    /// Texels: past the sampler.
    Whole([i32; 3]),
}

/// Which level of a texture is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Detail {
    /// The first that the sampler permits.
    Base,
    /// A level of detail, bits of an `f32`.
    Level(u32),
    /// A level, past the sampler.
    Whole(i32),
    /// The one whose texels are as far apart as these gradients of the position say (bits of `f32`).
    Gradient([[u32; 3]; 2]),
}

/// A fetch of one thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sample {
    /// What the instruction takes the texture for.
    pub(crate) geometry: Geometry,
    /// The layer, or the cube of an array of cubes.
    pub(crate) layer: u32,
    /// The sample of a texel.
    pub(crate) sample: u32,
    /// Where.
    pub(crate) position: Position,
    /// The level.
    pub(crate) detail: Detail,
    /// Texels to go on from there; of each the 4 low bits count (6 of a gather), with sign.
    pub(crate) offset: [i32; 3],
    /// A reference (bits of an `f32`) that each texel is compared with; it then counts as one or zero.
    pub(crate) compare: Option<u32>,
}

/// A gather: the four texels that a linear filter would blend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Gather {
    /// Where and how.
    pub(crate) sample: Sample,
    /// The channel, 0 to 3.
    pub(crate) channel: usize,
}

/// A texture with its sampler, ready to be read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Texture<'d> {
    pub(super) image: &'d Stored,
    pub(super) format: Format,
    pub(super) sampler: Sampler,
}

/// Where linear memory is read from.
type M<'m> = &'m mut dyn LinearMemory;

/// A layer of a level, and where in it.
#[derive(Clone, Copy, Debug)]
struct Place {
    layer: u32,
    sample: u32,
    /// In parts of the size, or in texels where the sampler is not normalised.
    at: [Fixed; 3],
    /// The gradients of `at`.
    slopes: [[Fixed; 3]; 2],
    normalised: bool,
}

/// The offset that the hardware's four bits hold.
fn short(offset: i32) -> i64 {
    i64::from(offset << 28 >> 28)
}

/// The offset of a gather, which has six bits (observed, ptxas 13.0.88: it packs those of `tld4` so).
fn gathered(offset: i32) -> i64 {
    i64::from(offset << 26 >> 26)
}

/// One or zero in place of a texel.
fn verdict(comparison: Comparison, reference: u32, value: Value) -> Value {
    let texel = match value {
        Value::Integer(_) => return value,
        other => u64::from(other.bits()),
    };
    let holds = |relation| float::compare(F32, relation, false, u64::from(reference), texel);
    let truth = match comparison {
        Comparison::Never => false,
        Comparison::Less => holds(Relation::Less),
        Comparison::Equal => holds(Relation::Equal),
        Comparison::LessOrEqual => holds(Relation::LessOrEqual),
        Comparison::Greater => holds(Relation::Greater),
        Comparison::NotEqual => holds(Relation::NotEqualOrUnordered),
        Comparison::GreaterOrEqual => holds(Relation::GreaterOrEqual),
        Comparison::Always => true,
    };
    Value::Float(if truth { ONE } else { 0 })
}

impl Texture<'_> {
    /// The format that texels are read in.
    pub(crate) fn format(&self) -> Format {
        self.format
    }

    /// What the image is.
    pub(crate) fn geometry(&self) -> Geometry {
        self.image.shape.geometry
    }

    fn check(&self, geometry: Geometry) -> Result<(), Fault> {
        let own = self.image.shape.geometry;
        if own == geometry {
            return Ok(());
        }
        let message = format!("a texture .{} is read as .{}", own.name(), geometry.name());
        Err(Fault::new(FaultKind::Operand, message))
    }

    /// The channels of a texel that is in the image.
    fn texel(&self, memory: M<'_>, level: u32, place: &Place, at: [u32; 3]) -> Result<[Value; 4], Fault> {
        let offset = self.image.offset(level, place.layer, at, place.sample);
        let bytes = self.image.texel(offset, memory)?;
        Ok(self.format.decode(&bytes, self.sampler.srgb))
    }

    /// The border colour as a texel of the format would hold it.
    fn border(&self) -> [Value; 4] {
        self.format.decode(&self.format.encode(self.sampler.border), false)
    }

    /// The texel at whole coordinates, which the address modes bring into the image.
    fn addressed(&self, memory: M<'_>, level: u32, place: &Place, at: [i64; 3]) -> Result<[Value; 4], Fault> {
        let size = self.image.shape.level(level);
        let mut inside = [0; 3];
        let is_cube = matches!(self.image.shape.geometry, Geometry::Cube | Geometry::Cubes);
        for axis in 0..self.image.shape.geometry.dimensions() {
            let mode = if is_cube {
                super::AddressMode::ClampToEdge
            } else {
                self.sampler.address[axis]
            };
            match mode.address(at[axis], size[axis], place.normalised) {
                Some(index) => inside[axis] = index,
                None => return Ok(self.border()),
            }
        }
        self.texel(memory, level, place, inside)
    }

    /// The layer of the image: the last one for what is beyond.
    fn layer(&self, sample: &Sample, face: u32) -> u32 {
        let layers = self.image.shape.layers;
        match self.image.shape.geometry {
            Geometry::Cube | Geometry::Cubes => 6 * sample.layer.min((layers / 6).saturating_sub(1)) + face,
            _ => sample.layer.min(layers.saturating_sub(1)),
        }
    }

    /// Where real coordinates lead.
    fn place(&self, sample: &Sample, position: [u32; 3]) -> Place {
        let gradients = match sample.detail {
            Detail::Gradient(gradients) => gradients,
            Detail::Base | Detail::Level(_) | Detail::Whole(_) => [[0; 3]; 2],
        };
        let shape = &self.image.shape;
        if matches!(shape.geometry, Geometry::Cube | Geometry::Cubes) {
            let facing = cube::project(position, gradients);
            let [s, t] = facing.at;
            return Place {
                layer: self.layer(sample, facing.face),
                sample: 0,
                at: [s, t, 0],
                slopes: facing.slopes.map(|[s, t]| [s, t, 0]),
                normalised: true,
            };
        }
        let dimensions = shape.geometry.dimensions();
        let read = |values: [u32; 3]| -> [Fixed; 3] {
            std::array::from_fn(|axis| if axis < dimensions { fixed(values[axis]) } else { 0 })
        };
        Place {
            layer: self.layer(sample, 0),
            sample: 0,
            at: read(position),
            slopes: gradients.map(read),
            normalised: self.sampler.normalised,
        }
    }

    /// The level of detail in 256ths, within what sampler and image permit.
    fn detail(&self, sample: &Sample, place: &Place) -> i64 {
        let wanted = match sample.detail {
            Detail::Base => -32 << 8,
            Detail::Level(bits) => coordinate::detail(bits),
            Detail::Whole(level) => i64::from(level) << 8,
            Detail::Gradient(_) => half_logarithm(self.longer_slope(place)),
        };
        let [least, most] = self.sampler.levels.map(coordinate::detail);
        let biased = wanted.saturating_add(coordinate::detail(self.sampler.bias));
        let last = i64::from(self.image.shape.levels.saturating_sub(1)) << 8;
        biased.min(most).max(least).clamp(0, last)
    }

    /// The square of the longer gradient in texels of the first level, with 48 bits below the point.
    fn longer_slope(&self, place: &Place) -> u128 {
        let size = self.image.shape.size;
        let squared = |slope: [Fixed; 3]| {
            let parts = slope.iter().zip(size).map(|(part, size)| {
                let size = if place.normalised { Fixed::from(size) } else { 1 };
                // 24 bits below the point; more than 2^36 texels are as good as that.
                let texels = ((part * size) >> 40).unsigned_abs().min(1 << 60);
                texels * texels
            });
            parts.sum::<u128>()
        };
        place.slopes.map(squared).into_iter().max().unwrap_or(0)
    }

    /// The position in texels of a level.
    fn scaled(&self, level: u32, place: &Place) -> [Fixed; 3] {
        let size = self.image.shape.level(level);
        std::array::from_fn(|axis| match place.normalised {
            true => place.at[axis] * Fixed::from(size[axis]),
            // Levels of textures that are not normalised are half as large, so positions are halved, too.
            false => place.at[axis] >> level.min(64),
        })
    }

    /// Adds the texels of a level with their weights times `weight`.
    fn collect(
        &self,
        memory: M<'_>,
        level: u32,
        (place, sample): (&Place, &Sample),
        weight: u64,
        taps: &mut Taps,
    ) -> Result<(), Fault> {
        let scaled = self.scaled(level, place);
        let dimensions = self.image.shape.geometry.dimensions();
        let is_linear = self.sampler.filter == Filter::Linear;
        let footprints: [Footprint; 3] = std::array::from_fn(|axis| match is_linear && axis < dimensions {
            true => coordinate::linear(scaled[axis]),
            false => coordinate::point(scaled[axis]),
        });
        let corners = if is_linear { 1 << dimensions } else { 1 };
        for corner in 0..corners {
            let mut own = weight;
            let at: [i64; 3] = std::array::from_fn(|axis| {
                let Footprint { first, weight } = footprints[axis];
                let next = corner >> axis & 1;
                if is_linear && axis < dimensions {
                    own *= if next == 1 { weight } else { 256 - weight };
                }
                first + next + short(sample.offset[axis])
            });
            if own != 0 {
                let texel = self.addressed(memory, level, place, at)?;
                taps.texels.push((own, self.judged(sample, texel)));
            }
        }
        Ok(())
    }

    /// The texel, or what the depth comparison says of its channels.
    fn judged(&self, sample: &Sample, texel: [Value; 4]) -> [Value; 4] {
        let Some(reference) = sample.compare else { return texel };
        std::array::from_fn(|channel| match channel < self.format.channels as usize {
            true => verdict(self.sampler.comparison, reference, texel[channel]),
            false => texel[channel],
        })
    }

    /// The four channels at a place: bits of `f32`, or 32-bit integers for formats of integers.
    ///
    /// # Errors
    /// The texture has another geometry, integers are compared with a depth, or its linear memory is not allocated.
    pub(crate) fn fetch(&self, memory: M<'_>, sample: &Sample) -> Result<[u32; 4], Fault> {
        self.check(sample.geometry)?;
        self.check_comparison(sample)?;
        let position = match sample.position {
            Position::Whole(at) => return self.whole(memory, sample, at),
            Position::Real(position) => position,
        };
        let place = self.place(sample, position);
        let detail = self.detail(sample, &place);
        let shift = match self.sampler.filter {
            Filter::Linear => 8 * self.image.shape.geometry.dimensions() as u32,
            Filter::Point => 0,
        };
        let both = (&place, sample);
        let mut taps = Taps {
            texels: Vec::new(),
            shift,
        };
        match self.sampler.mip_filter {
            Filter::Point => self.collect(memory, ((detail + 128) >> 8) as u32, both, 1, &mut taps)?,
            Filter::Linear => {
                let (level, part) = ((detail >> 8) as u32, (detail & 0xff) as u64);
                taps.shift += 8;
                self.collect(memory, level, both, 256 - part, &mut taps)?;
                if part != 0 {
                    self.collect(memory, level + 1, both, part, &mut taps)?;
                }
            }
        }
        Ok(taps.blend())
    }

    /// A texel by its number.
    fn whole(&self, memory: M<'_>, sample: &Sample, at: [i32; 3]) -> Result<[u32; 4], Fault> {
        let shape = &self.image.shape;
        let last = shape.levels.saturating_sub(1);
        let level = match sample.detail {
            Detail::Whole(level) => u32::try_from(level).unwrap_or(0).min(last),
            Detail::Base | Detail::Level(_) | Detail::Gradient(_) => 0,
        };
        let size = shape.level(level);
        let mut inside = [0; 3];
        for axis in 0..shape.geometry.dimensions() {
            let index = i64::from(at[axis]) + short(sample.offset[axis]);
            match u32::try_from(index) {
                Ok(index) if index < size[axis] => inside[axis] = index,
                _ => return Ok([0; 4]),
            }
        }
        if sample.sample >= shape.samples {
            return Ok([0; 4]);
        }
        let place = Place {
            layer: self.layer(sample, 0),
            sample: sample.sample,
            at: [0; 3],
            slopes: [[0; 3]; 2],
            normalised: false,
        };
        let texel = self.texel(memory, level, &place, inside)?;
        Ok(texel.map(Value::bits))
    }

    fn check_comparison(&self, sample: &Sample) -> Result<(), Fault> {
        match sample.compare.is_some() && self.format.is_integer() {
            true => Err(Fault::new(
                FaultKind::Operand,
                "a depth is compared with a texture of integers",
            )),
            false => Ok(()),
        }
    }

    /// One channel of the four texels that a linear filter would blend: those at the lower left, lower right, upper right and upper left,
    /// where y grows downwards.
    ///
    /// # Errors
    /// As [`Texture::fetch`]; also coordinates that are not real.
    pub(crate) fn gather(&self, memory: M<'_>, gather: &Gather) -> Result<[u32; 4], Fault> {
        let sample = &gather.sample;
        self.check(sample.geometry)?;
        self.check_comparison(sample)?;
        let Position::Real(position) = sample.position else {
            return Err(Fault::new(FaultKind::Operand, "a gather takes real coordinates"));
        };
        let place = self.place(sample, position);
        let level = ((self.detail(sample, &place) + 128) >> 8) as u32;
        let [x, y, _] = self
            .scaled(level, &place)
            .map(|position| coordinate::linear(position).first);
        let mut texels = [0; 4];
        for (texel, (right, down)) in texels.iter_mut().zip([(0, 1), (1, 1), (1, 0), (0, 0)]) {
            let at = [
                x + right + gathered(sample.offset[0]),
                y + down + gathered(sample.offset[1]),
                0,
            ];
            let values = self.judged(sample, self.addressed(memory, level, &place, at)?);
            *texel = values.get(gather.channel).map_or(0, |value| value.bits());
        }
        Ok(texels)
    }
}
