//! CUDA arrays, and the textures and surfaces that programs make of them and of linear memory.

use warpsmith_emu::texture::{
    AddressMode, ChannelKind, Filter, Format, Geometry, Image, ImageId, Sampler, Shape, Storage, TexelPlace,
};

use super::{ContextId, State};
use crate::interface::refuse;
use crate::result::{Code, Failed};

/// `CUDA_ARRAY3D_LAYERED`: the depth counts layers.
const LAYERED: u32 = 0x01;
/// `CUDA_ARRAY3D_CUBEMAP`: six layers are the faces of a cube.
const CUBE: u32 = 0x04;
/// The flags of arrays whose memory is the program's to map: `CUDA_ARRAY3D_SPARSE` and `_DEFERRED_MAPPING`.
const UNMAPPED: u32 = 0x40 | 0x80;

/// `CUDA_ARRAY3D_DESCRIPTOR`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub(crate) struct Description {
    pub(crate) width: usize,
    pub(crate) height: usize,
    pub(crate) depth: usize,
    /// `CUarray_format`.
    pub(crate) format: u32,
    pub(crate) channels: u32,
    pub(crate) flags: u32,
}

fn invalid(reason: impl std::fmt::Display) -> Failed {
    Failed::new(Code::InvalidValue, reason)
}

/// The format of texels of a `CUarray_format`.
pub(crate) fn format(number: u32, channels: u32) -> Result<Format, Failed> {
    use ChannelKind::{Float, Signed, SignedNormalised, Unsigned, UnsignedNormalised};
    let (kind, bits, channels) = match number {
        0x01 => (Unsigned, 8, channels),
        0x02 => (Unsigned, 16, channels),
        0x03 => (Unsigned, 32, channels),
        0x08 => (Signed, 8, channels),
        0x09 => (Signed, 16, channels),
        0x0a => (Signed, 32, channels),
        0x10 => (Float, 16, channels),
        0x20 => (Float, 32, channels),
        0xc0..=0xc2 => (UnsignedNormalised, 8, 1 << (number - 0xc0)),
        0xc3..=0xc5 => (UnsignedNormalised, 16, 1 << (number - 0xc3)),
        0xc6..=0xc8 => (SignedNormalised, 8, 1 << (number - 0xc6)),
        0xc9..=0xcb => (SignedNormalised, 16, 1 << (number - 0xc9)),
        0x91..=0xa0 | 0xb0 => return Err(refuse("an array of compressed texels, or of planes")),
        other => return Err(invalid(format!("there is no format {other:#x} of arrays"))),
    };
    Format::new(kind, bits, channels).map_err(invalid)
}

/// The format that a `CUresourceViewFormat` sees.
fn view_format(number: u32) -> Result<Format, Failed> {
    use ChannelKind::{Float, Signed, Unsigned};
    let Some(index) = number.checked_sub(1).filter(|index| *index < 24) else {
        return Err(refuse("a view of compressed texels"));
    };
    let (kind, bits) = match index / 3 {
        0 => (Unsigned, 8),
        1 => (Signed, 8),
        2 => (Unsigned, 16),
        3 => (Signed, 16),
        4 => (Unsigned, 32),
        5 => (Signed, 32),
        6 => (Float, 16),
        _ => (Float, 32),
    };
    Format::new(kind, bits, 1 << (index % 3)).map_err(invalid)
}

impl Description {
    fn shape(&self, levels: u32) -> Result<Shape, Failed> {
        let number = |size: usize| u32::try_from(size).map_err(|_| invalid(format!("an array has no size {size}")));
        let size = [self.width, self.height, self.depth];
        let [width, height, depth] = [number(size[0])?, number(size[1])?, number(size[2])?];
        let geometry = match (self.flags & CUBE != 0, self.flags & LAYERED != 0) {
            (true, true) => Geometry::Cubes,
            (true, false) => Geometry::Cube,
            (false, true) if height == 0 => Geometry::Lines,
            (false, true) => Geometry::Planes,
            (false, false) if depth != 0 => Geometry::Volume,
            (false, false) if height != 0 => Geometry::Plane,
            (false, false) => Geometry::Line,
        };
        let layered = self.flags & (CUBE | LAYERED) != 0;
        let (layers, depth) = if layered { (depth, 1) } else { (1, depth.max(1)) };
        Ok(Shape {
            layers,
            levels,
            ..Shape::new(geometry, [width, height.max(1), depth])
        })
    }

    /// That of a level of it.
    fn level(&self, level: u32) -> Description {
        let part = |size: usize| if size == 0 { 0 } else { (size >> level).max(1) };
        let layered = self.flags & (CUBE | LAYERED) != 0;
        Description {
            width: part(self.width),
            height: part(self.height),
            depth: if layered { self.depth } else { part(self.depth) },
            ..*self
        }
    }
}

/// A CUDA array, or a mipmapped one, or a level of such a one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Array {
    image: ImageId,
    pub(crate) description: Description,
    format: Format,
    kind: Part,
    context: ContextId,
}

/// What of an image an array is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    /// All of it, which is one level.
    Whole,
    /// All of it, with so many levels.
    Mipmapped(u32),
    /// A level of a mipmapped array.
    Level(u32),
}

/// Where bytes of an array are: from a byte of a row on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) x: u64,
    pub(crate) y: u64,
    /// The slice, or the layer.
    pub(crate) z: u64,
}

/// What a texture is read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Resource {
    Array(usize),
    Linear {
        address: u64,
        format: u32,
        channels: u32,
        bytes: u64,
    },
    Pitched {
        address: u64,
        format: u32,
        channels: u32,
        size: [u64; 2],
        pitch: u64,
    },
}

/// `CUDA_TEXTURE_DESC`, of which the last fields are not used.
pub(crate) type TextureWords = [u32; 26];

/// `CUDA_RESOURCE_VIEW_DESC`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct View {
    format: u32,
    size: [usize; 3],
    levels: [u32; 2],
    layers: [u32; 2],
    reserved: [u32; 16],
}

/// `CU_TRSF_READ_AS_INTEGER` and its neighbours.
const READ_AS_INTEGER: u32 = 0x01;
const NORMALISED_COORDINATES: u32 = 0x02;
const SRGB: u32 = 0x10;
const SEAMLESS_CUBE: u32 = 0x40;

/// The sampler of a description.
fn sampler(words: &TextureWords) -> Result<Sampler, Failed> {
    let mode = |number: u32| match number {
        0 => Ok(AddressMode::Wrap),
        1 => Ok(AddressMode::ClampToEdge),
        2 => Ok(AddressMode::Mirror),
        3 => Ok(AddressMode::ClampToBorder),
        other => Err(invalid(format!("there is no address mode {other}"))),
    };
    let filter = |number: u32| match number {
        0 => Ok(Filter::Point),
        1 => Ok(Filter::Linear),
        other => Err(invalid(format!("there is no filter {other}"))),
    };
    let [
        x,
        y,
        z,
        within,
        flags,
        _anisotropy,
        between,
        bias,
        least,
        most,
        r,
        g,
        b,
        a,
        ..,
    ] = *words;
    Ok(Sampler {
        normalised: flags & NORMALISED_COORDINATES != 0,
        address: [mode(x)?, mode(y)?, mode(z)?],
        filter: filter(within)?,
        mip_filter: filter(between)?,
        srgb: flags & SRGB != 0,
        border: [r, g, b, a],
        bias,
        levels: [least, most],
        ..Sampler::default()
    })
}

/// How a texture reads the texels: integers of 8 and 16 bits are fractions unless they are asked for as they are.
fn read_as(format: Format, flags: u32) -> Format {
    let is_short = format.bits < 32 && flags & READ_AS_INTEGER == 0;
    let kind = match format.kind {
        ChannelKind::Unsigned if is_short => ChannelKind::UnsignedNormalised,
        ChannelKind::Signed if is_short => ChannelKind::SignedNormalised,
        kind => kind,
    };
    Format { kind, ..format }
}

impl State {
    /// Makes an array, of several levels where `levels` are given; its number.
    pub(crate) fn add_array(
        &mut self,
        description: Description,
        levels: Option<u32>,
        context: ContextId,
    ) -> Result<usize, Failed> {
        if description.flags & UNMAPPED != 0 {
            return Err(refuse("a sparse array, or one that is mapped later"));
        }
        let format = format(description.format, description.channels)?;
        let shape = description.shape(levels.unwrap_or(1))?;
        let bytes = shape.all_texels().saturating_mul(format.bytes());
        let too_large = || {
            Failed::new(
                Code::OutOfMemory,
                format!("an array of {bytes} bytes cannot be allocated"),
            )
        };
        if bytes > crate::device::TOTAL_MEMORY.saturating_sub(self.allocated()) {
            return Err(too_large());
        }
        let texels = vec![0; usize::try_from(bytes).map_err(|_| too_large())?];
        let image = Image::new(shape, format, Storage::Array(texels)).map_err(invalid)?;
        let image = self.device.create_image(image).map_err(invalid)?;
        Ok(self.keep(Array {
            image,
            description,
            format,
            kind: levels.map_or(Part::Whole, Part::Mipmapped),
            context,
        }))
    }

    fn keep(&mut self, array: Array) -> usize {
        self.arrays.push(Some(array));
        self.arrays.len() - 1
    }

    /// The array of a number.
    pub(crate) fn array(&self, number: usize) -> Result<&Array, Failed> {
        let found = self.arrays.get(number).and_then(Option::as_ref);
        found.ok_or_else(|| Failed::new(Code::InvalidHandle, "there is no such array"))
    }

    /// A level of a mipmapped array, which has the same number each time.
    pub(crate) fn level_of(&mut self, number: usize, level: u32) -> Result<usize, Failed> {
        let whole = *self.array(number)?;
        match whole.kind {
            Part::Mipmapped(levels) if level < levels => {}
            _ => return Err(invalid(format!("the array has no level {level}"))),
        }
        let kind = Part::Level(level);
        let is_it = |known: &Option<Array>| known.is_some_and(|known| known.image == whole.image && known.kind == kind);
        if let Some(known) = self.arrays.iter().position(is_it) {
            return Ok(known);
        }
        let description = whole.description.level(level);
        Ok(self.keep(Array {
            description,
            kind,
            ..whole
        }))
    }

    /// Destroys an array, with its levels. A level cannot be destroyed alone.
    pub(crate) fn remove_array(&mut self, number: usize) -> Result<(), Failed> {
        let array = *self.array(number)?;
        if matches!(array.kind, Part::Level(_)) {
            return Err(invalid("a level is destroyed with its mipmapped array"));
        }
        for known in &mut self.arrays {
            known.take_if(|known| known.image == array.image);
        }
        self.device.destroy_image(array.image).map_err(invalid)
    }

    /// Destroys the arrays, textures and surfaces of a context.
    pub(super) fn end_arrays(&mut self, context: ContextId) {
        let own: Vec<u64> = self
            .objects
            .iter()
            .filter(|(_, of)| **of == context)
            .map(|(handle, _)| *handle)
            .collect();
        for handle in own {
            let _ = self.destroy_object(handle);
        }
        for number in 0..self.arrays.len() {
            if self.arrays[number].is_some_and(|array| array.context == context) {
                // A level is not destroyed alone, and goes with the whole.
                let _ = self.remove_array(number);
            }
        }
    }

    /// Where a row of an array starts, and bytes of a texel.
    fn texels(&self, number: usize, place: Place) -> Result<(ImageId, TexelPlace, u64), Failed> {
        let array = self.array(number)?;
        let bytes = array.format.bytes();
        let level = match array.kind {
            Part::Whole => 0,
            Part::Level(level) => level,
            Part::Mipmapped(_) => return Err(invalid("bytes are copied to and from a level of a mipmapped array")),
        };
        if !place.x.is_multiple_of(bytes) {
            return Err(invalid(format!("byte {} of a row is the first of no texel", place.x)));
        }
        let limited = |value: u64| u32::try_from(value).unwrap_or(u32::MAX);
        let layered = array.description.flags & (CUBE | LAYERED) != 0;
        let (layer, z) = if layered { (place.z, 0) } else { (0, place.z) };
        let place = TexelPlace {
            level,
            layer: limited(layer),
            at: [limited(place.x / bytes), limited(place.y), limited(z)],
        };
        Ok((array.image, place, bytes))
    }

    /// Bytes of a row of an array.
    pub(crate) fn read_array(&self, number: usize, place: Place, length: usize) -> Result<Vec<u8>, Failed> {
        let (image, place, texel) = self.texels(number, place)?;
        if !(length as u64).is_multiple_of(texel) {
            return Err(invalid(format!("{length} bytes are no texels of {texel} bytes")));
        }
        let count = u32::try_from(length as u64 / texel).unwrap_or(u32::MAX);
        self.device.read_texels(image, place, count).map_err(invalid)
    }

    /// Replaces bytes of a row of an array.
    pub(crate) fn write_array(&mut self, number: usize, place: Place, bytes: &[u8]) -> Result<(), Failed> {
        let (image, place, _) = self.texels(number, place)?;
        self.device.write_texels(image, place, bytes).map_err(invalid)
    }

    /// Makes a texture; its handle.
    pub(crate) fn create_texture(
        &mut self,
        resource: Resource,
        words: &TextureWords,
        view: Option<View>,
        context: ContextId,
    ) -> Result<u64, Failed> {
        let flags = words[4];
        let mut sampler = sampler(words)?;
        let (image, own) = match resource {
            Resource::Array(number) => {
                let array = *self.array(number)?;
                if flags & SEAMLESS_CUBE != 0 && array.description.flags & CUBE != 0 {
                    return Err(refuse("a texture whose filter crosses the edges of a cube"));
                }
                if let Part::Level(level) = array.kind {
                    // Whatever level is asked for, it is this one.
                    sampler.levels = [(level as f32).to_bits(); 2];
                }
                (array.image, self.viewed(&array, view, &mut sampler)?)
            }
            Resource::Linear { .. } | Resource::Pitched { .. } if view.is_some() => {
                return Err(invalid("linear memory has no views"));
            }
            Resource::Linear { .. } | Resource::Pitched { .. } => self.linear(resource)?,
        };
        let made = self.device.create_texture(image, read_as(own, flags), sampler);
        let handle = made.map_err(invalid)?;
        if !matches!(resource, Resource::Array(_)) {
            self.linear_images.insert(handle, image);
        }
        self.objects.insert(handle, context);
        Ok(handle)
    }

    /// The format in which a view shows an array, of which it must show all.
    fn viewed(&self, array: &Array, view: Option<View>, sampler: &mut Sampler) -> Result<Format, Failed> {
        let Some(view) = view else { return Ok(array.format) };
        let Description {
            width, height, depth, ..
        } = array.description;
        let layers = if array.description.flags & (CUBE | LAYERED) != 0 {
            depth
        } else {
            0
        };
        let all_layers = view.layers[0] == 0 && (layers == 0 || view.layers[1] as usize + 1 == layers);
        if view.size != [width, height, depth] || view.levels[0] != 0 || !all_layers {
            return Err(refuse("a view of a part of an array"));
        }
        let last = (view.levels[1] as f32).to_bits();
        let is_less = f32::from_bits(last) < f32::from_bits(sampler.levels[1]);
        sampler.levels[1] = if is_less { last } else { sampler.levels[1] };
        match view.format {
            0 => Ok(array.format),
            number => view_format(number),
        }
    }

    /// The image of linear memory.
    fn linear(&mut self, resource: Resource) -> Result<(ImageId, Format), Failed> {
        let narrow = |size: u64| u32::try_from(size).map_err(|_| invalid(format!("a texture has no size {size}")));
        let (shape, format, address, pitch) = match resource {
            Resource::Linear {
                address,
                format: number,
                channels,
                bytes,
            } => {
                let format = format(number, channels)?;
                let width = narrow(bytes / format.bytes())?;
                (Shape::new(Geometry::Line, [width, 1, 1]), format, address, 0)
            }
            Resource::Pitched {
                address,
                format: number,
                channels,
                size,
                pitch,
            } => {
                let format = format(number, channels)?;
                let size = [narrow(size[0])?, narrow(size[1])?, 1];
                (Shape::new(Geometry::Plane, size), format, address, pitch)
            }
            Resource::Array(_) => return Err(invalid("an array is no linear memory")),
        };
        if !self.is_on_device(address) {
            return Err(invalid(format!("{address:#x} is no address of the device")));
        }
        let image = Image::new(shape, format, Storage::Memory { address, pitch }).map_err(invalid)?;
        Ok((self.device.create_image(image).map_err(invalid)?, format))
    }

    /// Makes a surface; its handle.
    pub(crate) fn create_surface(&mut self, number: usize, context: ContextId) -> Result<u64, Failed> {
        let array = self.array(number)?;
        let level = match array.kind {
            Part::Whole => 0,
            Part::Level(level) => level,
            Part::Mipmapped(_) => return Err(invalid("a surface is a level of a mipmapped array")),
        };
        let handle = self.device.create_surface(array.image, level).map_err(invalid)?;
        self.objects.insert(handle, context);
        Ok(handle)
    }

    /// Destroys a texture or surface.
    pub(crate) fn destroy_object(&mut self, handle: u64) -> Result<(), Failed> {
        if self.objects.remove(&handle).is_none() {
            let reason = format!("{handle:#x} is no texture or surface");
            return Err(invalid(reason));
        }
        if let Some(image) = self.linear_images.remove(&handle) {
            self.device.destroy_image(image).map_err(invalid)?;
        }
        self.device.destroy_handle(handle).map_err(invalid)
    }
}
