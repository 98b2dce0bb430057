//! What nodes of graphs have beside their place: graphs of their own, attributes, and parameters that programs ask for.

use super::structure::Destroyed;
use super::{Graphs, Step, Work, invalid};
use crate::result::Failed;
use crate::state::ContextId;

/// The value of an attribute of a kernel node (`CUlaunchAttributeValue`), of 64 bytes.
pub(crate) type Attributes = [u64; 8];

/// Memory of a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Allocation {
    pub(crate) address: u64,
    pub(crate) bytes: usize,
    /// `CUmemPoolProps`, and the places that have access, as the program gave them.
    pub(crate) pool: [u64; 13],
}

/// A step of `cuStreamBatchMemOp`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ValueStep {
    /// Of 4 or 8 bytes.
    Write { address: u64, value: u64, bytes: usize },
    /// Of 4 or 8 bytes, by `CUstreamWaitValue_flags`.
    Wait {
        address: u64,
        value: u64,
        bytes: usize,
        how: WaitFor,
    },
    /// What was written before is seen: everything is.
    Barrier,
}

/// When a wait for a value ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WaitFor {
    /// As soon as the difference is not negative, wrapping around.
    AtLeast,
    Equal,
    /// As soon as they have a bit in common.
    AnyBit,
    /// As soon as a bit is zero in both.
    AnyBitOfNeither,
}

impl WaitFor {
    /// Whether memory that holds `held` is what was waited for, of numbers of so many bytes.
    pub(crate) fn is_met(self, held: u64, value: u64, bytes: usize) -> bool {
        let shift = 64 - 8 * bytes as u32;
        let (held, value) = (held << shift, value << shift);
        match self {
            WaitFor::AtLeast => held.wrapping_sub(value) as i64 >= 0,
            WaitFor::Equal => held == value,
            WaitFor::AnyBit => held & value != 0,
            WaitFor::AnyBitOfNeither => !(held | value) >> shift != 0,
        }
    }
}

impl Graphs {
    /// Forgets a node, with the graphs that are its own.
    pub(super) fn end_node(&mut self, node: usize) -> Result<Destroyed, Failed> {
        self.shown.remove(&node);
        self.attributes.retain(|(of, _), _| *of != node);
        let owned = match self.nodes[node].take().map(|node| node.work) {
            Some(Work::Child(graph)) => vec![graph],
            Some(Work::Choice(choice)) => choice.graphs,
            _ => Vec::new(),
        };
        let mut calls = Destroyed::new();
        for graph in owned {
            // The program may have destroyed it.
            if self.graphs[graph].is_some() {
                calls.extend(self.destroy(graph)?);
            }
        }
        Ok(calls)
    }

    /// The graph that is a node's own.
    pub(crate) fn child(&self, node: usize) -> Result<usize, Failed> {
        match self.work(node)? {
            Work::Child(graph) => Ok(*graph),
            _ => Err(invalid("the node has no graph of its own")),
        }
    }

    /// A graph of steps one after the other.
    pub(super) fn chain(&mut self, steps: Vec<Step>, context: ContextId) -> Result<usize, Failed> {
        let graph = self.create(context);
        let mut last = Vec::new();
        for step in steps {
            last = vec![self.add(graph, step.work, last)?];
        }
        Ok(graph)
    }

    /// An attribute of a kernel node that launches do not need; nothing was set.
    pub(crate) fn attribute(&self, node: usize, number: u32) -> Option<Attributes> {
        self.attributes.get(&(node, number)).copied()
    }

    /// Sets one.
    pub(crate) fn set_attribute(&mut self, node: usize, number: u32, value: Attributes) {
        self.attributes.insert((node, number), value);
    }

    /// Gives a node the attributes of another: those that launches do not need.
    pub(crate) fn copy_attributes(&mut self, to: usize, from: usize) -> Result<(), Failed> {
        self.node(from)?;
        self.node(to)?;
        self.attributes.retain(|(of, _), _| *of != to);
        let own = self.attributes.range((from, 0)..=(from, u32::MAX));
        let own: Vec<(u32, Attributes)> = own.map(|((_, number), value)| (*number, *value)).collect();
        for (number, value) in own {
            self.attributes.insert((to, number), value);
        }
        Ok(())
    }

    /// The addresses of the parameters of a kernel node, in a list that stays until the node changes.
    pub(crate) fn shown(&mut self, node: usize) -> Result<&[usize], Failed> {
        let Work::Kernel { arguments, .. } = self.work(node)? else {
            return Err(invalid("the node is of another type"));
        };
        let places = arguments
            .iter()
            .map(|bytes| bytes.as_ptr().expose_provenance())
            .collect();
        Ok(self.shown.entry(node).or_insert(places))
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Choice, ChoiceKind};
    use super::*;
    use crate::state::PRIMARY;

    #[test]
    fn a_child_goes_with_its_node() {
        let mut graphs = Graphs::default();
        let (graph, child) = (graphs.create(PRIMARY), graphs.create(PRIMARY));
        graphs.add(child, Work::Empty, Vec::new()).expect("a node");
        let node = graphs.add(graph, Work::Child(child), Vec::new()).expect("a node");
        assert_eq!(graphs.child(node), Ok(child));
        let copy = graphs.copy(graph, PRIMARY).expect("it is there");
        graphs.remove(node).expect("it is there");
        assert!(graphs.nodes(child, false).is_err(), "it is gone");
        let copied = graphs.nodes(copy, false).expect("it is there")[0];
        let own = graphs.child(copied).expect("a copy of its own");
        graphs.destroy(copy).expect("it is there");
        assert!(graphs.nodes(own, false).is_err(), "it is gone, too");
    }

    /// A graph that was launched in a captured stream leaves the conditional node's graphs to the node.
    #[test]
    fn a_launched_choice_owns_no_graphs() {
        let mut graphs = Graphs::default();
        let (graph, body) = (graphs.create(PRIMARY), graphs.create(PRIMARY));
        graphs.add(body, Work::Empty, Vec::new()).expect("a node");
        let choice = Choice {
            word: 16,
            kind: ChoiceKind::If,
            graphs: vec![body],
            steps: Vec::new(),
        };
        graphs.add(graph, Work::Choice(choice), Vec::new()).expect("a node");
        let steps = graphs.steps(graph).expect("no circle");
        let chain = graphs.chain(steps, PRIMARY).expect("they follow each other");
        let again = graphs.steps(chain).expect("no circle");
        assert!(matches!(&again[0].work, Work::Choice(choice) if choice.steps.len() == 1));
        graphs.destroy(chain).expect("it is there");
        assert_eq!(
            graphs.nodes(body, false).map(|nodes| nodes.len()),
            Ok(1),
            "it is the node's"
        );
    }

    #[test]
    fn a_wait_ends_as_it_says() {
        let met = |how: WaitFor, held, value| how.is_met(held, value, 4);
        assert!(met(WaitFor::AtLeast, 5, 5) && met(WaitFor::AtLeast, 6, 5) && !met(WaitFor::AtLeast, 4, 5));
        assert!(met(WaitFor::AtLeast, 1, 0xffff_ffff), "it has wrapped around");
        assert!(met(WaitFor::Equal, 5, 5) && !met(WaitFor::Equal, 6, 5));
        assert!(met(WaitFor::AnyBit, 6, 2) && !met(WaitFor::AnyBit, 5, 2));
        assert!(met(WaitFor::AnyBitOfNeither, 0, 1) && !met(WaitFor::AnyBitOfNeither, 0xffff_fffe, 1));
    }

    #[test]
    fn attributes_are_copied_from_node_to_node() {
        let mut graphs = Graphs::default();
        let graph = graphs.create(PRIMARY);
        let first = graphs.add(graph, Work::Empty, Vec::new()).expect("a node");
        let second = graphs.add(graph, Work::Empty, Vec::new()).expect("a node");
        graphs.set_attribute(first, 8, [3; 8]);
        graphs.copy_attributes(second, first).expect("both are there");
        assert_eq!(graphs.attribute(second, 8), Some([3; 8]));
        assert_eq!(graphs.attribute(second, 9), None);
    }
}
