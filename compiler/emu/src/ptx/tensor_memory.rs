//! `tcgen05`: instructions of whole warps and of single threads on tensor memory, over the model in [`crate::tensor_memory`].
//!
//! What is asynchronous on the device is done at once, only the arrivals of `tcgen05.commit` may be delayed.

use super::{
    barrier::Signal,
    bulk::{Place, ranks},
    code::{Source, Space, Test},
    machine::{Machine, Site, Trouble},
    transfer::{Locus, Tracking, Transfer},
    warp::Warp,
};
use crate::tensor_memory::{
    TensorMemory, Tensors, UNIT, Wrong,
    copy::Copy,
    description::Form,
    multiply::{Left, Multiplication},
    shape::{Reduction, Shape},
    shift, split, units, wrong,
};

impl From<Wrong> for Trouble {
    fn from(wrong: Wrong) -> Trouble {
        Trouble::new(wrong.kind, wrong.message)
    }
}

/// The tensor memory of a CTA.
#[derive(Clone, Debug, Default)]
pub(crate) struct Own {
    pub(crate) memory: TensorMemory,
    /// First units of what the other CTA of the pair has allocated for both, and this one has not asked for yet.
    offered: std::collections::VecDeque<usize>,
}

/// `tcgen05.mma` with its operands.
#[derive(Clone, Debug)]
pub(crate) struct Operands {
    pub(crate) form: Form,
    /// Address in tensor memory.
    pub(crate) d: Place,
    /// Descriptor, or address in tensor memory.
    pub(crate) a: Place,
    pub(crate) a_in_tensor_memory: bool,
    pub(crate) b: Source,
    pub(crate) description: Source,
    pub(crate) metadata: Option<Place>,
    pub(crate) scales: Option<[Place; 2]>,
    /// Whether D is added.
    pub(crate) accumulate: Test,
    pub(crate) divides: u32,
    pub(crate) shifts: bool,
    /// Lanes that are not written, 32 each.
    pub(crate) disabled: Vec<Source>,
    /// A mask of columns.
    pub(crate) columns: Option<Source>,
}

/// An instruction of this file.
#[derive(Clone, Debug)]
pub(crate) enum Tcgen05 {
    Allocate {
        to: Place,
        columns: Source,
        pair: bool,
    },
    Free {
        address: Source,
        columns: Source,
    },
    Relinquish,
    Load {
        shape: Shape,
        /// `.pack::16b`
        halves: bool,
        address: Place,
        list: Vec<u32>,
        /// `.red`: what is made of the registers, and where it goes.
        reduction: Option<(Reduction, u32)>,
    },
    Store {
        shape: Shape,
        /// `.unpack::16b`
        halves: bool,
        address: Place,
        list: Vec<u32>,
    },
    Copy {
        address: Place,
        description: Source,
        copy: Copy,
    },
    Shift {
        address: Place,
        pair: bool,
    },
    Multiply(Box<Operands>),
    Commit {
        barrier: Place,
        ctas: Option<Source>,
    },
}

/// The memories of one CTA, or of a pair.
struct Members<'m, 's, 'r, 'c> {
    machine: &'m mut Machine<'r>,
    site: &'s mut Site<'c>,
    pair: bool,
}

impl Members<'_, '_, '_, '_> {
    fn rank(&self, member: usize) -> usize {
        match self.pair {
            true => self.site.rank & !1 | member,
            false => self.site.rank,
        }
    }
}

impl Tensors for Members<'_, '_, '_, '_> {
    type Error = Trouble;

    fn unit(&mut self, member: usize, address: u64) -> Result<[u8; 16], Trouble> {
        let rank = self.rank(member);
        let bytes = self
            .machine
            .fetch(self.site.cluster, Locus::Shared(rank, address), 16)?;
        let mut unit = [0; 16];
        unit.copy_from_slice(&bytes);
        Ok(unit)
    }

    fn memory(&mut self, member: usize) -> Result<&mut TensorMemory, Trouble> {
        let rank = self.rank(member);
        match self.site.cluster.ctas.get_mut(rank) {
            Some(cta) => Ok(&mut cta.tensor.memory),
            None => Err(wrong("the CTA has no other to make a pair with").into()),
        }
    }
}

impl Machine<'_> {
    /// An instruction of a whole warp; false: it has to be tried again.
    pub(crate) fn tensor_of_warp(
        &mut self,
        site: &mut Site<'_>,
        warp: &mut Warp,
        instruction: &Tcgen05,
        active: u32,
    ) -> Result<bool, Trouble> {
        let lane = active.trailing_zeros() as usize % 32;
        match instruction {
            Tcgen05::Allocate { to, columns, pair } => {
                let columns = warp.read(site.code, *columns)[lane] as usize;
                let to = self.place_of(site, warp, *to, lane)?;
                let Some(start) = self.allocate(site, columns, *pair)? else {
                    return Ok(false);
                };
                self.put(site.cluster, to, &((start * UNIT) as u32).to_le_bytes())?;
            }
            Tcgen05::Free { address, columns } => {
                let (row, start) = split(warp.read(site.code, *address)[lane]);
                let columns = warp.read(site.code, *columns)[lane] as usize;
                let memory = &mut site.cta().tensor.memory;
                match units(start, columns) {
                    Some(mask) if row == 0 && memory.allocated & mask == mask => memory.allocated &= !mask,
                    _ => {
                        let message = format!("columns {start} and up of tensor memory are not allocated");
                        return Err(wrong(message).into());
                    }
                }
            }
            Tcgen05::Relinquish => site.cta().tensor.memory.relinquished = true,
            Tcgen05::Load {
                shape,
                halves,
                address,
                list,
                reduction,
            } => {
                let start = self.accessible(site, warp, *address, *shape, lane)?;
                let mut loaded = Vec::with_capacity(list.len());
                for (index, slot) in list.iter().enumerate() {
                    let mut out = [0; 32];
                    for (lane, out) in out.iter_mut().enumerate() {
                        let memory = &site.cluster.ctas[site.rank].tensor.memory;
                        *out = shape.load(memory, start, (lane, index), *halves)?.into();
                    }
                    warp.write(*slot, active, &out);
                    loaded.push(out);
                }
                if let Some((reduction, slot)) = reduction {
                    let of =
                        |lane: usize| reduction.of(loaded.iter().map(|register: &[u64; 32]| register[lane] as u32));
                    warp.write(*slot, active, &std::array::from_fn(|lane| of(lane).into()));
                }
            }
            Tcgen05::Store {
                shape,
                halves,
                address,
                list,
            } => {
                let start = self.accessible(site, warp, *address, *shape, lane)?;
                for (index, value) in list.iter().enumerate() {
                    let values = *warp.read(site.code, Source(*value));
                    for (lane, value) in values.iter().enumerate() {
                        let memory = &mut site.cluster.ctas[site.rank].tensor.memory;
                        shape.store(memory, start, (lane, index), *halves, *value as u32)?;
                    }
                }
            }
            Tcgen05::Copy { .. } | Tcgen05::Shift { .. } | Tcgen05::Multiply(_) | Tcgen05::Commit { .. } => {}
        }
        Ok(true)
    }

    /// The first unit of so many columns; `None`: not so many are free. The first CTA of a pair that asks allocates in both.
    fn allocate(&mut self, site: &mut Site<'_>, columns: usize, pair: bool) -> Result<Option<usize>, Trouble> {
        let count = TensorMemory::allocation(columns)?;
        let (rank, peer) = (site.rank, site.rank ^ 1);
        if site.cta().tensor.memory.relinquished {
            return Err(wrong("the CTA has given up the right to allocate tensor memory").into());
        }
        if let Some(start) = site.cta().tensor.offered.pop_front() {
            return Ok(Some(start));
        }
        let both = if pair { vec![rank, peer] } else { vec![rank] };
        let mut taken = 0;
        for rank in &both {
            match site.cluster.ctas.get(*rank) {
                Some(cta) => taken |= cta.tensor.memory.allocated,
                None => return Err(wrong("the CTA has no other to make a pair with").into()),
            }
        }
        let Some(start) = TensorMemory::find(taken, count) else {
            return Ok(None);
        };
        for rank in both {
            let own = &mut site.cluster.ctas[rank].tensor;
            own.memory.allocated |= ((1 << count) - 1) << start;
            if rank == peer {
                own.offered.push_back(start);
            }
        }
        Ok(Some(start))
    }

    /// The start of a load or store, which must be in the lanes of the warp.
    fn accessible(
        &self,
        site: &Site<'_>,
        warp: &Warp,
        address: Place,
        shape: Shape,
        lane: usize,
    ) -> Result<(usize, usize), Trouble> {
        let (row, column) = split(self.address_of(site, warp, address, lane));
        Ok((shape.start(warp.index, row)?, column))
    }

    /// An instruction of one thread.
    pub(crate) fn tensor_of_thread(
        &mut self,
        site: &mut Site<'_>,
        warp: &mut Warp,
        instruction: &Tcgen05,
        lane: usize,
    ) -> Result<(), Trouble> {
        match instruction {
            Tcgen05::Copy {
                address,
                description,
                copy,
            } => {
                let address = self.address_of(site, warp, *address, lane);
                let description = warp.read(site.code, *description)[lane];
                let pair = copy.pair;
                let mut members = Members {
                    machine: self,
                    site,
                    pair,
                };
                copy.execute(&mut members, address, description)
            }
            Tcgen05::Shift { address, pair } => {
                let address = self.address_of(site, warp, *address, lane);
                let pair = *pair;
                let mut members = Members {
                    machine: self,
                    site,
                    pair,
                };
                shift::execute(&mut members, address, pair)
            }
            Tcgen05::Multiply(operands) => self.multiply_tensor(site, warp, operands, lane),
            Tcgen05::Commit { barrier, ctas } => {
                let barrier = self.barrier_of(site, warp, *barrier, lane)?;
                let mut transfer = Transfer::new((site.rank, warp.index, lane), Tracking::Barrier, Vec::new());
                match (ctas, barrier) {
                    (Some(ctas), Locus::Shared(_, offset)) => {
                        for rank in ranks(warp.read(site.code, *ctas)[lane]) {
                            transfer.signals.push((Locus::Shared(rank, offset), Signal::Arrival));
                        }
                    }
                    _ => transfer.signals.push((barrier, Signal::Arrival)),
                }
                self.issue(site.cluster, transfer)
            }
            Tcgen05::Allocate { .. }
            | Tcgen05::Free { .. }
            | Tcgen05::Relinquish
            | Tcgen05::Load { .. }
            | Tcgen05::Store { .. } => Ok(()),
        }
    }

    fn multiply_tensor(
        &mut self,
        site: &mut Site<'_>,
        warp: &mut Warp,
        operands: &Operands,
        lane: usize,
    ) -> Result<(), Trouble> {
        let code = site.code;
        let read = |source: Source| warp.read(code, source)[lane];
        let place = |place: Place| self.address_of(site, warp, place, lane);
        let a = place(operands.a);
        let multiplication = Multiplication {
            form: operands.form,
            d: place(operands.d),
            a: match operands.a_in_tensor_memory {
                true => Left::Tensor(a),
                false => Left::Shared(a),
            },
            b: read(operands.b),
            description: read(operands.description) as u32,
            scales: operands.scales.map_or([0; 2], |scales| scales.map(place)),
            metadata: operands.metadata.map_or(0, place),
            accumulate: warp.test(operands.accumulate) >> lane & 1 != 0,
            divides: operands.divides,
            shifts: operands.shifts,
            disabled: operands.disabled.iter().map(|mask| read(*mask) as u32).collect(),
            columns: operands.columns.map_or(0, read),
        };
        let pair = operands.form.pair;
        multiplication.execute(&mut Members {
            machine: self,
            site,
            pair,
        })
    }
}

/// The space of addresses of tensor memory, for [`Place`]: it is not looked at.
pub(crate) const SPACE: Space = Space::Shared;
