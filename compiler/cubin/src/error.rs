//! Why a file is no readable cubin.

use std::fmt;

/// A refusal to read a file, with the place and the reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CubinError {
    /// Byte offset in the file at which the offending structure (or field) lies.
    pub offset: u64,
    /// The construct that is at fault, e.g. `section header 5` or `symbol 3 of .symtab`.
    pub construct: String,
    /// What is wrong with it.
    pub reason: String,
}

impl CubinError {
    /// An error at `offset` in `construct`.
    pub fn new(offset: u64, construct: impl Into<String>, reason: impl Into<String>) -> Self {
        CubinError {
            offset,
            construct: construct.into(),
            reason: reason.into(),
        }
    }
}

impl fmt::Display for CubinError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "offset {:#x}: {}: {}", self.offset, self.construct, self.reason)
    }
}

impl std::error::Error for CubinError {}
