//! The face of nvdisasm 13.5: its options, its messages, its exit statuses.
//!
//! Where it differs on purpose:
//! - Help and version are Warpsmith's own words.
//! - After the refusal of a broken file a line `nvdisasm info    :` says where and why.
//! - What is wrong with the content of a section is said in Warpsmith's words.
//! - A directory is not readable (nvdisasm says that memory is short).
//! - A full disk behind standard output is an error.
//! - The graph of `-bbcfg` is drawn in Warpsmith's way.
//! - What Warpsmith does not have yet is refused by the option's name.

mod options;
mod run;

pub(crate) use run::run;
