//! Libraries and their kernels, which are of no context. They are loaded in a context when something of them is asked for there.
#![allow(unsafe_code, non_snake_case)]

use std::ffi::{c_char, c_int, c_uint, c_void};

use warpsmith_cubin::Cubin;

use super::launch::{
    file, function_attribute, is_managed, kept_name, load_in, named, put_parameter, put_variable,
    set_function_attribute,
};
use super::{call, only};
use crate::exports::exports;
use crate::interface::{HandleKind, cubin, current, handle, number, put, text, with};
use crate::result::{Code, Failed};
use crate::state::{ContextId, PRIMARY};

fn add(library: *mut *mut c_void, cubin: Cubin) -> Result<(), Failed> {
    let added = with(|state| Ok(state.add_library(cubin)))?;
    put(library, handle(HandleKind::Library, added))
}

/// The module that a library is in a context.
fn module_of(library: usize, context: ContextId) -> Result<usize, Failed> {
    if let Some(module) = with(|state| state.library_module(library, context))? {
        return Ok(module);
    }
    let cubin = with(|state| state.library_image(library).cloned())?;
    let module = load_in(context, cubin)?;
    with(|state| {
        state.note_module(library, module);
        Ok(module)
    })
}

/// The function that a kernel of a library is in a context.
pub(super) fn function_of(kernel: usize, context: ContextId) -> Result<usize, Failed> {
    let (library, name) = with(|state| {
        let (library, name) = state.library_kernel(kernel)?;
        Ok((library, name.to_owned()))
    })?;
    let module = module_of(library, context)?;
    with(|state| state.kernel(module, &name))
}

/// The context that a device is asked about in: the current one, or the primary one of the device.
fn of_device() -> ContextId {
    current().unwrap_or(PRIMARY)
}

/// The names of the kernels of a library.
fn names(library: usize) -> Result<Vec<String>, Failed> {
    let module = module_of(library, of_device())?;
    with(|state| state.kernel_names(module))
}

/// The kernel of a name, as programs hold it.
fn kernel_of(library: usize, name: &str) -> Result<*mut c_void, Failed> {
    let kernel = with(|state| Ok(state.add_library_kernel(library, name)))?;
    Ok(handle(HandleKind::Kernel, kernel))
}

/// Whether a managed variable of an image has this name.
fn has_managed(cubin: &Cubin, name: &str) -> bool {
    let mut managed = cubin.symbols().iter().filter(|symbol| is_managed(symbol));
    managed.any(|symbol| symbol.name == name)
}

/// The function of a kernel on the device.
fn on_device(kernel: *mut c_void) -> Result<usize, Failed> {
    function_of(number(HandleKind::Kernel, kernel)?, of_device())
}

exports! { call, address;
    [Anywhere] fn cuLibraryLoadData(
        library: *mut *mut c_void,
        code: *const c_void,
        _jit_options: *const c_int,
        _jit_values: *const *mut c_void,
        _jit_count: c_uint,
        _options: *const c_int,
        _values: *const *mut c_void,
        _count: c_uint,
    ) {
        with(|state| state.initialized())?;
        add(library, cubin(code)?)
    }
    [Anywhere] fn cuLibraryLoadFromFile(
        library: *mut *mut c_void,
        name: *const c_char,
        _jit_options: *const c_int,
        _jit_values: *const *mut c_void,
        _jit_count: c_uint,
        _options: *const c_int,
        _values: *const *mut c_void,
        _count: c_uint,
    ) {
        with(|state| state.initialized())?;
        add(library, file(name)?)
    }
    [Anywhere] fn cuLibraryUnload(library: *mut c_void) {
        let library = number(HandleKind::Library, library)?;
        with(|state| state.unload_library(library))
    }
    [Anywhere] fn cuLibraryGetKernel(kernel: *mut *mut c_void, library: *mut c_void, name: *const c_char) {
        let (library, name) = (number(HandleKind::Library, library)?, text(name)?);
        if !names(library)?.contains(&name) {
            return Err(Failed::new(Code::NotFound, format!("there is no kernel '{name}'")));
        }
        put(kernel, kernel_of(library, &name)?)
    }
    [Anywhere] fn cuLibraryGetKernelCount(count: *mut c_uint, library: *mut c_void) {
        put(count, names(number(HandleKind::Library, library)?)?.len() as c_uint)
    }
    [Anywhere] fn cuLibraryEnumerateKernels(kernels: *mut *mut c_void, count: c_uint, library: *mut c_void) {
        let library = number(HandleKind::Library, library)?;
        for (index, name) in names(library)?.iter().enumerate().take(count as usize) {
            put(kernels.wrapping_add(index), kernel_of(library, name)?)?;
        }
        Ok(())
    }
    [Context] fn cuLibraryGetModule(module: *mut *mut c_void, library: *mut c_void) {
        let found = module_of(number(HandleKind::Library, library)?, current()?)?;
        put(module, handle(HandleKind::Module, found))
    }
    [Context] fn cuLibraryGetGlobal(address: *mut u64, bytes: *mut usize, library: *mut c_void, name: *const c_char) {
        let module = module_of(number(HandleKind::Library, library)?, current()?)?;
        put_variable(module, &text(name)?, address, bytes)
    }
    [Anywhere] fn cuLibraryGetManaged(address: *mut u64, bytes: *mut usize, library: *mut c_void, name: *const c_char) {
        let (library, name) = (number(HandleKind::Library, library)?, text(name)?);
        if !with(|state| Ok(has_managed(state.library_image(library)?, &name)))? {
            return Err(Failed::new(Code::NotFound, format!("there is no managed variable '{name}'")));
        }
        put_variable(module_of(library, of_device())?, &name, address, bytes)
    }
    [Context] fn cuKernelGetFunction(function: *mut *mut c_void, kernel: *mut c_void) {
        let found = function_of(number(HandleKind::Kernel, kernel)?, current()?)?;
        put(function, handle(HandleKind::Function, found))
    }
    [Anywhere] fn cuKernelGetLibrary(library: *mut *mut c_void, kernel: *mut c_void) {
        let kernel = number(HandleKind::Kernel, kernel)?;
        let of = with(|state| Ok(state.library_kernel(kernel)?.0))?;
        put(library, handle(HandleKind::Library, of))
    }
    [Anywhere] fn cuKernelGetAttribute(value: *mut c_int, attribute: c_int, kernel: *mut c_void, device: c_int) {
        only(device)?;
        put(value, function_attribute(on_device(kernel)?, attribute)?)
    }
    [Anywhere] fn cuKernelSetAttribute(attribute: c_int, value: c_int, kernel: *mut c_void, device: c_int) {
        only(device)?;
        set_function_attribute(on_device(kernel)?, attribute, value)
    }
    [Anywhere] fn cuKernelSetCacheConfig(kernel: *mut c_void, _config: c_int, device: c_int) {
        only(device)?;
        on_device(kernel).map(|_| ())
    }
    [Anywhere] fn cuKernelGetName(name: *mut *const c_char, kernel: *mut c_void) {
        let kernel = on_device(named(kernel)?)?;
        put(name, kept_name(&with(|state| state.known(kernel).cloned())?))
    }
    [Context] fn cuKernelGetParamInfo(kernel: *mut c_void, index: usize, offset: *mut usize, bytes: *mut usize) {
        put_parameter(on_device(kernel)?, index, offset, bytes)
    }
}
