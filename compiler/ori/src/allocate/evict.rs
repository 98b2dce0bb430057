//! Placing what found no place: what is easier to place elsewhere gives its registers up, and is placed anew.
//!
//! Orders place each bundle once, so that a few narrow ones can lie in the middle of the only gap that a wide one fits. Who gives up is always lesser than who
//! takes, by the choice, the width and the length, so that it ends.

use std::{cmp::Reverse, collections::BinaryHeap};

use warpsmith_sass::RegisterClass;

use super::{
    bundle::{Bundle, Bundles},
    physical::{DESTROYED, Files},
};

/// How many bundles may be placed anew, for each that there is: a gap for a wide one that lives long may hold hundreds of short ones.
const EACH: usize = 2;

/// How hard a bundle is to place: in few registers, wide, long. The last keeps the order the same in each run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Hard {
    /// In how many registers it could be if nothing else had been placed, in quarters of the file: a few more or less say nothing.
    choice: Reverse<u32>,
    width: usize,
    length: u64,
    index: u32,
}

/// What is placed anew.
struct Eviction<'b> {
    bundles: &'b Bundles,
    class: RegisterClass,
    limit: u32,
    /// What is there before any bundle is placed.
    empty: &'b Files,
    files: Files,
    numbers: Vec<Option<u16>>,
    /// How hard each bundle is to place, once known.
    hard: Vec<Option<Hard>>,
}

/// Numbers for all bundles of a file, where `numbers` has none for those that `failed`; none if that is not found.
pub(super) fn place_all(
    bundles: &Bundles,
    class: RegisterClass,
    limit: u32,
    files: &Files,
    (numbers, failed): (&[Option<u16>], &[u32]),
) -> Option<Vec<Option<u16>>> {
    let mut eviction = Eviction {
        bundles,
        class,
        limit,
        empty: files,
        files: files.of_class(class),
        numbers: numbers.to_vec(),
        hard: vec![None; bundles.list.len()],
    };
    for (index, bundle) in (0..).zip(&bundles.list) {
        if let (true, None, Some(number)) = (bundle.class == class, bundle.fixed, numbers[index as usize]) {
            eviction.add(index, number);
        }
    }
    let mut waiting: BinaryHeap<Hard> = failed.iter().map(|index| eviction.hard(*index)).collect();
    let mut left = EACH * bundles.list.len();
    while let Some(hard) = waiting.pop() {
        left = left.checked_sub(1)?;
        let (number, gone) = eviction.choose(hard)?;
        for index in gone {
            eviction.remove(index);
            waiting.push(eviction.hard(index));
        }
        eviction.add(hard.index, number);
    }
    Some(eviction.numbers)
}

impl Eviction<'_> {
    fn bundle(&self, index: u32) -> &Bundle {
        &self.bundles.list[index as usize]
    }

    fn hard(&mut self, index: u32) -> Hard {
        if let Some(known) = self.hard[index as usize] {
            return known;
        }
        let bundle = self.bundle(index);
        let choice = self.empty.choice(self.class, &bundle.words, self.limit);
        let hard = Hard {
            choice: Reverse((4 * choice / self.limit.max(1)).min(3)),
            width: bundle.words.len(),
            length: bundle.length(),
            index,
        };
        self.hard[index as usize] = Some(hard);
        hard
    }

    fn add(&mut self, index: u32, number: u16) {
        let bundle = &self.bundles.list[index as usize];
        for (word, segments) in (0..).zip(&bundle.words) {
            self.files.add(self.class, number + word, segments, index);
        }
        self.numbers[index as usize] = Some(number);
    }

    fn remove(&mut self, index: u32) {
        let bundle = &self.bundles.list[index as usize];
        if let Some(number) = self.numbers[index as usize].take() {
            for (word, segments) in (0..).zip(&bundle.words) {
                self.files.remove(self.class, number + word, segments, index);
            }
        }
    }

    /// The number where the least has to give way, and what that is.
    fn choose(&mut self, hard: Hard) -> Option<(u16, Vec<u32>)> {
        let bundle = &self.bundles.list[hard.index as usize];
        let last = self.limit.checked_sub(hard.width as u32)? as u16;
        let mut best: Option<(u64, u16, Vec<u32>)> = None;
        for number in (bundle.phase..=last).step_by(usize::from(bundle.alignment.max(1))) {
            let Some((cost, gone)) = self.cost(hard, number, best.as_ref().map_or(u64::MAX, |best| best.0)) else {
                continue;
            };
            let free = gone.is_empty();
            best = Some((cost, number, gone));
            if free {
                break;
            }
        }
        best.map(|(_, number, gone)| (number, gone))
    }

    /// What has to give way for a bundle at a number, if all of that may and costs less than so much.
    fn cost(&mut self, hard: Hard, number: u16, most: u64) -> Option<(u64, Vec<u32>)> {
        let bundle = &self.bundles.list[hard.index as usize];
        let mut gone: Vec<u32> = Vec::new();
        let mut conflicts = Vec::new();
        let mut cost = 0;
        for (word, segments) in (0..).zip(&bundle.words) {
            conflicts.clear();
            self.files
                .conflicts(self.class, number + word, segments, &mut conflicts);
            for &index in &conflicts {
                if index == DESTROYED || self.bundle(index).fixed.is_some() {
                    return None;
                }
                if gone.contains(&index) {
                    continue;
                }
                let other = self.hard(index);
                // Words that are long and have little choice are placed anew with most effort.
                cost += other.length * other.width as u64;
                if other >= hard || cost >= most {
                    return None;
                }
                gone.push(index);
            }
        }
        Some((cost, gone))
    }
}

#[cfg(test)]
mod tests {
    use smallvec::smallvec;

    use super::{
        super::ranges::{Segment, Segments},
        *,
    };

    /// A bundle of so many words that are live all the time.
    fn bundle(register: u32, words: usize, alignment: u16) -> Bundle {
        let all = Segments::from_slice(&[Segment { start: 0, end: 10 }]);
        Bundle {
            class: RegisterClass::Gpr,
            words: (0..words).map(|_| all.clone()).collect(),
            alignment,
            phase: 0,
            fixed: None,
            members: smallvec![(register, 0)],
        }
    }

    /// Four words at 0, one in the middle of the next four, and four that find no place.
    fn placed(limit: u32) -> Option<Vec<Option<u16>>> {
        let bundles = Bundles {
            list: vec![bundle(0, 4, 4), bundle(1, 1, 1), bundle(2, 4, 4)],
            place: vec![(0, 0), (1, 0), (2, 0)],
        };
        let numbers = [Some(0), Some(5), None];
        place_all(&bundles, RegisterClass::Gpr, limit, &Files::new(), (&numbers, &[2]))
    }

    #[test]
    fn a_narrow_bundle_leaves_the_gap_of_a_wide_one() {
        assert_eq!(placed(9), Some(vec![Some(0), Some(8), Some(4)]));
        // There is no register that it could go to.
        assert_eq!(placed(8), None);
    }
}
