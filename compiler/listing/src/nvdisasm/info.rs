//! `.nv.info` sections, taken apart.

use super::attribute::{Part, Shape, attribute};

/// A heading above an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Heading {
    /// A record with an attribute of this name.
    Record(&'static str),
    /// An entry of a record.
    Entry(u32),
}

/// What an item shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    /// Format and attribute code.
    Header(u8, u8),
    /// Size of a payload: 2 bytes, then the payload, which ends `size` bytes after them.
    Size(u16),
    /// Symbol index.
    Index(u32),
    /// 4 bytes, 8 digits.
    Word(u32),
    /// 4 bytes, shortest form.
    ShortestWord(u32),
    /// 2 bytes, 4 digits.
    Short(u16),
    /// 2 bytes, shortest form.
    ShortestShort(u16),
    /// 1 byte.
    Byte(u8),
    /// Byte offset in code.
    Code(u32),
    /// Bytes up to this offset in the section.
    BytesTo(usize),
}

/// One line of a `.nv.info` listing (or several, for bytes).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Item {
    /// Byte offset in the section.
    pub offset: usize,
    pub heading: Option<Heading>,
    pub value: Value,
}

/// A section that is no sequence of records: where, and why.
pub(crate) struct BadRecord {
    pub offset: usize,
    pub reason: String,
}

/// Takes a section apart.
pub(crate) fn items(bytes: &[u8]) -> Result<Vec<Item>, BadRecord> {
    let mut reader = Reader {
        bytes,
        at: 0,
        items: Vec::new(),
        heading: None,
    };
    while reader.at < bytes.len() {
        reader.record()?;
    }
    Ok(reader.items)
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    items: Vec<Item>,
    heading: Option<Heading>,
}

impl Reader<'_> {
    fn record(&mut self) -> Result<(), BadRecord> {
        let header = self.take(2)?;
        let (format, code) = (header as u8, (header >> 8) as u8);
        let (name, shape) = attribute(code);
        self.heading = Some(Heading::Record(name));
        self.push(2, Value::Header(format, code));
        match format {
            1 => {
                self.take(2)?;
                self.push(2, Value::BytesTo(self.at));
            }
            2 => {
                let value = self.take(2)?;
                self.at -= 1;
                self.push(1, Value::Byte(value as u8));
                self.at += 1;
                self.push(1, Value::Byte((value >> 8) as u8));
            }
            3 => {
                let value = self.take(2)?;
                self.push(2, Value::Short(value as u16));
            }
            4 => {
                let size = self.take(2)? as u16;
                self.push(2, Value::Size(size));
                self.payload(usize::from(size), name, shape)?;
            }
            _ => {
                return Err(BadRecord {
                    offset: self.at - 2,
                    reason: format!("illegal format {format:#x} of a record"),
                });
            }
        }
        Ok(())
    }

    fn payload(&mut self, size: usize, name: &str, shape: Shape) -> Result<(), BadRecord> {
        let end = self.at + size;
        if end > self.bytes.len() {
            return Err(BadRecord {
                offset: self.at,
                reason: format!("a payload of {size} bytes runs past the section"),
            });
        }
        match shape {
            Shape::Once(parts) => self.parts(parts, end)?,
            Shape::Entries(parts) => {
                let mut count = 0;
                while self.at < end && !parts.is_empty() {
                    let before = self.at;
                    self.heading = Some(Heading::Entry(count));
                    count += 1;
                    self.parts(parts, end)?;
                    // Less is left than the first field of an entry takes.
                    if self.at == before {
                        return Err(BadRecord {
                            offset: self.at,
                            reason: format!("'{name}' runs out of data"),
                        });
                    }
                }
            }
            Shape::WordThenCode => {
                self.parts(&[Part::Word], end)?;
                while self.at + 4 <= end {
                    self.parts(&[Part::Code], end)?;
                }
            }
            Shape::Annotations => {
                self.heading = Some(Heading::Entry(0));
                while self.at + 8 <= end {
                    self.parts(&[Part::Word, Part::Code], end)?;
                }
            }
            Shape::BranchTargets => self.branch_targets(end)?,
        }
        if self.at < end {
            let size = end - self.at;
            self.at = end;
            self.push(size, Value::BytesTo(end));
        }
        Ok(())
    }

    fn parts(&mut self, parts: &[Part], end: usize) -> Result<(), BadRecord> {
        for part in parts {
            let size = match part {
                Part::Index | Part::Word | Part::Code => 4,
                Part::Short => 2,
                Part::Byte => 1,
            };
            if self.at + size > end {
                return Ok(());
            }
            let value = self.take(size)?;
            self.push(
                size,
                match part {
                    Part::Index => Value::Index(value),
                    Part::Word => Value::Word(value),
                    Part::Short => Value::Short(value as u16),
                    Part::Byte => Value::Byte(value as u8),
                    Part::Code => Value::Code(value),
                },
            );
        }
        Ok(())
    }

    fn branch_targets(&mut self, end: usize) -> Result<(), BadRecord> {
        let mut entry = 0;
        while self.at + 12 <= end {
            self.heading = Some(Heading::Entry(entry));
            entry += 1;
            self.parts(&[Part::Code], end)?;
            for _ in 0..2 {
                let value = self.take(2)?;
                self.push(2, Value::ShortestShort(value as u16));
            }
            let count = self.take(4)?;
            self.push(4, Value::ShortestWord(count));
            for _ in 0..count {
                if self.at + 4 > end {
                    return Err(BadRecord {
                        offset: self.at,
                        reason: "a list of branch targets runs past its record".into(),
                    });
                }
                self.parts(&[Part::Code], end)?;
            }
        }
        Ok(())
    }

    /// The next little-endian value of 1, 2 or 4 bytes.
    fn take(&mut self, size: usize) -> Result<u32, BadRecord> {
        let Some(bytes) = self.bytes.get(self.at..self.at + size) else {
            return Err(BadRecord {
                offset: self.at,
                reason: "the section ends inside a record".into(),
            });
        };
        self.at += size;
        Ok(bytes.iter().rev().fold(0, |value, &byte| value << 8 | u32::from(byte)))
    }

    /// Adds an item for the `size` bytes before the present place.
    fn push(&mut self, size: usize, value: Value) {
        self.items.push(Item {
            offset: self.at - size,
            heading: self.heading.take(),
            value,
        });
    }
}

/// The places that `EIATTR_ANNOTATIONS` records mark as spills and refills.
pub(crate) fn spills(items: &[Item]) -> Vec<u32> {
    const SPILL_REFILL: u32 = 1;
    let (name, _) = attribute(0x55);
    let mut annotations = false;
    let mut places = Vec::new();
    for pair in items.windows(2) {
        if let Some(Heading::Record(record)) = pair[0].heading {
            annotations = record == name;
        }
        if let (true, Value::Word(SPILL_REFILL), Value::Code(place)) = (annotations, pair[0].value, pair[1].value) {
            places.push(place);
        }
    }
    places
}

/// The branches of `EIATTR_INDIRECT_BRANCH_TARGETS` records with their targets.
pub(crate) fn branch_targets(items: &[Item]) -> Vec<(u32, Vec<u32>)> {
    let mut lists: Vec<(u32, Vec<u32>)> = Vec::new();
    let mut rest = items.iter();
    while let Some(item) = rest.next() {
        let Value::ShortestWord(count) = item.value else {
            continue;
        };
        let position = items.len() - rest.len() - 1;
        let branch = position.checked_sub(3).map(|at| items[at].value);
        let Some(Value::Code(branch)) = branch else {
            continue;
        };
        let targets = rest.by_ref().take(count as usize);
        let targets = targets.filter_map(|item| {
            if let Value::Code(to) = item.value {
                Some(to)
            } else {
                None
            }
        });
        lists.push((branch, targets.collect()));
    }
    lists
}
