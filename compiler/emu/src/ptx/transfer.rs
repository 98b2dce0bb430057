//! Asynchronous copies on their way.
//!
//! A copy is complete as soon as it is issued, unless [`crate::Options::delay_copies`] asks for more: then each completes when a random
//! number of instructions has been executed, at the latest where its thread waits for its group or the cluster ends. So a kernel that does
//! not wait reads old bytes. Bounds are checked when a copy is issued; what it reads is read when it completes.

use rustc_hash::FxHashMap;
use warpsmith_numerics::float::Modifiers;

use super::{
    Fault, FaultKind,
    access::{Target, target},
    arithmetic::{self, FormatName, Function, Real},
    barrier::Signal,
    code::{Space, Update},
    machine::{Cluster, Machine, Trouble},
};
use warpsmith_base::Random;

use crate::device::{Block, Miss};

/// The most instructions that a delayed copy takes.
const LONGEST: u64 = 512;

/// A place that a copy reads or writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Locus {
    Global(u64),
    /// CTA of the cluster, and offset in its shared memory.
    Shared(usize, u64),
}

impl Locus {
    /// The place so many bytes further.
    pub(crate) fn plus(self, bytes: u64) -> Locus {
        match self {
            Locus::Global(address) => Locus::Global(address.wrapping_add(bytes)),
            Locus::Shared(rank, offset) => Locus::Shared(rank, offset.wrapping_add(bytes)),
        }
    }

    /// The address or offset as a number.
    pub(crate) fn number(self) -> u64 {
        match self {
            Locus::Global(address) => address,
            Locus::Shared(_, offset) => offset,
        }
    }
}

/// Where the bytes of a piece come from.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Origin {
    Memory(Locus),
    /// What elements outside a tensor are: two bytes, over and over.
    Fill([u8; 2]),
    /// Bytes that the instruction carried, at most 16.
    Value([u8; 16]),
}

/// Bytes of a copy that are together in the source and in the destination.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Piece {
    pub(crate) from: Origin,
    pub(crate) to: Locus,
    pub(crate) bytes: u32,
}

/// How the destination is changed: by this function of its elements of so many bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reduction {
    pub(crate) update: Update,
    pub(crate) bytes: u8,
}

/// The thread that issued a copy: CTA of the cluster, warp, lane.
pub(crate) type Issuer = (usize, u32, usize);

/// How the end of a copy is seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tracking {
    /// By mbarrier objects alone.
    Barrier,
    /// By groups of the issuer; `bulk` for those of bulk copies.
    Group { bulk: bool },
}

/// A copy.
#[derive(Debug)]
pub(crate) struct Transfer {
    pub(crate) issuer: Issuer,
    pub(crate) tracking: Tracking,
    pub(crate) pieces: Vec<Piece>,
    pub(crate) reduction: Option<Reduction>,
    /// Which bytes of each 16 are written.
    pub(crate) byte_mask: Option<u16>,
    /// The mbarrier objects that are told of the end.
    pub(crate) signals: Vec<(Locus, Signal)>,
    /// The group of the issuer, once committed.
    group: Option<u64>,
    /// What was read, if reading came before writing.
    data: Option<Vec<Vec<u8>>>,
    /// The count of instructions at which it completes.
    due: u64,
}

impl Transfer {
    pub(crate) fn new(issuer: Issuer, tracking: Tracking, pieces: Vec<Piece>) -> Transfer {
        Transfer {
            issuer,
            tracking,
            pieces,
            reduction: None,
            byte_mask: None,
            signals: Vec::new(),
            group: None,
            data: None,
            due: 0,
        }
    }
}

/// The copies of a cluster that are not complete.
#[derive(Debug, Default)]
pub(crate) struct Transfers {
    pending: Vec<Transfer>,
    /// Groups committed so far.
    groups: FxHashMap<(Issuer, bool), u64>,
    /// Draws when copies complete; none: at once.
    delay: Option<Random>,
}

impl Transfers {
    pub(crate) fn new(delay: Option<Random>) -> Transfers {
        Transfers {
            delay,
            ..Transfers::default()
        }
    }
}

/// An address of a state space, as a place that copies reach.
pub(crate) fn locus(space: Space, address: u64, rank: usize) -> Result<Locus, Trouble> {
    match target(space, address) {
        Target::Global(address) => Ok(Locus::Global(address)),
        Target::Shared(of, offset) => Ok(Locus::Shared(of.unwrap_or(rank), offset)),
        Target::Local(_) | Target::Parameter(_) => Err(Trouble::new(
            FaultKind::AddressSpace,
            format!("the address {address:#x} is neither in global nor in shared memory"),
        )),
    }
}

/// The new value of an element.
pub(crate) fn updated(update: Update, old: u64, operand: u64) -> u64 {
    match update {
        Update::Function(function) => arithmetic::evaluate_one(function, old, operand),
        Update::Exchange | Update::CompareAndSwap => operand,
        Update::Increment if old >= operand => 0,
        Update::Increment => old + 1,
        Update::Decrement if old == 0 || old > operand => operand,
        Update::Decrement => old - 1,
    }
}

/// The sum of f32 as global memory makes it: subnormals are flushed (the PTX manual, `red` and `cp.reduce.async.bulk`).
pub(crate) fn flushed(update: Update) -> Update {
    match update {
        Update::Function(Function::Real {
            operation: Real::Add,
            format: FormatName::F32,
            modifiers,
        }) => Update::Function(Function::Real {
            operation: Real::Add,
            format: FormatName::F32,
            modifiers: Modifiers { ftz: true, ..modifiers },
        }),
        update => update,
    }
}

/// Up to eight bytes as a number.
fn number(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte))
}

impl Machine<'_> {
    fn block_of<'b>(&'b mut self, cluster: &'b Cluster, locus: Locus) -> Result<(&'b Block, u64), Miss> {
        match locus {
            Locus::Global(address) => self.memory.find(address).ok_or(Miss::OutOfBounds),
            Locus::Shared(rank, offset) => match cluster.ctas.get(rank) {
                Some(cta) => Ok((&cta.shared, offset)),
                None => Err(Miss::OutOfBounds),
            },
        }
    }

    fn missed(&self, miss: Miss, locus: Locus, bytes: usize, what: &str) -> Trouble {
        let target = match locus {
            Locus::Global(address) => Target::Global(address),
            Locus::Shared(rank, offset) => Target::Shared(Some(rank), offset),
        };
        self.miss(miss, target, bytes, what)
    }

    /// Bytes at a place.
    pub(crate) fn fetch(&mut self, cluster: &mut Cluster, locus: Locus, bytes: usize) -> Result<Vec<u8>, Trouble> {
        let check = self.checks_uninitialised();
        let found = self
            .block_of(cluster, locus)
            .and_then(|(block, offset)| block.read(offset, bytes, check));
        found.map_err(|miss| self.missed(miss, locus, bytes, "read"))
    }

    /// Writes bytes at a place.
    pub(crate) fn put(&mut self, cluster: &mut Cluster, locus: Locus, bytes: &[u8]) -> Result<(), Trouble> {
        let found = self
            .block_of(cluster, locus)
            .and_then(|(block, offset)| block.write(offset, bytes));
        found.map_err(|miss| self.missed(miss, locus, bytes.len(), "write"))
    }

    /// Starts a copy.
    pub(crate) fn issue(&mut self, cluster: &mut Cluster, mut transfer: Transfer) -> Result<(), Trouble> {
        self.check_bounds(cluster, &transfer)?;
        let now = self.counts.instructions;
        match &mut cluster.transfers.delay {
            None => self.complete(cluster, transfer),
            Some(random) => {
                transfer.due = now + 1 + random.next_u64() % LONGEST;
                cluster.transfers.pending.push(transfer);
                Ok(())
            }
        }
    }

    fn check_bounds(&mut self, cluster: &mut Cluster, transfer: &Transfer) -> Result<(), Trouble> {
        for piece in &transfer.pieces {
            let bytes = piece.bytes as usize;
            let from = match piece.from {
                Origin::Memory(memory) => Some((memory, "read")),
                Origin::Fill(_) | Origin::Value(_) => None,
            };
            for (memory, what) in from.into_iter().chain([(piece.to, "write")]) {
                let found = self
                    .block_of(cluster, memory)
                    .and_then(|(block, offset)| block.has(offset, bytes));
                found.map_err(|miss| self.missed(miss, memory, bytes, what))?;
            }
        }
        Ok(())
    }

    /// What the pieces of a copy hold.
    fn gather(&mut self, cluster: &mut Cluster, pieces: &[Piece]) -> Result<Vec<Vec<u8>>, Trouble> {
        let read = |piece: &Piece| {
            let bytes = piece.bytes as usize;
            match piece.from {
                Origin::Memory(memory) => self.fetch(cluster, memory, bytes),
                Origin::Fill(pattern) => Ok(pattern.iter().copied().cycle().take(bytes).collect()),
                Origin::Value(value) => Ok(value.into_iter().take(bytes).collect()),
            }
        };
        pieces.iter().map(read).collect()
    }

    /// Changes the elements of a range, each as one operation.
    fn reduce(&mut self, cluster: &mut Cluster, to: Locus, reduction: Reduction, bytes: &[u8]) -> Result<(), Trouble> {
        let check = self.checks_uninitialised();
        let size = usize::from(reduction.bytes.clamp(1, 8));
        for (index, new) in bytes.chunks_exact(size).enumerate() {
            let place = to.plus((index * size) as u64);
            let found = self.block_of(cluster, place).and_then(|(block, offset)| {
                block.update(offset, size, check, |old| updated(reduction.update, old, number(new)))
            });
            found.map_err(|miss| self.missed(miss, place, size, "update"))?;
        }
        Ok(())
    }

    /// Does what is left of a copy and tells its mbarrier objects.
    fn complete(&mut self, cluster: &mut Cluster, mut transfer: Transfer) -> Result<(), Trouble> {
        let data = match transfer.data.take() {
            Some(data) => data,
            None => self.gather(cluster, &transfer.pieces)?,
        };
        for (piece, mut bytes) in transfer.pieces.iter().zip(data) {
            if let Some(reduction) = transfer.reduction {
                self.reduce(cluster, piece.to, reduction, &bytes)?;
                continue;
            }
            if let Some(mask) = transfer.byte_mask {
                let old = self.fetch(cluster, piece.to, bytes.len())?;
                for (index, (new, old)) in bytes.iter_mut().zip(old).enumerate() {
                    if mask >> (index % 16) & 1 == 0 {
                        *new = old;
                    }
                }
            }
            self.put(cluster, piece.to, &bytes)?;
        }
        for (barrier, signal) in transfer.signals {
            self.signal(cluster, barrier, signal)?;
        }
        Ok(())
    }

    /// Completes the copies whose time has come.
    pub(crate) fn settle(&mut self, cluster: &mut Cluster) -> Result<(), Trouble> {
        let now = self.counts.instructions;
        self.complete_where(cluster, |transfer| transfer.due <= now)
    }

    /// [`Machine::settle`] between instructions.
    pub(crate) fn settle_between(&mut self, cluster: &mut Cluster, all: bool) -> Result<(), Box<Fault>> {
        if cluster.transfers.pending.is_empty() {
            return Ok(());
        }
        let now = if all { u64::MAX } else { self.counts.instructions };
        self.complete_where(cluster, |transfer| transfer.due <= now)
            .map_err(|trouble| {
                let message = format!("an asynchronous copy: {}", trouble.message);
                Box::new(Fault::new(trouble.kind, message))
            })
    }

    fn complete_where(&mut self, cluster: &mut Cluster, is_done: impl Fn(&Transfer) -> bool) -> Result<(), Trouble> {
        while let Some(index) = cluster.transfers.pending.iter().position(&is_done) {
            let transfer = cluster.transfers.pending.remove(index);
            self.complete(cluster, transfer)?;
        }
        Ok(())
    }

    /// `cp.async.commit_group` and `cp.async.bulk.commit_group` of a thread.
    pub(crate) fn commit_group(&mut self, cluster: &mut Cluster, issuer: Issuer, bulk: bool) {
        let transfers = &mut cluster.transfers;
        if transfers.delay.is_none() {
            return;
        }
        let number = transfers.groups.entry((issuer, bulk)).or_default();
        for transfer in &mut transfers.pending {
            let own = transfer.issuer == issuer && transfer.tracking == Tracking::Group { bulk };
            if own && transfer.group.is_none() {
                transfer.group = Some(*number);
            }
        }
        *number += 1;
    }

    /// `cp.async.wait_group` and `cp.async.bulk.wait_group` of a thread: all groups but the last `left` complete, or with `read` have read
    /// their sources.
    pub(crate) fn wait_group(
        &mut self,
        cluster: &mut Cluster,
        issuer: Issuer,
        bulk: bool,
        left: u64,
        read: bool,
    ) -> Result<(), Trouble> {
        if cluster.transfers.delay.is_none() {
            return Ok(());
        }
        let committed = cluster.transfers.groups.get(&(issuer, bulk)).copied().unwrap_or(0);
        let is_done = |transfer: &Transfer| {
            transfer.issuer == issuer
                && transfer.tracking == Tracking::Group { bulk }
                && transfer
                    .group
                    .is_some_and(|group| group < committed.saturating_sub(left))
        };
        if !read {
            return self.complete_where(cluster, is_done);
        }
        let mut pending = std::mem::take(&mut cluster.transfers.pending);
        let outcome = pending
            .iter_mut()
            .filter(|transfer| transfer.data.is_none() && is_done(transfer))
            .try_for_each(|transfer| {
                transfer.data = Some(self.gather(cluster, &transfer.pieces)?);
                Ok(())
            });
        cluster.transfers.pending = pending;
        outcome
    }

    /// `cp.async.mbarrier.arrive` of a thread: the arrival follows its earlier copies that are no bulk copies.
    pub(crate) fn arrive_after_copies(
        &mut self,
        cluster: &mut Cluster,
        issuer: Issuer,
        barrier: Locus,
    ) -> Result<(), Trouble> {
        let tracking = Tracking::Group { bulk: false };
        let earlier = cluster.transfers.pending.iter();
        let due = earlier
            .filter(|transfer| transfer.issuer == issuer && transfer.tracking == tracking)
            .map(|transfer| transfer.due)
            .max();
        let Some(due) = due else {
            return self.signal(cluster, barrier, Signal::Arrival);
        };
        let mut transfer = Transfer::new(issuer, Tracking::Barrier, Vec::new());
        transfer.signals.push((barrier, Signal::Arrival));
        transfer.due = due;
        cluster.transfers.pending.push(transfer);
        Ok(())
    }
}
