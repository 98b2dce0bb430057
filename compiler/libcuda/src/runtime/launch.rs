//! Launches and functions.
#![allow(unsafe_code, non_snake_case)]

use std::ffi::{c_char, c_int, c_uint, c_void};
use std::ptr;

use super::call;
use super::registry::{Dimensions, extents, kernel};
use crate::driver::known_stream;
use crate::driver::launch::{self, LaunchConfig};
use crate::exports::exports;
use crate::interface::{call_back, put, put_bytes, put_wanted, with};
use crate::result::{Code, Failed};
use crate::state::Extents;

exports! { call;
    [Context cudaLaunchKernel_ptsz __cudaLaunchKernel __cudaLaunchKernel_ptsz] fn cudaLaunchKernel(
        function: *const c_void,
        grid: Dimensions,
        block: Dimensions,
        arguments: *const *const u8,
        shared: usize,
        stream: *mut c_void,
    ) { launch::launch(kernel(function)?, extents(grid, block, shared), stream, arguments, ptr::null()) }
    [Context cudaLaunchCooperativeKernel_ptsz] fn cudaLaunchCooperativeKernel(
        function: *const c_void,
        grid: Dimensions,
        block: Dimensions,
        arguments: *const *const u8,
        shared: usize,
        stream: *mut c_void,
    ) {
        let extents = Extents { cooperative: true, ..extents(grid, block, shared) };
        launch::launch(kernel(function)?, extents, stream, arguments, ptr::null())
    }
    // `cudaLaunchConfig_t` is laid out as the driver's.
    [Context cudaLaunchKernelExC_ptsz] fn cudaLaunchKernelExC(config: *const LaunchConfig, function: *const c_void, arguments: *const *const u8) {
        let (extents, stream) = launch::of_config(config)?;
        launch::launch(kernel(function)?, extents, stream, arguments, ptr::null())
    }
    [Context cudaLaunchHostFunc_ptsz] fn cudaLaunchHostFunc(stream: *mut c_void, function: Option<extern "system" fn(*mut c_void)>, data: *mut c_void) {
        known_stream(stream)?;
        call_back(function, data)
    }
    [Context] fn cudaFuncGetAttributes(at: *mut u8, function: *const c_void) {
        put_bytes(at, &launch::function_attributes(kernel(function)?)?)
    }
    [Context] fn cudaFuncSetAttribute(function: *const c_void, attribute: c_int, value: c_int) {
        launch::set_function_attribute(kernel(function)?, attribute, value)
    }
    [Context] fn cudaFuncSetCacheConfig(function: *const c_void, _config: c_int) { kernel(function).map(|_| ()) }
    [Context] fn cudaFuncSetSharedMemConfig(function: *const c_void, _config: c_int) { kernel(function).map(|_| ()) }
    [Context] fn cudaFuncGetName(name: *mut *const c_char, function: *const c_void) {
        let kernel = kernel(function)?;
        put(name, launch::kept_name(&with(|state| state.known(kernel).cloned())?))
    }
    [Context] fn cudaFuncGetParamInfo(function: *const c_void, index: usize, offset: *mut usize, bytes: *mut usize) {
        let kernel = kernel(function)?;
        let place = with(|state| Ok(state.known(kernel)?.parameters.get(index).copied()))?;
        let (start, size) = place.ok_or_else(|| Failed::silent(Code::InvalidValue))?;
        put(offset, start as usize)?;
        put_wanted(bytes, size as usize)
    }
    [Context] fn cudaOccupancyMaxActiveBlocksPerMultiprocessor(count: *mut c_int, function: *const c_void, threads: c_int, shared: usize) {
        put(count, launch::occupancy(kernel(function)?, threads, shared)?)
    }
    [Context] fn cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        count: *mut c_int,
        function: *const c_void,
        threads: c_int,
        shared: usize,
        _flags: c_uint,
    ) { put(count, launch::occupancy(kernel(function)?, threads, shared)?) }
    [Context] fn cudaOccupancyAvailableDynamicSMemPerBlock(bytes: *mut usize, function: *const c_void, ctas: c_int, _threads: c_int) {
        put(bytes, launch::shared_for(kernel(function)?, ctas)?)
    }
    [Context] fn cudaOccupancyMaxActiveClusters(count: *mut c_int, function: *const c_void, config: *const LaunchConfig) {
        put(count, launch::clusters_at_once(kernel(function)?, config)?)
    }
    [Context] fn cudaOccupancyMaxPotentialClusterSize(count: *mut c_int, function: *const c_void, _config: *const LaunchConfig) {
        put(count, launch::largest_cluster(kernel(function)?)?)
    }
}
