//! The functions of `nvJitLink.h`, under their names. Programs call them with the version of their header in the name, too (`compiler/capi/link.sh`).
// What a C function is called is nobody's to check, which is what makes its attribute unsafe: the names are those of the header alone.
#![allow(unsafe_code, non_snake_case, non_camel_case_types)]

use std::ffi::{c_char, c_int, c_uint, c_void};
use std::io::ErrorKind;

use super::{Code, LINKERS, Linker, Made, VERSION};
use crate::border::{answer, bytes, closed, get, put, put_all, text, texts};

/// A linker, as a program holds it: no address of anything.
pub type nvJitLinkHandle = usize;

/// The code of a call.
fn code(call: impl FnOnce() -> Result<(), Code>) -> c_int {
    answer(Code::Internal, call, |result| {
        result.err().unwrap_or(Code::Success) as c_int
    })
}

/// The code of a call on a linker.
fn on(linker: nvJitLinkHandle, call: impl FnOnce(&mut Linker) -> Result<(), Code>) -> c_int {
    code(|| LINKERS.with(linker, call).unwrap_or(Err(Code::NullInput)))
}

/// The toolkit that the library is of.
#[unsafe(no_mangle)]
pub extern "C" fn nvJitLinkVersion(major: *mut c_uint, minor: *mut c_uint) -> c_int {
    code(|| {
        put(major, VERSION.0)?;
        Ok(put(minor, VERSION.1)?)
    })
}

/// Makes a linker. Where the options are wrong there is one, too: its log says why.
#[unsafe(no_mangle)]
pub extern "C" fn nvJitLinkCreate(linker: *mut nvJitLinkHandle, count: c_uint, options: *const *const c_char) -> c_int {
    code(|| {
        let count = c_int::try_from(count).map_err(|_| Code::InvalidInput)?;
        let (made, result) = Linker::new(&texts(options, count)?);
        put(linker, LINKERS.add(made))?;
        result
    })
}

/// Ends a linker, and sets the handle to null.
#[unsafe(no_mangle)]
pub extern "C" fn nvJitLinkDestroy(linker: *mut nvJitLinkHandle) -> c_int {
    code(|| {
        let handle = get(linker)?;
        if !LINKERS.remove(handle) {
            return Err(Code::NullInput);
        }
        Ok(put(linker, 0)?)
    })
}

/// Adds an input; `name` may be null.
#[unsafe(no_mangle)]
pub extern "C" fn nvJitLinkAddData(
    linker: nvJitLinkHandle,
    kind: c_int,
    data: *const c_void,
    size: usize,
    name: *const c_char,
) -> c_int {
    on(linker, |linker| {
        let bytes = bytes(data.cast(), size)?;
        let name = text(name).map_or_else(
            |_| "<unnamed>".to_owned(),
            |name| String::from_utf8_lossy(&name).into_owned(),
        );
        linker.guarded(|linker| linker.add(kind, &name, bytes))
    })
}

/// Adds an input from a file.
#[unsafe(no_mangle)]
pub extern "C" fn nvJitLinkAddFile(linker: nvJitLinkHandle, kind: c_int, file: *const c_char) -> c_int {
    on(linker, |linker| {
        let name = String::from_utf8_lossy(&text(file)?).into_owned();
        linker.guarded(|linker| {
            let read = std::fs::read(&name);
            let bytes = read.map_err(|error| match error.kind() {
                ErrorKind::NotFound => (Code::InvalidInput, format!("no such file: {name}\n")),
                _ => (Code::InvalidInput, format!("error   : {name}: {error}\n")),
            })?;
            linker.add(kind, &name, bytes)
        })
    })
}

/// Links all that was added.
#[unsafe(no_mangle)]
pub extern "C" fn nvJitLinkComplete(linker: nvJitLinkHandle) -> c_int {
    on(linker, |linker| linker.guarded(Linker::complete))
}

/// The cubin that was made.
fn cubin(linker: &Linker) -> Result<&[u8], Code> {
    match &linker.made {
        Some(Made::Cubin(bytes)) => Ok(bytes),
        Some(Made::Ptx(_)) | None => Err(Code::Internal),
    }
}

/// The PTX that was made, with a closing zero.
fn linked_ptx(linker: &Linker) -> Result<Vec<u8>, Code> {
    match &linker.made {
        Some(Made::Ptx(text)) => Ok(closed(text)),
        Some(Made::Cubin(_)) | None if linker.wants_ptx() => Err(Code::Internal),
        Some(Made::Cubin(_)) | None => Err(Code::InvalidInput),
    }
}

/// The size of the cubin in bytes.
#[unsafe(no_mangle)]
pub extern "C" fn nvJitLinkGetLinkedCubinSize(linker: nvJitLinkHandle, size: *mut usize) -> c_int {
    on(linker, |linker| Ok(put(size, cubin(linker)?.len())?))
}

/// The cubin.
#[unsafe(no_mangle)]
pub extern "C" fn nvJitLinkGetLinkedCubin(linker: nvJitLinkHandle, to: *mut c_void) -> c_int {
    on(linker, |linker| Ok(put_all(to.cast(), cubin(linker)?)?))
}

/// The size of the PTX in bytes, with a closing zero; there is one with `-lto -ptx` alone.
#[unsafe(no_mangle)]
pub extern "C" fn nvJitLinkGetLinkedPtxSize(linker: nvJitLinkHandle, size: *mut usize) -> c_int {
    on(linker, |linker| Ok(put(size, linked_ptx(linker)?.len())?))
}

/// The PTX.
#[unsafe(no_mangle)]
pub extern "C" fn nvJitLinkGetLinkedPtx(linker: nvJitLinkHandle, ptx: *mut c_char) -> c_int {
    on(linker, |linker| Ok(put_all(ptx.cast(), &linked_ptx(linker)?)?))
}

/// The size of a log: 0 where there is nothing in it.
fn put_size(size: *mut usize, log: &str) -> Result<(), Code> {
    let bytes = if log.is_empty() { 0 } else { closed(log).len() };
    Ok(put(size, bytes)?)
}

/// The size of the errors in bytes, with a closing zero; 0 where there are none.
#[unsafe(no_mangle)]
pub extern "C" fn nvJitLinkGetErrorLogSize(linker: nvJitLinkHandle, size: *mut usize) -> c_int {
    on(linker, |linker| put_size(size, &linker.errors))
}

/// The errors.
#[unsafe(no_mangle)]
pub extern "C" fn nvJitLinkGetErrorLog(linker: nvJitLinkHandle, log: *mut c_char) -> c_int {
    on(linker, |linker| Ok(put_all(log.cast(), &closed(&linker.errors))?))
}

/// The size of what a link has to tell in bytes, with a closing zero; 0 where there is nothing.
#[unsafe(no_mangle)]
pub extern "C" fn nvJitLinkGetInfoLogSize(linker: nvJitLinkHandle, size: *mut usize) -> c_int {
    on(linker, |linker| put_size(size, &linker.info))
}

/// What a link has to tell: warnings, and the figures that `-verbose` asks for.
#[unsafe(no_mangle)]
pub extern "C" fn nvJitLinkGetInfoLog(linker: nvJitLinkHandle, log: *mut c_char) -> c_int {
    on(linker, |linker| Ok(put_all(log.cast(), &closed(&linker.info))?))
}
