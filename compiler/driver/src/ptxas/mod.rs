//! The face of ptxas 13.0: its options, its one-line messages, its exit statuses.
//!
//! What it does so far: it reads and checks PTX. With `-arch=compute_90` (as in ptxas: "can be used for parsing only") that is all that is
//! asked. With a real target it checks, and then refuses to generate code, by name.
//!
//! Where it differs on purpose:
//! - Help and version are Warpsmith's own words.
//! - All errors of a file come in one run, also those after a syntax error.

mod options;
mod run;

pub(crate) use run::run;
