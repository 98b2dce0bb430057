//! How many values that would go to uniform registers are live at a time, and which of them had better stay: uniform registers are few, and are not spilled.

use rustc_hash::FxHashMap;
use warpsmith_sass::Access;

use super::shape::Shape;
use crate::ir::{Instruction, Register};

/// The most values in uniform registers that are live at a time. The machine has 63; descriptors and addresses that are made there anyway take the rest.
pub(super) const MOST: usize = 24;
/// The most words of uniform registers that are live at a time once tuples are made where their words are.
pub(super) const MOST_WORDS: usize = 32;

/// The values of `moved` that are to stay where they are so that nowhere more than `most` of those that go are live; of several, those that are live in the
/// most blocks.
pub(super) fn excess(
    shape: &Shape,
    order: &[usize],
    moved: impl Iterator<Item = Register>,
    most: usize,
) -> Vec<Register> {
    let mut members: Vec<Register> = moved.collect();
    if members.len() <= most {
        return Vec::new();
    }
    members.sort_unstable();
    let index: FxHashMap<Register, usize> = members
        .iter()
        .enumerate()
        .map(|(at, register)| (*register, at))
        .collect();
    let live = Live::of(shape, order, &index, members.len());
    let mut extent = vec![0_usize; members.len()];
    for &node in order {
        live.at_end[node].iter().for_each(|at| extent[at] += 1);
    }
    let mut stays = Set::new(members.len());
    for &node in order {
        let mut now = live.at_end[node].clone();
        now.remove_all(&stays);
        let instructions = shape.nodes[node].code.iter().rev();
        std::iter::once(None)
            .chain(instructions.map(Some))
            .for_each(|instruction| {
                if let Some(instruction) = instruction {
                    step(instruction, &index, &mut now);
                    now.remove_all(&stays);
                }
                while now.count() > most {
                    // The last of equals, so that the choice does not depend on how the set is walked.
                    let Some(victim) = now.iter().max_by_key(|at| (extent[*at], *at)) else {
                        break;
                    };
                    now.remove(victim);
                    stays.insert(victim);
                }
            });
    }
    stays.iter().map(|at| members[at]).collect()
}

/// The most words of some registers, each with how many it has, that are live at a time.
pub(super) fn peak(shape: &Shape, order: &[usize], registers: &[(Register, u8)]) -> usize {
    peaks(shape, order, registers).into_iter().max().unwrap_or(0)
}

/// [`peak`] of each node.
pub(super) fn peaks(shape: &Shape, order: &[usize], registers: &[(Register, u8)]) -> Vec<usize> {
    let mut index: FxHashMap<Register, usize> = FxHashMap::default();
    let mut count = 0;
    for (register, words) in registers {
        index.insert(*register, count);
        count += usize::from(*words);
    }
    let live = Live::of(shape, order, &index, count);
    let mut peaks = vec![0; shape.nodes.len()];
    for &node in order {
        let mut now = live.at_end[node].clone();
        let mut most = now.count();
        for instruction in shape.nodes[node].code.iter().rev() {
            step(instruction, &index, &mut now);
            most = most.max(now.count());
        }
        peaks[node] = most;
    }
    peaks
}

/// Liveness backwards over one instruction, of words whose numbers go on from the first of each register.
fn step(instruction: &Instruction, index: &FxHashMap<Register, usize>, live: &mut Set) {
    let touches = || {
        let known = instruction
            .touches()
            .filter_map(|touch| Some((touch, *index.get(&touch.register)?)));
        known.flat_map(|(touch, start)| {
            let first = start + usize::from(touch.word);
            (first..first + usize::from(touch.words)).map(move |at| (touch.access, at))
        })
    };
    // No definition stands under a guard.
    for (_, at) in touches().filter(|(access, _)| *access != Access::Read) {
        live.remove(at);
    }
    for (_, at) in touches().filter(|(access, _)| *access != Access::Write) {
        live.insert(at);
    }
}

/// Which values are live where nodes end.
struct Live {
    at_end: Vec<Set>,
}

impl Live {
    fn of(shape: &Shape, order: &[usize], index: &FxHashMap<Register, usize>, count: usize) -> Live {
        let mut at_start = vec![Set::new(count); shape.nodes.len()];
        let mut at_end = at_start.clone();
        let mut changed = true;
        while changed {
            changed = false;
            for &node in order.iter().rev() {
                let mut live = Set::new(count);
                for to in shape.nodes[node].targets() {
                    live.insert_all(&at_start[to]);
                }
                at_end[node] = live.clone();
                if let Some(branch) = shape.nodes[node].branch() {
                    step(branch, index, &mut live);
                }
                for instruction in shape.nodes[node].code.iter().rev() {
                    step(instruction, index, &mut live);
                }
                if live != at_start[node] {
                    at_start[node] = live;
                    changed = true;
                }
            }
        }
        Live { at_end }
    }
}

/// A set of small numbers.
#[derive(Clone, PartialEq, Eq)]
struct Set {
    words: Vec<u64>,
}

impl Set {
    fn new(size: usize) -> Set {
        Set {
            words: vec![0; size.div_ceil(64)],
        }
    }

    fn insert(&mut self, at: usize) {
        self.words[at / 64] |= 1 << (at % 64);
    }

    fn remove(&mut self, at: usize) {
        self.words[at / 64] &= !(1 << (at % 64));
    }

    fn insert_all(&mut self, other: &Set) {
        self.words
            .iter_mut()
            .zip(&other.words)
            .for_each(|(word, other)| *word |= other);
    }

    fn remove_all(&mut self, other: &Set) {
        self.words
            .iter_mut()
            .zip(&other.words)
            .for_each(|(word, other)| *word &= !other);
    }

    fn count(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.words.iter().enumerate().flat_map(|(at, word)| {
            let rest = std::iter::successors(Some(*word), |rest| Some(rest & rest.wrapping_sub(1)));
            let bits = rest.take_while(|rest| *rest != 0);
            bits.map(move |rest| at * 64 + rest.trailing_zeros() as usize)
        })
    }
}
