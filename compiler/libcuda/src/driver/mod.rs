//! The driver API: functions with the names, numbers and structures of its public documentation.

mod array;
pub(crate) mod context;
mod graph;
mod ipc;
pub(crate) mod launch;
mod library;
pub(crate) mod link;
mod managed;
mod memory;
pub(crate) mod stream;
mod stream_values;
mod tensor_map;
mod virtual_memory;

use std::ffi::{c_int, c_void};

use crate::interface::{HandleKind, Scope, code, number, with};
use crate::refused;
use crate::result::{Code, Failed};
use crate::state::ContextId;

pub(crate) use stream::known_stream;

/// The version of CUDA whose driver this is: 13.0.
pub(crate) const VERSION: c_int = 13_000;

/// The function of a name.
pub(crate) fn address(name: &str) -> Option<*const c_void> {
    let lists = [
        array::address,
        context::address,
        graph::address,
        graph::node::address,
        graph::structure::address,
        ipc::address,
        launch::address,
        link::address,
        library::address,
        managed::address,
        memory::address,
        stream::address,
        stream_values::address,
        tensor_map::address,
        virtual_memory::address,
    ];
    lists.iter().find_map(|list| list(name))
}

/// What a name leads to in a program that was made for a version of CUDA.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Entry {
    /// The function, which may be there to say that it is not done.
    Found(*const c_void),
    /// No driver has it.
    Unknown,
    /// It came with a later version.
    TooOld,
}

impl Entry {
    /// The function that programs of a version of CUDA mean by a name.
    pub(crate) fn of(name: &str, version: c_int) -> Entry {
        match refused::meant(name, version) {
            Ok(name) => address(name)
                .or_else(|| refused::address(name))
                .map_or(Entry::Unknown, Entry::Found),
            Err(refused::TooOld) => Entry::TooOld,
        }
    }

    /// Its address; none is null.
    pub(crate) fn address(self) -> *const c_void {
        match self {
            Entry::Found(address) => address,
            Entry::Unknown | Entry::TooOld => std::ptr::null(),
        }
    }

    /// `CUdriverProcAddressQueryResult`.
    pub(crate) fn status(self) -> c_int {
        match self {
            Entry::Found(_) => 0,
            Entry::Unknown => 1,
            Entry::TooOld => 2,
        }
    }
}

/// The names of all functions.
#[cfg(test)]
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    let lists = [
        array::NAMES,
        context::NAMES,
        graph::NAMES,
        graph::node::NAMES,
        graph::structure::NAMES,
        ipc::NAMES,
        launch::NAMES,
        link::NAMES,
        library::NAMES,
        managed::NAMES,
        memory::NAMES,
        stream::NAMES,
        stream_values::NAMES,
        tensor_map::NAMES,
        virtual_memory::NAMES,
    ];
    lists.into_iter().flatten().copied()
}

/// The code of a call. `CUresult` has no invalid configuration: it is an invalid value.
fn call(scope: Scope, call: impl FnOnce() -> Result<(), Failed>) -> c_int {
    let result = code(scope, call);
    if result == Code::InvalidConfiguration as c_int {
        return Code::InvalidValue as c_int;
    }
    result
}

/// The only device is number 0.
pub(crate) fn only(device: c_int) -> Result<(), Failed> {
    match device {
        0 => Ok(()),
        other => Err(Failed::new(Code::InvalidDevice, format!("there is no device {other}"))),
    }
}

/// The context of a handle.
fn context_of(handle: *mut c_void) -> Result<ContextId, Failed> {
    let wrong = |failed: Failed| Failed {
        code: Code::InvalidContext,
        ..failed
    };
    let id = ContextId(number(HandleKind::Context, handle).map_err(wrong)?);
    with(|state| state.context(id).map(|_| id))
}

/// An attribute of the device.
pub(crate) fn attribute(which: c_int) -> Result<c_int, Failed> {
    let found = with(|state| {
        let settings = &state.settings;
        Ok(crate::device::attribute(which, settings.sm, settings.multiprocessors))
    })?;
    found.ok_or_else(|| Failed::new(Code::InvalidValue, format!("devices have no attribute {which}")))
}
