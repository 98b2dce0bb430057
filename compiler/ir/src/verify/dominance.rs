//! Which blocks dominate which, for the verifier alone.

use crate::function::{BlockId, Function};

/// The dominator tree, as numbers of a walk over it.
pub(crate) struct Dominance {
    /// When the walk enters and leaves a block; `None` for blocks that cannot be reached.
    times: Vec<Option<(u32, u32)>>,
}

impl Dominance {
    /// By semidominators (Lengauer and Tarjan, in the form of Georgiadis), which long chains of loops do not make slow.
    pub(crate) fn new(function: &Function) -> Dominance {
        let (order, parents) = preorder(function);
        let mut number = vec![usize::MAX; function.block_limit()];
        order
            .iter()
            .enumerate()
            .for_each(|(index, block)| number[block.index()] = index);
        let mut predecessors = vec![Vec::new(); order.len()];
        for (index, &block) in order.iter().enumerate() {
            for successor in function.successors(block) {
                predecessors[number[successor.index()]].push(index);
            }
        }
        let dominators = immediate_dominators(&parents, &predecessors);
        Dominance {
            times: walk(&order, &dominators, function.block_limit()),
        }
    }

    /// Whether the block can be reached from the entry.
    pub(crate) fn is_reachable(&self, block: BlockId) -> bool {
        self.times.get(block.index()).is_some_and(Option::is_some)
    }

    /// Whether all ways to `block` go through `by`. All blocks dominate what cannot be reached.
    pub(crate) fn dominates(&self, by: BlockId, block: BlockId) -> bool {
        match (self.times[by.index()], self.times[block.index()]) {
            (Some((enter, leave)), Some((inner, _))) => enter <= inner && inner < leave,
            (_, None) => true,
            (None, Some(_)) => false,
        }
    }
}

/// The blocks that can be reached, each after that from which it is reached first, and the number of the latter.
fn preorder(function: &Function) -> (Vec<BlockId>, Vec<usize>) {
    let (mut order, mut parents) = (Vec::new(), Vec::new());
    let mut seen = vec![false; function.block_limit()];
    let mut stack: Vec<(BlockId, usize)> = function.entry().map(|entry| (entry, 0)).into_iter().collect();
    while let Some((block, parent)) = stack.pop() {
        if std::mem::replace(&mut seen[block.index()], true) {
            continue;
        }
        let index = order.len();
        order.push(block);
        parents.push(parent);
        let successors = function.successors(block);
        stack.extend(successors.iter().rev().map(|&successor| (successor, index)));
    }
    (order, parents)
}

/// The nearest dominator of each block but the first, by the numbers of a depth-first walk.
fn immediate_dominators(parents: &[usize], predecessors: &[Vec<usize>]) -> Vec<usize> {
    let count = parents.len();
    let mut semi: Vec<usize> = (0..count).collect();
    let mut label: Vec<usize> = (0..count).collect();
    let mut ancestor = parents.to_vec();
    let mut path = Vec::new();
    for index in (1..count).rev() {
        for &from in &predecessors[index] {
            let best = if from > index {
                compress(from, index, &mut ancestor, &mut label, &semi, &mut path)
            } else {
                from
            };
            semi[index] = semi[index].min(semi[best]);
        }
    }
    let mut dominators = parents.to_vec();
    for index in 1..count {
        let mut above = dominators[index];
        while above > semi[index] {
            above = dominators[above];
        }
        dominators[index] = above;
    }
    dominators
}

/// The number with the least semidominator on the way up from `from` to below `last`; what is on the way is shortened.
fn compress(
    from: usize,
    last: usize,
    ancestor: &mut [usize],
    label: &mut [usize],
    semi: &[usize],
    path: &mut Vec<usize>,
) -> usize {
    path.clear();
    let mut at = from;
    while ancestor[at] > last {
        path.push(at);
        at = ancestor[at];
    }
    // `at` is the uppermost that has been linked.
    let root = ancestor[at];
    let mut best = label[at];
    while let Some(below) = path.pop() {
        if semi[best] < semi[label[below]] {
            label[below] = best;
        } else {
            best = label[below];
        }
        ancestor[below] = root;
    }
    best
}

fn walk(order: &[BlockId], parents: &[usize], limit: usize) -> Vec<Option<(u32, u32)>> {
    let mut children = vec![Vec::new(); order.len()];
    for (index, &parent) in parents.iter().enumerate().skip(1) {
        children[parent].push(index);
    }
    let mut times = vec![None; limit];
    let mut clock = 0;
    let mut stack: Vec<(usize, u32, usize)> = Vec::new();
    if !order.is_empty() {
        stack.push((0, clock, 0));
    }
    while let Some((index, entered, next)) = stack.last_mut() {
        if let Some(&child) = children[*index].get(*next) {
            *next += 1;
            clock += 1;
            stack.push((child, clock, 0));
        } else {
            times[order[*index].index()] = Some((*entered, clock + 1));
            stack.pop();
        }
    }
    times
}
