//! The functions of `nvPTXCompiler.h`, under their names.
// What a C function is called is nobody's to check, which is what makes its attribute unsafe: the names are those of the header alone.
#![allow(unsafe_code, non_snake_case, non_camel_case_types)]

use std::ffi::{c_char, c_int, c_uint, c_void};

use super::{COMPILERS, Code, Compiler, VERSION, architectures, size_of_log};
use crate::border::{Ask, Callback, answer, bytes, closed, get, put, put_all, texts};

/// A compiler, as a program holds it: no address of anything.
pub type nvPTXCompilerHandle = usize;

/// The code of a call.
fn code(call: impl FnOnce() -> Result<(), Code>) -> c_int {
    answer(Code::Internal, call, |result| {
        result.err().unwrap_or(Code::Success) as c_int
    })
}

/// The code of a call on a compiler.
fn on(compiler: nvPTXCompilerHandle, call: impl FnOnce(&mut Compiler) -> Result<(), Code>) -> c_int {
    code(|| COMPILERS.with(compiler, call).unwrap_or(Err(Code::InvalidHandle)))
}

/// The toolkit that the library is of.
#[unsafe(no_mangle)]
pub extern "C" fn nvPTXCompilerGetVersion(major: *mut c_uint, minor: *mut c_uint) -> c_int {
    code(|| {
        put(major, VERSION.0)?;
        Ok(put(minor, VERSION.1)?)
    })
}

/// How many versions of PTX are read.
#[unsafe(no_mangle)]
pub extern "C" fn nvPTXCompilerGetNumSupportedVersions(count: *mut c_int) -> c_int {
    code(|| Ok(put(count, warpsmith_ptx::versions().count() as c_int)?))
}

/// The versions of PTX that are read, in ascending order.
#[unsafe(no_mangle)]
pub extern "C" fn nvPTXCompilerGetSupportedVersions(versions: *mut [c_int; 2]) -> c_int {
    code(|| {
        let all = warpsmith_ptx::versions().map(|version| [version.major.into(), version.minor.into()]);
        Ok(put_all(versions, &all.collect::<Vec<[c_int; 2]>>())?)
    })
}

/// How many SMs there is code for, counted by their numbers.
#[unsafe(no_mangle)]
pub extern "C" fn nvPTXCompilerGetNumSupportedArchs(count: *mut c_int) -> c_int {
    code(|| Ok(put(count, architectures().len() as c_int)?))
}

/// The numbers of the SMs that there is code for, in ascending order.
#[unsafe(no_mangle)]
pub extern "C" fn nvPTXCompilerGetSupportedArchs(numbers: *mut c_int) -> c_int {
    code(|| Ok(put_all(numbers, architectures())?))
}

/// Makes a compiler of a text, which is not looked at yet.
#[unsafe(no_mangle)]
pub extern "C" fn nvPTXCompilerCreate(compiler: *mut nvPTXCompilerHandle, length: usize, ptx: *const c_char) -> c_int {
    code(|| {
        let ptx = bytes(ptx, length)?;
        if compiler.is_null() || ptx.is_empty() {
            return Err(Code::InvalidInput);
        }
        Ok(put(compiler, COMPILERS.add(Compiler::new(ptx)))?)
    })
}

/// Ends a compiler, and sets the handle to null.
#[unsafe(no_mangle)]
pub extern "C" fn nvPTXCompilerDestroy(compiler: *mut nvPTXCompilerHandle) -> c_int {
    code(|| {
        let handle = get(compiler).map_err(|_| Code::InvalidHandle)?;
        if !COMPILERS.remove(handle) {
            return Err(Code::InvalidHandle);
        }
        Ok(put(compiler, 0)?)
    })
}

/// Compiles, with ptxas' options.
#[unsafe(no_mangle)]
pub extern "C" fn nvPTXCompilerCompile(
    compiler: nvPTXCompilerHandle,
    count: c_int,
    options: *const *const c_char,
) -> c_int {
    on(compiler, |compiler| {
        let options = texts(options, count)?;
        compiler.compile(&options)
    })
}

/// The size of the cubin in bytes.
#[unsafe(no_mangle)]
pub extern "C" fn nvPTXCompilerGetCompiledProgramSize(compiler: nvPTXCompilerHandle, size: *mut usize) -> c_int {
    on(compiler, |compiler| Ok(put(size, compiler.program()?.len())?))
}

/// The cubin.
#[unsafe(no_mangle)]
pub extern "C" fn nvPTXCompilerGetCompiledProgram(compiler: nvPTXCompilerHandle, program: *mut c_void) -> c_int {
    on(compiler, |compiler| Ok(put_all(program.cast(), compiler.program()?)?))
}

/// The size of the errors of the last compile in bytes, with a closing zero; 0 where there are none.
#[unsafe(no_mangle)]
pub extern "C" fn nvPTXCompilerGetErrorLogSize(compiler: nvPTXCompilerHandle, size: *mut usize) -> c_int {
    on(compiler, |compiler| Ok(put(size, size_of_log(&compiler.errors))?))
}

/// The errors of the last compile.
#[unsafe(no_mangle)]
pub extern "C" fn nvPTXCompilerGetErrorLog(compiler: nvPTXCompilerHandle, log: *mut c_char) -> c_int {
    on(compiler, |compiler| Ok(put_all(log.cast(), &closed(&compiler.errors))?))
}

/// The size of what the last compile has to tell in bytes, with a closing zero; 0 where there is nothing.
#[unsafe(no_mangle)]
pub extern "C" fn nvPTXCompilerGetInfoLogSize(compiler: nvPTXCompilerHandle, size: *mut usize) -> c_int {
    on(compiler, |compiler| Ok(put(size, size_of_log(&compiler.info))?))
}

/// What the last compile has to tell: warnings, and the figures that `-v` asks for.
#[unsafe(no_mangle)]
pub extern "C" fn nvPTXCompilerGetInfoLog(compiler: nvPTXCompilerHandle, log: *mut c_char) -> c_int {
    on(compiler, |compiler| Ok(put_all(log.cast(), &closed(&compiler.info))?))
}

/// Sets the function that is asked, on any thread, whether a compile is to end.
#[unsafe(no_mangle)]
pub extern "C" fn nvPTXCompilerSetFlowCallback(
    compiler: nvPTXCompilerHandle,
    callback: Option<Ask>,
    payload: *mut c_void,
) -> c_int {
    on(compiler, |compiler| {
        let ask = callback.ok_or(Code::InvalidInput)?;
        compiler.callback = Some(Callback::new(ask, payload));
        Ok(())
    })
}
