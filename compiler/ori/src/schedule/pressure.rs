//! How many registers are live as the instructions of a block follow each other in one order or another.

use warpsmith_sass::{Access, RegisterClass};

use crate::{
    ir::{Function, Instruction},
    liveness::{BitSet, Liveness},
};

/// Files whose registers are counted.
pub(super) const FILES: usize = 4;

/// Numbers of registers, by file: general, uniform, predicates, uniform predicates.
pub(super) type Counts = [u32; FILES];

/// No file that is counted.
const NONE: u8 = u8::MAX;

fn file(class: RegisterClass) -> u8 {
    match class {
        RegisterClass::Gpr => 0,
        RegisterClass::UniformGpr => 1,
        RegisterClass::Predicate => 2,
        RegisterClass::UniformPredicate => 3,
        RegisterClass::Barrier | RegisterClass::Scoreboard => NONE,
    }
}

/// A word that an instruction touches.
#[derive(Clone, Copy, Debug)]
struct Touched {
    word: u32,
    reads: bool,
    writes: bool,
    /// The old value is gone.
    replaces: bool,
}

/// Tables of a function that every block uses.
pub(super) struct Files<'f> {
    function: &'f Function,
    liveness: &'f Liveness,
    /// The file of each word of each register.
    files: Vec<u8>,
    /// How many instructions of the block still read each word; zeros between blocks.
    readers: Vec<u32>,
}

impl<'f> Files<'f> {
    pub(super) fn of(function: &'f Function, liveness: &'f Liveness) -> Files<'f> {
        let mut files = Vec::new();
        for register in &function.registers {
            let file = file(register.class);
            files.extend(std::iter::repeat_n(file, usize::from(register.words)));
        }
        Files {
            function,
            liveness,
            readers: vec![0; files.len()],
            files,
        }
    }

    fn count(&self, live: &BitSet) -> Counts {
        let mut counts = [0; FILES];
        for word in live.iter() {
            if let Some(count) = counts.get_mut(usize::from(self.files[word])) {
                *count += 1;
            }
        }
        counts
    }
}

/// A block, whose instructions are put into a new order.
pub(super) struct Pressure<'f, 't> {
    tables: &'t mut Files<'f>,
    block: usize,
    /// What each instruction touches, and where its part of the list starts.
    touched: Vec<Touched>,
    starts: Vec<u32>,
    limits: Counts,
    now: Counts,
    live: BitSet,
}

impl<'f, 't> Pressure<'f, 't> {
    pub(super) fn new(tables: &'t mut Files<'f>, block: usize) -> Pressure<'f, 't> {
        let code = &tables.function.blocks[block].code;
        let mut touched = Vec::with_capacity(4 * code.len());
        let mut starts = Vec::with_capacity(code.len() + 1);
        for instruction in code {
            starts.push(touched.len() as u32);
            collect(tables.liveness, instruction, &mut touched);
        }
        starts.push(touched.len() as u32);
        Pressure {
            block,
            touched,
            starts,
            limits: [u32::MAX; FILES],
            now: [0; FILES],
            live: BitSet::new(0),
            tables,
        }
    }

    fn of(&self, at: u32) -> &[Touched] {
        let at = at as usize;
        &self.touched[self.starts[at] as usize..self.starts[at + 1] as usize]
    }

    /// The most registers of each file live at once, in the block's order or another.
    pub(super) fn peak(&self, order: Option<&[u32]>) -> Counts {
        let mut live = self.tables.liveness.out[self.block].clone();
        let mut now = self.tables.count(&live);
        let mut most = now;
        let count = self.starts.len() - 1;
        for index in (0..count).rev() {
            let touched = self.of(order.map_or(index as u32, |order| order[index]));
            let mut with_results = now;
            for one in touched
                .iter()
                .filter(|one| one.writes && !live.contains(one.word as usize))
            {
                self.change(&mut with_results, one.word, 1);
            }
            for one in touched.iter().filter(|one| one.replaces) {
                if live.contains(one.word as usize) {
                    live.remove(one.word as usize);
                    self.change(&mut now, one.word, -1);
                }
            }
            for one in touched.iter().filter(|one| one.reads) {
                if !live.contains(one.word as usize) {
                    live.insert(one.word as usize);
                    self.change(&mut now, one.word, 1);
                }
            }
            for ((most, now), with_results) in most.iter_mut().zip(now).zip(with_results) {
                *most = (*most).max(now).max(with_results);
            }
        }
        most
    }

    fn change(&self, counts: &mut Counts, word: u32, by: i32) {
        if let Some(count) = counts.get_mut(usize::from(self.tables.files[word as usize])) {
            *count = count.saturating_add_signed(by);
        }
    }

    /// Goes to the block's start.
    pub(super) fn start(&mut self, limits: Counts) {
        self.limits = limits;
        let mut live = self.tables.liveness.out[self.block].clone();
        for at in (0..self.starts.len() as u32 - 1).rev() {
            for one in self.of(at).iter().filter(|one| one.replaces) {
                live.remove(one.word as usize);
            }
            for one in self.of(at).iter().filter(|one| one.reads) {
                live.insert(one.word as usize);
            }
        }
        for index in 0..self.touched.len() {
            let one = self.touched[index];
            self.tables.readers[one.word as usize] += u32::from(one.reads);
        }
        self.now = self.tables.count(&live);
        self.live = live;
    }

    /// Whether some file is at its limit.
    pub(super) fn is_high(&self) -> bool {
        self.now.iter().zip(self.limits).any(|(now, limit)| *now >= limit)
    }

    /// How many more registers are live after an instruction, those of short files counting most.
    pub(super) fn growth(&self, at: u32) -> i32 {
        let out = &self.tables.liveness.out[self.block];
        let mut growth = 0;
        for one in self.of(at) {
            let file = usize::from(self.tables.files[one.word as usize]);
            if file >= FILES {
                continue;
            }
            let weight = if self.now[file] >= self.limits[file] { 4 } else { 1 };
            let word = one.word as usize;
            if one.writes && !self.live.contains(word) {
                growth += weight;
            }
            if one.reads && !one.writes && self.tables.readers[word] == 1 && !out.contains(word) {
                growth -= weight;
            }
        }
        growth
    }

    /// The instruction is next.
    pub(super) fn issue(&mut self, at: u32) {
        let range = self.starts[at as usize] as usize..self.starts[at as usize + 1] as usize;
        for index in range.clone() {
            let one = self.touched[index];
            let word = one.word as usize;
            if one.reads {
                let left = &mut self.tables.readers[word];
                *left -= 1;
                if *left == 0 && !self.tables.liveness.out[self.block].contains(word) && self.live.contains(word) {
                    self.live.remove(word);
                    let mut now = self.now;
                    self.change(&mut now, one.word, -1);
                    self.now = now;
                }
            }
        }
        for index in range {
            let one = self.touched[index];
            let word = one.word as usize;
            let wanted = self.tables.readers[word] > 0 || self.tables.liveness.out[self.block].contains(word);
            if one.writes && wanted && !self.live.contains(word) {
                self.live.insert(word);
                let mut now = self.now;
                self.change(&mut now, one.word, 1);
                self.now = now;
            }
        }
    }
}

/// The words that an instruction touches.
fn collect(liveness: &Liveness, instruction: &Instruction, touched: &mut Vec<Touched>) {
    let unguarded = instruction.guard.is_none();
    for touch in instruction.touches() {
        for word in touch.word..touch.word + touch.words {
            let (reads, writes) = (touch.access != Access::Write, touch.access != Access::Read);
            touched.push(Touched {
                word: liveness.word(touch.register, word) as u32,
                reads,
                writes,
                replaces: writes && !reads && unguarded,
            });
        }
    }
}
