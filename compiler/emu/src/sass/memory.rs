//! Loads and stores in global, shared, local and generic space.

use super::{
    code::{LANES, LOCAL_WINDOW, Lanes, Predicate, Row, SHARED_WINDOW},
    machine::{Context, Flow, Trouble},
};
use crate::{FaultKind, device::Miss, lanes::lanes_of};

/// The space that an instruction names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Space {
    Generic,
    Global,
    /// Of the own CTA.
    Shared,
    /// Of any CTA of the cluster.
    Cluster,
    Local,
}

/// What is done.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Kind {
    Load,
    Store,
}

/// An address operand: `base` (a register, or a pair where `wide`) plus a uniform register (or pair) plus an offset.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Address {
    pub(crate) base: Row,
    pub(crate) wide: bool,
    /// The base is shifted left by this.
    pub(crate) shift: u8,
    pub(crate) uniform: Row,
    pub(crate) uniform_wide: bool,
    pub(crate) offset: i64,
}

/// A load or store.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Access {
    pub(crate) kind: Kind,
    pub(crate) space: Space,
    pub(crate) address: Address,
    /// Bytes for each thread.
    pub(crate) bytes: u8,
    pub(crate) signed: bool,
    /// The register that is loaded, or stored.
    pub(crate) data: Row,
    /// That of bytes 16 to 31.
    pub(crate) upper: Row,
    /// Threads may be waiting for the value to change.
    pub(crate) strong: bool,
}

/// Where an address leads.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Place {
    /// Allocation and offset.
    Global(usize, u64),
    /// CTA of the cluster and offset.
    Shared(usize, u64),
    /// Offset in the lane's own.
    Local(u64),
}

/// In shared addresses, the rank of the CTA in its cluster is above these bits.
pub(crate) const SHARED_RANK_SHIFT: u32 = 24;

impl Address {
    /// The address in a register, or a pair where `wide`.
    pub(crate) fn register(base: Row, wide: bool) -> Address {
        Address {
            base,
            wide,
            shift: 0,
            uniform: Row::UNIFORM_ZERO,
            uniform_wide: false,
            offset: 0,
        }
    }

    /// The addresses of all lanes.
    #[inline]
    pub(crate) fn lanes(&self, context: &Context<'_, '_>) -> [u64; LANES] {
        let constants = &context.machine.constants;
        let low = context.warp.row(constants, self.base);
        let uniform = context.warp.row(constants, self.uniform);
        let mut start = u64::from(uniform[0]);
        if self.uniform_wide {
            start |= u64::from(context.warp.row(constants, self.uniform.after(1))[0]) << 32;
        }
        start = start.wrapping_add_signed(self.offset);
        if self.wide {
            let high = context.warp.row(constants, self.base.after(1));
            std::array::from_fn(|lane| (u64::from(low[lane]) | u64::from(high[lane]) << 32).wrapping_add(start))
        } else {
            std::array::from_fn(|lane| {
                let sum = (u64::from(low[lane]) << self.shift).wrapping_add(start);
                // A 32-bit register beside a 64-bit uniform one is an index; alone, addresses wrap at 32 bits.
                if self.uniform_wide { sum } else { sum & 0xffff_ffff }
            })
        }
    }
}

/// `QSPC`: whether generic addresses are in a space.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Query {
    pub(crate) space: Space,
    pub(crate) address: Address,
    pub(crate) p: Predicate,
}

impl Query {
    pub(super) fn execute(self, context: &mut Context<'_, '_>) -> Result<Flow, Trouble> {
        let addresses = self.address.lanes(context);
        let own = context.rank as u64;
        let is_in = |lane: &usize| {
            let address = addresses[*lane];
            let (shared, local) = (
                address >> 32 == SHARED_WINDOW >> 32,
                address >> 32 == LOCAL_WINDOW >> 32,
            );
            let rank = (address & 0xffff_ffff) >> SHARED_RANK_SHIFT;
            match self.space {
                Space::Generic => true,
                Space::Global => !shared && !local,
                Space::Shared => shared && (rank == 0 || rank == own),
                Space::Cluster => shared,
                Space::Local => local,
            }
        };
        let lanes = lanes_of(context.active)
            .filter(is_in)
            .fold(0, |all, lane| all | 1 << lane);
        context.warp.set_predicate(self.p, context.active, lanes);
        Ok(Flow::Next)
    }
}

impl Access {
    /// The register of a word.
    fn register(&self, word: u32) -> Row {
        match word {
            0..4 => self.data.after(word),
            _ => self.upper.after(word - 4),
        }
    }

    pub(super) fn execute(self, context: &mut Context<'_, '_>) -> Result<Flow, Trouble> {
        let addresses = self.address.lanes(context);
        count(context, self.space, &addresses, u64::from(self.bytes));
        match self.kind {
            Kind::Load => self.load(context, &addresses)?,
            Kind::Store => self.store(context, &addresses)?,
        }
        if self.strong {
            context.machine.counts.polls += 1;
        }
        Ok(Flow::Next)
    }

    fn load(self, context: &mut Context<'_, '_>, addresses: &[u64; LANES]) -> Result<(), Trouble> {
        let words = u32::from(self.bytes).div_ceil(4);
        let mut rows: [Lanes; 8] = [[0; LANES]; 8];
        for lane in lanes_of(context.active) {
            let place = locate(context, self.space, addresses[lane], self.bytes).map_err(|t| t.at(lane))?;
            for (word, row) in rows.iter_mut().enumerate().take(words as usize) {
                let bytes = usize::from(self.bytes).min(4);
                row[lane] = read(context, place, lane, 4 * word as u64, bytes).map_err(|t| t.at(lane))? as u32;
            }
        }
        if self.signed && self.bytes < 4 {
            let shift = 32 - 8 * u32::from(self.bytes);
            rows[0]
                .iter_mut()
                .for_each(|value| *value = ((*value << shift) as i32 >> shift) as u32);
        }
        for word in 0..words {
            context.put(self.register(word), &rows[word as usize % 8]);
        }
        Ok(())
    }

    fn store(self, context: &mut Context<'_, '_>, addresses: &[u64; LANES]) -> Result<(), Trouble> {
        let words = u32::from(self.bytes).div_ceil(4);
        let rows: [Lanes; 8] = std::array::from_fn(|word| {
            if (word as u32) < words {
                *context.warp.row(&context.machine.constants, self.register(word as u32))
            } else {
                [0; LANES]
            }
        });
        for lane in lanes_of(context.active) {
            let place = locate(context, self.space, addresses[lane], self.bytes).map_err(|t| t.at(lane))?;
            for (word, row) in rows.iter().enumerate().take(words as usize) {
                let bytes = usize::from(self.bytes).min(4);
                write(context, place, lane, 4 * word as u64, bytes, u64::from(row[lane])).map_err(|t| t.at(lane))?;
            }
        }
        Ok(())
    }
}

/// Counts an access in the report.
pub(crate) fn count(context: &mut Context<'_, '_>, space: Space, addresses: &[u64; LANES], bytes: u64) {
    let active = context.active;
    let first = addresses[active.trailing_zeros() as usize % LANES];
    let memory = &mut context.machine.counts.memory;
    let space = match (space, first >> 32) {
        (Space::Generic, high) if high == SHARED_WINDOW >> 32 => Space::Shared,
        (Space::Generic, high) if high == LOCAL_WINDOW >> 32 => Space::Local,
        (Space::Generic, _) => Space::Global,
        (space, _) => space,
    };
    match space {
        Space::Generic | Space::Global => memory.count_global(addresses, active, bytes),
        Space::Shared | Space::Cluster => memory.count_shared(addresses, active, bytes),
        Space::Local => memory.local_accesses += 1,
    }
}

/// Finds where an access of `bytes` goes.
#[inline]
pub(crate) fn locate(context: &mut Context<'_, '_>, space: Space, address: u64, bytes: u8) -> Result<Place, Trouble> {
    if !address.is_multiple_of(u64::from(bytes.max(1))) {
        let message = format!("{bytes} bytes at {address:#x}, which is not a multiple of {bytes}");
        return Err(Trouble::new(FaultKind::Misaligned, message));
    }
    match space {
        Space::Global => global(context, address, bytes),
        Space::Shared => own_shared(context, address),
        Space::Cluster => shared(context, address),
        Space::Local => Ok(Place::Local(address)),
        Space::Generic => match address >> 32 {
            high if high == SHARED_WINDOW >> 32 => shared(context, address & 0xffff_ffff),
            high if high == LOCAL_WINDOW >> 32 => Ok(Place::Local(address & 0xffff_ffff)),
            _ => global(context, address, bytes),
        },
    }
}

fn global(context: &mut Context<'_, '_>, address: u64, bytes: u8) -> Result<Place, Trouble> {
    let mut hint = context.machine.hint;
    let found = context.machine.device.find(address, &mut hint);
    context.machine.hint = hint;
    match found {
        Some((allocation, offset)) => Ok(Place::Global(allocation, offset)),
        None => {
            let message = format!(
                "{bytes} bytes at {address:#x}: {}",
                context.machine.device.describe(address)
            );
            Err(Trouble::new(FaultKind::OutOfBounds, message))
        }
    }
}

/// Addresses of the own CTA's shared memory may say its rank (code of sm_90 on adds it) or not.
fn own_shared(context: &Context<'_, '_>, address: u64) -> Result<Place, Trouble> {
    let rank = (address >> SHARED_RANK_SHIFT) as usize;
    if rank != 0 && rank != context.rank {
        let message = format!(
            "shared address {address:#x} is of CTA {rank} of the cluster, which this instruction cannot reach from CTA {}",
            context.rank
        );
        return Err(Trouble::new(FaultKind::OutOfBounds, message));
    }
    Ok(Place::Shared(context.rank, address & ((1 << SHARED_RANK_SHIFT) - 1)))
}

fn shared(context: &Context<'_, '_>, address: u64) -> Result<Place, Trouble> {
    let rank = (address >> SHARED_RANK_SHIFT) as usize;
    if context.cluster.ctas.len() <= rank {
        let message = format!(
            "shared address {address:#x} is of CTA {rank} of the cluster, which has {}",
            context.cluster.ctas.len()
        );
        return Err(Trouble::new(FaultKind::OutOfBounds, message));
    }
    Ok(Place::Shared(rank, address & ((1 << SHARED_RANK_SHIFT) - 1)))
}

fn missed(miss: Miss, place: Place, offset: u64, bytes: usize, size: u64) -> Trouble {
    let (space, start) = match place {
        Place::Global(_, start) => ("an allocation", start),
        Place::Shared(_, start) => ("shared memory", start),
        Place::Local(start) => ("local memory", start),
    };
    let at = start.wrapping_add(offset);
    match miss {
        // The stack grows towards zero, from its top.
        Miss::OutOfBounds if matches!(place, Place::Local(_)) && at & 1 << 31 != 0 => Trouble::new(
            FaultKind::Stack,
            format!(
                "{bytes} bytes {} below the end of the stack of {size} bytes",
                (at as u32).wrapping_neg()
            ),
        ),
        Miss::OutOfBounds => Trouble::new(
            FaultKind::OutOfBounds,
            format!("{bytes} bytes at offset {at:#x} of {space} of {size} bytes"),
        ),
        Miss::Uninitialised => Trouble::new(
            FaultKind::Uninitialised,
            format!("{bytes} bytes at offset {at:#x} of {space} were never written"),
        ),
    }
}

/// Reads up to 8 bytes.
#[inline]
pub(crate) fn read(
    context: &mut Context<'_, '_>,
    place: Place,
    lane: usize,
    offset: u64,
    bytes: usize,
) -> Result<u64, Trouble> {
    let check = context.machine.options.check_uninitialised;
    let (result, size) = match place {
        Place::Global(allocation, start) => {
            let block = context.machine.device.block_mut(allocation);
            (block.load(start + offset, bytes, check), block.len())
        }
        Place::Shared(rank, start) => {
            let block = &context.cluster.ctas[rank].shared;
            (block.load(start + offset, bytes, check), block.len())
        }
        Place::Local(start) => {
            let block = &context.warp.local[lane];
            (block.load(start + offset, bytes, check), block.len())
        }
    };
    result.map_err(|miss| missed(miss, place, offset, bytes, size))
}

/// Writes up to 8 bytes.
#[inline]
pub(crate) fn write(
    context: &mut Context<'_, '_>,
    place: Place,
    lane: usize,
    offset: u64,
    bytes: usize,
    value: u64,
) -> Result<(), Trouble> {
    let block = match place {
        Place::Global(allocation, _) => context.machine.device.block_mut(allocation),
        Place::Shared(rank, _) => &mut context.cluster.ctas[rank].shared,
        Place::Local(_) => &mut context.warp.local[lane],
    };
    let (Place::Global(_, start) | Place::Shared(_, start) | Place::Local(start)) = place;
    let size = block.len();
    block
        .store(start + offset, bytes, value)
        .map_err(|miss| missed(miss, place, offset, bytes, size))
}
