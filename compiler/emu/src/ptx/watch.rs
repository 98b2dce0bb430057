//! Which registers and predicates have been written, in runs that check it.
//!
//! Moving a value that was never written is no fault, only using it: compilers move what no path uses afterwards. What it is moved to is then not written
//! either: by `mov` and its packing, `selp`, `mov.pred` and `not.pred`, and as an argument or result of a call. A guard, and the predicate of `selp`, is used.

use std::cell::RefCell;

use super::{
    code::{Code, Op, Received, Slot, Source, Step, TRUE, Test},
    machine::{Flow, Site, Trouble},
    warp::Warp,
};
use crate::fault::FaultKind;

/// Bytes of a slot.
const BYTES: usize = 8;

/// The lanes in which each byte of a slot is not written.
type Missing = [u32; BYTES];

/// What can be written or not, by its number in the warp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Slot(usize),
    Predicate(usize),
}

/// Which registers have been written, where that is checked.
#[derive(Debug, Default)]
pub(crate) struct Watch {
    /// The lanes of each byte of each slot.
    slots: Vec<[u32; BYTES]>,
    /// The lanes of each predicate.
    predicates: Vec<u32>,
    /// What was read, with the lanes that had not been written.
    missing: RefCell<Vec<(Place, Missing)>>,
}

/// The lanes in which any byte is missing.
fn any(missing: Missing) -> u32 {
    missing.iter().fold(0, |all, lanes| all | lanes)
}

/// The bytes that some bits of a slot are in.
fn bytes(shift: u8, bits: u8) -> std::ops::Range<usize> {
    let first = usize::from(shift) / 8;
    first..(usize::from(shift) + usize::from(bits)).div_ceil(8).clamp(first, BYTES)
}

impl Watch {
    /// Takes note of a read.
    pub(crate) fn read(&self, place: Place) {
        let missing = match place {
            Place::Slot(slot) => self
                .slots
                .get(slot)
                .copied()
                .unwrap_or_default()
                .map(|written| !written),
            Place::Predicate(predicate) => [!self.predicates.get(predicate).copied().unwrap_or(0); BYTES],
        };
        if any(missing) != 0 {
            self.missing.borrow_mut().push((place, missing));
        }
    }

    /// Some lanes have been written.
    pub(crate) fn write(&mut self, place: Place, mask: u32) {
        match place {
            Place::Slot(slot) => {
                if self.slots.len() <= slot {
                    self.slots.resize(slot + 1, [0; BYTES]);
                }
                self.slots[slot].iter_mut().for_each(|lanes| *lanes |= mask);
            }
            Place::Predicate(predicate) => {
                if self.predicates.len() <= predicate {
                    self.predicates.resize(predicate + 1, 0);
                }
                self.predicates[predicate] |= mask;
            }
        }
    }

    /// Some lanes of a place hold nothing any more.
    pub(crate) fn forget(&mut self, place: Place, mask: u32) {
        match place {
            Place::Slot(slot) => self.miss(slot, [mask; BYTES]),
            Place::Predicate(predicate) => {
                if let Some(written) = self.predicates.get_mut(predicate) {
                    *written &= !mask;
                }
            }
        }
    }

    /// The bytes of a slot are not written in these lanes.
    fn miss(&mut self, slot: usize, missing: Missing) {
        let Some(written) = self.slots.get_mut(slot) else {
            return;
        };
        for (written, missing) in written.iter_mut().zip(&missing) {
            *written &= !missing;
        }
    }

    /// What was read without having been written since the last time this was asked.
    fn take(&mut self) -> Vec<(Place, Missing)> {
        std::mem::take(self.missing.get_mut())
    }
}

impl Warp {
    /// The lanes in which something was read that was never written, since the last time this was asked.
    pub(crate) fn unwritten(&mut self) -> u32 {
        let missing = self.watch.as_mut().map(|watch| watch.take()).unwrap_or_default();
        missing.into_iter().fold(0, |all, (_, missing)| all | any(missing))
    }

    /// The fault of a guard that some of the lanes that come here never wrote.
    pub(crate) fn guarded(&mut self, code: &Code, lanes: u32) -> Result<(), Trouble> {
        match &mut self.watch {
            None => Ok(()),
            Some(watch) => match used(watch.take(), lanes) {
                Some(found) => Err(self.never_written(code, found)),
                None => Ok(()),
            },
        }
    }

    /// What a call passed was not written in these lanes, and so is what it went to. (Memory has checks of its own.)
    pub(crate) fn pass_unwritten(&mut self, received: Received, lanes: u32) {
        let places = match received {
            Received::Frame { .. } => return,
            Received::Slot { slot, bytes } => {
                let first = self.slot_of(slot);
                [Some(Place::Slot(first)), (bytes > 8).then_some(Place::Slot(first + 1))]
            }
            Received::Predicate(predicate) => [Some(Place::Predicate(self.predicate_base + predicate as usize)), None],
        };
        if let Some(watch) = &mut self.watch {
            places
                .into_iter()
                .flatten()
                .for_each(|place| watch.forget(place, lanes));
        }
    }

    #[cold]
    fn never_written(&self, code: &Code, (place, lanes): (Place, u32)) -> Trouble {
        let name = match place {
            Place::Slot(slot) => code.register(slot.saturating_sub(self.base)),
            Place::Predicate(predicate) => code.predicate(predicate.saturating_sub(self.predicate_base)),
        };
        let message = format!("{name} is read, which was never written");
        Trouble::new(FaultKind::Uninitialised, message).at(lanes.trailing_zeros() as usize)
    }

    fn slot_of(&self, slot: Slot) -> usize {
        self.base + slot as usize
    }

    fn place_of(&self, source: Source) -> Option<Place> {
        source.place().ok().map(|slot| Place::Slot(self.base + slot))
    }

    fn place_of_test(&self, test: Test) -> Option<Place> {
        (test.predicate != TRUE).then_some(Place::Predicate(self.predicate_base + test.predicate as usize))
    }
}

/// The first of these that lanes read.
fn used(missing: Vec<(Place, Missing)>, lanes: u32) -> Option<(Place, u32)> {
    let read = missing
        .into_iter()
        .map(|(place, missing)| (place, any(missing) & lanes));
    read.into_iter().find(|(_, lanes)| *lanes != 0)
}

/// What a place misses, of all that was read.
fn of_place(missing: &[(Place, Missing)], place: Option<Place>, lanes: u32) -> Missing {
    let found = missing.iter().find(|(own, _)| Some(*own) == place);
    found.map_or([0; BYTES], |(_, missing)| missing.map(|own| own & lanes))
}

/// The outcome of a step in a run that checks registers: a fault where an active lane used one that nothing has written.
#[cold]
pub(crate) fn watched(
    site: &Site<'_>,
    warp: &mut Warp,
    step: &Step,
    active: u32,
    outcome: Result<Flow, Trouble>,
) -> Result<Flow, Trouble> {
    let Some(missing) = warp.watch.as_mut().map(|watch| watch.take()) else {
        return outcome;
    };
    if missing.is_empty() {
        return outcome;
    }
    let of = |place: Option<Place>, lanes: u32| of_place(&missing, place, lanes & active);
    let (slot, missed) = match step.op {
        Op::Move { d, a } => (warp.slot_of(d), of(warp.place_of(a), u32::MAX)),
        Op::Insert { d, a, shift, bits } => {
            // The other bytes are as they were, which the step has read.
            let mut missed = of(Some(Place::Slot(warp.slot_of(d))), u32::MAX);
            missed[bytes(shift, bits)].fill(any(of(warp.place_of(a), u32::MAX)));
            (warp.slot_of(d), missed)
        }
        Op::Extract { d, a, shift, bits } => {
            let read = of(warp.place_of(a), u32::MAX);
            let part = read[bytes(shift, bits)].iter().fold(0, |all, lanes| all | lanes);
            (warp.slot_of(d), [part; BYTES])
        }
        Op::Select { d, a, b, c } => {
            let condition = of(warp.place_of_test(c), u32::MAX);
            if let Some(place) = warp.place_of_test(c)
                && any(condition) != 0
            {
                return Err(warp.never_written(site.code, (place, any(condition))));
            }
            let chosen = warp.value_of(c);
            let (a, b) = (of(warp.place_of(a), chosen), of(warp.place_of(b), !chosen));
            (warp.slot_of(d), std::array::from_fn(|byte| a[byte] | b[byte]))
        }
        Op::Logic { p, a, b, .. } if b == Test::ALWAYS => {
            let lanes = any(of(warp.place_of_test(a), u32::MAX));
            let place = Place::Predicate(warp.predicate_base + p as usize);
            if let Some(watch) = &mut warp.watch {
                watch.forget(place, lanes);
            }
            return outcome;
        }
        // They tell their own.
        Op::Call { .. } | Op::Return => return outcome,
        _ => {
            return match used(missing, active) {
                Some(found) => Err(warp.never_written(site.code, found)),
                None => outcome,
            };
        }
    };
    if let Some(watch) = &mut warp.watch {
        watch.miss(slot, missed);
    }
    outcome
}
