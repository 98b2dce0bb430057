//! Surfaces: loads, stores and reductions by byte or texel.

use super::{
    Format, Geometry,
    image::{Stored, Texels},
};
use crate::{
    Fault, FaultKind,
    device::{Block, Miss},
};

/// What an access outside of a surface does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Boundary {
    /// It is a fault.
    Trap,
    /// It goes to the nearest place of its size within the surface.
    Clamp,
    /// Loads give zero, stores do nothing.
    Zero,
}

/// Where a surface is accessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Point {
    /// What the instruction takes the surface for.
    pub(crate) geometry: Geometry,
    /// The layer.
    pub(crate) layer: u32,
    /// x, y and z; x in bytes, or in texels where `by_texel` says so.
    pub(crate) at: [i32; 3],
    /// x counts texels.
    pub(crate) by_texel: bool,
    /// What happens outside.
    pub(crate) boundary: Boundary,
}

/// One level of an image that is accessed as a surface.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Surface<'d> {
    pub(super) image: &'d Stored,
    pub(super) level: u32,
}

/// An index within `0..count`.
fn bounded(index: i64, count: i64, boundary: Boundary) -> Option<i64> {
    match boundary {
        Boundary::Clamp => Some(index.clamp(0, (count - 1).max(0))),
        Boundary::Trap | Boundary::Zero => (0..count).contains(&index).then_some(index),
    }
}

impl Surface<'_> {
    /// The format of its texels.
    pub(crate) fn format(&self) -> Format {
        self.image.format
    }

    fn check(&self, geometry: Geometry) -> Result<(), Fault> {
        let own = self.image.shape.geometry;
        // Cubes are layers of planes, as `surfCubemapread` has them.
        let is_cube = matches!(own, Geometry::Cube | Geometry::Cubes) && geometry == Geometry::Planes;
        if own == geometry || is_cube {
            return Ok(());
        }
        let message = format!("a surface .{} is accessed as .{}", own.name(), geometry.name());
        Err(Fault::new(FaultKind::Operand, message))
    }

    /// Where the bytes of an access are in the image; none where it has no effect.
    fn find(&self, point: &Point, length: u64) -> Result<Option<u64>, Fault> {
        self.check(point.geometry)?;
        let shape = &self.image.shape;
        let texel = self.image.format.bytes();
        let [width, height, depth] = shape.level(self.level);
        let row = u64::from(width) * texel;
        let x = i64::from(point.at[0]) * if point.by_texel { texel as i64 } else { 1 };
        if x.rem_euclid(length.max(1) as i64) != 0 {
            let message = format!("access of {length} bytes at byte {x} of a row of a surface");
            return Err(Fault::new(FaultKind::Misaligned, message));
        }
        let places = row / length.max(1);
        let found = (|| {
            let x = bounded(x / length.max(1) as i64, places as i64, point.boundary)?;
            let y = bounded(point.at[1].into(), height.into(), point.boundary)?;
            let z = bounded(point.at[2].into(), depth.into(), point.boundary)?;
            let layer = bounded(point.layer.into(), shape.layers.into(), point.boundary)?;
            let start = self.image.offset(self.level, layer as u32, [0, y as u32, z as u32], 0);
            Some(start + x as u64 * length)
        })();
        match (found, point.boundary) {
            (None, Boundary::Trap) => {
                let [at_x, y, z] = point.at;
                let unit = if point.by_texel { "texel" } else { "byte" };
                let message = format!(
                    "access of {length} bytes at {unit} {at_x}, row {y}, plane {z}, layer {} of a surface of {row} bytes, {height} rows, {depth} planes, {} layers",
                    point.layer, shape.layers
                );
                Err(Fault::new(FaultKind::OutOfBounds, message))
            }
            (found, _) => Ok(found),
        }
    }

    fn block(&self) -> Result<&Block, Fault> {
        match &self.image.texels {
            Texels::Array(block) => Ok(block),
            Texels::Memory { .. } => Err(Fault::new(FaultKind::Operand, "a surface has an array of its own")),
        }
    }

    /// The bytes at a place: 1, 2, 4, 8 or 16 of them.
    ///
    /// # Errors
    /// The surface has another geometry, the place is not aligned to the access, or is outside and the access traps.
    pub(crate) fn load(&self, point: &Point, length: usize) -> Result<Vec<u8>, Fault> {
        match self.find(point, length as u64)? {
            Some(start) => self.block()?.read(start, length, false).map_err(missed),
            None => Ok(vec![0; length]),
        }
    }

    /// Writes bytes at a place.
    ///
    /// # Errors
    /// As [`Surface::load`].
    pub(crate) fn store(&self, point: &Point, bytes: &[u8]) -> Result<(), Fault> {
        match self.find(point, bytes.len() as u64)? {
            Some(start) => self.block()?.write(start, bytes).map_err(missed),
            None => Ok(()),
        }
    }

    /// Writes a texel of these channels (bits of `f32`, or integers for formats of integers), converted to the format.
    ///
    /// # Errors
    /// As [`Surface::load`].
    pub(crate) fn store_formatted(&self, point: &Point, channels: [u32; 4]) -> Result<(), Fault> {
        self.store(point, &self.image.format.encode(channels))
    }

    /// Replaces the number of 4 or 8 bytes at a place by a function of it, as one operation.
    ///
    /// # Errors
    /// As [`Surface::load`].
    pub(crate) fn update(&self, point: &Point, length: usize, function: impl Fn(u64) -> u64) -> Result<(), Fault> {
        match self.find(point, length as u64)? {
            Some(start) => self
                .block()?
                .update(start, length, false, function)
                .map(drop)
                .map_err(missed),
            None => Ok(()),
        }
    }
}

/// A place that [`Surface::find`] gave is in the image.
fn missed(_: Miss) -> Fault {
    Fault::new(FaultKind::OutOfBounds, "an access beyond the end of an image")
}
