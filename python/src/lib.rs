//! The module `warpsmith._native`, which the Python package `warpsmith` stands on.
//!
//! **What enters**: sources, options, bytes of arguments and arrays, as Python's own types. **What leaves**: the same, and [`failure::Failure`], which
//! the package makes its exceptions of.
//!
//! **Invariants**
//! * Nothing here knows of NumPy: the package hands over bytes, and puts them back.
//! * Other threads of Python run while something is compiled or run, and Ctrl-C ends it ([`wait`]).
//! * There is no knowledge of compiling here: the crate `warpsmith` has it, and the command line is that of the crate `warpsmith-driver`.
//!
//! **Where to start**: `compile`, `program`; then `python/package/warpsmith`, whose documentation is for users.

mod command;
mod compile;
mod failure;
mod files;
mod messages;
mod options;
mod program;
mod wait;

use pyo3::prelude::*;

/// What the Python files of the package use; not for others.
#[pymodule]
mod _native {
    #[pymodule_export]
    use crate::command::{face_names, main};
    #[pymodule_export]
    use crate::compile::compile;
    #[pymodule_export]
    use crate::failure::Failure;
    #[pymodule_export]
    use crate::program::{Program, disassemble};
    #[pymodule_export]
    use crate::wait::Cancel;

    use pyo3::pyfunction;
    use warpsmith::Sm;

    /// The version of the package.
    #[pymodule_export]
    const VERSION: &str = env!("CARGO_PKG_VERSION");

    /// The names of the targets that there is code for.
    #[pyfunction]
    fn targets() -> Vec<&'static str> {
        Sm::ALL.iter().map(|sm| sm.name()).collect()
    }
}
