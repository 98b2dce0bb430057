//! The files of a command line, by what is done with them.

use std::path::{Path, PathBuf};

use warpsmith_base::Diagnostic;

use super::{Product, error};
use crate::files;
use crate::vendor::Parsed;

/// What is done with a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// CUDA C++: both sides are compiled.
    Cuda,
    /// C or C++: the host's compiler has it.
    Source,
    /// It is linked.
    Object,
    /// A library: it is linked.
    Library,
}

/// The kind of a file, or that it has none here.
#[derive(Clone, Copy)]
pub(super) struct MaybeKind(Option<Kind>);

impl Kind {
    /// The kind of a file by `-x` or the end of its name.
    pub(super) fn of(path: &Path, parsed: &Parsed) -> MaybeKind {
        let end = path
            .extension()
            .map(|end| end.to_string_lossy().into_owned())
            .unwrap_or_default();
        let name = path
            .file_name()
            .map(|name| name.to_string_lossy().into_owned())
            .unwrap_or_default();
        let by_end = match end.as_str() {
            "o" | "obj" => Some(Kind::Object),
            "a" | "so" | "lib" => Some(Kind::Library),
            // `libm.so.6`
            _ if name.contains(".so.") => Some(Kind::Library),
            "cu" => Some(Kind::Cuda),
            "c" | "cc" | "cpp" | "cxx" | "C" | "c++" => Some(Kind::Source),
            _ => None,
        };
        let is_linked = matches!(by_end, Some(Kind::Object | Kind::Library));
        MaybeKind(match parsed.keyword("x") {
            Some("cu") if !is_linked => Some(Kind::Cuda),
            Some("c" | "c++") if !is_linked => Some(Kind::Source),
            _ => by_end,
        })
    }
}

impl MaybeKind {
    /// Whether the file is there to be linked.
    pub(super) fn is_linked(self) -> bool {
        matches!(self.0, Some(Kind::Object | Kind::Library))
    }

    /// Whether the host has a use for it.
    pub(super) fn is_of_host(self) -> bool {
        self.0.is_some()
    }
}

/// A file.
pub(super) struct Input {
    pub path: PathBuf,
    pub kind: Kind,
    /// How many files of the same stem come before it.
    pub number: usize,
}

/// The files of a command line.
///
/// # Errors
/// What nothing can be done with.
pub(super) fn read(parsed: &Parsed, product: Product) -> Result<Vec<Input>, Vec<Diagnostic>> {
    let mut inputs: Vec<Input> = Vec::new();
    for file in &parsed.files {
        let path = PathBuf::from(file);
        let name = files::shown(&path);
        let Some(kind) = Kind::of(&path, parsed).0 else {
            let text = "the end of its name says no language and no object of the host: .cu, .c, .cc, .cpp, .cxx, .o, .a or .so is wanted, or -x";
            return Err(vec![Diagnostic::error(text).in_file(name)]);
        };
        if !path.is_file() && path != Path::new("-") {
            return Err(vec![
                Diagnostic::error("cannot read: there is no such file").in_file(name),
            ]);
        }
        let number = inputs
            .iter()
            .filter(|input| input.path.file_stem() == path.file_stem())
            .count();
        inputs.push(Input { path, kind, number });
    }
    let sources = inputs
        .iter()
        .filter(|input| matches!(input.kind, Kind::Cuda | Kind::Source))
        .count();
    let each = matches!(product, Product::Object | Product::HostSide);
    if each && sources > 1 && parsed.has("o") {
        return Err(error("one output is named, and several are to be made: leave -o away"));
    }
    Ok(inputs)
}
