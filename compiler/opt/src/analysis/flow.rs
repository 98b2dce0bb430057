//! The control flow of a function: its blocks as the nodes of a [`Graph`], with dominators and loops.

use warpsmith_ir::{BlockId, Function, InstructionId, Value};

use super::{dominators::Dominators, graph::Graph, loops::Loops};

/// The graph of a function. Node `n` is the block of index `n`.
#[derive(Clone, Debug)]
pub struct Flow {
    /// Successors, predecessors, reverse postorder.
    pub graph: Graph,
    blocks: Vec<Option<BlockId>>,
}

impl Flow {
    /// The graph of a function as it is now. A function without blocks gives an empty graph.
    pub fn new(function: &Function) -> Flow {
        let Some(entry) = function.entry() else {
            return Flow {
                graph: Graph::default(),
                blocks: Vec::new(),
            };
        };
        let mut blocks = vec![None; function.block_limit()];
        for block in function.blocks() {
            blocks[block.index()] = Some(block);
        }
        let graph = Graph::new(blocks.len(), entry.index() as u32, |node, list| {
            if let Some(block) = blocks[node as usize] {
                list.extend(function.successors(block).iter().map(|block| block.index() as u32));
            }
        });
        Flow { graph, blocks }
    }

    /// The block of a node.
    pub fn block(&self, node: u32) -> Option<BlockId> {
        self.blocks.get(node as usize).copied().flatten()
    }

    /// The reached blocks in reverse postorder.
    pub fn order(&self) -> impl DoubleEndedIterator<Item = BlockId> + '_ {
        self.graph.order().iter().filter_map(|&node| self.block(node))
    }

    /// Whether control gets to a block.
    pub fn is_reached(&self, block: BlockId) -> bool {
        self.graph.is_reached(node(block))
    }

    /// The blocks that go to a block, each once.
    pub fn predecessors(&self, block: BlockId) -> impl Iterator<Item = BlockId> + '_ {
        let list = self.graph.predecessors(node(block));
        // Edges of one block stand together.
        list.iter()
            .enumerate()
            .filter(|(index, at)| *index == 0 || list[*index - 1] != **at)
            .filter_map(|(_, &node)| self.block(node))
    }

    /// Dominators.
    pub fn dominators(&self) -> Dominators {
        Dominators::new(&self.graph)
    }

    /// Loops.
    pub fn loops(&self, dominators: &Dominators) -> Loops {
        Loops::new(&self.graph, dominators)
    }
}

/// The node of a block.
pub fn node(block: BlockId) -> u32 {
    block.index() as u32
}

/// Whether a block dominates another.
pub fn dominates(dominators: &Dominators, above: BlockId, below: BlockId) -> bool {
    dominators.dominates(node(above), node(below))
}

/// Places of instructions, for questions of order in a block that cost nothing each. Instructions that are made later have no place.
#[derive(Clone, Debug)]
pub struct Places {
    places: Vec<u32>,
}

impl Places {
    /// The places as they are now.
    pub fn new(function: &Function) -> Places {
        let mut places = vec![u32::MAX; function.instruction_limit()];
        for block in function.blocks() {
            for (place, id) in function.instructions(block).enumerate() {
                places[id.index()] = place as u32;
            }
        }
        Places { places }
    }

    /// The place of an instruction in its block, from 0.
    pub fn of(&self, id: InstructionId) -> u32 {
        self.places.get(id.index()).copied().unwrap_or(u32::MAX)
    }

    /// Whether a value can be used by an instruction: it is defined on every way there.
    pub fn is_available(&self, function: &Function, dominators: &Dominators, value: Value, at: InstructionId) -> bool {
        let Value::Instruction(id) = value else { return true };
        match (function.block_of(id), function.block_of(at)) {
            (Some(defined), Some(used)) if defined == used => self.of(id) < self.of(at),
            (Some(defined), Some(used)) => dominates(dominators, defined, used),
            _ => false,
        }
    }
}
