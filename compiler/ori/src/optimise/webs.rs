//! Splits registers into webs.
//!
//! A web is a set of definitions and uses of a register that hang together: each use with the definitions that reach it. Two webs of one register have
//! nothing to do with each other but the name, so each gets a register of its own; what is left with several definitions is what really varies. Words of
//! a wide register that no instruction touches together part as well.
//!
//! The webs are found from the uses backward: what reaches a use is the last definition before it in its block, or what reaches the block's start, which
//! is what reaches the ends of all blocks before it. Only places where the word is live are looked at.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;
use warpsmith_sass::Access;

use super::values::{Values, is_pinned, is_whole};
use crate::{
    graph::{ControlFlow, Edges},
    ir::{Function, Register, Touch},
    phase::Context,
    sets::DisjointSets,
};

struct Webs<'a> {
    values: &'a Values,
    /// The blocks before each block.
    predecessors: &'a Edges,
    sets: DisjointSets,
    /// For each word, the node of its first definition.
    first: Vec<u32>,
    /// The node of what reaches the start of a block, by block and word.
    entries: FxHashMap<(u32, u32), u32>,
    /// Starts of blocks whose predecessors are still to be looked at.
    open: Vec<(u32, u32, u32)>,
}

impl Webs<'_> {
    /// The node of a definition.
    fn defined(&self, word: usize, number: u32) -> Option<u32> {
        let list = self.values.definitions(word);
        let at = list.partition_point(|definition| *definition < number);
        (list.get(at) == Some(&number)).then(|| self.first[word] + at as u32)
    }

    /// The node of what a word holds before an instruction of a block, or at the block's end.
    fn reaching(&mut self, word: usize, block: usize, before: u32) -> u32 {
        // The one definition of a value comes before all that reads it.
        if self.values.is_value(word) && self.values.dominance.is_reached(block) {
            return self.first[word];
        }
        let list = self.values.definitions(word);
        let at = list.partition_point(|definition| *definition < before);
        if at > 0 && list[at - 1] >= self.values.number(block, 0) {
            // An instruction that writes a word twice is one definition.
            let first = list.partition_point(|definition| *definition < list[at - 1]);
            return self.first[word] + first as u32;
        }
        let key = (block as u32, word as u32);
        if let Some(node) = self.entries.get(&key) {
            return *node;
        }
        let node = self.sets.add();
        self.entries.insert(key, node);
        self.open.push((block as u32, word as u32, node));
        node
    }

    /// Joins what reaches the starts of blocks with what leaves the blocks before them.
    fn close(&mut self) {
        while let Some((block, word, node)) = self.open.pop() {
            let predecessors = self.predecessors;
            for &from in &predecessors[block as usize] {
                let leaving = self.reaching(word as usize, from, self.values.number(from + 1, 0));
                self.sets.join(node, leaving);
            }
        }
    }

    /// Joins what belongs together of the words of a touch.
    fn touch(&mut self, at: &At) {
        let touch = &at.touch;
        let mut last = None;
        for word in touch.word..touch.word + touch.words {
            let word = self.values.word(touch.register, word);
            let read = touch.access != Access::Write || !at.whole;
            let reads = read.then(|| self.reaching(word, at.block as usize, at.number));
            let writes = (touch.access != Access::Read)
                .then(|| self.defined(word, at.number))
                .flatten();
            for node in [reads, writes].into_iter().flatten() {
                if let Some(last) = last {
                    self.sets.join(last, node);
                }
                last = Some(node);
            }
        }
    }
}

/// A touch of a register that may be taken apart.
struct At {
    touch: Touch,
    number: u32,
    block: u32,
    /// The instruction leaves nothing of what it writes over.
    whole: bool,
}

/// What a web becomes.
#[derive(Clone, Copy, Debug)]
struct Part {
    from: u8,
    to: u8,
    alignment: u8,
    name: Option<Register>,
}

/// The registers that came of one.
#[derive(Debug, Default)]
struct Group {
    names: Vec<Register>,
    /// Those with words to give away, by the words that are given away, in the order in which they came.
    open: BTreeMap<u64, BTreeSet<usize>>,
}

impl Group {
    /// The first register in which these words are not given away: they are from now on.
    fn beside(&mut self, mask: u64) -> Option<Register> {
        let free = self.open.iter().filter(|(used, _)| *used & mask == 0);
        let (index, used) = free
            .filter_map(|(used, indices)| Some((*indices.first()?, *used)))
            .min()?;
        self.open.entry(used).or_default().remove(&index);
        self.open.entry(used | mask).or_default().insert(index);
        Some(self.names[index])
    }

    /// A register of which these words are given away.
    fn add(&mut self, name: Register, mask: u64, words: u8) {
        // Of most registers nothing is left: they are never looked at again.
        if mask.count_ones() < u32::from(words) {
            self.open.entry(mask).or_default().insert(self.names.len());
        }
        self.names.push(name);
    }
}

/// Gives every web a register of its own.
pub(crate) fn split_webs(function: &mut Function, _: &Context<'_>) -> Result<(), String> {
    split(function, true);
    Ok(())
}

/// Gives every web a register of its own, and every word that no instruction touches together with another.
pub(crate) fn split_words(function: &mut Function, _: &Context<'_>) -> Result<(), String> {
    split(function, false);
    Ok(())
}

fn split(function: &mut Function, keep_together: bool) {
    let (dominator, predecessors) = ControlFlow::dominators_of(function);
    let values = Values::dominated(function, &dominator);
    let mut divisible: Vec<bool> = (0..function.registers.len())
        .map(|index| divides(function, &values, index))
        .collect();
    // What the calling convention names stays whole.
    for effects in function
        .blocks
        .iter()
        .flat_map(|block| &block.code)
        .filter_map(|i| i.effects.as_ref())
    {
        for (register, _) in effects.reads.iter().chain(&effects.writes) {
            divisible[register.0 as usize] = false;
        }
    }
    if !divisible.contains(&true) {
        return;
    }
    let mut first = Vec::with_capacity(values.words());
    let mut sets = DisjointSets::default();
    for word in 0..values.words() {
        first.push(sets.len());
        for _ in values.definitions(word) {
            sets.add();
        }
    }
    let mut webs = Webs {
        values: &values,
        predecessors: &predecessors,
        sets,
        first,
        entries: FxHashMap::default(),
        open: Vec::new(),
    };
    let mut touched = Vec::new();
    for (index, block) in function.blocks.iter().enumerate() {
        for (offset, instruction) in block.code.iter().enumerate() {
            let number = values.number(index, offset);
            let touches = instruction.touches();
            let own = touches.filter(|touch| divisible[touch.register.0 as usize] && touch.words > 0);
            touched.extend(own.map(|touch| At {
                touch,
                number,
                block: index as u32,
                whole: is_whole(instruction),
            }));
        }
    }
    for run in touched.chunk_by(|a, b| a.number == b.number) {
        run.iter().for_each(|at| webs.touch(at));
        webs.close();
    }
    rename(function, &mut webs, &touched, keep_together);
}

/// Whether a register may be taken apart, and something may come of it.
fn divides(function: &Function, values: &Values, index: usize) -> bool {
    let register = Register(index as u32);
    let info = function.info(register);
    if is_pinned(function, register) {
        return false;
    }
    info.words > 1 || values.definitions(values.word(register, 0)).len() > 1
}

fn rename(function: &mut Function, webs: &mut Webs<'_>, touched: &[At], keep_together: bool) {
    let mut parts: FxHashMap<u32, Part> = FxHashMap::default();
    // How far each web reaches, and the web of each touch.
    let mut webs_of = Vec::with_capacity(touched.len());
    for at in touched {
        let (node, touch) = (node_of(webs, at), &at.touch);
        let web = webs.sets.find(node);
        webs_of.push(web);
        let part = parts.entry(web).or_insert(Part {
            from: touch.word,
            to: touch.word,
            alignment: 1,
            name: None,
        });
        part.from = part.from.min(touch.word);
        part.to = part.to.max(touch.word + touch.words);
        part.alignment = part.alignment.max(touch.alignment);
    }
    let mut taken = vec![false; function.registers.len()];
    let mut groups: FxHashMap<Register, Group> = FxHashMap::default();
    for (At { touch, number, .. }, web) in touched.iter().zip(webs_of) {
        let Some(part) = parts.get_mut(&web) else {
            continue;
        };
        let info = function.registers[touch.register.0 as usize];
        let alignment = part.alignment.max(1);
        let start = if keep_together {
            0
        } else {
            part.from / alignment * alignment
        };
        let words = if keep_together { info.words } else { part.to - start };
        let mask = ((1_u64 << (part.to - part.from).min(63)) - 1) << part.from;
        let own = &mut taken[touch.register.0 as usize];
        let group = groups.entry(touch.register).or_default();
        // Webs of different words stay words of one register, in the order in which they come.
        let known = part
            .name
            .or_else(|| if keep_together { group.beside(mask) } else { None });
        let name = match known {
            Some(name) => name,
            None => {
                let name = if !*own && words == info.words {
                    *own = true;
                    touch.register
                } else {
                    let own = function.register(info.class, words);
                    function.registers[own.0 as usize].fleeting = info.fleeting && words == info.words;
                    own
                };
                if keep_together {
                    group.add(name, mask, info.words);
                }
                name
            }
        };
        part.name = Some(name);
        let (block, index) = webs.values.place(*number);
        let instruction = &mut function.blocks[block].code[index];
        match touch.field {
            None => {
                if let Some(guard) = &mut instruction.guard
                    && guard.register == touch.register
                {
                    guard.register = name;
                }
            }
            Some(field) => {
                for operand in instruction.operands.iter_mut().filter(|operand| operand.field == field) {
                    operand.register = name;
                    operand.word = touch.word - start;
                }
            }
        }
    }
}

/// A node of the web that a touch belongs to.
fn node_of(webs: &mut Webs<'_>, at: &At) -> u32 {
    let word = webs.values.word(at.touch.register, at.touch.word);
    if at.touch.access == Access::Read {
        return webs.reaching(word, at.block as usize, at.number);
    }
    match webs.defined(word, at.number) {
        Some(node) => node,
        None => webs.reaching(word, at.block as usize, at.number),
    }
}
