//! The part of the runtime API that programs compiled by nvcc with `-cudart shared` need, for `libcudart.so.13`: what the compiler's own code calls to
//! register kernels and launch them, and memory, launches and properties. Signatures, numbers and structures are those of CUDA 13.0's headers.
#![allow(unsafe_code, non_snake_case)]

use std::collections::HashMap;
use std::ffi::{c_char, c_int, c_uint, c_void};
use std::ptr;
use std::sync::{Mutex, PoisonError};

use crate::driver::{self, LaunchConfig};
use crate::interface::{code, cubin, handle, list, number, put, put_bytes, text, with};
use crate::state::{Code, Extents, Failed};

/// `dim3`.
#[derive(Clone, Copy)]
#[repr(C)]
struct Dimensions {
    x: c_uint,
    y: c_uint,
    z: c_uint,
}

impl Dimensions {
    fn list(self) -> [u32; 3] {
        [self.x, self.y, self.z]
    }
}

/// What the compiler hands to `__cudaRegisterFatBinary`: a magic number, a version, and where the fatbin is.
#[derive(Clone, Copy)]
#[repr(C)]
struct Wrapper {
    magic: c_uint,
    version: c_uint,
    fatbin: *const c_void,
}

/// The fatbins of the program, and what is in them.
#[derive(Default)]
struct Runtime {
    /// The address of each, and its module once something of it was wanted.
    fatbins: Vec<(usize, Option<usize>)>,
    /// Kernels by the address of their host function: the fatbin, the name, and the kernel once it was launched.
    kernels: HashMap<usize, (usize, String, Option<usize>)>,
    /// Variables by the address of their host copy.
    variables: HashMap<usize, (usize, String)>,
    /// Launches whose `<<<...>>>` was evaluated, and whose arguments are not there yet.
    pending: Vec<(Extents, usize)>,
    /// The last error that was not asked for.
    last: c_int,
}

static RUNTIME: Mutex<Option<Runtime>> = Mutex::new(None);

fn runtime<T>(action: impl FnOnce(&mut Runtime) -> T) -> T {
    let mut runtime = RUNTIME.lock().unwrap_or_else(PoisonError::into_inner);
    action(runtime.get_or_insert_with(Runtime::default))
}

/// The code of a call, kept for `cudaGetLastError`.
fn kept(call: impl FnOnce() -> Result<(), Failed>) -> c_int {
    let result = code(call);
    if result != Code::Success as c_int {
        runtime(|runtime| runtime.last = result);
    }
    result
}

/// The module of a fatbin, loaded when it is first wanted.
fn module(fatbin: usize) -> Result<usize, Failed> {
    let (address, known) = runtime(|runtime| runtime.fatbins[fatbin]);
    if let Some(module) = known {
        return Ok(module);
    }
    let cubin = cubin(ptr::with_exposed_provenance(address))?;
    let module = with(|state| state.load(cubin))?;
    runtime(|runtime| runtime.fatbins[fatbin].1 = Some(module));
    Ok(module)
}

/// The kernel of a host function.
fn kernel(function: *const c_void) -> Result<usize, Failed> {
    let found = runtime(|runtime| runtime.kernels.get(&function.addr()).cloned());
    let (fatbin, name, known) =
        found.ok_or_else(|| Failed::new(Code::InvalidDeviceFunction, "the function is no kernel"))?;
    if let Some(kernel) = known {
        return Ok(kernel);
    }
    let module = module(fatbin)?;
    let kernel = with(|state| state.kernel(module, &name))?;
    runtime(|runtime| runtime.kernels.insert(function.addr(), (fatbin, name, Some(kernel))));
    Ok(kernel)
}

/// Address and size of the variable of a host copy.
fn variable(symbol: *const c_void) -> Result<(u64, u64), Failed> {
    let found = runtime(|runtime| runtime.variables.get(&symbol.addr()).cloned());
    let (fatbin, name) = found.ok_or_else(|| Failed::new(Code::InvalidSymbol, "there is no such variable"))?;
    let module = module(fatbin)?;
    with(|state| state.variable(module, &name))
}

/// Runs the kernel of a host function.
fn launch(function: *const c_void, extents: Extents, arguments: *const *const u8) -> Result<(), Failed> {
    driver::launch(handle(kernel(function)?), extents, arguments, ptr::null())
}

/// Copies between memory of the device and of the program. Kinds: `cudaMemcpyHostToHost`, `HostToDevice`, `DeviceToHost`, `DeviceToDevice`, and
/// `cudaMemcpyDefault`, by the addresses.
fn copy(to: *mut c_void, from: *const c_void, bytes: usize, kind: c_int) -> Result<(), Failed> {
    let is_own = |address: usize| with(|state| Ok(state.device.read(address as u64, 1).is_ok()));
    let (to_device, from_device) = match kind {
        0..=3 => (kind & 1 != 0, kind & 2 != 0),
        4 => (is_own(to.addr())?, is_own(from.addr())?),
        other => return Err(Failed::new(Code::InvalidValue, format!("copies have no kind {other}"))),
    };
    let held = match from_device {
        true => driver::read(from.addr() as u64, bytes)?,
        false => list(from.cast(), bytes)?,
    };
    match to_device {
        true => driver::write(to.addr() as u64, &held),
        false => put_bytes(to.cast(), &held),
    }
}

/// Fields of `cudaDeviceProp`: offset and value, of 4 bytes each or 8.
fn properties(at: *mut u8) -> Result<(), Failed> {
    /// Bytes of the structure.
    const SIZE: usize = 1008;
    let (name, number) = with(|state| {
        Ok((
            format!("Warpsmith emulator of {}", state.settings.sm),
            state.settings.sm.info().number,
        ))
    })?;
    let mut bytes = vec![0; SIZE];
    bytes[..name.len()].copy_from_slice(name.as_bytes());
    let of = |which: c_int| with(|state| Ok(driver::attribute(state, which).unwrap_or(0)));
    #[rustfmt::skip]
    let words = [
        (304, of(12)?), (308, of(10)?), (320, of(1)?),                      // regsPerBlock, warpSize, maxThreadsPerBlock
        (324, of(2)?), (328, of(3)?), (332, of(4)?),                        // maxThreadsDim
        (336, of(5)?), (340, of(6)?), (344, of(7)?),                        // maxGridSize
        (360, u32::from(number) / 10), (364, u32::from(number) % 10),       // major, minor
        (384, of(16)?), (560, 1), (588, 1), (596, of(38)?),                 // multiProcessorCount, concurrentKernels, unifiedAddressing, l2CacheSize
        (604, of(39)?), (632, of(82)?), (668, 1),                           // maxThreadsPerMultiProcessor, regsPerMultiprocessor, cooperativeLaunch
    ];
    #[rustfmt::skip]
    let sizes = [
        (288, 64 << 30), (296, u64::from(of(8)?)), (352, u64::from(of(9)?)),    // totalGlobalMem, sharedMemPerBlock, totalConstMem
        (624, u64::from(of(81)?)), (672, u64::from(of(97)?)),                   // sharedMemPerMultiprocessor, sharedMemPerBlockOptin
    ];
    for (offset, value) in words {
        bytes[offset..offset + 4].copy_from_slice(&value.to_le_bytes());
    }
    for (offset, value) in sizes {
        bytes[offset..offset + 8].copy_from_slice(&u64::to_le_bytes(value));
    }
    put_bytes(at, &bytes)
}

/// Fields of `cudaFuncAttributes`.
fn function_attributes(at: *mut u8, function: *const c_void) -> Result<(), Failed> {
    /// Bytes of the structure.
    const SIZE: usize = 144;
    let kernel = kernel(function)?;
    let (kernel, info) = with(|state| Ok((state.known(kernel)?.clone(), state.settings.sm.info())))?;
    let version = u32::from(info.number);
    let mut bytes = vec![0; SIZE];
    #[rustfmt::skip]
    let words = [
        (0, kernel.static_shared), (16, kernel.local), (24, info.occupancy.max_threads_per_cta),    // sharedSizeBytes, localSizeBytes, maxThreadsPerBlock
        (28, kernel.registers), (32, version), (36, version),                                       // numRegs, ptxVersion, binaryVersion
        (44, info.shared.max_per_cta),                                                              // maxDynamicSharedSizeBytes
    ];
    for (offset, value) in words {
        bytes[offset..offset + 4].copy_from_slice(&value.to_le_bytes());
    }
    put_bytes(at, &bytes)
}

/// Declares exported functions that give a code.
macro_rules! exports {
    ($(fn $name:ident($($parameter:ident: $type:ty),* $(,)?) $body:block)*) => {
        $(
            // SAFETY of the name: it is the runtime's, which the library is there to stand in for.
            #[unsafe(no_mangle)]
            extern "system" fn $name($($parameter: $type),*) -> c_int {
                kept(move || $body)
            }
        )*
    };
}

exports! {
    fn __cudaPopCallConfiguration(grid: *mut Dimensions, block: *mut Dimensions, shared: *mut usize, stream: *mut *mut c_void) {
        let pending = runtime(|runtime| runtime.pending.pop());
        let (extents, on) = pending.ok_or_else(|| Failed::new(Code::InvalidValue, "there is no launch to go on with"))?;
        let of = |[x, y, z]: [u32; 3]| Dimensions { x, y, z };
        put(grid, of(extents.grid))?;
        put(block, of(extents.block))?;
        put(shared, extents.shared as usize)?;
        put(stream, ptr::without_provenance_mut(on))
    }
    fn __cudaGetKernel(kernel: *mut *const c_void, function: *const c_void) { put(kernel, function) }
    fn __cudaLaunchKernel(
        function: *const c_void,
        grid: Dimensions,
        block: Dimensions,
        arguments: *const *const u8,
        shared: usize,
        _stream: *mut c_void,
    ) { launch(function, extents(grid, block, shared), arguments) }
    fn cudaLaunchKernel(
        function: *const c_void,
        grid: Dimensions,
        block: Dimensions,
        arguments: *const *const u8,
        shared: usize,
        _stream: *mut c_void,
    ) { launch(function, extents(grid, block, shared), arguments) }
    // `cudaLaunchConfig_t` is laid out as the driver's.
    fn cudaLaunchKernelExC(config: *const LaunchConfig, function: *const c_void, arguments: *const *const u8) {
        launch(function, driver::of_config(config)?, arguments)
    }

    fn cudaMalloc(address: *mut *mut c_void, bytes: usize) {
        let start = with(|state| Ok(state.device.allocate(bytes.max(1) as u64, 512)))?;
        put(address, ptr::without_provenance_mut(start as usize))
    }
    fn cudaFree(address: *mut c_void) {
        match address.is_null() {
            true => Ok(()),
            false => with(|state| state.device.free(address.addr() as u64).map_err(|fault| Failed::new(Code::InvalidValue, fault))),
        }
    }
    fn cudaMemcpy(to: *mut c_void, from: *const c_void, bytes: usize, kind: c_int) { copy(to, from, bytes, kind) }
    fn cudaMemcpyAsync(to: *mut c_void, from: *const c_void, bytes: usize, kind: c_int, _stream: *mut c_void) { copy(to, from, bytes, kind) }
    fn cudaMemset(to: *mut c_void, value: c_int, bytes: usize) { driver::fill(to.addr() as u64, &[value as u8], bytes) }
    fn cudaMemsetAsync(to: *mut c_void, value: c_int, bytes: usize, _stream: *mut c_void) { driver::fill(to.addr() as u64, &[value as u8], bytes) }
    fn cudaMemcpyToSymbol(symbol: *const c_void, from: *const c_void, bytes: usize, offset: usize, _kind: c_int) {
        driver::write(variable(symbol)?.0 + offset as u64, &list(from.cast(), bytes)?)
    }
    fn cudaMemcpyFromSymbol(to: *mut c_void, symbol: *const c_void, bytes: usize, offset: usize, _kind: c_int) {
        driver::copy_out(to, variable(symbol)?.0 + offset as u64, bytes)
    }
    fn cudaGetSymbolAddress(address: *mut *mut c_void, symbol: *const c_void) {
        put(address, ptr::without_provenance_mut(variable(symbol)?.0 as usize))
    }

    fn cudaGetDevice(device: *mut c_int) { put(device, 0) }
    fn cudaSetDevice(_device: c_int) { Ok(()) }
    fn cudaGetDeviceCount(count: *mut c_int) { put(count, 1) }
    fn cudaGetDeviceProperties(at: *mut u8, _device: c_int) { properties(at) }
    fn cudaDeviceGetAttribute(value: *mut c_int, which: c_int, _device: c_int) {
        let found = with(|state| Ok(driver::attribute(state, which)))?;
        let found = found.ok_or_else(|| Failed::new(Code::InvalidValue, format!("the device's attribute {which} is not known")))?;
        put(value, found as c_int)
    }
    fn cudaDriverGetVersion(version: *mut c_int) { put(version, driver::VERSION) }
    fn cudaRuntimeGetVersion(version: *mut c_int) { put(version, driver::VERSION) }
    fn cudaDeviceSynchronize() { Ok(()) }
    fn cudaFuncGetAttributes(at: *mut u8, function: *const c_void) { function_attributes(at, function) }
    fn cudaFuncSetAttribute(function: *const c_void, _attribute: c_int, _value: c_int) { kernel(function).map(|_| ()) }
    fn cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        count: *mut c_int,
        _function: *const c_void,
        _threads: c_int,
        _shared: usize,
        _flags: c_uint,
    ) { put(count, 1) }
    fn cudaOccupancyMaxActiveBlocksPerMultiprocessor(count: *mut c_int, _function: *const c_void, _threads: c_int, _shared: usize) { put(count, 1) }
    fn cudaOccupancyMaxActiveClusters(count: *mut c_int, _function: *const c_void, config: *const LaunchConfig) {
        let ctas: u32 = driver::of_config(config)?.cluster.iter().product();
        put(count, with(|state| Ok(state.settings.multiprocessors / ctas.max(1)))? as c_int)
    }
    fn cudaGetDriverEntryPointByVersion(name: *const c_char, function: *mut *const c_void, _version: c_uint, _flags: u64, found: *mut c_int) {
        let name = text(name)?;
        let address = driver::address(&format!("{name}_v2")).or_else(|| driver::address(&name));
        if !found.is_null() {
            // cudaDriverEntryPointSuccess and cudaDriverEntryPointSymbolNotFound.
            put(found, c_int::from(address.is_none()))?;
        }
        put(function, address.unwrap_or(ptr::null()))
    }

    fn cudaStreamCreate(stream: *mut *mut c_void) { put(stream, handle(0)) }
    fn cudaStreamCreateWithFlags(stream: *mut *mut c_void, _flags: c_uint) { put(stream, handle(0)) }
    fn cudaStreamSynchronize(_stream: *mut c_void) { Ok(()) }
    fn cudaStreamDestroy(_stream: *mut c_void) { Ok(()) }
    fn cudaEventCreate(event: *mut *mut c_void) { put(event, handle(0)) }
    fn cudaEventCreateWithFlags(event: *mut *mut c_void, _flags: c_uint) { put(event, handle(0)) }
    fn cudaEventRecord(_event: *mut c_void, _stream: *mut c_void) { Ok(()) }
    fn cudaEventSynchronize(_event: *mut c_void) { Ok(()) }
    fn cudaEventElapsedTime(milliseconds: *mut f32, _start: *mut c_void, _end: *mut c_void) { put(milliseconds, 0.0) }
    fn cudaEventDestroy(_event: *mut c_void) { Ok(()) }
}

fn extents(grid: Dimensions, block: Dimensions, shared: usize) -> Extents {
    Extents {
        grid: grid.list(),
        block: block.list(),
        cluster: [1; 3],
        // More than any device has is refused by the launch.
        shared: u32::try_from(shared).unwrap_or(u32::MAX),
    }
}

/// Notes a fatbin of the program; the compiler's code hands what it gets to the other functions.
#[unsafe(no_mangle)]
extern "system" fn __cudaRegisterFatBinary(wrapper: *const c_void) -> *mut c_void {
    let found = list(wrapper.cast::<Wrapper>(), 1)
        .ok()
        .and_then(|wrappers| wrappers.first().copied());
    let fatbin = found.map_or(0, |wrapper| wrapper.fatbin.expose_provenance());
    runtime(|runtime| {
        runtime.fatbins.push((fatbin, None));
        handle(runtime.fatbins.len() - 1)
    })
}

/// All of a fatbin is registered.
#[unsafe(no_mangle)]
extern "system" fn __cudaRegisterFatBinaryEnd(_fatbin: *mut c_void) {}

/// The program ends, and the device with it.
#[unsafe(no_mangle)]
extern "system" fn __cudaUnregisterFatBinary(_fatbin: *mut c_void) {}

/// Notes a kernel.
#[unsafe(no_mangle)]
extern "system" fn __cudaRegisterFunction(
    fatbin: *mut c_void,
    function: *const c_void,
    _device_function: *mut c_char,
    name: *const c_char,
    _limit: c_int,
    _thread: *const c_void,
    _block_index: *const c_void,
    _block: *const c_void,
    _grid: *const c_void,
    _size: *const c_int,
) {
    if let Ok(name) = text(name) {
        runtime(|runtime| runtime.kernels.insert(function.addr(), (number(fatbin), name, None)));
    }
}

/// Notes a variable.
#[unsafe(no_mangle)]
extern "system" fn __cudaRegisterVar(
    fatbin: *mut c_void,
    host: *const c_void,
    _address: *mut c_char,
    name: *const c_char,
    _external: c_int,
    _size: usize,
    _constant: c_int,
    _global: c_int,
) {
    if let Ok(name) = text(name) {
        runtime(|runtime| runtime.variables.insert(host.addr(), (number(fatbin), name)));
    }
}

/// The extents between `<<<` and `>>>`, for the launch that follows. Gives 0: it goes on.
#[unsafe(no_mangle)]
extern "system" fn __cudaPushCallConfiguration(
    grid: Dimensions,
    block: Dimensions,
    shared: usize,
    stream: *mut c_void,
) -> c_uint {
    runtime(|runtime| runtime.pending.push((extents(grid, block, shared), stream.addr())));
    0
}

/// The last error, which is forgotten.
#[unsafe(no_mangle)]
extern "system" fn cudaGetLastError() -> c_int {
    runtime(|runtime| std::mem::take(&mut runtime.last))
}

/// The last error.
#[unsafe(no_mangle)]
extern "system" fn cudaPeekAtLastError() -> c_int {
    runtime(|runtime| runtime.last)
}

/// The words of an error.
#[unsafe(no_mangle)]
extern "system" fn cudaGetErrorString(error: c_int) -> *const c_char {
    named(error).2.as_ptr().cast()
}

/// The name of an error, which is the driver's.
#[unsafe(no_mangle)]
extern "system" fn cudaGetErrorName(error: c_int) -> *const c_char {
    named(error).1.as_ptr().cast()
}

fn named(error: c_int) -> (Code, &'static str, &'static str) {
    let known = Code::ALL.into_iter().find(|(code, ..)| *code as c_int == error);
    known.unwrap_or((Code::Unknown, "unrecognized error code\0", "unrecognized error code\0"))
}

#[cfg(test)]
mod tests {
    use std::ffi::CString;

    use warpsmith_cubin::fatbin::{self, Image};
    use warpsmith_target::Sm;

    use super::*;

    /// Each thread multiplies its word by the factor that is a parameter and adds the variable.
    const PTX: &str = ".version 8.0
.target sm_80
.address_size 64
.global .u32 more = 1;
.visible .entry scale(.param .u64 data, .param .u32 factor)
{
    .reg .b32 index, value, by, plus;
    .reg .b64 at, start;
    ld.param.u64 start, [data];
    ld.param.u32 by, [factor];
    ld.global.u32 plus, [more];
    mov.u32 index, %tid.x;
    mad.wide.u32 at, index, 4, start;
    ld.global.u32 value, [at];
    mad.lo.u32 value, value, by, plus;
    st.global.u32 [at], value;
    ret;
}
";

    /// What the code of nvcc does for `scale<<<1, 2>>>(data, 10)` with a variable.
    #[test]
    fn a_program_of_nvcc_runs() {
        static KERNEL: u8 = 0;
        static MORE: u8 = 0;
        let bytes = fatbin::write(&[Image::ptx(Sm::Sm80, (8, 0), PTX.as_bytes().to_vec())]);
        let wrapper = Wrapper {
            magic: 0x4662_43b1,
            version: 1,
            fatbin: bytes.as_ptr().cast(),
        };
        let name = |text: &str| CString::new(text).expect("no zero byte");
        let (scale, more) = (name("scale"), name("more"));
        let (function, symbol): (*const c_void, *const c_void) = ((&raw const KERNEL).cast(), (&raw const MORE).cast());
        let none: *mut c_void = ptr::null_mut();
        let fatbin = __cudaRegisterFatBinary((&raw const wrapper).cast());
        __cudaRegisterFunction(
            fatbin,
            function,
            none.cast(),
            scale.as_ptr(),
            -1,
            none,
            none,
            none,
            none,
            none.cast(),
        );
        __cudaRegisterVar(fatbin, symbol, none.cast(), more.as_ptr(), 0, 4, 0, 0);
        __cudaRegisterFatBinaryEnd(fatbin);

        let mut data = ptr::null_mut();
        let mut words = [3_u32, 4];
        let plus = 5_u32;
        assert_eq!(cudaMalloc(&raw mut data, 8), 0);
        assert_eq!(cudaMemcpy(data, words.as_ptr().cast(), 8, 1), 0);
        assert_eq!(cudaMemcpyToSymbol(symbol, (&raw const plus).cast(), 4, 0, 1), 0);

        let one = |x| Dimensions { x, y: 1, z: 1 };
        assert_eq!(__cudaPushCallConfiguration(one(1), one(2), 0, none), 0);
        let (mut grid, mut block, mut shared, mut stream) = (one(0), one(0), 1, none);
        let popped = __cudaPopCallConfiguration(&raw mut grid, &raw mut block, &raw mut shared, &raw mut stream);
        assert_eq!(
            (popped, grid.list(), block.list(), shared),
            (0, [1, 1, 1], [2, 1, 1], 0)
        );
        let factor = 10_u32;
        let arguments = [(&raw const data).cast(), (&raw const factor).cast()];
        assert_eq!(
            __cudaLaunchKernel(function, grid, block, arguments.as_ptr(), shared, stream),
            0
        );
        assert_eq!(cudaMemcpy(words.as_mut_ptr().cast(), data, 8, 4), 0);
        assert_eq!(words, [35, 45]);

        assert_eq!(
            cudaLaunchKernel(symbol, grid, block, arguments.as_ptr(), 0, none),
            Code::InvalidDeviceFunction as c_int
        );
        assert_eq!(cudaGetLastError(), Code::InvalidDeviceFunction as c_int);
        assert_eq!(cudaGetLastError(), 0);
        assert_eq!(cudaFree(data), 0);
    }
}
