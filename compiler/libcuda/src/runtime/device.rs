//! The device and its limits.
#![allow(unsafe_code, non_snake_case)]

use std::ffi::{c_char, c_int, c_uint, c_void};

use super::call;
use crate::driver::{self, Entry, VERSION, context, only};
use crate::exports::exports;
use crate::interface::{current, put, put_bytes, put_wanted, text, with};
use crate::result::{Code, Failed};
use crate::{device, memory};

/// Where a name of the driver's leads in a program of a version of CUDA. The results are `cudaDriverEntryPointQueryResult`'s, too.
fn entry(name: *const c_char, version: c_int, function: *mut *const c_void, found: *mut c_int) -> Result<(), Failed> {
    let entry = Entry::of(&text(name)?, version);
    put_wanted(found, entry.status())?;
    put(function, entry.address())
}

exports! { call;
    [Context] fn cudaDeviceSynchronize() { Ok(()) }
    [Anywhere] fn cudaDeviceReset() {
        super::enter()?;
        memory::end_context(current()?)
    }
    [Anywhere] fn cudaGetDevice(to: *mut c_int) { put(to, 0) }
    [Anywhere] fn cudaSetDevice(which: c_int) {
        only(which)?;
        super::enter()
    }
    [Anywhere] fn cudaInitDevice(which: c_int, _device_flags: c_uint, _flags: c_uint) { only(which) }
    [Anywhere] fn cudaGetDeviceCount(count: *mut c_int) { put(count, 1) }
    [Anywhere] fn cudaChooseDevice(to: *mut c_int, properties: *const c_void) {
        if properties.is_null() {
            return Err(Failed::new(Code::InvalidValue, "properties are null"));
        }
        put(to, 0)
    }
    [Anywhere] fn cudaSetValidDevices(_list: *mut c_int, _count: c_int) { Ok(()) }
    [Anywhere] fn cudaGetDeviceProperties(at: *mut u8, which: c_int) {
        only(which)?;
        let (sm, multiprocessors) = with(|state| Ok((state.settings.sm, state.settings.multiprocessors)))?;
        put_bytes(at, &device::properties(sm, multiprocessors))
    }
    [Anywhere] fn cudaDeviceGetAttribute(value: *mut c_int, attribute: c_int, which: c_int) {
        only(which)?;
        put(value, driver::attribute(attribute)?)
    }
    [Anywhere] fn cudaSetDeviceFlags(flags: c_uint) {
        let context = super::enter().and_then(|()| current())?;
        with(|state| {
            state.context(context)?.flags = flags;
            Ok(())
        })
    }
    [Anywhere] fn cudaGetDeviceFlags(flags: *mut c_uint) {
        let context = super::enter().and_then(|()| current())?;
        put(flags, with(|state| Ok(state.context(context)?.flags))?)
    }
    [Anywhere] fn cudaDriverGetVersion(version: *mut c_int) { put(version, driver::VERSION) }
    [Anywhere] fn cudaRuntimeGetVersion(version: *mut c_int) { put(version, driver::VERSION) }
    [Context] fn cudaDeviceGetLimit(value: *mut usize, which: c_int) { put(value, context::get_limit(which)?) }
    [Context] fn cudaDeviceSetLimit(which: c_int, value: usize) { context::set_limit(which, value) }
    [Context] fn cudaDeviceGetCacheConfig(config: *mut c_int) { put(config, 0) }
    [Context] fn cudaDeviceSetCacheConfig(_config: c_int) { Ok(()) }
    [Context] fn cudaDeviceGetSharedMemConfig(config: *mut c_int) { put(config, 1) }
    [Context] fn cudaDeviceSetSharedMemConfig(_config: c_int) { Ok(()) }
    [Context] fn cudaDeviceGetStreamPriorityRange(least: *mut c_int, greatest: *mut c_int) {
        put_wanted(least, 0)?;
        put_wanted(greatest, -5)
    }
    [Anywhere] fn cudaDeviceGetPCIBusId(name: *mut c_char, length: c_int, which: c_int) {
        only(which)?;
        let own = b"0000:00:00.0\0";
        match usize::try_from(length) {
            Ok(room) if room >= own.len() => put_bytes(name.cast(), own),
            _ => Err(Failed::new(Code::InvalidValue, "a PCI bus identity has 13 bytes")),
        }
    }
    [Anywhere] fn cudaDeviceGetByPCIBusId(to: *mut c_int, name: *const c_char) {
        match text(name)?.as_str() {
            "0000:00:00.0" | "00:00.0" => put(to, 0),
            other => Err(Failed::new(Code::InvalidDevice, format!("there is no device at {other}"))),
        }
    }
    [Anywhere] fn cudaDeviceCanAccessPeer(can: *mut c_int, which: c_int, peer: c_int) {
        only(which)?;
        only(peer)?;
        put(can, 0)
    }
    [Anywhere] fn cudaDeviceEnablePeerAccess(peer: c_int, _flags: c_uint) {
        Err(Failed::new(Code::InvalidDevice, format!("device {peer} is no other device")))
    }
    [Anywhere] fn cudaDeviceDisablePeerAccess(peer: c_int) {
        Err(Failed::new(Code::InvalidDevice, format!("device {peer} is no other device")))
    }
    [Context] fn cudaCtxResetPersistingL2Cache() { Ok(()) }
    [Anywhere] fn cudaProfilerStart() { Ok(()) }
    [Anywhere] fn cudaProfilerStop() { Ok(()) }
    [Anywhere cudaGetDriverEntryPoint_ptsz] fn cudaGetDriverEntryPoint(
        name: *const c_char,
        function: *mut *const c_void,
        _flags: u64,
        found: *mut c_int,
    ) { entry(name, VERSION, function, found) }
    [Anywhere cudaGetDriverEntryPointByVersion_ptsz] fn cudaGetDriverEntryPointByVersion(
        name: *const c_char,
        function: *mut *const c_void,
        version: c_uint,
        _flags: u64,
        found: *mut c_int,
    ) { entry(name, version as c_int, function, found) }
}
