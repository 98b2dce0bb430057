//! An order of a block that needs few registers: from the end up, what makes a value comes right before what uses it.
//!
//! Programs that are made by unrolling load all that a block needs at its start. Where that is more than there are registers, an order from the start on
//! has lost before it begins: what it can put off it does not know. From the end on, what is needed is known, and of what can come before it the
//! instruction is taken that leaves fewest registers live.

use std::{cmp::Reverse, collections::BTreeSet};

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::{dependences::Dependences, pressure::Pressure};

/// How many candidates are looked at, the last of the program first.
const CANDIDATES: usize = 64;

/// How many of those that what was put last has made free are looked at as well: what makes the addresses of many stores may stand far before all of them.
const RECENT: usize = 16;

/// Which instruction is taken where each makes more registers live.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Choice {
    /// The one that makes fewest live.
    Fewest,
    /// The same, but what many others read as well counts for nothing: the address of many loads, of which the first would seem to make more live than it ends.
    Alone,
    /// The one that makes fewest live together with those that can come right before it then and make fewer live: the load of what only some threads load, with
    /// what gives its address and what the others have.
    Together,
    /// The one whose operands are given alone, or by what has most of its results read already: of a load that gives many words, all are live as long as one
    /// has no reader yet.
    Closest,
}

/// All of them: which is best depends on the block.
pub(super) const CHOICES: [Choice; 4] = [Choice::Fewest, Choice::Alone, Choice::Together, Choice::Closest];

/// Readers of a word that are many.
const MANY: u32 = 12;

/// Which words of what an instruction of the block makes are live.
struct Results {
    /// For each instruction, the words of the block that it reads: their makers, and their numbers.
    reads: Vec<SmallVec<[(u32, u32); 4]>>,
    /// For each word that is read, whether it is live.
    live: Vec<bool>,
    /// For each instruction, how many words of it that are read are not live.
    waiting: Vec<u32>,
}

impl Results {
    fn of(dependences: &Dependences) -> Results {
        let nodes = &dependences.nodes;
        let mut writers: FxHashMap<u32, (u32, Option<u32>)> = FxHashMap::default();
        let mut results = Results {
            reads: Vec::with_capacity(nodes.len()),
            live: Vec::new(),
            waiting: vec![0; nodes.len()],
        };
        for (at, node) in nodes.iter().enumerate() {
            let mut reads = SmallVec::new();
            for word in &node.reads {
                let Some((maker, number)) = writers.get_mut(word) else {
                    continue;
                };
                let number = *number.get_or_insert_with(|| {
                    results.live.push(false);
                    results.waiting[*maker as usize] += 1;
                    results.live.len() as u32 - 1
                });
                if !reads.contains(&(*maker, number)) {
                    reads.push((*maker, number));
                }
            }
            results.reads.push(reads);
            for word in &node.writes {
                writers.insert(*word, (at as u32, None));
            }
        }
        results
    }

    /// How many words of what makes an operand of an instruction are not live even when this one has its place: others must have theirs before all that is
    /// given at once can be put. The most of its operands.
    fn left(&self, at: u32) -> u32 {
        let reads = &self.reads[at as usize];
        let left = reads.iter().map(|(maker, _)| {
            let own = |read: &&(u32, u32)| read.0 == *maker && !self.live[read.1 as usize];
            self.waiting[*maker as usize] - reads.iter().filter(own).count() as u32
        });
        left.max().unwrap_or(0)
    }

    /// An instruction has its place.
    fn put(&mut self, at: u32) {
        for (maker, word) in &self.reads[at as usize] {
            if !std::mem::replace(&mut self.live[*word as usize], true) {
                self.waiting[*maker as usize] -= 1;
            }
        }
    }
}

/// The order.
pub(super) fn order(dependences: &Dependences, pressure: &mut Pressure<'_, '_>, choice: Choice) -> Vec<u32> {
    let nodes = &dependences.nodes;
    let mut results = Results::of(dependences);
    let mut before: Vec<SmallVec<[u32; 4]>> = Vec::new();
    before.resize_with(nodes.len(), SmallVec::new);
    let mut after: Vec<u32> = Vec::with_capacity(nodes.len());
    for (at, node) in nodes.iter().enumerate() {
        after.push(node.edges.len() as u32);
        for edge in &node.edges {
            before[edge.to as usize].push(at as u32);
        }
    }
    let mut free: BTreeSet<u32> = (0..nodes.len() as u32).filter(|at| after[*at as usize] == 0).collect();
    let mut order = Vec::with_capacity(nodes.len());
    let mut recent: Vec<u32> = Vec::new();
    pressure.end();
    loop {
        let last = free.iter().rev().take(CANDIDATES).copied();
        let candidates = last.chain(recent.iter().copied());
        let key = |at: &u32| {
            let growth = pressure.growth_before(*at);
            let (left, growth) = match choice {
                Choice::Closest if growth > 0 => (1 + results.left(*at), growth),
                Choice::Together if growth > 0 => {
                    let next = before[*at as usize].iter().filter(|next| after[**next as usize] == 1);
                    let growths = next.map(|next| pressure.growth_before_both(*next, *at).min(0));
                    (0, growth + growths.sum::<i32>())
                }
                Choice::Alone => (0, pressure.growth_before_alone(*at, MANY)),
                Choice::Closest | Choice::Fewest | Choice::Together => (0, growth),
            };
            (left, growth, Reverse(*at))
        };
        let Some(best) = candidates.min_by_key(key) else {
            break;
        };
        results.put(best);
        free.remove(&best);
        recent.retain(|at| *at != best);
        order.push(best);
        pressure.go_before(best);
        for &from in &before[best as usize] {
            let left = &mut after[from as usize];
            *left -= 1;
            if *left == 0 {
                free.insert(from);
                recent.push(from);
            }
        }
        // What makes no more live goes soon, however long it has to wait.
        let old = recent.len().saturating_sub(RECENT);
        let mut index = 0;
        recent.retain(|at| {
            index += 1;
            index > old || pressure.growth_before(*at) <= 0
        });
    }
    order.reverse();
    order
}
