//! Branches and ends.

use warpsmith_ptx::{
    instruction::Variant,
    module::{LabelId, Operand},
    table::Opcode,
};
use warpsmith_sass::{FieldName as F, Opcode as O};

use super::{Lowered, Lowering, UNSUPPORTED};
use crate::select::{Request, Test, Value};

impl Lowering<'_> {
    /// Control flow and barriers.
    pub(super) fn control(&mut self, variant: &Variant, operands: &[Operand]) -> Option<Lowered> {
        Some(match variant.opcode {
            Opcode::Bra => self.branch(operands),
            Opcode::Ret | Opcode::Exit => self.leave(),
            Opcode::Bar | Opcode::BarCta | Opcode::Barrier | Opcode::BarrierCta => self.barrier(operands),
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

    /// The end of a kernel's thread.
    pub(super) fn leave(&mut self) -> Lowered {
        self.emit(Request::new(O::Exit).form("none"))?;
        if self.guard == Test::ALWAYS {
            self.new_block();
        }
        Ok(())
    }

    /// `bar.sync`, `barrier.sync`
    fn barrier(&mut self, operands: &[Operand]) -> Lowered {
        let [Operand::Integer(number, _)] = operands else {
            return Err(UNSUPPORTED);
        };
        self.function.barriers = self.function.barriers.max(*number as u8 + 1);
        let _ = (F::Imm, Value::Zero);
        self.emit(
            Request::new(O::Bar)
                .form("SYNC.DEFER_BLOCKING.I")
                .number(F::Imm, *number),
        )
    }
}
