//! Where the tables lie: PTX instructions, phases of the back end, targets, and what programs meet of a driver.
//!
//! Build scripts read them from here, in the repository as in a package: a package may only hold files of its own folder.

/// The folder with the tables.
pub const FOLDER: &str = env!("CARGO_MANIFEST_DIR");
