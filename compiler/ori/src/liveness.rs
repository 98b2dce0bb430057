//! Which words of which registers are live at the ends of blocks, and sets of small numbers.

use crate::{
    allocate::touches::{Touched, Touches},
    ir::{BlockId, Function, Register},
};

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

    /// Keeps the other's members alone; whether that changed anything.
    pub(crate) fn intersect(&mut self, other: &BitSet) -> bool {
        let mut changed = false;
        for (own, other) in self.words.iter_mut().zip(&other.words) {
            let kept = *own & other;
            changed |= kept != *own;
            *own = kept;
        }
        changed
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
}

/// A set of small numbers that is emptied at no cost.
#[derive(Clone, Debug)]
pub(crate) struct Marks {
    stamps: Vec<u32>,
    now: u32,
}

impl Marks {
    /// Of numbers below `size`.
    pub(crate) fn new(size: usize) -> Marks {
        Marks {
            stamps: vec![0; size],
            now: 1,
        }
    }

    /// Takes all out.
    pub(crate) fn clear(&mut self) {
        if self.now == u32::MAX {
            self.stamps.fill(0);
            self.now = 0;
        }
        self.now += 1;
    }

    /// Whether it was not there yet.
    pub(crate) fn insert(&mut self, index: usize) -> bool {
        let new = self.stamps[index] != self.now;
        self.stamps[index] = self.now;
        new
    }

    /// Whether it was there.
    pub(crate) fn remove(&mut self, index: usize) -> bool {
        let old = self.stamps[index] == self.now;
        self.stamps[index] = 0;
        old
    }

    pub(crate) fn contains(&self, index: usize) -> bool {
        self.stamps[index] == self.now
    }
}

/// Liveness of every word of every register. The work is proportional to the code and to the number of pairs of block and word live at its end.
#[derive(Debug)]
pub(crate) struct Liveness {
    /// For each register, the number of its first word.
    first: Vec<u32>,
    /// Words live at the end of each block.
    pub(crate) out: Vec<Vec<u32>>,
    /// How many words there are.
    pub(crate) words: usize,
}

impl Liveness {
    pub(crate) fn of(function: &Function, touches: &Touches) -> Liveness {
        let mut first = Vec::with_capacity(function.registers.len());
        let mut words = 0;
        for register in &function.registers {
            first.push(words);
            words += u32::from(register.words);
        }
        let mut liveness = Liveness {
            first,
            out: vec![Vec::new(); function.blocks.len()],
            words: words as usize,
        };
        let (exposed, killed) = liveness.effects(touches);
        let predecessors = function.predecessors();
        let mut kills = Marks::new(function.blocks.len());
        let mut enters = Marks::new(function.blocks.len());
        let mut leaves = Marks::new(function.blocks.len());
        let mut work: Vec<BlockId> = Vec::new();
        let mut killed = killed.chunk_by(|a, b| a.0 == b.0).peekable();
        for run in exposed.chunk_by(|a, b| a.0 == b.0) {
            let word = run[0].0;
            kills.clear();
            enters.clear();
            leaves.clear();
            while let Some(others) = killed.next_if(|others| others[0].0 <= word) {
                for (_, block) in others.iter().filter(|other| other.0 == word) {
                    kills.insert(*block as usize);
                }
            }
            for (_, block) in run {
                enters.insert(*block as usize);
                work.push(BlockId(*block));
            }
            while let Some(block) = work.pop() {
                for from in &predecessors[block.0 as usize] {
                    let index = from.0 as usize;
                    if leaves.insert(index) {
                        liveness.out[index].push(word);
                        if !kills.contains(index) && enters.insert(index) {
                            work.push(*from);
                        }
                    }
                }
            }
        }
        liveness
    }

    /// For each word that a block reads before it writes it, and for each that it writes for all threads: word and block, in order.
    fn effects(&self, touches: &Touches) -> (Pairs, Pairs) {
        let (mut exposed, mut killed) = (Vec::new(), Vec::new());
        let mut read = Marks::new(self.words);
        let mut written = Marks::new(self.words);
        for block in 0..self.out.len() {
            read.clear();
            written.clear();
            for instruction in touches.block(block) {
                for touch in touches.at(instruction).iter().filter(|touch| touch.reads) {
                    for word in self.range(touch.register, touch.word, touch.words) {
                        if !written.contains(word) && read.insert(word) {
                            exposed.push((word as u32, block as u32));
                        }
                    }
                }
                // A guarded write leaves the old value in other threads.
                let whole = |touch: &&Touched| touch.writes && touches.writes_under(instruction, **touch).is_none();
                for touch in touches.at(instruction).iter().filter(whole) {
                    for word in self.range(touch.register, touch.word, touch.words) {
                        if written.insert(word) {
                            killed.push((word as u32, block as u32));
                        }
                    }
                }
            }
        }
        // Most words are read in no block but their own, after it has written them.
        let mut crosses = vec![false; self.words];
        for (word, _) in &exposed {
            crosses[*word as usize] = true;
        }
        killed.retain(|(word, _)| crosses[*word as usize]);
        exposed.sort_unstable();
        killed.sort_unstable();
        (exposed, killed)
    }

    /// The number of a register's word.
    pub(crate) fn word(&self, register: Register, word: u8) -> usize {
        self.first[register.0 as usize] as usize + usize::from(word)
    }

    /// The numbers of consecutive words of a register.
    pub(crate) fn range(&self, register: u32, word: u8, words: u8) -> std::ops::Range<usize> {
        let first = self.word(Register(register), word);
        first..first + usize::from(words)
    }
}

/// Words with blocks.
type Pairs = Vec<(u32, u32)>;
