//! The functions of the CUDA driver API that are used, and one safe function for each: all `unsafe` of the crate.
//!
//! Signatures, numbers and structures are those of the CUDA driver API's public documentation (chapters "Initialization" to "Execution
//! Control", and the data types of `CUlaunchConfig`). `_v2` names are what its macros make of the plain names; they take 64-bit addresses and sizes.
//!
//! What holds for every call here: the pointer was found under the name of the function whose signature it is given ([`loaded`]); the library
//! stays loaded for the life of the process, so the pointer stays good; and pointers handed over are of references or slices that live through
//! the call. The driver keeps none of them: copies and launches have taken what they need when they return, the copies of this module being the
//! synchronous ones from and to pageable memory.
#![allow(unsafe_code)]
// What stands for the loader where there is none has nothing unsafe.
#![cfg_attr(not(any(windows, all(unix, not(target_env = "musl")))), allow(unused_unsafe))]

use std::error::Error as _;
use std::ffi::{CStr, CString, c_char, c_int, c_uint, c_void};
use std::ptr;
use std::sync::OnceLock;

#[cfg(not(any(windows, all(unix, not(target_env = "musl")))))]
use crate::absent::Library;
#[cfg(any(windows, all(unix, not(target_env = "musl"))))]
use libloading::Library;

use super::{Error, Extents, Image, TensorMap, TensorShape};

/// The driver's library.
#[cfg(windows)]
const LIBRARY: &str = "nvcuda.dll";
/// The driver's library.
#[cfg(not(windows))]
const LIBRARY: &str = "libcuda.so.1";

/// `CUdevice`.
#[derive(Clone, Copy)]
pub(crate) struct DeviceHandle(c_int);

/// `CUcontext`, made by [`Api::retain`] only.
#[derive(Clone, Copy)]
pub(crate) struct ContextHandle(*mut c_void);

/// `CUmodule`, made by [`Api::load_module`] only.
#[derive(Clone, Copy)]
pub(crate) struct ModuleHandle(*mut c_void);

/// `CUfunction`, made by [`Api::function`] only.
#[derive(Clone, Copy)]
pub(crate) struct FunctionHandle(*mut c_void);

/// `CUlaunchAttribute`: a number, 4 unused bytes, and a union of 64 bytes aligned to 8, of which the first 12 are a cluster's extents.
#[repr(C, align(8))]
struct LaunchAttribute {
    id: c_uint,
    unused: [u8; 4],
    extents: [c_uint; 3],
    rest: [u8; 52],
}

/// `CUlaunchConfig`.
#[repr(C)]
struct LaunchConfig {
    grid: [c_uint; 3],
    block: [c_uint; 3],
    shared: c_uint,
    stream: *mut c_void,
    attributes: *mut LaunchAttribute,
    attribute_count: c_uint,
}

/// `CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION`.
const CLUSTER_DIMENSION: c_uint = 4;
/// `CU_LAUNCH_PARAM_END`, `CU_LAUNCH_PARAM_BUFFER_POINTER` and `CU_LAUNCH_PARAM_BUFFER_SIZE`.
const PARAMETER_END: usize = 0;
const PARAMETER_BUFFER: usize = 1;
const PARAMETER_SIZE: usize = 2;
/// `CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR` and `_MINOR`.
const CAPABILITY_MAJOR: c_int = 75;
const CAPABILITY_MINOR: c_int = 76;
/// `CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES`.
const MOST_DYNAMIC_SHARED: c_int = 8;
/// `CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED`.
const NON_PORTABLE_CLUSTERS: c_int = 14;
/// `CU_JIT_ERROR_LOG_BUFFER` and `CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES`.
const JIT_ERROR_LOG: c_int = 5;
const JIT_ERROR_LOG_SIZE: c_int = 6;
/// Bytes for the compiler's messages.
const LOG_SIZE: usize = 16 << 10;
/// Bytes for a device's name.
const NAME_SIZE: usize = 256;

/// `CUtensorMap`: opaque bytes, aligned to 64.
#[repr(C, align(64))]
struct Descriptor([u8; TensorMap::BYTES]);

/// Declares the functions: field, name in the library, types of the parameters. All return `CUresult`, which is 0 for success. Those after
/// `newer` are missing in old drivers.
macro_rules! functions {
    (
        { $($field:ident: $name:literal ($($parameter:ty),*),)* }
        newer { $($newer:ident: $newer_name:literal ($($newer_parameter:ty),*),)* }
    ) => {
        /// The functions of the library.
        pub(crate) struct Api {
            $($field: unsafe extern "system" fn($($parameter),*) -> c_int,)*
            $($newer: Option<unsafe extern "system" fn($($newer_parameter),*) -> c_int>,)*
            /// Keeps the library loaded.
            _library: Library,
        }

        impl Api {
            fn of(library: Library) -> Result<Api, Error> {
                Ok(Api {
                    // SAFETY: the driver exports this function with this signature; the pointer is kept beside the library.
                    $($field: *unsafe { library.get::<unsafe extern "system" fn($($parameter),*) -> c_int>($name) }
                        .map_err(|_| Error::OldDriver { function: $name })?,)*
                    // SAFETY: the same, of functions that may be missing.
                    $($newer: unsafe { library.get::<unsafe extern "system" fn($($newer_parameter),*) -> c_int>($newer_name) }
                        .ok()
                        .map(|function| *function),)*
                    _library: library,
                })
            }
        }
    };
}

functions! {{
    get_error_name: "cuGetErrorName"(c_int, *mut *const c_char),
    get_error_string: "cuGetErrorString"(c_int, *mut *const c_char),
    init: "cuInit"(c_uint),
    driver_get_version: "cuDriverGetVersion"(*mut c_int),
    device_get_count: "cuDeviceGetCount"(*mut c_int),
    device_get: "cuDeviceGet"(*mut c_int, c_int),
    device_get_name: "cuDeviceGetName"(*mut c_char, c_int, c_int),
    device_get_attribute: "cuDeviceGetAttribute"(*mut c_int, c_int, c_int),
    primary_context_retain: "cuDevicePrimaryCtxRetain"(*mut *mut c_void, c_int),
    primary_context_release: "cuDevicePrimaryCtxRelease_v2"(c_int),
    context_set_current: "cuCtxSetCurrent"(*mut c_void),
    context_synchronize: "cuCtxSynchronize"(),
    module_load: "cuModuleLoadDataEx"(*mut *mut c_void, *const c_void, c_uint, *mut c_int, *mut *mut c_void),
    module_unload: "cuModuleUnload"(*mut c_void),
    module_get_function: "cuModuleGetFunction"(*mut *mut c_void, *mut c_void, *const c_char),
    module_get_global: "cuModuleGetGlobal_v2"(*mut u64, *mut usize, *mut c_void, *const c_char),
    memory_allocate: "cuMemAlloc_v2"(*mut u64, usize),
    memory_free: "cuMemFree_v2"(u64),
    memory_copy_to_device: "cuMemcpyHtoD_v2"(u64, *const c_void, usize),
    memory_copy_to_host: "cuMemcpyDtoH_v2"(*mut c_void, u64, usize),
    function_set_attribute: "cuFuncSetAttribute"(*mut c_void, c_int, c_int),
    launch_kernel: "cuLaunchKernelEx"(*const LaunchConfig, *mut c_void, *mut *mut c_void, *mut *mut c_void),
} newer {
    // CUDA 12.0.
    tensor_map_tiled: "cuTensorMapEncodeTiled"(
        *mut Descriptor, c_uint, u32, u64, *const u64, *const u64, *const u32, *const u32, c_uint, c_uint, c_uint, c_uint
    ),
    tensor_map_im2col: "cuTensorMapEncodeIm2col"(
        *mut Descriptor, c_uint, u32, u64, *const u64, *const u64, *const c_int, *const c_int, u32, u32, *const u32, c_uint, c_uint, c_uint,
        c_uint
    ),
}}

/// The driver's functions, looked up once in a process.
pub(crate) fn loaded() -> Result<&'static Api, Error> {
    static API: OnceLock<Result<Api, Error>> = OnceLock::new();
    let api = API.get_or_init(|| {
        // SAFETY: the library is the CUDA driver by its public name, whose initialisation is made for being loaded by any program; it is
        // never unloaded, since statics are never dropped (on the way through an error of `of` alone, before any call).
        let library = unsafe { Library::new(LIBRARY) }.map_err(|error| Error::NoDriver {
            library: LIBRARY,
            // The system's words are behind the library's own.
            reason: error.source().map_or_else(|| error.to_string(), ToString::to_string),
        })?;
        Api::of(library)
    });
    api.as_ref().map_err(Error::clone)
}

/// A text for the driver.
fn text(name: &str) -> Result<CString, Error> {
    CString::new(name).map_err(|_| Error::Name { name: name.to_owned() })
}

impl Api {
    /// What a function returned, as an error unless it is 0.
    fn check(&self, function: &'static str, code: c_int) -> Result<(), Error> {
        if code == 0 {
            return Ok(());
        }
        Err(Error::Call {
            function,
            code,
            name: self.describe(self.get_error_name, code),
            text: self.describe(self.get_error_string, code),
            log: String::new(),
        })
    }

    fn describe(&self, what: unsafe extern "system" fn(c_int, *mut *const c_char) -> c_int, code: c_int) -> String {
        let mut found: *const c_char = ptr::null();
        // SAFETY: `what` is one of the two functions of this signature; `found` is there for the call.
        let known = unsafe { what(code, &raw mut found) } == 0;
        if !known || found.is_null() {
            return "unknown error".to_owned();
        }
        // SAFETY: the driver gives the address of a constant text that ends with a zero byte.
        unsafe { CStr::from_ptr(found) }.to_string_lossy().into_owned()
    }

    /// `cuInit`.
    pub(crate) fn init(&self) -> Result<(), Error> {
        // SAFETY: no pointers; may be called more than once. Flags are 0, as documented.
        let code = unsafe { (self.init)(0) };
        self.check("cuInit", code)
    }

    /// `cuDriverGetVersion`: 1000 times the major version and 10 times the minor one.
    pub(crate) fn version(&self) -> Result<u32, Error> {
        let mut version = 0;
        // SAFETY: `version` is there for the call.
        let code = unsafe { (self.driver_get_version)(&raw mut version) };
        self.check("cuDriverGetVersion", code)?;
        Ok(version.unsigned_abs())
    }

    /// `cuDeviceGetCount`.
    pub(crate) fn device_count(&self) -> Result<usize, Error> {
        let mut count = 0;
        // SAFETY: `count` is there for the call.
        let code = unsafe { (self.device_get_count)(&raw mut count) };
        self.check("cuDeviceGetCount", code)?;
        Ok(usize::try_from(count).unwrap_or(0))
    }

    /// `cuDeviceGet`.
    pub(crate) fn device(&self, index: usize) -> Result<DeviceHandle, Error> {
        let mut device = 0;
        let index = c_int::try_from(index).unwrap_or(c_int::MAX);
        // SAFETY: `device` is there for the call; a wrong index is refused.
        let code = unsafe { (self.device_get)(&raw mut device, index) };
        self.check("cuDeviceGet", code)?;
        Ok(DeviceHandle(device))
    }

    /// `cuDeviceGetName`.
    pub(crate) fn device_name(&self, device: DeviceHandle) -> Result<String, Error> {
        let mut name = [0_u8; NAME_SIZE];
        // SAFETY: the driver writes at most as many bytes as it is told there are.
        let code = unsafe { (self.device_get_name)(name.as_mut_ptr().cast(), NAME_SIZE as c_int, device.0) };
        self.check("cuDeviceGetName", code)?;
        Ok(until_zero(&name))
    }

    /// `cuDeviceGetAttribute`, of the compute capability.
    pub(crate) fn capability(&self, device: DeviceHandle) -> Result<(u32, u32), Error> {
        let attribute = |which| {
            let mut value: c_int = 0;
            // SAFETY: `value` is there for the call.
            let code = unsafe { (self.device_get_attribute)(&raw mut value, which, device.0) };
            self.check("cuDeviceGetAttribute", code)?;
            Ok(value.unsigned_abs())
        };
        Ok((attribute(CAPABILITY_MAJOR)?, attribute(CAPABILITY_MINOR)?))
    }

    /// `cuDevicePrimaryCtxRetain`.
    pub(crate) fn retain(&self, device: DeviceHandle) -> Result<ContextHandle, Error> {
        let mut context = ptr::null_mut();
        // SAFETY: `context` is there for the call.
        let code = unsafe { (self.primary_context_retain)(&raw mut context, device.0) };
        self.check("cuDevicePrimaryCtxRetain", code)?;
        Ok(ContextHandle(context))
    }

    /// `cuDevicePrimaryCtxRelease`, once for each [`Api::retain`]. Failure leaves nothing to do.
    pub(crate) fn release(&self, device: DeviceHandle) {
        // SAFETY: no pointers; the context was retained, and nothing that uses it is left.
        let _ = unsafe { (self.primary_context_release)(device.0) };
    }

    /// `cuCtxSetCurrent`.
    pub(crate) fn set_current(&self, context: ContextHandle) -> Result<(), Error> {
        // SAFETY: the context is retained by the value that holds the handle.
        let code = unsafe { (self.context_set_current)(context.0) };
        self.check("cuCtxSetCurrent", code)
    }

    /// `cuCtxSynchronize`.
    pub(crate) fn synchronise(&self) -> Result<(), Error> {
        // SAFETY: no pointers.
        let code = unsafe { (self.context_synchronize)() };
        self.check("cuCtxSynchronize", code)
    }

    /// `cuModuleLoadDataEx`, with the messages of the compiler in the error.
    pub(crate) fn load_module(&self, image: &Image) -> Result<ModuleHandle, Error> {
        let mut module = ptr::null_mut();
        let mut log = vec![0_u8; LOG_SIZE];
        let mut options = [JIT_ERROR_LOG, JIT_ERROR_LOG_SIZE];
        // A number goes in the place of the pointer, as documented.
        let mut values: [*mut c_void; 2] = [log.as_mut_ptr().cast(), ptr::without_provenance_mut(LOG_SIZE)];
        // SAFETY: an `Image` is PTX that ends with a zero byte, or a cubin whose headers point at nothing outside; there are as many options
        // as values; the log has the size that is given. All live through the call.
        let code = unsafe {
            (self.module_load)(
                &raw mut module,
                image.bytes().as_ptr().cast(),
                options.len() as c_uint,
                options.as_mut_ptr(),
                values.as_mut_ptr(),
            )
        };
        match self.check("cuModuleLoadDataEx", code) {
            Ok(()) => Ok(ModuleHandle(module)),
            Err(Error::Call {
                function,
                code,
                name,
                text,
                log: _,
            }) => Err(Error::Call {
                function,
                code,
                name,
                text,
                log: until_zero(&log),
            }),
            Err(other) => Err(other),
        }
    }

    /// `cuModuleUnload`, once for each module. Failure leaves nothing to do.
    pub(crate) fn unload(&self, module: ModuleHandle) {
        // SAFETY: the module is loaded, and nothing that uses it is left.
        let _ = unsafe { (self.module_unload)(module.0) };
    }

    /// `cuModuleGetFunction`.
    pub(crate) fn function(&self, module: ModuleHandle, name: &str) -> Result<FunctionHandle, Error> {
        let name = text(name)?;
        let mut function = ptr::null_mut();
        // SAFETY: the module is loaded; the name ends with a zero byte and lives through the call, as `function` does.
        let code = unsafe { (self.module_get_function)(&raw mut function, module.0, name.as_ptr()) };
        self.check("cuModuleGetFunction", code)?;
        Ok(FunctionHandle(function))
    }

    /// `cuModuleGetGlobal`: address and size in bytes.
    pub(crate) fn global(&self, module: ModuleHandle, name: &str) -> Result<(u64, usize), Error> {
        let name = text(name)?;
        let (mut address, mut size) = (0, 0);
        // SAFETY: the module is loaded; the name ends with a zero byte and lives through the call, as the two numbers do.
        let code = unsafe { (self.module_get_global)(&raw mut address, &raw mut size, module.0, name.as_ptr()) };
        self.check("cuModuleGetGlobal", code)?;
        Ok((address, size))
    }

    /// `cuMemAlloc`.
    pub(crate) fn allocate(&self, size: usize) -> Result<u64, Error> {
        let mut address = 0;
        // SAFETY: `address` is there for the call.
        let code = unsafe { (self.memory_allocate)(&raw mut address, size) };
        self.check("cuMemAlloc", code)?;
        Ok(address)
    }

    /// `cuMemFree`, once for each [`Api::allocate`]. Failure leaves nothing to do.
    pub(crate) fn free(&self, address: u64) {
        // SAFETY: an address of the device, which the host does not follow; it was allocated and is not free.
        let _ = unsafe { (self.memory_free)(address) };
    }

    /// `cuMemcpyHtoD`. The bytes at `address` must belong to the caller.
    pub(crate) fn copy_to_device(&self, address: u64, bytes: &[u8]) -> Result<(), Error> {
        // SAFETY: the driver reads as many bytes as the slice has, before it returns; the caller has checked that the device's bytes are its own.
        let code = unsafe { (self.memory_copy_to_device)(address, bytes.as_ptr().cast(), bytes.len()) };
        self.check("cuMemcpyHtoD", code)
    }

    /// `cuMemcpyDtoH`. The bytes at `address` must belong to the caller.
    pub(crate) fn copy_from_device(&self, bytes: &mut [u8], address: u64) -> Result<(), Error> {
        // SAFETY: the driver writes as many bytes as the slice has, before it returns.
        let code = unsafe { (self.memory_copy_to_host)(bytes.as_mut_ptr().cast(), address, bytes.len()) };
        self.check("cuMemcpyDtoH", code)
    }

    /// `cuFuncSetAttribute`: lets a kernel have so much dynamic shared memory.
    pub(crate) fn allow_shared(&self, function: FunctionHandle, bytes: u32) -> Result<(), Error> {
        self.set_attribute(
            function,
            MOST_DYNAMIC_SHARED,
            c_int::try_from(bytes).unwrap_or(c_int::MAX),
        )
    }

    /// `cuFuncSetAttribute`: lets a kernel have clusters that not every device of its architecture can run.
    pub(crate) fn allow_large_clusters(&self, function: FunctionHandle) -> Result<(), Error> {
        self.set_attribute(function, NON_PORTABLE_CLUSTERS, 1)
    }

    fn set_attribute(&self, function: FunctionHandle, attribute: c_int, value: c_int) -> Result<(), Error> {
        // SAFETY: the function's module is loaded; no pointers of the host.
        let code = unsafe { (self.function_set_attribute)(function.0, attribute, value) };
        self.check("cuFuncSetAttribute", code)
    }

    /// `cuLaunchKernelEx`, on the default stream.
    pub(crate) fn launch(&self, function: FunctionHandle, extents: Extents, parameters: &[u8]) -> Result<(), Error> {
        let mut attribute = LaunchAttribute {
            id: CLUSTER_DIMENSION,
            unused: [0; 4],
            extents: extents.cluster,
            rest: [0; 52],
        };
        let clustered = extents.cluster != [1; 3];
        let config = LaunchConfig {
            grid: extents.grid,
            block: extents.block,
            shared: extents.shared,
            stream: ptr::null_mut(),
            attributes: if clustered { &raw mut attribute } else { ptr::null_mut() },
            attribute_count: c_uint::from(clustered),
        };
        let mut size = parameters.len();
        // The parameters as one piece with its size, so that the driver never reads more than there is.
        let mut extra: [*mut c_void; 5] = [
            ptr::without_provenance_mut(PARAMETER_BUFFER),
            parameters.as_ptr().cast_mut().cast(),
            ptr::without_provenance_mut(PARAMETER_SIZE),
            (&raw mut size).cast(),
            ptr::without_provenance_mut(PARAMETER_END),
        ];
        let extra = if parameters.is_empty() {
            ptr::null_mut()
        } else {
            extra.as_mut_ptr()
        };
        // SAFETY: the function's module is loaded; `config`, its attribute, `extra`, the parameters and their size live through the call, which
        // copies them and writes to none.
        let code = unsafe { (self.launch_kernel)(&raw const config, function.0, ptr::null_mut(), extra) };
        self.check("cuLaunchKernelEx", code)
    }

    /// `cuTensorMapEncodeTiled` or `cuTensorMapEncodeIm2col`: the descriptor's bytes.
    pub(crate) fn tensor_map(&self, map: &TensorMap) -> Result<[u8; TensorMap::BYTES], Error> {
        let mut descriptor = Descriptor([0; TensorMap::BYTES]);
        let TensorMap {
            element,
            address,
            ref sizes,
            ref strides,
            ref element_strides,
            ref shape,
            interleave,
            swizzle,
            promotion,
            fill,
        } = *map;
        let rank = sizes.len();
        let fits = |lengths: [usize; 2]| lengths == [rank, rank.wrapping_sub(2)] && rank >= 3;
        let whole = strides.len() + 1 == rank && element_strides.len() == rank;
        let (function, code) = match shape {
            TensorShape::Tile(tile) => {
                let function = "cuTensorMapEncodeTiled";
                let call = self.tensor_map_tiled.ok_or(Error::OldDriver { function })?;
                if !whole || tile.len() != rank {
                    return Err(Error::TensorMap);
                }
                // SAFETY: every array has as many numbers as the rank says, the strides one fewer, and all live through the call; the address is
                // the device's and is not followed; the descriptor has the size and alignment of `CUtensorMap`. Wrong numbers are refused.
                let code = unsafe {
                    call(
                        &raw mut descriptor,
                        element,
                        rank as u32,
                        address,
                        sizes.as_ptr(),
                        strides.as_ptr(),
                        tile.as_ptr(),
                        element_strides.as_ptr(),
                        interleave,
                        swizzle,
                        promotion,
                        fill,
                    )
                };
                (function, code)
            }
            TensorShape::Im2col {
                lower,
                upper,
                channels,
                pixels,
            } => {
                let function = "cuTensorMapEncodeIm2col";
                let call = self.tensor_map_im2col.ok_or(Error::OldDriver { function })?;
                if !whole || !fits([rank, lower.len()]) || !fits([rank, upper.len()]) {
                    return Err(Error::TensorMap);
                }
                // SAFETY: as above; the corners have two numbers fewer than the rank.
                let code = unsafe {
                    call(
                        &raw mut descriptor,
                        element,
                        rank as u32,
                        address,
                        sizes.as_ptr(),
                        strides.as_ptr(),
                        lower.as_ptr(),
                        upper.as_ptr(),
                        *channels,
                        *pixels,
                        element_strides.as_ptr(),
                        interleave,
                        swizzle,
                        promotion,
                        fill,
                    )
                };
                (function, code)
            }
        };
        self.check(function, code)?;
        Ok(descriptor.0)
    }
}

/// The text before the first zero byte.
fn until_zero(bytes: &[u8]) -> String {
    let text = bytes.split(|&byte| byte == 0).next().unwrap_or_default();
    String::from_utf8_lossy(text).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The sizes and places that the C structures have where pointers are 8 bytes wide.
    #[test]
    #[cfg(target_pointer_width = "64")]
    fn structures_are_laid_out_as_in_c() {
        assert_eq!((size_of::<LaunchAttribute>(), align_of::<LaunchAttribute>()), (72, 8));
        assert_eq!(std::mem::offset_of!(LaunchAttribute, extents), 8);
        assert_eq!(size_of::<LaunchConfig>(), 56);
        assert_eq!(std::mem::offset_of!(LaunchConfig, stream), 32);
        assert_eq!(std::mem::offset_of!(LaunchConfig, attribute_count), 48);
    }

    #[test]
    fn texts_end_at_the_zero_byte() {
        assert_eq!(until_zero(b"ab\0c"), "ab");
        assert_eq!(until_zero(b"ab"), "ab");
    }
}
