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
use crate::tensor_map::{TENSOR_MAP_BYTES, TensorBox, TensorElement, TensorMap};
use warpsmith_numerics::float::OOB_NAN;

/// How a copy goes over the tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    Tile,
    /// `.tile::gather4` and `.tile::scatter4`: four rows.
    Rows,
    /// `.im2col` and `.im2col_no_offs`
    Im2col,
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

/// Elements that follow each other in the innermost dimension.
#[derive(Clone, Copy, Debug)]
struct Row {
    /// Coordinates of the first.
    start: [i64; 5],
    /// How many.
    count: u64,
}

/// A tensor map, checked for what a copy needs.
fn usable(map: &TensorMap, rank: usize, mode: Mode) -> Result<(), Trouble> {
    let wrong = |message: String| Err(Trouble::new(FaultKind::Operand, message));
    if map.rank as usize != rank {
        return wrong(format!("a copy of {rank} dimensions by a tensor map of {}", map.rank));
    }
    let is_im2col = matches!(map.shape, TensorBox::Im2col { .. });
    if is_im2col != (mode == Mode::Im2col) {
        let kind = if is_im2col { "im2col" } else { "tile" };
        return wrong(format!("the tensor map is for the {kind} mode"));
    }
    if map.interleave != 0 {
        return Err(Trouble::new(
            FaultKind::Unsupported,
            "interleaved tensors are not implemented",
        ));
    }
    if matches!(map.element, TensorElement::B4x16P64 | TensorElement::B6x16P32) {
        let message = "tensors of padded groups of 4-bit and 6-bit elements are not implemented";
        return Err(Trouble::new(FaultKind::Unsupported, message));
    }
    map.encode()
        .map(|_| ())
        .map_err(|fault| Trouble::new(fault.kind, fault.message))
}

/// The rows of a box in the order in which they lie in shared memory.
fn box_rows(map: &TensorMap, sizes: [u32; 5], start: [i64; 5]) -> Vec<Row> {
    // A stride of s takes every s-th element, ⌈size / s⌉ in all (CUDA driver API, cuTensorMapEncodeTiled).
    let counts: [i64; 5] = std::array::from_fn(|index| {
        if index == 0 || index >= map.rank as usize {
            1
        } else {
            i64::from(sizes[index].div_ceil(map.element_strides[index]))
        }
    });
    let total: i64 = counts.iter().product();
    let place = |number: i64| {
        let mut left = number;
        let mut row = start;
        for index in 1..5 {
            row[index] += left % counts[index] * i64::from(map.element_strides[index]);
            left /= counts[index];
        }
        Row {
            start: row,
            count: sizes[0].into(),
        }
    };
    (0..total).map(place).collect()
}

/// The pixels of an im2col copy: from the base on through the box in W, H and D, then on to the next N.
fn pixels(map: &TensorMap, start: [i64; 5], offsets: [i64; 3]) -> Vec<Row> {
    let TensorBox::Im2col {
        lower,
        upper,
        channels,
        pixels,
    } = map.shape
    else {
        return Vec::new();
    };
    let spatial = (map.rank as usize).saturating_sub(2).min(3);
    let mut at = start;
    let mut rows = Vec::new();
    for _ in 0..pixels {
        let mut row = at;
        for index in 0..spatial {
            row[index + 1] += offsets[index];
        }
        rows.push(Row {
            start: row,
            count: channels.into(),
        });
        let mut carry = true;
        for index in 0..spatial {
            if !carry {
                break;
            }
            let last = map.sizes[index + 1] as i64 - 1 + i64::from(upper[index]);
            at[index + 1] += i64::from(map.element_strides[index + 1]);
            carry = at[index + 1] > last;
            if carry {
                at[index + 1] = i64::from(lower[index]);
            }
        }
        if carry {
            at[spatial + 1] += 1;
        }
    }
    rows
}

/// A run of bytes of a row: how many, and where they are in global memory if they are inside the tensor.
fn runs(map: &TensorMap, row: Row) -> Vec<(u64, Option<u64>)> {
    let bits = u64::from(map.element.bits());
    let bytes = |elements: u64| elements * bits / 8;
    let outside = vec![(bytes(row.count), None)];
    let rank = map.rank as usize;
    let is_inside = |index: usize| u64::try_from(row.start[index]).is_ok_and(|at| at < map.sizes[index]);
    if !(1..rank).all(is_inside) {
        return outside;
    }
    let (first, count) = (row.start[0], row.count as i64);
    let low = (-first).clamp(0, count);
    let high = (map.sizes[0] as i64 - first).clamp(low, count);
    if low == high {
        return outside;
    }
    let mut address = map.address.wrapping_add(bytes((first + low) as u64));
    for index in 1..rank {
        address = address.wrapping_add((row.start[index] as u64).wrapping_mul(map.strides[index - 1]));
    }
    let parts = [
        (bytes(low as u64), None),
        (bytes((high - low) as u64), Some(address)),
        (bytes((count - high) as u64), None),
    ];
    parts.into_iter().filter(|(bytes, _)| *bytes > 0).collect()
}

/// What an element outside of the tensor is.
fn fill(map: &TensorMap) -> Result<[u8; 2], Trouble> {
    match map.element {
        _ if !map.fill_nan => Ok([0; 2]),
        TensorElement::F16 | TensorElement::Bf16 => Ok((OOB_NAN as u16).to_le_bytes()),
        element => Err(Trouble::new(
            FaultKind::Unsupported,
            format!("the NaN that fills tensors of {element:?} is not known"),
        )),
    }
}

/// The pieces of rows that lie one after the other in shared memory.
fn pieces(map: &TensorMap, rows: &[Row], shared: Locus, load: bool) -> Result<Vec<Piece>, Trouble> {
    let Locus::Shared(rank, start) = shared else {
        return Err(Trouble::new(
            FaultKind::AddressSpace,
            "a box of a tensor that is not in shared memory",
        ));
    };
    let pattern = if load { fill(map)? } else { [0; 2] };
    let mut pieces = Vec::new();
    let mut offset = start;
    for row in rows {
        for (bytes, global) in runs(map, *row) {
            let mut done = 0;
            while done < bytes {
                let chunk = match map.swizzle.span() {
                    None => bytes,
                    Some(_) => {
                        let chunk = map.swizzle.chunk();
                        (chunk - (offset + done) % chunk).min(bytes - done)
                    }
                };
                let at = Locus::Shared(rank, map.swizzle.permute(offset + done));
                let outer = global.map(|address| Locus::Global(address.wrapping_add(done)));
                let (from, to) = match (load, outer) {
                    (true, Some(outer)) => (Origin::Memory(outer), Some(at)),
                    (true, None) => (Origin::Fill(pattern), Some(at)),
                    (false, outer) => (Origin::Memory(at), outer),
                };
                pieces.extend(to.map(|to| Piece {
                    from,
                    to,
                    bytes: chunk as u32,
                }));
                done += chunk;
            }
            offset += bytes;
        }
    }
    Ok(pieces)
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
        TensorMap::decode(&bytes).map_err(|fault| Trouble::new(fault.kind, fault.message))
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
                let bytes = rows
                    .iter()
                    .map(|row| row.count * u64::from(map.element.bits()) / 8)
                    .sum();
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

    /// Copies to shared memory round f32 to tf32 and flush subnormals where the element type says so, how is not documented: numbers that
    /// this would change are refused.
    fn refuse_conversion(&mut self, site: &mut Site<'_>, map: &TensorMap, rows: &[Row]) -> Result<(), Trouble> {
        let (rounds, flushes) = match map.element {
            TensorElement::Tf32 => (true, false),
            TensorElement::Tf32Ftz => (true, true),
            TensorElement::F32Ftz => (false, true),
            _ => return Ok(()),
        };
        for (bytes, address) in rows.iter().flat_map(|row| runs(map, *row)) {
            let Some(address) = address else { continue };
            let bytes = self.fetch(site.cluster, Locus::Global(address), bytes as usize)?;
            for element in bytes.chunks_exact(4) {
                let bits = element
                    .iter()
                    .rev()
                    .fold(0_u32, |bits, byte| bits << 8 | u32::from(*byte));
                let is_subnormal = bits & 0x7f80_0000 == 0 && bits & 0x7f_ffff != 0;
                if rounds && bits & 0x1fff != 0 || flushes && is_subnormal {
                    let message = format!("how a copy converts {bits:#010x} to {:?} is not known", map.element);
                    return Err(Trouble::new(FaultKind::Unsupported, message));
                }
            }
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
        Field::Stride(index) if index < 4 => {
            insert(3 + usize::from(index), 0, 32, value >> 4);
            insert(7, 4 * u32::from(index), 4, value >> 36);
        }
        Field::Stride(_) => {}
        Field::ElementStride(index) => insert(13, 3 * u32::from(index), 3, value.wrapping_sub(1)),
        Field::BoxSize(0) => insert(13, 24, 8, value.wrapping_sub(1)),
        Field::BoxSize(index) => insert(14, 8 * (u32::from(index) - 1), 8, value.wrapping_sub(1)),
        Field::Element => insert(2, 7, 4, value),
        Field::Interleave => insert(2, 11, 2, value),
        Field::SwizzleMode => {
            insert(2, 13, 2, value & 3);
            insert(2, 21, 1, value >> 2);
        }
        Field::SwizzleAtomicity => insert(2, 19, 2, value),
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

/// What a copy takes, row by row.
fn rows(map: &TensorMap, mode: Mode, coordinates: &[i64], offsets: &[i64]) -> Result<Vec<Row>, Trouble> {
    let mut start = [0; 5];
    for (own, given) in start.iter_mut().zip(coordinates) {
        *own = *given;
    }
    match (mode, map.shape) {
        (Mode::Tile, TensorBox::Tile(sizes)) => {
            usable(map, coordinates.len(), mode)?;
            Ok(box_rows(map, sizes, start))
        }
        (Mode::Rows, TensorBox::Tile(sizes)) => {
            usable(map, 2, mode)?;
            if sizes[1] != 1 {
                let message = format!("a copy of four rows by a box of {} rows, not one", sizes[1]);
                return Err(Trouble::new(FaultKind::Operand, message));
            }
            let row = |y: &i64| Row {
                start: [start[0], *y, 0, 0, 0],
                count: sizes[0].into(),
            };
            Ok(coordinates.iter().skip(1).map(row).collect())
        }
        (Mode::Im2col, _) => {
            usable(map, coordinates.len(), mode)?;
            let mut moved = [0; 3];
            for (own, given) in moved.iter_mut().zip(offsets) {
                *own = *given;
            }
            Ok(pixels(map, start, moved))
        }
        (Mode::Tile | Mode::Rows, TensorBox::Im2col { .. }) => {
            usable(map, map.rank as usize, mode)?;
            Ok(Vec::new())
        }
    }
}
