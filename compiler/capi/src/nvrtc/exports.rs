//! The functions of `nvrtc.h`, under their names.
// What a C function is called is nobody's to check, which is what makes its attribute unsafe: the names are those of the header alone.
#![allow(unsafe_code, non_snake_case, non_camel_case_types)]

use std::collections::HashMap;
use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::{Code, HEAP, Headers, NAMES, PROGRAMS, Program, UNNAMED, VERSION, architectures};
use crate::border::{Ask, Callback, answer, closed, get, put, put_all, text, texts};

/// A program, as its owner holds it: no address of anything.
pub type nvrtcProgram = usize;

/// The code of a call.
fn code(call: impl FnOnce() -> Result<(), Code>) -> c_int {
    answer(Code::Internal, call, |result| {
        result.err().unwrap_or(Code::Success) as c_int
    })
}

/// The code of a call on a program.
fn on(program: nvrtcProgram, call: impl FnOnce(&mut Program) -> Result<(), Code>) -> c_int {
    code(|| PROGRAMS.with(program, call).unwrap_or(Err(Code::InvalidProgram)))
}

/// The name of a code.
#[unsafe(no_mangle)]
pub extern "C" fn nvrtcGetErrorString(result: c_int) -> *const c_char {
    let name = usize::try_from(result).ok().and_then(|index| NAMES.get(index));
    name.map_or(c"NVRTC_ERROR unknown".as_ptr(), |name| name.as_ptr())
}

/// The toolkit that the library is of.
#[unsafe(no_mangle)]
pub extern "C" fn nvrtcVersion(major: *mut c_int, minor: *mut c_int) -> c_int {
    code(|| {
        put(major, VERSION.0)?;
        Ok(put(minor, VERSION.1)?)
    })
}

/// How many architectures there are.
#[unsafe(no_mangle)]
pub extern "C" fn nvrtcGetNumSupportedArchs(count: *mut c_int) -> c_int {
    code(|| Ok(put(count, architectures().len() as c_int)?))
}

/// Their numbers, in ascending order.
#[unsafe(no_mangle)]
pub extern "C" fn nvrtcGetSupportedArchs(numbers: *mut c_int) -> c_int {
    code(|| Ok(put_all(numbers, architectures())?))
}

/// Makes a program of a source, a name or null, and headers with the names by which they are included.
#[unsafe(no_mangle)]
pub extern "C" fn nvrtcCreateProgram(
    program: *mut nvrtcProgram,
    source: *const c_char,
    name: *const c_char,
    count: c_int,
    headers: *const *const c_char,
    names: *const *const c_char,
) -> c_int {
    code(|| {
        let source = text(source)?;
        let (headers, names) = (texts(headers, count)?, texts(names, count)?);
        let names = names
            .into_iter()
            .map(|name| String::from_utf8_lossy(&name).into_owned());
        let name = text(name).ok().filter(|name| !name.is_empty());
        let name = name.map_or(UNNAMED.to_owned(), |name| String::from_utf8_lossy(&name).into_owned());
        if program.is_null() {
            return Err(Code::InvalidInput);
        }
        let made = Program {
            source: source.into(),
            name,
            headers: Headers(Arc::new(names.zip(headers).collect::<HashMap<_, _>>())),
            ..Program::default()
        };
        Ok(put(program, PROGRAMS.add(made))?)
    })
}

/// Ends a program, and sets the handle to null.
#[unsafe(no_mangle)]
pub extern "C" fn nvrtcDestroyProgram(program: *mut nvrtcProgram) -> c_int {
    code(|| {
        let handle = get(program).map_err(|_| Code::InvalidProgram)?;
        if !PROGRAMS.remove(handle) {
            return Err(Code::InvalidProgram);
        }
        Ok(put(program, 0)?)
    })
}

/// Compiles: to PTX for `compute_NN`, to PTX and a cubin for `sm_NN`.
#[unsafe(no_mangle)]
pub extern "C" fn nvrtcCompileProgram(program: nvrtcProgram, count: c_int, options: *const *const c_char) -> c_int {
    on(program, |program| {
        if count < 0 {
            return Err(Code::InvalidInput);
        }
        let options = texts(options, count).map_err(|_| Code::InvalidOption)?;
        program.compile(&options)
    })
}

/// The size of the PTX in bytes, with a closing zero.
#[unsafe(no_mangle)]
pub extern "C" fn nvrtcGetPTXSize(program: nvrtcProgram, size: *mut usize) -> c_int {
    on(program, |program| Ok(put(size, closed(&program.ptx).len())?))
}

/// The PTX.
#[unsafe(no_mangle)]
pub extern "C" fn nvrtcGetPTX(program: nvrtcProgram, ptx: *mut c_char) -> c_int {
    on(program, |program| Ok(put_all(ptx.cast(), &closed(&program.ptx))?))
}

/// The size of the cubin in bytes; 0 where there is none.
#[unsafe(no_mangle)]
pub extern "C" fn nvrtcGetCUBINSize(program: nvrtcProgram, size: *mut usize) -> c_int {
    on(program, |program| Ok(put(size, program.cubin.len())?))
}

/// The cubin.
#[unsafe(no_mangle)]
pub extern "C" fn nvrtcGetCUBIN(program: nvrtcProgram, cubin: *mut c_char) -> c_int {
    on(program, |program| Ok(put_all(cubin.cast(), &program.cubin)?))
}

/// The size of the LTO-IR in bytes; 0 without `-dlto`.
#[unsafe(no_mangle)]
pub extern "C" fn nvrtcGetLTOIRSize(program: nvrtcProgram, size: *mut usize) -> c_int {
    on(program, |program| Ok(put(size, program.lto_ir.len())?))
}

/// The LTO-IR.
#[unsafe(no_mangle)]
pub extern "C" fn nvrtcGetLTOIR(program: nvrtcProgram, bytes: *mut c_char) -> c_int {
    on(program, |program| Ok(put_all(bytes.cast(), &program.lto_ir)?))
}

/// There is no IR of OptiX: its size is 0.
#[unsafe(no_mangle)]
pub extern "C" fn nvrtcGetOptiXIRSize(program: nvrtcProgram, size: *mut usize) -> c_int {
    on(program, |_| Ok(put(size, 0)?))
}

/// There is no IR of OptiX: nothing is written.
#[unsafe(no_mangle)]
pub extern "C" fn nvrtcGetOptiXIR(program: nvrtcProgram, bytes: *mut c_char) -> c_int {
    on(program, |_| Ok(put_all(bytes, &[])?))
}

/// There is no IR of tiles: its size is 0.
#[unsafe(no_mangle)]
pub extern "C" fn nvrtcGetTileIRSize(program: nvrtcProgram, size: *mut usize) -> c_int {
    on(program, |_| Ok(put(size, 0)?))
}

/// There is no IR of tiles: nothing is written.
#[unsafe(no_mangle)]
pub extern "C" fn nvrtcGetTileIR(program: nvrtcProgram, bytes: *mut c_char) -> c_int {
    on(program, |_| Ok(put_all(bytes, &[])?))
}

/// What is known of headers that could be installed (`nvrtcBundledHeadersInfo`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct nvrtcBundledHeadersInfo {
    /// Whether there are any.
    pub available: c_int,
    /// Bytes of the archive.
    pub compressedSize: usize,
    /// Bytes of the files.
    pub uncompressedSize: usize,
    /// The toolkit's version.
    pub cudaVersionMajor: c_int,
    /// The toolkit's minor version.
    pub cudaVersionMinor: c_int,
    /// How many files there are.
    pub numFiles: c_uint,
}

/// Says that there are no headers to be installed: those that there are, programs include without a folder.
#[unsafe(no_mangle)]
pub extern "C" fn nvrtcGetBundledHeadersInfo(info: *mut nvrtcBundledHeadersInfo, why: *mut *const c_char) -> c_int {
    if info.is_null() {
        return refused(Code::InvalidInput, c"nvrtc: error: info is NULL", why);
    }
    let none = nvrtcBundledHeadersInfo {
        available: 0,
        compressedSize: 0,
        uncompressedSize: 0,
        cudaVersionMajor: VERSION.0,
        cudaVersionMinor: VERSION.1,
        numFiles: 0,
    };
    code(|| Ok(put(info, none)?))
}

/// Installs nothing, and says why.
#[unsafe(no_mangle)]
pub extern "C" fn nvrtcInstallBundledHeaders(path: *const c_char, _flags: c_uint, why: *mut *const c_char) -> c_int {
    bundle(path, why)
}

/// Removes nothing, and says why.
#[unsafe(no_mangle)]
pub extern "C" fn nvrtcRemoveBundledHeaders(path: *const c_char, why: *mut *const c_char) -> c_int {
    bundle(path, why)
}

fn bundle(path: *const c_char, why: *mut *const c_char) -> c_int {
    match text(path) {
        Ok(path) if !path.is_empty() => refused(
            Code::BuiltinOperationFailure,
            c"nvrtc: error: Warpsmith bundles no headers: those that it has are included without a folder",
            why,
        ),
        _ => refused(Code::InvalidInput, c"nvrtc: error: installPath is NULL or empty", why),
    }
}

/// A code, with the reason where the program asks for it.
fn refused(result: Code, reason: &'static CStr, why: *mut *const c_char) -> c_int {
    if why.is_null() {
        return result as c_int;
    }
    code(|| {
        put(why, reason.as_ptr())?;
        Err(result)
    })
}

/// The size of the log in bytes, with a closing zero.
#[unsafe(no_mangle)]
pub extern "C" fn nvrtcGetProgramLogSize(program: nvrtcProgram, size: *mut usize) -> c_int {
    on(program, |program| Ok(put(size, closed(&program.log).len())?))
}

/// The log.
#[unsafe(no_mangle)]
pub extern "C" fn nvrtcGetProgramLog(program: nvrtcProgram, log: *mut c_char) -> c_int {
    on(program, |program| Ok(put_all(log.cast(), &closed(&program.log))?))
}

/// Adds an expression that names a kernel, or the address of a variable of the device.
#[unsafe(no_mangle)]
pub extern "C" fn nvrtcAddNameExpression(program: nvrtcProgram, name: *const c_char) -> c_int {
    on(program, |program| program.add_name(text(name)?))
}

/// The symbol of an expression that was added. It is the program's, and lives until it is compiled again or ends.
#[unsafe(no_mangle)]
pub extern "C" fn nvrtcGetLoweredName(
    program: nvrtcProgram,
    name: *const c_char,
    lowered: *mut *const c_char,
) -> c_int {
    on(program, |program| {
        let name = text(name)?;
        Ok(put(lowered, program.lowered_name(&name)?.as_ptr())?)
    })
}

/// The size of the heap for precompiled headers.
#[unsafe(no_mangle)]
pub extern "C" fn nvrtcGetPCHHeapSize(size: *mut usize) -> c_int {
    code(|| Ok(put(size, HEAP.load(Ordering::Relaxed))?))
}

/// Sets the size of the heap for precompiled headers.
#[unsafe(no_mangle)]
pub extern "C" fn nvrtcSetPCHHeapSize(size: usize) -> c_int {
    code(|| {
        HEAP.store(size, Ordering::Relaxed);
        Ok(())
    })
}

/// No headers are precompiled.
#[unsafe(no_mangle)]
pub extern "C" fn nvrtcGetPCHCreateStatus(program: nvrtcProgram) -> c_int {
    on(program, |_| Err(Code::NoPchCreateAttempted))
}

/// The heap that precompiled headers need: none.
#[unsafe(no_mangle)]
pub extern "C" fn nvrtcGetPCHHeapSizeRequired(program: nvrtcProgram, size: *mut usize) -> c_int {
    on(program, |_| Ok(put(size, 0)?))
}

/// Sets the function that is asked, on any thread, whether a compile is to end.
#[unsafe(no_mangle)]
pub extern "C" fn nvrtcSetFlowCallback(program: nvrtcProgram, callback: Option<Ask>, payload: *mut c_void) -> c_int {
    on(program, |program| {
        let ask = callback.ok_or(Code::InvalidInput)?;
        program.callback = Some(Callback::new(ask, payload));
        Ok(())
    })
}
