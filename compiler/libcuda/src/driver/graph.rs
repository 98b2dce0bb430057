//! Graphs, and streams that are captured into one.
#![allow(unsafe_code, non_snake_case)]

pub(super) mod node;
pub(super) mod structure;

use std::ffi::{c_int, c_uint, c_void};
use std::ptr;

use super::{call, known_stream, memory as copies, only};
use crate::exports::exports;
use crate::interface::{HandleKind, call_back_at, current, get, handle, list, number, print, put, put_wanted, with};
use crate::memory;
use crate::result::{Code, Failed};
use crate::state::graph::{Choice, ChoiceKind, Graphs, Step, Update, ValueStep, Work};

/// Does a piece of work.
pub(crate) fn perform(work: Work) -> Result<(), Failed> {
    match work {
        Work::Kernel {
            kernel,
            extents,
            arguments,
            ..
        } => {
            let context = current()?;
            with(|state| state.launch(kernel, extents, arguments, context, print))
        }
        Work::Copy { to, from, bytes } => memory::copy(to, from, bytes),
        Work::CopyRows { to, from, size } => memory::copy_rows(to, from, size),
        Work::Fill { to, pitch, value, size } => copies::fill_2d(to, pitch as usize, &value, size[0], size[1]),
        Work::Host { function, data } => call_back_at(function, data),
        Work::Record(event) => with(|state| state.note(event)),
        Work::Values(steps) => steps.into_iter().try_for_each(perform_value),
        Work::Wait(_) | Work::Empty | Work::Allocate(_) | Work::Free(_) => Ok(()),
        Work::Child(graph) => perform_all(graphs(|graphs| graphs.steps(graph))?),
        Work::Graph(steps) => perform_all(steps),
        Work::Choice(choice) => perform_choice(&choice),
    }
}

fn perform_all(steps: Vec<Step>) -> Result<(), Failed> {
    steps.into_iter().try_for_each(|step| perform(step.work))
}

/// How long a stream waits for a value. On a GPU the program goes on meanwhile; here the call waits, and must end where no other thread writes.
const LONGEST_WAIT: std::time::Duration = std::time::Duration::from_secs(10);

/// Does a step of values. A wait that is not met lasts until another thread of the program has written.
fn perform_value(step: ValueStep) -> Result<(), Failed> {
    let number = |bytes: Vec<u8>| {
        bytes
            .iter()
            .rev()
            .fold(0, |value: u64, byte| value << 8 | u64::from(*byte))
    };
    match step {
        ValueStep::Barrier => Ok(()),
        ValueStep::Write { address, value, bytes } => with(|state| state.write(address, &value.to_le_bytes()[..bytes])),
        ValueStep::Wait {
            address,
            value,
            bytes,
            how,
        } => {
            let start = std::time::Instant::now();
            while !how.is_met(number(with(|state| state.read(address, bytes))?), value, bytes) {
                if start.elapsed() > LONGEST_WAIT {
                    let reason = format!(
                        "a stream waits for the value {value:#x} at {address:#x}, which nobody has written: calls are done when they return"
                    );
                    return Err(Failed::new(Code::LaunchTimeout, reason));
                }
                std::thread::sleep(std::time::Duration::from_micros(100));
            }
            Ok(())
        }
    }
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

/// A word of the device that decides; what it is at each launch, where the program says so.
fn create_condition(handle: *mut u64, graph: *mut c_void, value: c_uint, flags: c_uint) -> Result<(), Failed> {
    let graph = graph_of(graph)?;
    graphs(|graphs| graphs.nodes(graph, false))?;
    let word = memory::allocate_for_graph(4)?;
    graphs(|graphs| graphs.add_condition(graph, word))?;
    with(|state| state.write(word, &value.to_le_bytes()))?;
    // CU_GRAPH_COND_ASSIGN_DEFAULT.
    if flags & 1 != 0 {
        graphs(|graphs| graphs.set_default(graph, word, value))?;
    }
    put(handle, word)
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

impl Default for UpdateInfo {
    fn default() -> UpdateInfo {
        UpdateInfo {
            result: 0,
            node: ptr::null_mut(),
            from: ptr::null_mut(),
        }
    }
}

fn update(executable: *mut c_void, graph: *mut c_void, info: *mut UpdateInfo) -> Result<(), Failed> {
    let (executable, graph) = (executable_of(executable)?, graph_of(graph)?);
    let (outcome, calls) = graphs(|graphs| graphs.update(executable, graph))?;
    destroy_all(calls)?;
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

/// What the edges are to what the next node of a captured stream comes after: full dependencies. The list stays until the thread asks again.
fn edges_of_capture(stream: *mut c_void) -> Result<*const c_void, Failed> {
    thread_local! {
        static LIST: std::cell::RefCell<Vec<u64>> = const { std::cell::RefCell::new(Vec::new()) };
    }
    let count = graphs(|graphs| {
        Ok(graphs
            .capture(stream.addr() as u64)
            .map_or(0, |(_, _, last)| last.len()))
    })?;
    LIST.with(|list| {
        *list.borrow_mut() = vec![0; count];
        Ok(list.borrow().as_ptr().cast())
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
    [Context] fn cuGraphConditionalHandleCreate(handle: *mut u64, graph: *mut c_void, _context: *mut c_void, value: c_uint, flags: c_uint) {
        create_condition(handle, graph, value, flags)
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
        destroy_all(graphs(|graphs| graphs.remove(node))?)
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
    [Context cuStreamBeginCapture_ptsz] fn cuStreamBeginCapture(stream: *mut c_void) { begin(stream, None) }
    [Context cuStreamGetCaptureInfo_ptsz] fn cuStreamGetCaptureInfo(stream: *mut c_void, status: *mut c_int, id: *mut u64) {
        capture_info(stream, status, id, ptr::null_mut(), ptr::null_mut(), ptr::null_mut())
    }
    [Context cuStreamUpdateCaptureDependencies_ptsz] fn cuStreamUpdateCaptureDependencies(stream: *mut c_void, nodes: *const *mut c_void, count: usize, flags: c_uint) {
        set_dependencies(stream, nodes, count, flags)
    }
    [Context cuStreamGetCaptureInfo_v2_ptsz] fn cuStreamGetCaptureInfo_v2(stream: *mut c_void, status: *mut c_int, id: *mut u64, graph: *mut *mut c_void, nodes: *mut *const *mut c_void, count: *mut usize) {
        capture_info(stream, status, id, graph, nodes, count)
    }
    [Context cuStreamGetCaptureInfo_v3_ptsz] fn cuStreamGetCaptureInfo_v3(stream: *mut c_void, status: *mut c_int, id: *mut u64, graph: *mut *mut c_void, nodes: *mut *const *mut c_void, edges: *mut *const c_void, count: *mut usize) {
        capture_info(stream, status, id, graph, nodes, count)?;
        put_wanted(edges, edges_of_capture(stream)?)
    }
    [Context cuStreamUpdateCaptureDependencies_v2_ptsz] fn cuStreamUpdateCaptureDependencies_v2(stream: *mut c_void, nodes: *const *mut c_void, _edges: *const c_void, count: usize, flags: c_uint) {
        set_dependencies(stream, nodes, count, flags)
    }
}
