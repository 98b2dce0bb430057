//! The driver API: functions with the names, numbers and structures of its public documentation.
#![allow(unsafe_code, non_snake_case)]

use std::ffi::{c_char, c_int, c_uint, c_void};
use std::ptr;

use warpsmith_emu::{Swizzle, TENSOR_MAP_BYTES, TensorBox, TensorElement, TensorMap};

use crate::interface::{Host, code, cubin, handle, list, number, put, put_bytes, text, with};
use crate::state::{Code, Extents, Failed, HostMemory, State, encode};

/// `CUlaunchAttribute`: a number, 4 unused bytes, and a union of 64 bytes aligned to 8, of which the first 12 are a cluster's extents.
#[repr(C, align(8))]
struct LaunchAttribute {
    id: c_uint,
    unused: [u8; 4],
    extents: [c_uint; 3],
    rest: [u8; 52],
}

/// `CUlaunchConfig`.
#[repr(C)]
pub(crate) struct LaunchConfig {
    grid: [c_uint; 3],
    block: [c_uint; 3],
    shared: c_uint,
    stream: *mut c_void,
    attributes: *const LaunchAttribute,
    attribute_count: c_uint,
}

/// `CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION`.
const CLUSTER_DIMENSION: c_uint = 4;
/// `CU_LAUNCH_PARAM_END`, `CU_LAUNCH_PARAM_BUFFER_POINTER` and `CU_LAUNCH_PARAM_BUFFER_SIZE`.
const PARAMETER_END: usize = 0;
const PARAMETER_BUFFER: usize = 1;
const PARAMETER_SIZE: usize = 2;
/// The version of CUDA whose driver this is: 13.0.
pub(crate) const VERSION: c_int = 13_000;
/// Bytes of memory that the device says it has.
const TOTAL_MEMORY: usize = 64 << 30;

fn load(module: *mut *mut c_void, image: *const c_void) -> Result<(), Failed> {
    let cubin = cubin(image)?;
    put(module, handle(with(|state| state.load(cubin))?))
}

/// Runs a kernel with its parameters, given one by one or as one piece.
pub(crate) fn launch(
    kernel: *mut c_void,
    extents: Extents,
    each: *const *const u8,
    extra: *const *const c_void,
) -> Result<(), Failed> {
    with(|state| {
        let kernel = number(kernel);
        let places = state.known(kernel)?.parameters.clone();
        let arguments: Vec<Vec<u8>> = if extra.is_null() {
            let each = list(each, places.len())?;
            let given = each.into_iter().zip(&places);
            given
                .map(|(from, (_, size))| list(from, *size as usize))
                .collect::<Result<_, _>>()?
        } else {
            let piece = piece(extra)?;
            let cut = places.iter().map(|(offset, size)| {
                let bytes = piece.get(*offset as usize..(offset + size) as usize);
                bytes
                    .map(<[u8]>::to_vec)
                    .ok_or_else(|| Failed::new(Code::InvalidValue, "there are parameters missing"))
            });
            cut.collect::<Result<_, _>>()?
        };
        state.launch(kernel, extents, arguments, &Host)
    })
}

/// The parameters as `CU_LAUNCH_PARAM_BUFFER_POINTER` and `_SIZE` give them.
fn piece(extra: *const *const c_void) -> Result<Vec<u8>, Failed> {
    let (mut from, mut size) = (ptr::null(), 0);
    for index in 0.. {
        let [what, value] = list(extra.wrapping_add(2 * index), 2)?[..] else {
            break;
        };
        match what.addr() {
            PARAMETER_BUFFER => from = value.cast(),
            PARAMETER_SIZE => size = list::<usize>(value.cast(), 1)?[0],
            PARAMETER_END => break,
            other => {
                return Err(Failed::new(
                    Code::InvalidValue,
                    format!("launches have no extra {other}"),
                ));
            }
        }
        if list(extra.wrapping_add(2 * index + 2), 1)?[0].addr() == PARAMETER_END {
            break;
        }
    }
    list(from, size)
}

/// `cuDeviceGetAttribute`: a number of a device, by that of `CUdevice_attribute`.
pub(crate) fn attribute(state: &State, attribute: c_int) -> Option<u32> {
    let info = state.settings.sm.info();
    let (occupancy, digits) = (&info.occupancy, u32::from(info.number));
    let [block, grid] = [occupancy.max_cta_dimensions, occupancy.max_grid_dimensions];
    #[rustfmt::skip]
    let value = match attribute {
        1 => occupancy.max_threads_per_cta,                     // MAX_THREADS_PER_BLOCK
        2..=4 => block[attribute as usize - 2],                 // MAX_BLOCK_DIM_X, _Y, _Z
        5..=7 => grid[attribute as usize - 5],                  // MAX_GRID_DIM_X, _Y, _Z
        8 => info.shared.static_limit,                          // MAX_SHARED_MEMORY_PER_BLOCK
        9 => info.memory.constant_bank_bytes,                   // TOTAL_CONSTANT_MEMORY
        10 => occupancy.warp_size,                              // WARP_SIZE
        12 | 82 => info.registers.per_sm,                       // MAX_REGISTERS_PER_BLOCK, _PER_MULTIPROCESSOR
        13 | 36 => 1_000_000,                                   // CLOCK_RATE, MEMORY_CLOCK_RATE, in kHz: made up
        16 => state.settings.multiprocessors,                   // MULTIPROCESSOR_COUNT
        37 => 512,                                              // GLOBAL_MEMORY_BUS_WIDTH, in bits: made up
        38 => 32 << 20,                                         // L2_CACHE_SIZE: made up
        39 => occupancy.max_threads_per_sm,                     // MAX_THREADS_PER_MULTIPROCESSOR
        41 | 95 => 1,                                           // UNIFIED_ADDRESSING, COOPERATIVE_LAUNCH
        75 => digits / 10,                                      // COMPUTE_CAPABILITY_MAJOR
        76 => digits % 10,                                      // COMPUTE_CAPABILITY_MINOR
        81 => info.shared.per_sm,                               // MAX_SHARED_MEMORY_PER_MULTIPROCESSOR
        83 => 0,                                                // MANAGED_MEMORY
        97 => info.shared.max_per_cta,                          // MAX_SHARED_MEMORY_PER_BLOCK_OPTIN
        120 => u32::from(occupancy.max_cluster_size > 1),       // CLUSTER_LAUNCH
        _ => return None,
    };
    Some(value)
}

/// The numbers of `cuTensorMapEncode…` that both kinds of maps have.
fn tensor_map(
    element: c_uint,
    rank: u32,
    address: u64,
    (sizes, strides, steps): (*const u64, *const u64, *const u32),
    (interleave, swizzle, fill): (c_uint, c_uint, c_uint),
) -> Result<TensorMap, Failed> {
    let wrong = |what: &str| Failed::new(Code::InvalidValue, format!("a tensor map whose {what} there is not"));
    #[rustfmt::skip]
    const ELEMENTS: [TensorElement; 16] = [
        TensorElement::U8, TensorElement::U16, TensorElement::U32, TensorElement::S32, TensorElement::U64, TensorElement::S64, TensorElement::F16,
        TensorElement::F32, TensorElement::F64, TensorElement::Bf16, TensorElement::F32Ftz, TensorElement::Tf32, TensorElement::Tf32Ftz,
        TensorElement::B4x16, TensorElement::B4x16P64, TensorElement::B6x16P32,
    ];
    #[rustfmt::skip]
    const SWIZZLES: [Swizzle; 7] = [
        Swizzle::None, Swizzle::B32, Swizzle::B64, Swizzle::B128, Swizzle::B128Atom32, Swizzle::B128Atom32Flip8, Swizzle::B128Atom64,
    ];
    if !(1..=5).contains(&rank) {
        return Err(wrong("rank"));
    }
    let element = *ELEMENTS.get(element as usize).ok_or_else(|| wrong("element type"))?;
    let count = rank as usize;
    let mut map = TensorMap::tiled(address, element, &list(sizes, count)?, &[1; 5][..count]);
    map.strides[..count - 1].copy_from_slice(&list(strides, count - 1)?);
    map.element_strides[..count].copy_from_slice(&list(steps, count)?);
    map.interleave = interleave;
    map.swizzle = *SWIZZLES.get(swizzle as usize).ok_or_else(|| wrong("swizzle"))?;
    map.fill_nan = fill == 1;
    Ok(map)
}

/// Memory set to one value of so many bytes again and again.
pub(crate) fn fill(address: u64, value: &[u8], count: usize) -> Result<(), Failed> {
    write(address, &value.repeat(count))
}

/// Writes memory of the device or registered memory of the host.
pub(crate) fn write(address: u64, bytes: &[u8]) -> Result<(), Failed> {
    with(|state| {
        if state.is_registered(address, bytes.len()) {
            Host.write(address, bytes);
            return Ok(());
        }
        let written = state.device.write(address, bytes);
        written.map_err(|fault| Failed::new(Code::InvalidValue, fault))
    })
}

pub(crate) fn read(address: u64, length: usize) -> Result<Vec<u8>, Failed> {
    with(|state| {
        if state.is_registered(address, length) {
            return Ok(Host.read(address, length));
        }
        let held = state.device.read(address, length as u64);
        held.map_err(|fault| Failed::new(Code::InvalidValue, fault))
    })
}

/// Copies to memory of the program.
pub(crate) fn copy_out(to: *mut c_void, address: u64, length: usize) -> Result<(), Failed> {
    put_bytes(to.cast(), &read(address, length)?)
}

/// Nothing to do, as everything is done when its call returns.
fn nothing() -> Result<(), Failed> {
    Ok(())
}

/// The only device is number 0.
fn only(device: c_int) -> Result<(), Failed> {
    match device {
        0 => Ok(()),
        other => Err(Failed::new(Code::InvalidDevice, format!("there is no device {other}"))),
    }
}

/// What the name or the words of a code are.
fn describe(
    to: *mut *const c_char,
    wanted: c_int,
    words: fn(&(Code, &'static str, &'static str)) -> &'static str,
) -> Result<(), Failed> {
    let known = Code::ALL.iter().find(|(code, ..)| *code as c_int == wanted);
    match known {
        Some(known) => put(to, words(known).as_ptr().cast()),
        None => Err(Failed::new(Code::InvalidValue, format!("there is no result {wanted}"))),
    }
}

/// Declares the exported functions, and the list in which `cuGetProcAddress` finds them.
macro_rules! exports {
    ($(fn $name:ident($($parameter:ident: $type:ty),* $(,)?) $body:block)*) => {
        $(
            // SAFETY of the name: it is the driver's, which the library is there to stand in for.
            #[unsafe(no_mangle)]
            extern "system" fn $name($($parameter: $type),*) -> c_int {
                code(move || $body)
            }
        )*

        /// The function of a name.
        pub(crate) fn address(name: &str) -> Option<*const c_void> {
            match name {
                $(stringify!($name) => Some($name as *const c_void),)*
                _ => None,
            }
        }
    };
}

exports! {
    fn cuInit(_flags: c_uint) { with(|_| Ok(())) }
    fn cuDriverGetVersion(version: *mut c_int) { put(version, VERSION) }
    fn cuGetErrorName(error: c_int, name: *mut *const c_char) { describe(name, error, |known| known.1) }
    fn cuGetErrorString(error: c_int, words: *mut *const c_char) { describe(words, error, |known| known.2) }
    fn cuGetProcAddress_v2(name: *const c_char, function: *mut *const c_void, _version: c_int, _flags: u64, found: *mut c_int) {
        let name = text(name)?;
        let newest = [format!("{name}_v2"), name.clone()];
        let address = newest.iter().find_map(|name| address(name));
        if !found.is_null() {
            // CU_GET_PROC_ADDRESS_SUCCESS and _SYMBOL_NOT_FOUND.
            put(found, c_int::from(address.is_none()))?;
        }
        put(function, address.unwrap_or(ptr::null()))?;
        // Programs look for what drivers may have: no news for people.
        address.map(|_| ()).ok_or_else(|| Failed::new(Code::NotFound, ""))
    }

    fn cuDeviceGetCount(count: *mut c_int) { put(count, 1) }
    fn cuDeviceGet(device: *mut c_int, index: c_int) { only(index).and_then(|()| put(device, 0)) }
    fn cuDeviceGetName(name: *mut c_char, length: c_int, device: c_int) {
        only(device)?;
        let own = format!("Warpsmith emulator of {}", with(|state| Ok(state.settings.sm))?);
        let room = usize::try_from(length).unwrap_or(0).saturating_sub(1);
        let bytes: Vec<u8> = own.bytes().take(room).chain([0]).collect();
        put_bytes(name.cast(), &bytes)
    }
    fn cuDeviceGetAttribute(value: *mut c_int, which: c_int, device: c_int) {
        only(device)?;
        let found = with(|state| Ok(attribute(state, which)))?;
        let found = found.ok_or_else(|| Failed::new(Code::InvalidValue, format!("the device's attribute {which} is not known")))?;
        put(value, found as c_int)
    }
    fn cuDeviceTotalMem_v2(bytes: *mut usize, device: c_int) { only(device).and_then(|()| put(bytes, TOTAL_MEMORY)) }
    fn cuMemGetInfo_v2(free: *mut usize, total: *mut usize) { put(free, TOTAL_MEMORY).and_then(|()| put(total, TOTAL_MEMORY)) }
    fn cuDevicePrimaryCtxRetain(context: *mut *mut c_void, device: c_int) { only(device).and_then(|()| put(context, handle(0))) }
    fn cuDevicePrimaryCtxRelease_v2(device: c_int) { only(device) }
    fn cuCtxSetCurrent(_context: *mut c_void) { nothing() }
    fn cuCtxGetCurrent(context: *mut *mut c_void) { put(context, handle(0)) }
    fn cuCtxGetDevice(device: *mut c_int) { put(device, 0) }
    fn cuCtxSynchronize() { nothing() }
    fn cuCtxGetLimit(value: *mut usize, _limit: c_int) { put(value, 1 << 20) }
    fn cuCtxSetLimit(_limit: c_int, _value: usize) { nothing() }

    fn cuModuleLoadData(module: *mut *mut c_void, image: *const c_void) { load(module, image) }
    fn cuModuleLoadDataEx(
        module: *mut *mut c_void,
        image: *const c_void,
        _count: c_uint,
        _options: *const c_int,
        _values: *const *mut c_void,
    ) { load(module, image) }
    fn cuModuleUnload(module: *mut c_void) { with(|state| state.unload(number(module))) }
    fn cuModuleGetFunction(function: *mut *mut c_void, module: *mut c_void, name: *const c_char) {
        let name = text(name)?;
        put(function, handle(with(|state| state.kernel(number(module), &name))?))
    }
    fn cuModuleGetGlobal_v2(address: *mut u64, bytes: *mut usize, module: *mut c_void, name: *const c_char) {
        let name = text(name)?;
        let (start, size) = with(|state| state.variable(number(module), &name))?;
        if !address.is_null() {
            put(address, start)?;
        }
        if bytes.is_null() { Ok(()) } else { put(bytes, size as usize) }
    }
    fn cuFuncGetAttribute(value: *mut c_int, attribute: c_int, function: *mut c_void) {
        let found = with(|state| {
            let threads = state.settings.sm.info().occupancy.max_threads_per_cta;
            let kernel = state.known(number(function))?;
            #[rustfmt::skip]
            let found = match attribute {
                0 => threads,                   // MAX_THREADS_PER_BLOCK
                1 => kernel.static_shared,      // SHARED_SIZE_BYTES
                3 => kernel.local,              // LOCAL_SIZE_BYTES
                4 => kernel.registers,          // NUM_REGS
                other => return Err(Failed::new(Code::InvalidValue, format!("the function's attribute {other} is not known"))),
            };
            Ok(found)
        })?;
        put(value, found as c_int)
    }
    fn cuFuncSetAttribute(function: *mut c_void, _attribute: c_int, _value: c_int) { with(|state| state.known(number(function)).map(|_| ())) }
    fn cuFuncSetCacheConfig(function: *mut c_void, _config: c_int) { with(|state| state.known(number(function)).map(|_| ())) }
    fn cuOccupancyMaxActiveBlocksPerMultiprocessor(count: *mut c_int, _function: *mut c_void, _threads: c_int, _shared: usize) { put(count, 1) }
    fn cuOccupancyMaxActiveClusters(count: *mut c_int, _function: *mut c_void, config: *const LaunchConfig) {
        let ctas: u32 = of_config(config)?.cluster.iter().product();
        put(count, with(|state| Ok(state.settings.multiprocessors / ctas.max(1)))? as c_int)
    }

    fn cuMemAlloc_v2(address: *mut u64, bytes: usize) {
        if bytes == 0 || bytes > TOTAL_MEMORY {
            return Err(Failed::new(Code::OutOfMemory, format!("{bytes} bytes cannot be allocated")));
        }
        put(address, with(|state| Ok(state.device.allocate(bytes as u64, 512)))?)
    }
    fn cuMemFree_v2(address: u64) {
        match address {
            0 => Ok(()),
            _ => with(|state| state.device.free(address).map_err(|fault| Failed::new(Code::InvalidValue, fault))),
        }
    }
    fn cuMemHostRegister_v2(start: *mut c_void, bytes: usize, _flags: c_uint) {
        with(|state| state.register(start.expose_provenance() as u64, bytes as u64))
    }
    fn cuMemHostUnregister(start: *mut c_void) { with(|state| state.unregister(start.addr() as u64)) }
    fn cuMemHostGetDevicePointer_v2(address: *mut u64, start: *mut c_void, _flags: c_uint) {
        match with(|state| Ok(state.is_registered(start.addr() as u64, 1)))? {
            true => put(address, start.addr() as u64),
            false => Err(Failed::new(Code::InvalidValue, "the memory of the host is not registered")),
        }
    }
    fn cuPointerGetAttribute(value: *mut u64, attribute: c_int, address: u64) {
        // CU_POINTER_ATTRIBUTE_DEVICE_POINTER: both are the same.
        if attribute != 3 {
            return Err(Failed::new(Code::InvalidValue, format!("the pointer's attribute {attribute} is not known")));
        }
        if with(|state| Ok(!state.is_registered(address, 1) && state.device.read(address, 1).is_err()))? {
            return Err(Failed::new(Code::InvalidValue, format!("kernels have no memory at {address:#x}")));
        }
        put(value, address)
    }
    fn cuMemcpyHtoD_v2(to: u64, from: *const c_void, bytes: usize) { write(to, &list(from.cast(), bytes)?) }
    fn cuMemcpyHtoDAsync_v2(to: u64, from: *const c_void, bytes: usize, _stream: *mut c_void) { write(to, &list(from.cast(), bytes)?) }
    fn cuMemcpyDtoH_v2(to: *mut c_void, from: u64, bytes: usize) { copy_out(to, from, bytes) }
    fn cuMemcpyDtoHAsync_v2(to: *mut c_void, from: u64, bytes: usize, _stream: *mut c_void) { copy_out(to, from, bytes) }
    fn cuMemcpyDtoD_v2(to: u64, from: u64, bytes: usize) { write(to, &read(from, bytes)?) }
    fn cuMemcpyDtoDAsync_v2(to: u64, from: u64, bytes: usize, _stream: *mut c_void) { write(to, &read(from, bytes)?) }
    fn cuMemsetD8_v2(to: u64, value: u8, count: usize) { fill(to, &[value], count) }
    fn cuMemsetD8Async(to: u64, value: u8, count: usize, _stream: *mut c_void) { fill(to, &[value], count) }
    fn cuMemsetD16_v2(to: u64, value: u16, count: usize) { fill(to, &value.to_le_bytes(), count) }
    fn cuMemsetD32_v2(to: u64, value: u32, count: usize) { fill(to, &value.to_le_bytes(), count) }
    fn cuMemsetD32Async(to: u64, value: u32, count: usize, _stream: *mut c_void) { fill(to, &value.to_le_bytes(), count) }

    fn cuStreamCreate(stream: *mut *mut c_void, _flags: c_uint) { put(stream, handle(0)) }
    fn cuStreamSynchronize(_stream: *mut c_void) { nothing() }
    fn cuStreamQuery(_stream: *mut c_void) { nothing() }
    fn cuStreamWaitEvent(_stream: *mut c_void, _event: *mut c_void, _flags: c_uint) { nothing() }
    fn cuStreamDestroy_v2(_stream: *mut c_void) { nothing() }
    fn cuEventCreate(event: *mut *mut c_void, _flags: c_uint) { put(event, handle(0)) }
    fn cuEventRecord(_event: *mut c_void, _stream: *mut c_void) { nothing() }
    fn cuEventSynchronize(_event: *mut c_void) { nothing() }
    fn cuEventQuery(_event: *mut c_void) { nothing() }
    fn cuEventElapsedTime(milliseconds: *mut f32, _start: *mut c_void, _end: *mut c_void) { put(milliseconds, 0.0) }
    fn cuEventDestroy_v2(_event: *mut c_void) { nothing() }

    fn cuLaunchKernel(
        kernel: *mut c_void,
        grid_x: c_uint,
        grid_y: c_uint,
        grid_z: c_uint,
        block_x: c_uint,
        block_y: c_uint,
        block_z: c_uint,
        shared: c_uint,
        _stream: *mut c_void,
        each: *const *const u8,
        extra: *const *const c_void,
    ) {
        let extents = Extents {
            grid: [grid_x, grid_y, grid_z],
            block: [block_x, block_y, block_z],
            cluster: [1; 3],
            shared,
        };
        launch(kernel, extents, each, extra)
    }
    fn cuLaunchKernelEx(config: *const LaunchConfig, kernel: *mut c_void, each: *const *const u8, extra: *const *const c_void) {
        launch(kernel, of_config(config)?, each, extra)
    }

    fn cuTensorMapEncodeTiled(
        map: *mut [u8; TENSOR_MAP_BYTES],
        element: c_uint,
        rank: u32,
        address: u64,
        sizes: *const u64,
        strides: *const u64,
        boxes: *const u32,
        steps: *const u32,
        interleave: c_uint,
        swizzle: c_uint,
        _promotion: c_uint,
        fill: c_uint,
    ) {
        let mut made = tensor_map(element, rank, address, (sizes, strides, steps), (interleave, swizzle, fill))?;
        let mut tile = [1; 5];
        tile[..rank as usize].copy_from_slice(&list(boxes, rank as usize)?);
        made.shape = TensorBox::Tile(tile);
        put(map, encode(&made)?)
    }
    fn cuTensorMapEncodeIm2col(
        map: *mut [u8; TENSOR_MAP_BYTES],
        element: c_uint,
        rank: u32,
        address: u64,
        sizes: *const u64,
        strides: *const u64,
        lower: *const c_int,
        upper: *const c_int,
        channels: u32,
        pixels: u32,
        steps: *const u32,
        interleave: c_uint,
        swizzle: c_uint,
        _promotion: c_uint,
        fill: c_uint,
    ) {
        let mut made = tensor_map(element, rank, address, (sizes, strides, steps), (interleave, swizzle, fill))?;
        let corner = |from: *const c_int| {
            let given = list(from, (rank as usize).saturating_sub(2))?;
            Ok(std::array::from_fn(|index| given.get(index).copied().unwrap_or(0)))
        };
        made.shape = TensorBox::Im2col { lower: corner(lower)?, upper: corner(upper)?, channels, pixels };
        put(map, encode(&made)?)
    }
}

/// The extents of a launch.
pub(crate) fn of_config(config: *const LaunchConfig) -> Result<Extents, Failed> {
    if config.is_null() {
        return Err(Failed::new(Code::InvalidValue, "a launch has no configuration"));
    }
    // SAFETY: not null, so a configuration that the program made (the contract of `interface`).
    let config = unsafe { config.read_unaligned() };
    let mut cluster = [1; 3];
    for index in 0..config.attribute_count as usize {
        if config.attributes.is_null() {
            return Err(Failed::new(Code::InvalidValue, "the attributes of a launch are null"));
        }
        // SAFETY: not null, so of as many attributes as are counted (the contract of `interface`).
        let attribute = unsafe { config.attributes.add(index).read_unaligned() };
        if attribute.id == CLUSTER_DIMENSION {
            cluster = attribute.extents;
        }
    }
    Ok(Extents {
        grid: config.grid,
        block: config.block,
        cluster,
        shared: config.shared,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The sizes and places that the C structures have.
    #[test]
    fn structures_are_laid_out_as_in_c() {
        assert_eq!((size_of::<LaunchAttribute>(), align_of::<LaunchAttribute>()), (72, 8));
        assert_eq!(std::mem::offset_of!(LaunchAttribute, extents), 8);
        assert_eq!(size_of::<LaunchConfig>(), 56);
        assert_eq!(std::mem::offset_of!(LaunchConfig, attributes), 40);
    }
}
