//! Streams and events.
#![allow(unsafe_code, non_snake_case)]

use std::ffi::{c_int, c_uint, c_void};

use super::call;
use crate::driver::{known_stream, stream};
use crate::exports::exports;
use crate::interface::{put, put_wanted};

exports! { call;
    [Context] fn cudaStreamCreate(to: *mut *mut c_void) { stream::create_stream(to, 0, 0) }
    [Context] fn cudaStreamCreateWithFlags(to: *mut *mut c_void, flags: c_uint) { stream::create_stream(to, flags, 0) }
    [Context] fn cudaStreamCreateWithPriority(to: *mut *mut c_void, flags: c_uint, priority: c_int) { stream::create_stream(to, flags, priority) }
    [Context cudaStreamSynchronize_ptsz] fn cudaStreamSynchronize(of: *mut c_void) { known_stream(of).map(|_| ()) }
    [Context cudaStreamQuery_ptsz] fn cudaStreamQuery(of: *mut c_void) { known_stream(of).map(|_| ()) }
    [Context cudaStreamWaitEvent_ptsz] fn cudaStreamWaitEvent(of: *mut c_void, event: *mut c_void, _flags: c_uint) {
        known_stream(of)?;
        stream::known_event(event)
    }
    [Context cudaStreamAddCallback_ptsz] fn cudaStreamAddCallback(
        of: *mut c_void,
        function: stream::StreamCallback,
        data: *mut c_void,
        _flags: c_uint,
    ) { stream::add_callback(of, function, data) }
    [Context] fn cudaStreamDestroy(of: *mut c_void) { stream::destroy_stream(of) }
    [Context cudaStreamGetFlags_ptsz] fn cudaStreamGetFlags(of: *mut c_void, flags: *mut c_uint) {
        put(flags, known_stream(of)?.map_or(0, |stream| stream.flags))
    }
    [Context cudaStreamGetPriority_ptsz] fn cudaStreamGetPriority(of: *mut c_void, priority: *mut c_int) {
        put(priority, known_stream(of)?.map_or(0, |stream| stream.priority))
    }
    [Context cudaStreamGetId_ptsz] fn cudaStreamGetId(of: *mut c_void, id: *mut u64) { put(id, stream::stream_id(of)?) }
    [Context cudaStreamGetDevice_ptsz] fn cudaStreamGetDevice(of: *mut c_void, device: *mut c_int) {
        known_stream(of)?;
        put(device, 0)
    }
    [Context cudaStreamIsCapturing_ptsz] fn cudaStreamIsCapturing(of: *mut c_void, status: *mut c_int) {
        known_stream(of)?;
        put_wanted(status, 0)
    }
    [Context cudaStreamAttachMemAsync_ptsz] fn cudaStreamAttachMemAsync(of: *mut c_void, _address: *mut c_void, _bytes: usize, _flags: c_uint) {
        known_stream(of).map(|_| ())
    }
    [Context] fn cudaEventCreate(event: *mut *mut c_void) { stream::create_event(event, 0) }
    [Context] fn cudaEventCreateWithFlags(event: *mut *mut c_void, flags: c_uint) { stream::create_event(event, flags) }
    [Context cudaEventRecord_ptsz] fn cudaEventRecord(event: *mut c_void, on: *mut c_void) { stream::record_event(event, on) }
    [Context cudaEventRecordWithFlags_ptsz] fn cudaEventRecordWithFlags(event: *mut c_void, on: *mut c_void, _flags: c_uint) {
        stream::record_event(event, on)
    }
    [Context] fn cudaEventSynchronize(event: *mut c_void) { stream::known_event(event) }
    [Context] fn cudaEventQuery(event: *mut c_void) { stream::known_event(event) }
    [Context] fn cudaEventElapsedTime(milliseconds: *mut f32, from: *mut c_void, to: *mut c_void) { put(milliseconds, stream::elapsed(from, to)?) }
    [Context] fn cudaEventDestroy(event: *mut c_void) { stream::destroy_event(event) }
}
