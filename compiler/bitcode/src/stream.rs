//! The bitstream: nested blocks of records, whatever these mean.
//!
//! A record is a code and numbers, perhaps with bytes behind them. How it is packed into bits, by which abbreviation, is of no interest to who reads it.

use std::ops::Range;

use rustc_hash::FxHashMap;

use crate::fault::{Fault, Result};

/// How deep blocks may be nested.
const DEEPEST: usize = 32;

/// The widest abbreviation number, and number within a record.
const WIDEST_NUMBER: u32 = 32;
const WIDEST_VALUE: u32 = 64;

/// The most operands of an abbreviation.
const MOST_PARTS: u64 = 1 << 12;

/// The numbers of what the stream itself gives a meaning: in each block, and the block that describes others.
mod own {
    pub(super) const END_BLOCK: u64 = 0;
    pub(super) const ENTER_BLOCK: u64 = 1;
    pub(super) const DEFINE_ABBREVIATION: u64 = 2;
    pub(super) const UNABBREVIATED: u64 = 3;
    pub(super) const BLOCK_INFO: u32 = 0;
    pub(super) const SET_BLOCK: u64 = 1;
}

/// A block.
#[derive(Clone, Debug)]
pub(crate) struct Block {
    pub(crate) id: u32,
    pub(crate) bit: u64,
    pub(crate) items: Vec<Item>,
}

/// What stands in a block.
#[derive(Clone, Debug)]
pub(crate) enum Item {
    Block(Block),
    Record(Record),
}

/// A record. Its numbers and bytes are in the [`Stream`].
#[derive(Clone, Debug)]
pub(crate) struct Record {
    pub(crate) code: u32,
    pub(crate) bit: u64,
    numbers: Range<u32>,
    blob: Range<u32>,
}

/// A bitstream that has been taken apart.
#[derive(Debug)]
pub(crate) struct Stream<'s> {
    bytes: &'s [u8],
    numbers: Vec<u64>,
    /// The blocks at the top.
    pub(crate) blocks: Vec<Block>,
}

impl Stream<'_> {
    /// The numbers of a record.
    pub(crate) fn numbers(&self, record: &Record) -> &[u64] {
        let range = record.numbers.start as usize..record.numbers.end as usize;
        self.numbers.get(range).unwrap_or_default()
    }

    /// The bytes behind the numbers of a record.
    pub(crate) fn blob(&self, record: &Record) -> &[u8] {
        let range = record.blob.start as usize..record.blob.end as usize;
        self.bytes.get(range).unwrap_or_default()
    }
}

/// How one operand is packed.
#[derive(Clone, Copy, Debug)]
enum Packing {
    /// It is always this.
    Always(u64),
    /// So many bits.
    Fixed(u32),
    /// Groups of so many bits, of which one says whether another follows.
    Variable(u32),
    /// A letter, digit, point or underscore.
    Letter,
}

/// How a record is packed: its scalars, and what follows them.
#[derive(Clone, Debug)]
struct Abbreviation {
    scalars: Vec<Packing>,
    rest: Rest,
}

#[derive(Clone, Copy, Debug)]
enum Rest {
    Nothing,
    Array(Packing),
    Blob,
}

/// Takes a stream apart. It begins at a whole number of 32 bits.
///
/// # Errors
/// That it ends early, or that a record is packed as none can be.
pub(crate) fn read(bytes: &[u8], start: usize) -> Result<Stream<'_>> {
    let mut reader = Reader {
        bytes,
        start: start as u64 * 8,
        bit: start as u64 * 8,
        described: FxHashMap::default(),
        numbers: Vec::with_capacity(bytes.len()),
    };
    let mut blocks = Vec::new();
    // Files may be filled up with zeros.
    while reader.left() >= 64 && !reader.only_zeros_follow() {
        let bit = reader.bit;
        if reader.fixed(2)? != own::ENTER_BLOCK {
            return Err(Fault::new(bit, "no block starts where one should"));
        }
        if let Some(block) = reader.block(0)? {
            blocks.push(block);
        }
    }
    Ok(Stream {
        bytes,
        numbers: reader.numbers,
        blocks,
    })
}

struct Reader<'s> {
    bytes: &'s [u8],
    /// The first bit of the stream: what is aligned is so from there on.
    start: u64,
    bit: u64,
    /// The abbreviations that a block of a number begins with.
    described: FxHashMap<u32, Vec<Abbreviation>>,
    numbers: Vec<u64>,
}

impl Reader<'_> {
    fn left(&self) -> u64 {
        (self.bytes.len() as u64 * 8).saturating_sub(self.bit)
    }

    fn only_zeros_follow(&self) -> bool {
        let from = usize::try_from(self.bit / 8).unwrap_or(usize::MAX);
        let rest = self.bytes.get(from..).unwrap_or_default();
        // What is no fill is seen at once.
        rest.iter().take(64).all(|&byte| byte == 0) && rest.iter().all(|&byte| byte == 0)
    }

    fn ended(&self) -> Box<Fault> {
        Fault::new(self.bit, "the file ends within a record")
    }

    /// So many bits, at most 64.
    fn fixed(&mut self, width: u32) -> Result<u64> {
        if self.left() < u64::from(width) {
            return Err(self.ended());
        }
        let at = (self.bit / 8) as usize;
        if width <= 56
            && let Some(Ok(word)) = self.bytes.get(at..at + 8).map(<[u8; 8]>::try_from)
        {
            let word = u64::from_le_bytes(word) >> (self.bit % 8);
            self.bit += u64::from(width);
            return Ok(word & ((1 << width) - 1));
        }
        let (mut value, mut got) = (0, 0);
        while got < width {
            let byte = self.bytes[(self.bit / 8) as usize];
            let offset = (self.bit % 8) as u32;
            let take = (8 - offset).min(width - got);
            let part = u64::from(byte >> offset) & ((1 << take) - 1);
            value |= part << got;
            got += take;
            self.bit += u64::from(take);
        }
        Ok(value)
    }

    fn variable(&mut self, width: u32) -> Result<u64> {
        let bit = self.bit;
        let (mut value, mut shift) = (0u64, 0u32);
        let more = 1u64 << (width - 1);
        loop {
            let group = self.fixed(width)?;
            let part = group & (more - 1);
            if part != 0 && (shift >= 64 || part.leading_zeros() < shift) {
                return Err(Fault::new(bit, "a number has more than 64 bits"));
            }
            value |= part.checked_shl(shift).unwrap_or(0);
            if group & more == 0 {
                return Ok(value);
            }
            shift += width - 1;
            if shift > 128 {
                return Err(Fault::new(bit, "a number has more than 64 bits"));
            }
        }
    }

    fn align(&mut self) -> Result<()> {
        let over = (self.bit - self.start) % 32;
        if over != 0 {
            self.fixed((32 - over) as u32)?;
        }
        Ok(())
    }

    /// A block, behind what says that it starts. What describes others gives none.
    fn block(&mut self, depth: usize) -> Result<Option<Block>> {
        let bit = self.bit;
        let id = self.variable(8)?;
        let id = u32::try_from(id).map_err(|_| Fault::new(bit, "blocks have numbers of 32 bits"))?;
        let width = self.variable(4)? as u32;
        if !(2..=WIDEST_NUMBER).contains(&width) {
            return Err(Fault::new(
                bit,
                format!("block {id}: numbers of abbreviations cannot have {width} bits"),
            ));
        }
        self.align()?;
        let words = self.fixed(32)?;
        if self.left() / 32 < words {
            return Err(Fault::new(
                bit,
                format!("block {id} has {words} words, and the file ends before"),
            ));
        }
        if depth >= DEEPEST {
            return Err(Fault::new(bit, format!("blocks are nested deeper than {DEEPEST}")));
        }
        if id == own::BLOCK_INFO {
            self.describe(width)?;
            return Ok(None);
        }
        let mut abbreviations = self.described.get(&id).cloned().unwrap_or_default();
        let mut items = Vec::new();
        loop {
            let bit = self.bit;
            match self.fixed(width)? {
                own::END_BLOCK => {
                    self.align()?;
                    return Ok(Some(Block { id, bit, items }));
                }
                own::ENTER_BLOCK => items.extend(self.block(depth + 1)?.map(Item::Block)),
                own::DEFINE_ABBREVIATION => abbreviations.push(self.abbreviation()?),
                own::UNABBREVIATED => items.push(Item::Record(self.plain_record(bit)?)),
                number => {
                    let known = usize::try_from(number - 4).ok();
                    let Some(abbreviation) = known.and_then(|index| abbreviations.get(index)) else {
                        return Err(Fault::new(bit, format!("block {id} has no abbreviation {number}")));
                    };
                    items.push(Item::Record(self.packed_record(bit, abbreviation)?));
                }
            }
        }
    }

    /// The block that gives others abbreviations to begin with.
    fn describe(&mut self, width: u32) -> Result<()> {
        let mut current = None;
        loop {
            let bit = self.bit;
            match self.fixed(width)? {
                own::END_BLOCK => return self.align(),
                own::ENTER_BLOCK => return Err(Fault::new(bit, "a block within the description of blocks")),
                own::DEFINE_ABBREVIATION => {
                    let abbreviation = self.abbreviation()?;
                    let Some(id) = current else {
                        return Err(Fault::new(bit, "an abbreviation for no block"));
                    };
                    self.described.entry(id).or_default().push(abbreviation);
                }
                own::UNABBREVIATED => {
                    let record = self.plain_record(bit)?;
                    let first = self.numbers.get(record.numbers.start as usize).copied();
                    // Names of blocks and records are for people.
                    if u64::from(record.code) == own::SET_BLOCK {
                        current = first.and_then(|id| u32::try_from(id).ok());
                    }
                    self.numbers.truncate(record.numbers.start as usize);
                }
                number => return Err(Fault::new(bit, format!("no abbreviation {number} describes blocks"))),
            }
        }
    }

    fn abbreviation(&mut self) -> Result<Abbreviation> {
        let bit = self.bit;
        let count = self.variable(5)?;
        if count > MOST_PARTS {
            return Err(Fault::new(
                bit,
                format!("an abbreviation has at most {MOST_PARTS} operands here"),
            ));
        }
        let mut made = Abbreviation {
            scalars: Vec::new(),
            rest: Rest::Nothing,
        };
        let mut index = 0;
        while index < count {
            index += 1;
            match self.packing()? {
                Part::Scalar(packing) => made.scalars.push(packing),
                Part::Array if index + 1 == count => match self.packing()? {
                    Part::Scalar(element) => {
                        index += 1;
                        made.rest = Rest::Array(element);
                    }
                    Part::Array | Part::Blob => return Err(Fault::new(bit, "elements of an array are scalars")),
                },
                Part::Blob if index == count => made.rest = Rest::Blob,
                Part::Array | Part::Blob => {
                    return Err(Fault::new(bit, "an array or bytes stand last in an abbreviation"));
                }
            }
        }
        if made.scalars.is_empty() && !matches!(made.rest, Rest::Array(_)) {
            return Err(Fault::new(bit, "an abbreviation begins with the code of the record"));
        }
        Ok(made)
    }

    fn packing(&mut self) -> Result<Part> {
        let bit = self.bit;
        if self.fixed(1)? == 1 {
            return Ok(Part::Scalar(Packing::Always(self.variable(8)?)));
        }
        let kind = self.fixed(3)?;
        let wide = |reader: &mut Self| -> Result<u32> {
            match reader.variable(5)? {
                width if width <= u64::from(WIDEST_VALUE) => Ok(width as u32),
                width => Err(Fault::new(bit, format!("a number cannot be packed in {width} bits"))),
            }
        };
        Ok(match kind {
            // Of no bits: always zero.
            1 => match wide(self)? {
                0 => Part::Scalar(Packing::Always(0)),
                width => Part::Scalar(Packing::Fixed(width)),
            },
            2 => match wide(self)? {
                0 => Part::Scalar(Packing::Always(0)),
                1 => return Err(Fault::new(bit, "groups of one bit hold nothing")),
                width => Part::Scalar(Packing::Variable(width)),
            },
            3 => Part::Array,
            4 => Part::Scalar(Packing::Letter),
            5 => Part::Blob,
            _ => return Err(Fault::new(bit, format!("there is no packing {kind}"))),
        })
    }

    fn scalar(&mut self, packing: Packing) -> Result<u64> {
        const LETTERS: &[u8; 64] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._";
        match packing {
            Packing::Always(value) => Ok(value),
            Packing::Fixed(width) => self.fixed(width),
            Packing::Variable(width) => self.variable(width),
            Packing::Letter => Ok(u64::from(LETTERS[self.fixed(6)? as usize])),
        }
    }

    fn plain_record(&mut self, bit: u64) -> Result<Record> {
        let code = self.variable(6)?;
        let count = self.variable(6)?;
        self.fits(bit, count, 6)?;
        let start = self.numbers.len();
        for _ in 0..count {
            let number = self.variable(6)?;
            self.numbers.push(number);
        }
        self.record(bit, code, start, 0..0)
    }

    /// Refuses a list that is longer than the rest of the file.
    fn fits(&self, bit: u64, count: u64, width: u64) -> Result<()> {
        match count.checked_mul(width).is_some_and(|bits| bits <= self.left()) {
            true => Ok(()),
            false => Err(Fault::new(
                bit,
                format!("a record has {count} numbers, and the file ends before"),
            )),
        }
    }

    fn packed_record(&mut self, bit: u64, abbreviation: &Abbreviation) -> Result<Record> {
        let start = self.numbers.len();
        for &packing in &abbreviation.scalars {
            let number = self.scalar(packing)?;
            self.numbers.push(number);
        }
        let mut blob = 0..0;
        match abbreviation.rest {
            Rest::Nothing => {}
            Rest::Array(element) => {
                let count = self.variable(6)?;
                let width = match element {
                    // Elements that take no room could be as many as one likes.
                    Packing::Always(_) => 1,
                    Packing::Fixed(width) | Packing::Variable(width) => u64::from(width),
                    Packing::Letter => 6,
                };
                self.fits(bit, count, width)?;
                for _ in 0..count {
                    let number = self.scalar(element)?;
                    self.numbers.push(number);
                }
            }
            Rest::Blob => {
                let length = self.variable(6)?;
                self.align()?;
                self.fits(bit, length, 8)?;
                let from = (self.bit / 8) as u32;
                blob = from..from + length as u32;
                self.bit += length * 8;
                self.align()?;
            }
        }
        if self.numbers.len() == start {
            return Err(Fault::new(bit, "a record has no code"));
        }
        let code = self.numbers.remove(start);
        self.record(bit, code, start, blob)
    }

    fn record(&self, bit: u64, code: u64, start: usize, blob: Range<u32>) -> Result<Record> {
        let code = u32::try_from(code).map_err(|_| Fault::new(bit, "records have codes of 32 bits"))?;
        let limit = |index: usize| u32::try_from(index).map_err(|_| Fault::new(bit, "the file is too large"));
        Ok(Record {
            code,
            bit,
            numbers: limit(start)?..limit(self.numbers.len())?,
            blob,
        })
    }
}

/// One part of an abbreviation.
enum Part {
    Scalar(Packing),
    Array,
    Blob,
}
