//! Files that come in and go out.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use warpsmith_base::{Diagnostic, fault, write_atomically};
use warpsmith_cubin::{Cubin, CubinError};

use crate::Console;

/// What stands for standard input or output in place of a file name.
const STANDARD: &str = "-";

/// The most bytes that a file may have: some endless inputs look like files.
const LARGEST: u64 = 2 << 30;

/// Why a file could not be read.
pub(crate) enum ReadError {
    /// It cannot be opened.
    Open(io::Error),
    /// It can be opened, but not be read.
    Read(io::Error),
}

/// Reads a whole file.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>, ReadError> {
    fault::note_file(path);
    read_all(File::open(path).map_err(ReadError::Open)?).map_err(ReadError::Read)
}

fn read_all(source: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    source.take(LARGEST + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > LARGEST {
        let reason = format!("it has more than {LARGEST} bytes");
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, reason));
    }
    Ok(bytes)
}

/// Reads the input of a command; `-` is standard input.
pub(crate) fn read_input(path: &Path) -> Result<Vec<u8>, Vec<Diagnostic>> {
    let result = if path == Path::new(STANDARD) {
        read_all(io::stdin().lock()).inspect(|bytes| fault::note_standard_input(bytes))
    } else {
        read(path).map_err(|error| match error {
            ReadError::Open(error) | ReadError::Read(error) => error,
        })
    };
    result.map_err(|error| vec![Diagnostic::error(format!("cannot read: {error}")).in_file(shown(path))])
}

/// Writes the result of a command: to a file, or to standard output where there is no name or `-`.
pub(crate) fn write_output(path: Option<&Path>, bytes: &[u8], console: &mut Console) -> Result<(), Vec<Diagnostic>> {
    match path.filter(|path| *path != Path::new(STANDARD)) {
        Some(path) => write_atomically(path, bytes)
            .map_err(|error| vec![Diagnostic::error(format!("cannot write: {}", error.reason)).in_file(shown(path))]),
        None => console
            .print(bytes)
            .map_err(|error| vec![Diagnostic::error(format!("cannot write to standard output: {error}"))]),
    }
}

/// Reads a cubin from the bytes of a file.
pub(crate) fn read_cubin(path: &Path, bytes: &[u8]) -> Result<Cubin, Vec<Diagnostic>> {
    Cubin::read(bytes).map_err(|error| {
        let CubinError {
            offset,
            construct,
            reason,
        } = error;
        let diagnostic = Diagnostic::error(reason).in_file(shown(path));
        vec![diagnostic.at_offset(offset).about(construct)]
    })
}

/// A path for messages.
pub(crate) fn shown(path: &Path) -> String {
    match path == Path::new(STANDARD) {
        true => "<standard input>".to_owned(),
        false => path.to_string_lossy().into_owned(),
    }
}
