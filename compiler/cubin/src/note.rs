//! Notes: `.note.nv.tkinfo`, `.note.nv.cuinfo`, `.note.nv.cuver`.
//!
//! A note is name size, descriptor size and type (32 bits each), then name and descriptor, each padded to 4 bytes.
//! All CUDA notes have the name `NVIDIA Corp` (12 bytes with the NUL). Observed: nvdisasm 13.5 and cuobjdump 13.1 on
//! files of ptxas 13.0.

use crate::error::CubinError;

/// The owner of CUDA notes.
pub const OWNER: &str = "NVIDIA Corp";
/// `n_type` of `.note.nv.cuinfo`.
pub const NT_CUINFO: u32 = 1000;
/// `n_type` of `.note.nv.tkinfo`.
pub const NT_TKINFO: u32 = 2000;

/// A note with its descriptor as bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// `n_type`.
    pub note_type: u32,
    /// The owner's name, without its NUL.
    pub owner: String,
    /// The descriptor.
    pub descriptor: Vec<u8>,
}

/// `.note.nv.cuinfo`: 8 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CudaInfo {
    /// Version of the note: 2.
    pub version: u16,
    /// The virtual SM that the PTX was for, e.g. 90.
    pub virtual_sm: u16,
    /// Toolkit version: 130 for 13.0.
    pub toolkit: u16,
    /// Padding.
    pub reserved: u16,
}

/// `.note.nv.tkinfo`: what made the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolkitInfo {
    /// Version of the note: 2.
    pub version: u32,
    /// Name of the object file; empty from ptxas.
    pub object_name: String,
    /// The tool, e.g. `ptxas`.
    pub tool_name: String,
    /// E.g. `Cuda compilation tools, release 13.0, V13.0.88`.
    pub tool_version: String,
    /// E.g. `Build cuda_13.0.r13.0/compiler.36424714_0`.
    pub tool_branch: String,
    /// The tool's command line, e.g. `-arch sm_90 -m 64 `.
    pub arguments: String,
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    let bytes = bytes.get(at..at.checked_add(4)?)?;
    Some(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
}

/// The notes of a section.
///
/// # Errors
/// A truncated note, or an owner that is not a NUL-terminated UTF-8 string.
pub fn parse(bytes: &[u8]) -> Result<Vec<Note>, CubinError> {
    let mut notes = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let fail = |reason: &str| CubinError::new(at as u64, "note", reason);
        let header = (word(bytes, at), word(bytes, at + 4), word(bytes, at + 8));
        let (Some(name_size), Some(size), Some(note_type)) = header else {
            return Err(fail("header is truncated"));
        };
        let name_end = at + 12 + name_size as usize;
        let start = name_end.next_multiple_of(4);
        let (name, descriptor) = match (bytes.get(at + 12..name_end), bytes.get(start..start + size as usize)) {
            (Some(name), Some(descriptor)) => (name, descriptor),
            _ => return Err(fail("name or descriptor reaches beyond the section")),
        };
        let owner = name.strip_suffix(b"\0").and_then(|name| std::str::from_utf8(name).ok());
        let owner = owner
            .ok_or_else(|| fail("owner is no NUL-terminated string"))?
            .to_string();
        notes.push(Note {
            note_type,
            owner,
            descriptor: descriptor.to_vec(),
        });
        at = (start + size as usize).next_multiple_of(4);
    }
    Ok(notes)
}

/// The bytes of a section with these notes.
pub fn to_bytes(notes: &[Note]) -> Vec<u8> {
    let mut out = Vec::new();
    for note in notes {
        out.extend_from_slice(&(note.owner.len() as u32 + 1).to_le_bytes());
        out.extend_from_slice(&(note.descriptor.len() as u32).to_le_bytes());
        out.extend_from_slice(&note.note_type.to_le_bytes());
        out.extend_from_slice(note.owner.as_bytes());
        out.push(0);
        out.resize(out.len().next_multiple_of(4), 0);
        out.extend_from_slice(&note.descriptor);
        out.resize(out.len().next_multiple_of(4), 0);
    }
    out
}

impl CudaInfo {
    /// Reads the descriptor of a `.note.nv.cuinfo`; `None` if it is not 8 bytes.
    pub fn from_descriptor(bytes: &[u8]) -> Option<CudaInfo> {
        let bytes: &[u8; 8] = bytes.try_into().ok()?;
        let half = |at: usize| u16::from_le_bytes([bytes[at], bytes[at + 1]]);
        Some(CudaInfo {
            version: half(0),
            virtual_sm: half(2),
            toolkit: half(4),
            reserved: half(6),
        })
    }

    /// The note.
    pub fn to_note(self) -> Note {
        let fields = [self.version, self.virtual_sm, self.toolkit, self.reserved];
        let descriptor = fields.into_iter().flat_map(u16::to_le_bytes).collect();
        Note {
            note_type: NT_CUINFO,
            owner: OWNER.into(),
            descriptor,
        }
    }
}

impl ToolkitInfo {
    /// Reads the descriptor of a `.note.nv.tkinfo`: the version, five byte offsets of strings, and the strings, which
    /// begin at byte 24. `None` if it is anything else.
    pub fn from_descriptor(bytes: &[u8]) -> Option<ToolkitInfo> {
        let string = |index: usize| {
            let tail = bytes.get(24 + word(bytes, 4 + 4 * index)? as usize..)?;
            let end = tail.iter().position(|&byte| byte == 0)?;
            Some(std::str::from_utf8(&tail[..end]).ok()?.to_string())
        };
        Some(ToolkitInfo {
            version: word(bytes, 0)?,
            object_name: string(0)?,
            tool_name: string(1)?,
            tool_version: string(2)?,
            tool_branch: string(3)?,
            arguments: string(4)?,
        })
    }

    /// The note. The strings stand in order; the descriptor is padded to a multiple of 4 bytes.
    pub fn to_note(&self) -> Note {
        let strings = [
            &self.object_name,
            &self.tool_name,
            &self.tool_version,
            &self.tool_branch,
            &self.arguments,
        ];
        let mut descriptor = self.version.to_le_bytes().to_vec();
        let mut offset = 0;
        for string in strings {
            descriptor.extend_from_slice(&(offset as u32).to_le_bytes());
            offset += string.len() + 1;
        }
        for string in strings {
            descriptor.extend_from_slice(string.as_bytes());
            descriptor.push(0);
        }
        descriptor.resize(descriptor.len().next_multiple_of(4), 0);
        Note {
            note_type: NT_TKINFO,
            owner: OWNER.into(),
            descriptor,
        }
    }
}
