//! Textures, samplers and surfaces that a cubin names, and the tables by which it asks what they are.
//!
//! A name is a symbol without a place. Kernels have a word behind their parameters in constant bank 0 for each that they use, which the loader fills in
//! with the number of what is bound; up to sm_89 the word of a texture has the number of a sampler above it, perhaps of another name. What `TXQ` cannot
//! tell the code reads from tables in memory, whose addresses are in bank 0; symbols of the system give the size of their rows. (Observed, ptxas 13.0.88.)

use warpsmith_cubin::{Cubin, InfoValue, Relocation, SectionKind};

use crate::{
    Device, Fault,
    texture::{AddressMode, Filter, Kind, Query, Registry, Sampler, SamplerQuery},
};

/// Bytes of a row of the tables. The place of a row is its number times this in 32 bits, in which the upper part of a handle must vanish.
const ROW_BYTES: u64 = 1 << 12;

/// How a file's textures get their samplers, which the rows of textures follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Unified,
    Independent,
}

/// The symbols that stand for the bytes of a row.
const ROW_SIZES: &[(&str, Option<Mode>)] = &[
    (".nv.unified.texrefDescSize", Some(Mode::Unified)),
    (".nv.independent.texrefDescSize", Some(Mode::Independent)),
    (".nv.independent.samplerrefDescSize", None),
    (".nv.surfrefDescSize", None),
];

/// The columns of a row of textures: byte offset, what it tells.
const UNIFIED: &[(usize, Query)] = &[
    (0x20, Query::ChannelDataType),
    (0x24, Query::ChannelOrder),
    (0x28, Query::ArraySize),
    (0x2c, Query::MipLevels),
    (0x30, Query::Samples),
];
/// The same of their samplers.
const UNIFIED_SAMPLER: &[(usize, SamplerQuery)] = &[
    (0x0c, SamplerQuery::AddressMode(0)),
    (0x10, SamplerQuery::AddressMode(1)),
    (0x14, SamplerQuery::AddressMode(2)),
    (0x18, SamplerQuery::FilterMode),
    (0x1c, SamplerQuery::NormalisedCoordinates),
];
/// The columns of a row of textures that have samplers of their own.
const INDEPENDENT: &[(usize, Query)] = &[
    (0x10, Query::ChannelDataType),
    (0x14, Query::ChannelOrder),
    (0x18, Query::ArraySize),
    (0x1c, Query::MipLevels),
    (0x20, Query::Samples),
];
/// The same of the sampler that belongs to the texture.
const INDEPENDENT_SAMPLER: &[(usize, SamplerQuery)] = &[(0x0c, SamplerQuery::NormalisedCoordinates)];
/// The columns of a row of samplers.
const SAMPLER: &[(usize, SamplerQuery)] = &[
    (0x00, SamplerQuery::AddressMode(0)),
    (0x04, SamplerQuery::AddressMode(1)),
    (0x08, SamplerQuery::AddressMode(2)),
    (0x0c, SamplerQuery::FilterMode),
    (0x10, SamplerQuery::ForceUnnormalised),
];
/// The columns of a row of surfaces.
const SURFACE: &[(usize, Query)] = &[
    (0x0c, Query::ChannelDataType),
    (0x10, Query::ChannelOrder),
    (0x14, Query::MemoryLayout),
    (0x1c, Query::ArraySize),
];

/// The value of a symbol of the system that tells how many bytes a row has.
pub(super) fn row_bytes(symbol: &str) -> Option<u64> {
    let known = ROW_SIZES.iter().any(|(name, _)| *name == symbol);
    known.then_some(ROW_BYTES)
}

/// A variable of an opaque type.
#[derive(Clone, Debug)]
struct Named {
    name: String,
    symbol: u32,
    /// Where the emulator keeps what is bound to it: 8 bytes.
    address: u64,
}

/// A word of a kernel's bank 0 that a launch fills in.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Slot {
    kernel: String,
    offset: u32,
    /// Only the number of the sampler, above that of the texture.
    upper: bool,
    /// Where the handle is.
    address: u64,
}

/// What a cubin names.
#[derive(Debug, Default)]
pub(super) struct Images {
    named: Vec<Named>,
    slots: Vec<Slot>,
    /// The file reads the tables.
    tables: bool,
    mode: Option<Mode>,
}

/// What a launch needs of it.
#[derive(Debug, Default)]
pub(crate) struct Bound {
    /// Words of bank 0 by their offsets.
    pub(crate) words: Vec<(u32, u32)>,
    /// The addresses of the tables of textures, samplers and surfaces.
    pub(crate) tables: [u64; 3],
    /// The memory of the tables, which is given back after the launch.
    memory: Option<u64>,
}

/// What stands in a row, by offset in bytes.
type Columns<Q> = &'static [(usize, Q)];

impl Images {
    /// Gives each name a place for its handle.
    pub(super) fn of(device: &mut Device, cubin: &Cubin) -> Result<Images, Fault> {
        let mut images = Images::default();
        for (number, symbol) in (0_u32..).zip(cubin.symbols()) {
            let opaque = ["STT_CUDA_TEXTURE", "STT_CUDA_SAMPLER", "STT_CUDA_SURFACE"];
            if symbol.symbol_type.name().is_some_and(|name| opaque.contains(&name)) {
                images.named.push(Named {
                    name: symbol.name.clone(),
                    symbol: number,
                    address: device.allocate(8, 8),
                });
            }
            if let Some((_, mode)) = ROW_SIZES.iter().find(|(name, _)| *name == symbol.name) {
                images.tables = true;
                images.mode = images.mode.or(*mode);
            }
        }
        images.initialise(device, cubin)?;
        Ok(images)
    }

    /// Samplers have initial values.
    fn initialise(&self, device: &mut Device, cubin: &Cubin) -> Result<(), Fault> {
        let Some((section, _)) = cubin.section_by_name(".nv.info") else {
            return Ok(());
        };
        let records = cubin.info_records(section).unwrap_or_default();
        let mut unnormalised = Vec::new();
        for record in records {
            let InfoValue::Sized(bytes) = &record.value else {
                continue;
            };
            let (Some(symbol), Some(value)) = (word_at(bytes, 0), word_at(bytes, 4)) else {
                continue;
            };
            match record.attribute.name() {
                Some("EIATTR_SAMPLER_FORCE_UNNORMALIZED") if value != 0 => unnormalised.push(symbol),
                Some("EIATTR_SAMPLER_INIT") => {
                    let Some(named) = self.named.iter().find(|named| named.symbol == symbol) else {
                        continue;
                    };
                    let sampler = initial(value.to_le_bytes(), !unnormalised.contains(&symbol));
                    let handle = device.create_sampler(sampler)?;
                    device.write(named.address, &handle.to_le_bytes())?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// A relocation that asks for what is bound to a name.
    pub(super) fn relocation(&mut self, kind: SectionKind<'_>, relocation: &Relocation) {
        let named = self.named.iter().find(|named| named.symbol == relocation.symbol);
        let (
            SectionKind::Constant {
                bank: 0,
                function: Some(kernel),
            },
            Some(named),
        ) = (kind, named)
        else {
            return;
        };
        let name = relocation.relocation_type.row().map_or("", |row| row.name);
        self.slots.push(Slot {
            kernel: kernel.to_string(),
            offset: u32::try_from(relocation.offset).unwrap_or(u32::MAX),
            upper: name == "R_CUDA_SAMP_HEADER_INDEX",
            address: named.address,
        });
    }

    /// The variables with the places of their handles.
    pub(super) fn variables(&self) -> impl Iterator<Item = (String, (u64, u64))> + '_ {
        self.named.iter().map(|named| (named.name.clone(), (named.address, 8)))
    }

    /// What a launch of a kernel finds.
    pub(super) fn bind(&self, device: &mut Device, kernel: &str) -> Result<Bound, Fault> {
        let mut bound = Bound::default();
        let mut own: Vec<&Slot> = self.slots.iter().filter(|slot| slot.kernel == kernel).collect();
        // The number of a sampler of its own takes the place of that of the texture.
        own.sort_by_key(|slot| slot.upper);
        for slot in own {
            let bytes = device.read(slot.address, 8)?;
            let handle = word_at(&bytes, 0).unwrap_or(0);
            let found = bound.words.iter_mut().find(|(offset, _)| *offset == slot.offset);
            match (found, slot.upper) {
                (Some((_, word)), true) => *word = *word & 0xf_ffff | handle & 0xfff0_0000,
                (Some((_, word)), false) => *word = handle,
                (None, true) => bound.words.push((slot.offset, handle & 0xfff0_0000)),
                (None, false) => bound.words.push((slot.offset, handle)),
            }
        }
        if self.tables {
            self.make_tables(device, &mut bound)?;
        }
        Ok(bound)
    }

    fn make_tables(&self, device: &mut Device, bound: &mut Bound) -> Result<(), Fault> {
        let registry = std::sync::Arc::clone(&device.textures);
        let [headers, samplers] = registry.numbers();
        let rows = headers.len() + samplers.len();
        let memory = device.allocate((rows as u64 * ROW_BYTES).max(8), 256);
        bound.memory = Some(memory);
        let at = |first: u64, from: u64| first.wrapping_sub(from * ROW_BYTES);
        let first_sampler = memory + headers.len() as u64 * ROW_BYTES;
        let header_table = at(memory, u64::from(headers.start));
        bound.tables = [header_table, at(first_sampler, u64::from(samplers.start)), header_table];
        for number in headers.chain(samplers) {
            let mut row = [0; 0x40];
            self.row(&registry, number, &mut row);
            let table = match number < registry.numbers()[0].start {
                true => bound.tables[1],
                false => header_table,
            };
            device.write(table.wrapping_add(u64::from(number) * ROW_BYTES), &row)?;
        }
        Ok(())
    }

    /// A row of a table.
    fn row(&self, registry: &Registry, number: u32, row: &mut [u8; 0x40]) {
        let handle = registry.handle(number);
        let (columns, sampler): (Columns<Query>, Columns<SamplerQuery>) = match (registry.kind_of(handle), self.mode) {
            (Some(Kind::Texture), Some(Mode::Independent)) => (INDEPENDENT, INDEPENDENT_SAMPLER),
            (Some(Kind::Texture), _) => (UNIFIED, UNIFIED_SAMPLER),
            (Some(Kind::Surface), _) => (SURFACE, &[]),
            (Some(Kind::Sampler), _) => (&[], SAMPLER),
            (None, _) => (&[], &[]),
        };
        let mut put = |offset: usize, value: u32| row[offset..offset + 4].copy_from_slice(&value.to_le_bytes());
        for (offset, query) in columns {
            put(*offset, registry.query(handle, *query, 0).unwrap_or(0));
        }
        for (offset, query) in sampler {
            put(*offset, registry.sampler(handle).map_or(0, |own| query.answer(own)));
        }
    }
}

impl Bound {
    /// Gives the memory of the tables back.
    pub(super) fn release(&self, device: &mut Device) -> Result<(), Fault> {
        self.memory.map_or(Ok(()), |memory| device.free(memory).map(|_| ()))
    }
}

fn word_at(bytes: &[u8], at: usize) -> Option<u32> {
    let bytes = bytes.get(at..at + 4)?;
    Some(bytes.iter().rev().fold(0, |word, byte| word << 8 | u32::from(*byte)))
}

/// The sampler of an `EIATTR_SAMPLER_INIT`: address modes of x, y and z and the filter, 0xff being none.
fn initial([x, y, z, filter]: [u8; 4], normalised: bool) -> Sampler {
    let mode = |number| match number {
        0 => AddressMode::Wrap,
        1 => AddressMode::Mirror,
        4 => AddressMode::ClampToBorder,
        _ => AddressMode::ClampToEdge,
    };
    Sampler {
        normalised,
        address: [x, y, z].map(mode),
        filter: match filter {
            1 => Filter::Linear,
            _ => Filter::Point,
        },
        ..Sampler::default()
    }
}
