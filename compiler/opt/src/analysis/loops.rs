//! Natural loops: headers, latches, bodies, exits, and how loops nest.
//!
//! Cycles that can be entered in several places (irreducible) have no header and are no loops here; passes see them as plain blocks.

use super::{
    dominators::Dominators,
    graph::{Graph, UNREACHED},
};

/// A loop of a [`Loops`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loop {
    /// The block that every way into the loop passes.
    pub header: u32,
    /// Blocks of the loop with an edge to the header, by number.
    pub latches: Vec<u32>,
    /// All blocks, those of inner loops too, in reverse postorder: the header first.
    pub blocks: Vec<u32>,
    /// The innermost loop around this one.
    pub parent: Option<usize>,
    /// Loops immediately inside.
    pub children: Vec<usize>,
    /// 1 for an outermost loop.
    pub depth: u32,
}

/// The loops of a graph. Inner loops come after those around them.
#[derive(Clone, Debug, Default)]
pub struct Loops {
    loops: Vec<Loop>,
    innermost: Vec<u32>,
}

impl Loops {
    /// Finds the loops.
    pub fn new(graph: &Graph, dominators: &Dominators) -> Loops {
        let mut innermost = vec![UNREACHED; graph.len()];
        let mut found: Vec<(u32, Vec<u32>, Option<usize>)> = Vec::new();
        // Inner headers are below outer ones in the tree: bottom up, inner loops are known when an outer one is walked.
        for &header in dominators.preorder().iter().rev() {
            let mut latches: Vec<u32> = graph
                .predecessors(header)
                .iter()
                .copied()
                .filter(|&latch| graph.is_reached(latch) && dominators.dominates(header, latch))
                .collect();
            latches.dedup();
            if latches.is_empty() {
                continue;
            }
            let own = found.len();
            found.push((header, latches.clone(), None));
            let mut work = latches;
            while let Some(block) = work.pop() {
                let inner = innermost[block as usize];
                if inner == UNREACHED {
                    innermost[block as usize] = own as u32;
                    if block != header {
                        let before = graph.predecessors(block);
                        work.extend(before.iter().copied().filter(|&block| graph.is_reached(block)));
                    }
                    continue;
                }
                // The outermost known loop around the block; it goes on before that loop's header.
                let mut outer = inner as usize;
                while let Some(up) = found[outer].2 {
                    outer = up;
                }
                if outer != own {
                    found[outer].2 = Some(own);
                    let before = graph.predecessors(found[outer].0);
                    work.extend(before.iter().copied().filter(|&block| graph.is_reached(block)));
                }
            }
        }
        Loops::arranged(graph, found, innermost)
    }

    /// Turns the order round, so that outer loops come first, and collects the blocks.
    fn arranged(graph: &Graph, found: Vec<(u32, Vec<u32>, Option<usize>)>, mut innermost: Vec<u32>) -> Loops {
        let count = found.len();
        let turned = |index: usize| count - 1 - index;
        let mut loops: Vec<Loop> = found
            .into_iter()
            .rev()
            .map(|(header, latches, parent)| Loop {
                header,
                latches,
                blocks: Vec::new(),
                parent: parent.map(turned),
                children: Vec::new(),
                depth: 1,
            })
            .collect();
        for index in 0..count {
            if let Some(parent) = loops[index].parent {
                loops[index].depth = loops[parent].depth + 1;
                loops[parent].children.push(index);
            }
        }
        for entry in &mut innermost {
            if *entry != UNREACHED {
                *entry = turned(*entry as usize) as u32;
            }
        }
        for &block in graph.order() {
            let mut at = (innermost[block as usize] != UNREACHED).then(|| innermost[block as usize] as usize);
            while let Some(index) = at {
                loops[index].blocks.push(block);
                at = loops[index].parent;
            }
        }
        Loops { loops, innermost }
    }

    /// All loops, outer before inner.
    pub fn iter(&self) -> std::slice::Iter<'_, Loop> {
        self.loops.iter()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.loops.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.loops.is_empty()
    }

    /// A loop by its index.
    pub fn get(&self, index: usize) -> &Loop {
        &self.loops[index]
    }

    /// The innermost loop of a block.
    pub fn innermost(&self, block: u32) -> Option<usize> {
        self.innermost
            .get(block as usize)
            .filter(|&&index| index != UNREACHED)
            .map(|&index| index as usize)
    }

    /// How many loops are around a block.
    pub fn depth(&self, block: u32) -> u32 {
        self.innermost(block).map_or(0, |index| self.loops[index].depth)
    }

    /// Whether a block is in a loop or in one inside it.
    pub fn contains(&self, index: usize, block: u32) -> bool {
        let mut at = self.innermost(block);
        while let Some(inner) = at {
            if inner == index {
                return true;
            }
            // Loops around have smaller indices.
            if inner < index {
                return false;
            }
            at = self.loops[inner].parent;
        }
        false
    }

    /// Edges that leave a loop, from and to, in reverse postorder of where they start.
    pub fn exits(&self, graph: &Graph, index: usize) -> Vec<(u32, u32)> {
        let mut exits = Vec::new();
        for &block in &self.loops[index].blocks {
            for &to in graph.successors(block) {
                if !self.contains(index, to) {
                    exits.push((block, to));
                }
            }
        }
        exits
    }

    /// The only block outside that leads to the header, if it leads nowhere else.
    pub fn preheader(&self, graph: &Graph, index: usize) -> Option<u32> {
        let header = self.loops[index].header;
        let mut outside = graph
            .predecessors(header)
            .iter()
            .copied()
            .filter(|&block| graph.is_reached(block) && !self.contains(index, block));
        let only = outside.next()?;
        (outside.next().is_none() && graph.successors(only).len() == 1).then_some(only)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nested_loops() {
        // 0 → 1 → 2 ⇄ 2, 2 → 3 → 1, 3 → 4
        let graph = Graph::of_edges(5, 0, &[(0, 1), (1, 2), (2, 2), (2, 3), (3, 1), (3, 4)]);
        let loops = Loops::new(&graph, &Dominators::new(&graph));
        assert_eq!(loops.len(), 2);
        let (outer, inner) = (loops.get(0), loops.get(1));
        assert_eq!(
            (outer.header, &outer.blocks[..], &outer.latches[..]),
            (1, &[1, 2, 3][..], &[3][..])
        );
        assert_eq!(
            (inner.header, &inner.blocks[..], inner.parent, inner.depth),
            (2, &[2][..], Some(0), 2)
        );
        assert_eq!(loops.exits(&graph, 0), [(3, 4)]);
        assert_eq!(loops.preheader(&graph, 0), Some(0));
        assert!(loops.contains(0, 2) && !loops.contains(1, 3));
    }
}
