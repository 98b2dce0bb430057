//! The physical registers and what is live in each.

use warpsmith_sass::RegisterClass;

use super::held::{Held, Row};
use super::ranges::{Segment, Segments};

/// In place of a bundle: the register is destroyed.
pub(super) const DESTROYED: u32 = u32::MAX;

/// The files that are allocated, in the order in which spilling goes.
pub(super) const CLASSES: [RegisterClass; 5] = [
    RegisterClass::Barrier,
    RegisterClass::UniformPredicate,
    RegisterClass::Predicate,
    RegisterClass::UniformGpr,
    RegisterClass::Gpr,
];

fn index(class: RegisterClass) -> usize {
    match class {
        RegisterClass::Gpr => 0,
        RegisterClass::UniformGpr => 1,
        RegisterClass::Predicate => 2,
        RegisterClass::UniformPredicate => 3,
        RegisterClass::Barrier => 4,
        RegisterClass::Scoreboard => 5,
    }
}

/// One bit for each register of a file.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Registers([u64; 4]);

impl Registers {
    const ALL: Registers = Registers([u64::MAX; 4]);

    #[inline]
    fn add(&mut self, other: &Registers) {
        self.0.iter_mut().zip(other.0).for_each(|(word, other)| *word |= other);
    }

    /// The registers from `count` on, with numbers from 0 on.
    #[inline]
    fn from(&self, count: usize) -> Registers {
        let (words, bits) = (count / 64, count % 64);
        let word = |at: usize| self.0.get(at).copied().unwrap_or(u64::MAX);
        Registers(std::array::from_fn(|at| match bits {
            0 => word(at + words),
            _ => word(at + words) >> bits | word(at + words + 1) << (64 - bits),
        }))
    }

    #[inline]
    fn insert(&mut self, number: u16) {
        self.0[usize::from(number) / 64] |= 1 << (number % 64);
    }

    #[inline]
    fn remove(&mut self, number: u16) {
        self.0[usize::from(number) / 64] &= !(1 << (number % 64));
    }

    #[inline]
    fn contains(&self, number: u16) -> bool {
        let word = self.0.get(usize::from(number) / 64);
        word.is_some_and(|word| word >> (number % 64) & 1 != 0)
    }
}

/// Positions of a stretch, for which is known in which registers something is live.
const STRETCH: u32 = 32;

/// In which registers something is live in a stretch.
#[derive(Clone, Copy, Debug, Default)]
struct Stretch {
    /// Somewhere in it.
    somewhere: Registers,
    /// All through it, as one segment.
    throughout: Registers,
}

/// What is known at once of the registers of a file, of each as the first of several for the words of a bundle.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Busy {
    /// Something is live where the bundle is for certain.
    certain: Registers,
    /// Something may be.
    possible: Registers,
}

impl Busy {
    /// The next number from one on that may be free, not above the last.
    #[inline]
    pub(super) fn next(&self, from: u16, last: u16) -> Option<u16> {
        let mut at = usize::from(from) / 64;
        let mut word = !self.certain.0.get(at)? & u64::MAX << (from % 64);
        while word == 0 {
            at += 1;
            word = !*self.certain.0.get(at)?;
        }
        let number = (at * 64) as u16 + word.trailing_zeros() as u16;
        (number <= last).then_some(number)
    }

    /// Whether nothing is live where the bundle is; none where that has to be looked up.
    #[inline]
    pub(super) fn is_free(&self, number: u16) -> Option<bool> {
        match (self.certain.contains(number), self.possible.contains(number)) {
            (true, _) => Some(false),
            (false, false) => Some(true),
            (false, true) => None,
        }
    }
}

/// The registers of a file.
#[derive(Clone, Debug, Default)]
struct File {
    /// For each register, what is live in it, in order.
    held: Vec<Row>,
    /// The stretches up to the last position at which something is live.
    stretches: Vec<Stretch>,
}

/// What is live in the registers of every file.
#[derive(Clone, Debug)]
pub(super) struct Files {
    files: [File; 6],
}

impl Files {
    pub(super) fn new() -> Files {
        Files {
            files: [256, 256, 8, 8, 16, 0].map(|count| File {
                held: vec![Row::default(); count],
                stretches: Vec::new(),
            }),
        }
    }

    /// The registers of one file alone.
    pub(super) fn of_class(&self, class: RegisterClass) -> Files {
        let mut files: [File; 6] = Default::default();
        files[index(class)].clone_from(&self.files[index(class)]);
        Files { files }
    }

    fn register(&self, class: RegisterClass, number: u16) -> Option<&Row> {
        self.files[index(class)].held.get(usize::from(number))
    }

    /// In which registers of a file something is live at any of the positions of these words, of each register as the first of several, as far as that is known
    /// at once.
    pub(super) fn busy(&self, class: RegisterClass, words: &[Segments]) -> Busy {
        let mut all = Busy::default();
        let mut one = Busy::default();
        for (at, segments) in words.iter().enumerate() {
            if at == 0 || words[at - 1] != *segments {
                one = self.busy_at(class, segments);
            }
            all.certain.add(&one.certain.from(at));
            all.possible.add(&one.possible.from(at));
        }
        all
    }

    fn busy_at(&self, class: RegisterClass, segments: &[Segment]) -> Busy {
        let stretches = &self.files[index(class)].stretches;
        let mut busy = Busy::default();
        for segment in segments {
            if segment.start >= segment.end {
                busy.possible = Registers::ALL;
                continue;
            }
            let (first, last) = (segment.start / STRETCH, (segment.end - 1) / STRETCH);
            for at in [first, last] {
                if let Some(stretch) = stretches.get(at as usize) {
                    busy.certain.add(&stretch.throughout);
                    busy.possible.add(&stretch.somewhere);
                }
            }
            let inner = (first as usize + 1).min(stretches.len())..(last as usize).min(stretches.len());
            if !inner.is_empty() {
                let inner = stretches[inner].iter();
                inner.for_each(|stretch| busy.certain.add(&stretch.somewhere));
            }
        }
        busy
    }

    /// Whether nothing is live in a register at any of these positions.
    pub(super) fn is_free(&self, class: RegisterClass, number: u16, segments: &[Segment]) -> bool {
        let Some(held) = self.register(class, number) else {
            return false;
        };
        let Some(first) = segments.first() else { return true };
        let mut at = held.ending_after(first.start);
        for segment in segments {
            let mut steps = 0;
            while held.get(at).is_some_and(|other| other.end <= segment.start) {
                at = held.after(at);
                steps += 1;
                if steps > 8 {
                    at = held.ending_after(segment.start);
                    break;
                }
            }
            match held.get(at) {
                Some(other) if other.start < segment.end => return false,
                Some(_) => {}
                None => return true,
            }
        }
        true
    }

    /// Whether registers of a file are destroyed anywhere, or are not there.
    pub(super) fn are_destroyed(&self, class: RegisterClass) -> bool {
        let held = self.files[index(class)].held.iter().flat_map(Row::iter);
        { held }.any(|held| held.bundle == DESTROYED)
    }

    /// In how many of the registers below `limit` words could be live, each alone: the fewest of any word.
    pub(super) fn choice(&self, class: RegisterClass, words: &[Segments], limit: u32) -> u32 {
        let each = words.iter().enumerate().map(|(at, segments)| {
            if at > 0 && words[at - 1] == *segments {
                return limit;
            }
            let busy = self.busy_at(class, segments);
            let free = |number: &u16| {
                busy.is_free(*number)
                    .unwrap_or_else(|| self.is_free(class, *number, segments))
            };
            (0..limit as u16).filter(free).count() as u32
        });
        each.min().unwrap_or(limit)
    }

    /// Whether something is live in a register at a position.
    pub(super) fn is_busy_at(&self, class: RegisterClass, number: u16, position: u32) -> bool {
        let stretch = self.files[index(class)].stretches.get((position / STRETCH) as usize);
        if !stretch.is_some_and(|stretch| stretch.somewhere.contains(number)) {
            return false;
        }
        self.register(class, number).is_some_and(|held| {
            let next = held.get(held.ending_after(position));
            next.is_some_and(|other| other.start <= position)
        })
    }

    /// Where something was live in a register last before a position.
    pub(super) fn last_use(&self, class: RegisterClass, number: u16, position: u32) -> Option<u32> {
        let held = self.register(class, number)?;
        held.before(held.ending_after(position)).map(|held| held.end)
    }

    /// A bundle is live in a register at these positions, which are free.
    pub(super) fn add(&mut self, class: RegisterClass, number: u16, segments: &[Segment], bundle: u32) {
        let File { held, stretches } = &mut self.files[index(class)];
        let Some(held) = held.get_mut(usize::from(number)) else {
            return;
        };
        for segment in segments {
            note(stretches, number, segment);
            held.insert(Held {
                start: segment.start,
                end: segment.end,
                bundle,
            });
        }
    }

    /// The last register below `limit` that is free at all of these positions.
    pub(super) fn free(&self, class: RegisterClass, limit: u16, segments: &[Segment]) -> Option<u16> {
        let mut numbers = (0..limit).rev();
        numbers.find(|number| self.is_free(class, *number, segments))
    }

    /// Takes a register below `limit` for each of some words, wherever in the file, where these are live; says whether there are any.
    pub(super) fn take<'a>(
        &mut self,
        class: RegisterClass,
        limit: u16,
        words: impl Iterator<Item = &'a [Segment]>,
    ) -> bool {
        let mut taken: Vec<(u16, &[Segment])> = Vec::new();
        for segments in words {
            match self.free(class, limit, segments) {
                Some(number) => {
                    self.add(class, number, segments, DESTROYED);
                    taken.push((number, segments));
                }
                None => {
                    for (number, segments) in taken {
                        self.remove(class, number, segments, DESTROYED);
                    }
                    return false;
                }
            }
        }
        true
    }

    /// A bundle is no longer live in a register at these positions.
    pub(super) fn remove(&mut self, class: RegisterClass, number: u16, segments: &[Segment], bundle: u32) {
        let File { held, stretches } = &mut self.files[index(class)];
        let Some(held) = held.get_mut(usize::from(number)) else {
            return;
        };
        for segment in segments.iter().filter(|segment| segment.start < segment.end) {
            let same = |other: &Held| other.bundle == bundle && other.end == segment.end;
            let mut at = held.starting_from(segment.start);
            while let Some(other) = held.get(at).filter(|other| other.start == segment.start) {
                if same(other) {
                    held.remove(at);
                    break;
                }
                at = held.after(at);
            }
            for at in segment.start / STRETCH..=(segment.end - 1) / STRETCH {
                stretches[at as usize].somewhere.remove(number);
                stretches[at as usize].throughout.remove(number);
                let others = held.from(held.ending_after(at * STRETCH));
                for other in others.take_while(|other| other.start < (at + 1) * STRETCH) {
                    note_in(stretches, number, other.start..other.end, at);
                }
            }
        }
    }

    /// The bundles that are live in a register at any of these positions; may hold a bundle more than once.
    pub(super) fn conflicts(&self, class: RegisterClass, number: u16, segments: &[Segment], found: &mut Vec<u32>) {
        let Some(held) = self.register(class, number) else {
            return;
        };
        for segment in segments {
            let others = held.from(held.ending_after(segment.start));
            for other in others.take_while(|other| other.start < segment.end) {
                if found.last() != Some(&other.bundle) {
                    found.push(other.bundle);
                }
            }
        }
    }
}

/// Notes in the stretches that something is live in a register.
fn note(stretches: &mut Vec<Stretch>, number: u16, segment: &Segment) {
    if segment.start >= segment.end {
        return;
    }
    let (first, last) = (segment.start / STRETCH, (segment.end - 1) / STRETCH);
    if stretches.len() <= last as usize {
        stretches.resize(last as usize + 1, Stretch::default());
    }
    for at in first..=last {
        note_in(stretches, number, segment.start..segment.end, at);
    }
}

/// The same for one stretch alone.
fn note_in(stretches: &mut [Stretch], number: u16, live: std::ops::Range<u32>, at: u32) {
    let stretch = &mut stretches[at as usize];
    stretch.somewhere.insert(number);
    if live.start <= at * STRETCH && (at + 1) * STRETCH <= live.end {
        stretch.throughout.insert(number);
    }
}
