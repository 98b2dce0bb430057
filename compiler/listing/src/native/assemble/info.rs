//! `.info` and `.compat` records.

use std::ops::Range;

use warpsmith_cubin::compat::COMPAT_ATTRIBUTES;
use warpsmith_cubin::eiattr::{EIATTRS, Field, Payload};
use warpsmith_cubin::{Eiattr, InfoFormat};

use super::Assembler;
use super::data::FixupKind;
use super::lexer::{Fault, Lexer, Result};
use crate::native::info::{ATTRIBUTE_PREFIX, COMPAT_PREFIX, format_word, usual_format};
use crate::native::records::Fields;

/// All formats.
const FORMATS: [InfoFormat; 4] = [
    InfoFormat::NoValue,
    InfoFormat::Byte,
    InfoFormat::Half,
    InfoFormat::Sized,
];
/// Records begin at multiples of this.
const RECORD_ALIGNMENT: usize = 4;

impl<'a> Assembler<'a> {
    /// A record; `format` is what follows `.info` or `.compat` in the directive.
    pub(super) fn read_record(
        &mut self,
        info: bool,
        format: &str,
        bytes: Range<usize>,
        line: &mut Lexer<'a>,
    ) -> Result<()> {
        let word = format.strip_prefix('.');
        let given = match (
            format,
            word.and_then(|word| FORMATS.into_iter().find(|&format| format_word(format) == word)),
        ) {
            ("", _) => None,
            (_, Some(format)) => Some(format),
            _ => return Err(Fault::new(bytes, "there is no such directive")),
        };
        let (code, usual) = attribute(info, line)?;
        let payload = if info { Eiattr(code).payload() } else { Payload::Opaque };
        self.bytes(bytes.clone())?;
        line.skip_blanks();
        let format = given.unwrap_or(usual);
        let header = [format.number(), code];
        match format {
            InfoFormat::NoValue => self.bytes(bytes)?.extend_from_slice(&[header[0], header[1], 0, 0]),
            InfoFormat::Byte => {
                let value = line.number64(8)? as u8;
                self.bytes(bytes)?.extend_from_slice(&[header[0], header[1], value, 0]);
            }
            InfoFormat::Half => {
                let [low, high] = (line.number64(16)? as u16).to_le_bytes();
                self.bytes(bytes)?.extend_from_slice(&[header[0], header[1], low, high]);
            }
            InfoFormat::Sized => {
                let content = self.bytes(bytes.clone())?;
                content.extend_from_slice(&[header[0], header[1], 0, 0]);
                let start = content.len();
                // A payload with a fault still gets its size, so that the next record is in its place.
                let read = self.read_payload(payload, bytes.clone(), line);
                let content = self.bytes(bytes.clone())?;
                let Ok(size) = u16::try_from(content.len() - start) else {
                    return Err(Fault::new(bytes, "a record has at most 65535 bytes"));
                };
                content[start - 2..start].copy_from_slice(&size.to_le_bytes());
                content.resize(content.len().next_multiple_of(RECORD_ALIGNMENT), 0);
                return read;
            }
        }
        Ok(())
    }

    fn read_payload(&mut self, payload: Payload, bytes: Range<usize>, line: &mut Lexer<'a>) -> Result<()> {
        if line.is_done() {
            return Ok(());
        }
        let mut fields = Fields::new(payload);
        loop {
            if let Some(rest) = line.hexadecimal()? {
                self.bytes(bytes.clone())?.extend_from_slice(&rest);
            } else {
                let field = fields.field();
                let kind = match field {
                    Field::Symbol => FixupKind::Symbol,
                    Field::CodeOffset => FixupKind::CodeOffset,
                    Field::Word | Field::Half | Field::Byte => FixupKind::Sum,
                };
                let (value, fixup) = self.value(field.size(), kind, line)?;
                self.push_value(value, field.size(), fixup, bytes.clone())?;
                fields.advance(value);
            }
            if !line.more()? {
                return Ok(());
            }
        }
    }
}

/// The code of an attribute, and its usual format.
fn attribute(info: bool, line: &mut Lexer<'_>) -> Result<(u8, InfoFormat)> {
    let start = line.position();
    let row = |code: u8, format| (code, usual_format(format));
    if line.peek().is_some_and(|byte| byte.is_ascii_digit()) {
        let code = line.number64(8)? as u8;
        return Ok(match info {
            true => row(code, Eiattr(code).row().and_then(|row| row.format)),
            false => row(
                code,
                warpsmith_cubin::compat::compat_row(code).and_then(|row| row.format),
            ),
        });
    }
    let word = line.word();
    let found = if info {
        let found = EIATTRS
            .iter()
            .find(|row| row.name.strip_prefix(ATTRIBUTE_PREFIX) == Some(word));
        found.map(|found| row(found.code, found.format))
    } else {
        let is_named =
            |name: Option<&'static str>| name.and_then(|name| name.strip_prefix(COMPAT_PREFIX)) == Some(word);
        let found = COMPAT_ATTRIBUTES.iter().find(|row| is_named(row.name));
        found.map(|found| row(found.code, found.format))
    };
    found.ok_or_else(|| Fault::new(start..line.position(), format!("there is no attribute `{word}`")))
}
