//! The `warpsmith` binary; everything is in the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().collect();
    let mut out = std::io::stdout().lock();
    let mut errors = std::io::stderr().lock();
    ExitCode::from(warpsmith_driver::run(&arguments, &mut out, &mut errors))
}
