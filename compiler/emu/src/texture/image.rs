//! Texels and where they are.

use super::{Format, LinearMemory};
use crate::{Fault, FaultKind, device::Block};

/// How texels are arranged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Geometry {
    /// `.1d`
    Line,
    /// `.2d`
    Plane,
    /// `.3d`
    Volume,
    /// `.a1d`: layers of lines.
    Lines,
    /// `.a2d`: layers of planes.
    Planes,
    /// `.cube`: six layers, the faces +x, -x, +y, -y, +z, -z.
    Cube,
    /// `.acube`: six layers for each cube.
    Cubes,
    /// `.2dms`: a plane with several samples of each texel.
    Samples,
    /// `.a2dms`: layers of such planes.
    SampleLayers,
}

impl Geometry {
    /// As PTX names it.
    pub fn name(self) -> &'static str {
        match self {
            Geometry::Line => "1d",
            Geometry::Plane => "2d",
            Geometry::Volume => "3d",
            Geometry::Lines => "a1d",
            Geometry::Planes => "a2d",
            Geometry::Cube => "cube",
            Geometry::Cubes => "acube",
            Geometry::Samples => "2dms",
            Geometry::SampleLayers => "a2dms",
        }
    }

    /// Coordinates within a layer.
    pub fn dimensions(self) -> usize {
        match self {
            Geometry::Line | Geometry::Lines => 1,
            Geometry::Volume => 3,
            Geometry::Plane
            | Geometry::Planes
            | Geometry::Cube
            | Geometry::Cubes
            | Geometry::Samples
            | Geometry::SampleLayers => 2,
        }
    }
}

/// The extents of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// The arrangement.
    pub geometry: Geometry,
    /// Texels in x, y and z of the first level; 1 in a direction that the geometry lacks.
    pub size: [u32; 3],
    /// Layers; six for each cube; 1 where there are none.
    pub layers: u32,
    /// Levels, each half as large as the one before; at least 1.
    pub levels: u32,
    /// Samples of a texel; 1 but for multi-sample images.
    pub samples: u32,
}

/// The largest size in a direction: that of a line in linear memory (the CUDA programming guide, "Compute capabilities").
const LARGEST: u32 = 1 << 28;
/// The most bytes of an image.
const MOST_BYTES: u64 = 1 << 32;

impl Shape {
    /// A single-level image without layers.
    pub fn new(geometry: Geometry, size: [u32; 3]) -> Shape {
        Shape {
            geometry,
            size,
            layers: if geometry == Geometry::Cube { 6 } else { 1 },
            levels: 1,
            samples: 1,
        }
    }

    /// Texels of a level in x, y and z. Levels that are not there have one.
    pub fn level(&self, level: u32) -> [u32; 3] {
        self.size.map(|size| size.checked_shr(level).unwrap_or(0).max(1))
    }

    /// Texels of a level, with all layers and samples.
    fn texels(&self, level: u32) -> u64 {
        let size = self.level(level).map(u64::from);
        let extents = size.into_iter().chain([self.layers.into(), self.samples.into()]);
        extents.fold(1, u64::saturating_mul)
    }

    /// Texels of all levels.
    pub fn all_texels(&self) -> u64 {
        (0..self.levels.min(32))
            .map(|level| self.texels(level))
            .fold(0, u64::saturating_add)
    }

    /// What is wrong with it.
    fn check(&self) -> Result<(), String> {
        let geometry = self.geometry;
        let [width, height, depth] = self.size;
        let is_cube = matches!(geometry, Geometry::Cube | Geometry::Cubes);
        let layered = is_cube || matches!(geometry, Geometry::Lines | Geometry::Planes | Geometry::SampleLayers);
        let multi_sample = matches!(geometry, Geometry::Samples | Geometry::SampleLayers);
        let dimensions = geometry.dimensions();
        let most = 32 - width.max(height).max(depth).leading_zeros();
        let problem = if self.size.iter().any(|size| !(1..=LARGEST).contains(size)) {
            Some("its sizes must be 1 to 2^28")
        } else if self.size[dimensions..].iter().any(|size| *size != 1) {
            Some("its size must be 1 in the directions that it does not have")
        } else if is_cube && width != height {
            Some("its faces must be square")
        } else if geometry == Geometry::Cube && self.layers != 6 || is_cube && !self.layers.is_multiple_of(6) {
            Some("a cube has six layers")
        } else if self.layers == 0 || !layered && self.layers != 1 {
            Some("it must have one layer, or be of a layered geometry")
        } else if self.samples == 0 || !multi_sample && self.samples != 1 {
            Some("it must have one sample, or be of a multi-sample geometry")
        } else if self.levels == 0 || self.levels > most || multi_sample && self.levels != 1 {
            Some("it has levels down to one texel and at least one level; multi-sample images have one")
        } else {
            None
        };
        problem.map_or(Ok(()), |problem| Err(problem.to_string()))
    }
}

/// Where the texels are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Storage {
    /// Of the image itself (a `cudaArray`): level after level, in each the layers, in these planes, rows, texels and the samples of a texel.
    Array(Vec<u8>),
    /// In global memory, as `cudaResourceTypeLinear` and `cudaResourceTypePitch2D` have them: lines and planes of one level.
    Memory {
        /// The address of the first texel.
        address: u64,
        /// Bytes from row to row.
        pitch: u64,
    },
}

/// Texels with their arrangement and format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    shape: Shape,
    format: Format,
    storage: Storage,
}

impl Image {
    /// An image.
    ///
    /// # Errors
    /// A shape or format that no texture has, or an array that has not as many bytes.
    pub fn new(shape: Shape, format: Format, storage: Storage) -> Result<Image, Fault> {
        let refused = |reason: String| {
            Fault::new(
                FaultKind::Launch,
                format!("an image .{}: {reason}", shape.geometry.name()),
            )
        };
        shape.check().map_err(refused)?;
        let format = Format::new(format.kind, format.bits, format.channels)?;
        let wanted = shape.all_texels().saturating_mul(format.bytes());
        match &storage {
            _ if wanted > MOST_BYTES => return Err(refused(format!("it has {wanted} bytes, more than 2^32"))),
            Storage::Array(bytes) if bytes.len() as u64 != wanted => {
                return Err(refused(format!(
                    "its texels take {wanted} bytes, but {} are given",
                    bytes.len()
                )));
            }
            Storage::Array(_) => {}
            Storage::Memory { pitch, .. } => {
                let row = u64::from(shape.size[0]) * format.bytes();
                let flat = matches!(shape.geometry, Geometry::Line | Geometry::Plane) && shape.levels == 1;
                if !flat || shape.geometry == Geometry::Plane && *pitch < row {
                    return Err(refused(
                        "in linear memory are lines and planes of one level, with rows as long as the pitch or shorter"
                            .to_string(),
                    ));
                }
            }
        }
        Ok(Image { shape, format, storage })
    }

    /// The arrangement.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// The format.
    pub fn format(&self) -> Format {
        self.format
    }

    /// The image on a device.
    pub(super) fn store(self) -> Result<Stored, Fault> {
        let Image { shape, format, storage } = self;
        let texels = match storage {
            Storage::Memory { address, pitch } => Texels::Memory { address, pitch },
            Storage::Array(bytes) => {
                let block = Block::new(bytes.len(), false);
                let full = block.write(0, &bytes);
                full.map_err(|_| Fault::new(FaultKind::Launch, "the host has no memory for an image"))?;
                Texels::Array(block)
            }
        };
        Ok(Stored { shape, format, texels })
    }
}

/// Where the texels of a stored image are.
#[derive(Debug)]
pub(super) enum Texels {
    Array(Block),
    Memory { address: u64, pitch: u64 },
}

/// An image on a device, that host threads share.
#[derive(Debug)]
pub(crate) struct Stored {
    pub(super) shape: Shape,
    pub(super) format: Format,
    pub(super) texels: Texels,
}

impl Stored {
    /// Whether the texels are in global memory.
    pub(super) fn is_linear(&self) -> bool {
        matches!(self.texels, Texels::Memory { .. })
    }

    /// Before a run: several host threads may write at once.
    pub(super) fn prepare(&mut self, contended: bool) {
        if let Texels::Array(block) = &mut self.texels {
            block.contend(contended);
        }
    }

    /// The bytes of a texel that is in the image.
    pub(super) fn texel(&self, place: u64, memory: &mut dyn LinearMemory) -> Result<[u8; 16], Fault> {
        let length = self.format.bytes() as usize;
        let mut texel = [0; 16];
        let bytes = match &self.texels {
            Texels::Array(block) => block.read(place, length, false).unwrap_or_default(),
            Texels::Memory { address, .. } => memory.linear(address.wrapping_add(place), length)?,
        };
        for (target, byte) in texel.iter_mut().zip(bytes) {
            *target = byte;
        }
        Ok(texel)
    }

    /// Bytes from the start to a texel of a level, which must be within the image.
    pub(super) fn offset(&self, level: u32, layer: u32, [x, y, z]: [u32; 3], sample: u32) -> u64 {
        let bytes = self.format.bytes();
        if let Texels::Memory { pitch, .. } = self.texels {
            return pitch.saturating_mul(u64::from(y)) + u64::from(x) * bytes;
        }
        let before: u64 = (0..level).map(|level| self.shape.texels(level)).sum();
        let [width, height, depth] = self.shape.level(level).map(u64::from);
        let plane = u64::from(layer) * depth + u64::from(z);
        let texel = (plane * height + u64::from(y)) * width + u64::from(x);
        (before + texel * u64::from(self.shape.samples) + u64::from(sample)) * bytes
    }
}
