//! ELF string tables.

use std::collections::HashMap;

/// A string table: NUL-terminated strings, addressed by byte offset.
///
/// The bytes are kept as they are, since real tables hold strings that nothing refers to (names of
/// sections that were dropped or renamed late).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StringTable {
    bytes: Vec<u8>,
}

impl StringTable {
    /// The empty table: one NUL, so that offset 0 is the empty string.
    pub fn new() -> Self {
        StringTable { bytes: vec![0] }
    }

    /// A table of exactly these bytes.
    pub fn from_bytes(bytes: Vec<u8>) -> Self {
        StringTable { bytes }
    }

    /// The table's bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The string that starts at `offset`, without its NUL; `None` where the offset is outside the
    /// table, the string has no end, or it is not UTF-8.
    pub fn get(&self, offset: u32) -> Option<&str> {
        let tail = self.bytes.get(offset as usize..)?;
        let end = tail.iter().position(|&byte| byte == 0)?;
        std::str::from_utf8(&tail[..end]).ok()
    }

    /// The strings in order, with their offsets. Empty strings (runs of NUL) are included.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &[u8])> {
        let mut offset = 0;
        self.bytes.split(|&byte| byte == 0).map(move |string| {
            let at = offset;
            offset += string.len() as u32 + 1;
            (at, string)
        })
    }

    /// Appends `string` and returns its offset.
    pub fn push(&mut self, string: &str) -> u32 {
        let offset = self.bytes.len() as u32;
        self.bytes.extend_from_slice(string.as_bytes());
        self.bytes.push(0);
        offset
    }

    /// An index of the whole strings of this table, first occurrence first.
    pub(crate) fn index(&self) -> HashMap<Vec<u8>, u32> {
        let mut index = HashMap::new();
        for (offset, string) in self.iter() {
            index.entry(string.to_vec()).or_insert(offset);
        }
        index
    }
}
