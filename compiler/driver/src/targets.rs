//! `warpsmith targets`: what each SM has, and what each version of PTX brought.

use warpsmith_base::Diagnostic;
use warpsmith_ptx::history;
use warpsmith_target::{Sm, render_table, render_target};

use crate::{Console, files};

/// Show the targets, or all that is known of one
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The target, such as sm_90a, SM90a or 90a; all of them, one line each, without it
    sm: Option<String>,
    /// What each version of PTX brought, or one version: targets, directives, special registers, instructions
    #[arg(long, value_name = "VERSION", num_args = 0..=1, conflicts_with = "sm")]
    ptx: Option<Option<String>>,
}

/// Prints the table, one target, or what versions brought.
pub(crate) fn run(arguments: &Arguments, console: &mut Console) -> Result<(), Vec<Diagnostic>> {
    let text = match (&arguments.ptx, &arguments.sm) {
        (None, None) => render_table(),
        (None, Some(name)) => render_target(target(name)?),
        (Some(None), _) => history::all(),
        (Some(Some(version)), _) => brought(version)?,
    };
    files::write_output(None, text.as_bytes(), console)
}

/// What a version of PTX brought.
fn brought(text: &str) -> Result<String, Vec<Diagnostic>> {
    match warpsmith_ptx::versions().find(|version| version.to_string() == text) {
        Some(version) => Ok(history::version(version)),
        None => Err(vec![Diagnostic::error(format!("there is no version {text} of PTX"))]),
    }
}

/// The target of a name, or the error that says which there are.
pub(crate) fn target(name: &str) -> Result<Sm, Vec<Diagnostic>> {
    name.parse()
        .map_err(|error: warpsmith_target::ParseSmError| vec![Diagnostic::error(error.to_string())])
}
