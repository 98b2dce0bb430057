//! The sections that tell a debugger of functions: frames, lines, registers, and the DWARF of the PTX.

use warpsmith_cubin::{Content, SectionFlags, SectionType, relocation::RelocationType};

use super::{
    File, debug,
    frame::{Frame, Frames},
    line::{Table, ptx_text},
    registers, text,
    writer::{Fix, Rank, SectionKey, bytes_section, relocation_section},
};

impl File<'_> {
    /// `.debug_frame`, and for each function the offset of its address there.
    pub(super) fn frames(&mut self) -> (SectionKey, Vec<u64>) {
        let mut frames = Frames::default();
        let mut places = Vec::new();
        for made in &self.made {
            let words = &made.compiled.code.words;
            let frame = Frame {
                size: made.size,
                bytes: made.compiled.function.frame_bytes,
                first_block_end: text::first_block_end(words),
                last_exit: text::exits(words).last().copied().unwrap_or(0).into(),
            };
            places.push(frames.add(self.sm.isa(), &frame));
        }
        self.writer.name(".debug_frame");
        let section = bytes_section(".debug_frame", SectionType::PROGBITS, SectionFlags(0), 1, frames.bytes);
        let key = self.writer.section(Rank::Frames, section);
        if !self.made.is_empty() {
            self.writer.section_symbol(key);
        }
        (key, places)
    }

    /// The line tables.
    pub(super) fn lines(&mut self) -> Result<(), String> {
        let Some(mut lines) = self.lines.take() else {
            return Ok(());
        };
        let made = self.made.iter();
        let with_lines: Vec<bool> = made
            .map(|made| lines.add(made.source, made.compiled, made.size))
            .collect();
        let with_strings = lines.strings.known.bytes.is_some();
        let source = self.debug_section(".debug_line");
        if let Some(bytes) = lines.strings.known.bytes.take() {
            let key = self.debug_section(".debug_str");
            self.writer.section_mut(key).content = Content::Bytes(bytes);
        }
        self.line_table(".debug_line", source, lines.source, with_strings, &with_lines)?;
        let ptx = self.debug_section(".nv_debug_line_sass");
        self.line_table(
            ".nv_debug_line_sass",
            ptx,
            lines.ptx,
            false,
            &vec![true; self.made.len()],
        )?;
        let text = self.debug_section(".nv_debug_ptx_txt");
        let bytes = self.text.as_deref().map(ptx_text).unwrap_or_default();
        self.writer.section_mut(text).content = Content::Bytes(bytes);
        Ok(())
    }

    /// Which machine registers hold those of the PTX.
    pub(super) fn register_tables(&mut self) {
        if !self.debug {
            return;
        }
        let functions = self.made.iter().map(|made| {
            let function = &made.compiled.function;
            (function.name.as_str(), made.source, &function.register_places[..])
        });
        let (registers, types) = registers::sections(self.module, functions);
        for (name, bytes) in [
            (".nv_debug_info_reg_sass", registers),
            (".nv_debug_info_reg_type", types),
        ] {
            let key = self.debug_section(name);
            self.writer.section_mut(key).content = Content::Bytes(bytes);
        }
    }

    /// The DWARF sections of the PTX; `.debug_str` is there already if it is with the lines.
    pub(super) fn debug_sections(&mut self) -> Result<(), String> {
        let Some(data) = self.data.as_ref().filter(|_| self.debug) else {
            return Ok(());
        };
        let names = debug::Names::new(self.module, &self.made, data.symbols());
        let mut made: Vec<(String, Vec<u8>, Vec<debug::Address>)> = Vec::new();
        for section in &self.module.sections {
            let name = self.module.names.get(section.name);
            if name.starts_with(".debug_") && ![".debug_str", ".debug_line"].contains(&name) {
                let (bytes, addresses) = names.section(section);
                made.push((name.to_string(), bytes, addresses));
            }
        }
        for (name, bytes, addresses) in made {
            let key = self.debug_section(&name);
            self.writer.section_mut(key).content = Content::Bytes(bytes);
            if addresses.is_empty() {
                continue;
            }
            self.writer.name(&format!(".rela{name}"));
            let section = relocation_section(&name, true);
            let relocations = self.writer.section_about(Rank::Relocations, section, key);
            for address in addresses {
                let kind = if address.constant { "R_CUDA_G64" } else { "R_CUDA_64" };
                let fix = Fix {
                    offset: address.offset,
                    symbol: address.symbol,
                    kind: RelocationType::from_name(kind).ok_or("a relocation without number")?,
                    addend: address.addend,
                };
                self.writer.fix(relocations, fix);
            }
        }
        Ok(())
    }

    fn debug_section(&mut self, name: &str) -> SectionKey {
        self.writer.name(name);
        let section = bytes_section(name, SectionType::PROGBITS, SectionFlags(0), 1, Vec::new());
        let key = self.writer.section(Rank::Debug, section);
        self.writer.section_symbol(key);
        key
    }

    /// `present`: which functions have a sequence of rows.
    fn line_table(
        &mut self,
        name: &str,
        section: SectionKey,
        table: Table,
        addends_first: bool,
        present: &[bool],
    ) -> Result<(), String> {
        if table.addresses.is_empty() {
            self.writer.section_mut(section).content = Content::Bytes(table.finish());
            return Ok(());
        }
        let (plain, with_addend) = (format!(".rel{name}"), format!(".rela{name}"));
        if addends_first {
            self.writer.name(&with_addend);
        }
        self.writer.name(&plain);
        if self.is_separate() {
            self.writer.name(&with_addend);
        }
        let relocations = relocation_section(name, self.is_separate());
        let relocations = self.writer.section_about(Rank::Relocations, relocations, section);
        let kind = RelocationType::from_name("R_CUDA_64").ok_or("a relocation without number")?;
        let with_rows = self.made.iter().zip(present).filter(|(_, present)| **present);
        let fixes = with_rows.zip(&table.addresses).map(|((made, _), offset)| Fix {
            offset: *offset,
            symbol: made.symbol,
            kind,
            addend: 0,
        });
        let mut fixes: Vec<Fix> = fixes.collect();
        if !self.is_separate() {
            fixes.reverse();
        }
        for fix in fixes {
            self.writer.fix(relocations, fix);
        }
        self.writer.section_mut(section).content = Content::Bytes(table.finish());
        Ok(())
    }

    pub(super) fn frame_relocations(&mut self, (frames, places): (SectionKey, Vec<u64>)) -> Result<(), String> {
        if self.made.is_empty() {
            return Ok(());
        }
        self.writer.name(".rel.debug_frame");
        self.writer.name(".rela.debug_frame");
        let section = relocation_section(".debug_frame", self.is_separate());
        let relocations = self.writer.section_about(Rank::Relocations, section, frames);
        let kind = RelocationType::from_name("R_CUDA_64").ok_or("a relocation without number")?;
        for (made, offset) in self.made.iter().zip(places).rev() {
            let fix = Fix {
                offset,
                symbol: made.symbol,
                kind,
                addend: 0,
            };
            self.writer.fix(relocations, fix);
        }
        Ok(())
    }
}
