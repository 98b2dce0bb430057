//! Sections, symbols and names in the order in which ptxas makes them, and from there the order in which its files have them.
//!
//! ptxas 13.0.88 names a section in both string tables when it makes it (also some that it then does not write), keeps local and weak symbols apart from
//! global ones, and sorts the sections by what they are for when all are made. This does the same, so that equal modules give equal tables.

use rustc_hash::FxHashSet;
use warpsmith_cubin::{
    Content, Cubin, FileType, Relocation, Section, SectionFlags, SectionType, StringTable, Symbol, SymbolBinding,
    SymbolSection, SymbolType,
    build::{SECTION_NAMES, STRINGS, SYMBOLS},
    relocation::RelocationType,
    symbol::SymbolOther,
};
use warpsmith_target::{Isa, Sm};

/// What a section is for; sections stand in this order. (Observed: ptxas 13.0.88, 6,473 files.)
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Rank {
    /// `.debug_frame`, which comes before the other debug sections.
    Frames,
    /// `.debug_*`, `.nv_debug_*`.
    Debug,
    /// `.note.nv.*`.
    Note,
    /// `.nv.info`, `.nv.compat`.
    Information,
    /// `.nv.callgraph`.
    CallGraph,
    /// `.nv.rel.action`.
    Action,
    /// `.rel*`.
    Relocations,
    /// `.nv.constant*`.
    Constants,
    /// `.text.*`.
    Text,
    /// `.nv.global.init`.
    Initialised,
    /// `.nv.shared.*`, `.nv.global`.
    Zeroed,
    /// What is made last from sm_90 on: parameter banks.
    Late,
}

/// A section that has been made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct SectionKey(usize);

/// A symbol that has been made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct SymbolKey(usize);

/// Which part of the symbol table a symbol belongs to; the parts stand in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    /// Sections, local and weak symbols.
    Local,
    /// Global symbols.
    Global,
    /// Sections that are made last.
    Late,
}

/// A relocation of a section.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fix {
    /// Byte offset in the section.
    pub(super) offset: u64,
    /// What it refers to.
    pub(super) symbol: SymbolKey,
    /// Its type.
    pub(super) kind: RelocationType,
    /// Added to the symbol's value. In a section without addends it stands in the relocated bytes too.
    pub(super) addend: i64,
}

struct DraftSection {
    rank: Rank,
    section: Section,
    /// `sh_info` is the index of this section.
    about: Option<SectionKey>,
    /// `sh_link` is the index of this section.
    link: Option<SectionKey>,
    fixes: Vec<Fix>,
}

struct DraftSymbol {
    part: Part,
    symbol: Symbol,
    section: Option<SectionKey>,
}

/// A cubin being made.
pub(super) struct Writer {
    sm: Sm,
    file_type: FileType,
    sections: Vec<DraftSection>,
    symbols: Vec<DraftSymbol>,
    section_names: StringTable,
    symbol_names: StringTable,
    known_sections: FxHashSet<String>,
    known_symbols: FxHashSet<String>,
    /// Names that come after those of global symbols.
    later_names: Vec<String>,
}

/// The names that each file has, of all that is made before the first function.
const FIRST_NAMES: [&str; 7] = [
    ".shstrtab",
    ".strtab",
    ".symtab",
    ".symtab_shndx",
    ".note.nv.tkinfo",
    ".note.nv.cuinfo",
    ".nv.info",
];

impl Writer {
    /// An empty file.
    pub(super) fn new(sm: Sm, file_type: FileType) -> Writer {
        let mut writer = Writer {
            sm,
            file_type,
            sections: Vec::new(),
            symbols: Vec::new(),
            section_names: StringTable::new(),
            symbol_names: StringTable::new(),
            known_sections: FxHashSet::default(),
            known_symbols: FxHashSet::default(),
            later_names: Vec::new(),
        };
        for name in FIRST_NAMES {
            writer.name(name);
        }
        writer
    }

    /// Puts a name into both string tables.
    pub(super) fn name(&mut self, name: &str) {
        self.name_section(name);
        self.name_symbol(name);
    }

    /// The offset of a text in the table of symbol names, which it is put into.
    pub(super) fn symbol_string(&mut self, text: &str) -> u32 {
        self.name_symbol(text);
        let mut all = self.symbol_names.iter();
        all.find(|(_, name)| *name == text.as_bytes())
            .map_or(0, |(offset, _)| offset)
    }

    /// Puts a name into the table of section names, once.
    pub(super) fn name_section(&mut self, name: &str) {
        if self.known_sections.insert(name.to_string()) {
            self.section_names.push(name);
        }
    }

    /// Puts a name into the table of symbol names, once.
    pub(super) fn name_symbol(&mut self, name: &str) {
        if self.known_symbols.insert(name.to_string()) {
            self.symbol_names.push(name);
        }
    }

    /// Puts a name in place of a longer one that ptxas wrote first: the rest is zero bytes.
    pub(super) fn rename_section(&mut self, name: &str, before: &str) {
        if self.known_sections.insert(name.to_string()) {
            self.section_names.push(name);
            for _ in name.len()..before.len() {
                self.section_names.push("");
            }
        }
    }

    /// [`Writer::rename_section`] for the symbol table. An empty name leaves zero bytes only. From sm_100 on the longer name stays, since sections of the
    /// Mercury twin have it.
    pub(super) fn rename_symbol(&mut self, name: &str, before: &str) {
        if self.sm.isa() >= Isa::Sm100 && name != before {
            self.name_symbol(before);
            self.later_names.push(name.to_string());
            return;
        }
        if name.is_empty() || self.known_symbols.insert(name.to_string()) {
            self.symbol_names.push(name);
            for _ in name.len()..before.len() {
                self.symbol_names.push("");
            }
        }
    }

    /// Makes a section. Its name is not put into the tables.
    pub(super) fn section(&mut self, rank: Rank, section: Section) -> SectionKey {
        self.sections.push(DraftSection {
            rank,
            section,
            about: None,
            link: None,
            fixes: Vec::new(),
        });
        SectionKey(self.sections.len() - 1)
    }

    /// Makes a section that tells of another one.
    pub(super) fn section_about(&mut self, rank: Rank, section: Section, about: SectionKey) -> SectionKey {
        let key = self.section(rank, section);
        self.sections[key.0].about = Some(about);
        key
    }

    /// Links a section to another one.
    pub(super) fn link(&mut self, key: SectionKey, to: SectionKey) {
        self.sections[key.0].link = Some(to);
    }

    /// Says what section a section tells of.
    pub(super) fn set_about(&mut self, key: SectionKey, about: SectionKey) {
        self.sections[key.0].about = Some(about);
    }

    /// A section, to change it.
    pub(super) fn section_mut(&mut self, key: SectionKey) -> &mut Section {
        &mut self.sections[key.0].section
    }

    /// Adds a relocation to a section of relocations.
    pub(super) fn fix(&mut self, relocations: SectionKey, fix: Fix) {
        self.sections[relocations.0].fixes.push(fix);
    }

    /// The symbol of a section.
    pub(super) fn section_symbol(&mut self, section: SectionKey) -> SymbolKey {
        let part = match self.sections[section.0].rank {
            Rank::Late => Part::Late,
            _ => Part::Local,
        };
        let name = self.sections[section.0].section.name.clone();
        self.push(
            part,
            Symbol {
                name,
                symbol_type: SymbolType::SECTION,
                ..Symbol::null()
            },
            Some(section),
        )
    }

    /// A symbol of a variable or function; `section` is `None` for one that is defined elsewhere.
    pub(super) fn symbol(&mut self, symbol: Symbol, section: Option<SectionKey>) -> SymbolKey {
        let part = if symbol.binding == SymbolBinding::GLOBAL {
            Part::Global
        } else {
            self.name_symbol(&symbol.name);
            Part::Local
        };
        self.push(part, symbol, section)
    }

    /// A symbol whose name ptxas has erased.
    pub(super) fn erased_symbol(&mut self, name_before: &str) -> SymbolKey {
        self.rename_symbol("", name_before);
        self.push(
            Part::Local,
            Symbol {
                other: SymbolOther(1),
                ..Symbol::null()
            },
            None,
        )
    }

    fn push(&mut self, part: Part, symbol: Symbol, section: Option<SectionKey>) -> SymbolKey {
        self.symbols.push(DraftSymbol { part, symbol, section });
        SymbolKey(self.symbols.len() - 1)
    }

    /// The index of each symbol in the table; nothing may be made after it.
    pub(super) fn numbers(&self) -> Numbers {
        let mut order: Vec<usize> = (0..self.symbols.len()).collect();
        order.sort_by_key(|index| self.symbols[*index].part);
        let mut numbers = vec![0; order.len()];
        for (number, index) in order.iter().enumerate() {
            numbers[*index] = number as u32 + 1;
        }
        Numbers(numbers)
    }

    /// Puts everything in its order.
    pub(super) fn finish(mut self) -> Cubin {
        let numbers = self.numbers();
        for part in [Part::Global, Part::Late] {
            let late: Vec<String> = self
                .symbols
                .iter()
                .filter(|s| s.part == part)
                .map(|s| s.symbol.name.clone())
                .collect();
            let later = if part == Part::Late {
                std::mem::take(&mut self.later_names)
            } else {
                Vec::new()
            };
            for name in later.iter().chain(&late) {
                self.name_symbol(name);
            }
        }
        let mut cubin = Cubin::new(self.sm, self.file_type);
        cubin.header.flags = cubin.header.flags.without_capsule();
        let first = cubin.sections.len();
        let mut order: Vec<usize> = (0..self.sections.len()).collect();
        order.sort_by_key(|index| self.sections[*index].rank);
        let mut indices = vec![0; order.len()];
        for (place, index) in order.iter().enumerate() {
            indices[*index] = (first + place) as u32;
        }
        add_symbols(&mut cubin, &self.symbols, &indices);
        for (index, table) in [(SECTION_NAMES, self.section_names), (STRINGS, self.symbol_names)] {
            if let Some(strings) = cubin.strings_mut(index) {
                *strings = table;
            }
        }
        let mut drafts: Vec<Option<DraftSection>> = self.sections.into_iter().map(Some).collect();
        for index in order {
            if let Some(draft) = drafts[index].take() {
                cubin.add_section(placed(draft, &indices, &numbers));
            }
        }
        cubin.finish();
        cubin
    }
}

/// The final numbers of symbols.
pub(super) struct Numbers(Vec<u32>);

impl Numbers {
    /// The index of a symbol in the symbol table.
    pub(super) fn of(&self, symbol: SymbolKey) -> u32 {
        self.0[symbol.0]
    }
}

/// A section with its links and relocations as numbers.
fn placed(draft: DraftSection, indices: &[u32], numbers: &Numbers) -> Section {
    let mut section = draft.section;
    if let Some(about) = draft.about {
        section.info = indices[about.0];
    }
    if let Some(link) = draft.link {
        section.link = indices[link.0];
    }
    if let Content::Relocations { entries, .. } = &mut section.content {
        *entries = draft
            .fixes
            .iter()
            .map(|fix| Relocation {
                offset: fix.offset,
                symbol: numbers.of(fix.symbol),
                relocation_type: fix.kind,
                addend: fix.addend,
            })
            .collect();
    }
    section
}

fn add_symbols(cubin: &mut Cubin, symbols: &[DraftSymbol], indices: &[u32]) {
    let mut after_locals = 1;
    for part in [Part::Local, Part::Global, Part::Late] {
        for draft in symbols.iter().filter(|draft| draft.part == part) {
            let mut symbol = draft.symbol.clone();
            if let Some(section) = draft.section {
                symbol.section = SymbolSection::Section(indices[section.0]);
            }
            symbol.name_offset = None;
            let index = cubin.add_symbol(symbol).unwrap_or(0);
            if part != Part::Global {
                after_locals = index + 1;
            }
        }
    }
    // Observed: one more than the last symbol that is not global.
    if let Some(table) = cubin.section_mut(SYMBOLS) {
        table.info = after_locals;
    }
}

/// A section of bytes.
pub(super) fn bytes_section(name: &str, kind: SectionType, flags: SectionFlags, align: u64, bytes: Vec<u8>) -> Section {
    let mut section = Section::new(name, kind, flags);
    section.alignment = align;
    section.content = Content::Bytes(bytes);
    section
}

/// A section without bytes in the file.
pub(super) fn empty_section(name: &str, align: u64, size: u64, flags: SectionFlags) -> Section {
    let mut section = Section::new(name, SectionType::NOBITS, flags);
    section.alignment = align;
    section.content = Content::NoBits(size);
    section
}

/// A section of relocations of `target`: `.rel.NAME`, or `.rela.NAME` with addends.
pub(super) fn relocation_section(target: &str, with_addend: bool) -> Section {
    let (prefix, kind) = match with_addend {
        true => (".rela", SectionType::RELA),
        false => (".rel", SectionType::REL),
    };
    let mut section = Section::new(&format!("{prefix}{target}"), kind, SectionFlags::INFO_LINK);
    section.link = SYMBOLS;
    section.alignment = 8;
    section
}
