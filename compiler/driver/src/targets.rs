//! `warpsmith targets`: what each SM has.

use warpsmith_base::Diagnostic;
use warpsmith_target::{Sm, render_table, render_target};

use crate::{Console, files};

/// Show the targets, or all that is known of one
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The target, such as sm_90a, SM90a or 90a; all of them, one line each, without it
    sm: Option<String>,
}

/// Prints the table or one target.
pub(crate) fn run(arguments: &Arguments, console: &mut Console) -> Result<(), Vec<Diagnostic>> {
    let text = match &arguments.sm {
        None => render_table(),
        Some(name) => render_target(target(name)?),
    };
    files::write_output(None, text.as_bytes(), console)
}

/// The target of a name, or the error that says which there are.
pub(crate) fn target(name: &str) -> Result<Sm, Vec<Diagnostic>> {
    name.parse()
        .map_err(|error: warpsmith_target::ParseSmError| vec![Diagnostic::error(error.to_string())])
}
