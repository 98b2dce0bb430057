//! What `.nv.info` says of a function, as comments above its code.

use std::fmt::Write;

use warpsmith_cubin::{InfoValue, SectionType};

use super::Native;

impl Native<'_> {
    /// Comments with a function's resources and parameters.
    pub(super) fn write_summary(&mut self, code: u32) {
        let mut facts = Vec::new();
        let mut parameters = Vec::new();
        let functions = self.view.symbols_of(code).to_vec();
        for index in 0..self.view.cubin.sections.len() as u32 {
            let section = self.section(index);
            if section.section_type != SectionType::CUDA_INFO {
                continue;
            }
            let Ok(records) = self.view.cubin.info_records(index) else { continue };
            let own = section.name != ".nv.info" && section.info == code;
            for record in records {
                let word = |at: usize| match &record.value {
                    InfoValue::Sized(bytes) => bytes.get(at..at + 4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])),
                    _ => None,
                };
                let about = word(0).is_some_and(|symbol| functions.contains(&symbol));
                match (record.attribute.0, &record.value) {
                    (0x2f, _) if about => facts.push(format!("{} registers", word(4).unwrap_or(0))),
                    (0x11, _) if about => facts.push(format!("{} bytes of frame", word(4).unwrap_or(0))),
                    (0x12, _) if about => facts.push(format!("at least {} bytes of stack", word(4).unwrap_or(0))),
                    (0x4c, InfoValue::Byte(count, _)) if own => facts.push(format!("{count} barriers")),
                    (0x19, InfoValue::Half(size)) if own => facts.push(format!("{size} bytes of parameters")),
                    (0x0a, _) if own => facts.push(format!("parameters at c[0x0][{:#x}]", word(4).unwrap_or(0) & 0xffff)),
                    (0x10, _) if own => {
                        let [x, y, z] = [0, 4, 8].map(|at| word(at).unwrap_or(0));
                        facts.push(format!("blocks of {x}x{y}x{z} threads"));
                    }
                    (0x17, _) if own => {
                        let place = word(4).unwrap_or(0);
                        let size = word(8).unwrap_or(0) >> 18;
                        parameters.push((place & 0xffff, place >> 16, size));
                    }
                    _ => {}
                }
            }
        }
        if !facts.is_empty() {
            let _ = writeln!(self.out, "    // {}", facts.join(", "));
        }
        parameters.sort_unstable();
        for (number, offset, size) in parameters {
            let _ = writeln!(self.out, "    // parameter {number}: {size} bytes at {offset:#x}");
        }
    }
}
