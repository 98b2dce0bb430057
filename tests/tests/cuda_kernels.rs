//! The kernels of `tests/kernels` from their CUDA C++: each `kernel.cu` goes through front end, optimiser and instruction selection, and the PTX runs in the
//! interpreter as the launch file beside it says; what comes out must be what an independent program computed.
//!
//! `tests/kernels/cuda-refused.txt` names kernels that the front end refuses: the name, then words of the message. Such a kernel must still fail in that way.
//! `cargo xtask bless cuda-kernels` writes the list anew.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use libtest_mimic::{Arguments, Failed, Trial};

/// The head of the list.
const HEAD: &str = "# Kernels whose CUDA C++ is refused: NAME, then words of the message. `cargo xtask bless cuda-kernels` writes this file.\n";

fn main() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("kernels");
    let list = folder.join("cuda-refused.txt");
    let text = fs::read_to_string(&list).unwrap_or_default();
    let refused: BTreeMap<String, String> = text
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.split_once(' '))
        .map(|(name, words)| (name.to_string(), words.to_string()))
        .collect();
    let found: Option<Arc<Mutex<BTreeMap<String, String>>>> =
        std::env::var_os("WARPSMITH_BLESS").map(|_| Arc::default());
    let mut trials = Vec::new();
    for source in sources(&folder) {
        let launch = source.with_file_name("launch.toml");
        let parent = source.parent().and_then(Path::file_name).expect("it is in a folder");
        let name = parent.to_string_lossy().into_owned();
        let words = refused.get(&name).cloned();
        let found = found.clone();
        trials.push(Trial::test(name.clone(), move || {
            let outcome = run(&launch, &source);
            match (found, outcome) {
                (Some(found), Err(message)) => {
                    let mut found = found.lock().unwrap_or_else(PoisonError::into_inner);
                    found.insert(name, reason(&message));
                    Ok(())
                }
                (Some(_), Ok(())) => Ok(()),
                (None, outcome) => judge(outcome, words.as_deref()),
            }
        }));
    }
    let lost: Vec<String> = (refused.into_keys())
        .filter(|name| !folder.join(name).join("kernel.cu").exists())
        .collect();
    trials.push(Trial::test("the list names kernels", move || match lost.is_empty() {
        true => Ok(()),
        false => Err(format!("there is no {}", lost.join(", ")).into()),
    }));
    let conclusion = libtest_mimic::run(&Arguments::from_args(), trials);
    if let Some(found) = found {
        let found = found.lock().unwrap_or_else(PoisonError::into_inner);
        let lines: String = found.iter().map(|(name, words)| format!("{name} {words}\n")).collect();
        // Where nothing is refused there is no list.
        if !lines.is_empty() || list.exists() {
            fs::write(&list, format!("{HEAD}{lines}")).expect("the list can be written");
        }
    }
    conclusion.exit();
}

/// The kernels that have a source and a launch file, in order.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("the folder exists");
    let mut sources: Vec<PathBuf> = entries
        .map(|entry| entry.expect("the folder is readable").path().join("kernel.cu"))
        .filter(|path| path.exists() && path.with_file_name("launch.toml").exists())
        .collect();
    sources.sort();
    sources
}

/// The target that the PTX beside a source is for: the source may ask for what others have not.
fn target(source: &Path) -> String {
    let ptx = fs::read_to_string(source.with_file_name("kernel.ptx")).unwrap_or_default();
    let line = ptx.lines().find_map(|line| line.strip_prefix(".target "));
    let name = line.unwrap_or("sm_80").split(',').next().unwrap_or_default();
    name.trim().to_string()
}

/// Runs a launch file with a source in place of its module.
fn run(launch: &Path, source: &Path) -> Result<(), String> {
    let mut command: Vec<OsString> = ["warpsmith", "run"].map(OsString::from).into();
    command.extend([launch.into(), "--source".into(), source.into()]);
    command.extend(["--on", "interpreter", "--arch"].map(OsString::from));
    command.push(target(source).into());
    let (mut out, mut errors) = (Vec::new(), Vec::new());
    match warpsmith_driver::run(&command, &mut out, &mut errors) {
        0 => Ok(()),
        _ => Err(String::from_utf8_lossy(&errors).into_owned()),
    }
}

/// The first error, without its place.
fn reason(message: &str) -> String {
    let line = message
        .lines()
        .find(|line| line.starts_with("error"))
        .unwrap_or_default();
    let text = line.split_once("error: ").map_or(line, |(_, text)| text);
    // A path at its start is a place too.
    let text = text.rsplit_once("kernel.cu: ").map_or(text, |(_, text)| text);
    text.trim().to_string()
}

fn judge(outcome: Result<(), String>, words: Option<&str>) -> Result<(), Failed> {
    match (outcome, words) {
        (Ok(()), None) => Ok(()),
        (Ok(()), Some(_)) => Err("it is right now: take it off cuda-refused.txt".into()),
        (Err(message), Some(words)) if message.contains(words) => Ok(()),
        (Err(message), Some(words)) => Err(format!("it fails, but not with `{words}`:\n{message}").into()),
        (Err(message), None) => Err(message.into()),
    }
}
