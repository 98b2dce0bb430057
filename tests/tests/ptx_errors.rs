//! What Warpsmith says of wrong PTX, word for word: each `tests/ptx/errors/NAME.ptx` has beside it `NAME.expected`, the output of
//! `warpsmith ptx check`, and `NAME.ptxas`, that of the ptxas face.
//!
//! `cargo xtask bless ptx-errors` writes the expected texts anew: read the difference before committing it.

use std::{
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
};

use libtest_mimic::{Arguments, Failed, Trial};

fn main() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("ptx/errors");
    let mut inputs: Vec<PathBuf> = fs::read_dir(&folder)
        .expect("the folder exists")
        .map(|entry| entry.expect("the folder is readable").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "ptx"))
        .collect();
    inputs.sort();
    let trials = inputs.into_iter().flat_map(|path| {
        let name = path
            .file_stem()
            .expect("files have names")
            .to_string_lossy()
            .into_owned();
        let other = path.clone();
        [
            Trial::test(format!("{name}::check"), move || check(&path)),
            Trial::test(format!("{name}::ptxas"), move || ptxas(&other)),
        ]
    });
    libtest_mimic::run(&Arguments::from_args(), trials.collect()).exit();
}

fn check(path: &Path) -> Result<(), Failed> {
    compare(path, "expected", &["warpsmith", "ptx", "check"], 1)
}

fn ptxas(path: &Path) -> Result<(), Failed> {
    compare(path, "ptxas", &["ptxas", "-arch=compute_121"], 255)
}

/// Runs the command on the file and compares what it says, with the file's folder left out.
fn compare(path: &Path, extension: &str, command: &[&str], status: u8) -> Result<(), Failed> {
    let mut arguments: Vec<OsString> = command.iter().map(OsString::from).collect();
    arguments.push(path.into());
    let (mut out, mut errors) = (Vec::new(), Vec::new());
    let own = warpsmith_driver::run(&arguments, &mut out, &mut errors);
    let folder = format!("{}/", path.parent().expect("in a folder").display());
    let text = String::from_utf8(errors)?.replace(&folder, "");
    if own != status || !out.is_empty() {
        return Err(format!("status {own}, and {} bytes of output", out.len()).into());
    }
    let expected = path.with_extension(extension);
    if std::env::var_os("WARPSMITH_BLESS").is_some() {
        fs::write(&expected, &text)?;
        return Ok(());
    }
    let wanted = fs::read_to_string(&expected).map_err(|error| format!("{}: {error}", expected.display()))?;
    match wanted == text {
        true => Ok(()),
        false => Err(format!("expected:\n{wanted}\ngot:\n{text}").into()),
    }
}
