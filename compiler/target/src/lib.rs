//! What each SM can do and hold.
//!
//! What enters: nothing at run time. `ir-defs/targets.tbl` is turned into the tables of this crate on every build, and each
//! fact in it says how it is known ([`evidence`]). What leaves: [`Sm`] (a target such as `sm_90a`), [`Isa`] (the encoding
//! generation, which is all that instruction words depend on), [`TargetInfo`] (limits and layouts) and [`Feature`].
//!
//! Invariants:
//! * No other crate compares SM numbers to decide what hardware can do; it asks [`Sm::has`] or reads [`Sm::info`].
//! * Everything is immutable and `'static`; looking up is indexing.
//! * `Sm` and `Isa` are ordered as the table lists them: older first, plain before `a` before `f`.
//!
//! Start reading at [`TargetInfo`]; suffix rules are in [`Sm::can_run_on`] and [`Sm::accepts_ptx_target`].
//!
//! ```
//! use warpsmith_target::{Feature, Isa, Sm};
//!
//! let sm: Sm = "sm_90a".parse().unwrap();
//! assert_eq!(sm.isa(), Isa::Sm90);
//! assert!(sm.has(Feature::Wgmma));
//! assert_eq!(sm.info().shared.max_per_cta, 227 * 1024);
//! assert_eq!(sm.info().constants.parameters, 0x210);
//! ```

mod compatibility;
mod generated;
mod info;
mod name;
mod render;

pub use generated::{Feature, Isa, Sm};
pub use info::{
    CodeLayout, ConstantLayout, ElfHeader, Evidence, FeatureSet, Grade, Memory, Occupancy, Parameters, PtxVersion,
    Registers, SharedMemory, Suffix, TargetInfo, evidence,
};
pub use name::{ParseIsaError, ParseSmError};
pub use render::{render_table, render_target};
