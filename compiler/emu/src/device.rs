//! Device memory.

use super::{Fault, FaultKind};

/// Bytes with a record of which were written.
#[derive(Clone, Debug, Default)]
pub(crate) struct Block {
    bytes: Vec<u8>,
    /// A bit for each byte; empty: not recorded, all count as written.
    written: Vec<u64>,
}

/// Why an access to a block fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Miss {
    OutOfBounds,
    Uninitialised,
}

impl Block {
    /// Zeroed memory.
    pub(crate) fn new(bytes: usize, record: bool) -> Block {
        Block {
            bytes: vec![0; bytes],
            written: if record {
                vec![0; bytes.div_ceil(64)]
            } else {
                Vec::new()
            },
        }
    }

    pub(crate) fn len(&self) -> u64 {
        self.bytes.len() as u64
    }

    /// Makes it larger.
    pub(crate) fn grow(&mut self, bytes: usize) {
        if bytes > self.bytes.len() {
            self.bytes.resize(bytes, 0);
            if !self.written.is_empty() {
                self.written.resize(bytes.div_ceil(64), 0);
            }
        }
    }

    /// Whether all of a range was written.
    fn is_written(&self, start: usize, length: usize) -> bool {
        self.written.is_empty() || (start..start + length).all(|byte| self.written[byte / 64] >> (byte % 64) & 1 != 0)
    }

    /// Records a range as written, or as not.
    pub(crate) fn mark(&mut self, start: usize, length: usize, written: bool) {
        if !self.written.is_empty() {
            for byte in start..(start + length).min(self.bytes.len()) {
                let bit = 1 << (byte % 64);
                if written {
                    self.written[byte / 64] |= bit;
                } else {
                    self.written[byte / 64] &= !bit;
                }
            }
        }
    }

    /// Stops recording.
    pub(crate) fn forget(&mut self) {
        self.written = Vec::new();
    }

    fn range(&self, offset: u64, length: usize) -> Result<usize, Miss> {
        let start = usize::try_from(offset).map_err(|_| Miss::OutOfBounds)?;
        match start.checked_add(length) {
            Some(end) if end <= self.bytes.len() => Ok(start),
            _ => Err(Miss::OutOfBounds),
        }
    }

    /// The bytes of a range.
    pub(crate) fn slice(&self, offset: u64, length: usize, check: bool) -> Result<&[u8], Miss> {
        let start = self.range(offset, length)?;
        if check && !self.is_written(start, length) {
            return Err(Miss::Uninitialised);
        }
        Ok(&self.bytes[start..start + length])
    }

    /// The bytes of a range to be written.
    pub(crate) fn slice_mut(&mut self, offset: u64, length: usize) -> Result<&mut [u8], Miss> {
        let start = self.range(offset, length)?;
        self.mark(start, length, true);
        Ok(&mut self.bytes[start..start + length])
    }

    /// An integer of 1, 2, 4 or 8 bytes.
    #[inline]
    pub(crate) fn load(&self, offset: u64, length: usize, check: bool) -> Result<u64, Miss> {
        let bytes = self.slice(offset, length, check)?;
        Ok(match *bytes {
            [a, b, c, d] => u64::from(u32::from_le_bytes([a, b, c, d])),
            [a, b, c, d, e, f, g, h] => u64::from_le_bytes([a, b, c, d, e, f, g, h]),
            [a, b] => u64::from(u16::from_le_bytes([a, b])),
            [a] => u64::from(a),
            _ => 0,
        })
    }

    /// Writes the low bytes of a value.
    #[inline]
    pub(crate) fn store(&mut self, offset: u64, length: usize, value: u64) -> Result<(), Miss> {
        let slice = self.slice_mut(offset, length)?;
        match length {
            4 => slice.copy_from_slice(&(value as u32).to_le_bytes()),
            8 => slice.copy_from_slice(&value.to_le_bytes()),
            _ => slice.copy_from_slice(&value.to_le_bytes()[..length]),
        }
        Ok(())
    }
}

/// A piece of global memory.
#[derive(Clone, Debug)]
struct Allocation {
    base: u64,
    block: Block,
}

/// Where global memory starts. Above 32 bits, so that an address cut to 32 bits is found out.
const FIRST: u64 = 0x7f_4000_0000;
/// The same for modules with 32-bit addresses.
const FIRST_NARROW: u64 = 0x1000_0000;
/// Bytes between allocations, at least.
const GAP: u64 = 512;

/// The largest allocation.
const LARGEST: u64 = 1 << 36;

/// A device: its global memory.
#[derive(Debug)]
pub struct Device {
    /// In order of address.
    allocations: Vec<Allocation>,
    next: u64,
    /// No run has written without recording what is initialised.
    recorded: bool,
}

impl Default for Device {
    fn default() -> Device {
        Device::new()
    }
}

impl Device {
    /// A device with no memory allocated.
    pub fn new() -> Device {
        Device {
            allocations: Vec::new(),
            next: FIRST,
            recorded: true,
        }
    }

    /// A device for modules with `.address_size 32`: its addresses fit 32 bits.
    pub fn with_narrow_addresses() -> Device {
        Device {
            next: FIRST_NARROW,
            ..Device::new()
        }
    }

    /// Whether all addresses fit 32 bits; a device without memory becomes such a one.
    pub(crate) fn make_narrow(&mut self) -> bool {
        if self.allocations.is_empty() {
            self.next = FIRST_NARROW;
        }
        self.next <= u64::from(u32::MAX)
    }

    /// Allocates memory. It reads as zero and counts as not initialised. No allocation follows another without a gap.
    pub fn allocate(&mut self, bytes: u64, align: u64) -> u64 {
        let align = align.max(256).checked_next_power_of_two().unwrap_or(256);
        let base = self.next.checked_next_multiple_of(align).unwrap_or(self.next);
        // What no host can hold is an allocation without bytes: every access to it is out of bounds.
        let bytes = if bytes > LARGEST { 0 } else { bytes };
        self.next = base.saturating_add(bytes).saturating_add(GAP);
        self.allocations.push(Allocation {
            base,
            block: Block::new(usize::try_from(bytes).unwrap_or(0), self.recorded),
        });
        base
    }

    /// Frees an allocation.
    ///
    /// # Errors
    /// The address is not the start of an allocation.
    pub fn free(&mut self, address: u64) -> Result<(), Fault> {
        match self.allocations.binary_search_by_key(&address, |a| a.base) {
            Ok(index) => {
                self.allocations.remove(index);
                Ok(())
            }
            Err(_) => Err(Fault::new(
                FaultKind::OutOfBounds,
                format!("{address:#x} is not the start of an allocation"),
            )),
        }
    }

    /// Copies bytes to the device.
    ///
    /// # Errors
    /// Some of the memory is not allocated.
    pub fn write(&mut self, address: u64, bytes: &[u8]) -> Result<(), Fault> {
        let mut hint = 0;
        match self.find(address, &mut hint) {
            Some((index, offset)) => match self.allocations[index].block.slice_mut(offset, bytes.len()) {
                Ok(slice) => {
                    slice.copy_from_slice(bytes);
                    Ok(())
                }
                Err(_) => Err(self.outside(address, bytes.len() as u64)),
            },
            None => Err(self.outside(address, bytes.len() as u64)),
        }
    }

    /// Copies bytes from the device.
    ///
    /// # Errors
    /// Some of the memory is not allocated.
    pub fn read(&self, address: u64, length: u64) -> Result<Vec<u8>, Fault> {
        let outside = || self.outside(address, length);
        let mut hint = 0;
        let (index, offset) = self.find(address, &mut hint).ok_or_else(outside)?;
        let length = usize::try_from(length).map_err(|_| outside())?;
        let slice = self.allocations[index].block.slice(offset, length, false);
        Ok(slice.map_err(|_| outside())?.to_vec())
    }

    fn outside(&self, address: u64, length: u64) -> Fault {
        Fault::new(
            FaultKind::OutOfBounds,
            format!("{length} bytes at {address:#x}: {}", self.describe(address)),
        )
    }

    /// Which allocation an address is nearest to, in words.
    pub(crate) fn describe(&self, address: u64) -> String {
        let after = self.allocations.partition_point(|a| a.base <= address);
        let Some(nearest) = after.checked_sub(1).map(|index| &self.allocations[index]) else {
            return "no allocation is at or below this address".to_string();
        };
        let size = nearest.block.len();
        let offset = address - nearest.base;
        if offset < size {
            format!(
                "the allocation at {:#x} has {size} bytes and ends within the access",
                nearest.base
            )
        } else {
            format!(
                "the nearest allocation, at {:#x}, has {size} bytes and ends {} bytes before",
                nearest.base,
                offset - size
            )
        }
    }

    /// The allocation that holds an address, and the offset in it. The hint is the index found last.
    #[inline]
    pub(crate) fn find(&self, address: u64, hint: &mut usize) -> Option<(usize, u64)> {
        if let Some(last) = self.allocations.get(*hint) {
            let offset = address.wrapping_sub(last.base);
            if offset < last.block.len() {
                return Some((*hint, offset));
            }
        }
        let index = self.allocations.partition_point(|a| a.base <= address).checked_sub(1)?;
        let offset = address - self.allocations[index].base;
        (offset < self.allocations[index].block.len()).then(|| {
            *hint = index;
            (index, offset)
        })
    }

    #[inline]
    pub(crate) fn block_mut(&mut self, index: usize) -> &mut Block {
        &mut self.allocations[index].block
    }

    /// Counts an allocation as written: it reads as zero by right.
    pub(crate) fn mark_written(&mut self, address: u64) {
        let mut hint = 0;
        if let Some((index, _)) = self.find(address, &mut hint) {
            let block = &mut self.allocations[index].block;
            block.mark(0, block.bytes.len(), true);
        }
    }

    /// Before a run: one that does not check initialisation writes without recording it, so that nothing can be said afterwards.
    pub(crate) fn record(&mut self, check: bool) {
        if !check && self.recorded {
            self.recorded = false;
            for allocation in &mut self.allocations {
                allocation.block.forget();
            }
        }
    }
}
