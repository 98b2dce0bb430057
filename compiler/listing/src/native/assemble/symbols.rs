//! Symbols and relocations.

use std::ops::Range;

use warpsmith_cubin::{
    Content, Relocation, RelocationType, Symbol, SymbolBinding, SymbolOther, SymbolSection, SymbolType,
};

use super::Assembler;
use super::expression;
use super::file::reference;
use super::lexer::{Fault, Lexer, Result};
use crate::native::names::{symbol_binding_of, symbol_other_of, symbol_type_of};

/// A symbol whose section, value and size are still parts of the source.
pub(super) struct SymbolDraft {
    /// The section that holds its table.
    pub(super) table: u32,
    /// Its number in the table.
    pub(super) number: u32,
    pub(super) home: Option<Range<usize>>,
    pub(super) value: Option<Range<usize>>,
    pub(super) size: Option<Range<usize>>,
}

/// A relocation whose symbol and addend are still parts of the source.
pub(super) struct RelocationDraft {
    pub(super) home: RelocationHome,
    pub(super) relocation: Relocation,
    pub(super) symbol: Range<usize>,
    pub(super) addend: Option<Range<usize>>,
    /// The directive in the source.
    pub(super) directive: Range<usize>,
}

/// Where a relocation belongs.
#[derive(Clone, Copy)]
pub(super) enum RelocationHome {
    /// To the relocation section for this section, of the kind with or without addends.
    For(u32, bool),
    /// To this relocation section.
    In(u32),
}

impl<'a> Assembler<'a> {
    /// `.symbol`, or that a table has no null symbol.
    pub(super) fn read_symbol(&mut self, directive: &str, bytes: Range<usize>, line: &mut Lexer<'a>) -> Result<()> {
        let table = self.sections.len().saturating_sub(1) as u32;
        let Content::Symbols(symbols) = self.section_content(bytes.clone())? else {
            return Err(self.misplaced(bytes));
        };
        if directive == ".no_null_symbol" {
            symbols.clear();
            return Ok(());
        }
        let number = symbols.len() as u32;
        let mut draft = SymbolDraft {
            table,
            number,
            home: None,
            value: None,
            size: None,
        };
        // A symbol that is refused still has its number.
        symbols.push(Symbol::null());
        let symbol = symbol_line(&mut draft, line)?;
        if let Content::Symbols(symbols) = self.section_content(bytes)? {
            symbols[number as usize] = symbol;
        }
        self.symbols.push(draft);
        Ok(())
    }

    /// `.rel` and `.rela`: the relocation of what follows.
    pub(super) fn read_relocation(
        &mut self,
        with_addend: bool,
        bytes: Range<usize>,
        line: &mut Lexer<'a>,
    ) -> Result<()> {
        let target = self.sections.len().saturating_sub(1) as u32;
        let Content::Bytes(content) = self.section_content(bytes.clone())? else {
            return Err(self.misplaced(bytes));
        };
        let offset = content.len() as u64;
        let home = RelocationHome::For(target, with_addend);
        let draft = relocation(home, offset, with_addend, bytes, line)?;
        self.relocations.push(draft);
        Ok(())
    }

    /// `.entry`: a line of a relocation section.
    pub(super) fn read_entry(&mut self, bytes: Range<usize>, line: &mut Lexer<'a>) -> Result<()> {
        let section = self.sections.len().saturating_sub(1) as u32;
        let &mut Content::Relocations { with_addend, .. } = self.section_content(bytes.clone())? else {
            return Err(self.misplaced(bytes));
        };
        let offset = line.number64(64)?;
        line.comma()?;
        let draft = relocation(RelocationHome::In(section), offset, with_addend, bytes, line)?;
        self.relocations.push(draft);
        Ok(())
    }
}

fn symbol_line(draft: &mut SymbolDraft, line: &mut Lexer<'_>) -> Result<Symbol> {
    let name = line.name()?;
    let mut symbol = Symbol {
        name: name.into_owned(),
        name_offset: None,
        ..Symbol::null()
    };
    let mut other = 0;
    while line.more()? {
        let start = line.position();
        let key = line.word();
        let bytes = start..line.position();
        if !line.take('=') {
            if let Some(kind) = symbol_type_of(key) {
                symbol.symbol_type = kind;
            } else if let Some(binding) = symbol_binding_of(key) {
                symbol.binding = binding;
            } else if let Some((mask, value)) = symbol_other_of(key) {
                other = other & !mask | value;
            } else {
                return Err(Fault::new(
                    bytes,
                    format!("`{key}` is no type, binding or attribute of a symbol"),
                ));
            }
            continue;
        }
        match key {
            "type" => symbol.symbol_type = SymbolType(line.number64(4)? as u8),
            "bind" => symbol.binding = SymbolBinding(line.number64(4)? as u8),
            "other" => other = line.number64(8)? as u8,
            "in" => draft.home = Some(reference(line)?),
            "reserved" => symbol.section = SymbolSection::Reserved(line.number64(16)? as u16),
            "value" => draft.value = Some(sum(line)?),
            "size" => draft.size = Some(sum(line)?),
            "name_at" => symbol.name_offset = Some(line.number64(32)? as u32),
            _ => return Err(Fault::new(bytes, format!("`{key}` is no attribute of a symbol"))),
        }
    }
    symbol.other = SymbolOther(other);
    Ok(symbol)
}

/// The part of the source that is a sum.
pub(super) fn sum(line: &mut Lexer<'_>) -> Result<Range<usize>> {
    let start = line.position();
    expression::read(line, &expression::Labels::new(), None)?;
    Ok(start..line.position())
}

/// Type, symbol, addend, and `at=` for a place after the next byte.
fn relocation(
    home: RelocationHome,
    offset: u64,
    with_addend: bool,
    directive: Range<usize>,
    line: &mut Lexer<'_>,
) -> Result<RelocationDraft> {
    let start = line.position();
    let relocation_type = match line.peek() {
        Some(b'0'..=b'9') => RelocationType(line.number64(32)? as u32),
        _ => {
            let word = line.word();
            let found = RelocationType::from_name(word);
            found.ok_or_else(|| Fault::new(start..line.position(), format!("there is no relocation type `{word}`")))?
        }
    };
    line.comma()?;
    let relocation = Relocation {
        offset,
        symbol: 0,
        relocation_type,
        addend: 0,
    };
    let mut draft = RelocationDraft {
        home,
        relocation,
        symbol: reference(line)?,
        addend: None,
        directive,
    };
    while line.more()? {
        let start = line.position();
        if line.rest().starts_with("at=") {
            line.word();
            line.take('=');
            draft.relocation.offset = offset.wrapping_add(line.number64(64)?);
        } else if with_addend && draft.addend.is_none() {
            draft.addend = Some(sum(line)?);
        } else {
            return Err(Fault::new(
                start..line.position(),
                "an entry without addend has its addend in the relocated field",
            ));
        }
    }
    Ok(draft)
}
