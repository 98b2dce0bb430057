//! Functions of the driver by their names, and libraries of kernels that programs load when they run.

use std::ffi::{c_char, c_int, c_uint, c_void};

use crate::ByName as _;
use crate::registry::note_kernel;
use crate::{Outcome, code, driver, exports, put};

/// The version of CUDA whose runtime this is.
const VERSION: c_int = 13_000;

/// The driver's function of a name, in the form of a version of CUDA. What is not there is no error: the program is told by the status.
fn entry(name: *const c_char, version: c_int, to: *mut *mut c_void, flags: u64, status: *mut c_int) -> Outcome {
    if name.is_null() || to.is_null() {
        return Err(code::INVALID_VALUE);
    }
    let (mut found, mut function) = (0, std::ptr::null_mut());
    let asked = driver::cuGetProcAddress_v2(name, &mut function, version, flags, &mut found);
    put(to, function)?;
    if !status.is_null() {
        put(status, found)?;
    }
    match asked {
        Err(code::NOT_FOUND) => Ok(()),
        asked => asked,
    }
}

/// Gives a kernel, which launches take from now on in the place of a stub.
fn give(to: *mut *mut c_void, kernel: *mut c_void) -> Outcome {
    note_kernel(kernel);
    put(to, kernel)
}

/// The options of a load: how it compiles, and how the library is kept, each as names, values and their count.
type Options = *const c_void;

exports! {
    [driver cudaGetDriverEntryPoint_ptsz] fn cudaGetDriverEntryPoint(name: *const c_char, function: *mut *mut c_void, flags: u64, status: *mut c_int) {
        entry(name, VERSION, function, flags, status)
    }
    [driver cudaGetDriverEntryPointByVersion_ptsz] fn cudaGetDriverEntryPointByVersion(name: *const c_char, function: *mut *mut c_void, version: c_uint, flags: u64, status: *mut c_int) {
        entry(name, version as c_int, function, flags, status)
    }
    [context] fn cudaLibraryLoadData(library: *mut *mut c_void, image: *const c_void, jit: Options, jit_values: Options, jit_count: c_uint, options: Options, values: Options, count: c_uint) {
        driver::cuLibraryLoadData(library, image, jit, jit_values, jit_count, options, values, count)
    }
    [context] fn cudaLibraryLoadFromFile(library: *mut *mut c_void, file: *const c_char, jit: Options, jit_values: Options, jit_count: c_uint, options: Options, values: Options, count: c_uint) {
        driver::cuLibraryLoadFromFile(library, file, jit, jit_values, jit_count, options, values, count)
    }
    [context] fn cudaLibraryUnload(library: *mut c_void) { driver::cuLibraryUnload(library) }
    [context] fn cudaLibraryGetKernel(kernel: *mut *mut c_void, library: *mut c_void, name: *const c_char) {
        let mut found = std::ptr::null_mut();
        driver::cuLibraryGetKernel(&mut found, library, name)?;
        give(kernel, found)
    }
    [context] fn cudaLibraryGetKernelCount(count: *mut c_uint, library: *mut c_void) { driver::cuLibraryGetKernelCount(count, library) }
    [context] fn cudaLibraryEnumerateKernels(kernels: *mut *mut c_void, count: c_uint, library: *mut c_void) {
        let mut found = vec![std::ptr::null_mut(); count as usize];
        driver::cuLibraryEnumerateKernels(found.as_mut_ptr(), count, library)?;
        let mut there = found.into_iter().filter(|kernel| !kernel.is_null()).enumerate();
        there.try_for_each(|(index, kernel)| give(kernels.wrapping_add(index), kernel))
    }
    [context] fn cudaLibraryGetGlobal(address: *mut *mut c_void, bytes: *mut usize, library: *mut c_void, name: *const c_char) {
        driver::cuLibraryGetGlobal(address, bytes, library, name)
    }
    [context] fn cudaLibraryGetManaged(address: *mut *mut c_void, bytes: *mut usize, library: *mut c_void, name: *const c_char) {
        driver::cuLibraryGetManaged(address, bytes, library, name)
    }
    [context] fn cudaKernelSetAttributeForDevice(kernel: *mut c_void, attribute: c_int, value: c_int, device: c_int) {
        driver::cuKernelSetAttribute(attribute, value, kernel, device)
    }
}
