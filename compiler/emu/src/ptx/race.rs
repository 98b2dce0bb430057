//! Finding accesses to shared and global memory that nothing orders.
//!
//! Two warps that touch the same bytes, at least one of them writing and not both strongly, race if nothing orders them. What may order them:
//!
//! * In one CTA, a barrier of any kind between the two: it counts as ordering everything before it against everything after.
//! * Strong accesses (volatile, relaxed, acquire, release) and atomic operations, as a release by one CTA after its access and an acquire by
//!   the other before its own. Whichever they are and wherever they go, one by the first CTA and a later one by the other count as that.
//! * The barrier of a cluster, in the same way.
//!
//! So some races are missed but none is invented. Threads of one warp are not compared with each other. Of each word the last write, the last
//! atomic operation, the last strong read and the last reads of two warps are known; of global memory as many words as [`MOST_WORDS`], then all are forgotten.

use rustc_hash::FxHashMap;

/// How memory is touched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Touch {
    Read,
    Write,
    /// A strong read: it races with plain writes alone.
    StrongRead,
    /// A strong write or an update.
    Atomic,
}

impl Touch {
    /// What the access was, in words.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Touch::Read => "a read",
            Touch::StrongRead => "a strong read",
            Touch::Write => "a write",
            Touch::Atomic => "an atomic operation",
        }
    }

    /// What a second access does to memory, in words.
    fn does(self) -> &'static str {
        match self {
            Touch::Read | Touch::StrongRead => "reads",
            Touch::Write => "writes",
            Touch::Atomic => "updates atomically",
        }
    }

    fn did(self) -> &'static str {
        match self {
            Touch::Read | Touch::StrongRead => "reads",
            Touch::Write => "wrote",
            Touch::Atomic => "updates atomically",
        }
    }
}

/// An access to some bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Access {
    /// Number of the CTA.
    pub(crate) cta: u64,
    /// Instructions executed before.
    pub(crate) time: u64,
    /// Number of the thread in its CTA.
    pub(crate) thread: u32,
    pub(crate) function: u32,
    pub(crate) pc: u32,
    /// Barriers of the CTA before.
    pub(crate) epoch: u32,
    pub(crate) touch: Touch,
}

impl Access {
    fn same_warp(&self, other: &Access) -> bool {
        self.cta == other.cta && self.thread / 32 == other.thread / 32
    }
}

/// A race: the access before, and what happened, in words.
#[derive(Debug)]
pub(crate) struct Race {
    pub(crate) before: Access,
    pub(crate) what: String,
}

/// An access and the bytes of the word that it touched, a bit for each.
type Known = Option<(Access, u8)>;

/// The last accesses to a word of 4 bytes.
#[derive(Clone, Copy, Debug, Default)]
struct Word {
    write: Known,
    atomic: Known,
    strong_read: Known,
    /// Of two warps.
    reads: [Known; 2],
}

impl Word {
    /// Records an access to bytes of the word; the access that it races with.
    fn touch(&mut self, access: Access, bytes: u8, order: &Order) -> Option<Access> {
        let races = |known: &Known| {
            known
                .filter(|(before, touched)| touched & bytes != 0 && !order.is_ordered(before, &access))
                .map(|(before, _)| before)
        };
        let after_write = races(&self.write);
        let after_atomic = match access.touch {
            Touch::Read | Touch::Write => races(&self.atomic),
            Touch::StrongRead | Touch::Atomic => None,
        };
        let after_read = match access.touch {
            Touch::Read | Touch::StrongRead => None,
            Touch::Write => (self.reads.iter()).chain([&self.strong_read]).find_map(races),
            Touch::Atomic => self.reads.iter().find_map(races),
        };
        let known = Some((access, bytes));
        match access.touch {
            Touch::Write => self.write = known,
            Touch::Atomic => self.atomic = known,
            Touch::StrongRead => self.strong_read = known,
            Touch::Read => {
                let [first, second] = &mut self.reads;
                if first.is_some_and(|(before, _)| !before.same_warp(&access)) {
                    *second = *first;
                }
                *first = known;
            }
        }
        after_write.or(after_atomic).or(after_read)
    }
}

/// The bytes of an access, as words and the bytes touched in each.
fn words(start: u64, bytes: u64) -> impl Iterator<Item = (u64, u8)> {
    let end = start.saturating_add(bytes);
    (start / 4..end.div_ceil(4)).map(move |word| {
        let first = start.saturating_sub(word * 4).min(4);
        let last = (end - word * 4).min(4);
        (word, ((1_u16 << last) - (1 << first)) as u8)
    })
}

/// The times of strong accesses of each CTA.
#[derive(Debug, Default)]
pub(crate) struct Order {
    times: FxHashMap<u64, Vec<u64>>,
}

/// Strong accesses of a CTA that are known by their time; older ones count as happening whenever it makes a race less likely.
const MOST_TIMES: usize = 1 << 12;

impl Order {
    /// A CTA makes a strong access.
    pub(crate) fn synchronise(&mut self, cta: u64, time: u64) {
        let times = self.times.entry(cta).or_default();
        if times.last() != Some(&time) {
            times.push(time);
        }
        if times.len() > MOST_TIMES {
            // The first stands for all that are forgotten.
            times.drain(1..MOST_TIMES / 2);
        }
    }

    fn is_ordered(&self, before: &Access, after: &Access) -> bool {
        if before.same_warp(after) || before.cta == after.cta && before.epoch != after.epoch {
            return true;
        }
        let times = |cta| self.times.get(&cta).map_or(&[][..], Vec::as_slice);
        let released = times(before.cta);
        let next = released.partition_point(|time| *time < before.time);
        // Between the first and the second of a list that was cut, any time may have been.
        let released = if next == 1 && released.len() >= MOST_TIMES / 2 {
            Some(before.time)
        } else {
            released.get(next).copied()
        };
        let acquired = times(after.cta).last().copied();
        matches!((released, acquired), (Some(released), Some(acquired)) if acquired > released)
    }
}

/// The words that describe a race.
fn found(before: Access, access: &Access) -> Race {
    let (does, did) = (access.touch.does(), before.touch.did());
    let who = if before.cta == access.cta { "warp" } else { "CTA" };
    Race {
        before,
        what: format!("{does} what another {who} {did}"),
    }
}

/// What each word of a CTA's shared memory was last touched by.
#[derive(Debug, Default)]
pub(crate) struct Shadow {
    words: Vec<Word>,
    epoch: u32,
}

impl Shadow {
    /// A barrier orders what comes before it against what comes after.
    pub(crate) fn advance(&mut self) {
        self.epoch += 1;
    }

    /// Barriers so far.
    pub(crate) fn epoch(&self) -> u32 {
        self.epoch
    }

    /// Records an access; the race, if it is one.
    pub(crate) fn touch(&mut self, offset: u64, bytes: u64, access: Access, order: &Order) -> Option<Race> {
        let mut race = None;
        for (word, mask) in words(offset, bytes) {
            // No CTA has more shared memory than this.
            let index = (word as usize).min(crate::launch::SHARED_LIMIT as usize / 4);
            if self.words.len() <= index {
                self.words.resize(index + 1, Word::default());
            }
            race = race.or(self.words[index].touch(access, mask, order));
        }
        race.map(|before| found(before, &access))
    }
}

/// Words of global memory whose last accesses are known.
const MOST_WORDS: usize = 1 << 19;

/// What words of global memory were last touched by, and what orders accesses.
#[derive(Debug, Default)]
pub(crate) struct Races {
    words: FxHashMap<u64, Word>,
    pub(crate) order: Order,
}

impl Races {
    /// Records an access to global memory; the race, if it is one.
    pub(crate) fn touch(&mut self, address: u64, bytes: u64, access: Access) -> Option<Race> {
        let mut race = None;
        if self.words.len() >= MOST_WORDS {
            self.words.clear();
        }
        for (word, mask) in words(address, bytes) {
            race = race.or(self.words.entry(word).or_default().touch(access, mask, &self.order));
        }
        race.map(|before| found(before, &access))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn access(cta: u64, thread: u32, time: u64, touch: Touch) -> Access {
        Access {
            cta,
            time,
            thread,
            function: 0,
            pc: 0,
            epoch: 0,
            touch,
        }
    }

    #[test]
    fn words_of_an_access() {
        assert_eq!(words(8, 4).collect::<Vec<_>>(), [(2, 0b1111)]);
        assert_eq!(words(7, 1).collect::<Vec<_>>(), [(1, 0b1000)]);
        assert_eq!(words(6, 8).collect::<Vec<_>>(), [(1, 0b1100), (2, 0b1111), (3, 0b0011)]);
    }

    #[test]
    fn neighbouring_bytes_do_not_race() {
        let mut races = Races::default();
        assert!(races.touch(0, 1, access(0, 0, 0, Touch::Write)).is_none());
        assert!(races.touch(1, 1, access(1, 0, 1, Touch::Write)).is_none());
        assert!(races.touch(1, 1, access(1, 31, 2, Touch::Write)).is_none(), "one warp");
        let race = races.touch(0, 4, access(1, 32, 3, Touch::Read)).unwrap();
        assert_eq!(
            (race.what.as_str(), race.before.thread),
            ("reads what another warp wrote", 31)
        );
    }

    #[test]
    fn strong_reads_race_with_plain_writes_alone() {
        let race = |first: Touch, second: Touch| {
            let mut races = Races::default();
            assert!(races.touch(0, 4, access(0, 0, 0, first)).is_none());
            races.touch(0, 4, access(1, 0, 1, second)).map(|race| race.what)
        };
        assert_eq!(race(Touch::Read, Touch::StrongRead), None);
        assert_eq!(race(Touch::StrongRead, Touch::Read), None);
        assert_eq!(race(Touch::Atomic, Touch::StrongRead), None);
        assert_eq!(race(Touch::StrongRead, Touch::Atomic), None);
        let both = [(Touch::Write, Touch::StrongRead), (Touch::StrongRead, Touch::Write)];
        let found = both.map(|(first, second)| race(first, second).unwrap());
        assert_eq!(found, ["reads what another CTA wrote", "writes what another CTA reads"]);
    }

    #[test]
    fn a_release_and_an_acquire_order_two_ctas() {
        let mut races = Races::default();
        assert!(races.touch(0, 4, access(0, 0, 10, Touch::Write)).is_none());
        races.order.synchronise(1, 11);
        let race = races.touch(0, 4, access(1, 0, 12, Touch::Read)).unwrap();
        assert_eq!(
            race.what, "reads what another CTA wrote",
            "an acquire before the release"
        );
        races.order.synchronise(0, 13);
        races.order.synchronise(1, 14);
        assert!(races.touch(0, 4, access(1, 0, 15, Touch::Read)).is_none());
    }

    #[test]
    fn many_strong_accesses_invent_no_race() {
        let mut races = Races::default();
        assert!(races.touch(0, 4, access(0, 0, 5, Touch::Write)).is_none());
        (0..10_000).for_each(|time| races.order.synchronise(0, time));
        races.order.synchronise(1, 7);
        assert!(races.touch(0, 4, access(1, 0, 20_000, Touch::Read)).is_none());
    }
}
