//! The build-time generator: declarative tables go in, Rust source comes out.
//!
//! What enters: `isa-tables/` (SASS instruction forms) and `ir-defs/` (targets, phases, PTX, what programs ask a driver). What leaves: Rust text that the build scripts of
//! `warpsmith-sass` and `warpsmith-target` write into their output folder on every build. Nothing generated is ever checked in.
//!
//! Invariants:
//! * Only the standard library is used, so that the generator builds in seconds.
//! * A table that is wrong stops the build with file, line and reason: overlapping fields, unreachable forms, missing
//!   enumerators, two forms that match the same word, dangling names.
//! * The output depends on the tables alone: no map order, time or path reaches it.
//!
//! Start reading at [`isa`], whose modules follow the data: [`isa::parse`] (text to model), [`isa::check`] (what a table may
//! not do), [`isa::emit`] (model to Rust).

pub mod client;
pub mod isa;
pub mod phases;
pub mod ptx;
pub mod targets;
pub mod timing;

use std::fmt;

/// Why a table was refused: the place and the reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableError {
    /// The table file, as given to the reader.
    pub file: String,
    /// Line in that file, from 1; 0 where the error concerns the file as a whole.
    pub line: usize,
    /// What is wrong and, where there is one, what would be right.
    pub message: String,
}

impl TableError {
    /// An error at `line` of `file`.
    pub fn new(file: &str, line: usize, message: impl Into<String>) -> TableError {
        TableError {
            file: file.to_string(),
            line,
            message: message.into(),
        }
    }
}

impl fmt::Display for TableError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.file, self.line, self.message)
    }
}

impl std::error::Error for TableError {}
