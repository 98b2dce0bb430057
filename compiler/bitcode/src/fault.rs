//! What is wrong with a file, and where.

use warpsmith_base::Diagnostic;

/// Why a file cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    /// The bit at which that starts which is wrong.
    bit: u64,
    reason: String,
    note: Option<String>,
}

/// What reading gives. The error is boxed: it is rare and large.
pub(crate) type Result<T> = std::result::Result<T, Box<Fault>>;

impl Fault {
    pub(crate) fn new(bit: u64, reason: impl Into<String>) -> Box<Fault> {
        Box::new(Fault {
            bit,
            reason: reason.into(),
            note: None,
        })
    }

    /// Says more of it.
    pub(crate) fn note(mut self: Box<Fault>, note: impl Into<String>) -> Box<Fault> {
        self.note = Some(note.into());
        self
    }

    /// The fault as it is shown: with the byte in the file.
    pub(crate) fn shown(self, file: &str) -> Diagnostic {
        let (byte, bit) = (self.bit / 8, self.bit % 8);
        let reason = match bit {
            0 => self.reason,
            _ => format!("{} (at bit {bit} of this byte)", self.reason),
        };
        let shown = Diagnostic::error(reason).in_file(file).at_offset(byte);
        match self.note {
            Some(note) => shown.note(note),
            None => shown,
        }
    }
}
