//! CUDA arrays, textures and surfaces.
#![allow(unsafe_code, non_snake_case)]

use std::ffi::{c_uint, c_void};

use super::call;
use super::graph::on_stream;
use crate::exports::exports;
use crate::interface::{HandleKind, current, get, handle, number, put, with};
use crate::memory::{self, Region, Rows, Side};
use crate::result::{Code, Failed};
use crate::state::array::{Description, Place, Resource, TextureWords, View};
use crate::state::graph::Work;

/// `CUDA_ARRAY_DESCRIPTOR`.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct FlatDescription {
    width: usize,
    height: usize,
    format: u32,
    channels: u32,
}

/// `CUDA_RESOURCE_DESC`: its type, a union of 128 bytes, flags.
type ResourceWords = [u64; 18];

fn array_of(array: *mut c_void) -> Result<usize, Failed> {
    number(HandleKind::Array, array)
}

fn create(description: Description, levels: Option<u32>) -> Result<usize, Failed> {
    let context = current()?;
    with(|state| state.add_array(description, levels, context))
}

fn destroy(array: usize) -> Result<(), Failed> {
    with(|state| state.remove_array(array))
}

/// What a texture is to be read from.
fn resource(words: &ResourceWords) -> Result<Resource, Failed> {
    let [kind, first, second, third, fourth, fifth, ..] = *words;
    let (format, channels) = (second as u32, (second >> 32) as u32);
    let pointer = std::ptr::without_provenance_mut(first as usize);
    match kind as u32 {
        0 => Ok(Resource::Array(array_of(pointer)?)),
        1 => Ok(Resource::Array(number(HandleKind::MipmappedArray, pointer)?)),
        2 => Ok(Resource::Linear {
            address: first,
            format,
            channels,
            bytes: third,
        }),
        3 => Ok(Resource::Pitched {
            address: first,
            format,
            channels,
            size: [third, fourth],
            pitch: fifth,
        }),
        other => Err(Failed::new(
            Code::InvalidValue,
            format!("there is no resource of type {other}"),
        )),
    }
}

fn create_texture(
    words: *const ResourceWords,
    description: *const TextureWords,
    view: *const View,
) -> Result<u64, Failed> {
    let resource = resource(&get(words)?)?;
    let description = get(description)?;
    let view = if view.is_null() { None } else { Some(get(view)?) };
    let context = current()?;
    with(|state| state.create_texture(resource, &description, view, context))
}

fn create_surface(words: *const ResourceWords) -> Result<u64, Failed> {
    let Resource::Array(array) = resource(&get(words)?)? else {
        return Err(Failed::new(Code::InvalidValue, "a surface is made of an array"));
    };
    let context = current()?;
    with(|state| state.create_surface(array, context))
}

/// Bytes of memory, in one row.
fn row(start: Side) -> Region {
    Region::Memory(Rows {
        start,
        pitch: 0,
        height: 0,
    })
}

/// Bytes of the first row of an array.
fn in_array(array: *mut c_void, offset: usize) -> Result<Region, Failed> {
    let place = Place {
        x: offset as u64,
        y: 0,
        z: 0,
    };
    Ok(Region::Array(array_of(array)?, place))
}

fn host(address: *const c_void) -> Region {
    row(Side::Host(address.expose_provenance() as u64))
}

fn copy(to: Region, from: Region, bytes: usize) -> Result<(), Failed> {
    memory::copy_rows(to, from, [bytes, 1, 1])
}

fn copy_on(stream: *mut c_void, to: Region, from: Region, bytes: usize) -> Result<(), Failed> {
    let size = [bytes, 1, 1];
    on_stream(stream, Work::CopyRows { to, from, size })
}

exports! { call, address;
    [Context] fn cuArrayCreate_v2(array: *mut *mut c_void, description: *const FlatDescription) {
        let FlatDescription { width, height, format, channels } = get(description)?;
        let description = Description { width, height, depth: 0, format, channels, flags: 0 };
        put(array, handle(HandleKind::Array, create(description, None)?))
    }
    [Context] fn cuArray3DCreate_v2(array: *mut *mut c_void, description: *const Description) {
        put(array, handle(HandleKind::Array, create(get(description)?, None)?))
    }
    [Context] fn cuArrayGetDescriptor_v2(to: *mut FlatDescription, array: *mut c_void) {
        let array = array_of(array)?;
        let Description { width, height, format, channels, .. } = with(|state| Ok(state.array(array)?.description))?;
        put(to, FlatDescription { width, height, format, channels })
    }
    [Context] fn cuArray3DGetDescriptor_v2(to: *mut Description, array: *mut c_void) {
        let array = array_of(array)?;
        put(to, with(|state| Ok(state.array(array)?.description))?)
    }
    [Context] fn cuArrayDestroy(array: *mut c_void) { array_of(array).and_then(destroy) }
    [Context] fn cuMipmappedArrayCreate(array: *mut *mut c_void, description: *const Description, levels: c_uint) {
        put(array, handle(HandleKind::MipmappedArray, create(get(description)?, Some(levels))?))
    }
    [Context] fn cuMipmappedArrayGetLevel(array: *mut *mut c_void, of: *mut c_void, level: c_uint) {
        let of = number(HandleKind::MipmappedArray, of)?;
        put(array, handle(HandleKind::Array, with(|state| state.level_of(of, level))?))
    }
    [Context] fn cuMipmappedArrayDestroy(array: *mut c_void) { number(HandleKind::MipmappedArray, array).and_then(destroy) }
    [Context] fn cuTexObjectCreate(texture: *mut u64, of: *const ResourceWords, description: *const TextureWords, view: *const View) {
        put(texture, create_texture(of, description, view)?)
    }
    [Context] fn cuTexObjectDestroy(texture: u64) { with(|state| state.destroy_object(texture)) }
    [Context] fn cuSurfObjectCreate(surface: *mut u64, of: *const ResourceWords) { put(surface, create_surface(of)?) }
    [Context] fn cuSurfObjectDestroy(surface: u64) { with(|state| state.destroy_object(surface)) }
    [Context cuMemcpyHtoA_v2_ptds] fn cuMemcpyHtoA_v2(to: *mut c_void, offset: usize, from: *const c_void, bytes: usize) {
        copy(in_array(to, offset)?, host(from), bytes)
    }
    [Context cuMemcpyHtoAAsync_v2_ptsz] fn cuMemcpyHtoAAsync_v2(to: *mut c_void, offset: usize, from: *const c_void, bytes: usize, stream: *mut c_void) {
        copy_on(stream, in_array(to, offset)?, host(from), bytes)
    }
    [Context cuMemcpyAtoH_v2_ptds] fn cuMemcpyAtoH_v2(to: *mut c_void, from: *mut c_void, offset: usize, bytes: usize) {
        copy(host(to), in_array(from, offset)?, bytes)
    }
    [Context cuMemcpyAtoHAsync_v2_ptsz] fn cuMemcpyAtoHAsync_v2(to: *mut c_void, from: *mut c_void, offset: usize, bytes: usize, stream: *mut c_void) {
        copy_on(stream, host(to), in_array(from, offset)?, bytes)
    }
    [Context cuMemcpyDtoA_v2_ptds] fn cuMemcpyDtoA_v2(to: *mut c_void, offset: usize, from: u64, bytes: usize) {
        copy(in_array(to, offset)?, row(Side::Device(from)), bytes)
    }
    [Context cuMemcpyAtoD_v2_ptds] fn cuMemcpyAtoD_v2(to: u64, from: *mut c_void, offset: usize, bytes: usize) {
        copy(row(Side::Device(to)), in_array(from, offset)?, bytes)
    }
    [Context cuMemcpyAtoA_v2_ptds] fn cuMemcpyAtoA_v2(to: *mut c_void, to_offset: usize, from: *mut c_void, from_offset: usize, bytes: usize) {
        copy(in_array(to, to_offset)?, in_array(from, from_offset)?, bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The sizes and places that the C structures have.
    #[test]
    fn structures_are_laid_out_as_in_c() {
        assert_eq!((size_of::<FlatDescription>(), size_of::<Description>()), (24, 40));
        assert_eq!(std::mem::offset_of!(Description, flags), 32);
        assert_eq!((size_of::<ResourceWords>(), size_of::<TextureWords>()), (144, 104));
        assert_eq!(size_of::<View>(), 112);
    }
}
