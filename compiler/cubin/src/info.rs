//! `.nv.info` records: attributes of a module or of a function.
//!
//! A section is a sequence of records, each at a multiple of 4: format byte, attribute byte, then by format
//! two padding bytes, a byte value and padding, a 16-bit value, or a 16-bit size and that many payload bytes.
//! Observed: nvdisasm 13.5 and cuobjdump 13.1 listings of every attribute in every format.

use crate::eiattr::Eiattr;
use crate::error::CubinError;

/// How a record's value is stored: byte 0 of the record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum InfoFormat {
    /// `EIFMT_NVAL` (1): no value; bytes 2 to 3 are padding.
    NoValue,
    /// `EIFMT_BVAL` (2): one byte at offset 2; byte 3 is padding.
    Byte,
    /// `EIFMT_HVAL` (3): 16 bits at offset 2.
    Half,
    /// `EIFMT_SVAL` (4): 16-bit size in bytes at offset 2, then the payload.
    Sized,
}

impl InfoFormat {
    /// The number in byte 0 of a record.
    pub fn number(self) -> u8 {
        match self {
            InfoFormat::NoValue => 1,
            InfoFormat::Byte => 2,
            InfoFormat::Half => 3,
            InfoFormat::Sized => 4,
        }
    }

    /// The name that cuobjdump prints.
    pub fn name(self) -> &'static str {
        match self {
            InfoFormat::NoValue => "EIFMT_NVAL",
            InfoFormat::Byte => "EIFMT_BVAL",
            InfoFormat::Half => "EIFMT_HVAL",
            InfoFormat::Sized => "EIFMT_SVAL",
        }
    }
}

/// One record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InfoRecord {
    /// Byte offset of the record in its section; not used for writing.
    pub offset: u32,
    /// Byte 1 of the record.
    pub attribute: Eiattr,
    /// The value, in the record's format.
    pub value: InfoValue,
}

/// A record's value as stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InfoValue {
    /// `EIFMT_NVAL`, with the two padding bytes (normally 0).
    NoValue([u8; 2]),
    /// `EIFMT_BVAL`: the value and the padding byte (normally 0).
    Byte(u8, u8),
    /// `EIFMT_HVAL`.
    Half(u16),
    /// `EIFMT_SVAL`: the payload bytes.
    Sized(Vec<u8>),
}

impl InfoValue {
    /// The format that stores this value.
    pub fn format(&self) -> InfoFormat {
        match self {
            InfoValue::NoValue(_) => InfoFormat::NoValue,
            InfoValue::Byte(..) => InfoFormat::Byte,
            InfoValue::Half(_) => InfoFormat::Half,
            InfoValue::Sized(_) => InfoFormat::Sized,
        }
    }

    /// The payload's 32-bit words, for a sized value whose size is a multiple of 4.
    pub fn words(&self) -> Option<Vec<u32>> {
        let InfoValue::Sized(bytes) = self else {
            return None;
        };
        let chunks = bytes.chunks_exact(4);
        if !chunks.remainder().is_empty() {
            return None;
        }
        Some(
            chunks
                .map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]))
                .collect(),
        )
    }
}

impl InfoRecord {
    /// A record with this value.
    pub fn new(attribute: Eiattr, value: InfoValue) -> Self {
        InfoRecord {
            offset: 0,
            attribute,
            value,
        }
    }

    /// Bytes that the record takes, padding included.
    pub fn size(&self) -> usize {
        match &self.value {
            InfoValue::NoValue(_) | InfoValue::Byte(..) | InfoValue::Half(_) => 4,
            InfoValue::Sized(payload) => (4 + payload.len()).next_multiple_of(4),
        }
    }
}

/// Parses the bytes of a `.nv.info` section. `base` is added to the offsets of errors.
///
/// # Errors
/// A truncated record, an unknown format, or padding that is not zero.
pub fn parse(bytes: &[u8], base: u64) -> Result<Vec<InfoRecord>, CubinError> {
    let mut records = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let fail = |reason: String| Err(CubinError::new(base + at as u64, ".nv.info record", reason));
        let Some(&[format, attribute, low, high]) = bytes.get(at..at + 4) else {
            return fail(format!("{} bytes are too few for a record", bytes.len() - at));
        };
        let value = match format {
            1 => InfoValue::NoValue([low, high]),
            2 => InfoValue::Byte(low, high),
            3 => InfoValue::Half(u16::from_le_bytes([low, high])),
            4 => {
                let size = usize::from(u16::from_le_bytes([low, high]));
                match bytes.get(at + 4..at + 4 + size) {
                    Some(payload) => InfoValue::Sized(payload.to_vec()),
                    None => {
                        return fail(format!("payload of {size} bytes reaches beyond the section"));
                    }
                }
            }
            other => return fail(format!("unknown format {other}")),
        };
        let record = InfoRecord {
            offset: at as u32,
            attribute: Eiattr(attribute),
            value,
        };
        let end = (at + record.size()).min(bytes.len());
        if let InfoValue::Sized(payload) = &record.value
            && bytes[at + 4 + payload.len()..end].iter().any(|&byte| byte != 0)
        {
            return fail("padding after the payload is not zero".into());
        }
        at = end;
        records.push(record);
    }
    Ok(records)
}

/// The bytes of a `.nv.info` section of these records.
///
/// # Errors
/// A payload of more than 65535 bytes, which the 16-bit size cannot state.
pub fn to_bytes(records: &[InfoRecord]) -> Result<Vec<u8>, CubinError> {
    let mut out = Vec::new();
    for record in records {
        let end = out.len() + record.size();
        out.extend_from_slice(&[record.value.format().number(), record.attribute.0]);
        match &record.value {
            InfoValue::NoValue(padding) => out.extend_from_slice(padding),
            InfoValue::Byte(value, padding) => out.extend_from_slice(&[*value, *padding]),
            InfoValue::Half(value) => out.extend_from_slice(&value.to_le_bytes()),
            InfoValue::Sized(payload) => {
                let size = u16::try_from(payload.len()).map_err(|_| {
                    let reason = format!("payload of {} bytes is too long", payload.len());
                    CubinError::new(out.len() as u64, ".nv.info record", reason)
                })?;
                out.extend_from_slice(&size.to_le_bytes());
                out.extend_from_slice(payload);
            }
        }
        out.resize(end, 0);
    }
    Ok(out)
}
