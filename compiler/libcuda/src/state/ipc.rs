//! Memory that processes share. What a handle of it says is its file, which has no name: other processes find it among the open files of the one that made it.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::os::fd::AsRawFd as _;
use std::sync::atomic::AtomicU64;

use super::{Owner, State};
use crate::interface::map_file;
use crate::result::{Code, Failed};

/// A handle's first word.
const MAGIC: u64 = u64::from_le_bytes(*b"wsmemory");

/// What a handle says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Handle {
    process: u64,
    file: u64,
    bytes: u64,
}

impl Handle {
    /// Its words.
    pub(crate) fn words(self) -> [u64; 8] {
        [MAGIC, self.process, self.file, self.bytes, 0, 0, 0, 0]
    }

    /// The handle that has these words.
    pub(crate) fn of(words: [u64; 8]) -> Option<Handle> {
        let [magic, process, file, bytes, ..] = words;
        let handle = Handle { process, file, bytes };
        (magic == MAGIC).then_some(handle)
    }
}

/// All of it.
#[derive(Debug, Default)]
pub(crate) struct Shares {
    /// The files of memory that others may open, by where it starts.
    exports: BTreeMap<u64, File>,
    /// Where memory of others was opened, and how often.
    imports: BTreeMap<Handle, (u64, u32)>,
}

fn failed(reason: impl std::fmt::Display) -> Failed {
    Failed::new(Code::Unknown, format!("memory of several processes: {reason}"))
}

/// A file of so many bytes that has no name.
fn nameless(bytes: u64) -> Result<File, Failed> {
    let folders = [std::path::PathBuf::from("/dev/shm"), std::env::temp_dir()];
    let folder = folders.into_iter().find(|folder| folder.is_dir()).unwrap_or_default();
    for number in 0..1000 {
        let path = folder.join(format!("warpsmith-{}-{number}", std::process::id()));
        let mut options = OpenOptions::new();
        match options.read(true).write(true).create_new(true).open(&path) {
            Ok(file) => {
                std::fs::remove_file(&path).map_err(failed)?;
                file.set_len(bytes).map_err(failed)?;
                return Ok(file);
            }
            Err(reason) if reason.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(reason) => return Err(failed(reason)),
        }
    }
    Err(failed("no file can be made"))
}

/// The words of a handle's file.
fn opened(handle: Handle) -> Result<&'static [AtomicU64], Failed> {
    let path = format!("/proc/{}/fd/{}", handle.process, handle.file);
    let file = OpenOptions::new().read(true).write(true).open(path);
    let gone = |reason| Failed::new(Code::InvalidHandle, format!("memory of another process: {reason}"));
    map_file(&file.map_err(gone)?, handle.bytes).ok_or_else(|| failed("it cannot be mapped"))
}

impl State {
    /// A handle for memory that starts at an address. Its bytes move into a file, and stay where kernels find them.
    pub(crate) fn export(&mut self, address: u64) -> Result<Handle, Failed> {
        let piece = self.piece(address).filter(|piece| piece.owner == Owner::Device);
        let piece =
            piece.ok_or_else(|| Failed::new(Code::InvalidValue, format!("{address:#x} is no memory of the device")))?;
        let bytes = piece.bytes.next_multiple_of(8);
        if !self.shares.exports.contains_key(&piece.start) {
            let file = nameless(bytes)?;
            let words = map_file(&file, bytes).ok_or_else(|| failed("it cannot be mapped"))?;
            let content = self.read(piece.start, piece.bytes as usize)?;
            self.device.free(piece.mapped).map_err(failed)?;
            self.device.map_host(piece.mapped, words).map_err(failed)?;
            self.write(piece.start, &content)?;
            self.shares.exports.insert(piece.start, file);
        }
        let file = &self.shares.exports[&piece.start];
        Ok(Handle {
            process: u64::from(std::process::id()),
            file: file.as_raw_fd() as u64,
            bytes,
        })
    }

    /// Where this process has the memory of another.
    pub(crate) fn import(&mut self, handle: Handle, context: super::ContextId) -> Result<u64, Failed> {
        if handle.process == u64::from(std::process::id()) {
            return Err(Failed::new(
                Code::InvalidContext,
                "a process does not open its own memory",
            ));
        }
        if let Some((address, count)) = self.shares.imports.get_mut(&handle) {
            *count += 1;
            return Ok(*address);
        }
        let words = opened(handle)?;
        let whole = handle.bytes.next_multiple_of(super::virtual_memory::GRANULARITY);
        let address = self.virtual_memory.reserve(whole, 0)?;
        self.share((address, handle.bytes), (address, words), (Owner::Other, 0), context)?;
        self.shares.imports.insert(handle, (address, 1));
        Ok(address)
    }

    /// Closes memory of another process.
    pub(crate) fn close_import(&mut self, address: u64) -> Result<(), Failed> {
        let found = self.shares.imports.iter_mut().find(|(_, (known, _))| *known == address);
        let Some((handle, (_, count))) = found else {
            return Err(Failed::new(
                Code::InvalidValue,
                format!("{address:#x} is no memory of another process"),
            ));
        };
        *count -= 1;
        if *count == 0 {
            let handle = *handle;
            self.shares.imports.remove(&handle);
            self.release(address, &[Owner::Other])?;
        }
        Ok(())
    }

    /// The memory at an address is freed: nobody opens it any more.
    pub(super) fn end_export(&mut self, start: u64) {
        self.shares.exports.remove(&start);
    }
}
