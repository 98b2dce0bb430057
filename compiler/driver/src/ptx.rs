//! `warpsmith ptx`: PTX checked, formatted, counted, explained.

use std::path::{Path, PathBuf};

use warpsmith_base::{Diagnostic, SourceText, write_atomically};
use warpsmith_ptx::{Parsed, Problem, Severity, format, parse, print, reference, stats};

use crate::{Console, files};

/// Check, format, print and count PTX; look instructions up
#[derive(clap::Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

impl Arguments {
    /// The files that are read.
    pub(crate) fn files(&self) -> Vec<PathBuf> {
        match &self.command {
            Command::Check { files, .. } | Command::Fmt { files, .. } => files.clone(),
            Command::Print { file } | Command::Stats { file, .. } => vec![file.clone()],
            Command::Reference { .. } => Vec::new(),
        }
    }
}

#[derive(clap::Subcommand)]
enum Command {
    /// Check files and explain what is wrong
    Check {
        /// Files; - is standard input
        #[arg(required = true)]
        files: Vec<PathBuf>,
        /// Warnings are errors
        #[arg(long)]
        warnings_as_errors: bool,
    },
    /// Format files in one layout; comments and tokens stay as they are
    Fmt {
        /// Files; - is standard input, formatted to standard output
        #[arg(required = true)]
        files: Vec<PathBuf>,
        /// Change nothing, and fail if a file is not formatted
        #[arg(long)]
        check: bool,
        /// Write to standard output and leave the files alone
        #[arg(long, conflicts_with = "check")]
        stdout: bool,
    },
    /// Print a file's module as Warpsmith understood it
    Print {
        /// File; - is standard input
        file: PathBuf,
    },
    /// Count what a file holds, function by function
    Stats {
        /// File; - is standard input
        file: PathBuf,
        /// JSON instead of tables
        #[arg(long)]
        json: bool,
    },
    /// Show the instruction tables: all families, or the forms of one instruction
    Reference {
        /// Opcode, such as mbarrier.arrive; all instructions by family without it
        opcode: Option<String>,
    },
}

/// Runs the sub-command.
pub(crate) fn run(arguments: &Arguments, console: &mut Console) -> Result<(), Vec<Diagnostic>> {
    match &arguments.command {
        Command::Check {
            files,
            warnings_as_errors,
        } => check(files, *warnings_as_errors, console),
        Command::Fmt { files, check, stdout } => files.iter().try_for_each(|file| fmt(file, *check, *stdout, console)),
        Command::Print { file } => {
            let parsed = read_module(file, console)?;
            files::write_output(None, print::print(&parsed.module).as_bytes(), console)
        }
        Command::Stats { file, json } => {
            let parsed = read_module(file, console)?;
            let stats = stats::stats(&parsed.module);
            let text = if *json { stats.to_json() } else { stats.to_string() };
            files::write_output(None, text.as_bytes(), console)
        }
        Command::Reference { opcode } => {
            let text = match opcode {
                None => reference::families(),
                Some(name) => reference::opcode(name).map_err(|near| {
                    let error = Diagnostic::error(format!("there is no instruction `{name}`"));
                    vec![match near {
                        Some(near) => error.note(format!("a near name is `{near}`")),
                        None => error,
                    }]
                })?,
            };
            files::write_output(None, text.as_bytes(), console)
        }
    }
}

/// More problems of one file than this are only counted.
const MOST_SHOWN: usize = 100;

/// Checks files; every problem is shown with its line.
fn check(paths: &[PathBuf], warnings_as_errors: bool, console: &mut Console) -> Result<(), Vec<Diagnostic>> {
    let mut failures = Vec::new();
    for path in paths {
        let bytes = match files::read_input(path) {
            Ok(bytes) => bytes,
            Err(errors) => {
                failures.extend(errors);
                continue;
            }
        };
        let parsed = parse(&bytes);
        let refused = show(path, &bytes, &parsed.problems, console);
        if refused || (warnings_as_errors && !parsed.problems.is_empty()) {
            failures.push(Diagnostic::error("refused").in_file(files::shown(path)));
        }
    }
    if failures.is_empty() { Ok(()) } else { Err(failures) }
}

/// Shows problems with their source lines; returns whether any is an error.
fn show(path: &Path, bytes: &[u8], problems: &[Problem], console: &mut Console) -> bool {
    if problems.is_empty() {
        return false;
    }
    let source = SourceText::new(files::shown(path), warpsmith::readable(bytes));
    for problem in problems.iter().take(MOST_SHOWN) {
        console.diagnose_in(&warpsmith::of_problem(problem, &source), &source);
    }
    if problems.len() > MOST_SHOWN {
        console.complain(&format!(
            "{} more problems are not shown\n",
            problems.len() - MOST_SHOWN
        ));
    }
    problems.iter().any(|problem| problem.severity != Severity::Warning)
}

/// Reads a module that must be without errors.
fn read_module(path: &Path, console: &mut Console) -> Result<Parsed, Vec<Diagnostic>> {
    let bytes = files::read_input(path)?;
    checked(path, &bytes, console)
}

/// The module of a text, which must be without errors.
pub(crate) fn checked(path: &Path, bytes: &[u8], console: &mut Console) -> Result<Parsed, Vec<Diagnostic>> {
    let parsed = parse(bytes);
    match show(path, bytes, &parsed.problems, console) {
        false => Ok(parsed),
        true => Err(vec![Diagnostic::error("refused").in_file(files::shown(path))]),
    }
}

fn fmt(path: &Path, check: bool, stdout: bool, console: &mut Console) -> Result<(), Vec<Diagnostic>> {
    let bytes = files::read_input(path)?;
    let name = files::shown(path);
    let Ok(text) = std::str::from_utf8(&bytes) else {
        return Err(vec![
            Diagnostic::error("the text is not UTF-8; PTX is ASCII").in_file(name),
        ]);
    };
    let formatted = format::format(text).map_err(|problems| {
        show(path, &bytes, &problems, console);
        vec![Diagnostic::error("not formatted: it has syntax errors").in_file(&name)]
    })?;
    match (check, stdout || path == Path::new("-")) {
        (true, _) if formatted == text => Ok(()),
        (true, _) => Err(vec![Diagnostic::error("is not formatted").in_file(name)]),
        (false, true) => files::write_output(None, formatted.as_bytes(), console),
        (false, false) if formatted == text => Ok(()),
        (false, false) => write_atomically(path, formatted.as_bytes())
            .map_err(|error| vec![Diagnostic::error(format!("cannot write: {}", error.reason)).in_file(name)]),
    }
}
