//! `warpsmith FILE.cu OPTIONS`, and the face of nvcc: CUDA C++ or SSA IR to PTX, machine code, listings, fat binaries, and with the host's C++ compiler to objects,
//! libraries and programs.

mod dependencies;
mod host;
mod images;
mod job;
mod options;
mod ptxas_options;
pub(crate) mod toolkit;

use std::ffi::OsString;

use warpsmith_base::Diagnostic;
use warpsmith_target::Sm;

use crate::{Console, exit, vendor};
pub(crate) use options::OPTIONS;

/// Runs with the arguments after the program's name; returns the exit status.
pub(crate) fn run(arguments: &[OsString], console: &mut Console) -> u8 {
    run_as(arguments, false, console)
}

/// The same in the place of nvcc, which links where nothing else is asked for.
pub(crate) fn run_as_nvcc(arguments: &[OsString], console: &mut Console) -> u8 {
    let from_environment = |name: &str| {
        let text = std::env::var(name).unwrap_or_default();
        vendor::split(&text).map_err(|reason| vec![Diagnostic::error(format!("{name}: {reason}"))])
    };
    let (before, behind) = match (
        from_environment("NVCC_PREPEND_FLAGS"),
        from_environment("NVCC_APPEND_FLAGS"),
    ) {
        (Ok(before), Ok(behind)) => (before, behind),
        (Err(errors), _) | (_, Err(errors)) => return fail(&errors, console),
    };
    let words: Vec<OsString> = before
        .into_iter()
        .chain(arguments.iter().cloned())
        .chain(behind)
        .collect();
    run_as(&words, true, console)
}

fn run_as(arguments: &[OsString], is_nvcc: bool, console: &mut Console) -> u8 {
    let mut parsed = vendor::parse(OPTIONS, arguments);
    for warning in std::mem::take(&mut parsed.warnings) {
        console.diagnose(&Diagnostic::warning(warning));
    }
    if let Some(mistake) = parsed.mistake.take() {
        let near = parsed.near.take();
        return fail(
            &[near.into_iter().fold(Diagnostic::error(mistake), Diagnostic::note)],
            console,
        );
    }
    let text = if parsed.has("V") {
        version()
    } else if parsed.has("h") {
        help()
    } else if parsed.has("arch-ls") {
        targets("compute_")
    } else if parsed.has("code-ls") {
        targets("sm_")
    } else if parsed.files.is_empty() {
        let nothing = "no input files specified; use option --help for more information";
        return fail(&[Diagnostic::error(nothing)], console);
    } else {
        let done = match host::product(&parsed, is_nvcc) {
            Some(product) => host::run(&parsed, product, console),
            None => job::run(&parsed, console).map(|()| 0),
        };
        return match done {
            Ok(status) => status,
            Err(diagnostics) => fail(&diagnostics, console),
        };
    };
    match console.print(text.as_bytes()) {
        Ok(()) => 0,
        Err(error) => fail(
            &[Diagnostic::error(format!("cannot write to standard output: {error}"))],
            console,
        ),
    }
}

fn fail(diagnostics: &[Diagnostic], console: &mut Console) -> u8 {
    for diagnostic in diagnostics {
        console.diagnose(diagnostic);
    }
    // All failures end with the same status.
    exit::NVCC.input
}

fn help() -> String {
    format!(
        "Usage: warpsmith FILE.cu OPTIONS\n\nCompiles the device side of CUDA C++ (.cu, .ii) or SSA IR (.ll, .bc) to machine code (-cubin, the default), a listing of it (-S) or PTX (-ptx).\n\n\
         Options\n=======\n\n{}",
        vendor::help(OPTIONS)
    )
}

/// The targets, one a line, with a prefix before their numbers.
fn targets(prefix: &str) -> String {
    let numbers = Sm::ALL.iter().filter_map(|sm| sm.name().strip_prefix("sm_"));
    let plain = numbers.filter(|number| number.bytes().all(|byte| byte.is_ascii_digit()));
    plain.map(|number| format!("{prefix}{number}\n")).collect()
}

fn version() -> String {
    format!(
        "warpsmith {} in the place of nvcc: NVIDIA (R) Cuda compiler driver\nOptions as of release 13.0, V13.0.88\n",
        env!("CARGO_PKG_VERSION")
    )
}
