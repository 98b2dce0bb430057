//! Output files that are whole or absent.

use std::fmt;
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

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

/// Writes `bytes` to `path` so that readers see the old file or the whole new one, never a part, where that can be had.
///
/// The bytes go to a new file in the same folder, which takes the name and the rights of the old one. What others hold by something else than its name is
/// written in place, as every tool does that opens its output: a file with several names or of another owner, an open file (`/dev/stdout`, `/proc/self/fd/3`),
/// a device or pipe, and a file in a folder that takes no new one. Symbolic links are followed, also to what is not there yet. A file that may not be written
/// is refused, whatever its folder allows. Contents are not forced to disk: this guards against errors and other programs, not against a loss of power.
///
/// # Errors
/// What the system refuses; the old file is untouched and the new one removed, but where the file is written in place and the disk is full.
pub fn write_atomically(path: impl AsRef<Path>, bytes: &[u8]) -> Result<(), WriteError> {
    let path = path.as_ref();
    write(path, bytes).map_err(|reason| WriteError {
        path: path.to_path_buf(),
        reason,
    })
}

fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let existing = match fs::metadata(path) {
        Ok(existing) => existing,
        // A link to what is not there makes it there.
        Err(_) if path.is_symlink() => {
            let file = OpenOptions::new().write(true).create(true).truncate(false).open(path)?;
            return in_place(file, bytes);
        }
        Err(_) => {
            let (temporary, file) = create_beside(path)?;
            return replace(path, &temporary, file, bytes);
        }
    };
    // Whether the file may be written is the file's to say: to put another one in its place needs the folder's leave alone.
    let file = OpenOptions::new().write(true).open(path)?;
    if !existing.is_file() {
        return in_place(file, bytes);
    }
    let Some(target) = replaceable(path, &file.metadata()?) else {
        return in_place(file, bytes);
    };
    // A folder that takes no new file may hold one that can be written.
    let Ok((temporary, new)) = create_beside(&target) else {
        return in_place(file, bytes);
    };
    match keep_rights(&new, &existing) {
        Ok(true) => replace(&target, &temporary, new, bytes),
        Ok(false) | Err(_) => {
            drop(new);
            fs::remove_file(&temporary)?;
            in_place(file, bytes)
        }
    }
}

/// Writes to what is open, which is as long as the bytes then.
fn in_place(mut file: File, bytes: &[u8]) -> io::Result<()> {
    file.write_all(bytes)?;
    if file.metadata()?.is_file() {
        file.set_len(bytes.len() as u64)?;
    }
    file.flush()
}

/// Fills a new file and gives it the name `target`.
fn replace(target: &Path, temporary: &Path, mut file: File, bytes: &[u8]) -> io::Result<()> {
    let written = file.write_all(bytes).and_then(|()| file.flush());
    drop(file);
    let result = written.and_then(|()| fs::rename(temporary, target));
    if result.is_err() {
        // The first error is the one to report.
        let _ = fs::remove_file(temporary);
    }
    result
}

/// Symbolic links that are followed before it is said that they go round.
#[cfg(unix)]
const MOST_LINKS: u32 = 40;

/// The one name of an open file, if another file may take it.
#[cfg(unix)]
fn replaceable(path: &Path, open: &Metadata) -> Option<PathBuf> {
    use std::os::unix::fs::MetadataExt as _;
    if open.nlink() != 1 {
        return None;
    }
    let mut path = path.to_path_buf();
    for _ in 0..MOST_LINKS {
        let folder = match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        let folder = fs::canonicalize(folder).ok()?;
        // What a process has open: whoever reads there has no name for it.
        if folder.starts_with("/proc") {
            return None;
        }
        path = folder.join(path.file_name()?);
        match fs::read_link(&path) {
            Ok(to) => path = folder.join(to),
            Err(_) => {
                let found = fs::symlink_metadata(&path).ok()?;
                let same = (found.dev(), found.ino()) == (open.dev(), open.ino());
                return same.then_some(path);
            }
        }
    }
    None
}

#[cfg(not(unix))]
fn replaceable(path: &Path, _: &Metadata) -> Option<PathBuf> {
    fs::canonicalize(path).ok()
}

/// Gives a new file the rights of an old one; whether it is of the same owner then.
#[cfg(unix)]
fn keep_rights(new: &File, old: &Metadata) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt as _;
    let made = new.metadata()?;
    if (made.uid(), made.gid()) != (old.uid(), old.gid()) {
        return Ok(false);
    }
    new.set_permissions(old.permissions())?;
    Ok(true)
}

#[cfg(not(unix))]
fn keep_rights(_: &File, _: &Metadata) -> io::Result<bool> {
    Ok(true)
}

/// Names tried before giving up; a clash needs a file left by another process of the same number.
const ATTEMPTS: u32 = 100;

/// Counts the new files of this process, several of which may be written at once.
static MADE: AtomicU32 = AtomicU32::new(0);

/// Makes a new file in the folder of `target`, with a name that nobody else has: it is short, whatever the length of the target's.
fn create_beside(target: &Path) -> io::Result<(PathBuf, File)> {
    if target.file_name().is_none() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "the path names no file"));
    }
    // A name that the system would not take is refused before there is a file without one.
    if let Err(error) = fs::symlink_metadata(target)
        && error.kind() != io::ErrorKind::NotFound
    {
        return Err(error);
    }
    let mut result = Err(io::Error::from(io::ErrorKind::AlreadyExists));
    for _ in 0..ATTEMPTS {
        let number = MADE.fetch_add(1, Ordering::Relaxed);
        let temporary = target.with_file_name(format!(".warpsmith-{}-{number}.tmp", std::process::id()));
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

    #[cfg(unix)]
    mod unix {
        use super::*;
        use std::io::Read as _;
        use std::os::fd::AsRawFd as _;
        use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _, PermissionsExt as _, symlink};

        fn mode(path: &Path) -> u32 {
            fs::metadata(path).unwrap().mode() & 0o7777
        }

        #[test]
        fn the_longest_name_is_written_and_a_longer_one_refused() {
            let folder = Folder::new("long");
            for length in [200, 245, 255] {
                let name = "a".repeat(length);
                write_atomically(folder.0.join(&name), b"x").unwrap();
                write_atomically(folder.0.join(&name), b"yz").unwrap();
                assert_eq!(fs::read(folder.0.join(&name)).unwrap(), b"yz");
            }
            let before = folder.names();
            let error = write_atomically(folder.0.join("a".repeat(256)), b"x").unwrap_err();
            assert_eq!(error.reason.raw_os_error(), Some(36));
            assert_eq!(folder.names(), before);
        }

        #[test]
        fn open_files_are_written_in_place() {
            let folder = Folder::new("open");
            let path = folder.0.join("f");
            fs::write(&path, b"an old text").unwrap();
            let mut file = OpenOptions::new().read(true).write(true).open(&path).unwrap();
            let name = format!("/proc/self/fd/{}", file.as_raw_fd());
            let inode = fs::metadata(&path).unwrap().ino();
            write_atomically(&name, b"first").unwrap();
            assert_eq!(fs::metadata(&path).unwrap().ino(), inode);
            // By a link to it, and through the folder of open files.
            symlink(&name, folder.0.join("link")).unwrap();
            write_atomically(folder.0.join("link"), b"2nd").unwrap();
            write_atomically(format!("/dev/fd/{}", file.as_raw_fd()), b"third").unwrap();
            assert_eq!(fs::metadata(&path).unwrap().ino(), inode);
            // One without any name.
            fs::remove_file(&path).unwrap();
            write_atomically(&name, b"fourth").unwrap();
            let mut text = String::new();
            file.read_to_string(&mut text).unwrap();
            assert_eq!(text, "fourth");
            assert_eq!(folder.names(), ["link"]);
        }

        #[test]
        fn rights_and_names_are_kept() {
            let folder = Folder::new("rights");
            let path = folder.0.join("f");
            fs::write(&path, b"old").unwrap();
            for bits in [0o600, 0o640, 0o666, 0o755] {
                fs::set_permissions(&path, fs::Permissions::from_mode(bits)).unwrap();
                write_atomically(&path, b"new").unwrap();
                assert_eq!(mode(&path), bits, "{bits:o}");
            }
            let inode = fs::metadata(&path).unwrap().ino();
            write_atomically(&path, b"newer").unwrap();
            assert_ne!(
                fs::metadata(&path).unwrap().ino(),
                inode,
                "one name: replaced in one step"
            );
            fs::hard_link(&path, folder.0.join("other")).unwrap();
            write_atomically(&path, b"both").unwrap();
            assert_eq!(fs::read(folder.0.join("other")).unwrap(), b"both");
            assert_eq!(folder.names(), ["f", "other"]);
        }

        #[test]
        fn links_to_nothing_make_it() {
            let folder = Folder::new("dangling");
            symlink("real", folder.0.join("link")).unwrap();
            write_atomically(folder.0.join("link"), b"x").unwrap();
            assert_eq!(fs::read(folder.0.join("real")).unwrap(), b"x");
            assert!(fs::symlink_metadata(folder.0.join("link")).unwrap().is_symlink());
            symlink("round", folder.0.join("round")).unwrap();
            assert!(write_atomically(folder.0.join("round"), b"x").is_err());
            symlink("absent/x", folder.0.join("nowhere")).unwrap();
            assert!(write_atomically(folder.0.join("nowhere"), b"x").is_err());
            assert_eq!(folder.names(), ["link", "nowhere", "real", "round"]);
        }

        #[test]
        fn pipes_stay() {
            let folder = Folder::new("pipe");
            let path = folder.0.join("p");
            let made = std::process::Command::new("mkfifo").arg(&path).status();
            assert!(made.unwrap().success());
            let reader = std::thread::spawn({
                let path = path.clone();
                move || fs::read(path).unwrap()
            });
            write_atomically(&path, b"through").unwrap();
            assert_eq!(reader.join().unwrap(), b"through");
            assert!(fs::symlink_metadata(&path).unwrap().file_type().is_fifo());
        }

        #[test]
        fn a_full_device_leaves_nothing() {
            let error = write_atomically("/dev/full", b"x").unwrap_err();
            assert_eq!(error.reason.kind(), io::ErrorKind::StorageFull);
        }
    }
}
