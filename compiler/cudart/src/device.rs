//! Devices, contexts, versions.

use std::ffi::{c_char, c_int, c_uint, c_void};
use std::ptr;
use std::sync::OnceLock;

use crate::ByName as _;
use crate::{DEVICE, Outcome, code, driver, exports, put};

/// Nothing is needed.
pub(crate) fn plain() -> Outcome {
    Ok(())
}

/// The driver is there and initialised.
pub(crate) fn driver() -> Outcome {
    static DONE: OnceLock<Outcome> = OnceLock::new();
    *DONE.get_or_init(|| driver::cuInit(0))
}

/// A context is current: the primary one of the thread's device, unless there is one already.
pub(crate) fn context() -> Outcome {
    driver()?;
    let mut current = ptr::null_mut();
    driver::cuCtxGetCurrent(&mut current)?;
    if !current.is_null() {
        return Ok(());
    }
    driver::cuCtxSetCurrent(primary(DEVICE.get())?)
}

/// The primary context of a device, held for the life of the process.
fn primary(ordinal: c_int) -> Result<*mut c_void, c_int> {
    let mut context = ptr::null_mut();
    driver::cuDevicePrimaryCtxRetain(&mut context, device(ordinal)?)?;
    Ok(context)
}

/// The driver's device of a number.
fn device(ordinal: c_int) -> Result<c_int, c_int> {
    let mut device = 0;
    driver::cuDeviceGet(&mut device, ordinal).map_err(|_| code::INVALID_DEVICE)?;
    Ok(device)
}

fn attribute(number: c_int, device: c_int) -> Result<c_int, c_int> {
    let mut value = 0;
    driver::cuDeviceGetAttribute(&mut value, number, device)?;
    Ok(value)
}

/// `cudaDeviceProp` has so many bytes.
const PROPERTIES: usize = 1008;

/// Rows of its fields, and where their values are from.
const TABLE: &str = include_str!(concat!(env!("OUT_DIR"), "/device.tbl"));

/// The bytes of `cudaDeviceProp`: the name and identity of the device, its memory, and its attributes where the table says.
fn properties(device: c_int) -> Result<[u8; PROPERTIES], c_int> {
    let mut bytes = [0; PROPERTIES];
    driver::cuDeviceGetName(bytes.as_mut_ptr().cast::<c_char>(), 256, device)?;
    // What has no identity is a device all the same.
    let _ = driver::cuDeviceGetUuid_v2(bytes[256..].as_mut_ptr(), device);
    let mut memory = 0_usize;
    driver::cuDeviceTotalMem_v2(&mut memory, device)?;
    for row in TABLE.lines().filter_map(|row| row.strip_prefix("property")) {
        let words: Vec<&str> = row.split_whitespace().collect();
        let [offset, size, _, kind, rest @ ..] = &words[..] else {
            continue;
        };
        let (Ok(offset), Ok(size)) = (offset.parse::<usize>(), size.parse::<usize>()) else {
            continue;
        };
        let value = match (*kind, rest.first()) {
            // An attribute that the driver does not know is none that the device has.
            ("attribute", Some(number)) => number
                .parse()
                .map_or(0, |number| attribute(number, device).unwrap_or(0) as u64),
            ("setting", Some(&"memory")) => memory as u64,
            _ => 0,
        };
        if let Some(field) = bytes.get_mut(offset..offset + size) {
            field.copy_from_slice(&value.to_le_bytes()[..size]);
        }
    }
    Ok(bytes)
}

exports! {
    [driver] fn cudaGetDeviceCount(count: *mut c_int) { driver::cuDeviceGetCount(count) }
    [driver] fn cudaGetDevice(to: *mut c_int) {
        let (mut context, mut current) = (ptr::null_mut(), DEVICE.get());
        driver::cuCtxGetCurrent(&mut context)?;
        if !context.is_null() { driver::cuCtxGetDevice(&mut current)?; }
        put(to, current)
    }
    [driver] fn cudaSetDevice(which: c_int) {
        driver::cuCtxSetCurrent(primary(which)?)?;
        DEVICE.set(which);
        Ok(())
    }
    [driver] fn cudaInitDevice(which: c_int, _device_flags: c_uint, _flags: c_uint) { primary(which).map(|_| ()) }
    [driver] fn cudaSetDeviceFlags(flags: c_uint) { driver::cuDevicePrimaryCtxSetFlags_v2(device(DEVICE.get())?, flags) }
    [driver] fn cudaGetDeviceFlags(flags: *mut c_uint) {
        let mut active = 0;
        driver::cuDevicePrimaryCtxGetState(device(DEVICE.get())?, flags, &mut active)
    }
    [driver] fn cudaChooseDevice(to: *mut c_int, _properties: *const c_void) { put(to, 0) }
    [driver] fn cudaSetValidDevices(_devices: *mut c_int, _length: c_int) { Ok(()) }
    [driver] fn cudaGetDeviceProperties(to: *mut [u8; PROPERTIES], which: c_int) { put(to, properties(device(which)?)?) }
    [driver] fn cudaDeviceGetAttribute(value: *mut c_int, number: c_int, which: c_int) { put(value, attribute(number, device(which)?)?) }
    [driver] fn cudaDeviceGetByPCIBusId(to: *mut c_int, identity: *const c_char) { driver::cuDeviceGetByPCIBusId(to, identity) }
    [driver] fn cudaDeviceGetPCIBusId(identity: *mut c_char, length: c_int, which: c_int) { driver::cuDeviceGetPCIBusId(identity, length, device(which)?) }
    [driver] fn cudaDeviceCanAccessPeer(can: *mut c_int, which: c_int, peer: c_int) { driver::cuDeviceCanAccessPeer(can, device(which)?, device(peer)?) }
    [context] fn cudaDeviceEnablePeerAccess(peer: c_int, flags: c_uint) { driver::cuCtxEnablePeerAccess(primary(peer)?, flags) }
    [context] fn cudaDeviceDisablePeerAccess(peer: c_int) { driver::cuCtxDisablePeerAccess(primary(peer)?) }
    [driver] fn cudaDeviceGetDefaultMemPool(pool: *mut *mut c_void, which: c_int) { driver::cuDeviceGetDefaultMemPool(pool, device(which)?) }
    [driver] fn cudaDeviceGetMemPool(pool: *mut *mut c_void, which: c_int) { driver::cuDeviceGetMemPool(pool, device(which)?) }
    [driver] fn cudaDeviceSetMemPool(which: c_int, pool: *mut c_void) { driver::cuDeviceSetMemPool(device(which)?, pool) }
    [driver] fn cudaDeviceGetP2PAttribute(value: *mut c_int, number: c_int, from: c_int, to: c_int) {
        driver::cuDeviceGetP2PAttribute(value, number, device(from)?, device(to)?)
    }
    [context] fn cudaDeviceSynchronize() { driver::cuCtxSynchronize() }
    [driver] fn cudaDeviceReset() {
        crate::registry::forget();
        driver::cuDevicePrimaryCtxReset_v2(device(DEVICE.get())?)?;
        driver::cuCtxSetCurrent(ptr::null_mut())
    }
    [context] fn cudaDeviceSetLimit(limit: c_int, value: usize) { driver::cuCtxSetLimit(limit, value) }
    [context] fn cudaDeviceGetLimit(value: *mut usize, limit: c_int) { driver::cuCtxGetLimit(value, limit) }
    [context] fn cudaDeviceGetCacheConfig(config: *mut c_int) { driver::cuCtxGetCacheConfig(config) }
    [context] fn cudaDeviceSetCacheConfig(config: c_int) { driver::cuCtxSetCacheConfig(config) }
    [context] fn cudaDeviceGetSharedMemConfig(config: *mut c_int) { put(config, 1) }
    [context] fn cudaDeviceSetSharedMemConfig(_config: c_int) { Ok(()) }
    [context] fn cudaDeviceGetStreamPriorityRange(least: *mut c_int, greatest: *mut c_int) { driver::cuCtxGetStreamPriorityRange(least, greatest) }
    [context] fn cudaCtxResetPersistingL2Cache() { driver::cuCtxResetPersistingL2Cache() }
    // Without a driver the version is 0.
    [plain] fn cudaDriverGetVersion(version: *mut c_int) { driver::cuDriverGetVersion(version).or_else(|_| put(version, 0)) }
    [plain] fn cudaRuntimeGetVersion(version: *mut c_int) { put(version, 13000) }
    [context] fn cudaProfilerStart() { driver::cuProfilerStart() }
    [context] fn cudaProfilerStop() { driver::cuProfilerStop() }
}
