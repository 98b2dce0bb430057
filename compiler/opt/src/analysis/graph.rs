//! Control flow as a graph of numbers: successors, predecessors, reverse postorder.
//!
//! Nodes are the positions of blocks. Everything here is linear in nodes and edges, keeps no reference to the function, and is computed anew by the
//! pass that needs it: nothing stale is ever looked at.

/// Adjacency lists in one allocation: the neighbours of node `n` are `targets[starts[n]..starts[n + 1]]`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Adjacency {
    starts: Vec<u32>,
    targets: Vec<u32>,
}

impl Adjacency {
    /// The lists of edges that are sorted by their first node.
    fn of_sorted(nodes: usize, edges: &[(u32, u32)]) -> Adjacency {
        let mut adjacency = Adjacency {
            starts: Vec::with_capacity(nodes + 1),
            targets: Vec::with_capacity(edges.len()),
        };
        for &(from, to) in edges {
            while adjacency.starts.len() <= from as usize {
                adjacency.starts.push(adjacency.targets.len() as u32);
            }
            adjacency.targets.push(to);
        }
        while adjacency.starts.len() <= nodes {
            adjacency.starts.push(adjacency.targets.len() as u32);
        }
        adjacency
    }

    /// The edges `(from, to)` that are given as `(to, from)`; the neighbours of a node are in the order in which they come.
    pub(super) fn grouped(nodes: usize, edges: impl Iterator<Item = (u32, u32)> + Clone) -> Adjacency {
        let mut starts = vec![0u32; nodes + 1];
        let mut count = 0;
        for (_, from) in edges.clone() {
            starts[from as usize] += 1;
            count += 1;
        }
        let mut end = 0;
        for start in &mut starts {
            let length = *start;
            *start = end;
            end += length;
        }
        let mut targets = vec![0; count];
        for (to, from) in edges {
            let place = &mut starts[from as usize];
            targets[*place as usize] = to;
            *place += 1;
        }
        // Each start has become its list's end, which is where the next list starts.
        starts.copy_within(0..nodes, 1);
        starts[0] = 0;
        Adjacency { starts, targets }
    }

    /// The same edges the other way round; the neighbours of a node are in the order of their numbers.
    fn reversed(&self, nodes: usize) -> Adjacency {
        let edges = (0..nodes as u32).flat_map(|from| self.of(from).iter().map(move |&to| (from, to)));
        Adjacency::grouped(nodes, edges)
    }

    #[inline]
    pub(super) fn of(&self, node: u32) -> &[u32] {
        let node = node as usize;
        &self.targets[self.starts[node] as usize..self.starts[node + 1] as usize]
    }
}

/// A set of nodes that is emptied in no time, for passes that ask for one variable after another.
#[derive(Clone, Debug, Default)]
pub struct Marks {
    /// By node: the number of the set that it is in.
    sets: Vec<u32>,
    set: u32,
}

impl Marks {
    /// The empty set.
    pub fn new(nodes: usize) -> Marks {
        Marks {
            sets: vec![0; nodes],
            set: 1,
        }
    }

    /// Takes all nodes out.
    pub fn clear(&mut self) {
        self.set = self.set.checked_add(1).unwrap_or_else(|| {
            self.sets.fill(0);
            1
        });
    }

    /// Adds a node; whether it was not there.
    pub fn insert(&mut self, node: u32) -> bool {
        std::mem::replace(&mut self.sets[node as usize], self.set) != self.set
    }

    /// Whether a node is there.
    pub fn contains(&self, node: u32) -> bool {
        self.sets[node as usize] == self.set
    }
}

/// A node that a traversal did not reach has this position.
pub const UNREACHED: u32 = u32::MAX;

/// Successors and predecessors of nodes, and a reverse postorder from an entry.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Graph {
    nodes: usize,
    entry: u32,
    successors: Adjacency,
    predecessors: Adjacency,
    order: Vec<u32>,
    position: Vec<u32>,
}

impl Graph {
    /// The graph of `nodes` nodes; `successors` appends the successors of a node to the list that it gets, in order and each as often as there is an
    /// edge.
    pub fn new(nodes: usize, entry: u32, mut successors: impl FnMut(u32, &mut Vec<u32>)) -> Graph {
        let mut adjacency = Adjacency {
            starts: Vec::with_capacity(nodes + 1),
            targets: Vec::with_capacity(2 * nodes),
        };
        adjacency.starts.push(0);
        for node in 0..nodes as u32 {
            successors(node, &mut adjacency.targets);
            adjacency.starts.push(adjacency.targets.len() as u32);
        }
        Graph::of(nodes, entry, adjacency)
    }

    /// The graph of edges that are sorted by their first node.
    pub fn of_edges(nodes: usize, entry: u32, edges: &[(u32, u32)]) -> Graph {
        Graph::of(nodes, entry, Adjacency::of_sorted(nodes, edges))
    }

    fn of(nodes: usize, entry: u32, successors: Adjacency) -> Graph {
        let predecessors = successors.reversed(nodes);
        let mut graph = Graph {
            nodes,
            entry,
            successors,
            predecessors,
            order: Vec::new(),
            position: vec![UNREACHED; nodes],
        };
        if (entry as usize) < nodes {
            graph.number();
        }
        graph
    }

    fn number(&mut self) {
        // Until all are numbered, any other position says that the node has been seen.
        let mut postorder = Vec::with_capacity(self.nodes);
        let mut stack = Vec::with_capacity(self.nodes.min(64));
        stack.push((self.entry, 0usize));
        self.position[self.entry as usize] = 0;
        while let Some((node, next)) = stack.last_mut() {
            let list = self.successors.of(*node);
            if let Some(&to) = list.get(*next) {
                *next += 1;
                if self.position[to as usize] == UNREACHED {
                    self.position[to as usize] = 0;
                    stack.push((to, 0));
                }
            } else {
                postorder.push(*node);
                stack.pop();
            }
        }
        postorder.reverse();
        for (position, &node) in postorder.iter().enumerate() {
            self.position[node as usize] = position as u32;
        }
        self.order = postorder;
    }

    /// How many nodes there are, reached or not.
    pub fn len(&self) -> usize {
        self.nodes
    }

    /// Whether there is no node.
    pub fn is_empty(&self) -> bool {
        self.nodes == 0
    }

    /// The entry.
    pub fn entry(&self) -> u32 {
        self.entry
    }

    /// Successors in the order of the terminator, each as often as there is an edge.
    pub fn successors(&self, node: u32) -> &[u32] {
        self.successors.of(node)
    }

    /// Predecessors by number, each as often as there is an edge; also those that the entry does not reach.
    pub fn predecessors(&self, node: u32) -> &[u32] {
        self.predecessors.of(node)
    }

    /// The reached nodes in reverse postorder: a node before its successors, except along back edges.
    pub fn order(&self) -> &[u32] {
        &self.order
    }

    /// The place of a node in [`Graph::order`], or [`UNREACHED`].
    pub fn position(&self, node: u32) -> u32 {
        self.position[node as usize]
    }

    /// Whether the entry reaches a node.
    pub fn is_reached(&self, node: u32) -> bool {
        self.position[node as usize] != UNREACHED
    }

    /// The graph with all edges turned round and one more node, the last, which is its entry: it leads to every node without successors, and to one
    /// node of every region that cannot be left.
    pub fn reversed(&self) -> Graph {
        let nodes = self.nodes + 1;
        let exit = self.nodes as u32;
        let mut exits: Vec<u32> = (0..exit).filter(|&node| self.successors(node).is_empty()).collect();
        // What reaches an exit.
        let mut reaches = vec![false; self.nodes];
        let mark = |from: u32, reaches: &mut Vec<bool>| {
            let mut work = vec![from];
            reaches[from as usize] = true;
            while let Some(node) = work.pop() {
                for &before in self.predecessors(node) {
                    if !std::mem::replace(&mut reaches[before as usize], true) {
                        work.push(before);
                    }
                }
            }
        };
        for &leaving in &exits {
            mark(leaving, &mut reaches);
        }
        // The last node in reverse postorder of an endless region is the bottom of its loop.
        for &node in self.order.iter().rev() {
            if !reaches[node as usize] {
                exits.push(node);
                mark(node, &mut reaches);
            }
        }
        for node in 0..exit {
            if !reaches[node as usize] {
                exits.push(node);
                mark(node, &mut reaches);
            }
        }
        Graph::new(nodes, exit, |node, list| {
            if node == exit {
                list.extend_from_slice(&exits);
            } else {
                list.extend_from_slice(self.predecessors(node));
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_puts_a_join_after_its_sides() {
        let graph = Graph::of_edges(5, 0, &[(0, 1), (0, 2), (1, 3), (2, 3), (4, 3)]);
        assert_eq!(graph.order(), [0, 2, 1, 3]);
        assert_eq!(graph.predecessors(3), [1, 2, 4]);
        assert!(!graph.is_reached(4));
    }

    #[test]
    fn an_endless_loop_gets_an_exit_when_reversed() {
        let graph = Graph::of_edges(3, 0, &[(0, 1), (1, 2), (2, 1)]);
        let reversed = graph.reversed();
        assert_eq!(reversed.successors(3), [2]);
        assert_eq!(reversed.order().len(), 4);
    }
}
