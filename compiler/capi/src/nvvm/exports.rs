//! The functions of `nvvm.h`, under their names.
// What a C function is called is nobody's to check, which is what makes its attribute unsafe: the names are those of the header alone.
#![allow(unsafe_code, non_snake_case, non_camel_case_types)]

use std::ffi::{c_char, c_int};

use super::{Added, Code, IR_VERSION, NAMES, PROGRAMS, Program, UNNAMED, VERSION, llvm_version};
use crate::border::{answer, bytes, closed, get, put, put_all, text, texts};

/// A program, as its owner holds it: no address of anything.
pub type nvvmProgram = usize;

/// The code of a call.
fn code(call: impl FnOnce() -> Result<(), Code>) -> c_int {
    answer(Code::Compilation, call, |result| {
        result.err().unwrap_or(Code::Success) as c_int
    })
}

/// The code of a call on a program.
fn on(program: nvvmProgram, call: impl FnOnce(&mut Program) -> Result<(), Code>) -> c_int {
    code(|| PROGRAMS.with(program, call).unwrap_or(Err(Code::InvalidProgram)))
}

/// The name of a code.
#[unsafe(no_mangle)]
pub extern "C" fn nvvmGetErrorString(result: c_int) -> *const c_char {
    let name = usize::try_from(result).ok().and_then(|index| NAMES.get(index));
    name.map_or(c"NVVM_ERROR not found".as_ptr(), |name| name.as_ptr())
}

/// The version of the library.
#[unsafe(no_mangle)]
pub extern "C" fn nvvmVersion(major: *mut c_int, minor: *mut c_int) -> c_int {
    code(|| {
        put(major, VERSION.0)?;
        Ok(put(minor, VERSION.1)?)
    })
}

/// The versions of the IR and of its debug information.
#[unsafe(no_mangle)]
pub extern "C" fn nvvmIRVersion(
    major: *mut c_int,
    minor: *mut c_int,
    debug_major: *mut c_int,
    debug_minor: *mut c_int,
) -> c_int {
    code(|| {
        for (to, number) in [major, minor, debug_major, debug_minor].into_iter().zip(IR_VERSION) {
            put(to, number)?;
        }
        Ok(())
    })
}

/// Which LLVM's IR is taken for an architecture.
#[unsafe(no_mangle)]
pub extern "C" fn nvvmLLVMVersion(arch: *const c_char, major: *mut c_int) -> c_int {
    code(|| {
        let arch = text(arch)?;
        let version = llvm_version(&String::from_utf8_lossy(&arch)).ok_or(Code::InvalidInput)?;
        // Nowhere to put it is no mistake.
        let _ = put(major, version);
        Ok(())
    })
}

/// Makes a program without modules.
#[unsafe(no_mangle)]
pub extern "C" fn nvvmCreateProgram(program: *mut nvvmProgram) -> c_int {
    code(|| match program.is_null() {
        true => Err(Code::InvalidProgram),
        false => put(program, PROGRAMS.add(Program::default())).map_err(|_| Code::ProgramCreationFailure),
    })
}

/// Ends a program, and sets the handle to null.
#[unsafe(no_mangle)]
pub extern "C" fn nvvmDestroyProgram(program: *mut nvvmProgram) -> c_int {
    code(|| {
        let handle = get(program).map_err(|_| Code::InvalidProgram)?;
        if !PROGRAMS.remove(handle) {
            return Err(Code::InvalidProgram);
        }
        Ok(put(program, 0)?)
    })
}

/// Adds a module; it is first looked at when the program is verified or compiled.
fn add(program: nvvmProgram, buffer: *const c_char, size: usize, name: *const c_char, lazy: bool) -> c_int {
    on(program, |program| {
        let bytes = bytes(buffer, size)?;
        if bytes.is_empty() {
            return Err(Code::InvalidInput);
        }
        let name = text(name).ok().map(|name| String::from_utf8_lossy(&name).into_owned());
        program.modules.push(Added {
            name: name.unwrap_or_else(|| UNNAMED.to_owned()),
            bytes,
            lazy,
        });
        Ok(())
    })
}

/// Adds a module; `name` may be null.
#[unsafe(no_mangle)]
pub extern "C" fn nvvmAddModuleToProgram(
    program: nvvmProgram,
    buffer: *const c_char,
    size: usize,
    name: *const c_char,
) -> c_int {
    add(program, buffer, size, name, false)
}

/// Adds a module of which only what others need is taken; `name` may be null.
#[unsafe(no_mangle)]
pub extern "C" fn nvvmLazyAddModuleToProgram(
    program: nvvmProgram,
    buffer: *const c_char,
    size: usize,
    name: *const c_char,
) -> c_int {
    add(program, buffer, size, name, true)
}

/// Checks the modules, with the options that they are to be compiled with.
#[unsafe(no_mangle)]
pub extern "C" fn nvvmVerifyProgram(program: nvvmProgram, count: c_int, options: *const *const c_char) -> c_int {
    on(program, |program| {
        let options = texts(options, count)?;
        program.verify(&options)
    })
}

/// Compiles the modules to PTX.
#[unsafe(no_mangle)]
pub extern "C" fn nvvmCompileProgram(program: nvvmProgram, count: c_int, options: *const *const c_char) -> c_int {
    on(program, |program| {
        let options = texts(options, count)?;
        program.compile(&options)
    })
}

/// The size of the PTX in bytes, with a closing zero, or of the LTO-IR.
#[unsafe(no_mangle)]
pub extern "C" fn nvvmGetCompiledResultSize(program: nvvmProgram, size: *mut usize) -> c_int {
    on(program, |program| Ok(put(size, program.result().len())?))
}

/// The PTX, or the LTO-IR.
#[unsafe(no_mangle)]
pub extern "C" fn nvvmGetCompiledResult(program: nvvmProgram, ptx: *mut c_char) -> c_int {
    on(program, |program| Ok(put_all(ptx.cast(), program.result())?))
}

/// The size of the log in bytes, with a closing zero.
#[unsafe(no_mangle)]
pub extern "C" fn nvvmGetProgramLogSize(program: nvvmProgram, size: *mut usize) -> c_int {
    on(program, |program| Ok(put(size, closed(&program.log).len())?))
}

/// The log.
#[unsafe(no_mangle)]
pub extern "C" fn nvvmGetProgramLog(program: nvvmProgram, log: *mut c_char) -> c_int {
    on(program, |program| Ok(put_all(log.cast(), &closed(&program.log))?))
}
