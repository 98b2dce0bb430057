//! `warpsmith asm`: from a listing to a cubin.

use std::path::PathBuf;

use warpsmith_base::Diagnostic;

use crate::{Console, files};

/// Assemble a listing in Warpsmith's style to a cubin
///
/// The listing is what `warpsmith disasm FILE` prints, as it is or edited. All mistakes in it are reported
/// with file, line and column; there is no output unless all of it is right. What the machine cannot run is a mistake:
/// registers beyond those that the function has, tuples and constants that are not aligned, branches to nowhere.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The listing; `-` is standard input
    pub file: PathBuf,
    /// The cubin to write; `-` is standard output
    #[arg(short, long, value_name = "CUBIN")]
    output: PathBuf,
    /// Follow stall counts, scoreboards and convergence barriers, too: what would be read too early is an error
    #[arg(long)]
    check: bool,
}

/// Assembles one file.
pub(crate) fn run(arguments: &Arguments, console: &mut Console) -> Result<(), Vec<Diagnostic>> {
    let bytes = files::read_input(&arguments.file)?;
    let name = files::shown(&arguments.file);
    let source = String::from_utf8(bytes).map_err(|error| {
        let offset = error.utf8_error().valid_up_to() as u64;
        let diagnostic = Diagnostic::error("is no text: a byte here is not UTF-8");
        vec![diagnostic.in_file(&name).at_offset(offset)]
    })?;
    let made = warpsmith_listing::assemble_to_run(&source, &name, arguments.check)?;
    for warning in &made.warnings {
        console.diagnose(warning);
    }
    files::write_output(Some(&arguments.output), &made.cubin, console)
}
