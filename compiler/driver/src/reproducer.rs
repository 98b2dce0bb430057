//! What repeats a fault of Warpsmith itself: a folder with the command line, the files that were read, and what is known of the fault.

use std::ffi::{OsStr, OsString};
use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use warpsmith_base::fault::{self, Fault};

use crate::exit::ExitCodes;

/// Bytes of files that are copied at most.
const MOST_BYTES: u64 = 256 << 20;

/// Names tried for the folder.
const ATTEMPTS: u32 = 100;

/// What the user is told of a fault, after it is saved.
pub(crate) fn report(codes: ExitCodes, arguments: &[OsString], fault: &Fault) -> String {
    let version = env!("CARGO_PKG_VERSION");
    let mut text = format!("{}internal error: {}", codes.prefix, fault.message);
    if !fault.place.is_empty() {
        let _ = write!(text, " ({})", fault.place);
    }
    let _ = write!(text, "; warpsmith {version}");
    if !fault.doing.phase.is_empty() {
        let _ = write!(text, ", phase '{}'", fault.doing.phase);
    }
    if !fault.doing.subject.is_empty() {
        let _ = write!(text, ", in '{}'", fault.doing.subject);
    }
    let details = format!("{text}\n\n{}", fault.backtrace);
    let saved = match save(arguments, &details) {
        Ok(folder) => format!("what repeats it is in {}: please report it", folder.display()),
        Err(error) => format!("what repeats it could not be saved: {error}"),
    };
    // One line, whatever the panic said.
    let text: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    format!("{text}\n{}{saved}\n", codes.prefix)
}

fn save(arguments: &[OsString], details: &str) -> io::Result<PathBuf> {
    let folder = new_folder()?;
    fs::write(folder.join("error.txt"), details)?;
    let current = std::env::current_dir().unwrap_or_default();
    let words: Vec<String> = arguments.iter().map(|word| quoted(word)).collect();
    let command = format!("cd {}\n{}\n", quoted(current.as_os_str()), words.join(" "));
    fs::write(folder.join("command.sh"), command)?;
    let named = arguments.iter().skip(1).map(PathBuf::from);
    let mut paths: Vec<PathBuf> = fault::files().into_iter().chain(named).collect();
    paths.sort();
    paths.dedup();
    let mut left = MOST_BYTES;
    for path in paths {
        let Ok(found) = fs::metadata(&path) else { continue };
        if !found.is_file() || found.len() > left {
            continue;
        }
        left -= found.len();
        let copy = folder.join("files").join(below(&path));
        if let Some(parent) = copy.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::copy(&path, &copy)?;
    }
    if let Some(bytes) = fault::standard_input() {
        fs::write(folder.join("standard-input"), bytes)?;
    }
    Ok(folder)
}

fn new_folder() -> io::Result<PathBuf> {
    let mut result = Err(io::Error::from(io::ErrorKind::AlreadyExists));
    for attempt in 0..ATTEMPTS {
        let name = format!("warpsmith-internal-error-{}-{attempt}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        match fs::create_dir(&folder) {
            Ok(()) => return Ok(folder),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => result = Err(error),
            Err(error) => return Err(error),
        }
    }
    result
}

/// A path as one that leads into no other folder.
fn below(path: &Path) -> PathBuf {
    let parts = path.components().filter_map(|part| match part {
        Component::Normal(name) => Some(name),
        Component::ParentDir => Some(OsStr::new("__")),
        Component::Prefix(_) | Component::RootDir | Component::CurDir => None,
    });
    parts.collect()
}

/// A word as a shell reads it.
fn quoted(word: &OsStr) -> String {
    let word = word.to_string_lossy();
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=,:+@%".contains(c);
    match !word.is_empty() && word.chars().all(plain) {
        true => word.into_owned(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_for_a_shell_and_paths_below_a_folder() {
        assert_eq!(quoted(OsStr::new("--arch=sm_90")), "--arch=sm_90");
        assert_eq!(quoted(OsStr::new("")), "''");
        assert_eq!(quoted(OsStr::new("it's $HOME")), "'it'\\''s $HOME'");
        assert_eq!(below(Path::new("/a/../b/./c.cu")), Path::new("a/__/b/c.cu"));
    }
}
