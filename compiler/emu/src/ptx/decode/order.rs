//! An order of a function's steps that tells which of several groups of a warp's threads runs first.
//!
//! Threads that parted meet again if those that stand earlier in the order run first, and the order has every loop in one piece (threads that
//! leave a loop wait for those that stay) and every join after what joins there. Such an order comes from the strongly connected components
//! of the control flow graph, in topological order, and again within each loop with the edges to its head taken away.

use crate::ptx::code::{Code, Op};

/// Nested loops deeper than this keep the order of the text.
const DEPTH: usize = 24;

/// Basic blocks and the edges between them.
struct Graph {
    /// First step of each block, and one past the last block's end.
    starts: Vec<u32>,
    successors: Vec<Vec<u32>>,
}

fn targets(code: &Code, index: usize) -> Vec<u32> {
    let step = &code.steps[index];
    let guarded = step.guard != crate::ptx::code::Test::ALWAYS;
    let next = index as u32 + 1;
    match step.op {
        Op::Branch { target } if guarded => vec![target, next],
        Op::Branch { target } => vec![target],
        Op::BranchIndexed { list, count, .. } => {
            let mut all = code.lists[list as usize..(list + count) as usize].to_vec();
            if guarded {
                all.push(next);
            }
            all
        }
        Op::Return | Op::Exit | Op::Trap if !guarded => Vec::new(),
        _ => vec![next],
    }
}

fn ends_block(op: &Op) -> bool {
    matches!(
        op,
        Op::Branch { .. } | Op::BranchIndexed { .. } | Op::Return | Op::Exit | Op::Trap
    )
}

impl Graph {
    fn of(code: &Code) -> Graph {
        let count = code.steps.len();
        let mut leads = vec![false; count + 1];
        leads[0] = true;
        for index in 0..count {
            if ends_block(&code.steps[index].op) {
                leads[index + 1] = true;
                for target in targets(code, index) {
                    leads[(target as usize).min(count)] = true;
                }
            }
        }
        let starts: Vec<u32> = (0..count as u32).filter(|index| leads[*index as usize]).collect();
        let mut successors = Vec::with_capacity(starts.len());
        for block in 0..starts.len() {
            let end = starts.get(block + 1).map_or(count, |next| *next as usize);
            let mut blocks: Vec<u32> = targets(code, end - 1)
                .into_iter()
                .filter_map(|target| starts.binary_search(&target).ok())
                .map(|block| block as u32)
                .collect();
            blocks.sort_unstable();
            blocks.dedup();
            successors.push(blocks);
        }
        Graph { starts, successors }
    }
}

/// Strongly connected components of the graph on `nodes`, without the edges into `head`, in topological order. Tarjan's algorithm without
/// recursion.
fn components(graph: &Graph, nodes: &[u32], inside: &[u32], mark: u32, head: Option<u32>) -> Vec<Vec<u32>> {
    let count = graph.successors.len();
    let mut number = vec![0_u32; count];
    let mut low = vec![0_u32; count];
    let mut on_stack = vec![false; count];
    let mut stack = Vec::new();
    let mut found = Vec::new();
    let mut next = 1;
    for &root in nodes {
        if number[root as usize] != 0 {
            continue;
        }
        let mut work = vec![(root, 0_usize)];
        while let Some(&mut (node, ref mut edge)) = work.last_mut() {
            let n = node as usize;
            if *edge == 0 {
                number[n] = next;
                low[n] = next;
                next += 1;
                stack.push(node);
                on_stack[n] = true;
            }
            // Later blocks first, so that among unordered ones the earlier of the text comes out first.
            let edges = &graph.successors[n];
            if *edge < edges.len() {
                let target = edges[edges.len() - 1 - *edge];
                *edge += 1;
                let t = target as usize;
                if inside[t] != mark || Some(target) == head {
                    // Not part of this graph; an edge of count one marks the node as entered all the same.
                } else if number[t] == 0 {
                    work.push((target, 0));
                } else if on_stack[t] {
                    low[n] = low[n].min(number[t]);
                }
                continue;
            }
            work.pop();
            if let Some(&(parent, _)) = work.last() {
                low[parent as usize] = low[parent as usize].min(low[n]);
            }
            if low[n] == number[n] {
                let from = stack.iter().rposition(|&other| other == node).unwrap_or(0);
                let component = stack.split_off(from);
                for &member in &component {
                    on_stack[member as usize] = false;
                }
                found.push(component);
            }
        }
    }
    found.reverse();
    found
}

/// The place of each step in the order.
pub(super) fn ranks(code: &Code) -> Vec<u32> {
    let graph = Graph::of(code);
    let blocks = graph.starts.len();
    let mut order: Vec<u32> = Vec::with_capacity(blocks);
    // Which set of blocks each block belongs to at present.
    let mut inside = vec![0_u32; blocks];
    let mut marks = 0;
    let all: Vec<u32> = (0..blocks as u32).collect();
    // Work still to do, the last first: blocks to order, the head of their loop, the depth.
    let mut work: Vec<(Vec<u32>, Option<u32>, usize)> = vec![(all, None, 0)];
    while let Some((mut nodes, head, depth)) = work.pop() {
        if nodes.len() == 1 || depth > DEPTH {
            nodes.sort_unstable();
            order.extend(nodes);
            continue;
        }
        marks += 1;
        for &node in &nodes {
            inside[node as usize] = marks;
        }
        nodes.sort_unstable();
        if let Some(head) = head {
            // The head of the loop leads.
            if let Some(at) = nodes.iter().position(|&node| node == head) {
                nodes.remove(at);
                nodes.insert(0, head);
            }
        }
        let mut found = components(&graph, &nodes, &inside, marks, head);
        if found.len() == 1 && head.is_some() {
            order.append(&mut found[0]);
            continue;
        }
        for component in found.into_iter().rev() {
            let head = if component.len() > 1 {
                loop_head(&graph, &component)
            } else {
                None
            };
            work.push((component, head, depth + 1));
        }
    }
    let mut ranks = vec![0; code.steps.len()];
    let mut next = 0;
    for block in order {
        let end = graph
            .starts
            .get(block as usize + 1)
            .map_or(code.steps.len(), |end| *end as usize);
        for rank in &mut ranks[graph.starts[block as usize] as usize..end] {
            *rank = next;
            next += 1;
        }
    }
    ranks
}

/// The block of a loop that is entered from outside; the first of the text where there are several.
fn loop_head(graph: &Graph, component: &[u32]) -> Option<u32> {
    let mut members = component.to_vec();
    members.sort_unstable();
    let entered = |block: u32| {
        graph.successors.iter().enumerate().any(|(from, targets)| {
            members.binary_search(&(from as u32)).is_err() && targets.binary_search(&block).is_ok()
        })
    };
    // Of large loops only the first block of the text is asked: finding the entry costs a walk over all edges.
    if members.len() > 64 || entered(members[0]) {
        return members.first().copied();
    }
    members
        .iter()
        .copied()
        .find(|block| entered(*block))
        .or(members.first().copied())
}
