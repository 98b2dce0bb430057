//! Runs the tests whose inputs or expectations are files.

use crate::{
    common,
    expectations::{Choice, SUITES, Suite, run as run_suites},
};

/// Run the tests whose inputs or expectations are files, and no others
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    choice: Choice,
}

pub(crate) fn run(arguments: &Arguments) -> common::Result {
    let suites: Vec<&Suite> = SUITES.iter().collect();
    run_suites(&suites, &arguments.choice, false)
}
