//! `.nv.info` and `.nv.compat` records, and pairs of words.

use std::fmt::Write as _;

use warpsmith_cubin::compat::compat_row;
use warpsmith_cubin::eiattr::Field;
use warpsmith_cubin::{InfoFormat, InfoRecord, InfoValue, Section};

use super::listing::Listing;
use super::names::push_hexadecimal;
use super::records::Fields;

/// What the names of `.nv.info` attributes begin with.
pub(super) const ATTRIBUTE_PREFIX: &str = "EIATTR_";
/// What the names of `.nv.compat` attributes begin with.
pub(super) const COMPAT_PREFIX: &str = "EICOMPAT_ATTR_";

/// Words for the formats, where a record has not the usual one of its attribute.
pub(super) fn format_word(format: InfoFormat) -> &'static str {
    match format {
        InfoFormat::NoValue => "none",
        InfoFormat::Byte => "byte",
        InfoFormat::Half => "half",
        InfoFormat::Sized => "sized",
    }
}

/// The format that a record of an attribute has if none is given.
pub(super) fn usual_format(row_format: Option<InfoFormat>) -> InfoFormat {
    row_format.unwrap_or(InfoFormat::Sized)
}

/// Records, to look through their payloads.
pub(super) struct Records<'a>(&'a [InfoRecord]);

impl<'a> Records<'a> {
    pub(super) fn new(records: &'a [InfoRecord]) -> Self {
        Records(records)
    }

    /// Calls `found` with each code offset.
    pub(super) fn for_each_code_offset(&self, mut found: impl FnMut(u64)) {
        for record in self.0 {
            if let InfoValue::Sized(payload) = &record.value {
                for_each_field(record, payload, |field, value| {
                    if field == Field::CodeOffset {
                        found(value);
                    }
                });
            }
        }
    }
}

/// Calls `found` with each whole field of a payload and its value; gives the bytes after them.
fn for_each_field<'p>(record: &InfoRecord, payload: &'p [u8], mut found: impl FnMut(Field, u64)) -> &'p [u8] {
    let mut fields = Fields::new(record.attribute.payload());
    let mut rest = payload;
    while !rest.is_empty() {
        let field = fields.field();
        let Some((bytes, after)) = rest.split_at_checked(field.size()) else {
            break;
        };
        let value = little_endian(bytes);
        found(field, value);
        fields.advance(value);
        rest = after;
    }
    rest
}

fn little_endian(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte))
}

impl Listing<'_> {
    /// A `.nv.info` section: a line for each record.
    pub(super) fn write_info(&mut self, section: &Section, records: &[InfoRecord]) {
        for record in records {
            let usual = usual_format(record.attribute.row().and_then(|row| row.format));
            if !has_plain_padding(record) {
                self.write_record_bytes(record);
                continue;
            }
            self.open_record(".info", record.value.format(), usual);
            self.push_attribute(record.attribute);
            match &record.value {
                InfoValue::Sized(payload) => self.push_payload(section, record, payload),
                value => self.push_small_value(value),
            }
            self.out.push('\n');
        }
    }

    /// A `.nv.compat` section.
    pub(super) fn write_compat(&mut self, records: &[InfoRecord]) {
        for record in records {
            let row = compat_row(record.attribute.0);
            if !has_plain_padding(record) {
                self.write_record_bytes(record);
                continue;
            }
            self.open_record(
                ".compat",
                record.value.format(),
                usual_format(row.and_then(|row| row.format)),
            );
            match row
                .and_then(|row| row.name)
                .and_then(|name| name.strip_prefix(COMPAT_PREFIX))
            {
                Some(name) => self.out.push_str(name),
                None => {
                    let _ = write!(self.out, "{:#x}", record.attribute.0);
                }
            }
            match &record.value {
                InfoValue::Sized(payload) => {
                    let words = payload.chunks_exact(4);
                    let rest = words.remainder();
                    for (number, word) in words.enumerate() {
                        let _ = write!(self.out, "{}{:#x}", separator(number), little_endian(word));
                    }
                    self.push_rest(payload.len() / 4, rest);
                }
                value => self.push_small_value(value),
            }
            self.out.push('\n');
        }
    }

    fn open_record(&mut self, directive: &str, format: InfoFormat, usual: InfoFormat) {
        let _ = write!(self.out, "    {directive}");
        if format != usual {
            let _ = write!(self.out, ".{}", format_word(format));
        }
        self.out.push(' ');
    }

    fn push_small_value(&mut self, value: &InfoValue) {
        let _ = match value {
            InfoValue::NoValue(_) | InfoValue::Sized(_) => Ok(()),
            InfoValue::Byte(value, _) => write!(self.out, " {value:#x}"),
            InfoValue::Half(value) => write!(self.out, " {value:#x}"),
        };
    }

    fn push_payload(&mut self, section: &Section, record: &InfoRecord, payload: &[u8]) {
        let mut count = 0;
        let rest = for_each_field(record, payload, |field, value| {
            self.out.push_str(separator(count));
            count += 1;
            match field {
                Field::Symbol => self.push_symbol(section.link, value as u32),
                Field::CodeOffset if self.places.push_place(section.info, value, &mut self.out) => {}
                Field::CodeOffset | Field::Word | Field::Half | Field::Byte => {
                    let _ = write!(self.out, "{value:#x}");
                }
            }
        });
        self.push_rest(count, rest);
    }

    fn push_rest(&mut self, count: usize, rest: &[u8]) {
        if !rest.is_empty() {
            self.out.push_str(separator(count));
            push_hexadecimal(&mut self.out, rest);
        }
    }

    /// A record that the typed line cannot say.
    fn write_record_bytes(&mut self, record: &InfoRecord) {
        let bytes = warpsmith_cubin::info::to_bytes(std::slice::from_ref(record)).unwrap_or_default();
        self.out.push_str("    .bytes ");
        push_hexadecimal(&mut self.out, &bytes);
        self.out.push('\n');
    }

    /// Pairs of symbol and symbol, or of symbol and string offset.
    pub(super) fn write_pairs(&mut self, section: &Section, bytes: &[u8]) {
        let is_call_graph = section.section_type.name() == Some("SHT_CUDA_CALLGRAPH");
        let mut pairs = bytes.chunks_exact(8);
        for pair in &mut pairs {
            let (first, second) = (little_endian(&pair[..4]) as u32, little_endian(&pair[4..]) as u32);
            self.out.push_str("    .pair ");
            self.push_symbol(section.link, first);
            self.out.push_str(", ");
            if is_call_graph && second < warpsmith_cubin::callgraph::FIRST_MARK {
                self.push_symbol(section.link, second);
            } else {
                let _ = write!(self.out, "{}", second as i32);
            }
            self.out.push('\n');
        }
        if !pairs.remainder().is_empty() {
            self.out.push_str("    .bytes ");
            push_hexadecimal(&mut self.out, pairs.remainder());
            self.out.push('\n');
        }
    }
}

fn separator(number: usize) -> &'static str {
    if number == 0 { " " } else { ", " }
}

/// Whether what the record does not use is zero.
fn has_plain_padding(record: &InfoRecord) -> bool {
    match &record.value {
        InfoValue::NoValue(padding) => *padding == [0, 0],
        InfoValue::Byte(_, padding) => *padding == 0,
        InfoValue::Half(_) | InfoValue::Sized(_) => true,
    }
}
