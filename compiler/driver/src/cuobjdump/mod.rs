//! The face of cuobjdump 13.0: what fatbins, host objects and cubins hold.
//!
//! Supported: the list of images (no option), `-lelf`, `-lptx`, `-xelf`, `-xptx`, `-ptx`, `-sass`, `-res-usage`, with `-arch`, `-all` and `-fun`.
//! Help and version are Warpsmith's own words. The other options are refused by name.

mod images;
mod options;
mod resources;
mod run;

pub(crate) use run::run;
