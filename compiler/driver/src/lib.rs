//! The `warpsmith` binary: its sub-commands, and the faces that it shows in place of other tools.
//!
//! **What enters**: a command line. Its first word decides: called through a link named as a vendor's tool
//! (or as `warpsmith --face NAME`), the rest is in that tool's spelling; otherwise it is Warpsmith's own.
//!
//! **What leaves**: text on standard output, messages on standard error, output files, and an exit status:
//! 0 for success, 1 for input that is refused, 2 for a command line that Warpsmith's own commands do not
//! know, 3 for a fault of Warpsmith itself. Faces end as the tools that they stand for: `exit` has the table.
//!
//! **Invariants**
//! - A panic, on whichever thread, is an error that says what was being done, and is saved with what repeats it.
//! - No output before success is certain: a result is complete in memory first, then written at once. An
//!   output file is whole or untouched.
//! - A reader that closes standard output early ends the program quietly.
//! - What is not supported is refused by name; no option is silently without effect where it would have one.
//! - This crate has no knowledge of file formats or instructions: it reads command lines and calls the
//!   other crates.
//!
//! **Where to start**: [`run`], then `face` (the table of faces). `disasm`, `asm`, `ptx`, `run` and `targets` are the
//! sub-commands; `vendor` reads options as CUDA's tools spell them, from tables; `cuobjdump`, `fatbinary`, `nvdisasm`
//! and `ptxas` are faces.

mod asm;
mod bisect;
mod cc;
mod code_options;
mod command;
mod compile;
mod console;
mod cuobjdump;
mod disasm;
mod exit;
mod explain;
mod face;
mod fatbinary;
mod files;
mod global;
mod kind;
mod links;
mod listing;
mod nvdisasm;
mod paint;
mod phases;
mod progress;
mod ptx;
pub mod ptxas;
mod reduce;
mod reproducer;
mod run;
mod shell;
mod targets;
mod translate;
mod vendor;
mod version;

use std::ffi::OsString;
use std::io::Write;
use std::path::PathBuf;

use warpsmith_base::fault::{self, Fault};

pub(crate) use console::Console;
pub use global::Screen;

/// The names of Warpsmith's own commands, in the order of the help text.
pub fn commands() -> Vec<String> {
    let definitions = command::definitions();
    definitions
        .get_subcommands()
        .map(|command| command.get_name().to_owned())
        .collect()
}

/// The names of the tools that the binary can stand for.
pub fn faces() -> Vec<&'static str> {
    face::releases().map(|(name, _)| name).collect()
}

/// Runs one command line, of which `arguments[0]` is the name that the program was called by, and returns
/// the exit status. Messages have no colours unless they are asked for.
pub fn run(arguments: &[OsString], out: &mut dyn Write, errors: &mut dyn Write) -> u8 {
    run_on(arguments, out, errors, Screen::Other)
}

/// The same, with what `errors` leads to.
pub fn run_on(arguments: &[OsString], out: &mut dyn Write, errors: &mut dyn Write, screen: Screen) -> u8 {
    run_as(None, arguments, out, errors, screen)
}

/// The same within another program: `program` is the file that links are to lead to, in place of that of this process.
pub fn run_as(
    program: Option<PathBuf>,
    arguments: &[OsString],
    out: &mut dyn Write,
    errors: &mut dyn Write,
    screen: Screen,
) -> u8 {
    let taken = match global::take(arguments, face::is_link(arguments), screen) {
        Ok(taken) => taken,
        Err(mistake) => {
            let _ = writeln!(errors, "error: {mistake}");
            return exit::WARPSMITH.usage;
        }
    };
    let mut console = Console::new(out, errors, taken.format);
    console.program = program;
    if taken.is_terminal {
        console.show_progress();
    }
    let status = watched(&taken.words, &mut console);
    console.finish();
    status
}

/// Runs a command line; what Warpsmith itself does wrong is told and saved.
fn watched(arguments: &[OsString], console: &mut Console) -> u8 {
    let codes = match face::requested(arguments) {
        face::Request::Face { name, .. } => exit::of(&name),
        face::Request::Own | face::Request::Nameless => command::codes(arguments),
    };
    let fault = match fault::caught(|| requested(arguments, console)) {
        Ok(status) => match console.internal.take() {
            Some(message) if status != 0 => Fault {
                message,
                place: String::new(),
                doing: fault::Doing::default(),
                backtrace: String::new(),
            },
            _ => return status,
        },
        Err(fault) => *fault,
    };
    console.complain(&reproducer::report(codes, arguments, &fault));
    codes.internal
}

/// Does what a command line asks for; the exit status.
fn requested(arguments: &[OsString], console: &mut Console) -> u8 {
    let _at = fault::enter("command line", "");
    match face::requested(arguments) {
        face::Request::Own => command::run(arguments, console),
        face::Request::Face { name, rest } => face::run(&name, rest, console),
        face::Request::Nameless => {
            console.complain(&format!("error: --face needs a name; there are {}\n", face::names()));
            exit::WARPSMITH.usage
        }
    }
}
