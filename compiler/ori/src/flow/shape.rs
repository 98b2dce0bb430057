//! Blocks with their ways out as data: what passes over control flow work on. Made from a function, changed freely, written back in an order of one's choice.

use rustc_hash::FxHashSet;
use smallvec::SmallVec;
use warpsmith_sass::{FieldName, Flow, Opcode};

use crate::{
    graph::{ControlFlow, Edges, has_trap},
    ir::{Block, BlockId, Function, Guard, Instruction},
    select::{Request, Selector},
};

/// How control leaves a node.
#[derive(Clone, Debug)]
pub(crate) enum End {
    /// To another node.
    Jump(usize),
    /// To one of two.
    Branch(Branch),
    /// To one of several, by an index.
    Table(Table),
    /// Not at all: the last instruction ends the threads or returns.
    Stop,
}

/// A conditional branch.
#[derive(Clone, Debug)]
pub(crate) struct Branch {
    /// The instruction; its own target means nothing.
    pub(crate) instruction: Instruction,
    /// Where threads go for which its condition holds.
    pub(crate) taken: usize,
    /// Where the others go.
    pub(crate) other: usize,
}

/// A branch by a table.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    /// The instruction; the blocks that its own table names mean nothing.
    pub(crate) instruction: Instruction,
    /// Where threads go, in order of the index.
    pub(crate) targets: Vec<usize>,
}

impl Branch {
    /// The guard, if it alone is the condition.
    pub(crate) fn condition(&self) -> Option<Guard> {
        let more = self
            .instruction
            .operands
            .iter()
            .any(|operand| operand.field == FieldName::Pp);
        self.instruction.guard.filter(|_| !more)
    }

    /// The same branch with the opposite condition; `None` where there is none.
    fn inverted(&self) -> Option<Branch> {
        let guard = self.condition()?;
        let mut instruction = self.instruction.clone();
        instruction.guard = Some(opposite(guard));
        Some(Branch {
            instruction,
            taken: self.other,
            other: self.taken,
        })
    }
}

/// The opposite of a guard.
pub(crate) fn opposite(guard: Guard) -> Guard {
    Guard {
        negated: !guard.negated,
        ..guard
    }
}

/// Instructions that are run one after the other, and where control goes then. Threads may end within.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) code: Vec<Instruction>,
    pub(crate) end: End,
}

impl Node {
    /// Where control may go.
    pub(crate) fn targets(&self) -> impl Iterator<Item = usize> + use<> {
        let targets: SmallVec<[usize; 2]> = match &self.end {
            End::Jump(to) => SmallVec::from_slice(&[*to]),
            End::Branch(branch) => SmallVec::from_slice(&[branch.taken, branch.other]),
            End::Table(table) => SmallVec::from_slice(&table.targets),
            End::Stop => SmallVec::new(),
        };
        targets.into_iter()
    }

    /// The instruction by which control leaves for one of several nodes.
    pub(crate) fn branch(&self) -> Option<&Instruction> {
        match &self.end {
            End::Branch(branch) => Some(&branch.instruction),
            End::Table(table) => Some(&table.instruction),
            End::Jump(_) | End::Stop => None,
        }
    }

    /// The instructions, the branch last.
    pub(crate) fn instructions_mut(&mut self) -> impl Iterator<Item = &mut Instruction> {
        let branch = match &mut self.end {
            End::Branch(branch) => Some(&mut branch.instruction),
            End::Table(table) => Some(&mut table.instruction),
            End::Jump(_) | End::Stop => None,
        };
        self.code.iter_mut().chain(branch)
    }

    pub(crate) fn targets_mut(&mut self) -> impl Iterator<Item = &mut usize> {
        let (list, other): (&mut [usize], _) = match &mut self.end {
            End::Jump(to) => (std::slice::from_mut(to), None),
            End::Branch(branch) => (std::slice::from_mut(&mut branch.taken), Some(&mut branch.other)),
            End::Table(table) => (&mut table.targets, None),
            End::Stop => (&mut [], None),
        };
        list.iter_mut().chain(other)
    }
}

/// The node of a block that control leaves at its last instruction alone, as it leaves most; else the code again.
fn whole(mut code: Vec<Instruction>, next: Option<usize>) -> Result<Node, Vec<Instruction>> {
    let leaves = |instruction: &Instruction| match instruction.base.flow() {
        Flow::Branch | Flow::Indirect => true,
        Flow::Exit | Flow::Return => !instruction.falls_through(),
        _ => false,
    };
    let Some((last, before)) = code.split_last() else {
        let end = next.map_or(End::Stop, End::Jump);
        return Ok(Node { code, end });
    };
    if before.iter().any(leaves) {
        return Err(code);
    }
    let end = match (last.base.flow(), last.target, next) {
        (Flow::Branch, Some(target), _) if !last.falls_through() => End::Jump(target.0 as usize),
        (Flow::Branch, Some(target), Some(other)) => End::Branch(Branch {
            taken: target.0 as usize,
            other,
            instruction: last.clone(),
        }),
        (Flow::Branch | Flow::Indirect, ..) => return Err(code),
        (Flow::Exit | Flow::Return, ..) if !last.falls_through() => End::Stop,
        _ => next.map_or(End::Stop, End::Jump),
    };
    if matches!(end, End::Branch(_)) || last.base.flow() == Flow::Branch {
        code.pop();
    }
    Ok(Node { code, end })
}

/// The control flow of a function. Node 0 is the entry.
#[derive(Debug)]
pub(crate) struct Shape {
    pub(crate) nodes: Vec<Node>,
    /// Nodes that instructions name which are no branches: they stay.
    pub(crate) pinned: Vec<bool>,
    /// An unconditional branch.
    jump: Instruction,
}

impl Shape {
    /// Takes the blocks out of a function. `None`, and the function as it was, if it has ways of control that a shape cannot hold: branches by address
    /// without a table.
    pub(crate) fn take(function: &mut Function, selector: &Selector) -> Option<Shape> {
        let fits = |instruction: &Instruction| match instruction.base.flow() {
            Flow::Branch => instruction.base.opcode() == Opcode::Bra && instruction.target.is_some(),
            Flow::Indirect => instruction.table.is_some() && !instruction.falls_through(),
            _ => true,
        };
        if !function.blocks.iter().flat_map(|block| &block.code).all(fits) || function.blocks.is_empty() {
            return None;
        }
        let mut code = Vec::new();
        let request = Request::new(Opcode::Bra).form("L").target(BlockId(0));
        selector.emit(function, &mut code, request).ok()?;
        let mut shape = Shape {
            nodes: Vec::with_capacity(function.blocks.len()),
            pinned: Vec::new(),
            jump: code.pop()?,
        };
        let blocks = std::mem::take(&mut function.blocks);
        let count = blocks.len();
        let mut rest: Vec<Node> = Vec::new();
        for (index, block) in blocks.into_iter().enumerate() {
            let next = if index + 1 < count { Some(index + 1) } else { None };
            shape.add(index, block.code, next, count, &mut rest);
        }
        shape.nodes.append(&mut rest);
        shape.pinned = vec![false; shape.nodes.len()];
        let named = shape.nodes.iter().flat_map(|node| &node.code).filter_map(|i| i.target);
        for target in named {
            shape.pinned[target.0 as usize] = true;
        }
        Some(shape)
    }

    /// Adds a block: one node for its start, in `rest` one for what comes after each branch but the last.
    fn add(&mut self, index: usize, code: Vec<Instruction>, next: Option<usize>, count: usize, rest: &mut Vec<Node>) {
        debug_assert_eq!(index, self.nodes.len());
        let code = match whole(code, next) {
            Ok(node) => return self.nodes.push(node),
            Err(code) => code,
        };
        let empty = || Node {
            code: Vec::new(),
            end: next.map_or(End::Stop, End::Jump),
        };
        let mut current = empty();
        current.code.reserve(code.len());
        // The first node has the block's own number, those after branches are numbered behind all blocks.
        let mut parts: Vec<Node> = Vec::new();
        let mut code = code.into_iter().peekable();
        while let Some(instruction) = code.next() {
            let conditional = instruction.falls_through();
            match (instruction.base.flow(), instruction.target) {
                (Flow::Branch, Some(target)) if !conditional => {
                    current.end = End::Jump(target.0 as usize);
                    break;
                }
                (Flow::Branch, Some(target)) => {
                    let last = next.filter(|_| code.peek().is_none());
                    current.end = End::Branch(Branch {
                        taken: target.0 as usize,
                        other: last.unwrap_or(count + rest.len() + parts.len()),
                        instruction,
                    });
                    if last.is_some() {
                        break;
                    }
                    parts.push(std::mem::replace(&mut current, empty()));
                }
                (Flow::Indirect, _) => {
                    let named = instruction.targets().map(|target| target.0 as usize);
                    let targets = named.collect();
                    current.end = End::Table(Table { instruction, targets });
                    break;
                }
                (Flow::Exit | Flow::Return, _) if !conditional => {
                    current.code.push(instruction);
                    current.end = End::Stop;
                    break;
                }
                _ => current.code.push(instruction),
            }
        }
        parts.push(current);
        let mut parts = parts.into_iter();
        self.nodes.extend(parts.next());
        rest.extend(parts);
    }

    /// Where control may go from each node.
    pub(crate) fn edges(&self) -> Edges {
        let each = self.nodes.iter().map(|node| {
            let mut list: SmallVec<[usize; 2]> = SmallVec::new();
            if let End::Table(table) = &node.end {
                let mut known = FxHashSet::default();
                list.extend(table.targets.iter().copied().filter(|to| known.insert(*to)));
            } else {
                list.extend(node.targets());
                list.dedup();
            }
            list
        });
        each.collect()
    }

    /// The graph's analysis.
    pub(crate) fn flow(&self) -> ControlFlow {
        let fails: Vec<bool> = self.nodes.iter().map(|node| has_trap(&node.code)).collect();
        ControlFlow::of_edges(self.edges(), &fails)
    }

    /// How many edges lead to each node from nodes that are reached; the entry has one more.
    pub(crate) fn entries(&self) -> Vec<u32> {
        let mut seen = vec![false; self.nodes.len()];
        let mut counts = vec![0; self.nodes.len()];
        let mut work = vec![0];
        seen[0] = true;
        counts[0] = 1;
        while let Some(node) = work.pop() {
            for to in self.nodes[node].targets() {
                counts[to] += 1;
                if !std::mem::replace(&mut seen[to], true) {
                    work.push(to);
                }
            }
        }
        for (index, pinned) in self.pinned.iter().enumerate() {
            counts[index] += u32::from(*pinned && seen[index]);
        }
        counts
    }

    /// Ways lead past nodes that do nothing. A branch whose ways lead to the same node then is none: threads would part at it for nothing, unseen by what asks
    /// where they go.
    pub(crate) fn thread_all(&mut self) {
        self.thread();
        while self.join_ways() {
            self.thread();
        }
    }

    /// Makes jumps of branches both of whose ways lead to one node; whether there were any.
    fn join_ways(&mut self) -> bool {
        let mut any = false;
        for node in &mut self.nodes {
            if let End::Branch(Branch { taken, other, .. }) = &node.end
                && taken == other
            {
                node.end = End::Jump(*taken);
                any = true;
            }
        }
        any
    }

    fn thread(&mut self) {
        let mut through: Vec<Option<usize>> = vec![None; self.nodes.len()];
        let mut on_way = vec![false; self.nodes.len()];
        for start in 0..self.nodes.len() {
            let mut passed = Vec::new();
            let mut at = start;
            let found = loop {
                if let Some(known) = through[at] {
                    break known;
                }
                match self.nodes[at].end {
                    // An endless loop of nodes that do nothing stays: it comes to a node that is already passed.
                    End::Jump(to) if self.nodes[at].code.is_empty() && !self.pinned[at] && !on_way[at] => {
                        on_way[at] = true;
                        passed.push(at);
                        at = to;
                    }
                    _ => break at,
                }
            };
            through[start] = Some(found);
            for node in passed {
                through[node] = Some(found);
            }
        }
        for to in self.nodes.iter_mut().flat_map(Node::targets_mut) {
            *to = through[*to].unwrap_or(*to);
        }
    }

    /// An unconditional branch.
    pub(crate) fn jump(&self) -> Instruction {
        self.jump.clone()
    }

    /// Adds a node.
    pub(crate) fn push(&mut self, node: Node) -> usize {
        self.nodes.push(node);
        self.pinned.push(false);
        self.nodes.len() - 1
    }

    /// Writes the nodes back in this order, which starts with the entry and holds every node that is reached. Where the next node is where control goes,
    /// nothing is written.
    pub(crate) fn write(self, function: &mut Function, order: &[usize]) {
        let mut places = vec![0_u32; self.nodes.len()];
        for (place, node) in order.iter().enumerate() {
            places[*node] = place as u32;
        }
        let mut nodes: Vec<Option<Node>> = self.nodes.into_iter().map(Some).collect();
        let mut blocks = Vec::with_capacity(order.len());
        for (place, index) in order.iter().enumerate() {
            let Some(node) = nodes[*index].take() else { continue };
            let mut code = node.code;
            for target in code.iter_mut().filter_map(|instruction| instruction.target.as_mut()) {
                target.0 = places[target.0 as usize];
            }
            let next = order.get(place + 1).copied();
            let go = |code: &mut Vec<Instruction>, mut instruction: Instruction, to: usize| {
                instruction.target = Some(BlockId(places[to]));
                code.push(instruction);
            };
            match node.end {
                End::Stop => {}
                End::Table(Table {
                    mut instruction,
                    targets,
                }) => {
                    if let Some(table) = &mut instruction.table {
                        table.targets = targets.iter().map(|to| BlockId(places[*to])).collect();
                    }
                    code.push(instruction);
                }
                End::Jump(to) if next == Some(to) => {}
                End::Jump(to) => go(&mut code, self.jump.clone(), to),
                End::Branch(branch) => {
                    let turned = branch.inverted().filter(|_| next == Some(branch.taken));
                    let branch = turned.unwrap_or(branch);
                    go(&mut code, branch.instruction, branch.taken);
                    if next != Some(branch.other) {
                        go(&mut code, self.jump.clone(), branch.other);
                    }
                }
            }
            blocks.push(Block { code });
        }
        function.blocks = blocks;
    }
}
