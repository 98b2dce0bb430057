//! Suites of C programs as kernels, in the interpreter and the emulator.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
};

use warpsmith_target::Sm;
use warpsmith_tests::c_suites::{Case, Report, judge};

use crate::common::{self, Outcome};

/// Run suites of C programs that check themselves as kernels, in the interpreter and the emulator
///
/// What does not pass is printed with its reason.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The folder tests/single-exec of <https://github.com/c-testsuite/c-testsuite>
    #[arg(long, value_name = "FOLDER", required_unless_present = "torture")]
    c_testsuite: Option<PathBuf>,
    /// The folder gcc.c-torture/execute of GCC, or gcc-c-torture/execute of LLVM's test suite
    #[arg(long, value_name = "FOLDER")]
    torture: Option<PathBuf>,
    /// Only the programs that this file names, one a line
    #[arg(long, value_name = "FILE")]
    only: Option<PathBuf>,
    /// Leave out what this compiler of C++ refuses, or what fails on the host as well
    #[arg(long, value_name = "COMPILER")]
    host: Option<String>,
    /// The target of the machine code
    #[arg(long, value_parser = common::sm, default_value = "90")]
    sm: Sm,
    /// Threads
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    jobs: u16,
    /// Only these programs
    #[arg(value_name = "NAME")]
    names: Vec<String>,
}

pub(crate) fn run(arguments: &Arguments) -> common::Result {
    let mut only: BTreeSet<String> = arguments.names.iter().cloned().collect();
    if let Some(path) = &arguments.only {
        only.extend(common::read_text(path)?.lines().map(|line| line.trim().to_owned()));
    }
    for folder in arguments.c_testsuite.iter().chain(&arguments.torture) {
        let cases: Vec<Case> = (cases(folder)?.into_iter())
            .filter(|case| only.is_empty() || only.contains(&case.name))
            .collect();
        let (next, report) = (AtomicUsize::new(0), Mutex::new(Report::default()));
        std::thread::scope(|scope| {
            for _ in 0..arguments.jobs {
                scope.spawn(|| {
                    while let Some(case) = cases.get(next.fetch_add(1, Relaxed)) {
                        if arguments.host.as_ref().is_some_and(|host| !passes_on_host(host, case)) {
                            continue;
                        }
                        let outcome = judge(case, arguments.sm);
                        let mut report = report.lock().unwrap_or_else(PoisonError::into_inner);
                        report.add(&case.name, outcome);
                    }
                });
            }
        });
        let report = report.into_inner().unwrap_or_else(PoisonError::into_inner);
        print!("{}:\n{report}", folder.display());
    }
    Ok(Outcome::Good)
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
