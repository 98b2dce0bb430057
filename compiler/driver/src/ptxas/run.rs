//! A run of the face.

use std::ffi::OsString;
use std::path::Path;

use warpsmith_ptx::{Problem, Severity, parse, versions};
use warpsmith_target::Sm;

use super::options::OPTIONS;
use crate::vendor::Parsed;
use crate::{Console, files, vendor};

/// The release whose options and messages these are, in the words that scripts look for.
const RELEASE: &str = "release 13.0, V13.0.88";

/// The exit status of every failure. (Observed: ptxas 13.0.88.)
const FAILURE: u8 = 255;

/// What messages call a text given on the command line.
const STRING_INPUT: &str = "application ptx input";

/// Runs the face with the arguments after the program's name; returns the exit status.
pub(crate) fn run(arguments: &[OsString], console: &mut Console) -> u8 {
    let mut parsed = vendor::parse(OPTIONS, arguments);
    for warning in std::mem::take(&mut parsed.warnings) {
        console.complain(&format!("ptxas warning : {warning}\n"));
    }
    if let Some(mistake) = parsed.mistake.take() {
        return fatal(&mistake, console);
    }
    let string = parsed.text("ias").map(str::to_owned);
    let text = if parsed.has("V") {
        version()
    } else if parsed.has("version-ls") {
        versions().map(|version| format!("{version}\n")).collect()
    } else if parsed.has("h") || (parsed.files.is_empty() && string.is_none()) {
        help()
    } else {
        return assemble(&parsed, string.as_deref(), console);
    };
    match console.print(text.as_bytes()) {
        Ok(()) => 0,
        Err(error) => fatal(&format!("Cannot write to standard output: {error}"), console),
    }
}

fn fatal(text: &str, console: &mut Console) -> u8 {
    console.complain(&format!("ptxas fatal   : {text}\n"));
    FAILURE
}

fn help() -> String {
    format!(
        "\nUsage  : ptxas [options] <ptx file>,...\n\n\
         Warpsmith in the place of ptxas, {RELEASE}. It checks PTX; it does not generate code yet.\n\n\
         Options\n=======\n\n{}",
        vendor::help(OPTIONS)
    )
}

fn version() -> String {
    format!(
        "ptxas: Warpsmith {} in the place of the PTX optimizing assembler\nOptions and messages as of {RELEASE}\n",
        env!("CARGO_PKG_VERSION")
    )
}

/// Checks all inputs. ptxas goes on to the next input after errors, and fails at the end.
fn assemble(parsed: &Parsed, string: Option<&str>, console: &mut Console) -> u8 {
    let name = parsed.text("arch").unwrap_or("sm_75");
    let mut sound = true;
    for file in &parsed.files {
        let shown = file.to_string_lossy();
        match files::read(Path::new(file)) {
            Ok(bytes) => sound &= check(parsed, &shown, &bytes, name, console),
            Err(_) => {
                fatal(&format!("Input file '{shown}' could not be opened"), console);
                sound = false;
            }
        }
    }
    if let Some(text) = string {
        sound &= check(parsed, STRING_INPUT, text.as_bytes(), name, console);
    }
    if !sound {
        return fatal("Ptx assembly aborted due to errors", console);
    }
    match name.strip_prefix("sm_") {
        None => 0,
        Some(_) => fatal(
            &format!(
                "Warpsmith does not generate code for '{name}' yet; the PTX is correct (-arch=compute_NN checks only)"
            ),
            console,
        ),
    }
}

/// Checks one input and shows what is wrong with it; returns whether it is sound.
fn check(parsed: &Parsed, name: &str, bytes: &[u8], architecture: &str, console: &mut Console) -> bool {
    let module = parse(bytes);
    let sound = show(&module.problems, name, bytes, parsed, console);
    let number = architecture.split_once('_').map_or(architecture, |(_, number)| number);
    let fits = match (number.parse::<Sm>(), module.module.target.to_string().parse::<Sm>()) {
        (Ok(architecture), Ok(target)) => architecture.accepts_ptx_target(target),
        // Targets that Warpsmith makes no code for are lower than all that it does, but for odd ones, which the check names.
        _ => true,
    };
    if sound && !fits {
        fatal(&misfit(&module.module.target.to_string(), number), console);
    }
    sound && fits
}

/// Why PTX for `target` does not compile for sm_`number`.
fn misfit(target: &str, number: &str) -> String {
    match target.ends_with(['a', 'f']) {
        true => format!("PTX with .target '{target}' cannot be compiled for architecture 'sm_{number}'"),
        false => "SM version specified by .target is higher than default SM version assumed".into(),
    }
}

/// One line for each problem, as tools read them; returns whether none is an error.
fn show(problems: &[Problem], name: &str, bytes: &[u8], parsed: &Parsed, console: &mut Console) -> bool {
    let mut sound = true;
    let (mut line, mut counted) = (1, 0);
    for problem in problems {
        // Problems come in order of the text, so that counting lines goes on from the last one.
        let start = problem.span.range().start.min(bytes.len());
        if start < counted {
            (line, counted) = (1, 0);
        }
        line += bytes[counted..start].iter().filter(|byte| **byte == b'\n').count();
        counted = start;
        let severity = match problem.severity {
            Severity::Warning if parsed.has("Werror") => Severity::Error,
            severity => severity,
        };
        let word = match severity {
            Severity::Warning if parsed.has("w") => continue,
            Severity::Warning => "warning",
            Severity::Error => "error  ",
            Severity::Fatal => "fatal  ",
        };
        sound &= severity == Severity::Warning;
        let text: String = problem
            .vendor_text()
            .chars()
            .map(|c| if c.is_control() { '?' } else { c })
            .collect();
        match problem.lineless {
            true => console.complain(&format!("ptxas {word} : {text}\n")),
            false => console.complain(&format!("ptxas {name}, line {line}; {word} : {text}\n")),
        }
    }
    sound
}
