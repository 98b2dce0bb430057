//! What kernels can ask of textures and surfaces.

use super::{Filter, Format, Geometry, Sampler, Shape};

/// An attribute of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Query {
    /// Texels in x.
    Width,
    /// Texels in y; 1 for lines.
    Height,
    /// Texels in z; 1 for lines and planes.
    Depth,
    /// The type of a channel: a number of OpenCL's `cl_channel_type`.
    ChannelDataType,
    /// The channels: a number of OpenCL's `cl_channel_order`.
    ChannelOrder,
    /// Layers, or cubes.
    ArraySize,
    /// Levels.
    MipLevels,
    /// Samples of a texel.
    Samples,
    /// 1 in linear memory, else 0.
    MemoryLayout,
}

/// An attribute of a sampler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SamplerQuery {
    /// Whether coordinates are normalised.
    NormalisedCoordinates,
    /// Whether the sampler makes them texels.
    ForceUnnormalised,
    /// 0: the nearest texel, 1: linear.
    FilterMode,
    /// The address mode of x, y or z (0 to 2).
    AddressMode(u8),
}

impl Query {
    /// The answer for a level of an image.
    pub(super) fn answer(self, shape: &Shape, format: Format, linear_memory: bool, level: u32) -> u32 {
        let [width, height, depth] = shape.level(level);
        match self {
            Query::Width => width,
            Query::Height => height,
            Query::Depth => depth,
            Query::ChannelDataType => format.data_type(),
            Query::ChannelOrder => format.order(),
            Query::ArraySize if matches!(shape.geometry, Geometry::Cube | Geometry::Cubes) => shape.layers / 6,
            Query::ArraySize => shape.layers,
            Query::MipLevels => shape.levels,
            Query::Samples => shape.samples,
            Query::MemoryLayout => u32::from(linear_memory),
        }
    }
}

impl SamplerQuery {
    /// The answer.
    pub(crate) fn answer(self, sampler: &Sampler) -> u32 {
        match self {
            SamplerQuery::NormalisedCoordinates => u32::from(sampler.normalised),
            SamplerQuery::ForceUnnormalised => u32::from(!sampler.normalised),
            SamplerQuery::FilterMode => u32::from(sampler.filter == Filter::Linear),
            SamplerQuery::AddressMode(axis) => {
                let [x, y, z] = sampler.address;
                match axis {
                    0 => x.number(),
                    1 => y.number(),
                    _ => z.number(),
                }
            }
        }
    }
}
