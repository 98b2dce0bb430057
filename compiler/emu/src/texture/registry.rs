//! The images, textures, samplers and surfaces of a device, by their handles.

use std::sync::Arc;

use super::{Filter, Format, Image, Query, Sampler, image::Stored, image::Texels, sample::Texture, surface::Surface};
use crate::device::Block;
use crate::{Device, Fault, FaultKind};

/// An image of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ImageId(u32);

/// A texel of an image by its level, its layer and its coordinates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct TexelPlace {
    /// The level, from 0.
    pub level: u32,
    /// The layer, or the face of a cube.
    pub layer: u32,
    /// x, y and z; 0 in a direction that the geometry lacks.
    pub at: [u32; 3],
}

/// What a handle stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A texture, perhaps with a sampler.
    Texture,
    /// A sampler alone.
    Sampler,
    /// A surface.
    Surface,
}

impl Kind {
    /// As messages name it.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Texture => "texture",
            Kind::Sampler => "sampler",
            Kind::Surface => "surface",
        }
    }
}

/// An entry of the table of textures and surfaces.
#[derive(Clone, Copy, Debug)]
enum Header {
    Texture {
        image: ImageId,
        format: Format,
        /// The sampler that its handle names: bits 20 to 31.
        sampler: u64,
    },
    Surface {
        image: ImageId,
        level: u32,
    },
    /// One that was destroyed, whose number the next one takes.
    Free,
}

/// Bits of a handle that number textures and surfaces; those above number samplers.
const HEADER_BITS: u32 = 20;
/// The most samplers, and the number of the first texture or surface: a sampler has its number in the low bits, too, from which machine code of SMs
/// before sm_90 takes that of a sampler of its own.
const MOST_SAMPLERS: usize = 1 << 12;

/// What handles of this kind have set; handles without it are taken, too. (Observed, ptxas 13.0.88: what `istypep` looks at.)
const fn mark(kind: Kind) -> u64 {
    match kind {
        Kind::Texture => 1 << 61,
        Kind::Sampler => 1 << 62,
        Kind::Surface => 1 << 63,
    }
}

/// The low word of a handle that has the mark of one of these kinds, or none.
fn word(handle: u64, kinds: &[Kind]) -> Option<u64> {
    let high = handle & !0xffff_ffff;
    let known = high == 0 || kinds.iter().any(|kind| mark(*kind) == high);
    known.then_some(handle & 0xffff_ffff)
}

/// All of a device. Numbers of samplers start at 1, so that no handle is zero.
#[derive(Debug, Default)]
pub(crate) struct Registry {
    /// Those that were destroyed are none.
    images: Vec<Option<Stored>>,
    headers: Vec<Header>,
    /// The places of headers that are free.
    free: Vec<usize>,
    samplers: Vec<Sampler>,
}

fn refused(message: impl Into<String>) -> Fault {
    Fault::new(FaultKind::Launch, message)
}

/// The entry of a number from 1.
fn entry<T>(entries: &[T], number: u64) -> Option<&T> {
    usize::try_from(number)
        .ok()?
        .checked_sub(1)
        .and_then(|index| entries.get(index))
}

impl Registry {
    /// Before a run: several host threads may write at once.
    pub(crate) fn prepare(&mut self, contended: bool) {
        for image in self.images.iter_mut().flatten() {
            image.prepare(contended);
        }
    }

    fn header(&self, handle: u64) -> Option<Header> {
        let number = word(handle, &[Kind::Texture, Kind::Surface])? & ((1 << HEADER_BITS) - 1);
        let index = usize::try_from(number).ok()?.checked_sub(MOST_SAMPLERS)?;
        let header = self.headers.get(index).copied();
        header.filter(|header| !matches!(header, Header::Free))
    }

    fn known_sampler(&self, handle: u64) -> Option<&Sampler> {
        let word = word(handle, &[Kind::Texture, Kind::Sampler])?;
        entry(&self.samplers, word >> HEADER_BITS)
    }

    fn image(&self, id: ImageId) -> Result<&Stored, Fault> {
        let image = self.images.get(id.0 as usize);
        let image = image.ok_or_else(|| refused("the image is of another device"))?;
        image.as_ref().ok_or_else(|| refused("the image has been destroyed"))
    }

    /// Where so many texels of a row of an image are, in bytes from its start, and how many bytes they are.
    fn row(&self, id: ImageId, from: TexelPlace, count: u32) -> Result<(&Block, u64, usize), Fault> {
        let image = self.image(id)?;
        let Texels::Array(block) = &image.texels else {
            return Err(refused("the image is in linear memory"));
        };
        let TexelPlace { level, layer, at } = from;
        let [width, height, depth] = image.shape.level(level);
        let end = at[0].checked_add(count);
        let is_inside = level < image.shape.levels
            && layer < image.shape.layers
            && end.is_some_and(|end| end <= width)
            && at[1] < height
            && at[2] < depth;
        if !is_inside {
            return Err(refused(format!(
                "{count} texels at {at:?} of layer {layer} of level {level}, which has {width} x {height} x {depth} texels in {} layers",
                image.shape.layers
            )));
        }
        let bytes = u64::from(count) * image.format.bytes();
        Ok((block, image.offset(level, layer, at, 0), bytes as usize))
    }

    fn add_header(&mut self, header: Header) -> Result<u64, Fault> {
        if let Some(index) = self.free.pop() {
            self.headers[index] = header;
            return Ok((MOST_SAMPLERS + index) as u64);
        }
        let number = MOST_SAMPLERS + self.headers.len();
        if number >= 1 << HEADER_BITS {
            return Err(refused("a device has no more than 2^20 - 2^12 textures and surfaces"));
        }
        self.headers.push(header);
        Ok(number as u64)
    }

    fn add_sampler(&mut self, sampler: Sampler) -> Result<u64, Fault> {
        let known = self.samplers.iter().position(|own| *own == sampler);
        let index = known.unwrap_or_else(|| {
            self.samplers.push(sampler);
            self.samplers.len() - 1
        });
        match index + 1 {
            number if number < MOST_SAMPLERS => Ok((number as u64) << HEADER_BITS | number as u64),
            _ => Err(refused("a device has fewer than 4096 different samplers")),
        }
    }

    /// What a handle stands for.
    pub(crate) fn kind_of(&self, handle: u64) -> Option<Kind> {
        match self.header(handle) {
            Some(Header::Texture { .. }) => Some(Kind::Texture),
            Some(Header::Surface { .. }) => Some(Kind::Surface),
            Some(Header::Free) => None,
            // Of a handle of a texture that is not there, the low bits say more than a sampler's number.
            None if handle & ((1 << HEADER_BITS) - 1) == handle >> HEADER_BITS & 0xfff => {
                self.known_sampler(handle).map(|_| Kind::Sampler)
            }
            None => None,
        }
    }

    fn no(&self, wanted: Kind, handle: u64) -> Fault {
        let found = match self.kind_of(handle) {
            Some(kind) if kind != wanted => {
                format!(
                    "{handle:#x} is the handle of a {}, not of a {}",
                    kind.name(),
                    wanted.name()
                )
            }
            _ if handle == 0 => format!("no {} is bound here: the handle is 0", wanted.name()),
            _ => format!("{handle:#x} is no handle of a {}", wanted.name()),
        };
        Fault::new(FaultKind::Operand, found)
    }

    /// A texture, read through the sampler of a handle of a sampler or texture.
    pub(crate) fn texture(&self, handle: u64, sampler: u64) -> Result<Texture<'_>, Fault> {
        let Some(Header::Texture { image, format, .. }) = self.header(handle) else {
            return Err(self.no(Kind::Texture, handle));
        };
        let mut own = *self.sampler(sampler)?;
        // What belongs to the texture: a sampler can only take back that coordinates are normalised.
        if let Some(first) = self.known_sampler(handle) {
            own.normalised &= first.normalised;
            own.srgb = first.srgb;
        }
        Ok(Texture {
            image: self.image(image)?,
            format,
            sampler: own,
        })
    }

    /// The sampler of a handle of a sampler or texture.
    pub(crate) fn sampler(&self, handle: u64) -> Result<&Sampler, Fault> {
        self.known_sampler(handle).ok_or_else(|| self.no(Kind::Sampler, handle))
    }

    /// The numbers of textures and surfaces, and those of samplers.
    pub(crate) fn numbers(&self) -> [std::ops::Range<u32>; 2] {
        let first = MOST_SAMPLERS as u32;
        [
            first..first + self.headers.len() as u32,
            1..1 + self.samplers.len() as u32,
        ]
    }

    /// The handle of the texture, surface or sampler with a number.
    pub(crate) fn handle(&self, number: u32) -> u64 {
        let number = u64::from(number);
        match self.header(number) {
            Some(Header::Texture { sampler, .. }) => number | sampler,
            Some(Header::Surface { .. }) => number,
            Some(Header::Free) | None => number | number << HEADER_BITS,
        }
    }

    /// A surface.
    pub(crate) fn surface(&self, handle: u64) -> Result<Surface<'_>, Fault> {
        match self.header(handle) {
            Some(Header::Surface { image, level }) => Ok(Surface {
                image: self.image(image)?,
                level,
            }),
            _ => Err(self.no(Kind::Surface, handle)),
        }
    }

    /// What `txq` and `suq` give: an attribute of a level of the texture, or of the surface, that a handle stands for.
    pub(crate) fn query(&self, handle: u64, query: Query, level: u32) -> Result<u32, Fault> {
        let (image, format, level) = match self.header(handle) {
            Some(Header::Texture { image, format, .. }) => (self.image(image)?, format, level),
            Some(Header::Surface { image, level }) => {
                let image = self.image(image)?;
                (image, image.format, level)
            }
            Some(Header::Free) | None => return Err(self.no(Kind::Texture, handle)),
        };
        Ok(query.answer(&image.shape, format, image.is_linear(), level))
    }
}

impl Device {
    fn registry(&mut self) -> Result<&mut Registry, Fault> {
        Arc::get_mut(&mut self.textures).ok_or_else(|| refused("a run uses the textures of the device"))
    }

    /// Takes an image in.
    ///
    /// # Errors
    /// The host has no memory for it.
    pub fn create_image(&mut self, image: Image) -> Result<ImageId, Fault> {
        let stored = image.store()?;
        let registry = self.registry()?;
        let id = u32::try_from(registry.images.len()).map_err(|_| refused("a device has fewer than 2^32 images"))?;
        registry.images.push(Some(stored));
        Ok(ImageId(id))
    }

    /// The texels of an image as kernels left them, in the order of [`Storage::Array`](super::Storage::Array).
    ///
    /// # Errors
    /// The image is of another device, or in linear memory, which [`Device::read`] reads.
    pub fn read_image(&self, id: ImageId) -> Result<Vec<u8>, Fault> {
        match &self.textures.image(id)?.texels {
            Texels::Array(block) => {
                let bytes = block.read(0, block.len() as usize, false);
                bytes.map_err(|_| refused("the image is of another device"))
            }
            Texels::Memory { .. } => Err(refused("the image is in linear memory")),
        }
    }

    /// The bytes of so many texels of a row, as kernels left them.
    ///
    /// # Errors
    /// Some of the texels are outside of the image, or it is in linear memory.
    pub fn read_texels(&self, id: ImageId, from: TexelPlace, count: u32) -> Result<Vec<u8>, Fault> {
        let (block, start, bytes) = self.textures.row(id, from, count)?;
        block
            .read(start, bytes, false)
            .map_err(|_| refused("the image has no such bytes"))
    }

    /// Replaces texels of a row, whose bytes these are.
    ///
    /// # Errors
    /// Some of the texels are outside of the image, or it is in linear memory.
    pub fn write_texels(&mut self, id: ImageId, to: TexelPlace, bytes: &[u8]) -> Result<(), Fault> {
        let texel = self.textures.image(id)?.format.bytes();
        let count =
            u32::try_from(bytes.len() as u64 / texel).map_err(|_| refused("an image has no row of 2^32 texels"))?;
        let (block, start, length) = self.textures.row(id, to, count)?;
        if length != bytes.len() {
            return Err(refused(format!("{} bytes are no texels of {texel} bytes", bytes.len())));
        }
        block
            .write(start, bytes)
            .map_err(|_| refused("the image has no such bytes"))
    }

    /// Gives the memory of an image back. Its textures and surfaces stay, and cannot be used any more.
    ///
    /// # Errors
    /// The image is of another device, or has been destroyed.
    pub fn destroy_image(&mut self, id: ImageId) -> Result<(), Fault> {
        self.textures.image(id)?;
        self.registry()?.images[id.0 as usize] = None;
        Ok(())
    }

    /// Forgets a texture or surface.
    ///
    /// # Errors
    /// There is none of this handle.
    pub fn destroy_handle(&mut self, handle: u64) -> Result<(), Fault> {
        if self.textures.header(handle).is_none() {
            return Err(refused(format!("{handle:#x} is no handle of a texture or surface")));
        }
        let index = (handle & ((1 << HEADER_BITS) - 1)) as usize - MOST_SAMPLERS;
        let registry = self.registry()?;
        registry.headers[index] = Header::Free;
        registry.free.push(index);
        Ok(())
    }

    /// The handle of a texture: an image read in a format, which must have the bits and channels of the image's own, through a sampler.
    ///
    /// # Errors
    /// The format does not fit, or integers are to be filtered.
    pub fn create_texture(&mut self, image: ImageId, format: Format, sampler: Sampler) -> Result<u64, Fault> {
        let format = Format::new(format.kind, format.bits, format.channels)?;
        let own = self.textures.image(image)?.format;
        if (own.bits, own.channels) != (format.bits, format.channels) {
            return Err(refused("a texture has the bits and channels of its image"));
        }
        let blends = sampler.filter == Filter::Linear || sampler.mip_filter == Filter::Linear;
        if format.is_integer() && blends {
            return Err(refused(
                "a texture of integers cannot be filtered: its kind must be normalised or floating point",
            ));
        }
        let registry = self.registry()?;
        let sampler = registry.add_sampler(sampler)? >> HEADER_BITS << HEADER_BITS;
        let header = Header::Texture { image, format, sampler };
        Ok(registry.add_header(header)? | sampler | mark(Kind::Texture))
    }

    /// The handle of a sampler, for textures that are read with a sampler of the kernel's choice.
    ///
    /// # Errors
    /// More samplers than handles can number.
    pub fn create_sampler(&mut self, sampler: Sampler) -> Result<u64, Fault> {
        Ok(self.registry()?.add_sampler(sampler)? | mark(Kind::Sampler))
    }

    /// The handle of a surface: a level of an image.
    ///
    /// # Errors
    /// The image has no such level, several samples, or is in linear memory.
    pub fn create_surface(&mut self, image: ImageId, level: u32) -> Result<u64, Fault> {
        let own = self.textures.image(image)?;
        if level >= own.shape.levels {
            return Err(refused(format!("the image has no level {level}")));
        }
        if own.shape.samples != 1 || own.is_linear() {
            return Err(refused(
                "a surface is an array of its own, with one sample of each texel",
            ));
        }
        Ok(self.registry()?.add_header(Header::Surface { image, level })? | mark(Kind::Surface))
    }

    /// What a handle stands for.
    pub fn handle_kind(&self, handle: u64) -> Option<Kind> {
        self.textures.kind_of(handle)
    }
}
