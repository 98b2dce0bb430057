//! Uniform registers in general registers: what is the same in all threads of a warp each of them can keep. Constants are written again instead.

use rustc_hash::FxHashMap;
use warpsmith_sass::{Access, FieldName, Opcode, RegisterClass};

use super::{Origin, Spilled, Spiller, again::again};
use crate::{
    ir::{Function, Instruction, Register},
    select::{Request, Selector},
};

/// Whether an instruction writes a constant into a uniform register, in all threads.
pub(super) fn is_constant(instruction: &Instruction) -> bool {
    let plain = instruction.guard.is_none() && instruction.effects.is_none() && instruction.reference.is_none();
    plain
        && instruction.base.opcode() == Opcode::Umov
        && instruction
            .touches()
            .all(|touch| touch.access == Access::Write && touch.words == 1)
}

/// The words of uniform registers that are written once, and that a constant.
#[derive(Debug, Default)]
pub(super) struct Constants(FxHashMap<(Register, u8), (usize, usize)>);

impl Constants {
    pub(super) fn of(function: &Function) -> Constants {
        let mut found: FxHashMap<(Register, u8), Option<(usize, usize)>> = FxHashMap::default();
        for (block, code) in function.blocks.iter().enumerate() {
            for (index, instruction) in code.code.iter().enumerate() {
                let place = Some((block, index)).filter(|_| is_constant(instruction));
                for touch in instruction.touches().filter(|touch| touch.access != Access::Read) {
                    if function.info(touch.register).class != RegisterClass::UniformGpr {
                        continue;
                    }
                    for word in touch.word..touch.word + touch.words {
                        let known = found.entry((touch.register, word));
                        known.and_modify(|known| *known = None).or_insert(place);
                    }
                }
            }
        }
        Constants(
            found
                .into_iter()
                .filter_map(|(word, place)| Some((word, place?)))
                .collect(),
        )
    }

    /// For each register, whether all of its words are such.
    pub(super) fn registers(&self, function: &Function) -> Vec<bool> {
        let all = |(index, words): (u32, u8)| (0..words).all(|word| self.0.contains_key(&(Register(index), word)));
        let words = function.registers.iter().map(|info| info.words);
        (0..).zip(words).map(all).collect()
    }
}

/// Spills uniform registers.
pub(super) struct Uniform<'s> {
    selector: &'s Selector,
    /// For each, the general registers of its words.
    homes: FxHashMap<Register, Vec<Register>>,
    /// What writes those words again that are constant.
    constants: FxHashMap<(Register, u8), (Instruction, Origin)>,
}

impl<'s> Uniform<'s> {
    pub(super) fn new(
        selector: &'s Selector,
        function: &Function,
        origins: &[Vec<Origin>],
        spilled: &[u32],
    ) -> Uniform<'s> {
        let constants = Constants::of(function).0.into_iter();
        let constants = constants.filter_map(|(word, (block, index))| {
            spilled.binary_search(&word.0.0).ok()?;
            let origin = again(origins[block][index])?;
            Some((word, (function.blocks[block].code[index].clone(), origin)))
        });
        Uniform {
            selector,
            homes: FxHashMap::default(),
            constants: constants.collect(),
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
            if let Some(constant) = self.constants.get(&(register, word)) {
                code.push(constant.clone());
                continue;
            }
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
            if self.constants.contains_key(&(register, word)) {
                continue;
            }
            let home = self.home(function, register, word);
            let request = Request::new(Opcode::Mov).to(home).from(register.word(word));
            self.add(function, request, code)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        ir::Block,
        select::{Test, Value},
    };

    #[test]
    fn what_is_written_once_for_all_threads_is_a_constant() {
        let mut function = Function::new("k", "sm_100a".parse().expect("a known target"));
        let selector = Selector::new(function.isa());
        let [once, twice, some] = [1, 1, 2].map(|words| function.register(RegisterClass::UniformGpr, words));
        let test = Test::from(function.register(RegisterClass::UniformPredicate, 1));
        let mut code = Vec::new();
        let mut write = |function: &mut Function, request: Request| {
            let request = request.from(Value::Immediate(7));
            selector.emit(function, &mut code, request).expect("the target has it");
        };
        write(&mut function, Request::new(Opcode::Umov).to(once));
        write(&mut function, Request::new(Opcode::Umov).to(twice));
        write(&mut function, Request::new(Opcode::Umov).to(twice));
        write(&mut function, Request::new(Opcode::Umov).to(some.word(0)));
        write(&mut function, Request::new(Opcode::Umov).to(some.word(1)).guarded(test));
        function.blocks.push(Block { code });
        let constants = Constants::of(&function);
        let words: Vec<bool> = [once.word(0), twice.word(0), some.word(0), some.word(1)]
            .map(|word| constants.0.contains_key(&(word.register, word.word)))
            .to_vec();
        assert_eq!(words, [true, false, true, false]);
        assert_eq!(constants.registers(&function)[..3], [true, false, false]);
    }
}
