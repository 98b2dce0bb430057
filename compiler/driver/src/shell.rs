//! `warpsmith completions` and `warpsmith man`: what shells and `man` read, made from the definitions of the command line.

use clap::CommandFactory;
use clap_complete::Shell;
use warpsmith_base::{Diagnostic, suggest};

use crate::{Console, command, files};

/// Print completions for a shell
///
/// For bash: `warpsmith completions bash > ~/.local/share/bash-completion/completions/warpsmith`.
#[derive(clap::Args)]
pub(crate) struct Completions {
    /// The shell
    shell: Shell,
}

/// Print the manual page, for troff
///
/// `warpsmith man | man -l -` shows it. Each command has a page of its own: `warpsmith man run`.
#[derive(clap::Args)]
pub(crate) struct Manual {
    /// The command; without it the page of the whole program
    command: Option<String>,
}

/// Prints completions.
pub(crate) fn completions(arguments: &Completions, console: &mut Console) -> Result<(), Vec<Diagnostic>> {
    let mut text = Vec::new();
    clap_complete::generate(arguments.shell, &mut command::Line::command(), "warpsmith", &mut text);
    files::write_output(None, &text, console)
}

/// Prints a page.
pub(crate) fn manual(arguments: &Manual, console: &mut Console) -> Result<(), Vec<Diagnostic>> {
    let whole = command::definitions();
    let page = match &arguments.command {
        None => whole,
        Some(name) => match whole.find_subcommand(name) {
            Some(found) => found
                .clone()
                .bin_name(format!("warpsmith {name}"))
                .display_name(format!("warpsmith-{name}")),
            None => {
                let names = whole.get_subcommands().map(clap::Command::get_name);
                let near = suggest::nearest(name, names);
                let error = Diagnostic::error(format!("there is no command `{name}`"));
                return Err(vec![
                    near.iter()
                        .fold(error, |error, near| error.note(format!("a near name is `{near}`"))),
                ]);
            }
        },
    };
    let mut text = Vec::new();
    clap_mangen::Man::new(page)
        .render(&mut text)
        .map_err(|error| vec![Diagnostic::error(error.to_string())])?;
    files::write_output(None, &text, console)
}
