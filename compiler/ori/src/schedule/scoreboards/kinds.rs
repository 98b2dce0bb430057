//! What `isa-tables/timing.tbl` says of an instruction beside its latency, as scoreboards need it.

use warpsmith_sass::{Awaiting, Flow, GuardFile, MemorySpace, Opcode, RegisterClass, Tells};

use super::super::facts::{Facts, place};

/// No queue in which instructions are kept in order.
pub(super) const ELSEWHERE: u8 = 1 << 7;

/// The queue of an instruction, as a bit.
pub(super) fn queue(facts: &Facts) -> u8 {
    facts.timing.queue.map_or(ELSEWHERE, |queue| 1 << queue as u8)
}

impl Facts {
    /// The place of its guard.
    pub(super) fn guard_place(&self) -> Option<u16> {
        let guard = self.word.guard()?;
        let class = match guard.kind {
            GuardFile::Predicate => RegisterClass::Predicate,
            GuardFile::UniformPredicate => RegisterClass::UniformPredicate,
        };
        place(class, guard.number)
    }

    /// Whether it writes those predicates that a mask names.
    pub(super) fn writes_some_predicates(&self) -> bool {
        !self.word.opcode().info().implicit.is_empty()
    }

    /// Whether it tells by this scoreboard, and to these, that what it does is done.
    pub(super) fn tells(&self, scoreboard: Tells, who: Awaiting) -> bool {
        let (control, isa) = (self.word.form().control, self.word.isa());
        let may = match scoreboard {
            Tells::Write => control.may_set_write_scoreboard(isa) && !self.is_waited_for && self.writes.is_empty(),
            Tells::Read => control.may_set_read_scoreboard(isa),
        };
        may && self.timing.tells == Some((scoreboard, who))
    }

    /// Whether it comes after the effects of what tells them to [`Awaiting::Ordering`].
    pub(super) fn waits_for_effects(&self) -> bool {
        let is_shared = |space| match space {
            MemorySpace::Shared | MemorySpace::Cluster | MemorySpace::Generic => true,
            MemorySpace::Global
            | MemorySpace::Local
            | MemorySpace::Constant
            | MemorySpace::Attribute
            | MemorySpace::Texture
            | MemorySpace::Surface
            | MemorySpace::Tensor
            | MemorySpace::Stage => false,
        };
        let orders = match self.word.flow() {
            Flow::Barrier | Flow::Exit | Flow::Call | Flow::Return | Flow::Indirect => true,
            Flow::None | Flow::Branch | Flow::Converge | Flow::Diverge | Flow::Leave | Flow::Wait | Flow::Trap => false,
        };
        let accesses = self.word.memory().iter().any(|access| is_shared(access.space));
        let starts = self.timing.tells == Some((Tells::Write, Awaiting::Ordering));
        orders || self.timing.orders.is_some() || accesses && !starts
    }

    /// Whether an instruction has the stall count that waits for completion. (Observed, ptxas 13.0.88.)
    pub(super) fn completes(&self) -> bool {
        self.word.opcode() == Opcode::Errbar
    }
}
