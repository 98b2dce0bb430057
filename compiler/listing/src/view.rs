//! A cubin with the indices that a listing needs: relocations and symbols by section.

use std::collections::HashMap;

use warpsmith_cubin::{
    Content, Cubin, Relocation, Section, SectionFlags, SectionType, Symbol, SymbolSection, SymbolType,
};

use crate::relocation::Field;

/// A relocation with its addend, wherever the file keeps it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fixup {
    /// Byte offset in the relocated section.
    pub offset: u64,
    /// Index of the symbol.
    pub symbol: u32,
    /// The relocation type number.
    pub kind: u32,
    /// The addend; taken from the relocated field for REL entries.
    pub addend: i64,
}

/// A cubin and its indices.
pub(crate) struct View<'a> {
    pub cubin: &'a Cubin,
    pub symbols: &'a [Symbol],
    fixups: Vec<Vec<Fixup>>,
    symbols_of: Vec<Vec<u32>>,
    function_at: HashMap<(u32, u64), u32>,
    /// Names of symbols whose own name an earlier symbol has already.
    renamed: HashMap<u32, String>,
}

impl<'a> View<'a> {
    pub(crate) fn new(cubin: &'a Cubin) -> Self {
        let symbols = cubin.symbols();
        let count = cubin.sections.len();
        let mut symbols_of = vec![Vec::new(); count];
        let mut function_at = HashMap::new();
        for (index, symbol) in symbols.iter().enumerate() {
            let SymbolSection::Section(section) = symbol.section else {
                continue;
            };
            let Some(list) = symbols_of.get_mut(section as usize) else {
                continue;
            };
            list.push(index as u32);
            if symbol.symbol_type != SymbolType::SECTION {
                // Of several symbols at one place the first stands for it.
                function_at.entry((section, symbol.value)).or_insert(index as u32);
            }
        }
        let mut view = View {
            cubin,
            symbols,
            fixups: vec![Vec::new(); count],
            symbols_of,
            function_at,
            renamed: duplicate_names(symbols),
        };
        view.collect_fixups();
        view
    }

    fn collect_fixups(&mut self) {
        for section in &self.cubin.sections {
            let Content::Relocations { entries, with_addend } = &section.content else {
                continue;
            };
            let target = section.info;
            if target as usize >= self.fixups.len() {
                continue;
            }
            let bytes = self.cubin.section_bytes(target).unwrap_or(&[]);
            let list = &mut self.fixups[target as usize];
            list.extend(entries.iter().map(|entry| Fixup {
                offset: entry.offset,
                symbol: entry.symbol,
                kind: entry.relocation_type.0,
                addend: if *with_addend {
                    entry.addend
                } else {
                    stored_addend(entry, bytes)
                },
            }));
        }
        for list in &mut self.fixups {
            list.sort_by_key(|fixup| fixup.offset);
        }
    }

    /// The relocations of a section, by offset.
    pub(crate) fn fixups(&self, section: u32) -> &[Fixup] {
        &self.fixups[section as usize]
    }

    /// The symbols defined in a section, in table order.
    pub(crate) fn symbols_of(&self, section: u32) -> &[u32] {
        &self.symbols_of[section as usize]
    }

    /// The first symbol, other than a section's own, that stands at an address.
    pub(crate) fn symbol_at(&self, section: u32, address: u64) -> Option<u32> {
        self.function_at.get(&(section, address)).copied()
    }

    /// The name of a symbol; a nameless section symbol has its section's name, and a symbol whose name
    /// is taken has a number after it.
    pub(crate) fn symbol_name(&self, index: u32) -> &str {
        match self.renamed.get(&index) {
            Some(name) => name,
            None => self.cubin.symbol_name(index).unwrap_or(""),
        }
    }

    /// Whether the symbol is listed under another name than its own.
    pub(crate) fn is_renamed(&self, index: u32) -> bool {
        self.renamed.contains_key(&index)
    }

    /// Whether the section has a symbol of its own.
    pub(crate) fn has_section_symbol(&self, section: u32) -> bool {
        let mut symbols = self.symbols_of(section).iter();
        symbols.any(|&symbol| self.symbols[symbol as usize].symbol_type == SymbolType::SECTION)
    }

    /// The section that a symbol is defined in.
    pub(crate) fn section_of(&self, symbol: u32) -> Option<u32> {
        match self.symbols.get(symbol as usize)?.section {
            SymbolSection::Section(section) if (section as usize) < self.cubin.sections.len() => Some(section),
            _ => None,
        }
    }
}

/// Names for the symbols whose name an earlier symbol has: `name__0`, `name__1`, ….
fn duplicate_names(symbols: &[Symbol]) -> HashMap<u32, String> {
    let mut seen: HashMap<&str, u32> = HashMap::with_capacity(symbols.len());
    let mut renamed = HashMap::new();
    for (index, symbol) in symbols.iter().enumerate() {
        if symbol.name.is_empty() || symbol.symbol_type == SymbolType::SECTION {
            continue;
        }
        match seen.get_mut(symbol.name.as_str()) {
            None => {
                seen.insert(&symbol.name, 0);
            }
            Some(count) => {
                renamed.insert(index as u32, format!("{}__{count}", symbol.name));
                *count += 1;
            }
        }
    }
    renamed
}

/// The addend of a REL entry: the value in the relocated field.
fn stored_addend(entry: &Relocation, bytes: &[u8]) -> i64 {
    let Some(field) = Field::of(entry.relocation_type.0) else {
        return 0;
    };
    let Ok(offset) = usize::try_from(entry.offset) else {
        return 0;
    };
    let Some(tail) = bytes.get(offset..) else {
        return 0;
    };
    let mut word = [0; 16];
    let length = tail.len().min(16);
    word[..length].copy_from_slice(&tail[..length]);
    field.extract(u128::from_le_bytes(word))
}

/// Whether a section holds instructions.
pub(crate) fn is_code(section: &Section) -> bool {
    section.section_type == SectionType::PROGBITS && section.flags.contains(SectionFlags::EXECINSTR)
}

/// The fixups of `fixups` that begin before byte `end`, which are taken from it; they stand in the order of their offsets.
pub(crate) fn take_fixups<'a>(fixups: &mut &'a [Fixup], end: u64) -> &'a [Fixup] {
    let count = fixups.iter().take_while(|fixup| fixup.offset < end).count();
    let (here, rest) = fixups.split_at(count);
    *fixups = rest;
    here
}
