//! Memory: allocations, copies, fills, variables.

use std::ffi::{c_int, c_uint, c_void};
use std::ptr;

use crate::ByName as _;
use crate::array::{ARRAY, texel};
use crate::driver::Address;
use crate::registry::variable;
use crate::{Outcome, Stream, code, driver, exports, put};

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
    pub(crate) width: usize,
    pub(crate) height: usize,
    pub(crate) depth: usize,
}

/// `cudaMemLocation`, and the driver's.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct Location {
    kind: c_int,
    which: c_int,
}

/// `cudaMemcpy3DParms`.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct Parameters3D {
    from_array: *mut c_void,
    from_place: [usize; 3],
    from: Pitched,
    to_array: *mut c_void,
    to_place: [usize; 3],
    to: Pitched,
    extent: Extent,
    kind: c_int,
}

/// One side of a copy of rows: `CUDA_MEMCPY2D`.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct Side2D {
    pub(crate) x: usize,
    pub(crate) y: usize,
    pub(crate) kind: c_int,
    pub(crate) host: *const c_void,
    pub(crate) device: Address,
    pub(crate) array: *mut c_void,
    pub(crate) pitch: usize,
}

/// `CUDA_MEMCPY2D`.
#[repr(C)]
pub(crate) struct Copy2D {
    pub(crate) from: Side2D,
    pub(crate) to: Side2D,
    pub(crate) width: usize,
    pub(crate) height: usize,
}

/// One side of a copy of slices: `CUDA_MEMCPY3D`.
#[derive(Clone, Copy)]
#[repr(C)]
struct Side3D {
    x: usize,
    y: usize,
    z: usize,
    level: usize,
    kind: c_int,
    host: *const c_void,
    device: Address,
    array: *mut c_void,
    reserved: *mut c_void,
    pitch: usize,
    height: usize,
}

/// `CUDA_MEMCPY3D`.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct Copy3D {
    from: Side3D,
    to: Side3D,
    width: usize,
    height: usize,
    depth: usize,
}

/// `cudaIpcMemHandle_t`, `cudaIpcEventHandle_t`, and the driver's.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct ProcessHandle([u64; 8]);

/// `CU_MEMORYTYPE_HOST`, `_DEVICE`, `_ARRAY` and `_UNIFIED`.
const HOST: c_int = 1;
const DEVICE: c_int = 2;
const UNIFIED: c_int = 4;

/// `cudaMemcpyKind`: which sides are the device's.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Direction {
    HostToHost,
    HostToDevice,
    DeviceToHost,
    DeviceToDevice,
    /// The addresses say.
    Any,
}

impl Direction {
    pub(crate) fn of(kind: c_int) -> Result<Direction, c_int> {
        match kind {
            0 => Ok(Direction::HostToHost),
            1 => Ok(Direction::HostToDevice),
            2 => Ok(Direction::DeviceToHost),
            3 => Ok(Direction::DeviceToDevice),
            4 => Ok(Direction::Any),
            _ => Err(code::INVALID_COPY),
        }
    }

    /// The kinds of memory that are read and written.
    pub(crate) fn memories(self) -> [c_int; 2] {
        match self {
            Direction::HostToHost => [HOST, HOST],
            Direction::HostToDevice => [HOST, DEVICE],
            Direction::DeviceToHost => [DEVICE, HOST],
            Direction::DeviceToDevice => [DEVICE, DEVICE],
            Direction::Any => [UNIFIED, UNIFIED],
        }
    }
}

fn address(pointer: *const c_void) -> Address {
    pointer.expose_provenance() as Address
}

fn pointer(address: Address) -> *mut c_void {
    ptr::with_exposed_provenance_mut(address as usize)
}

/// Writes the address that an allocation gives.
fn allocated(to: *mut *mut c_void, allocate: impl FnOnce(&mut Address) -> Outcome) -> Outcome {
    if to.is_null() {
        return Err(code::INVALID_VALUE);
    }
    let mut address = 0;
    allocate(&mut address)?;
    put(to, pointer(address))
}

fn copy(to: *mut c_void, from: *const c_void, bytes: usize, kind: c_int) -> Outcome {
    let direction = Direction::of(kind)?;
    match direction {
        _ if bytes == 0 => Ok(()),
        Direction::HostToDevice => driver::cuMemcpyHtoD_v2(address(to), from, bytes),
        Direction::DeviceToHost => driver::cuMemcpyDtoH_v2(to, address(from), bytes),
        Direction::DeviceToDevice => driver::cuMemcpyDtoD_v2(address(to), address(from), bytes),
        Direction::HostToHost | Direction::Any => driver::cuMemcpy(address(to), address(from), bytes),
    }
}

fn copy_on(to: *mut c_void, from: *const c_void, bytes: usize, kind: c_int, stream: Stream) -> Outcome {
    let direction = Direction::of(kind)?;
    match direction {
        _ if bytes == 0 => Ok(()),
        Direction::HostToDevice => driver::cuMemcpyHtoDAsync_v2(address(to), from, bytes, stream.0),
        Direction::DeviceToHost => driver::cuMemcpyDtoHAsync_v2(to, address(from), bytes, stream.0),
        Direction::DeviceToDevice => driver::cuMemcpyDtoDAsync_v2(address(to), address(from), bytes, stream.0),
        Direction::HostToHost | Direction::Any => driver::cuMemcpyAsync(address(to), address(from), bytes, stream.0),
    }
}

/// One side of a copy of rows.
pub(crate) fn side(memory: c_int, start: *const c_void, pitch: usize) -> Side2D {
    Side2D {
        x: 0,
        y: 0,
        kind: memory,
        host: start,
        device: address(start),
        array: ptr::null_mut(),
        pitch,
    }
}

/// A copy of rows: where it goes, its pitch, where it comes from, its pitch, width and height.
fn rows(
    to: *mut c_void,
    to_pitch: usize,
    from: *const c_void,
    from_pitch: usize,
    size: [usize; 2],
    kind: c_int,
) -> Result<Copy2D, c_int> {
    let [from_kind, to_kind] = Direction::of(kind)?.memories();
    Ok(Copy2D {
        from: side(from_kind, from, from_pitch),
        to: side(to_kind, to, to_pitch),
        width: size[0],
        height: size[1],
    })
}

/// One side of a copy of slices: an array, whose places count texels of so many bytes, or memory.
fn side_3d(memory: c_int, of: Pitched, array: Option<(*mut c_void, usize)>, place: [usize; 3]) -> Side3D {
    let (array, texel) = array.unwrap_or((ptr::null_mut(), 1));
    let memory = if array.is_null() { memory } else { ARRAY };
    Side3D {
        x: place[0] * texel,
        y: place[1],
        z: place[2],
        level: 0,
        kind: memory,
        host: of.start,
        device: address(of.start),
        array,
        reserved: ptr::null_mut(),
        pitch: of.pitch,
        height: of.height,
    }
}

/// A copy of slices as programs give it, of what the driver has.
pub(crate) fn given_slices(copy: &Copy3D) -> Result<Parameters3D, c_int> {
    let with_texel = |side: &Side3D| match side.kind == ARRAY {
        true => texel(side.array),
        false => Ok(1),
    };
    let pitched = |side: &Side3D| Pitched {
        start: if side.kind == HOST {
            side.host.cast_mut()
        } else {
            pointer(side.device)
        },
        pitch: side.pitch,
        width: copy.width,
        height: side.height,
    };
    let (from_texel, to_texel) = (with_texel(&copy.from)?, with_texel(&copy.to)?);
    let is_host = |side: &Side3D| side.kind == HOST;
    let kind = match (is_host(&copy.from), is_host(&copy.to)) {
        _ if copy.from.kind == UNIFIED || copy.to.kind == UNIFIED => 4,
        (true, true) => 0,
        (true, false) => 1,
        (false, true) => 2,
        (false, false) => 3,
    };
    Ok(Parameters3D {
        from_array: copy.from.array,
        from_place: [copy.from.x / from_texel, copy.from.y, copy.from.z],
        from: pitched(&copy.from),
        to_array: copy.to.array,
        to_place: [copy.to.x / to_texel, copy.to.y, copy.to.z],
        to: pitched(&copy.to),
        extent: Extent {
            width: copy.width / from_texel.max(to_texel),
            height: copy.height,
            depth: copy.depth,
        },
        kind,
    })
}

/// A copy of slices as the driver has it.
pub(crate) fn slices(parameters: *const Parameters3D) -> Result<Copy3D, c_int> {
    if parameters.is_null() {
        return Err(code::INVALID_VALUE);
    }
    // SAFETY: the caller of the runtime gives its structure.
    let given = unsafe { parameters.read() };
    let with_texel = |array: *mut c_void| match array.is_null() {
        true => Ok(None),
        false => texel(array).map(|bytes| Some((array, bytes))),
    };
    let (from_array, to_array) = (with_texel(given.from_array)?, with_texel(given.to_array)?);
    // Where an array takes part the width counts texels.
    let unit = from_array.or(to_array).map_or(1, |(_, texel)| texel);
    let [from_kind, to_kind] = Direction::of(given.kind)?.memories();
    Ok(Copy3D {
        from: side_3d(from_kind, given.from, from_array, given.from_place),
        to: side_3d(to_kind, given.to, to_array, given.to_place),
        width: given.extent.width.checked_mul(unit).ok_or(code::INVALID_VALUE)?,
        height: given.extent.height,
        depth: given.extent.depth,
    })
}

/// Fills rows on a stream, one after the other.
fn fill_rows(start: *mut c_void, pitch: usize, value: c_int, width: usize, height: usize, stream: Stream) -> Outcome {
    let rows = (0..height).map(|row| address(start) + (row * pitch) as Address);
    rows.into_iter()
        .try_for_each(|row| driver::cuMemsetD8Async(row, value as u8, width, stream.0))
}

/// Fills slices on a stream.
fn fill_3d(to: Pitched, value: c_int, extent: Extent, stream: Stream) -> Outcome {
    (0..extent.depth).try_for_each(|slice| {
        let start = pointer(address(to.start) + (slice * to.pitch * to.height) as Address);
        fill_rows(start, to.pitch, value, extent.width, extent.height, stream)
    })
}

/// A copy of bytes as the driver's nodes of graphs have it: a row.
pub(crate) fn bytes(to: *mut c_void, from: *const c_void, count: usize, kind: c_int) -> Result<Copy3D, c_int> {
    let [from_kind, to_kind] = Direction::of(kind)?.memories();
    let row = |start: *mut c_void| Pitched {
        start,
        pitch: count,
        width: count,
        height: 1,
    };
    Ok(Copy3D {
        from: side_3d(from_kind, row(from.cast_mut()), None, [0; 3]),
        to: side_3d(to_kind, row(to), None, [0; 3]),
        width: count,
        height: 1,
        depth: 1,
    })
}

/// A place in a variable, if so many bytes are there.
pub(crate) fn in_variable(symbol: *const c_void, bytes: usize, offset: usize) -> Result<*mut c_void, c_int> {
    let (start, size) = variable(symbol)?;
    match offset.checked_add(bytes).is_some_and(|end| end <= size) {
        true => Ok(pointer(start + offset as Address)),
        false => Err(code::INVALID_VALUE),
    }
}

/// `cudaPointerAttributes`.
#[repr(C)]
pub(crate) struct PointerAttributes {
    kind: c_int,
    device: c_int,
    on_device: *mut c_void,
    on_host: *mut c_void,
    reserved: [u64; 8],
}

/// `CU_POINTER_ATTRIBUTE_MEMORY_TYPE`, `_DEVICE_POINTER`, `_HOST_POINTER`, `_IS_MANAGED` and `_DEVICE_ORDINAL`.
const MEMORY_TYPE: c_int = 2;
const DEVICE_POINTER: c_int = 3;
const HOST_POINTER: c_int = 4;
const IS_MANAGED: c_int = 8;
const ORDINAL: c_int = 9;

fn attribute<T: Copy>(number: c_int, of: *const c_void, mut value: T) -> Option<T> {
    driver::cuPointerGetAttribute(ptr::from_mut(&mut value).cast(), number, address(of)).ok()?;
    Some(value)
}

fn pointer_attributes(of: *const c_void) -> PointerAttributes {
    let mut found = PointerAttributes {
        kind: 0,
        device: -2,
        on_device: ptr::null_mut(),
        on_host: of.cast_mut(),
        reserved: [0; 8],
    };
    // What the driver does not know is the host's own.
    let Some(memory) = attribute(MEMORY_TYPE, of, 0_u32) else {
        return found;
    };
    let is_managed = attribute(IS_MANAGED, of, 0_u32).is_some_and(|managed| managed & 0xff != 0);
    found.kind = if is_managed { 3 } else { memory as c_int };
    found.device = attribute(ORDINAL, of, 0_i32).unwrap_or(0);
    found.on_device = pointer(attribute(DEVICE_POINTER, of, 0_u64).unwrap_or(0));
    found.on_host = pointer(attribute(HOST_POINTER, of, 0_u64).unwrap_or(0));
    found
}

exports! {
    [context] fn cudaIpcGetMemHandle(handle: *mut ProcessHandle, pointer: *mut c_void) { driver::cuIpcGetMemHandle(handle, address(pointer)) }
    [context] fn cudaIpcOpenMemHandle(to: *mut *mut c_void, handle: ProcessHandle, flags: c_uint) {
        let mut found = 0;
        driver::cuIpcOpenMemHandle_v2(&mut found, handle, flags)?;
        put(to, pointer(found))
    }
    [context] fn cudaIpcCloseMemHandle(pointer: *mut c_void) { driver::cuIpcCloseMemHandle(address(pointer)) }
    [context] fn cudaMemGetInfo(free: *mut usize, total: *mut usize) { driver::cuMemGetInfo_v2(free, total) }
    [context] fn cudaMalloc(to: *mut *mut c_void, bytes: usize) {
        if bytes == 0 {
            return put(to, ptr::null_mut());
        }
        allocated(to, |address| driver::cuMemAlloc_v2(address, bytes))
    }
    [context] fn cudaFree(start: *mut c_void) { if start.is_null() { Ok(()) } else { driver::cuMemFree_v2(address(start)) } }
    [context] fn cudaMallocHost(to: *mut *mut c_void, bytes: usize) { driver::cuMemHostAlloc(to, bytes, 0) }
    [context] fn cudaHostAlloc(to: *mut *mut c_void, bytes: usize, flags: c_uint) { driver::cuMemHostAlloc(to, bytes, flags) }
    [context] fn cudaFreeHost(start: *mut c_void) { if start.is_null() { Ok(()) } else { driver::cuMemFreeHost(start) } }
    [context] fn cudaHostRegister(start: *mut c_void, bytes: usize, flags: c_uint) { driver::cuMemHostRegister_v2(start, bytes, flags) }
    [context] fn cudaHostUnregister(start: *mut c_void) { driver::cuMemHostUnregister(start) }
    [context] fn cudaHostGetDevicePointer(to: *mut *mut c_void, start: *mut c_void, flags: c_uint) {
        allocated(to, |address| driver::cuMemHostGetDevicePointer_v2(address, start, flags))
    }
    [context] fn cudaHostGetFlags(flags: *mut c_uint, start: *mut c_void) { driver::cuMemHostGetFlags(flags, start) }
    [context] fn cudaMallocManaged(to: *mut *mut c_void, bytes: usize, flags: c_uint) { allocated(to, |address| driver::cuMemAllocManaged(address, bytes, flags)) }
    [context] fn cudaMallocPitch(to: *mut *mut c_void, pitch: *mut usize, width: usize, height: usize) {
        if width == 0 || height == 0 {
            put(pitch, 0)?;
            return put(to, ptr::null_mut());
        }
        allocated(to, |address| driver::cuMemAllocPitch_v2(address, pitch, width, height, 4))
    }
    [context] fn cudaMalloc3D(to: *mut Pitched, extent: Extent) {
        let (mut start, mut pitch) = (0, 0);
        let rows = extent.height.checked_mul(extent.depth).ok_or(code::MEMORY_ALLOCATION)?;
        if extent.width != 0 && rows != 0 {
            driver::cuMemAllocPitch_v2(&mut start, &mut pitch, extent.width, rows, 4)?;
        }
        put(to, Pitched { start: pointer(start), pitch, width: extent.width, height: extent.height })
    }
    [context cudaMallocAsync_ptsz] fn cudaMallocAsync(to: *mut *mut c_void, bytes: usize, stream: Stream) { allocated(to, |address| driver::cuMemAllocAsync(address, bytes, stream.0)) }
    [context cudaFreeAsync_ptsz] fn cudaFreeAsync(start: *mut c_void, stream: Stream) { driver::cuMemFreeAsync(address(start), stream.0) }
    [context cudaMallocFromPoolAsync_ptsz] fn cudaMallocFromPoolAsync(to: *mut *mut c_void, bytes: usize, pool: *mut c_void, stream: Stream) {
        allocated(to, |address| driver::cuMemAllocFromPoolAsync(address, bytes, pool, stream.0))
    }
    [context] fn cudaMemPoolCreate(pool: *mut *mut c_void, properties: *const c_void) { driver::cuMemPoolCreate(pool, properties) }
    [context] fn cudaMemPoolDestroy(pool: *mut c_void) { driver::cuMemPoolDestroy(pool) }
    [context] fn cudaMemPoolTrimTo(pool: *mut c_void, bytes: usize) { driver::cuMemPoolTrimTo(pool, bytes) }
    [context] fn cudaMemPoolSetAttribute(pool: *mut c_void, attribute: c_int, value: *mut c_void) { driver::cuMemPoolSetAttribute(pool, attribute, value) }
    [context] fn cudaMemPoolGetAttribute(pool: *mut c_void, attribute: c_int, value: *mut c_void) { driver::cuMemPoolGetAttribute(pool, attribute, value) }
    [context] fn cudaMemPoolSetAccess(pool: *mut c_void, list: *const c_void, count: usize) { driver::cuMemPoolSetAccess(pool, list, count) }
    [context cudaMemPrefetchAsync_ptsz] fn cudaMemPrefetchAsync(of: *const c_void, bytes: usize, location: Location, flags: c_uint, stream: Stream) {
        driver::cuMemPrefetchAsync_v2(address(of), bytes, location, flags, stream.0)
    }
    [context] fn cudaMemAdvise(of: *const c_void, bytes: usize, advice: c_int, location: Location) { driver::cuMemAdvise_v2(address(of), bytes, advice, location) }
    [context] fn cudaMemRangeGetAttributes(data: *mut *mut c_void, sizes: *mut usize, attributes: *mut c_int, count: usize, of: *const c_void, bytes: usize) {
        driver::cuMemRangeGetAttributes(data, sizes, attributes, count, address(of), bytes)
    }
    [context cudaMemcpyBatchAsync_ptsz] fn cudaMemcpyBatchAsync(to: *const Address, from: *const Address, sizes: *const usize, count: usize, attributes: *const c_void, starts: *const usize, of_attributes: usize, stream: Stream) {
        driver::cuMemcpyBatchAsync_v2(to, from, sizes, count, attributes, starts, of_attributes, stream.0)
    }
    [context cudaMemPrefetchBatchAsync_ptsz] fn cudaMemPrefetchBatchAsync(of: *const Address, sizes: *const usize, count: usize, places: *const c_void, starts: *const usize, of_places: usize, flags: u64, stream: Stream) {
        driver::cuMemPrefetchBatchAsync(of, sizes, count, places, starts, of_places, flags, stream.0)
    }
    [context cudaMemDiscardBatchAsync_ptsz] fn cudaMemDiscardBatchAsync(of: *const Address, sizes: *const usize, count: usize, flags: u64, stream: Stream) {
        driver::cuMemDiscardBatchAsync(of, sizes, count, flags, stream.0)
    }
    [context cudaMemDiscardAndPrefetchBatchAsync_ptsz] fn cudaMemDiscardAndPrefetchBatchAsync(of: *const Address, sizes: *const usize, count: usize, places: *const c_void, starts: *const usize, of_places: usize, flags: u64, stream: Stream) {
        driver::cuMemDiscardAndPrefetchBatchAsync(of, sizes, count, places, starts, of_places, flags, stream.0)
    }
    [context] fn cudaMemGetDefaultMemPool(pool: *mut *mut c_void, place: *const c_void, kind: c_int) { driver::cuMemGetDefaultMemPool(pool, place, kind) }
    [context] fn cudaMemGetMemPool(pool: *mut *mut c_void, place: *const c_void, kind: c_int) { driver::cuMemGetMemPool(pool, place, kind) }
    [context] fn cudaMemSetMemPool(place: *const c_void, kind: c_int, pool: *mut c_void) { driver::cuMemSetMemPool(place, kind, pool) }
    [context] fn cudaMemPoolGetAccess(flags: *mut c_int, pool: *mut c_void, place: *const c_void) { driver::cuMemPoolGetAccess(flags, pool, place) }
    [context] fn cudaMemRangeGetAttribute(data: *mut c_void, size: usize, attribute: c_int, of: *const c_void, bytes: usize) {
        driver::cuMemRangeGetAttribute(data, size, attribute, address(of), bytes)
    }
    [context] fn cudaPointerGetAttributes(to: *mut PointerAttributes, of: *const c_void) { put(to, pointer_attributes(of)) }
    [context cudaMemcpy_ptds] fn cudaMemcpy(to: *mut c_void, from: *const c_void, bytes: usize, kind: c_int) { copy(to, from, bytes, kind) }
    [context cudaMemcpyAsync_ptsz] fn cudaMemcpyAsync(to: *mut c_void, from: *const c_void, bytes: usize, kind: c_int, stream: Stream) { copy_on(to, from, bytes, kind, stream) }
    [context] fn cudaMemcpyPeer(to: *mut c_void, _to_device: c_int, from: *const c_void, _from_device: c_int, bytes: usize) { copy(to, from, bytes, 4) }
    [context] fn cudaMemcpyPeerAsync(to: *mut c_void, _to_device: c_int, from: *const c_void, _from_device: c_int, bytes: usize, stream: Stream) { copy_on(to, from, bytes, 4, stream) }
    [context cudaMemcpy2D_ptds] fn cudaMemcpy2D(to: *mut c_void, to_pitch: usize, from: *const c_void, from_pitch: usize, width: usize, height: usize, kind: c_int) {
        driver::cuMemcpy2DUnaligned_v2(&rows(to, to_pitch, from, from_pitch, [width, height], kind)?)
    }
    [context cudaMemcpy2DAsync_ptsz] fn cudaMemcpy2DAsync(to: *mut c_void, to_pitch: usize, from: *const c_void, from_pitch: usize, width: usize, height: usize, kind: c_int, stream: Stream) {
        driver::cuMemcpy2DAsync_v2(&rows(to, to_pitch, from, from_pitch, [width, height], kind)?, stream.0)
    }
    [context cudaMemcpy3D_ptds] fn cudaMemcpy3D(parameters: *const Parameters3D) { driver::cuMemcpy3D_v2(&slices(parameters)?) }
    [context cudaMemcpy3DAsync_ptsz] fn cudaMemcpy3DAsync(parameters: *const Parameters3D, stream: Stream) { driver::cuMemcpy3DAsync_v2(&slices(parameters)?, stream.0) }
    [context cudaMemset_ptds] fn cudaMemset(to: *mut c_void, value: c_int, bytes: usize) { driver::cuMemsetD8_v2(address(to), value as u8, bytes) }
    [context cudaMemsetAsync_ptsz] fn cudaMemsetAsync(to: *mut c_void, value: c_int, bytes: usize, stream: Stream) { driver::cuMemsetD8Async(address(to), value as u8, bytes, stream.0) }
    [context cudaMemset2D_ptds] fn cudaMemset2D(to: *mut c_void, pitch: usize, value: c_int, width: usize, height: usize) { driver::cuMemsetD2D8_v2(address(to), pitch, value as u8, width, height) }
    [context cudaMemset2DAsync_ptsz] fn cudaMemset2DAsync(to: *mut c_void, pitch: usize, value: c_int, width: usize, height: usize, stream: Stream) {
        fill_rows(to, pitch, value, width, height, stream)
    }
    [context cudaMemset3D_ptds] fn cudaMemset3D(to: Pitched, value: c_int, extent: Extent) { fill_3d(to, value, extent, Stream(ptr::null_mut())) }
    [context cudaMemset3DAsync_ptsz] fn cudaMemset3DAsync(to: Pitched, value: c_int, extent: Extent, stream: Stream) { fill_3d(to, value, extent, stream) }
    [context cudaMemcpyToSymbol_ptds] fn cudaMemcpyToSymbol(symbol: *const c_void, from: *const c_void, bytes: usize, offset: usize, kind: c_int) {
        copy(in_variable(symbol, bytes, offset)?, from, bytes, kind)
    }
    [context cudaMemcpyFromSymbol_ptds] fn cudaMemcpyFromSymbol(to: *mut c_void, symbol: *const c_void, bytes: usize, offset: usize, kind: c_int) {
        copy(to, in_variable(symbol, bytes, offset)?, bytes, kind)
    }
    [context cudaMemcpyToSymbolAsync_ptsz] fn cudaMemcpyToSymbolAsync(symbol: *const c_void, from: *const c_void, bytes: usize, offset: usize, kind: c_int, stream: Stream) {
        copy_on(in_variable(symbol, bytes, offset)?, from, bytes, kind, stream)
    }
    [context cudaMemcpyFromSymbolAsync_ptsz] fn cudaMemcpyFromSymbolAsync(to: *mut c_void, symbol: *const c_void, bytes: usize, offset: usize, kind: c_int, stream: Stream) {
        copy_on(to, in_variable(symbol, bytes, offset)?, bytes, kind, stream)
    }
}
