//! Branches, ends, and barriers of a CTA or cluster.

use warpsmith_ptx::{
    instruction::Variant,
    module::{LabelId, LabelKind, Operand},
    table::{Opcode, Type},
};
use warpsmith_sass::{
    FieldName as F, Opcode as O,
    tables::{Cmp, Combine},
};
use warpsmith_target::Isa;

use super::{
    Lowered, Lowering, UNSUPPORTED,
    memory::{Scope, says},
};
use crate::{
    ir::{Register, Table},
    select::{Request, Test, Value},
};

/// What a barrier of a CTA does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Action {
    Sync,
    Arrive,
    /// Waits and reduces a predicate.
    Reduce(&'static str, Test),
}

impl Lowering<'_> {
    /// Control flow and barriers.
    pub(super) fn control(&mut self, variant: &Variant, operands: &[Operand]) -> Option<Lowered> {
        Some(match variant.opcode {
            Opcode::Bra => self.branch(operands),
            Opcode::BrxIdx => self.indexed_branch(operands),
            Opcode::Ret | Opcode::Exit => self.leave(),
            // A breakpoint is a trap (observed, ptxas 13.0.88).
            Opcode::Trap | Opcode::Brkpt => self.trap(),
            Opcode::Nanosleep => self.sleep(operands),
            Opcode::Bar | Opcode::BarCta | Opcode::Barrier | Opcode::BarrierCta => {
                self.barrier(Action::Sync, is_aligned(variant), operands.first(), operands.get(1))
            }
            Opcode::BarArrive | Opcode::BarCtaArrive | Opcode::BarrierArrive | Opcode::BarrierCtaArrive => {
                self.barrier(Action::Arrive, is_aligned(variant), operands.first(), operands.get(1))
            }
            Opcode::BarRed | Opcode::BarCtaRed | Opcode::BarrierRed | Opcode::BarrierCtaRed => {
                self.reducing_barrier(variant, operands)
            }
            Opcode::BarrierClusterArrive => self.cluster_arrive(variant),
            Opcode::BarrierClusterWait => self.cluster_wait(variant),
            Opcode::Pmevent | Opcode::PmeventMask => self.monitor_event(variant, operands),
            _ => return None,
        })
    }

    fn branch(&mut self, operands: &[Operand]) -> Lowered {
        let Some(Operand::Label(label)) = operands.first() else {
            return Err(UNSUPPORTED);
        };
        self.jump(*label)?;
        self.new_block();
        Ok(())
    }

    fn jump(&mut self, label: LabelId) -> Lowered {
        let target = self.label(label);
        self.emit(Request::new(O::Bra).form("L").target(target))
    }

    /// `brx.idx`: a branch with the index in its register, of which `DoSwitchOptFirst` makes what the function can have.
    fn indexed_branch(&mut self, operands: &[Operand]) -> Lowered {
        let [index, Operand::Label(list)] = operands else {
            return Err(UNSUPPORTED);
        };
        let body = self.body;
        let Some(LabelKind::BranchTargets(targets)) = body.labels.get(list.0 as usize).map(|label| &label.kind) else {
            return Err(UNSUPPORTED);
        };
        let index = self.in_register(Some(index), Type::U32)?;
        let skip = self.skip_unless_guarded()?;
        let pair = self.temporary(2);
        self.emit_bare(Request::new(O::Mov).to(pair.word(0)).from(index))?;
        self.emit_bare(Request::new(O::Mov).to(pair.word(1)).from(Value::Zero))?;
        let targets = targets.iter().map(|label| self.label(*label)).collect();
        self.emit_bare(Request::new(O::Brx).form("R").at(F::Ra, pair))?;
        let code = &mut self.function.blocks[self.block.0 as usize].code;
        if let Some(branch) = code.last_mut() {
            branch.table = Some(Box::new(Table { targets, offset: None }));
        }
        self.new_block();
        if let Some(skip) = skip {
            self.close_branch(skip);
        }
        Ok(())
    }

    /// The end of a kernel's thread.
    pub(super) fn leave(&mut self) -> Lowered {
        if self.plan.errors_at_exit {
            self.error_barriers()?;
        }
        self.emit(Request::new(O::Exit).form("none"))?;
        if self.guard == Test::ALWAYS {
            self.new_block();
        }
        Ok(())
    }

    fn trap(&mut self) -> Lowered {
        let old = self.function.isa() == Isa::Sm75;
        self.emit(
            Request::new(O::Bpt)
                .form(if old { "none_pause" } else { "none_trap" })
                .text(F::Action, "TRAP")
                .number(F::Number, 1),
        )
    }

    fn sleep(&mut self, operands: &[Operand]) -> Lowered {
        let time = self.in_register(operands.first(), Type::U32)?;
        let request = Request::new(O::Nanosleep).form("R").at(F::Rb, time);
        self.emit(request.flag(F::Warp, self.function.isa() == Isa::Sm75))
    }

    /// `pmevent`: of one event, or of a mask of them.
    fn monitor_event(&mut self, variant: &Variant, operands: &[Operand]) -> Lowered {
        let Some(Operand::Integer(number, _)) = operands.first() else {
            return Err(UNSUPPORTED);
        };
        let mask = match variant.opcode {
            Opcode::PmeventMask => *number & 0xffff,
            _ => 1 << (*number & 15),
        };
        self.emit(Request::new(O::Pmtrig).form("I").number(F::Imm, mask))
    }

    fn reducing_barrier(&mut self, variant: &Variant, operands: &[Operand]) -> Lowered {
        let (count, test) = match operands {
            [_, _, test] => (None, test),
            [_, _, count, test] => (Some(count), test),
            _ => return Err(UNSUPPORTED),
        };
        let reduction = if says(variant, "popc") {
            "POPC"
        } else if says(variant, "and") {
            "AND"
        } else {
            "OR"
        };
        let test = self.test(Some(test))?;
        self.barrier(
            Action::Reduce(reduction, test),
            is_aligned(variant),
            operands.get(1),
            count,
        )?;
        let to = self.destination(operands.first())?;
        let request = Request::new(O::B2r).form("RESULT.R");
        self.emit(if reduction == "POPC" {
            request.to(to)
        } else {
            request.sets(F::Pu, to)
        })
    }

    /// `BAR`, with number and count as immediates where they are constants. Where the count is in a register the number is there too: the number in bits 0 to 3,
    /// the count in bits 16 to 27 (observed, ptxas 13.0.88).
    fn barrier(&mut self, action: Action, aligned: bool, number: Option<&Operand>, count: Option<&Operand>) -> Lowered {
        let fixed = |operand: Option<&Operand>| match operand {
            Some(Operand::Integer(value, _)) => Some(*value),
            Some(_) | None => None,
        };
        self.function.barriers = match fixed(number) {
            Some(number) => self.function.barriers.max((number as u8 & 15) + 1),
            None => 16,
        };
        let request = Request::new(O::Bar).aligned(aligned);
        let (form, request) = match (fixed(number), fixed(count), count) {
            (Some(number), Some(threads), _) => (0, request.number(F::Imm, number).number(F::Imm2, threads)),
            (Some(number), None, None) => (0, request.number(F::Imm, number)),
            (None, Some(threads), _) if action == Action::Sync => {
                let number = self.in_register(number, Type::U32)?;
                (1, request.at(F::Rb, number).number(F::Imm, threads))
            }
            (None, None, None) => {
                let number = self.in_register(number, Type::U32)?;
                (1, request.at(F::Rb, number))
            }
            (None, Some(_), None) => return Err(UNSUPPORTED),
            (_, _, Some(_)) => {
                let packed = self.number_and_count(number, count)?;
                (2, request.at(F::Rb, packed))
            }
        };
        let request = match action {
            Action::Sync | Action::Arrive => request,
            Action::Reduce(reduction, test) => request.text(F::Reduction, reduction).when(F::Pp, test),
        };
        // What was loaded before is there, and what is after does not start early.
        self.new_block();
        self.emit(request.form(self.barrier_forms(action)[form]))?;
        self.new_block();
        Ok(())
    }

    /// The forms with number and count: both constant, number in a register, both in one.
    fn barrier_forms(&self, action: Action) -> [&'static str; 3] {
        let isa = self.function.isa();
        match action {
            Action::Arrive => ["ARV.I_I", "ARV.R_I", "ARV.R_R"],
            Action::Sync if isa == Isa::Sm75 => ["SYNC.I_imm2", "SYNC.R", "SYNC.R_R"],
            Action::Sync => [
                "SYNC.DEFER_BLOCKING.I_imm2",
                "SYNC.DEFER_BLOCKING.R",
                "SYNC.DEFER_BLOCKING.R_R",
            ],
            Action::Reduce(..) if isa == Isa::Sm75 => ["RED.I_P_imm2", "RED.R_P", "RED.R_R_P"],
            Action::Reduce(..) => [
                "RED.DEFER_BLOCKING.I_P_imm2",
                "RED.DEFER_BLOCKING.R_P",
                "RED.DEFER_BLOCKING.R_R_P",
            ],
        }
    }

    fn number_and_count(&mut self, number: Option<&Operand>, count: Option<&Operand>) -> Lowered<Register> {
        let (number, count) = (self.source(number, Type::U32)?, self.in_register(count, Type::U32)?);
        let (high, low, packed) = (self.temporary(1), self.temporary(1), self.temporary(1));
        self.emit_bare(
            Request::new(O::Shf)
                .to(high)
                .from(count)
                .from(Value::Immediate(16))
                .from(Value::Zero)
                .text(F::Direction, "L")
                .text(F::Type, "U32"),
        )?;
        self.emit_bare(
            Request::new(O::Lop3)
                .literal("LUT")
                .to(low)
                .from(number)
                .from(Value::Immediate(15))
                .from(Value::Zero)
                .from(Value::Immediate(0xc0)),
        )?;
        self.emit_bare(
            Request::new(O::Lop3)
                .literal("LUT")
                .to(packed)
                .from(high)
                .from(low)
                .from(Value::Zero)
                .from(Value::Immediate(0xfc)),
        )?;
        Ok(packed)
    }

    /// Whether there is a cluster: without one there is nobody to wait for.
    pub(super) fn in_cluster(&mut self) -> Lowered<Register> {
        let flag = self.function.constants().cluster_explicit.ok_or(UNSUPPORTED)?;
        let value = self.temporary(1);
        self.emit_bare(Request::new(O::Mov).to(value).from(Value::Constant(0, flag.into())))?;
        self.compare_words(Cmp::Eq, true, value, Value::Immediate(1), Combine::And, Test::ALWAYS)
    }

    fn cluster_arrive(&mut self, variant: &Variant) -> Lowered {
        let guard = self.guard;
        let unguarded = self.skip_unless_guarded()?;
        if !says(variant, "relaxed") {
            self.fence("ALL", Scope::Gpu)?;
        }
        let there = self.in_cluster()?;
        let skip = self.open_branch(Test::from(there).opposite())?;
        let aligned = says(variant, "aligned");
        self.emit(Request::new(O::UcgabarArv).form("none").aligned(aligned))?;
        self.close_branch(skip);
        self.end_guarded(unguarded, guard);
        Ok(())
    }

    /// What comes after a place that [`Lowering::skip_unless_guarded`] left out.
    fn end_guarded(&mut self, unguarded: Option<(usize, usize)>, guard: Test) {
        if let Some(skip) = unguarded {
            self.close_branch(skip);
        }
        self.guard = guard;
    }

    fn cluster_wait(&mut self, variant: &Variant) -> Lowered {
        let aligned = says(variant, "aligned");
        let guard = self.guard;
        let unguarded = self.skip_unless_guarded()?;
        let there = self.in_cluster()?;
        let skip = self.open_branch(Test::from(there).opposite())?;
        self.emit(Request::new(O::UcgabarWait).form("none").aligned(aligned))?;
        self.invalidate(Scope::Gpu)?;
        self.close_branch(skip);
        if self.function.required_cluster.is_none() {
            // A launch without clusters: the CTA waits for its own threads alone. (Observed, ptxas 13.0.88.)
            let skip = self.open_branch(there.into())?;
            self.function.barriers = self.function.barriers.max(1);
            self.new_block();
            let form = self.barrier_forms(Action::Sync)[0];
            self.emit(Request::new(O::Bar).aligned(aligned).form(form).number(F::Imm, 0))?;
            self.new_block();
            self.close_branch(skip);
        }
        self.end_guarded(unguarded, guard);
        Ok(())
    }
}

/// Whether all threads of a warp come to a barrier together: to `bar` always, to `barrier` if it says so (PTX manual, "barrier").
fn is_aligned(variant: &Variant) -> bool {
    match variant.opcode {
        Opcode::Barrier
        | Opcode::BarrierCta
        | Opcode::BarrierArrive
        | Opcode::BarrierCtaArrive
        | Opcode::BarrierRed
        | Opcode::BarrierCtaRed => says(variant, "aligned"),
        _ => true,
    }
}
