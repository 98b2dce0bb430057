//! Instructions that allocation has removed.

use smallvec::SmallVec;
use warpsmith_sass::{Access, Opcode};

use super::{
    Checker,
    again::{is_pure, of_all_lanes},
    state::{NOTHING, Partial, State},
};
use crate::ir::{Guard, Instruction, Touch};

/// Places that hold a word in all threads, and those that hold it in some.
type Held = (SmallVec<[usize; 2]>, SmallVec<[Partial; 2]>);

impl Checker<'_> {
    /// An instruction that allocation has removed: a copy, or what only gives a value, which then is nowhere.
    pub(super) fn removed(&self, block: usize, number: u32, state: &mut State) -> Result<(), String> {
        let old = self.old[number as usize];
        if let Some((to, from)) = self.copy(old) {
            self.copied(old.guard, to, from, state);
            return Ok(());
        }
        if !is_pure(old) {
            return Err(format!("block {block}: instruction {number} is gone"));
        }
        for word in old
            .touches()
            .filter(|touch| touch.access == Access::Write)
            .flat_map(|touch| self.words(&touch))
        {
            self.define(word, state);
            state.forget(word);
        }
        self.originals.executed(number, &mut state.same);
        Ok(())
    }

    /// The words that a copy of a word goes to and comes from.
    fn copy(&self, old: &Instruction) -> Option<(u32, u32)> {
        let is_copy = matches!(
            (old.base.opcode(), old.base.form().name),
            (Opcode::Mov, "R_R") | (Opcode::Umov, "UR_UR")
        );
        let touches: SmallVec<[Touch; 3]> = old.touches().filter(|touch| touch.field.is_some()).collect();
        let of = |access: Access| touches.iter().find(|touch| touch.access == access);
        let (to, from) = (of(Access::Write)?, of(Access::Read)?);
        let alone = touches.len() == 2 && to.words == 1 && from.words == 1 && old.effects.is_none();
        let whole = is_copy && alone && of_all_lanes(&old.base);
        whole.then(|| (self.words(to).start, self.words(from).start))
    }

    /// What a copy that is gone writes is where what it reads is.
    fn copied(&self, guard: Option<Guard>, to: u32, from: u32, state: &mut State) {
        if !self.is_defined(from, state) {
            // A copy of nothing gives nothing; threads in which the guard does not hold keep what they had.
            self.change(to, state);
            if guard.is_none() {
                state.forget(to);
                self.undefine(to, state);
            }
            return;
        }
        let (places, halves) = match guard {
            Some(guard) => self.held_under((self.first[guard.register.0 as usize], guard.negated), to, from, state),
            None => {
                // What only some threads have of the source they have of the copy.
                let partly = state.partial.iter().filter(|partial| partial.word == from);
                let halves = partly.map(|partial| Partial { word: to, ..*partial }).collect();
                (state.places_of(from), halves)
            }
        };
        self.define(to, state);
        state.forget(to);
        for place in places {
            state.add(place, to);
        }
        state.partial.extend(halves);
    }

    /// Where a copy is that threads make under a guard. In those threads it is where the source is; in the others too if it was there before, if a write under
    /// the opposite guard has put it there, or if it was nothing.
    fn held_under(&self, guard: (u32, bool), to: u32, from: u32, state: &State) -> Held {
        let (predicate, negated) = guard;
        let (mut places, mut halves) = Held::default();
        let own = |partial: &&Partial| partial.word == from && (partial.predicate, partial.negated) == guard;
        let partly = state.partial.iter().filter(own).map(|partial| partial.place as usize);
        for place in state.places_of(from).into_iter().chain(partly) {
            let half = Partial {
                place: place as u32,
                word: to,
                predicate,
                negated,
            };
            let complement = Partial {
                negated: !negated,
                ..half
            };
            let others = state.holds(place, to) || state.partial.contains(&complement) || !self.is_defined(to, state);
            match others {
                true => places.push(place),
                false => halves.push(half),
            }
        }
        (places, halves)
    }

    /// No way here has given the word a value any more.
    fn undefine(&self, word: u32, state: &mut State) {
        let number = self.global[word as usize];
        if number != NOTHING {
            state.defined.remove(number as usize);
        }
    }
}
