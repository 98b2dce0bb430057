//! Device memory.
//!
//! Memory is words of 64 bits that host threads share: loads and stores of up to 8 bytes that do not cross a word are single (relaxed) moves, so
//! that no value is ever torn, and atomic operations compare and exchange whole words.

use std::ops::Deref;
use std::sync::{
    Arc, Mutex, MutexGuard, PoisonError,
    atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed, Ordering::SeqCst},
};

use zerocopy::FromZeros;

use super::{Fault, FaultKind, lanes::Shape, texture::Registry};

/// The words of a block.
#[derive(Debug)]
enum Words {
    Own(Vec<AtomicU64>),
    /// Of the host, which may change them at any time.
    Host(&'static [AtomicU64]),
}

impl Default for Words {
    fn default() -> Words {
        Words::Own(Vec::new())
    }
}

impl Deref for Words {
    type Target = [AtomicU64];

    #[inline(always)]
    fn deref(&self) -> &[AtomicU64] {
        match self {
            Words::Own(words) => words,
            Words::Host(words) => words,
        }
    }
}

/// Bytes with a record of which were written. Byte `n` is bits `8 (n mod 8)` and up of word `n / 8`.
#[derive(Debug, Default)]
pub(crate) struct Block {
    words: Words,
    bytes: usize,
    /// Bytes that may be read: those of the block, and what a device has behind them up to its unit of allocation.
    readable: usize,
    /// A bit for each byte; empty: not recorded, all count as written.
    written: Vec<AtomicU64>,
    /// Several host threads may write at once.
    contended: bool,
}

/// Why an access to a block fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Miss {
    OutOfBounds,
    Uninitialised,
}

/// Words of zero; `None`: more than the host has.
fn zeros(count: usize) -> Option<Vec<AtomicU64>> {
    AtomicU64::new_vec_zeroed(count).ok()
}

/// The low bits of a value of this many bytes, at most 8.
#[inline(always)]
fn low(bytes: usize) -> u64 {
    if bytes >= 8 { u64::MAX } else { (1 << (8 * bytes)) - 1 }
}

impl Block {
    /// Zeroed memory; without bytes where the host has not as much.
    pub(crate) fn new(bytes: usize, record: bool) -> Block {
        Block::padded(bytes, bytes, record).unwrap_or_default()
    }

    /// Zeroed memory of which more may be read than written, as devices allocate in units; `None`: the host has not as much.
    pub(crate) fn padded(bytes: usize, readable: usize, record: bool) -> Option<Block> {
        let readable = readable.max(bytes);
        Some(Block {
            words: Words::Own(zeros(readable.div_ceil(8))?),
            bytes,
            readable,
            written: zeros(if record { readable.div_ceil(64) } else { 0 })?,
            contended: false,
        })
    }

    /// Memory of the host. All of it counts as written, and as changed by others at any time.
    fn of_host(words: &'static [AtomicU64]) -> Block {
        let bytes = words.len() * 8;
        Block {
            words: Words::Host(words),
            bytes,
            readable: bytes,
            written: Vec::new(),
            contended: true,
        }
    }

    pub(crate) fn len(&self) -> u64 {
        self.bytes as u64
    }

    /// Makes it larger.
    pub(crate) fn grow(&mut self, bytes: usize) {
        if bytes > self.bytes
            && let Words::Own(words) = &mut self.words
        {
            self.bytes = bytes;
            self.readable = self.readable.max(bytes);
            words.resize_with(self.readable.div_ceil(8), AtomicU64::default);
            if !self.written.is_empty() {
                self.written.resize_with(self.readable.div_ceil(64), AtomicU64::default);
            }
        }
    }

    /// The bits of a range in the record: index of the word and mask.
    fn record_masks(start: usize, length: usize) -> impl Iterator<Item = (usize, u64)> {
        let end = start + length;
        let mut at = start;
        std::iter::from_fn(move || {
            (at < end).then(|| {
                let (word, bit) = (at / 64, at % 64);
                let count = (end - at).min(64 - bit);
                at += count;
                (word, (u64::MAX >> (64 - count)) << bit)
            })
        })
    }

    /// Whether all of a range was written.
    #[inline]
    fn is_written(&self, start: usize, length: usize) -> bool {
        self.written.is_empty()
            || Block::record_masks(start, length).all(|(word, mask)| self.written[word].load(Relaxed) & mask == mask)
    }

    /// Records a range as written, or as not.
    #[inline]
    pub(crate) fn mark(&self, start: usize, length: usize, written: bool) {
        if self.written.is_empty() {
            return;
        }
        let length = length.min(self.bytes.saturating_sub(start));
        for (word, mask) in Block::record_masks(start, length) {
            let word = &self.written[word];
            match (written, self.contended) {
                (true, true) => drop(word.fetch_or(mask, Relaxed)),
                (false, true) => drop(word.fetch_and(!mask, Relaxed)),
                (true, false) => word.store(word.load(Relaxed) | mask, Relaxed),
                (false, false) => word.store(word.load(Relaxed) & !mask, Relaxed),
            }
        }
    }

    /// Several host threads may write at once.
    pub(crate) fn contend(&mut self, contended: bool) {
        self.contended = contended || matches!(self.words, Words::Host(_));
    }

    /// Stops recording.
    fn forget(&mut self) {
        self.written = Vec::new();
    }

    #[inline(always)]
    fn range(&self, offset: u64, length: usize) -> Result<usize, Miss> {
        match offset.checked_add(length as u64) {
            Some(end) if end <= self.bytes as u64 => Ok(offset as usize),
            _ => Err(Miss::OutOfBounds),
        }
    }

    /// The same for what is only read.
    #[inline(always)]
    fn readable_range(&self, offset: u64, length: usize) -> Result<usize, Miss> {
        match offset.checked_add(length as u64) {
            Some(end) if end <= self.readable as u64 => Ok(offset as usize),
            _ => Err(Miss::OutOfBounds),
        }
    }

    /// The bits of up to 8 bytes that the block has.
    #[inline(always)]
    fn bits(&self, start: usize, length: usize) -> u64 {
        let (word, place) = (start / 8, start % 8);
        let mut value = self.words[word].load(Relaxed) >> (8 * place);
        if place + length > 8 {
            value |= self.words[word + 1].load(Relaxed) << (64 - 8 * place);
        }
        value & low(length)
    }

    /// Sets bits of a word that bytes of it are.
    #[inline(always)]
    fn set(&self, word: usize, mask: u64, value: u64) {
        let word = &self.words[word];
        if mask == u64::MAX {
            word.store(value, Relaxed);
        } else if self.contended {
            let _ = word.fetch_update(Relaxed, Relaxed, |old| Some(old & !mask | value & mask));
        } else {
            word.store(word.load(Relaxed) & !mask | value & mask, Relaxed);
        }
    }

    #[inline(always)]
    fn set_bits(&self, start: usize, length: usize, value: u64) {
        let (word, place) = (start / 8, start % 8);
        let mask = low(length);
        self.set(word, mask << (8 * place), value << (8 * place));
        if place + length > 8 {
            let shift = 64 - 8 * place;
            self.set(word + 1, mask >> shift, (value & mask) >> shift);
        }
    }

    /// Whether a range is inside.
    pub(crate) fn has(&self, offset: u64, length: usize) -> Result<(), Miss> {
        self.range(offset, length).map(|_| ())
    }

    /// The bytes of a range.
    pub(crate) fn read(&self, offset: u64, length: usize, check: bool) -> Result<Vec<u8>, Miss> {
        let start = self.readable_range(offset, length)?;
        if check && !self.is_written(start, length) {
            return Err(Miss::Uninitialised);
        }
        let mut bytes = Vec::with_capacity(length);
        while bytes.len() < length {
            let at = start + bytes.len();
            let count = (8 - at % 8).min(length - bytes.len());
            bytes.extend_from_slice(&self.bits(at, count).to_le_bytes()[..count]);
        }
        Ok(bytes)
    }

    /// Writes a range.
    pub(crate) fn write(&self, offset: u64, bytes: &[u8]) -> Result<(), Miss> {
        let start = self.range(offset, bytes.len())?;
        self.mark(start, bytes.len(), true);
        let first = (8 - start % 8).min(bytes.len());
        let (head, body) = bytes.split_at(first);
        let mut at = start;
        for part in std::iter::once(head)
            .chain(body.chunks(8))
            .filter(|part| !part.is_empty())
        {
            let mut value = [0; 8];
            value[..part.len()].copy_from_slice(part);
            self.set_bits(at, part.len(), u64::from_le_bytes(value));
            at += part.len();
        }
        Ok(())
    }

    /// An integer of 1 to 8 bytes.
    #[inline]
    pub(crate) fn load(&self, offset: u64, length: usize, check: bool) -> Result<u64, Miss> {
        let start = self.readable_range(offset, length)?;
        if check && !self.is_written(start, length) {
            return Err(Miss::Uninitialised);
        }
        Ok(self.bits(start, length))
    }

    /// Writes the low bytes of a value.
    #[inline]
    pub(crate) fn store(&self, offset: u64, length: usize, value: u64) -> Result<(), Miss> {
        let start = self.range(offset, length)?;
        self.mark(start, length, true);
        self.set_bits(start, length, value);
        Ok(())
    }

    /// Replaces an integer of 1, 2, 4 or 8 bytes, at a multiple of its size, by a function of it, as one operation; the old value.
    pub(crate) fn update(
        &self,
        offset: u64,
        length: usize,
        check: bool,
        function: impl Fn(u64) -> u64,
    ) -> Result<u64, Miss> {
        let start = self.range(offset, length)?;
        if check && !self.is_written(start, length) {
            return Err(Miss::Uninitialised);
        }
        if !self.contended || start % 8 + length > 8 {
            let old = self.bits(start, length);
            self.set_bits(start, length, function(old));
            self.mark(start, length, true);
            return Ok(old);
        }
        let (shift, mask) = (8 * (start % 8), low(length));
        let word = &self.words[start / 8];
        let mut known = word.load(Relaxed);
        loop {
            let old = known >> shift & mask;
            let new = known & !(mask << shift) | (function(old) & mask) << shift;
            match word.compare_exchange_weak(known, new, SeqCst, Relaxed) {
                Ok(_) => {
                    self.mark(start, length, true);
                    return Ok(old);
                }
                Err(now) => known = now,
            }
        }
    }

    /// A load of `words` times up to 8 bytes in each lane, where `base` is the address of the block's start. `None`: a lane misses, and which has
    /// to be found.
    #[inline]
    pub(crate) fn gather<const WORDS: usize>(
        &self,
        shape: Shape,
        base: u64,
        addresses: &[u64; 32],
        active: u32,
        bytes: usize,
        check: bool,
    ) -> Option<[[u64; 32]; WORDS]> {
        let mut out = [[0; 32]; WORDS];
        let all = WORDS * bytes;
        match shape {
            Shape::Same => {
                let first = addresses[active.trailing_zeros() as usize % 32].wrapping_sub(base);
                for (word, out) in out.iter_mut().enumerate() {
                    *out = [self
                        .load(first.checked_add((word * bytes) as u64)?, bytes, check)
                        .ok()?; 32];
                }
            }
            Shape::Consecutive => {
                let start = self.readable_range(addresses[0].wrapping_sub(base), 32 * all).ok()?;
                if check && !self.is_written(start, 32 * all) {
                    return None;
                }
                let offsets = std::array::from_fn(|lane| start + lane * all);
                if WORDS == 1 && bytes == 4 && start.is_multiple_of(8) {
                    let words = self.words.get(start / 8..)?;
                    for (pair, word) in out[0].as_chunks_mut::<2>().0.iter_mut().zip(words) {
                        let word = word.load(Relaxed);
                        *pair = [word & 0xffff_ffff, word >> 32];
                    }
                } else {
                    self.fill(&mut out, &offsets, bytes);
                }
            }
            Shape::Any => {
                let offsets = self.offsets(base, addresses, active, all, self.readable)?;
                if check && !crate::lanes::lanes_of(active).all(|lane| self.is_written(offsets[lane], all)) {
                    return None;
                }
                // Lanes that take no part have offset 0, which is in the block.
                self.fill(&mut out, &offsets, bytes);
            }
        }
        Some(out)
    }

    /// Loads from offsets that lie in the block.
    #[inline(always)]
    fn fill<const WORDS: usize>(&self, out: &mut [[u64; 32]; WORDS], offsets: &[usize; 32], bytes: usize) {
        match bytes {
            // An aligned word of the block is no more than one move.
            8 => {
                for (word, out) in out.iter_mut().enumerate() {
                    for (out, offset) in out.iter_mut().zip(offsets) {
                        let at = offset + 8 * word;
                        *out = if at % 8 == 0 {
                            self.words[at / 8].load(Relaxed)
                        } else {
                            self.bits(at, 8)
                        };
                    }
                }
            }
            4 if WORDS.is_multiple_of(2) => {
                for (lane, offset) in offsets.iter().enumerate() {
                    for word in (0..WORDS).step_by(2) {
                        let both = self.bits(offset + 4 * word, 8);
                        out[word][lane] = both & 0xffff_ffff;
                        out[word + 1][lane] = both >> 32;
                    }
                }
            }
            _ => {
                for (word, out) in out.iter_mut().enumerate() {
                    for (out, offset) in out.iter_mut().zip(offsets) {
                        *out = self.bits(offset + word * bytes, bytes);
                    }
                }
            }
        }
    }

    /// The offsets of lanes that all lie in the first `size` bytes of the block, 0 for those that take no part.
    #[inline(always)]
    fn offsets(&self, base: u64, addresses: &[u64; 32], active: u32, bytes: usize, size: usize) -> Option<[usize; 32]> {
        let offsets: [u64; 32] = std::array::from_fn(|lane| {
            let counts = u64::from(active >> lane & 1).wrapping_neg();
            addresses[lane].wrapping_sub(base) & counts
        });
        let last = (size as u64).checked_sub(bytes as u64)?;
        let inside = offsets.iter().fold(true, |inside, offset| inside & (*offset <= last));
        inside.then(|| offsets.map(|offset| offset as usize))
    }

    /// A store of `WORDS` times up to 8 bytes in each lane; false: a lane misses, nothing has been stored, and which has to be found.
    #[inline]
    pub(crate) fn scatter<const WORDS: usize>(
        &self,
        shape: Shape,
        base: u64,
        addresses: &[u64; 32],
        active: u32,
        bytes: usize,
        values: [&[u64; 32]; WORDS],
    ) -> bool {
        let Some(offsets) = self.offsets(base, addresses, active, WORDS * bytes, self.bytes) else {
            return false;
        };
        let mark_all = !self.written.is_empty();
        if shape == Shape::Consecutive && offsets[0].is_multiple_of(8) && (bytes == 4 && WORDS == 1 || bytes == 8) {
            self.mark(offsets[0], 32 * WORDS * bytes, true);
            let words = &self.words[offsets[0] / 8..];
            if bytes == 4 {
                for ([low, high], word) in values[0].as_chunks::<2>().0.iter().zip(words) {
                    word.store(low & 0xffff_ffff | high << 32, Relaxed);
                }
            } else {
                for (index, word) in words.iter().enumerate().take(32 * WORDS) {
                    word.store(values[index % WORDS][index / WORDS], Relaxed);
                }
            }
            return true;
        }
        for lane in crate::lanes::lanes_of(active) {
            let offset = offsets[lane];
            if mark_all {
                self.mark(offset, WORDS * bytes, true);
            }
            if bytes == 4 && WORDS.is_multiple_of(2) {
                for word in (0..WORDS).step_by(2) {
                    let both = values[word][lane] & 0xffff_ffff | values[word + 1][lane] << 32;
                    self.set_bits(offset + 4 * word, 8, both);
                }
            } else {
                for (word, values) in values.iter().enumerate() {
                    self.set_bits(offset + word * bytes, bytes, values[lane]);
                }
            }
        }
        true
    }
}

/// A piece of global memory.
#[derive(Debug)]
struct Allocation {
    base: u64,
    block: Block,
    /// A kernel made it.
    heap: bool,
}

impl Allocation {
    fn offset(&self, address: u64) -> Option<u64> {
        let offset = address.wrapping_sub(self.base);
        (offset < self.block.readable as u64).then_some(offset)
    }
}

/// The allocation that holds an address, and the offset in it.
fn search(allocations: &[Arc<Allocation>], address: u64) -> Option<(usize, u64)> {
    let index = allocations.partition_point(|a| a.base <= address).checked_sub(1)?;
    Some((index, allocations[index].offset(address)?))
}

/// Where global memory starts. Above 32 bits, so that an address cut to 32 bits is found out.
const FIRST: u64 = 0x7f_4000_0000;
/// The same for modules with 32-bit addresses.
const FIRST_NARROW: u64 = 0x1000_0000;
/// Bytes between allocations, at least.
const GAP: u64 = 512;

/// The largest allocation.
const LARGEST: u64 = 1 << 36;

/// Bytes that the variables of a module may have, unless it is said how many: they are all there, whatever the program uses.
const USUAL_VARIABLES: u64 = 1 << 30;

/// A device: its global memory, textures and surfaces.
#[derive(Debug)]
pub struct Device {
    /// In order of address.
    allocations: Vec<Arc<Allocation>>,
    next: u64,
    /// No run has written without recording what is initialised.
    recorded: bool,
    /// Several host threads use it at once.
    contended: bool,
    /// Bytes that the variables of a module may have.
    most_variables: u64,
    /// Images, textures, samplers and surfaces. No run holds it between runs.
    pub(crate) textures: Arc<Registry>,
    /// Multimem addresses: start, bytes, and the replicas.
    multicasts: Vec<(u64, u64, Vec<u64>)>,
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
            contended: false,
            most_variables: USUAL_VARIABLES,
            textures: Arc::default(),
            multicasts: Vec::new(),
        }
    }

    /// Says how many bytes the variables of a module may have.
    pub fn limit_variables(&mut self, bytes: u64) {
        self.most_variables = bytes;
    }

    /// Refuses a module whose variables have so many bytes, if these are too many.
    pub(crate) fn check_variables(&self, bytes: u64) -> Result<(), Fault> {
        if bytes <= self.most_variables {
            return Ok(());
        }
        let most = self.most_variables;
        let message = format!("the variables of the module have {bytes} bytes, and may have {most}");
        Err(Fault::new(FaultKind::Load, message))
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
        let allocation = self.add(bytes, align, false);
        allocation.base
    }

    /// Allocates memory of which so many bytes may be written and more, up to `readable`, be read, as devices allocate in units. It reads as zero
    /// and counts as not initialised. `None`: there is not as much.
    pub fn allocate_padded(&mut self, bytes: u64, align: u64, readable: u64) -> Option<u64> {
        let readable = readable.max(bytes);
        if readable > LARGEST {
            return None;
        }
        let block = Block::padded(
            usize::try_from(bytes).ok()?,
            usize::try_from(readable).ok()?,
            self.recorded,
        )?;
        Some(self.place(block, align, false).base)
    }

    /// Gives kernels memory of the host at an address: what either writes is there for the other at once.
    ///
    /// # Errors
    /// Something is there already, it is no part of the address space, or larger than any allocation.
    pub fn map_host(&mut self, address: u64, words: &'static [AtomicU64]) -> Result<(), Fault> {
        let bytes = 8 * words.len() as u64;
        let index = self.allocations.partition_point(|known| known.base <= address);
        let ends_before = |known: &Arc<Allocation>| known.base + known.block.readable as u64 <= address;
        let is_free = address.checked_add(bytes).is_some_and(|end| {
            self.allocations.get(index).is_none_or(|next| end <= next.base)
                && self.allocations[..index].last().is_none_or(ends_before)
        });
        if !is_free || bytes > LARGEST || address < FIRST_NARROW {
            let message = format!("{bytes} bytes of the host cannot be given to kernels at {address:#x}");
            return Err(Fault::new(FaultKind::OutOfBounds, message));
        }
        let allocation = Allocation {
            base: address,
            block: Block::of_host(words),
            heap: false,
        };
        self.allocations.insert(index, Arc::new(allocation));
        Ok(())
    }

    fn add(&mut self, bytes: u64, align: u64, heap: bool) -> &Arc<Allocation> {
        // What no host can hold is an allocation without bytes: every access to it is out of bounds.
        let bytes = if bytes > LARGEST { 0 } else { bytes };
        let block = Block::new(usize::try_from(bytes).unwrap_or(0), self.recorded);
        self.place(block, align, heap)
    }

    fn place(&mut self, mut block: Block, align: u64, heap: bool) -> &Arc<Allocation> {
        let align = align.max(256).checked_next_power_of_two().unwrap_or(256);
        let base = self.next.checked_next_multiple_of(align).unwrap_or(self.next);
        self.next = base.saturating_add(block.readable as u64).saturating_add(GAP);
        block.contended = self.contended;
        let index = self.allocations.partition_point(|known| known.base <= base);
        self.allocations
            .insert(index, Arc::new(Allocation { base, block, heap }));
        &self.allocations[index]
    }

    /// A multimem address for so many bytes of replicas, each of which is memory of this device. Only `multimem` instructions take it.
    ///
    /// # Errors
    /// There is no replica, or some of its memory is not allocated.
    pub fn create_multicast(&mut self, replicas: &[u64], bytes: u64) -> Result<u64, Fault> {
        if replicas.is_empty() {
            return Err(Fault::new(FaultKind::Operand, "a multimem address with no replicas"));
        }
        for replica in replicas {
            self.read(*replica, bytes)?;
        }
        // The address of an allocation without bytes: nothing else can be there, and every plain access to it is out of bounds.
        let base = self.allocate(0, 4096);
        self.next = self.next.saturating_add(bytes);
        self.multicasts.push((base, bytes, replicas.to_vec()));
        Ok(base)
    }

    /// The addresses that a multimem address stands for.
    pub(crate) fn replicas(&self, address: u64) -> Option<Vec<u64>> {
        let known = self.multicasts.iter();
        let (base, _, replicas) = known
            .into_iter()
            .find(|(base, bytes, _)| address.wrapping_sub(*base) < *bytes)?;
        Some(replicas.iter().map(|replica| replica + (address - base)).collect())
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
        let found = self.lookup(address).ok_or(Miss::OutOfBounds);
        let written = found.and_then(|(block, offset)| block.write(offset, bytes));
        written.map_err(|_| self.outside(address, bytes.len() as u64))
    }

    /// Copies bytes from the device.
    ///
    /// # Errors
    /// Some of the memory is not allocated.
    pub fn read(&self, address: u64, length: u64) -> Result<Vec<u8>, Fault> {
        let outside = || self.outside(address, length);
        let (block, offset) = self.lookup(address).ok_or_else(outside)?;
        let length = usize::try_from(length).map_err(|_| outside())?;
        // What kernels may read behind the end is nothing that was asked for.
        block.has(offset, length).map_err(|_| outside())?;
        block.read(offset, length, false).map_err(|_| outside())
    }

    fn outside(&self, address: u64, length: u64) -> Fault {
        Fault::new(
            FaultKind::OutOfBounds,
            format!("{length} bytes at {address:#x}: {}", self.describe(address)),
        )
    }

    fn lookup(&self, address: u64) -> Option<(&Block, u64)> {
        let (index, offset) = search(&self.allocations, address)?;
        Some((&self.allocations[index].block, offset))
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

    /// Counts an allocation as written: it reads as zero by right.
    pub(crate) fn mark_written(&mut self, address: u64) {
        if let Some((block, _)) = self.lookup(address) {
            block.mark(0, block.bytes, true);
        }
    }

    /// Before a run: one that does not check initialisation writes without recording it, so that nothing can be said afterwards. With several host
    /// threads, parts of words are written by exchanging words.
    pub(crate) fn prepare(&mut self, check: bool, contended: bool) {
        let forget = !check && self.recorded;
        self.recorded &= check;
        self.contended = contended;
        if let Some(textures) = Arc::get_mut(&mut self.textures) {
            textures.prepare(contended);
        }
        for allocation in &mut self.allocations {
            // No run holds it now.
            if let Some(allocation) = Arc::get_mut(allocation) {
                allocation.block.contend(contended);
                if forget {
                    allocation.block.forget();
                }
            }
        }
    }
}

/// What a kernel did to the list of allocations.
#[derive(Clone, Debug)]
enum Change {
    Add(Arc<Allocation>),
    /// The one that starts here.
    Remove(u64),
}

#[derive(Debug)]
struct State {
    device: Device,
    changes: Vec<Change>,
}

/// A device during a run: host threads share it, each through a [`Memory`].
#[derive(Debug)]
pub(crate) struct Shared {
    state: Mutex<State>,
    /// Number of changes.
    changed: AtomicUsize,
    /// For values of more than 8 bytes, which no single move handles.
    wide: Mutex<()>,
    contended: bool,
}

/// A lock whose holder panicked is as good as any: nothing here panics while it holds one.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shared {
    /// Takes the memory of a device, which [`Shared::finish`] gives back.
    pub(crate) fn start(device: &mut Device, check: bool, threads: usize) -> Shared {
        let contended = threads > 1;
        device.prepare(check, contended);
        Shared {
            state: Mutex::new(State {
                device: std::mem::take(device),
                changes: Vec::new(),
            }),
            changed: AtomicUsize::new(0),
            wide: Mutex::new(()),
            contended,
        }
    }

    /// The device after the run.
    pub(crate) fn finish(self) -> Device {
        self.state.into_inner().unwrap_or_else(PoisonError::into_inner).device
    }

    /// The view of one host thread.
    pub(crate) fn view(&self) -> Memory<'_> {
        let state = lock(&self.state);
        Memory {
            shared: self,
            allocations: state.device.allocations.clone(),
            textures: state.device.textures.clone(),
            seen: state.changes.len(),
            hint: 0,
        }
    }
}

/// Global memory as one host thread sees it.
#[derive(Debug)]
pub(crate) struct Memory<'s> {
    shared: &'s Shared,
    allocations: Vec<Arc<Allocation>>,
    /// Images, textures, samplers and surfaces, which no kernel makes.
    pub(crate) textures: Arc<Registry>,
    /// Changes known.
    seen: usize,
    /// The allocation found last.
    hint: usize,
}

impl<'s> Memory<'s> {
    /// The block that holds an address, and the offset in it.
    #[inline]
    pub(crate) fn find(&mut self, address: u64) -> Option<(&Block, u64)> {
        if self.shared.changed.load(SeqCst) != self.seen {
            self.catch_up();
        }
        let hinted = self.allocations.get(self.hint).and_then(|last| last.offset(address));
        let offset = match hinted {
            Some(offset) => offset,
            None => {
                let (index, offset) = search(&self.allocations, address)?;
                self.hint = index;
                offset
            }
        };
        Some((&self.allocations[self.hint].block, offset))
    }

    /// Learns what kernels allocated and freed.
    #[cold]
    fn catch_up(&mut self) {
        let state = lock(&self.shared.state);
        for change in &state.changes[self.seen..] {
            match change {
                Change::Add(allocation) => {
                    let index = self.allocations.partition_point(|known| known.base <= allocation.base);
                    self.allocations.insert(index, allocation.clone());
                }
                Change::Remove(base) => {
                    if let Ok(index) = self.allocations.binary_search_by_key(base, |a| a.base) {
                        self.allocations.remove(index);
                    }
                }
            }
        }
        self.seen = state.changes.len();
    }

    /// `malloc`
    pub(crate) fn allocate(&mut self, bytes: u64) -> u64 {
        let mut state = lock(&self.shared.state);
        let allocation = state.device.add(bytes, 16, true).clone();
        let base = allocation.base;
        state.changes.push(Change::Add(allocation));
        self.shared.changed.store(state.changes.len(), SeqCst);
        base
    }

    /// `free`; false: `malloc` did not give this address, or it is free already.
    pub(crate) fn free(&mut self, address: u64) -> bool {
        let mut state = lock(&self.shared.state);
        let allocations = &mut state.device.allocations;
        match allocations.binary_search_by_key(&address, |a| a.base) {
            Ok(index) if allocations[index].heap => {
                allocations.remove(index);
                state.changes.push(Change::Remove(address));
                self.shared.changed.store(state.changes.len(), SeqCst);
                true
            }
            _ => false,
        }
    }

    /// The addresses that a multimem address stands for.
    pub(crate) fn replicas(&self, address: u64) -> Option<Vec<u64>> {
        lock(&self.shared.state).device.replicas(address)
    }

    /// Which allocation an address is nearest to, in words.
    pub(crate) fn describe(&self, address: u64) -> String {
        lock(&self.shared.state).device.describe(address)
    }

    /// Held while a value of more than 8 bytes is read or written that must stay whole; nothing with one host thread.
    pub(crate) fn whole(&self) -> Option<MutexGuard<'s, ()>> {
        self.shared.contended.then(|| lock(&self.shared.wide))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Words that stay: a host's.
    fn words(count: usize) -> &'static [AtomicU64] {
        Vec::leak(zeros(count).expect("a few words"))
    }

    #[test]
    fn memory_of_the_host_overlaps_no_other_and_is_shared() {
        let mut device = Device::new();
        let high = 0x7fff_0000_0000;
        let held = words(8);
        device.map_host(high, held).expect("it is free");
        for (start, count) in [(high, 1), (high + 56, 1), (high - 8, 2), (0x1000, 1)] {
            assert!(
                device.map_host(start, words(count)).is_err(),
                "{count} words at {start:#x}"
            );
        }
        // What the device chooses is below, and found among the others.
        let own = device.allocate(16, 16);
        device.map_host(high + 64, words(1)).expect("it follows");
        for (address, byte) in [(own, 1), (high, 2), (high + 64, 3)] {
            device.write(address, &[byte; 8]).expect("it is there");
        }
        assert_eq!(device.read(own, 8), Ok(vec![1; 8]));
        assert_eq!(held[0].load(Relaxed), u64::from_le_bytes([2; 8]));
        held[1].store(7, Relaxed);
        assert_eq!(device.read(high + 8, 1), Ok(vec![7]));
        device.free(high).expect("it is allocated");
        assert!(device.read(high, 8).is_err());
    }

    #[test]
    fn what_is_behind_an_allocation_up_to_its_unit_is_read_and_not_written() {
        let mut device = Device::new();
        let start = device.allocate_padded(4, 512, 512).expect("a little");
        let shared = Shared::start(&mut device, false, 1);
        let mut memory = shared.view();
        let (block, offset) = memory.find(start + 508).expect("it is of the unit");
        assert_eq!(block.load(offset, 4, false), Ok(0));
        assert_eq!(block.load(offset, 8, false), Err(Miss::OutOfBounds));
        assert_eq!(block.store(4, 4, 1), Err(Miss::OutOfBounds));
        assert_eq!(block.update(4, 4, false, |old| old), Err(Miss::OutOfBounds));
        let addresses = std::array::from_fn(|lane| start + 4 * lane as u64);
        let loaded = block.gather::<1>(Shape::Consecutive, start, &addresses, u32::MAX, 4, false);
        assert_eq!(loaded, Some([[0; 32]]));
        let values = [0; 32];
        assert!(!block.scatter(Shape::Consecutive, start, &addresses, u32::MAX, 4, [&values]));
        assert!(memory.find(start + 512).is_none());
        drop(memory);
        // The host's copies end where the allocation does.
        device = shared.finish();
        assert!(device.read(start, 4).is_ok() && device.read(start, 5).is_err());
        assert!(device.write(start + 4, &[1]).is_err());
        assert_eq!(device.allocate_padded(1 << 40, 512, 1 << 40), None);
    }
}
