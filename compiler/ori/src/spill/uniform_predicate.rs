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
    fn load(&mut self, function: &mut Function, register: Register, code: &mut Vec<(Instruction, Origin)>) -> Spilled {
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
