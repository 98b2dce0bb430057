//! How many values that would go to uniform registers are live at a time, and which of them had better stay: uniform registers are few, and are not spilled.

use warpsmith_sass::Access;

use super::{contended, shape::Shape};
use crate::{
    graph::ControlFlow,
    ir::{Function, Instruction, Register},
};

/// The most values in uniform registers that are live at a time. What the machine has beside, descriptors and addresses that are made there anyway take, and
/// the constants of such that stay for a loop.
pub(super) fn most(function: &Function) -> usize {
    (function.sm.info().registers.uniform as usize).saturating_sub(31)
}

/// The most values in uniform registers that are live in a block with a call, which leaves 27 alone.
pub(super) const MOST_AT_CALLS: usize = 16;

/// The most words of uniform registers that are live at a time once tuples are made where their words are.
pub(super) fn most_words(function: &Function) -> usize {
    (function.sm.info().registers.uniform as usize).saturating_sub(31)
}

/// How many times more often than what is around it a loop is guessed to run.
const TURNS: u64 = 8;
/// The deepest loop that counts as one.
const DEEPEST: u32 = 4;

/// The values of `moved` that are to stay where they are so that nowhere more than `most` of those that go are live, and not more than `at_calls` in a block
/// with a call; of several, those that are live in many
/// blocks for how often they are read.
pub(super) fn excess(
    shape: &Shape,
    flow: &ControlFlow,
    moved: impl Iterator<Item = Register>,
    (most, at_calls): (usize, usize),
) -> Vec<Register> {
    let mut members: Vec<Register> = moved.collect();
    let order = &flow.order;
    let calls = || order.iter().any(|node| contended::calls(shape, *node));
    if members.len() <= most.min(at_calls) || members.len() <= most && !calls() {
        return Vec::new();
    }
    members.sort_unstable();
    let numbers = Numbers::of(members.iter().map(|register| (*register, 1)));
    let live = Live::of(shape, order, &numbers);
    let (mut extent, mut reads) = (vec![0_u64; members.len()], vec![1_u64; members.len()]);
    for &node in order {
        live.at_end[node].iter().for_each(|at| extent[at] += 1);
        let depth = flow.innermost[node].map_or(0, |inner| flow.loops[inner].depth);
        let often = TURNS.pow(depth.min(DEEPEST));
        for event in live.of_code(node).iter().filter(|event| event.is_read) {
            reads[event.first as usize] += often;
        }
    }
    // Fixed-point, so that values are in an order whatever they are compared with.
    let cost: Vec<u64> = extent
        .iter()
        .zip(&reads)
        .map(|(extent, reads)| (extent << 20) / reads)
        .collect();
    let mut stays = Set::new(members.len());
    for &node in order {
        let mut now = live.at_end[node].clone();
        let most = if contended::calls(shape, node) {
            at_calls.min(most)
        } else {
            most
        };
        let mut limit = |now: &mut Set| {
            now.remove_all(&stays);
            while now.count() > most {
                // The last of equals, so that the choice does not depend on how the set is walked.
                let Some(victim) = now.iter().max_by_key(|at| (cost[*at], *at)) else {
                    break;
                };
                now.remove(victim);
                stays.insert(victim);
            }
        };
        limit(&mut now);
        for event in live.of_code(node) {
            event.apply(&mut now);
            if event.is_last {
                limit(&mut now);
            }
        }
    }
    stays.iter().map(|at| members[at]).collect()
}

/// The most words of some registers, each with how many it has, that are live at a time.
pub(super) fn peak(shape: &Shape, order: &[usize], registers: &[(Register, u8)]) -> usize {
    peaks(shape, order, registers).into_iter().max().unwrap_or(0)
}

/// [`peak`] of each node.
pub(super) fn peaks(shape: &Shape, order: &[usize], registers: &[(Register, u8)]) -> Vec<usize> {
    let live = Live::of(shape, order, &Numbers::of(registers.iter().copied()));
    let mut peaks = vec![0; shape.nodes.len()];
    for &node in order {
        let mut now = live.at_end[node].clone();
        let mut most = now.count();
        for event in live.of_code(node) {
            event.apply(&mut now);
            if event.is_last {
                most = most.max(now.count());
            }
        }
        peaks[node] = most;
    }
    peaks
}

/// Numbers of the words of some registers, which go on from the first of each.
struct Numbers {
    /// For each register the number of its first word; [`Numbers::NONE`] for one without.
    first: Vec<u32>,
    count: usize,
}

impl Numbers {
    const NONE: u32 = u32::MAX;

    fn of(registers: impl Iterator<Item = (Register, u8)> + Clone) -> Numbers {
        let size = registers.clone().map(|(register, _)| register.0 as usize + 1).max();
        let mut first = vec![Numbers::NONE; size.unwrap_or(0)];
        let mut count = 0;
        for (register, words) in registers {
            first[register.0 as usize] = count;
            count += u32::from(words);
        }
        let count = count as usize;
        Numbers { first, count }
    }

    fn get(&self, register: Register) -> Option<u32> {
        let first = self.first.get(register.0 as usize).copied();
        first.filter(|first| *first != Numbers::NONE)
    }
}

/// What an instruction does to some words, read backwards.
struct Event {
    /// The number of the first word.
    first: u32,
    words: u8,
    /// They are read, and live from here on; otherwise written, and not.
    is_read: bool,
    /// The last event of its instruction.
    is_last: bool,
}

impl Event {
    fn apply(&self, live: &mut Set) {
        let first = self.first as usize;
        (first..first + usize::from(self.words)).for_each(|at| match self.is_read {
            true => live.insert(at),
            false => live.remove(at),
        });
    }
}

/// Adds the events of an instruction: what it writes, then what it reads. No definition stands under a guard.
fn add_events(instruction: &Instruction, numbers: &Numbers, events: &mut Vec<Event>) {
    let start = events.len();
    for touch in instruction.touches() {
        let Some(first) = numbers.get(touch.register) else {
            continue;
        };
        let event = |is_read| Event {
            first: first + u32::from(touch.word),
            words: touch.words,
            is_read,
            is_last: false,
        };
        match touch.access {
            Access::Read => events.push(event(true)),
            Access::Write => events.push(event(false)),
            Access::ReadWrite => events.extend([event(false), event(true)]),
        }
    }
    events[start..].sort_by_key(|event| event.is_read);
    if let Some(last) = events[start..].last_mut() {
        last.is_last = true;
    }
}

/// Which values are live where nodes end.
struct Live {
    at_end: Vec<Set>,
    /// The events of all nodes, each node's backwards.
    events: Vec<Event>,
    /// For each node, where its events start with those of its branch, where those of its code do, and where they end.
    places: Vec<[usize; 3]>,
}

impl Live {
    fn of(shape: &Shape, order: &[usize], numbers: &Numbers) -> Live {
        let mut live = Live {
            at_end: vec![Set::new(numbers.count); shape.nodes.len()],
            events: Vec::new(),
            places: vec![[0; 3]; shape.nodes.len()],
        };
        for &node in order {
            let start = live.events.len();
            if let Some(branch) = shape.nodes[node].branch() {
                add_events(branch, numbers, &mut live.events);
            }
            let code = live.events.len();
            for instruction in shape.nodes[node].code.iter().rev() {
                add_events(instruction, numbers, &mut live.events);
            }
            live.places[node] = [start, code, live.events.len()];
        }
        live.spread(shape, order, numbers.count);
        live
    }

    /// The events of a node's code, without its branch.
    fn of_code(&self, node: usize) -> &[Event] {
        let [_, code, end] = self.places[node];
        &self.events[code..end]
    }

    /// Finds what is live where nodes end.
    fn spread(&mut self, shape: &Shape, order: &[usize], count: usize) {
        let mut at_start = self.at_end.clone();
        let mut now = Set::new(count);
        let mut changed = true;
        while changed {
            changed = false;
            for &node in order.iter().rev() {
                now.words.fill(0);
                for to in shape.nodes[node].targets() {
                    now.insert_all(&at_start[to]);
                }
                self.at_end[node].clone_from(&now);
                let [start, _, end] = self.places[node];
                self.events[start..end].iter().for_each(|event| event.apply(&mut now));
                if now != at_start[node] {
                    at_start[node].clone_from(&now);
                    changed = true;
                }
            }
        }
    }
}

/// A set of small numbers.
#[derive(PartialEq, Eq)]
struct Set {
    words: Vec<u64>,
}

impl Clone for Set {
    fn clone(&self) -> Set {
        Set {
            words: self.words.clone(),
        }
    }

    fn clone_from(&mut self, other: &Set) {
        self.words.clone_from(&other.words);
    }
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
