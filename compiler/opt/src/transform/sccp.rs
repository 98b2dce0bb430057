//! Sparse conditional constant propagation: values that are constant on every way that control can take.
//!
//! All values start as unknown and all blocks as not run; what turns out otherwise is followed along uses and along the edges that conditions allow (Wegman
//! and Zadeck, "Constant propagation with conditional branches"). So a value is found that is constant because a branch is never taken that is never taken because the
//! value is constant, around loops too. Branches that are decided so get constant conditions; taking the edges away is the matter of [`super::simplify_cfg`].

use rustc_hash::FxHashSet;
use warpsmith_ir::{BlockId, ConstantId, Function, Instruction, InstructionId, Value};

use crate::{fold, pipeline::Unit};

/// What is known of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Known {
    /// Nothing that computes it has been seen to run.
    Unknown,
    /// It is this constant.
    Constant(ConstantId),
    /// It may be several.
    Several,
}

impl Known {
    fn meet(self, other: Known) -> Known {
        match (self, other) {
            (Known::Unknown, known) | (known, Known::Unknown) => known,
            (one, other) if one == other => one,
            _ => Known::Several,
        }
    }
}

/// The pass.
pub(crate) fn run(function: &mut Function, unit: &Unit<'_>) -> bool {
    let Some(entry) = function.entry() else { return false };
    let mut solver = Solver {
        function,
        ftz: unit.options.arithmetic.flush_denormals,
        values: vec![Known::Unknown; function.instruction_limit()],
        reached: vec![false; function.block_limit()],
        edges: FxHashSet::default(),
        blocks: vec![entry],
        work: Vec::new(),
    };
    solver.reached[entry.index()] = true;
    solver.solve();
    let found: Vec<(InstructionId, ConstantId)> = function
        .all_instructions()
        .filter_map(|id| match solver.values[id.index()] {
            Known::Constant(constant) => Some((id, constant)),
            _ => None,
        })
        .collect();
    let mut changed = false;
    for (id, constant) in found {
        if !unit.fuel.take() {
            break;
        }
        function.replace_and_remove(id, Value::Constant(constant));
        changed = true;
    }
    changed
}

struct Solver<'f> {
    function: &'f Function,
    ftz: bool,
    /// By instruction.
    values: Vec<Known>,
    /// By block: whether control may get there.
    reached: Vec<bool>,
    /// Edges that control may take.
    edges: FxHashSet<(BlockId, BlockId)>,
    /// Blocks that were reached and not yet looked at.
    blocks: Vec<BlockId>,
    /// Instructions whose operands are known better than when they were last looked at.
    work: Vec<InstructionId>,
}

impl Solver<'_> {
    fn solve(&mut self) {
        loop {
            if let Some(id) = self.work.pop() {
                if self
                    .function
                    .block_of(id)
                    .is_some_and(|block| self.reached[block.index()])
                {
                    self.visit(id);
                }
            } else if let Some(block) = self.blocks.pop() {
                for id in self.function.instructions(block) {
                    self.visit(id);
                }
            } else {
                return;
            }
        }
    }

    fn of(&self, value: Value) -> Known {
        match value {
            Value::Constant(id) => Known::Constant(id),
            Value::Argument(_) => Known::Several,
            Value::Instruction(id) => self.values[id.index()],
        }
    }

    fn visit(&mut self, id: InstructionId) {
        let function = self.function;
        let instruction = function.instruction(id);
        if instruction.is_terminator() {
            return self.leave(id);
        }
        let before = self.values[id.index()];
        if before == Known::Several {
            return;
        }
        // What was a constant stays that or becomes several, so that this comes to an end whatever folding says.
        let now = self.result(id).meet(before);
        if now != before {
            self.values[id.index()] = now;
            self.work.extend(function.users(Value::Instruction(id)));
        }
    }

    fn result(&self, id: InstructionId) -> Known {
        let function = self.function;
        let context = function.context();
        match function.instruction(id) {
            Instruction::Phi { incoming, .. } => {
                let Some(block) = function.block_of(id) else {
                    return Known::Several;
                };
                let taken = incoming.iter().filter(|(from, _)| self.edges.contains(&(*from, block)));
                taken.fold(Known::Unknown, |known, (_, value)| known.meet(self.of(*value)))
            }
            Instruction::Select {
                condition,
                on_true,
                on_false,
                ..
            } => match self.of(*condition) {
                Known::Unknown => Known::Unknown,
                Known::Constant(condition) => match fold::choice(context, condition) {
                    Some(true) => self.of(*on_true),
                    Some(false) => self.of(*on_false),
                    None => Known::Several,
                },
                Known::Several => self.of(*on_true).meet(self.of(*on_false)),
            },
            Instruction::Binary { op, left, right, .. } => self.folded(&[*left, *right], |all| {
                fold::binary(context, *op, all[0], all[1], self.ftz)
            }),
            Instruction::ICmp {
                predicate, left, right, ..
            } => self.folded(&[*left, *right], |all| {
                fold::compare_int(context, *predicate, all[0], all[1])
            }),
            Instruction::FCmp {
                predicate, left, right, ..
            } => self.folded(&[*left, *right], |all| {
                fold::compare_float(context, *predicate, all[0], all[1], self.ftz)
            }),
            Instruction::Cast { op, operand, .. } => {
                let ty = function.result_type(id);
                self.folded(&[*operand], |all| fold::cast(context, *op, all[0], ty))
            }
            Instruction::FNeg { operand, .. } => self.folded(&[*operand], |all| fold::negate(context, all[0])),
            _ => Known::Several,
        }
    }

    /// The result of an operation whose operands are all constants.
    fn folded(&self, operands: &[Value], fold: impl Fn(&[ConstantId]) -> Option<ConstantId>) -> Known {
        let mut constants = Vec::with_capacity(2);
        let mut is_unknown = false;
        for &operand in operands {
            match self.of(operand) {
                Known::Several => return Known::Several,
                Known::Unknown => is_unknown = true,
                Known::Constant(id) => constants.push(id),
            }
        }
        match is_unknown {
            true => Known::Unknown,
            false => fold(&constants).map_or(Known::Several, Known::Constant),
        }
    }

    /// Follows the edges that a terminator may take.
    fn leave(&mut self, id: InstructionId) {
        let function = self.function;
        let Some(block) = function.block_of(id) else { return };
        let only = match function.instruction(id) {
            Instruction::ConditionalBranch {
                condition,
                on_true,
                on_false,
            } => match self.of(*condition) {
                Known::Unknown => return,
                Known::Constant(constant) => {
                    fold::choice(function.context(), constant).map(|choice| if choice { *on_true } else { *on_false })
                }
                Known::Several => None,
            },
            Instruction::Switch { value, default, cases } => match self.of(*value) {
                Known::Unknown => return,
                Known::Constant(constant) => match function.context().constant(constant) {
                    warpsmith_ir::Constant::Int(value) => Some(
                        cases
                            .iter()
                            .find(|case| case.value == *value)
                            .map_or(*default, |case| case.target),
                    ),
                    _ => None,
                },
                Known::Several => None,
            },
            _ => None,
        };
        match only {
            Some(to) => self.take_edge(block, to),
            None => {
                for to in function.successors(block) {
                    self.take_edge(block, to);
                }
            }
        }
    }

    fn take_edge(&mut self, from: BlockId, to: BlockId) {
        if !self.edges.insert((from, to)) {
            return;
        }
        if std::mem::replace(&mut self.reached[to.index()], true) {
            self.work.extend(self.function.phis(to));
        } else {
            self.blocks.push(to);
        }
    }
}
