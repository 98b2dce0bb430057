//! The headers of a CUDA toolkit and of the host's C++ library, in place of the built-in ones (`--cuda-path`), and what programs are linked with.

use std::path::{Path, PathBuf};

use warpsmith::{FrontEnd, Mode, Prelude};
use warpsmith_base::Diagnostic;

use crate::vendor::Parsed;

/// What distributions call the target that gcc compiles for.
const TRIPLETS: [&str; 4] = [
    "x86_64-linux-gnu",
    "x86_64-redhat-linux",
    "x86_64-pc-linux-gnu",
    "x86_64-suse-linux",
];

/// Where the C library's headers are, in gcc's order.
const SYSTEM: [&str; 3] = ["/usr/local/include", "/usr/include/x86_64-linux-gnu", "/usr/include"];

/// Where the host's side finds CUDA's headers and libraries.
#[derive(Clone, Debug)]
pub(super) struct Toolkit {
    root: PathBuf,
    /// It is of our own headers and runtime.
    is_own: bool,
}

impl Toolkit {
    /// The toolkit of a command line.
    pub(super) fn of(parsed: &Parsed) -> Result<Toolkit, Vec<Diagnostic>> {
        match parsed.text("cuda-path") {
            Some(root) => Ok(Toolkit {
                root: PathBuf::from(root),
                is_own: false,
            }),
            None => Ok(Toolkit {
                root: own_root()?,
                is_own: true,
            }),
        }
    }

    /// Its folder.
    pub(super) fn root(&self) -> &Path {
        &self.root
    }

    /// Where the host's compiler finds the headers.
    pub(super) fn include_words(&self) -> Vec<String> {
        let include = self.root.join("include");
        let mut words = vec![format!("-I{}", include.display())];
        let cccl = include.join("cccl");
        if cccl.is_dir() {
            words.extend(["-isystem".to_owned(), cccl.display().to_string()]);
        }
        words
    }

    /// Where the linker finds the libraries.
    pub(super) fn folder_words(&self) -> Vec<String> {
        let folders = ["lib64/stubs", "lib64", "lib"].map(|folder| self.root.join(folder));
        folders
            .iter()
            .filter(|folder| folder.is_dir())
            .map(|folder| format!("-L{}", folder.display()))
            .collect()
    }

    /// What programs are linked with: the runtime, `-cudart` says in which form.
    pub(super) fn library_words(&self, runtime: &str) -> Vec<String> {
        let mut words = self.folder_words();
        let libraries: &[&str] = match runtime {
            "none" => &[],
            "shared" => &["-lcudart"],
            _ => &["-lcudart_static", "-lrt", "-lpthread", "-ldl"],
        };
        words.extend(libraries.iter().map(|&word| word.to_owned()));
        words
    }

    /// What to tell of a link that failed where the runtime of our own that it wants was never built.
    pub(super) fn missing_runtime(&self, runtime: &str) -> Option<Diagnostic> {
        let (file, built) = match runtime {
            "none" => return None,
            "shared" => ("libcudart.so", SHARED_RUNTIME),
            _ => ("libcudart_static.a", RUNTIME),
        };
        if !self.is_own || self.root.join("lib64").join(file).exists() {
            return None;
        }
        let text = format!("the runtime `{built}` is neither beside `warpsmith` nor in the `lib` beside its folder");
        let how = "`cargo build --release -p warpsmith-cudart -p warpsmith-libcuda` builds it into `target/release`";
        Some(Diagnostic::error(text).note(how))
    }
}

/// The runtime as an archive, for programs on a GPU and on none.
const RUNTIME: &str = "libwarpsmith_cudart.a";

/// The same as a shared library.
const SHARED_RUNTIME: &str = "libwarpsmith_cudart.so";

/// The driver's stand-in, which is a shared runtime of its own, too.
const STAND_IN: &str = "libwarpsmith_libcuda.so";

/// The libraries of compilers, which programs that compile at run time load.
const COMPILERS: &str = "libwarpsmith_capi.so";

/// A library: in the folder of the program, in the `lib` beside it, or in `deps`, where cargo puts what tests need. That of tests may be newer than the one that
/// `cargo build` left beside the program.
fn library(name: &str) -> Option<PathBuf> {
    let program = std::env::current_exe().ok()?.canonicalize().ok()?;
    let folder = program.parent()?;
    let named = [folder.to_path_buf(), folder.parent()?.join("lib"), folder.join("deps")];
    let found = named.into_iter().map(|folder| folder.join(name));
    let found = found.filter(|library| library.is_file());
    let of_tests = of_cargo(&folder.join("deps"), name);
    let age = |library: &PathBuf| library.metadata().and_then(|data| data.modified()).ok();
    of_tests.into_iter().chain(found).max_by_key(age)
}

/// The newest library that cargo made, with a hash behind its name.
fn of_cargo(folder: &Path, name: &str) -> Option<PathBuf> {
    let (stem, end) = name.split_once('.')?;
    let entries = std::fs::read_dir(folder).ok()?.flatten();
    let is_one = |file: &str| {
        file.strip_prefix(stem)
            .is_some_and(|rest| rest.starts_with('-') && rest.ends_with(&format!(".{end}")))
    };
    let named = entries.filter(|entry| entry.file_name().to_str().is_some_and(is_one));
    let newest = named.max_by_key(|entry| entry.metadata().and_then(|data| data.modified()).ok());
    newest.map(|entry| entry.path())
}

/// Lets the linker find the runtime under the names that nvcc links it by. Those of a toolkit are archives and shared libraries; here each is a script of the
/// linker that names the one that lies beside the program.
fn write_libraries(folder: &Path) -> std::io::Result<()> {
    let script = |library: &Path| format!("INPUT ( \"{}\" )\n", library.display());
    let stand_in = library(STAND_IN);
    let archive = library(RUNTIME).or(stand_in.clone());
    let shared = library(SHARED_RUNTIME).or(stand_in);
    // The archive has the functions of the driver and of NVRTC, too, and finds the library when one is called first.
    let driver = |library: &Path| format!("INPUT ( \"{}\" -lpthread -ldl )\n", library.display());
    // Kernels that launch kernels have no library of their own: an archive without members.
    let files = [
        ("libcudart_static.a", archive.as_deref().map(script)),
        ("libcudart.so", shared.as_deref().map(script)),
        ("libcuda.so", archive.as_deref().map(driver)),
        ("libnvrtc.so", archive.as_deref().map(driver)),
        ("libnvrtc_static.a", archive.as_deref().map(driver)),
        ("libcudadevrt.a", Some("!<arch>\n".to_owned())),
    ];
    for (name, text) in files {
        let (file, Some(text)) = (folder.join(name), text) else {
            continue;
        };
        if std::fs::read(&file).is_ok_and(|bytes| bytes == text.as_bytes()) {
            continue;
        }
        warpsmith_base::write_atomically(&file, text.as_bytes()).map_err(|error| error.reason)?;
    }
    Ok(())
}

/// Lets programs find the libraries that they load: the driver's stand-in, where there is no driver, and NVRTC. Each is a link in the user's cache, where the
/// runtime looks.
fn link_libraries(cache: &Path) -> std::io::Result<()> {
    link_library(cache, "libcuda.so.1", STAND_IN)?;
    link_library(cache, "libnvrtc.so.13", COMPILERS)
}

#[cfg(unix)]
fn link_library(cache: &Path, name: &str, file: &str) -> std::io::Result<()> {
    let Some(library) = library(file) else {
        return Ok(());
    };
    let link = cache.join("lib").join(name);
    if std::fs::read_link(&link).is_ok_and(|known| known == library) {
        return Ok(());
    }
    std::fs::create_dir_all(cache.join("lib"))?;
    // The link is made beside and then takes the old one's place: there is one at any time.
    let new = cache.join(format!("lib/{name}.{}", std::process::id()));
    let _ = std::fs::remove_file(&new);
    std::os::unix::fs::symlink(&library, &new)?;
    std::fs::rename(&new, &link)
}

#[cfg(not(unix))]
fn link_library(_cache: &Path, _name: &str, _file: &str) -> std::io::Result<()> {
    Ok(())
}

/// The folder of our own headers, in the user's cache. What is in it is written when it is wanted first, and found by its content after that.
fn own_root() -> Result<PathBuf, Vec<Diagnostic>> {
    let headers = warpsmith_host::host_headers();
    let mut hasher = std::hash::DefaultHasher::new();
    for (name, text) in &headers {
        std::hash::Hash::hash(&(name, text), &mut hasher);
    }
    let name = format!("toolkit-{:016x}", std::hash::Hasher::finish(&hasher));
    let cache = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
    let cache = cache.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cache")));
    let bases = cache.into_iter().chain([std::env::temp_dir()]);
    let mut reason = String::new();
    for base in bases {
        let root = base.join("warpsmith").join(&name);
        let written = write_headers(&root, &headers).and_then(|()| write_libraries(&root.join("lib64")));
        match written.and_then(|()| link_libraries(&base.join("warpsmith"))) {
            Ok(()) => return Ok(root),
            Err(error) => reason = format!("{}: {error}", root.display()),
        }
    }
    Err(vec![Diagnostic::error(format!(
        "cannot write the headers of the CUDA runtime to {reason}"
    ))])
}

/// Writes the headers, each as a whole, unless all are there.
fn write_headers(root: &Path, headers: &[(&str, String)]) -> std::io::Result<()> {
    let done = root.join("complete");
    if done.is_file() {
        return Ok(());
    }
    // What build systems look for in a toolkit.
    for folder in ["include", "lib64", "nvvm/libdevice"] {
        std::fs::create_dir_all(root.join(folder))?;
    }
    for (name, text) in headers {
        let file = root.join("include").join(name);
        if let Some(folder) = file.parent() {
            std::fs::create_dir_all(folder)?;
        }
        warpsmith_base::write_atomically(&file, text.as_bytes()).map_err(|error| error.reason)?;
    }
    warpsmith_base::write_atomically(&done, b"").map_err(|error| error.reason)
}

/// Lets a unit be read with our own headers and the host's.
pub(super) fn use_own_headers(options: &mut FrontEnd) -> Result<(), Vec<Diagnostic>> {
    let root = own_root()?;
    with_host_headers(options, vec![root.join("include")]);
    Ok(())
}

/// Lets a unit be read as nvcc lets gcc read it: the toolkit's `cuda_runtime.h` first, then its folders, then the host's.
pub(crate) fn use_headers(options: &mut FrontEnd, toolkit: &str) -> Result<(), Vec<Diagnostic>> {
    let include = Path::new(toolkit).join("include");
    if !include.join("cuda_runtime.h").is_file() {
        let text = format!("there is no CUDA toolkit in `{toolkit}`: it has no include/cuda_runtime.h");
        return Err(vec![Diagnostic::error(text)]);
    }
    with_host_headers(options, vec![include.join("cccl"), include]);
    Ok(())
}

/// The folders of CUDA's headers before those of the host, and `cuda_runtime.h` first of all.
fn with_host_headers(options: &mut FrontEnd, mut folders: Vec<PathBuf>) {
    folders.extend(library_folders(Path::new("/usr")));
    folders.extend(SYSTEM.map(PathBuf::from));
    let present = folders.into_iter().filter(|folder| folder.is_dir());
    options
        .system_folders
        .extend(present.map(|folder| folder.to_string_lossy().into_owned()));
    options.includes.insert(0, "cuda_runtime.h".to_string());
    options.mode = Mode::HostHeaders;
    options.prelude = Prelude::None;
    options.built_in_headers = false;
}

/// The folders of the newest libstdc++ and of its gcc.
fn library_folders(root: &Path) -> Vec<PathBuf> {
    let base = root.join("include/c++");
    let versions = std::fs::read_dir(&base).into_iter().flatten().flatten();
    let newest = versions
        .filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            let number: u32 = name.split('.').next()?.parse().ok()?;
            Some((number, name))
        })
        .max();
    let Some((_, version)) = newest else {
        return Vec::new();
    };
    let library = base.join(&version);
    let mut folders = vec![library.clone()];
    for triplet in TRIPLETS {
        folders.push(root.join("include").join(triplet).join("c++").join(&version));
        folders.push(library.join(triplet));
    }
    folders.push(library.join("backward"));
    for triplet in TRIPLETS {
        folders.push(root.join("lib/gcc").join(triplet).join(&version).join("include"));
    }
    folders
}
