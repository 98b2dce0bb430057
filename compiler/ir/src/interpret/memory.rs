//! Memory: regions of bytes at addresses. A byte is a number or poison; nothing else is remembered of what was stored.

use std::collections::BTreeMap;

use super::Stop;
use super::value::{Datum, LARGEST as LARGEST_VALUE, scalar_bits};
use crate::context::Context;
use crate::integer::Integer;
use crate::types::{AddressSpace, Type};

/// Where shared memory begins as the generic address space sees it. In its own address space it begins at 0.
pub const SHARED_WINDOW: u64 = 0x1_0000_0000;
/// Where the memory of a thread begins as the generic address space sees it. In its own address space it begins at 0.
pub const LOCAL_WINDOW: u64 = 0x2_0000_0000;
/// The size of the windows in bytes.
const WINDOW: u64 = 0x1_0000_0000;
/// Where variables begin.
const VARIABLES: u64 = 0x10_0000_0000;
/// Where memory that is allocated later begins: the same address however many variables there are.
const HEAP: u64 = 0x20_0000_0000;
/// How far apart regions are at least, so that an overrun of one does not reach the next.
const GAP: u64 = 256;
/// The most bytes of a region.
const LARGEST: u64 = 1 << 28;

/// Bytes without holes. `None`: poison.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Region {
    bytes: Vec<Option<u8>>,
}

impl Region {
    /// So many bytes of poison.
    pub fn poison(size: u64) -> Region {
        Region {
            bytes: vec![None; size.min(LARGEST) as usize],
        }
    }

    /// Bytes of these values.
    pub fn of(bytes: &[u8]) -> Region {
        Region {
            bytes: bytes.iter().map(|&byte| Some(byte)).collect(),
        }
    }

    /// The bytes.
    pub fn bytes(&self) -> &[Option<u8>] {
        &self.bytes
    }

    /// How many bytes.
    pub fn len(&self) -> u64 {
        self.bytes.len() as u64
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    pub(super) fn grow(&mut self, size: u64) -> bool {
        if size > LARGEST {
            return false;
        }
        if size > self.len() {
            self.bytes.resize(size as usize, None);
        }
        true
    }

    fn slice(&mut self, offset: u64, size: u64) -> Option<&mut [Option<u8>]> {
        let start = usize::try_from(offset).ok()?;
        self.bytes
            .get_mut(start..start.checked_add(usize::try_from(size).ok()?)?)
    }
}

/// The memory that all threads see.
#[derive(Clone, Debug)]
pub(super) struct Memory {
    regions: BTreeMap<u64, Region>,
    next: u64,
}

impl Memory {
    pub(super) fn new() -> Memory {
        Memory {
            regions: BTreeMap::new(),
            next: VARIABLES,
        }
    }

    /// Gives a region a place.
    pub(super) fn allocate(&mut self, region: Region) -> u64 {
        let address = self.next;
        self.next = (address + region.len() + GAP).next_multiple_of(GAP);
        self.regions.insert(address, region);
        address
    }

    /// Variables are all in their places.
    pub(super) fn begin_heap(&mut self) {
        self.next = self.next.max(HEAP);
    }

    pub(super) fn region(&self, address: u64) -> Option<&Region> {
        self.regions.get(&address)
    }

    fn slice(&mut self, address: u64, size: u64) -> Option<&mut [Option<u8>]> {
        let (start, region) = self.regions.range_mut(..=address).next_back()?;
        region.slice(address - start, size)
    }
}

/// The memory that one thread sees.
pub(super) struct View<'v> {
    pub(super) memory: &'v mut Memory,
    pub(super) shared: &'v mut Region,
    pub(super) local: &'v mut Region,
}

impl View<'_> {
    /// The bytes at an address.
    pub(super) fn slice(&mut self, space: AddressSpace, address: u64, size: u64) -> Result<&mut [Option<u8>], Stop> {
        let fault = Stop::Access { space, address, size };
        let slice = match space {
            AddressSpace::SHARED | AddressSpace::SHARED_CLUSTER => self.shared.slice(address, size),
            AddressSpace::LOCAL => self.local.slice(address, size),
            AddressSpace::GENERIC if (SHARED_WINDOW..SHARED_WINDOW + WINDOW).contains(&address) => {
                self.shared.slice(address - SHARED_WINDOW, size)
            }
            AddressSpace::GENERIC if (LOCAL_WINDOW..LOCAL_WINDOW + WINDOW).contains(&address) => {
                self.local.slice(address - LOCAL_WINDOW, size)
            }
            _ => self.memory.slice(address, size),
        };
        slice.ok_or(fault)
    }

    pub(super) fn load(
        &mut self,
        context: &Context,
        space: AddressSpace,
        address: u64,
        ty: Type,
    ) -> Result<Datum, Stop> {
        if context.size(ty) > LARGEST_VALUE {
            return Err(Stop::unsupported("a value of this size"));
        }
        let bytes = self.slice(space, address, context.store_size(ty))?;
        Ok(decode(context, ty, bytes))
    }

    pub(super) fn store(
        &mut self,
        context: &Context,
        space: AddressSpace,
        address: u64,
        ty: Type,
        value: &Datum,
    ) -> Result<(), Stop> {
        let bytes = self.slice(space, address, context.store_size(ty))?;
        encode(context, ty, value, bytes);
        Ok(())
    }
}

/// The value of a type that bytes are.
pub(super) fn decode(context: &Context, ty: Type, bytes: &[Option<u8>]) -> Datum {
    if let Type::Vector(vector) = ty {
        let parts = context.vector_parts(vector);
        let width = context.bit_size(parts.element);
        if !width.is_multiple_of(8) {
            // Lanes of odd widths are packed bit by bit.
            let whole = whole(context.bit_size(ty) as u32, bytes);
            let lane = |index: u64| match &whole {
                Some(bits) => Datum::Bits(bits.shift_right((index * width) as u32).truncate(width as u32)),
                None => Datum::Poison,
            };
            return Datum::Composite((0..parts.length).map(lane).collect());
        }
    }
    match context.element_count(ty) {
        Some(count) => {
            let part = |index| {
                let Some(element) = context.element(ty, index) else {
                    return Datum::Poison;
                };
                let start = context.offset_of(ty, index) as usize;
                let end = start + context.store_size(element) as usize;
                bytes
                    .get(start..end)
                    .map_or(Datum::Poison, |bytes| decode(context, element, bytes))
            };
            Datum::Composite((0..count).map(part).collect())
        }
        None => whole(scalar_bits(context, ty), bytes).map_or(Datum::Poison, Datum::Bits),
    }
}

fn whole(bits: u32, bytes: &[Option<u8>]) -> Option<Integer> {
    let bytes: Option<Vec<u8>> = bytes.iter().copied().collect();
    Some(Integer::from_bytes(bits, &bytes?))
}

/// Writes a value of a type. Padding becomes poison.
pub(super) fn encode(context: &Context, ty: Type, value: &Datum, bytes: &mut [Option<u8>]) {
    bytes.fill(None);
    match (value, context.element_count(ty)) {
        (Datum::Composite(lanes), Some(_))
            if ty.is_vector() && !context.bit_size(context.scalar(ty)).is_multiple_of(8) =>
        {
            let width = context.bit_size(context.scalar(ty)) as u32;
            let total = context.bit_size(ty) as u32;
            let parts = lanes
                .iter()
                .enumerate()
                .map(|(index, lane)| Some(lane.bits()?.zero_extend(total).shift_left(index as u32 * width)));
            let whole = parts
                .into_iter()
                .try_fold(Integer::zero(total), |sum, part| Some(sum.or(&part?)));
            write(whole.as_ref(), bytes);
        }
        (Datum::Composite(elements), Some(_)) => {
            for (index, value) in elements.iter().enumerate() {
                let Some(element) = context.element(ty, index as u64) else {
                    continue;
                };
                let start = context.offset_of(ty, index as u64) as usize;
                let end = start + context.store_size(element) as usize;
                if let Some(bytes) = bytes.get_mut(start..end) {
                    encode(context, element, value, bytes);
                }
            }
        }
        (scalar, _) => write(scalar.bits(), bytes),
    }
}

fn write(value: Option<&Integer>, bytes: &mut [Option<u8>]) {
    let Some(value) = value else { return };
    bytes
        .iter_mut()
        .zip(value.to_bytes())
        .for_each(|(slot, byte)| *slot = Some(byte));
}
