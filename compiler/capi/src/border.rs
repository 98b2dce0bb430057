//! What crosses the C interface: pointers of the program, results, panics.
//!
//! What holds for every call of a library: a pointer that a program hands over is null, which is answered by a code, or what the documentation of the
//! function says it is: of so many bytes, readable or writable through the call. That is the contract of a C interface, and cannot be checked from
//! inside. What is written is no value with invariants, and is written without assuming alignment.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_char, c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;

use warpsmith_base::Cancel;

/// A pointer is null that must not be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Null;

/// The result of a call; `internal`, where it panics.
pub(crate) fn answer<C>(
    internal: C,
    call: impl FnOnce() -> Result<(), C>,
    code: impl FnOnce(Result<(), C>) -> c_int,
) -> c_int {
    let result = catch_unwind(AssertUnwindSafe(call));
    code(result.unwrap_or(Err(internal)))
}

/// Gives a program a value.
pub(crate) fn put<T: Copy>(to: *mut T, value: T) -> Result<(), Null> {
    if to.is_null() {
        return Err(Null);
    }
    // SAFETY: not null, so of a `T` that the program owns (the contract above).
    unsafe { to.write_unaligned(value) };
    Ok(())
}

/// Gives a program the items of a list, one after the other.
pub(crate) fn put_all<T: Copy>(to: *mut T, values: &[T]) -> Result<(), Null> {
    if to.is_null() {
        return Err(Null);
    }
    // SAFETY: not null, so of as many bytes (the contract above), apart from the library's own.
    unsafe { ptr::copy_nonoverlapping(values.as_ptr().cast::<u8>(), to.cast::<u8>(), size_of_val(values)) };
    Ok(())
}

/// A value that a program hands over.
pub(crate) fn get<T: Copy>(from: *const T) -> Result<T, Null> {
    if from.is_null() {
        return Err(Null);
    }
    // SAFETY: not null, so a `T` of the program (the contract above): those read here are plain numbers and pointers.
    Ok(unsafe { from.read_unaligned() })
}

/// Bytes that a program hands over.
pub(crate) fn bytes(from: *const c_char, length: usize) -> Result<Vec<u8>, Null> {
    if from.is_null() {
        return Err(Null);
    }
    // SAFETY: not null, so of as many bytes (the contract above).
    Ok(unsafe { std::slice::from_raw_parts(from.cast::<u8>(), length) }.to_vec())
}

/// A text that a program hands over, without the zero at its end.
pub(crate) fn text(from: *const c_char) -> Result<Vec<u8>, Null> {
    if from.is_null() {
        return Err(Null);
    }
    // SAFETY: not null, so a text that ends with a zero byte (the contract above).
    Ok(unsafe { CStr::from_ptr(from) }.to_bytes().to_vec())
}

/// Texts that a program hands over. A negative number of them is as wrong as a null pointer.
pub(crate) fn texts(from: *const *const c_char, count: c_int) -> Result<Vec<Vec<u8>>, Null> {
    let count = usize::try_from(count).map_err(|_| Null)?;
    if count == 0 {
        return Ok(Vec::new());
    }
    if from.is_null() {
        return Err(Null);
    }
    // SAFETY: not null, so of `count` pointers (the contract above).
    let pointers = (0..count).map(|index| unsafe { from.add(index).read_unaligned() });
    pointers.map(text).collect()
}

/// A text as a program takes it, with a zero at its end.
pub(crate) fn closed(text: &str) -> Vec<u8> {
    let mut bytes: Vec<u8> = text.bytes().filter(|byte| *byte != 0).collect();
    bytes.push(0);
    bytes
}

/// The function that a program gives, to be asked whether a compile is to end.
pub(crate) type Ask = unsafe extern "C" fn(*mut c_void, *mut c_void) -> c_int;

/// A program's function and its own pointer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Callback {
    ask: Ask,
    payload: *mut c_void,
}

// SAFETY: the documentation of the functions that set it demands that it can be called from any thread.
unsafe impl Send for Callback {}
// SAFETY: as above.
unsafe impl Sync for Callback {}

impl Callback {
    pub(crate) fn new(ask: Ask, payload: *mut c_void) -> Callback {
        Callback { ask, payload }
    }

    /// Whether the program wants the compile to end.
    fn wants_end(&self) -> bool {
        // SAFETY: a function of the program of this type; the second pointer is reserved, and null.
        unsafe { (self.ask)(self.payload, ptr::null_mut()) != 0 }
    }
}

/// What ends a compile: the program's function, if it has given one.
pub(crate) fn cancel(callback: Option<Callback>) -> Cancel {
    callback.map_or_else(Cancel::never, |callback| Cancel::asking(move || callback.wants_end()))
}
