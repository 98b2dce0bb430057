//! Clean-up of branches: ways through empty nodes, branches that decide nothing or what is decided already, chains that are one node, ends of threads in
//! several places, equal code before a meeting place.

use warpsmith_sass::Flow;

use super::{
    repeated,
    shape::{Branch, End, Node, Shape, opposite},
};
use crate::{
    ir::{Guard, Instruction},
    phase::Fuel,
};

/// Cleans up until nothing changes.
pub(crate) fn clean(shape: &mut Shape, fuel: &Fuel) {
    one_return(shape, fuel);
    // Each round is linear. What one round opens for the next is rare; the limit keeps long chains of that from taking long.
    for _ in 0..8 {
        let mut changed = one_end(shape, fuel);
        changed |= repeated::bring_together(shape, fuel);
        changed |= thread(shape, fuel);
        changed |= repeated::decide_again(shape, fuel);
        changed |= decide(shape, fuel);
        changed |= merge(shape, fuel);
        changed |= share_tails(shape, fuel);
        if !changed {
            return;
        }
    }
}

/// Whether a node does nothing but end its threads.
pub(crate) fn only_exits(node: &Node) -> bool {
    let [last] = &node.code[..] else { return false };
    last.base.flow() == Flow::Exit && last.guard.is_none() && !last.falls_through()
}

/// The instruction by which a node returns.
fn returns(node: &Node) -> Option<&Instruction> {
    let last = node.code.last()?;
    let leaves = last.base.flow() == Flow::Return && !last.falls_through();
    (leaves && matches!(node.end, End::Stop)).then_some(last)
}

/// A function that returns in several places does so in one, so that its threads meet before.
fn one_return(shape: &mut Shape, fuel: &Fuel) {
    let entries = shape.entries();
    let found: Vec<usize> = (0..shape.nodes.len())
        .filter(|index| entries[*index] > 0 && returns(&shape.nodes[*index]).is_some())
        .collect();
    let Some(first) = found.first().and_then(|node| returns(&shape.nodes[*node])).cloned() else {
        return;
    };
    let alike = |node: &usize| returns(&shape.nodes[*node]).is_some_and(|last| equal(&first, last));
    if found.len() < 2 || !found.iter().all(alike) || !fuel.take() {
        return;
    }
    let node = shape.push(Node {
        code: vec![first],
        end: End::Stop,
    });
    for index in found {
        shape.nodes[index].code.pop();
        shape.nodes[index].end = End::Jump(node);
    }
}

/// All nodes that only end their threads become the last of them.
fn one_end(shape: &mut Shape, fuel: &Fuel) -> bool {
    let Some(last) = shape.nodes.iter().rposition(only_exits) else {
        return false;
    };
    let replaced: Vec<bool> = shape
        .nodes
        .iter()
        .enumerate()
        .map(|(index, node)| index != last && only_exits(node))
        .collect();
    let mut changed = false;
    for to in shape.nodes.iter_mut().flat_map(Node::targets_mut) {
        if replaced[*to] && fuel.take() {
            *to = last;
            changed = true;
        }
    }
    changed
}

/// Where control gets to from a node, past nodes that do nothing.
fn through(shape: &Shape, start: usize) -> usize {
    let mut at = start;
    // An endless loop of empty nodes stays.
    for _ in 0..shape.nodes.len() {
        let node = &shape.nodes[at];
        match node.end {
            End::Jump(to) if node.code.is_empty() && to != at => at = to,
            _ => return at,
        }
    }
    start
}

/// Ways lead past empty nodes; a branch into an empty node that branches on the same predicate takes that branch at once.
fn thread(shape: &mut Shape, fuel: &Fuel) -> bool {
    let mut changed = false;
    for index in 0..shape.nodes.len() {
        let targets: smallvec::SmallVec<[usize; 2]> = shape.nodes[index].targets().collect();
        let guard = match &shape.nodes[index].end {
            End::Branch(branch) => branch.condition(),
            End::Jump(_) | End::Table(_) | End::Stop => None,
        };
        let known = [guard, guard.map(opposite)];
        let mut found: smallvec::SmallVec<[usize; 2]> = smallvec::SmallVec::new();
        for (way, target) in targets.iter().enumerate() {
            let mut to = through(shape, *target);
            for _ in 0..8 {
                let Some(next) = known
                    .get(way)
                    .copied()
                    .flatten()
                    .and_then(|guard| decided(&shape.nodes[to], guard))
                else {
                    break;
                };
                to = through(shape, next);
            }
            found.push(to);
        }
        for (slot, to) in shape.nodes[index].targets_mut().zip(found) {
            if *slot != to && fuel.take() {
                *slot = to;
                changed = true;
            }
        }
    }
    changed
}

/// Where an empty node's branch goes for threads for which a guard holds.
fn decided(node: &Node, holds: Guard) -> Option<usize> {
    let End::Branch(branch) = &node.end else { return None };
    let condition = branch.condition().filter(|_| node.code.is_empty())?;
    (condition.register == holds.register).then_some(if condition.negated == holds.negated {
        branch.taken
    } else {
        branch.other
    })
}

/// A branch with one way is none.
fn decide(shape: &mut Shape, fuel: &Fuel) -> bool {
    let mut changed = false;
    for node in &mut shape.nodes {
        let only = match &node.end {
            End::Branch(Branch { taken, other, .. }) => Some(*taken).filter(|taken| taken == other),
            End::Table(table) => {
                let first = table.targets.first().copied();
                first.filter(|first| table.targets.iter().all(|to| to == first))
            }
            End::Jump(_) | End::Stop => None,
        };
        if let Some(only) = only
            && fuel.take()
        {
            node.end = End::Jump(only);
            changed = true;
        }
    }
    changed
}

/// A node and the only one that leads to it become one.
fn merge(shape: &mut Shape, fuel: &Fuel) -> bool {
    let entries = shape.entries();
    let mut changed = false;
    for index in 0..shape.nodes.len() {
        if entries[index] == 0 {
            continue;
        }
        while let End::Jump(to) = shape.nodes[index].end
            && to != index
            && to != 0
            && entries[to] == 1
            && fuel.take()
        {
            let next = &mut shape.nodes[to];
            let mut code = std::mem::take(&mut next.code);
            // The emptied node is reached no more; it goes on to where it went, so that it is as good as any.
            let end = std::mem::replace(&mut next.end, End::Stop);
            shape.nodes[index].code.append(&mut code);
            shape.nodes[index].end = end;
            changed = true;
        }
    }
    changed
}

/// Equal last instructions of nodes that all go to the same place are run there. Only where all ways into a place end alike: then nothing is branched for.
fn share_tails(shape: &mut Shape, fuel: &Fuel) -> bool {
    let entries = shape.entries();
    let mut sources: Vec<smallvec::SmallVec<[usize; 2]>> = Vec::new();
    sources.resize_with(shape.nodes.len(), smallvec::SmallVec::new);
    for (index, node) in shape.nodes.iter().enumerate().filter(|(index, _)| entries[*index] > 0) {
        if let End::Jump(to) = node.end {
            sources[to].push(index);
        }
    }
    let mut changed = false;
    for (to, from) in sources.iter().enumerate() {
        // Where control comes round a loop, nothing is gained.
        if from.len() < 2 || from.len() as u32 != entries[to] || from.contains(&to) || to == 0 {
            continue;
        }
        let mut shared: Vec<Instruction> = Vec::new();
        loop {
            let mut lasts = from.iter().map(|node| shape.nodes[*node].code.last());
            let Some(Some(first)) = lasts.next() else { break };
            let same = lasts.all(|last| last.is_some_and(|last| equal(first, last)));
            if !same || !may_be_shared(first) || !fuel.take() {
                break;
            }
            for node in from {
                let last = shape.nodes[*node].code.pop();
                if *node == from[0] {
                    shared.extend(last);
                }
            }
        }
        if !shared.is_empty() {
            shared.reverse();
            shape.nodes[to].code.splice(0..0, shared);
            changed = true;
        }
    }
    changed
}

/// Whether an instruction may be run by all threads together instead of by some and then the others.
pub(super) fn may_be_shared(instruction: &Instruction) -> bool {
    let info = instruction.base.opcode().info();
    !info.collective && info.flow == Flow::None && instruction.target.is_none()
}

/// Whether two instructions do the same.
pub(crate) fn equal(a: &Instruction, b: &Instruction) -> bool {
    a.base.word() == b.base.word()
        && a.operands == b.operands
        && a.guard == b.guard
        && a.target == b.target
        && a.reference == b.reference
        && a.effects == b.effects
}

/// Threads end at the branch to a place where they only end, instead of going there. Ends that are jumped to are repeated.
///
/// Not where a loop goes round: there the branch back comes last.
pub(crate) fn repeat_ends(shape: &mut Shape, fuel: &Fuel) {
    let flow = shape.flow();
    let exits: Vec<Option<Instruction>> = shape
        .nodes
        .iter()
        .map(|node| only_exits(node).then(|| node.code[0].clone()))
        .collect();
    for (index, node) in shape
        .nodes
        .iter_mut()
        .enumerate()
        .filter(|(index, _)| flow.reached[*index])
    {
        match &node.end {
            End::Jump(to) => {
                if let Some(exit) = &exits[*to]
                    && !node.code.is_empty()
                    && fuel.take()
                {
                    node.code.push(exit.clone());
                    node.end = End::Stop;
                }
            }
            End::Branch(branch) => {
                let Some(condition) = branch.condition() else { continue };
                let (guard, exit, on) = match (&exits[branch.taken], &exits[branch.other]) {
                    (Some(exit), _) => (condition, exit, branch.other),
                    (None, Some(exit)) => (opposite(condition), exit, branch.taken),
                    (None, None) => continue,
                };
                if !flow.dominates(on, index) && fuel.take() {
                    let mut exit = exit.clone();
                    exit.guard = Some(guard);
                    exit.place = branch.instruction.place;
                    node.code.push(exit);
                    node.end = End::Jump(on);
                }
            }
            End::Table(_) | End::Stop => {}
        }
    }
}
