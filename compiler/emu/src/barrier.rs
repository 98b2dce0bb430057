//! Barriers of CTAs: who has arrived, and what the arrivals voted. The interpreter of PTX and the emulator of the machine share them.

/// A barrier of a CTA.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Barrier {
    arrived: u32,
    /// A number of threads, where the instruction gives one.
    expected: Option<u32>,
    pub(crate) generation: u64,
    /// Threads with a true predicate, and threads that gave one.
    votes: (u32, u32),
    /// The votes of the generation before.
    pub(crate) result: (u32, u32),
}

/// What an arrival did.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arrival {
    /// The generation that the threads belong to.
    pub(crate) generation: u64,
    /// They were the last: the generation has ended.
    pub(crate) ends: bool,
}

impl Barrier {
    /// Threads arrive, with their votes. Without a number of their own they wait for the `live` threads of the CTA.
    ///
    /// # Errors
    /// The number that those who wait already gave, if it is another.
    pub(crate) fn arrive(
        &mut self,
        threads: u32,
        expected: Option<u32>,
        votes: (u32, u32),
        live: u32,
    ) -> Result<Arrival, u32> {
        if self.arrived > 0 && self.expected != expected {
            return Err(self.expected.unwrap_or(live));
        }
        let generation = self.generation;
        self.expected = expected;
        self.arrived += threads;
        self.votes.0 += votes.0;
        self.votes.1 += votes.1;
        let ends = self.arrived >= expected.unwrap_or(live);
        if ends {
            self.complete();
        }
        Ok(Arrival { generation, ends })
    }

    /// Threads of the CTA have exited: a barrier that all who are left wait at ends. Whether it does.
    pub(crate) fn recheck(&mut self, live: u32) -> bool {
        let ends = self.arrived > 0 && self.expected.is_none() && self.arrived >= live;
        if ends {
            self.complete();
        }
        ends
    }

    /// How many have arrived, and of how many.
    pub(crate) fn standing(&self, live: u32) -> (u32, u32) {
        (self.arrived, self.expected.unwrap_or(live))
    }

    fn complete(&mut self) {
        *self = Barrier {
            generation: self.generation + 1,
            result: self.votes,
            ..Barrier::default()
        };
    }
}

/// Why threads that expect `expected` cannot arrive where others wait for `waited`.
pub(crate) fn disagreement(number: usize, expected: u32, waited: u32) -> String {
    format!("barrier {number} expects {expected} threads, but others wait at it for {waited}")
}
