//! The command line: that of the binary `warpsmith`.

use std::ffi::OsString;
use std::path::PathBuf;

use pyo3::prelude::*;
use warpsmith_driver::Screen;

/// Runs a command line, of which the first word is the name that the program was called by; the exit status. `program` is the file that stands for
/// Warpsmith in links.
#[pyfunction]
pub(crate) fn main(py: Python<'_>, arguments: Vec<OsString>, program: Option<PathBuf>) -> u8 {
    py.detach(|| {
        warpsmith_driver::run_as(
            program,
            &arguments,
            &mut std::io::stdout().lock(),
            &mut std::io::stderr(),
            Screen::StandardError,
        )
    })
}

/// The tools that Warpsmith can stand for.
#[pyfunction]
pub(crate) fn face_names() -> Vec<&'static str> {
    warpsmith_driver::faces()
}
