//! A function being rewritten: instructions are replaced in place or taken out, definitions and counts of uses kept up to date.
//!
//! Nothing is put in: what a rule makes takes the place of an instruction that it makes needless, so that numbers of instructions stay. A rule reads the
//! instructions that define its operands through [`Rewriter::view`], and may use an operand of theirs in place of their result if it is a value: it was
//! there when the result was made, and values do not change. What is no value may be used where nothing has written it since
//! ([`Rewriter::is_unchanged_since`]).

use std::{cell::RefCell, rc::Rc};

use smallvec::SmallVec;
use warpsmith_sass::{Access, Opcode, RegisterClass};
use warpsmith_target::Isa;

use super::values::Values;
use crate::{
    ir::{Function, Instruction, Register},
    phase::Context,
    select::{Request, Source, Value, Word},
};

/// No instruction.
const NONE: u32 = u32::MAX;

fn may_copy(instruction: &Instruction) -> bool {
    matches!(instruction.base.opcode(), Opcode::Mov | Opcode::Ldc)
}

/// How far apart two instructions may be of which the one takes over what the other reads, where that is no value.
const NEAR: u32 = 32;

/// How many requests are kept.
const VIEWS: usize = 1 << 12;

pub(crate) struct Rewriter<'a> {
    pub(crate) function: &'a mut Function,
    pub(crate) context: &'a Context<'a>,
    pub(crate) values: Values,
    /// For each word, the instruction that defines it, if it is a value.
    definer: Vec<u32>,
    /// For each word, how often it is read.
    uses: Vec<u32>,
    removed: Vec<bool>,
    removals: usize,
    /// Instructions that may copy a register or a constant: by their opcode.
    moves: Vec<bool>,
    /// Requests that were worked out lately, each in the place of its number's low bits.
    views: RefCell<Vec<(u32, Option<Rc<Request>>)>>,
    /// Registers that nothing touches yet.
    spare: Vec<Register>,
    /// The instruction that the rules are asked about.
    pub(crate) current: u32,
}

impl<'a> Rewriter<'a> {
    pub(crate) fn new(function: &'a mut Function, context: &'a Context<'a>) -> Rewriter<'a> {
        // One for each sum of 64 bits: see `address`.
        let sums = if function.isa().index() < Isa::Sm90.index() {
            let code = function.blocks.iter().flat_map(|block| &block.code);
            code.filter(|i| i.base.opcode() == Opcode::Iadd3 && i.base.form().name.starts_with('X'))
                .count()
        } else {
            0
        };
        // The last made is the last taken, so that what is left over can be given back.
        let mut spare: Vec<Register> = (0..sums).map(|_| function.register(RegisterClass::Gpr, 1)).collect();
        spare.reverse();
        let values = Values::of(function);
        let definer = (0..values.words())
            .map(|word| values.definition(word).unwrap_or(NONE))
            .collect();
        let uses = (0..values.words()).map(|word| values.uses(word).len() as u32).collect();
        let removed = vec![false; values.instructions()];
        let moves = function
            .blocks
            .iter()
            .flat_map(|block| &block.code)
            .map(may_copy)
            .collect();
        Rewriter {
            function,
            moves,
            context,
            values,
            definer,
            uses,
            views: RefCell::new(vec![(NONE, None); removed.len().next_power_of_two().min(VIEWS)]),
            removed,
            removals: 0,
            spare,
            current: 0,
        }
    }

    /// The numbers of all instructions that are reached, each after those that dominate it.
    pub(crate) fn order(&self) -> Vec<u32> {
        let mut order = Vec::with_capacity(self.values.instructions());
        for &block in &self.values.dominance.order {
            order.extend(self.values.number(block, 0)..self.values.number(block + 1, 0));
        }
        order
    }

    #[inline]
    pub(crate) fn instruction(&self, number: u32) -> &Instruction {
        self.values.instruction(self.function, number)
    }

    /// Whether an instruction may copy a register or a constant.
    #[inline]
    pub(crate) fn may_copy(&self, number: u32) -> bool {
        self.moves[number as usize]
    }

    #[inline]
    pub(crate) fn is_removed(&self, number: u32) -> bool {
        self.removed[number as usize]
    }

    /// The request behind an instruction, if it has one.
    pub(crate) fn view(&self, number: u32) -> Option<Rc<Request>> {
        if self.is_removed(number) {
            return None;
        }
        let mut views = self.views.borrow_mut();
        let place = number as usize & (views.len() - 1);
        let view = views.get_mut(place)?;
        if view.0 != number {
            *view = (number, Request::of(self.instruction(number)).map(Rc::new));
        }
        view.1.clone()
    }

    /// The instruction that defines a word, if the word is a value.
    #[inline]
    pub(crate) fn definer(&self, word: Word) -> Option<u32> {
        let number = self.definer[self.values.word(word.register, word.word)];
        (number != NONE && !self.removed[number as usize]).then_some(number)
    }

    /// Whether a word is a value.
    pub(crate) fn is_value(&self, word: Word) -> bool {
        self.values.is_value(self.values.word(word.register, word.word))
    }

    /// Whether a source stays what it is: a value, or no register at all.
    pub(crate) fn is_steady(&self, source: &Source) -> bool {
        match source.value {
            Value::Register(word) => self.is_value(word),
            Value::Zero | Value::Immediate(_) | Value::Constant(..) => true,
        }
    }

    /// Whether a source that an instruction reads still holds the same at the current instruction: it is steady, or both are in one block, near each other, and
    /// nothing between writes it.
    pub(crate) fn is_unchanged_since(&self, number: u32, source: &Source) -> bool {
        let Value::Register(word) = source.value else {
            return true;
        };
        self.is_value(word) || self.is_unchanged_between(number, self.current, word)
    }

    /// Whether a word that one instruction reads still holds the same at a later one of its block, near it.
    pub(crate) fn is_unchanged_between(&self, number: u32, later: u32, word: Word) -> bool {
        let near = number < later && later - number <= NEAR;
        let writes = |instruction: &Instruction| {
            instruction.touches().any(|touch| {
                let covers = (touch.word..touch.word + touch.words).contains(&word.word);
                touch.access != Access::Read && touch.register == word.register && covers
            })
        };
        near && self.values.block_of(number) == self.values.block_of(later)
            && !(number + 1..later).any(|between| writes(self.instruction(between)))
    }

    /// How often a word is read.
    pub(crate) fn uses(&self, word: Word) -> u32 {
        self.uses[self.values.word(word.register, word.word)]
    }

    /// Whether a word is a value that is read once.
    pub(crate) fn is_single(&self, word: Word) -> bool {
        self.is_value(word) && self.uses(word) == 1
    }

    /// The instructions that read a word, if it is a value and they are all known: what came to read it by a rewrite is not.
    pub(crate) fn readers(&self, word: Word) -> Option<SmallVec<[u32; 4]>> {
        if !self.is_value(word) {
            return None;
        }
        let reads = |number: &u32| {
            let mut touches = self.instruction(*number).touches();
            touches.any(|touch| {
                let covers = (touch.word..touch.word + touch.words).contains(&word.word);
                touch.access != Access::Write && touch.register == word.register && covers
            })
        };
        let first = self.values.uses(self.values.word(word.register, word.word));
        let mut readers: SmallVec<[u32; 4]> = first
            .iter()
            .copied()
            .filter(|number| !self.is_removed(*number))
            .collect();
        readers.retain(|number| reads(number));
        (readers.len() == self.uses(word) as usize).then_some(readers)
    }

    /// The instruction that makes the value of a source, and its request: for a source that is a value with nothing done to it.
    pub(crate) fn made(&self, source: &Source) -> Option<(u32, Rc<Request>)> {
        let Value::Register(word) = source.value else {
            return None;
        };
        let number = self.definer(word)?;
        let request = self.view(number)?;
        (!request.is_guarded()).then_some((number, request))
    }

    /// As [`Rewriter::made`], if the instruction writes exactly this word and has this opcode and these literals.
    pub(crate) fn made_by(&self, source: &Source, opcode: Opcode, literals: &str) -> Option<(u32, Rc<Request>)> {
        let Value::Register(word) = source.value else {
            return None;
        };
        let number = self.definer(word)?;
        let base = &self.instruction(number).base;
        if base.opcode() != opcode {
            return None;
        }
        let (number, request) = self.made(source)?;
        (request.literals() == literals && request.destination() == Some(word)).then_some((number, request))
    }

    fn count(&mut self, number: u32, up: bool) {
        let (block, index) = self.values.place(number);
        let (values, uses) = (&self.values, &mut self.uses);
        self.function.blocks[block].code[index].touches().for_each(|touch| {
            if touch.access == Access::Write {
                return;
            }
            let first = values.word(touch.register, touch.word);
            for uses in &mut uses[first..first + usize::from(touch.words)] {
                *uses = if up { *uses + 1 } else { uses.saturating_sub(1) };
            }
        });
    }

    /// Puts another instruction in the place of one. What it writes, it defines from now on.
    pub(crate) fn replace(&mut self, number: u32, instruction: Instruction) {
        self.count(number, false);
        let (block, index) = self.values.place(number);
        for touch in instruction.touches().filter(|touch| touch.access != Access::Read) {
            for word in touch.word..touch.word + touch.words {
                let word = self.values.word(touch.register, word);
                if self.values.is_value(word) {
                    self.definer[word] = number;
                }
            }
        }
        self.moves[number as usize] = may_copy(&instruction);
        self.function.blocks[block].code[index] = instruction;
        let views = self.views.get_mut();
        let place = number as usize & (views.len() - 1);
        if let Some(view) = views.get_mut(place).filter(|view| view.0 == number) {
            *view = (NONE, None);
        }
        self.count(number, true);
    }

    /// Takes an instruction out.
    pub(crate) fn remove(&mut self, number: u32) {
        if !self.removed[number as usize] {
            self.count(number, false);
            self.removed[number as usize] = true;
            self.removals += 1;
        }
    }

    /// Makes the request's instruction at the place of an instruction, if the generation has it and there is fuel.
    pub(crate) fn rewrite(&mut self, number: u32, request: &Request) -> bool {
        match self.built(number, request) {
            Some(instruction) => self.put(number, instruction),
            None => false,
        }
    }

    /// The request's instruction, with the source place of another.
    pub(crate) fn built(&self, number: u32, request: &Request) -> Option<Instruction> {
        let selector = self.context.selector;
        selector.replacement(self.function, self.instruction(number), request)
    }

    /// Puts an instruction in, if there is fuel.
    pub(crate) fn put(&mut self, number: u32, instruction: Instruction) -> bool {
        if !self.context.fuel.take() {
            return false;
        }
        self.replace(number, instruction);
        true
    }

    /// Puts two instructions in that are right only together, if there is fuel.
    pub(crate) fn put_both(&mut self, first: (u32, Instruction), second: (u32, Instruction)) -> bool {
        if !self.context.fuel.take() {
            return false;
        }
        self.replace(first.0, first.1);
        self.replace(second.0, second.1);
        true
    }

    /// A register of one word that nothing touches yet; what defines it must dominate its uses.
    pub(crate) fn fresh(&mut self) -> Option<Word> {
        let register = self.spare.pop()?;
        self.values.promote(self.values.word(register, 0));
        Some(register.into())
    }

    /// The file of a register.
    pub(crate) fn class(&self, register: Register) -> RegisterClass {
        self.function.info(register).class
    }

    /// Takes out what was removed.
    pub(crate) fn finish(mut self) {
        let left = self.spare.len();
        self.spare.clear();
        self.function.registers.truncate(self.function.registers.len() - left);
        if self.removals == 0 {
            return;
        }
        let mut number = 0;
        for block in &mut self.function.blocks {
            block.code.retain(|_| {
                number += 1;
                !self.removed[number - 1]
            });
        }
    }
}
