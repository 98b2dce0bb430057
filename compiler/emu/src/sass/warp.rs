//! The threads of a warp as the machine has them: registers, predicates, convergence barriers, and groups that run together.
//!
//! # Convergence
//!
//! Threads of a warp that run together are a *group*. A branch that they take differently splits the group, and only a convergence barrier
//! (`BSYNC`), `WARPSYNC` or another instruction that waits for lanes makes one group of several, as on the machine: the emulator
//! does not join threads that happen to meet, so that code which relies on it fails here too.
//!
//! A convergence barrier is made by `BSSY` and has a number; a barrier register holds the number, each thread its own, so that threads that
//! run apart may use one register for different barriers, and a saved and restored register still names the barrier that others have left
//! meanwhile. What the machine's registers hold is not known; no code seen looks at it.
//!
//! `YIELD` does not let threads that wait at a convergence barrier go on without those that yield: code behind a barrier uses uniform registers,
//! which the others would share.
//!
//! # Fairness
//!
//! Groups of a warp take turns: a group runs until it waits, yields, or has run for long.

use warpsmith_sass::hazard::InFlight;

use super::{
    code::{LANES, Lanes, Modify, Op, Pc, Predicate, Program, Row, Source, Test},
    uniform::Views,
};
use crate::{
    barrier::Arrived,
    device::Block,
    lanes::lanes_of,
    warpgroup::{Awaited, Products},
};

/// Why a group does not run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wait {
    Nothing,
    /// For the other threads of a convergence barrier.
    Converge {
        barrier: u8,
    },
    /// For these lanes to wait likewise.
    Lanes {
        members: u32,
    },
    /// The same; they then execute one collective section together, whichever place they come from.
    Collective {
        members: u32,
    },
    /// For this generation of a CTA barrier to end.
    Barrier {
        number: u8,
        generation: u64,
    },
    /// For this generation of the cluster barrier to end.
    Cluster {
        generation: u64,
    },
    /// For the other warps of the warp group.
    Products(Awaited),
}

/// Threads that run together.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    pub(crate) mask: u32,
    /// Those of them that are there by themselves, while the other lanes of their quads help them.
    pub(crate) helped: Option<u32>,
    /// The step that is next, or the one that waits.
    pub(crate) pc: Pc,
    pub(crate) wait: Wait,
    /// It has let others go first.
    pub(crate) gave_way: bool,
    /// Slices that it ran for since.
    pub(crate) turns: u32,
}

/// A convergence barrier that is armed.
#[derive(Clone, Copy, Debug)]
struct Armed {
    number: u32,
    /// Who takes part.
    members: u32,
    /// Whether those that wait may go on without the others.
    loose: bool,
}

/// The most convergence barriers of a warp that are armed at one time.
const ARMED_LIMIT: usize = 1 << 16;

/// So often threads give way before others leave a convergence barrier early.
const YIELD_LIMIT: u32 = 1024;

/// A warp.
#[derive(Debug)]
pub(crate) struct Warp {
    pub(crate) index: u32,
    /// Threads that have not exited.
    pub(crate) live: u32,
    rows: Vec<Lanes>,
    predicates: [u32; 16],
    /// Convergence barriers B0 to B15: for each thread, the number of the barrier it takes part in; 0: none.
    pub(crate) convergence: [Lanes; 16],
    /// The barriers that are armed.
    armed: Vec<Armed>,
    /// Barriers armed so far.
    numbered: u32,
    /// Where each thread goes on after the collective section it is in.
    pub(crate) collective: [Pc; LANES],
    /// `Rpc`, low and high.
    pub(crate) return_address: [Lanes; 2],
    pub(crate) groups: Vec<Group>,
    /// Local memory of each lane.
    pub(crate) local: Vec<Block>,
    /// Instructions executed.
    pub(crate) executed: u64,
    pub(crate) cluster_barrier: Arrived,
    pub(crate) products: Products,
    /// Times that a thread has given way while others waited at a convergence barrier.
    yields: u32,
    /// The result of each thread's last barrier with a vote, which `B2R` reads.
    pub(crate) barrier_result: Lanes,
    /// What checked mode knows.
    pub(crate) in_flight: Option<Box<InFlight>>,
    /// The same: which threads the uniform registers hold the right values for.
    pub(crate) views: Option<Box<Views>>,
}

impl Warp {
    pub(crate) fn new(index: u32, mask: u32, entry: Pc) -> Warp {
        let mut predicates = [0; 16];
        predicates[7] = u32::MAX;
        predicates[15] = u32::MAX;
        Warp {
            index,
            live: mask,
            rows: vec![[0; LANES]; Row::COUNT],
            predicates,
            convergence: [[0; LANES]; 16],
            armed: Vec::new(),
            numbered: 0,
            collective: [0; LANES],
            return_address: [[0; LANES]; 2],
            groups: vec![Group {
                mask,
                helped: None,
                pc: entry,
                wait: Wait::Nothing,
                gave_way: false,
                turns: 0,
            }],
            local: (0..LANES).map(|_| Block::new(0, false)).collect(),
            executed: 0,
            cluster_barrier: Arrived::default(),
            products: Products::default(),
            yields: 0,
            barrier_result: [0; LANES],
            in_flight: None,
            views: None,
        }
    }

    /// A row of the warp or of the launch's constants.
    #[inline(always)]
    pub(crate) fn row<'r>(&'r self, constants: &'r [Lanes], row: Row) -> &'r Lanes {
        const NOTHING: &Lanes = &[0; LANES];
        match row.place() {
            Ok(index) => self.rows.get(index).unwrap_or(NOTHING),
            Err(index) => constants.get(index).unwrap_or(NOTHING),
        }
    }

    /// A value with what is done to it; `space` holds it where something is done.
    #[inline(always)]
    pub(crate) fn source<'r>(&'r self, constants: &'r [Lanes], source: Source, space: &'r mut Lanes) -> &'r Lanes {
        let row = self.row(constants, source.row);
        let modify: fn(u32) -> u32 = match source.modify {
            Modify::Nothing => return row,
            Modify::Negate => u32::wrapping_neg,
            Modify::Invert => |value| !value,
            Modify::FloatNegate => |value| value ^ 1 << 31,
            Modify::FloatAbsolute => |value| value & !(1 << 31),
            Modify::FloatNegateAbsolute => |value| value | 1 << 31,
        };
        for (to, from) in space.iter_mut().zip(row) {
            *to = modify(*from);
        }
        space
    }

    /// A copy of a value with what is done to it.
    pub(crate) fn get(&self, constants: &[Lanes], source: Source) -> Lanes {
        let mut space = [0; LANES];
        *self.source(constants, source, &mut space)
    }

    /// Writes the lanes of a mask. A uniform register takes the value of the first of them in every lane.
    #[inline(always)]
    pub(crate) fn write(&mut self, row: Row, mask: u32, values: &Lanes) {
        if row.is_zero() || mask == 0 {
            return;
        }
        let Ok(place) = row.place() else { return };
        let Some(target) = self.rows.get_mut(place) else { return };
        if row.is_uniform() {
            *target = [values[mask.trailing_zeros() as usize % LANES]; LANES];
        } else if mask == u32::MAX {
            *target = *values;
        } else {
            for lane in lanes_of(mask) {
                target[lane] = values[lane];
            }
        }
    }

    /// Writes one lane.
    pub(crate) fn write_lane(&mut self, row: Row, lane: usize, value: u32) {
        let (false, Ok(place)) = (row.is_zero(), row.place()) else {
            return;
        };
        if let Some(target) = self.rows.get_mut(place) {
            if row.is_uniform() {
                *target = [value; LANES];
            } else {
                target[lane % LANES] = value;
            }
        }
    }

    /// The 64-bit value of a register pair in each lane.
    pub(crate) fn pair(&self, constants: &[Lanes], low: Row, high: Row) -> [u64; LANES] {
        let (low, high) = (self.row(constants, low), self.row(constants, high));
        std::array::from_fn(|lane| u64::from(low[lane]) | u64::from(high[lane]) << 32)
    }

    /// Writes 64-bit values to a register and the next.
    pub(crate) fn write_pair(&mut self, row: Row, mask: u32, values: &[u64; LANES]) {
        self.write(row, mask, &std::array::from_fn(|lane| values[lane] as u32));
        self.write(
            row.after(1),
            mask,
            &std::array::from_fn(|lane| (values[lane] >> 32) as u32),
        );
    }

    /// The lanes in which a predicate holds.
    #[inline(always)]
    pub(crate) fn test(&self, test: Test) -> u32 {
        let lanes = self.predicates[usize::from(test.predicate.0 % 16)];
        if test.negated { !lanes } else { lanes }
    }

    /// Sets a predicate in the lanes of a mask. A uniform one takes the value of the first of them.
    #[inline(always)]
    pub(crate) fn set_predicate(&mut self, predicate: Predicate, mask: u32, lanes: u32) {
        match predicate.0 {
            7 | 15.. => {}
            0..7 => {
                let old = &mut self.predicates[usize::from(predicate.0)];
                *old = *old & !mask | lanes & mask;
            }
            8..15 => {
                let holds = mask != 0 && lanes >> mask.trailing_zeros() & 1 != 0;
                if mask != 0 {
                    self.predicates[usize::from(predicate.0)] = if holds { u32::MAX } else { 0 };
                }
            }
        }
    }

    /// Splits lanes off a group, to stand at `pc`; the others stay where they are. The group's own index stays valid.
    pub(crate) fn split(&mut self, index: usize, mask: u32, pc: Pc) {
        let group = &mut self.groups[index];
        if mask == group.mask {
            group.pc = pc;
            return;
        }
        group.mask &= !mask;
        let mut other = group.clone();
        other.mask = mask;
        other.pc = pc;
        self.groups.push(other);
    }

    /// Takes threads out of every convergence barrier and of the warp.
    pub(crate) fn exit(&mut self, mask: u32) {
        self.live &= !mask;
        for group in &mut self.groups {
            group.mask &= !mask;
        }
        self.groups.retain(|group| group.mask != 0);
    }

    /// Arms a convergence barrier for these threads, which all take part. `loose`: not all of them need come.
    pub(crate) fn arm(&mut self, barrier: u8, members: u32, loose: bool) {
        if members == 0 {
            return;
        }
        // Those that nobody waited for are forgotten in the end: a loop may arm without end.
        if self.armed.len() >= ARMED_LIMIT {
            self.armed.drain(..ARMED_LIMIT / 2);
        }
        self.numbered = self.numbered.wrapping_add(1).max(1);
        self.armed.push(Armed {
            number: self.numbered,
            members,
            loose,
        });
        for lane in lanes_of(members) {
            self.convergence[usize::from(barrier) % 16][lane] = self.numbered;
        }
    }

    /// Who takes part in a barrier.
    fn members(&self, number: u32) -> u32 {
        let found = self.armed.iter().rev().find(|armed| armed.number == number);
        found.map_or(0, |armed| armed.members)
    }

    /// Takes threads out of the barrier that each of them has in this register.
    pub(crate) fn leave(&mut self, barrier: u8, leaving: u32) {
        for lane in lanes_of(leaving) {
            let number = self.convergence[usize::from(barrier) % 16][lane];
            if let Some(armed) = self.armed.iter_mut().rev().find(|armed| armed.number == number) {
                armed.members &= !(1 << lane);
            }
        }
        self.armed.retain(|armed| armed.members != 0);
    }

    /// The barrier that a group waits for.
    fn awaited(&self, group: &Group) -> Option<u32> {
        let Wait::Converge { barrier } = group.wait else {
            return None;
        };
        let first = group.mask.trailing_zeros() as usize % LANES;
        Some(self.convergence[usize::from(barrier) % 16][first])
    }

    /// Lets the groups go on whose convergence barrier, or wait for lanes, has all its threads; those at one place become one group.
    pub(crate) fn converge(&mut self, program: &Program) {
        let mut index = 0;
        while index < self.groups.len() {
            let group = &self.groups[index];
            let (wait, awaited) = (group.wait, self.awaited(group));
            let members = match wait {
                Wait::Converge { .. } => self.members(awaited.unwrap_or(0)),
                Wait::Lanes { members } | Wait::Collective { members } => members,
                Wait::Nothing | Wait::Barrier { .. } | Wait::Cluster { .. } | Wait::Products(_) => {
                    index += 1;
                    continue;
                }
            };
            let members = members & self.live | group.mask;
            let arrived = |other: &&Group| {
                let alike = match (wait, other.wait) {
                    (Wait::Converge { .. }, Wait::Converge { .. }) => self.awaited(other) == awaited,
                    (Wait::Lanes { .. }, Wait::Lanes { .. }) => true,
                    (Wait::Collective { .. }, Wait::Collective { .. }) => true,
                    _ => false,
                };
                alike && other.mask & !members == 0
            };
            let present = self
                .groups
                .iter()
                .filter(arrived)
                .fold(0, |all, other| all | other.mask);
            if present != members {
                index += 1;
                continue;
            }
            if let Some(number) = awaited {
                self.armed.retain(|armed| armed.number != number);
            }
            self.release(program, members, matches!(wait, Wait::Collective { .. }));
            index = 0;
        }
        self.let_go(program);
    }

    /// Where threads wait for others that wait at a loose barrier, and nobody is left to run, those go on without the rest. (Observed: what ptxas 13.0.88 makes
    /// for sm_100 of producers of ThunderKittens' products, of which one elected thread waits for its cluster while the others are at the end of the branch.
    /// Before sm_100 no barrier says that all come: Numba's reduction has `syncwarp()` of all under a condition, and its tests pass on GPUs.)
    fn let_go(&mut self, program: &Program) {
        let mut wanted = 0;
        for group in &self.groups {
            match group.wait {
                Wait::Lanes { members } | Wait::Collective { members } => wanted |= members,
                Wait::Converge { .. } => {}
                Wait::Nothing | Wait::Barrier { .. } | Wait::Cluster { .. } | Wait::Products(_) => return,
            }
        }
        let is_loose = |number: u32| self.armed.iter().any(|armed| armed.number == number && armed.loose);
        let waits = |group: &&Group| group.mask & wanted != 0 && self.awaited(group).is_some_and(is_loose);
        let released: Vec<Group> = self.groups.iter().filter(waits).cloned().collect();
        let mut members = 0;
        for group in released {
            if let Wait::Converge { barrier } = group.wait {
                self.leave(barrier, group.mask);
                members |= group.mask;
            }
        }
        if members != 0 {
            self.release(program, members, false);
        }
    }

    /// Threads give way, which may wait for what others do once they are past a convergence barrier. Whether these were let go: code of a lock that
    /// the threads of a warp take in turn has its holder wait at a barrier for those that wait for the lock (observed, ptxas 13.0.88), and
    /// threads make progress independently of each other (PTX ISA, "Independent thread scheduling"). So after many times they go on without the others.
    pub(crate) fn gives_way(&mut self, program: &Program) -> bool {
        let waits = |group: &&Group| matches!(group.wait, Wait::Converge { .. });
        let waiting: Vec<Group> = self.groups.iter().filter(waits).cloned().collect();
        if waiting.is_empty() {
            return false;
        }
        self.yields += 1;
        if self.yields < YIELD_LIMIT {
            return false;
        }
        self.yields = 0;
        let mut members = 0;
        for group in waiting {
            if let Wait::Converge { barrier } = group.wait {
                self.leave(barrier, group.mask);
                members |= group.mask;
            }
        }
        self.release(program, members, false);
        true
    }

    /// Lets the waiting groups of these lanes go on, as one where they stand at one place, or where they are `together`.
    fn release(&mut self, program: &Program, members: u32, together: bool) {
        let (released, others): (Vec<Group>, Vec<Group>) =
            self.groups.drain(..).partition(|group| group.mask & !members == 0);
        self.groups = others;
        let before = self.groups.len();
        for mut group in released {
            // A collective instruction waits before it is executed; a barrier is passed.
            let passes = program
                .steps
                .get(group.pc as usize)
                .is_none_or(|step| matches!(step.op, Op::Control(_)));
            group.pc += u32::from(passes);
            group.wait = Wait::Nothing;
            group.gave_way = false;
            let joins = |other: &&mut Group| together || other.pc == group.pc;
            match self.groups[before..].iter_mut().find(joins) {
                Some(other) => other.mask |= group.mask,
                None => self.groups.push(group),
            }
        }
    }
}
