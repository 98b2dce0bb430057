//! Memory and events of several processes. All work is done when a call returns, so that an event of another process has happened when this one hears of it.
#![allow(unsafe_code, non_snake_case)]

use std::ffi::{c_uint, c_void};

use super::{call, stream};
use crate::exports::exports;
use crate::interface::{HandleKind, current, get, number, put, with};
use crate::result::{Code, Failed};
use crate::state::ipc::Handle;

/// `CUipcMemHandle` and `CUipcEventHandle`.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct Words([u64; 8]);

/// The first word of a handle of an event.
const EVENT: u64 = u64::from_le_bytes(*b"ws event");

/// `CU_EVENT_DISABLE_TIMING` and `CU_EVENT_INTERPROCESS`.
const OF_PROCESSES: c_uint = 6;

fn unknown() -> Failed {
    Failed::new(Code::InvalidHandle, "no process of ours has made this handle")
}

fn event_handle(to: *mut Words, event: *mut c_void) -> Result<(), Failed> {
    let event = number(HandleKind::Event, event)?;
    let flags = with(|state| state.event(event).map(|event| event.flags))?;
    if flags & OF_PROCESSES != OF_PROCESSES {
        let reason = "only events of several processes, which take no time, have a handle";
        return Err(Failed::new(Code::InvalidValue, reason));
    }
    put(
        to,
        Words([EVENT, u64::from(std::process::id()), event as u64, 0, 0, 0, 0, 0]),
    )
}

exports! { call, address;
    [Context] fn cuIpcGetMemHandle(handle: *mut Words, address: u64) {
        put(handle, Words(with(|state| state.export(address))?.words()))
    }
    [Context] fn cuIpcOpenMemHandle_v2(address: *mut u64, handle: Words, _flags: c_uint) {
        let (handle, context) = (Handle::of(handle.0).ok_or_else(unknown)?, current()?);
        put(address, with(|state| state.import(handle, context))?)
    }
    [Context] fn cuIpcCloseMemHandle(address: u64) { with(|state| state.close_import(address)) }
    [Context] fn cuIpcGetEventHandle(handle: *mut Words, event: *mut c_void) { event_handle(handle, event) }
    [Context] fn cuIpcOpenEventHandle(event: *mut *mut c_void, handle: Words) {
        if handle.0[0] != EVENT {
            return Err(unknown());
        }
        stream::create_event(event, OF_PROCESSES)?;
        stream::record_event(get(event)?, std::ptr::null_mut())
    }
}
