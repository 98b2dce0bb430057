//! What the commands share: how one ends, and how targets and folders of files are given.

use std::{
    error::Error,
    path::{Path, PathBuf},
    process::Command,
    str::FromStr,
};

use warpsmith_target::Sm;

/// How a command ended that could do its work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// All is as it should be.
    Good,
    /// Something is wrong, and the command has said what.
    Wrong,
}

impl Outcome {
    /// Good, if nothing is wrong.
    pub(crate) fn good_if(good: bool) -> Outcome {
        if good { Outcome::Good } else { Outcome::Wrong }
    }
}

/// What a command gives: how it ended, or why it could not do its work.
pub(crate) type Result = std::result::Result<Outcome, Box<dyn Error>>;

/// A target as it is given: `sm_90a` or `90a`.
pub(crate) fn sm(name: &str) -> std::result::Result<Sm, String> {
    let number = name.trim_start_matches("sm_");
    Sm::from_str(&format!("sm_{number}")).map_err(|_| {
        let known: Vec<&str> = Sm::ALL.iter().map(|sm| sm.name()).collect();
        format!("there is no sm_{number}; there are {}", known.join(", "))
    })
}

/// The file, or the files of a folder and those below it that have the extension, in order.
pub(crate) fn files(path: &Path, extension: &str) -> std::result::Result<Vec<PathBuf>, String> {
    if !path.is_dir() {
        return Ok(vec![path.to_path_buf()]);
    }
    let said = |error: std::io::Error| format!("{}: {error}", path.display());
    let mut inside = Vec::new();
    for entry in std::fs::read_dir(path).map_err(said)? {
        inside.push(entry.map_err(said)?.path());
    }
    inside.sort();
    let mut found = Vec::new();
    for path in inside {
        if path.is_dir() {
            found.extend(files(&path, extension)?);
        } else if path.extension().is_some_and(|end| end == extension) {
            found.push(path);
        }
    }
    Ok(found)
}

/// The bytes of a file.
pub(crate) fn read(path: &Path) -> std::result::Result<Vec<u8>, String> {
    std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))
}

/// The text of a file.
pub(crate) fn read_text(path: &Path) -> std::result::Result<String, String> {
    std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

/// The root of the repository.
pub(crate) fn root() -> &'static Path {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    tests.parent().unwrap_or(tests)
}

/// A call of cargo in the repository, by the cargo that started this program.
pub(crate) fn cargo() -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root());
    command
}

/// Our binary, built anew if it is older than its sources.
pub(crate) fn warpsmith() -> std::result::Result<PathBuf, Box<dyn Error>> {
    let mut build = cargo();
    build.args([
        "build",
        "--quiet",
        "-p",
        "warpsmith-tests",
        "--bin",
        "warpsmith-under-test",
    ]);
    if !cfg!(debug_assertions) {
        build.arg("--release");
    }
    if !build.status()?.success() {
        return Err("warpsmith does not build".into());
    }
    let name = format!("warpsmith-under-test{}", std::env::consts::EXE_SUFFIX);
    Ok(std::env::current_exe()?.with_file_name(name))
}
