//! Modules, functions and launches.
#![allow(unsafe_code, non_snake_case)]

use std::ffi::{c_char, c_int, c_uint, c_void};
use std::ptr;

use warpsmith_cubin::Cubin;
use warpsmith_cubin::{Symbol, SymbolType};

use super::graph::{is_captured, on_stream};
use super::{call, known_stream, library};
use crate::exports::exports;
use crate::image;
use crate::interface::{
    HandleKind, allocate_words, call_back, cubin, current, get, handle, list, number, put, put_wanted, text, with,
};
use crate::result::{Code, Failed};
use crate::state::{ContextId, Extents, Kernel, graph::Work};

/// `CUlaunchAttribute`: a number, 4 unused bytes, and a union of 64 bytes aligned to 8, of which the first 12 are a cluster's extents, and the first 4
/// whether a launch is cooperative.
#[derive(Clone, Copy)]
#[repr(C, align(8))]
pub(crate) struct LaunchAttribute {
    id: c_uint,
    unused: [u8; 4],
    values: [c_uint; 3],
    rest: [u8; 52],
}

/// `CUlaunchConfig`.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct LaunchConfig {
    grid: [c_uint; 3],
    block: [c_uint; 3],
    shared: c_uint,
    stream: *mut c_void,
    attributes: *const LaunchAttribute,
    attribute_count: c_uint,
}

/// `CU_LAUNCH_ATTRIBUTE_COOPERATIVE` and `CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION`.
const COOPERATIVE: c_uint = 2;
const CLUSTER_DIMENSION: c_uint = 4;
/// `CU_LAUNCH_PARAM_END`, `CU_LAUNCH_PARAM_BUFFER_POINTER` and `CU_LAUNCH_PARAM_BUFFER_SIZE`.
const PARAMETER_END: usize = 0;
const PARAMETER_BUFFER: usize = 1;
const PARAMETER_SIZE: usize = 2;
/// Attributes of functions that are set: `MAX_DYNAMIC_SHARED_SIZE_BYTES`, `NON_PORTABLE_CLUSTER_SIZE_ALLOWED`.
const DYNAMIC_SHARED: c_int = 8;
const NON_PORTABLE_CLUSTER: c_int = 14;
/// The last attribute of functions there is.
const LAST_ATTRIBUTE: c_int = 15;

fn load(module: *mut *mut c_void, image: *const c_void) -> Result<(), Failed> {
    load_cubin(module, cubin(image)?)
}

/// This bit of a symbol says that the memory of the variable is managed.
const MANAGED: u8 = 4;

/// Whether a symbol is a managed variable.
pub(super) fn is_managed(symbol: &Symbol) -> bool {
    symbol.symbol_type == SymbolType::OBJECT && symbol.other.0 & MANAGED != 0
}

fn load_cubin(module: *mut *mut c_void, cubin: Cubin) -> Result<(), Failed> {
    put(module, handle(HandleKind::Module, load_in(current()?, cubin)?))
}

/// Loads a cubin in a context; its number. Where it has managed variables, all its variables are in memory that the host reads, too.
pub(super) fn load_in(context: ContextId, cubin: Cubin) -> Result<usize, Failed> {
    let has_managed = cubin.symbols().iter().any(is_managed);
    let mut place = allocate_words;
    with(|state| {
        let place: warpsmith_emu::sass::Place<'_> = &mut place;
        state.load(cubin, context, has_managed.then_some(place))
    })
}

/// The number of a function. A kernel of a library stands for its function in the current context.
pub(crate) fn function(handle: *mut c_void) -> Result<usize, Failed> {
    match number(HandleKind::Kernel, handle) {
        Ok(kernel) => library::function_of(kernel, current()?),
        Err(_) => number(HandleKind::Function, handle),
    }
}

/// Runs a kernel with its parameters, given one by one or as one piece.
pub(crate) fn launch(
    kernel: usize,
    extents: Extents,
    stream: *mut c_void,
    each: *const *const u8,
    extra: *const *const c_void,
) -> Result<(), Failed> {
    launch_of(kernel, None, extents, stream, (each, extra))
}

/// The same of a function, or of a kernel of a library.
fn launch_named(
    named: *mut c_void,
    extents: Extents,
    stream: *mut c_void,
    each: *const *const u8,
    extra: *const *const c_void,
) -> Result<(), Failed> {
    let library = number(HandleKind::Kernel, named).ok();
    launch_of(function(named)?, library, extents, stream, (each, extra))
}

fn launch_of(
    kernel: usize,
    library: Option<usize>,
    extents: Extents,
    stream: *mut c_void,
    (each, extra): (*const *const u8, *const *const c_void),
) -> Result<(), Failed> {
    known_stream(stream)?;
    let arguments = arguments(kernel, each, extra)?;
    let work = Work::Kernel {
        kernel,
        library,
        extents,
        arguments,
    };
    on_stream(stream, work)
}

/// The bytes of the parameters of a launch.
pub(crate) fn arguments(
    kernel: usize,
    each: *const *const u8,
    extra: *const *const c_void,
) -> Result<Vec<Vec<u8>>, Failed> {
    let places = with(|state| Ok(state.known(kernel)?.parameters.clone()))?;
    if extra.is_null() {
        let each = list(each, places.len())?;
        let given = each.into_iter().zip(&places);
        return given.map(|(from, (_, size))| list(from, *size as usize)).collect();
    }
    let piece = piece(extra)?;
    let cut = places.iter().map(|(offset, size)| {
        let bytes = piece.get(*offset as usize..(offset + size) as usize);
        bytes
            .map(<[u8]>::to_vec)
            .ok_or_else(|| Failed::new(Code::InvalidValue, "there are parameters missing"))
    });
    cut.collect()
}

/// The parameters as `CU_LAUNCH_PARAM_BUFFER_POINTER` and `_SIZE` give them.
fn piece(extra: *const *const c_void) -> Result<Vec<u8>, Failed> {
    let (mut from, mut size) = (ptr::null(), 0);
    for index in 0.. {
        let what = get(extra.wrapping_add(2 * index))?;
        if what.addr() == PARAMETER_END {
            break;
        }
        let value = get(extra.wrapping_add(2 * index + 1))?;
        match what.addr() {
            PARAMETER_BUFFER => from = value.cast(),
            PARAMETER_SIZE => size = get(value.cast::<usize>())?,
            other => {
                return Err(Failed::new(
                    Code::InvalidValue,
                    format!("launches have no extra {other}"),
                ));
            }
        }
    }
    list(from, size)
}

/// The extents of a launch, and its stream.
pub(crate) fn of_config(config: *const LaunchConfig) -> Result<(Extents, *mut c_void), Failed> {
    let config = get(config)?;
    let (mut cluster, mut cooperative) = ([1; 3], false);
    for attribute in list(config.attributes, config.attribute_count as usize)? {
        match attribute.id {
            CLUSTER_DIMENSION => cluster = attribute.values,
            COOPERATIVE => cooperative = attribute.values[0] != 0,
            // Priorities, caches and order between launches change nothing where each is done before the next.
            _ => {}
        }
    }
    let extents = Extents {
        grid: config.grid,
        block: config.block,
        cluster,
        shared: config.shared,
        cooperative,
    };
    Ok((extents, config.stream))
}

/// An attribute of a function (`CUfunction_attribute`).
pub(crate) fn function_attribute(kernel: usize, attribute: c_int) -> Result<c_int, Failed> {
    let (kernel, info) = with(|state| Ok((state.known(kernel)?.clone(), state.settings.sm.info())))?;
    let cluster = |axis: usize| kernel.cluster.map_or(0, |cluster| cluster[axis]);
    let found = match attribute {
        // MAX_THREADS_PER_BLOCK, SHARED_SIZE_BYTES, CONST_SIZE_BYTES, LOCAL_SIZE_BYTES, NUM_REGS, PTX_VERSION, BINARY_VERSION, CACHE_MODE_CA.
        0 => kernel.threads,
        1 => kernel.static_shared,
        2 => kernel.constant,
        3 => kernel.local,
        4 => kernel.registers,
        5 | 6 => info.number.into(),
        7 => 0,
        DYNAMIC_SHARED => kernel.dynamic_limit,
        // PREFERRED_SHARED_MEMORY_CARVEOUT: none is preferred.
        9 => return Ok(-1),
        // CLUSTER_SIZE_MUST_BE_SET, REQUIRED_CLUSTER_WIDTH, _HEIGHT, _DEPTH.
        10 => kernel.cluster.is_some().into(),
        11..=13 => cluster(attribute as usize - 11),
        NON_PORTABLE_CLUSTER => kernel.non_portable_cluster.into(),
        LAST_ATTRIBUTE => 0,
        other => {
            return Err(Failed::new(
                Code::InvalidValue,
                format!("functions have no attribute {other}"),
            ));
        }
    };
    Ok(found as c_int)
}

/// Sets an attribute of a function.
pub(crate) fn set_function_attribute(kernel: usize, attribute: c_int, value: c_int) -> Result<(), Failed> {
    with(|state| {
        let most = state.settings.sm.info().shared.max_per_cta;
        let kernel = state.known_mut(kernel)?;
        let wrong = |reason: String| Err(Failed::new(Code::InvalidValue, format!("{}: {reason}", kernel.name)));
        match attribute {
            DYNAMIC_SHARED => match u32::try_from(value) {
                Ok(bytes) if bytes <= most.saturating_sub(kernel.static_shared) => kernel.dynamic_limit = bytes,
                _ => {
                    return wrong(format!(
                        "{value} bytes of dynamic shared memory beside {}, of {most}",
                        kernel.static_shared
                    ));
                }
            },
            NON_PORTABLE_CLUSTER => kernel.non_portable_cluster = value != 0,
            9 | 11..=13 | LAST_ATTRIBUTE => {}
            other => return wrong(format!("the attribute {other} cannot be set")),
        }
        Ok(())
    })
}

/// CTAs that a multiprocessor holds at once.
pub(crate) fn occupancy(kernel: usize, threads: c_int, dynamic: usize) -> Result<c_int, Failed> {
    let threads = u32::try_from(threads).ok().filter(|threads| *threads > 0);
    let threads = threads.ok_or_else(|| Failed::new(Code::InvalidValue, "a CTA has threads"))?;
    with(|state| Ok(state.occupancy(kernel, threads, dynamic as u64)? as c_int))
}

/// Clusters that the device holds at once.
pub(crate) fn clusters_at_once(kernel: usize, config: *const LaunchConfig) -> Result<c_int, Failed> {
    let (extents, _) = of_config(config)?;
    let ctas: u32 = extents.cluster.iter().product();
    let threads = extents.block.iter().product();
    with(|state| {
        let of_one = state.occupancy(kernel, threads, extents.shared.into())?;
        Ok((of_one * state.settings.multiprocessors / ctas.max(1)) as c_int)
    })
}

/// The largest cluster that a kernel may have.
pub(crate) fn largest_cluster(kernel: usize) -> Result<c_int, Failed> {
    with(|state| {
        let limits = &state.settings.sm.info().occupancy;
        let most = match state.known(kernel)?.non_portable_cluster {
            true => limits.max_cluster_size,
            false => limits.portable_cluster_size,
        };
        Ok(most as c_int)
    })
}

/// Bytes of dynamic shared memory with which a multiprocessor holds so many CTAs.
pub(crate) fn shared_for(kernel: usize, ctas: c_int) -> Result<usize, Failed> {
    let ctas = u32::try_from(ctas).ok().filter(|ctas| *ctas > 0);
    let ctas = ctas.ok_or_else(|| Failed::new(Code::InvalidValue, "there is one CTA at least"))?;
    with(|state| {
        let shared = &state.settings.sm.info().shared;
        let kernel = state.known(kernel)?;
        let unit = shared.allocation_unit.max(1);
        let each = shared.per_sm / ctas / unit * unit;
        let left = each.saturating_sub(shared.reserved_per_cta).min(shared.max_per_cta);
        // No more than a launch may have: what programs have not asked for is not available.
        let available = left.saturating_sub(kernel.static_shared);
        Ok(available.min(kernel.dynamic_limit) as usize)
    })
}

/// The CTA size with the most threads at once, and the fewest CTAs that fill the device. `shared` tells of each size what dynamic memory it needs.
fn best_block(kernel: usize, limit: c_int, shared: impl Fn(c_int) -> usize) -> Result<(c_int, c_int), Failed> {
    let (kernel_limit, warp, count) = with(|state| {
        let settings = &state.settings;
        let warp = settings.sm.info().occupancy.warp_size;
        Ok((state.known(kernel)?.threads, warp, settings.multiprocessors))
    })?;
    let most = u32::try_from(limit)
        .ok()
        .filter(|limit| *limit > 0)
        .unwrap_or(u32::MAX)
        .min(kernel_limit);
    let (mut best, mut resident) = ((0, 0), 0);
    let mut threads = most;
    while threads > 0 {
        let ctas = occupancy(kernel, threads as c_int, shared(threads as c_int))?;
        if ctas as u32 * threads > resident {
            resident = ctas as u32 * threads;
            best = (ctas * count as c_int, threads as c_int);
        }
        threads = (threads - 1) / warp * warp;
    }
    Ok(best)
}

/// A function or kernel whose name is asked for; that of none is an invalid value, where other calls have an invalid handle (cuda-python's tests, on a GPU).
pub(super) fn named(kernel: *mut c_void) -> Result<*mut c_void, Failed> {
    match kernel.is_null() {
        true => Err(Failed::new(Code::InvalidValue, "there is no function to name")),
        false => Ok(kernel),
    }
}

/// The name of a kernel, kept for as long as the program runs, as programs may keep it.
pub(crate) fn kept_name(kernel: &Kernel) -> *const c_char {
    let name = std::ffi::CString::new(kernel.name.as_str()).unwrap_or_default();
    name.into_raw()
}

type SharedOfBlock = Option<extern "system" fn(c_int) -> usize>;

fn put_best(
    grid: *mut c_int,
    block: *mut c_int,
    kernel: *mut c_void,
    shared: SharedOfBlock,
    dynamic: usize,
    limit: c_int,
) -> Result<(), Failed> {
    let (ctas, threads) = best_block(function(kernel)?, limit, |threads| {
        shared.map_or(dynamic, |of| of(threads))
    })?;
    put(grid, ctas)?;
    put(block, threads)
}

/// Gives the place of a variable of a module.
pub(super) fn put_variable(module: usize, name: &str, address: *mut u64, bytes: *mut usize) -> Result<(), Failed> {
    let (start, size) = with(|state| state.variable(module, name))?;
    put_wanted(address, start)?;
    put_wanted(bytes, size as usize)
}

/// Gives the place of a parameter of a kernel.
pub(super) fn put_parameter(kernel: usize, index: usize, offset: *mut usize, bytes: *mut usize) -> Result<(), Failed> {
    let place = with(|state| Ok(state.known(kernel)?.parameters.get(index).copied()))?;
    let (start, size) = place.ok_or_else(|| Failed::silent(Code::InvalidValue))?;
    put(offset, start as usize)?;
    put_wanted(bytes, size as usize)
}

/// What a file holds, as a cubin for the device.
pub(super) fn file(name: *const c_char) -> Result<Cubin, Failed> {
    let name = text(name)?;
    let bytes = std::fs::read(&name).map_err(|error| Failed::new(Code::FileNotFound, format!("{name}: {error}")))?;
    image::of_bytes(&bytes, with(|state| Ok(state.settings.sm))?)
}

exports! { call, address;
    [Context] fn cuModuleLoad(module: *mut *mut c_void, file: *const c_char) {
        load_cubin(module, self::file(file)?)
    }
    [Context] fn cuModuleLoadData(module: *mut *mut c_void, image: *const c_void) { load(module, image) }
    [Context] fn cuModuleLoadFatBinary(module: *mut *mut c_void, image: *const c_void) { load(module, image) }
    [Context] fn cuModuleLoadDataEx(
        module: *mut *mut c_void,
        image: *const c_void,
        _count: c_uint,
        _options: *const c_int,
        _values: *const *mut c_void,
    ) { load(module, image) }
    [Context] fn cuModuleUnload(module: *mut c_void) {
        let module = number(HandleKind::Module, module)?;
        with(|state| state.unload(module))
    }
    [Anywhere] fn cuModuleGetLoadingMode(mode: *mut c_int) { put(mode, 1) }
    [Context] fn cuModuleGetFunction(function: *mut *mut c_void, module: *mut c_void, name: *const c_char) {
        let (module, name) = (number(HandleKind::Module, module)?, text(name)?);
        put(function, handle(HandleKind::Function, with(|state| state.kernel(module, &name))?))
    }
    [Context] fn cuModuleGetFunctionCount(count: *mut c_uint, module: *mut c_void) {
        let module = number(HandleKind::Module, module)?;
        put(count, with(|state| state.kernel_names(module))?.len() as c_uint)
    }
    [Context] fn cuModuleEnumerateFunctions(functions: *mut *mut c_void, count: c_uint, module: *mut c_void) {
        let module = number(HandleKind::Module, module)?;
        let names = with(|state| state.kernel_names(module))?;
        for (index, name) in names.iter().enumerate().take(count as usize) {
            let found = with(|state| state.kernel(module, name))?;
            put(functions.wrapping_add(index), handle(HandleKind::Function, found))?;
        }
        Ok(())
    }
    [Context] fn cuModuleGetGlobal_v2(address: *mut u64, bytes: *mut usize, module: *mut c_void, name: *const c_char) {
        put_variable(number(HandleKind::Module, module)?, &text(name)?, address, bytes)
    }
    [Context] fn cuFuncGetAttribute(value: *mut c_int, attribute: c_int, kernel: *mut c_void) {
        put(value, function_attribute(function(kernel)?, attribute)?)
    }
    [Context] fn cuFuncSetAttribute(kernel: *mut c_void, attribute: c_int, value: c_int) {
        set_function_attribute(function(kernel)?, attribute, value)
    }
    [Context] fn cuFuncSetCacheConfig(kernel: *mut c_void, _config: c_int) {
        let kernel = function(kernel)?;
        with(|state| state.known(kernel).map(|_| ()))
    }
    [Context] fn cuFuncSetSharedMemConfig(kernel: *mut c_void, _config: c_int) {
        let kernel = function(kernel)?;
        with(|state| state.known(kernel).map(|_| ()))
    }
    [Context] fn cuFuncGetModule(module: *mut *mut c_void, kernel: *mut c_void) {
        let kernel = function(kernel)?;
        put(module, handle(HandleKind::Module, with(|state| Ok(state.known(kernel)?.module))?))
    }
    [Context] fn cuFuncGetName(name: *mut *const c_char, kernel: *mut c_void) {
        let kernel = function(named(kernel)?)?;
        put(name, kept_name(&with(|state| state.known(kernel).cloned())?))
    }
    [Context] fn cuFuncGetParamInfo(kernel: *mut c_void, index: usize, offset: *mut usize, bytes: *mut usize) {
        put_parameter(function(kernel)?, index, offset, bytes)
    }
    [Context] fn cuFuncIsLoaded(state: *mut c_int, kernel: *mut c_void) {
        function(kernel)?;
        put(state, 1)
    }
    [Context] fn cuFuncLoad(kernel: *mut c_void) { function(kernel).map(|_| ()) }
    [Context] fn cuOccupancyMaxActiveBlocksPerMultiprocessor(count: *mut c_int, kernel: *mut c_void, threads: c_int, shared: usize) {
        put(count, occupancy(function(kernel)?, threads, shared)?)
    }
    [Context] fn cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        count: *mut c_int,
        kernel: *mut c_void,
        threads: c_int,
        shared: usize,
        _flags: c_uint,
    ) { put(count, occupancy(function(kernel)?, threads, shared)?) }
    [Context] fn cuOccupancyMaxPotentialBlockSize(
        grid: *mut c_int,
        block: *mut c_int,
        kernel: *mut c_void,
        shared: SharedOfBlock,
        dynamic: usize,
        limit: c_int,
    ) { put_best(grid, block, kernel, shared, dynamic, limit) }
    [Context] fn cuOccupancyMaxPotentialBlockSizeWithFlags(
        grid: *mut c_int,
        block: *mut c_int,
        kernel: *mut c_void,
        shared: SharedOfBlock,
        dynamic: usize,
        limit: c_int,
        _flags: c_uint,
    ) { put_best(grid, block, kernel, shared, dynamic, limit) }
    [Context] fn cuOccupancyAvailableDynamicSMemPerBlock(bytes: *mut usize, kernel: *mut c_void, ctas: c_int, _threads: c_int) {
        put(bytes, shared_for(function(kernel)?, ctas)?)
    }
    [Context] fn cuOccupancyMaxActiveClusters(count: *mut c_int, kernel: *mut c_void, config: *const LaunchConfig) {
        put(count, clusters_at_once(function(kernel)?, config)?)
    }
    [Context] fn cuOccupancyMaxPotentialClusterSize(count: *mut c_int, kernel: *mut c_void, _config: *const LaunchConfig) {
        put(count, largest_cluster(function(kernel)?)?)
    }

    [Context cuLaunchKernel_ptsz] fn cuLaunchKernel(
        kernel: *mut c_void,
        grid_x: c_uint,
        grid_y: c_uint,
        grid_z: c_uint,
        block_x: c_uint,
        block_y: c_uint,
        block_z: c_uint,
        shared: c_uint,
        stream: *mut c_void,
        each: *const *const u8,
        extra: *const *const c_void,
    ) {
        let extents = extents([grid_x, grid_y, grid_z], [block_x, block_y, block_z], shared);
        launch_named(kernel, extents, stream, each, extra)
    }
    [Context cuLaunchCooperativeKernel_ptsz] fn cuLaunchCooperativeKernel(
        kernel: *mut c_void,
        grid_x: c_uint,
        grid_y: c_uint,
        grid_z: c_uint,
        block_x: c_uint,
        block_y: c_uint,
        block_z: c_uint,
        shared: c_uint,
        stream: *mut c_void,
        each: *const *const u8,
    ) {
        let extents = extents([grid_x, grid_y, grid_z], [block_x, block_y, block_z], shared);
        launch_named(kernel, Extents { cooperative: true, ..extents }, stream, each, ptr::null())
    }
    [Context cuLaunchKernelEx_ptsz] fn cuLaunchKernelEx(
        config: *const LaunchConfig,
        kernel: *mut c_void,
        each: *const *const u8,
        extra: *const *const c_void,
    ) {
        let (extents, stream) = of_config(config)?;
        launch_named(kernel, extents, stream, each, extra)
    }
    [Context cuLaunchHostFunc_ptsz] fn cuLaunchHostFunc(stream: *mut c_void, function: Option<extern "system" fn(*mut c_void)>, data: *mut c_void) {
        known_stream(stream)?;
        if is_captured(stream)? {
            let function = function.map_or(0, |function| (function as *const c_void).expose_provenance());
            return on_stream(stream, Work::Host { function, data: data.expose_provenance() });
        }
        call_back(function, data)
    }
}

fn extents(grid: [u32; 3], block: [u32; 3], shared: u32) -> Extents {
    Extents {
        grid,
        block,
        cluster: [1; 3],
        shared,
        cooperative: false,
    }
}

/// The bytes of `cudaFuncAttributes`.
pub(crate) fn function_attributes(kernel: usize) -> Result<Vec<u8>, Failed> {
    /// Bytes of the structure.
    const SIZE: usize = 144;
    let (kernel, sm) = with(|state| Ok((state.known(kernel)?.clone(), state.settings.sm)))?;
    let version = u32::from(sm.info().number);
    let [width, height, depth] = kernel.cluster.unwrap_or_default();
    let mut bytes = vec![0; SIZE];
    #[rustfmt::skip]
    let words = [
        // sharedSizeBytes, constSizeBytes, localSizeBytes
        (0, kernel.static_shared), (8, kernel.constant), (16, kernel.local),
        // maxThreadsPerBlock, numRegs, ptxVersion, binaryVersion, maxDynamicSharedSizeBytes, preferredShmemCarveout
        (24, kernel.threads), (28, kernel.registers), (32, version), (36, version), (44, kernel.dynamic_limit), (48, u32::MAX),
        // clusterDimMustBeSet, requiredClusterWidth, -Height, -Depth, nonPortableClusterSizeAllowed
        (52, kernel.cluster.is_some().into()), (56, width), (60, height), (64, depth), (72, kernel.non_portable_cluster.into()),
    ];
    for (offset, value) in words {
        bytes[offset..offset + 4].copy_from_slice(&value.to_le_bytes());
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The sizes and places that the C structures have.
    #[test]
    fn structures_are_laid_out_as_in_c() {
        assert_eq!((size_of::<LaunchAttribute>(), align_of::<LaunchAttribute>()), (72, 8));
        assert_eq!(std::mem::offset_of!(LaunchAttribute, values), 8);
        assert_eq!(size_of::<LaunchConfig>(), 56);
        assert_eq!(std::mem::offset_of!(LaunchConfig, attributes), 40);
    }
}
