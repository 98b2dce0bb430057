//! Which instructions write and read each word of each register, and which words are values.
//!
//! A word is a *value* if exactly one instruction writes it, not under a guard, and that instruction dominates all that read it. Where two values are
//! equal at one place they are equal at every place that both dominate: a second run of the one definition cannot come between without a second run of
//! what it dominates. So values can be replaced by each other without looking at what lies between.
//!
//! Everything is dense: words, instructions and blocks have numbers, and lists lie one behind the other.

use warpsmith_sass::{Access, FieldName, Opcode};

use crate::{
    graph::ControlFlow,
    ir::{Function, Instruction, Register},
    liveness::BitSet,
};

/// Lists of numbers, one for each key.
#[derive(Debug, Default)]
pub(super) struct Lists {
    start: Vec<u32>,
    items: Vec<u32>,
}

impl Lists {
    /// Groups pairs of key and item, keeping the order of the items of a key.
    pub(super) fn of(keys: usize, pairs: &[(u32, u32)]) -> Lists {
        let mut start = vec![0_u32; keys + 1];
        for (key, _) in pairs {
            start[*key as usize + 1] += 1;
        }
        for key in 0..keys {
            start[key + 1] += start[key];
        }
        let mut next = start.clone();
        let mut items = vec![0; pairs.len()];
        for (key, item) in pairs {
            items[next[*key as usize] as usize] = *item;
            next[*key as usize] += 1;
        }
        Lists { start, items }
    }

    pub(super) fn get(&self, key: usize) -> &[u32] {
        &self.items[self.start[key] as usize..self.start[key + 1] as usize]
    }
}

/// The dominator tree, numbered so that dominance is a comparison.
#[derive(Debug)]
pub(crate) struct Dominance {
    /// For each block, its number in depth-first order of the tree; `u32::MAX` if it is not reached.
    enter: Vec<u32>,
    /// The last number below it.
    leave: Vec<u32>,
    /// The reached blocks; every block after those that dominate it.
    pub(crate) order: Vec<usize>,
}

impl Dominance {
    /// By the immediate dominator of each block.
    pub(crate) fn of(dominator: &[Option<usize>]) -> Dominance {
        let count = dominator.len();
        let edges: Vec<(u32, u32)> = (0..count)
            .filter_map(|block| Some((dominator[block]? as u32, block as u32)))
            .collect();
        let children = Lists::of(count, &edges);
        let mut dominance = Dominance {
            enter: vec![u32::MAX; count],
            leave: vec![0; count],
            order: Vec::with_capacity(count),
        };
        let mut stack = Vec::new();
        if count > 0 {
            stack.push((0_usize, 0_usize));
            dominance.open(0);
        }
        while let Some((block, next)) = stack.pop() {
            match children.get(block).get(next) {
                Some(&child) => {
                    stack.push((block, next + 1));
                    stack.push((child as usize, 0));
                    dominance.open(child as usize);
                }
                None => dominance.leave[block] = dominance.order.len() as u32 - 1,
            }
        }
        dominance
    }

    fn open(&mut self, block: usize) {
        self.enter[block] = self.order.len() as u32;
        self.order.push(block);
    }

    /// Whether control comes to the block at all.
    pub(crate) fn is_reached(&self, block: usize) -> bool {
        self.enter[block] != u32::MAX
    }

    /// Whether every way to `b` goes through `a`. What is not reached is dominated by everything.
    pub(crate) fn dominates(&self, a: usize, b: usize) -> bool {
        if !self.is_reached(b) {
            return true;
        }
        self.is_reached(a) && (self.enter[a]..=self.leave[a]).contains(&self.enter[b])
    }
}

/// Definitions and uses of a function. It describes the function as it was: an instruction that is put in or taken out makes it stale.
#[derive(Debug)]
pub(crate) struct Values {
    /// For each register, the number of its first word; one more at the end.
    first: Vec<u32>,
    /// For each block, the number of its first instruction; one more at the end.
    start: Vec<u32>,
    /// The block of each instruction.
    block: Vec<u32>,
    definitions: Lists,
    uses: Lists,
    values: BitSet,
    pub(crate) dominance: Dominance,
}

/// Whether a write leaves nothing of what was there: in every thread, and in every bit.
pub(crate) fn is_whole(instruction: &Instruction) -> bool {
    instruction.guard.is_none() && !adds_in_place(instruction) && !instruction.keeps_lanes()
}

/// Whether an instruction is known with its sums read from where they are written alone. (ptxas 13.0.88 writes products of warpgroups so.)
pub(crate) fn adds_in_place(instruction: &Instruction) -> bool {
    let product = matches!(
        instruction.base.opcode(),
        Opcode::Hgmma | Opcode::Qgmma | Opcode::Igmma | Opcode::Bgmma
    );
    product
        && instruction
            .operands
            .iter()
            .any(|operand| operand.field == FieldName::Rc)
}

/// Whether a register means more than its definitions and uses say: it must stay what it is.
pub(crate) fn is_pinned(function: &Function, register: Register) -> bool {
    function.stack == Some(register) || function.info(register).fixed.is_some()
}

impl Values {
    /// Analyses a function.
    pub(crate) fn of(function: &Function) -> Values {
        let (dominator, _) = ControlFlow::dominators_of(function);
        Values::dominated(function, &dominator)
    }

    /// Analyses a function whose control flow is known.
    pub(crate) fn with(function: &Function, flow: &ControlFlow) -> Values {
        Values::dominated(function, &flow.dominator)
    }

    /// Analyses a function by the immediate dominators of its blocks.
    pub(super) fn dominated(function: &Function, dominator: &[Option<usize>]) -> Values {
        let mut first = Vec::with_capacity(function.registers.len() + 1);
        let mut words = 0;
        for register in &function.registers {
            first.push(words);
            words += u32::from(register.words);
        }
        first.push(words);
        let mut start = Vec::with_capacity(function.blocks.len() + 1);
        let count: usize = function.blocks.iter().map(|block| block.code.len()).sum();
        let mut block_of = Vec::with_capacity(count);
        let (mut writes, mut reads) = (Vec::with_capacity(2 * count), Vec::with_capacity(3 * count));
        let mut partial = BitSet::new(words as usize);
        for (index, block) in function.blocks.iter().enumerate() {
            start.push(block_of.len() as u32);
            for instruction in &block.code {
                let number = block_of.len() as u32;
                block_of.push(index as u32);
                instruction.touches().for_each(|touch| {
                    let from = first[touch.register.0 as usize] + u32::from(touch.word);
                    let range = from..from + u32::from(touch.words);
                    // Most touches are of one word: to push it costs less than to extend by a range.
                    if touch.access != Access::Write {
                        range.clone().for_each(|word| reads.push((word, number)));
                    }
                    if touch.access != Access::Read {
                        if touch.access == Access::ReadWrite || !is_whole(instruction) {
                            range.clone().for_each(|word| partial.insert(word as usize));
                        }
                        range.for_each(|word| writes.push((word, number)));
                    }
                });
            }
        }
        start.push(block_of.len() as u32);
        let mut values = Values {
            first,
            start,
            block: block_of,
            definitions: Lists::of(words as usize, &writes),
            uses: Lists::of(words as usize, &reads),
            values: BitSet::new(words as usize),
            dominance: Dominance::of(dominator),
        };
        for word in 0..words as usize {
            if let [definition] = *values.definitions.get(word)
                && !partial.contains(word)
                && values.dominance.is_reached(values.block_of(definition))
                && values
                    .uses
                    .get(word)
                    .iter()
                    .all(|used| values.comes_before(definition, *used))
            {
                values.values.insert(word);
            }
        }
        for index in 0..function.registers.len() {
            if is_pinned(function, Register(index as u32)) {
                for word in values.first[index]..values.first[index + 1] {
                    values.values.remove(word as usize);
                }
            }
        }
        values
    }

    /// How many words all registers have together.
    pub(crate) fn words(&self) -> usize {
        self.first.last().map_or(0, |words| *words as usize)
    }

    /// How many instructions there are.
    pub(crate) fn instructions(&self) -> usize {
        self.block.len()
    }

    /// The number of a register's word.
    #[inline]
    pub(crate) fn word(&self, register: Register, word: u8) -> usize {
        self.first[register.0 as usize] as usize + usize::from(word)
    }

    /// The number of an instruction.
    pub(crate) fn number(&self, block: usize, index: usize) -> u32 {
        self.start[block] + index as u32
    }

    /// The block of an instruction.
    #[inline]
    pub(crate) fn block_of(&self, number: u32) -> usize {
        self.block[number as usize] as usize
    }

    /// Block and index of an instruction.
    #[inline]
    pub(crate) fn place(&self, number: u32) -> (usize, usize) {
        let block = self.block_of(number);
        (block, (number - self.start[block]) as usize)
    }

    /// The instructions that write a word, in order of the code.
    pub(crate) fn definitions(&self, word: usize) -> &[u32] {
        self.definitions.get(word)
    }

    /// The instructions that read a word, in order of the code; one that reads it twice is there twice.
    pub(crate) fn uses(&self, word: usize) -> &[u32] {
        self.uses.get(word)
    }

    /// Whether a word has one definition, not guarded, which dominates all its uses.
    pub(crate) fn is_value(&self, word: usize) -> bool {
        self.values.contains(word)
    }

    /// Makes a word a value that nothing has touched so far.
    pub(crate) fn promote(&mut self, word: usize) {
        self.values.insert(word);
    }

    /// Whether all words of a register, from `word` on, are values.
    pub(crate) fn are_values(&self, register: Register, word: u8, words: u8) -> bool {
        (word..word + words).all(|word| self.is_value(self.word(register, word)))
    }

    /// The definition of a value.
    pub(crate) fn definition(&self, word: usize) -> Option<u32> {
        if !self.is_value(word) {
            return None;
        }
        self.definitions.get(word).first().copied()
    }

    /// Whether every way to instruction `b` goes through `a` first.
    pub(crate) fn comes_before(&self, a: u32, b: u32) -> bool {
        let (from, to) = (self.block_of(a), self.block_of(b));
        if from == to {
            a < b
        } else {
            self.dominance.dominates(from, to)
        }
    }

    /// The instruction at a number.
    #[inline]
    pub(crate) fn instruction<'f>(&self, function: &'f Function, number: u32) -> &'f Instruction {
        let (block, index) = self.place(number);
        &function.blocks[block].code[index]
    }
}
