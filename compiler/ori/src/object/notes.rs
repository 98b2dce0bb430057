//! The notes of a cubin: what made it, and for what.

use warpsmith_cubin::{
    Section, SectionFlags, SectionType,
    note::{self, CudaInfo, ToolkitInfo},
};

use super::writer::bytes_section;

/// The toolkit whose file format this is, as it stands in `.note.nv.cuinfo`.
const TOOLKIT: u16 = 130;

/// `.note.nv.tkinfo`, with the command line.
pub(super) fn toolkit(arguments: &str) -> Section {
    let info = ToolkitInfo {
        version: 2,
        object_name: String::new(),
        tool_name: "warpsmith".to_string(),
        tool_version: format!("Warpsmith {}, as of release 13.0, V13.0.88", env!("CARGO_PKG_VERSION")),
        tool_branch: String::new(),
        arguments: arguments.to_string(),
    };
    let bytes = note::to_bytes(&[info.to_note()]);
    bytes_section(
        ".note.nv.tkinfo",
        SectionType::NOTE,
        SectionFlags::NOTE_TKINFO,
        4,
        bytes,
    )
}

/// `.note.nv.cuinfo`, for PTX of this virtual SM.
pub(super) fn cuda(virtual_sm: u16) -> Section {
    let info = CudaInfo {
        version: 2,
        virtual_sm,
        toolkit: TOOLKIT,
        reserved: 0,
    };
    let bytes = note::to_bytes(&[info.to_note()]);
    bytes_section(
        ".note.nv.cuinfo",
        SectionType::NOTE,
        SectionFlags::NOTE_CUINFO,
        4,
        bytes,
    )
}
