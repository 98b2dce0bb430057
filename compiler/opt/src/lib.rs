//! The optimiser of the SSA IR: analyses, passes, and the pipelines of the levels.
//!
//! [`optimize`] runs the pipeline of a level over a module. [`PASSES`] is the table of passes and [`PIPELINE`] that of the pipelines; a pass is a function
//! of a function (or of the module) that says whether it changed anything. Analyses are values computed when a pass needs them; nothing is kept that
//! could go stale.
//!
//! Correct code needs no pass but those marked as required. What the machine shares among threads is respected throughout: operations that threads of a warp
//! run together (`convergent`) are neither copied, nor moved to where other conditions hold.

mod address;
pub mod analysis;
mod clone;
mod combine;
mod edit;
pub mod fold;
mod intrinsics;
mod pipeline;
mod transform;

pub use pipeline::{
    Event, Failure, Fuel, Observer, Options, PASSES, PIPELINE, Pass, Report, Run, SIMPLIFICATION, Spent, Step, Subject,
    Unit, Work, optimize, optimize_observed,
};
