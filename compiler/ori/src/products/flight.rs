//! What products leave in flight, along the ways through a function.

use std::collections::BTreeMap;

use warpsmith_sass::{Access, FieldName as F, Flow, RegisterClass};

use super::{Role, role};
use crate::ir::{Function, Instruction, Register};

/// Groups are counted up to here: no wait leaves so many in flight.
const MANY: u8 = 9;

/// A word of a register that products in flight use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Flight {
    /// Groups ended since the youngest of them was issued, its own included; 0: its group is open.
    pub(super) age: u8,
    /// It is among the accumulators, and not only of the left matrix.
    pub(super) sums: bool,
    /// The first word of the accumulators; two products in flight may have the same ones, and otherwise share none.
    tuple: u32,
}

/// The words in flight at a place, by number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Flights(pub(super) BTreeMap<u32, Flight>);

/// The numbers of the words of registers.
pub(super) struct Words {
    first: Vec<u32>,
}

impl Words {
    pub(super) fn of(function: &Function) -> Words {
        let mut first = Vec::with_capacity(function.registers.len());
        let mut next = 0;
        for info in &function.registers {
            first.push(next);
            next += u32::from(info.words);
        }
        Words { first }
    }

    pub(super) fn number(&self, register: Register, word: u8) -> u32 {
        self.first[register.0 as usize] + u32::from(word)
    }

    /// The register of a word.
    pub(super) fn register(&self, word: u32) -> Register {
        Register(self.first.partition_point(|first| *first <= word) as u32 - 1)
    }
}

/// The general registers of a product: word numbers, and whether they are accumulators. Accumulators that are written and not read come once, others twice.
pub(super) fn used<'i>(
    function: &'i Function,
    words: &'i Words,
    product: &'i Instruction,
) -> impl Iterator<Item = (u32, bool)> + 'i {
    let touches = product
        .touches()
        .filter(|touch| function.info(touch.register).class == RegisterClass::Gpr);
    touches.flat_map(move |touch| {
        let sums = matches!(touch.field, Some(F::Rd | F::Rc));
        (touch.word..touch.word + touch.words).map(move |word| (words.number(touch.register, word), sums))
    })
}

/// The number of the first accumulator of a product.
pub(super) fn tuple(words: &Words, product: &Instruction) -> u32 {
    let sums = product.operands.iter().find(|operand| operand.field == F::Rd);
    sums.map_or(u32::MAX, |operand| words.number(operand.register, operand.word))
}

impl Flights {
    /// Adds what another way leaves in flight; whether that changed anything.
    pub(super) fn join(&mut self, other: &Flights) -> bool {
        let mut changed = false;
        for (word, flight) in &other.0 {
            let own = self.0.entry(*word).or_insert_with(|| {
                changed = true;
                *flight
            });
            let joined = Flight {
                age: own.age.min(flight.age),
                sums: own.sums || flight.sums,
                // Products with different accumulators are told from both.
                tuple: if own.tuple == flight.tuple { own.tuple } else { u32::MAX },
            };
            changed |= joined != *own;
            *own = joined;
        }
        changed
    }

    /// A group ends.
    pub(super) fn commit(&mut self) {
        for flight in self.0.values_mut() {
            flight.age = (flight.age + 1).min(MANY);
        }
    }

    /// At most so many groups are in flight afterwards; gives the words that are no longer.
    pub(super) fn wait(&mut self, left: u64) -> Vec<(u32, Flight)> {
        let ended = |flight: &Flight| flight.age > 0 && u64::from(flight.age) > left;
        let found = self.0.iter().filter(|(_, flight)| ended(flight));
        let found = found.map(|(word, flight)| (*word, *flight)).collect();
        self.0.retain(|_, flight| !ended(flight));
        found
    }

    /// A product issues.
    pub(super) fn issue(&mut self, function: &Function, words: &Words, product: &Instruction) {
        let tuple = tuple(words, product);
        for (word, sums) in used(function, words, product) {
            self.0.insert(word, Flight { age: 0, sums, tuple });
        }
    }

    /// The words in flight that an instruction must not touch as it does.
    pub(super) fn conflicts(&self, function: &Function, words: &Words, instruction: &Instruction) -> Vec<u32> {
        if self.0.is_empty() {
            return Vec::new();
        }
        if role(instruction) == Role::Product {
            let own = tuple(words, instruction);
            let clash = |(word, sums): &(u32, bool)| {
                self.0.get(word).is_some_and(|flight| match (sums, flight.sums) {
                    (true, true) => flight.tuple != own,
                    (false, false) => false,
                    (true, false) | (false, true) => true,
                })
            };
            return used(function, words, instruction)
                .filter(clash)
                .map(|(word, _)| word)
                .collect();
        }
        if matches!(instruction.base.flow(), Flow::Call | Flow::Return) {
            return self.0.keys().copied().collect();
        }
        let mut found = Vec::new();
        for touch in instruction.touches() {
            let first = words.number(touch.register, touch.word);
            for (word, flight) in self.0.range(first..first + u32::from(touch.words)) {
                if flight.sums || touch.access != Access::Read {
                    found.push(*word);
                }
            }
        }
        found
    }

    /// The least number of groups ended since one of these words was used.
    pub(super) fn youngest(&self, words: &[u32]) -> u8 {
        let ages = words.iter().filter_map(|word| self.0.get(word));
        ages.map(|flight| flight.age).min().unwrap_or(MANY)
    }
}
