//! What programs advise of managed memory and ask of it, and copies of several pieces or between contexts.
#![allow(unsafe_code, non_snake_case)]

use std::ffi::{c_int, c_uint, c_void};

use super::graph::on_stream;
use super::{call, context_of, known_stream, memory as copies, only};
use crate::exports::exports;
use crate::interface::{current, list, put, with};
use crate::memory::{self, Side};
use crate::result::{Code, Failed};
use crate::state::graph::Work;
use crate::state::{Advice, Location, Owner};

fn invalid(reason: impl std::fmt::Display) -> Failed {
    Failed::new(Code::InvalidValue, reason)
}

/// A place of memory, from `CUmemLocation`: the kind in the lower half, the number in the upper.
fn location(word: u64) -> Result<Location, Failed> {
    let (kind, id) = (word as u32, (word >> 32) as u32 as i32);
    match kind {
        1 => only(id).map(|()| Location { kind, id }),
        // The host, or a part of it.
        2..=4 => Ok(Location { kind, id }),
        other => Err(invalid(format!("memory has no place of kind {other}"))),
    }
}

/// A place of memory as CUDA before 13.0 says it: a device, or -1 (`CU_DEVICE_CPU`).
fn old_location(device: c_int) -> Result<Location, Failed> {
    match device {
        -1 => Ok(Location { kind: 2, id: 0 }),
        device => only(device).map(|()| Location { kind: 1, id: device }),
    }
}

/// Changes what is advised of the managed memory that has an address.
fn advise(address: u64, change: impl FnOnce(&mut Advice) -> Result<(), Failed>) -> Result<(), Failed> {
    with(|state| {
        let piece = state.piece(address);
        // Memory of the system is the device's, too, where it may be registered.
        let piece = piece.ok_or_else(|| invalid(format!("{address:#x} is no managed memory")))?;
        if piece.owner == Owner::Device {
            return Err(invalid(format!(
                "{address:#x} is memory of the device, which stays there"
            )));
        }
        change(state.advice.entry(piece.start).or_default())
    })
}

fn take_advice(address: u64, advice: c_int, place: Result<Location, Failed>) -> Result<(), Failed> {
    advise(address, |known| {
        match advice {
            1 => known.read_mostly = true,
            2 => known.read_mostly = false,
            3 => known.preferred = place?,
            4 => known.preferred = Location::default(),
            5 | 6 => {
                let place = place?;
                known.accessed_by.retain(|other| *other != place);
                if advice == 5 {
                    known.accessed_by.push(place);
                }
            }
            other => return Err(invalid(format!("there is no advice {other} of memory"))),
        }
        Ok(())
    })
}

fn prefetch(address: u64, place: Result<Location, Failed>) -> Result<(), Failed> {
    let place = place?;
    advise(address, |known| {
        known.prefetched = place;
        Ok(())
    })
}

/// A place as an attribute gives it without its kind: a device, -1 for the host, -2 for none (`CU_DEVICE_INVALID`).
fn device_of(place: Location) -> c_int {
    match place.kind {
        0 => -2,
        1 => place.id,
        _ => -1,
    }
}

/// An attribute of managed memory (`CUmem_range_attribute`), in numbers of 32 bits.
fn range_attribute(data: *mut c_void, bytes: usize, attribute: c_int, address: u64) -> Result<(), Failed> {
    let known = with(|state| {
        let piece = state.piece(address);
        let managed = piece.filter(|piece| piece.owner == Owner::Managed);
        let piece = managed.ok_or_else(|| invalid(format!("{address:#x} is no managed memory")))?;
        Ok(state.advice.get(&piece.start).cloned().unwrap_or_default())
    })?;
    let words = bytes / 4;
    if words == 0 || !bytes.is_multiple_of(4) || attribute != ACCESSED_BY && words != 1 {
        return Err(invalid(format!(
            "{bytes} bytes have no room for the attribute {attribute}"
        )));
    }
    let value = match attribute {
        1 => c_int::from(known.read_mostly),
        2 => device_of(known.preferred),
        ACCESSED_BY => {
            let mut places = known
                .accessed_by
                .iter()
                .map(|place| device_of(*place))
                .chain(std::iter::repeat(-2));
            return (0..words)
                .try_for_each(|index| put(data.cast::<c_int>().wrapping_add(index), places.next().unwrap_or(-2)));
        }
        4 => device_of(known.prefetched),
        5 => known.preferred.kind as c_int,
        6 => known.preferred.id,
        7 => known.prefetched.kind as c_int,
        8 => known.prefetched.id,
        other => return Err(invalid(format!("managed memory has no attribute {other}"))),
    };
    put(data.cast::<c_int>(), value)
}

/// `CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY`.
const ACCESSED_BY: c_int = 3;

/// Prefetches pieces to places, each of which is for the pieces from its start on.
fn prefetch_all(
    addresses: *const u64,
    count: usize,
    places: (*const u64, *const usize, usize),
    stream: *mut c_void,
) -> Result<(), Failed> {
    known_stream(stream)?;
    let (locations, starts, of_places) = places;
    let (locations, starts) = (list(locations, of_places)?, list(starts, of_places)?);
    if starts.first() != Some(&0) || !starts.is_sorted() || starts.last().is_some_and(|last| *last >= count) {
        return Err(invalid("the places of a batch start at its first piece, and ascend"));
    }
    for (index, address) in list(addresses, count)?.into_iter().enumerate() {
        let of_piece = starts.partition_point(|start| *start <= index) - 1;
        prefetch(address, location(locations[of_piece]))?;
    }
    Ok(())
}

/// Copies pieces one after the other.
fn copy_all(
    to: *const u64,
    from: *const u64,
    sizes: *const usize,
    count: usize,
    stream: *mut c_void,
) -> Result<(), Failed> {
    known_stream(stream)?;
    let (to, from, sizes) = (list(to, count)?, list(from, count)?, list(sizes, count)?);
    for ((to, from), bytes) in to.into_iter().zip(from).zip(sizes) {
        let (to, from) = (Side::Any(to), Side::Any(from));
        on_stream(stream, Work::Copy { to, from, bytes })?;
    }
    Ok(())
}

/// A copy from one context to another: of the only device.
fn copy_between(contexts: [*mut c_void; 2], to: u64, from: u64, bytes: usize) -> Result<Work, Failed> {
    contexts
        .into_iter()
        .try_for_each(|context| context_of(context).map(|_| ()))?;
    let (to, from) = (Side::Device(to), Side::Device(from));
    Ok(Work::Copy { to, from, bytes })
}

exports! { call, address;
    [Context cuMemPrefetchAsync_v2_ptsz] fn cuMemPrefetchAsync_v2(address: u64, _bytes: usize, place: u64, _flags: c_uint, stream: *mut c_void) {
        known_stream(stream)?;
        prefetch(address, location(place))
    }
    [Context cuMemPrefetchAsync_ptsz] fn cuMemPrefetchAsync(address: u64, _bytes: usize, device: c_int, stream: *mut c_void) {
        known_stream(stream)?;
        prefetch(address, old_location(device))
    }
    [Context cuMemPrefetchBatchAsync_ptsz] fn cuMemPrefetchBatchAsync(addresses: *const u64, _sizes: *const usize, count: usize, places: *const u64, starts: *const usize, of_places: usize, _flags: u64, stream: *mut c_void) {
        prefetch_all(addresses, count, (places, starts, of_places), stream)
    }
    [Context cuMemDiscardAndPrefetchBatchAsync_ptsz] fn cuMemDiscardAndPrefetchBatchAsync(addresses: *const u64, _sizes: *const usize, count: usize, places: *const u64, starts: *const usize, of_places: usize, _flags: u64, stream: *mut c_void) {
        prefetch_all(addresses, count, (places, starts, of_places), stream)
    }
    [Context cuMemDiscardBatchAsync_ptsz] fn cuMemDiscardBatchAsync(addresses: *const u64, _sizes: *const usize, count: usize, _flags: u64, stream: *mut c_void) {
        // What is discarded may be anything, so also what it was.
        known_stream(stream)?;
        list(addresses, count)?.into_iter().try_for_each(|address| advise(address, |_| Ok(())))
    }
    [Context] fn cuMemAdvise_v2(address: u64, _bytes: usize, advice: c_int, place: u64) { take_advice(address, advice, location(place)) }
    [Context] fn cuMemAdvise(address: u64, _bytes: usize, advice: c_int, device: c_int) { take_advice(address, advice, old_location(device)) }
    [Context] fn cuMemRangeGetAttribute(data: *mut c_void, bytes: usize, attribute: c_int, address: u64, _range: usize) {
        range_attribute(data, bytes, attribute, address)
    }
    [Context] fn cuMemRangeGetAttributes(data: *const *mut c_void, sizes: *const usize, attributes: *const c_int, count: usize, address: u64, _range: usize) {
        let (data, sizes, attributes) = (list(data, count)?, list(sizes, count)?, list(attributes, count)?);
        let mut all = data.into_iter().zip(sizes).zip(attributes);
        all.try_for_each(|((data, bytes), attribute)| range_attribute(data, bytes, attribute, address))
    }
    [Context cuMemcpyBatchAsync_v2_ptsz] fn cuMemcpyBatchAsync_v2(to: *const u64, from: *const u64, sizes: *const usize, count: usize, _attributes: *const c_void, _starts: *const usize, _of_attributes: usize, stream: *mut c_void) {
        copy_all(to, from, sizes, count, stream)
    }
    [Context cuMemcpyBatchAsync_ptsz] fn cuMemcpyBatchAsync(to: *const u64, from: *const u64, sizes: *const usize, count: usize, _attributes: *const c_void, _starts: *const usize, _of_attributes: usize, _failed: *mut usize, stream: *mut c_void) {
        copy_all(to, from, sizes, count, stream)
    }
    [Context cuMemcpyPeer_ptds] fn cuMemcpyPeer(to: u64, to_context: *mut c_void, from: u64, from_context: *mut c_void, bytes: usize) {
        super::graph::perform(copy_between([to_context, from_context], to, from, bytes)?)
    }
    [Context cuMemcpyPeerAsync_ptsz] fn cuMemcpyPeerAsync(to: u64, to_context: *mut c_void, from: u64, from_context: *mut c_void, bytes: usize, stream: *mut c_void) {
        known_stream(stream)?;
        on_stream(stream, copy_between([to_context, from_context], to, from, bytes)?)
    }
    [Context cuMemcpy3DPeer_ptds] fn cuMemcpy3DPeer(parameters: *const [u64; 25]) {
        let (to, from, size) = copies::regions_3d(parameters)?;
        memory::copy_rows(to, from, size)
    }
    [Context cuMemcpy3DPeerAsync_ptsz] fn cuMemcpy3DPeerAsync(parameters: *const [u64; 25], stream: *mut c_void) {
        known_stream(stream)?;
        let (to, from, size) = copies::regions_3d(parameters)?;
        on_stream(stream, Work::CopyRows { to, from, size })
    }
    [Context] fn cuCtxEnablePeerAccess(peer: *mut c_void, _flags: c_uint) {
        // A context reaches the memory of its own device without being asked to.
        context_of(peer)?;
        current()?;
        Err(invalid("a context has no peer on its own device"))
    }
    [Context] fn cuCtxDisablePeerAccess(peer: *mut c_void) {
        context_of(peer)?;
        Err(Failed::new(Code::PeerAccessNotEnabled, "there is no access to a peer"))
    }
}
