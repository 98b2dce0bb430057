//! Why a file cannot be listed.

use std::fmt;
use std::io;

/// A listing that could not be made.
#[derive(Debug)]
pub enum ListingError {
    /// A part of the file that cannot be shown.
    Content {
        /// Name of the section.
        section: String,
        /// Byte offset in the section.
        offset: u64,
        /// What is wrong there.
        reason: String,
    },
    /// The file as a whole cannot be shown.
    File(String),
    /// The output could not be written.
    Write(io::Error),
}

impl ListingError {
    /// An error at a place in a section.
    pub(crate) fn at(section: &str, offset: u64, reason: impl Into<String>) -> Self {
        ListingError::Content {
            section: section.to_owned(),
            offset,
            reason: reason.into(),
        }
    }
}

impl fmt::Display for ListingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ListingError::Content {
                section,
                offset,
                reason,
            } => {
                write!(f, "section {section}, offset {offset:#x}: {reason}")
            }
            ListingError::File(reason) => f.write_str(reason),
            ListingError::Write(error) => write!(f, "cannot write the listing: {error}"),
        }
    }
}

impl std::error::Error for ListingError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            ListingError::Write(error) => Some(error),
            ListingError::Content { .. } | ListingError::File(_) => None,
        }
    }
}

impl From<io::Error> for ListingError {
    fn from(error: io::Error) -> Self {
        ListingError::Write(error)
    }
}
