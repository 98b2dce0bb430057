//! Where files come from.

use std::collections::HashMap;
use std::io::{self, Read as _};
use std::sync::Arc;

use rustc_hash::FxBuildHasher;

/// Gives files by path. Tests and the built-in headers are files without a disk.
pub trait FileSystem {
    /// The content of a file.
    ///
    /// # Errors
    /// Whatever keeps it from being read; [`io::ErrorKind::NotFound`] if there is no such file, [`io::ErrorKind::IsADirectory`] if it is a folder.
    fn read(&self, path: &str) -> io::Result<Vec<u8>>;

    /// The same text for all paths of the same file, for `#pragma once`.
    fn identity(&self, path: &str) -> String {
        path.to_string()
    }

    /// Whether there is a header of this very name, which an `#include` then means before any folder is looked into; it is read by the name.
    fn is_header(&self, _name: &str) -> bool {
        false
    }

    /// The content of a file of which a line is to be shown in a message; `None` where that is not worth it, or it is not there any more.
    fn read_to_show(&self, path: &str) -> Option<Vec<u8>> {
        self.read(path).ok()
    }
}

/// A file that is larger is not read only to show a line of it.
const LARGEST_SHOWN: u64 = 64 << 20;

/// The most bytes that a file may have.
const LARGEST: u64 = 2 << 30;

/// The files of the machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct Disk;

impl FileSystem for Disk {
    fn read(&self, path: &str) -> io::Result<Vec<u8>> {
        // Folders of headers are asked for names that most of them lack, and for some that are folders in them: no call is made before the one that fails.
        let file = std::fs::File::open(path).map_err(|error| match error.kind() {
            // Some systems do not open folders.
            io::ErrorKind::PermissionDenied if std::path::Path::new(path).is_dir() => {
                io::ErrorKind::IsADirectory.into()
            }
            _ => error,
        })?;
        if file.metadata().is_ok_and(|data| data.is_dir()) {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        // Some endless inputs look like files.
        let mut bytes = Vec::new();
        file.take(LARGEST + 1).read_to_end(&mut bytes)?;
        match bytes.len() as u64 > LARGEST {
            true => Err(io::ErrorKind::FileTooLarge.into()),
            false => Ok(bytes),
        }
    }

    fn identity(&self, path: &str) -> String {
        let canonical = std::fs::canonicalize(path).ok();
        canonical.map_or_else(|| path.to_string(), |path| path.to_string_lossy().into_owned())
    }

    fn read_to_show(&self, path: &str) -> Option<Vec<u8>> {
        // A pipe would be waited for.
        let is_small = std::fs::metadata(path).is_ok_and(|data| data.is_file() && data.len() <= LARGEST_SHOWN);
        is_small.then(|| std::fs::read(path).ok())?
    }
}

/// Files in memory.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    files: HashMap<String, Arc<str>, FxBuildHasher>,
}

impl Memory {
    /// Without files.
    pub fn new() -> Memory {
        Memory::default()
    }

    /// Adds a file.
    pub fn with(mut self, path: impl Into<String>, text: impl Into<Arc<str>>) -> Memory {
        self.files.insert(path.into(), text.into());
        self
    }
}

impl FileSystem for Memory {
    fn read(&self, path: &str) -> io::Result<Vec<u8>> {
        match self.files.get(path) {
            Some(text) => Ok(text.as_bytes().to_vec()),
            None => Err(io::ErrorKind::NotFound.into()),
        }
    }
}

/// Removes `.` and, where that is safe, `..` from a path, and doubled slashes.
pub(crate) fn normal(path: &str) -> String {
    let rooted = path.starts_with('/');
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|&last| last != "..") => {
                parts.pop();
            }
            ".." if rooted => {}
            part => parts.push(part),
        }
    }
    let joined = parts.join("/");
    match (rooted, joined.is_empty()) {
        (true, _) => format!("/{joined}"),
        (false, true) => ".".to_string(),
        (false, false) => joined,
    }
}

/// The folder that a file is in, with its slash; empty for one without a folder.
pub(crate) fn folder(path: &str) -> &str {
    path.rfind('/').map_or("", |slash| &path[..=slash])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths() {
        assert_eq!(normal("a/./b//../c.h"), "a/c.h");
        assert_eq!(normal("../a.h"), "../a.h");
        assert_eq!(normal("/../a"), "/a");
        assert_eq!(normal("./"), ".");
        assert_eq!(folder("a/b.h"), "a/");
        assert_eq!(folder("b.h"), "");
    }
}
