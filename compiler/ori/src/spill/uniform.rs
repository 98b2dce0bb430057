//! Uniform registers in general registers: what is the same in all threads of a warp each of them can keep.

use rustc_hash::FxHashMap;
use warpsmith_sass::{FieldName, Opcode, RegisterClass};

use super::{Origin, Spilled, Spiller};
use crate::{
    ir::{Function, Instruction, Register},
    select::{Request, Selector},
};

/// Spills uniform registers.
pub(super) struct Uniform<'s> {
    selector: &'s Selector,
    /// For each, the general registers of its words.
    homes: FxHashMap<Register, Vec<Register>>,
}

impl<'s> Uniform<'s> {
    pub(super) fn new(selector: &'s Selector) -> Uniform<'s> {
        Uniform {
            selector,
            homes: FxHashMap::default(),
        }
    }

    fn home(&mut self, function: &mut Function, register: Register, word: u8) -> Register {
        let words = function.info(register).words;
        let home = self.homes.entry(register);
        let home = home.or_insert_with(|| (0..words).map(|_| function.register(RegisterClass::Gpr, 1)).collect());
        home[usize::from(word)]
    }

    fn add(&self, function: &mut Function, request: Request, code: &mut Vec<(Instruction, Origin)>) -> Spilled {
        let mut made = Vec::new();
        self.selector.emit(function, &mut made, request)?;
        code.extend(made.into_iter().map(|instruction| (instruction, Origin::Added)));
        Ok(())
    }
}

impl Spiller for Uniform<'_> {
    fn load(
        &mut self,
        function: &mut Function,
        register: Register,
        needed: &dyn Fn(u8) -> bool,
        code: &mut Vec<(Instruction, Origin)>,
    ) -> Spilled {
        for word in (0..function.info(register).words).filter(|word| needed(*word)) {
            let home = self.home(function, register, word);
            let request = Request::new(Opcode::R2ur)
                .form("UR_R")
                .to(register.word(word))
                .at(FieldName::Ra, home);
            self.add(function, request, code)?;
        }
        Ok(())
    }

    fn store(
        &mut self,
        function: &mut Function,
        register: Register,
        words: std::ops::Range<u8>,
        code: &mut Vec<(Instruction, Origin)>,
    ) -> Spilled {
        for word in words {
            let home = self.home(function, register, word);
            let request = Request::new(Opcode::Mov).to(home).from(register.word(word));
            self.add(function, request, code)?;
        }
        Ok(())
    }
}
