//! The SM of a cubin as the target crate names it: the only place that uses that crate.

use warpsmith_target::{Isa, Sm};

use crate::compat;
use crate::header::{FileType, Flags, Header};
use crate::model::Cubin;

impl Header {
    /// The header of an empty cubin for `sm`, as ptxas 13.0 writes it; the section names come to section 1.
    pub fn for_target(sm: Sm, file_type: FileType) -> Header {
        let elf = sm.info().elf;
        // Observed: 0 in relocatable files for sm_90 and up, 56 in all others.
        let headerless = file_type == FileType::Relocatable && sm.isa() >= Isa::Sm90;
        Header {
            os_abi: elf.os_abi,
            abi_version: elf.abi_version,
            file_type,
            version: 1,
            entry: 0,
            flags: Flags(sm.info().elf_flags()),
            segment_header_size: if headerless { 0 } else { 56 },
            section_names: 1,
        }
    }
}

impl Cubin {
    /// The target that the file names: SM number from `e_flags`, suffix `a` from `.nv.compat`. A file for an `f`
    /// target looks like one for the plain target. `None` for an SM that the target crate does not know.
    pub fn target(&self) -> Option<Sm> {
        let number = self.header.flags.sm_number(self.header.abi_version);
        let compat = self
            .section_by_name(".nv.compat")
            .map(|(index, _)| self.info_records(index));
        let suffix = match compat {
            Some(Ok(records)) if compat::is_accelerated(&records) => "a",
            _ => "",
        };
        format!("sm_{number}{suffix}").parse().ok()
    }
}
