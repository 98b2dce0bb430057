//! Dominators, postdominators and loops of a function's control flow graph.

use smallvec::SmallVec;

use crate::ir::{BlockId, Function};

/// A graph of blocks by number, with an entry.
#[derive(Debug)]
struct Graph {
    entry: usize,
    successors: Vec<SmallVec<[usize; 2]>>,
    predecessors: Vec<SmallVec<[usize; 2]>>,
}

/// What is known of the control flow of a function.
#[derive(Debug)]
pub(crate) struct ControlFlow {
    /// The immediate dominator of each block; `None` for the entry and for what is not reached.
    pub(crate) dominator: Vec<Option<usize>>,
    /// The immediate postdominator; `None` where threads only end.
    pub(crate) postdominator: Vec<Option<usize>>,
    /// The header of the innermost loop that each block is in.
    pub(crate) header: Vec<Option<usize>>,
    /// The blocks that are reached.
    pub(crate) reached: Vec<bool>,
    pub(crate) successors: Vec<SmallVec<[usize; 2]>>,
    pub(crate) predecessors: Vec<SmallVec<[usize; 2]>>,
}

/// Order in which every block comes before those it leads to, except along back edges.
fn reverse_postorder(graph: &Graph) -> Vec<usize> {
    let mut order = Vec::new();
    let mut seen = vec![false; graph.successors.len()];
    let mut stack = vec![(graph.entry, 0)];
    seen[graph.entry] = true;
    while let Some((block, next)) = stack.pop() {
        match graph.successors[block].get(next) {
            Some(&successor) => {
                stack.push((block, next + 1));
                if !seen[successor] {
                    seen[successor] = true;
                    stack.push((successor, 0));
                }
            }
            None => order.push(block),
        }
    }
    order.reverse();
    order
}

/// Immediate dominators, by the iteration of Cooper, Harvey and Kennedy.
fn dominators(graph: &Graph) -> Vec<Option<usize>> {
    let order = reverse_postorder(graph);
    let mut rank = vec![usize::MAX; graph.successors.len()];
    for (index, block) in order.iter().enumerate() {
        rank[*block] = index;
    }
    let mut found: Vec<Option<usize>> = vec![None; graph.successors.len()];
    found[graph.entry] = Some(graph.entry);
    let mut changed = true;
    while changed {
        changed = false;
        for &block in order.iter().skip(1) {
            let mut joined: Option<usize> = None;
            for &from in &graph.predecessors[block] {
                if found[from].is_none() {
                    continue;
                }
                joined = Some(joined.map_or(from, |other| meet(&found, &rank, other, from)));
            }
            if joined != found[block] {
                found[block] = joined;
                changed = true;
            }
        }
    }
    found[graph.entry] = None;
    found
}

/// The nearest block that dominates both.
fn meet(dominator: &[Option<usize>], rank: &[usize], mut a: usize, mut b: usize) -> usize {
    while a != b {
        while rank[a] > rank[b] {
            match dominator[a] {
                Some(up) if up != a => a = up,
                _ => return b,
            }
        }
        while rank[b] > rank[a] {
            match dominator[b] {
                Some(up) if up != b => b = up,
                _ => return a,
            }
        }
    }
    a
}

impl ControlFlow {
    /// Analyses a function.
    pub(crate) fn of(function: &Function) -> ControlFlow {
        let count = function.blocks.len();
        let successors: Vec<SmallVec<[usize; 2]>> = (0..count)
            .map(|block| {
                let list = function.successors(BlockId(block as u32));
                list.iter().map(|block| block.0 as usize).collect()
            })
            .collect();
        let predecessors = reversed(&successors);
        let forward = Graph {
            entry: 0,
            successors: successors.clone(),
            predecessors: predecessors.clone(),
        };
        let dominator = dominators(&forward);
        let mut reached = vec![false; count];
        for block in reverse_postorder(&forward) {
            reached[block] = true;
        }
        let postdominator = postdominators(&successors, &predecessors, &reached);
        let mut flow = ControlFlow {
            dominator,
            postdominator,
            header: vec![None; count],
            reached,
            successors,
            predecessors,
        };
        flow.find_loops();
        flow
    }

    /// Whether `a` dominates `b`.
    pub(crate) fn dominates(&self, a: usize, b: usize) -> bool {
        let mut at = Some(b);
        while let Some(block) = at {
            if block == a {
                return true;
            }
            at = self.dominator[block];
        }
        false
    }

    /// The blocks of a natural loop with this header.
    pub(crate) fn loop_blocks(&self, header: usize) -> Vec<usize> {
        let mut inside = vec![header];
        let mut work: Vec<usize> = self.predecessors[header]
            .iter()
            .copied()
            .filter(|from| self.reached[*from] && self.dominates(header, *from))
            .collect();
        while let Some(block) = work.pop() {
            if !inside.contains(&block) {
                inside.push(block);
                work.extend(
                    self.predecessors[block]
                        .iter()
                        .copied()
                        .filter(|from| self.reached[*from]),
                );
            }
        }
        inside
    }

    fn find_loops(&mut self) {
        let count = self.successors.len();
        let is_header = |header: &usize| {
            self.reached[*header]
                && self.predecessors[*header]
                    .iter()
                    .any(|from| self.reached[*from] && self.dominates(*header, *from))
        };
        let mut loops: Vec<(usize, Vec<usize>)> = (0..count)
            .filter(is_header)
            .map(|header| (header, self.loop_blocks(header)))
            .collect();
        // The larger first, so that the smaller overwrite them.
        loops.sort_by_key(|(_, blocks)| std::cmp::Reverse(blocks.len()));
        for (header, blocks) in loops {
            for block in blocks {
                self.header[block] = Some(header);
            }
        }
    }

    /// The headers of the loops that a block is in, the innermost first.
    pub(crate) fn headers(&self, block: usize) -> Vec<usize> {
        let mut found = Vec::new();
        let mut at = self.header[block];
        while let Some(header) = at {
            if found.contains(&header) {
                break;
            }
            found.push(header);
            at = self.dominator[header].and_then(|up| {
                // The loop around is the innermost one of the dominators that has this header in it.
                let mut next = Some(up);
                while let Some(block) = next {
                    if let Some(outer) = self.header[block]
                        && !found.contains(&outer)
                        && self.loop_blocks(outer).contains(&header)
                    {
                        return Some(outer);
                    }
                    next = self.dominator[block];
                }
                None
            });
        }
        found
    }
}

fn reversed(successors: &[SmallVec<[usize; 2]>]) -> Vec<SmallVec<[usize; 2]>> {
    let mut found = vec![SmallVec::new(); successors.len()];
    for (from, list) in successors.iter().enumerate() {
        for to in list {
            found[*to].push(from);
        }
    }
    found
}

/// Postdominators: dominators of the reversed graph, from an exit that follows all ends. A loop without an end counts as leading there.
fn postdominators(
    successors: &[SmallVec<[usize; 2]>],
    predecessors: &[SmallVec<[usize; 2]>],
    reached: &[bool],
) -> Vec<Option<usize>> {
    let count = successors.len();
    let exit = count;
    let mut backward = Graph {
        entry: exit,
        successors: predecessors.to_vec(),
        predecessors: successors.to_vec(),
    };
    backward.successors.push(SmallVec::new());
    backward.predecessors.push(SmallVec::new());
    for block in (0..count).filter(|block| reached[*block] && successors[*block].is_empty()) {
        backward.successors[exit].push(block);
        backward.predecessors[block].push(exit);
    }
    loop {
        let mut ends = vec![false; count + 1];
        for block in reverse_postorder(&backward) {
            ends[block] = true;
        }
        let Some(endless) = (0..count).rev().find(|block| reached[*block] && !ends[*block]) else {
            break;
        };
        backward.successors[exit].push(endless);
        backward.predecessors[endless].push(exit);
    }
    let mut found = dominators(&backward);
    found.truncate(count);
    found.into_iter().map(|up| up.filter(|up| *up != exit)).collect()
}
