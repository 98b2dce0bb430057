//! Streams and events.

use std::ffi::{c_int, c_uint, c_void};

use crate::ByName as _;
use crate::memory::ProcessHandle;
use crate::{Stream, driver, exports, put};

/// A function that a stream calls when it comes to it.
pub(crate) type HostFunction = unsafe extern "C" fn(data: *mut c_void);
/// The same of old, with the stream and its state.
pub(crate) type Callback = unsafe extern "C" fn(stream: *mut c_void, status: c_int, data: *mut c_void);

exports! {
    [context] fn cudaStreamCreate(to: *mut *mut c_void) { driver::cuStreamCreateWithPriority(to, 0, 0) }
    [context] fn cudaStreamCreateWithFlags(to: *mut *mut c_void, flags: c_uint) { driver::cuStreamCreateWithPriority(to, flags, 0) }
    [context] fn cudaStreamCreateWithPriority(to: *mut *mut c_void, flags: c_uint, priority: c_int) { driver::cuStreamCreateWithPriority(to, flags, priority) }
    [context] fn cudaStreamDestroy(stream: *mut c_void) { driver::cuStreamDestroy_v2(stream) }
    [context cudaStreamSynchronize_ptsz] fn cudaStreamSynchronize(stream: Stream) { driver::cuStreamSynchronize(stream.0) }
    [context cudaStreamQuery_ptsz] fn cudaStreamQuery(stream: Stream) { driver::cuStreamQuery(stream.0) }
    [context cudaStreamWaitEvent_ptsz] fn cudaStreamWaitEvent(stream: Stream, event: *mut c_void, flags: c_uint) { driver::cuStreamWaitEvent(stream.0, event, flags) }
    [context cudaStreamAddCallback_ptsz] fn cudaStreamAddCallback(stream: Stream, call: Option<Callback>, data: *mut c_void, flags: c_uint) { driver::cuStreamAddCallback(stream.0, call, data, flags) }
    [context cudaStreamAttachMemAsync_ptsz] fn cudaStreamAttachMemAsync(stream: Stream, pointer: *mut c_void, bytes: usize, flags: c_uint) {
        driver::cuStreamAttachMemAsync(stream.0, pointer.expose_provenance() as u64, bytes, flags)
    }
    [context cudaStreamGetFlags_ptsz] fn cudaStreamGetFlags(stream: Stream, flags: *mut c_uint) { driver::cuStreamGetFlags(stream.0, flags) }
    [context cudaStreamGetPriority_ptsz] fn cudaStreamGetPriority(stream: Stream, priority: *mut c_int) { driver::cuStreamGetPriority(stream.0, priority) }
    [context cudaStreamGetId_ptsz] fn cudaStreamGetId(stream: Stream, id: *mut u64) { driver::cuStreamGetId(stream.0, id) }
    [context cudaStreamGetDevice_ptsz] fn cudaStreamGetDevice(_stream: Stream, device: *mut c_int) { put(device, crate::DEVICE.get()) }
    [context cudaStreamIsCapturing_ptsz] fn cudaStreamIsCapturing(stream: Stream, status: *mut c_int) { driver::cuStreamIsCapturing(stream.0, status) }
    [context cudaStreamGetAttribute_ptsz] fn cudaStreamGetAttribute(stream: Stream, number: c_int, value: *mut c_void) { driver::cuStreamGetAttribute(stream.0, number, value) }
    [context cudaStreamSetAttribute_ptsz] fn cudaStreamSetAttribute(stream: Stream, number: c_int, value: *const c_void) { driver::cuStreamSetAttribute(stream.0, number, value) }
    [context cudaStreamCopyAttributes_ptsz] fn cudaStreamCopyAttributes(to: Stream, from: Stream) { driver::cuStreamCopyAttributes(to.0, from.0) }
    [context] fn cudaEventCreate(to: *mut *mut c_void) { driver::cuEventCreate(to, 0) }
    [context] fn cudaEventCreateWithFlags(to: *mut *mut c_void, flags: c_uint) { driver::cuEventCreate(to, flags) }
    [context] fn cudaIpcGetEventHandle(handle: *mut ProcessHandle, event: *mut c_void) { driver::cuIpcGetEventHandle(handle, event) }
    [context] fn cudaIpcOpenEventHandle(event: *mut *mut c_void, handle: ProcessHandle) { driver::cuIpcOpenEventHandle(event, handle) }
    [context] fn cudaEventDestroy(event: *mut c_void) { driver::cuEventDestroy_v2(event) }
    [context cudaEventRecord_ptsz] fn cudaEventRecord(event: *mut c_void, stream: Stream) { driver::cuEventRecordWithFlags(event, stream.0, 0) }
    [context cudaEventRecordWithFlags_ptsz] fn cudaEventRecordWithFlags(event: *mut c_void, stream: Stream, flags: c_uint) { driver::cuEventRecordWithFlags(event, stream.0, flags) }
    [context] fn cudaEventSynchronize(event: *mut c_void) { driver::cuEventSynchronize(event) }
    [context] fn cudaEventQuery(event: *mut c_void) { driver::cuEventQuery(event) }
    [context] fn cudaEventElapsedTime(milliseconds: *mut f32, start: *mut c_void, end: *mut c_void) { driver::cuEventElapsedTime(milliseconds, start, end) }
}
