//! Logic of predicates, and the spaces of addresses.

use warpsmith_ptx::{
    instruction::Variant,
    module::Operand,
    table::{Modifier as M, Type},
};
use warpsmith_sass::{
    FieldName as F, Opcode as O,
    tables::{Cmp, Combine},
};

use super::{
    Lowered, Lowering, Stop,
    memory::Space,
    steps::{A, number},
};
use crate::{
    ir::Register,
    select::{Request, Source, Test, Value, inverted, negated},
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
        let a = match operands.get(1) {
            Some(Operand::Special(special, _)) if special.name() == "%is_explicit_cluster" => self.in_cluster()?.into(),
            Some(Operand::Special(special, _)) => {
                return Err(Stop::Unsupported(Some(special.name().to_string())));
            }
            operand => self.test(operand)?,
        };
        let b = match operands.get(2) {
            Some(operand) => self.test(Some(operand))?,
            None => Test::ALWAYS,
        };
        let request = self.predicate_logic(a, b, table);
        self.emit(request.sets(F::Pu, to))
    }

    /// Whether an address is among so many bytes from a place in a space on. (ptxas compares with both ends.)
    fn is_in_window(&mut self, operands: &[Operand], (space, first): (Space, Source), size: u32) -> Lowered<Register> {
        let address = self.value(operands.get(1), Type::U64)?;
        let start = self.change_space(space, true, [first, Value::Zero.into()])?;
        let minus = self.temporary(2);
        let carry = self.predicate();
        self.emit_bare(
            Request::new(O::Iadd3)
                .to(minus.word(0))
                .sets(F::Pu, carry)
                .from(address[0])
                .from(negated(start.word(0)))
                .from(Value::Zero),
        )?;
        self.emit_bare(
            Request::new(O::Iadd3)
                .literal("X")
                .to(minus.word(1))
                .from(address[1])
                .from(inverted(start.word(1)))
                .from(Value::Zero)
                .when(F::Pp, carry)
                .when(F::Pq, Test::NEVER),
        )?;
        let near = self.compare_words(Cmp::Eq, true, minus.word(1), Value::Zero, Combine::And, Test::ALWAYS)?;
        self.compare_words(Cmp::Lt, true, minus.word(0), number(size), Combine::And, near.into())
    }

    /// `isspacep`
    pub(super) fn is_space(&mut self, variant: &Variant, operands: &[Operand]) -> Lowered {
        let constant_bytes = self.plan.banks.constant_end() as u32;
        if variant.has(M::Const) {
            let to = self.predicate_destination(operands.first())?;
            let within = self.is_in_window(operands, (Space::Constant, Value::Zero.into()), constant_bytes)?;
            let copy = self.predicate_logic(within.into(), Test::ALWAYS, 0xc0);
            return self.emit(copy.sets(F::Pu, to));
        }
        if variant.has(M::Param) || variant.has(M::ParamEntry) {
            if !self.function.kernel {
                return Err(Stop::Unsupported(Some(
                    "the parameters of whichever kernel".to_string(),
                )));
            }
            let parameters = self.function.parameters.iter();
            let size = parameters.map(|parameter| parameter.offset + parameter.size).max();
            let first = number(u32::from(self.function.constants().parameters));
            let to = self.predicate_destination(operands.first())?;
            let within = self.is_in_window(operands, (Space::Parameter, first), size.unwrap_or(0))?;
            let copy = self.predicate_logic(within.into(), Test::ALWAYS, 0xc0);
            return self.emit(copy.sets(F::Pu, to));
        }
        let space = if variant.has(M::SharedCluster) {
            "D"
        } else if variant.has(M::Shared) || variant.has(M::SharedCta) {
            "S"
        } else if variant.has(M::Local) {
            "L"
        } else if variant.has(M::Global) {
            "G"
        } else {
            return Err(Stop::Unsupported(Some("this state space".to_string())));
        };
        let to = self.predicate_destination(operands.first())?;
        let address = self.value(operands.get(1), Type::U64)?;
        let address = self.paired(&address)?;
        let ask = Request::new(O::Qspc)
            .form("P_R_A")
            .at(F::Ra, address)
            .text(F::Address64, "E")
            .text(F::Space, space);
        if space != "G" || constant_bytes == 0 {
            return self.emit(ask.sets(F::Pu, to));
        }
        // Constant variables lie in global memory. (Observed, ptxas 13.0.88: it excludes their window.)
        let outer = self.predicate();
        self.emit_bare(ask.sets(F::Pu, outer))?;
        let constant = self.is_in_window(operands, (Space::Constant, Value::Zero.into()), constant_bytes)?;
        let both = self.predicate_logic(outer.into(), Test::from(constant).opposite(), 0xc0);
        self.emit(both.sets(F::Pu, to))
    }
}
