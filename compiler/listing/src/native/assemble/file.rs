//! What the listing says of the file as a whole.

use std::ops::Range;

use warpsmith_cubin::FileType;
use warpsmith_target::Sm;

use super::Assembler;
use super::lexer::{Fault, Lexer, Result};

/// Fields of the ELF header that are not as usual.
#[derive(Default)]
pub(super) struct HeaderFields {
    pub(super) os_abi: Option<u8>,
    pub(super) abi_version: Option<u8>,
    pub(super) version: Option<u32>,
    pub(super) entry: Option<u64>,
    pub(super) flags: Option<u32>,
    pub(super) segment_header_size: Option<u16>,
    pub(super) section_names: Option<u32>,
}

/// A program header whose sections are still names.
#[derive(Default)]
pub(super) struct SegmentDraft {
    pub(super) segment_type: u32,
    pub(super) flags: u32,
    pub(super) virtual_address: u64,
    pub(super) physical_address: u64,
    pub(super) alignment: u64,
    pub(super) is_table: bool,
    /// Offset, size in the file and in memory.
    pub(super) raw: (u64, u64, u64),
    pub(super) first: Option<Range<usize>>,
    pub(super) last: Option<Range<usize>>,
}

/// `p_align` where none is given.
const SEGMENT_ALIGNMENT: u64 = 8;

impl<'a> Assembler<'a> {
    pub(super) fn read_target(&mut self, line: &mut Lexer<'a>) -> Result<()> {
        let start = line.position();
        let word = line.word();
        let bytes = start..line.position();
        let target = match word {
            "unknown" => None,
            _ => match word.parse::<Sm>() {
                Ok(sm) => Some(sm),
                Err(error) => {
                    self.is_target_refused = true;
                    self.target.get_or_insert(None);
                    return Err(Fault::new(bytes, error.to_string()));
                }
            },
        };
        match self.target.replace(target) {
            Some(_) => Err(Fault::new(bytes, "the target has been given already")),
            None if !self.sections.is_empty() => Err(Fault::new(bytes, "the target stands before the first section")),
            None => Ok(()),
        }
    }

    pub(super) fn read_type(&mut self, line: &mut Lexer<'a>) -> Result<()> {
        self.file_type = match line.clone().word() {
            "executable" => FileType::Executable,
            "relocatable" => FileType::Relocatable,
            word if word.starts_with(|c: char| c.is_ascii_digit()) => {
                FileType::from_number(line.clone().number64(16)? as u16)
            }
            _ => return Err(line.expected("`executable`, `relocatable` or a number")),
        };
        line.word();
        Ok(())
    }

    pub(super) fn read_header(&mut self, line: &mut Lexer<'a>) -> Result<()> {
        loop {
            let start = line.position();
            let key = line.word();
            let bytes = start..line.position();
            if !line.take('=') {
                return Err(line.expected("`=`"));
            }
            let header = &mut self.header;
            match key {
                "os_abi" => header.os_abi = Some(line.number64(8)? as u8),
                "abi_version" => header.abi_version = Some(line.number64(8)? as u8),
                "version" => header.version = Some(line.number64(32)? as u32),
                "entry" => header.entry = Some(line.number64(64)?),
                "flags" => header.flags = Some(line.number64(32)? as u32),
                "segment_header_size" => header.segment_header_size = Some(line.number64(16)? as u16),
                "section_names" => header.section_names = Some(line.number64(32)? as u32),
                _ => return Err(Fault::new(bytes, format!("`{key}` is no field of the header"))),
            }
            if !line.more()? {
                return Ok(());
            }
        }
    }

    /// `.segments none`, or one `.segment`.
    pub(super) fn read_segment(&mut self, directive: &str, line: &mut Lexer<'a>) -> Result<()> {
        let segments = self.segments.get_or_insert_default();
        if directive == ".segments" {
            return if line.clone().word() == "none" {
                line.word();
                Ok(())
            } else {
                Err(line.expected("`none`"))
            };
        }
        let segment_type = line.number64(32)? as u32;
        let mut segment = SegmentDraft {
            segment_type,
            alignment: SEGMENT_ALIGNMENT,
            ..SegmentDraft::default()
        };
        while line.more()? {
            let start = line.position();
            let key = line.word();
            let bytes = start..line.position();
            if key == "table" {
                segment.is_table = true;
                continue;
            }
            if !line.take('=') {
                return Err(line.expected("`=`"));
            }
            match key {
                "flags" => segment.flags = line.number64(32)? as u32,
                "virtual_address" => segment.virtual_address = line.number64(64)?,
                "physical_address" => segment.physical_address = line.number64(64)?,
                "align" => segment.alignment = line.number64(64)?,
                "offset" => segment.raw.0 = line.number64(64)?,
                "file_size" => segment.raw.1 = line.number64(64)?,
                "memory_size" => segment.raw.2 = line.number64(64)?,
                "first" => segment.first = Some(reference(line)?),
                "last" => segment.last = Some(reference(line)?),
                _ => return Err(Fault::new(bytes, format!("`{key}` is no attribute of a segment"))),
            }
        }
        segments.push(segment);
        Ok(())
    }
}

/// The part of the source that names a section or a symbol: a name or a number.
pub(super) fn reference(line: &mut Lexer<'_>) -> Result<Range<usize>> {
    let start = line.position();
    if line.optional_name()?.is_none() {
        line.number(32).map_err(|fault| {
            if line.position() == start {
                line.expected("a name or a number")
            } else {
                fault
            }
        })?;
    }
    Ok(start..line.position())
}
