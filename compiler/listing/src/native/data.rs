//! Data: rows of bytes, strings, `.nv.info` records.

use std::fmt::Write;

use super::Native;
use crate::nvdisasm::info::{Heading, Value};

/// Bytes per row.
const ROW: usize = 16;
/// Zeros from which on a run gets a directive of its own.
const LONG_RUN: usize = 32;

impl Native<'_> {
    /// Bytes: as strings where they are text, as rows elsewhere.
    pub(super) fn write_bytes(&mut self, bytes: &[u8]) {
        if is_text(bytes) {
            self.write_strings(bytes);
            return;
        }
        let mut at = 0;
        while at < bytes.len() {
            let zeros = bytes[at..].iter().take_while(|&&byte| byte == 0).count();
            if zeros >= LONG_RUN || zeros == bytes.len() - at {
                let _ = writeln!(self.out, "    .zero {zeros}");
                at += zeros;
                continue;
            }
            let end = (at + ROW).min(bytes.len());
            let _ = write!(self.out, "    .byte");
            for (position, byte) in bytes[at..end].iter().enumerate() {
                let _ = write!(self.out, "{} {byte:#04x}", if position == 0 { "" } else { "," });
            }
            let _ = writeln!(self.out, "  // {at:04x}");
            at = end;
        }
    }

    /// A `.nv.info` section: one line per value, with the attribute's name above.
    pub(super) fn write_info(&mut self, index: u32, bytes: &[u8]) {
        let items = self.infos.remove(&index).unwrap_or_default();
        let code = self.section(index).info;
        for item in &items {
            if let Some(Heading::Record(name)) = item.heading {
                let _ = writeln!(self.out, "    // {name}");
            }
            let _ = match item.value {
                Value::Header(format, attribute) => writeln!(self.out, "    .byte {format:#04x}, {attribute:#04x}"),
                Value::Size(size) => writeln!(self.out, "    .short {size}"),
                Value::Index(symbol) => {
                    let reference = self.symbol_reference(symbol);
                    match symbol {
                        0 => writeln!(self.out, "    .word 0"),
                        _ => writeln!(self.out, "    .word index({reference})"),
                    }
                }
                Value::Word(value) | Value::ShortestWord(value) => writeln!(self.out, "    .word {value:#x}"),
                Value::Short(value) | Value::ShortestShort(value) => writeln!(self.out, "    .short {value:#x}"),
                Value::Byte(value) => writeln!(self.out, "    .byte {value:#04x}"),
                Value::Code(address) => match self.code_place(code, u64::from(address)) {
                    Some(place) => writeln!(self.out, "    .word {place}  // {address:04x}"),
                    None => writeln!(self.out, "    .word {address:#x}"),
                },
                Value::BytesTo(end) => {
                    self.write_bytes(&bytes[item.offset..end]);
                    Ok(())
                }
            };
        }
    }
}

/// Whether the bytes are printable strings, each with its end.
fn is_text(bytes: &[u8]) -> bool {
    let printable = |byte: u8| matches!(byte, b'\t' | b'\n' | b' '..=b'~' | 0);
    let zeros = bytes.iter().filter(|&&byte| byte == 0).count();
    bytes.len() > 1 && zeros * 4 < bytes.len() && bytes.last() == Some(&0) && bytes.iter().all(|&byte| printable(byte))
}
