//! In the place of `libloading` in programs that can load no libraries: those of WASI, and those that are linked whole (musl). There is never a driver.
#![allow(
    unsafe_code,
    reason = "the functions have the signatures of those that they stand for; they do nothing"
)]

use std::fmt;

/// A library, of which there is none.
pub(crate) enum Library {}

/// Why there is none.
#[derive(Debug)]
pub(crate) struct NoLibraries;

impl fmt::Display for NoLibraries {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match cfg!(target_env = "musl") {
            true => "this program is linked whole and can load no library; a build for x86_64-unknown-linux-gnu can",
            false => "programs of this host load no libraries",
        })
    }
}

impl std::error::Error for NoLibraries {}

impl Library {
    /// Loads nothing.
    pub(crate) fn new(_name: &str) -> Result<Library, NoLibraries> {
        Err(NoLibraries)
    }

    /// Never called: there is no value of this type.
    pub(crate) fn get<T>(&self, _name: &str) -> Result<&T, NoLibraries> {
        match *self {}
    }
}
