//! The stack pointer: `alloca`, `stacksave`, `stackrestore`.

use warpsmith_ptx::{module::Operand, table::Type};
use warpsmith_sass::Opcode as O;

use super::{Lowered, Lowering, UNSUPPORTED, call::STACK_ALIGNMENT, variables::unsupported};
use crate::{
    ir::Register,
    select::{Request, Value, Word},
};

impl Lowering<'_> {
    /// `stacksave`
    pub(super) fn save_stack(&mut self, operands: &[Operand]) -> Lowered {
        let to = self.destination(operands.first())?;
        let stack = self.function.stack_pointer();
        self.emit(Request::new(O::Mov).to(to).from(stack))?;
        if self.function.info(to).words == 2 {
            self.emit(Request::new(O::Mov).to(to.word(1)).from(Value::Zero))?;
        }
        Ok(())
    }

    /// `stackrestore`
    pub(super) fn restore_stack(&mut self, operands: &[Operand]) -> Lowered {
        let from = self.source(operands.first(), Type::U32)?;
        let stack = self.function.stack_pointer();
        self.emit(Request::new(O::Mov).to(stack).from(from))
    }

    fn low_word(&mut self, operand: Option<&Operand>) -> Lowered<Register> {
        let source = self.source(operand, Type::U32)?;
        self.step(Request::new(O::Mov).from(source))
    }

    /// `alloca`: the stack pointer goes down. The arguments of calls stay below what is allocated.
    pub(super) fn alloca(&mut self, operands: &[Operand]) -> Lowered {
        let to = self.destination(operands.first())?;
        let bytes = self.low_word(operands.get(1))?;
        let alignment = match operands.get(2) {
            Some(Operand::Integer(value, _)) => u32::try_from(*value).map_err(|_| UNSUPPORTED)?,
            Some(_) => return Err(UNSUPPORTED),
            None => 8,
        };
        if !alignment.is_power_of_two() || alignment > 1 << 16 {
            return unsupported("this alignment");
        }
        let alignment = alignment.max(STACK_ALIGNMENT);
        if self.calls.outgoing != 0 && alignment > STACK_ALIGNMENT {
            return unsupported("this alignment with arguments of calls on the stack");
        }
        let stack = self.function.stack_pointer();
        let lower = self.step(
            Request::new(O::Iadd3)
                .from(stack)
                .from(crate::select::negated(Word::from(bytes)))
                .from(Value::Zero),
        )?;
        let mask = Value::Immediate(alignment.wrapping_neg());
        let lower = self.step(super::steps::logic(lower, mask, Value::Zero, 0xc0))?;
        self.emit(Request::new(O::Mov).to(stack).from(lower))?;
        let outgoing = self.calls.outgoing.next_multiple_of(STACK_ALIGNMENT);
        let place = super::variables::immediate(outgoing);
        self.emit(Request::new(O::Iadd3).to(to).from(lower).from(place).from(Value::Zero))?;
        if self.function.info(to).words == 2 {
            self.emit(Request::new(O::Mov).to(to.word(1)).from(Value::Zero))?;
        }
        Ok(())
    }

    /// Keeps the frame where the stack pointer starts.
    pub(super) fn keep_frame(&mut self) -> Lowered {
        let Some(frame) = self.function.frame else {
            return Ok(());
        };
        let stack = self.function.stack_pointer();
        self.at_entry(vec![Request::new(O::Mov).to(frame).from(stack)])
    }
}
