//! Finding accesses to shared memory that nothing orders.
//!
//! Two warps of a CTA that touch the same word between two barriers, at least one of them writing and not both atomically, race. Barriers of
//! any kind count as ordering everything before them against everything after, so some races are missed but none is invented. Threads of one warp are not
//! compared with each other.

/// How memory is touched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Touch {
    Read,
    Write,
    Atomic,
}

#[derive(Clone, Copy, Debug, Default)]
struct Word {
    epoch: u32,
    /// Number of the warp, plus one; `MANY` for several.
    reader: u16,
    writer: u16,
    atomic: u16,
}

const MANY: u16 = u16::MAX;

/// What each word of a CTA's shared memory was last touched by.
#[derive(Debug, Default)]
pub(crate) struct Shadow {
    words: Vec<Word>,
    epoch: u32,
}

fn others(of: u16, warp: u16) -> bool {
    of != 0 && of != warp
}

fn joined(of: u16, warp: u16) -> u16 {
    if of == 0 || of == warp { warp } else { MANY }
}

impl Shadow {
    /// A barrier orders what comes before it against what comes after.
    pub(crate) fn advance(&mut self) {
        self.epoch += 1;
    }

    /// Records an access; the words that describe the race, if it is one.
    pub(crate) fn touch(&mut self, offset: u64, bytes: u64, warp: u32, touch: Touch) -> Option<&'static str> {
        let warp = warp as u16 + 1;
        for index in offset / 4..(offset + bytes).div_ceil(4) {
            let index = index as usize;
            if self.words.len() <= index {
                self.words.resize(index + 1, Word::default());
            }
            let word = &mut self.words[index];
            if word.epoch != self.epoch {
                *word = Word {
                    epoch: self.epoch,
                    ..Word::default()
                };
            }
            let after_write = others(word.writer, warp);
            let after_read = others(word.reader, warp);
            let after_atomic = others(word.atomic, warp);
            match touch {
                Touch::Read if after_write => return Some("reads what another warp wrote"),
                Touch::Read if after_atomic => return Some("reads what another warp updates atomically"),
                Touch::Read => word.reader = joined(word.reader, warp),
                Touch::Write if after_write => return Some("writes what another warp wrote"),
                Touch::Write if after_read => return Some("writes what another warp reads"),
                Touch::Write if after_atomic => return Some("writes what another warp updates atomically"),
                Touch::Write => word.writer = joined(word.writer, warp),
                Touch::Atomic if after_write => return Some("updates atomically what another warp wrote"),
                Touch::Atomic if after_read => return Some("updates atomically what another warp reads"),
                Touch::Atomic => word.atomic = joined(word.atomic, warp),
            }
        }
        None
    }
}
