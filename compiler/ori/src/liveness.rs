//! Which words of which registers are live where.

use warpsmith_sass::Access;

use crate::ir::{BlockId, Function, Instruction, Register};

/// A set of small numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BitSet {
    words: Vec<u64>,
}

impl BitSet {
    pub(crate) fn new(size: usize) -> BitSet {
        BitSet {
            words: vec![0; size.div_ceil(64)],
        }
    }

    pub(crate) fn insert(&mut self, index: usize) {
        self.words[index / 64] |= 1 << (index % 64);
    }

    pub(crate) fn remove(&mut self, index: usize) {
        self.words[index / 64] &= !(1 << (index % 64));
    }

    pub(crate) fn contains(&self, index: usize) -> bool {
        self.words[index / 64] >> (index % 64) & 1 != 0
    }

    /// Adds the other's members; whether that changed anything.
    pub(crate) fn union(&mut self, other: &BitSet) -> bool {
        let mut changed = false;
        for (own, other) in self.words.iter_mut().zip(&other.words) {
            let joined = *own | other;
            changed |= joined != *own;
            *own = joined;
        }
        changed
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.words.iter().enumerate().flat_map(|(index, word)| {
            let mut left = *word;
            std::iter::from_fn(move || {
                let bit = left.trailing_zeros();
                left &= left.wrapping_sub(1);
                (bit < 64).then_some(index * 64 + bit as usize)
            })
        })
    }
}

/// Liveness of every word of every register.
#[derive(Debug)]
pub(crate) struct Liveness {
    /// For each register, the number of its first word.
    pub(crate) first: Vec<u32>,
    /// Words live at the end of each block.
    pub(crate) out: Vec<BitSet>,
}

impl Liveness {
    pub(crate) fn of(function: &Function) -> Liveness {
        let mut first = Vec::with_capacity(function.registers.len());
        let mut words = 0;
        for register in &function.registers {
            first.push(words);
            words += u32::from(register.words);
        }
        let blocks = function.blocks.len();
        let empty = BitSet::new(words as usize);
        let mut liveness = Liveness {
            first,
            out: vec![empty.clone(); blocks],
        };
        let mut entry = vec![empty; blocks];
        let mut changed = true;
        while changed {
            changed = false;
            for block in (0..blocks).rev() {
                for successor in function.successors(BlockId(block as u32)) {
                    changed |= liveness.out[block].union(&entry[successor.0 as usize]);
                }
                let mut live = liveness.out[block].clone();
                for instruction in function.blocks[block].code.iter().rev() {
                    liveness.step(&mut live, instruction);
                }
                changed |= entry[block].union(&live);
            }
        }
        liveness
    }

    /// The number of a register's word.
    pub(crate) fn word(&self, register: Register, word: u8) -> usize {
        self.first[register.0 as usize] as usize + usize::from(word)
    }

    /// What is live before an instruction, from what is live after it.
    pub(crate) fn step(&self, live: &mut BitSet, instruction: &Instruction) {
        // A guarded write leaves the old value in other threads.
        if instruction.guard.is_none() {
            for touch in instruction.touches().filter(|touch| touch.access == Access::Write) {
                for word in touch.word..touch.word + touch.words {
                    live.remove(self.word(touch.register, word));
                }
            }
        }
        for touch in instruction.touches() {
            let reads = touch.access != Access::Write;
            for word in touch.word..touch.word + touch.words {
                if reads {
                    live.insert(self.word(touch.register, word));
                }
            }
        }
    }
}
