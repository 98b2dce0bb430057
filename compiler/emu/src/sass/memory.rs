//! Loads and stores in global, shared, local and generic space.

use super::{
    code::{LANES, LOCAL_WINDOW, Lanes, Predicate, Row, SHARED_WINDOW},
    machine::{Context, Flow, Trouble},
};
use crate::{
    Accessed, FaultKind, MemorySpace,
    device::{Block, Miss},
    lanes::{Shape, lanes_of},
};

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
    /// The address.
    Global(u64),
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
        let bytes = u64::from(self.bytes);
        let shape = Shape::of(&addresses, context.active, bytes);
        count_of(context, self.space, shape, &addresses, bytes);
        // 16 bytes may be one number, which no single move handles.
        let whole = match self.strong && bytes > 8 {
            true => context.machine.memory.whole(),
            false => None,
        };
        match self.kind {
            Kind::Load => self.load(context, shape, &addresses)?,
            Kind::Store => self.store(context, shape, &addresses)?,
        }
        drop(whole);
        if self.strong && !context.machine.retry {
            context.machine.counts.polls += 1;
        }
        Ok(Flow::Next)
    }

    fn load(self, context: &mut Context<'_, '_>, shape: Shape, addresses: &[u64; LANES]) -> Result<(), Trouble> {
        let words = u32::from(self.bytes).div_ceil(4);
        if self.load_together(context, shape, addresses).is_some() {
            return Ok(());
        }
        let mut rows: [Lanes; 8] = [[0; LANES]; 8];
        for lane in lanes_of(context.active) {
            let place = locate(context, self.space, addresses[lane], self.bytes).map_err(|t| t.at(lane))?;
            for (word, row) in rows.iter_mut().enumerate().take(words as usize) {
                let bytes = usize::from(self.bytes).min(4);
                row[lane] = read(context, place, lane, 4 * word as u64, bytes).map_err(|t| t.at(lane))? as u32;
            }
        }
        for (word, row) in (0..words).zip(&mut rows) {
            self.extend(row);
            context.put(self.register(word), row);
        }
        Ok(())
    }

    /// Extends the sign of what is loaded.
    fn extend(&self, row: &mut Lanes) {
        if self.signed && self.bytes < 4 {
            let shift = 32 - 8 * u32::from(self.bytes);
            row.iter_mut()
                .for_each(|value| *value = ((*value << shift) as i32 >> shift) as u32);
        }
    }

    /// The block that all lanes' addresses most likely lie in, and the address of its start. `None`: it is not so simple.
    #[inline]
    fn common_block<'b>(&self, context: &'b mut Context<'_, '_>, addresses: &[u64; LANES]) -> Option<(&'b Block, u64)> {
        let active = context.active;
        let first = addresses[active.trailing_zeros() as usize % LANES];
        // An address that is no multiple of the size is a fault.
        let low = (0..LANES).fold(0, |low, lane| {
            low | addresses[lane] & u64::from(active >> lane & 1).wrapping_neg()
        });
        if !self.bytes.is_power_of_two() || low & (u64::from(self.bytes) - 1) != 0 {
            return None;
        }
        let window = match self.space {
            Space::Generic if first >> 32 == SHARED_WINDOW >> 32 => SHARED_WINDOW,
            Space::Generic if first >> 32 == LOCAL_WINDOW >> 32 => return None,
            Space::Generic | Space::Global => {
                let (block, offset) = context.machine.memory.find(first)?;
                return Some((block, first - offset));
            }
            Space::Shared | Space::Cluster => 0,
            Space::Local => return None,
        };
        let address = first - window;
        let rank = (address >> SHARED_RANK_SHIFT) as usize;
        let start = window + ((rank as u64) << SHARED_RANK_SHIFT);
        let rank = match self.space {
            // Of the own CTA, with its rank in the address or without it.
            Space::Shared if rank == 0 => context.rank,
            Space::Shared if rank != context.rank => return None,
            _ => rank,
        };
        Some((&context.cluster.ctas.get(rank)?.shared, start))
    }

    /// A load of all lanes from one block; `None`: it is not so simple, or a fault.
    #[inline]
    fn load_together(&self, context: &mut Context<'_, '_>, shape: Shape, addresses: &[u64; LANES]) -> Option<()> {
        if self.space == Space::Local {
            return self.load_local(context, addresses);
        }
        let (active, check) = (context.active, context.machine.checks_uninitialised());
        let (block, start) = self.common_block(context, addresses)?;
        match self.bytes {
            1 | 2 | 4 => {
                let rows = block.gather::<1>(shape, start, addresses, active, usize::from(self.bytes), check)?;
                self.put(context, &rows);
            }
            8 => {
                let rows = block.gather::<2>(shape, start, addresses, active, 4, check)?;
                self.put(context, &rows);
            }
            16 => {
                let rows = block.gather::<4>(shape, start, addresses, active, 4, check)?;
                self.put(context, &rows);
            }
            _ => return None,
        }
        Some(())
    }

    /// Writes the words that were loaded.
    #[inline]
    fn put<const WORDS: usize>(&self, context: &mut Context<'_, '_>, rows: &[[u64; LANES]; WORDS]) {
        for (word, row) in rows.iter().enumerate() {
            let mut row = row.map(|value| value as u32);
            self.extend(&mut row);
            context.put(self.register(word as u32), &row);
        }
    }

    /// A load of words that lie in the local memory of each lane.
    fn load_local(&self, context: &mut Context<'_, '_>, addresses: &[u64; LANES]) -> Option<()> {
        if self.bytes != 4 {
            return None;
        }
        let check = context.machine.checks_uninitialised();
        let mut row = [0; LANES];
        for lane in lanes_of(context.active) {
            let address = addresses[lane];
            if !address.is_multiple_of(4) {
                return None;
            }
            row[lane] = context.warp.local[lane].load(address, 4, check).ok()? as u32;
        }
        context.put(self.data, &row);
        Some(())
    }

    fn store(self, context: &mut Context<'_, '_>, shape: Shape, addresses: &[u64; LANES]) -> Result<(), Trouble> {
        if self.store_together(context, shape, addresses) == Some(true) {
            return Ok(());
        }
        let words = u32::from(self.bytes).div_ceil(4);
        let rows: [Lanes; 8] = std::array::from_fn(|word| {
            if (word as u32) < words {
                *context.warp.row(&context.machine.constants, self.register(word as u32))
            } else {
                [0; LANES]
            }
        });
        for lane in lanes_of(context.active) {
            for place in destinations(context, self.space, addresses[lane], self.bytes).map_err(|t| t.at(lane))? {
                for (word, row) in rows.iter().enumerate().take(words as usize) {
                    let bytes = usize::from(self.bytes).min(4);
                    write(context, place, lane, 4 * word as u64, bytes, u64::from(row[lane]))
                        .map_err(|t| t.at(lane))?;
                }
            }
        }
        Ok(())
    }

    /// A store of all lanes to one block; anything else than true: it is not so simple, nothing has been stored.
    #[inline]
    fn store_together(&self, context: &mut Context<'_, '_>, shape: Shape, addresses: &[u64; LANES]) -> Option<bool> {
        let active = context.active;
        let constants = &context.machine.constants;
        let word = |word: u32| context.warp.row(constants, self.register(word)).map(u64::from);
        match self.bytes {
            1 | 2 | 4 => {
                let values = word(0);
                let (block, start) = self.common_block(context, addresses)?;
                Some(block.scatter(shape, start, addresses, active, usize::from(self.bytes), [&values]))
            }
            8 => {
                let values = [0, 1].map(word);
                let (block, start) = self.common_block(context, addresses)?;
                Some(block.scatter(shape, start, addresses, active, 4, values.each_ref()))
            }
            16 => {
                let values = [0, 1, 2, 3].map(word);
                let (block, start) = self.common_block(context, addresses)?;
                Some(block.scatter(shape, start, addresses, active, 4, values.each_ref()))
            }
            _ => None,
        }
    }
}

/// Counts an access in the report.
pub(crate) fn count(context: &mut Context<'_, '_>, space: Space, addresses: &[u64; LANES], bytes: u64) {
    let shape = Shape::of(addresses, context.active, bytes);
    count_of(context, space, shape, addresses, bytes);
}

/// The same for addresses whose shape is known.
fn count_of(context: &mut Context<'_, '_>, space: Space, shape: Shape, addresses: &[u64; LANES], bytes: u64) {
    if context.machine.retry || !context.machine.options.memory_statistics {
        return;
    }
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
        Space::Generic | Space::Global => memory.count_global_of(shape, addresses, active, bytes),
        Space::Shared | Space::Cluster => memory.count_shared_of(shape, addresses, active, bytes),
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

/// Where what is written goes: to all copies of a multimem address.
pub(crate) fn destinations(
    context: &mut Context<'_, '_>,
    space: Space,
    address: u64,
    bytes: u8,
) -> Result<Vec<Place>, Trouble> {
    let trouble = match locate(context, space, address, bytes) {
        Ok(place) => return Ok(vec![place]),
        Err(trouble) => trouble,
    };
    let replicas = match space {
        Space::Generic | Space::Global => context.machine.memory.replicas(address),
        Space::Shared | Space::Cluster | Space::Local => None,
    };
    match replicas {
        Some(replicas) if address.is_multiple_of(u64::from(bytes.max(1))) => {
            Ok(replicas.into_iter().map(Place::Global).collect())
        }
        _ => Err(trouble),
    }
}

fn global(context: &mut Context<'_, '_>, address: u64, bytes: u8) -> Result<Place, Trouble> {
    match context.machine.memory.find(address) {
        Some(_) => Ok(Place::Global(address)),
        None => Err(unallocated(context, address, u64::from(bytes))),
    }
}

fn unallocated(context: &Context<'_, '_>, address: u64, bytes: u64) -> Trouble {
    let message = format!(
        "{bytes} bytes at {address:#x}: {}",
        context.machine.memory.describe(address)
    );
    Trouble::new(FaultKind::OutOfBounds, message)
        .of_space(MemorySpace::Global)
        .about(Accessed::Global(address))
}

/// Addresses of the own CTA's shared memory may say its rank (code of sm_90 on adds it) or not.
fn own_shared(context: &Context<'_, '_>, address: u64) -> Result<Place, Trouble> {
    let rank = (address >> SHARED_RANK_SHIFT) as usize;
    if rank != 0 && rank != context.rank {
        let message = format!(
            "shared address {address:#x} is of CTA {rank} of the cluster, which this instruction cannot reach from CTA {}",
            context.rank
        );
        return Err(Trouble::new(FaultKind::OutOfBounds, message).of_space(MemorySpace::Shared));
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
        return Err(Trouble::new(FaultKind::OutOfBounds, message).of_space(MemorySpace::Shared));
    }
    Ok(Place::Shared(rank, address & ((1 << SHARED_RANK_SHIFT) - 1)))
}

/// The block that an access to a place goes to, where the place starts in it, and what it is part of, in words.
#[inline]
fn block<'b>(context: &'b mut Context<'_, '_>, place: Place, lane: usize) -> Option<(&'b Block, u64, &'static str)> {
    match place {
        Place::Global(address) => {
            let (block, start) = context.machine.memory.find(address)?;
            Some((block, start, "an allocation"))
        }
        Place::Shared(rank, start) => Some((&context.cluster.ctas.get(rank)?.shared, start, "shared memory")),
        Place::Local(start) => Some((context.warp.local.get(lane)?, start, "local memory")),
    }
}

/// Accesses `bytes` at an offset from a place, in one block.
#[inline]
pub(crate) fn access<T>(
    context: &mut Context<'_, '_>,
    place: Place,
    lane: usize,
    offset: u64,
    bytes: usize,
    function: impl FnOnce(&Block, u64) -> Result<T, Miss>,
) -> Result<T, Trouble> {
    let own = context.rank;
    let Some((block, start, space)) = block(context, place, lane) else {
        // Another thread has freed it meanwhile.
        let (Place::Global(address) | Place::Shared(_, address) | Place::Local(address)) = place;
        return Err(unallocated(context, address, bytes as u64));
    };
    let at = start.wrapping_add(offset);
    function(block, at).map_err(|miss| {
        let size = block.len();
        let trouble = match miss {
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
            )
            .of_space(match place {
                Place::Global(_) => MemorySpace::Global,
                Place::Shared(..) => MemorySpace::Shared,
                Place::Local(_) => MemorySpace::Local,
            }),
            Miss::Uninitialised => Trouble::new(
                FaultKind::Uninitialised,
                format!("{bytes} bytes at offset {at:#x} of {space} were never written"),
            ),
        };
        match place {
            Place::Global(address) => trouble.about(Accessed::Global(address.wrapping_add(offset))),
            Place::Shared(rank, _) if rank == own => trouble.about(Accessed::Shared(at)),
            Place::Shared(..) | Place::Local(_) => trouble,
        }
    })
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
    let check = context.machine.checks_uninitialised();
    access(context, place, lane, offset, bytes, |block, at| {
        block.load(at, bytes, check)
    })
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
    access(context, place, lane, offset, bytes, |block, at| {
        block.store(at, bytes, value)
    })
}
