//! What is compiled, and where the files come from that it includes.

use std::fmt;
use std::io;
use std::path::Path;
use std::sync::Arc;

use warpsmith_cuda::source::FileSystem;

/// A language that is compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Language {
    /// CUDA C++, preprocessed or not.
    Cuda,
    /// LLVM's or NVVM's IR, as text or bitcode.
    Ir,
    /// PTX.
    Ptx,
}

impl Language {
    /// The language of a file by the end of its name; `None` where it is nothing that is compiled.
    ///
    /// ```
    /// use std::path::Path;
    /// use warpsmith::Language;
    ///
    /// assert_eq!(Language::of(Path::new("kernels/saxpy.cu")), Some(Language::Cuda));
    /// assert_eq!(Language::of(Path::new("notes.txt")), None);
    /// ```
    pub fn of(path: &Path) -> Option<Language> {
        match path.extension()?.to_str()? {
            "cu" | "cuh" | "ii" | "i" | "cup" | "cpp" | "cc" | "cxx" | "c" => Some(Language::Cuda),
            "ll" | "bc" => Some(Language::Ir),
            "ptx" => Some(Language::Ptx),
            _ => None,
        }
    }

    /// The language of a text by its first lines: PTX and IR begin in their own ways; `None` is anything else.
    ///
    /// ```
    /// use warpsmith::Language;
    ///
    /// assert_eq!(Language::of_text("// made by hand\n.version 8.0\n"), Some(Language::Ptx));
    /// assert_eq!(Language::of_text("define void @f() {"), Some(Language::Ir));
    /// assert_eq!(Language::of_text("__global__ void k() {}"), None);
    /// ```
    pub fn of_text(text: &str) -> Option<Language> {
        match first_word(text) {
            ".version" => Some(Language::Ptx),
            "source_filename" | "target" | "define" | "declare" => Some(Language::Ir),
            _ => None,
        }
    }
}

/// The first word of a text that is in no comment of PTX, IR or CUDA C++ to a line's end.
pub fn first_word(text: &str) -> &str {
    let mut lines = text.lines().map(str::trim_start);
    let first = lines.find(|line| !line.is_empty() && !line.starts_with("//") && !line.starts_with(';'));
    let word = first.and_then(|line| line.split_whitespace().next());
    word.unwrap_or_default()
}

/// A text to compile, under the name that messages call it by; or a file that the session reads.
#[derive(Clone, Debug)]
pub struct Source {
    language: Language,
    name: String,
    bytes: Option<Arc<[u8]>>,
}

impl Source {
    /// A text in a language.
    pub fn new(language: Language, name: impl Into<String>, bytes: impl Into<Arc<[u8]>>) -> Source {
        Source {
            language,
            name: name.into(),
            bytes: Some(bytes.into()),
        }
    }

    /// CUDA C++ from memory.
    pub fn cuda(name: impl Into<String>, text: impl AsRef<str>) -> Source {
        Source::new(Language::Cuda, name, text.as_ref().as_bytes())
    }

    /// LLVM's or NVVM's IR from memory, as text.
    pub fn ir(name: impl Into<String>, text: impl AsRef<str>) -> Source {
        Source::new(Language::Ir, name, text.as_ref().as_bytes())
    }

    /// PTX from memory.
    pub fn ptx(name: impl Into<String>, text: impl AsRef<str>) -> Source {
        Source::new(Language::Ptx, name, text.as_ref().as_bytes())
    }

    /// A file, which is read when it is compiled, from where the session's files come from.
    pub fn file(language: Language, path: impl Into<String>) -> Source {
        Source {
            language,
            name: path.into(),
            bytes: None,
        }
    }

    /// The language.
    pub fn language(&self) -> Language {
        self.language
    }

    /// The name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The text, if it is in memory.
    pub(crate) fn bytes(&self) -> Option<&Arc<[u8]>> {
        self.bytes.as_ref()
    }
}

/// Where files come from, shared by all that a session makes.
#[derive(Clone)]
pub(crate) struct Files(Arc<dyn FileSystem + Send + Sync>);

impl Files {
    pub(crate) fn new(files: impl FileSystem + Send + Sync + 'static) -> Files {
        Files(Arc::new(files))
    }

    /// These files and, before them, a source from memory.
    pub(crate) fn with(&self, source: &Source) -> Files {
        match source.bytes() {
            None => self.clone(),
            Some(bytes) => Files::new(WithMain {
                name: source.name.clone(),
                bytes: bytes.clone(),
                rest: self.clone(),
            }),
        }
    }
}

impl fmt::Debug for Files {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Files")
    }
}

impl FileSystem for Files {
    fn read(&self, path: &str) -> io::Result<Vec<u8>> {
        self.0.read(path)
    }

    fn identity(&self, path: &str) -> String {
        self.0.identity(path)
    }

    fn is_header(&self, name: &str) -> bool {
        self.0.is_header(name)
    }

    fn read_to_show(&self, path: &str) -> Option<Vec<u8>> {
        self.0.read_to_show(path)
    }
}

/// A source from memory in front of files.
struct WithMain {
    name: String,
    bytes: Arc<[u8]>,
    rest: Files,
}

impl FileSystem for WithMain {
    fn read(&self, path: &str) -> io::Result<Vec<u8>> {
        match path == self.name {
            true => Ok(self.bytes.to_vec()),
            false => self.rest.read(path),
        }
    }

    fn identity(&self, path: &str) -> String {
        match path == self.name {
            true => self.name.clone(),
            false => self.rest.identity(path),
        }
    }

    fn is_header(&self, name: &str) -> bool {
        self.rest.is_header(name)
    }

    fn read_to_show(&self, path: &str) -> Option<Vec<u8>> {
        match path == self.name {
            true => Some(self.bytes.to_vec()),
            false => self.rest.read_to_show(path),
        }
    }
}

/// Files that a function gives, by path: an include callback.
///
/// The function is asked for each name that an `#include` may mean: as it stands, and inside each include folder. It answers
/// [`io::ErrorKind::NotFound`] for what it does not have.
///
/// ```
/// use std::io;
/// use warpsmith::{Callback, Emit, Options, Session, Sm, Source};
///
/// let files = Callback(|path: &str| match path {
///     "generated/width.h" => Ok(b"constexpr int width = 32;\n".to_vec()),
///     _ => Err(io::ErrorKind::NotFound.into()),
/// });
/// let mut options = Options::new(Sm::Sm90);
/// options.emit = Emit::Check;
/// options.front.folders.push("generated".into());
/// let session = Session::new(options).with_files(files);
/// session.compile(&Source::cuda("k.cu", "#include <width.h>\n__device__ int twice() { return 2 * width; }\n"))?;
/// # Ok::<(), warpsmith::Failure>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Callback<F>(pub F);

impl<F: Fn(&str) -> io::Result<Vec<u8>>> FileSystem for Callback<F> {
    fn read(&self, path: &str) -> io::Result<Vec<u8>> {
        (self.0)(path)
    }
}
