//! The runtime API, as programs compiled by nvcc with `-cudart shared` need it, for `libcudart.so.13`: what the compiler's own code calls to register
//! kernels and launch them, memory, launches, streams and properties. Signatures, numbers and structures are those of CUDA 13.0's headers.
#![allow(unsafe_code, non_snake_case)]

mod device;
mod launch;
mod memory;
mod registry;
mod stream;

use std::cell::Cell;
use std::ffi::{CStr, c_char, c_int};

use crate::interface::{Scope, code, contexts, current, with};
use crate::result::{Code, Failed, named};
use crate::state::PRIMARY;

thread_local! {
    /// The last error of this thread that was not asked for.
    static LAST: Cell<c_int> = const { Cell::new(0) };
}

/// The names of all functions.
#[cfg(test)]
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    let own = [
        "cudaGetLastError",
        "cudaPeekAtLastError",
        "cudaGetErrorString",
        "cudaGetErrorName",
    ];
    let lists = [
        device::NAMES,
        launch::NAMES,
        memory::NAMES,
        stream::NAMES,
        registry::NAMES,
    ];
    let lists = lists.into_iter().chain([registry::PLAIN, memory::PLAIN]);
    lists.flatten().copied().chain(own)
}

/// Notes an error for `cudaGetLastError`.
pub(crate) fn note(result: c_int) {
    if result != Code::Success as c_int {
        LAST.set(result);
    }
}

/// The code of a call, kept for `cudaGetLastError`. The first one makes the primary context current, where no other is.
fn call(scope: Scope, call: impl FnOnce() -> Result<(), Failed>) -> c_int {
    let result = match scope {
        Scope::Context => match code(Scope::Anywhere, enter) {
            0 => code(Scope::Context, call),
            failed => failed,
        },
        Scope::Anywhere => code(Scope::Anywhere, || initialize().and_then(|()| call())),
    };
    note(result);
    result
}

/// The runtime initialises the driver with its first call.
fn initialize() -> Result<(), Failed> {
    with(|state| {
        state.is_initialized = true;
        Ok(())
    })
}

/// Makes a context current.
fn enter() -> Result<(), Failed> {
    initialize()?;
    let has_one = current().is_ok_and(|context| with(|state| Ok(state.context(context).is_ok())).unwrap_or(false));
    if has_one {
        return Ok(());
    }
    with(|state| {
        let primary = &mut state.contexts[PRIMARY.0];
        primary.held = primary.held.max(1);
        Ok(())
    })?;
    contexts(|contexts| {
        contexts.clear();
        contexts.push(PRIMARY);
    });
    Ok(())
}

/// The fault of a kernel that a call has given: it is never forgotten.
fn fault() -> Option<c_int> {
    let context = current().ok()?;
    let told = with(|state| Ok(state.told(context))).ok()?;
    told.map(|code| code as c_int)
}

/// The last error, which is forgotten, unless a kernel's fault goes on.
#[unsafe(no_mangle)]
extern "system" fn cudaGetLastError() -> c_int {
    let last = LAST.replace(0);
    fault().unwrap_or(last)
}

/// The last error.
#[unsafe(no_mangle)]
extern "system" fn cudaPeekAtLastError() -> c_int {
    fault().unwrap_or(LAST.get())
}

/// The words of an error.
#[unsafe(no_mangle)]
extern "system" fn cudaGetErrorString(error: c_int) -> *const c_char {
    named(error).map_or(UNKNOWN, |row| row.words).as_ptr()
}

/// The name of an error.
#[unsafe(no_mangle)]
extern "system" fn cudaGetErrorName(error: c_int) -> *const c_char {
    named(error)
        .and_then(|row| row.runtime.or(row.driver))
        .unwrap_or(UNKNOWN)
        .as_ptr()
}

const UNKNOWN: &CStr = c"unrecognized error code";

#[cfg(test)]
mod tests;
