//! Predicates in general registers: 0 or 1; or as bits of words that all share, where general registers are short as well. (ptxas 13.0.88 keeps them as bits.)

use rustc_hash::FxHashMap;
use warpsmith_sass::{
    FieldName, Opcode, RegisterClass,
    tables::{Cmp, Combine},
};

use super::{Origin, Spilled, Spiller, plan::Plan};
use crate::{
    allocate::{budget, ranges::Ranges},
    ir::{BlockId, Function, Instruction, Register, RegisterSet},
    select::{Request, SelectError, Selector, Test, Value},
};

/// Bits of a word.
const BITS: usize = 32;

/// Predicates that are worth a word that is live everywhere.
const WORTH: usize = 4;

/// `a & !b | c`
const MERGE: u32 = 0xba;

/// `a & b`
const AND: u32 = 0xc0;

/// Where a predicate is meanwhile.
#[derive(Clone, Copy, Debug)]
enum Home {
    /// In a register of its own, as 0 or 1.
    Own(Register),
    /// In this bit of a register.
    Bit(Register, u32),
}

/// Spills predicates.
pub(super) struct Predicates<'s> {
    selector: &'s Selector,
    homes: FxHashMap<Register, Home>,
    /// Registers whose bits are predicates.
    words: Vec<Register>,
}

impl<'s> Predicates<'s> {
    pub(super) fn new(selector: &'s Selector, function: &mut Function, plan: &Plan, ranges: &Ranges) -> Predicates<'s> {
        let mut predicates = Predicates {
            selector,
            homes: FxHashMap::default(),
            words: Vec::new(),
        };
        if !are_packed(function, plan, ranges) {
            return predicates;
        }
        for (index, register) in plan.spilled.iter().enumerate() {
            if index % BITS == 0 {
                predicates.words.push(function.register(RegisterClass::Gpr, 1));
            }
            let home = Home::Bit(predicates.words[index / BITS], 1 << (index % BITS));
            predicates.homes.insert(Register(*register), home);
        }
        predicates
    }

    /// Clears the words of which bits are predicates where the function starts: only bits are written later.
    pub(super) fn clear(&self, function: &mut Function, origins: &mut [Vec<Origin>]) -> Spilled {
        let (Some(entry), Some(origins)) = (function.blocks.first_mut(), origins.first_mut()) else {
            return Ok(());
        };
        let mut code = std::mem::take(&mut entry.code);
        for word in &self.words {
            let mut made = Vec::new();
            let request = Request::new(Opcode::Mov).to(*word).from(Value::Zero);
            self.selector.emit(function, &mut made, request)?;
            origins.splice(0..0, made.iter().map(|_| Origin::Added));
            code.splice(0..0, made);
        }
        function.blocks[0].code = code;
        Ok(())
    }

    fn home(&mut self, function: &mut Function, register: Register) -> Home {
        let home = self.homes.entry(register);
        *home.or_insert_with(|| Home::Own(function.register(RegisterClass::Gpr, 1)))
    }

    fn emit(
        &self,
        function: &mut Function,
        request: Request,
        code: &mut Vec<(Instruction, Origin)>,
    ) -> Result<(), SelectError> {
        let mut made = Vec::new();
        self.selector.emit(function, &mut made, request)?;
        code.extend(made.into_iter().map(|instruction| (instruction, Origin::Added)));
        Ok(())
    }
}

/// Whether predicates become bits: there are many, registers for each would not find room, nothing destroys the words, and the function's start is executed
/// once.
fn are_packed(function: &Function, plan: &Plan, ranges: &Ranges) -> bool {
    let spilled = plan.spilled.len();
    let room = budget::limit(function, RegisterClass::Gpr);
    if spilled < WORTH || ranges.most_live(function, RegisterClass::Gpr) + spilled as u32 <= room {
        return false;
    }
    let code = function.blocks.iter().flat_map(|block| &block.code);
    let destroys = |instruction: &Instruction| {
        let effects = instruction.effects.as_ref();
        effects.is_some_and(|effects| effects.clobbers != RegisterSet::default())
    };
    let starts_once = |block: u32| !function.successors(BlockId(block)).contains(&BlockId(0));
    !{ code }.any(destroys) && (0..function.blocks.len() as u32).all(starts_once)
}

impl Spiller for Predicates<'_> {
    fn load(
        &mut self,
        function: &mut Function,
        register: Register,
        _: &dyn Fn(u8) -> bool,
        code: &mut Vec<(Instruction, Origin)>,
    ) -> Spilled {
        let request = match self.home(function, register) {
            Home::Own(home) => Request::new(Opcode::Isetp)
                .sets(FieldName::Pu, register)
                .from(home)
                .from(Value::Zero)
                .with(Cmp::Ne)
                .with(Combine::And)
                .flag(FieldName::U32, true)
                .when(FieldName::Pp, Test::ALWAYS),
            Home::Bit(word, bit) => Request::new(Opcode::Lop3)
                .literal("LUT")
                .sets(FieldName::Pu, register)
                .from(word)
                .from(Value::Immediate(bit))
                .from(Value::Zero)
                .from(Value::Immediate(AND))
                .when(FieldName::Pp, Test::NEVER),
        };
        self.emit(function, request, code)
    }

    fn store(
        &mut self,
        function: &mut Function,
        register: Register,
        _: std::ops::Range<u8>,
        code: &mut Vec<(Instruction, Origin)>,
    ) -> Spilled {
        let (to, value) = match self.home(function, register) {
            Home::Own(home) => (home, 1),
            Home::Bit(_, bit) => (function.register(RegisterClass::Gpr, 1), bit),
        };
        let request = Request::new(Opcode::Sel)
            .to(to)
            .from(Value::Zero)
            .from(Value::Immediate(value))
            .when(FieldName::Pp, Test::from(register).opposite());
        self.emit(function, request, code)?;
        let Home::Bit(word, bit) = self.home(function, register) else {
            return Ok(());
        };
        let merge = Request::new(Opcode::Lop3)
            .literal("LUT")
            .to(word)
            .from(word)
            .from(Value::Immediate(bit))
            .from(to)
            .from(Value::Immediate(MERGE));
        self.emit(function, merge, code)
    }
}
