//! Linking of PTX when a program runs.
#![allow(unsafe_code, non_snake_case)]

use std::ffi::{c_char, c_int, c_uint, c_void};

use warpsmith_cubin::Cubin;
use warpsmith_ptx::link::{LinkError, Unit, link};

use super::call;
use crate::exports::exports;
use crate::image;
use crate::interface::{HandleKind, handle, list, number, put, put_bytes, refuse, text, with};
use crate::result::{Code, Failed};

/// What a program has given a linker, and what came of it.
#[derive(Debug, Default)]
pub(crate) struct Linker {
    units: Vec<(String, Input)>,
    /// Where errors are told: the address of a buffer and its bytes.
    errors: (usize, usize),
    cubin: Vec<u8>,
}

#[derive(Debug)]
enum Input {
    Ptx(String),
    Cubin(Vec<u8>),
}

/// Options of `CUjit_option`: `WALL_TIME`, `INFO_LOG_BUFFER` and its size, `ERROR_LOG_BUFFER` and its size.
const WALL_TIME: c_int = 2;
const INFO_LOG: c_int = 3;
const INFO_LOG_SIZE: c_int = 4;
const ERROR_LOG: c_int = 5;
const ERROR_LOG_SIZE: c_int = 6;

fn create(options: &[(c_int, *mut c_void)]) -> Result<Linker, Failed> {
    let value = |wanted: c_int| {
        options
            .iter()
            .find(|(option, _)| *option == wanted)
            .map(|(_, value)| *value)
    };
    let buffer = |log: c_int, size: c_int| {
        let (buffer, size) = (value(log)?, value(size)?.addr());
        // Sizes are numbers of 32 bits in the place of pointers.
        let size = size & 0xffff_ffff;
        (size > 0 && !buffer.is_null()).then_some((buffer, size))
    };
    if let Some(time) = value(WALL_TIME) {
        put(time.cast::<f32>(), 0.0)?;
    }
    let logs = [buffer(INFO_LOG, INFO_LOG_SIZE), buffer(ERROR_LOG, ERROR_LOG_SIZE)];
    for (log, _) in logs.into_iter().flatten() {
        put(log.cast::<u8>(), 0)?;
    }
    Ok(Linker {
        errors: logs[1].map_or((0, 0), |(log, size)| (log.expose_provenance(), size)),
        ..Linker::default()
    })
}

/// Adds what a program gives, by its `CUjitInputType`.
fn add(linker: usize, kind: c_int, name: String, bytes: Vec<u8>) -> Result<(), Failed> {
    let input = match kind {
        0 => Input::Cubin(bytes),
        1 => {
            let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
            let text = String::from_utf8_lossy(&bytes[..end]).into_owned();
            // What is wrong with it is told where it is added, as by the real driver.
            let parsed = warpsmith_ptx::parse(text.as_bytes());
            let mut problems = parsed.problems.iter();
            if let Some(problem) = problems.find(|problem| problem.severity != warpsmith_ptx::Severity::Warning) {
                return tell(
                    linker,
                    Failed::new(Code::InvalidPtx, format!("{name}: {}", problem.message)),
                );
            }
            Input::Ptx(text)
        }
        2 | 3 => {
            let sm = with(|state| Ok(state.settings.sm))?;
            Input::Cubin(image::of_bytes(&bytes, sm)?.write())
        }
        other => return Err(refuse_input(other)),
    };
    with(|state| {
        state.linker(linker)?.units.push((name, input));
        Ok(())
    })
}

fn refuse_input(kind: c_int) -> Failed {
    match kind {
        4 => refuse("cuLinkAddData of a library"),
        5 => refuse("cuLinkAddData of NVVM IR"),
        other => Failed::new(Code::InvalidValue, format!("there is no input of type {other}")),
    }
}

/// Writes why something failed where the program wants it.
fn tell<T>(linker: usize, failed: Failed) -> Result<T, Failed> {
    let (log, size) = with(|state| Ok(state.linker(linker)?.errors))?;
    if size > 0 {
        let mut bytes = failed.reason.as_bytes()[..failed.reason.len().min(size - 1)].to_vec();
        bytes.push(0);
        put_bytes(std::ptr::with_exposed_provenance_mut(log), &bytes)?;
    }
    Err(failed)
}

/// The cubin that all units make.
fn linked(units: &[(String, Input)]) -> Result<Cubin, Failed> {
    let sm = with(|state| Ok(state.settings.sm))?;
    if let [(_, Input::Cubin(bytes))] = units {
        return image::cubin(bytes);
    }
    let mut parts = Vec::new();
    for (name, input) in units {
        match input {
            Input::Ptx(text) => parts.push(Unit { name, text }),
            Input::Cubin(_) => return Err(refuse("cuLinkComplete with several cubins")),
        }
    }
    match parts[..] {
        [] => Err(Failed::new(Code::InvalidValue, "nothing is to be linked")),
        [Unit { text, .. }] => image::compiled(text.as_bytes(), sm),
        _ => {
            let text = link(&parts, sm.name(), &warpsmith_ori::is_system_call);
            let text = text.map_err(|errors| Failed::new(Code::InvalidImage, reason(&errors)))?;
            image::compiled(text.as_bytes(), sm)
        }
    }
}

fn reason(errors: &[LinkError]) -> String {
    let line = |error: &LinkError| match error {
        LinkError::Syntax { unit, message } => format!("{unit}: {message}"),
        LinkError::Multiple { symbol, unit, first } => {
            format!("Multiple definition of '{symbol}' in '{unit}', first defined in '{first}'")
        }
        LinkError::Undefined { symbol, unit } => format!("Undefined reference to '{symbol}' in '{unit}'"),
    };
    errors.iter().map(line).collect::<Vec<_>>().join("\n")
}

fn complete(linker: usize, cubin: *mut *mut c_void, size: *mut usize) -> Result<(), Failed> {
    let units = with(|state| Ok(std::mem::take(&mut state.linker(linker)?.units)))?;
    let made = match linked(&units) {
        Ok(made) => made.write(),
        Err(failed) => return tell(linker, failed),
    };
    let (start, bytes) = with(|state| {
        let linker = state.linker(linker)?;
        linker.cubin = made;
        Ok((linker.cubin.as_ptr(), linker.cubin.len()))
    })?;
    put(cubin, start.cast_mut().cast())?;
    if size.is_null() { Ok(()) } else { put(size, bytes) }
}

/// The options of a call with their values.
fn given(
    options: *const c_int,
    values: *const *mut c_void,
    count: c_uint,
) -> Result<Vec<(c_int, *mut c_void)>, Failed> {
    let options = list(options, count as usize)?;
    Ok(options.into_iter().zip(list(values, count as usize)?).collect())
}

fn linker_of(linker: *mut c_void) -> Result<usize, Failed> {
    number(HandleKind::Linker, linker)
}

/// The name that messages call an input by.
fn name_of(name: *const c_char) -> Result<String, Failed> {
    if name.is_null() {
        Ok("<unnamed>".to_owned())
    } else {
        text(name)
    }
}

exports! { call, address;
    [Context] fn cuLinkCreate_v2(count: c_uint, options: *const c_int, values: *const *mut c_void, linker: *mut *mut c_void) {
        let made = create(&given(options, values, count)?)?;
        put(linker, handle(HandleKind::Linker, with(|state| Ok(state.add_linker(made)))?))
    }
    [Context] fn cuLinkAddData_v2(linker: *mut c_void, kind: c_int, data: *const c_void, size: usize, name: *const c_char, _count: c_uint, _options: *const c_int, _values: *const *mut c_void) {
        add(linker_of(linker)?, kind, name_of(name)?, list(data.cast::<u8>(), size)?)
    }
    [Context] fn cuLinkAddFile_v2(linker: *mut c_void, kind: c_int, path: *const c_char, _count: c_uint, _options: *const c_int, _values: *const *mut c_void) {
        let path = text(path)?;
        let bytes = std::fs::read(&path).map_err(|error| Failed::new(Code::FileNotFound, format!("{path}: {error}")))?;
        add(linker_of(linker)?, kind, path, bytes)
    }
    [Context] fn cuLinkComplete(linker: *mut c_void, cubin: *mut *mut c_void, size: *mut usize) { complete(linker_of(linker)?, cubin, size) }
    [Context] fn cuLinkDestroy(linker: *mut c_void) {
        let linker = linker_of(linker)?;
        with(|state| state.remove_linker(linker))
    }
}
