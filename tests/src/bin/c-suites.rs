//! Suites of C programs as kernels, in the interpreter and the emulator:
//!
//! ```text
//! c-suites [--c-testsuite FOLDER] [--torture FOLDER] [--only FILE] [--host COMPILER] [--sm NN] [--jobs N] [NAME…]
//! ```
//!
//! `--c-testsuite` takes the folder `tests/single-exec` of <https://github.com/c-testsuite/c-testsuite>, `--torture` the folder `gcc.c-torture/execute` of
//! GCC (or `gcc-c-torture/execute` of LLVM's test suite). `--only` names a file of names of programs, one a line; `--host` leaves out what that compiler of C++
//! refuses, or what fails on the host as well. What does not pass is printed with its reason.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    process::{Command, ExitCode, Stdio},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
};

use warpsmith_target::Sm;
use warpsmith_tests::c_suites::{Case, Report, judge};

const USAGE: &str =
    "usage: c-suites [--c-testsuite FOLDER] [--torture FOLDER] … (see the top of tests/src/bin/c-suites.rs)";

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("c-suites: {message}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), String> {
    let mut given = std::env::args().skip(1);
    let (mut folders, mut only, mut host, mut jobs) = (Vec::new(), BTreeSet::new(), None, 1);
    let mut sm: Sm = "sm_90".parse().map_err(|_| USAGE)?;
    while let Some(argument) = given.next() {
        let mut value = || given.next().ok_or(USAGE);
        match argument.as_str() {
            "--c-testsuite" | "--torture" => folders.push(PathBuf::from(value()?)),
            "--only" => {
                let path = value()?;
                let text = fs::read_to_string(&path).map_err(|error| format!("{path}: {error}"))?;
                only.extend(text.lines().map(|line| line.trim().to_owned()));
            }
            "--host" => host = Some(value()?),
            "--jobs" => jobs = value()?.parse().map_err(|_| USAGE)?,
            "--sm" => {
                let name = value()?;
                let name = format!("sm_{}", name.trim_start_matches("sm_"));
                sm = name.parse().map_err(|_| format!("there is no {name}"))?;
            }
            _ if argument.starts_with('-') => return Err(USAGE.to_owned()),
            _ => drop(only.insert(argument)),
        }
    }
    if folders.is_empty() {
        return Err(USAGE.to_owned());
    }
    for folder in folders {
        let cases: Vec<Case> = (cases(&folder)?.into_iter())
            .filter(|case| only.is_empty() || only.contains(&case.name))
            .collect();
        let (next, report) = (AtomicUsize::new(0), Mutex::new(Report::default()));
        std::thread::scope(|scope| {
            for _ in 0..jobs {
                scope.spawn(|| {
                    while let Some(case) = cases.get(next.fetch_add(1, Relaxed)) {
                        if host.as_ref().is_some_and(|host| !passes_on_host(host, case)) {
                            continue;
                        }
                        let outcome = judge(case, sm);
                        let mut report = report.lock().unwrap_or_else(PoisonError::into_inner);
                        report.add(&case.name, outcome);
                    }
                });
            }
        });
        let report = report.into_inner().unwrap_or_else(PoisonError::into_inner);
        print!("{}:\n{report}", folder.display());
    }
    Ok(())
}

/// The programs of a folder.
fn cases(folder: &Path) -> Result<Vec<Case>, String> {
    let said = |error: std::io::Error| format!("{}: {error}", folder.display());
    let mut cases = Vec::new();
    for entry in fs::read_dir(folder).map_err(said)? {
        let path = entry.map_err(said)?.path();
        if path.extension().is_none_or(|extension| extension != "c") {
            continue;
        }
        let text = String::from_utf8_lossy(&fs::read(&path).map_err(said)?).into_owned();
        let expected = format!("{}.expected", path.display());
        cases.push(Case {
            name: path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            text,
            printed: fs::read_to_string(expected).unwrap_or_default(),
        });
    }
    cases.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(cases)
}

/// Whether a compiler of the host takes the program as C++, and it then finds nothing wrong.
fn passes_on_host(compiler: &str, case: &Case) -> bool {
    let folder = std::env::temp_dir();
    let path = |end: &str| folder.join(format!("c-suites-{}-{}{end}", std::process::id(), case.name));
    let (source, binary) = (path(".cpp"), path(".exe"));
    let text = warpsmith_tests::c_suites::host_of(case);
    let passed = fs::write(&source, text).is_ok()
        && Command::new(compiler)
            .args(["-std=gnu++17", "-fpermissive", "-w", "-fwrapv", "-o"])
            .args([&binary, &source])
            .stderr(Stdio::null())
            .status()
            .is_ok_and(|status| status.success())
        && Command::new(&binary)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .is_ok_and(|status| status.success());
    let _ = (fs::remove_file(source), fs::remove_file(binary));
    passed
}
