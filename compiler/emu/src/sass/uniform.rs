//! Checked mode: uniform registers are the warp's, and a thread that reads one must have taken part in its last write.
//!
//! The machine runs threads that have parted in an order that nobody knows. A uniform register written by some of them while others of the warp are elsewhere holds
//! for the others what they never wrote: correct code has each thread read only what the group it was in has written, or what was the same before. The emulator
//! runs one order; this check finds what another order, or other threads, would show. ptxas 13.0.88's own code passes it (observed, the listings of `tests/kernels`).

use warpsmith_sass::{RegisterClass, hazard::Footprint, hazard::Touched};

use super::{
    code::{Predicate, Row, Test},
    warp::Warp,
};

/// Uniform registers, and behind them the uniform predicates UP0 to UP6.
const PLACES: usize = 256 + 8;

/// A write whose value is not known before the instruction has been executed.
#[derive(Clone, Copy, Debug)]
struct Write {
    place: usize,
    before: u32,
    by: u32,
}

/// Which threads each uniform register holds the right value for.
#[derive(Debug)]
pub(crate) struct Views {
    /// For each place the threads that stood at the last write that changed it, and at later ones that changed nothing.
    holds_for: Vec<u32>,
    writes: Vec<Write>,
}

impl Default for Views {
    fn default() -> Views {
        Views {
            holds_for: vec![u32::MAX; PLACES],
            writes: Vec::new(),
        }
    }
}

/// The place of a uniform register or predicate.
fn place(touched: &Touched) -> Option<usize> {
    match touched.class() {
        RegisterClass::UniformGpr => Some(usize::from(touched.number())),
        RegisterClass::UniformPredicate if touched.number() < 7 => Some(256 + usize::from(touched.number())),
        RegisterClass::UniformPredicate
        | RegisterClass::Gpr
        | RegisterClass::Predicate
        | RegisterClass::Barrier
        | RegisterClass::Scoreboard => None,
    }
}

/// What a place holds.
fn value(warp: &Warp, place: usize) -> u32 {
    match place.checked_sub(256) {
        None => warp.row(&[], Row::uniform(Some(place as u8)))[0],
        Some(predicate) => {
            let test = Test {
                predicate: Predicate(8 + predicate as u8),
                negated: false,
            };
            warp.test(test)
        }
    }
}

/// The name of a place.
fn name(place: usize) -> String {
    match place.checked_sub(256) {
        None => format!("UR{place}"),
        Some(predicate) => format!("UP{predicate}"),
    }
}

/// Follows the instruction that the threads `group` issue next together; its guard holds for `active` of them.
pub(crate) fn follow(warp: &mut Warp, footprint: &Footprint, group: u32, active: u32) -> Result<(), String> {
    let Some(mut views) = warp.views.take() else {
        return Ok(());
    };
    let outcome = views.follow(warp, footprint, group, active);
    warp.views = Some(views);
    outcome
}

impl Views {
    fn follow(&mut self, warp: &Warp, footprint: &Footprint, group: u32, active: u32) -> Result<(), String> {
        for write in self.writes.drain(..) {
            let Some(holds_for) = self.holds_for.get_mut(write.place) else {
                continue;
            };
            match value(warp, write.place) == write.before {
                true => *holds_for |= write.by,
                false => *holds_for = write.by,
            }
        }
        if active == 0 {
            return Ok(());
        }
        for place in footprint.reads().filter_map(place) {
            let strangers = active & !self.holds_for.get(place).copied().unwrap_or(u32::MAX);
            if strangers != 0 {
                return Err(format!(
                    "{} was written last while thread {} of the warp was elsewhere",
                    name(place),
                    strangers.trailing_zeros(),
                ));
            }
        }
        self.writes
            .extend(footprint.writes().filter_map(place).map(|place| Write {
                place,
                before: value(warp, place),
                by: group,
            }));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use warpsmith_sass::{PlainText, hazard::Footprint, parse};
    use warpsmith_target::Isa;

    use super::{Views, follow};
    use crate::sass::{code::Row, warp::Warp};

    /// A warp whose uniform register 4 some threads set to a value, after which others read it.
    fn set_and_read(writers: u32, value: u32, readers: u32) -> Result<(), String> {
        let footprint = |line: &str| {
            let instruction = parse(Isa::Sm90, line, &PlainText { address: 0 }).expect("an instruction");
            Footprint::of(&instruction)
        };
        let mut warp = Warp::new(0, u32::MAX, 0);
        warp.views = Some(Box::<Views>::default());
        follow(&mut warp, &footprint("UMOV UR4, 0x7"), writers, writers)?;
        warp.write(Row::uniform(Some(4)), writers, &[value; 32]);
        follow(&mut warp, &footprint("MOV R0, UR4"), readers, readers)
    }

    #[test]
    fn threads_read_what_they_have_written() {
        assert_eq!(set_and_read(0xff, 7, 0xf), Ok(()));
    }

    #[test]
    fn threads_do_not_read_what_others_have_written() {
        let message = "UR4 was written last while thread 8 of the warp was elsewhere";
        assert_eq!(set_and_read(0xff, 7, 0x1ff), Err(message.to_owned()));
    }

    #[test]
    fn what_changes_nothing_disturbs_nobody() {
        assert_eq!(set_and_read(0xff, 0, 0x1ff), Ok(()));
    }
}
