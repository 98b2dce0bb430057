//! Where the tables lie: encodings, latencies and evidence of machine instructions.
//!
//! Build scripts read them from here, in the repository as in a package: a package may only hold files of its own folder.

/// The folder with the tables.
pub const FOLDER: &str = env!("CARGO_MANIFEST_DIR");
