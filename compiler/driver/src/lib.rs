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
mod cc;
mod command;
mod compile;
mod cuobjdump;
mod disasm;
mod exit;
mod face;
mod fatbinary;
mod files;
mod kind;
mod listing;
mod nvdisasm;
mod phases;
mod ptx;
mod ptxas;
mod reproducer;
mod run;
mod targets;
mod translate;
mod vendor;

use std::ffi::OsString;
use std::io::{self, Write};

use warpsmith_base::fault::{self, Fault};

/// Where a run writes.
pub(crate) struct Console<'a> {
    /// Standard output.
    pub out: &'a mut dyn Write,
    /// Standard error.
    pub errors: &'a mut dyn Write,
    /// The first error of Warpsmith itself that was told.
    pub internal: Option<String>,
}

impl Console<'_> {
    /// Writes a result to standard output; a reader that is gone is no error.
    pub(crate) fn print(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self.out.write_all(bytes).and_then(|()| self.out.flush()) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            result => result,
        }
    }

    /// Writes a message to standard error. Where that fails too, nobody is left to tell.
    pub(crate) fn complain(&mut self, message: &str) {
        if self.internal.is_none()
            && let Some(what) = fault::told(message)
        {
            self.internal = what.lines().next().map(str::to_owned);
        }
        let _ = self.errors.write_all(message.as_bytes());
    }
}

/// Runs one command line, of which `arguments[0]` is the name that the program was called by, and returns
/// the exit status.
pub fn run(arguments: &[OsString], out: &mut dyn Write, errors: &mut dyn Write) -> u8 {
    let mut console = Console {
        out,
        errors,
        internal: None,
    };
    let codes = match face::requested(arguments) {
        face::Request::Face { name, .. } => exit::of(&name),
        face::Request::Own | face::Request::Nameless => command::codes(arguments),
    };
    let fault = match fault::caught(|| requested(arguments, &mut console)) {
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
