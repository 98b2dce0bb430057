//! How many registers a warp has: `setmaxnreg`. (Which instructions, and when it is left out: observed, ptxas 13.0.88, sm_90a and sm_100a.)

use warpsmith_ptx::{
    instruction::Variant,
    module::{Operand, Statement},
    table::Opcode,
};
use warpsmith_sass::{FieldName as F, Opcode as O, RegisterClass};

use super::{Lowered, Lowering, Stop, UNSUPPORTED};
use crate::{
    allocate,
    ir::Advice,
    select::{Request, Test},
};

impl Lowering<'_> {
    /// `setmaxnreg`
    pub(super) fn register_counts(&mut self, variant: &Variant, operands: &[Operand]) -> Option<Lowered> {
        Some(match variant.opcode {
            Opcode::SetmaxnregInc => self.change_registers(operands, true),
            Opcode::SetmaxnregDec => self.change_registers(operands, false),
            _ => return None,
        })
    }

    /// Says, once, that the number of registers does not change.
    fn ignored(&mut self, why: &str) {
        let message = format!("Potential Performance Loss: 'setmaxnreg' ignored: {why}");
        if self.function.advice.iter().all(|advice| advice.message != message) {
            let place = self.place;
            self.function.advice.push(Advice { place, message });
        }
    }

    /// The most registers that the function asks for anywhere.
    fn most_asked_for(&self) -> Option<u64> {
        let instructions = self.body.statements.iter().filter_map(|statement| match statement {
            Statement::Instruction(one) => Some(one),
            _ => None,
        });
        let asks = |variant: &Variant| variant.opcode == Opcode::SetmaxnregInc;
        let counts = instructions
            .filter(|one| asks(&self.module.variants[one.variant.0 as usize]))
            .filter_map(|one| match self.body.operands.get(one.first_operand as usize) {
                Some(Operand::Integer(count, _)) => Some(*count & 0x1ff),
                _ => None,
            });
        counts.max()
    }

    /// Where it is not known how many registers a thread starts with, or what is called may need more, nothing changes. (Observed, ptxas 13.0.88, which says so.)
    fn change_registers(&mut self, operands: &[Operand], more: bool) -> Lowered {
        let [Operand::Integer(count, _)] = operands else {
            return Err(UNSUPPORTED);
        };
        let threads = self.function.required_threads.or(self.function.maximum_threads);
        let by_launch = threads.is_some() && self.function.minimum_ctas.is_some();
        if !self.function.kernel {
            return Ok(());
        }
        if !(by_launch || self.function.register_limit.is_some()) {
            self.ignored("unable to determine register count at entry");
            return Ok(());
        }
        if self.calls.wants_all_registers {
            self.ignored("a function that is called may need more registers");
            return Ok(());
        }
        let count = *count & 0x1ff;
        let most = self.most_asked_for();
        let most = most.unwrap_or_else(|| allocate::budget::general(&self.function).into());
        if !more && count > most {
            return Err(Stop::Wrong(format!(
                "setmaxnreg.dec has register count ({count}) which is larger than the largest temporal register count in the program ({most})"
            )));
        }
        self.once(|this| {
            this.emit(Request::new(O::Warpsync).form("ALL.none"))?;
            if !more {
                let lower = Request::new(O::Usetmaxreg).form("DEALLOC.I");
                return this.emit(lower.number(F::Imm, count).text(F::CtaPool, "CTAPOOL"));
            }
            // Until the others have given enough back.
            let start = this.new_block();
            let (given, done) = (
                this.function.register(RegisterClass::UniformPredicate, 1),
                this.predicate(),
            );
            this.emit(
                Request::new(O::Usetmaxreg)
                    .form("TRY_ALLOC.UP_I")
                    .sets(F::UPu, given)
                    .number(F::Imm, count)
                    .text(F::CtaPool, "CTAPOOL"),
            )?;
            this.emit(
                Request::new(O::Plop3)
                    .form("LUT.P_P_P_P_UP_I_I")
                    .sets(F::Pu, done)
                    .when(F::Pp, Test::ALWAYS)
                    .when(F::Pq, Test::ALWAYS)
                    .when(F::UPr, given)
                    .number(F::Imm, 0x80),
            )?;
            let again = Request::new(O::Bra).form("L").target(start);
            this.emit(again.guarded(Test::from(done).opposite()))?;
            this.new_block();
            Ok(())
        })
    }
}
