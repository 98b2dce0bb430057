//! What the compiler's code registers: fat binaries, kernels and variables, by the addresses that the host knows them by.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::ffi::{CStr, CString, c_char, c_int, c_uint, c_void};
use std::ptr;
use std::sync::{Mutex, PoisonError};

use crate::ByName as _;
use crate::launch::Dimensions;
use crate::{Stream, code, driver, exports, put};

/// What the compiler hands to `__cudaRegisterFatBinary`: a magic number, a version, and where the fat binary is.
#[repr(C)]
struct Wrapper {
    magic: c_uint,
    version: c_uint,
    fatbin: *const c_void,
}

/// A fat binary of the program.
struct Fatbin {
    address: usize,
    /// Its modules, once something of it was wanted, each by its context.
    modules: HashMap<usize, usize>,
    /// Managed variables: where the host keeps the address of each, and its name.
    managed: Vec<(usize, CString)>,
}

/// A kernel: its fat binary, its name, and the driver's function for each context in which it was wanted.
struct Kernel {
    fatbin: usize,
    name: CString,
    functions: HashMap<usize, usize>,
}

/// All that was registered. Addresses are kept as numbers, as threads share them.
#[derive(Default)]
struct Registry {
    fatbins: Vec<Fatbin>,
    kernels: HashMap<usize, Kernel>,
    variables: HashMap<usize, (usize, CString)>,
    /// Kernels of libraries that programs have asked for, which are of no context.
    of_libraries: HashSet<usize>,
}

static REGISTRY: Mutex<Option<Registry>> = Mutex::new(None);

fn registry<T>(action: impl FnOnce(&mut Registry) -> T) -> T {
    let mut registry = REGISTRY.lock().unwrap_or_else(PoisonError::into_inner);
    action(registry.get_or_insert_with(Registry::default))
}

thread_local! {
    /// Launches whose configuration was pushed, and whose stubs have not fetched it yet.
    static PENDING: RefCell<Vec<(Dimensions, Dimensions, usize, Stream)>> = const { RefCell::new(Vec::new()) };
}

/// Forgets modules: their context is reset.
pub(crate) fn forget() {
    registry(|registry| {
        for fatbin in &mut registry.fatbins {
            fatbin.modules.clear();
        }
        for kernel in registry.kernels.values_mut() {
            kernel.functions.clear();
        }
    });
}

/// The context that is current, as a number.
fn current() -> Result<usize, c_int> {
    let mut context = ptr::null_mut();
    driver::cuCtxGetCurrent(&mut context)?;
    Ok(context.expose_provenance())
}

/// The module of a fat binary in a context, loaded when it is wanted first.
fn module(registry: &mut Registry, fatbin: usize, context: usize) -> Result<*mut c_void, c_int> {
    let fatbin = registry.fatbins.get_mut(fatbin).ok_or(code::INVALID_FUNCTION)?;
    if let Some(&module) = fatbin.modules.get(&context) {
        return Ok(ptr::with_exposed_provenance_mut(module));
    }
    let mut module = ptr::null_mut();
    driver::cuModuleLoadFatBinary(&mut module, ptr::with_exposed_provenance(fatbin.address))?;
    fatbin.modules.insert(context, module.expose_provenance());
    for (place, name) in &fatbin.managed {
        let (mut address, mut bytes) = (0, 0);
        driver::cuModuleGetGlobal_v2(&mut address, &mut bytes, module, name.as_ptr())?;
        put(ptr::with_exposed_provenance_mut::<u64>(*place), address)?;
    }
    Ok(module)
}

/// The driver's function of a kernel, by the address of its stub.
pub(crate) fn function(stub: *const c_void) -> Result<*mut c_void, c_int> {
    let context = current()?;
    registry(|registry| {
        if registry.of_libraries.contains(&stub.addr()) {
            let mut function = ptr::null_mut();
            driver::cuKernelGetFunction(&mut function, stub.cast_mut())?;
            return Ok(function);
        }
        let Some(kernel) = registry.kernels.get(&stub.addr()) else {
            // `cudaGetFuncBySymbol` gives the driver's own, which launches take, too.
            return if is_known(registry, stub.addr()) {
                Ok(stub.cast_mut())
            } else {
                Err(code::INVALID_FUNCTION)
            };
        };
        if let Some(&function) = kernel.functions.get(&context) {
            return Ok(ptr::with_exposed_provenance_mut(function));
        }
        let (fatbin, name) = (kernel.fatbin, kernel.name.clone());
        let module = module(registry, fatbin, context)?;
        let mut function = ptr::null_mut();
        driver::cuModuleGetFunction(&mut function, module, name.as_ptr()).map_err(|_| code::INVALID_FUNCTION)?;
        if let Some(kernel) = registry.kernels.get_mut(&stub.addr()) {
            kernel.functions.insert(context, function.expose_provenance());
        }
        Ok(function)
    })
}

/// A kernel of a library that a program may launch.
pub(crate) fn note_kernel(kernel: *mut c_void) {
    registry(|registry| registry.of_libraries.insert(kernel.addr()));
}

/// The stub of a function of the driver; that itself where it is of no stub.
pub(crate) fn stub_of(function: *mut c_void) -> *const c_void {
    registry(|registry| {
        let mut kernels = registry.kernels.iter();
        let found = kernels.find(|(_, kernel)| kernel.functions.values().any(|&known| known == function.addr()));
        found.map_or(function.cast_const(), |(&stub, _)| ptr::with_exposed_provenance(stub))
    })
}

/// Whether a function of the driver was found before.
fn is_known(registry: &Registry, function: usize) -> bool {
    registry
        .kernels
        .values()
        .any(|kernel| kernel.functions.values().any(|&known| known == function))
}

/// Address and size of a variable, by the address of its shadow.
pub(crate) fn variable(shadow: *const c_void) -> Result<(u64, usize), c_int> {
    let context = current()?;
    registry(|registry| {
        let (fatbin, name) = registry
            .variables
            .get(&shadow.addr())
            .cloned()
            .ok_or(code::INVALID_SYMBOL)?;
        let module = module(registry, fatbin, context)?;
        let (mut address, mut bytes) = (0, 0);
        driver::cuModuleGetGlobal_v2(&mut address, &mut bytes, module, name.as_ptr())
            .map_err(|_| code::INVALID_SYMBOL)?;
        Ok((address, bytes))
    })
}

/// A handle of a fat binary is its number, and one: no handle is null.
fn number(handle: *mut *mut c_void) -> usize {
    handle.addr().wrapping_sub(1)
}

fn owned(name: *const c_char) -> CString {
    // SAFETY: the compiler's code gives a text that ends.
    unsafe { CStr::from_ptr(name) }.to_owned()
}

/// Notes a fat binary of the program; the compiler's code hands what it gets to the other functions.
#[unsafe(no_mangle)]
extern "C" fn __cudaRegisterFatBinary(wrapper: *const c_void) -> *mut *mut c_void {
    // SAFETY: the compiler's code gives its wrapper.
    let wrapper = unsafe { wrapper.cast::<Wrapper>().read() };
    registry(|registry| {
        registry.fatbins.push(Fatbin {
            address: wrapper.fatbin.expose_provenance(),
            modules: HashMap::new(),
            managed: Vec::new(),
        });
        ptr::without_provenance_mut(registry.fatbins.len())
    })
}

/// All of a fat binary is registered.
#[unsafe(no_mangle)]
extern "C" fn __cudaRegisterFatBinaryEnd(_handle: *mut *mut c_void) {}

/// The program ends, or a library is unloaded: what it registered is gone.
#[unsafe(no_mangle)]
extern "C" fn __cudaUnregisterFatBinary(handle: *mut *mut c_void) {
    let fatbin = number(handle);
    registry(|registry| {
        registry.kernels.retain(|_, kernel| kernel.fatbin != fatbin);
        registry.variables.retain(|_, (of, _)| *of != fatbin);
    });
}

/// Notes a kernel.
#[unsafe(no_mangle)]
extern "C" fn __cudaRegisterFunction(
    handle: *mut *mut c_void,
    stub: *const c_void,
    _device_function: *mut c_char,
    name: *const c_char,
    _limit: c_int,
    _thread: *const c_void,
    _block_index: *const c_void,
    _block: *const c_void,
    _grid: *const c_void,
    _size: *const c_int,
) {
    let kernel = Kernel {
        fatbin: number(handle),
        name: owned(name),
        functions: HashMap::new(),
    };
    registry(|registry| registry.kernels.insert(stub.addr(), kernel));
}

/// Notes a variable.
#[unsafe(no_mangle)]
extern "C" fn __cudaRegisterVar(
    handle: *mut *mut c_void,
    shadow: *const c_void,
    _address: *mut c_char,
    name: *const c_char,
    _external: c_int,
    _size: usize,
    _constant: c_int,
    _global: c_int,
) {
    registry(|registry| registry.variables.insert(shadow.addr(), (number(handle), owned(name))));
}

/// Notes a managed variable, whose address the host reads where `place` leads.
#[unsafe(no_mangle)]
extern "C" fn __cudaRegisterManagedVar(
    handle: *mut *mut c_void,
    place: *mut *mut c_void,
    _address: *mut c_char,
    name: *const c_char,
    _external: c_int,
    _size: usize,
    _constant: c_int,
    _global: c_int,
) {
    registry(|registry| {
        registry.variables.insert(place.addr(), (number(handle), owned(name)));
        if let Some(fatbin) = registry.fatbins.get_mut(number(handle)) {
            fatbin.managed.push((place.expose_provenance(), owned(name)));
        }
    });
}

/// Variables of the host that kernels name; nothing has to be done for them.
#[unsafe(no_mangle)]
extern "C" fn __cudaRegisterHostVar(
    _handle: *mut *mut c_void,
    _name: *const c_char,
    _address: *mut c_void,
    _size: usize,
) {
}

/// Functions that both sides call by one address, which no device here has.
#[unsafe(no_mangle)]
extern "C" fn __cudaRegisterUnifiedTable(_handle: *mut *mut c_void, _table: *mut c_void) {}

/// Loads a fat binary before the host reads its managed variables. Gives whether it could.
#[unsafe(no_mangle)]
extern "C" fn __cudaInitModule(handle: *mut *mut c_void) -> c_char {
    let loaded = crate::device::context().and_then(|()| current());
    let loaded = loaded.and_then(|context| registry(|registry| module(registry, number(handle), context)));
    c_char::from(crate::finish(loaded.map(|_| ())) == 0)
}

/// The configuration between `<<<` and `>>>`, for the stub that follows. Gives 0: it goes on.
#[unsafe(no_mangle)]
extern "C" fn __cudaPushCallConfiguration(
    grid: Dimensions,
    block: Dimensions,
    shared: usize,
    stream: Stream,
) -> c_uint {
    PENDING.with_borrow_mut(|pending| pending.push((grid, block, shared, stream)));
    0
}

exports! {
    [plain] fn __cudaPopCallConfiguration(grid: *mut Dimensions, block: *mut Dimensions, shared: *mut usize, to: *mut Stream) {
        let pending = PENDING.with_borrow_mut(Vec::pop).ok_or(code::INVALID_CONFIGURATION)?;
        put(grid, pending.0)?;
        put(block, pending.1)?;
        put(shared, pending.2)?;
        put(to, pending.3)
    }
    [plain] fn __cudaGetKernel(to: *mut *const c_void, stub: *const c_void) { put(to, stub) }
    [context] fn cudaGetFuncBySymbol(to: *mut *mut c_void, symbol: *const c_void) { put(to, function(symbol)?) }
    [context] fn cudaGetKernel(to: *mut *mut c_void, symbol: *const c_void) { put(to, function(symbol)?) }
    [context] fn cudaGetSymbolAddress(to: *mut u64, symbol: *const c_void) { put(to, variable(symbol)?.0) }
    [context] fn cudaGetSymbolSize(to: *mut usize, symbol: *const c_void) { put(to, variable(symbol)?.1) }
}
