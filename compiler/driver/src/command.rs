//! Warpsmith's own command line.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::error::ErrorKind;
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use warpsmith_base::{Diagnostic, Severity, fault};

use crate::console::Format;
use crate::exit::{self, ExitCodes};
use crate::kind::FileKind;
use crate::translate::language_of;
use crate::{
    Console, asm, bisect, cc, compile, disasm, explain, face, files, global, links, ptx, ptxas, reduce, shell, targets,
    vendor, version,
};

/// An open compiler and toolset for NVIDIA GPUs.
#[derive(Parser)]
#[command(name = "warpsmith", bin_name = "warpsmith", version = version::short(), long_version = version::long(), arg_required_else_help = true)]
pub(crate) struct Line {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Disasm(disasm::Arguments),
    Asm(asm::Arguments),
    Compile(Box<compile::Arguments>),
    Ptx(ptx::Arguments),
    Run(Box<crate::run::Arguments>),
    Targets(targets::Arguments),
    Explain(explain::Arguments),
    Bisect(Box<bisect::Arguments>),
    Reduce(reduce::Arguments),
    InstallLinks(links::Arguments),
    Completions(shell::Completions),
    Man(shell::Manual),
}

impl Command {
    /// The word that asks for it.
    const fn name(&self) -> &'static str {
        match self {
            Command::Disasm(_) => "disasm",
            Command::Asm(_) => "asm",
            Command::Compile(_) => "compile",
            Command::Ptx(_) => "ptx",
            Command::Run(_) => "run",
            Command::Targets(_) => "targets",
            Command::Explain(_) => "explain",
            Command::Bisect(_) => "bisect",
            Command::Reduce(_) => "reduce",
            Command::InstallLinks(_) => "install-links",
            Command::Completions(_) => "completions",
            Command::Man(_) => "man",
        }
    }
}

impl Command {
    /// The files that it reads, and which kinds of files it takes.
    fn inputs(&self) -> (Vec<PathBuf>, &'static [FileKind]) {
        match self {
            // Words without a file around them look like anything.
            Command::Disasm(arguments) if arguments.is_raw() => (Vec::new(), &[]),
            Command::Disasm(arguments) => (vec![arguments.file.clone()], &[FileKind::Cubin]),
            Command::Asm(arguments) => (vec![arguments.file.clone()], &[FileKind::Listing]),
            Command::Compile(arguments) => (
                vec![arguments.file.clone()],
                &[FileKind::Ptx, FileKind::Ir, FileKind::Cuda],
            ),
            Command::Bisect(arguments) => (
                vec![arguments.file.clone()],
                &[FileKind::Ptx, FileKind::Ir, FileKind::Cuda],
            ),
            Command::Ptx(arguments) => (arguments.files(), &[FileKind::Ptx]),
            Command::Run(arguments) => (
                vec![arguments.file.clone()],
                &[
                    FileKind::Cuda,
                    FileKind::Ir,
                    FileKind::Ptx,
                    FileKind::Cubin,
                    FileKind::Listing,
                    FileKind::Launch,
                ],
            ),
            // Any text that the test knows.
            Command::Reduce(_)
            | Command::Targets(_)
            | Command::Explain(_)
            | Command::InstallLinks(_)
            | Command::Completions(_)
            | Command::Man(_) => (Vec::new(), &[]),
        }
    }
}

/// What is said of files that a command has refused, and another one may take.
fn advise((files, takes): &(Vec<PathBuf>, &[FileKind]), console: &mut Console) {
    for file in files {
        if let Some(kind) = FileKind::of(file).filter(|kind| kind.is_known() && !takes.contains(kind)) {
            console.diagnose(&Diagnostic::new(Severity::Note, kind.advice(&files::shown(file))));
        }
    }
}

/// The tool that a file stands for.
enum Tool<'a> {
    /// nvcc.
    Nvcc,
    /// ptxas, with this file of PTX.
    Ptxas(&'a Path),
}

/// The tool whose command line this is: the name of a file in front says it, or, behind options, those of the files that the tool itself would find among the
/// words (`-include a.cu b.cu` has one).
fn tool(arguments: &[OsString]) -> Option<Tool<'_>> {
    let is_ptx = |file: &Path| file.extension().is_some_and(|end| end == "ptx");
    let words = arguments.get(1..)?;
    let first = words.first()?;
    let word = first.to_string_lossy();
    if !word.starts_with('-') {
        let file = Path::new(first);
        return match is_ptx(file) {
            true => Some(Tool::Ptxas(file)),
            false => {
                (language_of(file).is_some() || file.extension().is_some_and(|end| end == "o")).then_some(Tool::Nvcc)
            }
        };
    }
    if ["-h", "--help", "-V", "--version"].contains(&&*word) {
        return None;
    }
    let sources = vendor::parse(cc::OPTIONS, words).files;
    let is_object = |file: &Path| {
        file.extension()
            .is_some_and(|end| end == "o" || end == "a" || end == "so")
    };
    let is_input = |file: &OsString| language_of(Path::new(file)).is_some() || is_object(Path::new(file));
    if !sources.is_empty() && sources.iter().all(is_input) {
        return Some(Tool::Nvcc);
    }
    match vendor::parse(ptxas::OPTIONS, words).files.as_slice() {
        [file] if is_ptx(Path::new(file)) => words
            .iter()
            .find(|word| *word == file)
            .map(|file| Tool::Ptxas(Path::new(file))),
        _ => None,
    }
}

/// More messages than this are only counted.
const MOST_SHOWN: usize = 50;

/// The words of ptxas. Without `-o` the output is the input's name with `.cubin`.
fn ptxas_words(words: &[OsString], file: &Path) -> Vec<OsString> {
    let mut words = words.to_vec();
    let names_output = |word: &OsString| {
        let word = word.to_string_lossy();
        let option = word.split('=').next().unwrap_or("");
        ["-o", "--output-file"].contains(&option)
    };
    if !words.iter().any(names_output) {
        words.push("-o".into());
        words.push(file.with_extension("cubin").into());
    }
    words
}

/// What this command line ends with: of the tool that a file name alone stands for, or Warpsmith's own.
pub(crate) fn codes(arguments: &[OsString]) -> ExitCodes {
    match tool(arguments) {
        Some(Tool::Ptxas(_)) => exit::PTXAS,
        Some(Tool::Nvcc) => exit::NVCC,
        None => exit::WARPSMITH,
    }
}

/// The definitions of all commands, with what is said below them.
pub(crate) fn definitions() -> clap::Command {
    let below = format!(
        "{}\n\n\
         `warpsmith FILE.cu OPTIONS` compiles CUDA C++ (or SSA IR, FILE.ll, FILE.bc) with nvcc's options;\n\
         `warpsmith --face nvcc -h` lists them.\n\
         `warpsmith FILE.ptx OPTIONS` compiles with ptxas' options, to FILE.cubin without -o.\n\n\
         Called through a link of one of these names, or as `warpsmith --face NAME ARGUMENTS`,\n\
         it takes that tool's place:\n{}",
        global::HELP,
        face::help()
    );
    Line::command().after_help(below)
}

/// Runs one of the sub-commands; returns the exit status.
pub(crate) fn run(arguments: &[OsString], console: &mut Console) -> u8 {
    match tool(arguments) {
        Some(Tool::Ptxas(file)) => return ptxas::run(&ptxas_words(&arguments[1..], file), console),
        Some(Tool::Nvcc) => return cc::run(&arguments[1..], console),
        None => {}
    }
    let parsed = definitions().try_get_matches_from(arguments);
    let line = match parsed.and_then(|matches| Line::from_arg_matches(&matches)) {
        Ok(line) => line,
        Err(message) => {
            // A file that no command was named for.
            if message.kind() == ErrorKind::InvalidSubcommand
                && let Some(file) = arguments.get(1).map(Path::new)
                && let Some(kind) = FileKind::of(file)
            {
                console.diagnose(&Diagnostic::error(kind.advice(&files::shown(file))));
                return exit::WARPSMITH.usage;
            }
            return show(&message, console);
        }
    };
    let inputs = line.command.inputs();
    let _at = fault::enter(line.command.name(), "");
    let result = match line.command {
        Command::Disasm(arguments) => disasm::run(&arguments, console),
        Command::Asm(arguments) => asm::run(&arguments, console),
        Command::Compile(arguments) => compile::run(&arguments, console),
        Command::Ptx(arguments) => ptx::run(&arguments, console),
        Command::Run(arguments) => crate::run::run(&arguments, console),
        Command::Targets(arguments) => targets::run(&arguments, console),
        Command::Explain(arguments) => explain::run(&arguments, console),
        Command::Bisect(arguments) => bisect::run(&arguments, console),
        Command::Reduce(arguments) => reduce::run(&arguments, console),
        Command::InstallLinks(arguments) => links::run(&arguments, console),
        Command::Completions(arguments) => shell::completions(&arguments, console),
        Command::Man(arguments) => shell::manual(&arguments, console),
    };
    match result {
        Ok(()) => 0,
        Err(diagnostics) => {
            report(&diagnostics, console);
            advise(&inputs, console);
            exit::WARPSMITH.input
        }
    }
}

/// Shows help, version or a complaint about the command line.
fn show(message: &clap::Error, console: &mut Console) -> u8 {
    let text = message.render();
    let text = match console.format {
        Format::Text { colour: true } => text.ansi().to_string(),
        Format::Text { colour: false } | Format::Json | Format::Sarif => text.to_string(),
    };
    if message.use_stderr() {
        console.complain(&text);
    } else if let Err(error) = console.print(text.as_bytes()) {
        console.complain(&format!("error: cannot write to standard output: {error}\n"));
        return exit::WARPSMITH.file;
    }
    // 0 for help and version, 2 for mistakes.
    u8::try_from(message.exit_code()).unwrap_or(exit::WARPSMITH.usage)
}

fn report(diagnostics: &[Diagnostic], console: &mut Console) {
    for diagnostic in diagnostics.iter().take(MOST_SHOWN) {
        console.diagnose(diagnostic);
    }
    if diagnostics.len() > MOST_SHOWN {
        console.complain(&format!(
            "error: {} more messages are not shown\n",
            diagnostics.len() - MOST_SHOWN
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Line::command().debug_assert();
    }
}
