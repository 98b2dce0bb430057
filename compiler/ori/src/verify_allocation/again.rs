//! What is computed again gives what it gave: since the original was executed last, nothing has written what it reads, and nothing else what it writes. Where
//! it was not executed, what it writes is undefined, and may be anything.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use warpsmith_sass::{Access, FieldName, MemorySpace, Opcode};

use super::{Checker, state::State};
use crate::{
    allocate::Allocation,
    flow::varying::special,
    ir::{Instruction, Touch},
    liveness::BitSet,
    spill::Origin,
};

/// The originals of what is computed again.
#[derive(Debug, Default)]
pub(super) struct Originals {
    /// By number, which of them an instruction is.
    index: FxHashMap<u32, usize>,
    /// By word, those that read or write it, and whether they write it.
    touching: FxHashMap<u32, SmallVec<[(usize, bool); 2]>>,
    /// For each, the words that it writes.
    results: Vec<SmallVec<[u32; 4]>>,
    /// For each, whether it writes what it reads: executed again, it would give something else.
    in_place: Vec<bool>,
}

impl Originals {
    /// Of an allocation. `words` gives the words of a touch.
    pub(super) fn of(
        old: &[&Instruction],
        allocation: &Allocation,
        words: impl Fn(&Touch) -> std::ops::Range<u32>,
    ) -> Originals {
        let mut originals = Originals::default();
        for origin in allocation.origins.iter().flatten() {
            let Origin::Again(number) = *origin else { continue };
            let next = originals.index.len();
            let (Some(instruction), None) = (old.get(number as usize), originals.index.get(&number)) else {
                continue;
            };
            originals.index.insert(number, next);
            let (mut results, mut operands) = (SmallVec::new(), SmallVec::<[u32; 4]>::new());
            for touch in instruction.touches() {
                let writes = touch.access != Access::Read;
                for word in words(&touch) {
                    originals.touching.entry(word).or_default().push((next, writes));
                    match writes {
                        true => results.push(word),
                        false => operands.push(word),
                    }
                }
            }
            originals
                .in_place
                .push(results.iter().any(|result| operands.contains(result)));
            originals.results.push(results);
        }
        originals
    }

    /// All of them: at the start of the function nothing that they write is defined.
    pub(super) fn all(&self) -> BitSet {
        let mut all = BitSet::new(self.index.len());
        (0..self.index.len()).for_each(|index| all.insert(index));
        all
    }

    /// Which of them an instruction is.
    pub(super) fn index(&self, number: u32) -> Option<usize> {
        if self.index.is_empty() {
            return None;
        }
        self.index.get(&number).copied()
    }

    /// An instruction has given what it writes, if only to be computed again.
    pub(super) fn executed(&self, number: u32, same: &mut BitSet) {
        if let Some(index) = self.index(number)
            && !self.in_place[index]
        {
            same.insert(index);
        }
    }

    /// A word has another value: what has to do with it, and has given something, would not give the same.
    pub(super) fn change(&self, word: u32, same: &mut BitSet, is_defined: impl Fn(u32) -> bool) {
        if self.touching.is_empty() {
            return;
        }
        for (index, writes) in self.touching.get(&word).into_iter().flatten() {
            if *writes || self.results[*index].iter().any(|result| is_defined(*result)) {
                same.remove(*index);
            }
        }
    }
}

impl Checker<'_> {
    /// An instruction that computes again what another one has computed.
    pub(super) fn again(&self, number: u32, new: &Instruction, state: &mut State) -> Result<(), String> {
        let old = *self.old.get(number as usize).ok_or("the original does not exist")?;
        if !does_the_same(old, new) || old.reference != new.reference || !is_pure(old) || !is_pure(new) {
            return Err("it cannot be computed again".to_string());
        }
        let same = self
            .originals
            .index(number)
            .is_some_and(|index| state.same.contains(index));
        let mut results = SmallVec::<[(usize, u32); 4]>::new();
        let kept = |touch: &Touch| touch.field.is_some_and(|field| has(new, field));
        for (was, is) in old.touches().filter(kept).zip(new.touches()) {
            for (place, word) in self.places(&is)?.zip(self.words(&was)) {
                match was.access {
                    Access::Write => results.push((place, word)),
                    Access::Read | Access::ReadWrite => self.find(None, place, word, state)?,
                }
            }
        }
        // What is undefined may be anything; one result that is not must be what it was.
        if !same && results.iter().any(|(_, word)| self.is_defined(*word, state)) {
            return Err("it may give something else".to_string());
        }
        for (place, word) in results {
            state.set(place, &[word]);
        }
        Ok(())
    }
}

/// Whether an instruction has a virtual register in a field.
fn has(instruction: &Instruction, field: FieldName) -> bool {
    instruction.operands.iter().any(|operand| operand.field == field)
}

/// Whether an instruction does what another one does, but for predicates that it does not write.
fn does_the_same(old: &Instruction, new: &Instruction) -> bool {
    let mut word = old.base;
    for operand in old.operands.iter().filter(|operand| !has(new, operand.field)) {
        let written = matches!(operand.field, FieldName::Pu | FieldName::Pv);
        let Some(without) = word.with_field(operand.field, 7).filter(|_| written) else {
            return false;
        };
        word = without;
    }
    word.word() == new.base.word() && new.operands.iter().all(|operand| has(old, operand.field))
}

/// Whether an instruction that can be told to write some lanes of each four only writes all.
pub(super) fn of_all_lanes(base: &warpsmith_sass::Instruction) -> bool {
    base.field(FieldName::LaneMask).is_none_or(|mask| mask == 0xf)
}

/// Whether an instruction gives a value that follows from its operands alone, in each thread by itself.
pub(super) fn is_pure(instruction: &Instruction) -> bool {
    /// What a thread reads of itself never changes.
    const LASTING: [&str; 8] = [
        "SR_CgaCtaId",
        "SR_LANEID",
        "SR_TID.X",
        "SR_TID.Y",
        "SR_TID.Z",
        "SR_CTAID.X",
        "SR_CTAID.Y",
        "SR_CTAID.Z",
    ];
    let base = &instruction.base;
    let plain = instruction.guard.is_none() && instruction.effects.is_none();
    let constants = base.memory().iter().all(|access| access.space == MemorySpace::Constant);
    let updates = instruction.touches().any(|touch| touch.access == Access::ReadWrite);
    let computes = match base.opcode() {
        Opcode::Mov | Opcode::Umov | Opcode::Ldc => true,
        Opcode::Iadd3 | Opcode::Imad | Opcode::Lea | Opcode::Lop3 | Opcode::Shf => true,
        Opcode::S2r => special(instruction).is_some_and(|name| LASTING.contains(&name)),
        Opcode::Cs2r => special(instruction) == Some("SRZ"),
        _ => false,
    };
    plain && constants && !updates && computes && of_all_lanes(base)
}
