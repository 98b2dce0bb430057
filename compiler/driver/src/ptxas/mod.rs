//! The face of ptxas 13.0: its options, its one-line messages, its exit statuses.
//!
//! It reads and checks PTX; with `-arch=compute_90` (as in ptxas: "can be used for parsing only") that is all. With a real target it writes a
//! cubin, or says which instruction it has no code for yet, and writes nothing.
//!
//! Where it differs on purpose:
//! - Help and version are Warpsmith's own words.
//! - All errors of a file come in one run, also those after a syntax error.
//! - What exceeds the hardware is told with its file and line, all of it in one run.
//! - Warnings of the module's variables come before code is made, not after.

mod consistency;
mod input;
mod memory;
mod options;
mod report;
mod run;
mod settings;

pub use memory::{Assembled, assemble};
pub(crate) use options::OPTIONS;
pub use run::Outcome;
pub(crate) use run::run;
