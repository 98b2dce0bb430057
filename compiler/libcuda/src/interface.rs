//! What crosses the C interface: values that programs hand over, and results.
//!
//! What holds for every call of the library: a pointer that a program hands over is null, which is refused, or what the documentation of the
//! function says it is: of so many bytes, readable or writable through the call. That is the contract of a C interface, and cannot be checked from
//! inside. What is written is no value with invariants, and is written without assuming alignment.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_char, c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, PoisonError};
use std::{ptr, slice};

use warpsmith_cubin::Cubin;

use crate::image::{self, Kind};
use crate::state::{Code, Failed, HostMemory, Settings, State};

static STATE: Mutex<Option<State>> = Mutex::new(None);

/// Does something with the device, which the first call makes.
pub(crate) fn with<T>(action: impl FnOnce(&mut State) -> Result<T, Failed>) -> Result<T, Failed> {
    let mut state = STATE.lock().unwrap_or_else(PoisonError::into_inner);
    if state.is_none() {
        let settings = Settings::read(|name| std::env::var(name).ok());
        let settings = settings.map_err(|reason| Failed::new(Code::InvalidDevice, reason))?;
        *state = Some(State::new(settings));
    }
    match state.as_mut() {
        Some(state) => action(state),
        None => Err(Failed::new(Code::Unknown, "there is no device")),
    }
}

/// The code of a call, with its reason on standard error.
pub(crate) fn code(call: impl FnOnce() -> Result<(), Failed>) -> c_int {
    match catch_unwind(AssertUnwindSafe(call)) {
        Ok(Ok(())) => Code::Success as c_int,
        Ok(Err(failed)) => {
            if !failed.reason.is_empty() {
                eprintln!("warpsmith: {}", failed.reason);
            }
            failed.code as c_int
        }
        // The panic has said what it is.
        Err(_) => Code::Unknown as c_int,
    }
}

/// Gives a program a value.
pub(crate) fn put<T>(to: *mut T, value: T) -> Result<(), Failed> {
    if to.is_null() {
        return Err(Failed::new(Code::InvalidValue, "a result has nowhere to go"));
    }
    // SAFETY: not null, so of a `T` that the program owns (the contract above).
    unsafe { to.write_unaligned(value) };
    Ok(())
}

/// Gives a program bytes.
pub(crate) fn put_bytes(to: *mut u8, bytes: &[u8]) -> Result<(), Failed> {
    if to.is_null() && !bytes.is_empty() {
        return Err(Failed::new(Code::InvalidValue, "bytes have nowhere to go"));
    }
    // SAFETY: not null where anything is written, so of as many bytes (the contract above), apart from the library's own.
    unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), to, bytes.len()) };
    Ok(())
}

/// A number of items that a program hands over.
pub(crate) fn list<T: Copy>(from: *const T, count: usize) -> Result<Vec<T>, Failed> {
    if from.is_null() && count > 0 {
        return Err(Failed::new(Code::InvalidValue, "an argument is null"));
    }
    // SAFETY: not null where anything is read, so of `count` items (the contract above); read without assuming alignment.
    Ok((0..count)
        .map(|index| unsafe { from.add(index).read_unaligned() })
        .collect())
}

/// A text of a program.
pub(crate) fn text(from: *const c_char) -> Result<String, Failed> {
    if from.is_null() {
        return Err(Failed::new(Code::InvalidValue, "a name is null"));
    }
    // SAFETY: not null, so a text that ends with a zero byte (the contract above).
    Ok(unsafe { CStr::from_ptr(from) }.to_string_lossy().into_owned())
}

/// Handles are numbers from 1 on.
pub(crate) fn handle(number: usize) -> *mut c_void {
    ptr::without_provenance_mut(number + 1)
}

pub(crate) fn number(handle: *mut c_void) -> usize {
    handle.addr().wrapping_sub(1)
}

/// Registered memory of the program.
pub(crate) struct Host;

impl HostMemory for Host {
    fn read(&self, address: u64, length: usize) -> Vec<u8> {
        let from: *const u8 = ptr::with_exposed_provenance(address as usize);
        // SAFETY: memory that the program has registered stays its own, and whole, until it is unregistered (`cuMemHostRegister`).
        unsafe { slice::from_raw_parts(from, length) }.to_vec()
    }

    fn write(&self, address: u64, bytes: &[u8]) {
        let to: *mut u8 = ptr::with_exposed_provenance_mut(address as usize);
        // SAFETY: as above; the bytes are the library's own, so that the two do not overlap.
        unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), to, bytes.len()) };
    }
}

/// The cubin of an image, which tells its length itself, or what its PTX becomes.
pub(crate) fn cubin(from: *const c_void) -> Result<Cubin, Failed> {
    let from: *const u8 = from.cast();
    let sm = with(|state| Ok(state.settings.sm))?;
    let start: [u8; 4] = array(from)?;
    match Kind::of(start) {
        Kind::Cubin => {
            let broken = || Failed::new(Code::InvalidImage, "the image is no cubin");
            let tables = image::end_of_tables(&array(from)?).ok_or_else(broken)?;
            let tables = list(from, tables as usize)?;
            let end = image::end(&tables).ok_or_else(broken)?;
            image::cubin(&list(from, end as usize)?)
        }
        Kind::Fatbin => {
            let size = image::size_of_fatbin(&array(from)?);
            image::chosen(&list(from, size as usize)?, sm)
        }
        Kind::Ptx => image::compiled(text(from.cast())?.as_bytes(), sm),
    }
}

/// The first bytes of an image.
fn array<const SIZE: usize>(from: *const u8) -> Result<[u8; SIZE], Failed> {
    let bytes = list(from, SIZE)?;
    bytes
        .try_into()
        .map_err(|_| Failed::new(Code::Unknown, "an image without bytes"))
}
