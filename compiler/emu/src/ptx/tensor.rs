//! Copies of boxes of tensors, and changes of tensor maps.

use super::{
    FaultKind,
    barrier::Signal,
    bulk::{Place, aligned, multicast},
    code::Source,
    machine::{Machine, Site, Trouble},
    transfer::{Locus, Origin, Piece, Reduction, Tracking, Transfer, locus},
    warp::Warp,
};
use crate::{
    Fault,
    tensor_box::{self, Mode, Row, fill, rows, runs},
    tensor_map::{TENSOR_MAP_BYTES, TensorElement, TensorMap},
};

impl From<Fault> for Trouble {
    fn from(fault: Fault) -> Trouble {
        Trouble::new(fault.kind, fault.message)
    }
}

/// Where to.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Direction {
    Load {
        to: Place,
        barrier: Place,
        /// `.multicast::cluster`
        ctas: Option<Source>,
        /// `.cta_group::2`: the barrier object may be in the other CTA of the pair.
        pairs: bool,
    },
    Store {
        from: Place,
    },
}

/// `cp.async.bulk.tensor` and `cp.reduce.async.bulk.tensor`
#[derive(Clone, Debug)]
pub(crate) struct TensorCopy {
    pub(crate) map: Place,
    /// The innermost first.
    pub(crate) coordinates: Vec<Source>,
    pub(crate) offsets: Vec<Source>,
    pub(crate) mode: Mode,
    pub(crate) direction: Direction,
    /// What `cp.reduce` does to elements of each type that it takes; empty: a copy.
    pub(crate) reductions: Vec<(TensorElement, Reduction)>,
}

/// A field that `tensormap.replace` writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Field {
    Address,
    /// Less one.
    Rank,
    /// Elements of a dimension.
    Size(u8),
    Stride(u8),
    ElementStride(u8),
    BoxSize(u8),
    Element,
    Interleave,
    SwizzleMode,
    SwizzleAtomicity,
    Fill,
}

/// `tensormap.replace`
#[derive(Clone, Copy, Debug)]
pub(crate) struct ReplaceField {
    pub(crate) map: Place,
    pub(crate) field: Field,
    pub(crate) value: Source,
}

/// The pieces of rows from a place in shared memory on.
fn pieces(map: &TensorMap, rows: &[Row], shared: Locus, load: bool) -> Result<Vec<Piece>, Trouble> {
    let Locus::Shared(rank, start) = shared else {
        return Err(Trouble::new(
            FaultKind::AddressSpace,
            "a box of a tensor that is not in shared memory",
        ));
    };
    let pattern = if load { fill(map)? } else { [0; 2] };
    let one = |piece: tensor_box::Piece| {
        let (at, outer) = (Locus::Shared(rank, piece.shared), piece.global.map(Locus::Global));
        let (from, to) = match (load, outer) {
            (true, Some(outer)) => (Origin::Memory(outer), at),
            (true, None) => (Origin::Fill(pattern), at),
            (false, outer) => (Origin::Memory(at), outer?),
        };
        Some(Piece {
            from,
            to,
            bytes: piece.bytes as u32,
        })
    };
    Ok(tensor_box::pieces(map, rows, start)
        .into_iter()
        .filter_map(one)
        .collect())
}

impl Machine<'_> {
    fn tensor_map(
        &mut self,
        site: &mut Site<'_>,
        warp: &mut Warp,
        place: Place,
        lane: usize,
    ) -> Result<TensorMap, Trouble> {
        let address = self.address_of(site, warp, place, lane);
        if !address.is_multiple_of(64) {
            let message = format!("a tensor map at {address:#x}, which is not a multiple of 64");
            return Err(Trouble::new(FaultKind::Misaligned, message));
        }
        let bytes = self.read_bytes(site, warp, lane, place.space, address, TENSOR_MAP_BYTES)?;
        TensorMap::decode(&bytes)
            .map_err(|fault| Trouble::new(fault.kind, format!("at {address:#x}: {}", fault.message)))
    }

    pub(crate) fn tensor_copy(
        &mut self,
        site: &mut Site<'_>,
        warp: &mut Warp,
        copy: &TensorCopy,
        lane: usize,
    ) -> Result<(), Trouble> {
        let map = self.tensor_map(site, warp, copy.map, lane)?;
        let read = |source: &Source| i64::from(warp.read(site.code, *source)[lane] as i32);
        let coordinates: Vec<i64> = copy.coordinates.iter().map(read).collect();
        let offsets: Vec<i64> = copy.offsets.iter().map(|source| read(source) & 0xffff).collect();
        let rows = rows(&map, copy.mode, &coordinates, &offsets)?;
        let issuer = (site.rank, warp.index, lane);
        match copy.direction {
            Direction::Load {
                to,
                barrier,
                ctas,
                pairs,
            } => {
                let to = self.place_of(site, warp, to, lane)?;
                aligned(to, 128, "the shared memory of a tensor copy")?;
                let barrier = self.barrier_of(site, warp, barrier, lane)?;
                self.refuse_conversion(site, &map, &rows)?;
                let mut targets = vec![(to, Some(barrier))];
                if let Some(ctas) = ctas {
                    let ctas = warp.read(site.code, ctas)[lane];
                    targets = multicast(site, to, Some(barrier), ctas, pairs)?;
                }
                let mut all = Vec::new();
                for (to, _) in &targets {
                    all.extend(pieces(&map, &rows, *to, true)?);
                }
                let bytes = tensor_box::bytes(&map, &rows);
                let mut transfer = Transfer::new(issuer, Tracking::Barrier, all);
                for barrier in targets.iter().filter_map(|(_, barrier)| *barrier) {
                    transfer.signals.push((barrier, Signal::Bytes(bytes)));
                }
                self.issue(site.cluster, transfer)
            }
            Direction::Store { from } => {
                let from = self.place_of(site, warp, from, lane)?;
                aligned(from, 128, "the shared memory of a tensor copy")?;
                let all = pieces(&map, &rows, from, false)?;
                let mut transfer = Transfer::new(issuer, Tracking::Group { bulk: true }, all);
                transfer.reduction = reduction(copy, map.element)?;
                self.issue(site.cluster, transfer)
            }
        }
    }

    /// What a copy to shared memory would convert in a way that is not known.
    fn refuse_conversion(&mut self, site: &mut Site<'_>, map: &TensorMap, rows: &[Row]) -> Result<(), Trouble> {
        if !tensor_box::converts(map) {
            return Ok(());
        }
        for (bytes, address) in rows.iter().flat_map(|row| runs(map, *row)) {
            let Some(address) = address else { continue };
            let bytes = self.fetch(site.cluster, Locus::Global(address), bytes as usize)?;
            tensor_box::refuse_conversion(map, &bytes)?;
        }
        Ok(())
    }

    pub(crate) fn replace_field(
        &mut self,
        site: &mut Site<'_>,
        warp: &mut Warp,
        replace: &ReplaceField,
        lane: usize,
    ) -> Result<(), Trouble> {
        self.tensor_map(site, warp, replace.map, lane)?;
        let value = warp.read(site.code, replace.value)[lane];
        let place = locus(
            replace.map.space,
            self.address_of(site, warp, replace.map, lane),
            site.rank,
        )?;
        let mut bytes = self.fetch(site.cluster, place, TENSOR_MAP_BYTES)?;
        replace_in(&mut bytes, replace.field, value);
        self.put(site.cluster, place, &bytes)
    }
}

/// Writes a field where [`crate::TensorMap`] says that it is; fields of other modes may be meaningless meanwhile, so the map is not checked.
fn replace_in(bytes: &mut [u8], field: Field, value: u64) {
    let mut insert = |word: usize, low: u32, bits: u32, value: u64| {
        let Some(slice) = bytes.get_mut(4 * word..4 * word + 4) else {
            return;
        };
        let mask = u32::MAX >> (32 - bits);
        let old = slice
            .iter()
            .rev()
            .fold(0_u32, |word, byte| word << 8 | u32::from(*byte));
        let new = old & !(mask << low) | (value as u32 & mask) << low;
        slice.copy_from_slice(&new.to_le_bytes());
    };
    match field {
        Field::Address => {
            insert(0, 0, 32, value);
            insert(1, 0, 32, value >> 32);
        }
        Field::Rank => insert(2, 4, 3, value),
        Field::Size(index) => insert(8 + usize::from(index), 0, 32, value.wrapping_sub(1)),
        Field::Stride(index) => {
            insert(3 + usize::from(index), 0, 32, value >> 4);
            insert(7, 4 * u32::from(index), 4, value >> 36);
        }
        Field::ElementStride(index) => insert(13, 3 * u32::from(index), 3, value.wrapping_sub(1)),
        Field::BoxSize(0) => insert(13, 24, 8, value.wrapping_sub(1)),
        Field::BoxSize(index) => insert(14, 8 * (u32::from(index) - 1), 8, value.wrapping_sub(1)),
        Field::Element => {
            let (code, rounds) = TensorElement::of(value as u32).code();
            insert(2, 7, 4, code.into());
            if rounds {
                // A later element type leaves the bit as it is.
                insert(2, 16, 1, 1);
            }
        }
        Field::Interleave => insert(2, 11, 2, value),
        Field::SwizzleMode => {
            insert(2, 13, 2, value & 3);
            insert(2, 22, 1, value >> 2);
        }
        Field::SwizzleAtomicity => insert(2, 19, 3, value),
        Field::Fill => insert(2, 15, 1, value),
    }
}

/// The reduction of a copy for elements of a type.
fn reduction(copy: &TensorCopy, element: TensorElement) -> Result<Option<Reduction>, Trouble> {
    if copy.reductions.is_empty() {
        return Ok(None);
    }
    let found = copy.reductions.iter().find(|(of, _)| *of == element);
    match found {
        Some((_, reduction)) => Ok(Some(*reduction)),
        None => Err(Trouble::new(
            FaultKind::Operand,
            format!("the reduction does not take tensors of {element:?}"),
        )),
    }
}
