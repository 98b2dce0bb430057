//! CUDA arrays, textures and surfaces.

use std::ffi::{c_int, c_uint, c_void};
use std::ptr;

use crate::ByName as _;
use crate::memory::{Copy2D, Direction, Extent, Side2D, side};
use crate::{Outcome, Stream, code, driver, exports, put};

/// `cudaChannelFormatDesc`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub(crate) struct Channels {
    bits: [c_int; 4],
    kind: c_int,
}

/// `CUDA_ARRAY3D_DESCRIPTOR`.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub(crate) struct Description {
    width: usize,
    height: usize,
    depth: usize,
    format: c_uint,
    channels: c_uint,
    flags: c_uint,
}

/// Formats of channels: `cudaChannelFormatKind`, bits of a channel, and the driver's `CUarray_format`.
const FORMATS: [(c_int, c_int, c_uint); 8] = [
    (1, 8, 0x01),
    (1, 16, 0x02),
    (1, 32, 0x03),
    (0, 8, 0x08),
    (0, 16, 0x09),
    (0, 32, 0x0a),
    (2, 16, 0x10),
    (2, 32, 0x20),
];

/// `cudaChannelFormatKindUnsignedNormalized8X1` and the eleven behind it, and `CU_AD_FORMAT_UNORM_INT8X1`, which stand in the same order.
const NORMALISED: c_int = 5;
const NORMALISED_COUNT: c_int = 12;
const DRIVERS_NORMALISED: c_uint = 0xc0;

impl Channels {
    /// How many there are; as the driver has it, all of equal size.
    fn count(&self) -> Result<c_uint, c_int> {
        let count = self.bits.iter().take_while(|bits| **bits != 0).count();
        let is_even = self.bits[..count].iter().all(|bits| *bits == self.bits[0]);
        let none_behind = self.bits[count..].iter().all(|bits| *bits == 0);
        match count {
            1 | 2 | 4 if is_even && none_behind => Ok(count as c_uint),
            _ => Err(code::INVALID_CHANNELS),
        }
    }

    /// The driver's format, and how many channels.
    fn format(&self) -> Result<(c_uint, c_uint), c_int> {
        let count = self.count()?;
        if let Some(index) = self
            .kind
            .checked_sub(NORMALISED)
            .filter(|index| (0..NORMALISED_COUNT).contains(index))
        {
            return Ok((DRIVERS_NORMALISED + index as c_uint, count));
        }
        let known = FORMATS
            .iter()
            .find(|(kind, bits, _)| (*kind, *bits) == (self.kind, self.bits[0]));
        match known {
            Some((.., format)) => Ok((*format, count)),
            None if self.kind > NORMALISED => Err(crate::refused::refusal("an array of compressed texels")),
            None => Err(code::INVALID_CHANNELS),
        }
    }

    /// Those of a format of the driver.
    fn of(format: c_uint, count: c_uint) -> Channels {
        let index = format.wrapping_sub(DRIVERS_NORMALISED);
        let (kind, size) = match index < NORMALISED_COUNT as c_uint {
            true => (
                NORMALISED + index as c_int,
                if (index / 3).is_multiple_of(2) { 8 } else { 16 },
            ),
            false => {
                let known = FORMATS.iter().find(|(.., number)| *number == format);
                known.map_or((3, 0), |(kind, bits, _)| (*kind, *bits))
            }
        };
        Channels {
            bits: std::array::from_fn(|channel| if (channel as c_uint) < count { size } else { 0 }),
            kind,
        }
    }
}

/// The format of texels.
#[unsafe(no_mangle)]
extern "C" fn cudaCreateChannelDesc(x: c_int, y: c_int, z: c_int, w: c_int, kind: c_int) -> Channels {
    Channels {
        bits: [x, y, z, w],
        kind,
    }
}

/// What the caller of the runtime points to.
fn given<T: Copy>(from: *const T) -> Result<T, c_int> {
    if from.is_null() {
        return Err(code::INVALID_VALUE);
    }
    // SAFETY: the caller of the runtime gives its structure.
    Ok(unsafe { from.read() })
}

fn description(channels: *const Channels, extent: Extent, flags: c_uint) -> Result<Description, c_int> {
    let (format, channels) = given(channels)?.format()?;
    Ok(Description {
        width: extent.width,
        height: extent.height,
        depth: extent.depth,
        format,
        channels,
        flags,
    })
}

/// What the driver says of an array.
fn described(array: *mut c_void) -> Result<Description, c_int> {
    let mut description = Description::default();
    driver::cuArray3DGetDescriptor_v2(&mut description, array)?;
    Ok(description)
}

/// Bytes of a texel of an array.
pub(crate) fn texel(array: *mut c_void) -> Result<usize, c_int> {
    let description = described(array)?;
    let channels = Channels::of(description.format, description.channels);
    let bits: c_int = channels.bits.iter().sum();
    Ok(bits as usize / 8)
}

/// `CU_MEMORYTYPE_ARRAY`.
pub(crate) const ARRAY: c_int = 3;

/// A side of a copy that is an array, from a byte of a row on.
fn in_array(array: *mut c_void, x: usize, y: usize) -> Side2D {
    Side2D {
        x,
        y,
        kind: ARRAY,
        host: ptr::null(),
        device: 0,
        array,
        pitch: 0,
    }
}

/// Copies rows on a stream, or at once.
fn copy(from: Side2D, to: Side2D, [width, height]: [usize; 2], stream: Option<Stream>) -> Outcome {
    let copy = Copy2D {
        from,
        to,
        width,
        height,
    };
    match stream {
        _ if width == 0 || height == 0 => Ok(()),
        None => driver::cuMemcpy2DUnaligned_v2(&copy),
        Some(stream) => driver::cuMemcpy2DAsync_v2(&copy, stream.0),
    }
}

/// The other side of a copy into an array.
fn source(from: *const c_void, pitch: usize, kind: c_int) -> Result<Side2D, c_int> {
    let [memory, _] = Direction::of(kind)?.memories();
    Ok(side(memory, from, pitch))
}

/// The other side of a copy out of an array.
fn target(to: *mut c_void, pitch: usize, kind: c_int) -> Result<Side2D, c_int> {
    let [_, memory] = Direction::of(kind)?.memories();
    Ok(side(memory, to, pitch))
}

/// The parts of so many bytes that go on from row to row: the byte and row where each begins, its width and rows, and how many bytes come before it.
fn parts(row: usize, x: usize, y: usize, count: usize) -> Vec<([usize; 2], [usize; 2], usize)> {
    let head = count.min(row.saturating_sub(x));
    let (rows, tail) = ((count - head) / row.max(1), (count - head) % row.max(1));
    let after = y + usize::from(head > 0);
    let all = [
        ([x, y], [head, 1], 0),
        ([0, after], [row, rows], head),
        ([0, after + rows], [tail, 1], head + rows * row),
    ];
    all.into_iter()
        .filter(|(_, [width, height], _)| *width > 0 && *height > 0)
        .collect()
}

/// Copies bytes that go on from row to row of an array.
fn copy_on(
    array: *mut c_void,
    [x, y]: [usize; 2],
    count: usize,
    each: impl Fn(Side2D, [usize; 2], usize, usize) -> Outcome,
) -> Outcome {
    let row = described(array)?.width * texel(array)?;
    let all = parts(row, x, y, count).into_iter();
    all.into_iter()
        .try_for_each(|([x, y], size, before)| each(in_array(array, x, y), size, before, row))
}

/// `cudaResourceDesc`: its type, a union of 128 bytes, flags.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct Resource {
    kind: c_int,
    of: Union,
    flags: c_uint,
}

/// What a resource is.
#[derive(Clone, Copy)]
#[repr(C)]
union Union {
    linear: Linear,
    words: [u64; 16],
}

/// Linear memory, with its bytes, or its width, height and pitch.
#[derive(Clone, Copy)]
#[repr(C)]
struct Linear {
    address: u64,
    channels: Channels,
    sizes: [usize; 3],
}

/// `CUDA_RESOURCE_DESC`.
type DriversResource = [u64; 18];

/// The same for the driver. Arrays stand at the same place in both.
fn drivers_resource(of: &Resource) -> Result<DriversResource, c_int> {
    let mut words = [0; 18];
    words[0] = of.kind as u64;
    words[17] = of.flags.into();
    match of.kind {
        // SAFETY: any bits are words, and all bits of the union are the caller's.
        0 | 1 => words[1] = unsafe { of.of.words }[0],
        2 | 3 => {
            // SAFETY: resources of these types have this member.
            let linear = unsafe { of.of.linear };
            let (format, count) = linear.channels.format()?;
            words[1] = linear.address;
            words[2] = u64::from(format) | u64::from(count) << 32;
            for (word, size) in words[3..].iter_mut().zip(linear.sizes) {
                *word = size as u64;
            }
        }
        _ => return Err(code::INVALID_VALUE),
    }
    Ok(words)
}

/// `cudaTextureDesc`.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct Texture {
    address: [c_int; 3],
    filter: c_int,
    read_mode: c_int,
    srgb: c_int,
    border: [f32; 4],
    normalised: c_int,
    anisotropy: c_uint,
    mip_filter: c_int,
    levels: [f32; 3],
    no_trilinear_optimisation: c_int,
    seamless_cube: c_int,
}

/// `CUDA_TEXTURE_DESC`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct DriversTexture {
    address: [c_int; 3],
    filter: c_int,
    flags: c_uint,
    anisotropy: c_uint,
    mip_filter: c_int,
    levels: [f32; 3],
    border: [f32; 4],
    reserved: [c_int; 12],
}

fn drivers_texture(of: &Texture) -> DriversTexture {
    // `CU_TRSF_READ_AS_INTEGER`, `_NORMALIZED_COORDINATES`, `_SRGB`, `_DISABLE_TRILINEAR_OPTIMIZATION` and `_SEAMLESS_CUBEMAP`.
    let flags = [
        (of.read_mode == 0, 0x01),
        (of.normalised != 0, 0x02),
        (of.srgb != 0, 0x10),
        (of.no_trilinear_optimisation != 0, 0x20),
        (of.seamless_cube != 0, 0x40),
    ];
    DriversTexture {
        address: of.address,
        filter: of.filter,
        flags: flags.iter().filter(|(is_set, _)| *is_set).map(|(_, flag)| flag).sum(),
        anisotropy: of.anisotropy,
        mip_filter: of.mip_filter,
        levels: of.levels,
        border: of.border,
        reserved: [0; 12],
    }
}

/// Makes a texture of the caller's structures. Views are the same for the driver.
fn create_texture(to: *mut u64, resource: *const Resource, texture: *const Texture, view: *const c_void) -> Outcome {
    let resource = drivers_resource(&given(resource)?)?;
    let texture = drivers_texture(&given(texture)?);
    driver::cuTexObjectCreate(to, resource.as_ptr(), &texture, view)
}

exports! {
    [context] fn cudaMallocArray(to: *mut *mut c_void, channels: *const Channels, width: usize, height: usize, flags: c_uint) {
        driver::cuArray3DCreate_v2(to, &description(channels, Extent { width, height, depth: 0 }, flags)?)
    }
    [context] fn cudaMalloc3DArray(to: *mut *mut c_void, channels: *const Channels, extent: Extent, flags: c_uint) {
        driver::cuArray3DCreate_v2(to, &description(channels, extent, flags)?)
    }
    [context] fn cudaFreeArray(array: *mut c_void) { if array.is_null() { Ok(()) } else { driver::cuArrayDestroy(array) } }
    [context] fn cudaMallocMipmappedArray(to: *mut *mut c_void, channels: *const Channels, extent: Extent, levels: c_uint, flags: c_uint) {
        driver::cuMipmappedArrayCreate(to, &description(channels, extent, flags)?, levels)
    }
    [context] fn cudaFreeMipmappedArray(array: *mut c_void) { if array.is_null() { Ok(()) } else { driver::cuMipmappedArrayDestroy(array) } }
    [context] fn cudaGetMipmappedArrayLevel(to: *mut *mut c_void, of: *mut c_void, level: c_uint) { driver::cuMipmappedArrayGetLevel(to, of, level) }
    [context] fn cudaArrayGetInfo(channels: *mut Channels, extent: *mut Extent, flags: *mut c_uint, array: *mut c_void) {
        let Description { width, height, depth, format, channels: count, flags: own } = described(array)?;
        if !channels.is_null() { put(channels, Channels::of(format, count))?; }
        if !extent.is_null() { put(extent, Extent { width, height, depth })?; }
        if !flags.is_null() { put(flags, own)?; }
        Ok(())
    }
    [context] fn cudaGetChannelDesc(channels: *mut Channels, array: *mut c_void) {
        let Description { format, channels: count, .. } = described(array)?;
        put(channels, Channels::of(format, count))
    }
    [context cudaMemcpy2DToArray_ptds] fn cudaMemcpy2DToArray(to: *mut c_void, x: usize, y: usize, from: *const c_void, pitch: usize, width: usize, height: usize, kind: c_int) {
        copy(source(from, pitch, kind)?, in_array(to, x, y), [width, height], None)
    }
    [context cudaMemcpy2DToArrayAsync_ptsz] fn cudaMemcpy2DToArrayAsync(to: *mut c_void, x: usize, y: usize, from: *const c_void, pitch: usize, width: usize, height: usize, kind: c_int, stream: Stream) {
        copy(source(from, pitch, kind)?, in_array(to, x, y), [width, height], Some(stream))
    }
    [context cudaMemcpy2DFromArray_ptds] fn cudaMemcpy2DFromArray(to: *mut c_void, pitch: usize, from: *mut c_void, x: usize, y: usize, width: usize, height: usize, kind: c_int) {
        copy(in_array(from, x, y), target(to, pitch, kind)?, [width, height], None)
    }
    [context cudaMemcpy2DFromArrayAsync_ptsz] fn cudaMemcpy2DFromArrayAsync(to: *mut c_void, pitch: usize, from: *mut c_void, x: usize, y: usize, width: usize, height: usize, kind: c_int, stream: Stream) {
        copy(in_array(from, x, y), target(to, pitch, kind)?, [width, height], Some(stream))
    }
    [context cudaMemcpy2DArrayToArray_ptds] fn cudaMemcpy2DArrayToArray(to: *mut c_void, to_x: usize, to_y: usize, from: *mut c_void, from_x: usize, from_y: usize, width: usize, height: usize, _kind: c_int) {
        copy(in_array(from, from_x, from_y), in_array(to, to_x, to_y), [width, height], None)
    }
    [context cudaMemcpyToArray_ptds] fn cudaMemcpyToArray(to: *mut c_void, x: usize, y: usize, from: *const c_void, count: usize, kind: c_int) {
        copy_on(to, [x, y], count, |place, size, before, row| copy(source(from.wrapping_byte_add(before), row, kind)?, place, size, None))
    }
    [context cudaMemcpyToArrayAsync_ptsz] fn cudaMemcpyToArrayAsync(to: *mut c_void, x: usize, y: usize, from: *const c_void, count: usize, kind: c_int, stream: Stream) {
        copy_on(to, [x, y], count, |place, size, before, row| copy(source(from.wrapping_byte_add(before), row, kind)?, place, size, Some(stream)))
    }
    [context cudaMemcpyFromArray_ptds] fn cudaMemcpyFromArray(to: *mut c_void, from: *mut c_void, x: usize, y: usize, count: usize, kind: c_int) {
        copy_on(from, [x, y], count, |place, size, before, row| copy(place, target(to.wrapping_byte_add(before), row, kind)?, size, None))
    }
    [context cudaMemcpyFromArrayAsync_ptsz] fn cudaMemcpyFromArrayAsync(to: *mut c_void, from: *mut c_void, x: usize, y: usize, count: usize, kind: c_int, stream: Stream) {
        copy_on(from, [x, y], count, |place, size, before, row| copy(place, target(to.wrapping_byte_add(before), row, kind)?, size, Some(stream)))
    }
    [context] fn cudaCreateTextureObject(to: *mut u64, resource: *const Resource, texture: *const Texture, view: *const c_void) { create_texture(to, resource, texture, view) }
    [context] fn cudaDestroyTextureObject(texture: u64) { if texture == 0 { Ok(()) } else { driver::cuTexObjectDestroy(texture) } }
    [context] fn cudaCreateSurfaceObject(to: *mut u64, resource: *const Resource) { driver::cuSurfObjectCreate(to, drivers_resource(&given(resource)?)?.as_ptr()) }
    [context] fn cudaDestroySurfaceObject(surface: u64) { if surface == 0 { Ok(()) } else { driver::cuSurfObjectDestroy(surface) } }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The sizes and places that the C structures have.
    #[test]
    fn structures_are_laid_out_as_in_c() {
        assert_eq!((size_of::<Channels>(), size_of::<Description>()), (20, 40));
        assert_eq!(
            (size_of::<Resource>(), size_of::<Texture>(), size_of::<DriversTexture>()),
            (144, 72, 104)
        );
        assert_eq!(std::mem::offset_of!(Resource, flags), 136);
        assert_eq!(std::mem::offset_of!(Linear, sizes), 32);
        assert_eq!(std::mem::offset_of!(Texture, seamless_cube), 68);
    }

    #[test]
    fn channels_are_the_drivers_formats() {
        let of = |bits, kind| Channels { bits, kind }.format();
        assert_eq!(of([32, 0, 0, 0], 2), Ok((0x20, 1)));
        assert_eq!(of([8, 8, 8, 8], 1), Ok((0x01, 4)));
        assert_eq!(of([16, 16, 0, 0], 0), Ok((0x09, 2)));
        assert_eq!(of([16, 16, 16, 16], 16), Ok((0xcb, 4)));
        assert_eq!(of([8, 8, 8, 0], 1), Err(code::INVALID_CHANNELS), "three");
        assert_eq!(of([8, 16, 0, 0], 1), Err(code::INVALID_CHANNELS), "of different sizes");
        assert_eq!(of([8, 0, 0, 0], 2), Err(code::INVALID_CHANNELS), "a float of 8 bits");
        for (bits, kind) in [
            ([32, 32, 0, 0], 2),
            ([8, 0, 0, 0], 0),
            ([8, 8, 8, 8], 7),
            ([16, 0, 0, 0], 14),
        ] {
            let channels = Channels { bits, kind };
            let (format, count) = channels.format().expect("it is one");
            assert_eq!(Channels::of(format, count), channels);
        }
    }

    #[test]
    fn bytes_go_on_from_row_to_row() {
        assert_eq!(parts(8, 2, 1, 4), [([2, 1], [4, 1], 0)]);
        assert_eq!(
            parts(8, 2, 1, 25),
            [([2, 1], [6, 1], 0), ([0, 2], [8, 2], 6), ([0, 4], [3, 1], 22)]
        );
        assert_eq!(parts(8, 0, 0, 0), []);
    }
}
