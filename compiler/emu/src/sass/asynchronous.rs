//! Asynchronous copies and stores, which complete at once here, and the mbarriers of sm_90 and later.

use super::{
    atomic::Atomic,
    code::{LANES, Predicate, Row},
    machine::{Context, Flow, Trouble},
    memory::{Address, Space, count, locate, read, write},
};
use crate::{FaultKind, lanes::lanes_of};

/// An operation.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Asynchronous {
    /// `LDGSTS`
    Copy(Copy),
    /// `STAS`: bytes that are stored, then counted at an mbarrier.
    Store { address: Address, data: Row, bytes: u8 },
    /// `REDAS`
    Reduce(Atomic),
    /// `SYNCS.EXCH.64`
    Exchange { d: Row, address: Address, value: Row },
    /// `SYNCS.ARRIVE`
    Arrive(Arrive),
    /// `SYNCS.PHASECHK`: whether the phase whose parity is in bit 31 of a register is over.
    Check {
        p: Predicate,
        address: Address,
        parity: Row,
        polls: bool,
    },
}

/// `LDGSTS`: bytes from global to shared memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Copy {
    pub(crate) to: Address,
    pub(crate) from: Address,
    pub(crate) bytes: u8,
    /// Where it does not hold, zeros are stored.
    pub(crate) test: super::code::Test,
    /// As many bytes at the end are zero as the global address is above a multiple of the size. (Observed: `cp.async` with a size in a register.)
    pub(crate) fills: bool,
}

/// An arrival at an mbarrier.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arrive {
    pub(crate) d: Row,
    pub(crate) address: Address,
    /// A register that says how many threads, or bytes.
    pub(crate) operand: Row,
    pub(crate) arrivals: Amount,
    /// Bytes that are still to come; `completes`: that have come.
    pub(crate) bytes: Amount,
    pub(crate) completes: bool,
    /// Later phases expect these arrivals no longer.
    pub(crate) drops: bool,
    /// The low word of the result is the mask of threads that arrive at this mbarrier together, the high word the state before all of them.
    pub(crate) gives_mask: bool,
}

/// A number that an arrival changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Amount {
    Nothing,
    One,
    Operand,
}

impl Amount {
    fn of(self, operand: u32) -> u32 {
        match self {
            Amount::Nothing => 0,
            Amount::One => 1,
            Amount::Operand => operand,
        }
    }
}

/// The state of an mbarrier of sm_90 on, as its 64 bits have it.
///
/// Bits 1 to 20 hold 2^20 less the arrivals of a phase, bits 43 to 62 2^20 less those missing in this one, bit 63 the phase (observed: what
/// ptxas 13.0.88 writes for `mbarrier.init`, `pending_count` and `test_wait`). That the bytes to come are in bits 21 to 42 is assumed: no
/// code looks at them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Mbarrier {
    expected: u32,
    pending: u32,
    bytes: i32,
    phase: bool,
}

impl Mbarrier {
    /// A new one that expects so many arrivals.
    pub(crate) fn expecting(count: u32) -> Mbarrier {
        Mbarrier {
            expected: count,
            pending: count,
            bytes: 0,
            phase: false,
        }
    }

    /// Reads it.
    pub(crate) fn of(state: u64) -> Mbarrier {
        let count = |low: u32| (1_u32 << 20).wrapping_sub((state >> low) as u32 & 0xf_ffff) & 0xf_ffff;
        Mbarrier {
            expected: count(1),
            pending: count(43),
            bytes: ((state >> 21 & 0x3f_ffff) as i32) << 10 >> 10,
            phase: state >> 63 != 0,
        }
    }

    /// Its bits.
    pub(crate) fn bits(self) -> u64 {
        let count = |number: u32| u64::from((1_u32 << 20).wrapping_sub(number) & 0xf_ffff);
        count(self.expected) << 1
            | (self.bytes as u64 & 0x3f_ffff) << 21
            | count(self.pending) << 43
            | u64::from(self.phase) << 63
    }

    /// After arrivals and a change of the bytes to come.
    pub(crate) fn after(mut self, arrivals: u32, bytes: i32, drops: bool) -> Result<Mbarrier, Trouble> {
        self.pending = self.pending.checked_sub(arrivals).ok_or_else(|| {
            let message = format!(
                "{arrivals} arrivals at an mbarrier that expects {} more in this phase",
                self.pending
            );
            Trouble::new(FaultKind::Operand, message)
        })?;
        if drops {
            self.expected = self.expected.saturating_sub(arrivals);
        }
        self.bytes = self.bytes.wrapping_add(bytes);
        if self.pending == 0 && self.bytes == 0 {
            self.phase = !self.phase;
            self.pending = self.expected;
        }
        Ok(self)
    }
}

impl Asynchronous {
    pub(super) fn execute(self, context: &mut Context<'_, '_>) -> Result<Flow, Trouble> {
        match self {
            Asynchronous::Copy(copy) => copy.execute(context),
            Asynchronous::Store { address, data, bytes } => store(context, address, data, bytes),
            Asynchronous::Reduce(atomic) => {
                let barriers = barriers(context, atomic.address);
                atomic.execute(context)?;
                completed(context, &barriers, u32::from(atomic.bytes))
            }
            Asynchronous::Exchange { d, address, value } => {
                let lane = context.mask.trailing_zeros() as usize % LANES;
                let at = address.lanes(context)[lane];
                let new = context.warp.pair(&context.machine.constants, value, value.after(1))[lane];
                if d.is_zero() {
                    // Nobody asks for what was there, which may be nothing yet.
                    let place = locate(context, Space::Cluster, at, 8).map_err(|t| t.at(lane))?;
                    write(context, place, lane, 0, 8, new).map_err(|t| t.at(lane))?;
                    return Ok(Flow::Next);
                }
                let old = replace(context, lane, at, |_| Ok(new))?;
                context.warp.write_pair(d, context.active, &[old; LANES]);
                Ok(Flow::Next)
            }
            Asynchronous::Arrive(arrive) => arrive.execute(context),
            Asynchronous::Check {
                p,
                address,
                parity,
                polls,
            } => check(context, p, address, parity, polls),
        }
    }
}

/// Changes the mbarrier at an address; gives its bits before.
pub(super) fn replace(
    context: &mut Context<'_, '_>,
    lane: usize,
    address: u64,
    new: impl FnOnce(u64) -> Result<u64, Trouble>,
) -> Result<u64, Trouble> {
    let place = locate(context, Space::Cluster, address, 8).map_err(|t| t.at(lane))?;
    let old = read(context, place, lane, 0, 8).map_err(|t| t.at(lane))?;
    let new = new(old).map_err(|t| t.at(lane))?;
    write(context, place, lane, 0, 8, new).map_err(|t| t.at(lane))?;
    Ok(old)
}

impl Copy {
    fn execute(self, context: &mut Context<'_, '_>) -> Result<Flow, Trouble> {
        let (to, from) = (self.to.lanes(context), self.from.lanes(context));
        let test = context.warp.test(self.test);
        let size = u64::from(self.bytes);
        count(context, Space::Global, &from, size);
        count(context, Space::Shared, &to, size);
        for lane in lanes_of(context.active) {
            let step = usize::from(self.bytes.min(8));
            let (mut start, mut valid) = (from[lane], if test >> lane & 1 != 0 { size } else { 0 });
            if self.fills {
                valid = valid.saturating_sub(start % size);
                start -= start % size;
            }
            let target = locate(context, Space::Shared, to[lane], self.bytes).map_err(|t| t.at(lane))?;
            let source = match valid {
                0 => None,
                _ => Some(locate(context, Space::Global, start, self.bytes).map_err(|t| t.at(lane))?),
            };
            for offset in (0..size).step_by(step) {
                // All that is there at once, or byte by byte to find the one at fault.
                let together = match source {
                    Some(source) if offset + step as u64 <= valid => read(context, source, lane, offset, step).ok(),
                    _ => None,
                };
                if let Some(value) = together {
                    write(context, target, lane, offset, step, value).map_err(|t| t.at(lane))?;
                    continue;
                }
                let mut value = 0;
                for byte in (0..step as u64).filter(|byte| offset + byte < valid) {
                    if let Some(source) = source {
                        let one = read(context, source, lane, offset + byte, 1).map_err(|t| t.at(lane))?;
                        value |= one << (8 * byte);
                    }
                }
                write(context, target, lane, offset, step, value).map_err(|t| t.at(lane))?;
            }
        }
        Ok(Flow::Next)
    }
}

/// The mbarriers whose addresses are in the high words of an address pair.
fn barriers(context: &Context<'_, '_>, address: Address) -> [u64; LANES] {
    let high = context.warp.row(&context.machine.constants, address.base.after(1));
    high.map(u64::from)
}

/// Counts bytes as come at the mbarrier at an address.
pub(super) fn complete_bytes(context: &mut Context<'_, '_>, barrier: u64, bytes: u32) -> Result<(), Trouble> {
    let count = |state| {
        Ok(Mbarrier::of(state)
            .after(0, (bytes as i32).wrapping_neg(), false)?
            .bits())
    };
    replace(context, 0, barrier, count).map(|_| ())
}

/// Counts bytes as come.
fn completed(context: &mut Context<'_, '_>, barriers: &[u64; LANES], bytes: u32) -> Result<Flow, Trouble> {
    for lane in lanes_of(context.active) {
        replace(context, lane, barriers[lane], |state| {
            Ok(Mbarrier::of(state).after(0, -(bytes as i32), false)?.bits())
        })?;
    }
    Ok(Flow::Next)
}

fn store(context: &mut Context<'_, '_>, address: Address, data: Row, bytes: u8) -> Result<Flow, Trouble> {
    let barriers = barriers(context, address);
    let addresses = address.lanes(context);
    count(context, Space::Cluster, &addresses, u64::from(bytes));
    for lane in lanes_of(context.active) {
        let place = locate(context, Space::Cluster, addresses[lane], bytes).map_err(|t| t.at(lane))?;
        for word in 0..u32::from(bytes) / 4 {
            let value = context.warp.row(&context.machine.constants, data.after(word))[lane];
            write(context, place, lane, 4 * u64::from(word), 4, u64::from(value)).map_err(|t| t.at(lane))?;
        }
    }
    completed(context, &barriers, u32::from(bytes))
}

impl Arrive {
    fn execute(self, context: &mut Context<'_, '_>) -> Result<Flow, Trouble> {
        let addresses = self.address.lanes(context);
        let operands = *context.warp.row(&context.machine.constants, self.operand);
        let mut results = [0; LANES];
        let mut firsts = [0; LANES];
        context.machine.counts.memory.atomics += 1;
        context.machine.counts.polls += 1;
        for lane in lanes_of(context.active) {
            let operand = operands[lane];
            let bytes = self.bytes.of(operand) as i32;
            let bytes = if self.completes { -bytes } else { bytes };
            let old = replace(context, lane, addresses[lane], |state| {
                let after = Mbarrier::of(state).after(self.arrivals.of(operand), bytes, self.drops)?;
                Ok(after.bits())
            })?;
            let first = lanes_of(context.active).find(|other| addresses[*other] == addresses[lane]);
            if first == Some(lane) {
                firsts[lane] = old >> 32 << 32;
            }
            results[lane] = match (self.gives_mask, first) {
                (true, Some(first)) => firsts[first] | u64::from(same(&addresses, context.active, lane)),
                _ => old,
            };
        }
        context.warp.write_pair(self.d, context.active, &results);
        Ok(Flow::Next)
    }
}

/// The lanes with the same address as this one.
fn same(addresses: &[u64; LANES], active: u32, lane: usize) -> u32 {
    lanes_of(active)
        .filter(|other| addresses[*other] == addresses[lane])
        .fold(0, |all, lane| all | 1 << lane)
}

fn check(
    context: &mut Context<'_, '_>,
    p: Predicate,
    address: Address,
    parity: Row,
    polls: bool,
) -> Result<Flow, Trouble> {
    let addresses = address.lanes(context);
    let parities = *context.warp.row(&context.machine.constants, parity);
    let mut over = 0;
    context.machine.counts.polls += 1;
    for lane in lanes_of(context.active) {
        let place = locate(context, Space::Cluster, addresses[lane], 8).map_err(|t| t.at(lane))?;
        let state = read(context, place, lane, 0, 8).map_err(|t| t.at(lane))?;
        over |= u32::from(Mbarrier::of(state).phase != (parities[lane] >> 31 != 0)) << lane;
    }
    context.warp.set_predicate(p, context.active, over);
    // A wait that may last lets others run first.
    Ok(match polls && over != context.active {
        true => Flow::Yield,
        false => Flow::Next,
    })
}
