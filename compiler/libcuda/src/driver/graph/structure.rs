//! How graphs hang together, in the forms of all versions of CUDA, and objects of the program that live as long as a graph.

use std::ffi::{c_char, c_int, c_uint, c_void};
use std::ptr;

use super::{
    UpdateInfo, call, destroy_all, executable_of, graph_of, graphs, instantiate, node_of, nodes_of, put_edge_data,
    put_nodes, put_nodes_with, update,
};
use crate::exports::exports;
use crate::interface::{HandleKind, get, handle, number, put, put_wanted, text};
use crate::result::{Code, Failed};
use crate::state::graph::Graphs;

/// `CUDA_GRAPH_INSTANTIATE_PARAMS`.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct InstantiateParameters {
    flags: u64,
    stream: *mut c_void,
    failed: *mut c_void,
    result: c_int,
}

/// Gives pairs of nodes, as many as there is room for, and says how many there are.
fn put_edges(
    edges: &[(usize, usize)],
    from: *mut *mut c_void,
    to: *mut *mut c_void,
    count: *mut usize,
) -> Result<(), Failed> {
    if from.is_null() != to.is_null() {
        return Err(Failed::new(Code::InvalidValue, "only one end of the edges is wanted"));
    }
    if from.is_null() {
        return put(count, edges.len());
    }
    let room = get(count)?;
    for index in 0..room {
        let ends = edges.get(index).map(|(from, to)| [*from, *to]);
        let ends = ends.map_or([ptr::null_mut(); 2], |ends| {
            ends.map(|node| handle(HandleKind::GraphNode, node))
        });
        put(from.wrapping_add(index), ends[0])?;
        put(to.wrapping_add(index), ends[1])?;
    }
    put(count, edges.len().min(room))
}

fn object_of(object: *mut c_void) -> Result<usize, Failed> {
    number(HandleKind::UserObject, object)
}

/// A count of references, of which there must be at least one.
fn references(count: c_uint) -> Result<u64, Failed> {
    match count {
        0 => Err(Failed::new(Code::InvalidValue, "a count of references is zero")),
        count => Ok(u64::from(count)),
    }
}

fn create_object(
    object: *mut *mut c_void,
    data: *mut c_void,
    destroy: *const c_void,
    count: c_uint,
    flags: c_uint,
) -> Result<(), Failed> {
    // CU_USER_OBJECT_NO_DESTRUCTOR_SYNC, which must be asked for.
    if flags != 1 || destroy.is_null() {
        let reason = "an object needs a function that destroys it, and CU_USER_OBJECT_NO_DESTRUCTOR_SYNC";
        return Err(Failed::new(Code::InvalidValue, reason));
    }
    let count = references(count)?;
    let destroy = [destroy.expose_provenance(), data.expose_provenance()];
    let made = graphs(|graphs| Ok(graphs.create_object(destroy, count)))?;
    put(object, handle(HandleKind::UserObject, made))
}

/// Adds dependencies, or takes them away.
fn change_edges(
    graph: *mut c_void,
    from: *const *mut c_void,
    to: *const *mut c_void,
    count: usize,
    change: fn(&mut Graphs, usize, usize) -> Result<(), Failed>,
) -> Result<(), Failed> {
    let graph = graph_of(graph)?;
    let pairs = nodes_of(from, count)?.into_iter().zip(nodes_of(to, count)?);
    graphs(|graphs| {
        graphs.nodes(graph, false)?;
        pairs.into_iter().try_for_each(|(from, to)| change(graphs, to, from))
    })
}

/// Writes a graph in the language of Graphviz to a file.
fn print_dot(graph: *mut c_void, file: *const c_char) -> Result<(), Failed> {
    let (graph, file) = (graph_of(graph)?, text(file)?);
    let dot = graphs(|graphs| graphs.dot(graph))?;
    std::fs::write(&file, dot).map_err(|error| Failed::new(Code::OperatingSystem, format!("{file}: {error}")))
}

exports! { call, address;
    [Context] fn cuGraphDebugDotPrint(graph: *mut c_void, file: *const c_char, _flags: c_uint) { print_dot(graph, file) }
    [Context] fn cuGraphInstantiate(executable: *mut *mut c_void, graph: *mut c_void, failed: *mut *mut c_void, log: *mut u8, room: usize) {
        put_wanted(failed, ptr::null_mut())?;
        if room > 0 {
            put_wanted(log, 0)?;
        }
        instantiate(executable, graph, 0)
    }
    [Context] fn cuGraphInstantiate_v2(executable: *mut *mut c_void, graph: *mut c_void, failed: *mut *mut c_void, log: *mut u8, room: usize) {
        put_wanted(failed, ptr::null_mut())?;
        if room > 0 {
            put_wanted(log, 0)?;
        }
        instantiate(executable, graph, 0)
    }
    [Context] fn cuGraphExecUpdate(executable: *mut c_void, graph: *mut c_void, failed: *mut *mut c_void, result: *mut c_int) {
        let mut info = UpdateInfo::default();
        let done = update(executable, graph, &raw mut info);
        put_wanted(failed, info.node)?;
        put_wanted(result, info.result)?;
        done
    }
    [Context] fn cuGraphGetEdges(graph: *mut c_void, from: *mut *mut c_void, to: *mut *mut c_void, count: *mut usize) {
        let graph = graph_of(graph)?;
        put_edges(&graphs(|graphs| graphs.edges(graph))?, from, to, count)
    }
    [Context] fn cuGraphNodeGetDependencies(node: *mut c_void, nodes: *mut *mut c_void, count: *mut usize) {
        let node = node_of(node)?;
        put_nodes(&graphs(|graphs| graphs.after(node))?, nodes, count)
    }
    [Context] fn cuGraphNodeGetDependentNodes(node: *mut c_void, nodes: *mut *mut c_void, count: *mut usize) {
        let node = node_of(node)?;
        put_nodes(&graphs(|graphs| graphs.behind(node))?, nodes, count)
    }
    [Context] fn cuGraphAddDependencies(graph: *mut c_void, from: *const *mut c_void, to: *const *mut c_void, count: usize) {
        change_edges(graph, from, to, count, Graphs::depend)
    }
    [Context] fn cuGraphAddDependencies_v2(graph: *mut c_void, from: *const *mut c_void, to: *const *mut c_void, _edges: *const c_void, count: usize) {
        change_edges(graph, from, to, count, Graphs::depend)
    }
    [Context] fn cuGraphRemoveDependencies(graph: *mut c_void, from: *const *mut c_void, to: *const *mut c_void, count: usize) {
        change_edges(graph, from, to, count, Graphs::undepend)
    }
    [Context] fn cuGraphRemoveDependencies_v2(graph: *mut c_void, from: *const *mut c_void, to: *const *mut c_void, _edges: *const c_void, count: usize) {
        change_edges(graph, from, to, count, Graphs::undepend)
    }
    [Context cuGraphInstantiateWithParams_ptsz] fn cuGraphInstantiateWithParams(executable: *mut *mut c_void, graph: *mut c_void, parameters: *mut InstantiateParameters) {
        let given = get(parameters)?;
        instantiate(executable, graph, given.flags)?;
        // CUDA_GRAPH_INSTANTIATE_SUCCESS.
        put(parameters, InstantiateParameters { failed: ptr::null_mut(), result: 0, ..given })
    }
    [Context] fn cuGraphExecGetFlags(executable: *mut c_void, flags: *mut u64) {
        let executable = executable_of(executable)?;
        put(flags, graphs(|graphs| graphs.flags(executable))?)
    }
    [Context] fn cuGraphGetEdges_v2(graph: *mut c_void, from: *mut *mut c_void, to: *mut *mut c_void, data: *mut u64, count: *mut usize) {
        let graph = graph_of(graph)?;
        let edges = graphs(|graphs| graphs.edges(graph))?;
        put_edges(&edges, from, to, count)?;
        put_edge_data(data, if from.is_null() { 0 } else { get(count)? })
    }
    [Context] fn cuGraphNodeGetDependentNodes_v2(node: *mut c_void, nodes: *mut *mut c_void, data: *mut u64, count: *mut usize) {
        let node = node_of(node)?;
        put_nodes_with(&graphs(|graphs| graphs.behind(node))?, nodes, data, count)
    }
    [Context] fn cuGraphNodeSetEnabled(executable: *mut c_void, node: *mut c_void, on: c_uint) {
        let (executable, node) = (executable_of(executable)?, node_of(node)?);
        graphs(|graphs| graphs.switch(executable, node, on != 0))
    }
    [Context] fn cuGraphNodeGetEnabled(executable: *mut c_void, node: *mut c_void, on: *mut c_uint) {
        let (executable, node) = (executable_of(executable)?, node_of(node)?);
        put(on, graphs(|graphs| graphs.is_on(executable, node))?.into())
    }
    [Context] fn cuUserObjectCreate(object: *mut *mut c_void, data: *mut c_void, destroy: *const c_void, count: c_uint, flags: c_uint) {
        create_object(object, data, destroy, count, flags)
    }
    [Context] fn cuUserObjectRetain(object: *mut c_void, count: c_uint) {
        let (object, count) = (object_of(object)?, references(count)?);
        graphs(|graphs| graphs.retain(object, count))
    }
    [Context] fn cuUserObjectRelease(object: *mut c_void, count: c_uint) {
        let (object, count) = (object_of(object)?, references(count)?);
        destroy_all(graphs(|graphs| graphs.release(object, count))?)
    }
    [Context] fn cuGraphRetainUserObject(graph: *mut c_void, object: *mut c_void, count: c_uint, flags: c_uint) {
        let (graph, object, count) = (graph_of(graph)?, object_of(object)?, references(count)?);
        // CU_GRAPH_USER_OBJECT_MOVE.
        graphs(|graphs| graphs.hold(graph, object, count, flags & 1 != 0))
    }
    [Context] fn cuGraphReleaseUserObject(graph: *mut c_void, object: *mut c_void, count: c_uint) {
        let (graph, object, count) = (graph_of(graph)?, object_of(object)?, references(count)?);
        destroy_all(graphs(|graphs| graphs.let_go(graph, object, count))?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn structures_are_laid_out_as_in_c() {
        assert_eq!(size_of::<InstantiateParameters>(), 32);
        assert_eq!(std::mem::offset_of!(InstantiateParameters, result), 24);
    }
}
