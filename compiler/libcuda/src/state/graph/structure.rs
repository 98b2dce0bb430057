//! How graphs hang together: their edges, which nodes of what can be launched are switched off, and objects of the program that live as long as a graph.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::{Graphs, Work, invalid};
use crate::result::{Code, Failed};

/// An object of the program that is destroyed with its last reference (`CUuserObject`).
#[derive(Debug)]
pub(crate) struct Object {
    /// The addresses of the function that destroys it, and of the object.
    pub(crate) destroy: [usize; 2],
    references: u64,
}

/// References that something holds, by the object.
pub(super) type References = BTreeMap<usize, u64>;

/// Calls that destroy objects: function and object. They are made when the state is not locked any more.
pub(crate) type Destroyed = Vec<[usize; 2]>;

impl Graphs {
    /// The pairs of nodes of which the second comes after the first, in the order in which the second ones were added.
    pub(crate) fn edges(&mut self, graph: usize) -> Result<Vec<(usize, usize)>, Failed> {
        let nodes = self.graph(graph)?.nodes.clone();
        let mut edges = Vec::new();
        for node in nodes {
            edges.extend(self.node(node)?.after.iter().map(|on| (*on, node)));
        }
        Ok(edges)
    }

    /// What comes right after a node.
    pub(crate) fn behind(&mut self, node: usize) -> Result<Vec<usize>, Failed> {
        let graph = self.node(node)?.graph;
        let edges = self.edges(graph)?.into_iter();
        Ok(edges.filter(|(on, _)| *on == node).map(|(_, next)| next).collect())
    }

    /// Nodes and edges stay in a graph that has memory of its own (CUDA Programming Guide, "Graph Memory Nodes").
    pub(super) fn may_lose_parts(&mut self, graph: usize) -> Result<(), Failed> {
        let nodes = self.nodes(graph, false)?;
        let has_memory = |node: &usize| matches!(self.work(*node), Ok(Work::Allocate(_) | Work::Free(_)));
        match nodes.iter().any(has_memory) {
            true => Err(Failed::new(
                Code::NotSupported,
                "nodes and edges of a graph that allocates or frees memory are not removed",
            )),
            false => Ok(()),
        }
    }

    /// Lets a node no longer come after another one.
    pub(crate) fn undepend(&mut self, node: usize, on: usize) -> Result<(), Failed> {
        let graph = self.node(node)?.graph;
        self.may_lose_parts(graph)?;
        let place = self.node(node)?.after.iter().position(|other| *other == on);
        let place = place.ok_or_else(|| invalid("the nodes do not depend on each other"))?;
        if let Some(node) = self.nodes[node].as_mut() {
            node.after.remove(place);
        }
        Ok(())
    }

    /// The graph in the language of Graphviz.
    pub(crate) fn dot(&mut self, graph: usize) -> Result<String, Failed> {
        let mut out = format!("digraph graph_{graph} {{\n");
        for node in self.nodes(graph, false)? {
            let _ = writeln!(
                out,
                "  node_{node} [label=\"{node} {}\"];",
                self.work(node)?.kind_name()
            );
        }
        for (from, to) in self.edges(graph)? {
            let _ = writeln!(out, "  node_{from} -> node_{to};");
        }
        out.push_str("}\n");
        Ok(out)
    }

    /// The flags that an executable graph was made with.
    pub(crate) fn flags(&mut self, executable: usize) -> Result<u64, Failed> {
        self.executable(executable).map(|found| found.flags)
    }

    /// Whether a node does something when the executable graph is launched.
    pub(crate) fn is_on(&mut self, executable: usize, node: usize) -> Result<bool, Failed> {
        self.executable(executable).map(|found| !found.off.contains(&node))
    }

    /// Switches a node of an executable graph on or off: of kernels, copies and fills alone.
    pub(crate) fn switch(&mut self, executable: usize, node: usize, on: bool) -> Result<(), Failed> {
        let found = self.executable(executable)?;
        let step = found.steps.iter().find(|step| step.node == node);
        match step.map(|step| &step.work) {
            Some(Work::Kernel { .. } | Work::Copy { .. } | Work::CopyRows { .. } | Work::Fill { .. }) => {
                match on {
                    true => found.off.remove(&node),
                    false => found.off.insert(node),
                };
                Ok(())
            }
            Some(_) => Err(invalid("only nodes of kernels, copies and fills are switched off")),
            None => Err(invalid("the executable graph has no such node")),
        }
    }

    /// Makes an object with references of the program's own.
    pub(crate) fn create_object(&mut self, destroy: [usize; 2], references: u64) -> usize {
        self.objects.push(Some(Object { destroy, references }));
        self.objects.len() - 1
    }

    /// Adds references to an object.
    pub(crate) fn retain(&mut self, object: usize, count: u64) -> Result<(), Failed> {
        let found = self.objects.get_mut(object).and_then(Option::as_mut);
        found.ok_or_else(|| invalid("there is no such object"))?.references += count;
        Ok(())
    }

    /// Takes references from an object; with the last one it is to be destroyed.
    pub(crate) fn release(&mut self, object: usize, count: u64) -> Result<Destroyed, Failed> {
        let slot = self.objects.get_mut(object);
        let slot = slot.filter(|slot| slot.as_ref().is_some_and(|found| found.references >= count));
        let slot = slot.ok_or_else(|| invalid("the object has not as many references"))?;
        if let Some(found) = slot.as_mut() {
            found.references -= count;
        }
        let last = slot.take_if(|found| found.references == 0);
        Ok(last.map(|object| object.destroy).into_iter().collect())
    }

    /// Lets a graph hold references: new ones, or those that the program had.
    pub(crate) fn hold(&mut self, graph: usize, object: usize, count: u64, moves: bool) -> Result<(), Failed> {
        self.graph(graph)?;
        self.retain(object, if moves { 0 } else { count })?;
        *self.graph(graph)?.objects.entry(object).or_default() += count;
        Ok(())
    }

    /// Lets a graph give references up.
    pub(crate) fn let_go(&mut self, graph: usize, object: usize, count: u64) -> Result<Destroyed, Failed> {
        let objects = &mut self.graph(graph)?.objects;
        let held = objects.get_mut(&object).filter(|held| **held >= count);
        let held = held.ok_or_else(|| invalid("the graph has not as many references to the object"))?;
        *held -= count;
        if *held == 0 {
            objects.remove(&object);
        }
        self.release(object, count)
    }

    /// The references of a graph once more, for a copy or for what is made of it.
    pub(super) fn held_again(&mut self, graph: usize) -> Result<References, Failed> {
        let objects = self.graph(graph)?.objects.clone();
        for (object, count) in &objects {
            self.retain(*object, *count)?;
        }
        Ok(objects)
    }

    /// Gives all of these references up.
    pub(super) fn release_all(&mut self, objects: References) -> Result<Destroyed, Failed> {
        let released = objects.into_iter().map(|(object, count)| self.release(object, count));
        released.collect::<Result<Vec<_>, _>>().map(|calls| calls.concat())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::PRIMARY;

    #[test]
    fn edges_are_asked_for_and_taken_away() {
        let mut graphs = Graphs::default();
        let graph = graphs.create(PRIMARY);
        let first = graphs.add(graph, Work::Empty, Vec::new()).expect("a node");
        let second = graphs.add(graph, Work::Empty, vec![first]).expect("a node");
        let third = graphs.add(graph, Work::Empty, vec![first, second]).expect("a node");
        let edges = [(first, second), (first, third), (second, third)];
        assert_eq!(graphs.edges(graph), Ok(edges.to_vec()));
        assert_eq!(graphs.behind(first), Ok(vec![second, third]));
        let dot = graphs.dot(graph).expect("it is there");
        assert!(
            dot.contains("node_0 [label=\"0 EMPTY\"]") && dot.contains("node_1 -> node_2"),
            "{dot}"
        );
        graphs.undepend(third, first).expect("it is there");
        assert_eq!(graphs.edges(graph), Ok(vec![edges[0], edges[2]]));
        assert!(graphs.undepend(third, first).is_err(), "it is gone");
        assert!(graphs.depend(third, second).is_err(), "it is there already");
        assert!(graphs.depend(third, third).is_err(), "on itself");
        graphs.add(graph, Work::Free(16), Vec::new()).expect("a node");
        let failed = graphs.remove(third).expect_err("the graph frees memory");
        assert_eq!(failed.code, Code::NotSupported);
    }

    #[test]
    fn a_node_that_is_off_does_nothing() {
        let mut graphs = Graphs::default();
        let graph = graphs.create(PRIMARY);
        let fill = Work::Fill {
            to: 0,
            pitch: 0,
            value: vec![0],
            size: [1, 1],
        };
        let node = graphs.add(graph, fill, Vec::new()).expect("a node");
        let other = graphs.add(graph, Work::Empty, Vec::new()).expect("a node");
        let executable = graphs.instantiate(graph, PRIMARY, 8).expect("no circle");
        assert_eq!(graphs.flags(executable), Ok(8));
        graphs.switch(executable, node, false).expect("of a fill");
        assert_eq!(graphs.is_on(executable, node), Ok(false));
        assert_eq!(graphs.launched(executable).map(|steps| steps.len()), Ok(1));
        graphs.switch(executable, node, true).expect("of a fill");
        assert_eq!(graphs.launched(executable).map(|steps| steps.len()), Ok(2));
        assert!(graphs.switch(executable, other, false).is_err(), "of another type");
    }

    #[test]
    fn an_object_goes_with_its_last_reference() {
        let mut graphs = Graphs::default();
        let graph = graphs.create(PRIMARY);
        let object = graphs.create_object([1, 2], 2);
        assert_eq!(graphs.release(object, 1), Ok(Vec::new()));
        // The last one of the program's own becomes the graph's.
        graphs.hold(graph, object, 1, true).expect("both are there");
        let executable = graphs.instantiate(graph, PRIMARY, 0).expect("no circle");
        assert_eq!(graphs.destroy(graph), Ok(Vec::new()));
        assert_eq!(graphs.destroy_executable(executable), Ok(vec![[1, 2]]));
        assert!(graphs.release(object, 1).is_err(), "it is gone");
        // A graph that has given its last one up is destroyed without it.
        let (graph, object) = (graphs.create(PRIMARY), graphs.create_object([3, 4], 1));
        graphs.hold(graph, object, 1, true).expect("both are there");
        assert_eq!(graphs.let_go(graph, object, 1), Ok(vec![[3, 4]]));
        assert_eq!(graphs.destroy(graph), Ok(Vec::new()));
    }
}
