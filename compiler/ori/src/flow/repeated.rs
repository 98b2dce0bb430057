//! Branches on what an earlier branch has decided.
//!
//! Instructions under one guard that cannot carry it themselves (the products of tensor memory, a sequence for what the machine does in steps) each stand
//! behind a branch, with the computation of the next one's operands between. That computation moves before the first branch, where all threads come by as
//! well; the branches behind it are then decided, and what is guarded is one node.

use smallvec::SmallVec;
use warpsmith_sass::Access;

use super::{
    predicate::is_pure,
    shape::{Branch, End, Node, Shape, opposite},
};
use crate::{
    ir::{Guard, Instruction, Register},
    phase::Fuel,
};

/// The most instructions that move before a branch.
const MOST: usize = 32;

/// Branches that the only way to them has decided decide nothing.
///
/// Not where a loop goes round or ends: what one thread after the other does in it (a loop of turns) would come to stand behind it, where they meet.
pub(super) fn decide_again(shape: &mut Shape, fuel: &Fuel) -> bool {
    let entries = shape.entries();
    let mut flow = None;
    let mut changed = false;
    for index in 0..shape.nodes.len() {
        if entries[index] == 0 {
            continue;
        }
        let Some(branch) = branch_of(&shape.nodes[index]) else {
            continue;
        };
        let Some(guard) = branch.condition().filter(|_| branch.taken != branch.other) else {
            continue;
        };
        for (to, holds) in [(branch.taken, guard), (branch.other, opposite(guard))] {
            if entries[to] != 1 || to == 0 || writes(&shape.nodes[to].code, holds.register) {
                continue;
            }
            let Some(decided) = decided(&shape.nodes[to], holds) else {
                continue;
            };
            let flow = flow.get_or_insert_with(|| shape.flow());
            let stays = |way: usize| flow.innermost[way] == flow.innermost[to] && !flow.dominates(way, to);
            if shape.nodes[to].targets().all(stays) && fuel.take() {
                shape.nodes[to].end = End::Jump(decided);
                changed = true;
            }
        }
    }
    changed
}

/// What stands between two branches on the same predicate goes before the first.
pub(super) fn bring_together(shape: &mut Shape, fuel: &Fuel) -> bool {
    let entries = shape.entries();
    let mut changed = false;
    for index in 0..shape.nodes.len() {
        if entries[index] == 0 {
            continue;
        }
        let Some(branch) = branch_of(&shape.nodes[index]) else {
            continue;
        };
        let Some(guard) = branch.condition() else { continue };
        let ways = [(branch.taken, branch.other), (branch.other, branch.taken)];
        let found = ways.into_iter().find(|(body, join)| {
            let distinct = *body != *join && *body != index && *join != index && *body != 0 && *join != 0;
            let is_body = entries[*body] == 1 && matches!(shape.nodes[*body].end, End::Jump(to) if to == *join);
            distinct && is_body && entries[*join] == 2 && may_move(&shape.nodes[*body], &shape.nodes[*join], guard)
        });
        if let Some((_, join)) = found
            && fuel.take()
        {
            let mut code = std::mem::take(&mut shape.nodes[join].code);
            shape.nodes[index].code.append(&mut code);
            changed = true;
        }
    }
    changed
}

fn branch_of(node: &Node) -> Option<&Branch> {
    match &node.end {
        End::Branch(branch) => Some(branch),
        End::Jump(_) | End::Table(_) | End::Stop => None,
    }
}

/// Where a node's branch goes for threads for which a guard holds.
fn decided(node: &Node, holds: Guard) -> Option<usize> {
    let branch = branch_of(node)?;
    let condition = branch.condition()?;
    (condition.register == holds.register).then_some(match condition.negated == holds.negated {
        true => branch.taken,
        false => branch.other,
    })
}

/// Whether the code of a node that branches on a guard's predicate may run before the guarded node.
fn may_move(body: &Node, join: &Node, guard: Guard) -> bool {
    let branches_again = branch_of(join).and_then(Branch::condition);
    if join.code.is_empty() || join.code.len() > MOST || branches_again.map(|g| g.register) != Some(guard.register) {
        return false;
    }
    if !join
        .code
        .iter()
        .all(|instruction| is_pure(instruction) && instruction.target.is_none())
    {
        return false;
    }
    let touched = |code: &[Instruction], reads: bool| -> SmallVec<[Register; 32]> {
        let touches = code.iter().flat_map(Instruction::touches);
        let wanted =
            touches.filter(|touch| touch.access == Access::ReadWrite || (touch.access == Access::Read) == reads);
        wanted.map(|touch| touch.register).collect()
    };
    let (reads, writes) = (touched(&join.code, true), touched(&join.code, false));
    !writes.contains(&guard.register)
        && body.code.iter().flat_map(Instruction::touches).all(|touch| {
            let read_again = touch.access != Access::Read && reads.contains(&touch.register);
            !read_again && !writes.contains(&touch.register)
        })
}

/// Whether code writes a register.
fn writes(code: &[Instruction], register: Register) -> bool {
    let mut touches = code.iter().flat_map(Instruction::touches);
    touches.any(|touch| touch.register == register && touch.access != Access::Read)
}
