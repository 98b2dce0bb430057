//! Nodes of graphs: how they are added, and their parameters, which programs ask for and change.

use std::ffi::{c_int, c_uint, c_void};
use std::ptr;

use super::{add, call, executable_of, graph_of, graphs, node_of};
use crate::driver::stream_values::value_steps;
use crate::driver::{launch, memory as copies};
use crate::exports::exports;
use crate::interface::{HandleKind, current, get, handle, number, put, refuse};
use crate::memory;
use crate::result::{Code, Failed};
use crate::state::Extents;
use crate::state::graph::{Allocation, Attributes, Choice, ChoiceKind, Work};

/// `CUDA_KERNEL_NODE_PARAMS`.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct KernelParameters {
    function: *mut c_void,
    grid: [c_uint; 3],
    block: [c_uint; 3],
    shared: c_uint,
    each: *const *const u8,
    extra: *const *const c_void,
    kernel: *mut c_void,
    context: *mut c_void,
}

/// `CUDA_MEMSET_NODE_PARAMS`.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct FillParameters {
    to: u64,
    pitch: usize,
    value: c_uint,
    element: c_uint,
    width: usize,
    height: usize,
}

/// `CUDA_HOST_NODE_PARAMS`.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct HostParameters {
    function: *const c_void,
    data: *mut c_void,
}

/// The same of CUDA before 12.0, which has no kernels of libraries.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct OldKernelParameters {
    function: *mut c_void,
    grid: [c_uint; 3],
    block: [c_uint; 3],
    shared: c_uint,
    each: *const *const u8,
    extra: *const *const c_void,
}

/// `CUDA_MEM_ALLOC_NODE_PARAMS`, of which the first fields are those of a pool.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct AllocationParameters {
    pool: [u64; 13],
    bytes: usize,
    address: u64,
}

/// `CUDA_CONDITIONAL_NODE_PARAMS`.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct ChoiceParameters {
    handle: u64,
    kind: c_int,
    count: c_uint,
    graphs: *mut *mut c_void,
    context: *mut c_void,
}

/// `CUgraphNodeParams`: the type of a node, and what the type says of it.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct NodeParameters {
    kind: c_int,
    reserved: [c_int; 3],
    of_kind: [u64; 29],
    reserved_2: u64,
}

/// `CUDA_BATCH_MEM_OP_NODE_PARAMS`.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct ValueParameters {
    context: *mut c_void,
    count: c_uint,
    steps: *const [u64; 6],
    flags: c_uint,
}

fn kernel_work(parameters: *const KernelParameters) -> Result<Work, Failed> {
    kernel_of(get(parameters)?)
}

/// The parameters of CUDA before 12.0 as those of today.
fn old_kernel_work(parameters: *const OldKernelParameters) -> Result<Work, Failed> {
    let OldKernelParameters {
        function,
        grid,
        block,
        shared,
        each,
        extra,
    } = get(parameters)?;
    kernel_of(KernelParameters {
        function,
        grid,
        block,
        shared,
        each,
        extra,
        kernel: ptr::null_mut(),
        context: ptr::null_mut(),
    })
}

fn kernel_of(given: KernelParameters) -> Result<Work, Failed> {
    let named = if given.function.is_null() {
        given.kernel
    } else {
        given.function
    };
    let kernel = launch::function(named)?;
    let extents = Extents {
        grid: given.grid,
        block: given.block,
        cluster: [1; 3],
        shared: given.shared,
        cooperative: false,
    };
    let arguments = launch::arguments(kernel, given.each, given.extra)?;
    Ok(Work::Kernel {
        kernel,
        library: number(HandleKind::Kernel, named).ok(),
        extents,
        arguments,
    })
}

fn copy_work(parameters: *const [u64; 25]) -> Result<Work, Failed> {
    let (to, from, size) = copies::regions_3d(parameters)?;
    Ok(Work::CopyRows { to, from, size })
}

fn fill_work(parameters: *const FillParameters) -> Result<Work, Failed> {
    let given = get(parameters)?;
    let size = given.element as usize;
    if ![1, 2, 4].contains(&size) {
        return Err(Failed::new(Code::InvalidValue, "elements of 1, 2 or 4 bytes are set"));
    }
    Ok(Work::Fill {
        to: given.to,
        pitch: given.pitch as u64,
        value: given.value.to_le_bytes()[..size].to_vec(),
        size: [given.width, given.height],
    })
}

fn host_work(parameters: *const HostParameters) -> Result<Work, Failed> {
    let given = get(parameters)?;
    Ok(Work::Host {
        function: given.function.expose_provenance(),
        data: given.data.expose_provenance(),
    })
}

/// The graph of a child node: a copy of the program's, or that itself where it gives it away.
fn child_work(graph: *mut c_void, is_moved: bool) -> Result<Work, Failed> {
    let (graph, context) = (graph_of(graph)?, current()?);
    match is_moved {
        true => graphs(|graphs| graphs.nodes(graph, false).map(|_| Work::Child(graph))),
        false => graphs(|graphs| graphs.copy(graph, context).map(Work::Child)),
    }
}

/// Memory of a graph, whose address the program is told.
fn allocation_work(graph: *mut c_void, parameters: *mut AllocationParameters) -> Result<Work, Failed> {
    let graph = graph_of(graph)?;
    graphs(|graphs| graphs.nodes(graph, false))?;
    let AllocationParameters { pool, bytes, .. } = get(parameters)?;
    if bytes == 0 {
        return Err(Failed::new(Code::InvalidValue, "0 bytes cannot be allocated"));
    }
    let address = memory::allocate_for_graph(bytes)?;
    put(parameters, AllocationParameters { pool, bytes, address })?;
    Ok(Work::Allocate(Allocation { address, bytes, pool }))
}

fn free_work(address: u64) -> Result<Work, Failed> {
    match address {
        0 => Err(Failed::new(Code::InvalidValue, "a node frees memory at address 0")),
        address => Ok(Work::Free(address)),
    }
}

fn values_work(parameters: *const ValueParameters) -> Result<Work, Failed> {
    let given = get(parameters)?;
    value_steps(given.steps, given.count).map(Work::Values)
}

/// A conditional node's work, with new graphs, whose handles the program finds in a list.
fn choice_work(graph: *mut c_void, parameters: *mut ChoiceParameters) -> Result<Work, Failed> {
    let (graph, given) = (graph_of(graph)?, get(parameters)?);
    if !graphs(|graphs| graphs.has_condition(graph, given.handle))? {
        let reason = format!("the graph has no condition {:#x}", given.handle);
        return Err(Failed::new(Code::InvalidValue, reason));
    }
    let kind = match (given.kind, given.count) {
        (0, 1..=2) => ChoiceKind::If,
        (1, 1) => ChoiceKind::While,
        (2, 1..=0xffff) => ChoiceKind::Switch,
        _ => {
            let reason = format!("a conditional node of type {} has {} graphs", given.kind, given.count);
            return Err(Failed::new(Code::InvalidValue, reason));
        }
    };
    let context = current()?;
    let made = graphs(|graphs| Ok((0..given.count).map(|_| graphs.create(context)).collect::<Vec<usize>>()))?;
    // The list is there as long as the node, which is never known to be forgotten.
    let list: &mut [*mut c_void] = Vec::leak(made.iter().map(|graph| handle(HandleKind::Graph, *graph)).collect());
    let graphs = list.as_mut_ptr();
    put(parameters, ChoiceParameters { graphs, ..given })?;
    Ok(Work::Choice(Choice {
        word: given.handle,
        kind,
        graphs: made,
        steps: Vec::new(),
    }))
}

/// What a node of any type does.
fn work_of(graph: *mut c_void, parameters: *mut NodeParameters) -> Result<Work, Failed> {
    let given = get(parameters)?;
    let start = parameters
        .cast::<u8>()
        .wrapping_add(std::mem::offset_of!(NodeParameters, of_kind));
    let handle_of = |word: u64| ptr::with_exposed_provenance_mut::<c_void>(word as usize);
    match given.kind {
        0 => kernel_work(start.cast()),
        // Flags and a context stand before the copy.
        1 => copy_work(start.wrapping_add(16).cast()),
        2 => fill_work(start.cast()),
        3 => host_work(start.cast()),
        // CU_GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE.
        4 => child_work(handle_of(given.of_kind[0]), given.of_kind[1] as u32 == 1),
        5 => Ok(Work::Empty),
        6 => number(HandleKind::Event, handle_of(given.of_kind[0])).map(Work::Wait),
        7 => number(HandleKind::Event, handle_of(given.of_kind[0])).map(Work::Record),
        8 | 9 => Err(refuse(
            "a node of a graph that signals or waits for semaphores of others",
        )),
        10 => allocation_work(graph, start.cast()),
        11 => free_work(given.of_kind[0]),
        12 => values_work(start.cast()),
        13 => choice_work(graph, start.cast()),
        other => Err(Failed::new(
            Code::InvalidValue,
            format!("graphs have no nodes of type {other}"),
        )),
    }
}

/// The work that a node of a graph does.
fn work(node: *mut c_void) -> Result<Work, Failed> {
    let node = node_of(node)?;
    graphs(|graphs| graphs.work(node).cloned())
}

fn is_of_another_type() -> Failed {
    Failed::new(Code::InvalidValue, "the node is of another type")
}

fn set_step(executable: *mut c_void, node: *mut c_void, work: Work) -> Result<(), Failed> {
    let (executable, node) = (executable_of(executable)?, node_of(node)?);
    graphs(|graphs| graphs.set_step(executable, node, work))
}

fn set_work(node: *mut c_void, work: Work) -> Result<(), Failed> {
    let node = node_of(node)?;
    graphs(|graphs| graphs.set_work(node, work))
}

/// The parameters of a kernel node, whose values stay where they are until the node changes.
fn kernel_parameters(node: *mut c_void) -> Result<KernelParameters, Failed> {
    let Work::Kernel {
        kernel,
        library,
        extents,
        ..
    } = work(node)?
    else {
        return Err(is_of_another_type());
    };
    let of = node_of(node)?;
    let each = graphs(|graphs| graphs.shown(of).map(|places| places.as_ptr().expose_provenance()))?;
    Ok(KernelParameters {
        function: library.map_or(handle(HandleKind::Function, kernel), |_| ptr::null_mut()),
        grid: extents.grid,
        block: extents.block,
        shared: extents.shared,
        each: ptr::with_exposed_provenance(each),
        extra: ptr::null(),
        kernel: library.map_or(ptr::null_mut(), |kernel| handle(HandleKind::Kernel, kernel)),
        context: handle(HandleKind::Context, current()?.0),
    })
}

/// `CU_LAUNCH_ATTRIBUTE_COOPERATIVE` and `CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION`, which launches need; others are kept as they are.
const COOPERATIVE: c_uint = 2;
const CLUSTER_DIMENSION: c_uint = 4;

fn kernel_attribute(node: *mut c_void, attribute: c_uint) -> Result<Attributes, Failed> {
    let Work::Kernel { extents, .. } = work(node)? else {
        return Err(is_of_another_type());
    };
    let mut value = Attributes::default();
    match attribute {
        COOPERATIVE => value[0] = extents.cooperative.into(),
        CLUSTER_DIMENSION => {
            let [x, y, z] = extents.cluster.map(u64::from);
            (value[0], value[1]) = (y << 32 | x, z);
        }
        other => {
            let node = node_of(node)?;
            value = graphs(|graphs| Ok(graphs.attribute(node, other)))?.unwrap_or_default();
        }
    }
    Ok(value)
}

fn set_kernel_attribute(node: *mut c_void, attribute: c_uint, value: Attributes) -> Result<(), Failed> {
    let Work::Kernel {
        kernel,
        library,
        mut extents,
        arguments,
    } = work(node)?
    else {
        return Err(is_of_another_type());
    };
    match attribute {
        COOPERATIVE => extents.cooperative = value[0] as u32 != 0,
        CLUSTER_DIMENSION => extents.cluster = [value[0] as u32, (value[0] >> 32) as u32, value[1] as u32],
        other => {
            let node = node_of(node)?;
            return graphs(|graphs| {
                graphs.set_attribute(node, other, value);
                Ok(())
            });
        }
    }
    set_work(
        node,
        Work::Kernel {
            kernel,
            library,
            extents,
            arguments,
        },
    )
}

fn copy_kernel_attributes(to: *mut c_void, from: *mut c_void) -> Result<(), Failed> {
    for attribute in [COOPERATIVE, CLUSTER_DIMENSION] {
        set_kernel_attribute(to, attribute, kernel_attribute(from, attribute)?)?;
    }
    let (to, from) = (node_of(to)?, node_of(from)?);
    graphs(|graphs| graphs.copy_attributes(to, from))
}

/// A handle of a node's event.
fn event(node: *mut c_void, wanted: fn(&Work) -> Option<usize>) -> Result<*mut c_void, Failed> {
    let event = wanted(&work(node)?).ok_or_else(is_of_another_type)?;
    Ok(handle(HandleKind::Event, event))
}

fn recorded(work: &Work) -> Option<usize> {
    match work {
        Work::Record(event) => Some(*event),
        _ => None,
    }
}

fn waited(work: &Work) -> Option<usize> {
    match work {
        Work::Wait(event) => Some(*event),
        _ => None,
    }
}

exports! { call, address;
    [Context] fn cuGraphAddKernelNode_v2(node: *mut *mut c_void, graph: *mut c_void, after: *const *mut c_void, count: usize, parameters: *const KernelParameters) {
        add(node, graph, after, count, kernel_work(parameters)?)
    }
    [Context] fn cuGraphAddNode_v2(node: *mut *mut c_void, graph: *mut c_void, after: *const *mut c_void, _edges: *const c_void, count: usize, parameters: *mut NodeParameters) {
        add(node, graph, after, count, work_of(graph, parameters)?)
    }
    [Context] fn cuGraphAddMemcpyNode(node: *mut *mut c_void, graph: *mut c_void, after: *const *mut c_void, count: usize, parameters: *const [u64; 25], _context: *mut c_void) {
        add(node, graph, after, count, copy_work(parameters)?)
    }
    [Context] fn cuGraphAddMemsetNode(node: *mut *mut c_void, graph: *mut c_void, after: *const *mut c_void, count: usize, parameters: *const FillParameters, _context: *mut c_void) {
        add(node, graph, after, count, fill_work(parameters)?)
    }
    [Context] fn cuGraphAddHostNode(node: *mut *mut c_void, graph: *mut c_void, after: *const *mut c_void, count: usize, parameters: *const HostParameters) {
        add(node, graph, after, count, host_work(parameters)?)
    }
    [Context] fn cuGraphAddEmptyNode(node: *mut *mut c_void, graph: *mut c_void, after: *const *mut c_void, count: usize) { add(node, graph, after, count, Work::Empty) }
    [Context] fn cuGraphAddChildGraphNode(node: *mut *mut c_void, graph: *mut c_void, after: *const *mut c_void, count: usize, child: *mut c_void) {
        add(node, graph, after, count, child_work(child, false)?)
    }
    [Context] fn cuGraphAddEventRecordNode(node: *mut *mut c_void, graph: *mut c_void, after: *const *mut c_void, count: usize, event: *mut c_void) {
        add(node, graph, after, count, Work::Record(number(HandleKind::Event, event)?))
    }
    [Context] fn cuGraphAddEventWaitNode(node: *mut *mut c_void, graph: *mut c_void, after: *const *mut c_void, count: usize, event: *mut c_void) {
        add(node, graph, after, count, Work::Wait(number(HandleKind::Event, event)?))
    }
    [Context] fn cuGraphAddMemAllocNode(node: *mut *mut c_void, graph: *mut c_void, after: *const *mut c_void, count: usize, parameters: *mut AllocationParameters) {
        add(node, graph, after, count, allocation_work(graph, parameters)?)
    }
    [Context] fn cuGraphAddMemFreeNode(node: *mut *mut c_void, graph: *mut c_void, after: *const *mut c_void, count: usize, address: u64) {
        add(node, graph, after, count, free_work(address)?)
    }
    [Context] fn cuGraphAddKernelNode(node: *mut *mut c_void, graph: *mut c_void, after: *const *mut c_void, count: usize, parameters: *const OldKernelParameters) {
        add(node, graph, after, count, old_kernel_work(parameters)?)
    }
    [Context] fn cuGraphAddNode(node: *mut *mut c_void, graph: *mut c_void, after: *const *mut c_void, count: usize, parameters: *mut NodeParameters) {
        add(node, graph, after, count, work_of(graph, parameters)?)
    }
    [Context] fn cuGraphAddBatchMemOpNode(node: *mut *mut c_void, graph: *mut c_void, after: *const *mut c_void, count: usize, parameters: *const ValueParameters) {
        add(node, graph, after, count, values_work(parameters)?)
    }

    [Context] fn cuGraphKernelNodeSetParams_v2(node: *mut c_void, parameters: *const KernelParameters) {
        set_work(node, kernel_work(parameters)?)
    }
    [Context] fn cuGraphMemcpyNodeSetParams(node: *mut c_void, parameters: *const [u64; 25]) {
        set_work(node, copy_work(parameters)?)
    }
    [Context] fn cuGraphMemsetNodeSetParams(node: *mut c_void, parameters: *const FillParameters) {
        set_work(node, fill_work(parameters)?)
    }
    [Context] fn cuGraphHostNodeSetParams(node: *mut c_void, parameters: *const HostParameters) {
        set_work(node, host_work(parameters)?)
    }
    [Context] fn cuGraphExecKernelNodeSetParams_v2(executable: *mut c_void, node: *mut c_void, parameters: *const KernelParameters) {
        set_step(executable, node, kernel_work(parameters)?)
    }
    [Context] fn cuGraphExecMemcpyNodeSetParams(executable: *mut c_void, node: *mut c_void, parameters: *const [u64; 25], _context: *mut c_void) {
        set_step(executable, node, copy_work(parameters)?)
    }
    [Context] fn cuGraphExecMemsetNodeSetParams(executable: *mut c_void, node: *mut c_void, parameters: *const FillParameters, _context: *mut c_void) {
        set_step(executable, node, fill_work(parameters)?)
    }
    [Context] fn cuGraphExecHostNodeSetParams(executable: *mut c_void, node: *mut c_void, parameters: *const HostParameters) {
        set_step(executable, node, host_work(parameters)?)
    }
    [Context] fn cuGraphMemsetNodeGetParams(node: *mut c_void, parameters: *mut FillParameters) {
        let Work::Fill { to, pitch, value, size } = work(node)? else {
            return Err(is_of_another_type());
        };
        let word = value.iter().rev().fold(0, |word: u32, byte| word << 8 | u32::from(*byte));
        let [width, height] = size;
        put(parameters, FillParameters { to, pitch: pitch as usize, value: word, element: value.len() as c_uint, width, height })
    }
    [Context] fn cuGraphHostNodeGetParams(node: *mut c_void, parameters: *mut HostParameters) {
        let Work::Host { function, data } = work(node)? else {
            return Err(is_of_another_type());
        };
        let (function, data) = (ptr::with_exposed_provenance(function), ptr::with_exposed_provenance_mut(data));
        put(parameters, HostParameters { function, data })
    }
    [Context] fn cuGraphEventRecordNodeGetEvent(node: *mut c_void, to: *mut *mut c_void) { put(to, event(node, recorded)?) }
    [Context] fn cuGraphEventWaitNodeGetEvent(node: *mut c_void, to: *mut *mut c_void) { put(to, event(node, waited)?) }
    [Context] fn cuGraphEventRecordNodeSetEvent(node: *mut c_void, event: *mut c_void) { set_work(node, Work::Record(number(HandleKind::Event, event)?)) }
    [Context] fn cuGraphEventWaitNodeSetEvent(node: *mut c_void, event: *mut c_void) { set_work(node, Work::Wait(number(HandleKind::Event, event)?)) }
    [Context] fn cuGraphExecEventRecordNodeSetEvent(executable: *mut c_void, node: *mut c_void, event: *mut c_void) {
        set_step(executable, node, Work::Record(number(HandleKind::Event, event)?))
    }
    [Context] fn cuGraphExecEventWaitNodeSetEvent(executable: *mut c_void, node: *mut c_void, event: *mut c_void) {
        set_step(executable, node, Work::Wait(number(HandleKind::Event, event)?))
    }
    [Context] fn cuGraphExecChildGraphNodeSetParams(executable: *mut c_void, node: *mut c_void, child: *mut c_void) {
        let child = graph_of(child)?;
        set_step(executable, node, Work::Graph(graphs(|graphs| graphs.steps(child))?))
    }
    [Context] fn cuGraphKernelNodeGetParams_v2(node: *mut c_void, parameters: *mut KernelParameters) { put(parameters, kernel_parameters(node)?) }
    [Context] fn cuGraphKernelNodeGetParams(node: *mut c_void, parameters: *mut OldKernelParameters) {
        let KernelParameters { grid, block, shared, each, extra, .. } = kernel_parameters(node)?;
        let Work::Kernel { kernel, .. } = work(node)? else {
            return Err(is_of_another_type());
        };
        let function = handle(HandleKind::Function, kernel);
        put(parameters, OldKernelParameters { function, grid, block, shared, each, extra })
    }
    [Context] fn cuGraphKernelNodeSetParams(node: *mut c_void, parameters: *const OldKernelParameters) { set_work(node, old_kernel_work(parameters)?) }
    [Context] fn cuGraphExecKernelNodeSetParams(executable: *mut c_void, node: *mut c_void, parameters: *const OldKernelParameters) {
        set_step(executable, node, old_kernel_work(parameters)?)
    }
    [Context] fn cuGraphKernelNodeGetAttribute(node: *mut c_void, attribute: c_uint, value: *mut Attributes) { put(value, kernel_attribute(node, attribute)?) }
    [Context] fn cuGraphKernelNodeSetAttribute(node: *mut c_void, attribute: c_uint, value: *const Attributes) {
        set_kernel_attribute(node, attribute, get(value)?)
    }
    [Context] fn cuGraphKernelNodeCopyAttributes(to: *mut c_void, from: *mut c_void) { copy_kernel_attributes(to, from) }
    [Context] fn cuGraphMemcpyNodeGetParams(node: *mut c_void, parameters: *mut [u64; 25]) {
        match work(node)? {
            Work::Copy { to, from, bytes } => put(parameters, copies::parameters_of_bytes(to, from, bytes)),
            Work::CopyRows { to, from, size } => put(parameters, copies::parameters_3d(to, from, size)),
            _ => Err(is_of_another_type()),
        }
    }
    [Context] fn cuGraphMemAllocNodeGetParams(node: *mut c_void, parameters: *mut AllocationParameters) {
        match work(node)? {
            Work::Allocate(Allocation { address, bytes, pool }) => put(parameters, AllocationParameters { pool, bytes, address }),
            _ => Err(is_of_another_type()),
        }
    }
    [Context] fn cuGraphMemFreeNodeGetParams(node: *mut c_void, address: *mut u64) {
        match work(node)? {
            Work::Free(start) => put(address, start),
            _ => Err(is_of_another_type()),
        }
    }
    [Context] fn cuGraphChildGraphNodeGetGraph(node: *mut c_void, graph: *mut *mut c_void) {
        let node = node_of(node)?;
        put(graph, handle(HandleKind::Graph, graphs(|graphs| graphs.child(node))?))
    }
    [Context] fn cuGraphBatchMemOpNodeSetParams(node: *mut c_void, parameters: *const ValueParameters) { set_work(node, values_work(parameters)?) }
    [Context] fn cuGraphExecBatchMemOpNodeSetParams(executable: *mut c_void, node: *mut c_void, parameters: *const ValueParameters) {
        set_step(executable, node, values_work(parameters)?)
    }
    [Context] fn cuGraphNodeSetParams(node: *mut c_void, parameters: *mut NodeParameters) { set_work(node, changed_work(parameters)?) }
    [Context] fn cuGraphExecNodeSetParams(executable: *mut c_void, node: *mut c_void, parameters: *mut NodeParameters) {
        set_step(executable, node, changed_work(parameters)?)
    }
}

/// What a node does from now on: of those types whose parameters change.
fn changed_work(parameters: *mut NodeParameters) -> Result<Work, Failed> {
    match get(parameters)?.kind {
        // Of kernels, copies, fills, calls, events, values.
        0..=3 | 6 | 7 | 12 => work_of(ptr::null_mut(), parameters),
        4 => {
            let child = graph_of(ptr::with_exposed_provenance_mut(get(parameters)?.of_kind[0] as usize))?;
            graphs(|graphs| graphs.steps(child).map(Work::Graph))
        }
        other => {
            let reason = format!("the parameters of nodes of type {other} do not change");
            Err(Failed::new(Code::InvalidValue, reason))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The sizes and places that the C structures have.
    #[test]
    fn structures_are_laid_out_as_in_c() {
        assert_eq!((size_of::<KernelParameters>(), size_of::<FillParameters>()), (72, 40));
        assert_eq!(std::mem::offset_of!(KernelParameters, each), 40);
        assert_eq!(
            (size_of::<OldKernelParameters>(), size_of::<ValueParameters>()),
            (56, 32)
        );
        assert_eq!(size_of::<AllocationParameters>(), 120);
        assert_eq!((size_of::<NodeParameters>(), size_of::<ChoiceParameters>()), (256, 32));
        assert_eq!(std::mem::offset_of!(NodeParameters, of_kind), 16);
    }
}
