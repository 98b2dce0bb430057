//! Divergence: which values threads of a block may have differently, and which branches lead them apart.
//!
//! Threads are together where they run the same round of the same block. What they compute from the same operands is the same; what differs comes in where
//! threads read who they are, memory or arguments, and spreads in three ways:
//!
//! * *by data*: what is computed of a value that differs may differ;
//! * *by where threads meet*: a branch on such a value leads threads apart, and where two ways from it join again, before or where all of them do (the branch's
//!   immediate postdominator), a phi has the value of the way that a thread came ([`Ways`]);
//! * *by time*: a loop that such a branch leads some threads out of is left in different rounds, and what changes from round to round is, seen from behind the loop,
//!   of different rounds.
//!
//! This is the synchronisation dependence that Karrenberg and Hack describe, with labels that go along edges (Rosemann, Moll and Hack, "An abstract interpretation
//! for SPMD divergence on reducible control flow graphs"). Where cycles have several entries, all phis count as different.

use std::cell::OnceCell;

use warpsmith_ir::{BlockId, Function, Instruction, InstructionId, Symbols, Type, Value};

use super::{
    dominators::Dominators,
    flow::{Flow, node},
    graph::{Graph, UNREACHED},
    loops::Loops,
    uniform::{self, Rule},
};

/// How many nodes are looked at, for each node of the graph, before all joins are taken to be of different ways.
const WORK: usize = 32;

/// What threads of a block may have differently, in a function as it was when this was computed.
#[derive(Clone, Debug)]
pub struct Divergence {
    /// By instruction: whether threads that run it together may get different values.
    values: Vec<bool>,
    /// By block: whether its end may lead threads that come to it together to different blocks.
    branches: Vec<bool>,
    /// By instruction: whether its value is computed of a phi, so that it may be another one in each round.
    changing: Vec<bool>,
    /// By loop: whether threads may leave it in different rounds.
    leave_apart: Vec<bool>,
    /// By block: whether threads come there that go on; only these are followed.
    is_followed: Vec<bool>,
    loops: Loops,
    arguments: bool,
}

impl Divergence {
    /// What differs in a function.
    pub fn new(symbols: &Symbols, function: &Function) -> Divergence {
        let mut search = Search::new(symbols, function);
        search.start();
        search.spread();
        search.found
    }

    /// Whether all threads that run a block together have the same value there.
    pub fn is_uniform(&self, function: &Function, value: Value, at: BlockId) -> bool {
        let id = match value {
            Value::Constant(_) => return true,
            Value::Argument(_) => return self.arguments,
            Value::Instruction(id) => id,
        };
        let Some(defined) = function.block_of(id) else {
            return false;
        };
        let known = self.values.get(id.index()) == Some(&false);
        known && !(self.changing[id.index()] && self.is_left_apart(node(defined), node(at)))
    }

    /// Whether the end of a block may lead threads that come to it together to different blocks.
    pub fn leads_apart(&self, block: BlockId) -> bool {
        self.branches.get(block.index()).copied().unwrap_or(true)
    }

    /// Whether threads leave a loop around `defined`, and not around `at`, in different rounds.
    fn is_left_apart(&self, defined: u32, at: u32) -> bool {
        if self.is_followed.get(at as usize) != Some(&true) {
            return true;
        }
        let mut around = self.loops.innermost(defined);
        while let Some(index) = around {
            if self.loops.contains(index, at) {
                return false;
            }
            if self.leave_apart[index] {
                return true;
            }
            around = self.loops.get(index).parent;
        }
        false
    }
}

/// [`Divergence`] for a pass that rarely asks: computed with the first question that is not answered by what a value is made of.
#[derive(Debug)]
pub struct Asked<'a> {
    symbols: &'a Symbols,
    function: &'a Function,
    found: OnceCell<Divergence>,
}

impl<'a> Asked<'a> {
    /// Nothing yet.
    pub fn new(symbols: &'a Symbols, function: &'a Function) -> Asked<'a> {
        Asked {
            symbols,
            function,
            found: OnceCell::new(),
        }
    }

    /// As [`Divergence::is_uniform`].
    pub fn is_uniform(&self, value: Value, at: BlockId) -> bool {
        uniform::is_uniform(self.symbols, self.function, value) || self.found().is_uniform(self.function, value, at)
    }

    /// As [`Divergence::leads_apart`].
    pub fn leads_apart(&self, block: BlockId) -> bool {
        self.found().leads_apart(block)
    }

    fn found(&self) -> &Divergence {
        (self.found).get_or_init(|| Divergence::new(self.symbols, self.function))
    }
}

/// The analysis while it works.
struct Search<'a> {
    function: &'a Function,
    flow: Flow,
    /// The control flow of threads that go on: without ways to what is never reached in a program without errors.
    graph: Graph,
    meeting: Dominators,
    /// By instruction: the instructions that use it.
    users: Vec<Vec<InstructionId>>,
    work: Vec<InstructionId>,
    found: Divergence,
    ways: Ways,
    /// How many nodes may still be looked at.
    left: usize,
    gave_up: bool,
}

impl<'a> Search<'a> {
    fn new(symbols: &Symbols, function: &'a Function) -> Search<'a> {
        let flow = Flow::new(function);
        let graph = without_dead_ends(function, &flow);
        let loops = Loops::new(&graph, &Dominators::new(&graph));
        let mut users = vec![Vec::new(); function.instruction_limit()];
        for id in function.all_instructions() {
            for operand in function.instruction(id).operands() {
                if let Value::Instruction(of) = operand {
                    users[of.index()].push(id);
                }
            }
        }
        let meeting = match graph.is_empty() {
            true => Dominators::new(&graph),
            false => Dominators::new(&graph.reversed()),
        };
        Search {
            function,
            meeting,
            users,
            work: Vec::new(),
            found: Divergence {
                values: vec![false; function.instruction_limit()],
                branches: vec![false; function.block_limit()],
                changing: vec![false; function.instruction_limit()],
                leave_apart: vec![false; loops.len()],
                is_followed: (0..graph.len() as u32).map(|at| graph.is_reached(at)).collect(),
                loops,
                arguments: uniform::are_arguments_uniform(symbols, function),
            },
            ways: Ways::new(graph.len()),
            left: graph.len() * WORK,
            gave_up: false,
            flow,
            graph,
        }
    }

    /// What differs by itself, and what changes from round to round.
    fn start(&mut self) {
        let function = self.function;
        let mut changing = Vec::new();
        for id in function.all_instructions() {
            let of_argument = || {
                let mut operands = function.instruction(id).operands().into_iter();
                operands.any(|operand| matches!(operand, Value::Argument(_)))
            };
            let rule = uniform::rule(function, id);
            let is_apart = rule == Rule::Apart && !function.instruction(id).is_terminator();
            if is_apart || !self.found.arguments && of_argument() {
                self.differs(id);
            }
            if rule == Rule::Phi {
                changing.push(id);
            }
        }
        while let Some(id) = changing.pop() {
            if !std::mem::replace(&mut self.found.changing[id.index()], true) {
                changing.extend(&self.users[id.index()]);
            }
        }
        // Of what is not followed no joins and rounds are known.
        for block in function.blocks() {
            for id in function.instructions(block) {
                if !self.graph.is_reached(node(block)) && self.found.changing[id.index()] {
                    self.differs(id);
                }
            }
        }
        if is_irreducible(&self.graph) {
            self.give_up();
        }
    }

    /// Follows what differs to what depends on it.
    fn spread(&mut self) {
        while let Some(id) = self.work.pop() {
            for user in std::mem::take(&mut self.users[id.index()]) {
                self.differs(user);
            }
        }
    }

    /// An instruction may give threads different values, or lead them to different blocks.
    fn differs(&mut self, id: InstructionId) {
        let function = self.function;
        let instruction = function.instruction(id);
        if instruction.is_terminator() {
            let is_chosen = matches!(
                instruction,
                Instruction::ConditionalBranch { .. } | Instruction::Switch { .. } | Instruction::IndirectBranch { .. }
            );
            if let (true, Some(block)) = (is_chosen, function.block_of(id)) {
                self.leads_apart(block);
            }
        } else if function.result_type(id) != Type::Void && !std::mem::replace(&mut self.found.values[id.index()], true)
        {
            self.work.push(id);
        }
    }

    /// The end of a block leads threads apart: what the ways from it join, and the loops that it leads out of.
    fn leads_apart(&mut self, block: BlockId) {
        let is_known = std::mem::replace(&mut self.found.branches[block.index()], true);
        if is_known || self.gave_up || !self.graph.is_reached(node(block)) {
            return;
        }
        let end = self
            .meeting
            .parent(node(block))
            .filter(|&end| (end as usize) < self.graph.len());
        let Some(joins) = self.ways.joins(&self.graph, node(block), end, &mut self.left) else {
            return self.give_up();
        };
        for join in joins {
            self.joins_ways(join);
        }
        let mut around = self.found.loops.innermost(node(block));
        while let Some(index) = around {
            if end.is_some_and(|end| self.found.loops.contains(index, end)) {
                break;
            }
            self.is_left_apart(index);
            around = self.found.loops.get(index).parent;
        }
    }

    /// Threads come to a block by different ways.
    fn joins_ways(&mut self, join: u32) {
        let Some(block) = self.flow.block(join) else { return };
        for phi in self.function.phis(block) {
            let Instruction::Phi { incoming, .. } = self.function.instruction(phi) else {
                continue;
            };
            let mut values = incoming.iter().map(|(_, value)| *value);
            let first = values.next();
            if values.any(|value| Some(value) != first) {
                self.differs(phi);
            }
        }
    }

    /// Threads leave a loop in different rounds: what uses a value of it behind it sees those of different rounds.
    fn is_left_apart(&mut self, index: usize) {
        if std::mem::replace(&mut self.found.leave_apart[index], true) {
            return;
        }
        let function = self.function;
        let mut outside = Vec::new();
        for &inside in &self.found.loops.get(index).blocks {
            let Some(block) = self.flow.block(inside) else { continue };
            for id in function
                .instructions(block)
                .filter(|id| self.found.changing[id.index()])
            {
                // A value that differs anyway has told its users, or will.
                let is_outside = |user: &InstructionId| {
                    let block = function.block_of(*user);
                    block.is_some_and(|block| !self.found.loops.contains(index, node(block)))
                };
                outside.extend(self.users[id.index()].iter().copied().filter(is_outside));
            }
        }
        outside.into_iter().for_each(|user| self.differs(user));
    }

    /// Takes every phi to be different, and with these all that changes from round to round.
    fn give_up(&mut self) {
        self.gave_up = true;
        self.found.leave_apart.fill(true);
        for id in self.function.all_instructions() {
            if self.function.instruction(id).is_phi() {
                self.differs(id);
            }
        }
    }
}

/// Where ways from a branch join.
#[derive(Debug)]
struct Ways {
    /// By node: the last place where a way to it was joined by another, or the branch's successor that it began with.
    labels: Vec<u32>,
    touched: Vec<u32>,
    is_join: Vec<bool>,
}

impl Ways {
    fn new(nodes: usize) -> Ways {
        Ways {
            labels: vec![UNREACHED; nodes],
            touched: Vec::new(),
            is_join: vec![false; nodes],
        }
    }

    /// The nodes where two ways from a branch come together that have nothing in common but the branch; `end` is where all ways pass, if there is such a node.
    /// `None` if that is more work than is left.
    ///
    /// Each way begins with the label of its first node. A node where two labels come together is a join, and gives those behind it a label of its own. In
    /// reverse postorder a node is looked at after those before it, but for ways round a loop.
    fn joins(&mut self, graph: &Graph, branch: u32, end: Option<u32>, left: &mut usize) -> Option<Vec<u32>> {
        let mut heap = std::collections::BinaryHeap::new();
        let mut joins = Vec::new();
        let mut arrive = |ways: &mut Ways, heap: &mut std::collections::BinaryHeap<_>, at: u32, label: u32| {
            let known = ways.labels[at as usize];
            let goes_on = at != branch && Some(at) != end;
            if known == UNREACHED {
                ways.labels[at as usize] = label;
                ways.touched.push(at);
            } else if known == label || std::mem::replace(&mut ways.is_join[at as usize], true) {
                return;
            } else {
                ways.labels[at as usize] = at;
                joins.push(at);
            }
            if goes_on {
                heap.push(std::cmp::Reverse((graph.position(at), at)));
            }
        };
        for &to in graph.successors(branch) {
            arrive(self, &mut heap, to, to);
        }
        let mut is_done = true;
        while let Some(std::cmp::Reverse((_, at))) = heap.pop() {
            let Some(less) = left.checked_sub(1) else {
                is_done = false;
                break;
            };
            *left = less;
            let label = self.labels[at as usize];
            for &to in graph.successors(at) {
                arrive(self, &mut heap, to, label);
            }
        }
        for at in self.touched.drain(..) {
            self.labels[at as usize] = UNREACHED;
            self.is_join[at as usize] = false;
        }
        is_done.then_some(joins)
    }
}

/// The control flow without ways to blocks that end in `unreachable`, or lead to such blocks alone: threads that go there go no further, and wait for none.
fn without_dead_ends(function: &Function, flow: &Flow) -> Graph {
    let graph = &flow.graph;
    let mut is_dead = vec![false; graph.len()];
    // The way to what is dead is found bottom up; ways round loops do not count.
    for &at in graph.order().iter().rev() {
        let end = flow.block(at).and_then(|block| function.terminator(block));
        let is_end = end.is_some_and(|end| matches!(function.instruction(end), Instruction::Unreachable));
        let successors = graph.successors(at);
        is_dead[at as usize] = is_end || !successors.is_empty() && successors.iter().all(|&to| is_dead[to as usize]);
    }
    if graph.is_empty() || is_dead[graph.entry() as usize] || !is_dead.contains(&true) {
        return graph.clone();
    }
    Graph::new(graph.len(), graph.entry(), |from, list| {
        list.extend(
            graph
                .successors(from)
                .iter()
                .copied()
                .filter(|&to| !is_dead[to as usize]),
        );
    })
}

/// Whether a cycle has several entries.
fn is_irreducible(graph: &Graph) -> bool {
    let dominators = Dominators::new(graph);
    graph.order().iter().any(|&from| {
        let back = |to: u32| graph.position(to) <= graph.position(from) && !dominators.dominates(to, from);
        graph.successors(from).iter().any(|&to| back(to))
    })
}

#[cfg(test)]
mod tests;
