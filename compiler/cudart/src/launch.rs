//! Launches and functions.

use std::ffi::{c_char, c_int, c_uint, c_void};
use std::ptr;

use crate::ByName as _;
use crate::registry::function;
use crate::stream::HostFunction;
use crate::{Outcome, Stream, code, driver, exports, put};

/// `dim3`.
#[derive(Clone, Copy, Default)]
#[repr(C)]
pub(crate) struct Dimensions {
    x: c_uint,
    y: c_uint,
    z: c_uint,
}

/// `cudaFuncAttributes` has so many bytes.
const ATTRIBUTES: usize = 144;

/// Of its fields, the offset, the bytes, and the number of the driver's attribute.
const FIELDS: [(usize, usize, c_int); 15] = [
    (0, 8, 1),
    (8, 8, 2),
    (16, 8, 3),
    (24, 4, 0),
    (28, 4, 4),
    (32, 4, 5),
    (36, 4, 6),
    (40, 4, 7),
    (44, 4, 8),
    (48, 4, 9),
    (52, 4, 10),
    (56, 4, 11),
    (60, 4, 12),
    (64, 4, 13),
    (72, 4, 14),
];

fn attributes(function: *mut c_void) -> Result<[u8; ATTRIBUTES], c_int> {
    let mut bytes = [0; ATTRIBUTES];
    for (offset, size, number) in FIELDS {
        let mut value = 0;
        // An older driver does not know all of them.
        if driver::cuFuncGetAttribute(&mut value, number, function).is_ok() {
            bytes[offset..offset + size].copy_from_slice(&i64::from(value).to_le_bytes()[..size]);
        }
    }
    Ok(bytes)
}

fn bytes_of(shared: usize) -> Result<c_uint, c_int> {
    c_uint::try_from(shared).map_err(|_| code::INVALID_VALUE)
}

/// What the driver says of a launch that no device can do, in the runtime's words.
fn launched(outcome: Outcome, grid: Dimensions, block: Dimensions) -> Outcome {
    let is_empty = |extents: Dimensions| extents.x == 0 || extents.y == 0 || extents.z == 0;
    let threads = u64::from(block.x) * u64::from(block.y) * u64::from(block.z);
    match outcome {
        Err(code::INVALID_VALUE) if is_empty(grid) || is_empty(block) || threads > 1024 => {
            Err(code::INVALID_CONFIGURATION)
        }
        outcome => outcome,
    }
}

exports! {
    [context cudaLaunchKernel_ptsz __cudaLaunchKernel __cudaLaunchKernel_ptsz] fn cudaLaunchKernel(stub: *const c_void, grid: Dimensions, block: Dimensions, arguments: *const *const u8, shared: usize, stream: Stream) {
        let shared = bytes_of(shared)?;
        let done = driver::cuLaunchKernel(function(stub)?, grid.x, grid.y, grid.z, block.x, block.y, block.z, shared, stream.0, arguments, ptr::null());
        launched(done, grid, block)
    }
    [context cudaLaunchCooperativeKernel_ptsz] fn cudaLaunchCooperativeKernel(stub: *const c_void, grid: Dimensions, block: Dimensions, arguments: *const *const u8, shared: usize, stream: Stream) {
        let shared = bytes_of(shared)?;
        let done = driver::cuLaunchCooperativeKernel(function(stub)?, grid.x, grid.y, grid.z, block.x, block.y, block.z, shared, stream.0, arguments);
        launched(done, grid, block)
    }
    // `cudaLaunchConfig_t` is laid out as the driver's.
    [context cudaLaunchKernelExC_ptsz] fn cudaLaunchKernelExC(config: *const c_void, stub: *const c_void, arguments: *const *const u8) {
        driver::cuLaunchKernelEx(config, function(stub)?, arguments, ptr::null())
    }
    [context cudaLaunchHostFunc_ptsz] fn cudaLaunchHostFunc(stream: Stream, call: Option<HostFunction>, data: *mut c_void) { driver::cuLaunchHostFunc(stream.0, call, data) }
    [context] fn cudaFuncGetAttributes(to: *mut [u8; ATTRIBUTES], stub: *const c_void) { put(to, attributes(function(stub)?)?) }
    [context] fn cudaFuncSetAttribute(stub: *const c_void, attribute: c_int, value: c_int) { driver::cuFuncSetAttribute(function(stub)?, attribute, value) }
    [context] fn cudaFuncSetCacheConfig(stub: *const c_void, config: c_int) { driver::cuFuncSetCacheConfig(function(stub)?, config) }
    [context] fn cudaFuncSetSharedMemConfig(stub: *const c_void, _config: c_int) { function(stub).map(|_| ()) }
    [context] fn cudaFuncGetName(name: *mut *const c_char, stub: *const c_void) { driver::cuFuncGetName(name, function(stub)?) }
    [context] fn cudaFuncGetParamInfo(stub: *const c_void, index: usize, offset: *mut usize, bytes: *mut usize) { driver::cuFuncGetParamInfo(function(stub)?, index, offset, bytes) }
    [context] fn cudaOccupancyMaxActiveBlocksPerMultiprocessor(count: *mut c_int, stub: *const c_void, threads: c_int, shared: usize) {
        driver::cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(count, function(stub)?, threads, shared, 0)
    }
    [context] fn cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(count: *mut c_int, stub: *const c_void, threads: c_int, shared: usize, flags: c_uint) {
        driver::cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(count, function(stub)?, threads, shared, flags)
    }
    [context] fn cudaOccupancyAvailableDynamicSMemPerBlock(bytes: *mut usize, stub: *const c_void, blocks: c_int, threads: c_int) {
        driver::cuOccupancyAvailableDynamicSMemPerBlock(bytes, function(stub)?, blocks, threads)
    }
    [context] fn cudaOccupancyMaxPotentialClusterSize(size: *mut c_int, stub: *const c_void, config: *const c_void) { driver::cuOccupancyMaxPotentialClusterSize(size, function(stub)?, config) }
    [context] fn cudaOccupancyMaxActiveClusters(count: *mut c_int, stub: *const c_void, config: *const c_void) { driver::cuOccupancyMaxActiveClusters(count, function(stub)?, config) }
}
