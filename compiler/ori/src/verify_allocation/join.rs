//! What places hold where ways meet.

use smallvec::SmallVec;

use super::{
    Checker,
    state::{Bit, NOTHING, State},
};
use crate::liveness::BitSet;

impl Checker<'_> {
    /// Joins what is held at the end of a block into what is known at the start of another; whether that changed anything.
    pub(super) fn join(&self, known: &mut State, new: &State) -> bool {
        let mut changed = false;
        // Places that hold several words on one of the ways.
        let any = !known.more.is_empty() || !new.more.is_empty();
        let mut several = BitSet::new(if any { known.first.len() } else { 0 });
        for (place, _) in known.more.iter().chain(&new.more) {
            several.insert(*place as usize);
        }
        for place in 0..known.first.len() {
            if !any || !several.contains(place) {
                // The usual case: one word on both ways, the same one.
                if known.first[place] == new.first[place] {
                    continue;
                }
                if let Some(one) = self.one_of_two(place, known, new) {
                    changed |= known.first[place] != one;
                    known.first[place] = one;
                    continue;
                }
            }
            let (own, other) = (known.all(place), new.all(place));
            let mut joined: SmallVec<[u32; 2]> = SmallVec::new();
            for &word in &own {
                if other.contains(&word) || !self.is_defined(word, new) {
                    joined.push(word);
                }
            }
            for &word in &other {
                if !own.contains(&word) && !self.is_defined(word, known) {
                    joined.push(word);
                }
            }
            joined.sort_unstable();
            let mut sorted = own;
            sorted.sort_unstable();
            if joined != sorted {
                known.set(place, &joined);
                changed = true;
            }
        }
        changed |= self.join_bits(known, new);
        changed |= known.same.intersect(&new.same);
        known.defined.union(&new.defined) || changed
    }

    /// The same of predicates that are bits.
    fn join_bits(&self, known: &mut State, new: &State) -> bool {
        if known.bits.is_empty() && new.bits.is_empty() {
            return false;
        }
        let before = known.bits.len();
        let added: Vec<Bit> = {
            let others = new.bits.iter().filter(|bit| !known.bits.contains(bit));
            others
                .filter(|bit| !self.is_defined(bit.word, known))
                .copied()
                .collect()
        };
        known
            .bits
            .retain(|bit| new.bits.contains(bit) || !self.is_defined(bit.word, new));
        let changed = known.bits.len() != before || !added.is_empty();
        known.bits.extend(added);
        changed
    }

    /// What a place holds where two ways meet on which it holds one word each, or nothing; `None`: two words.
    fn one_of_two(&self, place: usize, known: &State, new: &State) -> Option<u32> {
        let (own, other) = (known.first[place], new.first[place]);
        let stays = |word: u32, there: &State| word != NOTHING && !self.is_defined(word, there);
        match (stays(own, new), stays(other, known)) {
            (true, true) => None,
            (true, false) => Some(own),
            (false, true) => Some(other),
            (false, false) => Some(NOTHING),
        }
    }
}
