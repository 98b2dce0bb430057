//! Who uses what an instruction brings, over all ways on.

use smallvec::SmallVec;
use warpsmith_sass::Flow;

use super::{
    super::facts::{Facts, PLACES, Place},
    ELSEWHERE, FAR, NONE, queue,
};

/// What is known of an instruction's place in its block.
#[derive(Clone, Copy, Debug)]
pub(super) struct Uses {
    /// The next instruction that touches its result.
    pub(super) result: u32,
    /// The next that overwrites a source that it reads late.
    pub(super) source: u32,
    /// It needs a scoreboard for its sources.
    pub(super) wants_read: bool,
}

/// For every instruction, what follows on its result and its sources.
pub(super) fn uses(facts: &[Vec<Facts>], successors: &[SmallVec<[usize; 2]>]) -> Vec<Vec<Uses>> {
    let later = written_later(facts, successors);
    let one = |(block, code): (usize, &Vec<Facts>)| {
        let mut touched = vec![NONE; PLACES];
        let mut written = vec![NONE; PLACES];
        let mut found = Vec::with_capacity(code.len());
        // The next call or return: whatever comes there may overwrite any register.
        let mut settled = NONE;
        for (at, instruction) in code.iter().enumerate().rev() {
            let next = |places: &[Place], table: &[u32]| {
                let each = places.iter().map(|place| table[usize::from(place.index)]);
                each.min().unwrap_or(NONE)
            };
            let result = next(&instruction.writes, &touched);
            let mut source = NONE;
            let mut wants_read = false;
            for read in instruction.late_reads() {
                let index = usize::from(read.index);
                if instruction.is_variable && instruction.writes.iter().any(|write| write.index == read.index) {
                    continue;
                }
                source = source.min(written[index]).min(settled);
                wants_read |= if settled != NONE && settled < written[index] {
                    !instruction.is_variable
                } else if written[index] == NONE {
                    // A result's scoreboard does for what comes in another block.
                    let written_later = later[block][index / 64] >> (index % 64) & 1 != 0;
                    written_later && !instruction.is_variable && instruction.tells_of_reading(read)
                } else {
                    let writer = &code[written[index] as usize];
                    let waited = instruction.is_variable && result <= written[index];
                    let in_order = queue(writer) != ELSEWHERE
                        && queue(writer) == queue(instruction)
                        && writer.word.guard().is_none();
                    let far = !instruction.tells_of_reading(read) && written[index] - at as u32 >= FAR;
                    !(waited || in_order || far)
                };
                // Ends of threads wait for it.
                wants_read |= instruction.reads_uniform_late && !instruction.is_variable;
            }
            found.push(Uses {
                result,
                source,
                wants_read,
            });
            if instruction.settles {
                settled = at as u32;
            }
            for place in &instruction.writes {
                written[usize::from(place.index)] = at as u32;
            }
            for place in instruction.reads.iter().chain(&instruction.writes) {
                touched[usize::from(place.index)] = at as u32;
            }
        }
        found.reverse();
        found
    };
    facts.iter().enumerate().map(one).collect()
}

/// Registers that may be written in blocks that follow.
fn written_later(facts: &[Vec<Facts>], successors: &[SmallVec<[usize; 2]>]) -> Vec<[u64; PLACES.div_ceil(64)]> {
    const WORDS: usize = PLACES.div_ceil(64);
    let own: Vec<[u64; WORDS]> = facts
        .iter()
        .map(|code| {
            let mut set = [0; WORDS];
            for write in code.iter().flat_map(|facts| &facts.writes) {
                set[usize::from(write.index) / 64] |= 1 << (write.index % 64);
            }
            // What a call does to registers is not all named.
            if code.iter().any(|facts| facts.settles) {
                set = [u64::MAX; WORDS];
            }
            set
        })
        .collect();
    let mut later = vec![[0; WORDS]; facts.len()];
    let mut changed = true;
    while changed {
        changed = false;
        for block in (0..facts.len()).rev() {
            let mut joined = later[block];
            for &successor in &successors[block] {
                for (word, set) in joined.iter_mut().enumerate() {
                    *set |= own[successor][word] | later[successor][word];
                }
            }
            if facts[block]
                .last()
                .is_some_and(|last| last.word.flow() == Flow::Indirect)
            {
                joined = [u64::MAX; WORDS];
            }
            changed |= joined != later[block];
            later[block] = joined;
        }
    }
    later
}
