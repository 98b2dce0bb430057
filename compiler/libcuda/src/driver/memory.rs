//! Memory: allocation, copies, and what pointers lead to.
#![allow(unsafe_code, non_snake_case)]

use std::ffi::{c_int, c_uint, c_void};
use std::ptr;

use super::call;
use super::graph::{is_captured, on_stream};
use crate::device::TOTAL_MEMORY;
use crate::exports::exports;
use crate::interface::{HandleKind, current, get, handle, list, number, put, put_wanted, refuse, with};
use crate::memory::{self, Region, Rows, Side};
use crate::result::{Code, Failed};
use crate::state::graph::{Allocation, Work};
use crate::state::{Owner, Piece, array::Place};

/// One side of `CUDA_MEMCPY2D`: 7 words, of which the third has a number of 32 bits.
type Side2D = [u64; 7];
/// One side of `CUDA_MEMCPY3D`: 11 words, of which the fifth has a number of 32 bits.
type Side3D = [u64; 11];

/// What a side of a copy is, by its `CUmemorytype`.
fn side(kind: u64, host: u64, device: u64, offset: u64) -> Result<Side, Failed> {
    match kind as u32 {
        1 => Ok(Side::Host(host.wrapping_add(offset))),
        2 => Ok(Side::Device(device.wrapping_add(offset))),
        4 => Ok(Side::Any(device.wrapping_add(offset))),
        other => Err(Failed::new(
            Code::InvalidValue,
            format!("there is no memory of type {other}"),
        )),
    }
}

/// `CU_MEMORYTYPE_ARRAY`.
const ARRAY: u32 = 3;

/// A side that is an array, from a byte of a row on.
fn in_array(array: u64, [x, y, z]: [u64; 3]) -> Result<Region, Failed> {
    let array = number(HandleKind::Array, ptr::without_provenance_mut(array as usize))?;
    Ok(Region::Array(array, Place { x, y, z }))
}

fn rows_2d([x, y, kind, host, device, array, pitch]: Side2D) -> Result<Region, Failed> {
    if kind as u32 == ARRAY {
        return in_array(array, [x, y, 0]);
    }
    let offset = x.wrapping_add(y.wrapping_mul(pitch));
    Ok(Region::Memory(Rows {
        start: side(kind, host, device, offset)?,
        pitch,
        height: 0,
    }))
}

/// The sides and the size of a copy of rows.
fn regions_2d(parameters: *const [u64; 16]) -> Result<(Region, Region, [usize; 3]), Failed> {
    let all = get(parameters)?;
    let part = |start: usize| -> Side2D { std::array::from_fn(|index| all[start + index]) };
    let [.., width, height] = all;
    Ok((
        rows_2d(part(7))?,
        rows_2d(part(0))?,
        [width as usize, height as usize, 1],
    ))
}

fn copy_2d(parameters: *const [u64; 16], stream: *mut c_void) -> Result<(), Failed> {
    let (to, from, size) = regions_2d(parameters)?;
    on_stream(stream, Work::CopyRows { to, from, size })
}

fn rows_3d([x, y, z, level, kind, host, device, array, _reserved, pitch, height]: Side3D) -> Result<Region, Failed> {
    if level != 0 {
        return Err(Failed::new(
            Code::InvalidValue,
            "a copy is of level 0: other levels are arrays of their own",
        ));
    }
    if kind as u32 == ARRAY {
        return in_array(array, [x, y, z]);
    }
    let offset = x.wrapping_add(pitch.wrapping_mul(y.wrapping_add(z.wrapping_mul(height))));
    Ok(Region::Memory(Rows {
        start: side(kind, host, device, offset)?,
        pitch,
        height,
    }))
}

/// The sides and the size of a copy of slices.
pub(super) fn regions_3d(parameters: *const [u64; 25]) -> Result<(Region, Region, [usize; 3]), Failed> {
    let all = get(parameters)?;
    let part = |start: usize| -> Side3D { std::array::from_fn(|index| all[start + index]) };
    let [.., width, height, depth] = all;
    Ok((
        rows_3d(part(11))?,
        rows_3d(part(0))?,
        [width as usize, height as usize, depth as usize],
    ))
}

fn copy_3d(parameters: *const [u64; 25], stream: *mut c_void) -> Result<(), Failed> {
    let (to, from, size) = regions_3d(parameters)?;
    on_stream(stream, Work::CopyRows { to, from, size })
}

/// A side of a copy as `CUDA_MEMCPY3D` says it: type, address of the host and of the device.
fn words_of(side: Side) -> [u64; 3] {
    match side {
        Side::Host(address) => [1, address, 0],
        Side::Device(address) => [2, 0, address],
        Side::Any(address) => [4, 0, address],
    }
}

fn side_3d(region: Region) -> Side3D {
    match region {
        Region::Memory(Rows { start, pitch, height }) => {
            let [kind, host, device] = words_of(start);
            [0, 0, 0, 0, kind, host, device, 0, 0, pitch, height]
        }
        Region::Array(array, Place { x, y, z }) => {
            let array = handle(HandleKind::Array, array).addr() as u64;
            [x, y, z, 0, u64::from(ARRAY), 0, 0, array, 0, 0, 0]
        }
    }
}

/// `CUDA_MEMCPY3D` of a copy of slices.
pub(super) fn parameters_3d(to: Region, from: Region, size: [usize; 3]) -> [u64; 25] {
    let mut all = [0; 25];
    all[..11].copy_from_slice(&side_3d(from));
    all[11..22].copy_from_slice(&side_3d(to));
    all[22..].copy_from_slice(&size.map(|size| size as u64));
    all
}

/// The same of a copy of bytes, which is one row.
pub(super) fn parameters_of_bytes(to: Side, from: Side, bytes: usize) -> [u64; 25] {
    let row = |start| {
        let (pitch, height) = (bytes as u64, 1);
        Region::Memory(Rows { start, pitch, height })
    };
    parameters_3d(row(to), row(from), [bytes, 1, 1])
}

/// A copy of bytes on a stream.
fn copy_on(stream: *mut c_void, to: Side, from: Side, bytes: usize) -> Result<(), Failed> {
    on_stream(stream, Work::Copy { to, from, bytes })
}

/// Memory that a stream is to have, or that a graph has where the stream is captured.
fn allocate_on(stream: *mut c_void, bytes: usize) -> Result<u64, Failed> {
    if !is_captured(stream)? {
        return memory::allocate(bytes);
    }
    let address = memory::allocate_for_graph(bytes)?;
    // A pool on the device, as `CUmemPoolProps` says it: CU_MEM_ALLOCATION_TYPE_PINNED, no handles, CU_MEM_LOCATION_TYPE_DEVICE.
    let mut pool = [0; 13];
    (pool[0], pool[1]) = (1, u64::from(ON_DEVICE));
    on_stream(stream, Work::Allocate(Allocation { address, bytes, pool }))?;
    Ok(address)
}

/// The stream of calls that wait for what they do.
const NO_STREAM: *mut c_void = ptr::null_mut();

/// The piece of an address, which has to be there.
fn known(address: u64) -> Result<Option<Piece>, Failed> {
    let (piece, on_device) = with(|state| Ok((state.piece(address), state.is_on_device(address))))?;
    match piece.is_some() || on_device {
        true => Ok(piece),
        false => Err(Failed::silent(Code::InvalidValue)),
    }
}

/// An attribute of a pointer (`CUpointer_attribute`), at most 8 bytes; how many.
fn pointer_attribute(attribute: c_int, address: u64) -> Result<(u64, usize), Failed> {
    let piece = known(address)?;
    let on_host = piece.is_some_and(|piece| matches!(piece.owner, Owner::Pinned | Owner::Registered));
    let shared = piece.is_some_and(|piece| !matches!(piece.owner, Owner::Device | Owner::Other));
    let (start, bytes) = piece.map_or((address, 0), |piece| (piece.start, piece.bytes));
    Ok(match attribute {
        // CONTEXT, MEMORY_TYPE, DEVICE_POINTER, HOST_POINTER.
        1 => (handle(HandleKind::Context, current()?.0).addr() as u64, 8),
        2 => (if on_host { 1 } else { 2 }, 4),
        3 => (address, 8),
        4 if shared => (address, 8),
        4 => return Err(Failed::silent(Code::InvalidValue)),
        // SYNC_MEMOPS, BUFFER_ID, IS_MANAGED, DEVICE_ORDINAL.
        6 => (1, 4),
        7 => (start, 8),
        8 => (piece.is_some_and(|piece| piece.owner == Owner::Managed).into(), 4),
        9 => (0, 4),
        // IS_LEGACY_CUDA_IPC_CAPABLE, RANGE_START_ADDR, RANGE_SIZE, MAPPED, ALLOWED_HANDLE_TYPES.
        10 => (0, 4),
        11 => (start, 8),
        12 => (bytes, 8),
        13 => (1, 4),
        14 => (0, 8),
        other => {
            return Err(Failed::new(
                Code::InvalidValue,
                format!("the pointer's attribute {other} is not known"),
            ));
        }
    })
}

fn put_attribute(to: *mut c_void, (value, bytes): (u64, usize)) -> Result<(), Failed> {
    match bytes {
        4 => put(to.cast::<u32>(), value as u32),
        _ => put(to.cast::<u64>(), value),
    }
}

/// The only pool of memory.
fn pool() -> *mut c_void {
    handle(HandleKind::Pool, 0)
}

/// The pool at a place, of a kind (`CUmemAllocationType`): there is that of the device.
fn pool_at(place: [u32; 2], kind: c_int) -> Result<*mut c_void, Failed> {
    match kind {
        // CU_MEM_ALLOCATION_TYPE_PINNED, on the device.
        1 if place[0] == ON_DEVICE => super::only(place[1] as c_int).map(|()| pool()),
        1 | 2 => Err(refuse("a pool of memory of the host, or of managed memory")),
        other => Err(Failed::new(
            Code::InvalidValue,
            format!("there is no memory of kind {other}"),
        )),
    }
}

fn is_pool(pool: *mut c_void) -> Result<(), Failed> {
    number(HandleKind::Pool, pool).map(|_| ())
}

/// What an attribute of a pool of memory is (`CUmemPool_attribute`).
enum PoolAttribute {
    /// A number of 32 bits, which is kept: when memory is used again.
    Policy(usize),
    /// A number of 64 bits, which is kept: how many bytes stay with the pool.
    Threshold,
    /// Bytes that are reserved or used.
    Now,
    /// Bytes that were reserved or used at most since this was set to 0.
    AtMost,
}

fn pool_attribute(attribute: c_int) -> Result<PoolAttribute, Failed> {
    match attribute {
        1..=3 => Ok(PoolAttribute::Policy(attribute as usize - 1)),
        4 => Ok(PoolAttribute::Threshold),
        5 | 7 => Ok(PoolAttribute::Now),
        6 | 8 => Ok(PoolAttribute::AtMost),
        other => Err(Failed::new(
            Code::InvalidValue,
            format!("pools have no attribute {other}"),
        )),
    }
}

fn set_pool_attribute(attribute: c_int, value: *mut c_void) -> Result<(), Failed> {
    match pool_attribute(attribute)? {
        PoolAttribute::Policy(index) => {
            let value = get(value.cast::<u32>())?;
            with(|state| {
                state.pool.policies[index] = value;
                Ok(())
            })
        }
        PoolAttribute::Threshold => {
            let value = get(value.cast::<u64>())?;
            with(|state| {
                state.pool.threshold = value;
                Ok(())
            })
        }
        PoolAttribute::Now => Err(Failed::new(Code::InvalidValue, "what is used is not set")),
        PoolAttribute::AtMost => match get(value.cast::<u64>())? {
            0 => with(|state| {
                state.pool.most = state.allocated();
                Ok(())
            }),
            _ => Err(Failed::new(
                Code::InvalidValue,
                "what was used at most is set to 0 alone",
            )),
        },
    }
}

/// `CU_MEM_LOCATION_TYPE_DEVICE`.
const ON_DEVICE: u32 = 1;
/// `CU_MEM_ACCESS_FLAGS_PROT_READWRITE`.
const READS_AND_WRITES: u32 = 3;

/// A place that may have access to a pool (`CUmemLocation`): the device.
fn is_place([kind, device]: [u32; 2]) -> Result<(), Failed> {
    match kind {
        ON_DEVICE => super::only(device as c_int),
        other => Err(Failed::new(
            Code::InvalidValue,
            format!("pools have no location of kind {other}"),
        )),
    }
}

exports! { call, address;
    [Context] fn cuMemGetInfo_v2(free: *mut usize, total: *mut usize) {
        let used = with(|state| Ok(state.allocated()))?;
        put(free, (TOTAL_MEMORY - used.min(TOTAL_MEMORY)) as usize)?;
        put(total, TOTAL_MEMORY as usize)
    }
    [Context] fn cuMemAlloc_v2(address: *mut u64, bytes: usize) {
        if bytes == 0 {
            return Err(Failed::new(Code::InvalidValue, "0 bytes cannot be allocated"));
        }
        put(address, memory::allocate(bytes)?)
    }
    [Context] fn cuMemAllocPitch_v2(address: *mut u64, pitch: *mut usize, width: usize, height: usize, element: c_uint) {
        if width == 0 || height == 0 || ![4, 8, 16].contains(&element) {
            return Err(Failed::new(Code::InvalidValue, "rows of elements of 4, 8 or 16 bytes are allocated, one at least"));
        }
        let (start, bytes) = memory::allocate_pitched(width, height)?;
        put(pitch, bytes)?;
        put(address, start)
    }
    [Context] fn cuMemAllocManaged(address: *mut u64, bytes: usize, flags: c_uint) {
        if bytes == 0 || !(1..=2).contains(&flags) {
            return Err(Failed::new(Code::InvalidValue, "managed memory has bytes, and is attached globally or to the host"));
        }
        put(address, memory::allocate_shared(bytes, Owner::Managed, flags)?)
    }
    [Context] fn cuMemFree_v2(address: u64) { memory::free(address, &[Owner::Device, Owner::Managed]) }
    [Context cuMemAllocAsync_ptsz] fn cuMemAllocAsync(address: *mut u64, bytes: usize, stream: *mut c_void) {
        // A captured stream takes it (cuda-core's tests, on a GPU).
        if bytes == 0 && !is_captured(stream)? {
            return Err(Failed::new(Code::InvalidValue, "0 bytes cannot be allocated"));
        }
        put(address, allocate_on(stream, bytes)?)
    }
    [Context cuMemAllocFromPoolAsync_ptsz] fn cuMemAllocFromPoolAsync(address: *mut u64, bytes: usize, from: *mut c_void, stream: *mut c_void) {
        is_pool(from)?;
        put(address, allocate_on(stream, bytes)?)
    }
    [Context cuMemFreeAsync_ptsz] fn cuMemFreeAsync(address: u64, stream: *mut c_void) {
        if is_captured(stream)? {
            return on_stream(stream, Work::Free(address));
        }
        memory::free(address, &[Owner::Device, Owner::Managed])
    }
    [Anywhere] fn cuDeviceGetDefaultMemPool(to: *mut *mut c_void, device: c_int) { super::only(device).and_then(|()| put(to, pool())) }
    [Anywhere] fn cuDeviceGetMemPool(to: *mut *mut c_void, device: c_int) { super::only(device).and_then(|()| put(to, pool())) }
    [Anywhere] fn cuDeviceSetMemPool(device: c_int, to: *mut c_void) { super::only(device).and_then(|()| is_pool(to)) }
    [Anywhere] fn cuMemGetDefaultMemPool(to: *mut *mut c_void, place: *const [u32; 2], kind: c_int) { put(to, pool_at(get(place)?, kind)?) }
    [Anywhere] fn cuMemGetMemPool(to: *mut *mut c_void, place: *const [u32; 2], kind: c_int) { put(to, pool_at(get(place)?, kind)?) }
    [Anywhere] fn cuMemSetMemPool(place: *const [u32; 2], kind: c_int, to: *mut c_void) {
        pool_at(get(place)?, kind)?;
        is_pool(to)
    }
    [Anywhere] fn cuMemPoolTrimTo(of: *mut c_void, _bytes: usize) { is_pool(of) }
    [Anywhere] fn cuMemPoolSetAttribute(of: *mut c_void, attribute: c_int, value: *mut c_void) {
        is_pool(of)?;
        set_pool_attribute(attribute, value)
    }
    [Anywhere] fn cuMemPoolGetAttribute(of: *mut c_void, attribute: c_int, value: *mut c_void) {
        is_pool(of)?;
        match pool_attribute(attribute)? {
            PoolAttribute::Policy(index) => put(value.cast::<u32>(), with(|state| Ok(state.pool.policies[index]))?),
            PoolAttribute::Threshold => put(value.cast::<u64>(), with(|state| Ok(state.pool.threshold))?),
            PoolAttribute::Now => put(value.cast::<u64>(), with(|state| Ok(state.allocated()))?),
            PoolAttribute::AtMost => put(value.cast::<u64>(), with(|state| Ok(state.pool.most))?),
        }
    }
    [Anywhere] fn cuMemPoolSetAccess(of: *mut c_void, map: *const [u32; 3], count: usize) {
        is_pool(of)?;
        for [kind, device, flags] in list(map, count)? {
            is_place([kind, device])?;
            if flags != READS_AND_WRITES {
                return Err(Failed::new(Code::InvalidValue, "a device reads and writes the pool that is on it"));
            }
        }
        Ok(())
    }
    [Anywhere] fn cuMemPoolGetAccess(flags: *mut u32, of: *mut c_void, location: *const [u32; 2]) {
        is_pool(of)?;
        is_place(get(location)?)?;
        put(flags, READS_AND_WRITES)
    }
    [Context cuMemAllocHost] fn cuMemAllocHost_v2(address: *mut *mut c_void, bytes: usize) {
        put(address, ptr::with_exposed_provenance_mut(memory::allocate_shared(bytes, Owner::Pinned, 0)? as usize))
    }
    [Context] fn cuMemHostAlloc(address: *mut *mut c_void, bytes: usize, flags: c_uint) {
        put(address, ptr::with_exposed_provenance_mut(memory::allocate_shared(bytes, Owner::Pinned, flags)? as usize))
    }
    [Context] fn cuMemFreeHost(start: *mut c_void) { memory::free(start.addr() as u64, &[Owner::Pinned]) }
    [Context cuMemHostRegister] fn cuMemHostRegister_v2(start: *mut c_void, bytes: usize, flags: c_uint) {
        memory::register(start.expose_provenance() as u64, bytes, flags)
    }
    [Context] fn cuMemHostUnregister(start: *mut c_void) { memory::unregister(start.addr() as u64) }
    [Context] fn cuMemHostGetDevicePointer_v2(address: *mut u64, start: *mut c_void, _flags: c_uint) {
        put(address, memory::device_pointer(start.addr() as u64)?)
    }
    [Context] fn cuMemHostGetFlags(flags: *mut c_uint, start: *mut c_void) {
        let piece = known(start.addr() as u64)?;
        match piece.filter(|piece| piece.owner == Owner::Pinned) {
            Some(piece) => put(flags, piece.flags),
            None => Err(Failed::new(Code::InvalidValue, "the memory was not allocated by cuMemHostAlloc")),
        }
    }
    [Context] fn cuMemGetAddressRange_v2(start: *mut u64, bytes: *mut usize, address: u64) {
        let piece = known(address)?.ok_or_else(|| Failed::silent(Code::NotFound))?;
        put_wanted(start, piece.start)?;
        put_wanted(bytes, piece.bytes as usize)
    }
    [Context] fn cuPointerGetAttribute(value: *mut c_void, attribute: c_int, address: u64) {
        put_attribute(value, pointer_attribute(attribute, address)?)
    }
    [Context] fn cuPointerGetAttributes(count: c_uint, attributes: *const c_int, values: *const *mut c_void, address: u64) {
        let all = list(attributes, count as usize)?.into_iter().zip(list(values, count as usize)?);
        for (attribute, value) in all {
            // What an address does not have is zero.
            put_attribute(value, pointer_attribute(attribute, address).unwrap_or((0, 4)))?;
        }
        Ok(())
    }
    [Context] fn cuPointerSetAttribute(_value: *const c_void, _attribute: c_int, address: u64) { known(address).map(|_| ()) }

    [Context cuMemcpy_ptds] fn cuMemcpy(to: u64, from: u64, bytes: usize) { memory::copy(Side::Any(to), Side::Any(from), bytes) }
    [Context cuMemcpyAsync_ptsz] fn cuMemcpyAsync(to: u64, from: u64, bytes: usize, stream: *mut c_void) {
        copy_on(stream, Side::Any(to), Side::Any(from), bytes)
    }
    [Context cuMemcpyHtoD_v2_ptds] fn cuMemcpyHtoD_v2(to: u64, from: *const c_void, bytes: usize) {
        memory::copy(Side::Device(to), Side::Host(from.expose_provenance() as u64), bytes)
    }
    [Context cuMemcpyHtoDAsync_v2_ptsz] fn cuMemcpyHtoDAsync_v2(to: u64, from: *const c_void, bytes: usize, stream: *mut c_void) {
        copy_on(stream, Side::Device(to), Side::Host(from.expose_provenance() as u64), bytes)
    }
    [Context cuMemcpyDtoH_v2_ptds] fn cuMemcpyDtoH_v2(to: *mut c_void, from: u64, bytes: usize) {
        memory::copy(Side::Host(to.expose_provenance() as u64), Side::Device(from), bytes)
    }
    [Context cuMemcpyDtoHAsync_v2_ptsz] fn cuMemcpyDtoHAsync_v2(to: *mut c_void, from: u64, bytes: usize, stream: *mut c_void) {
        copy_on(stream, Side::Host(to.expose_provenance() as u64), Side::Device(from), bytes)
    }
    [Context cuMemcpyDtoD_v2_ptds] fn cuMemcpyDtoD_v2(to: u64, from: u64, bytes: usize) { memory::copy(Side::Device(to), Side::Device(from), bytes) }
    [Context cuMemcpyDtoDAsync_v2_ptsz] fn cuMemcpyDtoDAsync_v2(to: u64, from: u64, bytes: usize, stream: *mut c_void) {
        copy_on(stream, Side::Device(to), Side::Device(from), bytes)
    }
    [Context cuMemcpy2D_v2_ptds] fn cuMemcpy2D_v2(parameters: *const [u64; 16]) { copy_2d(parameters, NO_STREAM) }
    [Context cuMemcpy2DUnaligned_v2_ptds] fn cuMemcpy2DUnaligned_v2(parameters: *const [u64; 16]) { copy_2d(parameters, NO_STREAM) }
    [Context cuMemcpy2DAsync_v2_ptsz] fn cuMemcpy2DAsync_v2(parameters: *const [u64; 16], stream: *mut c_void) { copy_2d(parameters, stream) }
    [Context cuMemcpy3D_v2_ptds] fn cuMemcpy3D_v2(parameters: *const [u64; 25]) { copy_3d(parameters, NO_STREAM) }
    [Context cuMemcpy3DAsync_v2_ptsz] fn cuMemcpy3DAsync_v2(parameters: *const [u64; 25], stream: *mut c_void) { copy_3d(parameters, stream) }
    [Context cuMemsetD8_v2_ptds] fn cuMemsetD8_v2(to: u64, value: u8, count: usize) { memory::fill(to, &[value], count) }
    [Context cuMemsetD8Async_ptsz] fn cuMemsetD8Async(to: u64, value: u8, count: usize, stream: *mut c_void) {
        fill_on(stream, to, 0, &[value], [count, 1])
    }
    [Context cuMemsetD16_v2_ptds] fn cuMemsetD16_v2(to: u64, value: u16, count: usize) { memory::fill(to, &value.to_le_bytes(), count) }
    [Context cuMemsetD16Async_ptsz] fn cuMemsetD16Async(to: u64, value: u16, count: usize, stream: *mut c_void) {
        fill_on(stream, to, 0, &value.to_le_bytes(), [count, 1])
    }
    [Context cuMemsetD32_v2_ptds] fn cuMemsetD32_v2(to: u64, value: u32, count: usize) { memory::fill(to, &value.to_le_bytes(), count) }
    [Context cuMemsetD32Async_ptsz] fn cuMemsetD32Async(to: u64, value: u32, count: usize, stream: *mut c_void) {
        fill_on(stream, to, 0, &value.to_le_bytes(), [count, 1])
    }
    [Context cuMemsetD2D8_v2_ptds] fn cuMemsetD2D8_v2(to: u64, pitch: usize, value: u8, width: usize, height: usize) {
        fill_2d(to, pitch, &[value], width, height)
    }
    [Context cuMemsetD2D8Async_ptsz] fn cuMemsetD2D8Async(to: u64, pitch: usize, value: u8, width: usize, height: usize, stream: *mut c_void) {
        fill_on(stream, to, pitch, &[value], [width, height])
    }
    [Context cuMemsetD2D16_v2_ptds] fn cuMemsetD2D16_v2(to: u64, pitch: usize, value: u16, width: usize, height: usize) {
        fill_2d(to, pitch, &value.to_le_bytes(), width, height)
    }
    [Context cuMemsetD2D16Async_ptsz] fn cuMemsetD2D16Async(to: u64, pitch: usize, value: u16, width: usize, height: usize, stream: *mut c_void) {
        fill_on(stream, to, pitch, &value.to_le_bytes(), [width, height])
    }
    [Context cuMemsetD2D32_v2_ptds] fn cuMemsetD2D32_v2(to: u64, pitch: usize, value: u32, width: usize, height: usize) {
        fill_2d(to, pitch, &value.to_le_bytes(), width, height)
    }
    [Context cuMemsetD2D32Async_ptsz] fn cuMemsetD2D32Async(to: u64, pitch: usize, value: u32, width: usize, height: usize, stream: *mut c_void) {
        fill_on(stream, to, pitch, &value.to_le_bytes(), [width, height])
    }
}

/// Sets values on a stream.
fn fill_on(stream: *mut c_void, to: u64, pitch: usize, value: &[u8], size: [usize; 2]) -> Result<(), Failed> {
    let fill = Work::Fill {
        to,
        pitch: pitch as u64,
        value: value.to_vec(),
        size,
    };
    on_stream(stream, fill)
}

pub(super) fn fill_2d(to: u64, pitch: usize, value: &[u8], width: usize, height: usize) -> Result<(), Failed> {
    let rows = Rows {
        start: Side::Device(to),
        pitch: pitch as u64,
        height: 0,
    };
    memory::fill_rows(rows, value, [width, height, 1])
}
