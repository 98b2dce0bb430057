//! Data: rows of words and bytes, strings, runs of zeros.

use std::fmt::Write as _;

use super::code::Place;
use super::listing::Listing;
use super::names::push_string;
use crate::error::ListingError;

/// Bytes per row.
const ROW: usize = 16;
/// Bytes per word.
const WORD: usize = 4;
/// Zeros from which on a run has a line of its own.
const LONG_RUN: usize = 16;
/// Characters from which on bytes that a NUL ends are taken for text.
const SHORTEST_TEXT: usize = 4;
/// Characters from which on other bytes are taken for text.
const LONG_TEXT: usize = 64;
/// Characters per line.
const LONGEST_TEXT: usize = 4096;

impl Listing<'_> {
    /// The content of a data section, with its labels and relocations.
    pub(super) fn write_data(&mut self, index: u32, bytes: &[u8]) -> Result<(), ListingError> {
        let mut place = Place::start(index);
        while place.offset < bytes.len() as u64 {
            self.write_place(&mut place, 1);
            let end = self.next_break(&place).min(bytes.len() as u64);
            self.write_rows(&bytes[place.offset as usize..end as usize]);
            place.offset = end;
            self.flush_if_full()?;
        }
        self.write_place(&mut place, u64::MAX);
        Ok(())
    }

    /// The next offset that has a label or a relocation.
    fn next_break(&self, place: &Place) -> u64 {
        let symbol = self
            .places
            .symbols(place.section)
            .get(place.symbols)
            .map(|symbol| symbol.0);
        let relocation = self.relocations[place.section as usize]
            .get(place.relocations)
            .map(|entry| entry.0.offset);
        symbol.into_iter().chain(relocation).min().unwrap_or(u64::MAX)
    }

    /// Bytes, in the form that suits them.
    pub(super) fn write_rows(&mut self, bytes: &[u8]) {
        let mut at = 0;
        while at < bytes.len() {
            let rest = &bytes[at..];
            at += match (zeros(rest), text(rest)) {
                (count, _) if count >= LONG_RUN || count == rest.len() && count > WORD => {
                    let _ = writeln!(self.out, "    .zero {count}");
                    count
                }
                (_, Some(text)) => {
                    self.out
                        .push_str(if text.ended { "    .asciz " } else { "    .ascii " });
                    push_string(&mut self.out, &rest[..text.length]);
                    self.out.push('\n');
                    text.length + usize::from(text.ended)
                }
                _ => self.write_row(rest),
            };
        }
    }

    /// One row of words or bytes, up to where something else begins; gives its length.
    fn write_row(&mut self, bytes: &[u8]) -> usize {
        let starts = (1..ROW.min(bytes.len())).find(|&at| bytes[at - 1] == 0 && text(&bytes[at..]).is_some());
        let mut length = starts.unwrap_or(ROW.min(bytes.len()));
        if length >= WORD {
            length -= length % WORD;
            for (number, word) in bytes[..length].chunks_exact(WORD).enumerate() {
                let word = u32::from_le_bytes([word[0], word[1], word[2], word[3]]);
                let _ = write!(self.out, "{}{word:#x}", if number == 0 { "    .word " } else { ", " });
            }
        } else {
            for (number, byte) in bytes[..length].iter().enumerate() {
                let _ = write!(self.out, "{}{byte:#x}", if number == 0 { "    .byte " } else { ", " });
            }
        }
        self.out.push('\n');
        length
    }
}

fn zeros(bytes: &[u8]) -> usize {
    bytes.iter().take_while(|&&byte| byte == 0).count()
}

/// A run of printable characters.
struct Text {
    length: usize,
    /// Whether a NUL ends it.
    ended: bool,
}

/// The text that bytes begin with.
fn text(bytes: &[u8]) -> Option<Text> {
    let printable = |byte: &u8| matches!(byte, b'\t' | b'\n' | b' '..=b'~');
    let length = bytes
        .iter()
        .take(LONGEST_TEXT)
        .take_while(|byte| printable(byte))
        .count();
    let ended = bytes.get(length) == Some(&0);
    (length >= if ended { SHORTEST_TEXT } else { LONG_TEXT }).then_some(Text { length, ended })
}
