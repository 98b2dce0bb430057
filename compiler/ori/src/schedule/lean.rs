//! An order of a block that needs few registers: from the end up, what makes a value comes right before what uses it.
//!
//! Programs that are made by unrolling load all that a block needs at its start. Where that is more than there are registers, an order from the start on
//! has lost before it begins: what it can put off it does not know. From the end on, what is needed is known, and of what can come before it the
//! instruction is taken that leaves fewest registers live.

use std::{cmp::Reverse, collections::BTreeSet};

use smallvec::SmallVec;

use super::{dependences::Dependences, pressure::Pressure};

/// How many candidates are looked at, the last of the program first.
const CANDIDATES: usize = 64;

/// How many of those that what was put last has made free are looked at as well: what makes the addresses of many stores may stand far before all of them.
const RECENT: usize = 16;

/// The order.
pub(super) fn order(dependences: &Dependences, pressure: &mut Pressure<'_, '_>) -> Vec<u32> {
    let nodes = &dependences.nodes;
    let mut before: Vec<SmallVec<[u32; 4]>> = Vec::new();
    before.resize_with(nodes.len(), SmallVec::new);
    let mut after: Vec<u32> = Vec::with_capacity(nodes.len());
    for (at, node) in nodes.iter().enumerate() {
        after.push(node.edges.len() as u32);
        for edge in &node.edges {
            before[edge.to as usize].push(at as u32);
        }
    }
    let mut free: BTreeSet<u32> = (0..nodes.len() as u32).filter(|at| after[*at as usize] == 0).collect();
    let mut order = Vec::with_capacity(nodes.len());
    let mut recent: Vec<u32> = Vec::new();
    pressure.end();
    loop {
        let last = free.iter().rev().take(CANDIDATES).copied();
        let candidates = last.chain(recent.iter().copied());
        let Some(best) = candidates.min_by_key(|at| (pressure.growth_before(*at), Reverse(*at))) else {
            break;
        };
        free.remove(&best);
        recent.retain(|at| *at != best);
        order.push(best);
        pressure.go_before(best);
        for &from in &before[best as usize] {
            let left = &mut after[from as usize];
            *left -= 1;
            if *left == 0 {
                free.insert(from);
                recent.push(from);
            }
        }
        let old = recent.len().saturating_sub(RECENT);
        recent.drain(..old);
    }
    order.reverse();
    order
}
