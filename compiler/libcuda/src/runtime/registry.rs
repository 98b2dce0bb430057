//! What the code of the compiler registers: fatbins, kernels and variables, by the addresses that the host knows them by.
#![allow(unsafe_code, non_snake_case)]

use std::collections::HashMap;
use std::ffi::{c_char, c_int, c_uint, c_void};
use std::ptr;
use std::sync::{Mutex, PoisonError};

use super::call;
use crate::exports::exports;
use crate::interface::{HandleKind, allocate_words, cubin, current, get, handle, number, put, refuse, text, with};
use crate::result::{Code, Failed};
use crate::state::Extents;

/// `dim3`.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct Dimensions {
    pub(crate) x: c_uint,
    pub(crate) y: c_uint,
    pub(crate) z: c_uint,
}

impl Dimensions {
    pub(crate) fn list(self) -> [u32; 3] {
        [self.x, self.y, self.z]
    }
}

/// What the compiler hands to `__cudaRegisterFatBinary`: a magic number, a version, and where the fatbin is.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct Wrapper {
    pub(crate) magic: c_uint,
    pub(crate) version: c_uint,
    pub(crate) fatbin: *const c_void,
}

/// Something of a module, and the count of resets when it was found: after another reset it is gone.
#[derive(Clone, Copy)]
struct Found {
    number: usize,
    resets: u64,
}

/// A fatbin of the program.
struct Fatbin {
    address: usize,
    /// Its module, once something of it was wanted.
    module: Option<Found>,
    /// Managed variables: where the host keeps the address of each, and its name.
    managed: Vec<(usize, String)>,
}

/// A kernel: its fatbin, its name, and its number once it was wanted.
#[derive(Clone)]
struct Registered {
    fatbin: usize,
    name: String,
    found: Option<Found>,
}

/// All that was registered.
#[derive(Default)]
struct Registry {
    fatbins: Vec<Fatbin>,
    /// Kernels by the address of their host function.
    kernels: HashMap<usize, Registered>,
    /// Variables by the address of their host copy: fatbin and name.
    variables: HashMap<usize, (usize, String)>,
    /// Launches whose `<<<...>>>` was evaluated, and whose arguments are not there yet.
    pending: Vec<(Extents, usize)>,
}

static REGISTRY: Mutex<Option<Registry>> = Mutex::new(None);

fn registry<T>(action: impl FnOnce(&mut Registry) -> T) -> T {
    let mut registry = REGISTRY.lock().unwrap_or_else(PoisonError::into_inner);
    action(registry.get_or_insert_with(Registry::default))
}

/// What was found since the last reset.
fn fresh(found: Option<Found>) -> Result<Option<usize>, Failed> {
    let resets = with(|state| Ok(state.resets))?;
    Ok(found.filter(|found| found.resets == resets).map(|found| found.number))
}

fn found(number: usize) -> Result<Option<Found>, Failed> {
    let resets = with(|state| Ok(state.resets))?;
    Ok(Some(Found { number, resets }))
}

/// The module of a fatbin, loaded when it is first wanted. Where it has managed variables, all its variables are in memory that the host reads, too.
fn module(fatbin: usize) -> Result<usize, Failed> {
    let known = registry(|registry| {
        let fatbin = registry.fatbins.get(fatbin)?;
        Some((fatbin.address, fatbin.module, fatbin.managed.clone()))
    });
    let (address, module, managed) = known.ok_or_else(|| Failed::new(Code::InvalidImage, "there is no such fatbin"))?;
    if let Some(module) = fresh(module)? {
        return Ok(module);
    }
    let context = current()?;
    let cubin = cubin(ptr::with_exposed_provenance(address))?;
    let mut place = allocate_words;
    let module = with(|state| {
        let place: warpsmith_emu::sass::Place<'_> = &mut place;
        state.load(cubin, context, (!managed.is_empty()).then_some(place))
    })?;
    for (host, name) in managed {
        let (start, _) = with(|state| state.variable(module, &name))?;
        put(ptr::with_exposed_provenance_mut::<u64>(host), start)?;
    }
    let found = found(module)?;
    registry(|registry| {
        if let Some(fatbin) = registry.fatbins.get_mut(fatbin) {
            fatbin.module = found;
        }
    });
    Ok(module)
}

/// The kernel of a host function, or of a handle of one.
pub(super) fn kernel(function: *const c_void) -> Result<usize, Failed> {
    if let Ok(kernel) = number(HandleKind::Function, function.cast_mut()) {
        return with(|state| state.known(kernel).map(|_| kernel));
    }
    let registered = registry(|registry| registry.kernels.get(&function.addr()).cloned());
    let registered = registered.ok_or_else(|| Failed::new(Code::InvalidDeviceFunction, "the function is no kernel"))?;
    if let Some(kernel) = fresh(registered.found)? {
        return Ok(kernel);
    }
    let module = module(registered.fatbin)?;
    let kernel = with(|state| state.kernel(module, &registered.name)).map_err(|failed| Failed {
        code: Code::InvalidDeviceFunction,
        ..failed
    })?;
    let found = found(kernel)?;
    registry(|registry| {
        if let Some(registered) = registry.kernels.get_mut(&function.addr()) {
            registered.found = found;
        }
    });
    Ok(kernel)
}

/// Address and size of the variable of a host copy.
pub(super) fn variable(symbol: *const c_void) -> Result<(u64, u64), Failed> {
    let found = registry(|registry| registry.variables.get(&symbol.addr()).cloned());
    let (fatbin, name) = found.ok_or_else(|| Failed::new(Code::InvalidSymbol, "there is no such variable"))?;
    let module = module(fatbin)?;
    with(|state| state.variable(module, &name))
}

/// The extents of a plain launch.
pub(super) fn extents(grid: Dimensions, block: Dimensions, shared: usize) -> Extents {
    Extents {
        grid: grid.list(),
        block: block.list(),
        cluster: [1; 3],
        // More than any device has is refused by the launch.
        shared: u32::try_from(shared).unwrap_or(u32::MAX),
        cooperative: false,
    }
}

exports! { call;
    [Anywhere] fn __cudaPopCallConfiguration(grid: *mut Dimensions, block: *mut Dimensions, shared: *mut usize, stream: *mut *mut c_void) {
        let pending = registry(|registry| registry.pending.pop());
        let (extents, on) = pending.ok_or_else(|| Failed::new(Code::InvalidValue, "there is no launch to go on with"))?;
        let of = |[x, y, z]: [u32; 3]| Dimensions { x, y, z };
        put(grid, of(extents.grid))?;
        put(block, of(extents.block))?;
        put(shared, extents.shared as usize)?;
        put(stream, ptr::without_provenance_mut(on))
    }
    [Anywhere] fn __cudaGetKernel(kernel: *mut *const c_void, function: *const c_void) { put(kernel, function) }
    [Context] fn cudaGetFuncBySymbol(function: *mut *mut c_void, symbol: *const c_void) {
        put(function, handle(HandleKind::Function, kernel(symbol)?))
    }
    [Context] fn cudaGetKernel(function: *mut *mut c_void, symbol: *const c_void) {
        put(function, handle(HandleKind::Function, kernel(symbol)?))
    }
    [Anywhere] fn cudaGetExportTable(_table: *mut *const c_void, _identity: *const c_void) { Err(refuse("cudaGetExportTable")) }
}

/// Functions that give no code.
#[cfg(test)]
pub(super) static PLAIN: &[&str] = &[
    "__cudaRegisterFatBinary",
    "__cudaRegisterFatBinaryEnd",
    "__cudaUnregisterFatBinary",
    "__cudaRegisterFunction",
    "__cudaRegisterVar",
    "__cudaRegisterManagedVar",
    "__cudaRegisterHostVar",
    "__cudaRegisterUnifiedTable",
    "__cudaPushCallConfiguration",
    "__cudaInitModule",
];

/// Notes a fatbin of the program; the compiler's code hands what it gets to the other functions.
#[unsafe(no_mangle)]
pub(super) extern "system" fn __cudaRegisterFatBinary(wrapper: *const c_void) -> *mut c_void {
    let found = get(wrapper.cast::<Wrapper>()).ok();
    let address = found.map_or(0, |wrapper| wrapper.fatbin.expose_provenance());
    registry(|registry| {
        registry.fatbins.push(Fatbin {
            address,
            module: None,
            managed: Vec::new(),
        });
        handle(HandleKind::Fatbin, registry.fatbins.len() - 1)
    })
}

/// All of a fatbin is registered.
#[unsafe(no_mangle)]
pub(super) extern "system" fn __cudaRegisterFatBinaryEnd(_fatbin: *mut c_void) {}

/// The program ends, and the device with it.
#[unsafe(no_mangle)]
extern "system" fn __cudaUnregisterFatBinary(_fatbin: *mut c_void) {}

/// Notes a kernel.
#[unsafe(no_mangle)]
pub(super) extern "system" fn __cudaRegisterFunction(
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
    if let (Ok(name), Ok(fatbin)) = (text(name), number(HandleKind::Fatbin, fatbin)) {
        let registered = Registered {
            fatbin,
            name,
            found: None,
        };
        registry(|registry| registry.kernels.insert(function.addr(), registered));
    }
}

/// Notes a variable.
#[unsafe(no_mangle)]
pub(super) extern "system" fn __cudaRegisterVar(
    fatbin: *mut c_void,
    host: *const c_void,
    _address: *mut c_char,
    name: *const c_char,
    _external: c_int,
    _size: usize,
    _constant: c_int,
    _global: c_int,
) {
    if let (Ok(name), Ok(fatbin)) = (text(name), number(HandleKind::Fatbin, fatbin)) {
        registry(|registry| registry.variables.insert(host.addr(), (fatbin, name)));
    }
}

/// Notes a managed variable, whose address the host reads where `host` leads.
#[unsafe(no_mangle)]
extern "system" fn __cudaRegisterManagedVar(
    fatbin: *mut c_void,
    host: *mut *mut c_void,
    _address: *mut c_char,
    name: *const c_char,
    _external: c_int,
    _size: usize,
    _constant: c_int,
    _global: c_int,
) {
    if let (Ok(name), Ok(fatbin)) = (text(name), number(HandleKind::Fatbin, fatbin)) {
        registry(|registry| {
            registry.variables.insert(host.addr(), (fatbin, name.clone()));
            if let Some(fatbin) = registry.fatbins.get_mut(fatbin) {
                fatbin.managed.push((host.expose_provenance(), name));
            }
        });
    }
}

/// Variables of the host that kernels name; nothing has to be done for them.
#[unsafe(no_mangle)]
extern "system" fn __cudaRegisterHostVar(
    _fatbin: *mut c_void,
    _name: *const c_char,
    _address: *mut c_void,
    _size: usize,
) {
}

/// Functions that both sides call by one address, which no device here has.
#[unsafe(no_mangle)]
extern "system" fn __cudaRegisterUnifiedTable(_fatbin: *mut c_void, _table: *mut c_void) {}

/// Loads a fatbin before the host reads its managed variables. Gives whether it could.
#[unsafe(no_mangle)]
extern "system" fn __cudaInitModule(fatbin: *mut c_void) -> c_char {
    let result = call(crate::interface::Scope::Context, || {
        module(number(HandleKind::Fatbin, fatbin)?).map(|_| ())
    });
    c_char::from(result == Code::Success as c_int)
}

/// The extents between `<<<` and `>>>`, for the launch that follows. Gives 0: it goes on.
#[unsafe(no_mangle)]
pub(super) extern "system" fn __cudaPushCallConfiguration(
    grid: Dimensions,
    block: Dimensions,
    shared: usize,
    stream: *mut c_void,
) -> c_uint {
    registry(|registry| registry.pending.push((extents(grid, block, shared), stream.addr())));
    0
}
