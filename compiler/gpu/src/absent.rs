//! In the place of `libloading` on hosts that have no libraries to load, such as WASI: there is never a driver.
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
        f.write_str("programs of this host load no libraries")
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
