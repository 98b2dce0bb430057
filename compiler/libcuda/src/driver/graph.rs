//! Graphs, and streams that are captured into one.
#![allow(unsafe_code, non_snake_case)]

pub(super) mod structure;

use std::ffi::{c_int, c_uint, c_void};
use std::ptr;

use super::{call, known_stream, launch, memory as copies, only};
use crate::exports::exports;
use crate::interface::{
    HandleKind, call_back_at, current, get, handle, list, number, print, put, put_wanted, refuse, with,
};
use crate::memory;
use crate::result::{Code, Failed};
use crate::state::Extents;
use crate::state::graph::{Choice, ChoiceKind, Graphs, Step, Update, Work};

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

/// Does a piece of work.
pub(crate) fn perform(work: Work) -> Result<(), Failed> {
    match work {
        Work::Kernel {
            kernel,
            extents,
            arguments,
        } => {
            let context = current()?;
            with(|state| state.launch(kernel, extents, arguments, context, print))
        }
        Work::Copy { to, from, bytes } => memory::copy(to, from, bytes),
        Work::CopyRows { to, from, size } => memory::copy_rows(to, from, size),
        Work::Fill { to, pitch, value, size } => copies::fill_2d(to, pitch as usize, &value, size[0], size[1]),
        Work::Host { function, data } => call_back_at(function, data),
        Work::Record(event) => with(|state| state.note(event)),
        Work::Wait(_) | Work::Empty | Work::Allocate | Work::Free => Ok(()),
        Work::Graph(steps) => perform_all(steps),
        Work::Choice(choice) => perform_choice(&choice),
    }
}

fn perform_all(steps: Vec<Step>) -> Result<(), Failed> {
    steps.into_iter().try_for_each(|step| perform(step.work))
}

fn perform_choice(choice: &Choice) -> Result<(), Failed> {
    loop {
        let word = with(|state| state.read(choice.word, 4))?;
        let value = word
            .iter()
            .rev()
            .fold(0, |value: u32, byte| value << 8 | u32::from(*byte));
        let Some(steps) = choice.next(value) else {
            return Ok(());
        };
        perform_all(steps.clone())?;
        if choice.kind != ChoiceKind::While {
            return Ok(());
        }
    }
}

/// Does a piece of work, or makes it a node where the stream is captured.
pub(crate) fn on_stream(stream: *mut c_void, work: Work) -> Result<(), Failed> {
    match with(|state| state.graphs.captured(stream.addr() as u64, work))? {
        Some(work) => perform(work),
        None => Ok(()),
    }
}

/// Whether a stream is captured.
pub(crate) fn is_captured(stream: *mut c_void) -> Result<bool, Failed> {
    with(|state| Ok(state.graphs.capture(stream.addr() as u64).is_some()))
}

fn graphs<T>(action: impl FnOnce(&mut Graphs) -> Result<T, Failed>) -> Result<T, Failed> {
    with(|state| action(&mut state.graphs))
}

fn graph_of(graph: *mut c_void) -> Result<usize, Failed> {
    number(HandleKind::Graph, graph)
}

fn node_of(node: *mut c_void) -> Result<usize, Failed> {
    number(HandleKind::GraphNode, node)
}

fn executable_of(executable: *mut c_void) -> Result<usize, Failed> {
    number(HandleKind::GraphExecutable, executable)
}

fn nodes_of(nodes: *const *mut c_void, count: usize) -> Result<Vec<usize>, Failed> {
    list(nodes, count)?.into_iter().map(node_of).collect()
}

/// Calls the functions that destroy objects of the program.
fn destroy_all(calls: Vec<[usize; 2]>) -> Result<(), Failed> {
    calls
        .into_iter()
        .try_for_each(|[function, data]| call_back_at(function, data))
}

/// Adds a node; its handle goes where the program wants it.
fn add(
    to: *mut *mut c_void,
    graph: *mut c_void,
    after: *const *mut c_void,
    count: usize,
    work: Work,
) -> Result<(), Failed> {
    let (graph, after) = (graph_of(graph)?, nodes_of(after, count)?);
    let node = graphs(|graphs| graphs.add(graph, work, after))?;
    put(to, handle(HandleKind::GraphNode, node))
}

fn kernel_work(parameters: *const KernelParameters) -> Result<Work, Failed> {
    let given = get(parameters)?;
    if given.function.is_null() {
        return Err(refuse("a node of a graph with a kernel of a library"));
    }
    let kernel = launch::function(given.function)?;
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

/// A word of the device that decides; what it is at each launch, where the program says so.
fn create_condition(handle: *mut u64, graph: *mut c_void, value: c_uint, flags: c_uint) -> Result<(), Failed> {
    let graph = graph_of(graph)?;
    graphs(|graphs| graphs.nodes(graph, false))?;
    let word = memory::allocate_for_graph(4)?;
    with(|state| state.write(word, &value.to_le_bytes()))?;
    // CU_GRAPH_COND_ASSIGN_DEFAULT.
    if flags & 1 != 0 {
        graphs(|graphs| graphs.set_default(graph, word, value))?;
    }
    put(handle, word)
}

/// A conditional node's work, with new graphs, whose handles the program finds in a list.
fn choice_work(parameters: *mut ChoiceParameters) -> Result<Work, Failed> {
    let given = get(parameters)?;
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

/// Adds a node of any type.
fn add_of_type(
    to: *mut *mut c_void,
    graph: *mut c_void,
    after: *const *mut c_void,
    count: usize,
    parameters: *mut NodeParameters,
) -> Result<(), Failed> {
    let given = get(parameters)?;
    let start = parameters
        .cast::<u8>()
        .wrapping_add(std::mem::offset_of!(NodeParameters, of_kind));
    let handle_of = |word: u64| ptr::with_exposed_provenance_mut::<c_void>(word as usize);
    let work = match given.kind {
        0 => kernel_work(start.cast())?,
        // Flags and a context stand before the copy.
        1 => copy_work(start.wrapping_add(16).cast())?,
        2 => fill_work(start.cast())?,
        3 => host_work(start.cast())?,
        4 => Work::Graph(graphs(|graphs| graphs.steps(graph_of(handle_of(given.of_kind[0]))?))?),
        5 => Work::Empty,
        6 => number(HandleKind::Event, handle_of(given.of_kind[0])).map(Work::Wait)?,
        7 => Work::Record(number(HandleKind::Event, handle_of(given.of_kind[0]))?),
        11 => Work::Free,
        13 => choice_work(start.cast())?,
        _ => return Err(refuse("a node of a graph that allocates, signals or waits outside")),
    };
    add(to, graph, after, count, work)
}

/// Gives handles, as many as there is room for, and says how many there are.
fn put_nodes(nodes: &[usize], to: *mut *mut c_void, count: *mut usize) -> Result<(), Failed> {
    if !to.is_null() {
        let room = get(count)?;
        for index in 0..room {
            let found = nodes
                .get(index)
                .map_or(ptr::null_mut(), |node| handle(HandleKind::GraphNode, *node));
            put(to.wrapping_add(index), found)?;
        }
        return put(count, nodes.len().min(room));
    }
    put(count, nodes.len())
}

/// The same with what the edges to them are.
fn put_nodes_with(nodes: &[usize], to: *mut *mut c_void, data: *mut u64, count: *mut usize) -> Result<(), Failed> {
    put_nodes(nodes, to, count)?;
    match to.is_null() {
        true => Ok(()),
        false => put_edge_data(data, get(count)?),
    }
}

/// Says of edges what kind they are, where the program asks: all are full dependencies (`CUgraphEdgeData` of eight bytes that are zero).
fn put_edge_data(data: *mut u64, count: usize) -> Result<(), Failed> {
    match data.is_null() {
        true => Ok(()),
        false => (0..count).try_for_each(|index| put(data.wrapping_add(index), 0)),
    }
}

fn instantiate(to: *mut *mut c_void, graph: *mut c_void, flags: u64) -> Result<(), Failed> {
    let (graph, context) = (graph_of(graph)?, current()?);
    let made = graphs(|graphs| graphs.instantiate(graph, context, flags))?;
    put(to, handle(HandleKind::GraphExecutable, made))
}

/// Launches a graph, or makes it a node where the stream is captured.
fn launch_graph(executable: *mut c_void, stream: *mut c_void) -> Result<(), Failed> {
    known_stream(stream)?;
    let executable = executable_of(executable)?;
    let steps = graphs(|graphs| graphs.launched(executable))?;
    on_stream(stream, Work::Graph(steps))
}

/// `CUgraphExecUpdateResultInfo`: a result, and two nodes.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct UpdateInfo {
    result: c_int,
    node: *mut c_void,
    from: *mut c_void,
}

fn update(executable: *mut c_void, graph: *mut c_void, info: *mut UpdateInfo) -> Result<(), Failed> {
    let (executable, graph) = (executable_of(executable)?, graph_of(graph)?);
    let outcome = graphs(|graphs| graphs.update(executable, graph))?;
    // CU_GRAPH_EXEC_UPDATE_SUCCESS, _ERROR_TOPOLOGY_CHANGED and _ERROR_NODE_TYPE_CHANGED.
    let (result, node) = match outcome {
        Update::Done => (0, ptr::null_mut()),
        Update::Topology => (2, ptr::null_mut()),
        Update::Kind(node) => (3, handle(HandleKind::GraphNode, node)),
    };
    put_wanted(
        info,
        UpdateInfo {
            result,
            node,
            from: ptr::null_mut(),
        },
    )?;
    match outcome {
        Update::Done => Ok(()),
        // CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE, which programs expect.
        Update::Topology | Update::Kind(_) => Err(Failed::silent(Code::GraphUpdateFailure)),
    }
}

fn begin(stream: *mut c_void, into: Option<(usize, Vec<usize>)>) -> Result<(), Failed> {
    known_stream(stream)?;
    if stream.addr() < 2 {
        return Err(Failed::new(
            Code::StreamCaptureUnsupported,
            "the default stream is not captured",
        ));
    }
    let context = current()?;
    graphs(|graphs| graphs.begin(stream.addr() as u64, into, context))
}

fn set_dependencies(stream: *mut c_void, nodes: *const *mut c_void, count: usize, flags: c_uint) -> Result<(), Failed> {
    let nodes = nodes_of(nodes, count)?;
    // CU_STREAM_ADD_CAPTURE_DEPENDENCIES is 0.
    graphs(|graphs| graphs.set_last(stream.addr() as u64, nodes, flags == 0))
}

/// What is known of the capture of a stream. The list of nodes stays until the thread asks again.
fn capture_info(
    stream: *mut c_void,
    status: *mut c_int,
    id: *mut u64,
    graph: *mut *mut c_void,
    nodes: *mut *const *mut c_void,
    count: *mut usize,
) -> Result<(), Failed> {
    thread_local! {
        static LIST: std::cell::RefCell<Vec<*mut c_void>> = const { std::cell::RefCell::new(Vec::new()) };
    }
    known_stream(stream)?;
    let found = graphs(|graphs| {
        Ok(graphs
            .capture(stream.addr() as u64)
            .map(|(graph, id, last)| (graph, id, last.to_vec())))
    })?;
    put(status, graphs(|graphs| Ok(graphs.status(stream.addr() as u64)))?)?;
    let Some((number, capture, last)) = found else {
        return Ok(());
    };
    put_wanted(id, capture)?;
    put_wanted(graph, handle(HandleKind::Graph, number))?;
    put_wanted(count, last.len())?;
    LIST.with(|list| {
        *list.borrow_mut() = last
            .into_iter()
            .map(|node| handle(HandleKind::GraphNode, node))
            .collect();
        put_wanted(nodes, list.borrow().as_ptr())
    })
}

exports! { call, address;
    [Context] fn cuGraphCreate(graph: *mut *mut c_void, _flags: c_uint) {
        let context = current()?;
        put(graph, handle(HandleKind::Graph, graphs(|graphs| Ok(graphs.create(context)))?))
    }
    [Context] fn cuGraphDestroy(graph: *mut c_void) {
        let graph = graph_of(graph)?;
        destroy_all(graphs(|graphs| graphs.destroy(graph))?)
    }
    [Context] fn cuGraphClone(copy: *mut *mut c_void, graph: *mut c_void) {
        let (graph, context) = (graph_of(graph)?, current()?);
        put(copy, handle(HandleKind::Graph, graphs(|graphs| graphs.copy(graph, context))?))
    }
    [Context] fn cuGraphNodeFindInClone(node: *mut *mut c_void, of: *mut c_void, copy: *mut c_void) {
        let (of, copy) = (node_of(of)?, graph_of(copy)?);
        put(node, handle(HandleKind::GraphNode, graphs(|graphs| graphs.in_copy(of, copy))?))
    }
    [Context] fn cuGraphAddKernelNode_v2(node: *mut *mut c_void, graph: *mut c_void, after: *const *mut c_void, count: usize, parameters: *const KernelParameters) {
        add(node, graph, after, count, kernel_work(parameters)?)
    }
    [Context] fn cuGraphAddNode_v2(node: *mut *mut c_void, graph: *mut c_void, after: *const *mut c_void, _edges: *const c_void, count: usize, parameters: *mut NodeParameters) {
        add_of_type(node, graph, after, count, parameters)
    }
    [Context] fn cuGraphConditionalHandleCreate(handle: *mut u64, graph: *mut c_void, _context: *mut c_void, value: c_uint, flags: c_uint) {
        create_condition(handle, graph, value, flags)
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
        let child = graph_of(child)?;
        add(node, graph, after, count, Work::Graph(graphs(|graphs| graphs.steps(child))?))
    }
    [Context] fn cuGraphAddEventRecordNode(node: *mut *mut c_void, graph: *mut c_void, after: *const *mut c_void, count: usize, event: *mut c_void) {
        add(node, graph, after, count, Work::Record(number(HandleKind::Event, event)?))
    }
    [Context] fn cuGraphAddEventWaitNode(node: *mut *mut c_void, graph: *mut c_void, after: *const *mut c_void, count: usize, event: *mut c_void) {
        add(node, graph, after, count, Work::Wait(number(HandleKind::Event, event)?))
    }
    [Context] fn cuGraphAddMemAllocNode(node: *mut *mut c_void, graph: *mut c_void, after: *const *mut c_void, count: usize, parameters: *mut AllocationParameters) {
        let given = get(parameters)?;
        add(node, graph, after, count, Work::Allocate)?;
        let address = memory::allocate_for_graph(given.bytes)?;
        put(parameters, AllocationParameters { address, ..given })
    }
    [Context] fn cuGraphAddMemFreeNode(node: *mut *mut c_void, graph: *mut c_void, after: *const *mut c_void, count: usize, _address: u64) { add(node, graph, after, count, Work::Free) }
    [Context] fn cuGraphAddDependencies_v2(graph: *mut c_void, from: *const *mut c_void, to: *const *mut c_void, _edges: *const c_void, count: usize) {
        graph_of(graph)?;
        let pairs = nodes_of(from, count)?.into_iter().zip(nodes_of(to, count)?);
        graphs(|graphs| pairs.into_iter().try_for_each(|(from, to)| graphs.depend(to, from)))
    }
    [Context] fn cuDeviceGetGraphMemAttribute(device: c_int, attribute: c_int, value: *mut u64) {
        only(device)?;
        // CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT to _RESERVED_MEM_HIGH: memory of a graph is there from when its node is made, and stays.
        if !(0..4).contains(&attribute) {
            return Err(Failed::new(Code::InvalidValue, format!("the memory of graphs has no attribute {attribute}")));
        }
        let context = current()?;
        put(value, with(|state| {
            let pieces = state.graphs.kept(context).into_iter().filter_map(|address| state.piece(address));
            Ok(pieces.map(|piece| piece.bytes).sum())
        })?)
    }
    [Context] fn cuDeviceSetGraphMemAttribute(device: c_int, attribute: c_int, value: *const u64) {
        only(device)?;
        // The highest sizes may be forgotten, and are what there is.
        match (attribute, get(value)?) {
            (1 | 3, 0) => Ok(()),
            _ => Err(Failed::new(Code::InvalidValue, "only the highest sizes are set, to 0")),
        }
    }
    [Context] fn cuDeviceGraphMemTrim(device: c_int) { only(device) }
    [Context] fn cuGraphDestroyNode(node: *mut c_void) {
        let node = node_of(node)?;
        graphs(|graphs| graphs.remove(node))
    }
    [Context] fn cuGraphGetNodes(graph: *mut c_void, nodes: *mut *mut c_void, count: *mut usize) {
        let graph = graph_of(graph)?;
        put_nodes(&graphs(|graphs| graphs.nodes(graph, false))?, nodes, count)
    }
    [Context] fn cuGraphGetRootNodes(graph: *mut c_void, nodes: *mut *mut c_void, count: *mut usize) {
        let graph = graph_of(graph)?;
        put_nodes(&graphs(|graphs| graphs.nodes(graph, true))?, nodes, count)
    }
    [Context] fn cuGraphNodeGetDependencies_v2(node: *mut c_void, nodes: *mut *mut c_void, data: *mut u64, count: *mut usize) {
        let node = node_of(node)?;
        put_nodes_with(&graphs(|graphs| graphs.after(node))?, nodes, data, count)
    }
    [Context] fn cuGraphNodeGetType(node: *mut c_void, kind: *mut c_int) {
        let node = node_of(node)?;
        put(kind, graphs(|graphs| graphs.work(node).map(Work::number))?)
    }
    [Context] fn cuGraphKernelNodeSetParams_v2(node: *mut c_void, parameters: *const KernelParameters) {
        let (node, work) = (node_of(node)?, kernel_work(parameters)?);
        graphs(|graphs| graphs.set_work(node, work))
    }
    [Context] fn cuGraphMemcpyNodeSetParams(node: *mut c_void, parameters: *const [u64; 25]) {
        let (node, work) = (node_of(node)?, copy_work(parameters)?);
        graphs(|graphs| graphs.set_work(node, work))
    }
    [Context] fn cuGraphMemsetNodeSetParams(node: *mut c_void, parameters: *const FillParameters) {
        let (node, work) = (node_of(node)?, fill_work(parameters)?);
        graphs(|graphs| graphs.set_work(node, work))
    }
    [Context] fn cuGraphHostNodeSetParams(node: *mut c_void, parameters: *const HostParameters) {
        let (node, work) = (node_of(node)?, host_work(parameters)?);
        graphs(|graphs| graphs.set_work(node, work))
    }
    [Context] fn cuGraphExecKernelNodeSetParams_v2(executable: *mut c_void, node: *mut c_void, parameters: *const KernelParameters) {
        let (executable, node, work) = (executable_of(executable)?, node_of(node)?, kernel_work(parameters)?);
        graphs(|graphs| graphs.set_step(executable, node, work))
    }
    [Context] fn cuGraphExecMemcpyNodeSetParams(executable: *mut c_void, node: *mut c_void, parameters: *const [u64; 25], _context: *mut c_void) {
        let (executable, node, work) = (executable_of(executable)?, node_of(node)?, copy_work(parameters)?);
        graphs(|graphs| graphs.set_step(executable, node, work))
    }
    [Context] fn cuGraphExecMemsetNodeSetParams(executable: *mut c_void, node: *mut c_void, parameters: *const FillParameters, _context: *mut c_void) {
        let (executable, node, work) = (executable_of(executable)?, node_of(node)?, fill_work(parameters)?);
        graphs(|graphs| graphs.set_step(executable, node, work))
    }
    [Context] fn cuGraphExecHostNodeSetParams(executable: *mut c_void, node: *mut c_void, parameters: *const HostParameters) {
        let (executable, node, work) = (executable_of(executable)?, node_of(node)?, host_work(parameters)?);
        graphs(|graphs| graphs.set_step(executable, node, work))
    }
    [Context] fn cuGraphInstantiateWithFlags(executable: *mut *mut c_void, graph: *mut c_void, flags: u64) { instantiate(executable, graph, flags) }
    [Context] fn cuGraphExecDestroy(executable: *mut c_void) {
        let executable = executable_of(executable)?;
        destroy_all(graphs(|graphs| graphs.destroy_executable(executable))?)
    }
    [Context] fn cuGraphExecUpdate_v2(executable: *mut c_void, graph: *mut c_void, info: *mut UpdateInfo) { update(executable, graph, info) }
    [Context cuGraphUpload_ptsz] fn cuGraphUpload(executable: *mut c_void, stream: *mut c_void) {
        known_stream(stream)?;
        executable_of(executable).map(|_| ())
    }
    [Context cuGraphLaunch_ptsz] fn cuGraphLaunch(executable: *mut c_void, stream: *mut c_void) { launch_graph(executable, stream) }
    [Context cuStreamBeginCapture_v2_ptsz] fn cuStreamBeginCapture_v2(stream: *mut c_void, _mode: c_int) { begin(stream, None) }
    [Context cuStreamBeginCaptureToGraph_ptsz] fn cuStreamBeginCaptureToGraph(stream: *mut c_void, graph: *mut c_void, after: *const *mut c_void, _edges: *const c_void, count: usize, _mode: c_int) {
        begin(stream, Some((graph_of(graph)?, nodes_of(after, count)?)))
    }
    [Context cuStreamEndCapture_ptsz] fn cuStreamEndCapture(stream: *mut c_void, graph: *mut *mut c_void) {
        known_stream(stream)?;
        put_wanted(graph, handle(HandleKind::Graph, graphs(|graphs| graphs.end(stream.addr() as u64))?))
    }
    [Context cuStreamGetCaptureInfo_v2_ptsz] fn cuStreamGetCaptureInfo_v2(stream: *mut c_void, status: *mut c_int, id: *mut u64, graph: *mut *mut c_void, nodes: *mut *const *mut c_void, count: *mut usize) {
        capture_info(stream, status, id, graph, nodes, count)
    }
    [Context cuStreamGetCaptureInfo_v3_ptsz] fn cuStreamGetCaptureInfo_v3(stream: *mut c_void, status: *mut c_int, id: *mut u64, graph: *mut *mut c_void, nodes: *mut *const *mut c_void, edges: *mut *const c_void, count: *mut usize) {
        put_wanted(edges, ptr::null())?;
        capture_info(stream, status, id, graph, nodes, count)
    }
    [Context cuStreamUpdateCaptureDependencies_v2_ptsz] fn cuStreamUpdateCaptureDependencies_v2(stream: *mut c_void, nodes: *const *mut c_void, _edges: *const c_void, count: usize, flags: c_uint) {
        set_dependencies(stream, nodes, count, flags)
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
        assert_eq!((size_of::<AllocationParameters>(), size_of::<UpdateInfo>()), (120, 24));
        assert_eq!((size_of::<NodeParameters>(), size_of::<ChoiceParameters>()), (256, 32));
        assert_eq!(std::mem::offset_of!(NodeParameters, of_kind), 16);
    }
}
