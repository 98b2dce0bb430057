//! Threads that wait for others let them run.
//!
//! A thread may wait for what another thread of its warp does: for a lock that this one holds, or a word that it is to write. The machine runs one group of threads of a
//! warp until it waits, so that whoever asks again and again must give way: by `YIELD`, or by `NANOSLEEP`. The rule, which is that of ptxas (observed, 13.0.88, on
//! forty locks and waits at all levels, with `-c` and `-g`; docs/progress.md has the table):
//!
//! * What can be waited for is seen by an atomic operation, by a load that is not weak (volatile, relaxed or acquire, of any scope), or by a question to a barrier object.
//! * A loop that threads leave at different rounds, and whose leaving depends on such an access in it, has a `YIELD` at its start. Barrier objects wait by themselves there.
//! * A function that is called has one at its start if it has such an access outside of these loops: what its callers do with the result is not known, and they may be in another file.
//!   (ptxas leaves it out where it sees that no call is in a loop.) Its callers' loops so need none.
//!
//! What decides whether threads leave a loop is followed through registers, through local memory, where code that is not optimised keeps everything (ptxas does not do that, and has
//! code that waits for ever), and through branches within the loop that lead around what decides.

use rustc_hash::FxHashSet;
use warpsmith_sass::{Access, MemoryAccess, MemoryEffect, MemorySpace, Opcode};

use super::{shape::Shape, varying::Varying};
use crate::{
    graph::{ControlFlow, Loop},
    ir::{Function, Instruction, Register, Touch},
    select::{Request, SelectError, Selector},
};

/// Has threads give way in loops that wait for others, and where a function that is called looks at what others may do. Gives for each node whether it is in such a loop.
pub(crate) fn give_way(
    function: &mut Function,
    shape: &mut Shape,
    flow: &ControlFlow,
    varying: &Varying,
    selector: &Selector,
) -> Result<Vec<bool>, SelectError> {
    let mut spinning = vec![false; shape.nodes.len()];
    let watches: Vec<bool> = shape.nodes.iter().map(|node| node.code.iter().any(watches)).collect();
    for (number, around) in flow.loops.iter().enumerate() {
        if around.blocks.iter().any(|node| watches[*node]) && spins(shape, flow, varying, number) {
            push_yield(function, shape, around.header, selector)?;
            around.blocks.iter().for_each(|node| spinning[*node] = true);
        }
    }
    let Some(&entry) = flow.order.first().filter(|_| !function.kernel) else {
        return Ok(spinning);
    };
    let asks =
        |node: &usize| watches[*node] && !spinning[*node] || shape.nodes[*node].code.iter().any(asks_barrier_object);
    if flow.order.iter().any(asks) {
        push_yield(function, shape, entry, selector)?;
    }
    Ok(spinning)
}

fn push_yield(function: &mut Function, shape: &mut Shape, node: usize, selector: &Selector) -> Result<(), SelectError> {
    let mut code: Vec<Instruction> = Vec::new();
    selector.emit(function, &mut code, Request::new(Opcode::Yield).form("none"))?;
    shape.nodes[node].code.splice(0..0, code);
    Ok(())
}

/// Whether an instruction asks a barrier object.
fn asks_barrier_object(instruction: &Instruction) -> bool {
    instruction.base.opcode() == Opcode::Syncs
}

/// Whether an instruction sees what other threads do: an atomic operation, or a load that is not weak.
///
/// Columns of tensor memory are freed by other CTAs, not by other threads of the warp; and barrier objects wait for some time themselves (ptxas writes no `YIELD` in
/// loops for either).
fn watches(instruction: &Instruction) -> bool {
    if asks_barrier_object(instruction) {
        return false;
    }
    let accesses = instruction.base.memory();
    let is_atomic = |access: &MemoryAccess| {
        access.effect == MemoryEffect::Readwrite && access.space != MemorySpace::Tensor && !access.asynchronous
    };
    if accesses.iter().any(is_atomic) {
        return true;
    }
    // Loads of shared memory do not show that they are volatile.
    let reads = |access: &MemoryAccess| access.effect == MemoryEffect::Read && access.space != MemorySpace::Constant;
    match instruction.base.opcode() {
        Opcode::Lds => !instruction.marks.weak,
        _ => accesses.iter().any(reads) && instruction.base.to_string().contains(".STRONG"),
    }
}

/// Whether threads leave a loop at different rounds, as what they see of others decides.
fn spins(shape: &Shape, flow: &ControlFlow, varying: &Varying, number: usize) -> bool {
    let around = &flow.loops[number];
    let leaves = |node: &usize| {
        let next = &flow.successors[*node];
        varying.parts[*node] && next.iter().any(|to| !flow.is_in(*to, number))
    };
    let mut deciding = Deciding::default();
    for node in around.blocks.iter().filter(|node| leaves(node)) {
        deciding.add_branch(shape, *node);
    }
    if deciding.registers.is_empty() {
        return false;
    }
    deciding.follow(shape, flow, around);
    let decides = |instruction: &Instruction| watches(instruction) && deciding.is_changed_by(instruction);
    let mut nodes = around.blocks.iter().map(|node| &shape.nodes[*node]);
    nodes.any(|node| node.code.iter().any(decides))
}

/// What decides, by way of a loop's own instructions, whether threads leave it.
#[derive(Default)]
struct Deciding {
    registers: FxHashSet<Register>,
    /// Something is loaded from local memory, or from where local memory may be.
    local: bool,
    /// All branches of the loop are among what decides.
    branches: bool,
}

impl Deciding {
    fn add_branch(&mut self, shape: &Shape, node: usize) {
        let branch = shape.nodes[node].branch().into_iter();
        self.registers
            .extend(branch.flat_map(Instruction::touches).map(|touch| touch.register));
    }

    /// Adds what the registers are computed from, backwards, as values come: one round for all but what goes around the loop.
    fn follow(&mut self, shape: &Shape, flow: &ControlFlow, around: &Loop) {
        let always = always_run(flow, around);
        loop {
            let before = (self.registers.len(), self.local, self.branches);
            for &node in around.blocks.iter().rev() {
                for instruction in shape.nodes[node].code.iter().rev() {
                    if !self.is_changed_by(instruction) {
                        continue;
                    }
                    self.registers.extend(instruction.touches().map(|touch| touch.register));
                    self.local |= is_local(instruction, MemoryEffect::Read);
                    // Where it is not run in each round, what leads there decides, too.
                    if !self.branches && !always.contains(&node) {
                        self.branches = true;
                        around.blocks.iter().for_each(|node| self.add_branch(shape, *node));
                    }
                }
            }
            if (self.registers.len(), self.local, self.branches) == before {
                return;
            }
        }
    }

    /// Whether an instruction writes something of it.
    fn is_changed_by(&self, instruction: &Instruction) -> bool {
        let writes = |touch: Touch| touch.access != Access::Read && self.registers.contains(&touch.register);
        instruction.touches().any(writes) || self.local && is_local(instruction, MemoryEffect::Write)
    }
}

/// Whether an instruction reads or writes local memory, or may do so.
fn is_local(instruction: &Instruction, effect: MemoryEffect) -> bool {
    let mut accesses = instruction.base.memory().iter();
    accesses.any(|access| access.effect == effect && matches!(access.space, MemorySpace::Local | MemorySpace::Generic))
}

/// The nodes of a loop that each round runs which is followed by another.
fn always_run(flow: &ControlFlow, around: &Loop) -> FxHashSet<usize> {
    let back = flow.predecessors[around.header].iter().copied();
    let back = back.filter(|from| flow.reached[*from] && flow.dominates(around.header, *from));
    // The lowest node that dominates all ends of rounds, and those above it.
    let lowest = back.reduce(|lowest, from| {
        let mut above = std::iter::successors(Some(lowest), |at| flow.dominator[*at]);
        above.find(|at| flow.dominates(*at, from)).unwrap_or(around.header)
    });
    let up = |at: &usize| flow.dominator[*at].filter(|_| *at != around.header);
    std::iter::successors(lowest, up).collect()
}
