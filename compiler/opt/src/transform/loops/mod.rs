//! Loops: their form, and what is done with them.

pub(crate) mod demote;
mod edges;
mod growth;
pub(crate) mod hoist;
pub(crate) mod narrow;
pub(crate) mod rotate;
pub(crate) mod runtime;
pub(crate) mod shape;
pub(crate) mod trips;
pub(crate) mod unroll;
pub(crate) mod unswitch;

use warpsmith_ir::{BlockId, Function, InstructionId, LoopHints};

use crate::analysis::{
    dominators::Dominators,
    flow::{Flow, node},
    loops::{Loop, Loops},
};

/// The loops of a function as it is now.
pub(crate) struct Nest {
    pub(crate) flow: Flow,
    pub(crate) dominators: Dominators,
    pub(crate) loops: Loops,
}

impl Nest {
    pub(crate) fn new(function: &Function) -> Nest {
        let flow = Flow::new(function);
        let dominators = flow.dominators();
        let loops = flow.loops(&dominators);
        Nest {
            flow,
            dominators,
            loops,
        }
    }

    pub(crate) fn header(&self, index: usize) -> Option<BlockId> {
        self.flow.block(self.loops.get(index).header)
    }

    pub(crate) fn preheader(&self, index: usize) -> Option<BlockId> {
        self.flow.block(self.loops.preheader(&self.flow.graph, index)?)
    }

    /// The only block that goes back to the header.
    pub(crate) fn latch(&self, index: usize) -> Option<BlockId> {
        match self.loops.get(index).latches[..] {
            [only] => self.flow.block(only),
            _ => None,
        }
    }

    pub(crate) fn contains(&self, index: usize, block: BlockId) -> bool {
        self.loops.contains(index, node(block))
    }

    /// The blocks in reverse postorder, the header first.
    pub(crate) fn blocks(&self, index: usize) -> Vec<BlockId> {
        let Loop { blocks, .. } = self.loops.get(index);
        blocks.iter().filter_map(|&block| self.flow.block(block)).collect()
    }

    /// Edges out of the loop.
    pub(crate) fn exits(&self, index: usize) -> Vec<(BlockId, BlockId)> {
        let exits = self.loops.exits(&self.flow.graph, index);
        exits
            .into_iter()
            .filter_map(|(from, to)| Some((self.flow.block(from)?, self.flow.block(to)?)))
            .collect()
    }
}

/// What was said of the loop whose branch back this is.
pub(crate) fn hints(function: &Function, latch: BlockId) -> Option<LoopHints> {
    let terminator: InstructionId = function.terminator(latch)?;
    function.attachments(terminator)?.loop_hints.clone()
}
