//! `.section` lines, and content that is neither code nor data.

use std::ops::Range;

use warpsmith_cubin::{Content, Placement, Section, SectionFlags, SectionType, StringTable};

use super::Assembler;
use super::data::MOST_ZEROS;
use super::file::reference;
use super::lexer::{Fault, Lexer, Result};
use crate::native::names::{FLAG_WORDS, section_type_of, section_type_word};
use crate::native::usual;

/// The largest alignment and the largest gap in bytes; real files have far less.
const LARGEST_GAP: u64 = 1 << 24;

/// A section, and what its line leaves to be found out at the end.
pub(super) struct Draft {
    pub(super) section: Section,
    pub(super) alignment: Option<u64>,
    pub(super) entry_size: Option<u64>,
    pub(super) placement: Option<Placement>,
    pub(super) link: Option<Range<usize>>,
    pub(super) info: Option<u32>,
    pub(super) registers: u32,
    pub(super) mirror: Option<Range<usize>>,
    /// Whether the entries of a relocation section stand from the last to the first.
    pub(super) is_descending: bool,
    /// The bytes of `.section` in the source.
    pub(super) line: Range<usize>,
}

impl Draft {
    fn new(section: Section, line: Range<usize>) -> Draft {
        Draft {
            section,
            alignment: None,
            entry_size: None,
            placement: None,
            link: None,
            info: None,
            registers: 0,
            mirror: None,
            is_descending: false,
            line,
        }
    }

    /// How many bytes the section has; `None` for one that holds no bytes.
    pub(super) fn offset(&self) -> Option<u64> {
        self.section.bytes().map(|bytes| bytes.len() as u64)
    }
}

impl<'a> Assembler<'a> {
    pub(super) fn read_section(&mut self, bytes: Range<usize>, line: &mut Lexer<'a>) -> Result<()> {
        // A fault here must show even if the section before was refused.
        self.is_refused = false;
        // A section that is refused still has its name and its number.
        let name = line.clone().name().unwrap_or_default();
        let draft = section_line(bytes.clone(), line);
        if self.sections.is_empty() && !matches!(&draft, Ok(draft) if draft.section.section_type == SectionType::NULL) {
            let null = Section::new("", SectionType::NULL, SectionFlags(0));
            self.sections.push(Draft::new(null, bytes.clone()));
        }
        match draft {
            Ok(mut draft) => {
                // Gaps are zeros of the file, too, and are given back at once where they are too many.
                if let Some(Placement::After(gap)) = &draft.placement {
                    self.zeros = self.zeros.saturating_add(gap.len() as u64);
                    if self.zeros > MOST_ZEROS {
                        let message = format!("a listing has at most {MOST_ZEROS} zeros");
                        self.faults.push(Fault::new(draft.line.clone(), message));
                        draft.placement = None;
                    }
                }
                self.sections.push(draft);
            }
            Err(fault) => {
                self.faults.push(fault);
                self.is_refused = true;
                let flags = SectionFlags::ALLOC | SectionFlags::EXECINSTR;
                let section = Section::new(&name, SectionType::PROGBITS, flags);
                self.sections.push(Draft::new(section, bytes));
                line.take_while(|_| true);
            }
        }
        Ok(())
    }

    /// The content of the section in hand, for a directive that stands in a section.
    pub(super) fn section_content(&mut self, directive: Range<usize>) -> Result<&mut Content> {
        match self.sections.last_mut() {
            Some(draft) => Ok(&mut draft.section.content),
            None => Err(Fault::new(
                directive,
                "this stands in a section, and no `.section` comes before it",
            )),
        }
    }

    /// The fault that a directive does not fit the type of the section in hand.
    pub(super) fn misplaced(&self, directive: Range<usize>) -> Fault {
        let section_type = self.sections.last().map(|draft| draft.section.section_type);
        let word = section_type.and_then(section_type_word).unwrap_or("this type");
        Fault::new(directive, format!("this does not stand in a section of {word}"))
    }

    /// `.null` and `.nobits`.
    pub(super) fn read_size(&mut self, directive: &str, bytes: Range<usize>, line: &mut Lexer<'a>) -> Result<()> {
        let size = line.number64(64)?;
        match (self.section_content(bytes.clone())?, directive) {
            (Content::Null(content), ".null") | (Content::NoBits(content), ".nobits") => {
                *content = size;
                Ok(())
            }
            _ => Err(self.misplaced(bytes)),
        }
    }

    /// `.strings`, or all bytes of a table with `.bytes`.
    pub(super) fn read_strings(&mut self, bytes: Range<usize>, line: &mut Lexer<'a>) -> Result<()> {
        if !matches!(self.section_content(bytes.clone())?, Content::Strings(_)) {
            return Err(self.misplaced(bytes));
        }
        loop {
            let start = line.position();
            let string = line.string()?;
            let string = std::str::from_utf8(&string);
            match (string, self.section_content(bytes.clone())?) {
                (Ok(string), Content::Strings(table)) => table.push(string),
                _ => {
                    return Err(Fault::new(
                        start..line.position(),
                        "this string is no UTF-8; use .bytes for the table",
                    ));
                }
            };
            if !line.more()? {
                return Ok(());
            }
        }
    }

    /// All bytes of a string table.
    pub(super) fn replace_strings(&mut self, table: Vec<u8>) {
        if let Some(draft) = self.sections.last_mut() {
            draft.section.content = Content::Strings(StringTable::from_bytes(table));
        }
    }
}

fn section_line(bytes: Range<usize>, line: &mut Lexer<'_>) -> Result<Draft> {
    let name = line.name()?;
    line.comma()?;
    let start = line.position();
    let section_type = match line.peek() {
        Some(b'0'..=b'9') => SectionType(line.number64(32)? as u32),
        _ => {
            let word = line.word();
            let found = section_type_of(word);
            found.ok_or_else(|| Fault::new(start..line.position(), format!("there is no section type `{word}`")))?
        }
    };
    let mut draft = Draft::new(Section::new(&name, section_type, SectionFlags(0)), bytes);
    let mut flags = 0;
    while line.more()? {
        flags |= attribute(&mut draft, line)?;
    }
    // The flags can change how the content is stored.
    let flags = SectionFlags(flags);
    let made = Section::new(&name, section_type, flags);
    let given = std::mem::replace(&mut draft.section, made);
    draft.section.address = given.address;
    draft.section.name_offset = given.name_offset;
    Ok(draft)
}

/// Reads one attribute; gives the flags that it sets.
fn attribute(draft: &mut Draft, line: &mut Lexer<'_>) -> Result<u64> {
    let start = line.position();
    let key = line.word();
    let bytes = start..line.position();
    if let Some(&(_, flag)) = FLAG_WORDS.iter().find(|row| row.0 == key) {
        return Ok(flag);
    }
    if key == "descending" {
        draft.is_descending = true;
        return Ok(0);
    }
    if !line.take('=') {
        return Err(Fault::new(bytes, format!("`{key}` is no attribute of a section")));
    }
    match key {
        "flags" => return line.number64(64),
        "barriers" => return Ok(line.number64(7)? << usual::BARRIERS_BIT),
        "registers" => draft.registers = line.number64(8)? as u32,
        "address" => draft.section.address = line.number64(64)?,
        "link" => draft.link = Some(reference(line)?),
        "info" => draft.info = Some(line.number64(32)? as u32),
        "mirror" => draft.mirror = Some(reference(line)?),
        "entry_size" => draft.entry_size = Some(line.number64(64)?),
        "name_at" => draft.section.name_offset = Some(line.number64(32)? as u32),
        "align" => {
            let start = line.position();
            let alignment = line.number64(64)?;
            if alignment > LARGEST_GAP || alignment > 1 && !alignment.is_power_of_two() {
                let message = format!("an alignment is a power of two up to {LARGEST_GAP}");
                return Err(Fault::new(start..line.position(), message));
            }
            draft.alignment = Some(alignment);
        }
        _ => draft.placement = Some(placement(key, start, line)?),
    }
    Ok(0)
}

/// The value of a placement with this key.
pub(super) fn placement(key: &str, start: usize, line: &mut Lexer<'_>) -> Result<Placement> {
    let placement = match key {
        "gap" => match line.number64(64)? {
            0 => Placement::Policy,
            size if size <= LARGEST_GAP => Placement::After(vec![0; size as usize]),
            _ => {
                return Err(Fault::new(
                    start..line.position(),
                    format!("a gap has at most {LARGEST_GAP} bytes"),
                ));
            }
        },
        "after" => Placement::After(line.bytes()?),
        "at" => match line.number64(64)? {
            offset if offset <= LARGEST_GAP => Placement::At(offset),
            _ => {
                return Err(Fault::new(
                    start..line.position(),
                    format!("a place is at most {LARGEST_GAP}"),
                ));
            }
        },
        _ => {
            return Err(Fault::new(
                start..start + key.len(),
                format!("`{key}` is no attribute here"),
            ));
        }
    };
    Ok(placement)
}
