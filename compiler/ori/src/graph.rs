//! The control flow of a function: order of the blocks, dominators, postdominators, loops, and how often each block is run.
//!
//! Everything is found in near-linear time: depth-first walks without recursion, dominators by their semidominators, the loop forest from
//! the inside out, each block being climbed from its outermost known loop.
//!
//! Ends of threads do not count as meeting places. The graph that postdominators are taken of has, for the blocks that lead to the last end of the function,
//! only the edges among them; what is left over, blocks that lead to other ends or go round for ever, is treated likewise in turn. So where some of the
//! threads that part only end, the others still meet.

use smallvec::SmallVec;

use crate::ir::{BlockId, Function, Instruction};

/// Blocks by number.
pub(crate) type Edges = Vec<SmallVec<[usize; 2]>>;

/// No edges from so many blocks.
fn edges(count: usize) -> Edges {
    let mut edges = Edges::new();
    edges.resize_with(count, SmallVec::new);
    edges
}

/// A loop with one entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Loop {
    /// The block by which it is entered.
    pub(crate) header: usize,
    /// The loop around it.
    pub(crate) parent: Option<usize>,
    /// Loops around its blocks, this one included.
    pub(crate) depth: u32,
    /// Its blocks, those of the loops within included, in the order of [`ControlFlow::order`].
    pub(crate) blocks: Vec<usize>,
}

/// What is known of the control flow of a function.
#[derive(Debug)]
pub(crate) struct ControlFlow {
    /// The blocks that are reached, each before those it leads to, except along edges that go back.
    pub(crate) order: Vec<usize>,
    /// The immediate dominator of each block; `None` for the entry and for what is not reached.
    pub(crate) dominator: Vec<Option<usize>>,
    /// Where all threads of a block come that do not end before; `None`: nowhere.
    pub(crate) postdominator: Vec<Option<usize>>,
    /// The loops; a loop comes after those within it.
    pub(crate) loops: Vec<Loop>,
    /// The innermost loop that each block is in.
    pub(crate) innermost: Vec<Option<usize>>,
    /// The blocks that are reached.
    pub(crate) reached: Vec<bool>,
    /// Whether some cycle has several entries, and so is no loop of the forest.
    pub(crate) irreducible: bool,
    pub(crate) successors: Edges,
    pub(crate) predecessors: Edges,
    /// For each block, the group of blocks that lead to the same end.
    end: Vec<u32>,
    /// When the walk over the dominator tree enters and leaves each block.
    span: Vec<(u32, u32)>,
}

/// The blocks that control may go to from each block of a function.
fn successors(function: &Function) -> Edges {
    let each = |block| {
        let list = function.successors(BlockId(block as u32));
        list.iter().map(|block| block.0 as usize).collect()
    };
    (0..function.blocks.len()).map(each).collect()
}

/// Order in which every block comes before those it leads to, except along back edges.
fn reverse_postorder(entry: usize, successors: &Edges) -> Vec<usize> {
    let mut order = Vec::with_capacity(successors.len());
    let mut seen = vec![false; successors.len()];
    let mut stack = Vec::with_capacity(successors.len().min(64));
    stack.push((entry, 0));
    seen[entry] = true;
    while let Some((block, next)) = stack.pop() {
        match successors[block].get(next) {
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

/// Immediate dominators: semidominators over paths that are shortened as they are walked, then one walk down the numbering (the "semi-NCA" method of
/// Georgiadis). A block that many blocks of a long chain lead to takes no longer than others.
fn dominators(entry: usize, successors: &Edges, predecessors: &Edges) -> Vec<Option<usize>> {
    let mut walk = Semidominators::number(entry, successors);
    let count = walk.block.len();
    for own in (1..count).rev() {
        let mut least = walk.up[own];
        for &from in &predecessors[walk.block[own]] {
            let from = walk.number[from];
            if from != UNREACHED {
                let label = walk.least_above(from, own);
                least = least.min(walk.semi[label]);
            }
        }
        walk.semi[own] = least;
    }
    let Semidominators { block, up, semi, .. } = walk;
    let mut dominator = up;
    for own in 1..count {
        let mut above = dominator[own];
        while above > semi[own] {
            above = dominator[above];
        }
        dominator[own] = above;
    }
    let mut found = vec![None; successors.len()];
    for own in 1..count {
        found[block[own]] = Some(block[dominator[own]]);
    }
    found
}

/// The number of a block that the entry does not lead to.
const UNREACHED: usize = usize::MAX;

/// What [`dominators`] works with: blocks by their number in a depth-first walk.
struct Semidominators {
    /// By block.
    number: Vec<usize>,
    block: Vec<usize>,
    /// From where the walk came.
    up: Vec<usize>,
    semi: Vec<usize>,
    /// A number further up, from where the way has been shortened to it.
    ancestor: Vec<usize>,
    /// The number with the least semidominator between here and the ancestor.
    label: Vec<usize>,
    path: Vec<usize>,
}

impl Semidominators {
    fn number(entry: usize, successors: &Edges) -> Semidominators {
        let mut number = vec![UNREACHED; successors.len()];
        let (mut block, mut up) = (
            Vec::with_capacity(successors.len()),
            Vec::with_capacity(successors.len()),
        );
        let mut stack = vec![(entry, 0)];
        while let Some((node, from)) = stack.pop() {
            if number[node] != UNREACHED {
                continue;
            }
            let own = block.len();
            number[node] = own;
            block.push(node);
            up.push(from);
            stack.extend(successors[node].iter().map(|to| (*to, own)));
        }
        let semi: Vec<usize> = (0..block.len()).collect();
        Semidominators {
            number,
            block,
            ancestor: up.clone(),
            up,
            label: semi.clone(),
            semi,
            path: Vec::new(),
        }
    }

    /// The number with the least semidominator on the way up from `node` to numbers of at most `limit`, whose own are not known yet. Shortens the way.
    fn least_above(&mut self, node: usize, limit: usize) -> usize {
        if node <= limit {
            return self.label[node];
        }
        let mut above = node;
        while self.ancestor[above] > limit {
            self.path.push(above);
            above = self.ancestor[above];
        }
        let top = self.ancestor[above];
        while let Some(below) = self.path.pop() {
            if self.semi[self.label[above]] < self.semi[self.label[below]] {
                self.label[below] = self.label[above];
            }
            self.ancestor[below] = top;
            above = below;
        }
        self.label[node]
    }
}

/// When a walk over a tree enters and leaves each node.
fn spans(root: usize, parent: &[Option<usize>]) -> Vec<(u32, u32)> {
    let mut children = edges(parent.len());
    for (child, up) in parent.iter().enumerate() {
        if let Some(up) = up {
            children[*up].push(child);
        }
    }
    // What is not in the tree lies in no span.
    let mut found = vec![(u32::MAX, 0); parent.len()];
    let mut time = 0;
    let mut stack = vec![(root, 0)];
    while let Some((node, next)) = stack.pop() {
        if next == 0 {
            found[node].0 = time;
            time += 1;
        }
        match children[node].get(next) {
            Some(&child) => {
                stack.push((node, next + 1));
                stack.push((child, 0));
            }
            None => found[node].1 = time,
        }
    }
    found
}

pub(crate) fn reversed(successors: &Edges) -> Edges {
    let mut found = edges(successors.len());
    for (from, list) in successors.iter().enumerate() {
        for to in list {
            found[*to].push(from);
        }
    }
    found
}

/// For each block, the number of the end that it leads to, the last block's first and those of threads that fail last; and one block of each end.
fn ends(successors: &Edges, predecessors: &Edges, reached: &[bool], fails: &[bool]) -> (Vec<u32>, Vec<usize>) {
    let mut ends = Ends {
        predecessors,
        reached,
        end: vec![NO_END; successors.len()],
        roots: Vec::new(),
    };
    for failing in [false, true] {
        for root in (0..successors.len()).rev() {
            if successors[root].is_empty() && fails[root] == failing {
                ends.lead_to(root);
            }
        }
    }
    for root in ends.endless() {
        ends.lead_to(root);
    }
    (ends.end, ends.roots)
}

/// No end yet.
const NO_END: u32 = u32::MAX;

/// [`ends`] as they are found.
struct Ends<'g> {
    predecessors: &'g Edges,
    reached: &'g [bool],
    end: Vec<u32>,
    roots: Vec<usize>,
}

impl Ends<'_> {
    fn is_open(&self, block: usize) -> bool {
        self.reached[block] && self.end[block] == NO_END
    }

    /// Makes a block the root of an end, if it leads to none yet.
    fn lead_to(&mut self, root: usize) {
        if !self.is_open(root) {
            return;
        }
        let number = self.roots.len() as u32;
        self.roots.push(root);
        self.end[root] = number;
        let mut work = vec![root];
        while let Some(block) = work.pop() {
            for &from in &self.predecessors[block] {
                if self.is_open(from) {
                    self.end[from] = number;
                    work.push(from);
                }
            }
        }
    }

    /// The blocks that lead to no end, so that each of the first of its kind lies in a cycle that nothing leaves: by the end of a walk backwards, the last
    /// first. (Such a walk leaves the cycles that lead to no other last.)
    fn endless(&self) -> Vec<usize> {
        let mut seen: Vec<bool> = (0..self.end.len()).map(|block| !self.is_open(block)).collect();
        let mut left = Vec::new();
        for start in 0..self.end.len() {
            if std::mem::replace(&mut seen[start], true) {
                continue;
            }
            let mut stack = vec![(start, 0)];
            while let Some((block, next)) = stack.pop() {
                match self.predecessors[block].get(next) {
                    Some(&from) => {
                        stack.push((block, next + 1));
                        if !std::mem::replace(&mut seen[from], true) {
                            stack.push((from, 0));
                        }
                    }
                    None => left.push(block),
                }
            }
        }
        left.reverse();
        left
    }
}

/// Postdominators: dominators of the reversed graph, from a place that follows all ends.
fn postdominators(successors: &Edges, end: &[u32], roots: &[usize]) -> Vec<Option<usize>> {
    let count = successors.len();
    let exit = count;
    let mut backward = edges(count + 1);
    for (from, list) in successors.iter().enumerate() {
        for &to in list.iter().filter(|to| end[**to] == end[from]) {
            backward[to].push(from);
        }
    }
    backward[exit].extend(roots.iter().copied());
    let forward = reversed(&backward);
    let mut found = dominators(exit, &backward, &forward);
    found.truncate(count);
    found.into_iter().map(|up| up.filter(|up| *up != exit)).collect()
}

impl ControlFlow {
    /// Analyses a function.
    pub(crate) fn of(function: &Function) -> ControlFlow {
        let successors = successors(function);
        let fails: Vec<bool> = function.blocks.iter().map(|block| has_trap(&block.code)).collect();
        ControlFlow::of_edges(successors, &fails)
    }

    /// The immediate dominator of each block of a function, `None` for the entry and for what is not reached; and the blocks before each block. All that
    /// most passes ask for.
    pub(crate) fn dominators_of(function: &Function) -> (Vec<Option<usize>>, Edges) {
        let successors = successors(function);
        if successors.is_empty() {
            return (Vec::new(), successors);
        }
        let predecessors = reversed(&successors);
        let found = dominators(0, &successors, &predecessors);
        (found, predecessors)
    }

    /// Analyses a graph whose entry is node 0. Of blocks that end, those that `fails` names are none that threads would meet for.
    pub(crate) fn of_edges(successors: Edges, fails: &[bool]) -> ControlFlow {
        let count = successors.len();
        let predecessors = reversed(&successors);
        let order = if count == 0 {
            Vec::new()
        } else {
            reverse_postorder(0, &successors)
        };
        let mut reached = vec![false; count];
        for block in &order {
            reached[*block] = true;
        }
        let (dominator, span) = if count == 0 {
            (Vec::new(), Vec::new())
        } else {
            let dominator = dominators(0, &successors, &predecessors);
            let span = spans(0, &dominator);
            (dominator, span)
        };
        let (end, roots) = ends(&successors, &predecessors, &reached, fails);
        let postdominator = postdominators(&successors, &end, &roots);
        let mut flow = ControlFlow {
            order,
            dominator,
            postdominator,
            loops: Vec::new(),
            innermost: vec![None; count],
            reached,
            irreducible: false,
            successors,
            predecessors,
            end,
            span,
        };
        flow.find_loops();
        flow
    }

    /// Whether every way to `b` leads over `a`; both are reached.
    pub(crate) fn dominates(&self, a: usize, b: usize) -> bool {
        let ((start, end), (at, _)) = (self.span[a], self.span[b]);
        start <= at && at < end
    }

    /// The blocks that are reached, each right before those that it dominates.
    pub(crate) fn tree_order(&self) -> Vec<usize> {
        let mut order = self.order.clone();
        order.sort_unstable_by_key(|block| self.span[*block].0);
        order
    }

    /// Whether all threads that take the edge end without coming to where the others of its block come.
    pub(crate) fn only_ends(&self, from: usize, to: usize) -> bool {
        self.end[from] != self.end[to]
    }

    /// The loops from the inside out. Walking back from the ends of a loop, a block that is in a known loop stands for that loop as a whole.
    fn find_loops(&mut self) {
        let mut rank = vec![usize::MAX; self.successors.len()];
        for (index, block) in self.order.iter().enumerate() {
            rank[*block] = index;
        }
        let mut outermost: Vec<usize> = Vec::new();
        for &header in self.order.iter().rev() {
            let backwards: Vec<usize> = self.predecessors[header]
                .iter()
                .copied()
                .filter(|from| self.reached[*from] && rank[*from] >= rank[header])
                .collect();
            let mut work: Vec<usize> = backwards
                .iter()
                .copied()
                .filter(|from| self.dominates(header, *from))
                .collect();
            self.irreducible |= work.len() != backwards.len();
            if work.is_empty() {
                continue;
            }
            let number = self.loops.len();
            self.loops.push(Loop {
                header,
                parent: None,
                depth: 0,
                blocks: Vec::new(),
            });
            outermost.push(number);
            while let Some(block) = work.pop() {
                let mut entry = block;
                match self.innermost[block] {
                    None => self.innermost[block] = Some(number),
                    Some(inner) => {
                        let top = climb(&mut outermost, inner);
                        if top == number {
                            continue;
                        }
                        outermost[top] = number;
                        self.loops[top].parent = Some(number);
                        entry = self.loops[top].header;
                    }
                }
                if entry != header {
                    let before = self.predecessors[entry].iter().copied();
                    // A way in that does not pass the header makes a cycle with several entries: not part of this loop.
                    work.extend(before.filter(|from| self.reached[*from] && self.dominates(header, *from)));
                }
            }
            if self.innermost[header].is_none() {
                self.innermost[header] = Some(number);
            }
        }
        for number in (0..self.loops.len()).rev() {
            self.loops[number].depth = match self.loops[number].parent {
                Some(parent) => self.loops[parent].depth + 1,
                None => 1,
            };
        }
        for index in 0..self.order.len() {
            let block = self.order[index];
            let mut at = self.innermost[block];
            while let Some(number) = at {
                self.loops[number].blocks.push(block);
                at = self.loops[number].parent;
            }
        }
    }

    /// The loops that a block is in, the innermost first.
    pub(crate) fn loops_of(&self, block: usize) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(self.innermost[block], |number| self.loops[*number].parent)
    }

    /// Whether a block is in a loop.
    pub(crate) fn is_in(&self, block: usize, number: usize) -> bool {
        let depth = self.loops[number].depth;
        self.loops_of(block)
            .find(|other| self.loops[*other].depth <= depth)
            .is_some_and(|other| other == number)
    }
}

/// Whether threads that run the code fail.
pub(crate) fn has_trap(code: &[Instruction]) -> bool {
    code.iter()
        .any(|instruction| instruction.base.flow() == warpsmith_sass::Flow::Trap && instruction.guard.is_none())
}

/// The outermost known loop around a loop.
fn climb(outermost: &mut [usize], number: usize) -> usize {
    let mut top = number;
    while outermost[top] != top {
        top = outermost[top];
    }
    let mut at = number;
    while outermost[at] != top {
        (at, outermost[at]) = (outermost[at], top);
    }
    top
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flow(edges: &[&[usize]]) -> ControlFlow {
        let edges: Edges = edges.iter().map(|list| list.iter().copied().collect()).collect();
        let fails = vec![false; edges.len()];
        ControlFlow::of_edges(edges, &fails)
    }

    #[test]
    fn a_diamond_meets_at_its_foot() {
        let flow = flow(&[&[1, 2], &[3], &[3], &[]]);
        assert_eq!(flow.postdominator, [Some(3), Some(3), Some(3), None]);
        assert_eq!(flow.dominator, [None, Some(0), Some(0), Some(0)]);
        assert!(flow.dominates(0, 3) && !flow.dominates(1, 3));
    }

    #[test]
    fn threads_that_end_leave_the_others_to_meet() {
        // 1 may end in 4; 0's threads meet in 3 all the same.
        let flow = flow(&[&[1, 2], &[3, 4], &[3], &[5], &[], &[]]);
        assert_eq!(flow.postdominator[0], Some(3));
        assert_eq!(flow.postdominator[1], Some(3));
        assert!(flow.only_ends(1, 4) && !flow.only_ends(1, 3));
    }

    #[test]
    fn loops_nest() {
        // 1 to 4 is a loop, 2 to 3 one within it.
        let flow = flow(&[&[1], &[2], &[3], &[2, 4], &[1, 5], &[]]);
        assert_eq!(flow.loops.len(), 2);
        assert_eq!(flow.loops[0].header, 2);
        assert_eq!(flow.loops[0].blocks, [2, 3]);
        assert_eq!(flow.loops[0].parent, Some(1));
        assert_eq!(flow.loops[1].blocks, [1, 2, 3, 4]);
        assert_eq!((flow.loops[0].depth, flow.loops[1].depth), (2, 1));
        assert!(flow.is_in(3, 1) && !flow.is_in(4, 0) && !flow.irreducible);
    }

    #[test]
    fn a_cycle_with_two_entries_is_no_loop() {
        let flow = flow(&[&[1, 2], &[2], &[1, 3], &[]]);
        assert!(flow.irreducible);
        assert!(flow.loops.is_empty());
    }

    #[test]
    fn a_loop_of_one_block_and_one_without_end() {
        let flow = flow(&[&[1], &[1, 2], &[2]]);
        assert_eq!(flow.loops.len(), 2);
        assert_eq!(flow.innermost[1].map(|n| flow.loops[n].blocks.clone()), Some(vec![1]));
        assert_eq!(flow.postdominator[1], Some(2));
    }

    #[test]
    fn all_threads_lead_to_the_cycle_that_none_leaves() {
        // 3 is the way into the loop 1; all threads come to the loop 2 and end within it.
        let flow = flow(&[&[3], &[1, 2], &[2], &[1]]);
        assert_eq!(flow.postdominator, [Some(3), Some(2), None, Some(1)]);
        assert!(!flow.only_ends(3, 1) && !flow.only_ends(1, 2));
    }

    /// The numbers of a small generator, the same each time.
    fn numbers(mut state: u64) -> impl FnMut(usize) -> usize {
        move |bound| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % bound
        }
    }

    #[test]
    fn dominators_are_those_without_which_a_block_is_not_reached() {
        let mut number = numbers(1);
        for _ in 0..300 {
            let count = 2 + number(12);
            let edges: Edges = (0..count)
                .map(|_| (0..number(4)).map(|_| number(count)).collect())
                .collect();
            let found = dominators(0, &edges, &reversed(&edges));
            let without = |left_out: usize| {
                let mut cut = edges.clone();
                cut[left_out].clear();
                let mut reached = vec![false; count];
                for block in reverse_postorder(0, &cut) {
                    reached[block] = true;
                }
                reached
            };
            let reached = reverse_postorder(0, &edges);
            let ways: Vec<Vec<bool>> = (0..count).map(without).collect();
            let dominates = |above: usize, below: usize| above != below && !ways[above][below];
            for (below, found) in found.into_iter().enumerate() {
                let is_tree = reached.contains(&below) && below != 0;
                let above: Vec<usize> = (0..count).filter(|above| is_tree && dominates(*above, below)).collect();
                let nearest = above
                    .iter()
                    .copied()
                    .find(|near| above.iter().all(|far| far == near || dominates(*far, *near)));
                assert_eq!(found, nearest, "block {below} of {edges:?}");
            }
        }
    }

    #[test]
    fn the_end_that_a_hundred_thousand_blocks_in_a_row_lead_to_has_its_dominator_at_once() {
        let count = 100_000;
        let edges: Edges = (0..count)
            .map(|block| match block {
                _ if block + 1 == count => SmallVec::new(),
                _ => SmallVec::from_slice(&[count - 1, (block + 1).min(count - 1)]),
            })
            .collect();
        let found = dominators(0, &edges, &reversed(&edges));
        assert_eq!(found[count - 1], Some(0));
        assert_eq!(found[count - 2], Some(count - 3));
    }

    #[test]
    fn ten_thousand_loops_in_a_row_take_no_time() {
        let count = 30_000;
        let edges: Vec<SmallVec<[usize; 2]>> = (0..count)
            .map(|block| match block % 3 {
                _ if block + 1 == count => SmallVec::new(),
                0 => SmallVec::from_slice(&[block + 1]),
                1 => SmallVec::from_slice(&[block, block + 1]),
                _ => SmallVec::from_slice(&[block + 1]),
            })
            .collect();
        let flow = ControlFlow::of_edges(edges, &vec![false; count]);
        assert_eq!(flow.loops.len(), 10_000);
    }
}
