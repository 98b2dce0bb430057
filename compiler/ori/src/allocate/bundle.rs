//! Bundles: registers that get physical registers together, each at an offset of its own.
//!
//! A copy whose two registers are never live with different values at once needs none if both get the same physical register. So the registers of copies
//! are joined, the most frequent copies first: a register of one word becomes a word of the tuple that it is copied to or from.

use super::{
    physical::Files,
    ranges::{Ranges, Segment, Segments},
    touches::Touches,
};
use crate::ir::Function;
use smallvec::{SmallVec, smallvec};
use warpsmith_sass::RegisterClass;

/// Registers with fixed offsets to each other.
#[derive(Debug)]
pub(super) struct Bundle {
    pub(super) class: RegisterClass,
    /// Live segments of each word.
    pub(super) words: SmallVec<[Segments; 1]>,
    /// The number of the first physical register is `phase` more than a multiple of this power of two.
    pub(super) alignment: u16,
    pub(super) phase: u16,
    /// It must be this one.
    pub(super) fixed: Option<u8>,
    /// Its registers and their offsets.
    pub(super) members: SmallVec<[(u32, u16); 2]>,
}

impl Bundle {
    /// Where it starts to be live.
    pub(super) fn start(&self) -> u32 {
        let starts = self.words.iter().filter_map(|word| word.first());
        starts.map(|segment| segment.start).min().unwrap_or(0)
    }

    /// Positions at which its words are live, added up.
    pub(super) fn length(&self) -> u64 {
        let segments = self.words.iter().flatten();
        segments.map(|segment| u64::from(segment.end - segment.start)).sum()
    }

    /// Whether the first physical register may be this one.
    pub(super) fn suits(&self, number: u16) -> bool {
        number % self.alignment == self.phase
    }
}

/// Where what lives long may be. Uniform tuples of coordinates lie at multiples of eight: few values can live long in the same word of several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Long {
    /// In any tuple that it is copied to or from.
    Anywhere,
    /// Outside of such tuples.
    Outside,
}

impl Long {
    /// Positions of a life that is long.
    const LEAST: u64 = 64;
    /// The alignment of tuples of coordinates.
    const ALIGNMENT: u16 = 8;

    fn keeps_out(self, tuple: &Bundle, other: &Bundle) -> bool {
        let coordinates = tuple.class == RegisterClass::UniformGpr && tuple.alignment >= Long::ALIGNMENT;
        self == Long::Outside && coordinates && other.alignment < Long::ALIGNMENT && other.length() > Long::LEAST
    }
}

/// A copy of one word.
#[derive(Clone, Copy, Debug)]
pub(super) struct Copied {
    pub(super) to: (u32, u8),
    pub(super) from: (u32, u8),
    /// How often it is executed, by a guess.
    pub(super) weight: u32,
}

/// The bundles of a function, and where each register is.
#[derive(Debug, Default)]
pub(super) struct Bundles {
    pub(super) list: Vec<Bundle>,
    /// For each register, its bundle and its offset in it; `u32::MAX` for registers that are nowhere live.
    pub(super) place: Vec<(u32, u16)>,
}

/// Whether two sorted lists have a position in common.
pub(crate) fn overlap(a: &[Segment], b: &[Segment]) -> bool {
    let (few, many) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    if few.len() * 8 < many.len() {
        return few.iter().any(|segment| {
            let next = many.partition_point(|other| other.end <= segment.start);
            many.get(next).is_some_and(|other| other.start < segment.end)
        });
    }
    let (mut i, mut j) = (0, 0);
    while let (Some(x), Some(y)) = (few.get(i), many.get(j)) {
        if x.end <= y.start {
            i += 1;
        } else if y.end <= x.start {
            j += 1;
        } else {
            return true;
        }
    }
    false
}

/// Adds segments that overlap none that are there.
pub(super) fn merge(into: &mut Segments, from: Segments) {
    if into.is_empty() {
        *into = from;
        return;
    }
    if from.len() * 8 < into.len() {
        for segment in from {
            let at = into.partition_point(|other| other.start < segment.start);
            into.insert(at, segment);
        }
        return;
    }
    let old = std::mem::take(into);
    into.reserve(old.len() + from.len());
    let (mut a, mut b) = (old.into_iter().peekable(), from.into_iter().peekable());
    loop {
        let first = match (a.peek(), b.peek()) {
            (Some(x), Some(y)) => x.start <= y.start,
            (Some(_), None) => true,
            (None, Some(_)) => false,
            (None, None) => return,
        };
        if let Some(segment) = if first { a.next() } else { b.next() } {
            into.push(segment);
        }
    }
}

/// Why registers have no numbers at all: one is used as parts of tuples that cannot be aligned together.
pub(super) struct Misaligned {
    pub(super) register: u32,
}

impl Bundles {
    /// One bundle for each register that is live somewhere.
    pub(super) fn of(function: &Function, touches: &Touches, ranges: &Ranges) -> Result<Bundles, Misaligned> {
        let count = function.registers.len();
        let mut aligned: Vec<(u16, u16)> = vec![(1, 0); count];
        for index in 0..touches.len() {
            let touch = touches.get(index);
            let wanted = u16::from(touch.alignment);
            if wanted <= 1 || touch.words == 0 {
                continue;
            }
            // first + word is a multiple of the alignment.
            let phase = (wanted - u16::from(touch.word) % wanted) % wanted;
            let own = &mut aligned[touch.register as usize];
            let (small, large) = if own.0 <= wanted {
                (*own, (wanted, phase))
            } else {
                ((wanted, phase), *own)
            };
            if large.1 % small.0 != small.1 {
                return Err(Misaligned {
                    register: touch.register,
                });
            }
            *own = large;
        }
        let mut bundles = Bundles {
            list: Vec::new(),
            place: vec![(u32::MAX, 0); count],
        };
        for (register, info) in function.registers.iter().enumerate() {
            let first = ranges.first[register] as usize;
            let words = &ranges.words[first..first + usize::from(info.words)];
            if words.iter().all(|list| list.is_empty()) {
                continue;
            }
            bundles.place[register] = (bundles.list.len() as u32, 0);
            bundles.list.push(Bundle {
                class: info.class,
                words: words.iter().map(|list| Segments::from_slice(list)).collect(),
                alignment: aligned[register].0,
                phase: aligned[register].1,
                fixed: info.fixed,
                members: smallvec![(register as u32, 0)],
            });
        }
        Ok(bundles)
    }

    /// Joins the registers of copies where that is possible.
    pub(super) fn coalesce(&mut self, copies: &mut [Copied], files: &mut Files, long: Long) {
        // The sort is stable: equal weights stay in the order of the code.
        copies.sort_by_key(|copy| std::cmp::Reverse(copy.weight));
        for copy in copies.iter() {
            self.join(*copy, files, long);
        }
    }

    fn join(&mut self, copy: Copied, files: &mut Files, long: Long) {
        let (to, to_offset) = self.place[copy.to.0 as usize];
        let (from, from_offset) = self.place[copy.from.0 as usize];
        if to == from || to == u32::MAX || from == u32::MAX {
            return;
        }
        let (to_word, from_word) = (
            i32::from(to_offset) + i32::from(copy.to.1),
            i32::from(from_offset) + i32::from(copy.from.1),
        );
        // The wider stays; at equal width the one with more members.
        let rank = |index: u32| {
            let bundle = &self.list[index as usize];
            (bundle.fixed.is_some(), bundle.words.len(), bundle.members.len())
        };
        let (large, small, shift) = if rank(to) >= rank(from) {
            (to, from, to_word - from_word)
        } else {
            (from, to, from_word - to_word)
        };
        let Ok(shift) = u16::try_from(shift) else { return };
        if long.keeps_out(&self.list[large as usize], &self.list[small as usize])
            || !self.may_join(large, small, shift, files)
        {
            return;
        }
        let taken = std::mem::replace(
            &mut self.list[small as usize],
            Bundle {
                class: RegisterClass::Gpr,
                words: SmallVec::new(),
                alignment: 1,
                phase: 0,
                fixed: None,
                members: SmallVec::new(),
            },
        );
        if let Some(fixed) = self.list[large as usize].fixed {
            for (word, segments) in taken.words.iter().enumerate() {
                files.add(taken.class, u16::from(fixed) + shift + word as u16, segments, large);
            }
        }
        let bundle = &mut self.list[large as usize];
        for (word, segments) in taken.words.into_iter().enumerate() {
            merge(&mut bundle.words[usize::from(shift) + word], segments);
        }
        if taken.alignment > bundle.alignment {
            bundle.phase = (taken.phase + taken.alignment - shift % taken.alignment) % taken.alignment;
            bundle.alignment = taken.alignment;
        }
        for (register, offset) in taken.members {
            self.place[register as usize] = (large, offset + shift);
            bundle.members.push((register, offset + shift));
        }
    }

    fn may_join(&self, large: u32, small: u32, shift: u16, files: &Files) -> bool {
        let (a, b) = (&self.list[large as usize], &self.list[small as usize]);
        if a.class != b.class || b.fixed.is_some() || usize::from(shift) + b.words.len() > a.words.len() {
            return false;
        }
        // first(b) = first(a) + shift.
        let least = a.alignment.min(b.alignment);
        if (a.phase + shift) % least != b.phase % least {
            return false;
        }
        if let Some(fixed) = a.fixed {
            let first = u16::from(fixed) + shift;
            if !b.suits(first) {
                return false;
            }
            let is_free = |(word, segments): (usize, &Segments)| files.is_free(a.class, first + word as u16, segments);
            return b.words.iter().enumerate().all(is_free);
        }
        let mut pairs = a.words[usize::from(shift)..].iter().zip(&b.words);
        !pairs.any(|(a, b)| overlap(a, b))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One word of a bundle is live here.
    fn live(start: u32, end: u32) -> Segments {
        Segments::from_slice(&[Segment { start, end }])
    }

    fn bundle(register: u32, words: &[Segments], alignment: u16) -> Bundle {
        Bundle {
            class: RegisterClass::UniformGpr,
            words: words.iter().cloned().collect(),
            alignment,
            phase: 0,
            fixed: None,
            members: smallvec![(register, 0)],
        }
    }

    /// A tuple of coordinates, and a value that is copied to its second word; how many bundles there are once copies are joined.
    fn joined(value: Segments, long: Long) -> usize {
        let tuple: Vec<Segments> = (0..4).map(|_| live(200, 210)).collect();
        let mut bundles = Bundles {
            list: vec![bundle(0, &tuple, 8), bundle(1, &[value], 1)],
            place: vec![(0, 0), (1, 0)],
        };
        let copy = Copied {
            to: (0, 1),
            from: (1, 0),
            weight: 1,
        };
        bundles.coalesce(&mut [copy], &mut Files::new(), long);
        bundles.list.iter().filter(|bundle| !bundle.members.is_empty()).count()
    }

    #[test]
    fn what_lives_long_keeps_out_of_coordinates_where_these_find_no_place() {
        assert_eq!(joined(live(0, 200), Long::Anywhere), 1);
        assert_eq!(joined(live(0, 200), Long::Outside), 2);
        assert_eq!(joined(live(180, 200), Long::Outside), 1);
    }
}
