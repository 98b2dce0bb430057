//! Instructions that allocation has removed.

use smallvec::SmallVec;
use warpsmith_sass::{Access, FieldName, Opcode};

use super::{
    Checker,
    again::is_pure,
    state::{NOTHING, Partial, State},
};
use crate::ir::Touch;

impl Checker<'_> {
    /// An instruction that allocation has removed: a copy, or what only gives a value, which then is nowhere.
    pub(super) fn removed(&self, block: usize, number: u32, state: &mut State) -> Result<(), String> {
        let old = self.old[number as usize];
        let copies = matches!(old.base.opcode(), Opcode::Mov | Opcode::Umov);
        let copies = copies && old.touches().any(|touch| touch.access == Access::Read);
        if !copies && is_pure(old) {
            for word in old
                .touches()
                .filter(|touch| touch.access == Access::Write)
                .flat_map(|touch| self.words(&touch))
            {
                self.define(word, state);
                state.forget(word);
            }
            if let Some(index) = self.originals.index(number) {
                state.same.insert(index);
            }
            return Ok(());
        }
        let is_copy = matches!(
            (old.base.opcode(), old.base.form().name),
            (Opcode::Mov, "R_R") | (Opcode::Umov, "UR_UR")
        ) && old.base.field(FieldName::LaneMask).is_none_or(|mask| mask == 0xf);
        let touches: SmallVec<[Touch; 3]> = old.touches().filter(|touch| touch.field.is_some()).collect();
        let (Some(to), Some(from)) = (
            touches.iter().find(|touch| touch.access == Access::Write),
            touches.iter().find(|touch| touch.access == Access::Read),
        ) else {
            return Err(format!("block {block}: instruction {number} is gone"));
        };
        if !is_copy || touches.len() != 2 || to.words != 1 || from.words != 1 || old.effects.is_some() {
            return Err(format!("block {block}: instruction {number} is gone"));
        }
        let (to, from) = (self.words(to).start, self.words(from).start);
        let places = state.places_of(from);
        if !self.is_defined(from, state) {
            // A copy of nothing gives nothing.
            state.forget(to);
            if self.global[to as usize] != NOTHING {
                state.defined.remove(self.global[to as usize] as usize);
            }
            return Ok(());
        }
        let keeps = |place: &usize| old.guard.is_none() || state.holds(*place, to);
        let mut good: SmallVec<[usize; 2]> = if old.guard.is_none() || self.is_defined(to, state) {
            places.iter().copied().filter(keeps).collect()
        } else {
            places.clone()
        };
        // In the threads of the guard the place holds the word; in all, if a write under the opposite guard is there.
        let mut halves: SmallVec<[Partial; 2]> = SmallVec::new();
        for place in places.iter().filter(|place| !good.contains(place)) {
            let half = old.guard.map(|guard| Partial {
                place: *place as u32,
                word: to,
                predicate: self.first[guard.register.0 as usize],
                negated: guard.negated,
            });
            halves.extend(half);
        }
        let complement = |half: &Partial| {
            state.partial.iter().any(|other| {
                (other.place, other.word, other.predicate) == (half.place, half.word, half.predicate)
                    && other.negated != half.negated
            })
        };
        good.extend(
            halves
                .iter()
                .filter(|half| complement(half))
                .map(|half| half.place as usize),
        );
        halves.retain(|half| !good.contains(&(half.place as usize)));
        self.define(to, state);
        state.forget(to);
        for place in good {
            state.add(place, to);
        }
        state.partial.extend(halves);
        Ok(())
    }
}
