//! Writes the expectations of tests anew.

use crate::{
    common,
    expectations::{Blessing, Choice, SUITES, Suite, run as run_suites},
};

/// Write the expectations of tests anew: read the difference before you commit it
///
/// The tests run with WARPSMITH_BLESS=1.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    choice: Choice,
}

pub(crate) fn run(arguments: &Arguments) -> common::Result {
    let suites: Vec<&Suite> = SUITES
        .iter()
        .filter(|suite| suite.blessing != Blessing::Never)
        .collect();
    run_suites(&suites, &arguments.choice, true)
}
