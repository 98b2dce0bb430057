//! Memory: allocation, copies, symbols, and what pointers lead to.
#![allow(unsafe_code, non_snake_case)]

use std::ffi::{c_int, c_uint, c_void};
use std::ptr;

use super::call;
use super::registry::variable;
use crate::device::TOTAL_MEMORY;
use crate::driver::{known_stream, only};
use crate::exports::exports;
use crate::interface::{HandleKind, get, handle, number, put, put_bytes, put_wanted, refuse, with};
use crate::memory::{self, Region, Rows, Side};
use crate::result::{Code, Failed};
use crate::state::{Owner, Piece};

/// `cudaPitchedPtr`.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct Pitched {
    start: *mut c_void,
    pitch: usize,
    width: usize,
    height: usize,
}

/// `cudaExtent`: bytes of a row, rows, slices.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct Extent {
    width: usize,
    height: usize,
    depth: usize,
}

/// `cudaMemcpy3DParms`.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct Copy3D {
    from_array: *mut c_void,
    from_place: [usize; 3],
    from: Pitched,
    to_array: *mut c_void,
    to_place: [usize; 3],
    to: Pitched,
    extent: Extent,
    kind: c_int,
}

/// `cudaChannelFormatDesc`.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct Channels {
    bits: [c_int; 4],
    kind: c_int,
}

fn place_of(pointer: *const c_void) -> u64 {
    pointer.expose_provenance() as u64
}

fn pointer(address: u64) -> *mut c_void {
    ptr::with_exposed_provenance_mut(address as usize)
}

/// The sides of a copy by its kind: `cudaMemcpyHostToHost`, `HostToDevice`, `DeviceToHost`, `DeviceToDevice`, and `cudaMemcpyDefault`, by the addresses.
fn sides(to: u64, from: u64, kind: c_int) -> Result<(Side, Side), Failed> {
    Ok(match kind {
        0 => (Side::Host(to), Side::Host(from)),
        1 => (Side::Device(to), Side::Host(from)),
        2 => (Side::Host(to), Side::Device(from)),
        3 => (Side::Device(to), Side::Device(from)),
        4 => (Side::Any(to), Side::Any(from)),
        other => {
            return Err(Failed::new(
                Code::InvalidMemcpyDirection,
                format!("copies have no kind {other}"),
            ));
        }
    })
}

fn copy(to: *mut c_void, from: *const c_void, bytes: usize, kind: c_int) -> Result<(), Failed> {
    let (to, from) = sides(place_of(to), place_of(from), kind)?;
    memory::copy(to, from, bytes)
}

fn copy_2d(
    (to, to_pitch): (*mut c_void, usize),
    (from, from_pitch): (*const c_void, usize),
    width: usize,
    height: usize,
    kind: c_int,
) -> Result<(), Failed> {
    let (to, from) = sides(place_of(to), place_of(from), kind)?;
    let rows = |start, pitch: usize| {
        Region::Memory(Rows {
            start,
            pitch: pitch as u64,
            height: 0,
        })
    };
    if width > to_pitch || width > from_pitch {
        return Err(Failed::new(Code::InvalidValue, "rows are wider than their pitch"));
    }
    memory::copy_rows(rows(to, to_pitch), rows(from, from_pitch), [width, height, 1])
}

fn copy_3d(parameters: *const Copy3D) -> Result<(), Failed> {
    let given = get(parameters)?;
    if !given.from_array.is_null() || !given.to_array.is_null() {
        return Err(refuse("a copy of a CUDA array"));
    }
    let place = |[x, y, z]: [usize; 3], of: Pitched| {
        let rows = z.wrapping_mul(of.height).wrapping_add(y);
        place_of(of.start).wrapping_add(rows.wrapping_mul(of.pitch).wrapping_add(x) as u64)
    };
    let (to, from) = sides(
        place(given.to_place, given.to),
        place(given.from_place, given.from),
        given.kind,
    )?;
    let rows = |start, of: Pitched| {
        Region::Memory(Rows {
            start,
            pitch: of.pitch as u64,
            height: of.height as u64,
        })
    };
    let Extent { width, height, depth } = given.extent;
    memory::copy_rows(rows(to, given.to), rows(from, given.from), [width, height, depth])
}

fn set_2d(
    to: *mut c_void,
    pitch: usize,
    value: c_int,
    [width, height, depth]: [usize; 3],
    rows: usize,
) -> Result<(), Failed> {
    let all = Rows {
        start: Side::Device(place_of(to)),
        pitch: pitch as u64,
        height: rows as u64,
    };
    memory::fill_rows(all, &[value as u8], [width, height, depth])
}

/// Some bytes of a variable.
fn of_symbol(symbol: *const c_void, bytes: usize, offset: usize) -> Result<u64, Failed> {
    let (start, size) = variable(symbol)?;
    match offset.checked_add(bytes) {
        Some(end) if end as u64 <= size => Ok(start + offset as u64),
        _ => {
            let reason = format!("{bytes} bytes at {offset} of a variable of {size}");
            Err(Failed::new(Code::InvalidValue, reason))
        }
    }
}

fn to_symbol(
    symbol: *const c_void,
    from: *const c_void,
    bytes: usize,
    offset: usize,
    kind: c_int,
) -> Result<(), Failed> {
    let (to, from) = sides(of_symbol(symbol, bytes, offset)?, place_of(from), kind)?;
    memory::copy(to, from, bytes)
}

fn from_symbol(to: *mut c_void, symbol: *const c_void, bytes: usize, offset: usize, kind: c_int) -> Result<(), Failed> {
    let (to, from) = sides(place_of(to), of_symbol(symbol, bytes, offset)?, kind)?;
    memory::copy(to, from, bytes)
}

/// Allocates memory of the device; of 0 bytes there is none.
fn allocate(to: *mut *mut c_void, bytes: usize) -> Result<(), Failed> {
    match bytes {
        0 => put(to, ptr::null_mut()),
        _ => put(to, pointer(memory::allocate(bytes)?)),
    }
}

/// Allocates memory of the host.
fn allocate_pinned(to: *mut *mut c_void, bytes: usize, flags: c_uint) -> Result<(), Failed> {
    match bytes {
        0 => put(to, ptr::null_mut()),
        _ => put(to, pointer(memory::allocate_shared(bytes, Owner::Pinned, flags)?)),
    }
}

/// The bytes of `cudaPointerAttributes`.
fn pointer_attributes(of: *const c_void) -> Result<Vec<u8>, Failed> {
    /// Bytes of the structure.
    const SIZE: usize = 88;
    let place = place_of(of);
    let (piece, on_device) = with(|state| Ok((state.piece(place), state.is_on_device(place))))?;
    // cudaMemoryTypeUnregistered, -Host, -Device, -Managed.
    let (kind, device, for_device, for_host): (u32, i32, u64, u64) = match piece.map(|piece: Piece| piece.owner) {
        Some(Owner::Pinned | Owner::Registered) => (1, 0, place, place),
        Some(Owner::Managed) => (3, 0, place, place),
        Some(Owner::Device | Owner::Other) => (2, 0, place, 0),
        None if on_device => (2, 0, place, 0),
        None => (0, -2, 0, place),
    };
    let mut bytes = vec![0; SIZE];
    bytes[..4].copy_from_slice(&kind.to_le_bytes());
    bytes[4..8].copy_from_slice(&device.to_le_bytes());
    bytes[8..16].copy_from_slice(&for_device.to_le_bytes());
    bytes[16..24].copy_from_slice(&for_host.to_le_bytes());
    Ok(bytes)
}

/// Memory that is known.
fn known(of: *const c_void) -> Result<(), Failed> {
    let place = place_of(of);
    match with(|state| Ok(state.piece(place).is_some() || state.is_on_device(place)))? {
        true => Ok(()),
        false => Err(Failed::new(
            Code::InvalidValue,
            format!("{place:#x} is no memory of the device"),
        )),
    }
}

fn is_pool(pool: *mut c_void) -> Result<(), Failed> {
    number(HandleKind::Pool, pool).map(|_| ())
}

exports! { call;
    [Context] fn cudaMemGetInfo(free: *mut usize, total: *mut usize) {
        let used = with(|state| Ok(state.allocated()))?;
        put(free, (TOTAL_MEMORY - used.min(TOTAL_MEMORY)) as usize)?;
        put(total, TOTAL_MEMORY as usize)
    }
    [Context] fn cudaMalloc(to: *mut *mut c_void, bytes: usize) { allocate(to, bytes) }
    [Context cudaMallocAsync_ptsz] fn cudaMallocAsync(to: *mut *mut c_void, bytes: usize, stream: *mut c_void) {
        known_stream(stream)?;
        allocate(to, bytes)
    }
    [Context cudaMallocFromPoolAsync_ptsz] fn cudaMallocFromPoolAsync(to: *mut *mut c_void, bytes: usize, pool: *mut c_void, stream: *mut c_void) {
        is_pool(pool)?;
        known_stream(stream)?;
        allocate(to, bytes)
    }
    [Context] fn cudaFree(start: *mut c_void) { memory::free(place_of(start), &[Owner::Device, Owner::Managed]) }
    [Context cudaFreeAsync_ptsz] fn cudaFreeAsync(start: *mut c_void, stream: *mut c_void) {
        known_stream(stream)?;
        memory::free(place_of(start), &[Owner::Device, Owner::Managed])
    }
    [Context] fn cudaMallocPitch(to: *mut *mut c_void, pitch: *mut usize, width: usize, height: usize) {
        if width == 0 || height == 0 {
            put(pitch, 0)?;
            return put(to, ptr::null_mut());
        }
        let (start, bytes) = memory::allocate_pitched(width, height)?;
        put(pitch, bytes)?;
        put(to, pointer(start))
    }
    [Context] fn cudaMalloc3D(to: *mut Pitched, extent: Extent) {
        let rows = extent.height.checked_mul(extent.depth);
        let rows = rows.ok_or_else(|| Failed::new(Code::OutOfMemory, "more rows than there can be"))?;
        let (start, pitch) = match (extent.width, rows) {
            (0, _) | (_, 0) => (0, 0),
            (width, rows) => memory::allocate_pitched(width, rows)?,
        };
        put(to, Pitched { start: pointer(start), pitch, width: extent.width, height: extent.height })
    }
    [Context] fn cudaMallocHost(to: *mut *mut c_void, bytes: usize) { allocate_pinned(to, bytes, 0) }
    [Context] fn cudaHostAlloc(to: *mut *mut c_void, bytes: usize, flags: c_uint) {
        if flags > 7 {
            return Err(Failed::new(Code::InvalidValue, format!("memory of the host has no flags {flags:#x}")));
        }
        allocate_pinned(to, bytes, flags)
    }
    [Context] fn cudaFreeHost(start: *mut c_void) { memory::free(place_of(start), &[Owner::Pinned]) }
    [Context] fn cudaHostRegister(start: *mut c_void, bytes: usize, flags: c_uint) { memory::register(place_of(start), bytes, flags) }
    [Context] fn cudaHostUnregister(start: *mut c_void) { memory::unregister(place_of(start)) }
    [Context] fn cudaHostGetDevicePointer(to: *mut *mut c_void, start: *mut c_void, _flags: c_uint) {
        put(to, pointer(memory::device_pointer(place_of(start))?))
    }
    [Context] fn cudaHostGetFlags(flags: *mut c_uint, start: *mut c_void) {
        let piece = with(|state| Ok(state.piece(place_of(start))))?;
        match piece.filter(|piece| piece.owner == Owner::Pinned) {
            Some(piece) => put(flags, piece.flags),
            None => Err(Failed::new(Code::InvalidValue, "the memory was not allocated by cudaHostAlloc")),
        }
    }
    [Context] fn cudaMallocManaged(to: *mut *mut c_void, bytes: usize, flags: c_uint) {
        if bytes == 0 || !(1..=2).contains(&flags) {
            return Err(Failed::new(Code::InvalidValue, "managed memory has bytes, and is attached globally or to the host"));
        }
        put(to, pointer(memory::allocate_shared(bytes, Owner::Managed, flags)?))
    }
    [Context cudaMemPrefetchAsync_ptsz] fn cudaMemPrefetchAsync(of: *const c_void, _bytes: usize, _location: u64, _flags: c_uint, stream: *mut c_void) {
        known_stream(stream)?;
        known(of)
    }
    [Context] fn cudaMemAdvise(of: *const c_void, _bytes: usize, _advice: c_int, _location: u64) { known(of) }
    [Context] fn cudaPointerGetAttributes(at: *mut u8, of: *const c_void) { put_bytes(at, &pointer_attributes(of)?) }

    [Anywhere] fn cudaDeviceGetDefaultMemPool(to: *mut *mut c_void, which: c_int) { only(which).and_then(|()| put(to, handle(HandleKind::Pool, 0))) }
    [Anywhere] fn cudaDeviceGetMemPool(to: *mut *mut c_void, which: c_int) { only(which).and_then(|()| put(to, handle(HandleKind::Pool, 0))) }
    [Anywhere] fn cudaDeviceSetMemPool(which: c_int, pool: *mut c_void) { only(which).and_then(|()| is_pool(pool)) }
    [Anywhere] fn cudaMemPoolTrimTo(pool: *mut c_void, _bytes: usize) { is_pool(pool) }
    [Anywhere] fn cudaMemPoolSetAttribute(pool: *mut c_void, _attribute: c_int, value: *mut c_void) {
        is_pool(pool)?;
        get(value.cast::<u32>()).map(|_| ())
    }

    [Context cudaMemcpy_ptds] fn cudaMemcpy(to: *mut c_void, from: *const c_void, bytes: usize, kind: c_int) { copy(to, from, bytes, kind) }
    [Context cudaMemcpyAsync_ptsz] fn cudaMemcpyAsync(to: *mut c_void, from: *const c_void, bytes: usize, kind: c_int, stream: *mut c_void) {
        known_stream(stream)?;
        copy(to, from, bytes, kind)
    }
    [Context] fn cudaMemcpyPeer(to: *mut c_void, to_device: c_int, from: *const c_void, from_device: c_int, bytes: usize) {
        only(to_device)?;
        only(from_device)?;
        copy(to, from, bytes, 3)
    }
    [Context] fn cudaMemcpyPeerAsync(to: *mut c_void, to_device: c_int, from: *const c_void, from_device: c_int, bytes: usize, stream: *mut c_void) {
        only(to_device)?;
        only(from_device)?;
        known_stream(stream)?;
        copy(to, from, bytes, 3)
    }
    [Context cudaMemcpy2D_ptds] fn cudaMemcpy2D(
        to: *mut c_void,
        to_pitch: usize,
        from: *const c_void,
        from_pitch: usize,
        width: usize,
        height: usize,
        kind: c_int,
    ) { copy_2d((to, to_pitch), (from, from_pitch), width, height, kind) }
    [Context cudaMemcpy2DAsync_ptsz] fn cudaMemcpy2DAsync(
        to: *mut c_void,
        to_pitch: usize,
        from: *const c_void,
        from_pitch: usize,
        width: usize,
        height: usize,
        kind: c_int,
        stream: *mut c_void,
    ) {
        known_stream(stream)?;
        copy_2d((to, to_pitch), (from, from_pitch), width, height, kind)
    }
    [Context cudaMemcpy3D_ptds] fn cudaMemcpy3D(parameters: *const Copy3D) { copy_3d(parameters) }
    [Context cudaMemcpy3DAsync_ptsz] fn cudaMemcpy3DAsync(parameters: *const Copy3D, stream: *mut c_void) {
        known_stream(stream)?;
        copy_3d(parameters)
    }
    [Context cudaMemset_ptds] fn cudaMemset(to: *mut c_void, value: c_int, bytes: usize) { memory::fill(place_of(to), &[value as u8], bytes) }
    [Context cudaMemsetAsync_ptsz] fn cudaMemsetAsync(to: *mut c_void, value: c_int, bytes: usize, stream: *mut c_void) {
        known_stream(stream)?;
        memory::fill(place_of(to), &[value as u8], bytes)
    }
    [Context cudaMemset2D_ptds] fn cudaMemset2D(to: *mut c_void, pitch: usize, value: c_int, width: usize, height: usize) {
        set_2d(to, pitch, value, [width, height, 1], 0)
    }
    [Context cudaMemset2DAsync_ptsz] fn cudaMemset2DAsync(
        to: *mut c_void,
        pitch: usize,
        value: c_int,
        width: usize,
        height: usize,
        stream: *mut c_void,
    ) {
        known_stream(stream)?;
        set_2d(to, pitch, value, [width, height, 1], 0)
    }
    [Context cudaMemset3D_ptds] fn cudaMemset3D(to: Pitched, value: c_int, extent: Extent) {
        set_2d(to.start, to.pitch, value, [extent.width, extent.height, extent.depth], to.height)
    }
    [Context cudaMemset3DAsync_ptsz] fn cudaMemset3DAsync(to: Pitched, value: c_int, extent: Extent, stream: *mut c_void) {
        known_stream(stream)?;
        set_2d(to.start, to.pitch, value, [extent.width, extent.height, extent.depth], to.height)
    }
    [Context cudaMemcpyToSymbol_ptds] fn cudaMemcpyToSymbol(symbol: *const c_void, from: *const c_void, bytes: usize, offset: usize, kind: c_int) {
        to_symbol(symbol, from, bytes, offset, kind)
    }
    [Context cudaMemcpyToSymbolAsync_ptsz] fn cudaMemcpyToSymbolAsync(
        symbol: *const c_void,
        from: *const c_void,
        bytes: usize,
        offset: usize,
        kind: c_int,
        stream: *mut c_void,
    ) {
        known_stream(stream)?;
        to_symbol(symbol, from, bytes, offset, kind)
    }
    [Context cudaMemcpyFromSymbol_ptds] fn cudaMemcpyFromSymbol(to: *mut c_void, symbol: *const c_void, bytes: usize, offset: usize, kind: c_int) {
        from_symbol(to, symbol, bytes, offset, kind)
    }
    [Context cudaMemcpyFromSymbolAsync_ptsz] fn cudaMemcpyFromSymbolAsync(
        to: *mut c_void,
        symbol: *const c_void,
        bytes: usize,
        offset: usize,
        kind: c_int,
        stream: *mut c_void,
    ) {
        known_stream(stream)?;
        from_symbol(to, symbol, bytes, offset, kind)
    }
    [Context] fn cudaGetSymbolAddress(to: *mut *mut c_void, symbol: *const c_void) { put(to, pointer(variable(symbol)?.0)) }
    [Context] fn cudaGetSymbolSize(bytes: *mut usize, symbol: *const c_void) { put_wanted(bytes, variable(symbol)?.1 as usize) }
}

/// Functions that give no code.
#[cfg(test)]
pub(super) static PLAIN: &[&str] = &["cudaCreateChannelDesc"];

/// What a channel of texels is.
#[unsafe(no_mangle)]
extern "system" fn cudaCreateChannelDesc(x: c_int, y: c_int, z: c_int, w: c_int, kind: c_int) -> Channels {
    Channels {
        bits: [x, y, z, w],
        kind,
    }
}
