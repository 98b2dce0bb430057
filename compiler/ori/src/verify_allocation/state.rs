//! Places, and what each holds at a point of the allocated function.

use smallvec::SmallVec;
use warpsmith_sass::RegisterClass;

use crate::{allocate::Allocation, ir::Function, liveness::BitSet};

/// A place that holds nothing known.
pub(super) const NOTHING: u32 = u32::MAX;
/// R1.
pub(super) const STACK_POINTER: usize = 1;

/// The places: of each file as many registers as the function uses, so that what holds for a point stays small. The frame follows.
pub(super) struct Places {
    /// For each file, its first place.
    pub(super) first: [usize; FILES],
    /// For each file, how many of its registers are used.
    pub(super) used: [usize; FILES],
    pub(super) registers: usize,
}

pub(super) const FILES: usize = 5;

/// The number of a file, and how many registers it has.
pub(super) fn file(class: RegisterClass) -> Option<(usize, usize)> {
    match class {
        RegisterClass::Gpr => Some((0, 255)),
        RegisterClass::UniformGpr => Some((1, 255)),
        RegisterClass::Predicate => Some((2, 7)),
        RegisterClass::UniformPredicate => Some((3, 7)),
        RegisterClass::Barrier => Some((4, 16)),
        RegisterClass::Scoreboard => None,
    }
}

impl Places {
    pub(super) fn of(before: &Function, after: &Function, allocation: &Allocation) -> Places {
        // What code that allocation adds names by number: barriers, and the stack pointer.
        let mut used = [allocation.used as usize, 0, 0, 0, 16];
        used[0] = used[0].max(STACK_POINTER + 1);
        let given = after.registers.iter().zip(&allocation.numbers);
        let given = given.map(|(info, number)| (info, *number));
        let fixed = before.registers.iter().map(|info| (info, info.fixed));
        for (info, number) in given.chain(fixed) {
            if let (Some((file, most)), Some(number)) = (file(info.class), number) {
                let end = usize::from(number) + usize::from(info.words);
                used[file] = used[file].max(end).min(most);
            }
        }
        let mut first = [0; FILES];
        for file in 1..FILES {
            first[file] = first[file - 1] + used[file - 1];
        }
        Places {
            first,
            used,
            registers: first[FILES - 1] + used[FILES - 1],
        }
    }

    /// The place of a register; `None` of one outside its file, and of one that the function does not use.
    pub(super) fn of_register(&self, class: RegisterClass, number: usize) -> Option<usize> {
        let (file, _) = file(class)?;
        (number < self.used[file]).then_some(self.first[file] + number)
    }
}

/// A word that some threads have in a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Partial {
    pub(super) place: u32,
    pub(super) word: u32,
    pub(super) predicate: u32,
    pub(super) negated: bool,
}

/// A bit of a place that says whether a predicate holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bit {
    pub(super) place: u32,
    /// The bit: one of them is set.
    pub(super) mask: u32,
    /// The predicate's word.
    pub(super) word: u32,
}

/// What every place holds at a point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct State {
    /// One word of each place.
    pub(super) first: Vec<u32>,
    /// Words that places hold besides.
    pub(super) more: Vec<(u32, u32)>,
    /// Words of a block that only some threads have.
    pub(super) partial: Vec<Partial>,
    /// Predicates that are bits of places.
    pub(super) bits: Vec<Bit>,
    /// Places of a block that hold a predicate as such a bit and nothing beside it.
    pub(super) single: Vec<(u32, u32)>,
    /// Words that some way here has written, among those that are numbered for that.
    pub(super) defined: BitSet,
    /// Of what is computed again, the originals that would give now what they have given, if they have given anything.
    pub(super) same: BitSet,
}

impl State {
    pub(super) fn holds(&self, place: usize, word: u32) -> bool {
        self.first[place] == word || self.more.contains(&(place as u32, word))
    }

    /// All that a place holds.
    pub(super) fn all(&self, place: usize) -> SmallVec<[u32; 2]> {
        let mut found = SmallVec::new();
        if self.first[place] != NOTHING {
            found.push(self.first[place]);
        }
        found.extend(
            self.more
                .iter()
                .filter(|(at, _)| *at as usize == place)
                .map(|(_, word)| *word),
        );
        found
    }

    pub(super) fn set(&mut self, place: usize, words: &[u32]) {
        if !self.more.is_empty() {
            self.more.retain(|(at, _)| *at as usize != place);
        }
        if !self.partial.is_empty() {
            self.partial.retain(|partial| partial.place as usize != place);
        }
        if !self.bits.is_empty() {
            self.bits.retain(|bit| bit.place as usize != place);
        }
        if !self.single.is_empty() {
            self.single.retain(|(single, _)| *single as usize != place);
        }
        self.first[place] = NOTHING;
        for &word in words {
            self.add(place, word);
        }
    }

    /// The predicates that a bit of a place says.
    pub(super) fn said(&self, place: usize, mask: u32) -> SmallVec<[u32; 2]> {
        let own = self
            .bits
            .iter()
            .filter(|bit| bit.place as usize == place && bit.mask == mask);
        own.map(|bit| bit.word).collect()
    }

    pub(super) fn add(&mut self, place: usize, word: u32) {
        if self.first[place] == NOTHING {
            self.first[place] = word;
        } else if !self.holds(place, word) {
            self.more.push((place as u32, word));
        }
    }

    /// The word has another value now.
    pub(super) fn forget(&mut self, word: u32) {
        /// Places that are compared at once.
        const STEP: usize = 16;
        if !self.more.is_empty() {
            self.more.retain(|(_, held)| *held != word);
        }
        if !self.bits.is_empty() {
            self.bits.retain(|bit| bit.word != word);
        }
        let (first, more) = (&mut self.first, &mut self.more);
        for (step, places) in first.chunks_mut(STEP).enumerate() {
            if !places.iter().fold(false, |found, held| found | (*held == word)) {
                continue;
            }
            for (index, held) in places.iter_mut().enumerate().filter(|(_, held)| **held == word) {
                let place = step * STEP + index;
                let other = more.iter().position(|(at, _)| *at as usize == place);
                *held = other.map_or(NOTHING, |at| more.swap_remove(at).1);
            }
        }
        if !self.partial.is_empty() {
            self.partial
                .retain(|partial| partial.word != word && partial.predicate != word);
        }
    }

    pub(super) fn places_of(&self, word: u32) -> SmallVec<[usize; 2]> {
        let first = self.first.iter().enumerate().filter(|(_, held)| **held == word);
        let more = self.more.iter().filter(|(_, held)| *held == word);
        first
            .map(|(place, _)| place)
            .chain(more.map(|(place, _)| *place as usize))
            .collect()
    }
}
