//! The tables of branches in constant bank 2, which is the kernel's.
//!
//! In an executable a kernel's own tables come first; those of functions that are called stand behind them, at the same place in the bank of each kernel that
//! calls any. nvlink 13.0 lays them out like this. (ptxas itself copies such functions into each kernel.) In a relocatable file each function has a section
//! of its own, with a local symbol for each table that loads are relocated by.

use std::borrow::Cow;

use warpsmith_base::fault;
use warpsmith_cubin::{Section, SymbolBinding, symbol::SymbolOther};
use warpsmith_sass::{FieldName, Flow, Instruction as Word};

use super::{
    CONSTANT, Compiled, File, Fix, FxHashMap, RelocationType, SectionKey, SectionType, Space, Symbol, SymbolKey,
    bytes_section,
    linkage::{OBJECT, space_bits},
    relocation_section, section_type,
};
use crate::ir::TABLE_BIAS;

/// The bank.
const BANK: u8 = 2;
/// `STV_INTERNAL`
const INTERNAL: u8 = 1;
/// Bytes of a constant bank.
const BANK_BYTES: usize = 1 << 16;

/// Where the tables of functions that are called stand.
#[derive(Debug, Default)]
pub(super) struct Tables {
    /// Where the part that all kernels with calls have begins.
    start: usize,
    /// Its bytes.
    bytes: Vec<u8>,
    /// Where the tables of each function begin in the bank.
    places: FxHashMap<String, usize>,
}

impl Tables {
    /// Of the functions of an executable.
    ///
    /// # Errors
    /// They do not fit into the bank.
    pub(super) fn of(functions: &[Compiled]) -> Result<Tables, String> {
        let kernels = functions.iter().filter(|compiled| calls(compiled));
        let mut tables = Tables {
            start: kernels.map(|compiled| own(compiled).len()).max().unwrap_or(0),
            ..Tables::default()
        };
        for compiled in functions.iter().filter(|compiled| !compiled.function.kernel) {
            let own = own(compiled);
            if !own.is_empty() {
                let place = tables.start + tables.bytes.len();
                tables.places.insert(compiled.function.name.clone(), place);
                tables.bytes.extend(own);
            }
        }
        if tables.start + tables.bytes.len() > BANK_BYTES {
            return Err("the tables of branches do not fit into a constant bank".to_string());
        }
        Ok(tables)
    }

    /// The words of a function, with the places of its tables.
    pub(super) fn placed<'c>(&self, compiled: &'c Compiled) -> Cow<'c, [Word]> {
        let words = &compiled.code.words;
        let Some(start) = self.places.get(&compiled.function.name) else {
            return Cow::Borrowed(words);
        };
        let mut words = words.clone();
        for (index, offset) in &compiled.code.table_loads {
            let place = (start + *offset as usize) as u64;
            let offset = place.wrapping_sub(TABLE_BIAS.into()) & 0xffff;
            let word = words[*index].with_field(FieldName::Bank, BANK.into());
            if let Some(word) = word.and_then(|word| word.with_field(FieldName::Offset, offset)) {
                words[*index] = word;
            }
        }
        Cow::Owned(words)
    }

    /// What a kernel has in the bank.
    fn of_kernel(&self, compiled: &Compiled) -> Vec<u8> {
        let mut bytes = own(compiled);
        if calls(compiled) && !self.bytes.is_empty() {
            bytes.resize(self.start, 0);
            bytes.extend(&self.bytes);
        }
        bytes
    }
}

/// Bytes of constant bank 2 that each function's part of the file says.
pub(crate) fn table_bytes(functions: &[Compiled], relocatable: bool) -> Vec<u32> {
    let tables = match relocatable {
        true => Tables::default(),
        false => Tables::of(functions).unwrap_or_default(),
    };
    functions
        .iter()
        .map(|compiled| tables.of_kernel(compiled).len() as u32)
        .collect()
}

/// Whether a kernel calls anything.
fn calls(compiled: &Compiled) -> bool {
    let mut words = compiled.code.words.iter();
    compiled.function.kernel && words.any(|word| word.flow() == Flow::Call)
}

/// A function's own tables.
fn own(compiled: &Compiled) -> Vec<u8> {
    let mut banks = compiled.function.banks.iter();
    let mut bytes = banks
        .find(|(bank, _)| *bank == BANK)
        .map_or(Vec::new(), |(_, bytes)| bytes.clone());
    for table in &compiled.code.tables {
        let slots = bytes.chunks_exact_mut(4).skip(table.offset as usize / 4);
        for (slot, target) in slots.zip(&table.targets) {
            slot.copy_from_slice(&target.to_le_bytes());
        }
    }
    bytes
}

impl File<'_> {
    /// Constant bank 2 of a function, if it has one, and the symbols of its tables, by their offsets, if they have any.
    pub(super) fn tables(
        &mut self,
        compiled: &Compiled,
        text: SectionKey,
    ) -> (Option<SectionKey>, Vec<(u32, SymbolKey)>) {
        let bytes = match self.relocatable {
            true => own(compiled),
            false if compiled.function.kernel => self.tables.of_kernel(compiled),
            false => Vec::new(),
        };
        if bytes.is_empty() {
            return (None, Vec::new());
        }
        let name = &compiled.function.name;
        let section_name = format!(".nv.constant{BANK}.{name}");
        let first = match self.is_separate() {
            true => format!(".nv.constant.optimizer.{name}"),
            false => section_name.clone(),
        };
        self.writer.rename_section(&section_name, &first);
        self.writer.rename_symbol(&section_name, &first);
        let kind = match self.relocatable {
            true => section_type("SHT_CUDA_CONSTANT_B2"),
            false => SectionType::PROGBITS,
        };
        let section: Section = bytes_section(&section_name, kind, CONSTANT, 4, bytes);
        let key = self.writer.section_about(super::Rank::Constants, section, text);
        self.writer.section_symbol(key);
        if !self.relocatable {
            return (Some(key), Vec::new());
        }
        // Unrolled code may go by one table at several places.
        let mut parts: Vec<(u32, u32)> = compiled
            .code
            .tables
            .iter()
            .map(|t| (t.offset, 4 * t.targets.len() as u32))
            .collect();
        parts.sort_unstable();
        parts.dedup();
        let symbols = parts.into_iter().map(|(offset, size)| {
            let symbol = Symbol {
                name: format!("{name}.const_opt.{offset}.{}", offset + size),
                binding: SymbolBinding::LOCAL,
                symbol_type: OBJECT,
                other: SymbolOther(space_bits(Space::Constant) | INTERNAL),
                value: offset.into(),
                size: size.into(),
                ..Symbol::null()
            };
            (offset, self.writer.symbol(symbol, Some(key)))
        });
        (Some(key), symbols.collect())
    }

    /// The section of relocations of a function's bank: from sm_90 on ptxas leaves it there when it has filled in the table.
    pub(super) fn bank_relocations(&mut self, name: &str, bank: Option<SectionKey>) {
        let Some(bank) = bank.filter(|_| self.is_separate()) else {
            return;
        };
        let section = relocation_section(&format!(".nv.constant{BANK}.{name}"), true);
        self.writer.name_section(&section.name);
        self.writer.section_about(super::Rank::Relocations, section, bank);
    }

    /// In a relocatable file: the offsets of loads from tables.
    pub(super) fn table_relocations(&mut self, index: usize) -> Result<(), String> {
        let made = &self.made[index];
        let Some(relocations) = made.relocations.filter(|_| self.relocatable) else {
            return Ok(());
        };
        for (index, offset) in &made.compiled.code.table_loads {
            let symbol = made.tables.iter().find(|(start, _)| start == offset);
            let fix = Fix {
                offset: 16 * *index as u64,
                symbol: symbol.ok_or_else(|| fault::internal("a load from no table"))?.1,
                kind: RelocationType::from_name("R_CUDA_CONST_FIELD21_38").ok_or("a relocation without number")?,
                addend: -i64::from(TABLE_BIAS),
            };
            self.writer.fix(relocations, fix);
        }
        Ok(())
    }
}
