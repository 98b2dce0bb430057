//! What a file holds, and which command takes it: for the messages to who gave it to another one.

use std::io::Read;
use std::path::Path;

use warpsmith::{Language, first_word};
use warpsmith_cubin::detect::{Container, container};

use crate::run::npy;

/// What a file holds, by its first bytes and, for sources, its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FileKind {
    /// A folder.
    Folder,
    /// Nothing.
    Empty,
    /// Machine code for a GPU.
    Cubin,
    /// An object, library or program of the host.
    HostObject,
    /// Cubins and PTX of several targets.
    Fatbin,
    /// LLVM's IR as bytes.
    Bitcode,
    /// A listing of a cubin.
    Listing,
    /// PTX.
    Ptx,
    /// LLVM's or NVVM's IR as text.
    Ir,
    /// CUDA C++.
    Cuda,
    /// What a launch is made of.
    Launch,
    /// An array of NumPy.
    Array,
    /// Bytes that are none of these.
    Binary,
    /// Text that is none of these.
    Text,
}

/// How much of a file is looked at, in bytes.
const HEAD: u64 = 64 << 10;

impl FileKind {
    /// What a file holds; `None` if it cannot be read.
    pub(crate) fn of(path: &Path) -> Option<FileKind> {
        if path.is_dir() {
            return Some(FileKind::Folder);
        }
        // Pipes would lose what is read here.
        if !path.metadata().ok()?.is_file() {
            return None;
        }
        let mut head = Vec::new();
        std::fs::File::open(path).ok()?.take(HEAD).read_to_end(&mut head).ok()?;
        let by_content = FileKind::of_bytes(&head);
        Some(match (by_content, path.extension().and_then(|end| end.to_str())) {
            (FileKind::Text, Some("cu" | "cuh" | "ii" | "cup")) => FileKind::Cuda,
            (FileKind::Text, Some("ll")) => FileKind::Ir,
            // PTX without its `.version` may begin as a listing does.
            (FileKind::Text | FileKind::Listing, Some("ptx")) => FileKind::Ptx,
            (FileKind::Text, Some("sass")) => FileKind::Listing,
            (FileKind::Text, Some("toml")) => FileKind::Launch,
            (kind, _) => kind,
        })
    }

    /// Whether it is of use to somebody: of the rest the command that it was given to has said all.
    pub(crate) const fn is_known(self) -> bool {
        !matches!(
            self,
            FileKind::Folder | FileKind::Empty | FileKind::Binary | FileKind::Text
        )
    }

    pub(crate) fn of_bytes(head: &[u8]) -> FileKind {
        if head.is_empty() {
            return FileKind::Empty;
        }
        if head.starts_with(npy::MAGIC) {
            return FileKind::Array;
        }
        match container(head) {
            Some(Container::Cubin) => return FileKind::Cubin,
            Some(Container::Host) => return FileKind::HostObject,
            Some(Container::Fatbin) => return FileKind::Fatbin,
            Some(Container::Bitcode) => return FileKind::Bitcode,
            Some(Container::Compressed) => return FileKind::Binary,
            None => {}
        }
        // A character may be cut at the end of what was read.
        let text = match std::str::from_utf8(head) {
            Ok(text) => text,
            Err(error) if error.error_len().is_none() => {
                std::str::from_utf8(&head[..error.valid_up_to()]).unwrap_or_default()
            }
            Err(_) => return FileKind::Binary,
        };
        if text.contains('\0') {
            return FileKind::Binary;
        }
        match Language::of_text(text) {
            Some(Language::Ptx) => FileKind::Ptx,
            Some(Language::Ir) => FileKind::Ir,
            Some(Language::Cuda) => FileKind::Cuda,
            None if matches!(first_word(text), ".target" | ".headerflags") => FileKind::Listing,
            None => FileKind::Text,
        }
    }

    /// What it is and which command takes it, as a sentence about `file`.
    pub(crate) fn advice(self, file: &str) -> String {
        let nvcc = format!("`warpsmith {file} -arch=sm_90` compiles it, with nvcc's options");
        let (is, takes) = match self {
            FileKind::Folder => ("a folder", "commands take files".to_string()),
            FileKind::Empty => ("empty", "there is nothing to do with it".to_string()),
            FileKind::Cubin => (
                "a cubin",
                format!("`warpsmith disasm {file}` lists it, `warpsmith run {file} …` runs it"),
            ),
            FileKind::HostObject => (
                "a file of the host",
                format!("`warpsmith --face cuobjdump -lelf {file}` lists the cubins in it"),
            ),
            FileKind::Fatbin => (
                "a fatbin",
                format!("`warpsmith --face cuobjdump -lelf {file}` lists the cubins in it"),
            ),
            FileKind::Bitcode => ("LLVM bitcode", nvcc),
            FileKind::Listing => (
                "a listing",
                format!("`warpsmith asm {file} -o FILE.cubin` assembles it, `warpsmith run {file} …` runs it"),
            ),
            FileKind::Ptx => (
                "PTX",
                format!(
                    "`warpsmith compile {file}` compiles it, `warpsmith ptx check {file}` explains what is wrong with it"
                ),
            ),
            FileKind::Ir => ("LLVM IR", nvcc),
            FileKind::Cuda => ("CUDA C++", nvcc),
            FileKind::Launch => ("a launch file", format!("`warpsmith run {file}` runs it")),
            FileKind::Array => (
                "an array of NumPy",
                format!("`warpsmith run … --arg NAME=npy:{file}` gives it to a kernel"),
            ),
            FileKind::Binary => ("no file that Warpsmith reads", "it is not text".to_string()),
            FileKind::Text => (
                "text of no kind that is known",
                "names end in .cu, .ll, .bc, .ptx, .sass or .toml".to_string(),
            ),
        };
        format!("{file} is {is}: {takes}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_by_their_first_bytes() {
        let mut cubin = b"\x7fELF".to_vec();
        cubin.resize(64, 0);
        assert_eq!(FileKind::of_bytes(&cubin), FileKind::HostObject);
        cubin[18] = 190;
        for (bytes, kind) in [
            (&b""[..], FileKind::Empty),
            (&cubin[..], FileKind::Cubin),
            (b"BC\xc0\xde....", FileKind::Bitcode),
            (b"// made by hand\n\n .version 8.0\n", FileKind::Ptx),
            (b".target sm_90\n", FileKind::Listing),
            (b"; ModuleID = 'x'\ntarget triple = \"nvptx64\"\n", FileKind::Ir),
            (b"\x93NUMPY\x01\x00", FileKind::Array),
            (b"\xff\xfe\x00\x01", FileKind::Binary),
            (b"int main() { }\n", FileKind::Text),
            // The second byte of a letter is not there: what was read ends within it.
            (b"caf\xc3", FileKind::Text),
        ] {
            assert_eq!(FileKind::of_bytes(bytes), kind, "{bytes:?}");
        }
    }
}
