//! The device, contexts, and what calls give.
#![allow(unsafe_code, non_snake_case)]

use std::ffi::{c_char, c_int, c_uint, c_void};
use std::ptr;

use super::{Entry, VERSION, attribute, call, context_of, only};
use crate::exports::exports;
use crate::interface::{
    HandleKind, contexts, current, get, handle, list, put, put_bytes, put_wanted, refuse, text, with,
};
use crate::result::{Code, Failed, Named, named};
use crate::state::{Context, ContextId, LIMITS, PRIMARY};
use crate::{device, memory};

/// The handle of a context.
fn handle_of(context: ContextId) -> *mut c_void {
    handle(HandleKind::Context, context.0)
}

/// A new context, which becomes the current one.
fn create(context: *mut *mut c_void, flags: c_uint, device: c_int) -> Result<(), Failed> {
    only(device)?;
    let id = with(|state| {
        state.initialized()?;
        state.contexts.push(Context::new(flags));
        Ok(ContextId(state.contexts.len() - 1))
    })?;
    contexts(|contexts| contexts.push(id));
    put(context, handle_of(id))
}

/// Something of what a result is called.
fn describe(
    to: *mut *const c_char,
    wanted: c_int,
    words: fn(&Named) -> Option<&'static std::ffi::CStr>,
) -> Result<(), Failed> {
    match named(wanted).and_then(words) {
        Some(words) => put(to, words.as_ptr()),
        None => {
            put_wanted(to, ptr::null())?;
            Err(Failed::silent(Code::InvalidValue))
        }
    }
}

/// Whether a limit is one that there is.
fn limit(which: c_int) -> Result<usize, Failed> {
    let found = usize::try_from(which).ok().filter(|limit| *limit < LIMITS);
    found.ok_or_else(|| Failed::new(Code::InvalidValue, format!("there is no limit {which}")))
}

/// Sets a limit.
pub(crate) fn set_limit(which: c_int, value: usize) -> Result<(), Failed> {
    let which = limit(which)?;
    with(|state| {
        state.limits[which] = value;
        Ok(())
    })
}

/// Reads a limit.
pub(crate) fn get_limit(which: c_int) -> Result<usize, Failed> {
    let which = limit(which)?;
    with(|state| Ok(state.limits[which]))
}

/// Takes hold of the primary context.
pub(crate) fn retain_primary() -> Result<(), Failed> {
    with(|state| {
        state.initialized()?;
        state.contexts[PRIMARY.0].held += 1;
        Ok(())
    })
}

/// What a name leads to in a program of a version of CUDA.
fn find(name: *const c_char, version: c_int, function: *mut *const c_void, found: *mut c_int) -> Result<(), Failed> {
    let entry = Entry::of(&text(name)?, version);
    put_wanted(found, entry.status())?;
    put(function, entry.address())?;
    // Programs look for what drivers may have: no news for people.
    match entry {
        Entry::Found(_) => Ok(()),
        Entry::Unknown | Entry::TooOld => Err(Failed::silent(Code::NotFound)),
    }
}

/// Makes a context the current one in place of the one that is.
fn set_current(context: *mut c_void) -> Result<(), Failed> {
    let id = if context.is_null() {
        None
    } else {
        Some(context_of(context)?)
    };
    contexts(|contexts| {
        contexts.pop();
        contexts.extend(id);
    });
    Ok(())
}

fn destroy(context: *mut c_void) -> Result<(), Failed> {
    let id = context_of(context)?;
    if id == PRIMARY {
        return Err(Failed::new(
            Code::InvalidContext,
            "the primary context is released, not destroyed",
        ));
    }
    contexts(|contexts| contexts.pop_if(|current| *current == id));
    memory::end_context(id)
}

exports! { call, address;
    [Anywhere] fn cuInit(flags: c_uint) {
        if flags != 0 {
            return Err(Failed::new(Code::InvalidValue, "cuInit takes 0"));
        }
        with(|state| {
            state.is_initialized = true;
            Ok(())
        })
    }
    [Anywhere] fn cuDriverGetVersion(version: *mut c_int) { put(version, VERSION) }
    [Anywhere] fn cuGetErrorName(error: c_int, name: *mut *const c_char) { describe(name, error, |row| row.driver.or(row.runtime)) }
    [Anywhere] fn cuGetErrorString(error: c_int, words: *mut *const c_char) { describe(words, error, |row| Some(row.words)) }
    [Anywhere] fn cuGetProcAddress(name: *const c_char, function: *mut *const c_void, version: c_int, _flags: u64) {
        find(name, version, function, ptr::null_mut())
    }
    [Anywhere] fn cuGetProcAddress_v2(name: *const c_char, function: *mut *const c_void, version: c_int, _flags: u64, found: *mut c_int) {
        find(name, version, function, found)
    }
    [Anywhere] fn cuGetExportTable(_table: *mut *const c_void, _identity: *const c_void) { Err(refuse("cuGetExportTable")) }

    [Anywhere] fn cuDeviceGetCount(count: *mut c_int) { with(|state| state.initialized()).and_then(|()| put(count, 1)) }
    [Anywhere] fn cuDeviceGet(device: *mut c_int, index: c_int) {
        with(|state| state.initialized())?;
        only(index).and_then(|()| put(device, 0))
    }
    [Anywhere] fn cuDeviceGetName(name: *mut c_char, length: c_int, device: c_int) {
        only(device)?;
        let own = device::name(with(|state| Ok(state.settings.sm))?);
        let room = usize::try_from(length).unwrap_or(0);
        if room == 0 {
            return Err(Failed::new(Code::InvalidValue, "a name has no room"));
        }
        let bytes: Vec<u8> = own.bytes().take(room - 1).chain([0]).collect();
        put_bytes(name.cast(), &bytes)
    }
    [Anywhere cuDeviceGetUuid_v2] fn cuDeviceGetUuid(uuid: *mut [u8; 16], device: c_int) {
        only(device)?;
        put(uuid, device::uuid(with(|state| Ok(state.settings.sm))?))
    }
    [Anywhere] fn cuDeviceGetAttribute(value: *mut c_int, which: c_int, device: c_int) {
        only(device)?;
        put(value, attribute(which)?)
    }
    [Anywhere] fn cuDeviceComputeCapability(major: *mut c_int, minor: *mut c_int, device: c_int) {
        only(device)?;
        put(major, attribute(75)?)?;
        put(minor, attribute(76)?)
    }
    [Anywhere] fn cuDeviceTotalMem_v2(bytes: *mut usize, device: c_int) { only(device).and_then(|()| put(bytes, device::TOTAL_MEMORY as usize)) }
    [Anywhere] fn cuDeviceGetPCIBusId(name: *mut c_char, length: c_int, device: c_int) {
        only(device)?;
        let own = b"0000:00:00.0\0";
        match usize::try_from(length) {
            Ok(room) if room >= own.len() => put_bytes(name.cast(), own),
            _ => Err(Failed::new(Code::InvalidValue, "a PCI bus identity has 13 bytes")),
        }
    }
    [Anywhere] fn cuDeviceCanAccessPeer(can: *mut c_int, device: c_int, peer: c_int) {
        only(device)?;
        only(peer)?;
        put(can, 0)
    }

    [Anywhere] fn cuDevicePrimaryCtxRetain(context: *mut *mut c_void, device: c_int) {
        only(device)?;
        retain_primary()?;
        put(context, handle_of(PRIMARY))
    }
    [Anywhere cuDevicePrimaryCtxRelease] fn cuDevicePrimaryCtxRelease_v2(device: c_int) {
        only(device)?;
        let left = with(|state| {
            let primary = state.context(PRIMARY)?;
            primary.held -= 1;
            Ok(primary.held)
        })?;
        if left == 0 { memory::end_context(PRIMARY) } else { Ok(()) }
    }
    [Anywhere cuDevicePrimaryCtxReset] fn cuDevicePrimaryCtxReset_v2(device: c_int) {
        only(device)?;
        memory::end_context(PRIMARY)
    }
    [Anywhere] fn cuDevicePrimaryCtxGetState(device: c_int, flags: *mut c_uint, active: *mut c_int) {
        only(device)?;
        let (own, held) = with(|state| Ok((state.contexts[PRIMARY.0].flags, state.contexts[PRIMARY.0].held)))?;
        put(flags, own)?;
        put(active, c_int::from(held > 0))
    }
    [Anywhere cuDevicePrimaryCtxSetFlags] fn cuDevicePrimaryCtxSetFlags_v2(device: c_int, flags: c_uint) {
        only(device)?;
        with(|state| {
            state.contexts[PRIMARY.0].flags = flags;
            Ok(())
        })
    }

    [Anywhere cuCtxCreate] fn cuCtxCreate_v2(context: *mut *mut c_void, flags: c_uint, device: c_int) { create(context, flags, device) }
    [Anywhere] fn cuCtxCreate_v4(context: *mut *mut c_void, parameters: *const [usize; 3], flags: c_uint, device: c_int) {
        // Affinity and interoperation.
        if !parameters.is_null() && get(parameters)? != [0; 3] {
            return Err(refuse("cuCtxCreate_v4 with parameters"));
        }
        create(context, flags, device)
    }
    [Anywhere cuCtxDestroy] fn cuCtxDestroy_v2(context: *mut c_void) { destroy(context) }
    [Anywhere] fn cuCtxSetCurrent(context: *mut c_void) { set_current(context) }
    [Anywhere cuCtxPushCurrent] fn cuCtxPushCurrent_v2(context: *mut c_void) {
        let id = context_of(context)?;
        contexts(|contexts| contexts.push(id));
        Ok(())
    }
    [Anywhere cuCtxPopCurrent] fn cuCtxPopCurrent_v2(context: *mut *mut c_void) {
        let id = current()?;
        contexts(Vec::pop);
        put_wanted(context, handle_of(id))
    }
    [Anywhere] fn cuCtxGetCurrent(context: *mut *mut c_void) { put(context, current().map_or(ptr::null_mut(), handle_of)) }
    [Anywhere] fn cuCtxGetDevice(device: *mut c_int) {
        current()?;
        put(device, 0)
    }
    [Anywhere] fn cuCtxGetFlags(flags: *mut c_uint) {
        let context = current()?;
        put(flags, with(|state| Ok(state.context(context)?.flags))?)
    }
    [Anywhere] fn cuCtxGetApiVersion(context: *mut c_void, version: *mut c_uint) {
        context_of(context)?;
        // The oldest interface that contexts still have.
        put(version, 3020)
    }
    [Anywhere] fn cuCtxGetId(context: *mut c_void, id: *mut u64) {
        let of = if context.is_null() { current()? } else { context_of(context)? };
        put(id, of.0 as u64 + 1)
    }
    [Context] fn cuCtxSynchronize() { Ok(()) }
    [Context] fn cuCtxGetLimit(value: *mut usize, which: c_int) { put(value, get_limit(which)?) }
    [Context] fn cuCtxSetLimit(which: c_int, value: usize) { set_limit(which, value) }
    [Context] fn cuCtxGetCacheConfig(config: *mut c_int) { put(config, 0) }
    [Context] fn cuCtxSetCacheConfig(_config: c_int) { Ok(()) }
    [Context] fn cuCtxGetSharedMemConfig(config: *mut c_int) { put(config, 1) }
    [Context] fn cuCtxSetSharedMemConfig(_config: c_int) { Ok(()) }
    [Context] fn cuCtxGetStreamPriorityRange(least: *mut c_int, greatest: *mut c_int) {
        put_wanted(least, 0)?;
        put_wanted(greatest, -5)
    }
    [Anywhere] fn cuCtxGetDevice_v2(device: *mut c_int, context: *mut c_void) {
        if context.is_null() { current()?; } else { context_of(context)?; }
        put(device, 0)
    }
    [Anywhere] fn cuCtxSynchronize_v2(context: *mut c_void) {
        let of = if context.is_null() { current()? } else { context_of(context)? };
        with(|state| state.healthy(of))
    }
    [Context] fn cuCtxSetFlags(flags: c_uint) {
        let context = current()?;
        with(|state| {
            state.context(context)?.flags = flags;
            Ok(())
        })
    }
    [Context] fn cuCtxResetPersistingL2Cache() { Ok(()) }
    [Context] fn cuCtxRecordEvent(context: *mut c_void, event: *mut c_void) {
        context_of(context)?;
        super::stream::record_event(event, ptr::null_mut())
    }
    [Context] fn cuCtxWaitEvent(context: *mut c_void, event: *mut c_void) {
        context_of(context)?;
        super::stream::known_event(event)
    }
    [Anywhere] fn cuDeviceGetByPCIBusId(device: *mut c_int, name: *const c_char) {
        // [domain:]bus:device[.function], of which the only device has zeros alone.
        let name = text(name)?;
        let is_it = name.contains(':') && name.chars().all(|letter| matches!(letter, '0' | ':' | '.'));
        match is_it {
            true => put(device, 0),
            false => Err(Failed::new(Code::InvalidDevice, format!("there is no device at '{name}'"))),
        }
    }
    [Anywhere] fn cuDeviceGetP2PAttribute(_value: *mut c_int, _attribute: c_int, from: c_int, to: c_int) {
        only(from)?;
        only(to)?;
        Err(Failed::new(Code::InvalidDevice, "a device is no peer of itself"))
    }
    [Anywhere] fn cuDeviceGetTexture1DLinearMaxWidth(width: *mut usize, number: c_uint, channels: c_uint, device: c_int) {
        only(device)?;
        crate::state::array::format(number, channels)?;
        // CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LINEAR_WIDTH counts texels, whatever they are.
        put(width, attribute(69)? as usize)
    }
    [Anywhere] fn cuProfilerStart() { Ok(()) }
    [Anywhere] fn cuProfilerStop() { Ok(()) }
    [Anywhere] fn cuThreadExchangeStreamCaptureMode(mode: *mut c_int) { list(mode.cast_const(), 1).map(|_| ()) }
}
