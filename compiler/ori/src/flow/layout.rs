//! The order of the nodes: each after those that lead to it, the blocks of a loop together, code where threads fail at the end.

use super::shape::{End, Shape};
use crate::{
    graph::{ControlFlow, has_trap},
    ir::Function,
};

/// Writes a shape back in its best order.
pub(crate) fn place(shape: Shape, function: &mut Function) {
    let order = order(&shape);
    shape.write(function, &order);
}

/// The order.
pub(crate) fn order(shape: &Shape) -> Vec<usize> {
    let flow = shape.flow();
    let cold = cold(shape, &flow);
    let walk = walk(shape, &flow);
    let mut order = Vec::with_capacity(walk.len());
    gather(&flow, &walk, &mut order);
    let (hot, last): (Vec<usize>, Vec<usize>) = order.into_iter().partition(|node| !cold[*node] || *node == 0);
    hot.into_iter().chain(last).collect()
}

/// The nodes from which all ways lead to a failure.
fn cold(shape: &Shape, flow: &ControlFlow) -> Vec<bool> {
    let mut cold: Vec<bool> = shape.nodes.iter().map(|node| has_trap(&node.code)).collect();
    for &node in flow.order.iter().rev() {
        let next = &flow.successors[node];
        cold[node] |= !next.is_empty() && next.iter().all(|to| cold[*to]);
    }
    cold
}

/// Reverse postorder in which what follows a branch directly comes next, and what leaves a loop after what stays in it.
fn walk(shape: &Shape, flow: &ControlFlow) -> Vec<usize> {
    // What is visited first comes last.
    let visits = |node: usize| -> smallvec::SmallVec<[usize; 2]> {
        let mut ways: smallvec::SmallVec<[usize; 2]> = shape.nodes[node].targets().collect();
        if let End::Branch(branch) = &shape.nodes[node].end {
            let leaves = |to: usize| {
                let deepest = flow.innermost[node];
                deepest.is_some_and(|number| !flow.is_in(to, number))
            };
            let ends = |to: usize| flow.only_ends(node, to);
            let first = |to: usize| (leaves(to), ends(to));
            if first(branch.other) > first(branch.taken) {
                ways.reverse();
            }
        }
        ways
    };
    let mut order = Vec::new();
    let mut seen = vec![false; shape.nodes.len()];
    let mut stack = vec![(0, visits(0), 0)];
    seen[0] = true;
    while let Some((node, ways, next)) = stack.pop() {
        match ways.get(next) {
            Some(&to) => {
                stack.push((node, ways, next + 1));
                if !seen[to] {
                    seen[to] = true;
                    stack.push((to, visits(to), 0));
                }
            }
            None => order.push(node),
        }
    }
    order.reverse();
    order
}

/// Puts the blocks of each loop together, where its header stands.
fn gather(flow: &ControlFlow, walk: &[usize], order: &mut Vec<usize>) {
    let mut rank = vec![usize::MAX; flow.successors.len()];
    for (index, node) in walk.iter().enumerate() {
        rank[*node] = index;
    }
    // For each loop and for what is in none, its parts in order: nodes, and loops within at the place of their first node.
    let mut own: Vec<Vec<Part>> = vec![Vec::new(); flow.loops.len() + 1];
    let top = flow.loops.len();
    let mut begun = vec![false; flow.loops.len()];
    for &node in walk {
        let home = flow.innermost[node].unwrap_or(top);
        // The loops around begin with this node, if they have not.
        let mut at = home;
        let mut chain: smallvec::SmallVec<[usize; 4]> = smallvec::SmallVec::new();
        while at != top && !begun[at] {
            begun[at] = true;
            chain.push(at);
            at = flow.loops[at].parent.unwrap_or(top);
        }
        for inner in chain.into_iter().rev() {
            own[flow.loops[inner].parent.unwrap_or(top)].push(Part::Loop(inner));
        }
        own[home].push(Part::Node(node));
    }
    let mut stack = vec![(top, 0)];
    while let Some((number, next)) = stack.pop() {
        if let Some(part) = own[number].get(next) {
            stack.push((number, next + 1));
            match part {
                Part::Node(node) => order.push(*node),
                Part::Loop(inner) => stack.push((*inner, 0)),
            }
        }
    }
}

#[derive(Clone, Copy, Debug)]
enum Part {
    Node(usize),
    Loop(usize),
}
