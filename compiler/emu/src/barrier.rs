//! Barriers of CTAs and clusters: who has arrived, and what the arrivals voted. The interpreter of PTX and the emulator of the machine share them.

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

/// The barrier of a cluster, which waits for all of its threads that have not exited.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ClusterBarrier {
    /// Those that have arrived and have not exited.
    arrived: u32,
    pub(crate) generation: u64,
}

/// The threads of a warp that have arrived at the barrier of its cluster.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Arrived {
    /// The generation that they belong to.
    pub(crate) generation: u64,
    lanes: u32,
}

impl ClusterBarrier {
    /// Threads of a warp arrive; `live` are left of the cluster.
    pub(crate) fn arrive(&mut self, warp: &mut Arrived, lanes: u32, live: u32) {
        if warp.generation != self.generation {
            *warp = Arrived {
                generation: self.generation,
                lanes: 0,
            };
        }
        self.arrived += (lanes & !warp.lanes).count_ones();
        warp.lanes |= lanes;
        self.complete(live);
    }

    /// Threads of a warp have exited, which leaves `live`. Those of them that had arrived count no more: nobody waits for them.
    pub(crate) fn exit(&mut self, warp: &mut Arrived, lanes: u32, live: u32) {
        if warp.generation == self.generation {
            self.arrived -= (warp.lanes & lanes).count_ones();
            warp.lanes &= !lanes;
        }
        self.complete(live);
    }

    fn complete(&mut self, live: u32) {
        if self.arrived > 0 && self.arrived >= live {
            *self = ClusterBarrier {
                arrived: 0,
                generation: self.generation + 1,
            };
        }
    }
}

/// Why threads that expect `expected` cannot arrive where others wait for `waited`.
pub(crate) fn disagreement(number: usize, expected: u32, waited: u32) -> String {
    format!("barrier {number} expects {expected} threads, but others wait at it for {waited}")
}

#[cfg(test)]
mod tests {
    use super::{Arrived, ClusterBarrier};

    #[test]
    fn a_thread_that_exits_has_not_arrived_for_others() {
        let mut barrier = ClusterBarrier::default();
        let mut warps = [Arrived::default(); 2];
        barrier.arrive(&mut warps[0], u32::MAX, 64);
        // One stays to wait for the other warp.
        barrier.exit(&mut warps[0], !1, 33);
        barrier.arrive(&mut warps[1], 0xffff, 33);
        assert_eq!(barrier.generation, 0);
        // Those that have not arrived are waited for until they have, or exit.
        barrier.exit(&mut warps[1], 0xff00_0000, 25);
        assert_eq!(barrier.generation, 0);
        barrier.arrive(&mut warps[1], 0x00ff_0000, 25);
        assert_eq!(barrier.generation, 1);
    }
}
