//! The threads of a warp: registers, groups that run together, and which group runs next.
//!
//! # Convergence
//!
//! Threads of a warp that stand at the same step with the same call stack are one *group* and run together. A branch that they take
//! differently splits the group. Of the groups that can run, the one runs whose calls are deepest and whose step comes first in the order of
//! [`super::decode`]'s `order` (loops in one piece, joins after what joins there); groups that meet at a step with equal call stacks
//! become one again. So threads meet where the branch's ways do.
//!
//! # Fairness
//!
//! A group that has polled memory often without the others running gives way to them for a while, and a group that has not run for very long
//! gets its turn whatever the order says. So a thread that waits for another of its warp, as in a spin lock, does not wait for ever.

use std::rc::Rc;

use super::{
    code::{Code, LANES, Lanes, Program, Slot, Source, TRUE, Test},
    watch::{Place, Watch},
};
pub(crate) use crate::lanes::lanes_of;
use crate::{
    barrier::Arrived,
    device::Block,
    warpgroup::{Awaited, Products},
};

/// Polls (strong loads, atomic operations, tests of barriers, sleeping) after which a group gives way.
const POLLS: u32 = 32;
/// Instructions of other groups after which a group that gave way may run again.
const REST: u64 = 256;
/// Instructions of other groups after which a group runs out of order.
const STARVED: u64 = 50_000;

/// A caller that waits for its callee.
#[derive(Debug)]
pub(crate) struct Frame {
    pub(crate) function: u32,
    /// The call's step.
    pub(crate) pc: u32,
    pub(crate) base: u32,
    pub(crate) predicates: u32,
    pub(crate) depth: u32,
    pub(crate) caller: Option<Rc<Frame>>,
}

impl Drop for Frame {
    /// Callers are dropped one after the other, not by recursion as deep as the calls.
    fn drop(&mut self) {
        let mut next = self.caller.take();
        while let Some(mut frame) = next.and_then(Rc::into_inner) {
            next = frame.caller.take();
        }
    }
}

/// Why a group does not run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wait {
    Nothing,
    /// For other lanes at a warp operation; with `barrier`, at `bar.warp.sync`.
    Warp {
        members: u32,
        barrier: bool,
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
    pub(crate) function: u32,
    pub(crate) pc: u32,
    pub(crate) base: u32,
    pub(crate) predicates: u32,
    pub(crate) stack: Option<Rc<Frame>>,
    pub(crate) wait: Wait,
    pub(crate) polls: u32,
    pub(crate) gave_way: bool,
    /// The warp's count of instructions when it last ran.
    pub(crate) last: u64,
}

fn same_stack(a: &Option<Rc<Frame>>, b: &Option<Rc<Frame>>) -> bool {
    let (mut a, mut b) = (a, b);
    loop {
        match (a, b) {
            (None, None) => return true,
            (Some(x), Some(y)) if Rc::ptr_eq(x, y) => return true,
            (Some(x), Some(y)) if x.pc == y.pc && x.function == y.function && x.base == y.base => {
                (a, b) = (&x.caller, &y.caller);
            }
            _ => return false,
        }
    }
}

impl Group {
    fn depth(&self) -> u32 {
        self.stack.as_ref().map_or(0, |frame| frame.depth)
    }

    fn meets(&self, other: &Group) -> bool {
        self.pc == other.pc
            && self.function == other.function
            && self.base == other.base
            && same_stack(&self.stack, &other.stack)
    }
}

/// A warp.
#[derive(Debug)]
pub(crate) struct Warp {
    pub(crate) index: u32,
    /// Lanes that are threads and have not exited.
    pub(crate) live: u32,
    slots: Vec<Lanes>,
    predicates: Vec<u32>,
    pub(crate) groups: Vec<Group>,
    /// Local memory of each lane.
    pub(crate) local: Vec<Block>,
    /// The end of the stack in it.
    pub(crate) top: Lanes,
    pub(crate) carry: u32,
    /// Instructions executed.
    pub(crate) executed: u64,
    pub(crate) cluster_barrier: Arrived,
    pub(crate) products: Products,
    /// Where the registers and predicates of the group that runs start.
    pub(crate) base: usize,
    pub(crate) predicate_base: usize,
    pub(crate) watch: Option<Box<Watch>>,
}

impl Warp {
    /// A warp whose threads stand at the start of a kernel.
    pub(crate) fn new(index: u32, threads: u32, function: u32, code: &Code, record: bool) -> Warp {
        let mut warp = Warp {
            index,
            live: threads,
            slots: Vec::new(),
            predicates: Vec::new(),
            groups: vec![Group {
                mask: threads,
                function,
                pc: 0,
                base: 0,
                predicates: 0,
                stack: None,
                wait: Wait::Nothing,
                polls: 0,
                gave_way: false,
                last: 0,
            }],
            local: (0..LANES).map(|_| Block::new(0, record)).collect(),
            top: [0; LANES],
            carry: 0,
            executed: 0,
            cluster_barrier: Arrived::default(),
            products: Products::default(),
            base: 0,
            predicate_base: 0,
            watch: None,
        };
        warp.reserve(code, 0, 0);
        warp
    }

    /// Room for the registers of a function.
    pub(crate) fn reserve(&mut self, code: &Code, base: u32, predicates: u32) {
        let slots = (base + code.slots) as usize;
        if self.slots.len() < slots {
            self.slots.resize(slots, [0; LANES]);
        }
        let wanted = (predicates + code.predicates) as usize;
        if self.predicates.len() < wanted {
            self.predicates.resize(wanted, 0);
        }
        self.predicates[predicates as usize] = u32::MAX;
    }

    #[inline(always)]
    pub(crate) fn read<'w>(&'w self, code: &'w Code, source: Source) -> &'w Lanes {
        match source.place() {
            Ok(slot) => {
                if let Some(watch) = &self.watch {
                    watch.read(Place::Slot(self.base + slot));
                }
                &self.slots[self.base + slot]
            }
            Err(constant) => &code.constants[constant],
        }
    }

    #[inline(always)]
    pub(crate) fn write(&mut self, slot: Slot, mask: u32, values: &Lanes) {
        if let Some(watch) = &mut self.watch {
            watch.write(Place::Slot(self.base + slot as usize), mask);
        }
        let target = &mut self.slots[self.base + slot as usize];
        if mask == u32::MAX {
            *target = *values;
        } else {
            for lane in 0..LANES {
                if mask >> lane & 1 != 0 {
                    target[lane] = values[lane];
                }
            }
        }
    }

    /// The lanes where a test holds, of all lanes.
    #[inline(always)]
    pub(crate) fn test(&self, test: Test) -> u32 {
        if let Some(watch) = &self.watch
            && test.predicate != TRUE
        {
            watch.read(Place::Predicate(self.predicate_base + test.predicate as usize));
        }
        self.value_of(test)
    }

    /// The same, which is no use of it.
    #[inline(always)]
    pub(crate) fn value_of(&self, test: Test) -> u32 {
        let value = self.predicates[self.predicate_base + test.predicate as usize];
        if test.negated { !value } else { value }
    }

    #[inline(always)]
    pub(crate) fn set_predicate(&mut self, predicate: u32, mask: u32, value: u32) {
        if let Some(watch) = &mut self.watch {
            watch.write(Place::Predicate(self.predicate_base + predicate as usize), mask);
        }
        let target = &mut self.predicates[self.predicate_base + predicate as usize];
        *target = (*target & !mask) | (value & mask);
    }

    /// Joins groups that meet, and gives the group to run next.
    pub(crate) fn choose(&mut self, program: &Program, is_ready: impl Fn(&Group) -> bool) -> Option<usize> {
        self.groups.retain(|group| group.mask != 0);
        if self.groups.len() > 1 {
            self.join();
        }
        if let [only] = self.groups.as_slice() {
            return is_ready(only).then_some(0);
        }
        let ready: Vec<usize> = (0..self.groups.len())
            .filter(|index| is_ready(&self.groups[*index]))
            .collect();
        let executed = self.executed;
        if let Some(&starved) = ready
            .iter()
            .find(|index| executed - self.groups[**index].last > STARVED)
        {
            for &index in &ready {
                self.groups[index].gave_way = index != starved;
                self.groups[index].last = executed;
            }
        }
        let rested = |group: &Group| executed - group.last > REST;
        for &index in &ready {
            let group = &mut self.groups[index];
            if group.gave_way && rested(group) {
                group.gave_way = false;
            }
        }
        ready.into_iter().min_by_key(|index| {
            let group = &self.groups[*index];
            let rank = program.functions[group.function as usize].ranks[group.pc as usize];
            (group.gave_way, u32::MAX - group.depth(), rank)
        })
    }

    fn join(&mut self) {
        let mut index = 0;
        while index < self.groups.len() {
            let mut other = index + 1;
            while other < self.groups.len() {
                let (a, b) = (&self.groups[index], &self.groups[other]);
                let both_wait = matches!(a.wait, Wait::Nothing | Wait::Warp { .. })
                    && matches!(b.wait, Wait::Nothing | Wait::Warp { .. });
                if both_wait && a.meets(b) {
                    let joined = self.groups.swap_remove(other);
                    let group = &mut self.groups[index];
                    group.mask |= joined.mask;
                    // Together they may be all that a warp operation waits for.
                    group.wait = Wait::Nothing;
                    group.gave_way = false;
                    group.polls = 0;
                } else {
                    other += 1;
                }
            }
            index += 1;
        }
    }

    /// Counts a poll of memory; true: the group gives way to others of the warp.
    pub(crate) fn poll(&mut self, index: usize) -> bool {
        if self.groups.len() < 2 {
            return false;
        }
        let executed = self.executed;
        let group = &mut self.groups[index];
        group.polls += 1;
        if group.polls < POLLS {
            return false;
        }
        group.polls = 0;
        group.gave_way = true;
        group.last = executed;
        true
    }

    /// Splits lanes off a group, to stand at `pc`; the others stay where they are. The group's own index stays valid.
    pub(crate) fn split(&mut self, index: usize, mask: u32, pc: u32) {
        let group = &mut self.groups[index];
        if mask == group.mask {
            group.pc = pc;
            return;
        }
        group.mask &= !mask;
        let mut other = group.clone();
        other.mask = mask;
        other.pc = pc;
        other.polls = 0;
        self.groups.push(other);
    }
}
