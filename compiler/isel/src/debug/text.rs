//! DWARF as sections of PTX: bytes, and the names of what has an address.

use std::fmt::Write as _;

use gimli::write::{EndianVec, RelocateWriter, Relocation, RelocationTarget};

/// A section being written, with the places in it that are addresses.
#[derive(Clone)]
pub(super) struct Section {
    bytes: EndianVec<gimli::LittleEndian>,
    relocations: Vec<Relocation>,
}

impl Default for Section {
    fn default() -> Section {
        Section {
            bytes: EndianVec::new(gimli::LittleEndian),
            relocations: Vec::new(),
        }
    }
}

impl RelocateWriter for Section {
    type Writer = EndianVec<gimli::LittleEndian>;

    fn writer(&self) -> &Self::Writer {
        &self.bytes
    }

    fn writer_mut(&mut self) -> &mut Self::Writer {
        &mut self.bytes
    }

    fn relocate(&mut self, relocation: Relocation) {
        self.relocations.push(relocation);
    }
}

/// The numbers of a line.
const IN_A_LINE: usize = 24;

impl Section {
    /// Writes it as a `.section`; relocations against symbols go by their number among `symbols`.
    pub(super) fn write(&self, text: &mut String, name: &str, symbols: &[String]) {
        let _ = writeln!(text, "\t.section\t{name}\n\t{{");
        let bytes = self.bytes.slice();
        let mut relocations = self.relocations.clone();
        relocations.sort_unstable_by_key(|relocation| relocation.offset);
        let mut at = 0;
        for relocation in &relocations {
            plain(text, bytes.get(at..relocation.offset).unwrap_or_default());
            let target = match relocation.target {
                RelocationTarget::Symbol(number) => symbols.get(number).map_or("0", String::as_str),
                RelocationTarget::Section(section) => section.name(),
            };
            let _ = writeln!(text, ".b{} {target}", u32::from(relocation.size) * 8);
            at = relocation.offset + usize::from(relocation.size);
        }
        plain(text, bytes.get(at..).unwrap_or_default());
        text.push_str("\t}\n");
    }
}

fn plain(text: &mut String, bytes: &[u8]) {
    for line in bytes.chunks(IN_A_LINE) {
        let numbers: Vec<String> = line.iter().map(u8::to_string).collect();
        let _ = writeln!(text, ".b8 {}", numbers.join(","));
    }
}
