//! Logic of predicates, and the spaces of addresses.

use warpsmith_ptx::{
    instruction::Variant,
    module::Operand,
    table::{Modifier as M, Type},
};
use warpsmith_sass::{FieldName as F, Opcode as O};

use super::{Lowered, Lowering, Stop, steps::A};
use crate::{
    ir::Register,
    select::{Request, Test},
};

impl Lowering<'_> {
    /// A predicate that is written: a new one for `_`.
    pub(crate) fn predicate_destination(&mut self, operand: Option<&Operand>) -> Lowered<Register> {
        match operand {
            Some(Operand::Sink) => Ok(self.predicate()),
            operand => self.destination(operand),
        }
    }

    /// A function of two predicates.
    pub(crate) fn predicate_logic(&mut self, a: Test, b: Test, table: u32) -> Request {
        Request::new(O::Plop3)
            .form("LUT.P_P_P_P_P_I_I")
            .when(F::Pp, a)
            .when(F::Pq, b)
            .when(F::Pr, Test::ALWAYS)
            .number(F::Imm, u64::from(table & 0xff))
    }

    /// `mov.pred`, and `not.pred`, whose operand is the opposite.
    pub(super) fn move_predicate(&mut self, operands: &[Operand]) -> Lowered {
        self.combine_predicates(operands, A)
    }

    /// `and.pred` and its like: of two operands, or one.
    pub(super) fn combine_predicates(&mut self, operands: &[Operand], table: u32) -> Lowered {
        let to = self.predicate_destination(operands.first())?;
        if let Some(Operand::Special(special, _)) = operands.get(1) {
            return Err(Stop::Unsupported(Some(special.name().to_string())));
        }
        let a = self.test(operands.get(1))?;
        let b = match operands.get(2) {
            Some(operand) => self.test(Some(operand))?,
            None => Test::ALWAYS,
        };
        let request = self.predicate_logic(a, b, table);
        self.emit(request.sets(F::Pu, to))
    }

    /// `isspacep`
    pub(super) fn is_space(&mut self, variant: &Variant, operands: &[Operand]) -> Lowered {
        let space = if variant.has(M::Shared) || variant.has(M::SharedCta) {
            "S"
        } else if variant.has(M::Local) {
            "L"
        } else if variant.has(M::Global) {
            // ptxas also excludes a window of constant memory by comparisons that never hold. (Observed, ptxas 13.0.88, sm_80 and sm_90.)
            "G"
        } else {
            return Err(Stop::Unsupported(Some("this state space".to_string())));
        };
        let to = self.predicate_destination(operands.first())?;
        let address = self.value(operands.get(1), Type::U64)?;
        let address = self.paired(&address)?;
        self.emit(
            Request::new(O::Qspc)
                .form("P_R_A")
                .sets(F::Pu, to)
                .at(F::Ra, address)
                .text(F::Address64, "E")
                .text(F::Space, space),
        )
    }
}
