//! Unrolling of loops whose number of rounds is not known: several rounds become one as long as so many are left, and the loop as it was does the rest.
//!
//! With a recurrence `i` of step `s` that goes on while `i + s < n`, so many rounds are left if `i + count · s < n` in whole numbers. That is asked
//! as `i + s < n - (count - 1) · s`, once `n` has been seen to be so large that the difference does not wrap; nothing is assumed of the additions.
//!
//! Between the two loops is a block that all threads come to, those too that have too few rounds for the first: there the threads of a warp meet.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use warpsmith_ir::{
    Access, BinaryOp, BlockId, Flags, Function, Instruction, InstructionId, IntPredicate, LoopHints, Type, Value,
};

use super::{Nest, demote::Demoted, edges::Edges};
use crate::{
    analysis::{bits, evolution::Condition},
    clone, edit, fold,
};

/// Whether [`unroll`] can ask whether `count` rounds are left.
pub(crate) fn can_unroll(function: &Function, condition: &Condition, count: u32) -> bool {
    use IntPredicate::{Eq, Ne, Sge, Sgt, Sle, Slt, Uge, Ugt, Ule, Ult};
    let step = condition.recurrence.step;
    let fits = match condition.predicate {
        Slt | Sle | Ult | Ule => step > 0,
        Sgt | Sge | Ugt | Uge => step < 0,
        Ne => step.unsigned_abs() == 1,
        Eq => false,
    };
    let Some(width) = function.type_of(condition.compared).int_bits() else {
        return false;
    };
    // Far from where sums wrap even in the width of the recurrence.
    fits && count >= 2
        && width >= 16
        && step
            .unsigned_abs()
            .checked_mul(u128::from(count))
            .is_some_and(|distance| distance < bits::mask(width) / 4)
}

/// What is asked of a value and the bound.
struct Question {
    /// Bound less a distance: by which relation the value is compared with it.
    limit: Limit,
}

enum Limit {
    /// The value is in this relation to this.
    Relation(IntPredicate, Value),
    /// The way from the value to the bound (or back) has more than so many steps.
    Distance { bound: Value, is_up: bool, more_than: i128 },
}

impl Question {
    fn ask(&self, function: &mut Function, at: InstructionId, value: Value) -> Value {
        match self.limit {
            Limit::Relation(predicate, limit) => edit::compare(function, at, predicate, value, limit),
            Limit::Distance {
                bound,
                is_up,
                more_than,
            } => {
                let (from, to) = if is_up { (value, bound) } else { (bound, value) };
                let distance = edit::binary(function, at, BinaryOp::Sub, to, from);
                let ty = function.type_of(bound);
                let least = Value::Constant(fold::int_constant(function.context(), ty, more_than as u128));
                edit::compare(function, at, IntPredicate::Ugt, distance, least)
            }
        }
    }
}

/// Puts `count` rounds into one. The loop leaves from its latch, perhaps among others. Values that are used outside of it go through memory.
pub(super) fn unroll(
    function: &mut Function,
    nest: &Nest,
    index: usize,
    condition: &Condition,
    count: u32,
    demoted: &mut Demoted,
    edges: &Edges,
) -> bool {
    let (Some(header), Some(latch), Some(preheader)) = (nest.header(index), nest.latch(index), nest.preheader(index))
    else {
        return false;
    };
    let Some(exit) = function.successors(latch).into_iter().find(|&to| to != header) else {
        return false;
    };
    let Some(entrance) = function.terminator(preheader) else {
        return false;
    };
    let blocks = nest.blocks(index);
    let mut exits = nest.exits(index);
    exits.sort_unstable();
    exits.dedup();
    // Questions are asked of values outside of the loop.
    let (first, again, is_possible) = questions(function, entrance, condition, count);
    let start = condition.recurrence.start;
    let enters = first.ask(function, entrance, start);
    let enters = match is_possible {
        Some(possible) => edit::select(function, entrance, possible, enters, {
            Value::Constant(function.context().bool(false))
        }),
        None => enters,
    };
    let starts = is_asked_before(function, edges, preheader, condition);
    let before = demoted.len();
    for &block in &blocks {
        let in_loop = |block: BlockId| nest.contains(index, block);
        for id in function.instructions(block).collect::<Vec<_>>() {
            if function.result_type(id) != Type::Void {
                demoted.demote(function, id, &in_loop);
            }
        }
    }
    // What comes past the first rounds goes through the loop that is left; nobody reads what was there before.
    demoted.reset(function, before, entrance);
    let mut phis = FxHashMap::default();
    for phi in function.phis(header).collect::<Vec<_>>() {
        let load = demoted.recur(function, phi, preheader, latch);
        phis.insert(Value::Instruction(phi), load);
    }
    let compared = phis.get(&condition.compared).copied().unwrap_or(condition.compared);
    let mut copier = Copier {
        function,
        blocks,
        exits,
        latch,
    };
    let mut rounds: Vec<Round> = Vec::new();
    for _ in 0..count {
        let after = rounds.last().map_or(preheader, |round| round.block(latch));
        rounds.push(copier.round(after));
    }
    let head = rounds.first().map_or(header, |round| round.block(header));
    let rest = function.insert_block_after(rounds.last().map_or(preheader, |round| round.block(latch)));
    let goes_on = Value::Constant(function.context().bool(condition.goes_on));
    for (number, round) in rounds.iter().enumerate() {
        let end = round.block(latch);
        let Some(branch) = function.terminator(end) else {
            continue;
        };
        if let Some(next) = rounds.get(number + 1) {
            let target = next.block(header);
            function.replace_instruction(branch, Instruction::Branch { target }, Type::Void);
            function.update_attachments(branch, |all| all.loop_hints = None);
            function.remove_phi_entries(exit, end);
            continue;
        }
        // Another time so many; or else to where the threads meet that had too few rounds for that.
        let value = round.value(compared);
        let on = again.ask(function, branch, value);
        let branch_back = Instruction::ConditionalBranch {
            condition: on,
            on_true: head,
            on_false: rest,
        };
        let location = function.location(branch);
        function.replace_instruction(branch, branch_back, Type::Void);
        done(function, branch);
        // Whether there are rounds left is decided there: by the value that the next round would have, or as the last one did.
        let more = if condition.is_next && starts {
            let current = phis.get(&Value::Instruction(condition.recurrence.phi)).copied();
            let current = current.and_then(|load| demoted.again(function, rest, load));
            current.map(Decision::Compare)
        } else {
            let asked = round.value(condition.condition);
            demoted
                .chosen(function, rest, (preheader, goes_on), (end, asked))
                .map(Decision::Branch)
        };
        let decision = match more {
            Some(Decision::Compare(current)) => {
                let ty = Type::BOOL;
                let compare = Instruction::ICmp {
                    predicate: condition.predicate,
                    flags: Flags::NONE,
                    left: current,
                    right: condition.bound,
                };
                let asked = function.append(rest, compare, ty);
                (Value::Instruction(asked), true)
            }
            Some(Decision::Branch(asked)) => (asked, condition.goes_on),
            None => continue,
        };
        let (on_true, on_false) = if decision.1 { (header, exit) } else { (exit, header) };
        let condition_of_rest = Instruction::ConditionalBranch {
            condition: decision.0,
            on_true,
            on_false,
        };
        let made = function.append(rest, condition_of_rest, Type::Void);
        function.set_location(made, location);
        leave(function, demoted, exit, end, (preheader, rest));
    }
    if let Some(branch) = function.terminator(latch) {
        done(function, branch);
    }
    let enter = Instruction::ConditionalBranch {
        condition: enters,
        on_true: head,
        on_false: rest,
    };
    function.replace_instruction(entrance, enter, Type::Void);
    true
}

/// Blocks before a loop that are looked at for the question whether it has a round at all.
const BEFORE: usize = 4;

/// Whether control comes to a loop only where the question that it asks of the next value has been answered so for the first. Otherwise the first round is done
/// whatever the bound is.
fn is_asked_before(function: &Function, edges: &Edges, preheader: BlockId, condition: &Condition) -> bool {
    let asks = |predicate, left, right| {
        (predicate, left, right) == (condition.predicate, condition.recurrence.start, condition.bound)
    };
    let mut to = preheader;
    for _ in 0..BEFORE {
        let &[block] = edges.before(to) else {
            return false;
        };
        let branch = function
            .terminator(block)
            .map(|branch| function.instruction(branch).clone());
        if let Some(Instruction::ConditionalBranch {
            condition: asked,
            on_true,
            on_false,
        }) = branch
            && on_true != on_false
            && let Some(&Instruction::ICmp {
                predicate, left, right, ..
            }) = function.definition(asked)
        {
            let predicate = if on_true == to { predicate } else { predicate.inverse() };
            if asks(predicate, left, right) || asks(predicate.swapped(), right, left) {
                return true;
            }
        }
        to = block;
    }
    false
}

/// How the block between the two loops decides.
enum Decision {
    /// By comparing this value with the bound.
    Compare(Value),
    /// By this truth value.
    Branch(Value),
}

/// The exit is now left to from `rest`, which `preheader` leads to as well, in place of `end`. What its phis had from there is read from memory, since it is not
/// known before the first rounds.
fn leave(
    function: &mut Function,
    demoted: &mut Demoted,
    exit: BlockId,
    end: BlockId,
    (preheader, rest): (BlockId, BlockId),
) {
    for phi in function.phis(exit).collect::<Vec<_>>() {
        let Instruction::Phi { incoming, .. } = function.instruction(phi) else {
            continue;
        };
        let Some(&(_, value)) = incoming.iter().find(|(from, _)| *from == end) else {
            continue;
        };
        let ty = function.result_type(phi);
        let value = match value {
            Value::Instruction(_) => demoted.carried(function, (preheader, end), rest, value, ty),
            Value::Argument(_) | Value::Constant(_) => value,
        };
        function.update(phi, |instruction| {
            if let Instruction::Phi { incoming, .. } = instruction {
                incoming.retain(|(from, _)| *from != end);
                incoming.push((rest, value));
            }
        });
    }
}

/// The loop of a branch back is not unrolled again.
fn done(function: &mut Function, branch: InstructionId) {
    function.update_attachments(branch, |all| {
        let hints = all.loop_hints.get_or_insert_with(LoopHints::default);
        hints.unroll_disable = true;
        hints.unroll_count = None;
    });
}

/// What is asked before the first rounds of the start, what is asked of the compared value after them, and what must hold of the bound for either.
fn questions(
    function: &mut Function,
    at: InstructionId,
    condition: &Condition,
    count: u32,
) -> (Question, Question, Option<Value>) {
    let bound = condition.bound;
    let ty = function.type_of(bound);
    let width = ty.int_bits().unwrap_or(64);
    let count = i128::from(count);
    let step = condition.recurrence.step;
    // From the start, values are compared from this number of steps on.
    let ahead = i128::from(condition.is_next);
    let constant =
        |function: &Function, value: i128| Value::Constant(fold::int_constant(function.context(), ty, value as u128));
    if condition.predicate == IntPredicate::Ne {
        let distance = |more_than| Question {
            limit: Limit::Distance {
                bound,
                is_up: step > 0,
                more_than,
            },
        };
        return (distance(ahead + count - 2), distance(count - 1), None);
    }
    let far = (count - 1) * step;
    let near = (ahead + count - 2) * step;
    let limit_far = edit::binary_int(function, at, BinaryOp::Sub, bound, far);
    let limit_near = edit::binary_int(function, at, BinaryOp::Sub, bound, near);
    // The bound is so far from the end of the numbers that `far` can be taken from it.
    let sign = bits::signed(width, 1 << (width - 1));
    let (relation, end) = match (condition.predicate.is_signed(), step > 0) {
        (true, true) => (IntPredicate::Sge, sign + far),
        (true, false) => (IntPredicate::Sle, !sign + far),
        (false, true) => (IntPredicate::Uge, far),
        (false, false) => (IntPredicate::Ule, bits::mask(width) as i128 + far),
    };
    let end = constant(function, end);
    let possible = edit::compare(function, at, relation, bound, end);
    let relation = |limit| Question {
        limit: Limit::Relation(condition.predicate, limit),
    };
    (relation(limit_near), relation(limit_far), Some(possible))
}

/// What a copied round's blocks and values are.
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

/// Copies a loop whose header has no phis.
struct Copier<'f> {
    function: &'f mut Function,
    blocks: Vec<BlockId>,
    exits: Vec<(BlockId, BlockId)>,
    latch: BlockId,
}

impl Copier<'_> {
    fn round(&mut self, after: BlockId) -> Round {
        let mut round = Round::default();
        let mut last = after;
        for &block in &self.blocks {
            let copy = self.function.insert_block_after(last);
            if let Some(name) = self.function.block_name(block).map(str::to_owned) {
                self.function.set_block_name(copy, &name);
            }
            round.blocks.insert(block, copy);
            last = copy;
        }
        // The latch's copy stands last, so that rounds follow each other.
        let end = round.block(self.latch);
        if end != last {
            self.function.place_block(end, Some(last));
        }
        for &block in &self.blocks {
            for id in self.function.instructions(block).collect::<Vec<_>>() {
                let mut instruction = self.function.instruction(id).clone();
                if let Instruction::Phi { incoming, .. } = &mut instruction {
                    incoming.clear();
                }
                clone::map(&mut instruction, |value| round.value(value), |block| round.block(block));
                let ty = self.function.result_type(id);
                let copy = self.function.append(round.block(block), instruction, ty);
                clone::copy_description(self.function, id, copy);
                round.values.insert(id, Value::Instruction(copy));
            }
        }
        self.fill_phis(&round);
        self.add_exits(&round);
        round
    }

    /// Phis name values that may be made further down.
    fn fill_phis(&mut self, round: &Round) {
        for &block in &self.blocks {
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

    /// The copies of blocks that leave are predecessors of the exits too.
    fn add_exits(&mut self, round: &Round) {
        for &(from, exit) in &self.exits {
            for phi in self.function.phis(exit).collect::<Vec<_>>() {
                let Instruction::Phi { incoming, .. } = self.function.instruction(phi) else {
                    continue;
                };
                let Some(&(_, value)) = incoming.iter().find(|(at, _)| *at == from) else {
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
}

impl Demoted {
    /// What a recurrence's memory holds in another block: `load` is that at the head of the loop.
    fn again(&mut self, function: &mut Function, block: BlockId, load: Value) -> Option<Value> {
        let Some(&Instruction::Load { pointer, access }) = function.definition(load) else {
            return None;
        };
        let ty = function.type_of(load);
        Some(Value::Instruction(function.append(
            block,
            Instruction::Load { pointer, access },
            ty,
        )))
    }

    /// In a block, one of two truth values by the block that control came from.
    fn chosen(
        &mut self,
        function: &mut Function,
        block: BlockId,
        one: (BlockId, Value),
        other: (BlockId, Value),
    ) -> Option<Value> {
        let pointer = self.add(function, Type::BOOL)?;
        let access = Access::aligned(1);
        for (from, value) in [one, other] {
            let end = function.terminator(from)?;
            let store = Instruction::Store { pointer, value, access };
            function.insert_before(end, store, Type::Void);
        }
        let load = Instruction::Load { pointer, access };
        Some(Value::Instruction(function.append(block, load, Type::BOOL)))
    }

    /// A value of the end of one block in another, before that one's terminator. There is none where control comes from before the loop: said so, the memory lives
    /// no longer than the loop.
    fn carried(
        &mut self,
        function: &mut Function,
        (before, from): (BlockId, BlockId),
        to: BlockId,
        value: Value,
        ty: Type,
    ) -> Value {
        let ends = (
            function.terminator(before),
            function.terminator(from),
            function.terminator(to),
        );
        let ((Some(start), Some(end), Some(at)), Some(pointer)) = (ends, self.add(function, ty)) else {
            return value;
        };
        let access = Access::aligned(function.context().alignment(ty));
        let undefined = Value::Constant(function.context().undef(ty));
        for (at, value) in [(start, undefined), (end, value)] {
            let store = Instruction::Store { pointer, value, access };
            function.insert_before(at, store, Type::Void);
        }
        Value::Instruction(function.insert_before(at, Instruction::Load { pointer, access }, ty))
    }

    /// Lets a phi of a loop's header be memory: written before the loop and at its end, read at its head. The value that stands for it is returned.
    fn recur(&mut self, function: &mut Function, phi: InstructionId, preheader: BlockId, latch: BlockId) -> Value {
        let own = Value::Instruction(phi);
        let ty = function.result_type(phi);
        let (Some(header), Some(slot)) = (function.block_of(phi), self.add(function, ty)) else {
            return own;
        };
        let access = Access::aligned(function.context().alignment(ty));
        let Instruction::Phi { incoming, .. } = function.instruction(phi).clone() else {
            return own;
        };
        for (from, value) in incoming {
            if from == preheader || from == latch {
                let Some(end) = function.terminator(from) else {
                    continue;
                };
                let store = Instruction::Store {
                    pointer: slot,
                    value,
                    access,
                };
                function.insert_before(end, store, Type::Void);
            }
        }
        let Some(after) = function.first_after_phis(header) else {
            return own;
        };
        let load = function.insert_before(after, Instruction::Load { pointer: slot, access }, ty);
        if let Some(name) = function.name(own).map(str::to_owned) {
            function.set_name(Value::Instruction(load), &name);
        }
        function.replace_and_remove(phi, Value::Instruction(load));
        Value::Instruction(load)
    }
}
