//! Memory as calls of both APIs name it: by address, of the device or of the host.

use crate::interface::{allocate_words, current, free_words, host_read, host_write, shared_words, with};
use crate::result::{Code, Failed};
use crate::state::{ContextId, Owner, Piece, array::Place};

/// One side of a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    /// What the address says: memory that the library knows, or else the program's.
    Any(u64),
    Device(u64),
    Host(u64),
}

impl Side {
    fn address(self) -> u64 {
        let (Side::Any(address) | Side::Device(address) | Side::Host(address)) = self;
        address
    }

    /// The same, so many bytes further on.
    fn after(self, bytes: u64) -> Side {
        match self {
            Side::Any(address) => Side::Any(address.wrapping_add(bytes)),
            Side::Device(address) => Side::Device(address.wrapping_add(bytes)),
            Side::Host(address) => Side::Host(address.wrapping_add(bytes)),
        }
    }

    /// Whether the bytes are the host's to move.
    fn is_host(self, bytes: usize) -> Result<bool, Failed> {
        let address = self.address();
        let (piece, on_device) = with(|state| Ok((state.piece(address), state.is_on_device(address))))?;
        match (piece, self) {
            (Some(piece), _) if bytes as u64 > piece.bytes - (address - piece.start) => {
                let reason = format!(
                    "{bytes} bytes at {address:#x}, where an allocation of {} bytes ends after {}",
                    piece.bytes,
                    piece.bytes - (address - piece.start)
                );
                Err(Failed::new(Code::InvalidValue, reason))
            }
            (Some(piece), _) => Ok(!matches!(piece.owner, Owner::Device | Owner::Other)),
            (None, Side::Device(_)) => Ok(false),
            (None, Side::Any(_) | Side::Host(_)) => Ok(!on_device),
        }
    }
}

/// The bytes of a side.
pub(crate) fn read(from: Side, length: usize) -> Result<Vec<u8>, Failed> {
    match from.is_host(length)? {
        _ if length == 0 => Ok(Vec::new()),
        true => host_read(from.address(), length),
        false => with(|state| state.read(from.address(), length)),
    }
}

/// Replaces the bytes of a side.
pub(crate) fn write(to: Side, bytes: &[u8]) -> Result<(), Failed> {
    match to.is_host(bytes.len())? {
        _ if bytes.is_empty() => Ok(()),
        true => host_write(to.address(), bytes),
        false => with(|state| state.write(to.address(), bytes)),
    }
}

/// Copies bytes. None are nothing to do, wherever they are.
pub(crate) fn copy(to: Side, from: Side, bytes: usize) -> Result<(), Failed> {
    if bytes == 0 {
        return Ok(());
    }
    write(to, &read(from, bytes)?)
}

/// Sets memory to one value of so many bytes again and again.
pub(crate) fn fill(address: u64, value: &[u8], count: usize) -> Result<(), Failed> {
    if count == 0 {
        return Ok(());
    }
    let all = value
        .len()
        .checked_mul(count)
        .ok_or_else(|| Failed::new(Code::InvalidValue, "more than all memory is to be set"))?;
    // What is not there is refused before a value of its size is made.
    read(Side::Device(address.wrapping_add(all as u64 - 1)), 1)?;
    write(Side::Device(address), &value.repeat(count))
}

/// Rows of bytes in slices, one behind the other.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rows {
    pub(crate) start: Side,
    /// Bytes from one row to the next.
    pub(crate) pitch: u64,
    /// Rows from one slice to the next.
    pub(crate) height: u64,
}

impl Rows {
    fn row(self, y: u64, z: u64) -> Side {
        self.start
            .after(self.pitch.wrapping_mul(y.wrapping_add(z.wrapping_mul(self.height))))
    }

    /// Whether so many bytes of rows and slices lie apart.
    fn check(self, wide: u64, [height, depth]: [usize; 2]) -> Result<(), Failed> {
        if height > 1 && self.pitch < wide {
            return Err(Failed::new(Code::InvalidValue, "rows are wider than their pitch"));
        }
        if depth > 1 && self.height < height as u64 {
            return Err(Failed::new(
                Code::InvalidValue,
                "slices have more rows than their height",
            ));
        }
        Ok(())
    }
}

/// One side of a copy of rows.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Region {
    Memory(Rows),
    /// A CUDA array, from a place on.
    Array(usize, Place),
}

impl Region {
    fn read(self, [y, z]: [u64; 2], width: usize) -> Result<Vec<u8>, Failed> {
        match self {
            Region::Memory(rows) => read(rows.row(y, z), width),
            Region::Array(array, place) => with(|state| state.read_array(array, place.after(y, z), width)),
        }
    }

    fn write(self, [y, z]: [u64; 2], bytes: &[u8]) -> Result<(), Failed> {
        match self {
            Region::Memory(rows) => write(rows.row(y, z), bytes),
            Region::Array(array, place) => with(|state| state.write_array(array, place.after(y, z), bytes)),
        }
    }
}

impl Place {
    fn after(self, y: u64, z: u64) -> Place {
        Place {
            y: self.y.saturating_add(y),
            z: self.z.saturating_add(z),
            ..self
        }
    }
}

/// Copies `width` bytes of rows and slices.
pub(crate) fn copy_rows(to: Region, from: Region, [width, height, depth]: [usize; 3]) -> Result<(), Failed> {
    if width == 0 || height == 0 || depth == 0 {
        return Ok(());
    }
    let wide = width as u64;
    for side in [to, from] {
        match side {
            Region::Memory(rows) => rows.check(wide, [height, depth])?,
            Region::Array(..) => {}
        }
    }
    if let (Region::Memory(to), Region::Memory(from)) = (to, from)
        && depth == 1
        && to.pitch == wide
        && from.pitch == wide
    {
        return copy(to.start, from.start, width.saturating_mul(height));
    }
    for z in 0..depth as u64 {
        for y in 0..height as u64 {
            to.write([y, z], &from.read([y, z], width)?)?;
        }
    }
    Ok(())
}

/// Sets `width` bytes of rows and slices.
pub(crate) fn fill_rows(to: Rows, value: &[u8], [count, height, depth]: [usize; 3]) -> Result<(), Failed> {
    if height > 1 && to.pitch < (count as u64).saturating_mul(value.len() as u64) {
        return Err(Failed::new(Code::InvalidValue, "rows are wider than their pitch"));
    }
    for z in 0..depth as u64 {
        for y in 0..height as u64 {
            fill(to.row(y, z).address(), value, count)?;
        }
    }
    Ok(())
}

/// Bytes of which pitches are multiples (observed in published sample output: 512 on every GPU of compute capability 7.5 and later).
pub(crate) const PITCH_UNIT: usize = 512;

/// Allocates rows of so many bytes; their address and pitch.
pub(crate) fn allocate_pitched(width: usize, rows: usize) -> Result<(u64, usize), Failed> {
    let pitch = width.checked_next_multiple_of(PITCH_UNIT);
    let bytes = pitch.and_then(|pitch| pitch.checked_mul(rows));
    match (pitch, bytes) {
        (Some(pitch), Some(bytes)) => Ok((allocate(bytes)?, pitch)),
        _ => Err(Failed::new(
            Code::OutOfMemory,
            format!("{rows} rows of {width} bytes cannot be allocated"),
        )),
    }
}

/// Allocates memory of the device.
pub(crate) fn allocate(bytes: usize) -> Result<u64, Failed> {
    let context = current()?;
    with(|state| state.allocate(bytes as u64, context))
}

/// Allocates memory of a graph: it is at the same place each time that the graph is launched, and there for as long as its context.
pub(crate) fn allocate_for_graph(bytes: usize) -> Result<u64, Failed> {
    let context = current()?;
    with(|state| {
        let address = state.allocate(bytes as u64, context)?;
        state.graphs.keep(address, context);
        Ok(address)
    })
}

/// Allocates memory of the host that kernels share.
pub(crate) fn allocate_shared(bytes: usize, owner: Owner, flags: u32) -> Result<u64, Failed> {
    let context = current()?;
    let refused = || Failed::new(Code::OutOfMemory, format!("{bytes} bytes cannot be allocated"));
    let bytes = bytes as u64;
    if bytes > crate::device::TOTAL_MEMORY {
        return Err(refused());
    }
    let (start, words) = allocate_words(bytes).ok_or_else(refused)?;
    let shared = with(|state| state.share((start, bytes), (start, words), (owner, flags), context));
    if shared.is_err() {
        free_words(start, bytes);
    }
    shared.map(|()| start)
}

/// Gives kernels memory of the program.
pub(crate) fn register(address: u64, bytes: usize, flags: u32) -> Result<(), Failed> {
    let context = current()?;
    let bytes = bytes as u64;
    let words = shared_words(address, bytes)?;
    with(|state| state.share((address, bytes), words, (Owner::Registered, flags), context))
}

/// Takes it from them.
pub(crate) fn unregister(address: u64) -> Result<(), Failed> {
    let released = with(|state| state.release(address, &[Owner::Registered]));
    released.map(|_| ()).map_err(|failed| Failed {
        code: Code::HostMemoryNotRegistered,
        ..failed
    })
}

/// Frees memory of these owners; address 0 is nothing to free.
pub(crate) fn free(address: u64, owners: &[Owner]) -> Result<(), Failed> {
    let is_kept = with(|state| Ok(state.graphs.is_kept(address)))?;
    if address != 0 && !is_kept {
        let piece = with(|state| state.release(address, owners))?;
        give_back(&[piece]);
    }
    Ok(())
}

/// Gives memory of the host back that is the library's.
pub(crate) fn give_back(pieces: &[Piece]) {
    for piece in pieces {
        match piece.owner {
            Owner::Pinned | Owner::Managed => free_words(piece.start, piece.bytes),
            Owner::Device | Owner::Registered | Owner::Other => {}
        }
    }
}

/// Ends a context, and what is of it.
pub(crate) fn end_context(context: ContextId) -> Result<(), Failed> {
    let pieces = with(|state| Ok(state.end(context)))?;
    give_back(&pieces);
    Ok(())
}

/// Where kernels find an address of the host.
pub(crate) fn device_pointer(address: u64) -> Result<u64, Failed> {
    match with(|state| Ok(state.piece(address)))? {
        Some(piece) if !matches!(piece.owner, Owner::Device | Owner::Other) => Ok(address),
        Some(_) | None => Err(Failed::new(
            Code::InvalidValue,
            "the memory of the host is not registered",
        )),
    }
}
