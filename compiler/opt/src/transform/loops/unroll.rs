//! Unrolling: loops that are gone round a small constant number of times are written out; of others several rounds are put into one, as many as
//! `#pragma unroll` says, or a few of small loops.

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use warpsmith_ir::{BinaryOp, BlockId, Function, Instruction, InstructionId, Type, Value};

use super::{
    Nest,
    demote::Demoted,
    edges::Edges,
    growth::{Budget, Growth},
    runtime, trips,
};
use crate::{
    address,
    analysis::{divergence, effects, evolution},
    clone, edit, intrinsics,
    pipeline::Unit,
};

/// Instructions of a loop that is written out without being asked for.
const MOST_FULL: usize = 640;
/// The same where the rounds choose among elements of a local array, which can so become values.
pub(super) const MOST_FOR_ARRAYS: usize = 8_192;
/// The same where it was asked for.
pub(super) const MOST_ASKED: usize = 32_768;
/// Rounds that are counted.
const MOST_ROUNDS: u32 = 1_024;
/// Rounds of a small loop that become one without being asked for, and the most instructions that they may be.
const FEW_ROUNDS: u32 = 4;
const MOST_FEW: usize = 160;
/// How often the loops of a function are found anew, after those inside have been unrolled.
const MOST_TIMES: u32 = 256;

/// The pass. Loops have the form of [`super::shape`] and are rotated.
pub(crate) fn run(function: &mut Function, unit: &Unit<'_>) -> bool {
    let all: Vec<BlockId> = function.blocks().collect();
    let mut budget = Budget::new(size(function, &all));
    // Loops around others may be written out as a whole, and then the others too: only what is left after that is unrolled in part.
    run_with(function, unit, true, &mut budget) | run_with(function, unit, false, &mut budget)
}

fn run_with(function: &mut Function, unit: &Unit<'_>, only_full: bool, budget: &mut Budget) -> bool {
    let mut changed = false;
    // Headers of loops that there is nothing to do with.
    let mut seen: FxHashSet<BlockId> = FxHashSet::default();
    for _ in 0..MOST_TIMES {
        let nest = Nest::new(function);
        let mut plans = plans(function, unit, &nest, &mut seen, only_full);
        let growths: Vec<Growth> = plans
            .iter()
            .map(|&(index, plan)| growth(function, &nest, index, plan))
            .collect();
        let mut paid = budget.pay(&growths).into_iter();
        plans.retain(|_| paid.next().unwrap_or(false));
        if plans.is_empty() || !carry_out(function, unit, &nest, plans, &mut seen) {
            break;
        }
        changed = true;
    }
    changed
}

/// What to do with loops none of which is in another. Innermost loops come first: loops around those that something is done with are looked at the next time.
fn plans(
    function: &Function,
    unit: &Unit<'_>,
    nest: &Nest,
    seen: &mut FxHashSet<BlockId>,
    only_full: bool,
) -> Vec<(usize, Plan)> {
    let mut plans = Vec::new();
    let divergence = divergence::Asked::new(unit.symbols, function);
    // Whether something is done with a loop inside.
    let mut waits = vec![false; nest.loops.len()];
    for index in (0..nest.loops.len()).rev() {
        let mut is_planned = false;
        if let Some(header) = nest.header(index)
            && !waits[index]
            && seen.insert(header)
            && let Some(plan) = plan(function, unit, nest, index, &divergence)
            && (!only_full || matches!(plan, Plan::Full(_)))
        {
            plans.push((index, plan));
            is_planned = true;
        }
        if let Some(parent) = nest.loops.get(index).parent {
            waits[parent] |= waits[index] || is_planned;
        }
    }
    plans
}

/// Does what was planned; values go through memory until all is done. A loop that uses what another one computes comes before that one, so that what plans say of
/// values is true until they are carried out. Whether anything changed.
fn carry_out(
    function: &mut Function,
    unit: &Unit<'_>,
    nest: &Nest,
    plans: Vec<(usize, Plan)>,
    seen: &mut FxHashSet<BlockId>,
) -> bool {
    let mut demoted = Demoted::default();
    let mut written: Vec<BlockId> = Vec::new();
    let mut done = vec![false; nest.loops.len()];
    let mut changed = false;
    let mut edges = Edges::of(function);
    for (index, plan) in plans {
        if !unit.fuel.take() {
            break;
        }
        done[index] = true;
        changed |= match plan {
            Plan::Runtime(count, condition) => {
                runtime::unroll(function, nest, index, &condition, count, &mut demoted, &edges)
            }
            Plan::Full(_) | Plan::Partial(..) => unroll(function, nest, index, plan, &mut demoted, &mut written),
        };
        edges.update(function, nest.blocks(index).into_iter().chain(nest.preheader(index)));
    }
    demoted.promote(function);
    fold_constants(function, &written);
    // What is in a loop may be counted when it has been written out.
    for index in 0..nest.loops.len() {
        done[index] |= nest.loops.get(index).parent.is_some_and(|parent| done[parent]);
        if let (true, Some(header)) = (done[index], nest.header(index)) {
            seen.remove(&header);
        }
    }
    changed
}

/// What to do with a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Plan {
    /// Write out all of its rounds.
    Full(u32),
    /// Put so many rounds into one; whether all rounds but the last of these go on for sure.
    Partial(u32, bool),
    /// Put so many rounds into one while so many are left, and leave the loop as it is for the rest.
    Runtime(u32, evolution::Condition),
}

fn plan(
    function: &Function,
    unit: &Unit<'_>,
    nest: &Nest,
    index: usize,
    divergence: &divergence::Asked<'_>,
) -> Option<Plan> {
    let latch = nest.latch(index)?;
    let preheader = nest.preheader(index)?;
    let header = nest.header(index)?;
    let hints = super::hints(function, latch).unwrap_or_default();
    if hints.unroll_disable || hints.unroll_count == Some(1) {
        return None;
    }
    let exits = nest.exits(index);
    // The latch decides whether to go on.
    let is_rotated = exits.iter().any(|(from, _)| *from == latch);
    if !is_rotated || !function.successors(latch).contains(&header) || function.successors(latch).len() != 2 {
        return None;
    }
    let blocks = nest.blocks(index);
    let size = size(function, &blocks);
    if blocks.iter().any(|&block| !can_copy(function, block)) {
        return None;
    }
    let rounds = trips::count(function, nest, index, MOST_ROUNDS);
    let asked = hints.unroll_full || hints.unroll_enable || hints.unroll_count.is_some();
    if let Some(rounds) = rounds {
        let is_wanted = match hints.unroll_count {
            Some(count) => count >= rounds,
            None => true,
        };
        let limit = match asked {
            true => MOST_ASKED,
            false if unit.options.level < 2 => MOST_FULL / 4,
            false if chooses_in_array(function, &blocks) => MOST_FOR_ARRAYS,
            false => MOST_FULL,
        };
        if is_wanted && size.saturating_mul(rounds as usize) <= limit {
            return Some(Plan::Full(rounds));
        }
    }
    let is_innermost = nest.loops.get(index).children.is_empty();
    let (count, limit) = match hints.unroll_count {
        Some(count) => (count, MOST_ASKED),
        None if unit.options.level < 2 || !is_innermost || rounds.is_some_and(|rounds| rounds < FEW_ROUNDS) => {
            return None;
        }
        None => (FEW_ROUNDS, MOST_FEW),
    };
    let size = if hints.unroll_count.is_some() {
        size
    } else {
        weight(function, &blocks)
    };
    if count < 2 || size.saturating_mul(count as usize) > limit {
        return None;
    }
    if rounds.is_some_and(|rounds| rounds % count == 0) {
        return Some(Plan::Partial(count, true));
    }
    // Rounds that threads run together must not be split into those of the one and of the other loop, unless all threads go round as often.
    let is_convergent = (blocks.iter())
        .flat_map(|&block| function.instructions(block))
        .any(|id| effects::is_convergent(unit.symbols, function, id));
    let stays_together = |condition: &evolution::Condition| {
        let is_uniform = |value| divergence.is_uniform(value, preheader);
        !is_convergent
            || is_uniform(condition.recurrence.start)
                && is_uniform(condition.bound)
                && exits.iter().all(|(from, _)| *from == latch)
    };
    // Of a loop that is left in the middle, too, little is saved but the comparison, and threads that leave at different times go through both loops.
    let leaves_in_the_middle = exits.iter().any(|(from, _)| *from != latch);
    if hints.unroll_count.is_none() && leaves_in_the_middle {
        return None;
    }
    match evolution::condition(function, nest, index) {
        Some(condition) if stays_together(&condition) && runtime::can_unroll(function, &condition, count) => {
            Some(Plan::Runtime(count, condition))
        }
        _ if hints.unroll_count.is_some() => Some(Plan::Partial(count, false)),
        _ => None,
    }
}

/// What carrying out a plan makes of a loop.
fn growth(function: &Function, nest: &Nest, index: usize, plan: Plan) -> Growth {
    let blocks = nest.blocks(index);
    let copies = match plan {
        Plan::Full(rounds) => rounds.saturating_sub(1),
        Plan::Partial(count, _) => count.saturating_sub(1),
        // The loop stays for the rest.
        Plan::Runtime(count, _) => count,
    };
    let hints = nest.latch(index).and_then(|latch| super::hints(function, latch));
    let asked = hints.is_some_and(|hints| hints.unroll_full || hints.unroll_enable || hints.unroll_count.is_some());
    Growth {
        is_free: !asked,
        keeps_arrays: !(matches!(plan, Plan::Full(_)) && chooses_in_array(function, &blocks)),
        instructions: size(function, &blocks).saturating_mul(copies as usize),
    }
}

fn size(function: &Function, blocks: &[BlockId]) -> usize {
    let all = blocks.iter().flat_map(|&block| function.instructions(block));
    all.filter(|&id| {
        let instruction = function.instruction(id);
        !instruction.is_phi() && !intrinsics::is_marker(instruction) && !matches!(instruction, Instruction::Gep { .. })
    })
    .count()
}

/// As [`size`], where what takes many instructions of the machine counts as many: there is nothing in writing such loops out.
fn weight(function: &Function, blocks: &[BlockId]) -> usize {
    let all = blocks.iter().flat_map(|&block| function.instructions(block));
    let more: usize = all
        .map(|id| match function.instruction(id) {
            Instruction::Binary { op, right, .. } if op.is_int_division() && right.as_constant().is_none() => 20,
            Instruction::Binary {
                op: BinaryOp::FDiv | BinaryOp::FRem,
                ..
            } => 12,
            Instruction::Call(call) if call.intrinsic().is_none() => 20,
            _ => 0,
        })
        .sum();
    size(function, blocks) + more
}

fn can_copy(function: &Function, block: BlockId) -> bool {
    function.instructions(block).all(|id| {
        !matches!(
            function.instruction(id),
            Instruction::IndirectBranch { .. } | Instruction::Alloca { .. }
        )
    })
}

/// Whether a local array is accessed with an index that is not constant.
fn chooses_in_array(function: &Function, blocks: &[BlockId]) -> bool {
    let all = blocks.iter().flat_map(|&block| function.instructions(block));
    all.filter_map(|id| match function.instruction(id) {
        Instruction::Load { pointer, .. } | Instruction::Store { pointer, .. } => Some(*pointer),
        _ => None,
    })
    .any(|pointer| {
        let parts = address::decompose(function, pointer);
        !parts.terms.is_empty() && matches!(function.definition(parts.base), Some(Instruction::Alloca { .. }))
    })
}

/// Writes out rounds; the blocks that they are now go to `written`.
fn unroll(
    function: &mut Function,
    nest: &Nest,
    index: usize,
    plan: Plan,
    demoted: &mut Demoted,
    written: &mut Vec<BlockId>,
) -> bool {
    let (Some(header), Some(latch)) = (nest.header(index), nest.latch(index)) else {
        return false;
    };
    let blocks = nest.blocks(index);
    let in_loop = |block: BlockId| nest.contains(index, block);
    for &block in &blocks {
        let ids: Vec<InstructionId> = function.instructions(block).collect();
        for id in ids {
            if function.result_type(id) != Type::Void {
                demoted.demote(function, id, &in_loop);
            }
        }
    }
    let mut unroller = Unroller {
        header,
        latch,
        exits: nest.exits(index),
        blocks,
        rounds: vec![Round::default()],
        function,
    };
    let copies = match plan {
        Plan::Full(rounds) => rounds,
        Plan::Partial(count, _) | Plan::Runtime(count, _) => count,
    };
    for _ in 1..copies {
        unroller.copy_round();
    }
    unroller.connect(plan);
    for round in &unroller.rounds {
        written.extend(unroller.blocks.iter().map(|&block| round.block(block)));
    }
    true
}

/// Computes what has become constant, so that loops inside can be counted. Blocks come before those that they lead to.
fn fold_constants(function: &mut Function, blocks: &[BlockId]) {
    for &block in blocks {
        for id in function.instructions(block).collect::<Vec<_>>() {
            if let Some(value) = edit::constant_result(function, id) {
                function.replace_and_remove(id, value);
            }
        }
    }
}

/// What one round's copies of blocks and values are; nothing for the first round, which is the loop itself.
#[derive(Default)]
struct Round {
    blocks: FxHashMap<BlockId, BlockId>,
    values: FxHashMap<InstructionId, Value>,
}

impl Round {
    fn block(&self, block: BlockId) -> BlockId {
        self.blocks.get(&block).copied().unwrap_or(block)
    }

    fn value(&self, value: Value) -> Value {
        match value {
            Value::Instruction(id) => self.values.get(&id).copied().unwrap_or(value),
            _ => value,
        }
    }
}

struct Unroller<'f> {
    function: &'f mut Function,
    header: BlockId,
    latch: BlockId,
    blocks: Vec<BlockId>,
    exits: Vec<(BlockId, BlockId)>,
    rounds: Vec<Round>,
}

impl Unroller<'_> {
    fn incoming(&self, phi: InstructionId, from: BlockId) -> Option<Value> {
        match self.function.instruction(phi) {
            Instruction::Phi { incoming, .. } => incoming.iter().find(|(at, _)| *at == from).map(|(_, value)| *value),
            _ => None,
        }
    }

    /// Copies all blocks for one more round, whose header phis are what the round before brought. Branches back still lead to the header.
    fn copy_round(&mut self) {
        let mut round = Round::default();
        let before = self.rounds.last().map_or(self.latch, |round| round.block(self.latch));
        let mut last = before;
        for &block in &self.blocks {
            let copy = self.function.insert_block_after(last);
            if let Some(name) = self.function.block_name(block).map(str::to_owned) {
                self.function.set_block_name(copy, &name);
            }
            round.blocks.insert(block, copy);
            last = copy;
        }
        let header_phis: Vec<InstructionId> = self.function.phis(self.header).collect();
        for &phi in &header_phis {
            if let (Some(next), Some(previous)) = (self.incoming(phi, self.latch), self.rounds.last()) {
                round.values.insert(phi, previous.value(next));
            }
        }
        for &block in &self.blocks.clone() {
            self.copy_block(block, &mut round, &header_phis);
        }
        self.fill_phis(&round);
        self.add_exits(&round);
        self.rounds.push(round);
    }

    fn copy_block(&mut self, block: BlockId, round: &mut Round, header_phis: &[InstructionId]) {
        let target = round.block(block);
        let ids: Vec<InstructionId> = self.function.instructions(block).collect();
        for id in ids {
            if header_phis.contains(&id) {
                continue;
            }
            let mut instruction = self.function.instruction(id).clone();
            if let Instruction::Phi { incoming, .. } = &mut instruction {
                incoming.clear();
            }
            let header = self.header;
            clone::map(
                &mut instruction,
                |value| round.value(value),
                |block| if block == header { header } else { round.block(block) },
            );
            let ty = self.function.result_type(id);
            let copy = self.function.append(target, instruction, ty);
            clone::copy_description(self.function, id, copy);
            round.values.insert(id, Value::Instruction(copy));
        }
    }

    /// Phis inside of the loop, whose values may be made further down.
    fn fill_phis(&mut self, round: &Round) {
        for &block in &self.blocks {
            if block == self.header {
                continue;
            }
            for phi in self.function.phis(block).collect::<Vec<_>>() {
                let Instruction::Phi { incoming, .. } = self.function.instruction(phi) else {
                    continue;
                };
                // Nobody comes to the copy from blocks that are not in the loop and that control does not get to.
                let entries: SmallVec<[(BlockId, Value); 2]> = incoming
                    .iter()
                    .filter_map(|&(from, value)| Some((*round.blocks.get(&from)?, round.value(value))))
                    .collect();
                let Some(copy) = round.value(Value::Instruction(phi)).as_instruction() else {
                    continue;
                };
                self.function.update(copy, |instruction| {
                    if let Instruction::Phi { incoming, .. } = instruction {
                        *incoming = entries;
                    }
                });
            }
        }
    }

    /// Exits have the copies of the blocks that leave as predecessors too.
    fn add_exits(&mut self, round: &Round) {
        let mut edges = self.exits.clone();
        edges.sort_unstable();
        edges.dedup();
        for (from, exit) in edges {
            for phi in self.function.phis(exit).collect::<Vec<_>>() {
                let Some(value) = self.incoming(phi, from) else {
                    continue;
                };
                let entry = (round.block(from), round.value(value));
                self.function.update(phi, |instruction| {
                    if let Instruction::Phi { incoming, .. } = instruction {
                        incoming.push(entry);
                    }
                });
            }
        }
    }

    /// Leads each round to the next, and the last one out or back.
    fn connect(&mut self, plan: Plan) {
        let count = self.rounds.len();
        let Some(terminator) = self.function.terminator(self.latch) else {
            return;
        };
        let exit = self
            .function
            .successors(self.latch)
            .into_iter()
            .find(|&to| to != self.header);
        let Some(exit) = exit else { return };
        // What comes back to the header comes from the last round now.
        if let (Plan::Partial(..), Some(last)) = (plan, self.rounds.last()) {
            let back = last.block(self.latch);
            for phi in self.function.phis(self.header).collect::<Vec<_>>() {
                let Some(value) = self.incoming(phi, self.latch) else {
                    continue;
                };
                let value = last.value(value);
                let latch = self.latch;
                self.function.update(phi, |instruction| {
                    if let Instruction::Phi { incoming, .. } = instruction {
                        incoming.retain(|(from, _)| *from != latch);
                        incoming.push((back, value));
                    }
                });
            }
        } else {
            self.function.remove_phi_entries(self.header, self.latch);
        }
        let hints = self.function.attachments(terminator).cloned();
        for index in 0..count {
            let latch = self.rounds[index].block(self.latch);
            let next = self.rounds.get(index + 1).map(|round| round.block(self.header));
            let Some(end) = self.function.terminator(latch) else {
                continue;
            };
            self.function.update_attachments(end, |all| all.loop_hints = None);
            let straight = match (plan, next) {
                (Plan::Full(_), Some(next)) | (Plan::Partial(_, true), Some(next)) => Some(next),
                (Plan::Full(_), None) => Some(exit),
                (Plan::Partial(_, false) | Plan::Runtime(..), Some(next)) => {
                    self.function.replace_successor(latch, self.header, next);
                    None
                }
                (Plan::Partial(..) | Plan::Runtime(..), None) => {
                    // It has been unrolled as asked.
                    let mut kept = hints.clone().and_then(|all| all.loop_hints).unwrap_or_default();
                    kept.unroll_disable = true;
                    self.function.update_attachments(end, |all| all.loop_hints = Some(kept));
                    None
                }
            };
            if let Some(target) = straight {
                self.function
                    .replace_instruction(end, Instruction::Branch { target }, Type::Void);
                if target != exit {
                    self.function.remove_phi_entries(exit, latch);
                }
            }
        }
    }
}
