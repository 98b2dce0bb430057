//! What the threads of a warp do where they are together anyway: waits for each other that nobody needs, and broadcasts that a loop makes anew in each round.

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use warpsmith_sass::{Access, FieldName, Opcode};

use super::{
    lone::is_wait_of_all,
    shape::Shape,
    varying::{Varying, is_broadcast},
};
use crate::{
    graph::{ControlFlow, Loop},
    ir::{Function, Instruction, Register, Touch},
    phase::Context,
    select::Request,
};

/// Takes out `WARPSYNC` of all threads where they are together, as ptxas does (observed, ptxas 13.0.88), and broadcasts of what loops do not change out of
/// these. Of the nodes is said whether all threads of the warp that have not ended run them at one time.
pub(super) fn settle(
    shape: &mut Shape,
    function: &Function,
    flow: &ControlFlow,
    (varying, together): (&Varying, &[bool]),
    context: &Context<'_>,
) {
    let code = shape.nodes.iter().flat_map(|node| &node.code);
    let waits = code.filter(|instruction| instruction.base.opcode() == Opcode::Warpsync);
    // What takes part in a collective instruction is told by the last wait before it.
    if waits.into_iter().all(is_wait_of_all) {
        for &node in flow.order.iter().filter(|node| together[**node]) {
            shape.nodes[node].code.retain_mut(|instruction| {
                !is_wait_of_all(instruction) || !context.fuel.take() || order(function, instruction, context)
            });
        }
    }
    share_votes(shape, flow, together, context);
    let broadcasts = |node: &usize| shape.nodes[*node].code.iter().any(is_broadcast);
    if flow.order.iter().any(broadcasts) {
        keep_what_all_have(shape, function, flow, (varying, together), context);
    }
    let broadcasts = |node: &usize| shape.nodes[*node].code.iter().any(is_broadcast);
    if flow.loops.iter().flat_map(|each| &each.blocks).any(broadcasts) {
        for each in &flow.loops {
            hoist_broadcasts(shape, flow, each, together, context);
        }
    }
}

/// Makes a wait that no thread needs one of memory alone: `NOP`, as ptxas has in its place (observed, ptxas 13.0.88). `false` where there is nothing that has to
/// stay on its side of it.
pub(crate) fn order(function: &Function, instruction: &mut Instruction, context: &Context<'_>) -> bool {
    let fence = Request::new(Opcode::Nop).form("none");
    let fence = instruction
        .marks
        .ordering
        .then(|| context.selector.replacement(function, instruction, &fence));
    fence.flatten().map(|fence| *instruction = fence).is_some()
}

/// What all threads have, one of them need not tell the others.
fn keep_what_all_have(
    shape: &mut Shape,
    function: &Function,
    flow: &ControlFlow,
    (varying, together): (&Varying, &[bool]),
    context: &Context<'_>,
) {
    let mut read: FxHashSet<Register> = FxHashSet::default();
    for node in &shape.nodes {
        let touches = node.code.iter().chain(node.branch()).flat_map(Instruction::touches);
        read.extend(
            touches
                .filter(|touch| touch.access != Access::Write)
                .map(|touch| touch.register),
        );
    }
    for &node in flow.order.iter().filter(|node| together[**node]) {
        for instruction in shape.nodes[node].code.iter_mut().filter(|one| is_broadcast(one)) {
            let touches: SmallVec<[Touch; 4]> = instruction.touches().collect();
            let of = |field: FieldName| touches.iter().find(|touch| touch.field == Some(field));
            let (Some(to), Some(from)) = (of(FieldName::Rd), of(FieldName::Ra)) else {
                continue;
            };
            let others = touches
                .iter()
                .filter(|touch| touch.access != Access::Read && touch.field != to.field);
            let alone = others.into_iter().all(|touch| !read.contains(&touch.register));
            if alone && !varying.differs(from.register, from.word, 1) && context.fuel.take() {
                let copy = Request::new(Opcode::Mov).to(to.register.word(to.word));
                let copy = copy.from(from.register.word(from.word));
                if let Some(copy) = context.selector.replacement(function, instruction, &copy) {
                    *instruction = copy;
                }
            }
        }
    }
}

/// Threads that are together and vote once more on one predicate get what they got before.
fn share_votes(shape: &mut Shape, flow: &ControlFlow, together: &[bool], context: &Context<'_>) {
    let is_vote = |instruction: &Instruction| instruction.base.opcode() == Opcode::Voteu && instruction.guard.is_none();
    if !shape.nodes.iter().any(|node| node.code.iter().any(is_vote)) {
        return;
    }
    let mut writers: FxHashMap<Register, usize> = FxHashMap::default();
    let code = || shape.nodes.iter().flat_map(|node| &node.code);
    for touch in code()
        .flat_map(Instruction::touches)
        .filter(|touch| touch.access != Access::Read)
    {
        *writers.entry(touch.register).or_default() += 1;
    }
    let once = |touch: &Touch| writers.get(&touch.register) == Some(&1);
    let mut names: FxHashMap<Register, Register> = FxHashMap::default();
    for &node in flow.order.iter().filter(|node| together[**node]) {
        // What was voted on, and the register of the result.
        let mut known: Vec<(u128, Touch, Register)> = Vec::new();
        shape.nodes[node].code.retain(|instruction| {
            let touches: SmallVec<[Touch; 4]> = instruction.touches().collect();
            let result = touches
                .iter()
                .find(|touch| touch.access == Access::Write && once(touch));
            let voted = touches.iter().find(|touch| touch.access == Access::Read);
            let vote = result.zip(voted).filter(|_| is_vote(instruction) && touches.len() == 2);
            if let Some((result, voted)) = vote {
                let same = |of: &(u128, Touch, Register)| of.0 == instruction.base.word() && of.1 == *voted;
                match known.iter().find(|of| same(of)) {
                    Some((.., first)) if context.fuel.take() => {
                        names.insert(result.register, *first);
                        return false;
                    }
                    _ => known.push((instruction.base.word(), *voted, result.register)),
                }
            }
            let writes = |register: Register| {
                let mut written = touches.iter().filter(|touch| touch.access != Access::Read);
                written.any(|touch| touch.register == register)
            };
            known.retain(|(_, voted, _)| !writes(voted.register));
            true
        });
    }
    let nodes = shape.nodes.iter_mut().filter(|_| !names.is_empty());
    for instruction in nodes.flat_map(|node| node.instructions_mut()) {
        let guard = instruction.guard.iter_mut().map(|guard| &mut guard.register);
        let operands = instruction.operands.iter_mut().map(|operand| &mut operand.register);
        for register in guard.chain(operands) {
            *register = names.get(register).copied().unwrap_or(*register);
        }
    }
}

/// Moves broadcasts of what a loop does not change before it.
fn hoist_broadcasts(shape: &mut Shape, flow: &ControlFlow, each: &Loop, together: &[bool], context: &Context<'_>) {
    let outside = flow.predecessors[each.header]
        .iter()
        .filter(|from| !each.blocks.contains(from));
    let Some((&before, [])) = outside
        .copied()
        .collect::<Vec<_>>()
        .split_first()
        .filter(|(at, _)| together[**at])
    else {
        return;
    };
    // The registers that are written once, and whether that is in the loop.
    let mut written: FxHashMap<Register, Option<bool>> = FxHashMap::default();
    for (at, node) in shape.nodes.iter().enumerate() {
        let inside = each.blocks.contains(&at);
        for touch in node
            .code
            .iter()
            .flat_map(Instruction::touches)
            .filter(|touch| touch.access != Access::Read)
        {
            written
                .entry(touch.register)
                .and_modify(|known| *known = None)
                .or_insert(Some(inside));
        }
    }
    let mut moved = Vec::new();
    for &node in each.blocks.iter().filter(|node| together[**node]) {
        shape.nodes[node].code.retain(|instruction| {
            let goes = is_broadcast(instruction)
                && instruction.touches().all(|touch| match touch.access {
                    Access::Read => written.get(&touch.register) == Some(&Some(false)),
                    Access::Write => written.get(&touch.register) == Some(&Some(true)),
                    Access::ReadWrite => false,
                })
                && context.fuel.take();
            if goes {
                moved.push(instruction.clone());
            }
            !goes
        });
    }
    shape.nodes[before].code.extend(moved);
}
