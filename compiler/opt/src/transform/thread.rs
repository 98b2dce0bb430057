//! Jump threading: where a block only decides what its predecessor knows already, the predecessor goes to the outcome itself.
//!
//! The block is not copied but for what its branch is computed from; blocks with convergent operations or other effects are left alone, and so are
//! headers of loops, which would get a second entry. Nor is where a loop is left changed whose threads may wait for each other: those threads of a warp that go on round the loop would be waited for
//! before what others do in it before they leave, such as giving a lock back. And where threads run something together before the sides of the branch meet again,
//! they go on meeting before the branch, unless the branch leads none of them apart.

use smallvec::SmallVec;
use warpsmith_ir::{BlockId, Function, Instruction, InstructionId, Type, Value};

use crate::{
    analysis::{divergence, dominators::Dominators, effects, flow::node},
    fold,
    pipeline::Unit,
    transform::loops::{Nest, demote::Demoted},
};

/// Instructions besides phis and the branch in a block that is gone around.
const MOST_INSTRUCTIONS: usize = 4;

/// How often blocks are looked at anew, after some have been gone around.
const MOST_TIMES: u32 = 32;

/// The pass.
pub(crate) fn run(function: &mut Function, unit: &Unit<'_>) -> bool {
    let mut changed = false;
    for _ in 0..MOST_TIMES {
        let found = Search::new(function, unit).all();
        let mut demoted = Demoted::default();
        let mut is_done = false;
        for (block, ways) in &found {
            if unit.fuel.take() {
                thread(function, *block, ways, &mut demoted);
                is_done = true;
            }
        }
        if !is_done {
            break;
        }
        demoted.promote(function);
        changed = true;
    }
    changed
}

/// Looks for blocks to go around in a function as it is.
struct Search<'a> {
    function: &'a Function,
    unit: &'a Unit<'a>,
    nest: Nest,
    together: Together,
    divergence: divergence::Asked<'a>,
    /// By loop: whether threads may wait for each other in it, where that has been asked.
    waits: Vec<Option<bool>>,
}

/// A block, and its predecessors that go around it with where they go.
type Found = (BlockId, Vec<(BlockId, BlockId)>);

impl<'a> Search<'a> {
    fn new(function: &'a Function, unit: &'a Unit<'a>) -> Search<'a> {
        let nest = Nest::new(function);
        let together = Together::new(function, unit, &nest);
        let waits = vec![None; nest.loops.len()];
        Search {
            function,
            unit,
            nest,
            together,
            divergence: divergence::Asked::new(unit.symbols, function),
            waits,
        }
    }

    /// Blocks that can be gone around together: no edge leads from one to another. To go around one leaves the ways through the function what they are, so that
    /// what is known here of loops, and of where threads meet, stays on the safe side for the others.
    fn all(mut self) -> Vec<Found> {
        let mut found: Vec<Found> = Vec::new();
        let mut is_found = vec![false; self.function.block_limit()];
        for block in self.nest.flow.order().collect::<Vec<_>>() {
            let graph = &self.nest.flow.graph;
            let mut next = graph
                .successors(node(block))
                .iter()
                .chain(graph.predecessors(node(block)));
            if next.any(|&at| is_found[at as usize]) {
                continue;
            }
            if let Some(ways) = self.ways(block) {
                is_found[block.index()] = true;
                found.push((block, ways));
            }
        }
        found
    }

    /// The predecessors of a block whose way on is known, with where it leads.
    fn ways(&mut self, block: BlockId) -> Option<Vec<(BlockId, BlockId)>> {
        let function = self.function;
        let terminator = function.terminator(block)?;
        let is_branch = matches!(
            function.instruction(terminator),
            Instruction::ConditionalBranch { .. } | Instruction::Switch { .. }
        );
        if !is_branch || function.phis(block).next().is_none() || function.entry() == Some(block) {
            return None;
        }
        let around = self.nest.loops.innermost(node(block));
        if around.is_some_and(|index| self.nest.loops.get(index).header == node(block)) {
            return None;
        }
        let mut count = 0;
        for id in function.instructions(block) {
            let instruction = function.instruction(id);
            if instruction.is_phi() || instruction.is_terminator() {
                continue;
            }
            count += 1;
            if count > MOST_INSTRUCTIONS || !effects::is_speculatable(self.unit.symbols, function, id) {
                return None;
            }
        }
        let mut ways: Vec<(BlockId, BlockId)> = (self.nest.flow)
            .predecessors(block)
            .filter(|&from| from != block && leads_once(function, from, block))
            .filter_map(|from| Some((from, outcome(function, block, terminator, from)?)))
            // Into its own loop's header from the side would make a second way in; the header is reached by its own latch.
            .filter(|(_, to)| *to != block)
            .collect();
        if let (Some(index), false) = (around, ways.is_empty()) {
            let stays = (function.successors(block).iter()).all(|&to| self.nest.contains(index, to));
            if !stays && self.synchronises(index) {
                ways.retain(|(from, _)| !self.nest.contains(index, *from));
            }
        }
        let meet_no_more = |search: &mut Search<'_>| {
            search.together.is_between(&search.nest, block) && search.divergence.leads_apart(block)
        };
        (!ways.is_empty() && !meet_no_more(self)).then_some(ways)
    }

    /// Whether threads may wait for each other in a loop: it has accesses that others see in order.
    fn synchronises(&mut self, index: usize) -> bool {
        let (function, unit, nest) = (self.function, self.unit, &self.nest);
        *self.waits[index].get_or_insert_with(|| {
            (nest.blocks(index).into_iter())
                .flat_map(|block| function.instructions(block))
                .any(|id| match function.instruction(id) {
                    Instruction::Load { access, .. } | Instruction::Store { access, .. } => !access.is_simple(),
                    Instruction::Call(_) => effects::may_write(unit.symbols, function, id),
                    Instruction::AtomicRmw { .. } | Instruction::CompareExchange { .. } | Instruction::Fence(_) => true,
                    _ => false,
                })
        })
    }
}

/// Where threads run something together.
struct Together {
    /// By block index.
    blocks: Vec<bool>,
    /// Postdominators, where there is any such block.
    meeting: Option<Dominators>,
    /// By block index: the last question that came to the block.
    seen: Vec<u32>,
    questions: u32,
}

impl Together {
    fn new(function: &Function, unit: &Unit<'_>, nest: &Nest) -> Together {
        let mut blocks = vec![false; function.block_limit()];
        let mut any = false;
        for block in function.blocks() {
            let found = function
                .instructions(block)
                .any(|id| effects::is_convergent(unit.symbols, function, id));
            blocks[block.index()] = found;
            any |= found;
        }
        Together {
            blocks,
            meeting: any.then(|| Dominators::new(&nest.flow.graph.reversed())),
            seen: vec![0; nest.flow.graph.len() + 1],
            questions: 0,
        }
    }

    /// Whether threads run something together between a branch and where its sides meet.
    fn is_between(&mut self, nest: &Nest, branch: BlockId) -> bool {
        let Some(meeting) = &self.meeting else { return false };
        let graph = &nest.flow.graph;
        let end = meeting.parent(node(branch));
        self.questions += 1;
        let mut work: Vec<u32> = graph.successors(node(branch)).to_vec();
        while let Some(at) = work.pop() {
            if Some(at) == end || std::mem::replace(&mut self.seen[at as usize], self.questions) == self.questions {
                continue;
            }
            if self.blocks.get(at as usize).copied().unwrap_or(false) {
                return true;
            }
            work.extend(graph.successors(at));
        }
        false
    }
}

/// Whether one edge alone leads from a block to another, as far as the terminator can be changed.
fn leads_once(function: &Function, from: BlockId, to: BlockId) -> bool {
    let successors = function.successors(from);
    let indirect = function
        .terminator(from)
        .is_some_and(|end| matches!(function.instruction(end), Instruction::IndirectBranch { .. }));
    !indirect && successors.iter().filter(|&&block| block == to).count() == 1
}

/// Where a block goes if control comes from a predecessor.
fn outcome(function: &Function, block: BlockId, terminator: InstructionId, from: BlockId) -> Option<BlockId> {
    let known = |value: Value| evaluate(function, block, from, value, 4);
    match function.instruction(terminator) {
        Instruction::ConditionalBranch {
            condition,
            on_true,
            on_false,
        } => {
            let choice = fold::choice(function.context(), known(*condition)?)?;
            Some(if choice { *on_true } else { *on_false })
        }
        Instruction::Switch { value, default, cases } => {
            let warpsmith_ir::Constant::Int(value) = function.context().constant(known(*value)?) else {
                return None;
            };
            Some(
                cases
                    .iter()
                    .find(|case| case.value == *value)
                    .map_or(*default, |case| case.target),
            )
        }
        _ => None,
    }
}

/// A value of a block if control comes from a predecessor, where that is a constant.
fn evaluate(
    function: &Function,
    block: BlockId,
    from: BlockId,
    value: Value,
    depth: u32,
) -> Option<warpsmith_ir::ConstantId> {
    let id = match value {
        Value::Constant(id) => return Some(id),
        Value::Instruction(id) if function.block_of(id) == Some(block) && depth > 0 => id,
        _ => return None,
    };
    let context = function.context();
    let of = |value: &Value| evaluate(function, block, from, *value, depth - 1);
    match function.instruction(id) {
        Instruction::Phi { incoming, .. } => incoming.iter().find(|(at, _)| *at == from)?.1.as_constant(),
        Instruction::ICmp {
            predicate, left, right, ..
        } => fold::compare_int(context, *predicate, of(left)?, of(right)?),
        Instruction::Binary { op, left, right, .. } => match (op, of(left), of(right)) {
            (_, Some(left), Some(right)) => fold::binary(context, *op, left, right, false),
            _ => None,
        },
        Instruction::Cast { op, operand, .. } => fold::cast(context, *op, of(operand)?, function.result_type(id)),
        Instruction::Select {
            condition,
            on_true,
            on_false,
            ..
        } => match fold::choice(context, of(condition)?)? {
            true => of(on_true),
            false => of(on_false),
        },
        _ => None,
    }
}

/// Leads predecessors around a block. What it computes goes through memory to others.
fn thread(function: &mut Function, block: BlockId, ways: &[(BlockId, BlockId)], demoted: &mut Demoted) {
    let here = |at: BlockId| at == block;
    let ids: Vec<InstructionId> = function.instructions(block).collect();
    for id in ids {
        if function.result_type(id) != Type::Void {
            demoted.demote(function, id, &here);
        }
    }
    for &(from, to) in ways {
        let copy = copy_for(function, block, from, to);
        function.replace_successor(from, block, copy);
        function.remove_phi_entries(block, from);
    }
}

/// A block that does what `block` does for what comes from `from`, and goes on to `to`.
fn copy_for(function: &mut Function, block: BlockId, from: BlockId, to: BlockId) -> BlockId {
    let copy = function.insert_block_after(from);
    let mut values: rustc_hash::FxHashMap<InstructionId, Value> = rustc_hash::FxHashMap::default();
    let ids: Vec<InstructionId> = function.instructions(block).collect();
    for id in ids {
        let mut instruction = match function.instruction(id) {
            Instruction::Phi { incoming, .. } => {
                if let Some((_, value)) = incoming.iter().find(|(at, _)| *at == from) {
                    values.insert(id, *value);
                }
                continue;
            }
            other if other.is_terminator() => continue,
            other => other.clone(),
        };
        crate::clone::map(
            &mut instruction,
            |value| {
                value
                    .as_instruction()
                    .and_then(|id| values.get(&id).copied())
                    .unwrap_or(value)
            },
            |block| block,
        );
        let ty = function.result_type(id);
        let made = function.append(copy, instruction, ty);
        crate::clone::copy_description(function, id, made);
        values.insert(id, Value::Instruction(made));
    }
    function.append(copy, Instruction::Branch { target: to }, Type::Void);
    for phi in function.phis(to).collect::<SmallVec<[InstructionId; 4]>>() {
        let Instruction::Phi { incoming, .. } = function.instruction(phi) else {
            continue;
        };
        let Some(&(_, value)) = incoming.iter().find(|(at, _)| *at == block) else {
            continue;
        };
        let value = value
            .as_instruction()
            .and_then(|id| values.get(&id).copied())
            .unwrap_or(value);
        function.update(phi, |instruction| {
            if let Instruction::Phi { incoming, .. } = instruction {
                incoming.push((copy, value));
            }
        });
    }
    copy
}
