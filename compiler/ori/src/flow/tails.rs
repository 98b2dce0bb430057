//! Equal ends of nodes that go to the same place become one node that both go to.
//!
//! Where all ways into a place end alike, [`super::clean`] moves the end there, for nothing is branched for then. Here only some do: the others of them branch to
//! the common end, which is worth it from some length on.

use std::collections::BTreeMap;

use warpsmith_sass::Flow;

use super::{
    clean::{equal, may_be_shared},
    layout,
    shape::{End, Node, Shape},
};
use crate::{
    ir::{Function, Instruction},
    phase::Context,
};

/// The fewest instructions of a common end.
const LEAST: usize = 4;
/// The most nodes with one way out into the same place that are compared with each other.
const MOST: usize = 64;

/// Merges common ends.
pub(crate) fn merge_tails(function: &mut Function, context: &Context<'_>) -> Result<(), String> {
    let Some(mut shape) = Shape::take(function, context.selector) else {
        return Ok(());
    };
    let flow = shape.flow();
    // Nodes by where they jump to, those that end their threads last, and by the loop that they are in: what enters a loop stays apart from what goes round.
    let mut sources: BTreeMap<(usize, Option<usize>), Vec<usize>> = BTreeMap::new();
    for (index, node) in shape.nodes.iter().enumerate().filter(|(index, _)| flow.reached[*index]) {
        let to = match node.end {
            End::Jump(to) => to,
            End::Stop => usize::MAX,
            End::Branch(_) | End::Table(_) => continue,
        };
        sources.entry((to, flow.innermost[index])).or_default().push(index);
    }
    for mut from in sources.into_values().filter(|from| (2..=MOST).contains(&from.len())) {
        while let Some(first) = from.pop() {
            let lengths: Vec<usize> = from.iter().map(|other| common(&shape, first, *other)).collect();
            let longest = lengths.iter().copied().max().unwrap_or(0);
            if longest < LEAST || !context.fuel.take() {
                continue;
            }
            let mut alike = vec![first];
            alike.extend(
                from.iter()
                    .zip(&lengths)
                    .filter(|(_, length)| **length == longest)
                    .map(|(node, _)| *node),
            );
            let merged = merge(&mut shape, &alike, longest);
            from.retain(|node| !alike.contains(node));
            // What it shares with others again is shorter.
            from.push(merged);
        }
    }
    layout::place(shape, function);
    Ok(())
}

/// How many of the last instructions of two nodes are the same and may be run by the threads of both.
fn common(shape: &Shape, a: usize, b: usize) -> usize {
    let (a, b) = (&shape.nodes[a].code, &shape.nodes[b].code);
    let pairs = a.iter().rev().zip(b.iter().rev());
    let ends = |instruction: &Instruction| instruction.base.flow() == Flow::Exit && instruction.guard.is_none();
    pairs
        .take_while(|(a, b)| equal(a, b) && (may_be_shared(a) || ends(a)))
        .count()
}

/// Lets nodes go to a new one for their last instructions.
fn merge(shape: &mut Shape, nodes: &[usize], length: usize) -> usize {
    let merged = shape.push(Node {
        code: Vec::new(),
        end: End::Stop,
    });
    for node in nodes {
        let node = &mut shape.nodes[*node];
        let code = node.code.split_off(node.code.len().saturating_sub(length));
        let end = std::mem::replace(&mut node.end, End::Jump(merged));
        shape.nodes[merged] = Node { code, end };
    }
    merged
}
