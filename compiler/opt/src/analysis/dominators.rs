//! Dominators and post-dominators.
//!
//! Semi-dominators with path compression, then one walk down the numbering (the "semi-NCA" method of Georgiadis): near-linear, no recursion.

use super::graph::{Adjacency, Graph, Marks, UNREACHED};

/// The tree of immediate dominators of a [`Graph`]. Nodes that the entry does not reach are in no tree.
#[derive(Clone, Debug)]
pub struct Dominators {
    parent: Vec<u32>,
    children: Adjacency,
    /// When a walk of the tree enters and leaves a node.
    span: Vec<(u32, u32)>,
    depth: Vec<u32>,
    /// A walk of the tree, parents first.
    preorder: Vec<u32>,
    root: u32,
}

impl Dominators {
    /// Dominators of a graph.
    pub fn new(graph: &Graph) -> Dominators {
        let nodes = graph.len();
        let parent = immediate(graph);
        let below = graph.order().iter().filter(|node| **node != graph.entry());
        let children = Adjacency::grouped(nodes, below.map(|&node| (node, parent[node as usize])));
        let mut tree = Dominators {
            parent,
            children,
            span: vec![(UNREACHED, 0); nodes],
            depth: vec![0; nodes],
            preorder: Vec::with_capacity(nodes),
            root: graph.entry(),
        };
        if !graph.is_empty() {
            tree.walk();
        }
        tree
    }

    fn walk(&mut self) {
        let mut clock = 0;
        let mut stack = Vec::with_capacity(self.parent.len().min(64));
        stack.push((self.root, 0usize));
        self.preorder.push(self.root);
        self.span[self.root as usize].0 = 0;
        while let Some((node, next)) = stack.last_mut() {
            let node = *node;
            if let Some(&child) = self.children.of(node).get(*next) {
                *next += 1;
                clock += 1;
                self.span[child as usize].0 = clock;
                self.depth[child as usize] = self.depth[node as usize] + 1;
                self.preorder.push(child);
                stack.push((child, 0));
            } else {
                self.span[node as usize].1 = clock;
                stack.pop();
            }
        }
    }

    /// The root.
    pub fn root(&self) -> u32 {
        self.root
    }

    /// The immediate dominator; `None` for the root and for nodes that are not reached.
    pub fn parent(&self, node: u32) -> Option<u32> {
        let parent = self.parent[node as usize];
        (parent != UNREACHED && node != self.root).then_some(parent)
    }

    /// The nodes that this one immediately dominates.
    pub fn children(&self, node: u32) -> &[u32] {
        self.children.of(node)
    }

    /// All reached nodes, dominators before what they dominate.
    pub fn preorder(&self) -> &[u32] {
        &self.preorder
    }

    /// Steps to the root.
    pub fn depth(&self, node: u32) -> u32 {
        self.depth[node as usize]
    }

    /// When a walk over the tree enters the node, and the last node below it.
    pub fn span(&self, node: u32) -> (u32, u32) {
        self.span[node as usize]
    }

    /// Whether the node is in the tree.
    pub fn is_reached(&self, node: u32) -> bool {
        self.span[node as usize].0 != UNREACHED
    }

    /// Whether every way to `below` passes `above`. A node dominates itself; a node that is not reached is dominated by all.
    pub fn dominates(&self, above: u32, below: u32) -> bool {
        let (first, last) = self.span[above as usize];
        let (at, _) = self.span[below as usize];
        if at == UNREACHED {
            return true;
        }
        first != UNREACHED && first <= at && at <= last
    }

    /// The lowest node that dominates both.
    pub fn common(&self, mut one: u32, mut other: u32) -> u32 {
        while one != other {
            if self.depth[one as usize] < self.depth[other as usize] {
                std::mem::swap(&mut one, &mut other);
            }
            match self.parent(one) {
                Some(up) => one = up,
                None => return one,
            }
        }
        one
    }

    /// The dominance frontier of a set of nodes, closed: where phis of a variable that these nodes define can be needed. Sorted by number.
    ///
    /// Works up from the deepest nodes (Sreedhar and Gao), so that each node and edge is looked at once. `is_live` says where the variable still has a value that is
    /// read when the node is entered; below a node where it has none, what is read was defined below that node, so that the walk goes no further than the variable lives.
    pub fn iterated_frontier(
        &self,
        graph: &Graph,
        definitions: &[u32],
        memory: &mut FrontierMemory,
        is_live: impl Fn(u32) -> bool,
    ) -> Vec<u32> {
        let mut heap: std::collections::BinaryHeap<(u32, u32)> = std::collections::BinaryHeap::new();
        let FrontierMemory {
            defined,
            found,
            visited,
        } = memory;
        [&mut *defined, found, visited].into_iter().for_each(Marks::clear);
        for &node in definitions {
            if self.is_reached(node) && defined.insert(node) {
                heap.push((self.depth(node), node));
            }
        }
        let mut frontier = Vec::new();
        let mut work = Vec::new();
        while let Some((root_depth, root)) = heap.pop() {
            work.push(root);
            visited.insert(root);
            while let Some(node) = work.pop() {
                for &to in graph.successors(node) {
                    // Edges of the tree itself lead to no frontier.
                    if self.parent(to) == Some(node) || self.depth(to) > root_depth {
                        continue;
                    }
                    if found.contains(to) || !is_live(to) {
                        continue;
                    }
                    found.insert(to);
                    frontier.push(to);
                    if !defined.contains(to) {
                        heap.push((self.depth(to), to));
                    }
                }
                for &child in self.children(node) {
                    if is_live(child) && visited.insert(child) {
                        work.push(child);
                    }
                }
            }
        }
        frontier.sort_unstable();
        frontier
    }
}

/// What [`Dominators::iterated_frontier`] works with, kept from one variable to the next.
#[derive(Clone, Debug)]
pub struct FrontierMemory {
    defined: Marks,
    found: Marks,
    visited: Marks,
}

impl FrontierMemory {
    /// For graphs of so many nodes.
    pub fn new(nodes: usize) -> FrontierMemory {
        let marks = Marks::new(nodes);
        FrontierMemory {
            defined: marks.clone(),
            found: marks.clone(),
            visited: marks,
        }
    }
}

/// The immediate dominator of each node, [`UNREACHED`] for those without.
fn immediate(graph: &Graph) -> Vec<u32> {
    let nodes = graph.len();
    if nodes == 0 {
        return Vec::new();
    }
    // Numbers of a depth-first walk, and the parent in it, by number.
    let mut number = vec![UNREACHED; nodes];
    let mut vertex = Vec::with_capacity(nodes);
    let mut up = Vec::with_capacity(nodes);
    let mut stack = Vec::with_capacity(nodes.min(64));
    stack.push((graph.entry(), 0u32));
    while let Some((node, parent)) = stack.pop() {
        if number[node as usize] != UNREACHED {
            continue;
        }
        let own = vertex.len() as u32;
        number[node as usize] = own;
        vertex.push(node);
        up.push(parent);
        stack.extend(graph.successors(node).iter().rev().map(|&to| (to, own)));
    }
    let count = vertex.len();
    let mut semi: Vec<u32> = (0..count as u32).collect();
    let mut ancestor: Vec<u32> = up.clone();
    let mut label: Vec<u32> = semi.clone();
    let mut dominator = up.clone();
    let mut path = Vec::new();
    for own in (1..count as u32).rev() {
        let mut least = up[own as usize];
        for &before in graph.predecessors(vertex[own as usize]) {
            let before = number[before as usize];
            if before == UNREACHED {
                continue;
            }
            least = least.min(semi[evaluate(before, own, &mut ancestor, &mut label, &semi, &mut path) as usize]);
        }
        semi[own as usize] = least;
    }
    for own in 1..count {
        let mut above = dominator[own];
        while above > semi[own] {
            above = dominator[above as usize];
        }
        dominator[own] = above;
    }
    let mut result = vec![UNREACHED; nodes];
    for own in 0..count {
        result[vertex[own] as usize] = vertex[dominator[own] as usize];
    }
    result
}

/// The node with the least semi-dominator on the way from `node` up to numbers not yet linked (`<= limit`); shortens the way.
fn evaluate(node: u32, limit: u32, ancestor: &mut [u32], label: &mut [u32], semi: &[u32], path: &mut Vec<u32>) -> u32 {
    if node <= limit {
        return label[node as usize];
    }
    let mut at = node;
    while ancestor[at as usize] > limit {
        path.push(at);
        at = ancestor[at as usize];
    }
    // `at` is the last linked node; from it downwards every node takes the better label of the one above.
    let top = ancestor[at as usize];
    let mut above = at;
    while let Some(below) = path.pop() {
        if semi[label[above as usize] as usize] < semi[label[below as usize] as usize] {
            label[below as usize] = label[above as usize];
        }
        ancestor[below as usize] = top;
        above = below;
    }
    label[node as usize]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parents(nodes: usize, edges: &[(u32, u32)]) -> Vec<Option<u32>> {
        let tree = Dominators::new(&Graph::of_edges(nodes, 0, edges));
        (0..nodes as u32).map(|node| tree.parent(node)).collect()
    }

    #[test]
    fn diamond() {
        assert_eq!(
            parents(4, &[(0, 1), (0, 2), (1, 3), (2, 3)]),
            [None, Some(0), Some(0), Some(0)]
        );
    }

    #[test]
    fn irreducible() {
        assert_eq!(
            parents(4, &[(0, 1), (0, 2), (1, 2), (2, 1), (2, 3)]),
            [None, Some(0), Some(0), Some(2)]
        );
    }

    fn numbers() -> impl FnMut(u32) -> u32 {
        let mut state = 1u64;
        move |limit: u32| {
            state = state
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            ((state >> 33) as u32) % limit
        }
    }

    /// Where the variable that some nodes define and others read is live at the start.
    fn live(graph: &Graph, definitions: &[u32], readers: &[u32]) -> Vec<bool> {
        let mut live = vec![false; graph.len()];
        let mut work = readers.to_vec();
        while let Some(node) = work.pop() {
            if !std::mem::replace(&mut live[node as usize], true) {
                let before = graph.predecessors(node).iter();
                work.extend(before.filter(|before| !definitions.contains(before)));
            }
        }
        live
    }

    /// Against the definition: edges from where a definition dominates to where it does not, as long as there are more.
    #[test]
    fn frontiers_of_live_variables() {
        let mut random = numbers();
        for _ in 0..2_000 {
            let nodes = 2 + random(12);
            let mut edges: Vec<(u32, u32)> = (0..random(26)).map(|_| (random(nodes), random(nodes))).collect();
            edges.sort_unstable();
            let graph = Graph::of_edges(nodes as usize, 0, &edges);
            let tree = Dominators::new(&graph);
            let mut reached = |count: u32| -> Vec<u32> {
                let some: Vec<u32> = (0..count).map(|_| random(nodes)).collect();
                some.into_iter().filter(|&node| graph.is_reached(node)).collect()
            };
            let (definitions, readers) = (reached(3), reached(3));
            let live = live(&graph, &definitions, &readers);
            let mut wanted: Vec<u32> = Vec::new();
            loop {
                let is_defined = |from: u32, to: u32| {
                    let mut all = definitions.iter().chain(&wanted);
                    all.any(|&at| tree.dominates(at, from) && (at == to || !tree.dominates(at, to)))
                };
                let found = edges.iter().find(|&&(from, to)| {
                    graph.is_reached(from) && live[to as usize] && !wanted.contains(&to) && is_defined(from, to)
                });
                match found {
                    Some(&(_, to)) => wanted.push(to),
                    None => break,
                }
            }
            wanted.sort_unstable();
            let mut memory = FrontierMemory::new(graph.len());
            let found = tree.iterated_frontier(&graph, &definitions, &mut memory, |node| live[node as usize]);
            assert_eq!(found, wanted, "{edges:?} {definitions:?} {readers:?}");
        }
    }

    /// Against the definition: `a` dominates `b` if `b` is not reached without `a`.
    #[test]
    fn random_graphs() {
        let mut random = numbers();
        for _ in 0..300 {
            let nodes = 2 + random(9);
            let mut edges: Vec<(u32, u32)> = (0..random(20)).map(|_| (random(nodes), random(nodes))).collect();
            edges.sort_unstable();
            let graph = Graph::of_edges(nodes as usize, 0, &edges);
            let tree = Dominators::new(&graph);
            for without in 0..nodes {
                let mut seen = vec![false; nodes as usize];
                let mut work = if without == 0 { vec![] } else { vec![0] };
                while let Some(node) = work.pop() {
                    if node != without && !std::mem::replace(&mut seen[node as usize], true) {
                        work.extend_from_slice(graph.successors(node));
                    }
                }
                for node in (0..nodes).filter(|&node| graph.is_reached(node)) {
                    assert_eq!(
                        tree.dominates(without, node),
                        !seen[node as usize] && graph.is_reached(without),
                        "{without} {node} {edges:?}"
                    );
                }
            }
        }
    }
}
