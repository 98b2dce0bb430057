//! The headers of a CUDA toolkit and of the host's C++ library, in place of the built-in ones (`--cuda-path`).

use std::path::{Path, PathBuf};

use warpsmith::{FrontEnd, Mode, Prelude};
use warpsmith_base::Diagnostic;

/// What distributions call the target that gcc compiles for.
const TRIPLETS: [&str; 4] = [
    "x86_64-linux-gnu",
    "x86_64-redhat-linux",
    "x86_64-pc-linux-gnu",
    "x86_64-suse-linux",
];

/// Where the C library's headers are, in gcc's order.
const SYSTEM: [&str; 3] = ["/usr/local/include", "/usr/include/x86_64-linux-gnu", "/usr/include"];

/// Lets a unit be read as nvcc lets gcc read it: the toolkit's `cuda_runtime.h` first, then its folders, then the host's.
pub(crate) fn use_headers(options: &mut FrontEnd, toolkit: &str) -> Result<(), Vec<Diagnostic>> {
    let include = Path::new(toolkit).join("include");
    if !include.join("cuda_runtime.h").is_file() {
        let text = format!("there is no CUDA toolkit in `{toolkit}`: it has no include/cuda_runtime.h");
        return Err(vec![Diagnostic::error(text)]);
    }
    let mut folders = vec![include.join("cccl"), include];
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
    Ok(())
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
