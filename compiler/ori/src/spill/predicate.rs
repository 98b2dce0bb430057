//! Predicates in general registers: 0 or 1.

use rustc_hash::FxHashMap;
use warpsmith_sass::{
    FieldName, Opcode, RegisterClass,
    tables::{Cmp, Combine},
};

use super::{Origin, Spilled, Spiller};
use crate::{
    ir::{Function, Instruction, Register},
    select::{Request, Selector, Test, Value},
};

/// Spills predicates.
pub(super) struct Predicates<'s> {
    selector: &'s Selector,
    /// The general register of each.
    homes: FxHashMap<Register, Register>,
}

impl<'s> Predicates<'s> {
    pub(super) fn new(selector: &'s Selector, _: &Function) -> Predicates<'s> {
        Predicates {
            selector,
            homes: FxHashMap::default(),
        }
    }

    fn home(&mut self, function: &mut Function, register: Register) -> Register {
        let home = self.homes.entry(register);
        *home.or_insert_with(|| function.register(RegisterClass::Gpr, 1))
    }
}

impl Spiller for Predicates<'_> {
    fn load(
        &mut self,
        function: &mut Function,
        register: Register,
        _: &dyn Fn(u8) -> bool,
        code: &mut Vec<(Instruction, Origin)>,
    ) -> Spilled {
        let home = self.home(function, register);
        let request = Request::new(Opcode::Isetp)
            .sets(FieldName::Pu, register)
            .from(home)
            .from(Value::Zero)
            .with(Cmp::Ne)
            .with(Combine::And)
            .flag(FieldName::U32, true)
            .when(FieldName::Pp, Test::ALWAYS);
        let mut made = Vec::new();
        self.selector.emit(function, &mut made, request)?;
        code.extend(made.into_iter().map(|instruction| (instruction, Origin::Added)));
        Ok(())
    }

    fn store(
        &mut self,
        function: &mut Function,
        register: Register,
        _: std::ops::Range<u8>,
        code: &mut Vec<(Instruction, Origin)>,
    ) -> Spilled {
        let home = self.home(function, register);
        let request = Request::new(Opcode::Sel)
            .to(home)
            .from(Value::Zero)
            .from(Value::Immediate(1))
            .when(FieldName::Pp, Test::from(register).opposite());
        let mut made = Vec::new();
        self.selector.emit(function, &mut made, request)?;
        code.extend(made.into_iter().map(|instruction| (instruction, Origin::Added)));
        Ok(())
    }
}
