//! Graphs of work, what is made of them to be launched, and streams whose work is captured into one.

use std::collections::{BTreeMap, BTreeSet};

mod capture;
mod node;
mod structure;

pub(crate) use self::node::{Allocation, Attributes, ValueStep, WaitFor};
use self::structure::{Destroyed, Object, References};
use super::{ContextId, Extents};
use crate::memory::{Region, Side};
use crate::result::{Code, Failed};

/// What a node of a graph does.
#[derive(Clone, Debug)]
pub(crate) enum Work {
    Kernel {
        kernel: usize,
        /// The kernel of a library that the program named, and not a function.
        library: Option<usize>,
        extents: Extents,
        arguments: Vec<Vec<u8>>,
    },
    /// Bytes.
    Copy {
        to: Side,
        from: Side,
        bytes: usize,
    },
    /// Rows and slices of bytes.
    CopyRows {
        to: Region,
        from: Region,
        size: [usize; 3],
    },
    /// Rows of a value.
    Fill {
        to: u64,
        pitch: u64,
        value: Vec<u8>,
        size: [usize; 2],
    },
    /// A call of the program: the addresses of a function and of its data.
    Host {
        function: usize,
        data: usize,
    },
    Record(usize),
    /// For an event, whose work is done as soon as it is recorded.
    Wait(usize),
    Empty,
    /// The steps of a graph that is launched within another.
    Graph(Vec<Step>),
    /// A graph that is the node's own, copied or moved when the node was added.
    Child(usize),
    /// Memory that is there as long as its context.
    Allocate(Allocation),
    /// The memory at an address.
    Free(u64),
    /// Values of memory that are written or waited for.
    Values(Vec<ValueStep>),
    Choice(Choice),
}

/// What a conditional node does.
#[derive(Clone, Debug)]
pub(crate) struct Choice {
    /// The address of the word that decides, which is its handle.
    pub(crate) word: u64,
    pub(crate) kind: ChoiceKind,
    /// The graphs that it chooses among.
    pub(crate) graphs: Vec<usize>,
    /// Their steps, in what can be launched.
    pub(crate) steps: Vec<Vec<Step>>,
}

/// How a conditional node chooses (`CUgraphConditionalNodeType`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ChoiceKind {
    /// The first graph where the word is not zero, else the second.
    If,
    /// The graph as long as the word is not zero.
    While,
    /// The graph of the number.
    Switch,
}

impl Choice {
    /// The steps that come next where the word has a value; nothing ends the node.
    pub(crate) fn next(&self, value: u32) -> Option<&Vec<Step>> {
        let index = match self.kind {
            ChoiceKind::If => usize::from(value == 0),
            ChoiceKind::While if value == 0 => return None,
            ChoiceKind::While => 0,
            ChoiceKind::Switch => value as usize,
        };
        self.steps.get(index)
    }
}

impl Work {
    /// Its number in `CUgraphNodeType`.
    pub(crate) fn number(&self) -> i32 {
        match self {
            Work::Kernel { .. } => 0,
            Work::Copy { .. } | Work::CopyRows { .. } => 1,
            Work::Fill { .. } => 2,
            Work::Host { .. } => 3,
            Work::Graph(_) | Work::Child(_) => 4,
            Work::Empty => 5,
            Work::Wait(_) => 6,
            Work::Record(_) => 7,
            Work::Allocate(_) => 10,
            Work::Free(_) => 11,
            Work::Values(_) => 12,
            Work::Choice(_) => 13,
        }
    }
}

impl Work {
    /// What its type is called, as `CUgraphNodeType` has it.
    pub(crate) fn kind_name(&self) -> &'static str {
        match self {
            Work::Kernel { .. } => "KERNEL",
            Work::Copy { .. } | Work::CopyRows { .. } => "MEMCPY",
            Work::Fill { .. } => "MEMSET",
            Work::Host { .. } => "HOST",
            Work::Graph(_) | Work::Child(_) => "GRAPH",
            Work::Empty => "EMPTY",
            Work::Wait(_) => "WAIT_EVENT",
            Work::Record(_) => "EVENT_RECORD",
            Work::Allocate(_) => "MEM_ALLOC",
            Work::Free(_) => "MEM_FREE",
            Work::Values(_) => "BATCH_MEM_OP",
            Work::Choice(_) => "CONDITIONAL",
        }
    }
}

/// A piece of work, and the node that it is of.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    node: usize,
    pub(crate) work: Work,
}

#[derive(Debug)]
struct Node {
    graph: usize,
    work: Work,
    after: Vec<usize>,
    /// The node that it was cloned from.
    origin: Option<usize>,
}

#[derive(Debug)]
struct Graph {
    nodes: Vec<usize>,
    /// The words that decide in conditional nodes.
    conditions: BTreeSet<u64>,
    /// Addresses of words and the values that they have when the graph is launched.
    defaults: Vec<(u64, u32)>,
    /// Objects of the program that it keeps.
    objects: References,
    context: ContextId,
}

#[derive(Debug)]
struct Executable {
    steps: Vec<Step>,
    /// Nodes that do nothing for now.
    off: BTreeSet<usize>,
    /// As the program gave them.
    flags: u64,
    objects: References,
    context: ContextId,
}

/// A stream whose work becomes nodes.
#[derive(Clone, Debug)]
struct Capture {
    graph: usize,
    number: u64,
    /// It is the stream that began: others have joined by waiting for it.
    began: bool,
    /// Something was asked of it that a captured stream cannot do: the capture comes to nothing.
    is_invalid: bool,
    /// What the next node comes after.
    last: Vec<usize>,
}

/// How far an executable graph follows a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Update {
    Done,
    /// The graphs have other nodes.
    Topology,
    /// A node does something of another kind.
    Kind(usize),
}

/// All graphs.
#[derive(Debug, Default)]
pub(crate) struct Graphs {
    nodes: Vec<Option<Node>>,
    graphs: Vec<Option<Graph>>,
    executables: Vec<Option<Executable>>,
    objects: Vec<Option<Object>>,
    /// By the handles of the streams.
    captures: BTreeMap<u64, Capture>,
    /// Events that were recorded in such streams: the number of the capture, and what waits for them comes after.
    marks: BTreeMap<usize, (u64, Vec<usize>)>,
    begun: u64,
    /// Where memory of allocation nodes starts, and whose it is.
    memory: BTreeMap<u64, ContextId>,
    /// Attributes of kernel nodes that launches do not need, by node and number.
    attributes: BTreeMap<(usize, u32), Attributes>,
    /// Where the parameters of kernel nodes are that programs have asked for.
    shown: BTreeMap<usize, Vec<usize>>,
}

fn invalid(reason: impl std::fmt::Display) -> Failed {
    Failed::new(Code::InvalidValue, reason)
}

impl Graphs {
    fn graph(&mut self, graph: usize) -> Result<&mut Graph, Failed> {
        let found = self.graphs.get_mut(graph).and_then(Option::as_mut);
        found.ok_or_else(|| invalid("there is no such graph"))
    }

    fn node(&self, node: usize) -> Result<&Node, Failed> {
        let found = self.nodes.get(node).and_then(Option::as_ref);
        found.ok_or_else(|| invalid("there is no such node of a graph"))
    }

    fn executable(&mut self, executable: usize) -> Result<&mut Executable, Failed> {
        let found = self.executables.get_mut(executable).and_then(Option::as_mut);
        found.ok_or_else(|| invalid("there is no such executable graph"))
    }

    /// Memory that starts here is a graph's.
    pub(crate) fn keep(&mut self, address: u64, context: ContextId) {
        self.memory.insert(address, context);
    }

    /// Whether memory that starts here is a graph's: a later launch has it again, whoever frees it.
    pub(crate) fn is_kept(&self, address: u64) -> bool {
        self.memory.contains_key(&address)
    }

    /// Where the memory of a context's graphs starts.
    pub(crate) fn kept(&self, context: ContextId) -> Vec<u64> {
        let own = self.memory.iter().filter(|(_, of)| **of == context);
        own.map(|(address, _)| *address).collect()
    }

    /// Makes an empty graph.
    pub(crate) fn create(&mut self, context: ContextId) -> usize {
        self.graphs.push(Some(Graph {
            nodes: Vec::new(),
            conditions: BTreeSet::new(),
            defaults: Vec::new(),
            objects: References::new(),
            context,
        }));
        self.graphs.len() - 1
    }

    /// Destroys a graph, and objects that nothing else keeps.
    pub(crate) fn destroy(&mut self, graph: usize) -> Result<Destroyed, Failed> {
        let mut calls = Destroyed::new();
        for node in std::mem::take(&mut self.graph(graph)?.nodes) {
            calls.extend(self.end_node(node)?);
        }
        let objects = std::mem::take(&mut self.graph(graph)?.objects);
        self.graphs[graph] = None;
        calls.extend(self.release_all(objects)?);
        Ok(calls)
    }

    /// Adds a node that comes after others of its graph.
    pub(crate) fn add(&mut self, graph: usize, work: Work, after: Vec<usize>) -> Result<usize, Failed> {
        self.graph(graph)?;
        for node in &after {
            if self.node(*node)?.graph != graph {
                return Err(invalid("a node depends on one of another graph"));
            }
        }
        self.nodes.push(Some(Node {
            graph,
            work,
            after,
            origin: None,
        }));
        let node = self.nodes.len() - 1;
        self.graph(graph)?.nodes.push(node);
        Ok(node)
    }

    /// A word decides in conditional nodes of a graph.
    pub(crate) fn add_condition(&mut self, graph: usize, word: u64) -> Result<(), Failed> {
        self.graph(graph)?.conditions.insert(word);
        Ok(())
    }

    /// Whether a word decides in conditional nodes of a graph.
    pub(crate) fn has_condition(&mut self, graph: usize, word: u64) -> Result<bool, Failed> {
        Ok(self.graph(graph)?.conditions.contains(&word))
    }

    /// A word has a value when the graph is launched.
    pub(crate) fn set_default(&mut self, graph: usize, word: u64, value: u32) -> Result<(), Failed> {
        self.graph(graph)?.defaults.push((word, value));
        Ok(())
    }

    /// The work of a node in what can be launched.
    fn launch_work(&mut self, node: usize) -> Result<Work, Failed> {
        let mut work = self.node(node)?.work.clone();
        match &mut work {
            // The steps are all that is launched: the graphs stay the node's, and are destroyed with it alone.
            Work::Choice(choice) if !choice.graphs.is_empty() => {
                let graphs = std::mem::take(&mut choice.graphs);
                let steps = graphs.into_iter().map(|graph| self.steps(graph));
                choice.steps = steps.collect::<Result<_, _>>()?;
            }
            Work::Child(graph) => work = Work::Graph(self.steps(*graph)?),
            _ => {}
        }
        Ok(work)
    }

    /// Lets a node come after another one, too.
    pub(crate) fn depend(&mut self, node: usize, on: usize) -> Result<(), Failed> {
        if self.node(on)?.graph != self.node(node)?.graph {
            return Err(invalid("a node depends on one of another graph"));
        }
        if on == node || self.node(node)?.after.contains(&on) {
            return Err(invalid("a node depends on itself, or on another one twice"));
        }
        if let Some(node) = self.nodes[node].as_mut() {
            node.after.push(on);
        }
        Ok(())
    }

    /// Takes a node out of its graph; gives what is destroyed with it.
    pub(crate) fn remove(&mut self, node: usize) -> Result<Destroyed, Failed> {
        let graph = self.node(node)?.graph;
        self.may_lose_parts(graph)?;
        let calls = self.end_node(node)?;
        let nodes = self.graph(graph)?.nodes.clone();
        for other in nodes {
            if let Some(other) = self.nodes[other].as_mut() {
                other.after.retain(|on| *on != node);
            }
        }
        self.graph(graph)?.nodes.retain(|own| *own != node);
        Ok(calls)
    }

    /// The nodes of a graph as they were added; with `roots` those alone that come after none.
    pub(crate) fn nodes(&mut self, graph: usize, roots: bool) -> Result<Vec<usize>, Failed> {
        let nodes = self.graph(graph)?.nodes.clone();
        let is_wanted = |node: &usize| !roots || self.node(*node).is_ok_and(|node| node.after.is_empty());
        Ok(nodes.into_iter().filter(is_wanted).collect())
    }

    /// What a node comes after.
    pub(crate) fn after(&self, node: usize) -> Result<Vec<usize>, Failed> {
        self.node(node).map(|node| node.after.clone())
    }

    pub(crate) fn work(&self, node: usize) -> Result<&Work, Failed> {
        self.node(node).map(|node| &node.work)
    }

    /// Lets a node do something else of the same kind.
    pub(crate) fn set_work(&mut self, node: usize, work: Work) -> Result<(), Failed> {
        if self.node(node)?.work.number() != work.number() {
            return Err(invalid("the node is of another type"));
        }
        self.shown.remove(&node);
        if let Some(node) = self.nodes[node].as_mut() {
            node.work = work;
        }
        Ok(())
    }

    /// The steps of a graph in an order that its nodes allow: of those that can be next the one that was added first.
    pub(crate) fn steps(&mut self, graph: usize) -> Result<Vec<Step>, Failed> {
        let nodes = self.graph(graph)?.nodes.clone();
        let mut missing = BTreeMap::new();
        let mut behind: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for node in &nodes {
            let after = &self.node(*node)?.after;
            missing.insert(*node, after.len());
            for on in after {
                behind.entry(*on).or_default().push(*node);
            }
        }
        let mut ready: BTreeSet<usize> = missing
            .iter()
            .filter(|(_, count)| **count == 0)
            .map(|(node, _)| *node)
            .collect();
        let defaults = self.graph(graph)?.defaults.clone();
        let set = |(word, value): (u64, u32)| Step {
            node: usize::MAX,
            work: Work::Fill {
                to: word,
                pitch: 4,
                value: value.to_le_bytes().to_vec(),
                size: [1, 1],
            },
        };
        let mut steps: Vec<Step> = defaults.into_iter().map(set).collect();
        let first = steps.len();
        while let Some(node) = ready.pop_first() {
            let work = self.launch_work(node)?;
            steps.push(Step { node, work });
            for next in behind.get(&node).into_iter().flatten() {
                if let Some(count) = missing.get_mut(next) {
                    *count -= 1;
                    if *count == 0 {
                        ready.insert(*next);
                    }
                }
            }
        }
        match steps.len() - first == nodes.len() {
            true => Ok(steps),
            false => Err(invalid("the nodes of the graph wait for each other in a circle")),
        }
    }

    /// Makes a graph that can be launched.
    pub(crate) fn instantiate(&mut self, graph: usize, context: ContextId, flags: u64) -> Result<usize, Failed> {
        let executable = Executable {
            steps: self.steps(graph)?,
            off: BTreeSet::new(),
            flags,
            objects: self.held_again(graph)?,
            context,
        };
        self.executables.push(Some(executable));
        Ok(self.executables.len() - 1)
    }

    pub(crate) fn launched(&mut self, executable: usize) -> Result<Vec<Step>, Failed> {
        let found = self.executable(executable)?;
        let steps = found.steps.iter().filter(|step| !found.off.contains(&step.node));
        Ok(steps.cloned().collect())
    }

    /// Destroys what can be launched, and objects that nothing else keeps.
    pub(crate) fn destroy_executable(&mut self, executable: usize) -> Result<Destroyed, Failed> {
        let objects = std::mem::take(&mut self.executable(executable)?.objects);
        self.executables[executable] = None;
        self.release_all(objects)
    }

    /// A copy of a graph.
    pub(crate) fn copy(&mut self, graph: usize, context: ContextId) -> Result<usize, Failed> {
        let nodes = self.graph(graph)?.nodes.clone();
        let is_choice = |node: &usize| self.work(*node).is_ok_and(|work| matches!(work, Work::Choice(_)));
        if nodes.iter().any(is_choice) {
            return Err(invalid("a graph with a conditional node is not copied"));
        }
        let copy = self.create(context);
        self.graph(copy)?.objects = self.held_again(graph)?;
        let mut made = BTreeMap::new();
        for node in &nodes {
            let work = match self.node(*node)?.work.clone() {
                Work::Child(child) => Work::Child(self.copy(child, context)?),
                work => work,
            };
            let new = self.add(copy, work, Vec::new())?;
            self.copy_attributes(new, *node)?;
            made.insert(*node, new);
        }
        for node in nodes {
            let after = self
                .node(node)?
                .after
                .iter()
                .filter_map(|on| made.get(on).copied())
                .collect();
            if let Some(new) = made.get(&node).and_then(|new| self.nodes[*new].as_mut()) {
                (new.after, new.origin) = (after, Some(node));
            }
        }
        Ok(copy)
    }

    /// The node of a copy that was made of a node.
    pub(crate) fn in_copy(&mut self, of: usize, copy: usize) -> Result<usize, Failed> {
        let nodes = self.graph(copy)?.nodes.clone();
        let found = nodes
            .into_iter()
            .find(|node| self.node(*node).is_ok_and(|node| node.origin == Some(of)));
        found.ok_or_else(|| invalid("the graph has no copy of the node"))
    }

    /// Lets an executable graph do what a graph does that has the same nodes.
    pub(crate) fn update(&mut self, executable: usize, graph: usize) -> Result<(Update, Destroyed), Failed> {
        let steps = self.steps(graph)?;
        let own = self.executable(executable)?;
        if own.steps.len() != steps.len() {
            return Ok((Update::Topology, Destroyed::new()));
        }
        for (old, new) in own.steps.iter().zip(&steps) {
            if old.work.number() != new.work.number() {
                return Ok((Update::Kind(new.node), Destroyed::new()));
            }
        }
        for (old, new) in own.steps.iter_mut().zip(steps) {
            old.work = new.work;
        }
        // It keeps the objects of the graph that it follows, and no others.
        let kept = self.held_again(graph)?;
        let before = std::mem::replace(&mut self.executable(executable)?.objects, kept);
        Ok((Update::Done, self.release_all(before)?))
    }

    /// Lets the step of a node do something else of the same kind.
    pub(crate) fn set_step(&mut self, executable: usize, node: usize, work: Work) -> Result<(), Failed> {
        let steps = &mut self.executable(executable)?.steps;
        let step = steps.iter_mut().find(|step| step.node == node);
        match step {
            Some(step) if step.work.number() == work.number() => {
                step.work = work;
                Ok(())
            }
            _ => Err(invalid("the executable graph has no such node of this type")),
        }
    }

    /// What is of a context goes.
    pub(super) fn end_context(&mut self, context: ContextId) {
        for graph in 0..self.graphs.len() {
            let is_own = |graph: &Graph| graph.context == context;
            if self.graphs[graph].as_ref().is_some_and(is_own) {
                // It is there.
                let _ = self.destroy(graph);
            }
        }
        for executable in &mut self.executables {
            executable.take_if(|executable| executable.context == context);
        }
        self.memory.retain(|_, of| *of != context);
        let graphs = &self.graphs;
        self.captures.retain(|_, capture| graphs[capture.graph].is_some());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::PRIMARY;

    /// The events that the steps record, which tell them apart.
    fn recorded(steps: &[Step]) -> Vec<usize> {
        let number = |step: &Step| match step.work {
            Work::Record(number) => number,
            _ => usize::MAX,
        };
        steps.iter().map(number).collect()
    }

    #[test]
    fn steps_come_after_what_they_depend_on() {
        let mut graphs = Graphs::default();
        let graph = graphs.create(PRIMARY);
        let last = graphs.add(graph, Work::Record(3), Vec::new()).expect("a node");
        let first = graphs.add(graph, Work::Record(1), Vec::new()).expect("a node");
        let middle = graphs.add(graph, Work::Record(2), vec![first]).expect("a node");
        graphs.depend(last, middle).expect("both are there");
        assert_eq!(recorded(&graphs.steps(graph).expect("no circle")), [1, 2, 3]);
        assert_eq!(graphs.nodes(graph, true).expect("it is there"), [first]);
        let copy = graphs.copy(graph, PRIMARY).expect("it is there");
        assert_eq!(recorded(&graphs.steps(copy).expect("no circle")), [1, 2, 3]);
        graphs.depend(first, last).expect("both are there");
        assert!(graphs.steps(graph).is_err(), "a circle");
    }

    #[test]
    fn an_executable_graph_follows_one_of_the_same_nodes() {
        let mut graphs = Graphs::default();
        let graph = graphs.create(PRIMARY);
        let node = graphs.add(graph, Work::Record(1), Vec::new()).expect("a node");
        let executable = graphs.instantiate(graph, PRIMARY, 0).expect("no circle");
        graphs.set_work(node, Work::Record(2)).expect("of the same type");
        assert!(graphs.set_work(node, Work::Empty).is_err());
        assert_eq!(recorded(&graphs.launched(executable).expect("it is there")), [1]);
        assert_eq!(graphs.update(executable, graph), Ok((Update::Done, Vec::new())));
        assert_eq!(recorded(&graphs.launched(executable).expect("it is there")), [2]);
        graphs.add(graph, Work::Empty, Vec::new()).expect("a node");
        assert_eq!(graphs.update(executable, graph), Ok((Update::Topology, Vec::new())));
    }
}
