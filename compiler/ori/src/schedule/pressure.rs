//! How many registers are live as the instructions of a block follow each other in one order or another.

use rustc_hash::FxHashMap;
use warpsmith_sass::RegisterClass;

use crate::{
    allocate::touches::Touches,
    ir::{Function, RegisterInfo},
    liveness::{Liveness, Marks},
};

/// Files whose registers are counted.
pub(super) const FILES: usize = 4;

/// Numbers of registers, by file: general, uniform, predicates, uniform predicates.
pub(super) type Counts = [u32; FILES];

/// Words that an instruction has to give to be held back before the limit is reached.
const WIDE: u32 = 8;

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

/// Registers of so many words and more need all of them side by side as long as one of them is live.
const TUPLE: u8 = 4;

/// What gives so many words at once finds no place in what such registers leave.
const WIDEST: u32 = 16;

/// The tuples of which words are live, and how many of their words are not: there others of their kind find no place.
#[derive(Default)]
struct Tuples {
    /// For each word, its tuple, plus one; empty if there are none.
    of: Vec<u32>,
    words: Vec<u32>,
    live: Vec<u32>,
    dead: u32,
}

impl Tuples {
    fn of(function: &Function) -> Tuples {
        let mut tuples = Tuples::default();
        let is_tuple = |info: &RegisterInfo| info.class == RegisterClass::Gpr && info.words >= TUPLE;
        if !function.registers.iter().any(is_tuple) {
            return tuples;
        }
        for register in &function.registers {
            let own = match is_tuple(register) {
                true => {
                    tuples.words.push(register.words.into());
                    tuples.words.len() as u32
                }
                false => 0,
            };
            tuples.of.extend(std::iter::repeat_n(own, register.words.into()));
        }
        tuples.live = vec![0; tuples.words.len()];
        tuples
    }

    fn clear(&mut self) {
        self.live.fill(0);
        self.dead = 0;
    }

    fn of_word(&self, word: u32) -> Option<usize> {
        Some(self.of.get(word as usize)?.checked_sub(1)? as usize)
    }

    /// A word is live from here on.
    fn enter(&mut self, word: u32) {
        if let Some(tuple) = self.of_word(word) {
            let live = &mut self.live[tuple];
            self.dead += if *live == 0 { self.words[tuple] } else { 0 };
            self.dead -= 1;
            *live += 1;
        }
    }

    /// A word is live no longer.
    fn leave(&mut self, word: u32) {
        if let Some(tuple) = self.of_word(word) {
            let live = &mut self.live[tuple];
            *live -= 1;
            self.dead += 1;
            self.dead -= if *live == 0 { self.words[tuple] } else { 0 };
        }
    }
}

/// A word that an instruction touches.
#[derive(Clone, Copy, Debug)]
struct Touched {
    word: u32,
    /// The number of the value in [`Values`].
    value: u32,
    reads: bool,
    writes: bool,
    /// The old value is gone.
    replaces: bool,
}

/// The values of a block: what each word holds from one place where it is replaced to the next. A loop reads what the round before has left and writes the same
/// word for the next: two values, of which the first need not be live any more when the second is not yet.
#[derive(Clone, Debug, Default)]
struct Values {
    /// Whether each is live at the block's end.
    lasts: Vec<bool>,
    /// How many instructions of the block read it.
    readers: Vec<u32>,
    /// How many of them have not issued.
    waiting: Vec<u32>,
    live: Vec<bool>,
}

impl Values {
    fn add(&mut self) -> u32 {
        self.lasts.push(false);
        self.readers.push(0);
        self.readers.len() as u32 - 1
    }

    /// Gives each word that the instructions touch the number of its value.
    fn number(&mut self, touched: &mut [Touched], starts: &[u32], out: &Marks) {
        let mut current: FxHashMap<u32, u32> = FxHashMap::default();
        for range in starts.windows(2) {
            let touched = &mut touched[range[0] as usize..range[1] as usize];
            for one in touched.iter_mut().filter(|one| !one.replaces) {
                one.value = *current.entry(one.word).or_insert_with(|| self.add());
                self.readers[one.value as usize] += u32::from(one.reads);
            }
            for one in touched.iter_mut().filter(|one| one.replaces) {
                one.value = self.add();
                current.insert(one.word, one.value);
            }
        }
        for (word, value) in current {
            self.lasts[value as usize] = out.contains(word as usize);
        }
        self.live = vec![false; self.readers.len()];
    }

    /// Goes to the block's start.
    fn start(&mut self, touched: &[Touched]) {
        self.waiting.clone_from(&self.readers);
        self.live.fill(false);
        let mut replaced = vec![false; self.readers.len()];
        for one in touched.iter().filter(|one| one.replaces) {
            replaced[one.value as usize] = true;
        }
        for (value, replaced) in replaced.into_iter().enumerate() {
            self.live[value] = !replaced && self.is_wanted(value);
        }
    }

    /// Whether it is read by what has not issued, or behind the block.
    fn is_wanted(&self, value: usize) -> bool {
        self.waiting[value] > 0 || self.lasts[value]
    }

    /// Whether an instruction that has not issued makes a value live.
    fn begins(&self, one: &Touched) -> bool {
        one.writes && !self.live[one.value as usize]
    }

    /// Whether it is the last to read one.
    fn ends(&self, one: &Touched) -> bool {
        let value = one.value as usize;
        one.reads && !one.writes && self.waiting[value] == 1 && !self.lasts[value]
    }
}

/// Tables of a function that every block uses.
pub(super) struct Files<'f> {
    touches: &'f Touches,
    liveness: &'f Liveness,
    /// The file of each word of each register.
    files: Vec<u8>,
    /// How many instructions of the block that have no place yet read each word, from the block's end on; zeros between blocks.
    readers: Vec<u32>,
    /// Words that are live now, and those that are live at the end of the block.
    live: Marks,
    out: Marks,
    /// What those that are live make of tuples, in a walk through a new order.
    tuples: Tuples,
}

impl<'f> Files<'f> {
    pub(super) fn of(function: &'f Function, touches: &'f Touches, liveness: &'f Liveness) -> Files<'f> {
        let mut files = Vec::with_capacity(liveness.words);
        for register in &function.registers {
            let file = file(register.class);
            files.extend(std::iter::repeat_n(file, usize::from(register.words)));
        }
        Files {
            touches,
            liveness,
            readers: vec![0; files.len()],
            live: Marks::new(files.len()),
            out: Marks::new(files.len()),
            tuples: Tuples::of(function),
            files,
        }
    }

    /// Goes to the end of a block: what is live there, by file.
    fn end(&mut self, block: usize) -> Counts {
        let mut counts = [0; FILES];
        self.live.clear();
        self.tuples.clear();
        for &word in &self.liveness.out[block] {
            self.live.insert(word as usize);
            self.tuples.enter(word);
            self.change(&mut counts, word, 1);
        }
        counts
    }

    fn change(&self, counts: &mut Counts, word: u32, by: i32) {
        if let Some(count) = counts.get_mut(usize::from(self.files[word as usize])) {
            *count = count.saturating_add_signed(by);
        }
    }
}

/// A block, whose instructions are put into a new order.
pub(super) struct Pressure<'f, 't> {
    tables: &'t mut Files<'f>,
    block: usize,
    /// What each instruction touches, and where its part of the list starts.
    touched: Vec<Touched>,
    starts: Vec<u32>,
    values: Values,
    limits: Counts,
    now: Counts,
    /// The block's old order needs few registers, and leads on where there is no general register left.
    pub(super) is_lean: bool,
}

impl<'f, 't> Pressure<'f, 't> {
    pub(super) fn new(tables: &'t mut Files<'f>, block: usize) -> Pressure<'f, 't> {
        let code = tables.touches.block(block);
        let mut touched = Vec::with_capacity(4 * code.len());
        let mut starts = Vec::with_capacity(code.len() + 1);
        for instruction in code {
            starts.push(touched.len() as u32);
            collect(tables, instruction, &mut touched);
        }
        starts.push(touched.len() as u32);
        tables.out.clear();
        for &word in &tables.liveness.out[block] {
            tables.out.insert(word as usize);
        }
        let mut values = Values::default();
        values.number(&mut touched, &starts, &tables.out);
        Pressure {
            block,
            touched,
            starts,
            values,
            limits: [u32::MAX; FILES],
            now: [0; FILES],
            is_lean: false,
            tables,
        }
    }

    fn of(&self, at: u32) -> std::ops::Range<usize> {
        let at = at as usize;
        self.starts[at] as usize..self.starts[at + 1] as usize
    }

    /// The most registers of each file live at once, in the block's order or another.
    pub(super) fn peak(&mut self, order: Option<&[u32]>) -> Counts {
        let mut now = self.tables.end(self.block);
        let mut most = now;
        let count = self.starts.len() - 1;
        for index in (0..count).rev() {
            let touched = &self.touched[self.of(order.map_or(index as u32, |order| order[index]))];
            let mut with_results = now;
            for one in touched.iter().filter(|one| one.writes) {
                if !self.tables.live.contains(one.word as usize) {
                    self.tables.change(&mut with_results, one.word, 1);
                }
            }
            for one in touched.iter().filter(|one| one.replaces) {
                if self.tables.live.remove(one.word as usize) {
                    self.tables.change(&mut now, one.word, -1);
                }
            }
            for one in touched.iter().filter(|one| one.reads) {
                if self.tables.live.insert(one.word as usize) {
                    self.tables.change(&mut now, one.word, 1);
                }
            }
            for ((most, now), with_results) in most.iter_mut().zip(now).zip(with_results) {
                *most = (*most).max(now).max(with_results);
            }
        }
        most
    }

    /// Limits for what an order of the block decides about. What only lives through it is there in any order: where it takes all of a short file it will be kept
    /// elsewhere, and what the block itself makes of that file has so many `left`.
    pub(super) fn reachable(&mut self, limits: Counts, left: u32) -> Counts {
        let mut through = self.tables.end(self.block);
        for one in self.touched.iter().filter(|one| one.writes) {
            if self.tables.live.remove(one.word as usize) {
                self.tables.change(&mut through, one.word, -1);
            }
        }
        let mut limits = limits;
        for (limit, through) in limits.iter_mut().zip(through).skip(1) {
            *limit = (*limit).max(through + left);
        }
        limits
    }

    /// Goes to the block's start.
    pub(super) fn start(&mut self, limits: Counts) {
        self.limits = limits;
        let mut now = self.tables.end(self.block);
        for at in (0..self.starts.len() as u32 - 1).rev() {
            let touched = &self.touched[self.of(at)];
            for one in touched.iter().filter(|one| one.replaces) {
                if self.tables.live.remove(one.word as usize) {
                    self.tables.tuples.leave(one.word);
                    self.tables.change(&mut now, one.word, -1);
                }
            }
            for one in touched.iter().filter(|one| one.reads) {
                if self.tables.live.insert(one.word as usize) {
                    self.tables.tuples.enter(one.word);
                    self.tables.change(&mut now, one.word, 1);
                }
            }
        }
        self.values.start(&self.touched);
        self.now = now;
    }

    /// Goes to the block's end.
    pub(super) fn end(&mut self) {
        self.now = self.tables.end(self.block);
        for one in &self.touched {
            self.tables.readers[one.word as usize] += u32::from(one.reads);
        }
    }

    /// How many more registers are live before an instruction than after it, from the block's end on.
    pub(super) fn growth_before(&self, at: u32) -> i32 {
        let touched = &self.touched[self.of(at)];
        let is_live = |one: &Touched| self.tables.live.contains(one.word as usize);
        let gone = touched.iter().filter(|one| one.replaces && is_live(one)).count() as i32;
        let new = touched.iter().filter(|one| one.reads && !is_live(one)).count() as i32;
        new - gone
    }

    /// The same without words that so many instructions of the block read which have no place yet: they become live in any case.
    pub(super) fn growth_before_alone(&self, at: u32, many: u32) -> i32 {
        let touched = &self.touched[self.of(at)];
        let is_shared = |one: &&Touched| {
            one.reads && !self.tables.live.contains(one.word as usize) && self.tables.readers[one.word as usize] >= many
        };
        self.growth_before(at) - touched.iter().filter(is_shared).count() as i32
    }

    /// The same of one that gives some of what another reads, if that has its place already.
    pub(super) fn growth_before_both(&self, at: u32, reader: u32) -> i32 {
        let (touched, read) = (&self.touched[self.of(at)], &self.touched[self.of(reader)]);
        let is_live = |one: &Touched| {
            let read = || read.iter().any(|other| other.reads && other.word == one.word);
            self.tables.live.contains(one.word as usize) || read()
        };
        let gone = touched.iter().filter(|one| one.replaces && is_live(one)).count() as i32;
        let new = touched.iter().filter(|one| one.reads && !is_live(one)).count() as i32;
        new - gone
    }

    /// The instruction is the one before.
    pub(super) fn go_before(&mut self, at: u32) {
        for index in self.of(at) {
            let one = self.touched[index];
            if one.replaces {
                self.tables.live.remove(one.word as usize);
            }
        }
        for index in self.of(at) {
            let one = self.touched[index];
            if one.reads {
                self.tables.live.insert(one.word as usize);
                self.tables.readers[one.word as usize] -= 1;
            }
        }
    }

    /// Whether there is no general register left.
    pub(super) fn is_high(&self) -> bool {
        self.now[0] >= self.limits[0]
    }

    /// Whether an instruction gives so many general registers at once that they go over their limit, or any of a shorter file that is at its limit; what is left of
    /// tuples has no place for others.
    pub(super) fn exceeds(&self, at: u32) -> bool {
        if self.adds_to_full(at) {
            return true;
        }
        let touched = &self.touched[self.of(at)];
        let new = touched.iter().filter(|one| {
            let is_general = self.tables.files[one.word as usize] == 0;
            is_general && self.values.begins(one)
        });
        let new = new.count() as u32;
        let gaps = if new >= WIDEST { self.tables.tuples.dead } else { 0 };
        new >= WIDE && self.now[0] + gaps + new > self.limits[0]
    }

    /// Whether an instruction makes more registers live of a file but that of general registers which is at its limit.
    fn adds_to_full(&self, at: u32) -> bool {
        if (1..FILES).all(|file| self.now[file] < self.limits[file]) {
            return false;
        }
        let mut growth = [0_i32; FILES];
        for one in &self.touched[self.of(at)] {
            let file = usize::from(self.tables.files[one.word as usize]);
            if file < FILES {
                growth[file] += i32::from(self.values.begins(one)) - i32::from(self.values.ends(one));
            }
        }
        (1..FILES).any(|file| growth[file] > 0 && self.now[file] >= self.limits[file])
    }

    /// How many more registers are live after an instruction, those of short files counting most.
    pub(super) fn growth(&self, at: u32) -> i32 {
        let mut growth = 0;
        for one in &self.touched[self.of(at)] {
            let file = usize::from(self.tables.files[one.word as usize]);
            if file >= FILES {
                continue;
            }
            let weight = if self.now[file] >= self.limits[file] { 4 } else { 1 };
            growth += weight * (i32::from(self.values.begins(one)) - i32::from(self.values.ends(one)));
        }
        growth
    }

    /// The instruction is next.
    pub(super) fn issue(&mut self, at: u32) {
        let range = self.of(at);
        for one in self.touched[range.clone()].iter().filter(|one| one.reads) {
            let value = one.value as usize;
            self.values.waiting[value] -= 1;
            if !self.values.is_wanted(value) && std::mem::take(&mut self.values.live[value]) {
                self.tables.tuples.leave(one.word);
                self.tables.change(&mut self.now, one.word, -1);
            }
        }
        for one in self.touched[range].iter().filter(|one| one.writes) {
            let value = one.value as usize;
            if self.values.is_wanted(value) && !std::mem::replace(&mut self.values.live[value], true) {
                self.tables.tuples.enter(one.word);
                self.tables.change(&mut self.now, one.word, 1);
            }
        }
    }
}

/// The words that an instruction touches.
fn collect(tables: &Files<'_>, instruction: usize, touched: &mut Vec<Touched>) {
    for touch in tables.touches.at(instruction) {
        let unguarded = tables.touches.writes_under(instruction, *touch).is_none();
        for word in tables.liveness.range(touch.register, touch.word, touch.words) {
            touched.push(Touched {
                word: word as u32,
                value: 0,
                reads: touch.reads,
                writes: touch.writes,
                replaces: touch.writes && !touch.reads && unguarded,
            });
        }
    }
}
