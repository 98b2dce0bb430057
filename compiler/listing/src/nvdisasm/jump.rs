//! Jump tables: words in constant memory that hold places in code.
//!
//! A relocatable file names the table in the instruction that loads from it (`LDC R4, c[R0+`((table +
//! -0x8000))]`); a `BRX` on the loaded register then jumps relative to the section's start. Observed:
//! nvdisasm 13.5 shows both the branch and the table in terms of places then.

use super::Listing;
use crate::labels::INSTRUCTION;

/// Relocation of the bank and offset of a constant operand.
const CONSTANT_ADDRESS: u32 = 66;
/// Opcode (bits 0 to 11) of `BRX` on a register.
const BRX: u32 = 0x949;
/// Bytes per entry of a table.
pub(super) const ENTRY: u64 = 4;

impl Listing<'_> {
    /// Finds the branches of a code section that go through named tables.
    pub(super) fn find_jump_tables(&mut self, section: u32) {
        let bytes = self.bytes(section);
        let mut loaded: [Option<u32>; 256] = [None; 256];
        let fixups = self
            .view
            .fixups(section)
            .iter()
            .filter(|fixup| fixup.kind == CONSTANT_ADDRESS);
        let mut fixups = fixups.peekable();
        if fixups.peek().is_none() {
            return;
        }
        for (position, word) in bytes.chunks_exact(INSTRUCTION as usize).enumerate() {
            let address = position as u64 * INSTRUCTION;
            let word = u128::from_le_bytes(word.try_into().expect("chunks of 16 bytes"));
            while let Some(fixup) = fixups.next_if(|fixup| fixup.offset < address + INSTRUCTION) {
                loaded[(word >> 16) as usize & 0xff] = Some(fixup.symbol);
            }
            if word as u32 & 0xfff == BRX
                && let Some(symbol) = loaded[(word >> 24) as usize & 0xff]
            {
                self.table_branches.insert((section, address));
                self.jump_tables.push((symbol, section));
            }
        }
    }

    /// Labels for the entries of the tables in a data section.
    pub(super) fn number_jump_tables(&mut self, index: u32) {
        for (offset, code) in self.table_entries(index) {
            let bytes = self.bytes(index);
            let Some(entry) = bytes.get(offset as usize..).and_then(|tail| tail.first_chunk::<4>()) else {
                continue;
            };
            let place = u64::from(u32::from_le_bytes(*entry));
            self.code_labels.need_counted(&self.view, code, place);
        }
    }

    /// Offsets of the table entries in a data section, with the code section that they mean.
    pub(super) fn table_entries(&self, index: u32) -> Vec<(u64, u32)> {
        let mut entries = Vec::new();
        for &(symbol, code) in &self.jump_tables {
            if self.view.section_of(symbol) == Some(index) {
                let symbol = &self.view.symbols[symbol as usize];
                let count = symbol.size.min(self.bytes(index).len() as u64) / ENTRY;
                entries.extend((0..count).map(|entry| (symbol.value.wrapping_add(entry * ENTRY), code)));
            }
        }
        entries.sort_unstable();
        entries.dedup();
        entries
    }
}
