//! Instructions of the asynchronous proxy: bulk copies, reductions, stores with a barrier object, and the groups that threads wait for.

use super::{
    FaultKind,
    barrier::Signal,
    code::{Source, Space, Update},
    machine::{Flow, Machine, Site, Trouble},
    tensor::{ReplaceField, TensorCopy},
    transfer::{Issuer, Locus, Origin, Piece, Reduction, Tracking, Transfer, locus},
    warp::{Warp, lanes_of},
};

/// An address operand.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pub(crate) space: Space,
    pub(crate) base: Source,
    pub(crate) offset: i64,
    /// Addresses are 32 bits wide.
    pub(crate) narrow: bool,
}

/// `cp.async.bulk` and `cp.reduce.async.bulk`
#[derive(Clone, Copy, Debug)]
pub(crate) struct BulkCopy {
    pub(crate) to: Place,
    pub(crate) from: Place,
    pub(crate) size: Source,
    /// The mbarrier object; none: bulk groups.
    pub(crate) barrier: Option<Place>,
    /// `.multicast::cluster`: the CTAs that receive the bytes.
    pub(crate) ctas: Option<Source>,
    /// `.cp_mask`
    pub(crate) byte_mask: Option<Source>,
    pub(crate) reduction: Option<Reduction>,
}

/// `st.async` and `red.async` with a barrier object.
#[derive(Clone, Debug)]
pub(crate) struct AsyncStore {
    pub(crate) to: Place,
    pub(crate) barrier: Place,
    pub(crate) values: Vec<Source>,
    /// Bytes of a value: 4 or 8.
    pub(crate) bytes: u8,
    pub(crate) update: Option<Update>,
}

/// An instruction of this file or of [`super::tensor`], [`super::multimem`] or [`super::launch_control`].
#[derive(Clone, Debug)]
pub(crate) enum Asynchronous {
    Copy(BulkCopy),
    Store(AsyncStore),
    Tensor(Box<TensorCopy>),
    /// `cp.async.commit_group` and `cp.async.bulk.commit_group`
    Commit {
        bulk: bool,
    },
    /// Waits until at most `left` groups are pending.
    Wait {
        bulk: bool,
        left: u64,
        read: bool,
    },
    /// `cp.async.mbarrier.arrive`; `noinc`: the arrival is one of those that the barrier expects.
    ArriveAfterCopies {
        barrier: Place,
        noinc: bool,
    },
    ReplaceField(ReplaceField),
    /// `tensormap.cp_fenceproxy`
    CopyTensorMap {
        to: Place,
        from: Place,
    },
    Multimem(super::multimem::Multimem),
    Tcgen05(super::tensor_memory::Tcgen05),
    /// `clusterlaunchcontrol.try_cancel`
    TryCancel {
        to: Place,
        barrier: Place,
        /// `.multicast::cluster::all`
        all: bool,
    },
}

/// The 16 bits of a mask of CTAs, as their ranks.
pub(crate) fn ranks(mask: u64) -> impl Iterator<Item = usize> {
    (0..16).filter(move |rank| mask >> rank & 1 != 0)
}

impl Machine<'_> {
    /// The place that an address operand names in a lane.
    pub(crate) fn place_of(&self, site: &Site<'_>, warp: &Warp, place: Place, lane: usize) -> Result<Locus, Trouble> {
        locus(place.space, self.address_of(site, warp, place, lane), site.rank).map_err(|trouble| trouble.at(lane))
    }

    /// The address itself.
    pub(crate) fn address_of(&self, site: &Site<'_>, warp: &Warp, place: Place, lane: usize) -> u64 {
        let address = warp.read(site.code, place.base)[lane].wrapping_add_signed(place.offset);
        if place.narrow { address & 0xffff_ffff } else { address }
    }

    /// The barrier object of a lane, in shared memory at a multiple of 8.
    pub(crate) fn barrier_of(&self, site: &Site<'_>, warp: &Warp, place: Place, lane: usize) -> Result<Locus, Trouble> {
        let barrier = self.place_of(site, warp, place, lane)?;
        aligned(barrier, 8, "an mbarrier").map_err(|trouble| trouble.at(lane))?;
        match barrier {
            Locus::Shared(..) => Ok(barrier),
            Locus::Global(address) => {
                let message = format!("an mbarrier at global address {address:#x}");
                Err(Trouble::new(FaultKind::AddressSpace, message).at(lane))
            }
        }
    }

    /// Executes an instruction, lane after lane.
    pub(crate) fn asynchronous(
        &mut self,
        site: &mut Site<'_>,
        warp: &mut Warp,
        index: u32,
        active: u32,
    ) -> Result<Flow, Trouble> {
        let code = site.code;
        let Some(instruction) = code.asynchronous.get(index as usize) else {
            return Ok(Flow::Next);
        };
        if let Asynchronous::Multimem(multimem) = instruction {
            self.multimem(site, warp, multimem, active)?;
            return Ok(Flow::Next);
        }
        for lane in lanes_of(active) {
            self.asynchronous_of(site, warp, instruction, lane)
                .map_err(|trouble| trouble.at(lane))?;
        }
        Ok(Flow::Next)
    }

    fn asynchronous_of(
        &mut self,
        site: &mut Site<'_>,
        warp: &mut Warp,
        instruction: &Asynchronous,
        lane: usize,
    ) -> Result<(), Trouble> {
        let issuer: Issuer = (site.rank, warp.index, lane);
        match instruction {
            Asynchronous::Copy(copy) => self.bulk_copy(site, warp, copy, lane),
            Asynchronous::Store(store) => self.async_store(site, warp, store, lane),
            Asynchronous::Tensor(copy) => self.tensor_copy(site, warp, copy, lane),
            Asynchronous::Commit { bulk } => {
                self.commit_group(site.cluster, issuer, *bulk);
                Ok(())
            }
            Asynchronous::Wait { bulk, left, read } => self.wait_group(site.cluster, issuer, *bulk, *left, *read),
            Asynchronous::ArriveAfterCopies { barrier, noinc } => {
                let barrier = self.barrier_of(site, warp, *barrier, lane)?;
                if !noinc {
                    self.signal(site.cluster, barrier, Signal::OneMore)?;
                }
                self.arrive_after_copies(site.cluster, issuer, barrier)
            }
            Asynchronous::ReplaceField(replace) => self.replace_field(site, warp, replace, lane),
            Asynchronous::CopyTensorMap { to, from } => {
                // The whole warp does it together, but it is one copy of the same bytes.
                let (to, from) = (
                    self.place_of(site, warp, *to, lane)?,
                    self.place_of(site, warp, *from, lane)?,
                );
                for place in [to, from] {
                    aligned(place, 128, "a tensor map")?;
                }
                let bytes = self.fetch(site.cluster, from, 128)?;
                self.put(site.cluster, to, &bytes)
            }
            Asynchronous::TryCancel { to, barrier, all } => self.try_cancel(site, warp, (*to, *barrier), *all, lane),
            Asynchronous::Tcgen05(instruction) => self.tensor_of_thread(site, warp, instruction, lane),
            Asynchronous::Multimem(_) => Ok(()),
        }
    }

    fn bulk_copy(&mut self, site: &mut Site<'_>, warp: &mut Warp, copy: &BulkCopy, lane: usize) -> Result<(), Trouble> {
        let (to, from) = (
            self.place_of(site, warp, copy.to, lane)?,
            self.place_of(site, warp, copy.from, lane)?,
        );
        let bytes = warp.read(site.code, copy.size)[lane] & 0xffff_ffff;
        if !bytes.is_multiple_of(16) {
            let message = format!("a bulk copy of {bytes} bytes, which is not a multiple of 16");
            return Err(Trouble::new(FaultKind::Operand, message));
        }
        aligned(to, 16, "the destination of a bulk copy")?;
        aligned(from, 16, "the source of a bulk copy")?;
        let barrier = copy
            .barrier
            .map(|barrier| self.barrier_of(site, warp, barrier, lane))
            .transpose()?;
        let read = |source: Option<Source>| source.map(|source| warp.read(site.code, source)[lane]);
        let mut targets = vec![(to, barrier)];
        if let Some(ctas) = read(copy.ctas) {
            targets = multicast(site, to, barrier, ctas, false)?;
        }
        let pieces = targets.iter().map(|(to, _)| Piece {
            from: Origin::Memory(from),
            to: *to,
            bytes: bytes as u32,
        });
        let tracking = match barrier {
            Some(_) => Tracking::Barrier,
            None => Tracking::Group { bulk: true },
        };
        let mut transfer = Transfer::new((site.rank, warp.index, lane), tracking, pieces.collect());
        transfer.reduction = copy.reduction;
        transfer.byte_mask = read(copy.byte_mask).map(|mask| mask as u16);
        for barrier in targets.iter().filter_map(|(_, barrier)| *barrier) {
            transfer.signals.push((barrier, Signal::Bytes(bytes)));
        }
        self.issue(site.cluster, transfer)
    }

    fn async_store(
        &mut self,
        site: &mut Site<'_>,
        warp: &mut Warp,
        store: &AsyncStore,
        lane: usize,
    ) -> Result<(), Trouble> {
        let to = self.place_of(site, warp, store.to, lane)?;
        let barrier = self.barrier_of(site, warp, store.barrier, lane)?;
        match (to, barrier) {
            (Locus::Shared(a, _), Locus::Shared(b, _)) if a == b => {}
            _ => {
                let message = "the destination and the mbarrier are not in the shared memory of one CTA";
                return Err(Trouble::new(FaultKind::AddressSpace, message));
            }
        }
        let size = usize::from(store.bytes);
        let mut value = [0; 16];
        for (part, source) in value.chunks_exact_mut(size).zip(&store.values) {
            part.copy_from_slice(&warp.read(site.code, *source)[lane].to_le_bytes()[..size]);
        }
        let bytes = (size * store.values.len()).min(16);
        aligned(
            to,
            bytes.next_power_of_two() as u64,
            "the destination of an asynchronous store",
        )?;
        let piece = Piece {
            from: Origin::Value(value),
            to,
            bytes: bytes as u32,
        };
        let mut transfer = Transfer::new((site.rank, warp.index, lane), Tracking::Barrier, vec![piece]);
        transfer.reduction = store.update.map(|update| Reduction {
            update,
            bytes: store.bytes,
        });
        transfer.signals.push((barrier, Signal::Bytes(bytes as u64)));
        self.issue(site.cluster, transfer)
    }
}

/// A destination and its barrier object in each CTA of a mask. With `pairs` (`.cta_group::2`) each signal goes to that CTA of the pair that
/// the barrier object is in.
pub(crate) fn multicast(
    site: &Site<'_>,
    to: Locus,
    barrier: Option<Locus>,
    ctas: u64,
    pairs: bool,
) -> Result<Vec<(Locus, Option<Locus>)>, Trouble> {
    let count = site.cluster.ctas.len();
    let (Locus::Shared(_, to), Some(Locus::Shared(own, barrier))) = (to, barrier) else {
        return Err(Trouble::new(
            FaultKind::AddressSpace,
            "a multicast that is not to shared memory",
        ));
    };
    let mut targets = Vec::new();
    for rank in ranks(ctas) {
        if rank >= count {
            let message = format!("a multicast to CTA {rank} of a cluster of {count}");
            return Err(Trouble::new(FaultKind::Operand, message));
        }
        let signalled = if pairs { rank & !1 | own & 1 } else { rank };
        targets.push((Locus::Shared(rank, to), Some(Locus::Shared(signalled, barrier))));
    }
    Ok(targets)
}

/// Checks the alignment of a place.
pub(crate) fn aligned(place: Locus, align: u64, what: &str) -> Result<(), Trouble> {
    let number = place.number();
    if number.is_multiple_of(align) {
        return Ok(());
    }
    let message = format!("{what} is at {number:#x}, which is not a multiple of {align}");
    Err(Trouble::new(FaultKind::Misaligned, message))
}
