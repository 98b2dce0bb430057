//! Graphs, and streams that are captured into one.

use std::ffi::{c_char, c_int, c_uint, c_void};
use std::ptr;

use crate::ByName as _;
use crate::launch::Dimensions;
use crate::memory::{Copy3D, Parameters3D, bytes, given_slices, in_variable, slices};
use crate::registry::{function, stub_of};
use crate::stream::HostFunction;
use crate::{Outcome, Stream, code, driver, exports, put};

/// `cudaKernelNodeParams`.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct KernelParameters {
    stub: *const c_void,
    grid: Dimensions,
    block: Dimensions,
    shared: c_uint,
    each: *mut *mut c_void,
    extra: *mut *mut c_void,
}

/// `CUDA_KERNEL_NODE_PARAMS`.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct DriversKernel {
    function: *mut c_void,
    grid: Dimensions,
    block: Dimensions,
    shared: c_uint,
    each: *mut *mut c_void,
    extra: *mut *mut c_void,
    kernel: *mut c_void,
    context: *mut c_void,
}

/// `cudaMemsetParams`, and the driver's.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct FillParameters {
    to: *mut c_void,
    pitch: usize,
    value: c_uint,
    element: c_uint,
    width: usize,
    height: usize,
}

/// `cudaHostNodeParams`, and the driver's.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct HostParameters {
    call: Option<HostFunction>,
    data: *mut c_void,
}

/// `cudaMemAllocNodeParams`, and the driver's.
#[repr(C)]
pub(crate) struct AllocationParameters {
    pool: [u64; 11],
    access: *const c_void,
    access_count: usize,
    bytes: usize,
    address: *mut c_void,
}

/// `cudaGraphNodeParams`, and the driver's: the type of a node, and what the type says of it.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct NodeParameters {
    kind: c_int,
    reserved: [c_int; 3],
    of_kind: OfKind,
    reserved_2: u64,
}

/// What the type of a node says, as far as the driver says it otherwise.
#[derive(Clone, Copy)]
#[repr(C)]
union OfKind {
    words: [u64; 29],
    kernel: KernelParameters,
    drivers_kernel: DriversKernel,
    copy: CopyParameters,
    drivers_copy: DriversCopy,
    fill: DriversFill,
    choice: DriversChoice,
}

/// `cudaMemcpyNodeParams`.
#[derive(Clone, Copy)]
#[repr(C)]
struct CopyParameters {
    flags: [c_int; 4],
    copy: Parameters3D,
}

/// `CUDA_MEMCPY_NODE_PARAMS`.
#[derive(Clone, Copy)]
#[repr(C)]
struct DriversCopy {
    flags: [c_int; 2],
    context: *mut c_void,
    copy: Copy3D,
}

/// `CUDA_MEMSET_NODE_PARAMS_v2`.
#[derive(Clone, Copy)]
#[repr(C)]
struct DriversFill {
    fill: FillParameters,
    context: *mut c_void,
}

/// `CUDA_CONDITIONAL_NODE_PARAMS`.
#[derive(Clone, Copy)]
#[repr(C)]
struct DriversChoice {
    handle: u64,
    kind: c_int,
    count: c_uint,
    graphs: *mut *mut c_void,
    context: *mut c_void,
}

/// A node's parameters in the driver's form.
fn of_driver(parameters: &NodeParameters) -> Result<NodeParameters, c_int> {
    let mut made = *parameters;
    // SAFETY: every bit pattern is one of each of these types, and the type of the node says which is meant.
    unsafe {
        match made.kind {
            0 => {
                let drivers_kernel = kernel(&made.of_kind.kernel)?;
                made.of_kind = OfKind { words: [0; 29] };
                made.of_kind.drivers_kernel = drivers_kernel;
            }
            1 => {
                let copy = slices(&made.of_kind.copy.copy)?;
                made.of_kind = OfKind { words: [0; 29] };
                made.of_kind.drivers_copy = DriversCopy {
                    flags: [0; 2],
                    context: current()?,
                    copy,
                };
            }
            2 => made.of_kind.fill.context = current()?,
            13 => made.of_kind.choice.context = current()?,
            _ => {}
        }
    }
    Ok(made)
}

/// Adds a node of any type. Of a conditional one the program is told the graphs.
fn add_node(
    node: *mut *mut c_void,
    graph: *mut c_void,
    after: Nodes,
    edges: *const c_void,
    count: usize,
    parameters: *mut NodeParameters,
) -> Outcome {
    let own = given(parameters.cast_const())?;
    let mut made = of_driver(&own)?;
    driver::cuGraphAddNode_v2(node, graph, after, edges, count, &mut made)?;
    if own.kind == 13 {
        // SAFETY: the type of the node says so, and the caller gives its structure.
        unsafe { (*parameters).of_kind.choice.graphs = made.of_kind.choice.graphs };
    }
    Ok(())
}

fn given<T: Copy>(from: *const T) -> Result<T, c_int> {
    if from.is_null() {
        return Err(code::INVALID_VALUE);
    }
    // SAFETY: the caller of the runtime gives its structure.
    Ok(unsafe { from.read() })
}

fn kernel(parameters: *const KernelParameters) -> Result<DriversKernel, c_int> {
    let given = given(parameters)?;
    Ok(DriversKernel {
        function: function(given.stub)?,
        grid: given.grid,
        block: given.block,
        shared: given.shared,
        each: given.each,
        extra: given.extra,
        kernel: ptr::null_mut(),
        context: ptr::null_mut(),
    })
}

/// The parameters of a kernel node, with the stub of its kernel where it has one.
fn kernel_of(node: *mut c_void) -> Result<KernelParameters, c_int> {
    let none = Dimensions::default();
    let mut asked = DriversKernel {
        function: ptr::null_mut(),
        grid: none,
        block: none,
        shared: 0,
        each: ptr::null_mut(),
        extra: ptr::null_mut(),
        kernel: ptr::null_mut(),
        context: ptr::null_mut(),
    };
    driver::cuGraphKernelNodeGetParams_v2(node, &mut asked)?;
    Ok(KernelParameters {
        stub: match asked.function.is_null() {
            true => asked.kernel,
            false => stub_of(asked.function),
        },
        grid: asked.grid,
        block: asked.block,
        shared: asked.shared,
        each: asked.each,
        extra: asked.extra,
    })
}

/// The context that nodes of copies work in.
fn current() -> Result<*mut c_void, c_int> {
    let mut context = ptr::null_mut();
    driver::cuCtxGetCurrent(&mut context)?;
    Ok(context)
}

/// The graph nodes and dependencies of a call, which the driver takes as they are.
type Nodes = *const *mut c_void;

fn add_copy(node: *mut *mut c_void, graph: *mut c_void, after: Nodes, count: usize, copy: &Copy3D) -> Outcome {
    driver::cuGraphAddMemcpyNode(node, graph, after, count, copy, current()?)
}

exports! {
    [context] fn cudaGraphCreate(graph: *mut *mut c_void, flags: c_uint) { driver::cuGraphCreate(graph, flags) }
    [context] fn cudaGraphDestroy(graph: *mut c_void) { driver::cuGraphDestroy(graph) }
    [context] fn cudaGraphClone(copy: *mut *mut c_void, graph: *mut c_void) { driver::cuGraphClone(copy, graph) }
    [context] fn cudaGraphNodeFindInClone(node: *mut *mut c_void, of: *mut c_void, copy: *mut c_void) { driver::cuGraphNodeFindInClone(node, of, copy) }
    [context] fn cudaGraphAddKernelNode(node: *mut *mut c_void, graph: *mut c_void, after: Nodes, count: usize, parameters: *const KernelParameters) {
        driver::cuGraphAddKernelNode_v2(node, graph, after, count, &kernel(parameters)?)
    }
    [context] fn cudaGraphAddNode(node: *mut *mut c_void, graph: *mut c_void, after: Nodes, edges: *const c_void, count: usize, parameters: *mut NodeParameters) {
        add_node(node, graph, after, edges, count, parameters)
    }
    [context] fn cudaGraphConditionalHandleCreate(handle: *mut u64, graph: *mut c_void, value: c_uint, flags: c_uint) {
        driver::cuGraphConditionalHandleCreate(handle, graph, current()?, value, flags)
    }
    [context] fn cudaGraphAddMemcpyNode(node: *mut *mut c_void, graph: *mut c_void, after: Nodes, count: usize, parameters: *const Parameters3D) {
        add_copy(node, graph, after, count, &slices(parameters)?)
    }
    [context] fn cudaGraphAddMemcpyNode1D(node: *mut *mut c_void, graph: *mut c_void, after: Nodes, count: usize, to: *mut c_void, from: *const c_void, size: usize, kind: c_int) {
        add_copy(node, graph, after, count, &bytes(to, from, size, kind)?)
    }
    [context] fn cudaGraphAddMemcpyNodeToSymbol(node: *mut *mut c_void, graph: *mut c_void, after: Nodes, count: usize, symbol: *const c_void, from: *const c_void, size: usize, offset: usize, kind: c_int) {
        add_copy(node, graph, after, count, &bytes(in_variable(symbol, size, offset)?, from, size, kind)?)
    }
    [context] fn cudaGraphAddMemcpyNodeFromSymbol(node: *mut *mut c_void, graph: *mut c_void, after: Nodes, count: usize, to: *mut c_void, symbol: *const c_void, size: usize, offset: usize, kind: c_int) {
        add_copy(node, graph, after, count, &bytes(to, in_variable(symbol, size, offset)?, size, kind)?)
    }
    [context] fn cudaGraphAddMemsetNode(node: *mut *mut c_void, graph: *mut c_void, after: Nodes, count: usize, parameters: *const FillParameters) {
        driver::cuGraphAddMemsetNode(node, graph, after, count, parameters, current()?)
    }
    [context] fn cudaGraphAddHostNode(node: *mut *mut c_void, graph: *mut c_void, after: Nodes, count: usize, parameters: *const HostParameters) {
        driver::cuGraphAddHostNode(node, graph, after, count, parameters)
    }
    [context] fn cudaGraphAddEmptyNode(node: *mut *mut c_void, graph: *mut c_void, after: Nodes, count: usize) { driver::cuGraphAddEmptyNode(node, graph, after, count) }
    [context] fn cudaGraphAddChildGraphNode(node: *mut *mut c_void, graph: *mut c_void, after: Nodes, count: usize, child: *mut c_void) {
        driver::cuGraphAddChildGraphNode(node, graph, after, count, child)
    }
    [context] fn cudaGraphAddEventRecordNode(node: *mut *mut c_void, graph: *mut c_void, after: Nodes, count: usize, event: *mut c_void) {
        driver::cuGraphAddEventRecordNode(node, graph, after, count, event)
    }
    [context] fn cudaGraphAddEventWaitNode(node: *mut *mut c_void, graph: *mut c_void, after: Nodes, count: usize, event: *mut c_void) {
        driver::cuGraphAddEventWaitNode(node, graph, after, count, event)
    }
    [context] fn cudaGraphAddMemAllocNode(node: *mut *mut c_void, graph: *mut c_void, after: Nodes, count: usize, parameters: *mut AllocationParameters) {
        driver::cuGraphAddMemAllocNode(node, graph, after, count, parameters)
    }
    [context] fn cudaGraphAddMemFreeNode(node: *mut *mut c_void, graph: *mut c_void, after: Nodes, count: usize, start: *mut c_void) {
        driver::cuGraphAddMemFreeNode(node, graph, after, count, start.expose_provenance() as u64)
    }
    [context] fn cudaGraphAddDependencies(graph: *mut c_void, from: Nodes, to: Nodes, edges: *const c_void, count: usize) { driver::cuGraphAddDependencies_v2(graph, from, to, edges, count) }
    [context] fn cudaDeviceGetGraphMemAttribute(device: c_int, attribute: c_int, value: *mut c_void) { driver::cuDeviceGetGraphMemAttribute(device, attribute, value) }
    [context] fn cudaDeviceSetGraphMemAttribute(device: c_int, attribute: c_int, value: *mut c_void) { driver::cuDeviceSetGraphMemAttribute(device, attribute, value) }
    [context] fn cudaDeviceGraphMemTrim(device: c_int) { driver::cuDeviceGraphMemTrim(device) }
    [context] fn cudaGraphDestroyNode(node: *mut c_void) { driver::cuGraphDestroyNode(node) }
    [context] fn cudaGraphGetNodes(graph: *mut c_void, nodes: *mut *mut c_void, count: *mut usize) { driver::cuGraphGetNodes(graph, nodes, count) }
    [context] fn cudaGraphGetRootNodes(graph: *mut c_void, nodes: *mut *mut c_void, count: *mut usize) { driver::cuGraphGetRootNodes(graph, nodes, count) }
    [context] fn cudaGraphNodeGetDependencies(node: *mut c_void, nodes: *mut *mut c_void, edges: *mut c_void, count: *mut usize) { driver::cuGraphNodeGetDependencies_v2(node, nodes, edges, count) }
    [context] fn cudaGraphNodeGetType(node: *mut c_void, kind: *mut c_int) { driver::cuGraphNodeGetType(node, kind) }
    [context] fn cudaGraphKernelNodeSetParams(node: *mut c_void, parameters: *const KernelParameters) { driver::cuGraphKernelNodeSetParams_v2(node, &kernel(parameters)?) }
    [context] fn cudaGraphMemcpyNodeSetParams(node: *mut c_void, parameters: *const Parameters3D) { driver::cuGraphMemcpyNodeSetParams(node, &slices(parameters)?) }
    [context] fn cudaGraphMemcpyNodeSetParams1D(node: *mut c_void, to: *mut c_void, from: *const c_void, size: usize, kind: c_int) {
        driver::cuGraphMemcpyNodeSetParams(node, &bytes(to, from, size, kind)?)
    }
    [context] fn cudaGraphMemsetNodeSetParams(node: *mut c_void, parameters: *const FillParameters) { driver::cuGraphMemsetNodeSetParams(node, parameters) }
    [context] fn cudaGraphHostNodeSetParams(node: *mut c_void, parameters: *const HostParameters) { driver::cuGraphHostNodeSetParams(node, parameters) }
    [context] fn cudaGraphExecKernelNodeSetParams(executable: *mut c_void, node: *mut c_void, parameters: *const KernelParameters) {
        driver::cuGraphExecKernelNodeSetParams_v2(executable, node, &kernel(parameters)?)
    }
    [context] fn cudaGraphExecMemcpyNodeSetParams(executable: *mut c_void, node: *mut c_void, parameters: *const Parameters3D) {
        driver::cuGraphExecMemcpyNodeSetParams(executable, node, &slices(parameters)?, current()?)
    }
    [context] fn cudaGraphExecMemcpyNodeSetParams1D(executable: *mut c_void, node: *mut c_void, to: *mut c_void, from: *const c_void, size: usize, kind: c_int) {
        driver::cuGraphExecMemcpyNodeSetParams(executable, node, &bytes(to, from, size, kind)?, current()?)
    }
    [context] fn cudaGraphExecMemsetNodeSetParams(executable: *mut c_void, node: *mut c_void, parameters: *const FillParameters) {
        driver::cuGraphExecMemsetNodeSetParams(executable, node, parameters, current()?)
    }
    [context] fn cudaGraphExecHostNodeSetParams(executable: *mut c_void, node: *mut c_void, parameters: *const HostParameters) {
        driver::cuGraphExecHostNodeSetParams(executable, node, parameters)
    }
    [context] fn cudaGraphInstantiate(executable: *mut *mut c_void, graph: *mut c_void, flags: u64) { driver::cuGraphInstantiateWithFlags(executable, graph, flags) }
    [context] fn cudaGraphInstantiateWithFlags(executable: *mut *mut c_void, graph: *mut c_void, flags: u64) { driver::cuGraphInstantiateWithFlags(executable, graph, flags) }
    [context cudaGraphInstantiateWithParams_ptsz] fn cudaGraphInstantiateWithParams(executable: *mut *mut c_void, graph: *mut c_void, parameters: *mut c_void) {
        driver::cuGraphInstantiateWithParams(executable, graph, parameters)
    }
    [context] fn cudaGraphExecGetFlags(executable: *mut c_void, flags: *mut u64) { driver::cuGraphExecGetFlags(executable, flags) }
    [context] fn cudaGraphGetEdges(graph: *mut c_void, from: *mut *mut c_void, to: *mut *mut c_void, data: *mut c_void, count: *mut usize) {
        driver::cuGraphGetEdges_v2(graph, from, to, data, count)
    }
    [context] fn cudaGraphNodeGetDependentNodes(node: *mut c_void, nodes: *mut *mut c_void, data: *mut c_void, count: *mut usize) {
        driver::cuGraphNodeGetDependentNodes_v2(node, nodes, data, count)
    }
    [context] fn cudaGraphRemoveDependencies(graph: *mut c_void, from: Nodes, to: Nodes, edges: *const c_void, count: usize) {
        driver::cuGraphRemoveDependencies_v2(graph, from, to, edges, count)
    }
    [context] fn cudaGraphNodeSetEnabled(executable: *mut c_void, node: *mut c_void, on: c_uint) { driver::cuGraphNodeSetEnabled(executable, node, on) }
    [context] fn cudaGraphNodeGetEnabled(executable: *mut c_void, node: *mut c_void, on: *mut c_uint) { driver::cuGraphNodeGetEnabled(executable, node, on) }
    [context] fn cudaGraphMemsetNodeGetParams(node: *mut c_void, parameters: *mut FillParameters) { driver::cuGraphMemsetNodeGetParams(node, parameters) }
    [context] fn cudaGraphHostNodeGetParams(node: *mut c_void, parameters: *mut HostParameters) { driver::cuGraphHostNodeGetParams(node, parameters) }
    [context] fn cudaGraphEventRecordNodeGetEvent(node: *mut c_void, event: *mut *mut c_void) { driver::cuGraphEventRecordNodeGetEvent(node, event) }
    [context] fn cudaGraphEventWaitNodeGetEvent(node: *mut c_void, event: *mut *mut c_void) { driver::cuGraphEventWaitNodeGetEvent(node, event) }
    [context] fn cudaGraphEventRecordNodeSetEvent(node: *mut c_void, event: *mut c_void) { driver::cuGraphEventRecordNodeSetEvent(node, event) }
    [context] fn cudaGraphEventWaitNodeSetEvent(node: *mut c_void, event: *mut c_void) { driver::cuGraphEventWaitNodeSetEvent(node, event) }
    [context] fn cudaGraphExecEventRecordNodeSetEvent(executable: *mut c_void, node: *mut c_void, event: *mut c_void) {
        driver::cuGraphExecEventRecordNodeSetEvent(executable, node, event)
    }
    [context] fn cudaGraphExecEventWaitNodeSetEvent(executable: *mut c_void, node: *mut c_void, event: *mut c_void) {
        driver::cuGraphExecEventWaitNodeSetEvent(executable, node, event)
    }
    [context] fn cudaGraphExecChildGraphNodeSetParams(executable: *mut c_void, node: *mut c_void, child: *mut c_void) {
        driver::cuGraphExecChildGraphNodeSetParams(executable, node, child)
    }
    [context] fn cudaGraphChildGraphNodeGetGraph(node: *mut c_void, graph: *mut *mut c_void) { driver::cuGraphChildGraphNodeGetGraph(node, graph) }
    [context] fn cudaGraphDebugDotPrint(graph: *mut c_void, file: *const c_char, flags: c_uint) { driver::cuGraphDebugDotPrint(graph, file, flags) }
    [context] fn cudaGraphKernelNodeGetParams(node: *mut c_void, parameters: *mut KernelParameters) { put(parameters, kernel_of(node)?) }
    [context] fn cudaGraphKernelNodeGetAttribute(node: *mut c_void, number: c_int, value: *mut c_void) { driver::cuGraphKernelNodeGetAttribute(node, number, value) }
    [context] fn cudaGraphKernelNodeSetAttribute(node: *mut c_void, number: c_int, value: *const c_void) { driver::cuGraphKernelNodeSetAttribute(node, number, value) }
    [context] fn cudaGraphKernelNodeCopyAttributes(to: *mut c_void, from: *mut c_void) { driver::cuGraphKernelNodeCopyAttributes(to, from) }
    [context] fn cudaGraphMemcpyNodeGetParams(node: *mut c_void, parameters: *mut Parameters3D) {
        let mut copy = bytes(ptr::null_mut(), ptr::null(), 0, 0)?;
        driver::cuGraphMemcpyNodeGetParams(node, &mut copy)?;
        put(parameters, given_slices(&copy)?)
    }
    [context] fn cudaGraphMemAllocNodeGetParams(node: *mut c_void, parameters: *mut AllocationParameters) { driver::cuGraphMemAllocNodeGetParams(node, parameters) }
    [context] fn cudaGraphMemFreeNodeGetParams(node: *mut c_void, address: *mut u64) { driver::cuGraphMemFreeNodeGetParams(node, address) }
    [context] fn cudaGraphNodeSetParams(node: *mut c_void, parameters: *mut NodeParameters) {
        driver::cuGraphNodeSetParams(node, &mut of_driver(&given(parameters.cast_const())?)?)
    }
    [context] fn cudaGraphExecNodeSetParams(executable: *mut c_void, node: *mut c_void, parameters: *mut NodeParameters) {
        driver::cuGraphExecNodeSetParams(executable, node, &mut of_driver(&given(parameters.cast_const())?)?)
    }
    [context] fn cudaGraphMemcpyNodeSetParamsToSymbol(node: *mut c_void, symbol: *const c_void, from: *const c_void, size: usize, offset: usize, kind: c_int) {
        driver::cuGraphMemcpyNodeSetParams(node, &bytes(in_variable(symbol, size, offset)?, from, size, kind)?)
    }
    [context] fn cudaGraphMemcpyNodeSetParamsFromSymbol(node: *mut c_void, to: *mut c_void, symbol: *const c_void, size: usize, offset: usize, kind: c_int) {
        driver::cuGraphMemcpyNodeSetParams(node, &bytes(to, in_variable(symbol, size, offset)?, size, kind)?)
    }
    [context] fn cudaGraphExecMemcpyNodeSetParamsToSymbol(executable: *mut c_void, node: *mut c_void, symbol: *const c_void, from: *const c_void, size: usize, offset: usize, kind: c_int) {
        driver::cuGraphExecMemcpyNodeSetParams(executable, node, &bytes(in_variable(symbol, size, offset)?, from, size, kind)?, current()?)
    }
    [context] fn cudaGraphExecMemcpyNodeSetParamsFromSymbol(executable: *mut c_void, node: *mut c_void, to: *mut c_void, symbol: *const c_void, size: usize, offset: usize, kind: c_int) {
        driver::cuGraphExecMemcpyNodeSetParams(executable, node, &bytes(to, in_variable(symbol, size, offset)?, size, kind)?, current()?)
    }
    [context] fn cudaUserObjectCreate(object: *mut *mut c_void, data: *mut c_void, destroy: *const c_void, count: c_uint, flags: c_uint) {
        driver::cuUserObjectCreate(object, data, destroy, count, flags)
    }
    [context] fn cudaUserObjectRetain(object: *mut c_void, count: c_uint) { driver::cuUserObjectRetain(object, count) }
    [context] fn cudaUserObjectRelease(object: *mut c_void, count: c_uint) { driver::cuUserObjectRelease(object, count) }
    [context] fn cudaGraphRetainUserObject(graph: *mut c_void, object: *mut c_void, count: c_uint, flags: c_uint) { driver::cuGraphRetainUserObject(graph, object, count, flags) }
    [context] fn cudaGraphReleaseUserObject(graph: *mut c_void, object: *mut c_void, count: c_uint) { driver::cuGraphReleaseUserObject(graph, object, count) }
    [context] fn cudaGraphExecDestroy(executable: *mut c_void) { driver::cuGraphExecDestroy(executable) }
    [context] fn cudaGraphExecUpdate(executable: *mut c_void, graph: *mut c_void, info: *mut c_void) { driver::cuGraphExecUpdate_v2(executable, graph, info) }
    [context cudaGraphUpload_ptsz] fn cudaGraphUpload(executable: *mut c_void, stream: Stream) { driver::cuGraphUpload(executable, stream.0) }
    [context cudaGraphLaunch_ptsz] fn cudaGraphLaunch(executable: *mut c_void, stream: Stream) { driver::cuGraphLaunch(executable, stream.0) }
    [context cudaStreamBeginCapture_ptsz] fn cudaStreamBeginCapture(stream: Stream, mode: c_int) { driver::cuStreamBeginCapture_v2(stream.0, mode) }
    [context cudaStreamBeginCaptureToGraph_ptsz] fn cudaStreamBeginCaptureToGraph(stream: Stream, graph: *mut c_void, after: Nodes, edges: *const c_void, count: usize, mode: c_int) {
        driver::cuStreamBeginCaptureToGraph(stream.0, graph, after, edges, count, mode)
    }
    [context cudaStreamEndCapture_ptsz] fn cudaStreamEndCapture(stream: Stream, graph: *mut *mut c_void) { driver::cuStreamEndCapture(stream.0, graph) }
    [context cudaStreamGetCaptureInfo_ptsz] fn cudaStreamGetCaptureInfo(stream: Stream, status: *mut c_int, id: *mut u64, graph: *mut *mut c_void, nodes: *mut Nodes, edges: *mut *const c_void, count: *mut usize) {
        driver::cuStreamGetCaptureInfo_v3(stream.0, status, id, graph, nodes, edges, count)
    }
    [context cudaStreamUpdateCaptureDependencies_ptsz] fn cudaStreamUpdateCaptureDependencies(stream: Stream, nodes: *mut *mut c_void, edges: *const c_void, count: usize, flags: c_uint) {
        driver::cuStreamUpdateCaptureDependencies_v2(stream.0, nodes.cast_const(), edges, count, flags)
    }
    [context] fn cudaThreadExchangeStreamCaptureMode(mode: *mut c_int) { driver::cuThreadExchangeStreamCaptureMode(mode) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The sizes and places that the C structures have.
    #[test]
    fn structures_are_laid_out_as_in_c() {
        assert_eq!((size_of::<KernelParameters>(), size_of::<DriversKernel>()), (56, 72));
        assert_eq!(
            (size_of::<FillParameters>(), size_of::<AllocationParameters>()),
            (40, 120)
        );
        assert_eq!((size_of::<NodeParameters>(), size_of::<DriversCopy>()), (256, 216));
    }
}
