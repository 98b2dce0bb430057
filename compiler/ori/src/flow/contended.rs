//! Where threads of a warp may run while others of it run elsewhere.
//!
//! A uniform register is the warp's. Threads that have parted from others may still write one as long as those only wait: on the one way of a branch whose other
//! way leads straight to where the threads meet, and in a loop whose threads wait behind it for the last. ptxas writes uniform registers there, and where two
//! ways of a branch have code it does so only for readers in the same block (observed, ptxas 13.0.88).

use warpsmith_sass::Opcode;

use super::{shape::Shape, varying::Varying};
use crate::{graph::ControlFlow, ir::Instruction};

/// The nodes that run while other threads of the warp may run other nodes. The convergence barriers are there already.
pub(super) fn nodes(shape: &Shape, flow: &ControlFlow, varying: &Varying) -> Vec<bool> {
    let mut contended = vec![false; shape.nodes.len()];
    // Behind an instruction by which threads part without a branch, or are let past a barrier early, they may be anywhere.
    for &node in &flow.order {
        // Threads that wait for each other where all are together let none past a barrier.
        let parts = |opcode: Opcode| match opcode {
            Opcode::Yield | Opcode::Nanosleep => true,
            Opcode::Warpsync => varying.apart[node],
            _ => false,
        };
        if shape.nodes[node]
            .code
            .iter()
            .any(|instruction| parts(instruction.base.opcode()))
        {
            mark(flow, &mut contended, &[node], None);
        }
    }
    for &node in flow.order.iter().filter(|node| varying.parts[**node]) {
        let next = &flow.successors[node];
        // Threads that end do so while the others go on: behind such a branch nothing is known.
        if next.iter().any(|to| flow.only_ends(node, *to)) {
            mark(flow, &mut contended, next, None);
            continue;
        }
        let meeting = flow.postdominator[node];
        let runs = next.iter().filter(|to| !only_waits(shape, **to, meeting)).count();
        if runs > 1 {
            mark(flow, &mut contended, next, meeting);
        }
    }
    contended
}

/// Whether threads that come to a node do nothing but wait for others until they are at the meeting place.
fn only_waits(shape: &Shape, node: usize, meeting: Option<usize>) -> bool {
    let is_wait = |instruction: &Instruction| instruction.base.opcode() == Opcode::Bsync;
    let (mut at, mut waits) = (node, false);
    for _ in 0..4 {
        let node = &shape.nodes[at];
        if Some(at) == meeting {
            return waits || node.code.first().is_some_and(is_wait);
        }
        if !node.code.iter().all(is_wait) {
            return false;
        }
        waits |= !node.code.is_empty();
        let mut next = node.targets();
        match (next.next(), next.next()) {
            (Some(to), None) => at = to,
            _ => return false,
        }
    }
    false
}

/// Marks what is reached from some nodes before the meeting place.
fn mark(flow: &ControlFlow, contended: &mut [bool], from: &[usize], meeting: Option<usize>) {
    let mut seen = rustc_hash::FxHashSet::default();
    let mut work = from.to_vec();
    while let Some(node) = work.pop() {
        if Some(node) != meeting && seen.insert(node) {
            contended[node] = true;
            work.extend(&flow.successors[node]);
        }
    }
}
