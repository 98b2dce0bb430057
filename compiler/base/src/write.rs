//! Output files that are whole or absent.

use std::ffi::OsString;
use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// A file that could not be written.
#[derive(Debug)]
pub struct WriteError {
    /// The file asked for.
    pub path: PathBuf,
    /// What the system said.
    pub reason: io::Error,
}

impl fmt::Display for WriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cannot write {}: {}", self.path.display(), self.reason)
    }
}

impl std::error::Error for WriteError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.reason)
    }
}

/// Writes `bytes` to `path` so that readers see the old file or the whole new one, never a part.
///
/// The bytes go to a new file in the same folder, which then takes the name. Symbolic links are followed. What is there and is
/// no ordinary file (`/dev/null`, a pipe) is written to directly. Contents are not forced to disk: this guards against errors
/// and other programs, not against a loss of power.
///
/// # Errors
/// What the system refuses; the old file is untouched and the new one removed.
pub fn write_atomically(path: impl AsRef<Path>, bytes: &[u8]) -> Result<(), WriteError> {
    let path = path.as_ref();
    write(path, bytes).map_err(|reason| WriteError {
        path: path.to_path_buf(),
        reason,
    })
}

fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let target = match fs::metadata(path) {
        // Renaming over a device or pipe would put a plain file in its place.
        Ok(existing) if !existing.is_file() => {
            return OpenOptions::new().write(true).open(path)?.write_all(bytes);
        }
        Ok(_) => fs::canonicalize(path)?,
        Err(_) => path.to_path_buf(),
    };
    let (temporary, mut file) = create_beside(&target)?;
    let written = file.write_all(bytes).and_then(|()| file.flush());
    drop(file);
    let result = written.and_then(|()| fs::rename(&temporary, &target));
    if result.is_err() {
        // The first error is the one to report.
        let _ = fs::remove_file(&temporary);
    }
    result
}

/// Names tried before giving up; a clash needs a file left by another process of the same number.
const ATTEMPTS: u32 = 100;

/// Makes a new file in the folder of `target`, with a name that nobody else has.
fn create_beside(target: &Path) -> io::Result<(PathBuf, File)> {
    let name = target
        .file_name()
        .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "the path names no file"))?;
    let mut result = Err(io::Error::from(io::ErrorKind::AlreadyExists));
    for attempt in 0..ATTEMPTS {
        let mut temporary = OsString::from(".");
        temporary.push(name);
        temporary.push(format!(".{}.{attempt}.tmp", std::process::id()));
        let temporary = target.with_file_name(temporary);
        match OpenOptions::new().write(true).create_new(true).open(&temporary) {
            Ok(file) => return Ok((temporary, file)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => result = Err(error),
            Err(error) => return Err(error),
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A new empty folder, removed at the end of the test.
    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Folder {
            let path = std::env::temp_dir().join(format!("warpsmith-base-{name}-{}", std::process::id()));
            fs::create_dir_all(&path).unwrap();
            Folder(path)
        }

        fn names(&self) -> Vec<String> {
            let entries = fs::read_dir(&self.0).unwrap();
            let mut names: Vec<_> = entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
            names.sort();
            names
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn new_and_replaced() {
        let folder = Folder::new("new");
        let path = folder.0.join("out.cubin");
        write_atomically(&path, b"first").unwrap();
        write_atomically(&path, b"2nd").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"2nd");
        assert_eq!(folder.names(), ["out.cubin"]);
    }

    #[test]
    fn errors_leave_nothing() {
        let folder = Folder::new("errors");
        let error = write_atomically(folder.0.join("absent").join("a"), b"x").unwrap_err();
        assert_eq!(error.reason.kind(), io::ErrorKind::NotFound);
        // A folder in the way: the new file must not stay beside it.
        fs::create_dir(folder.0.join("taken")).unwrap();
        assert!(write_atomically(folder.0.join("taken"), b"x").is_err());
        assert_eq!(folder.names(), ["taken"]);
        assert!(
            write_atomically("", b"x")
                .unwrap_err()
                .to_string()
                .starts_with("cannot write : ")
        );
    }

    #[cfg(unix)]
    #[test]
    fn devices_stay_and_links_are_followed() {
        use std::os::unix::fs::{FileTypeExt, symlink};
        write_atomically("/dev/null", b"x").unwrap();
        assert!(fs::metadata("/dev/null").unwrap().file_type().is_char_device());
        let folder = Folder::new("links");
        fs::write(folder.0.join("real"), b"old").unwrap();
        symlink("real", folder.0.join("link")).unwrap();
        write_atomically(folder.0.join("link"), b"new").unwrap();
        assert_eq!(fs::read(folder.0.join("real")).unwrap(), b"new");
        assert!(fs::symlink_metadata(folder.0.join("link")).unwrap().is_symlink());
    }
}
