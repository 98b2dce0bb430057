//! Real algorithms as PTX, run by `warpsmith run`: each `tests/kernels/NAME/launch.toml` says what is run and what must come out, computed by an
//! independent program (`expected.py`).
//!
//! Beside some lies `sm_NN.sass`, a listing of the cubin that ptxas 13.0 (-O3) made for that SM: the emulator of machine code runs it with the same
//! launch file and the same results, and finds no register touched too early. `emulator-agreement listings` writes them.
//!
//! `tests/kernels/unsupported.txt` names kernels that cannot run yet, one line each: the name, then words that are in the message. Such a
//! kernel must still fail in that way; one that runs is to be taken off the list.

use std::{
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
};

use libtest_mimic::{Arguments, Failed, Trial};

fn main() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("kernels");
    let list = fs::read_to_string(folder.join("unsupported.txt")).expect("the list is readable");
    let unsupported: Vec<(String, String)> = list
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.split_once(' '))
        .map(|(name, reason)| (name.to_owned(), reason.trim().to_owned()))
        .collect();
    let mut launches: Vec<PathBuf> = fs::read_dir(&folder)
        .expect("the folder exists")
        .map(|entry| entry.expect("the folder is readable").path().join("launch.toml"))
        .filter(|path| path.exists())
        .collect();
    launches.sort();
    let missing: Vec<String> = unsupported
        .iter()
        .map(|(name, _)| name.clone())
        .filter(|name| !folder.join(name).exists())
        .collect();
    let listings: Vec<(PathBuf, PathBuf)> = launches
        .iter()
        .flat_map(|launch| listings_beside(launch).into_iter().map(|code| (launch.clone(), code)))
        .collect();
    let mut trials: Vec<Trial> = launches
        .into_iter()
        .map(|path| {
            let name = path
                .parent()
                .and_then(Path::file_name)
                .expect("it is in a folder")
                .to_string_lossy()
                .into_owned();
            let reason = unsupported
                .iter()
                .find(|(own, _)| *own == name)
                .map(|(_, reason)| reason.clone());
            Trial::test(name, move || check(&path, None, reason.as_deref()))
        })
        .collect();
    trials.extend(listings.into_iter().map(|(launch, code)| {
        let name = code.strip_prefix(&folder).unwrap_or(&code).with_extension("");
        let name = name.to_string_lossy().into_owned();
        Trial::test(name, move || check(&launch, Some(&code), None))
    }));
    trials.push(Trial::test("unsupported.txt names kernels", move || {
        match missing.is_empty() {
            true => Ok(()),
            false => Err(format!("there is no {}", missing.join(", ")).into()),
        }
    }));
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}

/// The listings in the folder of a launch file, in order.
fn listings_beside(launch: &Path) -> Vec<PathBuf> {
    let folder = fs::read_dir(launch.parent().unwrap_or(Path::new(""))).expect("the folder exists");
    let paths = folder.map(|entry| entry.expect("the folder is readable").path());
    let mut listings: Vec<PathBuf> = paths
        .filter(|path| path.extension().is_some_and(|extension| extension == "sass"))
        .collect();
    listings.sort();
    listings
}

/// Runs a launch file, with this machine code in place of its module; it must succeed, or fail for the reason given.
fn check(launch: &Path, code: Option<&Path>, reason: Option<&str>) -> Result<(), Failed> {
    let mut command: Vec<OsString> = ["warpsmith".into(), "run".into(), launch.into()].into();
    if let Some(code) = code {
        command.extend(["--check".into(), "hazards".into(), "--code".into(), code.into()]);
    }
    let (mut out, mut errors) = (Vec::new(), Vec::new());
    let status = warpsmith_driver::run(&command, &mut out, &mut errors);
    let message = String::from_utf8(errors)?;
    match (status, reason) {
        (0, None) => Ok(()),
        (0, Some(_)) => Err("it runs now: take it off unsupported.txt".into()),
        (_, Some(reason)) if message.contains(reason) => Ok(()),
        (_, Some(reason)) => Err(format!("it fails, but not with `{reason}`:\n{message}").into()),
        (_, None) => Err(message.into()),
    }
}
