//! The face of fatbinary 13.0: packs cubins and PTX into a fatbin, or into C source that embeds one.
//!
//! Where it differs on purpose:
//! - Help and version are Warpsmith's own words.
//! - The comments of PTX are kept.
//! - Host objects and libraries as images (`--image2`) and code of 32 bits are refused by the option's name.

mod embed;
mod options;
mod run;

pub(crate) use run::{ptx_version, run};
