//! What the threads of a warp do where they are together anyway: waits for each other that nobody needs, and broadcasts that a loop makes anew in each round.

use rustc_hash::FxHashMap;
use warpsmith_sass::{Access, Opcode};

use super::{lone::is_wait_of_all, shape::Shape, varying::is_broadcast};
use crate::{
    graph::{ControlFlow, Loop},
    ir::{Instruction, Register},
    phase::Context,
};

/// Takes out `WARPSYNC` of all threads where they are together, as ptxas does (observed, ptxas 13.0.88), and broadcasts of what loops do not change out of
/// these. Of the nodes is said whether all threads of the warp that have not ended run them at one time.
pub(super) fn settle(shape: &mut Shape, flow: &ControlFlow, together: &[bool], context: &Context<'_>) {
    let code = shape.nodes.iter().flat_map(|node| &node.code);
    let waits = code.filter(|instruction| instruction.base.opcode() == Opcode::Warpsync);
    // What takes part in a collective instruction is told by the last wait before it.
    if waits.into_iter().all(is_wait_of_all) {
        for &node in flow.order.iter().filter(|node| together[**node]) {
            let needed = |instruction: &Instruction| !is_wait_of_all(instruction) || !context.fuel.take();
            shape.nodes[node].code.retain(needed);
        }
    }
    let broadcasts = |node: &usize| shape.nodes[*node].code.iter().any(is_broadcast);
    if flow.loops.iter().flat_map(|each| &each.blocks).any(broadcasts) {
        for each in &flow.loops {
            hoist_broadcasts(shape, flow, each, together, context);
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
