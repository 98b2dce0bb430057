//! Barriers of CTAs and clusters, and mbarrier objects.

use super::{
    FaultKind,
    code::{BarrierAction, LANES, Lanes, Mbarrier, Op, SINK_SLOT, Source, Space},
    machine::{Cluster, Flow, Machine, Site, Trouble},
    transfer::Locus,
    warp::{Wait, Warp, lanes_of},
};
use crate::{barrier::disagreement, warpgroup::Awaited};

/// Threads of a warp have exited: ends the barriers that wait for nobody else.
pub(crate) fn exit(cluster: &mut Cluster, rank: usize, warp: &mut Warp, lanes: u32) {
    let cta = &mut cluster.ctas[rank];
    for barrier in &mut cta.barriers {
        if barrier.recheck(cta.live)
            && let Some(shadow) = &mut cta.shadow
        {
            shadow.advance();
        }
    }
    let live = cluster.live();
    cluster.barrier.exit(&mut warp.cluster_barrier, lanes, live);
}

impl Machine<'_> {
    /// `bar` and `barrier`: the group arrives, and unless it only arrives it waits for the others.
    pub(crate) fn barrier(
        &mut self,
        site: &mut Site<'_>,
        warp: &mut Warp,
        action: BarrierAction,
        number: Source,
        threads: Option<Source>,
        active: u32,
    ) -> Result<(), Trouble> {
        let numbers = *warp.read(site.code, number);
        let counts = threads.map(|threads| *warp.read(site.code, threads));
        let first = active.trailing_zeros() as usize % LANES;
        let alike = |lane: &usize| {
            numbers[*lane] == numbers[first] && counts.is_none_or(|counts| counts[*lane] == counts[first])
        };
        let together = lanes_of(active).filter(alike).fold(0, |all, lane| all | 1 << lane);
        if together != active {
            warp.split(site.group, active & !together, site.pc);
        }
        let number = numbers[first] as usize;
        if number >= 16 {
            return Err(Trouble::new(
                FaultKind::Operand,
                format!("there is no barrier {number}, only 0 to 15"),
            )
            .at(first));
        }
        let expected = counts.map(|counts| counts[first] as u32);
        if let Some(expected) = expected.filter(|n| !n.is_multiple_of(32) || *n == 0) {
            let message = format!("{expected} threads at a barrier, which is not a multiple of the warp's 32");
            return Err(Trouble::new(FaultKind::Operand, message).at(first));
        }
        self.counts.barriers += 1;
        let votes = match action {
            BarrierAction::Popcount { a, .. } | BarrierAction::And { a, .. } | BarrierAction::Or { a, .. } => {
                ((warp.test(a) & together).count_ones(), together.count_ones())
            }
            BarrierAction::Sync | BarrierAction::Arrive => (0, 0),
        };
        // With a number of threads, whole warps are counted: lanes that are no threads or have exited arrive with the others.
        let arriving = if expected.is_some() && together == warp.live {
            32
        } else {
            together.count_ones()
        };
        let cta = site.cta();
        let live = cta.live;
        let barrier = &mut cta.barriers[number];
        let arrival = barrier.arrive(arriving, expected, votes, live).map_err(|waited| {
            let message = disagreement(number, expected.unwrap_or(live), waited);
            Trouble::new(FaultKind::BarrierDivergence, message).at(first)
        })?;
        if arrival.ends
            && let Some(shadow) = &mut cta.shadow
        {
            shadow.advance();
        }
        let group = &mut warp.groups[site.group];
        if action == BarrierAction::Arrive {
            group.pc = site.pc + 1;
        } else {
            group.wait = Wait::Barrier {
                number: number as u8,
                generation: arrival.generation,
            };
        }
        Ok(())
    }

    /// Lets a group go on whose barrier has ended.
    pub(crate) fn wake(&mut self, cluster: &mut Cluster, rank: usize, warp: &mut Warp, index: usize) {
        let group = &mut warp.groups[index];
        let (mask, wait) = (group.mask, group.wait);
        group.wait = Wait::Nothing;
        let step = self.program.functions[group.function as usize].steps[group.pc as usize];
        group.pc += 1;
        warp.base = group.base as usize;
        warp.predicate_base = group.predicates as usize;
        if let Wait::Cluster { .. } = wait {
            self.synchronise(cluster.ctas[rank].number);
        }
        let (Wait::Barrier { number, .. }, Op::Barrier { action, .. }) = (wait, step.op) else {
            return;
        };
        let (yes, all) = cluster.ctas[rank].barriers[number as usize].result;
        match action {
            BarrierAction::Sync | BarrierAction::Arrive => {}
            BarrierAction::Popcount { d, .. } => warp.write(d, mask, &[u64::from(yes); LANES]),
            BarrierAction::And { p, .. } => warp.set_predicate(p, mask, if yes == all { mask } else { 0 }),
            BarrierAction::Or { p, .. } => warp.set_predicate(p, mask, if yes > 0 { mask } else { 0 }),
        }
    }

    pub(crate) fn cluster_arrive(&mut self, site: &mut Site<'_>, warp: &mut Warp, active: u32) {
        self.counts.barriers += 1;
        self.synchronise(site.cta().number);
        warp.groups[site.group].pc = site.pc + 1;
        let live = site.cluster.live();
        site.cluster.barrier.arrive(&mut warp.cluster_barrier, active, live);
        if let Some(shadow) = &mut site.cta().shadow {
            shadow.advance();
        }
    }

    /// Notes a synchronisation with other CTAs, for the order of accesses.
    fn synchronise(&mut self, cta: u64) {
        if let Some(races) = &mut self.races {
            races.order.synchronise(cta, self.counts.instructions);
        }
    }

    /// Before a `wgmma.mma_async`: waits until all warps of the group have come to it.
    pub(crate) fn product_join(&mut self, site: &mut Site<'_>, warp: &mut Warp) {
        let number = warp.products.arrive();
        warp.groups[site.group].wait = Wait::Products(Awaited::Arrival(number));
    }

    /// `wgmma.wait_group`
    pub(crate) fn products_wait(&mut self, site: &mut Site<'_>, warp: &mut Warp, pending: u32) {
        let computed = warp.products.awaited(pending as usize);
        warp.groups[site.group].wait = Wait::Products(Awaited::Computed(computed));
    }

    pub(crate) fn cluster_wait(&mut self, site: &mut Site<'_>, warp: &mut Warp) {
        warp.groups[site.group].wait = Wait::Cluster {
            generation: warp.cluster_barrier.generation,
        };
    }
}

/// The value of an mbarrier object: what the current phase still waits for.
///
/// From the lowest bit: pending arrivals (20 bits), expected arrivals (20), pending bytes (21, signed), a bit that marks the object as
/// initialised, one free, and the phase (1). The layout is our own: the manual leaves it open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Object {
    pending: u32,
    expected: u32,
    bytes: i32,
    phase: bool,
}

const COUNT_BITS: u32 = 20;
const BYTE_BITS: u32 = 21;
const COUNT_MASK: u64 = (1 << COUNT_BITS) - 1;
const INITIALISED: u64 = 1 << 61;

impl Object {
    fn of(bits: u64) -> Option<Object> {
        let bytes = (bits >> (2 * COUNT_BITS) & ((1 << BYTE_BITS) - 1)) as i32;
        (bits & INITIALISED != 0).then_some(Object {
            pending: (bits & COUNT_MASK) as u32,
            expected: (bits >> COUNT_BITS & COUNT_MASK) as u32,
            bytes: bytes << (32 - BYTE_BITS) >> (32 - BYTE_BITS),
            phase: bits >> 63 != 0,
        })
    }

    fn bits(self) -> u64 {
        let bytes = self.bytes as u64 & ((1 << BYTE_BITS) - 1);
        u64::from(self.pending)
            | u64::from(self.expected) << COUNT_BITS
            | bytes << (2 * COUNT_BITS)
            | INITIALISED
            | u64::from(self.phase) << 63
    }

    /// Ends the phase if nothing is pending.
    fn settled(self) -> Object {
        if self.pending == 0 && self.bytes == 0 {
            Object {
                pending: self.expected,
                phase: !self.phase,
                ..self
            }
        } else {
            self
        }
    }
}

/// What asynchronous operations do to mbarrier objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Signal {
    /// So many bytes have arrived: complete-tx.
    Bytes(u64),
    /// One arrival.
    Arrival,
    /// One more arrival is pending in this phase.
    OneMore,
}

/// The most bytes that can be pending, and those that can have come before they were expected (the PTX manual, valid range of tx-count).
const MOST_BYTES: i64 = (1 << 20) - 1;

/// Adds to the pending bytes.
fn add_bytes(object: &mut Object, bytes: i64) -> Result<(), Trouble> {
    let sum = i64::from(object.bytes).saturating_add(bytes);
    if sum.abs() > MOST_BYTES {
        let message = format!("{sum} bytes pending at an mbarrier, which counts from -{MOST_BYTES} to {MOST_BYTES}");
        return Err(Trouble::new(FaultKind::Operand, message));
    }
    object.bytes = sum as i32;
    Ok(())
}

impl Machine<'_> {
    /// An operation of the asynchronous proxy on an mbarrier object.
    pub(crate) fn signal(&mut self, cluster: &mut Cluster, barrier: Locus, signal: Signal) -> Result<(), Trouble> {
        let bytes = self.fetch(cluster, barrier, 8)?;
        let bits = bytes.iter().rev().fold(0, |bits, byte| bits << 8 | u64::from(*byte));
        let Some(mut object) = Object::of(bits) else {
            let message = format!("the mbarrier at address {:#x} is not initialised", barrier.number());
            return Err(Trouble::new(FaultKind::Operand, message));
        };
        match signal {
            Signal::Bytes(bytes) => {
                add_bytes(&mut object, -(bytes as i64))?;
                object = object.settled();
            }
            Signal::Arrival if object.pending == 0 => {
                let message = "1 arrivals at an mbarrier that waits for 0";
                return Err(Trouble::new(FaultKind::Operand, message));
            }
            Signal::Arrival => {
                object.pending -= 1;
                object = object.settled();
            }
            Signal::OneMore if u64::from(object.pending) == COUNT_MASK => {
                return Err(Trouble::new(
                    FaultKind::Operand,
                    "too many arrivals pending at an mbarrier",
                ));
            }
            Signal::OneMore => object.pending += 1,
        }
        if let Locus::Shared(rank, _) = barrier
            && let Some(shadow) = cluster.ctas.get_mut(rank).and_then(|cta| cta.shadow.as_mut())
        {
            shadow.advance();
        }
        self.put(cluster, barrier, &object.bits().to_le_bytes())
    }

    /// An operation on mbarrier objects, lane after lane.
    pub(crate) fn mbarrier(
        &mut self,
        site: &mut Site<'_>,
        warp: &mut Warp,
        operation: Mbarrier,
        (address, offset, space): (Source, i64, Space),
        active: u32,
    ) -> Result<Flow, Trouble> {
        let code = site.code;
        let starts = *warp.read(code, address);
        self.settle(site.cluster)?;
        let source =
            |warp: &Warp, source: Option<Source>| -> Option<Lanes> { source.map(|source| *warp.read(code, source)) };
        let mut out = [0; LANES];
        let mut done = 0;
        for lane in lanes_of(active) {
            let at = starts[lane].wrapping_add_signed(offset);
            if !at.is_multiple_of(8) {
                return Err(Trouble::new(FaultKind::Misaligned, format!("an mbarrier at address {at:#x}")).at(lane));
            }
            if let Mbarrier::Init { count } = operation {
                let count = warp.read(code, count)[lane] as u32;
                if count == 0 || u64::from(count) > COUNT_MASK {
                    return Err(Trouble::new(FaultKind::Operand, format!("an mbarrier for {count} arrivals")).at(lane));
                }
                let object = Object {
                    pending: count,
                    expected: count,
                    bytes: 0,
                    phase: false,
                };
                self.write_one(site, warp, lane, space, at, 8, object.bits())?;
                continue;
            }
            let old = self.read_one(site, warp, lane, space, at, 8)?;
            let Some(mut object) = Object::of(old) else {
                let message = format!("the mbarrier at address {at:#x} is not initialised");
                return Err(Trouble::new(FaultKind::Operand, message).at(lane));
            };
            match operation {
                Mbarrier::Init { .. } => {}
                Mbarrier::Invalidate => {
                    self.write_one(site, warp, lane, space, at, 8, 0)?;
                    continue;
                }
                Mbarrier::ExpectTransactions { count } => {
                    let bytes = i64::from(warp.read(code, count)[lane] as u32);
                    add_bytes(&mut object, bytes).map_err(|trouble| trouble.at(lane))?;
                }
                Mbarrier::CompleteTransactions { count } => {
                    let bytes = i64::from(warp.read(code, count)[lane] as u32);
                    add_bytes(&mut object, -bytes).map_err(|trouble| trouble.at(lane))?;
                    object = object.settled();
                }
                Mbarrier::Arrive {
                    count, drop, expect, ..
                } => {
                    let count = source(warp, count).map_or(1, |counts| counts[lane] as u32);
                    if let Some(bytes) = source(warp, expect) {
                        let bytes = i64::from(bytes[lane] as u32);
                        add_bytes(&mut object, bytes).map_err(|trouble| trouble.at(lane))?;
                    }
                    if count > object.pending {
                        let message = format!("{count} arrivals at an mbarrier that waits for {}", object.pending);
                        return Err(Trouble::new(FaultKind::Operand, message).at(lane));
                    }
                    out[lane] = object.bits();
                    object.pending -= count;
                    if drop {
                        object.expected -= count.min(object.expected);
                    }
                    object = object.settled();
                }
                Mbarrier::TestWait { phase, parity, .. } => {
                    let asked = warp.read(code, phase)[lane];
                    let asked = if parity { asked & 1 != 0 } else { asked >> 63 != 0 };
                    done |= u32::from(object.phase != asked) << lane;
                    continue;
                }
            }
            self.write_one(site, warp, lane, space, at, 8, object.bits())?;
        }
        // Whoever arrives or waits here is ordered; that is not followed in detail.
        if let Some(shadow) = &mut site.cta().shadow {
            shadow.advance();
        }
        match operation {
            Mbarrier::Arrive { d, .. } if d != SINK_SLOT => warp.write(d, active, &out),
            Mbarrier::TestWait { p, .. } => {
                warp.set_predicate(p, active, done);
                if done & active != active {
                    warp.groups[site.group].pc = site.pc + 1;
                    warp.poll(site.group);
                    return Ok(Flow::Yield);
                }
            }
            _ => {}
        }
        Ok(Flow::Next)
    }
}
