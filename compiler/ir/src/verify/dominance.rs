//! Which blocks dominate which, for the verifier alone.

use crate::function::{BlockId, Function};

/// The dominator tree, as numbers of a walk over it.
pub(crate) struct Dominance {
    /// When the walk enters and leaves a block; `None` for blocks that cannot be reached.
    times: Vec<Option<(u32, u32)>>,
}

impl Dominance {
    /// By the iteration of Cooper, Harvey and Kennedy over the reverse postorder.
    pub(crate) fn new(function: &Function) -> Dominance {
        let order = postorder(function);
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
        let entry = order.len().wrapping_sub(1);
        let mut parents: Vec<Option<usize>> = vec![None; order.len()];
        if let Some(parent) = parents.last_mut() {
            *parent = Some(entry);
        }
        let mut changed = true;
        while changed {
            changed = false;
            for index in (0..entry.min(order.len())).rev() {
                let known = predecessors[index]
                    .iter()
                    .copied()
                    .filter(|&from| parents[from].is_some());
                let parent = known.reduce(|left, right| meet(&parents, left, right));
                if parent.is_some() && parents[index] != parent {
                    parents[index] = parent;
                    changed = true;
                }
            }
        }
        Dominance {
            times: walk(&order, &parents, function.block_limit()),
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

/// The blocks that can be reached, each after those that are first reached from it.
fn postorder(function: &Function) -> Vec<BlockId> {
    let mut order = Vec::new();
    let mut seen = vec![false; function.block_limit()];
    let mut stack = Vec::new();
    if let Some(entry) = function.entry() {
        seen[entry.index()] = true;
        stack.push((entry, function.successors(entry), 0));
    }
    while let Some((block, successors, next)) = stack.last_mut() {
        let Some(&successor) = successors.get(*next) else {
            order.push(*block);
            stack.pop();
            continue;
        };
        *next += 1;
        if !std::mem::replace(&mut seen[successor.index()], true) {
            stack.push((successor, function.successors(successor), 0));
        }
    }
    order
}

fn meet(parents: &[Option<usize>], mut left: usize, mut right: usize) -> usize {
    while left != right {
        let lower = if left < right { &mut left } else { &mut right };
        // Both have been reached before, so that they have parents up to the entry.
        match parents[*lower] {
            Some(parent) => *lower = parent,
            None => return parents.len() - 1,
        }
    }
    left
}

fn walk(order: &[BlockId], parents: &[Option<usize>], limit: usize) -> Vec<Option<(u32, u32)>> {
    let mut children = vec![Vec::new(); order.len()];
    for (index, parent) in parents.iter().enumerate() {
        if let Some(parent) = parent.filter(|&parent| parent != index) {
            children[parent].push(index);
        }
    }
    let mut times = vec![None; limit];
    let mut clock = 0;
    let mut stack: Vec<(usize, u32, usize)> = Vec::new();
    if let Some(entry) = order.len().checked_sub(1) {
        stack.push((entry, clock, 0));
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
