//! NVIDIA's notes: `.note.nv.tkinfo` and `.note.nv.cuinfo`.

use std::fmt::Write;

use super::Listing;

/// Where a note's description starts.
const DESCRIPTION: usize = 0x18;
/// Where the strings of the tools' note start.
const STRINGS: usize = 0x30;

impl Listing<'_> {
    pub(super) fn write_note(&mut self, index: u32) {
        let bytes = self.bytes(index);
        let name = &self.section(index).name;
        if name.ends_with(".tkinfo") && self.write_tool_info(bytes).is_some() {
            return;
        }
        if name.ends_with(".cuinfo") && bytes.len() > 0x18 {
            self.write_cuda_info(bytes);
            return;
        }
        self.write_bytes(bytes, 0);
    }

    /// The tools that made the file.
    fn write_tool_info(&mut self, bytes: &[u8]) -> Option<()> {
        let (version, strings) = tool_info(bytes)?;
        let _ = write!(
            self.out,
            "\t.tkinfo\n        /*{DESCRIPTION:04x}*/ \t.word\t{version:#010x}\n"
        );
        for string in strings {
            let _ = writeln!(self.out, "        /*{STRINGS:04x}*/ \t.string\t\"{string}\"");
        }
        self.out.push('\n');
        Some(())
    }

    fn write_cuda_info(&mut self, bytes: &[u8]) {
        let mut at = 0x18;
        while at + 2 <= bytes.len() && at < 0x1e {
            let value = u16::from_le_bytes([bytes[at], bytes[at + 1]]);
            let _ = writeln!(self.out, "        /*{at:04x}*/ \t.short\t{value:#06x}");
            at += 2;
        }
        self.write_bytes(&bytes[at..], at as u64);
    }
}

/// Version and strings of the tools' note: object, tool, release, branch, options.
pub(super) fn tool_info(bytes: &[u8]) -> Option<(u32, [String; 5])> {
    let word = |at: usize| Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
    let version = word(DESCRIPTION)?;
    let mut strings = [const { String::new() }; 5];
    for (field, string) in strings.iter_mut().enumerate() {
        let start = STRINGS + word(DESCRIPTION + 4 + 4 * field)? as usize;
        let tail = bytes.get(start..)?;
        let length = tail.iter().position(|&byte| byte == 0)?;
        *string = String::from_utf8_lossy(&tail[..length]).into_owned();
    }
    Some((version, strings))
}
