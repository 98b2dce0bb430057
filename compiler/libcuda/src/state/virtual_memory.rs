//! Virtual memory that programs manage: ranges of addresses, memory that has none yet, and what is mapped where. Kernels reach what they were given access to.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicU64;

use super::State;
use crate::result::{Code, Failed};

/// In such pieces memory is made and mapped.
pub(crate) const GRANULARITY: u64 = 2 << 20;

/// Where ranges begin: below the addresses of the host, above those of other allocations.
const FIRST: u64 = 0x1000_0000_0000;

/// Memory without an address of the device.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Physical {
    /// Where the host has it.
    start: u64,
    pub(crate) bytes: u64,
    words: &'static [AtomicU64],
    /// How often it is mapped, and 1 for each time that the program has it by its handle.
    held: u32,
}

#[derive(Clone, Copy, Debug)]
struct Mapping {
    bytes: u64,
    physical: usize,
    /// Kernels have access.
    is_open: bool,
}

/// All of it.
#[derive(Debug, Default)]
pub(crate) struct VirtualMemory {
    /// Ranges of addresses, by their starts.
    ranges: BTreeMap<u64, u64>,
    physical: Vec<Option<Physical>>,
    mappings: BTreeMap<u64, Mapping>,
    next: u64,
}

/// Memory of the host that nothing uses any more: where it starts, and how many bytes.
pub(crate) type Unused = Option<(u64, u64)>;

fn invalid(reason: impl std::fmt::Display) -> Failed {
    Failed::new(Code::InvalidValue, reason)
}

/// Whether so many bytes are whole pieces.
pub(crate) fn check_size(bytes: u64) -> Result<(), Failed> {
    match bytes > 0 && bytes.is_multiple_of(GRANULARITY) {
        true => Ok(()),
        false => Err(invalid(format!("{bytes} bytes are no multiple of {GRANULARITY}"))),
    }
}

impl VirtualMemory {
    /// A range of addresses that nothing else has.
    pub(crate) fn reserve(&mut self, bytes: u64, alignment: u64) -> Result<u64, Failed> {
        check_size(bytes)?;
        if alignment != 0 && !alignment.is_power_of_two() {
            return Err(invalid(format!("{alignment} is no alignment")));
        }
        let wanted = self
            .next
            .max(FIRST)
            .checked_next_multiple_of(alignment.max(GRANULARITY));
        let start = wanted.filter(|start| start.checked_add(bytes).is_some_and(|end| end < 0x4000_0000_0000));
        let start =
            start.ok_or_else(|| Failed::new(Code::OutOfMemory, format!("there are no {bytes} bytes of addresses")))?;
        self.next = start + bytes;
        self.ranges.insert(start, bytes);
        Ok(start)
    }

    /// Gives a range of addresses back.
    pub(crate) fn unreserve(&mut self, start: u64, bytes: u64) -> Result<(), Failed> {
        if self.ranges.get(&start) != Some(&bytes) {
            return Err(invalid(format!(
                "{bytes} bytes at {start:#x} are no range that was reserved"
            )));
        }
        if self.mappings.range(start..start + bytes).next().is_some() {
            return Err(invalid(format!("there is memory in the range at {start:#x}")));
        }
        self.ranges.remove(&start);
        Ok(())
    }

    /// Takes memory in, which the program has.
    pub(crate) fn add(&mut self, start: u64, words: &'static [AtomicU64], bytes: u64) -> usize {
        self.physical.push(Some(Physical {
            start,
            bytes,
            words,
            held: 1,
        }));
        self.physical.len() - 1
    }

    pub(crate) fn physical(&mut self, number: usize) -> Result<&mut Physical, Failed> {
        let found = self.physical.get_mut(number).and_then(Option::as_mut);
        found.ok_or_else(|| invalid("there is no such memory"))
    }

    /// One holder less.
    pub(crate) fn release(&mut self, number: usize) -> Result<Unused, Failed> {
        let found = self.physical(number)?;
        found.held -= 1;
        if found.held > 0 {
            return Ok(None);
        }
        let unused = (found.start, found.bytes);
        self.physical[number] = None;
        Ok(Some(unused))
    }

    /// The memory that is mapped at an address, held once more.
    pub(crate) fn retain(&mut self, address: u64) -> Result<usize, Failed> {
        let found = self.mappings.range(..=address).next_back();
        let found = found.filter(|(start, mapping)| address - **start < mapping.bytes);
        let number = found.map(|(_, mapping)| mapping.physical);
        let number = number.ok_or_else(|| invalid(format!("there is no memory mapped at {address:#x}")))?;
        self.physical(number)?.held += 1;
        Ok(number)
    }

    /// Maps memory into a range.
    pub(crate) fn map(&mut self, start: u64, bytes: u64, number: usize) -> Result<(), Failed> {
        check_size(bytes)?;
        let end = start.saturating_add(bytes);
        let range = self.ranges.range(..=start).next_back();
        let is_inside = range.is_some_and(|(first, length)| end <= first + length);
        let before = self.mappings.range(..end).next_back();
        let is_taken = before.is_some_and(|(known, mapping)| known + mapping.bytes > start);
        if !is_inside || is_taken || !start.is_multiple_of(GRANULARITY) {
            return Err(invalid(format!(
                "{bytes} bytes at {start:#x} are not free in a range that was reserved"
            )));
        }
        let physical = self.physical(number)?;
        if physical.bytes != bytes {
            return Err(invalid(format!(
                "the memory has {} bytes, and {bytes} are mapped",
                physical.bytes
            )));
        }
        physical.held += 1;
        let mapping = Mapping {
            bytes,
            physical: number,
            is_open: false,
        };
        self.mappings.insert(start, mapping);
        Ok(())
    }

    /// The mappings that a stretch is made of.
    fn within(&self, start: u64, bytes: u64) -> Result<Vec<u64>, Failed> {
        let found: Vec<(u64, u64)> = self
            .mappings
            .range(start..start.saturating_add(bytes))
            .map(|(at, mapping)| (*at, mapping.bytes))
            .collect();
        let mut end = start;
        for (at, length) in &found {
            if *at != end {
                break;
            }
            end += length;
        }
        match end == start.saturating_add(bytes) {
            true => Ok(found.into_iter().map(|(at, _)| at).collect()),
            false => Err(invalid(format!("{bytes} bytes at {start:#x} are not whole mappings"))),
        }
    }
}

impl State {
    /// Says whether kernels reach what is mapped in a stretch.
    pub(crate) fn set_access(&mut self, start: u64, bytes: u64, is_open: bool) -> Result<(), Failed> {
        for at in self.virtual_memory.within(start, bytes)? {
            let Some(mapping) = self.virtual_memory.mappings.get_mut(&at) else {
                continue;
            };
            if std::mem::replace(&mut mapping.is_open, is_open) == is_open {
                continue;
            }
            let number = mapping.physical;
            let words = self.virtual_memory.physical(number)?.words;
            let done = match is_open {
                true => self.device.map_host(at, words),
                false => self.device.free(at),
            };
            done.map_err(invalid)?;
        }
        Ok(())
    }

    /// Whether kernels reach what is mapped at an address.
    pub(crate) fn has_access(&self, address: u64) -> Result<bool, Failed> {
        let found = self.virtual_memory.mappings.range(..=address).next_back();
        let found = found.filter(|(start, mapping)| address - **start < mapping.bytes);
        let found = found.map(|(_, mapping)| mapping.is_open);
        found.ok_or_else(|| invalid(format!("there is no memory mapped at {address:#x}")))
    }

    /// Takes the mappings of a stretch away; gives memory that nothing uses any more.
    pub(crate) fn unmap(&mut self, start: u64, bytes: u64) -> Result<Vec<(u64, u64)>, Failed> {
        self.set_access(start, bytes, false)?;
        let mut unused = Vec::new();
        for at in self.virtual_memory.within(start, bytes)? {
            if let Some(mapping) = self.virtual_memory.mappings.remove(&at) {
                unused.extend(self.virtual_memory.release(mapping.physical)?);
            }
        }
        Ok(unused)
    }
}
