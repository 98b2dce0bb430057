//! Uniform predicates in predicates of the threads: what is the same in all threads of a warp each of them can keep. A predicate for which there is no room
//! either goes on to a general register ([`super::predicate`]).

use rustc_hash::FxHashMap;
use warpsmith_sass::{FieldName, Opcode, RegisterClass};

use super::{Origin, Spilled, Spiller};
use crate::{
    ir::{Function, Instruction, Register},
    select::{Request, Selector, Test},
};

/// The table of `PLOP3` that gives the conjunction of its three operands.
pub(crate) const CONJUNCTION: u64 = 0x80;

/// Spills uniform predicates.
pub(super) struct UniformPredicates<'s> {
    selector: &'s Selector,
    /// The predicate of each.
    homes: FxHashMap<Register, Register>,
}

impl<'s> UniformPredicates<'s> {
    pub(super) fn new(selector: &'s Selector) -> UniformPredicates<'s> {
        UniformPredicates {
            selector,
            homes: FxHashMap::default(),
        }
    }

    fn home(&mut self, function: &mut Function, register: Register) -> Register {
        let home = self.homes.entry(register);
        *home.or_insert_with(|| function.register(RegisterClass::Predicate, 1))
    }

    fn add(&self, function: &mut Function, request: Request, code: &mut Vec<(Instruction, Origin)>) -> Spilled {
        let mut made = Vec::new();
        self.selector.emit(function, &mut made, request)?;
        code.extend(made.into_iter().map(|instruction| (instruction, Origin::Added)));
        Ok(())
    }
}

impl Spiller for UniformPredicates<'_> {
    fn load(
        &mut self,
        function: &mut Function,
        register: Register,
        _: &dyn Fn(u8) -> bool,
        code: &mut Vec<(Instruction, Origin)>,
    ) -> Spilled {
        let home = self.home(function, register);
        let request = Request::new(Opcode::Voteu)
            .form("UP_P")
            .text(FieldName::Mode, "ANY")
            .sets(FieldName::UPu, register)
            .when(FieldName::Pp, home);
        self.add(function, request, code)
    }

    fn store(
        &mut self,
        function: &mut Function,
        register: Register,
        _: std::ops::Range<u8>,
        code: &mut Vec<(Instruction, Origin)>,
    ) -> Spilled {
        let home = self.home(function, register);
        let request = Request::new(Opcode::Plop3)
            .form("LUT.P_P_P_P_UP_I_I")
            .sets(FieldName::Pu, home)
            .when(FieldName::Pp, Test::ALWAYS)
            .when(FieldName::Pq, Test::ALWAYS)
            .when(FieldName::UPr, register)
            .number(FieldName::Imm, CONJUNCTION);
        self.add(function, request, code)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        ir::Block,
        phase::{Context, Fuel, Options},
        select::Value,
    };
    use warpsmith_sass::tables::{Cmp, Combine};

    /// Ten uniform predicates live at once: the checker of allocation finds each where it is read.
    #[test]
    fn more_than_there_are() {
        for target in ["sm_90", "sm_100", "sm_103", "sm_110", "sm_120"] {
            let sm: warpsmith_target::Sm = target.parse().expect("a known target");
            let (selector, fuel, options) = (Selector::new(sm.isa()), Fuel::new(None), Options::default());
            let context = Context {
                selector: &selector,
                options: &options,
                fuel: &fuel,
            };
            let mut function = Function::new("k", sm);
            let mut code = Vec::new();
            let mut emit = |function: &mut Function, request: Request| {
                selector.emit(function, &mut code, request).expect("the target has it");
            };
            let sum = function.register(RegisterClass::Gpr, 1);
            let read = Request::new(Opcode::S2r).form("R_S").to(sum);
            emit(&mut function, read.text(FieldName::SpecialRegister, "SR_TID.X"));
            let mut uniform = Vec::new();
            for number in 0..10 {
                let (predicate, own) = (
                    function.register(RegisterClass::Predicate, 1),
                    function.register(RegisterClass::UniformPredicate, 1),
                );
                let compare = Request::new(Opcode::Isetp)
                    .sets(FieldName::Pu, predicate)
                    .from(sum)
                    .from(Value::Immediate(number))
                    .with(Cmp::Ne)
                    .with(Combine::And)
                    .flag(FieldName::U32, true)
                    .when(FieldName::Pp, Test::ALWAYS);
                emit(&mut function, compare);
                let vote = Request::new(Opcode::Voteu).form("UP_P").text(FieldName::Mode, "ANY");
                emit(
                    &mut function,
                    vote.sets(FieldName::UPu, own).when(FieldName::Pp, predicate),
                );
                uniform.push(own);
            }
            for own in uniform {
                let predicate = function.register(RegisterClass::Predicate, 1);
                let copy = Request::new(Opcode::Plop3)
                    .form("LUT.P_P_P_P_UP_I_I")
                    .sets(FieldName::Pu, predicate)
                    .when(FieldName::Pp, Test::ALWAYS)
                    .when(FieldName::Pq, Test::ALWAYS)
                    .when(FieldName::UPr, own)
                    .number(FieldName::Imm, CONJUNCTION);
                emit(&mut function, copy);
                let add = Request::new(Opcode::Iadd3).to(sum).from(sum).from(Value::Immediate(3));
                emit(&mut function, add.from(Value::Zero).guarded(Test::from(predicate)));
            }
            emit(&mut function, Request::new(Opcode::Exit).form("none"));
            function.blocks.push(Block { code });
            crate::allocate::run(&mut function, &context).unwrap_or_else(|error| panic!("{target}: {error}"));
            let votes = function.blocks[0].code.iter();
            let votes = votes.filter(|instruction| instruction.base.opcode() == Opcode::Voteu);
            assert!(votes.count() > 10, "{target}");
        }
    }
}
