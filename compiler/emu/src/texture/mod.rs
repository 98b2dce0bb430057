//! Textures, samplers and surfaces: what the texture units do with them, for every emulator of this crate.
//!
//! An [`Image`] holds texels on the device. A *texture* is an image read through a [`Sampler`]; a *surface* is one level of an image, loaded
//! and stored by byte. [`Device::create_texture`](crate::Device::create_texture) and its companions give the 64-bit handles that kernels take
//! (`cudaTextureObject_t` and `cudaSurfaceObject_t`): the number of the texture or surface is in bits 0 to 19, that of the sampler in bits 20 to
//! 31, which is how machine code composes a texture and a sampler of its own. Bits 61 to 63 tell textures, samplers and surfaces apart.
//!
//! # What is known
//!
//! * Filtering, tables of address modes and cube faces: the CUDA programming guide, "Texture Fetching". Weights have 8 bits below the point.
//! * Which channels, operands and geometries there are, and what is not resident or out of bounds: the PTX ISA, "Texture instructions" and
//!   "Surface instructions".
//! * A gather takes the footprint of the filter, and positions are rounded to 1/256 of a texel to nearest before the footprint is chosen
//!   (N. Reed, "Texture Gathers and Coordinate Precision", 2022, measured).
//! * `tex` without a level and `tex.base` ask for level -32; integer coordinates bypass the sampler (`TLD`); offsets keep 4 bits; the layer is
//!   the second coordinate of `a2dms`, after the sample (all observed, ptxas 13.0.88).
//!
//! # What is assumed
//!
//! * A position is exact, the coordinate times the size, before it is rounded to 1/256 (ties upwards) or, without a filter, downwards.
//! * The weighted sum of a filter is exact and rounded once to `f32`; texels of weight zero take no part. The hardware's sums of normalised
//!   integers may have fewer bits.
//! * Levels of detail are rounded to 1/256; those of gradients are exact logarithms of the longer gradient, with no anisotropy.
//! * The nearest level is the one half a level away or less, upwards in a tie.
//! * Layers and levels that are not there are the last ones. Integer coordinates outside of the image read zeros.
//! * Absent channels read 0, 0, 1. Not-a-number as a coordinate is 0.
//! * Cubes: of equal magnitudes z comes before y and y before x; faces are filtered apart (no seamless edges).
//! * A depth comparison holds where the reference is less than or equal to the texel, unless the sampler says otherwise.

mod accumulate;
mod coordinate;
mod cube;
mod filter;
mod format;
mod image;
mod query;
mod reduction;
mod registry;
mod sample;
mod sampler;
mod srgb;
mod surface;

pub use format::{ChannelKind, Format};
pub use image::{Geometry, Image, Shape, Storage};
pub use registry::{ImageId, Kind, TexelPlace};
pub use sampler::{AddressMode, Comparison, Filter, Sampler};

pub(crate) use query::{Query, SamplerQuery};
pub(crate) use reduction::{Reduction, formatted_sign};
pub(crate) use registry::Registry;
pub(crate) use sample::{Detail, Gather, Position, Sample};
pub(crate) use surface::{Boundary, Point};

/// Global memory, in which linear textures are.
pub(crate) trait LinearMemory {
    /// The bytes at an address.
    fn linear(&mut self, address: u64, length: usize) -> Result<Vec<u8>, crate::Fault>;
}

impl LinearMemory for crate::Device {
    fn linear(&mut self, address: u64, length: usize) -> Result<Vec<u8>, crate::Fault> {
        self.read(address, length as u64)
    }
}

impl LinearMemory for crate::device::Memory<'_> {
    fn linear(&mut self, address: u64, length: usize) -> Result<Vec<u8>, crate::Fault> {
        let found = self.find(address);
        let bytes = found.and_then(|(block, offset)| block.read(offset, length, false).ok());
        bytes.ok_or_else(|| {
            let message = format!(
                "read of {length} bytes of a texture at global address {address:#x}; {}",
                self.describe(address)
            );
            crate::Fault::new(crate::FaultKind::OutOfBounds, message)
        })
    }
}
