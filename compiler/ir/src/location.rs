//! Places in source files.

use crate::arena::entity;
use crate::context::Symbol;

entity!(
    /// A [`Location`] of a [`Context`](crate::Context).
    LocationId, "location");

/// Where an instruction comes from.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Location {
    /// The path of the file, as the compiler was given it.
    pub file: Symbol,
    /// The line, from 1; 0 for code of no line.
    pub line: u32,
    /// The column, from 1; 0 if not known.
    pub column: u32,
    /// The name of the function that the line is in, as linkers know it; empty if not known.
    pub function: Symbol,
    /// Where that function was called, if its body was copied there.
    pub inlined_at: Option<LocationId>,
}
