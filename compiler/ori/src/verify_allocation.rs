//! The checker of register allocation. It shares nothing with the allocator.
//!
//! It follows the flow of control through the allocated function with what each place holds: a place is a physical register or a word of the frame, and what
//! it holds is a set of words of registers of the function as it was before. An instruction of that function must find, in the registers that it reads now,
//! the words that it read then; what it writes is nowhere else any more. Instructions that allocation added move sets from place to place; a copy that
//! allocation removed makes its result be wherever its source is.
//!
//! A word that no way here has written is undefined, and may be read from anywhere: it counts as held everywhere. Where ways meet, a place holds what it
//! holds on all of them.
//!
//! Predicates may also be bits of a place, which holds nothing else then ([`added`]).
//!
//! A write under a guard keeps the rest of the word: the place must hold it before, unless a write under the opposite guard follows, or nothing but reads under
//! the same guard. The guard is no such read: it is read in all threads, those that it keeps from executing the instruction among them.

mod added;
mod again;
mod join;
mod moves;
mod removed;
mod state;
#[cfg(test)]
mod tests;

use smallvec::SmallVec;
use warpsmith_sass::{Access, Opcode, RegisterClass};

use crate::{
    allocate::{Allocation, regions},
    ir::{BlockId, Function, Guard, Instruction, Register, Touch},
    liveness::BitSet,
    spill::Origin,
};
use again::Originals;
use state::{NOTHING, Partial, Places, STACK_POINTER, State};

/// A register of a kept instruction: before and after.
struct Pair {
    /// Its first word in the function before.
    word: u32,
    /// Its first place.
    place: u32,
    words: u8,
    reads: bool,
    writes: bool,
    /// Whether it is the guard.
    guard: bool,
}

/// The registers of the kept instructions of a block.
struct Pairs {
    list: Vec<Pair>,
    /// For each instruction, the end of its part of the list.
    ends: Vec<u32>,
}

impl Pairs {
    fn at(&self, index: usize) -> &[Pair] {
        let start = index.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.list[start as usize..self.ends[index] as usize]
    }
}

/// The function before and after, and what is known of it.
struct Checker<'c> {
    before: &'c Function,
    after: &'c Function,
    allocation: &'c Allocation,
    /// For each register of the function before, the number of its first word.
    first: Vec<u32>,
    /// For each instruction of the function before, by number.
    old: Vec<&'c Instruction>,
    /// For each block, the number of its first instruction in the function before.
    block_first: Vec<u32>,
    successors: Vec<SmallVec<[BlockId; 2]>>,
    /// How often each word is written in the function before.
    writes: Vec<u32>,
    /// The registers of which writes under a guard leave nothing in the other threads.
    fleeting: Vec<bool>,
    /// For each word that may be read before its block writes it, its number; `NOTHING` for the others.
    global: Vec<u32>,
    globals: usize,
    places: Places,
    originals: Originals,
    /// Whether the number of registers of a warp changes: then [`where_they_are`] says how far they go.
    changes: bool,
}

/// Every general register lies among those that the warp has where it is named.
fn where_they_are(function: &Function, allocation: &Allocation) -> Result<(), String> {
    let limits = regions::limits(function);
    let reserved = function.sm.info().registers.reserved_per_thread;
    let code = function.blocks.iter().flat_map(|block| &block.code);
    for (instruction, limit) in code.zip(limits) {
        for touch in instruction.touches() {
            let number = allocation.numbers.get(touch.register.0 as usize).copied().flatten();
            let general = function.info(touch.register).class == RegisterClass::Gpr && touch.words != 0;
            let end = number.map_or(0, |number| {
                u32::from(number) + u32::from(touch.word) + u32::from(touch.words)
            });
            if general && end > limit.saturating_sub(reserved) {
                let name = crate::text::register(function, touch.register);
                let text = crate::text::instruction(function, instruction);
                return Err(format!(
                    "{name} lies beyond the {limit} registers that the warp has here: {text}"
                ));
            }
        }
    }
    Ok(())
}

/// Checks an allocation.
pub(crate) fn check(before: &Function, after: &Function, allocation: &Allocation) -> Result<(), String> {
    if before.blocks.len() != after.blocks.len() || allocation.origins.len() != after.blocks.len() {
        return Err("allocation has changed the blocks".to_string());
    }
    where_they_are(after, allocation)?;
    let checker = Checker::new(before, after, allocation)?;
    let blocks = after.blocks.len();
    let mut entry: Vec<Option<State>> = vec![None; blocks];
    let order = reverse_postorder(&checker.successors);
    let mut rank = vec![usize::MAX; blocks];
    for (index, block) in order.iter().enumerate() {
        rank[*block] = index;
    }
    // Where control never goes back, each block is followed once all ways to it have been, and no second time.
    let leads_back = |block: &usize| {
        let next = checker.successors[*block].iter();
        next.into_iter().any(|to| rank[to.0 as usize] <= rank[*block])
    };
    let goes_back = order.iter().any(leads_back);
    let mut pairs: Vec<Option<Pairs>> = (0..blocks).map(|_| None).collect();
    let mut waiting = vec![false; blocks];
    let mut work = std::collections::BinaryHeap::new();
    if blocks > 0 {
        entry[0] = Some(checker.at_entry());
        waiting[0] = true;
        work.push(std::cmp::Reverse(0));
    }
    while let Some(std::cmp::Reverse(index)) = work.pop() {
        let block = order[index];
        waiting[block] = false;
        let Some(mut state) = entry[block].clone() else {
            continue;
        };
        let pairs = match &mut pairs[block] {
            Some(pairs) => pairs,
            none => none.insert(checker.pairs(block)?),
        };
        checker.block(block, pairs, &mut state, !goes_back)?;
        state.partial.clear();
        state.single.clear();
        for successor in &checker.successors[block] {
            let to = successor.0 as usize;
            let changed = match &mut entry[to] {
                Some(known) => checker.join(known, &state),
                unknown => {
                    *unknown = Some(state.clone());
                    true
                }
            };
            if changed && !waiting[to] {
                waiting[to] = true;
                work.push(std::cmp::Reverse(rank[to]));
            }
        }
    }
    if !goes_back {
        return Ok(());
    }
    for (block, (entry, pairs)) in entry.into_iter().zip(&pairs).enumerate() {
        if let (Some(mut state), Some(pairs)) = (entry, pairs) {
            checker.block(block, pairs, &mut state, true)?;
        }
    }
    Ok(())
}

/// Whether a word of this number is defined: one without number always is.
fn is_among(number: u32, defined: &BitSet) -> bool {
    number == NOTHING || defined.contains(number as usize)
}

fn reverse_postorder(successors: &[SmallVec<[BlockId; 2]>]) -> Vec<usize> {
    let mut order = Vec::with_capacity(successors.len());
    let mut seen = vec![false; successors.len()];
    let mut stack = Vec::new();
    if let Some(first) = seen.first_mut() {
        *first = true;
        stack.push((0, 0));
    }
    while let Some((block, next)) = stack.pop() {
        let list: &[BlockId] = &successors[block];
        match list.get(next) {
            Some(to) => {
                stack.push((block, next + 1));
                if !std::mem::replace(&mut seen[to.0 as usize], true) {
                    stack.push((to.0 as usize, 0));
                }
            }
            None => order.push(block),
        }
    }
    order.reverse();
    order
}

impl<'c> Checker<'c> {
    fn new(before: &'c Function, after: &'c Function, allocation: &'c Allocation) -> Result<Checker<'c>, String> {
        let mut first = Vec::with_capacity(before.registers.len());
        let mut words = 0;
        for info in &before.registers {
            first.push(words);
            words += u32::from(info.words);
        }
        let mut checker = Checker {
            before,
            after,
            allocation,
            first,
            old: Vec::new(),
            block_first: Vec::new(),
            successors: (0..after.blocks.len())
                .map(|block| after.successors(BlockId(block as u32)))
                .collect(),
            writes: vec![0; words as usize],
            fleeting: before.fleeting(),
            global: vec![NOTHING; words as usize],
            globals: 0,
            places: Places::of(before, after, allocation),
            originals: Originals::default(),
            changes: regions::any(after),
        };
        let mut written_in = vec![NOTHING; words as usize];
        for (index, block) in before.blocks.iter().enumerate() {
            checker.block_first.push(checker.old.len() as u32);
            for instruction in &block.code {
                checker.note(instruction, index as u32, &mut written_in);
                checker.old.push(instruction);
            }
        }
        checker.block_first.push(checker.old.len() as u32);
        checker.originals = Originals::of(&checker.old, allocation, |touch| checker.words(touch));
        checker.fixed_are_kept()?;
        Ok(checker)
    }

    /// Counts writes, and numbers words that the block has not written for all threads before they are read or written for some, and copies of such words:
    /// what is copied may be undefined.
    fn note(&mut self, instruction: &Instruction, block: u32, written_in: &mut [u32]) {
        let number = |global: &mut Vec<u32>, globals: &mut usize, word: u32| {
            if global[word as usize] == NOTHING {
                global[word as usize] = *globals as u32;
                *globals += 1;
            }
        };
        let mut from_before = false;
        for touch in instruction.touches() {
            let keeps_old = instruction.guard.is_some() && !self.is_fleeting(touch.register);
            let waits = touch.access != Access::Write || keeps_old;
            for word in self.words(&touch).filter(|_| waits) {
                if written_in[word as usize] != block || self.global[word as usize] != NOTHING {
                    number(&mut self.global, &mut self.globals, word);
                    from_before = true;
                }
            }
        }
        let copies = from_before && matches!(instruction.base.opcode(), Opcode::Mov | Opcode::Umov);
        for touch in instruction.touches().filter(|touch| touch.access != Access::Read) {
            for word in self.words(&touch) {
                self.writes[word as usize] += 1;
                if copies {
                    number(&mut self.global, &mut self.globals, word);
                }
                if instruction.guard.is_none() || self.is_fleeting(touch.register) {
                    written_in[word as usize] = block;
                }
            }
        }
    }

    /// The words of the function before that a touch of it is about.
    fn words(&self, touch: &Touch) -> std::ops::Range<u32> {
        let first = self.first[touch.register.0 as usize] + u32::from(touch.word);
        first..first + u32::from(touch.words)
    }

    /// The places of the words of a touch of the function after.
    fn places(&self, touch: &Touch) -> Result<std::ops::Range<usize>, String> {
        let name = || crate::text::register(self.after, touch.register);
        let number = self
            .allocation
            .numbers
            .get(touch.register.0 as usize)
            .copied()
            .flatten();
        let number =
            usize::from(number.ok_or_else(|| format!("{} has no register", name()))?) + usize::from(touch.word);
        let class = self.after.info(touch.register).class;
        if number % usize::from(touch.alignment.max(1)) != 0 {
            return Err(format!("{} is not aligned", name()));
        }
        if touch.words == 0 {
            return Ok(0..0);
        }
        let last = number + usize::from(touch.words) - 1;
        let first = self.places.of_register(class, number);
        let first = first.filter(|_| self.places.of_register(class, last).is_some());
        let first = first.ok_or_else(|| format!("{} lies outside its file", name()))?;
        let beyond = class == RegisterClass::Gpr && number + usize::from(touch.words) > self.allocation.used as usize;
        if beyond && !self.changes {
            return Err(format!("{} lies beyond the registers that the function states", name()));
        }
        Ok(first..first + usize::from(touch.words))
    }

    /// Registers that must be certain ones are.
    fn fixed_are_kept(&self) -> Result<(), String> {
        let number = |register: usize| self.allocation.numbers.get(register).copied().flatten();
        for (register, info) in self.after.registers.iter().enumerate() {
            if let (Some(fixed), Some(number)) = (info.fixed, number(register))
                && fixed != number
            {
                let name = crate::text::register(self.after, Register(register as u32));
                return Err(format!("{name} must be number {fixed} of its file and is {number}"));
            }
        }
        let stack = self.after.stack.and_then(|stack| number(stack.0 as usize));
        match stack {
            Some(number) if usize::from(number) != STACK_POINTER => Err("the stack pointer is not R1".to_string()),
            Some(_) | None => Ok(()),
        }
    }

    /// What places hold when the function is entered: registers that the caller has set.
    fn at_entry(&self) -> State {
        let mut state = State {
            first: vec![NOTHING; self.places.registers + self.after.frame_bytes.div_ceil(4) as usize],
            more: Vec::new(),
            partial: Vec::new(),
            bits: Vec::new(),
            single: Vec::new(),
            defined: BitSet::new(self.globals),
            same: self.originals.all(),
        };
        for (register, info) in self.before.registers.iter().enumerate() {
            let Some(fixed) = info.fixed else { continue };
            for offset in 0..info.words {
                let word = self.first[register] + u32::from(offset);
                let number = usize::from(fixed) + usize::from(offset);
                if self.writes[word as usize] == 0
                    && let Some(place) = self.places.of_register(info.class, number)
                {
                    state.add(place, word);
                    self.define(word, &mut state);
                }
            }
        }
        state
    }

    /// A word has another value.
    fn change(&self, word: u32, state: &mut State) {
        let is_defined = |word: u32| is_among(self.global[word as usize], &state.defined);
        self.originals.change(word, &mut state.same, is_defined);
    }

    /// A word is written.
    fn define(&self, word: u32, state: &mut State) {
        self.change(word, state);
        let number = self.global[word as usize];
        if number != NOTHING {
            state.defined.insert(number as usize);
        }
    }

    /// Whether some way here has written a word. What is read only after its block has written it is defined where anyone asks.
    fn is_defined(&self, word: u32, state: &State) -> bool {
        is_among(self.global[word as usize], &state.defined)
    }

    /// The registers of the instructions of a block that were there before.
    fn pairs(&self, block: usize) -> Result<Pairs, String> {
        let numbers = self.block_first[block]..self.block_first[block + 1];
        let mut pairs = Pairs {
            list: Vec::new(),
            ends: Vec::new(),
        };
        for (index, instruction) in self.after.blocks[block].code.iter().enumerate() {
            if let Some(Origin::Of(number)) = self.allocation.origins[block].get(index)
                && numbers.contains(number)
            {
                self.pair(*number, instruction, &mut pairs.list)
                    .map_err(|what| self.error(block, &what, instruction))?;
            }
            pairs.ends.push(pairs.list.len() as u32);
        }
        Ok(pairs)
    }

    /// An instruction of the function before must be what it was, but for the registers.
    fn pair(&self, number: u32, new: &Instruction, list: &mut Vec<Pair>) -> Result<(), String> {
        let old = self.old[number as usize];
        let same_places = old.target == new.target && old.table == new.table;
        let negated = |instruction: &Instruction| instruction.guard.map(|guard| guard.negated);
        let same_rest = old.reference == new.reference && negated(old) == negated(new);
        if old.base.word() != new.base.word() || !same_places || !same_rest {
            return Err("the instruction has changed".to_string());
        }
        let (mut before, mut now) = (old.touches(), new.touches());
        // It is touched first.
        let mut guard = old.guard.is_some();
        loop {
            match (before.next(), now.next()) {
                (Some(was), Some(is)) if (was.field, was.words) == (is.field, is.words) => list.push(Pair {
                    word: self.words(&was).start,
                    place: self.places(&is)?.start as u32,
                    words: was.words,
                    reads: was.access != Access::Write,
                    writes: was.access != Access::Read,
                    guard: std::mem::take(&mut guard),
                }),
                (None, None) => return Ok(()),
                (Some(_), _) | (None, Some(_)) => return Err("the instruction has other operands".to_string()),
            }
        }
    }

    fn error(&self, block: usize, what: &str, instruction: &Instruction) -> String {
        let text = crate::text::instruction(self.after, instruction);
        format!("block {block}: {what}: {text}")
    }

    /// Follows a block; with `check`, an error is what an instruction does not find.
    fn block(&self, block: usize, pairs: &Pairs, state: &mut State, check: bool) -> Result<(), String> {
        let mut next = self.block_first[block];
        let end = self.block_first[block + 1];
        let after = self.after;
        for (index, instruction) in after.blocks[block].code.iter().enumerate() {
            let origin = self.allocation.origins[block].get(index).copied();
            let outcome = match origin {
                Some(Origin::Of(number)) if (next..end).contains(&number) => (next..number)
                    .try_for_each(|gone| self.removed(block, gone, state))
                    .and_then(|()| {
                        next = number + 1;
                        self.kept(number, instruction, pairs.at(index), state, check)
                    }),
                Some(Origin::Added) => self.added(instruction, state),
                Some(Origin::Again(number)) => {
                    // What allocation has removed changes no place: if it is the original, it comes before.
                    let kept = self.allocation.origins[block][index..]
                        .iter()
                        .find_map(|origin| match origin {
                            Origin::Of(kept) => Some(*kept),
                            Origin::Again(_) | Origin::Added => None,
                        });
                    let removed = (next..kept.unwrap_or(end)).contains(&number);
                    let gone = next..if removed { number + 1 } else { next };
                    next = gone.end;
                    { gone }
                        .try_for_each(|gone| self.removed(block, gone, state))
                        .and_then(|()| self.again(number, instruction, state))
                }
                Some(Origin::Of(_)) => Err("instructions have changed their order".to_string()),
                None => Err("an instruction without origin".to_string()),
            };
            outcome.map_err(|what| self.error(block, &what, instruction))?;
        }
        (next..end).try_for_each(|gone| self.removed(block, gone, state))
    }

    /// An instruction of the function before.
    fn kept(
        &self,
        number: u32,
        new: &Instruction,
        pairs: &[Pair],
        state: &mut State,
        check: bool,
    ) -> Result<(), String> {
        let old = self.old[number as usize];
        for pair in pairs.iter().filter(|pair| check && pair.reads) {
            for part in 0..u32::from(pair.words) {
                // The guard is read in all threads: what only those have in which it holds may let others in.
                let guard = old.guard.filter(|_| !pair.guard);
                self.find(guard, (pair.place + part) as usize, pair.word + part, state)?;
            }
        }
        if let Some(effects) = &new.effects {
            for class in [
                RegisterClass::Gpr,
                RegisterClass::UniformGpr,
                RegisterClass::Predicate,
                RegisterClass::UniformPredicate,
                RegisterClass::Barrier,
            ] {
                for register in effects.clobbers.members(class) {
                    if let Some(place) = self.places.of_register(class, register.into()) {
                        state.set(place, &[]);
                    }
                }
            }
        }
        let guard = match (old.guard, new.guard) {
            (Some(guard), Some(_)) => Some((self.first[guard.register.0 as usize], guard.negated)),
            _ => None,
        };
        for pair in pairs.iter().filter(|pair| pair.writes) {
            for part in 0..u32::from(pair.words) {
                let (place, word) = ((pair.place + part) as usize, pair.word + part);
                match guard.filter(|_| !self.is_fleeting(self.register_of(word))) {
                    None => {
                        self.define(word, state);
                        state.forget(word);
                        state.set(place, &[word]);
                    }
                    Some(guard) => self.write_under(guard, place, word, state),
                }
            }
        }
        self.originals.executed(number, &mut state.same);
        Ok(())
    }

    /// Whether the other threads have no use for what a write under a guard leaves them.
    fn is_fleeting(&self, register: Register) -> bool {
        self.fleeting.get(register.0 as usize) == Some(&true)
    }

    /// The register of the function before that a word belongs to.
    fn register_of(&self, word: u32) -> Register {
        Register(self.first.partition_point(|first| *first <= word).saturating_sub(1) as u32)
    }

    /// A write in some threads.
    fn write_under(&self, (predicate, negated): (u32, bool), place: usize, word: u32, state: &mut State) {
        let complement = Partial {
            place: place as u32,
            word,
            predicate,
            negated: !negated,
        };
        let whole = state.holds(place, word) || state.partial.contains(&complement) || !self.is_defined(word, state);
        self.define(word, state);
        state.forget(word);
        if whole {
            state.set(place, &[word]);
        } else {
            state.set(place, &[]);
            state.partial.push(Partial { negated, ..complement });
        }
    }

    /// A word is read from a place, by all threads or those of a guard.
    fn find(&self, guard: Option<Guard>, place: usize, word: u32, state: &State) -> Result<(), String> {
        let partly = |partial: &Partial| {
            partial.place as usize == place
                && partial.word == word
                && guard.is_some_and(|guard| {
                    self.first[guard.register.0 as usize] == partial.predicate && guard.negated == partial.negated
                })
        };
        if state.holds(place, word) || state.partial.iter().any(partly) || !self.is_defined(word, state) {
            return Ok(());
        }
        // What nothing ever writes may be anything.
        if self.writes[word as usize] == 0 && self.before.info(self.register_of(word)).fixed.is_none() {
            return Ok(());
        }
        let name = |word: u32| {
            let register = self.register_of(word);
            let text = crate::text::register(self.before, register);
            format!("{text}.{}", word - self.first[register.0 as usize])
        };
        let held: Vec<String> = state.all(place).iter().map(|word| name(*word)).collect();
        Err(format!("{} is read where [{}] is", name(word), held.join(", ")))
    }
}
