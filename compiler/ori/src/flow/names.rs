//! What instructions read and write, word by word, and which of a word's definitions it is that they read.
//!
//! A word of a register with several definitions has a name for each of them, and one for each place where several meet. What is known of one name says nothing
//! of another: a variable that differs between threads in a loop, and that they broadcast behind it, is the same in all of them from there on.

use smallvec::SmallVec;
use warpsmith_sass::{Access, FieldName};

use super::shape::{Node, Shape};
use crate::{
    graph::ControlFlow,
    ir::{Instruction, Register},
};

/// An instruction's place: the node and its index there; the branch has the index behind the last instruction.
pub(super) type Place = (u32, u32);

/// Consecutive words of a register that an instruction reads or writes.
#[derive(Clone, Copy)]
pub(super) struct Words {
    /// The number of the first.
    start: u32,
    pub(super) register: Register,
    count: u8,
    pub(super) access: Access,
    /// They are what the field `Ra` reads.
    pub(super) is_first_source: bool,
    /// They are written under a guard: where that does not hold they stay as they were.
    keeps: bool,
    /// The index of the names of these words: of those that they have before, then of those that they have after, as far as they are read and written.
    names: u32,
}

impl Words {
    pub(super) fn range(&self) -> std::ops::Range<usize> {
        let start = self.start as usize;
        start..start + usize::from(self.count)
    }

    /// Whether what they were before counts.
    fn has_before(&self) -> bool {
        self.access != Access::Write || self.keeps
    }
}

/// What the instructions that are reached read and write, by number: worked out once, looked at often.
pub(super) struct Used {
    /// Where each instruction stands.
    pub(super) places: Vec<Place>,
    /// For each instruction, the index of the first of its words; then their number.
    starts: Vec<u32>,
    words: Vec<Words>,
    /// For each node, the number of its first instruction, and the one behind its last.
    numbers: Vec<(u32, u32)>,
    /// How many names the words have, before and after.
    names: u32,
}

impl Used {
    /// Of the nodes of a shape that are reached; `first` has the number of the first word of each register.
    pub(super) fn of(first: &[u32], shape: &Shape, flow: &ControlFlow) -> Used {
        let count: usize = flow.order.iter().map(|node| shape.nodes[*node].code.len() + 1).sum();
        let mut used = Used {
            places: Vec::with_capacity(count),
            starts: Vec::with_capacity(count + 1),
            words: Vec::with_capacity(4 * count),
            numbers: vec![(0, 0); shape.nodes.len()],
            names: 0,
        };
        for &node in &flow.order {
            used.numbers[node].0 = used.places.len() as u32;
            for (index, instruction) in all(&shape.nodes[node]).enumerate() {
                used.places.push((node as u32, index as u32));
                used.starts.push(used.words.len() as u32);
                let guarded = instruction.guard.is_some();
                instruction.touches().for_each(|touch| {
                    let words = Words {
                        start: first[touch.register.0 as usize] + u32::from(touch.word),
                        register: touch.register,
                        count: touch.words,
                        access: touch.access,
                        is_first_source: touch.field == Some(FieldName::Ra),
                        keeps: guarded && touch.access == Access::Write,
                        names: used.names,
                    };
                    let both = words.has_before() && touch.access != Access::Read;
                    used.names += u32::from(touch.words) << u32::from(both);
                    used.words.push(words);
                });
            }
            used.numbers[node].1 = used.places.len() as u32;
        }
        used.starts.push(used.words.len() as u32);
        used
    }

    pub(super) fn of_instruction(&self, number: usize) -> &[Words] {
        &self.words[self.starts[number] as usize..self.starts[number + 1] as usize]
    }

    /// The numbers of the instructions of a node.
    pub(super) fn of_node(&self, node: usize) -> std::ops::Range<usize> {
        let (from, to) = self.numbers[node];
        from as usize..to as usize
    }
}

/// The instructions of a node, its branch last.
fn all(node: &Node) -> impl Iterator<Item = &Instruction> {
    node.code.iter().chain(node.branch())
}

/// Lists of numbers, one after the other.
pub(super) struct Lists {
    starts: Vec<u32>,
    numbers: Vec<u32>,
}

impl Lists {
    /// So many lists, with the numbers that `each` tells: it is asked twice.
    fn of(count: usize, each: impl Fn(&mut dyn FnMut(u32, u32))) -> Lists {
        let mut starts = vec![0_u32; count + 1];
        each(&mut |list, _| starts[list as usize + 1] += 1);
        for index in 0..count {
            starts[index + 1] += starts[index];
        }
        let mut next = starts.clone();
        let mut numbers = vec![0; starts[count] as usize];
        each(&mut |list, number| {
            numbers[next[list as usize] as usize] = number;
            next[list as usize] += 1;
        });
        Lists { starts, numbers }
    }

    /// The instructions that define each word.
    pub(super) fn of_definitions(words: usize, used: &Used) -> Lists {
        Lists::of(words, |tell| {
            for number in 0..used.places.len() {
                let written = used
                    .of_instruction(number)
                    .iter()
                    .filter(|words| words.access != Access::Read);
                written
                    .flat_map(Words::range)
                    .for_each(|word| tell(word as u32, number as u32));
            }
        })
    }

    pub(super) fn get(&self, list: usize) -> &[u32] {
        &self.numbers[self.starts[list] as usize..self.starts[list + 1] as usize]
    }
}

/// The names of the words. A word with one definition has one name, the number of the word; so has what is there at the start of a word with several.
pub(super) struct Names {
    /// For each name the number of its word.
    pub(super) word: Vec<u32>,
    /// The names of what instructions read and write.
    of: Vec<u32>,
    /// For each name the instructions that read it, and those that may leave it.
    pub(super) readers: Lists,
    /// For each name those in which it meets others.
    pub(super) meets: Lists,
}

impl Names {
    pub(super) fn of(flow: &ControlFlow, used: &Used, definitions: &Lists, words: usize) -> Names {
        let several = |word: usize| definitions.get(word).len() > 1;
        let mut word: Vec<u32> = (0..words as u32).collect();
        let mut fresh = |of: usize| {
            word.push(of as u32);
            word.len() as u32 - 1
        };
        let mut met: Vec<SmallVec<[(u32, u32); 2]>> = vec![SmallVec::new(); flow.successors.len()];
        for (node, of) in meetings(flow, used, definitions, words) {
            met[node].push((of as u32, fresh(of)));
        }
        let mut of = vec![0_u32; used.names as usize];
        let mut meets: Vec<(u32, u32)> = Vec::new();
        // The names that hold where the walk is, and those that did before, to go back to.
        let mut current: Vec<u32> = (0..words as u32).collect();
        let mut before: Vec<(u32, u32)> = Vec::new();
        let mut above: Vec<(usize, usize)> = Vec::new();
        for node in flow.tree_order() {
            while above.last().is_some_and(|(up, _)| !flow.dominates(*up, node)) {
                let kept = above.pop().map_or(0, |(_, kept)| kept);
                for (word, name) in before.drain(kept..).rev() {
                    current[word as usize] = name;
                }
            }
            above.push((node, before.len()));
            for &(word, name) in &met[node] {
                before.push((word, std::mem::replace(&mut current[word as usize], name)));
            }
            for number in used.of_node(node) {
                let touched = used.of_instruction(number);
                for words in touched.iter().filter(|words| words.has_before()) {
                    let names = &mut of[words.names as usize..][..usize::from(words.count)];
                    names.copy_from_slice(&current[words.range()]);
                }
                for words in touched.iter().filter(|words| words.access != Access::Read) {
                    let kept = if words.has_before() {
                        usize::from(words.count)
                    } else {
                        0
                    };
                    for (index, at) in words.range().enumerate() {
                        if several(at) {
                            let name = fresh(at);
                            before.push((at as u32, std::mem::replace(&mut current[at], name)));
                        }
                        of[words.names as usize + kept + index] = current[at];
                    }
                }
            }
            for &next in &flow.successors[node] {
                meets.extend(met[next].iter().map(|(word, name)| (current[*word as usize], *name)));
            }
        }
        let names = word.len();
        let readers = Lists::of(names, |tell| {
            for number in 0..used.places.len() {
                for words in used.of_instruction(number).iter().filter(|words| words.has_before()) {
                    let read = &of[words.names as usize..][..usize::from(words.count)];
                    read.iter().for_each(|name| tell(*name, number as u32));
                }
            }
        });
        Names {
            word,
            readers,
            meets: Lists::of(names, |tell| meets.iter().for_each(|(from, to)| tell(*from, *to))),
            of,
        }
    }

    /// The names that words have before an instruction that reads them, or that may leave them as they are.
    pub(super) fn before(&self, words: &Words) -> &[u32] {
        let count = if words.has_before() { words.count } else { 0 };
        &self.of[words.names as usize..][..usize::from(count)]
    }

    /// The names that words have after an instruction that writes them.
    pub(super) fn after(&self, words: &Words) -> &[u32] {
        let count = if words.access == Access::Read { 0 } else { words.count };
        &self.of[words.names as usize + self.before(words).len()..][..usize::from(count)]
    }
}

/// Where definitions of a word meet: the node, and the word, of words that are read in another node than they are defined in.
fn meetings(flow: &ControlFlow, used: &Used, definitions: &Lists, words: usize) -> Vec<(usize, usize)> {
    let (frontiers, none) = (frontiers(flow), usize::MAX);
    // What a node reads before it defines it.
    let (mut exposed, mut defined) = (vec![false; words], vec![none; words]);
    for &node in &flow.order {
        for number in used.of_node(node) {
            let touched = used.of_instruction(number);
            for word in touched.iter().filter(|words| words.has_before()).flat_map(Words::range) {
                exposed[word] |= defined[word] != node;
            }
            for word in touched
                .iter()
                .filter(|words| words.access != Access::Read)
                .flat_map(Words::range)
            {
                defined[word] = node;
            }
        }
    }
    let mut found = Vec::new();
    let (mut meets, mut seen) = (vec![none; flow.successors.len()], vec![none; flow.successors.len()]);
    let mut work: Vec<usize> = Vec::new();
    for word in (0..words).filter(|word| exposed[*word] && definitions.get(*word).len() > 1) {
        let nodes = definitions
            .get(word)
            .iter()
            .map(|number| used.places[*number as usize].0 as usize);
        for node in nodes {
            if std::mem::replace(&mut seen[node], word) != word {
                work.push(node);
            }
        }
        while let Some(node) = work.pop() {
            for &to in &frontiers[node] {
                if std::mem::replace(&mut meets[to], word) != word {
                    found.push((to, word));
                    if std::mem::replace(&mut seen[to], word) != word {
                        work.push(to);
                    }
                }
            }
        }
    }
    found
}

/// For each node those where other ways come to than those through it, right behind what it dominates.
fn frontiers(flow: &ControlFlow) -> Vec<SmallVec<[usize; 2]>> {
    let mut found: Vec<SmallVec<[usize; 2]>> = vec![SmallVec::new(); flow.successors.len()];
    for &node in &flow.order {
        let up = flow.dominator[node];
        let from = || flow.predecessors[node].iter().filter(|from| flow.reached[**from]);
        // Where the function starts, another way comes in.
        if from().count() + usize::from(up.is_none()) < 2 {
            continue;
        }
        for &from in from() {
            let mut at = Some(from);
            while let Some(runner) = at.filter(|at| Some(*at) != up) {
                if !found[runner].contains(&node) {
                    found[runner].push(node);
                }
                at = flow.dominator[runner];
            }
        }
    }
    found
}
