//! The driver's functions, each found by its name when it is called first.

use std::ffi::{OsString, c_char, c_int, c_uint, c_void};
use std::path::PathBuf;
use std::sync::OnceLock;

use libloading::Library;

use crate::{Outcome, code};

/// An address in the device's memory.
pub(crate) type Address = u64;

/// The name of the driver's library.
const LIBRARY: &str = "libcuda.so.1";

/// The library, loaded once.
fn library() -> Option<&'static Library> {
    static LOADED: OnceLock<Option<Library>> = OnceLock::new();
    LOADED
        .get_or_init(|| {
            let driver = || [OsString::from(LIBRARY)].into_iter();
            let stand_in = || stand_in().into_iter().map(PathBuf::into_os_string);
            let names: Vec<OsString> = match std::env::var_os("WARPSMITH_GPU").is_some() {
                true => stand_in().chain(driver()).collect(),
                false => driver().chain(stand_in()).collect(),
            };
            // SAFETY: the library is a driver; what it does when it is loaded is what every program with a GPU relies on.
            names.iter().find_map(|name| unsafe { Library::new(name) }.ok())
        })
        .as_ref()
}

/// Where the driver's stand-in is.
fn stand_in() -> Option<PathBuf> {
    if let Some(named) = std::env::var_os("WARPSMITH_DRIVER") {
        return Some(PathBuf::from(named));
    }
    in_cache(LIBRARY)
}

/// Where the compiler leaves links to the libraries that programs load.
pub(crate) fn in_cache(library: &str) -> Option<PathBuf> {
    let cache = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
    let cache = cache.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cache")))?;
    Some(cache.join("warpsmith/lib").join(library))
}

/// The address of a function of the driver.
pub(crate) fn find(name: &str) -> Result<*const c_void, c_int> {
    let library = library().ok_or(code::INSUFFICIENT_DRIVER)?;
    // SAFETY: only the address is taken; who calls it gives it its type.
    let symbol = unsafe { library.get::<*const c_void>(name.as_bytes()) };
    match symbol {
        Ok(symbol) => Ok(*symbol),
        Err(_) => Err(crate::refused::refusal(name)),
    }
}

/// Declares functions of the driver.
macro_rules! functions {
    ($($name:ident($($parameter:ident: $type:ty),* $(,)?);)*) => {$(
        #[allow(clippy::too_many_arguments, reason = "they are the driver's")]
        pub(crate) fn $name($($parameter: $type),*) -> Outcome {
            static FOUND: OnceLock<Result<usize, c_int>> = OnceLock::new();
            let found = *FOUND.get_or_init(|| find(stringify!($name)).map(|address| address.expose_provenance()));
            let address: *const c_void = std::ptr::with_exposed_provenance(found?);
            // SAFETY: the address is that of the driver's function of this name, whose signature this is; the pointers are those that the program gave the runtime
            // for the same purpose, or of values that live through the call.
            let code = unsafe {
                let function: unsafe extern "C" fn($($type),*) -> c_int = std::mem::transmute(address);
                function($($parameter),*)
            };
            if code == 0 { Ok(()) } else { Err(code) }
        }
    )*};
}

functions! {
    cuInit(flags: c_uint);
    cuDriverGetVersion(version: *mut c_int);
    cuDeviceGet(device: *mut c_int, ordinal: c_int);
    cuDeviceGetCount(count: *mut c_int);
    cuDeviceGetName(name: *mut c_char, length: c_int, device: c_int);
    cuDeviceGetUuid_v2(uuid: *mut u8, device: c_int);
    cuDeviceTotalMem_v2(bytes: *mut usize, device: c_int);
    cuDeviceGetAttribute(value: *mut c_int, attribute: c_int, device: c_int);
    cuDeviceGetPCIBusId(identity: *mut c_char, length: c_int, device: c_int);
    cuDeviceGetByPCIBusId(device: *mut c_int, identity: *const c_char);
    cuDeviceCanAccessPeer(can: *mut c_int, device: c_int, peer: c_int);
    cuDeviceGetDefaultMemPool(pool: *mut *mut c_void, device: c_int);
    cuDeviceGetMemPool(pool: *mut *mut c_void, device: c_int);
    cuDeviceSetMemPool(device: c_int, pool: *mut c_void);
    cuDevicePrimaryCtxRetain(context: *mut *mut c_void, device: c_int);
    cuDevicePrimaryCtxReset_v2(device: c_int);
    cuDevicePrimaryCtxSetFlags_v2(device: c_int, flags: c_uint);
    cuDevicePrimaryCtxGetState(device: c_int, flags: *mut c_uint, active: *mut c_int);
    cuCtxGetCurrent(context: *mut *mut c_void);
    cuCtxSetCurrent(context: *mut c_void);
    cuCtxGetDevice(device: *mut c_int);
    cuCtxSynchronize();
    cuCtxSetLimit(limit: c_int, value: usize);
    cuCtxGetLimit(value: *mut usize, limit: c_int);
    cuCtxGetCacheConfig(config: *mut c_int);
    cuCtxSetCacheConfig(config: c_int);
    cuCtxGetStreamPriorityRange(least: *mut c_int, greatest: *mut c_int);
    cuCtxEnablePeerAccess(context: *mut c_void, flags: c_uint);
    cuCtxDisablePeerAccess(context: *mut c_void);
    cuCtxResetPersistingL2Cache();
    cuModuleLoadFatBinary(module: *mut *mut c_void, image: *const c_void);
    cuModuleGetFunction(function: *mut *mut c_void, module: *mut c_void, name: *const c_char);
    cuModuleGetGlobal_v2(address: *mut Address, bytes: *mut usize, module: *mut c_void, name: *const c_char);
    cuLaunchKernel(function: *mut c_void, gx: c_uint, gy: c_uint, gz: c_uint, bx: c_uint, by: c_uint, bz: c_uint, shared: c_uint, stream: *mut c_void, arguments: *const *const u8, extra: *const c_void);
    cuLaunchKernelEx(config: *const c_void, function: *mut c_void, arguments: *const *const u8, extra: *const c_void);
    cuLaunchCooperativeKernel(function: *mut c_void, gx: c_uint, gy: c_uint, gz: c_uint, bx: c_uint, by: c_uint, bz: c_uint, shared: c_uint, stream: *mut c_void, arguments: *const *const u8);
    cuLaunchHostFunc(stream: *mut c_void, function: Option<crate::stream::HostFunction>, data: *mut c_void);
    cuFuncGetAttribute(value: *mut c_int, attribute: c_int, function: *mut c_void);
    cuFuncSetAttribute(function: *mut c_void, attribute: c_int, value: c_int);
    cuFuncSetCacheConfig(function: *mut c_void, config: c_int);
    cuFuncGetName(name: *mut *const c_char, function: *mut c_void);
    cuFuncGetParamInfo(function: *mut c_void, index: usize, offset: *mut usize, bytes: *mut usize);
    cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(count: *mut c_int, function: *mut c_void, threads: c_int, shared: usize, flags: c_uint);
    cuOccupancyAvailableDynamicSMemPerBlock(bytes: *mut usize, function: *mut c_void, blocks: c_int, threads: c_int);
    cuOccupancyMaxPotentialClusterSize(size: *mut c_int, function: *mut c_void, config: *const c_void);
    cuOccupancyMaxActiveClusters(count: *mut c_int, function: *mut c_void, config: *const c_void);
    cuMemGetInfo_v2(free: *mut usize, total: *mut usize);
    cuMemAlloc_v2(address: *mut Address, bytes: usize);
    cuMemFree_v2(address: Address);
    cuMemAllocPitch_v2(address: *mut Address, pitch: *mut usize, width: usize, height: usize, element: c_uint);
    cuMemAllocManaged(address: *mut Address, bytes: usize, flags: c_uint);
    cuMemAllocAsync(address: *mut Address, bytes: usize, stream: *mut c_void);
    cuMemAllocFromPoolAsync(address: *mut Address, bytes: usize, pool: *mut c_void, stream: *mut c_void);
    cuMemFreeAsync(address: Address, stream: *mut c_void);
    cuMemPoolCreate(pool: *mut *mut c_void, properties: *const c_void);
    cuMemPoolDestroy(pool: *mut c_void);
    cuMemPoolTrimTo(pool: *mut c_void, bytes: usize);
    cuMemPoolSetAttribute(pool: *mut c_void, attribute: c_int, value: *mut c_void);
    cuMemPoolGetAttribute(pool: *mut c_void, attribute: c_int, value: *mut c_void);
    cuMemPoolSetAccess(pool: *mut c_void, list: *const c_void, count: usize);
    cuMemHostAlloc(pointer: *mut *mut c_void, bytes: usize, flags: c_uint);
    cuMemFreeHost(pointer: *mut c_void);
    cuMemHostRegister_v2(pointer: *mut c_void, bytes: usize, flags: c_uint);
    cuMemHostUnregister(pointer: *mut c_void);
    cuMemHostGetDevicePointer_v2(address: *mut Address, pointer: *mut c_void, flags: c_uint);
    cuMemHostGetFlags(flags: *mut c_uint, pointer: *mut c_void);
    cuMemPrefetchAsync_v2(address: Address, bytes: usize, location: crate::memory::Location, flags: c_uint, stream: *mut c_void);
    cuMemAdvise_v2(address: Address, bytes: usize, advice: c_int, location: crate::memory::Location);
    cuMemRangeGetAttribute(data: *mut c_void, size: usize, attribute: c_int, address: Address, bytes: usize);
    cuPointerGetAttribute(data: *mut c_void, attribute: c_int, address: Address);
    cuMemcpy(to: Address, from: Address, bytes: usize);
    cuMemcpyAsync(to: Address, from: Address, bytes: usize, stream: *mut c_void);
    cuMemcpyHtoD_v2(to: Address, from: *const c_void, bytes: usize);
    cuMemcpyDtoH_v2(to: *mut c_void, from: Address, bytes: usize);
    cuMemcpyDtoD_v2(to: Address, from: Address, bytes: usize);
    cuMemcpyHtoDAsync_v2(to: Address, from: *const c_void, bytes: usize, stream: *mut c_void);
    cuMemcpyDtoHAsync_v2(to: *mut c_void, from: Address, bytes: usize, stream: *mut c_void);
    cuMemcpyDtoDAsync_v2(to: Address, from: Address, bytes: usize, stream: *mut c_void);
    cuMemcpy2DUnaligned_v2(copy: *const crate::memory::Copy2D);
    cuMemcpy2DAsync_v2(copy: *const crate::memory::Copy2D, stream: *mut c_void);
    cuMemcpy3D_v2(copy: *const crate::memory::Copy3D);
    cuMemcpy3DAsync_v2(copy: *const crate::memory::Copy3D, stream: *mut c_void);
    cuArray3DCreate_v2(array: *mut *mut c_void, description: *const crate::array::Description);
    cuArray3DGetDescriptor_v2(description: *mut crate::array::Description, array: *mut c_void);
    cuArrayDestroy(array: *mut c_void);
    cuMipmappedArrayCreate(array: *mut *mut c_void, description: *const crate::array::Description, levels: c_uint);
    cuMipmappedArrayGetLevel(array: *mut *mut c_void, of: *mut c_void, level: c_uint);
    cuMipmappedArrayDestroy(array: *mut c_void);
    cuTexObjectCreate(texture: *mut u64, resource: *const u64, description: *const crate::array::DriversTexture, view: *const c_void);
    cuTexObjectDestroy(texture: u64);
    cuSurfObjectCreate(surface: *mut u64, resource: *const u64);
    cuSurfObjectDestroy(surface: u64);
    cuMemsetD8_v2(to: Address, value: u8, bytes: usize);
    cuMemsetD8Async(to: Address, value: u8, bytes: usize, stream: *mut c_void);
    cuMemsetD2D8_v2(to: Address, pitch: usize, value: u8, width: usize, height: usize);
    cuStreamCreateWithPriority(stream: *mut *mut c_void, flags: c_uint, priority: c_int);
    cuStreamDestroy_v2(stream: *mut c_void);
    cuStreamSynchronize(stream: *mut c_void);
    cuStreamQuery(stream: *mut c_void);
    cuStreamWaitEvent(stream: *mut c_void, event: *mut c_void, flags: c_uint);
    cuStreamAddCallback(stream: *mut c_void, callback: Option<crate::stream::Callback>, data: *mut c_void, flags: c_uint);
    cuStreamAttachMemAsync(stream: *mut c_void, address: Address, bytes: usize, flags: c_uint);
    cuStreamGetFlags(stream: *mut c_void, flags: *mut c_uint);
    cuStreamGetPriority(stream: *mut c_void, priority: *mut c_int);
    cuStreamGetId(stream: *mut c_void, id: *mut u64);
    cuStreamIsCapturing(stream: *mut c_void, status: *mut c_int);
    cuGraphCreate(graph: *mut *mut c_void, flags: c_uint);
    cuGraphDestroy(graph: *mut c_void);
    cuGraphClone(copy: *mut *mut c_void, graph: *mut c_void);
    cuGraphNodeFindInClone(node: *mut *mut c_void, of: *mut c_void, copy: *mut c_void);
    cuGraphAddKernelNode_v2(node: *mut *mut c_void, graph: *mut c_void, after: *const *mut c_void, count: usize, parameters: *const crate::graph::DriversKernel);
    cuGraphAddNode_v2(node: *mut *mut c_void, graph: *mut c_void, after: *const *mut c_void, edges: *const c_void, count: usize, parameters: *mut crate::graph::NodeParameters);
    cuGraphConditionalHandleCreate(handle: *mut u64, graph: *mut c_void, context: *mut c_void, value: c_uint, flags: c_uint);
    cuGraphAddMemcpyNode(node: *mut *mut c_void, graph: *mut c_void, after: *const *mut c_void, count: usize, copy: *const crate::memory::Copy3D, context: *mut c_void);
    cuGraphAddMemsetNode(node: *mut *mut c_void, graph: *mut c_void, after: *const *mut c_void, count: usize, parameters: *const crate::graph::FillParameters, context: *mut c_void);
    cuGraphAddHostNode(node: *mut *mut c_void, graph: *mut c_void, after: *const *mut c_void, count: usize, parameters: *const crate::graph::HostParameters);
    cuGraphAddEmptyNode(node: *mut *mut c_void, graph: *mut c_void, after: *const *mut c_void, count: usize);
    cuGraphAddChildGraphNode(node: *mut *mut c_void, graph: *mut c_void, after: *const *mut c_void, count: usize, child: *mut c_void);
    cuGraphAddEventRecordNode(node: *mut *mut c_void, graph: *mut c_void, after: *const *mut c_void, count: usize, event: *mut c_void);
    cuGraphAddEventWaitNode(node: *mut *mut c_void, graph: *mut c_void, after: *const *mut c_void, count: usize, event: *mut c_void);
    cuGraphAddMemAllocNode(node: *mut *mut c_void, graph: *mut c_void, after: *const *mut c_void, count: usize, parameters: *mut crate::graph::AllocationParameters);
    cuGraphAddMemFreeNode(node: *mut *mut c_void, graph: *mut c_void, after: *const *mut c_void, count: usize, address: Address);
    cuGraphAddDependencies_v2(graph: *mut c_void, from: *const *mut c_void, to: *const *mut c_void, edges: *const c_void, count: usize);
    cuDeviceGetGraphMemAttribute(device: c_int, attribute: c_int, value: *mut c_void);
    cuDeviceSetGraphMemAttribute(device: c_int, attribute: c_int, value: *mut c_void);
    cuDeviceGraphMemTrim(device: c_int);
    cuGraphDestroyNode(node: *mut c_void);
    cuGraphGetNodes(graph: *mut c_void, nodes: *mut *mut c_void, count: *mut usize);
    cuGraphGetRootNodes(graph: *mut c_void, nodes: *mut *mut c_void, count: *mut usize);
    cuGraphNodeGetDependencies_v2(node: *mut c_void, nodes: *mut *mut c_void, edges: *mut c_void, count: *mut usize);
    cuGraphNodeGetType(node: *mut c_void, kind: *mut c_int);
    cuGraphKernelNodeSetParams_v2(node: *mut c_void, parameters: *const crate::graph::DriversKernel);
    cuGraphMemcpyNodeSetParams(node: *mut c_void, copy: *const crate::memory::Copy3D);
    cuGraphMemsetNodeSetParams(node: *mut c_void, parameters: *const crate::graph::FillParameters);
    cuGraphHostNodeSetParams(node: *mut c_void, parameters: *const crate::graph::HostParameters);
    cuGraphExecKernelNodeSetParams_v2(executable: *mut c_void, node: *mut c_void, parameters: *const crate::graph::DriversKernel);
    cuGraphExecMemcpyNodeSetParams(executable: *mut c_void, node: *mut c_void, copy: *const crate::memory::Copy3D, context: *mut c_void);
    cuGraphExecMemsetNodeSetParams(executable: *mut c_void, node: *mut c_void, parameters: *const crate::graph::FillParameters, context: *mut c_void);
    cuGraphExecHostNodeSetParams(executable: *mut c_void, node: *mut c_void, parameters: *const crate::graph::HostParameters);
    cuGraphInstantiateWithFlags(executable: *mut *mut c_void, graph: *mut c_void, flags: u64);
    cuGraphExecDestroy(executable: *mut c_void);
    cuGraphExecUpdate_v2(executable: *mut c_void, graph: *mut c_void, info: *mut c_void);
    cuGraphInstantiateWithParams(executable: *mut *mut c_void, graph: *mut c_void, parameters: *mut c_void);
    cuGraphExecGetFlags(executable: *mut c_void, flags: *mut u64);
    cuGraphGetEdges_v2(graph: *mut c_void, from: *mut *mut c_void, to: *mut *mut c_void, data: *mut c_void, count: *mut usize);
    cuGraphNodeGetDependentNodes_v2(node: *mut c_void, nodes: *mut *mut c_void, data: *mut c_void, count: *mut usize);
    cuGraphRemoveDependencies_v2(graph: *mut c_void, from: *const *mut c_void, to: *const *mut c_void, edges: *const c_void, count: usize);
    cuGraphNodeSetEnabled(executable: *mut c_void, node: *mut c_void, on: c_uint);
    cuGraphNodeGetEnabled(executable: *mut c_void, node: *mut c_void, on: *mut c_uint);
    cuGraphMemsetNodeGetParams(node: *mut c_void, parameters: *mut crate::graph::FillParameters);
    cuGraphHostNodeGetParams(node: *mut c_void, parameters: *mut crate::graph::HostParameters);
    cuGraphEventRecordNodeGetEvent(node: *mut c_void, event: *mut *mut c_void);
    cuGraphEventWaitNodeGetEvent(node: *mut c_void, event: *mut *mut c_void);
    cuGraphEventRecordNodeSetEvent(node: *mut c_void, event: *mut c_void);
    cuGraphEventWaitNodeSetEvent(node: *mut c_void, event: *mut c_void);
    cuGraphExecEventRecordNodeSetEvent(executable: *mut c_void, node: *mut c_void, event: *mut c_void);
    cuGraphExecEventWaitNodeSetEvent(executable: *mut c_void, node: *mut c_void, event: *mut c_void);
    cuGraphExecChildGraphNodeSetParams(executable: *mut c_void, node: *mut c_void, child: *mut c_void);
    cuUserObjectCreate(object: *mut *mut c_void, data: *mut c_void, destroy: *const c_void, count: c_uint, flags: c_uint);
    cuUserObjectRetain(object: *mut c_void, count: c_uint);
    cuUserObjectRelease(object: *mut c_void, count: c_uint);
    cuGraphRetainUserObject(graph: *mut c_void, object: *mut c_void, count: c_uint, flags: c_uint);
    cuGraphReleaseUserObject(graph: *mut c_void, object: *mut c_void, count: c_uint);
    cuGraphUpload(executable: *mut c_void, stream: *mut c_void);
    cuGraphLaunch(executable: *mut c_void, stream: *mut c_void);
    cuStreamBeginCapture_v2(stream: *mut c_void, mode: c_int);
    cuStreamBeginCaptureToGraph(stream: *mut c_void, graph: *mut c_void, after: *const *mut c_void, edges: *const c_void, count: usize, mode: c_int);
    cuStreamEndCapture(stream: *mut c_void, graph: *mut *mut c_void);
    cuStreamGetCaptureInfo_v3(stream: *mut c_void, status: *mut c_int, id: *mut u64, graph: *mut *mut c_void, nodes: *mut *const *mut c_void, edges: *mut *const c_void, count: *mut usize);
    cuStreamUpdateCaptureDependencies_v2(stream: *mut c_void, nodes: *const *mut c_void, edges: *const c_void, count: usize, flags: c_uint);
    cuThreadExchangeStreamCaptureMode(mode: *mut c_int);
    cuEventCreate(event: *mut *mut c_void, flags: c_uint);
    cuIpcGetMemHandle(handle: *mut crate::memory::ProcessHandle, address: Address);
    cuIpcOpenMemHandle_v2(address: *mut Address, handle: crate::memory::ProcessHandle, flags: c_uint);
    cuIpcCloseMemHandle(address: Address);
    cuIpcGetEventHandle(handle: *mut crate::memory::ProcessHandle, event: *mut c_void);
    cuIpcOpenEventHandle(event: *mut *mut c_void, handle: crate::memory::ProcessHandle);
    cuEventDestroy_v2(event: *mut c_void);
    cuEventRecordWithFlags(event: *mut c_void, stream: *mut c_void, flags: c_uint);
    cuEventSynchronize(event: *mut c_void);
    cuEventQuery(event: *mut c_void);
    cuEventElapsedTime(milliseconds: *mut f32, start: *mut c_void, end: *mut c_void);
    cuGetProcAddress_v2(name: *const c_char, function: *mut *mut c_void, version: c_int, flags: u64, status: *mut c_int);
    cuLibraryLoadData(library: *mut *mut c_void, image: *const c_void, jit: *const c_void, jit_values: *const c_void, jit_count: c_uint, options: *const c_void, values: *const c_void, count: c_uint);
    cuLibraryLoadFromFile(library: *mut *mut c_void, file: *const c_char, jit: *const c_void, jit_values: *const c_void, jit_count: c_uint, options: *const c_void, values: *const c_void, count: c_uint);
    cuLibraryUnload(library: *mut c_void);
    cuLibraryGetKernel(kernel: *mut *mut c_void, library: *mut c_void, name: *const c_char);
    cuLibraryGetKernelCount(count: *mut c_uint, library: *mut c_void);
    cuLibraryEnumerateKernels(kernels: *mut *mut c_void, count: c_uint, library: *mut c_void);
    cuLibraryGetGlobal(address: *mut *mut c_void, bytes: *mut usize, library: *mut c_void, name: *const c_char);
    cuLibraryGetManaged(address: *mut *mut c_void, bytes: *mut usize, library: *mut c_void, name: *const c_char);
    cuKernelSetAttribute(attribute: c_int, value: c_int, kernel: *mut c_void, device: c_int);
    cuKernelGetFunction(function: *mut *mut c_void, kernel: *mut c_void);
    cuGraphChildGraphNodeGetGraph(node: *mut c_void, graph: *mut *mut c_void);
    cuGraphDebugDotPrint(graph: *mut c_void, file: *const c_char, flags: c_uint);
    cuGraphKernelNodeGetParams_v2(node: *mut c_void, parameters: *mut crate::graph::DriversKernel);
    cuGraphKernelNodeGetAttribute(node: *mut c_void, attribute: c_int, value: *mut c_void);
    cuGraphKernelNodeSetAttribute(node: *mut c_void, attribute: c_int, value: *const c_void);
    cuGraphKernelNodeCopyAttributes(to: *mut c_void, from: *mut c_void);
    cuGraphMemcpyNodeGetParams(node: *mut c_void, copy: *mut crate::memory::Copy3D);
    cuGraphMemAllocNodeGetParams(node: *mut c_void, parameters: *mut crate::graph::AllocationParameters);
    cuGraphMemFreeNodeGetParams(node: *mut c_void, address: *mut Address);
    cuGraphNodeSetParams(node: *mut c_void, parameters: *mut crate::graph::NodeParameters);
    cuGraphExecNodeSetParams(executable: *mut c_void, node: *mut c_void, parameters: *mut crate::graph::NodeParameters);
    cuStreamGetAttribute(stream: *mut c_void, attribute: c_int, value: *mut c_void);
    cuStreamSetAttribute(stream: *mut c_void, attribute: c_int, value: *const c_void);
    cuStreamCopyAttributes(to: *mut c_void, from: *mut c_void);
    cuMemRangeGetAttributes(data: *mut *mut c_void, sizes: *mut usize, attributes: *mut c_int, count: usize, address: Address, bytes: usize);
    cuMemcpyBatchAsync_v2(to: *const Address, from: *const Address, sizes: *const usize, count: usize, attributes: *const c_void, starts: *const usize, of_attributes: usize, stream: *mut c_void);
    cuMemPrefetchBatchAsync(addresses: *const Address, sizes: *const usize, count: usize, places: *const c_void, starts: *const usize, of_places: usize, flags: u64, stream: *mut c_void);
    cuMemDiscardBatchAsync(addresses: *const Address, sizes: *const usize, count: usize, flags: u64, stream: *mut c_void);
    cuMemDiscardAndPrefetchBatchAsync(addresses: *const Address, sizes: *const usize, count: usize, places: *const c_void, starts: *const usize, of_places: usize, flags: u64, stream: *mut c_void);
    cuMemGetDefaultMemPool(pool: *mut *mut c_void, place: *const c_void, kind: c_int);
    cuMemGetMemPool(pool: *mut *mut c_void, place: *const c_void, kind: c_int);
    cuMemSetMemPool(place: *const c_void, kind: c_int, pool: *mut c_void);
    cuMemPoolGetAccess(flags: *mut c_int, pool: *mut c_void, place: *const c_void);
    cuDeviceGetP2PAttribute(value: *mut c_int, attribute: c_int, from: c_int, to: c_int);
    cuProfilerStart();
    cuProfilerStop();
}
