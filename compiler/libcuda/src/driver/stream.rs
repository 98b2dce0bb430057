//! Streams and events. Everything is done when its call returns, so that they have nothing to wait for; events tell the time between them.
#![allow(unsafe_code, non_snake_case)]

use std::ffi::{c_int, c_uint, c_void};

use super::call;
use super::graph::is_captured;
use crate::exports::exports;
use crate::interface::{HandleKind, current, handle, number, put, put_wanted, with};
use crate::result::{Code, Failed};
use crate::state::Stream;

/// `CU_EVENT_DISABLE_TIMING`.
const NO_TIMING: c_uint = 2;

/// What a handle of a stream stands for; `None`: the default stream, also under its numbers 1 and 2.
pub(crate) fn known_stream(stream: *mut c_void) -> Result<Option<Stream>, Failed> {
    if stream.addr() <= 2 {
        return Ok(None);
    }
    let stream = number(HandleKind::Stream, stream)?;
    with(|state| state.stream(stream).copied().map(Some))
}

pub(crate) fn create_stream(stream: *mut *mut c_void, flags: c_uint, priority: c_int) -> Result<(), Failed> {
    if flags > 1 {
        return Err(Failed::new(
            Code::InvalidValue,
            format!("streams have no flags {flags:#x}"),
        ));
    }
    let context = current()?;
    let made = with(|state| Ok(state.add_stream(flags, priority.clamp(-5, 0), context)))?;
    put(stream, handle(HandleKind::Stream, made))
}

pub(crate) fn destroy_stream(stream: *mut c_void) -> Result<(), Failed> {
    if stream.addr() <= 2 {
        return Err(Failed::new(Code::InvalidHandle, "the default stream stays"));
    }
    known_stream(stream)?;
    let stream = number(HandleKind::Stream, stream)?;
    with(|state| {
        state.streams[stream] = None;
        Ok(())
    })
}

/// The number that programs tell streams apart by.
pub(crate) fn stream_id(stream: *mut c_void) -> Result<u64, Failed> {
    known_stream(stream)?;
    Ok(stream.addr() as u64)
}

pub(crate) fn create_event(event: *mut *mut c_void, flags: c_uint) -> Result<(), Failed> {
    // One of several processes takes no time.
    if flags > 7 || flags & 6 == 4 {
        return Err(Failed::new(
            Code::InvalidValue,
            format!("events have no flags {flags:#x}"),
        ));
    }
    let context = current()?;
    put(
        event,
        handle(HandleKind::Event, with(|state| Ok(state.add_event(flags, context)))?),
    )
}

pub(crate) fn record_event(event: *mut c_void, stream: *mut c_void) -> Result<(), Failed> {
    known_stream(stream)?;
    let event = number(HandleKind::Event, event)?;
    with(|state| {
        state.event(event)?;
        match state.graphs.record(event, stream.addr() as u64) {
            true => Ok(()),
            false => state.note(event),
        }
    })
}

/// An event that is known.
pub(crate) fn known_event(event: *mut c_void) -> Result<(), Failed> {
    let event = number(HandleKind::Event, event)?;
    with(|state| state.event(event).map(|_| ()))
}

pub(crate) fn destroy_event(event: *mut c_void) -> Result<(), Failed> {
    known_event(event)?;
    let event = number(HandleKind::Event, event)?;
    with(|state| {
        state.events[event] = None;
        Ok(())
    })
}

/// Milliseconds of the host from one event to another.
pub(crate) fn elapsed(from: *mut c_void, to: *mut c_void) -> Result<f32, Failed> {
    let (from, to) = (number(HandleKind::Event, from)?, number(HandleKind::Event, to)?);
    with(|state| {
        let (from, to) = (*state.event(from)?, *state.event(to)?);
        match (from.recorded, to.recorded) {
            (Some(start), Some(end)) if (from.flags | to.flags) & NO_TIMING == 0 => {
                let forth = end.saturating_duration_since(start).as_secs_f32();
                let back = start.saturating_duration_since(end).as_secs_f32();
                Ok((forth - back) * 1000.0)
            }
            _ => Err(Failed::new(
                Code::InvalidHandle,
                "an event was not recorded, or has no time",
            )),
        }
    })
}

/// A stream whose work is done: what is captured is done when its graph is launched.
fn not_captured(stream: *mut c_void) -> Result<(), Failed> {
    known_stream(stream)?;
    if is_captured(stream)? {
        with(|state| {
            state.graphs.invalidate(stream.addr() as u64);
            Ok(())
        })?;
        return Err(Failed::new(Code::StreamCaptureUnsupported, "the stream is captured"));
    }
    Ok(())
}

pub(crate) type StreamCallback = Option<extern "system" fn(*mut c_void, c_int, *mut c_void)>;

/// Calls a function of the program that waits for a stream.
pub(crate) fn add_callback(stream: *mut c_void, function: StreamCallback, data: *mut c_void) -> Result<(), Failed> {
    not_captured(stream)?;
    let function = function.ok_or_else(|| Failed::new(Code::InvalidValue, "a function is null"))?;
    function(stream, Code::Success as c_int, data);
    Ok(())
}

exports! { call, address;
    [Context] fn cuStreamCreate(stream: *mut *mut c_void, flags: c_uint) { create_stream(stream, flags, 0) }
    [Context] fn cuStreamCreateWithPriority(stream: *mut *mut c_void, flags: c_uint, priority: c_int) { create_stream(stream, flags, priority) }
    [Context cuStreamSynchronize_ptsz] fn cuStreamSynchronize(stream: *mut c_void) { not_captured(stream) }
    [Context cuStreamQuery_ptsz] fn cuStreamQuery(stream: *mut c_void) { not_captured(stream) }
    [Context cuStreamWaitEvent_ptsz] fn cuStreamWaitEvent(stream: *mut c_void, event: *mut c_void, _flags: c_uint) {
        known_stream(stream)?;
        known_event(event)?;
        let event = number(HandleKind::Event, event)?;
        with(|state| state.graphs.wait(stream.addr() as u64, event))
    }
    [Context cuStreamAddCallback_ptsz] fn cuStreamAddCallback(stream: *mut c_void, function: StreamCallback, data: *mut c_void, _flags: c_uint) {
        add_callback(stream, function, data)
    }
    [Context cuStreamDestroy] fn cuStreamDestroy_v2(stream: *mut c_void) { destroy_stream(stream) }
    [Context cuStreamGetFlags_ptsz] fn cuStreamGetFlags(stream: *mut c_void, flags: *mut c_uint) {
        put(flags, known_stream(stream)?.map_or(0, |stream| stream.flags))
    }
    [Context cuStreamGetPriority_ptsz] fn cuStreamGetPriority(stream: *mut c_void, priority: *mut c_int) {
        put(priority, known_stream(stream)?.map_or(0, |stream| stream.priority))
    }
    [Context cuStreamGetId_ptsz] fn cuStreamGetId(stream: *mut c_void, id: *mut u64) { put(id, stream_id(stream)?) }
    [Context cuStreamGetCtx_ptsz] fn cuStreamGetCtx(stream: *mut c_void, context: *mut *mut c_void) {
        known_stream(stream)?;
        put(context, handle(HandleKind::Context, current()?.0))
    }
    [Context] fn cuStreamGetCtx_v2(stream: *mut c_void, context: *mut *mut c_void, green: *mut *mut c_void) {
        known_stream(stream)?;
        put_wanted(green, std::ptr::null_mut())?;
        put(context, handle(HandleKind::Context, current()?.0))
    }
    [Context cuStreamGetDevice_ptsz] fn cuStreamGetDevice(stream: *mut c_void, device: *mut c_int) {
        known_stream(stream)?;
        put(device, 0)
    }
    [Context cuStreamIsCapturing_ptsz] fn cuStreamIsCapturing(stream: *mut c_void, status: *mut c_int) {
        known_stream(stream)?;
        put_wanted(status, with(|state| Ok(state.graphs.status(stream.addr() as u64)))?)
    }
    [Context cuStreamAttachMemAsync_ptsz] fn cuStreamAttachMemAsync(stream: *mut c_void, _address: u64, _bytes: usize, _flags: c_uint) {
        known_stream(stream).map(|_| ())
    }
    [Context] fn cuEventCreate(event: *mut *mut c_void, flags: c_uint) { create_event(event, flags) }
    [Context cuEventRecord_ptsz] fn cuEventRecord(event: *mut c_void, stream: *mut c_void) { record_event(event, stream) }
    [Context cuEventRecordWithFlags_ptsz] fn cuEventRecordWithFlags(event: *mut c_void, stream: *mut c_void, _flags: c_uint) {
        record_event(event, stream)
    }
    [Context] fn cuEventSynchronize(event: *mut c_void) { known_event(event) }
    [Context] fn cuEventQuery(event: *mut c_void) { known_event(event) }
    [Context cuEventElapsedTime_v2] fn cuEventElapsedTime(milliseconds: *mut f32, from: *mut c_void, to: *mut c_void) {
        put(milliseconds, elapsed(from, to)?)
    }
    [Context cuEventDestroy] fn cuEventDestroy_v2(event: *mut c_void) { destroy_event(event) }
}
